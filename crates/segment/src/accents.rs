//! Words without their accents, as they are typed where the keyboard has none.
//!
//! Accents tell words apart (`schon` and `schön`), so they stay in the words themselves. A search finds
//! a word by this form, too.

use unicode_normalization::UnicodeNormalization;

/// A folded word without accents and points, and with `ss` for `ß` and the like; `None` where that is the
/// word itself.
///
/// Of Cyrillic letters only `ё` is written without its dots. Scripts in which marks are vowels or change the
/// letter (Devanagari, Thai, kana) stay as they are.
///
/// ```
/// assert_eq!(segment::without_accents("zürich").as_deref(), Some("zurich"));
/// assert_eq!(segment::without_accents("数据库"), None);
/// ```
pub fn without_accents(word: &str) -> Option<String> {
    if word.is_ascii() || word.chars().all(|c| c > '\u{3000}') {
        return None;
    }
    let mut plain = String::with_capacity(word.len());
    for character in word.chars() {
        match letters_for(character) {
            Some(letters) => plain.push_str(letters),
            None => plain.push(base_of(character)),
        }
    }
    (!plain.is_empty() && plain != word).then_some(plain)
}

/// What is typed for a letter that is no base with an accent, and for a mark or a point: nothing.
fn letters_for(character: char) -> Option<&'static str> {
    Some(match character {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ħ' => "h",
        'ŧ' => "t",
        'ı' => "i",
        'ё' => "е",
        // Accents that stand by themselves; the points of Hebrew; the vowel signs of Arabic.
        '\u{300}'..='\u{36f}' => "",
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' => "",
        '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{652}' | '\u{670}' => "",
        _ => return None,
    })
}

/// The letter under the accents.
fn base_of(character: char) -> char {
    if matches!(character, '\0'..'\u{c0}' | '\u{400}'..'\u{530}' | '\u{3000}'..) {
        return character;
    }
    let mut parts = std::iter::once(character).nfd();
    let base = parts.next().unwrap_or(character);
    match parts.all(|mark| matches!(mark, '\u{300}'..='\u{36f}')) {
        true => base,
        false => character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_are_left_out_and_other_marks_stay() {
        for (word, plain) in [
            ("zürich", "zurich"),
            ("straße", "strasse"),
            ("łódź", "lodz"),
            ("việt", "viet"),
            ("smørrebrød", "smorrebrod"),
            ("i\u{307}stanbul", "istanbul"),
            ("ёлка", "елка"),
            ("αθήνα", "αθηνα"),
            ("ὀξεῖα", "οξεια"),
            ("\u{639}\u{64e}\u{631}\u{628}", "\u{639}\u{631}\u{628}"),
        ] {
            assert_eq!(without_accents(word).as_deref(), Some(plain), "{word}");
        }
        for word in [
            "cafe",
            "йод",
            "數據",
            "が",
            "हिन्दी",
            "한국",
            "ไทย",
            "\u{301}",
        ] {
            assert_eq!(without_accents(word), None, "{word}");
        }
    }
}
