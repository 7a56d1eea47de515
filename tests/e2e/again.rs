//! A crawl comes back: what is new, what changed, what is gone.

use std::collections::BTreeMap;

use testweb::history::{Dates, History, Validators, Version};

use crate::again_support::{SEED, Site, changed, list, site};
use crate::serve_support::Serving;
use crate::support::{has, page, run, stdout, tamis};

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
            "status 404: not yet gone, which takes 2 such answers",
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
