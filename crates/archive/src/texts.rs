//! Texts and bodies read by their place, for who reads many: what cannot be read is left out, and remembered.
//!
//! There are two reasons, and what follows from them differs. A damaged record is lost, and who goes on without
//! it has all that there is. A file that cannot be opened or read may be back tomorrow: it is not restored yet, a
//! disk is not mounted, a device fails. What is made without it is made of too little, and must not stand for the
//! whole: see [`Texts::all_there`].

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ArchiveError;
use crate::body::{Payload, read_body, read_text};
use crate::capture::{Capture, read_capture};
use crate::layout::Kind;
use crate::record::BodyRef;

/// Reads the texts and bodies of an archive, and remembers what it could not read.
///
/// ```
/// use archive::{BodyRef, Texts};
///
/// let dir = tempfile::tempdir()?;
/// let texts = Texts::of(dir.path());
/// let nowhere = BodyRef { file: 1, offset: 0, len: 9 };
/// assert_eq!(texts.text(&nowhere), None);
/// assert!(texts.all_there().is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Texts {
    dir: PathBuf,
    /// What stands in files beyond this one is not expected.
    last_file: u32,
    unread: Mutex<Option<Unread>>,
}

/// What could not be read.
#[derive(Debug)]
pub struct Unread {
    /// Records: texts and bodies.
    pub count: u64,
    /// Why the first could not; a file that cannot be read goes before damage.
    pub first: ArchiveError,
}

impl Texts {
    /// Those of the archive in `dir`.
    pub fn of(dir: &Path) -> Texts {
        Texts {
            dir: dir.to_owned(),
            last_file: u32::MAX,
            unread: Mutex::default(),
        }
    }

    /// Those of copies of an archive that goes on: its last files are not there yet, and what stands in them is
    /// read as if the archive had none of it.
    pub fn of_copies(dir: &Path) -> Texts {
        let last = |files: Vec<u32>| files.last().copied().unwrap_or(0);
        Texts {
            last_file: Kind::Bodies.list(dir).map_or(u32::MAX, last),
            ..Texts::of(dir)
        }
    }

    /// A main text.
    pub fn text(&self, at: &BodyRef) -> Option<String> {
        self.read(at, read_text)
    }

    /// A response.
    pub fn body(&self, at: &BodyRef) -> Option<Payload> {
        self.read(at, read_body)
    }

    /// What is said of a response.
    pub fn capture(&self, at: &BodyRef) -> Option<Capture> {
        self.read(at, read_capture)
    }

    /// That no file kept back what it holds, as far as this has read. Damage is not asked for.
    ///
    /// # Errors
    /// Why the first could not be opened or read.
    pub fn all_there(&self) -> Result<(), ArchiveError> {
        let withheld = self.lock().take_if(|unread| unread.is_withheld());
        withheld.map_or(Ok(()), |unread| Err(unread.first))
    }

    /// What could not be read since this was asked last.
    pub fn take_unread(&self) -> Option<Unread> {
        self.lock().take()
    }

    fn read<T>(
        &self,
        at: &BodyRef,
        read: impl FnOnce(&Path, &BodyRef) -> Result<T, ArchiveError>,
    ) -> Option<T> {
        if at.file > self.last_file {
            return None;
        }
        let first = match read(&self.dir, at) {
            Ok(found) => return Some(found),
            Err(first) => first,
        };
        let unread = Unread { count: 1, first };
        let mut before = self.lock();
        *before = Some(unread.after(before.take()));
        None
    }

    fn lock(&self) -> MutexGuard<'_, Option<Unread>> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unread {
    /// Whether a file could not be opened or read: what it holds may be whole.
    pub fn is_withheld(&self) -> bool {
        !self.first.is_damage()
    }

    /// This with what could not be read before.
    #[must_use]
    pub fn after(self, before: Option<Unread>) -> Unread {
        let Some(before) = before else {
            return self;
        };
        let count = before.count + self.count;
        let is_worse = self.is_withheld() && !before.is_withheld();
        let first = if is_worse { self.first } else { before.first };
        Unread { count, first }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => write!(f, "1 archived text or body could not be read")?,
            count => write!(
                f,
                "{count} archived texts and bodies could not be read, the first"
            )?,
        }
        write!(f, ": {}", self.first)?;
        self.first
            .source()
            .map_or(Ok(()), |cause| write!(f, ": {cause}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Archive, ArchiveConfig, Entry, Event, PageRecord, Position, Record, Replayed};

    /// An archive with two texts, and their places.
    fn two_texts() -> (tempfile::TempDir, Vec<BodyRef>) {
        let dir = tempfile::tempdir().unwrap();
        let (mut archive, _) = Archive::open(dir.path(), ArchiveConfig::default()).unwrap();
        for seq in 1..=2 {
            let event = Event::Page(Box::default());
            let at_ms = 0;
            let record = Record { seq, at_ms, event };
            let entry = Entry {
                text: Some("two words"),
                ..Entry::of(&record)
            };
            archive.append(&entry).unwrap();
        }
        archive.sync().unwrap();
        let places = crate::replay(dir.path(), Position::START).unwrap();
        let places = places.filter_map(|replayed| match replayed.unwrap() {
            Replayed::Record { record, .. } => record.event.page().and_then(place),
            Replayed::Damage(_) => None,
        });
        let places = places.collect();
        (dir, places)
    }

    fn place(page: &PageRecord) -> Option<BodyRef> {
        page.text.clone()
    }

    #[test]
    fn damage_is_counted_and_a_file_that_is_not_there_is_told_before_it() {
        let (dir, places) = two_texts();
        let texts = Texts::of(dir.path());
        assert_eq!(texts.text(&places[0]).as_deref(), Some("two words"));
        assert!(texts.take_unread().is_none());
        let file = Kind::Bodies.path(dir.path(), 1);
        let whole = std::fs::read(&file).unwrap();
        let mut damaged = whole.clone();
        damaged[(places[1].offset + places[1].len / 2) as usize] ^= 0xff;
        std::fs::write(&file, damaged).unwrap();
        assert_eq!(texts.text(&places[1]), None);
        texts.all_there().expect("damage is no missing file");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(texts.text(&places[0]), None);
        let told = texts.lock().as_ref().map(Unread::to_string).unwrap();
        let begin = "2 archived texts and bodies could not be read, the first: read \"";
        assert!(told.starts_with(begin), "{told}");
        assert!(told.contains("00001.warc.gz\": "), "{told}");
        let error = texts.all_there().expect_err("the file is not there");
        assert!(matches!(error, ArchiveError::Read { .. }), "{error:?}");
        assert!(texts.take_unread().is_none());
        // A file that ends early is damage: its end may have been lost for good.
        std::fs::write(&file, &whole[..10]).unwrap();
        assert_eq!(texts.text(&places[0]), None);
        texts.all_there().expect("damage");
    }

    #[test]
    fn of_copies_the_files_that_are_to_come_are_not_asked_for() {
        let (dir, places) = two_texts();
        let texts = Texts::of_copies(dir.path());
        assert!(texts.text(&places[0]).is_some());
        let to_come = BodyRef {
            file: 2,
            ..places[0].clone()
        };
        assert_eq!(texts.text(&to_come), None);
        assert!(texts.take_unread().is_none());
    }
}
