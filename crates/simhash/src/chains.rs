//! Ten or sixteen tables in RAM: long keys, few pages under each, so chains instead of buckets.
//!
//! A key of 25 or 28 bits is shared by a page or two; an array of buckets for all keys would be
//! mostly air. Each table is a hash table of chains, with slots for nodes.

use crate::layout::Layout;
use crate::links::{CHAIN_MAX, Links};

/// The tables of a layout with long keys.
#[derive(Debug)]
pub(crate) struct Chains {
    layout: Layout,
    tables: Vec<Links>,
}

impl Chains {
    pub(crate) fn new(layout: Layout) -> Chains {
        let tables = vec![Links::new(); layout.tables.len()];
        Chains { layout, tables }
    }

    /// Keeps `slot`; `fingerprints` are those of all slots, this one included.
    pub(crate) fn insert(&mut self, fingerprints: &[u64], slot: u32) {
        for (table, links) in self.layout.tables.iter().zip(&mut self.tables) {
            links.link(slot, |kept| table.key(fingerprints[kept as usize]));
        }
    }

    pub(crate) fn remove(&mut self, fingerprint: u64, slot: u32) {
        for (table, links) in self.layout.tables.iter().zip(&mut self.tables) {
            links.unlink(slot, table.key(fingerprint));
        }
    }

    /// Calls `found` with the slots of pages that share a key with `fingerprint`, the newest of each key, and of a
    /// few others; a page may be found by several tables. False where some may be missing.
    pub(crate) fn candidates(&self, fingerprint: u64, mut found: impl FnMut(u32)) -> bool {
        let mut all = true;
        for (table, links) in self.layout.tables.iter().zip(&self.tables) {
            let mut walked = 0;
            for slot in links.newest(table.key(fingerprint)) {
                walked += 1;
                found(slot);
            }
            all &= walked < CHAIN_MAX;
        }
        all
    }

    /// The first table that holds both fingerprints under one key.
    pub(crate) fn first(&self, a: u64, b: u64) -> Option<usize> {
        let mut tables = self.layout.tables.iter();
        tables.position(|table| table.key(a) == table.key(b))
    }
}
