//! WARC files of any writer, read record by record (ISO 28500:2017).
//!
//! Our own archive is read by `scan`, which finds its way past damage. A file from elsewhere is a
//! stream: it may come through a pipe, may be of WARC 0.17 to 1.1, and may have more or fewer line
//! ends between records than the standard says. It is read from its beginning, and what is damaged
//! ends it. Memory is bounded: by the limits of a head, and by the caller's for a block.

use std::io::{self, BufRead, Read};

use crate::http::{LINE_BYTES_MAX, LINES_MAX};
use crate::warc::field_of;

/// Why a file cannot be read further.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WarcError {
    /// The bytes cannot be had.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// Something else stands where a record should.
    #[error("no WARC record where one should begin")]
    NoRecord,
    /// The record does not say where it ends.
    #[error("a record without a Content-Length")]
    NoLength,
    /// A head has more than 1,000 lines.
    #[error("a record's head does not end")]
    EndlessHead,
    /// A line of a head has more than 64 KiB.
    #[error("a head line without end")]
    EndlessLine,
    /// The file is cut.
    #[error("the file ends inside a record")]
    Cut,
}

/// A record's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WarcHead {
    /// Names in lower case, values trimmed, in order.
    fields: Vec<(String, String)>,
    /// Bytes of the block.
    pub block_bytes: u64,
}

impl WarcHead {
    /// The value of a field by its lower-case name, the first if there are several.
    pub fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.as_str())
    }

    /// What the record is: `response`, `conversion`, `metadata`, …; empty where it does not say.
    pub fn warc_type(&self) -> &str {
        self.field("warc-type").unwrap_or_default()
    }

    /// The URL that the record is about. Some writers put it between angle brackets.
    pub fn target_uri(&self) -> Option<&str> {
        let uri = self.field("warc-target-uri")?;
        Some(uri.trim_matches(['<', '>']))
    }
}

/// A record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WarcRecord {
    /// Its head.
    pub head: WarcHead,
    /// Its block; `None` where it was not wanted.
    pub block: Option<Vec<u8>>,
}

/// Reads an uncompressed WARC file; for a gzipped one give it a decoder of many members.
///
/// ```
/// use archive::WarcReader;
///
/// let file = b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 9\r\n\r\ntwo words\r\n\r\n";
/// let mut reader = WarcReader::new(&file[..]);
/// let record = reader.record(|head| head.block_bytes < 1 << 20)?.expect("there is one");
/// assert_eq!(record.head.warc_type(), "conversion");
/// assert_eq!(record.block.as_deref(), Some(&b"two words"[..]));
/// assert!(reader.record(|_| true)?.is_none());
/// # Ok::<(), archive::WarcError>(())
/// ```
#[derive(Debug)]
pub struct WarcReader<R> {
    input: R,
}

impl<R: BufRead> WarcReader<R> {
    /// Reads from here on.
    pub fn new(input: R) -> WarcReader<R> {
        WarcReader { input }
    }

    /// The input, to look at what was read ahead.
    pub fn input(&self) -> &R {
        &self.input
    }

    /// The next record, `None` at the end of the file. Of a record that is not `wanted` the block
    /// is skipped; one that is must fit in memory, so ask for [`WarcHead::block_bytes`].
    ///
    /// # Errors
    /// What stands there is no record, or the file ends inside of one. There is no reading on.
    pub fn record(
        &mut self,
        wanted: impl FnOnce(&WarcHead) -> bool,
    ) -> Result<Option<WarcRecord>, WarcError> {
        let Some(head) = self.head()? else {
            return Ok(None);
        };
        let mut rest = self.input.by_ref().take(head.block_bytes);
        let (read, block) = if wanted(&head) {
            let mut block = Vec::new();
            (rest.read_to_end(&mut block)? as u64, Some(block))
        } else {
            (io::copy(&mut rest, &mut io::sink())?, None)
        };
        if read < head.block_bytes {
            return Err(WarcError::Cut);
        }
        Ok(Some(WarcRecord { head, block }))
    }

