//! What an index asks of its store: kept pages by slot, and the entries of tables that RAM has no
//! room for.
//!
//! A store is a view. It holds rows together with the journal position that they follow from, so
//! that whatever is lost can be replayed: nothing here waits for the disk. [`MemoryPrintStore`] is
//! the plain model of what a store does, [`DiskPrintStore`] the one that a crawl uses; one suite of
//! operation sequences, `tests/store.rs`, holds both to the same behaviour.

use std::fmt;

pub use kv::{Bytes, StoreError};

use crate::TextPrint;

mod disk;
mod memory;

pub use disk::DiskPrintStore;
pub use memory::MemoryPrintStore;

/// A slot of an index: the number and the print of the kept page in it; none for a free slot.
pub type StoredRow = Option<(u64, TextPrint)>;

/// Where an index keeps its pages.
///
/// Slots are numbered from 0 without gaps. After an error the store is of no more use to the one
/// who has it; it is opened again and the journal replayed.
pub trait PrintStore: fmt::Debug + Send {
    /// The journal position that the stored rows follow from; 0 for an empty store.
    ///
    /// # Errors
    /// When it cannot be read.
    fn position(&self) -> Result<u64, StoreError>;

    /// The number of stored slots, free ones included.
    fn slots(&self) -> u32;

    /// The row in a stored slot; none for a free slot, and for one that is not stored.
    ///
    /// # Errors
    /// When it cannot be read.
    fn row(&self, slot: u32) -> Result<StoredRow, StoreError>;

    /// Some rows from slot `first` on, in order, at most `limit`; at least one unless no slot is
    /// left.
    ///
    /// # Errors
    /// When one of them cannot be read.
    fn rows(&self, first: u32, limit: u32) -> Result<Vec<StoredRow>, StoreError>;

    /// Stores changed rows with their slots, ascending, and the journal position that they follow
    /// from. Slots beyond the stored ones are added. After a crash in between some of the rows are
    /// as before, and so is the position: it is never ahead of them.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    fn apply(&mut self, rows: &[(u32, StoredRow)], position: u64) -> Result<(), StoreError>;

    /// An entry of the tables that are kept here.
    ///
    /// # Errors
    /// When it cannot be read.
    fn table_entry(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError>;

    /// Writes an entry of the tables that are kept here, apart from rows and position.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn put_table_entry(&mut self, key: &[u8], entry: &[u8]) -> Result<(), StoreError>;

    /// Removes all entries of tables.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn clear_tables(&mut self) -> Result<(), StoreError>;

    /// Hands all that was written to the operating system. It does not wait for the disk.
    ///
    /// # Errors
    /// When the disk is full or fails.
    fn flush(&mut self) -> Result<(), StoreError>;
}
