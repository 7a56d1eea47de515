//! Do the nodes' journals and the ledger tell of the same crawl?
//!
//! ```text
//! journal of node n, up to where it was acknowledged ─┐
//! ledger: ends and kept texts that name n's pages    ─┴─► the same, row by row
//! all journals: each URL ends once, and once more for each time that it was put back
//! ledger: each counter is the number of rows that it counts
//! ```
//!
//! What stands in a journal behind its acknowledged position was never committed: the next start cuts it.
//! Each directory is locked meanwhile; nodes elsewhere may run.
//!
//! Costs: memory of some 60 bytes for each URL finished in the directories; the ledger is read part by
//! part, its tables once as a whole for the totals.

use std::collections::HashMap;

use archive::{Position, Record, Replayed};
use ledger::{
    EndRow, Finish, KeptOp, Ledger, Marks, NodePulse, PART_COUNT, Part, PostgresLedger, Total,
    UrlKey, own_page,
};
use serde::Serialize;

use super::{Identity, hexadecimal, read_identity, rows};
use crate::dir::{CrawlDir, CrawlLock};
use crate::error::CrawlError;

/// Differences listed one by one; the rest is counted.
const LISTED_MAX: usize = 100;

/// In what journals and ledger differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A URL has ended more often than it was put back, and once.
    FinishedTwice,
    /// The ledger acknowledged what the journal does not have.
    MissingFromJournal,
    /// The journal has, before its acknowledged position, what the ledger does not have.
    MissingFromLedger,
    /// Both have a page, and say different things of it.
    Differs,
    /// A counter is not the number of its rows.
    Total,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// In what.
    pub kind: Kind,
    /// In words.
    pub text: String,
}

/// A node's directory, and what was compared of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Compared {
    /// Its number.
    pub node: u16,
    /// Its name.
    pub name: String,
    /// Its directory.
    pub dir: String,
    /// URLs that its journal finishes, as far as it was acknowledged.
    pub finished: u64,
    /// Texts that it keeps, likewise.
    pub kept: u64,
    /// Records behind that: the next start cuts them, and does anew what they told of.
    pub unacknowledged: u64,
}

/// What a comparison found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// The directories.
    pub nodes: Vec<Compared>,
    /// Nodes of the crawl whose directories were not given: what they did was not compared.
    pub absent: Vec<String>,
    /// Differences.
    pub differences: Vec<Difference>,
    /// Differences beyond those listed.
    pub differences_more: u64,
}

impl Audit {
    /// Whether journals and ledger tell of the same crawl.
    pub fn is_clean(&self) -> bool {
        self.differences.is_empty()
    }

    fn differ(&mut self, kind: Kind, text: String) {
        if self.differences.len() < LISTED_MAX {
            self.differences.push(Difference { kind, text });
        } else {
            self.differences_more += 1;
        }
    }
}

/// Compares the directories of nodes that do not run with the ledger of their crawl.
///
/// # Errors
/// [`CrawlError::Setup`] when a directory is no node of this crawl, [`CrawlError::InUse`] when its node
/// runs; when a journal cannot be read, or the ledger does not answer.
pub fn compare(dirs: &[CrawlDir], ledger: &mut PostgresLedger) -> Result<Audit, CrawlError> {
    let crawl = hexadecimal(&ledger.crawl()?);
    let mut members: Vec<(&CrawlDir, Identity)> = Vec::new();
    let mut locks: Vec<CrawlLock> = Vec::new();
    for dir in dirs {
        let identity = identity_in(dir, &crawl)?;
        let is_given = |(_, other): &(_, Identity)| other.number == identity.number;
        if members.iter().any(is_given) {
            return Err(CrawlError::Setup(format!(
                "{} is node {:?}, which is given twice: name each directory once",
                dir.root().display(),
                identity.name
            )));
        }
        locks.push(dir.lock()?);
        members.push((dir, identity));
    }
    // Only now does none of them commit any more.
    let nodes = ledger.overview()?.nodes;
    let mut audit = Audit::default();
    let mut journals: Vec<Journal> = Vec::new();
    for (dir, identity) in members {
        let node = pulse_of(&identity, &nodes, dir)?;
        let (journal, unacknowledged) = Journal::read(dir, &identity, Position(node.journal))?;
        audit.nodes.push(Compared {
            node: identity.number,
            name: identity.name,
            dir: dir.root().display().to_string(),
            finished: journal.ends.values().map(|ends| ends.len() as u64).sum(),
            kept: journal.kept.len() as u64,
            unacknowledged,
        });
        journals.push(journal);
    }
    let is_absent = |node: &&NodePulse| journals.iter().all(|other| other.node != node.fence.node);
    audit.absent = (nodes.iter().filter(is_absent))
        .map(|node| node.name.clone())
        .collect();
    for part in (0..PART_COUNT).filter_map(Part::new) {
        let rows = ledger.ends(part)?;
        compare_ends(part, &rows, &mut journals, &mut audit);
    }
    compare_kept(ledger, &mut journals, &mut audit)?;
    for total in ledger.totals(&nodes)? {
        compare_total(&total, &mut audit);
    }
    Ok(audit)
}

