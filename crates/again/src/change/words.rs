//! A text as words: lines, their words, and what stands between two words.
//!
//! Chinese and Japanese are taken by character. A web or mail address is one word, a path another, and so is
//! a number with its point, so that `3.5` is not two figures. The copyright sign is a word that weighs nothing.

use std::ops::Range;

/// A Chinese character in words, as `segment` counts words over prose.
const HAN_WORDS: f64 = 0.6;

/// Lines of each text that are compared one by one; what follows them is compared as one line.
pub(super) const LINES_MAX: usize = 4_000;

/// A line with a word in it.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) source: &'a str,
    pub(super) words: Vec<Word>,
}

/// A word.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// In lower case.
    pub(super) text: String,
    /// What stands between it and the word before it.
    pub(super) gap: Gap,
    /// A number that stands by itself: no part of a name, a version or a date.
    pub(super) is_figure: bool,
    /// A sign of money or of a share stands at the number.
    pub(super) is_signed: bool,
    /// A colon stands before it: the value of a label begins.
    pub(super) is_value: bool,
    /// It stands in a command: a line behind a prompt.
    pub(super) is_command: bool,
}

/// What stands before a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing that parts sentences.
    Plain,
    /// A comma, or another mark between the items of a list.
    Comma,
    /// The sign between a setting and its value.
    Equals,
    /// A bar or another mark between the items of a menu.
    Bar,
    /// The end of a sentence, or the beginning of the line.
    Stop,
}

impl Line<'_> {
    /// Its words, as one text.
    pub(super) fn key(&self) -> String {
        let words: Vec<&str> = self.words.iter().map(|word| word.text.as_str()).collect();
        words.join(" ")
    }

    pub(super) fn weight(&self) -> f64 {
        self.words.iter().map(|word| weight(&word.text)).sum()
    }
}

/// The lines of a text that have words.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line = match lines.len() {
            LINES_MAX => rest,
            _ => rest.split_inclusive('\n').next().unwrap_or(rest),
        };
        rest = &rest[line.len()..];
        let words = words(line);
        if !words.is_empty() {
            let source = line.trim();
            lines.push(Line { source, words });
        }
    }
    lines
}

/// The words of a line.
pub(super) fn words(line: &str) -> Vec<Word> {
    let mut reader = Reader {
        words: Vec::new(),
        gap: Gap::Stop,
        is_value: false,
        is_command: PROMPTS
            .iter()
            .any(|prompt| line.trim_start().starts_with(prompt)),
    };
    let mut read = 0;
    for address in Addresses::of(line) {
        reader.read(&line[read..address.start]);
        read = address.end;
        reader.push(line[address].to_lowercase(), false, false);
    }
    reader.read(&line[read..]);
    reader.words
}

/// What stands before a command.
const PROMPTS: &[&str] = &["$ ", "PS> ", "C:\\>"];

struct Reader {
    words: Vec<Word>,
    gap: Gap,
    is_value: bool,
    is_command: bool,
}

impl Reader {
    fn read(&mut self, text: &str) {
        let mut rest = text;
        let mut before = ' ';
        while let Some(c) = rest.chars().next() {
            let length = match c {
                _ if is_han(c) => c.len_utf8(),
                _ if c.is_ascii_digit() => number_length(rest),
                _ if c.is_alphanumeric() => 0,
                _ => {
                    self.part(before, c, &rest[c.len_utf8()..]);
                    (before, rest) = (c, &rest[c.len_utf8()..]);
                    continue;
                }
            };
            // Letters and digits in one are a word: `x86`, `5th`.
            let is_name = |c: char| c.is_alphanumeric() && !is_han(c);
            let length = match rest[length..].find(|c: char| !is_name(c)) {
                _ if is_han(c) => length,
                Some(more) => length + more,
                None => rest.len(),
            };
            let (word, after) = rest.split_at(length);
            let is_number = word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || b".,".contains(&byte));
            let is_one = word.matches('.').count() < 2;
            let is_figure = is_number && is_one && may_precede(before) && may_follow(after);
            let is_signed =
                SIGNS.contains(before) || after.starts_with(|sign| SIGNS.contains(sign));
            self.push(word.to_lowercase(), is_figure, is_figure && is_signed);
            before = word.chars().next_back().unwrap_or(' ');
            rest = after;
        }
    }

    fn push(&mut self, text: String, is_figure: bool, is_signed: bool) {
        self.words.push(Word {
            text,
            gap: std::mem::replace(&mut self.gap, Gap::Plain),
            is_figure,
            is_signed,
            is_value: std::mem::take(&mut self.is_value),
            is_command: self.is_command,
        });
    }

    /// A mark between two words.
    fn part(&mut self, before: char, mark: char, after: &str) {
        let ends = after.chars().next().is_none_or(char::is_whitespace);
        match mark {
            '|' | '·' | '•' | '»' | '›' | '¦' | '｜' => self.gap = Gap::Bar,
            '。' | '！' | '？' => self.gap = Gap::Stop,
            '©' => self.push(COPYRIGHT.to_owned(), false, false),
            '：' => self.is_value = true,
            ':' if ends => self.is_value = true,
            '、' | '，' | '；' if self.gap == Gap::Plain => self.gap = Gap::Comma,
            ',' | ';' if ends && self.gap == Gap::Plain => self.gap = Gap::Comma,
            // A comparison has no value.
            '=' if self.gap == Gap::Plain && !"<>!=".contains(before) => self.gap = Gap::Equals,
            '=' if self.gap == Gap::Equals => self.gap = Gap::Plain,
            '.' | '!' | '?' if ends && self.gap == Gap::Plain => self.gap = Gap::Stop,
            _ => {}
        }
    }
}

