//! What users get wrong is told with its place and its mend, and nothing is touched.

use testweb::TestWeb;

use crate::support::{Bench, file, page, stderr, tamis};

/// Runs `tamis crawl` with arguments that are wrong; gives what it said.
#[track_caller]
fn refused(arguments: &[&str], code: i32) -> String {
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

#[track_caller]
fn says(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{word:?} is not in: {said}");
    }
}

#[test]
fn mistakes_are_told_with_their_place_and_mend() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |name: &str, text: &str| file(dir.path(), name, text);
    let seeds = at("seeds.txt", "http://127.0.0.1/\nexample.org\n");
    says(
        &refused(&["--seeds", &seeds], 2),
        &["seeds.txt:2:1", "https://example.org"],
    );
    let empty = at("empty.txt", "# nothing\n");
    says(
        &refused(&["--seeds", &empty], 2),
        &["no seeds", "--seed URL"],
    );
    says(
        &refused(&["--seeds", "/nonexistent/list.txt"], 2),
        &["/nonexistent/list.txt", "check the path"],
    );
    let config = at("key.toml", "[crawl]\nmax_pagse = 5\n");
    says(
        &refused(&[&config], 2),
        &["key.toml:2:1", "did you mean \"max_pages\""],
    );
    let config = at("pattern.toml", "[scope]\nexclude = [\"(\"]\n");
    says(
        &refused(&[&config], 2),
        &["pattern.toml:2:1", "regular expression"],
    );
    let config = at(
        "scope.toml",
        "[scope]\ninclude = [\"x\"]\nexclude = [\"x\"]\n",
    );
    says(&refused(&[&config], 2), &["nothing can be in scope"]);
    says(
        &refused(&["--seed", "https://example.org/"], 2),
        &["contact", "agent.contact"],
    );
}

#[test]
fn a_directory_that_is_no_crawl_is_left_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    file(dir.path(), "thesis.tex", "years of work");
    let output = tamis(&[
        "crawl",
        "--progress",
        "none",
        "--seed",
        "http://127.0.0.1/",
        "--dir",
    ])
    .arg(dir.path())
    .output()
    .expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(std::fs::read_dir(dir.path()).expect("read").count(), 1);
    for command in ["report", "search", "explain", "export", "check-dir"] {
        let mut tamis = tamis(&[command]);
        tamis.arg(dir.path());
        match command {
            "search" | "explain" => drop(tamis.arg("http://a.test/")),
            "export" => drop(tamis.arg("pages")),
            _ => {}
        }
        let output = tamis.output().expect("runs");
        assert_eq!(
            output.status.code(),
            Some(2),
            "{command}: {}",
            stderr(&output)
        );
        says(&stderr(&output), &["holds no crawl"]);
    }
}

#[test]
fn two_crawls_do_not_share_a_directory() {
    let mut web = TestWeb::new();
    for number in 0..200_u64 {
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page("x", number, &[format!("/p{}.html", number + 1)]),
        );
    }
    let bench = Bench::serve(web);
    let mut first = bench
        .crawl(
            "one",
            &["--seed", "http://a.test/p0.html", "--delay", "50ms"],
        )
        .spawn()
        .expect("starts");
    while !bench.crawl_dir("one").join("crawl.toml").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let second = bench
        .crawl("one", &["--seed", "http://a.test/p0.html"])
        .output()
        .expect("runs");
    first.kill().expect("killed");
    first.wait().expect("ended");
    assert_eq!(second.status.code(), Some(3), "{}", stderr(&second));
    says(&stderr(&second), &["in use"]);
}
