//! Two origins of one host: what one is owed does not hold the other.

use std::time::{Duration, Instant};

use super::*;
use crate::lease::Lease;
use crate::politeness::{HostPast, OriginPast};
use crate::url::CanonicalUrl;

const HOUR: Duration = Duration::from_secs(3_600);
const SECOND: Duration = Duration::from_secs(1);

/// Knows the robots.txt of http alone.
struct HttpIsKnown;

impl Gate for HttpIsKnown {
    fn check(&mut self, _: &HostKey, url: &CanonicalUrl) -> Permission {
        match url.as_str().starts_with("https") {
            true => Permission::Unknown,
            false => Permission::Allowed,
        }
    }
}

fn parsed(text: &str) -> CanonicalUrl {
    CanonicalUrl::parse(text).expect(text)
}

fn https() -> Origin {
    parsed("https://a.example/").origin()
}

/// A frontier with so many URLs of https, which go first, and of http.
fn two_origins(of_https: u32, of_http: u32, now: Instant) -> Frontier {
    let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
    for (scheme, urls, priority) in [("https", of_https, 1.0), ("http", of_http, 0.5)] {
        for page in 0..urls {
            let url = parsed(&format!("{scheme}://a.example/{page}"));
            let admitted = FrontierUrl {
                priority,
                ..FrontierUrl::seed(url, 0)
            };
            frontier.admit(admitted).expect("admits");
        }
    }
    frontier
}

/// Asks for robots.txt, which cannot be had for an hour.
fn ask_in_vain(frontier: &mut Frontier, now: Instant) {
    let next = frontier.next(now, &mut HttpIsKnown).expect("reads");
    let Next::Robots(host, url) = next else {
        panic!("{next:?}");
    };
    assert_eq!(url.origin(), https());
    no_robots(frontier, &host, now);
}

/// Its robots.txt cannot be had for an hour.
fn no_robots(frontier: &mut Frontier, host: &HostKey, now: Instant) {
    let busy = HostAdvice {
        origin: https(),
        status: 503,
        ..HostAdvice::default()
    };
    frontier.body_done(host, now, &busy);
    frontier.robots_known(host, https(), None, Some(HOUR));
}

fn finish(frontier: &mut Frontier, lease: Lease, now: Instant) {
    let good = HostAdvice {
        status: 200,
        ..HostAdvice::default()
    };
    frontier.body_done(&lease.url().url.host(), now, &good);
    frontier.settle(lease.finished()).expect("settles");
}

#[test]
fn an_origin_without_a_robots_txt_holds_back_its_own_urls_alone() {
    // It stood at the head of its host's queue and was all that the host was asked for.
    let begin = Instant::now();
    let mut frontier = two_origins(3, 40, begin);
    ask_in_vain(&mut frontier, begin);
    let (mut now, mut read) = (begin, 0);
    let until = loop {
        match frontier.next(now, &mut HttpIsKnown).expect("reads") {
            Next::Lease(lease) => {
                read += 1;
                finish(&mut frontier, lease, now);
            }
            Next::WaitUntil(at) if at > begin + HOUR / 2 => break at,
            Next::WaitUntil(at) => now = at,
            other => panic!("{other:?}"),
        }
        assert!(frontier.hosts.queues[0].counts_origins());
    };
    assert_eq!((read, until), (40, begin + HOUR));
    assert!(now < begin + 60 * SECOND, "{:?}", now - begin);
    let host = &frontier.hosts(1, now)[0];
    assert_eq!((host.pending, host.why), (3, "robots outage"));
    // What comes in meanwhile goes on, and so does what waited, when its time has come.
    let late = FrontierUrl::seed(parsed("http://a.example/late"), 0);
    frontier.admit(late).expect("admits");
    let next = frontier.next(now + 10 * SECOND, &mut HttpIsKnown);
    let Ok(Next::Lease(lease)) = next else {
        panic!("{next:?}");
    };
    finish(&mut frontier, lease, now + 10 * SECOND);
    let mut next = |at| frontier.next(at, &mut HttpIsKnown);
    assert!(matches!(next(until - SECOND), Ok(Next::WaitUntil(at)) if at == until));
    assert!(matches!(next(until), Ok(Next::Robots(..))));
    let host = parsed("http://a.example/").host();
    frontier.body_done(&host, until, &HostAdvice::default());
    frontier.robots_known(&host, https(), None, None);
    struct AllKnown;
    impl Gate for AllKnown {
        fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
            Permission::Allowed
        }
    }
    let next = frontier.next(until + 60 * SECOND, &mut AllKnown);
    assert!(matches!(next, Ok(Next::Lease(lease)) if lease.url().url.origin() == https()));
}

