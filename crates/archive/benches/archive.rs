//! What a page costs the archive: to append, to sync, to read again.
//!
//! The page is 30 KB of markup, 6 KB of text and 10 KB of JSON, as a crawl of mixed sites has it.
//! Each bench checks its answer before it is timed.

use archive::{
    Archive, ArchiveConfig, Entry, Event, LinkRecord, PageRecord, Position, RawReplayed, Record,
    Replayed, Response,
};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

fn main() {
    divan::main();
}

const PAGES: u64 = 2_000;

/// Words of no language, each page its own; compresses about as text does.
fn prose(seed: u64, bytes: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::with_capacity(bytes + 16);
    while text.len() < bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let word = state % 3_000;
        for at in 0..2 + word % 7 {
            text.push(char::from(b'a' + (word.wrapping_mul(at + 7) % 26) as u8));
        }
        text.push(' ');
    }
    text
}

fn markup(seed: u64) -> String {
    let mut html = String::from("<!DOCTYPE html><html><head><title>page</title></head><body>");
    let mut at = 0;
    while html.len() < 30_000 {
        at += 1;
        html.push_str("<div class=\"item entry\"><a href=\"/list/");
        html.push_str(&at.to_string());
        html.push_str("\">");
        html.push_str(&prose(seed * 1000 + at, 300));
        html.push_str("</a></div>\n");
    }
    html
}

fn record(seq: u64) -> Record {
    let links = (0..85).map(|at| LinkRecord {
        url: format!("http://www.example.org/section/{}/page-{at}.html", seq % 97),
        anchor: prose(seq * 100 + at, 20),
        promise: 0.5,
        fate: outcome::LinkFate::Seen,
        ..LinkRecord::default()
    });
    Record {
        seq,
        at_ms: 1_700_000_000_000 + seq,
        event: Event::Page(Box::new(PageRecord {
            url: format!("http://www.example.org/page/{seq}"),
            host: "www.example.org".into(),
            outcome: outcome::Outcome::Judged(outcome::Verdict::Index),
            links: links.collect(),
            ..PageRecord::default()
        })),
    }
}

struct Sample {
    record: Record,
    html: Vec<u8>,
    packed: bool,
    text: String,
}

fn samples(packed: bool) -> Vec<Sample> {
    use std::io::Write;
    let sample = |seq| {
        let mut html = markup(seq).into_bytes();
        if packed {
            let mut gzip =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            gzip.write_all(&html).expect("a Vec takes any bytes");
            html = gzip.finish().expect("a Vec takes any bytes");
        }
        Sample {
            record: record(seq),
            html,
            packed,
            text: prose(seq, 6_000),
        }
    };
    (0..100).map(sample).collect()
}

fn append(archive: &mut Archive, sample: &Sample) {
    let encoding = if sample.packed { "gzip" } else { "identity" };
    let headers = [
        ("content-type".to_owned(), b"text/html".to_vec()),
        ("content-encoding".to_owned(), encoding.as_bytes().to_vec()),
    ];
    let request = [("User-Agent".to_owned(), "tamis".to_owned())];
    let entry = Entry {
        record: &sample.record,
        response: Some(Response {
            url: "http://www.example.org/page",
            status: 200,
            http_version: "HTTP/1.1",
            headers: &headers,
            body: &sample.html,
            request: &request,
            ..Response::default()
        }),
        text: Some(&sample.text),
    };
    archive.append(&entry).expect("the disk takes it");
}

/// No payload is met twice, as far as the archive remembers.
fn forgetful() -> ArchiveConfig {
    ArchiveConfig {
        payloads_max: 0,
        ..ArchiveConfig::default()
    }
}

/// One page, without the sync; 256 pages share one.
#[divan::bench(args = [false, true])]
fn append_page(bencher: Bencher<'_, '_>, packed: bool) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (mut archive, _) = Archive::open(dir.path(), forgetful()).expect("a new archive");
    let samples = samples(packed);
    let mut at = 0;
    bencher.counter(ItemsCount::new(1u32)).bench_local(|| {
        append(&mut archive, &samples[at % samples.len()]);
        at += 1;
    });
}

#[divan::bench]
fn append_256_pages_and_sync(bencher: Bencher<'_, '_>) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (mut archive, _) = Archive::open(dir.path(), forgetful()).expect("a new archive");
    let samples = samples(true);
    bencher.counter(ItemsCount::new(256u32)).bench_local(|| {
        for at in 0..256 {
            append(&mut archive, &samples[at % samples.len()]);
        }
        archive.sync().expect("the disk takes it")
    });
}

/// A journal of pages without bodies; the directory and its bytes of JSON.
fn journal() -> (tempfile::TempDir, usize) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (mut archive, _) = Archive::open(dir.path(), forgetful()).expect("a new archive");
    for seq in 1..=PAGES {
        let record = record(seq);
        archive
            .append(&Entry::of(&record))
            .expect("the disk takes it");
    }
    archive.sync().expect("the disk takes it");
    let mut replay = archive::replay_raw(dir.path(), Position::START).expect("a journal");
    let (mut records, mut bytes) = (0, 0);
    while let Some(Ok(RawReplayed::Record { json, .. })) = replay.next_raw() {
        records += 1;
        bytes += json.len();
    }
    assert_eq!(records, PAGES);
    (dir, bytes)
}

/// Unpacked and checked; the JSON is not read.
#[divan::bench]
fn replay_raw(bencher: Bencher<'_, '_>) {
    let (dir, bytes) = journal();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let mut replay = archive::replay_raw(dir.path(), Position::START).expect("a journal");
        let mut records = 0;
        while let Some(Ok(RawReplayed::Record { .. })) = replay.next_raw() {
            records += 1;
        }
        records
    });
}

/// Three fields of each record: what a report needs.
#[divan::bench]
fn replay_three_fields(bencher: Bencher<'_, '_>) {
    #[derive(serde::Deserialize)]
    struct Fields<'j> {
        #[serde(borrow)]
        url: std::borrow::Cow<'j, str>,
        #[serde(borrow)]
        outcome: std::borrow::Cow<'j, str>,
        #[serde(borrow)]
        verdict: Option<std::borrow::Cow<'j, str>>,
    }
    let (dir, bytes) = journal();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let mut replay = archive::replay_raw(dir.path(), Position::START).expect("a journal");
        let mut sum = 0;
        while let Some(Ok(RawReplayed::Record { json, .. })) = replay.next_raw() {
            let fields: Fields<'_> = serde_json::from_slice(json).expect("a page record");
            sum += fields.url.len() + fields.outcome.len() + usize::from(fields.verdict.is_some());
        }
        sum
    });
}

/// Whole records.
#[divan::bench]
fn replay_records(bencher: Bencher<'_, '_>) {
    let (dir, bytes) = journal();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let replay = archive::replay(dir.path(), Position::START).expect("a journal");
        replay
            .filter(|replayed| matches!(replayed, Ok(Replayed::Record { .. })))
            .count()
    });
}

/// Whole records but for the words of their links.
#[divan::bench]
fn replay_records_with_bare_links(bencher: Bencher<'_, '_>) {
    let (dir, bytes) = journal();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let replay = archive::replay(dir.path(), Position::START).expect("a journal");
        replay
            .with_bare_links()
            .filter(|replayed| matches!(replayed, Ok(Replayed::Record { .. })))
            .count()
    });
}

/// Opening an archive that was closed in order.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let (dir, _) = journal();
    bencher.bench_local(|| Archive::open(dir.path(), forgetful()).expect("an archive"));
}
