//! The journals of several nodes of one crawl, read as one: whoever sums up the records of one machine
//! sums up those of many with it.
//!
//! ```text
//! node 1   page 7 ─► page 8 ───────────────────────► page 9
//! node 2            page 3 ─► elsewhere (1: 8) ─► page 4, repeats 1: 8
//! one      page 1 ─► page 2 ─► page 3 ─► elsewhere ─► page 4 ─► page 5, repeats 3
//! ```
//!
//! Each journal keeps its order. Between journals the time of the records counts, but what a node says it
//! has seen of another comes behind it, whatever the clocks say. Records are numbered anew in this order,
//! and pages that are named by their number with them, so that what follows from the order of numbers in
//! one journal holds here too. A text that another node kept stands in a journal a second time, as known
//! from elsewhere: where that node's journal is read as well, only its own record stays.
//!
//! A second reading ends where the first one did, also when nodes go on writing meanwhile: see
//! [`Bounds`].
//!
//! Costs: 16 bytes of memory and some for each finished URL.

use std::collections::HashMap;
use std::iter::Peekable;
use std::sync::{Arc, Mutex, PoisonError};

use archive::{ElsewhereRecord, Event, PageRecord, Record};
use ledger::{global_page, own_page};

/// How far each journal was read at first.
#[derive(Debug, Clone, Default)]
pub struct Bounds {
    /// By journal, how many records.
    records: Arc<Mutex<Option<Vec<u64>>>>,
}

impl Bounds {
    fn get(&self) -> Option<Vec<u64>> {
        let records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.clone()
    }

    fn set(&self, read: Vec<u64>) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        records.get_or_insert(read);
    }
}

/// A record in the one order.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// Which journal it is from.
    pub journal: usize,
    /// Its number there.
    pub seq: u64,
    /// The record, with its number in the one order.
    pub record: Record,
}

/// Several journals as one. See the module's text.
pub struct Journals<I: Iterator<Item = Record>> {
    sources: Vec<Source<I>>,
    /// Pages by their number over all nodes, with that in the one order.
    numbers: HashMap<u64, u64>,
    next: u64,
    ends: Option<Vec<u64>>,
    bounds: Bounds,
}

struct Source<I: Iterator<Item = Record>> {
    node: u16,
    records: Peekable<I>,
    /// Its last record that was given.
    last: Option<u64>,
    given: u64,
}

impl<I: Iterator<Item = Record>> Journals<I> {
    /// Reads these journals, each with the number of its node, up to where they were read before.
    pub fn new(journals: impl IntoIterator<Item = (u16, I)>, bounds: &Bounds) -> Journals<I> {
        let journals = journals.into_iter();
        Journals {
            sources: journals
                .map(|(node, records)| Source {
                    node,
                    records: records.peekable(),
                    last: None,
                    given: 0,
                })
                .collect(),
            numbers: HashMap::new(),
            next: 0,
            ends: bounds.get(),
            bounds: bounds.clone(),
        }
    }

    /// The next record of a journal, if it is read that far.
    fn head(&mut self, at: usize) -> Option<&Record> {
        let end = self.ends.as_ref().and_then(|ends| ends.get(at)).copied();
        let source = &mut self.sources[at];
        match end.is_some_and(|end| source.given >= end) {
            true => None,
            false => source.records.peek(),
        }
    }

    /// The journal whose record is next.
    fn turn(&mut self) -> Option<usize> {
        let mut first: Option<(u64, usize)> = None;
        for at in 0..self.sources.len() {
            if let Some(at_ms) = self.head(at).map(|record| record.at_ms) {
                first = Some(first.map_or((at_ms, at), |other| other.min((at_ms, at))));
            }
        }
        let (_, mut at) = first?;
        // What it has seen comes first. Journals of one crawl do not wait for each other in a circle; damaged
        // ones might, and then the clocks count.
        for _ in 0..self.sources.len() {
            match self.behind(at) {
                Some(other) => at = other,
                None => break,
            }
        }
        Some(at)
    }