/// The digits at the beginning, with points and commas between digits.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut length = 0;
    while digit(length) || matches!(bytes.get(length), Some(b'.' | b',')) && digit(length + 1) {
        length += 1;
    }
    length
}

/// Signs of money and of shares.
const SIGNS: &str = "$€£¥￥%％‰°";

/// Whether a figure may stand behind this.
fn may_precede(before: char) -> bool {
    before.is_whitespace() || is_han(before) || "(（$€£¥￥，。、；：".contains(before)
}

/// Whether a figure may stand before this.
fn may_follow(after: &str) -> bool {
    let mut marks = after.chars();
    match marks.next() {
        None => true,
        Some(mark) if mark.is_whitespace() || is_han(mark) => true,
        Some(mark) if SIGNS.contains(mark) || ")），。、；|".contains(mark) => true,
        Some('.' | ',' | ';' | ':') => marks.next().is_none_or(char::is_whitespace),
        Some(_) => false,
    }
}

/// The web addresses, paths and mail addresses of a line, in order. Each is one word.
struct Addresses<'l> {
    line: &'l str,
    /// Up to here it was read.
    read: usize,
    /// The next one of each kind of [`KINDS`]. It is searched again where another one reaches into it: so
    /// the time grows with the line's length and no faster, whatever stands in it.
    next: [Option<Range<usize>>; 3],
}

/// Finds the first address of a kind.
type FirstIn = fn(&str) -> Option<Range<usize>>;

const KINDS: [FirstIn; 3] = [url_in, path_in, mail_in];

impl<'l> Addresses<'l> {
    fn of(line: &'l str) -> Self {
        Self {
            line,
            read: 0,
            next: KINDS.map(|first_in| first_in(line)),
        }
    }
}

impl Iterator for Addresses<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = self.read;
        for (first_in, next) in KINDS.iter().zip(&mut self.next) {
            if next.as_ref().is_some_and(|next| next.start < read) {
                let found = first_in(&self.line[read..]);
                *next = found.map(|found| read + found.start..read + found.end);
            }
        }
        let first = self.next.iter().flatten().min_by_key(|next| next.start)?;
        self.read = first.end;
        Some(first.clone())
    }
}

/// The first mail address: `name@host.example`.
fn mail_in(line: &str) -> Option<Range<usize>> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "_.+-".contains(c);
    let mut from = 0;
    while let Some(at) = line[from..].find('@').map(|at| from + at) {
        let name = line[..at].rfind(|c: char| !is_inside(c));
        let begin = name.map_or(0, |name| {
            name + line[name..].chars().next().map_or(1, char::len_utf8)
        });
        let host = line[at + 1..].find(|c: char| !is_inside(c));
        let end = host.map_or(line.len(), |host| at + 1 + host);
        let host = line[at + 1..end].trim_end_matches('.');
        if begin < at && host.contains('.') {
            return Some(begin..at + 1 + host.len());
        }
        from = at + 1;
    }
    None
}

/// The first path of three parts or more: `Documentation/admin-guide/mm/concepts.rst`.
fn path_in(line: &str) -> Option<Range<usize>> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
    let mut begin = 0;
    for run in line.split_inclusive(|c: char| !is_inside(c)) {
        let path = run.trim_end_matches(|c: char| !is_inside(c));
        let parts = path.split('/').filter(|part| !part.is_empty()).count();
        // A date has no letters, and a choice of words (`and/or`) two parts.
        if parts >= 3 && path.bytes().any(|byte| byte.is_ascii_lowercase()) && !run.ends_with(':') {
            return Some(begin..begin + path.len());
        }
        begin += run.len();
    }
    None
}

