//! What the visits of pages are compared with, some 300 bytes each: a record is packed while another one is
//! in use.

use std::collections::{BTreeMap, HashMap};

use archive::DueRecord;
use state::context::due::{from_bytes, to_bytes};
use state::snapshot::SnapshotError;

/// Records by the hashes of their URLs.
#[derive(Debug, Default)]
pub(in crate::again) struct Dues {
    packed: HashMap<u64, Box<[u8]>>,
    /// The one that was used last; what is packed of it is of before.
    open: Option<(u64, DueRecord)>,
}

impl Dues {
    pub(super) fn insert(&mut self, url: u64, due: DueRecord) {
        self.pack();
        // Its place, until it is packed.
        self.packed.insert(url, Box::default());
        self.open = Some((url, due));
    }

    pub(super) fn remove(&mut self, url: u64) {
        self.packed.remove(&url);
        self.open.take_if(|(open, _)| *open == url);
    }

    /// Changes a record, if there is one.
    pub(super) fn amend(&mut self, url: u64, change: impl FnOnce(&mut DueRecord)) {
        if self.open.as_ref().is_none_or(|(open, _)| *open != url) {
            let Some(due) = self.packed.get(&url).and_then(|bytes| from_bytes(bytes)) else {
                return;
            };
            self.pack();
            self.open = Some((url, due));
        }
        if let Some((_, due)) = &mut self.open {
            change(due);
        }
    }

    pub(in crate::again) fn get(&self, url: u64) -> Option<DueRecord> {
        match &self.open {
            Some((open, due)) if *open == url => Some(due.clone()),
            _ => from_bytes(self.packed.get(&url)?),
        }
    }

    pub(super) fn contains(&self, url: u64) -> bool {
        self.packed.contains_key(&url)
    }

    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    fn pack(&mut self) {
        if let Some((url, due)) = self.open.take() {
            match to_bytes(&due) {
                Some(bytes) => self.packed.insert(url, bytes.into()),
                None => self.packed.remove(&url),
            };
        }
    }

    /// All, as they are saved.
    pub(super) fn saved(&self) -> BTreeMap<u64, Box<[u8]>> {
        let mut all: BTreeMap<_, _> = self.packed.clone().into_iter().collect();
        if let Some((url, due)) = &self.open {
            match to_bytes(due) {
                Some(bytes) => all.insert(*url, bytes.into()),
                None => all.remove(url),
            };
        }
        all
    }

    /// Takes one up that was saved.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn take_up(&mut self, url: u64, saved: Box<[u8]>) -> Result<(), SnapshotError> {
        if from_bytes(&saved).is_none() {
            let why = "what a visit is compared with cannot be read";
            return Err(SnapshotError::Damaged(why.into()));
        }
        self.packed.insert(url, saved);
        Ok(())
    }
}

impl PartialEq for Dues {
    fn eq(&self, other: &Self) -> bool {
        self.saved() == other.saved()
    }
}
