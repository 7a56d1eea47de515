//! Reads the journal in order, from any position on. Every view is built from it.
//!
//! There are two forms. [`Replay`] gives whole [`Record`]s. [`RawReplay`] lends each record's JSON from a
//! buffer that is used again: a reader that needs three fields parses these alone. Both skip damage and
//! give it as a value, so that no caller overlooks it. Both end at a record that another process is just
//! writing.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::error::Damage;
use crate::layout::{Kind, file_bytes};
use crate::record::{Event, JOURNAL_VERSION, Record};
use crate::recover::{check_warcinfo, last_whole_end};
use crate::scan::{Scanner, Step};
use crate::sync_hint::Synced;
use crate::warc::Parsed;
use crate::{ArchiveError, Position};

/// What replay meets.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all are records, one at a time; a box would be an allocation for each"
)]
pub enum Replayed {
    /// A record.
    Record {
        /// The position after it: what a view that has applied it remembers.
        position: Position,
        /// The record.
        record: Record,
    },
    /// Bytes without a readable record. Replay goes on after them.
    Damage(Damage),
}

/// What raw replay meets.
#[derive(Debug)]
pub enum RawReplayed<'r> {
    /// A record's JSON.
    Record {
        /// The position after it.
        position: Position,
        /// The record as it was written; see [`Record::from_json`] and [`crate::Head`].
        json: &'r [u8],
    },
    /// Bytes without a readable record.
    Damage(Damage),
}

/// Whole records in order; see [`replay`].
#[derive(Debug)]
pub struct Replay {
    raw: RawReplay,
    has_bare_links: bool,
}

/// Records' JSON in order; see [`replay_raw`].
#[derive(Debug)]
pub struct RawReplay {
    dir: PathBuf,
    /// Numbers of the files still to be read, the last one first.
    files: Vec<u32>,
    open: Option<OpenFile>,
    position: Position,
    synced: Position,
    record: Vec<u8>,
    /// Where its block is.
    block: Range<usize>,
    ended: bool,
}

#[derive(Debug)]
struct OpenFile {
    number: u32,
    path: PathBuf,
    scanner: Scanner,
}

/// Reads the journal in `dir` (the archive's own directory) from a position on.
///
/// # Errors
/// [`ArchiveError::Ahead`] when the journal does not reach `from`: the asker's view must be
/// rebuilt from [`Position::START`].
pub fn replay(dir: &Path, from: Position) -> Result<Replay, ArchiveError> {
    Ok(Replay {
        raw: replay_raw(dir, from)?,
        has_bare_links: false,
    })
}

/// Like [`replay`], without reading the JSON.
///
/// # Errors
/// As [`replay`].
pub fn replay_raw(dir: &Path, from: Position) -> Result<RawReplay, ArchiveError> {
    let mut files = Kind::Journal.list(dir)?;
    let end = end_of(dir, &files)?;
    if from > end || from.offset() > bytes_of(dir, from.file())? && files.contains(&from.file()) {
        return Err(ArchiveError::Ahead {
            position: from,
            end,
        });
    }
    files.retain(|&number| number >= from.file());
    files.reverse();
    Ok(RawReplay {
        dir: dir.to_owned(),
        files,
        open: None,
        position: from,
        synced: Synced::read(dir).unwrap_or_default().position,
        record: Vec::new(),
        block: 0..0,
        ended: false,
    })
}

/// Where the journal in `dir` ends: after its last whole record. What a crash left half written
/// behind it does not count, whether or not it has been cut yet.
///
/// # Errors
/// When the directory cannot be read.
pub fn end(dir: &Path) -> Result<Position, ArchiveError> {
    let files = Kind::Journal.list(dir)?;
    let synced = Synced::read(dir).unwrap_or_default().position;
    for &number in files.iter().rev() {
        let bytes = bytes_of(dir, number)?;
        let whole = last_whole_end(dir, number, bytes)?.map(|end| Position::new(number, end));
        // A damaged last record that had been synced is part of the journal.
        let synced = (synced.file() == number && synced.offset() <= bytes).then_some(synced);
        if let Some(end) = whole.max(synced) {
            return Ok(end);
        }
    }
    Ok(Position::START)
}

/// Syncs the journal file in `dir` that holds this position, and with it what a process that was killed
/// wrote there. Files before it were synced when they were full.
///
/// # Errors
/// When it cannot be synced.
pub fn make_durable(dir: &Path, position: Position) -> Result<(), ArchiveError> {
    let path = Kind::Journal.path(dir, position.file());
    let file = File::open(&path).map_err(ArchiveError::read(&path))?;
    file.sync_data().map_err(ArchiveError::write(&path))
}

fn end_of(dir: &Path, files: &[u32]) -> Result<Position, ArchiveError> {
    match files.last() {
        Some(&number) => Ok(Position::new(number, bytes_of(dir, number)?)),
        None => Ok(Position::START),
    }
}

fn bytes_of(dir: &Path, number: u32) -> Result<u64, ArchiveError> {
    Ok(file_bytes(&Kind::Journal.path(dir, number))?.unwrap_or(0))
}

