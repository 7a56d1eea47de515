//! The log: a row for each change of a URL, in the order in which they were written.
//!
//! ```text
//! 00000001.urls  00000002.urls  ...       segments, each row written once, at the end of the last
//! row = length (4 bytes), checksum (8), postcard
//! ```
//!
//! The rows of one `apply` end with a row of the position. What follows the last such row was cut
//! short by a crash, and is cut off when the log is opened. A segment counts its rows that still say
//! how a URL waits. One without any is removed; of one with few they are written again at the end,
//! so that the log never grows far beyond what waits.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::files::{Dir, Kind, checksum};
use crate::store::StoreError;

/// A segment that is longer gets no further rows.
const SEGMENT_BYTES: u64 = 64 << 20;
/// Bytes before a row.
const HEADER: usize = 12;
/// Read at once for one row: few rows are longer.
const GUESS: usize = 512;
/// A segment is rewritten when at most one in so many of its rows is still of use.
const REWRITE_SHARE: u64 = 3;

/// Where a row is: segment and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) segment: u32,
    pub(super) offset: u32,
}

impl Place {
    pub(super) fn to_number(self) -> u64 {
        u64::from(self.segment) << 32 | u64::from(self.offset)
    }

    pub(super) fn from_number(number: u64) -> Place {
        Place {
            segment: (number >> 32) as u32,
            offset: number as u32,
        }
    }
}

#[derive(Debug)]
struct Segment {
    file: Arc<File>,
    len: u64,
    /// Rows of URLs that wait, when they were written.
    rows: u64,
    /// Those of them that no later row has replaced.
    live: u64,
}

/// The log.
#[derive(Debug)]
pub(super) struct Log {
    dir: Arc<Dir>,
    segments: BTreeMap<u32, Segment>,
    pub(super) segment_bytes: u64,
    /// Rows that are not written yet.
    batch: Vec<u8>,
}

/// How many rows a segment has, and how many of them are of use.
pub(super) type SegmentRows = (u32, u64, u64);

impl Log {
    /// The log as it was when these segments were noted, and what was written since.
    pub(super) fn open(dir: &Arc<Dir>, noted: &[SegmentRows]) -> Result<Log, StoreError> {
        let mut log = Log {
            dir: Arc::clone(dir),
            segments: BTreeMap::new(),
            segment_bytes: SEGMENT_BYTES,
            batch: Vec::new(),
        };
        for &(number, rows, live) in noted {
            let file = dir.open(Kind::Urls, number)?;
            log.add(number, file, rows, live)?;
        }
        let newest = log.segments.keys().last().copied().unwrap_or(0);
        for (kind, number) in dir.all_numbered()? {
            if kind == Kind::Urls && number > newest {
                log.add(number, dir.open(kind, number)?, 0, 0)?;
            } else if kind == Kind::Urls && !log.segments.contains_key(&number) {
                dir.remove(kind, number);
            }
        }
        Ok(log)
    }

    fn add(&mut self, number: u32, file: File, rows: u64, live: u64) -> Result<(), StoreError> {
        let metadata = file.metadata();
        let metadata = metadata.map_err(|error| self.dir.error("read from", &error))?;
        let len = metadata.len();
        let segment = Segment {
            file: Arc::new(file),
            len,
            rows,
            live,
        };
        self.segments.insert(number, segment);
        Ok(())
    }

    /// Rows that come next belong together.
    pub(super) fn begin(&mut self) -> Result<(), StoreError> {
        self.batch.clear();
        let last = self.segments.last_key_value();
        let number = match last {
            Some((_, segment)) if segment.len < self.segment_bytes => return Ok(()),
            Some((number, _)) => number + 1,
            None => 1,
        };
        let file = self.dir.create(Kind::Urls, number)?;
        self.add(number, file, 0, 0)
    }

    /// Where the next row will be.
    pub(super) fn end(&self) -> Place {
        match self.segments.last_key_value() {
            Some((&segment, last)) => Place {
                segment,
                offset: (last.len + self.batch.len() as u64) as u32,
            },
            None => Place {
                segment: 1,
                offset: 0,
            },
        }
    }

    /// Adds a row, which says how a URL waits or not.
    pub(super) fn append(&mut self, row: &[u8], waits: bool) -> Place {
        let place = self.end();
        self.batch.extend((row.len() as u32).to_le_bytes());
        self.batch.extend(checksum(row));
        self.batch.extend(row);
        if waits {
            self.note_row(place);
        }
        place
    }

    /// A row of use is at this place.
    pub(super) fn note_row(&mut self, place: Place) {
        if let Some(segment) = self.segments.get_mut(&place.segment) {
            segment.rows += 1;
            segment.live += 1;
        }
    }

    /// A later row has replaced the one at this place.
    pub(super) fn note_replaced(&mut self, place: Place) {
        if let Some(segment) = self.segments.get_mut(&place.segment) {
            segment.live = segment.live.saturating_sub(1);
        }
    }

    /// Writes the rows since [`Log::begin`]; gives their bytes.
    pub(super) fn write(&mut self) -> Result<u64, StoreError> {
        let written = self.batch.len() as u64;
        if let Some(mut last) = self.segments.last_entry() {
            let segment = last.get_mut();
            let result = segment.file.write_all_at(&self.batch, segment.len);
            result.map_err(|error| self.dir.error("write to", &error))?;
            segment.len += written;
        }
        self.batch.clear();
        Ok(written)
    }

