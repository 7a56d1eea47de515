//! Why a store cannot do what it is asked, by what the caller can do about it.

use std::io;
use std::path::Path;

/// Why a store could not do what it was asked.
///
/// Each message finishes the sentence "cannot …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Somebody else has it open. Nothing was changed.
    #[error("open {place}: another process has it open")]
    InUse {
        /// The store's directory or address.
        place: String,
    },
    /// The system around it is in the way: a full disk, a missing permission, a failing device. A
    /// new store would fare no better.
    #[error("{doing}: {cause}")]
    Refused {
        /// What was tried, with the store's directory or address.
        doing: String,
        /// What the system said.
        cause: String,
        /// What kind of error that is.
        kind: io::ErrorKind,
    },
    /// What is stored cannot be used: it is damaged or of another format. The store has to be
    /// begun anew.
    #[error("use {place}: {why}")]
    Damaged {
        /// The store's directory or address.
        place: String,
        /// What is wrong with it.
        why: String,
    },
}

impl StoreError {
    /// What kind of error of the system it is, if it is one.
    pub fn kind(&self) -> Option<io::ErrorKind> {
        match self {
            StoreError::Refused { kind, .. } => Some(*kind),
            StoreError::InUse { .. } | StoreError::Damaged { .. } => None,
        }
    }

    /// The error for a store that holds what it cannot hold.
    pub fn damaged(place: impl Into<String>, why: impl Into<String>) -> StoreError {
        StoreError::Damaged {
            place: place.into(),
            why: why.into(),
        }
    }

    /// An error of the file system around a store.
    pub(crate) fn refused(doing: &str, place: &Path, cause: &io::Error) -> StoreError {
        StoreError::Refused {
            doing: format!("{doing} {}", place.display()),
            cause: cause.to_string(),
            kind: cause.kind(),
        }
    }

    /// What the system said while somebody was `doing` something with the files of the store at `place`: damage, if
    /// it speaks of what is in them.
    pub fn of_system(doing: &str, place: &str, error: &io::Error) -> StoreError {
        match is_damage(error.kind()) {
            true => StoreError::damaged(place, format!("it is damaged: {error}")),
            false => StoreError::Refused {
                doing: format!("{doing} {place}"),
                cause: words_of(error),
                kind: error.kind(),
            },
        }
    }

    /// An error of the engine while it was `doing` something with the store at `place`.
    pub(crate) fn of_engine(doing: &str, place: &str, error: &sled::Error) -> StoreError {
        match error {
            sled::Error::Io(io) if is_lock(io) => StoreError::InUse {
                place: place.to_owned(),
            },
            sled::Error::Io(io) => StoreError::of_system(doing, place, io),
            // By name, so that a new kind of error of the engine has to be looked at.
            sled::Error::Corruption { .. }
            | sled::Error::CollectionNotFound(_)
            | sled::Error::Unsupported(_)
            | sled::Error::ReportableBug(_) => {
                StoreError::damaged(place, format!("it is damaged: {error}"))
            }
        }
    }
}

/// An error of the system in its own words. Of one that the engine has copied, these are what Rust makes of it for
/// programmers, `Os { code: 28, kind: StorageFull, message: "…" }`.
fn words_of(error: &io::Error) -> String {
    let words = error.to_string();
    let code = words
        .strip_prefix("Os { code: ")
        .and_then(|rest| rest.split(',').next()?.parse().ok());
    code.map_or(words, |code| io::Error::from_raw_os_error(code).to_string())
}

/// The engine tells that its lock is taken in words only.
pub(crate) fn is_lock(error: &io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

/// Whether an input/output error speaks of the files' content. The engine reads with bounds that it
/// took from the files themselves: where those are damaged it reads past an end, looks for a file
/// that is not there, or finds what it says is invalid. Every other error is the system's.
fn is_damage(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::NotFound
            | io::ErrorKind::Other
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(io: io::Error) -> StoreError {
        StoreError::of_engine("write to", "state/x", &sled::Error::Io(io))
    }

    #[test]
    fn a_full_disk_or_a_failing_device_is_no_damage() {
        // ENOSPC, EDQUOT, EROFS, EACCES, EIO, EMFILE.
        for code in [28, 122, 30, 13, 5, 24] {
            let error = of(io::Error::from_raw_os_error(code));
            assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
            assert!(error.to_string().starts_with("write to state/x: "));
        }
    }

    #[test]
    fn a_full_disk_is_told_in_the_systems_words() {
        // It was told as `Os { code: 28, kind: StorageFull, … }`.
        let error = sled::Error::Io(io::Error::from_raw_os_error(28)).clone();
        let told = StoreError::of_engine("write to", "state/x", &error).to_string();
        let words = io::Error::from_raw_os_error(28).to_string();
        assert_eq!(told, format!("write to state/x: {words}"));
    }

    #[test]
    fn a_full_disk_and_a_used_up_quota_are_known_by_their_kinds() {
        // ENOSPC, EDQUOT, also where the engine has copied the error.
        let kinds = [
            (28, io::ErrorKind::StorageFull),
            (122, io::ErrorKind::QuotaExceeded),
        ];
        for (code, kind) in kinds {
            let error = sled::Error::Io(io::Error::from_raw_os_error(code)).clone();
            let error = StoreError::of_engine("write to", "state/x", &error);
            assert_eq!(error.kind(), Some(kind));
        }
        assert_eq!(StoreError::damaged("state/x", "noise").kind(), None);
    }

    #[test]
    fn files_that_end_early_or_make_no_sense_are_damage() {
        for kind in [
            io::ErrorKind::UnexpectedEof,
            io::ErrorKind::InvalidData,
            io::ErrorKind::NotFound,
        ] {
            let error = of(io::Error::new(kind, "a torn segment"));
            assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        }
        let corrupt = sled::Error::ReportableBug("a page that is none".into());
        let error = StoreError::of_engine("open", "state/x", &corrupt);
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
    }
}
