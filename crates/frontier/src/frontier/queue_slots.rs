//! Queue slots in memory and in the store: every pending URL has one, in one place.

use std::time::Duration;

use super::Frontier;
use crate::config::FrontierError;
use crate::lease::HeldBack;
use crate::store::{QueueSlot, StoreError};
use crate::url_table::Entry;

/// Slots in memory for each URL that may have its entry there.
pub(super) const SLOTS_PER_ENTRY: usize = 4;
/// A queue with fewer slots than this is not worth the way to the store.
const SPILL_MIN: usize = 256;
/// Slots that come back from the store at once.
const RETURNED_MAX: usize = 1_000;

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
        for (key, not_before_ms) in std::mem::take(&mut self.held_new) {
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
        let longest = self.config.retry_after_max.max(Duration::from_secs(3_600));
        let not_before = self.clock.instant_of(not_before_ms, longest);
        let slot = entry.slot(key);
        if self.hosts[id].push(slot, not_before) {
            self.slots_in_memory += 1;
        } else {
            self.spill(id, &[slot])?;
        }
        let slots_max = self.config.pending_in_memory.max(1);
        if self.slots_in_memory > slots_max.saturating_mul(SLOTS_PER_ENTRY) {
            let spill_min = self.at_most_pending(SPILL_MIN);
            let slots = self.hosts[id].take_worse_half(spill_min);
            self.slots_in_memory -= slots.len();
            self.spill(id, &slots)?;
        }
        self.update(id);
        Ok(())
    }

    /// A number of slots, less where memory is to hold fewer URLs than that.
    fn at_most_pending(&self, slots: usize) -> usize {
        slots.min(self.config.pending_in_memory).max(2)
    }

    fn spill(&mut self, id: usize, slots: &[QueueSlot]) -> Result<(), StoreError> {
        let host = &mut self.hosts[id];
        self.urls.store.spill(&host.host, slots)?;
        host.note_spilled(slots);
        Ok(())
    }

    /// Takes the best spilled slots of a host back when its queue in memory has run empty.
    pub(super) fn unspill(&mut self, id: usize) -> Result<(), FrontierError> {
        if !self.hosts[id].wants_back() {
            return Ok(());
        }
        let wanted = self.at_most_pending(RETURNED_MAX);
        let host = &mut self.hosts[id];
        let slots = self.urls.store.take_spilled(&host.host, wanted)?;
        if (slots.len() as u64) < host.spilled().min(wanted as u64) {
            return Err(FrontierError::LostSlots {
                host: host.host.clone(),
            });
        }
        self.slots_in_memory += slots.len();
        host.note_returned(&slots);
        Ok(())
    }

    /// Removes the slot of a pending URL, wherever it lies.
    pub(super) fn remove_slot(&mut self, key: u128, entry: &Entry) -> Result<(), FrontierError> {
        let id = self.host_id(&entry.url.url.host());
        if self.held_new.remove(&key).is_some() {
            self.counts.pending -= 1;
            return Ok(());
        }
        // An entry from the store does not say whether its URL is held back.
        let plain = QueueSlot {
            priority: entry.url.priority,
            ..entry.slot(key)
        };
        let held = [HeldBack::UntilOthersAreDone, HeldBack::ToTheLast];
        let held = held.map(|held| plain.held_back(held));
        let mut is_taken = false;
        for slot in [entry.slot(key), plain].into_iter().chain(held) {
            is_taken = is_taken || self.take_slot(id, &slot)?;
        }
        if !is_taken {
            return Err(self.lost(id, key));
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
        if !self.take_slot(id, before)? {
            return Err(self.lost(id, before.key));
        }
        if self.hosts[id].push(after, None) {
            self.slots_in_memory += 1;
        } else {
            self.spill(id, &[after])?;
        }
        self.update(id);
        Ok(())
    }

    /// Takes a slot out, of memory or of the store; false when it is in neither.
    fn take_slot(&mut self, id: usize, slot: &QueueSlot) -> Result<bool, StoreError> {
        let host = &mut self.hosts[id];
        if host.remove(slot) {
            self.slots_in_memory -= 1;
            return Ok(true);
        }
        let was_spilled = host.spilled() > 0 && self.urls.store.remove_spilled(&host.host, slot)?;
        if was_spilled {
            host.note_unspilled();
        }
        Ok(was_spilled)
    }

    pub(super) fn lost(&self, id: usize, key: u128) -> FrontierError {
        FrontierError::LostUrl {
            host: self.hosts[id].host.clone(),
            key,
        }
    }

    /// Puts a host where it belongs in the schedule.
    pub(super) fn update(&mut self, id: usize) {
        let now = self.clock.now();
        self.schedule.update(id, &mut self.hosts[id], now);
    }
}
