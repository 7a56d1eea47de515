//! A site at a given time, and a crawl that comes back to it.

use std::collections::BTreeMap;

use testweb::TestWeb;
use testweb::history::{History, Moment, Validators, Version};

use crate::support::{Bench, page, run, stdout, tamis};

/// Visits as often as a test asks for them; gone after two answers, however soon.
pub(crate) const AT_ONCE: &str =
    "[politeness]\nattempts = 1\n[again]\nmin = \"0s\"\ngone_apart = \"0s\"\n";

pub(crate) const SEED: [&str; 4] = ["--seed", "http://a.test/", "--delay", "1ms"];

pub(crate) fn list(urls: &[&str]) -> String {
    let links: Vec<String> = urls.iter().map(|url| (*url).to_owned()).collect();
    page("Front page", 1, &links)
}

pub(crate) struct Site {
    pub(crate) bench: Bench,
    pub(crate) moment: Moment,
}

impl Site {
    pub(crate) fn new(history: History) -> Self {
        let moment = Moment::default();
        let bench = Bench::serve(history.on(TestWeb::new(), "a.test", &moment));
        std::fs::write(bench.dir.path().join("again.toml"), AT_ONCE).expect("a configuration");
        Self { bench, moment }
    }

    pub(crate) fn options<'o>(&self, config: &'o str, more: &[&'o str]) -> Vec<&'o str> {
        [&[config][..], &SEED[..], more].concat()
    }

    pub(crate) fn config(&self) -> String {
        let path = self.bench.dir.path().join("again.toml");
        path.to_string_lossy().into_owned()
    }

    #[track_caller]
    pub(crate) fn crawl(&self, name: &str) {
        let config = self.config();
        self.bench.crawl_to_end(name, &self.options(&config, &[]));
    }

    /// Comes back at a time; gives what the site was asked for.
    #[track_caller]
    pub(crate) fn come_back(&self, name: &str, at: u64) -> Vec<(String, u16)> {
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
    pub(crate) fn changes(&self, name: &str) -> BTreeMap<String, String> {
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
    pub(crate) fn rounds(&self, name: &str) -> u64 {
        let dir = self.bench.crawl_dir(name);
        let output = run(tamis(&["status", "--json"]).arg(dir));
        let status: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        status["stale"]["rounds"].as_u64().unwrap_or(0)
    }

    /// Kept pages with their texts.
    pub(crate) fn kept(&self, name: &str) -> BTreeMap<String, String> {
        let rows = self.bench.rows(name, "indexed").into_iter();
        rows.map(|row| {
            let field = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            (field("url").replace("http://a.test", ""), field("text"))
        })
        .collect()
    }
}

pub(crate) fn changed(rows: &[(&str, &str)]) -> BTreeMap<String, String> {
    let rows = rows.iter();
    rows.map(|(url, change)| ((*url).to_owned(), (*change).to_owned()))
        .collect()
}

pub(crate) fn site(validators: Validators) -> Site {
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
