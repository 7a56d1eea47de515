//! What the words before a date say that it is the date of: the text's publishing, a change, or something else.

use std::borrow::Cow;

use crate::char_counts::is_cjk;

use super::Usage;
use super::role_words::{
    BEGINNINGS, JOINTS, LANGUAGES, OF_CHANGES, OF_DATES, OF_LABELS, OF_OTHERS, OF_PUBLISHING,
    PREPOSITIONS, ROOTS_OF_PUBLISHING,
};

/// What a line says of its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text was published then, in so many words.
    Published,
    /// The text was changed then.
    Modified,
    /// Something else was then: a copy was made, a term ends, a member joined.
    Other,
    /// Nothing: the date stands for itself.
    Unsaid,
}

/// Short words for a term that are other words in other languages, with the languages of the term: "do" is "of the" in
/// Portuguese.
const OF_TERMS: [(&str, &[&str]); 4] = [
    ("do", &["pl", "cs", "sk", "hr", "bs", "sr", "sl"]),
    ("tot", &["nl", "af"]),
    ("by", &["en"]),
    ("due", &["en"]),
];

/// The days of the week.
pub(super) const WEEKDAYS: [&str; 14] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "mon",
    "tue",
    "wed",
    "thu",
    "fri",
    "sat",
    "sun",
];

/// What stands before a date, in lower case, says of it. In a sentence a word of publishing counts only
/// where it begins the line: "Version 2 was released on" tells of something else. A label with a colon is about
/// something else where it is none of the words for publishing or a date in its language, if those are known.
pub(crate) fn role_of(before: &str, in_sentence: bool, usage: Usage) -> Role {
    let part = &*joined(part_of(before));
    let end = without_joints(part);
    if ends_with_other(end, usage) {
        return Role::Other;
    }
    let beginning = without_beginnings(part);
    let begins = |words: &'static str| each(words).any(|word| begins_with(beginning, word));
    if ends_with_one(end, OF_CHANGES) || begins(OF_CHANGES) {
        return Role::Modified;
    }
    let ends = || {
        [OF_PUBLISHING, OF_LABELS]
            .iter()
            .any(|words| ends_with_one(end, words))
    };
    if begins(OF_PUBLISHING) || !in_sentence && ends() {
        return Role::Published;
    }
    match usage.is_known_to_be(each(LANGUAGES)) && is_label_of_another(part) {
        true => Role::Other,
        false => Role::Unsaid,
    }
}

/// A label whose characters stand apart to be as wide as others (发 布 时 间：, 일 자) as one word.
fn joined(part: &str) -> Cow<'_, str> {
    let is_gap = |c: char| matches!(c, ' ' | '\u{a0}' | '\u{3000}');
    let label = part.trim_end_matches(|c: char| is_gap(c) || matches!(c, ':' | '：'));
    let mut words = label.split(is_gap).filter(|word| !word.is_empty());
    let are_apart = label.contains(is_gap)
        && words.all(|word| word.chars().all(is_cjk) && word.chars().nth(1).is_none());
    match are_apart {
        true => Cow::Owned(part.replace(is_gap, "")),
        false => Cow::Borrowed(part),
    }
}

/// Whether a text ends with a word of what else a date may be of.
fn ends_with_other(end: &str, usage: Usage) -> bool {
    let is_term = |word: &str| {
        let term = OF_TERMS.iter().find(|(term, _)| *term == word);
        term.is_none_or(|(_, languages)| usage.may_be(languages.iter().copied()))
    };
    let mut words = each(OF_OTHERS).filter(|word| is_term(word));
    words.any(|word| ends_with_one(end, word))
}

