//! Many writers, one asker: no copy slips past another that is under way.

use std::sync::mpsc::sync_channel;

use simhash::hash::{GOLDEN, mix};
use simhash::{Decision, IndexConfig, LinearIndex, Memory, TableIndex, TextPrint, print_hashes};

const WRITERS: u64 = 64;
const EACH: u64 = 30;

/// Text number `number` of a writer: writers share twelve texts, each in many copies with up to
/// three flipped bits, and have others of their own.
fn print(writer: u64, number: u64) -> TextPrint {
    let random = mix((writer * EACH + number).wrapping_mul(GOLDEN));
    let text = match number % 3 {
        0 => writer * 1_000 + number + 100,
        _ => random % 12,
    };
    let words: Vec<u64> = (0..90).map(|word| mix(text * 10_000 + word)).collect();
    let mut print = print_hashes(&words, &[]);
    for flip in 0..random % 4 {
        print.fingerprint.0 ^= 1 << (mix(random + flip) % 64);
    }
    print
}

#[test]
fn of_64_writers_interleaved_no_copy_within_k_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    for memory in [Memory::Ram, Memory::Disk] {
        let config = IndexConfig {
            memory,
            ..IndexConfig::default()
        };
        let at = dir.path().join(format!("{memory:?}"));
        let (mut index, _) = TableIndex::open(&at, &config).unwrap();
        let mut model = LinearIndex::new(&config);
        let (sender, receiver) = sync_channel(8);
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let sender = sender.clone();
                scope.spawn(move || {
                    for number in 0..EACH {
                        let print = print(writer, number);
                        sender.send((writer * EACH + number, print)).unwrap();
                    }
                });
            }
            drop(sender);
            for (asked, (page, print)) in receiver.into_iter().enumerate() {
                let near = index.nearest(&print).unwrap();
                let table = |near: simhash::Neighbour| simhash::Neighbour { table: 0, ..near };
                assert_eq!(near.map(table), model.nearest(&print).map(table));
                if near.is_none_or(|near| near.decision != Decision::Duplicate) {
                    index.insert(page, &print).unwrap();
                    model.insert(page, &print);
                }
                if asked % 100 == 99 {
                    index.apply(asked as u64).unwrap();
                }
            }
        });
        // Twelve shared texts, and ten of each writer's own.
        assert_eq!(index.len() as u64, 12 + WRITERS * EACH / 3);
    }
}
