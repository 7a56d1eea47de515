//! The tables on disk, for machines that are short of memory: the same keys, asked of the store.
//!
//! The newest pages are in the tables in RAM. When there are enough of them they are *merged*: each
//! goes to one bucket of every table here, and the RAM begins anew. So a bucket is written once for
//! many pages, and RAM holds a bounded number of pages beside the store's cache.
//!
//! ```text
//! table u8 │ key u16 │ 0        full chunks u32 │ fingerprint u64, slot u32 │ …   fewer than 256
//! table u8 │ key u16 │ n        fingerprint u64, slot u32 │ …                     256, never written again
//! 254      │ page >> 8          page & 255, slot u32 │ …                          where a page is kept
//! 255                           merged slots u32, layout and form u8
//! ```
//!
//! An entry holds the whole fingerprint, so that a row is read for true candidates alone. Short
//! texts have a table for each of their bands, with the band in the fingerprint's place; and there are
//! tables by text and by numbers, as in RAM. Of pages of one kind in a bucket the newest are read, from
//! its end, a bounded number. Entries of removed pages stay and cost a look at their rows; so do the
//! entries that a crash in the middle of a merge leaves twice. A slot that was merged is never used again, so none is ever wrong.
//!
//! A key longer than 16 bits names its bucket by the highest 16: who differs in few bits of the whole
//! differs in no more of these.
//!
//! Cost: a lookup to distance 8 asks the store for 188 buckets with four tables and 411 with three,
//! some 2 microseconds each when they are in its cache.

use std::collections::BTreeMap;

use crate::layout::{Layout, masks};
use crate::links::CHAIN_MAX;
use crate::rows::Rows;
use crate::segments::{FOUND_MAX, NEAR_MAX};
use crate::store::{PrintStore, StoreError};
use crate::tables::BAND_TABLE;
use crate::{IndexConfig, TextPrint};

/// The first table of bands; there is one for each band.
const FIRST_BAND: u8 = 64;
/// The tables by text and by numbers.
const TEXTS: u8 = 128;
const NUMBERS: u8 = 129;
/// Added to the number of a layout since there are those two.
const WITH_TEXTS: u8 = 128;
const PAGES: u8 = 254;
const MERGED: u8 = 255;
/// Bits that name a bucket.
const BUCKET_BITS: u32 = 16;
/// Bytes of an entry: fingerprint or band, and slot.
const ENTRY: usize = 12;
/// Entries of a full chunk.
const CHUNK_ENTRIES: usize = 256;
/// Bytes of a page's place: the low byte of its number, and slot.
const PLACE: usize = 5;

/// What is on disk, and how to ask for it.
#[derive(Debug)]
pub(crate) struct DiskTables {
    layout: Layout,
    /// For each table the masks under which a lookup asks for its bucket.
    masks: Vec<Vec<u16>>,
    radius: u32,
}

impl DiskTables {
    pub(crate) fn new(config: &IndexConfig) -> DiskTables {
        let distance = config.radius();
        let layout = Layout::of(config.tables);
        let asked = |at: usize| match layout.flips(at, distance) {
            Some(flips) => masks(BUCKET_BITS, flips),
            None => Vec::new(),
        };
        let asked = (0..layout.tables.len()).map(asked);
        let masks = asked.map(|masks| masks.into_iter().map(|mask| mask as u16).collect());
        DiskTables {
            masks: masks.collect(),
            layout,
            radius: u32::from(distance),
        }
    }

    /// How many slots are merged; none where the tables are of another layout.
    pub(crate) fn merged(&self, store: &dyn PrintStore) -> Result<Option<u32>, StoreError> {
        let found = store.table_entry(&[MERGED])?;
        Ok(match found.as_deref() {
            None => Some(0),
            Some(&[a, b, c, d, layout]) if layout == self.number() => {
                Some(u32::from_le_bytes([a, b, c, d]))
            }
            Some(_) => None,
        })
    }

