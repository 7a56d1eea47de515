//! URLs held back: each waits for another one to be finished, since it may be a copy of it.
//!
//! A held URL stands behind all others of its host, with a priority below zero. When one stands
//! first there is nothing else to ask its host for, and the host waits until a lease ends
//! anywhere; when no lease is left that could end, held URLs go all the same.

use super::{Frontier, Waiting};
use crate::queue::Item;

impl Frontier {
    /// Puts a URL behind all others of its host; when it stands there already, the host waits.
    pub(super) fn hold(&mut self, id: usize, item: &Item, mut waiting: Waiting) {
        let behind = item.held_back();
        waiting.url.priority = behind.priority;
        self.hosts[id].reorder(item, behind);
        // Every pending URL is stored or about to be, so one more need not stay in memory.
        if self.bodies.len() < self.config.pending_in_memory {
            self.bodies.insert(item.key, waiting);
        }
        if item.is_held_back() {
            self.held.push(id);
        } else {
            self.update(id);
        }
    }

    /// Whether nothing is under way that a held URL could wait for.
    pub(super) fn is_quiet(&self) -> bool {
        self.requests == 0 && self.leased.is_empty()
    }

    /// Asks anew about the hosts that wait.
    pub(super) fn release_held(&mut self) {
        for id in std::mem::take(&mut self.held) {
            self.update(id);
        }
    }
}
