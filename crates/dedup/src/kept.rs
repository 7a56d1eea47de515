//! The documents that were kept: the index of a crawl, and beside it their names.
//!
//! A later document may take the place of an earlier one: the earlier is forgotten and the later
//! kept in one write of the index.
//!
//! In a directory the index is in `fingerprints/` and the names are lines of `kept.jsonl`. A line
//! is written before the index stores its document, so after a crash the file knows every document
//! of the index and perhaps some more; those beyond the stored position are forgotten, and their
//! documents are judged again when they come again.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use kv::StoreError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use simhash::{IndexConfig, IndexError, Neighbour, TableIndex, TextPrint};

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

impl Name {
    /// The address of the document, or else its id.
    pub fn address(&self) -> String {
        let id = || self.id.as_str().map_or(self.id.to_string(), str::to_owned);
        self.url.clone().unwrap_or_else(id)
    }
}

/// Why documents cannot be kept.
#[derive(Debug, thiserror::Error)]
pub enum KeptError {
    /// The tables cannot answer the reach.
    #[error(transparent)]
    Reach(IndexError),
    /// The index cannot be read or written.
    #[error(transparent)]
    Store(#[from] IndexError),
    /// The directory cannot be made or read.
    #[error("open the index in {}", dir.display())]
    Directory {
        /// The directory.
        dir: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The index is in use, or the disk fails.
    #[error("open the index in {}", dir.display())]
    Index {
        /// The directory.
        dir: PathBuf,
        /// What the index said.
        #[source]
        source: IndexError,
    },
    /// The index or the names are damaged. They are nowhere else: all documents must be read again.
    #[error("use the index in {}: {why}", dir.display())]
    Damaged {
        /// The directory.
        dir: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The names cannot be written.
    #[error("store the kept ids")]
    StoreNames(#[source] io::Error),
    /// The index cannot be written.
    #[error("store the index")]
    StoreIndex(#[source] IndexError),
}

/// The kept documents; a document's number is its place in `names`.
#[derive(Debug)]
pub struct KeptDocuments {
    index: TableIndex,
    names: Vec<Name>,
    file: Option<BufWriter<File>>,
    unstored: usize,
    taken: usize,
    config: IndexConfig,
    stored_every: usize,
    note: Option<String>,
}

impl KeptDocuments {
    /// Nothing kept, and nothing on disk.
    ///
    /// # Errors
    /// [`KeptError::Reach`].
    pub fn in_memory(config: &IndexConfig) -> Result<KeptDocuments, KeptError> {
        let index = TableIndex::in_memory(config).map_err(KeptError::Reach)?;
        Ok(KeptDocuments::with(index, Vec::new(), None, config))
    }

    /// What earlier runs kept in `dir`, which is made where it is not there.
    ///
    /// # Errors
    /// Another reach than the tables can answer, or a directory that is in use, damaged or cannot
    /// be written.
    pub fn open(dir: &Path, config: &IndexConfig) -> Result<KeptDocuments, KeptError> {
        let failed = |source| KeptError::Directory {
            dir: dir.to_owned(),
            source,
        };
        // A wrong reach is told before the directory is made.
        drop(TableIndex::in_memory(config).map_err(KeptError::Reach)?);
        std::fs::create_dir_all(dir).map_err(failed)?;
        let path = dir.join("kept.jsonl");
        let damaged = |why: String| KeptError::Damaged {
            dir: dir.to_owned(),
            why,
        };
        // Nobody has what it would be built again from, so one that is damaged stays where it is.
        let opened = kv::as_they_are(|| TableIndex::open(&dir.join("fingerprints"), config));
        let (mut index, opened) = opened.map_err(|source| match source {
            IndexError::Store(StoreError::Damaged { why, .. }) => damaged(why),
            source => KeptError::Index {
                dir: dir.to_owned(),
                source,
            },
        })?;
        let position = usize::try_from(opened.position).unwrap_or(usize::MAX);
        let Names { mut names, ends } = Names::read(&path).map_err(failed)?;
        if names.len() < position {
            return Err(damaged("kept.jsonl is shorter than the index".to_owned()));
        }
        for number in position..names.len() {
            index.remove(number as u64)?;
        }
        names.truncate(position);
        let mut file = OpenOptions::new();
        let file = file.create(true).append(true).open(&path);
        let file = file.map_err(failed)?;
        let end = ends.get(position.wrapping_sub(1)).copied();
        file.set_len(end.unwrap_or(0)).map_err(failed)?;
        let file = Some(BufWriter::new(file));
        let changed = opened.tables_changed(config.tables);
        Ok(KeptDocuments {
            note: changed.map(|changed| format!("the index in {} was {changed}", dir.display())),
            ..KeptDocuments::with(index, names, file, config)
        })
    }

    fn with(
        index: TableIndex,
        names: Vec<Name>,
        file: Option<BufWriter<File>>,
        config: &IndexConfig,
    ) -> KeptDocuments {
        KeptDocuments {
            index,
            names,
            file,
            unstored: 0,
            taken: 0,
            config: *config,
            stored_every: STORED_EVERY,
            note: None,
        }
    }

    /// The same, stored after every so many documents: for tests, which have few.
    #[doc(hidden)]
    pub fn storing_every(self, stored_every: usize) -> KeptDocuments {
        KeptDocuments {
            stored_every,
            ..self
        }
    }

    /// What is to be told of the directory: that it was made with another number of tables.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The number of kept documents.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The document number `page` as a text's neighbour, whatever decides, and its name.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn neighbour(
        &self,
        print: &TextPrint,
        page: usize,
    ) -> Result<Option<(Neighbour, Name)>, KeptError> {
        let (Some(kept), Some(name)) = (self.index.get(page as u64)?, self.names.get(page)) else {
            return Ok(None);
        };
        let near = simhash::rule::judge(&self.config, print, page as u64, &kept, u8::MAX);
        Ok(Some((near, name.clone())))
    }

    /// The kept document that decides, and its name.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn nearest(&mut self, print: &TextPrint) -> Result<Option<(Neighbour, Name)>, KeptError> {
        let found = self.index.nearest(print)?;
        Ok(found.and_then(|near| {
            let name = self.names.get(usize::try_from(near.page).ok()?)?;
            Some((near, name.clone()))
        }))
    }

    /// Keeps a document.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn insert(&mut self, print: &TextPrint, name: Name) -> Result<(), KeptError> {
        if let Some(file) = &mut self.file {
            serde_json::to_writer(&mut *file, &name)
                .map_err(io::Error::from)
                .and_then(|()| file.write_all(b"\n"))
                .map_err(KeptError::StoreNames)?;
        }
        self.index.insert(self.names.len() as u64, print)?;
        self.names.push(name);
        self.unstored += 1;
        if self.unstored >= self.stored_every || self.taken >= TAKEN_MAX {
            self.store()?;
        }
        Ok(())
    }

    /// Keeps a document in the place of document number `old`.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn replace(&mut self, old: u64, print: &TextPrint, name: Name) -> Result<(), KeptError> {
        self.index.remove(old)?;
        self.taken += 1;
        self.insert(print, name)
    }

    /// Stores what was kept since the last time; without a directory there is nothing to do. After
    /// `Ok` it survives a crash.
    ///
    /// # Errors
    /// The directory cannot be written.
    pub fn store(&mut self) -> Result<(), KeptError> {
        (self.unstored, self.taken) = (0, 0);
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.flush()
            .and_then(|()| file.get_ref().sync_data())
            .map_err(KeptError::StoreNames)?;
        let stored = self.index.apply(self.names.len() as u64);
        stored
            .and_then(|()| self.index.flush())
            .map_err(KeptError::StoreIndex)
    }
}

/// The names in a file, and where the line of each ends. The last line may be torn.
#[derive(Default)]
struct Names {
    names: Vec<Name>,
    ends: Vec<u64>,
}

impl Names {
    fn read(path: &Path) -> io::Result<Names> {
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
            end += reader.read_until(b'\n', &mut line)? as u64;
            let Some(whole) = line.strip_suffix(b"\n") else {
                return Ok(found);
            };
            let Ok(name) = serde_json::from_slice(whole) else {
                return Ok(found);
            };
            found.names.push(name);
            found.ends.push(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use segment::Segmenter;

    fn print(text: &str) -> TextPrint {
        simhash::print(&Segmenter::shared().words(text))
    }

    fn name(id: &str) -> Name {
        Name {
            id: id.into(),
            ..Name::default()
        }
    }

    fn open(dir: &Path) -> KeptDocuments {
        KeptDocuments::open(dir, &IndexConfig::default()).unwrap()
    }

    #[test]
    fn what_was_stored_is_there_and_what_was_not_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (
            print("one river and a stone"),
            print("quite other words here"),
        );
        let mut kept = open(dir.path());
        kept.insert(&a, name("a")).unwrap();
        kept.store().unwrap();
        kept.insert(&b, name("b")).unwrap();
        // As after a crash: the line of b is written, the index is not.
        drop(kept);
        let mut kept = open(dir.path());
        assert_eq!(kept.len(), 1);
        assert_eq!(kept.nearest(&a).unwrap().unwrap().1.id, "a");
        assert!(kept.nearest(&b).unwrap().is_none());
        kept.insert(&b, name("b2")).unwrap();
        kept.store().unwrap();
        drop(kept);
        let mut kept = open(dir.path());
        assert_eq!(kept.nearest(&b).unwrap().unwrap().1.id, "b2");
    }

    #[test]
    fn a_damaged_index_is_told_each_time_and_stays() {
        // The first run set it aside, and the second took the empty one for it: all that was kept was new again.
        let dir = tempfile::tempdir().unwrap();
        let mut kept = open(dir.path());
        let a = print("one river and a stone");
        kept.insert(&a, name("a")).unwrap();
        kept.store().unwrap();
        drop(kept);
        let noise: Vec<u8> = (0..100_000u32)
            .map(|at| (at.wrapping_mul(2_654_435_761) >> 7) as u8)
            .collect();
        for file in ["conf", "db"] {
            std::fs::write(dir.path().join("fingerprints").join(file), &noise).unwrap();
        }
        for _ in 0..2 {
            let opened = KeptDocuments::open(dir.path(), &IndexConfig::default());
            assert!(
                matches!(opened, Err(KeptError::Damaged { .. })),
                "{opened:?}"
            );
        }
        let names = std::fs::read_to_string(dir.path().join("kept.jsonl")).unwrap();
        assert!(names.contains("\"a\""), "{names}");
    }

    #[test]
    fn a_later_document_takes_the_place_in_one_step() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (
            print("one river and a stone"),
            print("one river and a stone or two"),
        );
        let mut kept = open(dir.path());
        kept.insert(&a, name("a")).unwrap();
        kept.store().unwrap();
        kept.replace(0, &b, name("b")).unwrap();
        // As after a crash before the index was stored: the earlier document is there as it was.
        drop(kept);
        let mut kept = open(dir.path());
        assert_eq!(kept.nearest(&a).unwrap().unwrap().1.id, "a");
        kept.replace(0, &b, name("b")).unwrap();
        kept.store().unwrap();
        drop(kept);
        let mut kept = open(dir.path());
        assert_eq!(
            (kept.len(), kept.nearest(&b).unwrap().unwrap().1.id),
            (1, "b".into())
        );
        assert!(!kept.nearest(&a).unwrap().unwrap().0.exact);
    }

