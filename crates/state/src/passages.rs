//! A text as passages: sentences, headings, cells of a table, each with a hash and a weight.
//!
//! Views of one page differ in what stands around its sentences: names before a colon, bars between cells,
//! blanks, case and signs. So a passage ends with its sentence, at a colon and at a bar, and its hash is that of its
//! letters and digits. Lists show how a text begins, and say so by an ellipsis: of a longer passage the hash of
//! its beginning is told as well.
//!
//! Cost: one pass over the text.

use xxhash_rust::xxh3::xxh3_64;

/// The weight of a passage that says something: four words, eight Chinese characters. Shorter ones are names, dates,
/// numbers of votes. Digits weigh nothing: a date and the name beside it say no more than a name.
pub(crate) const LONG_MIN: u32 = 24;
/// The weight at which the beginning of a passage is hashed: nine words, sixteen characters.
pub(crate) const BEGINNING: u32 = 48;

/// Digits of a date at least: 24-5-31 has five, and a time of day beside it.
const DATE_DIGITS_MIN: u32 = 6;

/// A passage of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// The hash of its letters and digits.
    pub(crate) hash: u32,
    /// That of its beginning, of one that is longer.
    pub(crate) beginning: Option<u32>,
    /// Its letters; a character of Chinese, Japanese or Korean counts for three.
    pub(crate) weight: u32,
    /// It breaks off, and goes on elsewhere.
    pub(crate) is_cut: bool,
    /// It has the digits of a date.
    pub(crate) is_dated: bool,
}

impl Passage {
    /// Whether it says something.
    pub(crate) fn is_long(&self) -> bool {
        self.weight >= LONG_MIN
    }

    /// Whether it may say no more than who wrote something and when.
    pub(crate) fn is_note(&self) -> bool {
        !self.is_long() || self.is_dated && self.beginning.is_none()
    }
}

/// The passages of a text, in order.
pub(crate) fn passages(text: &str) -> Vec<Passage> {
    let mut found = Vec::new();
    let mut passage = Open::default();
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(char) = chars.next() {
        let next = chars.peek().copied();
        if char.is_alphanumeric() {
            passage.push(char);
        } else if char == '…' || char == '.' && next == Some('.') {
            passage.is_cut = true;
        } else if ends(before, char, next) {
            found.extend(passage.close());
        }
        before = char;
    }
    found.extend(passage.close());
    found
}

/// Whether a passage ends with a sign, between these characters.
fn ends(before: char, sign: char, next: Option<char>) -> bool {
    match sign {
        '\n' | '|' | '»' | '›' | '。' | '！' | '？' | '；' => true,
        // A time of day and an abbreviation go on.
        ':' | '：' | '.' | '!' | '?' => {
            let goes_on = next.is_some_and(char::is_alphanumeric) && before.is_ascii();
            !goes_on
        }
        _ => false,
    }
}

/// A passage that has not ended.
#[derive(Debug, Default)]
struct Open {
    letters: String,
    weight: u32,
    beginning: Option<u32>,
    is_cut: bool,
    digits: u32,
}

impl Open {
    fn push(&mut self, char: char) {
        self.letters.extend(char.to_lowercase());
        self.is_cut = false;
        self.digits += u32::from(char.is_ascii_digit());
        self.weight += match is_cjk(char) {
            true => 3,
            false => u32::from(!char.is_numeric()),
        };
        if self.weight >= BEGINNING && self.beginning.is_none() {
            self.beginning = Some(hash(&self.letters).wrapping_add(1));
        }
    }

    fn close(&mut self) -> Option<Passage> {
        let Self {
            letters,
            weight,
            beginning,
            is_cut,
            digits,
        } = std::mem::take(self);
        (weight > 0).then(|| Passage {
            hash: hash(&letters),
            beginning,
            weight,
            is_cut,
            is_dated: digits >= DATE_DIGITS_MIN,
        })
    }
}

fn hash(letters: &str) -> u32 {
    xxh3_64(letters.as_bytes()) as u32
}

fn is_cjk(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str) -> Vec<u32> {
        passages(text).iter().map(|passage| passage.hash).collect()
    }

    #[test]
    fn what_stands_around_sentences_changes_nothing() {
        let page = hashes("The ship came late. It left again!\nOld Harbour");
        assert_eq!(page.len(), 3);
        assert_eq!(
            page,
            hashes("the ship came late.\n\nIt  left again\nOLD HARBOUR")
        );
        assert_eq!(
            page,
            hashes("The ship came late. | It left again: Old Harbour")
        );
        let chinese = hashes("船来得很晚。它又走了！\n旧港口");
        assert_eq!(chinese.len(), 3);
        assert_eq!(chinese, hashes("船来得很晚；它又走了？旧港口"));
        assert_eq!(hashes("作者：张三"), hashes("作者 | 张三"));
    }

    #[test]
    fn times_and_numbers_are_one_passage_and_weigh_nothing() {
        assert_eq!(hashes("At 08:15 for 29.90").len(), 1);
        assert_eq!(passages("At 08:15 for 29.90")[0].weight, 5);
        assert!(passages("2024-05-01 | 08:15").is_empty());
        assert_ne!(hashes("At 08:15"), hashes("At 08:16"));
        assert!(passages(" … \n --- ").is_empty());
    }

    #[test]
    fn who_wrote_something_and_when_is_a_note() {
        let is_note = |text: &str| passages(text)[0].is_note();
        assert!(is_note("数据库服务器发表于 2021-03-04 10:22"));
        assert!(is_note(
            "Posted by the harbour master on 3 May 2021 at 10h22"
        ));
        assert!(!is_note("Posted by the harbour master of the town"));
        assert!(!is_note(
            "On 3 May 2021 at 10h22 the ship came late, and left with the tide of the morning"
        ));
        assert!(is_note("Tides"));
    }

    #[test]
    fn a_text_that_breaks_off_begins_like_the_whole() {
        let whole = "The harbour board met at the old mill on the third of May and left";
        let [cut] = &passages(&format!("{}...", &whole[..64]))[..] else {
            panic!("one passage");
        };
        let [all] = &passages(whole)[..] else {
            panic!("one passage");
        };
        assert!(cut.is_cut && !all.is_cut);
        assert_eq!(
            (cut.beginning, cut.beginning.is_some()),
            (all.beginning, true)
        );
        assert_ne!(cut.hash, all.hash);
        // An ellipsis amid a sentence cuts nothing off.
        assert!(
            !passages("He waited… and left")
                .iter()
                .any(|passage| passage.is_cut)
        );
    }
}
