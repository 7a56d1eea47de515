//! Why the archive could not do what it was asked. Damage is not among them: a damaged record is
//! skipped, counted and reported, see [`Damage`].

use std::io;
use std::path::{Path, PathBuf};

use crate::Position;

/// Why an archive operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The disk failed or is full while writing. The crawl cannot go on: after a failed sync
    /// nobody knows what is on the disk, so the process must end and the next start recovers.
    #[error("write {path:?}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The journal is to be cut where no record ends.
    #[error("no record of the journal ends at {place}; the journal ends at {end}")]
    Place {
        /// Where it is to be cut.
        place: Position,
        /// Where it ends.
        end: Position,
    },
    /// A file could not be opened or read.
    #[error("read {path:?}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// An earlier write failed; nothing more is written.
    #[error("write to the archive after an earlier write failed")]
    Failed,
    /// A newer Tamis wrote this journal.
    #[error("cannot read a journal of version {found}: this Tamis knows versions up to {known}")]
    NewerJournal {
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Somebody remembers a position that the journal does not reach: the archive was cut or
    /// restored from a backup. Views must be rebuilt.
    #[error("read from position {position}: the journal ends at {end}")]
    Ahead {
        /// The position asked for.
        position: Position,
        /// Where the journal ends.
        end: Position,
    },
    /// A body or text is not where its reference says, or is damaged.
    #[error("read the record at byte {offset} of {path:?}: {why}")]
    Body {
        /// The body file.
        path: PathBuf,
        /// Offset of the gzip member.
        offset: u64,
        /// What is wrong.
        why: String,
    },
    /// A journal record could not be written as JSON.
    #[error("write a record as JSON")]
    Json(#[source] serde_json::Error),
}

impl ArchiveError {
    /// Whether what was read is damaged. Else the system is in the way, or a file is not there, and what it holds
    /// may be whole.
    pub fn is_damage(&self) -> bool {
        match self {
            ArchiveError::Body { .. } => true,
            ArchiveError::Write { .. }
            | ArchiveError::Place { .. }
            | ArchiveError::Read { .. }
            | ArchiveError::Failed
            | ArchiveError::NewerJournal { .. }
            | ArchiveError::Ahead { .. }
            | ArchiveError::Json(_) => false,
        }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError + '_ {
        move |source| ArchiveError::Write {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> ArchiveError + '_ {
        move |source| ArchiveError::Read {
            path: path.to_owned(),
            source,
        }
    }
}

/// Bytes of an archive file that hold no readable record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// File name, without its directory.
    pub file: String,
    /// Where the damage begins, in bytes.
    pub offset: u64,
    /// How many bytes were skipped.
    pub bytes: u64,
    /// What is wrong with them.
    pub why: String,
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Damage {
            file,
            offset,
            bytes,
            why,
        } = self;
        write!(f, "{file}: {bytes} bytes at {offset}: {why}")
    }
}
