//! The frontier on disk: one sled tree of URLs, with the journal position that it follows from.
//!
//! ```text
//! m                                     format, journal position
//! u <xxh3-128 of the URL>               the URL while it waits; seed and host once it is finished
//! q <host> <priority> <depth> <order>   places that memory does not hold; of this process only
//! ```
//!
//! A view: whatever is lost here is replayed from the journal. sled writes in the order of
//! batches, so after a crash the tree is that of some earlier moment, with that moment's
//! position; replaying again what a batch had already applied changes nothing. So nothing is
//! synced here. Batches are small: sled frees nothing while one is applied (1,000 operations each
//! took 6 GB where 250 took 0.1 GB).
//!
//! A tree that is damaged or of another form is set aside, under another name, and an empty one
//! begun. sled can panic on damaged files: that is caught. A disk that is full or a directory
//! that is in use is no damage, and nothing is set aside for it.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::config::{FrontierError, Opened};
use crate::host::HostKey;
use crate::lease::FrontierUrl;
use crate::queue::Item;
use crate::url::CanonicalUrl;

/// The form of what is stored; a tree of another form is set aside.
const FORMAT: u8 = 1;
/// Operations in one batch.
const BATCH_MAX: usize = 250;
/// sled's page cache.
const CACHE_BYTES: u64 = 32 << 20;

/// A tree closed by this process a moment ago may still hold its lock; see [`open_tree`].
const LOCK_TRIES: u32 = 10;
const LOCK_WAIT: Duration = Duration::from_millis(20);

const META: &[u8] = b"m";
const URL: u8 = b'u';
const PLACE: u8 = b'q';

/// A URL as stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stored {
    /// It waits.
    Pending {
        url: FrontierUrl,
        attempt: u32,
        not_before_ms: u64,
        order: u64,
    },
    /// It met its fate.
    Finished { seed: u32, host: Box<str> },
}

#[derive(Serialize, Deserialize)]
enum Row<'a> {
    Pending {
        url: &'a str,
        depth: u32,
        seed: u32,
        via: Option<u64>,
        priority: f32,
        context: &'a [u8],
        attempt: u32,
        not_before_ms: u64,
        order: u64,
    },
    Finished {
        seed: u32,
        host: &'a str,
    },
}

/// A row as bytes, ready to be written.
#[derive(Debug, Clone)]
pub(crate) struct RowBytes(Vec<u8>);

impl RowBytes {
    pub(crate) fn pending(url: &FrontierUrl, attempt: u32, not_before_ms: u64, order: u64) -> Self {
        Self::of(&Row::Pending {
            url: url.url.as_str(),
            depth: url.depth,
            seed: url.seed,
            via: url.via,
            priority: url.priority,
            context: &url.context,
            attempt,
            not_before_ms,
            order,
        })
    }

    pub(crate) fn finished(seed: u32, host: &HostKey) -> Self {
        Self::of(&Row::Finished {
            seed,
            host: host.as_str(),
        })
    }

    fn of(row: &Row<'_>) -> Self {
        Self(postcard::to_stdvec(row).expect("plain data of known length serialises"))
    }

    pub(crate) fn read(&self) -> Option<Stored> {
        read_row(&self.0)
    }
}

/// The tree.
#[derive(Debug)]
pub(crate) struct Store {
    db: sled::Db,
}

/// Why a tree cannot be opened.
enum Failure {
    /// It is of no use any more.
    Damaged(String),
    /// Something around it is in the way.
    Blocked(String),
    /// It is open already.
    Locked(String),
}

impl From<sled::Error> for Failure {
    fn from(error: sled::Error) -> Self {
        let sled::Error::Io(io) = &error else {
            return Self::Damaged(error.to_string());
        };
        let blocked = [
            ErrorKind::PermissionDenied,
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::OutOfMemory,
        ];
        if io.to_string().contains("acquire lock") {
            Self::Locked(error.to_string())
        } else if blocked.contains(&io.kind()) {
            Self::Blocked(error.to_string())
        } else {
            Self::Damaged(error.to_string())
        }
    }
}

/// Opens the tree at `dir` and builds the frontier from it with `load`. One that is damaged or of
/// another form is set aside.
pub(crate) fn open<T>(
    dir: &Path,
    load: impl Fn(Store) -> Result<T, String>,
) -> Result<(T, Opened), FrontierError> {
    let fail = |what| move |cause: String| FrontierError::Store { what, cause };
    let why = match try_open(dir, &load) {
        Ok((loaded, position)) => {
            return Ok((
                loaded,
                Opened {
                    position,
                    rebuilt_because: None,
                },
            ));
        }
        Err(Failure::Blocked(cause) | Failure::Locked(cause)) => {
            return Err(fail("open the frontier's store")(cause));
        }
        Err(Failure::Damaged(why)) => why,
    };
    std::fs::rename(dir, free_name(dir))
        .map_err(|error| fail("set the damaged frontier aside")(error.to_string()))?;
    match try_open(dir, &load) {
        Ok((loaded, _)) => Ok((
            loaded,
            Opened {
                position: 0,
                rebuilt_because: Some(why),
            },
        )),
        Err(Failure::Blocked(cause) | Failure::Locked(cause) | Failure::Damaged(cause)) => {
            Err(fail("make the frontier's store")(cause))
        }
    }
}

