//! One crawl has one set of numbers: text, JSON, HTML, API, metrics and exports say the same.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use testweb::{Request, Response, TestWeb};

use crate::serve_support::Serving;
use crate::support::{Bench, page, run, stdout, tamis};

/// Pages of a host.
const PAGES: u64 = 24;

/// What a page asks for, by its number: nothing most often.
fn head(number: u64) -> &'static str {
    match number % 8 {
        1 => "<meta name=robots content='noindex'>",
        2 => "<meta name=robots content='nofollow, noai'>",
        3 => "<link rel=license href='https://creativecommons.org/licenses/by/4.0/'>",
        _ => "",
    }
}

/// Two hosts with copies, thin pages, links that lead nowhere, and preferences of use in robots.txt, in
/// headers and on pages. `last` is the page after which nothing follows.
fn web(last: u64) -> TestWeb {
    let host = move |own: u64| {
        move |request: &Request| {
            match request.path.as_str() {
                "/robots.txt" if own == 1_000 => {
                    let text = "User-agent: *\nContent-Signal: search=yes, ai-train=no\nContent-Usage: train-ai=n\nDisallow: /secret\n";
                    return Response::text(text);
                }
                "/robots.txt" | "/gone.html" => return Response::not_found(),
                "/down.html" => return Response::error(501),
                "/paper.pdf" => return Response::new(200, "application/pdf", "%PDF-1.4"),
                "/thin.html" => {
                    return Response::html("<title>Thin</title><p>three words here</p>");
                }
                _ => {}
            }
            let number = request.path.trim_matches(|c: char| !c.is_ascii_digit());
            let number: u64 = number.parse().unwrap_or(0);
            let seed = match number.is_multiple_of(3) {
                true => number,
                false => number + own,
            };
            let mut links: Vec<String> = (1..=2)
                .map(|step| (number + step).min(last))
                .map(|next| format!("/p{next}.html"))
                .collect();
            let more = [
                "/gone.html",
                "/down.html",
                "/paper.pdf",
                "/thin.html",
                "/secret/x.html",
                "http://elsewhere.test/",
            ];
            links.extend(more.map(str::to_owned));
            let html = page(&format!("Page {seed}"), seed, &links);
            let answer =
                Response::html(html.replacen("<title>", &format!("{}<title>", head(number)), 1));
            match number % 8 {
                4 => answer.with_header("content-usage", "train-ai=n"),
                5 => answer.with_header("content-signal", "ai-input=no"),
                _ => answer,
            }
        }
    };
    TestWeb::new()
        .host("one.test", host(1_000))
        .host("two.test", host(2_000))
}

const SEEDS: [&str; 4] = ["--seed", "http://one.test/", "--seed", "http://two.test/"];

/// What stands between two marks.
#[track_caller]
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("{from:?} is not in {text}"));
    rest.split(to).next().unwrap_or_default()
}

/// The rows of a table in the text form, by name, below a heading: `name  12  3.4 %`.
fn text_rows(text: &str, heading: &str) -> BTreeMap<String, u64> {
    let below = between(text, &format!("\n{heading}\n"), "\n\n");
    let cells = below
        .lines()
        .filter_map(|line| line.trim().split_once("  "));
    let rows = cells.filter_map(|(name, rest)| {
        let number = rest.split_whitespace().next()?.replace(',', "");
        Some((name.to_owned(), number.parse().ok()?))
    });
    rows.collect()
}

/// The rows of the tables of a section of the HTML form, by name.
fn html_rows(html: &str, section: &str) -> BTreeMap<String, u64> {
    let within = between(html, &format!("<section id=\"{section}\""), "</section>");
    let cells = within
        .split("<th scope=\"row\">")
        .skip(1)
        .filter_map(|row| {
            let (name, rest) = row.split_once("</th>")?;
            let number = rest.split_once('>')?.1.split("</td>").next()?;
            // A number may be a link to its rows.
            let number = number.trim_end_matches("</a>").rsplit('>').next()?;
            Some((name.to_owned(), number.replace(',', "").parse().ok()?))
        });
    cells.collect()
}

/// A group of counts of the JSON form, with names as people read them.
fn named(counts: &Value) -> BTreeMap<String, u64> {
    let counts = counts.as_object().expect("counts").iter();
    let counts = counts.map(|(name, n)| (name.replace('_', " "), n.as_u64().expect("a count")));
    counts.collect()
}

