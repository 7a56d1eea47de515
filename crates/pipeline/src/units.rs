//! Durations and sizes as people write them: `"250ms"`, `"2h"`, `"10 MB"`.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A duration written as number and unit: `ms`, `s`, `m` or `min`, `h`, `d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span(pub Duration);

/// A size in bytes written as number and unit: `B`, `KB`, `MB`, `GB` (powers of 1,000) or
/// `KiB`, `MiB`, `GiB` (powers of 1,024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Size(pub u64);

impl Span {
    /// A duration of whole seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// Reads `"1.5s"` and the like.
    ///
    /// # Errors
    /// A message that says which forms are allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (number, unit) = split(text);
        let factor = match unit {
            "ms" => 0.001,
            "s" | "sec" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3_600.0,
            "d" => 86_400.0,
            "" if number == "0" => 0.0,
            _ => {
                return Err(format!(
                    "{text:?} is no duration: write \"250ms\", \"1s\", \"30m\", \"2h\" or \"7d\""
                ));
            }
        };
        match number.parse::<f64>() {
            // Some 300 years: what the field holds and what a person can mean.
            Ok(value) if value >= 0.0 && value * factor < 1e10 => {
                Ok(Self(Duration::from_secs_f64(value * factor)))
            }
            _ => Err(format!(
                "{text:?} is no duration: write \"250ms\", \"1s\", \"30m\", \"2h\" or \"7d\""
            )),
        }
    }
}

impl Size {
    /// A size of whole megabytes (10^6 bytes).
    pub const fn megabytes(count: u64) -> Self {
        Self(count * 1_000_000)
    }

    /// Reads `"10 MB"` and the like.
    ///
    /// # Errors
    /// A message that says which forms are allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (number, unit) = split(text);
        let factor = match unit {
            "B" | "" => 1.0,
            "KB" | "kB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            _ => {
                return Err(format!(
                    "{text:?} is no size: write \"500 KB\", \"10 MB\" or \"2 GiB\""
                ));
            }
        };
        match number.parse::<f64>() {
            Ok(value) if value >= 0.0 && value * factor < 1e18 => Ok(Self((value * factor) as u64)),
            _ => Err(format!(
                "{text:?} is no size: write \"500 KB\", \"10 MB\" or \"2 GiB\""
            )),
        }
    }

    /// Reads a rate, `"20 MB/s"`; the `/s` may be left out.
    ///
    /// # Errors
    /// As [`Size::parse`].
    pub fn parse_rate(text: &str) -> Result<Self, String> {
        Self::parse(text.trim().trim_end_matches("/s"))
    }
}

/// Splits `"10 MB"` into `"10"` and `"MB"`.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.0.as_millis();
        match ms {
            0 => write!(f, "0s"),
            ms if ms % 86_400_000 == 0 => write!(f, "{}d", ms / 86_400_000),
            ms if ms % 3_600_000 == 0 => write!(f, "{}h", ms / 3_600_000),
            ms if ms % 60_000 == 0 => write!(f, "{}m", ms / 60_000),
            ms if ms % 1_000 == 0 => write!(f, "{}s", ms / 1_000),
            ms => write!(f, "{ms}ms"),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            bytes if bytes > 0 && bytes % 1_000_000_000 == 0 => {
                write!(f, "{} GB", bytes / 1_000_000_000)
            }
            bytes if bytes > 0 && bytes % 1_000_000 == 0 => write!(f, "{} MB", bytes / 1_000_000),
            bytes if bytes > 0 && bytes % 1_000 == 0 => write!(f, "{} KB", bytes / 1_000),
            bytes if bytes > 0 && bytes % (1 << 20) == 0 => write!(f, "{} MiB", bytes >> 20),
            bytes if bytes > 0 && bytes % (1 << 10) == 0 => write!(f, "{} KiB", bytes >> 10),
            bytes => write!(f, "{bytes} B"),
        }
    }
}

macro_rules! as_text {
    ($name:ident, $description:literal) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                $name::parse(&text).map_err(de::Error::custom)
            }
        }
        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": $description })
            }
        }
    };
}

as_text!(
    Span,
    "a duration: \"250ms\", \"1s\", \"30m\", \"2h\", \"7d\""
);
as_text!(Size, "a size: \"500 KB\", \"10 MB\", \"2 GiB\"");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_and_written_alike() {
        for (text, ms) in [
            ("250ms", 250),
            ("1s", 1_000),
            ("1.5 s", 1_500),
            ("2h", 7_200_000),
            ("0", 0),
            ("3m", 180_000),
        ] {
            let span = Span::parse(text).expect(text);
            assert_eq!(span.0.as_millis(), ms, "{text}");
            assert_eq!(Span::parse(&span.to_string()), Ok(span));
        }
        for text in ["", "1", "s", "-1s", "1 week", "1e400s", "99999999999d"] {
            assert!(Span::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_and_written_alike() {
        for (text, bytes) in [
            ("10 MB", 10_000_000),
            ("2KiB", 2_048),
            ("7", 7),
            ("1.5 GB", 1_500_000_000),
        ] {
            let size = Size::parse(text).expect(text);
            assert_eq!(size.0, bytes, "{text}");
            assert_eq!(Size::parse(&size.to_string()), Ok(size));
        }
        assert_eq!(Size(65_536).to_string(), "64 KiB");
        assert_eq!(Size(64_000).to_string(), "64 KB");
        assert_eq!(Size::parse_rate("20 MB/s"), Ok(Size(20_000_000)));
        assert!(Size::parse("10 apples").is_err());
    }
}
