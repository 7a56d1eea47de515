//! Every bound of the configuration stands in the table of docs/limits.md, and each holds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Duration;

use archive::{Event, PageRecord, Position, Replayed};
use pipeline::CrawlConfig;
use pipeline::units::{Size, Span};
use serde_json::Value;
use testweb::{Response, TestWeb};

use crate::support::{Bench, file, page};

const LIMITS_MD: &str = include_str!("../../docs/limits.md");

/// Bounds that the crawl below does not meet, with the test that does.
const ELSEWHERE: [(&str, &str, &str); 9] = [
    (
        "file_body",
        include_str!("../../crates/fetcher/tests/loopback/limits.rs"),
        "of_what_is_no_page_only_the_first_bytes_are_read",
    ),
    (
        "disk_reserve",
        include_str!("trouble.rs"),
        "a_crawl_stops_before_its_disk_is_full_and_goes_on_when_there_is_space",
    ),
    (
        "connect_time",
        include_str!("../../crates/fetcher/tests/loopback/limits.rs"),
        "a_connection_that_is_not_accepted_is_a_timeout",
    ),
    (
        "idle_time",
        include_str!("../../crates/fetcher/tests/loopback/limits.rs"),
        "a_silence_inside_the_body_keeps_what_had_come",
    ),
    (
        "body_rate",
        include_str!("../../crates/fetcher/tests/loopback/limits.rs"),
        "a_drip_meets_the_least_rate_before_the_total_time",
    ),
    (
        "bytes_in_flight",
        include_str!("../../crates/pipeline/src/dispatch/tests.rs"),
        "a_fetch_begins_while_a_byte_is_left_and_not_after",
    ),
    (
        "memory",
        include_str!("../../crates/config/src/memory_shares.rs"),
        "shares_grow_with_the_bound_and_fit_in_it_beside_what_is_fixed",
    ),
    (
        "pending_in_memory",
        include_str!("../../crates/frontier/src/frontier/tests.rs"),
        "as_many_urls_stay_in_memory_as_the_bound_says_and_the_rest_waits_on_disk",
    ),
    (
        "hosts",
        include_str!("bounds.rs"),
        "hosts_beyond_the_bound_are_left_out_by_name",
    ),
];

/// Names in the tables, with the cell of the default.
fn documented() -> BTreeMap<&'static str, &'static str> {
    let rows = LIMITS_MD.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let name = cells.next()?.trim().trim_end_matches('`');
        Some((name, cells.next()?.trim()))
    });
    rows.filter(|(name, _)| !name.contains(['=', '"']))
        .collect()
}

/// Whether a cell such as `10 s, name and TCP` begins with a default such as `"10s"`.
fn agrees(cell: &str, default: &Value) -> bool {
    let cell = cell.replace(',', "");
    let mut words = cell.split_whitespace();
    let number = words.next().unwrap_or_default();
    let unit = words.next().unwrap_or_default();
    let unit = unit.split(['/', ';']).next().unwrap_or_default();
    match default {
        Value::Number(default) => {
            let said = number.parse::<f64>().ok().zip(default.as_f64());
            said.is_some_and(|(said, default)| (said - default).abs() < 1e-6)
        }
        Value::String(default) => {
            let said = if number == "0" {
                "0".to_string()
            } else {
                format!("{number} {unit}")
            };
            let span = || Some(Span::parse(&said).ok()?.0 == Span::parse(default).ok()?.0);
            let size = || Some(Size::parse(&said).ok()?.0 == Size::parse(default).ok()?.0);
            span().or_else(size).unwrap_or(false)
        }
        _ => false,
    }
}

#[test]
fn the_table_of_bounds_has_every_bound_of_the_configuration_with_its_default() {
    let config = CrawlConfig {
        topic: Some(Default::default()),
        ..CrawlConfig::default()
    };
    let defaults = serde_json::to_value(&config).expect("a configuration is JSON");
    let documented = documented();
    for (name, cell) in &documented {
        let (section, key) = name.split_once('.').expect(name);
        let default = &defaults[section][key];
        assert!(
            !default.is_null(),
            "{name} is in docs/limits.md and not in the configuration"
        );
        let is_none = cell.starts_with("none") && default == "";
        assert!(
            is_none || agrees(cell, default),
            "{name}: docs/limits.md says {cell:?}, the default is {default}"
        );
    }
    for section in ["limits", "politeness", "crawl"] {
        let keys = defaults[section].as_object().expect("a section");
        let bounds = keys
            .keys()
            .filter(|key| !["obey_robots", "threads", "random_seed"].contains(&key.as_str()));
        for key in bounds {
            let name = format!("{section}.{key}");
            assert!(
                documented.contains_key(name.as_str()),
                "{name} is not in docs/limits.md"
            );
        }
    }
}

