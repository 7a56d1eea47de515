use outcome::FailureKind;

use super::*;
use crate::config::FrontierConfig;
use crate::lease::{FrontierUrl, Gate, Lease, Next, Permission};
use crate::politeness::{HostAdvice, HostPast};
use crate::url::CanonicalUrl;

struct Open;

impl Gate for Open {
    fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
        Permission::Allowed
    }
}

/// A frontier with some URLs on each of some hosts, and the time.
struct Crawl {
    frontier: Frontier,
    now: Instant,
    began: Instant,
}

const SILENT: &str = "silent.example";

fn answered() -> HostAdvice {
    HostAdvice {
        status: 200,
        ..HostAdvice::default()
    }
}

fn failed() -> HostAdvice {
    HostAdvice {
        failed: true,
        failure: Some((FailureKind::Connect, "refused".into())),
        ..HostAdvice::default()
    }
}

fn has_answered() -> HostPast {
    HostPast {
        has_answered: true,
        ..HostPast::default()
    }
}

impl Crawl {
    fn of(hosts: &[(&str, u32)]) -> Self {
        let now = Instant::now();
        let config = FrontierConfig {
            delay: Duration::ZERO,
            ..FrontierConfig::default()
        };
        let mut frontier = Frontier::in_memory(config, now);
        for (host, urls) in hosts {
            for number in 0..*urls {
                let url = format!("http://{host}/{number}");
                let url = CanonicalUrl::parse(&url).expect("a URL");
                frontier.admit(FrontierUrl::seed(url, 0)).expect("admits");
            }
        }
        let began = now;
        Self {
            frontier,
            now,
            began,
        }
    }

    fn known(mut self, host: &str) -> Self {
        let host = HostKey::from_record(host);
        self.frontier.resume_host(&host, &has_answered());
        self.frontier.set_answered_before(true);
        self
    }

    fn end(&mut self, lease: Lease, advice: &HostAdvice) {
        let host = lease.url().url.host();
        self.frontier.body_done(&host, self.now, advice);
        let settled = match advice.failed {
            true => lease.retry_at(0),
            false => lease.finished(),
        };
        self.frontier.settle(settled).expect("settles");
    }

    /// Crawls until a URL is refused, or for so long. Only hosts for which `answers` says so answer.
    /// Gives the refusal and when it came.
    fn run(
        &mut self,
        longest: Duration,
        answers: impl Fn(&str) -> bool,
    ) -> Option<(Refused, Duration)> {
        while self.now < self.began + longest {
            self.frontier.give_up_silent_hosts(self.now);
            match self.frontier.next(self.now, &mut Open).expect("a turn") {
                Next::Lease(lease) => {
                    let advice = match answers(lease.url().url.host().as_str()) {
                        true => answered(),
                        false => failed(),
                    };
                    self.now += Duration::from_millis(10);
                    self.end(lease, &advice);
                }
                Next::Refused(lease, why) => {
                    assert_eq!(lease.url().url.host().as_str(), SILENT);
                    return Some((why, self.now - self.began));
                }
                Next::WaitUntil(at) => {
                    self.now = at.min(self.now + Duration::from_millis(200));
                }
                Next::Drained => return None,
                other => panic!("{other:?}"),
            }
        }
        None
    }
}

/// The same with URLs of https, which go first.
fn with_https(mut crawl: Crawl, host: &str, urls: u32) -> Crawl {
    for number in 0..urls {
        let url = CanonicalUrl::parse(&format!("https://{host}/{number}")).expect("a URL");
        let first = FrontierUrl {
            priority: 2.0,
            ..FrontierUrl::seed(url, 0)
        };
        crawl.frontier.admit(first).expect("admits");
    }
    crawl
}

const HOUR: Duration = Duration::from_secs(3_600);

#[track_caller]
fn check(found: Option<(Refused, Duration)>, seconds: std::ops::Range<u64>) -> Refused {
    let (why, at) = found.expect("it is given up");
    assert!(seconds.contains(&at.as_secs()), "{at:?}");
    why
}

#[test]
fn a_host_with_few_urls_is_given_up_soon_when_nothing_else_is_left() {
    // Three URLs of a dead host held a finished crawl for four minutes.
    let mut crawl = Crawl::of(&[(SILENT, 3)]).known(SILENT);
    let why = check(crawl.run(HOUR, |_| false), 15..20);
    assert!(matches!(why, Refused::Refusal(Refusal::HostGone(gone)) if gone.failures >= 4));
    // All of them end so, at once.
    assert!(
        crawl.run(HOUR, |_| false).is_some() && crawl.now - crawl.began < Duration::from_secs(20)
    );
}

#[test]
fn a_host_with_many_urls_has_ten_minutes() {
    let mut crawl = Crawl::of(&[(SILENT, 1_000)]).known(SILENT);
    check(crawl.run(HOUR, |_| false), 600..661);
}

#[test]
fn while_others_are_crawled_a_host_has_ten_minutes_however_few_its_urls() {
    let hosts = [(SILENT, 2), ("b.example", 100_000)];
    let mut crawl = Crawl::of(&hosts).known(SILENT);
    check(crawl.run(HOUR, |host| host != SILENT), 600..661);
}

#[test]
fn a_host_that_never_answered_fails_as_its_requests_did() {
    let mut crawl = Crawl::of(&[(SILENT, 3)]);
    let why = check(crawl.run(HOUR, |_| false), 0..3);
    let expected = Refused::Unreachable {
        failure: FailureKind::Connect,
        detail: "refused".into(),
    };
    assert_eq!(why, expected);
}

