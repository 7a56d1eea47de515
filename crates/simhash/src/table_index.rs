//! The index of a crawl: tables over blocks of the fingerprint, kept on disk.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use crate::block::{self, BLOCK_ROWS};
use crate::disk_tables::{DiskTables, place_of};
use crate::layout::Layout;
use crate::rows::Rows;
use crate::store::{self, Changes, Store, StoredRows};
use crate::tables::TableSet;
use crate::{Neighbour, SketchSize, TextPrint, rule};

/// How many tables, and so which blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// Four blocks of 16 bits; complete to distance 7 by probing blocks with one bit flipped, and
    /// to 11 with two.
    #[default]
    Four,
    /// Ten tables of 24 or 25 bits (two of five blocks); complete to distance 3.
    Ten,
    /// Sixteen tables of 28 bits (16, then 12 of the rest); complete to distance 3.
    Sixteen,
}

/// Where the working copy of the tables lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// All in RAM: about 80 bytes a page and its sketch. Rebuilt from disk at start.
    #[default]
    Ram,
    /// On disk, for machines that are short of memory: a lookup asks the store for each key and for
    /// each candidate, and takes some twenty times as long. In RAM are the newest 65,536 pages
    /// and what the store caches: 300 MB in all.
    Disk,
}

/// What an index looks for and where it keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexConfig {
    /// Within this distance a page is a duplicate unless the sketch refutes it. 0 to `reach`.
    pub k: u8,
    /// Within this distance a page is a duplicate only if the sketch confirms it. At most 11
    /// with four tables, 3 with more. To 7 a lookup asks for 68 keys, to 8 for 188, to 9 for 308:
    /// about 20, 60 and 120 microseconds among 10 million pages (20 microseconds among one
    /// million). 8 finds what can be found of the copies that 7 misses.
    pub reach: u8,
    /// The least overlap (Jaccard of word pairs) of duplicates, 0.0 to 1.0, at distance 3 and 400
    /// words; [`crate::rule`] says how it moves. 0.635 splits the labelled set best: 0.01 more
    /// loses half a point of recall, 0.01 less calls 0.2 % more of the pairs from one site's
    /// template duplicates.
    pub overlap: f32,
    /// The table layout.
    pub tables: Tables,
    /// Where the working copy lives.
    pub memory: Memory,
    /// Bytes of sketch kept for each page.
    pub sketch: SketchSize,
}

impl Default for IndexConfig {
    fn default() -> IndexConfig {
        IndexConfig {
            k: 3,
            reach: 8,
            overlap: 0.635,
            tables: Tables::Four,
            memory: Memory::Ram,
            sketch: SketchSize::Bytes128,
        }
    }
}

impl IndexConfig {
    /// The distance to which candidates are looked for.
    pub(crate) fn radius(&self) -> u8 {
        self.k.max(self.reach)
    }
}

/// Why an index could not do what it was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The configuration asks for what the layout cannot give.
    #[error(
        "find neighbours within distance {reach} with {tables:?} tables: they are complete to {complete}; use four tables or a smaller reach"
    )]
    Reach {
        /// The distance asked for.
        reach: u8,
        /// The layout asked for.
        tables: Tables,
        /// The largest distance the layout can answer completely.
        complete: u8,
    },
    /// The disk is full or fails.
    #[error("store fingerprints in {path}")]
    Store {
        /// The index's folder.
        path: PathBuf,
        /// What the store said.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What was found when an index was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// The journal position that the index has applied; 0 for an empty one.
    pub position: u64,
    /// Why the index on disk was set aside and an empty one begun; the caller replays the archive.
    pub rebuilt_because: Option<String>,
}

/// Pages in RAM, with [`Memory::Disk`], before they are merged into the tables on disk.
const MERGE_SLOTS: u32 = 1 << 16;

/// The index of kept pages.
///
/// A page has a slot. With [`Memory::Ram`] all slots are in `rows` and `tables`; with
/// [`Memory::Disk`] those before `base` are on disk alone.
#[derive(Debug)]
pub struct TableIndex {
    config: IndexConfig,
    /// The pages in RAM; the first has the slot `base`.
    rows: Rows,
    tables: TableSet,
    store: Option<Store>,
    base: u32,
    /// The pages on disk alone.
    merged: Option<Merged>,
    /// Slots that changed since they were stored.
    dirty: BTreeSet<u32>,
    /// The candidates of a lookup, kept to be filled again.
    candidates: Vec<(u32, u8)>,
}

/// What is known of the pages that are on disk alone.
#[derive(Debug)]
struct Merged {
    tables: DiskTables,
    /// How many there are.
    pages: usize,
    /// Pages before they are merged.
    slots_max: u32,
}

