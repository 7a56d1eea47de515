use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};

use archive::{FetchRecord, LinkRecord, PageRecord, PageSummary};
use outcome::{JunkReason, Outcome, Verdict};
use proptest::prelude::*;

use super::*;

const HOST: &str = "a.example";

fn record(url: u32, status: u16, verdict: Verdict, body: &str) -> PageRecord {
    PageRecord {
        url: format!("http://{HOST}/{url}"),
        host: HOST.into(),
        attempt: 1,
        fetch: Some(FetchRecord {
            status,
            ..FetchRecord::default()
        }),
        outcome: Outcome::Judged(verdict),
        page: Some(PageSummary {
            words: body.len() as u32,
            payload: body.into(),
            ..PageSummary::default()
        }),
        ..PageRecord::default()
    }
}

fn page(url: u32) -> PageRecord {
    record(url, 200, Verdict::Index, "words")
}

fn error(url: u32, status: u16) -> PageRecord {
    record(url, status, Verdict::Junk(JunkReason::ErrorPage), "")
}

fn thin(url: u32, body: &str) -> PageRecord {
    record(url, 200, Verdict::Junk(JunkReason::Thin), body)
}

fn redirect(url: u32, target: &str) -> PageRecord {
    PageRecord {
        outcome: Outcome::Redirected,
        links: vec![LinkRecord {
            url: target.into(),
            rel: "redirect".into(),
            ..LinkRecord::default()
        }],
        ..page(url)
    }
}

/// A host as the crawl sees it: what is to be asked for again is.
#[derive(Default)]
struct Crawl {
    runs: HostRuns,
    /// Until then pages that were good before are answered as all others are.
    refuses_until: Duration,
    now_ms: u64,
    asked_again: u32,
    rested: Duration,
    back: Vec<String>,
    first: Option<String>,
    /// Its host changes nodes after each URL.
    moves: bool,
}

/// A host that refuses for some seconds after each so many pages.
struct Limited<'a> {
    good: u32,
    /// One after the other, the last one again and again.
    seconds: &'a [u64],
    /// Of a refusal.
    status: &'a dyn Fn(u32) -> u16,
    given: u32,
    limits: usize,
    until: Duration,
    came: BTreeSet<u32>,
}

impl Limited<'_> {
    fn answer(&mut self, url: u32, now: Duration) -> PageRecord {
        if self.given >= self.good && now >= self.until {
            let seconds = self.seconds[self.limits.min(self.seconds.len() - 1)];
            self.until = now + Duration::from_secs(seconds);
            (self.given, self.limits) = (0, self.limits + 1);
        }
        if now < self.until {
            return error(url, (self.status)(url));
        }
        self.given += 1;
        self.came.insert(url);
        page(url)
    }
}

/// A crawl of 300 pages of such a host, ten a second: how many came, and after how many requests.
fn limited_crawl(good: u32, seconds: &[u64], status: &dyn Fn(u32) -> u16) -> (usize, u32) {
    crawl_of_limited(Crawl::default(), good, seconds, status)
}

fn crawl_of_limited(
    mut crawl: Crawl,
    good: u32,
    seconds: &[u64],
    status: &dyn Fn(u32) -> u16,
) -> (usize, u32) {
    let host = RefCell::new(Limited {
        good,
        seconds,
        status,
        given: 0,
        limits: 0,
        until: Duration::ZERO,
        came: BTreeSet::new(),
    });
    let mut requests = 0;
    let mut waiting = VecDeque::from_iter(0..300);
    while let Some(url) = waiting.pop_front() {
        requests += crawl.visit(&|now| host.borrow_mut().answer(url, now));
        crawl.now_ms += 80;
        let first = crawl.first.take();
        for back in crawl.back.drain(..) {
            let number = back
                .rsplit('/')
                .next()
                .and_then(|number| number.parse().ok());
            let number = number.expect("a number");
            match first.as_ref() == Some(&back) {
                true => waiting.push_front(number),
                false => waiting.push_back(number),
            }
        }
    }
    (host.borrow().came.len(), requests)
}