    #[test]
    fn lost_names_are_damage() {
        let dir = tempfile::tempdir().unwrap();
        let mut kept = open(dir.path());
        kept.insert(&print("one river and a stone"), name("a"))
            .unwrap();
        kept.store().unwrap();
        drop(kept);
        std::fs::write(dir.path().join("kept.jsonl"), "").unwrap();
        let error = KeptDocuments::open(dir.path(), &IndexConfig::default()).unwrap_err();
        assert!(matches!(error, KeptError::Damaged { .. }), "{error}");
    }

    #[test]
    fn a_directory_in_use_or_a_wrong_reach_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let kept = open(dir.path());
        let error = KeptDocuments::open(dir.path(), &IndexConfig::default()).unwrap_err();
        assert!(matches!(error, KeptError::Index { .. }), "{error}");
        drop(kept);
        let far = IndexConfig {
            reach: 60,
            ..IndexConfig::default()
        };
        let nowhere = dir.path().join("new");
        let error = KeptDocuments::open(&nowhere, &far).unwrap_err();
        assert!(matches!(error, KeptError::Reach(_)), "{error}");
        assert!(!nowhere.exists());
    }

    #[test]
    fn a_name_is_told_by_its_address_or_its_id() {
        let named = |id: Value, url: Option<&str>| Name {
            id,
            url: url.map(str::to_owned),
            ..Name::default()
        };
        assert_eq!(named(7.into(), None).address(), "7");
        assert_eq!(named("a".into(), None).address(), "a");
        assert_eq!(named("a".into(), Some("http://a/")).address(), "http://a/");
    }
}
