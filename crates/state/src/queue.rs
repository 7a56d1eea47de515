//! What the dispatcher shares with the writer: whose turn is it, and is that URL worth a request?
//!
//! Frontier, robots.txt and fetch gate are asked together and change together, so they lie behind one
//! lock. It is held for a few lines at a time; nothing under it waits for a disk or computes for long,
//! but for the frontier's own rows, which the operating system takes, and the bytes of a checkpoint of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use frontier::{
    CanonicalUrl, Frontier, FrontierError, FrontierUrl, Gate, HeldBack, HostKey, Next, Permission,
    Refused, Scope, Sign, UrlNormalizer,
};
use outcome::{LinkFate, Refusal};

use crate::context;
use crate::fetch_gate::{FetchGate, ForeseenBy};
use crate::host_walls::HostWalls;
use crate::reach::SharedScope;
use crate::robots_book::RobotsBook;

/// The number of the errand that asks for a page that was good before; those of robots.txt count from 0.
pub const DOUBT: u64 = u64::MAX;

/// Frontier, robots.txt and fetch gate.
#[derive(Debug)]
pub struct Queue {
    /// Which URL next, and when.
    pub frontier: Frontier,
    /// What is not worth a request.
    pub(crate) gate: FetchGate,
    /// What belongs to the crawl.
    scope: SharedScope,
    /// What may be asked for.
    pub(crate) robots: RobotsBook,
    /// Hosts that answer with walls.
    pub(crate) walls: HostWalls,
    /// Refusals of held back URLs that are not recorded yet, by rule: they count for its bound.
    refusing: HashMap<String, u64>,
    /// URLs that are new wait behind visits.
    for_visits_alone: bool,
}

impl Queue {
    /// Lets URLs that are new wait behind the visits to known ones, or no longer.
    pub fn set_for_visits_alone(&mut self, for_visits_alone: bool) {
        self.for_visits_alone = for_visits_alone;
    }

    /// Whose turn is it? robots.txt is asked before the fetch gate; `now_ms` is the time since the
    /// Unix epoch.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn next(&mut self, now: Instant, now_ms: u64) -> Result<Next, FrontierError> {
        let scope = &*self.scope.read().unwrap_or_else(PoisonError::into_inner);
        let mut gates = Gates {
            robots: &self.robots,
            gate: &self.gate,
            walls: &self.walls,
            scope,
            refusing: &mut self.refusing,
            for_visits_alone: self.for_visits_alone,
            now_ms,
        };
        self.frontier.next(now, &mut gates)
    }

    /// [`Frontier::doubt_outages`], with pages that robots.txt lets us ask for.
    pub fn doubt_outages(&mut self, would_end: bool, now_ms: u64) -> bool {
        let robots = &self.robots;
        let may_be_asked = |url: &CanonicalUrl| robots.check(url, now_ms) == Permission::Allowed;
        let frontier = &mut self.frontier;
        frontier.doubt_outages(would_end, DOUBT, may_be_asked)
    }

    /// [`Frontier::look_into`], with pages that robots.txt lets us ask for.
    pub(crate) fn look_into(&mut self, url: &CanonicalUrl, what: (&Sign, bool), now_ms: u64) {
        let robots = &self.robots;
        let may_be_asked = |url: &CanonicalUrl| robots.check(url, now_ms) == Permission::Allowed;
        let frontier = &mut self.frontier;
        frontier.look_into(url, what, DOUBT, may_be_asked);
    }

    /// Asks another scope.
    pub(crate) fn set_scope(&mut self, scope: SharedScope) {
        self.scope = scope;
    }

    /// A refusal is recorded.
    pub(crate) fn note_refused(&mut self, refusal: &Refusal) {
        for rule in refusal.rules() {
            if let Some(count) = self.refusing.get_mut(&rule) {
                *count -= 1;
                if *count == 0 {
                    self.refusing.remove(&rule);
                }
            }
        }
    }

    /// By which rules a URL that was fetched would have been refused.
    pub(crate) fn foreseen_by(&self, url: &CanonicalUrl) -> ForeseenBy {
        self.gate.foreseen_by(url, &self.frontier.url_normalizer())
    }
}

