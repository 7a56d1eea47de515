//! A sketch of a text's word pairs: 1,024 single bits that estimate how much two texts share.
//!
//! Take all pairs of neighbouring words of a text as a set. A slot of the sketch holds the pair
//! with the least hash under that slot's hash function; two texts agree on a slot as often as
//! their sets overlap (Jaccard). Of each winner we keep one bit: two texts that disagree still
//! match by chance on half of the slots, which the estimate takes out again. For texts that are
//! alike this uses the bytes far better than one byte a slot: at overlap 0.7 and 128 bytes the
//! standard error is 0.022 (one byte a slot: 0.041), at 64 bytes 0.032.
//!
//! A thousand hash functions are not computed for every pair. All pairs share one hash that
//! picks a slot and a rank; slots that stay empty are filled by further rounds with new hashes
//! until none is left, earlier rounds always winning. A long text needs one round, a short one
//! some hundred, each over few pairs: about 7,000 hashes at most.
//!
//! Any half of the slots is a sketch too, so an index may store the first 64 bytes only.
//!
//! Sources: Broder 1997 (resemblance); Li, König, *b-bit minwise hashing*, WWW 2010;
//! Dahlgaard, Knudsen, Thorup, *Fast similarity sketching*, FOCS 2017.

use crate::hash::{GOLDEN, mix, pair};

/// Slots of a whole sketch.
const SLOTS: usize = 1024;
/// 64-bit words of a whole sketch.
const LANES: usize = SLOTS / 64;
/// A slot that no pair has reached.
const EMPTY: u64 = u64::MAX;
/// Bits of a slot's value that hold the rank within a round; the round stands above them.
const RANK_BITS: u32 = 48;

/// How many bytes of a sketch an index keeps for each page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SketchSize {
    /// 512 slots: standard error 0.032 at overlap 0.7.
    Bytes64,
    /// 1,024 slots: standard error 0.022 at overlap 0.7.
    #[default]
    Bytes128,
}

impl SketchSize {
    /// The number of bytes.
    pub fn bytes(self) -> usize {
        match self {
            SketchSize::Bytes64 => 64,
            SketchSize::Bytes128 => 128,
        }
    }
}

/// A sketch of a text's word pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch {
    bits: [u64; LANES],
    size: SketchSize,
}

impl Default for Sketch {
    fn default() -> Sketch {
        Sketch {
            bits: [0; LANES],
            size: SketchSize::Bytes128,
        }
    }
}

impl Sketch {
    /// The sketch of a text by its words' hashes in order. A text without words has all zeros.
    pub fn of(hashes: &[u64]) -> Sketch {
        let mut slots = [EMPTY; SLOTS];
        let mut pairs = Vec::with_capacity(hashes.len());
        match hashes {
            [] => return Sketch::default(),
            [only] => pairs.push(pair(*only, 0)),
            more => pairs.extend(more.windows(2).map(|two| pair(two[0], two[1]))),
        }
        fill(&mut slots, &pairs);
        let mut sketch = Sketch::default();
        for (at, value) in slots.iter().enumerate() {
            sketch.bits[at / 64] |= (value & 1) << (at % 64);
        }
        sketch
    }

    /// The share of word pairs that two texts have in common (Jaccard, 0.0 to 1.0), estimated
    /// on the slots that both sketches have.
    pub fn overlap(&self, other: &Sketch) -> f32 {
        let lanes = self.size.bytes().min(other.size.bytes()) / 8;
        let differ: u32 = (0..lanes)
            .map(|at| (self.bits[at] ^ other.bits[at]).count_ones())
            .sum();
        // P(differ) = (1 - J) / 2.
        (1.0 - 2.0 * differ as f32 / (lanes * 64) as f32).max(0.0)
    }

    /// This sketch cut to `size`.
    pub fn truncated(&self, size: SketchSize) -> Sketch {
        let mut sketch = *self;
        if size.bytes() < self.size.bytes() {
            sketch.size = size;
            sketch.bits[size.bytes() / 8..].fill(0);
        }
        sketch
    }

