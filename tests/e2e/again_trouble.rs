//! Rounds in trouble: hosts that fail, crawls that are killed, and what a round costs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use testweb::TestWeb;
use testweb::history::{Dates, History, Moment, Validators, Version};

use crate::support::{Bench, page, run, stderr, stdout, tamis};

/// Visits as often as a test asks for them; gone after two answers, however soon.
const AT_ONCE: &str = "[politeness]\nattempts = 1\n[limits]\nconnect_time = \"1s\"\nfirst_byte_time = \"1s\"\n[again]\nmin = \"0s\"\ngone_apart = \"0s\"\n";

struct Site {
    bench: Bench,
    moment: Moment,
    seeds: Vec<String>,
}

impl Site {
    fn new(hosts: Vec<(String, History)>) -> Self {
        let moment = Moment::default();
        let mut web = TestWeb::new();
        let mut seeds = Vec::new();
        for (host, history) in hosts {
            web = history.on(web, &host, &moment);
            seeds.extend(["--seed".to_owned(), format!("http://{host}/")]);
        }
        let bench = Bench::serve(web);
        std::fs::write(bench.dir.path().join("again.toml"), AT_ONCE).expect("a configuration");
        Self {
            bench,
            moment,
            seeds,
        }
    }

    fn options(&self, more: &[&str]) -> Vec<String> {
        let config = self.bench.dir.path().join("again.toml");
        let mut options = vec![config.to_string_lossy().into_owned()];
        options.extend(self.seeds.iter().cloned());
        options.extend(["--delay", "1ms"].map(str::to_owned));
        options.extend(more.iter().map(|option| (*option).to_owned()));
        options
    }

    #[track_caller]
    fn crawl(&self, name: &str, more: &[&str]) {
        let options = self.options(more);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        self.bench.crawl_to_end(name, &options);
    }

    /// Every change that any round found: URL and change, as often as it was told.
    #[track_caller]
    fn changes(&self, name: &str) -> Vec<(String, String)> {
        let rows = self.bench.rows(name, "changes").into_iter();
        let field =
            |row: &serde_json::Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let mut rows: Vec<(String, String)> = rows
            .map(|row| (field(&row, "url"), field(&row, "change")))
            .collect();
        rows.sort();
        rows
    }

    fn kept(&self, name: &str) -> BTreeMap<String, String> {
        let rows = self.bench.rows(name, "indexed").into_iter();
        rows.map(|row| {
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            (field("url"), field("text"))
        })
        .collect()
    }

    fn status(&self, name: &str) -> serde_json::Value {
        let output = run(tamis(&["status", "--json"]).arg(self.bench.crawl_dir(name)));
        serde_json::from_str(&stdout(&output)).expect("JSON")
    }
}

/// How many of something a test has; more where a variable asks for them.
fn wanted(variable: &str, usual: usize) -> usize {
    let wanted = std::env::var(variable).ok();
    wanted.and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Front page, lists of a hundred pages, and the pages.
fn listed(mut history: History, title: &str, paths: &[String]) -> History {
    let lists = paths.chunks(100).enumerate();
    let names: Vec<String> = lists
        .clone()
        .map(|(list, _)| format!("/list{list}"))
        .collect();
    history = history.page("/", 0, page(title, 1, &names));
    for ((list, paths), name) in lists.zip(&names) {
        let seed = 10_000_000 + list as u64;
        history = history.page(name, 0, page(&format!("{title} {list}"), seed, paths));
    }
    history
}

/// What a page does in the second and third turn.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    Status(u16),
    /// Missing once, then there again.
    MissingOnce,
    /// It redirects to the front page of a host that is well: it is gone as well.
    Redirect,
    /// It has moved to another host.
    Moved,
    Late,
    None,
    /// It is gone indeed.
    Gone,
}

/// What becomes of a page, and on which host it is: some hundred pages share a host, which is left alone
/// for a while after each error.
fn trouble_of(number: usize) -> (String, Trouble) {
    use Trouble::*;
    const KINDS: [Trouble; 10] = [
        Status(500),
        Status(502),
        Status(503),
        Status(403),
        Status(401),
        Status(429),
        MissingOnce,
        Redirect,
        Moved,
        None,
    ];
    match number % 100 {
        // Pages that answer late are few, on hosts of their own: each costs the time that a crawl waits.
        0 => (format!("late{}.test", number / 100 % 20), Late),
        // A host whose robots.txt fails, and one that moves as a whole.
        1..11 => ("robots.test".to_owned(), None),
        11..21 => ("moves.test".to_owned(), Moved),
        21..25 => (format!("a{}.test", number / 100), Gone),
        _ => (
            format!("a{}.test", number / 100),
            KINDS[number % KINDS.len()],
        ),
    }
}

