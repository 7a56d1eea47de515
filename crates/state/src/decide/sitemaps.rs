//! What robots.txt and sitemaps bring: URLs without a page that links to them.
//!
//! A sitemap is no page: it is not admitted, judged or counted, whatever its answer was. Its one
//! record says what it gave, or why it gave nothing.

use std::collections::{HashMap, HashSet};

use archive::{FetchRecord, RobotsRecord, SitemapRecord};
use fetcher::SitemapUrl;
use frontier::{Admission, CanonicalUrl, FrontierError, HostKey, Lease};
use outcome::{RobotsAnswer, SitemapKind};

use crate::context::is_listed;
use crate::finding::{Reading, RobotsFinding, SitemapReading};
use crate::reach::Reach;
use crate::recorded;
use crate::state::State;

impl State {
    /// The record of a sitemap that was asked for.
    pub(super) fn sitemap_record(
        &self,
        lease: &Lease,
        fetch: FetchRecord,
        reading: Reading,
    ) -> Result<SitemapRecord, FrontierError> {
        let sitemap = sitemap_of(reading, fetch.status);
        let url = lease.url();
        let since_ms = self.since_of(url.seed);
        let entries = sitemap.urls.iter();
        let (old, fresh): (Vec<_>, Vec<_>) =
            entries.partition(|(_, entry)| is_old(entry, since_ms));
        let fresh = fresh.into_iter().map(|(url, _)| url);
        Ok(SitemapRecord {
            old: old.len() as u32,
            listed: is_listed(url),
            url: url.url.as_str().into(),
            host: url.url.host().to_string(),
            seed: url.seed,
            fetch,
            urls: self.admitted_of(fresh, &sitemap.kind, url.seed)?,
            kind: sitemap.kind,
            problem: sitemap.problem,
        })
    }

    /// The beginning of the day before which nothing of a seed's sitemaps is wanted, milliseconds since the Unix epoch.
    pub(super) fn since_of(&self, seed: u32) -> Option<u64> {
        let day = self.reach.seeds().get(seed as usize)?.since.as_deref()?;
        again::told::date_ms(&format!("{day}T00:00"))
    }

    /// The URLs of a sitemap that are new, of those that are not known to be old.
    fn admitted_of<'u>(
        &self,
        fresh: impl Iterator<Item = &'u CanonicalUrl>,
        kind: &SitemapKind,
        seed: u32,
    ) -> Result<Vec<String>, FrontierError> {
        let is_index = *kind == SitemapKind::Index;
        let depth = u32::from(!is_index);
        let mut room = Room::new(self);
        let in_reach = |url: &CanonicalUrl| match is_index {
            true => self.reach.check_sitemap(url, seed).is_ok(),
            false => {
                self.examples.get(url.as_str()).is_some()
                    || self.reach.check(url, depth, seed).is_ok()
            }
        };
        let in_reach: Vec<&CanonicalUrl> = fresh.filter(|url| in_reach(url)).collect();
        let queue = self.queue.lock();
        let mut offers = queue.frontier.offers(None);
        let mut admitted = Vec::new();
        for url in in_reach {
            if is_index && !room.has_room(url) {
                continue;
            }
            let offered = match is_index {
                true => offers.offer_sitemap(url)?,
                false => offers.offer(url, depth, seed)?,
            };
            if offered == Admission::New {
                admitted.push(url.as_str().to_owned());
                if is_index {
                    room.count(url);
                }
            }
        }
        Ok(admitted)
    }

    /// The record of a host's robots.txt.
    pub(super) fn robots_record(
        &self,
        found: &RobotsFinding,
        now_ms: u64,
    ) -> Result<RobotsRecord, FrontierError> {
        let delay = found.robots.crawl_delay(&self.policy.agent);
        let sitemaps = found.robots.sitemaps().to_vec();
        let queued = match sitemaps.is_empty() {
            true => None,
            false => Some(self.queued_of(&found.host, &sitemaps)?),
        };
        let fetch = recorded::fetch_record(&found.answer, "", now_ms);
        let queue = self.queue.lock();
        let rules = queue
            .robots
            .decide(&found.origin, &found.rules, &fetch, now_ms);
        drop(queue);
        let lines = match rules {
            RobotsAnswer::Parsed => found.robots.lines_for(&self.policy.agent),
            RobotsAnswer::AllowAll
            | RobotsAnswer::DisallowAll
            | RobotsAnswer::Outage
            | RobotsAnswer::Unknown(_) => Vec::new(),
        };
        let rules_hold = rules == RobotsAnswer::Parsed;
        let answered_by = Some(&found.answered_by).filter(|host| **host != found.host);
        Ok(RobotsRecord {
            host: found.host.to_string(),
            fetch,
            rules,
            origin: Some(found.origin.clone()),
            answered_by: answered_by.map(HostKey::to_string),
            answered_at: Some(&found.answered_at)
                .filter(|at| **at != found.origin)
                .cloned(),
            lines,
            crawl_delay_s: delay.map(|delay| delay.as_secs_f64()),
            usage: match rules_hold {
                true => found.robots.usage(&self.policy.agent),
                false => Vec::new(),
            },
            queued,
            sitemaps,
        })
    }

    /// Those sitemaps that a host's robots.txt names which are to be read.
    fn queued_of(&self, host: &HostKey, sitemaps: &[String]) -> Result<Vec<String>, FrontierError> {
        let Some(seed) = self
            .reach
            .seed_of_host(host)
            .filter(|_| self.policy.sitemaps)
        else {
            return Ok(Vec::new());
        };
        let queue = self.queue.lock();
        let mut offers = queue.frontier.offers(None);
        let mut room = Room::new(self);
        let mut queued = Vec::new();
        for url in sitemaps {
            let Ok(url) = CanonicalUrl::parse(url) else {
                continue;
            };
            let is_wanted = room.has_room(&url) && self.reach.check_sitemap(&url, seed).is_ok();
            if is_wanted && offers.offer_sitemap(&url)? == Admission::New {
                queued.push(url.as_str().to_owned());
                room.count(&url);
            }
        }
        Ok(queued)
    }
}

