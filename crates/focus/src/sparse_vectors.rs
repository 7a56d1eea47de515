//! The pages that the classifier is trained on, as sparse vectors over dense term numbers.
//!
//! The table over all terms has half a million entries, and a thousand pages use some ten thousand
//! of them, scattered. Training reads each a hundred times. With the used terms numbered from 0
//! without gaps, all that training reads stays in the processor's cache.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hashing::TERM_COUNT;
use crate::page_terms::Term;
use crate::term_table::TermTable;

/// Numbers for the terms of the training pages, from 0 without gaps.
#[derive(Debug, Clone)]
pub(crate) struct TermNumbers {
    /// By bucket: one more than the term's number, 0 for a term without one.
    numbers: Vec<u32>,
    /// By number: the term's bucket.
    buckets: Vec<u32>,
}

/// A term of a training page: its number and a weight.
pub(crate) type NumberedTerm = (u32, f32);

impl TermNumbers {
    pub(crate) fn new() -> TermNumbers {
        TermNumbers {
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

    /// Numbers the terms of a page, each with the weight of its count.
    pub(crate) fn number_terms<'t>(
        &mut self,
        table: &TermTable,
        terms: impl Iterator<Item = &'t Term>,
    ) -> Vec<NumberedTerm> {
        terms
            .map(|term| {
                let number = &mut self.numbers[term.bucket as usize];
                if *number == 0 {
                    self.buckets.push(term.bucket);
                    *number = self.buckets.len() as u32;
                }
                (*number - 1, table.tf_weight(term))
            })
            .collect()
    }
}

impl Serialize for TermNumbers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.buckets.serialize(to)
    }
}

impl<'de> Deserialize<'de> for TermNumbers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut all = TermNumbers::new();
        all.buckets = Vec::deserialize(from)?;
        for (at, bucket) in all.buckets.iter().enumerate() {
            let number = all.numbers.get_mut(*bucket as usize);
            let number = number.ok_or_else(|| D::Error::custom("a term beyond the table"))?;
            *number = at as u32 + 1;
        }
        Ok(all)
    }
}

/// Vectors of length 1, one behind the other in memory.
#[derive(Debug)]
pub(crate) struct UnitVectors {
    terms: Vec<NumberedTerm>,
    /// Where each vector ends.
    ends: Vec<usize>,
}

impl UnitVectors {
    /// The pages' tf-idf vectors. `pages` have the weights of the terms' counts.
    pub(crate) fn new<'t>(
        table: &TermTable,
        numbers: &TermNumbers,
        pages: impl Iterator<Item = &'t [NumberedTerm]> + Clone,
    ) -> UnitVectors {
        let idfs: Vec<f32> = numbers
            .buckets
            .iter()
            .map(|&bucket| table.idf(bucket))
            .collect();
        let mut vectors = UnitVectors {
            terms: Vec::with_capacity(pages.clone().map(<[NumberedTerm]>::len).sum()),
            ends: Vec::with_capacity(pages.size_hint().0),
        };
        for page in pages {
            let begin = vectors.terms.len();
            let weights = page
                .iter()
                .map(|&(number, tf)| (number, tf * idfs[number as usize]));
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

    pub(crate) fn get(&self, at: usize) -> &[NumberedTerm] {
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[begin..self.ends[at]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[NumberedTerm]> {
        (0..self.len()).map(|at| self.get(at))
    }
}

/// The dot product of a sparse vector with a dense one.
pub(crate) fn dot(vector: &[NumberedTerm], dense: &[f32]) -> f32 {
    vector
        .iter()
        .map(|&(number, x)| x * dense[number as usize])
        .sum()
}
