//! The keywords of a topic: parsed once, found in words, counted by field.
//!
//! A keyword in letters also matches the forms of its words: "city" finds "cities", "mathematics" finds
//! "mathematical", and "Africa" finds "African". How it is written does not matter: "e-mail" is "email", "U.S." is
//! "US" ([`crate::keyword_word`]). An abbreviation in capitals that would be a common word, or a word of one or two
//! letters, is asked for in capitals: "IT".
//!
//! Accents may be left out on either side, and the signs of a name count: the keyword `C++` is found in neither
//! `C` nor `C#`, while `C` is found in all of them, as in a search.
//!
//! Chinese has no spaces, and a dictionary cuts 锂电池 as one word and 固态电池 as two. So a keyword in Han
//! characters is found within a longer word as well. Across words it is found wherever it stands if it has
//! three characters or two words (量子计算 in 量子计算机); one word of two characters must begin and end with a word:
//! 重大学术 has no 大学. For one of one character see [`crate::one_character`].

mod first_words;
#[cfg(test)]
mod tests;

use segment::{Script, Segmenter, Tongue, Word, Words, without_accents};

use crate::common_words::is_common;
use crate::keyword_word::{
    Capitals, KeywordWord, capitals_of, hashes_of, is_without_signs, leave_joins_out, parts_of,
};
use crate::one_character::{Stands, stands_for};
use crate::topic_config::{TopicConfig, TopicError};
use first_words::FirstWordFilter;

/// Keywords of one topic; further ones are ignored.
pub(crate) const KEYWORDS_MAX: usize = 64;
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
    /// The beginning of the text.
    Beginning = 4,
    /// The part of the text, as long as a beginning, in which the keyword stands most often.
    Densest = 5,
}

/// How often each keyword stands in each field.
pub(crate) type KeywordCounts = Vec<[u16; 6]>;

/// A word or phrase to look for.
#[derive(Debug, Clone)]
pub(crate) struct Keyword {
    pub(crate) text: String,
    words: Vec<KeywordWord>,
    /// Hashes of its words as they stand in texts.
    hashes: Vec<u64>,
    /// All of them in one, where they are in letters, and its forms: "e-mail" in "emails".
    in_one: Option<KeywordWord>,
    /// All of them in one, where all are in Han characters.
    han: Option<Han>,
    pub(crate) weight: f32,
    /// It rules pages out.
    pub(crate) excluded: bool,
}

/// A keyword in Han characters.
#[derive(Debug, Clone)]
struct Han {
    text: String,
    /// It has one character.
    is_one: bool,
    /// It is found wherever it stands in the running text.
    runs_on: bool,
}

/// The keywords and the wanted languages of a topic: its fixed part.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keywords {
    pub(crate) list: Vec<Keyword>,
    languages: Vec<String>,
    first_words: FirstWordFilter,
}

