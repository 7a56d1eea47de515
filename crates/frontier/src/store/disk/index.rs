//! The index: where in the log the row of each URL is.
//!
//! An entry is 64 bits of the URL's key and a number: a place in the log, or [`FINISHED`]. New
//! entries are in memory; when there are [`RECENT_MAX`] of them they become a *run*, a file of
//! entries sorted by key. [`RUNS_MERGED`] runs of about one size are merged into one, so that each
//! entry is written a few times at most. What a newer run says of a key counts.
//!
//! ```text
//! 00000007.keys = blocks of 4 KiB: checksum (8 bytes), 255 entries of 16 bytes
//!                 first key of each block, filter
//!                 entries (8), blocks (8), checksum of what follows the blocks (8)
//! ```
//!
//! In memory a run has the first key of each block, and a Bloom filter of 10 bits a key that answers
//! most questions for keys it does not have: 1.3 bytes a URL. A key that is there costs one read.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::background::Background;
use super::files::{Dir, Kind, checksum, number_at};
use crate::store::StoreError;

/// What the index says of a finished URL.
pub(super) const FINISHED: u64 = u64::MAX;

/// Entries in memory, some 20 MB.
const RECENT_MAX: usize = 1 << 19;
/// So many runs of about one size are merged.
const RUNS_MERGED: usize = 4;
/// When so many runs have come while others are merged, the next one waits for those.
const RUNS_AHEAD: usize = 8;
const BLOCK: usize = 4096;
const ENTRY: usize = 16;
const BLOCK_ENTRIES: usize = (BLOCK - 8) / ENTRY;
const FOOTER: usize = 24;
const FILTER_BITS: u64 = 10;
const FILTER_HASHES: u64 = 6;
/// Blocks read at once when a run is read from its beginning.
const READ_BLOCKS: u64 = 16;

type Entry = (u64, u64);

/// The index.
#[derive(Debug)]
pub(super) struct Index {
    dir: Arc<Dir>,
    recent: hashbrown::HashMap<u64, u64>,
    pub(super) recent_max: usize,
    /// Oldest first.
    runs: Vec<Arc<Run>>,
    merging: Option<Merging>,
    /// Runs that were merged into others. The next start may need them.
    replaced: Vec<u32>,
    next_file: u32,
}

/// Runs that are being merged: where they begin, and how many they are. They keep their places meanwhile.
#[derive(Debug)]
struct Merging {
    from: usize,
    count: usize,
    work: Background<Run>,
}

#[derive(Debug)]
struct Run {
    number: u32,
    file: Arc<File>,
    entries: u64,
    /// The first key of each block.
    fences: Vec<u64>,
    filter: Filter,
}

impl Index {
    /// The index of these runs, oldest first. Other runs are removed.
    pub(super) fn open(dir: &Arc<Dir>, noted: &[u32]) -> Result<Index, StoreError> {
        let mut next_file = noted.iter().max().map_or(1, |number| number + 1);
        for (kind, number) in dir.all_numbered()? {
            if kind == Kind::Keys && !noted.contains(&number) {
                dir.remove(kind, number);
                next_file = next_file.max(number + 1);
            }
        }
        let runs = noted
            .iter()
            .map(|&number| Run::open(dir, number).map(Arc::new));
        Ok(Index {
            dir: Arc::clone(dir),
            recent: hashbrown::HashMap::new(),
            recent_max: RECENT_MAX,
            runs: runs.collect::<Result<_, _>>()?,
            merging: None,
            replaced: Vec::new(),
            next_file,
        })
    }

