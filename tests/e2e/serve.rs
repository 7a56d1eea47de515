//! A crawl in the browser: figures agree everywhere, what is declared is answered, what is told is done.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;
use testweb::{Request, Response, TestWeb};

use crate::serve_support::{Serving, crawled};
use crate::support::{Bench, has, page, run, stdout, tamis};

fn report(bench: &Bench, name: &str) -> Value {
    let output = run(tamis(&["report", "--format", "json"]).arg(bench.crawl_dir(name)));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The value of a metric with these labels.
#[track_caller]
fn metric(metrics: &str, name: &str) -> f64 {
    let line = metrics
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{name} is not in: {metrics}"))
        .parse()
        .expect("a number")
}

/// The lists hold what the exports hold, and as many as the figures say.
#[track_caller]
fn lists_agree(bench: &Bench, name: &str, server: &Serving, totals: &Value) {
    let at = |rest: &str| format!("/api/v1/crawls/{name}{rest}");
    for (verdict, export, total) in [("kept", "indexed", "indexed"), ("dropped", "junk", "junk")] {
        let list = server.get(&at(&format!("/pages?verdict={verdict}&limit=200")));
        let rows = bench.rows(name, export);
        assert_eq!(list["total"], totals[total], "{verdict}");
        assert_eq!(rows.len() as u64, list["total"], "{verdict}");
        let urls = |rows: &[Value]| -> BTreeSet<String> {
            rows.iter()
                .map(|row| row["url"].as_str().expect("a URL").to_owned())
                .collect()
        };
        assert_eq!(urls(list["pages"].as_array().expect("pages")), urls(&rows));
    }
}

/// All figures of a crawl agree: in the report's JSON, the API, the metrics, the lists and the exports.
#[track_caller]
fn agree(bench: &Bench, name: &str, server: &Serving) {
    let at = |rest: &str| format!("/api/v1/crawls/{name}{rest}");
    let report = report(bench, name);
    // The last records of a crawl that has just ended may be a moment away.
    let told = server.until(&at("/report"), |told| {
        told["totals"] == report["totals"] && told["ended_at"] == report["ended_at"]
    });
    assert_eq!(told, report);
    let status = server.get(&at("/status"));
    let metrics = server.text("/metrics");
    let totals = &report["totals"];
    for (figure, of_status, of_metric) in [
        (
            "admitted",
            "admitted",
            "tamis_urls_admitted_total{crawl=\"NAME\"}",
        ),
        ("pending", "pending", "tamis_urls_pending{crawl=\"NAME\"}"),
        (
            "indexed",
            "kept",
            "tamis_urls_finished{crawl=\"NAME\",fate=\"indexed\"}",
        ),
        (
            "junk",
            "dropped",
            "tamis_urls_finished{crawl=\"NAME\",fate=\"junk\"}",
        ),
        (
            "failed",
            "failed",
            "tamis_urls_finished{crawl=\"NAME\",fate=\"failed\"}",
        ),
        (
            "refused",
            "refused",
            "tamis_urls_finished{crawl=\"NAME\",fate=\"refused\"}",
        ),
    ] {
        let value = totals[figure].as_u64().expect(figure);
        assert_eq!(status[of_status], value, "{figure}");
        let name = of_metric.replace("NAME", name);
        assert_eq!(metric(&metrics, &name), value as f64, "{figure}");
    }
    let bytes = format!("tamis_received_bytes_total{{crawl=\"{name}\"}}");
    assert_eq!(
        metric(&metrics, &bytes),
        report["fetches"]["bytes"].as_f64().expect("bytes")
    );
    assert_eq!(status["received_bytes"], report["fetches"]["bytes"]);
    assert_eq!(status["duration_seconds"], report["duration_s"]);
    lists_agree(bench, name, server, totals);
    for (reason, count) in report["reasons"]["junk"].as_object().expect("reasons") {
        let list = server.get(&at(&format!("/pages?verdict=dropped&reason={reason}")));
        assert_eq!(list["total"], *count, "{reason}");
    }
    let hosts = server.get(&at("/hosts"));
    for (row, host) in report["hosts"]
        .as_array()
        .expect("hosts")
        .iter()
        .zip(hosts["hosts"].as_array().expect("hosts"))
    {
        assert_eq!(
            (&row["host"], &row["indexed"], &row["bytes"]),
            (&host["host"], &host["kept"], &host["received_bytes"])
        );
    }
}

#[test]
fn figures_agree_to_the_last_digit_for_a_finished_crawl() {
    let bench = crawled("done");
    let server = Serving::start(&[&bench.crawl_dir("done").display().to_string()]);
    server.ready();
    agree(&bench, "done", &server);
    let clusters = server.get("/api/v1/crawls/done/clusters");
    assert!(clusters["total"].as_u64() > Some(5), "{clusters}");
    let kept = &clusters["clusters"][0]["kept"]["page"];
    let cluster = server.get(&format!("/api/v1/crawls/done/clusters/{kept}"));
    let member = &cluster["members"][0];
    assert_eq!(member["repeats"]["page"], *kept);
    let all = cluster["members"].as_array().expect("pages").iter();
    let hosts: BTreeSet<Option<&str>> = all
        .chain([&cluster["kept"]])
        .map(|page| page["host"].as_str())
        .collect();
    assert_eq!(clusters["clusters"][0]["hosts"], hosts.len());
    let pair = server.get(&format!(
        "/api/v1/crawls/done/clusters/{kept}/{}",
        member["page"]
    ));
    assert!(pair["likeness"].as_f64() > Some(0.5), "{pair}");
    // What is told of a URL is what the command tells.
    let url = member["url"].as_str().expect("a URL");
    let told = server.get(&format!("/api/v1/crawls/done/explain?url={url}"));
    let command = tamis(&["explain", "--json"])
        .arg(bench.crawl_dir("done"))
        .arg(url)
        .output();
    let story: Value = serde_json::from_slice(&command.expect("runs").stdout).expect("JSON");
    assert_eq!(told["story"], story);
    // Without its scheme it is the URL that the crawl knows, and a story leads on to what the page repeats.
    let bare = url.trim_start_matches("http://");
    let same = server.get(&format!("/api/v1/crawls/done/explain?url={bare}"));
    assert_eq!(same["url"], url);
    let page = server.text(&format!("/c/done/explain?url={bare}"));
    let pair = format!("/c/done/clusters/{}/{}", kept, member["page"]);
    has(&page, &[&pair, "Side by side"]);
    let found = server.get("/api/v1/crawls/done/search?q=lantern&limit=5");
    let searched = run(tamis(&["search", "--json", "--limit", "5"])
        .arg(bench.crawl_dir("done"))
        .arg("lantern"));
    let urls: Vec<Value> = stdout(&searched)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON")["url"].clone())
        .collect();
    let hits = found["hits"].as_array().expect("hits").iter();
    assert_eq!(
        hits.map(|hit| hit["page"]["url"].clone())
            .collect::<Vec<_>>(),
        urls
    );
}

/// Pages without end, so that the crawl runs until it is stopped.
fn endless() -> TestWeb {
    TestWeb::new().host("endless.test", |request: &Request| {
        let number = request.path.trim_matches(|c: char| !c.is_ascii_digit());
        let number: u64 = number.parse().unwrap_or(0);
        let links = [
            format!("/p{}.html", number + 1),
            format!("/p{}.html", number + 7),
        ];
        Response::html(page(&format!("Page {number}"), number, &links))
    })
}

#[test]
fn a_running_crawl_is_watched_steered_and_its_figures_agree() {
    let bench = Bench::serve(endless());
    let options = [
        "--seed",
        "http://endless.test/",
        "--delay",
        "20ms",
        "--serve",
        "127.0.0.1:0",
    ];
    let server = Serving::of(&mut bench.crawl_showing("plain", "live", &options));
    server.ready();
    let status = "/api/v1/crawls/live/status";
    server.until(status, |status| {
        status["state"] == "running" && status["kept"].as_u64() > Some(5)
    });

    // What is told without being asked again grows.
    let mut stream = TcpStream::connect(server.address).expect("connected");
    stream
        .set_read_timeout(Some(Duration::from_secs(60)))
        .expect("set");
    let request = format!(
        "GET /api/v1/crawls/live/events HTTP/1.1\r\nHost: {}\r\n\r\n",
        server.address
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let events = BufReader::new(stream).lines().map_while(Result::ok);
    let mut told =
        events.filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    let first = told.next().expect("an event")["finished"]
        .as_u64()
        .expect("a number");
    let later = told.find(|status| status["finished"].as_u64() > Some(first));
    assert!(later.is_some());
    drop(told);

    assert_eq!(server.post("/api/v1/crawls/live/pause", "{}").status, 200);
    // What was under way is recorded; looks that are close together may be answered by the same one.
    let (mut record, mut looks) = (Value::Null, 0);
    server.until(status, |now| {
        let is_still = now["record"] == record && now["in_flight"] == 0 && now["state"] == "paused";
        looks = if is_still { looks + 1 } else { 0 };
        record = now["record"].clone();
        looks > 20
    });
    // The index is written some seconds after; exports and reports read the journal.
    agree(&bench, "live", &server);
    let hosts = server.get("/api/v1/crawls/live/hosts");
    assert_eq!(hosts["hosts"][0]["why"], "paused");

    assert_eq!(server.post("/api/v1/crawls/live/resume", "{}").status, 200);
    server.until(status, |now| now["record"].as_u64() > record.as_u64());
    let retried = server.post("/api/v1/crawls/live/retry", "{\"status\":\"5xx\"}");
    assert_eq!(
        (retried.status, retried.text().contains("\"urls\":0")),
        (200, true),
        "{}",
        retried.text()
    );
    takes_seeds_and_settings(&server);
    assert_eq!(server.post("/api/v1/crawls/live/stop", "{}").status, 200);
    let mut server = server;
    let ended = server.child.wait().expect("it ends");
    assert_eq!(ended.code(), Some(130), "stopped, ready to go on");
    bench.check("live");
}

/// Seeds go in, with what became of them; settings that are as they were change nothing.
#[track_caller]
fn takes_seeds_and_settings(server: &Serving) {
    let post = |at: &str, body: &str| server.post(&format!("/api/v1/crawls/live/{at}"), body);
    let added = post(
        "seeds",
        "{\"lines\":\"http://endless.test/\\nhttp://endless.test/p90.html depth=1\"}",
    );
    let told: Value = serde_json::from_str(&added.text()).expect("JSON");
    let counts = ["queued", "seen", "known", "left_out"].map(|key| told[key].as_u64());
    assert_eq!(counts.iter().flatten().sum::<u64>(), 2, "{told}");
    assert_eq!(told["known"], 1, "{told}");
    let bad = post(
        "seeds",
        "{\"lines\":\"http://endless.test/p91.html\\nnonsense\"}",
    );
    assert!(
        bad.status == 400 && bad.text().contains("the added seeds:2"),
        "{}",
        bad.text()
    );
    assert_eq!(post("seeds", "{\"lines\":\"# none\"}").status, 400);
    let same = post("reload", "{}");
    assert!(
        same.status == 200 && same.text().contains("\"changes\":[]"),
        "{}",
        same.text()
    );
}

#[test]
fn a_server_of_its_own_follows_a_crawl_of_another_process() {
    let bench = Bench::serve(endless());
    let options = ["--seed", "http://endless.test/", "--delay", "20ms"];
    let mut crawl = bench.crawl("other", &options).spawn().expect("starts");
    while !bench.crawl_dir("other").join("archive").is_dir()
        || !bench.crawl_dir("other").join("crawl.toml").exists()
    {
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let server = Serving::start(&[&bench.crawl_dir("other").display().to_string()]);
    server.ready();
    let status = "/api/v1/crawls/other/status";
    let first = server.until(status, |status| {
        status["state"] == "running" && status["kept"].as_u64() > Some(3)
    });
    server.until(status, |status| {
        status["record"].as_u64() > first["record"].as_u64()
    });
    crawl.kill().expect("killed");
    crawl.wait().expect("ended");
    server.until(status, |status| status["state"] == "stopped");
    agree(&bench, "other", &server);
    let conflict = server.post("/api/v1/crawls/other/pause", "{}");
    assert_eq!(conflict.status, 409, "{}", conflict.text());
    for (at, body) in [
        ("reload", "{}"),
        ("seeds", "{\"lines\":\"http://endless.test/\"}"),
    ] {
        let conflict = server.post(&format!("/api/v1/crawls/other/{at}"), body);
        assert_eq!(conflict.status, 409, "{}", conflict.text());
    }
    let mut server = server;
    let pid = server.child.id().to_string();
    run(std::process::Command::new("kill").args(["-TERM", &pid]));
    assert_eq!(server.child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn two_crawls_are_compared_page_by_page() {
    let bench = crawled("before");
    let seeds = ["--seed", "http://one.test/", "--delay", "1ms"];
    bench.crawl_to_end("after", &seeds);
    let dirs = ["before", "after"].map(|name| bench.crawl_dir(name).display().to_string());
    let server = Serving::start(&[&dirs[0], &dirs[1]]);
    server.ready();
    let compared = server.get("/api/v1/crawls/before/compare?with=after");
    let kept = |name: &str| -> BTreeSet<String> {
        let rows = bench.rows(name, "indexed");
        rows.iter()
            .map(|row| row["url"].as_str().expect("a URL").to_owned())
            .collect()
    };
    let (before, after) = (kept("before"), kept("after"));
    assert_eq!(
        compared["gained"]["total"],
        after.difference(&before).count()
    );
    assert_eq!(compared["lost"]["total"], before.difference(&after).count());
    let command = run(tamis(&["report", "--format", "json", "--compare", &dirs[1]]).arg(&dirs[0]));
    let figures: Value = serde_json::from_slice(&command.stdout).expect("JSON");
    assert_eq!(compared["figures"], figures);
    let pages = &figures["pages"];
    let of = |list: &str| pages[list]["total"].as_u64().expect("a count") as usize;
    for (form, parts) in [
        (
            "text",
            ["指标", "总计 › 进入队列", "先前保留，这次没有读到（"],
        ),
        (
            "html",
            [
                "<html lang=\"zh-CN\">",
                "总计 › 进入队列",
                "先前保留，这次没有读到（",
            ],
        ),
    ] {
        let options = [
            "report",
            "--lang",
            "zh",
            "--format",
            form,
            "--compare",
            &dirs[1],
        ];
        let told = stdout(&run(tamis(&options).arg(&dirs[0])));
        has(&told, &parts);
        assert!(!told.contains("Hosts that differ"), "{told}");
    }
    assert_eq!(
        of("new") + of("kept_now"),
        after.difference(&before).count()
    );
    let lost = ["gone", "moved", "dropped_now", "not_read"].map(of);
    assert_eq!(
        lost.iter().sum::<usize>(),
        before.difference(&after).count()
    );
    has(
        &server.text("/c/before/compare?with=after"),
        &["<main", "Hosts that differ", "two.test"],
    );
    assert!(server.text("/").contains("/c/after"));
}

#[test]
fn a_crawl_is_served_under_further_names_and_its_assets_by_their_version() {
    let bench = Bench::serve(endless());
    let options = [
        "--seed",
        "http://endless.test/",
        "--serve",
        "127.0.0.1:0",
        "--serve-host",
        "crawl.example",
    ];
    let server = Serving::of(&mut bench.crawl_showing("plain", "named", &options));
    server.ready();
    let as_host = |host: &str| {
        let mut stream = TcpStream::connect(server.address).expect("connected");
        let request = format!("GET /c/named HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        let _ = std::io::Read::read_to_string(&mut stream, &mut answer);
        answer
    };
    assert!(as_host("crawl.example").starts_with("HTTP/1.1 200"));
    for foreign in [
        "other.example",
        "crawl.example.evil.test",
        "127.0.0.1.evil.test",
    ] {
        assert!(!as_host(foreign).starts_with("HTTP/1.1 200"), "{foreign}");
    }
    let page = as_host("crawl.example");
    for asset in ["/assets/style.css?v=", "/assets/script.js?v="] {
        let rest = page
            .split(asset)
            .nth(1)
            .unwrap_or_else(|| panic!("{asset} is not in {page}"));
        let version = rest.split('"').next().expect("its end");
        assert_eq!(version.len(), 12, "{version}");
        assert!(server.text(&format!("{asset}{version}")).len() > 1_000);
    }
}
