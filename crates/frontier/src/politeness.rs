//! Politeness: when a host may be asked again.
//!
//! One delay, counted from the end of the last body. The server sees the start of our requests;
//! between a lease and the moment its request reaches the server lie DNS, connect and queues of
//! our own, different each time, so two leases one delay apart can arrive closer than that. A
//! body's end is later than its request's start on any clock, so what is counted from it holds
//! at the server too. It costs the host's own answer time per page and needs no margin.
//!
//! The delay is the configured one or the longest Crawl-delay of the host's origins, whichever is
//! longer, and more where the host says that it is asked too often ([`Pace`]). Failures back off,
//! doubled each time in a row; `Retry-After` of any answer holds the whole host; a host that
//! takes long to answer rests as long again, so that slow hosts together leave connections for
//! the others. Every wait only moves the next request back, none is random, all are bounded. A
//! request for robots.txt is a request like any other.
//!
//! An origin that gives no answer at all is silent, and held by itself ([`OriginManners`]). One whose pages
//! give nothing but server errors is out. What comes of either is said in [`crate::frontier`]'s part on silent
//! hosts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use outcome::FailureKind;

use crate::clock::Clock;
use crate::lease::Refused;
use crate::origin::{Origin, Origins};
use crate::url::CanonicalUrl;

mod limit;
mod origin_manners;
mod pace;
mod past;

pub(crate) use limit::{GOOD_PAGES, LookedInto};
pub use limit::{GoodPages, Limit, Sign};
use origin_manners::ManyManners;
pub(crate) use origin_manners::OriginManners;
pub use pace::Pace;
pub use past::{ClockMove, HostPast, OriginPast};

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
    /// The host's origin that was asked.
    pub origin: Origin,
    /// It was no page that was asked for, but a robots.txt, a sitemap, a feed.
    pub is_beside: bool,
    /// It was good before, and was asked for since its host may be out ([`Frontier::doubt_outages`](crate::Frontier::doubt_outages))
    /// or limit ([`Frontier::look_into`](crate::Frontier::look_into)).
    pub is_doubt: bool,
    /// Its URL, where it is a page and was good.
    pub good: Option<CanonicalUrl>,
    /// `Retry-After` of a 429 or 503.
    pub retry_after: Option<Duration>,
    /// That of an answer whose status does not ask for time.
    pub hint: Option<Duration>,
    /// What it is like, if it is without a page by what is known before it is read.
    pub sign: Option<Sign>,
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

