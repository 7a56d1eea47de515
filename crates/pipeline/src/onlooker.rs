//! Records for who watches a crawl in its own process: handed over, so that nobody reads them once more.
//!
//! The writer has each record as a value and lets go of it when it is applied. An onlooker takes it over
//! then, and sees it once it is synced. The journal stays the truth, and this is a short cut: what is not
//! taken in time is dropped, and the onlooker, who finds that a record does not begin where the last one
//! ended, reads the journal on from there.
//!
//! Memory: [`BYTES_MAX`] and one record.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use archive::{Event, LinkRecord, PageRecord, Position, Record};

/// Bytes of records that wait to be taken; with more, all that wait is dropped.
const BYTES_MAX: u64 = 8 << 20;

/// With so many bytes waiting, who takes them is woken.
const BYTES_WAKE: u64 = BYTES_MAX / 4;

/// A record with its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Where the record before it ends.
    pub begin: Position,
    /// Where it ends.
    pub end: Position,
    /// The record as it stands in the journal.
    pub record: Record,
}

impl Written {
    /// What it takes up in memory, roughly: its strings are as long as its lines in the journal at most.
    fn bytes(&self) -> u64 {
        let links = match &self.record.event {
            Event::Page(page) => page.links.len(),
            Event::Visit(visit) => visit.page.as_ref().map_or(0, |page| page.links.len()),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => 0,
        };
        // It is the first of a file, else.
        let before = match self.begin.file() == self.end.file() {
            true => self.begin.offset(),
            false => 0,
        };
        let line = self.end.offset().saturating_sub(before);
        line + (links * size_of::<LinkRecord>() + size_of::<PageRecord>()) as u64
    }
}

/// Where a crawl puts its records for who watches it; all clones are one.
#[derive(Debug, Clone, Default)]
pub struct Onlooker(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    is_there: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    records: VecDeque<Written>,
    bytes: u64,
    /// Of the records, the first so many are synced.
    synced: usize,
    who: Option<Thread>,
}

impl Onlooker {
    /// From now on records are kept for this thread, which is woken when many wait.
    pub fn arrive(&self, who: Thread) {
        self.waiting().who = Some(who);
        self.0.is_there.store(true, Ordering::SeqCst);
    }

    /// From now on none are.
    pub fn leave(&self) {
        self.0.is_there.store(false, Ordering::SeqCst);
        *self.waiting() = Waiting::default();
    }

    /// Takes at most so many records of those that are synced, in order.
    pub fn take(&self, records_max: usize) -> Vec<Written> {
        let mut waiting = self.waiting();
        let count = waiting.synced.min(records_max);
        let taken: Vec<Written> = waiting.records.drain(..count).collect();
        waiting.synced -= count;
        waiting.bytes -= taken.iter().map(Written::bytes).sum::<u64>();
        taken
    }

    /// Whether anybody is there.
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_there.load(Ordering::Relaxed)
    }

    /// Hands a record over that is not synced yet.
    pub fn hand_over(&self, written: Written) {
        let mut waiting = self.waiting();
        waiting.bytes += written.bytes();
        waiting.records.push_back(written);
        if waiting.bytes > BYTES_MAX {
            waiting.records.clear();
            (waiting.bytes, waiting.synced) = (0, 0);
        }
    }

    /// All that was handed over is synced now.
    pub fn are_synced(&self) {
        let mut waiting = self.waiting();
        waiting.synced = waiting.records.len();
        if waiting.bytes >= BYTES_WAKE
            && let Some(who) = &waiting.who
        {
            who.unpark();
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        let waiting = self.0.waiting.lock();
        waiting.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(at: u64, bytes: u64) -> Written {
        Written {
            begin: Position::new(1, at * BYTES_MAX),
            end: Position::new(1, at * BYTES_MAX + bytes),
            record: Record {
                seq: at,
                at_ms: 0,
                event: Event::Page(Box::default()),
            },
        }
    }

    fn begins(taken: &[Written]) -> Vec<u64> {
        taken.iter().map(|written| written.record.seq).collect()
    }

    #[test]
    fn records_are_seen_in_order_and_once_they_are_synced() {
        let onlooker = Onlooker::default();
        assert!(!onlooker.is_there());
        onlooker.arrive(std::thread::current());
        assert!(onlooker.clone().is_there());
        (0..3).for_each(|at| onlooker.hand_over(written(at, 2)));
        assert_eq!(begins(&onlooker.take(9)), [] as [u64; 0]);
        onlooker.are_synced();
        onlooker.hand_over(written(3, 2));
        assert_eq!(begins(&onlooker.take(2)), [0, 1]);
        assert_eq!(begins(&onlooker.take(9)), [2]);
        onlooker.are_synced();
        assert_eq!(begins(&onlooker.take(9)), [3]);
        onlooker.leave();
        assert!(!onlooker.is_there());
    }

    #[test]
    fn what_nobody_takes_is_dropped_as_a_whole() {
        let onlooker = Onlooker::default();
        onlooker.arrive(std::thread::current());
        let half = BYTES_MAX / 2;
        onlooker.hand_over(written(0, half));
        onlooker.are_synced();
        onlooker.hand_over(written(1, half));
        assert_eq!(begins(&onlooker.take(9)), [] as [u64; 0], "both are gone");
        onlooker.hand_over(written(2, half));
        onlooker.are_synced();
        assert_eq!(begins(&onlooker.take(9)), [2], "a gap, and then it goes on");
    }
}