fn counted(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
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
        vec![[0; 6]; self.list.len()]
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
        let mut folded = segment::fold(text);
        // An e-mail is an email.
        leave_joins_out(&mut folded);
        if missing.any(|(_, keyword)| keyword.may_stand_in(&folded)) {
            mask | self.mask(&Segmenter::shared().words(text))
        } else {
            mask
        }
    }

    /// Which of the first 32 keywords stand in a few words: one bit each.
    pub(crate) fn mask(&self, words: &Words) -> u32 {
        let mut mask = 0;
        for (at, word) in words.iter().enumerate() {
            if !self.first_words.may_match(&word, words, at, None) {
                continue;
            }
            for (number, keyword) in self.link_keywords() {
                if keyword.stands_at(words, at, &word, None) == Stands::Surely {
                    mask |= 1 << number;
                }
            }
        }
        mask
    }

    /// Counts the keywords among the first `words_max` words of a field of a page in some language.
    pub(crate) fn count(
        &self,
        words: &Words,
        words_max: usize,
        field: Field,
        page: Option<Tongue>,
        counts: &mut KeywordCounts,
    ) {
        let places = self.places(words, words_max, page, counts);
        for (places, counts) in places.iter().zip(counts) {
            let count = &mut counts[field as usize];
            *count = count.saturating_add(counted(places.len()));
        }
    }

    /// Counts the keywords among the first `words_max` words of a main text: in all of it, among its
    /// first `part_words`, and in the densest part of so many.
    pub(crate) fn count_text(
        &self,
        words: &Words,
        words_max: usize,
        part_words: usize,
        page: Option<Tongue>,
        counts: &mut KeywordCounts,
    ) {
        let places = self.places(words, words_max, page, counts);
        for (places, counts) in places.iter().zip(counts) {
            let before = |end: usize| places.partition_point(|&at| at < end);
            let parts = places.iter().enumerate();
            let densest = parts.map(|(first, at)| before(at + part_words) - first);
            counts[Field::Text as usize] = counted(places.len());
            counts[Field::Beginning as usize] = counted(before(part_words));
            counts[Field::Densest as usize] = counted(densest.max().unwrap_or(0));
        }
    }

    /// Where each keyword stands among the first `words_max` words, in order: surely, and perhaps if it stands
    /// surely there or elsewhere on the page.
    fn places(
        &self,
        words: &Words,
        words_max: usize,
        page: Option<Tongue>,
        counts: &KeywordCounts,
    ) -> Vec<Vec<usize>> {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); self.list.len()];
        if self.list.is_empty() {
            return places;
        }
        let mut doubtful: Vec<(usize, usize)> = Vec::new();
        for (at, word) in words.iter().take(words_max).enumerate() {
            if !self.first_words.may_match(&word, words, at, page) {
                continue;
            }
            for (number, keyword) in self.list.iter().enumerate() {
                match keyword.stands_at(words, at, &word, page) {
                    Stands::Surely => places[number].push(at),
                    Stands::Perhaps => doubtful.push((number, at)),
                    Stands::Not => {}
                }
            }
        }
        let is_sure = |number: usize| counts[number].iter().any(|&count| count > 0);
        let sure: Vec<bool> = (0..places.len())
            .map(|number| is_sure(number) || !places[number].is_empty())
            .collect();
        for (number, at) in doubtful.into_iter().filter(|&(number, _)| sure[number]) {
            places[number].push(at);
        }
        for places in &mut places {
            places.sort_unstable();
        }
        places
    }

    /// The same, but for keywords that rule pages out.
    pub(crate) fn count_wanted(
        &self,
        words: &Words,
        words_max: usize,
        field: Field,
        page: Option<Tongue>,
        counts: &mut KeywordCounts,
    ) {
        let mut more = self.no_counts();
        self.count(words, words_max, field, page, &mut more);
        let keywords = self.list.iter().zip(counts).zip(more);
        for ((_, counts), more) in keywords.filter(|((keyword, _), _)| !keyword.excluded) {
            let count = &mut counts[field as usize];
            *count = count.saturating_add(more[field as usize]);
        }
    }

    /// The words of all keywords that are wanted, but for those of names with signs: `c` is not `C++`.
    pub(crate) fn wanted_words(&self) -> impl Iterator<Item = u64> + '_ {
        let wanted = self.list.iter().filter(|keyword| !keyword.excluded);
        wanted.flat_map(|keyword| keyword.hashes.iter().copied())
    }

    /// The keywords that a link is looked through for, with their numbers.
    pub(crate) fn link_keywords(&self) -> impl Iterator<Item = (usize, &Keyword)> {
        self.list.iter().take(LINK_KEYWORDS_MAX).enumerate()
    }
}

impl Keyword {
    pub(crate) fn parse(source: &str) -> Result<Keyword, TopicError> {
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
        let count = words.len().min(PHRASE_WORDS_MAX);
        let is_han = words.iter().all(|word| word.script == Script::Han);
        let first = words.iter().take(count).enumerate();
        let hashes = first
            .filter(|(at, _)| words.signs(*at).is_empty())
            .map(|(_, word)| word.hash)
            .collect();
        let words: Vec<KeywordWord> = keyword_words(&words, count);
        let in_one: String = words.iter().map(|word| word.text.as_str()).collect();
        Ok(Keyword {
            text: text.trim().trim_matches('"').to_owned(),
            han: is_han.then(|| Han {
                is_one: in_one.chars().count() == 1,
                runs_on: words.len() > 1 || in_one.chars().count() > 2,
                text: in_one.clone(),
            }),
            in_one: (words.len() > 1 && words.iter().all(KeywordWord::may_be_joined))
                .then(|| KeywordWord::new(&in_one, Script::Other, Capitals::Any)),
            words,
            hashes,
            weight,
            excluded,
        })
    }

