//! The documents that were kept: the index of a crawl, and beside it their ids and layouts.
//!
//! A later document may take the place of an earlier one: the earlier is forgotten and the later
//! kept in one write of the index.
//!
//! In a directory the index is in `fingerprints/` and the ids are lines of `kept.jsonl`. A line is
//! written before the index stores its document, so after a crash the file knows every document
//! of the index and perhaps some more; those beyond the stored position are forgotten, and their
//! documents are judged again when they come again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use simhash::{IndexConfig, Neighbour, TableIndex, TextPrint};

use crate::exit::{resource, usage};

/// Kept documents between two times that the index is stored.
const STORED_EVERY: usize = 4_096;
/// The same when places were taken: each changes another block, and so many the index still writes
/// in one step, so that a crash leaves both documents as they were or as they should be.
const TAKEN_MAX: usize = 100;

/// What is remembered of a kept document beside its print.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Name {
    /// Its id.
    pub id: Value,
    /// The layout of a page, 0 for a text.
    #[serde(default, skip_serializing_if = "is_none")]
    pub layout: u64,
    /// Its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Published date, ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// The URL that it names as canonical.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The page that it names as the source of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

fn is_none(layout: &u64) -> bool {
    *layout == 0
}

/// The kept documents; a document's number is its place in `names`.
pub struct Kept {
    index: TableIndex,
    names: Vec<Name>,
    file: Option<BufWriter<File>>,
    unstored: usize,
    taken: usize,
    config: IndexConfig,
}

impl Kept {
    /// Nothing kept, and nothing on disk.
    ///
    /// # Errors
    /// Wrong use: the tables cannot answer the reach.
    pub fn in_memory(config: &IndexConfig) -> anyhow::Result<Kept> {
        Ok(Kept {
            index: TableIndex::in_memory(config).map_err(|error| usage(error.to_string()))?,
            names: Vec::new(),
            file: None,
            unstored: 0,
            taken: 0,
            config: *config,
        })
    }

    /// What earlier runs kept in `dir`, which is made where it is not there.
    ///
    /// # Errors
    /// Wrong use, or a directory that is in use, damaged or cannot be written.
    pub fn open(dir: &Path, config: &IndexConfig) -> anyhow::Result<Kept> {
        let shown = dir.display();
        let failed = |error: io::Error| resource(format!("--index {shown}: {error}"));
        // A wrong reach is told before the directory is made.
        drop(TableIndex::in_memory(config).map_err(|error| usage(error.to_string()))?);
        std::fs::create_dir_all(dir).map_err(failed)?;
        let path = dir.join("kept.jsonl");
        let (mut index, opened) = TableIndex::open(&dir.join("fingerprints"), config)
            .map_err(|error| resource(told(&shown.to_string(), &error)))?;
        let position = usize::try_from(opened.position).unwrap_or(usize::MAX);
        let found = names(&path).map_err(failed)?;
        if opened.rebuilt_because.is_some() || found.names.len() < position {
            let why = opened
                .rebuilt_because
                .unwrap_or_else(|| "kept.jsonl is shorter than the index".to_owned());
            return Err(resource(format!(
                "--index {shown}: the index cannot be used: {why}; \
                 it holds nothing but fingerprints: remove the directory and run over all documents again"
            )));
        }
        for number in position..found.names.len() {
            index.remove(number as u64)?;
        }
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        let end = found.ends.get(position.wrapping_sub(1)).copied();
        file.set_len(end.unwrap_or(0)).map_err(failed)?;
        let mut names = found.names;
        names.truncate(position);
        Ok(Kept {
            index,
            names,
            file: Some(BufWriter::new(file)),
            unstored: 0,
            taken: 0,
            config: *config,
        })
    }

