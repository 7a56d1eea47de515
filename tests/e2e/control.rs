//! A crawl is asked what it does, paused, stopped, and told to try again.

use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;
use testweb::{Request, Response, TestWeb};

use crate::support::{Bench, file, has, page, run, says, stderr, stdout, tamis};

/// A web of two hosts: one with pages without end, and one that answers 501 until it is mended.
fn web(mended: &Arc<AtomicBool>) -> TestWeb {
    let endless = |request: &Request| {
        let number: u64 = request
            .path
            .trim_matches(|c: char| !c.is_ascii_digit())
            .parse()
            .unwrap_or(0);
        let links = [
            format!("/p{}.html", number + 1),
            format!("/p{}.html", number + 7),
        ];
        Response::html(page(&format!("Page {number}"), number, &links))
    };
    let mended = Arc::clone(mended);
    let broken = move |request: &Request| {
        if request.path == "/robots.txt" || mended.load(Ordering::SeqCst) {
            return match request.path.as_str() {
                "/robots.txt" => Response::not_found(),
                path => Response::html(page("Mended", path.len() as u64 + 900, &[])),
            };
        }
        Response::error(501)
    };
    TestWeb::new()
        .host("endless.test", endless)
        .host("broken.test", broken)
}

#[test]
fn seeds_that_are_added_while_a_crawl_runs_are_crawled_and_last() {
    let mended = Arc::new(AtomicBool::new(true));
    let web = web(&mended)
        .page(
            "http://late.test/",
            &page("Late", 77, &["/more.html".into()]),
        )
        .page("http://late.test/more.html", &page("More", 88, &[]));
    let bench = Bench::serve(web);
    let seed = ["--seed", "http://endless.test/", "--delay", "20ms"];
    let mut running = Running::begin(&bench, &seed);
    let add = |arguments: &[&str]| {
        let mut command = tamis(&["seeds", "add"]);
        let command = command.arg(bench.crawl_dir("crawl")).args(arguments);
        command.output().expect("runs")
    };
    let list = file(bench.dir.path(), "late.txt", "http://late.test/ pages=2\n");
    let said = add(&[&list, "--json"]);
    let taken: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!((&taken["queued"], &taken["known"]), (&1.into(), &0.into()));
    has(
        &stderr(&said),
        &["1 seed is in the queue of the running crawl"],
    );
    let read = || -> Vec<String> {
        let pages = bench.pages("crawl").into_iter();
        pages.map(|(url, _)| url).collect()
    };
    let is_read = |url: &str| read().iter().any(|read| read == url);
    running.until(|_| is_read("http://late.test/more.html"));
    let again = add(&[&list, "--json"]);
    let taken: Value = serde_json::from_slice(&again.stdout).expect("JSON");
    assert_eq!((&taken["queued"], &taken["known"]), (&0.into(), &1.into()));
    // A bad line, and none of the list is taken.
    let bad = file(
        bench.dir.path(),
        "bad.txt",
        "http://other.test/\nnonsense\n",
    );
    says(&add(&[&bad]), 2, &["bad.txt", "2"]);
    says(&add(&[]), 2, &["no seeds", "--seed URL"]);
    // What was answered is recorded: the process is killed, and the next start has the seed.
    let finished = running.pause()["finished"].as_u64().expect("a number");
    let said = add(&["--seed", "http://broken.test/x.html"]);
    has(&stderr(&said), &["1 seed is in the queue"]);
    running.child.kill().expect("killed");
    running.child.wait().expect("ended");
    says(
        &add(&["--seed", "http://other.test/"]),
        1,
        &["no crawl runs", "tamis crawl --dir", "--seeds FILE"],
    );
    let max = (finished + 40).to_string();
    bench.crawl_to_end("crawl", &["--delay", "20ms", "--max-pages", &max]);
    assert!(is_read("http://broken.test/x.html"), "{:?}", read());
    assert!(!read().iter().any(|url| url.contains("other.test")));
    let report: Value = serde_json::from_str(&report(&bench, "json")).expect("JSON");
    let seeds = report["seeds"].as_array().expect("seeds");
    let sources: Vec<&str> = seeds
        .iter()
        .filter_map(|seed| seed["source"].as_str())
        .collect();
    assert_eq!(seeds.len(), 3, "{report}");
    assert!(
        sources.iter().any(|source| source.ends_with("late.txt:1")),
        "{sources:?}"
    );
    bench.check("crawl");
}

