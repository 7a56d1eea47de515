//! Commands as a user meets them.

use testweb::TestWeb;

use crate::support::{Bench, file, page, run, says, stderr, stdout, tamis};

#[test]
fn the_demo_runs_alone_and_its_sums_close() {
    let dir = tempfile::tempdir().expect("a directory");
    let demo = dir.path().join("demo");
    let shown = stdout(&run(
        tamis(&["demo", "--progress", "none", "--dir"]).arg(&demo)
    ));
    assert!(shown.contains("Try next:"), "{shown}");
    let report = stdout(&run(tamis(&["report", "--format", "json"]).arg(&demo)));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let total = |name: &str| report["totals"][name].as_u64().unwrap_or(0);
    assert_eq!(total("admitted"), total("pending") + total("finished"));
    let fates = [
        "indexed",
        "junk",
        "failed",
        "refused",
        "redirected",
        "not_modified",
    ];
    assert_eq!(total("finished"), fates.map(total).iter().sum::<u64>());
    assert!(total("indexed") > 20 && total("junk") > 20, "{report}");
    let found = stdout(&run(tamis(&["search", "--json"])
        .arg(&demo)
        .arg("全文检索")));
    assert!(found.contains("全文检索"), "{found}");
    let clean = stdout(&run(tamis(&["check-dir", "--rejudge"]).arg(&demo)));
    assert!(clean.contains("everything agrees"), "{clean}");
    run(tamis(&["report", "--format", "html", "--out"])
        .arg(dir.path().join("r.html"))
        .arg(&demo));
    let both = tamis(&["report", "--json", "--format", "html"])
        .arg(&demo)
        .output();
    // It printed JSON without a word.
    says(&both.expect("runs"), 2, &["--json and --format"]);
    // What somebody else put there is not removed with an earlier demo.
    let notes = demo.join("notes.txt");
    std::fs::write(&notes, "mine").expect("written");
    let again = tamis(&["demo", "--progress", "none", "--dir"])
        .arg(&demo)
        .output();
    says(&again.expect("runs"), 2, &["notes.txt", "did not make"]);
    assert!(notes.exists() && demo.join("archive").is_dir());
}

#[test]
fn every_bundled_configuration_and_seed_list_is_in_order() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let list = |folder: &str, ending: &str| -> Vec<String> {
        let entries = std::fs::read_dir(format!("{root}/{folder}")).expect(folder);
        let paths = entries.map(|entry| entry.expect("an entry").path().display().to_string());
        paths.filter(|path| path.ends_with(ending)).collect()
    };
    let configs = list("config", ".toml");
    assert!(configs.len() >= 4, "{configs:?}");
    run(tamis(&["config", "check"]).args(&configs));
    let seeds = list("seeds", ".txt");
    assert!(seeds.len() >= 4, "{seeds:?}");
    run(tamis(&["seeds", "check"]).args(&seeds));
}

#[test]
fn every_command_has_help_with_an_example() {
    let help = stdout(&run(&mut tamis(&["--help"])));
    let commands = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1);
    let names: Vec<String> = commands
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_string))
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() >= 15, "{names:?}");
    for name in names {
        let help = stdout(&run(&mut tamis(&[&name, "--help"])));
        let has_commands = help.contains("Commands:");
        assert!(
            help.contains("Example") || has_commands,
            "{name} has no example:\n{help}"
        );
        for below in below(&help) {
            let help = stdout(&run(&mut tamis(&[&name, &below, "--help"])));
            assert!(
                help.contains("Example"),
                "{name} {below} has no example:\n{help}"
            );
        }
    }
}

/// The sub-commands that a help text lists.
fn below(help: &str) -> Vec<String> {
    let lines = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"));
    let names = lines.skip(1).take_while(|line| line.starts_with("  "));
    let names = names.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_string)
        .collect()
}

#[test]
fn explain_names_the_rule_that_left_a_url_out() {
    let links = [
        "http://elsewhere.test/",
        "/private/x.html",
        "/p1.html",
        "/p2.html",
        "/p3.html",
    ];
    let mut web = TestWeb::new().page(
        "http://a.test/",
        &page("Front", 1, &links.map(str::to_string)),
    );
    for number in 1..4 {
        let links = [format!("/deep{number}.html")];
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page("P", number + 7, &links),
        );
    }
    let bench = Bench::serve(web);
    let config = "[crawl]\nmax_depth = 1\n[scope]\nexclude = [\"/private/\"]\n[politeness]\ndelay = \"0\"\n\
                  [host.\"a.test\"]\nmax_pages = 3\n";
    let config = file(bench.dir.path(), "rules.toml", config);
    bench.crawl_to_end("crawl", &[&config, "--seed", "http://a.test/"]);
    let told = |url: &str| {
        let output = tamis(&["explain"])
            .arg(bench.crawl_dir("crawl"))
            .arg(url)
            .output()
            .expect("runs");
        stdout(&output) + &stderr(&output)
    };
    for (url, words) in [
        (
            "http://elsewhere.test/",
            "is out of scope: [scope] mode = \"host\", with seeds on a.test",
        ),
        (
            "http://a.test/private/x.html",
            "matches the [scope] exclude pattern \"/private/\"",
        ),
        ("http://a.test/p3.html", "[host.\"a.test\"] max_pages = 3"),
        ("http://a.test/deep1.html", "[crawl] max_depth = 1"),
        (
            "http://never.test/",
            "would be left out: it is out of scope",
        ),
        (
            "http://a.test/private/unlinked.html",
            "would be left out: it matches the [scope] exclude",
        ),
        (
            "http://a.test/unlinked.html",
            "no page that was read so far links to it",
        ),
    ] {
        let told = told(url);
        assert!(told.contains(words), "{words:?} is not in: {told}");
    }
}

