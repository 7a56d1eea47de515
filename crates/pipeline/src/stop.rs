//! How a running crawl is asked to stop or to pause.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    /// Told when a stop is asked for.
    asked: Condvar,
}

impl StopHandle {
    /// Asks the crawl to stop: no new fetch is begun, what is under way is finished and recorded.
    pub fn stop(&self) {
        self.inner.level.fetch_max(1, Ordering::SeqCst);
        // Who waits has either seen the stop, or is waiting by now.
        drop(self.inner.until.lock());
        self.inner.asked.notify_all();
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

    /// Waits until a stop is asked for, but no longer than until a time.
    pub fn wait(&self, until: Instant) {
        let mut held = self
            .inner
            .until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.is_stopping() || left.is_zero() {
                return;
            }
            let waited = self.inner.asked.wait_timeout(held, left);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_waits_goes_on_when_a_stop_is_asked_for_or_the_time_is_up() {
        let stop = StopHandle::default();
        stop.wait(Instant::now() + Duration::from_millis(5));
        assert!(!stop.is_stopping() && !stop.is_time_up());
        stop.set_until(Some(Instant::now()));
        assert!(stop.is_time_up());
        let other = stop.clone();
        let thread = std::thread::spawn(move || other.stop());
        stop.wait(Instant::now() + Duration::from_secs(600));
        assert!(stop.is_stopping());
        thread.join().expect("it ends");
    }
}
