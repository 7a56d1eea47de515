//! Durations, sizes and rates as people write them: `"250ms"`, `"2h"`, `"10 MB"`, `"20 MB/s"`.

use std::fmt;
use std::time::Duration;

/// A duration written as number and unit: `ms`, `s`, `m` or `min`, `h`, `d`, and several of them
/// in a row (`"1h 30m"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span(pub Duration);

/// A size in bytes written as number and unit: `B`, `KB`, `MB`, `GB` (powers of 1,000) or
/// `KiB`, `MiB`, `GiB` (powers of 1,024).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Size(pub u64);

/// Bytes per second, written as a size and `/s`, which may be left out; empty for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate(pub Option<u64>);

/// How durations are written.
pub(crate) const SPAN_FORMS: &str = "write \"250ms\", \"1s\", \"30m\", \"2h\" or \"7d\"";
/// How sizes are written.
pub(crate) const SIZE_FORMS: &str = "write \"500 KB\", \"10 MB\" or \"2 GiB\"";
/// How rates are written.
pub(crate) const RATE_FORMS: &str =
    "write \"500 KB/s\", \"20 MB/s\" or \"1 GiB/s\", or leave it empty for no limit";

/// A rate of fewer bytes per second is one whose unit was forgotten, if it has none.
const RATE_WITHOUT_UNIT_MIN: u64 = 1_000;

/// Some 300 years: longer ones overflow when they are added to the time.
const SPAN_MAX: Duration = Duration::from_secs(10_000_000_000);

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
        Self::read(text).map_err(|message| format!("{message}: {SPAN_FORMS}"))
    }

    /// The same, with a message that says what is wrong alone.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let span = humantime::parse_duration(trimmed).ok();
        match span.or_else(|| fraction(trimmed)) {
            Some(span) if span < SPAN_MAX => Ok(Self(span)),
            _ => Err(format!("{text:?} is no duration")),
        }
    }
}

/// One number with a unit. humantime reads `1.5h`, but not `0.011h`, which is no whole number of
/// seconds.
fn fraction(text: &str) -> Option<Duration> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(end);
    let unit = humantime::parse_duration(&format!("1{}", unit.trim())).ok()?;
    let seconds = number.parse::<f64>().ok()? * unit.as_secs_f64();
    Duration::try_from_secs_f64(seconds).ok()
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
        Self::read(text).map_err(|message| format!("{message}: {SIZE_FORMS}"))
    }

    /// The same, with a message that says what is wrong alone.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no size");
        let trimmed = text.trim();
        let end = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(end);
        let factor = match unit.trim() {
            "B" | "" => 1.0,
            "KB" | "kB" => 1e3,
            "MB" => 1e6,
            "GB" => 1e9,
            "KiB" => 1024.0,
            "MiB" => 1024.0 * 1024.0,
            "GiB" => 1024.0 * 1024.0 * 1024.0,
            _ => return Err(wrong()),
        };
        match number.parse::<f64>() {
            Ok(value) if value >= 0.0 && value * factor < 1e18 => Ok(Self((value * factor) as u64)),
            _ => Err(wrong()),
        }
    }
}

impl Rate {
    /// Reads `"20 MB/s"`; the `/s` may be left out, and an empty text is no limit.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let rate = text.trim();
        if rate.is_empty() {
            return Ok(Self(None));
        }
        let size = rate.trim_end_matches("/s").trim();
        let has_unit = size.ends_with(|c: char| c.is_ascii_alphabetic());
        match Size::read(size) {
            Ok(Size(bytes @ 1..RATE_WITHOUT_UNIT_MIN)) if !has_unit => Err(format!(
                "{text:?} has no unit, and would be {bytes} B in a second"
            )),
            Ok(size) => Ok(Self(Some(size.0))),
            Err(_) => Err(format!("{text:?} is no rate")),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(bytes) => write!(f, "{}/s", Size(bytes)),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_rate_without_a_unit_is_one_that_was_forgotten() {
        // "20" was taken for 20 bytes a second: no page of any size came to its end.
        for text in ["20", " 20 ", "20/s", "999.5 /s"] {
            let told = Rate::read(text).expect_err(text);
            assert!(told.contains("has no unit"), "{told}");
        }
        for (text, rate) in [
            ("", None),
            ("0", Some(0)),
            ("20 B/s", Some(20)),
            ("20MB/s", Some(20_000_000)),
            ("20 MB", Some(20_000_000)),
            ("20000", Some(20_000)),
        ] {
            assert_eq!(Rate::read(text), Ok(Rate(rate)), "{text}");
        }
    }

    #[test]
    fn durations_are_read_and_written_alike() {
        for (text, ms) in [
            ("250ms", 250),
            ("1s", 1_000),
            ("1.5 s", 1_500),
            ("2h", 7_200_000),
            ("0", 0),
            ("3m", 180_000),
            ("3min", 180_000),
            (".5s", 500),
            ("1h 30m", 5_400_000),
            ("1 week", 604_800_000),
        ] {
            let span = Span::parse(text).expect(text);
            assert_eq!(span.0.as_millis(), ms, "{text}");
            assert_eq!(Span::parse(&span.to_string()), Ok(span));
        }
        for text in ["", "1", "s", "-1s", "1 fortnight", "1e400s", "99999999999d"] {
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
        assert_eq!(Rate::read("20 MB/s"), Ok(Rate(Some(20_000_000))));
        assert_eq!(Rate(Some(20_000_000)).to_string(), "20 MB/s");
        assert_eq!(Rate::read(" "), Ok(Rate(None)));
        assert!(Rate::read("fast").is_err());
        assert!(Size::parse("10 apples").is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_number_with_a_unit_is_that_many_of_it(
            whole in 0..100_000_u64,
            thousandths in 0..1_000_u32,
            unit in proptest::sample::select(&[
                ("ms", 1e-3), ("s", 1.0), ("sec", 1.0), ("m", 60.0), ("min", 60.0),
                ("h", 3_600.0), ("d", 86_400.0),
            ][..]),
            gap in proptest::sample::select(&["", " ", "  "][..]),
        ) {
            let text = format!("{whole}.{thousandths:03}{gap}{}", unit.0);
            let span = Span::parse(&text).expect("is a duration");
            let meant = (whole as f64 + f64::from(thousandths) / 1e3) * unit.1;
            proptest::prop_assert!((span.0.as_secs_f64() - meant).abs() <= 1e-9 * meant.max(1.0));
        }

        #[test]
        fn what_is_written_is_read_again(ms in 0..1_000_000_000_u64, bytes in 0..1_u64 << 50) {
            let span = Span(Duration::from_millis(ms));
            proptest::prop_assert_eq!(Span::parse(&span.to_string()), Ok(span));
            let size = Size(bytes);
            proptest::prop_assert_eq!(Size::parse(&size.to_string()), Ok(size));
        }
    }
}
