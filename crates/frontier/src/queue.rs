//! One host's queue: larger priority first, then smaller depth, then admission order.
//!
//! So a crawl without a topic is breadth-first on each host. URLs to be tried again wait apart
//! until their time. When a host has more than memory should hold, the worst half of its queue
//! goes to disk, and comes back, best first, when the queue in memory has run empty. Pure: the
//! disk is the caller's, time is an argument.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::time::Instant;

use crate::host::HostKey;
use crate::politeness::Manners;

/// A queue with fewer places than this is not worth a trip to disk.
const SPILL_MIN: usize = 256;

/// With so many URLs held back, a host's other ones stay on disk until some of those are decided.
const HELD_MAX: usize = 50_000;

/// A pending URL's place in its host's queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    pub(crate) priority: f32,
    pub(crate) depth: u32,
    pub(crate) order: u64,
    pub(crate) key: u128,
}

impl Item {
    /// The place of a URL that waits for another one to be finished: below all others, and its own
    /// priority can be told from it.
    pub(crate) fn held_back(self) -> Item {
        let priority = if self.is_held_back() {
            self.priority
        } else {
            -1.0 - self.priority
        };
        Item { priority, ..self }
    }

    pub(crate) fn is_held_back(&self) -> bool {
        self.priority < 0.0
    }

    /// The URL's own priority, whether it waits or not.
    pub(crate) fn own_priority(&self) -> f32 {
        if self.is_held_back() {
            -1.0 - self.priority
        } else {
            self.priority
        }
    }
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

/// One host: its queue, its manners, its budget.
#[derive(Debug)]
pub(crate) struct HostQueue {
    pub(crate) host: HostKey,
    pub(crate) manners: Manners,
    pub(crate) admitted: u64,
    pub(crate) admitted_max: u64,
    pub(crate) turn: u64,
    items: BTreeSet<Item>,
    later: BTreeSet<(Instant, Item)>,
    /// Places on disk, all of them worse than `spilled_from` or alike.
    spilled: u64,
    spilled_from: Option<Item>,
}

impl HostQueue {
    pub(crate) fn new(host: HostKey, manners: Manners, admitted_max: u64) -> Self {
        Self {
            host,
            manners,
            admitted: 0,
            admitted_max,
            turn: 0,
            items: BTreeSet::new(),
            later: BTreeSet::new(),
            spilled: 0,
            spilled_from: None,
        }
    }

    /// Takes a URL in. False when it belongs behind what is on disk: the caller puts it there and
    /// says so with [`HostQueue::note_spilled`].
    #[must_use]
    pub(crate) fn push(&mut self, item: Item, not_before: Option<Instant>) -> bool {
        match not_before {
            Some(at) => {
                self.later.insert((at, item));
            }
            None if self.spilled_from.is_some_and(|from| item > from) => return false,
            None => {
                self.items.insert(item);
            }
        }
        true
    }

    pub(crate) fn peek(&self) -> Option<Item> {
        self.items.first().copied()
    }

    pub(crate) fn pop(&mut self) -> Option<Item> {
        self.items.pop_first()
    }

    /// Forgets a URL; false when it is not in memory.
    pub(crate) fn remove(&mut self, item: &Item) -> bool {
        self.items.remove(item) || {
            let mut later = self.later.iter();
            let found = later.find(|(_, later)| later.key == item.key).copied();
            found.is_some_and(|found| self.later.remove(&found))
        }
    }

