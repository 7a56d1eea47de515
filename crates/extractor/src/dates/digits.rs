//! Digits of any script as ASCII ones: ٢٠٢٤, ۲۰۲۴, २०२४, ๒๕๖๗, ២០២៤.

use std::borrow::Cow;

/// Where the ten decimal digits of each script that pages are written in begin, in order.
const ZEROS: [char; 27] = [
    '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}',
    '\u{be6}', '\u{c66}', '\u{ce6}', '\u{d66}', '\u{de6}', '\u{e50}', '\u{ed0}', '\u{f20}',
    '\u{1040}', '\u{1090}', '\u{17e0}', '\u{1810}', '\u{1946}', '\u{19d0}', '\u{1b50}', '\u{1bb0}',
    '\u{1c50}', '\u{a9d0}', '\u{ff10}',
];

/// The ASCII digit of the value of a digit of another script.
fn ascii(c: char) -> Option<char> {
    if c < ZEROS[0] {
        return None;
    }
    let zero = ZEROS[ZEROS.partition_point(|&zero| zero <= c) - 1];
    char::from_digit(c as u32 - zero as u32, 10)
}

/// A text with each digit in ASCII; it has as many characters as before.
pub(super) fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.contains(|c| ascii(c).is_some()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| ascii(c).unwrap_or(c)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_any_script_are_digits() {
        for text in [
            "٢٠٢٤",
            "۲۰۲۴",
            "२०२४",
            "২০২৪",
            "๒๐๒๔",
            "២០២៤",
            "２０２４",
            "၂၀၂၄",
        ] {
            assert_eq!(in_ascii(text), "2024", "{text}");
        }
        assert_eq!(in_ascii("第①年 ½ 二〇 ٪ ๛"), "第①年 ½ 二〇 ٪ ๛");
    }
}
