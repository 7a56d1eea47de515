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
//! the others. Every wait only moves the next request back, none is random, all are bounded. A
//! request for robots.txt is a request like any other.
//!
//! A host that gives no answer at all is silent; how long it may be before it is given up is said in
//! [`crate::frontier`]'s part on silent hosts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use outcome::FailureKind;
use serde::{Deserialize, Serialize};

use crate::clock::Clock;
use crate::lease::Refused;

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
    /// How it failed, with the failure in words.
    pub failure: Option<(FailureKind, String)>,
    /// HTTP status, 0 for none.
    pub status: u16,
    /// How long the fetch took.
    pub took: Duration,
    /// The address that answered; `None` behind a proxy.
    pub address: Option<IpAddr>,
}

/// What the journal tells of a host's last answers: its manners hold across a restart.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostPast {
    /// It has answered, with whatever status.
    pub has_answered: bool,
    /// Failures in a row, those by status included.
    pub failures: u32,
    /// When its last request ended, milliseconds since the Unix epoch.
    pub ended_ms: u64,
    /// It asked to be left alone for this long, counted from the given time (milliseconds since the
    /// Unix epoch).
    pub retry_after: Option<(u64, Duration)>,
    /// Its robots.txt asks for this delay.
    pub crawl_delay: Option<Duration>,
    /// Its robots.txt cannot be had and is asked for again after this long, counted from the given
    /// time (milliseconds since the Unix epoch).
    pub robots_outage: Option<(u64, Duration)>,
}

/// A host that gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Silence {
    /// When the first of its requests that failed was made.
    pub(crate) since: Instant,
    /// Requests that failed since.
    pub(crate) failures: u32,
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

/// Why a host waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WaitReason {
    Delay,
    BackOff,
    RetryAfter,
    Slow,
    RobotsOutage,
    /// It answers with walls.
    Walls,
}

/// Whether a host's address was looked up before it was first asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum LookUp {
    #[default]
    NotYet,
    UnderWay,
    Done,
}

/// One host's politeness: what it was asked, and when it may be asked again.
#[derive(Debug)]
pub(crate) struct Politeness {
    pub(crate) in_flight: usize,
    pub(crate) asking_robots: bool,
    pub(crate) address: Option<IpAddr>,
    /// Whether its address was looked up.
    pub(crate) look_up: LookUp,
    connections: usize,
    delay: Duration,
    crawl_delay: Option<Duration>,
    failures: u32,
    /// Whether the host has ever answered, with whatever status.
    pub(crate) has_answered: bool,
    pub(crate) silence: Option<Silence>,
    /// How its last request failed.
    pub(crate) last_failure: Option<(FailureKind, String)>,
    /// How its URLs end, once it is given up.
    pub(crate) gone: Option<Refused>,
    /// Its robots.txt cannot be had, and no earlier copy is in use.
    pub(crate) robots_outage: bool,
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
            look_up: LookUp::default(),
            connections: connections.max(1),
            delay,
            crawl_delay: None,
            failures: 0,
            has_answered: false,
            silence: None,
            last_failure: None,
            gone: None,
            robots_outage: false,
            average: Duration::ZERO,
            next_at: None,
            rested_at: None,
            why: WaitReason::Delay,
            charged: Vec::new(),
        }
    }

    /// Whether nothing more may be asked of the host before something has come back.
    pub(crate) fn is_busy(&self) -> bool {
        let is_looked_up = self.look_up == LookUp::UnderWay;
        self.gone.is_none() && (self.asking_robots || is_looked_up || self.is_full())
    }

    /// Whether no connection is left.
    pub(crate) fn is_full(&self) -> bool {
        self.in_flight >= self.connections
    }

    /// Whether it gives no answer, or no robots.txt.
    pub(crate) fn is_troubled(&self) -> bool {
        self.silence.is_some() || self.robots_outage
    }

    /// The host gets another chance.
    pub(crate) fn revive(&mut self) {
        self.gone = None;
        self.silence = None;
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

    /// robots.txt is asked for: until it is known, nothing else is.
    pub(crate) fn sent_robots(&mut self, now: Instant, addresses: &mut Addresses) {
        self.sent(now, addresses);
        self.asking_robots = true;
    }

    /// robots.txt could not be had: it is asked for again after `wait`.
    pub(crate) fn wait_for_robots(&mut self, now: Instant, wait: Duration) {
        self.robots_outage = true;
        self.wait_until(now + wait, WaitReason::RobotsOutage);
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
        self.note_silence(now, advice);
        if advice.failed || advice.status == 429 || advice.status >= 500 {
            self.failures = self.failures.saturating_add(1);
            self.wait_until(now + self.back_off(), WaitReason::BackOff);
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

    /// How long to wait after the last of several failures in a row.
    fn back_off(&self) -> Duration {
        let Some(doublings) = self.failures.checked_sub(1) else {
            return Duration::ZERO;
        };
        BACK_OFF_FIRST
            .saturating_mul(1 << doublings.min(16))
            .min(BACK_OFF_MAX)
    }

    /// Any answer ends a silence; only a failed connection begins one or goes on with it.
    fn note_silence(&mut self, now: Instant, advice: &HostAdvice) {
        if advice.status > 0 {
            self.has_answered = true;
            self.revive();
        } else if advice.failed {
            let silence = self.silence.get_or_insert(Silence {
                since: now.checked_sub(advice.took).unwrap_or(now),
                failures: 0,
            });
            silence.failures = silence.failures.saturating_add(1);
            self.last_failure.clone_from(&advice.failure);
        }
    }

    /// Goes on where an earlier process ended. Each wait is at most as long as it was then, whatever
    /// the wall clock has done since.
    pub(crate) fn resume(&mut self, past: &HostPast, clock: &Clock, retry_after_max: Duration) {
        self.has_answered |= past.has_answered;
        self.failures = past.failures;
        self.set_crawl_delay(past.crawl_delay.or(self.crawl_delay));
        let back_off = self.back_off();
        let asked = past.retry_after.map(|(from_ms, asked)| {
            let wait = asked.min(retry_after_max) + RETRY_AFTER_MARGIN;
            (from_ms, wait, WaitReason::RetryAfter)
        });
        let outage = past.robots_outage;
        let outage = outage.map(|(from_ms, wait)| (from_ms, wait, WaitReason::RobotsOutage));
        let failed = (past.ended_ms, back_off, WaitReason::BackOff);
        for (from_ms, wait, why) in [Some(failed), asked, outage].into_iter().flatten() {
            let until_ms = from_ms.saturating_add(wait.as_millis() as u64);
            if let Some(at) = clock.instant_of(until_ms, wait) {
                self.wait_until(at, why);
            }
        }
        self.robots_outage = outage.is_some();
    }

    /// It answers with walls: it is left alone until then.
    pub(crate) fn rest_until(&mut self, at: Instant) {
        self.wait_until(at, WaitReason::Walls);
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

    /// Why the host waits, for watchers; `None` when it does not.
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
            WaitReason::RobotsOutage => "robots outage",
            WaitReason::Walls => "walls",
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

    /// Whether no address has more than so many.
    pub(crate) fn are_within(&self, max: usize) -> bool {
        self.counts.values().all(|&count| count <= max)
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