impl Crawl {
    fn with_pages(pages: u32) -> Self {
        let mut crawl = Self::default();
        crawl.visit_all(0..pages, page);
        crawl
    }

    fn visit_all(&mut self, urls: std::ops::Range<u32>, answer: impl Fn(u32) -> PageRecord) {
        for url in urls {
            self.visit(&|_| answer(url));
        }
    }

    /// Asks for a URL until it is finished; gives how often that was. The answer depends on the time.
    fn visit(&mut self, answer: &dyn Fn(Duration) -> PageRecord) -> u32 {
        for attempt in 1.. {
            let mut answer = answer(Duration::from_millis(self.now_ms));
            answer.attempt = attempt;
            let fetch = answer.fetch.as_mut().expect("it was asked for");
            (fetch.started_ms, fetch.ms) = (self.now_ms, 10);
            self.now_ms += 20;
            let fetch = fetch.clone();
            let sign = sign_of(&answer);
            let good_pages = match Duration::from_millis(self.now_ms) < self.refuses_until {
                true => GoodPages::Refused,
                false if self.refuses_until.is_zero() => GoodPages::Unknown,
                false => GoodPages::Come,
            };
            let limited = sign.and_then(|sign| {
                let asked = fetch.retry_after_s.map(Duration::from_secs_f64);
                let unread = Unread {
                    host: HOST,
                    url: &answer.url,
                    sign: &sign,
                    asked,
                    attempt,
                    good_pages,
                };
                self.runs.limited_by(&unread, true)
            });
            let Some(limited) = limited else {
                let step = self.runs.note(HOST, &Event::Page(Box::new(answer)));
                self.back.extend(step.back.into_iter().map(|(url, _)| url));
                self.first = step.first;
                if self.moves {
                    self.runs = taken_over(&self.runs, self.now_ms);
                }
                return attempt;
            };
            self.runs.note(
                HOST,
                &Event::Attempt(AttemptRecord {
                    url: answer.url,
                    host: HOST.into(),
                    attempt,
                    fetch,
                    limited: Some(limited.clone()),
                    ..AttemptRecord::default()
                }),
            );
            let rest = Duration::from_secs_f64(limited.rest_s);
            self.asked_again += 1;
            self.rested += rest;
            self.now_ms += rest.as_millis() as u64;
        }
        unreachable!("it is finished")
    }

    fn limits(&self) -> Option<Duration> {
        self.runs.limit_of(HOST).map(|limit| limit.rest)
    }
}

/// How many such answers in a row come before one is asked for again.
fn looked_into(pages: u32, answer: &dyn Fn(u32) -> PageRecord) -> Option<u32> {
    let mut crawl = Crawl::with_pages(pages);
    (1..=500).find(|at| crawl.visit(&|_| answer(1_000 + at)) > 1)
}

#[test]
fn a_run_is_looked_into_when_the_hosts_past_does_not_explain_it() {
    for (pages, answers) in [(0, None), (1, Some(10)), (5, Some(9)), (40, Some(6))] {
        assert_eq!(
            looked_into(pages, &|url| error(url, 403)),
            answers,
            "{pages}"
        );
    }
}

#[test]
fn a_host_limits_where_a_page_of_the_run_comes_after_a_rest_and_all_are_asked_for_again() {
    let mut crawl = Crawl::with_pages(40);
    let limited = |url: u32, until: Duration| {
        move |now: Duration| {
            if now < until {
                error(url, 403)
            } else {
                page(url)
            }
        }
    };
    let begins = Duration::from_millis(crawl.now_ms);
    for url in 100..106 {
        crawl.visit(&limited(url, begins + 3 * REST));
    }
    // After rests of one and two seconds.
    assert_eq!((crawl.asked_again, crawl.limits()), (2, Some(2 * REST)));
    let others: Vec<String> = (100..105)
        .map(|url| format!("http://{HOST}/{url}"))
        .collect();
    assert_eq!(crawl.back, others);
    // From now on each page that is answered so is asked for again, and no other.
    let now = Duration::from_millis(crawl.now_ms);
    assert_eq!(crawl.visit(&limited(200, now + REST)), 2);
    assert_eq!(crawl.limits(), Some(2 * REST));
    assert_eq!(crawl.visit(&|_| error(201, 404)), 1);
    // A rest that is too short by now grows with the answers, and stays when it has helped.
    let now = Duration::from_millis(crawl.now_ms);
    assert_eq!(crawl.visit(&limited(202, now + 5 * REST)), 3);
    assert_eq!(crawl.limits(), Some(4 * REST));
    // A dead link is asked for twice more.
    assert_eq!(crawl.visit(&|_| error(203, 403)), 3);
    crawl.visit(&|_| page(300));
    assert_eq!(crawl.limits(), Some(4 * REST));
}

