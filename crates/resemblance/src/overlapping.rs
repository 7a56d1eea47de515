//! Finds sets that share most of their elements, exactly.
//!
//! Two sets A and B whose Jaccard coefficient is t or more lack few of each other's elements. So, in any
//! common order of elements, they share one of the first |A| - ceil(t |A|) + 1 (the prefix filter). Only
//! those are indexed and searched for; each candidate is then compared in full.
//!
//! Source: Chaudhuri, Ganti, Kaushik, *A primitive operator for similarity joins*, ICDE 2006
//! (prefix filter).

use std::collections::{BTreeSet, HashMap};

/// Sets of 64-bit hashes, found by their overlap.
#[derive(Clone, Debug)]
pub struct OverlappingSets {
    least: f64,
    sets: Vec<Vec<u64>>,
    by_element: HashMap<u64, Vec<u32>>,
}

impl OverlappingSets {
    /// No sets yet. `least` is the Jaccard coefficient from which on two sets are alike, above 0.
    pub fn new(least: f64) -> OverlappingSets {
        OverlappingSets {
            least,
            sets: Vec::new(),
            by_element: HashMap::new(),
        }
    }

    /// The set that overlaps most with a sorted set, the earliest of several; none when no
    /// overlap is large enough. An empty set overlaps with nothing.
    pub fn nearest(&self, set: &[u64]) -> Option<(usize, f64)> {
        let keys = prefix(set, self.least);
        let found = keys.iter().filter_map(|key| self.by_element.get(key));
        most_alike(found.flatten(), self.least, |at| {
            jaccard(set, &self.sets[at])
        })
    }

    /// Adds a sorted set.
    pub fn insert(&mut self, set: Vec<u64>) {
        let at = self.sets.len() as u32;
        for element in prefix(&set, self.least) {
            self.by_element.entry(*element).or_default().push(at);
        }
        self.sets.push(set);
    }
}

/// Of the candidates, some of them named more than once, the one that overlaps most, the earliest of
/// several; none when no overlap is large enough.
pub(crate) fn most_alike<'c>(
    candidates: impl Iterator<Item = &'c u32>,
    least: f64,
    overlap: impl Fn(usize) -> f64,
) -> Option<(usize, f64)> {
    let candidates: BTreeSet<u32> = candidates.copied().collect();
    let measured = candidates
        .into_iter()
        .map(|at| (at as usize, overlap(at as usize)));
    measured
        .filter(|&(_, overlap)| overlap >= least)
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The elements of a set that are indexed.
fn prefix(set: &[u64], least: f64) -> &[u64] {
    let shared = (least * set.len() as f64).ceil() as usize;
    &set[..(set.len() + 1).saturating_sub(shared).min(set.len())]
}

/// The share of elements that two sorted sets have in common; 0 when both are empty.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let both = shared(a, b);
    let either = a.len() + b.len() - both;
    both as f64 / either.max(1) as f64
}

/// How many elements two sorted sets have in common.
pub fn shared(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut other, mut both) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(at), b.get(other)) {
        at += usize::from(x <= y);
        other += usize::from(y <= x);
        both += usize::from(x == y);
    }
    both
}

/// A list as a sorted set.
pub fn set(mut elements: Vec<u64>) -> Vec<u64> {
    elements.sort_unstable();
    elements.dedup();
    elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_found_is_what_comparing_with_all_finds(
            sets in prop::collection::vec(prop::collection::vec(0u64..30, 0..20), 1..40),
            percent in 1u32..=100,
        ) {
            let least = f64::from(percent) / 100.0;
            let sets: Vec<_> = sets.into_iter().map(set).collect();
            let mut index = OverlappingSets::new(least);
            for asked in &sets {
                let found = index.nearest(asked);
                let all = index.sets.iter().map(|kept| jaccard(asked, kept)).enumerate();
                let expected = all
                    .filter(|&(_, overlap)| overlap >= least)
                    .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
                prop_assert_eq!(found, expected);
                index.insert(asked.clone());
            }
        }
    }
}
