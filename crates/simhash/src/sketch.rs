//! A sketch of a text: 960 single bits that estimate how many word pairs two texts share, and 64
//! that say the same of their numbers. For a short text there are the bands that find it besides.
//!
//! Take all pairs of neighbouring words of a text as a set. A slot of the sketch holds the pair
//! with the least hash under that slot's hash function; two texts agree on a slot as often as
//! their sets overlap (Jaccard). Of each winner we keep one bit: two texts that disagree still
//! match by chance on half of the slots, which the estimate takes out again. For texts that are
//! alike this uses the bytes far better than one byte a slot: at overlap 0.7 and 128 bytes the
//! standard error is 0.023 (one byte a slot: 0.041), at 64 bytes 0.034.
//!
//! A thousand hash functions are not computed for every pair. All pairs share one hash that
//! picks a slot and a rank; slots that stay empty are filled by further rounds with new hashes
//! until none is left, earlier rounds always winning. A long text needs one round, a short one
//! some hundred, each over few pairs: about 7,000 hashes at most.
//!
//! The slots' order is that of their hash, so the first slots are a sketch too: an index may store
//! 448 of them and the numbers in 64 bytes. (There are 1,024, a power of two; 960 are kept.)
//!
//! Sources: Broder 1997 (resemblance); Li, König, *b-bit minwise hashing*, WWW 2010;
//! Dahlgaard, Knudsen, Thorup, *Fast similarity sketching*, FOCS 2017.

use crate::hash::{GOLDEN, mix, pair};

/// Slots that are filled; the last 64 are not kept.
const SLOTS: usize = 1024;
/// 64-bit words of pairs in a whole sketch.
const LANES: usize = 15;
/// A slot that no pair has reached.
const EMPTY: u64 = u64::MAX;
/// Bits of a slot's value that hold the rank within a round; the round stands above them.
const RANK_BITS: u32 = 48;

/// How many bytes of a sketch an index keeps for each page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SketchSize {
    /// 448 slots: standard error 0.034 at overlap 0.7. As good as 128 bytes on a stream of labelled
    /// documents, but 0.7 % of the pairs from one template are called duplicates.
    Bytes64,
    /// 960 slots: standard error 0.023 at overlap 0.7; 0.4 % of the pairs from one template.
    #[default]
    Bytes128,
}

impl SketchSize {
    /// The number of bytes, those for the numbers included.
    pub fn bytes(self) -> usize {
        match self {
            SketchSize::Bytes64 => 64,
            SketchSize::Bytes128 => 128,
        }
    }

    /// The standard error of an estimated overlap: each slot differs with probability
    /// (1 - overlap) / 2, independently of the others.
    pub fn overlap_error(self, overlap: f32) -> f32 {
        ((1.0 - overlap * overlap).max(0.0) / (self.lanes() * 64) as f32).sqrt()
    }

    /// 64-bit words of pairs.
    pub(crate) fn lanes(self) -> usize {
        self.bytes() / 8 - 1
    }
}

/// Texts of fewer words are short: their fingerprints jump with every word, so they are found by
/// bands of the sketch's hash functions too.
pub const SHORT_WORDS: u32 = 64;

/// Bands of a short text.
pub const BANDS: usize = 8;

/// Slots of the sketch of a text's numbers.
const NUMBER_SLOTS: usize = 64;

/// A sketch of a text: its word pairs, its numbers, and for a short text its bands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sketch {
    pairs: [u64; LANES],
    size: SketchSize,
    numbers: u64,
    number_count: u8,
    bands: Option<[u32; BANDS]>,
    /// Whether its words are pairs of characters, of which it takes some to say what a word does. An index does not
    /// keep it: the text that is judged says it, and what resembles it is of the same script.
    pub(crate) is_of_characters: bool,
}

impl Default for Sketch {
    /// The sketch of a text without words.
    fn default() -> Sketch {
        Sketch {
            pairs: [0; LANES],
            size: SketchSize::Bytes128,
            numbers: 0,
            number_count: 0,
            bands: None,
            is_of_characters: false,
        }
    }
}

