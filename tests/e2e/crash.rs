//! Killed at any moment, a crawl loses nothing and does nothing twice.

use testweb::TestWeb;

use crate::support::{Bench, page, run, tamis};

/// A web of three hosts whose pages link on to each other, with copies among them.
fn web() -> TestWeb {
    let mut web = TestWeb::new();
    for host in ["a.test", "b.test", "c.test"] {
        for number in 0..40_u64 {
            let next = [2 * number + 1, 2 * number + 2];
            let mut links: Vec<String> = next
                .iter()
                .filter(|&&next| next < 40)
                .map(|next| format!("/p{next}.html"))
                .collect();
            links.extend(["b", "c"].map(|other| format!("http://{other}.test/p{number}.html")));
            // Every third page has the text of the same page of the other hosts.
            let seed = if number % 3 == 0 {
                number
            } else {
                number * 1_000 + u64::from(host.as_bytes()[0])
            };
            web = web.page(
                &format!("http://{host}/p{number}.html"),
                &page(&format!("Page {number} of {host}"), seed, &links),
            );
        }
    }
    web
}

const SEEDS: [&str; 8] = [
    "--seed",
    "http://a.test/p0.html",
    "--seed",
    "http://b.test/p0.html",
    "--seed",
    "http://c.test/p0.html",
    "--delay",
    "5ms",
];

#[test]
fn killed_again_and_again_a_crawl_ends_with_the_same_pages() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("whole", &SEEDS);
    // Moments spread over start, middle and end of a run.
    let moment = |turn: u64| 60 + 70 * (turn * 7 % 12);
    bench.kill_often("killed", 12, moment, || SEEDS.map(str::to_owned).into());
    bench.crawl_to_end("killed", &SEEDS);
    let urls = |name| {
        bench
            .pages(name)
            .into_iter()
            .map(|(url, _)| url)
            .collect::<Vec<_>>()
    };
    assert_eq!(urls("killed"), urls("whole"));
    assert_eq!(bench.pages("whole").len(), 120);
    bench.check("whole");
    bench.check("killed");
}

#[test]
fn a_stopped_crawl_carries_on_where_it_was() {
    let bench = Bench::serve(web());
    let mut options = SEEDS.to_vec();
    options.extend(["--max-pages", "50"]);
    bench.crawl_to_end("stopped", &options);
    assert_eq!(bench.pages("stopped").len(), 50);
    bench.check("stopped");
    let mut options = SEEDS.to_vec();
    options.extend(["--max-pages", "0"]);
    bench.crawl_to_end("stopped", &options);
    assert_eq!(bench.pages("stopped").len(), 120);
    let fetched: Vec<String> = bench
        .web
        .log()
        .iter()
        .map(|entry| format!("{}{}", entry.host, entry.target))
        .collect();
    let pages = fetched
        .iter()
        .filter(|url| !url.ends_with("robots.txt"))
        .count();
    assert_eq!(pages, 120, "no page is fetched twice");
}

#[test]
fn a_seed_that_was_crawled_before_counts_once() {
    let bench = Bench::serve(web());
    bench.crawl_to_end("again", &SEEDS);
    let mut options = SEEDS.to_vec();
    options.extend(["--seed", "http://a.test/p7.html"]);
    for _ in 0..2 {
        bench.crawl_to_end("again", &options);
        let status = run(tamis(&["status", "--json"]).arg(bench.crawl_dir("again")));
        let status: serde_json::Value =
            serde_json::from_slice(&status.stdout).expect("status is JSON");
        assert_eq!(status["admitted"], 120, "{status}");
        assert_eq!(status["finished"], 120, "{status}");
        let report = run(tamis(&["report", "--json"]).arg(bench.crawl_dir("again")));
        let report: serde_json::Value =
            serde_json::from_slice(&report.stdout).expect("the report is JSON");
        assert_eq!(report["totals"]["admitted"], 120);
        bench.check("again");
    }
}