    /// What is known of a key.
    pub(super) fn get(&self, key: u64) -> Result<Option<u64>, StoreError> {
        if let Some(value) = self.recent.get(&key) {
            return Ok(Some(*value));
        }
        for run in self.runs.iter().rev() {
            if let Some(value) = run.get(key, &self.dir)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Notes something of a key, in the place of what was known of it.
    pub(super) fn insert(&mut self, key: u64, value: u64) -> Result<(), StoreError> {
        self.recent.insert(key, value);
        if self.recent.len() >= self.recent_max {
            self.flush()?;
        }
        Ok(())
    }

    /// Gives all keys to `take` until it has enough. A key may come twice.
    pub(super) fn keys(&self, take: &mut dyn FnMut(u64) -> bool) -> Result<(), StoreError> {
        for run in &self.runs {
            let mut entries = run.read_all(&self.dir);
            while let Some((key, _)) = entries.next()? {
                if !take(key) {
                    return Ok(());
                }
            }
        }
        self.recent.keys().all(|key| take(*key));
        Ok(())
    }

    /// Writes all entries in memory to a run. Gives the runs, oldest first, and their files.
    pub(super) fn save(&mut self) -> Result<Vec<(u32, Arc<File>)>, StoreError> {
        self.flush()?;
        let runs = self.runs.iter();
        Ok(runs
            .map(|run| (run.number, Arc::clone(&run.file)))
            .collect())
    }

    /// Runs that have become of no use. The next start may need their files.
    pub(super) fn take_replaced(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.replaced)
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if self.recent.is_empty() {
            return Ok(());
        }
        let mut entries: Vec<Entry> = self.recent.drain().collect();
        entries.sort_unstable();
        let number = self.take_number();
        let mut writer = RunWriter::create(&self.dir, number, entries.len() as u64)?;
        for entry in entries {
            writer.push(entry)?;
        }
        self.runs.push(Arc::new(writer.finish()?));
        self.take_merged()?;
        if self.merging.is_none()
            && let Some(from) = self.to_merge()
        {
            self.begin_merge(from)?;
        }
        Ok(())
    }

    fn take_number(&mut self) -> u32 {
        let number = self.next_file;
        self.next_file += 1;
        number
    }

    /// The first of the newest runs that are of about one size, when there are enough of them.
    fn to_merge(&self) -> Option<usize> {
        let from = self.runs.len().checked_sub(RUNS_MERGED)?;
        let runs = &self.runs[from..];
        let sum: u64 = runs[1..].iter().map(|run| run.entries).sum();
        (runs[0].entries <= sum).then_some(from)
    }

    fn begin_merge(&mut self, from: usize) -> Result<(), StoreError> {
        let number = self.take_number();
        let (dir, runs) = (Arc::clone(&self.dir), self.runs[from..].to_vec());
        self.merging = Some(Merging {
            from,
            count: runs.len(),
            work: Background::begin(&self.dir, move || merged(&dir, number, &runs))?,
        });
        Ok(())
    }

    /// Puts what was merged in the place of its runs, once it is there.
    fn take_merged(&mut self) -> Result<(), StoreError> {
        let ahead = self.runs.len();
        let is_awaited = |merging: &mut Merging| {
            merging.work.has_ended() || ahead - merging.from - merging.count >= RUNS_AHEAD
        };
        if let Some(Merging { from, count, work }) = self.merging.take_if(is_awaited) {
            let run = Arc::new(work.end(&self.dir)?);
            let replaced = self.runs.splice(from..from + count, [run]);
            self.replaced.extend(replaced.map(|run| run.number));
        }
        Ok(())
    }
}

/// One run of all that these have, oldest first.
fn merged(dir: &Dir, number: u32, runs: &[Arc<Run>]) -> Result<Run, StoreError> {
    let most = runs.iter().map(|run| run.entries).sum();
    let mut writer = RunWriter::create(dir, number, most)?;
    let mut sources: Vec<Entries<'_>> = Vec::new();
    let mut heads = Vec::new();
    for run in runs {
        let mut entries = run.read_all(dir);
        heads.push(entries.next()?);
        sources.push(entries);
    }
    while let Some(key) = heads.iter().flatten().map(|(key, _)| *key).min() {
        let mut newest = None;
        for (head, source) in heads.iter_mut().zip(&mut sources) {
            if head.is_some_and(|(other, _)| other == key) {
                newest = *head;
                *head = source.next()?;
            }
        }
        if let Some(entry) = newest {
            writer.push(entry)?;
        }
    }
    writer.finish()
}

impl Run {
    fn open(dir: &Dir, number: u32) -> Result<Run, StoreError> {
        let file = dir.open(Kind::Keys, number)?;
        let read = |bytes: &mut [u8], at: u64| {
            let read = file.read_exact_at(bytes, at);
            read.map_err(|error| dir.error("read from", &error))
        };
        let damaged = || dir.damaged("a run of its index cannot be read");
        let len = file
            .metadata()
            .map_err(|error| dir.error("read from", &error))?
            .len();
        let footer_at = len.checked_sub(FOOTER as u64).ok_or_else(damaged)?;
        let mut footer = [0; FOOTER];
        read(&mut footer, footer_at)?;
        let [entries, blocks] = [0, 8].map(|at| number_at(&footer, at).unwrap_or_default());
        let tables_at = blocks.saturating_mul(BLOCK as u64);
        let tables_len = footer_at.checked_sub(tables_at).ok_or_else(damaged)?;
        let mut tables = vec![0; tables_len as usize];
        read(&mut tables, tables_at)?;
        tables.extend(&footer[..16]);
        if checksum(&tables) != footer[16..] || blocks * 8 > tables_len {
            return Err(damaged());
        }
        let numbers = tables[..tables_len as usize].chunks_exact(8);
        let mut numbers = numbers.filter_map(|number| number_at(number, 0));
        let fences = numbers.by_ref().take(blocks as usize).collect();
        Ok(Run {
            number,
            entries,
            fences,
            filter: Filter(numbers.collect()),
            file: Arc::new(file),
        })
    }

