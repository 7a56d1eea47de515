//! What is known of each term: how common it is, and what its presence says of the topic.
//!
//! How common a term is (its document frequency) is learnt from the crawl's own pages. No table is
//! shipped, because what is common in a crawl of manuals is not common in a crawl of recipes. A list
//! of function words is counted in at the start, or the first pages would be judged by their
//! articles and prepositions; a dozen pages later the list no longer matters.
//!
//! A page counts by the chance that it is *not* about the topic. In a crawl that goes well every
//! second page is about the topic; counted whole, they would make the topic's own words common.

use segment::Segmenter;
use serde::{Deserialize, Serialize};

use crate::hashing::{TERM_COUNT, term_bucket};
use crate::page_terms::{PageTerms, Term};
use crate::saved::Table;

/// Function words of some languages; each counts as seen on [`PRIOR_PAGES`] pages at the start.
const FUNCTION_WORDS: &str = "the of and a an to in is was are were be been by for with on at as that this it its from or \
    not have has had which also but their they he she his her who one all other more some can may will would there these \
    than into about after when where such most only over between i you we if so do no out up use used using how what \
    der die das und ein eine ist im von zu den mit auf für nicht des dem sich le la les de des du un une et est en que \
    pour dans qui sur el los las y es por con para una se del na и в не на что с по это как 的 了 是 在 和 有 我 不 这 也 就 \
    都 与 及 或 等 中 为 以 到 对 可以 一个 没有 我们 如果 使用 进行 需要 上 下 后 时 被 将 由 从 但 而 于 其 此 并 个 它 他 你 \
    の に は を た が で て と し れ さ ある する も から な こと いる";

/// Pages on which each function word counts as seen.
const PRIOR_PAGES: u32 = 6;

/// A page that is surely not about the topic counts as this many; a page in doubt counts as fewer.
const UNITS_PER_PAGE: u32 = 4;

/// Numbers whose logarithms are kept in a table.
const LOGARITHMS: u32 = 4_096;

/// What is known of one term. It is one struct, so that one access to memory gives all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TermEntry {
    /// On how many pages it stands, in units of [`UNITS_PER_PAGE`] a page.
    frequency: u32,
    frequency_ln: f32,
    /// Its weight in the model learnt from the crawl's pages.
    pub(crate) learnt: f32,
    /// Its weight in the examples' centroid, the mean of their unit vectors.
    pub(crate) centroid: f32,
}

/// A text's score under both weights of its terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TermScores {
    /// By the model learnt from the crawl's pages, without its bias.
    pub(crate) learnt: f32,
    /// By the examples' centroid: the cosine, were the centroid of length 1.
    pub(crate) centroid: f32,
}

/// All terms by bucket.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct TermTable {
    /// All pages counted, in units.
    units: u32,
    units_ln: f32,
    /// The logarithm of the least frequency that is used.
    frequency_min_ln: f32,
    #[serde(with = "Table::<TERM_COUNT>")]
    entries: Vec<TermEntry>,
    /// The logarithms of small numbers, of which each page needs a thousand.
    #[serde(skip, default = "logarithms")]
    logarithms: Vec<f32>,
}

impl TermTable {
    pub(crate) fn new() -> TermTable {
        let mut table = TermTable {
            units: UNITS_PER_PAGE * PRIOR_PAGES,
            units_ln: ((UNITS_PER_PAGE * (PRIOR_PAGES + 1)) as f32).ln(),
            frequency_min_ln: (UNITS_PER_PAGE as f32).ln(),
            entries: vec![TermEntry::default(); TERM_COUNT],
            logarithms: logarithms(),
        };
        let prior_ln = table.ln(UNITS_PER_PAGE * PRIOR_PAGES);
        for &hash in Segmenter::shared().words(FUNCTION_WORDS).hashes() {
            let entry = &mut table.entries[term_bucket(hash) as usize];
            entry.frequency = UNITS_PER_PAGE * PRIOR_PAGES;
            entry.frequency_ln = prior_ln;
        }
        table
    }

