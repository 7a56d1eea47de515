//! What links promise: the score of a link that is found, found again, or waits.

use archive::PageRecord;
use focus::{LinkContext, LinkFeatures, PageAhead, Promise};
use frontier::{CanonicalUrl, FrontierError};
use outcome::LinkFate;

use super::learning::links_of;
use super::{FocusView, Waiting, places};
use crate::context::{UrlContext, encode, features_in, is_visit};
use crate::finding::FoundLink;
use crate::queue::SharedQueue;

/// URLs scored again between two looks at the queue.
const RESCORED_AT_ONCE: usize = 1_000;

impl FocusView {
    /// Adds what the links of a recorded page say of URLs that wait.
    ///
    /// # Errors
    /// When the store of those URLs cannot be read or written.
    pub fn amend_waiting(
        &mut self,
        seq: u64,
        page: &PageRecord,
        queue: &mut impl Waiting,
    ) -> Result<(), FrontierError> {
        for link in links_of(page) {
            if link.fate == LinkFate::Seen && link.url != page.url {
                self.apply_again(seq, link, queue)?;
            }
        }
        Ok(())
    }

    /// A new link's features and promise; all its places on the page speak for it.
    pub fn promise(
        &mut self,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        page: &PageAhead,
    ) -> (Vec<u8>, f32) {
        let features = places(seq, link, target, |place| self.focus.features(place));
        let score = self.focus.score_on(&features, page);
        (features.to_bytes(), score)
    }

    /// What a page's link adds to a URL that waits, as the record is to have it, and what the URL
    /// promises then; `None` when the bytes that it carries have no features. The record need not
    /// have what follows from its anchor.
    pub fn promise_again(
        &mut self,
        seq: u64,
        link: &FoundLink,
        target: &CanonicalUrl,
        pending: &[u8],
        page: &PageAhead,
    ) -> Option<(String, f32)> {
        let known = LinkFeatures::from_bytes(features_in(pending))?;
        let read = |place: &LinkContext<'_>| self.focus.features_for_merge(place, &known);
        let again = places(seq, link, target, read);
        let of_anchor = self.features_of_anchor(seq, link.anchor(), target, &known);
        let (mut whole, mut by_anchor) = (known.clone(), known.clone());
        whole.merge(&again);
        by_anchor.merge(&of_anchor);
        let recorded = match whole == by_anchor {
            true => String::new(),
            false => encode(&known.additions(&again).to_bytes()),
        };
        Some((recorded, self.focus.score_on(&whole, page)))
    }

    /// Features and promise of a URL that no page links to: of a sitemap's entry.
    pub fn promise_of_url(&mut self, target: &CanonicalUrl) -> (Vec<u8>, f32) {
        let features = self.focus.features(&LinkContext {
            parent: None,
            url: target.as_str(),
            anchor: "",
            context: "",
            tag_path: "",
            in_main: false,
        });
        let score = self.focus.score(&features);
        (features.to_bytes(), score)
    }

    /// What a URL that carries these bytes promises now; its priority, if they say nothing.
    fn promise_of_waiting(&self, context: &[u8], priority: f32) -> Promise {
        match LinkFeatures::from_bytes(features_in(context)) {
            Some(features) => self.focus.promise(&features),
            None => Promise {
                score: priority,
                plain: 0.0,
            },
        }
    }

    /// Scores pending URLs again if the model has changed enough.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn rescore_if_due(&mut self, queue: &SharedQueue) -> Result<(), FrontierError> {
        let pending = queue.lock().frontier.counts().pending;
        if self.focus.rescore_due(pending) {
            self.rescore(queue)?;
        }
        Ok(())
    }

    /// Scores all pending URLs again, some at a time, while the queue goes on.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn rescore(&mut self, queue: &SharedQueue) -> Result<(), FrontierError> {
        let keys = queue.lock().frontier.pending_keys();
        let mut promises: Vec<Promise> = Vec::with_capacity(keys.len());
        for keys in keys.chunks(RESCORED_AT_ONCE) {
            let pending = queue.lock().frontier.pending(keys).into_iter();
            // A visit to a page that was read before has its worth from what was learnt of that page.
            let promised: Vec<(u128, Promise)> = pending
                .filter(|url| !is_visit(&url.context))
                .map(|url| (url.key, self.promise_of_waiting(&url.context, url.priority)))
                .collect();
            let scored: Vec<(u128, f32)> = promised
                .iter()
                .map(|(key, promise)| (*key, promise.score))
                .collect();
            promises.extend(promised.iter().map(|(_, promise)| *promise));
            queue.lock().frontier.set_priorities(&scored)?;
        }
        self.focus.on_rescored(&promises);
        Ok(())
    }
}

/// The bytes that a waiting URL carries once another link to it is taken in.
pub(super) fn merged(pending: &[u8], mut known: LinkFeatures, again: &LinkFeatures) -> Vec<u8> {
    known.merge(again);
    let context = UrlContext {
        features: known.to_bytes(),
        ..UrlContext::from_bytes(pending)
    };
    context.to_bytes()
}
