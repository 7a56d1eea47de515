//! A piece of the text that shows why a page was found.
//!
//! The text's words are found again, those of the query are marked, and the piece is the
//! stretch of sentences that holds the most different ones. Chinese words are also matched as
//! rows of characters, as the search does, so what was found is what is marked. Places are byte
//! ranges: whoever shows the snippet colours or escapes as it likes.

use std::collections::HashSet;
use std::ops::Range;

use segment::{Script, Segmenter};

use crate::search::QueryWord;

/// The width of a snippet in columns; a Chinese character takes two.
const COLUMNS_MAX: usize = 220;

/// Only this much of a text is looked through, in bytes.
const TEXT_BYTES_MAX: usize = 512 << 10;

/// A text with the places to highlight.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snippet {
    /// The text. A cut within a sentence is marked by `…`.
    pub text: String,
    /// Byte ranges of `text` to highlight, in order and apart.
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

/// A word to mark.
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

/// A place in the text where a needle stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Match {
    range: Range<usize>,
    needle: usize,
}

/// The whole text, with its places.
pub(crate) fn highlight(text: &str, needles: &[Needle]) -> Snippet {
    let matches = matches(text, needles);
    cut(text, 0..text.len(), &matches)
}

/// The piece of the text that shows the most.
pub(crate) fn snippet(text: &str, needles: &[Needle]) -> Snippet {
    let mut end = text.len().min(TEXT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let matches = matches(text, needles);
    let range = best(text, &sentences(text), &matches);
    cut(text, range, &matches)
}

fn matches(text: &str, needles: &[Needle]) -> Vec<Match> {
    if needles.is_empty() || text.is_empty() {
        return Vec::new();
    }
    let words = Segmenter::shared().words(text);
    let mut matches = Vec::new();
    // Chinese characters with their places; `None` where something stands between.
    let mut row: Vec<Option<(char, Range<usize>)>> = Vec::new();
    let mut end = None;
    for word in words.iter() {
        let range = word.start as usize..word.end as usize;
        if word.script != Script::Han {
            let needle = needles
                .iter()
                .position(|needle| needle.word.text == word.text);
            matches.extend(needle.map(|needle| Match { range, needle }));
            continue;
        }
        if end != Some(word.start) {
            row.push(None);
        }
        end = Some(word.end);
        let source = &text[range.clone()];
        if source.chars().count() == word.text.chars().count() {
            let places = source.char_indices().map(|(at, character)| {
                let start = range.start + at;
                start..start + character.len_utf8()
            });
            row.extend(word.text.chars().zip(places).map(Some));
        } else {
            row.extend(
                word.text
                    .chars()
                    .map(|character| Some((character, range.clone()))),
            );
        }
    }
    for (number, needle) in needles.iter().enumerate() {
        if needle.characters.is_empty() {
            continue;
        }
        for window in row.windows(needle.characters.len()) {
            let same = window
                .iter()
                .zip(&needle.characters)
                .all(|(place, wanted)| {
                    place
                        .as_ref()
                        .is_some_and(|(character, _)| character == wanted)
                });
            if let (true, Some(Some((_, first))), Some(Some((_, last)))) =
                (same, window.first(), window.last())
            {
                matches.push(Match {
                    range: first.start..last.end,
                    needle: number,
                });
            }
        }
    }
    matches.sort_by_key(|found| (found.range.start, found.range.end));
    matches
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

/// The stretch of text with the most different needles, then the most matches, then the first.
fn best(text: &str, sentences: &[Range<usize>], matches: &[Match]) -> Range<usize> {
    let mut best = (0, 0, 0..0);
    for (first, sentence) in sentences.iter().enumerate() {
        let inside = within(matches, sentence);
        if inside.is_empty() && first > 0 {
            continue;
        }
        let start = start_within(text, sentence, inside);
        let range = grow(text, start, &sentences[first..]);
        let inside = within(matches, &range);
        let different = inside
            .iter()
            .map(|found| found.needle)
            .collect::<HashSet<_>>()
            .len();
        if best.2.is_empty() || (different, inside.len()) > (best.0, best.1) {
            best = (different, inside.len(), range);
        }
    }
    best.2
}

/// Where in a long sentence to begin: a little before its first match.
fn start_within(text: &str, sentence: &Range<usize>, matches: &[Match]) -> usize {
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

/// As many sentences from `start` on as fit; a first one that is too long is cut.
fn grow(text: &str, start: usize, sentences: &[Range<usize>]) -> Range<usize> {
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

fn within<'m>(matches: &'m [Match], range: &Range<usize>) -> &'m [Match] {
    let first = matches.partition_point(|found| found.range.start < range.start);
    let matches = &matches[first..];
    let count = matches.partition_point(|found| found.range.start < range.end);
    &matches[..count]
}

/// Cuts a range out, with white space made single and cuts within sentences marked.
fn cut(text: &str, range: Range<usize>, matches: &[Match]) -> Snippet {
    let mut marks = within(matches, &range)
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

fn is_end(character: char) -> bool {
    matches!(
        character,
        '。' | '！' | '？' | '；' | '…' | '”' | '」' | '』' | '.' | '!' | '?'
    ) || character.is_whitespace()
}

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
