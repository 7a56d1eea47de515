//! The numbered parts of hosts: URLs that differ in numbers only.
//!
//! Each number of a path or a value stands for all numbers, and all else for itself. Numbers with a sign
//! between them are as one, and so are numbers in segments that follow each other, so that a month belongs
//! to the part of its days:
//!
//! ```text
//! /calendar/2026/11/30   /calendar/2026/11     /calendar/#
//! /day-2026-11-30.html                         /day-#.html
//! /cal/2026-w48?view=3                         /cal/#-w#?view=#
//! /日历/2026年11月30日                         /日历/#年#月#日
//! ```
//!
//! Whether numbers are a date matters for how many pages are looked at: one number may count anything. Two
//! numbers that stand alone are taken for one, and so is a year with others, or a date without signs. Of one
//! URL that is a guess (`/album/7/photo/30`). The URLs of a part *go as dates do* where each has a year, and
//! beside it only what months, days, weeks and hours are, or what is the same in all of them ([`Dates`]).

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::inner_urls::unescape;
use crate::url::CanonicalUrl;

/// Years that a date may have.
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_099;

/// The highest number in a date beside its year: minutes; of weeks there are fewer.
const OF_DATE_MAX: u64 = 59;

/// A URL as one of a numbered part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered {
    pub(super) part: u64,
    /// How many numbers it has: 1 where several are no date.
    pub(super) numbers: usize,
    /// Where it has a year, the numbers that are of no date, hashed.
    pub(super) beside_date: Option<u64>,
}

/// Whether the URLs of a part go as dates do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Dates {
    /// The numbers of no date that stood beside the first.
    beside: Option<u64>,
    are_none: bool,
}

impl Dates {
    /// Takes in one more URL, by [`Numbered::beside_date`].
    pub(super) fn note(&mut self, beside_date: Option<u64>) {
        let before = self.beside.or(beside_date);
        self.are_none |= beside_date.is_none() || before != beside_date;
        self.beside = before;
    }

    /// Whether all URLs so far do.
    pub(super) fn are_all(&self) -> bool {
        !self.are_none
    }
}

/// The part of its host that a URL of these segments and parameters belongs to. `None` without any number.
pub(super) fn of<'u>(
    host: &HostKey,
    segments: impl Iterator<Item = &'u str>,
    parameters: impl Iterator<Item = (&'u str, &'u str)>,
) -> Option<Numbered> {
    let mut part = host.as_str().to_owned();
    let mut numbers = Numbers::default();
    let mut after_number = false;
    for segment in segments {
        let before = part.len();
        part.push('/');
        numbers.mask(segment, &mut part);
        let is_number = &part[before..] == "/#";
        if is_number && after_number {
            part.truncate(before);
        }
        after_number = is_number;
    }
    for (name, value) in parameters {
        part.extend(["&", name, "="]);
        numbers.mask(value, &mut part);
    }
    (numbers.all > 0).then(|| Numbered {
        part: xxh3_64(part.as_bytes()),
        numbers: numbers.told(),
        beside_date: numbers.beside_date(),
    })
}

/// What the numbers of a URL say, to be left out of its page's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlNumbers {
    /// The numbers.
    pub numbers: Vec<u64>,
    /// They are a date, or may be.
    pub is_date: bool,
}

/// Numbers of one URL that are looked at.
const NUMBERS_MAX: usize = 64;

impl UrlNumbers {
    /// Those of a URL; `None` without any.
    pub fn of(url: &CanonicalUrl) -> Option<Self> {
        let unescaped = unescape(url.path_and_query());
        let text = unescaped.as_deref().unwrap_or(url.path_and_query());
        let mut looks = Numbers::default();
        looks.mask(text, &mut String::new());
        let runs = text.split(|c: char| !c.is_ascii_digit());
        let numbers = runs.filter_map(|run| run.parse().ok());
        let mut numbers: Vec<u64> = numbers.take(NUMBERS_MAX).collect();
        if looks.has_date {
            let dates = numbers.clone().into_iter();
            let dates = dates.filter(|number| (19_000_000..21_000_000).contains(number));
            numbers.extend(dates.flat_map(|date| [date / 10_000, date / 100 % 100, date % 100]));
        }
        (!numbers.is_empty()).then_some(Self {
            numbers,
            is_date: looks.has_year || looks.has_date,
        })
    }
}

/// The numbers of a URL.
#[derive(Default)]
struct Numbers {
    all: usize,
    /// Those in texts that are nothing but numbers.
    alone: usize,
    /// Some number may be a year, or a whole date.
    has_year: bool,
    has_date: bool,
    /// Those that are neither a year nor a date, nor stand in one, each with a blank behind it.
    beside: String,
}

