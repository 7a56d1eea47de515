//! Sources: feeds and sitemaps, which are read for the URLs that they name, and for when those changed.
//!
//! A source that redirects when it is visited names one other source: its target.
//!
//! A feed is a URL like any other when it is read first: its record says that it is no page, and has its
//! links. A sitemap has a record of its own then (see `sitemaps`). When either is visited again, the
//! record of the visit has the links that are new, and those that are dated after the visit before.

use archive::{DueRecord, LinkRecord, PageRecord, SOURCE_REL, VisitRecord};
use fetcher::SitemapUrl;
use frontier::{CanonicalUrl, FrontierError, FrontierUrl, Lease};
use outcome::{Change, LinkFate, Outcome, SitemapKind};

use super::sitemaps::{Room, is_old};
use super::visit;
use crate::context::{encode, is_listed};
use crate::decided::fate_of;
use crate::finding::{Answer, Reading, SitemapReading};
use crate::state::State;

/// Dated links to known URLs in one record: a site that dates everything today tells nothing.
const TOLD_MAX: usize = 10_000;

impl State {
    /// The record of a feed that is read for the first time, or of a sitemap that another one named as a page. That
    /// counts for its host as if an index had named it.
    pub(super) fn decide_feed(
        &mut self,
        lease: &Lease,
        head: PageRecord,
        feed: &SitemapReading,
        content_type: &str,
    ) -> Result<PageRecord, FrontierError> {
        let mut record = self.decide_other(head, Reading::NoPage { payload: 0 }, content_type);
        if is_sitemap(feed) && !Room::new(self).has_room(&lease.url().url) {
            return Ok(record);
        }
        record.sitemap = is_sitemap(feed);
        record.links = self.links_of_source(lease, feed, (u64::MAX, 0), lease.url().priority)?;
        if record.links.is_empty() {
            // All that it names is known by now. One link says that it is a feed.
            record.links.extend(self.known_link(lease, feed));
        }
        record.detail = Some(match record.sitemap {
            true => format!("a sitemap ({}): its links are followed", feed.kind),
            false => format!("a feed ({}): its links are followed", feed.kind),
        });
        Ok(record)
    }

    /// The record of a visit to a source that was read before.
    pub(super) fn decide_source_visit(
        &mut self,
        lease: &Lease,
        due: &DueRecord,
        head: PageRecord,
        reading: Reading,
        answer: Option<&Answer>,
        now_ms: u64,
    ) -> Result<VisitRecord, FrontierError> {
        let mut visit = visit::head_of(due, &head, answer);
        visit.source = true;
        let of_seed = self.reach.priority_of_seed(lease.url().seed);
        match reading {
            Reading::NotModified => visit.change = Change::Unchanged,
            Reading::Sitemap(source) if !source.urls.is_empty() || source.problem.is_none() => {
                visit.change = Change::Unchanged;
                let since = (due.seen_ms, now_ms);
                let links = self.links_of_source(lease, &source, since, of_seed)?;
                visit.page = (!links.is_empty()).then(|| {
                    Box::new(PageRecord {
                        outcome: due.was.clone(),
                        links,
                        ..head
                    })
                });
            }
            Reading::Sitemap(source) => visit.detail = source.problem,
            Reading::Redirect(Ok(target)) => {
                visit.change = Change::Moved;
                visit.detail = Some(format!("it redirects to {target}"));
                // The target is read as a source of its own, within its host's bound.
                let source = SitemapReading {
                    kind: SitemapKind::Index,
                    urls: vec![(target, SitemapUrl::default())],
                    ..SitemapReading::default()
                };
                let mut links = self.links_of_source(lease, &source, (u64::MAX, 0), of_seed)?;
                if links.is_empty() {
                    links.extend(self.known_link(lease, &source));
                }
                visit.page = (!links.is_empty()).then(|| {
                    Box::new(PageRecord {
                        outcome: due.was.clone(),
                        links,
                        ..head
                    })
                });
            }
            other => {
                let page = self.decide_other(head, other, "");
                visit.reason = page.outcome.reason().map(|reason| reason.into_owned());
                visit.detail = page.detail.or_else(|| visit.reason.clone());
            }
        }
        Ok(visit)
    }

