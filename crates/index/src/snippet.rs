//! A snippet: a piece of the text that shows why a page was found.
//!
//! The text is cut into words again, and those of the query are its matches. The snippet is the
//! stretch of sentences with the most different matches. A phrase in quotes is one of them (see `phrase`). Chinese words are also matched character by
//! character, as the search does, so whatever made the page a hit is highlighted. Highlights are byte
//! ranges; whoever shows the snippet escapes and colours it.

use std::collections::HashMap;
use std::ops::Range;

use segment::{Script, Segmenter, Word, Words, without_accents, without_article};

use crate::forms::{name_with_signs, parts_in_query, parts_in_text};
use crate::phrase::{Phrase, atoms};
use crate::query::{Part, QueryWord};

/// The width of a snippet in columns; a Chinese character takes two.
const COLUMNS_MAX: usize = 220;

/// Bytes of a text that are looked through.
const TEXT_BYTES_MAX: usize = 512 << 10;

/// A text with its matches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The text. A cut within a sentence is marked by `…`.
    pub text: String,
    /// Byte ranges of `text` to highlight, in order, without overlap.
    pub highlights: Vec<Range<usize>>,
}

impl Snippet {
    /// The text with `open` and `close` around each highlight. Nothing is escaped.
    pub fn marked(&self, open: &str, close: &str) -> String {
        let mut marked = String::with_capacity(self.text.len() + self.highlights.len() * 16);
        let mut at = 0;
        for highlight in &self.highlights {
            marked.push_str(&self.text[at..highlight.start]);
            marked.push_str(open);
            marked.push_str(&self.text[highlight.clone()]);
            marked.push_str(close);
            at = highlight.end;
        }
        marked.push_str(&self.text[at..]);
        marked
    }
}

/// A word to highlight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needle {
    word: QueryWord,
    characters: Vec<char>,
}

impl Needle {
    pub(crate) fn new(word: QueryWord) -> Needle {
        let characters = match word.script {
            Script::Han => word.text.chars().collect(),
            Script::Kana | Script::Hangul | Script::Thai | Script::Number | Script::Other => {
                Vec::new()
            }
        };
        Needle { word, characters }
    }
}

/// What is to be highlighted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needles {
    /// Words by themselves.
    pub(crate) words: Vec<Needle>,
    phrases: Vec<Phrase>,
}

impl Needles {
    /// Adds what stands in quotes: its words as one needle.
    pub(crate) fn add_phrase(&mut self, part: &Part, words: Vec<QueryWord>) {
        let words = words.into_iter().map(Needle::new);
        match words.len() {
            0 | 1 => self.words.extend(words),
            _ => {
                let atoms = atoms(&part.text, &Segmenter::shared().words(&part.text));
                self.phrases.push(Phrase::new(atoms, words.collect()));
            }
        }
    }

    /// The words of the phrases, for a text in which nothing else is found.
    fn of_phrases(&self) -> Needles {
        let words = self.phrases.iter().flat_map(|phrase| &phrase.words);
        Needles {
            words: words.cloned().collect(),
            phrases: Vec::new(),
        }
    }

    /// Whether a match is a phrase.
    fn is_phrase(&self, found: &Match) -> bool {
        found.needle >= self.words.len()
    }
}

/// A place in the text where a needle stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Match {
    range: Range<usize>,
    /// The words are numbered first, then the phrases.
    needle: usize,
}

/// The whole text, with its matches.
pub(crate) fn highlight(text: &str, needles: &Needles) -> Snippet {
    let matches = matches(text, needles);
    cut_out(text, 0..text.len(), &matches)
}

/// The piece of the text with the most different matches. The words of a phrase are marked by themselves only where
/// nothing else is found in the text.
pub(crate) fn snippet(text: &str, needles: &Needles) -> Snippet {
    let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
    let found = matches(text, needles);
    let of_phrases = needles.of_phrases();
    let (needles, matches) = match found.is_empty() {
        true => (&of_phrases, matches(text, &of_phrases)),
        false => (needles, found),
    };
    let sentences = joined(sentences(text), &matches);
    let range = best_range(text, &sentences, &matches, needles);
    cut_out(text, range, &matches)
}

