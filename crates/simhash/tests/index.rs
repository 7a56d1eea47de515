//! Every index gives the answers of the linear model, before and after it was closed or killed.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use simhash::hash::mix;
use simhash::{
    IndexConfig, LinearIndex, Memory, Neighbour, SketchSize, TableIndex, Tables, TextPrint,
    print_hashes,
};

/// A print of text number `text` of `words` words, with some words replaced and some bits of the
/// fingerprint flipped.
fn print(text: u64, words: u64, replaced: u64, flips: &[u32]) -> TextPrint {
    let hashes: Vec<u64> = (0..words)
        .map(|at| mix(text * 10_000 + at + if at < replaced { 5_000_000 } else { 0 }))
        .collect();
    let mut print = print_hashes(&hashes, &hashes[..(words as usize).min(4)]);
    for flip in flips {
        print.fingerprint.0 ^= 1 << flip;
    }
    print
}

/// What two indexes must agree on: all but the table.
fn answer(neighbour: Option<Neighbour>) -> Option<Neighbour> {
    neighbour.map(|neighbour| Neighbour {
        table: 0,
        ..neighbour
    })
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u64, TextPrint),
    Remove(u64),
    Ask(TextPrint),
    Apply,
    Reopen,
}

fn any_print() -> impl Strategy<Value = TextPrint> {
    let words = prop_oneof![Just(0u64), Just(1), Just(12), Just(63), Just(64), Just(90)];
    (
        0u64..4,
        words,
        0u64..8,
        prop::collection::vec(0u32..64, 0..13),
    )
        .prop_map(|(text, words, replaced, flips)| print(text, words, replaced, &flips))
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u64..60, any_print()).prop_map(|(page, print)| Step::Insert(page, print)),
        2 => (0u64..60).prop_map(Step::Remove),
        6 => any_print().prop_map(Step::Ask),
        1 => Just(Step::Apply),
        1 => Just(Step::Reopen),
    ]
}

