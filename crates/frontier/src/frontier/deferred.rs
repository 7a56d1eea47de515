//! URLs that wait for others.
//!
//! A *deferred* URL waits for another one to be finished, since it may be a copy of it. A URL that is
//! *held back* waits until nothing else is left, or to the last. Both stand behind all others of
//! their host, with a priority below zero.
//!
//! ```text
//!   best                                                                last
//!   | to be asked for | deferred, held back until others are done | to the last |
//! ```
//!
//! When one of them stands first there is nothing else to ask its host for, and the host waits:
//! behind a deferred URL until a lease ends anywhere, behind one that is held back until every host
//! has come that far. A URL that is to be tried again, or whose origin is, goes meanwhile when its time
//! has come. When no lease is left that could end, deferred URLs go all the same, and then what is held
//! back, on all hosts at once.

use super::Frontier;
use crate::lease::{HeldBack, Next};
use crate::store::QueueSlot;
use crate::url_table::Entry;

impl Frontier {
    /// Puts a URL behind all others of its host; when it stands there already, the host waits until
    /// a URL is finished.
    pub(super) fn defer(&mut self, id: usize, slot: &QueueSlot, entry: Entry) {
        if slot.held().is_some() {
            self.urls.put_back(slot.key, entry);
            self.deferred_hosts.push(id);
            self.wait_for_others(id);
        } else {
            self.put_behind(id, slot, entry, HeldBack::UntilOthersAreDone);
        }
    }

    /// The same for a URL that waits until all are done that are held back less long.
    pub(super) fn hold_back(&mut self, id: usize, slot: &QueueSlot, entry: Entry, held: HeldBack) {
        if slot.held() == Some(held) {
            self.urls.put_back(slot.key, entry);
            self.held_back_hosts.insert(id);
            self.wait_for_others(id);
        } else {
            self.put_behind(id, slot, entry, held);
        }
    }

    fn put_behind(&mut self, id: usize, slot: &QueueSlot, mut entry: Entry, held: HeldBack) {
        entry.held = Some(held);
        self.hosts[id].replace(slot, entry.slot(slot.key));
        self.urls.put_back(slot.key, entry);
        self.ask_anew(id);
    }

    fn wait_for_others(&mut self, id: usize) {
        self.hosts[id].waits_for_others = true;
        self.update(id);
    }

    fn ask_anew(&mut self, id: usize) {
        self.hosts[id].waits_for_others = false;
        self.update(id);
    }

    /// Whether nothing can be done at once, and nothing comes but at hosts that wait for others.
    pub(super) fn others_are_done(&self, next: &Next) -> bool {
        if !self.is_quiet() || !self.held_new.is_empty() {
            return false;
        }
        let hosts = &self.hosts;
        match next {
            Next::InFlight => true,
            Next::WaitUntil(_) => self
                .schedule
                .waits_only_for(|id| hosts[id].waits_for_others),
            Next::Lease(_)
            | Next::Robots(..)
            | Next::Errand(..)
            | Next::Address(_)
            | Next::Refused(..)
            | Next::Drained => false,
        }
    }

    /// Asks anew about the hosts that wait for a URL to be finished.
    pub(super) fn release_deferred(&mut self) {
        for id in std::mem::take(&mut self.deferred_hosts) {
            self.ask_anew(id);
        }
    }

    /// Nothing is left but what is held back: the next of it may go. False when there is none.
    pub(super) fn release_held_back(&mut self) -> bool {
        let hosts = std::mem::take(&mut self.held_back_hosts);
        if hosts.is_empty() {
            return false;
        }
        self.reached = Some(match self.reached {
            None => HeldBack::UntilOthersAreDone,
            Some(_) => HeldBack::ToTheLast,
        });
        for id in hosts {
            self.ask_anew(id);
        }
        true
    }
}
