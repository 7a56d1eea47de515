//! Shingling: two texts are alike when they share most of their runs of w words (their shingles).
//!
//! A text has too many shingles to keep them all. So a sample is kept, which is the same for the same
//! shingles:
//!
//! * the least hash under each of 128 hash functions (MinHash). Candidates share one of 25 bands of five
//!   values, and the share of equal values estimates the Jaccard coefficient with a standard error of
//!   0.04;
//! * or all shingles whose hash is 0 modulo m, of which longer texts have more.
//!
//! Sources: Broder, *On the resemblance and containment of documents*, 1997; Broder, Glassman,
//! Manasse, Zweig, *Syntactic clustering of the web*, WWW 1997 (modulo m); Indyk, Motwani, STOC
//! 1998 (bands).

use std::collections::HashMap;

use simhash::hash::{GOLDEN, mix, pair};

use crate::overlapping::{most_alike, set};

/// Hash functions of a sketch.
const FUNCTIONS: usize = 128;
/// Values in a band; 25 bands of five use 125 of the functions.
const BAND: usize = 5;

/// The method with its settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shingles {
    /// Words of a shingle.
    pub words: usize,
    /// Which shingles are kept.
    pub sampled: Sampled,
    /// The least Jaccard coefficient of duplicates.
    pub overlap: f64,
}

/// Which shingles of a text are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The least hash under each hash function.
    MinHash,
    /// Those whose hash is 0 modulo this number.
    Modulo(u64),
}

impl Default for Shingles {
    fn default() -> Shingles {
        Shingles {
            words: 3,
            sampled: Sampled::MinHash,
            overlap: 0.6,
        }
    }
}

impl Shingles {
    pub(crate) fn sign(&self, words: &[u64]) -> Vec<u64> {
        let runs = set(runs(words, self.words));
        match self.sampled {
            Sampled::MinHash => min_hashes(&runs),
            Sampled::Modulo(modulus) => {
                let sampled = runs.iter().copied().filter(|run| run % modulus.max(1) == 0);
                sampled.collect()
            }
        }
    }
}

/// The hashes of all runs of `length` words; of a shorter text, of the whole.
pub(crate) fn runs(words: &[u64], length: usize) -> Vec<u64> {
    let hash = |run: &[u64]| run.iter().fold(0, |hash, &word| pair(hash, word));
    match words.len() {
        0 => Vec::new(),
        count => words.windows(length.clamp(1, count)).map(hash).collect(),
    }
}

fn min_hashes(runs: &[u64]) -> Vec<u64> {
    if runs.is_empty() {
        return Vec::new();
    }
    (1..=FUNCTIONS as u64)
        .map(|function| {
            let offset = function.wrapping_mul(GOLDEN);
            let hashes = runs.iter().map(|run| mix(run.wrapping_add(offset)));
            hashes.min().unwrap_or(u64::MAX)
        })
        .collect()
}

/// Kept MinHash sketches, found by their bands.
#[derive(Clone, Debug)]
pub(crate) struct MinHashes {
    overlap: f64,
    sketches: Vec<Vec<u64>>,
    bands: HashMap<u64, Vec<u32>>,
}

impl MinHashes {
    pub(crate) fn new(overlap: f64) -> MinHashes {
        MinHashes {
            overlap,
            sketches: Vec::new(),
            bands: HashMap::new(),
        }
    }

    pub(crate) fn nearest(&self, sketch: &[u64]) -> Option<(usize, f64)> {
        let found = bands(sketch).filter_map(|band| self.bands.get(&band));
        most_alike(found.flatten(), self.overlap, |at| {
            let kept = self.sketches[at].iter();
            let equal = kept.zip(sketch).filter(|(a, b)| a == b).count();
            equal as f64 / FUNCTIONS as f64
        })
    }

    pub(crate) fn insert(&mut self, sketch: Vec<u64>) {
        let at = self.sketches.len() as u32;
        for band in bands(&sketch) {
            self.bands.entry(band).or_default().push(at);
        }
        self.sketches.push(sketch);
    }
}

fn bands(sketch: &[u64]) -> impl Iterator<Item = u64> {
    let hash = |(at, band): (usize, &[u64])| {
        band.iter()
            .fold(at as u64, |hash, &value| pair(hash, value))
    };
    sketch.chunks_exact(BAND).enumerate().map(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overlapping::jaccard;

    #[test]
    fn the_share_of_equal_values_estimates_the_share_of_runs() {
        let words = |from: u64| (from..from + 400).map(mix).collect::<Vec<u64>>();
        for shift in [0, 20, 80, 200] {
            let (a, b) = (words(0), words(shift));
            let exact = jaccard(&set(runs(&a, 3)), &set(runs(&b, 3)));
            let shingles = Shingles::default();
            let (a, b) = (shingles.sign(&a), shingles.sign(&b));
            let equal = a.iter().zip(&b).filter(|(a, b)| a == b).count();
            let estimate = equal as f64 / FUNCTIONS as f64;
            assert!(
                (estimate - exact).abs() < 0.15,
                "{shift}: {estimate} {exact}"
            );
        }
    }

    #[test]
    fn one_run_in_m_is_kept() {
        let words: Vec<u64> = (0..8_000).map(mix).collect();
        let sampled = Shingles {
            sampled: Sampled::Modulo(25),
            ..Shingles::default()
        };
        let kept = sampled.sign(&words).len();
        assert!((240..400).contains(&kept), "{kept}");
        assert_eq!(runs(&[1, 2], 3).len(), 1);
        assert!(runs(&[], 3).is_empty());
    }
}
