//! A text as words: lines, their words, and what stands between two words.
//!
//! Chinese and Japanese are taken by character. A web or mail address is one word, a path another, and so is
//! a number with its point, so that `3.5` is not two figures. The copyright sign is a word that weighs nothing.

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
        is_command: PROMPTS
            .iter()
            .any(|prompt| line.trim_start().starts_with(prompt)),
    };
    let mut rest = line;
    while let Some((before, address, after)) = cut_address(rest) {
        reader.read(before);
        reader.push(address.to_lowercase(), false);
        rest = after;
    }
    reader.read(rest);
    reader.words
}

/// What stands before a command.
const PROMPTS: &[&str] = &["$ ", "PS> ", "C:\\>"];

struct Reader {
    words: Vec<Word>,
    gap: Gap,
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
            self.push(word.to_lowercase(), is_figure);
            before = word.chars().next_back().unwrap_or(' ');
            rest = after;
        }
    }

    fn push(&mut self, text: String, is_figure: bool) {
        self.words.push(Word {
            text,
            gap: std::mem::replace(&mut self.gap, Gap::Plain),
            is_figure,
            is_command: self.is_command,
        });
    }

    /// A mark between two words.
    fn part(&mut self, before: char, mark: char, after: &str) {
        let ends = after.chars().next().is_none_or(char::is_whitespace);
        match mark {
            '|' | '·' | '•' | '»' | '›' | '¦' | '｜' => self.gap = Gap::Bar,
            '。' | '！' | '？' => self.gap = Gap::Stop,
            '©' => self.push(COPYRIGHT.to_owned(), false),
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

/// Whether a figure may stand behind this.
fn may_precede(before: char) -> bool {
    before.is_whitespace() || is_han(before) || "(（$€£¥￥，。、；：".contains(before)
}

/// Whether a figure may stand before this.
fn may_follow(after: &str) -> bool {
    let mut marks = after.chars();
    match marks.next() {
        None => true,
        Some(mark) if mark.is_whitespace() || is_han(mark) || "%％)），。、；".contains(mark) => {
            true
        }
        Some('.' | ',' | ';' | ':') => marks.next().is_none_or(char::is_whitespace),
        Some(_) => false,
    }
}

/// The first web address, mail address or path of a line, and what stands before and behind it. Each is one
/// word.
fn cut_address(line: &str) -> Option<(&str, &str, &str)> {
    let found = [cut_url(line), cut_path(line), cut_mail(line)];
    let found = found.into_iter().flatten();
    found.min_by_key(|(before, ..)| before.len())
}

/// The first mail address: `name@host.example`.
fn cut_mail(line: &str) -> Option<(&str, &str, &str)> {
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
            let end = at + 1 + host.len();
            return Some((&line[..begin], &line[begin..end], &line[end..]));
        }
        from = at + 1;
    }
    None
}

/// The first path of three parts or more: `Documentation/admin-guide/mm/concepts.rst`.
fn cut_path(line: &str) -> Option<(&str, &str, &str)> {
    let is_inside = |c: char| c.is_ascii_alphanumeric() || "/_.-".contains(c);
    let mut begin = 0;
    for run in line.split_inclusive(|c: char| !is_inside(c)) {
        let path = run.trim_end_matches(|c: char| !is_inside(c));
        let parts = path.split('/').filter(|part| !part.is_empty()).count();
        // A date has no letters, and a choice of words (`and/or`) two parts.
        if parts >= 3 && path.bytes().any(|byte| byte.is_ascii_lowercase()) && !run.ends_with(':') {
            let end = begin + path.len();
            return Some((&line[..begin], path, &line[end..]));
        }
        begin += run.len();
    }
    None
}

fn cut_url(line: &str) -> Option<(&str, &str, &str)> {
    let sign = line.find("://")?;
    let is_scheme = |c: char| c.is_ascii_alphabetic();
    let begin = line[..sign].rfind(|c: char| !is_scheme(c)).map_or(0, |at| {
        at + line[at..].chars().next().map_or(1, char::len_utf8)
    });
    let is_inside = |c: char| c.is_ascii_graphic() && !matches!(c, '<' | '>' | '"' | '\'' | '`');
    let end = line[sign..]
        .find(|c: char| !is_inside(c))
        .map_or(line.len(), |at| sign + at);
    Some((&line[..begin], &line[begin..end], &line[end..]))
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
