//! What a frontier asks of its store: the URLs it knows, the queue slots it has no room for, and
//! now and then a copy of what is in memory, so that the next start need not make it again.
//!
//! A store is a view. It holds URLs together with the journal position that they follow from, so
//! that whatever is lost can be replayed: no change here waits for the disk. [`MemoryStore`] is the
//! plain model of what a store does, [`DiskStore`] the one that a crawl uses; one suite of
//! operation sequences, `tests/store.rs`, holds both to the same behaviour.
//!
//! ```text
//! apply   URLs and a position      at every step
//! spill   slots of many queues     when memory has too many
//! save    what is in memory        rarely; a start loads it, and then the tail: what was applied since
//! ```

use std::cmp::Ordering;
use std::fmt;

pub use kv::StoreError;
use serde::{Deserialize, Serialize};

use crate::host::HostKey;
use crate::lease::{FrontierUrl, HeldBack};

mod disk;
mod memory;

pub use disk::DiskStore;
pub use memory::MemoryStore;

/// Where a frontier keeps its URLs, and the queue slots that memory has no room for.
///
/// URLs go by their key, [`CanonicalUrl::key`](crate::CanonicalUrl::key); two of them never agree
/// in the lower 64 bits. Queues go by the number of their host, in the order in which hosts became
/// known. After an error the store is of no more use to the one who has it; it is opened again and
/// the journal replayed.
pub trait FrontierStore: fmt::Debug + Send {
    /// The journal position that the stored URLs follow from; 0 for an empty store.
    fn position(&self) -> u64;

    /// The position at which memory was saved last; 0 when it never was.
    fn memory_position(&self) -> u64;

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

    /// Gives the lower halves of the keys of stored URLs, in no order, until `take` says that it
    /// has enough. A key may come twice.
    ///
    /// # Errors
    /// When they cannot be read.
    fn keys(&self, take: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError>;

    /// Stores what became of URLs, each in the place of what was stored of it before, and the
    /// journal position that they follow from. After a crash all of it is there, or none.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn apply(&mut self, changes: &[(u128, Change)], position: u64) -> Result<(), StoreError>;

    /// Takes slots of queues in, each queue's in order.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn spill(
        &mut self,
        queues: &mut dyn Iterator<Item = (u32, Vec<QueueSlot>)>,
    ) -> Result<(), StoreError>;

    /// Gives some spilled slots of a host's queue back, in order, the best one among them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn take_spilled(&mut self, host: u32) -> Result<Returned, StoreError>;

    /// Forgets one spilled slot of a host's queue; false when no spilled one can be it. The caller
    /// names no slot that was never spilled.
    fn forget_spilled(&mut self, host: u32, slot: &QueueSlot) -> bool;

    /// Whether so much was applied since memory was last saved that it should be saved again. At the
    /// end of a process less is enough.
    fn wants_save(&self, at_end: bool) -> bool;

    /// Stores what is in memory, as it is after the last [`FrontierStore::apply`].
    ///
    /// # Errors
    /// When the store cannot be written.
    fn save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError>;

    /// The same, but only its bytes are made before this returns, and the store can be used while they are
    /// on their way to the disk. Until they are there, what was saved before holds. An error on the way is
    /// one of a later call, [`FrontierStore::finish_save`] at the latest.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn begin_save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError> {
        self.save(memory)
    }

    /// Waits for what [`FrontierStore::begin_save`] began.
    ///
    /// # Errors
    /// When it cannot be written.
    fn finish_save(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Gives back what was saved last, if anything was. Called once, when the store is opened.
    ///
    /// # Errors
    /// When it cannot be read, or `take` fails.
    fn load(
        &mut self,
        take: &mut dyn FnMut(Saved) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Some of what was applied after that, in order, less what changed nothing of a URL that waits; nothing when there is no more. Called after
    /// [`FrontierStore::load`] until it gives nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    fn tail(&mut self) -> Result<Vec<Applied>, StoreError>;
}

/// A pending URL as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The URL with all it carries.
    pub url: FrontierUrl,
    /// The number of its next attempt, 1 for the first.
    pub attempt: u32,
    /// Not to be tried before this time (milliseconds since the Unix epoch); 0 for any time.
    pub not_before_ms: u64,
    /// Its number in the order of admissions.
    pub order: u64,
}

/// What is stored of a URL.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredUrl {
    /// It waits, or was being visited when the process ended.
    Pending(Waiting),
    /// It met its fate.
    Finished,
}

