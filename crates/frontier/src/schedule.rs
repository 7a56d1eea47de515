//! Whose turn it is: the order of hosts.
//!
//! A host is in one place at a time: due at a time, ready, or idle (empty, busy, or waiting for
//! its address). Among ready hosts the one with the best URL goes first; where priorities are
//! alike, the one that was served longest ago. So a crawl without a topic takes its hosts in turn,
//! and a focused one goes where the promise is. Each step costs the logarithm of the hosts.
//!
//! A crawl with patience lets a host wait while a better one is free within moments, or while a better
//! page is under way, since nobody knows yet where that leads to: else the connections that the best
//! hosts leave over would spend the budget of pages on whatever else there is. One host that waits so
//! goes for each time of patience, so that no better one keeps the others from their turn. On many
//! machines the hosts of other nodes are waited for in the same way.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::host_queue::HostQueue;

/// Priorities that differ by less than one part in so many are alike when hosts are chosen. Few of a
/// topic's links are promising, so that the small priorities must be told apart as well.
const PRIORITY_STEPS: f32 = 16_384.0;

/// By how much more a page under way must promise for a URL to wait for what it leads to: relevant pages
/// for a request.
const WORTH_AWAITING_A_PAGE: f32 = 0.03;

/// A host waits for another one to be free that promises so many times as much, and so much more besides:
/// a URL that promises a third of a page or more waits for none.
const TIMES_WORTH_AWAITING: i32 = 3;
const WORTH_AWAITING_A_HOST: f32 = 0.1;

/// A URL waits from so many better pages under way on, and one more for each so many URLs that were
/// finished: a choice made without what a few of them lead to is still made by most of what is known.
const UNDER_WAY_FREE: usize = 2;
const READ_FOR_ONE_UNDER_WAY: u64 = 128;

/// So many of the best hosts that are not free are looked at before one that is free goes.
const BETTER_LOOKED_AT: usize = 8;

/// Where a host stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Idle,
    /// It has URLs, and is being asked since then.
    Busy(i32, Instant),
    Due(Instant, i32),
    Ready(i32, u64),
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// This host's.
    Host(usize),
    /// Nobody's before a time, unless something comes back: none for as long as nothing does.
    Nobody(Option<Instant>),
}

/// The order of hosts.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    places: Vec<Place>,
    due: BTreeSet<(Instant, usize)>,
    ready: BTreeSet<(Reverse<i32>, u64, usize)>,
    waiters: HashMap<IpAddr, BTreeSet<usize>>,
    turn: u64,
    /// How long a host that is free waits for a better one; zero: it does not.
    patience: Duration,
    /// Hosts with URLs that are not free, the most promising first; empty without patience.
    taken: BTreeSet<(Reverse<i32>, usize)>,
    /// URLs under way, the most promising first; empty without patience.
    under_way: BTreeSet<(Reverse<i32>, u128)>,
    /// What they promise, and since when they are under way.
    sent: HashMap<u128, (i32, Instant)>,
    /// Since when a host has been waiting for better ones.
    waited_since: Option<Instant>,
    /// The host that was taken last goes since it has waited for so long.
    goes_by_patience: bool,
    /// On many machines, what the best next page of the others promises.
    elsewhere: Option<i32>,
}

impl Schedule {
    /// An order in which a host waits so long for better ones.
    pub(crate) fn with_patience(patience: Duration) -> Self {
        Self {
            patience,
            ..Self::default()
        }
    }

    /// Puts a host where it belongs now.
    pub(crate) fn update(&mut self, id: usize, host: &mut HostQueue, now: Instant) {
        host.promote(now);
        let priority = steps(host.priority());
        let since = match self.places.get(id) {
            Some(Place::Busy(_, since)) => *since,
            _ => now,
        };
        let place = match host.next_at() {
            _ if !host.has_work() => match host.len() > 0 && host.politeness.is_busy() {
                true => Place::Busy(priority, since),
                false => Place::Idle,
            },
            Some(at) if at > now => Place::Due(at, priority),
            // Other hosts may wait for what an errand brings.
            _ if host.has_errand(now) => Place::Ready(i32::MAX, host.turn),
            _ => Place::Ready(priority, host.turn),
        };
        self.put(id, place);
    }