/// Who a directory is; it must be of the crawl.
fn identity_in(dir: &CrawlDir, crawl: &str) -> Result<Identity, CrawlError> {
    let root = dir.root().display();
    let identity = read_identity(dir)?.ok_or_else(|| {
        CrawlError::Setup(format!(
            "{root} is a crawl of one machine and has no ledger: `tamis check-dir {root}` checks it"
        ))
    })?;
    match identity.crawl == crawl {
        true => Ok(identity),
        false => Err(CrawlError::Setup(format!(
            "{root} is node {:?} of another crawl ({}) than the ledger's ({crawl})",
            identity.name, identity.crawl
        ))),
    }
}

fn pulse_of<'n>(
    identity: &Identity,
    nodes: &'n [NodePulse],
    dir: &CrawlDir,
) -> Result<&'n NodePulse, CrawlError> {
    let node = nodes
        .iter()
        .find(|node| node.fence.node == identity.number && node.name == identity.name);
    node.ok_or_else(|| {
        CrawlError::Setup(format!(
            "the crawl has no node {:?} any more: it was forgotten, and what {} holds was put back",
            identity.name,
            dir.root().display()
        ))
    })
}

/// What a journal told the ledger.
#[derive(Debug, Default)]
struct Journal {
    node: u16,
    /// Ends by part, and there by the page's number over all nodes.
    ends: HashMap<Part, HashMap<u64, End>>,
    /// Fingerprints of kept texts by page.
    kept: HashMap<u64, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    key: UrlKey,
    outcome: u8,
    duplicate_of: Option<u64>,
}

impl End {
    /// That in which it is not the other.
    fn words(self, other: End) -> String {
        let repeated = |page: Option<u64>| page.map_or("no page".to_owned(), place);
        if self.key != other.key {
            return "another URL".to_owned();
        }
        match self.outcome == other.outcome {
            true => format!("that it repeats {}", repeated(self.duplicate_of)),
            false => format!("outcome {}", self.outcome),
        }
    }
}

impl Journal {
    /// Reads a journal up to where it was acknowledged; counts the records behind that.
    fn read(
        dir: &CrawlDir,
        identity: &Identity,
        acknowledged: Position,
    ) -> Result<(Journal, u64), CrawlError> {
        let mut unacknowledged = 0;
        let mut journal = Journal {
            node: identity.number,
            ..Journal::default()
        };
        for replayed in archive::replay(&dir.archive(), Position::START)? {
            // What a damaged place held is missing, and told as that.
            if let Replayed::Record { record, position } = replayed? {
                match position <= acknowledged {
                    true => journal.add(&record),
                    false => unacknowledged += 1,
                }
            }
        }
        Ok((journal, unacknowledged))
    }

    fn add(&mut self, record: &Record) {
        if let Some(finish) = rows::finish(record, self.node) {
            let Finish { part, page, .. } = finish;
            let end = End {
                key: finish.key,
                outcome: finish.outcome,
                duplicate_of: finish.duplicate_of,
            };
            self.ends.entry(part).or_default().insert(page, end);
        }
        if let Some(kept) = rows::kept(record, self.node) {
            self.kept.insert(kept.page, kept.fingerprint);
        }
    }
}

/// Compares the ends of one part; what is left in the journals then the ledger does not have.
fn compare_ends(part: Part, rows: &[EndRow], journals: &mut [Journal], audit: &mut Audit) {
    let mut all: HashMap<UrlKey, Vec<u64>> = HashMap::new();
    for journal in journals.iter() {
        for (page, end) in journal.ends.get(&part).into_iter().flatten() {
            all.entry(end.key).or_default().push(*page);
        }
    }
    for row in rows {
        let pages = all.entry(row.key).or_default();
        if !pages.contains(&row.page) {
            pages.push(row.page);
        }
    }
    for row in rows {
        if let Some(pages) = all.remove(&row.key) {
            compare_count(row, &pages, audit);
        }
        let (node, _) = own_page(row.page);
        if let Some(journal) = journals.iter_mut().find(|journal| journal.node == node) {
            let end = (journal.ends.get_mut(&part)).and_then(|ends| ends.remove(&row.page));
            compare_end(row, end, audit);
        }
    }
    for journal in journals {
        for (page, _) in journal.ends.remove(&part).into_iter().flatten() {
            let text = format!(
                "{} finishes a URL that waits in the ledger, or was never there",
                place(page)
            );
            audit.differ(Kind::MissingFromLedger, text);
        }
    }
}

/// Whether a URL has ended as often as it may.
fn compare_count(row: &EndRow, pages: &[u64], audit: &mut Audit) {
    if pages.len() as u64 > 1 + row.put_back {
        let places: Vec<String> = pages.iter().copied().map(place).collect();
        let text = format!(
            "{} ended {} times and was put back {} times: {}",
            url_of(row),
            pages.len(),
            row.put_back,
            places.join(", ")
        );
        audit.differ(Kind::FinishedTwice, text);
    }
}