impl Sketch {
    /// The sketch of a text by its words' hashes in order and the hashes of those words that
    /// are numbers. A text without words has all zeros.
    pub fn of(hashes: &[u64], numbers: &[u64]) -> Sketch {
        let mut pairs: Vec<u64> = match hashes {
            [] => return Sketch::default(),
            [only] => vec![pair(*only, 0)],
            more => more.windows(2).map(|two| pair(two[0], two[1])).collect(),
        };
        let mut sketch = Sketch::default();
        let mut slots = [EMPTY; SLOTS];
        fill(&mut slots, &mut pairs);
        for (lane, values) in sketch.pairs.iter_mut().zip(slots.chunks_exact(64)) {
            *lane = low_bits(values);
        }
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable();
        numbers.dedup();
        sketch.number_count = u8::try_from(numbers.len()).unwrap_or(u8::MAX);
        if !numbers.is_empty() {
            let mut slots = [EMPTY; NUMBER_SLOTS];
            fill(&mut slots, &mut numbers);
            sketch.numbers = low_bits(&slots);
        }
        if hashes.len() < SHORT_WORDS as usize {
            sketch.bands = Some(bands(&pairs));
        }
        sketch
    }

    /// The share of word pairs that two texts have in common (Jaccard, 0.0 to 1.0), estimated
    /// on the slots that both sketches have.
    #[inline]
    pub fn overlap(&self, other: &Sketch) -> f32 {
        self.overlap_with(other.lanes())
    }

    /// The same with the lanes of another sketch.
    #[inline]
    pub(crate) fn overlap_with(&self, other: &[u64]) -> f32 {
        let own = self.lanes();
        let differ: u32 = own
            .iter()
            .zip(other)
            .map(|(a, b)| (a ^ b).count_ones())
            .sum();
        share(differ, own.len().min(other.len()) * 64)
    }

    /// The share of numbers that two texts have in common (Jaccard), estimated with a standard
    /// error of up to 0.13; 1.0 when neither has any.
    pub fn number_overlap(&self, other: &Sketch) -> f32 {
        match (self.number_count, other.number_count) {
            (0, 0) => 1.0,
            (0, _) | (_, 0) => 0.0,
            _ => share((self.numbers ^ other.numbers).count_ones(), NUMBER_SLOTS),
        }
    }

    /// How many different numbers the text has; 255 stands for all from there.
    pub fn number_count(&self) -> u8 {
        self.number_count
    }

    /// The key under which texts with the same numbers are found; none for a text without.
    pub(crate) fn numbers_key(&self) -> Option<u64> {
        numbers_key(self.numbers, self.number_count)
    }

    /// The bands of a short text: two short texts that share most of their word pairs share a
    /// band at the same place (probability 0.97 at overlap 0.6).
    pub fn bands(&self) -> Option<&[u32; BANDS]> {
        self.bands.as_ref()
    }

    /// Whether two short texts have a band in common.
    pub fn share_a_band(&self, other: &Sketch) -> bool {
        match (&self.bands, &other.bands) {
            (Some(a), Some(b)) => a.iter().zip(b).any(|(a, b)| a == b),
            _ => false,
        }
    }

    /// How much of it is kept.
    pub fn size(&self) -> SketchSize {
        self.size
    }

    /// This sketch cut to `size`.
    pub fn truncated(&self, size: SketchSize) -> Sketch {
        let mut sketch = *self;
        if size.lanes() < self.size.lanes() {
            sketch.size = size;
            sketch.pairs[size.lanes()..].fill(0);
        }
        sketch
    }

