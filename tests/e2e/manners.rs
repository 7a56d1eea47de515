//! The crawl keeps its manners: seen from the server's side.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use testweb::{LogEntry, Response, TestWeb};

use crate::support::{Bench, page, stderr};

fn site(mut web: TestWeb, host: &str, pages: u64) -> TestWeb {
    for number in 0..pages {
        let links = [
            format!("/p{}.html", number + 1),
            "/private/x.html".to_string(),
        ];
        web = web.page(
            &format!("http://{host}/p{number}.html"),
            &page(
                &format!("{host} {number}"),
                number * 31 + u64::from(host.as_bytes()[0]),
                &links,
            ),
        );
    }
    web
}

fn by_host(log: &[LogEntry]) -> HashMap<String, Vec<LogEntry>> {
    let mut hosts: HashMap<String, Vec<LogEntry>> = HashMap::new();
    for entry in log {
        hosts
            .entry(entry.host.clone())
            .or_default()
            .push(entry.clone());
    }
    for entries in hosts.values_mut() {
        entries.sort_by_key(|entry| entry.started);
    }
    hosts
}

#[test]
fn each_host_has_one_request_at_a_time_and_its_delay_and_robots_first() {
    let mut web = TestWeb::new();
    let mut seeds = Vec::new();
    for host in ["a.test", "b.test", "c.test"] {
        web = site(web, host, 8)
            .robots(host, "User-agent: *\nDisallow: /private/\n")
            .latency(host, Duration::from_millis(15));
        seeds.extend(["--seed".to_string(), format!("http://{host}/p0.html")]);
    }
    let bench = Bench::serve(web);
    let mut options: Vec<&str> = seeds.iter().map(String::as_str).collect();
    options.extend(["--delay", "60ms", "--concurrency", "16"]);
    bench.crawl_to_end("polite", &options);
    for (host, entries) in by_host(&bench.web.log()) {
        assert_eq!(entries[0].target, "/robots.txt", "{host}");
        assert!(
            entries
                .iter()
                .all(|entry| !entry.target.starts_with("/private/")),
            "{host}"
        );
        for pair in entries.windows(2) {
            assert!(pair[1].started >= pair[0].ended, "{host}: one at a time");
        }
        let pages: Vec<_> = entries
            .iter()
            .filter(|entry| entry.target != "/robots.txt")
            .collect();
        assert_eq!(pages.len(), 9, "{host}: eight pages and a dead link");
        for pair in pages.windows(2) {
            let gap = pair[1].started - pair[0].started;
            assert!(gap >= Duration::from_millis(59), "{host}: {gap:?}");
        }
    }
    let refused = bench
        .rows("polite", "pages")
        .into_iter()
        .filter(|row| row["outcome"] == "refused")
        .count();
    assert_eq!(refused, 3);
}

#[test]
fn a_host_that_asks_to_wait_is_left_alone_for_that_long() {
    let web = site(TestWeb::new(), "busy.test", 6);
    let faults = testweb::Faults {
        error_503: Some(testweb::faults::Strike::new(1.0, 1).retry_after(1)),
        ..testweb::Faults::default()
    };
    let bench = Bench::serve(web.faults("busy.test", faults));
    bench.crawl_to_end(
        "busy",
        &[
            "--seed",
            "http://busy.test/p0.html",
            "--delay",
            "0",
            "--max-pages",
            "2",
        ],
    );
    let log = bench.web.log();
    let pages: Vec<_> = log
        .iter()
        .filter(|entry| entry.target != "/robots.txt")
        .collect();
    for pair in pages.windows(2).filter(|pair| pair[0].status == 503) {
        let gap = pair[1].started - pair[0].ended;
        assert!(gap >= Duration::from_secs(1), "{gap:?}");
    }
    assert!(pages.iter().any(|entry| entry.status == 503));
}

/// A host that answers each of its pages when it is asked for a second time, and at first that it is to come later.
fn later(web: TestWeb, host: &'static str, status: u16) -> TestWeb {
    let links: Vec<String> = (0..8).map(|number| format!("/p{number}.html")).collect();
    let asked = Mutex::new(HashSet::new());
    web.page(
        &format!("http://{host}/"),
        &page(host, u64::from(status), &links),
    )
    .host(host, move |request| {
        let is_first = asked.lock().unwrap().insert(request.path.clone());
        let number = u64::from(request.path.as_bytes()[2]) * 31 + u64::from(status);
        match is_first {
            true => Response::new(status, "text/html", "").with_header("Retry-After", "0.3"),
            false => Response::html(page(&request.path, 1_000 + number, &[])),
        }
    })
}