/// What becomes of a URL.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// It waits from now on.
    Pending(Waiting),
    /// It met its fate.
    Finished {
        /// Number of the seed whose budget it used up; none if it was no page.
        seed: Option<u32>,
        /// Its host.
        host: HostKey,
    },
}

impl Change {
    /// The number of the seed whose budget the URL uses up; none if it is no page.
    pub fn seed(&self) -> Option<u32> {
        match self {
            Change::Pending(waiting) => waiting.url.paying_seed(),
            Change::Finished { seed, .. } => *seed,
        }
    }

    /// What is stored of the URL with that.
    pub fn stored(self) -> StoredUrl {
        match self {
            Change::Pending(waiting) => StoredUrl::Pending(waiting),
            Change::Finished { .. } => StoredUrl::Finished,
        }
    }
}

/// A change that was applied.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The URL's key.
    pub key: u128,
    /// What was stored of the URL before.
    pub before: Option<StoredUrl>,
    /// What became of it.
    pub change: Change,
}

impl Applied {
    /// Whether it says more than that a URL waits just as before: a store may write that again to make room.
    pub(crate) fn changes_anything(&self) -> bool {
        match (&self.before, &self.change) {
            (Some(StoredUrl::Pending(before)), Change::Pending(after)) => before != after,
            (Some(_) | None, _) => true,
        }
    }
}

/// Spilled slots that come back.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Returned {
    /// The slots, in order.
    pub slots: Vec<QueueSlot>,
    /// None of the slots that are still spilled is better than this one; none when there are no
    /// more.
    pub rest_from: Option<QueueSlot>,
}

/// A part of what a frontier has in memory. The totals come first, then the hosts by their number,
/// then the URLs.
#[derive(Debug, Clone, PartialEq)]
pub enum Saved {
    /// Its sums.
    Totals(SavedTotals),
    /// A host.
    Host(SavedHost),
    /// A URL that is in memory with all it carries.
    Url(Box<SavedUrl>),
}

/// Sums over all URLs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTotals {
    /// URLs ever admitted.
    pub admitted: u64,
    /// URLs finished.
    pub finished: u64,
    /// The number of the next URL in the order of admissions.
    pub next_order: u64,
    /// The same of each seed.
    pub of_seeds: Vec<SavedSeed>,
}

/// Sums over the URLs that a seed brought in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSeed {
    /// Its number.
    pub seed: u32,
    /// URLs ever admitted.
    pub admitted: u64,
    /// URLs finished.
    pub finished: u64,
}

/// A host and its queue in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedHost {
    /// The host.
    pub host: HostKey,
    /// URLs admitted so far.
    pub admitted: u64,
    /// What may be asked for, in order.
    pub ready: Vec<QueueSlot>,
    /// What is to be tried again, each with its time (milliseconds since the Unix epoch).
    pub retries: Vec<(u64, QueueSlot)>,
    /// How many slots are spilled.
    pub spilled: u64,
    /// None of them is better than this one.
    pub spilled_from: Option<QueueSlot>,
}

/// A pending URL in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct SavedUrl {
    /// Its key.
    pub key: u128,
    /// The URL.
    pub waiting: Waiting,
    /// It stands behind all others of its host.
    pub held: Option<HeldBack>,
    /// Its priority or context is not the stored one.
    pub changed: bool,
}

/// A pending URL's place in its host's queue. Slots sort as they are served: larger priority
/// first, then smaller depth, then the order of admission.
#[derive(Debug, Clone, Copy)]
pub struct QueueSlot {
    /// Larger first: 0.0 to 1.0, and above 1 for visits. Below zero while the URL is deferred or held
    /// back, so that it stands behind all others: then it is -1 less the priority that the URL has of
    /// its own, at most 1, and -3 less that where it is held back to the last.
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
        // A visit's priority may be above 1, and would be read as the other kind.
        let own = self.priority.clamp(0.0, 1.0);
        let priority = match held {
            HeldBack::UntilOthersAreDone => -1.0 - own,
            HeldBack::ToTheLast => -3.0 - own,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_back_reads_so_whatever_its_priority() {
        for priority in [0.0, 0.5, 1.0, 1.6, 3.0, f32::MAX] {
            let slot = QueueSlot {
                priority,
                depth: 0,
                order: 1,
                key: 1,
            };
            assert_eq!(slot.held(), None);
            for held in [HeldBack::UntilOthersAreDone, HeldBack::ToTheLast] {
                assert_eq!(slot.held_back(held).held(), Some(held), "{priority}");
            }
        }
    }
}
