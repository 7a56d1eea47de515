//! Which URL goes next: by its worth, its host's turn, what is held back and what is left.

use super::world::{Open, config, next_lease, number, open, url};
use super::*;

#[test]
fn a_spilled_url_whose_priority_changes_is_leased_once() {
    // Its slot was found neither in memory nor, by its new priority, in the store; so it got a
    // second one when a failed try was replayed.
    let mut now = Instant::now();
    let mut frontier = Frontier::in_memory(config(), now);
    for page in 0..200 {
        frontier.replay_admitted(url(0, page)).expect("replays");
    }
    let worst = url(0, 7).url;
    assert!(
        frontier
            .reprioritise(&worst, 0.9, Vec::new())
            .expect("linked again")
    );
    frontier.replay_attempt(&worst, 1, 1).expect("replays");
    let mut leased = BTreeSet::new();
    while let Some(lease) = next_lease(&mut frontier, &mut now) {
        assert!(leased.insert(lease.url().url.to_string()), "leased twice");
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!((leased.len(), frontier.counts().finished), (200, 200));
}

fn leased(next: Next) -> Lease {
    match next {
        Next::Lease(lease) => lease,
        other => panic!("no lease: {other:?}"),
    }
}

#[test]
fn the_best_url_of_all_due_hosts_goes_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for (host, priority) in [(0, 0.1), (4, 0.9), (5, 0.5)] {
        let offered = FrontierUrl {
            priority,
            ..url(host, 1)
        };
        frontier.admit(offered).expect("admits");
    }
    let order: Vec<u64> = (0..3)
        .map(|_| {
            number(
                &leased(frontier.next(now, &mut Open).expect("reads"))
                    .url()
                    .url
                    .host(),
            )
        })
        .collect();
    assert_eq!(order, [4, 5, 0]);
}

#[test]
fn a_deferred_url_goes_when_nothing_else_is_left() {
    struct DeferSix;
    impl Gate for DeferSix {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
        fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
            if url.as_str().ends_with("/6") {
                Permission::Defer
            } else {
                Permission::Allowed
            }
        }
    }
    let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
    let (mut frontier, _) = open(dir.path(), now);
    for page in [6, 1, 2] {
        frontier.admit(url(0, page)).expect("admits");
    }
    let mut order = Vec::new();
    let mut at = now;
    loop {
        at += Duration::from_secs(60);
        let lease = match frontier.next(at, &mut DeferSix).expect("reads") {
            Next::Lease(lease) => lease,
            Next::Drained => break,
            other => panic!("{other:?}"),
        };
        order.push(lease.url().url.path_and_query().to_owned());
        let host = lease.url().url.host();
        let next = frontier.next(at, &mut DeferSix).expect("reads");
        assert!(!matches!(next, Next::Drained));
        frontier.body_done(&host, at, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!(order, ["/2", "/1", "/6"]);
}

/// A gate that holds back pages from 4 on, those from 8 on to the last.
struct HoldsBack;

impl Gate for HoldsBack {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
    fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
        match page_of(url) {
            0..4 => Permission::Allowed,
            _ => Permission::HoldBack(HeldBack::UntilOthersAreDone),
        }
    }
    fn worth_at_last(
        &mut self,
        _: &HostKey,
        url: &CanonicalUrl,
        _: &UrlNormalizer,
        _: HeldBack,
    ) -> Permission {
        match page_of(url) {
            0..8 => Permission::Allowed,
            _ => Permission::HoldBack(HeldBack::ToTheLast),
        }
    }
}

fn page_of(url: &CanonicalUrl) -> u64 {
    let page = url.path_and_query().trim_start_matches('/');
    page.parse().expect("a page is a number")
}

/// Leases all that may go at once, with the page of each.
fn lease_all(frontier: &mut Frontier, at: Instant) -> Vec<(u64, Lease)> {
    let mut leases = Vec::new();
    while let Next::Lease(lease) = frontier.next(at, &mut HoldsBack).expect("reads") {
        leases.push((page_of(&lease.url().url), lease));
    }
    leases
}

