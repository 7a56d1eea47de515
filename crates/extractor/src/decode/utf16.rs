//! UTF-16 that nothing declares: found by where its zero bytes stand.
//!
//! Markup is ASCII, so every second byte of a page in UTF-16 is zero as long as its markup goes, and all
//! along where the text is of a Western language. Of a text in another script only the ends of its lines, its blanks and
//! digits have zeros, and the rest are letters of living scripts. Browsers do not look for that, and show such a page as
//! letters with gaps; XML does (1.0, appendix F), and so do programs for mail and HTML.
//!
//! A text is taken for UTF-16 only if what it decodes to can be text: nothing that is no character, no
//! control character, no half of a pair. A file of numbers of 16 bits has zeros at the same places, but
//! most of its small numbers are control characters.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// The bytes that are looked at.
const HEAD_BYTES: usize = 4096;

/// Fewer units tell nothing.
const UNITS_MIN: usize = 8;

/// The encoding of a body, if it is UTF-16.
pub(super) fn detect(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    // Most pages have none.
    if !head.contains(&0) {
        return None;
    }
    let pairs = || head.as_chunks::<2>().0.iter();
    let little = || pairs().map(|pair| u16::from_le_bytes(*pair));
    let big = || pairs().map(|pair| u16::from_be_bytes(*pair));
    if is_text(&little().collect::<Vec<u16>>()) {
        Some(UTF_16LE)
    } else if is_text(&big().collect::<Vec<u16>>()) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Whether code units are a page's or a text's.
fn is_text(units: &[u16]) -> bool {
    if units.len() < UNITS_MIN {
        return false;
    }
    let ascii = units.iter().filter(|unit| **unit < 0x80).count();
    // Of a page in Chinese the markup may be a small part; a text must show by itself what it is.
    let is_meant = match is_markup(units) {
        true => ascii * 10 >= units.len(),
        false => ascii * 10 >= units.len() * 7 || are_letters(units, ascii),
    };
    is_meant && are_characters(units)
}

/// Whether nearly all are letters or signs of scripts that texts are written in, a few of them of ASCII.
fn are_letters(units: &[u16], ascii: usize) -> bool {
    let is_letter = |unit: &&u16| {
        matches!(
            unit,
            // Greek to Thai; punctuation; kana and Han with theirs; Hangul; full-width forms.
            0x370..=0x6FF | 0x900..=0xE7F | 0x2010..=0x2027 | 0x3000..=0x30FF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xFF00..=0xFF65
        )
    };
    let letters = units.iter().filter(is_letter).count();
    ascii > 0 && (letters + ascii) * 20 >= units.len() * 19
}

/// Whether they begin with a tag, a comment or a declaration.
fn is_markup(units: &[u16]) -> bool {
    let is_space = |unit: &&u16| matches!(**unit, 0x09 | 0x0A | 0x0C | 0x0D | 0x20);
    let mut rest = units.iter().skip_while(is_space);
    let [first, second] = [rest.next(), rest.next()].map(|unit| unit.copied().unwrap_or(0));
    let is_letter = u8::try_from(second).is_ok_and(|byte| byte.is_ascii_alphabetic());
    first == u16::from(b'<') && (is_letter || [b'!', b'?'].map(u16::from).contains(&second))
}

fn are_characters(units: &[u16]) -> bool {
    // The last one may be the first half of a pair that is cut.
    let whole = match units.last() {
        Some(0xD800..=0xDBFF) => &units[..units.len() - 1],
        _ => units,
    };
    let is_character = |unit: Result<char, _>| {
        unit.is_ok_and(|c: char| {
            let is_none = matches!(u32::from(c) & 0xFFFF, 0xFFFE | 0xFFFF);
            !is_none && (!c.is_control() || matches!(c, '\t' | '\n' | '\u{c}' | '\r'))
        })
    };
    char::decode_utf16(whole.iter().copied()).all(is_character)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn utf16(text: &str, of_unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(of_unit).collect()
    }

    #[test]
    fn pages_and_western_texts_are_found_in_either_order() {
        let chinese = format!("\n<p>{}", "一个好的索引使查询变快。".repeat(2));
        for text in [
            "<!DOCTYPE html><title>Index</title>",
            "<?xml version=\"1.0\"?><html>",
            "  <html lang=de><p>Größe",
            "A text without a tag, na\u{ef}ve as it is.",
            &chinese,
        ] {
            let found = detect(&utf16(text, u16::to_le_bytes)).map(Encoding::name);
            assert_eq!(found, Some("UTF-16LE"), "{text}");
            let found = detect(&utf16(text, u16::to_be_bytes)).map(Encoding::name);
            assert_eq!(found, Some("UTF-16BE"), "{text}");
        }
        // A body that is cut within a character.
        let mut cut = utf16("<p>A page that ends \u{1F600}", u16::to_le_bytes);
        cut.truncate(cut.len() - 1);
        assert_eq!(detect(&cut), Some(UTF_16LE));
    }

    #[test]
    fn files_of_numbers_and_texts_with_stray_zeros_are_none() {
        let numbers: Vec<u8> = (0..2_000u16).flat_map(u16::to_le_bytes).collect();
        let sound: Vec<u8> = (0..2_000i16)
            .flat_map(|n| (n % 60 - 30).to_le_bytes())
            .collect();
        let wide: Vec<u8> = "<html> in units of four bytes"
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect();
        for bytes in [
            &numbers[..],
            &sound,
            &wide,
            &[0; 4_000],
            b"<p>one\0two\0\0three and more of it",
            b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0\xb8\0\0\0\0\0\0\0@\0\0\0",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06",
            b"<\0p\0",
            b"",
        ] {
            assert_eq!(detect(bytes), None, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_of_bytes_is_taken_for_it(
            text in "[\\PC\n\t]{0,200}",
            bytes in proptest::collection::vec(any::<u8>(), 0..300),
        ) {
            prop_assert_eq!(detect(text.as_bytes()), None);
            detect(&bytes);
        }
    }
}
