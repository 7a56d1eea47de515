//! How many pages are kept by the records behind a place in the journal: those that an index which has reached that
//! place lacks.

use std::collections::HashMap;

use archive::{Event, Record};
use xxhash_rust::xxh3::xxh3_64;

/// Pages that records keep. A page that a later one of them drops, or puts another in the place of, is none.
#[derive(Debug, Default)]
pub struct KeptSince {
    /// The record of each, by the hash of its URL.
    kept: HashMap<u64, u64>,
    /// The hash of the URL, by the record.
    urls: HashMap<u64, u64>,
}

impl KeptSince {
    /// Notes what the next record says.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => {
                self.ended(record.seq, &page.url, page.outcome.is_indexed());
                self.gave_way(page.replaces, record.seq);
            }
            Event::Visit(visit) => {
                let version = visit.version();
                if visit.ends_version() {
                    let is_kept = version.is_some_and(|page| page.outcome.is_indexed());
                    self.ended(record.seq, &visit.url, is_kept);
                }
                self.gave_way(version.and_then(|page| page.replaces), record.seq);
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.kept.remove(&xxh3_64(url.as_bytes()));
                }
            }
            Event::Elsewhere(elsewhere) => {
                for page in &elsewhere.kept {
                    self.gave_way(page.replaces, record.seq);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Stop(_) => {}
        }
    }

    fn ended(&mut self, record: u64, url: &str, is_kept: bool) {
        let key = xxh3_64(url.as_bytes());
        if is_kept {
            self.kept.insert(key, record);
            self.urls.insert(record, key);
        } else {
            self.kept.remove(&key);
        }
    }

    /// The page of a record gives way to another one; a page does not take its own place.
    fn gave_way(&mut self, page: Option<u64>, by: u64) {
        let Some(key) = page.and_then(|page| self.urls.get(&page)) else {
            return;
        };
        if self.kept.get(key) != Some(&by) {
            self.kept.remove(key);
        }
    }

    /// How many pages there are.
    pub fn count(&self) -> u64 {
        self.kept.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;
    use crate::journal::{Journal, judged, small, unread, with_a_better_copy, with_changes};

    /// From any record on, what is counted is what the report has more, where nothing before is touched.
    #[test]
    fn of_a_whole_journal_it_is_what_the_report_has() {
        for records in [small(), with_changes(), with_a_better_copy()] {
            let (mut tally, mut kept) = (Tally::new(), KeptSince::default());
            for record in &records {
                tally.add(record);
                kept.add(record);
                assert_eq!(kept.count(), tally.totals().indexed, "{record:?}");
            }
            assert!(kept.count() > 0);
        }
    }

    #[test]
    fn what_stands_before_the_place_is_not_counted() {
        let mut journal = Journal::default();
        let page = |path: &str, reason: &str| {
            judged(&format!("http://a.test/{path}"), "t", "en", 0.9, reason)
        };
        let old = journal.page(page("old", ""));
        let place = journal.records.len();
        let mut better = page("better", "");
        better.replaces = Some(old);
        journal.page(better);
        journal.page(page("one", ""));
        journal.page(page("two", ""));
        journal.page(page("dropped", "near_duplicate"));
        journal.page(unread("http://a.test/two", "failed", "timeout", None));
        let mut kept = KeptSince::default();
        journal.records[place..]
            .iter()
            .for_each(|record| kept.add(record));
        assert_eq!(kept.count(), 2);
    }
}
