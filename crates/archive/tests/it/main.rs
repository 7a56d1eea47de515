//! The archive as its users see it: write, cut, damage, kill, read with other tools.

mod crash;
mod laws;
mod read;
mod recovery;
mod revisit;
mod warcio;

use std::path::{Path, PathBuf};

use archive::{
    Archive, ArchiveConfig, Damage, Entry, Event, FetchRecord, PageRecord, Position, Record,
    Replayed, Response, StopRecord,
};

/// A page record with a URL of its own.
fn page(seq: u64) -> Record {
    Record {
        seq,
        at_ms: 1_700_000_000_000 + seq,
        event: Event::Page(Box::new(PageRecord {
            url: format!("http://a.example/{seq}"),
            host: "a.example".into(),
            outcome: outcome::Outcome::Judged(outcome::Verdict::Index),
            fetch: Some(FetchRecord {
                status: 200,
                ..FetchRecord::default()
            }),
            ..PageRecord::default()
        })),
    }
}

/// A record without bodies.
fn stop(seq: u64) -> Record {
    Record {
        seq,
        at_ms: 1_700_000_000_000 + seq,
        event: Event::Stop(StopRecord {
            reason: outcome::StopReason::Drained,
            ..StopRecord::default()
        }),
    }
}

fn body_of(seq: u64) -> Vec<u8> {
    format!("<p>body {seq}</p>")
        .repeat(1 + seq as usize % 40)
        .into_bytes()
}

fn text_of(seq: u64) -> String {
    format!("text of page {seq}")
}

/// Appends a page with body and text, or a record without.
fn append(archive: &mut Archive, seq: u64) -> Position {
    if seq % 5 == 4 {
        return archive.append(&Entry::of(&stop(seq))).unwrap().position;
    }
    let url = format!("http://a.example/{seq}");
    let headers = [("content-type".to_owned(), b"text/html".to_vec())];
    let request = [("User-Agent".to_owned(), "tamis".to_owned())];
    let entry = Entry {
        record: &page(seq),
        response: Some(Response {
            url: &url,
            status: 200,
            http_version: "HTTP/1.1",
            headers: &headers,
            body: &body_of(seq),
            request: &request,
            ..Response::default()
        }),
        text: Some(&text_of(seq)),
    };
    archive.append(&entry).unwrap().position
}

fn open(dir: &Path) -> (Archive, archive::Recovery) {
    Archive::open(dir, small()).unwrap()
}

/// Files of some kilobytes, so that tests roll over.
fn small() -> ArchiveConfig {
    ArchiveConfig {
        file_bytes_max: 6_000,
        ..ArchiveConfig::default()
    }
}

/// All records and all damage. Bodies of all pages must be readable.
fn everything(dir: &Path) -> (Vec<u64>, Vec<Damage>) {
    let mut records = Vec::new();
    let mut damage = Vec::new();
    for replayed in archive::replay(dir, Position::START).unwrap() {
        match replayed.unwrap() {
            Replayed::Record { record, .. } => records.push(record.seq),
            Replayed::Damage(found) => damage.push(found),
        }
    }
    (records, damage)
}

/// Every page's body and text are there and the right ones.
#[track_caller]
fn check_bodies(dir: &Path) {
    for replayed in archive::replay(dir, Position::START).unwrap() {
        let Replayed::Record { record, .. } = replayed.unwrap() else {
            continue;
        };
        if let Event::Page(page) = &record.event {
            let body = archive::read_body(dir, page.body.as_ref().unwrap()).unwrap();
            assert_eq!(body.body, body_of(record.seq));
            let text = archive::read_text(dir, page.text.as_ref().unwrap()).unwrap();
            assert_eq!(text, text_of(record.seq));
        }
    }
}

fn files(dir: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(suffix))
        .collect();
    files.sort();
    files
}

fn journals(dir: &Path) -> Vec<PathBuf> {
    files(dir, ".meta.warc.gz")
}

fn bodies(dir: &Path) -> Vec<PathBuf> {
    let mut bodies = files(dir, ".warc.gz");
    bodies.retain(|path| !path.to_string_lossy().ends_with(".meta.warc.gz"));
    bodies
}
