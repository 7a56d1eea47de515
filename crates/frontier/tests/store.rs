//! One suite for every [`FrontierStore`]: whatever is done to it, it answers as its contract says,
//! also after it was closed, and after a write that a crash cut short.
//!
//! The fail points that cut writes short are of the whole process, so these tests have a file, and
//! with it a process, of their own, and take turns.

#[path = "store/kinds.rs"]
mod kinds;
#[path = "store/model.rs"]
mod model;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use frontier::{
    Admission, Applied, CanonicalUrl, Change, DiskStore, Frontier, FrontierConfig, FrontierStore,
    FrontierUrl, HeldBack, HostKey, QueueSlot, Saved, SavedHost, SavedSeed, SavedTotals, SavedUrl,
    StoreError, StoredUrl, Waiting,
};
use kinds::{InMemory, Kind, OnDisk};
use model::Model;
use proptest::prelude::*;

static TURN: Mutex<()> = Mutex::new(());

fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Vec<(u64, AnyChange)>),
    CrashInApply(Vec<(u64, AnyChange)>),
    Read(u64),
    Spill(BTreeMap<u32, BTreeSet<QueueSlot>>),
    TakeSpilled(u32),
    ForgetSpilled(u32, usize),
    Save(u64, Vec<QueueSlot>),
    CrashInSave(bool),
    /// What is applied, and taken back, while memory is on its way to the disk; whether it comes there.
    CrashWhileSaving(Vec<(u64, AnyChange)>, bool),
    Reopen,
    Tear(u64),
}

/// What becomes of a URL, but for its name.
#[derive(Clone, Debug)]
enum AnyChange {
    Pending(u32, Vec<u8>),
    Finished(u32),
}

fn any_change() -> impl Strategy<Value = AnyChange> {
    prop_oneof![
        2 => (0u32..9, prop::collection::vec(any::<u8>(), 0..900))
            .prop_map(|(number, context)| AnyChange::Pending(number, context)),
        1 => (0u32..9).prop_map(AnyChange::Finished),
    ]
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
    let few = || prop::collection::vec((0u64..40, any_change()), 0..20);
    let slots = || prop::collection::btree_set(any_slot(), 1..300);
    prop_oneof![
        6 => few().prop_map(Step::Apply),
        1 => few().prop_map(Step::CrashInApply),
        6 => (0u64..50).prop_map(Step::Read),
        4 => prop::collection::btree_map(0u32..3, slots(), 0..3).prop_map(Step::Spill),
        6 => (0u32..3).prop_map(Step::TakeSpilled),
        4 => (0u32..3, 0usize..300).prop_map(|(host, at)| Step::ForgetSpilled(host, at)),
        3 => (any::<u64>(), prop::collection::vec(any_slot(), 0..9))
            .prop_map(|(number, slots)| Step::Save(number, slots)),
        1 => any::<bool>().prop_map(Step::CrashInSave),
        2 => (few(), any::<bool>())
            .prop_map(|(changes, comes)| Step::CrashWhileSaving(changes, comes)),
        2 => Just(Step::Reopen),
        1 => (0u64..3_000).prop_map(Step::Tear),
    ]
}

fn url(number: u64) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://h{}.example/{number}", number % 3)).expect("a URL")
}

/// The last change of each URL: an `apply` gets each once.
fn keyed(changes: Vec<(u64, AnyChange)>) -> Vec<(u128, Change)> {
    let changes: BTreeMap<u64, AnyChange> = changes.into_iter().collect();
    let keyed = changes.into_iter().map(|(at, change)| {
        let url = url(at);
        let change = match change {
            AnyChange::Finished(seed) => Change::Finished {
                seed: (seed > 0).then_some(seed),
                host: url.host(),
            },
            AnyChange::Pending(number, context) => Change::Pending(Waiting {
                url: FrontierUrl {
                    depth: number,
                    via: (number % 2 == 0).then_some(u64::MAX - u64::from(number)),
                    priority: context.len() as f32 / 900.0,
                    context,
                    ..FrontierUrl::seed(url.clone(), number)
                },
                attempt: number + 1,
                not_before_ms: u64::from(number) << 40,
                order: at,
            }),
        };
        (url.key(), change)
    });
    keyed.collect()
}

