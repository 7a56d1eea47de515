//! The file `state/visits`: what plans have read of the journal, saved now and then, so that the next one,
//! and `tamis status`, read only the records after it.
//!
//! Who plans has the directory's lock, and no crawl runs: so all of the journal is there that the file
//! follows from, and it is synced before the file is. Which form the file has, and when it is of no use:
//! see [`crate::saved_file`]. It is saved when the journal has grown by half as many bytes as the last file
//! had, and by [`JOURNAL_MIN`] at least. A crawl that never comes back has none.

use std::io::{self, Read, Write};

use archive::Position;
use state::snapshot::{Parts, SnapshotError, read_part};
use tracing::{info, warn};

use super::Beside;
use super::history::History;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::saved_file::{Form, NewFile, Saved, Unusable};

/// The file's form. Its number is raised when what is saved, or what records do to it, changes.
pub(crate) const FORM: Form = Form {
    mark: b"tamis visits\0\0\0\0",
    format: 10,
};

/// Bytes of journal between two files at least. Crash tests save all the time.
const JOURNAL_MIN: u64 = if cfg!(feature = "failpoints") {
    1
} else {
    64 << 10
};

/// What was saved.
#[derive(Debug)]
pub(super) struct Visits {
    pub(super) history: History,
    /// The journal's position that it follows from.
    pub(super) read: Position,
    /// The last record that was shown to who reads the journal beside.
    pub(super) shown: u64,
    /// What that one saved.
    pub(super) beside: Vec<u8>,
}

/// When it was saved last.
#[derive(Debug, Default)]
pub(super) struct VisitsFile {
    position: Position,
    bytes: u64,
}

impl VisitsFile {
    /// What was saved, if that is of use, with what visits are compared with or without.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(super) fn open(
        &mut self,
        dir: &CrawlDir,
        with_dues: bool,
    ) -> Result<Option<Visits>, CrawlError> {
        let end = archive::end(&dir.archive())?.0;
        let saved = match Saved::open_of(&dir.visits(), FORM, 0, end) {
            Ok(saved) => saved,
            Err(Unusable::Missing) => return Ok(None),
            Err(Unusable::Because(why)) => {
                info!("what rounds have read is read again, because {why}");
                return Ok(None);
            }
        };
        match read(&saved, with_dues) {
            Ok(visits) => {
                (self.position, self.bytes) = (visits.read, saved.file_bytes);
                Ok(Some(visits))
            }
            Err(error) => {
                info!("what rounds have read is read again: {error}");
                Ok(None)
            }
        }
    }

    /// Saves what follows from a position, where the journal has grown enough. Who calls has the lock. Where
    /// it cannot be written the next plan reads more, and that is all.
    pub(super) fn save_if_due(
        &mut self,
        dir: &CrawlDir,
        position: Position,
        shown: u64,
        history: &History,
        beside: &impl Beside,
    ) {
        if !self.is_due(position) {
            return;
        }
        let saved = archive::make_durable(&dir.archive(), position)
            .map_err(io::Error::other)
            .and_then(|()| write(dir, position, shown, history, beside));
        match saved {
            Ok(bytes) => (self.position, self.bytes) = (position, bytes),
            Err(error) => warn!(
                "{} cannot be written, so the next round reads what this one has read again: {error}",
                dir.visits().display()
            ),
        }
    }

    fn is_due(&self, position: Position) -> bool {
        let grown = self.position.bytes_until(position);
        grown.is_none_or(|grown| grown >= (self.bytes / 2).max(JOURNAL_MIN))
    }
}

fn read(saved: &Saved, with_dues: bool) -> Result<Visits, SnapshotError> {
    let mut from = saved.snapshot()?;
    let (shown, beside): (u64, Vec<u8>) = read_part(&mut from)?;
    let history = History::read(&mut from, with_dues)?;
    let mut rest = [0];
    match from.read(&mut rest)? {
        0 => Ok(Visits {
            history,
            read: Position(saved.position),
            shown,
            beside,
        }),
        _ => Err(SnapshotError::Damaged("it is too long".into())),
    }
}

fn write(
    dir: &CrawlDir,
    position: Position,
    shown: u64,
    history: &History,
    beside: &impl Beside,
) -> io::Result<u64> {
    std::fs::create_dir_all(dir.root().join("state"))?;
    let mut file = NewFile::begin(&dir.visits(), FORM, 0, position.0)?;
    let mut counted = Counted {
        to: &mut file,
        bytes: 0,
    };
    let mut parts = Parts::new(&mut counted);
    let written = parts
        .write(&(shown, beside.save()))
        .and_then(|()| history.write(&mut parts));
    written.map_err(io::Error::other)?;
    let bytes = counted.bytes;
    file.finish(bytes)
}

/// Counts what is written.
struct Counted<W> {
    to: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
