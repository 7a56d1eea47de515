//! Recovery at the start: cuts what an interrupted write has left, keeps and reports damage.
//!
//! ```text
//!  journal   ───whole records───┬──group being written──┐
//!                            synced                   torn
//!        an unreadable stretch here is       one here was never acknowledged:
//!        damage: its record alone is lost    the journal is cut from there on
//! ```
//!
//! Only the end of the last file of each kind is read. Earlier files were synced before the next one
//! was created, and replay skips and counts damage in the middle. The last journal record says where the
//! body files ended (`Tamis-Bodies`); what lies beyond belongs to no record. A journal record behind the last
//! sync whose body is missing, because the body file is shorter, counts as torn as well: its URL is fetched
//! again. Bodies that were synced and are missing now are damage: the records that tell of them stay.
//! Whole records that are cut are set aside in a file `….cut-OFFSET`, because a backup may still have
//! their bodies.

use std::fs::{self, File};
use std::path::Path;

use crate::error::Damage;
use crate::json::Head;
use crate::layout::{self, Kind, file_bytes};
use crate::record::JOURNAL_VERSION;
use crate::scan::{Scanner, Step};
use crate::sync_hint::Synced;
use crate::warc::Parsed;
use crate::{ArchiveError, Position};

/// The warcinfo field that holds [`JOURNAL_VERSION`].
pub(crate) const VERSION_KEY: &str = "tamis-journal-version";

/// How much of a journal's end is searched for its last whole record, first and after failures.
const WINDOWS_BYTES: [u64; 3] = [256 << 10, 8 << 20, 1 << 40];

/// Bytes that were cut from the end of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// File name, without its directory.
    pub file: String,
    /// Where the file ends now.
    pub offset: u64,
    /// How many bytes were cut.
    pub bytes: u64,
    /// Whole records among them.
    pub records: u64,
    /// Why.
    pub why: String,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cut {
            file,
            offset,
            bytes,
            records,
            why,
        } = self;
        write!(f, "{file}: {bytes} bytes cut at {offset}: {why}")?;
        match records {
            0 => Ok(()),
            records => write!(f, " ({records} whole records set aside)"),
        }
    }
}

/// What opening found and did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovery {
    /// Tails that were cut. After a kill this is ordinary.
    pub cut: Vec<Cut>,
    /// Damage near the end of the journal. Replay finds what is further in front.
    pub damaged: Vec<Damage>,
    /// Where the journal ends.
    pub position: Position,
    /// The number of the last record, 0 for none.
    pub seq: u64,
}

/// Where writing continues.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The files that are written on, if they are not full or gone.
    pub(crate) journal: Option<u32>,
    pub(crate) bodies: Option<u32>,
    /// The numbers of new files.
    pub(crate) next_journal: u32,
    pub(crate) next_bodies: u32,
}

/// What a journal record says about the files when it was written.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// Where the record begins and ends.
    offset: u64,
    end: u64,
    /// Where the journal had been synced to.
    synced: Position,
    /// Where the body files ended.
    bodies: Position,
    seq: u64,
}