/// Where the needles stand in a text, in order.
fn matches(text: &str, needles: &Needles) -> Vec<Match> {
    let is_empty = needles.words.is_empty() && needles.phrases.is_empty();
    if is_empty || text.is_empty() {
        return Vec::new();
    }
    let words = Segmenter::shared().words(text);
    let mut matches = matches_of_words(text, &words, &needles.words);
    if !needles.phrases.is_empty() {
        let atoms = atoms(text, &words);
        for (number, phrase) in needles.phrases.iter().enumerate() {
            let needle = needles.words.len() + number;
            let places = phrase.places(text, &atoms).into_iter();
            matches.extend(places.map(|range| Match { range, needle }));
        }
    }
    matches.sort_by_key(|found| (found.range.start, found.range.end));
    matches
}

/// Where words stand by themselves.
fn matches_of_words(text: &str, words: &Words, needles: &[Needle]) -> Vec<Match> {
    let mut matches = Vec::new();
    if needles.is_empty() {
        return matches;
    }
    let mut row = CharacterRow::new();
    let mut end = None;
    for word in words.iter() {
        if word.script == Script::Han {
            if end != Some(word.start) {
                row.push(None);
            }
            end = Some(word.end);
            push_characters(&mut row, text, &word);
            continue;
        }
        matches.extend(match_of(text, &word, needles));
    }
    for (number, needle) in needles.iter().enumerate() {
        let ranges = character_matches(&row, &needle.characters);
        matches.extend(ranges.map(|range| Match {
            range,
            needle: number,
        }));
    }
    matches
}

/// The needle that a word is in one of its forms, and where it stands.
fn match_of(text: &str, word: &Word<'_>, needles: &[Needle]) -> Option<Match> {
    let needle_of = |form: &str| needles.iter().position(|needle| needle.word.text == form);
    let forms = || {
        without_accents(word.text)
            .into_iter()
            .chain(without_article(word.text))
    };
    let plain = || forms().find_map(|form| needle_of(&form));
    if let Some(needle) = needle_of(word.text).or_else(plain) {
        let range = word.start as usize..word.end as usize;
        return Some(Match { range, needle });
    }
    let name = name_with_signs(text, word);
    let named = name.and_then(|(name, range)| Some((range, needle_of(&name)?)));
    named
        .map(|(range, needle)| Match { range, needle })
        .or_else(|| match_in_parts(text, word, needles))
}

/// The first needle that is part of a longer word, and where it stands in the word.
fn match_in_parts(text: &str, word: &Word<'_>, needles: &[Needle]) -> Option<Match> {
    let parts: Vec<&str> = parts_in_text(word.text).collect();
    if parts.is_empty() {
        return None;
    }
    let whole = word.start as usize..word.end as usize;
    let offset = |part: &str| part.as_ptr() as usize - word.text.as_ptr() as usize;
    needles.iter().enumerate().find_map(|(needle, wanted)| {
        let wanted: Vec<&str> = parts_in_query(&wanted.word.text).collect();
        let is_part = |part: &str, wanted: &str| {
            part == wanted || without_accents(part).is_some_and(|plain| plain == wanted)
        };
        let found = parts.windows(wanted.len().max(1)).find(|parts| {
            let mut pairs = parts.iter().zip(&wanted);
            !wanted.is_empty() && pairs.all(|(part, wanted)| is_part(part, wanted))
        })?;
        let (first, last) = (found.first()?, found.last()?);
        let folded = offset(first)..offset(last) + last.len();
        let range = source_range(&text[whole.clone()], word.text, folded);
        let range = range.map_or(whole.clone(), |at| {
            whole.start + at.start..whole.start + at.end
        });
        Some(Match { range, needle })
    })
}

/// The range of a source that a range of its folded form is; `None` where folding changed the number of characters.
pub(crate) fn source_range(
    source: &str,
    folded: &str,
    range: Range<usize>,
) -> Option<Range<usize>> {
    let place = |at: usize| {
        let characters = folded[..at].chars().count();
        let mut places = source.char_indices().map(|(at, _)| at);
        places.nth(characters).unwrap_or(source.len())
    };
    let is_alike = source.chars().count() == folded.chars().count();
    is_alike.then(|| place(range.start)..place(range.end))
}