impl TableIndex {
    /// Opens the index in `dir`, or begins one there.
    ///
    /// An index that is damaged, or of another fingerprint scheme or sketch size, is set aside; an
    /// empty one is begun and [`Opened::rebuilt_because`] says why. The caller then replays the
    /// archive from [`Opened::position`], which it does anyway.
    ///
    /// # Errors
    /// [`IndexError::Reach`] for a reach that the tables cannot answer, [`IndexError::Store`] when
    /// the disk fails or another process has the index open.
    pub fn open(dir: &Path, config: &IndexConfig) -> Result<(TableIndex, Opened), IndexError> {
        TableIndex::open_merging(dir, config, MERGE_SLOTS)
    }

    /// Like [`TableIndex::open`], with `slots_max` pages in RAM where the tables are on disk: for
    /// tests, which have few pages.
    #[doc(hidden)]
    pub fn open_merging(
        dir: &Path,
        config: &IndexConfig,
        slots_max: u32,
    ) -> Result<(TableIndex, Opened), IndexError> {
        Layout::check(config.tables, config.radius())?;
        let keep = config.memory == Memory::Ram;
        let loading = RefCell::new(Loading::new(config, keep));
        let (store, found) = Store::open(
            dir,
            config.sketch,
            config.memory,
            |rows| loading.borrow_mut().load(rows),
            || *loading.borrow_mut() = Loading::new(config, keep),
        )?;
        let Loading {
            rows,
            tables,
            pages,
            ..
        } = loading.into_inner();
        let mut index = TableIndex {
            store: Some(store),
            ..TableIndex::with(config, rows, tables)
        };
        if config.memory == Memory::Disk {
            index.merged = Some(Merged {
                tables: DiskTables::new(config),
                pages,
                slots_max: slots_max.max(BLOCK_ROWS as u32),
            });
            let loaded = catch_unwind(AssertUnwindSafe(|| index.load_unmerged()));
            let damage = match loaded {
                Ok(Ok(())) => None,
                Ok(Err(error)) => Some(error.to_string()),
                Err(_) => Some("the tables on disk cannot be read".to_owned()),
            };
            if let Some(why) = damage {
                drop(index);
                let aside = store::set_aside(dir)?;
                let (index, opened) = TableIndex::open_merging(dir, config, slots_max)?;
                let why = format!("{why}; the old fingerprints are in {}", aside.display());
                return Ok((
                    index,
                    Opened {
                        rebuilt_because: Some(why),
                        ..opened
                    },
                ));
            }
        }
        let opened = Opened {
            position: found.position,
            rebuilt_because: found.rebuilt_because,
        };
        Ok((index, opened))
    }

    /// An empty index that is never stored.
    ///
    /// # Errors
    /// [`IndexError::Reach`] for a reach that the tables cannot answer.
    pub fn in_memory(config: &IndexConfig) -> Result<TableIndex, IndexError> {
        Layout::check(config.tables, config.radius())?;
        let Loading { rows, tables, .. } = Loading::new(config, true);
        Ok(TableIndex::with(config, rows, tables))
    }

    fn with(config: &IndexConfig, rows: Rows, tables: TableSet) -> TableIndex {
        TableIndex {
            config: *config,
            rows,
            tables,
            store: None,
            base: 0,
            merged: None,
            dirty: BTreeSet::new(),
            candidates: Vec::new(),
        }
    }

    /// The best confirmed duplicate of a text among the kept pages, or else the nearest
    /// candidate; none when no kept page is within reach.
    pub fn nearest(&mut self, print: &TextPrint) -> Option<Neighbour> {
        self.nearest_by(print, |neighbour| neighbour)
    }

