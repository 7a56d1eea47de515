//! The store of a crawl, `state/frontier`: a log of what became of URLs, an index of it by key, and
//! now and then a copy of what was in memory.
//!
//! ```text
//! lock          held while the store is open
//! checkpoint    what was in memory at a moment, and which of the files below belong to it
//! *.urls        the log: a row for each change of a URL
//! *.keys        the index: where in the log a URL's row is
//! *.slots       spilled queue slots
//! damaged       why the next start has to begin anew, where something could not be read
//! ```
//!
//! All is written once, in order, but for runs of the index and of slots, which are merged a few
//! times. A start reads the checkpoint, the keys, and what the log has after the checkpoint; it
//! writes nothing. A checkpoint is due when the log has grown by as much as the last one was large,
//! so that all of them together are no larger than the log. It is made in memory at one moment; a thread
//! of its own waits for the disk ([`saving`]), as one does for runs of the index that are merged. After a
//! crash what was not handed to the operating system is gone, and with it the position: it is replayed from the
//! journal.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::Arc;

use super::{Applied, Change, FrontierStore, QueueSlot, Returned, Saved, StoreError, StoredUrl};
use crate::config::Opened;

mod background;
mod checkpoint;
mod files;
mod index;
mod log;
mod queues;
mod row;
mod saving;

use background::Background;
use checkpoint::Files;
use files::{Dir, Kind};
use index::{FINISHED, Index};
use log::{Log, Place, Rows};
use queues::Queues;
use row::Row;
use saving::Saving;

const OTHER_FORMAT: &str = "it is of another format than this version of Tamis writes";
/// The log has grown at least by so much before memory is saved again.
const SAVE_MIN: u64 = 32 << 20;
/// At the end of a process memory is saved if the log has grown by this share of the last checkpoint, and
/// by so much: less is read again sooner than a checkpoint is written.
const SAVE_SHARE_AT_END: u64 = 8;
const SAVE_MIN_AT_END: u64 = 256 << 10;
/// Bytes that a change of the tail counts for at least: a start takes as long for it as for so many
/// bytes of a checkpoint.
const ROW_COST: u64 = 150;
/// Changes of the tail that are given at once.
const TAIL_MAX: usize = 1_000;

/// A store on disk.
#[derive(Debug)]
pub struct DiskStore {
    dir: Arc<Dir>,
    log: Log,
    index: Index,
    queues: Queues,
    position: u64,
    memory_position: u64,
    /// The place of the first row that the checkpoint does not have.
    tail: Place,
    /// The rows of the tail that are to be given next.
    tail_rows: Option<Rows>,
    /// Bytes of the log after the checkpoint.
    tail_bytes: u64,
    checkpoint_bytes: u64,
    /// The log grows at least by so much before memory is saved.
    save_min: u64,
    /// The checkpoint on its way to the disk, and its position.
    saving: Option<(Background<()>, u64)>,
    /// Given up last, when the files are closed.
    _lock: File,
}

impl DiskStore {
    /// Opens the store in `dir`, or begins one there. One that is damaged or of another format is
    /// set aside, which [`Opened::rebuilt_because`] tells; damage of single rows is found when they
    /// are read, and the store is set aside by the next start.
    ///
    /// # Errors
    /// When the disk is full or fails, or another process has the store open.
    pub fn open(dir: &Path) -> Result<(DiskStore, Opened), StoreError> {
        DiskStore::open_with(dir, Ok)
    }

    /// Opens the store in `dir` and makes of it what `load` does. When `load` finds it damaged it
    /// is called again with an empty one.
    pub(crate) fn open_with<T>(
        dir: &Path,
        load: impl Fn(DiskStore) -> Result<T, StoreError>,
    ) -> Result<(T, Opened), StoreError> {
        let opened = kv::or_anew(dir, || {
            let store = DiskStore::open_files(dir)?;
            let positions = (store.position, store.memory_position);
            Ok((load(store)?, positions))
        })?;
        let (loaded, (position, memory_position)) = opened.loaded;
        let rebuilt_because = opened.rebuilt_because;
        Ok((
            loaded,
            Opened {
                position,
                memory_position,
                rebuilt_because,
            },
        ))
    }

