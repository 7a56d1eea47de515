//! The index of a crawl: tables over blocks of the fingerprint, kept on disk.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hashbrown::HashMap;

use crate::block::{self, BLOCK_ROWS};
use crate::layout::Layout;
use crate::rows::Rows;
use crate::store::{Changes, Store, StoredRows};
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
    /// Sketches on disk, for machines that are short of memory; the tables stay in RAM. A lookup
    /// reads the block of each candidate.
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

/// The index of kept pages.
#[derive(Debug)]
pub struct TableIndex {
    config: IndexConfig,
    rows: Rows,
    tables: TableSet,
    store: Option<Store>,
    /// With [`Memory::Disk`]: lanes of the sketches that are not stored yet.
    fresh: HashMap<u32, Vec<u64>>,
    /// Slots that changed since they were stored.
    dirty: BTreeSet<u32>,
    /// The candidates of a lookup, kept to be filled again.
    candidates: Vec<(u32, u8)>,
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
        Layout::check(config.tables, config.radius())?;
        let keep_lanes = config.memory == Memory::Ram;
        let loading = RefCell::new(Loading::new(config, keep_lanes));
        let (store, found) = Store::open(
            dir,
            config.sketch,
            config.memory,
            |rows| loading.borrow_mut().load(rows),
            || *loading.borrow_mut() = Loading::new(config, keep_lanes),
        )?;
        let Loading { rows, tables } = loading.into_inner();
        let index = TableIndex {
            store: Some(store),
            ..TableIndex::with(config, rows, tables)
        };
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
        let Loading { rows, tables } = Loading::new(config, true);
        Ok(TableIndex::with(config, rows, tables))
    }

    fn with(config: &IndexConfig, rows: Rows, tables: TableSet) -> TableIndex {
        TableIndex {
            config: *config,
            rows,
            tables,
            store: None,
            fresh: HashMap::new(),
            dirty: BTreeSet::new(),
            candidates: Vec::new(),
        }
    }

    /// The best confirmed duplicate of a text among the kept pages, or else the nearest
    /// candidate; none when no kept page is within reach.
    pub fn nearest(&mut self, print: &TextPrint) -> Option<Neighbour> {
        if print.word_count == 0 {
            return None;
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        self.tables.candidates(&self.rows, print, |slot, table| {
            candidates.push((slot, table))
        });
        let best = candidates
            .iter()
            .filter_map(|&(slot, table)| {
                let kept = self.print_in(slot)?;
                Some(rule::judge(
                    &self.config,
                    print,
                    self.rows.page(slot),
                    &kept,
                    table,
                ))
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
        if self.rows.lanes(slot).is_none() {
            let sketch = print.sketch.truncated(self.config.sketch);
            let lanes = sketch
                .lanes()
                .iter()
                .copied()
                .chain([sketch.numbers()])
                .collect();
            self.fresh.insert(slot, lanes);
        }
        self.dirty.insert(slot);
    }

    /// Forgets `page`; false when it was not there. For a better representative, remove the page
    /// and insert the other before the same [`TableIndex::apply`]: a crash leaves both or neither.
    pub fn remove(&mut self, page: u64, _print: &TextPrint) -> bool {
        self.forget(page)
    }

    /// The print of a kept page, its sketch cut to the configured size.
    pub fn get(&self, page: u64) -> Option<TextPrint> {
        self.print_in(self.rows.slot(page)?)
    }

    /// The number of kept pages.
    pub fn len(&self) -> usize {
        self.rows.len()
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
        self.fresh.clear();
        Ok(())
    }

    /// Hands what [`TableIndex::apply`] stored to the operating system now, not within a second.
    ///
    /// # Errors
    /// [`IndexError::Store`] when the disk is full or fails.
    pub fn flush(&mut self) -> Result<(), IndexError> {
        self.store.as_ref().map_or(Ok(()), Store::flush)
    }

    fn forget(&mut self, page: u64) -> bool {
        let Some(slot) = self.rows.slot(page) else {
            return false;
        };
        self.tables.remove(&self.rows, slot);
        self.rows.remove(slot);
        self.fresh.remove(&slot);
        self.dirty.insert(slot);
        true
    }

    /// The changed blocks, and the tail from its first changed slot on.
    fn changes(&self, store: &Store, position: u64) -> Result<Changes, IndexError> {
        let slots = self.rows.slots();
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

    /// The rows from slot `first` to before `end` as they are now, packed.
    fn encode(&self, store: &Store, first: u32, end: u32) -> Result<Vec<u8>, IndexError> {
        let mut rows = Vec::with_capacity((end - first) as usize);
        for slot in first..end {
            let lanes = self
                .rows
                .lanes(slot)
                .or(self.fresh.get(&slot).map(Vec::as_slice));
            rows.push(match lanes {
                _ if !self.rows.is_live(slot) => None,
                Some(lanes) => Some((self.rows.page(slot), self.rows.print(slot, lanes))),
                None => store.row(slot)?,
            });
        }
        Ok(block::encode(&rows))
    }

    /// The print in a live slot. With [`Memory::Disk`] it may be unreadable: that is logged, and
    /// the page is then not found.
    fn print_in(&self, slot: u32) -> Option<TextPrint> {
        if let Some(lanes) = self
            .rows
            .lanes(slot)
            .or(self.fresh.get(&slot).map(Vec::as_slice))
        {
            return Some(self.rows.print(slot, lanes));
        }
        match self.store.as_ref()?.row(slot) {
            Ok(row) => row.map(|(_, print)| print),
            Err(error) => {
                tracing::error!(slot, %error, "a kept page's sketch cannot be read");
                None
            }
        }
    }
}

/// Rows and tables while the store is read.
struct Loading {
    rows: Rows,
    tables: TableSet,
}

impl Loading {
    fn new(config: &IndexConfig, keep_lanes: bool) -> Loading {
        Loading {
            rows: Rows::new(config.sketch, keep_lanes),
            tables: TableSet::new(config),
        }
    }

    fn load(&mut self, block: StoredRows) {
        for row in block {
            match row {
                Some((page, print)) => {
                    let slot = self.rows.append(page, &print);
                    self.tables.insert(&self.rows, slot);
                }
                None => self.rows.push_free(),
            }
        }
    }
}
