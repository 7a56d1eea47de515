//! Sitemaps and feeds: visited first, believed or not, followed where they move.

use super::*;

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
    let sources = plan(&history, &settings, Wanted::Sources, now);
    assert_eq!(sources.len(), 1);
    assert!(sources[0].source && sources[0].url.ends_with("map.xml"));
    let all = plan(&history, &settings, Wanted::All, now);
    assert!(all.len() == 5 && all[0].source && !all[1].source);
    history.add(
        &Record {
            seq: 99,
            at_ms: now,
            event: Event::Again(AgainRecord {
                round: 1,
                urls: sources,
                sources: true,
                ..AgainRecord::default()
            }),
        },
        Position::START,
    );
    assert_eq!((history.round_of(Wanted::Round), history.waiting()), (1, 1));
    assert_eq!(plan(&history, &settings, Wanted::Round, now).len(), 4);
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
        let due = plan(&history, &settings, Wanted::Round, now + 2 * HOUR_MS);
        (trusted, due[0].url == urls[7])
    };
    assert_eq!(first(true), (true, true));
    assert!(!first(false).0);
}

#[test]
fn a_date_in_the_future_tells_nothing_and_does_not_silence_those_that_follow() {
    // It was taken for the last date told, and every honest one after it for an older one.
    let url = "http://a.example/1";
    let day = 24 * HOUR_MS;
    let told_days = |dates: &[u64]| {
        let mut events = vec![sitemap(&[url]), read(url)];
        events.extend(dates.iter().map(|date| told(&[url], *date)));
        let history = history(events);
        history.known[history.urls[&hash_of(url)] as usize]
            .told
            .since(2 * HOUR_MS, 99 * HOUR_MS)
            .told
    };
    assert_eq!(told_days(&[400 * day]), Some(0));
    assert_eq!(told_days(&[400 * day, 4 * HOUR_MS]), Some(1));
    // The end of today is not yet, and is no lie.
    assert_eq!(told_days(&[day, day]), Some(1));
}

/// A visit to the sitemap that finds it elsewhere.
fn moved(to: &str, fate: LinkFate) -> Event {
    let link = LinkRecord {
        url: to.into(),
        fate,
        ..LinkRecord::default()
    };
    Event::Visit(Box::new(VisitRecord {
        url: "http://a.example/map.xml".into(),
        host: "a.example".into(),
        source: true,
        change: Change::Moved,
        page: Some(Box::new(PageRecord {
            links: vec![link],
            ..PageRecord::default()
        })),
        ..VisitRecord::default()
    }))
}

#[test]
fn a_source_that_redirects_is_followed_to_where_it_is_now() {
    let target = "http://a.example/map2.xml";
    let sources = |events: Vec<Event>| {
        let history = history(events);
        let settings = AgainSection::default();
        let due = plan(&history, &settings, Wanted::Sources, 99 * 24 * HOUR_MS);
        let urls = due.into_iter().map(|due| due.url);
        (urls.collect::<Vec<String>>(), history)
    };
    // A target that is new is a source once it has been read as one, with what the old one led to.
    let brought = Event::Visit(Box::new(VisitRecord {
        url: "http://a.example/map.xml".into(),
        source: true,
        change: Change::Unchanged,
        page: Some(Box::new(PageRecord {
            links: vec![
                LinkRecord {
                    fate: LinkFate::New,
                    ..LinkRecord::default()
                };
                9
            ],
            ..PageRecord::default()
        })),
        ..VisitRecord::default()
    }));
    let old = "http://a.example/map.xml";
    let (urls, _) = sources(vec![
        sitemap(&[]),
        brought.clone(),
        moved(target, LinkFate::New),
    ]);
    assert_eq!(urls, [old]);
    let read_now = match sitemap(&[]) {
        Event::Sitemap(map) => Event::Sitemap(SitemapRecord {
            url: target.into(),
            ..map
        }),
        other => other,
    };
    let moves = moved(target, LinkFate::New);
    let (urls, history) = sources(vec![sitemap(&[]), brought, moves, read_now]);
    assert_eq!(urls.len(), 2);
    assert!(history.sources[target].leads.expected(1.0) > 1.0);
    // One that was taken for something else before is one at once; one that is unknown is none.
    let file = PageRecord {
        page: None,
        ..page(
            target,
            Outcome::Judged(Verdict::Junk(JunkReason::UnsupportedType)),
        )
    };
    let known = Event::Page(Box::new(file));
    let (urls, _) = sources(vec![known, sitemap(&[]), moved(target, LinkFate::Seen)]);
    assert!(urls.contains(&target.to_owned()), "{urls:?}");
    let (urls, _) = sources(vec![sitemap(&[]), moved(target, LinkFate::Seen)]);
    assert_eq!(urls, [old]);
}
