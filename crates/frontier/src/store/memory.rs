//! The plain model of a store: maps in memory, gone with the process.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::{FrontierStore, QueueSlot, StoreError, StoredUrl};
use crate::host::HostKey;

/// A store in memory: for tests, and for frontiers that nobody opens again. It holds all it is
/// given, so the bounds of a frontier's memory do not hold with it.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    urls: BTreeMap<u128, StoredUrl>,
    position: u64,
    spilled: BTreeMap<HostKey, BTreeSet<QueueSlot>>,
}

impl FrontierStore for MemoryStore {
    fn position(&self) -> Result<u64, StoreError> {
        Ok(self.position)
    }

    fn url(&self, key: u128) -> Result<Option<StoredUrl>, StoreError> {
        Ok(self.urls.get(&key).cloned())
    }

    fn has_url(&self, key: u128) -> Result<bool, StoreError> {
        Ok(self.urls.contains_key(&key))
    }

    fn urls_after(
        &self,
        key: Option<u128>,
        limit: usize,
    ) -> Result<Vec<(u128, StoredUrl)>, StoreError> {
        let after = (
            key.map_or(Bound::Unbounded, Bound::Excluded),
            Bound::Unbounded,
        );
        let urls = self.urls.range(after).take(limit);
        Ok(urls.map(|(key, url)| (*key, url.clone())).collect())
    }

    fn apply(&mut self, urls: &[(u128, StoredUrl)], position: u64) -> Result<(), StoreError> {
        self.urls.extend(urls.iter().cloned());
        self.position = position;
        Ok(())
    }

    fn spill(&mut self, host: &HostKey, slots: &[QueueSlot]) -> Result<(), StoreError> {
        let spilled = self.spilled.entry(host.clone()).or_default();
        spilled.extend(slots);
        Ok(())
    }

    fn take_spilled(&mut self, host: &HostKey, limit: usize) -> Result<Vec<QueueSlot>, StoreError> {
        let Some(spilled) = self.spilled.get_mut(host) else {
            return Ok(Vec::new());
        };
        let best = std::iter::from_fn(|| spilled.pop_first());
        Ok(best.take(limit).collect())
    }

    fn remove_spilled(&mut self, host: &HostKey, slot: &QueueSlot) -> Result<bool, StoreError> {
        let spilled = self.spilled.get_mut(host);
        Ok(spilled.is_some_and(|spilled| spilled.remove(slot)))
    }

    fn clear_spilled(&mut self) -> Result<(), StoreError> {
        self.spilled.clear();
        Ok(())
    }
}