struct Gates<'q> {
    robots: &'q RobotsBook,
    gate: &'q FetchGate,
    walls: &'q HostWalls,
    scope: &'q Scope,
    now_ms: u64,
    refusing: &'q mut HashMap<String, u64>,
    for_visits_alone: bool,
}

impl Gate for Gates<'_> {
    fn belongs(&mut self, url: &FrontierUrl) -> Result<(), LinkFate> {
        // Seeds and examples are the user's, sitemaps the site's.
        if url.depth == 0 {
            return Ok(());
        }
        let in_scope = self.scope.check(&url.url, url.depth, url.seed);
        in_scope.map_err(|refusal| refusal.fate())
    }

    fn is_known(&self, url: &FrontierUrl) -> bool {
        // A sitemap may be packed, and is read for the URLs of pages.
        context::is_visit(&url.context) || context::is_sitemap(&url.context)
    }

    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        if let Some(refusal) = self.walls.refusal(host.as_str()) {
            return Permission::Refused(Refused::Refusal(refusal));
        }
        self.robots.check(url, self.now_ms)
    }

    fn worth(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Permission {
        if self.for_visits_alone {
            return Permission::HoldBack(HeldBack::ToTheLast);
        }
        self.gate.check(host, url, normalizer)
    }

    fn worth_at_last(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
        reached: HeldBack,
    ) -> Permission {
        let refusing = &mut *self.refusing;
        let under_way = |rule: &str| refusing.get(rule).copied().unwrap_or(0);
        let gate = self.gate;
        let permission = gate.check_at_last(host, url, normalizer, reached, under_way);
        if let Permission::Refused(Refused::Refusal(refusal)) = &permission {
            for rule in refusal.rules() {
                *refusing.entry(rule).or_default() += 1;
            }
        }
        permission
    }
}

/// The queue, for all who ask it.
#[derive(Debug, Clone)]
pub struct SharedQueue(Arc<Mutex<Queue>>);

impl SharedQueue {
    pub(crate) fn new(
        frontier: Frontier,
        gate: FetchGate,
        robots: RobotsBook,
        walls: HostWalls,
        scope: SharedScope,
    ) -> Self {
        Self(Arc::new(Mutex::new(Queue {
            frontier,
            gate,
            robots,
            walls,
            scope,
            refusing: HashMap::new(),
            for_visits_alone: false,
        })))
    }

    /// The queue, for a few lines. A thread that panicked while it held the lock ends the crawl;
    /// until then what the queue holds is of use.
    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use archive::PageRecord;
    use frontier::FrontierConfig;
    use outcome::{JunkReason, Outcome, Verdict};

    use super::*;
    use crate::context::UrlContext;
    use crate::testing::{NOW_MS, policy, state};

    #[test]
    fn a_packed_sitemap_is_no_link_to_a_file() {
        let state = state(policy(), FrontierConfig::default(), "http://a.example/");
        let mut queue = state.queue().lock();
        let normalizer = UrlNormalizer::default();
        for number in 0..3 {
            let image = PageRecord {
                url: format!("http://a.example/{number}.jpg"),
                outcome: Outcome::Judged(Verdict::Junk(JunkReason::UnsupportedType)),
                ..PageRecord::default()
            };
            queue.gate.on_page(number, &image, &normalizer);
        }
        let url = CanonicalUrl::parse("http://a.example/map.xml.gz").unwrap();
        let waits = Permission::HoldBack(HeldBack::UntilOthersAreDone);
        assert_eq!(queue.gate.check(&url.host(), &url, &normalizer), waits);
        let scope = queue.scope.clone();
        let scope = scope.read().unwrap();
        let Queue {
            gate,
            robots,
            walls,
            refusing,
            ..
        } = &mut *queue;
        let gates = Gates {
            robots,
            gate,
            walls,
            scope: &scope,
            refusing,
            for_visits_alone: false,
            now_ms: NOW_MS,
        };
        let mut sitemap = FrontierUrl::seed(url, 0);
        assert!(!gates.is_known(&sitemap));
        sitemap.context = UrlContext::sitemap().to_bytes();
        assert!(gates.is_known(&sitemap));
    }
}
