//! The scope in force when a URL's turn comes is the one that is obeyed.

use std::collections::BTreeSet;

use testweb::TestWeb;

use crate::support::{Bench, file, page, run, stderr, stdout, tamis};

const QUICK: &str = "[politeness]\ndelay = \"0\"\n[crawl]\nconcurrency = 1\n";
const NARROW: &str = "[scope]\nexclude = [\"/private/\"]\n[host.\"b.test\"]\nmax_pages = 3\n";

fn web() -> TestWeb {
    let at = |path: &'static str| (0..4).map(move |n| format!("{path}{n}.html"));
    let links: Vec<String> = at("/keep/p")
        .chain(at("/private/p"))
        .chain(at("http://b.test/p"))
        .collect();
    let mut web = TestWeb::new().page("http://a.test/", &page("Front", 1, &links));
    for (number, link) in links.iter().enumerate() {
        let url = match link.strip_prefix('/') {
            Some(path) => format!("http://a.test/{path}"),
            None => link.clone(),
        };
        web = web.page(&url, &page(link, number as u64 + 20, &[]));
    }
    web
}

/// The URLs whose page was read.
fn read(bench: &Bench, name: &str) -> BTreeSet<String> {
    let pages = bench.pages(name).into_iter();
    let read = pages.filter(|(_, fate)| fate == "indexed");
    read.map(|(url, _)| url).collect()
}

#[test]
fn what_waits_is_left_out_once_the_scope_is_narrowed_and_comes_back_when_asked_for() {
    let bench = Bench::serve(web());
    let wide = format!("{QUICK}[scope]\nhosts = [\"b.test\"]\n");
    let narrow = format!(
        "{QUICK}{}",
        NARROW.replace("[scope]\n", "[scope]\nhosts = [\"b.test\"]\n")
    );
    let wide = file(bench.dir.path(), "wide.toml", &wide);
    let narrow = file(bench.dir.path(), "narrow.toml", &narrow);
    let first = [
        wide.as_str(),
        "--seed",
        "http://a.test/",
        "--max-pages",
        "1",
    ];
    for name in ["live", "rebuilt"] {
        bench.crawl_to_end(name, &first);
    }
    std::fs::remove_dir_all(bench.crawl_dir("rebuilt").join("state")).expect("a state");
    for name in ["live", "rebuilt"] {
        bench.crawl_to_end(name, &[&narrow]);
        let read = read(&bench, name);
        assert!(
            !read.iter().any(|url| url.contains("/private/")),
            "{read:?}"
        );
        assert_eq!(read.iter().filter(|url| url.contains("a.test")).count(), 5);
        assert_eq!(read.iter().filter(|url| url.contains("b.test")).count(), 3);
        bench.check(name);
    }
    assert_eq!(bench.pages("live"), bench.pages("rebuilt"));
    let private = "http://a.test/private/p0.html";
    let told = tamis(&["explain"])
        .arg(bench.crawl_dir("live"))
        .arg(private)
        .output()
        .expect("runs");
    let told = stdout(&told) + &stderr(&told);
    assert!(
        told.contains("left_out") || told.contains("left out"),
        "{told}"
    );

    run(tamis(&["retry", "--status", "left_out"]).arg(bench.crawl_dir("live")));
    bench.crawl_to_end("live", &[&wide]);
    assert_eq!(read(&bench, "live").len(), 13);
    bench.check("live");
}

#[test]
fn a_seed_of_which_less_is_wanted_later_brings_no_more_than_that() {
    let bench = Bench::serve(web());
    let quick = file(bench.dir.path(), "quick.toml", QUICK);
    let list = |name: &str, line: &str| file(bench.dir.path(), name, line);
    let all = list("all.txt", "http://a.test/\n");
    let some = list("some.txt", "http://a.test/ pages=3\n");
    let near = list("near.txt", "http://a.test/ depth=0\n");
    for name in ["live", "rebuilt", "near"] {
        let first = [&quick, "--seeds", &all, "--max-pages", "1"];
        bench.crawl_to_end(name, &first);
    }
    std::fs::remove_dir_all(bench.crawl_dir("rebuilt").join("state")).expect("a state");
    for name in ["live", "rebuilt"] {
        // The URL of the seed without a word more changes nothing.
        bench.crawl_to_end(name, &[&quick, "--seeds", &some, "--max-pages", "2"]);
        bench.crawl_to_end(
            name,
            &[&quick, "--seed", "http://a.test/", "--max-pages", "20"],
        );
        assert_eq!(read(&bench, name).len(), 3);
        bench.check(name);
    }
    assert_eq!(bench.pages("live"), bench.pages("rebuilt"));
    bench.crawl_to_end("near", &[&quick, "--seeds", &near, "--max-pages", "20"]);
    assert_eq!(read(&bench, "near").len(), 1);

    run(tamis(&["retry", "--status", "left_out"]).arg(bench.crawl_dir("live")));
    bench.crawl_to_end("live", &[&quick, "--seeds", &all, "--max-pages", "20"]);
    assert_eq!(read(&bench, "live").len(), 9);
    bench.check("live");
}
