//! What the record of a visit, and of a round of visits, does.

use archive::{AgainRecord, VisitRecord};
use frontier::{CanonicalUrl, FrontierUrl};

use super::Stored;
use super::page::new_urls;
use crate::context;
use crate::context::{UrlContext, decode};
use crate::kept::KeptChange;
use crate::state::{State, StoreError};

impl State {
    /// URLs of a round wait again. They are fetched whatever the learnt rules say: they were read before.
    pub(super) fn apply_again(
        &mut self,
        again: &AgainRecord,
        stored: Stored,
    ) -> Result<(), StoreError> {
        let mut queue = self.queue.lock();
        for due in &again.urls {
            if !stored.views {
                queue.gate.on_again(&due.url);
            }
            let Ok(url) = CanonicalUrl::parse(&due.url) else {
                continue;
            };
            if !stored.views && !queue.walls.is_empty() {
                // A host that answered with walls is asked once more.
                queue.walls.reopen(url.host().as_str());
            }
            if !stored.frontier {
                queue.frontier.reopen(waiting_again(url, due))?;
            }
        }
        Ok(())
    }

    /// A URL was visited again: links that are new come in, and the page as it is now takes the place of
    /// the one before among the kept pages. What the crawl has learnt from the page stays as it is.
    pub(super) fn apply_visit(
        &mut self,
        seq: u64,
        visit: &VisitRecord,
        stored: Stored,
    ) -> Result<KeptChange, StoreError> {
        if !stored.views {
            self.reach.apply_visit(visit);
        }
        if let Ok(url) = CanonicalUrl::parse(&visit.url) {
            let mut queue = self.queue.lock();
            // What a kept page has moved to may be that page.
            let is_move = visit.is_moved_for_good() && visit.was.is_indexed();
            let succeeds = is_move.then_some(visit.of);
            for new in visit
                .page
                .iter()
                .flat_map(|page| new_urls(seq, page, succeeds, true))
            {
                if !stored.views {
                    self.reach.note_host(&new.url.host(), new.seed);
                    if visit.source && context::is_sitemap(&new.context) {
                        self.reach.count_sitemap(&new.url);
                    }
                }
                if !stored.frontier {
                    queue.frontier.replay_admitted(new)?;
                }
            }
            if !stored.frontier {
                queue.frontier.replay_finished(&url)?;
            }
            let rests = (!stored.views)
                .then(|| queue.walls.on_visit(visit))
                .flatten();
            if let Some((since_ms, rest)) = rests {
                queue.frontier.rest_host(&url.host(), since_ms, rest);
            }
        }
        Ok(self.kept.apply_visit(seq, visit, stored)?)
    }
}

/// A URL of a round, as the frontier takes it.
fn waiting_again(url: CanonicalUrl, due: &archive::DueRecord) -> FrontierUrl {
    let like = match due.source {
        true => UrlContext::sitemap(),
        false => UrlContext::page(),
    };
    let context = UrlContext {
        hops: due.hops,
        features: decode(due.context.as_deref().unwrap_or_default()),
        ..like
    };
    FrontierUrl {
        url,
        depth: due.depth,
        seed: due.seed,
        via: due.via,
        priority: due.priority,
        context: context.to_bytes_with(Some(due)),
    }
}
