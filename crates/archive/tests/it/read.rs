//! Reading back what was written.

use archive::{
    Archive, ArchiveConfig, ArchiveError, Bodies, BodyRef, Entry, Event, Position, RawReplayed,
    Record, Replayed, Response, StartRecord,
};
use outcome::{JunkReason, Outcome, Verdict};

use crate::{append, bodies, check_bodies, everything, journals, open, page, small, text_of};

#[test]
fn records_come_back_in_order_over_many_files() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    let mut positions = Vec::new();
    for seq in 1..=200 {
        positions.push(append(&mut archive, seq));
        if seq % 9 == 0 {
            archive.sync().unwrap();
        }
    }
    assert_eq!(archive.sync().unwrap(), *positions.last().unwrap());
    assert!(positions.is_sorted());
    assert!(journals(dir.path()).len() > 5);
    assert_eq!(everything(dir.path()).0, (1..=200).collect::<Vec<u64>>());
    check_bodies(dir.path());
    for (at, &position) in positions.iter().enumerate() {
        let next = archive::replay(dir.path(), position).unwrap().next();
        match next {
            Some(Ok(Replayed::Record { record, .. })) => assert_eq!(record.seq, at as u64 + 2),
            None => assert_eq!(at, 199),
            other => panic!("{other:?}"),
        }
    }
}

/// One reader for our files and those of others: as a plain stream ours hold the same.
#[test]
fn our_own_body_files_are_read_as_any_writers() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=60 {
        append(&mut archive, seq);
    }
    archive.sync().unwrap();
    let (mut records, mut texts) = (0, Vec::new());
    for path in bodies(dir.path()) {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let plain = std::io::BufReader::new(flate2::bufread::MultiGzDecoder::new(file));
        let mut reader = archive::WarcReader::new(plain);
        while let Some(record) = reader.record(|_| true).unwrap() {
            records += 1;
            let block = record.block.unwrap();
            match record.head.warc_type() {
                "conversion" => texts.push(String::from_utf8(block).unwrap()),
                "response" => assert_eq!(archive::HttpAnswer::parse(&block).unwrap().status, 200),
                _ => {}
            }
        }
    }
    assert_eq!(records, archive::check_bodies(dir.path()).unwrap().records);
    let pages = (1..=60).filter(|seq| seq % 5 != 4);
    assert_eq!(texts, pages.map(text_of).collect::<Vec<_>>());
}

#[test]
fn raw_replay_gives_the_same_records() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    for seq in 1..=30 {
        append(&mut archive, seq);
    }
    archive.sync().unwrap();
    let mut replay = archive::replay_raw(dir.path(), Position::START).unwrap();
    let mut seq = 0;
    while let Some(replayed) = replay.next_raw() {
        let RawReplayed::Record { json, .. } = replayed.unwrap() else {
            panic!("no damage here");
        };
        seq += 1;
        assert_eq!(archive::Head::read(json).unwrap().seq, seq);
        assert_eq!(Record::from_json(json).unwrap().seq, seq);
    }
    assert_eq!(seq, 30);
    assert_eq!(replay.position(), archive.position());
}

#[test]
fn an_equal_payload_is_stored_once_and_read_under_each_url() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    let body = b"the same bytes ".repeat(100);
    let mut places = Vec::new();
    for seq in 1..=3 {
        let headers = [("x-number".to_owned(), seq.to_string().into_bytes())];
        let entry = Entry {
            record: &page(seq),
            response: Some(Response {
                url: "http://a.example/",
                status: 200,
                headers: &headers,
                body: &body,
                ..Response::default()
            }),
            text: None,
        };
        places.push(archive.append(&entry).unwrap().body.unwrap());
    }
    archive.sync().unwrap();
    for (number, place) in places.iter().enumerate() {
        let payload = archive::read_body(dir.path(), place).unwrap();
        assert_eq!(payload.body, body);
        let expected = (number + 1).to_string();
        assert_eq!(payload.header("X-Number"), Some(expected.as_bytes()));
    }
}

