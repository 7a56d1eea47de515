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

    /// A time of this process as a wall-clock time.
    pub(crate) fn unix_ms_of(&self, at: Instant) -> u64 {
        let wait = at.saturating_duration_since(self.now);
        self.unix_ms() + wait.as_millis() as u64
    }

    /// What the wall clock showed at the latest known time, which may be long ago: a start reads its journal
    /// before the frontier is told of the time again.
    #[expect(clippy::disallowed_methods, reason = "the one clock of this crate")]
    fn unix_ms(&self) -> u64 {
        #[cfg(test)]
        if let Some((at, unix_ms)) = self.wall {
            return unix_ms + (self.now - at).as_millis() as u64;
        }
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| {
                since.saturating_sub(self.now.elapsed()).as_millis() as u64
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3_600);
    const NOON_MS: u64 = 1_700_000_000_000;

    #[test]
    fn a_wait_is_no_shorter_for_the_time_since_the_clock_was_set() {
        let long_ago = Instant::now().checked_sub(HOUR / 60).unwrap();
        let clock = Clock::new(long_ago);
        let present = Clock::new(Instant::now());
        let in_a_minute = present.unix_ms() + 60_000;
        let waits = [&clock, &present].map(|clock| clock.instant_of(in_a_minute, HOUR).unwrap());
        let apart = waits[0].max(waits[1]) - waits[0].min(waits[1]);
        assert!(apart < Duration::from_secs(5), "{apart:?}");
    }

    #[test]
    fn a_wall_clock_that_jumps_costs_the_bound_and_no_more() {
        let now = Instant::now();
        let mut clock = Clock::new(now);
        clock.wall = Some((now, NOON_MS));
        let in_a_minute = NOON_MS + 60_000;
        let wait = Duration::from_secs(60);
        assert_eq!(clock.instant_of(in_a_minute, HOUR), Some(now + wait));
        // Ten years back: the minute seems ten years away.
        clock.wall = Some((now, NOON_MS - 315_360_000_000));
        assert_eq!(clock.instant_of(in_a_minute, HOUR), Some(now + HOUR));
        // Ten years ahead: it has passed.
        clock.wall = Some((now, NOON_MS + 315_360_000_000));
        assert_eq!(clock.instant_of(in_a_minute, HOUR), None);
        // Before 1970, and a time that no clock shows.
        clock.wall = Some((now, 0));
        assert_eq!(clock.instant_of(u64::MAX, HOUR), Some(now + HOUR));
    }

    #[test]
    fn time_that_is_told_late_does_not_go_back() {
        let now = Instant::now();
        let mut clock = Clock::new(now + HOUR);
        assert_eq!(clock.moved_to(now), now + HOUR);
        assert_eq!(clock.moved_to(now + 2 * HOUR), now + 2 * HOUR);
    }
}
