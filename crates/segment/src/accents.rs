//! Words without their accents, as they are typed where the keyboard has none.
//!
//! Accents tell words apart (`schon` and `schön`), so they stay in the words themselves. A search finds
//! a word by this form, too.

use unicode_normalization::UnicodeNormalization;

/// A folded word without accents and points, and with `ss` for `ß` and the like; `None` where that is the
/// word itself.
///
/// Of Cyrillic letters only `ё` is written without its dots. Of Arabic letters those are one that keyboards and habits
/// take for each other: the carriers of alif's hamza, the two last letters of `مدرسة` and `مدرسه`, the yeh and the kaf of
/// Arabic and Persian. Hindi writes a nasal before a consonant of its place as a dot (`हिन्दी`, `हिंदी`), and leaves out
/// the dot that is below letters of Persian words. Other scripts in which marks are vowels or change the letter (Thai, kana)
/// stay as they are.
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
    if plain.contains(|c: char| matches!(c, '\u{900}'..'\u{980}')) {
        plain = with_dots_for_nasals(&plain);
    }
    (!plain.is_empty() && plain != word).then_some(plain)
}

/// Devanagari with the dot of a nasal wherever one may be written.
fn with_dots_for_nasals(word: &str) -> String {
    const DOT: char = 'ं';
    let letters: Vec<char> = word.chars().collect();
    let mut plain = String::with_capacity(word.len());
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let is_nasal = letters.get(at + 1) == Some(&'\u{94d}')
            && letters
                .get(at + 2)
                .is_some_and(|&next| nasal_of(next) == Some(letter));
        let is_below = letter == '\u{93c}' && at > 0 && "कखगजफ".contains(letters[at - 1]);
        match letter {
            _ if is_nasal => plain.push(DOT),
            'ँ' => plain.push(DOT),
            _ if is_below => {}
            _ => plain.push(letter),
        }
        at += if is_nasal { 2 } else { 1 };
    }
    plain
}

/// The nasal that is spoken at the place of a consonant.
fn nasal_of(consonant: char) -> Option<char> {
    Some(match consonant {
        'क'..='घ' => 'ङ',
        'च'..='झ' => 'ञ',
        'ट'..='ढ' => 'ण',
        'त'..='ध' => 'न',
        'प'..='भ' => 'म',
        _ => return None,
    })
}

/// A folded word without the article and the conjunction that Arabic and Hebrew write in one with it, and without accents:
/// `والمدينة` is `مدينه`, `הספרייה` is `ספרייה`. `None` for any other word, and where less than three letters are left.
///
/// ```
/// assert_eq!(segment::without_article("המדינה").as_deref(), Some("מדינה"));
/// assert_eq!(segment::without_article("الله"), None);
/// ```
pub fn without_article(word: &str) -> Option<String> {
    const LETTERS_MIN: usize = 3;
    let rest = match word.chars().next()? {
        '\u{5d0}'..='\u{5ea}' => {
            let rest = word.strip_prefix('ו').unwrap_or(word);
            rest.strip_prefix('ה').unwrap_or(rest)
        }
        '\u{621}'..='\u{64a}' => {
            let rest = word.strip_prefix(['و', 'ف']).unwrap_or(word);
            let joined = rest.strip_prefix("لل");
            joined.or_else(|| {
                rest.strip_prefix(['ب', 'ك'])
                    .unwrap_or(rest)
                    .strip_prefix("ال")
            })?
        }
        _ => return None,
    };
    let plain = without_accents(rest).unwrap_or_else(|| rest.to_owned());
    (rest.len() < word.len() && plain.chars().count() >= LETTERS_MIN).then_some(plain)
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
        'أ' | 'إ' | 'آ' | '\u{671}' => "ا",
        'ة' | '\u{6c0}'..='\u{6c3}' | '\u{6d5}' => "ه",
        'ى' | '\u{6cc}' => "ي",
        '\u{6a9}' => "ك",
        // Accents that stand by themselves; the points of Hebrew; the vowel signs of Arabic.
        '\u{300}'..='\u{36f}' => "",
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' => "",
        '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{652}' | '\u{670}' => "",
        // What draws a word of Arabic out.
        '\u{640}' => "",
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
            ("أحمد", "احمد"),
            ("إسلام", "اسلام"),
            ("آثار", "اثار"),
            ("مدرسة", "مدرسه"),
            ("مستشفى", "مستشفي"),
            ("العـــربية", "العربيه"),
            ("کتابخانه", "كتابخانه"),
            ("هندی", "هندي"),
            ("हिन्दी", "हिंदी"),
            ("चाँद", "चांद"),
            ("ज\u{93c}मीन", "जमीन"),
        ] {
            assert_eq!(without_accents(word).as_deref(), Some(plain), "{word}");
        }
        for word in [
            "cafe",
            "йод",
            "數據",
            "が",
            "न्याय",
            "लड़का",
            "한국",
            "ไทย",
            "\u{301}",
        ] {
            assert_eq!(without_accents(word), None, "{word}");
        }
    }

    #[test]
    fn the_article_and_the_conjunction_are_left_out() {
        for (word, bare) in [
            ("المدرسة", "مدرسه"),
            ("والمدينة", "مدينه"),
            ("بالمدينة", "مدينه"),
            ("للمدينة", "مدينه"),
            ("הספרייה", "ספרייה"),
            ("והמדינה", "מדינה"),
        ] {
            assert_eq!(without_article(word).as_deref(), Some(bare), "{word}");
        }
        for word in ["مدرسة", "وزير", "الله", "הר", "ספר", "the", "ال", "и", ""]
        {
            assert_eq!(without_article(word), None, "{word}");
        }
    }
}