#[test]
fn many_urls_of_a_held_origin_are_set_aside_in_several_turns_and_come_back_one_by_one() {
    // Each time that the origin was tried again, all of them were looked at before the next URL went.
    let begin = Instant::now();
    let mut frontier = two_origins(1_000, 1, begin);
    ask_in_vain(&mut frontier, begin);
    let mut now = begin + 10 * SECOND;
    let mut turns = 0;
    let lease = loop {
        match frontier.next(now, &mut HttpIsKnown).expect("reads") {
            Next::Lease(lease) => break lease,
            Next::WaitUntil(at) => now = at,
            other => panic!("{other:?}"),
        }
        turns += 1;
    };
    assert_eq!(
        (turns, now - begin),
        (3, 10 * SECOND + Duration::from_millis(3))
    );
    finish(&mut frontier, lease, now);
    ask_in_vain(&mut frontier, begin + HOUR);
    let next = frontier.next(begin + HOUR, &mut HttpIsKnown);
    assert!(matches!(next, Ok(Next::WaitUntil(at)) if at == begin + 2 * HOUR));
    assert_eq!(frontier.counts().pending, 1_000);
}

#[test]
fn an_errand_to_a_held_origin_holds_nothing_else_of_its_host() {
    // A robots.txt that had moved to an origin without an answer kept the host's other origin waiting.
    let begin = Instant::now();
    let mut frontier = two_origins(1, 3, begin);
    ask_in_vain(&mut frontier, begin);
    let host = parsed("http://a.example/").host();
    frontier.ask_for(&host, https(), 7);
    frontier.ask_for(&host, Origin::default(), 8);
    let (mut now, mut read, mut errands) = (begin, 0, Vec::new());
    while errands.len() < 2 {
        match frontier.next(now, &mut HttpIsKnown).expect("reads") {
            Next::Lease(lease) => {
                read += 1;
                finish(&mut frontier, lease, now);
            }
            Next::Errand(of, number) => {
                errands.push((number, read, now - begin >= HOUR));
                frontier.body_done(&of, now, &HostAdvice::default());
            }
            Next::WaitUntil(at) => now = at,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(errands, [(8, 0, false), (7, 3, true)]);
}

#[test]
fn what_is_to_be_tried_again_goes_in_its_time_though_the_hosts_other_urls_are_held_back() {
    // It waited until nothing was under way on any host.
    struct HoldsBack;
    impl Gate for HoldsBack {
        fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
            HttpIsKnown.check(host, url)
        }
        fn worth(&mut self, _: &HostKey, url: &CanonicalUrl, _: &UrlNormalizer) -> Permission {
            match url.path_and_query() {
                "/0" => Permission::HoldBack(crate::HeldBack::UntilOthersAreDone),
                "/1" => Permission::Defer,
                _ => Permission::Allowed,
            }
        }
    }
    for page in 0..2 {
        let begin = Instant::now();
        let mut frontier = two_origins(1, 0, begin);
        for url in ["http://b.example/", &format!("http://a.example/{page}")] {
            let lower = FrontierUrl {
                priority: 0.5,
                ..FrontierUrl::seed(parsed(url), 0)
            };
            frontier.admit(lower).expect("admits");
        }
        ask_in_vain(&mut frontier, begin);
        let next = frontier.next(begin, &mut HoldsBack).expect("reads");
        let Next::Lease(long) = next else {
            panic!("{next:?}");
        };
        let next = frontier.next(begin + 10 * SECOND, &mut HoldsBack);
        assert!(
            matches!(next, Ok(Next::WaitUntil(at)) if at == begin + HOUR),
            "{next:?}"
        );
        // It does not go before the other host is done, and then it waits for nothing else.
        let next = frontier.next(begin + HOUR, &mut HoldsBack);
        assert!(matches!(next, Ok(Next::Robots(..))), "{next:?}");
        let host = parsed("http://a.example/").host();
        no_robots(&mut frontier, &host, begin + HOUR);
        let now = begin + HOUR + 10 * SECOND;
        let next = frontier.next(now, &mut HoldsBack);
        assert!(matches!(next, Ok(Next::WaitUntil(_))), "{next:?}");
        finish(&mut frontier, long, now);
        let next = frontier.next(now, &mut HoldsBack).expect("reads");
        assert!(matches!(next, Next::Lease(_)), "{next:?}");
    }
}

#[test]
fn so_it_is_after_a_restart_when_nobody_knows_the_origins_of_what_waits() {
    let begin = Instant::now();
    let dir = tempfile::tempdir().expect("a directory");
    let config = FrontierConfig {
        // Most slots lie in the store.
        slots_in_memory: 8,
        pending_in_memory: 4,
        ..FrontierConfig::default()
    };
    let open = || {
        Frontier::open(dir.path(), config.clone(), begin)
            .expect("opens")
            .0
    };
    let mut frontier = open();
    for scheme in ["https", "http"] {
        for page in 0..40 {
            let url = parsed(&format!("{scheme}://a.example/{page}"));
            frontier.admit(FrontierUrl::seed(url, 0)).expect("admits");
        }
    }
    frontier.apply(1).expect("applies");
    frontier.close().expect("closes");
    let mut frontier = open();
    let host = parsed("http://a.example/").host();
    let past = HostPast {
        origins: vec![OriginPast {
            origin: https(),
            robots_outage: Some((frontier.clock.unix_ms_of(begin), HOUR)),
            ..OriginPast::default()
        }],
        ..HostPast::default()
    };
    frontier.resume_host(&host, &past);
    let (mut now, mut read) = (begin, 0);
    loop {
        match frontier.next(now, &mut HttpIsKnown).expect("reads") {
            Next::Lease(lease) => {
                read += 1;
                finish(&mut frontier, lease, now);
            }
            Next::WaitUntil(at) if at > begin + HOUR / 2 => break,
            Next::WaitUntil(at) => now = at,
            other => panic!("{other:?}"),
        }
        assert!(frontier.hosts.queues[0].counts_origins());
    }
    assert_eq!((read, frontier.counts().pending), (40, 40));
}

#[test]
fn after_a_restart_an_origin_that_gave_no_answer_is_left_alone_and_the_hosts_other_one_goes_on() {
    // Its failures in a row held the whole host.
    let begin = Instant::now();
    let mut frontier = two_origins(1, 1, begin);
    let host = parsed("http://a.example/").host();
    let lost = OriginPast {
        origin: https(),
        failures: 7,
        ended_ms: frontier.clock.unix_ms_of(begin),
        ..OriginPast::default()
    };
    let past = HostPast {
        has_answered: true,
        origins: vec![lost],
        ..HostPast::default()
    };
    frontier.resume_host(&host, &past);
    let next = frontier.next(begin, &mut HttpIsKnown).expect("reads");
    let Next::Lease(lease) = next else {
        panic!("{next:?}");
    };
    finish(&mut frontier, lease, begin);
    let next = frontier.next(begin, &mut HttpIsKnown);
    let until = begin + 16 * SECOND;
    assert!(
        matches!(next, Ok(Next::WaitUntil(at)) if at == until),
        "{next:?}"
    );
}

#[test]
fn the_longest_crawl_delay_of_a_hosts_origins_counts_also_after_a_restart() {
    let http = Origin::default();
    let asks = |origin, seconds: Option<u64>| OriginPast {
        origin,
        crawl_delay: seconds.map(Duration::from_secs),
        ..OriginPast::default()
    };
    let both = [asks(https(), Some(3)), asks(http, None)];
    // Whichever is told last.
    for (first, second) in [(0, 1), (1, 0)] {
        let begin = Instant::now();
        let mut frontier = two_origins(0, 3, begin);
        let host = parsed("http://a.example/").host();
        let past = HostPast {
            origins: vec![both[first].clone(), both[second].clone()],
            ..HostPast::default()
        };
        frontier.resume_host(&host, &past);
        assert_eq!(frontier.hosts.queues[0].politeness.delay(), 3 * SECOND);
        // The robots.txt that asks for nothing is read again.
        let politeness = &mut frontier.hosts.queues[0].politeness;
        politeness.sent_robots(http, begin, &mut frontier.addresses);
        frontier.asking_robots = 1;
        frontier.robots_known(&host, http, None, None);
        assert_eq!(frontier.hosts.queues[0].politeness.delay(), 3 * SECOND);
    }
}

#[test]
fn no_request_goes_to_an_address_before_it_is_known_how_many_do() {
    // Sixty hosts of one address were all asked at once: only an answer told where they are.
    let now = Instant::now();
    let config = FrontierConfig {
        looks_up: true,
        ..FrontierConfig::default()
    };
    let mut frontier = Frontier::in_memory(config, now);
    for host in 0..60 {
        let url = parsed(&format!("http://h{host}.example/"));
        frontier.admit(FrontierUrl::seed(url, 0)).expect("admits");
    }
    let mut leases = Vec::new();
    loop {
        match frontier.next(now, &mut HttpIsKnown).expect("reads") {
            Next::Address(host) => {
                let one = std::net::IpAddr::from([192, 0, 2, 1]);
                frontier.note_address(&host, Some(one));
            }
            Next::Lease(lease) => leases.push(lease),
            Next::InFlight => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(leases.len(), 8);
    assert!(frontier.is_within_share());
}
