//! The store of a crawl, `state/fingerprints`: rows packed in blocks, and tables by name.
//!
//! One map, so that a batch of blocks and the journal position that it follows become visible
//! together. A full block is written once; the rows after the last full block, the *tail*, are
//! written in pieces as they come, and the block that they fill at last replaces them.
//!
//! ```text
//! r│block 0   256 rows      t│slot 512    20 rows
//! r│block 1   256 rows      t│slot 532    17 rows      position      meta
//! ```
//!
//! Tables that are kept in RAM are not stored: they are rebuilt from the rows at start, faster than
//! the store could read them. Tables on disk are a map of their own.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::time::Duration;

use kv::{BATCH_MAX, Batch, Bytes, Format, Map, Options, Store};

use super::{PrintStore, StoreError, StoredRow};
use crate::block::{self, BLOCK_ROWS};
use crate::{FINGERPRINT_SCHEME, IndexConfig, Memory, Opened, SketchSize, Tables};

const META: &[u8] = b"meta";
const POSITION: &[u8] = b"position";
/// How many tables the index had when it was open last, one byte. Not part of the format: whatever
/// the tables, the rows are the same.
const TABLE_COUNT: &[u8] = b"layout";
const ROWS: u8 = b'r';
const TAIL: u8 = b't';
/// The number of the format of rows and keys.
const FORMAT: u32 = 1;
/// Pieces of the tail before it is written as one again.
const PIECES_MAX: usize = 32;
/// The map of the tables on disk.
const TABLES: &str = "tables";
/// How often what was written is handed to the operating system.
const FLUSH_EVERY: Duration = Duration::from_secs(1);
/// The engine's page cache, in bytes: little when only written to, more when look-ups read from it
/// (with a quarter of it they take more than twice as long among a million pages).
const CACHE_RAM: u64 = 1 << 20;
const CACHE_DISK: u64 = 128 << 20;

const BLOCK: u32 = BLOCK_ROWS as u32;

/// A store on disk.
#[derive(Debug)]
pub struct DiskPrintStore {
    rows: Store,
    size: SketchSize,
    /// The number of full blocks.
    blocks: u32,
    /// The rows after the last full block: fewer than a block.
    tail: Vec<StoredRow>,
    /// First slots of the tail's pieces, ascending.
    pieces: Vec<u32>,
    /// The tables on disk, if there are any.
    tables: Option<Map>,
    /// The block that was read last, with its number.
    last_read: RefCell<Option<(u32, Vec<StoredRow>)>>,
}

impl DiskPrintStore {
    /// Opens the store in `dir` for an index of this configuration, or begins one there. One that
    /// is damaged, or of another fingerprint scheme or sketch size, is set aside, which
    /// [`Opened::rebuilt_because`] tells; damage of single rows is found when they are read.
    ///
    /// # Errors
    /// When the disk is full or fails, or another process has the store open.
    pub fn open(dir: &Path, config: &IndexConfig) -> Result<(DiskPrintStore, Opened), StoreError> {
        DiskPrintStore::open_with(dir, config, Ok)
    }

    /// Opens the store in `dir` and makes of it what `load` does. When `load` finds it damaged it
    /// is called again with an empty one.
    pub(crate) fn open_with<T>(
        dir: &Path,
        config: &IndexConfig,
        load: impl Fn(DiskPrintStore) -> Result<T, StoreError>,
    ) -> Result<(T, Opened), StoreError> {
        let meta = meta(config.sketch);
        let otherwise = format!(
            "its fingerprints are of another scheme than {FINGERPRINT_SCHEME} or another sketch size"
        );
        let options = Options {
            format: Format {
                key: META,
                value: &meta,
                otherwise: &otherwise,
            },
            cache_bytes: match config.memory {
                Memory::Ram => CACHE_RAM,
                Memory::Disk => CACHE_DISK,
            },
            flush_every: Some(FLUSH_EVERY),
        };
        let opened = kv::open(dir, &options, |rows| {
            let store = DiskPrintStore::new(rows, config.sketch)?;
            let position = store.position()?;
            let before = store.note_tables(config.tables)?;
            Ok((load(store)?, position, before))
        })?;
        let (loaded, position, before) = opened.loaded;
        let rebuilt_because = opened.rebuilt_because;
        Ok((
            loaded,
            Opened {
                position,
                rebuilt_because,
                tables_before: before.filter(|before| *before != config.tables),
            },
        ))
    }

