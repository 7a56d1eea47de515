//! Journals made by hand: a small one whose numbers are known, and as large a one as is asked for.
#![allow(dead_code, missing_docs)]

use archive::{
    AttemptRecord, BodyRef, Event, FetchRecord, LinkRecord, NeighbourRecord, PageRecord,
    PageSummary, Record, RetryRecord, RobotsRecord, SeedRecord, SitemapRecord, StartRecord,
    StopRecord,
};
use outcome::{Outcome, OutcomeParts, Verdict};

/// 2026-11-21 10:00 UTC.
pub const T0: u64 = 1_795_255_200_000;

/// Records with their numbers and a clock that ticks 100 ms a record.
#[derive(Default)]
pub struct Journal {
    pub records: Vec<Record>,
}

impl Journal {
    pub fn event(&mut self, event: Event) -> u64 {
        let seq = self.records.len() as u64 + 1;
        let at_ms = T0 + 100 * seq;
        self.records.push(Record { seq, at_ms, event });
        seq
    }

    pub fn start(&mut self) -> u64 {
        self.event(Event::Start(StartRecord {
            journal: 1,
            config: serde_json::json!({
                "politeness": {"delay": "50ms"},
                "topic": {"threshold": 0.5, "keywords": ["database"]},
            }),
            ..StartRecord::default()
        }))
    }

    pub fn seed(&mut self, seed: u32, url: &str) -> u64 {
        self.event(Event::Seed(SeedRecord {
            seed,
            url: url.into(),
            source: format!("seeds.txt:{}", seed + 1),
            priority: 0.5,
            ..SeedRecord::default()
        }))
    }

    pub fn stop(&mut self, ran_ms: u64) -> u64 {
        self.event(Event::Stop(StopRecord {
            reason: "drained".into(),
            detail: Some("nothing is left to fetch".into()),
            ran_ms,
            outlook: None,
        }))
    }

    pub fn page(&mut self, page: PageRecord) -> u64 {
        self.event(Event::Page(Box::new(page)))
    }
}

pub fn fetch(status: u16, bytes: u64, ms: u64) -> FetchRecord {
    FetchRecord {
        status,
        bytes,
        ms,
        content_type: "text/html".into(),
        http_version: "HTTP/1.1".into(),
        ..FetchRecord::default()
    }
}

pub fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_owned()
}

pub fn link(url: &str, anchor: &str, fate: &str) -> LinkRecord {
    LinkRecord {
        url: url.into(),
        anchor: anchor.into(),
        promise: 0.4,
        fate: fate.into(),
        ..LinkRecord::default()
    }
}

/// A page that was read; kept where `reason` is empty.
pub fn judged(url: &str, title: &str, lang: &str, relevance: f32, reason: &str) -> PageRecord {
    let junk = !reason.is_empty();
    PageRecord {
        url: url.into(),
        host: host(url),
        attempt: 1,
        priority: 0.5,
        outcome: if junk {
            Outcome::Judged(Verdict::Junk(reason.into()))
        } else {
            Outcome::Judged(Verdict::Index)
        },
        fetch: Some(fetch(200, 12_000, 80)),
        page: Some(PageSummary {
            title: title.into(),
            lang: lang.into(),
            charset: "UTF-8".into(),
            words: 300,
            relevance: Some(relevance),
            fingerprint: "00ff00ff00ff00ff".into(),
            may_index: true,
            may_follow: true,
            ..PageSummary::default()
        }),
        text: Some(BodyRef {
            file: 1,
            offset: 0,
            len: 10,
        }),
        ..PageRecord::default()
    }
}

pub fn duplicate(
    mut page: PageRecord,
    of: u64,
    of_url: &str,
    distance: u8,
    overlap: f32,
) -> PageRecord {
    page.nearest = Some(NeighbourRecord {
        page: of,
        url: of_url.into(),
        distance,
        overlap,
        table: 2,
        kind: Some("full_content".into()),
        decision: "duplicate".into(),
    });
    page
}

pub fn unread(url: &str, outcome: &str, reason: &str, fetch: Option<FetchRecord>) -> PageRecord {
    let parts = OutcomeParts {
        outcome: outcome.into(),
        reason: (!reason.is_empty()).then(|| reason.to_owned()),
        ..OutcomeParts::default()
    };
    PageRecord {
        url: url.into(),
        host: host(url),
        outcome: Outcome::of_parts(parts, ""),
        attempt: u32::from(fetch.is_some()),
        fetch,
        ..PageRecord::default()
    }
}