    /// Adds the first `count` rows, whose slots begin at `base`, and says that all slots before
    /// `base + count` are merged. A crash leaves the old number and perhaps some entries.
    pub(crate) fn merge(
        &self,
        store: &mut dyn PrintStore,
        rows: &Rows,
        base: u32,
        count: u32,
    ) -> Result<(), StoreError> {
        let live = || (0..count).filter(|&slot| rows.is_live(slot));
        let mut entries = Vec::new();
        for slot in live().filter(|&slot| !rows.is_empty(slot)) {
            let fingerprint = rows.fingerprint(slot);
            for (table, key) in self.buckets(fingerprint) {
                entries.push((table, key, base + slot, fingerprint));
            }
            for (at, &band) in rows.bands(slot).into_iter().flatten().enumerate() {
                let table = FIRST_BAND + at as u8;
                entries.push((table, (band >> 16) as u16, base + slot, u64::from(band)));
            }
            let texts = [
                (TEXTS, Some(rows.digest(slot))),
                (NUMBERS, rows.numbers_key(slot)),
            ];
            for (table, key) in texts {
                entries.extend(key.map(|key| (table, bucket_of(key), base + slot, key)));
            }
        }
        entries.sort_unstable();
        for bucket in entries.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (table, key, ..) = bucket[0];
            let added = bucket.iter().map(|&(_, _, slot, bits)| (bits, slot));
            append(store, table, key, added)?;
        }
        let mut places: BTreeMap<u64, Vec<(u8, u32)>> = BTreeMap::new();
        for slot in live() {
            let page = rows.page(slot);
            let place = (page as u8, base + slot);
            places.entry(page >> 8).or_default().push(place);
        }
        for (group, added) in places {
            put_places(store, group, &added)?;
        }
        // The number says that all before it is there: it must not reach the disk first.
        store.flush()?;
        let [a, b, c, d] = (base + count).to_le_bytes();
        store.put_table_entry(&[MERGED], &[a, b, c, d, self.number()])
    }

    /// The slots of merged pages with the very same text, and of some that were removed.
    pub(crate) fn same_text(
        &self,
        store: &dyn PrintStore,
        print: &TextPrint,
        mut found: impl FnMut(u32),
    ) -> Result<(), StoreError> {
        newest_under(store, TEXTS, print.digest, &mut found)?;
        Ok(())
    }

    /// Calls `found` with (slot, table) for every merged page that is a candidate, or where many are of one kind for
    /// the newest of these, and the answer is false; for some more than once, for pages that were removed, and for a
    /// few that are none.
    pub(crate) fn candidates(
        &self,
        store: &dyn PrintStore,
        print: &TextPrint,
        mut found: impl FnMut(u32, u8),
    ) -> Result<bool, StoreError> {
        let wanted = print.fingerprint.0;
        let mut room = FOUND_MAX;
        let mut all = true;
        let buckets: Vec<(u8, u16)> = self.buckets(wanted).collect();
        let masks = self.masks.iter().flatten();
        let flips_max = masks.map(|mask| mask.count_ones()).max().unwrap_or(0);
        for flips in 0..=flips_max {
            for &(table, key) in &buckets {
                let masks = self.masks[usize::from(table)].iter();
                for mask in masks.filter(|mask| mask.count_ones() == flips) {
                    let most = room.min(NEAR_MAX);
                    let count = newest_entries(store, table, key ^ mask, most, |bits, slot| {
                        let is_near = (bits ^ wanted).count_ones() <= self.radius;
                        if is_near {
                            found(slot, table);
                        }
                        is_near
                    })?;
                    room -= count;
                    all &= count < most;
                }
            }
        }
        for (at, &band) in print.sketch.bands().into_iter().flatten().enumerate() {
            let table = FIRST_BAND + at as u8;
            let key = (band >> 16) as u16;
            let count = newest_entries(store, table, key, CHAIN_MAX, |bits, slot| {
                let is_same = bits == u64::from(band);
                if is_same {
                    found(slot, BAND_TABLE);
                }
                is_same
            })?;
            all &= count < CHAIN_MAX;
        }
        if let Some(numbers) = print.sketch.numbers_key().filter(|_| !all) {
            newest_under(store, NUMBERS, numbers, &mut |slot| found(slot, BAND_TABLE))?;
        }
        Ok(all)
    }

    /// The bucket of a fingerprint in each table.
    fn buckets(&self, fingerprint: u64) -> impl Iterator<Item = (u8, u16)> + '_ {
        let tables = self.layout.tables.iter().enumerate();
        tables.map(move |(at, table)| {
            let key = table.key(fingerprint) >> (table.bits() - BUCKET_BITS);
            (at as u8, key as u16)
        })
    }

    /// The number under which the tables are stored, by how many there are. Those of another number are made anew.
    fn number(&self) -> u8 {
        WITH_TEXTS + self.layout.tables.len() as u8
    }
}

/// The slot that was given to a page when it was merged last.
pub(crate) fn place_of(store: &dyn PrintStore, page: u64) -> Result<Option<u32>, StoreError> {
    let places = store.table_entry(&places_key(page >> 8))?;
    let places = places.as_deref().unwrap_or_default();
    let place = places
        .chunks_exact(PLACE)
        .find(|place| place[0] == page as u8);
    Ok(place.map(|place| number(&place[1..])))
}

