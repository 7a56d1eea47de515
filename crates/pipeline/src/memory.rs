//! The file `state/memory`: what the state has in memory alone, saved now and then, so that a start
//! replays only the records after it.
//!
//! The writer saves it after a sync, so its journal position is never ahead of the archive. It only
//! writes the state to memory (see [`State::write_snapshot`]); a thread of its own packs that and
//! writes it beside the file before, syncs it, and lets it take that one's place. So there is always
//! one whole file or none.
//!
//! Which form it has, and when it is of no use: see [`crate::saved_file`].
//!
//! It is saved when the journal has grown by as many bytes as the last file had, and by
//! [`JOURNAL_MIN`] at least, and at an orderly end. So all files together are no larger than the
//! journal, and a start replays no more of it than one file's length.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use archive::Position;
use state::State;
use state::snapshot::{FORMAT, SnapshotError};
use tracing::{debug, info};

use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::saved_file::{self, Form, NewFile, Saved, Unusable};

/// The file's form.
pub(crate) const FORM: Form = Form {
    mark: b"tamis memory\0\0\0\0",
    format: FORMAT,
};

/// Bytes of journal between two files at least: with a topic, some two seconds of replay. Crash tests
/// save all the time.
const JOURNAL_MIN: u64 = if cfg!(feature = "failpoints") {
    4 << 10
} else {
    4 << 20
};

/// At an orderly end less has to be new: this share of it.
const SHARE_AT_END: u64 = 16;

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

/// A hash of what a state would save, as [`Saved::hash`] gives it.
pub(crate) fn hash_of(state: &State) -> Result<u64, SnapshotError> {
    saved_file::hash_of(|to| state.write_snapshot(to))
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
        let why = match Saved::open_of(&dir.memory(), FORM, memory.settings, end) {
            Ok(saved) => match take_up(&saved, state) {
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
        saved_file::remove(&dir.memory())?;
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
        let (chunks, inbox) = sync_channel(CHUNKS_MAX);
        let (dir, settings) = (self.dir.clone(), self.settings);
        let thread = Builder::new().name("save".into());
        let thread = thread.spawn(move || {
            let file = NewFile::begin(&dir.memory(), FORM, settings, position.0)?;
            write_file(file, &inbox)
        });
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

/// Lets a state take up what was saved of it.
fn take_up(saved: &Saved, state: &mut State) -> Result<(), SnapshotError> {
    state.read_snapshot(&mut saved.snapshot()?)
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
fn write_file(mut file: NewFile, inbox: &Receiver<Chunk>) -> io::Result<u64> {
    loop {
        match inbox.recv() {
            Ok(Chunk::Bytes(chunk)) => file.write_all(&chunk)?,
            Ok(Chunk::End(length)) => return file.finish(length),
            // Whoever wrote it has failed.
            Err(_) => return Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

#[cfg(test)]
mod tests;