/// Cuts the journal in `dir` back to a place where a record ends: what stands behind it was never
/// acknowledged by whoever has the last word. What is cut is set aside. [`Archive::open`] cuts the
/// bodies then. Gives what was cut.
///
/// # Errors
/// [`ArchiveError::Place`] when the journal does not reach so far, or no record ends there; when a
/// file cannot be read or written.
///
/// [`Archive::open`]: crate::Archive::open
pub fn cut_to(dir: &Path, place: Position) -> Result<Vec<Cut>, ArchiveError> {
    let mut cut = Vec::new();
    let journals = Kind::Journal.list(dir)?;
    let end = match journals.last() {
        Some(&number) => Position::new(number, bytes_of(dir, Kind::Journal, number)?),
        None => Position::START,
    };
    let wrong = || ArchiveError::Place { place, end };
    if place > end {
        return Err(wrong());
    }
    let mut last = None;
    for &number in journals.iter().rev() {
        let bytes = bytes_of(dir, Kind::Journal, number)?;
        let keep = match number.cmp(&place.file()) {
            std::cmp::Ordering::Greater => 0,
            std::cmp::Ordering::Equal => place.offset(),
            std::cmp::Ordering::Less => bytes,
        };
        if keep > 0 {
            last = last_whole(dir, number, keep)?;
            let is_torn = keep < bytes && last.is_none_or(|mark| mark.end != keep);
            if is_torn || keep > bytes {
                return Err(wrong());
            }
        }
        if keep < bytes {
            let records = walk(dir, number, keep, bytes)?.marks.len() as u64;
            let mut recovery = Recovery::default();
            let mut tail = Tail {
                dir,
                number,
                bytes,
                hint: None,
                recovery: &mut recovery,
            };
            tail.truncate(keep, records, "the crawl's ledger does not have it")?;
            cut.append(&mut recovery.cut);
        }
        if keep == 0 {
            remove(dir, Kind::Journal, number)?;
        }
        if last.is_some() {
            break;
        }
    }
    let is_ahead = |hint: Synced| hint.position > place;
    if !cut.is_empty() || Synced::read(dir).is_some_and(is_ahead) {
        let seq = last.map_or(0, |mark| mark.seq);
        let synced = Synced {
            position: place,
            seq,
        };
        let hint = crate::sync_hint::HintFile::open(dir, synced);
        hint.map_err(ArchiveError::write(dir))?;
    }
    Ok(cut)
}

/// Cuts torn tails in `dir`.
pub(crate) fn recover(dir: &Path) -> Result<(Recovery, End), ArchiveError> {
    let hint = Synced::read(dir);
    let mut recovery = Recovery::default();
    let mut end = End {
        journal: None,
        bodies: None,
        next_journal: 1,
        next_bodies: 1,
    };
    let last = recover_journal(dir, hint, &mut recovery, &mut end)?;
    let lost = hint.is_some_and(|hint| hint.position > recovery.position);
    if let Some(hint) = hint.filter(|_| lost) {
        recovery.damaged.push(Damage {
            file: Kind::Journal.file_name(hint.position.file()),
            offset: recovery.position.offset(),
            bytes: 0,
            why: format!(
                "the journal ends at {}, but had been synced up to {}",
                recovery.position, hint.position
            ),
        });
    }
    recovery.seq = last
        .map_or(0, |mark| mark.seq)
        .max(hint.map_or(0, |hint| hint.seq));
    // Only when no journal record is missing, bodies without one are superfluous.
    let is_complete = hint.is_some() && !lost;
    let was_empty = hint.is_some_and(|hint| hint.position == Position::START);
    let bodies_end = match last {
        Some(mark) => Some(mark.bodies),
        None => was_empty.then_some(Position::START),
    };
    cut_bodies(dir, bodies_end, is_complete, &mut recovery, &mut end)?;
    Ok((recovery, end))
}

/// Cuts the torn tail of the last journal file; gives the journal's last whole record.
fn recover_journal(
    dir: &Path,
    hint: Option<Synced>,
    recovery: &mut Recovery,
    end: &mut End,
) -> Result<Option<Mark>, ArchiveError> {
    let journals = Kind::Journal.list(dir)?;
    let Some((&number, earlier)) = journals.split_last() else {
        return Ok(None);
    };
    check_version(dir, number)?;
    let mut tail = Tail {
        dir,
        number,
        bytes: bytes_of(dir, Kind::Journal, number)?,
        hint,
        recovery,
    };
    let (bytes, mut last) = tail.cut()?;
    if bytes == 0 {
        remove(dir, Kind::Journal, number)?;
        end.next_journal = number;
        recovery.position = match earlier.last() {
            Some(&number) => Position::new(number, bytes_of(dir, Kind::Journal, number)?),
            None => Position::START,
        };
    } else {
        end.journal = Some(number);
        end.next_journal = number + 1;
        recovery.position = Position::new(number, bytes);
    }
    for &number in earlier.iter().rev() {
        if last.is_some() {
            break;
        }
        let bytes = bytes_of(dir, Kind::Journal, number)?;
        last = last_whole(dir, number, bytes)?;
    }
    Ok(last)
}

/// The end of the last journal file.
struct Tail<'r> {
    dir: &'r Path,
    number: u32,
    bytes: u64,
    hint: Option<Synced>,
    recovery: &'r mut Recovery,
}

