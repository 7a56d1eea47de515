//! The feature hashes of the lecture notes on simhash, kept for comparison.
//!
//! Both write a number in a few bits and repeat them until 64 bits are full. This has two faults:
//! features with similar numbers have similar hashes, and each bit of the fingerprint depends on the
//! same few bits of every feature. The default, a pinned 64-bit hash, has neither.
//!
//! ```text
//! 中 = 3619 in 13 bits:   …0111000100011 0111000100011 0111000100011
//! ```

use encoding_rs::GBK;

/// Characters that the code has a number for: 72 rows of Chinese and the printable of ASCII.
const CHARACTERS: u64 = 6_885;
/// Bits that such a number takes.
const CHARACTER_BITS: u32 = 13;

/// The number of a character in GB2312, where the first Chinese character is 0. ASCII comes after the
/// Chinese characters; punctuation and full-width digits come before them and are negative. A character
/// that GB2312 lacks counts as `?`.
pub fn gb2312_code(character: char) -> i64 {
    let mut buffer = [0; 4];
    let (bytes, _, lost) = GBK.encode(character.encode_utf8(&mut buffer));
    match *bytes {
        [byte] if !lost => 6_768 + i64::from(byte) - 9,
        [high @ 0xA1..=0xF7, low @ 0xA1..=0xFE] if !lost => {
            (i64::from(high) - 0xB0) * 94 + i64::from(low) - 0xA1
        }
        _ => gb2312_code('?'),
    }
}

/// The hash of a word from its characters' numbers: they are digits to the base 6,885, and the bits of
/// the result are repeated. From five characters on it overflows 64 bits and wraps.
pub fn gb2312(word: &str) -> u64 {
    let (mut number, mut bits) = (0u64, 0u32);
    for character in word.chars() {
        let code = gb2312_code(character) as u64;
        number = number.wrapping_mul(CHARACTERS).wrapping_add(code);
        bits = bits.saturating_add(CHARACTER_BITS);
    }
    repeated(number, bits)
}

/// The hash of value number `ordinal` of `size` values: as many bits as the largest needs,
/// repeated.
pub fn enumerated(ordinal: u32, size: u32) -> u64 {
    let largest = u64::from(size.max(2) - 1);
    repeated(u64::from(ordinal), 64 - largest.leading_zeros())
}

/// A number of so many bits, added up at every multiple of its length, at least once. As in Java, a
/// shift by 64 bits or more is taken modulo 64.
fn repeated(number: u64, bits: u32) -> u64 {
    let mut hash = number;
    let mut at = bits.max(1);
    loop {
        hash = hash.wrapping_add(number.wrapping_shl(at));
        at = at.saturating_add(bits.max(1));
        if at >= 64 {
            return hash;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_numbers_of_the_notes() {
        for (character, code) in [
            ('啊', 0),
            ('国', 935),
            ('齄', 6_767),
            ('A', 6_824),
            ('，', -1_211),
            ('１', -1_206),
        ] {
            assert_eq!(gb2312_code(character), code, "{character}");
        }
        assert_eq!(gb2312_code('😀'), gb2312_code('?'));
    }

    #[test]
    fn words_and_values_have_the_hashes_of_the_notes() {
        for (word, hash) in [
            ("中", 0xe237_11b8_8dc4_6e23),
            ("中国", 0x6f65_f0db_d97c_36f6),
            ("搜索引擎", 0x3212_ffb9_152a_a321),
            ("CSDN", 0x8987_ea79_eca6_3898),
            ("妈妈喊你来吃饭", 0x0d72_e211_240a_53dd),
            ("", 0),
        ] {
            assert_eq!(gb2312(word), hash, "{word}");
        }
        assert_eq!(enumerated(1, 2), u64::MAX);
        assert_eq!(enumerated(3, 5), 0xb6db_6db6_db6d_b6db);
        assert_eq!(enumerated(0, 0), 0);
    }
}
