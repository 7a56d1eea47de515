//! Where copies are kept: one place of the cache for each place that is read, its locks, and the bound.
//!
//! Two locks. Who brings files, or makes state and index of them, has `brings` alone; others wait, since that
//! ends by itself. Who reads has `in-use` with other readers until its process ends, and who changes files has it
//! alone: a reader may wait for what is written to its pipe, so nobody waits for one who can do without.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use pipeline::CrawlDir;
use pipeline::units::Size;
use report::words;
use xxhash_rust::xxh3::xxh3_64;

use super::in_cache;
use crate::exit::usage;
use crate::output::Output;

/// Where copies are kept, and how many bytes of them.
pub(super) const CACHE: &str = "TAMIS_CACHE";
const CACHE_MAX: &str = "TAMIS_CACHE_MAX";
const CACHE_MAX_USUAL: u64 = 20_000_000_000;

/// The URL; when it was written the place was used last.
const PLACE: &str = "place";

/// The ending of what is being taken away.
const GONE: &str = "gone";

/// The locks.
const BRINGS: &str = "brings";
const IN_USE: &str = "in-use";

/// The place in the cache for the copies of one place.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) root: PathBuf,
    text: String,
    all: PathBuf,
}

impl Cache {
    /// Makes the place for the copies of what a URL names.
    pub(super) fn for_place(text: &str) -> anyhow::Result<Cache> {
        let all = cache_dir()?.join("copies");
        let endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap_or_default();
        let name = xxh3_64(format!("{endpoint} {text}").as_bytes());
        Ok(Cache {
            root: all.join(format!("{name:016x}")),
            text: text.to_owned(),
            all,
        })
    }

    /// The same of the directory of a crawl there.
    pub(super) fn around(dir: &CrawlDir) -> Option<Cache> {
        let root = dir.root().parent()?.to_owned();
        let text = std::fs::read_to_string(root.join(PLACE)).ok()?;
        let all = root.parent()?.to_owned();
        Some(Cache { root, text, all })
    }

    /// Waits until no other command brings files here, or makes something of them.
    pub(super) fn wait_to_bring(&self, output: &Output) -> anyhow::Result<File> {
        self.lock_to_bring(|| {
            output.say(format!(
                "waiting for another tamis command that brings the copies of {}",
                self.text
            ));
        })
    }

    fn lock_to_bring(&self, waits: impl Fn()) -> anyhow::Result<File> {
        loop {
            std::fs::create_dir_all(&self.root).map_err(in_cache(&self.root))?;
            let file = match open(&self.root, BRINGS) {
                Ok(file) => file,
                // Who makes room has just taken the directory away.
                Err(_) if !self.root.exists() => continue,
                Err(error) => return Err(error),
            };
            if file.try_lock().is_err() {
                waits();
                file.lock().map_err(in_cache(&self.root))?;
            }
            if is_at(&file, &self.root.join(BRINGS)) {
                return Ok(file);
            }
        }
    }

    /// The right to change files that are here: only while nobody reads them. None while somebody does.
    pub(super) fn alone(&self) -> anyhow::Result<Option<File>> {
        let file = open(&self.root, IN_USE)?;
        Ok(file.try_lock().is_ok().then_some(file))
    }

    /// Waits for that right.
    pub(super) fn wait_to_be_alone(&self, output: &Output) -> anyhow::Result<File> {
        output.say(format!(
            "waiting for another tamis command that reads the copies of {}",
            self.text
        ));
        let file = open(&self.root, IN_USE)?;
        file.lock().map_err(in_cache(&self.root))?;
        Ok(file)
    }

    /// From now on this process reads: files stay as they are until the file is closed. While nobody else may
    /// bring files.
    pub(super) fn reads(&self) -> anyhow::Result<File> {
        let file = open(&self.root, IN_USE)?;
        file.lock_shared().map_err(in_cache(&self.root))?;
        std::fs::write(self.root.join(PLACE), &self.text).map_err(in_cache(&self.root))?;
        Ok(file)
    }

    /// Bytes beside the archive files of this place.
    pub(super) fn views_bytes(&self) -> u64 {
        let nodes = std::fs::read_dir(&self.root)
            .into_iter()
            .flatten()
            .flatten();
        let archives = nodes.map(|entry| bytes_below(&entry.path().join("archive")));
        bytes_below(&self.root).saturating_sub(archives.sum())
    }

