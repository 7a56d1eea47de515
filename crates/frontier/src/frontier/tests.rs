//! What the frontier keeps in memory; its other laws are in `laws.rs`.

use super::*;

fn url(page: usize) -> FrontierUrl {
    FrontierUrl {
        url: CanonicalUrl::parse(&format!("http://a.example/{page}")).expect("a URL"),
        depth: 0,
        seed: 0,
        via: None,
        priority: 0.5,
        context: Vec::new(),
    }
}

#[test]
fn as_many_urls_stay_in_memory_as_the_bound_says_and_the_rest_waits_on_disk() {
    const BOUND: usize = 100;
    let config = FrontierConfig {
        pending_in_memory: BOUND,
        ..FrontierConfig::default()
    };
    let dir = tempfile::tempdir().expect("a directory");
    let open = || Frontier::open(dir.path(), config.clone(), Instant::now());
    let (mut frontier, _) = open().expect("opens");
    for page in 0..BOUND {
        frontier.admit(url(page));
    }
    frontier.apply(1).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    frontier.admit(url(BOUND));
    frontier.apply(2).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    for page in BOUND..2_000 {
        frontier.admit(url(page));
        assert!(frontier.places <= BOUND * PLACES_PER_BODY);
    }
    frontier.apply(3).expect("written");
    assert_eq!(frontier.bodies.len(), BOUND);
    assert_eq!(frontier.counts().pending, 2_000);
    drop(frontier);
    let (frontier, _) = open().expect("opens again");
    assert_eq!(frontier.bodies.len(), BOUND);
    assert!(frontier.places <= BOUND * PLACES_PER_BODY);
    assert_eq!(frontier.counts().pending, 2_000);
}

#[test]
fn urls_held_back_stay_within_the_bound_and_all_go_at_last() {
    struct Hold;
    impl Gate for Hold {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
        fn worth(&mut self, _: &HostKey, _: &CanonicalUrl, _: &Spelling<'_>) -> Permission {
            Permission::Later
        }
    }
    const BOUND: usize = 100;
    const PAGES: usize = 1_500;
    let config = FrontierConfig {
        pending_in_memory: BOUND,
        ..FrontierConfig::default()
    };
    let dir = tempfile::tempdir().expect("a directory");
    let mut now = Instant::now();
    let (mut frontier, _) = Frontier::open(dir.path(), config, now).expect("opens");
    for page in 0..PAGES {
        frontier.admit(url(page));
    }
    frontier.apply(1).expect("written");
    let mut leased = std::collections::HashSet::new();
    loop {
        now += Duration::from_secs(60);
        let lease = match frontier.next(now, &mut Hold) {
            Next::Lease(lease) => lease,
            Next::Drained => break,
            other => panic!("{other:?}"),
        };
        assert!(frontier.bodies.len() <= BOUND);
        assert_eq!(lease.url().priority, 0.5);
        assert!(leased.insert(lease.url().url.key()), "a URL went twice");
        let host = lease.url().url.host();
        frontier.body_done(&host, now, &HostAdvice::default());
        frontier.settle(lease.finished());
        frontier.apply(2).expect("written");
    }
    assert_eq!(leased.len(), PAGES);
}

#[test]
fn what_links_say_of_a_url_is_of_use_until_it_is_asked_for() {
    struct Open;
    impl Gate for Open {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) =
        Frontier::open(dir.path(), FrontierConfig::default(), now).expect("opens");
    let url = url(1);
    assert!(frontier.waiting(&url.url).is_none());
    frontier.admit(url.clone());
    assert_eq!(frontier.waiting(&url.url), Some(&url));
    let Next::Lease(lease) = frontier.next(now, &mut Open) else {
        panic!("nothing to fetch");
    };
    assert!(frontier.waiting(&url.url).is_none());
    // It may have to be tried again: what is said of it meanwhile is not lost.
    frontier.amend(&url.url, vec![9], 0.9);
    assert_eq!(frontier.context_of(&url.url), Some([9].as_slice()));
    frontier.settle(lease.retry_at(0));
    assert_eq!(
        frontier.waiting(&url.url).map(|url| url.context.as_slice()),
        Some([9].as_slice())
    );
}

#[test]
fn a_url_that_is_held_until_applied_goes_once_its_record_is_synced() {
    struct Open;
    impl Gate for Open {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let now = Instant::now();
    let (mut frontier, _) =
        Frontier::open(dir.path(), FrontierConfig::default(), now).expect("opens");
    frontier.hold_new_until_applied();
    assert_eq!(frontier.admit(url(1)), crate::Admission::New);
    assert!(matches!(frontier.next(now, &mut Open), Next::InFlight));
    assert_eq!(frontier.counts().pending, 1);
    // It can be added to at once.
    frontier.amend(&url(1).url, vec![1], 0.9);
    frontier.apply(1).expect("written");
    let Next::Lease(lease) = frontier.next(now, &mut Open) else {
        panic!("its record is synced");
    };
    assert_eq!(
        (lease.url().priority, &*lease.url().context),
        (0.9, [1].as_slice())
    );
    frontier.settle(lease.finished());
    assert!(frontier.is_finished(&url(1).url));
}
