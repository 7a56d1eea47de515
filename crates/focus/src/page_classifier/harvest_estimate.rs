//! What the crawl has found, as the classifier judges it now, and what the last pages were promised.
//!
//! What was found is not the sum of the verdicts that were given when the pages came, because the
//! classifier has learnt since: late in a crawl many verdicts are mistakes that it sees through soon.

use super::PageClassifier;
use super::training::Kind;
use crate::calibration::told;

/// What the crawl has found, and what the last pages were promised and brought.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HarvestEstimate {
    /// Pages read.
    pub(crate) pages: u64,
    /// How many of them are relevant and new.
    pub(crate) found: f32,
    /// Relevant and new pages among the last ones that a link had led to.
    pub(crate) brought: f32,
    /// The sum of the scores of those links.
    pub(crate) promised: f32,
}

impl PageClassifier {
    /// Estimates the harvest of all pages, and of the last ones: `recent_share` of all.
    pub(crate) fn estimate_harvest(&self, threshold: f32, recent_share: f32) -> HarvestEstimate {
        let recent = (self.pages_seen as f64 * f64::from(recent_share)) as u64;
        let before = self.pages_seen.saturating_sub(recent);
        let mut estimate = HarvestEstimate {
            pages: self.pages_seen,
            ..HarvestEstimate::default()
        };
        let mut sampled = 0u32;
        for page in &self.training_pages {
            if page.kind != Kind::Crawled {
                continue;
            }
            sampled += 1;
            let relevance = told(page.probability) * self.listing_share(&page.rest);
            let found = f32::from(u8::from(page.counts && relevance >= threshold));
            estimate.found += found;
            if let Some(promise) = page.promise.filter(|_| page.seen_at > before) {
                estimate.brought += found;
                estimate.promised += promise;
            }
        }
        // The sampled pages stand for all.
        let scale = self.pages_seen as f32 / sampled.max(1) as f32;
        estimate.found *= scale;
        estimate.brought *= scale;
        estimate.promised *= scale;
        estimate
    }
}
