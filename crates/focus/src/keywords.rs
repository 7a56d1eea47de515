//! The keywords of a topic: parsed once, found in words, counted by field.
//!
//! A keyword in Latin letters also matches its inflections: "mathematics" finds "mathematical", and
//! "Africa" finds "African" ([`crate::inflections`]).
//!
//! Accents may be left out on either side, and the signs of a name count: the keyword `C++` is found in neither
//! `C` nor `C#`, while `C` is found in all of them, as in a search.
//!
//! Chinese has no spaces, and a dictionary cuts 锂电池 as one word and 固态电池 as two. So a keyword in Han
//! characters is found within a longer word as well, where it is a word's end if it is one character (红茶 is
//! a tea, 水平 no water), and across words where it begins and ends with one of them: 重大学术 has no 大学.

use segment::{Script, Segmenter, Signs, Word, Words, without_accents};
use xxhash_rust::xxh3::xxh3_64;

use crate::inflections::{INFLECTION_PREFIX_BYTES, are_inflections};
use crate::topic_config::{TopicConfig, TopicError};
use crate::url_parts::clip;

/// Keywords of one topic; further ones are ignored.
const KEYWORDS_MAX: usize = 64;
/// Keywords that a link is looked through for: a link keeps one bit for each.
const LINK_KEYWORDS_MAX: usize = 32;
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
    /// Its words in one, where all are in Han characters.
    han: Option<String>,
    pub(crate) weight: f32,
    /// It rules pages out.
    pub(crate) excluded: bool,
}

#[derive(Debug, Clone)]
struct KeywordWord {
    hash: u64,
    text: String,
    /// Without its accents.
    plain: String,
    /// The signs that make a name of it.
    signs: Signs,
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

/// A small Bloom filter over the keywords' first words, their prefixes, and the first characters of those in
/// Han. Most words of a page are in none of the sets, so no keyword need be compared with them.
#[derive(Debug, Clone, Copy, Default)]
struct FirstWordFilter {
    words: [u64; 4],
    prefixes: [u64; 4],
    characters: [u64; 4],
}

impl FirstWordFilter {
    fn of(list: &[Keyword]) -> FirstWordFilter {
        let mut filter = FirstWordFilter::default();
        for keyword in list {
            let first = &keyword.words[0];
            set(&mut filter.words, first.hash);
            if let Some(character) = keyword.han.as_ref().and_then(|text| text.chars().next()) {
                set(&mut filter.characters, character_hash(character));
            }
            for text in [&first.text, &first.plain] {
                if let (true, Some(prefix)) = (first.inflects, prefix_hash(text)) {
                    set(&mut filter.prefixes, prefix);
                }
                // Words shorter than a prefix are compared whole.
                set(&mut filter.words, xxh3_64(text.as_bytes()));
            }
        }
        filter
    }

    /// False when no keyword can begin with this word.
    fn may_match(&self, word: &Word<'_>) -> bool {
        if is_set(&self.words, word.hash) {
            return true;
        }
        match word.script {
            Script::Han => {
                let mut characters = word.text.chars();
                characters.any(|character| is_set(&self.characters, character_hash(character)))
            }
            _ => self.may_begin_with(word.text) || self.may_match_plain(word),
        }
    }

    fn may_begin_with(&self, word: &str) -> bool {
        prefix_hash(word).is_some_and(|prefix| is_set(&self.prefixes, prefix))
    }

