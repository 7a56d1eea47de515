//! Who waits for better ones, and for how long.

use outcome::{LinkFate, Refusal};

use super::*;
use crate::lease::Refused;

/// Refuses the pages with an even number.
struct NoEven;

impl Gate for NoEven {
    fn check(&mut self, _: &HostKey, url: &CanonicalUrl) -> Permission {
        let number = url.as_str().rsplit('/').next().and_then(|n| n.parse().ok());
        match number.is_some_and(|number: u32| number.is_multiple_of(2)) {
            true => Permission::Refused(Refused::Refusal(Refusal::LeftOut(LinkFate::BudgetHost))),
            false => Permission::Allowed,
        }
    }
}

#[test]
fn a_node_whose_links_promise_much_less_lets_other_nodes_go_first_and_is_not_forgotten() {
    let begin = Instant::now();
    let patience = Duration::from_secs(1);
    let config = FrontierConfig {
        delay: Duration::ZERO,
        connections_per_host: 64,
        patience,
        ..FrontierConfig::default()
    };
    let mut frontier = Frontier::in_memory(config, begin);
    for (page, priority) in [0.5, 0.1, 0.1, 0.1].into_iter().enumerate() {
        let admitted = FrontierUrl {
            priority,
            ..url(page)
        };
        frontier.admit(admitted).expect("admits");
    }
    let lease =
        |frontier: &mut Frontier, now: Instant| match frontier.next(now, &mut Open).expect("reads")
        {
            Next::Lease(lease) => {
                frontier.settle(lease.finished()).expect("settles");
                Ok(())
            }
            Next::WaitUntil(at) => Err(at),
            other => panic!("{other:?}"),
        };
    let near =
        |told: Option<f32>, promise: f32| told.is_some_and(|told| (told - promise).abs() < 0.001);
    // What promises a third of a page waits for nobody.
    frontier.set_elsewhere(Some(0.9));
    assert!(near(frontier.promise(begin), 0.5) && !frontier.gives_way(begin));
    assert_eq!(lease(&mut frontier, begin), Ok(()));
    assert!(near(frontier.promise(begin), 0.1) && frontier.gives_way(begin));
    // What promises little waits, and one goes for each time of patience.
    assert_eq!(lease(&mut frontier, begin), Err(begin + patience));
    assert_eq!(lease(&mut frontier, begin + patience), Ok(()));
    let again = begin + patience;
    assert_eq!(lease(&mut frontier, again), Err(again + patience));
    // Others have nothing better any more.
    frontier.set_elsewhere(Some(0.3));
    assert!(!frontier.gives_way(again));
    assert_eq!(lease(&mut frontier, again), Ok(()));
    frontier.set_elsewhere(None);
    assert_eq!(lease(&mut frontier, again), Ok(()));
    assert_eq!(frontier.promise(again), None);
}

#[test]
fn a_host_that_waited_keeps_its_turn_where_its_url_is_refused_or_its_address_is_looked_up() {
    let (begin, patience) = (Instant::now(), Duration::from_secs(1));
    let config = FrontierConfig {
        delay: Duration::ZERO,
        connections_per_host: 64,
        patience,
        ..FrontierConfig::default()
    };
    let config = FrontierConfig {
        looks_up: true,
        ..config
    };
    let mut frontier = Frontier::in_memory(config, begin);
    for page in 0..4 {
        let admitted = FrontierUrl {
            priority: 0.1,
            ..url(page)
        };
        frontier.admit(admitted).expect("admits");
    }
    frontier.set_elsewhere(Some(0.9));
    let mut next = |now: Instant| frontier.next(now, &mut NoEven).expect("reads");
    let waits = |next: Next, at: Instant| matches!(next, Next::WaitUntil(until) if until == at);
    assert!(waits(next(begin), begin + patience));
    let now = begin + patience;
    let Next::Address(host) = next(now) else {
        panic!("its address is not known");
    };
    frontier.note_address(&host, None);
    let mut next = |now: Instant| frontier.next(now, &mut NoEven).expect("reads");
    assert!(matches!(next(now), Next::Refused(..)));
    assert!(matches!(next(now), Next::Lease(_)));
    // Then the next one waits.
    assert!(waits(next(now), now + patience));
    assert!(matches!(next(now + patience), Next::Refused(..)));
    assert!(matches!(next(now + patience), Next::Lease(_)));
}
