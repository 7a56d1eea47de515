//! The forms in which dates are written, each found by a scan.
//!
//! Regular expressions for them (a name of three to twelve letters of any script) take longer to
//! compile than a page takes to read. Every form has a year of the 20th or 21st century in four ASCII
//! digits, and nothing in a form can match in two ways, so a scan from left to right finds what a
//! regular expression would: the leftmost place where the form stands. The tests compare the two.

use crate::char_counts::is_cjk;

/// A place in a text, from which the parts of a form are taken one after the other.
#[derive(Clone, Copy)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Whether the character before this place is part of a word.
    fn follows_word(&self) -> bool {
        self.text[..self.at]
            .chars()
            .next_back()
            .is_some_and(in_word)
    }

    /// Whether a word that was taken so far ends here.
    fn ends_word(&self) -> bool {
        !self.next().is_some_and(in_word)
    }

    /// Whether a further number follows behind a separator.
    fn goes_on(&self) -> bool {
        let digits = self.rest().strip_prefix('.');
        let is_number = digits.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        is_number || self.rest().starts_with(['-', '/'])
    }

    /// Takes a character that `fits`.
    fn one(&mut self, fits: impl Fn(char) -> bool) -> Option<char> {
        let found = self.next().filter(|&c| fits(c))?;
        self.at += found.len_utf8();
        Some(found)
    }

    /// Takes all characters that `fit`, and returns them.
    fn all(&mut self, fit: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|c| !fit(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// As [`Cursor::all`], but none is no form.
    fn some(&mut self, fit: impl Fn(char) -> bool) -> Option<&'t str> {
        Some(self.all(fit)).filter(|found| !found.is_empty())
    }

    fn blank(&mut self) {
        self.one(char::is_whitespace);
    }

    /// Takes the first of these words that stands here.
    fn word(&mut self, words: &[&str]) -> bool {
        let found = words.iter().find(|word| self.rest().starts_with(**word));
        self.at += found.map_or(0, |word| word.len());
        found.is_some()
    }

    /// Takes one of these words with blanks behind it, if it stands here.
    fn particle(&mut self, words: &[&str]) {
        let mut after = *self;
        if after.word(words) && after.some(char::is_whitespace).is_some() {
            *self = after;
        }
    }

    /// Takes at most `max` digits, all that stand here; with more it is no form.
    fn digits(&mut self, max: usize) -> Option<&'t str> {
        self.some(|c| c.is_ascii_digit())
            .filter(|found| found.len() <= max)
    }

    /// Takes exactly `count` digits, whatever stands behind them.
    fn exactly(&mut self, count: usize) -> Option<&'t str> {
        let found = self.rest().get(..count)?;
        self.at += count;
        found
            .bytes()
            .all(|byte| byte.is_ascii_digit())
            .then_some(found)
    }

    fn year(&mut self) -> Option<&'t str> {
        self.exactly(4)
            .filter(|year| year.starts_with("19") || year.starts_with("20"))
    }

    /// Takes a name of three to twelve letters; where letters are no Latin ones nor each a word, two may do (मई).
    fn name(&mut self) -> Option<&'t str> {
        let found = self.all(|c| c.is_alphabetic() || is_sign_of_letter(c));
        let is_latin = |c: char| c < '\u{370}';
        let least = if found.contains(is_latin) || found.contains(is_cjk) {
            3
        } else {
            2
        };
        (least..=12)
            .contains(&found.chars().count())
            .then_some(found)
    }
}

/// Whether a character is part of a word, before or behind which no date begins or ends. Chinese and Japanese
/// have no spaces: in "发表于2024年3月5日" the date begins behind a letter.
fn in_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_cjk(c)
}

/// Whether a character is a sign of the letter before it that is no letter itself: points and vowels of Arabic, Indian and Khmer scripts.
fn is_sign_of_letter(c: char) -> bool {
    matches!(c, '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{bcd}' | '\u{c4d}'
        | '\u{17b4}'..='\u{17d3}')
}

/// Whether a character stands in a word: a letter, a digit, or a sign of a letter.
pub(crate) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_sign_of_letter(c)
}

/// Year, month and day as they stand in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Written<'t> {
    /// Where the date begins.
    pub at: usize,
    pub year: &'t str,
    pub month: &'t str,
    pub day: &'t str,
}

/// Whether a text has four digits that may be a year: without them no form stands in it.
pub(super) fn has_year(text: &str) -> bool {
    text.as_bytes().windows(4).any(|four| {
        matches!(four[..2], [b'1', b'9'] | [b'2', b'0'])
            && four[2].is_ascii_digit()
            && four[3].is_ascii_digit()
    })
}