    /// Another journal that has yet to come to what the next record of this one has seen.
    fn behind(&mut self, at: usize) -> Option<usize> {
        let Event::Elsewhere(elsewhere) = &self.head(at)?.event else {
            return None;
        };
        let mut seen: Vec<(u16, u64)> = Vec::new();
        for page in &elsewhere.kept {
            seen.push(own_page(page.page));
        }
        let is_behind = |source: &Source<I>, seq: u64| source.last.is_none_or(|last| last < seq);
        for (node, seq) in seen {
            let other = self.sources.iter().position(|source| source.node == node);
            if let Some(other) = other.filter(|other| *other != at)
                && is_behind(&self.sources[other], seq)
                && self.head(other).is_some()
            {
                return Some(other);
            }
        }
        None
    }

    /// A page's number in the one order, by its number in a journal; one that was not read keeps its
    /// number over all nodes.
    fn number(&self, page: u64, node: u16) -> u64 {
        let page = match own_page(page) {
            (0, own) => global_page(node, own),
            (_, _) => page,
        };
        self.numbers.get(&page).copied().unwrap_or(page)
    }

    fn page(&self, page: &mut PageRecord, node: u16) {
        for number in page.via.iter_mut().chain(&mut page.replaces) {
            *number = self.number(*number, node);
        }
        if let Some(nearest) = &mut page.nearest {
            nearest.page = self.number(nearest.page, node);
        }
    }

    /// What nodes whose journals are not read kept: of the others there are the records themselves.
    fn elsewhere(&self, elsewhere: &mut ElsewhereRecord, node: u16) {
        let is_read = |page: u64| {
            let (of, _) = own_page(page);
            self.sources.iter().any(|source| source.node == of)
        };
        elsewhere.kept.retain(|page| !is_read(page.page));
        for page in &mut elsewhere.kept {
            if let Some(replaces) = &mut page.replaces {
                *replaces = self.number(*replaces, node);
            }
        }
        for page in &mut elsewhere.withdrawn {
            *page = self.number(*page, node);
        }
    }

    fn renumbered(&mut self, mut record: Record, node: u16) -> Record {
        let number = self.next;
        self.next += 1;
        match &mut record.event {
            Event::Page(page) => {
                self.page(page, node);
                self.numbers.insert(global_page(node, record.seq), number);
            }
            Event::Visit(visit) => {
                visit.of = self.number(visit.of, node);
                if let Some(page) = &mut visit.page {
                    self.page(page, node);
                }
                self.numbers.insert(global_page(node, record.seq), number);
            }
            Event::Elsewhere(elsewhere) => self.elsewhere(elsewhere, node),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Stop(_) => {}
        }
        record.seq = number;
        record
    }
}

impl<I: Iterator<Item = Record>> Iterator for Journals<I> {
    type Item = Placed;

    fn next(&mut self) -> Option<Placed> {
        let Some(journal) = self.turn() else {
            let read = self.sources.iter().map(|source| source.given);
            self.bounds.set(read.collect());
            return None;
        };
        let source = &mut self.sources[journal];
        let record = source.records.next()?;
        let (node, seq) = (source.node, record.seq);
        source.last = Some(seq);
        source.given += 1;
        Some(Placed {
            journal,
            seq,
            record: self.renumbered(record, node),
        })
    }
}

#[cfg(test)]
mod tests {
    use archive::{ElsewherePage, NeighbourRecord};
    use outcome::{JunkReason, Outcome, Verdict};

    use super::*;

    fn record(seq: u64, at_ms: u64, event: Event) -> Record {
        Record { seq, at_ms, event }
    }

    fn page(url: &str, repeats: Option<u64>) -> Event {
        let outcome = match repeats {
            Some(_) => Verdict::Junk(JunkReason::NearDuplicate),
            None => Verdict::Index,
        };
        Event::Page(Box::new(PageRecord {
            url: url.into(),
            outcome: Outcome::Judged(outcome),
            nearest: repeats.map(|page| NeighbourRecord {
                page,
                ..NeighbourRecord::default()
            }),
            ..PageRecord::default()
        }))
    }

