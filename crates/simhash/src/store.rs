//! The rows on sled. All I/O of this crate is in this file.
//!
//! One tree, so that a batch of blocks and the journal position that it follows become visible
//! together. A full block is written once; the rows after the last full block, the *tail*, are
//! written in pieces as they come, and the block that they fill at last replaces them.
//!
//! ```text
//! r│block 0   256 rows      t│slot 512    20 rows
//! r│block 1   256 rows      t│slot 532    17 rows      position      meta
//! ```
//!
//! The tables in RAM are not stored: they are rebuilt from the rows at start, faster than sled
//! could read them. Those on disk are a tree of their own. What is here can be rebuilt from the archive, so nothing waits for the disk:
//! after a crash the position on disk says from where to replay, and replaying a page that is
//! here already changes nothing.
//!
//! sled 0.34 may panic while it opens a damaged store, and a store may be of an older scheme. Both
//! are set aside under another name, and the index starts empty and says why.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::block::{self, BLOCK_ROWS};
use crate::{FINGERPRINT_SCHEME, IndexError, Memory, SketchSize, TextPrint};

/// Rows read from the store: a slot is free or holds a page.
pub(crate) type StoredRows = Vec<Option<(u64, TextPrint)>>;

const META: &[u8] = b"meta";
const POSITION: &[u8] = b"position";
const ROWS: u8 = b'r';
const TAIL: u8 = b't';
/// The number of the format of rows and keys.
const FORMAT: u32 = 1;
/// Pieces of the tail before it is written as one again.
const PIECES_MAX: usize = 32;
/// Operations in one batch: larger ones make sled allocate, and lose atomicity for, whole segments.
const BATCH_MAX: usize = 250;
/// How long, and how often, to wait for the store's lock: two seconds in all.
const LOCK_WAIT: Duration = Duration::from_millis(20);
const LOCK_WAITS_MAX: u32 = 100;
/// The tree of [`crate::disk_tables`].
const TABLES: &str = "tables";
/// sled's page cache, in bytes: little when only written to, more when look-ups read from it (with a
/// quarter of it they take more than twice as long among a million pages).
const CACHE_RAM: u64 = 1 << 20;
const CACHE_DISK: u64 = 128 << 20;

/// An open store.
#[derive(Debug)]
pub(crate) struct Store {
    db: sled::Db,
    dir: PathBuf,
    size: SketchSize,
    /// The number of slots that are written.
    slots: u32,
    /// First slots of the tail's pieces, ascending.
    pieces: Vec<u32>,
    /// The tables on disk, with [`Memory::Disk`].
    tables: Option<sled::Tree>,
    /// The rows that were read last, by their first slot.
    last_read: RefCell<Option<(u32, StoredRows)>>,
}

/// What changed in the rows since they were written last.
pub(crate) struct Changes {
    /// Full blocks, ascending.
    pub(crate) blocks: Vec<(u32, Vec<u8>)>,
    /// The tail's changed rows: their first slot and all rows from there.
    pub(crate) tail: Option<(u32, Vec<u8>)>,
    /// The number of slots, free ones included.
    pub(crate) slots: u32,
    /// The journal position that they follow.
    pub(crate) position: u64,
}

/// What an opened store held.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) position: u64,
    /// Why the store that was there was set aside.
    pub(crate) rebuilt_because: Option<String>,
}

/// Why a store cannot be used as it is.
enum Trouble {
    /// It must be replaced: damaged, or of another scheme.
    Unusable(String),
    /// The disk or another process is in the way; a new store would fare no better.
    Refused(IndexError),
}

impl Store {
    /// Opens the store in `dir`, or begins one; hands every block of rows to `load` in order.
    pub(crate) fn open(
        dir: &Path,
        size: SketchSize,
        memory: Memory,
        mut load: impl FnMut(StoredRows),
        mut clear: impl FnMut(),
    ) -> Result<(Store, Found), IndexError> {
        let existed = dir.exists();
        match Store::try_open(dir, size, memory, existed, &mut load) {
            Ok((store, position)) => Ok((
                store,
                Found {
                    position,
                    rebuilt_because: None,
                },
            )),
            Err(Trouble::Refused(error)) => Err(error),
            Err(Trouble::Unusable(why)) => {
                clear();
                let aside = set_aside(dir)?;
                tracing::warn!(dir = %dir.display(), aside = %aside.display(), why, "fingerprints set aside");
                match Store::try_open(dir, size, memory, false, &mut load) {
                    Ok((store, position)) => {
                        let why = format!("{why}; the old fingerprints are in {}", aside.display());
                        Ok((
                            store,
                            Found {
                                position,
                                rebuilt_because: Some(why),
                            },
                        ))
                    }
                    Err(Trouble::Refused(error)) => Err(error),
                    Err(Trouble::Unusable(why)) => Err(failed(dir, why.into())),
                }
            }
        }
    }

