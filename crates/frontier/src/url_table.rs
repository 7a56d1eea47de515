//! Every URL ever admitted: whether it was seen, what it carries while it waits, and what is still
//! to be stored.
//!
//! Memory is bounded. Of seen URLs 64 bits each are kept, and beyond a bound the store is asked. Of
//! pending URLs so many have their *entry* in memory, with all that they carry; those of the others
//! are read from the store when their turn comes.
//!
//! The invariant that queues rely on: a pending URL's slot has the priority of its entry, or, when
//! that is not in memory, the priority that is stored.

use std::fmt;

use crate::lease::{FrontierUrl, HeldBack, LinkTarget};
use crate::store::{Change, FrontierStore, QueueSlot, SavedUrl, StoreError, StoredUrl, Waiting};
use crate::url::CanonicalUrl;

/// The URLs.
pub(crate) struct UrlTable {
    pub(crate) store: Box<dyn FrontierStore>,
    seen: hashbrown::HashSet<u64>,
    pub(crate) seen_max: usize,
    entries: hashbrown::HashMap<u128, Entry>,
    entries_max: usize,
    /// What is stored with the next position.
    unwritten: hashbrown::HashMap<u128, Change>,
}

/// A pending URL with all it carries.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) url: FrontierUrl,
    pub(crate) attempt: u32,
    pub(crate) order: u64,
    /// It stands behind all others of its host, since it waits for another URL to be finished, or
    /// for all others.
    pub(crate) held: Option<HeldBack>,
    /// Its priority or context is not the stored one.
    changed: bool,
}

impl Entry {
    pub(crate) fn new(url: FrontierUrl, attempt: u32, order: u64) -> Entry {
        Entry {
            url,
            attempt,
            order,
            held: None,
            changed: false,
        }
    }

    /// The entry of a URL as stored.
    pub(crate) fn of(waiting: Waiting) -> Entry {
        Entry::new(waiting.url, waiting.attempt, waiting.order)
    }

    fn waiting(&self, not_before_ms: u64) -> Waiting {
        Waiting {
            url: self.url.clone(),
            attempt: self.attempt,
            not_before_ms,
            order: self.order,
        }
    }

    /// The entry, to be saved.
    pub(crate) fn saved(&self, key: u128) -> SavedUrl {
        SavedUrl {
            key,
            waiting: self.waiting(0),
            held: self.held,
            changed: self.changed,
        }
    }

    /// Its place in its host's queue.
    pub(crate) fn slot(&self, key: u128) -> QueueSlot {
        let slot = QueueSlot {
            priority: self.url.priority,
            depth: self.url.depth,
            order: self.order,
            key,
        };
        self.held.map_or(slot, |held| slot.held_back(held))
    }

    /// Gives it another priority; it is no longer held back then. Its slot has to follow.
    pub(crate) fn set_priority(&mut self, priority: f32) {
        if priority != self.url.priority {
            self.url.priority = priority;
            self.held = None;
            self.changed = true;
        }
    }

    pub(crate) fn set_context(&mut self, context: Vec<u8>) {
        self.url.context = context;
        self.changed = true;
    }
}

impl UrlTable {
    pub(crate) fn new(
        store: Box<dyn FrontierStore>,
        entries_max: usize,
        seen_max: usize,
    ) -> UrlTable {
        UrlTable {
            store,
            seen: hashbrown::HashSet::new(),
            seen_max,
            entries: hashbrown::HashMap::new(),
            entries_max,
            unwritten: hashbrown::HashMap::new(),
        }
    }

    pub(crate) fn has_seen(&self, key: u128) -> Result<bool, StoreError> {
        if self.seen.contains(&(key as u64)) {
            return Ok(true);
        }
        if self.seen.len() < self.seen_max {
            return Ok(false);
        }
        Ok(self.unwritten.contains_key(&key) || self.store.has_url(key)?)
    }

    pub(crate) fn note_seen(&mut self, key: u128) {
        if self.seen.len() < self.seen_max {
            self.seen.insert(key as u64);
        }
    }

    /// What is known of the URL that a link leads to, without asking the store.
    pub(crate) fn link_target(&self, url: &CanonicalUrl) -> LinkTarget {
        let key = url.key();
        match self.entries.get(&key) {
            Some(entry) => LinkTarget::Pending(entry.url.clone()),
            None if self.seen.contains(&(key as u64)) => LinkTarget::Closed,
            None => LinkTarget::New,
        }
    }

