//! Time as the frontier knows it: the latest it was told, and what the wall clock makes of it.
//!
//! Delays are measured on the process's own clock, which the caller passes in and which never
//! goes back. Only times that outlive a process, those of retries, are wall-clock times; they are
//! turned into waits when they come in, each with a bound, so that a wall clock that jumps costs
//! that bound at most.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The latest known time.
#[derive(Debug)]
pub(crate) struct Clock {
    now: Instant,
    /// A wall clock that tests choose: what it showed, and when.
    #[cfg(test)]
    pub(crate) wall: Option<(Instant, u64)>,
}

impl Clock {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            now,
            #[cfg(test)]
            wall: None,
        }
    }

    pub(crate) fn now(&self) -> Instant {
        self.now
    }

    /// Time has come to `now`; an earlier one, told late, changes nothing.
    pub(crate) fn moved_to(&mut self, now: Instant) -> Instant {
        self.now = self.now.max(now);
        self.now
    }

    /// A wall-clock time as a time of this process, at most `longest` from now; `None` when it
    /// has passed.
    pub(crate) fn instant_of(&self, unix_ms: u64, longest: Duration) -> Option<Instant> {
        if unix_ms == 0 {
            return None;
        }
        let wait = Duration::from_millis(unix_ms.saturating_sub(self.unix_ms()));
        (!wait.is_zero()).then(|| self.now + wait.min(longest))
    }

    fn unix_ms(&self) -> u64 {
        #[cfg(test)]
        if let Some((at, unix_ms)) = self.wall {
            return unix_ms + (self.now - at).as_millis() as u64;
        }
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64)
    }
}