#[test]
fn a_page_that_is_to_be_asked_for_later_is_whatever_the_status_and_dead_links_cost_little() {
    // The pages were lost, and the host was asked on.
    let mut web = TestWeb::new();
    for (host, status) in [
        ("ok.test", 200),
        ("forbidden.test", 403),
        ("none.test", 404),
    ] {
        web = later(web, host, status);
    }
    let links: Vec<String> = (0..30).map(|number| format!("/p{number}.html")).collect();
    let web = web
        .page("http://dead.test/", &page("dead", 99, &links))
        .host("dead.test", |_| {
            Response::new(404, "text/html", "<h1>Guru").with_header("Retry-After", "3600")
        });
    let bench = Bench::serve(web);
    let hosts = ["ok.test", "forbidden.test", "none.test", "dead.test"];
    let seeds = hosts.map(|host| format!("http://{host}/"));
    let mut options = vec!["--delay", "20ms"];
    for seed in &seeds {
        options.extend(["--seed", seed]);
    }
    let began = Instant::now();
    bench.crawl_to_end("later", &options);
    // The word of an hour is not believed.
    assert!(began.elapsed() < Duration::from_secs(60));
    let pages = bench.pages("later");
    let kept = pages.iter().filter(|(_, fate)| fate == "indexed").count();
    assert_eq!(kept, 3 * 9 + 1, "{pages:?}");
    let mut hosts = by_host(&bench.web.log());
    let dead = hosts.remove("dead.test").expect("it was asked");
    assert_eq!(dead.len(), 1 + 31 + 3);
    for entries in hosts.values() {
        for pair in entries
            .windows(2)
            .filter(|pair| pair[0].retry_after_s.is_some() && pair[0].target != "/robots.txt")
        {
            let waited = pair[1].started - pair[0].ended;
            assert!(
                waited >= Duration::from_millis(290),
                "{} {waited:?}",
                pair[0].url
            );
        }
    }
    bench.check("later");
}

/// A host of forty pages that answers the last twenty-five of them with an error at first: until one of them is asked
/// for a second time, or for ever.
fn errors(web: TestWeb, host: &'static str, status: u16, is_limit: bool) -> TestWeb {
    let links: Vec<String> = (10..50).map(|number| format!("/p{number}.html")).collect();
    let state = Mutex::new((HashSet::new(), false));
    web.page(
        &format!("http://{host}/"),
        &page(host, u64::from(status), &links),
    )
    .host(host, move |request| {
        let mut state = state.lock().unwrap();
        let number: u64 = request.path[2..4].parse().unwrap_or(99);
        let is_late = number >= 25 && !state.1;
        state.1 |= is_late && is_limit && state.0.contains(&number);
        match is_late && state.0.insert(number) || number >= 25 && !is_limit {
            true => Response::new(status, "text/html", "<h1>No</h1>"),
            false => Response::html(page(&request.path, number * 31 + u64::from(status), &[])),
        }
    })
}

#[test]
fn a_host_that_limits_by_errors_loses_no_page_and_dead_links_cost_three_requests() {
    // All of them were lost, and asked for at full speed.
    let mut web = TestWeb::new();
    for (host, status, is_limit) in [
        ("forbidden.test", 403, true),
        ("empty.test", 404, true),
        ("dead.test", 410, false),
    ] {
        web = errors(web, host, status, is_limit);
    }
    let bench = Bench::serve(web);
    let hosts = ["forbidden.test", "empty.test", "dead.test"];
    let seeds = hosts.map(|host| format!("http://{host}/"));
    let mut options = vec!["--delay", "30ms"];
    for seed in &seeds {
        options.extend(["--seed", seed]);
    }
    bench.crawl_to_end("errors", &options);
    let pages = bench.pages("errors");
    let kept = pages.iter().filter(|(_, fate)| fate == "indexed").count();
    assert_eq!(kept, 2 * 41 + 16, "{pages:?}");
    let log = by_host(&bench.web.log());
    assert_eq!(log["dead.test"].len(), 1 + 41 + 3);
    for host in ["forbidden.test", "empty.test"] {
        // Each page of the run once more, which is as long as the first record of it takes to be synced, the one that
        // tells once or twice more, and one that was good.
        let again = log[host].len() - (1 + 41);
        assert!((7..=25 + 3).contains(&again), "{again}");
    }
    bench.check("errors");
}

