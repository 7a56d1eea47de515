//! Crawls that are read from their copies in object storage: `s3://bucket/prefix` in the place of a directory.
//!
//! The archive files are brought into a cache, and read there as a directory whose journal says all else:
//! its configuration and, on many machines, which node it is are those of the last start in the journal;
//! state and index are made where a command needs them.
//!
//! ```text
//! CACHE/copies/0123456789abcdef/          by endpoint and URL
//!   place                                 the URL; when it was used last
//!   in-use, brings                        locks: of readers, and of who brings files
//!   alone/ or node-3/                     a crawl's directory each
//! ```

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use archive::{Event, Position, Replayed, StartRecord};
use offsite::{Copies, FetchError, PlaceError, Source};
use pipeline::{CrawlConfig, CrawlDir, check};
use report::words;

use crate::command::{crawl_error, in_full};
use crate::exit::{resource, usage};
use crate::output::Output;

mod cache;

use cache::{CACHE, Cache};

/// Of which files the directory is, by their mark; what state and index were made of.
const FILES: &str = "files";
const VIEWS_OF: &str = "views-of";

/// What is said where bodies alone are copied.
const NO_JOURNAL: &str = "no journal can be read there yet: its first file is copied when it is closed, at the latest at the crawl's end";

/// What this process reads until it ends: others do not change these copies, or take them away.
static READ: Mutex<Vec<Read>> = Mutex::new(Vec::new());

/// A place that this process reads.
#[derive(Debug)]
struct Read {
    root: PathBuf,
    dirs: Vec<CrawlDir>,
    _lock: File,
}

/// Whether a directory that was named is a place of copies.
pub fn is_place(path: &Path) -> bool {
    path.to_str().is_some_and(offsite::place::is_meant)
}

/// Brings what is at a place, and gives a directory for the crawl there, or for each node.
///
/// While another command reads these copies they stay as they are, and are given so.
///
/// # Errors
/// When the place cannot be read, holds nothing, or has more than may be kept.
pub fn bring(place: &Path, output: &Output) -> anyhow::Result<Vec<CrawlDir>> {
    let text = place.to_str().unwrap_or_default().trim_end_matches('/');
    let cache = Cache::for_place(text)?;
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = read.iter().find(|known| known.root == cache.root) {
        return Ok(known.dirs.clone());
    }
    let source = Source::open(text).map_err(told)?;
    let _brings = cache.wait_to_bring(output)?;
    let copies = source.copies().map_err(told)?;
    let needed = copies
        .iter()
        .fold(0, |all: u64, copies| all.saturating_add(copies.bytes()));
    cache.check_size(needed)?;
    cache.make_room(needed.saturating_add(cache.views_bytes()))?;
    let dirs: Vec<(&Copies, CrawlDir)> = (copies.iter())
        .map(|copies| (copies, dir_of(&cache, copies, text)))
        .collect();
    if !dirs.iter().all(|(copies, dir)| is_there(copies, dir)) {
        bring_all(&source, &dirs, &cache, output)?;
    }
    let dirs = dirs.into_iter().map(|(_, dir)| dir);
    let dirs: Vec<CrawlDir> = dirs
        .filter(|dir| dir.root().join(FILES).is_file())
        .collect();
    if dirs.is_empty() {
        return Err(resource(format!("{text}: {NO_JOURNAL}")));
    }
    read.push(Read {
        _lock: cache.reads()?,
        root: cache.root,
        dirs: dirs.clone(),
    });
    Ok(dirs)
}

fn dir_of(cache: &Cache, copies: &Copies, text: &str) -> CrawlDir {
    let name = match copies.place() == text {
        true => "alone",
        false => copies.place().rsplit('/').next().unwrap_or_default(),
    };
    CrawlDir::new(cache.root.join(name)).as_copy_of(copies.place())
}

/// Whether a directory has what is at the place now.
fn is_there(copies: &Copies, dir: &CrawlDir) -> bool {
    let files = std::fs::read_to_string(dir.root().join(FILES)).unwrap_or_default();
    files == mark_of(copies) && copies.are_in(&dir.archive())
}

fn mark_of(copies: &Copies) -> String {
    format!("{:016x}", copies.mark())
}

/// Brings what is missing of all, where nobody reads what is here.
fn bring_all(
    source: &Source,
    dirs: &[(&Copies, CrawlDir)],
    cache: &Cache,
    output: &Output,
) -> anyhow::Result<()> {
    let has_some = |(_, dir): &(&Copies, CrawlDir)| dir.root().join(FILES).is_file();
    let _alone = match cache.alone()? {
        Some(alone) => alone,
        None if dirs.iter().any(has_some) => {
            output.say(format!(
                "another tamis command reads the copies in {}: they are shown as they were brought before",
                cache.root.display()
            ));
            return Ok(());
        }
        None => cache.wait_to_be_alone(output)?,
    };
    tidy(cache, dirs)?;
    for (copies, dir) in dirs {
        if !bring_one(source, copies, dir, output)? {
            output.say(format!("{}: {NO_JOURNAL}", copies.place()));
        }
    }
    Ok(())
}

