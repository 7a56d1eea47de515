//! Marks that people gave to decisions, kept in `DIR/audit.jsonl`.
//!
//! A mark is one line, appended and synced before it is answered. The last mark of a page counts. What
//! a crash left half written is closed by the next line and skipped when it is read.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use report::audit::{Audit, Mark};

/// Bytes of the file that are read.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Drawn pages that are remembered.
const DRAWN_MAX: usize = 100_000;

/// The marks of a crawl.
#[derive(Debug)]
pub(crate) struct Book {
    path: PathBuf,
    marks: Mutex<Option<HashMap<u64, Mark>>>,
    /// Pages that were drawn at random since the start.
    drawn: Mutex<HashSet<u64>>,
}

impl Book {
    /// The marks in a file, which need not be there yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            marks: Mutex::default(),
            drawn: Mutex::default(),
        }
    }

    /// The marks by page, with what they say of the crawl.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub(crate) fn read(&self) -> io::Result<(HashMap<u64, Mark>, Audit)> {
        let mut known = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(self.load()?);
        }
        let marks = known.clone().unwrap_or_default();
        let audit = Audit::of(marks.values());
        Ok((marks, audit))
    }

    fn load(&self) -> io::Result<HashMap<u64, Mark>> {
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(HashMap::new()),
            Err(error) => return Err(error),
        };
        let lines = BufReader::new(file.take(FILE_BYTES_MAX)).split(b'\n');
        let mut marks = HashMap::new();
        for line in lines {
            if let Ok(mark) = serde_json::from_slice::<Mark>(&line?) {
                marks.insert(mark.page, mark);
            }
        }
        Ok(marks)
    }

    /// Remembers pages that were drawn at random.
    pub(crate) fn draw(&self, pages: impl Iterator<Item = u64>) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.len() > DRAWN_MAX {
            // Who drew them long ago has marked them, or never will.
            drawn.clear();
        }
        drawn.extend(pages);
    }

    /// Whether a page was drawn at random: only such a mark says something of the whole.
    pub(crate) fn was_drawn(&self, page: u64) -> bool {
        let drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn.contains(&page)
    }

    /// Adds a mark; after `Ok` it survives a power cut.
    ///
    /// # Errors
    /// When the file cannot be written: then it holds no more than before.
    pub(crate) fn add(&self, mark: Mark) -> io::Result<()> {
        let mut known = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            *known = Some(self.load()?);
        }
        let is_new = !self.path.exists();
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(&self.path)?;
        let mut line = serde_json::to_vec(&mark)?;
        line.push(b'\n');
        if !ends_with_line(&mut file)? {
            line.insert(0, b'\n');
        }
        if file.metadata()?.len() + line.len() as u64 > FILE_BYTES_MAX {
            let why = "audit.jsonl holds 64 MB, all that is read of it: move it away to begin anew";
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        file.write_all(&line)?;
        file.sync_data()?;
        if is_new && let Some(folder) = self.path.parent() {
            File::open(folder)?.sync_all()?;
        }
        if let Some(marks) = known.as_mut() {
            marks.insert(mark.page, mark);
        }
        Ok(())
    }
}

fn ends_with_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

#[cfg(test)]
mod tests {
    use report::audit::Judgement;

    use super::*;

    fn mark(page: u64, mark: Judgement) -> Mark {
        Mark {
            page,
            mark,
            was: "dropped".into(),
            sampled: true,
            ..Mark::default()
        }
    }

    #[test]
    fn marks_survive_and_a_torn_line_costs_itself() {
        let temp = tempfile::tempdir().expect("a directory");
        let path = temp.path().join("audit.jsonl");
        let book = Book::new(path.clone());
        book.add(mark(1, Judgement::Right)).expect("added");
        book.add(mark(2, Judgement::Right)).expect("added");
        book.add(mark(2, Judgement::Wrong)).expect("added");
        let mut file = OpenOptions::new().append(true).open(&path).expect("there");
        file.write_all(b"{\"page\":3,\"ma").expect("written");
        let book = Book::new(path.clone());
        book.add(mark(4, Judgement::Skip)).expect("added");
        for book in [book, Book::new(path)] {
            let (marks, audit) = book.read().expect("read");
            let mut pages: Vec<_> = marks.keys().copied().collect();
            pages.sort_unstable();
            assert_eq!(pages, [1, 2, 4]);
            assert_eq!((audit.dropped.right, audit.dropped.wrong), (1, 1));
            assert_eq!(audit.dropped.skipped, 1);
        }
    }
}
