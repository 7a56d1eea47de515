//! One file with what a fold over the journal has come to, and the journal position that it follows from,
//! such as the state's memory (see [`crate::memory`]).
//!
//! ```text
//! file = mark (16 bytes), format (4), settings (16), position (8)
//!        snapshot, deflated
//!        length of the snapshot (8), checksum of all before (8)
//! ```
//!
//! It is written beside the file before, synced, and takes that one's place, so there is always one whole
//! file or none. A file that is missing, damaged, of another format or of other settings, or ahead of the
//! archive, is one that knows nothing: then the journal is read from its beginning.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use xxhash_rust::xxh3::Xxh3;

use crate::dir::sync_dir;
use crate::error::CrawlError;
use crate::failpoint::fail_point;

/// Bytes before and after the snapshot.
pub(crate) const HEAD_BYTES: usize = 16 + 4 + 16 + 8;
const TAIL_BYTES: u64 = 8 + 8;

/// A snapshot is no longer than so many times its file, and [`UNPACKED_MIN`].
const UNPACKED_MAX: u64 = 64;

/// What an empty state may take.
const UNPACKED_MIN: u64 = 64 << 20;

/// What a file holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// Its first bytes.
    pub(crate) mark: &'static [u8; 16],
    /// The form of the snapshot, and what records do to what is saved.
    pub(crate) format: u32,
}

/// A file's head and tail, found whole.
#[derive(Debug)]
pub(crate) struct Saved {
    /// The journal position.
    pub(crate) position: u64,
    settings: u128,
    file: File,
    /// Bytes of the file.
    pub(crate) file_bytes: u64,
    unpacked_bytes: u64,
}

/// Why a file is of no use.
#[derive(Debug)]
pub(crate) enum Unusable {
    /// There is none.
    Missing,
    /// For this reason.
    Because(String),
}

impl Saved {
    /// Opens the file, and reads it through once.
    pub(crate) fn open(path: &Path, form: Form) -> Result<Self, Unusable> {
        match Self::read(path, form) {
            Ok(saved) => saved.map_err(Unusable::Because),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Unusable::Missing),
            Err(error) => Err(Unusable::Because(error.to_string())),
        }
    }

    /// The same, where it was made under these settings and is not ahead of the archive's end.
    pub(crate) fn open_of(
        path: &Path,
        form: Form,
        settings: u128,
        end: u64,
    ) -> Result<Self, Unusable> {
        let why = match Self::open(path, form)? {
            saved if saved.position > end => {
                "it was ahead of it (was the archive restored from a backup?)"
            }
            saved if !saved.is_of(settings) => "its settings were others",
            saved => return Ok(saved),
        };
        Err(Unusable::Because(why.to_owned()))
    }

    fn read(path: &Path, form: Form) -> io::Result<Result<Self, String>> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let damaged = || Ok(Err("it is damaged".to_owned()));
        let Some(body_bytes) = file_bytes.checked_sub(HEAD_BYTES as u64 + TAIL_BYTES) else {
            return damaged();
        };
        let mut from = BufReader::with_capacity(1 << 18, &file);
        let mut head = [0; HEAD_BYTES];
        from.read_exact(&mut head)?;
        let (mark, rest) = head.split_at(form.mark.len());
        let format = number(&rest[..4]);
        if mark != form.mark {
            return damaged();
        }
        if format != u128::from(form.format) {
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
    pub(crate) fn snapshot(&self) -> io::Result<impl Read + '_> {
        use std::io::Seek;
        let mut file = &self.file;
        file.seek(io::SeekFrom::Start(HEAD_BYTES as u64))?;
        let packed = file.take(self.file_bytes - HEAD_BYTES as u64 - TAIL_BYTES);
        let unpacked = DeflateDecoder::new(BufReader::with_capacity(1 << 18, packed));
        Ok(unpacked.take(self.unpacked_bytes))
    }

    /// Whether it was made under these settings.
    pub(crate) fn is_of(&self, settings: u128) -> bool {
        self.settings == settings
    }

    /// A hash of the snapshot in it.
    pub(crate) fn hash(&self) -> io::Result<u64> {
        let mut hash = Xxh3::new();
        io::copy(&mut self.snapshot()?, &mut Hashed(&mut hash))?;
        Ok(hash.digest())
    }
}

/// A number of up to sixteen bytes, little-endian.
fn number(bytes: &[u8]) -> u128 {
    let bytes = bytes.iter().rev();
    bytes.fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// Throws a file away.
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

/// Throws a file away that is ahead of the archive's end, as when that was restored from a backup: it could pass
/// for good once the archive has grown. For who has the directory's lock.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn remove_ahead(path: &Path, end: u64) -> Result<(), CrawlError> {
    let mut head = [0; HEAD_BYTES];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    let position = number(&head[HEAD_BYTES - 8..]);
    match read.is_ok() && position > u128::from(end) {
        true => remove(path),
        false => Ok(()),
    }
}

/// A file that is being written: a snapshot is packed as it comes.
pub(crate) struct NewFile {
    path: PathBuf,
    new: PathBuf,
    packed: DeflateEncoder<Summed<BufWriter<File>>>,
}

impl NewFile {
    /// Begins a file that is to lie at `path`, for what follows from a journal position.
    pub(crate) fn begin(
        path: &Path,
        form: Form,
        settings: u128,
        position: u64,
    ) -> io::Result<Self> {
        let new = path.with_extension("new");
        let mut to = Summed {
            to: BufWriter::with_capacity(1 << 18, File::create(&new)?),
            hash: Xxh3::new(),
            length: 0,
        };
        to.write_all(form.mark)?;
        to.write_all(&form.format.to_le_bytes())?;
        to.write_all(&settings.to_le_bytes())?;
        to.write_all(&position.to_le_bytes())?;
        Ok(Self {
            path: path.to_owned(),
            new,
            packed: DeflateEncoder::new(to, Compression::fast()),
        })
    }

    /// Ends it after a snapshot of this length, and lets it take the place of the file before; gives the
    /// file's length.
    pub(crate) fn finish(self, length: u64) -> io::Result<u64> {
        let mut to = self.packed.finish()?;
        to.write_all(&length.to_le_bytes())?;
        let checksum = to.hash.digest();
        to.write_all(&checksum.to_le_bytes())?;
        let file_bytes = to.length;
        let file = to.to.into_inner().map_err(io::IntoInnerError::into_error)?;
        fail_point!("memory:before-sync");
        file.sync_all()?;
        fail_point!("memory:before-rename");
        std::fs::rename(&self.new, &self.path)?;
        fail_point!("memory:after-rename");
        if let Some(above) = self.path.parent() {
            sync_dir(above)?;
        }
        Ok(file_bytes)
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.packed.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.packed.flush()
    }
}

/// A hash of what is written, as [`Saved::hash`] gives it.
pub(crate) fn hash_of<E>(write: impl FnOnce(&mut Hashed<'_>) -> Result<(), E>) -> Result<u64, E> {
    let mut hash = Xxh3::new();
    write(&mut Hashed(&mut hash))?;
    Ok(hash.digest())
}

/// Takes the hash of what is written.
pub(crate) struct Hashed<'h>(&'h mut Xxh3);

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
