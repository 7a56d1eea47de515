//! `Retry-After`: how long a host asks to be left alone (RFC 9110 §10.2.3).
//!
//! The value is a number of seconds or a date in one of HTTP's three forms. Two of them have been
//! obsolete since 1999 and are still in use. A date in the past means no wait. No wait is longer than
//! [`RETRY_AFTER_MAX`], so that a mistaken year does not block a host for ever. A date is one of the server's clock, so
//! the wait is counted from the answer's `Date` where it has one.
//!
//! Values are read leniently: parts of seconds, any weekday, days of one digit, months in any case, `UTC` for
//! `GMT`, years before 1970.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use time::{Date, Month};

/// The longest wait that is honoured: a week.
pub const RETRY_AFTER_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// The wait that the value of a Retry-After header asks for at the time `now`; `None` for a value
/// that is neither a number nor a date.
pub fn parse(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let (whole, part) = value.split_once('.').unwrap_or((value, "0"));
    if is_number(whole) && is_number(part) {
        // A number too large for u64 is a long time, too.
        let seconds: u64 = whole.parse().unwrap_or(u64::MAX);
        let more = u64::from(part.bytes().any(|digit| digit != b'0'));
        return Some(Duration::from_secs(seconds.saturating_add(more)).min(RETRY_AFTER_MAX));
    }
    let then = http_date(value, now)?;
    let wait = then.duration_since(now).unwrap_or(Duration::ZERO);
    Some(wait.min(RETRY_AFTER_MAX))
}

/// The same for a header beside the answer's own `Date`, where it has one that can be read.
pub(crate) fn parse_at(value: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let sent = date.and_then(|date| http_date(date.trim(), now));
    parse(value, sent.unwrap_or(now))
}

/// The time of an HTTP date: IMF-fixdate, RFC 850 or asctime (RFC 9110 §5.6.7).
///
/// The two-digit year of RFC 850 is taken as at most 50 years after `now`.
fn http_date(value: &str, now: SystemTime) -> Option<SystemTime> {
    let (day, month, year, clock) = match value.split_once(',') {
        // Sun, 06 Nov 1994 08:49:37 GMT and Sunday, 06-Nov-94 08:49:37 GMT
        Some((_, rest)) => {
            let parts = rest.split([' ', '-']).filter(|part| !part.is_empty());
            let parts: Vec<&str> = parts.take(6).collect();
            let [day, month, year, clock, "GMT" | "UTC"] = parts[..] else {
                return None;
            };
            let year = match year.len() {
                2 => full_year(digits(year, 2..=2)?, now),
                _ => digits(year, 4..=4)?,
            };
            (day, month, year, clock)
        }
        // Sun Nov  6 08:49:37 1994
        None => {
            let parts: Vec<&str> = value.split_ascii_whitespace().take(6).collect();
            let [_, month, day, clock, year] = parts[..] else {
                return None;
            };
            (day, month, digits(year, 4..=4)?, clock)
        }
    };
    let date = Date::from_calendar_date(year, month_named(month)?, digits(day, 1..=2)?).ok()?;
    let seconds = date.midnight().assume_utc().unix_timestamp() + clock_seconds(clock)?;
    let distance = Duration::from_secs(seconds.unsigned_abs());
    match seconds >= 0 {
        true => SystemTime::UNIX_EPOCH.checked_add(distance),
        false => SystemTime::UNIX_EPOCH.checked_sub(distance),
    }
}

fn month_named(name: &str) -> Option<Month> {
    const NAMES: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let index = NAMES
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))?;
    Month::try_from(u8::try_from(index + 1).ok()?).ok()
}

/// The seconds since midnight of `08:49:37`; a leap second is the 60th.
fn clock_seconds(clock: &str) -> Option<i64> {
    let parts: Vec<&str> = clock.split(':').take(4).collect();
    let [hour, minute, second] = parts[..] else {
        return None;
    };
    let [hour, minute, second]: [i64; 3] = [
        digits(hour, 2..=2)?,
        digits(minute, 2..=2)?,
        digits(second, 2..=2)?,
    ];
    (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3_600 + minute * 60 + second)
}

/// A number of ASCII digits, so many.
fn digits<T: FromStr>(text: &str, count: RangeInclusive<usize>) -> Option<T> {
    let is_number = count.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn full_year(two_digits: i32, now: SystemTime) -> i32 {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH);
    let seconds = seconds.map_or(0, |since| since.as_secs());
    // The mean length of a year is exact enough to choose the century.
    let this_year = 1970 + i32::try_from(seconds / 31_556_952).unwrap_or(0);
    let year = this_year - this_year % 100 + two_digits;
    if year > this_year + 50 {
        year - 100
    } else {
        year
    }
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
        check("4.5", Some(5));
        check("4.0", Some(4));
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
    fn a_date_in_the_past_means_no_wait() {
        check("Sun, 06 Nov 1994 08:48:00 GMT", Some(0));
        check("Thu, 01 Jan 1601 00:00:00 GMT", Some(0));
    }

    #[test]
    fn a_date_is_one_of_the_servers_clock() {
        let value = "Sun, 06 Nov 1994 09:49:37 GMT";
        let now = at(784_111_740);
        for (date, seconds) in [
            (Some("Sun, 06 Nov 1994 09:49:32 GMT"), 5),
            (Some("soon"), 3_637),
            (None, 3_637),
        ] {
            let wait = parse_at(value, date, now);
            assert_eq!(wait, Some(Duration::from_secs(seconds)), "{date:?}");
        }
    }

    #[test]
    fn a_value_of_neither_form_is_ignored() {
        for value in [
            "",
            "soon",
            "-1",
            "1.",
            ".5",
            "1.5.1",
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