/// Takes away the directories of nodes that the place has no more.
fn tidy(cache: &Cache, dirs: &[(&Copies, CrawlDir)]) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(&cache.root).map_err(in_cache(&cache.root))? {
        let path = entry.map_err(in_cache(&cache.root))?.path();
        if path.is_dir() && !dirs.iter().any(|(_, dir)| dir.root() == path) {
            std::fs::remove_dir_all(&path).map_err(in_cache(&path))?;
        }
    }
    Ok(())
}

/// Brings the copies of one crawl or node; whether its journal begins there.
fn bring_one(
    source: &Source,
    copies: &Copies,
    dir: &CrawlDir,
    output: &Output,
) -> anyhow::Result<bool> {
    let on_file = |name: &str, bytes: u64| {
        output.say(format!(
            "bringing {name} ({}) from {}",
            words::bytes(bytes),
            copies.place()
        ));
    };
    // Until all is here it is of no files.
    remove(&dir.root().join(FILES))?;
    let brought = source
        .bring(copies, &dir.archive(), &on_file)
        .map_err(told)?;
    if brought.files > 0 {
        output.say(format!(
            "brought {} of {} archive files ({}) of {} to {}",
            brought.files,
            copies.files(),
            words::bytes(brought.bytes),
            copies.place(),
            dir.root().display()
        ));
    }
    let Some(start) = last_start(dir)? else {
        return Ok(false);
    };
    let config = CrawlConfig::recorded(&start.config).config;
    std::fs::write(dir.config(), config.to_toml()).map_err(in_cache(dir.root()))?;
    match &start.node {
        Some(node) => pipeline::name_copy(dir, node).map_err(crawl_error)?,
        None => pipeline::unname_copy(dir).map_err(crawl_error)?,
    }
    std::fs::write(dir.root().join(FILES), mark_of(copies)).map_err(in_cache(dir.root()))?;
    Ok(true)
}

/// Makes state and index of copies, where they are not those of these files.
///
/// # Errors
/// When they cannot be written.
pub fn make_views(dir: &CrawlDir, output: &Output) -> anyhow::Result<()> {
    if !dir.is_copy() {
        return Ok(());
    }
    let Some(cache) = Cache::around(dir) else {
        return Ok(());
    };
    // Another command may make them at this moment, of these files: those stay as long as this one reads.
    let _brings = cache.wait_to_bring(output)?;
    let read = |name: &str| std::fs::read(dir.root().join(name)).unwrap_or_default();
    let files = read(FILES);
    if files == read(VIEWS_OF) {
        return Ok(());
    }
    output.say(format!(
        "making state and search index of {} in {}",
        dir.shown(),
        dir.root().display()
    ));
    let config = pipeline::config_file::kept(&dir.config());
    let config = config.map_err(|problem| usage(problem.to_string()))?;
    remove(&dir.root().join(VIEWS_OF))?;
    check::repair(dir, &config.into()).map_err(crawl_error)?;
    // What is damaged there is told each time.
    remove(&dir.root().join("damage-seen.txt"))?;
    std::fs::write(dir.root().join(VIEWS_OF), files).map_err(in_cache(dir.root()))?;
    // State and index count for the bound as well.
    cache.make_room(cache::bytes_below(&cache.root))
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(in_cache(path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The last start that the journal tells of.
fn last_start(dir: &CrawlDir) -> anyhow::Result<Option<StartRecord>> {
    let replay = archive::replay(&dir.archive(), Position::START);
    let replay = replay.map_err(|error| resource(in_full(&error)))?;
    let mut last = None;
    for replayed in replay {
        if let Replayed::Record { record, .. } =
            replayed.map_err(|error| resource(in_full(&error)))?
            && let Event::Start(start) = record.event
        {
            last = Some(start);
        }
    }
    Ok(last)
}

fn in_cache(path: &Path) -> impl Fn(io::Error) -> anyhow::Error {
    let path = path.display().to_string();
    move |error| {
        resource(format!(
            "copies cannot be kept in {path}: {error}; name another directory with {CACHE}"
        ))
    }
}

/// An error with the exit code it stands for.
fn told(error: FetchError) -> anyhow::Error {
    let words = in_full(&error);
    match error {
        FetchError::Nothing(_)
        | FetchError::Place(
            PlaceError::NoPlace(_)
            | PlaceError::HasCredentials
            | PlaceError::NoCredentials(_)
            | PlaceError::OddCredentials(_),
        ) => usage(words),
        FetchError::Place(PlaceError::Store { .. })
        | FetchError::Store { .. }
        | FetchError::Directory { .. } => resource(words),
    }
}
