//! What a store must hold: the plain model that stores are compared with.

use std::collections::{BTreeMap, BTreeSet};

use frontier::{Change, QueueSlot, Saved, StoredUrl};

pub(super) type Spilled = BTreeMap<u32, BTreeSet<QueueSlot>>;

/// What a store must hold.
#[derive(Default)]
pub(super) struct Model {
    pub(super) urls: BTreeMap<u128, StoredUrl>,
    pub(super) position: u64,
    pub(super) spilled: Spilled,
    pub(super) saved: Vec<Saved>,
    pub(super) spilled_when_saved: Spilled,
    pub(super) urls_when_saved: BTreeMap<u128, StoredUrl>,
    pub(super) position_when_saved: u64,
    /// What was applied since, with each position.
    pub(super) tail: Vec<(u64, Vec<(u128, Change)>)>,
}

impl Model {
    pub(super) fn apply(&mut self, changes: Vec<(u128, Change)>) {
        self.position += 1;
        let stored = changes
            .iter()
            .map(|(key, change)| (*key, change.clone().stored()));
        self.urls.extend(stored);
        self.tail.push((self.position, changes));
    }

    pub(super) fn save(&mut self, memory: Vec<Saved>) {
        self.saved = memory;
        self.spilled_when_saved = self.spilled.clone();
        self.urls_when_saved = self.urls.clone();
        self.position_when_saved = self.position;
        self.tail.clear();
    }

    /// The store was opened at this position: all that was applied later is gone.
    pub(super) fn reopen(&mut self, position: u64) {
        let tail = std::mem::take(&mut self.tail);
        self.urls = self.urls_when_saved.clone();
        self.position = self.position_when_saved;
        self.spilled = self.spilled_when_saved.clone();
        for (_, changes) in tail.into_iter().filter(|(at, _)| *at <= position) {
            self.apply(changes);
        }
    }
}
