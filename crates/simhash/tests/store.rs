//! One suite for every [`PrintStore`]: whatever is done to it, it answers as its contract says,
//! also after it was closed, and after a write that a crash cut short.
//!
//! The fail point that cuts writes short is of the whole process, so these tests have a file, and
//! with it a process, of their own, and take turns.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use proptest::prelude::*;
use simhash::hash::mix;
use simhash::{
    DiskPrintStore, IndexConfig, Memory, MemoryPrintStore, PrintStore, StoredRow, TableIndex,
    TextPrint, print_hashes,
};

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kind of store that can be closed and opened again.
trait Kind {
    type Store: PrintStore;
    fn open(&mut self) -> Self::Store;
    /// Closes the store as the end of its process would, and opens it again.
    fn reopen(&mut self, store: Self::Store) -> Self::Store;
    /// Cuts an `apply` short after so many batches, if the store writes in batches.
    fn crash_in_apply(
        &mut self,
        store: Self::Store,
        rows: &[(u32, StoredRow)],
        position: u64,
        batches: usize,
    ) -> Self::Store;
}

struct InMemory;

impl Kind for InMemory {
    type Store = MemoryPrintStore;

    fn open(&mut self) -> MemoryPrintStore {
        MemoryPrintStore::default()
    }
    fn reopen(&mut self, store: MemoryPrintStore) -> MemoryPrintStore {
        store
    }
    fn crash_in_apply(
        &mut self,
        store: MemoryPrintStore,
        _: &[(u32, StoredRow)],
        _: u64,
        _: usize,
    ) -> MemoryPrintStore {
        store
    }
}

struct OnDisk {
    parent: tempfile::TempDir,
}

impl OnDisk {
    fn new() -> OnDisk {
        OnDisk {
            parent: tempfile::tempdir().unwrap(),
        }
    }

    fn dir(&self) -> PathBuf {
        self.parent.path().join("fingerprints")
    }
}

impl Kind for OnDisk {
    type Store = DiskPrintStore;

    fn open(&mut self) -> DiskPrintStore {
        let config = IndexConfig::default();
        let (store, opened) = DiskPrintStore::open(&self.dir(), &config).unwrap();
        assert_eq!(opened.rebuilt_because, None);
        store
    }
    fn reopen(&mut self, store: DiskPrintStore) -> DiskPrintStore {
        drop(store);
        self.open()
    }
    fn crash_in_apply(
        &mut self,
        mut store: DiskPrintStore,
        rows: &[(u32, StoredRow)],
        position: u64,
        batches: usize,
    ) -> DiskPrintStore {
        fail::cfg("prints:apply", &format!("{batches}*off->return")).unwrap();
        let applied = store.apply(rows, position);
        fail::remove("prints:apply");
        assert!(batches > 0 || applied.is_err());
        self.reopen(store)
    }
}

/// A row from a number: every fifth is a free slot.
fn row(number: u64) -> StoredRow {
    let words = number % 90;
    let hashes: Vec<u64> = (0..words).map(|word| mix(number + word)).collect();
    let numbers = &hashes[..words.min(3) as usize];
    (!number.is_multiple_of(5)).then(|| (number, print_hashes(&hashes, numbers)))
}

#[derive(Clone, Debug)]
enum Step {
    /// Changes some stored slots and adds so many.
    Apply(Changes),
    CrashInApply(Changes, usize),
    Row(u32),
    Rows(u32, u32),
    PutEntry(u8, Vec<u8>),
    ClearTables,
    Flush,
    Reopen,
}

#[derive(Clone, Debug)]
struct Changes {
    changed: Vec<u32>,
    added: u32,
    seed: u64,
}

impl Changes {
    /// The rows to be stored, where so many slots are stored already.
    fn rows(&self, slots: u32) -> Vec<(u32, StoredRow)> {
        let changed = self.changed.iter().map(|slot| slot % slots.max(1));
        let changed = changed.filter(|slot| *slot < slots);
        let slots = changed.chain(slots..slots + self.added);
        let rows: BTreeMap<u32, StoredRow> = slots
            .map(|slot| (slot, row(self.seed + u64::from(slot))))
            .collect();
        rows.into_iter().collect()
    }
}