/// Bounds that one small page can meet.
const TIGHT: &str = r#"
[scope]
mode = "domain"
[crawl]
max_depth = 3
[politeness]
attempts = 1
[limits]
body = "200 KB"
decoded_body = "2 MB"
decoded_ratio = 50
robots = "2 KB"
sitemap = "4 KB"
headers = "4 KB"
header_count = 40
first_byte_time = "1s"
total_time = "3s"
url_length = 300
redirects = 2
links_per_page = 5
dom_depth = 32
dom_nodes = 2000
attributes = 10
sitemap_urls = 20
sitemaps_per_host = 1
urls_per_host = 8
hosts_per_domain = 2
"#;

fn gzipped(text: &str) -> Response {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("memory");
    let body = gzip.finish().expect("memory");
    Response::new(200, "text/html", body).with_header("content-encoding", "gzip")
}

/// Lines that compress some twenty times.
fn lines(count: u64) -> String {
    let line = |n: u64| {
        format!(
            "<p>{:016x}{}\n",
            n.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            "a".repeat(480)
        )
    };
    (0..count).map(line).collect()
}

/// A sitemap of one page many times, then of the last ones.
fn sitemap(host: &str, repeated: usize, last: &[&str]) -> Response {
    let entry = |path: &str| format!("<url><loc>http://{host}/{path}</loc></url>\n");
    let urls: String = std::iter::repeat_n("same", repeated)
        .chain(last.iter().copied())
        .map(entry)
        .collect();
    Response::xml(format!(
        "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"
    ))
}

/// A list of URLs whose last one ends at the given byte.
fn list_of_bytes(host: &str, bytes: usize) -> Response {
    let last = format!("http://{host}/last");
    let filling = bytes - last.len() - 1;
    Response::text(format!("{}\n{last}", "#".repeat(filling)))
}

/// A robots.txt whose rule, with its line feed, ends at the given byte.
fn robots_of_bytes(bytes: usize) -> String {
    let (head, rule) = ("User-agent: *\n", "Disallow: /late\n");
    let filling = bytes - head.len() - rule.len() - 2;
    format!("{head}#{}\n{rule}", "x".repeat(filling))
}

/// A path that makes the URL of a host so long.
fn path_of_bytes(host: &str, bytes: usize) -> String {
    let origin = format!("http://{host}/");
    "x".repeat(bytes - origin.len())
}

/// A web where each host goes beyond one bound, its name.
#[expect(
    clippy::too_many_lines,
    reason = "a table of hosts, one beyond each bound"
)]
fn web() -> TestWeb {
    let links = |urls: Vec<String>| page("Links", 3, &urls);
    let mut many_headers = Response::html(page("Headers", 1, &[]));
    for number in 0..60 {
        many_headers = many_headers.with_header(&format!("x-{number}"), "y");
    }
    let mut web = TestWeb::new()
        .page("http://body.test/", &lines(600))
        .respond("http://decoded-body.test/", gzipped(&lines(5_000)))
        .respond(
            "http://decoded-ratio.test/",
            gzipped(&"a".repeat(3_000_000)),
        )
        .respond(
            "http://headers.test/",
            Response::html("x").with_header("x-long", &"y".repeat(6_000)),
        )
        .respond("http://header-count.test/", many_headers)
        .page("http://first-byte-time.test/", "late")
        .latency("first-byte-time.test", Duration::from_secs(20))
        .page("http://total-time.test/", &page("Slow", 2, &[]))
        .page(
            "http://url-length.test/",
            &links(
                [300, 301]
                    .map(|bytes| path_of_bytes("url-length.test", bytes))
                    .to_vec(),
            ),
        )
        .host("redirects.test", |request| {
            Response::redirect(302, &format!("{}x", request.path))
        })
        .page(
            "http://links-per-page.test/",
            &links((0..9).map(|n| format!("/{n}")).collect()),
        )
        .page("http://dom-depth.test/", &"<div>".repeat(500))
        .page("http://dom-nodes.test/", &"<p>x".repeat(3_000))
        .page(
            "http://attributes.test/",
            &format!(
                "<p {}>x",
                (0..50).map(|n| format!("a{n}=b ")).collect::<String>()
            ),
        )
        .page("http://robots.test/late", &page("Late", 5, &[]))
        .robots("robots.test", &robots_of_bytes(2_000))
        .page("http://robots-cut.test/late", &page("Late", 8, &[]))
        .robots("robots-cut.test", &robots_of_bytes(2_001))
        .page("http://sitemap.test/", &page("Front", 6, &[]))
        .robots(
            "sitemap.test",
            "Sitemap: http://sitemap.test/1.txt\nSitemap: http://sitemap.test/2.txt\n",
        )
        .respond(
            "http://sitemap.test/1.txt",
            list_of_bytes("sitemap.test", 4_000),
        )
        .page("http://sitemap-cut.test/", &page("Front", 9, &[]))
        .robots(
            "sitemap-cut.test",
            "Sitemap: http://sitemap-cut.test/1.txt\n",
        )
        .respond(
            "http://sitemap-cut.test/1.txt",
            list_of_bytes("sitemap-cut.test", 4_001),
        )
        .page("http://sitemap-urls.test/", &page("Front", 7, &[]))
        .robots(
            "sitemap-urls.test",
            "Sitemap: http://sitemap-urls.test/1.xml\n",
        )
        .respond(
            "http://sitemap-urls.test/1.xml",
            sitemap("sitemap-urls.test", 19, &["twentieth", "beyond"]),
        )
        .page(
            "http://urls-per-host.test/",
            &links((0..5).map(|n| format!("/{n}")).collect()),
        )
        .page(
            "http://urls-per-host.test/0",
            &page(
                "More",
                10,
                &(5..10).map(|n| format!("/{n}")).collect::<Vec<_>>(),
            ),
        )
        .page("http://max-depth.test/", &links(vec!["/1".into()]))
        .page(
            "http://pool.test/",
            &links((0..4).map(|n| format!("http://h{n}.pool.test/")).collect()),
        )
        .page("http://h0.pool.test/", &page("Of the pool", 19, &[]));
    for depth in 1..6 {
        web = web.page(
            &format!("http://max-depth.test/{depth}"),
            &page("Deep", 20 + depth, &[format!("/{}", depth + 1)]),
        );
    }
    let drip = testweb::faults::Drip {
        rate: 1.0,
        bytes_per_s: 200,
    };
    let slow = testweb::Faults {
        drip: Some(drip),
        ..testweb::Faults::default()
    };
    web.faults("total-time.test", slow)
}

