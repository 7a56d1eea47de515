//! The way to a store: opened, checked, and begun anew where what is there is of no use.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::StoreError;
use crate::store::Store;

/// How often, and how long each time, to wait for a lock that this process may still hold.
const LOCK_TRIES: u32 = 25;
const LOCK_WAIT: Duration = Duration::from_millis(20);
/// Writes to a store in memory that make the engine collect its garbage.
const GARBAGE_WRITES: u32 = 1_000;
/// Stores of one name that stay set aside: the first, which may tell the cause, and the last.
const ASIDE_MAX: u32 = 2;

thread_local! {
    /// What is opened here is only looked at.
    static IS_LOOKED_AT: Cell<bool> = const { Cell::new(false) };
}

/// How to open a store.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The format of its rows.
    pub format: Format<'a>,
    /// The engine's page cache, in bytes. The engine takes some 100 MB beside it under load.
    pub cache_bytes: u64,
    /// How often what was written is handed to the operating system; `None` for only when the
    /// store is flushed or closed.
    pub flush_every: Option<Duration>,
}

/// What marks the stores of one format.
#[derive(Debug, Clone, Copy)]
pub struct Format<'a> {
    /// The key of the mark.
    pub key: &'a [u8],
    /// What its value begins with. A new store gets exactly this value; whoever writes to the
    /// store may put more behind it.
    pub value: &'a [u8],
    /// Why a store with another mark is of no use, such as `it is of another format than 2`.
    pub otherwise: &'a str,
}

/// What [`open`] gives.
#[derive(Debug)]
pub struct Opened<T> {
    /// What the caller made of the store.
    pub loaded: T,
    /// Why the store that was there was set aside and an empty one begun, and where it is now.
    pub rebuilt_because: Option<String>,
}

/// Opens the store in `dir`, or begins one there, and lets `load` read from it what the caller
/// needs.
///
/// When the store is damaged or of another format it is set aside, and `load` is called again with
/// an empty one. `load` says so with [`StoreError::Damaged`], or panics; it begins from nothing
/// each time.
///
/// # Errors
/// [`StoreError::InUse`] and [`StoreError::Refused`], also those of `load`, and within
/// [`as_they_are`] [`StoreError::Damaged`]; nothing is set aside then.
pub fn open<T>(
    dir: &Path,
    options: &Options<'_>,
    mut load: impl FnMut(Store) -> Result<T, StoreError>,
) -> Result<Opened<T>, StoreError> {
    or_anew(dir, || load(checked(dir, options)?))
}

/// Lets `load` open what is in the directory `dir`, which is made if it is not there. When that is
/// damaged the directory is set aside, and `load` called again with an empty one.
///
/// For stores that keep files of their own; [`open`] is the same for those of the engine.
///
/// # Errors
/// [`StoreError::InUse`] and [`StoreError::Refused`] of `load`, and within [`as_they_are`]
/// [`StoreError::Damaged`]; nothing is set aside then.
pub fn or_anew<T>(
    dir: &Path,
    mut load: impl FnMut() -> Result<T, StoreError>,
) -> Result<Opened<T>, StoreError> {
    let why = match try_load(dir, &mut load) {
        Ok(loaded) => {
            return Ok(Opened {
                loaded,
                rebuilt_because: None,
            });
        }
        Err(StoreError::Damaged { why, .. }) if !IS_LOOKED_AT.get() => why,
        Err(error) => return Err(error),
    };
    let aside = set_aside(dir)?;
    let loaded = try_load(dir, &mut load)?;
    Ok(Opened {
        loaded,
        rebuilt_because: Some(format!(
            "{why}; what was there is now in {}",
            aside.display()
        )),
    })
}

/// Lets `open` open stores to look at them: what is damaged is told as [`StoreError::Damaged`] and stays where
/// it is.
///
/// For who checks stores, and for who cannot rebuild them. It holds for this thread, so that a view needs no
/// second way in.
pub fn as_they_are<T>(open: impl FnOnce() -> T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            IS_LOOKED_AT.set(self.0);
        }
    }
    let _before = Before(IS_LOOKED_AT.replace(true));
    open()
}

fn try_load<T>(
    dir: &Path,
    load: &mut impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    std::fs::create_dir_all(dir)
        .map_err(|error| StoreError::refused("make the directory", dir, &error))?;
    let opened = catch_unwind(AssertUnwindSafe(load));
    opened.unwrap_or_else(|_| {
        let why = "it is damaged: reading it made the store's engine panic";
        Err(StoreError::damaged(dir.display().to_string(), why))
    })
}