fn try_open<T>(
    dir: &Path,
    load: &impl Fn(Store) -> Result<T, String>,
) -> Result<(T, u64), Failure> {
    std::fs::create_dir_all(dir).map_err(|error| Failure::Blocked(error.to_string()))?;
    let opened = catch_unwind(AssertUnwindSafe(|| -> Result<(T, u64), Failure> {
        let store = Store {
            db: open_tree(dir)?,
        };
        let position = store.position()?;
        store.clear_places()?;
        Ok((load(store).map_err(Failure::Damaged)?, position))
    }));
    opened.unwrap_or_else(|_| Err(Failure::Damaged("its files are damaged".into())))
}

/// Opens the tree. A tree that this process closed a moment ago keeps its lock until sled's
/// garbage is collected, and that is done in passing by whoever works with sled next: so work is
/// done on another tree, in memory, until the lock is free.
fn open_tree(dir: &Path) -> Result<sled::Db, Failure> {
    let config = sled::Config::default()
        .path(dir)
        .cache_capacity(CACHE_BYTES)
        .flush_every_ms(None);
    for _ in 0..LOCK_TRIES {
        match config.open().map_err(Failure::from) {
            Err(Failure::Locked(_)) => {}
            other => return other,
        }
        let other = sled::Config::default()
            .temporary(true)
            .flush_every_ms(None)
            .open()?;
        for n in 0..1_000u32 {
            other.insert(n.to_be_bytes(), &[])?;
        }
        std::thread::sleep(LOCK_WAIT);
    }
    Ok(config.open()?)
}

fn free_name(dir: &Path) -> PathBuf {
    (1..)
        .map(|number| dir.with_extension(format!("damaged-{number}")))
        .find(|path| !path.exists())
        .expect("there is always a larger number")
}

impl Drop for Store {
    fn drop(&mut self) {
        // What fails here is replayed from the journal.
        let _ = self.db.flush();
    }
}

impl Store {
    fn position(&self) -> Result<u64, Failure> {
        let damaged = |why: &str| Err(Failure::Damaged(why.into()));
        let Some(meta) = self.db.get(META)? else {
            return if self.db.is_empty() {
                Ok(0)
            } else {
                damaged("it has no position")
            };
        };
        match (meta.first(), meta.get(1..).map(<[u8; 8]>::try_from)) {
            (Some(&FORMAT), Some(Ok(position))) => Ok(u64::from_be_bytes(position)),
            (Some(&FORMAT), _) | (None, _) => damaged("its position cannot be read"),
            (Some(form), _) => damaged(&format!(
                "it is of form {form}, this version has form {FORMAT}"
            )),
        }
    }

    /// A URL's row.
    pub(crate) fn get(&self, key: u128) -> Option<Stored> {
        let row = self.db.get(row_key(key)).ok()??;
        read_row(&row)
    }

    /// Whether a URL was ever stored.
    pub(crate) fn contains(&self, key: u128) -> bool {
        self.db.contains_key(row_key(key)).unwrap_or(false)
    }

    /// Every row, in no order that means anything.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<(u128, Stored), String>> + use<> {
        self.db.scan_prefix([URL]).map(|row| {
            let (key, value) = row.map_err(|error| error.to_string())?;
            let key = <[u8; 16]>::try_from(&key[1..]).map_err(|_| "a key of odd length")?;
            let stored = read_row(&value).ok_or("a row that cannot be read")?;
            Ok((u128::from_be_bytes(key), stored))
        })
    }

    /// Writes rows; the last batch also moves the position, so it is never ahead of them.
    pub(crate) fn write(
        &self,
        rows: impl Iterator<Item = (u128, RowBytes)>,
        position: u64,
    ) -> Result<(), FrontierError> {
        let mut batch = sled::Batch::default();
        let mut len = 0;
        for (key, row) in rows {
            batch.insert(row_key(key).as_slice(), row.0);
            len += 1;
            if len == BATCH_MAX - 1 {
                self.apply(std::mem::take(&mut batch))?;
                len = 0;
            }
        }
        batch.insert(META, meta(position).as_slice());
        self.apply(batch)
    }

    /// Writes places of a host's queue.
    pub(crate) fn put_places(&self, host: &HostKey, items: &[Item]) -> Result<(), FrontierError> {
        for items in items.chunks(BATCH_MAX) {
            let mut batch = sled::Batch::default();
            for item in items {
                batch.insert(place_key(host, item), &item.key.to_be_bytes());
            }
            self.apply(batch)?;
        }
        Ok(())
    }

    /// Takes the best places of a host's queue, in order, at most `wanted`.
    pub(crate) fn take_places(&self, host: &HostKey, wanted: usize) -> Vec<Item> {
        let rows = self
            .db
            .scan_prefix(place_prefix(host))
            .take(wanted)
            .map_while(Result::ok);
        let items: Vec<Item> = rows
            .filter_map(|(key, value)| read_place(&key, &value))
            .collect();
        for item in &items {
            self.remove_place(host, item);
        }
        items
    }

    /// Removes one place; false when it was not there.
    pub(crate) fn remove_place(&self, host: &HostKey, item: &Item) -> bool {
        self.db
            .remove(place_key(host, item))
            .is_ok_and(|old| old.is_some())
    }

    /// Places are of one process only: the next one makes its own queues from the rows.
    fn clear_places(&self) -> Result<(), Failure> {
        for place in self.db.scan_prefix([PLACE]).keys() {
            self.db.remove(place?)?;
        }
        Ok(())
    }

    fn apply(&self, batch: sled::Batch) -> Result<(), FrontierError> {
        self.db
            .apply_batch(batch)
            .map_err(|error| FrontierError::Store {
                what: "write the frontier's store",
                cause: error.to_string(),
            })
    }
}