#[test]
fn a_page_that_was_asked_for_before_a_run_and_read_after_it_began_does_not_end_it() {
    let mut crawl = Crawl::with_pages(40);
    let asked_ms = crawl.now_ms - 1;
    for url in 100..105 {
        crawl.visit(&|_| error(url, 403));
    }
    let mut late = page(99);
    late.fetch.as_mut().expect("it was asked for").started_ms = asked_ms;
    crawl.runs.note(HOST, &Event::Page(Box::new(late)));
    let begins = Duration::from_millis(crawl.now_ms);
    let limited = |now: Duration| match now < begins + REST {
        true => error(105, 403),
        false => page(105),
    };
    crawl.visit(&limited);
    let others: Vec<String> = (100..105)
        .map(|url| format!("http://{HOST}/{url}"))
        .collect();
    assert_eq!(crawl.back, others);
}

#[test]
fn a_limit_that_lasts_longer_than_was_waited_is_found_out_when_it_is_over() {
    for status in [403, 404] {
        let mut crawl = Crawl::with_pages(60);
        crawl.visit_all(100..120, |url| error(url, status));
        assert!((crawl.limits(), crawl.back.len()) == (None, 0), "{status}");
        // One of them is asked for when a page comes, and no other again if it does not.
        let mut dead = Crawl::with_pages(60);
        dead.visit_all(100..120, |url| error(url, status));
        dead.visit(&|_| page(300));
        assert_eq!(dead.back.len(), 1);
        dead.visit(&|_| error(119, status));
        dead.visit(&|_| page(301));
        assert_eq!((dead.limits(), dead.back.len()), (None, 1), "{status}");
        crawl.visit(&|_| page(300));
        assert_eq!(crawl.back, [format!("http://{HOST}/119")]);
        crawl.visit(&|_| page(119));
        assert!(crawl.limits().is_some_and(|rest| rest > 7 * REST));
        assert_eq!(crawl.back.len(), 20, "{status}");
    }
}

#[test]
fn a_host_that_refuses_what_it_gave_before_is_waited_for_however_long_that_lasts() {
    for (status, seconds) in [(403, 60), (404, 60), (403, 600), (404, 3_600)] {
        let mut crawl = Crawl::with_pages(40);
        crawl.refuses_until = Duration::from_secs(seconds);
        let until = crawl.refuses_until;
        let answer = move |url| {
            move |now: Duration| match now < until {
                true => error(url, status),
                false => page(url),
            }
        };
        let requests: u32 = (100..110).map(|url| crawl.visit(&answer(url))).sum();
        // It takes the more requests the longer it lasts, but few.
        assert!(requests < 30, "{status} for {seconds} s: {requests}");
        assert_eq!(crawl.back.len(), 5, "{status} for {seconds} s");
        let rest = crawl.limits().expect("it limits");
        assert!(rest <= 2 * until, "{status} for {seconds} s: {rest:?}");
    }
}

