//! The types that a key can have: how each is read, written and told.

use serde_json::{Value, json};

use crate::node::{Node, Written};
use crate::problem::Mistake;
use crate::units::{RATE_FORMS, Rate, SIZE_FORMS, SPAN_FORMS, Size, Span};

/// A type that a key can have.
pub(crate) trait Setting: Clone + PartialEq + 'static {
    /// What such a value is, with its article: `a duration`.
    fn kind() -> String;

    /// Reads a value; `key` names it in messages. A mistake without a mend is one about the range,
    /// which the key's rule knows best.
    fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>>;

    /// The value as JSON, as it stands in the journal.
    fn write(&self) -> Value;

    /// The JSON Schema of such a value.
    fn schema() -> Value;

    /// The names that such a value may have, each with what it stands for; empty where any value
    /// of the kind will do.
    fn choices() -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

/// A value of another kind than the key's.
pub(crate) fn mismatch<T: Setting>(node: &Node, key: &str, mend: String) -> Vec<Mistake> {
    misread(node, format!("{key} is {node}, not {}", T::kind()), mend)
}

fn misread(node: &Node, message: String, mend: String) -> Vec<Mistake> {
    vec![Mistake::new(node.place.start, message, mend)]
}

/// The mend for a number or a flag that stands in quotes, if that is all that is wrong with it.
fn without_quotes<T: std::str::FromStr>(node: &Node) -> Option<String> {
    let Written::Text(text) = &node.value else {
        return None;
    };
    let is_read = text.trim().parse::<T>().is_ok();
    is_read.then(|| format!("write {}, without quotes", text.trim()))
}

/// The mend for a number with a fraction or an exponent where a whole one is wanted.
fn as_whole_number(number: f64) -> String {
    // Beyond these a number with a fraction is not exact any more.
    const WHOLE_MAX: f64 = 9e15;
    match number.fract() == 0.0 && (0.0..WHOLE_MAX).contains(&number) {
        true => format!("write {number:.0}, without an exponent or a fraction"),
        false => "write a whole number, without an exponent or a fraction, such as 5".into(),
    }
}

macro_rules! whole_number {
    ($($type:ty),+) => {$(
        impl Setting for $type {
            fn kind() -> String {
                "a whole number".into()
            }
            fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
                match &node.value {
                    Written::Whole(number) => <$type>::try_from(*number)
                        .map_err(|_| misread(node, format!("{key} is {number}"), String::new())),
                    Written::Real(number) => {
                        Err(mismatch::<Self>(node, key, as_whole_number(*number)))
                    }
                    _ => {
                        let mend = without_quotes::<$type>(node);
                        let mend = mend.unwrap_or("write a number, such as 5".into());
                        Err(mismatch::<Self>(node, key, mend))
                    }
                }
            }
            fn write(&self) -> Value {
                json!(self)
            }
            fn schema() -> Value {
                json!({ "type": "integer", "minimum": 0 })
            }
        }
    )+};
}

whole_number!(u8, u32, u64, usize);

macro_rules! real_number {
    ($($type:ty),+) => {$(
        impl Setting for $type {
            fn kind() -> String {
                "a number".into()
            }
            fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
                match &node.value {
                    Written::Whole(number) => Ok(*number as $type),
                    Written::Real(number) => Ok(*number as $type),
                    _ => {
                        let mend = without_quotes::<$type>(node);
                        let mend = mend.unwrap_or("write a number, such as 0.5".into());
                        Err(mismatch::<Self>(node, key, mend))
                    }
                }
            }
            /// With the digits that people write: a single that is widened has others.
            fn write(&self) -> Value {
                json!(self.to_string().parse::<f64>().unwrap_or(f64::NAN))
            }
            fn schema() -> Value {
                json!({ "type": "number" })
            }
        }
    )+};
}

real_number!(f32, f64);

