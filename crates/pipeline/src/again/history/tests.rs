//! Plans of journals made by hand.

use archive::{FetchRecord, LinkRecord, NeighbourRecord, PageSummary, SitemapRecord, VisitRecord};
use outcome::{Change, JunkReason, Outcome, Verdict};

use super::super::Wanted;
use super::*;
use crate::config::AgainSection;

mod absent;
mod dead;
mod lists;
mod moves;
mod sources;

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
    let mut history = History::with_dues();
    for (at, event) in events.into_iter().enumerate() {
        let seq = at as u64 + 1;
        history.add(
            &Record {
                seq,
                at_ms: seq * 3_600_000,
                event,
            },
            Position::START,
        );
    }
    history
}

const HOUR_MS: u64 = 3_600_000;

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

/// The visits that a plan chooses, sources first.
fn plan(history: &History, settings: &AgainSection, wanted: Wanted, now_ms: u64) -> Vec<DueRecord> {
    let choice = history.choose(settings, wanted, 1, now_ms);
    let due = choice.pages.iter().map(|page| DueRecord {
        priority: page.priority,
        rejudge: page.rejudge,
        ..history.dues.get(page.url).expect("held")
    });
    choice.sources.iter().cloned().chain(due).collect()
}

fn chosen(history: &History, settings: &AgainSection, wanted: Wanted) -> Vec<String> {
    let due = plan(history, settings, wanted, 100 * 86_400_000);
    due.into_iter().map(|due| due.url).collect()
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

/// A page that links to these.
fn leads_to(url: &str, links: &[&str]) -> PageRecord {
    let link = |url: &&str| LinkRecord {
        url: (*url).into(),
        fate: LinkFate::Seen,
        ..LinkRecord::default()
    };
    PageRecord {
        links: links.iter().map(link).collect(),
        ..page(url, INDEXED)
    }
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
        plan(&history, &settings, Wanted::Round, 20 * 3_600_000)[0].url,
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
        let round = plan(&known, &settings, Wanted::Round, u64::MAX / 2);
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
        plan(&history, &settings, Wanted::Round, now).len()
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
        let due = plan(&history, &settings, Wanted::Round, 60 * 3_600_000);
        due[0].url.clone()
    };
    assert_eq!([first(50), first(1_000)], [old, seed]);
}

#[test]
fn a_plan_of_pages_that_was_broken_off_is_planned_on_without_those_that_were_visited() {
    let urls: Vec<String> = (0..6)
        .map(|page| format!("http://a.example/{page}"))
        .collect();
    let mut history = history(urls.iter().map(|url| read(url)).collect());
    let settings = AgainSection {
        min: crate::units::Span::seconds(0),
        budget: 4,
        ..AgainSection::default()
    };
    let now = 100 * 24 * HOUR_MS;
    let all = plan(&history, &settings, Wanted::Round, now);
    let first: Vec<DueRecord> = all[..2].to_vec();
    history.copies_wait = true;
    let mut add = |seq, event| {
        history.add(
            &Record {
                seq,
                at_ms: now + seq,
                event,
            },
            Position::START,
        );
    };
    // The second of its records, which would say that copies were looked for, was never written.
    let again = AgainRecord {
        round: 1,
        urls: first.clone(),
        more: true,
        ..AgainRecord::default()
    };
    add(10, Event::Again(again));
    for (due, seq) in first.iter().zip(11..) {
        add(seq, visit(&due.url, due.of, Change::Unchanged));
    }
    assert_eq!((history.round_of(Wanted::Round), history.waiting()), (1, 0));
    assert!(history.copies_wait);
    let rest = plan(&history, &settings, Wanted::Round, now + 1_000);
    let rest: Vec<&String> = rest.iter().map(|due| &due.url).collect();
    assert_eq!(rest.len(), 2, "the rest of the budget");
    assert!(
        first.iter().all(|due| !rest.contains(&&due.url)),
        "{rest:?}"
    );
}

#[test]
fn in_one_queue_a_visit_comes_before_or_after_what_is_new_by_what_it_is_expected_to_bring() {
    let day = 24 * HOUR_MS;
    // Where half of what is read is kept, a visit weighs twice as much beside a URL that is new.
    let place = |url: &str, kept_share: usize, days: u64| {
        let dropped = |at: usize| {
            let thin = Outcome::Judged(Verdict::Junk(JunkReason::Thin));
            Event::Page(Box::new(PageRecord {
                priority: 1.0,
                ..page(&format!("http://a.example/d{at}"), thin)
            }))
        };
        let kept = |url: &str| {
            Event::Page(Box::new(PageRecord {
                priority: 1.0,
                ..page(url, INDEXED)
            }))
        };
        let mut events: Vec<Event> = (0..200)
            .map(|at| match at % kept_share {
                0 => kept(&format!("http://a.example/k{at}")),
                _ => dropped(at),
            })
            .collect();
        events.push(kept(url));
        let history = history(events);
        let settings = AgainSection {
            max: crate::units::Span::seconds(10_000 * 86_400),
            ..AgainSection::default()
        };
        let now = 201 * HOUR_MS + days * day;
        let due = plan(&history, &settings, Wanted::All, now);
        due.iter()
            .find(|due| due.url == url)
            .map_or(0.0, |due| due.priority)
    };
    let url = "http://a.example/x/1";
    assert!(place(url, 1, 1) < 0.05, "{}", place(url, 1, 1));
    let places = [1, 10, 50, 400].map(|days| place(url, 1, days));
    assert!(
        places.is_sorted() && places[3] > 1.0 && places[3] <= 2.0,
        "{places:?}"
    );
    let (all, half) = (place(url, 1, 20), place(url, 2, 20));
    assert!((1.5..2.1).contains(&(half / all)), "{all} {half}");
}

