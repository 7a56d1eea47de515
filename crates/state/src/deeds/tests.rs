use archive::{LinkRecord, NeighbourRecord, PageSummary};
use outcome::{DuplicateKind, JunkReason, LinkFate, NeighbourDecision, Wall, WallKind};

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

/// A wall of a kind in a page's place.
fn wall_of(kind: WallKind, at: &str) -> PageRecord {
    PageRecord {
        page: Some(PageSummary {
            wall: Some(Wall {
                kind,
                ..Wall::default()
            }),
            ..PageSummary::default()
        }),
        ..junk(at, JunkReason::Blocked)
    }
}

fn wall(at: &str) -> PageRecord {
    wall_of(WallKind::Login, at)
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

fn linking(mut record: PageRecord, to: &str, fate: LinkFate) -> PageRecord {
    let to = to.strip_prefix("http://a.example").unwrap_or(to);
    let is_redirect = record.outcome == Outcome::Redirected;
    record.links.push(LinkRecord {
        url: url(to).as_str().into(),
        fate,
        rel: if is_redirect { "redirect" } else { "" }.into(),
        ..LinkRecord::default()
    });
    record
}

fn take_in(deeds: &mut Deeds, record: &PageRecord) -> Option<String> {
    let url = CanonicalUrl::parse(&record.url).expect("a URL");
    deeds.observe(&url, record, &plain)
}

/// Nothing is left out of URLs.
fn plain(url: &CanonicalUrl) -> Option<CanonicalUrl> {
    Some(url.clone())
}

fn topic(number: u32) -> String {
    format!("/viewtopic.php?f=1&t={number}")
}

fn reply(number: u32) -> String {
    format!("/posting.php?mode=reply&f=1&t={number}")
}

/// A topic that is kept, and links to what can be done to it.
fn shown(number: u32) -> PageRecord {
    let deeds = [
        reply(number),
        format!("/posting.php?mode=quote&f=1&t={number}"),
        format!("/report.php?t={number}"),
        format!("{}&p=1", reply(number)),
    ];
    let topic = kept(&topic(number));
    deeds.iter().fold(topic, |topic, deed| known(topic, deed))
}

/// Topics that are kept, of which the first were replied to.
fn forum(topics: u32, replies: u32, answer: impl Fn(&str) -> PageRecord) -> Deeds {
    let mut deeds = Deeds::default();
    for number in 0..topics {
        take_in(&mut deeds, &shown(number));
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
    let mut deeds = forum(100, 12, wall);
    let lifted = take_in(&mut deeds, &junk(&reply(50), JunkReason::Thin));
    assert_eq!(lifted.as_deref(), Some(RULE));
    check(&deeds, &reply(99), false);
    for number in 12..90 {
        assert_eq!(take_in(&mut deeds, &wall(&reply(number))), None);
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
    let deeds = forum(100, 12, wall);
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
        let mut deeds = forum(100, 12, wall);
        assert_eq!(take_in(&mut deeds, &good).as_deref(), Some(RULE));
        for number in 60..99 {
            take_in(&mut deeds, &wall(&reply(number)));
        }
        check(&deeds, &reply(99), false);
    }
}

/// A page at which redirects ended that began at a URL.
fn after(record: PageRecord, began: &str) -> PageRecord {
    PageRecord {
        began: Some(url(began).as_str().into()),
        ..record
    }
}

fn end(deeds: &mut Deeds, record: &PageRecord) -> Option<String> {
    take_in(deeds, record);
    let began = CanonicalUrl::parse(record.began.as_ref()?).ok()?;
    deeds.observe_end(&began, record, &plain)
}

#[test]
fn a_page_that_an_answer_led_to_ends_the_rule_and_that_of_the_first_one_does_not() {
    let mut deeds = forum(100, 12, wall);
    let mut redeem = |at: &str| deeds.redeem(&url(at), &kept("/other"), &plain);
    assert_eq!(redeem(&reply(0)), None);
    assert_eq!(redeem(&reply(5)).as_deref(), Some(RULE));
    check(&deeds, &reply(99), false);
    // The same where it redirected there.
    let mut deeds = forum(100, 12, |at| {
        known(record(at, Outcome::Redirected), "/login")
    });
    check(&deeds, &reply(99), true);
    let back = kept("/login?next=%2Fviewtopic.php%3Ft%3D50");
    assert_eq!(end(&mut deeds, &after(back, &reply(50))), None);
    let thin = junk("/reply/50", JunkReason::Thin);
    assert_eq!(end(&mut deeds, &after(thin, &reply(50))), None);
    assert_eq!(end(&mut deeds, &after(kept("/reply/0"), &reply(0))), None);
    check(&deeds, &reply(99), true);
    let lifted = end(&mut deeds, &after(kept("/reply/50"), &reply(50)));
    assert_eq!(lifted.as_deref(), Some(RULE));
    check(&deeds, &reply(99), false);
}

#[test]
fn a_redirect_to_a_page_of_its_own_is_not_for_sure() {
    let to = |target: &'static str| move |at: &str| known(record(at, Outcome::Redirected), target);
    let is_sure = |deeds: &Deeds| {
        deeds
            .find(&url(&reply(99)))
            .is_some_and(|idle| idle.is_sure)
    };
    assert!(is_sure(&forum(100, 12, to("/login"))));
    assert!(is_sure(&forum(100, 12, to("/error.php?code=403"))));
    // Each to a page that nobody has read yet.
    let alias = |at: &str| {
        let number = at.rsplit('=').next().unwrap_or_default();
        known(
            record(at, Outcome::Redirected),
            &format!("/reply/of-{number}"),
        )
    };
    check(&forum(100, 59, alias), &reply(99), false);
    // All to one that is kept.
    for about in ["/about", "/about-7"] {
        let mut deeds = forum(100, 0, kept);
        take_in(&mut deeds, &kept(about));
        for number in 0..59 {
            take_in(&mut deeds, &to(about)(&reply(number)));
        }
        check(&deeds, &reply(99), false);
        take_in(&mut deeds, &to(about)(&reply(59)));
        check(&deeds, &reply(99), true);
        assert!(!is_sure(&deeds));
    }
}

#[test]
fn of_one_page_of_worth_those_that_repeat_it_tell_and_of_two_none() {
    let mut deeds = forum(100, 0, kept);
    take_in(&mut deeds, &kept(&reply(0)));
    for number in 1..61 {
        check(&deeds, &reply(99), false);
        // Walls say nothing any longer.
        take_in(&mut deeds, &wall(&reply(number)));
        take_in(&mut deeds, &copy(&reply(number), &reply(0)));
    }
    let idle = deeds.find(&url(&reply(99))).expect("idle");
    assert_eq!(
        (idle.is_sure, &*idle.original),
        (false, url(&reply(0)).as_str())
    );
    // It gave its place to a copy, which is no second page.
    let mut replacing = kept(&reply(70));
    replacing.replaces = Some(7);
    replacing.nearest = copy(&reply(70), &reply(0)).nearest;
    assert_eq!(take_in(&mut deeds, &replacing), None);
    check(&deeds, &reply(99), true);
    assert_eq!(
        take_in(&mut deeds, &kept(&reply(71))).as_deref(),
        Some(RULE)
    );
    for number in 1..90 {
        take_in(&mut deeds, &copy(&reply(number), &reply(70)));
    }
    check(&deeds, &reply(99), false);
}

#[test]
fn what_a_url_redirects_to_that_repeats_its_only_page_tells_likewise() {
    let mut deeds = forum(100, 0, kept);
    let moved = |number: u32| {
        let to = format!("/reply/{number}");
        leading(record(&reply(number), Outcome::Redirected), &to)
    };
    for number in 0..62 {
        take_in(&mut deeds, &moved(number));
        let at = format!("/reply/{number}");
        let page = match number {
            0 | 1 => kept(&at),
            _ => copy(&at, "/reply/1"),
        };
        end(&mut deeds, &after(page, &reply(number)));
        check(&deeds, &reply(99), number == 61);
    }
}

#[test]
fn urls_that_name_nothing_take_no_room_among_forms() {
    let mut deeds = forum(10, 2, wall);
    let before = deeds.forms.len();
    for number in 0..26_u8 {
        let word = String::from(char::from(b'a' + number)).repeat(5);
        take_in(&mut deeds, &kept(&format!("/wiki/{word}")));
        take_in(&mut deeds, &wall(&format!("/wiki/{word}/edit")));
    }
    assert_eq!(deeds.forms.len(), before);
}

#[test]
fn a_number_in_a_query_is_of_the_pages_that_link_to_it() {
    // On the page itself, beside it in a list, or nowhere.
    let report = |number: u32| format!("/report.php?t={number}");
    let listed = |record: PageRecord, number: u32| {
        let record = known(record, &topic(number));
        known(known(record, "/print?x=1"), &report(number))
    };
    let of_page = |deeds: &mut Deeds, number: u32| {
        take_in(deeds, &known(kept(&topic(number)), &report(number)));
    };
    let of_list = |deeds: &mut Deeds, number: u32| {
        take_in(deeds, &listed(junk("/", JunkReason::Thin), number));
        take_in(deeds, &kept(&topic(number)));
    };
    let of_other = |deeds: &mut Deeds, number: u32| {
        let other = known(kept(&topic(number)), &report(number + 1));
        take_in(deeds, &other);
    };
    type Shown<'s> = (&'s dyn Fn(&mut Deeds, u32), bool);
    let given: [Shown<'_>; 3] = [(&of_page, true), (&of_list, true), (&of_other, false)];
    for (at, (shown, is_deed)) in given.into_iter().enumerate() {
        let mut deeds = Deeds::default();
        for number in 0..100 {
            shown(&mut deeds, number);
        }
        for number in 0..30 {
            take_in(&mut deeds, &wall(&report(number)));
        }
        assert_eq!(deeds.find(&url(&report(99))).is_some(), is_deed, "{at}");
    }
}

#[test]
fn answers_that_lead_elsewhere_say_nothing_and_a_way_back_is_nowhere() {
    let blocked = wall;
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
    let deeds = forum(100, 12, wall);
    let saved = serde_json::to_string(&deeds).expect("it is saved");
    let deeds: Deeds = serde_json::from_str(&saved).expect("it is read");
    check(&deeds, &reply(99), true);
}