    /// Refuses what may never fit.
    pub(super) fn check_size(&self, needed: u64) -> anyhow::Result<()> {
        let (text, max) = (&self.text, bytes_max()?);
        if needed <= max {
            return Ok(());
        }
        Err(usage(format!(
            "{text} has {} of archive files, and copies may take {} of this disk: set {CACHE_MAX}=\"{}\", and \
             {CACHE}=DIRECTORY where there is more room",
            words::bytes(needed),
            words::bytes(max),
            Size(needed.div_ceil(1_000_000_000) * 1_000_000_000)
        )))
    }

    /// Takes copies of other places away, those used longest ago first, until all fit.
    pub(super) fn make_room(&self, needed: u64) -> anyhow::Result<()> {
        let max = bytes_max()?;
        let mut others = Vec::new();
        for entry in std::fs::read_dir(&self.all).map_err(in_cache(&self.all))? {
            let path = entry.map_err(in_cache(&self.all))?.path();
            let used = std::fs::metadata(path.join(PLACE)).and_then(|meta| meta.modified());
            let used = match path.extension().is_some_and(|end| end == GONE) {
                // Nobody's any more: its taking away was broken off.
                true => Some(SystemTime::UNIX_EPOCH),
                false => used.ok(),
            };
            if let Some(used) = used
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
            // Nobody brings files there, and nobody reads them, until all is gone at once.
            let gone = path.with_extension(GONE);
            let locks = [BRINGS, IN_USE].map(|name| (name, open(&path, name).ok()));
            let is_free = |(name, lock): &(&str, Option<File>)| {
                let is_locked = |lock: &File| lock.try_lock().is_ok();
                (lock.as_ref()).is_some_and(|lock| is_locked(lock) && is_at(lock, &path.join(name)))
            };
            let may_go = locks.iter().all(is_free);
            if may_go && (path == gone || std::fs::rename(&path, &gone).is_ok()) {
                // What cannot be taken away now is taken away before all else the next time.
                all -= std::fs::remove_dir_all(&gone).map_or(0, |()| bytes);
            }
        }
        Ok(())
    }
}

fn open(root: &Path, name: &str) -> anyhow::Result<File> {
    let path = root.join(name);
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path);
    file.map_err(in_cache(&path))
}

/// Whether this is the file of that name. Who made room while a lock was waited for has taken it away with all
/// else, and another command may have made one anew.
fn is_at(file: &File, path: &Path) -> bool {
    let number = |of: std::fs::Metadata| (of.dev(), of.ino());
    let there = std::fs::metadata(path).map(number).ok();
    there.is_some() && there == file.metadata().map(number).ok()
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

pub(super) fn bytes_below(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |meta| meta.len()),
            Ok(_) | Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// Longer than anything here takes.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn one_command_alone_brings_files_also_where_another_makes_the_place_anew() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = || Cache {
            root: dir.path().join("1"),
            text: "file:///place".into(),
            all: dir.path().to_owned(),
        };
        let (cache, same) = (place(), place());
        let makes_room = cache.lock_to_bring(|| {}).expect("nobody has it");
        let (waits, waiting) = channel();
        let second = std::thread::spawn(move || {
            same.lock_to_bring(|| waits.send(()).expect("the test goes on"))
        });
        waiting.recv_timeout(PATIENCE).expect("it waits");
        std::fs::remove_dir_all(&cache.root).expect("room is made");
        let third = cache.lock_to_bring(|| {}).expect("it makes the place anew");
        drop(makes_room);
        // The lock that it waited for is one of nothing: it waits for the one that counts.
        waiting.recv_timeout(PATIENCE).expect("it waits again");
        drop(third);
        let second = second
            .join()
            .expect("it does not panic")
            .expect("it brings");
        assert!(is_at(&second, &cache.root.join(BRINGS)));
    }

    #[test]
    fn room_is_made_of_what_nobody_brings_or_reads() {
        let dir = tempfile::tempdir().expect("a directory");
        let place = |name: &str| {
            let cache = Cache {
                root: dir.path().join(name),
                text: name.into(),
                all: dir.path().to_owned(),
            };
            let brings = cache.lock_to_bring(|| {}).expect("nobody has it");
            let reads = cache.reads().expect("nobody changes it");
            (cache, brings, reads)
        };
        let (own, _brings, _reads) = place("own");
        let (free, ..) = place("free");
        let (brought, _brings, _) = place("brought");
        let (read, _, _reads) = place("read");
        own.make_room(u64::MAX).expect("it looks at all");
        let is_there = [&own, &free, &brought, &read].map(|cache| cache.root.exists());
        assert_eq!(is_there, [true, false, true, true]);
        let left = std::fs::read_dir(dir.path()).expect("a directory").count();
        assert_eq!(left, 3);
    }
}