/// Something that a frontier could have in memory.
fn memory(number: u64, slots: &[QueueSlot], model: &Model) -> Vec<Saved> {
    let totals = SavedTotals {
        admitted: number,
        finished: number / 2,
        next_order: 7,
        of_seeds: vec![SavedSeed {
            seed: 1,
            admitted: number,
            finished: 0,
        }],
    };
    let host = |at: u32| SavedHost {
        host: HostKey::from_record(&format!("h{at}.example")),
        admitted: u64::from(at),
        ready: slots.to_vec(),
        retries: slots.iter().map(|slot| (number, *slot)).collect(),
        spilled: model.spilled.get(&at).map_or(0, |slots| slots.len() as u64),
        spilled_from: slots.first().copied(),
    };
    let urls = model.urls.iter().filter_map(|(key, url)| match url {
        StoredUrl::Pending(waiting) => Some(Saved::Url(Box::new(SavedUrl {
            key: *key,
            waiting: waiting.clone(),
            held: [
                None,
                Some(HeldBack::UntilOthersAreDone),
                Some(HeldBack::ToTheLast),
            ][number as usize % 3],
            changed: number.is_multiple_of(3),
        }))),
        StoredUrl::Finished => None,
    });
    let hosts = (0..3).map(|at| Saved::Host(host(at)));
    [Saved::Totals(totals)]
        .into_iter()
        .chain(hosts)
        .chain(urls)
        .collect()
}

/// Whether a change says more than that a URL waits as before.
fn changes_anything(urls: &BTreeMap<u128, StoredUrl>, (key, change): &(u128, Change)) -> bool {
    let waits = matches!(change, Change::Pending(_));
    !waits || urls.get(key) != Some(&change.clone().stored())
}

/// Takes in what a store gives when it is opened, and compares it with the model.
fn check_opened(store: &mut impl FrontierStore, model: &Model) -> Result<(), TestCaseError> {
    let mut saved = Vec::new();
    let mut take = |part| {
        saved.push(part);
        Ok(())
    };
    store.load(&mut take)?;
    prop_assert_eq!(&saved, &model.saved);
    let mut urls = model.urls_when_saved.clone();
    let mut changes = model.tail.iter().flat_map(|(_, changes)| changes);
    loop {
        let tail = store.tail()?;
        if tail.is_empty() {
            break;
        }
        for Applied {
            key,
            before,
            change,
        } in tail
        {
            let next = changes.find(|applied| changes_anything(&urls, applied));
            prop_assert_eq!(Some(&(key, change.clone())), next);
            prop_assert_eq!(before, urls.insert(key, change.stored()));
        }
    }
    let next = changes.find(|applied| changes_anything(&urls, applied));
    prop_assert_eq!(next, None);
    Ok(())
}

fn check_taken(
    store: &mut impl FrontierStore,
    host: u32,
    model: &mut Model,
) -> Result<(), TestCaseError> {
    let returned = store.take_spilled(host)?;
    let spilled = model.spilled.entry(host).or_default();
    prop_assert_eq!(
        returned.slots.first(),
        spilled.first(),
        "the best comes first"
    );
    prop_assert!(returned.slots.is_sorted());
    for slot in &returned.slots {
        prop_assert!(spilled.remove(slot), "{:?} was not spilled", slot);
    }
    match returned.rest_from {
        Some(from) => prop_assert!(spilled.iter().all(|slot| *slot >= from)),
        None => prop_assert!(spilled.is_empty()),
    }
    Ok(())
}

fn check<K: Kind>(mut kind: K, steps: Vec<Step>) -> Result<(), TestCaseError> {
    let mut store = kind.open();
    let mut model = Model::default();
    check_opened(&mut store, &model)?;
    for step in steps {
        match end_of_process(&mut kind, store, &mut model, step)? {
            Ended::Opened(opened) => {
                store = opened;
                check_opened(&mut store, &model)?;
            }
            Ended::Not(same, step) => {
                store = same;
                change(&mut kind, &mut store, &mut model, step)?;
            }
            Ended::NoFailPoints => return Ok(()),
        }
        prop_assert_eq!(store.position(), model.position);
        prop_assert_eq!(store.memory_position(), model.position_when_saved);
    }
    check_all(&mut store, &mut model)
}