/// The values of a metric of a crawl by its other label.
fn metric(metrics: &str, name: &str, labels: &str) -> BTreeMap<String, u64> {
    let begin = format!("{name}{{{labels}");
    let lines = metrics.lines().filter_map(|line| line.strip_prefix(&begin));
    let values = lines.filter_map(|line| {
        let (label, value) = line.split_once("} ")?;
        let label = label.split('"').nth(1).unwrap_or_default();
        Some((label.to_owned(), value.parse::<f64>().ok()? as u64))
    });
    values.collect()
}

/// What a report says in text and in HTML is what it says in JSON.
#[track_caller]
fn forms_agree(json: &Value, text: &str, html: &str) {
    let totals = named(&json["totals"]);
    assert_eq!(text_rows(text, "URLs"), totals);
    let sieve = html_rows(html, "sieve");
    assert_eq!(
        (sieve["admitted"], sieve["kept"]),
        (totals["admitted"], totals["indexed"])
    );
    let of_html = |prefix: &str| -> BTreeMap<String, u64> {
        let rows = sieve.iter();
        rows.filter_map(|(name, n)| Some((name.strip_prefix(prefix)?.to_owned(), *n)))
            .collect()
    };
    for (fate, heading) in [
        ("junk", "Junk"),
        ("refused", "Refused"),
        ("failed", "Failed"),
    ] {
        let reasons = named(&json["reasons"][fate]);
        assert_eq!(reasons.values().sum::<u64>(), totals[fate], "{fate}");
        assert!(!reasons.is_empty(), "{fate}");
        assert_eq!(
            text_rows(text, &format!("{heading}, by reason")),
            reasons,
            "{fate}"
        );
        match fate {
            "junk" => assert!(
                reasons.iter().all(|(name, n)| sieve.get(name) == Some(n)),
                "{sieve:?}"
            ),
            _ => assert_eq!(of_html(&format!("{fate}: ")), reasons, "{fate}"),
        }
    }
    let statuses = named(&json["statuses"]);
    assert!(!statuses.is_empty());
    let (in_text, in_html) = (text_rows(text, "Network"), html_rows(html, "responses"));
    for (status, n) in &statuses {
        assert_eq!(
            (in_text.get(status), in_html.get(status)),
            (Some(n), Some(n)),
            "{status}"
        );
    }
    sentences_agree(json, text, html);
}

/// What a report says in sentences: broken links, and what pages allow.
#[track_caller]
fn sentences_agree(json: &Value, text: &str, html: &str) {
    let count = |of: &str, figure: &str| json[of][figure].as_u64().expect("a count");
    let line = format!(
        "{} links on {} pages to {} URLs that failed or answered with an error.",
        count("broken", "links"),
        count("broken", "pages"),
        count("broken", "urls")
    );
    let rights = [
        format!(
            "{} pages asked not to be indexed, and were not",
            count("rights", "noindex")
        ),
        format!(
            "{} pages asked not to follow their links",
            count("rights", "nofollow")
        ),
        format!(
            "{} pages say what their texts may be used for",
            count("rights", "with_usage")
        ),
        format!(
            "{} pages link to a licence",
            count("rights", "with_licence")
        ),
        format!(
            "{} host says in robots.txt what its texts may be used for",
            count("rights", "hosts_with_usage")
        ),
    ];
    for line in rights.iter().chain([&line]) {
        assert!(!line.starts_with("0 "), "{line}");
        assert!(
            text.contains(&format!("\n  {line}\n")),
            "{line:?} is not in {text}"
        );
        assert!(html.contains(&format!(">{line}<")), "{line}");
    }
    for (heading, counts) in [
        ("usage", "usage"),
        ("host_usage", "host_usage"),
        ("licences", "licences"),
    ] {
        for (said, n) in json["rights"][counts].as_object().expect(heading) {
            let in_text = between(text, "\nWhat the pages allow\n", "\n\n");
            let row = in_text.lines().any(|line| {
                let cells = line
                    .trim()
                    .strip_prefix(said.as_str())
                    .map(str::split_whitespace);
                cells.is_some_and(|mut cells| cells.next() == Some(&n.to_string()))
            });
            assert!(row, "{said}: {n} is not in {in_text}");
        }
    }
}

