//! The plain rule's query: the user's own words, that pages and links are compared with.
//!
//! Classic best-first search has one query, the mean of the examples' vectors of words, with each
//! keyword added, and goes where pages and anchors are most like it. Only words count here, whatever
//! field they stand in: a page with a long menu is not unlike the examples for its links. Nothing in
//! it is learnt but how common words are.
//!
//! Source: Cho, Garcia-Molina, Page, *Efficient crawling through URL ordering*, WWW 1998;
//! Hersovici et al., *The shark-search algorithm*, WWW 1998 (anchors beside the page).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::page_terms::Term;
use crate::term_table::TermTable;

/// Words of the query: those that weigh most.
const QUERY_WORDS_MAX: usize = 300;
/// A keyword's word weighs as much as one of this share of an example's length.
const KEYWORD_WEIGHT: f32 = 0.5;
/// A page is about this like the query where it is about the topic: likeness is told in such units.
const USUAL_LIKENESS: f32 = 0.3;

/// The words of keywords and examples, weighted: a vector of length 1.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PlainQuery {
    /// By bucket, in order.
    weights: Vec<(u32, f32)>,
}

impl PlainQuery {
    /// The query of some examples and keywords, each word by how rare it is.
    pub(super) fn of<'e>(
        table: &TermTable,
        examples: impl Iterator<Item = &'e [Term]>,
        keywords: impl Iterator<Item = u32>,
    ) -> PlainQuery {
        let mut weights: BTreeMap<u32, f32> = BTreeMap::new();
        let mut count = 0.0f32;
        for words in examples {
            count += 1.0;
            let squares = words.iter().map(|word| table.tf_idf(word).powi(2));
            let length = squares.sum::<f32>().sqrt().max(1e-6);
            for word in words {
                *weights.entry(word.bucket).or_default() += table.tf_idf(word) / length;
            }
        }
        weights
            .values_mut()
            .for_each(|weight| *weight /= count.max(1.0));
        let mut keywords: Vec<u32> = keywords.collect();
        keywords.sort_unstable();
        keywords.dedup();
        for word in keywords {
            *weights.entry(word).or_default() += KEYWORD_WEIGHT;
        }
        let mut weights: Vec<(u32, f32)> = weights.into_iter().collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(QUERY_WORDS_MAX);
        weights.sort_unstable_by_key(|(word, _)| *word);
        let squares = weights.iter().map(|(_, weight)| weight * weight);
        let length = squares.sum::<f32>().sqrt().max(1e-6);
        weights.iter_mut().for_each(|(_, weight)| *weight /= length);
        PlainQuery { weights }
    }

    /// How like the query a page with these words is, about 1.0 for one about the topic.
    pub(super) fn likeness_of_page(&self, table: &TermTable, words: &[Term]) -> f32 {
        self.likeness(words.iter().map(|word| (word.bucket, table.tf_idf(word))))
    }

    /// The same of a few words.
    pub(super) fn likeness_of_words(&self, table: &TermTable, words: &[u32]) -> f32 {
        self.likeness(words.iter().map(|word| (*word, table.idf(*word))))
    }

    fn likeness(&self, words: impl Iterator<Item = (u32, f32)>) -> f32 {
        let (mut squares, mut sum) = (0.0f32, 0.0f32);
        for (word, weight) in words {
            squares += weight * weight;
            if let Ok(at) = self.weights.binary_search_by_key(&word, |known| known.0) {
                sum += weight * self.weights[at].1;
            }
        }
        sum / squares.sqrt().max(1e-6) / USUAL_LIKENESS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(buckets: &[u32]) -> Vec<Term> {
        let term = |&bucket: &u32| Term { bucket, count: 1.0 };
        buckets.iter().map(term).collect()
    }

    #[test]
    fn pages_and_links_with_the_users_words_are_like_the_query() {
        let table = TermTable::new();
        let examples = [words(&[1, 2, 3]), words(&[2, 3, 4])];
        let query = PlainQuery::of(&table, examples.iter().map(Vec::as_slice), [9].into_iter());
        let page = |buckets: &[u32]| query.likeness_of_page(&table, &words(buckets));
        assert!(page(&[2, 3]) > page(&[1, 50, 51]));
        assert!(page(&[1, 50, 51]) > page(&[50, 51]));
        assert_eq!(page(&[50, 51]), 0.0);
        assert!(query.likeness_of_words(&table, &[9]) > query.likeness_of_words(&table, &[9, 77]));
    }

    #[test]
    fn with_nothing_to_go_by_nothing_is_like_it() {
        let table = TermTable::new();
        let query = PlainQuery::of(&table, std::iter::empty(), std::iter::empty());
        assert_eq!(query.likeness_of_page(&table, &words(&[1])), 0.0);
        assert_eq!(query.likeness_of_words(&table, &[]), 0.0);
    }
}
