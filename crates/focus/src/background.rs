//! What words are common: document frequencies, learnt from the crawl's own pages.
//!
//! No table is shipped: what is common in a crawl of manuals is not what is common in a crawl of
//! recipes. A handful of function words keeps the first pages from being judged by their articles;
//! a dozen pages later they no longer matter. What is on topic counts little: the topic's own words
//! are common in a crawl that goes well, and telling all the same.

use segment::Segmenter;

use crate::terms::{PageTerms, TERM_COUNT, Term, bucket};

/// Function words of some languages: each counts as seen on [`PRIOR_PAGES`] pages at the start.
const FUNCTION_WORDS: &str = "the of and a an to in is was are were be been by for with on at as that this it its from or \
    not have has had which also but their they he she his her who one all other more some can may will would there these \
    than into about after when where such most only over between i you we if so do no out up use used using how what \
    der die das und ein eine ist im von zu den mit auf für nicht des dem sich le la les de des du un une et est en que \
    pour dans qui sur el los las y es por con para una se del na и в не на что с по это как 的 了 是 在 和 有 我 不 这 也 就 \
    都 与 及 或 等 中 为 以 到 对 可以 一个 没有 我们 如果 使用 进行 需要 上 下 后 时 被 将 由 从 但 而 于 其 此 并 个 它 他 你 \
    の に は を た が で て と し れ さ ある する も から な こと いる";

/// Pages that the function words count for.
const PRIOR_PAGES: u32 = 6;

/// What a page counts that is surely not about the topic.
const UNITS: u32 = 4;

/// Numbers whose logarithms are kept.
const LOGARITHMS: u32 = 4_096;

/// In how many of the crawl's pages each term stands, in [`UNITS`] a page.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    units: u32,
    units_ln: f32,
    frequencies: Vec<u32>,
    /// Logarithms of small numbers: they are asked for a thousand times a page.
    logarithms: Vec<f32>,
}

impl Background {
    pub(crate) fn new() -> Background {
        let mut background = Background {
            units: UNITS * PRIOR_PAGES,
            units_ln: ((UNITS * (PRIOR_PAGES + 1)) as f32).ln(),
            frequencies: vec![0; TERM_COUNT],
            logarithms: (0..LOGARITHMS)
                .map(|number| (number.max(1) as f32).ln())
                .collect(),
        };
        for &hash in Segmenter::shared().words(FUNCTION_WORDS).hashes() {
            background.frequencies[bucket(hash) as usize] = UNITS * PRIOR_PAGES;
        }
        background
    }

    /// Counts a page's terms, by the chance that the page is *not* about the topic. In a focused
    /// crawl half of the pages can be about the topic, and its own words would pass for common ones.
    pub(crate) fn observe(&mut self, terms: &PageTerms, relevance: f32) {
        let units = ((1.0 - relevance.clamp(0.0, 1.0)) * UNITS as f32).round() as u32;
        self.units = self.units.saturating_add(units);
        self.units_ln = (self.units.saturating_add(UNITS) as f32).ln();
        if units == 0 {
            return;
        }
        for term in &terms.terms {
            let frequency = &mut self.frequencies[term.bucket as usize];
            *frequency = frequency.saturating_add(units);
        }
    }

    /// Pages counted, those of the function words included.
    pub(crate) fn pages(&self) -> f32 {
        self.units as f32 / UNITS as f32
    }

    /// How much the presence of a term tells, 0 for a term on every page.
    pub(crate) fn rarity(&self, bucket: u32) -> f32 {
        (self.units_ln - self.logarithm(self.frequencies[bucket as usize].max(UNITS))).max(0.0)
    }

    fn logarithm(&self, number: u32) -> f32 {
        match self.logarithms.get(number as usize) {
            Some(logarithm) => *logarithm,
            None => (number as f32).ln(),
        }
    }

    /// How much a term tells of this page.
    pub(crate) fn weight(&self, term: &Term) -> f32 {
        (1.0 + self.logarithm(term.count as u32)) * self.rarity(term.bucket)
    }

    /// The terms as a vector of length 1.
    pub(crate) fn vector(&self, terms: &[Term]) -> Vec<(u32, f32)> {
        let mut vector: Vec<(u32, f32)> = terms
            .iter()
            .map(|term| (term.bucket, self.weight(term)))
            .collect();
        let length = vector.iter().map(|(_, x)| x * x).sum::<f32>().sqrt();
        if length > 0.0 {
            vector.iter_mut().for_each(|(_, x)| *x /= length);
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_pages_on_topic_stays_rare() {
        let rarity = |relevance: f32| {
            let mut background = Background::new();
            let page = |bucket| PageTerms {
                terms: vec![Term { bucket, count: 1.0 }],
                ..PageTerms::default()
            };
            for number in 0..40 {
                background.observe(&page(7), relevance);
                background.observe(&page(100 + number), 0.1);
            }
            background.rarity(7)
        };
        assert!(rarity(0.95) > 3.0, "{}", rarity(0.95));
        assert!(rarity(0.1) < 1.0, "{}", rarity(0.1));
    }
}
