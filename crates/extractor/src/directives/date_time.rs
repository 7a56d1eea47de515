//! Parsing the date and time of `unavailable_after`, to seconds since 1970.
//!
//! The directive allows "any widely used format": RFC 822, RFC 850, ISO 8601, what `date` and JavaScript write,
//! hours of twelve, and mixtures of them. A date without a time means the last second of the day; an unknown
//! zone is taken for UTC.

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
            let (before, rest) = text.split_at(time_at);
            (named_date(before, rest)?, rest)
        }
    };
    let rest = rest.trim_start_matches(['T', 't', ' ']);
    let time_end = rest
        .find(|char: char| !char.is_ascii_digit() && char != ':' && char != '.')
        .unwrap_or(rest.len());
    let (half, zone) = half_of_day(rest[time_end..].trim());
    let time = match &rest[..time_end] {
        "" => Time::from_hms(23, 59, 59).ok()?,
        digits => clock_time(digits, half)?,
    };
    let local = PrimitiveDateTime::new(date, time).assume_utc();
    Some(local.unix_timestamp() - offset_seconds(zone))
}

/// `2027-06-25` and what follows it.
fn iso_date(text: &str) -> Option<(Date, &str)> {
    let year = text.get(..4)?.parse().ok()?;
    let month: u8 = text.get(4..7)?.strip_prefix('-')?.parse().ok()?;
    let day = text.get(7..10)?.strip_prefix('-')?.parse().ok()?;
    let date = Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()?;
    Some((date, &text[10..]))
}

/// `Fri, 25 Jun 2027`, `Friday, 25-Jun-27`, `June 25th, 2027`. The year may come after the time: `Fri Jun 25
/// 15:00:00 PST 2027`.
fn named_date(before: &str, after: &str) -> Option<Date> {
    let words = before.split(|char: char| !char.is_alphanumeric());
    let is_year = |word: &&str| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let words = words.chain(after.split_ascii_whitespace().filter(is_year));
    let (mut day, mut month, mut year) = (None, None, None);
    for word in words.filter(|word| !word.is_empty()) {
        let word = without_ordinal(word);
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

/// `25th` as `25`.
fn without_ordinal(word: &str) -> &str {
    let digits = word.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let ending = &word[digits.len()..];
    let is_ordinal = ["st", "nd", "rd", "th"]
        .iter()
        .any(|ordinal| ordinal.eq_ignore_ascii_case(ending));
    match is_ordinal && !digits.is_empty() {
        true => digits,
        false => word,
    }
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

/// The half of a day that an hour of twelve is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Afternoon,
}

/// `PM`, `p.m.` or `am` after a time, and what follows it.
fn half_of_day(text: &str) -> (Option<Half>, &str) {
    let names = [
        ("a.m.", Half::Morning),
        ("am", Half::Morning),
        ("p.m.", Half::Afternoon),
        ("pm", Half::Afternoon),
    ];
    for (name, half) in names {
        let Some((start, rest)) = text.split_at_checked(name.len()) else {
            continue;
        };
        // `AMT` is a zone.
        let is_word = !rest.starts_with(|char: char| char.is_alphanumeric());
        if is_word && start.eq_ignore_ascii_case(name) {
            return (Some(half), rest.trim_start());
        }
    }
    (None, text)
}

/// `15:04`, `15:04:05`, `15:04:05.678`, `3:04` of a half of the day.
fn clock_time(text: &str, half: Option<Half>) -> Option<Time> {
    let mut parts = text.split([':', '.']);
    let mut next = || parts.next().map_or(Ok(0), str::parse::<u8>).ok();
    let (hour, minute, second) = (next()?, next()?, next()?);
    let hour = match half {
        Some(Half::Morning) if hour == 12 => 0,
        Some(Half::Afternoon) if hour < 12 => hour + 12,
        Some(Half::Morning | Half::Afternoon) | None => hour,
    };
    // A leap second is written as 60; here it is the second before.
    Time::from_hms(hour, minute, second.min(59)).ok()
}

/// The offset from UTC of a zone: `+08:00`, `-0800`, `GMT+8`, one of RFC 822's names, or a few others.
fn offset_seconds(zone: &str) -> i64 {
    let name_end = zone
        .find(|char: char| !char.is_ascii_alphabetic())
        .unwrap_or(zone.len());
    let (name, offset) = zone.split_at(name_end);
    let is_utc = ["", "gmt", "utc"].contains(&name.to_ascii_lowercase().as_str());
    let sign = match offset.as_bytes().first() {
        Some(b'+') if is_utc => 1,
        Some(b'-') if is_utc => -1,
        _ => return named_offset_minutes(name) * 60,
    };
    let mut parts = offset[1..].split(|char: char| !char.is_ascii_digit() && char != ':');
    let digits = parts.next().unwrap_or("");
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None => digits.split_at(match digits.len() {
            0..=2 => digits.len(),
            3 => 1,
            _ => 2,
        }),
    };
    let number = |text: &str| text.get(..text.len().min(2)).unwrap_or("").parse::<i64>();
    sign * (number(hours).unwrap_or(0) * 3600 + number(minutes).unwrap_or(0) * 60)
}

/// Of names that several zones have, those of RFC 822 are meant.
fn named_offset_minutes(name: &str) -> i64 {
    let hours = match name.to_ascii_uppercase().as_str() {
        "HST" => -10,
        "AKST" => -9,
        "PST" | "AKDT" => -8,
        "PDT" | "MST" => -7,
        "MDT" | "CST" => -6,
        "CDT" | "EST" => -5,
        "EDT" => -4,
        "BRT" => -3,
        "CET" | "BST" | "WEST" => 1,
        "CEST" | "EET" | "SAST" => 2,
        "MSK" | "EEST" => 3,
        "IST" => return 5 * 60 + 30,
        "HKT" | "SGT" | "AWST" => 8,
        "JST" | "KST" => 9,
        "ACST" => return 9 * 60 + 30,
        "AEST" => 10,
        "AEDT" => 11,
        "NZST" => 12,
        "NZDT" => 13,
        _ => 0,
    };
    hours * 60
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
    fn hours_of_twelve_ordinals_and_zones_behind_them_count() {
        // `PM` was taken for a zone that is not known: the page was dropped 17 hours before its time.
        let moment = Some(1_277_506_800); // 2010-06-25T23:00:00Z
        check("25 Jun 2010 6:00 PM EST", moment);
        check("25-Jun-2010 03:00:00 pm PST", moment);
        check("June 25th, 2010, 11:00 p.m.", moment);
        check("2010-06-25 06:00:00PM -0500", moment);
        check("26 Jun 2010 12:00 am GMT+1", moment);
        check("Jun 25th 2010 12:00 PM", Some(1_277_506_800 - 11 * 3600));
        check("25 Jun 2010 23:00 PM", moment);
        check("25 Jun 2010 13:00 AMT", Some(1_277_506_800 - 10 * 3600));
    }

    #[test]
    fn zones_are_read_as_they_are_written() {
        let moment = Some(1_277_506_800);
        check(
            "Fri Jun 25 2010 15:00:00 GMT-0800 (Pacific Standard Time)",
            moment,
        );
        check("Sat, 26 Jun 2010 07:00 UTC+8", moment);
        check("26 Jun 2010 04:30 +5:30", moment);
        check("26 Jun 2010 04:30 IST", moment);
        check("26 Jun 2010 09:00 AEST", moment);
        check("Fri Jun 25 15:00:00 PST 2010", moment);
        check("Fri Jun 25 23:00:00 2010", moment);
        check("Fri Jun 25 23:00 +0800", None);
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
