//! Politeness: when a host may be asked again.
//!
//! One delay, counted from the end of the last body. The server sees the start of our requests;
//! between a lease and the moment its request reaches the server lie DNS, connect and queues of
//! our own, different each time, so two leases one delay apart can arrive closer than that. A
//! body's end is later than its request's start on any clock, so what is counted from it holds
//! at the server too. It costs the host's own answer time per page and needs no margin.
//!
//! The delay is the configured one or the host's Crawl-delay, whichever is longer. Failures back
//! off, doubled each time in a row; `Retry-After` of any answer holds the whole host; a host that
//! takes long to answer rests as long again, so that slow hosts together leave connections for
//! the others. Every wait only moves the next request back, none is random, all are bounded.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// Longest wait after failures in a row.
const BACK_OFF_MAX: Duration = Duration::from_secs(60);
/// First wait after a failure; doubled with each further one in a row.
const BACK_OFF_FIRST: Duration = Duration::from_millis(250);
/// Added to what a server asks for: its clock and ours do not tick together.
const RETRY_AFTER_MARGIN: Duration = Duration::from_millis(50);
/// A host whose answers take longer than this on average rests between them.
const SLOW: Duration = Duration::from_secs(5);
/// Longest rest of a slow host.
const SLOW_REST_MAX: Duration = Duration::from_secs(60);

/// What an answer told about its host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostAdvice {
    /// `Retry-After` of a 429 or 503.
    pub retry_after: Option<Duration>,
    /// The connection failed in a way that may pass.
    pub failed: bool,
    /// HTTP status, 0 for none.
    pub status: u16,
    /// How long the fetch took.
    pub took: Duration,
    /// The address that answered; `None` behind a proxy.
    pub address: Option<IpAddr>,
}

/// One host's overrides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostLimits {
    /// Between requests.
    pub delay: Option<Duration>,
    /// Requests at once.
    pub connections: Option<usize>,
    /// URLs admitted at most.
    pub pages: Option<u64>,
}

/// WaitReason a host waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitReason {
    Delay,
    BackOff,
    RetryAfter,
    Slow,
}

/// One host's politeness: what it was asked, and when it may be asked again.
#[derive(Debug)]
pub(crate) struct Politeness {
    pub(crate) in_flight: usize,
    pub(crate) asking_robots: bool,
    pub(crate) address: Option<IpAddr>,
    connections: usize,
    delay: Duration,
    crawl_delay: Option<Duration>,
    failures: u32,
    average: Duration,
    next_at: Option<Instant>,
    /// When the last delay began: the host's last body ended then, or our process began.
    rested_at: Option<Instant>,
    why: WaitReason,
    charged: Vec<IpAddr>,
}

impl Politeness {
    pub(crate) fn new(delay: Duration, connections: usize) -> Self {
        Self {
            in_flight: 0,
            asking_robots: false,
            address: None,
            connections: connections.max(1),
            delay,
            crawl_delay: None,
            failures: 0,
            average: Duration::ZERO,
            next_at: None,
            rested_at: None,
            why: WaitReason::Delay,
            charged: Vec::new(),
        }
    }

    /// Whether nothing more may be asked of the host before something has come back.
    pub(crate) fn is_busy(&self) -> bool {
        self.asking_robots || self.in_flight >= self.connections
    }

    /// When the next request may go out; `None` for at once.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.next_at
    }

    /// robots.txt told its Crawl-delay; the delay that has begun lengthens with it.
    pub(crate) fn set_crawl_delay(&mut self, delay: Option<Duration>) {
        self.crawl_delay = delay;
        if let Some(at) = self.rested_at {
            self.wait_until(at + self.delay(), WaitReason::Delay);
        }
    }

    /// The least time between two requests.
    pub(crate) fn delay(&self) -> Duration {
        self.delay.max(self.crawl_delay.unwrap_or_default())
    }

    /// A request goes out.
    pub(crate) fn sent(&mut self, now: Instant, addresses: &mut Addresses) {
        self.in_flight += 1;
        self.charged.extend(addresses.charge(self.address));
        self.wait_until(now + self.delay(), WaitReason::Delay);
    }

    /// robots.txt is asked for: the slot is taken, no delay begins.
    pub(crate) fn sent_robots(&mut self, addresses: &mut Addresses) {
        self.in_flight += 1;
        self.asking_robots = true;
        self.charged.extend(addresses.charge(self.address));
    }

    /// A body ended; gives the address that has room again.
    pub(crate) fn received(
        &mut self,
        now: Instant,
        advice: &HostAdvice,
        retry_after_max: Duration,
        addresses: &mut Addresses,
    ) -> Option<IpAddr> {
        self.in_flight = self.in_flight.saturating_sub(1);
        let freed = if self.charged.len() > self.in_flight {
            self.charged.pop()
        } else {
            None
        };
        addresses.release(freed);
        self.address = advice.address.or(self.address);
        if advice.failed || advice.status == 429 || advice.status >= 500 {
            self.failures = self.failures.saturating_add(1);
            let doublings = (self.failures - 1).min(16);
            let wait = BACK_OFF_FIRST
                .saturating_mul(1 << doublings)
                .min(BACK_OFF_MAX);
            self.wait_until(now + wait, WaitReason::BackOff);
        } else {
            self.failures = 0;
        }
        self.average = (self.average * 2 + advice.took.min(2 * SLOW_REST_MAX)) / 3;
        if self.average > SLOW {
            self.wait_until(now + self.average.min(SLOW_REST_MAX), WaitReason::Slow);
        }
        if let Some(asked) = advice.retry_after {
            let wait = asked.min(retry_after_max) + RETRY_AFTER_MARGIN;
            self.wait_until(now + wait, WaitReason::RetryAfter);
        }
        freed
    }

    /// Begins a delay.
    pub(crate) fn rest(&mut self, now: Instant) {
        self.rested_at = Some(now);
        self.wait_until(now + self.delay(), WaitReason::Delay);
    }

    /// Puts the next request off, never forward.
    fn wait_until(&mut self, at: Instant, why: WaitReason) {
        if self.next_at.is_none_or(|next| at > next) {
            self.next_at = Some(at);
            self.why = why;
        }
    }

    /// WaitReason the host waits, for watchers; `None` when it does not.
    pub(crate) fn why(&self, now: Instant) -> Option<&'static str> {
        if self.asking_robots {
            return Some("robots");
        }
        if self.in_flight >= self.connections {
            return Some("in flight");
        }
        let waits = self.next_at.is_some_and(|at| at > now);
        waits.then_some(match self.why {
            WaitReason::Delay if self.crawl_delay.is_some_and(|asked| asked > self.delay) => {
                "crawl-delay"
            }
            WaitReason::Delay => "delay",
            WaitReason::BackOff => "back-off",
            WaitReason::RetryAfter => "retry-after",
            WaitReason::Slow => "slow",
        })
    }
}