/// Hosts in trouble from the second turn on, and the pages that are gone indeed.
fn troubled(pages: usize) -> (Vec<(String, History)>, BTreeSet<String>) {
    let mut hosts: BTreeMap<String, Vec<(usize, Trouble)>> = BTreeMap::new();
    for number in 0..pages {
        let (host, trouble) = trouble_of(number);
        hosts.entry(host).or_default().push((number, trouble));
    }
    let path = |number: usize| format!("/p{number}");
    let text = |number: usize| page(&path(number), 100 + number as u64, &[]);
    let mut gone = BTreeSet::new();
    let mut histories = Vec::new();
    let mut target = History::new(Validators::Honest).page("/", 0, page("Target", 3, &[]));
    for (host, pages) in &hosts {
        let paths: Vec<String> = pages.iter().map(|(number, _)| path(*number)).collect();
        let mut history = listed(History::new(Validators::Honest), host, &paths);
        if host == "robots.test" {
            history = history.version("/robots.txt", 1, Version::Status(503));
        }
        if host == "moves.test" {
            history = history.version("/", 1, Version::Moved("http://target.test/".into()));
        }
        for (number, trouble) in pages {
            let (path, text) = (path(*number), text(*number));
            history = history.page(&path, 0, text.clone());
            if *trouble == Trouble::Moved {
                target = target.page(&path, 1, text.clone());
            }
            if matches!(trouble, Trouble::Gone | Trouble::Redirect) {
                gone.insert(format!("http://{host}{path}"));
            }
            history = in_trouble(history, &path, *trouble, text);
        }
        histories.push((host.clone(), history));
    }
    histories.push(("target.test".to_owned(), target));
    (histories, gone)
}

fn in_trouble(history: History, path: &str, trouble: Trouble, text: String) -> History {
    let version = match trouble {
        Trouble::None => return history,
        Trouble::Status(status) => Version::Status(status),
        Trouble::MissingOnce | Trouble::Gone => Version::Status(404),
        Trouble::Redirect => Version::Moved("/".into()),
        Trouble::Moved => Version::Moved(format!("http://target.test{path}")),
        Trouble::Late => Version::Late(Duration::from_secs(5)),
    };
    let history = history.version(path, 1, version);
    match trouble {
        Trouble::MissingOnce => history
            .page(path, 2, text)
            .version(path, 3, Version::Status(410)),
        _ => history,
    }
}

