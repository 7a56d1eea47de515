//! Hosts that limit by answers that do not say so: how long they are left alone, and what is asked for first.

use std::time::{Duration, Instant};

use super::super::silent::Trouble;
use super::*;
use crate::lease::Lease;
use crate::politeness::{GoodPages, Limit, Sign};
use crate::url::CanonicalUrl;

const SECOND: Duration = Duration::from_secs(1);

struct All;

impl Gate for All {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

fn url(host: &str, number: u32) -> FrontierUrl {
    let url = CanonicalUrl::parse(&format!("http://{host}/{number}")).expect("a URL");
    FrontierUrl {
        priority: 1.0 - number as f32 / 100.0,
        ..FrontierUrl::seed(url, 0)
    }
}

fn with(urls: impl IntoIterator<Item = FrontierUrl>, now: Instant) -> Frontier {
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    for url in urls {
        frontier.admit(url).expect("admits");
    }
    frontier
}

#[track_caller]
fn lease(frontier: &mut Frontier, now: Instant) -> Lease {
    match frontier.next(now, &mut All).expect("reads") {
        Next::Lease(lease) => lease,
        other => panic!("{other:?}"),
    }
}

/// How long a host of a second's delay waits after an answer.
fn wait(limit: Option<Limit>, status: u16, hint: Option<f64>) -> Duration {
    let now = Instant::now();
    let mut frontier = with((0..2).map(|number| url("a.example", number)), now);
    let first = lease(&mut frontier, now);
    let host = first.url().url.host();
    frontier.set_limit(&host, limit);
    let advice = HostAdvice {
        status,
        hint: hint.map(Duration::from_secs_f64),
        sign: Sign::error(status),
        ..HostAdvice::default()
    };
    frontier.body_done(&host, now, &advice);
    match frontier.next(now, &mut All).expect("reads") {
        Next::WaitUntil(at) => at - now,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_host_that_limits_is_left_alone_when_its_answer_has_ended_and_before_it_is_read() {
    let limit = || {
        Some(Limit {
            sign: Sign::error(404).expect("an error"),
            rest: 8 * SECOND,
        })
    };
    let margin = Duration::from_millis(50);
    assert_eq!(wait(limit(), 404, None), 8 * SECOND + margin);
    assert_eq!(wait(limit(), 404, Some(3.0)), 3 * SECOND + margin);
    assert_eq!(wait(limit(), 404, Some(3_600.0)), 8 * SECOND + margin);
    // Other answers mean what they say, and so does the word of a host that is not known to limit.
    assert_eq!(wait(limit(), 403, None), SECOND);
    assert_eq!(wait(None, 404, Some(3_600.0)), SECOND);
}

#[test]
fn a_url_by_which_a_host_is_looked_into_goes_before_all_others_of_its_host_alone() {
    let now = Instant::now();
    let of_b = (3..5).map(|number| url("b.example", number));
    let mut frontier = with([url("a.example", 50)].into_iter().chain(of_b), now);
    let mut probe = lease(&mut frontier, now);
    if probe.url().url.host().as_str() != "a.example" {
        let host = probe.url().url.host();
        frontier.body_done(&host, now, &HostAdvice::default());
        frontier.settle(probe.finished()).expect("settles");
        probe = lease(&mut frontier, now);
    }
    let probed = probe.url().url.clone();
    frontier.admit(url("a.example", 1)).expect("admits");
    frontier.ask_first(&probed);
    frontier.body_done(&probed.host(), now, &HostAdvice::default());
    frontier.settle(probe.retry_at(1)).expect("settles");
    let later = now + 10 * SECOND;
    let mut order = Vec::new();
    for turn in 0..4 {
        let at = later + 2 * turn * SECOND;
        let Next::Lease(lease) = frontier.next(at, &mut All).expect("reads") else {
            break;
        };
        order.push((lease.url().url.as_str().to_owned(), lease.url().priority));
        frontier.body_done(&lease.url().url.host(), at, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
    }
    let of_a: Vec<_> = order
        .iter()
        .filter(|(url, _)| url.contains("a.example"))
        .collect();
    assert_eq!(of_a.len(), 2, "{order:?}");
    assert_eq!((of_a[0].0.as_str(), of_a[0].1), (probed.as_str(), 0.5));
}

/// What pages say that a host of three pages gave before, as a run of its answers is looked into so often; `answer`
/// is theirs.
fn looked_into(
    times: usize,
    is_sure: bool,
    answer: &HostAdvice,
) -> (Frontier, Vec<String>, GoodPages) {
    let now = Instant::now();
    let mut frontier = with((0..9).map(|number| url("a.example", number)), now);
    let mut at = now;
    for _ in 0..3 {
        let page = lease(&mut frontier, at);
        let advice = HostAdvice {
            status: 200,
            good: Some(page.url().url.clone()),
            ..HostAdvice::default()
        };
        frontier.body_done(&page.url().url.host(), at, &advice);
        frontier.settle(page.finished()).expect("settles");
        at += SECOND;
    }
    let probe = lease(&mut frontier, at);
    let (probe, host) = (probe.url().url.clone(), probe.url().url.host());
    frontier.body_done(&host, at, &HostAdvice::default());
    let sign = Sign::error(403).expect("an error");
    let mut asked = Vec::new();
    for _ in 0..times {
        frontier.look_into(&probe, (&sign, is_sure), 7, |_| true);
        at += SECOND;
        let next = frontier.next(at, &mut All).expect("reads");
        assert!(
            matches!(&next, Next::Errand(of, 7) if *of == host),
            "{next:?}"
        );
        let good = frontier.take_doubted(&host).expect("it was good");
        asked.push(good.as_str().to_owned());
        frontier.body_done(&host, at, answer);
    }
    let said = frontier.good_pages(&host, &sign);
    assert_eq!(
        frontier.good_pages(&host, &Sign::empty()),
        GoodPages::Unknown
    );
    (frontier, asked, said)
}

#[test]
fn a_host_refuses_all_where_the_page_that_was_good_last_and_the_first_one_are_answered_as_the_run_is()
 {
    let refused = HostAdvice {
        is_doubt: true,
        status: 403,
        sign: Sign::error(403),
        ..HostAdvice::default()
    };
    let good = ["http://a.example/2", "http://a.example/0"].map(String::from);
    let (_, asked, said) = looked_into(1, false, &refused);
    assert_eq!(
        (&*asked, said),
        (&good[..1], GoodPages::Unknown),
        "one may have been good but once"
    );
    let (mut frontier, asked, said) = looked_into(2, false, &refused);
    assert_eq!((asked, said), (good.to_vec(), GoodPages::Refused));
    let now = Instant::now() + 100 * SECOND;
    assert!(frontier.first_in_trouble(now).is_none());
    let (mut sure, _, _) = looked_into(2, true, &refused);
    let trouble = sure.first_in_trouble(now).map(|host| host.trouble);
    assert_eq!(trouble, Some(Trouble::RefusesAll));
    let host = url("a.example", 0).url.host();
    sure.end_looks(&host);
    assert!(sure.first_in_trouble(now).is_none());
    // Once one comes that is over.
    let come = HostAdvice {
        status: 200,
        sign: None,
        ..refused.clone()
    };
    frontier.body_done(&host, now, &come);
    let sign = Sign::error(403).expect("an error");
    assert_eq!(frontier.good_pages(&host, &sign), GoodPages::Come);
    // What else becomes of them says nothing.
    let unwell = HostAdvice {
        status: 500,
        sign: None,
        ..refused
    };
    assert_eq!(looked_into(3, false, &unwell).2, GoodPages::Unknown);
}