/// What the server says is what the report says.
#[track_caller]
fn server_agrees(json: &Value, name: &str, server: &Serving) {
    let at = |rest: &str| format!("/api/v1/crawls/{name}{rest}");
    assert_eq!(server.get(&at("/report")), *json);
    let status = server.get(&at("/status"));
    let metrics = server.text("/metrics");
    let crawl = format!("crawl=\"{name}\"");
    let single = |metric_name: &str| metric(&metrics, metric_name, &crawl).get("").copied();
    let totals = &json["totals"];
    for (total, in_status) in [
        ("admitted", "admitted"),
        ("pending", "pending"),
        ("finished", "finished"),
        ("indexed", "kept"),
        ("junk", "dropped"),
        ("failed", "failed"),
        ("refused", "refused"),
        ("redirected", "redirected"),
        ("not_modified", "not_modified"),
    ] {
        assert_eq!(status[in_status], totals[total], "{total}");
    }
    let fates = metric(&metrics, "tamis_urls_finished", &crawl);
    for (fate, n) in &fates {
        assert_eq!(totals[fate], *n, "{fate}");
    }
    assert_eq!(fates.len(), 6);
    for (figure, value) in [
        ("tamis_urls_admitted_total", &totals["admitted"]),
        ("tamis_urls_pending", &totals["pending"]),
        ("tamis_fetches_total", &json["fetches"]["pages"]),
        (
            "tamis_fetches_repeated_total",
            &json["fetches"]["attempts_repeated"],
        ),
        ("tamis_received_bytes_total", &json["fetches"]["bytes"]),
        ("tamis_duplicates", &json["duplicates"]["count"]),
        ("tamis_broken_links", &json["broken"]["links"]),
        ("tamis_broken_links_record", &status["record"]),
        ("tamis_journal_record", &status["record"]),
        (
            "tamis_hosts_with_preference",
            &json["rights"]["hosts_with_usage"],
        ),
    ] {
        assert_eq!(single(figure), value.as_u64(), "{figure}");
    }
    for figure in ["links", "pages", "urls"] {
        assert_eq!(status["broken"][figure], json["broken"][figure], "{figure}");
    }
    assert_eq!(status["dropped_by_reason"], json["reasons"]["junk"]);
    families_agree(json, &metrics, &crawl);
}

/// What the metrics say by reason, by status and by preference.
#[track_caller]
fn families_agree(json: &Value, metrics: &str, crawl: &str) {
    for fate in ["junk", "refused", "failed"] {
        let labels = format!("{crawl},fate=\"{fate}\"");
        let reasons = metric(metrics, "tamis_urls_by_reason", &labels);
        let reasons: Value = reasons
            .into_iter()
            .map(|(name, n)| (name, Value::from(n)))
            .collect();
        assert_eq!(reasons, json["reasons"][fate], "{fate}");
    }
    let codes = metric(metrics, "tamis_responses_total", crawl);
    let codes: Value = codes
        .into_iter()
        .map(|(name, n)| (name, Value::from(n)))
        .collect();
    assert_eq!(codes, json["statuses"]);
    let says = metric(metrics, "tamis_pages_by_preference", crawl);
    for (says, n) in says {
        let figure = match says.as_str() {
            "usage" | "licence" => format!("with_{says}"),
            _ => says,
        };
        assert_eq!(json["rights"][&figure], n, "{figure}");
    }
}

/// The rows of the exports are as many as the figures say.
#[track_caller]
fn exports_agree(json: &Value, bench: &Bench, name: &str) {
    let totals = &json["totals"];
    let pages = bench.rows(name, "pages");
    assert_eq!(totals["finished"], pages.len());
    let count = |key: &str, value: &str| pages.iter().filter(|row| row[key] == value).count();
    assert_eq!(totals["indexed"], count("verdict", "indexed"));
    assert_eq!(totals["junk"], count("verdict", "junk"));
    assert_eq!(totals["failed"], count("outcome", "failed"));
    assert_eq!(totals["refused"], count("outcome", "refused"));
    let reasons = ["junk", "refused", "failed"]
        .map(|fate| json["reasons"][fate].as_object().expect("counts"));
    for (reason, n) in reasons.into_iter().flatten() {
        assert_eq!(*n, count("reason", reason), "{reason}");
    }
    assert_eq!(totals["indexed"], bench.rows(name, "indexed").len());
    assert_eq!(totals["junk"], bench.rows(name, "junk").len());
    assert_eq!(
        json["hosts"].as_array().map(Vec::len),
        Some(bench.rows(name, "hosts").len())
    );
    let fetches = bench.rows(name, "fetches");
    assert_eq!(json["fetches"]["pages"], fetches.len());
    let received: u64 = fetches.iter().filter_map(|row| row["bytes"].as_u64()).sum();
    assert!(
        json["fetches"]["bytes"].as_u64() >= Some(received),
        "robots.txt comes on top"
    );
    for (status, n) in json["statuses"].as_object().expect("counts") {
        let rows = fetches
            .iter()
            .filter(|row| row["status"].as_u64() == status.parse().ok());
        assert_eq!(*n, rows.count(), "{status}");
    }
    let broken = bench.rows(name, "broken");
    let distinct = |key: &str| {
        let values: BTreeSet<String> = broken.iter().map(|row| row[key].to_string()).collect();
        values.len()
    };
    assert_eq!(json["broken"]["links"], broken.len());
    assert_eq!(json["broken"]["pages"], distinct("page"));
    assert_eq!(json["broken"]["urls"], distinct("link"));
    let says = |key: &str, value: &str| {
        let holds = |row: &&Value| {
            row[key]
                .as_array()
                .is_some_and(|all| all.iter().any(|said| said == value))
        };
        pages.iter().filter(holds).count()
    };
    for asked in ["noindex", "nofollow"] {
        assert_eq!(json["rights"][asked], says("robots", asked), "{asked}");
    }
    for (said, n) in json["rights"]["usage"].as_object().expect("counts") {
        assert_eq!(*n, says("usage", said), "{said}");
    }
    let licensed = pages
        .iter()
        .filter(|row| row["licence"].is_string())
        .count();
    assert_eq!(json["rights"]["with_licence"], licensed);
}