    fn get(&self, key: u64, dir: &Dir) -> Result<Option<u64>, StoreError> {
        if !self.filter.may_have(key) {
            return Ok(None);
        }
        let Some(block) = self
            .fences
            .partition_point(|first| *first <= key)
            .checked_sub(1)
        else {
            return Ok(None);
        };
        let mut bytes = [0; BLOCK];
        let read = self.file.read_exact_at(&mut bytes, (block * BLOCK) as u64);
        read.map_err(|error| dir.error("read from", &error))?;
        let entries = checked(&bytes, dir)?;
        let count = self.entries_of(block);
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low.midpoint(high);
            let (found, value) = entry_at(entries, middle);
            if found == key {
                return Ok(Some(value));
            }
            if found < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(None)
    }

    fn entries_of(&self, block: usize) -> usize {
        let before = block * BLOCK_ENTRIES;
        BLOCK_ENTRIES.min(self.entries as usize - before)
    }

    fn read_all<'r>(&'r self, dir: &'r Dir) -> Entries<'r> {
        Entries {
            run: self,
            dir,
            bytes: Vec::new(),
            first_block: 0,
            at: 0,
        }
    }
}

/// The entries of a block, once its checksum is found right.
fn checked<'b>(block: &'b [u8], dir: &Dir) -> Result<&'b [u8], StoreError> {
    let (sum, entries) = block.split_at(8);
    if checksum(entries) != sum {
        return Err(dir.damaged("a block of its index cannot be read"));
    }
    Ok(entries)
}

fn entry_at(entries: &[u8], at: usize) -> Entry {
    let number = |at| number_at(entries, at).unwrap_or_default();
    (number(at * ENTRY), number(at * ENTRY + 8))
}

/// All entries of a run by key.
struct Entries<'r> {
    run: &'r Run,
    dir: &'r Dir,
    bytes: Vec<u8>,
    first_block: u64,
    /// The number of the next entry.
    at: u64,
}

impl Entries<'_> {
    fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        if self.at == self.run.entries {
            return Ok(None);
        }
        let block = self.at / BLOCK_ENTRIES as u64;
        let loaded = (self.bytes.len() / BLOCK) as u64;
        if block >= self.first_block + loaded {
            let left = self.run.fences.len() as u64 - block;
            let blocks = left.min(READ_BLOCKS);
            self.bytes.resize(blocks as usize * BLOCK, 0);
            let at = block * BLOCK as u64;
            let read = self.run.file.read_exact_at(&mut self.bytes, at);
            read.map_err(|error| self.dir.error("read from", &error))?;
            for block in self.bytes.chunks_exact(BLOCK) {
                checked(block, self.dir)?;
            }
            self.first_block = block;
        }
        let begin = (block - self.first_block) as usize * BLOCK + 8;
        let entry = entry_at(&self.bytes[begin..], self.at as usize % BLOCK_ENTRIES);
        self.at += 1;
        Ok(Some(entry))
    }
}

/// A run that is being written.
struct RunWriter<'d> {
    dir: &'d Dir,
    number: u32,
    to: BufWriter<File>,
    block: Vec<u8>,
    run_entries: u64,
    fences: Vec<u64>,
    filter: Filter,
}

