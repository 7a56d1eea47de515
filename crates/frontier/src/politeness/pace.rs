//! How much slower than its delay a host is asked that says it is asked too often.
//!
//! A 429 doubles the delay, a 503 that does not say when to come back makes it a fifth longer, and each
//! good answer takes a little off again: half after sixteen. So a host with a limit sees one request
//! in some seventeen too many, whatever its limit is, and one whose limit is lifted is soon asked as
//! before. A 503 may be one page's own fault: it counts less, and hosts of which every fifth answer
//! is one keep their pace.
//!
//! Requests that were under way when the host was slowed down tell nothing new. All of it follows from
//! the answers, so that a process that goes on with a crawl has it from the journal.
//!
//! Source of the idea: additive increase and multiplicative decrease, Chiu and Jain 1989; here both
//! are multiplicative, since nobody knows the size of a host's limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ClockMove;

/// Good answers that halve what was doubled.
const STEPS_TO_DOUBLE: u16 = 16;
/// What a 503 adds: two are made good by eight good answers.
const STEPS_OF_UNAVAILABLE: u16 = 4;
/// The delay is at most 32 times as long: a host that answers so whatever its pace is read all the same.
const STEPS_MAX: u16 = 5 * STEPS_TO_DOUBLE;
/// The delay at most, unless it was longer by itself.
const DELAY_MAX: Duration = Duration::from_secs(60);
/// A host without a delay is slowed down as one with this delay.
const DELAY_MIN: Duration = Duration::from_millis(10);
/// No request takes longer: where clocks say so, they were set.
const REQUEST_MAX_MS: u64 = 600_000;

/// How much slower than its delay a host is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    steps: u16,
    /// When it was last slowed down, milliseconds since the Unix epoch.
    slowed_ms: u64,
}

impl Pace {
    /// Takes an answer in: its status, whether it said when to come back, and when its request began
    /// and ended, in milliseconds since the Unix epoch.
    pub fn note(&mut self, status: u16, says_when: bool, began_ms: u64, ended_ms: u64) {
        let steps = match status {
            429 => STEPS_TO_DOUBLE,
            503 if !says_when => STEPS_OF_UNAVAILABLE,
            0 | 500.. => return,
            _ => {
                self.steps = self.steps.saturating_sub(1);
                return;
            }
        };
        let was_under_way = self.slowed_ms.checked_sub(began_ms);
        if was_under_way.is_none_or(|ms| ms == 0 || ms > REQUEST_MAX_MS) {
            self.steps = (self.steps + steps).min(STEPS_MAX);
            self.slowed_ms = ended_ms;
        }
    }

    /// Whether the host is asked as its delay has it.
    pub fn is_full(self) -> bool {
        self.steps == 0
    }

    /// The same by another clock.
    pub(crate) fn by_clock(mut self, clocks: ClockMove) -> Self {
        self.slowed_ms = clocks.moved(self.slowed_ms);
        self.steps = self.steps.min(STEPS_MAX);
        self
    }

    /// The delay of a host that has this one by itself.
    pub(crate) fn slowed(self, delay: Duration) -> Duration {
        let doublings = f64::from(self.steps) / f64::from(STEPS_TO_DOUBLE);
        let more = delay.max(DELAY_MIN).mul_f64(doublings.exp2() - 1.0);
        delay.saturating_add(more).min(DELAY_MAX.max(delay))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// A host that allows a request each so many seconds, asked for a while: how many answers were good,
    /// and how many not.
    fn asked(status: u16, limit: Duration, answers: usize) -> (usize, usize) {
        let (mut pace, mut now, mut last) = (Pace::default(), Duration::ZERO, None);
        let (mut good, mut bad) = (0, 0);
        for _ in 0..answers {
            now += pace.slowed(SECOND);
            let is_good = last.is_none_or(|last| now >= last + limit);
            let ms = now.as_millis() as u64;
            match is_good {
                true => {
                    (good, last) = (good + 1, Some(now));
                    pace.note(200, false, ms, ms);
                }
                false => {
                    bad += 1;
                    pace.note(status, false, ms, ms);
                }
            }
        }
        (good, bad)
    }

    #[test]
    fn a_host_with_a_limit_answers_once_in_seventeen_times_that_it_is_asked_too_often() {
        for seconds in [2, 3, 10] {
            let (good, bad) = asked(429, seconds * SECOND, 1_000);
            assert!((bad - 6) * 15 < good, "{seconds} s: {bad} of {good}");
        }
        // Without slowing down, two of three answers were 429.
        let (good, bad) = asked(503, 3 * SECOND, 1_000);
        assert!(bad * 3 < good, "{bad} of {good}");
    }

    #[test]
    fn the_delay_is_bounded_and_comes_back_with_good_answers() {
        let mut pace = Pace::default();
        for at in 0..1_000 {
            pace.note(429, false, at, at);
        }
        assert_eq!(pace.slowed(SECOND), 32 * SECOND);
        assert_eq!(pace.slowed(10 * SECOND), DELAY_MAX);
        assert_eq!(pace.slowed(90 * SECOND), 90 * SECOND);
        assert_eq!(pace.slowed(Duration::ZERO), 31 * DELAY_MIN);
        for at in 0..u64::from(STEPS_MAX) {
            assert!(!pace.is_full());
            pace.note(200, false, at, at);
        }
        assert_eq!(pace.slowed(SECOND), SECOND);
    }

    #[test]
    fn answers_to_what_was_under_way_together_slow_a_host_down_once() {
        let mut pace = Pace::default();
        for ended_ms in 10_100..10_108 {
            pace.note(429, false, 10_000, ended_ms);
        }
        assert_eq!(pace.slowed(SECOND), 2 * SECOND);
        // A clock that was set back by a day does not stop it from being slowed down.
        pace.note(429, false, 10_100, 10_200);
        pace.slowed_ms += 86_400_000;
        pace.note(429, true, 10_300, 10_400);
        assert_eq!(pace.slowed(SECOND), 8 * SECOND);
    }

    #[test]
    fn a_host_with_a_few_broken_pages_keeps_its_pace() {
        let mut pace = Pace::default();
        for at in 0..1_000 {
            let status = if at % 6 == 0 { 503 } else { 404 };
            pace.note(status, false, at * 1_000, at * 1_000 + 10);
        }
        assert!(pace.slowed(SECOND) < 2 * SECOND);
        // One that says when it is back is left alone until then, and then asked as before.
        let mut closed = Pace::default();
        closed.note(503, true, 0, 10);
        assert!(closed.is_full());
    }
}
