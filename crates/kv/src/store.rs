//! The store: rows by key, read one by one or by prefix, written in batches.

use std::fmt;
use std::ops::{Bound, Deref};
use std::sync::Arc;

use crate::error::StoreError;

/// Operations in one batch at most. The engine frees nothing while a batch is applied: batches of
/// 1,000 operations took 6 GB where batches of 250 took 0.1 GB. Larger ones also lose their
/// atomicity.
pub const BATCH_MAX: usize = 250;

/// An open store: a [`Map`], and other maps by name.
///
/// Dropping it flushes it.
#[derive(Debug)]
pub struct Store {
    root: Map,
    db: sled::Db,
}

/// Rows by key.
#[derive(Clone)]
pub struct Map {
    tree: sled::Tree,
    place: Arc<str>,
}

/// Bytes read from a store; cheap to clone.
#[derive(Clone, PartialEq, Eq)]
pub struct Bytes(sled::IVec);

/// Changes that become visible together.
#[derive(Debug, Default)]
pub struct Batch {
    changes: sled::Batch,
    len: usize,
}

impl Store {
    pub(crate) fn new(db: sled::Db, place: String) -> Store {
        let root = Map {
            tree: (*db).clone(),
            place: place.into(),
        };
        Store { root, db }
    }

    /// The map of that name, begun where there is none.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn map(&self, name: &str) -> Result<Map, StoreError> {
        let tree = self.db.open_tree(name);
        Ok(Map {
            tree: tree.map_err(|error| self.error("open a map in", &error))?,
            place: Arc::clone(&self.root.place),
        })
    }

    /// Whether there is a map of that name.
    pub fn has_map(&self, name: &str) -> bool {
        let names = self.db.tree_names();
        names.iter().any(|known| known == name.as_bytes())
    }

    /// Removes the map of that name, if there is one, with all its rows.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn remove_map(&self, name: &str) -> Result<(), StoreError> {
        let removed = self.db.drop_tree(name);
        removed.map_err(|error| self.error("remove a map from", &error))?;
        Ok(())
    }

    /// Hands all that was written to the operating system. It does not wait for the disk.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn flush(&self) -> Result<(), StoreError> {
        let flushed = self.db.flush();
        flushed.map_err(|error| self.error("write to", &error))?;
        Ok(())
    }
}

impl Deref for Store {
    type Target = Map;

    fn deref(&self) -> &Map {
        &self.root
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // What is lost here is rebuilt by whoever opens the store next.
        let _ = self.db.flush();
    }
}

impl Map {
    /// The directory of the store, for messages.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.tree.is_empty()
    }

    /// The row with this key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let found = self.tree.get(key);
        found
            .map(|row| row.map(Bytes))
            .map_err(|error| self.error("read from", &error))
    }

    /// Whether there is a row with this key.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn contains(&self, key: &[u8]) -> Result<bool, StoreError> {
        let found = self.tree.contains_key(key);
        found.map_err(|error| self.error("read from", &error))
    }

    /// The rows whose keys begin with `prefix`, by key.
    pub fn scan(
        &self,
        prefix: &[u8],
    ) -> impl Iterator<Item = Result<(Bytes, Bytes), StoreError>> + use<> {
        self.rows(self.tree.scan_prefix(prefix))
    }

    /// The rows whose keys begin with `prefix` and come after `key`, by key.
    pub fn scan_after(
        &self,
        prefix: &[u8],
        key: &[u8],
    ) -> impl Iterator<Item = Result<(Bytes, Bytes), StoreError>> + use<> {
        let prefix = prefix.to_vec();
        let after = (Bound::Excluded(key.to_vec()), Bound::Unbounded);
        self.rows(self.tree.range::<Vec<u8>, _>(after))
            .take_while(move |row| {
                row.as_ref()
                    .map_or(true, |(key, _)| key.starts_with(&prefix))
            })
    }

    /// The last row whose key begins with `prefix`.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn last(&self, prefix: &[u8]) -> Result<Option<(Bytes, Bytes)>, StoreError> {
        self.rows(self.tree.scan_prefix(prefix).rev())
            .next()
            .transpose()
    }

    fn rows<I>(&self, rows: I) -> impl Iterator<Item = Result<(Bytes, Bytes), StoreError>> + use<I>
    where
        I: Iterator<Item = sled::Result<(sled::IVec, sled::IVec)>>,
    {
        let place = Arc::clone(&self.place);
        rows.map(move |row| match row {
            Ok((key, value)) => Ok((Bytes(key), Bytes(value))),
            Err(error) => Err(StoreError::of_engine("read from", &place, &error)),
        })
    }

    /// Writes one row.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn insert(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let written = self.tree.insert(key, value);
        written.map_err(|error| self.error("write to", &error))?;
        Ok(())
    }

    /// Removes one row; false when there was none.
    ///
    /// # Errors
    /// When the disk is full or fails.
    pub fn remove(&self, key: &[u8]) -> Result<bool, StoreError> {
        let removed = self.tree.remove(key);
        let removed = removed.map_err(|error| self.error("write to", &error))?;
        Ok(removed.is_some())
    }

    /// Makes the changes of a batch, together. After a crash either all of them are there or none.
    ///
    /// # Errors
    /// When the disk is full or fails.
    ///
    /// # Panics
    /// When the batch has more than [`BATCH_MAX`] changes.
    pub fn apply(&self, batch: Batch) -> Result<(), StoreError> {
        assert!(batch.len <= BATCH_MAX, "a batch of {} changes", batch.len);
        let applied = self.tree.apply_batch(batch.changes);
        applied.map_err(|error| self.error("write to", &error))
    }

    fn error(&self, doing: &str, error: &sled::Error) -> StoreError {
        StoreError::of_engine(doing, &self.place, error)
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("place", &self.place).finish()
    }
}