/// The Chinese characters of a text with their places; `None` where something else stands between.
type CharacterRow = Vec<Option<(char, Range<usize>)>>;

/// Adds the characters of a word. Where folding has changed their number, each has the place of the
/// whole word.
fn push_characters(row: &mut CharacterRow, text: &str, word: &Word<'_>) {
    let range = word.start as usize..word.end as usize;
    let source = &text[range.clone()];
    let characters = word.text.chars();
    if source.chars().count() == word.text.chars().count() {
        let places = source.char_indices().map(|(at, character)| {
            let start = range.start + at;
            start..start + character.len_utf8()
        });
        row.extend(characters.zip(places).map(Some));
    } else {
        row.extend(characters.map(|character| Some((character, range.clone()))));
    }
}

/// Where a needle's characters stand side by side.
fn character_matches(row: &CharacterRow, wanted: &[char]) -> impl Iterator<Item = Range<usize>> {
    // A needle without characters is matched by its word alone; windows have at least one.
    let windows = row.windows(wanted.len().max(1));
    windows.filter_map(move |window| {
        let is_match = !wanted.is_empty()
            && window.iter().zip(wanted).all(|(place, wanted)| {
                let character = place.as_ref().map(|(character, _)| character);
                character == Some(wanted)
            });
        let (first, last) = (window.first()?.as_ref()?, window.last()?.as_ref()?);
        is_match.then_some(first.1.start..last.1.end)
    })
}

/// Sentences as byte ranges that together are the text.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map(|&(_, next)| next);
        let ends = match character {
            '。' | '！' | '？' | '；' | '\n' | '…' => !matches!(
                next,
                Some('”' | '」' | '』' | '’' | '）' | '。' | '！' | '？' | '…')
            ),
            '”' | '」' | '』' => text[start..at].ends_with(['。', '！', '？']),
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            let end = at + character.len_utf8();
            sentences.push(start..end);
            start = end;
        }
    }
    if start < text.len() {
        sentences.push(start..text.len());
    }
    sentences
}

/// Sentences, with those that a match reaches across as one.
fn joined(sentences: Vec<Range<usize>>, matches: &[Match]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(sentences.len());
    let mut matches = matches.iter().peekable();
    // How far the matches reach that begin before the sentence.
    let mut reach = 0;
    for sentence in sentences {
        while let Some(before) = matches.next_if(|found| found.range.start < sentence.start) {
            reach = reach.max(before.range.end);
        }
        match joined.last_mut().filter(|_| reach > sentence.start) {
            Some(last) => last.end = sentence.end,
            None => joined.push(sentence),
        }
    }
    joined
}

/// The stretch of sentences with the most different phrases; of equals the most different needles, then the most
/// matches, then the first.
fn best_range(
    text: &str,
    sentences: &[Range<usize>],
    matches: &[Match],
    needles: &Needles,
) -> Range<usize> {
    let mut best = ((0, 0, 0), 0..0);
    for (first, sentence) in sentences.iter().enumerate() {
        let inside = matches_within(matches, sentence);
        if inside.is_empty() && first > 0 {
            continue;
        }
        let start = start_in_sentence(text, sentence, inside);
        let range = sentences_that_fit(text, start, &sentences[first..]);
        let inside = matches_within(matches, &range);
        let different: HashMap<usize, bool> = inside
            .iter()
            .map(|found| (found.needle, needles.is_phrase(found)))
            .collect();
        let phrases = different.values().filter(|is_phrase| **is_phrase).count();
        let worth = (phrases, different.len(), inside.len());
        if best.1.is_empty() || worth > best.0 {
            best = (worth, range);
        }
    }
    best.1
}

/// Where to begin in a sentence: at its beginning, or in a long one a little before its first match.
fn start_in_sentence(text: &str, sentence: &Range<usize>, matches: &[Match]) -> usize {
    let Some(first) = matches.first() else {
        return sentence.start;
    };
    if columns(&text[sentence.start..first.range.end]) <= COLUMNS_MAX * 2 / 3 {
        return sentence.start;
    }
    let mut width = 0;
    let before = text[sentence.start..first.range.start].char_indices().rev();
    let mut start = first.range.start;
    for (at, character) in before {
        width += column_count(character);
        if width > COLUMNS_MAX / 4 {
            break;
        }
        start = sentence.start + at;
    }
    // Not within a word of letters.
    let rest = &text[start..first.range.start];
    let skip = rest.find(|character: char| !character.is_ascii_alphanumeric());
    match skip {
        Some(skip) if text[..start].ends_with(|last: char| last.is_ascii_alphanumeric()) => {
            start + skip
        }
        Some(_) | None => start,
    }
}