#[test]
fn a_seed_beyond_a_budget_of_a_running_crawl_is_left_out_and_said() {
    let bench = Bench::serve(web(&Arc::new(AtomicBool::new(true))));
    let config = file(
        bench.dir.path(),
        "rules.toml",
        "[politeness]\ndelay = \"20ms\"\n[host.\"broken.test\"]\nmax_pages = 1\n",
    );
    let _running = Running::begin(&bench, &[&config, "--seed", "http://endless.test/"]);
    let output = tamis(&["seeds", "add"])
        .arg(bench.crawl_dir("crawl"))
        .args(["--seed", "http://broken.test/x.html"])
        .args(["--seed", "http://broken.test/y.html"])
        .output();
    says(
        &output.expect("runs"),
        1,
        &["1 seed is in the queue", "1 seed left out by its budgets"],
    );
}

#[test]
fn settings_are_read_anew_while_a_crawl_runs_and_mistakes_change_nothing() {
    let bench = Bench::serve(web(&Arc::new(AtomicBool::new(true))));
    let seeds = file(bench.dir.path(), "seeds.txt", "http://endless.test/\n");
    let write = |rules: &str| {
        let text =
            format!("[seeds]\nfiles = [\"seeds.txt\"]\n[politeness]\ndelay = \"20ms\"\n{rules}");
        file(bench.dir.path(), "rules.toml", &text)
    };
    let config = write("");
    let mut running = Running::begin(&bench, &[&config]);
    let reload = |options: &[&str]| {
        let mut command = tamis(&["reload"]);
        let command = command.arg(bench.crawl_dir("crawl")).args(options);
        command.output().expect("runs")
    };
    let starts = || {
        let report: Value = serde_json::from_str(&report(&bench, "json")).expect("JSON");
        report["starts"].as_u64().expect("a number")
    };
    says(&reload(&[]), 0, &["nothing has changed"]);
    write("[crawl]\nmax_pagse = 7\n");
    says(
        &reload(&[]),
        2,
        &["rules.toml", "max_pagse", "max_pages", "goes on as it is"],
    );
    write("[topic]\nexamples = [\"missing.html\"]\n");
    says(&reload(&[]), 2, &["missing.html", "goes on as it is"]);
    file(
        bench.dir.path(),
        "seeds.txt",
        "http://endless.test/\nnonsense\n",
    );
    write("");
    says(&reload(&[]), 2, &["seeds.txt", "2", "goes on as it is"]);
    assert_eq!(starts(), 1, "it went on as it was");

    // A paused crawl is one that runs, and stays paused.
    let before = running.pause()["pages"].as_u64().expect("a number");
    file(
        bench.dir.path(),
        "seeds.txt",
        "http://endless.test/\nhttp://broken.test/x.html\n",
    );
    let most = before + 60;
    write(&format!("[crawl]\nmax_pages = {most}\n"));
    let said = reload(&["--json"]);
    let told: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let changes = [
        format!("crawl.max_pages: 0 -> {most}"),
        "seeds: 1 line is new".to_owned(),
    ];
    assert_eq!(told["changes"], serde_json::json!(changes), "{told}");
    // What it has read counts for the start, and not for the run that was begun anew.
    let is_anew = |status: &Value| status["state"] == "paused" && status["max_pages"] == most;
    let shown = running.until(is_anew);
    assert_ne!(shown["pages_this_start"], 0);
    tell(&bench, "resume");
    assert_eq!(running.child.wait().expect("ended").code(), Some(0));
    let shown = status(&bench, "crawl");
    assert_eq!(
        (&shown["pages"], &shown["stop_reason"]),
        (&most.into(), &"max_pages".into())
    );
    let read = bench.pages("crawl");
    assert!(
        read.iter()
            .any(|(url, _)| url == "http://broken.test/x.html")
    );
    assert_eq!(starts(), 1, "the same start goes on with the new settings");
    bench.check("crawl");
    says(&reload(&[]), 1, &["no crawl runs", "tamis crawl --dir"]);
    drop(seeds);
}