    /// So small that a test meets all that happens at a bound.
    #[cfg(test)]
    pub(crate) fn set_small_bounds(&mut self) {
        self.save_min = 3_000;
        self.index.recent_max = 16;
        self.log.segment_bytes = 1_000;
    }

    fn open_files(path: &Path) -> Result<DiskStore, StoreError> {
        let dir = Arc::new(Dir::new(path));
        let lock = locked(&dir)?;
        if let Some(why) = dir.known_damage() {
            return Err(StoreError::damaged(dir.place(), why));
        }
        let has_checkpoint = checkpoint::exists(&dir);
        if !has_checkpoint && is_of_another_format(path, &dir)? {
            return Err(StoreError::damaged(dir.place(), OTHER_FORMAT));
        }
        let noted = match has_checkpoint {
            true => checkpoint::Reader::open(&dir)?.1,
            false => Files::default(),
        };
        let tail = match has_checkpoint {
            true => Place::from_number(noted.tail),
            false => Place::default(),
        };
        let mut store = DiskStore {
            log: Log::open(&dir, &noted.segments)?,
            index: Index::open(&dir, &noted.keys)?,
            queues: Queues::open(&dir, &noted.slots)?,
            position: noted.position,
            memory_position: noted.position,
            tail,
            tail_rows: None,
            tail_bytes: 0,
            checkpoint_bytes: 0,
            save_min: SAVE_MIN,
            saving: None,
            dir,
            _lock: lock,
        };
        if store.log.end() < tail {
            return Err(store.dir.damaged("its log ends before its checkpoint"));
        }
        store.cut_tail()?;
        store.tail_rows = Some(store.log.rows_from(tail)?);
        Ok(store)
    }

    /// Finds the last position in the tail and cuts off what follows it.
    fn cut_tail(&mut self) -> Result<(), StoreError> {
        let (mut at, mut end) = (self.tail, self.tail);
        loop {
            let mut rows = self.log.rows_from(at)?;
            while let Some((_, row)) = rows.next() {
                if let Some(Row::Position(position)) = Row::read(row) {
                    self.position = position;
                    self.tail_bytes += rows.place().distance_from(end);
                    end = rows.place();
                }
            }
            match self.log.next_segment(at.segment) {
                Some(segment) if rows.is_at_end() => at = Place { segment, offset: 0 },
                _ => break,
            }
        }
        self.log.cut(end)
    }

    /// The change that a row tells, and what was stored before; it is noted in the index.
    fn take_in(&mut self, place: Place, row: &[u8]) -> Result<Option<Applied>, StoreError> {
        let unreadable = || self.dir.damaged("a URL's row cannot be read");
        let row = Row::read(row).ok_or_else(unreadable)?;
        if matches!(row, Row::Position(_)) {
            return Ok(None);
        }
        let (key, change) = row.change().ok_or_else(unreadable)?;
        let known = self.index.get(key as u64)?;
        let before = known.map(|known| self.url_at(known)).transpose()?;
        if matches!(change, Change::Pending(_)) {
            self.log.note_row(place);
        }
        self.note(key, place, &change, known)?;
        let applied = Applied {
            key,
            before,
            change,
        };
        Ok(Some(applied).filter(Applied::changes_anything))
    }

    /// Notes where the last row of a URL is.
    fn note(
        &mut self,
        key: u128,
        place: Place,
        change: &Change,
        known: Option<u64>,
    ) -> Result<(), StoreError> {
        if let Some(before) = known.filter(|before| *before != FINISHED) {
            self.log.note_replaced(Place::from_number(before));
        }
        let value = match change {
            Change::Pending(_) => place.to_number(),
            Change::Finished { .. } => FINISHED,
        };
        self.index.insert(key as u64, value)
    }

    /// The URL of which the index knows this.
    fn url_at(&self, known: u64) -> Result<StoredUrl, StoreError> {
        if known == FINISHED {
            return Ok(StoredUrl::Finished);
        }
        let bytes = self.log.read(Place::from_number(known))?;
        let pending = match Row::read(&bytes) {
            Some(Row::Pending(row)) => row.waiting(),
            Some(Row::Finished { .. } | Row::Position(_)) | None => None,
        };
        let unreadable = || self.dir.damaged("a URL's row cannot be read");
        pending.map(StoredUrl::Pending).ok_or_else(unreadable)
    }

