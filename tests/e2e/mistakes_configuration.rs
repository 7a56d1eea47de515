//! Mistakes of a configuration, of what it names, and of what it says beside the command line.

use testweb::TestWeb;

use crate::mistakes::{refusal, refused};
use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

#[test]
fn every_mistake_of_a_configuration_and_of_what_it_names_is_told_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    file(dir.path(), "seeds.txt", "http://127.0.0.1/\n数据库 x\n");
    let text = "[crawl]\nmax_pagse = 5\n[seeds]\nfiles = [\"seeds.txt\", \"gone.txt\"]\n\
        [topic]\nkeywords = [\"x\"]\nexamples = [\"lost.html\"]\nlanguages = [\"cn\"]\n";
    let config = file(dir.path(), "bad.toml", text);
    let wanted = [
        "bad.toml:2:1",
        "did you mean \"max_pages\"",
        "bad.toml:4:24",
        "gone.txt",
        "bad.toml:7:14",
        "lost.html",
        "bad.toml:8:15",
        "did you mean \"zh\"",
        "seeds.txt:2:1",
        // The caret stands under the x, which is eight columns to the right.
        "\n  2 | 数据库 x\n             ^",
    ];
    has(&refused(&[&config], 2), &wanted);
    let check = tamis(&["config", "check", &config]).output().expect("runs");
    assert_eq!(check.status.code(), Some(1));
    has(&stdout(&check), &wanted);
    let absent = dir.path().join("absent.toml").display().to_string();
    for command in ["config", "seeds"] {
        let check = tamis(&[command, "check", &absent, &config]).output();
        says(&check.expect("runs"), 2, &["absent.toml", "check the path"]);
    }
}

#[test]
fn what_is_allowed_by_its_type_and_cannot_be_meant_is_told_beside_the_rest() {
    let dir = tempfile::tempdir().expect("a directory");
    let text = "[crawl]\nmax_time = 3\nthreads = 999999\n[agent]\ncontact = \"xx\"\n\
        [topic]\nkeywords = \"word\"\nthreshold = 1.5\n[dedup]\nk = 70\n\
        [network]\nbandwidth = \"fast\"\n[limits]\nbody = \"10\"\n\
        [host.\"https://a.example/\"]\ndelay = \"1s\"\n[host.\"*.example\"]\ndelay = \"1s\"\n";
    let config = file(dir.path(), "bad.toml", text);
    let check = tamis(&["config", "check", &config]).output().expect("runs");
    let wanted = [
        "bad.toml:2:12: crawl.max_time is the number 3, not a duration\n  2 | max_time = 3\n                 ^\n  write \"3s\"",
        "bad.toml:3:11: crawl.threads is 999999",
        "bad.toml:5:12: agent.contact \"xx\" is no URL and no mail address",
        "write it as a list: [\"word\"]",
        "bad.toml:8:13: topic.threshold is 1.5",
        "bad.toml:10:5: dedup.k is 70",
        "bad.toml:12:14: network.bandwidth: \"fast\" is no rate",
        "bad.toml:14:9: limits.body is 10 B",
        "bad.toml:15:8: host \"https://a.example/\" is no host",
        "bad.toml:17:8: host \"*.example\" is more than one host",
    ];
    says(&check, 1, &[]);
    has(&stdout(&check), &wanted);
}

#[test]
fn two_tables_for_one_host_and_a_rate_without_its_unit_are_told() {
    // The one that stood last counted, and a rate of 20 was one of 20 bytes a second.
    let dir = tempfile::tempdir().expect("a directory");
    let text = "[network]\nbandwidth = \"20\"\n\
        [host.\"b\u{fc}cher.example\"]\ndelay = \"1s\"\n\
        [host.\"B\u{fc}cher.example:80\"]\nmax_pages = 5\n[host.\"a.example\"]\ndelay = \"1s\"\n";
    let config = file(dir.path(), "bad.toml", text);
    let check = tamis(&["config", "check", &config]).output().expect("runs");
    let wanted = [
        "bad.toml:2:14: network.bandwidth: \"20\" has no unit, and would be 20 B in a second",
        "write \"500 KB/s\", \"20 MB/s\" or \"1 GiB/s\"",
        "bad.toml:5:8: host \"B\u{fc}cher.example:80\" is host \"b\u{fc}cher.example\" in another spelling",
        "write all of it below [host.\"b\u{fc}cher.example\"]",
    ];
    says(&check, 1, &[]);
    has(&stdout(&check), &wanted);
}