    /// Moves a URL to another place; false when it has none in memory.
    pub(crate) fn reorder(&mut self, before: &Item, after: Item) -> bool {
        let was_there = self.items.remove(before);
        if was_there {
            self.items.insert(after);
        }
        was_there
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

    /// Takes the worse half out of memory; empty for a short queue.
    pub(crate) fn spill(&mut self) -> Vec<Item> {
        if self.items.len() < SPILL_MIN {
            return Vec::new();
        }
        let middle = self.items.iter().nth(self.items.len() / 2).copied();
        let middle = middle.expect("half of a queue is inside it");
        self.items.split_off(&middle).into_iter().collect()
    }

    /// Places went to disk.
    pub(crate) fn note_spilled(&mut self, items: &[Item]) {
        self.spilled += items.len() as u64;
        let best = self
            .spilled_from
            .into_iter()
            .chain(items.iter().copied())
            .min();
        self.spilled_from = best;
    }

    /// Places came back from disk, the best ones, in order; `wanted` were asked for. No place is
    /// left there when fewer came.
    pub(crate) fn note_returned(&mut self, items: &[Item], wanted: usize) {
        self.items.extend(items);
        self.spilled = self.spilled.saturating_sub(items.len() as u64);
        if items.len() < wanted || self.spilled == 0 {
            self.spilled = 0;
            self.spilled_from = None;
        } else {
            self.spilled_from = items.last().copied();
        }
    }

    /// One place on disk is gone.
    pub(crate) fn note_unspilled(&mut self) {
        self.spilled = self.spilled.saturating_sub(1);
    }

    /// Whether the queue in memory has run empty, but for URLs held back, while places are on disk.
    pub(crate) fn wants_back(&self) -> bool {
        let has_ready = self.items.first().is_some_and(|item| !item.is_held_back());
        !has_ready && self.spilled > 0 && self.items.len() < HELD_MAX
    }

    pub(crate) fn has_spilled(&self) -> bool {
        self.spilled > 0
    }

    pub(crate) fn len(&self) -> usize {
        self.len_in_memory() + self.spilled as usize
    }

    pub(crate) fn len_in_memory(&self) -> usize {
        self.items.len() + self.later.len()
    }

    /// When the host's next URL may be fetched; `None` for at once.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        let has_ready = !self.items.is_empty() || self.spilled > 0;
        let retry = if has_ready {
            None
        } else {
            self.later.first().map(|(at, _)| *at)
        };
        self.manners.next_at().max(retry)
    }

    pub(crate) fn why(&self, now: Instant) -> &'static str {
        let has_ready = !self.items.is_empty() || self.spilled > 0;
        self.manners
            .why(now)
            .unwrap_or(if has_ready { "ready" } else { "retry" })
    }

    /// Moves what may be tried again into the queue.
    pub(crate) fn promote(&mut self, now: Instant) {
        while let Some(&(at, item)) = self.later.first() {
            if at > now {
                break;
            }
            self.later.pop_first();
            self.items.insert(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn queue() -> HostQueue {
        let host = HostKey::from_record("a.example");
        HostQueue::new(host, Manners::new(Duration::ZERO, 1), u64::MAX)
    }

    fn item(priority: f32, depth: u32, order: u64) -> Item {
        Item {
            priority,
            depth,
            order,
            key: u128::from(order),
        }
    }

    #[test]
    fn priority_goes_before_depth_and_depth_before_age() {
        let mut queue = queue();
        for item in [
            item(0.5, 0, 3),
            item(0.9, 7, 2),
            item(0.5, 1, 0),
            item(0.5, 0, 1),
        ] {
            assert!(queue.push(item, None));
        }
        let orders: Vec<u64> = std::iter::from_fn(|| queue.pop().map(|item| item.order)).collect();
        assert_eq!(orders, [2, 1, 3, 0]);
    }

    #[test]
    fn what_spills_is_the_worse_half_and_comes_back_best_first() {
        let mut queue = queue();
        for order in 0..600 {
            assert!(queue.push(item(0.5, 0, order), None));
        }
        let spilled = queue.spill();
        queue.note_spilled(&spilled);
        assert_eq!(
            (spilled.len(), spilled[0].order, queue.len()),
            (300, 300, 600)
        );
        assert!(
            !queue.push(item(0.5, 0, 700), None),
            "it belongs behind what is on disk"
        );
        assert!(queue.push(item(0.9, 0, 701), None), "it belongs before it");
        while queue.pop().is_some() {}
        assert!(queue.wants_back());
        queue.note_returned(&spilled[..200], 200);
        assert_eq!(
            (queue.peek().map(|item| item.order), queue.len()),
            (Some(300), 300)
        );
        assert!(queue.push(item(0.5, 0, 400), None));
        while queue.pop().is_some() {}
        queue.note_returned(&spilled[200..], 200);
        assert_eq!((queue.len(), queue.has_spilled()), (100, false));
    }
}