/// All of it, of a crawl of which nothing more is written.
#[track_caller]
fn agrees(bench: &Bench, name: &str, server: &Serving) {
    let told = |form: &str| {
        let mut command = tamis(&["report", "--format", form]);
        stdout(&run(command.arg(bench.crawl_dir(name))))
    };
    let json: Value = serde_json::from_str(&told("json")).expect("JSON");
    let html = told("html");
    forms_agree(&json, &told("text"), &html);
    // Broken links are counted a moment after the rest.
    let status = format!("/api/v1/crawls/{name}/status");
    let is_counted = |status: &Value| status["broken"]["record"] == status["record"];
    server.until(&status, |status| {
        is_counted(status) && status["finished"] == json["totals"]["finished"]
    });
    server_agrees(&json, name, server);
    let shown = server.text(&format!("/c/{name}/report"));
    for (shown, told) in shown.trim_end().lines().zip(html.trim_end().lines()) {
        assert_eq!(shown, told);
    }
    assert_eq!(shown.trim_end().len(), html.trim_end().len());
    exports_agree(&json, bench, name);
}

#[test]
fn a_finished_crawl_has_one_set_of_numbers() {
    let bench = Bench::serve(web(PAGES));
    let options = [&SEEDS[..], &["--delay", "1ms"]].concat();
    bench.crawl_to_end("done", &options);
    let server = Serving::start(&[&bench.crawl_dir("done").display().to_string()]);
    server.ready();
    agrees(&bench, "done", &server);
}

#[test]
fn a_running_crawl_has_one_set_of_numbers() {
    let bench = Bench::serve(web(u64::MAX));
    // The chain of pages ends a hundred links from its seeds, after some 400 pages: at this pace that takes
    // ten seconds, so the crawl still runs when it has been looked at and goes on.
    let options = [&SEEDS[..], &["--delay", "50ms", "--serve", "127.0.0.1:0"]].concat();
    let server = Serving::of(&mut bench.crawl_showing("plain", "live", &options));
    server.ready();
    let status = "/api/v1/crawls/live/status";
    server.until(status, |status| status["finished"].as_u64() > Some(60));
    assert_eq!(server.post("/api/v1/crawls/live/pause", "{}").status, 200);
    // What was under way is recorded; looks that are close together may be answered by the same one.
    let (mut record, mut looks) = (Value::Null, 0);
    server.until(status, |now| {
        let is_still = now["record"] == record && now["in_flight"] == 0 && now["state"] == "paused";
        looks = if is_still { looks + 1 } else { 0 };
        record = now["record"].clone();
        looks > 20
    });
    agrees(&bench, "live", &server);
    assert_eq!(
        server.get(status)["state"],
        "paused",
        "it ran all the while"
    );
    // It goes on, and the numbers with it.
    assert_eq!(server.post("/api/v1/crawls/live/resume", "{}").status, 200);
    server.until(status, |now| {
        now["broken"]["record"].as_u64() > record.as_u64()
    });
    assert_eq!(server.post("/api/v1/crawls/live/stop", "{}").status, 200);
    let mut server = server;
    assert_eq!(server.child.wait().expect("it ends").code(), Some(130));
}