impl Numbers {
    /// Writes a text with `#` for its numbers.
    fn mask(&mut self, text: &str, to: &mut String) {
        let unescaped = text.contains('%').then(|| unescape(text)).flatten();
        let text = unescaped.as_deref().unwrap_or(text);
        let begin = to.len();
        let mut runs = 0;
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            let (before, number) = rest.split_at(at);
            let is_joined = to[begin..].ends_with('#')
                && !before.is_empty()
                && before.bytes().all(|byte| b"-_.:".contains(&byte));
            if !is_joined {
                to.push_str(before);
                to.push('#');
            }
            let end = number.find(|c: char| !c.is_ascii_digit());
            let (digits, after) = number.split_at(end.unwrap_or(number.len()));
            runs += 1;
            self.look_at(digits);
            rest = after;
        }
        to.push_str(rest);
        self.all += runs;
        if &to[begin..] == "#" {
            self.alone += runs;
        }
    }

    fn look_at(&mut self, digits: &str) {
        let number = |range: std::ops::Range<usize>| digits.get(range)?.parse::<u32>().ok();
        let is_year = number(0..4).is_some_and(|year| YEARS.contains(&year));
        let is_month = || number(4..6).is_some_and(|month| (1..=12).contains(&month));
        let is_day = || number(6..8).is_some_and(|day| (1..=31).contains(&day));
        match digits.len() {
            4 if is_year => self.has_year = true,
            8 if is_year && is_month() && is_day() => self.has_date = true,
            _ if digits
                .parse()
                .is_ok_and(|number: u64| number <= OF_DATE_MAX) => {}
            _ => self.beside.extend([digits, " "]),
        }
    }

    fn beside_date(&self) -> Option<u64> {
        let has_date = self.has_year || self.has_date;
        has_date.then(|| xxh3_64(self.beside.as_bytes()))
    }

    /// How many there are, as far as they are a date.
    fn told(&self) -> usize {
        let is_date = self.alone > 1 || self.has_year;
        match (is_date, self.has_date) {
            (true, _) => self.all,
            (false, true) => 3,
            (false, false) => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, masked: &str, told: usize) {
        let mut numbers = Numbers::default();
        let mut to = String::new();
        numbers.mask(text, &mut to);
        assert_eq!((to.as_str(), numbers.told()), (masked, told), "{text}");
    }

    #[test]
    fn numbers_stand_for_all_numbers_and_all_else_for_itself() {
        check("2026-11-30", "#", 3);
        check("26.11.2026", "#", 3);
        check("day-2026-11-30.html", "day-#.html", 3);
        check("2026-w48", "#-w#", 2);
        check("d20261130", "d#", 3);
        check("2026-11-30T00%3A00%3A00Z", "#T#Z", 6);
        check("2026%E5%B9%B411%E6%9C%88", "#年#月", 2);
        // No dates.
        check("post-7", "post-#", 1);
        check("thread-123-1-1.html", "thread-#.html", 1);
        check("d20269930", "d#", 1);
        check("-7-", "-#-", 1);
    }

    #[test]
    fn what_the_numbers_of_a_url_say_is_known_without_signs_between_them() {
        let of = |path: &str| {
            let url = CanonicalUrl::parse(&format!("http://a.example{path}")).unwrap();
            UrlNumbers::of(&url).map(|of| (of.numbers, of.is_date))
        };
        assert_eq!(of("/about"), None);
        assert_eq!(of("/%E6%96%87"), None);
        assert_eq!(of("/draw/7?of=09"), Some((vec![7, 9], false)));
        assert_eq!(of("/day-2026-11-05"), Some((vec![2_026, 11, 5], true)));
        assert_eq!(
            of("/d20261105"),
            Some((vec![20_261_105, 2_026, 11, 5], true))
        );
    }

    #[test]
    fn a_text_without_numbers_is_no_part() {
        let host = HostKey::from_record("a.example");
        let of = |path: &'static str| super::of(&host, path.split('/'), std::iter::empty());
        assert_eq!(of("%E6%96%87%E7%AB%A0/about"), None);
        assert_eq!(
            of("cal/2026/11/30"),
            of("cal/2027/1").map(|of| Numbered { numbers: 3, ..of })
        );
        assert_ne!(of("cal/2026/11"), of("cal/2026/x/11"));
    }

    #[test]
    fn urls_go_as_dates_do_where_nothing_but_a_date_differs() {
        let host = HostKey::from_record("a.example");
        let are_dates = |paths: &[&'static str]| {
            let mut dates = Dates::default();
            for path in paths {
                let of = super::of(&host, path.split('/'), std::iter::empty());
                dates.note(of.expect(path).beside_date);
            }
            dates.are_all()
        };
        assert!(are_dates(&["cal/2026/11", "cal/2026/11/30", "cal/1999/1"]));
        assert!(are_dates(&["cal/20261130", "cal/2027-w53", "30.11.2026"]));
        assert!(are_dates(&["215/cal/2026/11", "215/cal/2026/12"]));
        // Numbers of albums and photos.
        assert!(!are_dates(&["album/7/photo/11"]));
        assert!(!are_dates(&["album/2026/photo/59", "album/2026/photo/60"]));
        assert!(!are_dates(&["album/2026/photo/61", "album/2026/photo/62"]));
        assert!(!are_dates(&["7/photo/1999", "7/photo/2100"]));
    }
}
