//! Reads a file of gzip members in order, and finds the next whole record after damage.
//!
//! Where no whole record begins, the scanner goes to the next bytes that look like a member, and to the
//! next, until one is a WARC record of the length it claims. So a flipped bit costs the record it stands
//! in and no other. JSON never holds the byte 0x1f unescaped, so nothing that a web page says can be
//! mistaken for a member within a journal.
//!
//! Cost: one buffer of some megabytes, used again; bytes are read once and inflated once.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::member::{self, Broken, MAGIC, MEMBER_BYTES_MAX, Unpacker};
use crate::warc::Parsed;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 1 << 20;

/// What the scanner finds at a place of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// A whole record, which is now in the caller's buffer.
    Member { offset: u64, bytes: u64 },
    /// Bytes without a record; a whole one follows them.
    Damage {
        offset: u64,
        bytes: u64,
        why: &'static str,
    },
    /// Bytes without a record up to the end of the file: torn off, or damaged.
    Tail {
        offset: u64,
        bytes: u64,
        why: &'static str,
    },
    /// The end of the file, just after a record.
    End,
}

/// Reads the records of one file.
#[derive(Debug)]
pub(crate) struct Scanner {
    file: File,
    unpacker: Unpacker,
    /// Bytes of the file from `base` on.
    buffer: Vec<u8>,
    base: u64,
    /// Place in `buffer` of the next member.
    at: usize,
    /// Nothing is read at or beyond this place of the file.
    limit: u64,
    ended: bool,
}

impl Scanner {
    /// Reads `file` from `offset` on, up to `limit`.
    pub(crate) fn new(mut file: File, offset: u64, limit: u64) -> io::Result<Scanner> {
        file.seek(SeekFrom::Start(offset))?;
        Ok(Scanner {
            file,
            unpacker: Unpacker::new(),
            buffer: Vec::new(),
            base: offset,
            at: 0,
            limit,
            ended: false,
        })
    }

    /// Where the next member is expected.
    pub(crate) fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// The next step; the record of a [`Step::Member`] is in `record`.
    pub(crate) fn step(&mut self, record: &mut Vec<u8>) -> io::Result<Step> {
        let offset = self.offset();
        self.fill(CHUNK_BYTES / 4)?;
        if self.at == self.buffer.len() {
            return Ok(Step::End);
        }
        let why = match self.whole(record)? {
            Ok(bytes) => {
                self.at += bytes;
                return Ok(Step::Member {
                    offset,
                    bytes: bytes as u64,
                });
            }
            Err(Broken::Incomplete) => "the record is not whole",
            Err(Broken::Corrupt(why)) => why,
        };
        while self.seek_magic()? {
            if self.whole(record)?.is_ok() {
                let bytes = self.offset() - offset;
                return Ok(Step::Damage { offset, bytes, why });
            }
        }
        let bytes = self.offset() - offset;
        Ok(Step::Tail { offset, bytes, why })
    }

    /// The length of the member at the present place, if it is whole and a WARC record.
    fn whole(&mut self, record: &mut Vec<u8>) -> io::Result<Result<usize, Broken>> {
        // First as long as its header says: so a broken stream cannot run on into the next members.
        self.fill(64)?;
        let from_header = member::head(&self.buffer[self.at..])
            .ok()
            .and_then(|head| head.lengths);
        if let Some((bytes, _)) = from_header {
            self.fill(bytes)?;
            let rest = &self.buffer[self.at..];
            let whole = self.unpacker.unpack(&rest[..bytes.min(rest.len())], record);
            if whole.is_ok() {
                return Ok(check_warc(whole, record));
            }
        }
        // Then as far as the stream goes: the member may be another writer's, or its header's length
        // may be what was damaged.
        loop {
            let rest = &self.buffer[self.at..];
            match self.unpacker.unpack(rest, record) {
                Err(Broken::Incomplete) if !self.ended && rest.len() < MEMBER_BYTES_MAX => {
                    let more = rest.len() * 2;
                    self.fill(more.max(CHUNK_BYTES))?;
                }
                whole => return Ok(check_warc(whole, record)),
            }
        }
    }

