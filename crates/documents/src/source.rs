//! One file to documents: JSON lines, WARC or WET, plain or gzipped, told by their first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use archive::{WarcError, WarcReader};
use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use crate::document::{DocumentError, DocumentProblem, Entry};
use crate::file::GZIP_MAGIC;
use crate::json_line;
use crate::warc::{self, Records};

/// Bytes of a line or record that are read; what is longer is no document.
pub const BYTES_MAX: u64 = 64 << 20;
/// Bytes read at a time.
const BUFFER_BYTES: usize = 256 << 10;

/// Why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system cannot read it.
    #[error("read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// It is compressed in a way that is not read here.
    #[error("read {}: it is compressed by {tool}", path.display())]
    Compressed {
        /// The file.
        path: PathBuf,
        /// What unpacks it.
        tool: &'static str,
    },
}

type Input = BufReader<Box<dyn Read>>;

/// An open file. As an iterator it gives what stands in it, to its end; what cannot be read ends
/// it, as an error.
pub struct Source {
    name: String,
    is_pipe: bool,
    content: Content,
}

/// What a line or record holds; where it is no document, the id that it has all the same and why.
type Parsed = Result<Entry, (Option<Value>, DocumentProblem)>;

/// How a file is read on.
enum Content {
    Lines { input: Input, line: u64 },
    Records(WarcReader<Input>, Records),
    Ended,
}

impl Source {
    /// Opens a file, or standard input for `-`, and looks what it is.
    ///
    /// # Errors
    /// It cannot be read, or is compressed in a way that is not read here.
    pub fn open(path: &Path) -> Result<Source, OpenError> {
        let is_pipe = path == Path::new("-");
        let failed = |source| OpenError::Read {
            path: path.to_owned(),
            source,
        };
        let file: Box<dyn Read> = match is_pipe {
            true => Box::new(io::stdin()),
            false => Box::new(File::open(path).map_err(failed)?),
        };
        let mut input = BufReader::with_capacity(BUFFER_BYTES, file);
        let first = input.fill_buf().map_err(failed)?;
        for (magic, tool) in [(&b"\xfd7zXZ"[..], "xz"), (b"\x28\xb5\x2f\xfd", "zstd")] {
            if first.starts_with(magic) {
                let path = path.to_owned();
                return Err(OpenError::Compressed { path, tool });
            }
        }
        if first.starts_with(GZIP_MAGIC) {
            let plain: Box<dyn Read> = Box::new(MultiGzDecoder::new(input));
            input = BufReader::with_capacity(BUFFER_BYTES, plain);
        }
        // A torn gzip file is told when it is read.
        let is_warc = input
            .fill_buf()
            .is_ok_and(|first| first.starts_with(b"WARC/"));
        Ok(Source {
            name: path.display().to_string(),
            is_pipe,
            content: match is_warc {
                true => Content::Records(WarcReader::new(input), Records::default()),
                false => Content::Lines { input, line: 0 },
            },
        })
    }

    /// Whether to read on before what was read is answered: not where that could mean to wait for
    /// a writer at the other end of a pipe.
    pub fn is_ready(&self) -> bool {
        let ahead = match &self.content {
            Content::Lines { input, .. } => input.buffer(),
            Content::Records(reader, _) => reader.input().buffer(),
            Content::Ended => &[],
        };
        !self.is_pipe || ahead.contains(&b'\n')
    }

    fn error(&self, line: Option<u64>, problem: DocumentProblem) -> DocumentError {
        DocumentError {
            file: self.name.clone(),
            line,
            id: None,
            problem,
        }
    }
}

impl Iterator for Source {
    type Item = Result<Entry, DocumentError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = match &mut self.content {
            Content::Lines { input, line } => {
                let next = next_line(input, line);
                let line = *line;
                next.map(|next| next.map(|read| (Some(line), read)))
            }
            Content::Records(reader, records) => reader
                .record(warc::is_wanted)
                .map(|record| record.map(|record| (None, Ok(records.entry(record))))),
            Content::Ended => Ok(None),
        };
        let (line, read) = match next {
            Ok(next) => next?,
            Err(error) => {
                self.content = Content::Ended;
                return Some(Err(self.error(None, DocumentProblem::Unreadable(error))));
            }
        };
        Some(read.map_err(|(id, problem)| DocumentError {
            id,
            ..self.error(line, problem)
        }))
    }
}