    fn new(rows: Store, size: SketchSize) -> Result<DiskPrintStore, StoreError> {
        let blocks = match rows.last(&[ROWS])? {
            Some((key, _)) => number_of(&key, &rows)? + 1,
            None => 0,
        };
        let tables = if rows.has_map(TABLES) {
            Some(rows.map(TABLES)?)
        } else {
            None
        };
        let mut store = DiskPrintStore {
            rows,
            size,
            blocks,
            tail: Vec::new(),
            pieces: Vec::new(),
            tables,
            last_read: RefCell::new(None),
        };
        for piece in store.rows.scan(&[TAIL]) {
            let (key, bytes) = piece?;
            let first = store.slots();
            if key[..] != row_key(TAIL, first) {
                return Err(store.damaged(first, "missing"));
            }
            let rows = store.decoded(first, &bytes)?;
            store.pieces.push(first);
            store.tail.extend(rows);
        }
        if store.tail.len() >= BLOCK_ROWS {
            return Err(store.damaged(store.tail_start(), "too many for a tail"));
        }
        Ok(store)
    }

    /// Notes how many tables the index has, and says which it had before; none where that was not
    /// noted or is no such number.
    fn note_tables(&self, tables: Tables) -> Result<Option<Tables>, StoreError> {
        let noted = self.rows.get(TABLE_COUNT)?;
        let before = match noted.as_deref() {
            Some(&[count]) => Tables::of_count(count),
            Some(_) | None => None,
        };
        if before != Some(tables) {
            self.rows.insert(TABLE_COUNT, &[tables.count()])?;
        }
        Ok(before)
    }

    /// The first slot of the tail.
    fn tail_start(&self) -> u32 {
        self.blocks * BLOCK
    }

    fn damaged(&self, slot: u32, what: &str) -> StoreError {
        let why = format!("the rows from slot {slot} on are {what}");
        StoreError::damaged(self.rows.place(), why)
    }

    fn decoded(&self, slot: u32, bytes: &[u8]) -> Result<Vec<StoredRow>, StoreError> {
        block::decode(bytes, self.size).ok_or_else(|| self.damaged(slot, "damaged"))
    }

    /// The rows of a full block.
    fn block(&self, number: u32) -> Result<Vec<StoredRow>, StoreError> {
        let first = number * BLOCK;
        let bytes = self.rows.get(&row_key(ROWS, number))?;
        let bytes = bytes.ok_or_else(|| self.damaged(first, "missing"))?;
        let rows = self.decoded(first, &bytes)?;
        if rows.len() != BLOCK_ROWS {
            return Err(self.damaged(first, "missing"));
        }
        Ok(rows)
    }

    /// Reads from a full block, which is kept until another one is read.
    fn with_block<T>(
        &self,
        number: u32,
        read: impl FnOnce(&[StoredRow]) -> T,
    ) -> Result<T, StoreError> {
        let mut last = self.last_read.borrow_mut();
        match &*last {
            Some((known, rows)) if *known == number => Ok(read(rows)),
            Some(_) | None => {
                let rows = self.block(number)?;
                let answer = read(&rows);
                *last = Some((number, rows));
                Ok(answer)
            }
        }
    }

    /// The blocks that changed rows belong to, as they are with the changes, and the tail.
    fn changed(&self, rows: &[(u32, StoredRow)]) -> Result<Changed, StoreError> {
        let start = self.tail_start();
        let mut blocks: BTreeMap<u32, Vec<StoredRow>> = BTreeMap::new();
        let mut tail = self.tail.clone();
        let mut tail_from = usize::MAX;
        for (slot, row) in rows {
            if let Some(at) = slot.checked_sub(start) {
                let at = at as usize;
                tail_from = tail_from.min(at).min(tail.len());
                tail.resize(tail.len().max(at + 1), None);
                tail[at] = *row;
                continue;
            }
            let block = match blocks.entry(slot / BLOCK) {
                Entry::Occupied(block) => block.into_mut(),
                Entry::Vacant(block) => block.insert(self.block(slot / BLOCK)?),
            };
            block[(slot % BLOCK) as usize] = *row;
        }
        let full = tail.len() / BLOCK_ROWS;
        let rest = tail.split_off(full * BLOCK_ROWS);
        for (number, block) in (self.blocks..).zip(tail.chunks(BLOCK_ROWS)) {
            blocks.insert(number, block.to_vec());
        }
        // What remains after a block was filled is all new.
        let tail_from = tail_from.max(full * BLOCK_ROWS) - full * BLOCK_ROWS;
        Ok(Changed {
            blocks,
            full: self.blocks + full as u32,
            tail_from: Some(tail_from).filter(|from| *from < rest.len()),
            tail: rest,
        })
    }

    /// The piece of the tail to be written when the rows from slot `changed` on have changed: it
    /// begins where the piece they lie in does, or with the tail when that has many pieces.
    fn piece_from(&self, changed: u32) -> u32 {
        if self.pieces.len() >= PIECES_MAX {
            return self.tail_start();
        }
        let after = self.pieces.partition_point(|&piece| piece <= changed);
        match self.pieces.get(after.wrapping_sub(1)) {
            Some(&piece) if changed < self.slots() => piece,
            Some(_) | None => changed,
        }
    }

    fn write(&self, batch: &mut Batch) -> Result<(), StoreError> {
        fail_point("prints:apply", self.rows.place())?;
        self.rows.apply(std::mem::take(batch))
    }
}