impl Tail<'_> {
    /// Cuts what is torn; gives the file's length then, and its last whole record.
    fn cut(&mut self) -> Result<(u64, Option<Mark>), ArchiveError> {
        let (start, before, known) = self.start()?;
        let mut walk = walk(self.dir, self.number, start, self.bytes)?;
        let mut keep = self.bytes;
        let mut why = "";
        for &(offset, bytes, damage) in &walk.damage {
            let place = Position::new(self.number, offset);
            let was_synced = walk.marks.iter().any(|mark| mark.synced > place);
            if known && !was_synced {
                (keep, why) = (offset, damage);
                break;
            }
            self.damaged(offset, bytes, damage);
        }
        if let Some((offset, bytes, damage)) = walk.tail.filter(|tail| tail.0 < keep) {
            let place = Position::new(self.number, offset);
            let end = Position::new(self.number, self.bytes);
            match self.hint {
                Some(hint) if hint.position > place && hint.position <= end => {
                    self.damaged(offset, bytes, damage);
                }
                Some(_) | None => (keep, why) = (offset, damage),
            }
        }
        let whole = walk.marks.len();
        walk.marks.retain(|mark| mark.offset < keep);
        let mut records = (whole - walk.marks.len()) as u64;

        let bodiless = walk.marks.iter().find(|mark| self.lacks_body(mark));
        if let Some(mark) = bodiless.copied() {
            let cut = self::walk(self.dir, self.number, mark.offset, keep)?;
            records += cut.marks.len() as u64;
            (keep, why) = (mark.offset, "the body file is shorter than the record says");
        }
        if keep < self.bytes {
            self.truncate(keep, records, why)?;
        }
        let last = walk.marks.iter().rfind(|mark| mark.offset < keep).copied();
        let last = match last.or(before.filter(|mark| mark.offset < keep)) {
            Some(mark) => Some(mark),
            None => last_whole(self.dir, self.number, keep)?,
        };
        Ok((keep, last))
    }

    /// Where to begin reading; the last record before that place; and whether it is known that
    /// everything before it was synced and nothing after it.
    fn start(&self) -> Result<(u64, Option<Mark>, bool), ArchiveError> {
        let synced = match self.hint {
            Some(hint) if hint.position.file() < self.number => Some(0),
            Some(hint) if hint.position <= Position::new(self.number, self.bytes) => {
                Some(hint.position.offset())
            }
            Some(_) | None => None,
        };
        if synced == Some(0) {
            return Ok((0, None, true));
        }
        if let Some(offset) = synced {
            let before = last_whole(self.dir, self.number, offset)?;
            if before.is_some_and(|mark| mark.end == offset) {
                return Ok((offset, before, true));
            }
        }
        let last = last_whole(self.dir, self.number, self.bytes)?;
        let start = match last {
            Some(mark) if mark.synced.file() == self.number => mark.synced.offset(),
            Some(_) | None => 0,
        };
        let before = match start {
            0 => None,
            start => last_whole(self.dir, self.number, start)?,
        };
        Ok((start, before, false))
    }

    /// Whether the body file is shorter than this record says. Only the last body file can be torn.
    /// An earlier one that is gone or too short is damage, and its records stay.
    fn lacks_body(&self, mark: &Mark) -> bool {
        let files = Kind::Bodies.list(self.dir).unwrap_or_default();
        files.last() == Some(&mark.bodies.file())
            && bytes_of(self.dir, Kind::Bodies, mark.bodies.file())
                .is_ok_and(|bytes| bytes < mark.bodies.offset())
    }

    /// Reports damage in the file.
    fn damaged(&mut self, offset: u64, bytes: u64, why: &str) {
        self.recovery.damaged.push(Damage {
            file: Kind::Journal.file_name(self.number),
            offset,
            bytes,
            why: why.to_owned(),
        });
    }

    /// Cuts the file, and sets whole records aside if some are cut.
    fn truncate(&mut self, keep: u64, records: u64, why: &str) -> Result<(), ArchiveError> {
        let path = Kind::Journal.path(self.dir, self.number);
        let file_name = Kind::Journal.file_name(self.number);
        if records > 0 {
            let aside = self.dir.join(format!("{file_name}.cut-{keep}"));
            set_aside(&path, keep, &aside)?;
        }
        truncate(&path, keep)?;
        self.recovery.cut.push(Cut {
            file: file_name,
            offset: keep,
            bytes: self.bytes - keep,
            records,
            why: why.to_owned(),
        });
        Ok(())
    }
}

