//! How many relevant pages the crawl has found, as the classifier judges them now.
//!
//! That is not the sum of the verdicts that were given when the pages came, because the classifier
//! has learnt since.

use super::PageClassifier;
use super::training::Kind;

/// How many relevant pages the crawl has found, as judged now.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct HarvestEstimate {
    /// Pages read.
    pub(crate) pages: u64,
    /// How many of them are relevant and new.
    pub(crate) found: f32,
    /// The last pages, as many as the window holds.
    pub(crate) window: u64,
    /// How many of these are relevant and new.
    pub(crate) found_in_window: f32,
}

impl PageClassifier {
    /// Estimates the harvest of all pages, and of the last ones: `window_share` of all.
    pub(crate) fn estimate_harvest(&self, threshold: f32, window_share: f32) -> HarvestEstimate {
        let window = (self.pages_seen as f64 * f64::from(window_share)) as u64;
        let window = window.min(self.pages_seen);
        let mut estimate = HarvestEstimate {
            pages: self.pages_seen,
            window,
            ..HarvestEstimate::default()
        };
        let mut sampled = 0u32;
        for page in &self.training_pages {
            if page.kind != Kind::Crawled {
                continue;
            }
            sampled += 1;
            let relevance = page.probability * self.listing_share(&page.rest);
            if page.counts && relevance >= threshold {
                let is_recent = page.seen_at > self.pages_seen - window;
                estimate.found += 1.0;
                estimate.found_in_window += f32::from(u8::from(is_recent));
            }
        }
        // The sampled pages stand for all.
        let scale = self.pages_seen as f32 / sampled.max(1) as f32;
        estimate.found *= scale;
        estimate.found_in_window *= scale;
        estimate
    }
}
