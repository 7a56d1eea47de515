//! What users get wrong is told with its place and its mend, and nothing is touched.

use testweb::TestWeb;

use crate::support::{Bench, begin_in, file, has, page, run, says, stderr, stdout, tamis};

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
fn a_crawls_directory_at_a_later_place_is_pointed_at() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/"]);
    let dir = bench.crawl_dir("crawl");
    let dir = dir.to_str().expect("UTF-8");
    let first = format!("{dir} does, and a crawl's directory comes before other words");
    for command in ["search", "explain"] {
        let said = tamis(&[command, "http://a.test/", dir]).output();
        says(
            &said.expect("runs"),
            2,
            &["http://a.test/ holds no crawl", &first],
        );
    }
    let said = tamis(&["export", "index", dir]).output().expect("runs");
    says(&said, 2, &["which comes first"]);
    let said = tamis(&["export", dir, "index"]).output().expect("runs");
    says(&said, 2, &["did you mean indexed?"]);
    let said = tamis(&["export", dir, "everything"]).output();
    let said = stderr(&said.expect("runs"));
    assert!(!said.contains("did you mean"), "{said}");
}

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
fn a_directory_that_is_no_crawl_is_left_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    file(dir.path(), "thesis.tex", "years of work");
    says(
        &begin_in(dir.path()),
        2,
        &["holds no crawl, but other things"],
    );
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
        says(&output, 2, &["holds no crawl"]);
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
        .crawl(
            "one",
            &["--seed", "http://a.test/p0.html", "--max-pages", "7"],
        )
        .output()
        .expect("runs");
    first.kill().expect("killed");
    first.wait().expect("ended");
    says(&second, 3, &["in use"]);
    let told = stderr(&second);
    assert!(!told.contains("changed since"), "{told}");
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

#[test]
fn a_configuration_of_other_seeds_does_not_take_over_a_crawl() {
    let mut web = TestWeb::new();
    for host in ["a", "b", "c"] {
        web = web.page(&format!("http://{host}.test/"), &page("x", 1, &[]));
    }
    let bench = Bench::serve(web);
    let config = |seeds: &str| {
        let text = format!("[seeds]\nurls = [{seeds}]\n");
        file(&bench.crawl_dir(""), "own.toml", &text)
    };
    let first = config("\"http://a.test/\", \"http://b.test/\"");
    bench.crawl_to_end("one", &[&first]);
    let before = bench.rows("one", "pages").len();
    let dir = bench.crawl_dir("one").display().to_string();
    let foreign = config("\"http://c.test/\"");
    says(
        &refusal(bench.crawl("one", &[&foreign])),
        2,
        &[
            "holds another crawl, of http://a.test/, http://b.test/",
            &format!("tamis crawl --dir {dir}"),
            "--seed URL",
        ],
    );
    assert_eq!(
        bench.rows("one", "pages").len(),
        before,
        "nothing was touched"
    );
    // One that shares a seed is the same crawl, edited.
    let edited = config("\"http://c.test/\", \"http://b.test/\"");
    bench.crawl_to_end("one", &[&edited]);
    assert_eq!(bench.rows("one", "pages").len(), before + 1);
    // A topic that has nothing in common with the old one has to be meant.
    let of_topic = |keyword: &str| {
        let text =
            format!("[seeds]\nurls = [\"http://a.test/\"]\n[topic]\nkeywords = [\"{keyword}\"]\n");
        file(&bench.crawl_dir(""), "topic.toml", &text)
    };
    bench
        .crawl("two", &[&of_topic("lantern")])
        .output()
        .expect("runs");
    let other = of_topic("harbour");
    says(
        &refusal(bench.crawl("two", &[&other])),
        2,
        &["another topic", "lantern", "add --yes"],
    );
    let meant = bench.crawl("two", &[&other, "--yes"]).output();
    assert_ne!(meant.expect("runs").status.code(), Some(2));
}