/// What a step made of the process that has a store.
enum Ended<S> {
    Opened(S),
    Not(S, Step),
    NoFailPoints,
}

/// Steps that end a process; others are given back.
fn end_of_process<K: Kind>(
    kind: &mut K,
    store: K::Store,
    model: &mut Model,
    step: Step,
) -> Result<Ended<K::Store>, TestCaseError> {
    let opened = match step {
        Step::CrashInApply(changes) => {
            let (changes, position) = (keyed(changes), model.position + 1);
            let mut apply = |store: &mut K::Store| store.apply(&changes, position);
            kind.crash_at("frontier:apply", store, &mut apply)
        }
        Step::CrashInSave(is_written) => {
            let memory = memory(9, &[], model);
            let point = ["frontier:save", "frontier:saved"][usize::from(is_written)];
            let mut save = |store: &mut K::Store| store.save(&mut memory.clone().into_iter());
            let opened = kind.crash_at(point, store, &mut save);
            if is_written && opened.is_some() {
                kind.saved();
                model.save(memory);
            }
            opened
        }
        Step::CrashWhileSaving(changes, comes) => {
            crash_while_saving(kind, store, model, (keyed(changes), comes))
        }
        Step::Reopen => Some(kind.reopen(store)),
        // Memory that was saved is on the disk, with all that it follows from.
        Step::Tear(_) if model.tail.is_empty() => Some(kind.reopen(store)),
        Step::Tear(bytes) => {
            let store = kind.tear(store, bytes);
            let possible = model.position_when_saved..=model.position;
            prop_assert!(possible.contains(&store.position()));
            Some(store)
        }
        step => return Ok(Ended::Not(store, step)),
    };
    let Some(store) = opened else {
        return Ok(Ended::NoFailPoints);
    };
    model.reopen(store.position());
    Ok(Ended::Opened(store))
}

/// A process ends while memory is on its way to the disk, and slots come and go.
fn crash_while_saving<K: Kind>(
    kind: &mut K,
    store: K::Store,
    model: &mut Model,
    (changes, comes): (Vec<(u128, Change)>, bool),
) -> Option<K::Store> {
    let memory = memory(8, &[], model);
    let mut meanwhile = |store: &mut K::Store| {
        store.begin_save(&mut memory.clone().into_iter())?;
        store.apply(&changes, model.position + 1)?;
        for host in 0..3 {
            store.take_spilled(host)?;
        }
        let slots = (0..300).map(|order| QueueSlot {
            priority: 0.5,
            depth: 1,
            order,
            key: u128::from(order) << 80,
        });
        store.spill(&mut [(1, slots.collect())].into_iter())
    };
    let opened = kind.crash_while_saving(comes, store, &mut meanwhile)?;
    if comes {
        kind.saved();
        model.save(memory);
    }
    model.apply(changes);
    Some(opened)
}

