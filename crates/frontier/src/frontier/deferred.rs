//! Deferred URLs: each waits for another one to be finished, since it may be a copy of it.
//!
//! A deferred URL stands behind all others of its host, with a priority below zero. When one stands
//! first there is nothing else to ask its host for, and the host waits until a lease ends
//! anywhere; when no lease is left that could end, deferred URLs go all the same.

use super::Frontier;
use crate::store::QueueSlot;
use crate::url_table::Entry;

impl Frontier {
    /// Puts a URL behind all others of its host; when it stands there already, the host waits.
    pub(super) fn defer(&mut self, id: usize, slot: &QueueSlot, mut entry: Entry) {
        self.hosts[id].replace(slot, slot.deferred());
        entry.deferred = true;
        self.urls.put_back(slot.key, entry);
        if slot.is_deferred() {
            self.deferred_hosts.push(id);
        } else {
            self.update(id);
        }
    }

    /// Asks anew about the hosts that wait.
    pub(super) fn release_deferred(&mut self) {
        for id in std::mem::take(&mut self.deferred_hosts) {
            self.update(id);
        }
    }
}
