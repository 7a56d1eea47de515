//! JSON that a page holds, read within a bound on the memory that it takes.
//!
//! A list takes up to 200 bytes and an object 640, however short they are, so that a megabyte of `{"":0}` would take
//! 90. So only so many lists and objects are read; in the place of each further one stands `null`. What
//! is no list and no object takes little more than it is long.
//!
//! ```text
//!   [{"a":1},{"b":2},{"c":3},"d"]   with three left:   [{"a":1},{"b":2},null,"d"]
//! ```
//!
//! Cost: two passes over the text of a value, one if it is none.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Error, Map, Value};

/// The value that a text begins with, and its length in bytes; of `left` lists and objects those that it has are taken
/// off.
///
/// # Errors
/// How many bytes were read until it was found to be no JSON. Then nothing is taken off.
pub(crate) fn value(text: &str, left: &mut usize) -> Result<(Value, usize), usize> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let raw = match values.next() {
        Some(Ok(raw)) => raw,
        Some(Err(error)) => return Err(offset(text, &error)),
        None => return Err(text.len()),
    };
    let length = values.byte_offset();
    let mut still_left = *left;
    let read = Bounded {
        left: &mut still_left,
    };
    let mut json = serde_json::Deserializer::from_str(raw.get());
    let value = read.deserialize(&mut json).map_err(|_| length)?;
    *left = still_left;
    Ok((value, length))
}

/// The value that a text is.
pub(crate) fn whole(text: &str, left: &mut usize) -> Option<Value> {
    let mut still_left = *left;
    let (value, length) = value(text, &mut still_left).ok()?;
    let is_whole = text[length..].trim_ascii().is_empty();
    is_whole.then(|| {
        *left = still_left;
        value
    })
}

/// Where in a text an error was found.
fn offset(text: &str, error: &Error) -> usize {
    let lines_before = error.line().saturating_sub(1);
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let line = match lines_before.checked_sub(1) {
        Some(before) => ends.nth(before).map_or(0, |end| end + 1),
        None => 0,
    };
    (line + error.column().saturating_sub(1)).min(text.len())
}

/// Makes a value of at most so many lists and objects.
struct Bounded<'l> {
    left: &'l mut usize,
}

impl Bounded<'_> {
    /// Whether one more is read.
    fn admits(&mut self) -> bool {
        let admits = *self.left > 0;
        *self.left -= usize::from(admits);
        admits
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut json: A) -> Result<Value, A::Error> {
        if !self.admits() {
            while json.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut items = Vec::new();
        while let Some(item) = json.next_element_seed(Bounded { left: self.left })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut json: A) -> Result<Value, A::Error> {
        if !self.admits() {
            while json.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Value::Null);
        }
        let mut fields = Map::new();
        while let Some(key) = json.next_key::<String>()? {
            let value = json.next_value_seed(Bounded { left: self.left })?;
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_what_it_would_be_without_a_bound() {
        for text in [
            r#"{"a":[1,-2,3.5,"b\u00e9",null,true,{}],"a":{"c":[]}}"#,
            "18446744073709551615",
            "1e300",
            "[[[[]]]]",
            "\"\"",
        ] {
            let mut left = 100;
            let (read, length) = value(&format!("{text} ;x"), &mut left).expect(text);
            assert_eq!(read, serde_json::from_str::<Value>(text).expect(text));
            assert_eq!(length, text.len(), "{text}");
            assert_eq!(whole(&format!("{text}\n"), &mut left), Some(read));
            assert_eq!(whole(&format!("{text} ;x"), &mut left), None);
        }
    }

    #[test]
    fn no_more_lists_and_objects_are_read_than_are_left() {
        // A megabyte of them took ninety, and as many as fitted were made.
        let text = r#"[{"a":1},{"b":[]},{"c":[{}],"d":{"e":1}},[],"d"]"#;
        let mut left = 4;
        let (read, length) = value(text, &mut left).expect(text);
        assert_eq!(read.to_string(), r#"[{"a":1},{"b":[]},null,null,"d"]"#);
        assert_eq!((length, left), (text.len(), 0));
    }

    #[test]
    fn what_is_no_json_tells_how_far_it_was_read_and_takes_nothing_off() {
        for (text, read) in [
            ("{\"a\":!0}", 5),
            ("[1,\n{\"b\": undefined}]", 10),
            ("{\"a\":[1,2", 8),
            ("", 0),
            ("\"a", 1),
        ] {
            let mut left = 5;
            assert_eq!(value(text, &mut left), Err(read), "{text}");
            assert_eq!(left, 5, "{text}");
        }
    }

    #[test]
    fn json_however_deep_is_read_or_passed_over() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(value(&deep, &mut 1_000_000), Err(deep.len()));
        let beyond = value(&deep, &mut 5).expect("it is passed over");
        assert_eq!(beyond, (serde_json::json!([[[[[null]]]]]), deep.len()));
    }
}
