//! The index of a crawl: tables over blocks of the fingerprint, in RAM or stored.

use std::collections::BTreeSet;
use std::path::Path;

use crate::block::BLOCK_ROWS;
use crate::disk_tables::{DiskTables, place_of};
use crate::layout::Layout;
use crate::rows::Rows;
use crate::series::Candidates;
use crate::store::{DiskPrintStore, PrintStore, StoreError, StoredRow};
use crate::tables::TableSet;
use crate::{Decision, Neighbour, SketchSize, TextPrint, rule};

/// How many tables, and so which blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tables {
    /// Three blocks of 22, 21 and 21 bits; complete to distance 8 by probing blocks with two bits
    /// flipped. A quarter less memory for tables than four; faster from some 20 million pages.
    Three,
    /// Four blocks of 16 bits; complete to distance 7 by probing blocks with one bit flipped, and
    /// to 11 with two.
    #[default]
    Four,
    /// Ten tables of 24 or 25 bits (two of five blocks); complete to distance 3.
    Ten,
    /// Sixteen tables of 28 bits (16, then 12 of the rest); complete to distance 3.
    Sixteen,
}

impl Tables {
    /// All layouts.
    pub const ALL: [Tables; 4] = [Tables::Three, Tables::Four, Tables::Ten, Tables::Sixteen];

    /// How many tables there are.
    pub fn count(self) -> u8 {
        match self {
            Tables::Three => 3,
            Tables::Four => 4,
            Tables::Ten => 10,
            Tables::Sixteen => 16,
        }
    }

    /// The layout of so many tables.
    pub fn of_count(count: u8) -> Option<Tables> {
        Tables::ALL
            .into_iter()
            .find(|tables| tables.count() == count)
    }
}

/// Where the working copy of the tables lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Memory {
    /// All in RAM: about 100 bytes a page and its sketch. Rebuilt from disk at start.
    #[default]
    Ram,
    /// On disk, for machines that are short of memory: a lookup asks the store for each key and for
    /// each candidate, and takes some twenty times as long. In RAM are the newest pages
    /// ([`IndexConfig::pages_in_ram`]) and what the store caches: 300 MB in all.
    Disk,
}

/// What an index looks for and where it keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexConfig {
    /// Within this distance a page is a duplicate unless the sketch refutes it. 0 to `reach`.
    pub k: u8,
    /// Within this distance a page is a duplicate only if the sketch confirms it. At most 11
    /// with four tables, 8 with three, 3 with more. To 7 a lookup asks for 68 keys, to 8 for 188, to 9 for 308:
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
    /// With [`Memory::Disk`], pages in RAM before they are merged into the tables on disk: at least
    /// 256. 65,536 take some 20 MB; with fewer each bucket on disk is written more often.
    pub pages_in_ram: u32,
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
            pages_in_ram: 1 << 16,
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
        "find neighbours within distance {reach} with {} tables: they are complete to {complete}; use four tables or a smaller reach",
        .tables.count()
    )]
    Reach {
        /// The distance asked for.
        reach: u8,
        /// The layout asked for.
        tables: Tables,
        /// The largest distance the layout can answer completely.
        complete: u8,
    },
    /// The store cannot be opened, read or written.
    #[error("cannot {0}")]
    Store(StoreError),
}

impl From<StoreError> for IndexError {
    // No `#[from]`: the message holds the cause's, so the cause is not told once more.
    fn from(error: StoreError) -> IndexError {
        IndexError::Store(error)
    }
}

/// What was found when an index was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opened {
    /// The journal position that the index has applied; 0 for an empty one.
    pub position: u64,
    /// Why the index on disk was set aside and an empty one begun; the caller replays the archive.
    pub rebuilt_because: Option<String>,
    /// The tables that the index had when it was open last, where they were others. What is kept
    /// stays, and so does every answer; the tables are made anew from it.
    pub tables_before: Option<Tables>,
}

impl Opened {
    /// Says that the tables are others than before, for the user.
    pub fn tables_changed(&self, now: Tables) -> Option<String> {
        let before = self.tables_before?.count();
        let now = now.count();
        Some(format!(
            "made with {before} tables, opened with {now}: the tables are made anew from what is kept, and answer the same"
        ))
    }
}

/// Candidates whose sketches are fetched before they are looked at.
const AHEAD: usize = 6;

