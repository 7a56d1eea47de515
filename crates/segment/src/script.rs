//! The scripts that are segmented by different rules.

/// The script of a word, which determines how the word was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Script {
    /// Chinese characters: words by jieba.
    Han,
    /// Hiragana and katakana: bigrams of characters.
    Kana,
    /// Korean syllables: bigrams of characters.
    Hangul,
    /// Thai and the other scripts written without spaces (Lao, Khmer, Burmese): bigrams.
    Thai,
    /// Digits with their separators, such as `6.1` or `1,000`, found by UAX 29.
    Number,
    /// Everything else: words by UAX 29.
    Other,
}

/// The script by whose rule a folded character is segmented; never `Number`.
pub(crate) fn script_of(character: char) -> Script {
    match character as u32 {
        0..0x0E00 => Script::Other,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0xA9E0..=0xA9FF | 0xAA60..=0xAA7F => {
            Script::Thai
        }
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF => Script::Hangul,
        0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303B => Script::Han,
        0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF | 0x31F0..=0x31FF => {
            Script::Kana
        }
        0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF => Script::Han,
        _ => Script::Other,
    }
}
