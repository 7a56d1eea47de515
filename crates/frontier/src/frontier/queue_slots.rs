//! Queue slots in memory and in the store: every pending URL has one, in one place.

use super::Frontier;
use super::saving::longest_wait;
use crate::config::FrontierError;
use crate::lease::HeldBack;
use crate::store::{QueueSlot, StoreError};
use crate::url_table::Entry;

/// A queue with fewer slots than this is not worth the way to the store.
const SPILL_MIN: usize = 64;
/// Of so many slots that may be in memory, one is room between two times that queues are spilled.
const SPILL_SHARE: usize = 4;

impl Frontier {
    /// A URL waits from now on, and is stored so with the next position.
    pub(super) fn enqueue(
        &mut self,
        key: u128,
        entry: Entry,
        not_before_ms: u64,
    ) -> Result<(), StoreError> {
        self.counts.pending += 1;
        if self.holds_new {
            self.held_new.insert(key, not_before_ms);
        } else {
            self.add_slot(key, &entry, not_before_ms)?;
        }
        self.urls.insert(key, entry, not_before_ms);
        Ok(())
    }

    /// From now on a URL that comes in, or back, may be leased only after the next
    /// [`Frontier::apply`]: what is fetched then follows from records that are synced.
    pub fn hold_new_until_applied(&mut self) {
        self.holds_new = true;
    }

    /// URLs that came in since the last [`Frontier::apply`] get their slots.
    pub(super) fn release_new(&mut self) -> Result<(), StoreError> {
        // What is spilled meanwhile is the same whenever the crawl is repeated.
        let mut held: Vec<(u128, u64)> = self.held_new.drain().collect();
        held.sort_unstable();
        for (key, not_before_ms) in held {
            if let Some(entry) = self.urls.take(key)? {
                self.add_slot(key, &entry, not_before_ms)?;
                self.urls.keep(key, entry);
            }
        }
        Ok(())
    }

    /// Gives a URL its slot, which it does not have yet.
    pub(super) fn add_slot(
        &mut self,
        key: u128,
        entry: &Entry,
        not_before_ms: u64,
    ) -> Result<(), StoreError> {
        let id = self.host_id(&entry.url.url.host());
        let not_before = self
            .clock
            .instant_of(not_before_ms, longest_wait(&self.config));
        self.hosts[id].push(entry.slot(key), not_before);
        self.hosts[id].origins.add(entry.url.url.origin(), 1);
        self.slots_in_memory += 1;
        if self.slots_in_memory > self.spill_at.max(self.config.slots_in_memory) {
            self.spill()?;
        }
        self.update(id);
        Ok(())
    }

    /// Spills the worse half of each queue: of all long ones, and where that makes too little room,
    /// of all.
    fn spill(&mut self) -> Result<(), StoreError> {
        let slots_max = self.config.slots_in_memory;
        for spill_min in [SPILL_MIN.min(slots_max).max(2), 2] {
            let (store, in_memory) = (&mut self.urls.store, &mut self.slots_in_memory);
            let mut queues = (0..).zip(&mut self.hosts.queues).filter_map(|(id, host)| {
                let slots = host.take_worse_half(spill_min);
                *in_memory -= slots.len();
                (!slots.is_empty()).then_some((id, slots))
            });
            store.spill(&mut queues)?;
            if self.slots_in_memory <= slots_max - slots_max / SPILL_SHARE {
                break;
            }
        }
        // Where all queues are short they are not gone through for each URL.
        self.spill_at = self.slots_in_memory + slots_max / SPILL_SHARE;
        Ok(())
    }

    /// Takes spilled slots of a host back until the first one in memory is its best.
    pub(super) fn unspill(&mut self, id: usize) -> Result<(), FrontierError> {
        while self.hosts[id].wants_back() {
            let returned = self.urls.store.take_spilled(id as u32)?;
            let host = &mut self.hosts[id];
            if returned.slots.is_empty() {
                return Err(FrontierError::LostSlots {
                    host: host.host.clone(),
                });
            }
            self.slots_in_memory += returned.slots.len();
            host.note_returned(&returned.slots, returned.rest_from);
        }
        Ok(())
    }

    /// Removes the slot of a pending URL, wherever it lies.
    pub(super) fn remove_slot(&mut self, key: u128, entry: &Entry) -> Result<(), FrontierError> {
        let id = self.host_id(&entry.url.url.host());
        if self.held_new.remove(&key).is_some() {
            self.counts.pending -= 1;
            return Ok(());
        }
        // An entry from the store does not say whether its URL is held back; slots of those are in
        // memory.
        let plain = QueueSlot {
            priority: entry.url.priority,
            ..entry.slot(key)
        };
        let held = [HeldBack::UntilOthersAreDone, HeldBack::ToTheLast];
        let held = held.map(|held| plain.held_back(held));
        let mut slots = [entry.slot(key), plain].into_iter().chain(held);
        let origin = entry.url.url.origin();
        let in_memory = slots.any(|slot| self.hosts[id].remove(&slot, origin));
        self.slots_in_memory -= usize::from(in_memory);
        if !in_memory {
            if !self.forget_spilled(id, &plain) {
                return Err(self.lost(id, key));
            }
            self.hosts[id].origins.remove(origin);
        }
        self.counts.pending -= 1;
        self.update(id);
        Ok(())
    }

    /// Moves the slot of a pending URL after its priority has changed.
    pub(super) fn move_slot(
        &mut self,
        id: usize,
        before: &QueueSlot,
        after: QueueSlot,
    ) -> Result<(), FrontierError> {
        if *before == after || self.hosts[id].replace(before, after) {
            self.update(id);
            return Ok(());
        }
        if !self.forget_spilled(id, before) {
            return Err(self.lost(id, before.key));
        }
        self.hosts[id].push(after, None);
        self.slots_in_memory += 1;
        self.update(id);
        Ok(())
    }

    fn forget_spilled(&mut self, id: usize, slot: &QueueSlot) -> bool {
        let host = &mut self.hosts[id];
        let was_spilled = host.spilled() > 0 && self.urls.store.forget_spilled(id as u32, slot);
        if was_spilled {
            host.note_forgotten();
        }
        was_spilled
    }

    pub(super) fn lost(&self, id: usize, key: u128) -> FrontierError {
        FrontierError::LostUrl {
            host: self.hosts[id].host.clone(),
            key,
        }
    }

    /// Puts a host where it belongs in the schedule, after something has changed with it.
    pub(super) fn update(&mut self, id: usize) {
        let now = self.clock.now();
        self.schedule.update(id, &mut self.hosts[id], now);
        self.note_host(id);
    }
}
