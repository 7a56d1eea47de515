//! The tables on disk give the answers of those in RAM, whatever was merged, removed or reopened.

use proptest::prelude::*;
use simhash::hash::mix;
use simhash::{IndexConfig, Memory, Neighbour, TableIndex, Tables, TextPrint, print_hashes};

/// Pages in RAM before they are merged: the least there is, one block.
const SLOTS: u32 = 256;

/// Page number `page`: a copy of an earlier one with some bits flipped, a short text among others,
/// one without words, or a text of its own.
fn print(page: u64) -> TextPrint {
    let random = mix(page + 1);
    let (text, words) = match random % 8 {
        0 => (page, 90),
        1..=4 => (random % 40, 90),
        5 | 6 => (random % 30, 20),
        _ => (page, (random >> 32) % 3),
    };
    let replaced = (random >> 8) % 5;
    let hashes: Vec<u64> = (0..words)
        .map(|at| mix(text * 10_000 + at + if at < replaced { 5_000_000 } else { 0 }))
        .collect();
    let mut print = print_hashes(&hashes, &[]);
    for flip in 0..(random >> 16) % 10 {
        print.fingerprint.0 ^= 1 << (mix(random + flip) % 64);
    }
    print
}

fn answer(neighbour: Option<Neighbour>) -> Option<Neighbour> {
    neighbour.map(|neighbour| Neighbour {
        table: 0,
        ..neighbour
    })
}

#[derive(Clone, Debug)]
struct Group {
    inserted: u64,
    removed: u64,
    /// Pages that are kept already and get another print.
    renewed: u64,
    reopened: Option<Memory>,
}

fn any_group() -> impl Strategy<Value = Group> {
    let reopened = prop_oneof![
        3 => Just(None),
        2 => Just(Some(Memory::Disk)),
        1 => Just(Some(Memory::Ram)),
    ];
    (0u64..500, 0u64..20, 0u64..20, reopened).prop_map(|(inserted, removed, renewed, reopened)| {
        Group {
            inserted,
            removed,
            renewed,
            reopened,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn tables_on_disk_answer_as_tables_in_ram_do(
        (tables, reach) in prop_oneof![
            (0u8..=8).prop_map(|reach| (Tables::Three, reach)),
            (0u8..=11).prop_map(|reach| (Tables::Four, reach)),
            Just((Tables::Ten, 3)),
            Just((Tables::Sixteen, 3)),
        ],
        groups in prop::collection::vec(any_group(), 1..7),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let config = |memory| IndexConfig { k: reach.min(3), reach, tables, memory, pages_in_ram: SLOTS, ..IndexConfig::default() };
        let open = |memory| TableIndex::open(&dir.path().join("index"), &config(memory)).unwrap();
        let mut index = open(Memory::Disk).0;
        let mut model = TableIndex::in_memory(&config(Memory::Ram)).unwrap();
        let mut next = 0;
        for (position, group) in (1..).zip(&groups) {
            let earlier = |n: u64| mix(n + 1_000 * position) % next.max(1);
            for page in (0..group.removed).map(earlier) {
                prop_assert_eq!(index.remove(page).unwrap(), model.remove(page).unwrap());
            }
            let renewed = (100..100 + group.renewed).map(earlier).map(|page| (page, print(page + 1_000_000)));
            let inserted = (next..next + group.inserted).map(|page| (page, print(page)));
            for (page, print) in renewed.chain(inserted) {
                index.insert(page, &print).unwrap();
                model.insert(page, &print).unwrap();
            }
            next = (next + group.inserted).max(1);
            for page in (0..next).step_by(29) {
                prop_assert_eq!(answer(index.nearest(&print(page)).unwrap()), answer(model.nearest(&print(page)).unwrap()));
            }
            index.apply(position).unwrap();
            if let Some(memory) = group.reopened {
                drop(index);
                let (again, opened) = open(memory);
                index = again;
                prop_assert_eq!((opened.position, opened.rebuilt_because), (position, None));
            }
            prop_assert_eq!(index.len(), model.len());
        }
        for page in 0..next {
            prop_assert_eq!(index.get(page).unwrap(), model.get(page).unwrap());
        }
        for page in (0..next).step_by(3) {
            prop_assert_eq!(answer(index.nearest(&print(page)).unwrap()), answer(model.nearest(&print(page)).unwrap()));
        }
    }
}

#[test]
fn a_bucket_with_thousands_of_pages_is_read_whole() {
    let dir = tempfile::tempdir().unwrap();
    let config = IndexConfig {
        memory: Memory::Disk,
        pages_in_ram: SLOTS,
        reach: 3,
        ..IndexConfig::default()
    };
    let open = || TableIndex::open(&dir.path().join("index"), &config).unwrap();
    let text = print_hashes(&(0..90).map(mix).collect::<Vec<_>>(), &[]);
    let of = |page: u64| TextPrint {
        fingerprint: simhash::Fingerprint(0xABCD << 48 | mix(page) >> 16),
        digest: page,
        ..text
    };
    let mut index = open().0;
    for page in 0..3_000 {
        index.insert(page, &of(page)).unwrap();
        if page % 100 == 0 {
            index.apply(page).unwrap();
        }
    }
    index.apply(3_000).unwrap();
    drop(index);
    let mut index = open().0;
    for page in 0..3_000 {
        let near = index.nearest(&of(page)).unwrap().unwrap();
        assert_eq!((near.page, near.exact), (page, true));
    }
}

/// Removes block 0 behind the index's back.
fn remove_first_block(path: &std::path::Path) {
    let format = kv::Format {
        key: b"meta",
        value: b"tamis fingerprints ",
        otherwise: "",
    };
    let options = kv::Options {
        format,
        cache_bytes: 1 << 20,
        flush_every: None,
    };
    let rows = kv::open(path, &options, Ok).unwrap().loaded;
    assert!(rows.remove(b"r\0\0\0\0").unwrap());
}

#[test]
fn a_store_with_rows_missing_is_set_aside_and_a_new_one_begun() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("index");
    let config = IndexConfig {
        memory: Memory::Disk,
        pages_in_ram: 4 * SLOTS,
        ..IndexConfig::default()
    };
    let open = || TableIndex::open(&path, &config).unwrap();
    let mut index = open().0;
    for page in 0..600 {
        index.insert(page, &print(page)).unwrap();
    }
    index.apply(7).unwrap();
    drop(index);
    remove_first_block(&path);
    let (mut index, opened) = open();
    assert_eq!(opened.position, 0);
    assert!(opened.rebuilt_because.unwrap().contains("set-aside-1"));
    index.insert(1, &print(1)).unwrap();
    assert!(index.nearest(&print(1)).unwrap().is_some());
}
