//! Look-up in tables: each table is a copy of the list, sorted by the table's key.
//!
//! The fingerprints with one key lie together. Their first is found by binary search, or by
//! interpolation search, which guesses the place from the key. Keys are nearly uniform, so a guess is
//! off by about the square root of the remaining range: log log n steps instead of log n.

use std::ops::ControlFlow;

use simhash::{Layout, layout::Table};

use super::{NearSearch, masks};

/// How a key is found in a sorted table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// Binary search.
    #[default]
    Binary,
    /// Interpolation search.
    Interpolation,
}

/// Guesses before binary search takes over: a key that many fingerprints share misleads them.
const GUESSES_MAX: u32 = 16;

/// The list, sorted by the key of each table.
pub struct SortedTables {
    layout: Layout,
    /// Pairs of key and fingerprint, sorted; empty for a table that this distance does not need.
    tables: Vec<Vec<(u64, u64)>>,
    distance: u8,
    search: Search,
}

impl SortedTables {
    pub fn new(layout: Layout, list: &[u64], distance: u8, search: Search) -> SortedTables {
        let sorted = |(at, table): (usize, &Table)| {
            if layout.flips(at, distance).is_none() {
                return Vec::new();
            }
            let mut rows: Vec<_> = list.iter().map(|&bits| (table.key(bits), bits)).collect();
            rows.sort_unstable();
            rows
        };
        SortedTables {
            tables: layout.tables.iter().enumerate().map(sorted).collect(),
            layout,
            distance,
            search,
        }
    }
}

impl NearSearch for SortedTables {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let (mut near, mut looked_at) = (Vec::new(), 0);
        for (at, (table, rows)) in self.layout.tables.iter().zip(&self.tables).enumerate() {
            let Some(flips) = self.layout.flips(at, self.distance) else {
                continue;
            };
            let key = table.key(query);
            masks::below(table.bits(), flips, |mask| {
                let wanted = key ^ mask;
                for &(found, fingerprint) in &rows[first(rows, wanted, self.search)..] {
                    if found != wanted {
                        break;
                    }
                    looked_at += 1;
                    if (fingerprint ^ query).count_ones() <= u32::from(self.distance) {
                        near.push(fingerprint);
                    }
                }
            });
        }
        (near, looked_at)
    }
}

/// The first row whose key is not less than `key`.
fn first(rows: &[(u64, u64)], key: u64, search: Search) -> usize {
    let (mut low, mut high) = (0, rows.len());
    if search == Search::Interpolation {
        for _ in 0..GUESSES_MAX {
            match guess(rows, key, low, high) {
                ControlFlow::Continue(bounds) => (low, high) = bounds,
                ControlFlow::Break(()) => break,
            }
        }
    }
    low + rows[low..high].partition_point(|&(found, _)| found < key)
}

/// Narrows the bounds by one guess; breaks where the key is not between the least and the largest.
fn guess(
    rows: &[(u64, u64)],
    key: u64,
    low: usize,
    high: usize,
) -> ControlFlow<(), (usize, usize)> {
    let [(least, _), .., (most, _)] = rows[low..high] else {
        return ControlFlow::Break(());
    };
    if key <= least || key > most {
        return ControlFlow::Break(());
    }
    let share = u128::from(key - least) * (high - low - 1) as u128 / u128::from(most - least);
    let at = low + share as usize;
    ControlFlow::Continue(if rows[at].0 < key {
        (at + 1, high)
    } else {
        (low, at)
    })
}