/// Cuts bodies that no record points at, and decides where bodies are written next. `bodies_end` is
/// where the body files ended for the last journal record; `is_complete`: no journal record is missing.
fn cut_bodies(
    dir: &Path,
    bodies_end: Option<Position>,
    is_complete: bool,
    recovery: &mut Recovery,
    end: &mut End,
) -> Result<(), ArchiveError> {
    let files = Kind::Bodies.list(dir)?;
    let Some(&last) = files.last() else {
        // A number whose file is gone is not used again: records tell of bodies in it.
        end.next_bodies = bodies_end.map_or(1, |end| {
            let was_used = u32::from(end.offset() > 0);
            (end.file() + was_used).max(1)
        });
        return Ok(());
    };
    end.next_bodies = last + 1;
    let Some(bodies_end) = bodies_end.filter(|_| is_complete) else {
        return Ok(());
    };
    end.next_bodies = bodies_end.file().max(1);
    for &number in files.iter().rev() {
        let keep = match number.cmp(&bodies_end.file()) {
            std::cmp::Ordering::Less => break,
            std::cmp::Ordering::Equal => bodies_end.offset(),
            std::cmp::Ordering::Greater => 0,
        };
        if cut_body_file(dir, number, keep, recovery)? {
            end.bodies = Some(number);
        } else if keep > 0 {
            end.next_bodies = last + 1;
        }
    }
    // The file that the last record points at is gone: its bodies are lost, and its number is not
    // used again.
    if end.bodies.is_none() && bodies_end.offset() > 0 && !files.contains(&bodies_end.file()) {
        end.next_bodies = last.max(bodies_end.file()) + 1;
    }
    Ok(())
}

/// Cuts a body file to `keep` bytes, and deletes it if that is none; whether it can be written on.
fn cut_body_file(
    dir: &Path,
    number: u32,
    keep: u64,
    recovery: &mut Recovery,
) -> Result<bool, ArchiveError> {
    let bytes = bytes_of(dir, Kind::Bodies, number)?;
    if keep > bytes {
        recovery.damaged.push(Damage {
            file: Kind::Bodies.file_name(number),
            offset: bytes,
            bytes: keep - bytes,
            why: "bodies are missing at the end of the file".to_owned(),
        });
        return Ok(false);
    }
    if keep < bytes {
        recovery.cut.push(Cut {
            file: Kind::Bodies.file_name(number),
            offset: keep,
            bytes: bytes - keep,
            records: 0,
            why: "no journal record points at these bodies".to_owned(),
        });
    }
    if keep == 0 {
        remove(dir, Kind::Bodies, number)?;
        return Ok(false);
    }
    if keep < bytes {
        truncate(&Kind::Bodies.path(dir, number), keep)?;
    }
    Ok(true)
}

