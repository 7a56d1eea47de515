//! The end of a process at any moment of a save, with bounds so small that files are merged, rewritten and
//! removed all the time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::CanonicalUrl;
use crate::lease::FrontierUrl;
use crate::store::{SavedTotals, Waiting};

/// How far a checkpoint comes before the process ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Comes {
    /// It was made and nothing of it written.
    Not,
    /// It took its place, and nothing was removed.
    ButNothingIsRemoved,
    Whole,
}

#[derive(Debug, Clone)]
enum Step {
    Apply(Vec<(u64, bool)>),
    Save(Comes),
    Reopen,
}

fn any_step() -> impl Strategy<Value = Step> {
    let comes = prop_oneof![
        Just(Comes::Not),
        Just(Comes::ButNothingIsRemoved),
        Just(Comes::Whole)
    ];
    prop_oneof![
        8 => prop::collection::vec((0u64..60, any::<bool>()), 1..12).prop_map(Step::Apply),
        3 => comes.prop_map(Step::Save),
        1 => Just(Step::Reopen),
    ]
}

fn change(number: u64, waits: bool, order: u64) -> (u128, Change) {
    let url = CanonicalUrl::parse(&format!("http://a.example/{number}")).expect("a URL");
    let change = match waits {
        true => Change::Pending(Waiting {
            url: FrontierUrl::seed(url.clone(), 0),
            attempt: 1,
            not_before_ms: 0,
            order,
        }),
        false => Change::Finished {
            seed: None,
            host: url.host(),
        },
    };
    (url.key(), change)
}

/// Opens the store, and takes in what it has, as a frontier would.
fn opened(dir: &Path) -> (DiskStore, u64) {
    let (mut store, opened) = DiskStore::open(dir).expect("opens");
    assert_eq!(opened.rebuilt_because, None);
    store.set_small_bounds();
    let mut number = 0;
    let mut take = |saved| {
        if let Saved::Totals(totals) = saved {
            number = totals.admitted;
        }
        Ok(())
    };
    store.load(&mut take).expect("is read");
    while !store.tail().expect("is read").is_empty() {}
    (store, number)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whenever_a_process_ends_while_it_saves_all_that_was_applied_is_there(
        steps in prop::collection::vec(any_step(), 1..80),
    ) {
        let temporary = tempfile::tempdir().expect("a directory");
        let dir = temporary.path().join("frontier");
        let (mut store, _) = opened(&dir);
        let (mut urls, mut saved) = (BTreeMap::new(), 0);
        for (position, step) in (1..).zip(steps) {
            match step {
                Step::Apply(changes) => {
                    let changes: BTreeMap<u64, bool> = changes.into_iter().collect();
                    let changes = changes.into_iter();
                    let changes: Vec<_> = changes.map(|(n, waits)| change(n, waits, position)).collect();
                    store.apply(&changes, position).expect("applies");
                    urls.extend(changes.into_iter().map(|(key, change)| (key, change.stored())));
                }
                Step::Save(comes) => {
                    let totals = SavedTotals { admitted: position, ..SavedTotals::default() };
                    let mut memory = [Saved::Totals(totals)].into_iter();
                    let saving = store.make_save(&mut memory).expect("is made");
                    match comes {
                        Comes::Not => {}
                        Comes::ButNothingIsRemoved => {
                            saving.checkpoint.install(&saving.dir).expect("is written");
                        }
                        Comes::Whole => saving.run().expect("is written"),
                    }
                    saved = if comes == Comes::Not { saved } else { position };
                    if comes != Comes::Whole {
                        // The process lives on for a while, but makes no further checkpoint.
                        let (key, change) = change(99, true, position);
                        store.apply(&[(key, change.clone())], position).expect("applies");
                        urls.insert(key, change.stored());
                        drop(store);
                        store = opened(&dir).0;
                    }
                }
                Step::Reopen => {
                    drop(store);
                    let (reopened, number) = opened(&dir);
                    prop_assert_eq!(number, saved);
                    store = reopened;
                }
            }
            for number in 0..60 {
                let key = change(number, true, 0).0;
                prop_assert_eq!(store.url(key).expect("is read"), urls.get(&key).cloned());
            }
        }
    }
}
