//! A sitemap or feed that is known: what it told, when it is due, and what asking it is worth.

use again::Quiet;
use again::clock::passed_ms;
use again::signals::Since;
use archive::{DueRecord, PageRecord, Record, SitemapRecord, VisitRecord};
use outcome::{JunkReason, Outcome, SitemapKind, Verdict};
use serde::{Deserialize, Serialize};

use super::leads::Leads;
use super::{NEW_MAX, after, host_of, print_of, validators};
use crate::again::DAY_MS;
use crate::config::AgainSection;

/// Visits without an answer after which a source is asked for more rarely no more.
const FAILURES_MAX: u32 = 6;

/// How often a site has told that a URL changed, since it was visited last.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(in crate::again) struct Told {
    /// It is in a list of its site's.
    pub(in crate::again) is_listed: bool,
    times: u32,
    first_ms: u64,
    last_ms: u64,
}

impl Told {
    /// A list dates it.
    pub(in crate::again) fn tell(&mut self, date_ms: u64, visited_ms: u64) {
        self.is_listed = true;
        if date_ms <= visited_ms.max(self.last_ms) {
            return;
        }
        if self.times == 0 {
            self.first_ms = date_ms;
        }
        self.times = self.times.saturating_add(1);
        self.last_ms = date_ms;
    }

    /// It was visited: what is told from here on is new.
    pub(in crate::again) fn forget(&mut self) {
        self.times = 0;
    }

    /// What happened since it was visited last.
    pub(in crate::again) fn since(&self, visited_ms: u64, now_ms: u64) -> Since {
        let days = |to: u64| to.saturating_sub(visited_ms) as f64 / DAY_MS;
        Since {
            days: days(now_ms),
            told: self.is_listed.then_some(self.times),
            told_after: days(self.first_ms),
        }
    }
}

/// A feed or a sitemap.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::again) struct Source {
    #[serde(with = "state::saved::json")]
    pub(in crate::again) due: DueRecord,
    pub(in crate::again) host: String,
    pub(in crate::again) asked_ms: u64,
    pub(in crate::again) leads: Leads,
    pub(in crate::again) told: Told,
    /// Visits in a row that were not answered.
    pub(in crate::again) failures: u32,
    pub(in crate::again) quiet: Quiet,
    /// It came last with the validators of before and with other URLs, as far as is known here (they may be
    /// new to the crawl alone, whose scope was widened): it is asked for without a condition until a body says
    /// otherwise.
    pub(in crate::again) lies: bool,
}

impl Source {
    /// A sitemap that was read; none for one that could not be.
    pub(in crate::again) fn of_sitemap(record: &Record, sitemap: &SitemapRecord) -> Option<Self> {
        match &sitemap.kind {
            SitemapKind::Unreadable | SitemapKind::Unknown(_) => return None,
            SitemapKind::Urlset
            | SitemapKind::Index
            | SitemapKind::Text
            | SitemapKind::Rss
            | SitemapKind::Atom
            | SitemapKind::Json => {}
        }
        if !(200..300).contains(&sitemap.fetch.status) {
            return None;
        }
        let mut source = Self::new(record, &sitemap.url, &sitemap.host, sitemap.seed, 0);
        (source.due.etag, source.due.last_modified) = validators(Some(&sitemap.fetch));
        Some(source)
    }

    /// A feed that was read, or a sitemap that was named as a page.
    pub(in crate::again) fn of_feed(record: &Record, page: &PageRecord) -> Option<Self> {
        let is_feed = state::is_feed(page) && (200..300).contains(&page.status());
        // A sitemap that was named as a page stands before the pages beside it.
        let depth = page.depth.saturating_sub(u32::from(page.sitemap));
        let mut source = Self::new(record, &page.url, &page.host, page.seed, depth);
        source.due.was = page.outcome.clone();
        (source.due.etag, source.due.last_modified) = validators(page.fetch.as_ref());
        is_feed.then_some(source)
    }

    fn new(record: &Record, url: &str, host: &str, seed: u32, depth: u32) -> Self {
        Self {
            due: DueRecord {
                url: url.to_owned(),
                of: record.seq,
                was: Outcome::Judged(Verdict::Junk(JunkReason::UnsupportedType)),
                depth,
                seed,
                source: true,
                seen_ms: record.at_ms,
                ..DueRecord::default()
            },
            host: host.to_owned(),
            asked_ms: record.at_ms,
            leads: Leads {
                like: 0.3,
                ..Leads::default()
            },
            told: Told::default(),
            failures: 0,
            quiet: Quiet::of_body(record.at_ms),
            lies: false,
        }
    }

    /// It was visited at this time and answered, with so many URLs that are new or dated anew; what the next
    /// visit sends is noted.
    pub(in crate::again) fn see(&mut self, visit: &VisitRecord, listed: usize, at_ms: u64) {
        let print = print_of(&visit.etag, &visit.last_modified);
        let is_same = print != 0 && print == print_of(&self.due.etag, &self.due.last_modified);
        if visit
            .fetch
            .as_ref()
            .is_some_and(|fetch| fetch.status == 304)
        {
            self.quiet.not_modified();
        } else {
            self.quiet.see_body(is_same.then_some(listed == 0), at_ms);
            self.lies = is_same && listed > 0;
        }
        self.due.seen_ms = at_ms;
        (self.due.etag, self.due.last_modified) = (visit.etag.clone(), visit.last_modified.clone());
    }

    /// Whether it is asked for without a condition.
    pub(in crate::again) fn is_asked_in_full(&self, now_ms: u64) -> bool {
        self.lies || self.quiet.is_in_doubt(now_ms)
    }

    /// The source to which this one redirects, of which nothing is known but what this one led to.
    pub(in crate::again) fn moved_to(&self, url: &str) -> Self {
        let mut heir = self.clone();
        url.clone_into(&mut heir.due.url);
        (heir.due.etag, heir.due.last_modified) = (None, None);
        heir.host = host_of(url);
        (heir.asked_ms, heir.failures) = (0, 0);
        (heir.quiet, heir.lies) = (Quiet::default(), false);
        heir
    }

    /// For so long it is left alone.
    fn pause_ms(&self, settings: &AgainSection) -> u128 {
        settings.min.0.as_millis() << self.failures.min(FAILURES_MAX)
    }

    /// When it may be asked again.
    pub(in crate::again) fn due_ms(&self, settings: &AgainSection) -> u64 {
        after(self.asked_ms, self.pause_ms(settings))
    }

    /// What a visit is worth now: new URLs, and dates of known ones.
    pub(in crate::again) fn value(&self, settings: &AgainSection, now_ms: u64) -> f64 {
        let asked = passed_ms(self.asked_ms, now_ms);
        if asked.is_some_and(|asked| u128::from(asked) < self.pause_ms(settings)) {
            return 0.0;
        }
        let days = now_ms.saturating_sub(self.due.seen_ms) as f64 / DAY_MS;
        let expected = self.leads.expected(days);
        // What lists it says that it has changed.
        let told = if self.told.since(self.due.seen_ms, now_ms).told > Some(0) {
            NEW_MAX
        } else {
            0.0
        };
        (expected + told).max(f64::MIN_POSITIVE)
    }
}