/// Requests under way by address: many hosts can live at one.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    counts: HashMap<IpAddr, usize>,
}

impl Addresses {
    /// Whether an address takes no more at once.
    pub(crate) fn is_full(&self, address: IpAddr, max: usize) -> bool {
        self.counts.get(&address).is_some_and(|&count| count >= max)
    }

    fn charge(&mut self, address: Option<IpAddr>) -> Option<IpAddr> {
        *self.counts.entry(address?).or_default() += 1;
        address
    }

    fn release(&mut self, address: Option<IpAddr>) {
        let Some(address) = address else { return };
        if let Some(count) = self.counts.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.counts.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DELAY: Duration = Duration::from_secs(1);

    fn after(advice: &[HostAdvice]) -> (Politeness, Duration) {
        let now = Instant::now();
        let mut politeness = Politeness::new(DELAY, 1);
        let mut addresses = Addresses::default();
        for advice in advice {
            politeness.sent(now, &mut addresses);
            politeness.received(now, advice, Duration::from_secs(3_600), &mut addresses);
            politeness.rest(now);
        }
        let wait = politeness.next_at().expect("it waits") - now;
        (politeness, wait)
    }

    #[test]
    fn failures_in_a_row_double_the_wait_up_to_a_minute() {
        let failed = HostAdvice {
            failed: true,
            ..HostAdvice::default()
        };
        assert_eq!(after(&vec![failed.clone(); 3]).1, DELAY);
        assert_eq!(after(&vec![failed.clone(); 4]).1, Duration::from_secs(2));
        assert_eq!(after(&vec![failed.clone(); 40]).1, BACK_OFF_MAX);
        let mut mended = vec![failed; 3];
        mended.push(HostAdvice {
            status: 200,
            ..HostAdvice::default()
        });
        assert_eq!(after(&mended).0.failures, 0);
    }

    #[test]
    fn retry_after_holds_the_host_within_its_bound() {
        let asked = |seconds| HostAdvice {
            status: 429,
            retry_after: Some(Duration::from_secs(seconds)),
            ..HostAdvice::default()
        };
        assert_eq!(
            after(&[asked(5)]).1,
            Duration::from_secs(5) + RETRY_AFTER_MARGIN
        );
        assert_eq!(
            after(&[asked(86_400)]).1,
            Duration::from_secs(3_600) + RETRY_AFTER_MARGIN
        );
    }

    #[test]
    fn a_host_that_answers_slowly_rests_as_long_again() {
        let slow = HostAdvice {
            status: 200,
            took: Duration::from_secs(30),
            ..HostAdvice::default()
        };
        assert!(after(&vec![slow; 5]).1 > Duration::from_secs(20));
        let quick = HostAdvice {
            status: 200,
            took: Duration::from_secs(2),
            ..HostAdvice::default()
        };
        assert_eq!(after(&vec![quick; 5]).1, DELAY);
    }

    #[test]
    fn the_longer_of_delay_and_crawl_delay_counts() {
        let mut politeness = Politeness::new(DELAY, 1);
        politeness.set_crawl_delay(Some(Duration::from_millis(100)));
        assert_eq!(politeness.delay(), DELAY);
        politeness.set_crawl_delay(Some(Duration::from_secs(7)));
        assert_eq!(politeness.delay(), Duration::from_secs(7));
    }
}
