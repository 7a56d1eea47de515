//! The frontier on disk: one sled tree of URLs, with the journal position that it follows from.
//!
//! A view: whatever is lost here is replayed from the journal. sled writes in the order of
//! batches, so after a crash the tree is that of some earlier moment, with that moment's
//! position; replaying again what a batch had already applied changes nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::frontier::{FrontierError, FrontierUrl, Opened};
use crate::url::CanonicalUrl;

/// The form of what is stored; a tree of another form is set aside.
const FORMAT: u8 = 1;
/// Operations in one batch: sled frees nothing while a batch is applied.
const BATCH_MAX: usize = 250;
/// sled's page cache.
const CACHE_BYTES: u64 = 32 << 20;

const META: &[u8] = b"m";
const URL: u8 = b'u';

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

/// The tree.
#[derive(Debug)]
pub(crate) struct Store {
    db: sled::Db,
}

impl Store {
    /// Opens the tree at `dir`; one that is damaged or of another form is set aside.
    pub(crate) fn open(dir: &Path) -> Result<(Store, Opened), FrontierError> {
        let existed = dir.exists();
        let because = match try_open(dir) {
            Ok((store, position)) => {
                return Ok((
                    store,
                    Opened {
                        position,
                        rebuilt_because: None,
                    },
                ));
            }
            Err(why) => why,
        };
        if existed {
            let aside = free_name(dir);
            std::fs::rename(dir, &aside).map_err(|error| FrontierError::Store {
                what: "set the damaged frontier aside",
                cause: error.to_string(),
            })?;
        }
        let (store, _) = try_open(dir).map_err(|cause| FrontierError::Store {
            what: "make the frontier's store",
            cause,
        })?;
        Ok((
            store,
            Opened {
                position: 0,
                rebuilt_because: Some(because),
            },
        ))
    }

    /// A pending URL's row, or that of a finished one.
    pub(crate) fn get(&self, key: u128) -> Option<Stored> {
        let row = self.db.get(row_key(key)).ok()??;
        read_row(&row)
    }

    /// Every row, in no order that means anything.
    pub(crate) fn iter(
        &self,
    ) -> impl Iterator<Item = Result<(u128, Stored), FrontierError>> + use<> {
        self.db.scan_prefix([URL]).map(|row| {
            let fail = |cause: String| FrontierError::Store {
                what: "read the frontier's store",
                cause,
            };
            let (key, value) = row.map_err(|error| fail(error.to_string()))?;
            let key: [u8; 16] = key[1..]
                .try_into()
                .map_err(|_| fail("a key of odd length".into()))?;
            let stored =
                read_row(&value).ok_or_else(|| fail("a row that cannot be read".into()))?;
            Ok((u128::from_be_bytes(key), stored))
        })
    }

    /// Writes rows; the last batch also moves the position, so it is never ahead of them.
    pub(crate) fn write(
        &self,
        rows: &[(u128, Stored)],
        position: u64,
    ) -> Result<(), FrontierError> {
        let fail = |cause: String| FrontierError::Store {
            what: "write the frontier's store",
            cause,
        };
        let mut chunks = rows.chunks(BATCH_MAX - 1).peekable();
        loop {
            let chunk = chunks.next().unwrap_or_default();
            let mut batch = sled::Batch::default();
            for (key, stored) in chunk {
                let row = write_row(stored).map_err(|error| fail(error.to_string()))?;
                batch.insert(row_key(*key).as_slice(), row);
            }
            let is_last = chunks.peek().is_none();
            if is_last {
                batch.insert(META, meta(position).as_slice());
            }
            self.db
                .apply_batch(batch)
                .map_err(|error| fail(error.to_string()))?;
            if is_last {
                return Ok(());
            }
        }
    }
}

/// Opens the tree and reads its position. sled can panic on damaged files, so that is caught; a
/// tree is damaged, too, when any of its rows cannot be read.
fn try_open(dir: &Path) -> Result<(Store, u64), String> {
    let opened = catch_unwind(AssertUnwindSafe(|| -> Result<(Store, u64), String> {
        std::fs::create_dir_all(dir).map_err(|error| error.to_string())?;
        let db = sled::Config::default()
            .path(dir)
            .cache_capacity(CACHE_BYTES)
            .flush_every_ms(Some(1_000))
            .open()
            .map_err(|error| error.to_string())?;
        let store = Store { db };
        let position = match store.db.get(META).map_err(|error| error.to_string())? {
            None if store.db.is_empty() => 0,
            None => return Err("it has no position".into()),
            Some(meta) => match meta.split_first() {
                Some((&FORMAT, position)) => u64::from_be_bytes(
                    position
                        .try_into()
                        .map_err(|_| "its position cannot be read".to_string())?,
                ),
                Some((form, _)) => {
                    return Err(format!(
                        "it is of form {form}, this version has form {FORMAT}"
                    ));
                }
                None => return Err("its position is empty".into()),
            },
        };
        for row in store.iter() {
            row.map_err(|error| error.to_string())?;
        }
        Ok((store, position))
    }));
    opened.unwrap_or_else(|_| Err("its files are damaged".into()))
}

fn free_name(dir: &Path) -> PathBuf {
    (1..)
        .map(|number| dir.with_extension(format!("damaged-{number}")))
        .find(|path| !path.exists())
        .expect("there is always a larger number")
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

fn write_row(stored: &Stored) -> Result<Vec<u8>, postcard::Error> {
    postcard::to_stdvec(&match stored {
        Stored::Pending {
            url,
            attempt,
            not_before_ms,
            order,
        } => Row::Pending {
            url: url.url.as_str(),
            depth: url.depth,
            seed: url.seed,
            via: url.via,
            priority: url.priority,
            context: &url.context,
            attempt: *attempt,
            not_before_ms: *not_before_ms,
            order: *order,
        },
        Stored::Finished { seed, host } => Row::Finished { seed: *seed, host },
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
                url: CanonicalUrl::trusted(url),
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
