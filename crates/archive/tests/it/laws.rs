//! What holds for any archive and any accident.

use std::fs;

use proptest::prelude::*;

use crate::{append, bodies, check_bodies, everything, journals, open};

/// Writes records 1 to `count` in groups; returns the directory.
fn written(count: u64, group: u64) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=count {
        append(&mut archive, seq);
        if seq % group == 0 {
            archive.sync().unwrap();
        }
    }
    archive.sync().unwrap();
    dir
}

/// What a check of the bodies says is held is what can be read; the last record is among it.
#[track_caller]
fn check_that_what_is_held_can_be_read(dir: &std::path::Path, last: u64) {
    let check = archive::check_bodies(dir).unwrap();
    for replayed in archive::replay(dir, archive::Position::START).unwrap() {
        let archive::Replayed::Record { record, .. } = replayed.unwrap() else {
            continue;
        };
        let archive::Event::Page(page) = &record.event else {
            continue;
        };
        let (body, text) = (page.body.as_ref().unwrap(), page.text.as_ref().unwrap());
        let (has_body, has_text) = (check.holds(body), check.holds(text));
        assert_eq!(has_body, archive::read_body(dir, body).is_ok());
        assert_eq!(has_text, archive::read_text(dir, text).is_ok());
        assert!(record.seq != last || has_body && has_text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_last_journal_cut_anywhere_opens_to_a_prefix_and_goes_on(
        count in 1u64..60,
        group in 1u64..20,
        at: prop::sample::Index,
        hint: bool,
    ) {
        let dir = written(count, group);
        let last = journals(dir.path()).pop().unwrap();
        let bytes = fs::read(&last).unwrap();
        fs::write(&last, &bytes[..at.index(bytes.len() + 1)]).unwrap();
        if !hint {
            fs::remove_file(dir.path().join("synced")).unwrap();
        }
        let (mut archive, _) = open(dir.path());
        let (records, damage) = everything(dir.path());
        prop_assert_eq!(&records, &(1..=records.len() as u64).collect::<Vec<u64>>());
        prop_assert!(damage.is_empty());
        append(&mut archive, count + 1);
        archive.sync().unwrap();
        let mut all = records;
        all.push(count + 1);
        prop_assert_eq!(everything(dir.path()), (all, vec![]));
        check_bodies(dir.path());
    }

    #[test]
    fn a_last_body_file_cut_anywhere_costs_no_record_that_was_synced(
        count in 1u64..60,
        group in 1u64..20,
        at: prop::sample::Index,
    ) {
        let dir = written(count, group);
        let last = bodies(dir.path()).pop().unwrap();
        let bytes = fs::read(&last).unwrap();
        fs::write(&last, &bytes[..at.index(bytes.len() + 1)]).unwrap();
        let (mut archive, _) = open(dir.path());
        append(&mut archive, count + 1);
        archive.sync().unwrap();
        let (records, damage) = everything(dir.path());
        prop_assert_eq!(records, (1..=count + 1).collect::<Vec<u64>>());
        prop_assert!(damage.is_empty());
        check_that_what_is_held_can_be_read(dir.path(), count + 1);
    }

    #[test]
    fn a_flipped_bit_in_a_body_file_costs_one_record_and_is_found(
        count in 1u64..40,
        file: prop::sample::Index,
        at: prop::sample::Index,
        bit in 0u8..8,
    ) {
        let dir = written(count, 7);
        let files = bodies(dir.path());
        prop_assume!(!files.is_empty());
        let whole = archive::check_bodies(dir.path()).unwrap();
        prop_assert!(whole.damaged.is_empty());
        let file = &files[file.index(files.len())];
        let mut bytes = fs::read(file).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        fs::write(file, &bytes).unwrap();
        let check = archive::check_bodies(dir.path()).unwrap();
        // A few bits of a gzip header mean nothing.
        prop_assert_eq!(check.records + check.damaged.len() as u64, whole.records);
        prop_assert!(check.damaged.len() <= 1);
    }

    #[test]
    fn a_flipped_bit_anywhere_costs_at_most_its_record(
        count in 1u64..60,
        group in 1u64..20,
        file: prop::sample::Index,
        at: prop::sample::Index,
        bit in 0u8..8,
    ) {
        let dir = written(count, group);
        let files = journals(dir.path());
        let file = &files[file.index(files.len())];
        let mut bytes = fs::read(file).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        fs::write(file, &bytes).unwrap();
        for opened in [false, true] {
            let mut expected = count as usize;
            if opened {
                let (mut archive, _) = open(dir.path());
                append(&mut archive, count + 1);
                archive.sync().unwrap();
                expected += 1;
            }
            let (records, damage) = everything(dir.path());
            prop_assert!(records.is_sorted());
            prop_assert!(records.len() + 1 >= expected, "{:?}", records);
            // A record lost is a record reported; a warcinfo lost costs no record.
            prop_assert!(records.len() == expected || damage.len() == 1, "{:?}", damage);
        }
    }
}
