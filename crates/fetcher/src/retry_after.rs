//! `Retry-After`: how long a host asks to be left alone (RFC 9110 §10.2.3).
//!
//! Either a number of seconds or a date in one of HTTP's three forms, of which two have been
//! obsolete since 1999 and are still seen. A date in the past means now. Whatever is asked for,
//! no more than [`RETRY_AFTER_MAX`] comes out: a server's typing error must not park a host
//! until the year 9999.

use std::time::{Duration, SystemTime};

/// The longest wait that is honoured: a week.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// Reads the value of a Retry-After header, seen from `now`. `None` when it is neither form.
pub fn parse(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) {
        // More digits than u64 holds is still a long time.
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
    }
    let then = http_date(value, now)?;
    let wait = then.duration_since(now).unwrap_or(Duration::ZERO);
    Some(wait.min(RETRY_AFTER_MAX))
}

/// Reads an HTTP date: IMF-fixdate, RFC 850 or asctime (RFC 9110 §5.6.7).
///
/// `now` places RFC 850's two-digit year: at most 50 years ahead.
pub fn http_date(value: &str, now: SystemTime) -> Option<SystemTime> {
    let value = value.trim();
    let (day, month, year, clock) = match value.split_once(',') {
        Some((_, rest)) => {
            let mut parts = rest.split([' ', '-']).filter(|p| !p.is_empty());
            let day = digits(parts.next()?, 1, 2)?;
            let month = month(parts.next()?)?;
            let year = parts.next()?;
            let year = match year.len() {
                4 => digits(year, 4, 4)?,
                2 => full_year(digits(year, 2, 2)?, now),
                _ => return None,
            };
            let clock = parts.next()?;
            let zone = parts.next()?;
            if !matches!(zone, "GMT" | "UTC") || parts.next().is_some() {
                return None;
            }
            (day, month, year, clock)
        }
        None => {
            // asctime: Sun Nov  6 08:49:37 1994
            let mut parts = value.split_ascii_whitespace();
            parts.next()?;
            let month = month(parts.next()?)?;
            let day = digits(parts.next()?, 1, 2)?;
            let clock = parts.next()?;
            let year = digits(parts.next()?, 4, 4)?;
            if parts.next().is_some() {
                return None;
            }
            (day, month, year, clock)
        }
    };
    let mut clock = clock.split(':');
    let hour = digits(clock.next()?, 2, 2)?;
    let minute = digits(clock.next()?, 2, 2)?;
    let second = digits(clock.next()?, 2, 2)?;
    let in_range = (1..=days_in(month, year)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60
        && clock.next().is_none();
    if !in_range {
        return None;
    }
    let days = days_since_1970(year, month, day);
    let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second;
    if seconds >= 0 {
        SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.unsigned_abs()))
    } else {
        SystemTime::UNIX_EPOCH.checked_sub(Duration::from_secs(seconds.unsigned_abs()))
    }
}

fn digits(text: &str, least: usize, most: usize) -> Option<i64> {
    let plain = (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn month(name: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let name = name.to_ascii_lowercase();
    let index = MONTHS.iter().position(|m| *m == name)?;
    i64::try_from(index + 1).ok()
}

fn full_year(two_digits: i64, now: SystemTime) -> i64 {
    let seconds = now
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    // A mean year is exact enough to choose the century.
    let this_year = 1970 + i64::try_from(seconds / 31_556_952).unwrap_or(0);
    let year = this_year - this_year % 100 + two_digits;
    if year > this_year + 50 {
        year - 100
    } else {
        year
    }
}

fn days_in(month: i64, year: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the epoch to a date of the Gregorian calendar: Howard Hinnant's `days_from_civil`.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_value_is_bounded(value in "\\PC{0,40}|[0-9A-Za-z ,:-]{0,40}", now in 0u64..1 << 40) {
            let wait = parse(&value, at(now));
            prop_assert!(wait.is_none_or(|wait| wait <= RETRY_AFTER_MAX));
        }
    }

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[track_caller]
    fn check(value: &str, seconds: Option<u64>) {
        // 1994-11-06 08:49:00 UTC
        let got = parse(value, at(784_111_740));
        assert_eq!(got, seconds.map(Duration::from_secs), "{value}");
    }

    #[test]
    fn seconds_are_read_and_bounded() {
        check("2", Some(2));
        check(" 120 ", Some(120));
        check("0", Some(0));
        check("99999999", Some(7 * 24 * 3600));
        check("99999999999999999999999999", Some(7 * 24 * 3600));
    }

    #[test]
    fn all_three_date_forms_are_the_same_moment() {
        check("Sun, 06 Nov 1994 08:49:37 GMT", Some(37));
        check("Sunday, 06-Nov-94 08:49:37 GMT", Some(37));
        check("Sun Nov  6 08:49:37 1994", Some(37));
    }

    #[test]
    fn a_date_in_the_past_means_now() {
        check("Sun, 06 Nov 1994 08:48:00 GMT", Some(0));
        check("Thu, 01 Jan 1601 00:00:00 GMT", Some(0));
    }

    #[test]
    fn what_is_neither_form_says_nothing() {
        for value in [
            "",
            "soon",
            "-1",
            "1.5",
            "12s",
            "Sun, 06 Nov 1994",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 PST",
            "２",
        ] {
            check(value, None);
        }
    }

    #[test]
    fn a_two_digit_year_is_within_fifty_years_ahead() {
        let now = at(1_763_000_000); // 2025
        let seconds = |text| {
            http_date(text, now)
                .unwrap()
                .duration_since(SystemTime::UNIX_EPOCH)
                .unwrap()
                .as_secs()
        };
        assert_eq!(seconds("Wednesday, 01-Jan-70 00:00:00 GMT"), 3_155_760_000);
        assert_eq!(seconds("Saturday, 01-Jan-94 00:00:00 GMT"), 757_382_400);
    }
}