    fn is_saving(&self) -> bool {
        self.saving
            .as_ref()
            .is_some_and(|(work, _)| !work.has_ended())
    }

    /// Makes a checkpoint, and with it all that is to be done about the files.
    fn make_save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<Saving, StoreError> {
        self.rewrite_sparse()?;
        let end = self.log.end();
        let keys = self.index.save()?;
        let mut files: Vec<Arc<File>> = self.log.files_from(self.tail).collect();
        files.extend(keys.iter().map(|(_, file)| Arc::clone(file)));
        files.extend(self.queues.runs().map(|(_, file)| file));
        let named = Files {
            position: self.position,
            tail: end.to_number(),
            segments: self.log.segments_in_use(),
            keys: keys.iter().map(|(number, _)| *number).collect(),
            slots: self.queues.runs().map(|(number, _)| number).collect(),
            forgotten: self.queues.forgotten(),
        };
        let parts_of = |host| self.queues.parts(host);
        let checkpoint = checkpoint::make(&self.dir, named, memory, parts_of)?;
        self.checkpoint_bytes = checkpoint.size;
        self.tail = end;
        self.tail_bytes = 0;
        let replaced = [
            (Kind::Urls, self.log.take_useless(end)),
            (Kind::Keys, self.index.take_replaced()),
            (Kind::Slots, self.queues.take_replaced()),
        ];
        let all = replaced.into_iter();
        let useless = all.flat_map(|(kind, numbers)| numbers.into_iter().map(move |n| (kind, n)));
        Ok(Saving {
            dir: Arc::clone(&self.dir),
            files,
            checkpoint,
            useless: useless.collect(),
        })
    }

    /// Writes the last rows of use of sparse segments again, at the end of the log.
    fn rewrite_sparse(&mut self) -> Result<(), StoreError> {
        for segment in self.log.to_rewrite() {
            self.log.begin()?;
            let mut rows = self.log.rows_from(Place { segment, offset: 0 })?;
            let mut moved = Vec::new();
            while let Some((place, row)) = rows.next() {
                let Some(Row::Pending(pending)) = Row::read(row) else {
                    continue;
                };
                let url = pending.waiting().map(|waiting| waiting.url.url);
                let Some(key) = url.map(|url| url.key() as u64) else {
                    continue;
                };
                if self.index.get(key)? == Some(place.to_number()) {
                    self.log.note_replaced(place);
                    moved.push((key, self.log.append(row, true)));
                }
            }
            self.tail_bytes += self.log.write()?;
            for (key, place) in moved {
                self.index.insert(key, place.to_number())?;
            }
        }
        Ok(())
    }
}

impl Place {
    /// Bytes between two places, if they are in one segment; from its beginning otherwise.
    fn distance_from(self, earlier: Place) -> u64 {
        match self.segment == earlier.segment {
            true => u64::from(self.offset - earlier.offset),
            false => u64::from(self.offset),
        }
    }
}

/// Takes the store's lock.
fn locked(dir: &Dir) -> Result<File, StoreError> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    let file = options.open(dir.named("lock"));
    let file = file.map_err(|error| dir.error("open", &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse { place: dir.place() }),
        Err(TryLockError::Error(error)) => Err(dir.error("open", &error)),
    }
}

