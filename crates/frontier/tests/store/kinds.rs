//! The stores that are held to the contract: how each is opened, crashes, and is torn.

use std::path::PathBuf;

use frontier::{DiskStore, FrontierStore, MemoryStore, StoreError};

/// A kind of store that can be closed and opened again.
pub(super) trait Kind {
    type Store: FrontierStore;
    fn open(&mut self) -> Self::Store;
    /// Closes the store as the end of its process would, and opens it again.
    fn reopen(&mut self, store: Self::Store) -> Self::Store;
    /// Does something that fails at a fail point, and opens the store again, if it has fail points.
    fn crash_at(
        &mut self,
        point: &str,
        store: Self::Store,
        doing: &mut dyn FnMut(&mut Self::Store) -> Result<(), StoreError>,
    ) -> Option<Self::Store>;
    /// Does something while memory is on its way to the disk, lets it come there or not, and opens the
    /// store again, if it can be told when it does.
    fn crash_while_saving(
        &mut self,
        comes: bool,
        store: Self::Store,
        meanwhile: &mut dyn FnMut(&mut Self::Store) -> Result<(), StoreError>,
    ) -> Option<Self::Store>;
    /// Memory was saved, and waited for the disk.
    fn saved(&mut self) {}
    /// Closes the store, cuts up to so many bytes off the end of what it has written since, and opens
    /// it again.
    fn tear(&mut self, store: Self::Store, bytes: u64) -> Self::Store;
}

pub(super) struct InMemory;

impl Kind for InMemory {
    type Store = MemoryStore;

    fn open(&mut self) -> MemoryStore {
        MemoryStore::saving_after(50)
    }
    fn reopen(&mut self, store: MemoryStore) -> MemoryStore {
        store
    }
    fn crash_at(
        &mut self,
        _: &str,
        _: MemoryStore,
        _: &mut dyn FnMut(&mut MemoryStore) -> Result<(), StoreError>,
    ) -> Option<MemoryStore> {
        None
    }
    fn crash_while_saving(
        &mut self,
        _: bool,
        _: MemoryStore,
        _: &mut dyn FnMut(&mut MemoryStore) -> Result<(), StoreError>,
    ) -> Option<MemoryStore> {
        None
    }
    fn tear(&mut self, store: MemoryStore, _: u64) -> MemoryStore {
        store
    }
}

pub(super) struct OnDisk {
    parent: tempfile::TempDir,
    /// The log's last file when memory was saved, and its length.
    synced: Option<(PathBuf, u64)>,
}

impl OnDisk {
    pub(super) fn new() -> OnDisk {
        OnDisk {
            parent: tempfile::tempdir().expect("a directory"),
            synced: None,
        }
    }

    pub(super) fn dir(&self) -> PathBuf {
        self.parent.path().join("frontier")
    }

    /// The newest file of this kind.
    pub(super) fn newest(&self, extension: &str) -> Option<PathBuf> {
        let files = std::fs::read_dir(self.dir())
            .expect("a directory")
            .flatten();
        let paths = files.map(|file| file.path());
        paths
            .filter(|path| path.extension().is_some_and(|is| is == extension))
            .max()
    }
}

impl Kind for OnDisk {
    type Store = DiskStore;

    fn open(&mut self) -> DiskStore {
        let (store, opened) = DiskStore::open(&self.dir()).expect("opens");
        assert_eq!(opened.rebuilt_because, None);
        store
    }
    fn reopen(&mut self, store: DiskStore) -> DiskStore {
        drop(store);
        self.open()
    }
    fn crash_at(
        &mut self,
        point: &str,
        mut store: DiskStore,
        doing: &mut dyn FnMut(&mut DiskStore) -> Result<(), StoreError>,
    ) -> Option<DiskStore> {
        fail::cfg(point, "return").expect("a fail point");
        let done = doing(&mut store);
        fail::remove(point);
        assert!(done.is_err());
        Some(self.reopen(store))
    }
    fn crash_while_saving(
        &mut self,
        comes: bool,
        mut store: DiskStore,
        meanwhile: &mut dyn FnMut(&mut DiskStore) -> Result<(), StoreError>,
    ) -> Option<DiskStore> {
        if !comes {
            fail::cfg("frontier:synced", "return").expect("a fail point");
        }
        fail::cfg("frontier:saving", "pause").expect("a fail point");
        let done = meanwhile(&mut store);
        fail::remove("frontier:saving");
        drop(store);
        fail::remove("frontier:synced");
        done.expect("it goes on meanwhile");
        Some(self.open())
    }
    fn saved(&mut self) {
        let path = self.newest("urls");
        let len = |path: &PathBuf| std::fs::metadata(path).expect("a file").len();
        self.synced = path.map(|path| (path.clone(), len(&path)));
    }
    fn tear(&mut self, store: DiskStore, bytes: u64) -> DiskStore {
        drop(store);
        if let Some(path) = self.newest("urls") {
            let file = std::fs::File::options()
                .write(true)
                .open(&path)
                .expect("a file");
            let len = file.metadata().expect("its length").len();
            let synced = self.synced.as_ref().filter(|(last, _)| *last == path);
            let least = synced.map_or(0, |(_, len)| *len);
            file.set_len(len.saturating_sub(bytes).max(least))
                .expect("is cut");
        }
        self.open()
    }
}
