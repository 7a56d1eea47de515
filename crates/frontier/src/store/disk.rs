//! The store of a crawl, `state/frontier`: one map of rows.
//!
//! ```text
//! m                                     format, journal position
//! u <xxh3-128 of the URL>               the URL while it waits; seed and host once it is finished
//! q <host> <priority> <depth> <order>   spilled slots, in the order in which they are served
//! ```
//!
//! URLs are written in batches, the position with the last of them. After a crash the rows are
//! those of some earlier moment with that moment's position, or some of the rows that came after
//! it; replaying again what a batch had already applied changes nothing.

use std::path::Path;

use kv::{BATCH_MAX, Batch, Format, Options, Store};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{FrontierStore, QueueSlot, StoreError, StoredUrl};
use crate::config::Opened;
use crate::host::HostKey;
use crate::lease::FrontierUrl;
use crate::url::CanonicalUrl;

/// The format of the rows; a store of another one is set aside and rebuilt.
const FORMAT: u8 = 1;

const META: &[u8] = b"m";
const URL: u8 = b'u';
const SLOT: u8 = b'q';

const OPTIONS: Options<'_> = Options {
    format: Format {
        key: META,
        value: &[FORMAT],
        otherwise: "it is of another format than this version of Tamis writes",
    },
    cache_bytes: 32 << 20,
    // Nothing waits for the disk: what a crash loses is replayed from the journal.
    flush_every: None,
};

/// A store on disk.
#[derive(Debug)]
pub struct DiskStore {
    rows: Store,
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

impl DiskStore {
    /// Opens the store in `dir`, or begins one there. One that is damaged or of another format is
    /// set aside, which [`Opened::rebuilt_because`] tells; damage of single rows is found when they
    /// are read.
    ///
    /// # Errors
    /// When the disk is full or fails, or another process has the store open.
    pub fn open(dir: &Path) -> Result<(DiskStore, Opened), StoreError> {
        DiskStore::open_with(dir, Ok)
    }

    /// Opens the store in `dir` and makes of it what `load` does. When `load` finds it damaged it
    /// is called again with an empty one.
    pub(crate) fn open_with<T>(
        dir: &Path,
        load: impl Fn(DiskStore) -> Result<T, StoreError>,
    ) -> Result<(T, Opened), StoreError> {
        let opened = kv::open(dir, &OPTIONS, |rows| {
            let store = DiskStore { rows };
            let position = store.position()?;
            Ok((load(store)?, position))
        })?;
        let (loaded, position) = opened.loaded;
        let rebuilt_because = opened.rebuilt_because;
        Ok((
            loaded,
            Opened {
                position,
                rebuilt_because,
            },
        ))
    }

    fn damaged(&self, why: &str) -> StoreError {
        StoreError::damaged(self.rows.place(), why)
    }

    fn stored(&self, row: &[u8]) -> Result<StoredUrl, StoreError> {
        read_row(row).ok_or_else(|| self.damaged("a URL's row cannot be read"))
    }

    fn write(&self, batch: &mut Batch) -> Result<(), StoreError> {
        fail_point("frontier:apply", self.rows.place())?;
        self.rows.apply(std::mem::take(batch))
    }
}

impl FrontierStore for DiskStore {
    fn position(&self) -> Result<u64, StoreError> {
        let meta = self.rows.get(META)?;
        match meta.as_deref() {
            // A new store has its format and no position.
            None | Some([_]) => Ok(0),
            Some([_, position @ ..]) => <[u8; 8]>::try_from(position)
                .map(u64::from_be_bytes)
                .map_err(|_| self.damaged("its position cannot be read")),
            Some([]) => Err(self.damaged("its position cannot be read")),
        }
    }

    fn url(&self, key: u128) -> Result<Option<StoredUrl>, StoreError> {
        let row = self.rows.get(&url_key(key))?;
        row.map(|row| self.stored(&row)).transpose()
    }

    fn has_url(&self, key: u128) -> Result<bool, StoreError> {
        self.rows.contains(&url_key(key))
    }