    /// The bytes to store: 64 or 128.
    pub fn to_bytes(&self) -> Vec<u8> {
        let lanes = &self.bits[..self.size.bytes() / 8];
        lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect()
    }

    /// The sketch stored as `bytes`; none unless they are 64 or 128.
    pub fn from_bytes(bytes: &[u8]) -> Option<Sketch> {
        let size = match bytes.len() {
            64 => SketchSize::Bytes64,
            128 => SketchSize::Bytes128,
            _ => return None,
        };
        let mut sketch = Sketch {
            bits: [0; LANES],
            size,
        };
        for (lane, eight) in sketch.bits.iter_mut().zip(bytes.chunks_exact(8)) {
            *lane = u64::from_le_bytes(eight.try_into().expect("a chunk has eight bytes"));
        }
        Some(sketch)
    }
}

/// Gives every slot its winner. `pairs` is not empty.
fn fill(slots: &mut [u64; SLOTS], pairs: &[u64]) {
    let mut empty = SLOTS;
    for round in 0..SLOTS as u64 {
        for &pair in pairs {
            let hash = mix(pair.wrapping_add(round.wrapping_mul(GOLDEN)));
            let slot = &mut slots[(hash >> (64 - SLOTS.ilog2())) as usize];
            let value = round << RANK_BITS | hash & ((1 << RANK_BITS) - 1);
            empty -= usize::from(*slot == EMPTY);
            *slot = value.min(*slot);
        }
        if empty == 0 {
            return;
        }
    }
    // Texts of a handful of words may leave slots empty even so; each is filled by itself.
    for (at, slot) in slots
        .iter_mut()
        .enumerate()
        .filter(|(_, slot)| **slot == EMPTY)
    {
        let offset = (SLOTS + at) as u64;
        let values = pairs
            .iter()
            .map(|pair| mix(pair.wrapping_add(offset.wrapping_mul(GOLDEN))) >> 1);
        *slot = values.min().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(from: u64, to: u64) -> Vec<u64> {
        (from..to)
            .map(|word| mix(word.wrapping_mul(GOLDEN)))
            .collect()
    }

    #[test]
    fn the_overlap_is_estimated_within_four_standard_errors() {
        for length in [12_u64, 60, 400, 5_000] {
            for shift in [0, length / 20, length / 6, length / 2, length] {
                let (a, b) = (words(0, length), words(shift, length + shift));
                let shared = (length - 1).saturating_sub(shift) as f32;
                let exact = shared / (2.0 * (length - 1) as f32 - shared);
                let estimate = Sketch::of(&a).overlap(&Sketch::of(&b));
                let noise = (0.25_f32 / SLOTS as f32).sqrt() * 2.0 + 0.5 / length as f32;
                assert!(
                    (estimate - exact).abs() < 4.0 * noise,
                    "{length} {shift}: {estimate} {exact}"
                );
            }
        }
    }

    #[test]
    fn half_a_sketch_is_a_sketch() {
        let (a, b) = (Sketch::of(&words(0, 500)), Sketch::of(&words(60, 560)));
        let half = a.truncated(SketchSize::Bytes64);
        assert!((half.overlap(&b) - a.overlap(&b)).abs() < 0.1);
        assert_eq!(Sketch::from_bytes(&half.to_bytes()), Some(half));
        assert_eq!(Sketch::from_bytes(&a.to_bytes()), Some(a));
        assert_eq!(Sketch::from_bytes(&[0; 65]), None);
    }

    #[test]
    fn texts_without_words_or_with_one_have_a_sketch_too() {
        assert_eq!(Sketch::of(&[]), Sketch::default());
        let one = Sketch::of(&words(7, 8));
        assert_eq!(one.overlap(&one), 1.0);
        assert!(one.overlap(&Sketch::of(&words(8, 9))) < 0.2);
    }

    #[test]
    fn the_bits_of_a_known_text_never_change() {
        let bytes = Sketch::of(&words(0, 100)).to_bytes();
        let sum = bytes
            .iter()
            .fold(0u64, |sum, &byte| mix(sum ^ u64::from(byte)));
        assert_eq!(sum, PINNED);
    }

    const PINNED: u64 = 10_038_462_846_096_150_512;
}