#[test]
fn a_host_that_refuses_even_its_good_pages_is_waited_for_longer_than_dead_links_are() {
    // After seven seconds the pages were taken to be gone, and all others were asked for in vain.
    let links: Vec<String> = (10..50).map(|number| format!("/p{number}.html")).collect();
    let state: Mutex<(HashSet<String>, Option<Instant>)> = Mutex::default();
    let limited = move |request: &testweb::Request| {
        let mut state = state.lock().unwrap();
        let (given, since) = &mut *state;
        if given.len() == 20 {
            since.get_or_insert_with(Instant::now);
        }
        if since.is_some_and(|since| since.elapsed() < Duration::from_secs(11)) {
            return Response::new(404, "text/html", "<h1>No</h1>");
        }
        given.insert(request.path.clone());
        match request
            .path
            .get(2..4)
            .and_then(|number| number.parse::<u64>().ok())
        {
            Some(number) => Response::html(page(&request.path, number * 31, &[])),
            None => Response::html(page("limits.test", 7, &links)),
        }
    };
    let bench = Bench::serve(TestWeb::new().host("limits.test", limited));
    let options = ["--delay", "30ms", "--seed", "http://limits.test/"];
    bench.crawl_to_end("sure", &options);
    let pages = bench.pages("sure");
    let kept = pages.iter().filter(|(_, fate)| fate == "indexed").count();
    assert_eq!(kept, 41, "{pages:?}");
    // Robots.txt, each page, and the answers of the time in which it limited.
    let log = by_host(&bench.web.log());
    assert!(
        log["limits.test"].len() < 1 + 41 + 30,
        "{}",
        log["limits.test"].len()
    );
    bench.check("sure");
}

/// Two rounds over a host that answers eight requests in 600 ms since its first crawl, and others with 404.
#[test]
fn no_page_is_gone_since_its_host_limits_how_often_it_is_visited() {
    let links: Vec<String> = (10..40).map(|number| format!("/p{number}.html")).collect();
    let limits = Arc::new(AtomicBool::new(false));
    let (is_limited, answered) = (Arc::clone(&limits), Mutex::new(VecDeque::new()));
    let web = TestWeb::new().host("a.test", move |request| {
        let number: u64 = request.path.get(2..4).unwrap_or("99").parse().unwrap_or(99);
        let mut answered = answered.lock().unwrap();
        answered.retain(|at: &Instant| at.elapsed() < Duration::from_millis(600));
        match is_limited.load(Ordering::Relaxed) && answered.len() >= 8 {
            true => Response::new(404, "text/html", "<h1>Not found</h1>"),
            false => {
                answered.push_back(Instant::now());
                let links = if number == 99 { &links[..] } else { &[] };
                Response::html(page(&request.path, number * 31, links))
            }
        }
    });
    let web = web.robots("a.test", "");
    let bench = Bench::serve(web);
    let config = crate::support::file(
        bench.dir.path(),
        "rounds.toml",
        "[again]\nmin = \"0s\"\ngone_apart = \"0s\"\n",
    );
    let options = [&*config, "--seed", "http://a.test/", "--delay", "20ms"];
    bench.crawl_to_end("rounds", &options);
    limits.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        bench.crawl_to_end("rounds", &[&options[..], &["--again"]].concat());
    }
    let rows = bench.rows("rounds", "changes");
    let gone = rows.iter().filter(|row| row["change"] == "gone");
    assert_eq!(gone.count(), 0, "{rows:?}");
    assert_eq!(bench.rows("rounds", "indexed").len(), 31);
    bench.check("rounds");
}

#[test]
fn a_redirecting_seed_brings_its_target_into_scope() {
    let web = site(TestWeb::new(), "www.apex.test", 3).respond(
        "http://apex.test/",
        Response::redirect(301, "http://www.apex.test/p0.html"),
    );
    let bench = Bench::serve(web);
    bench.crawl_to_end("apex", &["--seed", "http://apex.test/", "--delay", "0"]);
    let kept = bench
        .pages("apex")
        .iter()
        .filter(|(_, fate)| fate == "indexed")
        .count();
    assert_eq!(kept, 3);
}

