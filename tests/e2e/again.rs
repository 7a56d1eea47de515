//! A crawl comes back: what is new, what changed, what is gone.

use std::collections::BTreeMap;

use serde_json::Value;
use testweb::history::{Dates, History, Moment, Validators, Version};
use testweb::{Response, TestWeb};

use crate::serve_support::Serving;
use crate::support::{Bench, has, page, run, says, stderr, stdout, tamis};

/// Visits as often as a test asks for them; gone after two answers, however soon.
const AT_ONCE: &str = "[politeness]\nattempts = 1\n[again]\nmin = \"0s\"\ngone_apart = \"0s\"\n";

const SEED: [&str; 4] = ["--seed", "http://a.test/", "--delay", "1ms"];

fn list(urls: &[&str]) -> String {
    let links: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
    page("Front page", 1, &links)
}

struct Site {
    bench: Bench,
    moment: Moment,
}

impl Site {
    fn new(history: History) -> Self {
        let moment = Moment::default();
        let bench = Bench::serve(history.on(TestWeb::new(), "a.test", &moment));
        std::fs::write(bench.dir.path().join("again.toml"), AT_ONCE).expect("a configuration");
        Self { bench, moment }
    }

    fn options<'o>(&self, config: &'o str, more: &[&'o str]) -> Vec<&'o str> {
        [&[config][..], &SEED[..], more].concat()
    }

    fn config(&self) -> String {
        let path = self.bench.dir.path().join("again.toml");
        path.to_string_lossy().into_owned()
    }

    #[track_caller]
    fn crawl(&self, name: &str) {
        let config = self.config();
        self.bench.crawl_to_end(name, &self.options(&config, &[]));
    }

    /// Comes back at a time; gives what the site was asked for.
    #[track_caller]
    fn come_back(&self, name: &str, at: u64) -> Vec<(String, u16)> {
        self.moment.set(at);
        self.bench.web.clear_log();
        let config = self.config();
        self.bench
            .crawl_to_end(name, &self.options(&config, &["--again"]));
        self.bench.check(name);
        let log = self.bench.web.log().into_iter();
        log.map(|entry| (entry.url, entry.status)).collect()
    }

    /// What the last round found, by URL.
    #[track_caller]
    fn changes(&self, name: &str) -> BTreeMap<String, String> {
        let dir = self.bench.crawl_dir(name);
        let output = run(tamis(&["changes", "--json"]).arg(dir));
        let rows = stdout(&output);
        let rows = rows.lines().map(|line| -> serde_json::Value {
            serde_json::from_str(line).expect("rows are JSON")
        });
        rows.map(|row| {
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            (field("url").replace("http://a.test", ""), field("change"))
        })
        .collect()
    }

    /// Rounds that were planned.
    fn rounds(&self, name: &str) -> u64 {
        let dir = self.bench.crawl_dir(name);
        let output = run(tamis(&["status", "--json"]).arg(dir));
        let status: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        status["stale"]["rounds"].as_u64().unwrap_or(0)
    }

    /// Kept pages with their texts.
    fn kept(&self, name: &str) -> BTreeMap<String, String> {
        let rows = self.bench.rows(name, "indexed").into_iter();
        rows.map(|row| {
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            (field("url").replace("http://a.test", ""), field("text"))
        })
        .collect()
    }
}

fn changed(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
    let rows = rows.iter();
    rows.map(|(url, change)| ((*url).to_owned(), (*change).to_owned()))
        .collect()
}

/// A site of 21 lists of 20 articles each. Then 20 more articles are there, on five of the lists.
fn growing() -> History {
    let mut history = History::new(Validators::Honest);
    let article = |list: u64, number: u64| format!("/l{list}/a{number}");
    let list_of = |list: u64, more: u64| {
        let articles: Vec<String> = (0..20 + more).map(|number| article(list, number)).collect();
        page("List", 10_000 + list, &articles)
    };
    let lists: Vec<String> = (0..21).map(|list| format!("/list{list}")).collect();
    history = history.page("/", 0, page("Front page", 1, &lists));
    for list in 0..21 {
        let path = format!("/list{list}");
        history = history.page(&path, 0, list_of(list, 0));
        let more = if list % 4 == 1 { 4 } else { 0 };
        history = history.page(&path, 1, list_of(list, more));
        for number in 0..20 + more {
            let text = page("Article", 70_001 + 100 * list + number, &[]);
            let from = u64::from(number >= 20);
            history = history.page(&article(list, number), from, text);
        }
    }
    history
}

/// Comes back with a budget of visits; gives how many of the 20 articles that are new were found, and how many
/// requests that took.
fn found_within(history: History, budget: u64) -> (usize, usize) {
    let site = Site::new(history);
    let config = format!("{AT_ONCE}budget = {budget}\n");
    std::fs::write(site.config(), config).expect("a configuration");
    site.crawl("one");
    let before = site.kept("one");
    assert_eq!(before.len(), 1 + 21 + 21 * 20);
    let asked = site.come_back("one", 1);
    let new: Vec<String> = site
        .kept("one")
        .into_keys()
        .filter(|url| !before.contains_key(url))
        .collect();
    let is_new = |url: &str| new.iter().any(|new| url.ends_with(new.as_str()));
    let requests = asked
        .iter()
        .filter(|(url, _)| !url.ends_with("robots.txt") && !is_new(url));
    (new.len(), requests.count())
}

#[test]
fn with_a_sitemap_or_a_feed_a_round_of_few_requests_finds_what_is_new() {
    // A full round is 442 pages: 3 % of it are 13.
    let (found, requests) = found_within(growing().sitemap("/map.xml", Dates::Honest), 13);
    assert!(
        found >= 19 && requests <= 13,
        "{found} of 20 with {requests} requests"
    );
    println!("with a sitemap: {found} of 20 with {requests} requests of 442");
    let lists: Vec<String> = (0..21).map(|list| format!("/list{list}")).collect();
    let front = page("Front page", 1, &lists).replace(
        "<head>",
        "<head><link rel=alternate type=application/atom+xml href=/feed>",
    );
    let (found, requests) = found_within(growing().page("/", 0, front).feed("/feed", 30), 13);
    assert!(
        found >= 19 && requests <= 13,
        "{found} of 20 with {requests} requests"
    );
    println!("with a feed: {found} of 20 with {requests} requests of 442");
}

#[test]
fn a_sitemap_or_a_feed_that_moves_goes_on_telling_what_is_new() {
    let pages = |from: u64, to: u64| (from..to).map(|page| format!("/p{page}"));
    let front = |to: u64| {
        let links: Vec<String> = pages(0, to).collect();
        page("Front page", 1, &links).replace(
            "<head>",
            "<head><link rel=alternate type=application/atom+xml href=/feed>",
        )
    };
    let history = || {
        let mut history = History::new(Validators::Honest).page("/", 0, front(6));
        for (number, path) in (0..).zip(pages(0, 12)) {
            // Three more pages at each of two turns, which no page links to.
            let from = if number < 6 {
                0
            } else {
                1 + u64::from(number >= 9)
            };
            history = history.page(&path, from, page(&path, 100 + number, &[]));
        }
        history.lists_move(1)
    };
    for history in [
        history().sitemap("/map.xml", Dates::Honest),
        history().feed("/feed", 20),
    ] {
        let site = Site::new(history);
        site.crawl("one");
        for at in [1, 2] {
            let asked = site.come_back("one", at);
            let known = site.kept("one").len() as u64;
            assert_eq!(known, 1 + 6 + 3 * at, "{asked:?}");
        }
        // The old place is asked more rarely where it goes on redirecting.
        let old =
            |asked: &[(String, u16)]| asked.iter().filter(|(_, status)| *status == 301).count();
        assert!(old(&site.come_back("one", 3)) <= 1);
    }
}

#[test]
fn a_round_for_which_it_is_too_early_says_when_the_first_page_is_due() {
    let site = site(Validators::Honest);
    let config = site.config();
    std::fs::write(&config, "[politeness]\nattempts = 1\n").expect("a configuration");
    site.crawl("one");
    let dir = site.bench.crawl_dir("one");
    let told = run(tamis(&["changes"]).arg(&dir));
    has(&stderr(&told), &["has not come back yet"]);
    let rows = || run(tamis(&["export"]).arg(&dir).arg("changes"));
    let none = rows();
    assert_eq!(stdout(&none), "");
    let mend = format!(
        "there are none yet; to visit the pages once more: tamis crawl --dir {} --again",
        dir.display()
    );
    has(&stderr(&none), &[&mend]);
    let again = site.options(&config, &["--again"]);
    let output = site.bench.crawl_showing("plain", "one", &again).output();
    let output = output.expect("runs");
    has(
        &stderr(&output),
        &[
            "no page is due yet, the first at 20",
            "[again]",
            "min = \"0s\"",
        ],
    );
    let said = stderr(&output);
    let times = said
        .lines()
        .filter(|line| line.contains("due") || line.contains("nothing"));
    assert_eq!(times.count(), 1, "it is told once: {said}");
    assert_eq!(stderr(&rows()), "", "there was a round");
    let told = run(tamis(&["changes"]).arg(&dir));
    has(
        &stderr(&told),
        &[
            "round 1 ran and no page was due; the first is due at 20",
            "[again]",
        ],
    );
    assert_eq!(site.rounds("one"), 0, "nothing was visited");
    std::fs::write(&config, AT_ONCE).expect("a configuration");
    site.come_back("one", 1);
    let told = run(tamis(&["changes", "--lang", "zh"]).arg(&dir));
    has(&stderr(&told), &["第 1 轮：访问"]);
    assert_eq!(site.rounds("one"), 1);
}

/// The server tells what `tamis changes` tells.
#[test]
fn changes_are_shown_in_the_browser_as_the_command_tells_them() {
    let site = site(Validators::Honest);
    site.crawl("one");
    let dir = site.bench.crawl_dir("one").display().to_string();
    let tab = "/c/one/changes\"";
    let server = Serving::start(&[&dir]);
    server.ready();
    assert!(!server.text("/c/one").contains(tab));
    has(&server.text("/c/one/changes"), &["has not come back yet"]);
    drop(server);
    site.come_back("one", 1);
    let server = Serving::start(&[&dir]);
    server.ready();
    assert!(server.text("/c/one").contains(tab));
    let told = site.changes("one");
    assert!(told.values().any(|change| change == "changed"), "{told:?}");
    let list = server.get("/api/v1/crawls/one/changes");
    let rows = list["changes"].as_array().expect("a list");
    let of =
        |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let shown: BTreeMap<String, String> = rows
        .iter()
        .map(|row| {
            (
                of(row, "url").replace("http://a.test", ""),
                of(row, "change"),
            )
        })
        .collect();
    assert_eq!(shown, told);
    assert_eq!(list["total"], told.len());
    assert_eq!(list["rounds"][0]["round"], 1);
    let changed = server.get("/api/v1/crawls/one/changes?change=changed&limit=1");
    let differs = |is: &str| {
        let pieces = changed["changes"][0]["pieces"].as_array();
        pieces.is_some_and(|pieces| pieces.iter().any(|piece| piece["is"] == is))
    };
    assert!(differs("added") || differs("removed"), "{changed}");
    let early = server.get("/api/v1/crawls/one/changes?since=2999-01-01");
    assert_eq!(early["total"], 0);
    let page = server.text("/c/one/changes?change=changed");
    has(&page, &["round 1: ", "<ins>"]);
    let of_kind = rows.iter().filter(|row| row["change"] == "changed").count();
    let results = page.split("id=\"results\"").nth(1).expect("results");
    assert_eq!(results.matches("<span class=\"tag\">").count(), of_kind);
    let wrong = server.ask("GET /api/v1/crawls/one/changes?change=foo", &[], "");
    assert_eq!(wrong.status, 400, "{}", wrong.text());
}

#[test]
fn without_either_a_round_visits_lists_first_and_finds_most_of_what_is_new() {
    let (found, requests) = found_within(growing(), 44);
    assert!(
        found >= 16 && requests <= 44,
        "{found} of 20 with {requests} requests"
    );
    println!("with lists alone: {found} of 20 with {requests} requests of 442");
}

#[test]
fn a_round_of_which_only_its_sitemap_is_due_ends() {
    let history = || {
        let paths: Vec<String> = (0..3).map(|number| format!("/p{number}")).collect();
        let front = page("Front page", 1, &paths);
        let mut history = History::new(Validators::Honest).page("/", 0, front);
        for (number, path) in paths.iter().enumerate() {
            history = history.page(path, 0, page(path, 100 + number as u64, &[]));
        }
        history.sitemap("/map.xml", Dates::Honest)
    };
    // No page is due for a week; or the budget is used up by the sitemap.
    for more in ["every = \"168h\"\n", "budget = 1\n"] {
        let settings = format!("{AT_ONCE}{more}");
        let site = Site::new(history());
        std::fs::write(site.config(), &settings).expect("a configuration");
        site.crawl("one");
        for at in 1..=2 {
            let asked = site.come_back("one", at);
            let asked = asked.iter().filter(|(url, _)| !url.ends_with("robots.txt"));
            assert!(asked.count() <= 1, "{settings}");
        }
    }
}

#[test]
fn a_page_that_its_sitemap_dates_anew_is_visited_first() {
    let paths: Vec<String> = (0..40).map(|number| format!("/p{number}")).collect();
    let mut history = History::new(Validators::Honest).page("/", 0, page("Front page", 1, &paths));
    for (number, path) in paths.iter().enumerate() {
        history = history.page(path, 0, page(path, 100 + number as u64, &[]));
        // Every turn three other pages change, as the sitemap says.
        let first = number as u64 / 3 + 1;
        history = history.page(path, first, page(path, 900 + number as u64, &[]));
    }
    let site = Site::new(history.sitemap("/map.xml", Dates::Honest));
    site.crawl("one");
    for at in 1..=8 {
        site.come_back("one", at);
    }
    let config = format!("{AT_ONCE}budget = 8\n");
    std::fs::write(site.config(), config).expect("a configuration");
    site.come_back("one", 9);
    let changed: Vec<String> = site.changes("one").into_keys().collect();
    assert_eq!(changed, ["/p24", "/p25", "/p26"]);
}

#[test]
fn a_crawl_that_comes_back_all_the_time_finds_what_changes_while_it_runs() {
    let site = site(Validators::Honest);
    let config = format!("{AT_ONCE}mode = \"continuous\"\nreplan = \"1s\"\n");
    std::fs::write(site.config(), config).expect("a configuration");
    let config = site.config();
    let options = site.options(&config, &[]);
    let mut child = site
        .bench
        .crawl("one", &options)
        .spawn()
        .expect("the binary starts");
    let until = |what: &dyn Fn() -> bool| {
        for _ in 0..600 {
            if what() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("it did not come to that");
    };
    let has = |url: &str| {
        let log = site.bench.web.log();
        log.iter()
            .any(|entry| entry.url.ends_with(url) && entry.status == 200)
    };
    until(&|| has("/flickers"));
    site.moment.set(1);
    until(&|| has("/new") && has("/moved"));
    // Killed and carried on; then stopped in order.
    child.kill().expect("kill -9");
    child.wait().expect("the child ends");
    site.moment.set(3);
    let options = [&options[..], &["--max-time", "4s", "--progress", "plain"]].concat();
    let output = site.bench.crawl("one", &options).output().expect("runs");
    assert!(output.status.success(), "{}", stderr(&output));
    site.bench.check("one");
    // A round may take several runs: they are one start, and what is said of it last is all of it.
    let report = run(tamis(&["report", "--json"]).arg(site.bench.crawl_dir("one")));
    let report: Value = serde_json::from_slice(&report.stdout).expect("JSON");
    assert_eq!(report["starts"], 2);
    let rounds = report["rounds"].as_array().expect("rounds").iter();
    let mut visited = rounds.map(|round| round["visited"].as_u64());
    let visited = visited.rfind(|visited| *visited > Some(0)).flatten();
    let visited = visited.expect("a round with visits");
    let said = stderr(&output);
    // A round that had just begun as the time ran out has no visits yet.
    let tells = |line: &&str| line.contains(" unclear; ") && !line.contains(": 0 visits ");
    let last = said.lines().rfind(tells);
    let last = last.unwrap_or_else(|| panic!("no round is told: {said}"));
    assert!(
        last.contains(&format!(": {visited} visits ")),
        "{last}, and {visited}"
    );
    let kept = site.kept("one");
    assert!(
        kept.contains_key("/new") && kept.contains_key("/leaves"),
        "{:?}",
        kept.keys()
    );
}

#[test]
fn a_crawl_that_waits_for_its_next_round_goes_on_at_once_with_settings_that_are_read_anew() {
    let site = site(Validators::Honest);
    let usual = "[again]\nmode = \"continuous\"\n";
    std::fs::write(site.config(), usual).expect("a configuration");
    let config = site.config();
    let options = site.options(&config, &[]);
    let spawned = site.bench.crawl("one", &options).spawn();
    let mut child = spawned.expect("the binary starts");
    let until = |what: &dyn Fn() -> bool| {
        for _ in 0..600 {
            if what() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        panic!("it did not come to that");
    };
    until(&|| {
        let dir = site.bench.crawl_dir("one");
        let output = tamis(&["status", "--json"])
            .arg(dir)
            .output()
            .expect("runs");
        stdout(&output).contains("\"state\":\"waiting\"")
    });
    site.moment.set(1);
    // Nothing is due for an hour; now it is.
    let config = format!("{AT_ONCE}mode = \"continuous\"\n");
    std::fs::write(site.config(), config).expect("a configuration");
    let output = tamis(&["reload"]).arg(site.bench.crawl_dir("one")).output();
    says(
        &output.expect("runs"),
        0,
        &["changed: again.min: \"1h\" -> \"0s\""],
    );
    until(&|| {
        site.bench
            .web
            .log()
            .iter()
            .any(|entry| entry.url.ends_with("/new"))
    });
    let output = tamis(&["stop"]).arg(site.bench.crawl_dir("one")).output();
    says(&output.expect("runs"), 0, &["stopping"]);
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    site.bench.check("one");
    // Between two rounds, too.
    let report = run(tamis(&["report"]).arg(site.bench.crawl_dir("one")));
    has(&stdout(&report), &["It stopped because it was told to"]);
}

fn site(validators: Validators) -> Site {
    let dated =
        |date: &str| page("Dated", 30, &[]).replace("</h1>", &format!("</h1><p>Seen {date}</p>"));
    Site::new(
        History::new(validators)
            .page(
                "/",
                0,
                list(&[
                    "/same",
                    "/changes",
                    "/dated",
                    "/leaves",
                    "/moves",
                    "/flickers",
                ]),
            )
            .page("/", 1, list(&["/same", "/changes", "/dated", "/new"]))
            .page("/same", 0, page("Same", 10, &[]))
            .page("/changes", 0, page("Changes", 20, &[]))
            .page("/changes", 1, page("Changes", 21, &[]))
            .page("/dated", 0, dated("12 May 2024"))
            .page("/dated", 1, dated("3 June 2025"))
            .page("/leaves", 0, page("Leaves", 40, &[]))
            .version("/leaves", 1, Version::Status(404))
            .page("/leaves", 3, page("Leaves", 40, &[]))
            .page("/moves", 0, page("Moves", 50, &[]))
            .version("/moves", 1, Version::Moved("/moved".into()))
            .page("/moved", 1, page("Moves", 50, &[]))
            .page("/flickers", 0, page("Flickers", 60, &[]))
            .version("/flickers", 1, Version::Status(503))
            .page("/flickers", 3, page("Flickers", 60, &[]))
            .page("/new", 1, page("New", 70, &[])),
    )
}

#[test]
fn a_round_finds_what_is_new_what_changed_and_what_is_gone() {
    let site = site(Validators::Honest);
    site.crawl("one");
    assert_eq!(site.kept("one").len(), 7);
    let before = site.kept("one");
    // Nothing has changed: visits are conditional and cost no body, but for one URL in 24 that is asked
    // for without a condition to see whether 304 is true.
    let asked = site.come_back("one", 0);
    let pages = asked.iter().filter(|(url, _)| !url.ends_with("robots.txt"));
    let full = pages.clone().filter(|(_, status)| *status != 304).count();
    assert!(pages.count() == 7 && full <= 1, "{asked:?}");
    assert_eq!(site.changes("one"), changed(&[]));
    assert_eq!(site.kept("one"), before);

    site.come_back("one", 1);
    let moved_on = [
        ("/changes", "changed"),
        ("/dated", "touched"),
        ("/flickers", "unclear"),
        ("/leaves", "unclear"),
        // It is where /moves points, and repeats it.
        ("/moved", "new"),
        ("/moves", "moved"),
        ("/new", "new"),
    ];
    assert_eq!(site.changes("one"), changed(&moved_on));
    let after = site.kept("one");
    // What has moved for good is kept where it is now; the old URL stayed, and its successor was its copy.
    assert!(after.contains_key("/moved") && !after.contains_key("/moves"));
    assert_eq!(after["/moved"], before["/moves"]);
    assert_ne!(after["/changes"], before["/changes"]);
    assert_eq!(after["/same"], before["/same"]);
    assert!(after.contains_key("/leaves") && after.contains_key("/flickers"));
    let told = stdout(&run(tamis(&["changes"]).arg(site.bench.crawl_dir("one"))));
    has(
        &told,
        &[
            "status 404: not yet gone, which takes 2 answers of 404 or 410",
            "/flickers: the server answered 503: this says nothing of the page",
        ],
    );

    site.come_back("one", 2);
    let gone = site.changes("one");
    assert_eq!(
        gone.get("/leaves").map(String::as_str),
        Some("gone"),
        "{gone:?}"
    );
    assert_eq!(gone["/flickers"], "unclear");
    // It points where it did a round before.
    assert!(!gone.contains_key("/moves"));
    let mut explain = tamis(&["explain"]);
    let told = run(explain
        .arg(site.bench.crawl_dir("one"))
        .arg("http://a.test/moves"));
    let told = stdout(&told);
    has(
        &told,
        &[
            "It redirects",
            "round 2: moved (status 301",
            "redirected now",
        ],
    );
    let kept = site.kept("one");
    assert!(!kept.contains_key("/leaves") && kept.contains_key("/flickers"));

    site.come_back("one", 3);
    assert_eq!(
        site.changes("one").get("/leaves").map(String::as_str),
        Some("back")
    );
    assert!(site.kept("one").contains_key("/leaves"));
}

#[test]
fn a_url_that_failed_when_it_was_read_first_is_asked_for_again_as_long_as_a_page_links_to_it() {
    // No round ever asked for it, though the front page led to it each time.
    let links = ["/busy", "/missing", "/same"];
    let site = Site::new(
        History::new(Validators::Honest)
            .page("/", 0, list(&links))
            .page("/same", 0, page("Same", 10, &[]))
            .version("/busy", 0, Version::Status(503))
            .page("/busy", 1, page("Busy", 20, &[]))
            .version("/missing", 0, Version::Status(404))
            .page("/missing", 1, page("Missing", 30, &[])),
    );
    site.crawl("one");
    assert_eq!(site.kept("one").len(), 2);
    let asked = site.come_back("one", 1);
    let times = |path: &str| asked.iter().filter(|(url, _)| url.ends_with(path)).count();
    assert_eq!(times("/busy"), 1, "{asked:?}");
    assert!(site.kept("one").contains_key("/busy"));
    assert_eq!(
        site.changes("one").get("/busy").map(String::as_str),
        Some("new")
    );
    // What is missing may come back, but not within the hour.
    assert_eq!(times("/missing"), 0);
    let mut explain = tamis(&["explain"]);
    let told = run(explain
        .arg(site.bench.crawl_dir("one"))
        .arg("http://a.test/busy"));
    has(
        &stdout(&told),
        &["put back into the queue: a round asks once more"],
    );
    // It is a page like any other from here on.
    let asked = site.come_back("one", 1);
    assert!(
        asked.contains(&("http://a.test/busy".to_owned(), 304)),
        "{asked:?}"
    );
}

#[test]
fn a_budget_of_new_pages_that_is_used_up_stops_no_visit() {
    let site = site(Validators::Missing);
    let seeds = site.bench.dir.path().join("seeds.txt");
    let (config, list) = (site.config(), seeds.to_string_lossy().into_owned());
    let options = [&config, "--seeds", &list, "--delay", "1ms"];
    std::fs::write(&seeds, "http://a.test/ pages=5\n").expect("a seed list");
    site.bench.crawl_to_end("one", &options);
    assert_eq!(site.kept("one").len(), 5);
    // Less than was read already.
    std::fs::write(&seeds, "http://a.test/ pages=2\n").expect("a seed list");
    site.bench.web.clear_log();
    site.bench
        .crawl_to_end("one", &[&options[..], &["--again"]].concat());
    let log = site.bench.web.log().into_iter();
    let pages = log.filter(|entry| !entry.url.ends_with("robots.txt"));
    assert_eq!(pages.count(), 5);
}

#[test]
fn a_round_beyond_the_page_budget_visits_what_was_read_and_nothing_new() {
    let site = site(Validators::Missing);
    let config = site.config();
    let options = site.options(&config, &["--max-pages", "3"]);
    site.bench.crawl_to_end("one", &options);
    assert_eq!(site.kept("one").len(), 3);
    for _ in 0..2 {
        site.bench.web.clear_log();
        let again = [&options[..], &["--again"]].concat();
        site.bench.crawl_to_end("one", &again);
        let log = site.bench.web.log().into_iter();
        let pages = log.filter(|entry| !entry.url.ends_with("robots.txt"));
        assert_eq!(pages.count(), 3);
        assert_eq!(site.kept("one").len(), 3);
    }
}

#[test]
fn the_search_index_has_the_page_as_it_is_now_and_explain_all_its_visits() {
    let word = |word: &str| {
        page("A word", 5, &[]).replace(
            "<p>",
            &format!("<p>{word} stands here and says what it says in so many words. "),
        )
    };
    let site = Site::new(
        History::new(Validators::Honest)
            .page("/", 0, word("quagmire"))
            .page("/", 1, word("zeppelin")),
    );
    site.crawl("one");
    let hits = |query: &str| {
        let dir = site.bench.crawl_dir("one");
        let output = run(tamis(&["search", "--json"]).arg(dir).arg(query));
        stdout(&output).lines().count()
    };
    assert_eq!([hits("quagmire"), hits("zeppelin")], [1, 0]);
    site.come_back("one", 1);
    assert_eq!([hits("quagmire"), hits("zeppelin")], [0, 1]);
    site.come_back("one", 1);
    let dir = site.bench.crawl_dir("one");
    let told = run(tamis(&["explain"]).arg(&dir).arg("http://a.test/"));
    has(&stdout(&told), &["round 1: changed", "round 2: unchanged"]);
    let told = run(tamis(&["changes", "--since", "2020-01-01"]).arg(&dir));
    has(&stdout(&told), &["changed", "[-quagmire-]", "[+zeppelin+]"]);
    let told = run(tamis(&["status"]).arg(&dir));
    has(&stdout(&told), &["After 2 rounds, about", "of 1 kept page"]);
    let rows = site.bench.rows("one", "changes");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["change"], "changed");
}

#[test]
fn what_repeated_a_page_that_has_changed_is_judged_anew_and_kept() {
    let links = ["/first", "/copy"];
    let site = Site::new(
        History::new(Validators::Honest)
            .page("/", 0, list(&links))
            .page("/first", 0, page("Text", 20, &[]))
            .page("/first", 1, page("Another", 21, &[]))
            .page("/copy", 0, page("Text", 20, &[])),
    );
    site.crawl("one");
    let kept = site.kept("one");
    let (first, copy) = match kept.contains_key("/first") {
        true => ("/first", "/copy"),
        false => ("/copy", "/first"),
    };
    assert!(!kept.contains_key(copy));
    site.come_back("one", 1);
    let kept = site.kept("one");
    assert!(
        kept.contains_key("/first") && kept.contains_key("/copy"),
        "{first} was kept: {:?}",
        kept.keys()
    );
}

#[test]
fn where_validators_always_differ_or_there_are_none_changes_are_found_all_the_same() {
    for validators in [Validators::Missing, Validators::AlwaysNew] {
        let site = site(validators);
        site.crawl("one");
        site.come_back("one", 1);
        let changes = site.changes("one");
        assert_eq!(
            changes.get("/changes").map(String::as_str),
            Some("changed"),
            "{validators:?}"
        );
        assert!(!changes.contains_key("/same"), "{validators:?}");
    }
}

#[test]
fn a_host_whose_304_lies_is_in_doubt_by_what_its_sitemap_tells_and_found_out() {
    let mut history = History::new(Validators::Stuck);
    let paths: Vec<String> = (0..60).map(|number| format!("/p{number}")).collect();
    let urls: Vec<&str> = paths.iter().map(String::as_str).collect();
    history = history.page("/", 0, list(&urls));
    for (number, path) in paths.iter().enumerate() {
        let number = number as u64;
        history = history.page(path, 0, page(path, 100 + number, &[]));
        history = history.page(path, 1, page(path, 500 + number, &[]));
    }
    let site = Site::new(history.sitemap("/map.xml", Dates::Honest));
    site.crawl("one");
    // Nothing speaks against 304 yet, but that the sitemap tells of changes.
    site.come_back("one", 1);
    assert_eq!(site.changes("one").len(), 0);
    // So one page in four is asked for without a condition.
    site.come_back("one", 1);
    let found = site.changes("one").len();
    assert!((1..30).contains(&found), "{found}");
    site.come_back("one", 1);
    assert_eq!(found + site.changes("one").len(), paths.len());
}

#[test]
fn a_crawl_that_came_back_stands_as_its_journal_has_it_wherever_that_is_read_from() {
    // Enough of a journal that a plan is worth saving.
    let paths: Vec<String> = (0..90).map(|number| format!("/{number}")).collect();
    let links: Vec<&str> = paths.iter().map(String::as_str).collect();
    let first = History::new(Validators::Honest).page("/", 0, list(&links));
    let pages = paths.iter().zip(0..);
    let site = Site::new(pages.fold(first, |history, (path, number)| {
        history.page(path, 0, page("A page", 10 * number, &[]))
    }));
    site.crawl("one");
    let dir = site.bench.crawl_dir("one");
    let saved = dir.join("state").join("visits");
    let told = || {
        let output = run(tamis(&["status", "--json"]).arg(&dir));
        let mut status: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        // It is told for the moment at which it is asked for.
        let stale = status["stale"].as_object_mut();
        stale.and_then(|stale| stale.remove("expected_changed"));
        status
    };
    site.bench.crawl_to_end("two", &SEED);
    let other = site.bench.crawl_dir("two").join("state").join("visits");
    assert!(!other.exists(), "a crawl that is not to come back has none");
    for at in 0..=3 {
        if at > 0 {
            site.come_back("one", at);
        }
        let from_file = told();
        let bytes =
            std::fs::read(&saved).expect("saved when the crawl ended, or a round was planned");
        std::fs::remove_file(&saved).expect("removed");
        assert_eq!(told(), from_file, "round {at}");
        std::fs::write(&saved, &bytes[..bytes.len() / 2]).expect("written");
        assert_eq!(told(), from_file, "round {at}, damaged");
        std::fs::write(&saved, &bytes).expect("written");
        let rounds = from_file["stale"]["rounds"].as_u64();
        assert_eq!(rounds.unwrap_or(0), at);
        assert_eq!(from_file["pending"], 0);
    }
}

/// A page whose last paragraph stands in the article, or in a box beside it, which is no main content.
fn with_a_last_paragraph(beside: bool, last: &str, counter: u32) -> String {
    let (article, aside) = match beside {
        false => (format!("<p>{last}</p>"), String::new()),
        true => (
            String::new(),
            format!("<aside class='sidebar related'><p>{last}</p></aside>"),
        ),
    };
    format!(
        "<html><head><title>Rows</title></head><body><nav><a href='/'>Home</a></nav><article><h1>Rows</h1>\
         <p>Dead rows stay in their table until a vacuum takes them out, and as long as they stay every scan has \
         to read past them, whatever the query asks for. Autovacuum looks at each table now and then.</p><p>As of now {counter} \
         views, and as many readers as there are rows in the table that it is about.</p>\
         <p>A planner chooses between an index scan and a sequential scan by what it knows of the table: how many \
         rows it has, how they are spread, and which of them the query wants.</p>{article}</article>{aside}\
         <footer>Imprint</footer></body></html>"
    )
}

#[test]
fn a_paragraph_that_only_left_the_main_content_is_no_change_however_often_it_is_looked_at() {
    let last = "Whoever wants to know what a query costs asks the planner with EXPLAIN, and reads its answer from the \
        inside to the outside.";
    let other = "Nobody knows what a query costs before it has run, and so it is measured on a copy of the data at \
        night.";
    let pages = |beside, last| (0..).map(move |at| with_a_last_paragraph(beside, last, at));
    let mut history = History::new(Validators::Honest).page("/", 0, list(&["/a"]));
    for (at, page) in pages(false, last)
        .take(1)
        .chain(pages(true, last).skip(1).take(3))
        .zip(0..)
    {
        history = history.page("/a", page, at);
    }
    let site = Site::new(
        history
            .page("/a", 4, with_a_last_paragraph(true, other, 4))
            .page("/a", 5, with_a_last_paragraph(false, other, 5)),
    );
    site.crawl("one");
    let url = "/a";
    for at in 1..=3 {
        site.come_back("one", at);
        assert_eq!(site.changes("one")[url], "touched", "round {at}");
    }
    // It is another one on the page now, beside the article as before: the main text has lost the first one.
    site.come_back("one", 4);
    assert_eq!(site.changes("one")[url], "changed");
    // And then in the article again.
    site.come_back("one", 5);
    assert_eq!(site.changes("one")[url], "touched");
}

/// A page with a title, directives for robots, and a counter.
fn titled(title: &str, robots: &str, counter: u32) -> String {
    format!(
        "<html><head><title>{title}</title><meta name='robots' content='{robots}'></head><body><article>\
         <p>Dead rows stay in their table until a vacuum takes them out, and as long as they stay every scan has \
         to read past them, whatever the query asks for. Autovacuum looks at each table now and then, {counter} \
         readers say, and takes its turn with those that have changed most since it was there last.</p></article></body></html>"
    )
}

#[test]
fn another_title_and_a_wish_to_be_left_out_are_seen_and_what_was_seen_is_not_told_again() {
    let all = "index, follow";
    let first = History::new(Validators::Missing).page(
        "/",
        0,
        list(&["/title", "/robots", "/same", "/gone"]),
    );
    let site = Site::new(
        first
            .page("/title", 0, titled("How vacuum works", all, 0))
            .page("/title", 1, titled("Where dead rows go", all, 0))
            .page("/robots", 0, page("One more page about tables", 200, &[]))
            .page(
                "/robots",
                1,
                page("One more page about tables", 200, &[])
                    .replace("<head>", "<head><meta name='robots' content='noindex'>"),
            )
            .page("/robots", 3, page("One more page about tables", 200, &[]))
            .page(
                "/same",
                0,
                page("Indexes", 300, &[]).replace("</body>", "<p>312 views, as of May</p></body>"),
            )
            .page(
                "/same",
                1,
                page("Indexes", 300, &[]).replace("</body>", "<p>313 views, as of June</p></body>"),
            )
            .page("/gone", 0, page("Locks", 400, &[]))
            .version("/gone", 1, Version::Status(404)),
    );
    site.crawl("one");
    assert_eq!(site.kept("one").len(), 5);
    site.come_back("one", 1);
    let changes = site.changes("one");
    assert_eq!(
        (changes["/title"].as_str(), changes["/robots"].as_str()),
        ("changed", "changed")
    );
    let dir = site.bench.crawl_dir("one");
    let found = stdout(&run(tamis(&["search"])
        .arg(&dir)
        .args(["where dead rows go"])));
    assert!(
        found.contains("Where [dead] [rows] [go]") && found.contains("/title"),
        "{found}"
    );
    assert!(!site.kept("one").contains_key("/robots"));
    // Nothing changes, so nothing is told; what is gone was told.
    site.come_back("one", 2);
    let changes = site.changes("one");
    assert_eq!(changes.keys().collect::<Vec<_>>(), ["/gone"], "{changes:?}");
    assert_eq!(changes["/gone"], "gone");
    site.come_back("one", 3);
    let changes = site.changes("one");
    assert_eq!(
        changes.keys().collect::<Vec<_>>(),
        ["/robots"],
        "{changes:?}"
    );
    assert!(site.kept("one").contains_key("/robots"));
}

#[test]
fn a_page_budget_that_is_used_up_stops_no_round() {
    let site = site(Validators::Honest);
    let config = site.config();
    let few = site.options(&config, &["--max-pages", "4"]);
    site.bench.crawl_to_end("one", &few);
    site.moment.set(1);
    site.bench.web.clear_log();
    let again = site.options(&config, &["--max-pages", "4", "--again"]);
    site.bench.crawl_to_end("one", &again);
    site.bench.check("one");
    let log = site.bench.web.log();
    let pages = log
        .iter()
        .filter(|entry| !entry.url.ends_with("robots.txt"));
    assert_eq!(pages.count(), 4);
}

/// Eight articles on two hosts: from turn 1 on the first one points to the other, where one more comes in each turn.
fn moved_site(front: &str, articles: bool) -> Site {
    let path = |number: u64| format!("/p/{number}");
    let front_of = |turn: u64| {
        let links: Vec<String> = (0..8 + turn).map(path).collect();
        page("Front page", 1, &links)
    };
    let mut old = History::new(Validators::Honest)
        .page("/", 0, front_of(0))
        .version("/", 1, Version::Moved(front.into()));
    let mut new = History::new(Validators::Honest);
    for turn in 0..4 {
        new = new.page("/", turn, front_of(turn));
    }
    for number in 0..11 {
        let text = page(&format!("Article {number}"), 500 + number, &[]);
        let to = match articles {
            true => format!("http://b.example{}", path(number)),
            false => front.to_owned(),
        };
        old =
            old.page(&path(number), 0, text.clone())
                .version(&path(number), 1, Version::Moved(to));
        new = new.page(&path(number), number.saturating_sub(7), text);
    }
    let moment = Moment::default();
    let web = new.on(TestWeb::new(), "b.example", &moment);
    let bench = Bench::serve(old.on(web, "a.test", &moment));
    std::fs::write(bench.dir.path().join("again.toml"), AT_ONCE).expect("a configuration");
    Site { bench, moment }
}

#[test]
fn a_site_that_moves_to_another_host_is_followed_there() {
    // Its new articles were never asked for: the other host was out of scope.
    let site = moved_site("http://b.example/", true);
    site.crawl("one");
    site.come_back("one", 1);
    let dir = site.bench.crawl_dir("one");
    let front = tamis(&["explain"]).arg(&dir).arg("http://a.test/").output();
    let told = stdout(&front.expect("it runs"));
    has(
        &told,
        &["it redirects to http://b.example/, which was left out: scope"],
    );
    let report = stdout(&run(tamis(&["report"]).arg(&dir)));
    has(
        &report,
        &["redirects to http://b.example/ by now, out of scope"],
    );
    site.come_back("one", 2);
    site.come_back("one", 3);
    let kept = site.kept("one");
    let here = (0..11).filter(|number| kept.contains_key(&format!("http://b.example/p/{number}")));
    assert_eq!(here.count(), 11, "{:?}", kept.keys());
    assert!(kept.keys().all(|url| url.starts_with("http://b.example/")));
    let report = stdout(&run(tamis(&["report"]).arg(&dir)));
    has(&report, &["redirected to http://b.example/"]);
    let stray = tamis(&["explain"])
        .arg(&dir)
        .arg("http://b.example/stray")
        .output();
    has(&stdout(&stray.expect("it runs")), &["It is in scope"]);
}

#[test]
fn a_site_all_of_whose_pages_point_to_one_place_has_not_moved_there() {
    let site = moved_site("http://b.example/", false);
    site.crawl("one");
    for turn in 1..4 {
        let asked = site.come_back("one", turn);
        assert!(
            asked.iter().all(|(url, _)| !url.contains("b.example")),
            "{asked:?}"
        );
    }
    assert_eq!(site.kept("one").len(), 9);
}

#[test]
fn where_a_site_has_moved_opens_no_other_place() {
    // The new host's front page was read as a seed is: where it led, by 302, another domain was crawled.
    let web = TestWeb::new()
        .respond(
            "http://www.a.test/",
            Response::redirect(302, "http://login.parked.test/"),
        )
        .page(
            "http://login.parked.test/",
            &page("Sign in", 7, &["/casino".into()]),
        )
        .page("http://login.parked.test/casino", &page("Casino", 8, &[]));
    let moment = Moment::default();
    let old = History::new(Validators::Honest)
        .page("/", 0, page("Front page", 1, &["/p/1".into()]))
        .page("/p/1", 0, page("Article", 2, &[]))
        .version("/", 1, Version::Moved("http://www.a.test/".into()));
    let bench = Bench::serve(old.on(web, "a.test", &moment));
    std::fs::write(bench.dir.path().join("again.toml"), AT_ONCE).expect("a configuration");
    let site = Site { bench, moment };
    site.crawl("one");
    let mut asked = Vec::new();
    for turn in 1..4 {
        asked.extend(site.come_back("one", turn));
    }
    let is_asked = |host: &str| asked.iter().any(|(url, _)| url.contains(host));
    assert!(
        is_asked("www.a.test") && !is_asked("parked.test"),
        "{asked:?}"
    );
}
