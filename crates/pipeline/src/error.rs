//! Why a crawl cannot go on.

use std::path::PathBuf;

use frontier::FrontierError;

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
    /// The frontier's store failed. It is rebuilt from the archive on the next start.
    #[error("frontier: {0}; it is rebuilt from the archive on the next start")]
    Frontier(#[from] frontier::FrontierError),
    /// The fingerprint store failed. It is rebuilt from the archive on the next start.
    #[error("fingerprints: {0}; they are rebuilt from the archive on the next start")]
    Fingerprints(#[from] simhash::IndexError),
    /// The search index failed. It is rebuilt from the archive on the next start.
    #[error("search index: {0}; it is rebuilt from the archive on the next start")]
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
        use kv::StoreError::Damaged;
        match self {
            Self::Frontier(FrontierError::Store(Damaged { why, .. }))
            | Self::Fingerprints(simhash::IndexError::Store(Damaged { why, .. }))
            | Self::Index(index::IndexError::Store(Damaged { why, .. })) => Some(why),
            _ => None,
        }
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
