//! Pages drawn at random for people to judge.
//!
//! All pages stand in an order that a hash of their URLs makes, and the first that have no mark are
//! drawn: each set of pages is as likely as any other, nothing is drawn twice, and nothing need be
//! remembered but the marks.

use std::collections::HashMap;

use report::audit::Mark;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::answers::Page;
use crate::lists::page;
use crate::rows::{Fate, Row, Rows};

/// Another order than that of any other hash of URLs.
const SEED: u64 = 0x7a3d_15c9_4e0b_62f1;

/// Pages without a mark, kept and dropped ones in turn.
pub(crate) fn draw(rows: &Rows, marks: &HashMap<u64, Mark>, count: usize) -> Vec<Page> {
    let of = |fate: Fate| -> Vec<&Row> {
        let fits = |row: &&Row| row.fate == fate && !marks.contains_key(&row.page);
        let mut drawn: Vec<(u64, &Row)> = rows
            .iter()
            .filter(fits)
            .map(|row| (xxh3_64_with_seed(row.url.as_bytes(), SEED), row))
            .collect();
        drawn.sort_unstable_by_key(|(order, row)| (*order, row.page));
        drawn.into_iter().map(|(_, row)| row).take(count).collect()
    };
    let (kept, dropped) = (of(Fate::Kept), of(Fate::Dropped));
    let mut both = Vec::new();
    for at in 0..count {
        both.extend(dropped.get(at));
        both.extend(kept.get(at));
    }
    both.into_iter()
        .take(count)
        .map(|row| page(rows, row))
        .collect()
}
