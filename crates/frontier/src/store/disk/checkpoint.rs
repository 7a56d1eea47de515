//! The checkpoint: what was in memory at a moment, and which files belong to it.
//!
//! It is made in memory, written beside the one before, and takes its place when it is on the disk, with
//! all files that it names (see `saving`). So there is always one whole checkpoint, and what was applied after it stands in
//! the log from its `tail` on.
//!
//! ```text
//! checkpoint = mark (16 bytes), parts, checksum of all before (8)
//! part       = length (4 bytes), postcard
//! ```

use std::fs::File;
use std::io::{BufReader, Read, Write};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

use super::files::{Dir, SLOT_BYTES, number_at, read_slot, write_slot};
use super::log::SegmentRows;
use super::queues::{Part as QueuePart, SlotKey};
use super::row::PendingRow;
use crate::host::HostKey;
use crate::lease::HeldBack;
use crate::store::{QueueSlot, Saved, SavedHost, SavedTotals, SavedUrl, StoreError, Waiting};

const NAME: &str = "checkpoint";
const NEW_NAME: &str = "checkpoint.new";
/// Marks the format, which is that of the whole store.
const MARK: &[u8; 16] = b"tamis frontier 2";
/// Slots in one part.
const SLOTS_MAX: usize = 4_096;
/// Bytes of a checkpoint in one piece while it is in memory.
const PIECE_BYTES: usize = 1 << 20;
/// Bytes of a retry: its time and its slot.
const RETRY_BYTES: usize = 8 + SLOT_BYTES;

/// Which files belong to a checkpoint, and where the log goes on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Files {
    pub(super) position: u64,
    /// The place of the first row that was applied after it.
    pub(super) tail: u64,
    pub(super) segments: Vec<SegmentRows>,
    pub(super) keys: Vec<u32>,
    pub(super) slots: Vec<u32>,
    pub(super) forgotten: Vec<(SlotKey, u32)>,
}

