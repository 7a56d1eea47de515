//! Sources: feeds and sitemaps, which are read for the URLs that they name, and for when those changed.
//!
//! A feed is a URL like any other when it is read first: its record says that it is no page, and has its
//! links. A sitemap has a record of its own then (see `sitemaps`). When either is visited again, the
//! record of the visit has the links that are new, and those that are dated after the visit before.

use archive::{DueRecord, LinkRecord, PageRecord, VisitRecord};
use frontier::{FrontierError, Lease};
use outcome::{Change, LinkFate, Outcome, SitemapKind};

use super::sitemaps::{Room, is_old};
use super::visit;
use crate::context::encode;
use crate::decided::fate_of;
use crate::finding::{Answer, Reading, SitemapReading};
use crate::state::State;

/// Dated links to known URLs in one record: a site that dates everything today tells nothing.
const TOLD_MAX: usize = 10_000;

/// The relation of a link to another source.
pub(crate) const SITEMAP: &str = "sitemap";

impl State {
    /// The record of a feed that is read for the first time.
    pub(super) fn decide_feed(
        &mut self,
        lease: &Lease,
        head: PageRecord,
        feed: &SitemapReading,
        content_type: &str,
    ) -> Result<PageRecord, FrontierError> {
        let mut record = self.decide_other(head, Reading::NoPage { payload: 0 }, content_type);
        record.links = self.links_of_source(lease, feed, u64::MAX)?;
        record.detail = Some(format!("a feed ({}): its links are followed", feed.kind));
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
    ) -> Result<VisitRecord, FrontierError> {
        let mut visit = visit::head_of(due, &head, answer);
        visit.source = true;
        match reading {
            Reading::NotModified => visit.change = Change::Unchanged,
            Reading::Sitemap(source) if !source.urls.is_empty() || source.problem.is_none() => {
                visit.change = Change::Unchanged;
                let links = self.links_of_source(lease, &source, due.seen_ms)?;
                visit.page = (!links.is_empty()).then(|| {
                    Box::new(PageRecord {
                        outcome: due.was.clone(),
                        links,
                        ..head
                    })
                });
            }
            Reading::Sitemap(source) => visit.detail = source.problem,
            other => {
                let page = self.decide_other(head, other, "");
                visit.reason = page.outcome.reason().map(|reason| reason.into_owned());
                visit.detail = page.detail.or_else(|| visit.reason.clone());
            }
        }
        Ok(visit)
    }

    /// Links to the URLs of a source that are new, and to those that it dates after `since_ms`.
    fn links_of_source(
        &mut self,
        lease: &Lease,
        source: &SitemapReading,
        since_ms: u64,
    ) -> Result<Vec<LinkRecord>, FrontierError> {
        let of = lease.url();
        let is_index = source.kind == SitemapKind::Index;
        let depth = of.depth + u32::from(!is_index);
        let oldest = self.reach.seeds().get(of.seed as usize);
        let oldest = oldest.and_then(|seed| seed.since.clone());
        let mut links = Vec::new();
        {
            let mut room = Room::new(self);
            let queue = self.queue.lock();
            let mut offers = queue.frontier.offers(None);
            let mut told = 0;
            for (url, entry) in &source.urls {
                let is_here = self.reach.check(url, depth, of.seed).is_ok()
                    || self.examples.get(url.as_str()).is_some();
                if !is_here || is_old(entry, oldest.as_deref()) || is_index && !room.has_room(url) {
                    continue;
                }
                let date_ms = entry.lastmod.as_deref().and_then(again::told::date_ms);
                let date_ms = date_ms.filter(|date| *date > since_ms && told < TOLD_MAX);
                let fate = fate_of(offers.offer(url, depth, of.seed)?);
                let is_new = fate == LinkFate::New;
                if is_new && is_index {
                    room.count(url);
                }
                if is_new || date_ms.is_some() && fate == LinkFate::Seen {
                    told += usize::from(!is_new);
                    links.push(LinkRecord {
                        url: url.as_str().into(),
                        rel: if is_index {
                            SITEMAP.into()
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
            link.promise = of.priority.clamp(0.0, 1.0);
            let url = frontier::CanonicalUrl::parse(&link.url)
                .ok()
                .filter(|_| !is_index);
            if let (Some(focus), Some(url)) = (&mut self.focus, url) {
                let (features, promise) = focus.promise_of_url(&url);
                (link.context, link.promise) = (encode(&features), promise);
            }
        }
        Ok(links)
    }
}

/// Whether a record without a page is of a feed: its links are followed as a page's are.
pub fn is_feed(page: &PageRecord) -> bool {
    page.page.is_none() && !page.links.is_empty() && page.outcome != Outcome::Redirected
}
