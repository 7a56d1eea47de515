//! Whose turn it is: the order of hosts.
//!
//! A host is in one place at a time: due at a time, ready, or idle (empty, busy, or waiting for
//! its address). Among ready hosts the one with the best URL goes first; where priorities are
//! alike, the one that was served longest ago. So a crawl without a topic takes its hosts in turn,
//! and a focused one goes where the promise is. Each step costs the logarithm of the hosts.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::time::Instant;

use crate::host_queue::HostQueue;

/// Priorities that differ by less than one part in so many are alike when hosts are chosen. Few of a
/// topic's links are promising, so that the small priorities must be told apart as well.
const PRIORITY_STEPS: f32 = 16_384.0;

/// Where a host stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Idle,
    Due(Instant),
    Ready(i32, u64),
}

/// The order of hosts.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    places: Vec<Place>,
    due: BTreeSet<(Instant, usize)>,
    ready: BTreeSet<(Reverse<i32>, u64, usize)>,
    waiters: HashMap<IpAddr, BTreeSet<usize>>,
    turn: u64,
}

impl Schedule {
    /// Puts a host where it belongs now.
    pub(crate) fn update(&mut self, id: usize, host: &mut HostQueue, now: Instant) {
        host.promote(now);
        let place = match host.next_at() {
            _ if !host.has_work() => Place::Idle,
            Some(at) if at > now => Place::Due(at),
            _ => Place::Ready((host.priority() * PRIORITY_STEPS).round() as i32, host.turn),
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
        }
        match place {
            Place::Idle => {}
            Place::Due(at) => {
                self.due.insert((at, id));
            }
            Place::Ready(priority, turn) => {
                self.ready.insert((Reverse(priority), turn, id));
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

    /// When the next host's time comes.
    pub(crate) fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }
}
