//! What the dispatcher shares with the writer: whose turn is it, and is that URL worth a request?
//!
//! Frontier and fetch gate are asked together and change together, so they lie behind one lock. It
//! is held for a few lines at a time; nothing under it waits for a disk or computes for long, but
//! for the frontier's own rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use frontier::{
    CanonicalUrl, Frontier, FrontierError, Gate, HeldBack, HostKey, Next, Permission, Refused,
    UrlNormalizer,
};
use outcome::Refusal;

use crate::fetch_gate::{FetchGate, ForeseenBy};

/// What robots.txt says to URLs.
pub trait RobotsGate {
    /// May this URL be fetched?
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission;
}

/// Frontier and fetch gate.
#[derive(Debug)]
pub struct Queue {
    /// Which URL next, and when.
    pub frontier: Frontier,
    /// What is not worth a request.
    pub(crate) gate: FetchGate,
    /// Refusals of held back URLs that are not recorded yet, by rule: they count for its bound.
    refusing: HashMap<String, u64>,
}

impl Queue {
    /// Whose turn is it? robots.txt is asked before the fetch gate.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn next(
        &mut self,
        now: Instant,
        robots: &mut dyn RobotsGate,
    ) -> Result<Next, FrontierError> {
        let gate = &self.gate;
        let refusing = &mut self.refusing;
        let mut gates = BothGates {
            robots,
            gate,
            refusing,
        };
        self.frontier.next(now, &mut gates)
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

struct BothGates<'q> {
    robots: &'q mut dyn RobotsGate,
    gate: &'q FetchGate,
    refusing: &'q mut HashMap<String, u64>,
}

impl Gate for BothGates<'_> {
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        self.robots.check(host, url)
    }

    fn worth(
        &mut self,
        host: &HostKey,
        url: &CanonicalUrl,
        normalizer: &UrlNormalizer,
    ) -> Permission {
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
    pub(crate) fn new(frontier: Frontier, gate: FetchGate) -> Self {
        let refusing = HashMap::new();
        Self(Arc::new(Mutex::new(Queue {
            frontier,
            gate,
            refusing,
        })))
    }

    /// The queue, for a few lines. A thread that panicked while it held the lock ends the crawl;
    /// until then what the queue holds is of use.
    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
