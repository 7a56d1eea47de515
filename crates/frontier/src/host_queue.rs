//! One host: its queue, its politeness, its budget.
//!
//! Slots are served by priority, then depth, then admission order, so a crawl without a topic is
//! breadth-first on each host. URLs to be tried again wait apart until their time. When memory has
//! no room for more slots the worse half of a queue is spilled to the store, and comes back, best
//! first, when the queue in memory has run empty. Pure: the store is the caller's, time is an
//! argument.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use crate::host::HostKey;
use crate::politeness::Politeness;
use crate::store::QueueSlot;

/// With so many deferred URLs in memory, a host's other ones stay spilled until some of those are
/// decided.
const DEFERRED_MAX: usize = 50_000;

/// One host.
#[derive(Debug)]
pub(crate) struct HostQueue {
    pub(crate) host: HostKey,
    pub(crate) politeness: Politeness,
    /// URLs admitted so far, and at most.
    pub(crate) admitted: u64,
    pub(crate) admitted_max: u64,
    /// Requests to be made beside those for its URLs, by the caller's numbers; they go first.
    pub(crate) errands: VecDeque<u64>,
    /// When the host was served last, as a number that only grows.
    pub(crate) turn: u64,
    /// What may be asked for now.
    ready: BTreeSet<QueueSlot>,
    /// What is to be tried again, by its time.
    retries: BTreeSet<(Instant, QueueSlot)>,
    /// How many slots are spilled, all of them worse than `spilled_from` or alike.
    spilled: u64,
    spilled_from: Option<QueueSlot>,
}

impl HostQueue {
    pub(crate) fn new(host: HostKey, politeness: Politeness, admitted_max: u64) -> Self {
        Self {
            host,
            politeness,
            admitted: 0,
            admitted_max,
            errands: VecDeque::new(),
            turn: 0,
            ready: BTreeSet::new(),
            retries: BTreeSet::new(),
            spilled: 0,
            spilled_from: None,
        }
    }

    /// Takes a slot in. False when it belongs behind what is spilled: the caller spills it too and
    /// says so with [`HostQueue::note_spilled`].
    #[must_use]
    pub(crate) fn push(&mut self, slot: QueueSlot, not_before: Option<Instant>) -> bool {
        match not_before {
            Some(at) => {
                self.retries.insert((at, slot));
            }
            None if self.spilled_from.is_some_and(|from| slot > from) => return false,
            None => {
                self.ready.insert(slot);
            }
        }
        true
    }

    /// Whether the budget, lowered since, has been used up by the URLs that were asked for already.
    pub(crate) fn is_over_budget(&self) -> bool {
        self.admitted.saturating_sub(self.len() as u64) >= self.admitted_max
    }

    pub(crate) fn peek(&self) -> Option<QueueSlot> {
        self.ready.first().copied()
    }

    pub(crate) fn pop(&mut self) -> Option<QueueSlot> {
        self.ready.pop_first()
    }

    /// Whether a slot is in memory and may be asked for now.
    pub(crate) fn is_ready(&self, slot: &QueueSlot) -> bool {
        self.ready.contains(slot)
    }

    /// Removes a slot; false when it is not in memory.
    pub(crate) fn remove(&mut self, slot: &QueueSlot) -> bool {
        self.ready.remove(slot) || self.remove_retry(slot).is_some()
    }

    /// Puts a slot where another one of the same URL was; false when that is not in memory.
    pub(crate) fn replace(&mut self, before: &QueueSlot, after: QueueSlot) -> bool {
        if self.ready.remove(before) {
            self.ready.insert(after);
            return true;
        }
        match self.remove_retry(before) {
            Some(at) => self.retries.insert((at, after)),
            None => false,
        }
    }

    fn remove_retry(&mut self, slot: &QueueSlot) -> Option<Instant> {
        let mut retries = self.retries.iter();
        let found = retries.find(|(_, retry)| retry.key == slot.key).copied()?;
        self.retries.remove(&found);
        Some(found.0)
    }

    /// Takes the worse half out of memory; empty for a queue of fewer slots than `spill_min`, which
    /// is not worth the way to the store.
    pub(crate) fn take_worse_half(&mut self, spill_min: usize) -> Vec<QueueSlot> {
        if self.ready.len() < spill_min {
            return Vec::new();
        }
        let middle = self.ready.iter().nth(self.ready.len() / 2).copied();
        let middle = middle.expect("half of a queue is inside it");
        self.ready.split_off(&middle).into_iter().collect()
    }

    /// Slots were spilled.
    pub(crate) fn note_spilled(&mut self, slots: &[QueueSlot]) {
        self.spilled += slots.len() as u64;
        let best = self
            .spilled_from
            .into_iter()
            .chain(slots.iter().copied())
            .min();
        self.spilled_from = best;
    }

    /// Spilled slots came back, the best ones, in order.
    pub(crate) fn note_returned(&mut self, slots: &[QueueSlot]) {
        self.ready.extend(slots);
        self.spilled = self.spilled.saturating_sub(slots.len() as u64);
        self.spilled_from = slots.last().copied().filter(|_| self.spilled > 0);
    }