    /// What whoever gives the keyword should know of it.
    pub(crate) fn doubt(&self) -> Option<&'static str> {
        let is_one_character = self.han.as_ref().is_some_and(|han| han.is_one);
        let [word] = self.words.as_slice() else {
            return None;
        };
        if word.is_in_capitals_only() {
            return Some("counts in capitals alone, since it is a common word in small letters");
        }
        if is_common(&word.text) {
            return Some("is among the commonest words of a language, so that most pages have it");
        }
        is_one_character.then_some(
            "has one character, which stands in words of other meanings as well: give the words that you mean",
        )
    }

    /// Hashes of what a text may write in one of the beginning of the keyword: "fulltext" of "full-text search",
    /// "x86_64" of "x86-64".
    fn beginnings_in_one(&self) -> Vec<u64> {
        if self.in_one.is_none() {
            return Vec::new();
        }
        let texts: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        let beginnings = (2..=texts.len()).flat_map(|end| {
            let words = &texts[..end];
            ["", "_", ".", ":"].map(|sign| words.join(sign))
        });
        hashes_of(&beginnings.collect::<Vec<_>>())
    }

    /// False when the keyword does not stand in a folded text, of which blanks, hyphens and points were left out.
    fn may_stand_in(&self, text: &str) -> bool {
        let plain = without_accents(text);
        let texts = [text, plain.as_deref().unwrap_or(text)];
        let mut beginnings = self.words[0].beginnings().iter();
        beginnings.any(|beginning| texts.iter().any(|text| text.contains(beginning)))
    }

    /// Whether the keyword's words stand at a place. `first` is the word there.
    fn stands_at(
        &self,
        words: &Words,
        at: usize,
        first: &Word<'_>,
        page: Option<Tongue>,
    ) -> Stands {
        let stands = match &self.han {
            Some(han) if han.is_one => return stands_for(&han.text, first.text),
            Some(han) => han.stands_at(words, at, first),
            None => self.follows_from(words, at, first, page),
        };
        match stands {
            true => Stands::Surely,
            false => Stands::Not,
        }
    }

    /// Whether the keyword's words follow each other from a place on, however they are written.
    fn follows_from(
        &self,
        words: &Words,
        at: usize,
        first: &Word<'_>,
        page: Option<Tongue>,
    ) -> bool {
        if begin_otherwise(&self.words[0].text, first.text) {
            return false;
        }
        let (mut at, mut number) = (at, 0);
        let mut word = *first;
        loop {
            let wanted = &self.words[number];
            if self.matches(number, (&word, at), words, page) {
                (at, number) = (at + 1, number + 1);
            } else if let Some(taken) = self.count_in_one(number, &word) {
                (at, number) = (at + 1, number + taken);
            } else if let Some(pieces) = wanted.pieces_at(&word, words, at) {
                (at, number) = (at + pieces, number + 1);
            } else {
                return false;
            }
            if number == self.words.len() {
                return true;
            }
            let Some(next) = words.get(at) else {
                return false;
            };
            word = next;
        }
    }

    /// Whether its word of a number is the word at a place. The first and the last one in Han characters, as in
    /// 3D打印, may be part of a longer word.
    fn matches(
        &self,
        number: usize,
        (word, at): (&Word<'_>, usize),
        words: &Words,
        page: Option<Tongue>,
    ) -> bool {
        let wanted = &self.words[number];
        let is_han = wanted.script == Script::Han;
        wanted.matches(word, words, at, page)
            || (is_han && number == 0 && word.text.ends_with(&wanted.text))
            || (is_han
                && number + 1 == self.words.len()
                && words.text_from(at).starts_with(&wanted.text))
    }

    /// How many of its words from one on a text has written in one.
    fn count_in_one(&self, number: usize, word: &Word<'_>) -> Option<usize> {
        let in_one = self.in_one.as_ref()?;
        if !word.text.starts_with(&self.words[number].text) {
            return None;
        }
        if number == 0 && in_one.forms().binary_search(&word.hash).is_ok() {
            return Some(self.words.len());
        }
        let mut text = self.words[number].text.clone();
        (number + 1..self.words.len()).find_map(|next| {
            text.push_str(&self.words[next].text);
            is_without_signs(word.text, &text).then_some(next + 1 - number)
        })
    }
}

impl Han {
    fn stands_at(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        first.text.contains(&self.text)
            || stands_from(&self.text, words, at)
            || (self.runs_on && self.begins_within(words, at, first))
    }

    /// Whether it stands in the running text from some character of a word on.
    fn begins_within(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        let text = words.text_from(at);
        let mut starts = first.text.char_indices();
        starts.any(|(start, _)| text[start..].starts_with(&self.text))
    }
}

/// Whether words begin with two letters of ASCII, or two that no form of a word changes in Cyrillic or Devanagari: then
/// they are no forms of each other.
fn begin_otherwise(a: &str, b: &str) -> bool {
    let stays = |c: char| match c {
        'е' | 'ё' | 'и' | 'й' | 'і' | 'ї' => false,
        'а'..='\u{52f}' | '\u{915}'..='\u{939}' => true,
        _ => false,
    };
    match (a.chars().next(), b.chars().next()) {
        (Some(a), Some(b)) => a != b && (a.is_ascii() && b.is_ascii() || stays(a) && stays(b)),
        _ => false,
    }
}

/// The words of a keyword, cut at the signs within them.
fn keyword_words(words: &Words, count: usize) -> Vec<KeywordWord> {
    // Who writes HOW TO COOK FISH means no abbreviations.
    let is_loud = count > 1 && (0..count).all(|at| words.is_in_capitals(at));
    let mut all = Vec::new();
    for (at, word) in words.iter().take(count).enumerate() {
        if word.script != Script::Other {
            all.push(KeywordWord::new(word.text, word.script, Capitals::Any));
            continue;
        }
        let signs = words.signs(at);
        if !signs.is_empty() {
            all.push(KeywordWord::of_name(word.text, signs));
            continue;
        }
        for part in parts_of(word.text) {
            let capitals = match words.is_in_capitals(at) && !is_loud {
                true => capitals_of(&part),
                false => Capitals::Any,
            };
            all.push(KeywordWord::new(&part, word.script, capitals));
        }
    }
    all
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
