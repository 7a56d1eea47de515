//! From which day to which: a filter that is read before it is applied.

use time::Date;
use time::macros::format_description;

use crate::lists::filled;

/// The days of a filter, in the form in which days are compared, `YYYY-MM-DD`; either end may be open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Days {
    since: Option<String>,
    until: Option<String>,
}

impl Days {
    /// Reads both ends.
    ///
    /// # Errors
    /// When one is no day of the calendar, or they stand in the wrong order.
    pub(crate) fn read(since: &Option<String>, until: &Option<String>) -> Result<Self, String> {
        let days = Self {
            since: day("since", since)?,
            until: day("until", until)?,
        };
        match (&days.since, &days.until) {
            (Some(since), Some(until)) if since > until => Err(format!(
                "since is {since} and until is {until}: no day lies between them"
            )),
            _ => Ok(days),
        }
    }

    /// Whether the day of a time lies between the ends. A page without a time fits only where both are open.
    pub(crate) fn hold(&self, time: &str) -> bool {
        let day = time.get(..10).unwrap_or(time);
        let dated = !day.is_empty();
        let fits = |end: &Option<String>, fit: fn(&str, &str) -> bool| {
            end.as_deref().is_none_or(|end| dated && fit(day, end))
        };
        fits(&self.since, |day, since| day >= since) && fits(&self.until, |day, until| day <= until)
    }
}

/// A day of the calendar, where one is given.
pub(crate) fn day(name: &str, text: &Option<String>) -> Result<Option<String>, String> {
    let Some(text) = filled(text) else {
        return Ok(None);
    };
    match Date::parse(text, format_description!("[year]-[month]-[day]")) {
        Ok(_) => Ok(Some(text.to_owned())),
        Err(_) => Err(format!("{name} is a day of the calendar, as in 2026-05-31")),
    }
}

/// When a day begins, UTC, in milliseconds since the Unix epoch; 0 for what is no day, or one before it.
pub(crate) fn midnight_ms(day: &str) -> u64 {
    let day = Date::parse(day, format_description!("[year]-[month]-[day]"));
    let at = day.map_or(0, |day| day.midnight().assume_utc().unix_timestamp());
    u64::try_from(at).unwrap_or(0) * 1_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(since: &str, until: &str) -> Result<Days, String> {
        Days::read(&Some(since.to_owned()), &Some(until.to_owned()))
    }

    #[test]
    fn both_ends_belong_to_the_days() {
        let days = read("2026-01-31", "2026-02-01").expect("two days");
        assert_eq!(midnight_ms("1970-01-02"), 86_400_000);
        assert_eq!(midnight_ms("1969-01-02"), 0);
        assert!(days.hold("2026-01-31T00:00:00Z"));
        assert!(days.hold("2026-02-01T23:59:59Z"));
        assert!(days.hold("2026-02-01"));
        assert!(!days.hold("2026-01-30T23:59:59Z"));
        assert!(!days.hold("2026-02-02"));
    }

    #[test]
    fn a_page_without_a_time_fits_where_no_day_is_asked_for() {
        assert!(Days::default().hold(""));
        assert!(!read("", "2026-02-01").expect("one end").hold(""));
        assert!(!read("2026-02-01", " ").expect("one end").hold(""));
    }

    #[test]
    fn what_is_no_day_is_told_by_its_name() {
        for text in [
            "yesterday",
            "2026-02-30",
            "2026-2-3",
            "2026",
            "2026-05-01T00:00:00Z",
            "９９９９-01-01",
        ] {
            let told = read(text, "").expect_err(text);
            assert!(told.starts_with("since is a day"), "{told}");
            let told = read("", text).expect_err(text);
            assert!(told.starts_with("until is a day"), "{told}");
        }
        let told = read("2026-02-02", "2026-02-01").expect_err("the wrong order");
        assert!(told.contains("no day lies between"), "{told}");
    }
}