    /// One spilled slot was removed from the store.
    pub(crate) fn note_unspilled(&mut self) {
        self.spilled = self.spilled.saturating_sub(1);
        if self.spilled == 0 {
            self.spilled_from = None;
        }
    }

    /// Whether the queue in memory has run empty, but for deferred URLs, while slots are spilled.
    pub(crate) fn wants_back(&self) -> bool {
        let has_ready = self.ready.first().is_some_and(|slot| !slot.is_deferred());
        !has_ready && self.spilled > 0 && self.ready.len() < DEFERRED_MAX
    }

    /// The number of spilled slots.
    pub(crate) fn spilled(&self) -> u64 {
        self.spilled
    }

    pub(crate) fn len(&self) -> usize {
        self.ready.len() + self.retries.len() + self.spilled as usize
    }

    /// Whether there is something to ask the host for, and it may be asked when its time comes.
    pub(crate) fn has_work(&self) -> bool {
        match self.errands.is_empty() {
            true => self.len() > 0 && !self.politeness.is_busy(),
            false => !self.politeness.is_full(),
        }
    }

    /// When the host's next URL may be fetched; `None` for at once.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        if self.politeness.gone.is_some() && self.errands.is_empty() {
            // Its URLs end without a request.
            return None;
        }
        let retry = if self.has_ready() || !self.errands.is_empty() {
            None
        } else {
            self.retries.first().map(|(at, _)| *at)
        };
        self.politeness.next_at().max(retry)
    }

    /// Why the host waits, for watchers.
    pub(crate) fn why(&self, now: Instant) -> &'static str {
        let nothing_holds_it = if self.has_ready() { "ready" } else { "retry" };
        self.politeness.why(now).unwrap_or(nothing_holds_it)
    }

    fn has_ready(&self) -> bool {
        !self.ready.is_empty() || self.spilled > 0
    }

    /// Moves what may be tried again into the queue.
    pub(crate) fn promote(&mut self, now: Instant) {
        while let Some(&(at, slot)) = self.retries.first() {
            if at > now && self.politeness.gone.is_none() {
                break;
            }
            self.retries.pop_first();
            self.ready.insert(slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn queue() -> HostQueue {
        let host = HostKey::from_record("a.example");
        HostQueue::new(host, Politeness::new(Duration::ZERO, 1), u64::MAX)
    }

    fn slot(priority: f32, depth: u32, order: u64) -> QueueSlot {
        QueueSlot {
            priority,
            depth,
            order,
            key: u128::from(order),
        }
    }

    #[test]
    fn priority_goes_before_depth_and_depth_before_age() {
        let mut queue = queue();
        for slot in [
            slot(0.5, 0, 3),
            slot(0.9, 7, 2),
            slot(0.5, 1, 0),
            slot(0.5, 0, 1),
        ] {
            assert!(queue.push(slot, None));
        }
        let orders: Vec<u64> = std::iter::from_fn(|| queue.pop().map(|slot| slot.order)).collect();
        assert_eq!(orders, [2, 1, 3, 0]);
    }

    #[test]
    fn what_spills_is_the_worse_half_and_comes_back_best_first() {
        let mut queue = queue();
        for order in 0..600 {
            assert!(queue.push(slot(0.5, 0, order), None));
        }
        assert!(queue.take_worse_half(601).is_empty());
        let spilled = queue.take_worse_half(256);
        queue.note_spilled(&spilled);
        assert_eq!(
            (spilled.len(), spilled[0].order, queue.len()),
            (300, 300, 600)
        );
        assert!(
            !queue.push(slot(0.5, 0, 700), None),
            "it belongs behind what is spilled"
        );
        assert!(queue.push(slot(0.9, 0, 701), None), "it belongs before it");
        while queue.pop().is_some() {}
        assert!(queue.wants_back());
        queue.note_returned(&spilled[..200]);
        assert_eq!(
            (queue.peek().map(|slot| slot.order), queue.len()),
            (Some(300), 300)
        );
        assert!(queue.push(slot(0.5, 0, 400), None));
        while queue.pop().is_some() {}
        queue.note_returned(&spilled[200..]);
        assert_eq!((queue.len(), queue.spilled()), (100, 0));
    }

    #[test]
    fn a_slot_keeps_its_time_when_its_priority_changes() {
        let mut queue = queue();
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        assert!(queue.push(slot(0.5, 0, 1), Some(later)));
        assert!(queue.replace(&slot(0.5, 0, 1), slot(0.9, 0, 1)));
        assert!(!queue.replace(&slot(0.5, 0, 2), slot(0.9, 0, 2)));
        assert_eq!((queue.peek(), queue.next_at()), (None, Some(later)));
        queue.promote(later);
        assert_eq!(queue.peek(), Some(slot(0.9, 0, 1)));
        assert!(queue.remove(&slot(0.9, 0, 1)) && queue.len() == 0);
    }
}