/// The store in `dir`, of the right format.
fn checked(dir: &Path, options: &Options<'_>) -> Result<Store, StoreError> {
    let place = dir.display().to_string();
    let config = sled::Config::default()
        .path(dir)
        .cache_capacity(options.cache_bytes)
        .flush_every_ms(options.flush_every.map(|every| every.as_millis() as u64));
    let db =
        open_unlocked(&config).map_err(|error| StoreError::of_engine("open", &place, &error))?;
    let store = Store::new(db, place);
    let Format {
        key,
        value,
        otherwise,
    } = options.format;
    match store.get(key)? {
        Some(found) if found.starts_with(value) => Ok(store),
        Some(_) => Err(StoreError::damaged(store.place(), otherwise)),
        None if store.is_empty() => {
            store.insert(key, value)?;
            Ok(store)
        }
        None => Err(StoreError::damaged(store.place(), "it has no format")),
    }
}

/// Opens the engine. A store that this process closed a moment ago keeps its lock until the
/// engine's garbage is collected, and that is done in passing by whoever works with the engine
/// next: so work is done on another store, in memory, until the lock is free.
fn open_unlocked(config: &sled::Config) -> sled::Result<sled::Db> {
    for _ in 0..LOCK_TRIES {
        match config.open() {
            Err(sled::Error::Io(error)) if crate::error::is_lock(&error) => {}
            opened => return opened,
        }
        let other = sled::Config::default()
            .temporary(true)
            .flush_every_ms(None)
            .open()?;
        for n in 0..GARBAGE_WRITES {
            other.insert(n.to_be_bytes(), &[])?;
        }
        std::thread::park_timeout(LOCK_WAIT);
    }
    config.open()
}

