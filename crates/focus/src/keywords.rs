//! The keywords of a topic: parsed once, found in words, counted by field.
//!
//! A keyword in Latin letters also matches its inflections: "mathematics" finds "mathematical", and
//! "Africa" finds "African". Two words count as one when they share a prefix that covers most of
//! both. A stemmer would be better for one language and wrong for the next.

use segment::{Script, Segmenter, Word, Words};

use crate::topic_config::{TopicConfig, TopicError};
use crate::url_parts::clip;

/// Keywords of one topic; further ones are ignored.
const KEYWORDS_MAX: usize = 64;
/// Keywords that a link is looked through for: a link keeps one bit for each.
const LINK_KEYWORDS_MAX: usize = 32;
/// Bytes at the beginning of a word that all its inflections share.
const INFLECTION_PREFIX_BYTES: usize = 4;
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
pub(crate) type KeywordCounts = Vec<[u16; 4]>;

/// A word or phrase to look for.
#[derive(Debug, Clone)]
pub(crate) struct Keyword {
    pub(crate) text: String,
    words: Vec<KeywordWord>,
    pub(crate) weight: f32,
    /// It rules pages out.
    pub(crate) excluded: bool,
}

#[derive(Debug, Clone)]
struct KeywordWord {
    hash: u64,
    text: String,
    /// Inflections of it match as well.
    inflects: bool,
}

/// The keywords and the wanted languages of a topic: its fixed part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keywords {
    pub(crate) list: Vec<Keyword>,
    languages: Vec<String>,
    first_words: FirstWordFilter,
}

/// A small Bloom filter over the keywords' first words and their prefixes. Most words of a page are
/// in neither set, so no keyword need be compared with them.
#[derive(Debug, Clone, Copy, Default)]
struct FirstWordFilter {
    words: [u64; 4],
    prefixes: [u64; 4],
}

impl FirstWordFilter {
    fn of(list: &[Keyword]) -> FirstWordFilter {
        let mut filter = FirstWordFilter::default();
        for keyword in list {
            let first = &keyword.words[0];
            set(&mut filter.words, first.hash);
            if let (true, Some(prefix)) = (first.inflects, prefix_hash(&first.text)) {
                set(&mut filter.prefixes, prefix);
            }
        }
        filter
    }

    /// False when no keyword can begin with this word.
    fn may_match(&self, word: &Word<'_>) -> bool {
        is_set(&self.words, word.hash)
            || prefix_hash(word.text).is_some_and(|prefix| is_set(&self.prefixes, prefix))
    }
}

/// A hash of the first four bytes of a word, which all its inflections share.
fn prefix_hash(text: &str) -> Option<u64> {
    let first: &[u8; INFLECTION_PREFIX_BYTES] = text.as_bytes().first_chunk()?;
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
        let languages = config.languages.iter();
        Ok(Keywords {
            first_words: FirstWordFilter::of(&list),
            list,
            languages: languages.map(|tag| primary_language(tag)).collect(),
        })
    }

    /// Whether there is a keyword to look for, beside those that rule pages out.
    pub(crate) fn has_wanted(&self) -> bool {
        self.list.iter().any(|keyword| !keyword.excluded)
    }

    /// The counts of a page on which no keyword stands.
    pub(crate) fn no_counts(&self) -> KeywordCounts {
        vec![[0; 4]; self.list.len()]
    }

    /// Whether a language is known and not among the wanted ones.
    pub(crate) fn is_unwanted_language(&self, lang: Option<&str>) -> bool {
        match lang {
            Some(lang) if !self.languages.is_empty() => {
                !self.languages.contains(&primary_language(lang))
            }
            _ => false,
        }
    }

    /// The keywords of `mask` and those in a short text, as [`Keywords::mask`] gives them. The text
    /// is cut into words only when it has the beginning of a keyword that is not in `mask` yet.
    pub(crate) fn mask_with_more(&self, mask: u32, text: &str) -> u32 {
        let mut missing = self
            .link_keywords()
            .filter(|(number, _)| mask & 1 << number == 0)
            .peekable();
        if missing.peek().is_none() {
            return mask;
        }
        let folded = segment::fold(text);
        if missing.any(|(_, keyword)| folded.contains(keyword.prefix())) {
            mask | self.mask(&Segmenter::shared().words(text))
        } else {
            mask
        }
    }

    /// Which of the first 32 keywords stand in a few words: one bit each.
    pub(crate) fn mask(&self, words: &Words) -> u32 {
        let mut mask = 0;
        for (at, word) in words.iter().enumerate() {
            if !self.first_words.may_match(&word) {
                continue;
            }
            for (number, keyword) in self.link_keywords() {
                if keyword.matches_at(words, at, &word) {
                    mask |= 1 << number;
                }
            }
        }
        mask
    }

    /// Counts the keywords among the first `words_max` words of a field.
    pub(crate) fn count(
        &self,
        words: &Words,
        words_max: usize,
        field: Field,
        counts: &mut KeywordCounts,
    ) {
        if self.list.is_empty() {
            return;
        }
        for (at, word) in words.iter().take(words_max).enumerate() {
            if !self.first_words.may_match(&word) {
                continue;
            }
            for (keyword, counts) in self.list.iter().zip(counts.iter_mut()) {
                if keyword.matches_at(words, at, &word) {
                    let count = &mut counts[field as usize];
                    *count = count.saturating_add(1);
                }
            }
        }
    }

    /// The same, but for keywords that rule pages out.
    pub(crate) fn count_wanted(
        &self,
        words: &Words,
        words_max: usize,
        field: Field,
        counts: &mut KeywordCounts,
    ) {
        let mut more = self.no_counts();
        self.count(words, words_max, field, &mut more);
        let keywords = self.list.iter().zip(counts).zip(more);
        for ((_, counts), more) in keywords.filter(|((keyword, _), _)| !keyword.excluded) {
            let count = &mut counts[field as usize];
            *count = count.saturating_add(more[field as usize]);
        }
    }

    /// The words of all keywords that are wanted.
    pub(crate) fn wanted_words(&self) -> impl Iterator<Item = u64> + '_ {
        let wanted = self.list.iter().filter(|keyword| !keyword.excluded);
        wanted.flat_map(|keyword| keyword.words.iter().map(|word| word.hash))
    }

    /// The keywords that a link is looked through for, with their numbers.
    pub(crate) fn link_keywords(&self) -> impl Iterator<Item = (usize, &Keyword)> {
        self.list.iter().take(LINK_KEYWORDS_MAX).enumerate()
    }
}