impl Batch {
    /// Writes a row.
    pub fn insert(&mut self, key: &[u8], value: &[u8]) {
        self.changes.insert(key, value);
        self.len += 1;
    }

    /// Removes a row.
    pub fn remove(&mut self, key: &[u8]) {
        self.changes.remove(key);
        self.len += 1;
    }

    /// How many changes it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Bytes {
        Bytes(bytes.into())
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().expect("a directory");
        let db = sled::open(dir.path()).expect("opens");
        (dir, Store::new(db, "rows".into()))
    }

    #[test]
    fn a_batch_writes_and_removes_together() {
        let (_dir, store) = store();
        store.insert(b"a", b"1").expect("written");
        let mut batch = Batch::default();
        batch.remove(b"a");
        batch.insert(b"b", b"2");
        assert_eq!(batch.len(), 2);
        store.apply(batch).expect("applied");
        assert_eq!(store.contains(b"a"), Ok(false));
        assert_eq!(store.get(b"b").expect("read").as_deref(), Some(&b"2"[..]));
        assert_eq!(store.remove(b"b"), Ok(true));
        assert_eq!(store.remove(b"b"), Ok(false));
        assert!(store.is_empty());
    }

    #[test]
    fn rows_are_read_by_prefix_in_the_order_of_their_keys() {
        let (_dir, store) = store();
        for key in ["a/2", "a/1", "b/1", "a/3", "a"] {
            store.insert(key.as_bytes(), b"").expect("written");
        }
        let keys = |rows: Vec<Result<(Bytes, Bytes), StoreError>>| -> Vec<String> {
            rows.into_iter()
                .map(|row| String::from_utf8_lossy(&row.expect("a row").0).into_owned())
                .collect()
        };
        assert_eq!(keys(store.scan(b"a/").collect()), ["a/1", "a/2", "a/3"]);
        assert_eq!(
            keys(store.scan_after(b"a/", b"a/1").collect()),
            ["a/2", "a/3"]
        );
        assert!(store.scan_after(b"a/", b"a/3").next().is_none());
        let (last, _) = store.last(b"a/").expect("read").expect("a row");
        assert_eq!(&last[..], b"a/3");
        assert_eq!(store.last(b"c"), Ok(None));
    }

    #[test]
    fn a_map_has_rows_of_its_own() {
        let (_dir, store) = store();
        assert!(!store.has_map("other"));
        let other = store.map("other").expect("opens");
        other.insert(b"a", b"1").expect("written");
        assert!(store.is_empty() && store.has_map("other"));
        drop(other);
        store.remove_map("other").expect("removed");
        assert!(!store.has_map("other"));
        store.remove_map("other").expect("nothing to remove");
    }
}
