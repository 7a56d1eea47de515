//! What the dispatcher shares with the writer: whose turn is it, and is that URL worth a request?
//!
//! Frontier and fetch gate are asked together and change together, so they lie behind one lock. It
//! is held for a few lines at a time; nothing under it waits for a disk or computes for long, but
//! for the frontier's own rows.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use frontier::{
    CanonicalUrl, Frontier, FrontierError, Gate, HeldBack, HostKey, Next, Permission, UrlNormalizer,
};

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
        self.frontier.next(now, &mut BothGates { robots, gate })
    }

    /// By which rules a URL that was fetched would have been refused.
    pub(crate) fn foreseen_by(&self, url: &CanonicalUrl) -> ForeseenBy {
        self.gate.foreseen_by(url, &self.frontier.url_normalizer())
    }
}

struct BothGates<'q> {
    robots: &'q mut dyn RobotsGate,
    gate: &'q FetchGate,
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
        self.gate.check_at_last(host, url, normalizer, reached)
    }
}

/// The queue, for all who ask it.
#[derive(Debug, Clone)]
pub struct SharedQueue(Arc<Mutex<Queue>>);

impl SharedQueue {
    pub(crate) fn new(frontier: Frontier, gate: FetchGate) -> Self {
        Self(Arc::new(Mutex::new(Queue { frontier, gate })))
    }

    /// The queue, for a few lines. A thread that panicked while it held the lock ends the crawl;
    /// until then what the queue holds is of use.
    pub fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