#[test]
fn settings_that_differ_from_the_last_start_are_told() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    let seeds = file(bench.dir.path(), "seeds.txt", "http://a.test/\n");
    let text = "[seeds]\nfiles = [\"seeds.txt\"]\n";
    let config = file(bench.dir.path(), "c.toml", text);
    bench.crawl_to_end("crawl", &[&config, "--delay", "5ms"]);
    let again = |arguments: &[&str]| {
        let mut command = tamis(&["crawl", "--progress", "none", "--dir"]);
        command.arg(bench.crawl_dir("crawl")).args(arguments);
        stderr(&run(&mut command))
    };
    let said = again(&[]);
    assert!(!said.contains("changed"), "flags are kept: {said}");
    let proxy = format!("network.proxy: \"{}\" -> \"\"", bench.proxy);
    has(
        &again(&[&config]),
        &[
            &proxy,
            "network.allow_private: true -> false",
            "politeness.delay: \"5ms\" -> \"1s\"",
        ],
    );
    let topical = format!("{text}[topic]\nkeywords = [\"x\"]\n");
    let topical = file(bench.dir.path(), "topical.toml", &topical);
    let said = again(&[&topical]);
    has(
        &said,
        &[
            "changed since the last start: [topic]: added",
            "keep their verdicts",
        ],
    );
    let replay = format!(
        "tamis replay {} --strategy tamis",
        bench.crawl_dir("crawl").display()
    );
    has(&said, &[&replay]);
    assert!(!again(&[]).contains("verdicts"), "it is told once");
    std::fs::remove_file(&seeds).expect("removed");
    has(&again(&[]), &["note: seed list", "keeps the seeds"]);
}

#[test]
fn a_loopback_proxy_to_the_web_at_large_needs_a_contact() {
    let seed = ["--seed", "https://example.org/"];
    let proxy = ["--proxy", "http://127.0.0.1:1"];
    let said = refused(&[seed, proxy].concat(), 2);
    has(&said, &["contact", "--allow-private"]);
    // Nor is the rule forgotten when a crawl is carried on without naming its seeds.
    let bench = Bench::serve(TestWeb::new().page("http://a.example/", "x"));
    bench
        .crawl(
            "crawl",
            &["--seed", "http://a.example/", "--max-time", "1s"],
        )
        .output()
        .expect("runs");
    let config = file(bench.dir.path(), "c.toml", "");
    let mut command = tamis(&["crawl", "--progress", "none", &config, "--dir"]);
    let output = command.arg(bench.crawl_dir("crawl")).output();
    says(&output.expect("runs"), 2, &["contact"]);
}

