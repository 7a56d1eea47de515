//! The order of kept texts is exact: whatever eight clients read at once, no two texts are kept
//! that the rule calls duplicates.

use std::collections::HashMap;
use std::sync::Mutex;

use ledger::{Closed, CrawlName, KeptRow, Ledger, Marks, PostgresLedger};
use simhash::hash::mix;
use simhash::{Decision, IndexConfig, TableIndex, TextPrint, print_hashes, rule};

use crate::cards::{closing, join, keep, kept};
use crate::server::Cluster;

const CLIENTS: u64 = 8;
const PAGES: u64 = 120;
const GROUP: usize = 6;

/// How the clients walk the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// Each its own way.
    Random,
    /// All the same mirror, page by page.
    Mirror,
}

/// A page's text: one of a family of near copies, a third of them short.
fn text(walk: Walk, client: u64, page: u64) -> TextPrint {
    let family = match walk {
        Walk::Random => mix(client * 1_000 + page) % (CLIENTS * PAGES / 3),
        Walk::Mirror => page,
    };
    let words: u64 = if family.is_multiple_of(3) { 30 } else { 300 };
    let copy = mix(client * 77 + page) % 4;
    let hashes: Vec<u64> = (0..words)
        .map(|word| {
            // A copy differs in a word of fifty.
            let edited = copy > 0 && word % 50 == copy;
            mix(family * 10_000 + word + if edited { 5_000 + copy } else { 0 })
        })
        .collect();
    print_hashes(&hashes, &[])
}

/// What all clients can look up: the prints by page.
type Prints = Mutex<HashMap<u64, TextPrint>>;

struct Client<'a> {
    ledger: PostgresLedger,
    index: TableIndex,
    marks: Marks,
    prints: &'a Prints,
}

impl Client<'_> {
    fn take_in(&mut self, rows: &[KeptRow]) {
        for row in rows.iter().filter(|row| row.position > self.marks.kept) {
            let print = self.prints.lock().unwrap()[&row.page];
            self.index.insert(row.page, &print).unwrap();
        }
        if let Some(last) = rows.last() {
            self.marks.kept = self.marks.kept.max(last.position);
        }
    }

    /// The texts of a group that are no duplicates, of kept ones or of each other.
    fn judge(&mut self, group: &[(u64, TextPrint)]) -> Vec<KeptRow> {
        let mut rows = Vec::new();
        for (page, print) in group {
            let near = self.index.nearest(print).unwrap();
            if near.is_some_and(|near| near.decision == Decision::Duplicate) {
                continue;
            }
            self.index.insert(*page, print).unwrap();
            let mut row = kept(*page, print.fingerprint.0);
            row.bands = print
                .sketch
                .bands()
                .map(|bands| bands.to_vec())
                .unwrap_or_default();
            rows.push(row);
        }
        // What is kept for now is taken in again with its position.
        for row in &rows {
            self.index.remove(row.page).unwrap();
        }
        rows
    }

    fn close(&mut self, me: ledger::Fence, journal: u64, group: &[(u64, TextPrint)], checks: bool) {
        let news = self.ledger.follow(&self.marks, &[]).unwrap();
        self.take_in(&news.kept);
        self.ledger.open(me, &[], &[]).unwrap();
        for _ in 0..2 {
            let rows = self.judge(group);
            let mut end = keep(closing(me, journal), self.marks.kept, rows);
            if !checks {
                end.asked.clear();
                end.asked_bands.clear();
            }
            match self.ledger.close(&end).unwrap() {
                Closed::Committed { .. } => return,
                Closed::Near(rows) => self.take_in(&rows),
                Closed::Unknown => panic!("nothing fails here"),
            }
        }
        panic!("near twice");
    }
}

/// How many texts were kept, and how many pairs of them are duplicates.
fn kept_and_violating(walk: Walk, checks: bool) -> Option<(usize, usize)> {
    let cluster = Cluster::shared()?;
    let crawl: CrawlName = cluster.crawl(None);
    let prints: Prints = Mutex::default();
    let config = IndexConfig::default();
    let step = std::sync::Barrier::new(CLIENTS as usize);
    std::thread::scope(|scope| {
        for client in 1..=CLIENTS {
            let (crawl, prints, config, step) = (&crawl, &prints, &config, &step);
            scope.spawn(move || {
                let mut ledger = cluster.connect(crawl);
                let me = join(&mut ledger, &format!("n{client}"));
                let index = TableIndex::in_memory(config).unwrap();
                let mut reader = Client {
                    ledger,
                    index,
                    marks: Marks::default(),
                    prints,
                };
                let pages: Vec<(u64, TextPrint)> = (0..PAGES)
                    .map(|page| (client << 40 | page, text(walk, client, page)))
                    .collect();
                prints.lock().unwrap().extend(pages.iter().copied());
                for (journal, group) in (1..).zip(pages.chunks(GROUP)) {
                    if walk == Walk::Mirror {
                        step.wait();
                    }
                    reader.close(me, journal, group, checks);
                }
            });
        }
    });
    let mut ledger = cluster.connect(&crawl);
    let rows = ledger.follow(&Marks::default(), &[]).unwrap().kept;
    assert!(
        rows.iter()
            .map(|row| row.position)
            .eq(1..=rows.len() as u64)
    );
    let prints = prints.into_inner().unwrap();
    let texts: Vec<&TextPrint> = rows.iter().map(|row| &prints[&row.page]).collect();
    let mut violating = 0;
    for (at, later) in texts.iter().enumerate() {
        let is_duplicate = |earlier: &&&TextPrint| {
            rule::is_candidate(&config, later, earlier)
                && rule::judge(&config, later, 0, earlier, 0).decision == Decision::Duplicate
        };
        violating += texts[..at].iter().filter(is_duplicate).count();
    }
    Some((rows.len(), violating))
}

#[track_caller]
fn check(walk: Walk) {
    let Some((kept, violating)) = kept_and_violating(walk, true) else {
        return;
    };
    println!("{walk:?}: {kept} texts kept, {violating} pairs of duplicates");
    assert_eq!(violating, 0, "of {kept} kept texts");
    assert!(kept > PAGES as usize / 2, "{kept}");
}

#[test]
fn eight_clients_at_random_keep_no_duplicate() {
    check(Walk::Random);
}

#[test]
fn eight_clients_on_one_mirror_keep_no_duplicate() {
    check(Walk::Mirror);
}

#[test]
fn without_the_stores_check_they_keep_some() {
    let Some((kept, violating)) = kept_and_violating(Walk::Mirror, false) else {
        return;
    };
    println!("unchecked: {kept} texts kept, {violating} pairs of duplicates");
    assert!(violating > 0, "the tests above could not fail");
}
