//! The terms of kept pages, numbered without gaps, and the pages as vectors over these numbers.
//!
//! The table over all terms has half a million entries, of which a thousand pages use some
//! ten thousand here and there. Training reads each of them a hundred times: over numbers without gaps
//! what it needs stays in the processor's cache.

use crate::background::Background;
use crate::terms::{TERM_COUNT, Term};

/// Terms by number.
#[derive(Debug, Clone)]
pub(crate) struct Lexicon {
    /// One more than the number of each term, 0 for a term without one.
    numbers: Vec<u32>,
    buckets: Vec<u32>,
}

/// A term of a kept page: its number, and what its count tells.
pub(crate) type KeptTerm = (u32, f32);

impl Lexicon {
    pub(crate) fn new() -> Lexicon {
        Lexicon {
            numbers: vec![0; TERM_COUNT],
            buckets: Vec::new(),
        }
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.buckets.len()
    }

    /// The terms' buckets, by number.
    pub(crate) fn buckets(&self) -> &[u32] {
        &self.buckets
    }

    /// Takes in the terms of a page.
    pub(crate) fn keep<'t>(
        &mut self,
        background: &Background,
        terms: impl Iterator<Item = &'t Term>,
    ) -> Vec<KeptTerm> {
        terms
            .map(|term| {
                let number = &mut self.numbers[term.bucket as usize];
                if *number == 0 {
                    self.buckets.push(term.bucket);
                    *number = self.buckets.len() as u32;
                }
                (*number - 1, background.telling(term))
            })
            .collect()
    }
}

/// Vectors of length 1, one behind the other.
#[derive(Debug)]
pub(crate) struct Vectors {
    terms: Vec<KeptTerm>,
    ends: Vec<usize>,
}

impl Vectors {
    pub(crate) fn new<'t>(
        background: &Background,
        lexicon: &Lexicon,
        pages: impl Iterator<Item = &'t [KeptTerm]> + Clone,
    ) -> Vectors {
        let rarities: Vec<f32> = lexicon
            .buckets
            .iter()
            .map(|&bucket| background.rarity(bucket))
            .collect();
        let mut vectors = Vectors {
            terms: Vec::with_capacity(pages.clone().map(<[KeptTerm]>::len).sum()),
            ends: Vec::with_capacity(pages.size_hint().0),
        };
        for page in pages {
            let begin = vectors.terms.len();
            let weights = page
                .iter()
                .map(|&(number, tells)| (number, tells * rarities[number as usize]));
            vectors.terms.extend(weights);
            let page = &mut vectors.terms[begin..];
            let length = page.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
            if length > 0.0 {
                page.iter_mut().for_each(|(_, x)| *x /= length);
            }
            vectors.ends.push(vectors.terms.len());
        }
        vectors
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> &[KeptTerm] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[begin..self.ends[at]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[KeptTerm]> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// The product of a vector with a table by number.
pub(crate) fn dot(vector: &[KeptTerm], table: &[f32]) -> f32 {
    vector
        .iter()
        .map(|&(number, x)| x * table[number as usize])
        .sum()
}
