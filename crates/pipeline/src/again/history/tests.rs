//! Plans of journals made by hand.

use archive::{FetchRecord, LinkRecord, NeighbourRecord, PageSummary};

use super::*;

fn page(url: &str, outcome: Outcome) -> PageRecord {
    PageRecord {
        url: url.into(),
        host: "a.example".into(),
        depth: 1,
        outcome,
        fetch: Some(FetchRecord {
            status: 200,
            ..FetchRecord::default()
        }),
        page: Some(PageSummary::default()),
        ..PageRecord::default()
    }
}

fn history(events: Vec<Event>) -> History {
    let mut history = History::default();
    for (at, event) in events.into_iter().enumerate() {
        let seq = at as u64 + 1;
        history.add(&Record {
            seq,
            at_ms: seq * 3_600_000,
            event,
        });
    }
    history
}

const INDEXED: Outcome = Outcome::Judged(Verdict::Index);

fn read(url: &str) -> Event {
    Event::Page(Box::new(page(url, INDEXED)))
}

fn visit(url: &str, of: u64, change: Change) -> Event {
    let version = (change == Change::Changed).then(|| Box::new(page(url, INDEXED)));
    Event::Visit(Box::new(VisitRecord {
        url: url.into(),
        host: "a.example".into(),
        of,
        was: INDEXED,
        change,
        page: version,
        ..VisitRecord::default()
    }))
}

fn chosen(history: &History, settings: &AgainSection, wanted: Wanted) -> Vec<String> {
    let due = history.choose(settings, wanted, 1, 100 * 86_400_000);
    due.due.into_iter().map(|due| due.url).collect()
}

#[test]
fn what_changes_is_visited_before_what_does_not() {
    let (fast, slow) = ("http://a.example/x/1", "http://a.example/y/2");
    let mut events = vec![read(slow), read(fast)];
    let mut of = 2;
    for _ in 0..8 {
        events.push(visit(slow, 1, Change::Unchanged));
        events.push(visit(fast, of, Change::Changed));
        of = events.len() as u64;
    }
    let history = history(events);
    let settings = AgainSection {
        budget: 1,
        ..AgainSection::default()
    };
    assert_eq!(
        history
            .choose(&settings, Wanted::Round, 1, 20 * 3_600_000)
            .due[0]
            .url,
        fast
    );
}

#[test]
fn pages_are_believed_staler_the_longer_ago_they_were_read() {
    let history = history(vec![
        read("http://a.example/1"),
        read("http://a.example/2"),
        visit("http://a.example/1", 1, Change::Unchanged),
    ]);
    let at = |days: u64| history.staleness(days * 86_400_000);
    let stale = [1, 10, 1_000].map(|days| at(days).expected_changed);
    assert!(stale[0] < stale[1] && stale[1] < stale[2], "{stale:?}");
    assert!(stale[2] <= 2.0 && at(1).kept == 2);
}

#[test]
fn what_repeated_a_page_that_has_changed_is_judged_anew() {
    let (first, copy) = ("http://a.example/1", "http://a.example/2");
    let repeats = PageRecord {
        nearest: Some(NeighbourRecord {
            page: 1,
            url: first.into(),
            ..NeighbourRecord::default()
        }),
        ..page(
            copy,
            Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        )
    };
    let known = |change| {
        history(vec![
            read(first),
            Event::Page(Box::new(repeats.clone())),
            visit(first, 1, change),
        ])
    };
    let settings = AgainSection::default();
    let none: [String; 0] = [];
    assert_eq!(
        chosen(&known(Change::Touched), &settings, Wanted::Orphans),
        none
    );
    for change in [Change::Changed, Change::Gone] {
        let known = known(change);
        assert_eq!(chosen(&known, &settings, Wanted::Orphans), [copy]);
        let round = known.choose(&settings, Wanted::Round, 1, u64::MAX / 2).due;
        assert!(round[0].rejudge && round[0].url == copy);
    }
}

#[test]
fn a_page_is_left_alone_for_the_shortest_pause_and_visited_after_the_longest() {
    let history = history(vec![read("http://a.example/1")]);
    let hours = |hours: u64| crate::units::Span::seconds(hours * 3_600);
    let settings = AgainSection {
        min: hours(10),
        every: hours(1_000),
        max: hours(50),
        ..AgainSection::default()
    };
    let count = |hours: u64| {
        let now = (1 + hours) * 3_600_000;
        history.choose(&settings, Wanted::Round, 1, now).due.len()
    };
    assert_eq!([count(9), count(49), count(50)], [0, 0, 1]);
}