    /// The files that were written to from a place on.
    pub(super) fn files_from(&self, from: Place) -> impl Iterator<Item = Arc<File>> + '_ {
        let segments = self.segments.range(from.segment..);
        segments.map(|(_, segment)| Arc::clone(&segment.file))
    }

    /// The row at a place.
    pub(super) fn read(&self, place: Place) -> Result<Vec<u8>, StoreError> {
        let lost = || self.dir.damaged("a row of its log cannot be read");
        let segment = self.segments.get(&place.segment).ok_or_else(lost)?;
        let offset = u64::from(place.offset);
        let wanted = segment.len.saturating_sub(offset).min(GUESS as u64);
        let mut bytes = vec![0; wanted as usize];
        let read = segment.file.read_exact_at(&mut bytes, offset);
        read.map_err(|error| self.dir.error("read from", &error))?;
        let len = row_len(&bytes).ok_or_else(lost)?;
        if offset + len as u64 > segment.len {
            return Err(lost());
        }
        let had = bytes.len();
        bytes.resize(len, 0);
        if len > had {
            let rest = segment
                .file
                .read_exact_at(&mut bytes[had..], offset + had as u64);
            rest.map_err(|error| self.dir.error("read from", &error))?;
        }
        let (row, _) = split_row(&bytes).ok_or_else(lost)?;
        Ok(row.to_vec())
    }

    /// The rows from a place to the end of its segment.
    pub(super) fn rows_from(&self, place: Place) -> Result<Rows, StoreError> {
        let Some(segment) = self.segments.get(&place.segment) else {
            return Ok(Rows::default());
        };
        let len = segment.len.saturating_sub(u64::from(place.offset));
        let mut bytes = vec![0; len as usize];
        let read = segment
            .file
            .read_exact_at(&mut bytes, u64::from(place.offset));
        read.map_err(|error| self.dir.error("read from", &error))?;
        Ok(Rows {
            bytes,
            at: 0,
            begin: place,
        })
    }

    /// The segment after this one.
    pub(super) fn next_segment(&self, number: u32) -> Option<u32> {
        let next = number + 1;
        self.segments.contains_key(&next).then_some(next)
    }

    /// Cuts off all from a place on.
    pub(super) fn cut(&mut self, place: Place) -> Result<(), StoreError> {
        let later = self.segments.split_off(&(place.segment + 1));
        for number in later.into_keys() {
            self.dir.remove(Kind::Urls, number);
        }
        if let Some(segment) = self.segments.get_mut(&place.segment) {
            let len = u64::from(place.offset);
            if segment.len > len {
                let cut = segment.file.set_len(len);
                cut.map_err(|error| self.dir.error("write to", &error))?;
                segment.len = len;
            }
        }
        Ok(())
    }

    /// The segments with rows of use, and the last one.
    pub(super) fn segments_in_use(&self) -> Vec<SegmentRows> {
        let last = self.segments.keys().last().copied();
        let all = self.segments.iter();
        let in_use = all.filter(|(number, segment)| segment.live > 0 || Some(**number) == last);
        in_use
            .map(|(&number, segment)| (number, segment.rows, segment.live))
            .collect()
    }

    /// Segments of which few rows are of use, but for the last one.
    pub(super) fn to_rewrite(&self) -> Vec<u32> {
        let last = self.segments.keys().last().copied();
        let is_sparse = |(_, segment): &(&u32, &Segment)| {
            segment.live > 0 && segment.live * REWRITE_SHARE <= segment.rows
        };
        let sparse = self.segments.iter().filter(is_sparse);
        let numbers = sparse.map(|(&number, _)| number);
        numbers.filter(|number| Some(*number) != last).collect()
    }

    /// Lets go of segments without a row of use, all of them before `end`, and gives their numbers. The next
    /// start may need their files.
    pub(super) fn take_useless(&mut self, end: Place) -> Vec<u32> {
        let is_useless =
            |number: &u32, segment: &mut Segment| *number < end.segment && segment.live == 0;
        let useless = self.segments.extract_if(.., is_useless);
        useless.map(|(number, _)| number).collect()
    }
}

/// Rows in the order in which they were written, up to the first that is damaged.
#[derive(Debug, Default)]
pub(super) struct Rows {
    bytes: Vec<u8>,
    at: usize,
    begin: Place,
}

impl Default for Place {
    fn default() -> Place {
        Place {
            segment: 1,
            offset: 0,
        }
    }
}

impl Rows {
    /// The next row with its place.
    pub(super) fn next(&mut self) -> Option<(Place, &[u8])> {
        let place = self.place();
        let (row, len) = split_row(&self.bytes[self.at..])?;
        self.at += len;
        Some((place, row))
    }

    /// Where the next row is.
    pub(super) fn place(&self) -> Place {
        Place {
            offset: self.begin.offset + self.at as u32,
            ..self.begin
        }
    }

    /// Whether all rows were read, and none is damaged.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

/// The length of a row with what stands before it.
fn row_len(bytes: &[u8]) -> Option<usize> {
    let len = bytes.get(..4)?.try_into().ok().map(u32::from_le_bytes)?;
    // Rows have bytes; a file that lost its end may have zeros there.
    (len > 0).then_some(HEADER + len as usize)
}

/// The first row of some bytes, and its length with what stands before it.
fn split_row(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let len = row_len(bytes)?;
    let row = bytes.get(HEADER..len)?;
    (bytes[4..HEADER] == checksum(row)).then_some((row, len))
}