/// The leftmost place from which `form` can be taken; a form begins where a word does.
fn leftmost<'t, F>(text: &'t str, form: impl Fn(Cursor<'t>) -> Option<F>) -> Option<F> {
    let starts = text.char_indices().filter(|(_, c)| in_word(*c));
    let cursors = starts.map(|(at, _)| Cursor { text, at });
    cursors
        .filter(|cursor| !cursor.follows_word())
        .find_map(form)
}

/// What stands behind a year, a month and a day in Chinese, Japanese and Korean.
const SIGNS: [&[char]; 3] = [&['年', '년'], &['月', '월'], &['日', '號', '号', '일']];

/// What says of a number before it that it is one of versions, parts of a text, prices or measures.
fn is_unit(c: char) -> bool {
    "版章节節条款项號号元万亿米分秒%％".contains(c)
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '/' | '.')
}

/// "2021-03-05", "2021年3月5日", "2021년 3월 5일".
pub(super) fn year_first(text: &str) -> Option<Written<'_>> {
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let year = cursor.year()?;
        cursor.blank();
        cursor.one(|c| is_separator(c) || SIGNS[0].contains(&c))?;
        cursor.blank();
        let month = cursor.digits(2)?;
        cursor.blank();
        cursor.one(|c| is_separator(c) || SIGNS[1].contains(&c))?;
        cursor.blank();
        let day = cursor.digits(2)?;
        let ends = cursor
            .next()
            .is_none_or(|c| !in_word(c) || SIGNS[2].contains(&c) || matches!(c, 't' | 'T'));
        ends.then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// "21-03-05": a year of two digits first, which only the words before it tell. Between dots all numbers of a date have
/// two digits and nothing follows them: "15.4.1" is a version, "10.12.11.13" an address, "12.10.11章" a part of a text.
pub(super) fn short_year_first(text: &str) -> Option<Written<'_>> {
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        if text[..at].ends_with(is_separator) {
            return None;
        }
        let year = cursor.exactly(2)?;
        let separator = cursor.one(is_separator)?;
        let month = cursor.digits(2).filter(|month| within(month, 12))?;
        cursor.one(|c| c == separator)?;
        let day = cursor.digits(2).filter(|day| within(day, 31))?;
        let ends = cursor.ends_word() && !cursor.goes_on() && !cursor.next().is_some_and(is_unit);
        let is_date = separator != '.' || month.len() == 2 && day.len() == 2;
        (ends && is_date).then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// A date with the year last, as numbers: "3/14/2020".
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbers<'t> {
    pub at: usize,
    pub first: &'t str,
    /// What stands between the first two numbers.
    pub separator: char,
    pub second: &'t str,
    pub year: &'t str,
}

/// "14.3.2020", "3/14/2020".
pub(super) fn year_last(text: &str) -> Option<Numbers<'_>> {
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let first = cursor.digits(2)?;
        cursor.blank();
        let separator = cursor.one(is_separator)?;
        cursor.blank();
        let second = cursor.digits(2)?;
        cursor.blank();
        cursor.one(is_separator)?;
        cursor.blank();
        let year = cursor.year()?;
        cursor.ends_word().then_some(Numbers {
            at,
            first,
            separator,
            second,
            year,
        })
    })
}

/// "March 5, 2021"; the month is any name.
pub(super) fn month_day(text: &str) -> Option<Written<'_>> {
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let month = cursor.name()?;
        cursor.one(|c| c == '.');
        cursor.some(char::is_whitespace)?;
        let day = cursor.digits(2)?;
        cursor.word(&["st", "nd", "rd", "th"]);
        cursor.one(|c| c == ',');
        cursor.some(char::is_whitespace)?;
        cursor.particle(&["at"]);
        let year = cursor.year()?;
        cursor.ends_word().then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// "Mar 5 10:11:12 UTC 2021", as the clocks of Unix write it; the month is any name.
