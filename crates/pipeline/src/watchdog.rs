//! Tells when nothing has moved for a while though the crawl has not ended.

use std::time::{Duration, Instant};

/// Without any answer, record or lease for so long a crawl is said to stand still.
const PATIENCE: Duration = Duration::from_secs(60);

/// When something moved last, and when a standstill is to be told of next.
#[derive(Debug)]
pub(crate) struct Watchdog {
    moved: Instant,
    tell_after: Duration,
}

impl Watchdog {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            moved: now,
            tell_after: PATIENCE,
        }
    }

    /// Something moved.
    pub(crate) fn moved(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    /// For how long nothing has moved, when that is to be told: after one minute, two, four, and
    /// so on.
    pub(crate) fn due(&mut self, now: Instant) -> Option<Duration> {
        let still = now.saturating_duration_since(self.moved);
        if still < self.tell_after {
            return None;
        }
        self.tell_after = 2 * still;
        Some(still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_standstill_is_told_ever_less_often_and_anew_after_a_move() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut watchdog = Watchdog::new(begin);
        let told = |watchdog: &mut Watchdog, until: u64| {
            let seconds = (0..until).filter(|second| watchdog.due(at(*second)).is_some());
            seconds.collect::<Vec<_>>()
        };
        assert_eq!(told(&mut watchdog, 500), [60, 120, 240, 480]);
        watchdog.moved(at(500));
        assert_eq!(watchdog.due(at(559)), None);
        assert_eq!(watchdog.due(at(560)), Some(Duration::from_secs(60)));
    }
}