    /// What is stored of a URL, or about to be.
    pub(crate) fn stored(&self, key: u128) -> Result<Option<StoredUrl>, StoreError> {
        match self.unwritten.get(&key) {
            Some(change) => Ok(Some(change.clone().stored())),
            None => self.store.url(key),
        }
    }

    /// Takes out a pending URL with all it carries, from memory or from the store; none when it is
    /// not pending. What comes from the store does not say whether it is deferred.
    pub(crate) fn take(&mut self, key: u128) -> Result<Option<Entry>, StoreError> {
        if let Some(entry) = self.entries.remove(&key) {
            return Ok(Some(entry));
        }
        Ok(match self.stored(key)? {
            Some(StoredUrl::Pending(waiting)) => Some(Entry::of(waiting)),
            Some(StoredUrl::Finished) | None => None,
        })
    }

    /// Puts an entry that was taken out back into memory, unless there is no room and nothing is
    /// lost without it.
    pub(crate) fn put_back(&mut self, key: u128, entry: Entry) {
        if entry.changed || self.entries.len() < self.entries_max {
            self.entries.insert(key, entry);
        }
    }

    /// Puts an entry that was taken out back into memory, room or not.
    pub(crate) fn keep(&mut self, key: u128, entry: Entry) {
        self.entries.insert(key, entry);
    }

    /// Takes in a pending URL that is to be stored.
    pub(crate) fn insert(&mut self, key: u128, entry: Entry, not_before_ms: u64) {
        let waiting = entry.waiting(not_before_ms);
        self.unwritten.insert(key, Change::Pending(waiting));
        self.entries.insert(key, entry);
    }

    /// Notes what is to be stored of a URL.
    pub(crate) fn write_later(&mut self, key: u128, change: Change) {
        self.unwritten.insert(key, change);
    }

    pub(crate) fn entry(&self, key: u128) -> Option<&Entry> {
        self.entries.get(&key)
    }

    pub(crate) fn entry_mut(&mut self, key: u128) -> Option<&mut Entry> {
        self.entries.get_mut(&key)
    }

    /// The keys of all entries in memory, in no order.
    pub(crate) fn keys_in_memory(&self) -> Vec<u128> {
        self.entries.keys().copied().collect()
    }

    /// Stores what is to be stored, with the journal position that it follows from. Entries that
    /// memory has no room for leave it with that.
    pub(crate) fn apply(&mut self, position: u64) -> Result<(), StoreError> {
        let mut changes: Vec<(u128, Change)> = self.unwritten.drain().collect();
        // Which entries stay in memory is the same whenever the crawl is repeated.
        changes.sort_unstable_by_key(|(key, _)| *key);
        for (key, change) in &mut changes {
            if self.entries.len() <= self.entries_max {
                break;
            }
            if let Some(entry) = self.entries.remove(key)
                && let Change::Pending(waiting) = change
            {
                // From now on what the URL carries is known from here alone.
                waiting.url = entry.url;
            }
        }
        self.store.apply(&changes, position)
    }

    /// The entries in memory, to be saved.
    pub(crate) fn saved(&self) -> impl Iterator<Item = SavedUrl> + '_ {
        self.entries.iter().map(|(&key, entry)| entry.saved(key))
    }

    /// Takes in an entry that was saved.
    pub(crate) fn take_saved(&mut self, url: SavedUrl) {
        let mut entry = Entry::of(url.waiting);
        entry.held = url.held;
        entry.changed = url.changed;
        self.entries.insert(url.key, entry);
    }

    /// Takes an entry out of memory, if it is there.
    pub(crate) fn forget_entry(&mut self, key: u128) -> Option<Entry> {
        self.entries.remove(&key)
    }

    /// Learns from the store which URLs were seen.
    pub(crate) fn load_seen(&mut self, urls: u64) -> Result<(), StoreError> {
        let (seen, most) = (&mut self.seen, self.seen_max);
        seen.reserve((urls as usize).min(most));
        self.store.keys(&mut |key| {
            seen.insert(key);
            seen.len() < most
        })
    }

    /// Entries in memory.
    #[cfg(test)]
    pub(crate) fn entries_in_memory(&self) -> usize {
        self.entries.len()
    }
}

impl fmt::Debug for UrlTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UrlTable")
            .field("store", &self.store)
            .field("seen", &self.seen.len())
            .field("entries", &self.entries.len())
            .field("unwritten", &self.unwritten.len())
            .finish()
    }
}
