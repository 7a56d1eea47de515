//! What the hosts in trouble come to altogether, kept as they change: nothing walks over them to know
//! whether others are left, or which are to be given up.
//!
//! A host counts while one of its origins is in trouble, and URLs of it wait or requests of those origins are
//! out; one that is dead and has nothing left to do costs nothing. Each change of a host takes its part out
//! of the sums and puts the new one in.
//!
//! Silent origins that may be given up stand in order of when: those for which a host has answered since,
//! and the rest, which wait for an answer. What is due stands first and leaves its place when it is given
//! up, and each silence goes over from the rest once. So a look costs what it gives up.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::silent::{FAILURES_MIN, Left, patience};
use crate::host_queue::HostQueue;
use crate::origin::Origin;

/// The sums.
#[derive(Debug, Default)]
pub(super) struct Troubled {
    parts: BTreeMap<usize, Part>,
    /// URLs that wait, but for those known to be of origins that are well.
    pub(super) waiting: u64,
    /// Requests under way to origins in trouble.
    pub(super) requests: usize,
    /// Hosts with URLs.
    pub(super) with_urls: usize,
    /// Hosts of which an origin with URLs may yet be given up, or is.
    pub(super) undecided: usize,
    /// Hosts with URLs that give nothing but server errors, or refuse all.
    pub(super) out: usize,
    /// Silences that a host has answered since.
    answered_since: Order,
    /// All others.
    unanswered: Order,
}

/// What one host adds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part {
    waiting: u64,
    requests: usize,
    has_urls: bool,
    is_undecided: bool,
    is_out: bool,
    silences: Vec<Ending>,
}

/// A silent origin with URLs, and when it may be given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ending {
    host: usize,
    origin: Origin,
    since: Instant,
    /// Whatever else is left.
    longest: Instant,
    /// When nothing else is left.
    alone: Instant,
}

impl Part {
    /// What a host adds; none if it is not in trouble, or has nothing to do.
    fn of(id: usize, host: &HostQueue, dead_after: Duration) -> Option<Self> {
        let politeness = &host.politeness;
        politeness.in_trouble().next()?;
        let requests = politeness.in_flight_in_trouble();
        let has_urls = host.len() > 0;
        if !has_urls && requests == 0 {
            return None;
        }
        let mut part = Part {
            waiting: (host.len() as u64).saturating_sub(host.waiting_beside_trouble()),
            requests,
            has_urls,
            is_undecided: false,
            is_out: has_urls && (politeness.outage().is_some() || politeness.refuses_all()),
            silences: Vec::new(),
        };
        for (origin, own) in politeness.in_trouble() {
            let waiting = host.waiting(origin);
            if waiting == 0 {
                continue;
            }
            let has_tries_left = (own.silence).is_some_and(|own| own.failures < FAILURES_MIN);
            part.is_undecided |= own.gone.is_some() || has_tries_left;
            let silence = own.silence.filter(|_| own.gone.is_none());
            let Some(silence) = silence.filter(|_| !has_tries_left && !dead_after.is_zero()) else {
                continue;
            };
            let since = silence.since;
            let alone = patience(politeness.has_answered(origin), waiting).min(dead_after);
            let ends = since.checked_add(dead_after).zip(since.checked_add(alone));
            part.silences.extend(ends.map(|(longest, alone)| Ending {
                host: id,
                origin,
                since,
                longest,
                alone,
            }));
        }
        Some(part)
    }
}

impl Troubled {
    /// Takes in what has become of a host. `last_answer` is when one answered last.
    pub(super) fn note(
        &mut self,
        id: usize,
        host: &HostQueue,
        dead_after: Duration,
        last_answer: Option<Instant>,
    ) {
        let part = Part::of(id, host, dead_after);
        if self.parts.get(&id) == part.as_ref() {
            return;
        }
        if let Some(before) = self.parts.remove(&id) {
            self.waiting -= before.waiting;
            self.requests -= before.requests;
            self.with_urls -= usize::from(before.has_urls);
            self.undecided -= usize::from(before.is_undecided);
            self.out -= usize::from(before.is_out);
            for ending in &before.silences {
                self.answered_since.remove(ending);
                self.unanswered.remove(ending);
            }
        }
        let Some(part) = part else { return };
        self.waiting += part.waiting;
        self.requests += part.requests;
        self.with_urls += usize::from(part.has_urls);
        self.undecided += usize::from(part.is_undecided);
        self.out += usize::from(part.is_out);
        for ending in &part.silences {
            match last_answer.is_some_and(|at| at >= ending.since) {
                true => self.answered_since.insert(*ending),
                false => self.unanswered.insert(*ending),
            }
        }
        self.parts.insert(id, part);
    }

    /// The hosts in trouble with URLs.
    pub(super) fn hosts_with_urls(&self) -> impl Iterator<Item = usize> {
        let with_urls = self.parts.iter().filter(|(_, part)| part.has_urls);
        with_urls.map(|(id, _)| *id)
    }

    /// The silent origins whose time has come, with so much left to do. Where it may be the fault of our own
    /// network they are among them only if `blames_all`.
    pub(super) fn due(
        &mut self,
        left: Left,
        blames_all: bool,
        last_answer: Option<Instant>,
        now: Instant,
    ) -> Vec<(usize, Origin)> {
        while let Some(ending) = self.unanswered.first()
            && last_answer.is_some_and(|at| at >= ending.since)
        {
            self.unanswered.remove(&ending);
            self.answered_since.insert(ending);
        }
        let rest = Some(&self.unanswered).filter(|_| blames_all);
        let orders = [&self.answered_since].into_iter().chain(rest);
        orders.flat_map(|order| order.due(left, now)).collect()
    }
}

/// Silences in the order in which they may be given up.
#[derive(Debug, Default, PartialEq, Eq)]
struct Order {
    /// By the longest time that they have, which is the order in which they began.
    longest: BTreeMap<(Instant, usize, Origin), Ending>,
    alone: BTreeSet<(Instant, usize, Origin)>,
}

impl Order {
    fn insert(&mut self, ending: Ending) {
        let Ending { host, origin, .. } = ending;
        self.longest.insert((ending.longest, host, origin), ending);
        self.alone.insert((ending.alone, host, origin));
    }

    fn remove(&mut self, ending: &Ending) {
        let Ending { host, origin, .. } = *ending;
        if self
            .longest
            .remove(&(ending.longest, host, origin))
            .is_some()
        {
            self.alone.remove(&(ending.alone, host, origin));
        }
    }

    fn first(&self) -> Option<Ending> {
        self.longest.first_key_value().map(|(_, ending)| *ending)
    }

    fn due(&self, left: Left, now: Instant) -> Vec<(usize, Origin)> {
        let is_due = |(at, _, _): &&(Instant, usize, Origin)| *at <= now;
        let place = |(_, host, origin): &(Instant, usize, Origin)| (*host, *origin);
        match left {
            Left::Others => self.longest.keys().take_while(is_due).map(place).collect(),
            Left::Trouble | Left::OneHost => {
                self.alone.iter().take_while(is_due).map(place).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests;