fn meta(position: u64) -> [u8; 9] {
    let mut meta = [FORMAT; 9];
    meta[1..].copy_from_slice(&position.to_be_bytes());
    meta
}

fn row_key(key: u128) -> [u8; 17] {
    let mut bytes = [URL; 17];
    bytes[1..].copy_from_slice(&key.to_be_bytes());
    bytes
}

fn place_prefix(host: &HostKey) -> [u8; 9] {
    let mut bytes = [PLACE; 9];
    bytes[1..].copy_from_slice(&xxh3_64(host.as_str().as_bytes()).to_be_bytes());
    bytes
}

/// The key sorts as [`Item`] does: the largest priority first.
fn place_key(host: &HostKey, item: &Item) -> Vec<u8> {
    let mut bytes = place_prefix(host).to_vec();
    let bits = item.priority.to_bits();
    let rising = if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    };
    bytes.extend((!rising).to_be_bytes());
    bytes.extend(item.depth.to_be_bytes());
    bytes.extend(item.order.to_be_bytes());
    bytes
}

fn read_place(key: &[u8], value: &[u8]) -> Option<Item> {
    let rising = !u32::from_be_bytes(key.get(9..13)?.try_into().ok()?);
    let bits = if rising >> 31 == 1 {
        rising & !(1 << 31)
    } else {
        !rising
    };
    Some(Item {
        priority: f32::from_bits(bits),
        depth: u32::from_be_bytes(key.get(13..17)?.try_into().ok()?),
        order: u64::from_be_bytes(key.get(17..25)?.try_into().ok()?),
        key: u128::from_be_bytes(value.try_into().ok()?),
    })
}

fn read_row(bytes: &[u8]) -> Option<Stored> {
    Some(match postcard::from_bytes::<Row<'_>>(bytes).ok()? {
        Row::Pending {
            url,
            depth,
            seed,
            via,
            priority,
            context,
            attempt,
            not_before_ms,
            order,
        } => {
            let url = FrontierUrl {
                url: CanonicalUrl::trusted(url)?,
                depth,
                seed,
                via,
                priority,
                context: context.to_vec(),
            };
            Stored::Pending {
                url,
                attempt,
                not_before_ms,
                order,
            }
        }
        Row::Finished { seed, host } => Stored::Finished {
            seed,
            host: host.into(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_sort_on_disk_as_in_memory() {
        let host = HostKey::from_record("a.example");
        let mut items: Vec<Item> = [1.0, 0.5, 0.25, 0.0, -0.5, f32::MIN_POSITIVE]
            .into_iter()
            .flat_map(|priority| [0, 3].map(|depth| (priority, depth)))
            .enumerate()
            .map(|(n, (priority, depth))| Item {
                priority,
                depth,
                order: 99 - n as u64,
                key: n as u128,
            })
            .collect();
        let mut keys: Vec<Vec<u8>> = items.iter().map(|item| place_key(&host, item)).collect();
        items.sort();
        keys.sort();
        let read: Vec<Item> = keys
            .iter()
            .map(|key| read_place(key, &0u128.to_be_bytes()).expect("a place"))
            .collect();
        for (read, item) in read.iter().zip(&items) {
            assert_eq!(
                (read.priority, read.depth, read.order),
                (item.priority, item.depth, item.order)
            );
        }
    }

    #[test]
    fn rows_survive_a_round_trip() {
        let url = FrontierUrl {
            url: CanonicalUrl::parse("http://a.example/x").expect("a URL"),
            depth: 3,
            seed: 1,
            via: Some(7),
            priority: 0.25,
            context: vec![1, 2],
        };
        let row = RowBytes::pending(&url, 2, 5, 9);
        assert_eq!(
            row.read(),
            Some(Stored::Pending {
                url,
                attempt: 2,
                not_before_ms: 5,
                order: 9
            })
        );
        assert_eq!(read_row(&[9, 9, 9]), None);
    }
}