impl RawReplay {
    /// The next record or damage; `None` at the end. The JSON is lent until the next call.
    ///
    /// # Errors
    /// When a file cannot be read, or a newer Tamis wrote it. Nothing follows an error.
    pub fn next_raw(&mut self) -> Option<Result<RawReplayed<'_>, ArchiveError>> {
        loop {
            if self.ended {
                return None;
            }
            match self.advance() {
                Ok(Some(Found::Record)) => break,
                Ok(Some(Found::Damage(damage))) => return Some(Ok(RawReplayed::Damage(damage))),
                Ok(Some(Found::Other)) => {}
                Ok(None) => {
                    self.ended = true;
                    return None;
                }
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error));
                }
            }
        }
        Some(Ok(RawReplayed::Record {
            position: self.position,
            json: &self.record[self.block.clone()],
        }))
    }

    /// The position after what has been met so far.
    pub fn position(&self) -> Position {
        self.position
    }

    fn advance(&mut self) -> Result<Option<Found>, ArchiveError> {
        let Some(open) = &mut self.open else {
            return self.open_next();
        };
        let step = open
            .scanner
            .step(&mut self.record)
            .map_err(ArchiveError::read(&open.path))?;
        let number = open.number;
        let damage = |offset, bytes, why: &str| {
            Found::Damage(Damage {
                file: Kind::Journal.file_name(number),
                offset,
                bytes,
                why: why.to_owned(),
            })
        };
        match step {
            Step::Member { offset, bytes } => {
                self.position = Position::new(number, offset + bytes);
                let parsed = Parsed::new(&self.record);
                self.block = parsed.map_or(0..0, |parsed| parsed.block_in(&self.record));
                match parsed.map(|parsed| parsed.warc_type()) {
                    Some("metadata") => Ok(Some(Found::Record)),
                    Some("warcinfo") => {
                        check_warcinfo(&self.record)?;
                        Ok(Some(Found::Other))
                    }
                    Some(_) | None => Ok(Some(Found::Other)),
                }
            }
            Step::Damage { offset, bytes, why } => {
                self.position = Position::new(number, offset + bytes);
                Ok(Some(damage(offset, bytes, why)))
            }
            Step::Tail { offset, bytes, why } => {
                self.open = None;
                // In the last file this is a write in progress, or one that a crash broke off,
                // unless it is known to have been whole.
                let was_synced = self.synced > Position::new(number, offset);
                if self.files.is_empty() && !was_synced {
                    return Ok(None);
                }
                self.position = Position::new(number, offset + bytes);
                Ok(Some(damage(offset, bytes, why)))
            }
            Step::End => {
                self.open = None;
                Ok(Some(Found::Other))
            }
        }
    }

    fn open_next(&mut self) -> Result<Option<Found>, ArchiveError> {
        let Some(number) = self.files.pop() else {
            return Ok(None);
        };
        let before = self.position.file();
        let offset = if before == number {
            self.position.offset()
        } else {
            0
        };
        let path = Kind::Journal.path(&self.dir, number);
        let file = File::open(&path).map_err(ArchiveError::read(&path))?;
        let scanner = Scanner::new(file, offset, u64::MAX).map_err(ArchiveError::read(&path))?;
        self.open = Some(OpenFile {
            number,
            path,
            scanner,
        });
        self.position = Position::new(number, offset);
        if number > before + 1 {
            return Ok(Some(Found::Damage(Damage {
                file: Kind::Journal.file_name(before + 1),
                offset: 0,
                bytes: 0,
                why: "the file is missing".to_owned(),
            })));
        }
        Ok(Some(Found::Other))
    }
}

enum Found {
    Record,
    Damage(Damage),
    Other,
}

impl Iterator for Replay {
    type Item = Result<Replayed, ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        let before = self.raw.position();
        let replayed = match self.raw.next_raw()? {
            Ok(RawReplayed::Record { position, json }) => {
                let record = match self.has_bare_links {
                    true => Record::from_json_with_bare_links(json),
                    false => Record::from_json(json),
                };
                checked(before, position, record)
            }
            Ok(RawReplayed::Damage(damage)) => Ok(Replayed::Damage(damage)),
            Err(error) => Err(error),
        };
        self.raw.ended |= replayed.is_err();
        Some(replayed)
    }
}

impl Replay {
    /// The same, with links that lack anchor, context and `rel`, but for that of sources and redirects. For who
    /// counts links or follows them that is a third less work.
    #[must_use]
    pub fn with_bare_links(self) -> Self {
        Self {
            has_bare_links: true,
            ..self
        }
    }

    /// The position after what has been met so far.
    pub fn position(&self) -> Position {
        self.raw.position()
    }
}

/// What was read of the bytes between two positions.
fn checked(
    before: Position,
    position: Position,
    read: Result<Record, serde_json::Error>,
) -> Result<Replayed, ArchiveError> {
    let record = match read {
        Ok(record) => record,
        Err(error) => {
            return Ok(Replayed::Damage(Damage {
                file: Kind::Journal.file_name(position.file()),
                offset: before.offset(),
                bytes: position.offset().saturating_sub(before.offset()),
                why: format!("the record is not one of ours: {error}"),
            }));
        }
    };
    match &record.event {
        Event::Start(start) if start.journal > JOURNAL_VERSION => Err(ArchiveError::NewerJournal {
            found: start.journal,
            known: JOURNAL_VERSION,
        }),
        _ => Ok(Replayed::Record { position, record }),
    }
}
