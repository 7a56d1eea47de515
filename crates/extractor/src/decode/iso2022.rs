//! ISO-2022-JP, the encoding of Japanese mail and of old pages: ASCII, with escapes to two bytes a character and back.
//!
//! All its bytes are ASCII, so whatever is declared fits, UTF-8 above all, and reads as `$3$l$O`. The escape itself
//! tells: no other text has it, and between two of them stand characters of Japan.

use encoding_rs::ISO_2022_JP;

use super::decode_as;

/// The escapes to two bytes a character (JIS X 0208 of 1978 and of 1983).
const ESCAPES: [&[u8]; 2] = [b"\x1b$@", b"\x1b$B"];

/// Characters of a text that are no coincidence.
const CHARACTERS_MIN: usize = 2;

/// Whether bytes are a text in ISO-2022-JP.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_there = |escape: &&[u8]| memchr::memmem::find(bytes, escape).is_some();
    if !ESCAPES.iter().any(is_there) {
        return false;
    }
    let high = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let (text, replaced) = decode_as(ISO_2022_JP, bytes);
    let characters = text.chars().filter(|c| is_japanese(*c)).count();
    // A page that is mostly in another encoding may show some lines of mail as they were sent.
    characters >= CHARACTERS_MIN && (replaced + high) * 20 <= characters
}

/// Kana, Han, and the signs among them.
fn is_japanese(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(text: &str) -> Vec<u8> {
        encoding_rs::ISO_2022_JP.encode(text).0.into_owned()
    }

    #[test]
    fn a_text_of_any_length_is_told_and_others_are_not() {
        assert!(is_text(&mail("目次")));
        assert!(is_text(&mail(&"うなぎは遠くまで泳ぐ。\n".repeat(900))));
        assert!(is_text(&mail("Eels: うなぎ, and more of them in English.")));
        for other in [
            &b"no escape at all"[..],
            b"\x1b[1;33mwarm\x1b[0m tea",
            b"the escape \x1b$B alone",
            b"\x1b(Bwhat is ASCII again",
            b"",
        ] {
            assert!(!is_text(other), "{other:?}");
        }
        // An article in UTF-8 that shows some.
        let shown = [
            "うなぎは遠くまで泳ぐ。".repeat(9).as_bytes(),
            &mail("うなぎは泳ぐ"),
        ]
        .concat();
        assert!(!is_text(&shown));
    }
}
