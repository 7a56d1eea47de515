//! Sites that move to another host between two rounds, and such as seem to.

use testweb::history::{History, Moment, Validators, Version};
use testweb::{Response, TestWeb};

use crate::again_support::{AT_ONCE, Site};
use crate::support::{Bench, has, page, run, stdout, tamis};

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
