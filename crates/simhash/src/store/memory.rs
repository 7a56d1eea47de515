//! The plain model of a store: a list of rows in memory, gone with the process.

use std::collections::BTreeMap;

use super::{Bytes, PrintStore, StoreError, StoredRow};

/// A store in memory, for tests. An index that is never stored needs none:
/// [`TableIndex::in_memory`](crate::TableIndex::in_memory).
#[derive(Debug, Clone, Default)]
pub struct MemoryPrintStore {
    rows: Vec<StoredRow>,
    position: u64,
    tables: BTreeMap<Vec<u8>, Bytes>,
}

impl PrintStore for MemoryPrintStore {
    fn position(&self) -> Result<u64, StoreError> {
        Ok(self.position)
    }

    fn slots(&self) -> u32 {
        self.rows.len() as u32
    }

    fn row(&self, slot: u32) -> Result<StoredRow, StoreError> {
        Ok(self.rows.get(slot as usize).copied().flatten())
    }

    fn rows(&self, first: u32, limit: u32) -> Result<Vec<StoredRow>, StoreError> {
        let rows = self.rows.iter().skip(first as usize).take(limit as usize);
        Ok(rows.copied().collect())
    }

    fn apply(&mut self, rows: &[(u32, StoredRow)], position: u64) -> Result<(), StoreError> {
        for (slot, row) in rows {
            let at = *slot as usize;
            if self.rows.len() <= at {
                self.rows.resize(at + 1, None);
            }
            self.rows[at] = *row;
        }
        self.position = position;
        Ok(())
    }

    fn table_entry(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        Ok(self.tables.get(key).cloned())
    }

    fn put_table_entry(&mut self, key: &[u8], entry: &[u8]) -> Result<(), StoreError> {
        self.tables
            .insert(key.to_vec(), Bytes::from(entry.to_vec()));
        Ok(())
    }

    fn clear_tables(&mut self) -> Result<(), StoreError> {
        self.tables.clear();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        Ok(())
    }
}
