//! Pages and sites that have moved.

use super::super::visits::SITES_MAX;
use super::*;

/// A visit that found a page to be elsewhere for good.
fn points_to(url: &str, of: u64, to: &str) -> Event {
    let redirect = PageRecord {
        page: None,
        outcome: Outcome::Redirected,
        ..leads_to(url, &[to])
    };
    Event::Visit(Box::new(VisitRecord {
        url: url.into(),
        host: "a.example".into(),
        of,
        was: INDEXED,
        change: Change::Moved,
        fetch: Some(FetchRecord {
            status: 301,
            ..FetchRecord::default()
        }),
        page: Some(Box::new(redirect)),
        ..VisitRecord::default()
    }))
}

#[test]
fn a_page_that_has_moved_gives_way_to_its_copy_at_once_and_to_another_page_at_the_next_visit() {
    let (old, new) = ("http://a.example/old", "http://a.example/new");
    let copy = PageRecord {
        nearest: Some(NeighbourRecord {
            page: 1,
            url: old.into(),
            ..NeighbourRecord::default()
        }),
        ..page(
            new,
            Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        )
    };
    let settings = AgainSection::default();
    let due = |target: Event| {
        let known = history(vec![read(old), target, points_to(old, 1, new)]);
        let choice = known.choose(&settings, Wanted::Round, 1, 100 * 86_400_000);
        known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"))
    };
    let of = |due: &[DueRecord], url: &str| {
        let one = due.iter().find(|due| due.url == url).expect("it is due");
        (one.rejudge, one.succeeds, one.moved_to)
    };
    let due_of_copy = due(Event::Page(Box::new(copy)));
    assert_eq!(of(&due_of_copy, new), (true, Some(1), 0));
    assert_eq!(of(&due_of_copy, old), (false, None, 0));
    let due_of_other = due(read(new));
    assert_eq!(of(&due_of_other, new), (false, None, 0));
    assert_eq!(of(&due_of_other, old), (false, None, hash_of(new)));
}

#[test]
fn a_page_that_moves_on_from_where_it_moved_to_is_alone_there() {
    // Both its old URLs led there in the end, and were taken for two pages.
    let urls = ["1", "2", "3"].map(|name| format!("http://a.example/{name}"));
    let [first, second, third] = urls.each_ref().map(String::as_str);
    let copy = PageRecord {
        nearest: Some(NeighbourRecord {
            page: 2,
            url: second.into(),
            ..NeighbourRecord::default()
        }),
        ..page(
            third,
            Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate)),
        )
    };
    let due = |also: Option<&str>| {
        let mut events = vec![
            read(first),
            read(second),
            Event::Page(Box::new(copy.clone())),
            points_to(first, 1, second),
            points_to(second, 2, third),
        ];
        events.extend(also.map(|url| points_to(url, 9, third)));
        let known = history(events);
        let choice = known.choose(&AgainSection::default(), Wanted::Round, 1, u64::MAX / 2);
        let due = known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"));
        let due = due.into_iter().find(|due| due.url == third);
        due.expect("it is due").succeeds
    };
    assert_eq!(due(None), Some(2));
    assert_eq!(due(Some("http://a.example/other")), None);
}

#[test]
fn a_site_that_points_elsewhere_is_told_where_another_page_of_it_went_under_its_name() {
    let (front, other) = ("http://a.example/", "http://a.example/p/7");
    let at = |to: &str| {
        let known = history(vec![
            read(front),
            read(other),
            points_to(front, 1, "http://b.example/"),
            points_to(other, 2, to),
        ]);
        let choice = known.choose(&AgainSection::default(), Wanted::Round, 1, u64::MAX / 2);
        let due = known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"));
        let front = due
            .into_iter()
            .find(|due| due.url == front)
            .expect("it is due");
        (
            front.points_to == hash_of("http://b.example/"),
            front.site_at > 0,
        )
    };
    assert_eq!(at("http://b.example/p/7"), (true, true));
    assert_eq!(at("http://b.example/parked"), (true, false));
}

#[test]
fn a_site_that_moved_is_found_though_other_pages_of_it_went_elsewhere() {
    // The last one that moved in a round was the only one that counted.
    let front = "http://a.example/";
    let known_after = |moves: &[(String, String)]| {
        let mut events = vec![read(front)];
        events.extend(moves.iter().map(|(from, _)| read(from)));
        events.push(points_to(front, 1, "http://b.example/"));
        let moves = moves.iter().zip(2..);
        events.extend(moves.map(|((from, to), of)| points_to(from, of, to)));
        history(events)
    };
    let site_at = |known: &History| {
        let choice = known.choose(&AgainSection::default(), Wanted::Round, 1, u64::MAX / 2);
        let due = known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"));
        let front = due.into_iter().find(|due| due.url == front);
        front.expect("it is due").site_at
    };
    let to = |host: &str, path: &str| {
        let from = format!("http://a.example/{path}");
        (from, format!("http://{host}.example/{path}"))
    };
    let (page, shop) = (to("b", "p/7"), to("c", "shop/9"));
    for moves in [[page.clone(), shop.clone()], [shop, page]] {
        assert_eq!(site_at(&known_after(&moves)), hash_of("b.example"));
    }
    let many: Vec<(String, String)> = (0..20)
        .map(|at| to(&format!("d{}", at / 2), &format!("p/{at}")))
        .collect();
    let known = known_after(&many);
    assert!(known.sites_at.values().map(Vec::len).eq([SITES_MAX]));
}

#[test]
fn pages_that_point_to_one_place_all_together_have_not_moved() {
    let login = "http://a.example/login";
    let known = history(vec![
        read("http://a.example/1"),
        read("http://a.example/2"),
        read(login),
        points_to("http://a.example/1", 1, login),
        points_to("http://a.example/2", 2, login),
    ]);
    let choice = known.choose(&AgainSection::default(), Wanted::Round, 1, u64::MAX / 2);
    let due = known.due(&choice.pages, 1, &crate::dir::CrawlDir::new("/nowhere"));
    assert_eq!(due.len(), 3);
    assert!(
        due.iter()
            .all(|due| due.moved_to == 0 && due.succeeds.is_none())
    );
}
