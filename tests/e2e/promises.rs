//! What the documents promise, where the program once did not keep it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testweb::{Response, TestWeb};

use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

/// A page links to the next ones: page 0 to 1 to 9, each of them to one further down.
fn web() -> TestWeb {
    let path = |number: u64| format!("/{number}");
    let mut web = TestWeb::new();
    for number in 0..20 {
        let links: Vec<String> = match number {
            0 => (1..10).map(path).collect(),
            1..10 => vec![path(number + 10)],
            _ => Vec::new(),
        };
        let html = page(&format!("Page {number}"), number + 1, &links);
        web = web.page(&format!("http://a.test/{number}"), &html);
    }
    web
}

const QUICK: &str = "[politeness]\ndelay = \"0s\"\n";

fn fetched(bench: &Bench, name: &str) -> usize {
    bench.rows(name, "fetches").len()
}

fn explained(bench: &Bench, name: &str, url: &str) -> String {
    let mut explain = tamis(&["explain"]);
    stdout(&run(explain.arg(bench.crawl_dir(name)).arg(url)))
}

/// Runs a command on what stands on standard input.
fn on_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = tamis(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(input).expect("written");
    drop(stdin);
    child.wait_with_output().expect("ends")
}

#[test]
fn a_raised_budget_brings_in_what_the_smaller_one_left_out() {
    let bench = Bench::serve(web());
    let seed = |options: &str| format!("[seeds]\nurls = [\"http://a.test/0{options}\"]\n");
    let depth = |max: u32| format!("[crawl]\nmax_depth = {max}\n{}", seed(""));
    let host = |max: u32| format!("{}[host.\"a.test\"]\nmax_pages = {max}\n", seed(""));
    for (name, small, large, before, after) in [
        ("seed", seed(" pages=3"), seed(" pages=8"), 3, 8),
        ("unbound", seed(" pages=3"), seed(""), 3, 19),
        ("near", seed(" depth=1"), seed(" depth=2"), 10, 19),
        ("depth", depth(1), depth(2), 10, 19),
        ("host", host(4), host(12), 4, 12),
    ] {
        let start = |text: &str| {
            let config = file(
                bench.dir.path(),
                &format!("{name}.toml"),
                &(text.to_owned() + QUICK),
            );
            let output = bench.crawl(name, &[&config]).output().expect("runs");
            assert!(output.status.success(), "{name}: {}", stderr(&output));
            stderr(&output)
        };
        start(&small);
        assert_eq!(fetched(&bench, name), before, "{name}");
        start(&large);
        assert_eq!(fetched(&bench, name), after, "{name}");
        bench.check(name);
        let report = run(tamis(&["report", "--format", "json"]).arg(bench.crawl_dir(name)));
        let report: Value = serde_json::from_str(&stdout(&report)).expect("JSON");
        assert_eq!(report["totals"]["admitted"], after, "{name}");
        // Once more as it is: nothing is left, and nothing comes twice.
        start(&large);
        assert_eq!(fetched(&bench, name), after, "{name}");
        start(&small);
        bench.check(name);
    }
    let told = explained(&bench, "depth", "http://a.test/12");
    has(&told, &["http://a.test/2"]);
    assert!(!told.contains("too far"), "{told}");
}

#[test]
fn a_depth_of_an_earlier_start_is_told_as_such_until_the_next() {
    let bench = Bench::serve(web());
    let text = format!("[crawl]\nmax_depth = 1\n{QUICK}");
    let config = file(bench.dir.path(), "one.toml", &text);
    bench.crawl_to_end("one", &[&config, "--seed", "http://a.test/0"]);
    let told = || explained(&bench, "one", "http://a.test/12");
    has(
        &told(),
        &["is too far from its seed: [crawl] max_depth = 1"],
    );
    let kept = bench.crawl_dir("one").join("crawl.toml");
    let text = std::fs::read_to_string(&kept).expect("read");
    std::fs::write(&kept, text.replace("max_depth = 1", "max_depth = 9")).expect("written");
    has(
        &told(),
        &["was too far from its seed for the max_depth of an earlier start"],
    );
    bench.crawl_to_end("one", &[]);
    has(&told(), &["Kept"]);
}

#[test]
fn a_crawl_whose_configuration_is_lost_is_moved_aside_for_a_new_one() {
    let bench = Bench::serve(web());
    let seed = ["--seed", "http://a.test/0", "--delay", "0s"];
    bench.crawl_to_end("one", &seed);
    let dir = bench.crawl_dir("one");
    std::fs::remove_file(dir.join("crawl.toml")).expect("removed");
    let fresh = [&["--fresh"][..], &seed].concat();
    let refused = bench.crawl("one", &fresh).output().expect("runs");
    says(&refused, 2, &["add --yes"]);
    let fresh = [&["--fresh", "--yes", "--max-pages", "2"][..], &seed].concat();
    bench.crawl_to_end("one", &fresh);
    assert_eq!(fetched(&bench, "one"), 2);
    assert!(bench.crawl_dir("one.old-1").join("archive").is_dir());
}