/// Whether there are files, and none of them is ours.
fn is_of_another_format(path: &Path, dir: &Dir) -> Result<bool, StoreError> {
    let entries = std::fs::read_dir(path).map_err(|error| dir.error("read", &error))?;
    let is_other = |name: &str| {
        let known = ["lock", "checkpoint.new", "damaged"];
        let numbered = [".urls", ".keys", ".slots"];
        !known.contains(&name) && !numbered.iter().any(|kind| name.ends_with(kind))
    };
    for entry in entries {
        let name = entry
            .map_err(|error| dir.error("read", &error))?
            .file_name();
        if is_other(&name.to_string_lossy()) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl FrontierStore for DiskStore {
    fn position(&self) -> u64 {
        self.position
    }

    fn memory_position(&self) -> u64 {
        self.memory_position
    }

    fn url(&self, key: u128) -> Result<Option<StoredUrl>, StoreError> {
        let known = self.index.get(key as u64)?;
        known.map(|known| self.url_at(known)).transpose()
    }

    fn has_url(&self, key: u128) -> Result<bool, StoreError> {
        Ok(self.index.get(key as u64)?.is_some())
    }

    fn keys(&self, take: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        self.index.keys(take)
    }

    fn apply(&mut self, changes: &[(u128, Change)], position: u64) -> Result<(), StoreError> {
        if !self.is_saving() {
            self.finish_save()?;
        }
        self.log.begin()?;
        let mut row = Vec::new();
        for (key, change) in changes {
            row.clear();
            row = Row::of(*key, change).write(row);
            let waits = matches!(change, Change::Pending(_));
            let place = self.log.append(&row, waits);
            let known = self.index.get(*key as u64)?;
            self.note(*key, place, change, known)?;
        }
        row.clear();
        self.log.append(&Row::Position(position).write(row), false);
        fail_point("frontier:apply", &self.dir)?;
        let rows = changes.len() as u64;
        self.tail_bytes += self.log.write()?.max(rows * ROW_COST);
        self.position = position;
        Ok(())
    }

    fn spill(
        &mut self,
        queues: &mut dyn Iterator<Item = (u32, Vec<QueueSlot>)>,
    ) -> Result<(), StoreError> {
        fail_point("frontier:spill", &self.dir)?;
        self.queues.spill(queues)
    }

    fn take_spilled(&mut self, host: u32) -> Result<Returned, StoreError> {
        self.queues.take(host)
    }

    fn forget_spilled(&mut self, host: u32, slot: &QueueSlot) -> bool {
        self.queues.forget(host, slot)
    }

    fn wants_save(&self, at_end: bool) -> bool {
        let least = match at_end {
            true => {
                let share = self.checkpoint_bytes / SAVE_SHARE_AT_END;
                share.max(SAVE_MIN_AT_END.min(self.save_min / SAVE_SHARE_AT_END))
            }
            false => self.save_min.max(self.checkpoint_bytes),
        };
        let goes_on = !at_end && self.is_saving();
        !goes_on && self.tail_bytes >= least
    }

    fn save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError> {
        self.begin_save(memory)?;
        self.finish_save()
    }

    fn begin_save(&mut self, memory: &mut dyn Iterator<Item = Saved>) -> Result<(), StoreError> {
        self.finish_save()?;
        fail_point("frontier:save", &self.dir)?;
        let saving = self.make_save(memory)?;
        let work = Background::begin(&self.dir, move || saving.run())?;
        self.saving = Some((work, self.position));
        Ok(())
    }

    fn finish_save(&mut self) -> Result<(), StoreError> {
        if let Some((work, position)) = self.saving.take() {
            work.end(&self.dir)?;
            self.memory_position = position;
        }
        Ok(())
    }

    fn load(
        &mut self,
        take: &mut dyn FnMut(Saved) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        if !checkpoint::exists(&self.dir) {
            return Ok(());
        }
        let (reader, noted) = checkpoint::Reader::open(&self.dir)?;
        let queues = &mut self.queues;
        let take_parts = |host, parts| queues.add_parts(host, parts);
        self.checkpoint_bytes = reader.memory(take, take_parts)?;
        self.queues.set_forgotten(noted.forgotten);
        Ok(())
    }

    fn tail(&mut self) -> Result<Vec<Applied>, StoreError> {
        let mut applied = Vec::new();
        while let Some(mut rows) = self.tail_rows.take() {
            while applied.len() < TAIL_MAX
                && let Some((place, row)) = rows.next()
            {
                applied.extend(self.take_in(place, row)?);
            }
            if applied.len() == TAIL_MAX {
                self.tail_rows = Some(rows);
                break;
            }
            let next = self.log.next_segment(rows.place().segment);
            let begin = next.map(|segment| Place { segment, offset: 0 });
            self.tail_rows = begin.map(|begin| self.log.rows_from(begin)).transpose()?;
        }
        Ok(applied)
    }
}

/// Where tests let a write fail; nothing in a release.
fn fail_point(name: &str, dir: &Dir) -> Result<(), StoreError> {
    fail::fail_point!(name, |_| Err(StoreError::Refused {
        doing: format!("write to {}", dir.place()),
        cause: format!("fail point {name}"),
        kind: std::io::ErrorKind::Other,
    }));
    let _ = (name, dir);
    Ok(())
}

#[cfg(test)]
mod tests;
