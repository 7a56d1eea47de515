//! Parsing dates as pages write them, to ISO 8601.
//!
//! Machine-readable forms keep their time and zone; written-out forms give a day. Relative forms ("3
//! hours ago") are not read, since they need a clock and extraction has none.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::bounded::byte_prefix;

/// Bytes of a line that are searched for a date.
const LINE_BYTES_MAX: usize = 400;

/// Parses a value that should be a date (an attribute, a field of JSON-LD).
///
/// Gives "2021-03-05" or "2021-03-05T08:00:00+08:00"; `None` where it is no plausible date.
pub(crate) fn machine(value: &str) -> Option<String> {
    machine_in(value, true)
}

/// As [`machine`]; `month_first` tells whether "3/4/2020" is March 4 on this page.
pub(crate) fn machine_in(value: &str, month_first: bool) -> Option<String> {
    let value = value.trim();
    if let Some(found) = ISO.captures(value) {
        let day = day(&found, 1, 2, 3)?;
        let Some(hour) = found.get(4) else {
            return Some(day);
        };
        let (hour, minute) = (hour.as_str(), &found[5]);
        if hour.parse::<u8>().ok()? > 23 || minute.parse::<u8>().ok()? > 59 {
            return Some(day);
        }
        let second = found.get(6).map_or("00", |second| second.as_str());
        let zone = found.get(7).map_or(String::new(), |zone| {
            let zone = zone.as_str();
            if zone.len() == 5 {
                format!("{}:{}", &zone[..3], &zone[3..])
            } else {
                zone.to_ascii_uppercase()
            }
        });
        return Some(format!("{day}T{hour:0>2}:{minute}:{second}{zone}"));
    }
    if value.len() == 8 && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return checked(&value[..4], &value[4..6], &value[6..]);
    }
    // Seconds or milliseconds since 1970.
    if (value.len() == 10 || value.len() == 13) && value.bytes().all(|byte| byte.is_ascii_digit()) {
        let seconds: i64 = value[..10].parse().ok()?;
        let when = time::OffsetDateTime::from_unix_timestamp(seconds).ok()?;
        return checked(
            &when.year().to_string(),
            &u8::from(when.month()).to_string(),
            &when.day().to_string(),
        );
    }
    written(value, month_first)
}

/// Whether two dates (of either form) are one day apart.
pub(crate) fn are_neighbours(one: &str, other: &str) -> bool {
    let julian = |date: &str| -> Option<i32> {
        let year = date.get(..4)?.parse().ok()?;
        let month: u8 = date.get(5..7)?.parse().ok()?;
        let day = date.get(8..10)?.parse().ok()?;
        let month = time::Month::try_from(month).ok()?;
        Some(
            time::Date::from_calendar_date(year, month, day)
                .ok()?
                .to_julian_day(),
        )
    };
    match (julian(one), julian(other)) {
        (Some(one), Some(other)) => one.abs_diff(other) == 1,
        _ => false,
    }
}

/// The first date in a line of text; `month_first` tells whether "3/4/2020" is March 4.
pub(crate) fn written(text: &str, month_first: bool) -> Option<String> {
    let text = byte_prefix(text, LINE_BYTES_MAX).to_lowercase();
    let mut best: Option<(usize, String)> = None;
    let mut keep = |at: usize, date: Option<String>| {
        if let Some(date) = date
            && best.as_ref().is_none_or(|(first, _)| at < *first)
        {
            best = Some((at, date));
        }
    };
    if let Some(found) = YEAR_FIRST.captures(&text) {
        keep(start(&found), day(&found, 1, 2, 3));
    }
    if let Some(found) = YEAR_LAST.captures(&text) {
        let (first, second) = (&found[1], &found[3]);
        let separator = &found[2];
        let first_number: u8 = first.parse().unwrap_or(0);
        let second_number: u8 = second.parse().unwrap_or(0);
        // "3/14/2020" has the month first, "14.3.2020" and "14/3/2020" have not; for "3/4/2020" it
        // depends on the page.
        let month_first =
            second_number > 12 || (month_first && separator == "/" && first_number <= 12);
        let date = if month_first {
            checked(&found[4], first, second)
        } else {
            checked(&found[4], second, first)
        };
        keep(start(&found), date);
    }
    if let Some(found) = MONTH_DAY.captures(&text)
        && let Some(month) = month(&found[1])
    {
        keep(start(&found), checked(&found[3], month, &found[2]));
    }
    if let Some(found) = DAY_MONTH.captures(&text)
        && let Some(month) = month(&found[2])
    {
        keep(start(&found), checked(&found[3], month, &found[1]));
    }
    best.map(|(_, date)| date)
}

/// A date in a URL's path: "/2021/03/05/", "/20210305/", "/2021-03-05-".
pub(crate) fn in_path(path: &str) -> Option<String> {
    let found = PATH.captures(path)?;
    match (found.get(1), found.get(4)) {
        (Some(_), _) => day(&found, 1, 2, 3),
        (None, Some(_)) => day(&found, 4, 5, 6),
        (None, None) => None,
    }
}

fn start(found: &Captures<'_>) -> usize {
    found.get(0).map_or(0, |whole| whole.start())
}

fn day(found: &Captures<'_>, year: usize, month: usize, day: usize) -> Option<String> {
    checked(&found[year], &found[month], &found[day])
}