/// Records of pages by URL.
fn records(bench: &Bench, name: &str) -> BTreeMap<String, PageRecord> {
    let archive = bench.crawl_dir(name).join("archive");
    let replay = archive::replay(&archive, Position::START).expect("an archive");
    let pages = replay.filter_map(|replayed| match replayed.expect("readable") {
        Replayed::Record { record, .. } => match record.event {
            Event::Page(page) => Some((page.url.clone(), *page)),
            _ => None,
        },
        Replayed::Damage(damage) => panic!("{damage}"),
    });
    pages.collect()
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one crawl, and one look at each bound"
)]
fn a_web_that_goes_beyond_every_bound_costs_the_bounds() {
    let web = web();
    let hosts: BTreeSet<String> = web.hosts().into_iter().collect();
    let bench = Bench::serve(web);
    let config = file(bench.dir.path(), "tight.toml", TIGHT);
    let mut options = vec![config.as_str(), "--delay", "0"];
    let seeds: Vec<String> = hosts
        .iter()
        .map(|host| match host.as_str() {
            "robots.test" | "robots-cut.test" => format!("http://{host}/late"),
            host => format!("http://{host}/"),
        })
        .collect();
    for seed in &seeds {
        options.extend(["--seed", seed]);
    }
    bench.crawl_to_end("tight", &options);
    bench.check("tight");
    let records = records(&bench, "tight");
    let mut met: BTreeSet<&str> = ["attempts", "sitemaps_per_host"].into();

    // What was read of a page, by the names of the limits that it hit.
    for (host, bound, limit) in [
        ("body.test", "body", "body: bytes"),
        ("decoded-body.test", "decoded_body", "decoded size"),
        ("decoded-ratio.test", "decoded_ratio", "compression ratio"),
        ("total-time.test", "total_time", "body: time"),
        ("links-per-page.test", "links_per_page", "links_per_page"),
        ("dom-depth.test", "dom_depth", "dom_depth"),
        ("dom-nodes.test", "dom_nodes", "dom_nodes"),
        ("attributes.test", "attributes", "dom_attributes"),
    ] {
        let record = &records[&format!("http://{host}/")];
        let hit = record
            .page
            .as_ref()
            .map(|page| page.limits_hit.join(", "))
            .unwrap_or_default();
        assert!(
            hit.contains(limit),
            "{host}: {hit:?}, {:?}",
            record.outcome.reason()
        );
        met.insert(bound);
    }
    // Fetches that failed, by the reason.
    for (url, bound, reason) in [
        ("http://headers.test/", "headers", "too_large"),
        ("http://header-count.test/", "header_count", "too_large"),
        ("http://first-byte-time.test/", "first_byte_time", "timeout"),
        (
            "http://redirects.test/xx",
            "redirects",
            "too_many_redirects",
        ),
    ] {
        assert_eq!(
            records[url].outcome.reason().as_deref(),
            Some(reason),
            "{url}"
        );
        met.insert(bound);
    }
    let of_host = |host: &str| {
        records
            .keys()
            .filter(|url| url.starts_with(&format!("http://{host}/")))
            .count()
    };
    let asked: BTreeSet<String> = bench.web.log().into_iter().map(|entry| entry.url).collect();
    let url = |host: &str, path: &str| format!("http://{host}/{path}");
    let is_asked = |host: &str, path: &str| asked.contains(&url(host, path));
    let [fits, too_long] = [300, 301].map(|bytes| path_of_bytes("url-length.test", bytes));
    assert!(is_asked("url-length.test", &fits) && !is_asked("url-length.test", &too_long));
    let record = &records[&url("url-length.test", &too_long)];
    assert_eq!(record.outcome.reason().as_deref(), Some("bad_url"));
    met.insert("url_length");
    assert_eq!(
        records["http://robots.test/late"]
            .outcome
            .reason()
            .as_deref(),
        Some("robots"),
        "the rule within the bound is read"
    );
    assert!(
        records["http://robots-cut.test/late"]
            .outcome
            .verdict()
            .is_some(),
        "the rule that the bound cuts is not read"
    );
    met.insert("robots");
    assert!(is_asked("sitemap.test", "last"), "{asked:?}");
    assert!(is_asked("sitemap-cut.test", "1.txt"));
    assert!(!asked.iter().any(|url| url.contains("sitemap-cut.test/la")));
    met.insert("sitemap");
    assert!(is_asked("sitemap-urls.test", "twentieth"));
    assert!(!is_asked("sitemap-urls.test", "beyond"));
    met.insert("sitemap_urls");
    assert!(
        !is_asked("sitemap.test", "2.txt"),
        "one sitemap for each host"
    );
    assert_eq!(of_host("urls-per-host.test"), 8);
    met.insert("urls_per_host");
    assert_eq!(records["http://links-per-page.test/"].links.len(), 5);
    assert_eq!(of_host("max-depth.test"), 4);
    assert_eq!(
        records
            .keys()
            .filter(|url| url.contains("pool.test"))
            .count(),
        2
    );
    met.insert("hosts_per_domain");
    let fates: BTreeSet<&str> = records
        .values()
        .flat_map(|record| &record.links)
        .map(|link| link.fate.name())
        .collect();
    for fate in ["depth", "trap_host_pool", "budget_host"] {
        assert!(
            fates.contains(fate),
            "no link was left out as {fate}: {fates:?}"
        );
    }

    // No bound of the section is without a test.
    let defaults = serde_json::to_value(CrawlConfig::default()).expect("JSON");
    for bound in defaults["limits"].as_object().expect("a section").keys() {
        let elsewhere = ELSEWHERE.iter().find(|(name, _, _)| name == bound);
        // With `fn`, since this file holds the bare names itself.
        let tested =
            elsewhere.is_some_and(|(_, text, test)| text.contains(&format!("fn {test}() {{")));
        assert!(
            tested || met.contains(bound.as_str()),
            "nothing meets limits.{bound}"
        );
    }
}