    fn try_open(
        dir: &Path,
        size: SketchSize,
        memory: Memory,
        existed: bool,
        load: &mut impl FnMut(StoredRows),
    ) -> Result<(Store, u64), Trouble> {
        let cache = match memory {
            Memory::Ram => CACHE_RAM,
            Memory::Disk => CACHE_DISK,
        };
        let config = sled::Config::new()
            .path(dir)
            .cache_capacity(cache)
            .flush_every_ms(Some(1_000));
        let db = match catch_unwind(AssertUnwindSafe(|| open_unlocked(&config))) {
            Ok(Ok(db)) => db,
            Ok(Err(error @ sled::Error::Io(_))) => {
                return Err(Trouble::Refused(failed(dir, error.into())));
            }
            Ok(Err(error)) => {
                return Err(Trouble::Unusable(format!("the store is damaged: {error}")));
            }
            Err(_) => {
                return Err(Trouble::Unusable(
                    "the store is damaged: opening it panicked".to_owned(),
                ));
            }
        };
        let mut store = Store {
            db,
            dir: dir.to_owned(),
            size,
            slots: 0,
            pieces: Vec::new(),
            tables: None,
            last_read: RefCell::new(None),
        };
        let loaded = AssertUnwindSafe(|| {
            let position = store.load(existed, load)?;
            store.open_tables(memory).map(|()| position)
        });
        let position = match catch_unwind(loaded) {
            Ok(position) => position?,
            Err(_) => {
                return Err(Trouble::Unusable(
                    "the store is damaged: reading it panicked".to_owned(),
                ));
            }
        };
        Ok((store, position))
    }

    fn load(&mut self, existed: bool, load: &mut impl FnMut(StoredRows)) -> Result<u64, Trouble> {
        let read =
            |error: sled::Error| Trouble::Unusable(format!("the store cannot be read: {error}"));
        let meta = self.meta();
        match self.db.get(META).map_err(read)? {
            Some(found) if found == meta.as_slice() => {}
            Some(_) => {
                let why = format!(
                    "its fingerprints are of another scheme than {FINGERPRINT_SCHEME} or another sketch size"
                );
                return Err(Trouble::Unusable(why));
            }
            None if existed && !self.db.is_empty() => {
                return Err(Trouble::Unusable("the store has no scheme".to_owned()));
            }
            None => {
                self.db.insert(META, meta).map_err(read)?;
            }
        }
        let mut slots = 0u32;
        for entry in self.db.scan_prefix([ROWS]) {
            let (key, bytes) = entry.map_err(read)?;
            slots += self.load_rows(&key, ROWS, slots / BLOCK_ROWS as u32, slots, &bytes, load)?;
        }
        for entry in self.db.scan_prefix([TAIL]) {
            let (key, bytes) = entry.map_err(read)?;
            self.pieces.push(slots);
            slots += self.load_rows(&key, TAIL, slots, slots, &bytes, load)?;
        }
        self.slots = slots;
        let position = self.db.get(POSITION).map_err(read)?;
        let position =
            position.and_then(|bytes| bytes.as_ref().try_into().ok().map(u64::from_be_bytes));
        Ok(position.unwrap_or(0))
    }

    /// Opens the tables on disk. Where they are in RAM those on disk go: they would not be kept
    /// up to date.
    fn open_tables(&mut self, memory: Memory) -> Result<(), Trouble> {
        let unusable = |error: sled::Error| {
            Trouble::Unusable(format!("the tables on disk cannot be opened: {error}"))
        };
        match memory {
            Memory::Disk => self.tables = Some(self.db.open_tree(TABLES).map_err(unusable)?),
            Memory::Ram
                if self
                    .db
                    .tree_names()
                    .iter()
                    .any(|name| name == TABLES.as_bytes()) =>
            {
                self.db.drop_tree(TABLES).map_err(unusable)?;
            }
            Memory::Ram => {}
        }
        Ok(())
    }

