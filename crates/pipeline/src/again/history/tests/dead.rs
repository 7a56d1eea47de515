//! URLs without a page: asked for again in turn, for a share of a round.

use super::*;

/// A URL found on the page of the first record that was answered so.
fn ended(url: &str, outcome: Outcome, status: u16) -> Event {
    let fetch = FetchRecord {
        status,
        ..FetchRecord::default()
    };
    Event::Page(Box::new(PageRecord {
        via: Some(1),
        fetch: (status > 0).then_some(fetch),
        page: None,
        ..page(url, outcome)
    }))
}

const MISSING: Outcome = Outcome::Judged(Verdict::Junk(JunkReason::ErrorPage));

/// The records of the URLs without a page that are asked for once more so many days after the first record.
fn asked_anew(history: &History, settings: &AgainSection, days: u64) -> Vec<u64> {
    let choice = history.choose(settings, Wanted::Round, 1, days * 86_400_000);
    let unread = choice.unread.iter();
    unread.map(|(_, unread)| unread.record).collect()
}

#[test]
fn a_url_without_a_page_is_asked_for_when_its_time_has_come_while_a_page_links_to_it() {
    let (list, dead) = ("http://a.example/", "http://a.example/dead");
    let events = || {
        vec![
            Event::Page(Box::new(leads_to(list, &[dead]))),
            ended(dead, MISSING, 404),
        ]
    };
    let settings = AgainSection::default();
    let known = history(events());
    assert_eq!(asked_anew(&known, &settings, 2), [0; 0]);
    assert_eq!(asked_anew(&known, &settings, 4), [2]);
    // It waits in the queue.
    let mut waits = events();
    waits.push(Event::Retry(RetryRecord {
        urls: vec![dead.into()],
        ..RetryRecord::default()
    }));
    assert_eq!(asked_anew(&history(waits), &settings, 4), [0; 0]);
    // The list is another one, with the link or without.
    for (links, asked) in [(&[dead][..], &[2][..]), (&[], &[])] {
        let mut changed = events();
        changed.push(Event::Visit(Box::new(VisitRecord {
            page: Some(Box::new(leads_to(list, links))),
            url: list.into(),
            of: 1,
            was: INDEXED,
            change: Change::Changed,
            ..VisitRecord::default()
        })));
        assert_eq!(asked_anew(&history(changed), &settings, 4), asked);
    }
    // A page at last.
    let mut read_now = events();
    read_now.push(read(dead));
    let known = history(read_now);
    assert_eq!(asked_anew(&known, &settings, 400), [0; 0]);
    assert_eq!(known.known(), 2);
}

#[test]
fn dead_urls_have_a_share_of_a_round_and_their_hosts_take_turns() {
    let dead: Vec<String> = (0..1_000)
        .map(|at| format!("http://a.example/{at}"))
        .collect();
    let links: Vec<&str> = dead.iter().map(String::as_str).collect();
    let mut events = vec![Event::Page(Box::new(leads_to("http://a.example/", &links)))];
    events.extend(dead.iter().map(|url| ended(url, MISSING, 404)));
    events.push(ended("http://b.example/last", MISSING, 404));
    let last = events.len() as u64;
    let known = history(events);
    let asked = |budget| {
        let settings = AgainSection {
            budget,
            ..AgainSection::default()
        };
        asked_anew(&known, &settings, 100)
    };
    assert_eq!(asked(40).len(), 10);
    assert_eq!(asked(0).len(), 100);
    assert_eq!(asked(5), [2, last]);
}

#[test]
fn what_robots_forbade_is_asked_for_when_the_rules_are_others_and_one_url_looks_whether_they_are() {
    let rule = outcome::RobotsRefusal::Rule {
        rule: "Disallow: /".into(),
        line: 2,
    };
    let refused = Outcome::Refused(outcome::Refusal::Robots(rule));
    let (one, two) = ("http://a.example/1", "http://a.example/2");
    let robots = |line: &str| {
        Event::Robots(RobotsRecord {
            host: "a.example".into(),
            origin: Some("http://a.example".into()),
            rules: RobotsAnswer::Parsed,
            lines: vec![line.into()],
            ..RobotsRecord::default()
        })
    };
    let asked = |line: &str| {
        let known = history(vec![
            Event::Page(Box::new(leads_to("http://a.example/", &[one, two]))),
            robots("2 Disallow: /"),
            ended(one, refused.clone(), 0),
            ended(two, refused.clone(), 0),
            robots(line),
        ]);
        asked_anew(&known, &AgainSection::default(), 1)
    };
    assert_eq!(asked("2 Disallow: /"), [3]);
    assert_eq!(asked("2 Disallow: /x"), [3, 4]);
}
