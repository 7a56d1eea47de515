//! Links to the frontier: each link of a page gets its fate, while the page's record is made.

use std::sync::PoisonError;

use archive::LinkRecord;
use frontier::{Admission, CanonicalUrl, FrontierUrl, Lease};

use crate::config::DuplicateLinks;
use crate::context::UrlContext;
use crate::read::{FoundLink, PageReading};
use crate::write::Writer;

impl Writer {
    pub(crate) fn offer_links(
        &mut self,
        lease: &Lease,
        seq: u64,
        reading: &PageReading,
        is_duplicate: bool,
    ) -> Vec<LinkRecord> {
        let policy = self.config.dedup.links_of_duplicates;
        let follows_page = reading.page.directives.follow || self.config.scope.follow_nofollow;
        let mut records = Vec::with_capacity(reading.links.len());
        for link in &reading.links {
            let mut record = LinkRecord {
                anchor: link.anchor().to_string(),
                rel: link.rel.clone(),
                ..LinkRecord::default()
            };
            match &link.target {
                Err((target, why)) => {
                    record.url = target.clone();
                    record.fate = (*why).into();
                }
                Ok(target) => {
                    record.url = target.as_str().into();
                    let refused =
                        if !follows_page || (link.nofollow && !self.config.scope.follow_nofollow) {
                            Some("nofollow")
                        } else if is_duplicate && policy == DuplicateLinks::Ignore {
                            Some("duplicate")
                        } else {
                            None
                        };
                    match refused {
                        Some(why) => record.fate = why.into(),
                        None => {
                            self.offer_link(lease, seq, link, target, is_duplicate, &mut record)
                        }
                    }
                }
            }
            records.push(record);
        }
        records
    }

    fn offer_link(
        &mut self,
        lease: &Lease,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        is_duplicate: bool,
        record: &mut LinkRecord,
    ) {
        let depth = lease.url().depth + 1;
        if let Some(refusal) = self.refusal(target, depth, lease) {
            record.fate = refusal.into();
            return;
        }
        let mut context = UrlContext::page();
        let mut features = String::new();
        let mut promise = lease.url().priority;
        // A page's link to itself says nothing.
        if let Some(focus) = &mut self.focus
            && target != &lease.url().url
        {
            // A URL that was asked for is promised nothing any more: the link tells of the company
            // that its page keeps, and costs no more than that.
            focus.observe_link(seq, target);
            let mut frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
            if !frontier.takes_more(target) {
                record.fate = "seen".into();
                return;
            }
            let is_pending = frontier.merge(target, |pending| {
                focus.linked_again(seq, link, target, pending);
                record.promise = pending.priority;
            });
            if is_pending {
                record.fate = "seen".into();
                return;
            }
            drop(frontier);
            (context.features, promise) = focus.promise(seq, link, target);
            features = crate::focus_view::encode(&context.features);
        }
        if is_duplicate && self.config.dedup.links_of_duplicates == DuplicateLinks::FollowNew {
            promise *= 0.5;
        }
        record.promise = promise;
        record.fate = self.admit(target, depth, lease, context, Some(seq), promise);
        if record.fate == "new" {
            record.context = features;
        }
    }

    /// Scores the queue again when the focus model has changed enough, and asks whether to stop.
    pub(crate) fn refocus(&mut self) {
        let Some(focus) = &mut self.focus else { return };
        let mut frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
        focus.rescore_if_due(&mut frontier);
        if let Some(reason) = focus.stop() {
            *self
                .harvest_stop
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(reason);
        }
    }

    /// Why a URL is left out whatever else is known of it.
    fn refusal(&self, target: &CanonicalUrl, depth: u32, lease: &Lease) -> Option<&'static str> {
        // Like an example itself, the page that it leads to is asked for wherever it is.
        if self.examples.get(target.as_str()).is_some() {
            return None;
        }
        let refusal = self.scope.check(target, depth, lease.url().seed).err()?;
        Some(refusal.name())
    }

    /// Offers a URL to the frontier; gives its fate.
    pub(crate) fn offer(
        &mut self,
        target: &CanonicalUrl,
        depth: u32,
        lease: &Lease,
        context: UrlContext,
        via: Option<u64>,
        priority: f32,
    ) -> String {
        match self.refusal(target, depth, lease) {
            Some(refusal) => refusal.to_string(),
            None => self.admit(target, depth, lease, context, via, priority),
        }
    }

    fn admit(
        &mut self,
        target: &CanonicalUrl,
        depth: u32,
        lease: &Lease,
        context: UrlContext,
        via: Option<u64>,
        priority: f32,
    ) -> String {
        let seed = lease.url().seed;
        let url = FrontierUrl {
            url: target.clone(),
            depth,
            seed,
            via,
            priority,
            context: context.to_bytes(),
        };
        let host = target.host();
        let admission = self.lock_frontier().admit(url);
        match admission {
            Admission::New => {
                self.kept.note_host(&host, seed);
                "new".into()
            }
            Admission::Seen => "seen".into(),
            Admission::Refused(refusal) => refusal.name().to_string(),
        }
    }
}
