//! Tables of the general form: a copy of the list for each, sorted by the table's key.
//!
//! The fingerprints with a key lie together. Where they begin is found by halving, or by guessing
//! the place from the key (keys are nearly uniform, so a guess is off by about the square root of
//! the distance that is left: log log n steps instead of log n).

use std::ops::ControlFlow;

use simhash::{Layout, layout::Table};

use super::{Searched, masks};

/// How a key is found in a sorted table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// By halving.
    #[default]
    Binary,
    /// By guessing the place from the key.
    Interpolation,
}

/// Guesses before the rest is halved: a key that many fingerprints share misleads them.
const GUESSES_MAX: u32 = 16;

/// The list in each table's order.
pub struct SortedTables {
    layout: Layout,
    /// (key, fingerprint), sorted; a table that is never asked is empty.
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

impl Searched for SortedTables {
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

/// Narrows the bounds by one guess; breaks off where there is nothing to guess from.
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
