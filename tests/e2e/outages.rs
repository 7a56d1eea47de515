//! Hosts and robots.txt that fail for a while, for good, or in strange ways: what waits, what is asked
//! again, and what is said of it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::support::{file, has, page, run, says, stderr, stdout, tamis};

/// A request as the web saw it.
#[derive(Debug, Clone)]
struct Asked {
    host: String,
    path: String,
    cookie: String,
    /// How often this host was asked for this path before.
    before: usize,
    at: Instant,
    status: u16,
}

/// What is sent: a status, header lines, and a body; `None` for a connection that breaks.
type Sent = Option<(u16, String, String)>;

/// A web behind a proxy on loopback that sends bytes as it is told, wrong lengths included.
struct Web {
    proxy: String,
    log: Arc<Mutex<Vec<Asked>>>,
    dir: TempDir,
}

fn ok(headers: &str, body: &str) -> Sent {
    Some((200, headers.to_owned(), body.to_owned()))
}

fn status(status: u16, headers: &str) -> Sent {
    Some((status, headers.to_owned(), String::new()))
}

fn text(number: u64, links: &[&str]) -> Sent {
    let links: Vec<String> = links.iter().map(|link| (*link).to_owned()).collect();
    let body = page(&format!("Page {number}"), number * 77 + 5, &links);
    ok("Content-Type: text/html\r\n", &body)
}

impl Web {
    fn serve(answer: impl Fn(&Asked) -> Sent + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let port = listener.local_addr().expect("an address").port();
        let log = Arc::new(Mutex::new(Vec::new()));
        let (answer, noted) = (Arc::new(answer), Arc::clone(&log));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (answer, noted) = (Arc::clone(&answer), Arc::clone(&noted));
                std::thread::spawn(move || reply(stream, &*answer, &noted));
            }
        });
        Self {
            proxy: format!("http://127.0.0.1:{port}"),
            log,
            dir: tempfile::tempdir().expect("a directory"),
        }
    }

    fn crawl_dir(&self) -> PathBuf {
        self.dir.path().join("crawl")
    }

    fn crawl(&self, config: &str, options: &[&str]) -> Output {
        let config = file(self.dir.path(), "crawl-config.toml", config);
        let mut command = tamis(&["crawl", &config, "--allow-private", "--progress", "none"]);
        command.args(["--proxy", &self.proxy, "--max-time", "60s"]);
        command.arg("--dir").arg(self.crawl_dir()).args(options);
        command.output().expect("runs")
    }

    fn log(&self, host: &str) -> Vec<Asked> {
        let log = self.log.lock().expect("no test panicked");
        let of_host = log.iter().filter(|asked| asked.host == host);
        of_host.cloned().collect()
    }

    /// How often each path of a host was asked for.
    fn counts(&self, host: &str) -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for asked in self.log(host) {
            *counts.entry(asked.path).or_default() += 1;
        }
        counts
    }

    fn export(&self, what: &str) -> Vec<serde_json::Value> {
        let output = run(tamis(&["export"]).arg(self.crawl_dir()).arg(what));
        let rows = stdout(&output);
        let rows = rows.lines().map(serde_json::from_str);
        rows.collect::<Result<_, _>>().expect("rows are JSON")
    }

    /// How many URLs ended in each way.
    fn fates(&self) -> HashMap<String, usize> {
        let mut fates = HashMap::new();
        for row in self.export("pages") {
            let keys = ["verdict", "reason", "outcome"];
            let name = keys.iter().find_map(|key| row[key].as_str());
            *fates
                .entry(name.unwrap_or_default().to_owned())
                .or_default() += 1;
        }
        fates
    }

    fn check(&self) {
        run(tamis(&["check-dir", "--rejudge"]).arg(self.crawl_dir()));
    }
}