#[test]
fn limits_of_which_nothing_is_sure_lose_few_pages() {
    let refuses = |_: u32| 403;
    let mixed = |url: u32| if url.is_multiple_of(7) { 404 } else { 403 };
    for (good, seconds, status) in [
        // The first one outlasts the rests; another one comes before one of its pages is asked for again.
        (50, &[45, 1][..], &refuses as &dyn Fn(u32) -> u16),
        (50, &[45, 1], &mixed),
        (40, &[5], &mixed),
        // It is found out at once, and lasts longer later.
        (60, &[3, 40], &refuses),
    ] {
        let (came, requests) = limited_crawl(good, seconds, status);
        println!("{good} {seconds:?}: {came} of 300, {requests}");
        assert!(came >= 299, "{good} {seconds:?}: {came} of 300");
        assert!(requests < 480, "{good} {seconds:?}: {requests}");
    }
}

#[test]
fn of_many_hosts_with_dead_links_the_urls_of_those_met_last_are_remembered() {
    let mut runs = HostRuns::default();
    let hosts = REMEMBERED_MAX / 16;
    for host in 0..2 * hosts {
        for url in 0..20 {
            let mut answer = if url > 0 { error(url, 404) } else { page(url) };
            answer.host = format!("{host}.example");
            runs.note(&answer.host.clone(), &Event::Page(Box::new(answer)));
        }
    }
    let remembered: usize = runs.hosts.values().map(Host::urls).sum();
    assert!(
        (REMEMBERED_MAX - 40..=REMEMBERED_MAX).contains(&remembered),
        "{remembered}"
    );
    assert_eq!(runs.urls, remembered);
    let key = |host: usize| xxh3_64(format!("{host}.example").as_bytes());
    assert_eq!(
        (
            runs.hosts[&key(0)].urls(),
            runs.hosts[&key(2 * hosts - 1)].urls()
        ),
        (0, 19)
    );
}

#[test]
fn a_dead_link_by_which_a_long_limit_is_looked_into_does_not_last_longer_than_that() {
    let mut crawl = Crawl::with_pages(40);
    crawl.refuses_until = Duration::from_secs(100);
    let until = crawl.refuses_until;
    crawl.visit_all(100..104, |url| error(url, 403));
    assert_eq!(crawl.runs.refuses_all(HOST), None);
    let dead = |url| move |_: Duration| error(url, 403);
    let tries = crawl.visit(&dead(104)) + crawl.visit(&dead(105));
    assert!(tries < 12, "{tries}");
    assert!(crawl.limits().is_some() && crawl.now_ms < 3 * until.as_millis() as u64);
    assert_eq!(crawl.runs.refuses_all(HOST), None);
}

#[test]
fn what_is_to_tell_of_a_limit_and_is_not_asked_for_holds_nothing_up() {
    let mut crawl = Crawl::with_pages(40);
    crawl.visit_all(100..105, |url| error(url, 403));
    let url = format!("http://{HOST}/105");
    crawl.runs.note(
        HOST,
        &Event::Attempt(AttemptRecord {
            url: url.clone(),
            host: HOST.into(),
            attempt: 1,
            limited: Some(LimitedRecord {
                like: Sign::error(403).expect("a sign").as_str().into(),
                rest_s: 1.0,
                is_sure: false,
            }),
            ..AttemptRecord::default()
        }),
    );
    crawl.runs.note(
        HOST,
        &Event::Page(Box::new(PageRecord {
            url,
            host: HOST.into(),
            ..PageRecord::default()
        })),
    );
    // Another one is.
    assert!(crawl.visit(&|_| error(106, 403)) > 1);
}

#[test]
fn where_pages_do_not_come_a_host_limits_no_more_and_is_found_out_later() {
    let mut crawl = Crawl::with_pages(40);
    let until = Duration::from_millis(crawl.now_ms) + REST;
    let limit_to = |until: Duration, url| {
        move |now: Duration| {
            if now < until {
                error(url, 403)
            } else {
                page(url)
            }
        }
    };
    for url in 100..106 {
        crawl.visit(&limit_to(until, url));
    }
    assert_eq!(crawl.limits(), Some(REST));
    // One dead URL, however often it is asked for, is one.
    for _ in 0..4 {
        crawl.visit(&|_| error(200, 403));
        crawl.visit(&|_| page(201));
    }
    assert!(crawl.limits().is_some());
    crawl.visit_all(300..310, |url| error(url, 403));
    assert_eq!(crawl.limits(), None);
    // Runs of its own are forgotten, and it is found out when it begins to limit later.
    crawl.visit_all(1_000..3_000, page);
    let until = Duration::from_millis(crawl.now_ms) + REST;
    for url in 5_000..5_008 {
        crawl.visit(&limit_to(until, url));
    }
    assert!(crawl.limits().is_some());
}

