//! A crawl on a disk that cannot be written, such as a copy that is kept: who looks at it, and at what.
//!
//! Archive and journal are read where they are. Frontier, fingerprint tables and search index cannot be
//! opened without being written to, if only for a lock; so each is copied to a directory for temporary
//! files, checked there, and taken away again. What is too large for that is not checked, and the report
//! says so.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::CheckReport;
use crate::dir::{CrawlDir, CrawlLock};
use crate::error::CrawlError;
use crate::units::Size;

/// A view that is larger is not copied: temporary files may lie in memory.
const COPY_MAX: Size = Size::megabytes(1_000);

/// The right to look at a crawl: nobody else writes to it meanwhile.
#[derive(Default)]
pub(super) struct Look {
    is_read_only: bool,
    _alone: Option<CrawlLock>,
    /// Where nothing can be written, as far as can be told.
    _shared: Option<File>,
}

/// Where a view may be opened.
pub(super) struct View {
    pub(super) path: PathBuf,
    copied_to: Option<PathBuf>,
}

impl Look {
    /// Asks for the right.
    ///
    /// # Errors
    /// When another process has the directory, or it cannot be used.
    pub(super) fn at(dir: &CrawlDir) -> Result<Self, CrawlError> {
        match dir.lock() {
            Ok(lock) => Ok(Self {
                _alone: Some(lock),
                ..Self::default()
            }),
            Err(CrawlError::Directory { source, .. }) if is_read_only(&source) => Ok(Self {
                is_read_only: true,
                _shared: dir.lock_to_read()?,
                ..Self::default()
            }),
            Err(error) => Err(error),
        }
    }

    /// Where a view may be opened; none where it is not to be checked, which the report tells.
    pub(super) fn view(&self, path: &Path, name: &str, report: &mut CheckReport) -> Option<View> {
        if !self.is_read_only {
            return Some(View {
                path: path.to_owned(),
                copied_to: None,
            });
        }
        match copied(path) {
            Ok(view) => Some(view),
            Err(why) => {
                report.unchecked.push(format!(
                    "{name}: the disk cannot be written, and no copy was made to check it in: {why}"
                ));
                None
            }
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        if let Some(copy) = &self.copied_to
            && let Err(error) = fs::remove_dir_all(copy)
        {
            tracing::warn!("{} is left behind: {error}", copy.display());
        }
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied
    )
}

/// A copy of a view; what is not there is not there in the copy either.
fn copied(path: &Path) -> Result<View, String> {
    let bytes = bytes_of(path).map_err(|error| in_words(path, &error))?;
    if bytes > COPY_MAX.0 {
        let rounded = Size::megabytes(bytes.div_ceil(1_000_000));
        return Err(format!("it has {rounded}, and {COPY_MAX} may be copied"));
    }
    let aside = temporary_dir()?;
    let view = View {
        path: aside.join("view"),
        copied_to: Some(aside),
    };
    copy_dir(path, &view.path).map_err(|error| in_words(&view.path, &error))?;
    Ok(view)
}

fn in_words(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// A new directory for temporary files that nobody else may read.
fn temporary_dir() -> Result<PathBuf, String> {
    let parent = std::env::temp_dir();
    for number in 0u32.. {
        let dir = parent.join(format!("tamis-check-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return Ok(dir),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(in_words(&dir, &error)),
        }
    }
    Err(format!("{} is full of directories", parent.display()))
}

fn bytes_of(path: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for_files(path, &mut |file, _| {
        bytes += file.metadata()?.len();
        Ok(())
    })?;
    Ok(bytes)
}

fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for_files(from, &mut |file, within| {
        let to = to.join(within);
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        // Its permissions are not copied: the copy is to be written.
        io::copy(&mut File::open(file)?, &mut File::create(to)?)?;
        Ok(())
    })
}

/// Each file below a directory, with its path within it; none where that is not there.
fn for_files(root: &Path, see: &mut dyn FnMut(&Path, &Path) -> io::Result<()>) -> io::Result<()> {
    let mut dirs = vec![PathBuf::new()];
    while let Some(within) = dirs.pop() {
        let entries = match fs::read_dir(root.join(&within)) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let within = within.join(entry.file_name());
            match entry.file_type()? {
                kind if kind.is_dir() => dirs.push(within),
                kind if kind.is_file() => see(&entry.path(), &within)?,
                // A view has no other ones.
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_copied_with_all_its_files_and_the_copy_goes_when_it_was_looked_at() {
        let dir = tempfile::tempdir().expect("a directory");
        fs::create_dir_all(dir.path().join("blobs/1")).expect("made");
        fs::write(dir.path().join("blobs/1/x"), "deep").expect("written");
        fs::write(dir.path().join("top"), "flat").expect("written");
        let view = copied(dir.path()).expect("is copied");
        let read = |name: &str| fs::read_to_string(view.path.join(name)).expect("is there");
        assert_eq!(
            (read("blobs/1/x"), read("top")),
            ("deep".into(), "flat".into())
        );
        let copy = view.copied_to.clone().expect("a copy");
        drop(view);
        assert!(!copy.exists());
        // What is not there is opened as a view that begins.
        assert!(copied(&dir.path().join("missing")).is_ok_and(|view| view.path.is_dir()));
    }

    #[test]
    fn what_is_too_large_to_be_copied_is_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = File::create(dir.path().join("sparse")).expect("made");
        file.set_len(COPY_MAX.0 + 1).expect("is as long");
        let mut report = CheckReport::default();
        let look = Look {
            is_read_only: true,
            ..Look::default()
        };
        assert!(look.view(dir.path(), "the frontier", &mut report).is_none());
        let told = &report.unchecked[0];
        assert!(
            told.starts_with("the frontier: ") && told.contains("1001 MB"),
            "{told}"
        );
    }
}