struct Running<'a> {
    bench: &'a Bench,
    child: Child,
}

impl Running<'_> {
    fn begin<'a>(bench: &'a Bench, options: &[&str]) -> Running<'a> {
        let child = bench.crawl("crawl", options).spawn().expect("starts");
        let running = Running { bench, child };
        running.until(|status| status["state"] == "running" && status["pages"].as_u64() > Some(3));
        running
    }

    /// Asks until the answer is as wanted, for half a minute at most.
    #[track_caller]
    fn until(&self, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..600 {
            let output = tamis(&["status", "--json"])
                .arg(self.bench.crawl_dir("crawl"))
                .output()
                .expect("runs");
            if output.status.success() {
                last = serde_json::from_slice(&output.stdout).expect("JSON");
                if wanted(&last) {
                    return last;
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("it never became so: {last}");
    }

    /// Pauses, and waits until nothing is under way and everything is recorded.
    #[track_caller]
    fn pause(&self) -> Value {
        tell(self.bench, "pause");
        self.until(|status| status["state"] == "paused" && status["in_flight"] == 0);
        // What came back last is being recorded: its counters stand still when it is.
        loop {
            let before = self.until(|_| true);
            std::thread::sleep(Duration::from_millis(400));
            if self.until(|_| true)["finished"] == before["finished"] {
                return before;
            }
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn tell(bench: &Bench, command: &str) -> String {
    stderr(&run(tamis(&[command]).arg(bench.crawl_dir("crawl"))))
}

#[track_caller]
fn status(bench: &Bench, name: &str) -> Value {
    let output = run(tamis(&["status", "--json"]).arg(bench.crawl_dir(name)));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[track_caller]
fn report(bench: &Bench, format: &str) -> String {
    stdout(&run(
        tamis(&["report", "--format", format]).arg(bench.crawl_dir("crawl"))
    ))
}

/// `12,345` in a text after a label, with whatever markup stands between the two.
#[track_caller]
fn number_after(text: &str, label: &str) -> u64 {
    let at = text
        .find(label)
        .unwrap_or_else(|| panic!("{label:?} is not in: {text}"));
    let rest = &text[at + label.len()..];
    let digits: String = rest
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(|c| *c != ',')
        .collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number after {label:?}"))
}

/// Text, JSON, HTML, status and exports say the same.
#[track_caller]
#[expect(clippy::too_many_lines, reason = "one number after another")]
fn numbers_agree(bench: &Bench) {
    let status = status(bench, "crawl");
    let json: Value = serde_json::from_str(&report(bench, "json")).expect("JSON");
    let totals = &json["totals"];
    let total = |name: &str| {
        totals[name]
            .as_u64()
            .unwrap_or_else(|| panic!("{name} in {totals}"))
    };
    assert_eq!(total("admitted"), total("pending") + total("finished"));
    let is_more = |key: &str| status[key].as_f64() > Some(0.0);
    for key in ["pages", "bytes", "rate", "running_ms"] {
        assert!(
            is_more(key) || status["state"] == "paused",
            "{key}: {status}"
        );
    }
    for name in [
        "admitted",
        "pending",
        "finished",
        "indexed",
        "failed",
        "refused",
        "redirected",
    ] {
        assert_eq!(
            status[name].as_u64(),
            Some(total(name)),
            "{name}: {status}\n{totals}"
        );
    }
    let dropped = |reasons: &Value| -> Vec<(String, u64)> {
        let all = reasons.as_object().expect("an object").iter();
        all.filter_map(|(name, n)| Some((name.clone(), n.as_u64().filter(|n| *n > 0)?)))
            .collect()
    };
    assert_eq!(dropped(&status["junk"]), dropped(&json["reasons"]["junk"]));
    let text = report(bench, "text");
    let html = report(bench, "html");
    for name in [
        "admitted", "pending", "finished", "indexed", "junk", "failed", "refused",
    ] {
        assert_eq!(
            number_after(&text, &format!("  {name} ")),
            total(name),
            "{name} in {text}"
        );
    }
    for (label, name) in [
        ("kept", "indexed"),
        ("dropped", "junk"),
        ("failed", "failed"),
        ("pending", "pending"),
    ] {
        let label = format!("<dt>{label}</dt><dd>");
        assert_eq!(
            number_after(&html, &label),
            total(name),
            "{name} in the HTML"
        );
    }
    let pages = bench.rows("crawl", "pages");
    let with = |key: &str, value: &str| pages.iter().filter(|row| row[key] == value).count() as u64;
    assert_eq!(with("verdict", "indexed"), total("indexed"));
    assert_eq!(with("verdict", "junk"), total("junk"));
    assert_eq!(with("outcome", "failed"), total("failed"));
    assert_eq!(with("outcome", "refused"), total("refused"));
    assert_eq!(pages.len() as u64, total("finished"));
    assert_eq!(
        bench.rows("crawl", "indexed").len() as u64,
        total("indexed")
    );
    assert_eq!(bench.rows("crawl", "junk").len() as u64, total("junk"));
    let hosts = bench.rows("crawl", "hosts");
    let sum = |key: &str| {
        hosts
            .iter()
            .filter_map(|row| row[key].as_u64())
            .sum::<u64>()
    };
    for key in ["admitted", "pending", "indexed"] {
        assert_eq!(sum(key), total(key), "{key} over hosts");
    }
}

const SEEDS: [&str; 8] = [
    "--seed",
    "http://endless.test/p0.html",
    "--seed",
    "http://broken.test/x.html",
    "--delay",
    "30ms",
    "--seed",
    "http://broken.test/yy.html",
];

#[test]
fn a_running_crawl_says_what_it_does_pauses_goes_on_and_stops() {
    let mended = Arc::new(AtomicBool::new(false));
    let bench = Bench::serve(web(&mended));
    let mut running = Running::begin(&bench, &SEEDS);
    let shown = running.until(|status| status["hosts"][0]["host"] == "endless.test");
    for key in [
        "state",
        "pages",
        "indexed",
        "junk",
        "pending",
        "rate",
        "hosts",
        "stop_reason",
    ] {
        assert!(shown.get(key).is_some(), "{key} is not in {shown}");
    }
    assert!(shown["hosts"][0]["why"].is_string(), "{shown}");
    let text = stdout(&run(tamis(&["status"]).arg(bench.crawl_dir("crawl"))));
    assert!(
        text.contains("running for") && text.contains("endless.test"),
        "{text}"
    );

    running.pause();
    bench.web.clear_log();
    std::thread::sleep(Duration::from_millis(300));
    assert!(
        bench.web.log().is_empty(),
        "nothing is fetched during a pause"
    );
    numbers_agree(&bench);
    tell(&bench, "resume");
    let pages = shown["pages"].as_u64();
    running.until(|status| status["state"] == "running" && status["pages"].as_u64() > pages);
    let said = tell(&bench, "stop");
    assert!(said.contains("what is under way is finished"), "{said}");
    assert_ne!(status(&bench, "crawl")["state"], "running", "at once");
    assert_eq!(running.child.wait().expect("ended").code(), Some(130));
    assert!(!bench.crawl_dir("crawl").join("control.sock").exists());
    assert_eq!(status(&bench, "crawl")["state"], "stopped");
    assert_eq!(status(&bench, "crawl")["stop_reason"], "interrupted");
    numbers_agree(&bench);
    bench.check("crawl");
    let output = tamis(&["pause"])
        .arg(bench.crawl_dir("crawl"))
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("tamis crawl --dir"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn what_a_killed_crawl_left_does_not_mislead_anybody() {
    let mended = Arc::new(AtomicBool::new(false));
    let bench = Bench::serve(web(&mended));
    let running = Running::begin(&bench, &SEEDS);
    drop(running);
    assert!(
        bench.crawl_dir("crawl").join("control.sock").exists(),
        "kill -9 leaves the name"
    );
    let shown = status(&bench, "crawl");
    assert_eq!(
        (&shown["state"], &shown["stop_reason"]),
        (&"stopped".into(), &Value::Null)
    );
    let text = stdout(&run(tamis(&["status"]).arg(bench.crawl_dir("crawl"))));
    assert!(text.contains("ended from outside"), "{text}");
    let again = Running::begin(&bench, &SEEDS);
    assert_eq!(status(&bench, "crawl")["state"], "running");
    drop(again);
}

#[test]
fn a_page_that_was_missing_is_asked_for_again_where_its_status_is_named() {
    let is_there = Arc::new(AtomicBool::new(false));
    let late = Arc::clone(&is_there);
    let web = TestWeb::new().host("late.test", move |request: &Request| {
        match (request.path.as_str(), late.load(Ordering::SeqCst)) {
            ("/", _) => Response::html(page("Front", 1, &["/late.html".to_owned()])),
            ("/late.html", true) => Response::html(page("Late", 2, &[])),
            (_, _) => Response::not_found(),
        }
    });
    let bench = Bench::serve(web);
    bench.crawl_to_end("crawl", &["--seed", "http://late.test/", "--delay", "0"]);
    let broken = || bench.rows("crawl", "broken").len();
    assert_eq!((broken(), bench.rows("crawl", "indexed").len()), (1, 1));
    is_there.store(true, Ordering::SeqCst);
    let retry = |status: &str| {
        let mut command = tamis(&["retry", "--status", status]);
        stderr(&run(command.arg(bench.crawl_dir("crawl"))))
    };
    has(&retry("4xx"), &["no failed URL", "--status 404"]);
    // One that is still missing is no new page, and is counted once.
    is_there.store(false, Ordering::SeqCst);
    has(&retry("404"), &["1 URL is back in the queue"]);
    bench.crawl_to_end("crawl", &[]);
    let figures = {
        let mut command = tamis(&["report", "--format", "json"]);
        let told = run(command.arg(bench.crawl_dir("crawl")));
        serde_json::from_slice::<Value>(&told.stdout).expect("JSON")
    };
    assert_eq!(figures["totals"]["finished"], 2);
    assert_eq!(figures["harvest"]["pages"], 2, "{}", figures["harvest"]);
    is_there.store(true, Ordering::SeqCst);
    has(&retry("404"), &["1 URL is back in the queue"]);
    let waiting = status(&bench, "crawl");
    assert_eq!(waiting["pending"], 1);
    assert_eq!(waiting["junk"]["error_page"].as_u64().unwrap_or(0), 0);
    bench.crawl_to_end("crawl", &[]);
    assert_eq!((broken(), bench.rows("crawl", "indexed").len()), (0, 2));
    bench.check("crawl");
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one story from the first crawl to the last"
)]
fn what_failed_is_tried_again_in_a_stopped_crawl() {
    let mended = Arc::new(AtomicBool::new(false));
    let bench = Bench::serve(web(&mended));
    let seeds = [
        "--seed",
        "http://broken.test/x.html",
        "--seed",
        "http://broken.test/yy.html",
        "--delay",
        "0",
    ];
    let output = bench.crawl("crawl", &seeds).output().expect("runs");
    assert_eq!(output.status.code(), Some(1), "no page could be read");
    assert_eq!(status(&bench, "crawl")["failed"], 2);
    let said = stderr(&run(
        tamis(&["retry", "--status", "dns"]).arg(bench.crawl_dir("crawl"))
    ));
    assert!(
        said.contains("no failed URL") && said.contains("http 501 2"),
        "{said}"
    );
    let retry = |filter: &[&str]| {
        let mut command = tamis(&["retry"]);
        command
            .args(filter)
            .arg(bench.crawl_dir("crawl"))
            .output()
            .expect("runs")
    };
    says(
        &retry(&["--status", "4xx"]),
        0,
        &["no failed URL", "http 501 2"],
    );
    says(&retry(&["--status", "44"]), 2, &["a class (4xx)"]);
    says(
        &retry(&["--host", "borken.test"]),
        0,
        &["knows no host borken.test"],
    );
    let said = stderr(&retry(&["--status", "5xx"]));
    assert!(said.contains("2 URLs are back in the queue"), "{said}");
    let text = stdout(&run(tamis(&["status"]).arg(bench.crawl_dir("crawl"))));
    has(
        &text,
        &[
            "2 URLs wait in the queue",
            "Carry on with: tamis crawl --dir",
        ],
    );
    let shown = status(&bench, "crawl");
    assert_eq!(
        (&shown["failed"], &shown["pending"], &shown["pages"]),
        (&0.into(), &2.into(), &0.into())
    );
    let story = stdout(&run(tamis(&["explain"])
        .arg(bench.crawl_dir("crawl"))
        .arg("http://broken.test/x.html")));
    has(
        &story,
        &["Put back into the queue, and waiting for its turn"],
    );
    let said = tell(&bench, "retry");
    assert!(
        said.contains("no failed URL"),
        "what waits is not put back twice: {said}"
    );
    mended.store(true, Ordering::SeqCst);
    bench.crawl_to_end("crawl", &seeds);
    let shown = status(&bench, "crawl");
    assert_eq!(
        (&shown["failed"], &shown["indexed"]),
        (&0.into(), &2.into()),
        "{shown}"
    );
    numbers_agree_after_retry(&bench);
}

/// As `numbers_agree`, for a crawl whose URLs were finished more than once.
#[track_caller]
fn numbers_agree_after_retry(bench: &Bench) {
    bench.check("crawl");
    // The state is rebuilt from the journal to the same queue.
    std::fs::remove_dir_all(bench.crawl_dir("crawl").join("state")).expect("removed");
    run(&mut bench.crawl("crawl", &[]));
    bench.check("crawl");
    numbers_agree(bench);
}

#[test]
fn what_failed_is_tried_again_in_a_running_crawl() {
    let mended = Arc::new(AtomicBool::new(false));
    let bench = Bench::serve(web(&mended));
    let mut running = Running::begin(&bench, &SEEDS);
    running.until(|status| status["failed"] == 2);
    mended.store(true, Ordering::SeqCst);
    let said = stderr(&run(
        tamis(&["retry", "--host", "broken.test"]).arg(bench.crawl_dir("crawl"))
    ));
    assert!(
        said.contains("2 URLs are back in the queue of the running crawl"),
        "{said}"
    );
    let mended = (
        "http://broken.test/x.html".to_string(),
        "indexed".to_string(),
    );
    running.until(|status| status["failed"] == 0 && bench.pages("crawl").contains(&mended));
    running.pause();
    numbers_agree(&bench);
    tell(&bench, "stop");
    assert_eq!(running.child.wait().expect("ended").code(), Some(130));
    bench.check("crawl");
}

#[test]
fn a_termination_signal_stops_a_crawl_as_the_first_interrupt_does() {
    for signal in ["TERM", "INT", "HUP"] {
        let mended = Arc::new(AtomicBool::new(false));
        let bench = Bench::serve(web(&mended));
        let mut running = Running::begin(&bench, &SEEDS);
        run(std::process::Command::new("kill")
            .args([&format!("-{signal}"), &running.child.id().to_string()]));
        assert_eq!(
            running.child.wait().expect("ended").code(),
            Some(130),
            "{signal}"
        );
        assert_eq!(status(&bench, "crawl")["stop_reason"], "interrupted");
        bench.check("crawl");
    }
}

#[test]
fn a_second_interrupt_stops_at_once_and_is_told_as_a_stop() {
    // The process ended by itself, and a crawl that was stopped by hand was told as one that was killed.
    let mended = Arc::new(AtomicBool::new(false));
    let slow = Duration::from_secs(25);
    let web = web(&mended)
        .page("http://slow.test/", &page("Slow", 55, &[]))
        .latency("slow.test", slow);
    let bench = Bench::serve(web);
    let seeds = ["--seed", "http://slow.test/"];
    let mut running = Running::begin(&bench, &[&SEEDS[..], &seeds].concat());
    let began = std::time::Instant::now();
    let interrupt = || {
        let id = running.child.id().to_string();
        run(std::process::Command::new("kill").args(["-INT", &id]));
    };
    interrupt();
    running.until(|status| status["state"] != "running");
    interrupt();
    assert_eq!(running.child.wait().expect("ended").code(), Some(130));
    assert!(began.elapsed() < slow / 2, "{:?}", began.elapsed());
    assert_eq!(status(&bench, "crawl")["stop_reason"], "interrupted");
    let report = stdout(&run(tamis(&["report"]).arg(bench.crawl_dir("crawl"))));
    has(&report, &["it was told to; it can go on (at once)"]);
    numbers_agree(&bench);
    bench.check("crawl");
}
