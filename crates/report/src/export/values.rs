//! Values as rows have them.

use serde_json::Value;

use crate::words;

/// A time for a row; null for none.
pub(super) fn iso(ms: u64) -> Value {
    match words::instant(ms) {
        text if ms == 0 || text.is_empty() => Value::Null,
        text => Value::String(text),
    }
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
