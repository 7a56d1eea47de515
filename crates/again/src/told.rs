//! Dates as sites write them in sitemaps and feeds: W3C (`2026-05-01T08:00:00+02:00`, or less of it) and
//! RFC 822 (`Fri, 01 May 2026 08:00:00 GMT`).

const DAY_MS: i64 = crate::clock::DAY_MS as i64;

/// A date may be so far ahead of our clock: one without a time is the end of its day, and days begin
/// earlier in the east.
const AHEAD_MAX_MS: u64 = 36 * 3_600_000;

/// Whether something can have happened at a date, as of now. A date in the future tells nothing, and all
/// honest dates that follow it would look older than it.
pub fn is_possible(date_ms: u64, now_ms: u64) -> bool {
    date_ms <= now_ms.saturating_add(AHEAD_MAX_MS)
}

/// Milliseconds since the Unix epoch; none for what is no date from then on. A date without a time is
/// the end of its day, and one without a zone is UTC.
pub fn date_ms(text: &str) -> Option<u64> {
    let text = text.trim();
    let ms = match text.as_bytes().first()? {
        b'0'..=b'9' if text.as_bytes().get(4).is_none_or(|sign| *sign == b'-') => w3c(text),
        _ => rfc822(text),
    }?;
    u64::try_from(ms).ok()
}

fn w3c(text: &str) -> Option<i64> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-').map(|part| part.parse::<i64>().ok());
    let year = parts.next()??;
    let (month, day) = match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => (12, 31),
        (Some(month), None, _) => (month?, days_of(year, month?)?),
        (Some(month), Some(day), None) => (month?, day?),
        (Some(_), Some(_), Some(_)) => return None,
    };
    let day_ms = days_since_epoch(year, month, day)? * DAY_MS;
    match time {
        None => Some(day_ms + DAY_MS - 1),
        Some(time) => {
            let (clock, zone) = match time.find(['Z', 'z', '+', '-']) {
                Some(at) => time.split_at(at),
                None => (time, "Z"),
            };
            Some(day_ms + clock_ms(clock)? - zone_ms(zone)?)
        }
    }
}

fn rfc822(text: &str) -> Option<i64> {
    let text = text.split_once(',').map_or(text, |(_, rest)| rest);
    let mut words = text.split_ascii_whitespace();
    let day = words.next()?.parse().ok()?;
    let name = words.next()?.get(..3)?.to_ascii_lowercase();
    let months = "jan feb mar apr may jun jul aug sep oct nov dec";
    let month = months.split(' ').position(|known| known == name)? as i64 + 1;
    let year: i64 = words.next()?.parse().ok()?;
    let year = match year {
        0..=69 => year + 2_000,
        70..=99 => year + 1_900,
        _ => year,
    };
    let day_ms = days_since_epoch(year, month, day)? * DAY_MS;
    let Some(clock) = words.next() else {
        return Some(day_ms + DAY_MS - 1);
    };
    Some(day_ms + clock_ms(clock)? - zone_ms(words.next().unwrap_or("Z"))?)
}

/// `08:30` or `08:30:15.25`.
fn clock_ms(clock: &str) -> Option<i64> {
    let mut parts = clock.split(':');
    let hours: i64 = parts.next()?.parse().ok()?;
    let minutes: i64 = parts.next()?.parse().ok()?;
    let seconds: f64 = parts.next().map_or(Some(0.0), |part| part.parse().ok())?;
    let is_time = (0..=24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0.0..61.0).contains(&seconds)
        && parts.next().is_none();
    is_time.then(|| (hours * 60 + minutes) * 60_000 + (seconds * 1_000.0) as i64)
}

/// `Z`, `+02:00`, `-0530`, or a name of RFC 822.
fn zone_ms(zone: &str) -> Option<i64> {
    let hours = |hours: i64| Some(hours * 3_600_000);
    match zone.to_ascii_uppercase().as_str() {
        "Z" | "GMT" | "UT" | "UTC" => return Some(0),
        "EST" | "CDT" => return hours(-5),
        "EDT" => return hours(-4),
        "CST" | "MDT" => return hours(-6),
        "MST" | "PDT" => return hours(-7),
        "PST" => return hours(-8),
        _ => {}
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone[1..].chars().filter(|char| *char != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (h, m): (i64, i64) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    Some(sign * (h * 60 + m) * 60_000)
}

fn days_of(year: i64, month: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 => Some(28 + i64::from(is_leap)),
        4 | 6 | 9 | 11 => Some(30),
        1 | 3 | 5 | 7 | 8 | 10 | 12 => Some(31),
        _ => None,
    }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant, *chrono-compatible
/// low-level date algorithms*).
fn days_since_epoch(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_date = (1970..10_000).contains(&year) && day >= 1 && day <= days_of(year, month)?;
    if !is_date {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year / 400;
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_both_forms_are_read() {
        // 2026-05-01T08:00:00Z.
        let at = 1_777_622_400_000;
        for text in [
            "2026-05-01T08:00:00Z",
            "2026-05-01T10:00+02:00",
            " 2026-05-01 08:00:00.000 ",
            "Fri, 01 May 2026 08:00:00 GMT",
            "1 May 26 03:00 EST",
            "Fri, 01 May 2026 13:30:00 +0530",
        ] {
            assert_eq!(date_ms(text), Some(at), "{text}");
        }
        let day = at - 8 * 3_600_000;
        assert_eq!(date_ms("2026-05-01"), Some(day + DAY_MS as u64 - 1));
        assert_eq!(date_ms("2026-04"), Some(day - 1));
        assert_eq!(date_ms("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(date_ms("2024-02-29T00:00Z"), Some(1_709_164_800_000));
    }

    #[test]
    fn a_date_may_be_of_today_and_not_of_next_week() {
        let day = DAY_MS as u64;
        let ahead = |ms| is_possible(40 * day + ms, 40 * day);
        assert_eq!(
            [0, day, 2 * day, 400 * day].map(ahead),
            [true, true, false, false]
        );
        assert!(is_possible(u64::MAX, u64::MAX));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "soon",
            "2026-13-01",
            "2026-02-30",
            "1969-01-01",
            "2026-05-01T25:00Z",
            "2026-05-01T08:00:00+2",
            "99999-01-01",
            "1 Foo 2026",
            "2026-05-01-02",
            "é",
            "+",
            "1 é",
            "2026-05-01T08:00:00+é123",
            "-1-1-1",
            "2026-05-01T08:00:nanZ",
        ] {
            assert_eq!(date_ms(text), None, "{text}");
        }
    }
}
