//! Queues of hosts, and the order in which hosts are served.
//!
//! Within a host the best URL goes first: larger priority, then smaller depth, then admission
//! order. Among hosts whose time has come, the one with the best URL goes first; where priorities
//! are alike, the one that was served longest ago. So a crawl without a topic is breadth-first
//! and takes its hosts in turn. Pure: time is an argument.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::host::HostKey;

/// Priorities that differ by less than one part in so many are alike when hosts are chosen.
const PRIORITY_STEPS: f32 = 32.0;

/// A pending URL's place in its host's queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) priority: f32,
    pub(crate) depth: u32,
    pub(crate) order: u64,
    pub(crate) key: u128,
}

impl Ord for Item {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .priority
            .total_cmp(&self.priority)
            .then(self.depth.cmp(&other.depth))
            .then(self.order.cmp(&other.order))
            .then(self.key.cmp(&other.key))
    }
}

impl PartialOrd for Item {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Item {}

/// One host's queue and manners.
#[derive(Debug)]
pub(crate) struct HostQueue {
    pub(crate) host: HostKey,
    pub(crate) in_flight: usize,
    pub(crate) admitted: u64,
    pub(crate) failures: u32,
    pub(crate) crawl_delay: Option<Duration>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) asking_robots: bool,
    items: BTreeSet<Item>,
    later: BTreeSet<(Instant, Item)>,
    next_at: Option<Instant>,
    why: &'static str,
    turn: u64,
}

impl HostQueue {
    pub(crate) fn new(host: HostKey) -> Self {
        Self {
            host,
            in_flight: 0,
            admitted: 0,
            failures: 0,
            crawl_delay: None,
            address: None,
            asking_robots: false,
            items: BTreeSet::new(),
            later: BTreeSet::new(),
            next_at: None,
            why: "",
            turn: 0,
        }
    }

    pub(crate) fn push(&mut self, item: Item, not_before: Option<Instant>) {
        match not_before {
            Some(at) => self.later.insert((at, item)),
            None => self.items.insert(item),
        };
    }

    pub(crate) fn peek(&self) -> Option<Item> {
        self.items.first().copied()
    }

    pub(crate) fn pop(&mut self) -> Option<Item> {
        self.items.pop_first()
    }

    pub(crate) fn remove(&mut self, item: &Item) -> bool {
        self.items.remove(item) || {
            let found = self
                .later
                .iter()
                .find(|(_, later)| later.key == item.key)
                .copied();
            found.is_some_and(|found| self.later.remove(&found))
        }
    }

    pub(crate) fn reorder(&mut self, before: &Item, after: Item) {
        if self.items.remove(before) {
            self.items.insert(after);
        }
    }

    pub(crate) fn rescore(&mut self, mut score: impl FnMut(&mut Item)) {
        self.items = std::mem::take(&mut self.items)
            .into_iter()
            .map(|mut item| {
                score(&mut item);
                item
            })
            .collect();
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len() + self.later.len()
    }

    /// Puts the next request off, never forward.
    pub(crate) fn wait_until(&mut self, at: Instant, why: &'static str) {
        if self.next_at.is_none_or(|next| at > next) {
            self.next_at = Some(at);
            let is_crawl_delay = why == "delay" && self.crawl_delay.is_some();
            self.why = if is_crawl_delay { "crawl-delay" } else { why };
        }
    }

    /// When the next request may go out.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        let retry = if self.items.is_empty() {
            self.later.first().map(|(at, _)| *at)
        } else {
            None
        };
        self.next_at.max(retry)
    }

    pub(crate) fn why(&self, now: Instant) -> &'static str {
        if self.asking_robots {
            "robots"
        } else if self.in_flight > 0 {
            "in flight"
        } else if self.next_at.is_some_and(|at| at > now) {
            self.why
        } else if self.items.is_empty() {
            "retry"
        } else {
            "ready"
        }
    }

    fn promote(&mut self, now: Instant) {
        while let Some(&(at, item)) = self.later.first() {
            if at > now {
                break;
            }
            self.later.pop_first();
            self.items.insert(item);
        }
    }
}

/// Where a host stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Idle,
    Due(Instant),
    Ready(i32, u64),
    Parked,
}

/// The order of hosts. Each host is in one place at a time.
#[derive(Debug, Default)]
pub(crate) struct Ready {
    places: Vec<Place>,
    due: BTreeSet<(Instant, usize)>,
    ready: BTreeSet<(Reverse<i32>, u64, usize)>,
    parked: BTreeSet<usize>,
    turn: u64,
}

impl Ready {
    /// Puts a host where it belongs now.
    pub(crate) fn update(&mut self, id: usize, host: &mut HostQueue, now: Instant) {
        host.promote(now);
        let place = match (host.len(), host.next_at()) {
            (0, _) => Place::Idle,
            (_, Some(at)) if at > now => Place::Due(at),
            _ => {
                let priority = host.peek().map_or(0.0, |item| item.priority);
                Place::Ready((priority * PRIORITY_STEPS).round() as i32, host.turn)
            }
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
            Place::Due(at) => {
                self.due.remove(&(at, id));
            }
            Place::Ready(priority, turn) => {
                self.ready.remove(&(Reverse(priority), turn, id));
            }
            Place::Parked => {
                self.parked.remove(&id);
            }
        }
        match place {
            Place::Idle => {}
            Place::Due(at) => {
                self.due.insert((at, id));
            }
            Place::Ready(priority, turn) => {
                self.ready.insert((Reverse(priority), turn, id));
            }
            Place::Parked => {
                self.parked.insert(id);
            }
        }
        self.places[id] = place;
    }

    /// Takes the host whose turn it is out of the order; the caller puts it back.
    pub(crate) fn take(&mut self, hosts: &mut [HostQueue], now: Instant) -> Option<usize> {
        while let Some(&(at, id)) = self.due.first() {
            if at > now {
                break;
            }
            self.update(id, &mut hosts[id], now);
        }
        let &(_, _, id) = self.ready.first()?;
        self.put(id, Place::Idle);
        Some(id)
    }

    /// A host waits for something under way.
    pub(crate) fn park(&mut self, id: usize) {
        self.put(id, Place::Parked);
    }

    /// Something has ended: whoever waited for it may try again.
    pub(crate) fn unpark(&mut self, hosts: &mut [HostQueue], now: Instant) {
        for id in std::mem::take(&mut self.parked) {
            self.places[id] = Place::Idle;
            self.update(id, &mut hosts[id], now);
        }
    }

    /// A host was served: others go first.
    pub(crate) fn served(&mut self, id: usize, host: &mut HostQueue, now: Instant) {
        self.turn += 1;
        host.turn = self.turn;
        self.update(id, host, now);
    }

    /// When the next host's time comes.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }
}