/// Whether a part of a line ends with a label and a colon that says more of its date than that it is one.
fn is_label_of_another(part: &str) -> bool {
    let Some(before) = before_colon(part) else {
        return false;
    };
    let (earlier, label) = match before.rsplit_once([':', '：']) {
        Some((_, label)) => (true, label),
        None => (false, before),
    };
    let label =
        label.trim_matches(|c: char| c.is_whitespace() || ",;.()[]【】«»\"*–—-".contains(c));
    let is_of_dates = match earlier {
        // What stands before may be the value of the label before.
        true => ends_with_one(label, OF_DATES),
        false => each(OF_DATES).any(|word| word == label),
    };
    let is_of_publishing = || each(ROOTS_OF_PUBLISHING).any(|root| has_root(label, root));
    label.contains(char::is_alphabetic)
        && !is_of_dates
        && !ends_with_one(label, PREPOSITIONS)
        && !is_of_publishing()
}

/// Whether a word of a text begins with a root. Arabic and Hebrew have articles before it in one word.
fn has_root(text: &str, root: &str) -> bool {
    let is_of_one_word = |c: char| ('\u{590}'..'\u{700}').contains(&c);
    let begins = |at: usize| !text[..at].ends_with(char::is_alphabetic);
    let mut found = text.match_indices(root);
    let is_bounded = has_bounds(root) && !root.starts_with(is_of_one_word);
    found.any(|(at, _)| !is_bounded || begins(at))
}

/// What stands before the colon that a part of a line ends with; a day of the week or a preposition may follow it.
fn before_colon(mut part: &str) -> Option<&str> {
    loop {
        part = part.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '：'));
        if let Some(label) = part.strip_suffix([':', '：']) {
            return Some(label);
        }
        let word = part
            .rfind(|c: char| !c.is_alphanumeric())
            .map_or(part, |at| {
                part[at..].trim_start_matches(|c: char| !c.is_alphanumeric())
            });
        if !WEEKDAYS.contains(&word) && each(PREPOSITIONS).all(|known| known != word) {
            return None;
        }
        part = &part[..part.len() - word.len()];
        if part.is_empty() {
            return None;
        }
    }
}

/// Whether a text, in lower case, ends with a word for publishing or change in Chinese, Japanese or Korean, in which a date has the
/// year first. Behind dots, as in numbers of versions, that word has to be a label of dates: it begins its part of the line, or a word
/// for time stands between ("发布时间", "작성일").
pub(super) fn announces_year(before: &str, is_dotted: bool) -> bool {
    let end = without_joints(before);
    let mut told = [OF_PUBLISHING, OF_LABELS, OF_CHANGES].iter();
    let is_told = told.any(|words| ends_with_one(end, words));
    is_told && end.ends_with(is_cjk) && (!is_dotted || is_label(before, end))
}

/// Whether a text that ends with such a word, and behind it with what joins it to a date, is a label of dates.
fn is_label(before: &str, end: &str) -> bool {
    let part = without_beginnings(part_of(end));
    let begins = |words: &'static str| each(words).any(|word| word == part);
    let joint = before[end.len()..].trim_matches(|c: char| !c.is_alphanumeric());
    !joint.is_empty() || begins(OF_PUBLISHING) || begins(OF_CHANGES)
}

/// The part of a line that a text ends with.
fn part_of(before: &str) -> &str {
    let from = before.rfind(['|', '·', '•', '\n', '；', ';', '\u{3000}', '/']);
    from.map_or(before, |at| {
        before[at..].trim_start_matches(|c: char| !c.is_alphanumeric())
    })
}

/// A text without the joints at its end that stand behind another word.
fn without_joints(mut before: &str) -> &str {
    loop {
        before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_known = |text: &str| {
            [OF_OTHERS, OF_CHANGES, OF_PUBLISHING, OF_LABELS]
                .iter()
                .any(|words| ends_with_one(text, words))
        };
        let joint = each(JOINTS).chain(WEEKDAYS).find_map(|joint| {
            before
                .strip_suffix(joint)
                .filter(|rest| !has_bounds(joint) || !rest.ends_with(char::is_alphanumeric))
        });
        match joint {
            Some(shorter) if !is_known(before) => before = shorter,
            Some(_) | None => return before,
        }
    }
}

fn without_beginnings(part: &str) -> &str {
    let mut part = part.trim_start_matches(|c: char| !c.is_alphanumeric());
    while let Some(rest) = each(BEGINNINGS).find_map(|word| part.strip_prefix(word)) {
        part = rest.trim_start();
    }
    part
}

