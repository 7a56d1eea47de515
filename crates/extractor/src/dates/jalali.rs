//! Dates of the solar calendar of Iran and Afghanistan: "۱۲ فروردین ۱۴۰۳", "۱۴۰۳/۰۱/۱۲".
//!
//! A number is a year of it where a month is named in Persian, or in a text in Arabic script between slashes, the year
//! first. Its years begin at the equinox, and leap years follow each other as in a cycle of 33 years. The lunar years of Arabic pages
//! have numbers of the same size, but those from 1990 to 2031 are no years of the solar calendar in that time.

use super::calendars::Day;

const MONTHS: [&str; 12] = [
    "فروردین",
    "اردیبهشت",
    "خرداد",
    "تیر",
    "مرداد",
    "شهریور",
    "مهر",
    "آبان",
    "آذر",
    "دی",
    "بهمن",
    "اسفند",
];

/// Whether a text with ASCII digits may hold such a date.
pub(super) fn may_stand_in(text: &str) -> bool {
    (text.contains("13") || text.contains("14")) && text.contains(is_arabic)
}

fn is_arabic(c: char) -> bool {
    ('\u{600}'..='\u{6ff}').contains(&c)
}

/// The leftmost date in a text in lower case with ASCII digits.
pub(super) fn first(text: &str) -> Option<Day> {
    let is_digit = |c: char| c.is_ascii_digit();
    let years = text.match_indices("13").chain(text.match_indices("14"));
    let found = years.filter_map(|(at, _)| {
        let whole = text.get(at..at + 4)?;
        let is_whole = whole.bytes().all(|byte| byte.is_ascii_digit())
            && !text[..at].ends_with(is_digit)
            && !text[at + 4..].starts_with(is_digit);
        let year: i32 = whole.parse().ok().filter(|_| is_whole)?;
        named(text, at, year).or_else(|| in_numbers(text, at, year))
    });
    found.min_by_key(|day| day.at)
}

/// "12 فروردین 1403", where the year stands at a place.
fn named(text: &str, at: usize, year: i32) -> Option<Day> {
    let before = text[..at].trim_end();
    let before = before.trim_end_matches(['،', ',']).trim_end();
    let (rest, name) = before.rsplit_once(char::is_whitespace)?;
    let month = MONTHS.iter().position(|month| *month == name)?;
    let rest = rest.trim_end();
    let begin = rest.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let day = rest[begin..].parse().ok()?;
    western(begin, year, month + 1, day)
}

/// "1403/01/12".
fn in_numbers(text: &str, at: usize, year: i32) -> Option<Day> {
    let rest = text[at + 4..].strip_prefix('/')?;
    let (month, rest) = rest.split_once('/')?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let day = &rest[..end.unwrap_or(rest.len())];
    let stands_alone =
        !text[..at].ends_with(['/', '.', '-']) && !rest[day.len()..].starts_with(['/', '.']);
    let is_short = month.len() <= 2 && day.len() <= 2;
    let month = month.parse().ok().filter(|_| stands_alone && is_short)?;
    western(at, year, month, day.parse().ok()?)
}

/// The Western day.
fn western(at: usize, year: i32, month: usize, day: i32) -> Option<Day> {
    /// The Julian day number of the first day of the year 1403: 20 March 2024.
    const FIRST_OF_1403: i32 = 2_460_390;
    let is_year = (1369..=1410).contains(&year);
    let length = match month {
        1..=6 => 31,
        7..=11 => 30,
        12 if is_leap(year) => 30,
        12 => 29,
        _ => return None,
    };
    if !is_year || !(1..=length).contains(&day) {
        return None;
    }
    let behind = i32::try_from(month - 1).ok()?;
    let of_months = behind * 30 + behind.min(6);
    let days = FIRST_OF_1403 + days_before(year) - days_before(1403) + of_months + day - 1;
    let date = time::Date::from_julian_day(days).ok()?;
    Some(Day {
        at,
        year: date.year(),
        month: date.month().into(),
        day: date.day(),
    })
}

/// The days of all years before one, counted from any fixed day.
fn days_before(year: i32) -> i32 {
    let leaps = |cycle_years: i32| {
        (1..cycle_years + 1)
            .filter(|&at| is_leap_in_cycle(at - 1))
            .count()
    };
    let (cycles, rest) = (year / 33, year % 33);
    year * 365 + cycles * 8 + i32::try_from(leaps(rest)).unwrap_or(0)
}

fn is_leap(year: i32) -> bool {
    is_leap_in_cycle(year % 33)
}

fn is_leap_in_cycle(at: i32) -> bool {
    matches!(at, 1 | 5 | 9 | 13 | 17 | 22 | 26 | 30)
}

#[cfg(test)]
mod tests {
    use super::super::written;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(written(text, true).as_deref(), expected, "{text}");
    }

    #[test]
    fn years_of_iran_begin_at_the_equinox() {
        for (text, date) in [
            ("۱ فروردین ۱۳۹۵", "2016-03-20"),
            ("۱ فروردین ۱۳۹۹", "2020-03-20"),
            ("۳۰ اسفند ۱۳۹۹", "2021-03-20"),
            ("۱ فروردین ۱۴۰۰", "2021-03-21"),
            ("۱۲ دی ۱۴۰۲", "2024-01-02"),
            ("۲۹ اسفند ۱۴۰۲", "2024-03-19"),
            ("سه‌شنبه ۱ مهر ۱۴۰۳", "2024-09-22"),
            ("تاریخ انتشار: ۱۴۰۳/۱۲/۳۰", "2025-03-20"),
            ("تاریخ انتشار: 1404/1/1", "2025-03-21"),
        ] {
            check(text, Some(date));
        }
        for text in [
            "۳۰ اسفند ۱۴۰۲",
            "۳۲ تیر ۱۴۰۲",
            "۱۴۰۲/۱۳/۰۱",
            "۱۲ کتاب ۱۴۰۲",
            "version 1403/1/12",
            "۱۴۰۲",
            "١٤٤٥/٠٥/١٢ هـ",
            "۱۲ تیر ۱۲۰۲",
        ] {
            check(text, None);
        }
    }
}
