//! The digits of all scripts: a number is the same number in whichever of them it is written.

/// The zeros of the scripts that have digits of their own, in order; each is followed by its one to nine (Unicode, general
/// category Nd). Those that compatibility normalisation makes digits of ASCII are not among them.
const ZEROS: [u32; 67] = [
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0,
    0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50,
    0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1E140, 0x1E2F0, 0x1E4F0,
    0x1E5F1, 0x1E950,
];

/// A digit or a separator of numbers of another script as that of ASCII; `None` for any other character.
pub(crate) fn in_ascii(character: char) -> Option<char> {
    let code = character as u32;
    // Latin, Greek, Cyrillic, Hebrew; kana and Chinese characters; syllables of Korean and what is behind them.
    if matches!(code, 0..0x660 | 0x3000..0xA620 | 0xAC00..0x10000) {
        return None;
    }
    match character {
        '\u{66b}' => return Some('.'),
        '\u{66c}' => return Some(','),
        _ => {}
    }
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= code)].last()?;
    char::from_digit(code - zero, 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fold::fold;

    #[test]
    fn every_decimal_digit_of_unicode_is_folded_to_its_value() {
        let is_digit = regex::Regex::new(r"^\p{Nd}$").unwrap();
        let mut value = 0;
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            if is_digit.is_match(&text) {
                assert_eq!(
                    fold(&text),
                    value.to_string(),
                    "{character:?} {:x}",
                    character as u32
                );
                value = (value + 1) % 10;
            } else {
                assert!(
                    !matches!(in_ascii(character), Some('0'..='9')),
                    "{character:?}"
                );
            }
        }
        assert_eq!((value, ZEROS.is_sorted()), (0, true));
    }
}
