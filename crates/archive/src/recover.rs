//! What the last process left: torn tails are cut, damage is kept and reported.
//!
//! ```text
//!  journal   ───whole records───┬──group being written──┐
//!                            synced                   torn
//!               a hole here is damage:      a hole here was never acknowledged:
//!               its record alone is lost    cut from the hole on
//! ```
//!
//! Only the end of the last file of each kind is read: earlier files were synced before the next
//! one was made, and damage in the middle is met, skipped and counted by replay. Where the
//! journal ends tells where the body files end (`Tamis-Bodies`); what lies beyond belongs to no
//! record. A journal record whose body is *not* there, because the body file is shorter, counts
//! as torn too: its URL is fetched again. Whole records that are cut are set aside in a file
//! `….cut-OFFSET`, since a backup may still have their bodies.

use std::fs::{self, File};
use std::path::Path;

use crate::error::Damage;
use crate::hint::Synced;
use crate::json::Head;
use crate::layout::{self, Kind, file_bytes};
use crate::record::JOURNAL_VERSION;
use crate::scan::{Scanner, Step};
use crate::warc::Parsed;
use crate::{ArchiveError, Position};

/// The warcinfo field that holds [`JOURNAL_VERSION`].
pub(crate) const VERSION_KEY: &str = "tamis-journal-version";

/// Windows of a journal's end in which we look for its last whole record.
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
    /// Damage near the end of the journal. What is further in front is found by replay.
    pub damaged: Vec<Damage>,
    /// Where the journal ends.
    pub position: Position,
    /// The number of the last record, 0 for none.
    pub seq: u64,
}

/// Where writing goes on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) journal: Option<u32>,
    pub(crate) bodies: Option<u32>,
    pub(crate) next_journal: u32,
    pub(crate) next_bodies: u32,
}

/// What a journal record says about the state around it.
#[derive(Debug, Clone, Copy)]
struct Mark {
    offset: u64,
    end: u64,
    synced: Position,
    bodies: Position,
    seq: u64,
}