    fn put(&mut self, id: usize, place: Place) {
        if self.places.len() <= id {
            self.places.resize(id + 1, Place::Idle);
        }
        match self.places[id] {
            old if old == place => return,
            Place::Idle => {}
            Place::Busy(priority, _) => {
                self.taken.remove(&(Reverse(priority), id));
            }
            Place::Due(at, priority) => {
                self.due.remove(&(at, id));
                self.taken.remove(&(Reverse(priority), id));
            }
            Place::Ready(priority, turn) => {
                self.ready.remove(&(Reverse(priority), turn, id));
            }
        }
        match place {
            Place::Idle => {}
            Place::Busy(priority, _) => self.note_taken(id, priority),
            Place::Due(at, priority) => {
                self.due.insert((at, id));
                self.note_taken(id, priority);
            }
            Place::Ready(priority, turn) => {
                self.ready.insert((Reverse(priority), turn, id));
            }
        }
        self.places[id] = place;
    }

    fn note_taken(&mut self, id: usize, priority: i32) {
        if !self.patience.is_zero() {
            self.taken.insert((Reverse(priority), id));
        }
    }

    /// Takes the host whose turn it is out of the order; the caller puts it back.
    /// `read` are the URLs finished so far.
    pub(crate) fn take(&mut self, hosts: &mut [HostQueue], now: Instant, read: u64) -> Turn {
        while let Some(&(at, id)) = self.due.first() {
            if at > now {
                break;
            }
            self.update(id, &mut hosts[id], now);
        }
        let Some(&(Reverse(priority), _, id)) = self.ready.first() else {
            return Turn::Nobody(self.next_due());
        };
        if is_for_a_url(&hosts[id], now) && self.waits_for_better(priority, hosts, now, read) {
            let until = *self.waited_since.get_or_insert(now) + self.patience;
            if until > now {
                return Turn::Nobody(self.next_due().into_iter().chain([until]).min());
            }
            self.goes_by_patience = true;
        } else {
            self.goes_by_patience = false;
        }
        self.put(id, Place::Idle);
        Turn::Host(id)
    }

    /// Whether something much better than a URL of this priority comes within the time of patience.
    fn waits_for_better(
        &self,
        priority: i32,
        hosts: &[HostQueue],
        now: Instant,
        read: u64,
    ) -> bool {
        !self.patience.is_zero()
            && (self.awaits_others(priority)
                || self.awaits_pages(priority, now, read)
                || self.awaits_hosts(priority, hosts, now))
    }

    /// What the best next page of other nodes promises; none while there is nothing to wait for.
    pub(crate) fn set_elsewhere(&mut self, promise: Option<f32>) {
        self.elsewhere = promise.map(steps);
    }

    /// What the best URL promises of all hosts that are free within the time of patience.
    pub(crate) fn promise(&self, hosts: &[HostQueue], now: Instant) -> Option<f32> {
        let ready = self
            .ready
            .iter()
            .filter(|(.., id)| is_for_a_url(&hosts[*id], now));
        let ready = ready.map(|(Reverse(priority), ..)| *priority).next();
        let taken = self.taken.iter().take(BETTER_LOOKED_AT);
        let mut soon = taken.filter(|(_, id)| self.is_free_soon(*id, hosts, now));
        let soon = soon.next().map(|(Reverse(priority), _)| *priority);
        let best = ready.into_iter().chain(soon).max();
        best.map(|priority| priority as f32 / PRIORITY_STEPS)
    }

    /// Whether the best URL here promises so much less than that of another node that it waits.
    pub(crate) fn gives_way(&self, hosts: &[HostQueue], now: Instant) -> bool {
        let promise = self.promise(hosts, now);
        !self.patience.is_zero()
            && promise.is_some_and(|promise| self.awaits_others(steps(promise)))
    }

    fn awaits_others(&self, priority: i32) -> bool {
        self.elsewhere
            .is_some_and(|other| other > worth_awaiting(priority))
    }

