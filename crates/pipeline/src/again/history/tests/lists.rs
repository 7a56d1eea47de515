//! Lists whose 304 may lie.

use super::*;

/// A page that came with a validator.
fn tagged(mut page: PageRecord) -> Event {
    page.fetch.get_or_insert_default().etag = Some("\"c\"".into());
    Event::Page(Box::new(page))
}

/// A visit that found a page with the same validator and the same text.
fn unchanged(url: &str, of: u64, status: u16) -> VisitRecord {
    VisitRecord {
        url: url.into(),
        host: "a.example".into(),
        of,
        was: INDEXED,
        change: Change::Unchanged,
        conditional: status == 304,
        etag: Some("\"c\"".into()),
        fetch: Some(FetchRecord {
            status,
            ..FetchRecord::default()
        }),
        ..VisitRecord::default()
    }
}

/// A page with so many links that were new.
fn list_of(url: &str, links: usize) -> PageRecord {
    let links: Vec<String> = (0..links)
        .map(|at| format!("http://a.example/{at}"))
        .collect();
    let links: Vec<&str> = links.iter().map(String::as_str).collect();
    let mut page = leads_to(url, &links);
    for link in &mut page.links {
        link.fate = LinkFate::New;
    }
    page
}

/// The URLs that a round asks for without a condition after these records.
fn in_full(events: Vec<Event>) -> Vec<String> {
    let known = history(events);
    let choice = known.choose(&AgainSection::default(), Wanted::Round, 1, 5 * 86_400_000);
    let due = known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"));
    let full = due.into_iter().filter(|due| due.unconditional);
    full.map(|due| due.url).collect()
}

#[test]
fn a_list_whose_304_may_lie_is_asked_for_in_full_after_eight_of_them() {
    let (list, article) = ("http://a.example/", "http://a.example/1");
    let asked = |visits: usize| {
        let mut events = vec![tagged(list_of(list, 30)), tagged(page(article, INDEXED))];
        for _ in 0..visits {
            let both = [unchanged(list, 1, 304), unchanged(article, 2, 304)];
            events.extend(both.map(|visit| Event::Visit(Box::new(visit))));
        }
        in_full(events)
    };
    assert_eq!(asked(7), [""; 0]);
    assert_eq!(asked(8), [list]);
}

#[test]
fn a_link_that_is_new_on_a_list_as_it_was_makes_no_liar_of_its_host() {
    // A scope that was widened made a link of an old page new: no validator of the host was ever sent again.
    let (list, article) = ("http://a.example/", "http://a.example/1");
    let asked = |visits_after: usize| {
        let mut events = vec![tagged(list_of(list, 30)), tagged(page(article, INDEXED))];
        let mut visits = vec![unchanged(list, 1, 304); 8];
        visits.push(VisitRecord {
            page: Some(Box::new(list_of(list, 1))),
            ..unchanged(list, 1, 200)
        });
        let of = (events.len() + visits.len()) as u64;
        visits.extend(std::iter::repeat_n(unchanged(list, of, 304), visits_after));
        let visits = visits.into_iter().map(Box::new).map(Event::Visit);
        events.extend(visits);
        in_full(events)
    };
    assert_eq!(asked(0), [""; 0]);
    assert_eq!(asked(7), [""; 0]);
    // It did not show either that the 304s before were true.
    assert_eq!(asked(8), [list]);
}

#[test]
fn a_sitemap_is_taken_for_a_liar_until_it_comes_as_its_validator_says() {
    let (map, tag) = ("http://a.example/map.xml", Some("\"c\"".to_owned()));
    let lies = |visits: &[&[&str]]| {
        let Event::Sitemap(mut first) = sitemap(&["http://a.example/1"]) else {
            panic!("a sitemap");
        };
        first.fetch.etag.clone_from(&tag);
        let mut events = vec![Event::Sitemap(first)];
        for urls in visits {
            let Event::Visit(mut visit) = told(urls, HOUR_MS) else {
                panic!("a visit");
            };
            visit.etag.clone_from(&tag);
            events.push(Event::Visit(visit));
        }
        history(events).sources[map].is_asked_in_full(9 * HOUR_MS)
    };
    let other = "http://a.example/2";
    assert!(!lies(&[&[]]));
    assert!(lies(&[&[other]]));
    assert!(!lies(&[&[other], &[]]));
}
