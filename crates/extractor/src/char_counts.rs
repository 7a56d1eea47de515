//! Counts of characters, words and punctuation, and a length that is comparable between scripts.
//!
//! A Chinese character carries about as much meaning as half an English word, so a length in
//! characters means different things in different scripts. All bounds on lengths in this crate are
//! on the `weight`: one for a letter, three for a character of Chinese, Japanese or Korean. Sentences
//! are counted by the punctuation of their script.

/// Counts over a piece of text; adds up over the pieces of a subtree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CharCounts {
    /// Characters that are not whitespace.
    pub chars: u32,
    /// The length comparable between scripts: 3 for a character of Chinese, Japanese or Korean, 1 for
    /// any other.
    pub weight: u32,
    /// Words; in Chinese, Japanese and Korean each character counts as one.
    pub words: u32,
    /// Punctuation that ends a sentence.
    pub sentence_ends: u32,
    /// Punctuation within a sentence.
    pub commas: u32,
    /// Digits.
    pub digits: u32,
    /// Upper case letters.
    pub capitals: u32,
    /// Characters of Chinese, Japanese or Korean.
    pub cjk: u32,
}

impl CharCounts {
    pub(crate) fn of(text: &str) -> CharCounts {
        let mut counts = CharCounts::default();
        let mut in_word = false;
        for c in text.chars() {
            if c.is_ascii() {
                let byte = c as u8;
                if byte <= b' ' {
                    in_word = false;
                    continue;
                }
                counts.chars += 1;
                counts.weight += 1;
                match byte {
                    b'.' | b'!' | b'?' => counts.sentence_ends += 1,
                    b',' | b';' => counts.commas += 1,
                    b'0'..=b'9' => counts.digits += 1,
                    b'A'..=b'Z' => counts.capitals += 1,
                    _ => {}
                }
                if !in_word && byte.is_ascii_alphanumeric() {
                    in_word = true;
                    counts.words += 1;
                }
                continue;
            }
            if c.is_whitespace() || c == '\u{200b}' || c == '\u{feff}' {
                in_word = false;
                continue;
            }
            counts.chars += 1;
            if is_cjk(c) {
                counts.weight += 3;
                counts.words += 1;
                counts.cjk += 1;
                in_word = false;
                continue;
            }
            counts.weight += 1;
            match c {
                '。' | '！' | '？' | '…' | '．' | '｡' | '।' | '؟' => {
                    counts.sentence_ends += 1;
                    in_word = false;
                }
                '，' | '、' | '；' | '：' | '،' => {
                    counts.commas += 1;
                    in_word = false;
                }
                _ if c.is_alphanumeric() => {
                    if c.is_uppercase() {
                        counts.capitals += 1;
                    }
                    if !in_word {
                        in_word = true;
                        counts.words += 1;
                    }
                }
                _ => {}
            }
        }
        counts
    }

    pub(crate) fn add(&mut self, other: CharCounts) {
        self.chars += other.chars;
        self.weight += other.weight;
        self.words += other.words;
        self.sentence_ends += other.sentence_ends;
        self.commas += other.commas;
        self.digits += other.digits;
        self.capitals += other.capitals;
        self.cjk += other.cjk;
    }
}

/// Whether a character is Chinese, Japanese or Korean.
pub(crate) fn is_cjk(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_sentence_weighs_three_for_each_character() {
        let counts = CharCounts::of("今天，天气好。");
        assert_eq!(counts.cjk, 5);
        assert_eq!(counts.weight, 17);
        assert_eq!((counts.commas, counts.sentence_ends), (1, 1));
    }

    #[test]
    fn words_are_counted_between_blanks() {
        let counts = CharCounts::of("  Two words, 3 numbers.\n");
        assert_eq!(counts.words, 4);
        assert_eq!(counts.capitals, 1);
    }
}
