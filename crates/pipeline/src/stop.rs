//! How a running crawl is asked to stop or to pause.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A handle to stop or pause a crawl from anywhere. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    level: AtomicU8,
    paused: AtomicBool,
    until: Mutex<Option<Instant>>,
}

impl StopHandle {
    /// Asks the crawl to stop: no new fetch is begun, what is under way is finished and recorded.
    pub fn stop(&self) {
        self.inner.level.fetch_max(1, Ordering::SeqCst);
    }

    /// Whether a stop was asked for.
    pub fn is_stopping(&self) -> bool {
        self.inner.level.load(Ordering::SeqCst) > 0
    }

    /// Lets the crawl run until a time, as if its time were up then; none for no such time.
    pub fn set_until(&self, until: Option<Instant>) {
        *self
            .inner
            .until
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = until;
    }

    /// Whether the time is up that the crawl was given.
    pub fn is_time_up(&self) -> bool {
        let until = self
            .inner
            .until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() >= until)
    }

    /// Pauses or resumes: while paused, no new fetch is begun.
    pub fn set_paused(&self, paused: bool) {
        self.inner.paused.store(paused, Ordering::SeqCst);
    }

    /// Whether the crawl is paused.
    pub fn is_paused(&self) -> bool {
        self.inner.paused.load(Ordering::SeqCst)
    }
}