#[derive(Serialize, Deserialize)]
enum Part<'a> {
    Files(Files),
    Totals(SavedTotals),
    Host {
        host: &'a str,
        admitted: u64,
        spilled: u64,
        spilled_from: Option<SlotKey>,
        parts: Vec<QueuePart>,
    },
    /// Slots of the last host.
    Ready(&'a [u8]),
    /// The same with their times.
    Retries(&'a [u8]),
    Url {
        key: u128,
        #[serde(borrow)]
        row: PendingRow<'a>,
        /// 0 for not held back, 1 for until others are done, 2 for to the last.
        held: u8,
        changed: bool,
    },
    End,
}

/// Whether there is a checkpoint, if only one that cannot be read.
pub(super) fn exists(dir: &Dir) -> bool {
    dir.named(NAME).exists()
}

/// A checkpoint in memory.
#[derive(Debug)]
pub(super) struct Made {
    pieces: Vec<Vec<u8>>,
    pub(super) size: u64,
}

/// Makes a checkpoint.
pub(super) fn make(
    dir: &Dir,
    files: Files,
    memory: &mut dyn Iterator<Item = Saved>,
    parts_of: impl Fn(u32) -> Vec<QueuePart>,
) -> Result<Made, StoreError> {
    let failed = |error: std::io::Error| dir.error("write to", &error);
    let mut to = Writer::default();
    to.write(MARK);
    to.part(&Part::Files(files)).map_err(failed)?;
    let mut host_id = 0;
    for saved in memory {
        let written = match saved {
            Saved::Totals(totals) => to.part(&Part::Totals(totals)),
            Saved::Host(host) => {
                let parts = parts_of(host_id);
                host_id += 1;
                to.host(&host, parts)
            }
            Saved::Url(url) => to.part(&Part::Url {
                key: url.key,
                row: PendingRow::of(&url.waiting),
                held: held_number(url.held),
                changed: url.changed,
            }),
        };
        written.map_err(failed)?;
    }
    to.part(&Part::End).map_err(failed)?;
    let (size, sum) = (to.size, to.hash.digest());
    to.write(&sum.to_le_bytes());
    Ok(Made {
        pieces: to.pieces,
        size,
    })
}

impl Made {
    /// Writes it, and lets it take the place of the one before once it is on the disk.
    pub(super) fn install(self, dir: &Dir) -> Result<(), StoreError> {
        let failed = |error: std::io::Error| dir.error("write to", &error);
        let mut file = File::create(dir.named(NEW_NAME)).map_err(failed)?;
        for piece in self.pieces {
            file.write_all(&piece).map_err(failed)?;
        }
        file.sync_data().map_err(failed)?;
        std::fs::rename(dir.named(NEW_NAME), dir.named(NAME)).map_err(failed)?;
        dir.sync()
    }
}

#[derive(Default)]
struct Writer {
    pieces: Vec<Vec<u8>>,
    hash: Xxh3,
    size: u64,
    bytes: Vec<u8>,
}

impl Writer {
    fn write(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        let has_room = |last: &&mut Vec<u8>| last.len() + bytes.len() <= PIECE_BYTES;
        match self.pieces.last_mut().filter(has_room) {
            Some(last) => last.extend(bytes),
            None => {
                let mut piece = Vec::with_capacity(PIECE_BYTES.max(bytes.len()));
                piece.extend(bytes);
                self.pieces.push(piece);
            }
        }
    }

    fn part(&mut self, part: &Part<'_>) -> std::io::Result<()> {
        let bytes = postcard::to_extend(part, std::mem::take(&mut self.bytes));
        let mut bytes = bytes.map_err(std::io::Error::other)?;
        self.write(&(bytes.len() as u32).to_le_bytes());
        self.write(&bytes);
        bytes.clear();
        self.bytes = bytes;
        Ok(())
    }

    fn host(&mut self, host: &SavedHost, parts: Vec<QueuePart>) -> std::io::Result<()> {
        self.part(&Part::Host {
            host: host.host.as_str(),
            admitted: host.admitted,
            spilled: host.spilled,
            spilled_from: host.spilled_from.as_ref().map(SlotKey::from),
            parts,
        })?;
        let mut bytes = Vec::new();
        for slots in host.ready.chunks(SLOTS_MAX) {
            bytes.clear();
            slots.iter().for_each(|slot| write_slot(&mut bytes, slot));
            self.part(&Part::Ready(&bytes))?;
        }
        for retries in host.retries.chunks(SLOTS_MAX) {
            bytes.clear();
            for (at_ms, slot) in retries {
                bytes.extend(at_ms.to_le_bytes());
                write_slot(&mut bytes, slot);
            }
            self.part(&Part::Retries(&bytes))?;
        }
        Ok(())
    }
}

/// A checkpoint that is being read.
pub(super) struct Reader<'d> {
    dir: &'d Dir,
    from: BufReader<File>,
    hash: Xxh3,
    size: u64,
}

impl<'d> Reader<'d> {
    /// The checkpoint's files; what was in memory comes next, with [`Reader::memory`].
    pub(super) fn open(dir: &'d Dir) -> Result<(Reader<'d>, Files), StoreError> {
        let file = File::open(dir.named(NAME)).map_err(|error| dir.error("read from", &error))?;
        let mut reader = Reader {
            dir,
            from: BufReader::with_capacity(1 << 18, file),
            hash: Xxh3::new(),
            size: 0,
        };
        let mut mark = [0; MARK.len()];
        reader.read(&mut mark)?;
        if mark != *MARK {
            return Err(dir.damaged(super::OTHER_FORMAT));
        }
        let mut bytes = Vec::new();
        reader.read_part(&mut bytes)?;
        let Part::Files(files) = reader.parsed(&bytes)? else {
            return Err(reader.damaged());
        };
        Ok((reader, files))
    }

