//! What a start costs, with what was saved of the crawl's memory and without.
//!
//! ```text
//! cargo run --release -p pipeline --example start -- crawl DIR PAGES    a crawl with a topic, to be started
//! cargo run --release -p pipeline --example start -- start DIR          as it is, then without state/memory
//! cargo run --release -p pipeline --example start -- save PAGES         how long the writer is held up
//! ```
//!
//! The pages are made up: 200 words each, links to others, one in five about the topic.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use archive::{Event, LinkRecord, PageRecord, PageSummary, Record};
use fetcher::{Fetch, FetchFuture, FetchRequest, Fetched};
use frontier::{Frontier, FrontierConfig, parse_seeds};
use outcome::{LinkFate, Outcome, Verdict};
use pipeline::config::TopicSection;
use pipeline::units::Span;
use pipeline::{Crawl, CrawlConfig, CrawlDir, Progress, StopHandle, setup};
use simhash::{IndexConfig, TableIndex};
use state::{Lent, State, Stored};

type Outcomes<T> = Result<T, Box<dyn Error>>;

const HOSTS: u64 = 500;

fn main() -> Outcomes<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    match given[..] {
        ["crawl", dir, pages] => crawl(dir, pages.parse()?, false),
        ["start", dir] => start(dir),
        ["save", pages] => save(pages.parse()?),
        _ => Err("name crawl, start or save".into()),
    }
}

/// A web without end.
struct Endless;

impl Fetch for Endless {
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
        Box::pin(async move {
            let page = request.url.path().trim_start_matches('/').parse::<u64>();
            let (status, body) = match page {
                Ok(number) => (200, html(number)),
                Err(_) => (404, String::new()),
            };
            let headers = vec![("content-type".into(), b"text/html".to_vec())];
            Ok(Fetched::new(request.url, status, headers, body))
        })
    }
}

fn url(number: u64) -> String {
    format!("http://h{}.test/{number}", number % HOSTS)
}

/// Numbers that look drawn, the same each time.
fn drawn(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

fn text(number: u64, words: usize) -> String {
    let about =
        ["the planner reads the index", "nothing of note"][usize::from(!number.is_multiple_of(5))];
    let words = drawn(number).take(words);
    let words = words.map(|word| format!("word{} ", (word % 20_000) * (word % 20_000) / 20_000));
    format!("{about} {}", words.collect::<String>())
}

fn html(number: u64) -> String {
    let links = drawn(number + 1).take(8).enumerate();
    let links = links.map(|(at, drawn)| {
        let to = number * 3 + at as u64 + drawn % 3;
        format!("<p><a href='{}'>on to {to}</a> from here", url(to))
    });
    format!(
        "<html><head><title>Page {number}</title></head><body><main><h1>Page {number}</h1><p>{} {}\
         </main></body></html>",
        text(number, 200),
        links.collect::<String>()
    )
}

fn config(pages: u64) -> CrawlConfig {
    let mut config = CrawlConfig::default();
    config.politeness.delay = Span(Duration::from_millis(1));
    config.politeness.obey_robots = false;
    config.crawl.concurrency = 32;
    config.crawl.max_pages = pages;
    config.scope.hosts = vec!["*.test".into()];
    config.crawl.max_depth = 1_000;
    config.topic = Some(TopicSection {
        keywords: vec!["planner".into(), "index".into()],
        stop_harvest: 0.0,
        ..TopicSection::default()
    });
    config
}

fn crawl(dir: &str, pages: u64, only_start: bool) -> Outcomes<()> {
    let stop = StopHandle::default();
    if only_start {
        stop.stop();
    }
    let (seeds, _) = parse_seeds("example", b"http://h1.test/1\n");
    let began = Instant::now();
    let crawl = Crawl {
        dir: CrawlDir::new(dir),
        config: config(pages),
        seeds,
        fetch: Some(Arc::new(Endless)),
        stop,
        progress: Progress::default(),
        on_change: None,
        cluster: None,
    };
    let summary = crawl.run()?;
    println!(
        "{:.2} s, {} pages, {} kept, notes {:?}",
        began.elapsed().as_secs_f64(),
        summary.snapshot.pages,
        summary.snapshot.indexed,
        summary.notes
    );
    Ok(())
}

fn start(dir: &str) -> Outcomes<()> {
    let memory = CrawlDir::new(dir).memory();
    println!(
        "state/memory has {} bytes",
        std::fs::metadata(&memory)?.len()
    );
    print!("with it:    ");
    io::stdout().flush()?;
    crawl(dir, 0, true)?;
    std::fs::remove_file(&memory)?;
    print!("without it: ");
    io::stdout().flush()?;
    crawl(dir, 0, true)
}

/// How long the state takes to write itself, which holds up the writer, and to how many bytes.
fn save(pages: u64) -> Outcomes<()> {
    let frontier = Frontier::in_memory(FrontierConfig::default(), Instant::now());
    let prints = TableIndex::in_memory(&IndexConfig::default())?;
    let mut state = State::new(setup::policy(&config(0))?, frontier, prints)?;
    let stored = Stored {
        frontier: true,
        links: true,
        prints: true,
        views: false,
    };
    for number in 0..pages {
        let link = LinkRecord {
            url: url(number + 1),
            anchor: format!("on to {number}"),
            fate: LinkFate::New,
            ..LinkRecord::default()
        };
        let page = PageRecord {
            url: format!("{}/section/an-article-of-some-length", url(number)),
            host: format!("h{}.test", number % HOSTS),
            fetch: Some(archive::FetchRecord {
                status: 200,
                started_ms: number,
                ..archive::FetchRecord::default()
            }),
            outcome: Outcome::Judged(Verdict::Index),
            links: vec![link],
            page: Some(PageSummary {
                words: 200,
                layout: format!("{:x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
                published: Some("2025-11-02T10:00:00Z".into()),
                relevance: Some(0.5),
                ..PageSummary::default()
            }),
            ..PageRecord::default()
        };
        let record = Record {
            seq: number + 1,
            at_ms: number,
            event: Event::Page(Box::new(page)),
        };
        state.apply(&record, stored, Lent::default(), |_| Some(text(number, 20)))?;
    }
    let mut bytes = Vec::new();
    for _ in 0..3 {
        bytes.clear();
        let began = Instant::now();
        state.write_snapshot(&mut bytes)?;
        println!(
            "{:.3} s, {} bytes",
            began.elapsed().as_secs_f64(),
            bytes.len()
        );
    }
    let began = Instant::now();
    state.read_snapshot(&mut &bytes[..])?;
    println!("read in {:.3} s", began.elapsed().as_secs_f64());
    Ok(())
}
