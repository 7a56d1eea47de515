//! Marks: what the examples share and other pages lack.
//!
//! A category, a heading, a link to the index of a part of a site: one such term can tell the topic, and
//! is lost among some hundred others in a likeness. So terms that stand on two examples or more are
//! looked at one by one, as present or absent:
//!
//! ```text
//!                 ln(q / p)              where it is present        p  share of other pages with it
//!   a mark says   ln((1 - q) / (1 - p))  where it is absent         q  = (examples with it + K * p)
//!                                                                       / (examples + K)
//! ```
//!
//! Examples share many terms by chance, and the more the more terms there are. So a term is a mark only if
//! the examples, each foretold by the others, are likelier by it than by `p` by as much as the best of
//! so many terms may be by chance: [`GAIN_SHARE`] of the logarithm of their number. Examples are scored
//! by the marks of the other examples, so marks that no other example bears out say little once they
//! are calibrated.
//!
//! Source of the weights: Robertson, Spärck Jones, *Relevance weighting of search terms*, JASIS 1976.

use serde::{Deserialize, Serialize};

use crate::hashing::NumberMap;
use crate::page_terms::Term;
use crate::saved::pairs;
use crate::term_table::TermTable;

/// Pages like those of the crawl that are added to the examples.
const AVERAGE_PAGES: f32 = 2.0;
/// How much likelier the examples are by a mark, as a share of the logarithm of the number of terms.
const GAIN_SHARE: f32 = 0.5;
/// No term is rarer or commoner than this.
const SHARE_MIN: f32 = 0.001;
const SHARE_MAX: f32 = 0.98;

/// The terms that examples share, and what those of them that are marks say.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Marks {
    /// By bucket, what its presence says more than its absence; 0.0 for a term that is no mark.
    #[serde(with = "pairs")]
    shared: NumberMap<u32, f32>,
    /// What a page without any mark gets.
    without_any: f32,
}

impl Marks {
    /// The marks of examples with these terms, each term once.
    pub(super) fn of(table: &TermTable, examples: &[&[u32]]) -> Marks {
        let mut counts: NumberMap<u32, f32> = NumberMap::default();
        for &bucket in examples.iter().copied().flatten() {
            *counts.entry(bucket).or_default() += 1.0;
        }
        let gain_min = GAIN_SHARE * (counts.len().max(1) as f32).ln();
        let mut shared: Vec<(u32, f32)> = counts.into_iter().filter(|term| term.1 > 1.5).collect();
        shared.sort_unstable_by_key(|(bucket, _)| *bucket);
        let mut marks = Marks::default();
        for (bucket, count) in shared {
            let share = table.share(bucket).clamp(SHARE_MIN, SHARE_MAX);
            let (present, absent) = weights(count, examples.len() as f32, share);
            let is_mark = gain(count, examples.len() as f32, share) >= gain_min;
            let worth = if is_mark { present - absent } else { 0.0 };
            marks.without_any += if is_mark { absent } else { 0.0 };
            marks.shared.insert(bucket, worth);
        }
        marks
    }

    /// The terms of a page that examples share.
    pub(super) fn shared_terms(&self, terms: &[Term]) -> Vec<u32> {
        let buckets = terms.iter().map(|term| term.bucket);
        buckets
            .filter(|bucket| self.shared.contains_key(bucket))
            .collect()
    }

    /// How much the marks of a page with these terms, and those it lacks, are like the examples'.
    pub(super) fn score(&self, terms: impl Iterator<Item = u32>) -> f32 {
        let worth = |bucket| self.shared.get(&bucket).copied().unwrap_or(0.0);
        self.without_any + terms.map(worth).sum::<f32>()
    }
}

/// What the presence and the absence of a term say that `count` of the examples have.
fn weights(count: f32, examples: f32, share: f32) -> (f32, f32) {
    let among_examples = (count + AVERAGE_PAGES * share) / (examples + AVERAGE_PAGES);
    let present = (among_examples / share).ln();
    let absent = ((1.0 - among_examples) / (1.0 - share)).ln();
    (present, absent)
}

