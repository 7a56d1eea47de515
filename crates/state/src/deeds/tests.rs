use archive::{LinkRecord, NeighbourRecord, PageSummary};
use outcome::{DuplicateKind, JunkReason, LinkFate, NeighbourDecision};

use super::*;

fn url(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example{text}")).expect(text)
}

fn record(at: &str, outcome: Outcome) -> PageRecord {
    PageRecord {
        url: url(at).as_str().into(),
        outcome,
        page: Some(PageSummary::default()),
        ..PageRecord::default()
    }
}

fn kept(at: &str) -> PageRecord {
    record(at, Outcome::Judged(Verdict::Index))
}

fn junk(at: &str, reason: JunkReason) -> PageRecord {
    record(at, Outcome::Judged(Verdict::Junk(reason)))
}

fn copy(at: &str, of: &str) -> PageRecord {
    PageRecord {
        nearest: Some(NeighbourRecord {
            url: url(of).as_str().into(),
            decision: NeighbourDecision::Duplicate,
            kind: Some(DuplicateKind::FullLayout),
            ..NeighbourRecord::default()
        }),
        ..junk(at, JunkReason::ExactDuplicate)
    }
}

/// A page that brings in a URL.
fn leading(record: PageRecord, to: &str) -> PageRecord {
    linking(record, to, LinkFate::New)
}

/// A page that leads to a URL that is known.
fn known(record: PageRecord, to: &str) -> PageRecord {
    linking(record, to, LinkFate::Seen)
}

fn linking(record: PageRecord, to: &str, fate: LinkFate) -> PageRecord {
    let to = to.strip_prefix("http://a.example").unwrap_or(to);
    PageRecord {
        links: vec![LinkRecord {
            url: url(to).as_str().into(),
            fate,
            ..LinkRecord::default()
        }],
        ..record
    }
}

fn take_in(deeds: &mut Deeds, record: &PageRecord) -> Option<String> {
    let url = CanonicalUrl::parse(&record.url).expect("a URL");
    deeds.observe(&url, record)
}

fn topic(number: u32) -> String {
    format!("/viewtopic.php?f=1&t={number}")
}

fn reply(number: u32) -> String {
    format!("/posting.php?mode=reply&f=1&t={number}")
}

/// Topics that are kept, of which the first were replied to.
fn forum(topics: u32, replies: u32, answer: impl Fn(&str) -> PageRecord) -> Deeds {
    let mut deeds = Deeds::default();
    for number in 0..topics {
        take_in(&mut deeds, &kept(&topic(number)));
    }
    for number in 0..replies {
        assert_eq!(take_in(&mut deeds, &answer(&reply(number))), None);
    }
    deeds
}

#[track_caller]
fn check(deeds: &Deeds, at: &str, is_idle: bool) {
    assert_eq!(deeds.find(&url(at)).is_some(), is_idle, "{at}");
}

const RULE: &str = "a.example/posting.php?mode=reply&f&t leads nowhere new";

#[test]
fn twelve_walls_before_known_topics_are_enough_and_of_other_answers_sixty() {
    let wall = |at: &str| junk(at, JunkReason::Blocked);
    let moved = |at: &str| record(at, Outcome::Redirected);
    let thin = |at: &str| junk(at, JunkReason::Thin);
    let same = |at: &str| copy(at, "/viewtopic.php?f=1&t=1");
    let back = |at: &str| {
        known(
            moved(at),
            &at.replace("/posting.php?mode=reply&", "/viewtopic.php?"),
        )
    };
    let login = |at: &str| known(moved(at), "/login.php");
    type Given<'g> = (&'g dyn Fn(&str) -> PageRecord, u32);
    let given: [Given<'_>; 5] = [
        (&wall, 12),
        (&login, 12),
        (&back, 60),
        (&thin, 60),
        (&same, 60),
    ];
    for (answer, enough) in given {
        check(&forum(100, enough - 1, answer), &reply(99), false);
        let deeds = forum(100, enough, answer);
        let idle = deeds.find(&url(&reply(99))).expect("idle");
        assert_eq!(idle.is_sure, enough == 12);
        // Other forms, and topics that nobody has shown: a deleted one may have been replied to.
        check(&deeds, &topic(99), false);
        check(&deeds, &reply(100), false);
        check(&deeds, "/posting.php?mode=quote&f=1&t=99", false);
    }
    let idle = forum(100, 12, wall).find(&url(&reply(99))).expect("idle");
    assert_eq!(
        (idle.rule.as_str(), idle.is_sure, idle.probes),
        (RULE, true, 0)
    );
    assert_eq!(idle.original, url(&reply(0)).as_str());
    assert_eq!(
        forum(100, 15, wall)
            .find(&url(&reply(99)))
            .map(|idle| idle.probes),
        Some(3)
    );
}