#[test]
fn what_is_held_back_goes_when_all_else_is_done_on_all_hosts_at_once() {
    let (dir, now) = (tempfile::tempdir().expect("a directory"), Instant::now());
    let (mut frontier, _) = open(dir.path(), now);
    for host in [0, 1] {
        for page in [8, 4, 5, 1 + host, 9] {
            frontier.admit(url(host, page)).expect("admits");
        }
    }
    let mut order = Vec::new();
    let mut at = now;
    loop {
        at += Duration::from_secs(60);
        let leases = lease_all(&mut frontier, at);
        if leases.is_empty() {
            break;
        }
        order.push(leases.iter().map(|(page, _)| *page).collect::<Vec<_>>());
        let pages: Vec<u64> = order.concat();
        for (_, lease) in leases {
            let host = lease.url().url.host();
            frontier.body_done(&host, at, &HostAdvice::default());
            frontier.settle(lease.finished()).expect("settles");
        }
        if pages.len() == 6 {
            // What comes in now goes before the rest of what is held back.
            frontier.admit(url(1, 3)).expect("admits");
        }
    }
    let sorted = |mut pages: Vec<u64>| {
        pages.sort_unstable();
        pages
    };
    let order: Vec<Vec<u64>> = order.into_iter().map(sorted).collect();
    assert_eq!(
        order,
        [
            vec![1, 2],
            vec![4, 4],
            vec![5, 5],
            vec![3],
            vec![8, 8],
            vec![9, 9]
        ],
    );
    assert!(matches!(
        frontier.next(at, &mut HoldsBack),
        Ok(Next::Drained)
    ));
}

#[test]
fn rescoring_changes_who_goes_first() {
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for host in [0, 4, 5] {
        let offered = FrontierUrl {
            priority: 0.5,
            ..url(host, 1)
        };
        frontier.admit(offered).expect("admits");
    }
    let fifth = url(5, 1).url.key();
    for keys in frontier.pending_keys().chunks(2) {
        let pending = frontier.pending(keys);
        assert_eq!(pending.len(), keys.len());
        let scored = |url: &PendingUrl| (url.key, if url.key == fifth { 0.9 } else { 0.1 });
        let scored: Vec<(u128, f32)> = pending.iter().map(scored).collect();
        frontier.set_priorities(&scored).expect("scored");
    }
    assert_eq!(
        number(
            &leased(frontier.next(now, &mut Open).expect("reads"))
                .url()
                .url
                .host()
        ),
        5
    );
}

#[test]
fn a_crawl_without_topic_is_breadth_first_and_takes_hosts_in_turn() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut now = Instant::now();
    let (mut frontier, _) = open(dir.path(), now);
    for page in [11, 5, 2] {
        for host in [0, 4] {
            let offered = FrontierUrl {
                priority: 1.0,
                depth: page as u32,
                ..url(host, page)
            };
            frontier.admit(offered).expect("admits");
        }
    }
    let mut order = Vec::new();
    for _ in 0..6 {
        let lease = match frontier.next(now, &mut Open).expect("reads") {
            Next::Lease(lease) => lease,
            Next::WaitUntil(at) => {
                now = at;
                leased(frontier.next(now, &mut Open).expect("reads"))
            }
            other => panic!("{other:?}"),
        };
        let host = lease.url().url.host();
        order.push((number(&host), lease.url().depth));
        frontier.body_done(&host, now, &HostAdvice::default());
        frontier.settle(lease.finished()).expect("settles");
    }
    assert_eq!(order, [(0, 2), (4, 2), (0, 5), (4, 5), (0, 11), (4, 11)]);
}

#[test]
fn budgets_and_host_pools_refuse_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let config = FrontierConfig {
        urls_per_host: 2,
        hosts_per_domain: 3,
        ..FrontierConfig::default()
    };
    let (mut frontier, _) = Frontier::open(dir.path(), config, Instant::now()).expect("opens");
    frontier.set_seed_budget(9, Some(1));
    let mut offer = |text: &str, seed| {
        let url = CanonicalUrl::parse(text).expect(text);
        let offered = FrontierUrl {
            depth: 1,
            ..FrontierUrl::seed(url, seed)
        };
        match frontier.admit(offered).expect("admits") {
            Admission::Refused(fate) => fate.name().to_owned(),
            Admission::New => "new".to_owned(),
            Admission::Seen => "seen".to_owned(),
        }
    };
    assert_eq!(offer("http://a.example/1", 0), "new");
    assert_eq!(offer("http://a.example/1", 0), "seen");
    assert_eq!(offer("http://a.example/2", 9), "new");
    assert_eq!(offer("http://a.example/3", 0), "budget_host");
    assert_eq!(offer("http://b.example/3", 9), "budget_seed");
    for n in 1..=3 {
        assert_eq!(offer(&format!("http://n{n}.pool.example/"), 0), "new");
    }
    assert_eq!(offer("http://n4.pool.example/", 0), "trap_host_pool");
}
