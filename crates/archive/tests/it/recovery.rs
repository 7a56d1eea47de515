//! What opening cuts, keeps and reports.

use std::fs;

use archive::{Archive, Entry, Position};

use crate::{append, bodies, check_bodies, everything, journals, open, page, small};

#[test]
fn an_archive_that_was_closed_opens_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, recovery) = open(dir.path());
    assert_eq!(recovery, archive::Recovery::default());
    for seq in 1..=20 {
        append(&mut archive, seq);
    }
    let end = archive.sync().unwrap();
    drop(archive);
    let (archive, recovery) = open(dir.path());
    assert!(recovery.cut.is_empty() && recovery.damaged.is_empty());
    assert_eq!((recovery.position, recovery.seq), (end, 20));
    assert_eq!((archive.position(), archive.last_seq()), (end, 20));
}

#[test]
fn what_was_not_synced_is_cut_with_its_bodies() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    append(&mut archive, 1);
    let end = archive.sync().unwrap();
    drop(archive);
    // Bodies that were written, of records that were not.
    let body_file = bodies(dir.path()).remove(0);
    let mut bytes = fs::read(&body_file).unwrap();
    let whole = bytes.len();
    bytes.extend_from_within(..);
    fs::write(&body_file, &bytes).unwrap();
    fs::write(dir.path().join("00002.warc.gz"), b"more").unwrap();
    let (mut archive, recovery) = open(dir.path());
    assert_eq!(recovery.position, end);
    assert_eq!(recovery.cut.len(), 2, "{:?}", recovery.cut);
    assert_eq!(fs::read(&body_file).unwrap().len(), whole);
    append(&mut archive, 2);
    archive.sync().unwrap();
    check_bodies(dir.path());
}

#[test]
fn a_hole_after_the_last_sync_is_cut_and_one_before_it_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    append(&mut archive, 1);
    let first = archive.sync().unwrap();
    let hint = fs::read(dir.path().join("synced")).unwrap();
    let mut ends = vec![first];
    for seq in 2..=5 {
        ends.push(append(&mut archive, seq));
    }
    archive.sync().unwrap();
    drop(archive);
    let journal = journals(dir.path()).remove(0);
    let mut bytes = fs::read(&journal).unwrap();
    let hole = ends[1].offset() as usize..ends[2].offset() as usize;
    bytes[hole].fill(0);

    // The group was acknowledged: record 3 is damaged, 4 and 5 stay.
    fs::write(&journal, &bytes).unwrap();
    let (archive, recovery) = open(dir.path());
    assert!(recovery.cut.is_empty());
    assert_eq!(archive.last_seq(), 5);
    let (records, damage) = everything(dir.path());
    assert_eq!((records, damage.len()), (vec![1, 2, 4, 5], 1));
    drop(archive);

    // A power cut in the middle of that group: nothing after the hole was acknowledged.
    fs::write(dir.path().join("synced"), &hint).unwrap();
    let (_, recovery) = open(dir.path());
    assert_eq!(recovery.position, ends[1]);
    assert_eq!(recovery.cut[0].records, 2);
    assert_eq!(everything(dir.path()), (vec![1, 2], vec![]));
}