/// The index of kept pages.
///
/// A page has a slot. With [`Memory::Ram`] all slots are in `rows` and `tables`; with
/// [`Memory::Disk`] those before `base` are in the store alone. After an error the index is of no
/// more use: open it again and replay the archive.
#[derive(Debug)]
pub struct TableIndex {
    config: IndexConfig,
    /// The pages in RAM; the first has the slot `base`.
    rows: Rows,
    tables: TableSet,
    /// None for an index that is never stored.
    store: Option<Box<dyn PrintStore>>,
    base: u32,
    /// The pages in the store alone.
    merged: Option<Merged>,
    /// Slots that changed since they were stored.
    dirty: BTreeSet<u32>,
    /// The candidates of a lookup, kept to be filled again.
    candidates: Vec<(u32, u8)>,
}

/// What is known of the pages that are in the store alone.
#[derive(Debug)]
struct Merged {
    tables: DiskTables,
    /// How many there are.
    pages: usize,
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
        Ok(DiskPrintStore::open_with(dir, config, |store| {
            TableIndex::load(Box::new(store), config)
        })?)
    }

    /// An empty index that is never stored: it is gone with the process.
    ///
    /// # Errors
    /// [`IndexError::Reach`] for a reach that the tables cannot answer.
    pub fn in_memory(config: &IndexConfig) -> Result<TableIndex, IndexError> {
        Layout::check(config.tables, config.radius())?;
        Ok(TableIndex::empty(config))
    }

    /// The index that a store holds.
    ///
    /// # Errors
    /// [`IndexError::Reach`] for a reach that the tables cannot answer, [`IndexError::Store`] when
    /// the store cannot be read.
    pub fn with_store(
        store: Box<dyn PrintStore>,
        config: &IndexConfig,
    ) -> Result<(TableIndex, Opened), IndexError> {
        Layout::check(config.tables, config.radius())?;
        let opened = Opened {
            position: store.position()?,
            ..Opened::default()
        };
        Ok((TableIndex::load(store, config)?, opened))
    }

    fn empty(config: &IndexConfig) -> TableIndex {
        TableIndex {
            config: *config,
            rows: Rows::new(config.sketch),
            tables: TableSet::new(config),
            store: None,
            base: 0,
            merged: None,
            dirty: BTreeSet::new(),
            candidates: Vec::new(),
        }
    }

    fn load(
        mut store: Box<dyn PrintStore>,
        config: &IndexConfig,
    ) -> Result<TableIndex, StoreError> {
        let mut index = TableIndex::empty(config);
        match config.memory {
            // Tables in the store would not be kept up to date.
            Memory::Ram => store.clear_tables()?,
            Memory::Disk => index.find_merged(&mut *store)?,
        }
        let (stored, merged) = (store.slots(), index.base);
        index.store = Some(store);
        if index.merged.is_none() {
            index.rows.reserve(stored as usize);
        }
        let mut slot = 0;
        while slot < stored {
            let end = if slot < merged { merged } else { stored };
            let rows = index.stored_rows(slot, end - slot)?;
            if slot < merged {
                index.count_merged(&rows);
            } else {
                index.load_rows(&rows);
                index.merge_when_full()?;
            }
            slot += rows.len() as u32;
        }
        index.tables = TableSet::of(config, &index.rows);
        Ok(index)
    }

    /// Finds how many slots have been merged into the tables of the store. Tables of another layout
    /// are begun anew.
    fn find_merged(&mut self, store: &mut dyn PrintStore) -> Result<(), StoreError> {
        let tables = DiskTables::new(&self.config);
        let slots = store.slots();
        let is_usable = |&merged: &u32| merged <= slots && merged % BLOCK_ROWS as u32 == 0;
        match tables.merged(store)?.filter(is_usable) {
            Some(merged) => self.base = merged,
            None => store.clear_tables()?,
        }
        self.merged = Some(Merged { tables, pages: 0 });
        Ok(())
    }

    fn stored_rows(&self, first: u32, limit: u32) -> Result<Vec<StoredRow>, StoreError> {
        let rows = match &self.store {
            Some(store) => store.rows(first, limit)?,
            None => Vec::new(),
        };
        if rows.is_empty() {
            let why = format!("the rows from slot {first} on are missing");
            return Err(StoreError::damaged("the fingerprints", why));
        }
        Ok(rows)
    }

    fn count_merged(&mut self, rows: &[StoredRow]) {
        if let Some(merged) = &mut self.merged {
            merged.pages += rows.iter().flatten().count();
        }
    }

    /// Loads rows; their tables are made once all are there.
    fn load_rows(&mut self, rows: &[StoredRow]) {
        for row in rows {
            match row {
                Some((page, print)) => {
                    self.rows.append(*page, print);
                }
                None => self.rows.push_free(),
            }
        }
    }

    /// The best confirmed duplicate of a text among the kept pages, or else the nearest
    /// candidate; none when no kept page is within reach.
    ///
    /// # Errors
    /// When the store cannot be read. An index in RAM reads nothing.
    pub fn nearest(&mut self, print: &TextPrint) -> Result<Option<Neighbour>, IndexError> {
        self.nearest_by(print, |neighbour| neighbour)
    }

    /// Like [`TableIndex::nearest`], where `judge` sees candidates as the rule judged them and may
    /// doubt one: take its decision back, no more. So a copy is found behind a page that is nearer and no
    /// copy after all. It does not see those that could not be the answer whatever it says.
    ///
    /// # Errors
    /// When the store cannot be read. An index in RAM reads nothing.
    pub fn nearest_by(
        &mut self,
        print: &TextPrint,
        mut judge: impl FnMut(Neighbour) -> Neighbour,
    ) -> Result<Option<Neighbour>, IndexError> {
        if print.word_count == 0 {
            return Ok(None);
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        // Nothing is preferred to the very same text.
        self.find_same_text(print, &mut candidates)?;
        let mut best = self.best_of(&candidates, print, Candidates::default(), &mut judge)?;
        if best.is_none_or(|best| !best.exact || best.decision != Decision::Duplicate) {
            candidates.clear();
            let found = match self.find_candidates(print, &mut candidates)? {
                true => Candidates::default(),
                false => Candidates::chosen_from(self.len()),
            };
            best = self.best_of(&candidates, print, found, judge)?;
        }
        self.candidates = candidates;
        Ok(best)
    }

    fn best_of(
        &self,
        candidates: &[(u32, u8)],
        print: &TextPrint,
        mut found: Candidates,
        mut judge: impl FnMut(Neighbour) -> Neighbour,
    ) -> Result<Option<Neighbour>, StoreError> {
        // Of texts that are alike by their words alone, as those of one form are, a page has thousands of
        // candidates. Most share so few word pairs that a look at the sketch is enough.
        let least = rule::least_overlap(&self.config);
        for (at, &(slot, table)) in candidates.iter().enumerate() {
            if let Some((next, _)) = candidates.get(at + AHEAD)
                && let Some(next) = next.checked_sub(self.base)
            {
                self.rows.fetch_ahead(next);
            }
            if let (Some(wanted), Some(here)) = (found.overlap(least), slot.checked_sub(self.base))
                && self.rows.is_below(here, print, wanted)
            {
                continue;
            }
            let Some((page, kept)) = self.row(slot)? else {
                continue;
            };
            // An entry in the store may be that of a page that was removed.
            if !rule::is_candidate(&self.config, print, &kept) {
                continue;
            }
            let neighbour = judge(rule::judge(&self.config, print, page, &kept, table));
            let numbers = || rule::numbers_in_common(print, &kept);
            found.add(neighbour, numbers, least);
        }
        Ok(found.best())
    }

    /// Keeps `page`; a page that is there already gets the new print. It is found from now on, and
    /// stored by the next [`TableIndex::apply`].
    ///
    /// # Errors
    /// When the store cannot be read. An index in RAM reads nothing.
    pub fn insert(&mut self, page: u64, print: &TextPrint) -> Result<(), IndexError> {
        self.remove(page)?;
        let slot = self.rows.insert(page, print);
        self.tables.insert(&self.rows, slot);
        self.dirty.insert(self.base + slot);
        Ok(())
    }

    /// Forgets `page`; false when it was not there. For a better representative, remove the page
    /// and insert the other before the same [`TableIndex::apply`]: a crash leaves both or neither.
    ///
    /// # Errors
    /// When the store cannot be read. An index in RAM reads nothing.
    pub fn remove(&mut self, page: u64) -> Result<bool, IndexError> {
        let Some(slot) = self.slot(page)? else {
            return Ok(false);
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
        Ok(true)
    }

    /// The print of a kept page, its sketch cut to the configured size.
    ///
    /// # Errors
    /// When the store cannot be read. An index in RAM reads nothing.
    pub fn get(&self, page: u64) -> Result<Option<TextPrint>, IndexError> {
        let Some(slot) = self.slot(page)? else {
            return Ok(None);
        };
        Ok(self.row(slot)?.map(|(_, print)| print))
    }

    /// The number of kept pages.
    pub fn len(&self) -> usize {
        self.rows.len() + self.merged.as_ref().map_or(0, |merged| merged.pages)
    }

    /// Whether no page is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether something changed since it was stored last.
    pub fn has_changes(&self) -> bool {
        !self.dirty.is_empty()
    }

    /// Stores what changed since the last call, together with the journal position it follows.
    ///
    /// After a crash the index is as of some call to this function, or of one and part of the
    /// next; its position is that of the first, so replaying from there mends it.
    ///
    /// # Errors
    /// [`IndexError::Store`] when the disk is full or fails.
    pub fn apply(&mut self, position: u64) -> Result<(), IndexError> {
        if self.store.is_some() {
            let changed: Result<Vec<(u32, StoredRow)>, StoreError> = self
                .dirty
                .iter()
                .map(|&slot| Ok((slot, self.row(slot)?)))
                .collect();
            let changed = changed?;
            if let Some(store) = &mut self.store {
                store.apply(&changed, position)?;
            }
        }
        self.dirty.clear();
        Ok(self.merge_when_full()?)
    }

    /// Hands what [`TableIndex::apply`] stored to the operating system now, not within a second.
    ///
    /// # Errors
    /// [`IndexError::Store`] when the disk is full or fails.
    pub fn flush(&mut self) -> Result<(), IndexError> {
        match &mut self.store {
            Some(store) => Ok(store.flush()?),
            None => Ok(()),
        }
    }

    fn find_same_text(
        &self,
        print: &TextPrint,
        candidates: &mut Vec<(u32, u8)>,
    ) -> Result<(), StoreError> {
        let (base, rows) = (self.base, &self.rows);
        self.tables
            .same_text(rows, print, |slot| candidates.push((base + slot, 0)));
        if let Some((merged, store)) = self.merged.as_ref().zip(self.store.as_deref()) {
            merged.tables.same_text(store, print, |slot| {
                if slot < base {
                    candidates.push((slot, 0));
                }
            })?;
        }
        Ok(())
    }

    /// The slots of all candidates, each once, with the first table that finds it. Of pages of one kind there are
    /// no more than a lookup can look at, the newest and those that are likeliest to be copied, and the answer is false.
    fn find_candidates(
        &self,
        print: &TextPrint,
        candidates: &mut Vec<(u32, u8)>,
    ) -> Result<bool, StoreError> {
        let mut all = self.tables.candidates(&self.rows, print, |slot, table| {
            candidates.push((self.base + slot, table));
        });
        if let Some((merged, store)) = self.merged.as_ref().zip(self.store.as_deref()) {
            all &= merged.tables.candidates(store, print, |slot, table| {
                // A crash in the middle of a merge leaves entries of slots that are in RAM again.
                if slot < self.base {
                    candidates.push((slot, table));
                }
            })?;
        }
        candidates.sort_unstable();
        candidates.dedup_by_key(|(slot, _)| *slot);
        Ok(all)
    }

    /// The slot of a kept page.
    fn slot(&self, page: u64) -> Result<Option<u32>, StoreError> {
        if let Some(slot) = self.rows.slot(page) {
            return Ok(Some(self.base + slot));
        }
        let Some((_, store)) = self.merged.as_ref().zip(self.store.as_deref()) else {
            return Ok(None);
        };
        let place = place_of(store, page)?;
        let Some(slot) = place.filter(|&slot| slot < self.base) else {
            return Ok(None);
        };
        let found = self.row(slot)?;
        Ok(found.filter(|(found, _)| *found == page).map(|_| slot))
    }

    /// The page in a slot; none for a free one.
    fn row(&self, slot: u32) -> Result<StoredRow, StoreError> {
        if let Some(here) = slot.checked_sub(self.base) {
            let is_live = self.rows.is_live(here);
            return Ok(is_live.then(|| (self.rows.page(here), self.rows.print(here))));
        }
        match &self.store {
            // Pages in the store alone only ever leave.
            Some(store) if !self.dirty.contains(&slot) => store.row(slot),
            Some(_) | None => Ok(None),
        }
    }

    /// With many pages in RAM and tables on disk: moves all whole blocks there.
    fn merge_when_full(&mut self) -> Result<(), StoreError> {
        let Some((merged, store)) = self.merged.as_mut().zip(self.store.as_deref_mut()) else {
            return Ok(());
        };
        let slots = self.rows.slots();
        if slots < self.config.pages_in_ram.max(BLOCK_ROWS as u32) {
            return Ok(());
        }
        let whole = slots - slots % BLOCK_ROWS as u32;
        merged.tables.merge(store, &self.rows, self.base, whole)?;
        let before = self.rows.len();
        let rest = (whole..slots).map(|slot| {
            let is_live = self.rows.is_live(slot);
            is_live.then(|| (self.rows.page(slot), self.rows.print(slot)))
        });
        let rest: Vec<StoredRow> = rest.collect();
        self.rows = Rows::new(self.config.sketch);
        self.load_rows(&rest);
        self.tables = TableSet::of(&self.config, &self.rows);
        self.base += whole;
        if let Some(merged) = &mut self.merged {
            merged.pages += before - self.rows.len();
        }
        Ok(())
    }
}