/// Steps that go on in one process.
fn change<K: Kind>(
    kind: &mut K,
    store: &mut K::Store,
    model: &mut Model,
    step: Step,
) -> Result<(), TestCaseError> {
    match step {
        Step::Apply(changes) => {
            let changes = keyed(changes);
            store.apply(&changes, model.position + 1)?;
            model.apply(changes);
        }
        Step::Read(at) => {
            let key = url(at).key();
            let expected = model.urls.get(&key).cloned();
            prop_assert_eq!(store.has_url(key)?, expected.is_some());
            prop_assert_eq!(store.url(key)?, expected);
        }
        Step::Spill(queues) => {
            // The frontier spills a slot once.
            let new = |(host, slots): (u32, BTreeSet<QueueSlot>)| {
                let known = model.spilled.entry(host).or_default();
                let own = |slot: QueueSlot| QueueSlot {
                    key: slot.key + (u128::from(host) << 32),
                    ..slot
                };
                let slots: BTreeSet<QueueSlot> = slots.into_iter().map(own).collect();
                let slots: Vec<QueueSlot> = slots.difference(known).copied().collect();
                known.extend(&slots);
                (host, slots)
            };
            store.spill(&mut queues.into_iter().map(new))?;
        }
        Step::TakeSpilled(host) => check_taken(store, host, model)?,
        Step::ForgetSpilled(host, at) => {
            let spilled = model.spilled.entry(host).or_default();
            if let Some(slot) = spilled.iter().nth(at).copied() {
                prop_assert!(store.forget_spilled(host, &slot));
                spilled.remove(&slot);
            }
        }
        Step::Save(number, slots) => {
            let memory = memory(number, &slots, model);
            store.save(&mut memory.clone().into_iter())?;
            kind.saved();
            model.save(memory);
        }
        Step::CrashInApply(_)
        | Step::CrashInSave(_)
        | Step::CrashWhileSaving(..)
        | Step::Reopen
        | Step::Tear(_) => unreachable!("it ends the process"),
    }
    Ok(())
}

/// All that was stored is there.
fn check_all(store: &mut impl FrontierStore, model: &mut Model) -> Result<(), TestCaseError> {
    let mut keys = BTreeSet::new();
    store.keys(&mut |key| {
        keys.insert(key);
        true
    })?;
    let expected: BTreeSet<u64> = model.urls.keys().map(|key| *key as u64).collect();
    prop_assert_eq!(keys, expected);
    for host in 0..3 {
        while model
            .spilled
            .get(&host)
            .is_some_and(|slots| !slots.is_empty())
        {
            check_taken(store, host, model)?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn the_store_in_memory_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..60)) {
        check(InMemory, steps)?;
    }

    #[test]
    fn the_store_on_disk_does_as_the_contract_says(steps in prop::collection::vec(any_step(), 1..60)) {
        let _turn = turn();
        check(OnDisk::new(), steps)?;
    }
}

fn pending(number: u64) -> (u128, Change) {
    let waiting = Waiting {
        url: FrontierUrl::seed(url(number), 0),
        attempt: 1,
        not_before_ms: 0,
        order: number,
    };
    (url(number).key(), Change::Pending(waiting))
}

#[test]
fn the_best_of_two_spilled_parts_comes_first_though_one_was_read_from_before() {
    let _turn = turn();
    let mut kind = OnDisk::new();
    let mut store = kind.open();
    let slot = |priority, order| QueueSlot {
        priority,
        depth: 1,
        order,
        key: u128::from(order),
    };
    // More than are read at once.
    let mut first: Vec<QueueSlot> = (0..127).map(|order| slot(0.9, order)).collect();
    first.push(slot(0.1, 200));
    let second = vec![slot(0.5, 300)];
    for slots in [first.clone(), second.clone()] {
        store.spill(&mut [(0, slots)].into_iter()).expect("spilled");
    }
    let mut taken = Vec::new();
    while taken.len() < 129 {
        let slots = store.take_spilled(0).expect("read").slots;
        assert!(!slots.is_empty());
        taken.extend(slots);
    }
    let last = first.pop();
    let all: Vec<QueueSlot> = first.into_iter().chain(second).chain(last).collect();
    assert_eq!(taken, all);
}