/// The words of a list.
fn each(words: &'static str) -> impl Iterator<Item = &'static str> {
    words.split('|')
}

fn begins_with(text: &str, word: &str) -> bool {
    let rest = text.strip_prefix(word);
    rest.is_some_and(|rest| !has_bounds(word) || !rest.starts_with(char::is_alphabetic))
}

/// Whether a word is of a script that has spaces between words.
fn has_bounds(word: &str) -> bool {
    const THAI: char = '\u{e00}';
    const KHMER: std::ops::RangeInclusive<char> = '\u{1780}'..='\u{17ff}';
    let bounded = |c: char| c < THAI || !(c < '\u{1000}' || KHMER.contains(&c) || is_cjk(c));
    word.chars().next().is_some_and(bounded)
}

/// Whether a text ends with one of some words. "Reprinted" does not end with "printed".
fn ends_with_one(text: &str, words: &'static str) -> bool {
    each(words).any(|word| {
        let rest = text.strip_suffix(word);
        rest.is_some_and(|rest| !has_bounds(word) || !rest.ends_with(char::is_alphabetic))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_label_that_names_no_publishing_is_of_something_else() {
        let day = Some("2024-03-12");
        let english = "The river rose again at night, and took the old stone bridge with it, which had stood there. ";
        let published = |lang: &str, text: &str, line: &str| {
            let html = format!(
                "<html lang={lang}><h1>Moc</h1><p>{line}</p><p>{}</p>",
                text.repeat(6)
            );
            let url = url::Url::parse("https://canal.example/lock").unwrap();
            crate::extract(&html, &crate::PageContext::new(&url)).published
        };
        for label in ["Deadline", "Exam", "When", "Date of birth", "Opening night"] {
            assert_eq!(
                published("en", english, &format!("{label}: 12 March 2024")),
                None,
                "{label}"
            );
        }
        for label in [
            "Date",
            "Release date",
            "Publication date",
            "Post date",
            "Press release",
            "Reply #3 on",
            "Views: 12 Date",
        ] {
            let found = published("en", english, &format!("{label}: 12 March 2024"));
            assert_eq!(found.as_deref(), day, "{label}");
        }
        let german =
            "Der Fluss stieg in der Nacht wieder an und riss die alte steinerne Brücke mit sich. ";
        let polish =
            "Rzeka znowu wezbrała w nocy i zabrała ze sobą stary kamienny most, który tam stał. ";
        let portuguese = "O rio subiu novamente na noite e levou consigo a velha ponte de pedra, que ali estava. ";
        let chinese = "河水在夜里又涨了起来，冲走了那座站了几百年的老石桥，村里的人都到岸边来看。";
        // In a language of which no words are known a label beside the title is taken for one of publishing.
        let somali = "Webigu mar kale ayuu kor u kacay habeenkii oo qaatay buundadii hore ee dhagaxa ahayd. ";
        for (lang, text, line, is_own) in [
            ("de", german, "Anmeldeschluss: 12.03.2024", false),
            ("de", german, "Veröffentlichungsdatum: 12.03.2024", true),
            ("pl", polish, "Ważne do 12 marca 2024", false),
            ("pt", portuguese, "Edição do 12 de março de 2024", true),
            ("zh", chinese, "时　　间：2024-03-12", true),
            ("zh", chinese, "发 布 日 期：2024-03-12", true),
            ("zh", chinese, "考 试 时 间：2024-03-12", false),
            ("zh", chinese, "公开时间：2024-03-12", true),
            (
                "zh",
                chinese,
                "信息技术协会2024年3月12日在河畔成立。",
                false,
            ),
            (
                "en",
                english,
                "Online sales of tickets began on 12 March 2024.",
                false,
            ),
            ("so", somali, "La daabacay: 2024-03-12", true),
        ] {
            assert_eq!(
                published(lang, text, line).as_deref(),
                day.filter(|_| is_own),
                "{line}"
            );
        }
    }
}
