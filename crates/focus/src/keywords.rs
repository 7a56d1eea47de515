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

use segment::{Script, Segmenter, Word, Words, without_accents};

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
            if !self.first_words.may_match(&word, words, at) {
                continue;
            }
            for (number, keyword) in self.link_keywords() {
                if keyword.stands_at(words, at, &word) == Stands::Surely {
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
        for (places, counts) in self.places(words, words_max, counts).iter().zip(counts) {
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
        counts: &mut KeywordCounts,
    ) {
        for (places, counts) in self.places(words, words_max, counts).iter().zip(counts) {
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
    fn places(&self, words: &Words, words_max: usize, counts: &KeywordCounts) -> Vec<Vec<usize>> {
        let mut places: Vec<Vec<usize>> = vec![Vec::new(); self.list.len()];
        if self.list.is_empty() {
            return places;
        }
        let mut doubtful: Vec<(usize, usize)> = Vec::new();
        for (at, word) in words.iter().take(words_max).enumerate() {
            if !self.first_words.may_match(&word, words, at) {
                continue;
            }
            for (number, keyword) in self.list.iter().enumerate() {
                match keyword.stands_at(words, at, &word) {
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
    fn stands_at(&self, words: &Words, at: usize, first: &Word<'_>) -> Stands {
        let stands = match &self.han {
            Some(han) if han.is_one => return stands_for(&han.text, first.text),
            Some(han) => han.stands_at(words, at, first),
            None => self.follows_from(words, at, first),
        };
        match stands {
            true => Stands::Surely,
            false => Stands::Not,
        }
    }

    /// Whether the keyword's words follow each other from a place on, however they are written.
    fn follows_from(&self, words: &Words, at: usize, first: &Word<'_>) -> bool {
        if begin_otherwise(&self.words[0].text, first.text) {
            return false;
        }
        let (mut at, mut number) = (at, 0);
        let mut word = *first;
        loop {
            let wanted = &self.words[number];
            if self.matches(number, &word, words, at) {
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
    fn matches(&self, number: usize, word: &Word<'_>, words: &Words, at: usize) -> bool {
        let wanted = &self.words[number];
        let is_han = wanted.script == Script::Han;
        wanted.matches(word, words, at)
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

/// Whether words begin with two letters of ASCII: then they are no forms of each other.
fn begin_otherwise(a: &str, b: &str) -> bool {
    match (a.as_bytes(), b.as_bytes()) {
        ([a, ..], [b, ..]) => a != b && a.is_ascii() && b.is_ascii(),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a keyword stands in a text.
    #[track_caller]
    fn count(keyword: &str, text: &str) -> u16 {
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
            "{keyword} in {text}"
        );
        counts[0][1]
    }

    #[test]
    fn a_keyword_in_han_is_found_however_the_dictionary_cuts_the_text() {
        for (keyword, text, times) in [
            ("电池", "锂电池、蓄电池和固态电池，也叫电池。", 4),
            ("電池", "锂电池很好", 1),
            ("大学", "他在北京大学学习", 1),
            ("大学", "这是重大学术问题", 0),
            ("机器学习", "机器学习很有用", 1),
            ("机器学习", "机器会学习", 0),
            ("量子计算", "量子计算机，量子计算", 2),
            ("C++", "Ｃ＋＋程序和C++语言，C语言，C#", 2),
            ("c#", "C# and C++ and C, in C#-like F#", 2),
            (".NET", "Use .NET, ASP.NET or the net.", 1),
            ("C", "C, C++ and C#", 3),
            ("learn C++", "Learn C. Learn C++ now.", 1),
            ("café", "A cafe, two cafés and a coffee", 2),
            ("cafe", "A café in the cafes", 2),
            ("Łódź", "Lodz", 1),
            ("año", "ano, año, anno", 2),
            ("固态电池", "全固态电池和半固态电池", 2),
            ("新能源汽车", "新能源汽车销量", 1),
            ("会计", "社会计划", 0),
            ("3D打印", "用3D打印机，也叫3D 打印", 2),
            ("维生素C", "复合维生素C", 1),
            ("C语言", "C语言学，C 语言", 2),
        ] {
            assert_eq!(count(keyword, text), times, "{keyword} in {text}");
        }
    }

    #[test]
    fn one_character_is_found_in_words_that_are_of_it() {
        for (keyword, text, times) in [
            ("茶", "红茶和绿茶都在茶馆", 3),
            ("茶", "茶叶", 1),
            ("水", "他的水平很高", 0),
            ("水", "水平很高，水很深", 2),
            ("象", "对象和现象给人的印象", 0),
            ("象", "大象", 1),
            ("米", "三厘米", 0),
            ("鸟", "鸟类的迁徙", 1),
            ("药", "药物", 1),
        ] {
            assert_eq!(count(keyword, text), times, "{keyword} in {text}");
        }
    }

    #[test]
    fn a_keyword_is_found_however_it_is_written() {
        for (keyword, text, times) in [
            (
                "email",
                "E-mail, e-mails, an e\u{2010}mail, emails; e mail",
                4,
            ),
            ("e-mail", "Email, emails, e-mails", 3),
            ("fulltext", "full text, full-text, full texts, FullText", 4),
            ("full-text search", "Fulltext search, full text searches", 2),
            ("full text search", "a fulltext-search", 1),
            ("website", "web site, Web sites", 2),
            ("today", "to day", 0),
            ("nowhere", "now here", 0),
            ("wifi", "Wi-Fi, WiFi", 2),
            ("wi-fi", "wifi", 1),
            ("b-tree", "Btree, B-trees, btrees", 3),
            ("btree", "a B-tree", 1),
            ("x86-64", "x86_64, x86-64, x86 64", 3),
            ("x86_64", "x86-64", 1),
            ("Node.js", "NodeJS, node.js, Node JS", 3),
            ("nodejs", "Node.js, node-js", 2),
            ("v2.0", "v20, v2.0", 1),
            ("3.14", "314 or 3.14", 1),
            ("mouse", "Mice, mouse's, mousse", 2),
            ("city", "cities, city's, cite", 2),
        ] {
            assert_eq!(count(keyword, text), times, "{keyword} in {text}");
        }
    }

    #[test]
    fn an_abbreviation_that_would_be_a_common_word_is_asked_for_in_capitals() {
        for (keyword, text, times) in [
            (
                "US",
                "Let us go. The US and the U.S. Senate. LET US GO. uss",
                3,
            ),
            ("U.S.", "Let us go to the US", 1),
            ("IT", "It is it, and its ITs. IT jobs", 2),
            ("us", "Let us go to the US", 2),
            ("AI", "J’ai, ai; Ai. AI, A.I.", 2),
            ("AI", "the ai", 1),
            ("A.I.", "Of AI", 1),
            ("PC", "Two PCs, a PC, a pc", 2),
            ("SQL", "Sql, sql, SQL", 3),
            ("UNIX", "Unix", 1),
            ("HOW TO COOK FISH", "how to cook fish", 1),
            ("IT jobs", "it jobs, IT jobs", 1),
        ] {
            assert_eq!(count(keyword, text), times, "{keyword} in {text}");
        }
    }

    #[test]
    fn keywords_that_most_pages_have_are_in_doubt() {
        let doubt = |keyword: &str| Keyword::parse(keyword).unwrap().doubt();
        for keyword in ["it", "IT", "US^2", "-the", "我们", "茶", "U.S."] {
            assert!(doubt(keyword).is_some(), "{keyword}");
        }
        for keyword in ["AI", "SQL", "car", "the law", "红茶", "R"] {
            assert_eq!(doubt(keyword), None, "{keyword}");
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