    /// A link to the first URL of a source that belongs to the crawl, as to one that is known.
    fn known_link(&self, lease: &Lease, source: &SitemapReading) -> Option<LinkRecord> {
        let of = lease.url();
        let is_index = source.kind == SitemapKind::Index;
        let depth = depth_of_named(of, source);
        let is_here = |url: &CanonicalUrl| match is_index {
            true => self.reach.check_sitemap(url, of.seed).is_ok(),
            false => self.reach.check(url, depth, of.seed).is_ok(),
        };
        let (url, _) = source.urls.iter().find(|(url, _)| is_here(url))?;
        Some(LinkRecord {
            url: url.as_str().into(),
            rel: if is_index {
                SOURCE_REL.into()
            } else {
                String::new()
            },
            fate: LinkFate::Seen,
            ..LinkRecord::default()
        })
    }

    /// Links to the URLs of a source that are new, each with this promise where there is no topic, and to
    /// those that it dates after the visit before and not beyond now.
    fn links_of_source(
        &mut self,
        lease: &Lease,
        source: &SitemapReading,
        (since_ms, now_ms): (u64, u64),
        promise: f32,
    ) -> Result<Vec<LinkRecord>, FrontierError> {
        let of = lease.url();
        let is_index = source.kind == SitemapKind::Index;
        let depth = depth_of_named(of, source);
        let oldest_ms = self.since_of(of.seed);
        let mut links = Vec::new();
        {
            let mut room = Room::new(self);
            if is_index && is_listed(of) {
                room.count(&of.url);
            }
            let queue = self.queue.lock();
            let mut offers = queue.frontier.offers(None);
            let mut told = 0;
            for (url, entry) in &source.urls {
                let is_here = match is_index {
                    true => self.reach.check_sitemap(url, of.seed).is_ok(),
                    false => {
                        self.reach.check(url, depth, of.seed).is_ok()
                            || self.examples.get(url.as_str()).is_some()
                    }
                };
                if !is_here || is_old(entry, oldest_ms) || is_index && !room.has_room(url) {
                    continue;
                }
                let date_ms = entry.lastmod.as_deref().and_then(again::told::date_ms);
                let date_ms = date_ms
                    .filter(|date| *date > since_ms && again::told::is_possible(*date, now_ms))
                    .filter(|_| told < TOLD_MAX);
                let fate = fate_of(match is_index {
                    true => offers.offer_sitemap(url)?,
                    false => offers.offer(url, depth, of.seed)?,
                });
                let is_new = fate == LinkFate::New;
                if is_new && is_index {
                    room.count(url);
                }
                if is_new || date_ms.is_some() && fate == LinkFate::Seen {
                    told += usize::from(!is_new);
                    links.push(LinkRecord {
                        url: url.as_str().into(),
                        rel: if is_index {
                            SOURCE_REL.into()
                        } else {
                            String::new()
                        },
                        fate,
                        told_ms: date_ms.unwrap_or(0),
                        ..LinkRecord::default()
                    });
                }
            }
        }
        for link in links.iter_mut().filter(|link| link.fate == LinkFate::New) {
            link.promise = promise.clamp(0.0, 1.0);
            let url = CanonicalUrl::parse(&link.url).ok().filter(|_| !is_index);
            if let (Some(focus), Some(url)) = (&mut self.focus, url) {
                let (features, promise) = focus.promise_of_url(&url);
                (link.context, link.promise) = (encode(&features), promise);
            }
        }
        Ok(links)
    }
}

/// Whether a file lists pages or sitemaps, and is no feed.
fn is_sitemap(source: &SitemapReading) -> bool {
    matches!(source.kind, SitemapKind::Urlset | SitemapKind::Index)
}

/// How far from the seed the pages are that a source names. A sitemap that another one named as a page is in the place of
/// that page.
fn depth_of_named(of: &FrontierUrl, source: &SitemapReading) -> u32 {
    let stays = source.kind == SitemapKind::Index || is_sitemap(source) && is_listed(of);
    of.depth + u32::from(!stays)
}

/// Whether a record without a page is of a feed: its links are followed as a page's are.
pub fn is_feed(page: &PageRecord) -> bool {
    page.page.is_none() && !page.links.is_empty() && page.outcome != Outcome::Redirected
}