#[test]
fn the_head_of_an_answer_is_read_without_its_body() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    let mut heads = archive::HeadReader::default();
    let noise: Vec<u8> = (0..200_000_u32)
        .map(|n| (n.wrapping_mul(n) >> 7) as u8)
        .collect();
    // Heads of a few bytes, of more than is read at first, and of more than is read at all.
    for (seq, long) in [(1, 0), (2, 10_000), (3, 40_000)] {
        let value: Vec<u8> = noise[..long].iter().map(|byte| b'a' + byte % 26).collect();
        let headers = [
            ("x-long".to_owned(), value),
            ("etag".to_owned(), seq.to_string().into_bytes()),
        ];
        // The second one of each pair refers to the body of the first.
        for seq in [2 * seq - 1, 2 * seq] {
            let entry = Entry {
                record: &page(seq),
                response: Some(Response {
                    url: "http://a.example/",
                    status: 200,
                    headers: &headers,
                    body: &noise[long..],
                    ..Response::default()
                }),
                text: None,
            };
            let place = archive.append(&entry).unwrap().body.unwrap();
            archive.sync().unwrap();
            let whole = archive::read_body(dir.path(), &place).unwrap();
            let answer = heads.read_answer(dir.path(), &place).unwrap();
            assert_eq!(answer.http_head, whole.http_head);
            assert!(answer.body.is_empty() && answer.header("ETag").is_some());
            let elsewhere = BodyRef {
                offset: place.offset + 1,
                ..place
            };
            assert!(heads.read_answer(dir.path(), &elsewhere).is_err());
        }
    }
}

#[test]
fn bodies_are_archived_as_configured() {
    for (bodies, expected) in [
        (Bodies::All, [true, true]),
        (Bodies::Kept, [true, false]),
        (Bodies::None, [false, false]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let config = ArchiveConfig {
            bodies,
            ..ArchiveConfig::default()
        };
        let (mut archive, _) = Archive::open(dir.path(), config).unwrap();
        let mut junk = page(2);
        if let Event::Page(page) = &mut junk.event {
            page.outcome = Outcome::Judged(Verdict::Junk(JunkReason::Thin));
        }
        let written = [page(1), junk].map(|record| {
            let entry = Entry {
                record: &record,
                response: Some(Response {
                    url: "http://a.example/",
                    body: b"body",
                    ..Response::default()
                }),
                text: None,
            };
            archive.append(&entry).unwrap().body.is_some()
        });
        assert_eq!(written, expected, "{bodies:?}");
    }
}

#[test]
fn a_newer_journal_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(dir.path());
    let record = Record {
        seq: 1,
        at_ms: 5,
        event: Event::Start(StartRecord {
            journal: archive::JOURNAL_VERSION + 1,
            ..StartRecord::default()
        }),
    };
    archive.append(&Entry::of(&record)).unwrap();
    archive.sync().unwrap();
    let error = archive::replay(dir.path(), Position::START)
        .unwrap()
        .find_map(Result::err);
    assert!(matches!(error, Some(ArchiveError::NewerJournal { .. })));
}

#[test]
fn a_position_beyond_the_end_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        archive::replay(dir.path(), Position::START)
            .unwrap()
            .next()
            .is_none()
    );
    let (mut archive, _) = open(dir.path());
    append(&mut archive, 1);
    let end = archive.sync().unwrap();
    assert_eq!(archive::end(dir.path()).unwrap(), end);
    for ahead in [Position(end.0 + 1), Position::new(end.file() + 1, 0)] {
        let error = archive::replay(dir.path(), ahead).unwrap_err();
        assert!(matches!(error, ArchiveError::Ahead { .. }), "{error}");
    }
}

#[test]
fn a_reader_stops_at_what_is_being_written() {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = Archive::open(dir.path(), ArchiveConfig::default()).unwrap();
    append(&mut archive, 1);
    archive.sync().unwrap();
    let journal = journals(dir.path()).remove(0);
    let before = std::fs::read(&journal).unwrap();
    append(&mut archive, 2);
    archive.sync().unwrap();
    let after = std::fs::read(&journal).unwrap();
    // As another process sees it in between: the hint still names the first record.
    let other = tempfile::tempdir().unwrap();
    let (mut first, _) = Archive::open(other.path(), small()).unwrap();
    first.sync().unwrap();
    for end in before.len()..after.len() {
        std::fs::write(other.path().join("00001.meta.warc.gz"), &after[..end]).unwrap();
        assert_eq!(everything(other.path()), (vec![1], vec![]));
        let end = archive::end(other.path()).unwrap();
        assert_eq!(end.offset(), before.len() as u64);
    }
}
