//! The thread that copies.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;
use xxhash_rust::xxh3::xxh3_64;

use crate::copy;
use crate::place::Place;
use crate::told::{Told, safe_journals};

/// Pauses after tries in vain: doubled from the first to the longest.
const PAUSE_FIRST: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// How long the end of a crawl waits for a store that fails.
const END_PATIENCE: Duration = Duration::from_secs(20);

/// Bytes of the journal by which a crawl is known.
const IDENTITY_BYTES: u64 = 256;

/// Names of the two kinds of archive file end so.
const JOURNAL: &str = ".meta.warc.gz";
const BODIES: &str = ".warc.gz";

/// What the writer and the thread share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The files that are written now: those with smaller numbers are closed.
    bodies: u32,
    journal: u32,
    end: Option<End>,
}

/// How it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The crawl has ended, and its last files are copied too. A store that fails is not waited for
    /// long.
    Finish,
    /// At once: the next start goes on.
    Stop,
}

/// Tells the thread what is closed.
#[derive(Debug, Clone)]
pub struct Handle(Arc<Shared>);

impl Handle {
    /// Bodies go to this file now and the journal to that one, and nothing of the files before is ever
    /// cut again.
    pub fn note_closed(&self, bodies: u32, journal: u32) {
        let mut state = self.0.lock();
        if (state.bodies, state.journal) != (bodies, journal) {
            (state.bodies, state.journal) = (bodies, journal);
            drop(state);
            self.0.changed.notify_one();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The copies of one crawl.
#[derive(Debug)]
pub struct Uploads {
    shared: Arc<Shared>,
    place: String,
    thread: JoinHandle<Told>,
}

impl Uploads {
    /// Begins to copy from the directory of an archive to a place, and to say how it stands in a file.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub fn start(place: Place, archive: PathBuf, told: PathBuf) -> io::Result<Uploads> {
        let shared = Arc::new(Shared::default());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let mut copies = Copies {
            told: Told {
                place: place.as_str().to_owned(),
                ..Told::default()
            },
            is_owner: false,
            is_foreign: false,
            place,
            archive,
            path: told,
            shared: Arc::clone(&shared),
            held: None,
            needs: BTreeMap::new(),
        };
        // What an earlier start said is of another place, or of a store that has come back.
        copies.tell();
        let place = copies.place.as_str().to_owned();
        let thread = Builder::new().name("upload".into()).spawn(move || {
            runtime.block_on(copies.run());
            copies.told
        })?;
        Ok(Uploads {
            shared,
            place,
            thread,
        })
    }

    /// For the writer.
    pub fn handle(&self) -> Handle {
        Handle(Arc::clone(&self.shared))
    }

    /// Ends it; gives how the copies stand.
    pub fn end(self, end: End) -> Told {
        self.shared.lock().end = Some(end);
        self.shared.changed.notify_one();
        self.thread.join().unwrap_or_else(|_| Told {
            place: self.place,
            failing: Some("the thread that copies has ended unexpectedly".to_owned()),
            ..Told::default()
        })
    }
}

struct Copies {
    place: Place,
    /// The place is known to be this crawl's.
    is_owner: bool,
    /// It is another crawl's, which no waiting mends.
    is_foreign: bool,
    archive: PathBuf,
    path: PathBuf,
    shared: Arc<Shared>,
    /// What the store has, once it has said so.
    held: Option<BTreeMap<String, u64>>,
    /// For each closed journal file the last bodies file of its time.
    needs: BTreeMap<u32, u32>,
    told: Told,
}

/// A closed file.
#[derive(Debug)]
struct Closed {
    name: String,
    bytes: u64,
    number: u32,
    is_journal: bool,
}

impl Copies {
    async fn run(&mut self) {
        let shared = Arc::clone(&self.shared);
        let mut pause = PAUSE_FIRST;
        let mut ending: Option<Instant> = None;
        loop {
            let end = shared.lock().end;
            if end == Some(End::Stop) {
                return self.tell();
            }
            if end == Some(End::Finish) {
                ending.get_or_insert_with(Instant::now);
            }
            let step = tokio::select! {
                step = self.step(end.is_some()) => step,
                () = stopped(&shared) => return self.tell(),
            };
            match step {
                Ok(true) => {
                    self.mend();
                    pause = PAUSE_FIRST;
                    ending = ending.map(|_| Instant::now());
                }
                Ok(false) => {
                    // The store has said what it has, so it answers.
                    self.mend();
                    pause = PAUSE_FIRST;
                    if ending.is_some() {
                        return self.tell();
                    }
                    shared.changed.notified().await;
                }
                Err(why) => {
                    self.fail(&why);
                    let is_over =
                        |since: Instant| self.is_foreign || since.elapsed() + pause > END_PATIENCE;
                    if ending.is_some_and(is_over) {
                        return self.tell();
                    }
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = shared.changed.notified() => {}
                        () = stopped(&shared) => {}
                    }
                    pause = (pause * 2).min(PAUSE_MAX);
                }
            }
        }
    }

    /// Copies the next file; false when all that are closed are there.
    async fn step(&mut self, is_ending: bool) -> Result<bool, String> {
        if self.held.is_none() {
            // Until the store says what it has, nothing is known to be there.
            self.look(is_ending)?;
            self.held = Some(copy::held(&self.place).await?);
            self.look(is_ending)?;
            self.tell();
        }
        let Some(next) = self.look(is_ending)? else {
            self.tell();
            return Ok(false);
        };
        if !self.is_owner {
            let held = self.held.as_ref().map_or(0, BTreeMap::len);
            let foreign = copy::own(&self.place, &identity(&self.archive)?, held).await?;
            self.is_foreign = foreign.is_some();
            if let Some(why) = foreign {
                return Err(format!(
                    "{why}, and they are left alone: choose another prefix for this one"
                ));
            }
            self.is_owner = true;
        }
        let bytes = copy::copy(&self.place, &self.archive, &next).await?;
        tracing::debug!(file = next, bytes, place = self.place.as_str(), "copied");
        if let Some(held) = &mut self.held {
            held.insert(next, bytes);
        }
        self.look(is_ending)?;
        self.tell();
        Ok(true)
    }

    /// Looks which files are closed, and counts; gives the next that is not there: bodies before the
    /// journal that points at them.
    fn look(&mut self, is_ending: bool) -> Result<Option<String>, String> {
        let (bodies, journal) = {
            let state = self.shared.lock();
            (state.bodies, state.journal)
        };
        let files = closed(&self.archive, (bodies, journal), is_ending)?;
        let empty = BTreeMap::new();
        let held = self.held.as_ref().unwrap_or(&empty);
        let is_held = |file: &&Closed| held.get(&file.name) == Some(&file.bytes);
        let last_bodies = files.iter().filter(|file| !file.is_journal);
        let last_bodies = last_bodies.map(|file| file.number).max().unwrap_or(0);
        let of_its_time = if is_ending { last_bodies } else { bodies };
        for file in files.iter().filter(|file| file.is_journal) {
            let needs = self.needs.entry(file.number).or_insert(of_its_time);
            // At the end there is none beyond the last.
            *needs = if is_ending {
                (*needs).min(last_bodies)
            } else {
                *needs
            };
        }
        let there = || files.iter().filter(is_held);
        let missing = || files.iter().filter(|file| !is_held(file));
        let journals: BTreeSet<u32> = there()
            .filter(|file| file.is_journal)
            .map(|file| file.number)
            .collect();
        let bodies_missing = missing().filter(|file| !file.is_journal);
        let still_open = (!is_ending).then_some(bodies);
        let bodies_missing = bodies_missing
            .map(|file| file.number)
            .chain(still_open)
            .min();
        self.told.files = there().count() as u64;
        self.told.bytes = there().map(|file| file.bytes).sum();
        self.told.waiting = missing().count() as u64;
        self.told.safe_journal = safe_journals(&self.needs, &journals, bodies_missing);
        let next = missing().min_by_key(|file| (file.is_journal, file.number));
        Ok(next.map(|file| file.name.clone()))
    }

    fn mend(&mut self) {
        if self.told.failing.take().is_some() {
            self.told.failing_since_ms = None;
            self.told.tries = 0;
            tracing::info!(
                place = self.place.as_str(),
                "archive files are copied again"
            );
            self.tell();
        }
    }

    fn fail(&mut self, why: &str) {
        if self.told.failing.is_none() {
            tracing::warn!(
                "archive files cannot be copied to {} ({why}); the crawl goes on, and it is tried again",
                self.place.as_str()
            );
            self.told.failing_since_ms = Some(unix_ms());
        }
        self.told.failing = Some(why.to_owned());
        self.told.tries += 1;
        self.tell();
    }

    fn tell(&self) {
        if let Err(error) = self.told.write(&self.path) {
            tracing::debug!("write {}: {error}", self.path.display());
        }
    }
}

/// What tells one crawl's archive from any other's: how its journal begins, with the time of the first start.
fn identity(archive: &Path) -> Result<String, String> {
    let path = archive.join(format!("00001{JOURNAL}"));
    let mut begin = Vec::new();
    let file = std::fs::File::open(&path);
    let read = file.and_then(|file| file.take(IDENTITY_BYTES).read_to_end(&mut begin));
    read.map_err(|error| format!("read {}: {error}", path.display()))?;
    Ok(format!("{:016x}\n", xxh3_64(&begin)))
}

/// Ends when the thread is to stop at once.
async fn stopped(shared: &Shared) {
    loop {
        if shared.lock().end == Some(End::Stop) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The closed files of an archive: those before the files that are written now; at the end all.
fn closed(dir: &Path, (bodies, journal): (u32, u32), all: bool) -> Result<Vec<Closed>, String> {
    let unread = |error: io::Error| format!("read {}: {error}", dir.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let (digits, is_journal) = match (name.strip_suffix(JOURNAL), name.strip_suffix(BODIES)) {
            (Some(digits), _) => (digits, true),
            (None, Some(digits)) => (digits, false),
            (None, None) => continue,
        };
        let Ok(number) = digits.parse::<u32>() else {
            continue;
        };
        let open = if is_journal { journal } else { bodies };
        if all || number < open {
            let bytes = entry.metadata().map_err(unread)?.len();
            files.push(Closed {
                name,
                bytes,
                number,
                is_journal,
            });
        }
    }
    Ok(files)
}

#[expect(
    clippy::disallowed_methods,
    reason = "told to people; nothing is decided by it"
)]
fn unix_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(dir: &Path, name: &str, bytes: usize) {
        std::fs::write(dir.join(name), vec![7; bytes]).expect("is written");
    }

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).expect("a directory");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<String> = names
            .map(|name| name.into_string().expect("UTF-8"))
            .collect();
        names.sort();
        names
    }

    #[test]
    fn closed_files_are_copied_once_and_the_last_ones_at_the_end() {
        let dir = tempfile::tempdir().expect("a directory");
        let (archive, copies) = (dir.path().join("archive"), dir.path().join("copies"));
        std::fs::create_dir(&archive).expect("is made");
        let told = dir.path().join("uploads.json");
        // One of two parts and a byte, some of one.
        write(&archive, "00001.warc.gz", (16 << 20) + 1);
        write(&archive, "00002.warc.gz", 10);
        write(&archive, "00001.meta.warc.gz", 20);
        write(&archive, "00002.meta.warc.gz", 0);
        write(&archive, "synced", 5);
        let place = || Place::open(&format!("file://{}", copies.display())).expect("opens");
        let uploads = Uploads::start(place(), archive.clone(), told.clone()).expect("a thread");
        uploads.handle().note_closed(2, 2);
        let until = Instant::now() + Duration::from_secs(20);
        while Told::read(&told).is_none_or(|told| told.files < 2) {
            assert!(Instant::now() < until, "nothing is copied");
            std::thread::park_timeout(Duration::from_millis(10));
        }
        let two = ["00001.meta.warc.gz", "00001.warc.gz", copy::OWNER];
        assert_eq!(names(&copies), two);
        // The journal's bodies may go on in the open file.
        assert_eq!(Told::read(&told).expect("is told").safe_journal, 0);
        let ended = uploads.end(End::Finish);
        assert_eq!((ended.files, ended.waiting, ended.safe_journal), (4, 0, 2));
        assert_eq!(names(&copies).len(), 5);
        let copied = std::fs::read(copies.join("00001.warc.gz")).expect("is there");
        assert_eq!(copied.len(), (16 << 20) + 1);
        // A file that has grown, and one that is damaged there, are copied anew; others are not.
        write(&archive, "00002.warc.gz", 11);
        write(&copies, "00001.meta.warc.gz", 3);
        let before = std::fs::metadata(copies.join("00001.warc.gz")).expect("is there");
        let again = Uploads::start(place(), archive, told).expect("a thread");
        assert_eq!(again.end(End::Finish).waiting, 0);
        let after = std::fs::metadata(copies.join("00001.warc.gz")).expect("is there");
        assert_eq!(before.modified().ok(), after.modified().ok());
        let lengths = ["00002.warc.gz", "00001.meta.warc.gz"].map(|name| {
            std::fs::metadata(copies.join(name))
                .expect("is there")
                .len()
        });
        assert_eq!(lengths, [11, 20]);
    }

    #[test]
    fn the_copies_of_another_crawl_are_left_alone() {
        let dir = tempfile::tempdir().expect("a directory");
        let copies = dir.path().join("copies");
        let place = || Place::open(&format!("file://{}", copies.display())).expect("opens");
        let copied = |name: &str, bytes: usize| {
            let archive = dir.path().join(name);
            std::fs::create_dir_all(&archive).expect("is made");
            write(&archive, "00001.meta.warc.gz", bytes);
            let told = dir.path().join("uploads.json");
            Uploads::start(place(), archive, told)
                .expect("a thread")
                .end(End::Finish)
        };
        assert_eq!(copied("one", 20).waiting, 0);
        assert_eq!(copied("one", 20).failing, None);
        let other = copied("two", 30);
        assert_eq!((other.files, other.waiting), (0, 1));
        assert!(
            other
                .failing
                .is_some_and(|why| why.contains("another crawl"))
        );
        let there = std::fs::metadata(copies.join("00001.meta.warc.gz")).expect("is there");
        assert_eq!(there.len(), 20);
        std::fs::remove_file(copies.join(copy::OWNER)).expect("was there");
        let unknown = copied("one", 21)
            .failing
            .expect("it is not known whose they are");
        assert!(unknown.contains("no crawl is named"), "{unknown}");
    }
}
