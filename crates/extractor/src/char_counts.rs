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

/// What is counted of ASCII, each in bits of its own of one sum: so no character needs a branch.
#[derive(Clone, Copy)]
enum Kind {
    Char,
    SentenceEnd,
    Comma,
    Digit,
    Capital,
}

const KIND_BITS: u32 = 12;
/// The most characters that one sum holds.
const SUM_MAX: usize = (1 << KIND_BITS) - 1;

/// What each character of ASCII adds to the sum.
static ADDED: [u64; 128] = {
    let mut added = [0; 128];
    let mut byte = b' ' + 1;
    while byte < 128 {
        let kind = match byte {
            b'.' | b'!' | b'?' => Kind::SentenceEnd,
            b',' | b';' => Kind::Comma,
            b'0'..=b'9' => Kind::Digit,
            b'A'..=b'Z' => Kind::Capital,
            _ => Kind::Char,
        };
        added[byte as usize] = 1 | 1 << (kind as u32 * KIND_BITS);
        byte += 1;
    }
    added
};

impl CharCounts {
    pub(crate) fn of(text: &str) -> CharCounts {
        let mut counts = CharCounts::default();
        let mut in_word = false;
        // Whether the character before is one of a script that parts phrases by blanks alone.
        let mut in_phrase = false;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c.is_ascii() {
                let ascii = counts.add_ascii(rest.as_bytes(), &mut in_word);
                let (blank, behind) = rest.split_at(ascii);
                let is_gap = in_phrase && blank.bytes().all(|byte| byte == b' ');
                counts.commas += u32::from(is_gap && behind.starts_with(is_of_phrases));
                in_phrase = false;
                rest = behind;
                continue;
            }
            in_phrase = is_of_phrases(c);
            rest = &rest[c.len_utf8()..];
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
                '。' | '！' | '？' | '…' | '．' | '｡' | '।' | '؟' | '۔' | '።' | '։' | '។' | '။' =>
                {
                    counts.sentence_ends += 1;
                    in_word = false;
                }
                '，' | '、' | '；' | '：' | '،' | '၊' | '፣' => {
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

    /// Counts the ASCII characters at the beginning of some bytes, up to so many as a sum holds; gives how many.
    fn add_ascii(&mut self, bytes: &[u8], in_word: &mut bool) -> usize {
        let bytes = &bytes[..bytes.len().min(SUM_MAX)];
        let mut sum = 0;
        let mut length = 0;
        for &byte in bytes.iter().take_while(|byte| byte.is_ascii()) {
            sum += ADDED[usize::from(byte)];
            let is_of_word = byte.is_ascii_alphanumeric();
            self.words += u32::from(is_of_word & !*in_word);
            *in_word = (*in_word | is_of_word) & (byte > b' ');
            length += 1;
        }
        let count = |kind: Kind| (sum >> (kind as u32 * KIND_BITS)) as u32 & SUM_MAX as u32;
        self.chars += count(Kind::Char);
        self.weight += count(Kind::Char);
        self.sentence_ends += count(Kind::SentenceEnd);
        self.commas += count(Kind::Comma);
        self.digits += count(Kind::Digit);
        self.capitals += count(Kind::Capital);
        length
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

/// Whether a character is of a script in which a blank stands between phrases, not between words: Thai, Lao, Khmer.
fn is_of_phrases(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{eff}' | '\u{1780}'..='\u{17d3}')
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

    #[test]
    fn a_blank_parts_phrases_in_scripts_that_part_no_words() {
        let commas = |text: &str| CharCounts::of(text).commas;
        assert_eq!(commas("แม่น้ำสูงขึ้นในคืนนั้น และพัดสะพานหินเก่าไป ไม่มีใครเห็น"), 2);
        assert_eq!(commas("ទឹកទន្លេឡើងនៅយប់ ហើយបានយកស្ពានទៅ"), 1);
        assert_eq!(commas("หน้า 12 ของ PDF"), 0);
        assert_eq!(commas("река поднялась ночью"), 0);
        assert_eq!(CharCounts::of("ទឹកទន្លេឡើង។").sentence_ends, 1);
    }

    #[test]
    fn what_is_counted_adds_up_however_long_the_text_is() {
        let sentence = "A test, 12 “Words”; é! ";
        let one = CharCounts::of(sentence);
        assert_eq!((one.chars, one.words, one.digits), (18, 5, 2));
        assert_eq!((one.capitals, one.commas, one.sentence_ends), (2, 2, 1));
        for count in [1, SUM_MAX, 3 * SUM_MAX] {
            let mut all = CharCounts::default();
            (0..count).for_each(|_| all.add(one));
            assert_eq!(CharCounts::of(&sentence.repeat(count)), all);
            let spaced = CharCounts::of(&"a, ".repeat(count));
            assert_eq!((spaced.words, spaced.commas), (count as u32, count as u32));
        }
    }
}