impl<'d> RunWriter<'d> {
    fn create(dir: &'d Dir, number: u32, entries_max: u64) -> Result<RunWriter<'d>, StoreError> {
        let file = dir.create(Kind::Keys, number)?;
        Ok(RunWriter {
            dir,
            number,
            to: BufWriter::with_capacity(1 << 18, file),
            block: Vec::with_capacity(BLOCK),
            run_entries: 0,
            fences: Vec::new(),
            filter: Filter::for_keys(entries_max),
        })
    }

    fn push(&mut self, (key, value): Entry) -> Result<(), StoreError> {
        if self.block.is_empty() {
            self.fences.push(key);
        }
        self.block.extend(key.to_le_bytes());
        self.block.extend(value.to_le_bytes());
        self.filter.insert(key);
        self.run_entries += 1;
        if self.block.len() == BLOCK_ENTRIES * ENTRY {
            self.write_block()?;
        }
        Ok(())
    }

    fn write_block(&mut self) -> Result<(), StoreError> {
        self.block.resize(BLOCK - 8, 0);
        let sum = checksum(&self.block);
        let block = std::mem::take(&mut self.block);
        self.write(&sum)?;
        self.write(&block)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let written = self.to.write_all(bytes);
        written.map_err(|error| self.dir.error("write to", &error))
    }

    fn finish(mut self) -> Result<Run, StoreError> {
        if !self.block.is_empty() {
            self.write_block()?;
        }
        let mut tables: Vec<u8> = Vec::new();
        for number in self.fences.iter().chain(&self.filter.0) {
            tables.extend(number.to_le_bytes());
        }
        tables.extend(self.run_entries.to_le_bytes());
        tables.extend((self.fences.len() as u64).to_le_bytes());
        tables.extend(checksum(&tables));
        self.write(&tables)?;
        let file = self.to.into_inner();
        let file = file.map_err(|error| self.dir.error("write to", error.error()))?;
        Ok(Run {
            number: self.number,
            file: Arc::new(file),
            entries: self.run_entries,
            fences: self.fences,
            filter: self.filter,
        })
    }
}

/// A Bloom filter of keys that are hashes themselves.
#[derive(Debug)]
struct Filter(Vec<u64>);

impl Filter {
    fn for_keys(keys: u64) -> Filter {
        Filter(vec![0; (keys * FILTER_BITS).div_ceil(64).max(1) as usize])
    }

    fn bits(&self, key: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let bits = self.0.len() as u64 * 64;
        let step = key.rotate_left(32) | 1;
        let place = move |hash: u64| ((u128::from(hash) * u128::from(bits)) >> 64) as u64;
        (0..FILTER_HASHES)
            .map(move |n| place(key.wrapping_add(n.wrapping_mul(step))))
            .map(|bit| ((bit / 64) as usize, 1 << (bit % 64)))
    }

    fn insert(&mut self, key: u64) {
        for (word, bit) in self.bits(key) {
            self.0[word] |= bit;
        }
    }

    fn may_have(&self, key: u64) -> bool {
        self.bits(key).all(|(word, bit)| self.0[word] & bit != 0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn key(number: u64) -> u64 {
        number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_was_noted_last_of_a_key_is_found_also_when_the_index_is_opened_again(
            entries in prop::collection::vec((0u64..3_000, any::<u64>()), 1..4_000),
            recent_max in 1usize..700,
        ) {
            let temporary = tempfile::tempdir().expect("a directory");
            let dir = Arc::new(Dir::new(temporary.path()));
            let mut index = Index::open(&dir, &[]).expect("opens");
            index.recent_max = recent_max.max(entries.len() / 40);
            let mut model = BTreeMap::new();
            for (number, value) in entries {
                index.insert(key(number), value).expect("noted");
                model.insert(key(number), value);
            }
            let check = |index: &Index| {
                for number in 0..3_100 {
                    let found = index.get(key(number)).expect("is read");
                    assert_eq!(found, model.get(&key(number)).copied());
                }
                let mut keys = std::collections::BTreeSet::new();
                index.keys(&mut |key| { keys.insert(key); true }).expect("are read");
                assert!(keys.iter().eq(model.keys()));
            };
            check(&index);
            let noted: Vec<u32> = index.save().expect("saved").into_iter().map(|run| run.0).collect();
            for number in index.take_replaced() {
                dir.remove(Kind::Keys, number);
            }
            check(&index);
            drop(index);
            check(&Index::open(&dir, &noted).expect("opens again"));
        }
    }

    #[test]
    fn a_damaged_block_is_told_and_no_wrong_entry_is_given() {
        let temporary = tempfile::tempdir().expect("a directory");
        let dir = Arc::new(Dir::new(temporary.path()));
        let mut index = Index::open(&dir, &[]).expect("opens");
        for number in 0..1_000 {
            index.insert(key(number), number).expect("noted");
        }
        let noted: Vec<u32> = index
            .save()
            .expect("saved")
            .into_iter()
            .map(|run| run.0)
            .collect();
        let path = dir.numbered(Kind::Keys, noted[0]);
        let mut bytes = std::fs::read(&path).expect("read");
        bytes[BLOCK + 100] ^= 1;
        std::fs::write(&path, bytes).expect("written");
        let index = Index::open(&dir, &noted).expect("opens");
        let found: Vec<_> = (0..1_000).map(|number| index.get(key(number))).collect();
        assert!(found.iter().any(|found| found.is_err()));
        for (number, found) in (0..).zip(found).filter(|(_, found)| found.is_ok()) {
            assert_eq!(found, Ok(Some(number)));
        }
        assert!(dir.known_damage().is_some());
    }
}
