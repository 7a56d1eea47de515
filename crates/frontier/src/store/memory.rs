//! The plain model of a store: maps in memory, gone with the process.

use std::collections::{BTreeMap, BTreeSet};

use super::{Applied, Change, FrontierStore, QueueSlot, Returned, Saved, StoreError, StoredUrl};

/// Slots that come back at once.
const RETURNED_MAX: usize = 128;

/// A store in memory: for tests, and for frontiers that nobody opens again. It holds all it is
/// given, so the bounds of a frontier's memory do not hold with it.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    urls: BTreeMap<u128, StoredUrl>,
    position: u64,
    spilled: BTreeMap<u32, BTreeSet<QueueSlot>>,
    saved: Option<SavedMemory>,
    /// What was applied since memory was saved.
    tail: Vec<Applied>,
    tail_read: usize,
    /// How many changes are applied between two savings; none to save nothing.
    save_after: Option<usize>,
}

#[derive(Debug, Clone)]
struct SavedMemory {
    memory: Vec<Saved>,
    position: u64,
    spilled: BTreeMap<u32, BTreeSet<QueueSlot>>,
}

impl MemoryStore {
    /// A store that asks for memory to be saved after so many changes, and can be opened again.
    pub fn saving_after(changes: usize) -> MemoryStore {
        MemoryStore {
            save_after: Some(changes),
            ..MemoryStore::default()
        }
    }
}

impl FrontierStore for MemoryStore {
    fn position(&self) -> u64 {
        self.position
    }

    fn memory_position(&self) -> u64 {
        self.saved.as_ref().map_or(0, |saved| saved.position)
    }

    fn url(&self, key: u128) -> Result<Option<StoredUrl>, StoreError> {
        Ok(self.urls.get(&key).cloned())
    }

    fn has_url(&self, key: u128) -> Result<bool, StoreError> {
        Ok(self.urls.contains_key(&key))
    }

    fn keys(&self, take: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        for key in self.urls.keys() {
            if !take(*key as u64) {
                break;
            }
        }
        Ok(())
    }

    fn apply(&mut self, changes: &[(u128, Change)], position: u64) -> Result<(), StoreError> {
        for (key, change) in changes {
            let before = self.urls.insert(*key, change.clone().stored());
            if self.save_after.is_some() {
                let change = change.clone();
                let key = *key;
                let applied = Applied {
                    key,
                    before,
                    change,
                };
                self.tail
                    .extend(Some(applied).filter(Applied::changes_anything));
            }
        }
        self.position = position;
        Ok(())
    }

    fn spill(
        &mut self,
        queues: &mut dyn Iterator<Item = (u32, Vec<QueueSlot>)>,
    ) -> Result<(), StoreError> {
        for (host, slots) in queues {
            self.spilled.entry(host).or_default().extend(slots);
        }
        Ok(())
    }

    fn take_spilled(&mut self, host: u32) -> Result<Returned, StoreError> {
        let Some(spilled) = self.spilled.get_mut(&host) else {
            return Ok(Returned::default());
        };
        let best = std::iter::from_fn(|| spilled.pop_first());
        Ok(Returned {
            slots: best.take(RETURNED_MAX).collect(),
            rest_from: spilled.first().copied(),
        })
    }

    fn forget_spilled(&mut self, host: u32, slot: &QueueSlot) -> bool {
        let spilled = self.spilled.get_mut(&host);
        spilled.is_some_and(|spilled| spilled.remove(slot))
    }

    fn wants_save(&self, at_end: bool) -> bool {
        self.save_after
            .is_some_and(|changes| at_end || self.tail.len() >= changes)
    }

    fn save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError> {
        self.saved = Some(SavedMemory {
            memory: memory.collect(),
            position: self.position,
            spilled: self.spilled.clone(),
        });
        self.tail.clear();
        Ok(())
    }

    fn load(
        &mut self,
        take: &mut dyn FnMut(Saved) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.tail_read = 0;
        self.spilled.clear();
        if let Some(saved) = self.saved.clone() {
            self.spilled = saved.spilled;
            saved.memory.into_iter().try_for_each(take)?;
        }
        Ok(())
    }

    fn tail(&mut self) -> Result<Vec<Applied>, StoreError> {
        let tail = self.tail[self.tail_read..].to_vec();
        self.tail_read = self.tail.len();
        Ok(tail)
    }
}