/// The ISO form of a day between 1990 and 2100; `None` if there is no such day.
fn checked(year: &str, month: &str, day: &str) -> Option<String> {
    let year: i32 = year.trim().parse().ok()?;
    let month: u8 = month.trim().parse().ok()?;
    let day: u8 = day.trim().parse().ok()?;
    if !(1990..=2100).contains(&year) {
        return None;
    }
    let month_name = time::Month::try_from(month).ok()?;
    time::Date::from_calendar_date(year, month_name, day).ok()?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

fn pattern(source: &str) -> Regex {
    Regex::new(source).expect("the pattern is constant and tested")
}

static ISO: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^((?:19|20)\d\d)-(\d{1,2})-(\d{1,2})(?:[Tt ]\s*(\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*([Zz]|[+-]\d\d:?\d\d)?)?",
    )
});

static YEAR_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?:[日號号tT\s,:|)）]|$|\b)",
    )
});

static YEAR_LAST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?[-/.]\s?((?:19|20)\d\d)\b"));

static MONTH_DAY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:at\s+)?((?:19|20)\d\d)\b")
});

static DAY_MONTH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(\d{1,2})(?:st|nd|rd|th|er|º|\.)?[\s-]+(?:of\s+|de\s+|d')?(\p{L}{3,12})\.?,?[\s-]+(?:de\s+|del\s+)?((?:19|20)\d\d)\b",
    )
});

static PATH: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"/((?:19|20)\d\d)[-/_](0?[1-9]|1[0-2])[-/_](0?[1-9]|[12]\d|3[01])(?:[^\d]|$)|[-_/t]((?:19|20)\d\d)[-/]?(0[1-9]|1[0-2])[-/]?(0[1-9]|[12]\d|3[01])(?:[^\d]|$)",
    )
});

/// The number of a month by the first letters of its name, in the most frequent languages.
fn month(name: &str) -> Option<&'static str> {
    const MONTHS: [(&str, &[&str]); 12] = [
        ("1", &["jan", "ene", "gen", "янв", "sty", "led", "ocak"]),
        ("2", &["feb", "fév", "fev", "фев", "lut", "şub"]),
        ("3", &["mar", "mär", "mrt", "мар", "břez"]),
        ("4", &["apr", "abr", "avr", "апр", "kwi", "nis"]),
        ("5", &["may", "mai", "mag", "maj", "мая", "май", "mei"]),
        ("6", &["jun", "juin", "giu", "июн", "cze", "haz"]),
        ("7", &["jul", "juil", "lug", "июл", "lip", "tem"]),
        ("8", &["aug", "aoû", "aou", "ago", "авг", "sie", "ağu"]),
        ("9", &["sep", "set", "сен", "wrz", "eyl"]),
        ("10", &["oct", "okt", "ott", "out", "окт", "paź", "eki"]),
        ("11", &["nov", "ноя", "lis", "kas"]),
        ("12", &["dec", "dez", "déc", "dic", "дек", "gru", "ara"]),
    ];
    // "juillet" begins like the names of June in other languages.
    if name.starts_with("juil") {
        return Some("7");
    }
    MONTHS
        .iter()
        .find(|(_, heads)| heads.iter().any(|head| name.starts_with(head)))
        .map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(written(text, true).as_deref(), expected, "{text}");
    }

    #[test]
    fn written_dates_are_read_in_many_forms() {
        check("发布时间：2021年3月5日 10:22", Some("2021-03-05"));
        check("2021-03-05 来源：新华社", Some("2021-03-05"));
        check("Published March 5, 2021 at noon", Some("2021-03-05"));
        check("5 de marzo de 2021", Some("2021-03-05"));
        check("Freitag, 5. März 2021", Some("2021-03-05"));
        check("05.03.2021", Some("2021-03-05"));
        check("le 14 juillet 2020", Some("2020-07-14"));
        check("3/14/2020", Some("2020-03-14"));
        check("14/3/2020", Some("2020-03-14"));
        check("5 марта 2021 г.", Some("2021-03-05"));
    }

    #[test]
    fn what_is_no_date_is_none() {
        check("31/31/2020", None);
        check("3 hours ago", None);
        check("call 2021-555", None);
        check("room 12 in 2021", None);
    }

    #[test]
    fn machine_forms_keep_time_and_zone() {
        assert_eq!(
            machine("2021-03-05T08:01:02.5+0800").as_deref(),
            Some("2021-03-05T08:01:02+08:00")
        );
        assert_eq!(machine("20210305").as_deref(), Some("2021-03-05"));
        assert_eq!(
            machine("2021-03-05 08:01").as_deref(),
            Some("2021-03-05T08:01:00")
        );
        assert_eq!(
            machine("Fri, 05 Mar 2021 08:00:00 GMT").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(machine("1614902400").as_deref(), Some("2021-03-05"));
    }

    #[test]
    fn a_path_may_hold_the_day() {
        assert_eq!(
            in_path("/news/2021/03/05/title").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(
            in_path("/a/t20210305_1234.html").as_deref(),
            Some("2021-03-05")
        );
        assert_eq!(
            in_path("/2006/12/04/hit-parade").as_deref(),
            Some("2006-12-04"),
            "a month is not cut in two"
        );
        assert_eq!(in_path("/2021/0305/c1.html").as_deref(), Some("2021-03-05"));
        assert_eq!(in_path("/2021/03/title"), None);
        assert_eq!(in_path("/2021/12-days-of-code"), None);
    }
}