fn url_in(line: &str) -> Option<Range<usize>> {
    let sign = line.find("://")?;
    let is_scheme = |c: char| c.is_ascii_alphabetic();
    let begin = line[..sign].rfind(|c: char| !is_scheme(c)).map_or(0, |at| {
        at + line[at..].chars().next().map_or(1, char::len_utf8)
    });
    let is_inside = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '\'' | '`');
    let end = line[sign..].find(|c: char| !is_inside(c));
    Some(begin..end.map_or(line.len(), |at| sign + at))
}

/// Han and kana: written without spaces.
pub(super) fn is_han(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// The copyright sign.
pub(super) const COPYRIGHT: &str = "©";

/// What a word weighs: nothing for a number.
pub(super) fn weight(word: &str) -> f64 {
    match word.chars().next() {
        _ if is_number(word) || word == COPYRIGHT => 0.0,
        Some(c) if is_han(c) => HAN_WORDS,
        _ => 1.0,
    }
}

/// Whether digits stand in a word.
pub(super) fn is_number(word: &str) -> bool {
    word.chars().any(char::is_numeric) && !is_address(word)
}

/// Whether a word is a web address, a mail address or a path.
pub(super) fn is_address(word: &str) -> bool {
    word.contains(['/', '@'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        words(line).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn an_address_is_cut_wherever_it_stands() {
        assert_eq!(
            texts("见https://a.example/路径和(ftp://B.example/x) 等 ://"),
            [
                "见",
                "https://a.example/",
                "路",
                "径",
                "和",
                "ftp://b.example/x)",
                "等",
                "://"
            ]
        );
    }

    #[test]
    fn addresses_take_turns_in_the_order_of_the_line() {
        assert_eq!(
            texts(
                "a@b.example/x/y/z http://c.example/?a@d.example @ e/f/g @h.example i@j.example."
            ),
            [
                "a@b.example",
                "/x/y/z",
                "http://c.example/?a@d.example",
                "e/f/g",
                "h",
                "example",
                "i@j.example"
            ]
        );
    }

    /// What each kind is searched in is as long as the line, whatever the others find: else this would
    /// take hours.
    #[test]
    fn a_line_of_a_megabyte_is_read_in_one_go() {
        for part in ["a/b/c @ ", "a/b/c ", "@a.b", "a@b.c ", "://", "/", "a@"] {
            let line = part.repeat((1 << 20) / part.len());
            assert!(!words(&line).is_empty() || !part.contains('a'), "{part}");
        }
    }

    #[test]
    fn a_path_is_one_word_and_a_choice_or_a_date_is_none() {
        assert_eq!(
            texts(
                "see Documentation/admin-guide/mm/concepts.rst. and/or 2024/05/12 http://a.example/b/c/d"
            ),
            [
                "see",
                "documentation/admin-guide/mm/concepts.rst.",
                "and",
                "or",
                "2024",
                "05",
                "12",
                "http://a.example/b/c/d"
            ]
        );
    }

    #[test]
    fn a_number_is_one_word_with_its_point_and_a_name_with_its_digits() {
        assert_eq!(
            texts("by 3.5 or 1,000.25, x86, 5th; v1.2.3 5."),
            [
                "by", "3.5", "or", "1,000.25", "x86", "5th", "v1", "2.3", "5"
            ]
        );
    }

    #[test]
    fn figures_stand_by_themselves() {
        let figures = |line: &str| -> Vec<String> {
            let words = words(line).into_iter();
            words
                .filter(|word| word.is_figure)
                .map(|word| word.text)
                .collect()
        };
        assert_eq!(
            figures("3 to 3.5 degrees, $40 (7 %), 共有12个，"),
            ["3", "3.5", "40", "7", "12"]
        );
        let none: [&str; 0] = [];
        assert_eq!(
            figures("2024-05-12 ubuntu:18.04 1.2.3 10/12 x=5 08:30 #844 5th"),
            none
        );
    }

    #[test]
    fn what_stands_between_words_is_kept() {
        let gaps = |line| -> Vec<Gap> { words(line).into_iter().map(|word| word.gap).collect() };
        use Gap::{Bar, Comma, Equals, Plain, Stop};
        assert_eq!(
            gaps("One two. Three | four v1.2"),
            [Stop, Plain, Stop, Bar, Plain, Plain]
        );
        assert_eq!(
            gaps("a, b、c mode = \"1\" x=2"),
            [Stop, Comma, Comma, Plain, Equals, Plain, Equals]
        );
    }

    #[test]
    fn a_mail_address_is_one_word() {
        assert_eq!(
            texts("写信给Some.One+x@a.example. or @b a@b"),
            [
                "写",
                "信",
                "给",
                "some.one+x@a.example",
                "or",
                "b",
                "a",
                "b"
            ]
        );
    }
}
