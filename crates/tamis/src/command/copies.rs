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

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use archive::{Event, Position, Replayed, StartRecord};
use offsite::{Copies, FetchError, PlaceError, Source};
use pipeline::units::Size;
use pipeline::{CrawlConfig, CrawlDir, check};
use report::words;
use xxhash_rust::xxh3::xxh3_64;

use crate::command::{crawl_error, in_full};
use crate::exit::{resource, usage};
use crate::output::Output;

/// Where copies are kept, and how many bytes of them.
const CACHE: &str = "TAMIS_CACHE";
const CACHE_MAX: &str = "TAMIS_CACHE_MAX";
const CACHE_MAX_USUAL: u64 = 20_000_000_000;

/// What state and index of the copies were made of.
const VIEWS_OF: &str = "views-of";

/// What is said where bodies alone are copied.
const NO_JOURNAL: &str = "no journal can be read there yet: its first file is copied when it is closed, at the latest at the crawl's end";

/// What is open until the process ends: others do not take these copies away.
static IN_USE: Mutex<Vec<File>> = Mutex::new(Vec::new());

/// Whether a directory that was named is a place of copies.
pub fn is_place(path: &Path) -> bool {
    path.to_str().is_some_and(offsite::place::is_meant)
}

/// Brings what is at a place, and gives a directory for the crawl there, or for each node.
///
/// # Errors
/// When the place cannot be read, holds nothing, or has more than may be kept.
pub fn bring(place: &Path, output: &Output) -> anyhow::Result<Vec<CrawlDir>> {
    let text = place.to_str().unwrap_or_default().trim_end_matches('/');
    let source = Source::open(text).map_err(told)?;
    let copies = source.copies().map_err(told)?;
    let cache = Cache::for_place(text)?;
    cache.make_room(
        text,
        copies
            .iter()
            .fold(0, |all, copies| all.saturating_add(copies.bytes())),
    )?;
    let _brings = cache.lock("brings", text)?;
    let mut dirs = Vec::new();
    for copies in &copies {
        let name = match copies.place() == text {
            true => "alone",
            false => copies.place().rsplit('/').next().unwrap_or_default(),
        };
        let dir = CrawlDir::new(cache.root.join(name)).as_copy_of(copies.place());
        match bring_one(&source, copies, &dir, output)? {
            true => dirs.push(dir),
            false => output.say(format!("{}: {NO_JOURNAL}", copies.place())),
        }
    }
    match dirs.is_empty() {
        true => Err(resource(format!("{text}: {NO_JOURNAL}"))),
        false => Ok(dirs),
    }
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
    if let Some(node) = &start.node {
        pipeline::name_copy(dir, node).map_err(crawl_error)?;
    }
    let views = format!("{:016x}", copies.mark());
    std::fs::write(dir.root().join("files"), views).map_err(in_cache(dir.root()))?;
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
    let read = |name: &str| std::fs::read(dir.root().join(name)).unwrap_or_default();
    if read("files") == read(VIEWS_OF) {
        return Ok(());
    }
    output.say(format!(
        "making state and search index of {} in {}",
        dir.shown(),
        dir.root().display()
    ));
    let config = pipeline::config_file::kept(&dir.config());
    let config = config.map_err(|problem| usage(problem.to_string()))?;
    check::repair(dir, &config.into()).map_err(crawl_error)?;
    // What is damaged there is told each time.
    let _ = std::fs::remove_file(dir.root().join("damage-seen.txt"));
    std::fs::write(dir.root().join(VIEWS_OF), read("files")).map_err(in_cache(dir.root()))
}

/// The last start that the journal tells of.
fn last_start(dir: &CrawlDir) -> anyhow::Result<Option<StartRecord>> {
    let replay = archive::replay(&dir.archive(), Position::START);
    let replay = replay.map_err(|error| resource(in_full(&error)))?;
    let starts = replay
        .filter_map(Result::ok)
        .filter_map(|replayed| match replayed {
            Replayed::Record { record, .. } => Some(record.event),
            Replayed::Damage(_) => None,
        });
    let starts = starts.filter_map(|event| match event {
        Event::Start(start) => Some(start),
        _ => None,
    });
    Ok(starts.last())
}