    fn urls_after(
        &self,
        key: Option<u128>,
        limit: usize,
    ) -> Result<Vec<(u128, StoredUrl)>, StoreError> {
        let after = key.map_or_else(|| vec![URL], |key| url_key(key).to_vec());
        let rows = self.rows.scan_after(&[URL], &after).take(limit);
        rows.map(|row| {
            let (key, value) = row?;
            let key = <[u8; 16]>::try_from(&key[1..]);
            let key = key.map_err(|_| self.damaged("a URL's key cannot be read"))?;
            Ok((u128::from_be_bytes(key), self.stored(&value)?))
        })
        .collect()
    }

    fn apply(&mut self, urls: &[(u128, StoredUrl)], position: u64) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for (key, url) in urls {
            batch.insert(&url_key(*key), &row_bytes(url));
            // One place is left for the position.
            if batch.len() == BATCH_MAX - 1 {
                self.write(&mut batch)?;
            }
        }
        batch.insert(META, &meta(position));
        self.write(&mut batch)
    }

    fn spill(&mut self, host: &HostKey, slots: &[QueueSlot]) -> Result<(), StoreError> {
        for slots in slots.chunks(BATCH_MAX) {
            let mut batch = Batch::default();
            for slot in slots {
                batch.insert(&slot_key(host, slot), &slot.key.to_be_bytes());
            }
            fail_point("frontier:spill", self.rows.place())?;
            self.rows.apply(batch)?;
        }
        Ok(())
    }

    fn take_spilled(&mut self, host: &HostKey, limit: usize) -> Result<Vec<QueueSlot>, StoreError> {
        let mut slots = Vec::new();
        for row in self.rows.scan(&slot_prefix(host)).take(limit) {
            let (key, value) = row?;
            let slot = read_slot(&key, &value);
            slots.push(slot.ok_or_else(|| self.damaged("a queue slot cannot be read"))?);
        }
        for taken in slots.chunks(BATCH_MAX) {
            let mut batch = Batch::default();
            for slot in taken {
                batch.remove(&slot_key(host, slot));
            }
            self.rows.apply(batch)?;
        }
        Ok(slots)
    }

    fn remove_spilled(&mut self, host: &HostKey, slot: &QueueSlot) -> Result<bool, StoreError> {
        self.rows.remove(&slot_key(host, slot))
    }

    fn clear_spilled(&mut self) -> Result<(), StoreError> {
        let mut batch = Batch::default();
        for row in self.rows.scan(&[SLOT]) {
            batch.remove(&row?.0);
            if batch.len() == BATCH_MAX {
                self.rows.apply(std::mem::take(&mut batch))?;
            }
        }
        self.rows.apply(batch)
    }
}

/// Where tests let a write fail; nothing in a release.
fn fail_point(name: &str, place: &str) -> Result<(), StoreError> {
    fail::fail_point!(name, |_| Err(StoreError::Refused {
        doing: format!("write to {place}"),
        cause: format!("fail point {name}"),
    }));
    let _ = (name, place);
    Ok(())
}

fn meta(position: u64) -> [u8; 9] {
    let mut meta = [FORMAT; 9];
    meta[1..].copy_from_slice(&position.to_be_bytes());
    meta
}

fn url_key(key: u128) -> [u8; 17] {
    let mut bytes = [URL; 17];
    bytes[1..].copy_from_slice(&key.to_be_bytes());
    bytes
}

fn slot_prefix(host: &HostKey) -> [u8; 9] {
    let mut bytes = [SLOT; 9];
    bytes[1..].copy_from_slice(&xxh3_64(host.as_str().as_bytes()).to_be_bytes());
    bytes
}