fn compare_end(row: &EndRow, end: Option<End>, audit: &mut Audit) {
    let there = End {
        key: row.key,
        outcome: row.outcome,
        duplicate_of: row.duplicate_of,
    };
    match end {
        Some(here) if here == there => {}
        Some(here) => {
            let text = format!(
                "{}, finished as {}: the journal has {}, the ledger {}",
                url_of(row),
                place(row.page),
                here.words(there),
                there.words(here)
            );
            audit.differ(Kind::Differs, text);
        }
        None => {
            let text = format!("{}, finished as {}", url_of(row), place(row.page));
            audit.differ(Kind::MissingFromJournal, text);
        }
    }
}

/// Compares the kept texts; what is left in the journals then the ledger does not have.
fn compare_kept(
    ledger: &mut PostgresLedger,
    journals: &mut [Journal],
    audit: &mut Audit,
) -> Result<(), CrawlError> {
    let mut marks = Marks {
        facts: i64::MAX as u64,
        ..Marks::default()
    };
    loop {
        let news = ledger.follow(&marks, &[])?;
        if news.kept.is_empty() {
            break;
        }
        marks.kept = news.marks.kept;
        for row in news.kept.iter().filter(|row| row.op == KeptOp::Keep) {
            let (node, _) = own_page(row.page);
            let Some(journal) = journals.iter_mut().find(|journal| journal.node == node) else {
                continue;
            };
            let at = place(row.page);
            match journal.kept.remove(&row.page) {
                Some(print) if print == row.fingerprint => {}
                Some(_) => audit.differ(
                    Kind::Differs,
                    format!("{}: another text is kept at {at}", row.url),
                ),
                None => audit.differ(
                    Kind::MissingFromJournal,
                    format!("{}, kept as {at}", row.url),
                ),
            }
        }
    }
    for journal in journals {
        for page in std::mem::take(&mut journal.kept).into_keys() {
            let text = format!("{} keeps a text that the ledger does not have", place(page));
            audit.differ(Kind::MissingFromLedger, text);
        }
    }
    Ok(())
}

fn compare_total(total: &Total, audit: &mut Audit) {
    if !total.closes() {
        let Total {
            what,
            counter,
            rows,
        } = total;
        audit.differ(
            Kind::Total,
            format!("{what}: the counter says {counter}, the rows are {rows}"),
        );
    }
}

fn url_of(row: &EndRow) -> &str {
    row.url
        .as_deref()
        .unwrap_or("a URL that was never admitted")
}

/// Where a page stands.
fn place(page: u64) -> String {
    let (node, own) = own_page(page);
    format!("record {own} of node {node}")
}

#[cfg(test)]
mod tests {
    use ledger::global_page;

    use super::*;

    const PART: u16 = 7;

    fn row(key: u8, page: u64, put_back: u64) -> EndRow {
        EndRow {
            key: UrlKey([key; 16]),
            page,
            outcome: 1,
            duplicate_of: None,
            url: Some(format!("http://a.example/{key}")),
            put_back,
        }
    }

    fn journal(node: u16, rows: &[EndRow]) -> Journal {
        let ends = rows.iter().map(|row| {
            let end = End {
                key: row.key,
                outcome: row.outcome,
                duplicate_of: row.duplicate_of,
            };
            (row.page, end)
        });
        let part = Part::new(PART).expect("a part");
        Journal {
            node,
            ends: [(part, ends.collect())].into(),
            kept: HashMap::new(),
        }
    }

    #[track_caller]
    fn check(rows: &[EndRow], mut journals: Vec<Journal>, kinds: &[Kind]) {
        let mut audit = Audit::default();
        let part = Part::new(PART).expect("a part");
        compare_ends(part, rows, &mut journals, &mut audit);
        let found: Vec<Kind> = audit.differences.iter().map(|found| found.kind).collect();
        assert_eq!(found, kinds, "{:?}", audit.differences);
    }

    #[test]
    fn what_both_have_is_no_difference_and_what_one_has_is() {
        let row = row(1, global_page(1, 5), 0);
        let one = std::slice::from_ref(&row);
        check(one, vec![journal(1, one)], &[]);
        check(one, vec![journal(1, &[])], &[Kind::MissingFromJournal]);
        check(&[], vec![journal(1, one)], &[Kind::MissingFromLedger]);
        // Another node's, whose directory is not given.
        check(one, vec![journal(2, &[])], &[]);
    }

    #[test]
    fn a_url_may_end_once_more_than_it_was_put_back() {
        let twice = |put_back| {
            [
                row(1, global_page(1, 5), put_back),
                row(1, global_page(2, 9), put_back),
            ]
        };
        let both = |put_back| {
            let [first, second] = twice(put_back);
            vec![journal(1, &[first]), journal(2, &[second])]
        };
        check(&twice(1), both(1), &[]);
        check(&twice(0), both(0), &[Kind::FinishedTwice]);
        let [first, _] = twice(0);
        let found = [Kind::FinishedTwice, Kind::MissingFromLedger];
        check(&[first], both(0), &found);
    }

    #[test]
    fn an_end_that_is_another_differs() {
        let row = row(1, global_page(1, 5), 0);
        let mut other = row.clone();
        other.outcome = 2;
        check(&[row], vec![journal(1, &[other])], &[Kind::Differs]);
    }
}
