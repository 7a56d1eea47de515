//! Whether bytes read as a text: of one script, or of one whose letters are not ASCII.

/// Wide characters that are looked at.
const CHARACTERS_MAX: usize = 4_096;

/// Whether the wide characters of a body of valid UTF-8 are those of a text: three different ones or more,
/// and nearly all letters of one script. Text of GBK or Big5 that is valid UTF-8 by chance reads as a mix of
/// accented, Greek, Cyrillic, Arabic and other letters.
pub(super) fn is_of_one_script(bytes: &[u8]) -> bool {
    const DIFFERENT_MIN: usize = 3;
    let mut scripts = [0usize; SCRIPTS];
    let mut seen: Vec<char> = Vec::new();
    let characters = bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars());
    for c in characters.filter(|c| !c.is_ascii()).take(CHARACTERS_MAX) {
        if let Some(script) = script(c) {
            scripts[script] += 1;
        }
        if seen.len() < DIFFERENT_MIN && !seen.contains(&c) {
            seen.push(c);
        }
    }
    let letters: usize = scripts.iter().sum();
    let most = scripts.iter().max().copied().unwrap_or(0);
    seen.len() >= DIFFERENT_MIN && most * 10 >= letters * 9
}

/// One for each 256 characters of the first 4,096, and one for East Asia.
const SCRIPTS: usize = 17;

/// The script of a letter, roughly; `None` for signs, which stand in texts of all scripts.
fn script(c: char) -> Option<usize> {
    match c {
        '\u{80}'..='\u{BF}' | '\u{D7}' | '\u{F7}' => None,
        '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Some(0),
        '\u{250}'..='\u{FFF}' => Some(c as usize >> 8),
        '\u{3040}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7AF}' | '\u{20000}'..='\u{3FFFF}' => {
            Some(SCRIPTS - 1)
        }
        _ => None,
    }
}

/// Whether most bytes beyond ASCII stand beside others of their kind, and are of many values: words whose
/// letters all lie there, as in no text of western Europe. Rows of blanks, dashes and dots do not count.
pub(super) fn is_foreign(bytes: &[u8]) -> bool {
    const COUNT_MIN: usize = 20;
    const DIFFERENT_MIN: usize = 10;
    const BYTES_MAX: usize = 1 << 18;
    // A blank in the encodings of single bytes.
    const BLANK: u8 = 0xA0;
    let bytes = &bytes[..bytes.len().min(BYTES_MAX)];
    let is_letter = |byte: u8| !byte.is_ascii() && byte != BLANK;
    let (mut count, mut beside) = (0, 0);
    let mut seen = [false; 256];
    for (at, &byte) in bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| is_letter(**byte))
    {
        let neighbours = [at.checked_sub(1), at.checked_add(1)];
        let mut neighbours = neighbours
            .into_iter()
            .flatten()
            .filter_map(|at| bytes.get(at));
        count += 1;
        beside += usize::from(neighbours.any(|&other| is_letter(other) && other != byte));
        seen[usize::from(byte)] = true;
    }
    let different = seen.iter().filter(|seen| **seen).count();
    count >= COUNT_MIN && different >= DIFFERENT_MIN && beside * 2 > count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_of_one_script() {
        for text in [
            "Élève, naïve, façade, déjà vu, “où”",
            "网页去重是爬虫的基本功能，",
            "これは文字コードの試験です。",
            "Слова и буквы — «текст»",
        ] {
            assert!(is_of_one_script(text.as_bytes()), "{text}");
        }
        assert!(
            !is_of_one_script("Ŀ¼Ŀ¼Ŀ¼Ŀ¼Ŀ¼".as_bytes()),
            "two characters, again and again"
        );
        assert!(!is_of_one_script("ʡӪ׵ֵءڸɡ".as_bytes()));
        assert!(!is_of_one_script(b"plain"));
    }

    #[test]
    fn words_beyond_ascii_are_of_no_western_language() {
        let encoded = |encoding: &'static encoding_rs::Encoding, text: &str| {
            is_foreign(&encoding.encode(text).0)
        };
        let russian = "Слова и буквы, которых нет в латинице";
        assert!(encoded(encoding_rs::WINDOWS_1251, russian));
        assert!(encoded(encoding_rs::KOI8_R, russian));
        assert!(encoded(encoding_rs::GBK, "网页去重是爬虫的基本功能，相同"));
        let french =
            "« Élève », naïve, façade, déjà, où, été, français, août, cœur, Noël. ".repeat(5);
        assert!(!encoded(encoding_rs::WINDOWS_1252, &french));
        assert!(!encoded(
            encoding_rs::WINDOWS_1252,
            &"\u{A0}\u{A0}\u{A0}—— ·····".repeat(9)
        ));
    }
}
