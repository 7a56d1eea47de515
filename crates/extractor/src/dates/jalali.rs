//! Dates of the solar calendar of Iran and Afghanistan: "۱۲ فروردین ۱۴۰۳", "۱۲ حمل ۱۴۰۳", "۱۴۰۳/۰۱/۱۲".
//!
//! A number is a year of it where a month is named in Persian or Pashto. In numbers alone a date is as one of the lunar
//! calendar, by which laws of Arab states are dated: "1389/9/6هـ". There the line says which it is, by a sign behind the
//! date or by digits and letters that only one of the languages has; else the page's language does. The years begin at
//! the equinox, and leap years follow each other as in a cycle of 33 years.

use super::calendars::Day;

/// The names of each month, in Iran, in Afghanistan and in Pashto.
const MONTHS: [&str; 12] = [
    "فروردین حمل وری",
    "اردیبهشت ثور غویی",
    "خرداد جوزا غبرګولی",
    "تیر سرطان چنګاښ",
    "مرداد امرداد اسد زمری",
    "شهریور سنبله وږی",
    "مهر میزان تله",
    "آبان عقرب لړم",
    "آذر قوس لیندۍ",
    "دی جدی مرغومی",
    "بهمن دلو سلواغه",
    "اسفند حوت کب",
];

/// Whether a date in numbers is of the solar calendar, by the digits of its line and by letters that Arabic has not.
pub(super) fn told_by_script(line: &str) -> Option<bool> {
    let is_of = |digits: std::ops::RangeInclusive<char>| line.contains(|c| digits.contains(&c));
    match () {
        () if is_of('۰'..='۹') => Some(true),
        () if is_of('٠'..='٩') => Some(false),
        () => line
            .contains(['پ', 'چ', 'ژ', 'گ', 'ک', 'ی', 'ګ', 'ښ', 'ړ', 'ږ', 'ۍ', 'ې'])
            .then_some(true),
    }
}

/// Whether a text with ASCII digits may hold such a date.
pub(super) fn may_stand_in(text: &str, is_solar: bool) -> bool {
    (text.contains("13") || text.contains("14")) && (is_solar || text.contains(is_arabic))
}

fn is_arabic(c: char) -> bool {
    ('\u{600}'..='\u{6ff}').contains(&c)
}

/// The leftmost date in a text in lower case with ASCII digits; `is_solar` tells whether one in numbers is.
pub(super) fn first(text: &str, is_solar: bool) -> Option<Day> {
    let is_digit = |c: char| c.is_ascii_digit();
    // As Arabs write two of the letters, which have as many bytes.
    let text = &*text.replace(['ي', 'ى'], "ی").replace('ك', "ک");
    let years = text.match_indices("13").chain(text.match_indices("14"));
    let found = years.filter_map(|(at, _)| {
        let whole = text.get(at..at + 4)?;
        let is_whole = whole.bytes().all(|byte| byte.is_ascii_digit())
            && !text[..at].ends_with(is_digit)
            && !text[at + 4..].starts_with(is_digit);
        let year: i32 = whole.parse().ok().filter(|_| is_whole)?;
        let in_numbers = || year_first(text, at, year).or_else(|| year_last(text, at, year));
        named(text, at, year).or_else(|| in_numbers().filter(|_| is_solar))
    });
    found.min_by_key(|day| day.at)
}

/// "12 فروردین 1403", "12 فروردین‌ماه سال 1403", "فروردین 12, 1403", where the year stands at a place.
fn named(text: &str, at: usize, year: i32) -> Option<Day> {
    let is_between = |c: char| c.is_whitespace() || "،,/-\u{200c}".contains(c);
    let before = text[..at].trim_end_matches(is_between);
    let day_of = |text: &str| {
        let begin = text.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        Some((begin, text[begin..].parse::<i32>().ok()?))
    };
    if let Some((begin, day)) = day_of(before) {
        let (rest, month) = without_month(before[..begin].trim_end_matches(is_between))?;
        return western(rest.len(), year, month, day);
    }
    let mut before = before;
    for word in ["سال", "ماه"] {
        let shorter = before.strip_suffix(word).unwrap_or(before);
        before = shorter.trim_end_matches(is_between);
    }
    let (rest, month) = without_month(before)?;
    let (begin, day) = day_of(rest.trim_end_matches(is_between))?;
    western(begin, year, month, day)
}

