//! The two directories through which the engine sees the index's files: the writer's and the
//! searchers'.
//!
//! The writer reads files with `pread` instead of a memory map. A merge reads all of the segments it
//! merges; through a memory map all of that counts as this process's memory until the merge ends, some
//! hundred megabytes at ten thousand pages and more with each larger merge. As a merge reads each part
//! of a file in order, a window of [`WINDOW_BYTES`] for each file serves most reads from memory.
//!
//! Searchers read small pieces all over the files, so they keep the map. Their directory may be on a
//! disk that cannot be written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::HasLen;
use tantivy::directory::error::{
    DeleteError, LockError, OpenDirectoryError, OpenReadError, OpenWriteError,
};
use tantivy::directory::{
    AntiCallToken, Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes,
    TerminatingWrite, WatchCallback, WatchHandle, WritePtr,
};

/// Bytes of a file that are read at once when fewer are asked for.
const WINDOW_BYTES: usize = 128 << 10;

/// The writer's directory: its files are read with `pread`, all else is the engine's own.
#[derive(Debug, Clone)]
pub(crate) struct PreadDirectory {
    root: PathBuf,
    engine: MmapDirectory,
    failed: FailedWrite,
}

/// What kind of error the last write met that failed. The engine writes with threads of its own, and hands on the
/// words of their errors alone.
#[derive(Debug, Clone, Default)]
pub(crate) struct FailedWrite(Arc<Mutex<Option<io::ErrorKind>>>);

impl FailedWrite {
    /// The kind, since this was asked last.
    pub(crate) fn take(&self) -> Option<io::ErrorKind> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn note<T>(&self, written: io::Result<T>) -> io::Result<T> {
        written.inspect_err(|error| {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.kind());
        })
    }
}

/// A file that is written, and notes when that fails.
struct NotedFile {
    file: WritePtr,
    failed: FailedWrite,
}

impl Write for NotedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.failed.note(self.file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.failed.note(self.file.flush())
    }
}

impl TerminatingWrite for NotedFile {
    fn terminate_ref(&mut self, token: AntiCallToken) -> io::Result<()> {
        self.failed.note(self.file.terminate_ref(token))
    }
}

impl PreadDirectory {
    /// Opens `root`, which must be there.
    pub(crate) fn open(root: &Path) -> Result<PreadDirectory, OpenDirectoryError> {
        Ok(PreadDirectory {
            root: root.to_owned(),
            engine: MmapDirectory::open(root)?,
            failed: FailedWrite::default(),
        })
    }

    /// Tells of writes that failed.
    pub(crate) fn failed(&self) -> FailedWrite {
        self.failed.clone()
    }
}

/// The methods of a directory that are the engine's own.
macro_rules! engine_methods {
    () => {
        fn delete(&self, path: &Path) -> Result<(), DeleteError> {
            self.engine.delete(path)
        }

        fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
            self.engine.exists(path)
        }

        fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
            self.engine.atomic_read(path)
        }

        fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
            self.engine.watch(callback)
        }
    };
}

/// The searchers' directory. A searcher takes a lock, so that no file is deleted while it opens them.
/// Where it may not create the lock's file, it goes on without: either no writer can delete a file
/// there, or the writer is another user's, and a search that fails can be tried again.
#[derive(Debug, Clone)]
pub(crate) struct ReadOnlyDirectory {
    engine: MmapDirectory,
}

impl ReadOnlyDirectory {
    /// Opens `root`, which must be there.
    pub(crate) fn open(root: &Path) -> Result<ReadOnlyDirectory, OpenDirectoryError> {
        let engine = MmapDirectory::open(root)?;
        Ok(ReadOnlyDirectory { engine })
    }
}

impl Directory for ReadOnlyDirectory {
    engine_methods!();

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.engine.open_write(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.engine.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.engine.sync_directory()
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.engine.get_file_handle(path)
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.engine.acquire_lock(lock) {
            Err(LockError::IoError(error))
                if matches!(
                    error.kind(),
                    io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied
                ) =>
            {
                Ok(DirectoryLock::from(Box::new(())))
            }
            result => result,
        }
    }
}

impl Directory for PreadDirectory {
    engine_methods!();

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        let noted = NotedFile {
            file: self.engine.open_write(path)?,
            failed: self.failed.clone(),
        };
        // The engine's file has a buffer already.
        Ok(BufWriter::with_capacity(0, Box::new(noted)))
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.failed.note(self.engine.atomic_write(path, data))
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.failed.note(self.engine.sync_directory())
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(error, path.to_owned()),
        };
        let file = File::open(self.root.join(path)).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len() as usize;
        Ok(Arc::new(PreadFile {
            file,
            len,
            window: Mutex::new((0, OwnedBytes::empty())),
        }))
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        self.engine.acquire_lock(lock)
    }
}

/// A file, and the window of it that was read last.
#[derive(Debug)]
struct PreadFile {
    file: File,
    len: usize,
    window: Mutex<(usize, OwnedBytes)>,
}

impl HasLen for PreadFile {
    fn len(&self) -> usize {
        self.len
    }
}

impl FileHandle for PreadFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.start > range.end || range.end > self.len {
            let why = format!("bytes {range:?} of a file of {}", self.len);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, why));
        }
        if range.len() >= WINDOW_BYTES {
            return self.read(range);
        }
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        let (start, bytes) = &*window;
        if range.start < *start || range.end > start + bytes.len() {
            let end = (range.start + WINDOW_BYTES).min(self.len);
            *window = (range.start, self.read(range.start..end)?);
        }
        let (start, bytes) = &*window;
        Ok(bytes.slice(range.start - start..range.end - start))
    }
}

impl PreadFile {
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let mut bytes = vec![0; range.len()];
        self.file.read_exact_at(&mut bytes, range.start as u64)?;
        Ok(OwnedBytes::new(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_order_of_reads_gives_the_file_s_bytes(
            len in 0usize..400_000,
            cuts in proptest::collection::vec((0usize..400_000, 0usize..200_000), 1..40),
        ) {
            let dir = tempfile::tempdir().unwrap();
            let content: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(2_654_435_761) >> 7) as u8).collect();
            std::fs::write(dir.path().join("a.store"), &content).unwrap();
            let directory = PreadDirectory::open(dir.path()).unwrap();
            let file = directory.get_file_handle(Path::new("a.store")).unwrap();
            for (start, length) in cuts {
                let start = start.min(len);
                let end = (start + length).min(len);
                let read = file.read_bytes(start..end).unwrap();
                prop_assert_eq!(read.as_slice(), &content[start..end]);
            }
            prop_assert!(file.read_bytes(0..len + 1).is_err());
        }
    }

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl TerminatingWrite for Full {
        fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_write_that_fails_is_noted_with_its_kind() {
        // The engine told "Internal error: 'No space left on device'", in words alone.
        let failed = FailedWrite::default();
        let mut file = NotedFile {
            file: BufWriter::with_capacity(0, Box::new(Full)),
            failed: failed.clone(),
        };
        assert_eq!(failed.take(), None);
        file.write_all(b"a segment").unwrap_err();
        assert_eq!(failed.take(), Some(io::ErrorKind::StorageFull));
        assert_eq!(failed.take(), None);
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let directory = PreadDirectory::open(dir.path()).unwrap();
        let error = directory
            .get_file_handle(Path::new("gone.pos"))
            .unwrap_err();
        assert!(
            matches!(error, OpenReadError::FileDoesNotExist(path) if path == Path::new("gone.pos"))
        );
    }
}
