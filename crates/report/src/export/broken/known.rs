//! Broken links counted again and again while records come in, without reading them anew.
//!
//! Of each page the hashes of its links are kept, 8 bytes a link. When they would be more than
//! [`LINKS_MAX`], those of pages that were read again since are dropped, and if these are few, all are
//! given up: who counts then reads the records, as [`BrokenFigures::of`] does.

use std::collections::{HashMap, HashSet};

use archive::{Event, PageRecord, Record};
use xxhash_rust::xxh3::xxh3_64;

use super::{BrokenFigures, BrokenUrls};
use crate::fates::AsIs;

/// Links that are kept at most: 64 MB of them.
const LINKS_MAX: usize = 8_000_000;

/// Where the pages of a crawl link to.
#[derive(Debug)]
pub struct KnownLinks {
    pages: Vec<LinksOf>,
    count: usize,
    most: usize,
    is_full: bool,
}

impl Default for KnownLinks {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            count: 0,
            most: LINKS_MAX,
            is_full: false,
        }
    }
}

#[derive(Debug)]
struct LinksOf {
    page: u64,
    seq: u64,
    targets: Box<[u64]>,
}

impl KnownLinks {
    /// Notes the links of the next record.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => self.note(record.seq, page),
            Event::Visit(visit) => {
                if let Some(page) = visit.as_page() {
                    self.note(record.seq, &page);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => {}
        }
    }

    fn note(&mut self, seq: u64, page: &PageRecord) {
        if page.links.is_empty() || self.is_full {
            return;
        }
        let targets = page.links.iter().map(|link| xxh3_64(link.url.as_bytes()));
        self.pages.push(LinksOf {
            page: xxh3_64(page.url.as_bytes()),
            seq,
            targets: targets.collect(),
        });
        self.count += page.links.len();
        if self.count > self.most {
            self.drop_superseded();
            // Else the next page would have them looked through again.
            if self.count > self.most / 8 * 7 {
                (self.pages, self.is_full) = (Vec::new(), true);
            }
        }
    }

    /// Drops what stood on pages that were read again.
    fn drop_superseded(&mut self) {
        let last = self.pages.iter().map(|links| (links.page, links.seq));
        let last: HashMap<u64, u64, AsIs> = last.collect();
        self.pages
            .retain(|links| last.get(&links.page) == Some(&links.seq));
        self.count = self.pages.iter().map(|links| links.targets.len()).sum();
    }

    /// Counts the broken links, without rows; `urls` has noted the same records. None where there were too
    /// many links.
    pub fn count(&self, urls: &BrokenUrls) -> Option<BrokenFigures> {
        if self.is_full {
            return None;
        }
        let mut figures = BrokenFigures::default();
        let broken = urls.broken.keys().copied();
        let broken: HashSet<u64, AsIs> = broken.collect();
        if broken.is_empty() {
            return Some(figures);
        }
        let mut reached: HashSet<u64, AsIs> = HashSet::default();
        for links in &self.pages {
            let current = urls.current.get(&links.page);
            if current.is_some_and(|from| *from > links.seq) {
                continue;
            }
            let before = figures.links;
            for target in links
                .targets
                .iter()
                .filter(|target| broken.contains(target))
            {
                figures.links += 1;
                reached.insert(*target);
            }
            figures.pages += u64::from(figures.links > before);
        }
        figures.urls = reached.len() as u64;
        let circling = reached.iter().filter_map(|url| urls.broken.get(url));
        let circling = circling.filter(|broken| broken.is_circling());
        figures.circling = circling.count() as u64;
        Some(figures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::BROKEN_ROWS_MAX;
    use crate::journal::{Journal, judged, link, small, unread, with_changes};
    use archive::RetryRecord;

    /// The counts are those of a reading of the records, after each of them.
    #[track_caller]
    fn agree(records: &[Record]) -> BrokenFigures {
        let (mut urls, mut links) = (BrokenUrls::default(), KnownLinks::default());
        for (at, record) in records.iter().enumerate() {
            urls.add(record);
            links.add(record);
            let read = BrokenFigures::of(&urls, || records[..=at].to_vec(), BROKEN_ROWS_MAX);
            let counted = links.count(&urls).expect("there are few");
            let figures = |of: &BrokenFigures| (of.links, of.pages, of.urls, of.circling);
            assert_eq!(figures(&counted), figures(&read), "after record {at}");
        }
        links.count(&urls).expect("there are few")
    }

    #[test]
    fn counts_are_those_of_a_reading_of_the_records() {
        let mut journal = Journal::default();
        let with_links = |url: &str, to: &[&str]| {
            let mut page = judged(url, "t", "en", 0.9, "");
            page.links = to.iter().map(|to| link(to, "there", "new")).collect();
            page
        };
        let gone = ["http://a.test/gone", "http://b.test/"];
        journal.page(with_links("http://a.test/", &[gone[0], "http://a.test/ok"]));
        let mut error = judged(gone[0], "t", "en", 0.1, "error_page");
        error.fetch.as_mut().expect("a fetch").status = 404;
        error.links = vec![link(gone[1], "further", "new")];
        journal.page(error);
        journal.page(with_links("http://a.test/ok", &gone));
        journal.page(unread(gone[1], "failed", "timeout", None));
        let figures = agree(&journal.records);
        assert_eq!((figures.links, figures.pages, figures.urls), (4, 3, 2));
        // Put back, it is broken no longer, and what stood on it is not told.
        journal.event(Event::Retry(RetryRecord {
            urls: vec![gone[0].into()],
            ..RetryRecord::default()
        }));
        let figures = agree(&journal.records);
        assert_eq!((figures.links, figures.pages, figures.urls), (1, 1, 1));
        journal.page(with_links(gone[0], &[gone[1]]));
        let figures = agree(&journal.records);
        assert_eq!((figures.links, figures.pages, figures.urls), (2, 2, 1));
        agree(&small());
        agree(&with_changes());
    }

    #[test]
    fn links_of_pages_that_are_read_again_and_again_do_not_fill_it() {
        let mut known = KnownLinks {
            most: 40,
            ..KnownLinks::default()
        };
        let page = |url: String| {
            let mut page = judged(&url, "t", "en", 0.9, "");
            page.links = vec![link("http://a.test/", "there", "new"); 10];
            page
        };
        for seq in 0..100 {
            known.note(seq, &page("u:again".into()));
        }
        assert!(known.count <= 40 && !known.is_full);
        let held: usize = known.pages.iter().map(|links| links.targets.len()).sum();
        assert_eq!(known.count, held);
        for seq in 100..110 {
            known.note(seq, &page(format!("u:{seq}")));
        }
        assert!(known.is_full, "nothing of it is superseded");
    }
}