/// Renames `dir` to the first free `NAME.set-aside-N`; the last of them takes the place of the one before.
fn set_aside(dir: &Path) -> Result<PathBuf, StoreError> {
    let name = dir
        .file_name()
        .map_or_else(|| "store".into(), |name| name.to_string_lossy());
    let named = |number| dir.with_file_name(format!("{name}.set-aside-{number}"));
    let free = (1..ASIDE_MAX).map(named).find(|path| !path.exists());
    let aside = free.unwrap_or_else(|| named(ASIDE_MAX));
    let cleared = match std::fs::remove_dir_all(&aside) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        cleared => cleared,
    };
    cleared
        .and_then(|()| std::fs::rename(dir, &aside))
        .map_err(|error| StoreError::refused("set aside the damaged store in", dir, &error))?;
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format<'_> = Format {
        key: b"format",
        value: b"rows 1",
        otherwise: "it is of another format than 1",
    };

    fn options(format: Format<'_>) -> Options<'_> {
        Options {
            format,
            cache_bytes: 1 << 20,
            flush_every: None,
        }
    }

    /// Opens a store whose rows all begin with "row".
    fn open_rows(dir: &Path, format: Format<'_>) -> Result<Opened<Store>, StoreError> {
        open(dir, &options(format), |store| {
            for row in store.scan(b"r") {
                let (_, value) = row?;
                match &value[..] {
                    b"panic" => panic!("a page that the engine cannot read"),
                    b"full" => {
                        return Err(StoreError::Refused {
                            doing: "read".into(),
                            cause: "disk full".into(),
                            kind: std::io::ErrorKind::StorageFull,
                        });
                    }
                    value if value.starts_with(b"row") => {}
                    _ => return Err(StoreError::damaged(store.place(), "a row is none")),
                }
            }
            Ok(store)
        })
    }

    fn with_row(dir: &Path, value: &[u8]) {
        let opened = open_rows(dir, FORMAT).expect("opens");
        opened.loaded.insert(b"r1", value).expect("written");
    }

    #[test]
    fn what_was_written_is_there_when_the_store_is_opened_again_at_once() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        for round in 0..20u8 {
            let opened = open_rows(&dir, FORMAT).expect("opens");
            assert_eq!(opened.rebuilt_because, None);
            let found = opened.loaded.get(b"r1").expect("read");
            assert_eq!(found.is_some(), round > 0);
            opened.loaded.insert(b"r1", b"row").expect("written");
        }
    }

    #[test]
    fn a_store_with_damaged_rows_is_set_aside_and_an_empty_one_begun() {
        for (number, damage) in (1..).zip([&b"noise"[..], b"panic"]) {
            let parent = tempfile::tempdir().expect("a directory");
            let dir = parent.path().join("rows");
            with_row(&dir, damage);
            let opened = open_rows(&dir, FORMAT).expect("opens");
            let why = opened.rebuilt_because.expect("it was set aside");
            assert!(why.contains("rows.set-aside-1"), "{why}");
            assert!(
                why.contains(["a row is none", "panic"][number - 1]),
                "{why}"
            );
            assert!(parent.path().join("rows.set-aside-1").is_dir());
            assert_eq!(opened.loaded.get(b"r1").expect("read"), None);
        }
    }

    #[test]
    fn a_store_of_another_format_is_set_aside_and_a_longer_mark_is_not() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        let opened = open_rows(&dir, FORMAT).expect("opens");
        let marked = opened.loaded.insert(b"format", b"rows 1, position 7");
        marked.expect("written");
        drop(opened);
        let opened = open_rows(&dir, FORMAT).expect("opens");
        assert_eq!(opened.rebuilt_because, None);
        drop(opened);
        let newer = Format {
            value: b"rows 2",
            otherwise: "it is of another format than 2",
            ..FORMAT
        };
        let why = open_rows(&dir, newer).expect("opens").rebuilt_because;
        assert!(why.is_some_and(|why| why.starts_with("it is of another format than 2")));
        with_row(&dir, b"row");
        assert!(parent.path().join("rows.set-aside-2").is_dir());
    }

    #[test]
    fn a_full_disk_or_a_second_opener_is_an_error_and_nothing_is_set_aside() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        with_row(&dir, b"full");
        let error = open_rows(&dir, FORMAT).map(|_| ()).expect_err("it is full");
        assert!(matches!(error, StoreError::Refused { .. }), "{error:?}");
        let other = parent.path().join("other");
        let _first = open_rows(&other, FORMAT).expect("opens");
        let error = open_rows(&other, FORMAT).map(|_| ()).expect_err("in use");
        assert!(matches!(error, StoreError::InUse { .. }), "{error:?}");
        std::fs::write(parent.path().join("file"), "x").expect("written");
        let below_a_file = parent.path().join("file").join("rows");
        let error = open_rows(&below_a_file, FORMAT).map(|_| ());
        assert!(
            matches!(error, Err(StoreError::Refused { .. })),
            "{error:?}"
        );
        let names = std::fs::read_dir(parent.path()).expect("a directory");
        let aside = names.flatten().filter(|name| {
            let name = name.file_name();
            name.to_string_lossy().contains("set-aside")
        });
        assert_eq!(aside.count(), 0);
    }

    #[test]
    fn what_is_looked_at_is_told_to_be_damaged_and_stays_where_it_is() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        with_row(&dir, b"noise");
        for _ in 0..2 {
            let looked = as_they_are(|| open_rows(&dir, FORMAT)).map(|_| ());
            assert!(
                matches!(looked, Err(StoreError::Damaged { .. })),
                "{looked:?}"
            );
        }
        let opened = open_rows(&dir, FORMAT).expect("opens");
        assert!(opened.rebuilt_because.is_some());
        drop(opened);
        let looked = as_they_are(|| open_rows(&dir, FORMAT));
        assert_eq!(looked.expect("opens").rebuilt_because, None);
    }

    #[test]
    fn of_stores_that_are_set_aside_the_first_and_the_last_stay() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        for number in 0..4u8 {
            with_row(&dir, b"noise");
            std::fs::write(dir.join("number"), [number]).expect("written");
            open_rows(&dir, FORMAT).expect("opens");
        }
        let number = |at: u8| {
            let file = parent.path().join(format!("rows.set-aside-{at}/number"));
            std::fs::read(file).ok()
        };
        assert_eq!([1, 2, 3].map(number), [Some(vec![0]), Some(vec![3]), None]);
    }

    #[test]
    fn files_full_of_noise_are_set_aside() {
        let parent = tempfile::tempdir().expect("a directory");
        let dir = parent.path().join("rows");
        with_row(&dir, b"row");
        let noise: Vec<u8> = (0..100_000u32)
            .map(|at| (at.wrapping_mul(2_654_435_761) >> 7) as u8)
            .collect();
        for file in ["conf", "db"] {
            std::fs::write(dir.join(file), &noise).expect("written");
        }
        let opened = open_rows(&dir, FORMAT).expect("opens");
        assert!(opened.rebuilt_because.is_some());
    }
}
