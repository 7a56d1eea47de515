//! The keywords: parsed once, found in words, counted by field.
//!
//! A Latin keyword also matches its inflections ("mathematics" finds "mathematical", "Africa"
//! finds "African"): two words are one when they share a prefix that covers most of both. A
//! stemmer would be better for one language and wrong for the next.

use segment::{Script, Segmenter, Word, Words};

use crate::promise::clip;
use crate::topic::{TopicConfig, TopicError};

/// Keywords of one topic that are looked at.
const KEYWORDS_MAX: usize = 64;
/// Bytes at the beginning of a word that all its inflections share.
const INFLECTED_ALIKE: usize = 4;
/// Words of one phrase.
const PHRASE_WORDS_MAX: usize = 8;

/// Where on a page a keyword stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Title = 0,
    Text = 1,
    Url = 2,
    Label = 3,
}

/// How often each keyword stands in each field.
pub(crate) type Matches = Vec<[u16; 4]>;

#[derive(Debug, Clone)]
pub(crate) struct Keyword {
    pub(crate) text: String,
    words: Vec<(u64, String, bool)>,
    pub(crate) weight: f32,
    pub(crate) excluded: bool,
}

/// The fixed part of a topic: what the user said in words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keywords {
    pub(crate) list: Vec<Keyword>,
    languages: Vec<String>,
    beginnings: Beginnings,
}

/// What the keywords' first words begin with, by a few bits of a hash: most words of a page begin like
/// none of them, and need no closer look.
#[derive(Debug, Clone, Copy, Default)]
struct Beginnings {
    words: [u64; 4],
    letters: [u64; 4],
}

impl Beginnings {
    fn of(list: &[Keyword]) -> Beginnings {
        let mut beginnings = Beginnings::default();
        for keyword in list {
            let (hash, text, inflects) = &keyword.words[0];
            set(&mut beginnings.words, *hash);
            if let (true, Some(letters)) = (*inflects, letters(text)) {
                set(&mut beginnings.letters, letters);
            }
        }
        beginnings
    }

    /// False when no keyword can stand where this word does.
    fn may_be(&self, word: &Word<'_>) -> bool {
        is_set(&self.words, word.hash)
            || letters(word.text).is_some_and(|letters| is_set(&self.letters, letters))
    }
}

