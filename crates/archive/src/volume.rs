//! One archive file that is being written: a buffer, and the file behind it.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::layout::{self, Kind};
use crate::member::{Packer, Packing};
use crate::{ArchiveError, Position};

/// Capacity that an emptied buffer keeps, at most.
const BUFFER_KEPT_BYTES: usize = 4 << 20;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Volume {
    pub(crate) number: u32,
    path: PathBuf,
    file: File,
    written: u64,
    buffer: Vec<u8>,
    /// Whether bytes were written since the last sync.
    unsynced: bool,
}

impl Volume {
    /// Creates file number `number`.
    pub(crate) fn create(dir: &Path, kind: Kind, number: u32) -> Result<Volume, ArchiveError> {
        let path = kind.path(dir, number);
        let file = layout::create(&path).map_err(ArchiveError::write(&path))?;
        Ok(Volume {
            number,
            path,
            file,
            written: 0,
            buffer: Vec::new(),
            unsynced: false,
        })
    }

    /// Goes on writing at the end of file number `number`.
    pub(crate) fn resume(dir: &Path, kind: Kind, number: u32) -> Result<Volume, ArchiveError> {
        let path = kind.path(dir, number);
        let mut file = OpenOptions::new()
            .write(true)
            .open(&path)
            .map_err(ArchiveError::write(&path))?;
        let written = file
            .seek(SeekFrom::End(0))
            .map_err(ArchiveError::write(&path))?;
        Ok(Volume {
            number,
            path,
            file,
            written,
            buffer: Vec::new(),
            unsynced: false,
        })
    }

    /// The file's length, with what is still in the buffer.
    pub(crate) fn bytes(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    /// The end of the file, with what is still in the buffer.
    pub(crate) fn end(&self) -> Position {
        Position::new(self.number, self.bytes())
    }

    /// Bytes in the buffer.
    pub(crate) fn buffered(&self) -> usize {
        self.buffer.len()
    }

    /// Adds a record; gives its offset and length.
    pub(crate) fn add(
        &mut self,
        packer: &mut Packer,
        packing: Packing,
        parts: &[&[u8]],
    ) -> (u64, u64) {
        let offset = self.bytes();
        let bytes = packer.pack(packing, parts, &mut self.buffer);
        (offset, bytes as u64)
    }

    /// Writes the buffer to the file.
    pub(crate) fn flush(&mut self) -> Result<(), ArchiveError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.unsynced = true;
        self.file
            .write_all(&self.buffer)
            .map_err(ArchiveError::write(&self.path))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        self.buffer.shrink_to(BUFFER_KEPT_BYTES);
        Ok(())
    }

    /// Writes the buffer to the file where a record that ends there is still in it.
    pub(crate) fn flush_to(&mut self, file: u32, end: u64) -> Result<(), ArchiveError> {
        match file == self.number && end > self.written {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Flushes, and makes everything written durable.
    pub(crate) fn sync(&mut self) -> Result<(), ArchiveError> {
        self.flush()?;
        if self.unsynced {
            self.file
                .sync_data()
                .map_err(ArchiveError::write(&self.path))?;
            self.unsynced = false;
        }
        Ok(())
    }
}