pub(super) fn month_day_time(text: &str) -> Option<Written<'_>> {
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let month = cursor.name()?;
        cursor.some(char::is_whitespace)?;
        let day = cursor.digits(2)?;
        cursor.some(char::is_whitespace)?;
        cursor.digits(2)?;
        cursor.one(|c| c == ':')?;
        cursor.exactly(2)?;
        if cursor.one(|c| c == ':').is_some() {
            cursor.exactly(2)?;
        }
        cursor.some(char::is_whitespace)?;
        cursor.particle(&["am", "pm"]);
        let mut zone = cursor;
        zone.one(|c| matches!(c, '+' | '-'));
        let is_zone = zone
            .some(|c| c.is_ascii_alphanumeric())
            .is_some_and(|zone| (2..=5).contains(&zone.len()));
        zone.some(char::is_whitespace);
        let behind_zone = zone.year().filter(|_| is_zone && zone.ends_word());
        let year = match behind_zone {
            Some(year) => {
                cursor = zone;
                year
            }
            None => cursor.year()?,
        };
        cursor.ends_word().then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// "5. März 2021", "5 de marzo de 2021", "3.maijs 2021"; the month is any name.
pub(super) fn day_month(text: &str) -> Option<Written<'_>> {
    let between = |c: char| c.is_whitespace() || c == '-';
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let day = cursor.digits(2)?;
        match cursor.word(&["."]) {
            true => {
                cursor.all(between);
            }
            false => {
                cursor.word(&["st", "nd", "rd", "th", "er", "º"]);
                cursor.some(between)?;
            }
        }
        if !cursor.word(&["d'", "d’"]) {
            cursor.particle(&["of", "de"]);
        }
        let month = cursor.name()?;
        cursor.one(|c| c == '.');
        cursor.one(|c| matches!(c, ',' | '،'));
        cursor.some(between)?;
        cursor.particle(&["del", "de"]);
        let year = cursor.year()?;
        cursor.ends_word().then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// The year first and the month by its name: "2021. március 5.", "2021 m. kovo 5 d.", "2021. gada 5. marts", "2021ko martxoaren
/// 5a", "2021 March 5". The day stands before the month only behind a word for the year, as "2021 5 March" are two dates.
pub(super) fn year_and_name<'t>(
    text: &'t str,
    is_month: impl Fn(&str) -> bool,
) -> Option<Written<'t>> {
    const OF_YEARS: [&str; 7] = ["m.", "gada", "g.", "жылғы", "жылы", "ж.", "yil"];
    leftmost(text, |mut cursor| {
        let at = cursor.at;
        let year = cursor.year()?;
        let is_basque = cursor.word(&["ko"]);
        let mut gap = cursor.all(|c| c.is_whitespace() || matches!(c, '.' | ',' | '-'));
        let is_of_year = cursor.word(&OF_YEARS);
        if is_of_year {
            gap = cursor.all(char::is_whitespace);
        }
        if gap.is_empty() && !is_of_year {
            return None;
        }
        let named_first = |mut cursor: Cursor<'t>| {
            let month = cursor.name()?;
            cursor.one(|c| c == '.');
            cursor.some(|c| c.is_whitespace() || c == '-')?;
            let day = cursor.digits(2)?;
            if is_basque {
                cursor.word(&["ean", "an", "a"]);
            }
            cursor.word(&["st", "nd", "rd", "th"]);
            cursor.ends_word().then_some((month, day))
        };
        let named_last = |mut cursor: Cursor<'t>| {
            let day = cursor.digits(2)?;
            cursor.one(|c| c == '.');
            cursor.all(|c| c.is_whitespace() || c == '-');
            let month = cursor.name()?;
            cursor.ends_word().then_some((month, day))
        };
        let last = || named_last(cursor).filter(|_| is_of_year);
        let (month, day) = named_first(cursor).or_else(last)?;
        is_month(month).then_some(Written {
            at,
            year,
            month,
            day,
        })
    })
}

/// A date as programs write it, with its time if it has one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Iso<'t> {
    pub year: &'t str,
    pub month: &'t str,
    pub day: &'t str,
    pub time: Option<IsoTime<'t>>,
}

/// The time of day of an [`Iso`] date.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IsoTime<'t> {
    pub hour: &'t str,
    pub minute: &'t str,
    pub second: Option<&'t str>,
    pub zone: Option<&'t str>,
}

/// "2021-03-05T08:00:00+08:00" at the beginning of a text; anything may follow.
pub(super) fn iso(text: &str) -> Option<Iso<'_>> {
    let mut cursor = Cursor { text, at: 0 };
    let year = cursor.year()?;
    cursor.one(|c| c == '-')?;
    let month = cursor.digits(2)?;
    cursor.one(|c| c == '-')?;
    // The day may be followed by digits that do not belong to it.
    let digits = cursor.some(|c| c.is_ascii_digit())?;
    let day = &digits[..digits.len().min(2)];
    cursor.at -= digits.len() - day.len();
    Some(Iso {
        year,
        month,
        day,
        time: iso_time(cursor),
    })
}

