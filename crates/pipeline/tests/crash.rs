//! A crawl that is aborted at each fail point, and carried on, ends as one that never was.
//!
//! Each run is a process of its own: this test program, started again for its one test `child`. The
//! child aborts where its fail point says so; the parent then carries the crawl on, checks that
//! archive, state and index agree, and compares what was kept.
//!
//! A panic at a fail point, in whichever thread, ends the crawl with an error that names it, and
//! the crawl is carried on in the same way.
//!
//! Run with `cargo test --workspace --features pipeline/failpoints --test crash`: so little is built anew.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use archive::{Event, Position, Replayed};
use fetcher::Fetch;
use frontier::parse_seeds;
use pipeline::again::{Wanted, plan};
use pipeline::config::{AgainSection, TopicSection};
use pipeline::units::Span;
use pipeline::{
    Crawl, CrawlConfig, CrawlDir, CrawlError, CrawlSummary, Progress, StopHandle, check,
};
use testweb::TestWeb;

/// The fail points, in the order of a group, and how often each is passed before the end.
const POINTS: [&str; 11] = [
    "commit:before-append",
    "commit:after-append",
    "apply:after",
    "commit:before-sync",
    "commit:after-sync",
    "settle:before",
    "store:after",
    "publish:between",
    "memory:before-sync",
    "memory:before-rename",
    "memory:after-rename",
];

/// Those that are passed for each record.
const OF_EACH_RECORD: [&str; 3] = ["commit:before-append", "commit:after-append", "apply:after"];

/// What begins the names of those that are passed now and then.
const OF_SOME_GROUPS: &str = "memory:";

/// Times a fail point is passed before the process ends: at the first seed, and in full flight.
const PASSES: [u32; 3] = [0, 9, 33];

/// The same in a round, which is shorter.
const ROUND_PASSES: [u32; 3] = [0, 5, 17];

/// Tells the child where to crawl.
const CHILD_DIR: &str = "TAMIS_CRASH_DIR";
/// Tells the child whether with a topic.
const CHILD_TOPIC: &str = "TAMIS_CRASH_TOPIC";
/// Tells the child to let a panic unwind.
const CHILD_UNWINDS: &str = "TAMIS_CRASH_UNWINDS";

/// A panic at a fail point, and what the error calls its place.
const PANICS: [(&str, &str); 11] = [
    ("visit:before=5*off->panic", "the network"),
    ("commit:before-append=9*off->panic", "the writer"),
    ("apply:after=9*off->panic", "the writer"),
    ("commit:after-sync=5*off->panic", "the writer"),
    ("settle:before=5*off->panic", "the writer"),
    ("store:after=5*off->panic", "the writer"),
    ("publish:before=2*off->panic", "the search index"),
    ("publish:between=panic", "the start of the crawl"),
    ("publish:between=3*off->panic", "the writer"),
    ("memory:before-rename=panic", "the saving of the memory"),
    ("replay:before=3*off->panic", "the reading of the archive"),
];

/// A crawl that says nothing for so long hangs.
const HANGS_AFTER: Duration = Duration::from_secs(60);

/// Tells the child that the web is as it was later.
const CHILD_LATER: &str = "TAMIS_CRASH_LATER";

/// Two mirrors, a redirect, an error, a sitemap, and pages that link to each other.
fn web(is_later: bool) -> TestWeb {
    let mut web = TestWeb::new();
    for host in ["a.test", "b.test"] {
        let robots = format!("User-agent: *\nSitemap: http://{host}/map.xml\n");
        web = web.robots(host, &robots);
        for number in 0..24 {
            // Later one page in seven is gone, and one in three has another text.
            if is_later && number % 7 == 5 {
                continue;
            }
            let shift = if is_later && number % 3 == 1 { 57 } else { 0 };
            let text: String = (0..60)
                .map(|word| format!("word{} ", (word * 7 + number * 131 + shift) % 997))
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
    config.politeness.attempts = 1;
    let again = config.again.insert(AgainSection::default());
    again.min = Span(Duration::ZERO);
    again.gone_answers = 1;
    if has_topic {
        config.topic = Some(TopicSection {
            keywords: vec!["planner".into(), "index".into()],
            ..TopicSection::default()
        });
    }
    config
}

fn crawl(dir: &Path, has_topic: bool) {
    run(dir, has_topic, false).expect("the crawl ends");
}

fn run(dir: &Path, has_topic: bool, is_later: bool) -> Result<CrawlSummary, CrawlError> {
    let (seeds, _) = parse_seeds("test", b"http://a.test/0\n");
    let crawl = Crawl {
        dir: CrawlDir::new(dir),
        config: config(has_topic),
        seeds,
        fetch: Some(Arc::new(web(is_later)) as Arc<dyn Fetch>),
        stop: StopHandle::default(),
        progress: Progress::default(),
        on_change: None,
        cluster: None,
    };
    crawl.run()
}

/// What is printed of an error that ends a crawl.
const ENDED_BY: &str = "ended by: ";

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
    if std::env::var(CHILD_UNWINDS).is_err() {
        std::panic::set_hook(Box::new(|_| std::process::abort()));
    }
    let _scenario = fail::FailScenario::setup();
    let is_set = |name| std::env::var(name).is_ok();
    let ended = run(
        &PathBuf::from(dir),
        is_set(CHILD_TOPIC),
        is_set(CHILD_LATER),
    );
    if let Err(error) = ended {
        eprintln!("{ENDED_BY}{error}");
        std::process::exit(3);
    }
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
                let least = if point.starts_with(OF_SOME_GROUPS) {
                    0
                } else {
                    9
                };
                let may_end_before = passes > least && !OF_EACH_RECORD.contains(&point);
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

/// This test program, started for its test `child`.
fn child_in(dir: &Path, fail_points: &str) -> Command {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "child", "--nocapture", "--test-threads=1"]);
    child.env(CHILD_DIR, dir).env("FAILPOINTS", fail_points);
    child
}

