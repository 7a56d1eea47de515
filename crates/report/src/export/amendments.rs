//! What later records say of a page: found in a first pass over the journal.

use std::borrow::Cow;
use std::collections::HashMap;

use archive::{Event, NeighbourRecord, PageRecord, Record};
use outcome::{JunkReason, NeighbourDecision, Outcome, Verdict};

/// Corrections to records by later ones.
#[derive(Debug, Default)]
pub(super) struct Amendments {
    /// The last record of the first pass.
    pub(super) last_seq: u64,
    /// When it was written.
    pub(super) last_ms: u64,
    /// URLs put back into the queue, with the record that did it.
    put_back: HashMap<String, u64>,
    /// Pages that left the index, with number and URL of the page that took their place.
    replaced: HashMap<u64, (u64, String)>,
    /// Records of pages that a visit found in another version, with the record of that.
    followed: HashMap<u64, u64>,
}

impl Amendments {
    pub(super) fn of(records: impl Iterator<Item = Record>) -> Amendments {
        let mut amendments = Amendments::default();
        for record in records {
            (amendments.last_seq, amendments.last_ms) = (record.seq, record.at_ms);
            match record.event {
                Event::Page(page) => {
                    if let Some(old) = page.replaces {
                        amendments.replaced.insert(old, (record.seq, page.url));
                    }
                }
                Event::Elsewhere(elsewhere) => {
                    for page in elsewhere.kept {
                        if let Some(old) = page.replaces {
                            amendments.replaced.insert(old, (page.page, page.url));
                        }
                    }
                }
                Event::Retry(retry) => {
                    amendments
                        .put_back
                        .extend(retry.urls.into_iter().map(|url| (url, record.seq)));
                }
                Event::Visit(visit) if visit.ends_version() => {
                    if let Some(old) = visit.version().and_then(|page| page.replaces) {
                        let url = visit.url.clone();
                        amendments.replaced.insert(old, (record.seq, url));
                    }
                    if visit.version().is_some() {
                        amendments.followed.insert(visit.of, record.seq);
                    }
                    // What was recorded before tells of the URL no longer; this record does.
                    amendments.put_back.insert(visit.url, record.seq - 1);
                }
                Event::Visit(_)
                | Event::Start(_)
                | Event::Seed(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Again(_)
                | Event::Stop(_) => {}
            }
        }
        amendments
    }

    /// The page as it stands at the end; `None` where its URL was put back into the queue since,
    /// so that another record tells of it, or none yet.
    pub(super) fn page<'p>(&self, seq: u64, page: &'p PageRecord) -> Option<Cow<'p, PageRecord>> {
        if self.put_back.get(&page.url).is_some_and(|back| *back > seq) {
            return None;
        }
        if let Some((by, url)) = self.replaced.get(&seq) {
            let mut page = page.clone();
            page.outcome = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
            page.nearest = Some(NeighbourRecord {
                page: *by,
                url: url.clone(),
                decision: NeighbourDecision::Replaced,
                ..NeighbourRecord::default()
            });
            return Some(Cow::Owned(page));
        }
        Some(Cow::Borrowed(page))
    }

    /// The URL of the page that stands now for the one that a duplicate repeats.
    pub(super) fn dup_of<'n>(&'n self, nearest: &'n NeighbourRecord) -> &'n str {
        let mut url = nearest.url.as_str();
        for (_, by) in self.steps(nearest.page) {
            url = by.unwrap_or(url);
        }
        url
    }

    /// The page that stands for this one now: itself, its version as it is now, or what took its place.
    pub(super) fn representative(&self, page: u64) -> u64 {
        self.steps(page).last().map_or(page, |(page, _)| page)
    }

    /// The records that took a page's place, one after the other; with the URL where that is another page's.
    fn steps(&self, page: u64) -> impl Iterator<Item = (u64, Option<&str>)> {
        let next = move |page: u64| {
            let replaced = self.replaced.get(&page);
            let replaced = replaced.map(|(by, url)| (*by, Some(url.as_str())));
            let followed = self.followed.get(&page).map(|by| (*by, None));
            // Each step goes to a later record, so this ends; the bound is for damaged journals.
            replaced.or(followed).filter(|(by, _)| *by > page)
        };
        std::iter::successors(next(page), move |(page, _)| next(*page)).take(1_000)
    }
}
