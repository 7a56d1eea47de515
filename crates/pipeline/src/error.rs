//! Why a crawl cannot go on.

use std::path::PathBuf;

use frontier::FrontierError;
use kv::StoreError::{Damaged, InUse, Refused};

/// An error that ends a crawl. What happens to a single URL is never one.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// No crawl was begun in the directory.
    #[error("{} holds no crawl: name a directory that `tamis crawl --dir` made", .0.display())]
    NotACrawl(PathBuf),
    /// A crawl cannot begin in a directory that holds something else.
    #[error("{} holds no crawl, but other things: choose a new --dir, or an empty one", .0.display())]
    Occupied(PathBuf),
    /// Another process writes to the directory.
    #[error("{} is in use by another tamis process: wait for it, end it with `tamis stop`, or choose another --dir", .0.display())]
    InUse(PathBuf),
    /// The directory cannot be used.
    #[error(
        "cannot {what}: {source}; nothing was lost, {} and start again",
        mend_of(source)
    )]
    Directory {
        /// What was tried.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A newer Tamis wrote the archive.
    #[error("{0}; use the Tamis that wrote it, or a newer one; nothing was changed")]
    Newer(archive::ArchiveError),
    /// The archive cannot be read or written. What was acknowledged is safe.
    #[error(
        "the archive cannot be used; every page recorded so far is safe, mend the cause and start again"
    )]
    Archive(#[source] archive::ArchiveError),
    /// The frontier's store failed. One that is damaged is rebuilt from the archive on the next start.
    #[error(
        "frontier: {error}; {next}",
        error = .0,
        next = next_of(matches!(.0, FrontierError::Store(Refused { .. } | InUse { .. })))
    )]
    Frontier(#[from] FrontierError),
    /// The fingerprint store failed. One that is damaged is rebuilt from the archive on the next start.
    #[error(
        "fingerprints: {error}; {next}",
        error = .0,
        next = next_of(matches!(.0, simhash::IndexError::Store(Refused { .. } | InUse { .. })))
    )]
    Fingerprints(#[from] simhash::IndexError),
    /// The search index failed. One that is damaged is rebuilt from the archive on the next start.
    #[error(
        "search index: {error}; {next}",
        error = .0,
        next = next_of(matches!(.0, index::IndexError::Store(Refused { .. } | InUse { .. })))
    )]
    Index(#[from] index::IndexError),
    /// The configuration or the seeds cannot be used.
    #[error("{0}")]
    Setup(String),
    /// The ledger that the nodes of the crawl share.
    #[error("{0}")]
    Ledger(#[from] ledger::LedgerError),
    /// This node is out of the crawl, and has to join again.
    #[error("this node is out of the crawl: {0}")]
    Lost(String),
    /// A thread of ours ended by a panic.
    #[error("the {0} ended unexpectedly; every page recorded so far is safe, start again to go on")]
    Panicked(&'static str),
}

impl CrawlError {
    /// What is wrong with a view's files, where the error says that they are damaged.
    pub(crate) fn damage(&self) -> Option<&str> {
        match self {
            Self::Frontier(FrontierError::Store(Damaged { why, .. }))
            | Self::Fingerprints(simhash::IndexError::Store(Damaged { why, .. }))
            | Self::Index(index::IndexError::Store(Damaged { why, .. })) => Some(why),
            _ => None,
        }
    }
}

/// What becomes of a view that failed, whether the system is in the way or not.
fn next_of(is_in_the_way: bool) -> &'static str {
    match is_in_the_way {
        true => "nothing was lost, mend the cause and start again",
        false => "it is rebuilt from the archive on the next start",
    }
}

/// What to do about a directory that cannot be used.
fn mend_of(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "make the directory above it",
        ErrorKind::NotADirectory => {
            "a file stands where a directory should be: choose another path"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "mend the permissions",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space",
        _ => "free the space or mend the permissions",
    }
}

impl From<archive::ArchiveError> for CrawlError {
    fn from(error: archive::ArchiveError) -> Self {
        match error {
            archive::ArchiveError::NewerJournal { .. } => Self::Newer(error),
            error => Self::Archive(error),
        }
    }
}

impl From<state::StoreError> for CrawlError {
    fn from(error: state::StoreError) -> Self {
        match error {
            state::StoreError::Frontier(error) => error.into(),
            state::StoreError::Prints(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_damaged_is_rebuilt_and_what_the_system_refuses_is_not() {
        // Of a missing permission, too, it was said that the next start rebuilds the view.
        let refused = Refused {
            doing: "open index".into(),
            cause: "Permission denied".into(),
        };
        let told = CrawlError::from(index::IndexError::Store(refused)).to_string();
        assert_eq!(
            told,
            "search index: open index: Permission denied; nothing was lost, mend the cause and start again"
        );
        let damaged = index::IndexError::Store(kv::StoreError::damaged("index", "noise"));
        let damaged = CrawlError::from(damaged);
        assert!(damaged.to_string().ends_with("on the next start"));
        assert_eq!(damaged.damage(), Some("noise"));
    }
}