#[test]
fn settings_of_the_network_that_cannot_be_are_told_before_anything_is_touched() {
    let dir = tempfile::tempdir().expect("a directory");
    let crawl = dir.path().join("crawl");
    let start = |options: &[&str]| {
        let mut command = tamis(&[
            "crawl",
            "--progress",
            "none",
            "--seed",
            "http://127.0.0.1:9/",
        ]);
        command.arg("--dir").arg(&crawl).args(options);
        command.output().expect("runs")
    };
    for (key, value, flag, said) in [
        (
            "network.proxy",
            "ftp://127.0.0.1:1",
            "--proxy",
            "ftp is not http",
        ),
        (
            "network.proxy",
            "localhost:3128",
            "--proxy",
            "socks5://host:port",
        ),
        (
            "agent.contact",
            "http://a.example/\r\nX: y",
            "--contact",
            "no header can have",
        ),
        (
            "agent.contact",
            "图书馆 <me@a.example>",
            "--contact",
            "no header can have",
        ),
    ] {
        says(&start(&[flag, value]), 2, &[key, said]);
        assert!(!crawl.exists(), "{value}");
        let (section, name) = key.split_once('.').expect("a key");
        let text = format!("[{section}]\n{name} = {}\n", serde_json::json!(value));
        let config = file(dir.path(), "c.toml", &text);
        let checked = tamis(&["config", "check", &config]).output().expect("runs");
        assert_eq!(checked.status.code(), Some(1));
        has(&stdout(&checked), &["c.toml:2:", key, said]);
        says(&start(&[&config]), 2, &["c.toml:2:", key, said]);
        assert!(!crawl.exists(), "{value}");
    }
}

#[test]
fn a_page_and_its_text_are_one_document_of_a_crawls_own_archive() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("one", &["--seed", "http://a.test/0", "--delay", "0s"]);
    let archive = bench.crawl_dir("one").join("archive");
    let files = std::fs::read_dir(&archive)
        .expect("read")
        .map(|entry| entry.expect("read").path());
    let bodies: Vec<_> = files
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    let found = stdout(&run(tamis(&["dedup"]).args(&bodies)));
    let rows: Vec<Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(rows.len(), 19);
    assert!(rows.iter().all(|row| row["dup_of"].is_null()), "{found}");
}

#[test]
fn a_mark_in_front_of_a_text_is_no_part_of_it() {
    let mark = "\u{feff}";
    let said = |arguments: &[&str], text: &str| {
        let output = on_input(arguments, format!("{mark}{text}").as_bytes());
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            stderr(&output)
        );
        stdout(&output)
    };
    let normal = said(&["url", "normalize"], "HTTP://A.example/\n");
    assert_eq!(normal, "http://a.example/\n");
    let normal = said(
        &["url", "normalize", "--json-input"],
        "\"HTTP://A.example/\"\n",
    );
    assert_eq!(normal, "http://a.example/\n");
    let pairs = said(
        &["fingerprint", "pairs", "-"],
        "84adfe0ad03e12cb\n84ad7e0ad13e128b\n",
    );
    assert!(
        pairs.starts_with("84ad7e0ad13e128b  84adfe0ad03e12cb"),
        "{pairs}"
    );
    let page = said(
        &["extract", "--jsonl", "-"],
        "{\"id\":1,\"html\":\"<p>One sentence.\"}\n",
    );
    has(&page, &["One sentence."]);
    let rows = said(&["dedup"], "{\"id\":1,\"text\":\"a b\"}\n");
    has(&rows, &["\"id\":1"]);
}

#[test]
fn checks_read_standard_input() {
    let seeds = on_input(&["seeds", "check", "-"], b"https://a.example/\n");
    assert_eq!(seeds.status.code(), Some(0), "{}", stderr(&seeds));
    has(&stdout(&seeds), &["-: 1 seed on 1 host"]);
    let config = "[crawl]\nmax_pages = \"x\"\n";
    let wrong = on_input(&["config", "check", "-"], config.as_bytes());
    assert_eq!(wrong.status.code(), Some(1), "{}", stderr(&wrong));
    has(&stdout(&wrong), &["-:2:"]);
    let right = on_input(&["config", "show", "-"], b"[crawl]\nmax_pages = 7\n");
    assert!(right.status.success(), "{}", stderr(&right));
    has(&stdout(&right), &["crawl.max_pages = 7", "# -:2"]);
}

#[test]
fn another_topic_on_the_command_line_needs_a_word_of_confirmation() {
    let bench = Bench::serve(web());
    let seed = ["--seed", "http://a.test/0", "--delay", "0s", "--topic"];
    bench.crawl_to_end("one", &[&seed[..], &["river, stone"]].concat());
    let other = ["--topic", "railway"];
    let refused = bench.crawl("one", &other).output().expect("runs");
    says(&refused, 2, &["another topic (river, stone)", "add --yes"]);
    bench.crawl_to_end("one", &["--topic", "stone, railway"]);
    bench.crawl_to_end("one", &["--topic", "trains", "--yes"]);
}

