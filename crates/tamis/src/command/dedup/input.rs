//! The documents of all files, in batches.
//!
//! A batch is bounded in documents and bytes, and ends where reading on could mean to wait for a
//! writer at the other end of a pipe: its answers are due first. Only the *sample*, from which
//! some compared methods learn which words are rare, is read whatever the wait.

use std::collections::VecDeque;
use std::path::PathBuf;

use super::source::{Document, Item, Source};
use crate::exit::usage;

/// Documents in a batch at most.
const BATCH_MAX: usize = 512;
/// Bytes in a batch from which it is full.
const BATCH_BYTES: usize = 8 << 20;
/// Documents of the sample.
const SAMPLE_MAX: usize = 2_000;
/// Bytes of the sample from which it is full.
const SAMPLE_BYTES: usize = 64 << 20;

/// Files that are read one after the other.
pub struct Input {
    files: VecDeque<PathBuf>,
    source: Option<Source>,
    /// What was read ahead.
    ahead: VecDeque<Item>,
}

impl Input {
    /// The items of `files`.
    pub fn open(files: &[PathBuf]) -> Input {
        Input {
            files: files.iter().cloned().collect(),
            source: None,
            ahead: VecDeque::new(),
        }
    }

    /// Shows the first documents, which stay where they are.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn with_sample<T>(&mut self, learn: impl FnOnce(&[Document]) -> T) -> anyhow::Result<T> {
        let (mut documents, mut others, mut bytes) = (Vec::new(), Vec::new(), 0);
        while documents.len() + others.len() < SAMPLE_MAX && bytes < SAMPLE_BYTES {
            let Some(item) = self.next()? else { break };
            bytes += size(&item);
            match item {
                Item::Document(document) => documents.push(document),
                Item::Bad(..) | Item::Other => others.push((documents.len(), item)),
            }
        }
        let learnt = learn(&documents);
        let mut others = others.into_iter().peekable();
        for (at, document) in documents.into_iter().enumerate() {
            while let Some((_, other)) = others.next_if(|(before, _)| *before <= at) {
                self.ahead.push_back(other);
            }
            self.ahead.push_back(Item::Document(document));
        }
        self.ahead.extend(others.map(|(_, other)| other));
        Ok(learnt)
    }

    /// The next items, as many as a batch holds or as are there without waiting; none at the end.
    ///
    /// # Errors
    /// A file cannot be opened.
    pub fn batch(&mut self) -> anyhow::Result<Option<Vec<Item>>> {
        let Some(first) = self.next()? else {
            return Ok(None);
        };
        let mut bytes = size(&first);
        let mut items = vec![first];
        while items.len() < BATCH_MAX && bytes < BATCH_BYTES && self.is_ready() {
            let Some(item) = self.next()? else { break };
            bytes += size(&item);
            items.push(item);
        }
        Ok(Some(items))
    }

    fn is_ready(&self) -> bool {
        !self.ahead.is_empty() || self.source.as_ref().is_some_and(Source::is_ready)
    }

    fn next(&mut self) -> anyhow::Result<Option<Item>> {
        if let Some(item) = self.ahead.pop_front() {
            return Ok(Some(item));
        }
        loop {
            if let Some(item) = self.source.as_mut().and_then(Source::next) {
                return Ok(Some(item));
            }
            let Some(file) = self.files.pop_front() else {
                return Ok(None);
            };
            self.source = Some(
                Source::open(&file)
                    .map_err(|error| usage(format!("cannot read {}: {error}", file.display())))?,
            );
        }
    }
}

/// About how many bytes an item holds.
pub fn size(item: &Item) -> usize {
    match item {
        Item::Document(document) => document.size(),
        Item::Bad(..) | Item::Other => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_sample_is_read_again_in_its_order() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for line in 0..3_000 {
            match line % 7 {
                3 => writeln!(file, "no document").unwrap(),
                _ => writeln!(file, "{{\"id\":{line},\"text\":\"a\"}}").unwrap(),
            }
        }
        let mut input = Input::open(&[file.path().into()]);
        let sample = input.with_sample(|sample| sample.len()).unwrap();
        assert!((1_600..SAMPLE_MAX).contains(&sample), "{sample}");
        let mut line = 0;
        while let Some(items) = input.batch().unwrap() {
            for item in items {
                match item {
                    Item::Document(document) => assert_eq!(document.id, line),
                    Item::Bad(..) => assert_eq!(line % 7, 3),
                    Item::Other => unreachable!("there are no records"),
                }
                line += 1;
            }
        }
        assert_eq!(line, 3_000);
    }
}