#[test]
fn damage_that_is_met_while_a_store_is_in_use_makes_the_next_start_begin_anew() {
    let _turn = turn();
    let mut kind = OnDisk::new();
    let mut store = kind.open();
    let urls: Vec<_> = (0..100).map(pending).collect();
    store.apply(&urls, 3).expect("applied");
    store.save(&mut std::iter::empty()).expect("saved");
    drop(store);
    let path = kind.newest("urls").expect("a log");
    let mut bytes = std::fs::read(&path).expect("read");
    bytes[300..2_000].fill(9);
    std::fs::write(&path, bytes).expect("damaged");
    let store = kind.open();
    let read: Vec<_> = urls.iter().map(|(key, _)| store.url(*key)).collect();
    assert!(
        read.iter()
            .any(|read| matches!(read, Err(StoreError::Damaged { .. })))
    );
    for (read, (_, change)) in read.into_iter().zip(urls).filter(|(read, _)| read.is_ok()) {
        assert_eq!(read, Ok(Some(change.stored())));
    }
    drop(store);
    let config = FrontierConfig::default();
    let (frontier, opened) = Frontier::open(&kind.dir(), config, Instant::now()).expect("opens");
    let why = opened.rebuilt_because.expect("it was set aside");
    assert!(why.contains("a row of its log cannot be read"), "{why}");
    assert!(why.contains("frontier.set-aside-1"), "{why}");
    assert_eq!((opened.position, frontier.counts().admitted), (0, 0));
}

#[test]
fn a_store_whose_files_are_damaged_or_gone_is_set_aside() {
    let _turn = turn();
    for (number, (extension, is_gone)) in (1..).zip([
        ("", false),
        ("keys", false),
        ("keys", true),
        ("urls", true),
        ("slots", true),
    ]) {
        let mut kind = OnDisk::new();
        let mut store = kind.open();
        let urls: Vec<_> = (0..100).map(pending).collect();
        store.apply(&urls, 3).expect("applied");
        let slot = QueueSlot {
            priority: 0.5,
            depth: 1,
            order: 7,
            key: 9,
        };
        store
            .spill(&mut [(0, vec![slot])].into_iter())
            .expect("spilled");
        let host = SavedHost {
            host: HostKey::from_record("a.example"),
            admitted: 1,
            ready: Vec::new(),
            retries: Vec::new(),
            spilled: 1,
            spilled_from: Some(slot),
        };
        store
            .save(&mut [Saved::Host(host)].into_iter())
            .expect("saved");
        drop(store);
        let path = match extension {
            "" => kind.dir().join("checkpoint"),
            extension => kind.newest(extension).expect("a file"),
        };
        if is_gone {
            std::fs::remove_file(path).expect("is removed");
        } else {
            let mut bytes = std::fs::read(&path).expect("read");
            let at = bytes.len() - 9;
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).expect("damaged");
        }
        let config = FrontierConfig::default();
        let opened = Frontier::open(&kind.dir(), config, Instant::now());
        let (_, opened) = opened.expect("opens");
        assert!(opened.rebuilt_because.is_some(), "{number}: {extension}");
        assert_eq!(opened.position, 0);
    }
}

#[test]
fn a_store_of_an_earlier_version_is_set_aside() {
    let _turn = turn();
    let kind = OnDisk::new();
    std::fs::create_dir(kind.dir()).expect("made");
    for file in ["conf", "db"] {
        std::fs::write(kind.dir().join(file), "rows").expect("written");
    }
    let (_, opened) = DiskStore::open(&kind.dir()).expect("opens");
    let why = opened.rebuilt_because.expect("it was set aside");
    assert!(why.starts_with("it is of another format"), "{why}");
}

#[test]
fn a_full_disk_ends_the_crawl_with_its_reason_and_nothing_is_lost() {
    let _turn = turn();
    let kind = OnDisk::new();
    let config = FrontierConfig {
        pending_in_memory: 8,
        slots_in_memory: 32,
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
        ("frontier:apply", "return"),
        ("frontier:save", "return"),
    ] {
        fail::cfg(point, what).expect("a fail point");
        let failed = admit(&mut frontier, 600..1_300)
            .and_then(|()| frontier.apply(6))
            .and_then(|()| frontier.save());
        fail::remove(point);
        let words = failed.expect_err("the disk is full").to_string();
        assert!(words.starts_with("cannot write to "), "{words}");
        assert!(words.contains(point), "{words}");
        drop(frontier);
        let (reopened, opened) = open();
        let (position, admitted) = if point == "frontier:save" {
            (6, 1_300)
        } else {
            (5, 600)
        };
        assert_eq!((opened.position, opened.rebuilt_because), (position, None));
        assert_eq!(reopened.counts().admitted, admitted);
        frontier = reopened;
    }
}
