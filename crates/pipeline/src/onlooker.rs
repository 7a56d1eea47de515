//! Records for who watches a crawl in its own process: handed over, so that nobody reads them once more.
//!
//! The writer has each record as a value and lets go of it when it is applied. An onlooker takes it over
//! then, and sees it once it is synced. The journal stays the truth, and this is a short cut: what is not
//! taken in time is dropped, and the onlooker, who finds that a record does not begin where the last one
//! ended, reads the journal on from there.
//!
//! Memory: records with at most [`LINKS_MAX`] links, some 250 bytes each.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use archive::{Event, Position, Record};

/// Links of records that wait to be taken; with more, all that wait is dropped.
const LINKS_MAX: usize = 32_768;

/// With so many links waiting, who takes them is woken.
const LINKS_WAKE: usize = LINKS_MAX / 4;

/// A record counts as so many links, beside those that it has.
const LINKS_OF_A_RECORD: usize = 8;

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
    fn links(&self) -> usize {
        let links = match &self.record.event {
            Event::Page(page) => page.links.len(),
            Event::Visit(visit) => visit.page.as_ref().map_or(0, |page| page.links.len()),
            Event::Sitemap(sitemap) => sitemap.urls.len(),
            Event::Retry(retry) => retry.urls.len(),
            Event::Again(again) => again.urls.len(),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Attempt(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => 0,
        };
        links + LINKS_OF_A_RECORD
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
    links: usize,
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
        waiting.links -= taken.iter().map(Written::links).sum::<usize>();
        taken
    }

    /// Whether anybody is there.
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_there.load(Ordering::Relaxed)
    }

    /// Hands a record over that is not synced yet.
    pub fn hand_over(&self, written: Written) {
        let mut waiting = self.waiting();
        waiting.links += written.links();
        waiting.records.push_back(written);
        if waiting.links > LINKS_MAX {
            waiting.records.clear();
            (waiting.links, waiting.synced) = (0, 0);
        }
    }

    /// All that was handed over is synced now.
    pub fn are_synced(&self) {
        let mut waiting = self.waiting();
        waiting.synced = waiting.records.len();
        if waiting.links >= LINKS_WAKE
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
    use archive::{LinkRecord, PageRecord};

    use super::*;

    fn written(at: u64, links: usize) -> Written {
        let page = PageRecord {
            links: vec![LinkRecord::default(); links],
            ..PageRecord::default()
        };
        let event = Event::Page(Box::new(page));
        Written {
            begin: Position::new(1, at),
            end: Position::new(1, at + 1),
            record: Record {
                seq: at,
                at_ms: 0,
                event,
            },
        }
    }

    fn begins(taken: &[Written]) -> Vec<u64> {
        taken.iter().map(|written| written.begin.offset()).collect()
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
        let half = LINKS_MAX / 2;
        onlooker.hand_over(written(0, half));
        onlooker.are_synced();
        onlooker.hand_over(written(1, half));
        assert_eq!(begins(&onlooker.take(9)), [] as [u64; 0], "both are gone");
        onlooker.hand_over(written(2, half));
        onlooker.are_synced();
        assert_eq!(begins(&onlooker.take(9)), [2], "a gap, and then it goes on");
    }
}