    /// Whether better pages are under way, and more of them than a choice can do without.
    fn awaits_pages(&self, priority: i32, now: Instant, read: u64) -> bool {
        let free = UNDER_WAY_FREE + (read / READ_FOR_ONE_UNDER_WAY) as usize;
        let worth = priority.saturating_add(steps(WORTH_AWAITING_A_PAGE));
        let under_way = self.under_way.iter();
        let better = under_way.take_while(|(Reverse(better), _)| *better > worth);
        let is_fresh = |sent: Instant| now.saturating_duration_since(sent) <= self.patience;
        let fresh =
            better.filter(|(_, key)| self.sent.get(key).is_some_and(|(_, sent)| is_fresh(*sent)));
        fresh.take(free).count() == free
    }

    /// Whether a better host is free within the time.
    fn awaits_hosts(&self, priority: i32, hosts: &[HostQueue], now: Instant) -> bool {
        let worth = worth_awaiting(priority);
        let better = self.taken.iter().take(BETTER_LOOKED_AT);
        let mut better = better.take_while(|(Reverse(better), _)| *better > worth);
        better.any(|&(_, id)| self.is_free_soon(id, hosts, now))
    }

    fn is_free_soon(&self, id: usize, hosts: &[HostQueue], now: Instant) -> bool {
        match self.places[id] {
            Place::Due(at, _) => at <= now + self.patience,
            // It answers within moments, or nobody knows when; then its delay runs.
            Place::Busy(_, since) => {
                now <= since + self.patience && hosts[id].politeness.delay() <= self.patience
            }
            Place::Idle | Place::Ready(..) => false,
        }
    }

    /// A request goes out to the host that was taken last. If it had waited for better ones, the next that
    /// waits does so from now on; where its URL was refused, another one goes in its place.
    pub(crate) fn asks(&mut self, now: Instant) {
        if std::mem::take(&mut self.goes_by_patience) {
            self.waited_since = Some(now);
        }
    }

    /// A URL is asked for.
    pub(crate) fn sent(&mut self, key: u128, priority: f32, now: Instant) {
        if !self.patience.is_zero() {
            let priority = steps(priority);
            self.under_way.insert((Reverse(priority), key));
            self.sent.insert(key, (priority, now));
        }
    }

    /// What came of a URL is known, and what it leads to.
    pub(crate) fn came(&mut self, key: u128) {
        if let Some((priority, _)) = self.sent.remove(&key) {
            self.under_way.remove(&(Reverse(priority), key));
        }
    }

    /// A host waits until its address has room.
    pub(crate) fn wait_for(&mut self, id: usize, address: IpAddr) {
        self.put(id, Place::Idle);
        self.waiters.entry(address).or_default().insert(id);
    }

    /// An address has room for one more: whoever waited for it may try again.
    pub(crate) fn has_room(&mut self, address: IpAddr, hosts: &mut [HostQueue], now: Instant) {
        for id in self.waiters.remove(&address).unwrap_or_default() {
            self.update(id, &mut hosts[id], now);
        }
    }

    /// A host was served: others go first.
    pub(crate) fn served(&mut self, id: usize, host: &mut HostQueue, now: Instant) {
        self.turn += 1;
        host.turn = self.turn;
        self.update(id, host, now);
    }

    /// Whether no host is ready, and all whose time comes are such.
    pub(crate) fn waits_only_for(&self, is_such: impl Fn(usize) -> bool) -> bool {
        self.ready.is_empty() && self.due.iter().all(|(_, id)| is_such(*id))
    }

    /// When the next host's time comes.
    fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }
}

fn steps(priority: f32) -> i32 {
    (priority * PRIORITY_STEPS).round() as i32
}

/// What a host must promise for a URL of this priority to wait for it.
fn worth_awaiting(priority: i32) -> i32 {
    let times = priority.max(0).saturating_mul(TIMES_WORTH_AWAITING);
    times.saturating_add(steps(WORTH_AWAITING_A_HOST))
}

/// Whether a host's next request is for one of its URLs; those of a host that was given up end without one.
fn is_for_a_url(host: &HostQueue, now: Instant) -> bool {
    !host.has_errand(now) && !host.is_gone()
}
