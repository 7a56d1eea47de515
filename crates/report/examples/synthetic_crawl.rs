//! Writes a crawl directory with as many made-up pages as wanted, to measure what reads one:
//!
//! ```text
//! cargo run --release -p report --example synthetic_crawl -- /tmp/big 100000
//! /usr/bin/time -v target/release/tamis report /tmp/big --format html --out /tmp/big.html
//! ```
//!
//! Each page has a text of some 200 words, a summary, 20 links and, for one in four, a kept page
//! that it repeats but for a few words.

use std::path::PathBuf;

use archive::{
    Archive, ArchiveConfig, Entry, Event, FetchRecord, LinkRecord, NeighbourRecord, PageRecord,
    PageSummary, Record, SeedRecord, StartRecord, StopRecord,
};
use outcome::{JunkReason, Outcome, Verdict};

const WORDS: [&str; 16] = [
    "database",
    "index",
    "query",
    "planner",
    "vacuum",
    "数据库",
    "索引",
    "查询",
    "优化",
    "storage",
    "page",
    "buffer",
    "log",
    "事务",
    "副本",
    "snapshot",
];

/// Hosts of the made-up web.
const HOSTS: u64 = 300;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = PathBuf::from(arguments.next().ok_or("usage: synthetic_crawl DIR PAGES")?);
    let pages: u64 = arguments.next().ok_or("how many pages?")?.parse()?;
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("crawl.toml"), "")?;
    let (mut archive, _) = Archive::open(&dir.join("archive"), ArchiveConfig::default())?;
    let mut seq = 0;
    let mut append = |event: Event, text: Option<&str>| {
        seq += 1;
        let record = Record {
            seq,
            at_ms: 1_760_000_000_000 + seq * 40,
            event,
        };
        let entry = Entry {
            record: &record,
            response: None,
            text,
        };
        archive.append(&entry)?;
        if seq % 1_000 == 0 {
            archive.sync()?;
        }
        Ok::<(), archive::ArchiveError>(())
    };
    let start = StartRecord {
        config: serde_json::json!({"topic": {"threshold": 0.5}}),
        ..StartRecord::default()
    };
    append(Event::Start(start), None)?;
    append(
        Event::Seed(SeedRecord {
            url: url(0),
            source: "seeds.txt:1".into(),
            ..SeedRecord::default()
        }),
        None,
    )?;
    for number in 0..pages {
        append(Event::Page(Box::new(page(number))), Some(&text(number)))?;
    }
    let reason = "drained".into();
    append(
        Event::Stop(StopRecord {
            reason,
            detail: None,
            ran_ms: pages * 40,
            outlook: None,
        }),
        None,
    )?;
    archive.sync()?;
    Ok(())
}

fn host(number: u64) -> String {
    format!("host{}.example", number % HOSTS)
}

fn url(number: u64) -> String {
    format!("https://{}/articles/{number}.html", host(number))
}

/// A text of its own; every fourth repeats the one before it with other words at its end.
fn text(number: u64) -> String {
    let own = if number % 4 == 3 { number - 1 } else { number };
    let mut state = own.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut words = Vec::with_capacity(200);
    for _ in 0..200 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        words.push(WORDS[(state % 16) as usize]);
    }
    format!("{} {number}", words.join(" "))
}

fn page(number: u64) -> PageRecord {
    let repeats = number % 4 == 3;
    let verdict = match number % 10 {
        _ if repeats => Verdict::Junk(JunkReason::NearDuplicate),
        0 => Verdict::Junk(JunkReason::OffTopic),
        1 => Verdict::Junk(JunkReason::Thin),
        _ => Verdict::Index,
    };
    let links = (1..=20).map(|step| LinkRecord {
        url: url(number + step),
        anchor: format!("article {}", number + step),
        promise: 0.5,
        fate: if step == 1 { "new" } else { "seen" }.into(),
        ..LinkRecord::default()
    });
    PageRecord {
        url: url(number),
        host: host(number),
        depth: (number % 12) as u32,
        attempt: 1,
        outcome: Outcome::Judged(verdict),
        fetch: Some(FetchRecord {
            status: 200,
            bytes: 20_000 + number % 9_000,
            ms: 30 + number % 700,
            content_type: "text/html".into(),
            ..FetchRecord::default()
        }),
        page: Some(PageSummary {
            title: format!("第 {number} 篇 Article {number}"),
            lang: if number.is_multiple_of(3) { "zh" } else { "en" }.into(),
            words: 200,
            relevance: Some((number % 100) as f32 / 100.0),
            fingerprint: format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            sketch: "A".repeat(172),
            ..PageSummary::default()
        }),
        nearest: repeats.then(|| NeighbourRecord {
            // The start and the seed are records 1 and 2.
            page: number + 2,
            url: url(number - 1),
            distance: (number % 9) as u8,
            overlap: 0.97,
            table: 0,
            kind: Some("full_layout".into()),
            decision: "duplicate".into(),
        }),
        links: links.collect(),
        ..PageRecord::default()
    }
}
