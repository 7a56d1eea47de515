//! Hosts that give nothing but server errors.

use super::*;

/// What came of a crawl.
#[derive(Debug, Default)]
struct Ended {
    /// When each URL of the host was asked for.
    asked: Vec<(u64, String)>,
    /// URLs that were read.
    read: usize,
    /// URLs that failed by themselves, after four tries.
    failed: usize,
    seconds: u64,
    /// When a page was asked for that was good before.
    doubted: Vec<u64>,
    /// URLs that wait, the crawl having stopped for want of anything else.
    left: u64,
}

impl Crawl {
    /// Crawls to the end. `status` says how a URL of the host is answered so many seconds after the beginning.
    fn until_it_ends(&mut self, status: impl Fn(&CanonicalUrl, u64) -> u16) -> Ended {
        let mut ended = Ended::default();
        while self.now < self.began + 24 * HOUR {
            ended.seconds = (self.now - self.began).as_secs();
            let would_end = self.frontier.give_up_silent_hosts(self.now);
            let is_in_doubt = self.frontier.doubt_outages(would_end, 7, |_| true);
            if would_end && !is_in_doubt {
                ended.left = self.frontier.counts().pending;
                return ended;
            }
            match self.frontier.next(self.now, &mut Open).expect("a turn") {
                Next::Lease(lease) => self.visit(lease, &status, &mut ended),
                Next::Errand(host, 7) => {
                    ended.doubted.push(ended.seconds);
                    let good = self.frontier.take_doubted(&host).expect("it was good");
                    let advice = HostAdvice {
                        is_doubt: true,
                        status: status(&good, ended.seconds),
                        ..HostAdvice::default()
                    };
                    self.frontier.body_done(&host, self.now, &advice);
                }
                Next::WaitUntil(at) => self.now = at.min(self.now + Duration::from_millis(200)),
                Next::Drained => return ended,
                other => panic!("{other:?}"),
            }
        }
        panic!("it does not end: {ended:?}");
    }

    fn visit(
        &mut self,
        lease: Lease,
        status: &impl Fn(&CanonicalUrl, u64) -> u16,
        ended: &mut Ended,
    ) {
        let url = lease.url().url.clone();
        let status = status(&url, ended.seconds);
        if url.host().as_str() == SILENT {
            ended.asked.push((ended.seconds, url.as_str().to_owned()));
        }
        self.now += Duration::from_millis(10);
        let advice = HostAdvice {
            status,
            good: (status == 200).then(|| url.clone()),
            ..HostAdvice::default()
        };
        self.frontier.body_done(&url.host(), self.now, &advice);
        let settled = match (status, lease.attempt()) {
            (500.., ..4) => {
                let wait = 2_000 << (lease.attempt() - 1);
                let at = self.frontier.clock.unix_ms_of(self.now) + wait;
                lease.retry_at(at)
            }
            (500.., _) => {
                ended.failed += 1;
                lease.finished()
            }
            _ => {
                ended.read += 1;
                lease.finished()
            }
        };
        self.frontier.settle(settled).expect("settles");
    }
}

fn number(url: &CanonicalUrl) -> u32 {
    let (_, number) = url.as_str().rsplit_once('/').expect("a path");
    number.parse().expect("a number")
}

/// A host that gives a server error for so long, from its second answer on.
fn out_for(urls: u32, seconds: u64) -> Ended {
    let hosts = [(SILENT, urls), ("b.example", 1)];
    Crawl::of(&hosts).until_it_ends(|url, at| match url.host().as_str() {
        SILENT if (number(url) > 0 || at > 0) && at < seconds => 502,
        _ => 200,
    })
}

const DAY: u64 = 86_400;

#[test]
fn a_crawl_of_which_hosts_that_are_out_alone_are_left_ends_and_keeps_their_urls() {
    // Each URL was tried four times, a minute apart: 60 of them took three hours, and failed.
    let ended = out_for(60, DAY);
    assert_eq!((ended.read, ended.failed, ended.left), (2, 0, 59));
    // Four minutes until it counts as out, and ten more.
    assert!((840..960).contains(&ended.seconds), "{ended:?}");
    assert!(ended.asked.len() < 30, "{ended:?}");
}

