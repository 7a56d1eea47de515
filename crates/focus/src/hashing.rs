//! Hashes, and pseudo-random choices that are the same in every run.

/// SplitMix64's finaliser: a bijection of 64 bits whose output looks random. Used wherever a model
/// needs a random choice, so that a replay makes the same choices.
pub(crate) fn split_mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// Bits of a term's number: 2^19 buckets hold the vocabulary of some 10^5 pages with few collisions
/// that matter, in 2 MB for each table of 32-bit numbers.
pub(crate) const TERM_BITS: u32 = 19;

/// The number of term buckets.
pub(crate) const TERM_COUNT: usize = 1 << TERM_BITS;

/// The bucket of a term, from the hash of its word (feature hashing): terms are known by bucket.
pub(crate) fn term_bucket(hash: u64) -> u32 {
    (hash >> (64 - TERM_BITS)) as u32
}

/// A map whose keys are numbers. They are hashes of text or dense, so a fast hasher is enough.
pub(crate) type NumberMap<K, V> = hashbrown::HashMap<K, V, rustc_hash::FxBuildHasher>;
