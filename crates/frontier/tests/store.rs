//! One suite for every [`FrontierStore`]: whatever is done to it, it answers as its contract says,
//! also after it was closed, and after a write that a crash cut short.
//!
//! The fail points that cut writes short are of the whole process, so these tests have a file, and
//! with it a process, of their own, and take turns.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use frontier::{
    Admission, CanonicalUrl, DiskStore, Frontier, FrontierConfig, FrontierStore, FrontierUrl,
    HostKey, MemoryStore, QueueSlot, StoreError, StoredUrl,
};
use proptest::prelude::*;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kind of store that can be closed and opened again.
trait Kind {
    type Store: FrontierStore;
    fn open(&mut self) -> Self::Store;
    /// Closes the store as the end of its process would, and opens it again.
    fn reopen(&mut self, store: Self::Store) -> Self::Store;
    /// Cuts an `apply` short after so many batches, if the store writes in batches.
    fn crash_in_apply(
        &mut self,
        store: Self::Store,
        urls: &[(u128, StoredUrl)],
        position: u64,
        batches: usize,
    ) -> Self::Store;
}

struct InMemory;

impl Kind for InMemory {
    type Store = MemoryStore;

    fn open(&mut self) -> MemoryStore {
        MemoryStore::default()
    }
    fn reopen(&mut self, store: MemoryStore) -> MemoryStore {
        store
    }
    fn crash_in_apply(
        &mut self,
        store: MemoryStore,
        _: &[(u128, StoredUrl)],
        _: u64,
        _: usize,
    ) -> MemoryStore {
        store
    }
}

struct OnDisk {
    parent: tempfile::TempDir,
}

impl OnDisk {
    fn new() -> OnDisk {
        OnDisk {
            parent: tempfile::tempdir().expect("a directory"),
        }
    }

    fn dir(&self) -> PathBuf {
        self.parent.path().join("frontier")
    }
}

impl Kind for OnDisk {
    type Store = DiskStore;

    fn open(&mut self) -> DiskStore {
        let (store, opened) = DiskStore::open(&self.dir()).expect("opens");
        assert_eq!(opened.rebuilt_because, None);
        store
    }
    fn reopen(&mut self, store: DiskStore) -> DiskStore {
        drop(store);
        self.open()
    }
    fn crash_in_apply(
        &mut self,
        mut store: DiskStore,
        urls: &[(u128, StoredUrl)],
        position: u64,
        batches: usize,
    ) -> DiskStore {
        fail::cfg("frontier:apply", &format!("{batches}*off->return")).expect("a fail point");
        let applied = store.apply(urls, position);
        fail::remove("frontier:apply");
        let needed = urls.len() / (kv::BATCH_MAX - 1) + 1;
        assert_eq!(applied.is_err(), batches < needed);
        self.reopen(store)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<(u64, StoredUrl)>),
    CrashInApply(Vec<(u64, StoredUrl)>, usize),
    Read(u64),
    ReadAll(usize),
    Spill(u8, BTreeSet<QueueSlot>),
    TakeSpilled(u8, usize),
    RemoveSpilled(u8, QueueSlot),
    ClearSpilled,
    Reopen,
}

fn any_url() -> impl Strategy<Value = StoredUrl> {
    let pending = (0u32..9, any::<bool>(), 0u8..100, 0usize..40).prop_map(
        |(number, has_via, score, context)| StoredUrl::Pending {
            url: FrontierUrl {
                depth: number,
                via: has_via.then_some(u64::MAX - u64::from(number)),
                priority: f32::from(score) / 100.0,
                context: vec![score; context],
                ..FrontierUrl::seed(
                    CanonicalUrl::parse(&format!("http://a.example/{number}")).expect("a URL"),
                    number,
                )
            },
            attempt: number + 1,
            not_before_ms: u64::from(number) << 40,
            order: u64::from(score),
        },
    );
    let finished = (0u32..9).prop_map(|seed| StoredUrl::Finished {
        seed,
        host: host(1),
    });
    prop_oneof![2 => pending, 1 => finished]
}

