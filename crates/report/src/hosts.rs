//! What each host gave and cost; and the same for each seed.
//!
//! At most [`HOSTS_MAX`] hosts have a row of their own, in the order in which they appeared; the
//! rest share one named `(others)`. A crawl of the open web meets more hosts than anyone reads.

use std::collections::HashMap;

use outcome::RobotsAnswer;
use serde::{Deserialize, Serialize};

use crate::delays::Delays;
use crate::fates::Counts;
use crate::histogram::Histogram;
use crate::words;

/// Hosts with a row of their own.
pub const HOSTS_MAX: usize = 10_000;

/// Seeds with a row of their own.
pub const SEEDS_MAX: usize = 10_000;

/// The name of the row that the rest share.
pub const OTHERS: &str = "(others)";

/// A host in the report.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HostRow {
    /// Host, with its port unless that is the scheme's own.
    pub host: String,
    /// Where its URLs are.
    #[serde(flatten)]
    pub counts: Counts,
    /// Its near and exact duplicates among the junk.
    pub duplicates: u64,
    /// Its off-topic pages among the junk.
    pub off_topic: u64,
    /// Its URLs that were refused because it was given up.
    #[serde(default)]
    pub gone: u64,
    /// Fetches that brought no usable answer, attempts that were repeated included.
    pub errors: u64,
    /// Fetches of its pages, repeated ones included.
    pub fetches: u64,
    /// Bytes of bodies received, those of robots.txt and sitemaps included.
    pub bytes: u64,
    /// How robots.txt was answered: `parsed`, `allow_all`, `disallow_all`; empty before.
    pub robots: RobotsAnswer,
    /// The delay between requests that was in force: the larger of ours and robots.txt's.
    pub delay_s: f64,
    /// Mean time of a fetch, milliseconds.
    pub avg_ms: f64,
    /// 95 of 100 fetches took no longer, milliseconds.
    pub p95_ms: u64,
    /// `done`, `pending` (URLs left), `failing` (nothing but errors), `gone` (given up, with URLs
    /// refused for that) or `closed` (robots.txt).
    pub state: String,
}

/// A seed in the report.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SeedRow {
    /// Its number, 0 for the first.
    pub seed: u32,
    /// Its URL.
    pub url: String,
    /// Where it was given: `file:line`, `config` or `flag`.
    pub source: String,
    /// It is a sitemap and not a page.
    pub sitemap: bool,
    /// It is an example of the topic (`true`) or a counter-example, and no reason to crawl its
    /// host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example: Option<bool>,
    /// Why this example is none: an error, or no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_example: Option<String>,
    /// Why this sitemap brought nothing in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_sitemap: Option<String>,
    /// Where the URLs found from it are.
    #[serde(flatten)]
    pub counts: Counts,
    /// Where it redirects, if it does; the target is in the seed's scope.
    pub redirected_to: Option<String>,
    /// Where it redirects of late, out of its scope: the site may have moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gone_to: Option<String>,
    /// What became of the seed's own URL: `indexed`, a reason, or `pending`.
    pub fate: String,
}

/// A host while records are read.
#[derive(Debug, Default)]
pub(crate) struct HostTally {
    pub name: String,
    pub counts: Counts,
    pub duplicates: u64,
    pub off_topic: u64,
    pub gone: u64,
    pub errors: u64,
    pub bytes: u64,
    pub robots: RobotsAnswer,
    pub crawl_delay_s: Option<f64>,
    pub retry_after_s: f64,
    pub ms: Histogram,
}

/// Names and their rows, with a bound.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    by_name: HashMap<String, u16>,
    pub rows: Vec<HostTally>,
}

impl Hosts {
    /// The row of a host; the shared one when all are taken.
    pub(crate) fn index(&mut self, host: &str) -> u16 {
        if let Some(at) = self.by_name.get(host) {
            return *at;
        }
        let at = self.rows.len();
        if at > HOSTS_MAX {
            return HOSTS_MAX as u16;
        }
        let name = if at == HOSTS_MAX { OTHERS } else { host };
        self.rows.push(HostTally {
            name: name.to_owned(),
            ..HostTally::default()
        });
        if at < HOSTS_MAX {
            self.by_name.insert(host.to_owned(), at as u16);
        }
        at as u16
    }