    /// Counts a page's terms. `relevance` is the chance that the page is about the topic.
    pub(crate) fn count_page(&mut self, terms: &PageTerms, relevance: f32) {
        let off_topic = 1.0 - relevance.clamp(0.0, 1.0);
        let units = (off_topic * UNITS_PER_PAGE as f32).round() as u32;
        self.units = self.units.saturating_add(units);
        self.units_ln = (self.units.saturating_add(UNITS_PER_PAGE) as f32).ln();
        if units == 0 {
            return;
        }
        for term in &terms.terms {
            let frequency = self.entry(term.bucket).frequency.saturating_add(units);
            let frequency_ln = self.ln(frequency);
            let entry = self.entry_mut(term.bucket);
            entry.frequency = frequency;
            entry.frequency_ln = frequency_ln;
        }
    }

    pub(crate) fn entry(&self, bucket: u32) -> &TermEntry {
        &self.entries[bucket as usize]
    }

    pub(crate) fn entry_mut(&mut self, bucket: u32) -> &mut TermEntry {
        &mut self.entries[bucket as usize]
    }

    /// The term's inverse document frequency: 0 for a term on every page.
    pub(crate) fn idf(&self, bucket: u32) -> f32 {
        self.idf_of(self.entry(bucket))
    }

    /// The share of the pages not about the topic that have the term.
    pub(crate) fn share(&self, bucket: u32) -> f32 {
        (-self.idf(bucket)).exp()
    }

    fn idf_of(&self, entry: &TermEntry) -> f32 {
        (self.units_ln - entry.frequency_ln.max(self.frequency_min_ln)).max(0.0)
    }

    /// The weight of a term's count on a page, which grows with its logarithm.
    pub(crate) fn tf_weight(&self, term: &Term) -> f32 {
        1.0 + self.ln(term.count as u32)
    }

    pub(crate) fn tf_idf(&self, term: &Term) -> f32 {
        self.tf_weight(term) * self.idf(term.bucket)
    }

    /// Scores a page by its terms as a vector of length 1, weighted by tf-idf.
    pub(crate) fn score_page(&self, terms: &[Term]) -> TermScores {
        let (mut squares, mut learnt, mut centroid) = (0.0f32, 0.0f32, 0.0f32);
        for term in terms {
            let entry = self.entry(term.bucket);
            let weight = self.tf_weight(term) * self.idf_of(entry);
            squares += weight * weight;
            learnt += weight * entry.learnt;
            centroid += weight * entry.centroid;
        }
        let length = if squares > 0.0 { squares.sqrt() } else { 1.0 };
        TermScores {
            learnt: learnt / length,
            centroid: centroid / length,
        }
    }

    /// Scores a few words, each once and weighted by its idf.
    pub(crate) fn score_words(&self, buckets: &[u32]) -> TermScores {
        let (mut learnt, mut centroid, mut squares) = (0.0f32, 0.0f32, 0.0f32);
        for &bucket in buckets {
            let entry = self.entry(bucket);
            let idf = self.idf_of(entry);
            learnt += idf * entry.learnt;
            centroid += idf * entry.centroid;
            squares += idf * idf;
        }
        let length = squares.sqrt().max(1e-6);
        TermScores {
            learnt: learnt / length,
            centroid: centroid / length,
        }
    }

    fn ln(&self, number: u32) -> f32 {
        match self.logarithms.get(number as usize) {
            Some(logarithm) => *logarithm,
            None => (number as f32).ln(),
        }
    }
}

fn logarithms() -> Vec<f32> {
    let numbers = 0..LOGARITHMS;
    numbers.map(|number| (number.max(1) as f32).ln()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_pages_on_topic_do_not_become_common() {
        let idf = |relevance: f32| {
            let mut table = TermTable::new();
            let page = |bucket| PageTerms {
                terms: vec![Term { bucket, count: 1.0 }],
                ..PageTerms::default()
            };
            for number in 0..40 {
                table.count_page(&page(7), relevance);
                table.count_page(&page(100 + number), 0.1);
            }
            table.idf(7)
        };
        assert!(idf(0.95) > 3.0, "{}", idf(0.95));
        assert!(idf(0.1) < 1.0, "{}", idf(0.1));
    }
}