fn any_slot() -> impl Strategy<Value = QueueSlot> {
    (-2i8..20, 0u32..3, 0u64..12).prop_map(|(priority, depth, order)| QueueSlot {
        priority: f32::from(priority) / 10.0,
        depth,
        order,
        key: u128::from(order) << 64 | 1,
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let few = || prop::collection::vec((0u64..40, any_url()), 0..20);
    // More than two batches.
    let many = prop::collection::vec((0u64..4_000, any_url()), 500..700);
    prop_oneof![
        6 => few().prop_map(Step::Apply),
        1 => (many, 0usize..4).prop_map(|(urls, batches)| Step::CrashInApply(urls, batches)),
        6 => (0u64..50).prop_map(Step::Read),
        1 => (1usize..300).prop_map(Step::ReadAll),
        4 => (0u8..3, prop::collection::btree_set(any_slot(), 0..300))
            .prop_map(|(host, slots)| Step::Spill(host, slots)),
        4 => (0u8..3, 0usize..300).prop_map(|(host, limit)| Step::TakeSpilled(host, limit)),
        4 => (0u8..3, any_slot()).prop_map(|(host, slot)| Step::RemoveSpilled(host, slot)),
        1 => Just(Step::ClearSpilled),
        2 => Just(Step::Reopen),
    ]
}

/// What a store must hold.
#[derive(Default)]
struct Model {
    urls: BTreeMap<u128, StoredUrl>,
    position: u64,
    spilled: BTreeMap<u8, BTreeSet<QueueSlot>>,
}

fn host(number: u8) -> HostKey {
    HostKey::from_record(&format!("h{number}.example"))
}

/// Keys as far apart as those of URLs are.
fn key(number: u64) -> u128 {
    u128::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835)
}

/// The last URL of each key: an `apply` gets each once.
fn keyed(urls: Vec<(u64, StoredUrl)>) -> Vec<(u128, StoredUrl)> {
    let urls: BTreeMap<u128, StoredUrl> =
        urls.into_iter().map(|(at, url)| (key(at), url)).collect();
    urls.into_iter().collect()
}

fn check<K: Kind>(mut kind: K, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut store = kind.open();
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Apply(urls) => {
                let urls = keyed(urls);
                store.apply(&urls, model.position + 1)?;
                model.urls.extend(urls);
                model.position += 1;
            }
            Step::CrashInApply(urls, batches) => {
                let urls = keyed(urls);
                let position = model.position + 1;
                store = kind.crash_in_apply(store, &urls, position, batches);
                for (key, url) in &urls {
                    let found = store.url(*key)?;
                    let is_new = found.as_ref() == Some(url);
                    prop_assert!(is_new || found.as_ref() == model.urls.get(key));
                    // The position is never ahead of a URL.
                    prop_assert!(is_new || store.position()? == model.position);
                }
                store.apply(&urls, position)?;
                model.urls.extend(urls);
                model.position = position;
                store.clear_spilled()?;
                model.spilled.clear();
            }
            Step::Read(at) => {
                let expected = model.urls.get(&key(at)).cloned();
                prop_assert_eq!(store.has_url(key(at))?, expected.is_some());
                prop_assert_eq!(store.url(key(at))?, expected);
            }
            Step::ReadAll(limit) => prop_assert_eq!(&read_all(&store, limit)?, &model.urls),
            Step::Spill(at, slots) => {
                let known = model.spilled.entry(at).or_default();
                // The frontier spills a slot once.
                let slots: Vec<QueueSlot> = slots.difference(known).copied().collect();
                store.spill(&host(at), &slots)?;
                known.extend(slots);
            }
            Step::TakeSpilled(at, limit) => {
                let known = model.spilled.entry(at).or_default();
                let best: Vec<QueueSlot> = std::iter::from_fn(|| known.pop_first())
                    .take(limit)
                    .collect();
                prop_assert_eq!(store.take_spilled(&host(at), limit)?, best);
            }
            Step::RemoveSpilled(at, slot) => {
                let known = model.spilled.entry(at).or_default();
                prop_assert_eq!(store.remove_spilled(&host(at), &slot)?, known.remove(&slot));
            }
            Step::ClearSpilled => {
                store.clear_spilled()?;
                model.spilled.clear();
            }
            Step::Reopen => {
                store = kind.reopen(store);
                // Slots may be there or not: their owner is gone.
                store.clear_spilled()?;
                model.spilled.clear();
            }
        }
        prop_assert_eq!(store.position()?, model.position);
    }
    prop_assert_eq!(&read_all(&store, 7)?, &model.urls);
    Ok(())
}

