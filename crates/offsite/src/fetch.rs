//! Copies back from the store: the archive files of a place, into a directory that is a cache of them.
//!
//! The store is asked for names, lengths and marks (ETags). A file that the directory has of the same length
//! and mark is left as it is; any other is brought in parts of 8 MB into a file of its own, which has the mark
//! in its name, so that what breaks off goes on with its last part and never with parts of another file. Only a whole
//! file gets its name. What the place has no more goes.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use object_store::{GetOptions, GetRange, ObjectStoreExt};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;
use xxhash_rust::xxh3::xxh3_64;

use crate::copy::{ARCHIVE, OWNER, words};
use crate::place::{Place, PlaceError};

/// Bytes of one answer.
const PART: u64 = 8 << 20;

/// A part that does not come is asked for again after these pauses.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(250),
    Duration::from_secs(1),
    Duration::from_secs(4),
];

/// What the directory has, in a small file beside the archive files.
const LIST: &str = "brought.json";

/// Names of the files of nodes begin so.
const NODE: &str = "node-";

/// An archive file at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct There {
    bytes: u64,
    /// Another one means other bytes.
    mark: String,
}

/// The copies of one crawl on one machine, or of one node.
#[derive(Debug)]
pub struct Copies {
    place: Place,
    files: BTreeMap<String, There>,
    crawl: String,
}

/// A place that is read.
#[derive(Debug)]
pub struct Source {
    place: Place,
    runtime: Runtime,
}

/// What was brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Brought {
    /// Files that were not there before, or not so.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Why copies cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The place cannot be used.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The store does not answer, or refuses.
    #[error("{place} cannot be read: {why}")]
    Store {
        /// Which.
        place: String,
        /// What it says.
        why: String,
    },
    /// There is nothing of ours.
    #[error(
        "{0} holds no archive files: name the place that archive.upload names; those of a node are below it, in \
         node-1 and so on"
    )]
    Nothing(String),
    /// The directory cannot be written.
    #[error("copies of {place} cannot be kept in {dir}: {source}")]
    Directory {
        /// The place.
        place: String,
        /// The directory.
        dir: String,
        /// What is wrong.
        source: io::Error,
    },
}

impl Source {
    /// A place that must be there, with credentials and endpoint from the environment.
    ///
    /// # Errors
    /// When it is none, or there is no client for it.
    pub fn open(text: &str) -> Result<Source, FetchError> {
        let place = Place::existing(text)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let runtime = runtime.map_err(|error| FetchError::Store {
            place: text.to_owned(),
            why: error.to_string(),
        })?;
        Ok(Source { place, runtime })
    }

    /// The copies at the place: of one crawl, and of the nodes below it, by number.
    ///
    /// # Errors
    /// When the store does not answer, or has none.
    pub fn copies(&self) -> Result<Vec<Copies>, FetchError> {
        let all = self.runtime.block_on(async {
            let mut all = Vec::new();
            let (own, below) = look(&self.place).await?;
            all.extend(own);
            let mut nodes: Vec<(u16, String)> = below
                .into_iter()
                .filter_map(|name| Some((name.strip_prefix(NODE)?.parse().ok()?, name)))
                .collect();
            nodes.sort();
            for (_, name) in nodes {
                all.extend(look(&self.place.clone().below(&name)).await?.0);
            }
            Ok(all)
        });
        let all = all.map_err(|why| FetchError::Store {
            place: self.place.as_str().to_owned(),
            why,
        })?;
        match all.is_empty() {
            true => Err(FetchError::Nothing(self.place.as_str().to_owned())),
            false => Ok(all),
        }
    }

    /// Brings copies into a directory; `told` hears of each file before it is brought, with how many bytes.
    ///
    /// # Errors
    /// When the store or the disk fails; what was brought stays, and the next time goes on there.
    pub fn bring(
        &self,
        copies: &Copies,
        dir: &Path,
        told: &dyn Fn(&str, u64),
    ) -> Result<Brought, FetchError> {
        let in_dir = |source: io::Error| FetchError::Directory {
            place: copies.place.as_str().to_owned(),
            dir: dir.display().to_string(),
            source,
        };
        std::fs::create_dir_all(dir).map_err(in_dir)?;
        let list = dir.join(LIST);
        let mut here = read_list(dir);
        copies.tidy(dir, &here).map_err(in_dir)?;
        let mut brought = Brought::default();
        for (name, file) in &copies.files {
            if here.get(name) == Some(file) {
                continue;
            }
            told(name, file.bytes);
            let one = self
                .runtime
                .block_on(bring_one(&copies.place, dir, name, file));
            one.map_err(|error| match error {
                Failed::Disk(source) => in_dir(source),
                Failed::Store(why) => FetchError::Store {
                    place: copies.place.as_str().to_owned(),
                    why: format!("{name}: {why}"),
                },
            })?;
            here.insert(name.clone(), file.clone());
            write_list(&list, &here).map_err(in_dir)?;
            brought.files += 1;
            brought.bytes += file.bytes;
        }
        Ok(brought)
    }
}