    fn head(&mut self) -> Result<Option<WarcHead>, WarcError> {
        // Two line ends close the record before; some writers leave more, or fewer.
        let version = loop {
            match self.line()? {
                None => return Ok(None),
                Some(line) if line.is_empty() => {}
                Some(line) => break line,
            }
        };
        if !version.starts_with("WARC/") {
            return Err(WarcError::NoRecord);
        }
        let mut head = WarcHead::default();
        loop {
            let line = self.line()?.ok_or(WarcError::Cut)?;
            if line.is_empty() {
                break;
            }
            if head.fields.len() == LINES_MAX {
                return Err(WarcError::EndlessHead);
            }
            if let Some((name, value)) = field_of(&line) {
                let field = (name.to_ascii_lowercase(), value.to_owned());
                head.fields.push(field);
            }
        }
        let length = head.field("content-length").map(str::parse);
        head.block_bytes = length.and_then(Result::ok).ok_or(WarcError::NoLength)?;
        Ok(Some(head))
    }

    /// The next line without its end; `None` at the end of the file.
    fn line(&mut self) -> Result<Option<String>, WarcError> {
        let mut bytes = Vec::new();
        let mut bounded = self.input.by_ref().take(LINE_BYTES_MAX as u64);
        bounded.read_until(b'\n', &mut bytes)?;
        match bytes.len() {
            0 => Ok(None),
            LINE_BYTES_MAX => Err(WarcError::EndlessLine),
            _ => Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::{END, HeadWriter};
    use proptest::prelude::*;

    fn all(mut bytes: &[u8]) -> (Vec<WarcRecord>, Option<WarcError>) {
        let mut reader = WarcReader::new(&mut bytes);
        let mut records = Vec::new();
        loop {
            match reader.record(|head| head.warc_type() != "request") {
                Ok(Some(record)) => records.push(record),
                Ok(None) => return (records, None),
                Err(error) => return (records, Some(error)),
            }
        }
    }

    /// A file of records as we write them; and where each ends.
    fn written(blocks: &[Vec<u8>]) -> (Vec<u8>, Vec<usize>) {
        let mut bytes = Vec::new();
        let mut ends = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            let mut head = HeadWriter::default();
            let head = head.begin("response", at as u128, 0);
            bytes.extend_from_slice(
                head.field("WARC-Target-URI", "<http://a.example/>")
                    .end(block.len()),
            );
            bytes.extend_from_slice(block);
            ends.push(bytes.len());
            bytes.extend_from_slice(END);
        }
        (bytes, ends)
    }

    #[test]
    fn records_of_other_writers_are_read() {
        let file = "WARC/0.17\nwarc-type:request\nContent-Length: 3\n\nabc\
             WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 2\r\n\r\nab\r\n\r\n\r\n\r\n\r\n";
        let (records, error) = all(file.as_bytes());
        assert!(error.is_none(), "{error:?}");
        assert_eq!(records.len(), 2);
        assert_eq!(
            (records[0].head.warc_type(), &records[0].block),
            ("request", &None)
        );
        assert_eq!(records[1].block.as_deref(), Some(&b"ab"[..]));
    }

    #[test]
    fn what_is_no_record_is_named() {
        let endless = format!("WARC/1.0\r\n{}", "a: b\r\n".repeat(LINES_MAX + 1));
        let long = format!("WARC/1.0\r\na: {}", "b".repeat(LINE_BYTES_MAX));
        for (file, expected) in [
            ("no record\n", "no WARC record"),
            (
                "WARC/1.0\r\nWARC-Type: x\r\n\r\n",
                "without a Content-Length",
            ),
            ("WARC/1.0\r\nContent-Length: 3\r\n\r\nab", "ends inside"),
            ("WARC/1.0\r\nContent-Length: 3\r\n", "ends inside"),
            (&endless, "does not end"),
            (&long, "line without end"),
        ] {
            let (records, error) = all(file.as_bytes());
            let told = error.expect("an error").to_string();
            assert!(records.is_empty() && told.contains(expected), "{told}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_file_gives_its_whole_records_and_then_an_error_or_the_end(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..80), 1..6),
            at: prop::sample::Index,
        ) {
            let (bytes, ends) = written(&blocks);
            let cut = at.index(bytes.len() + 1);
            let (records, error) = all(&bytes[..cut]);
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            prop_assert_eq!(records.len(), whole);
            for (record, block) in records.iter().zip(&blocks) {
                prop_assert_eq!(record.head.target_uri(), Some("http://a.example/"));
                prop_assert_eq!(record.block.as_ref(), Some(block));
            }
            if cut == bytes.len() {
                prop_assert!(error.is_none(), "{:?}", error);
            }
        }

        #[test]
        fn no_bytes_make_the_reader_panic(tail: Vec<u8>) {
            let mut bytes = b"WARC/1.0\r\nContent-Length: ".to_vec();
            bytes.extend_from_slice(&tail);
            all(&bytes);
        }
    }
}
