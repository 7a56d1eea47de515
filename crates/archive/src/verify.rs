//! Checks every record of the body files, for `check-dir`.
//!
//! Otherwise a body is checked only when it is read, so damage in a body that nobody reads goes
//! unnoticed. Cost: the time to read and inflate all files.

use std::fs::File;
use std::path::Path;

use crate::ArchiveError;
use crate::error::Damage;
use crate::layout::Kind;
use crate::scan::{Scanner, Step};

/// What the body files hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BodyCheck {
    /// Files.
    pub files: u64,
    /// Whole records, the warcinfo of each file included.
    pub records: u64,
    /// Bytes of whole records.
    pub bytes: u64,
    /// Stretches of bytes without a readable record. Each may have been several records.
    pub damaged: Vec<Damage>,
}

/// Checks every record of the body files in `dir`.
///
/// # Errors
/// When a file cannot be read; damage is no error.
pub fn check_bodies(dir: &Path) -> Result<BodyCheck, ArchiveError> {
    let mut check = BodyCheck::default();
    let mut record = Vec::new();
    for number in Kind::Bodies.list(dir)? {
        let path = Kind::Bodies.path(dir, number);
        let file = File::open(&path).map_err(ArchiveError::read(&path))?;
        let mut scanner = Scanner::new(file, 0, u64::MAX).map_err(ArchiveError::read(&path))?;
        check.files += 1;
        loop {
            let step = scanner
                .step(&mut record)
                .map_err(ArchiveError::read(&path))?;
            let ended = matches!(step, Step::Tail { .. } | Step::End);
            match step {
                Step::Member { bytes, .. } => {
                    check.records += 1;
                    check.bytes += bytes;
                }
                Step::Damage { offset, bytes, why } | Step::Tail { offset, bytes, why } => {
                    check.damaged.push(Damage {
                        file: Kind::Bodies.file_name(number),
                        offset,
                        bytes,
                        why: why.to_owned(),
                    });
                }
                Step::End => {}
            }
            if ended {
                break;
            }
        }
    }
    Ok(check)
}
