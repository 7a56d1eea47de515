//! Why the index could not do what it was asked.

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
    },
    /// The index cannot be opened for writing.
    #[error("{0}")]
    Store(StoreError),
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
    let at = |file: &Path| dir.join(file).display().to_string();
    let (io, place) = match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => return StoreError::InUse { place },
        TantivyError::IoError(io)
        | TantivyError::LockFailure(LockError::IoError(io), _)
        | TantivyError::OpenDirectoryError(OpenDirectoryError::IoError { io_error: io, .. }) => {
            (io, place)
        }
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath })
        | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            (io_error, at(filepath))
        }
        TantivyError::SystemError(cause) | TantivyError::ErrorInThread(cause) => {
            let (doing, cause) = (format!("open {place}"), cause.clone());
            return StoreError::Refused { doing, cause };
        }
        // The engine's many other kinds speak of what it read.
        _ => return StoreError::damaged(place, format!("the index is damaged: {error}")),
    };
    StoreError::of_system("open", &place, io)
}

/// Names what was being done when the engine failed.
pub(crate) fn engine<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> IndexError {
    move |error| IndexError::Engine {
        what,
        why: error.to_string(),
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
