//! Where each URL is: pending, or finished with which fate.
//!
//! The totals of a report must add up for any journal: a URL that was put back into the queue is
//! pending again and loses its old fate, a page that lost its place in the index is junk from
//! then on, a URL named by a link and by a sitemap is one URL. So each URL is remembered, not by
//! its text but by 64 bits of hash: some 50 bytes per URL with the tables, 50 MB for a million.
//! Two of ten million URLs share a hash in about one of 400,000 crawls; they are counted as one.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use outcome::{Outcome, Verdict};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// Where a URL is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Waiting in the queue, or under way.
    Pending,
    /// Kept, in the search index.
    Indexed,
    /// Read and dropped.
    Junk,
    /// Never answered well.
    Failed,
    /// Not fetched, or not further: robots, guard, scope.
    Refused,
    /// Answered with the address of another page.
    Redirected,
    /// Unchanged since the last crawl.
    NotModified,
}

/// How many URLs are where. Every set of counts adds up:
/// `admitted = pending + finished`, and `finished` is the sum of what follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// URLs that were ever let into the queue.
    pub admitted: u64,
    /// Of these, not yet finished.
    pub pending: u64,
    /// Of these, finished.
    pub finished: u64,
    /// Finished: kept.
    pub indexed: u64,
    /// Finished: read and dropped.
    pub junk: u64,
    /// Finished: no usable answer.
    pub failed: u64,
    /// Finished: refused by robots, guard or scope.
    pub refused: u64,
    /// Finished: led elsewhere.
    pub redirected: u64,
    /// Finished: unchanged since an earlier crawl.
    pub not_modified: u64,
}

impl State {
    /// Where a URL is that met this fate. An outcome that a newer version wrote counts as failed.
    pub fn of(outcome: &Outcome) -> State {
        match outcome {
            Outcome::Judged(Verdict::Index) => Self::Indexed,
            Outcome::Judged(Verdict::Junk(_)) => Self::Junk,
            Outcome::Redirected => Self::Redirected,
            Outcome::NotModified => Self::NotModified,
            Outcome::Refused(_) => Self::Refused,
            Outcome::Failed(_) | Outcome::Unknown(_) => Self::Failed,
        }
    }
}

impl Counts {
    fn part(&mut self, state: State) -> &mut u64 {
        match state {
            State::Pending => &mut self.pending,
            State::Indexed => &mut self.indexed,
            State::Junk => &mut self.junk,
            State::Failed => &mut self.failed,
            State::Refused => &mut self.refused,
            State::Redirected => &mut self.redirected,
            State::NotModified => &mut self.not_modified,
        }
    }

    /// One more URL, pending.
    pub(crate) fn admit(&mut self) {
        self.admitted += 1;
        self.pending += 1;
    }

    /// A URL goes from one state to another.
    pub(crate) fn shift(&mut self, from: State, to: State) {
        *self.part(from) -= 1;
        *self.part(to) += 1;
        self.finished = self.admitted - self.pending;
    }

    /// Whether the sums hold.
    pub fn add_up(&self) -> bool {
        let fates = self.indexed + self.junk + self.failed;
        let fates = fates + self.refused + self.redirected + self.not_modified;
        self.admitted == self.pending + self.finished && self.finished == fates
    }

    /// The fates of finished URLs in the order of a report, with their names.
    pub fn fates(&self) -> [(&'static str, u64); 6] {
        [
            ("indexed", self.indexed),
            ("junk", self.junk),
            ("redirected", self.redirected),
            ("not_modified", self.not_modified),
            ("refused", self.refused),
            ("failed", self.failed),
        ]
    }
}

/// One URL as it is remembered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot {
    pub state: State,
    /// Which reason of the tally's list, for junk, refused and failed.
    pub reason: u8,
    /// Which host of the tally's list.
    pub host: u16,
    /// Which seed of the tally's list.
    pub seed: u16,
}

/// The number of a URL's slot.
pub(crate) type SlotId = u32;

/// All URLs of a crawl.
#[derive(Debug, Default)]
pub(crate) struct Fates {
    by_url: HashMap<u64, SlotId, AsIs>,
    by_page: HashMap<u64, SlotId>,
    slots: Vec<Slot>,
}

impl Fates {
    /// The slot of a URL that was admitted before.
    pub(crate) fn find(&self, url: &str) -> Option<SlotId> {
        self.by_url.get(&xxh3_64(url.as_bytes())).copied()
    }

    /// The slot of a URL, and whether it is new; a new one is pending.
    ///
    /// # Panics
    /// Beyond 2^32 URLs.
    pub(crate) fn admit(&mut self, url: &str, host: u16, seed: u16) -> (SlotId, bool) {
        let next = SlotId::try_from(self.slots.len()).expect("fewer URLs than 2^32");
        let slot = *self.by_url.entry(xxh3_64(url.as_bytes())).or_insert(next);
        if slot == next {
            self.slots.push(Slot {
                state: State::Pending,
                reason: 0,
                host,
                seed,
            });
        }
        (slot, slot == next)
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, slot: SlotId) -> &Slot {
        &self.slots[slot as usize]
    }

    pub(crate) fn slot(&mut self, slot: SlotId) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    /// Remembers which URL a judged page's record number stands for.
    pub(crate) fn name_page(&mut self, page: u64, slot: SlotId) {
        self.by_page.insert(page, slot);
    }

    /// The slot of a judged page.
    pub(crate) fn page(&self, page: u64) -> Option<SlotId> {
        self.by_page.get(&page).copied()
    }
}

/// The keys are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

/// For keys that are hashes already.
pub(crate) type AsIs = BuildHasherDefault<Identity>;

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}
