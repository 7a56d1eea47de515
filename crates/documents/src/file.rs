//! A file's bytes, within limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// Bytes of a file that are read; the limit of a crawl is lower.
pub const FILE_BYTES_MAX: u64 = 64 << 20;

/// How a gzip stream begins (RFC 1952, section 2.3.1).
pub(crate) const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b];

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there, or the system cannot read it.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is larger than any page.
    #[error("more than {} MB", FILE_BYTES_MAX >> 20)]
    TooLarge,
    /// It is a picture, a program, …
    #[error("it is no page and no text, but {0}")]
    NoText(String),
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> io::Error {
        match error {
            FileError::Read(error) => error,
            FileError::TooLarge | FileError::NoText(_) => io::Error::other(error.to_string()),
        }
    }
}

/// A file's bytes, or those of standard input for `-`.
///
/// # Errors
/// It cannot be read, or is larger than [`FILE_BYTES_MAX`].
pub fn read(file: &Path) -> Result<Vec<u8>, FileError> {
    match file == Path::new("-") {
        true => bounded(io::stdin().lock()),
        false => bounded(File::open(file)?),
    }
}

/// The bytes of a file that is a page or a text; `-` is standard input.
///
/// # Errors
/// As [`read`], and when it is no text in any encoding.
pub fn read_text(file: &Path) -> Result<Vec<u8>, FileError> {
    text(read(file)?)
}

/// As [`read_text`]; a file that is gzipped in itself is unpacked first.
///
/// # Errors
/// As [`read_text`]; the limit holds for what is unpacked.
pub fn read_unpacked(file: &Path) -> Result<Vec<u8>, FileError> {
    let bytes = read(file)?;
    match bytes.starts_with(GZIP_MAGIC) {
        true => text(bounded(MultiGzDecoder::new(bytes.as_slice()))?),
        false => text(bytes),
    }
}

fn bounded(input: impl Read) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    input.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > FILE_BYTES_MAX {
        true => Err(FileError::TooLarge),
        false => Ok(bytes),
    }
}

fn text(bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    match fetcher::binary_type(&bytes) {
        Some(found) => Err(FileError::NoText(found)),
        None => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::PathBuf;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn file(dir: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
        let path = dir.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_that_is_no_text_is_told_by_its_format() {
        let dir = tempfile::tempdir().unwrap();
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        let told = |path: &Path| read_unpacked(path).unwrap_err().to_string();
        assert!(told(&file(&dir, "a.png", png)).contains("image/png"));
        assert!(told(&file(&dir, "a.png.gz", &packed(png))).contains("image/png"));
        let gone = read(&dir.path().join("gone")).unwrap_err();
        assert!(matches!(gone, FileError::Read(_)), "{gone}");
    }

    #[test]
    fn a_gzipped_page_is_unpacked_under_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let html = file(&dir, "a.html.gz", &packed(b"<title>T</title>"));
        assert_eq!(read_unpacked(&html).unwrap(), b"<title>T</title>");
        let bomb = packed(&vec![b' '; FILE_BYTES_MAX as usize + 1]);
        let bomb = file(&dir, "bomb.gz", &bomb);
        assert!(matches!(read_unpacked(&bomb), Err(FileError::TooLarge)));
    }
}