/// The sentences from `start` on that fit into a snippet; a first one that is too long is cut.
fn sentences_that_fit(text: &str, start: usize, sentences: &[Range<usize>]) -> Range<usize> {
    let mut end = start;
    for sentence in sentences {
        if columns(&text[start..sentence.end]) > COLUMNS_MAX {
            break;
        }
        end = sentence.end;
    }
    if end > start {
        return start..end;
    }
    let limit = sentences.first().map_or(start, |sentence| sentence.end);
    let mut width = 0;
    let mut word_end = start;
    for (at, character) in text[start..limit].char_indices() {
        width += column_count(character);
        if width > COLUMNS_MAX {
            break;
        }
        end = start + at + character.len_utf8();
        if !character.is_ascii_alphanumeric() {
            word_end = end;
        }
    }
    // Not within a word of letters, unless that is all there is.
    match word_end > start + (end - start) / 2 {
        true => start..word_end,
        false => start..end,
    }
}

/// The matches that begin in a range.
fn matches_within<'m>(matches: &'m [Match], range: &Range<usize>) -> &'m [Match] {
    let first = matches.partition_point(|found| found.range.start < range.start);
    let matches = &matches[first..];
    let count = matches.partition_point(|found| found.range.start < range.end);
    &matches[..count]
}

/// The snippet of a range: white space becomes single spaces, and `…` marks a cut within a sentence.
fn cut_out(text: &str, range: Range<usize>, matches: &[Match]) -> Snippet {
    let mut marks = matches_within(matches, &range)
        .iter()
        .map(|found| found.range.start..found.range.end.min(range.end))
        .peekable();
    let mut snippet = Snippet::default();
    if text[..range.start].ends_with(|last: char| !is_end(last)) {
        snippet.text.push('…');
    }
    let mut open: Option<(usize, usize)> = None;
    for (at, character) in text[range.clone()].char_indices() {
        let at = range.start + at;
        if let Some((start, end)) = open.filter(|&(_, end)| at >= end) {
            push_highlight(&mut snippet, start);
            open = None;
            debug_assert!(end <= at);
        }
        while let Some(mark) = marks.next_if(|mark| mark.start <= at) {
            let start = open.map_or(snippet.text.len(), |(start, _)| start);
            let end = open.map_or(mark.end, |(_, end)| end.max(mark.end));
            open = Some((start, end));
        }
        if !character.is_whitespace() {
            snippet.text.push(character);
        } else if !snippet.text.is_empty() && !snippet.text.ends_with(' ') {
            snippet.text.push(' ');
        }
    }
    if let Some((start, _)) = open {
        push_highlight(&mut snippet, start);
    }
    let trimmed = snippet.text.trim_end().len();
    snippet.text.truncate(trimmed);
    snippet
        .highlights
        .retain(|highlight| highlight.end <= trimmed);
    if text[range.end..].chars().next().is_some() && !text[..range.end].ends_with(is_end) {
        snippet.text.push('…');
    }
    snippet
}

/// Adds a highlight from `start` to the end of the text so far, joined with one that ends there.
fn push_highlight(snippet: &mut Snippet, start: usize) {
    let end = start + snippet.text[start..].trim_end().len();
    if end <= start {
        return;
    }
    match snippet.highlights.last_mut() {
        Some(last) if last.end == start => last.end = end,
        Some(_) | None => snippet.highlights.push(start..end),
    }
}

/// Whether a sentence or a word can end with this character.
fn is_end(character: char) -> bool {
    matches!(
        character,
        '。' | '！' | '？' | '；' | '…' | '”' | '」' | '』' | '.' | '!' | '?'
    ) || character.is_whitespace()
}

/// The width of a text in columns of a terminal.
fn columns(text: &str) -> usize {
    text.chars().map(column_count).sum()
}

fn column_count(character: char) -> usize {
    match character {
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}