fn reply(stream: TcpStream, answer: &dyn Fn(&Asked) -> Sent, log: &Mutex<Vec<Asked>>) {
    let mut lines = BufReader::new(&stream).lines();
    let line = lines.next().and_then(Result::ok).unwrap_or_default();
    let url = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let rest = url.strip_prefix("http://").unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut cookie = String::new();
    for line in lines
        .map_while(Result::ok)
        .take_while(|line| !line.is_empty())
    {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("cookie")
        {
            value.trim().clone_into(&mut cookie);
        }
    }
    let mut asked = Asked {
        host: host.to_owned(),
        path: format!("/{path}"),
        cookie,
        before: 0,
        at: Instant::now(),
        status: 0,
    };
    let mut known = log.lock().expect("no test panicked");
    let same = |earlier: &&Asked| (&earlier.host, &earlier.path) == (&asked.host, &asked.path);
    asked.before = known.iter().filter(same).count();
    let sent = answer(&asked);
    asked.status = sent.as_ref().map_or(0, |(status, ..)| *status);
    known.push(asked);
    drop(known);
    let Some((status, mut headers, body)) = sent else {
        return;
    };
    if !headers.to_ascii_lowercase().contains("content-length") {
        headers += &format!("Content-Length: {}\r\n", body.len());
    }
    let head = format!("HTTP/1.1 {status} Said\r\n{headers}Connection: close\r\n\r\n");
    // The client may have gone.
    let _ = (&stream).write_all(format!("{head}{body}").as_bytes());
}

const QUICK: &str = "[politeness]\ndelay = \"0\"\nretry_delay = \"50ms\"\n";

#[test]
fn an_outage_of_robots_txt_uses_up_no_queue() {
    // After four tries, within two seconds, all that waited was refused.
    let web = Web::serve(|asked| match asked.path.as_str() {
        "/robots.txt" if asked.before < 5 => match asked.before % 3 {
            0 => status(503, ""),
            1 => None,
            _ => status(429, "Retry-After: 0\r\n"),
        },
        "/robots.txt" => ok("", "User-agent: *\nDisallow: /shut\n"),
        "/" => text(0, &["/a", "/b", "/shut"]),
        "/a" => text(1, &[]),
        _ => text(2, &[]),
    });
    let output = web.crawl(QUICK, &["--seed", "http://h.test/"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(web.counts("h.test")["/robots.txt"], 6);
    let fates = web.fates();
    assert_eq!(
        (fates["indexed"], fates.get("robots")),
        (3, Some(&1)),
        "{fates:?}"
    );
    web.check();
}

#[test]
fn a_good_copy_of_robots_txt_holds_across_restarts_and_during_an_outage() {
    let web = Web::serve(|asked| match asked.path.as_str() {
        "/robots.txt" if asked.before == 0 => ok("", "User-agent: *\nDisallow: /shut\n"),
        "/robots.txt" => status(503, ""),
        "/" => text(0, &["/a", "/b", "/c", "/shut"]),
        path => text(path.len() as u64 + u64::from(path.as_bytes()[1]), &[]),
    });
    let seed = ["--seed", "http://h.test/"];
    web.crawl(QUICK, &[&seed[..], &["--max-pages", "2"]].concat());
    let output = web.crawl(QUICK, &seed);
    assert!(output.status.success(), "{}", stderr(&output));
    let counts = web.counts("h.test");
    assert_eq!(counts["/robots.txt"], 1, "{counts:?}");
    assert!(!counts.contains_key("/shut"));
    assert_eq!(web.fates()["indexed"], 4);
}

#[test]
fn http_and_https_and_each_authority_have_a_robots_txt_of_their_own() {
    let web = Web::serve(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("h.test", "/robots.txt") => ok("", "User-agent: *\nDisallow: /b\n"),
        (_, "/robots.txt") => status(404, ""),
        (_, "/") => text(0, &["/b"]),
        _ => text(1, &[]),
    });
    let seeds = ["--seed", "http://h.test/", "--seed", "http://h.test:8080/"];
    web.crawl(QUICK, &seeds);
    assert!(!web.counts("h.test").contains_key("/b"));
    assert_eq!(web.counts("h.test:8080")["/b"], 1);
}

#[test]
fn a_robots_txt_whose_length_is_wrong_is_believed_the_second_time() {
    // It closed its host.
    let web = Web::serve(|asked| match asked.path.as_str() {
        "/robots.txt" => ok("Content-Length: 500\r\n", "User-agent: *\nDisallow: /b\n"),
        "/" => text(0, &["/a", "/b"]),
        _ => text(1, &[]),
    });
    web.crawl(QUICK, &["--seed", "http://cut.test/"]);
    let counts = web.counts("cut.test");
    assert_eq!((counts["/robots.txt"], counts["/a"]), (2, 1), "{counts:?}");
    assert!(!counts.contains_key("/b"));
}

#[test]
fn a_page_whose_length_is_wrong_costs_one_fetch() {
    // It cost four.
    let web = Web::serve(|asked| {
        let (status, headers, body) = match asked.path.as_str() {
            "/robots.txt" => return status(404, ""),
            "/" => text(0, &["/a", "/cut"])?,
            _ => text(1, &[])?,
        };
        let announced = format!("{headers}Content-Length: {}\r\n", body.len() + 100);
        let body = match asked.path.as_str() {
            "/cut" => body[..body.len() / 2].to_owned(),
            _ => body,
        };
        Some((status, announced, body))
    });
    web.crawl(QUICK, &["--seed", "http://lies.test/"]);
    let counts = web.counts("lies.test");
    assert_eq!((counts["/"], counts["/a"], counts["/cut"]), (1, 1, 4));
}

#[test]
fn a_robots_txt_that_has_moved_is_asked_for_with_the_manners_of_its_host() {
    // Sixty hosts sent sixty requests within ten milliseconds.
    let web = Web::serve(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("central.test", _) => ok("", "User-agent: *\nDisallow: /b\n"),
        (_, "/robots.txt") => status(302, "Location: http://central.test/robots.txt\r\n"),
        (host, "/") => text(u64::from(host.as_bytes()[1]), &["/b"]),
        _ => text(99, &[]),
    });
    let seeds: Vec<String> = (0..8).map(|n| format!("http://h{n}.test/")).collect();
    let mut options = Vec::new();
    for seed in &seeds {
        options.extend(["--seed", seed.as_str()]);
    }
    let delay = Duration::from_millis(400);
    let output = web.crawl("[politeness]\ndelay = \"400ms\"\n", &options);
    assert!(output.status.success(), "{}", stderr(&output));
    let asked = web.log("central.test");
    assert!((1..=8).contains(&asked.len()), "{asked:?}");
    for host in ["central.test", "h0.test", "h7.test"] {
        for pair in web.log(host).windows(2) {
            let gap = pair[1].at - pair[0].at;
            assert!(gap >= delay, "{host}: {gap:?}");
        }
    }
    assert!((0..8).all(|n| web.counts(&format!("h{n}.test")).len() == 2));
}

