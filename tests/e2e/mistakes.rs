//! What users get wrong is told with its place and its mend, and nothing is touched.

use testweb::TestWeb;

use crate::support::{Bench, file, has, page, says, stderr, stdout, tamis};

/// Runs `tamis crawl` with arguments that are wrong; gives what it said.
#[track_caller]
pub(crate) fn refused(arguments: &[&str], code: i32) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    let crawl = dir.path().join("crawl");
    let output = tamis(&["crawl", "--progress", "none"])
        .arg("--dir")
        .arg(&crawl)
        .args(arguments)
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    assert!(!crawl.exists(), "nothing was touched");
    stderr(&output)
}

/// What a command says that is refused.
pub(crate) fn refusal(mut command: std::process::Command) -> std::process::Output {
    command.output().expect("runs")
}

#[test]
fn mistakes_are_told_with_their_place_and_mend() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str, text: &str| file(dir.path(), name, text);
    let seeds = at("seeds.txt", "http://127.0.0.1/\nexample.org\n");
    has(
        &refused(&["--seeds", &seeds], 2),
        &["seeds.txt:2:1", "https://example.org"],
    );
    let empty = at("empty.txt", "# nothing\n");
    has(
        &refused(&["--seeds", &empty], 2),
        &["no seeds", "--seed URL"],
    );
    has(
        &refused(&["--seeds", "/nonexistent/list.txt"], 2),
        &["/nonexistent/list.txt", "check the path"],
    );
    let config = at("key.toml", "[crawl]\nmax_pagse = 5\n");
    has(
        &refused(&[&config], 2),
        &["key.toml:2:1", "did you mean \"max_pages\""],
    );
    let config = at("pattern.toml", "[scope]\nexclude = [\"(\"]\n");
    has(
        &refused(&[&config], 2),
        &["pattern.toml:2:13:", "regular expression"],
    );
    let config = at(
        "scope.toml",
        "[scope]\ninclude = [\"x\"]\nexclude = [\"x\"]\n",
    );
    has(&refused(&[&config], 2), &["nothing can be in scope"]);
    has(
        &refused(&["--seed", "https://example.org/"], 2),
        &["contact", "agent.contact"],
    );
}

#[test]
fn a_rule_that_is_none_is_answered_with_those_that_are() {
    let output = tamis(&["simulate", "freshness", "--policy", "nosuch"]).output();
    says(
        &output.expect("runs"),
        2,
        &["nosuch", "uniform, ", "learnt"],
    );
}

#[test]
fn a_number_that_is_none_and_a_host_that_was_forgotten_are_told_with_what_to_write() {
    let number = tamis(&["crawl", "--dir", "nowhere", "--max-pages", "many"]).output();
    let number = number.expect("runs");
    says(
        &number,
        2,
        &[
            "'many'",
            "a whole number is wanted, such as --max-pages 100",
        ],
    );
    assert!(!stderr(&number).contains("digit"), "{}", stderr(&number));
    let dir = tempfile::tempdir().expect("a directory");
    let seeds = file(dir.path(), "seeds.txt", "http:///a.test/x\n");
    has(
        &refused(&["--seeds", &seeds], 2),
        &[
            "seeds.txt:1:1: no host between // and /",
            "http://HOST/a.test/x",
            "or http://a.test/x",
        ],
    );
    has(
        &refused(&["--seed", "http:///x"], 2),
        &["no host between // and /"],
    );
    let fetch = tamis(&["fetch", "http:///x"]).output().expect("runs");
    says(
        &fetch,
        2,
        &["no host between // and /", "https://example.org/page"],
    );
    let fetch = tamis(&["fetch", "here"]).output().expect("runs");
    says(
        &fetch,
        2,
        &["relative URL without a base", "https://example.org/page"],
    );
}

#[test]
fn what_the_address_guard_refuses_names_the_flag_that_lets_it() {
    let fetch = |more: &[&str]| {
        tamis(&["fetch", "http://127.0.0.1:1/x"])
            .args(more)
            .output()
            .expect("runs")
    };
    says(&fetch(&[]), 1, &["guard: ", "give --allow-private"]);
    let tried = fetch(&["--allow-private"]);
    says(&tried, 1, &["connect: "]);
    assert!(
        !stderr(&tried).contains("connect: connect:"),
        "{}",
        stderr(&tried)
    );
    assert!(
        !stderr(&tried).contains("--allow-private"),
        "{}",
        stderr(&tried)
    );
}