#[test]
fn no_url_is_given_up_and_a_host_that_comes_back_loses_no_page() {
    for minutes in [1, 3, 10] {
        for urls in [8, 40, 1_000] {
            let ended = out_for(urls, 60 * minutes);
            let expected = (urls as usize + 1, 0, 0);
            let found = (ended.read, ended.failed, ended.left);
            assert_eq!(found, expected, "{minutes} min, {ended:?}");
        }
    }
}

#[test]
fn while_others_are_crawled_a_host_that_is_out_waits() {
    let hosts = [(SILENT, 100), ("b.example", 200_000)];
    let ended = Crawl::of(&hosts).until_it_ends(|url, at| match url.host().as_str() {
        SILENT if at < 1_800 => 500,
        _ => 200,
    });
    assert_eq!((ended.read, ended.failed, ended.left), (200_100, 0, 0));
}

#[test]
fn a_few_broken_pages_at_the_end_fail_by_themselves() {
    // Six and more ended the crawl as an outage of their host.
    for broken in [1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 40] {
        let ended = Crawl::of(&[(SILENT, 50)]).until_it_ends(|url, _| match number(url) {
            number if number >= 50 - broken => 500,
            _ => 200,
        });
        let found = (ended.read, ended.failed, ended.left);
        let expected = (50 - broken as usize, broken as usize, 0);
        assert_eq!(found, expected, "{ended:?}");
        // One cheap request for five errors at most.
        assert!(
            ended.doubted.len() <= 4 * broken as usize / 5,
            "{:?}",
            ended.doubted
        );
    }
}

#[test]
fn a_host_that_was_out_at_the_end_and_comes_back_before_it_is_known_by_its_good_page() {
    // What is left is broken, and cannot say that the host is back.
    let ended = Crawl::of(&[(SILENT, 50)]).until_it_ends(|url, at| match number(url) {
        number if number >= 40 => 500,
        _ if (300..700).contains(&at) => 502,
        _ => 200,
    });
    let found = (ended.read, ended.failed, ended.left);
    assert_eq!(found, (40, 10, 0), "{ended:?}");
}

#[test]
fn a_page_that_was_good_is_asked_for_twice_in_an_outage_at_the_end() {
    let ended = out_for(60, DAY);
    assert_eq!(ended.doubted.len(), 2, "{:?}", ended.doubted);
}

#[test]
fn a_robots_txt_or_a_sitemap_that_cannot_be_had_is_no_outage_of_the_pages() {
    let mut crawl = Crawl::of(&[(SILENT, 3)]);
    let host = HostKey::from_record(SILENT);
    let unwell = HostAdvice {
        status: 503,
        is_beside: true,
        ..HostAdvice::default()
    };
    for _ in 0..20 {
        crawl.frontier.body_done(&host, crawl.now, &unwell);
    }
    let mut in_trouble = crawl.frontier.hosts[0].politeness.in_trouble();
    assert!(in_trouble.next().is_none());
}

#[test]
fn broken_pages_before_all_others_take_none_of_those_away() {
    // The first URLs are of a part of the host that is broken.
    for broken in [15, 50, 75, 90] {
        let ended = Crawl::of(&[(SILENT, 100)]).until_it_ends(|url, _| match number(url) {
            number if number < broken => 500,
            _ => 200,
        });
        assert_eq!(ended.read as u32, 100 - broken, "{broken}: {ended:?}");
        assert!(ended.seconds < 7_200, "{broken}: {} s", ended.seconds);
    }
}

#[test]
fn another_url_asks_each_time_whether_a_host_is_back() {
    let ended = Crawl::of(&[(SILENT, 1_000)]).until_it_ends(|_, _| 503);
    let out_since = ended.asked.len().min(13);
    let mut probes: Vec<&str> = ended.asked[out_since..]
        .iter()
        .map(|(_, url)| &**url)
        .collect();
    let asked = probes.len();
    probes.sort_unstable();
    probes.dedup();
    assert_eq!(probes.len(), asked);
    assert!(asked > 8, "{ended:?}");
    assert_eq!(ended.left, 1_000);
}