#[test]
fn retry_after_holds_across_a_restart() {
    let web = Web::serve(|asked| match asked.path.as_str() {
        "/robots.txt" => status(404, ""),
        "/" => text(0, &["/a", "/b"]),
        _ if asked.before == 0 && asked.path == "/a" => status(429, "Retry-After: 6\r\n"),
        _ => text(1 + asked.path.len() as u64, &[]),
    });
    let seed = ["--seed", "http://busy.test/"];
    let short = [&seed[..], &["--max-time", "1500ms"]].concat();
    web.crawl(QUICK, &short);
    let output = web.crawl(QUICK, &seed);
    assert!(output.status.success(), "{}", stderr(&output));
    let log = web.log("busy.test");
    let busy = log.iter().position(|asked| asked.status == 429);
    let busy = busy.expect("it asked for time");
    let gap = log[busy + 1].at - log[busy].at;
    assert!(gap >= Duration::from_secs(6), "{gap:?}");
}

#[test]
fn a_dead_host_is_given_up_and_its_urls_come_back_when_asked_for() {
    let web = Web::serve(|asked| match asked.path.as_str() {
        "/robots.txt" => status(404, ""),
        "/" => text(0, &["/dead0", "/dead1", "/dead2"]),
        _ => None,
    });
    let config = "[politeness]\ndelay = \"0\"\nretry_delay = \"2s\"\ndead_host_after = \"3s\"\n";
    let began = Instant::now();
    web.crawl(config, &["--seed", "http://a.test/"]);
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    let fates = web.fates();
    assert_eq!((fates["indexed"], fates["host_gone"]), (1, 3), "{fates:?}");
    let report = stdout(&run(tamis(&["report"]).arg(web.crawl_dir())));
    has(&report, &["gone: 3 URLs"]);
    assert_eq!(web.export("hosts")[0]["gone"], 3);
    let told = stdout(&run(tamis(&["explain"])
        .arg(web.crawl_dir())
        .arg("http://a.test/dead0")));
    has(&told, &["did not answer"]);
    let retry = ["--host", "a.test"];
    let said = stderr(&run(tamis(&["retry"]).arg(web.crawl_dir()).args(retry)));
    has(&said, &["3 URLs are back"]);
    web.check();
}

