//! A crawl's directory: where its parts lie, and who may write there.
//!
//! ```text
//! DIR/crawl.toml          the configuration in force
//! DIR/archive/            bodies and journal: the truth
//! DIR/state/frontier      sled; rebuilt from the journal when damaged
//! DIR/state/fingerprints  sled; likewise
//! DIR/state/memory        what the crawl knows beside these; likewise
//! DIR/state/started.json  the configuration of the last start that has begun, without passwords
//! DIR/state/visits        what rounds have read of the journal; likewise
//! DIR/index/              tantivy; likewise
//! DIR/uploads.json        how the copies of archive files stand, with `archive.upload`
//! DIR/damage-seen.txt     damaged places of the archive that a repair has seen
//! DIR/lock                held by the process that writes
//! DIR/control.sock        where it can be asked what it does, see `control`
//! ```

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use archive::Texts;
use config::for_shell;

use crate::error::CrawlError;

/// Tries to take the lock.
const LOCK_TRIES: u32 = 3;

/// Between two tries.
const LOCK_NAP: Duration = Duration::from_millis(30);

/// A crawl directory.
#[derive(Debug, Clone)]
pub struct CrawlDir {
    root: PathBuf,
    /// Of copies, where they are from.
    copy_of: Option<String>,
}

/// The right to write to a crawl directory; given back when dropped.
#[derive(Debug)]
pub struct CrawlLock {
    _file: File,
}

