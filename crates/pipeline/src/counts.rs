//! The crawl's counters: a fold over its records, for progress and budgets.
//!
//! The same fold runs over replayed and over new records, so the counters are those of all
//! starts. (`report` has the full fold; this is the part that must be at hand at every moment.)

use std::collections::BTreeMap;

use archive::{Event, PageRecord, Record, RetryOrigin};

use crate::progress::Progress;

/// The counters.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// URLs admitted, sitemaps apart.
    pub admitted: u64,
    /// URLs finished, of any outcome.
    pub finished: u64,
    /// URLs finished for which a fetch was made.
    pub pages: u64,
    /// Pages kept.
    pub indexed: u64,
    /// Pages dropped, by reason.
    pub junk: BTreeMap<String, u64>,
    /// URLs that could not be had.
    pub failed: u64,
    /// URLs we did not ask for.
    pub refused: u64,
    /// URLs that pointed elsewhere.
    pub redirected: u64,
    /// URLs unchanged.
    pub not_modified: u64,
    /// Fetches that will be repeated.
    pub attempts: u64,
    /// Bytes received in this start.
    pub bytes: u64,
    /// Pages finished in this start.
    pub pages_this_start: u64,
    last_url: String,
}

impl Counts {
    /// Counts a finished URL.
    pub fn add(&mut self, record: &PageRecord) {
        self.finished += 1;
        match record.outcome.as_str() {
            "judged" if record.verdict.as_deref() == Some("indexed") => self.indexed += 1,
            "judged" => {
                let reason = record.reason.clone().unwrap_or_default();
                *self.junk.entry(reason).or_default() += 1;
            }
            "redirected" => self.redirected += 1,
            "refused" => self.refused += 1,
            "not_modified" => self.not_modified += 1,
            _ => self.failed += 1,
        }
        if record.fetch.is_some() {
            self.pages += 1;
        }
        if record.replaces.is_some() {
            // The page whose place it takes leaves the index as its near-duplicate.
            self.indexed = self.indexed.saturating_sub(1);
            *self.junk.entry("near_duplicate".into()).or_default() += 1;
        }
        self.pages_this_start += 1;
        self.last_url.clone_from(&record.url);
    }

    /// A URL is put back: it is finished no longer, and its next fate is counted anew.
    pub fn take_back(&mut self, origin: &RetryOrigin) {
        // A damaged journal may have lost the record that is taken back.
        self.finished = self.finished.saturating_sub(1);
        match origin.outcome.as_str() {
            "refused" => self.refused = self.refused.saturating_sub(1),
            _ => self.failed = self.failed.saturating_sub(1),
        }
        self.pages = self.pages.saturating_sub(u64::from(origin.fetched));
    }

    /// Counts a replayed record.
    pub fn replay(&mut self, record: &Record) {
        match &record.event {
            Event::Seed(seed) => {
                self.admitted += u64::from(!seed.sitemap && seed.fate.is_empty());
            }
            Event::Sitemap(sitemap) if sitemap.kind != "index" => {
                self.admitted += sitemap.urls.len() as u64;
            }
            Event::Attempt(_) => self.attempts += 1,
            Event::Page(page) => {
                self.admitted += page.links.iter().filter(|link| link.fate == "new").count() as u64;
                self.add(page);
                self.pages_this_start = 0;
            }
            Event::Retry(retry) => {
                for origin in &retry.origins {
                    self.take_back(origin);
                }
            }
            Event::Start(_) | Event::Robots(_) | Event::Sitemap(_) | Event::Stop(_) => {}
        }
    }

    /// URLs admitted and not finished.
    pub fn pending(&self) -> u64 {
        self.admitted.saturating_sub(self.finished)
    }

    /// Shows the counters to watchers.
    pub fn show(&self, progress: &Progress) {
        progress.set_pages(self.pages);
        progress.update(|shown| {
            shown.finished = self.finished;
            shown.pages = self.pages;
            shown.indexed = self.indexed;
            shown.junk.clone_from(&self.junk);
            shown.failed = self.failed;
            shown.refused = self.refused;
            shown.redirected = self.redirected;
            shown.not_modified = self.not_modified;
            shown.admitted = self.admitted;
            shown.pending = self.pending();
            shown.bytes = self.bytes;
            shown.pages_this_start = self.pages_this_start;
            shown.last_url.clone_from(&self.last_url);
        });
    }
}