#[cfg(test)]
mod tests {
    use archive::{AgainRecord, Event};
    use frontier::FrontierConfig;

    use super::*;
    use crate::testing::{NOW_MS, apply, found, lease, policy, state};

    const FEED: &str = "http://a.example/feed";
    const DAY_MS: u64 = 86_400_000;

    fn listed(entries: &[(&str, &str)]) -> Reading {
        let entry = |(url, date): &(&str, &str)| {
            let url = CanonicalUrl::parse(url).expect("a URL");
            let lastmod = (!date.is_empty()).then(|| (*date).to_owned());
            let entry = SitemapUrl {
                lastmod,
                ..SitemapUrl::default()
            };
            (url, entry)
        };
        Reading::Sitemap(SitemapReading {
            kind: SitemapKind::Atom,
            urls: entries.iter().map(entry).collect(),
            ..SitemapReading::default()
        })
    }

    /// A crawl whose seed is a feed, and what a visit to it says.
    fn visit(first: Reading, reading: Reading, status: u16) -> VisitRecord {
        let mut state = state(policy(), FrontierConfig::default(), FEED);
        let mut turn = 0;
        let mut fetch = |state: &mut State, reading: Reading, status| {
            let lease = lease(state, turn);
            turn += 1;
            let decided = state.decide(found(lease, reading, status), NOW_MS);
            let decided = decided.expect("in memory");
            apply(state, &decided.record);
            let settled = crate::Decided::settled(decided.lease.expect("a lease"), &decided.record);
            let mut queue = state.queue().lock();
            queue.frontier.settle(settled).expect("in memory");
            decided.record
        };
        fetch(&mut state, first, 200);
        let due = DueRecord {
            url: FEED.into(),
            source: true,
            seen_ms: NOW_MS - 9 * DAY_MS,
            priority: 2.0,
            ..DueRecord::default()
        };
        let event = Event::Again(AgainRecord {
            round: 1,
            urls: vec![due],
            ..AgainRecord::default()
        });
        let record = state.record(event, NOW_MS);
        apply(&mut state, &record);
        match fetch(&mut state, reading, status).event {
            Event::Visit(visit) => *visit,
            other => panic!("{other:?}"),
        }
    }

    fn links(visit: &VisitRecord) -> Vec<(&str, LinkFate, u64, f32)> {
        let links = visit.page.iter().flat_map(|page| &page.links);
        links
            .map(|link| {
                (
                    link.url.as_str(),
                    link.fate.clone(),
                    link.told_ms,
                    link.promise,
                )
            })
            .collect()
    }

    #[test]
    fn what_a_visited_source_names_waits_behind_visits_and_no_date_is_in_the_future() {
        let known = [("http://a.example/1", ""), ("http://a.example/2", "")];
        let now = [
            // 2023-11-14T22:13:20Z is now.
            ("http://a.example/1", "2023-11-10T00:00:00Z"),
            ("http://a.example/2", "2031-01-01T00:00:00Z"),
            ("http://a.example/3", ""),
        ];
        let visit = visit(listed(&known), listed(&now), 200);
        assert_eq!(visit.change, Change::Unchanged);
        let told = 1_699_574_400_000;
        assert_eq!(
            links(&visit),
            [
                ("http://a.example/1", LinkFate::Seen, told, 0.0),
                // It had the visit's own priority, and came before the visits to pages.
                ("http://a.example/3", LinkFate::New, 0, 1.0),
            ]
        );
    }

    #[test]
    fn a_source_that_redirects_names_its_target_as_a_source() {
        // It was told as a visit that says nothing, and the feed was lost.
        let target = || {
            Reading::Redirect(Ok(
                CanonicalUrl::parse("http://a.example/rss").expect("a URL")
            ))
        };
        let found = visit(listed(&[("http://a.example/1", "")]), target(), 301);
        assert_eq!(found.change, Change::Moved);
        assert_eq!(
            links(&found),
            [("http://a.example/rss", LinkFate::New, 0, 1.0)]
        );
        assert_eq!(found.page.expect("a link").links[0].rel, SOURCE_REL);
        let known = visit(listed(&[("http://a.example/rss", "")]), target(), 301);
        assert_eq!(
            links(&known),
            [("http://a.example/rss", LinkFate::Seen, 0, 0.0)]
        );
    }
}