#[test]
fn no_page_is_gone_by_errors_time_outs_robots_or_a_host_that_moved() {
    let pages = wanted("TAMIS_TROUBLE_PAGES", 400);
    let (histories, gone) = troubled(pages);
    let site = Site::new(histories);
    site.crawl("one", &["--concurrency", "32"]);
    let before = site.kept("one");
    assert!(before.len() >= pages, "{} of {pages} pages", before.len());
    for at in 1..=3 {
        site.moment.set(at);
        site.crawl("one", &["--again", "--concurrency", "32"]);
    }
    site.bench.check("one");
    let rows = site.changes("one");
    let told = rows.iter().filter(|(_, change)| change == "gone");
    let told: BTreeSet<String> = told.map(|(url, _)| url.clone()).collect();
    let of = |change: &str| rows.iter().filter(|(_, own)| own == change).count();
    println!(
        "{pages} pages, 3 rounds in trouble: {} gone of {} that are, {} false; told as unclear {}, moved {}",
        told.len(),
        gone.len(),
        told.difference(&gone).count(),
        of("unclear"),
        of("moved"),
    );
    assert_eq!(told, gone);
    let kept = site.kept("one");
    // What has moved for good is kept where it is now; a front page that points elsewhere in each round is none.
    let texts: BTreeSet<&String> = kept.values().collect();
    let has_moved =
        |(url, text): &(&String, &String)| *url == "http://moves.test/" || texts.contains(text);
    let lost = before.iter().filter(|(url, _)| !kept.contains_key(*url));
    let lost = lost.filter(|page| !has_moved(page));
    let lost: Vec<&String> = lost
        .map(|(url, _)| url)
        .filter(|url| !gone.contains(*url))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

/// A site of which each round finds something else at two pages in three.
fn moving(pages: u64, rounds: u64) -> History {
    let paths: Vec<String> = (0..pages).map(|number| format!("/p{number}")).collect();
    let mut history = listed(History::new(Validators::Honest), "Moving", &paths);
    for (number, path) in (0..).zip(&paths) {
        history = history.page(path, 0, page(path, 100 + number, &[]));
        for round in 1..=rounds {
            let seed = 1_000_000 * round + number;
            history = match (number + round) % 6 {
                0 | 1 => {
                    let new = format!("/n{round}-{number}");
                    let links = if number < 12 { vec![new] } else { Vec::new() };
                    history.page(path, round, page(path, seed, &links))
                }
                2 => history.version(path, round, Version::Status(410)),
                3 => history.page(path, round, page(path, 100 + number, &[])),
                _ => history,
            };
            history = history.page(
                &format!("/n{round}-{number}"),
                round,
                page("new", seed, &[]),
            );
        }
    }
    history
}

impl Site {
    /// Whether a round was planned and has not ended.
    fn is_open(&self, name: &str) -> bool {
        let status = self.status(name);
        let due = status["stale"]["due"].as_u64();
        due > Some(0) || status["pages_unplanned"] == true || status["copies_wait"] == true
    }

    /// Rounds that were planned.
    fn rounds(&self, name: &str) -> u64 {
        self.status(name)["stale"]["rounds"].as_u64().unwrap_or(0)
    }

    /// Starts a crawl and kills it after some answers of the site, or before the first one; whether it was
    /// alive then.
    fn kill(&self, name: &str, more: &[&str], turn: usize) -> bool {
        let options = self.options(more);
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        self.bench.web.clear_log();
        let mut child = self.bench.crawl(name, &options).spawn().expect("it starts");
        let answers = turn * 7 % 23;
        let mut ended = false;
        while self.bench.web.log().len() < answers && !ended {
            ended = child.try_wait().expect("the child is known").is_some();
            std::thread::sleep(Duration::from_millis(1));
        }
        // Before they are recorded, or after.
        if !ended {
            std::thread::sleep(Duration::from_millis(37 * turn as u64 % 240));
        }
        let is_alive = child.try_wait().expect("the child is known").is_none();
        if is_alive {
            child.kill().expect("kill -9");
        }
        child.wait().expect("the child ends");
        is_alive
    }
}

#[test]
fn rounds_that_are_killed_again_and_again_end_as_those_that_are_not() {
    let kills = wanted("TAMIS_KILLS", 10);
    let site = Site::new(vec![("a.test".to_owned(), moving(60, 60))]);
    for name in ["whole", "killed"] {
        site.crawl(name, &[]);
    }
    let (mut round, mut hits, mut beside, mut turn) = (0, 0, 0, 0);
    while hits < kills {
        assert!(
            turn < 8 * kills + 40,
            "{hits} kills hit a round in {turn} starts"
        );
        let is_carried_on = site.is_open("killed");
        let before = site.rounds("killed");
        if !is_carried_on {
            site.moment.set(round + 1);
        }
        let more: &[&str] = if is_carried_on { &[] } else { &["--again"] };
        let is_killed = site.kill("killed", more, turn);
        // A kill before the round was planned: it is begun once more.
        round += u64::from(!is_carried_on && site.rounds("killed") != before);
        match is_killed && site.is_open("killed") {
            true => hits += 1,
            false => beside += 1,
        }
        turn += 1;
    }
    if site.is_open("killed") {
        site.crawl("killed", &[]);
    }
    assert_eq!(site.rounds("killed"), round);
    for at in 1..=round {
        site.moment.set(at);
        site.crawl("whole", &["--again"]);
    }
    println!("{hits} kills while a round ran, {beside} beside one; {round} rounds");
    for name in ["whole", "killed"] {
        site.bench.check(name);
    }
    assert_eq!(site.kept("killed"), site.kept("whole"));
    assert_eq!(site.changes("killed"), site.changes("whole"));
    // The search index has the current versions, each once.
    let dir = site.bench.crawl_dir("killed");
    let search = ["search", "--json", "--limit", "1000"];
    let found = run(tamis(&search).arg(dir).arg("host:a.test"));
    let url = |line: &str| -> String {
        let row: serde_json::Value = serde_json::from_str(line).expect("rows are JSON");
        row["url"].as_str().unwrap_or_default().to_owned()
    };
    let found: Vec<String> = stdout(&found).lines().map(url).collect();
    let urls: BTreeSet<String> = found.iter().cloned().collect();
    assert_eq!(urls.len(), found.len(), "no page twice");
    assert_eq!(urls, site.kept("killed").into_keys().collect());
}

#[test]
fn every_further_visit_is_conditional_and_costs_no_body() {
    let paths: Vec<String> = (0..48).map(|number| format!("/p{number}")).collect();
    let mut history = listed(History::new(Validators::Honest), "Quiet", &paths);
    for (number, path) in (0..).zip(&paths) {
        history = history.page(path, 0, page(path, 100 + number, &[]));
    }
    let history = history.sitemap("/map.xml", Dates::Honest);
    let site = Site::new(vec![("a.test".to_owned(), history)]);
    site.crawl("one", &[]);
    let (mut visits, mut plain, mut bodies) = (0, Vec::new(), 0);
    let rounds = 6;
    for _ in 0..rounds {
        site.bench.web.clear_log();
        site.crawl("one", &["--again"]);
        let log = site.bench.web.log().into_iter();
        for entry in log.filter(|entry| !entry.url.ends_with("robots.txt")) {
            visits += 1;
            bodies += usize::from(entry.status == 200);
            if !entry.conditional {
                plain.push(entry.url);
            }
        }
    }
    // 48 pages, a list and the front page, and the sitemap.
    assert_eq!(visits, rounds * 51);
    println!(
        "{visits} visits, {} of them without a condition",
        plain.len()
    );
    assert!(plain.is_empty(), "{plain:?}");
    assert_eq!(bodies, 0, "what has not changed costs no body");
    let told = run(tamis(&["changes"]).arg(site.bench.crawl_dir("one")));
    assert!(stderr(&told).contains(" 0 changed"), "{}", stderr(&told));
}