    /// Goes to the next bytes after the present place that look like a member; `false` at the end of
    /// the file.
    fn seek_magic(&mut self) -> io::Result<bool> {
        self.at += 1;
        loop {
            self.fill(MAGIC.len())?;
            let rest = &self.buffer[self.at..];
            if rest.len() < MAGIC.len() {
                self.at = self.buffer.len();
                return Ok(false);
            }
            if let Some(found) = rest.windows(MAGIC.len()).position(|bytes| bytes == MAGIC) {
                self.at += found;
                return Ok(true);
            }
            self.at = self.buffer.len() - (MAGIC.len() - 1);
        }
    }

    /// Reads until `bytes` bytes from the present place are in the buffer, or the file ends.
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        if self.buffer.len() - self.at >= bytes || self.ended {
            return Ok(());
        }
        self.buffer.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        while self.buffer.len() < bytes {
            let end = self.base + self.buffer.len() as u64;
            let room = self.limit.saturating_sub(end);
            let want = (bytes - self.buffer.len()).max(CHUNK_BYTES) as u64;
            let got = (&mut self.file)
                .take(want.min(room))
                .read_to_end(&mut self.buffer)?;
            if got == 0 {
                self.ended = true;
                break;
            }
        }
        Ok(())
    }
}

/// Checks that a whole member holds a WARC record.
fn check_warc(whole: Result<usize, Broken>, record: &[u8]) -> Result<usize, Broken> {
    let bytes = whole?;
    match Parsed::new(record) {
        Some(_) => Ok(bytes),
        None => Err(Broken::Corrupt("the member holds no WARC record")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::member::{Packer, Packing};
    use crate::warc::HeadWriter;
    use std::io::Write;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    fn three_members() -> (Vec<u8>, Vec<u64>) {
        let mut bytes = Vec::new();
        let mut ends = vec![0];
        for text in ["first", "second", "third"] {
            let mut head = HeadWriter::default();
            let head = head.begin("metadata", 1, 0).end(text.len());
            let parts = [head, text.as_bytes(), crate::warc::END];
            Packer::new().pack(Packing::Fast, &parts, &mut bytes);
            ends.push(bytes.len() as u64);
        }
        (bytes, ends)
    }

    fn steps(bytes: &[u8], offset: u64) -> Vec<Step> {
        let mut scanner = Scanner::new(file_of(bytes), offset, u64::MAX).unwrap();
        let mut record = Vec::new();
        let mut steps = Vec::new();
        loop {
            let step = scanner.step(&mut record).unwrap();
            steps.push(step);
            if matches!(step, Step::End | Step::Tail { .. }) {
                return steps;
            }
        }
    }

    fn whole(steps: &[Step]) -> Vec<u64> {
        steps
            .iter()
            .filter_map(|step| match step {
                Step::Member { offset, .. } => Some(*offset),
                Step::Damage { .. } | Step::Tail { .. } | Step::End => None,
            })
            .collect()
    }

    #[test]
    fn a_flipped_bit_costs_the_record_it_stands_in() {
        let (bytes, ends) = three_members();
        for (at, bit) in (0..bytes.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            let hit = ends.iter().rposition(|&end| end <= at as u64).unwrap();
            let found = whole(&steps(&flipped, 0));
            for number in (0..3).filter(|&number| number != hit) {
                assert!(
                    found.contains(&ends[number]),
                    "byte {at}, bit {bit}: {found:?}"
                );
            }
        }
    }

    #[test]
    fn a_header_that_reaches_to_the_stream_of_a_later_record_hides_none() {
        // By one flipped bit in the length of its extra field the first member ended where the third one does.
        let (bytes, ends) = three_members();
        let stream = ends[2] as usize + 24;
        let mut damaged = bytes.clone();
        damaged[10..12].copy_from_slice(&(stream as u16 - 12).to_le_bytes());
        assert_eq!(whole(&steps(&damaged, 0)), [ends[1], ends[2]]);
    }

    #[test]
    fn a_cut_file_ends_with_its_last_whole_record() {
        let (bytes, ends) = three_members();
        for at in 0..bytes.len() {
            let steps = steps(&bytes[..at], 0);
            let expected: Vec<u64> = ends
                .windows(2)
                .filter(|pair| pair[1] <= at as u64)
                .map(|pair| pair[0])
                .collect();
            assert_eq!(whole(&steps), expected);
            let clean = ends.contains(&(at as u64));
            assert_eq!(steps.last() == Some(&Step::End), clean);
        }
    }

    #[test]
    fn reading_begins_anywhere() {
        let (bytes, ends) = three_members();
        assert_eq!(whole(&steps(&bytes, 3)), ends[1..3]);
    }
}