fn iso_time(mut cursor: Cursor<'_>) -> Option<IsoTime<'_>> {
    cursor.one(|c| matches!(c, 'T' | 't' | ' '))?;
    cursor.all(char::is_whitespace);
    let hour = cursor.digits(2)?;
    cursor.one(|c| c == ':')?;
    let minute = cursor.exactly(2)?;
    let mut after = cursor;
    let second = after.one(|c| c == ':').and_then(|_| after.exactly(2));
    if second.is_some() {
        cursor = after;
    }
    let mut after = cursor;
    let fraction = after.one(|c| c == '.');
    if fraction
        .and_then(|_| after.some(|c| c.is_ascii_digit()))
        .is_some()
    {
        cursor = after;
    }
    cursor.all(char::is_whitespace);
    Some(IsoTime {
        hour,
        minute,
        second,
        zone: zone(cursor),
    })
}

fn zone(mut cursor: Cursor<'_>) -> Option<&str> {
    let begin = cursor.at;
    if cursor.one(|c| matches!(c, 'Z' | 'z')).is_none() {
        cursor.one(|c| matches!(c, '+' | '-'))?;
        cursor.exactly(2)?;
        cursor.one(|c| c == ':');
        cursor.exactly(2)?;
    }
    Some(&cursor.text[begin..cursor.at])
}

/// A day in a URL's path: "/2021/03/05/", "/20210305/", "/2021-03-05-".
pub(super) fn in_path(path: &str) -> Option<Written<'_>> {
    let starts = path.bytes().enumerate();
    let mut starts = starts.filter(|(_, byte)| matches!(byte, b'-' | b'_' | b'/' | b't'));
    starts.find_map(|(at, byte)| {
        let cursor = Cursor {
            text: path,
            at: at + 1,
        };
        let spaced = (byte == b'/').then(|| spaced_day(cursor)).flatten();
        spaced.or_else(|| packed_day(cursor))
    })
}