fn read_all(
    store: &impl FrontierStore,
    limit: usize,
) -> Result<BTreeMap<u128, StoredUrl>, StoreError> {
    let mut all = BTreeMap::new();
    let mut last = None;
    loop {
        let urls = store.urls_after(last, limit)?;
        let Some((key, _)) = urls.last() else {
            return Ok(all);
        };
        last = Some(*key);
        all.extend(urls);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_store_in_memory_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..40)) {
        check(InMemory, steps)?;
    }

    #[test]
    fn the_store_on_disk_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..40)) {
        let _turn = turn();
        check(OnDisk::new(), steps)?;
    }
}

#[test]
fn a_store_with_a_row_that_cannot_be_read_is_set_aside_by_the_frontier() {
    let _turn = turn();
    let mut kind = OnDisk::new();
    let mut store = kind.open();
    let url = StoredUrl::Finished {
        seed: 0,
        host: host(1),
    };
    store.apply(&[(7, url)], 3).expect("applied");
    drop(store);
    let format = kv::Format {
        key: b"m",
        value: &[1],
        otherwise: "",
    };
    let options = kv::Options {
        format,
        cache_bytes: 1 << 20,
        flush_every: None,
    };
    let raw = kv::open(&kind.dir(), &options, Ok).expect("opens").loaded;
    let (key, _) = raw.last(b"u").expect("read").expect("a row");
    raw.insert(&key, &[9, 9, 9]).expect("damaged");
    drop(raw);
    let config = FrontierConfig::default();
    let (frontier, opened) = Frontier::open(&kind.dir(), config, Instant::now()).expect("opens");
    let why = opened.rebuilt_because.expect("it was set aside");
    assert!(why.contains("a URL's row cannot be read"), "{why}");
    assert!(why.contains("frontier.set-aside-1"), "{why}");
    assert_eq!((opened.position, frontier.counts().admitted), (0, 0));
}

#[test]
fn a_full_disk_ends_the_crawl_with_its_reason_and_nothing_is_lost() {
    let _turn = turn();
    let kind = OnDisk::new();
    let config = FrontierConfig {
        pending_in_memory: 8,
        ..FrontierConfig::default()
    };
    let open = || Frontier::open(&kind.dir(), config.clone(), Instant::now()).expect("opens");
    let (mut frontier, _) = open();
    let admit = |frontier: &mut Frontier, pages: std::ops::Range<u32>| {
        for page in pages {
            let url = CanonicalUrl::parse(&format!("http://a.example/{page}")).expect("a URL");
            let admission = frontier.admit(FrontierUrl::seed(url, 0))?;
            assert_eq!(admission, Admission::New);
        }
        Ok::<(), frontier::FrontierError>(())
    };
    admit(&mut frontier, 0..600).expect("admits");
    frontier.apply(5).expect("applies");
    for (point, what) in [
        ("frontier:spill", "1*off->return"),
        ("frontier:apply", "2*off->return"),
    ] {
        fail::cfg(point, what).expect("a fail point");
        let failed = admit(&mut frontier, 600..1_300).and_then(|()| frontier.apply(6));
        fail::remove(point);
        let words = failed.expect_err("the disk is full").to_string();
        assert!(words.starts_with("cannot write to "), "{words}");
        assert!(words.contains(point), "{words}");
        drop(frontier);
        let (reopened, opened) = open();
        assert_eq!((opened.position, opened.rebuilt_because), (5, None));
        let admitted = reopened.counts().admitted;
        assert!((600..1_300).contains(&admitted), "{admitted}");
        frontier = reopened;
        if admitted > 600 {
            // Replaying the rest from the position finds some of it done, and mends it.
            for page in 600..1_300 {
                let url = CanonicalUrl::parse(&format!("http://a.example/{page}")).expect("a URL");
                let replayed = frontier.replay_admitted(FrontierUrl::seed(url, 0));
                replayed.expect("replays");
            }
            assert_eq!(frontier.counts().pending, 1_300);
        }
    }
}