    /// The bytes to store: 64 or 128, one for the count of numbers, 32 for a short text's bands, and one more where the
    /// words are pairs of characters.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.size.bytes() + 1 + BANDS * 4);
        bytes.extend(self.lanes().iter().flat_map(|lane| lane.to_le_bytes()));
        bytes.extend(self.numbers.to_le_bytes());
        bytes.push(self.number_count);
        bytes.extend(
            self.bands
                .iter()
                .flatten()
                .flat_map(|band| band.to_le_bytes()),
        );
        bytes.extend(self.is_of_characters.then_some(1));
        bytes
    }

    /// The sketch stored as `bytes`; none when their number is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Sketch> {
        const SHORT: usize = BANDS * 4;
        // All other lengths are odd.
        let is_of_characters = bytes.len().is_multiple_of(2);
        let bytes = &bytes[..bytes.len() - usize::from(is_of_characters && !bytes.is_empty())];
        let (size, short) = match bytes.len().checked_sub(1)? {
            64 => (SketchSize::Bytes64, false),
            128 => (SketchSize::Bytes128, false),
            length if length == 64 + SHORT => (SketchSize::Bytes64, true),
            length if length == 128 + SHORT => (SketchSize::Bytes128, true),
            _ => return None,
        };
        let (pairs, rest) = bytes.split_at(size.bytes() - 8);
        let mut sketch = Sketch {
            size,
            is_of_characters,
            ..Sketch::default()
        };
        for (lane, eight) in sketch.pairs.iter_mut().zip(pairs.chunks_exact(8)) {
            *lane = u64::from_le_bytes(eight.try_into().expect("a chunk has eight bytes"));
        }
        sketch.numbers =
            u64::from_le_bytes(rest[..8].try_into().expect("eight bytes were counted"));
        sketch.number_count = rest[8];
        if short {
            let mut bands = [0; BANDS];
            for (band, four) in bands.iter_mut().zip(rest[9..].chunks_exact(4)) {
                *band = u32::from_le_bytes(four.try_into().expect("a chunk has four bytes"));
            }
            sketch.bands = Some(bands);
        }
        Some(sketch)
    }

    /// The pairs' slots that are kept, 64 to a lane.
    pub(crate) fn lanes(&self) -> &[u64] {
        &self.pairs[..self.size.lanes()]
    }

    /// The numbers' slots.
    pub(crate) fn numbers(&self) -> u64 {
        self.numbers
    }

    /// A sketch put together again from its parts.
    pub(crate) fn from_parts(
        lanes: &[u64],
        numbers: u64,
        number_count: u8,
        bands: Option<[u32; BANDS]>,
    ) -> Sketch {
        let size = if lanes.len() == LANES {
            SketchSize::Bytes128
        } else {
            SketchSize::Bytes64
        };
        let mut pairs = [0; LANES];
        pairs[..lanes.len()].copy_from_slice(lanes);
        Sketch {
            pairs,
            size,
            numbers,
            number_count,
            bands,
            is_of_characters: false,
        }
    }
}

/// See [`Sketch::numbers_key`].
pub(crate) fn numbers_key(numbers: u64, count: u8) -> Option<u64> {
    (count > 0).then(|| pair(numbers, u64::from(count)))
}

/// Jaccard from the slots in which two sketches differ: half of those whose winners differ.
#[inline]
fn share(differ: u32, slots: usize) -> f32 {
    (1.0 - 2.0 * differ as f32 / slots as f32).max(0.0)
}

/// The lowest bit of each of 64 values.
fn low_bits(values: &[u64]) -> u64 {
    values
        .iter()
        .enumerate()
        .fold(0, |bits, (at, value)| bits | (value & 1) << at)
}

/// Gives every slot its winner. `elements` is not empty; the slots' number is a power of two.
fn fill(slots: &mut [u64], elements: &mut Vec<u64>) {
    let shift = 64 - slots.len().ilog2();
    let mut empty = slots.len();
    for round in 0..slots.len() as u64 {
        for &element in elements.iter() {
            let hash = mix(element.wrapping_add(round.wrapping_mul(GOLDEN)));
            let slot = &mut slots[(hash >> shift) as usize];
            let value = (round << RANK_BITS) | (hash & ((1 << RANK_BITS) - 1));
            empty -= usize::from(*slot == EMPTY);
            *slot = value.min(*slot);
        }
        if empty == 0 {
            return;
        }
        if round == 0 {
            // There will be many rounds: repetitions need not be hashed in each.
            elements.sort_unstable();
            elements.dedup();
        }
    }
    // A handful of elements may leave slots empty even so; each of these is filled by itself.
    let rounds = slots.len();
    for (at, slot) in slots
        .iter_mut()
        .enumerate()
        .filter(|(_, slot)| **slot == EMPTY)
    {
        let offset = ((rounds + at) as u64).wrapping_mul(GOLDEN);
        *slot = elements
            .iter()
            .map(|element| mix(element.wrapping_add(offset)) >> 1)
            .min()
            .unwrap_or(0);
    }
}