fn any_config() -> impl Strategy<Value = IndexConfig> {
    let size = prop_oneof![Just(SketchSize::Bytes64), Just(SketchSize::Bytes128)];
    let memory = prop_oneof![Just(Memory::Ram), Just(Memory::Disk)];
    let tables = prop_oneof![
        (0u8..=8).prop_map(|reach| (Tables::Three, reach)),
        (0u8..=11).prop_map(|reach| (Tables::Four, reach)),
        (0u8..=3).prop_map(|reach| (Tables::Ten, reach)),
        (0u8..=3).prop_map(|reach| (Tables::Sixteen, reach)),
    ];
    (tables, size, memory).prop_map(|((tables, reach), sketch, memory)| IndexConfig {
        k: reach.min(3),
        reach,
        tables,
        sketch,
        memory,
        ..IndexConfig::default()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_steps_gives_the_answers_of_the_linear_model(
        config in any_config(),
        steps in prop::collection::vec(any_step(), 1..80),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let open = || TableIndex::open(&dir.path().join("fingerprints"), &config).unwrap();
        let (mut index, opened) = open();
        prop_assert_eq!(opened.position, 0);
        let mut model = LinearIndex::new(&config);
        let mut position = 0;
        for step in steps {
            match step {
                Step::Insert(page, print) => {
                    index.insert(page, &print).unwrap();
                    model.insert(page, &print);
                }
                Step::Remove(page) => {
                    prop_assert_eq!(index.remove(page).unwrap(), model.remove(page));
                }
                Step::Ask(print) => {
                    prop_assert_eq!(answer(index.nearest(&print).unwrap()), answer(model.nearest(&print)));
                }
                Step::Apply => {
                    position += 1;
                    index.apply(position).unwrap();
                }
                Step::Reopen => {
                    position += 1;
                    index.apply(position).unwrap();
                    drop(index);
                    let (again, opened) = open();
                    index = again;
                    prop_assert_eq!(opened.position, position);
                    prop_assert_eq!(opened.rebuilt_because, None);
                }
            }
            prop_assert_eq!(index.len(), model.len());
        }
        for page in 0..60 {
            prop_assert_eq!(index.get(page).unwrap(), model.get(page));
        }
    }

    #[test]
    fn blocks_tails_and_freed_slots_come_back_as_they_were(
        disk: bool,
        groups in prop::collection::vec((0u64..400, 0u64..30, 0u64..6), 1..10),
    ) {
        let memory = if disk { Memory::Disk } else { Memory::Ram };
        let config = IndexConfig { memory, reach: 3, sketch: SketchSize::Bytes64, ..IndexConfig::default() };
        let dir = tempfile::tempdir().unwrap();
        let open = || TableIndex::open(&dir.path().join("fingerprints"), &config).unwrap();
        let (mut index, mut model) = (open().0, LinearIndex::new(&config));
        let text = print(1, 80, 0, &[]);
        let with = |page: u64| TextPrint { fingerprint: simhash::Fingerprint(mix(page)), digest: page, ..text };
        let mut next = 0;
        for (position, &(inserted, removed, reopen)) in (1..).zip(&groups) {
            for page in next..next + inserted {
                index.insert(page, &with(page)).unwrap();
                model.insert(page, &with(page));
            }
            next += inserted;
            for page in (0..removed).map(|n| mix(n + position) % next.max(1)) {
                prop_assert_eq!(index.remove(page).unwrap(), model.remove(page));
            }
            index.apply(position).unwrap();
            if reopen == 0 || position == groups.len() as u64 {
                drop(index);
                let (again, opened) = open();
                index = again;
                prop_assert_eq!((opened.position, opened.rebuilt_because), (position, None));
                for page in 0..next {
                    prop_assert_eq!(index.get(page).unwrap(), model.get(page));
                    let near = index.nearest(&with(page)).unwrap().filter(|near| near.exact).map(|near| near.page);
                    prop_assert_eq!(near, model.get(page).map(|_| page));
                }
            }
        }
    }

    #[test]
    fn a_page_within_reach_is_never_missed(
        base: u64,
        flips in prop::collection::btree_set(0u32..64, 0..=11),
        others in prop::collection::vec(any::<u64>(), 0..50),
    ) {
        let text = print(1, 80, 0, &[]);
        let with = |bits: u64| { let mut print = text; print.fingerprint.0 = bits; print };
        let asked = flips.iter().fold(base, |bits, bit| bits ^ (1 << bit));
        for tables in Tables::ALL {
            let reach = simhash::Layout::of(tables).complete;
            let mut index = TableIndex::in_memory(&IndexConfig { reach, tables, ..IndexConfig::default() }).unwrap();
            for (page, &other) in others.iter().enumerate() {
                index.insert(page as u64 + 1, &with(other)).unwrap();
            }
            index.insert(1_000, &with(base)).unwrap();
            if flips.len() <= usize::from(reach) {
                let near = index.nearest(&with(asked)).unwrap().unwrap();
                prop_assert!(usize::from(near.distance) <= flips.len());
            }
        }
    }
}

/// Fingerprints around a few centres, so that many lie within reach of each other and whole blocks
/// are shared by hundreds, and others that are near nothing.
fn crowded(pages: u64) -> Vec<u64> {
    let mut made = Vec::new();
    for page in 0..pages {
        let random = mix(page + 7);
        let centre = mix(random % 5);
        let flips = (random >> 8) % 13;
        made.push(match random % 4 {
            0 => random,
            // The lower half of a centre, the upper at random: its last block is shared.
            1 => (centre & 0xFFFF_FFFF) | random << 32,
            _ => (0..flips).fold(centre, |bits, flip| bits ^ 1 << (mix(random + flip) % 64)),
        });
    }
    made
}

#[test]
fn among_texts_of_one_form_the_answer_is_that_of_comparing_with_every_page() {
    // Hundreds of texts within reach by their words alone; some of them are copies, more or less.
    let base = print(1, 90, 0, &[]).fingerprint;
    let text = |number: u64, replaced: u64| TextPrint {
        fingerprint: simhash::Fingerprint(base.0 ^ (1 << (number % 64)) ^ (1 << (replaced % 64))),
        ..print(number, 300, replaced, &[])
    };
    let config = IndexConfig::default();
    let mut index = TableIndex::in_memory(&config).unwrap();
    let mut model = LinearIndex::new(&config);
    for number in 0..400 {
        let kept = text(number / 4, 40 * (number % 4));
        index.insert(number, &kept).unwrap();
        model.insert(number, &kept);
    }
    let mut duplicates = 0;
    for number in 0..120 {
        for replaced in [0, 7, 25, 60, 130, 290] {
            let asked = text(number, replaced);
            let found = index.nearest(&asked).unwrap();
            assert_eq!(
                answer(found),
                answer(model.nearest(&asked)),
                "{number} {replaced}"
            );
            let decision = found.map(|near| near.decision);
            duplicates += u32::from(decision == Some(simhash::Decision::Duplicate));
        }
    }
    assert!((100..700).contains(&duplicates), "{duplicates}");
}

#[test]
fn three_tables_and_four_find_what_comparing_with_every_page_finds() {
    let text = print(1, 80, 0, &[]);
    let with = |bits: u64| TextPrint {
        fingerprint: simhash::Fingerprint(bits),
        digest: bits,
        ..text
    };
    // Enough pages that every table splits its segments many times over.
    let kept = crowded(6_000);
    for reach in 3..=8 {
        let indexes = [Tables::Three, Tables::Four].map(|tables| {
            let config = IndexConfig {
                reach,
                tables,
                ..IndexConfig::default()
            };
            let mut index = TableIndex::in_memory(&config).unwrap();
            for (page, &bits) in kept.iter().enumerate() {
                index.insert(page as u64, &with(bits)).unwrap();
            }
            for page in (0..kept.len() as u64).step_by(3) {
                assert!(index.remove(page).unwrap());
            }
            index
        });
        for mut index in indexes {
            for &asked in kept.iter().step_by(11) {
                let asked = asked ^ 1 << (asked % 64);
                let mut found = Vec::new();
                let seen = |near: Neighbour| {
                    found.push(near.page);
                    near
                };
                let print = TextPrint {
                    digest: !asked,
                    ..with(asked)
                };
                index.nearest_by(&print, seen).unwrap();
                found.sort_unstable();
                let all = (0..kept.len()).filter(|&page| {
                    page % 3 != 0 && (kept[page] ^ asked).count_ones() <= u32::from(reach)
                });
                assert_eq!(found, all.map(|page| page as u64).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn tables_of_another_number_are_told_and_change_no_answer() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("fingerprints");
    let with = |tables| IndexConfig {
        tables,
        ..IndexConfig::default()
    };
    let (mut index, opened) = TableIndex::open(&dir, &with(Tables::Four)).unwrap();
    assert_eq!(opened.tables_before, None);
    for page in 0..600 {
        index.insert(page, &print(page, 90, 0, &[])).unwrap();
    }
    index.apply(600).unwrap();
    drop(index);
    let (index, opened) = TableIndex::open(&dir, &with(Tables::Four)).unwrap();
    assert_eq!(opened.tables_before, None);
    drop(index);
    for memory in [Memory::Ram, Memory::Disk] {
        for (tables, before) in [(Tables::Three, 4), (Tables::Four, 3)] {
            let config = IndexConfig {
                memory,
                pages_in_ram: 256,
                ..with(tables)
            };
            let (mut index, opened) = TableIndex::open(&dir, &config).unwrap();
            assert_eq!((opened.position, &opened.rebuilt_because), (600, &None));
            let said = opened.tables_changed(tables).unwrap();
            let expected = format!("made with {before} tables, opened with {}", tables.count());
            assert!(said.contains(&expected), "{said}");
            for page in 0..600 {
                let near = index.nearest(&print(page, 90, 0, &[9, 30, 51])).unwrap();
                assert_eq!(near.map(|near| near.page), Some(page));
            }
        }
    }
}

#[test]
fn a_reach_beyond_the_tables_is_refused_with_what_they_can() {
    let config = IndexConfig {
        reach: 7,
        tables: Tables::Ten,
        ..IndexConfig::default()
    };
    let error = TableIndex::in_memory(&config).unwrap_err().to_string();
    assert!(
        error.contains("distance 7") && error.contains("complete to 3"),
        "{error}"
    );
}

#[test]
fn a_duplicate_is_preferred_to_a_nearer_stranger() {
    let mut index = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    let page = print(1, 90, 0, &[]);
    let mut stranger = print(2, 90, 0, &[]);
    stranger.fingerprint = page.fingerprint;
    index.insert(1, &stranger).unwrap();
    let near = index.nearest(&page).unwrap().unwrap();
    assert_eq!((near.page, near.decision), (1, simhash::Decision::Refuted));
    index.insert(2, &print(1, 90, 1, &[3, 17, 40])).unwrap();
    let near = index.nearest(&page).unwrap().unwrap();
    assert_eq!(
        (near.page, near.decision),
        (2, simhash::Decision::Duplicate)
    );
}

#[test]
fn a_copy_is_found_behind_a_nearer_page_that_is_doubted() {
    let page = print(1, 140, 0, &[]);
    let mut index = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    index.insert(1, &print(1, 140, 0, &[7])).unwrap();
    index.insert(2, &print(1, 140, 2, &[3, 17])).unwrap();
    index.insert(3, &print(1, 140, 4, &[3, 17, 40])).unwrap();
    let without = |doubted: u64| {
        move |near: Neighbour| match near.page <= doubted {
            true => Neighbour {
                decision: simhash::Decision::Refuted,
                ..near
            },
            false => near,
        }
    };
    for doubted in 0..3 {
        let near = index.nearest_by(&page, without(doubted)).unwrap().unwrap();
        assert_eq!(
            (near.page, near.decision),
            (doubted + 1, simhash::Decision::Duplicate)
        );
    }
    // Where all are doubted the nearest of them is the answer.
    let near = index.nearest_by(&page, without(3)).unwrap().unwrap();
    assert_eq!((near.page, near.decision), (1, simhash::Decision::Refuted));
}

#[test]
fn another_scheme_or_sketch_size_is_set_aside_and_said() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("fingerprints");
    let small = IndexConfig {
        sketch: SketchSize::Bytes64,
        ..IndexConfig::default()
    };
    let (mut index, _) = TableIndex::open(&dir, &small).unwrap();
    index.insert(1, &print(1, 90, 0, &[])).unwrap();
    index.apply(17).unwrap();
    drop(index);
    let (index, opened) = TableIndex::open(&dir, &IndexConfig::default()).unwrap();
    assert_eq!((index.len(), opened.position), (0, 0));
    let why = opened.rebuilt_because.unwrap();
    assert!(
        why.contains("another scheme") && why.contains("fingerprints.set-aside-1"),
        "{why}"
    );
    assert!(parent.path().join("fingerprints.set-aside-1").is_dir());
}

#[test]
fn a_damaged_store_is_set_aside_and_an_empty_one_begun() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("fingerprints");
    let (mut index, _) = TableIndex::open(&dir, &IndexConfig::default()).unwrap();
    for page in 0..500 {
        index.insert(page, &print(page, 90, 0, &[])).unwrap();
    }
    index.apply(500).unwrap();
    drop(index);
    let mut bytes = std::fs::read(dir.join("db")).unwrap();
    let middle = bytes.len() / 3;
    for byte in &mut bytes[middle..] {
        *byte = 0xA5;
    }
    std::fs::write(dir.join("db"), bytes).unwrap();
    let (mut index, opened) = TableIndex::open(&dir, &IndexConfig::default()).unwrap();
    // The engine may cut what it cannot read; then what is left must be whole, with its own position.
    match opened.rebuilt_because {
        Some(why) => assert_eq!((index.len(), opened.position), (0, 0), "{why}"),
        None => assert!(index.len() <= 500 && opened.position <= 500),
    }
    index.insert(1, &print(1, 90, 0, &[])).unwrap();
    index.apply(501).unwrap();
}

#[test]
fn a_store_that_another_process_has_open_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("fingerprints");
    let (_index, _) = TableIndex::open(&dir, &IndexConfig::default()).unwrap();
    assert!(TableIndex::open(&dir, &IndexConfig::default()).is_err());
    assert!(dir.is_dir());
}

/// Pages in one group of the killed writer.
const GROUP: u64 = 20;

fn killed_page(page: u64) -> TextPrint {
    print(page, 90, 0, &[])
}

fn write_group(index: &mut TableIndex, group: u64) {
    for page in group * GROUP..(group + 1) * GROUP {
        index.insert(page, &killed_page(page)).unwrap();
        // Every fifth page gives its place to a better representative.
        if page % 5 == 4 {
            index.remove(page - 1).unwrap();
        }
    }
    index.apply(group + 1).unwrap();
}

/// An index that merges early where its tables are on disk.
fn open_killed(dir: &Path, memory: Memory, tables: Tables) -> (TableIndex, simhash::Opened) {
    let config = IndexConfig {
        memory,
        tables,
        pages_in_ram: 256,
        ..IndexConfig::default()
    };
    TableIndex::open(dir, &config).unwrap()
}

/// Not a test by itself: the process that the next tests kill.
#[test]
fn child_writer() {
    let Ok(dir) = std::env::var("SIMHASH_KILLED_WRITER") else {
        return;
    };
    let memory = match std::env::var("SIMHASH_KILLED_MEMORY").as_deref() {
        Ok("disk") => Memory::Disk,
        _ => Memory::Ram,
    };
    let tables = match std::env::var("SIMHASH_KILLED_TABLES").as_deref() {
        Ok("3") => Tables::Three,
        _ => Tables::Four,
    };
    let (mut index, opened) = open_killed(Path::new(&dir), memory, tables);
    for group in opened.position..10_000 {
        write_group(&mut index, group);
        if group % 3 == 0 {
            index.flush().unwrap();
            println!("flushed {}", group + 1);
            std::io::stdout().flush().unwrap();
        }
    }
}

#[test]
fn a_killed_writer_loses_nothing_that_replay_from_its_position_does_not_mend() {
    kill_writers(Memory::Ram, "ram", Tables::Four);
}

#[test]
fn a_writer_killed_with_its_tables_on_disk_loses_nothing_either() {
    kill_writers(Memory::Disk, "disk", Tables::Four);
}

#[test]
fn a_killed_writer_with_three_tables_loses_nothing_either() {
    kill_writers(Memory::Ram, "ram", Tables::Three);
    kill_writers(Memory::Disk, "disk", Tables::Three);
}

fn kill_writers(memory: Memory, name: &str, tables: Tables) {
    let parent = tempfile::tempdir().unwrap();
    let dir = parent.path().join("fingerprints");
    for round in 1..=3u64 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_writer", "--nocapture", "--test-threads=1"])
            .env("SIMHASH_KILLED_WRITER", &dir)
            .env("SIMHASH_KILLED_MEMORY", name)
            .env("SIMHASH_KILLED_TABLES", tables.count().to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let flushed: Vec<u64> = lines
            .map_while(Result::ok)
            .filter_map(|line| {
                line.rsplit_once("flushed ")
                    .and_then(|(_, n)| n.parse().ok())
            })
            .take(4 * round as usize)
            .collect();
        child.kill().unwrap();
        child.wait().unwrap();
        let flushed = *flushed.last().unwrap();

        let (mut index, opened) = open_killed(&dir, memory, tables);
        assert_eq!(opened.rebuilt_because, None);
        assert!(
            opened.position >= flushed,
            "{} < {flushed}",
            opened.position
        );
        let goal = opened.position + 2;
        for group in opened.position..goal {
            write_group(&mut index, group);
        }
        // No page is missed, nor is a copy of it within k.
        for page in 0..goal * GROUP {
            let expected = (page % 5 != 3).then_some(page);
            for flipped in [0, 1 << 5, 1 << 5 | 1 << 21 | 1 << 60] {
                let mut asked = killed_page(page);
                asked.fingerprint.0 ^= flipped;
                let near = index.nearest(&asked).unwrap().filter(|near| near.exact);
                assert_eq!(near.map(|near| near.page), expected);
            }
        }
    }
}
