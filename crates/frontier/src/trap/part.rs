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
//! numbers that stand alone are taken for one, and so is a year with others, or a date without signs.

use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::inner_urls::unescape;
use crate::url::CanonicalUrl;

/// Years that a date may have.
const YEARS: std::ops::RangeInclusive<u32> = 1_900..=2_099;

/// The part of its host that a URL of these segments and parameters belongs to, with how many numbers it
/// has: 1 where several are no date. `None` without any.
pub(super) fn of<'u>(
    host: &HostKey,
    segments: impl Iterator<Item = &'u str>,
    parameters: impl Iterator<Item = (&'u str, &'u str)>,
) -> Option<(u64, usize)> {
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
    (numbers.all > 0).then(|| (xxh3_64(part.as_bytes()), numbers.told()))
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
            4 => self.has_year |= is_year,
            8 => self.has_date |= is_year && is_month() && is_day(),
            _ => {}
        }
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
            of("cal/2027/1").map(|(part, _)| (part, 3))
        );
        assert_ne!(of("cal/2026/11"), of("cal/2026/x/11"));
    }
}
