//! What a frontier asks of its store: the URLs it knows, and the queue slots it has no room for.
//!
//! A store is a view. It holds URLs together with the journal position that they follow from, so
//! that whatever is lost can be replayed: nothing here waits for the disk. [`MemoryStore`] is the
//! plain model of what a store does, [`DiskStore`] the one that a crawl uses; one suite of
//! operation sequences, `tests/store.rs`, holds both to the same behaviour.

use std::cmp::Ordering;
use std::fmt;

pub use kv::StoreError;

use crate::host::HostKey;
use crate::lease::{FrontierUrl, HeldBack};

mod disk;
mod memory;

pub use disk::DiskStore;
pub use memory::MemoryStore;

/// Where a frontier keeps its URLs, and the queue slots that memory has no room for.
///
/// URLs go by their key, [`CanonicalUrl::key`](crate::CanonicalUrl::key). After an error the store
/// is of no more use to the one who has it; it is opened again and the journal replayed.
pub trait FrontierStore: fmt::Debug + Send {
    /// The journal position that the stored URLs follow from; 0 for an empty store.
    ///
    /// # Errors
    /// When it cannot be read.
    fn position(&self) -> Result<u64, StoreError>;

    /// A stored URL; none when it was never stored.
    ///
    /// # Errors
    /// When it cannot be read.
    fn url(&self, key: u128) -> Result<Option<StoredUrl>, StoreError>;

    /// Whether a URL was ever stored.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn has_url(&self, key: u128) -> Result<bool, StoreError>;

    /// Stored URLs by key, those after `key` only, at most `limit`; none when there are no more.
    ///
    /// # Errors
    /// When one of them cannot be read.
    fn urls_after(
        &self,
        key: Option<u128>,
        limit: usize,
    ) -> Result<Vec<(u128, StoredUrl)>, StoreError>;

    /// Stores URLs, each in the place of what was stored of it before, and the journal position
    /// that they follow from. After a crash in between some of the URLs are as before, and so is
    /// the position: it is never ahead of them.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn apply(&mut self, urls: &[(u128, StoredUrl)], position: u64) -> Result<(), StoreError>;

    /// Takes slots of a host's queue in.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn spill(&mut self, host: &HostKey, slots: &[QueueSlot]) -> Result<(), StoreError>;

    /// Gives the best spilled slots of a host's queue back, in order, at most `limit`.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    fn take_spilled(&mut self, host: &HostKey, limit: usize) -> Result<Vec<QueueSlot>, StoreError>;

    /// Removes one spilled slot; false when it was not there.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn remove_spilled(&mut self, host: &HostKey, slot: &QueueSlot) -> Result<bool, StoreError>;

    /// Removes all spilled slots: they are of one process, and the next one makes its queues from
    /// the URLs.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn clear_spilled(&mut self) -> Result<(), StoreError>;
}

/// A URL as stored.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredUrl {
    /// It waits, or was being visited when the process ended.
    Pending {
        /// The URL with all it carries.
        url: FrontierUrl,
        /// The number of its next attempt, 1 for the first.
        attempt: u32,
        /// Not to be tried before this time (milliseconds since the Unix epoch); 0 for any time.
        not_before_ms: u64,
        /// Its number in the order of admissions.
        order: u64,
    },
    /// It met its fate.
    Finished {
        /// Number of its seed.
        seed: u32,
        /// Its host.
        host: HostKey,
    },
}

/// A pending URL's place in its host's queue. Slots sort as they are served: larger priority
/// first, then smaller depth, then the order of admission.
#[derive(Debug, Clone, Copy)]
pub struct QueueSlot {
    /// 0.0 to 1.0, larger first. Below zero while the URL is deferred or held back, so that it stands
    /// behind all others: then it is -1 less the priority that the URL has of its own, and -3 less
    /// that where it is held back to the last.
    pub priority: f32,
    /// Links from a seed.
    pub depth: u32,
    /// The URL's number in the order of admissions.
    pub order: u64,
    /// The URL's key.
    pub key: u128,
}

impl QueueSlot {
    /// The slot of the same URL, which is not held back, while it is.
    pub(crate) fn held_back(self, held: HeldBack) -> QueueSlot {
        let priority = match held {
            HeldBack::UntilOthersAreDone => -1.0 - self.priority,
            HeldBack::ToTheLast => -3.0 - self.priority,
        };
        QueueSlot { priority, ..self }
    }

    /// Whether the URL is held back, and for how long.
    pub(crate) fn held(&self) -> Option<HeldBack> {
        if self.priority >= 0.0 {
            None
        } else if self.priority > -2.5 {
            Some(HeldBack::UntilOthersAreDone)
        } else {
            Some(HeldBack::ToTheLast)
        }
    }

    pub(crate) fn is_deferred(&self) -> bool {
        self.priority < 0.0
    }
}

impl Ord for QueueSlot {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .priority
            .total_cmp(&self.priority)
            .then(self.depth.cmp(&other.depth))
            .then(self.order.cmp(&other.order))
            .then(self.key.cmp(&other.key))
    }
}

impl PartialOrd for QueueSlot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for QueueSlot {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for QueueSlot {}
