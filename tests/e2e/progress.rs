//! What a crawl shows while it runs.

use std::process::Command;

use serde_json::Value;
use testweb::TestWeb;

use crate::support::{Bench, page, run, stderr, stdout, tamis};

fn bench(pages: u64) -> Bench {
    let mut web = TestWeb::new();
    for number in 0..pages {
        let links = [format!("/p{}.html", number + 1)];
        let html = page(&format!("Page {number}"), number % 9, &links);
        web = web.page(&format!("http://a.test/p{number}.html"), &html);
    }
    Bench::serve(web)
}

const SEED: [&str; 4] = ["--seed", "http://a.test/p0.html", "--delay", "60ms"];

#[test]
fn without_progress_a_crawl_that_goes_well_says_nothing() {
    let bench = bench(3);
    let output = run(&mut bench.crawl("crawl", &SEED));
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_report_in_a_pipe_is_not_cut_and_one_for_a_narrow_screen_fits() {
    let mut web = TestWeb::new();
    let long = format!("http://a.test/{}.html", "%E6%95%B0%E6%8D%AE".repeat(12));
    web = web.page(
        "http://a.test/p0.html",
        &page("x", 1, std::slice::from_ref(&long)),
    );
    let bench = Bench::serve(web);
    let options = [&SEED[..], &["--seed", &long]].concat();
    bench.crawl_to_end("crawl", &options);
    let report = |columns: Option<&str>| {
        let mut command = tamis(&["report"]);
        command.arg(bench.crawl_dir("crawl")).env_remove("COLUMNS");
        command.envs(columns.map(|columns| ("COLUMNS", columns)));
        stdout(&run(&mut command))
    };
    assert!(report(None).contains(&long), "{}", report(None));
    let narrow = report(Some("60"));
    let too_wide = narrow.lines().find(|line| line.chars().count() > 60);
    assert!(too_wide.is_none() && narrow.contains('…'), "{narrow}");
    assert!(!narrow.contains('\u{1b}'), "NO_COLOR is obeyed");
}

#[test]
fn json_events_end_with_the_numbers_of_the_report() {
    let bench = bench(30);
    let options = [&SEED[..], &["--progress", "json", "--log-format", "json"]].concat();
    let output = run(&mut bench.crawl("crawl", &options));
    let events: Vec<Value> = stderr(&output)
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .collect();
    let (last, others) = events.split_last().expect("there are events");
    assert_eq!(last["event"], "end");
    assert!(!others.is_empty() && others.iter().all(|event| event["event"] == "progress"));
    let report = stdout(&run(
        tamis(&["report", "--json"]).arg(bench.crawl_dir("crawl"))
    ));
    let report: Value = serde_json::from_str(&report).expect("JSON");
    for name in ["admitted", "finished", "pending", "indexed", "failed"] {
        assert_eq!(last[name], report["totals"][name], "{name}");
    }
    assert_eq!(last["junk"], report["reasons"]["junk"]);
    assert_eq!(last["stop_reason"], report["stop_reason"]);
}

#[test]
fn a_log_in_json_has_nothing_else_on_its_stream() {
    let bench = bench(5);
    let options = [&SEED[..], &["--progress", "plain", "--log-format", "json"]].concat();
    let crawled = run(&mut bench.crawl("crawl", &options));
    let wrong = tamis(&["--log-format", "json", "status", "nowhere"]).output();
    for (output, level) in [(crawled, "INFO"), (wrong.expect("runs"), "ERROR")] {
        let said = stderr(&output);
        let lines = said.lines();
        let lines: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).expect(line))
            .collect();
        assert!(!lines.is_empty());
        for line in &lines {
            assert_eq!(line["level"], level, "{line}");
            assert!(line["fields"]["message"].is_string(), "{line}");
            assert!(
                line["timestamp"]
                    .as_str()
                    .is_some_and(|at| at.ends_with('Z')),
                "{line}"
            );
        }
    }
}

#[test]
fn the_live_block_is_not_torn_by_log_lines() {
    let bench = bench(40);
    let crawl = bench.crawl(
        "crawl",
        &[&SEED[..], &["--progress", "bar", "-vv"]].concat(),
    );
    let words = std::iter::once(crawl.get_program()).chain(crawl.get_args());
    let words: Vec<String> = words
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .collect();
    // `script` gives it a terminal.
    let terminal = Command::new("script")
        .args(["-qec", &words.join(" "), "/dev/null"])
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .env("TERM", "xterm")
        .output();
    let Ok(output) = terminal else {
        eprintln!("skipped: there is no `script` to make a terminal with");
        return;
    };
    let screen = stdout(&output);
    assert!(
        screen.contains("in the queue"),
        "the block is drawn: {screen}"
    );
    assert!(
        screen.contains("DEBUG") || screen.contains("INFO"),
        "there are log lines: {screen}"
    );
    for line in screen
        .split(['\n', '\r'])
        .filter(|line| line.contains("DEBUG") || line.contains("INFO"))
    {
        assert!(
            !line.contains("in the queue") && !line.contains("under way"),
            "torn: {line:?}"
        );
    }
}