    /// Like [`TableIndex::nearest`], where `doubt` sees every candidate as it was judged and may
    /// judge it otherwise. So a copy is found behind a page that is nearer and no copy after all.
    pub fn nearest_by(
        &mut self,
        print: &TextPrint,
        mut doubt: impl FnMut(Neighbour) -> Neighbour,
    ) -> Option<Neighbour> {
        if print.word_count == 0 {
            return None;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        self.find_candidates(print, &mut candidates);
        let best = candidates
            .iter()
            .filter_map(|&(slot, table)| {
                let (page, kept) = self.row(slot)?;
                // What lies on disk alone may be the entry of a page that was removed.
                let judged = slot >= self.base || rule::is_candidate(&self.config, print, &kept);
                judged.then(|| doubt(rule::judge(&self.config, print, page, &kept, table)))
            })
            .min_by(Neighbour::preference);
        self.candidates = candidates;
        best
    }

    /// Keeps `page`; a page that is there already gets the new print. It is found from now on, and
    /// stored by the next [`TableIndex::apply`].
    pub fn insert(&mut self, page: u64, print: &TextPrint) {
        self.forget(page);
        let slot = self.rows.insert(page, print);
        self.tables.insert(&self.rows, slot);
        self.dirty.insert(self.base + slot);
    }

    /// Forgets `page`; false when it was not there. For a better representative, remove the page
    /// and insert the other before the same [`TableIndex::apply`]: a crash leaves both or neither.
    pub fn remove(&mut self, page: u64, _print: &TextPrint) -> bool {
        self.forget(page)
    }

    /// The print of a kept page, its sketch cut to the configured size.
    pub fn get(&self, page: u64) -> Option<TextPrint> {
        self.row(self.slot(page)?).map(|(_, print)| print)
    }

    /// The number of kept pages.
    pub fn len(&self) -> usize {
        self.rows.len() + self.merged.as_ref().map_or(0, |merged| merged.pages)
    }

    /// Whether no page is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Stores what changed since the last call, together with the journal position it follows.
    ///
    /// After a crash the index is as of some call to this function, or of one and part of the
    /// next; its position is that of the first, so replaying from there mends it.
    ///
    /// # Errors
    /// [`IndexError::Store`] when the disk is full or fails.
    pub fn apply(&mut self, position: u64) -> Result<(), IndexError> {
        let Some(mut store) = self.store.take() else {
            self.dirty.clear();
            return Ok(());
        };
        let written = self
            .changes(&store, position)
            .and_then(|changes| store.write(changes));
        self.store = Some(store);
        written?;
        self.dirty.clear();
        self.merge_when_full()
    }

    /// Hands what [`TableIndex::apply`] stored to the operating system now, not within a second.
    ///
    /// # Errors
    /// [`IndexError::Store`] when the disk is full or fails.
    pub fn flush(&mut self) -> Result<(), IndexError> {
        self.store.as_ref().map_or(Ok(()), Store::flush)
    }

    /// The slots of all candidates, each once, with the first table that finds it. What the disk
    /// does not give is logged, and then not found.
    fn find_candidates(&self, print: &TextPrint, candidates: &mut Vec<(u32, u8)>) {
        self.tables.candidates(&self.rows, print, |slot, table| {
            candidates.push((self.base + slot, table));
        });
        let Some((merged, store)) = self.merged.as_ref().zip(self.store.as_ref()) else {
            return;
        };
        let asked = merged.tables.candidates(store, print, |slot, table| {
            // A crash in the middle of a merge leaves entries of slots that are in RAM again.
            if slot < self.base {
                candidates.push((slot, table));
            }
        });
        if let Err(error) = asked {
            tracing::error!(%error, "the tables on disk cannot be read");
        }
        candidates.sort_unstable();
        candidates.dedup_by_key(|(slot, _)| *slot);
    }

    fn forget(&mut self, page: u64) -> bool {
        let Some(slot) = self.slot(page) else {
            return false;
        };
        self.dirty.insert(slot);
        match slot.checked_sub(self.base) {
            Some(here) => {
                self.tables.remove(&self.rows, here);
                self.rows.remove(here);
            }
            None => {
                if let Some(merged) = &mut self.merged {
                    merged.pages -= 1;
                }
            }
        }
        true
    }

    /// The slot of a kept page.
    fn slot(&self, page: u64) -> Option<u32> {
        if let Some(slot) = self.rows.slot(page) {
            return Some(self.base + slot);
        }
        self.merged.as_ref()?;
        let place = place_of(self.store.as_ref()?, page).unwrap_or_else(|error| {
            tracing::error!(page, %error, "the place of a kept page cannot be read");
            None
        });
        let slot = place.filter(|&slot| slot < self.base)?;
        self.row(slot)
            .filter(|(found, _)| *found == page)
            .map(|_| slot)
    }

    /// The page in a slot; none for a free one. One that cannot be read is logged.
    fn row(&self, slot: u32) -> Option<(u64, TextPrint)> {
        let Some(here) = slot.checked_sub(self.base) else {
            // Pages on disk alone only ever leave.
            if self.dirty.contains(&slot) {
                return None;
            }
            return self.store.as_ref()?.row(slot).unwrap_or_else(|error| {
                tracing::error!(slot, %error, "a kept page cannot be read");
                None
            });
        };
        let live = self.rows.is_live(here);
        live.then(|| (self.rows.page(here), self.rows.print(here)))
    }

    /// The changed blocks, and the tail from its first changed slot on.
    fn changes(&self, store: &Store, position: u64) -> Result<Changes, IndexError> {
        let slots = self.base + self.rows.slots();
        let tail = slots - slots % BLOCK_ROWS as u32;
        let full: BTreeSet<u32> = self
            .dirty
            .range(..tail)
            .map(|slot| slot / BLOCK_ROWS as u32)
            .collect();
        let mut blocks = Vec::with_capacity(full.len());
        for number in full {
            let first = number * BLOCK_ROWS as u32;
            blocks.push((
                number,
                self.encode(store, first, first + BLOCK_ROWS as u32)?,
            ));
        }
        let tail = match self.dirty.range(tail..).next() {
            Some(&changed) => {
                let first = store.tail_from(changed);
                Some((first, self.encode(store, first, slots)?))
            }
            None => None,
        };
        Ok(Changes {
            blocks,
            tail,
            slots,
            position,
        })
    }

    /// The rows from slot `first` to before `end` as they are now, packed. Blocks and `base` begin
    /// at multiples of the same number, so all of them are in RAM or all on disk.
    fn encode(&self, store: &Store, first: u32, end: u32) -> Result<Vec<u8>, IndexError> {
        let mut rows = Vec::with_capacity((end - first) as usize);
        for slot in first..end {
            rows.push(if slot >= self.base {
                self.row(slot)
            } else if self.dirty.contains(&slot) {
                None
            } else {
                store.row(slot)?
            });
        }
        Ok(block::encode(&rows))
    }

    /// Loads the pages that are stored and not merged, and merges them as they come.
    fn load_unmerged(&mut self) -> Result<(), IndexError> {
        let Some((merged, store)) = self.merged.as_mut().zip(self.store.as_mut()) else {
            return Ok(());
        };
        let found = merged.tables.merged(store)?;
        let usable = |&slots: &u32| slots <= store.slots() && slots % BLOCK_ROWS as u32 == 0;
        self.base = match found.filter(usable) {
            Some(base) => base,
            None => {
                store.renew_tables()?;
                0
            }
        };
        let mut slot = self.base;
        while let Some(store) = self.store.as_ref().filter(|store| slot < store.slots()) {
            let rows = store.rows_from(slot)?;
            if rows.is_empty() {
                return Err(store.damaged("rows are missing"));
            }
            slot += rows.len() as u32;
            let live = rows.iter().flatten().count();
            if let Some(merged) = &mut self.merged {
                merged.pages -= live.min(merged.pages);
            }
            push_rows(&mut self.rows, &mut self.tables, rows);
            self.merge_when_full()?;
        }
        Ok(())
    }

    /// With many pages in RAM and tables on disk: moves all whole blocks there.
    fn merge_when_full(&mut self) -> Result<(), IndexError> {
        let Some((merged, store)) = self.merged.as_mut().zip(self.store.as_ref()) else {
            return Ok(());
        };
        let slots = self.rows.slots();
        if slots < merged.slots_max {
            return Ok(());
        }
        let whole = slots - slots % BLOCK_ROWS as u32;
        merged.tables.merge(store, &self.rows, self.base, whole)?;
        let before = self.rows.len();
        let rest = (whole..slots).map(|slot| {
            let live = self.rows.is_live(slot);
            live.then(|| (self.rows.page(slot), self.rows.print(slot)))
        });
        let Loading {
            mut rows,
            mut tables,
            ..
        } = Loading::new(&self.config, true);
        push_rows(&mut rows, &mut tables, rest.collect());
        merged.pages += before - rows.len();
        (self.rows, self.tables) = (rows, tables);
        self.base += whole;
        Ok(())
    }
}

/// Rows and tables while the store is read.
struct Loading {
    rows: Rows,
    tables: TableSet,
    /// Whether rows are kept, or only counted.
    keep: bool,
    pages: usize,
}

impl Loading {
    fn new(config: &IndexConfig, keep: bool) -> Loading {
        Loading {
            rows: Rows::new(config.sketch),
            tables: TableSet::new(config),
            keep,
            pages: 0,
        }
    }

    fn load(&mut self, block: StoredRows) {
        self.pages += block.iter().flatten().count();
        if self.keep {
            push_rows(&mut self.rows, &mut self.tables, block);
        }
    }
}

fn push_rows(rows: &mut Rows, tables: &mut TableSet, block: StoredRows) {
    for row in block {
        match row {
            Some((page, print)) => {
                let slot = rows.append(page, &print);
                tables.insert(rows, slot);
            }
            None => rows.push_free(),
        }
    }
}