#[test]
fn a_word_of_when_to_come_back_is_believed_once_and_no_longer_than_a_look_takes() {
    // A cache that writes an hour under each dead link.
    let dead = |url: u32| {
        let mut answer = error(url, 404);
        answer.fetch.as_mut().expect("it is there").retry_after_s = Some(3_600.0);
        answer
    };
    let mut crawl = Crawl::with_pages(10);
    for url in 0..300 {
        crawl.visit(&|_| dead(1_000 + url));
        crawl.visit(&|_| page(2_000 + url));
    }
    assert_eq!((crawl.asked_again, crawl.rested), (3, 7 * REST));
    // One that limits so is found out by its first such answer, and left alone for no longer than it asks for.
    let mut crawl = Crawl::with_pages(10);
    let limited = |url: u32, until: Duration| {
        move |now: Duration| match now < until {
            true => {
                let mut answer = thin(url, "busy");
                answer.fetch.as_mut().expect("it is there").retry_after_s = Some(0.3);
                answer
            }
            false => page(url),
        }
    };
    let until = Duration::from_millis(crawl.now_ms + 300);
    assert_eq!(crawl.visit(&limited(100, until)), 2);
    assert_eq!((crawl.rested, crawl.back.len()), (REST.mul_f64(0.3), 0));
}

#[test]
fn dead_links_cost_three_requests_and_what_is_like_them_none() {
    let mut crawl = Crawl::with_pages(40);
    for clump in 1..5 {
        crawl.visit_all(1_000 * clump..1_000 * clump + 100, |url| error(url, 404));
        crawl.visit(&|_| page(clump));
        assert_eq!((crawl.asked_again, crawl.rested), (3, 7 * REST));
    }
}

#[test]
fn answers_are_alike_where_a_limit_would_give_them() {
    let run = |answer: &dyn Fn(u32) -> PageRecord| looked_into(40, answer).is_some();
    assert!(run(&|url| thin(url, "")) && run(&|url| thin(url, "busy")));
    assert!(run(&|url| redirect(url, "http://a.example/busy")));
    assert!(run(&|url| error(url, 418)));
    // Each has something of its own.
    assert!(!run(&|url| thin(url, &url.to_string())));
    assert!(!run(&|url| redirect(
        url,
        &format!("http://b.example/{url}")
    )));
    // Copies speak neither for it nor against it, and neither do outages.
    let copy = Verdict::Junk(JunkReason::NearDuplicate);
    assert!(!run(&|url| record(url, 200, copy.clone(), "words")));
    assert!(!run(&|url| error(url, 503)) && !run(&|url| error(url, 429)));
}

proptest! {
    /// Whatever share of a host's links is dead, alone or in clumps, they cost few requests and little time.
    #[test]
    fn dead_links_cost_little(
        share in 0.01..0.7f64,
        clump in 1..40u32,
        says_when: bool,
        seed in any::<u64>(),
    ) {
        let mut crawl = Crawl::with_pages(1);
        let mut state = seed;
        let mut dead_left = 0;
        for url in 0..1_000u32 {
            state = xxh3_64(&state.to_le_bytes());
            let chance = state as f64 / u64::MAX as f64;
            if dead_left == 0 && chance < share / (f64::from(clump) * (1.0 - share) + share) {
                dead_left = 1 + (state >> 7) as u32 % (2 * clump - 1);
            }
            let is_dead = dead_left > 0;
            dead_left -= u32::from(is_dead);
            crawl.visit(&|_| {
                let mut answer = if is_dead { error(url, 404) } else { page(url) };
                if says_when && let Some(fetch) = answer.fetch.as_mut() {
                    fetch.retry_after_s = Some(3_600.0);
                }
                answer
            });
        }
        prop_assert!(crawl.asked_again <= 50, "{} requests", crawl.asked_again);
        prop_assert!(crawl.rested <= 110 * REST, "{:?}", crawl.rested);
        prop_assert_eq!(crawl.limits(), None);
    }
}

