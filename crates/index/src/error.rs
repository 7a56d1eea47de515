//! Why the index could not do what it was asked.

use std::io;
use std::path::{Path, PathBuf};

use kv::StoreError;
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

/// Why an index operation failed. The index is a view: whoever gets an error while writing may
/// set it aside and build it again from the archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// There is no index here.
    #[error("open the search index {0:?}: there is none")]
    Missing(PathBuf),
    /// The index is damaged, of an older form, or the disk failed.
    #[error("{what}: {why}")]
    Engine {
        /// What we were doing.
        what: &'static str,
        /// What the search engine said.
        why: String,
        /// What kind of error of the system that is, if the engine told.
        kind: Option<io::ErrorKind>,
    },
    /// The index cannot be opened for writing.
    #[error("{0}")]
    Store(StoreError),
}

impl IndexError {
    /// What kind of error of the system it is, if it is one.
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            IndexError::Missing(_) => None,
            IndexError::Engine { kind, .. } => *kind,
            IndexError::Store(error) => error.kind(),
        }
    }
}

impl From<StoreError> for IndexError {
    // No `#[from]`: the message holds the cause's, so the cause is not told once more.
    fn from(error: StoreError) -> IndexError {
        IndexError::Store(error)
    }
}

/// What the engine said when it opened the index in `dir`: that the system is in the way, or that what it read is
/// of no use.
pub(crate) fn opening(dir: &Path, error: &TantivyError) -> StoreError {
    let place = dir.display().to_string();
    if let Some((io, file)) = of_system(error) {
        let place = file.map_or(place, |file| dir.join(file).display().to_string());
        return StoreError::of_system("open", &place, io);
    }
    match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => StoreError::InUse { place },
        TantivyError::SystemError(cause) | TantivyError::ErrorInThread(cause) => {
            StoreError::Refused {
                doing: format!("open {place}"),
                cause: cause.clone(),
                kind: io::ErrorKind::Other,
            }
        }
        // The engine's many other kinds speak of what it read.
        _ => StoreError::damaged(place, format!("the index is damaged: {error}")),
    }
}

/// The system's error in an error of the engine, and the file if it names one.
fn of_system(error: &TantivyError) -> Option<(&io::Error, Option<&Path>)> {
    match error {
        TantivyError::IoError(io)
        | TantivyError::LockFailure(LockError::IoError(io), _)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: io, .. }) => {
            Some((io, None))
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            Some((io_error, Some(filepath)))
        }
        _ => None,
    }
}

/// Names what was being done when the engine failed.
pub(crate) fn engine<E: Into<TantivyError>>(what: &'static str) -> impl FnOnce(E) -> IndexError {
    move |error| {
        let error = error.into();
        IndexError::Engine {
            what,
            why: error.to_string(),
            kind: of_system(&error).map(|(io, _)| io.kind()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    fn told(io: Error) -> [StoreError; 2] {
        let io = std::sync::Arc::new(io);
        let (io_error, filepath) = (io.clone(), "x.idx".into());
        let read = OpenReadError::IoError { io_error, filepath };
        [TantivyError::IoError(io), read.into()].map(|error| opening(Path::new("index"), &error))
    }

    #[test]
    fn a_full_disk_and_a_used_up_quota_are_known_by_their_kinds() {
        // ENOSPC, EDQUOT.
        for (code, kind) in [
            (28, ErrorKind::StorageFull),
            (122, ErrorKind::QuotaExceeded),
        ] {
            let error = engine("write")(Error::from_raw_os_error(code));
            assert_eq!(error.kind(), Some(kind));
        }
        let killed = TantivyError::ErrorInThread("An index writer was killed.".into());
        assert_eq!(engine("write")(killed).kind(), None);
    }

    #[test]
    fn a_missing_permission_or_a_failing_device_is_no_damage() {
        // EACCES, EIO, EMFILE, ENOSPC, EROFS.
        for code in [13, 5, 24, 28, 30] {
            for error in told(Error::from_raw_os_error(code)) {
                assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
                assert!(error.to_string().starts_with("open index"), "{error}");
            }
        }
        for kind in [ErrorKind::UnexpectedEof, ErrorKind::InvalidData] {
            for error in told(kind.into()) {
                assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
            }
        }
    }
}