    /// Throws the tables on disk away and begins new ones.
    pub(crate) fn renew_tables(&mut self) -> Result<(), IndexError> {
        let failed = |error: sled::Error| failed(&self.dir, error.into());
        self.tables = None;
        self.db.drop_tree(TABLES).map_err(failed)?;
        self.tables = Some(self.db.open_tree(TABLES).map_err(failed)?);
        Ok(())
    }

    /// An entry of the tables on disk; none without such tables.
    pub(crate) fn table(&self, key: &[u8]) -> Result<Option<sled::IVec>, IndexError> {
        match &self.tables {
            Some(tables) => tables
                .get(key)
                .map_err(|error| failed(&self.dir, error.into())),
            None => Ok(None),
        }
    }

    /// Writes an entry of the tables on disk.
    pub(crate) fn put_table(&self, key: &[u8], bytes: &[u8]) -> Result<(), IndexError> {
        if let Some(tables) = &self.tables {
            tables
                .insert(key, bytes)
                .map_err(|error| failed(&self.dir, error.into()))?;
        }
        Ok(())
    }

    /// The error for a store that holds what it cannot.
    pub(crate) fn damaged(&self, what: &str) -> IndexError {
        failed(&self.dir, what.into())
    }

    fn load_rows(
        &self,
        key: &[u8],
        kind: u8,
        number: u32,
        slot: u32,
        bytes: &[u8],
        load: &mut impl FnMut(StoredRows),
    ) -> Result<u32, Trouble> {
        let unusable =
            |what: &str| Trouble::Unusable(format!("the rows from slot {slot} on are {what}"));
        let rows = block::decode(bytes, self.size).ok_or_else(|| unusable("damaged"))?;
        let whole = kind == TAIL || rows.len() == BLOCK_ROWS;
        if key != row_key(kind, number) || !whole || rows.len() > BLOCK_ROWS {
            return Err(unusable("missing"));
        }
        let count = rows.len() as u32;
        load(rows);
        Ok(count)
    }

    /// Writes changes, the position with the last of them.
    pub(crate) fn write(&mut self, changes: Changes) -> Result<(), IndexError> {
        *self.last_read.get_mut() = None;
        self.slots = changes.slots;
        let tail_block = changes.slots / BLOCK_ROWS as u32;
        let mut batch = sled::Batch::default();
        let mut operations = 0;
        for (number, bytes) in changes.blocks {
            // The pieces that a block replaces go with it, whatever the batch.
            let replaced: Vec<u32> = self
                .pieces
                .extract_if(.., |piece| *piece / BLOCK_ROWS as u32 == number)
                .collect();
            if operations + replaced.len() + 1 > BATCH_MAX - PIECES_MAX - 2 {
                self.apply(std::mem::take(&mut batch))?;
                operations = 0;
            }
            batch.insert(&row_key(ROWS, number), bytes);
            for piece in &replaced {
                batch.remove(&row_key(TAIL, *piece));
            }
            operations += replaced.len() + 1;
        }
        if let Some((first, bytes)) = changes.tail {
            debug_assert_eq!(first / BLOCK_ROWS as u32, tail_block);
            for piece in self.pieces.extract_if(.., |piece| *piece >= first) {
                batch.remove(&row_key(TAIL, piece));
            }
            batch.insert(&row_key(TAIL, first), bytes);
            self.pieces.push(first);
        }
        batch.insert(POSITION, &changes.position.to_be_bytes());
        self.apply(batch)
    }

    /// The first slot of the tail that must be written again when the slots from `changed` on
    /// have changed: the start of the piece it lies in, or of the tail when that has many pieces.
    pub(crate) fn tail_from(&self, changed: u32) -> u32 {
        if self.pieces.len() >= PIECES_MAX {
            return changed / BLOCK_ROWS as u32 * BLOCK_ROWS as u32;
        }
        let after = self.pieces.partition_point(|&piece| piece <= changed);
        match self.pieces.get(after.wrapping_sub(1)) {
            Some(&piece) if changed < self.slots => piece,
            _ => changed,
        }
    }

