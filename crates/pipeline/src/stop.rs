//! How a running crawl is asked to stop, to pause, or to go on with other settings.

use std::fmt;

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A handle to steer a crawl from anywhere. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    inner: Arc<Inner>,
}

/// What came in over the runs of a start so far.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StartFigures {
    /// Finished URLs for which a fetch was made.
    pub(crate) pages: u64,
    /// Visits to URLs that were finished before.
    pub(crate) visits: u64,
    /// URLs refused for their address.
    pub(crate) guarded: u64,
    /// Bytes received.
    pub(crate) bytes: u64,
    /// Milliseconds that the runs took.
    pub(crate) ran_ms: u64,
}

#[derive(Debug)]
struct Inner {
    /// When the start began for which the handle was made; it may run the crawl several times.
    began: Instant,
    has_run: AtomicBool,
    earlier: Mutex<StartFigures>,
    level: AtomicU8,
    paused: AtomicBool,
    reload: AtomicBool,
    reread: OnceLock<Reread>,
    until: Mutex<Option<Instant>>,
    /// Told when a stop is asked for.
    asked: Condvar,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            has_run: AtomicBool::default(),
            earlier: Mutex::default(),
            level: AtomicU8::default(),
            paused: AtomicBool::default(),
            reload: AtomicBool::default(),
            reread: OnceLock::default(),
            until: Mutex::default(),
            asked: Condvar::default(),
        }
    }
}

/// Reads the settings anew.
struct Reread(Box<dyn Fn() -> Result<Vec<String>, String> + Send + Sync>);

impl fmt::Debug for Reread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reread")
    }
}

impl StopHandle {
    /// Asks the crawl to stop: no new fetch is begun, what is under way is finished and recorded.
    pub fn stop(&self) {
        self.inner.level.fetch_max(1, Ordering::SeqCst);
        self.wake();
    }

    /// The same at once: what is under way is left for the next start, and what came back is recorded.
    pub fn stop_at_once(&self) {
        self.inner.level.fetch_max(2, Ordering::SeqCst);
        self.wake();
    }

    /// How long the start runs for which the handle was made.
    pub fn running(&self) -> Duration {
        self.inner.began.elapsed()
    }

    /// A run begins; whether the same start has run the crawl before.
    pub(crate) fn goes_on(&self) -> bool {
        self.inner.has_run.swap(true, Ordering::SeqCst)
    }

    /// What came in over the runs of this start that have ended.
    pub(crate) fn earlier(&self) -> StartFigures {
        let earlier = self.inner.earlier.lock();
        *earlier.unwrap_or_else(PoisonError::into_inner)
    }

    /// A run has ended: what has come in by now.
    pub(crate) fn note_run(&self, so_far: StartFigures) {
        let earlier = self.inner.earlier.lock();
        *earlier.unwrap_or_else(PoisonError::into_inner) = so_far;
    }

    /// Who waits has either seen what is asked for, or is waiting by now.
    fn wake(&self) {
        drop(self.inner.until.lock());
        self.inner.asked.notify_all();
    }

    /// Says how the settings are read anew: the function gives in words how they differ from those in
    /// force, or what is wrong with them. It is for whoever starts the crawl again with them, when that
    /// has ended with the reason [`StopReason::Reloaded`]. It counts once for a handle.
    ///
    /// [`StopReason::Reloaded`]: outcome::StopReason::Reloaded
    pub fn on_reload(
        &self,
        reread: impl Fn() -> Result<Vec<String>, String> + Send + Sync + 'static,
    ) {
        // A second one is not heard of.
        let _ = self.inner.reread.set(Reread(Box::new(reread)));
    }

    /// Has the settings read anew. Where they differ, the crawl ends as for a stop, to go on with them.
    /// Gives how they differ; `None` where nobody would start it again.
    ///
    /// # Errors
    /// With what is wrong with them, in words. The crawl goes on as it is.
    pub fn reload(&self) -> Option<Result<Vec<String>, String>> {
        let Reread(reread) = self.inner.reread.get()?;
        let changes = reread();
        if changes.as_ref().is_ok_and(|changes| !changes.is_empty()) {
            self.inner.reload.store(true, Ordering::SeqCst);
            self.wake();
        }
        Some(changes)
    }

    /// Whether a start with other settings was asked for.
    pub fn is_reloading(&self) -> bool {
        self.inner.reload.load(Ordering::SeqCst)
    }

    /// The same, and from now on it is not asked for any more.
    pub fn take_reload(&self) -> bool {
        self.inner.reload.swap(false, Ordering::SeqCst)
    }

    /// Whether a stop was asked for.
    pub fn is_stopping(&self) -> bool {
        self.inner.level.load(Ordering::SeqCst) > 0
    }

    /// Whether it was to be at once.
    pub fn is_at_once(&self) -> bool {
        self.inner.level.load(Ordering::SeqCst) > 1
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

    /// Waits until a stop or a start with other settings is asked for, but no longer than until a time.
    pub fn wait(&self, until: Instant) {
        let mut held = self
            .inner
            .until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if self.is_stopping() || self.is_reloading() || left.is_zero() {
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

    #[test]
    fn who_waits_goes_on_when_other_settings_are_to_count_and_they_are_asked_for_once() {
        let stop = StopHandle::default();
        assert_eq!(stop.reload(), None);
        let told = Mutex::new(vec![
            Ok(vec!["delay".to_owned()]),
            Err("wrong".to_owned()),
            Ok(vec![]),
        ]);
        stop.on_reload(move || told.lock().expect("held").pop().expect("asked thrice"));
        assert_eq!(stop.reload(), Some(Ok(vec![])));
        assert_eq!(stop.reload(), Some(Err("wrong".to_owned())));
        assert!(!stop.is_reloading());
        assert_eq!(stop.reload(), Some(Ok(vec!["delay".to_owned()])));
        stop.wait(Instant::now() + Duration::from_secs(600));
        assert!(stop.is_reloading() && !stop.is_stopping());
        assert!(stop.take_reload());
        assert!(!stop.take_reload() && !stop.is_reloading());
    }
}
