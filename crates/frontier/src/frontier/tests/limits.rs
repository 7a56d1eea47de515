//! Hosts that limit by answers that do not say so: how long they are left alone, and what is asked for first.

use std::time::{Duration, Instant};

use super::*;
use crate::lease::Lease;
use crate::politeness::{Limit, Sign};
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