/// The first four bytes of a word, scattered: what two inflections of it share.
fn letters(text: &str) -> Option<u64> {
    let first: &[u8; 4] = text.as_bytes().first_chunk()?;
    Some(u64::from(u32::from_le_bytes(*first)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn set(bits: &mut [u64; 4], hash: u64) {
    bits[(hash >> 62) as usize] |= 1 << (hash >> 56 & 63);
}

fn is_set(bits: &[u64; 4], hash: u64) -> bool {
    bits[(hash >> 62) as usize] & 1 << (hash >> 56 & 63) != 0
}

impl Keywords {
    pub(crate) fn parse(config: &TopicConfig) -> Result<Keywords, TopicError> {
        let list = config
            .keywords
            .iter()
            .take(KEYWORDS_MAX)
            .map(|source| Keyword::parse(source))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Keywords {
            beginnings: Beginnings::of(&list),
            list,
            languages: config.languages.iter().map(|tag| primary(tag)).collect(),
        })
    }

    pub(crate) fn none(&self) -> Matches {
        vec![[0; 4]; self.list.len()]
    }

    pub(crate) fn foreign(&self, lang: Option<&str>) -> bool {
        match lang {
            Some(lang) if !self.languages.is_empty() => !self.languages.contains(&primary(lang)),
            _ => false,
        }
    }

    /// Which of the first 32 keywords stand in a short text, as [`Keywords::mask`] says, if they are
    /// not all `known`. A text with the beginning of no other keyword in it is not cut into words.
    pub(crate) fn mask_beside(&self, known: u32, text: &str) -> u32 {
        let wanted = |(number, _): &(usize, &Keyword)| known & 1 << number == 0;
        let mut wanted = self
            .list
            .iter()
            .take(32)
            .enumerate()
            .filter(wanted)
            .peekable();
        if wanted.peek().is_none() {
            return known;
        }
        let folded = segment::fold(text);
        if wanted.any(|(_, keyword)| folded.contains(keyword.beginning())) {
            known | self.mask(&Segmenter::shared().words(text))
        } else {
            known
        }
    }

    /// Which of the first 32 keywords stand in a few words: one bit each.
    pub(crate) fn mask(&self, words: &Words) -> u32 {
        let mut mask = 0;
        for (at, word) in words.iter().enumerate() {
            if !self.beginnings.may_be(&word) {
                continue;
            }
            for (number, keyword) in self.list.iter().take(32).enumerate() {
                if keyword.stands_at(words, at, &word) {
                    mask |= 1 << number;
                }
            }
        }
        mask
    }

    /// Counts the keywords among the first `words_max` words of a field.
    pub(crate) fn find(&self, words: &Words, words_max: usize, field: Field, into: &mut Matches) {
        if self.list.is_empty() {
            return;
        }
        for (at, word) in words.iter().take(words_max).enumerate() {
            if !self.beginnings.may_be(&word) {
                continue;
            }
            for (keyword, counts) in self.list.iter().zip(into.iter_mut()) {
                if keyword.stands_at(words, at, &word) {
                    let count = &mut counts[field as usize];
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}

impl Keyword {
    fn parse(source: &str) -> Result<Keyword, TopicError> {
        let trimmed = source.trim();
        let (excluded, rest) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let (text, weight) = match rest.rsplit_once('^') {
            Some((text, number)) => {
                let weight: f32 = number.trim().parse().unwrap_or(0.0);
                if !(weight > 0.0 && weight <= 100.0) {
                    return Err(TopicError::Weight(source.to_owned()));
                }
                (text, weight)
            }
            None => (rest, 1.0),
        };
        let words = Segmenter::shared().words(text);
        if words.is_empty() {
            return Err(TopicError::NoWord(source.to_owned()));
        }
        Ok(Keyword {
            text: text.trim().trim_matches('"').to_owned(),
            words: words
                .iter()
                .take(PHRASE_WORDS_MAX)
                .map(|word| {
                    (
                        word.hash,
                        word.text.to_owned(),
                        word.script == Script::Other,
                    )
                })
                .collect(),
            weight,
            excluded,
        })
    }

    /// What a text must have in it for the keyword to stand there.
    fn beginning(&self) -> &str {
        let (_, first, inflects) = &self.words[0];
        match *inflects {
            true => clip(first, INFLECTED_ALIKE),
            false => first,
        }
    }

    fn stands_at(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        same_word(&self.words[0], first)
            && self.words[1..].iter().enumerate().all(|(offset, wanted)| {
                words
                    .get(at + 1 + offset)
                    .is_some_and(|word| same_word(wanted, &word))
            })
    }
}

fn same_word(wanted: &(u64, String, bool), word: &Word<'_>) -> bool {
    wanted.0 == word.hash
        || (wanted.2 && word.script == Script::Other && inflected(&wanted.1, word.text))
}

/// Whether two words differ in their endings only.
fn inflected(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shorter = a.len().min(b.len());
    let longer = a.len().max(b.len());
    if shorter < INFLECTED_ALIKE || a[..INFLECTED_ALIKE] != b[..INFLECTED_ALIKE] {
        return false;
    }
    let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    if a.len() < 5 {
        return shared == a.len() && longer == shared + 1 && b[shared] == b's';
    }
    shared + 2 >= a.len() && shared * 5 >= longer * 3
}

fn primary(tag: &str) -> String {
    tag.split(['-', '_'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_finds_its_inflections_and_no_strangers() {
        for (a, b) in [
            ("mathematics", "mathematical"),
            ("biology", "biological"),
            ("african", "africa"),
            ("railway", "railways"),
            ("postgresql", "postgres"),
            ("food", "foods"),
        ] {
            assert!(inflected(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("geography", "geology"),
            ("cell", "cello"),
            ("oracle", "orange"),
            ("music", "muse"),
        ] {
            assert!(!inflected(a, b), "{a} {b}");
        }
    }

    #[test]
    fn weights_and_exclusions_are_read_from_the_keyword() {
        let keyword = Keyword::parse("query planner^2.5").unwrap();
        assert_eq!(
            (keyword.words.len(), keyword.weight, keyword.excluded),
            (2, 2.5, false)
        );
        assert!(Keyword::parse("-java").unwrap().excluded);
        assert_eq!(
            Keyword::parse("sql^0").unwrap_err(),
            TopicError::Weight("sql^0".into())
        );
        assert_eq!(
            Keyword::parse(" - ").unwrap_err(),
            TopicError::NoWord(" - ".into())
        );
    }
}
