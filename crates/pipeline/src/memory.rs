//! The file `state/memory`: what the state has in memory alone, saved now and then, so that a start
//! replays only the records after it.
//!
//! The writer saves it after a sync, so its journal position is never ahead of the archive. It only
//! writes the state to memory (see [`State::write_snapshot`]); a thread of its own packs that and
//! writes it beside the file before, syncs it, and lets it take that one's place. So there is always
//! one whole file or none.
//!
//! ```text
//! file = mark (16 bytes), format (4), settings (16), position (8)
//!        snapshot, deflated
//!        length of the snapshot (8), checksum of all before (8)
//! ```
//!
//! A file that is missing, damaged, of another format or of other settings, or ahead of the archive,
//! is one that knows nothing: then the journal is replayed from its beginning.
//!
//! It is saved when the journal has grown by as many bytes as the last file had, and by
//! [`JOURNAL_MIN`] at least, and at an orderly end. So all files together are no larger than the
//! journal, and a start replays no more of it than one file's length.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use archive::Position;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use state::State;
use state::snapshot::{FORMAT, SnapshotError};
use tracing::{debug, info};
use xxhash_rust::xxh3::Xxh3;

use crate::dir::{CrawlDir, sync_dir};
use crate::error::CrawlError;
use crate::failpoint::fail_point;

const MARK: &[u8; 16] = b"tamis memory\0\0\0\0";

/// Bytes before and after the snapshot.
const HEAD_BYTES: usize = 16 + 4 + 16 + 8;
const TAIL_BYTES: u64 = 8 + 8;

/// Bytes of journal between two files at least: with a topic, some two seconds of replay. Crash tests
/// save all the time.
const JOURNAL_MIN: u64 = if cfg!(feature = "failpoints") {
    4 << 10
} else {
    4 << 20
};

/// At an orderly end less has to be new: this share of it.
const SHARE_AT_END: u64 = 16;

/// A snapshot is no longer than so many times its file, and [`UNPACKED_MIN`].
const UNPACKED_MAX: u64 = 64;

/// What an empty state may take.
const UNPACKED_MIN: u64 = 64 << 20;

/// What is handed to the thread at once, and how much may wait for it.
const CHUNK_BYTES: usize = 1 << 20;
const CHUNKS_MAX: usize = 32;

/// Saves the state's memory in the background.
pub(crate) struct MemoryFile {
    dir: CrawlDir,
    settings: u128,
    /// Where the journal was when it was looked at last.
    seen: Position,
    /// Bytes of journal since the last file.
    journal_bytes: u64,
    /// Bytes of the last file.
    file_bytes: u64,
    under_way: Option<JoinHandle<io::Result<u64>>>,
}

/// A file's head and tail, found whole.
pub(crate) struct Saved {
    /// The journal position.
    pub(crate) position: u64,
    settings: u128,
    file: File,
    file_bytes: u64,
    unpacked_bytes: u64,
}

/// Why a file is of no use.
pub(crate) enum Unusable {
    /// There is none.
    Missing,
    /// For this reason.
    Because(String),
}

impl Saved {
    /// Opens the file, and reads it through once.
    pub(crate) fn open(path: &Path) -> Result<Self, Unusable> {
        match Self::read(path) {
            Ok(saved) => saved.map_err(Unusable::Because),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Unusable::Missing),
            Err(error) => Err(Unusable::Because(error.to_string())),
        }
    }

    fn read(path: &Path) -> io::Result<Result<Self, String>> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let damaged = || Ok(Err("it is damaged".to_owned()));
        let Some(body_bytes) = file_bytes.checked_sub(HEAD_BYTES as u64 + TAIL_BYTES) else {
            return damaged();
        };
        let mut from = BufReader::with_capacity(1 << 18, &file);
        let mut head = [0; HEAD_BYTES];
        from.read_exact(&mut head)?;
        let (mark, rest) = head.split_at(MARK.len());
        let format = number(&rest[..4]);
        if mark != MARK {
            return damaged();
        }
        if format != u128::from(FORMAT) {
            return Ok(Err("it is of another version".to_owned()));
        }
        let mut hash = Xxh3::new();
        hash.update(&head);
        io::copy(&mut (&mut from).take(body_bytes), &mut Hashed(&mut hash))?;
        let mut tail = [0; TAIL_BYTES as usize];
        from.read_exact(&mut tail)?;
        let (length, checksum) = tail.split_at(8);
        hash.update(length);
        let unpacked_bytes = number(length) as u64;
        let is_long = unpacked_bytes > file_bytes.saturating_mul(UNPACKED_MAX) + UNPACKED_MIN;
        if number(checksum) != u128::from(hash.digest()) || is_long {
            return damaged();
        }
        drop(from);
        Ok(Ok(Self {
            settings: number(&rest[4..20]),
            position: number(&rest[20..28]) as u64,
            file,
            file_bytes,
            unpacked_bytes,
        }))
    }

    /// The snapshot in it.
    fn snapshot(&self) -> io::Result<impl Read + '_> {
        use std::io::Seek;
        let mut file = &self.file;
        file.seek(io::SeekFrom::Start(HEAD_BYTES as u64))?;
        let packed = file.take(self.file_bytes - HEAD_BYTES as u64 - TAIL_BYTES);
        let unpacked = DeflateDecoder::new(BufReader::with_capacity(1 << 18, packed));
        Ok(unpacked.take(self.unpacked_bytes))
    }

    /// Whether it was made under the settings of a state.
    pub(crate) fn is_of(&self, state: &State) -> bool {
        self.settings == state.settings()
    }

    /// Lets a state take it up.
    fn take_up(&self, state: &mut State) -> Result<(), SnapshotError> {
        state.read_snapshot(&mut self.snapshot()?)
    }

    /// A hash of the snapshot in it.
    pub(crate) fn hash(&self) -> io::Result<u64> {
        let mut hash = Xxh3::new();
        io::copy(&mut self.snapshot()?, &mut Hashed(&mut hash))?;
        Ok(hash.digest())
    }
}

