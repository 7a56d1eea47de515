//! Numbers, times and names as people read them.

use std::borrow::Cow;

use time::OffsetDateTime;

/// Whether a character changes how others are shown: controls, and the marks that change the direction of
/// writing, by which `txt.exe` is shown as `exe.txt` (UTS 39, UAX 9). A page could do much with them to a
/// terminal.
pub fn acts_on_others(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{061c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// The text on one line, without what acts on others.
pub fn flat(text: &str) -> Cow<'_, str> {
    match text.contains(acts_on_others) {
        true => Cow::Owned(text.replace(acts_on_others, " ")),
        false => Cow::Borrowed(text),
    }
}

/// `12,345`
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1.4 MB`: decimal, one digit after the point.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1000.0;
    let mut unit = 0;
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// `350 ms`, `12.4 s`, `2 min 11 s`, `3 h 05 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "-".into();
    }
    let whole = seconds.round() as u64;
    if seconds < 0.9995 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 59.95 {
        format!("{seconds:.1} s")
    } else if whole < 3600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        let minutes = (whole + 30) / 60;
        format!("{} h {:02} min", minutes / 60, minutes % 60)
    }
}

/// `37.5 %` of a whole; empty where there is no whole.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

/// A name on disk as words: `near_duplicate` is `near duplicate`.
pub fn name(name: &str) -> String {
    name.replace('_', " ")
}

/// `2026-11-21T10:25:03.120Z` of milliseconds since the epoch; empty for times beyond the calendar.
/// Always with three digits after the point, so that times sort as text.
pub fn instant(ms: u64) -> String {
    let Some(at) = moment(ms) else {
        return String::new();
    };
    let (date, clock) = (at.date(), at.time());
    format!(
        "{date}T{:02}:{:02}:{:02}.{:03}Z",
        clock.hour(),
        clock.minute(),
        clock.second(),
        clock.millisecond()
    )
}

/// `2026-11-21 10:25:03 UTC`
pub fn instant_short(ms: u64) -> String {
    let Some(at) = moment(ms) else {
        return String::new();
    };
    let (date, clock) = (at.date(), at.time());
    format!(
        "{date} {:02}:{:02}:{:02} UTC",
        clock.hour(),
        clock.minute(),
        clock.second()
    )
}

fn moment(ms: u64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()
}

/// `1 page`, `2 pages`.
pub fn plural(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(n), if n == 1 { one } else { many })
}

/// A URL for people: escapes that stand for letters and digits beyond ASCII are shown as these; all else
/// stays as it is, so that nothing which steers the writing or looks like a part of a URL comes in. A password
/// is masked.
pub fn readable(url: &str) -> Cow<'_, str> {
    let shown = weburl::without_password(url);
    if !shown.contains('%') {
        return shown;
    }
    let url = &*shown;
    let mut out = String::with_capacity(url.len());
    let mut rest = url;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let used = match escaped_letter(rest) {
            Some((letter, used)) => {
                out.push(letter);
                used
            }
            None => {
                out.push('%');
                1
            }
        };
        rest = &rest[used..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The letter or digit beyond ASCII whose escapes a text begins with, and how long they are.
fn escaped_letter(text: &str) -> Option<(char, usize)> {
    let byte = |at: usize| {
        let digits = text.get(3 * at..)?.strip_prefix('%')?.get(..2)?;
        u8::from_str_radix(digits, 16).ok()
    };
    let length = match byte(0)? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let bytes: Vec<u8> = (0..length).map_while(byte).collect();
    let letter = std::str::from_utf8(&bytes).ok()?.chars().next()?;
    letter.is_alphanumeric().then_some((letter, 3 * length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_does_nothing_to_a_terminal() {
        assert_eq!(flat("\u{1b}[31mred\u{7}"), " [31mred ");
        assert_eq!(flat("a\u{202e}gpj.exe\n"), "a gpj.exe ");
        assert_eq!(flat("数据库 é"), "数据库 é");
    }

    #[test]
    fn numbers_have_their_separators_and_units() {
        assert_eq!(
            (count(7), count(1234), count(1_234_567)),
            ("7".into(), "1,234".into(), "1,234,567".into())
        );
        assert_eq!(
            (bytes(999), bytes(1_440_000), bytes(999_960)),
            ("999 B".into(), "1.4 MB".into(), "1.0 MB".into())
        );
        assert_eq!(duration(0.35), "350 ms");
        assert_eq!(duration(131.0), "2 min 11 s");
        assert_eq!(duration(11_100.0), "3 h 05 min");
        assert_eq!(duration(59.96), "1 min 00 s");
        assert_eq!(duration(f64::NAN), "-");
    }

    #[test]
    fn times_are_utc_and_no_number_is_too_large() {
        assert_eq!(instant(1_700_000_000_120), "2023-11-14T22:13:20.120Z");
        assert_eq!(instant_short(1_700_000_000_000), "2023-11-14 22:13:20 UTC");
        assert_eq!(instant(u64::MAX), "");
    }

    #[test]
    fn escaped_letters_are_shown_and_nothing_else_is() {
        for (url, shown) in [
            (
                "http://a.test/tags/%E4%BA%8B%E5%8A%A1.html",
                "http://a.test/tags/事务.html",
            ),
            (
                "http://a.test/caf%c3%a9?q=%E7%B4%A2",
                "http://a.test/café?q=索",
            ),
            (
                "http://a.test/a%20b%2Fc%3Cd%22",
                "http://a.test/a%20b%2Fc%3Cd%22",
            ),
            (
                "http://a.test/%E2%80%AEtxt%EF%BB%BF",
                "http://a.test/%E2%80%AEtxt%EF%BB%BF",
            ),
            ("http://a.test/%E4%BA", "http://a.test/%E4%BA"),
            ("http://a.test/%FF%+1%é%", "http://a.test/%FF%+1%é%"),
            ("http://a.test/", "http://a.test/"),
            ("http://bob:pw@a.test/%C3%A9", "http://bob:***@a.test/é"),
        ] {
            assert_eq!(readable(url), shown);
        }
    }
}