    fn may_match_plain(&self, word: &Word<'_>) -> bool {
        let plain = (word.script == Script::Other).then(|| without_accents(word.text));
        plain.flatten().is_some_and(|plain| {
            self.may_begin_with(&plain) || is_set(&self.words, xxh3_64(plain.as_bytes()))
        })
    }
}

/// A hash of the first four bytes of a word, which all its inflections share.
fn prefix_hash(text: &str) -> Option<u64> {
    let first: &[u8; INFLECTION_PREFIX_BYTES] = text.as_bytes().first_chunk()?;
    Some(spread(u32::from_le_bytes(*first)))
}

fn character_hash(character: char) -> u64 {
    spread(u32::from(character))
}

fn spread(number: u32) -> u64 {
    u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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
        let plain = without_accents(&folded);
        let plain = plain.as_deref().unwrap_or(&folded);
        let has = |prefix: &str| folded.contains(prefix) || plain.contains(prefix);
        if missing.any(|(_, keyword)| keyword.prefixes().into_iter().any(has)) {
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

    /// The words of all keywords that are wanted, but for those of names with signs: `c` is not `C++`.
    pub(crate) fn wanted_words(&self) -> impl Iterator<Item = u64> + '_ {
        let wanted = self.list.iter().filter(|keyword| !keyword.excluded);
        let words = wanted.flat_map(|keyword| &keyword.words);
        words
            .filter(|word| word.signs.is_empty())
            .map(|word| word.hash)
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
        let is_han = words.iter().all(|word| word.script == Script::Han);
        let signs = |at| words.signs(at);
        let first = words.iter().take(PHRASE_WORDS_MAX).enumerate();
        let first = first.map(|(at, word)| KeywordWord {
            hash: word.hash,
            text: word.text.to_owned(),
            plain: without_accents(word.text).unwrap_or_else(|| word.text.to_owned()),
            signs: signs(at),
            inflects: word.script == Script::Other && signs(at).is_empty(),
        });
        let words: Vec<KeywordWord> = first.collect();
        let in_one = || words.iter().map(|word| word.text.as_str()).collect();
        Ok(Keyword {
            text: text.trim().trim_matches('"').to_owned(),
            han: is_han.then(in_one),
            words,
            weight,
            excluded,
        })
    }

    /// A text without these strings has no match of the keyword: how it begins, and how it does without accents.
    fn prefixes(&self) -> [&str; 2] {
        let first = &self.words[0];
        [&first.text, &first.plain].map(|text| match first.inflects {
            true => clip(text, INFLECTION_PREFIX_BYTES),
            false => text,
        })
    }

    /// Whether the keyword's words stand at a place. `first` is the word there.
    fn matches_at(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        if let Some(text) = &self.han {
            return stands_within(text, first) || stands_from(text, words, at);
        }
        self.words[0].matches(first, words, at)
            && self.words[1..].iter().enumerate().all(|(offset, wanted)| {
                let at = at + 1 + offset;
                words
                    .get(at)
                    .is_some_and(|word| wanted.matches(&word, words, at))
            })
    }
}

impl KeywordWord {
    /// Whether it is a word, which stands at a place of a text.
    fn matches(&self, word: &Word<'_>, words: &Words, at: usize) -> bool {
        if !self.signs.is_empty() {
            let is_word = self.hash == word.hash || self.is_plain(word, |a, b| a == b);
            let signs = || words.signs(at);
            return is_word
                && signs().before == self.signs.before
                && signs().behind == self.signs.behind;
        }
        self.hash == word.hash
            || (self.inflects
                && word.script == Script::Other
                && (are_inflections(&self.text, word.text)
                    || self.is_plain(word, |a, b| a == b || are_inflections(a, b))))
    }

    /// Whether it is a word once both are without accents; false where both have none.
    fn is_plain(&self, word: &Word<'_>, is_same: impl Fn(&str, &str) -> bool) -> bool {
        if word.text.is_ascii() && self.text == self.plain {
            return false;
        }
        let plain = without_accents(word.text);
        is_same(&self.plain, plain.as_deref().unwrap_or(word.text))
    }
}

/// Whether a keyword in Han characters stands in a word.
fn stands_within(keyword: &str, word: &Word<'_>) -> bool {
    let is_one = keyword.chars().nth(1).is_none();
    match is_one {
        true => word.text.ends_with(keyword),
        false => word.text.contains(keyword),
    }
}

/// Whether it is made of whole words from one on.
fn stands_from(keyword: &str, words: &Words, at: usize) -> bool {
    let mut rest = keyword;
    for at in at.. {
        let word = words.get(at);
        let Some(after) = word.and_then(|word| rest.strip_prefix(word.text)) else {
            return false;
        };
        if after.is_empty() {
            return true;
        }
        rest = after;
    }
    false
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
    fn a_keyword_in_han_is_found_however_the_dictionary_cuts_the_text() {
        let count = |keyword: &str, text: &str| {
            let config = TopicConfig {
                keywords: vec![keyword.into()],
                ..TopicConfig::default()
            };
            let keywords = Keywords::parse(&config).unwrap();
            let words = Segmenter::shared().words(text);
            let mut counts = keywords.no_counts();
            keywords.count(&words, words.len(), Field::Text, &mut counts);
            assert_eq!(
                keywords.mask_with_more(0, text) == 1,
                counts[0][1] > 0,
                "{text}"
            );
            counts[0][1]
        };
        for (keyword, text, times) in [
            ("电池", "锂电池、蓄电池和固态电池，也叫电池。", 4),
            ("電池", "锂电池很好", 1),
            ("大学", "他在北京大学学习", 1),
            ("大学", "这是重大学术问题", 0),
            ("机器学习", "机器学习很有用", 1),
            ("机器学习", "机器会学习", 0),
            ("茶", "红茶和绿茶都在茶馆", 2),
            ("水", "他的水平很高", 0),
            ("C++", "Ｃ＋＋程序和C++语言，C语言，C#", 2),
            ("c#", "C# and C++ and C, in C#-like F#", 2),
            (".NET", "Use .NET, ASP.NET or the net.", 1),
            ("C", "C, C++ and C#", 3),
            ("learn C++", "Learn C. Learn C++ now.", 1),
            ("café", "A cafe, two cafés and a coffee", 2),
            ("cafe", "A café in the cafes", 2),
            ("Łódź", "Lodz", 1),
            ("año", "ano, año, anno", 2),
        ] {
            assert_eq!(count(keyword, text), times, "{keyword} in {text}");
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