impl Copies {
    /// Where they are.
    pub fn place(&self) -> &str {
        self.place.as_str()
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> u64 {
        let files = self.files.values();
        files.fold(0, |all, file| all.saturating_add(file.bytes))
    }

    /// How many files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Whether a directory has them all as they are now.
    pub fn are_in(&self, dir: &Path) -> bool {
        let here = read_list(dir);
        let is_here = |(name, file): (&String, &There)| here.get(name) == Some(file);
        self.files.iter().all(is_here) && here.len() == self.files.len()
    }

    /// What changes when a file does, or when another crawl takes the place.
    pub fn mark(&self) -> u64 {
        let said =
            serde_json::to_vec(&(&self.crawl, &self.files)).expect("texts and numbers are JSON");
        xxh3_64(&said)
    }

    /// Takes away what the place has no more, and what broke off of files that are others now.
    fn tidy(&self, dir: &Path, here: &BTreeMap<String, There>) -> io::Result<()> {
        let partial: Vec<String> = self
            .files
            .iter()
            .map(|(name, file)| partial_name(name, file))
            .collect();
        for entry in std::fs::read_dir(dir)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_whole = here
                .get(&name)
                .is_some_and(|file| self.files.get(&name) == Some(file));
            let is_ours = name == LIST || is_whole || partial.contains(&name);
            if !is_ours && entry.file_type()?.is_file() {
                std::fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

fn has(dir: &Path, name: &str, file: &There) -> bool {
    std::fs::metadata(dir.join(name)).is_ok_and(|meta| meta.len() == file.bytes)
}

fn partial_name(name: &str, file: &There) -> String {
    let mark = xxh3_64(format!("{} {}", file.bytes, file.mark).as_bytes());
    format!("{name}.{mark:016x}.part")
}

/// The files that were brought and are there as they were.
fn read_list(dir: &Path) -> BTreeMap<String, There> {
    let list = std::fs::read(dir.join(LIST)).ok();
    let list = list.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let mut here: BTreeMap<String, There> = list.unwrap_or_default();
    here.retain(|name, file| has(dir, name, file));
    here
}

fn write_list(path: &Path, here: &BTreeMap<String, There>) -> io::Result<()> {
    let partial = path.with_extension("json.part");
    std::fs::write(&partial, serde_json::to_vec(here)?)?;
    std::fs::rename(&partial, path)
}

/// The copies on this level, if there are any, and the names of the levels below.
async fn look(place: &Place) -> Result<(Option<Copies>, Vec<String>), String> {
    let found = place.store.list_with_delimiter(Some(place.prefix())).await;
    let found = found.map_err(words)?;
    let files = found.objects.into_iter().filter_map(|meta| {
        let name = meta.location.filename()?;
        let is_plain = name
            .bytes()
            .all(|b| b.is_ascii_graphic() && b != b'/' && b != b'\\');
        let there = There {
            bytes: meta.size,
            mark: meta.e_tag.clone().unwrap_or_default(),
        };
        (is_plain && name.ends_with(ARCHIVE)).then(|| (name.to_owned(), there))
    });
    let files: BTreeMap<String, There> = files.collect();
    let below = found.common_prefixes.iter();
    let below = below.filter_map(|path| path.filename().map(str::to_owned));
    let below = below.collect();
    if files.is_empty() {
        return Ok((None, below));
    }
    let crawl = match place.store.get(&place.path(OWNER)).await {
        Ok(found) => {
            let bytes = found.bytes().await.map_err(words)?;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        // Copies that somebody made by hand.
        Err(object_store::Error::NotFound { .. }) => String::new(),
        Err(error) => return Err(words(error)),
    };
    let copies = Copies {
        place: place.clone(),
        files,
        crawl,
    };
    Ok((Some(copies), below))
}

enum Failed {
    Disk(io::Error),
    Store(String),
}

async fn bring_one(place: &Place, dir: &Path, name: &str, file: &There) -> Result<(), Failed> {
    let path = dir.join(partial_name(name, file));
    let mut out = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(&path)
        .map_err(Failed::Disk)?;
    let mut at = out.metadata().map_err(Failed::Disk)?.len();
    // After a power cut the last part may be a hole of that length: only those before it are known to be on the disk.
    at = match at > file.bytes {
        true => 0,
        false => at.saturating_sub(1) / PART * PART,
    };
    out.set_len(at).map_err(Failed::Disk)?;
    while at < file.bytes {
        let end = file.bytes.min(at + PART);
        let bytes = part(place, name, file, at..end)
            .await
            .map_err(Failed::Store)?;
        out.write_all(&bytes).map_err(Failed::Disk)?;
        out.sync_data().map_err(Failed::Disk)?;
        at += bytes.len() as u64;
    }
    out.sync_all().map_err(Failed::Disk)?;
    std::fs::rename(&path, dir.join(name)).map_err(Failed::Disk)
}

/// A part of a file, of exactly that length.
async fn part(
    place: &Place,
    name: &str,
    file: &There,
    range: std::ops::Range<u64>,
) -> Result<Vec<u8>, String> {
    let mut pauses = PAUSES.iter();
    loop {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: Some(file.mark.clone()).filter(|mark| !mark.is_empty()),
            ..GetOptions::default()
        };
        let got = async {
            let found = place.store.get_opts(&place.path(name), options).await?;
            found.bytes().await
        };
        let why = match got.await {
            Ok(bytes) if bytes.len() as u64 == range.end - range.start => return Ok(bytes.into()),
            Ok(bytes) => format!(
                "{} bytes came instead of {}",
                bytes.len(),
                range.end - range.start
            ),
            Err(object_store::Error::Precondition { .. }) => {
                return Err("it changed meanwhile: try again".to_owned());
            }
            Err(error) => words(error),
        };
        match pauses.next() {
            Some(pause) => tokio::time::sleep(*pause).await,
            None => return Err(why),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(dir: &Path) -> String {
        format!("file://{}", dir.display())
    }

    fn bring(text: &str, to: &Path) -> Brought {
        let source = Source::open(text).expect("opens");
        let copies = source.copies().expect("there are copies");
        source
            .bring(&copies[0], to, &|_, _| ())
            .expect("is brought")
    }

    #[test]
    fn what_is_there_is_brought_once_and_what_changed_anew() {
        let (from, to) = (
            tempfile::tempdir().expect("a directory"),
            tempfile::tempdir().expect("a directory"),
        );
        let (text, to) = (place(from.path()), to.path().join("archive"));
        let put = |name: &str, bytes: &[u8]| {
            std::fs::write(from.path().join(name), bytes).expect("is written")
        };
        put("00001.warc.gz", b"bodies");
        put("00001.meta.warc.gz", b"journal");
        put("notes.txt", b"of somebody");
        assert_eq!(
            bring(&text, &to),
            Brought {
                files: 2,
                bytes: 13
            }
        );
        assert_eq!(bring(&text, &to), Brought::default());
        // The journal grew; of one file a part is here already; one is gone there.
        put("00001.meta.warc.gz", b"journal and more");
        std::fs::remove_file(from.path().join("00001.warc.gz")).expect("is removed");
        std::fs::write(to.join("00001.meta.warc.gz.0.part"), b"old").expect("is written");
        assert_eq!(
            bring(&text, &to),
            Brought {
                files: 1,
                bytes: 16
            }
        );
        let names: Vec<_> = std::fs::read_dir(&to)
            .expect("is read")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
        // A file that was cut here is brought again.
        std::fs::write(to.join("00001.meta.warc.gz"), b"jour").expect("is written");
        assert_eq!(bring(&text, &to).files, 1);
        assert_eq!(
            std::fs::read(to.join("00001.meta.warc.gz")).expect("is read"),
            b"journal and more"
        );
    }

    #[test]
    fn a_file_that_broke_off_goes_on_behind_the_last_part_that_was_synced() {
        let (from, to) = (
            tempfile::tempdir().expect("a directory"),
            tempfile::tempdir().expect("a directory"),
        );
        let part = PART as usize;
        let all = vec![b'0'; part + 10];
        std::fs::write(from.path().join("00001.warc.gz"), &all).expect("is written");
        let source = Source::open(&place(from.path())).expect("opens");
        let copies = source.copies().expect("there are copies");
        let file = &copies[0].files["00001.warc.gz"];
        // Marked, so that it is seen which bytes were not brought again.
        let broken_off = vec![b'a'; part + 3];
        let partial = to.path().join(partial_name("00001.warc.gz", file));
        std::fs::write(partial, broken_off).expect("is written");
        source
            .bring(&copies[0], to.path(), &|_, _| ())
            .expect("is brought");
        let brought = std::fs::read(to.path().join("00001.warc.gz")).expect("is read");
        let kept = brought.iter().take_while(|byte| **byte == b'a').count();
        assert_eq!((kept, brought.len()), (part, part + 10));
        assert!(brought[part..].iter().all(|byte| *byte == b'0'));
    }

    #[test]
    fn nodes_stand_below_their_crawl_and_an_empty_place_is_told() {
        let dir = tempfile::tempdir().expect("a directory");
        let text = place(dir.path());
        let empty = Source::open(&text)
            .expect("opens")
            .copies()
            .expect_err("nothing is there");
        assert!(empty.to_string().contains("archive.upload"), "{empty}");
        for name in ["node-10", "node-2", "other"] {
            std::fs::create_dir(dir.path().join(name)).expect("is made");
            std::fs::write(dir.path().join(name).join("00001.meta.warc.gz"), b"j")
                .expect("is written");
        }
        let source = Source::open(&text).expect("opens");
        let copies = source.copies().expect("two nodes");
        let places: Vec<_> = copies.iter().map(Copies::place).collect();
        assert_eq!(
            places,
            [format!("{text}/node-2"), format!("{text}/node-10")]
        );
        let missing = Source::open(&format!("{text}/nowhere")).expect_err("it is not there");
        assert!(missing.to_string().contains("nowhere"), "{missing}");
        assert!(!dir.path().join("nowhere").exists());
    }
}