#[test]
fn an_answer_while_the_first_failed_request_was_under_way_tells_that_the_network_works() {
    let hosts = [(SILENT, 1), ("b.example", 1), ("c.example", 1)];
    let mut crawl = Crawl::of(&hosts).known("b.example").known("c.example");
    let silent = HostKey::from_record(SILENT);
    let answering = HostKey::from_record("b.example");
    let at = crawl.now + Duration::from_secs(1);
    crawl.frontier.body_done(&answering, at, &answered());
    let late = HostAdvice {
        took: Duration::from_secs(30),
        ..failed()
    };
    for host in [&silent, &HostKey::from_record("c.example")] {
        for _ in 0..FAILURES_MIN {
            let at = crawl.now + Duration::from_secs(20);
            crawl.frontier.body_done(host, at, &late);
        }
    }
    let id = crawl.frontier.hosts.find(&silent).expect("it is known");
    let later = crawl.now + Duration::from_secs(700);
    crawl.frontier.give_up_silent_hosts(later);
    assert!(crawl.frontier.hosts[id].is_gone());
}

#[test]
fn a_dead_origin_is_given_up_by_itself_and_the_hosts_other_one_is_read_meanwhile() {
    // One link of the dead scheme held the whole host, which was given up with it.
    for known in [false, true] {
        let mut crawl = with_https(Crawl::of(&[(SILENT, 50)]), SILENT, 3);
        if known {
            crawl = crawl.known(SILENT);
        }
        let dead = |url: &CanonicalUrl| url.as_str().starts_with("https");
        let (mut asked_at, mut refused) = (Vec::new(), 0);
        loop {
            crawl.frontier.give_up_silent_hosts(crawl.now);
            match crawl.frontier.next(crawl.now, &mut Open).expect("a turn") {
                Next::Lease(lease) => {
                    let is_dead = dead(&lease.url().url);
                    let mut advice = if is_dead { failed() } else { answered() };
                    advice.origin = lease.url().url.origin();
                    if !is_dead {
                        asked_at.push(crawl.now - crawl.began);
                    }
                    crawl.now += Duration::from_millis(10);
                    crawl.end(lease, &advice);
                }
                Next::Refused(lease, why) => {
                    assert!(dead(&lease.url().url));
                    let is_gone = matches!(why, Refused::Refusal(Refusal::HostGone(_)));
                    assert_eq!(is_gone, known, "{why:?}");
                    crawl.frontier.settle(lease.finished()).expect("settles");
                    refused += 1;
                }
                Next::WaitUntil(at) => crawl.now = at.min(crawl.now + Duration::from_millis(200)),
                Next::Drained => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((asked_at.len(), refused), (50, 3));
        assert!(asked_at[49] < Duration::from_secs(2), "{:?}", asked_at[49]);
    }
}

#[test]
fn where_all_hosts_fall_silent_together_none_is_given_up() {
    // It may be our own network.
    let hosts = [(SILENT, 3), ("b.example", 3)];
    let mut crawl = Crawl::of(&hosts).known(SILENT).known("b.example");
    assert_eq!(crawl.run(HOUR, |_| false), None);
    // What waits may be left for another day.
    assert!(crawl.frontier.give_up_silent_hosts(crawl.now));
    let first = crawl.frontier.first_in_trouble(crawl.now);
    let first = first.expect("one is asked first");
    assert_eq!(first.trouble, Trouble::NoAnswer);
    assert!(first.next_in <= Duration::from_secs(60));
    assert_eq!(crawl.frontier.counts().pending, 6);
}

#[test]
fn a_host_in_a_robots_outage_is_no_reason_to_go_on_and_none_to_give_it_up() {
    let mut crawl = Crawl::of(&[("b.example", 3)]);
    let host = HostKey::from_record("b.example");
    crawl.frontier.hosts[0].politeness.asking_robots = true;
    crawl.frontier.asking_robots = 1;
    crawl
        .frontier
        .robots_known(&host, Origin::default(), None, Some(HOUR));
    let later = |seconds| crawl.now + Duration::from_secs(seconds);
    assert!(!crawl.frontier.give_up_silent_hosts(crawl.now));
    assert!(!crawl.frontier.give_up_silent_hosts(later(14)));
    assert!(crawl.frontier.give_up_silent_hosts(later(15)));
    let first = crawl.frontier.first_in_trouble(later(16));
    let expected = Troubled {
        host: host.clone(),
        next_in: HOUR - Duration::from_secs(16),
        trouble: Trouble::NoRobots,
    };
    assert_eq!(first, Some(expected));
    let later = later(16);
    assert!(matches!(
        crawl.frontier.next(later, &mut Open),
        Ok(Next::WaitUntil(_))
    ));
}

#[test]
fn an_answer_or_a_user_gives_a_host_another_chance() {
    let mut crawl = Crawl::of(&[(SILENT, 3)]).known(SILENT);
    let why = crawl.run(HOUR, |_| false);
    assert!(why.is_some());
    let host = HostKey::from_record(SILENT);
    crawl.frontier.revive(&host);
    assert!(!crawl.frontier.hosts[0].is_gone());
    crawl.now += Duration::from_secs(61);
    assert!(matches!(
        crawl.frontier.next(crawl.now, &mut Open),
        Ok(Next::Lease(_))
    ));
}

mod outages;
