//! Lines in the order of their bytes, with bounded memory: sorted runs on the disk, then merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

/// Bytes of lines that are held before they are written as a run.
const RUN_BYTES: usize = 32 << 20;

/// Lines to be sorted. None holds a line end.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    held: Vec<String>,
    bytes: usize,
    runs: Vec<File>,
}

impl Sorted {
    pub(super) fn add(&mut self, line: String) -> io::Result<()> {
        self.bytes += line.len() + size_of::<String>();
        self.held.push(line);
        match self.bytes > RUN_BYTES {
            true => self.spill(),
            false => Ok(()),
        }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut file = BufWriter::new(tempfile::tempfile()?);
        for line in self.held.drain(..) {
            writeln!(file, "{line}")?;
        }
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        self.bytes = 0;
        Ok(())
    }

    /// Writes all lines in order, each with its end.
    pub(super) fn write(mut self, out: &mut dyn Write) -> io::Result<u64> {
        if self.runs.is_empty() {
            self.held.sort_unstable();
            self.held
                .iter()
                .try_for_each(|line| writeln!(out, "{line}"))?;
            return Ok(self.held.len() as u64);
        }
        self.spill()?;
        let mut runs: Vec<_> = self
            .runs
            .into_iter()
            .map(|run| BufReader::new(run).lines())
            .collect();
        let mut heads = BinaryHeap::new();
        for (at, run) in runs.iter_mut().enumerate() {
            if let Some(line) = run.next() {
                heads.push(Reverse((line?, at)));
            }
        }
        let mut written = 0;
        while let Some(Reverse((line, at))) = heads.pop() {
            writeln!(out, "{line}")?;
            written += 1;
            if let Some(next) = runs[at].next() {
                heads.push(Reverse((next?, at)));
            }
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_on_the_disk_are_merged_in_order() {
        let mut sorted = Sorted::default();
        for n in 0..1_000u32 {
            sorted.add(format!("{:05}", n * 7_919 % 1_000)).unwrap();
            if n % 300 == 299 {
                sorted.spill().unwrap();
            }
        }
        let mut out = Vec::new();
        assert_eq!(sorted.write(&mut out).unwrap(), 1_000);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1_000);
        assert!(lines.is_sorted() && lines[999] == "00999");
    }
}
