//! Times told from now, "3 hours ago", in the words of many languages: no day can be read from them, but they date a line.
//!
//! A number of one to three digits and a unit stand with them, so that words that mean more than "ago" are told apart.

use crate::bounded::byte_prefix;

use super::{LINE_BYTES_MAX, digits};

/// What stands behind the number and its unit.
const BEHIND: &str = "ago|geleden|sedan|siden|sitten|síðan|temu|назад|тому|таму|önce|əvvəl|бұрын|atrás|fa|enrere|duela|\
    tagasi|atpakaļ|ezelőtt|לפני|پیش|قبل|पहले|पूर्व|আগে|முன்|ที่แล้ว|ที่ผ่านมา|មុន|trước|lalu|წინ|առաջ|전";

/// What stands before the number.
const BEFORE: &str = "vor|hace|il y a|há|ha|acum|před|pred|przed|prije|pre|пре|преди|пред|πριν|منذ|قبل|לפני|pirms|prieš|\
    fyrir|πριν από";

/// Whether a line, a short one, tells how long ago something was.
pub(crate) fn is_ago(text: &str) -> bool {
    const CHARS_MAX: usize = 60;
    if !text.contains(char::is_numeric) || text.chars().nth(CHARS_MAX).is_some() {
        return false;
    }
    let text = digits::in_ascii(byte_prefix(text, LINE_BYTES_MAX)).to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || ",·|•()".contains(c))
        .collect();
    (0..words.len()).any(|at| {
        let word = words[at];
        let number = word.trim_end_matches(|c: char| !c.is_ascii_digit());
        let is_number =
            (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            return false;
        }
        // "2h" or "2 hours".
        let (unit, end) = match &word[number.len()..] {
            "" => (words.get(at + 1).copied().unwrap_or(""), at + 2),
            unit => (unit, at + 1),
        };
        let is_unit = unit.starts_with(char::is_alphabetic);
        let mut behind = words[end.min(words.len())..].iter().take(2);
        let is_behind =
            behind.any(|word| BEHIND.split('|').any(|known| known == *word)) || ends_as_told(unit);
        let before = words[at.saturating_sub(3)..at].join(" ");
        let is_before = |known: &str| {
            let rest = before.strip_suffix(known);
            rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
        };
        is_unit && (is_behind || BEFORE.split('|').any(is_before))
    })
}

/// Whether a unit has such a word in it, in a script without blanks.
fn ends_as_told(unit: &str) -> bool {
    let is_of_one_word = |known: &&str| known.starts_with(|c| c >= '\u{e00}');
    let mut known = BEHIND.split('|').filter(is_of_one_word);
    known.any(|known| unit.len() > known.len() && unit.ends_with(known))
}

#[cfg(test)]
mod tests {
    use super::is_ago;

    #[test]
    fn a_number_a_unit_and_a_word_tell_how_long_ago() {
        for text in [
            "3 hours ago",
            "2 часа назад",
            "5 хв тому",
            "vor 2 Stunden",
            "hace 3 días",
            "il y a 2 heures",
            "há 2 horas",
            "2 ore fa",
            "2 uur geleden",
            "för 2 timmar sedan",
            "2 saat önce",
            "před 2 hodinami",
            "πριν από 2 ώρες",
            "منذ ٣ ساعات",
            "۲ ساعت پیش",
            "לפני 2 שעות",
            "2 घंटे पहले",
            "2 giờ trước",
            "2 jam yang lalu",
            "nadja · 2h ago",
            "2 ชั่วโมงที่แล้ว",
            "pirms 2 stundām",
        ] {
            assert!(is_ago(text), "{text}");
        }
        for text in [
            "vor 2000 Jahren",
            "hace mucho",
            "2 fa",
            "prima fa 2",
            "room 12 ago",
            "Twelve hours ago",
            "In 2 hours",
            "",
        ] {
            assert!(!is_ago(text), "{text}");
        }
        assert!(!is_ago(&format!("{} 3 hours ago", "word ".repeat(12))));
    }
}