/// Each band is the hash of the least pairs under two hash functions.
fn bands(pairs: &[u64]) -> [u32; BANDS] {
    let least = |function: u64| {
        let offset = (BAND_FUNCTIONS + function).wrapping_mul(GOLDEN);
        pairs
            .iter()
            .map(|pair| mix(pair.wrapping_add(offset)))
            .min()
            .unwrap_or(0)
    };
    std::array::from_fn(|band| {
        (pair(least(2 * band as u64), least(2 * band as u64 + 1)) >> 32) as u32
    })
}

/// Number of the bands' first hash function, beyond those of the slots.
const BAND_FUNCTIONS: u64 = 1 << 20;

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
                let estimate = Sketch::of(&a, &[]).overlap(&Sketch::of(&b, &[]));
                let noise = (0.25_f32 / SLOTS as f32).sqrt() * 2.0 + 0.5 / length as f32;
                assert!(
                    (estimate - exact).abs() < 4.0 * noise,
                    "{length} {shift}: {estimate} {exact}"
                );
            }
        }
    }

    #[test]
    fn the_stated_error_is_that_of_the_documentation() {
        let error = |size: SketchSize| (size.overlap_error(0.7) * 1_000.0).round();
        assert_eq!(error(SketchSize::Bytes128), 23.0);
        assert_eq!(error(SketchSize::Bytes64), 34.0);
        assert_eq!(SketchSize::Bytes128.overlap_error(1.0), 0.0);
    }

    #[test]
    fn half_a_sketch_is_a_sketch() {
        let (a, b) = (
            Sketch::of(&words(0, 500), &[]),
            Sketch::of(&words(60, 560), &[]),
        );
        let half = a.truncated(SketchSize::Bytes64);
        assert!((half.overlap(&b) - a.overlap(&b)).abs() < 0.1);
        assert_eq!(Sketch::from_bytes(&half.to_bytes()), Some(half));
        assert_eq!(Sketch::from_bytes(&a.to_bytes()), Some(a));
        let short = Sketch::of(&words(0, 20), &words(3, 5));
        assert_eq!(Sketch::from_bytes(&short.to_bytes()), Some(short));
        for mut sketch in [half, a, short] {
            sketch.is_of_characters = true;
            assert_eq!(Sketch::from_bytes(&sketch.to_bytes()), Some(sketch));
        }
        for wrong in [0, 8, 64, 73, 128, 160] {
            assert_eq!(Sketch::from_bytes(&vec![0; wrong]), None);
        }
    }

    #[test]
    fn equal_numbers_overlap_and_other_numbers_do_not() {
        let text = words(0, 100);
        let with = |from, to| Sketch::of(&text, &words(from, to));
        assert_eq!(with(0, 5).number_overlap(&with(0, 5)), 1.0);
        assert!(with(0, 5).number_overlap(&with(10, 15)) < 0.45);
        assert_eq!(with(0, 0).number_overlap(&with(0, 0)), 1.0);
        assert_eq!(with(0, 0).number_overlap(&with(0, 1)), 0.0);
    }

    #[test]
    fn only_short_texts_have_bands() {
        let (a, b) = (
            Sketch::of(&words(0, 20), &[]),
            Sketch::of(&words(1, 21), &[]),
        );
        assert!(a.share_a_band(&b) && !a.share_a_band(&Sketch::of(&words(100, 120), &[])));
        assert!(Sketch::of(&words(0, 63), &[]).bands().is_some());
        assert!(Sketch::of(&words(0, 64), &[]).bands().is_none());
    }

    #[test]
    fn texts_without_words_or_with_one_have_a_sketch_too() {
        assert_eq!(Sketch::of(&[], &[]), Sketch::default());
        let one = Sketch::of(&words(7, 8), &[]);
        assert_eq!(one.overlap(&one), 1.0);
        assert!(one.overlap(&Sketch::of(&words(8, 9), &[])) < 0.2);
    }

    #[test]
    fn the_bits_of_a_known_text_never_change() {
        let bytes = Sketch::of(&words(0, 100), &[]).to_bytes();
        let sum = bytes
            .iter()
            .fold(0u64, |sum, &byte| mix(sum ^ u64::from(byte)));
        assert_eq!(sum, PINNED);
    }

    const PINNED: u64 = 15_753_689_830_345_720_171;
}
