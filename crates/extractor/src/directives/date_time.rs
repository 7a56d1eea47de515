//! Parsing the date and time of `unavailable_after`, to seconds since 1970.
//!
//! The directive allows "any widely used format": RFC 822, RFC 850, ISO 8601 and mixtures of them. A
//! date without a time means the last second of the day; an unknown zone is taken for UTC.

use time::{Date, Month, PrimitiveDateTime, Time};

/// Seconds since 1970 in UTC; `None` for what is no date.
pub(super) fn unix_seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = match iso_date(text) {
        Some(found) => found,
        None => {
            let time_at = text.find(':').map_or(text.len(), |colon| {
                let hours = text[..colon].trim_end_matches(|char: char| char.is_ascii_digit());
                hours.len()
            });
            (named_date(&text[..time_at])?, &text[time_at..])
        }
    };
    let rest = rest.trim_start_matches(['T', 't', ' ']);
    let time_end = rest
        .find(|char: char| !char.is_ascii_digit() && char != ':' && char != '.')
        .unwrap_or(rest.len());
    let time = match &rest[..time_end] {
        "" => Time::from_hms(23, 59, 59).ok()?,
        digits => clock_time(digits)?,
    };
    let local = PrimitiveDateTime::new(date, time).assume_utc();
    Some(local.unix_timestamp() - offset_seconds(rest[time_end..].trim()))
}

/// `2027-06-25` and what follows it.
fn iso_date(text: &str) -> Option<(Date, &str)> {
    let year = text.get(..4)?.parse().ok()?;
    let month: u8 = text.get(4..7)?.strip_prefix('-')?.parse().ok()?;
    let day = text.get(7..10)?.strip_prefix('-')?.parse().ok()?;
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    Some((date, &text[10..]))
}

/// `Fri, 25 Jun 2027`, `Friday, 25-Jun-27`, `June 25, 2027`.
fn named_date(text: &str) -> Option<Date> {
    let words = text.split(|char: char| !char.is_alphanumeric());
    let (mut day, mut month, mut year) = (None, None, None);
    for word in words.filter(|word| !word.is_empty()) {
        if let Ok(number) = word.parse::<i32>() {
            if day.is_none() && word.len() <= 2 {
                day = u8::try_from(number).ok();
            } else if year.is_none() {
                year = Some(full_year(number, word.len()));
            }
        } else if month.is_none() {
            month = month_named(word);
        }
    }
    Date::from_calendar_date(year?, month?, day?).ok()
}

/// The year of a number with that many digits. Of the two digits of RFC 850, 69 is 2069 and 70 is
/// 1970.
fn full_year(number: i32, digits: usize) -> i32 {
    match digits {
        2 if number < 70 => 2000 + number,
        2 => 1900 + number,
        _ => number,
    }
}

fn month_named(word: &str) -> Option<Month> {
    const NAMES: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let start = word.get(..3)?;
    let index = NAMES
        .iter()
        .position(|name| name.eq_ignore_ascii_case(start))?;
    Month::try_from(u8::try_from(index + 1).ok()?).ok()
}

/// `15:04`, `15:04:05`, `15:04:05.678`.
fn clock_time(text: &str) -> Option<Time> {
    let mut parts = text.split([':', '.']);
    let mut next = || parts.next().map_or(Ok(0), str::parse::<u8>).ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    // A leap second is written as 60; here it is the second before.
    Time::from_hms(hour, minute, second.min(59)).ok()
}

/// The offset from UTC of a zone: `+08:00`, `-0800`, one of RFC 822's names, or a few others.
fn offset_seconds(zone: &str) -> i64 {
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => {
            let name = zone.split(|char: char| !char.is_ascii_alphabetic()).next();
            return named_offset_hours(name.unwrap_or("")) * 3600;
        }
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).take(4).collect();
    let number = |range: std::ops::Range<usize>| -> i64 {
        digits
            .get(range)
            .and_then(|part| part.parse().ok())
            .unwrap_or(0)
    };
    sign * (number(0..2) * 3600 + number(2..4) * 60)
}

fn named_offset_hours(name: &str) -> i64 {
    match name.to_ascii_uppercase().as_str() {
        "PST" => -8,
        "PDT" | "MST" => -7,
        "MDT" | "CST" => -6,
        "CDT" | "EST" => -5,
        "EDT" => -4,
        "CET" => 1,
        "CEST" | "EET" => 2,
        "MSK" => 3,
        "JST" | "KST" => 9,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<i64>) {
        assert_eq!(unix_seconds(text), expected, "{text:?}");
    }

    #[test]
    fn widely_used_forms_name_the_same_moment() {
        let moment = Some(1_277_506_800); // 2010-06-25T23:00:00Z
        check("25 Jun 2010 15:00:00 PST", moment);
        check("Friday, 25-Jun-10 15:00:00 PST", moment);
        check("Fri, 25 Jun 2010 23:00:00 GMT", moment);
        check("Fri, 25 Jun 2010 23:00 +0000", moment);
        check("June 25, 2010 23:00", moment);
        check("2010-06-25T23:00:00Z", moment);
        check("2010-06-26T07:00:00.5+08:00", moment);
        check("2010-06-25 23:00", moment);
    }

    #[test]
    fn a_date_alone_is_its_last_second() {
        check("2010-06-25", Some(1_277_510_399));
        check("25 Jun 2010", Some(1_277_510_399));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "25 Jun",
            "2010-13-01",
            "31 Feb 2010",
            "25 Jun 2010 99:00",
            ":",
        ] {
            check(text, None);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_moment_or_none(text in "\\PC{0,40}", date in "[0-9TZ:. +-]{0,30}") {
            unix_seconds(&text);
            unix_seconds(&date);
        }
    }
}