/// A text that ends with the name of a month without it, and the month's number.
fn without_month(text: &str) -> Option<(&str, usize)> {
    let mut months = MONTHS.iter().zip(1..);
    months.find_map(|(names, month)| {
        let mut names = names.split(' ');
        let rest = names.find_map(|name| {
            let rest = text.strip_suffix(name)?;
            (!rest.ends_with(char::is_alphabetic)).then_some(rest)
        });
        Some((rest?, month))
    })
}

/// "1403/01/12", "1403-01-12".
fn year_first(text: &str, at: usize, year: i32) -> Option<Day> {
    let rest = &text[at + 4..];
    let separator = rest.chars().next().filter(|c| matches!(c, '/' | '-'))?;
    let (month, rest) = rest[1..].split_once(separator)?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    let (day, behind) = rest.split_at(end.unwrap_or(rest.len()));
    let stands_alone =
        !text[..at].ends_with(['/', '.', '-']) && !behind.starts_with(['/', '.', '-']);
    let is_short = month.len() <= 2 && day.len() <= 2;
    let month = month.parse().ok();
    let month = month.filter(|_| stands_alone && is_short && !is_lunar(behind))?;
    western(at, year, month, day.parse().ok()?)
}

/// "12/01/1403".
fn year_last(text: &str, at: usize, year: i32) -> Option<Day> {
    let (before, month) = text[..at].strip_suffix('/')?.rsplit_once('/')?;
    let begin = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let day = &before[begin..];
    let behind = &text[at + 4..];
    let stands_alone =
        !before[..begin].ends_with(['/', '.', '-']) && !behind.starts_with(['/', '.', '-']);
    let is_short = month.len() <= 2 && day.len() <= 2;
    let month = month.parse().ok();
    let month = month.filter(|_| stands_alone && is_short && !is_lunar(behind))?;
    western(begin, year, month, day.parse().ok()?)
}

/// Whether what stands behind a date says that it is of the lunar calendar: هـ, ه.ق, هجری قمری. With ش it is solar.
fn is_lunar(behind: &str) -> bool {
    let is_joint = |c: char| matches!(c, '.' | 'ـ' | '\u{200c}' | '\u{200d}');
    let behind = behind.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let mut words = behind.split(|c: char| !c.is_alphabetic() && !is_joint(c));
    let mut letters = || {
        words
            .find(|word| !word.is_empty())
            .map(|word| word.replace(is_joint, ""))
    };
    let starts = behind.starts_with(|c: char| c.is_alphabetic());
    let Some(sign) = letters().filter(|_| starts) else {
        return false;
    };
    let is_of_flight = matches!(&*sign, "ه" | "ھ" | "هجری" | "هجریة" | "هجریه");
    let is_of_sun = |word: String| word.starts_with("ش") || word.starts_with("خورشید");
    matches!(&*sign, "هق" | "ق" | "قمری") || is_of_flight && !letters().is_some_and(is_of_sun)
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
            ("۱۴۰۳/۰۱/۱۲", "2024-03-31"),
            ("۱۴۰۳-۰۱-۱۲ - ۱۰:۲۲", "2024-03-31"),
            ("۱۳:۴۵ ۱۲/۰۱/۱۴۰۳", "2024-03-31"),
            ("۱۲ فروردین ماه ۱۴۰۳", "2024-03-31"),
            ("۱۲ فروردین\u{200c}ماه سال ۱۴۰۳", "2024-03-31"),
            ("فروردین ۱۲, ۱۴۰۳", "2024-03-31"),
            ("12 ارديبهشت 1403", "2024-05-01"),
            ("۱۲ حمل ۱۴۰۳", "2024-03-31"),
            ("۱۲ وږی ۱۴۰۳", "2024-09-02"),
            ("۱۴۰۳/۰۱/۱۲ هـ.ش", "2024-03-31"),
            ("1403/01/12 هجری شمسی", "2024-03-31"),
            ("۱۴۰۳/۰۱/۱۲ هفته", "2024-03-31"),
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
            "١٤٠٥/٠٩/٠٦",
            "بتاريخ 1389/9/6هـ",
            "بتاريخ 1389/9/6",
            "1405/09/06",
            "1405/09/06 هـ",
            "مورخ ۱۴۰۵/۰۹/۰۶ ه\u{200d}.ق",
            "مورخ 1405/09/06 هجری قمری",
            "۱۲ فردی ۱۴۰۲",
            "۱۲ تیر ۱۲۰۲",
        ] {
            check(text, None);
        }
    }
}
