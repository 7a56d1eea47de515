//! URLs that stand aside while their origin is held.

use std::time::Instant;

use super::HostQueue;
use super::packed::Packed;
use crate::origin::Origin;
use crate::store::QueueSlot;

/// So many URLs of a host stand aside at most: their slots are not spilled. With more the whole host waits.
pub(super) const ASIDE_MAX: usize = 5_000;

impl HostQueue {
    pub(super) fn remove_aside(&mut self, slot: &QueueSlot, origin: Origin) -> bool {
        let aside = self.aside.get_mut(&origin);
        let is_removed = aside.is_some_and(|aside| aside.remove(&slot.into()));
        self.aside_count -= usize::from(is_removed);
        is_removed
    }

    /// Sets a slot aside that may be asked for now, and whose URL is of an origin that is held; where too many
    /// are already, the host waits for the origin.
    pub(crate) fn set_aside(&mut self, slot: &QueueSlot, origin: Origin) {
        if self.aside_count < ASIDE_MAX {
            if self.take(slot) {
                self.origins.remove(origin);
                self.aside.entry(origin).or_default().insert(slot.into());
                self.aside_count += 1;
            }
        } else if let Some((at, why)) = self.politeness.held(origin) {
            self.politeness.wait_until(at, why);
        }
    }

    /// Of each origin that may be asked again those come back that are better than all others.
    pub(super) fn promote_aside(&mut self, now: Instant) {
        let politeness = &self.politeness;
        for (origin, slots) in &mut self.aside {
            if politeness.held(*origin).is_some_and(|(at, _)| at > now) {
                continue;
            }
            let is_best = |slot: &Packed| self.ready.first().is_none_or(|first| slot < first);
            if slots.first().is_some_and(is_best) {
                self.ready.extend(slots.pop_first());
                self.origins.add(*origin, 1);
                self.aside_count -= 1;
            }
        }
        self.aside.retain(|_, slots| !slots.is_empty());
    }
}
