//! A file that a command writes: whole or not at all.
//!
//! Rows go to a file beside the one that was named, which takes its place when all is written and
//! synced. Whatever ends the command before leaves an earlier file as it was.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::exit::resource;
use crate::output::Output;

/// Writes a file by `fill`, and says on stderr if it took the place of another.
///
/// What is no ordinary file (`/dev/stdout`, a pipe) is written to as it is.
///
/// # Errors
/// When it cannot be written; an earlier file is as it was.
pub fn write<T>(
    path: &Path,
    output: &Output,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> anyhow::Result<T> {
    let before = fs::metadata(path).ok();
    let written = match before.as_ref().is_none_or(fs::Metadata::is_file) {
        true => replace(path, before.as_ref(), fill),
        false => OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|file| filled(file, fill))
            .map(|(_, value)| value),
    };
    let value = written.map_err(|error| cannot_write(path, &error))?;
    if before.is_some_and(|before| before.is_file()) {
        output.say(format!(
            "replaced {}, which was there before",
            path.display()
        ));
    }
    Ok(value)
}

/// Why a file cannot be written, and what to do.
pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> anyhow::Error {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let why = match folder {
        Some(folder) if !folder.exists() => {
            format!("there is no folder {}; make it first", folder.display())
        }
        _ if error.kind() == io::ErrorKind::IsADirectory => {
            "it is a folder; name a file in it".to_owned()
        }
        Some(_) | None => error.to_string(),
    };
    resource(format!("cannot write {}: {why}", path.display()))
}

/// Writes beside the file and takes its place.
fn replace<T>(
    path: &Path,
    before: Option<&fs::Metadata>,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    // Where the name is a link, the file that it leads to is replaced, not the link.
    let path = match before {
        Some(_) => fs::canonicalize(path)?,
        None => path.to_owned(),
    };
    let (part, file) = Part::beside(&path)?;
    if let Some(before) = before {
        file.set_permissions(before.permissions())?;
    }
    let (file, value) = filled(file, fill)?;
    file.sync_all()?;
    fs::rename(&part.0, path)?;
    Ok(value)
}

fn filled<T>(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let mut file = BufWriter::new(file);
    let value = fill(&mut file)?;
    file.flush()?;
    Ok((
        file.into_inner().map_err(io::IntoInnerError::into_error)?,
        value,
    ))
}

/// So many names beside a file are tried.
const PARTS_MAX: u32 = 64;

/// The file beside, removed unless it was renamed.
struct Part(PathBuf);

impl Part {
    /// Makes a file that was not there. Processes of two machines may have one number, and one that was
    /// killed leaves its file behind: then the next free name is taken.
    fn beside(path: &Path) -> io::Result<(Part, File)> {
        let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
        let mut number = 0;
        loop {
            let mut hidden = std::ffi::OsString::from(".");
            hidden.push(name);
            hidden.push(format!(".{}-{number}.part", std::process::id()));
            let hidden = path.with_file_name(hidden);
            let mut new = OpenOptions::new();
            match new.write(true).create_new(true).open(&hidden) {
                Ok(file) => return Ok((Part(hidden), file)),
                Err(error)
                    if error.kind() == io::ErrorKind::AlreadyExists && number < PARTS_MAX =>
                {
                    number += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // It is gone already where it was renamed.
        let _ = fs::remove_file(&self.0);
    }
}
