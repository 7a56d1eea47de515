//! Ten or sixteen tables in RAM: long keys, few pages under each, so chains instead of buckets.
//!
//! A key of 25 or 28 bits is shared by a page or two; an array of buckets for all keys would be
//! mostly air. Each table is a hash table of chains: `heads` by the key's hash, `next` by page.
//! Cost: 8 bytes a page and table, one cache miss for each key and for each page on its chain.

use crate::hash::mix;
use crate::layout::Layout;

/// The end of a chain.
const END: u32 = u32::MAX;

/// The tables of a layout with long keys.
#[derive(Debug)]
pub(crate) struct Chains {
    layout: Layout,
    tables: Vec<Chain>,
}

#[derive(Clone, Debug)]
struct Chain {
    /// The newest page of each chain; their number is a power of two.
    heads: Vec<u32>,
    /// The page before, by slot.
    next: Vec<u32>,
}

impl Chains {
    pub(crate) fn new(layout: Layout) -> Chains {
        let empty = Chain {
            heads: vec![END; 1 << 8],
            next: Vec::new(),
        };
        let tables = vec![empty; layout.tables.len()];
        Chains { layout, tables }
    }

    /// Keeps `slot`; `fingerprints` are those of all slots, this one included.
    pub(crate) fn insert(&mut self, fingerprints: &[u64], slot: u32) {
        for (table, chain) in self.layout.tables.iter().zip(&mut self.tables) {
            if slot as usize >= chain.next.len() {
                chain.next.resize(slot as usize + 1, END);
            }
            if chain.next.len() > chain.heads.len() {
                chain.grow(|kept| table.key(fingerprints[kept as usize]));
            }
            chain.link(table.key(fingerprints[slot as usize]), slot);
        }
    }

    pub(crate) fn remove(&mut self, fingerprint: u64, slot: u32) {
        for (table, chain) in self.layout.tables.iter().zip(&mut self.tables) {
            chain.unlink(table.key(fingerprint), slot);
        }
    }

    /// Calls `found` with (slot, table) for every page that shares a key with `fingerprint`, and
    /// for a few others; a page may be found by several tables.
    pub(crate) fn candidates(&self, fingerprint: u64, mut found: impl FnMut(u32, u8)) {
        for (number, (table, chain)) in self.layout.tables.iter().zip(&self.tables).enumerate() {
            let mut slot = chain.heads[chain.place(table.key(fingerprint))];
            while slot != END {
                found(slot, number as u8);
                slot = chain.next[slot as usize];
            }
        }
    }

    /// Whether `table` holds both fingerprints under one key and is the first that does.
    pub(crate) fn is_first(&self, table: u8, a: u64, b: u64) -> bool {
        let same =
            |number: usize| self.layout.tables[number].key(a) == self.layout.tables[number].key(b);
        same(usize::from(table)) && !(0..usize::from(table)).any(same)
    }
}

impl Chain {
    fn place(&self, key: u64) -> usize {
        mix(key) as usize & (self.heads.len() - 1)
    }

    fn link(&mut self, key: u64, slot: u32) {
        let place = self.place(key);
        self.next[slot as usize] = self.heads[place];
        self.heads[place] = slot;
    }

    fn unlink(&mut self, key: u64, slot: u32) {
        let place = self.place(key);
        let after = self.next[slot as usize];
        if self.heads[place] == slot {
            self.heads[place] = after;
            return;
        }
        let mut before = self.heads[place];
        while before != END {
            if self.next[before as usize] == slot {
                self.next[before as usize] = after;
                return;
            }
            before = self.next[before as usize];
        }
    }

    /// Doubles the chains and deals out the pages that are on them.
    fn grow(&mut self, key: impl Fn(u32) -> u64) {
        let mut linked = Vec::with_capacity(self.next.len());
        for &head in &self.heads {
            let mut slot = head;
            while slot != END {
                linked.push(slot);
                slot = self.next[slot as usize];
            }
        }
        self.heads = vec![END; self.heads.len() * 2];
        linked.sort_unstable();
        for slot in linked {
            self.link(key(slot), slot);
        }
    }
}