#[test]
fn an_answer_that_is_not_sure_ends_what_was() {
    let mut deeds = forum(100, 12, |at| junk(at, JunkReason::Blocked));
    let lifted = take_in(&mut deeds, &junk(&reply(50), JunkReason::Thin));
    assert_eq!(lifted.as_deref(), Some(RULE));
    check(&deeds, &reply(99), false);
    for number in 12..90 {
        assert_eq!(
            take_in(&mut deeds, &junk(&reply(number), JunkReason::Blocked)),
            None
        );
    }
    let idle = deeds.find(&url(&reply(99))).expect("idle");
    assert!(!idle.is_sure);
}

#[test]
fn one_topic_with_many_posts_is_not_enough() {
    let mut deeds = forum(100, 0, kept);
    for post in 0..200 {
        take_in(
            &mut deeds,
            &junk(&format!("{}&p={post}", reply(post % 11)), JunkReason::Thin),
        );
    }
    check(&deeds, &format!("{}&p=999", reply(99)), false);
}

#[test]
fn series_whose_pages_nobody_else_shows_are_no_deeds_however_few_are_left() {
    let mut deeds = forum(100, 0, kept);
    for number in 0..500 {
        take_in(
            &mut deeds,
            &junk(&format!("/item.php?f=1&id={number}"), JunkReason::Thin),
        );
        take_in(
            &mut deeds,
            &junk(&format!("/calendar/2026/{number}"), JunkReason::Thin),
        );
    }
    check(&deeds, "/item.php?f=1&id=501", false);
    check(&deeds, "/calendar/2026/501", false);
}

#[test]
fn what_many_pages_name_is_a_place_and_shows_nothing() {
    let deeds = forum(100, 12, |at| junk(at, JunkReason::Blocked));
    check(&deeds, &reply(7), true);
    // The board is named by all topics.
    check(&deeds, "/posting.php?mode=reply&f=1&t=777", false);
}

#[test]
fn a_page_of_worth_ends_the_rule_for_good() {
    for good in [
        kept(&reply(50)),
        junk(&reply(50), JunkReason::OffTopic),
        kept("/posting.php?mode=reply&f=9&t=900"),
    ] {
        let mut deeds = forum(100, 12, |at| junk(at, JunkReason::Blocked));
        assert_eq!(take_in(&mut deeds, &good).as_deref(), Some(RULE));
        for number in 60..99 {
            take_in(&mut deeds, &junk(&reply(number), JunkReason::Blocked));
        }
        check(&deeds, &reply(99), false);
    }
}

#[test]
fn a_page_that_an_answer_led_to_ends_the_rule_and_that_of_the_first_one_does_not() {
    let mut deeds = forum(100, 12, |at| junk(at, JunkReason::Blocked));
    let mut redeem = |at: &str| deeds.redeem(&url(at), url(at).as_str());
    assert_eq!(redeem(&reply(0)), None);
    assert_eq!(redeem(&reply(5)).as_deref(), Some(RULE));
    check(&deeds, &reply(99), false);
}

#[test]
fn answers_that_lead_elsewhere_say_nothing_and_a_way_back_is_nowhere() {
    let blocked = |at: &str| junk(at, JunkReason::Blocked);
    let elsewhere = |at: &str| leading(blocked(at), &format!("/other{}", at.len()));
    check(&forum(100, 90, elsewhere), &reply(99), false);
    let back = |at: &str| {
        leading(
            blocked(at),
            &format!("/login?next=%2Fviewtopic.php%3Ft{at}"),
        )
    };
    check(&forum(100, 12, back), &reply(99), true);
    // Another deed to the same topic, whose form is known.
    let mut deeds = forum(100, 0, kept);
    take_in(&mut deeds, &blocked("/report.php?t=1"));
    for number in 0..12 {
        let answer = leading(blocked(&reply(number)), &format!("/report.php?t={number}"));
        take_in(&mut deeds, &answer);
    }
    check(&deeds, &reply(99), true);
}

#[test]
fn what_was_saved_says_the_same() {
    let deeds = forum(100, 12, |at| junk(at, JunkReason::Blocked));
    let saved = serde_json::to_string(&deeds).expect("it is saved");
    let deeds: Deeds = serde_json::from_str(&saved).expect("it is read");
    check(&deeds, &reply(99), true);
}