/// How many more sitemaps of each host are to be read.
pub(super) struct Room<'s> {
    reach: &'s Reach,
    per_host: usize,
    counted: HashSet<u128>,
    of_hosts: HashMap<HostKey, usize>,
}

impl<'s> Room<'s> {
    pub(super) fn new(state: &'s State) -> Self {
        Self {
            reach: &state.reach,
            per_host: state.policy.sitemaps_per_host,
            counted: HashSet::new(),
            of_hosts: HashMap::new(),
        }
    }

    pub(super) fn has_room(&self, url: &CanonicalUrl) -> bool {
        let host = url.host();
        let here = self.of_hosts.get(&host).unwrap_or(&0);
        self.reach.sitemaps_of_host(&host).saturating_add(*here) < self.per_host
    }

    pub(super) fn count(&mut self, url: &CanonicalUrl) {
        if self.counted.insert(url.key()) {
            *self.of_hosts.entry(url.host()).or_default() += 1;
        }
    }
}

/// Whether an entry is from before a time. What has no date, or none that can be read, is not known to be old.
pub(super) fn is_old(entry: &SitemapUrl, since_ms: Option<u64>) -> bool {
    let at_ms = || again::told::date_ms(entry.lastmod.as_deref()?);
    since_ms.is_some_and(|since_ms| at_ms().is_some_and(|at_ms| at_ms < since_ms))
}

/// A sitemap as it was read, or why it could not be. One that redirects is an index of one sitemap:
/// so it counts against its host's bound, and no circle of redirects is endless.
fn sitemap_of(reading: Reading, status: u16) -> SitemapReading {
    let problem = match reading {
        Reading::Sitemap(sitemap) => return sitemap,
        Reading::Redirect(Ok(target)) => {
            return SitemapReading {
                kind: SitemapKind::Index,
                problem: Some(format!("redirects to {target}")),
                urls: vec![(target, SitemapUrl::default())],
            };
        }
        Reading::Redirect(Err(why)) => why,
        Reading::Refused(refusal) => match refusal.detail() {
            Some(detail) => format!("{}: {detail}", refusal.name()),
            None => refusal.name().to_owned(),
        },
        Reading::Failed { detail, .. } => detail,
        Reading::Page(_) | Reading::NoPage { .. } | Reading::NotModified => {
            format!("no sitemap: status {status}")
        }
    };
    SitemapReading {
        problem: Some(problem),
        ..SitemapReading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_old_by_its_date_in_any_form() {
        let entry = |lastmod: Option<&str>| SitemapUrl {
            lastmod: lastmod.map(str::to_owned),
            ..SitemapUrl::default()
        };
        let since = again::told::date_ms("2025-06-01T00:00");
        for (lastmod, since, old) in [
            (Some("2025-01-01"), since, true),
            (Some("2025-05-31T23:59:59Z"), since, true),
            (Some("2025-06-01"), since, false),
            (Some("2025-06-01T10:00"), since, false),
            (Some("2025-06-01T02:00+08:00"), since, true),
            (Some("2025"), since, false),
            (Some("2025-05"), since, true),
            // Feeds, with and without the day of the week.
            (Some("Fri, 02 Jan 2015 10:00:00 GMT"), since, true),
            (Some("02 Jan 2026 10:00:00 GMT"), since, false),
            // What is no date that can be read.
            (Some("12/05/2026"), since, false),
            (Some("12/05/2020"), since, false),
            (Some("二〇二六年"), since, false),
            (None, since, false),
            (Some("2025-01-01"), None, false),
        ] {
            assert_eq!(is_old(&entry(lastmod), since), old, "{lastmod:?} {since:?}");
        }
    }

    #[test]
    fn a_sitemap_that_redirects_is_an_index_of_one() {
        let target = CanonicalUrl::parse("http://a.example/map.xml").expect("a URL");
        let sitemap = sitemap_of(Reading::Redirect(Ok(target)), 301);
        assert_eq!((sitemap.kind, sitemap.urls.len()), (SitemapKind::Index, 1));
        let sitemap = sitemap_of(Reading::NotModified, 304);
        assert_eq!(sitemap.kind, SitemapKind::Unreadable);
        assert_eq!(sitemap.problem.as_deref(), Some("no sitemap: status 304"));
    }
}
