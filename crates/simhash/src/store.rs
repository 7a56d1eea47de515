//! The rows on sled. All I/O of this crate is in this file.
//!
//! One tree, so that a batch of blocks and the journal position that it follows become visible
//! together. The tables are not stored: they are rebuilt from the rows at start, faster than sled
//! could read them. What is here can be rebuilt from the archive, so nothing waits for the disk:
//! after a crash the position on disk says from where to replay, and replaying a page that is
//! here already changes nothing.
//!
//! sled 0.34 may panic while it opens a damaged store, and a store may be of an older scheme. Both
//! are set aside under another name, and the index starts empty and says why.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::block::{self, BLOCK_ROWS};
use crate::{FINGERPRINT_SCHEME, IndexError, Memory, SketchSize, TextPrint};

/// Rows read from the store: a slot is free or holds a page.
pub(crate) type StoredRows = Vec<Option<(u64, TextPrint)>>;

const META: &[u8] = b"meta";
const POSITION: &[u8] = b"position";
const ROWS: u8 = b'r';
/// The number of the format of rows and keys.
const FORMAT: u32 = 1;
/// Operations in one batch: larger ones make sled allocate, and lose atomicity for, whole segments.
const BATCH_MAX: usize = 250;
/// sled's page cache, in bytes: little when only written to, more when sketches are read from it.
const CACHE_RAM: u64 = 8 << 20;
const CACHE_DISK: u64 = 128 << 20;

/// An open store.
#[derive(Debug)]
pub(crate) struct Store {
    db: sled::Db,
    dir: PathBuf,
    size: SketchSize,
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
        let db = match catch_unwind(AssertUnwindSafe(|| config.open())) {
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
        let store = Store {
            db,
            dir: dir.to_owned(),
            size,
        };
        let position = match catch_unwind(AssertUnwindSafe(|| store.load(existed, load))) {
            Ok(position) => position?,
            Err(_) => {
                return Err(Trouble::Unusable(
                    "the store is damaged: reading it panicked".to_owned(),
                ));
            }
        };
        Ok((store, position))
    }

    fn load(&self, existed: bool, load: &mut impl FnMut(StoredRows)) -> Result<u64, Trouble> {
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
        for (expected, entry) in (0u32..).zip(self.db.scan_prefix([ROWS])) {
            let (key, bytes) = entry.map_err(read)?;
            let rows = block::decode(&bytes, self.size);
            match rows {
                Some(rows) if key[..] == row_key(expected) && rows.len() <= BLOCK_ROWS => {
                    load(rows)
                }
                Some(_) => return Err(Trouble::Unusable(format!("block {expected} is missing"))),
                None => return Err(Trouble::Unusable(format!("block {expected} is damaged"))),
            }
        }
        let position = self.db.get(POSITION).map_err(read)?;
        let position =
            position.and_then(|bytes| bytes.as_ref().try_into().ok().map(u64::from_be_bytes));
        Ok(position.unwrap_or(0))
    }

    /// Writes blocks and, with the last of them, the journal position that they follow.
    pub(crate) fn write(
        &self,
        blocks: Vec<(u32, Vec<u8>)>,
        position: u64,
    ) -> Result<(), IndexError> {
        let mut batch = sled::Batch::default();
        let mut operations = 0;
        for (number, bytes) in blocks {
            batch.insert(&row_key(number), bytes);
            operations += 1;
            if operations == BATCH_MAX - 1 {
                self.apply(std::mem::take(&mut batch))?;
                operations = 0;
            }
        }
        batch.insert(POSITION, &position.to_be_bytes());
        self.apply(batch)
    }

    /// The rows of a block that has been written.
    pub(crate) fn read(&self, number: u32) -> Result<StoredRows, IndexError> {
        let bytes = self
            .db
            .get(row_key(number))
            .map_err(|error| failed(&self.dir, error.into()))?;
        let rows = bytes.map_or(Some(Vec::new()), |bytes| block::decode(&bytes, self.size));
        rows.ok_or_else(|| failed(&self.dir, format!("block {number} is damaged").into()))
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

fn row_key(number: u32) -> [u8; 5] {
    let [a, b, c, d] = number.to_be_bytes();
    [ROWS, a, b, c, d]
}

fn failed(dir: &Path, source: Box<dyn std::error::Error + Send + Sync>) -> IndexError {
    IndexError::Store {
        path: dir.to_owned(),
        source,
    }
}

/// Renames `dir` to the first free `dir.set-aside-N`.
fn set_aside(dir: &Path) -> Result<PathBuf, IndexError> {
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