    fn damaged(&self) -> StoreError {
        self.dir.damaged("its checkpoint cannot be read")
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<(), StoreError> {
        let read = self.from.read_exact(bytes);
        read.map_err(|error| self.dir.error("read from", &error))?;
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    fn read_part(&mut self, bytes: &mut Vec<u8>) -> Result<(), StoreError> {
        let mut len = [0; 4];
        self.read(&mut len)?;
        let len = u32::from_le_bytes(len) as usize;
        bytes.clear();
        // A damaged length does not ask for all memory at once.
        while bytes.len() < len {
            let from = bytes.len();
            bytes.resize(len.min(from + (1 << 20)), 0);
            self.read(&mut bytes[from..])?;
        }
        Ok(())
    }

    fn parsed<'b>(&self, bytes: &'b [u8]) -> Result<Part<'b>, StoreError> {
        postcard::from_bytes(bytes).map_err(|_| self.damaged())
    }

    /// Gives what was in memory to `take`, and of each host by its number the parts of its queue
    /// that are spilled to `take_parts`. Gives the checkpoint's size.
    pub(super) fn memory(
        mut self,
        take: &mut dyn FnMut(Saved) -> Result<(), StoreError>,
        mut take_parts: impl FnMut(u32, Vec<QueuePart>) -> Result<(), StoreError>,
    ) -> Result<u64, StoreError> {
        let (mut bytes, mut host, mut host_id) = (Vec::new(), None::<SavedHost>, 0);
        loop {
            self.read_part(&mut bytes)?;
            let part = self.parsed(&bytes)?;
            if !matches!(part, Part::Ready(_) | Part::Retries(_))
                && let Some(host) = host.take()
            {
                take(Saved::Host(host))?;
            }
            match part {
                Part::Files(_) => return Err(self.damaged()),
                Part::Totals(totals) => take(Saved::Totals(totals))?,
                Part::Host {
                    host: name,
                    admitted,
                    spilled,
                    spilled_from,
                    parts,
                } => {
                    take_parts(host_id, parts)?;
                    host_id += 1;
                    host = Some(SavedHost {
                        host: HostKey::from_record(name),
                        admitted,
                        ready: Vec::new(),
                        retries: Vec::new(),
                        spilled,
                        spilled_from: spilled_from.map(SlotKey::slot),
                    });
                }
                Part::Ready(slots) => {
                    let host = host.as_mut().ok_or_else(|| self.damaged())?;
                    host.ready.extend(slots.as_chunks().0.iter().map(read_slot));
                }
                Part::Retries(retries) => {
                    let host = host.as_mut().ok_or_else(|| self.damaged())?;
                    host.retries
                        .extend(retries.as_chunks().0.iter().map(read_retry));
                }
                Part::Url {
                    key,
                    row,
                    held,
                    changed,
                } => {
                    let waiting: Waiting = row.waiting().ok_or_else(|| self.damaged())?;
                    take(Saved::Url(Box::new(SavedUrl {
                        key,
                        waiting,
                        held: held_of(held),
                        changed,
                    })))?;
                }
                Part::End => return self.checked_end(),
            }
        }
    }

    fn checked_end(mut self) -> Result<u64, StoreError> {
        let (digest, size) = (self.hash.digest(), self.size);
        let mut sum = [0; 8];
        self.read(&mut sum)?;
        if digest.to_le_bytes() != sum {
            return Err(self.damaged());
        }
        Ok(size)
    }
}

fn held_number(held: Option<HeldBack>) -> u8 {
    match held {
        None => 0,
        Some(HeldBack::UntilOthersAreDone) => 1,
        Some(HeldBack::ToTheLast) => 2,
    }
}

fn held_of(number: u8) -> Option<HeldBack> {
    match number {
        1 => Some(HeldBack::UntilOthersAreDone),
        2 => Some(HeldBack::ToTheLast),
        _ => None,
    }
}

fn read_retry(bytes: &[u8; RETRY_BYTES]) -> (u64, QueueSlot) {
    let slot = bytes.last_chunk().map(read_slot);
    let at_ms = number_at(bytes, 0).unwrap_or_default();
    // A retry is longer than its slot.
    let none = QueueSlot {
        priority: 0.0,
        depth: 0,
        order: 0,
        key: 0,
    };
    (at_ms, slot.unwrap_or(none))
}
