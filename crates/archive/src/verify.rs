//! Checks every record of the body files, for `check-dir`.
//!
//! Otherwise a body is checked only when it is read, so damage in a body that nobody reads goes
//! unnoticed. Cost: the time to read and inflate all files, and some bytes for each file and damaged place.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use crate::ArchiveError;
use crate::error::Damage;
use crate::layout::Kind;
use crate::record::BodyRef;
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
    /// Where each file ends, and where in it no record can be read.
    extents: BTreeMap<u32, Extent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Extent {
    end: u64,
    /// Begin and end of each.
    unreadable: Vec<(u64, u64)>,
}

impl BodyCheck {
    /// Whether the record at a place can be read, as far as this check has seen.
    pub fn holds(&self, place: &BodyRef) -> bool {
        let end = place.offset.saturating_add(place.len);
        self.extents.get(&place.file).is_some_and(|extent| {
            let mut unreadable = extent.unreadable.iter();
            end <= extent.end && !unreadable.any(|&(from, to)| place.offset < to && from < end)
        })
    }

    /// Whether the file of this number is there.
    pub fn has_file(&self, number: u32) -> bool {
        self.extents.contains_key(&number)
    }

    /// The number of the last file, 0 where there is none.
    pub fn last_file(&self) -> u32 {
        self.extents
            .last_key_value()
            .map_or(0, |(number, _)| *number)
    }
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
        let extent = check.extents.entry(number).or_default();
        loop {
            let step = scanner
                .step(&mut record)
                .map_err(ArchiveError::read(&path))?;
            let ended = matches!(step, Step::Tail { .. } | Step::End);
            match step {
                Step::Member { offset, bytes } => {
                    check.records += 1;
                    check.bytes += bytes;
                    extent.end = offset + bytes;
                }
                Step::Damage { offset, bytes, why } | Step::Tail { offset, bytes, why } => {
                    extent.end = offset + bytes;
                    extent.unreadable.push((offset, offset + bytes));
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