    /// The row in a slot that has been written; none for a free one.
    pub(crate) fn row(&self, slot: u32) -> Result<Option<(u64, TextPrint)>, IndexError> {
        self.with_rows(slot, |first, rows| {
            rows.get((slot - first) as usize).copied().flatten()
        })
    }

    /// The rows that are written from a slot on, which begins a block or a piece of the tail, to
    /// that block's or piece's end.
    pub(crate) fn rows_from(&self, slot: u32) -> Result<StoredRows, IndexError> {
        self.with_rows(slot, |_, rows| rows.clone())
    }

    /// The number of slots that are written.
    pub(crate) fn slots(&self) -> u32 {
        self.slots
    }

    /// Reads the block or piece of the tail that a slot is in, with its first slot.
    fn with_rows<T>(
        &self,
        slot: u32,
        read: impl FnOnce(u32, &StoredRows) -> T,
    ) -> Result<T, IndexError> {
        let after = self.pieces.partition_point(|&piece| piece <= slot);
        let (key, first) = match self.pieces.get(after.wrapping_sub(1)) {
            Some(&piece) => (row_key(TAIL, piece), piece),
            None => {
                let number = slot / BLOCK_ROWS as u32;
                (row_key(ROWS, number), number * BLOCK_ROWS as u32)
            }
        };
        let mut last = self.last_read.borrow_mut();
        if last.as_ref().is_none_or(|(read, _)| *read != first) {
            let bytes = self
                .db
                .get(key)
                .map_err(|error| failed(&self.dir, error.into()))?;
            let rows = bytes.map_or(Some(Vec::new()), |bytes| block::decode(&bytes, self.size));
            let damaged = || {
                failed(
                    &self.dir,
                    format!("the rows from slot {first} on are damaged").into(),
                )
            };
            *last = Some((first, rows.ok_or_else(damaged)?));
        }
        let (first, rows) = last.as_ref().expect("the rows were just read");
        Ok(read(*first, rows))
    }

    /// Hands all that was written to the operating system.
    pub(crate) fn flush(&self) -> Result<(), IndexError> {
        self.db
            .flush()
            .map(|_| ())
            .map_err(|error| failed(&self.dir, error.into()))
    }

    fn apply(&self, batch: sled::Batch) -> Result<(), IndexError> {
        self.db
            .apply_batch(batch)
            .map_err(|error| failed(&self.dir, error.into()))
    }

    fn meta(&self) -> Vec<u8> {
        let mut meta = b"tamis fingerprints ".to_vec();
        for number in [FORMAT, FINGERPRINT_SCHEME, self.size.bytes() as u32] {
            meta.extend(number.to_be_bytes());
        }
        meta
    }
}

/// Opens sled, waiting a little for its lock: when a store was closed a moment ago in this
/// process, sled's own threads may still hold it.
fn open_unlocked(config: &sled::Config) -> sled::Result<sled::Db> {
    let mut waits = 0;
    loop {
        match config.open() {
            Err(sled::Error::Io(error)) if waits < LOCK_WAITS_MAX && is_lock(&error) => {
                std::thread::park_timeout(LOCK_WAIT);
                waits += 1;
            }
            opened => return opened,
        }
    }
}

/// sled gives its lock's error as text only.
fn is_lock(error: &std::io::Error) -> bool {
    error.to_string().contains("lock")
}

fn row_key(kind: u8, number: u32) -> [u8; 5] {
    let [a, b, c, d] = number.to_be_bytes();
    [kind, a, b, c, d]
}

fn failed(dir: &Path, source: Box<dyn std::error::Error + Send + Sync>) -> IndexError {
    IndexError::Store {
        path: dir.to_owned(),
        source,
    }
}

/// Renames `dir` to the first free `dir.set-aside-N`.
pub(crate) fn set_aside(dir: &Path) -> Result<PathBuf, IndexError> {
    let name = dir.file_name().map_or_else(
        || "fingerprints".into(),
        |name| name.to_string_lossy().into_owned(),
    );
    let aside = (1..)
        .map(|number| dir.with_file_name(format!("{name}.set-aside-{number}")))
        .find(|aside| !aside.exists())
        .expect("some number is free");
    std::fs::rename(dir, &aside).map_err(|error| failed(dir, error.into()))?;
    Ok(aside)
}
