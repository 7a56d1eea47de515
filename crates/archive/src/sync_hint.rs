//! The file `synced`: where the journal ended at the last sync. It is a hint, never the truth.
//!
//! An unreadable stretch of the journal before this place is damage, because what stood there was once
//! on the disk. One after it is what a power cut leaves of writes that were not acknowledged. The hint
//! is written after each sync without a sync of its own, so a power cut may leave an older one; then the
//! `Tamis-Synced` fields of later records say the same. Without a hint, only what cannot be read at the
//! very end is cut.
//!
//! The file is one line, `tamis 0000000001:00000000123456 seq 00000000000000000042 crc 1a2b3c4d`. Its
//! length is always the same, so rewriting it never changes the file's size.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::Position;
use crate::layout;

const NAME: &str = "synced";

/// What was on the disk at the last sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Synced {
    /// The journal's end.
    pub(crate) position: Position,
    /// The last record's number.
    pub(crate) seq: u64,
}

impl Synced {
    fn line(self) -> String {
        let body = format!(
            "tamis {:010}:{:014} seq {:020}",
            self.position.file(),
            self.position.offset(),
            self.seq
        );
        format!("{body} crc {:08x}\n", crc32fast::hash(body.as_bytes()))
    }

    fn parse(line: &str) -> Option<Synced> {
        let (body, crc) = line.trim_end().split_once(" crc ")?;
        if u32::from_str_radix(crc, 16).ok()? != crc32fast::hash(body.as_bytes()) {
            return None;
        }
        let (position, seq) = body.strip_prefix("tamis ")?.split_once(" seq ")?;
        Some(Synced {
            position: position.parse().ok()?,
            seq: seq.parse().ok()?,
        })
    }

    /// Reads the hint; `None` when there is none or it is damaged.
    pub(crate) fn read(dir: &Path) -> Option<Synced> {
        Synced::parse(&std::fs::read_to_string(dir.join(NAME)).ok()?)
    }
}

/// The open hint file of the writer.
#[derive(Debug)]
pub(crate) struct HintFile {
    file: File,
}

impl HintFile {
    /// Opens or makes the hint and writes `synced` durably.
    pub(crate) fn open(dir: &Path, synced: Synced) -> io::Result<HintFile> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(dir.join(NAME))?;
        let mut hint = HintFile { file };
        hint.write(synced)?;
        hint.file.set_len(synced.line().len() as u64)?;
        hint.file.sync_all()?;
        layout::sync_dir(dir)?;
        Ok(hint)
    }

    /// Notes what has just been synced.
    pub(crate) fn write(&mut self, synced: Synced) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(synced.line().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_reads_back_and_a_damaged_one_is_none() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Synced::read(dir.path()), None);
        let synced = Synced {
            position: Position::new(3, 77),
            seq: 9,
        };
        let mut hint = HintFile::open(dir.path(), Synced::default()).unwrap();
        hint.write(synced).unwrap();
        assert_eq!(Synced::read(dir.path()), Some(synced));
        std::fs::write(dir.path().join(NAME), synced.line().replace('9', "8")).unwrap();
        assert_eq!(Synced::read(dir.path()), None);
    }
}