/// A crawl of four hosts with one of everything: 11 URLs admitted, 10 finished.
#[expect(clippy::too_many_lines, reason = "a table of records")]
pub fn small() -> Vec<Record> {
    let mut journal = Journal::default();
    journal.start();
    journal.seed(0, "http://example.test/");
    journal.seed(1, "http://数据库.test/");
    journal.event(Event::Robots(RobotsRecord {
        host: "db.test".into(),
        fetch: fetch(200, 60, 5),
        rules: "parsed".into(),
        crawl_delay_s: Some(1.0),
        sitemaps: vec!["http://db.test/sitemap.xml".into()],
        ..RobotsRecord::default()
    }));
    journal.event(Event::Robots(RobotsRecord {
        host: "shut.test".into(),
        fetch: fetch(503, 0, 5),
        rules: "disallow_all".into(),
        ..RobotsRecord::default()
    }));
    let mut apex = unread(
        "http://example.test/",
        "redirected",
        "",
        Some(fetch(301, 0, 9)),
    );
    apex.fetch.as_mut().unwrap().redirect_to = Some("http://db.test/".into());
    apex.links = vec![link("http://db.test/", "", "new")];
    journal.page(apex);
    let mut home = judged("http://db.test/", "Home", "en", 0.7, "");
    home.links = vec![
        link("http://db.test/a", "B-trees", "new"),
        link("http://db.test/print/a", "print", "new"),
        link("http://db.test/soup", "soup", "new"),
        link("http://db.test/gone", "", "new"),
        link("http://db.test/private", "", "new"),
        link("http://shut.test/", "", "new"),
        link("http://other.test/x", "elsewhere", "scope"),
        link(
            "http://db.test/calendar?month=2099-01",
            "next",
            "trap_calendar",
        ),
        link("http://db.test/", "home", "seen"),
    ];
    home.via = Some(6);
    home.depth = 1;
    journal.page(home);
    journal.event(Event::Sitemap(SitemapRecord {
        url: "http://db.test/sitemap.xml".into(),
        host: "db.test".into(),
        fetch: fetch(200, 400, 10),
        kind: "urlset".into(),
        urls: vec![
            "http://db.test/a".into(),
            "http://db.test/hidden".into(),
            "http://db.test/late".into(),
        ],
        ..SitemapRecord::default()
    }));
    journal.event(Event::Attempt(AttemptRecord {
        url: "http://db.test/a".into(),
        host: "db.test".into(),
        fetch: FetchRecord {
            error: Some("timeout".into()),
            error_text: Some("wait for body: nothing within 30.0 s".into()),
            started_ms: T0 + 10,
            ..fetch(0, 0, 30_000)
        },
        attempt: 1,
        retry_at_ms: T0 + 60_000,
        sitemap: false,
        limited: None,
    }));
    let mut a = judged("http://db.test/a", "B-trees, 数据库", "en", 0.9, "");
    (a.attempt, a.via) = (2, Some(7));
    let kept = journal.page(a);
    let print = judged(
        "http://db.test/print/a",
        "B-trees (print)",
        "en",
        0.9,
        "near_duplicate",
    );
    journal.page(duplicate(print, kept, "http://db.test/a", 2, 0.95));
    journal.page(judged(
        "http://db.test/soup",
        "Soup",
        "en",
        0.1,
        "off_topic",
    ));
    journal.page(unread(
        "http://db.test/gone",
        "failed",
        "http_404",
        Some(fetch(404, 200, 12)),
    ));
    journal.page(unread("http://db.test/private", "refused", "robots", None));
    journal.page(unread("http://shut.test/", "refused", "robots", None));
    let chinese = judged("http://数据库.test/", "倒排索引:从词到文档", "zh", 0.8, "");
    journal.page(PageRecord { seed: 1, ..chinese });
    let hidden = judged(
        "http://db.test/hidden",
        "B-trees again",
        "en",
        0.9,
        "exact_duplicate",
    );
    journal.page(duplicate(hidden, kept, "http://db.test/a", 0, 1.0));
    journal.stop(2_000);
    journal.records
}