    fn elsewhere(pages: &[u64]) -> Event {
        let kept = pages.iter().map(|page| ElsewherePage {
            page: *page,
            ..ElsewherePage::default()
        });
        Event::Elsewhere(ElsewhereRecord {
            seen: 1,
            kept: kept.collect(),
            withdrawn: Vec::new(),
            ..ElsewhereRecord::default()
        })
    }

    fn merged(journals: [(u16, Vec<Record>); 2]) -> Vec<Placed> {
        let journals = journals.map(|(node, records)| (node, records.into_iter()));
        Journals::new(journals, &Bounds::default()).collect()
    }

    fn nearest(placed: &Placed) -> Option<u64> {
        let Event::Page(page) = &placed.record.event else {
            return None;
        };
        page.nearest.as_ref().map(|near| near.page)
    }

    #[test]
    fn a_page_is_behind_the_one_that_it_repeats_whatever_the_clocks_say() {
        // The second node's clock is an hour late.
        let first = vec![
            record(1, 9_000_000, page("http://a.example/", None)),
            record(2, 9_000_001, page("http://a.example/x", None)),
        ];
        let seen = global_page(1, 2);
        let second = vec![
            record(1, 5_000_000, page("http://b.example/", None)),
            record(2, 5_000_001, elsewhere(&[seen])),
            record(3, 5_000_002, page("http://b.example/x", Some(seen))),
        ];
        let all = merged([(1, first), (2, second)]);
        let order: Vec<(usize, u64)> = all.iter().map(|at| (at.journal, at.seq)).collect();
        assert_eq!(order, [(1, 1), (0, 1), (0, 2), (1, 2), (1, 3)]);
        let numbers: Vec<u64> = all.iter().map(|at| at.record.seq).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
        assert_eq!(nearest(&all[4]), Some(2));
        let Event::Elsewhere(known) = &all[3].record.event else {
            panic!("{:?}", all[3]);
        };
        assert_eq!(known.kept, [], "the other journal has it");
    }

    #[test]
    fn of_a_node_whose_journal_is_not_read_what_is_known_stays() {
        let seen = global_page(7, 40);
        let second = vec![
            record(1, 1, elsewhere(&[seen])),
            record(2, 2, page("http://b.example/x", Some(seen))),
        ];
        let all = merged([(1, Vec::new()), (2, second)]);
        assert_eq!(nearest(&all[1]), Some(seen));
        let Event::Elsewhere(known) = &all[0].record.event else {
            panic!("{:?}", all[0]);
        };
        assert_eq!(known.kept.len(), 1);
    }

    #[test]
    fn own_numbers_of_two_journals_are_told_apart() {
        let journal = |host: &str| {
            vec![
                record(0, 1, page(&format!("http://{host}/"), None)),
                record(1, 2, page(&format!("http://{host}/copy"), Some(0))),
            ]
        };
        let all = merged([(1, journal("a.example")), (2, journal("b.example"))]);
        let order: Vec<_> = all.iter().map(|at| (at.journal, nearest(at))).collect();
        assert_eq!(order, [(0, None), (1, None), (0, Some(0)), (1, Some(1))]);
    }

    #[test]
    fn a_second_reading_ends_where_the_first_did() {
        let bounds = Bounds::default();
        let records =
            |count: u64| (0..count).map(|n| record(n, n, page("http://a.example/", None)));
        let read = |count| Journals::new([(1, records(count)), (2, records(3))], &bounds).count();
        assert_eq!(read(2), 5);
        assert_eq!(read(9), 5);
    }

    #[test]
    fn journals_that_wait_for_each_other_are_read_by_their_clocks() {
        let one = vec![record(1, 1, elsewhere(&[global_page(2, 9)]))];
        let two = vec![record(1, 2, elsewhere(&[global_page(1, 9)]))];
        assert_eq!(merged([(1, one), (2, two)]).len(), 2);
    }
}
