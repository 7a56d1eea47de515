//! The documents of many files, in batches.
//!
//! A batch is bounded in documents and bytes, and ends where reading on could mean to wait for a
//! writer at the other end of a pipe: its answers are due first. Only the *sample*, from which
//! some methods learn which words are rare, is read whatever the wait.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::document::{Document, DocumentError, Entry};
use crate::source::{OpenError, Source};

/// Documents of the sample.
const SAMPLE_MAX: usize = 2_000;
/// Bytes of the sample from which it is full.
const SAMPLE_BYTES: usize = 64 << 20;

/// How much a batch holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchLimits {
    /// Documents at most.
    pub documents: usize,
    /// Bytes of documents from which it is full.
    pub bytes: usize,
}

impl Default for BatchLimits {
    /// Enough to keep all cores busy, little enough to hold in memory.
    fn default() -> BatchLimits {
        BatchLimits {
            documents: 512,
            bytes: 8 << 20,
        }
    }
}

/// What a batch holds for each line or record, in order.
pub type Batch = Vec<Result<Entry, DocumentError>>;

/// Files that are read one after the other.
pub struct Documents {
    limits: BatchLimits,
    files: VecDeque<PathBuf>,
    source: Option<Source>,
    /// What was read ahead.
    ahead: VecDeque<Result<Entry, DocumentError>>,
}

impl Documents {
    /// The documents of `files`; `-` is standard input. No file is opened yet.
    pub fn open(files: impl IntoIterator<Item = PathBuf>) -> Documents {
        Documents {
            limits: BatchLimits::default(),
            files: files.into_iter().collect(),
            source: None,
            ahead: VecDeque::new(),
        }
    }

    /// The same in batches of another size.
    pub fn with_limits(self, limits: BatchLimits) -> Documents {
        Documents { limits, ..self }
    }

    /// Shows the first documents, 2,000 or 64 MB of them, which the batches give again.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn sample(&mut self) -> Result<Vec<&Document>, OpenError> {
        let mut held: usize = self.ahead.iter().map(bytes).sum();
        while self.ahead.len() < SAMPLE_MAX && held < SAMPLE_BYTES {
            let Some(next) = self.read_on()? else { break };
            held += bytes(&next);
            self.ahead.push_back(next);
        }
        let documents = self.ahead.iter().filter_map(|next| match next {
            Ok(Entry::Document(document)) => Some(document),
            Ok(Entry::Other) | Err(_) => None,
        });
        Ok(documents.collect())
    }

    /// The next lines and records, as many as a batch holds or as are there without waiting; none
    /// at the end.
    ///
    /// # Errors
    /// A file cannot be opened. What was read of the batch is given by the next call, and then the
    /// file after it.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, OpenError> {
        let Some(first) = self.next()? else {
            return Ok(None);
        };
        let mut held = bytes(&first);
        let mut batch = vec![first];
        while batch.len() < self.limits.documents && held < self.limits.bytes && self.is_ready() {
            match self.next() {
                Ok(Some(next)) => {
                    held += bytes(&next);
                    batch.push(next);
                }
                Ok(None) => break,
                Err(error) => {
                    self.ahead = batch.into();
                    return Err(error);
                }
            }
        }
        Ok(Some(batch))
    }

    fn is_ready(&self) -> bool {
        !self.ahead.is_empty() || self.source.as_ref().is_some_and(Source::is_ready)
    }

    fn next(&mut self) -> Result<Option<Result<Entry, DocumentError>>, OpenError> {
        match self.ahead.pop_front() {
            Some(next) => Ok(Some(next)),
            None => self.read_on(),
        }
    }

    /// What stands next in the files.
    fn read_on(&mut self) -> Result<Option<Result<Entry, DocumentError>>, OpenError> {
        loop {
            if let Some(next) = self.source.as_mut().and_then(Source::next) {
                return Ok(Some(next));
            }
            let Some(file) = self.files.pop_front() else {
                return Ok(None);
            };
            self.source = Some(Source::open(&file)?);
        }
    }
}

/// About how many bytes a line or record holds.
pub fn bytes(next: &Result<Entry, DocumentError>) -> usize {
    match next {
        Ok(Entry::Document(document)) => document.bytes(),
        Ok(Entry::Other) | Err(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    /// A file of lines, every seventh of which is no document.
    fn file(lines: u64) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for line in 0..lines {
            match line % 7 {
                3 => writeln!(file, "no document").unwrap(),
                _ => writeln!(file, "{{\"id\":{line},\"text\":\"word\"}}").unwrap(),
            }
        }
        file
    }

    /// Reads to the end, and checks that each line comes once and in order.
    fn read(mut documents: Documents) -> (u64, usize) {
        let (mut line, mut largest) = (0, 0);
        while let Some(batch) = documents.next_batch().unwrap() {
            largest = largest.max(batch.len());
            for next in batch {
                match next {
                    Ok(Entry::Document(document)) => assert_eq!(document.id, line),
                    Ok(Entry::Other) => panic!("there are no records"),
                    Err(error) => assert_eq!((line % 7, error.line), (3, Some(line + 1))),
                }
                line += 1;
            }
        }
        (line, largest)
    }

    #[test]
    fn the_sample_is_read_again_in_its_order() {
        let file = file(3_000);
        let mut documents = Documents::open([file.path().into()]);
        let sample = documents.sample().unwrap().len();
        assert!((1_600..SAMPLE_MAX).contains(&sample), "{sample}");
        assert_eq!(documents.sample().unwrap().len(), sample);
        assert_eq!(read(documents), (3_000, BatchLimits::default().documents));
    }

    #[test]
    fn a_file_that_cannot_be_opened_loses_nothing_that_was_read() {
        let (first, last) = (file(3), file(2));
        let gone: PathBuf = "/nonexistent".into();
        let files = [first.path().into(), gone, last.path().into()];
        let mut documents = Documents::open(files);
        assert!(documents.next_batch().is_err());
        let rest: Vec<usize> = std::iter::from_fn(|| documents.next_batch().unwrap())
            .map(|batch| batch.len())
            .collect();
        assert_eq!(rest.iter().sum::<usize>(), 5);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn every_line_comes_once_and_no_batch_is_too_large(
            lines in 0u64..60,
            documents in 1usize..20,
            bytes in 1usize..60,
            sampled: bool,
        ) {
            let file = file(lines);
            let limits = BatchLimits { documents, bytes };
            let mut all = Documents::open([file.path().into()]).with_limits(limits);
            if sampled {
                all.sample().unwrap();
            }
            let (read, largest) = read(all);
            prop_assert_eq!(read, lines);
            prop_assert!(largest <= documents);
        }
    }
}