#[test]
fn what_visits_are_compared_with_is_held_for_those_that_are_wanted_alone_and_is_the_same() {
    let (one, two) = ("http://a.example/1", "http://a.example/2");
    let events = vec![
        read(one),
        read(two),
        visit(one, 1, Change::Changed),
        visit(two, 2, Change::Unchanged),
    ];
    let all = history(events.clone());
    let mut these = History::of_these(HashSet::from([hash_of(one)]));
    let mut nothing = History::default();
    for (event, seq) in events.into_iter().zip(1..) {
        let at_ms = seq * HOUR_MS;
        let record = Record { seq, at_ms, event };
        these.add(&record, Position::START);
        nothing.add(&record, Position::START);
    }
    assert_eq!(
        (all.dues.len(), these.dues.len(), nothing.dues.len()),
        (2, 1, 0)
    );
    assert_eq!(these.dues.get(hash_of(one)), all.dues.get(hash_of(one)));
    let held = these.dues.get(hash_of(one)).expect("held");
    assert_eq!(held.of, 3, "its version");
    let urls = |history: &History| {
        let choice = history.choose(&AgainSection::default(), Wanted::Round, 1, u64::MAX / 2);
        choice
            .pages
            .iter()
            .map(|page| page.url)
            .collect::<Vec<u64>>()
    };
    assert_eq!(urls(&nothing), urls(&all));
}

#[test]
fn what_a_visit_is_compared_with_is_held_in_under_400_bytes() {
    // It was 1 to 2 kB, a record with all its strings each.
    let mut history = History::with_dues();
    let pages = 10_000;
    for seq in 1..=pages {
        let url = format!("http://a.example/folder/with/a/name/of/some/length/{seq}");
        let Event::Page(mut page) = read(&url) else {
            panic!("a page")
        };
        let place = |offset| BodyRef {
            file: 12,
            offset,
            len: 20_000,
        };
        (page.body, page.text) = (
            Some(place(seq * 30_000)),
            Some(place(seq * 30_000 + 20_000)),
        );
        let summary = page.page.as_mut().expect("it was read");
        (summary.digest, summary.fingerprint) =
            ("0123456789abcdef".into(), "0123456789abcdef".into());
        let fetch = page.fetch.as_mut().expect("it was fetched");
        fetch.etag = Some("\"5f3b-6123456789abc\"".into());
        history.add(
            &Record {
                seq,
                at_ms: seq,
                event: Event::Page(page),
            },
            Position::START,
        );
    }
    assert_eq!(history.dues.len(), pages as usize);
    let bytes: usize = history.dues.saved().values().map(|due| due.len()).sum();
    // The table as below, each place with a pointer, a length and what an allocation needs beside.
    let each = bytes / pages as usize + (8 + 16 + 1) * 16 / 7 + 16;
    println!("{each} B a page");
    assert!(each < 400, "{each}");
}

#[test]
fn a_page_is_held_in_under_200_bytes_while_a_round_is_planned() {
    // It was a whole record each, 1 to 2 kB.
    let mut history = History::default();
    let pages = 115_000;
    for seq in 1..=pages {
        let event = read(&format!(
            "http://a.example/folder/with/a/name/of/some/length/{seq}"
        ));
        let at_ms = seq;
        history.add(&Record { seq, at_ms, event }, Position::START);
    }
    // A table holds up to seven in eight of its places, each with a byte more; just after it has grown
    // it is half as full.
    let table = history.urls.capacity() * 8 / 7 * (size_of::<(u64, u32)>() + 1);
    let held = history.known.capacity() * size_of::<Known>() + table;
    let each = held / pages as usize;
    println!("{each} B a page");
    assert!(each < 200, "{each}");
    assert!(history.dues.len() == 0 && history.listed.is_empty() && history.no_pages.is_empty());
}

#[test]
fn a_time_that_is_still_to_come_puts_nothing_off() {
    // A clock that was a year ahead for one round stopped the rounds of a year.
    let known = history(vec![read("http://a.example/1")]);
    let settings = AgainSection::default();
    assert_eq!(known.ahead(1_000), 1);
    assert_eq!(chosen_at(&known, &settings, 1_000).len(), 1);
    // A second after it was read it is left alone.
    assert_eq!(known.ahead(HOUR_MS + 1_000), 0);
    assert_eq!(chosen_at(&known, &settings, HOUR_MS + 1_000).len(), 0);
}

/// The pages that a plan chooses at a time.
fn chosen_at(history: &History, settings: &AgainSection, now_ms: u64) -> Vec<u64> {
    let choice = history.choose(settings, Wanted::Round, 1, now_ms);
    choice.pages.iter().map(|page| page.url).collect()
}