/// What a node knows of the host that takes it over now, whose clock is an hour ahead.
fn taken_over(runs: &HostRuns, now_ms: u64) -> HostRuns {
    let said = serde_json::to_string(&runs.owed(HOST)).expect("it can be said");
    let heard: OwedRuns = serde_json::from_str(&said).expect("it is understood");
    let clocks = frontier::ClockMove {
        from_ms: now_ms,
        to_ms: now_ms,
    };
    let mut taken = HostRuns::default();
    taken.take(HOST, heard.by_clock(clocks));
    taken
}

#[test]
fn a_host_that_limits_gives_the_same_pages_whoever_asks_for_each_of_them() {
    // It was learnt anew by each node: twice as many pages were lost when three joined.
    let statuses: [&dyn Fn(u32) -> u16; 2] = [&|_| 403, &|url| [403, 404][url as usize % 2]];
    for status in statuses {
        for (good, seconds) in [
            (10, &[12][..]),
            (40, &[3, 30, 5]),
            (7, &[90]),
            (3, &[1, 1, 200]),
        ] {
            let stays = limited_crawl(good, seconds, status);
            let moving = Crawl {
                moves: true,
                ..Crawl::default()
            };
            let moves = crawl_of_limited(moving, good, seconds, status);
            assert_eq!(moves, stays, "{good} {seconds:?}");
        }
    }
}

#[test]
fn without_the_urls_of_a_run_its_host_is_known_all_the_same() {
    let mut crawl = Crawl::with_pages(40);
    crawl.visit_all(1_000..1_003, |url| error(url, 403));
    let owed = crawl.runs.owed(HOST);
    let brief = owed.clone().without_urls();
    assert_ne!(brief, owed);
    let mut taken = HostRuns::default();
    taken.take(HOST, brief);
    let mut rest = Crawl {
        runs: taken,
        now_ms: crawl.now_ms,
        ..Crawl::default()
    };
    // Three of a run of six that is unlikely after forty pages were answered elsewhere.
    let at = (1..=500).find(|at| rest.visit(&|_| error(2_000 + at, 403)) > 1);
    assert_eq!(at, Some(3));
}

#[test]
fn a_look_at_a_url_that_waits_nowhere_is_over() {
    let mut crawl = Crawl::with_pages(40);
    crawl.visit_all(1_000..1_005, |url| error(url, 403));
    let asked = Unread {
        host: HOST,
        url: "http://a.example/9",
        sign: &Sign::error(403).expect("a sign"),
        asked: None,
        attempt: 1,
        good_pages: GoodPages::Unknown,
    };
    let limited = crawl
        .runs
        .limited_by(&asked, true)
        .expect("it is looked into");
    let attempt = Event::Attempt(AttemptRecord {
        url: asked.url.into(),
        host: HOST.into(),
        limited: Some(limited),
        ..AttemptRecord::default()
    });
    crawl.runs.note(HOST, &attempt);
    assert!(crawl.runs.is_in_doubt(HOST));
    for (is_open, is_in_doubt) in [(true, true), (false, false)] {
        let mut owed = crawl.runs.owed(HOST);
        owed.end_looks(|_| is_open);
        let mut taken = HostRuns::default();
        taken.take(HOST, owed);
        assert_eq!(taken.is_in_doubt(HOST), is_in_doubt);
        // Another URL tells then what the host does.
        let other = Unread {
            url: "http://a.example/10",
            ..asked
        };
        assert_eq!(taken.limited_by(&other, true).is_some(), !is_in_doubt);
    }
}
