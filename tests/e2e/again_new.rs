//! What a round of few requests finds of what is new: by sitemaps and feeds, and by lists.

use testweb::history::{Dates, History, Validators};

use crate::again_support::{AT_ONCE, Site};
use crate::support::page;

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
fn without_either_a_round_visits_lists_first_and_finds_most_of_what_is_new() {
    let (found, requests) = found_within(growing(), 44);
    assert!(
        found >= 16 && requests <= 44,
        "{found} of 20 with {requests} requests"
    );
    println!("with lists alone: {found} of 20 with {requests} requests of 442");
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