#[test]
fn what_became_of_a_url_is_told_in_short_and_in_full() {
    let links = ["/copy.html".to_owned(), "/missing.html".to_owned()];
    let web = TestWeb::new()
        .page("http://a.test/", &page("Harbour", 5, &links))
        .page("http://a.test/copy.html", &page("Harbour", 5, &links));
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "0"]);
    let told = |url: &str, options: &[&str]| {
        let mut command = tamis(&["explain"]);
        run(command.arg(bench.crawl_dir("crawl")).arg(url).args(options))
    };
    let missing = told("http://a.test/missing.html", &["--short"]);
    let said = stdout(&missing);
    assert!(said.lines().count() <= 15, "{said}");
    assert!(
        said.contains("Not found: the server answered 404"),
        "{said}"
    );
    let copy = stdout(&told("http://a.test/copy.html", &["--short"]));
    assert!(copy.contains("duplicate of http://a.test/."), "{copy}");
    assert!(copy.contains("distance 0 of 64 bits"), "{copy}");
    assert!(!copy.contains("What differs"), "{copy}");
    let full = stdout(&told("http://a.test/copy.html", &[]));
    assert!(
        full.contains("What differs") && full.contains("fingerprint"),
        "{full}"
    );
    let zh = stdout(&told(
        "http://a.test/missing.html",
        &["--short", "--lang", "zh"],
    ));
    assert!(zh.contains("服务器返回 404"), "{zh}");
    let json = stdout(&told("http://a.test/copy.html", &["--json"]));
    let story: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    for key in [
        "url",
        "state",
        "summary",
        "found",
        "fetches",
        "decisions",
        "led",
        "visits",
    ] {
        assert!(story.get(key).is_some(), "{key} in {json}");
    }
}

#[test]
fn csv_holds_no_control_characters_and_no_formulas() {
    let title = "=HYPERLINK(\u{1b}[31m&quot;http://evil.test&quot;)";
    let web = TestWeb::new().page("http://a.test/", &page(title, 5, &[]));
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "0"]);
    let csv = stdout(&run(tamis(&["export", "--format", "csv"])
        .arg(bench.crawl_dir("crawl"))
        .arg("pages")));
    assert!(csv.contains("'=HYPERLINK"), "{csv}");
    assert!(!csv.contains('\u{1b}'), "{csv}");
    assert_eq!(
        bench.rows("crawl", "pages")[0]["title"]
            .as_str()
            .map(|title| title.starts_with('=')),
        Some(true)
    );
}

#[test]
fn output_obeys_no_color_a_narrow_terminal_and_a_pipe() {
    let web = TestWeb::new()
        .page(
            "http://a.test/",
            &page(
                "全文检索 with a title that is long enough to be cut somewhere",
                5,
                &["http://a.test/b.html".into()],
            ),
        )
        .page("http://a.test/b.html", &page("Copy", 5, &[]));
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "0"]);
    let dir = bench.crawl_dir("crawl");
    let shown = |columns: &str, arguments: &[&str], options: &[&str]| {
        let mut tamis = tamis(&arguments[..1]);
        tamis
            .env("COLUMNS", columns)
            .arg(&dir)
            .args(&arguments[1..])
            .args(options);
        stdout(&run(&mut tamis))
    };
    for arguments in [
        &["report"][..],
        &["status"],
        &["explain", "http://a.test/b.html"],
        &["search", "lantern"],
    ] {
        let plain = shown("100", arguments, &[]);
        assert!(
            !plain.contains('\u{1b}'),
            "{arguments:?} colours a pipe: {plain}"
        );
        let never = shown("100", arguments, &["--color", "never"]);
        assert!(!never.contains('\u{1b}'), "{arguments:?}");
    }
    let coloured = shown("100", &["report"], &["--color", "always"]);
    assert!(
        coloured.contains('\u{1b}'),
        "--color always is the user's word"
    );
    for columns in [60, 80] {
        for arguments in [&["report"][..], &["status"]] {
            let text = shown(&columns.to_string(), arguments, &[]);
            // Paths have no place to be broken at.
            for line in text
                .lines()
                .filter(|line| !line.contains(dir.to_str().expect("UTF-8")))
            {
                assert!(
                    report::table::width(line) <= columns,
                    "{arguments:?}: {line:?}"
                );
            }
        }
    }
}