#[test]
fn what_is_no_configuration_is_told_where_it_belongs() {
    let temp = tempfile::tempdir().expect("a directory");
    let list = file(temp.path(), "seeds.txt", "# ours\nhttp://a.test/ depth=2\n");
    let host = "www.a.test:8080";
    has(&refused(&[&list], 2), &["a list of URLs", "--seeds", &list]);
    has(
        &refused(&[host], 2),
        &["if it is a host", "--seed http://www.a.test:8080/"],
    );
    has(
        &refused(&["http://a.test/"], 2),
        &["is a URL", "--seed http://a.test/"],
    );
    has(
        &refused(&["missing.toml"], 2),
        &["missing.toml", "check the path"],
    );
    has(&refused(&[], 2), &["no seeds", "holds no crawl yet"]);
    let serve = ["--seed", "http://a.test/", "--serve", "7700"];
    has(&refused(&serve, 2), &["such as 127.0.0.1:7700"]);
    has(
        &refused(&["－－seed", "http://a.test/"], 2),
        &["other dashes: write --seed"],
    );
    has(&refused(&["—-again"], 2), &["write --again"]);
    // Dashes in values are theirs.
    let out = format!("--out={}", temp.path().join("x–y.csv").display());
    let value = tamis(&["export", "/nowhere", &out]).output().expect("runs");
    assert!(
        !stderr(&value).contains("other dashes"),
        "{}",
        stderr(&value)
    );
    let behind = tamis(&["explain", "/nowhere", "--", "—dir"]).output();
    assert!(!stderr(&behind.expect("runs")).contains("other dashes"));
    has(
        &refused(&["--max-pages", "-5"], 2),
        &["invalid value '-5'", "a whole number is wanted"],
    );
    let open = ["--seed", "http://a.test/", "--serve", "0.0.0.0:0"];
    has(
        &refused(&open, 2),
        &["needs a token", "--serve-token-file FILE"],
    );
    let listen = tamis(&["serve", "/nowhere", "--listen", "localhost:7700"]);
    let told = { listen }.output().expect("runs");
    assert!(
        !stderr(&told).contains("write a number"),
        "{}",
        stderr(&told)
    );
}

#[test]
fn what_will_stop_a_crawl_is_noted_where_nothing_is_wrong() {
    let dir = tempfile::tempdir().expect("a directory");
    let check = |what: &str, text: &str| {
        let path = file(dir.path(), &format!("{what}.txt"), text);
        let said = run(&mut tamis(&[what, "check", &path]));
        stdout(&said)
    };
    let without = check("config", "[crawl]\nmax_pages = 3\n");
    assert!(
        without.contains("note: agent.contact is not set"),
        "{without}"
    );
    let with = check("config", "[agent]\ncontact = \"me@crawler.test\"\n");
    assert!(
        with.contains("in order") && !with.contains("note"),
        "{with}"
    );
    let template = check("config", "[agent]\ncontact = \"https://example.org/bot\"\n");
    assert!(template.contains("set apart for examples"), "{template}");
    let local =
        "[agent]\ncontact = \"me@crawler.test\"\n[seeds]\nurls = [\"http://127.0.0.1:8000/\"]\n";
    let guarded = check("config", local);
    assert!(
        guarded.contains("note: http://127.0.0.1:8000/") && guarded.contains("--allow-private"),
        "{guarded}"
    );
    let allowed = check(
        "config",
        &format!("{local}[network]\nallow_private = true\n"),
    );
    assert!(!allowed.contains("note"), "{allowed}");
    let seeds = check(
        "seeds",
        "https://www.example.org/\nhttp://127.0.0.1:8080/x\nhttp://192.168.1.7/\nhttp://localhost/\n",
    );
    for seed in ["127.0.0.1:8080/x", "192.168.1.7/", "localhost/"] {
        assert!(
            seeds.contains(&format!("note: http://{seed} is on")),
            "{seeds}"
        );
    }
    assert!(!seeds.contains("note: https://www.example.org"), "{seeds}");
    assert_eq!(seeds.matches("--allow-private").count(), 3, "{seeds}");
}

#[test]
fn a_configuration_and_a_seed_list_are_sent_to_their_own_check() {
    let dir = tempfile::tempdir().expect("a directory");
    let config = file(dir.path(), "c.toml", "# ours\n[crawl]\nmax_pages = 3\n");
    let list = file(dir.path(), "s.txt", "# ours\nhttp://a.test/\n");
    says(
        &refusal(tamis(&["seeds", "check", &config])),
        2,
        &[
            "is a configuration",
            &format!("tamis config check {config}"),
        ],
    );
    says(
        &refusal(tamis(&["config", "check", &list])),
        2,
        &["is a list of URLs", &format!("tamis seeds check {list}")],
    );
    says(
        &refusal(tamis(&["extract", "http://a.test/x"])),
        2,
        &["is a URL", "tamis fetch http://a.test/x"],
    );
}
