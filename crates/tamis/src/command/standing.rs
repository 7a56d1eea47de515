//! How a crawl stands, as its journal has it: what `tamis status` shows of one that is stopped, and what is
//! said of rounds. It is saved with what plans have read, so a crawl that comes back is not read anew.

use std::collections::BTreeMap;

use archive::{Event, PageRecord, Record};
use outcome::SitemapKind;
use pipeline::again::Beside;
use report::changes::Visits;
use report::clock::Clock;
use serde::{Deserialize, Serialize};
use state::Counts;

/// The fold over a journal.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// The counters.
    pub counts: Counts,
    /// When processes worked on it, and why the last one stopped.
    pub clock: Clock,
    /// Bytes received, visits apart.
    pub bytes: u64,
    /// URLs that were asked for since the last start.
    pub pages_this_start: u64,
    /// What was left to find when the last start ended.
    pub outlook: Option<outcome::Outlook>,
    /// What rounds found.
    pub visits: Visits,
    /// URLs that wait, by host; those of hosts at which none does are left out.
    pending: BTreeMap<String, u64>,
}

impl Standing {
    /// Hosts at which URLs wait, those with most first.
    pub fn waiting(&self) -> Vec<(&str, u64)> {
        let mut hosts: Vec<(&str, u64)> = self
            .pending
            .iter()
            .map(|(host, count)| (host.as_str(), *count))
            .collect();
        hosts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        hosts
    }

    fn admit(&mut self, host: &str) {
        match self.pending.get_mut(host) {
            Some(count) => *count += 1,
            None => {
                self.pending.insert(host.to_owned(), 1);
            }
        }
    }

    fn admit_links(&mut self, page: &PageRecord) {
        for link in page.admitting_links() {
            self.admit(weburl::host_of(&link.url));
        }
    }

    fn finish(&mut self, host: &str) {
        if let Some(count) = self.pending.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                self.pending.remove(host);
            }
        }
    }
}

impl Beside for Standing {
    fn add(&mut self, record: &Record) {
        self.counts.apply(record);
        self.clock.add(record);
        self.visits.add(record);
        match &record.event {
            Event::Start(start) => {
                self.outlook = None;
                if !start.goes_on {
                    self.pages_this_start = 0;
                }
            }
            Event::Stop(stop) => self.outlook.clone_from(&stop.outlook),
            Event::Seed(seed) if !seed.sitemap && seed.fate.is_none() => {
                self.admit(weburl::host_of(&seed.url));
            }
            Event::Robots(robots) => self.bytes += robots.fetch.bytes,
            Event::Sitemap(sitemap) => {
                self.bytes += sitemap.fetch.bytes;
                if sitemap.kind != SitemapKind::Index {
                    sitemap
                        .urls
                        .iter()
                        .for_each(|url| self.admit(weburl::host_of(url)));
                }
            }
            Event::Attempt(attempt) => self.bytes += attempt.fetch.bytes,
            Event::Page(page) => {
                self.admit_links(page);
                if page.named_sitemap {
                    self.admit(&page.host);
                }
                self.finish(&page.host);
                let fetch = page.fetch.as_ref();
                self.bytes += fetch.map_or(0, |fetch| fetch.bytes);
                self.pages_this_start += u64::from(fetch.is_some());
            }
            Event::Visit(visit) => {
                if let Some(page) = &visit.page {
                    self.admit_links(page);
                }
            }
            Event::Retry(retry) => retry
                .urls
                .iter()
                .for_each(|url| self.admit(weburl::host_of(url))),
            Event::Seed(_) | Event::Again(_) | Event::Elsewhere(_) => {}
        }
    }

    fn save(&self) -> Vec<u8> {
        // Plain data has a form in JSON.
        serde_json::to_vec(self).unwrap_or_default()
    }

    fn take_up(&mut self, saved: &[u8]) -> bool {
        let standing = serde_json::from_slice(saved);
        let is_whole = standing.is_ok();
        *self = standing.unwrap_or_default();
        is_whole
    }
}
