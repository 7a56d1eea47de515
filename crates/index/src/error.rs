//! Why the index could not do what it was asked.

use std::io;
use std::path::PathBuf;

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
    /// A damaged index could not be set aside.
    #[error("set aside the search index {path:?}")]
    SetAside {
        /// Its directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// Names what was being done when the engine failed.
pub(crate) fn engine<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> IndexError {
    move |error| IndexError::Engine {
        what,
        why: error.to_string(),
    }
}
