//! What is known of a host from before: a process goes on with it where another one ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Limit, Pace};
use crate::origin::Origin;

/// What the journal tells of a host's last answers: its manners hold across a restart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostPast {
    /// It has answered, with whatever status.
    pub has_answered: bool,
    /// Failures in a row, up to an answer whose status is one.
    pub failures: u32,
    /// When its last answer ended, milliseconds since the Unix epoch.
    pub ended_ms: u64,
    /// It asked to be left alone for this long, counted from the given time (milliseconds since the
    /// Unix epoch).
    pub retry_after: Option<(u64, Duration)>,
    /// How much slower than its delay it is asked.
    pub pace: Pace,
    /// How it limits, where it does so by answers that do not say so.
    pub limit: Option<Limit>,
    /// This origin refuses all by such answers, even what it gave before.
    pub refuses_all: Option<Origin>,
    /// What is known of its origins; one may come twice, with another part of it each time.
    pub origins: Vec<OriginPast>,
}

/// What the journal tells of one origin of a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OriginPast {
    /// Which it is.
    pub origin: Origin,
    /// Its requests in a row that no answer came to, and failures of the host before them.
    pub failures: u32,
    /// When the last of them ended, milliseconds since the Unix epoch.
    pub ended_ms: u64,
    /// Its robots.txt asks for this delay.
    pub crawl_delay: Option<Duration>,
    /// Its robots.txt cannot be had and is asked for again after this long, counted from the given
    /// time (milliseconds since the Unix epoch).
    pub robots_outage: Option<(u64, Duration)>,
}

/// Moves times of one clock to another one: each is as long ago there. Zero stands for no time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockMove {
    /// What the one clock showed, milliseconds since the Unix epoch.
    pub from_ms: u64,
    /// What the other one showed then.
    pub to_ms: u64,
}

impl ClockMove {
    /// A time on the other clock.
    pub fn moved(self, at_ms: u64) -> u64 {
        match at_ms {
            0 => 0,
            _ => {
                let ago = self.from_ms.saturating_sub(at_ms);
                self.to_ms.saturating_sub(ago).max(1)
            }
        }
    }
}

impl HostPast {
    /// The same by another clock.
    pub fn by_clock(mut self, clocks: ClockMove) -> Self {
        self.ended_ms = clocks.moved(self.ended_ms);
        self.pace = self.pace.by_clock(clocks);
        let moved = |(at_ms, wait): (u64, Duration)| (clocks.moved(at_ms), wait);
        self.retry_after = self.retry_after.map(moved);
        for own in &mut self.origins {
            own.ended_ms = clocks.moved(own.ended_ms);
            own.robots_outage = own.robots_outage.map(moved);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_another_clock_all_is_as_long_ago() {
        // Theirs is a day behind.
        let clocks = ClockMove {
            from_ms: 1_000_000,
            to_ms: 87_400_000,
        };
        let mut pace = Pace::default();
        pace.note(429, false, 900_000, 990_000);
        let past = HostPast {
            failures: 2,
            ended_ms: 999_000,
            retry_after: Some((995_000, Duration::from_secs(25))),
            pace,
            origins: vec![OriginPast {
                robots_outage: Some((998_000, Duration::from_secs(4))),
                ..OriginPast::default()
            }],
            ..HostPast::default()
        };
        let mut slowed = Pace::default();
        slowed.note(429, false, 87_300_000, 87_390_000);
        let here = past.by_clock(clocks);
        let asked = Some((87_395_000, Duration::from_secs(25)));
        assert_eq!((here.ended_ms, here.retry_after), (87_399_000, asked));
        assert_eq!(here.pace, slowed);
        let own = &here.origins[0];
        let outage = Some((87_398_000, Duration::from_secs(4)));
        assert_eq!((own.ended_ms, own.robots_outage), (0, outage));
    }

    #[test]
    fn what_lies_ahead_by_a_clock_that_was_set_is_now() {
        let clocks = ClockMove {
            from_ms: 1_000,
            to_ms: 5_000,
        };
        let ahead = [0, 1, 999, 1_000, u64::MAX].map(|at_ms| clocks.moved(at_ms));
        assert_eq!(ahead, [0, 4_001, 4_999, 5_000, 5_000]);
        let back = ClockMove {
            from_ms: u64::MAX,
            to_ms: 7,
        };
        assert_eq!(back.moved(3), 1);
    }
}
