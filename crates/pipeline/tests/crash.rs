//! A crawl that is aborted at each fail point, and carried on, ends as one that never was.
//!
//! Each run is a process of its own: this test program, started again for its one test `child`. The
//! child aborts where its fail point says so; the parent then carries the crawl on, checks that
//! archive, state and index agree, and compares what was kept.
//!
//! Run with `cargo test -p pipeline --features failpoints --test crash`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use archive::{Event, Position, Replayed};
use fetcher::Fetch;
use frontier::parse_seeds;
use pipeline::config::TopicSection;
use pipeline::units::Span;
use pipeline::{Crawl, CrawlConfig, CrawlDir, Progress, StopHandle, check};
use testweb::TestWeb;

/// The fail points, in the order of a group, and how often each is passed before the end.
const POINTS: [&str; 8] = [
    "commit:before-append",
    "commit:after-append",
    "apply:after",
    "commit:before-sync",
    "commit:after-sync",
    "settle:before",
    "store:after",
    "publish:between",
];

/// Those that are passed for each record.
const OF_EACH_RECORD: [&str; 3] = ["commit:before-append", "commit:after-append", "apply:after"];

/// Times a fail point is passed before the process ends: at the first seed, and in full flight.
const PASSES: [u32; 3] = [0, 9, 33];

/// Tells the child where to crawl.
const CHILD_DIR: &str = "TAMIS_CRASH_DIR";
/// Tells the child whether with a topic.
const CHILD_TOPIC: &str = "TAMIS_CRASH_TOPIC";

/// Two mirrors, a redirect, an error, a sitemap, and pages that link to each other.
fn web() -> TestWeb {
    let mut web = TestWeb::new();
    for host in ["a.test", "b.test"] {
        let robots = format!("User-agent: *\nSitemap: http://{host}/map.xml\n");
        web = web.robots(host, &robots);
        for number in 0..24 {
            let text: String = (0..60)
                .map(|word| format!("word{} ", (word * 7 + number * 131) % 997))
                .collect();
            let about = ["the planner reads the index", "nothing of note"][number % 2];
            let links: String = [number + 1, number * 3 + 2, number / 2]
                .iter()
                .map(|to| format!("<p><a href='/{to}'>on to {to}</a> from here"))
                .collect();
            let html = format!(
                "<html><head><title>Page {number}</title></head><body><main><h1>Page {number}</h1>\
                 <p>{text} {about}{links}<p><a href='http://b.test/{number}'>mirror</a></main></body>"
            );
            web = web.page(&format!("http://{host}/{number}"), &html);
        }
        let map = format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://{host}/12\
             </loc></url><url><loc>http://{host}/13</loc></url></urlset>"
        );
        web = web.page(&format!("http://{host}/map.xml"), &map);
    }
    web
}

fn config(has_topic: bool) -> CrawlConfig {
    let mut config = CrawlConfig::default();
    config.politeness.delay = Span(Duration::from_millis(1));
    config.crawl.concurrency = 2;
    config.keep.words_min = 5;
    if has_topic {
        config.topic = Some(TopicSection {
            keywords: vec!["planner".into(), "index".into()],
            ..TopicSection::default()
        });
    }
    config
}

fn crawl(dir: &Path, has_topic: bool) {
    let (seeds, _) = parse_seeds("test", b"http://a.test/0\n");
    let crawl = Crawl {
        dir: CrawlDir::new(dir),
        config: config(has_topic),
        seeds,
        fetch: Some(Arc::new(web()) as Arc<dyn Fetch>),
        stop: StopHandle::default(),
        progress: Progress::default(),
        on_change: None,
    };
    crawl.run().expect("the crawl ends");
}

/// What a crawl came to: each URL's outcome, and the texts it kept.
fn came_to(dir: &Path) -> BTreeSet<String> {
    let mut ends = BTreeSet::new();
    for replayed in archive::replay(&CrawlDir::new(dir).archive(), Position::START).unwrap() {
        let Replayed::Record { record, .. } = replayed.unwrap() else {
            panic!("a damaged record");
        };
        if let Event::Page(page) = record.event {
            // Of two copies the one that was read first is kept: that is a matter of turns.
            let path = page.url.rsplit('/').next().unwrap_or_default().to_owned();
            let is_new = ends.insert(page.url);
            assert!(is_new, "finished twice");
            if page.outcome.is_indexed() {
                ends.insert(format!("kept {path}"));
            }
        }
    }
    ends
}

fn assert_agrees(dir: &Path, has_topic: bool) {
    let config = Arc::new(config(has_topic));
    let report = check::check(&CrawlDir::new(dir), &config, true).unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn child() {
    let Ok(dir) = std::env::var(CHILD_DIR) else {
        return;
    };
    // A fail point panics, and so does a fault of ours: either ends the process at once, as a
    // `kill -9` does, so that nothing is tidied up.
    std::panic::set_hook(Box::new(|_| std::process::abort()));
    let _scenario = fail::FailScenario::setup();
    crawl(&PathBuf::from(dir), std::env::var(CHILD_TOPIC).is_ok());
}

#[test]
fn a_crawl_aborted_at_any_fail_point_and_carried_on_ends_as_one_that_never_was() {
    for has_topic in [false, true] {
        let whole = tempfile::tempdir().unwrap();
        crawl(whole.path(), has_topic);
        assert_agrees(whole.path(), has_topic);
        let wanted = came_to(whole.path());
        assert!(wanted.len() > 30, "{wanted:?}");
        for point in POINTS {
            for passes in PASSES {
                let dir = tempfile::tempdir().unwrap();
                let crawl_dir = dir.path().join("crawl");
                let mut child = Command::new(std::env::current_exe().unwrap());
                child.args(["--exact", "child", "--nocapture", "--test-threads=1"]);
                child.env(CHILD_DIR, &crawl_dir);
                let first = match passes {
                    0 => String::new(),
                    passes => format!("{passes}*off->"),
                };
                child.env("FAILPOINTS", format!("{point}={first}panic"));
                if has_topic {
                    child.env(CHILD_TOPIC, "1");
                }
                let ended = child.output().unwrap().status;
                // How many findings make a group is a matter of timing, and so is how many groups
                // there are.
                let may_end_before = passes > 9 && !OF_EACH_RECORD.contains(&point);
                if ended.success() && may_end_before {
                    continue;
                }
                assert!(!ended.success(), "{point} was not passed {passes} times");
                crawl(&crawl_dir, has_topic);
                assert_agrees(&crawl_dir, has_topic);
                assert_eq!(came_to(&crawl_dir), wanted, "{point} after {passes}");
            }
        }
    }
}