/// "2021/3/5": parts of one or two digits, apart.
fn spaced_day(mut cursor: Cursor<'_>) -> Option<Written<'_>> {
    let at = cursor.at;
    let is_separator = |c| matches!(c, '-' | '/' | '_');
    let year = cursor.year()?;
    cursor.one(is_separator)?;
    let month = cursor.digits(2).filter(|month| within(month, 12))?;
    cursor.one(is_separator)?;
    let day = cursor.digits(2).filter(|day| within(day, 31))?;
    Some(Written {
        at,
        year,
        month,
        day,
    })
}

/// "20210305", "2021/0305": parts of two digits, apart or not.
fn packed_day(mut cursor: Cursor<'_>) -> Option<Written<'_>> {
    let at = cursor.at;
    let is_separator = |c| matches!(c, '-' | '/');
    let year = cursor.year()?;
    cursor.one(is_separator);
    let month = cursor.exactly(2).filter(|month| within(month, 12))?;
    cursor.one(is_separator);
    let day = cursor.exactly(2).filter(|day| within(day, 31))?;
    let ends = !cursor.next().is_some_and(|c| c.is_ascii_digit());
    ends.then_some(Written {
        at,
        year,
        month,
        day,
    })
}

fn within(number: &str, most: u8) -> bool {
    number
        .parse()
        .is_ok_and(|number: u8| (1..=most).contains(&number))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    const YEAR_FIRST: &str = r"(?:\b|\p{Han})((?:19|20)\d\d)\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?:[tT\s,:|)）\p{Han}일]|$|\b)";
    const YEAR_LAST: &str =
        r"(?:\b|\p{Han})(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?((?:19|20)\d\d)(?:\b|\p{Han})";
    const MONTH_DAY: &str = r"(?:\b|\p{Han})(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?((?:19|20)\d\d)(?:\b|\p{Han})";
    const MONTH_DAY_TIME: &str = r"(?:\b|\p{Han})(\p{L}{3,12})\s+(\d{1,2})\s+\d{1,2}:\d\d(?::\d\d)?\s+(?:[ap]m\s+)?(?:[+-]?[a-zA-Z0-9]{2,5}\s+)?((?:19|20)\d\d)(?:\b|\p{Han})";
    const DAY_MONTH: &str = r"(?:\b|\p{Han})(\d{1,2})(?:\.[\s-]*|(?:st|nd|rd|th|er|º)?[\s-]+)(?:of\s+|de\s+|d')?(\p{L}{3,12})\.?,?[\s-]+(?:de\s+|del\s+)?((?:19|20)\d\d)(?:\b|\p{Han})";
    const ISO: &str = r"^((?:19|20)\d\d)-(\d{1,2})-(\d{1,2})(?:[Tt ]\s*(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*([Zz]|[+-]\d\d:?\d\d)?)?";
    const PATH: &str = r"/((?:19|20)\d\d)[-/_](0?[1-9]|1[0-2])[-/_](0?[1-9]|[12]\d|3[01])(?:[^\d]|$)|[-_/t]((?:19|20)\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])(?:[^\d]|$)";

    /// What a pattern's groups hold in the leftmost match.
    fn by_regex<'t>(pattern: &str, text: &'t str) -> Option<Vec<&'t str>> {
        let found = Regex::new(pattern).unwrap().captures(text)?;
        let groups = found.iter().skip(1).flatten();
        Some(groups.map(|group| group.as_str()).collect())
    }

    #[track_caller]
    fn check(text: &str) {
        let first = year_first(text).map(|found| vec![found.year, found.month, found.day]);
        assert_eq!(first, by_regex(YEAR_FIRST, text), "{text:?}");
        let last = year_last(text).map(|found| {
            let separator = found.separator.to_string();
            [found.first, &separator, found.second, found.year].map(str::to_owned)
        });
        let expected = by_regex(YEAR_LAST, text);
        let expected =
            expected.map(|groups| groups.iter().map(|&group| group.to_owned()).collect());
        assert_eq!(last.map(Vec::from), expected, "{text:?}");
        let named = month_day(text).map(|found| vec![found.month, found.day, found.year]);
        assert_eq!(named, by_regex(MONTH_DAY, text), "{text:?}");
        let timed = month_day_time(text).map(|found| vec![found.month, found.day, found.year]);
        assert_eq!(timed, by_regex(MONTH_DAY_TIME, text), "{text:?}");
        let named = day_month(text).map(|found| vec![found.day, found.month, found.year]);
        assert_eq!(named, by_regex(DAY_MONTH, text), "{text:?}");
        let stated = iso(text).map(|found| {
            let time = found.time.map(|time| {
                let parts = [Some(time.hour), Some(time.minute), time.second, time.zone];
                parts.into_iter().flatten().collect::<Vec<_>>()
            });
            let day = [found.year, found.month, found.day].into_iter();
            day.chain(time.unwrap_or_default()).collect::<Vec<_>>()
        });
        assert_eq!(stated, by_regex(ISO, text), "{text:?}");
        let on_path = in_path(text).map(|found| vec![found.year, found.month, found.day]);
        assert_eq!(on_path, by_regex(PATH, text), "{text:?}");
        let any = first.is_some() || named.is_some() || stated.is_some() || on_path.is_some();
        assert!(has_year(text) || !any, "{text:?}");
    }

    #[test]
    fn each_form_is_found_where_its_pattern_matches() {
        for text in [
            "2021年3月5日 10:22",
            "于2021年3月5日",
            "于2021年3月5日发布",
            "发布2021-03-05来源",
            "更新5.3.2021发布",
            "x2021-03-05来源",
            "2021-03-05t08:00",
            "2021-03-05x",
            "2021-3-123",
            "2021년 3월 5일 10:22",
            "2021년3월5일",
            "12.05.03.2021",
            "x 3/14/2020 4/15/2020",
            "may. 5th, at 2021",
            "published march 5, 2021",
            "a_march 5, 2021",
            "5 de marzo de 2021",
            "1er-of août-2020",
            "5. d'abril del 2021",
            "fri jun  2 10:11:12 utc 2023",
            "jun 2 10:11 2023",
            "jun 2 10:11:12 pm +0200 2023",
            "jun 2 10:11:1 2023",
            "2021-03-05 08:01:02.5 +0800",
            "2021-03-05T8:01Z",
            "2021-03-051",
            "2021-3-5 8:1",
            "/2006/12/04/hit",
            "/a/t20210305_1",
            "/2021/0305/c1.html",
            "/2021/03/title",
            "/2021-12-days",
        ] {
            check(text);
        }
    }

    proptest! {
        #[test]
        fn scans_and_patterns_agree(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "2021", "1999", "20", "5", "12", "31", "05", "march", "de", "del", "of", "d'",
                    "at", "th", "st", ".", ",", "-", "/", "_", " ", "\u{a0}", "年", "月", "日", "년", "월", "일", "t",
                    "T", "Z", "+0800", ":", "08:15", "x", "märz", "\n", "0", "于",
                ]),
                0..12,
            )
        ) {
            check(&parts.concat());
        }
    }
}