#[test]
fn a_crawl_that_may_not_ask_its_seed_says_so_at_its_start_at_its_end_and_in_its_status() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |arguments: &[&str]| {
        let mut command = tamis(arguments);
        command.current_dir(dir.path());
        command.output().expect("runs")
    };
    let seed = ["--seed", "http://127.0.0.1:1/", "--dir", "d"];
    let crawl = ["crawl", "--progress", "none", "--delay", "5ms"];
    let first = at(&[&crawl[..], &seed].concat());
    says(
        &first,
        1,
        &[
            "note: http://127.0.0.1:1/: on this machine or a private network",
            "tamis retry d --status guard, then tamis crawl --dir d --allow-private",
        ],
    );
    let status = at(&["status", "d"]);
    says(&status, 0, &[]);
    has(
        &stdout(&status),
        &["1 refused", "No page was read so far", "tamis report d"],
    );
    says(&at(&["retry", "d", "--status", "guard"]), 0, &[]);
    let allowed = ["--dir", "d", "--allow-private", "--max-time", "300ms"];
    at(&[&crawl[..], &allowed].concat());
    // The flag is kept by the directory; a configuration that does not have it takes it back.
    file(
        dir.path(),
        "c.toml",
        "[seeds]\nurls = [\"http://127.0.0.1:1/\"]\n",
    );
    let taken = at(&[
        "crawl",
        "c.toml",
        "--dir",
        "d",
        "--progress",
        "none",
        "--max-time",
        "300ms",
    ]);
    has(
        &stderr(&taken),
        &["and this one refuses them", "add --allow-private"],
    );
}

#[test]
fn a_url_without_its_scheme_is_told() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/"]);
    let explain = |url: &str| {
        let mut command = tamis(&["explain"]);
        command.arg(bench.crawl_dir("crawl")).arg(url);
        command.output().expect("runs")
    };
    let known = explain("a.test/");
    assert_eq!(known.status.code(), Some(0), "{}", stderr(&known));
    has(&stdout(&known), &["http://a.test/"]);
    assert_eq!(explain("a.test:80/x").status.code(), Some(1));
    says(
        &explain("atest/x"),
        2,
        &["such as https://example.org/page"],
    );
}

#[test]
fn a_search_that_cannot_find_anything_says_why() {
    let web = TestWeb::new().page("http://a.test/", &page("Lantern harbour", 1, &[]));
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/"]);
    let search = |arguments: &[&str]| {
        let mut command = tamis(&["search"]);
        command.arg(bench.crawl_dir("crawl")).args(arguments);
        command.output().expect("runs")
    };
    says(&search(&[""]), 2, &["the query is empty"]);
    says(&search(&["!!!"]), 2, &["no words"]);
    says(&search(&["\"lantern harbour"]), 0, &["not closed"]);
    says(
        &search(&["lantern", "--lang", "xx"]),
        0,
        &["language \"xx\""],
    );
    says(
        &search(&["lantern", "--lang", "zh"]),
        0,
        &["nothing found", "without --lang there are: 1 page"],
    );
    says(
        &search(&["lantern", "--host", "a.tset"]),
        0,
        &["did you mean \"a.test\"?"],
    );
    says(
        &search(&["lantern", "zeppelin"]),
        0,
        &["no page has all words"],
    );
    says(
        &search(&["zeppelin"]),
        0,
        &["no kept page has the word \"zeppelin\""],
    );
    says(&search(&["lantern", "-harbour"]), 0, &["nothing found"]);
    says(
        &search(&["lantern", "-zeppelin", "--limit", "1"]),
        0,
        &["1 page"],
    );
    let found = search(&["lantern", "-vacuum", "--json"]);
    assert!(
        stdout(&found).contains("http://a.test/"),
        "{}",
        stderr(&found)
    );
}

#[test]
fn files_say_by_their_names_what_they_hold() {
    let told = "The keeper of the light told us what he had seen from the tower that winter, and why nobody believed it.";
    let english = format!("<html lang=en><title>The light</title><p>{told}</p>");
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &english));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let dir = bench.crawl_dir("one").display().to_string();
    let out = |name: &str| bench.crawl_dir("").join(name).display().to_string();
    let html = out("r.html");
    says(
        &refusal(tamis(&["report", &dir, "--out", &html])),
        0,
        &["wrote"],
    );
    let written = std::fs::read_to_string(&html).expect("a report");
    assert!(written.starts_with("<!"), "it is HTML");
    says(
        &refusal(tamis(&["export", &dir, "pages", "--out", &out("p.xlsx")])),
        0,
        &["no form of rows ends with .xlsx", "--format"],
    );
    says(
        &refusal(tamis(&["export", &dir, "pages", "--host", "www.a.test"])),
        0,
        &["no page of the host www.a.test", "a.test"],
    );
    says(
        &refusal(tamis(&["export", &dir, "pages", "--lang", "tlh"])),
        0,
        &["no page in tlh was read; languages are: en"],
    );
    says(
        &refusal(tamis(&["export", &dir, "pages", "--relevance", "0.5"])),
        0,
        &["no page has a relevance"],
    );
}