impl Keyword {
    fn parse(source: &str) -> Result<Keyword, TopicError> {
        let trimmed = source.trim();
        // A Chinese keyboard writes the signs full-width.
        let (excluded, rest) = match trimmed.strip_prefix(['-', '－']) {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let (text, weight) = match rest.rsplit_once(['^', '＾']) {
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
        let words = words.iter().take(PHRASE_WORDS_MAX).map(|word| KeywordWord {
            hash: word.hash,
            text: word.text.to_owned(),
            inflects: word.script == Script::Other,
        });
        Ok(Keyword {
            text: text.trim().trim_matches('"').to_owned(),
            words: words.collect(),
            weight,
            excluded,
        })
    }

    /// A text without this string has no match of the keyword.
    fn prefix(&self) -> &str {
        let first = &self.words[0];
        match first.inflects {
            true => clip(&first.text, INFLECTION_PREFIX_BYTES),
            false => &first.text,
        }
    }

    /// Whether the keyword's words stand at a place. `first` is the word there.
    fn matches_at(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        self.words[0].matches(first)
            && self.words[1..].iter().enumerate().all(|(offset, wanted)| {
                words
                    .get(at + 1 + offset)
                    .is_some_and(|word| wanted.matches(&word))
            })
    }
}

impl KeywordWord {
    fn matches(&self, word: &Word<'_>) -> bool {
        self.hash == word.hash
            || (self.inflects
                && word.script == Script::Other
                && differ_in_endings(&self.text, word.text))
    }
}

/// Whether two words differ in their endings only.
fn differ_in_endings(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shorter = a.len().min(b.len());
    let longer = a.len().max(b.len());
    if shorter < INFLECTION_PREFIX_BYTES
        || a[..INFLECTION_PREFIX_BYTES] != b[..INFLECTION_PREFIX_BYTES]
    {
        return false;
    }
    let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    if a.len() < 5 {
        return shared == a.len() && longer == shared + 1 && b[shared] == b's';
    }
    shared + 2 >= a.len() && shared * 5 >= longer * 3
}

fn primary_language(tag: &str) -> String {
    tag.split(['-', '_'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_matches_its_inflections_and_no_other_words() {
        for (a, b) in [
            ("mathematics", "mathematical"),
            ("biology", "biological"),
            ("african", "africa"),
            ("railway", "railways"),
            ("postgresql", "postgres"),
            ("food", "foods"),
        ] {
            assert!(differ_in_endings(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("geography", "geology"),
            ("cell", "cello"),
            ("oracle", "orange"),
            ("music", "muse"),
        ] {
            assert!(!differ_in_endings(a, b), "{a} {b}");
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
        let keyword = Keyword::parse("－死锁＾３").unwrap_err();
        assert_eq!(keyword, TopicError::Weight("－死锁＾３".into()));
        let keyword = Keyword::parse("－死锁＾3").unwrap();
        assert_eq!((keyword.excluded, keyword.weight), (true, 3.0));
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
