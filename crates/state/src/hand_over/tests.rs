use std::collections::BTreeSet;
use std::time::Instant;

use archive::{
    AttemptRecord, ElsewhereRecord, Event, FetchRecord, LimitedRecord, PageRecord, PageSummary,
    RobotsRecord,
};
use frontier::{FrontierConfig, FrontierUrl, Share};
use outcome::{Outcome, RobotsAnswer, Verdict};
use proptest::prelude::*;

use super::*;
use crate::testing::{apply, policy, state};

/// A time that no clock shows yet: what was asked for then is owed in full.
const LATER_MS: u64 = 4_000_000_000_000;
const DAY_MS: u64 = 86_400_000;
const ME: u16 = 1;
const OTHER: u16 = 2;
const HOST: &str = "a.example";
const SEED: &str = "http://a.example/";

/// A node; each host is of the part that its first letter says.
fn node() -> State {
    let config = FrontierConfig {
        delay: Duration::from_secs(1),
        ..FrontierConfig::default()
    };
    let mut state = state(policy(), config, SEED);
    state.go_live().expect("a store");
    {
        let frontier = &mut state.queue().lock().frontier;
        let share = Share::new(|domain| domain.bytes().next().unwrap_or(0).into(), |_| 7);
        frontier.set_share(share);
        frontier.apply(0).expect("a store");
    }
    state
}

fn part() -> u16 {
    b'a'.into()
}

fn take(state: &mut State, event: Event) {
    let record = state.record(event, LATER_MS);
    apply(state, &record);
}

fn fetch(status: u16, started_ms: u64) -> FetchRecord {
    FetchRecord {
        status,
        started_ms,
        ms: 10,
        ..FetchRecord::default()
    }
}

/// It is busy for 25 s.
fn busy(started_ms: u64) -> Event {
    Event::Attempt(AttemptRecord {
        url: SEED.into(),
        host: HOST.into(),
        attempt: 1,
        fetch: FetchRecord {
            retry_after_s: Some(25.0),
            ..fetch(429, started_ms)
        },
        retry_at_ms: LATER_MS,
        ..AttemptRecord::default()
    })
}

fn robots(crawl_delay_s: f64, started_ms: u64) -> Event {
    Event::Robots(RobotsRecord {
        host: HOST.into(),
        origin: Some("http://a.example".into()),
        rules: RobotsAnswer::Parsed,
        crawl_delay_s: Some(crawl_delay_s),
        fetch: fetch(200, started_ms),
        ..RobotsRecord::default()
    })
}

fn page(number: u32, status: u16, started_ms: u64) -> Event {
    let verdict = match status {
        200 => Verdict::Index,
        _ => Verdict::Junk(outcome::JunkReason::ErrorPage),
    };
    Event::Page(Box::new(PageRecord {
        url: format!("http://a.example/{number}"),
        host: HOST.into(),
        attempt: 1,
        via: Some(9),
        fetch: Some(fetch(status, started_ms)),
        outcome: Outcome::Judged(verdict),
        page: Some(PageSummary {
            words: 500,
            ..PageSummary::default()
        }),
        ..PageRecord::default()
    }))
}

fn said_by(state: &State, at_ms: u64) -> Vec<u8> {
    let mut said = state.manners_of(&[part()], (OTHER, at_ms), 262_144);
    assert_eq!(said.len(), 1);
    said.remove(0).1
}

fn saying(data: &[u8], number: u64, age: Duration) -> Said<'_> {
    Said {
        part: part(),
        number,
        node: OTHER,
        age,
        data,
    }
}

