use std::io::Read;
use std::time::Duration;

use archive::{Event, PageRecord, Record};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use frontier::{Frontier, FrontierConfig};
use outcome::{Outcome, Verdict};
use simhash::{IndexConfig, TableIndex};
use state::{Lent, Stored};
use xxhash_rust::xxh3::Xxh3;

use super::*;
use crate::config::CrawlConfig;
use crate::saved_file::HEAD_BYTES;
use crate::setup;

fn state() -> State {
    let frontier = Frontier::in_memory(FrontierConfig::default(), Instant::now());
    let prints = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    let policy = setup::policy(&CrawlConfig::default()).unwrap();
    State::new(policy, frontier, prints).unwrap()
}

/// Takes in a page of some length.
fn read(state: &mut State, number: u64) {
    let page = PageRecord {
        url: format!("http://a.example/{number}?{}", "x".repeat(100)),
        host: "a.example".into(),
        outcome: Outcome::Judged(Verdict::Index),
        page: Some(archive::PageSummary::default()),
        ..PageRecord::default()
    };
    let record = Record {
        seq: number,
        at_ms: 0,
        event: Event::Page(Box::new(page)),
    };
    let stored = Stored {
        prints: true,
        ..Stored::default()
    };
    let applied = state.apply(&record, stored, Lent::default(), |_| None);
    applied.unwrap();
}

fn open(dir: &CrawlDir, state: &mut State, end: u64) -> (MemoryFile, u64, Vec<String>) {
    let mut notes = Vec::new();
    let (memory, position) = MemoryFile::open(dir, state, end, &mut notes).unwrap();
    (memory, position, notes)
}

/// A directory with a file of ten pages at position 1,000.
fn saved() -> (tempfile::TempDir, CrawlDir) {
    let temp = tempfile::tempdir().unwrap();
    let dir = CrawlDir::new(temp.path());
    std::fs::create_dir(temp.path().join("state")).unwrap();
    let mut state = state();
    let (mut memory, ..) = open(&dir, &mut state, 0);
    (1..=10).for_each(|number| read(&mut state, number));
    memory.save_at_end(&state, Position(1_000)).unwrap();
    (temp, dir)
}

#[test]
fn what_was_saved_is_taken_up_with_its_position() {
    let (_temp, dir) = saved();
    let mut again = state();
    let (_, position, notes) = open(&dir, &mut again, 1_000);
    assert_eq!((position, notes.len()), (1_000, 0));
    assert_eq!((again.seq(), again.counts().indexed), (10, 10));
    let file = Saved::open(&dir.memory(), FORM).ok().unwrap();
    assert_eq!(file.hash().unwrap(), hash_of(&again).unwrap());
}

#[test]
fn a_file_that_is_ahead_or_of_other_settings_knows_nothing_and_is_thrown_away() {
    let (_temp, dir) = saved();
    let mut again = state();
    let (_, position, notes) = open(&dir, &mut again, 999);
    assert_eq!((position, again.seq()), (0, 0));
    assert!(notes[0].contains("ahead"), "{notes:?}");
    assert!(!dir.memory().exists());
    let (_temp, dir) = saved();
    let mut config = CrawlConfig::default();
    config.crawl.random_seed += 1;
    let frontier = Frontier::in_memory(FrontierConfig::default(), Instant::now());
    let prints = TableIndex::in_memory(&IndexConfig::default()).unwrap();
    let mut other = State::new(setup::policy(&config).unwrap(), frontier, prints).unwrap();
    let (_, position, notes) = open(&dir, &mut other, 1_000);
    assert_eq!((position, other.seq()), (0, 0));
    assert!(notes[0].contains("settings"), "{notes:?}");
}

