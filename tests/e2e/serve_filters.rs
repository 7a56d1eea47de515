//! Filters of the server's lists: days, types, names, bounds; and what is no filter is told.

use std::collections::BTreeSet;

use serde_json::Value;
use testweb::{Request, Response, TestWeb};

use crate::serve_support::Serving;
use crate::support::{Bench, page};

/// Pages of the host.
const PAGES: u64 = 12;

/// Pages published on the 15th of one month after the other, from November 2025 on; every fourth says nothing.
fn web() -> TestWeb {
    TestWeb::new().host("dated.test", |request: &Request| {
        if request.path == "/robots.txt" {
            return Response::not_found();
        }
        let number = request.path.trim_matches(|c: char| !c.is_ascii_digit());
        let number: u64 = number.parse().unwrap_or(0);
        let links: Vec<String> = (0..PAGES).map(|n| format!("/p{n}.html")).collect();
        let html = page(&format!("Page {number}"), number, &links);
        let (year, month) = (2025 + (10 + number) / 12, 1 + (10 + number) % 12);
        let date = format!(
            "<meta property=\"article:published_time\" content=\"{year}-{month:02}-15T08:00:00Z\"><title>"
        );
        Response::html(match number % 4 {
            0 => html,
            _ => html.replacen("<title>", &date, 1),
        })
    })
}

fn served() -> (Bench, Serving) {
    let bench = Bench::serve(web());
    let seed = ["--seed", "http://dated.test/p0.html", "--delay", "1ms"];
    bench.crawl_to_end("dated", &seed);
    let server = Serving::start(&[&bench.crawl_dir("dated").display().to_string()]);
    server.ready();
    (bench, server)
}

/// The days on which the pages of a list were published.
fn days(list: &Value) -> BTreeSet<String> {
    let pages = list["pages"].as_array().expect("pages").iter();
    let published = pages.map(|page| page["published"].as_str().expect("a text"));
    published
        .map(|at| at.get(..10).unwrap_or(at).to_owned())
        .collect()
}

#[test]
fn days_types_and_names_are_filters_and_what_is_none_is_told() {
    let (_bench, server) = served();
    let list = |query: &str| server.get(&format!("/api/v1/crawls/dated/pages?{query}"));
    assert_eq!(list("")["total"], PAGES);
    let of = |wanted: &[&str]| wanted.iter().map(|&day| day.to_owned()).collect();
    assert_eq!(
        days(&list("since=2025-12-15&until=2026-01-15")),
        of(&["2025-12-15", "2026-01-15"])
    );
    assert_eq!(days(&list("until=2025-12-14")), of(&[]));
    let years = &list("")["facets"]["year"];
    assert_eq!(
        years,
        &serde_json::json!([{"value": "2026", "count": 8}, {"value": "2025", "count": 1}])
    );
    for (name, other) in [("kept", "indexed"), ("dropped", "junk")] {
        let [here, there] = [name, other].map(|name| list(&format!("verdict={name}")));
        assert_eq!(here, there, "{name}");
    }
    let none = list("limit=0");
    assert_eq!(
        (&none["total"], none["pages"].as_array().map(Vec::len)),
        (&PAGES.into(), Some(0))
    );
    let hosts = server.get("/api/v1/crawls/dated/hosts?limit=0");
    assert_eq!(
        (&hosts["total"], hosts["hosts"].as_array().map(Vec::len)),
        (&1.into(), Some(0))
    );
    let found = server.get("/api/v1/crawls/dated/search?q=lantern&since=2026-06-01&type=article");
    let hits = found["hits"].as_array().expect("hits");
    assert!(
        !hits.is_empty()
            && hits
                .iter()
                .all(|hit| hit["page"]["published"].as_str() >= Some("2026-06-01"))
    );

    let api = server.get("/api/openapi.json");
    for (at, path, told) in [
        (
            "pages?since=yesterday",
            "pages",
            "since is a day of the calendar",
        ),
        (
            "pages?until=2026-02-30",
            "pages",
            "until is a day of the calendar",
        ),
        (
            "pages?since=2026-02-02&until=2026-02-01",
            "pages",
            "no day lies between",
        ),
        (
            "search?q=lantern&since=2026-2-1",
            "search",
            "since is a day of the calendar",
        ),
        (
            "search?q=lantern&type=essay",
            "search",
            "type is one of article",
        ),
        ("pages/first", "pages/{page}", "first"),
        ("pages/-1", "pages/{page}", "-1"),
        ("clusters/first", "clusters/{page}", "first"),
        ("clusters/1/second", "clusters/{page}/{other}", "second"),
        ("pages?verdict=good", "pages", "verdict"),
    ] {
        let answer = server.ask(&format!("GET /api/v1/crawls/dated/{at}"), &[], "");
        assert_eq!(answer.status, 400, "{at}: {}", answer.text());
        let problem: Value = serde_json::from_slice(&answer.body).expect("JSON");
        let said = problem["error"].as_str().expect("words");
        assert!(said.contains(told), "{at}: {said}");
        let path = format!("/api/v1/crawls/{{id}}/{path}");
        let declared = &api["paths"][&path]["get"]["responses"]["400"];
        assert!(declared.is_object(), "{path} does not declare 400");
    }
}

#[test]
fn a_browser_keeps_the_days_of_a_list_and_is_told_of_wrong_ones_in_its_language() {
    let (_bench, server) = served();
    let by_browser = |path: &str, language: &str| {
        let lines = [
            "Accept: text/html".to_owned(),
            format!("Accept-Language: {language}"),
        ];
        server.ask(
            &format!("GET /c/dated/{path}"),
            &lines.each_ref().map(String::as_str),
            "",
        )
    };
    let shown = by_browser(
        "pages?since=2026-01-01&until=2026-12-31&sort=published",
        "en",
    );
    assert_eq!(shown.status, 200);
    for part in [
        "name=\"since\" value=\"2026-01-01\"",
        "name=\"until\" value=\"2026-12-31\"",
        "since=2026-01-01&amp;until=2026-12-31&amp;sort=title",
    ] {
        assert!(
            shown.text().contains(part),
            "{part} is not in {}",
            shown.text()
        );
    }
    for (path, english, chinese) in [
        (
            "pages?since=x",
            "since is a day of the calendar",
            "起始日期要写成日历上的一天",
        ),
        (
            "pages?until=x",
            "until is a day of the calendar",
            "截止日期要写成日历上的一天",
        ),
        (
            "pages?since=2026-02-02&until=2026-02-01",
            "no day lies between them",
            "截止日期是 2026-02-01，中间没有任何一天",
        ),
        (
            "search?q=a&type=essay",
            "type is one of article",
            "网页类型只能是",
        ),
    ] {
        for (language, said) in [("en", english), ("zh-CN", chinese)] {
            let answer = by_browser(path, language);
            assert_eq!(answer.status, 400, "{path}: {}", answer.text());
            assert!(
                answer.text().contains(said),
                "{said} is not in {}",
                answer.text()
            );
        }
    }
}