/// The same hash of what a state would save.
pub(crate) fn hash_of(state: &State) -> Result<u64, SnapshotError> {
    let mut hash = Xxh3::new();
    state.write_snapshot(&mut Hashed(&mut hash))?;
    Ok(hash.digest())
}

/// A number of up to sixteen bytes, little-endian.
fn number(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, byte| number << 8 | u128::from(*byte))
}

impl MemoryFile {
    /// Lets a new state take up what was saved of it; `end` is where the archive ends. Gives the
    /// journal position that it follows from, and says what is built again.
    pub(crate) fn open(
        dir: &CrawlDir,
        state: &mut State,
        end: u64,
        notes: &mut Vec<String>,
    ) -> Result<(Self, u64), CrawlError> {
        let began = Instant::now();
        let mut memory = Self {
            dir: dir.clone(),
            settings: state.settings(),
            seen: Position::START,
            journal_bytes: 0,
            file_bytes: 0,
            under_way: None,
        };
        let why = match Saved::open(&dir.memory()) {
            Ok(saved) if saved.position > end => {
                "it was ahead of it (was the archive restored from a backup?)".to_owned()
            }
            Ok(saved) if !saved.is_of(state) => "its settings were others".to_owned(),
            Ok(saved) => match saved.take_up(state) {
                Ok(()) => {
                    memory.seen = Position(saved.position);
                    memory.file_bytes = saved.file_bytes;
                    let (bytes, ms) = (saved.file_bytes, began.elapsed().as_millis() as u64);
                    info!(bytes, ms, record = state.seq(), "memory loaded");
                    return Ok((memory, saved.position));
                }
                Err(SnapshotError::State(error)) => {
                    return Err(CrawlError::Setup(error.to_string()));
                }
                Err(error) => error.to_string(),
            },
            Err(Unusable::Missing) => {
                let end = Position(end);
                // A shorter journal may never have had one.
                if end.file() > 1 || end.offset() > 2 * JOURNAL_MIN {
                    notes.push("memory: rebuilt from the archive".to_owned());
                }
                return Ok((memory, 0));
            }
            Err(Unusable::Because(why)) => why,
        };
        // Else it could pass for good once the archive has grown.
        remove(&dir.memory())?;
        notes.push(format!("memory: rebuilt from the archive, because {why}"));
        Ok((memory, 0))
    }

    /// Takes note of how far the journal is.
    pub(crate) fn journal_at(&mut self, position: Position) {
        let before = match position.file() == self.seen.file() {
            true => self.seen.offset(),
            false => 0,
        };
        self.journal_bytes += position.offset().saturating_sub(before);
        self.seen = position;
    }

    /// Saves a state that holds all up to a synced position, if it is time.
    ///
    /// # Errors
    /// When the last file could not be written.
    pub(crate) fn save_if_due(
        &mut self,
        state: &State,
        position: Position,
    ) -> Result<(), CrawlError> {
        self.journal_at(position);
        if self.journal_bytes < self.file_bytes.max(JOURNAL_MIN) {
            return Ok(());
        }
        if self
            .under_way
            .as_ref()
            .is_some_and(|thread| !thread.is_finished())
        {
            return Ok(());
        }
        self.wait()?;
        // The size of the file that has just been written may say that it is too early.
        match self.journal_bytes < self.file_bytes {
            true => Ok(()),
            false => self.save(state, position),
        }
    }

