//! How many new pages a page or a sitemap leads to, and how many of those are kept.

use archive::PageRecord;
use outcome::PageType;
use serde::{Deserialize, Serialize};

use super::NEW_MAX;

/// Reads after which what a first read yields counts half.
const YIELD_KEEP: f64 = 0.999;

/// What first reads have yielded: pages that are kept, by how relevant they are, for what their URLs
/// had promised.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(in crate::again) struct Yield {
    pages: f64,
    promised: f64,
}

impl Default for Yield {
    fn default() -> Self {
        // As promised, until ten reads or so have said otherwise.
        Self {
            pages: 10.0,
            promised: 10.0,
        }
    }
}

impl Yield {
    /// Takes in a URL that was read for the first time.
    pub(in crate::again) fn see(&mut self, page: &PageRecord) {
        if page.fetch.is_none() {
            return;
        }
        let relevance = page.page.as_ref().and_then(|page| page.relevance);
        let worth = if page.outcome.is_indexed() {
            f64::from(relevance.unwrap_or(1.0))
        } else {
            0.0
        };
        self.pages = self.pages * YIELD_KEEP + worth;
        self.promised = self.promised * YIELD_KEEP + f64::from(page.priority.clamp(0.0, 1.0));
    }

    /// Relevant pages that a request yields to a URL that promises 1.0.
    pub(super) fn of_promise(&self) -> f64 {
        (self.pages / self.promised.max(1e-6)).clamp(0.02, 1.0)
    }
}

/// For so many days what is expected of a URL's like weighs in what it leads to.
const LIKE_DAYS: f32 = 3.0;

/// What a URL has led to: URLs that were new when it was visited again.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::again) struct Leads {
    pub(super) found: f32,
    pub(super) days: f32,
    /// New URLs a day that are expected of its like.
    pub(super) like: f32,
}

impl Leads {
    /// Of a page of this type that brought in so many URLs when it was read first.
    pub(super) fn of_page(page_type: &PageType, brought: usize) -> Self {
        let by_type = match page_type {
            PageType::FrontPage => 0.3,
            PageType::Listing | PageType::Collection => 0.2,
            PageType::Article
            | PageType::Forum
            | PageType::Product
            | PageType::Documentation
            | PageType::Service
            | PageType::Wall
            | PageType::Other
            | PageType::Unknown(_) => 0.002,
        };
        let by_links = 0.01 * brought.min(30) as f32;
        Self {
            like: f32::max(by_type, by_links),
            ..Self::default()
        }
    }

    /// A visit after so many days led to so many URLs that are new.
    pub(in crate::again) fn see(&mut self, found: usize, days: f64) {
        self.found += found as f32;
        self.days += days as f32;
    }

    /// New URLs that a visit is expected to find so many days after the one before.
    pub(in crate::again) fn expected(&self, days: f64) -> f64 {
        let rate = (self.found + self.like * LIKE_DAYS) / (self.days + LIKE_DAYS);
        (f64::from(rate) * days).min(NEW_MAX)
    }
}