/// The next line that is not empty, `None` at the end; `line` counts.
fn next_line(input: &mut Input, line: &mut u64) -> Result<Option<Parsed>, WarcError> {
    loop {
        let mut bytes = Vec::new();
        input.take(BYTES_MAX).read_until(b'\n', &mut bytes)?;
        if bytes.is_empty() {
            return Ok(None);
        }
        *line += 1;
        if bytes.len() as u64 == BYTES_MAX && !bytes.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            return Ok(Some(Err((None, DocumentProblem::TooLong))));
        }
        if !bytes.trim_ascii().is_empty() {
            return Ok(Some(json_line::document(&bytes).map(Entry::Document)));
        }
    }
}

/// Opens each file once, so that one that cannot be read is told before anything is done.
///
/// # Errors
/// The first file that cannot be opened.
pub fn check(files: &[PathBuf]) -> Result<(), OpenError> {
    for path in files.iter().filter(|path| *path != Path::new("-")) {
        let mut first = [0];
        let read = File::open(path).and_then(|mut file| file.read(&mut first));
        read.map_err(|source| OpenError::Read {
            path: path.clone(),
            source,
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: &[u8]) -> Vec<Result<Entry, DocumentError>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        Source::open(file.path()).unwrap().collect()
    }

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(bytes).unwrap();
        gz.finish().unwrap()
    }

    #[test]
    fn a_bad_line_is_told_with_its_number_and_the_next_is_read() {
        let found =
            read(b"{\"id\":1,\"text\":\"a\"}\n\n{\n{\"id\":\"x\"}\n{\"id\":2,\"text\":\"b\"}");
        assert_eq!(found.len(), 4, "{found:#?}");
        assert!(matches!(&found[0], Ok(Entry::Document(document)) if document.id == 1));
        let told = found[1].as_ref().unwrap_err();
        assert_eq!(told.line, Some(3));
        assert!(told.to_string().contains(":3: no document"), "{told}");
        assert_eq!(found[2].as_ref().unwrap_err().id, Some("x".into()));
        assert!(matches!(&found[3], Ok(Entry::Document(document)) if document.id == 2));
    }

    #[test]
    fn a_torn_gzip_file_gives_what_it_holds_and_then_an_error() {
        let whole = packed(&b"{\"id\":1,\"text\":\"a\"}\n".repeat(50_000));
        assert_eq!(read(&whole).len(), 50_000);
        let torn = read(&whole[..whole.len() / 2]);
        assert!(torn.len() > 1 && torn.len() < 50_000);
        let told = torn.last().unwrap().as_ref().unwrap_err();
        assert_eq!((told.line, &told.id), (None, &None));
    }

    #[test]
    fn records_of_an_archive_are_read_plain_or_packed() {
        let record =
            "WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 9\r\n\r\ntwo words\r\n\r\n";
        let file = record.replace("conversion", "metadata") + record;
        for bytes in [file.clone().into_bytes(), packed(file.as_bytes())] {
            let found = read(&bytes);
            assert_eq!(found.len(), 2);
            assert!(matches!(found[0], Ok(Entry::Other)));
            assert!(matches!(found[1], Ok(Entry::Document(_))));
        }
        let cut = read(&file.as_bytes()[..file.len() - 6]);
        let told = cut[1].as_ref().unwrap_err().to_string();
        assert!(
            told.contains("not read further: the file ends inside"),
            "{told}"
        );
        assert_eq!(cut.len(), 2);
    }

    #[test]
    fn what_another_tool_unpacks_is_told_with_the_tool() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"\x28\xb5\x2f\xfd....").unwrap();
        let told = Source::open(file.path()).err().unwrap();
        assert!(
            matches!(told, OpenError::Compressed { tool: "zstd", .. }),
            "{told}"
        );
        let gone = check(&["/nonexistent".into()]).unwrap_err();
        assert!(matches!(gone, OpenError::Read { .. }), "{gone}");
    }
}