#[test]
fn a_search_takes_a_filter_that_excludes_beside_a_word() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("one", &["--seed", "http://a.test/0", "--delay", "0s"]);
    let dir = bench.crawl_dir("one");
    let search = |arguments: &[&str]| {
        let mut command = tamis(&["search", "--json"]);
        command.arg(&dir).args(arguments).output().expect("runs")
    };
    let all = stdout(&search(&["river"])).lines().count();
    assert!(all > 0);
    for arguments in [
        &["--", "-lang:zh river"][..],
        &["-lang:zh river"],
        &["river", "-lang:zh"],
    ] {
        let found = search(arguments);
        assert_eq!(stdout(&found).lines().count(), all, "{arguments:?}");
    }
    for arguments in [&["--", "-host:a.test river"][..], &["-host:a.test river"]] {
        assert_eq!(stdout(&search(arguments)), "", "{arguments:?}");
    }
    says(
        &search(&["river", "--limit", "-1"]),
        2,
        &["invalid value '-1'"],
    );
}

#[test]
fn marks_that_are_none_are_told() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("one", &["--seed", "http://a.test/0", "--max-pages", "2"]);
    let marks = file(bench.dir.path(), "marks.jsonl", "no mark\n\u{1}\u{2}\n");
    let report = run(tamis(&["report", "--audit", &marks]).arg(bench.crawl_dir("one")));
    has(&stderr(&report), &["2 lines of", "are no mark"]);
}

#[test]
fn a_directory_that_may_not_be_read_is_told_as_such() {
    use std::os::unix::process::CommandExt;
    let bench = Bench::serve(web());
    bench.crawl_to_end("one", &["--seed", "http://a.test/0", "--max-pages", "2"]);
    let dir = bench.crawl_dir("one");
    let closed = |open: bool| {
        use std::os::unix::fs::PermissionsExt;
        let mode = if open { 0o755 } else { 0o000 };
        let outer = if open { 0o700 } else { 0o755 };
        let set = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
        };
        set(bench.dir.path(), outer);
        set(&dir, mode);
    };
    closed(false);
    let mut status: Command = tamis(&["status"]);
    status.arg(&dir);
    // Nothing is closed to root.
    if std::fs::read_dir(&dir).is_ok() {
        status.uid(65_534);
    }
    let output = status.output();
    closed(true);
    match output {
        Ok(output) => says(&output, 3, &["cannot read", "ermission"]),
        // The binary itself lies where that user may not look.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied),
    }
}

#[test]
fn a_robots_txt_that_was_out_for_seconds_is_not_said_to_be_out_for_no_hour() {
    let web = TestWeb::new()
        .respond("http://a.test/robots.txt", Response::error(503))
        .page("http://a.test/0", "x");
    let bench = Bench::serve(web);
    let text = "[politeness]\nretry_delay = \"10ms\"\ndelay = \"0\"\nmax_robots_outage = \"0s\"\n";
    let config = file(bench.dir.path(), "quick.toml", text);
    let options = [&config, "--seed", "http://a.test/0", "--max-time", "60s"];
    let output = bench.crawl("one", &options).output().expect("runs");
    assert_eq!(output.status.code(), Some(1));
    let told = explained(&bench, "one", "http://a.test/0");
    has(&told, &["could not be had: the server answered 503"]);
    assert!(!told.contains("within 0 h"), "{told}");
}

#[test]
fn what_a_stranger_wrote_does_nothing_to_a_terminal() {
    let dir = tempfile::tempdir().expect("a directory");
    let signs = "\u{1b}[31m\u{202e}";
    let robots = format!("User-agent: *\nDisallow: /{signs}a\nSitemap: http://a.test/{signs}s\n");
    let robots = file(dir.path(), "robots.txt", &robots);
    let sitemap = format!(
        "<urlset><url><loc>http://a.test/{0}</loc><lastmod>2020{0}</lastmod></url></urlset>",
        "\u{9b}31m\u{202e}"
    );
    let sitemap = file(dir.path(), "sitemap.xml", &sitemap);
    let words = "some words of a page ".repeat(30);
    let html = format!("<title>A{signs}</title><p>{words}{signs}");
    let (a, b) = (
        file(dir.path(), "a.html", &html),
        file(dir.path(), "b.html", &html),
    );
    for arguments in [
        &["robots", "show", &robots][..],
        &["robots", "check", &robots, "/a"],
        &["sitemap", "parse", &sitemap],
        &["compare", &a, &b],
    ] {
        let output = tamis(arguments).output().expect("runs");
        let (shown, said) = (stdout(&output), stderr(&output));
        assert!(!shown.is_empty(), "{arguments:?}: {said}");
        for told in [shown, said] {
            let told = told.replace('\n', "");
            assert!(
                !told.contains(report::words::acts_on_others),
                "{arguments:?}: {told:?}"
            );
        }
    }
    let line = format!("http://a b{signs}/\n");
    let output = on_input(&["url", "normalize"], line.as_bytes());
    let shown = stdout(&output).replace('\n', "");
    assert!(shown.starts_with("error: "), "{shown:?}");
    assert!(!shown.contains(report::words::acts_on_others), "{shown:?}");
}
