//! The hashes that stored values depend on, pinned by test vectors.
//!
//! Words arrive hashed by `segment` (xxh3_64, whose definition is frozen). What is derived from
//! them, word pairs and the sketch's many hash functions, needs a mixer of 64 bits to 64 bits:
//! the finaliser of SplitMix64 (Stafford's variant 13), which is a bijection.

/// The odd constant of SplitMix64: 2^64 over the golden ratio.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes every input bit into every output bit; a bijection.
#[inline]
pub const fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// The hash of two words that stand side by side, from the words' own hashes; their order counts.
#[inline]
pub const fn pair(first: u64, second: u64) -> u64 {
    mix(first.wrapping_mul(GOLDEN) ^ second.rotate_left(32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mixer_gives_splitmix64() {
        // The first outputs of SplitMix64 seeded with 1234567, as published with its source.
        assert_eq!(
            mix(1_234_567_u64.wrapping_add(GOLDEN)),
            6_457_827_717_110_365_317
        );
        assert_eq!(
            mix(1_234_567_u64.wrapping_add(GOLDEN.wrapping_mul(2))),
            3_203_168_211_198_807_973
        );
    }

    #[test]
    fn a_pair_depends_on_the_order_of_its_words() {
        assert_ne!(pair(1, 2), pair(2, 1));
    }
}