/// A journal in which URLs change their fates: put back by hand, and replaced in the index.
pub fn with_changes() -> Vec<Record> {
    let mut journal = Journal { records: small() };
    journal.start();
    journal.event(Event::Retry(RetryRecord {
        urls: vec!["http://db.test/gone".into()],
        origins: Vec::new(),
        filter: "4xx".into(),
        ..RetryRecord::default()
    }));
    journal.page(judged("http://db.test/gone", "Back again", "en", 0.6, ""));
    journal.page(better_copy());
    journal.records
}

/// A journal in which a better copy takes the place of a kept page as it is judged.
pub fn with_a_better_copy() -> Vec<Record> {
    let mut journal = Journal { records: small() };
    journal.page(better_copy());
    journal.records
}

/// A page that takes the place of a kept one.
fn better_copy() -> PageRecord {
    let longer = judged(
        "http://db.test/late",
        "B-trees, the longer text",
        "en",
        0.9,
        "",
    );
    PageRecord {
        replaces: Some(10),
        detail: Some("takes the place of http://db.test/a: longer".into()),
        ..duplicate(longer, 10, "http://db.test/a", 3, 0.8)
    }
}

/// Some crawl of `pages` pages, always the same, as an iterator.
#[expect(clippy::too_many_lines, reason = "a table of records")]
pub fn large(pages: u64) -> impl Iterator<Item = Record> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut opening = Journal::default();
    opening.start();
    opening.seed(0, "http://host0.example/0");
    let first = opening.records.len() as u64;
    let mut kept: Vec<(u64, String)> = Vec::new();
    let mut next = 1;
    let rest = (0..pages).map(move |n| {
        let url = format!("http://host{}.example/{n}", n * 7 % 97 * (n % 3));
        let url = if n == 0 {
            "http://host0.example/0".to_owned()
        } else {
            url
        };
        let seq = first + n + 1;
        let relevance = if random(10) < 6 { 0.8 } else { 0.2 };
        let lang = ["en", "zh", "de", "ja", ""][random(5) as usize];
        let title = ["倒排索引", "Trees of pages", "Ein Titel", "データベース"][random(4) as usize];
        let mut page = match random(100) {
            0..=3 => unread(
                &url,
                "failed",
                "timeout",
                Some(FetchRecord {
                    error: Some("timeout".into()),
                    error_text: Some("nothing within 30 s".into()),
                    ..fetch(0, 0, 30_000)
                }),
            ),
            4..=6 => unread(&url, "failed", "http_404", Some(fetch(404, 300, 40))),
            7..=8 => unread(&url, "refused", "robots", None),
            9..=12 => unread(&url, "redirected", "", Some(fetch(301, 0, 20))),
            13..=36 if !kept.is_empty() => {
                let near = kept[random(kept.len() as u64) as usize].clone();
                let page = judged(&url, title, lang, relevance, "near_duplicate");
                duplicate(
                    page,
                    near.0,
                    &near.1,
                    random(8) as u8,
                    0.7 + random(30) as f32 / 100.0,
                )
            }
            13..=55 => judged(&url, title, lang, 0.1, "off_topic"),
            56..=60 => judged(&url, title, lang, relevance, "thin"),
            _ => {
                kept.push((seq, url.clone()));
                judged(&url, title, lang, relevance, "")
            }
        };
        if let Some(fetch) = &mut page.fetch {
            fetch.ms = fetch.ms / 2 + random(400);
            fetch.bytes = fetch.bytes / 2 + random(60_000);
        }
        for _ in 0..8 {
            if next < pages + pages / 20 {
                let to = format!("http://host{}.example/{next}", next * 7 % 97 * (next % 3));
                page.links.push(link(&to, "next", "new"));
                next += 1;
            }
        }
        for _ in 0..12 {
            page.links
                .push(link("http://host0.example/0", "home", "seen"));
        }
        page.links.push(link(
            "http://host0.example/calendar?year=9999",
            "later",
            "trap_calendar",
        ));
        Record {
            seq,
            at_ms: T0 + 120 * seq,
            event: Event::Page(Box::new(page)),
        }
    });
    let stop = Record {
        seq: first + pages + 1,
        at_ms: T0 + 120 * (first + pages + 1),
        event: Event::Stop(StopRecord {
            reason: "max_pages".into(),
            detail: None,
            ran_ms: 120 * pages,
            outlook: None,
        }),
    };
    opening
        .records
        .into_iter()
        .chain(rest)
        .chain(std::iter::once(stop))
}