/// What the store holds after changes, where it differs from what it held before.
struct Changed {
    blocks: BTreeMap<u32, Vec<StoredRow>>,
    /// The number of full blocks.
    full: u32,
    tail: Vec<StoredRow>,
    /// The first row of the tail that changed.
    tail_from: Option<usize>,
}

impl PrintStore for DiskPrintStore {
    fn position(&self) -> Result<u64, StoreError> {
        let Some(bytes) = self.rows.get(POSITION)? else {
            return Ok(0);
        };
        let position = <[u8; 8]>::try_from(&bytes[..]);
        let damaged = |_| StoreError::damaged(self.rows.place(), "its position cannot be read");
        position.map(u64::from_be_bytes).map_err(damaged)
    }

    fn slots(&self) -> u32 {
        self.tail_start() + self.tail.len() as u32
    }

    fn row(&self, slot: u32) -> Result<StoredRow, StoreError> {
        match slot.checked_sub(self.tail_start()) {
            Some(at) => Ok(self.tail.get(at as usize).copied().flatten()),
            None => self.with_block(slot / BLOCK, |rows| rows[(slot % BLOCK) as usize]),
        }
    }

    fn rows(&self, first: u32, limit: u32) -> Result<Vec<StoredRow>, StoreError> {
        let from = |rows: &[StoredRow], at: u32| -> Vec<StoredRow> {
            let rows = rows.iter().skip(at as usize);
            rows.take(limit as usize).copied().collect()
        };
        match first.checked_sub(self.tail_start()) {
            Some(at) => Ok(from(&self.tail, at)),
            None => self.with_block(first / BLOCK, |rows| from(rows, first % BLOCK)),
        }
    }

    fn apply(&mut self, rows: &[(u32, StoredRow)], position: u64) -> Result<(), StoreError> {
        let changed = self.changed(rows)?;
        *self.last_read.get_mut() = None;
        let mut batch = Batch::default();
        for (number, block) in &changed.blocks {
            // The pieces that a block replaces go with it, in the same batch.
            let replaced = match *number == self.blocks {
                true => std::mem::take(&mut self.pieces),
                false => Vec::new(),
            };
            if batch.len() + replaced.len() + 1 > BATCH_MAX - PIECES_MAX - 2 {
                self.write(&mut batch)?;
            }
            batch.insert(&row_key(ROWS, *number), &block::encode(block));
            for piece in replaced {
                batch.remove(&row_key(TAIL, piece));
            }
        }
        if let Some(from) = changed.tail_from {
            let start = changed.full * BLOCK;
            let first = match changed.full > self.blocks {
                true => start,
                false => self.piece_from(start + from as u32),
            };
            for piece in self.pieces.extract_if(.., |piece| *piece >= first) {
                batch.remove(&row_key(TAIL, piece));
            }
            let piece = &changed.tail[(first - start) as usize..];
            batch.insert(&row_key(TAIL, first), &block::encode(piece));
            self.pieces.push(first);
        }
        (self.blocks, self.tail) = (changed.full, changed.tail);
        batch.insert(POSITION, &position.to_be_bytes());
        self.write(&mut batch)
    }

    fn table_entry(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match &self.tables {
            Some(tables) => tables.get(key),
            None => Ok(None),
        }
    }

    fn put_table_entry(&mut self, key: &[u8], entry: &[u8]) -> Result<(), StoreError> {
        let tables = match self.tables.take() {
            Some(tables) => tables,
            None => self.rows.map(TABLES)?,
        };
        self.tables.insert(tables).insert(key, entry)
    }

    fn clear_tables(&mut self) -> Result<(), StoreError> {
        match self.tables.take() {
            Some(_) => self.rows.remove_map(TABLES),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.rows.flush()
    }
}

/// Where tests let a write fail; nothing in a release.
fn fail_point(name: &str, place: &str) -> Result<(), StoreError> {
    fail::fail_point!(name, |_| Err(StoreError::Refused {
        doing: format!("write to {place}"),
        cause: format!("fail point {name}"),
        kind: std::io::ErrorKind::Other,
    }));
    let _ = (name, place);
    Ok(())
}

fn meta(size: SketchSize) -> Vec<u8> {
    let mut meta = b"tamis fingerprints ".to_vec();
    for number in [FORMAT, FINGERPRINT_SCHEME, size.bytes() as u32] {
        meta.extend(number.to_be_bytes());
    }
    meta
}

fn row_key(kind: u8, number: u32) -> [u8; 5] {
    let [a, b, c, d] = number.to_be_bytes();
    [kind, a, b, c, d]
}

/// The number of a block, from its key.
fn number_of(key: &[u8], rows: &Store) -> Result<u32, StoreError> {
    let number = key.get(1..).map(<[u8; 4]>::try_from);
    match number {
        Some(Ok(number)) => Ok(u32::from_be_bytes(number)),
        Some(Err(_)) | None => Err(StoreError::damaged(
            rows.place(),
            "the key of a block cannot be read",
        )),
    }
}