    pub(crate) fn row(&mut self, at: u16) -> &mut HostTally {
        &mut self.rows[usize::from(at)]
    }

    /// The report's rows, those with most URLs first, the shared row last.
    pub(crate) fn report(&self, delays: &Delays) -> Vec<HostRow> {
        let mut rows: Vec<HostRow> = self.rows.iter().map(|row| row.report(delays)).collect();
        rows.sort_by(|a, b| {
            let key = |row: &HostRow| (row.host == OTHERS, std::cmp::Reverse(row.counts.admitted));
            key(a).cmp(&key(b)).then_with(|| a.host.cmp(&b.host))
        });
        rows
    }
}

impl SeedRow {
    /// What became of its own page, in words.
    pub fn fate_in_words(&self) -> String {
        let fate = match (&self.redirected_to, &self.no_sitemap) {
            _ if let Some(to) = &self.gone_to => {
                format!(
                    "redirects to {to} by now, out of scope: if its site is there, add that as a seed"
                )
            }
            (Some(to), _) => format!("redirected to {to}"),
            (None, Some(why)) => format!("a sitemap that brought nothing in: {why}"),
            (None, None) => words::name(&self.fate),
        };
        match self.example {
            Some(true) => format!("example: {fate}"),
            Some(false) => format!("counter-example: {fate}"),
            None => fate,
        }
    }
}

impl HostRow {
    /// Its state as people read it: of a host that was given up with how many URLs that cost.
    pub(crate) fn state_in_words(&self) -> String {
        match self.gone {
            0 => self.state.clone(),
            urls => format!("{}: {}", self.state, words::plural(urls, "URL", "URLs")),
        }
    }
}

impl HostTally {
    fn report(&self, delays: &Delays) -> HostRow {
        let fetches = self.ms.distribution();
        let state = if self.robots == RobotsAnswer::DisallowAll {
            "closed"
        } else if self.gone > 0 {
            "gone"
        } else if self.counts.pending > 0 {
            "pending"
        } else if fetches.count > 0 && self.errors >= fetches.count {
            "failing"
        } else {
            "done"
        };
        HostRow {
            host: self.name.clone(),
            counts: self.counts,
            duplicates: self.duplicates,
            off_topic: self.off_topic,
            gone: self.gone,
            errors: self.errors,
            fetches: fetches.count,
            bytes: self.bytes,
            robots: self.robots.clone(),
            delay_s: delays.of(&self.name, self.crawl_delay_s).seconds,
            avg_ms: (fetches.mean * 10.0).round() / 10.0,
            p95_ms: fetches.p95,
            state: state.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::{AttemptRecord, Event, RobotsRecord, SitemapRecord};

    use crate::Tally;
    use crate::journal::{Journal, fetch, judged};

    #[test]
    fn bytes_of_hosts_add_up_to_those_of_the_crawl() {
        // Those of robots.txt and sitemaps were of the crawl and of no host.
        let mut journal = Journal::default();
        let host = || "a.test".to_owned();
        journal.event(Event::Robots(RobotsRecord {
            host: host(),
            fetch: fetch(200, 100, 5),
            ..RobotsRecord::default()
        }));
        journal.event(Event::Sitemap(SitemapRecord {
            url: "http://a.test/sitemap.xml".into(),
            host: host(),
            fetch: fetch(200, 1_000, 5),
            ..SitemapRecord::default()
        }));
        for sitemap in [true, false] {
            journal.event(Event::Attempt(AttemptRecord {
                url: "http://a.test/x".into(),
                host: host(),
                fetch: fetch(503, 10_000, 5),
                sitemap,
                ..AttemptRecord::default()
            }));
        }
        journal.page(judged("http://b.test/", "t", "en", 0.9, ""));
        let mut tally = Tally::new();
        journal.records.iter().for_each(|record| tally.add(record));
        let report = tally.report("x");
        let sum: u64 = report.hosts.iter().map(|host| host.bytes).sum();
        assert_eq!((sum, report.fetches.bytes), (33_100, 33_100));
    }
}