#[test]
fn what_was_not_asked_for_longer_than_the_longest_time_comes_first() {
    let (seed, old) = ("http://a.example/", "http://a.example/y/2");
    // A seed counts double.
    let valuable = PageRecord {
        depth: 0,
        ..page(seed, INDEXED)
    };
    let history = history(vec![read(old), Event::Page(Box::new(valuable))]);
    let first = |max: u64| {
        let settings = AgainSection {
            budget: 1,
            max: crate::units::Span::seconds(max * 3_600),
            ..AgainSection::default()
        };
        let due = history
            .choose(&settings, Wanted::Round, 1, 60 * 3_600_000)
            .due;
        due[0].url.clone()
    };
    assert_eq!([first(50), first(1_000)], [old, seed]);
}

/// A site's list that brings in pages, and what it tells of them when it is visited again.
fn sitemap(urls: &[&str]) -> Event {
    Event::Sitemap(SitemapRecord {
        url: "http://a.example/map.xml".into(),
        host: "a.example".into(),
        kind: outcome::SitemapKind::Urlset,
        fetch: FetchRecord {
            status: 200,
            ..FetchRecord::default()
        },
        urls: urls.iter().map(|url| (*url).to_owned()).collect(),
        ..SitemapRecord::default()
    })
}

fn told(urls: &[&str], at_ms: u64) -> Event {
    let link = |url: &&str| LinkRecord {
        url: (*url).to_owned(),
        fate: LinkFate::Seen,
        told_ms: at_ms,
        ..LinkRecord::default()
    };
    Event::Visit(Box::new(VisitRecord {
        url: "http://a.example/map.xml".into(),
        host: "a.example".into(),
        source: true,
        change: Change::Unchanged,
        page: Some(Box::new(PageRecord {
            links: urls.iter().map(link).collect(),
            ..PageRecord::default()
        })),
        ..VisitRecord::default()
    }))
}

const HOUR_MS: u64 = 3_600_000;

#[test]
fn sources_are_visited_before_pages_and_within_the_budget_of_their_round() {
    let pages: Vec<String> = (0..20)
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    let urls: Vec<&str> = pages.iter().map(String::as_str).collect();
    let mut events = vec![sitemap(&urls)];
    events.extend(urls.iter().map(|url| read(url)));
    let mut history = history(events);
    let settings = AgainSection {
        budget: 5,
        ..AgainSection::default()
    };
    let now = 100 * 24 * HOUR_MS;
    assert_eq!(history.round_of(Wanted::Sources), 1);
    let sources = history.choose(&settings, Wanted::Sources, 1, now).due;
    assert_eq!(sources.len(), 1);
    assert!(sources[0].source && sources[0].url.ends_with("map.xml"));
    let all = history.choose(&settings, Wanted::All, 1, now).due;
    assert!(all.len() == 5 && all[0].source && !all[1].source);
    history.add(&Record {
        seq: 99,
        at_ms: now,
        event: Event::Again(AgainRecord {
            round: 1,
            urls: sources,
            sources: true,
            ..AgainRecord::default()
        }),
    });
    assert_eq!((history.round_of(Wanted::Round), history.waiting()), (1, 1));
    assert_eq!(
        history.choose(&settings, Wanted::Round, 1, now).due.len(),
        4
    );
}

#[test]
fn a_site_that_tells_the_truth_is_believed_and_one_that_dates_all_today_is_not() {
    let pages: Vec<String> = (0..20)
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    let urls: Vec<&str> = pages.iter().map(String::as_str).collect();
    let first = |is_honest: bool| {
        let mut events = vec![sitemap(&urls)];
        events.extend(urls.iter().map(|url| read(url)));
        let mut of = vec![0; urls.len()];
        for turn in 0..12 {
            let at_ms = (events.len() as u64 + 1) * HOUR_MS;
            // Another page in three has changed each time.
            let changed = |page: usize| page % 3 == turn % 3;
            let all = urls.iter().enumerate();
            let some = all.filter(|(page, _)| !is_honest || changed(*page));
            let some: Vec<&str> = some.map(|(_, url)| *url).collect();
            events.push(told(&some, at_ms));
            for (page, url) in urls.iter().enumerate() {
                let change = match changed(page) {
                    true => Change::Changed,
                    false => Change::Unchanged,
                };
                events.push(visit(url, of[page], change));
                of[page] = events.len() as u64;
            }
        }
        let now = (events.len() as u64 + 2) * HOUR_MS;
        events.push(told(&urls[7..8], now));
        let history = history(events);
        let trusted = history.signals["a.example"].are_trusted();
        let settings = AgainSection {
            budget: 1,
            ..AgainSection::default()
        };
        let due = history
            .choose(&settings, Wanted::Round, 1, now + 2 * HOUR_MS)
            .due;
        (trusted, due[0].url == urls[7])
    };
    assert_eq!(first(true), (true, true));
    assert!(!first(false).0);
}
