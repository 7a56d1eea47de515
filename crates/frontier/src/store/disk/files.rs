//! The files of a store: their names, their errors, and what a slot looks like in bytes.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use crate::store::{QueueSlot, StoreError};

/// Where it is noted that a file was found damaged while the store was in use.
const DAMAGED: &str = "damaged";
/// Bytes of a slot in a file of slots.
pub(super) const SLOT_BYTES: usize = 32;

/// A kind of numbered files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Rows of URLs in the order in which they were written.
    Urls,
    /// Where the row of each URL is, by key.
    Keys,
    /// Spilled slots.
    Slots,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Urls, Kind::Keys, Kind::Slots];

    fn extension(self) -> &'static str {
        match self {
            Kind::Urls => "urls",
            Kind::Keys => "keys",
            Kind::Slots => "slots",
        }
    }
}

/// The directory of a store.
#[derive(Debug)]
pub(super) struct Dir {
    path: PathBuf,
}

impl Dir {
    pub(super) fn new(path: &Path) -> Dir {
        Dir { path: path.into() }
    }

    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn named(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    pub(super) fn numbered(&self, kind: Kind, number: u32) -> PathBuf {
        self.path.join(format!("{number:08}.{}", kind.extension()))
    }

    /// The numbered files that there are.
    pub(super) fn all_numbered(&self) -> Result<Vec<(Kind, u32)>, StoreError> {
        let entries = std::fs::read_dir(&self.path).map_err(|error| self.error("read", &error))?;
        let mut found = Vec::new();
        for entry in entries {
            let name = entry
                .map_err(|error| self.error("read", &error))?
                .file_name();
            let name = name.to_string_lossy();
            let Some((number, extension)) = name.split_once('.') else {
                continue;
            };
            let kind = Kind::ALL
                .into_iter()
                .find(|kind| kind.extension() == extension);
            found.extend(kind.zip(number.parse().ok()));
        }
        found.sort_by_key(|(_, number)| *number);
        Ok(found)
    }

    pub(super) fn create(&self, kind: Kind, number: u32) -> Result<File, StoreError> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(true);
        let opened = options.open(self.numbered(kind, number));
        opened.map_err(|error| self.error("write to", &error))
    }

    pub(super) fn open(&self, kind: Kind, number: u32) -> Result<File, StoreError> {
        let path = self.numbered(kind, number);
        let opened = File::options().read(true).write(true).open(path);
        opened.map_err(|error| self.error("read from", &error))
    }

    /// Removes a file that nothing refers to. One that stays is removed by the next start.
    pub(super) fn remove(&self, kind: Kind, number: u32) {
        let _ = std::fs::remove_file(self.numbered(kind, number));
    }

    /// Waits until the names of files are on the disk.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        let synced = File::open(&self.path).and_then(|dir| dir.sync_all());
        synced.map_err(|error| self.error("write to", &error))
    }

    /// An error of the file system. Files that end early or are gone are damage, all else is the
    /// system's.
    pub(super) fn error(&self, doing: &str, error: &io::Error) -> StoreError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::NotFound => self.damaged(&format!("a file is damaged: {error}")),
            _ => StoreError::Refused {
                doing: format!("{doing} {}", self.place()),
                cause: error.to_string(),
                kind: error.kind(),
            },
        }
    }

    /// The store is damaged, which the next start has to know.
    pub(super) fn damaged(&self, why: &str) -> StoreError {
        let _ = std::fs::write(self.named(DAMAGED), why);
        StoreError::damaged(self.place(), why)
    }

    /// Why a process before this one found the store damaged, if one did.
    pub(super) fn known_damage(&self) -> Option<String> {
        std::fs::read_to_string(self.named(DAMAGED)).ok()
    }
}

/// The checksum in front of some bytes.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 8] {
    xxh3_64(bytes).to_le_bytes()
}

/// A number at some place of some bytes that are long enough.
pub(super) fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + 8)?;
    bytes.try_into().ok().map(u64::from_le_bytes)
}

pub(super) fn write_slot(to: &mut Vec<u8>, slot: &QueueSlot) {
    to.extend(slot.priority.to_bits().to_le_bytes());
    to.extend(slot.depth.to_le_bytes());
    to.extend(slot.order.to_le_bytes());
    to.extend(slot.key.to_le_bytes());
}

pub(super) fn read_slot(bytes: &[u8; SLOT_BYTES]) -> QueueSlot {
    let low = number_at(bytes, 0).unwrap_or_default();
    let [order, key, key_high] = [8, 16, 24].map(|at| number_at(bytes, at).unwrap_or_default());
    QueueSlot {
        priority: f32::from_bits(low as u32),
        depth: (low >> 32) as u32,
        order,
        key: u128::from(key_high) << 64 | u128::from(key),
    }
}
