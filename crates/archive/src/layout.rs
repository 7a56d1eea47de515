//! The archive's files: their names and numbers, and creating them so that they survive a power cut.
//!
//! ```text
//! archive/00001.warc.gz         bodies: request, response, revisit, conversion
//! archive/00001.meta.warc.gz    journal: metadata records with our JSON
//! archive/synced                where the journal was synced last; a hint
//! ```

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::ArchiveError;

/// The two kinds of archive file. Their numbers are independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Bodies,
    Journal,
}

impl Kind {
    fn suffix(self) -> &'static str {
        match self {
            Kind::Bodies => ".warc.gz",
            Kind::Journal => ".meta.warc.gz",
        }
    }

    pub(crate) fn file_name(self, number: u32) -> String {
        format!("{number:05}{}", self.suffix())
    }

    pub(crate) fn path(self, dir: &Path, number: u32) -> PathBuf {
        dir.join(self.file_name(number))
    }

    fn number(self, name: &str) -> Option<u32> {
        let digits = name.strip_suffix(self.suffix())?;
        let number: u32 = digits.parse().ok()?;
        (self.file_name(number) == name).then_some(number)
    }

    /// The numbers of the existing files, ascending; none when there is no directory.
    pub(crate) fn list(self, dir: &Path) -> Result<Vec<u32>, ArchiveError> {
        let entries = match fs::read_dir(dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ArchiveError::read(dir)(error)),
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry.map_err(ArchiveError::read(dir))?;
            if let Some(number) = entry
                .file_name()
                .to_str()
                .and_then(|name| self.number(name))
            {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// The length of a file, `None` when there is none.
pub(crate) fn file_bytes(path: &Path) -> Result<Option<u64>, ArchiveError> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata.len())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ArchiveError::read(path)(error)),
    }
}

/// Creates a file, and makes it and its directory entry durable.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.sync_all()?;
    if let Some(dir) = path.parent() {
        sync_dir(dir)?;
    }
    Ok(file)
}

/// Creates a directory if there is none, and makes its entry in its parent durable.
pub(crate) fn create_dir(dir: &Path) -> io::Result<()> {
    if dir.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(dir)?;
    match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent),
        Some(_) | None => sync_dir(Path::new(".")),
    }
}

/// Makes a directory's entries durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_kind_and_number() {
        assert_eq!(Kind::Bodies.number("00012.warc.gz"), Some(12));
        assert_eq!(Kind::Journal.number("00012.meta.warc.gz"), Some(12));
        assert_eq!(Kind::Bodies.number("00012.meta.warc.gz"), None);
        assert_eq!(Kind::Journal.number("00012.warc.gz"), None);
        assert_eq!(Kind::Bodies.number("12.warc.gz"), None);
        assert_eq!(Kind::Bodies.number("123456.warc.gz"), Some(123_456));
    }
}