/// A challenge as a firewall sends it, with status 200; it links to its vendor.
fn wall(number: u64) -> Sent {
    let body = format!(
        "<html><head><title>Just a moment...</title><script>window._cf_chl_opt={{cRay:'{number:x}'}};\
         </script></head><body><h1>busy.test</h1><p>Verifying you are human. This may take a few \
         seconds.</p><a href=/vendor>Performance and security</a></body></html>"
    );
    ok("Content-Type: text/html\r\n", &body)
}

#[test]
fn a_host_that_answers_with_walls_rests_and_is_given_up_and_none_of_them_is_kept() {
    let web = Web::serve(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        (_, "/robots.txt") => status(404, ""),
        ("walled.test", "/") => {
            let links: Vec<String> = (0..60).map(|n| format!("/{n}")).collect();
            let links: Vec<&str> = links.iter().map(String::as_str).collect();
            text(1, &links)
        }
        ("walled.test", path) => wall(path.len() as u64),
        (_, path) => text(9 + path.len() as u64, &[]),
    });
    let config = "[politeness]\ndelay = \"100ms\"\nwall_rest = \"300ms\"\n";
    let seeds = [
        "--seed",
        "http://walled.test/",
        "--seed",
        "http://good.test/",
    ];
    let began = Instant::now();
    let output = web.crawl(config, &seeds);
    assert!(output.status.success(), "{}", stderr(&output));
    // Rests of 0.3, 0.6 and 1.2 s after ten walls each; after ten more it is asked no more.
    assert!(
        began.elapsed() >= Duration::from_millis(2_100),
        "{:?}",
        began.elapsed()
    );
    let fates = web.fates();
    assert_eq!(fates["indexed"], 2, "{fates:?}");
    let (blocked, walled) = (fates["junk"], fates["walled"]);
    assert_eq!(blocked + walled, 60, "{fates:?}");
    assert!((40..56).contains(&blocked), "{fates:?}");
    // The link of a wall was not followed.
    assert!(!web.counts("walled.test").contains_key("/vendor"));
    let report = stdout(&run(tamis(&["report"]).arg(web.crawl_dir())));
    has(
        &report,
        &[
            "Walls",
            "walled.test",
            "cloudflare",
            "left to rest 3 times",
            "What helps",
        ],
    );
    let junk = web.export("junk");
    assert!(
        junk.iter()
            .all(|row| row["reason"] == "blocked" && row["wall"] == "bot"),
        "{junk:?}"
    );
    let told = stdout(&run(tamis(&["explain"])
        .arg(web.crawl_dir())
        .arg("http://walled.test/0")));
    has(&told, &["blocked", "cloudflare"]);
    web.check();
    let retry = ["--status", "walled"];
    let said = stderr(&run(tamis(&["retry"]).arg(web.crawl_dir()).args(retry)));
    has(&said, &[&format!("{walled} URLs are back")]);
    web.check();
}

#[test]
fn a_crawl_of_which_only_outages_are_left_stops_and_keeps_what_waits() {
    let web = Web::serve(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("b.test", _) => status(503, ""),
        (_, "/robots.txt") => status(404, ""),
        _ => text(0, &[]),
    });
    let config = "[politeness]\ndelay = \"0\"\nretry_delay = \"50ms\"\ndead_host_after = \"2s\"\n";
    let seeds = ["--seed", "http://a.test/", "--seed", "http://b.test/"];
    let output = web.crawl(config, &seeds);
    assert!(output.status.success(), "{}", stderr(&output));
    // It was said that b.test could not be reached, which it could, and not when it is asked again.
    let first = "b.test is asked again first, in ";
    let why = " s: its robots.txt cannot be had; carry on later";
    has(&stderr(&output), &["1 URL waits", first, why]);
    let report = stdout(&run(tamis(&["report"]).arg(web.crawl_dir())));
    has(&report, &["no page, or no robots.txt", first]);
    assert_eq!(web.fates()["indexed"], 1);
    assert_eq!(
        web.export("hosts")
            .iter()
            .filter(|row| row["pending"] == 1)
            .count(),
        1
    );
    web.check();
}