#[test]
fn a_place_that_is_another_is_answered_with_the_command_that_was_meant() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let dir = bench.crawl_dir("one").display().to_string();
    for arguments in [vec!["crawl", &dir], vec!["crawl", &dir, "--again"]] {
        says(
            &refusal(tamis(&arguments)),
            2,
            &[
                "is a crawl's directory",
                &format!("tamis crawl --dir {dir}"),
            ],
        );
    }
    let above = bench.crawl_dir("").display().to_string();
    says(
        &refusal(tamis(&["crawl", &above])),
        2,
        &["is a folder", &dir],
    );
    says(
        &refusal(bench.crawl("one/two", &["--seed", "http://c.test/"])),
        2,
        &["lies inside the crawl in"],
    );
    says(
        &refusal(tamis(&["crawl"])),
        2,
        &["tamis crawl FILE.toml", "tamis crawl --dir DIR"],
    );
    says(
        &refusal(tamis(&["crawl", "--config", "x.toml"])),
        2,
        &["there is no --config", "tamis crawl x.toml"],
    );
}

#[test]
fn files_say_by_their_names_what_they_hold() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
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
}

/// What a command says that is refused.
fn refusal(mut command: std::process::Command) -> std::process::Output {
    command.output().expect("runs")
}

#[test]
fn a_crawl_is_moved_aside_for_a_new_one_only_when_that_one_can_begin() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let old = bench.crawl_dir("one.old-1");
    let at = |name: &str, text: &str| file(&bench.crawl_dir(""), name, text);
    let bad = at("bad.toml", "[crawl]\nmax_pages = \"x\"\n");
    let nowhere = at("nowhere.toml", "[archive]\nupload = \"ftp://x\"\n");
    let seed = ["--seed", "http://a.test/"];
    let not_meant = [&["--fresh"][..], &seed].concat();
    let fresh = ["--fresh", "--yes"];
    for (arguments, said) in [
        (not_meant, "add --yes"),
        (fresh.to_vec(), "has none for a new crawl"),
        ([&fresh[..], &[&bad]].concat(), "max_pages"),
        ([&fresh[..], &[&nowhere], &seed].concat(), "ftp://x"),
        ([&fresh[..], &["--seeds", "none.txt"]].concat(), "none.txt"),
    ] {
        says(&refusal(bench.crawl("one", &arguments)), 2, &[said]);
        assert!(!old.exists(), "{said}");
    }
    bench.crawl_to_end("one", &[&fresh[..], &seed].concat());
    assert!(old.join("crawl.toml").is_file());
    assert_eq!(bench.rows("one", "pages").len(), 1);
}

#[test]
fn what_the_configuration_names_and_is_not_to_be_had_leaves_a_crawl_as_it_was() {
    let bench = Bench::serve(TestWeb::new().page("http://a.test/", &page("x", 1, &[])));
    bench.crawl_to_end("one", &["--seed", "http://a.test/"]);
    let kept = bench.crawl_dir("one").join("crawl.toml");
    let before = std::fs::read_to_string(&kept).expect("read");
    let config = |text: &str| {
        let text = format!("[seeds]\nurls = [\"http://a.test/\"]\n{text}\n");
        file(&bench.crawl_dir(""), "named.toml", &text)
    };
    let store = "[cluster]\nstore = \"postgres://u@127.0.0.1/x\"";
    for (text, said) in [
        ("[archive]\nupload = \"ftp://x\"".to_owned(), "ftp://x"),
        (
            "[archive]\nupload = \"s3://id:secret@x/y\"".to_owned(),
            "names a user",
        ),
        (
            format!("{store}\npassword_file = \"no-such-file\""),
            "no-such-file",
        ),
    ] {
        let named = config(&text);
        let checked = tamis(&["config", "check", &named]).output();
        let checked = checked.expect("runs");
        assert_eq!(checked.status.code(), Some(1), "{text}");
        has(&stdout(&checked), &[said]);
        let refused = refusal(bench.crawl("one", &[&named]));
        says(&refused, 2, &[said]);
        assert!(!stdout(&checked).contains("secret") && !stderr(&refused).contains("secret"));
        assert_eq!(std::fs::read_to_string(&kept).expect("read"), before);
        refusal(bench.crawl("two", &[&named]));
        assert!(!bench.crawl_dir("two").exists(), "{text}");
    }
}