impl CrawlDir {
    /// A directory that is, or will be, a crawl.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into(),
            copy_of: None,
        }
    }

    /// The same as copies of what is elsewhere: nobody crawls here.
    #[must_use]
    pub fn as_copy_of(self, place: &str) -> Self {
        Self {
            copy_of: Some(place.to_owned()),
            ..self
        }
    }

    /// The same, as it is typed in a command.
    pub fn typed(&self) -> String {
        for_shell(Path::new(&self.shown()))
    }

    /// Whether these are copies of what is elsewhere.
    pub fn is_copy(&self) -> bool {
        self.copy_of.is_some()
    }

    /// What people are told of it: of copies where they are from, else the directory.
    pub fn shown(&self) -> String {
        let root = || self.root.display().to_string();
        self.copy_of.clone().unwrap_or_else(root)
    }

    /// Opens a directory that must hold a crawl.
    ///
    /// # Errors
    /// [`CrawlError::NotACrawl`] when it does not, and as [`CrawlDir::find_crawl`].
    pub fn existing(root: impl Into<PathBuf>) -> Result<Self, CrawlError> {
        let dir = Self::new(root);
        match dir.find_crawl()? {
            true => Ok(dir),
            false => Err(CrawlError::NotACrawl(dir.root)),
        }
    }

    /// Whether a crawl was begun here, as far as that can be seen.
    ///
    /// # Errors
    /// [`CrawlError::NoConfiguration`] where an archive is without one, [`CrawlError::Directory`] when the directory may
    /// not be read.
    pub fn find_crawl(&self) -> Result<bool, CrawlError> {
        let look = |path: &Path| match std::fs::metadata(path) {
            Ok(found) => Ok(Some(found)),
            Err(source) if is_absent(&source) => Ok(None),
            Err(source) => Err(CrawlError::Directory {
                what: format!("read {}", self.root.display()),
                source,
            }),
        };
        let config = look(&self.config())?.is_some_and(|found| found.is_file());
        let archive = look(&self.archive())?.is_some_and(|found| found.is_dir());
        match (config, archive) {
            (false, true) if self.holds_journal() => {
                Err(CrawlError::NoConfiguration(self.root.clone()))
            }
            (config, archive) => Ok(config && archive),
        }
    }

    /// Whether the archive holds a journal: a directory of that name may be anything.
    pub fn holds_journal(&self) -> bool {
        let entries = std::fs::read_dir(self.archive());
        let mut names = entries.into_iter().flatten().flatten();
        names.any(|entry| {
            entry
                .file_name()
                .to_string_lossy()
                .ends_with(".meta.warc.gz")
        })
    }

    /// The directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `crawl.toml`, the configuration in force.
    pub fn config(&self) -> PathBuf {
        self.root.join("crawl.toml")
    }

    /// The archived texts and bodies. Of copies the last files may not be there yet: see [`Texts::of_copies`].
    pub fn texts(&self) -> Texts {
        match self.is_copy() {
            true => Texts::of_copies(&self.archive()),
            false => Texts::of(&self.archive()),
        }
    }

    /// `archive/`.
    pub fn archive(&self) -> PathBuf {
        self.root.join("archive")
    }

    /// `uploads.json`: how the copies of archive files stand.
    pub fn uploads(&self) -> PathBuf {
        self.root.join("uploads.json")
    }

    /// `damage-seen.txt`: damaged places of the archive that a repair has seen.
    pub(crate) fn damage_seen(&self) -> PathBuf {
        self.root.join("damage-seen.txt")
    }

    /// `state/frontier`.
    pub fn frontier(&self) -> PathBuf {
        self.root.join("state").join("frontier")
    }

    /// `state/fingerprints`.
    pub fn fingerprints(&self) -> PathBuf {
        self.root.join("state").join("fingerprints")
    }

    /// `state/memory`.
    pub fn memory(&self) -> PathBuf {
        self.root.join("state").join("memory")
    }

    /// `state/started.json`.
    pub(crate) fn started(&self) -> PathBuf {
        self.root.join("state").join("started.json")
    }

    /// `state/visits`.
    pub fn visits(&self) -> PathBuf {
        self.root.join("state").join("visits")
    }

    /// `index/`.
    pub fn index(&self) -> PathBuf {
        self.root.join("index")
    }

    /// `audit.jsonl`, what people said of its decisions.
    pub fn audit(&self) -> PathBuf {
        self.root.join("audit.jsonl")
    }

    /// `control.sock`.
    pub fn control(&self) -> PathBuf {
        self.root.join("control.sock")
    }

    /// Whether a process has the right to write here at this moment.
    pub fn is_in_use(&self) -> bool {
        File::open(self.root.join("lock"))
            .is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Whether a crawl was begun here.
    pub fn holds_crawl(&self) -> bool {
        self.config().is_file() && self.holds_archive()
    }

    /// Whether a crawl has left its archive here, though its configuration may be gone.
    pub fn holds_archive(&self) -> bool {
        self.archive().is_dir()
    }

    /// Whether nothing is here yet.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn is_vacant(&self) -> io::Result<bool> {
        match std::fs::read_dir(&self.root) {
            Ok(mut entries) => Ok(entries.next().is_none()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// Makes the directory and takes the right to write to it.
    ///
    /// # Errors
    /// [`CrawlError::InUse`] when another process has it, [`CrawlError::Directory`] when it cannot
    /// be made or written, [`CrawlError::Occupied`] when it holds something else.
    pub fn lock(&self) -> Result<CrawlLock, CrawlError> {
        let cannot = |what: &str, source: io::Error| CrawlError::Directory {
            what: format!("{what} {}", self.root.display()),
            source,
        };
        let vacant = self.is_vacant().map_err(|error| cannot("read", error))?;
        if !vacant && !self.holds_crawl() && !self.root.join("lock").exists() {
            return Err(CrawlError::Occupied(self.root.clone()));
        }
        make_dir(&self.root).map_err(|error| cannot("make", error))?;
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.root.join("lock"))
            .map_err(|error| cannot("write to", error))?;
        // Who only looks whether the lock is held holds it for an instant.
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(CrawlLock { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::park_timeout(LOCK_NAP),
                Err(TryLockError::Error(error)) => return Err(cannot("lock", error)),
            }
        }
        Err(CrawlError::InUse(self.root.clone()))
    }
}

impl CrawlDir {
    /// Holds off who would write, as far as that is possible where nothing can be written; none where it is
    /// not.
    ///
    /// # Errors
    /// [`CrawlError::InUse`] when another process has the directory.
    pub(crate) fn lock_to_read(&self) -> Result<Option<File>, CrawlError> {
        let Ok(file) = File::open(self.root.join("lock")) else {
            return Ok(None);
        };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Err(CrawlError::InUse(self.root.clone())),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

/// Whether an error says that nothing is there.
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Makes a directory and those above it that are missing, each with its name made durable.
fn make_dir(dir: &Path) -> io::Result<()> {
    let is_missing = |dir: &&Path| !dir.as_os_str().is_empty() && !dir.exists();
    let missing: Vec<&Path> = dir.ancestors().take_while(is_missing).collect();
    std::fs::create_dir_all(dir)?;
    for made in missing {
        match made.parent().filter(|above| !above.as_os_str().is_empty()) {
            Some(above) => sync_dir(above)?,
            None => sync_dir(Path::new("."))?,
        }
    }
    Ok(())
}

/// Makes the names in a directory durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_writer() {
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = CrawlDir::new(temp.path().join("crawl"));
        let lock = dir.lock().expect("first");
        assert!(matches!(dir.lock(), Err(CrawlError::InUse(_))));
        assert!(dir.is_in_use());
        drop(lock);
        assert!(!dir.is_in_use());
        assert!(dir.lock().is_ok());
    }

    #[test]
    fn an_archive_without_its_configuration_is_told_as_that() {
        // It was said to hold no crawl.
        let temp = tempfile::tempdir().expect("temp dir");
        let dir = CrawlDir::new(temp.path());
        assert!(matches!(dir.find_crawl(), Ok(false)));
        std::fs::create_dir(dir.archive()).expect("make");
        assert!(matches!(dir.find_crawl(), Ok(false)));
        std::fs::write(dir.archive().join("00001.meta.warc.gz"), "").expect("write");
        let error = CrawlDir::existing(temp.path()).expect_err("no configuration");
        assert!(matches!(error, CrawlError::NoConfiguration(_)), "{error}");
        std::fs::write(dir.config(), "").expect("write");
        assert!(matches!(dir.find_crawl(), Ok(true)));
        let file = CrawlDir::new(dir.config());
        assert!(matches!(file.find_crawl(), Ok(false)));
        // An error of another kind is told as it is.
        let long = CrawlDir::new(temp.path().join("x".repeat(300)));
        assert!(matches!(
            long.find_crawl(),
            Err(CrawlError::Directory { .. })
        ));
    }

    #[test]
    fn a_directory_with_other_things_in_it_is_left_alone() {
        let temp = tempfile::tempdir().expect("temp dir");
        std::fs::write(temp.path().join("thesis.tex"), "years of work").expect("write");
        assert!(matches!(
            CrawlDir::new(temp.path()).lock(),
            Err(CrawlError::Occupied(_))
        ));
        assert!(!temp.path().join("lock").exists());
    }
}