#[test]
fn a_private_address_is_refused_unless_allowed() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = crate::support::tamis(&[
        "crawl",
        "--progress",
        "none",
        "--seed",
        "http://127.0.0.1:9/",
        "--dir",
    ])
    .arg(dir.path().join("crawl"))
    .output()
    .expect("runs");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("--allow-private"),
        "{}",
        stderr(&output)
    );
    let rows = crate::support::run(
        crate::support::tamis(&["export"])
            .arg(dir.path().join("crawl"))
            .arg("pages"),
    );
    let text = crate::support::stdout(&rows);
    assert!(text.contains("\"refused\""), "{text}");
}

#[test]
fn no_way_that_a_host_can_name_leads_to_a_private_address() {
    let private = [
        "http://127.0.0.1/",
        "http://169.254.169.254/latest/",
        "http://[::ffff:10.0.0.1]/",
        "http://[64:ff9b::c0a8:1]/",
        "http://0x7f.1/",
        "http://db.internal/",
    ];
    let mut web = TestWeb::new()
        .page(
            "http://a.example.com/",
            &page("Links", 1, &private.map(String::from)),
        )
        .robots(
            "a.example.com",
            "Sitemap: http://10.0.0.1/sitemap.xml\nSitemap: http://a.example.com/list.txt\n",
        )
        .respond(
            "http://a.example.com/list.txt",
            Response::text("http://10.0.0.2/listed\n"),
        )
        .page("http://b.example.com/", &page("Moved robots", 2, &[]))
        .respond(
            "http://b.example.com/robots.txt",
            Response::redirect(301, "http://192.168.0.1/robots.txt"),
        );
    for (number, target) in private.iter().enumerate() {
        let seed = format!("http://r{number}.example.com/");
        web = web.respond(&seed, Response::redirect(302, target));
    }
    let hosts = web.hosts();
    let bench = Bench::serve(web);
    let config = crate::support::file(
        bench.dir.path(),
        "any.toml",
        "[scope]\nmode = \"any\"\n[politeness]\nattempts = 1\nretry_delay = \"10ms\"\n",
    );
    // Through a proxy that would fetch whatever it is asked for, and without --allow-private.
    let dir = bench.crawl_dir("guarded");
    let mut crawl = crate::support::tamis(&["crawl", &config, "--progress", "none"]);
    crawl.args(["--proxy", &bench.proxy, "--delay", "0", "--dir"]);
    crawl.arg(&dir).args(["--contact", "crawler@example.com"]);
    for host in &hosts {
        crawl.args(["--seed", &format!("http://{host}/")]);
    }
    crate::support::run(&mut crawl);
    let log = bench.web.log();
    assert!(log.iter().any(|entry| entry.host == "a.example.com"));
    for entry in &log {
        assert!(hosts.contains(&entry.host), "{} was asked for", entry.url);
    }
    let refused = bench.pages("guarded");
    let refused = refused.iter().filter(|(_, fate)| fate == "refused").count();
    assert!(refused >= private.len(), "{refused} are recorded");
    bench.check("guarded");
}

#[test]
fn sitemaps_that_cannot_be_had_are_no_pages() {
    let robots = "User-agent: *\nSitemap: http://a.test/gone.xml\nSitemap: http://a.test/moved.xml\n\
                  Sitemap: http://a.test/circle.xml\nSitemap: http://a.test/broken.xml\n";
    let list = "<urlset><url><loc>http://a.test/only-listed.html</loc></url></urlset>";
    let web = site(TestWeb::new(), "a.test", 2)
        .robots("a.test", robots)
        .page("http://a.test/only-listed.html", &page("Listed", 77, &[]))
        .respond(
            "http://a.test/moved.xml",
            Response::redirect(301, "http://a.test/real.xml"),
        )
        .respond(
            "http://a.test/circle.xml",
            Response::redirect(302, "http://a.test/circle.xml"),
        )
        .respond("http://a.test/broken.xml", Response::error(501))
        .respond("http://a.test/real.xml", Response::xml(list));
    let bench = Bench::serve(web);
    bench.crawl_to_end(
        "crawl",
        &["--seed", "http://a.test/p0.html", "--delay", "0"],
    );
    let pages = bench.pages("crawl");
    assert!(
        pages.contains(&("http://a.test/only-listed.html".into(), "indexed".into())),
        "{pages:?}"
    );
    assert!(
        pages.iter().all(|(url, _)| !url.ends_with(".xml")),
        "{pages:?}"
    );
    bench.check("crawl");
    // The same once more, from the journal.
    std::fs::remove_dir_all(bench.crawl_dir("crawl").join("state")).expect("removed");
    bench.crawl_to_end("crawl", &[]);
    bench.check("crawl");
    assert_eq!(bench.pages("crawl"), pages);
}