/// The place in the cache for the copies of one place.
struct Cache {
    root: PathBuf,
    all: PathBuf,
}

impl Cache {
    fn for_place(text: &str) -> anyhow::Result<Cache> {
        let all = cache_dir()?.join("copies");
        let endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap_or_default();
        let name = xxh3_64(format!("{endpoint} {text}").as_bytes());
        let root = all.join(format!("{name:016x}"));
        std::fs::create_dir_all(&root).map_err(in_cache(&root))?;
        let cache = Cache { root, all };
        let in_use = cache.open("in-use")?;
        in_use.lock_shared().map_err(in_cache(&cache.root))?;
        IN_USE
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(in_use);
        std::fs::write(cache.root.join("place"), text).map_err(in_cache(&cache.root))?;
        Ok(cache)
    }

    fn open(&self, name: &str) -> anyhow::Result<File> {
        let path = self.root.join(name);
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        file.map_err(in_cache(&path))
    }

    fn lock(&self, name: &str, text: &str) -> anyhow::Result<File> {
        let file = self.open(name)?;
        file.try_lock().map_err(|error| {
            resource(format!(
                "another tamis command brings the copies of {text} ({error}): try again when it has ended"
            ))
        })?;
        Ok(file)
    }

    /// Takes copies of other places away, those used longest ago first, until all fit.
    fn make_room(&self, text: &str, needed: u64) -> anyhow::Result<()> {
        let max = bytes_max()?;
        if needed > max {
            return Err(usage(format!(
                "{text} has {} of archive files, and copies may take {} of this disk: set {CACHE_MAX}=\"{}\", and \
                 {CACHE}=DIRECTORY where there is more room",
                words::bytes(needed),
                words::bytes(max),
                Size(needed.div_ceil(1_000_000_000) * 1_000_000_000)
            )));
        }
        let mut others = Vec::new();
        for entry in std::fs::read_dir(&self.all).map_err(in_cache(&self.all))? {
            let path = entry.map_err(in_cache(&self.all))?.path();
            let used = std::fs::metadata(path.join("place")).and_then(|meta| meta.modified());
            if let Ok(used) = used
                && path != self.root
            {
                others.push((used, bytes_below(&path), path));
            }
        }
        others.sort();
        let mut all: u64 = others.iter().map(|(_, bytes, _)| bytes).sum();
        for (_, bytes, path) in others {
            if all.saturating_add(needed) <= max {
                break;
            }
            let lock = OpenOptions::new().write(true).open(path.join("in-use"));
            // The lock is held until all is gone.
            let Some(_free) = lock.ok().filter(|file| file.try_lock().is_ok()) else {
                continue;
            };
            if std::fs::remove_dir_all(&path).is_ok() {
                all -= bytes;
            }
        }
        Ok(())
    }
}

/// The user's cache.
fn cache_dir() -> anyhow::Result<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let below = |name: &str, more: &str| given(name).map(|dir| PathBuf::from(dir).join(more));
    given(CACHE)
        .map(PathBuf::from)
        .or_else(|| below("XDG_CACHE_HOME", "tamis"))
        .or_else(|| below("HOME", ".cache/tamis"))
        .ok_or_else(|| {
            usage(format!(
                "no directory for copies is known: name one with {CACHE}"
            ))
        })
}

fn bytes_max() -> anyhow::Result<u64> {
    match std::env::var(CACHE_MAX) {
        Ok(text) => match Size::parse(&text) {
            Ok(size) => Ok(size.0),
            Err(why) => Err(usage(format!("{CACHE_MAX}: {why}"))),
        },
        Err(_) => Ok(CACHE_MAX_USUAL),
    }
}

fn bytes_below(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
            Ok(_) | Err(_) => 0,
        })
        .sum()
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