    /// Saves it at an orderly end, and waits until it is done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn save_at_end(
        &mut self,
        state: &State,
        position: Position,
    ) -> Result<(), CrawlError> {
        self.journal_at(position);
        self.wait()?;
        if self.journal_bytes > self.file_bytes / SHARE_AT_END {
            self.save(state, position)?;
        }
        self.wait()
    }

    fn save(&mut self, state: &State, position: Position) -> Result<(), CrawlError> {
        let began = Instant::now();
        let mut head = Vec::with_capacity(HEAD_BYTES);
        head.extend(MARK);
        head.extend(FORMAT.to_le_bytes());
        head.extend(self.settings.to_le_bytes());
        head.extend(position.0.to_le_bytes());
        let (chunks, inbox) = sync_channel(CHUNKS_MAX);
        let dir = self.dir.clone();
        let thread = Builder::new().name("save".into());
        let thread = thread.spawn(move || write_file(&dir, &head, &inbox));
        self.under_way = Some(thread.map_err(|error| self.failed(error))?);
        let mut to = Chunks {
            chunk: Vec::new(),
            chunks,
            length: 0,
        };
        let written = state.write_snapshot(&mut to);
        let ended = written.map_err(to_io).and_then(|()| to.end());
        if let Err(error) = ended {
            // The thread has ended first: what it says is the cause.
            self.wait()?;
            return Err(self.failed(error));
        }
        let ms = began.elapsed().as_millis() as u64;
        debug!(ms, record = state.seq(), "memory handed over to be saved");
        self.journal_bytes = 0;
        Ok(())
    }

    /// Waits for the file under way.
    fn wait(&mut self) -> Result<(), CrawlError> {
        let Some(thread) = self.under_way.take() else {
            return Ok(());
        };
        let saved = thread
            .join()
            .map_err(|_| CrawlError::Panicked("saving of the memory"))?;
        self.file_bytes = saved.map_err(|error| self.failed(error))?;
        debug!(bytes = self.file_bytes, "memory saved");
        Ok(())
    }

    fn failed(&self, source: io::Error) -> CrawlError {
        CrawlError::Directory {
            what: format!("write to {}", self.dir.memory().display()),
            source,
        }
    }
}

impl Drop for MemoryFile {
    /// Who has the directory next must not meet the thread.
    fn drop(&mut self) {
        if let Some(thread) = self.under_way.take() {
            // The crawl has ended by another error, which is told.
            let _ = thread.join();
        }
    }
}

fn to_io(error: SnapshotError) -> io::Error {
    match error {
        SnapshotError::Io(error) => error,
        error => io::Error::other(error),
    }
}

/// Throws the file away.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn remove(path: &Path) -> Result<(), CrawlError> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(CrawlError::Directory {
            what: format!("remove {}", path.display()),
            source,
        }),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// What is handed to the thread.
enum Chunk {
    Bytes(Vec<u8>),
    /// The whole snapshot was written, and has this length.
    End(u64),
}

/// Hands a snapshot over in chunks.
struct Chunks {
    chunk: Vec<u8>,
    chunks: SyncSender<Chunk>,
    length: u64,
}

impl Chunks {
    fn hand_over(&self, chunk: Chunk) -> io::Result<()> {
        let sent = self.chunks.send(chunk);
        sent.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn end(mut self) -> io::Result<()> {
        self.flush()?;
        self.hand_over(Chunk::End(self.length))
    }
}

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = CHUNK_BYTES - self.chunk.len();
        let taken = &bytes[..bytes.len().min(room)];
        self.chunk.extend_from_slice(taken);
        self.length += taken.len() as u64;
        if self.chunk.len() == CHUNK_BYTES {
            self.flush()?;
        }
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let chunk = std::mem::take(&mut self.chunk);
        self.hand_over(Chunk::Bytes(chunk))
    }
}

/// Packs and writes a snapshot; gives the file's length.
fn write_file(dir: &CrawlDir, head: &[u8], inbox: &Receiver<Chunk>) -> io::Result<u64> {
    let (path, new) = (dir.memory(), dir.memory().with_extension("new"));
    let mut file = File::create(&new)?;
    let mut to = Summed {
        to: BufWriter::with_capacity(1 << 18, &mut file),
        hash: Xxh3::new(),
        length: 0,
    };
    to.write_all(head)?;
    let mut packed = DeflateEncoder::new(to, Compression::fast());
    let length = loop {
        match inbox.recv() {
            Ok(Chunk::Bytes(chunk)) => packed.write_all(&chunk)?,
            Ok(Chunk::End(length)) => break length,
            // Whoever wrote it has failed.
            Err(_) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    };
    let mut to = packed.finish()?;
    to.write_all(&length.to_le_bytes())?;
    let checksum = to.hash.digest();
    to.write_all(&checksum.to_le_bytes())?;
    to.flush()?;
    let file_bytes = to.length;
    drop(to);
    fail_point!("memory:before-sync");
    file.sync_all()?;
    fail_point!("memory:before-rename");
    std::fs::rename(&new, &path)?;
    fail_point!("memory:after-rename");
    if let Some(above) = path.parent() {
        sync_dir(above)?;
    }
    Ok(file_bytes)
}

/// Takes the hash of what is written.
struct Hashed<'h>(&'h mut Xxh3);

impl Write for Hashed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes on, with length and hash.
struct Summed<W> {
    to: W,
    hash: Xxh3,
    length: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests;