/// Takes the part over; gives how many records that took.
fn hear(state: &mut State, said: &[Said<'_>], now_ms: u64) -> usize {
    let heard = state
        .manners_heard(&[part()], said, (ME, now_ms))
        .expect("a store");
    let count = heard.len();
    let record = ElsewhereRecord {
        manners: heard,
        ..ElsewhereRecord::default()
    };
    take(state, Event::Elsewhere(record));
    count
}

/// How long the host waits, and why.
fn waits(state: &State) -> (u64, &'static str) {
    let hosts = state.queue().lock().frontier.hosts(1, Instant::now());
    (
        hosts[0].next_in.as_millis().div_ceil(1_000) as u64,
        hosts[0].why,
    )
}

#[test]
fn a_wait_is_owed_by_whoever_has_the_host_next_for_what_is_left_of_it() {
    let mut other = node();
    take(&mut other, busy(LATER_MS));
    // Said five seconds after the answer, by a clock a day behind, and heard six seconds later.
    let data = said_by(&other, LATER_MS + 5_010);
    let mut state = node();
    let age = Duration::from_secs(6);
    assert_eq!(
        hear(&mut state, &[saying(&data, 1, age)], LATER_MS + DAY_MS),
        1
    );
    let past = state.pasts.of(HOST);
    let began_ms = LATER_MS + DAY_MS - 11_000;
    assert_eq!(past.retry_after, Some((began_ms, Duration::from_secs(25))));
    assert!(past.has_answered && past.failures == 1 && !past.pace.is_full());
    // The clock here is long before, so nothing of it has passed.
    assert_eq!(waits(&state), (26, "retry-after"));
    // It is there after a restart, and is handed on.
    let again = said_by(&state, LATER_MS + DAY_MS);
    let mut third = node();
    hear(&mut third, &[saying(&again, 1, Duration::ZERO)], LATER_MS);
    let asked = third.pasts.of(HOST).retry_after;
    assert_eq!(asked, Some((LATER_MS - 11_000, Duration::from_secs(25))));
}

#[test]
fn the_delay_of_robots_txt_holds_before_that_is_asked_for_again() {
    let mut other = node();
    take(&mut other, robots(9.0, LATER_MS));
    let data = said_by(&other, LATER_MS);
    let mut state = node();
    state
        .queue()
        .lock()
        .frontier
        .take_part(part(), Vec::new(), [])
        .expect("comes");
    state.queue().lock().frontier.rest_hosts_of(&[part()]);
    assert_eq!(waits(&state), (1, "delay"));
    hear(&mut state, &[saying(&data, 1, Duration::ZERO)], LATER_MS);
    assert_eq!(waits(&state), (9, "crawl-delay"));
    // Handed on without an answer it is said once.
    let again = String::from_utf8(said_by(&state, LATER_MS)).expect("text");
    assert_eq!(again.matches("crawl_delay\":{").count(), 1, "{again}");
    // What robots.txt says when it was asked for again counts from then on.
    take(&mut state, robots(3.0, LATER_MS + 1));
    let own = &state.pasts.of(HOST).origins;
    assert!(own.is_empty(), "{own:?}");
}

#[test]
fn what_was_heard_before_and_what_one_said_oneself_is_not_news() {
    let mut other = node();
    take(&mut other, busy(LATER_MS));
    let data = said_by(&other, LATER_MS);
    let mut state = node();
    let said = saying(&data, 3, Duration::ZERO);
    assert_eq!(hear(&mut state, &[said], LATER_MS), 1);
    take(&mut state, page(1, 200, LATER_MS + 60_000));
    let since = state.pasts.of(HOST);
    assert_eq!((since.failures, since.retry_after), (0, None));
    // The node joins again with the parts that it had.
    assert_eq!(hear(&mut state, &[said], LATER_MS), 0);
    let own = Said {
        number: 4,
        node: ME,
        ..said
    };
    assert_eq!(hear(&mut state, &[own], LATER_MS), 0);
    assert_eq!(state.pasts.of(HOST), since);
    assert_eq!(hear(&mut state, &[Said { number: 5, ..said }], LATER_MS), 1);
    assert_eq!(state.pasts.of(HOST).failures, 1);
}

#[test]
fn a_host_of_which_there_is_nothing_to_tell_is_left_out() {
    let other = node();
    let quiet = node();
    assert_eq!(said_by(&quiet, LATER_MS), b"");
    // One that has given pages is told of while URLs wait for it.
    let mut other = other;
    take(&mut other, page(1, 200, LATER_MS));
    let said = String::from_utf8(said_by(&other, LATER_MS)).expect("text");
    let expected =
        r#"{"host":"a.example","answered":true,"runs":{"pages":1,"host":null,"known":null}}"#;
    assert_eq!(
        said,
        format!("{{\"at_ms\":{LATER_MS},\"hosts\":[{expected}]}}")
    );
    let mut state = node();
    hear(
        &mut state,
        &[saying(said.as_bytes(), 1, Duration::ZERO)],
        LATER_MS,
    );
    assert!(state.pasts.of(HOST).has_answered);
    let url = CanonicalUrl::parse(SEED).expect("a URL");
    other
        .queue()
        .lock()
        .frontier
        .replay_finished(&url)
        .expect("a store");
    assert_eq!(said_by(&other, LATER_MS), b"");
}

#[test]
fn urls_that_another_node_finished_come_back_when_the_host_turns_out_to_limit() {
    let mut other = node();
    for number in 0..40 {
        take(&mut other, page(number, 200, LATER_MS));
    }
    for number in 100..104 {
        take(&mut other, page(number, 403, LATER_MS));
    }
    let data = said_by(&other, LATER_MS);
    let mut state = node();
    state
        .queue()
        .lock()
        .frontier
        .take_part(part(), Vec::new(), [])
        .expect("comes");
    hear(&mut state, &[saying(&data, 1, Duration::ZERO)], LATER_MS);
    let counts = state.counts().clone();
    // The fifth of the run is asked for once more, and is a page then.
    take(
        &mut state,
        Event::Attempt(AttemptRecord {
            url: "http://a.example/104".into(),
            host: HOST.into(),
            attempt: 1,
            fetch: fetch(403, LATER_MS),
            limited: Some(LimitedRecord {
                like: "403".into(),
                rest_s: 1.0,
                ..LimitedRecord::default()
            }),
            ..AttemptRecord::default()
        }),
    );
    take(&mut state, page(104, 200, LATER_MS + 2_000));
    let back = state.decide_returns().expect("a store");
    let [Event::Retry(retry)] = &back[..] else {
        panic!("{back:?}");
    };
    let urls: BTreeSet<&str> = retry.urls.iter().map(String::as_str).collect();
    assert_eq!(urls.len(), 4, "{urls:?}");
    let of = |origin: &archive::RetryOrigin| (origin.node, origin.via);
    assert!(
        retry
            .origins
            .iter()
            .all(|origin| of(origin) == (Some(OTHER), None))
    );
    // Its counters know nothing of how they ended there.
    let finished = state.counts().finished;
    take(&mut state, back[0].clone());
    assert_eq!(state.counts().finished, finished);
    assert_eq!(finished, counts.finished + 1);
    // The node that had finished them has them as its own when the host comes back.
    let mut home = node();
    let mut first = other.pasts.runs.owed(HOST);
    first.origins().for_each(|origin| origin.node = Some(ME));
    let owed = Owed {
        host: HOST.into(),
        runs: first,
        ..Owed::default()
    };
    let data = super::saying(vec![(false, owed)], LATER_MS, 100_000);
    hear(&mut home, &[saying(&data, 1, Duration::ZERO)], LATER_MS);
    let mut own = home.pasts.runs.owed(HOST);
    assert!(own.origins().all(|origin| origin.node.is_none()));
}

#[test]
fn what_is_said_of_a_part_is_bounded_and_waits_come_before_urls() {
    let mut other = node();
    for number in 0..40 {
        take(&mut other, page(number, 200, LATER_MS));
    }
    for number in 100..300 {
        take(&mut other, page(number, 404, LATER_MS));
    }
    let waiting = (0..300).map(|number| {
        let url = format!("http://h{number}.a.example/");
        let url = CanonicalUrl::parse(&url).expect("a URL");
        (FrontierUrl::seed(url, 0), false)
    });
    {
        let frontier = &mut other.queue().lock().frontier;
        let taken = frontier.take_part(part(), waiting.collect(), []);
        taken.expect("comes");
        frontier.apply(0).expect("a store");
    }
    for number in 0..300 {
        let host = format!("h{number}.a.example");
        other.pasts.hold(&host, LATER_MS, Duration::from_secs(50));
    }
    let all = said_by(&other, LATER_MS);
    let hosts = |data: &[u8]| -> Saying { serde_json::from_slice(data).expect("it is whole") };
    let owes = |data: &[u8]| {
        let hosts = hosts(data).hosts.into_iter();
        hosts.filter(|owed| owed.past.is_some()).count()
    };
    assert_eq!(owes(&all), 300);
    for bytes_max in [
        0,
        10,
        60,
        1_000,
        20_000,
        all.len() - 1,
        all.len(),
        2 * all.len(),
    ] {
        let said = other.manners_of(&[part()], (OTHER, LATER_MS), bytes_max);
        let said = &said[0].1;
        assert!(said.len() <= bytes_max, "{bytes_max}");
        if bytes_max == all.len() - 1 {
            assert_eq!(owes(said), 300);
        }
        if bytes_max >= all.len() {
            assert_eq!(said, &all);
        }
    }
}

proptest! {
    #[test]
    fn no_saying_harms(words in "\\PC{0,200}", cut in 0_usize..4_000, age in any::<u64>()) {
        let mut other = node();
        take(&mut other, busy(LATER_MS));
        take(&mut other, robots(1e300, LATER_MS));
        take(&mut other, page(1, 403, LATER_MS));
        let mut data = said_by(&other, u64::MAX);
        data.truncate(cut);
        data.extend_from_slice(words.as_bytes());
        let mut state = node();
        let age = Duration::from_secs(age);
        hear(&mut state, &[saying(&data, 1, age)], LATER_MS);
        hear(&mut state, &[saying(words.as_bytes(), 2, age)], 0);
        let hosts = serde_json::Value::String(words);
        let manners = vec![ElsewhereManners { part: 3, number: 1, hosts }];
        take(&mut state, Event::Elsewhere(ElsewhereRecord { manners, ..ElsewhereRecord::default() }));
    }
}

#[test]
fn numbers_beyond_all_bounds_are_waits_within_them() {
    let mut state = node();
    let most = u64::MAX;
    let past = format!(
        r#"{{"has_answered":true,"failures":4294967295,"ended_ms":{most},"retry_after":[{most},{{"secs":{most},"nanos":0}}],
        "pace":{{"steps":65535,"slowed_ms":{most}}},"limit":{{"sign":"403","rest":{{"secs":{most},"nanos":0}}}},"refuses_all":9,
        "origins":[{{"origin":200,"failures":4294967295,"ended_ms":{most},"crawl_delay":{{"secs":{most},"nanos":0}},
        "robots_outage":[{most},{{"secs":{most},"nanos":0}}]}}]}}"#
    );
    let known = format!(
        r#"{{"limit":{{"sign":"403","rest":{{"secs":{most},"nanos":0}}}},"helped":{{"secs":{most},"nanos":0}},"row":[1],
        "waiting":[2],"rests_until_ms":{most},"ended":"[]","again":[],"came":4294967295,"in_vain":4294967295}}"#
    );
    let host =
        r#"{"runs":4294967295,"further":4294967295,"in_vain":4294967295,"run":null,"missed":null}"#;
    let data = format!(
        r#"{{"at_ms":{most},"hosts":[{{"host":"a.example","answered":true,"past":{past},
        "runs":{{"pages":4294967295,"host":{host},"known":{known}}},"walls":null,"good":["x","http://b.example/"]}}]}}"#
    );
    serde_json::from_str::<Saying>(&data).expect("it is understood");
    hear(
        &mut state,
        &[saying(data.as_bytes(), most, Duration::MAX)],
        LATER_MS,
    );
    assert_eq!(state.pasts.of(HOST).failures, u32::MAX);
    take(&mut state, busy(LATER_MS));
    for number in 0..1_100 {
        take(
            &mut state,
            page(number, if number % 3 == 0 { 403 } else { 200 }, LATER_MS),
        );
    }
    let stored = state.queue().lock().frontier.apply(0);
    stored.expect("a store");
    // No wait is longer than this crawl lets a host ask for.
    let longest = FrontierConfig::default().retry_after_max.as_secs().max(60);
    assert!(waits(&state).0 <= longest + 1, "{:?}", waits(&state));
}
