//! Visits that found a page as it was: revisit records (WARC 1.1 §6.7).

use std::io::Read;

use archive::{Archive, ArchiveConfig, Bodies, BodyRef, Entry, Response};

use crate::{bodies, everything, page, stop};

const PAGE: &[u8] = b"<p>as it was</p>";

fn response(status: u16, body: &[u8]) -> Response<'_> {
    Response {
        url: "http://a.example/1",
        status,
        http_version: "HTTP/1.1",
        body,
        ..Response::default()
    }
}

/// An archive with a page, and its visits; gives all that was written of bodies.
fn written(config: ArchiveConfig, visits: &[(u16, &[u8])], before: Option<BodyRef>) -> String {
    let dir = tempfile::tempdir().unwrap();
    let (mut archive, _) = Archive::open(dir.path(), config.clone()).unwrap();
    let first = archive
        .append(&Entry {
            record: &page(1),
            response: Some(response(200, PAGE)),
            text: None,
        })
        .unwrap();
    archive.sync().unwrap();
    drop(archive);
    // Another process knows of no payload.
    let (mut archive, _) = Archive::open(dir.path(), config).unwrap();
    let before = before.or(first.body).unwrap_or_default();
    for (seq, (status, body)) in (2..).zip(visits) {
        let response = response(*status, body);
        let appended = archive
            .append_revisit(&stop(seq), &response, before.clone())
            .unwrap();
        assert_eq!(appended.body, None);
    }
    archive.sync().unwrap();
    let (records, damage) = everything(dir.path());
    assert_eq!((records.len(), damage.len()), (1 + visits.len(), 0));
    let mut all = String::new();
    for file in bodies(dir.path()) {
        let file = std::fs::File::open(file).unwrap();
        let mut decoder = flate2::read::MultiGzDecoder::new(file);
        decoder.read_to_string(&mut all).unwrap();
    }
    all
}

fn count(all: &str, words: &str) -> usize {
    all.matches(words).count()
}

#[test]
fn a_304_and_the_same_bytes_refer_to_the_response_before_and_another_page_does_not() {
    let visits: [(u16, &[u8]); 3] = [(304, b""), (200, PAGE), (200, b"<p>the same words</p>")];
    let all = written(ArchiveConfig::default(), &visits, None);
    assert_eq!(count(&all, "WARC-Type: revisit"), 2, "{all}");
    assert_eq!(count(&all, "revisit/server-not-modified"), 1);
    assert_eq!(count(&all, "revisit/identical-payload-digest"), 1);
    let refers = "WARC-Refers-To-Target-URI: http://a.example/1";
    assert_eq!(count(&all, refers), 2);
    // The payload stands there once.
    assert_eq!(count(&all, "as it was"), 1);
    assert_eq!(count(&all, "the same words"), 0);
}

#[test]
fn without_bodies_or_where_the_response_cannot_be_read_nothing_is_written() {
    let visits: [(u16, &[u8]); 1] = [(304, b"")];
    let no_bodies = ArchiveConfig {
        bodies: Bodies::None,
        ..ArchiveConfig::default()
    };
    let nowhere = BodyRef {
        file: 7,
        offset: 3,
        len: 99,
    };
    for (config, before) in [(no_bodies, None), (ArchiveConfig::default(), Some(nowhere))] {
        let all = written(config, &visits, before);
        assert_eq!(count(&all, "WARC-Type: revisit"), 0, "{all}");
    }
}

#[test]
fn a_part_of_a_body_stands_for_no_other() {
    // Files that are no pages are not read on, and two PDFs may begin alike.
    let body = "x".repeat(2_000);
    let dir = tempfile::tempdir().unwrap();
    for (truncated, revisits) in [(Some("bytes"), 0), (None, 1)] {
        let path = dir.path().join(revisits.to_string());
        let (mut archive, _) = Archive::open(&path, ArchiveConfig::default()).unwrap();
        for seq in 1..3 {
            let response = Response {
                truncated,
                ..response(200, body.as_bytes())
            };
            archive
                .append(&Entry {
                    record: &page(seq),
                    response: Some(response),
                    text: None,
                })
                .unwrap();
        }
        archive.sync().unwrap();
        drop(archive);
        let mut all = String::new();
        for file in bodies(&path) {
            let file = std::fs::File::open(file).unwrap();
            let mut decoder = flate2::read::MultiGzDecoder::new(file);
            decoder.read_to_string(&mut all).unwrap();
        }
        assert_eq!(count(&all, "WARC-Type: revisit"), revisits, "{truncated:?}");
    }
}