    /// The number of kept documents.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// The document number `page` as a text's neighbour, whatever decides, and its name.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn neighbour(
        &self,
        print: &TextPrint,
        page: usize,
    ) -> anyhow::Result<Option<(Neighbour, Name)>> {
        let kept = self.index.get(page as u64)?;
        Ok(kept.zip(self.names.get(page)).map(|(kept, name)| {
            let near = simhash::rule::judge(&self.config, print, page as u64, &kept, u8::MAX);
            (near, name.clone())
        }))
    }

    /// The kept document that decides, and its name.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn nearest(&mut self, print: &TextPrint) -> anyhow::Result<Option<(Neighbour, Name)>> {
        let near = self.index.nearest(print)?;
        Ok(near.and_then(|near| {
            let name = self.names.get(usize::try_from(near.page).ok()?)?;
            Some((near, name.clone()))
        }))
    }

    /// Keeps a document.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn insert(&mut self, print: &TextPrint, name: Name) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            serde_json::to_writer(&mut *file, &name)?;
            file.write_all(b"\n")?;
        }
        self.index.insert(self.names.len() as u64, print)?;
        self.names.push(name);
        self.unstored += 1;
        if self.unstored >= STORED_EVERY || self.taken >= TAKEN_MAX {
            self.store()?;
        }
        Ok(())
    }

    /// Keeps a document in the place of document number `old`.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn replace(&mut self, old: u64, print: &TextPrint, name: Name) -> anyhow::Result<()> {
        self.index.remove(old)?;
        self.taken += 1;
        self.insert(print, name)
    }

    /// Stores what was kept since the last time; without a directory there is nothing to do.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn store(&mut self) -> anyhow::Result<()> {
        (self.unstored, self.taken) = (0, 0);
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let failed = |error: io::Error| resource(format!("store the kept ids: {error}"));
        file.flush().map_err(failed)?;
        file.get_ref().sync_data().map_err(failed)?;
        let stored = self.index.apply(self.names.len() as u64);
        stored
            .and_then(|()| self.index.flush())
            .map_err(|error| resource(told("the index", &error)))
    }
}

/// The error with what caused it.
fn told(what: &str, error: &dyn std::error::Error) -> String {
    let mut told = format!("{what}: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        told.push_str(&format!(": {error}"));
        cause = error.source();
    }
    told
}

/// The names in a file, and where the line of each ends. The last line may be torn.
#[derive(Default)]
struct Names {
    names: Vec<Name>,
    ends: Vec<u64>,
}

fn names(path: &Path) -> io::Result<Names> {
    let mut found = Names::default();
    let mut reader = match File::open(path) {
        Ok(file) => BufReader::new(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        Err(error) => return Err(error),
    };
    let mut line = Vec::new();
    let mut end = 0;
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        let Some(whole) = line.strip_suffix(b"\n") else {
            return Ok(found);
        };
        let Ok(name) = serde_json::from_slice(whole) else {
            return Ok(found);
        };
        end += length as u64;
        found.names.push(name);
        found.ends.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::document::words;

    fn print(text: &str) -> TextPrint {
        simhash::print(&words(text))
    }

    fn name(id: &str) -> Name {
        Name {
            id: id.into(),
            ..Name::default()
        }
    }

    #[test]
    fn what_was_stored_is_there_and_what_was_not_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let config = IndexConfig::default();
        let (a, b) = (
            print("one river and a stone"),
            print("quite other words here"),
        );
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        kept.insert(&a, name("a")).unwrap();
        kept.store().unwrap();
        kept.insert(&b, name("b")).unwrap();
        // As after a crash: the line of b is written, the index is not.
        drop(kept);
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept.nearest(&a).unwrap().unwrap().1.id, "a");
        assert!(kept.nearest(&b).unwrap().is_none());
        kept.insert(&b, name("b2")).unwrap();
        kept.store().unwrap();
        drop(kept);
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        assert_eq!(kept.nearest(&b).unwrap().unwrap().1.id, "b2");
    }

    #[test]
    fn a_later_document_takes_the_place_in_one_step() {
        let dir = tempfile::tempdir().unwrap();
        let config = IndexConfig::default();
        let (a, b) = (
            print("one river and a stone"),
            print("one river and a stone or two"),
        );
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        kept.insert(&a, name("a")).unwrap();
        kept.store().unwrap();
        kept.replace(0, &b, name("b")).unwrap();
        // As after a crash before the index was stored: the earlier document is there as it was.
        drop(kept);
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        assert_eq!(kept.nearest(&a).unwrap().unwrap().1.id, "a");
        kept.replace(0, &b, name("b")).unwrap();
        kept.store().unwrap();
        drop(kept);
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        assert_eq!(
            (kept.len(), kept.nearest(&b).unwrap().unwrap().1.id),
            (1, "b".into())
        );
        assert!(!kept.nearest(&a).unwrap().unwrap().0.exact);
    }

    #[test]
    fn lost_ids_are_told_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let config = IndexConfig::default();
        let mut kept = Kept::open(dir.path(), &config).unwrap();
        kept.insert(&print("one river and a stone"), name("a"))
            .unwrap();
        kept.store().unwrap();
        drop(kept);
        std::fs::write(dir.path().join("kept.jsonl"), "").unwrap();
        let told = Kept::open(dir.path(), &config).err().unwrap().to_string();
        assert!(told.contains("remove the directory"), "{told}");
    }
}
