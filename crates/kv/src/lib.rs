//! An embedded key-value store in a directory, for data that can be rebuilt from somewhere else.
//!
//! Tamis keeps such a store in `state/fingerprints`. It is a view: it follows from the archive's
//! journal and holds, beside its rows, the journal position up to which it follows from it. A view
//! with files of its own, `state/frontier` or `index`, shares the errors and the way in, [`or_anew`]. What
//! views need of a store is the same, and is here once:
//!
//! - **Opening.** One opener at a time. A store that this process has just closed can be opened at
//!   once; one that somebody else has open is an error, [`StoreError::InUse`].
//! - **Checking.** The caller names a format and reads the rows it needs. What is of another
//!   format, or cannot be read, is [`StoreError::Damaged`]; the engine may even panic on damaged
//!   files, which is caught.
//! - **Setting aside.** A damaged store is renamed to `NAME.set-aside-1` and an empty one begun:
//!   [`open`] then says why. A full disk, a missing permission or a failing device is no damage
//!   ([`StoreError::Refused`]); nothing is set aside for it. Nor is anything by who only looks:
//!   [`as_they_are`].
//! - **Writing.** A [`Batch`] becomes visible as a whole, also after a crash. Batches reach the
//!   disk in the order in which they were applied, so a position that is written with the last of
//!   several batches is never ahead of the rows.
//!
//! ```
//! # fn main() -> Result<(), kv::StoreError> {
//! # let parent = std::env::temp_dir().join(format!("kv-doc-{}", std::process::id()));
//! # let dir = parent.join("names");
//! let format = kv::Format { key: b"format", value: b"names 1", otherwise: "it is of another format" };
//! let options = kv::Options { format, cache_bytes: 1 << 20, flush_every: None };
//! let opened = kv::open(&dir, &options, |store| {
//!     // Reading what is needed here lets damage be found while the store can still be set aside.
//!     store.scan(b"name/").try_for_each(|row| row.map(drop))?;
//!     Ok(store)
//! })?;
//! assert_eq!(opened.rebuilt_because, None);
//! let mut batch = kv::Batch::default();
//! batch.insert(b"name/1", b"tamis");
//! opened.loaded.apply(batch)?;
//! assert_eq!(opened.loaded.get(b"name/1")?.as_deref(), Some(&b"tamis"[..]));
//! # drop(opened);
//! # let _ = std::fs::remove_dir_all(parent);
//! # Ok(())
//! # }
//! ```
//!
//! The engine is sled 0.34, which no other crate names. Its `flush` hands data to the operating
//! system and waits for no disk; in simulated power cuts it lost acknowledged writes. That is why
//! only what can be rebuilt belongs here.
//!
//! In reading order: `error` is what can go wrong, `open` the way to a store, `store` the store.

mod error;
mod open;
mod store;

pub use error::StoreError;
pub use open::{Format, Opened, Options, as_they_are, open, or_anew};
pub use store::{BATCH_MAX, Batch, Bytes, Map, Store};