#[test]
fn a_link_of_a_scheme_that_is_dead_costs_its_host_no_page() {
    // The host asked for nothing but the robots.txt that is not there, and was given up as a whole.
    let mut links: Vec<String> = (0..30).map(|n| format!("/p{n}.html")).collect();
    links.insert(2, "https://a.test/secure.html".into());
    let mut web = TestWeb::new().page("http://a.test/", &page("Front", 500, &links));
    for n in 0..30 {
        let url = format!("http://a.test/p{n}.html");
        web = web.page(&url, &page(&format!("Page {n}"), 600 + n, &[]));
    }
    // It answers no `CONNECT`.
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "20ms"]);
    let pages = bench.pages("crawl");
    let indexed = pages.iter().filter(|(_, fate)| fate == "indexed");
    assert_eq!(indexed.count(), 31, "{pages:?}");
    let secure = ("https://a.test/secure.html".into(), "failed".into());
    assert!(pages.contains(&secure), "{pages:?}");
    bench.check("crawl");
}

#[test]
fn an_address_has_no_more_than_eight_requests_at_once_from_the_first_one_on() {
    const HOSTS: u64 = 30;
    // Without a proxy, behind which nobody knows the addresses.
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("it has one");
    drop(socket);
    let hosts: Vec<String> = (0..HOSTS)
        .map(|host| format!("h{host}.test:{}", address.port()))
        .collect();
    let mut web = TestWeb::new();
    for (host, number) in hosts.iter().zip(0..) {
        web = web
            .latency(host, Duration::from_millis(200))
            .page(
                &format!("http://{host}/"),
                &page(
                    &format!("Front {number}"),
                    700 + number,
                    &["/next.html".into()],
                ),
            )
            .page(
                &format!("http://{host}/next.html"),
                &page(&format!("Next {number}"), 800 + number, &[]),
            );
    }
    let bench = Bench::serve_at(web, address);
    let dir = bench.crawl_dir("crawl");
    // The second start knows no address either.
    for pages in ["20", "60"] {
        let mut crawl = crate::support::tamis(&["crawl", "--allow-private", "--progress", "none"]);
        crawl.args(["--delay", "100ms", "--max-pages", pages, "--dir"]);
        crawl.arg(&dir);
        for host in &hosts {
            crawl.args(["--seed", &format!("http://{host}/")]);
            crawl.args(["--resolve", &format!("{host}:127.0.0.1")]);
        }
        let output = crawl.output().expect("the binary runs");
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let mut moves: Vec<(Duration, i32)> = Vec::new();
    for entry in bench.web.log() {
        moves.push((entry.started, 1));
        // Whoever has the last byte may ask again before the server's clock is read.
        moves.push((entry.ended.saturating_sub(Duration::from_millis(100)), -1));
    }
    moves.sort();
    let at_once = moves.iter().scan(0, |now, (_, step)| {
        *now += step;
        Some(*now)
    });
    let at_once = at_once.max().unwrap_or_default();
    assert!((5..=8).contains(&at_once), "{at_once}");
    assert_eq!(bench.pages("crawl").len() as u64, 2 * HOSTS);
}

#[test]
fn a_host_that_says_it_is_asked_too_often_is_asked_more_slowly_and_loses_no_page() {
    // It was asked as before after each good answer: two of three requests were answered with 429.
    let limit = testweb::faults::TooMany {
        max: 1,
        window: Duration::from_millis(300),
        retry_after_s: 0,
    };
    let faults = testweb::Faults {
        too_many: Some(limit),
        ..testweb::Faults::default()
    };
    let links: Vec<String> = (0..15).map(|n| format!("/p{n}.html")).collect();
    let mut web = TestWeb::new()
        .page("http://a.test/", &page("Front", 900, &links))
        .faults("a.test", faults);
    for n in 0..15 {
        let url = format!("http://a.test/p{n}.html");
        web = web.page(&url, &page(&format!("Page {n}"), 1_000 + n, &[]));
    }
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://a.test/", "--delay", "50ms"]);
    let log = bench.web.log();
    let too_many = log.iter().filter(|entry| entry.status == 429).count();
    assert!((1..10).contains(&too_many), "{too_many} answers of 429");
    let pages = bench.pages("crawl");
    assert!(pages.iter().all(|(_, fate)| fate == "indexed"), "{pages:?}");
    assert_eq!(pages.len(), 16);
    bench.check("crawl");
}