/// An origin that gives no answer.
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
    pub(crate) asking_robots: bool,
    pub(crate) address: Option<IpAddr>,
    /// Whether its address was looked up.
    pub(crate) look_up: LookUp,
    /// The origins that requests under way went to.
    under_way: Vec<Origin>,
    connections: usize,
    delay: Duration,
    pub(crate) pace: Pace,
    pub(crate) limit: Option<Limit>,
    /// Failures in a row by an answer's status, and those before this process.
    failures: u32,
    /// The origins that have ever answered, with whatever status.
    answered: Origins,
    origins: ManyManners,
    /// The last page was answered with a server error.
    has_errors_alone: bool,
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
            asking_robots: false,
            address: None,
            look_up: LookUp::default(),
            under_way: Vec::new(),
            connections: connections.max(1),
            delay,
            pace: Pace::default(),
            limit: None,
            failures: 0,
            answered: Origins::default(),
            origins: ManyManners::default(),
            has_errors_alone: false,
            average: Duration::ZERO,
            next_at: None,
            rested_at: None,
            why: WaitReason::Delay,
            charged: Vec::new(),
        }
    }

    /// Requests under way.
    pub(crate) fn in_flight(&self) -> usize {
        self.under_way.len()
    }

    /// Requests under way to origins in trouble.
    pub(crate) fn in_flight_in_trouble(&self) -> usize {
        let in_trouble = |origin: &&Origin| {
            let manners = self.origins.get(**origin);
            manners.is_some_and(OriginManners::is_troubled)
        };
        self.under_way.iter().filter(in_trouble).count()
    }

    /// Whether nothing more may be asked of the host before something has come back.
    pub(crate) fn is_busy(&self) -> bool {
        self.asking_robots || self.look_up == LookUp::UnderWay || self.is_full()
    }

    /// Whether no connection is left.
    pub(crate) fn is_full(&self) -> bool {
        self.under_way.len() >= self.connections
    }

    /// How many server errors in a row an origin that is out has given; none if no origin is out.
    pub(crate) fn outage(&self) -> Option<u32> {
        let out = self.origins.iter().filter(|(_, own)| own.is_out());
        out.map(|(_, own)| own.server_errors).max()
    }

    /// The same, where no other origin of the host has answered well since.
    pub(crate) fn outage_of_all(&self) -> Option<u32> {
        self.outage().filter(|_| self.has_errors_alone)
    }

    /// Whether an origin refuses all, even what it gave before.
    pub(crate) fn refuses_all(&self) -> bool {
        self.origins.iter().any(|(_, own)| own.refuses_all())
    }

    /// How often an origin was asked in vain that refuses all; none where none does.
    pub(crate) fn refusals(&self) -> Option<u32> {
        let looks = self
            .origins
            .iter()
            .filter_map(|(_, own)| own.looked_into.as_ref());
        looks
            .filter(|look| look.is_sure)
            .map(|look| look.looks)
            .max()
    }

    /// What is known of a run of an origin's answers that is looked into.
    pub(crate) fn looked_into(&mut self, origin: Origin) -> &mut Option<LookedInto> {
        &mut self.origins.entry(origin).looked_into
    }

    /// Nothing is looked into any more.
    pub(crate) fn end_looks(&mut self) {
        self.origins
            .values_mut()
            .for_each(|own| own.looked_into = None);
    }

    /// What pages say of a run that were good before.
    pub(crate) fn good_pages(&self, sign: &Sign) -> GoodPages {
        let looks = self
            .origins
            .iter()
            .filter_map(|(_, own)| own.looked_into.as_ref());
        let said = looks.map(|look| look.good_pages(sign));
        said.max_by_key(|said| *said != GoodPages::Unknown)
            .unwrap_or_default()
    }

    /// Whether an origin is unwell: it may have many broken pages.
    pub(crate) fn is_unwell(&self) -> bool {
        self.origins.iter().any(|(_, own)| own.is_unwell)
    }

    /// The origins that give no answer, no robots.txt, or nothing but server errors.
    pub(crate) fn in_trouble(&self) -> impl Iterator<Item = (Origin, &OriginManners)> {
        self.origins
            .iter()
            .filter(|(_, manners)| manners.is_troubled())
    }

    /// Whether an origin has ever answered.
    pub(crate) fn has_answered(&self, origin: Origin) -> bool {
        self.answered.contains(origin)
    }

    /// Until when an origin is not asked, and why; it may have passed.
    pub(crate) fn held(&self, origin: Origin) -> Option<(Instant, WaitReason)> {
        self.origins.get(origin)?.held()
    }

    /// How an origin's URLs end, if it is given up.
    pub(crate) fn gone(&self, origin: Origin) -> Option<&Refused> {
        self.origins.get(origin)?.gone.as_ref()
    }

    /// Whether any origin is given up.
    pub(crate) fn any_gone(&self) -> bool {
        self.origins
            .iter()
            .any(|(_, manners)| manners.gone.is_some())
    }

    /// An origin is given up: its URLs end so.
    pub(crate) fn give_up(&mut self, origin: Origin, as_what: Refused) {
        self.origins.entry(origin).gone = Some(as_what);
    }

    /// The host gets another chance.
    pub(crate) fn revive(&mut self) {
        self.origins.values_mut().for_each(OriginManners::revive);
    }

    /// When the next request may go out, as far as the whole host is concerned; `None` for at once.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.next_at
    }

    /// An origin's robots.txt told its Crawl-delay; the delay that has begun lengthens with it.
    pub(crate) fn set_crawl_delay(&mut self, origin: Origin, delay: Option<Duration>) {
        match (self.origins.get_mut(origin), delay) {
            (Some(own), _) => own.crawl_delay = delay,
            (None, Some(_)) => self.origins.entry(origin).crawl_delay = delay,
            (None, None) => {}
        }
        if let Some(at) = self.rested_at {
            self.wait_until(at + self.delay(), WaitReason::Delay);
        }
    }

    /// The least time between two requests.
    pub(crate) fn delay(&self) -> Duration {
        let asked = self.origins.crawl_delay().unwrap_or_default();
        self.pace.slowed(self.delay.max(asked))
    }

    /// A request goes out.
    pub(crate) fn sent(&mut self, origin: Origin, now: Instant, addresses: &mut Addresses) {
        self.under_way.push(origin);
        self.charged.extend(addresses.charge(self.address));
        self.wait_until(now + self.delay(), WaitReason::Delay);
    }

    /// An origin's robots.txt is asked for: until it is known, nothing else is.
    pub(crate) fn sent_robots(&mut self, origin: Origin, now: Instant, addresses: &mut Addresses) {
        self.sent(origin, now, addresses);
        self.asking_robots = true;
    }

    /// What an origin's robots.txt says is known.
    pub(crate) fn robots_known(&mut self, origin: Origin) {
        self.asking_robots = false;
        if let Some(own) = self.origins.get_mut(origin) {
            own.robots_outage = false;
        }
    }

    /// An origin's robots.txt could not be had: it is asked for again after `wait`.
    pub(crate) fn wait_for_robots(&mut self, origin: Origin, now: Instant, wait: Duration) {
        self.origins.entry(origin).hold_for_robots(now + wait);
    }

    /// A body ended at a time, which `ended_ms` is in milliseconds since the Unix epoch; gives the address
    /// that has room again.
    pub(crate) fn received(
        &mut self,
        (now, ended_ms): (Instant, u64),
        advice: &HostAdvice,
        retry_after_max: Duration,
        addresses: &mut Addresses,
    ) -> Option<IpAddr> {
        let which = self.under_way.iter().position(|to| *to == advice.origin);
        if let Some(at) = which.or(self.under_way.len().checked_sub(1)) {
            self.under_way.swap_remove(at);
        }
        let is_freed = self.charged.len() > self.under_way.len();
        let freed = is_freed.then(|| self.charged.pop()).flatten();
        addresses.release(freed);
        self.address = advice.address.or(self.address);
        self.origins.end_doubt(advice);
        if advice.failed && advice.status == 0 {
            self.note_silence(now, advice);
            return freed;
        }
        let in_a_row = self.note_answer(advice);
        // One that asks us to slow down tells nothing of its pages.
        if !advice.is_beside && advice.status > 0 && advice.status != 429 {
            self.note_status(advice);
        }
        if advice.failed || advice.status == 429 || advice.status >= 500 {
            self.failures = in_a_row.saturating_add(1);
            self.wait_until(now + back_off(self.failures), WaitReason::BackOff);
        } else {
            self.failures = 0;
        }
        let began_ms = ended_ms.saturating_sub(advice.took.as_millis() as u64);
        let says_when = advice.retry_after.is_some();
        self.pace.note(advice.status, says_when, began_ms, ended_ms);
        self.average = (self.average * 2 + advice.took.min(2 * SLOW_REST_MAX)) / 3;
        if self.average > SLOW {
            self.wait_until(now + self.average.min(SLOW_REST_MAX), WaitReason::Slow);
        }
        if let Some(asked) = advice.retry_after {
            let wait = asked.min(retry_after_max) + RETRY_AFTER_MARGIN;
            self.wait_until(now + wait, WaitReason::RetryAfter);
        } else if let Some(rest) = limit::rest_after(self.limit.as_ref(), advice) {
            self.wait_until(now + rest + RETRY_AFTER_MARGIN, WaitReason::BackOff);
        }
        freed
    }

    /// A page answered with a status.
    fn note_status(&mut self, advice: &HostAdvice) {
        self.has_errors_alone = advice.status >= 500;
        let own = match self.has_errors_alone {
            true => Some(self.origins.entry(advice.origin)),
            false => self.origins.get_mut(advice.origin),
        };
        if let Some(own) = own {
            own.note_status(advice.status);
        }
    }

    /// Any answer of an origin ends its silence. Gives how many failures in a row there were before.
    fn note_answer(&mut self, advice: &HostAdvice) -> u32 {
        let Some(own) = self.origins.get_mut(advice.origin) else {
            if advice.status > 0 {
                self.answered.insert(advice.origin);
            }
            return self.failures;
        };
        let in_a_row = self.failures.max(own.failures);
        own.failures = 0;
        if advice.status > 0 {
            self.answered.insert(advice.origin);
            own.revive();
        }
        in_a_row
    }

    /// A connection that failed begins the silence of an origin, or goes on with it: it is held, ever longer,
    /// and as long again as it took.
    fn note_silence(&mut self, now: Instant, advice: &HostAdvice) {
        let before = self.failures;
        let own = self.origins.entry(advice.origin);
        own.failures = own.failures.max(before).saturating_add(1);
        own.hold_silent(now + back_off(own.failures), WaitReason::BackOff);
        if advice.took > SLOW {
            own.hold_silent(now + advice.took.min(SLOW_REST_MAX), WaitReason::Slow);
        }
        let silence = own.silence.get_or_insert(Silence {
            since: now.checked_sub(advice.took).unwrap_or(now),
            failures: 0,
        });
        silence.failures = silence.failures.saturating_add(1);
        own.last_failure.clone_from(&advice.failure);
    }

    /// Goes on where an earlier process ended. Each wait is at most as long as it was then, whatever
    /// the wall clock has done since.
    pub(crate) fn resume(&mut self, past: &HostPast, clock: &Clock, retry_after_max: Duration) {
        if past.has_answered {
            self.answered = Origins::ALL;
        }
        self.failures = past.failures;
        (self.pace, self.limit) = (past.pace, past.limit.clone());
        if let Some((origin, limit)) = past.refuses_all.zip(past.limit.as_ref()) {
            let look = self.looked_into(origin);
            let look = look.get_or_insert_with(|| LookedInto::new(limit.sign.clone()));
            look.is_sure = true;
        }
        let at = |from_ms: u64, wait: Duration| {
            clock.instant_of(from_ms.saturating_add(wait.as_millis() as u64), wait)
        };
        for own in &past.origins {
            if own.crawl_delay.is_some() {
                self.origins.entry(own.origin).crawl_delay = own.crawl_delay;
            }
            if own.failures > 0 {
                let manners = self.origins.entry(own.origin);
                manners.failures = own.failures;
                if let Some(at) = at(own.ended_ms, back_off(own.failures)) {
                    manners.hold_silent(at, WaitReason::BackOff);
                }
            }
            if let Some((from_ms, wait)) = own.robots_outage {
                let manners = self.origins.entry(own.origin);
                manners.robots_outage = true;
                if let Some(at) = at(from_ms, wait) {
                    manners.hold_for_robots(at);
                }
            }
        }
        if let Some(rested) = self.rested_at {
            self.wait_until(rested + self.delay(), WaitReason::Delay);
        }
        let asked = past.retry_after.map(|(from_ms, asked)| {
            let wait = asked.min(retry_after_max) + RETRY_AFTER_MARGIN;
            (from_ms, wait, WaitReason::RetryAfter)
        });
        let failed = (past.ended_ms, back_off(self.failures), WaitReason::BackOff);
        for (from_ms, wait, why) in [Some(failed), asked].into_iter().flatten() {
            if let Some(at) = at(from_ms, wait) {
                self.wait_until(at, why);
            }
        }
    }

    /// Begins a delay.
    pub(crate) fn rest(&mut self, now: Instant) {
        self.rested_at = Some(now);
        self.wait_until(now + self.delay(), WaitReason::Delay);
    }

    /// Puts the next request off, never forward.
    pub(crate) fn wait_until(&mut self, at: Instant, why: WaitReason) {
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
        if self.is_full() {
            return Some("in flight");
        }
        let waits = self.next_at.is_some_and(|at| at > now);
        let asked = self.origins.crawl_delay();
        waits.then(|| match self.why {
            WaitReason::Delay if !self.pace.is_full() => "slowed down",
            WaitReason::Delay if asked.is_some_and(|asked| asked > self.delay) => "crawl-delay",
            other => other.name(),
        })
    }
}

/// How long to wait after the last of so many failures in a row.
fn back_off(failures: u32) -> Duration {
    let Some(doublings) = failures.checked_sub(1) else {
        return Duration::ZERO;
    };
    BACK_OFF_FIRST
        .saturating_mul(1 << doublings.min(16))
        .min(BACK_OFF_MAX)
}

impl WaitReason {
    /// For watchers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            WaitReason::Delay => "delay",
            WaitReason::BackOff => "back-off",
            WaitReason::RetryAfter => "retry-after",
            WaitReason::Slow => "slow",
            WaitReason::RobotsOutage => "robots outage",
            WaitReason::Walls => "walls",
        }
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
mod tests;