/// Runs a child to its end; gives what it said.
#[expect(clippy::disallowed_methods, reason = "another process is waited for")]
fn ended(mut child: Command) -> String {
    let said = tempfile::NamedTempFile::new().unwrap();
    let mut running = child.stderr(said.reopen().unwrap()).spawn().unwrap();
    let began = Instant::now();
    while running.try_wait().unwrap().is_none() {
        if began.elapsed() > HANGS_AFTER {
            running.kill().unwrap();
            panic!("it hangs: {child:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    std::fs::read_to_string(said.path()).unwrap()
}

#[test]
fn a_panic_anywhere_ends_the_crawl_with_its_place_and_loses_nothing() {
    let whole = tempfile::tempdir().unwrap();
    crawl(whole.path(), false);
    let wanted = came_to(whole.path());
    for (fail_point, place) in PANICS {
        let dir = tempfile::tempdir().unwrap();
        let crawl_dir = dir.path().join("crawl");
        if fail_point.starts_with("replay") {
            ended(child_in(&crawl_dir, "commit:after-sync=9*off->panic"));
        }
        let mut child = child_in(&crawl_dir, fail_point);
        child.env(CHILD_UNWINDS, "1");
        let said = ended(child);
        let error = said.lines().find_map(|line| line.strip_prefix(ENDED_BY));
        let error = error.unwrap_or_else(|| panic!("{fail_point}: {said}"));
        assert!(error.contains(place), "{fail_point}: {error}");
        crawl(&crawl_dir, false);
        assert_agrees(&crawl_dir, false);
        assert_eq!(came_to(&crawl_dir), wanted, "{fail_point}");
    }
}

/// Comes back: a round, and what repeated pages that have changed.
fn come_back(dir: &Path) {
    for wanted in [Wanted::Sources, Wanted::Round, Wanted::Orphans] {
        plan_part(dir, wanted);
        run(dir, false, true).expect("the round ends");
    }
}

fn plan_part(dir: &Path, wanted: Wanted) -> usize {
    let planned = plan(&CrawlDir::new(dir), &config(false), wanted);
    planned.expect("a plan").urls
}

/// The texts that are kept at the end, of which of two copies ever.
fn kept_texts(dir: &Path) -> BTreeSet<String> {
    let mut texts = std::collections::BTreeMap::new();
    for replayed in archive::replay(&CrawlDir::new(dir).archive(), Position::START).unwrap() {
        let Replayed::Record { record, .. } = replayed.unwrap() else {
            panic!("a damaged record");
        };
        let page = match record.event {
            Event::Page(page) => Some(*page),
            Event::Visit(visit) => visit.as_page(),
            _ => None,
        };
        let Some(page) = page else { continue };
        if let Some(old) = page.replaces {
            texts.retain(|_, (seq, _)| *seq != old);
        }
        let digest = page.page.map(|page| page.digest);
        match digest.filter(|_| page.outcome.is_indexed()) {
            Some(digest) => texts.insert(page.url, (record.seq, digest)),
            None => texts.remove(&page.url),
        };
    }
    texts.into_values().map(|(_, digest)| digest).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to)),
        }
    }
}

#[test]
fn a_round_aborted_at_any_fail_point_and_carried_on_ends_as_one_that_never_was() {
    let before = tempfile::tempdir().unwrap();
    crawl(before.path(), false);
    let whole = tempfile::tempdir().unwrap();
    copy(before.path(), whole.path());
    come_back(whole.path());
    assert_agrees(whole.path(), false);
    let wanted = kept_texts(whole.path());
    assert!(wanted.len() > 10 && wanted != kept_texts(before.path()));
    assert!(plan_part(before.path(), Wanted::All) > 20);
    for point in POINTS {
        for passes in ROUND_PASSES {
            let dir = tempfile::tempdir().unwrap();
            copy(before.path(), dir.path());
            let first = match passes {
                0 => String::new(),
                passes => format!("{passes}*off->"),
            };
            let mut child = child_in(dir.path(), &format!("{point}={first}panic"));
            child.env(CHILD_LATER, "1");
            let ended = child.output().unwrap().status;
            let must_abort = OF_EACH_RECORD.contains(&point);
            assert!(
                !ended.success() || !must_abort,
                "{point} was not passed {passes} times"
            );
            run(dir.path(), false, true).expect("the round ends");
            plan_part(dir.path(), Wanted::Orphans);
            run(dir.path(), false, true).expect("the round ends");
            assert_agrees(dir.path(), false);
            assert_eq!(kept_texts(dir.path()), wanted, "{point} after {passes}");
        }
    }
}