impl Setting for bool {
    fn kind() -> String {
        "true or false".into()
    }
    fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
        match &node.value {
            Written::Flag(flag) => Ok(*flag),
            _ => {
                let mend = without_quotes::<bool>(node);
                let mend = mend.unwrap_or("write true or false, without quotes".into());
                Err(mismatch::<Self>(node, key, mend))
            }
        }
    }
    fn write(&self) -> Value {
        json!(self)
    }
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl Setting for String {
    fn kind() -> String {
        "a text".into()
    }
    fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
        match &node.value {
            Written::Text(text) => Ok(text.clone()),
            Written::List(_) | Written::Table(_) | Written::Nothing | Written::Broken => {
                let mend = "write one text in quotes".into();
                Err(mismatch::<Self>(node, key, mend))
            }
            Written::Whole(_) | Written::Real(_) | Written::Flag(_) | Written::Date(_) => {
                let written = node.as_toml().unwrap_or_default();
                let mend = format!("write \"{written}\", in quotes");
                Err(mismatch::<Self>(node, key, mend))
            }
        }
    }
    fn write(&self) -> Value {
        json!(self)
    }
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn kind() -> String {
        match T::kind().strip_prefix("a ") {
            Some(kind) => format!("a list of {kind}s"),
            None => "a list".into(),
        }
    }
    fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
        let Written::List(nodes) = &node.value else {
            let mend = match (T::read(node, key), node.as_toml()) {
                (Ok(_), Some(one)) => format!("write it as a list: [{one}]"),
                _ => "write a list: [\"one\", \"another\"]".into(),
            };
            return Err(mismatch::<Self>(node, key, mend));
        };
        let (mut list, mut wrong) = (Vec::new(), Vec::new());
        // What the parser has told already is not told again.
        let is_torn = nodes.iter().any(|node| node.value == Written::Broken);
        for node in nodes.iter().filter(|node| node.value != Written::Broken) {
            match T::read(node, &format!("an entry of {key}")) {
                Ok(value) => list.push(value),
                Err(misread) => wrong.extend(misread),
            }
        }
        match wrong.is_empty() && !is_torn {
            true => Ok(list),
            false => Err(wrong),
        }
    }
    fn write(&self) -> Value {
        Value::Array(self.iter().map(T::write).collect())
    }
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

/// A key that need not be set.
impl<T: Setting> Setting for Option<T> {
    fn kind() -> String {
        T::kind()
    }
    fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
        match node.value {
            Written::Nothing => Ok(None),
            _ => T::read(node, key).map(Some),
        }
    }
    fn write(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::write)
    }
    fn schema() -> Value {
        T::schema()
    }
    fn choices() -> &'static [(&'static str, &'static str)] {
        T::choices()
    }
}

macro_rules! written_as_text {
    ($($type:ty, $kind:literal, $forms:expr, $missing:expr;)+) => {$(
        impl Setting for $type {
            fn kind() -> String {
                $kind.into()
            }
            fn read(node: &Node, key: &str) -> Result<Self, Vec<Mistake>> {
                match &node.value {
                    Written::Text(text) => <$type>::read(text).map_err(|message| {
                        misread(node, format!("{key}: {message}"), $forms.into())
                    }),
                    Written::Whole(number) if *number >= 0 => {
                        let mend = format!(
                            "write \"{number}{}\", in quotes and with its unit",
                            $missing
                        );
                        Err(mismatch::<Self>(node, key, mend))
                    }
                    _ => Err(mismatch::<Self>(node, key, $forms.into())),
                }
            }
            fn write(&self) -> Value {
                Value::String(self.to_string())
            }
            fn schema() -> Value {
                json!({ "type": "string" })
            }
        }
    )+};
}

written_as_text! {
    Span, "a duration", SPAN_FORMS, "s";
    Size, "a size", SIZE_FORMS, " MB";
    Rate, "a rate", RATE_FORMS, " MB/s";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Entry, from_toml};

    /// The message and the mend of a value that is wrong.
    #[track_caller]
    fn wrong<T: Setting>(toml: &str) -> (String, String) {
        let root = from_toml(&format!("x = {toml}")).root;
        let Written::Table(entries) = root.value else {
            panic!("is a table")
        };
        let [Entry { node, .. }] = &entries[..] else {
            panic!("is one entry")
        };
        let Err(misread) = T::read(node, "a.x") else {
            panic!("{toml} is read")
        };
        (misread[0].message.clone(), misread[0].mend.clone())
    }

    #[test]
    fn a_value_of_another_kind_is_told_with_the_right_spelling() {
        let (message, mend) = wrong::<Span>("3");
        assert_eq!(message, "a.x is the number 3, not a duration");
        assert_eq!(mend, "write \"3s\", in quotes and with its unit");
        let (message, mend) = wrong::<Vec<String>>("\"word\"");
        assert_eq!(message, "a.x is the text \"word\", not a list of texts");
        assert_eq!(mend, "write it as a list: [\"word\"]");
        assert_eq!(wrong::<u64>("\"5\"").1, "write 5, without quotes");
        assert_eq!(wrong::<bool>("\"true\"").1, "write true, without quotes");
        assert_eq!(wrong::<String>("5").1, "write \"5\", in quotes");
        assert_eq!(wrong::<f32>("\"0.5\"").1, "write 0.5, without quotes");
        let (message, mend) = wrong::<Rate>("\"fast\"");
        assert!(message.contains("\"fast\" is no rate"), "{message}");
        assert!(mend.contains("20 MB/s"), "{mend}");
        assert_eq!(wrong::<u8>("700").0, "a.x is 700");
        let (message, _) = wrong::<Vec<String>>("[\"a\", 1]");
        assert_eq!(message, "an entry of a.x is the number 1, not a text");
    }

    #[test]
    fn a_single_is_written_with_the_digits_that_people_write() {
        assert_eq!(0.635_f32.write().to_string(), "0.635");
        assert_eq!(0.0_f64.write().to_string(), "0.0");
    }
}
