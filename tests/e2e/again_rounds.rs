//! When a round begins and ends: by what is due, by budgets, all the time.

use serde_json::Value;
use testweb::history::{Dates, History, Validators};

use crate::again_support::{AT_ONCE, Site, site};
use crate::support::{has, page, run, says, stderr, stdout, tamis};

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