/// The records and the damage in a stretch of a journal file.
#[derive(Debug, Default)]
struct Walk {
    marks: Vec<Mark>,
    damage: Vec<(u64, u64, &'static str)>,
    tail: Option<(u64, u64, &'static str)>,
}

/// Reads the records of a journal file from `start` to `end`.
fn walk(dir: &Path, number: u32, start: u64, end: u64) -> Result<Walk, ArchiveError> {
    let path = Kind::Journal.path(dir, number);
    let file = File::open(&path).map_err(ArchiveError::read(&path))?;
    let mut scanner = Scanner::new(file, start, end).map_err(ArchiveError::read(&path))?;
    let mut walk = Walk::default();
    let mut record = Vec::new();
    loop {
        match scanner
            .step(&mut record)
            .map_err(ArchiveError::read(&path))?
        {
            Step::Member { offset, bytes } => {
                walk.marks.extend(mark(&record, offset, bytes));
            }
            Step::Damage { offset, bytes, why } => walk.damage.push((offset, bytes, why)),
            Step::Tail { offset, bytes, why } => {
                walk.tail = Some((offset, bytes, why));
                return Ok(walk);
            }
            Step::End => return Ok(walk),
        }
    }
}

/// The mark of a record; `None` for a record that is not of the journal.
fn mark(record: &[u8], offset: u64, bytes: u64) -> Option<Mark> {
    let parsed = Parsed::new(record)?;
    if parsed.warc_type() != "metadata" {
        return None;
    }
    Some(Mark {
        offset,
        end: offset + bytes,
        synced: parsed.position("Tamis-Synced").unwrap_or_default(),
        bodies: parsed.position("Tamis-Bodies").unwrap_or_default(),
        seq: Head::read(parsed.block).map_or(0, |head| head.seq),
    })
}

/// The last whole record that ends at or before `end`, searched from the end.
fn last_whole(dir: &Path, number: u32, end: u64) -> Result<Option<Mark>, ArchiveError> {
    for window in WINDOWS_BYTES {
        let start = end.saturating_sub(window);
        let found = walk(dir, number, start, end)?.marks.pop();
        if found.is_some() || start == 0 {
            return Ok(found);
        }
    }
    Ok(None)
}

/// Where the last whole record at or before `end` ends.
pub(crate) fn last_whole_end(
    dir: &Path,
    number: u32,
    end: u64,
) -> Result<Option<u64>, ArchiveError> {
    Ok(last_whole(dir, number, end)?.map(|mark| mark.end))
}

/// Refuses a journal that a newer Tamis wrote. Its version is in the warcinfo at the file's beginning.
pub(crate) fn check_version(dir: &Path, number: u32) -> Result<(), ArchiveError> {
    let path = Kind::Journal.path(dir, number);
    let file = File::open(&path).map_err(ArchiveError::read(&path))?;
    let mut scanner = Scanner::new(file, 0, 64 << 10).map_err(ArchiveError::read(&path))?;
    let mut record = Vec::new();
    let Ok(Step::Member { .. }) = scanner.step(&mut record) else {
        return Ok(());
    };
    check_warcinfo(&record)
}

/// Refuses a warcinfo that names a newer journal.
pub(crate) fn check_warcinfo(record: &[u8]) -> Result<(), ArchiveError> {
    let Some(info) = Parsed::new(record).filter(|parsed| parsed.warc_type() == "warcinfo") else {
        return Ok(());
    };
    let found = String::from_utf8_lossy(info.block)
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| *name == VERSION_KEY)
        .and_then(|(_, value)| value.trim().parse().ok())
        .unwrap_or(0);
    if found > JOURNAL_VERSION {
        return Err(ArchiveError::NewerJournal {
            found,
            known: JOURNAL_VERSION,
        });
    }
    Ok(())
}

fn bytes_of(dir: &Path, kind: Kind, number: u32) -> Result<u64, ArchiveError> {
    Ok(file_bytes(&kind.path(dir, number))?.unwrap_or(0))
}

fn truncate(path: &Path, bytes: u64) -> Result<(), ArchiveError> {
    let file = File::options()
        .write(true)
        .open(path)
        .map_err(ArchiveError::write(path))?;
    file.set_len(bytes).map_err(ArchiveError::write(path))?;
    file.sync_all().map_err(ArchiveError::write(path))
}

fn remove(dir: &Path, kind: Kind, number: u32) -> Result<(), ArchiveError> {
    let path = kind.path(dir, number);
    fs::remove_file(&path).map_err(ArchiveError::write(&path))?;
    layout::sync_dir(dir).map_err(ArchiveError::write(dir))
}

fn set_aside(path: &Path, from: u64, aside: &Path) -> Result<(), ArchiveError> {
    use std::io::{Seek, SeekFrom};
    let mut file = File::open(path).map_err(ArchiveError::read(path))?;
    file.seek(SeekFrom::Start(from))
        .map_err(ArchiveError::read(path))?;
    let mut copy = File::create(aside).map_err(ArchiveError::write(aside))?;
    std::io::copy(&mut file, &mut copy).map_err(ArchiveError::write(aside))?;
    copy.sync_all().map_err(ArchiveError::write(aside))
}