#[test]
fn records_behind_the_last_sync_are_cut_with_their_missing_bodies_and_others_stay() {
    let dir = tempfile::tempdir().unwrap();
    let config = archive::ArchiveConfig::default;
    let (mut archive, _) = Archive::open(dir.path(), config()).unwrap();
    let mut ends = Vec::new();
    let mut lengths = Vec::new();
    let mut hints = Vec::new();
    for seq in 1..=3 {
        ends.push(append(&mut archive, seq));
        archive.sync().unwrap();
        lengths.push(fs::metadata(&bodies(dir.path())[0]).unwrap().len());
        hints.push(fs::read(dir.path().join("synced")).unwrap());
    }
    drop(archive);
    let journal = fs::read(&journals(dir.path())[0]).unwrap();
    let file = fs::File::options()
        .write(true)
        .open(&bodies(dir.path())[0])
        .unwrap();
    file.set_len(lengths[1] - 1).unwrap();

    // All was synced: a body is damaged and one is lost, but no record is.
    let (archive, recovery) = Archive::open(dir.path(), config()).unwrap();
    assert_eq!((recovery.position, archive.last_seq()), (ends[2], 3));
    assert_eq!(recovery.cut, []);
    let lost = &recovery.damaged[0];
    assert_eq!(
        (&*lost.file, lost.offset),
        ("00001.warc.gz", lengths[1] - 1)
    );
    drop(archive);
    let check = archive::check_bodies(dir.path()).unwrap();
    assert_eq!(check.damaged.len(), 1, "{check:?}");
    let held = |seq: usize| {
        let (offset, len) = (
            if seq == 1 { 0 } else { lengths[seq - 2] },
            lengths[seq - 1],
        );
        let (file, len) = (1, len - offset);
        check.holds(&archive::BodyRef { file, offset, len })
    };
    assert_eq!([1, 2, 3].map(held), [true, false, false]);

    // The power failed when the first alone had been synced.
    fs::write(dir.path().join("synced"), &hints[0]).unwrap();
    fs::write(&journals(dir.path())[0], &journal).unwrap();
    let (mut archive, recovery) = Archive::open(dir.path(), config()).unwrap();
    assert_eq!(recovery.position, ends[0]);
    assert_eq!(recovery.cut[0].records, 2);
    append(&mut archive, 2);
    archive.sync().unwrap();
    assert_eq!(everything(dir.path()).0, [1, 2]);
    check_bodies(dir.path());
}

#[test]
fn a_journal_without_its_hint_opens() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=40 {
        append(&mut archive, seq);
    }
    let end = archive.sync().unwrap();
    drop(archive);
    for hint in [None, Some("noise")] {
        match hint {
            None => fs::remove_file(dir.path().join("synced")).unwrap(),
            Some(noise) => fs::write(dir.path().join("synced"), noise).unwrap(),
        }
        let (archive, recovery) = open(dir.path());
        assert_eq!((archive.position(), archive.last_seq()), (end, 40));
        assert!(recovery.cut.is_empty() && recovery.damaged.is_empty());
    }
}

#[test]
fn bodies_without_a_journal_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    append(&mut archive, 1);
    archive.sync().unwrap();
    drop(archive);
    fs::remove_file(&journals(dir.path())[0]).unwrap();
    let before = fs::read(&bodies(dir.path())[0]).unwrap();
    let (mut archive, recovery) = open(dir.path());
    assert_eq!(recovery.damaged.len(), 1);
    append(&mut archive, 2);
    archive.sync().unwrap();
    assert_eq!(fs::read(dir.path().join("00001.warc.gz")).unwrap(), before);
    assert!(dir.path().join("00002.warc.gz").exists());
}

#[test]
fn a_journal_with_a_newer_warcinfo_is_not_opened() {
    use std::io::Write;
    let dir = tempfile::tempdir().unwrap();
    let info = "tamis-journal-version: 99\r\n";
    let record = format!(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: {}\r\n\r\n{info}\r\n\r\n",
        info.len()
    );
    let file = fs::File::create(dir.path().join("00001.meta.warc.gz")).unwrap();
    let mut member = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    member.write_all(record.as_bytes()).unwrap();
    member.finish().unwrap();
    let error = Archive::open(dir.path(), small()).unwrap_err();
    assert!(error.to_string().contains("version 99"), "{error}");
    let error = archive::replay(dir.path(), Position::START).unwrap().next();
    assert!(matches!(error, Some(Err(_))));
}

#[test]
fn a_missing_file_in_the_middle_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=100 {
        append(&mut archive, seq);
    }
    archive.sync().unwrap();
    fs::remove_file(&journals(dir.path())[1]).unwrap();
    let (records, damage) = everything(dir.path());
    assert_eq!(damage.len(), 1);
    assert_eq!(damage[0].why, "the file is missing");
    assert!(records.contains(&1) && records.contains(&100));
}

#[test]
fn nothing_is_written_after_a_failed_write() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    fs::remove_dir_all(dir.path()).unwrap();
    assert!(archive.append(&Entry::of(&page(1))).is_err());
    assert!(matches!(archive.sync(), Err(archive::ArchiveError::Failed)));
}