/// Cuts torn tails in `dir`.
pub(crate) fn recover(dir: &Path) -> Result<(Recovery, End), ArchiveError> {
    let hint = Synced::read(dir);
    let mut recovery = Recovery::default();
    let journals = Kind::Journal.list(dir)?;
    let mut last_mark = None;
    let mut end = End {
        journal: None,
        bodies: None,
        next_journal: journals.last().map_or(1, |last| last + 1),
        next_bodies: 1,
    };
    if let Some((&number, earlier)) = journals.split_last() {
        check_version(dir, number)?;
        let mut tail = Tail {
            dir,
            number,
            bytes: bytes_of(dir, Kind::Journal, number)?,
            hint,
            recovery: &mut recovery,
        };
        let (bytes, mark) = tail.cut()?;
        last_mark = mark;
        if bytes == 0 {
            remove(dir, Kind::Journal, number)?;
            end.next_journal = number;
            recovery.position = match earlier.last() {
                Some(&number) => Position::new(number, bytes_of(dir, Kind::Journal, number)?),
                None => Position::START,
            };
        } else {
            end.journal = Some(number);
            recovery.position = Position::new(number, bytes);
        }
        for &number in earlier.iter().rev() {
            if last_mark.is_some() {
                break;
            }
            let bytes = bytes_of(dir, Kind::Journal, number)?;
            last_mark = last_whole(dir, number, bytes)?;
        }
    }
    let lost = hint.is_some_and(|hint| hint.position > recovery.position);
    if let Some(hint) = hint.filter(|_| lost) {
        let file = Kind::Journal.file_name(hint.position.file());
        recovery.damaged.push(Damage {
            file,
            offset: recovery.position.offset(),
            bytes: 0,
            why: format!(
                "the journal ends at {}, but had been synced up to {}",
                recovery.position, hint.position
            ),
        });
    }
    recovery.seq = last_mark
        .map_or(0, |mark: Mark| mark.seq)
        .max(hint.map_or(0, |hint| hint.seq));
    // Only who knows that nothing is missing may call what is left over superfluous.
    let complete = hint.is_some() && !lost;
    let committed = match last_mark {
        Some(mark) => Some(mark.bodies),
        None => hint
            .filter(|hint| hint.position == Position::START)
            .map(|_| Position::START),
    };
    cut_bodies(dir, committed, complete, &mut recovery, &mut end)?;
    Ok((recovery, end))
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
    /// Cuts what is torn; gives the file's length and its last record.
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

        let bodiless = if before.is_some_and(|mark| self.lacks_body(&mark)) {
            let all = self::walk(self.dir, self.number, 0, keep)?;
            all.marks.into_iter().find(|mark| self.lacks_body(mark))
        } else {
            walk.marks
                .iter()
                .find(|mark| self.lacks_body(mark))
                .copied()
        };
        if let Some(mark) = bodiless {
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

    /// Where to begin, the last record before it, and whether all before it is known to have
    /// been synced and nothing after it.
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

    /// Whether the body file ends before this record's bodies do. Only the last body file can be
    /// torn; one that is gone or shorter in the middle is damage, and its records stay.
    fn lacks_body(&self, mark: &Mark) -> bool {
        let files = Kind::Bodies.list(self.dir).unwrap_or_default();
        files.last() == Some(&mark.bodies.file())
            && bytes_of(self.dir, Kind::Bodies, mark.bodies.file())
                .is_ok_and(|bytes| bytes < mark.bodies.offset())
    }

    fn damaged(&mut self, offset: u64, bytes: u64, why: &str) {
        self.recovery.damaged.push(Damage {
            file: Kind::Journal.file_name(self.number),
            offset,
            bytes,
            why: why.to_owned(),
        });
    }

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

/// Cuts bodies that no record points at, and decides where bodies go on.
fn cut_bodies(
    dir: &Path,
    committed: Option<Position>,
    complete: bool,
    recovery: &mut Recovery,
    end: &mut End,
) -> Result<(), ArchiveError> {
    let files = Kind::Bodies.list(dir)?;
    let Some(&last) = files.last() else {
        end.next_bodies = committed.map_or(1, |committed| committed.file().max(1));
        return Ok(());
    };
    end.next_bodies = last + 1;
    let Some(committed) = committed.filter(|_| complete) else {
        return Ok(());
    };
    end.next_bodies = committed.file().max(1);
    for &number in files.iter().rev() {
        let bytes = bytes_of(dir, Kind::Bodies, number)?;
        let keep = match number.cmp(&committed.file()) {
            std::cmp::Ordering::Less => break,
            std::cmp::Ordering::Equal => committed.offset(),
            std::cmp::Ordering::Greater => 0,
        };
        if keep < bytes {
            recovery.cut.push(Cut {
                file: Kind::Bodies.file_name(number),
                offset: keep,
                bytes: bytes - keep,
                records: 0,
                why: "no journal record points at these bodies".to_owned(),
            });
        }
        match keep {
            0 => remove(dir, Kind::Bodies, number)?,
            _ if keep < bytes => {
                truncate(&Kind::Bodies.path(dir, number), keep)?;
                end.bodies = Some(number);
            }
            _ if keep == bytes => end.bodies = Some(number),
            _ => {
                recovery.damaged.push(Damage {
                    file: Kind::Bodies.file_name(number),
                    offset: bytes,
                    bytes: keep - bytes,
                    why: "bodies are missing at the end of the file".to_owned(),
                });
                end.next_bodies = last + 1;
            }
        }
    }
    // A committed file that is gone: its number is not used again, its records' bodies are lost.
    if end.bodies.is_none() && committed.offset() > 0 && !files.contains(&committed.file()) {
        end.next_bodies = last.max(committed.file()) + 1;
    }
    Ok(())
}

/// A stretch of a journal file.
#[derive(Debug, Default)]
struct Walk {
    marks: Vec<Mark>,
    damage: Vec<(u64, u64, &'static str)>,
    tail: Option<(u64, u64, &'static str)>,
}

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

/// The last whole record that ends at or before `end`, looked for from the end.
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

/// Refuses a journal that a newer Tamis wrote, by the warcinfo at the file's beginning.
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