/// Adds entries to a bucket. Full chunks are written before the first, which counts them: a crash
/// between the two leaves a chunk that is not counted, and is written again.
fn append(
    store: &mut dyn PrintStore,
    table: u8,
    key: u16,
    added: impl Iterator<Item = (u64, u32)>,
) -> Result<(), StoreError> {
    let head = chunk_key(table, key, 0);
    let found = store.table_entry(&head)?;
    let (mut full, entries) = found.as_deref().map_or((0, &[][..]), first_chunk);
    let mut entries = entries.to_vec();
    for (bits, slot) in added {
        entries.extend(bits.to_le_bytes());
        entries.extend(slot.to_le_bytes());
        if entries.len() == CHUNK_ENTRIES * ENTRY {
            full += 1;
            store.put_table_entry(&chunk_key(table, key, full), &entries)?;
            entries.clear();
        }
    }
    let mut first = full.to_le_bytes().to_vec();
    first.extend(entries);
    store.put_table_entry(&head, &first)
}

/// Calls `found` with the slots of the newest pages under the whole of a key.
fn newest_under(
    store: &dyn PrintStore,
    table: u8,
    key: u64,
    found: &mut impl FnMut(u32),
) -> Result<usize, StoreError> {
    newest_entries(store, table, bucket_of(key), CHAIN_MAX, |bits, slot| {
        let is_same = bits == key;
        if is_same {
            found(slot);
        }
        is_same
    })
}

/// Calls `is_found` with (bits, slot) for the entries of a bucket from the newest on, until it has said so of `most`.
/// How many it said so of.
fn newest_entries(
    store: &dyn PrintStore,
    table: u8,
    key: u16,
    most: usize,
    mut is_found: impl FnMut(u64, u32) -> bool,
) -> Result<usize, StoreError> {
    if most == 0 {
        return Ok(0);
    }
    let Some(first) = store.table_entry(&chunk_key(table, key, 0))? else {
        return Ok(0);
    };
    let mut count = 0;
    let mut read = |entries: &[u8]| {
        for entry in entries.rchunks_exact(ENTRY) {
            let (bits, slot) = entry.split_first_chunk().expect("an entry has 12 bytes");
            count += usize::from(is_found(u64::from_le_bytes(*bits), number(slot)));
            if count == most {
                return true;
            }
        }
        false
    };
    let (full, entries) = first_chunk(&first);
    let mut is_enough = read(entries);
    for chunk in (1..=full).rev() {
        if is_enough {
            break;
        }
        match store.table_entry(&chunk_key(table, key, chunk))? {
            Some(entries) => is_enough = read(&entries),
            None => return Err(damaged("a chunk of a bucket is missing")),
        }
    }
    Ok(count)
}

/// The error for tables that hold what they cannot.
fn damaged(what: &str) -> StoreError {
    StoreError::damaged("the tables on disk", what)
}

/// The number of full chunks, and the entries of the first.
fn first_chunk(bytes: &[u8]) -> (u32, &[u8]) {
    bytes
        .split_at_checked(4)
        .map_or((0, &[]), |(full, entries)| (number(full), entries))
}

/// Notes where pages with the same upper bits are kept; the newest place of a page counts.
fn put_places(
    store: &mut dyn PrintStore,
    group: u64,
    added: &[(u8, u32)],
) -> Result<(), StoreError> {
    let key = places_key(group);
    let found = store.table_entry(&key)?;
    let before = found.as_deref().unwrap_or_default();
    let mut places: Vec<u8> = before
        .chunks_exact(PLACE)
        .filter(|place| added.iter().all(|(low, _)| *low != place[0]))
        .flatten()
        .copied()
        .collect();
    for (low, slot) in added {
        places.push(*low);
        places.extend(slot.to_le_bytes());
    }
    store.put_table_entry(&key, &places)
}

/// The bucket of a key of 64 bits.
fn bucket_of(key: u64) -> u16 {
    (key >> (u64::BITS - BUCKET_BITS)) as u16
}

fn chunk_key(table: u8, key: u16, chunk: u32) -> [u8; 7] {
    let ([k, l], [a, b, c, d]) = (key.to_be_bytes(), chunk.to_be_bytes());
    [table, k, l, a, b, c, d]
}

fn places_key(group: u64) -> [u8; 9] {
    let mut key = [PAGES; 9];
    key[1..].copy_from_slice(&group.to_be_bytes());
    key
}

/// Four bytes as a number; what is missing counts as 0.
fn number(bytes: &[u8]) -> u32 {
    bytes
        .iter()
        .take(4)
        .rev()
        .fold(0, |number, &byte| number << 8 | u32::from(byte))
}