/// How much likelier the examples are by the term, each foretold by the others, than by other pages.
fn gain(count: f32, examples: f32, share: f32) -> f32 {
    let with_it = count * weights(count - 1.0, examples - 1.0, share).0;
    match count < examples {
        true => with_it + (examples - count) * weights(count, examples - 1.0, share).1,
        false => with_it,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_terms::PageTerms;
    use proptest::prelude::*;

    /// A crawl of 200 pages with one of ten common terms each, and five examples.
    fn crawl() -> (TermTable, Vec<Vec<u32>>) {
        let mut table = TermTable::new();
        let mut count = |buckets: &[u32]| {
            let term = |&bucket: &u32| Term { bucket, count: 1.0 };
            let terms = buckets.iter().map(term).collect();
            table.count_page(
                &PageTerms {
                    terms,
                    ..PageTerms::default()
                },
                0.0,
            );
        };
        let examples: Vec<Vec<u32>> = (0..5)
            .map(|example| vec![1, 2 + example % 2, 10, 100 + example, 200 + example])
            .collect();
        examples.iter().for_each(|example| count(example));
        (0..200).for_each(|page| count(&[10, 20 + page % 10, 300 + page]));
        (table, examples)
    }

    fn marks_of(table: &TermTable, examples: &[Vec<u32>]) -> Marks {
        let examples: Vec<&[u32]> = examples.iter().map(Vec::as_slice).collect();
        Marks::of(table, &examples)
    }

    #[test]
    fn what_all_examples_have_and_hardly_another_page_is_a_mark() {
        let (table, examples) = crawl();
        let marks = marks_of(&table, &examples);
        let score = |terms: &[u32]| marks.score(terms.iter().copied());
        assert!(score(&[1, 2, 77]) > 2.0);
        assert!(score(&[10, 77]) < -1.0);
        // What all pages have says nothing, and neither does what one example has.
        assert_eq!(score(&[10]), score(&[]));
        assert_eq!(score(&[100]), score(&[]));
        let terms = [1, 10, 100, 77].map(|bucket| Term { bucket, count: 1.0 });
        assert_eq!(marks.shared_terms(&terms), [1, 10]);
    }

    #[test]
    fn an_only_example_and_examples_that_share_nothing_have_no_marks() {
        let (table, examples) = crawl();
        assert_eq!(marks_of(&table, &examples[..1]).score(0..500), 0.0);
        let unlike: Vec<Vec<u32>> = (0..5).map(|example| vec![500 + example]).collect();
        assert_eq!(marks_of(&table, &unlike).score(500..505), 0.0);
        assert_eq!(Marks::default().score(0..500), 0.0);
    }

    proptest! {
        #[test]
        fn whatever_the_examples_share_a_score_lies_between_those_of_all_marks_for_and_all_against(
            examples in prop::collection::vec(prop::collection::btree_set(0u32..40, 0..20), 0..8),
            page in prop::collection::btree_set(0u32..40, 0..40),
        ) {
            let (table, _) = crawl();
            let examples: Vec<Vec<u32>> = examples.into_iter().map(|terms| terms.into_iter().collect()).collect();
            let marks = marks_of(&table, &examples);
            let score = marks.score(page.into_iter());
            prop_assert!(score.is_finite());
            // What all other pages have, and not all examples, speaks against a page.
            let sum = |speaks: fn(f32) -> f32| {
                let worth = marks.shared.values().map(|worth| speaks(*worth));
                marks.without_any + worth.sum::<f32>()
            };
            prop_assert!(score <= sum(|worth| worth.max(0.0)) + 1e-3);
            prop_assert!(score >= sum(|worth| worth.min(0.0)) - 1e-3);
        }
    }
}