#[test]
fn damage_at_any_byte_is_found_and_the_state_knows_nothing() {
    let (_temp, dir) = saved();
    let whole = std::fs::read(dir.memory()).unwrap();
    let is_whole = |bytes: &[u8]| {
        std::fs::write(dir.memory(), bytes).unwrap();
        Saved::open(&dir.memory(), FORM).is_ok()
    };
    assert!(is_whole(&whole));
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(!is_whole(&damaged), "byte {at}");
        assert!(!is_whole(&whole[..at]), "cut at {at}");
    }
    let mut again = state();
    let (_, position, notes) = open(&dir, &mut again, 1_000);
    assert_eq!((position, again.seq()), (0, 0));
    assert!(notes[0].contains("damaged"), "{notes:?}");
}

#[test]
fn a_file_with_a_right_checksum_and_any_content_neither_panics_nor_takes_much_memory() {
    let (_temp, dir) = saved();
    let whole = std::fs::read(dir.memory()).unwrap();
    let mut snapshot = Vec::new();
    let file = Saved::open(&dir.memory(), FORM).ok().unwrap();
    file.snapshot().unwrap().read_to_end(&mut snapshot).unwrap();
    let with_sum = |mut bytes: Vec<u8>| {
        let mut hash = Xxh3::new();
        hash.update(&bytes);
        bytes.extend(hash.digest().to_le_bytes());
        bytes
    };
    let packed = |snapshot: &[u8], length: u64| {
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(snapshot).unwrap();
        let mut bytes = whole[..HEAD_BYTES].to_vec();
        bytes.extend(packed.finish().unwrap());
        bytes.extend(length.to_le_bytes());
        with_sum(bytes)
    };
    let length = snapshot.len() as u64;
    let mut again = state();
    for at in 0..snapshot.len() {
        for value in [0, 0x7f, 0xff] {
            let mut other = snapshot.clone();
            other[at] = value;
            std::fs::write(dir.memory(), packed(&other, length)).unwrap();
            let (_, position, notes) = open(&dir, &mut again, 1_000);
            assert_eq!(position == 0, notes.len() == 1, "{notes:?}");
            read(&mut again, 99);
        }
    }
    // A length that no honest file of this size has.
    std::fs::write(dir.memory(), packed(&snapshot, u64::MAX)).unwrap();
    let (_, position, notes) = open(&dir, &mut state(), 1_000);
    assert_eq!(position, 0, "{notes:?}");
}

#[test]
fn it_is_saved_when_the_journal_has_grown_by_the_length_of_the_file() {
    let (_temp, dir) = saved();
    let mut again = state();
    let (mut memory, ..) = open(&dir, &mut again, 1_000);
    let position_of = || Saved::open(&dir.memory(), FORM).ok().unwrap().position;
    memory.file_bytes = 2 * JOURNAL_MIN;
    memory
        .save_if_due(&again, Position(1_000 + 2 * JOURNAL_MIN - 1))
        .unwrap();
    memory.wait().unwrap();
    assert_eq!(position_of(), 1_000);
    memory
        .save_if_due(&again, Position(1_000 + 2 * JOURNAL_MIN))
        .unwrap();
    memory.wait().unwrap();
    assert_eq!(position_of(), 1_000 + 2 * JOURNAL_MIN);
    // A new journal file begins at its own beginning.
    let next = Position::new(7, JOURNAL_MIN);
    memory.save_if_due(&again, next).unwrap();
    memory.wait().unwrap();
    assert_eq!(position_of(), next.0);
}

#[test]
fn a_directory_that_cannot_be_written_ends_the_crawl_with_its_path() {
    let (temp, dir) = saved();
    let mut again = state();
    let (mut memory, ..) = open(&dir, &mut again, 1_000);
    std::fs::remove_dir_all(temp.path().join("state")).unwrap();
    let error = memory.save_at_end(&again, Position(9_000)).unwrap_err();
    assert!(error.to_string().contains("memory"), "{error}");
    // What a panic leaves under way is waited for.
    memory.under_way = Some(std::thread::spawn(|| {
        std::thread::park_timeout(Duration::from_millis(5));
        Ok(0)
    }));
    drop(memory);
}
