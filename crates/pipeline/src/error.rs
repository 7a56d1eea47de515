//! Why a crawl cannot go on.

use std::io::ErrorKind;
use std::path::PathBuf;

use archive::ArchiveError;
use frontier::FrontierError;
use kv::StoreError::{Damaged, InUse, Refused};

/// An error that ends a crawl. What happens to a single URL is never one.
#[derive(Debug, thiserror::Error)]
pub enum CrawlError {
    /// No crawl was begun in the directory.
    #[error("{} holds no crawl: name a directory that `tamis crawl --dir` made", .0.display())]
    NotACrawl(PathBuf),
    /// A crawl has left its archive in the directory, and its configuration is not there.
    #[error(
        "an archive is in {dir}, its crawl.toml is not: give the configuration, with tamis crawl FILE.toml --dir {dir}, or \
         put crawl.toml back",
        dir = .0.display()
    )]
    NoConfiguration(PathBuf),
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
    Newer(ArchiveError),
    /// The archive cannot be read or written. What was acknowledged is safe.
    #[error(
        "the archive cannot be used; every page recorded so far is safe, mend the cause and start again"
    )]
    Archive(#[source] ArchiveError),
    /// Files with archived texts of which something is to be made anew cannot be opened or read. They may be back
    /// tomorrow, and nothing is made without them.
    #[error(
        "archived texts cannot be read, and nothing is made anew without them: put the file back or mend what keeps it \
         from being read, and start again; of one that is lost for good an empty file in its place says so, and what \
         stood there counts as lost; nothing was changed"
    )]
    Texts(#[source] ArchiveError),
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
    /// What kind of error of the system it is, if it is one.
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Directory { source, .. }
            | Self::Archive(
                ArchiveError::Read { source, .. } | ArchiveError::Write { source, .. },
            )
            | Self::Texts(ArchiveError::Read { source, .. }) => Some(source.kind()),
            Self::Frontier(FrontierError::Store(error))
            | Self::Fingerprints(simhash::IndexError::Store(error)) => error.kind(),
            Self::Index(error) => error.kind(),
            Self::NotACrawl(_)
            | Self::NoConfiguration(_)
            | Self::Occupied(_)
            | Self::InUse(_)
            | Self::Newer(_)
            | Self::Archive(_)
            | Self::Texts(_)
            | Self::Frontier(_)
            | Self::Fingerprints(_)
            | Self::Setup(_)
            | Self::Ledger(_)
            | Self::Lost(_)
            | Self::Panicked(_) => None,
        }
    }

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

impl From<ArchiveError> for CrawlError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::NewerJournal { .. } => Self::Newer(error),
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
            kind: ErrorKind::PermissionDenied,
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

    #[test]
    fn a_full_disk_and_a_used_up_quota_are_known_by_their_kinds_wherever_they_are_met() {
        // They were looked for in the words, and a quota was not among them.
        for (code, kind) in [
            (28, ErrorKind::StorageFull),
            (122, ErrorKind::QuotaExceeded),
        ] {
            let io = || std::io::Error::from_raw_os_error(code);
            let refused = || kv::StoreError::of_system("write to", "state", &io());
            let path = PathBuf::from("archive/00001.warc.gz");
            let errors: [CrawlError; 5] = [
                CrawlError::Directory {
                    what: "write crawl.toml".into(),
                    source: io(),
                },
                ArchiveError::Write { path, source: io() }.into(),
                FrontierError::Store(refused()).into(),
                simhash::IndexError::Store(refused()).into(),
                index::IndexError::Store(refused()).into(),
            ];
            for error in errors {
                assert_eq!(error.kind(), Some(kind), "{error}");
            }
        }
    }
}