#[test]
fn hosts_beyond_the_bound_are_left_out_by_name() {
    let links: Vec<String> = (0..6).map(|n| format!("http://h{n}.test/")).collect();
    let bench = Bench::serve(TestWeb::new().page("http://first.test/", &page("Links", 1, &links)));
    let config = file(
        bench.dir.path(),
        "hosts.toml",
        "[limits]\nhosts = 3\n[scope]\nmode = \"any\"\n",
    );
    bench.crawl_to_end(
        "hosts",
        &[&config, "--seed", "http://first.test/", "--delay", "0"],
    );
    let records = records(&bench, "hosts");
    let fates: Vec<&str> = records["http://first.test/"]
        .links
        .iter()
        .map(|link| link.fate.name())
        .collect();
    assert_eq!(
        fates.iter().filter(|fate| **fate == "budget_hosts").count(),
        4,
        "{fates:?}"
    );
}

#[test]
fn with_one_body_in_flight_a_crawl_still_ends() {
    let mut web = TestWeb::new();
    let mut seeds = String::new();
    for number in 0..12 {
        let url = format!("http://b{number}.test/");
        web = web.page(&url, &page("Body", 50 + number, &[]));
        seeds.push_str(&format!("{url}\n"));
    }
    let bench = Bench::serve(web);
    let config = file(
        bench.dir.path(),
        "bytes.toml",
        "[limits]\nbytes_in_flight = \"1 B\"\n",
    );
    let seeds = file(bench.dir.path(), "seeds.txt", &seeds);
    bench.crawl_to_end("bytes", &[&config, "--seeds", &seeds, "--delay", "0"]);
    assert_eq!(bench.pages("bytes").len(), 12);
}