/// The key sorts as [`QueueSlot`] does: the largest priority first. The bits of floating-point
/// numbers sort as the numbers do once those of negative ones are inverted and the others lifted
/// above them.
fn slot_key(host: &HostKey, slot: &QueueSlot) -> Vec<u8> {
    let mut bytes = slot_prefix(host).to_vec();
    let bits = slot.priority.to_bits();
    let rising = if bits >> 31 == 1 {
        !bits
    } else {
        bits | 1 << 31
    };
    bytes.extend((!rising).to_be_bytes());
    bytes.extend(slot.depth.to_be_bytes());
    bytes.extend(slot.order.to_be_bytes());
    bytes
}

fn read_slot(key: &[u8], value: &[u8]) -> Option<QueueSlot> {
    let rising = !u32::from_be_bytes(key.get(9..13)?.try_into().ok()?);
    let bits = if rising >> 31 == 1 {
        rising & !(1 << 31)
    } else {
        !rising
    };
    Some(QueueSlot {
        priority: f32::from_bits(bits),
        depth: u32::from_be_bytes(key.get(13..17)?.try_into().ok()?),
        order: u64::from_be_bytes(key.get(17..25)?.try_into().ok()?),
        key: u128::from_be_bytes(value.try_into().ok()?),
    })
}

fn row_bytes(url: &StoredUrl) -> Vec<u8> {
    let row = match url {
        StoredUrl::Pending {
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
        StoredUrl::Finished { seed, host } => Row::Finished {
            seed: *seed,
            host: host.as_str(),
        },
    };
    postcard::to_stdvec(&row).expect("plain data of known length serialises")
}

fn read_row(bytes: &[u8]) -> Option<StoredUrl> {
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
        } => StoredUrl::Pending {
            url: FrontierUrl {
                url: CanonicalUrl::trusted(url)?,
                depth,
                seed,
                via,
                priority,
                context: context.to_vec(),
            },
            attempt,
            not_before_ms,
            order,
        },
        Row::Finished { seed, host } => StoredUrl::Finished {
            seed,
            host: HostKey::from_record(host),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_sort_on_disk_as_in_memory() {
        let host = HostKey::from_record("a.example");
        let mut slots: Vec<QueueSlot> = [1.0, 0.5, 0.25, 0.0, -0.5, f32::MIN_POSITIVE]
            .into_iter()
            .flat_map(|priority| [0, 3].map(|depth| (priority, depth)))
            .enumerate()
            .map(|(n, (priority, depth))| QueueSlot {
                priority,
                depth,
                order: 99 - n as u64,
                key: n as u128,
            })
            .collect();
        let mut keys: Vec<Vec<u8>> = slots.iter().map(|slot| slot_key(&host, slot)).collect();
        slots.sort();
        keys.sort();
        let read: Vec<QueueSlot> = keys
            .iter()
            .map(|key| read_slot(key, &0u128.to_be_bytes()).expect("a slot"))
            .collect();
        for (read, slot) in read.iter().zip(&slots) {
            assert_eq!(
                (read.priority, read.depth, read.order),
                (slot.priority, slot.depth, slot.order)
            );
        }
    }

    #[test]
    fn the_bytes_of_a_row_never_change() {
        // A change here means a new FORMAT.
        let url = FrontierUrl {
            url: CanonicalUrl::parse("http://a.example/x").expect("a URL"),
            depth: 3,
            seed: 1,
            via: Some(7),
            priority: 0.25,
            context: vec![1, 2],
        };
        let pending = StoredUrl::Pending {
            url,
            attempt: 2,
            not_before_ms: 5,
            order: 9,
        };
        let bytes = row_bytes(&pending);
        let expected =
            b"\0\x12http://a.example/x\x03\x01\x01\x07\0\0\x80\x3e\x02\x01\x02\x02\x05\x09";
        assert_eq!(bytes, expected);
        assert_eq!(read_row(&bytes), Some(pending));
        let finished = StoredUrl::Finished {
            seed: 4,
            host: HostKey::from_record("a.example"),
        };
        assert_eq!(row_bytes(&finished), b"\x01\x04\x09a.example");
        assert_eq!(read_row(&row_bytes(&finished)), Some(finished));
        assert_eq!(read_row(&[9, 9, 9]), None);
    }
}