fn any_changes(added: std::ops::Range<u32>) -> impl Strategy<Value = Changes> {
    let changed = prop::collection::vec(any::<u32>(), 0..8);
    (changed, added, 0u64..1 << 40).prop_map(|(changed, added, seed)| Changes {
        changed,
        added,
        seed,
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => any_changes(0..40).prop_map(Step::Apply),
        2 => any_changes(200..600).prop_map(Step::Apply),
        2 => (any_changes(0..600), 0usize..2)
            .prop_map(|(changes, batches)| Step::CrashInApply(changes, batches)),
        4 => any::<u32>().prop_map(Step::Row),
        2 => (any::<u32>(), 1u32..600).prop_map(|(first, limit)| Step::Rows(first, limit)),
        2 => (0u8..8, prop::collection::vec(any::<u8>(), 0..40))
            .prop_map(|(key, entry)| Step::PutEntry(key, entry)),
        1 => Just(Step::ClearTables),
        1 => Just(Step::Flush),
        2 => Just(Step::Reopen),
    ]
}

/// What a store must hold.
#[derive(Default)]
struct Model {
    rows: Vec<StoredRow>,
    position: u64,
    tables: BTreeMap<u8, Vec<u8>>,
}

impl Model {
    fn apply(&mut self, rows: &[(u32, StoredRow)], position: u64) {
        for (slot, row) in rows {
            let at = *slot as usize;
            self.rows.resize(self.rows.len().max(at + 1), None);
            self.rows[at] = *row;
        }
        self.position = position;
    }
}

fn check<K: Kind>(mut kind: K, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut store = kind.open();
    let mut model = Model::default();
    for step in steps {
        let (slots, position) = (model.rows.len() as u32, model.position + 1);
        match step {
            Step::Apply(changes) => {
                let rows = changes.rows(slots);
                store.apply(&rows, position)?;
                model.apply(&rows, position);
            }
            Step::CrashInApply(changes, batches) => {
                let rows = changes.rows(slots);
                store = kind.crash_in_apply(store, &rows, position, batches);
                check_half_applied(&store, &model, &rows)?;
                store.apply(&rows, position)?;
                model.apply(&rows, position);
            }
            Step::Row(slot) => {
                let slot = slot % (slots + 2);
                let expected = model.rows.get(slot as usize).copied().flatten();
                prop_assert_eq!(store.row(slot)?, expected);
            }
            Step::Rows(first, limit) => {
                let first = first % (slots + 2);
                let rows = store.rows(first, limit)?;
                let rest = model.rows.get(first as usize..).unwrap_or_default();
                prop_assert!(rest.starts_with(&rows) && rows.len() <= limit as usize);
                prop_assert_eq!(rows.is_empty(), rest.is_empty());
            }
            Step::PutEntry(key, entry) => {
                store.put_table_entry(&[key], &entry)?;
                model.tables.insert(key, entry);
            }
            Step::ClearTables => {
                store.clear_tables()?;
                model.tables.clear();
            }
            Step::Flush => store.flush()?,
            Step::Reopen => store = kind.reopen(store),
        }
        prop_assert_eq!(store.position()?, model.position);
        prop_assert_eq!(store.slots() as usize, model.rows.len());
        for key in 0..8 {
            let entry = store.table_entry(&[key])?;
            prop_assert_eq!(entry.as_deref(), model.tables.get(&key).map(Vec::as_slice));
        }
    }
    let all = read_from(&store, 0)?;
    prop_assert_eq!(all, model.rows);
    Ok(())
}

/// After a crash each slot holds its row of before or of after, and the position is never ahead.
fn check_half_applied(
    store: &impl PrintStore,
    model: &Model,
    rows: &[(u32, StoredRow)],
) -> Result<(), TestCaseError> {
    let after: BTreeMap<u32, StoredRow> = rows.iter().copied().collect();
    let found = read_from(store, 0)?;
    prop_assert_eq!(found.len(), store.slots() as usize);
    prop_assert!(found.len() >= model.rows.len());
    let mut is_all_new = true;
    for (slot, row) in (0u32..).zip(&found) {
        let is_new = after.get(&slot).is_none_or(|after| after == row);
        is_all_new &= is_new;
        prop_assert!(is_new || model.rows.get(slot as usize) == Some(row));
    }
    let last = rows.last().map_or(0, |(slot, _)| slot + 1);
    is_all_new &= last <= store.slots();
    prop_assert!(is_all_new || store.position()? == model.position);
    Ok(())
}

fn read_from(store: &impl PrintStore, first: u32) -> Result<Vec<StoredRow>, TestCaseError> {
    let mut all = Vec::new();
    loop {
        let rows = store.rows(first + all.len() as u32, u32::MAX)?;
        if rows.is_empty() {
            return Ok(all);
        }
        all.extend(rows);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn the_store_in_memory_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..40)) {
        check(InMemory, steps)?;
    }

    #[test]
    fn the_store_on_disk_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..40)) {
        let _turn = turn();
        check(OnDisk::new(), steps)?;
    }

    #[test]
    fn an_index_answers_the_same_over_either_store(
        pages in prop::collection::vec((0u64..400, 0u64..60), 1..900),
        disk: bool,
    ) {
        let _turn = turn();
        let config = IndexConfig {
            memory: if disk { Memory::Disk } else { Memory::Ram },
            pages_in_ram: 256,
            reach: 3,
            ..IndexConfig::default()
        };
        let (mut kind, mut in_memory) = (OnDisk::new(), InMemory);
        let over = |store: Box<dyn PrintStore>| TableIndex::with_store(store, &config).unwrap().0;
        let (mut on_disk, mut in_memory) = (over(Box::new(kind.open())), over(Box::new(in_memory.open())));
        for (at, (page, text)) in (1..).zip(pages) {
            let print = near_text(text);
            prop_assert_eq!(on_disk.nearest(&print).unwrap(), in_memory.nearest(&print).unwrap());
            for index in [&mut on_disk, &mut in_memory] {
                match at % 7 {
                    0 => drop(index.remove(page).unwrap()),
                    _ => index.insert(page, &print).unwrap(),
                }
                if at % 50 == 0 {
                    index.apply(at).unwrap();
                }
            }
            prop_assert_eq!(on_disk.get(page).unwrap(), in_memory.get(page).unwrap());
            prop_assert_eq!(on_disk.len(), in_memory.len());
        }
    }
}

/// Texts of 90 words, four of each nearly alike.
fn near_text(text: u64) -> TextPrint {
    let hashes: Vec<u64> = (0..90).map(|word| mix(text / 4 * 1_000 + word)).collect();
    let mut print = print_hashes(&hashes, &[]);
    print.fingerprint.0 ^= 1 << (text % 4);
    print
}

#[test]
fn a_failed_write_is_an_error_and_the_index_of_before_is_there_again() {
    let _turn = turn();
    let kind = OnDisk::new();
    let config = IndexConfig::default();
    let (mut index, _) = TableIndex::open(&kind.dir(), &config).unwrap();
    index.insert(1, &near_text(1)).unwrap();
    index.apply(1).unwrap();
    index.insert(2, &near_text(8)).unwrap();
    fail::cfg("prints:apply", "return").unwrap();
    let words = index.apply(2).unwrap_err().to_string();
    fail::remove("prints:apply");
    assert!(words.starts_with("cannot write to "), "{words}");
    drop(index);
    let (index, opened) = TableIndex::open(&kind.dir(), &config).unwrap();
    assert_eq!((opened.position, opened.rebuilt_because), (1, None));
    assert_eq!(index.len(), 1);
}
