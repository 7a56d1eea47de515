//! Measures how alike two texts are, by comparing them in full.
//!
//! An index can only estimate these: the share of word pairs in common, cosine and Euclidean distance of
//! the word counts, the edit distance in words. Together they distinguish a copy, a part, the same
//! paragraphs in another order, and a text made from two others.

use std::collections::HashMap;

use crate::overlapping::{set, shared};
use crate::shingles::runs;

/// Words of a text up to which the edit distance is computed: the work grows with the product.
const EDITED_WORDS_MAX: usize = 20_000;

/// The measures of two texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// The share of word pairs that both have of those that either has.
    pub jaccard: f64,
    /// The share of the first text's word pairs that the second has.
    pub of_a_in_b: f64,
    /// The share of the second text's word pairs that the first has.
    pub of_b_in_a: f64,
    /// The cosine of the angle between the word counts, 0 to 1.
    pub cosine: f64,
    /// The Euclidean distance of the word counts, 0 for equal ones.
    pub euclidean: f64,
    /// Words to insert, delete or replace; none for texts of more than 20,000 words.
    pub edit_distance: Option<usize>,
    /// One minus the edit distance divided by the longer text's words, 0 to 1.
    pub edit_similarity: Option<f64>,
}

/// What one text is to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The same words in the same order.
    Same,
    /// The same text with edits.
    Copy,
    /// The same passages in another order.
    Reordered,
    /// The first text stands inside the second.
    AInB,
    /// The second text stands inside the first.
    BInA,
    /// They share passages, and each has others.
    Mixed,
    /// Nothing much in common.
    Different,
}

impl Relation {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::Copy => "copy",
            Relation::Reordered => "reordered",
            Relation::AInB => "a_in_b",
            Relation::BInA => "b_in_a",
            Relation::Mixed => "mixed",
            Relation::Different => "different",
        }
    }
}

/// If a text shares this part of its word pairs, it stands inside the other.
const INSIDE: f64 = 0.8;
/// If both texts share this part, they are the same text.
const WHOLE: f64 = 0.7;
/// If one text shares this part, they share passages; below it, only common phrases.
const PASSAGE: f64 = 0.2;
/// Edits leave more words in place than word pairs intact, so the edit similarity is at least the
/// Jaccard coefficient. If it is less by this much, the order has changed.
const ORDER_LOST: f64 = 0.1;

impl Measures {
    /// Measures two texts given by their words' hashes.
    pub fn of(a: &[u64], b: &[u64]) -> Measures {
        let (pairs_a, pairs_b) = (set(runs(a, 2)), set(runs(b, 2)));
        let both = shared(&pairs_a, &pairs_b);
        let either = pairs_a.len() + pairs_b.len() - both;
        let share = |part: usize, whole: usize| match whole {
            0 => f64::from(u8::from(part == 0 && either == 0)),
            _ => part as f64 / whole as f64,
        };
        let (cosine, euclidean) = of_counts(a, b);
        let small = a.len().max(b.len()) <= EDITED_WORDS_MAX;
        let edit_distance = small.then(|| strsim::generic_levenshtein(&Hashes(a), &Hashes(b)));
        Measures {
            jaccard: share(both, either),
            of_a_in_b: share(both, pairs_a.len()),
            of_b_in_a: share(both, pairs_b.len()),
            cosine,
            euclidean,
            edit_distance,
            edit_similarity: edit_distance
                .map(|edits| 1.0 - edits as f64 / a.len().max(b.len()).max(1) as f64),
        }
    }

    /// What the first text is to the second.
    pub fn relation(&self) -> Relation {
        let reordered = self
            .edit_similarity
            .is_some_and(|similarity| similarity < self.jaccard - ORDER_LOST);
        let (least, most) = (
            self.of_a_in_b.min(self.of_b_in_a),
            self.of_a_in_b.max(self.of_b_in_a),
        );
        if self.edit_distance == Some(0) {
            Relation::Same
        } else if least >= WHOLE {
            if reordered {
                Relation::Reordered
            } else {
                Relation::Copy
            }
        } else if most >= INSIDE {
            if self.of_a_in_b > self.of_b_in_a {
                Relation::AInB
            } else {
                Relation::BInA
            }
        } else if most >= PASSAGE {
            Relation::Mixed
        } else {
            Relation::Different
        }
    }
}

/// A slice that can be walked by reference, as `strsim` asks.
struct Hashes<'h>(&'h [u64]);

impl<'h> IntoIterator for &'h Hashes<'_> {
    type Item = &'h u64;
    type IntoIter = std::slice::Iter<'h, u64>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Cosine and Euclidean distance of the word counts.
fn of_counts(a: &[u64], b: &[u64]) -> (f64, f64) {
    let mut counts: HashMap<u64, (f64, f64)> = HashMap::new();
    for word in a {
        counts.entry(*word).or_default().0 += 1.0;
    }
    for word in b {
        counts.entry(*word).or_default().1 += 1.0;
    }
    let sum = |of: fn(&(f64, f64)) -> f64| counts.values().map(of).sum::<f64>();
    let (dot, of_a, of_b) = (
        sum(|(a, b)| a * b),
        sum(|(a, _)| a * a),
        sum(|(_, b)| b * b),
    );
    let euclidean = sum(|(a, b)| (a - b).powi(2)).sqrt();
    let cosine = match of_a * of_b {
        0.0 => f64::from(u8::from(a.is_empty() && b.is_empty())),
        product => (dot / product.sqrt()).min(1.0),
    };
    (cosine, euclidean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use simhash::hash::mix;

    fn text(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
        numbers.map(mix).collect()
    }

    #[track_caller]
    fn check(a: &[u64], b: &[u64], relation: Relation) {
        let measures = Measures::of(a, b);
        assert_eq!(measures.relation(), relation, "{measures:?}");
    }

    #[test]
    fn a_copy_a_part_another_order_and_a_mixture_are_distinguished() {
        let a = text(0..600);
        check(&a, &a, Relation::Same);
        check(
            &a,
            &text((0..600).map(|n| if n % 30 == 0 { n + 9_000 } else { n })),
            Relation::Copy,
        );
        check(
            &a,
            &text((0..6).rev().flat_map(|part| part * 100..part * 100 + 100)),
            Relation::Reordered,
        );
        check(&a, &text(200..500), Relation::BInA);
        check(&text(200..500), &a, Relation::AInB);
        check(&a, &text((0..300).chain(5_000..5_300)), Relation::Mixed);
        check(&a, &text(5_000..5_600), Relation::Different);
        check(&a, &[], Relation::Different);
        check(&[], &[], Relation::Same);
    }

    #[test]
    fn the_measures_are_those_of_the_textbook() {
        let measures = Measures::of(&[1, 2, 3, 3], &[1, 2, 4]);
        assert_eq!(
            (measures.edit_distance, measures.edit_similarity),
            (Some(2), Some(0.5))
        );
        assert!((measures.euclidean - 5f64.sqrt()).abs() < 1e-12);
        assert!((measures.cosine - 2.0 / 18f64.sqrt()).abs() < 1e-12);
        assert!((measures.jaccard - 1.0 / 4.0).abs() < 1e-12);
        assert_eq!(Measures::of(&[7], &[7]).jaccard, 1.0);
        assert_eq!(Measures::of(&[], &[]).jaccard, 1.0);
    }
}