#[test]
fn a_redirect_that_only_a_cookie_ends_is_followed_once() {
    let web = Web::serve(|asked| {
        let has_cookie = asked.cookie.contains("c=1");
        let host = &asked.host;
        let to = |path: &str, more: &str| {
            status(302, &format!("Location: http://{host}{path}\r\n{more}"))
        };
        let cookie = "Set-Cookie: c=1; Path=/\r\n";
        match (host.as_str(), asked.path.as_str()) {
            (_, "/robots.txt") => status(404, ""),
            ("self.test", path) if !has_cookie => to(path, cookie),
            ("dance.test", path) => match path.split_once("/check?back=") {
                Some((_, back)) => to(back, cookie),
                None if !has_cookie => to(&format!("/check?back={path}"), ""),
                None => text(1, &[]),
            },
            // It sets a cookie each time.
            ("loop.test", path) => to(path, cookie),
            ("spelt.test", "/") => to("/?utm_source=x", ""),
            ("spelt.test", _) => text(3, &[]),
            _ => text(2, &[]),
        }
    });
    let config = format!("{QUICK}[network]\ncookies = true\n[url]\ndrop_tracking = true\n");
    let hosts = ["self", "dance", "loop", "spelt"];
    let seeds = hosts.map(|host| format!("http://{host}.test/"));
    let mut options = Vec::new();
    for seed in &seeds {
        options.extend(["--seed", seed.as_str()]);
    }
    web.crawl(&config, &options);
    let rows = web.export("pages");
    let fate = |url: &str| {
        let row = rows.iter().find(|row| row["url"] == url);
        let row = row.unwrap_or_else(|| panic!("{url}: {rows:?}"));
        row["verdict"]
            .as_str()
            .or(row["reason"].as_str())
            .map(str::to_owned)
    };
    for seed in [&seeds[0], &seeds[1], &seeds[3]] {
        assert_eq!(fate(seed).as_deref(), Some("indexed"), "{seed}");
    }
    assert_eq!(fate(&seeds[2]).as_deref(), Some("redirect_loop"));
    assert_eq!(web.counts("loop.test")["/"], 2);
    web.check();
}

#[test]
fn a_single_fetch_asks_for_no_page_where_a_crawl_would_wait_for_robots_txt() {
    // A 429 and a 304 were taken for "there is no file", and what had come of a broken file for all of it.
    let web = Web::serve(|asked| match (asked.host.as_str(), asked.path.as_str()) {
        ("busy.test", "/robots.txt") => status(429, ""),
        ("same.test", "/robots.txt") => status(304, ""),
        ("broken.test", "/robots.txt") => ok("Content-Length: 500\r\n", "User-agent: *\nAllow: /"),
        ("none.test", "/robots.txt") => status(404, ""),
        _ => text(1, &[]),
    });
    let fetch = |host: &str| {
        let url = format!("http://{host}/x");
        let mut command = tamis(&["fetch", "--proxy", &web.proxy, "--allow-private", &url]);
        let output = command.output().expect("runs");
        (output.status.success(), stderr(&output))
    };
    for host in ["busy.test", "same.test", "broken.test"] {
        let (is_done, said) = fetch(host);
        assert!(!is_done && said.contains("robots: robots.txt"), "{said}");
        assert_eq!(web.log(host).len(), 1, "{host}");
    }
    assert!(fetch("none.test").0);
    for status in ["429", "304", "503"] {
        let check = ["robots", "check", "--status", status, "http://a.test/"];
        let output = tamis(&check).output().expect("runs");
        has(&stdout(&output), &["refused"]);
    }
    // The file may be named all the same, and is no URL.
    let check = ["robots", "check", "--status", "404", "-", "/p"];
    let output = tamis(&check).output().expect("runs");
    assert_eq!(stdout(&output).lines().count(), 1);
    let check = ["robots", "check", "--status", "404", "-"];
    says(&tamis(&check).output().expect("runs"), 2, &["no URL"]);
}
