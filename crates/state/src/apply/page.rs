//! What the record of a page does to the stores and to the queue.

use archive::PageRecord;
use frontier::{CanonicalUrl, Frontier, FrontierError, FrontierUrl, LinkTarget};
use outcome::{LinkFate, Outcome};

use super::{Applied, Stored};
use crate::context::{UrlContext, decode};
use crate::focus_view::Lent;
use crate::promised;
use crate::state::{State, StoreError};
use crate::{recorded, retry};

impl State {
    pub(super) fn apply_page(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
        lent: Lent<'_>,
        text: impl FnOnce() -> Option<String>,
        applied: &mut Applied,
    ) -> Result<(), StoreError> {
        if stored.views {
            self.apply_to_stores(seq, page, stored)?;
            applied.kept = self.kept.apply(seq, page, stored)?;
            return Ok(());
        }
        applied.example_lost = self.examples.loss(page);
        if self.policy.host_templates {
            self.templates.apply(page);
        }
        self.reach.apply_page(page);
        if let Some(back) = &page.returns {
            let origin = retry::return_origin(page, back);
            self.returns.insert(back.url.clone(), origin);
        }
        self.examples.follow(page);
        if let Some(focus) = &mut self.focus {
            focus.apply(seq, page, &self.examples, lent, text);
            self.examples.note_read(page);
        }
        self.apply_to_queue(seq, page, stored)?;
        applied.kept = self.kept.apply(seq, page, stored)?;
        Ok(())
    }

    /// What a finished URL does to the frontier's store, where all else was saved with it taken in.
    fn apply_to_stores(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let Ok(url) = CanonicalUrl::parse(&page.url) else {
            return Ok(());
        };
        let mut queue = self.queue.lock();
        if !stored.frontier {
            for new in new_urls(seq, page, None, page.after_visit) {
                queue.frontier.replay_admitted(new)?;
            }
            finish(&mut queue.frontier, page, url, !self.is_live)?;
        }
        if let Some(focus) = self.focus.as_mut().filter(|_| !stored.links) {
            focus.amend_waiting(seq, page, &mut queue.frontier)?;
        }
        Ok(())
    }

    /// What a finished URL does to the queue: the trap rules and the fetch gate learn from it, its
    /// links come in, and it is finished.
    fn apply_to_queue(
        &mut self,
        seq: u64,
        page: &PageRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let Ok(url) = CanonicalUrl::parse(&page.url) else {
            return Ok(());
        };
        let mut queue = self.queue.lock();
        let queue = &mut *queue;
        // The frontier's store does not have what the trap rules have learnt: they see each record that
        // the saved memory does not hold.
        if page.page.is_some()
            && let Some(worth) = recorded::page_worth(page)
        {
            let original = recorded::original_of(page);
            queue.frontier.observe(&url, seq, worth, original.as_ref());
        }
        let linked = page
            .links
            .iter()
            .filter(|link| link.url.contains(['?', ';']));
        let linked: Vec<_> = linked
            .filter_map(|link| CanonicalUrl::parse(&link.url).ok())
            .collect();
        queue.frontier.observe_links(&url, linked.iter());
        let asks_for_seen = queue.frontier.asks_for_seen_links(seq);
        let mut new_urls = new_urls(seq, page, None, page.after_visit);
        for link in &page.links {
            if link.fate == LinkFate::Seen && asks_for_seen {
                if let Ok(url) = CanonicalUrl::parse(&link.url) {
                    queue.frontier.observe_seen_link(&url, Some(seq));
                }
            } else if link.fate == LinkFate::New
                && let Some(new) = new_urls.next()
            {
                self.reach.note_host(&new.url.host(), page.seed);
                queue.frontier.observe_link(&new.url, new.via);
                if !stored.frontier {
                    queue.frontier.replay_admitted(new)?;
                }
            }
        }
        // Where its lease is out, in a running crawl, it is finished when that is settled.
        if !stored.frontier {
            finish(&mut queue.frontier, page, url.clone(), !self.is_live)?;
        }
        if let Some(focus) = &mut self.focus {
            focus.learn_links(seq, page);
            if !stored.links {
                focus.amend_waiting(seq, page, &mut queue.frontier)?;
            }
        }
        // What a sitemap's URL looks like says nothing of pages.
        if !page.sitemap {
            let normalizer = queue.frontier.url_normalizer();
            queue.gate.on_page(seq, page, &normalizer);
        }
        if let Some((since_ms, rest)) = queue.walls.on_page(page) {
            queue.frontier.rest_host(&url.host(), since_ms, rest);
        }
        if let Some(refusal) = page.outcome.refusal() {
            queue.note_refused(refusal);
        }
        if let Some(focus) = &self.focus {
            let why = focus.stop_host(&page.host);
            queue.gate.set_stopped(&page.host, why);
        }
        Ok(())
    }
}

/// Finishes a URL. Where a journal is read, the record that admitted it may be lost: it would come in a second
/// time, and be a duplicate of itself. Of many machines another one may have admitted it.
fn finish(
    frontier: &mut Frontier,
    page: &PageRecord,
    url: CanonicalUrl,
    may_be_unknown: bool,
) -> Result<(), FrontierError> {
    let may_be_lost = may_be_unknown && !frontier.has_share();
    if may_be_lost && frontier.link_target(&url) == LinkTarget::New {
        frontier.replay_admitted(FrontierUrl {
            url: url.clone(),
            depth: page.depth,
            seed: page.seed,
            via: page.via,
            priority: page.priority,
            context: UrlContext::page().to_bytes(),
        })?;
    }
    frontier.replay_finished(&url)
}

/// The URLs that a page brought in, as the frontier takes them, and of which kept page they take the place
/// if they are copies of it; whether redirects led to them `after_visit`.
pub(super) fn new_urls(
    seq: u64,
    page: &PageRecord,
    succeeds: Option<u64>,
    after_visit: bool,
) -> impl Iterator<Item = FrontierUrl> + '_ {
    let is_redirect = page.outcome == Outcome::Redirected;
    let links = page.links.iter();
    let new = links.filter(|link| link.fate == LinkFate::New);
    new.filter_map(move |link| {
        // Where a URL redirects is what its own links led to.
        let (features, hops) = match is_redirect {
            true => (page.context.as_deref().unwrap_or_default(), page.hops + 1),
            false => (link.context.as_str(), 0),
        };
        let began = page.began.as_ref().unwrap_or(&page.url);
        // A sitemap of sitemaps names them.
        let is_source = page.names_source(link);
        let like = match (is_source, page.sitemap) {
            (true, true) => UrlContext::of_index(),
            (true, false) => UrlContext::sitemap(),
            (false, _) => UrlContext::page(),
        };
        let context = UrlContext {
            hops: hops.max(like.hops),
            began: is_redirect.then(|| began.clone()),
            succeeds,
            after_visit: is_redirect && after_visit,
            promised: (!is_redirect)
                .then(|| promised::digest(&link.anchor))
                .flatten(),
            features: decode(features),
            ..like
        };
        Some(FrontierUrl {
            url: CanonicalUrl::parse(&link.url).ok()?,
            depth: match is_source {
                true => page.depth.saturating_sub(u32::from(page.sitemap)),
                false => page.depth_of_links(),
            },
            seed: page.seed,
            via: match is_redirect || page.sitemap {
                true => page.via,
                false => Some(seq),
            },
            priority: link.promise,
            context: context.to_bytes(),
        })
    })
}
