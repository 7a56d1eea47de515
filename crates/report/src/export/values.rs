//! Values as rows have them.

use serde_json::Value;
use time::format_description::well_known::{Iso8601, Rfc3339};
use time::{Date, OffsetDateTime, UtcOffset};

use crate::words;

/// A time for a row; null for none.
pub(super) fn iso(ms: u64) -> Value {
    match words::instant(ms) {
        text if ms == 0 || text.is_empty() => Value::Null,
        text => Value::String(text),
    }
}

/// A time as a page wrote it, as a time for a row: RFC 3339 in UTC; null for what is none. A date
/// alone is its midnight, a month or year its first day, and a time without an offset is UTC.
pub(super) fn moment(text: &str) -> Value {
    let text = text.trim();
    let Some(day) = text.get(..10).and_then(day) else {
        let whole = match text.len() {
            4 => format!("{text}-01-01"),
            7 => format!("{text}-01"),
            _ => return Value::Null,
        };
        return day(&whole).map_or(Value::Null, |day| at(day.midnight().assume_utc()));
    };
    let clock = text[10..].trim_start_matches(['T', 't', ' ']);
    if clock.is_empty() {
        return at(day.midnight().assume_utc());
    }
    let digits = clock.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'));
    let (clock, offset) = clock.split_at(digits.unwrap_or(clock.len()));
    let seconds = if clock.matches(':').count() == 1 {
        ":00"
    } else {
        ""
    };
    let offset = match offset.trim() {
        "" => "Z".to_owned(),
        offset if offset.len() == 5 && !offset.contains(':') && offset.is_ascii() => {
            format!("{}:{}", &offset[..3], &offset[3..])
        }
        offset => offset.to_owned(),
    };
    let whole = format!("{day}T{clock}{seconds}{offset}");
    OffsetDateTime::parse(&whole, &Rfc3339).map_or_else(
        |_| at(day.midnight().assume_utc()),
        |time| at(time.to_offset(UtcOffset::UTC)),
    )
}

fn day(text: &str) -> Option<Date> {
    Date::parse(text, &Iso8601::DATE).ok()
}

/// Such a time; null before 1970, which a page has not been published before.
fn at(time: OffsetDateTime) -> Value {
    let ms = u64::try_from(time.unix_timestamp_nanos() / 1_000_000);
    ms.map_or(Value::Null, iso)
}

/// A short decimal for an `f32`: 0.7 and not 0.699999988079071.
pub(super) fn decimal(value: f32) -> Value {
    let rounded = (f64::from(value) * 10_000.0).round() / 10_000.0;
    serde_json::Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

/// A text; null for an empty one.
pub(super) fn text_or_null(text: &str) -> Value {
    match text {
        "" => Value::Null,
        text => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_of_pages_have_one_form() {
        for (text, time) in [
            ("2024-05-01", "2024-05-01T00:00:00.000Z"),
            ("2024-05-01T10:00:00+08:00", "2024-05-01T02:00:00.000Z"),
            ("2024-05-01T10:00:00+0800", "2024-05-01T02:00:00.000Z"),
            ("2024-05-01 10:00", "2024-05-01T10:00:00.000Z"),
            ("2024-05-01T10:00:00.25Z", "2024-05-01T10:00:00.250Z"),
            ("2024-05", "2024-05-01T00:00:00.000Z"),
            ("2024", "2024-01-01T00:00:00.000Z"),
            ("2024-05-01T99:00", "2024-05-01T00:00:00.000Z"),
        ] {
            assert_eq!(moment(text), json!(time), "{text}");
        }
        for bad in [
            "",
            "soon",
            "数据库数据库",
            "2024-13-01",
            "1066-10-14",
            "2024-5-1",
        ] {
            assert_eq!(moment(bad), Value::Null, "{bad}");
        }
    }

    #[test]
    fn values_are_short_and_null_where_there_is_none() {
        assert_eq!(decimal(0.7), json!(0.7));
        assert_eq!(decimal(f32::NAN), Value::Null);
        assert_eq!((iso(0), text_or_null("")), (Value::Null, Value::Null));
        assert!(
            iso(1_700_000_000_000)
                .as_str()
                .is_some_and(|at| at.starts_with("2023-11-14T"))
        );
    }
}
