//! What words are common (document frequencies, learnt from the crawl's own pages), and what they
//! say of the topic.
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

/// What is known of a term, in one place: who asks for one of these asks for all.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known {
    /// In how many of the crawl's pages it stands, in [`UNITS`] a page.
    frequency: u32,
    /// The frequency's logarithm.
    logarithm: f32,
    /// Its weight by what was learnt.
    pub(crate) learnt: f32,
    /// Its part in the mean of the examples.
    pub(crate) alike: f32,
}

/// What is known of each term: how common it is, and what it says of the topic.
#[derive(Debug, Clone)]
pub(crate) struct Background {
    units: u32,
    units_ln: f32,
    /// The logarithm of a frequency that none is below.
    least_ln: f32,
    terms: Vec<Known>,
    /// Logarithms of small numbers: they are asked for a thousand times a page.
    logarithms: Vec<f32>,
}

impl Background {
    pub(crate) fn new() -> Background {
        let mut background = Background {
            units: UNITS * PRIOR_PAGES,
            units_ln: ((UNITS * (PRIOR_PAGES + 1)) as f32).ln(),
            least_ln: (UNITS as f32).ln(),
            terms: vec![Known::default(); TERM_COUNT],
            logarithms: (0..LOGARITHMS)
                .map(|number| (number.max(1) as f32).ln())
                .collect(),
        };
        let logarithm = background.logarithm(UNITS * PRIOR_PAGES);
        for &hash in Segmenter::shared().words(FUNCTION_WORDS).hashes() {
            let known = &mut background.terms[bucket(hash) as usize];
            known.frequency = UNITS * PRIOR_PAGES;
            known.logarithm = logarithm;
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
            let frequency = self.terms[term.bucket as usize].frequency;
            let frequency = frequency.saturating_add(units);
            let logarithm = self.logarithm(frequency);
            let known = &mut self.terms[term.bucket as usize];
            known.frequency = frequency;
            known.logarithm = logarithm;
        }
    }

    pub(crate) fn term(&self, bucket: u32) -> &Known {
        &self.terms[bucket as usize]
    }

    pub(crate) fn term_mut(&mut self, bucket: u32) -> &mut Known {
        &mut self.terms[bucket as usize]
    }

    /// How much the presence of a term tells, 0 for a term on every page.
    pub(crate) fn rarity(&self, bucket: u32) -> f32 {
        self.rarity_of(self.term(bucket))
    }

    pub(crate) fn rarity_of(&self, known: &Known) -> f32 {
        (self.units_ln - known.logarithm.max(self.least_ln)).max(0.0)
    }

    fn logarithm(&self, number: u32) -> f32 {
        match self.logarithms.get(number as usize) {
            Some(logarithm) => *logarithm,
            None => (number as f32).ln(),
        }
    }

    /// How much a term's count tells.
    pub(crate) fn telling(&self, term: &Term) -> f32 {
        1.0 + self.logarithm(term.count as u32)
    }

    /// How much a term tells of this page.
    pub(crate) fn weight(&self, term: &Term) -> f32 {
        self.telling(term) * self.rarity(term.bucket)
    }

    /// What the terms of a page, as a vector of length 1, are in what was learnt and in the mean
    /// of the examples.
    pub(crate) fn says(&self, terms: &[Term]) -> (f32, f32) {
        let (mut squares, mut learnt, mut alike) = (0.0f32, 0.0f32, 0.0f32);
        for term in terms {
            let known = self.term(term.bucket);
            let weight = self.telling(term) * self.rarity_of(known);
            squares += weight * weight;
            learnt += weight * known.learnt;
            alike += weight * known.alike;
        }
        let length = if squares > 0.0 { squares.sqrt() } else { 1.0 };
        (learnt / length, alike / length)
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
