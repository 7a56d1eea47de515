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
    /// How the others were refused.
    refused: Vec<Refused>,
    seconds: u64,
    /// URLs that wait, the crawl having stopped for want of anything else.
    left: u64,
}

impl Crawl {
    /// Crawls to the end. `status` says how a URL of the host is answered so many seconds after the beginning.
    fn until_it_ends(&mut self, status: impl Fn(&CanonicalUrl, u64) -> u16) -> Ended {
        let mut ended = Ended::default();
        while self.now < self.began + 24 * HOUR {
            ended.seconds = (self.now - self.began).as_secs();
            if self.frontier.give_up_silent_hosts(self.now) {
                ended.left = self.frontier.counts().pending;
                return ended;
            }
            match self.frontier.next(self.now, &mut Open).expect("a turn") {
                Next::Lease(lease) => self.visit(lease, &status, &mut ended),
                Next::Refused(lease, why) => {
                    ended.refused.push(why);
                    self.frontier.settle(lease.finished()).expect("settles");
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

#[test]
fn a_host_that_begins_to_give_server_errors_alone_does_not_hold_the_crawl_for_hours() {
    // Each of its URLs was tried four times, a minute apart.
    let hosts = [(SILENT, 60), ("b.example", 8)];
    let mut crawl = Crawl::of(&hosts);
    let ended = crawl.until_it_ends(|url, _| match url.host().as_str() {
        SILENT if number(url) >= 10 => 502,
        _ => 200,
    });
    assert_eq!((ended.read, ended.failed, ended.left), (18, 0, 0));
    assert!((240..320).contains(&ended.seconds), "{ended:?}");
    assert!((12..16).contains(&(ended.asked.len() - 10)), "{ended:?}");
    assert_eq!(ended.refused.len(), 50);
    let is_out = |why: &Refused| matches!(why, Refused::Refusal(Refusal::HostGone(gone)) if gone.status == 502 && gone.failures >= 12);
    assert!(ended.refused.iter().all(is_out));
}

#[test]
fn a_host_that_is_out_for_some_minutes_loses_no_page() {
    for minutes in [1, 3] {
        for urls in [8, 40] {
            let mut crawl = Crawl::of(&[(SILENT, urls), ("b.example", 1)]);
            let ended = crawl.until_it_ends(|url, seconds| match url.host().as_str() {
                SILENT if (0..60 * minutes).contains(&seconds) && number(url) > 1 => 503,
                _ => 200,
            });
            assert_eq!(ended.read, urls as usize + 1, "{minutes} min, {ended:?}");
        }
    }
}

#[test]
fn while_others_are_crawled_a_host_that_is_out_has_ten_minutes() {
    let hosts = [(SILENT, 100), ("b.example", 100_000)];
    let ended = Crawl::of(&hosts).until_it_ends(|url, _| match url.host().as_str() {
        SILENT => 500,
        _ => 200,
    });
    let last = ended.asked.last().expect("it was asked").0;
    assert!((540..601).contains(&last), "{last}");
    assert_eq!((ended.read, ended.refused.len()), (100_000, 100));
}

#[test]
fn a_few_broken_pages_at_the_end_fail_by_themselves() {
    let ended = Crawl::of(&[(SILENT, 50)]).until_it_ends(|url, _| match number(url) {
        48.. => 500,
        _ => 200,
    });
    assert_eq!((ended.read, ended.failed, ended.refused.len()), (48, 2, 0));
}

#[test]
fn broken_pages_before_all_others_take_none_of_those_away() {
    // The first URLs are of a part of the host that is broken.
    for (broken, lost_max) in [(50, 0), (75, 0), (90, 1)] {
        let ended = Crawl::of(&[(SILENT, 100)]).until_it_ends(|url, _| match number(url) {
            number if number < broken => 500,
            _ => 200,
        });
        let lost = 100 - broken - ended.read as u32;
        assert!(
            ended.seconds < 3_600,
            "{broken} broken: {} s",
            ended.seconds
        );
        assert!(
            lost <= lost_max,
            "{broken} broken: {lost} lost, {} s",
            ended.seconds
        );
    }
}

#[test]
fn one_url_at_a_time_asks_whether_a_host_is_back_and_another_one_each_time() {
    let ended = Crawl::of(&[(SILENT, 1_000)]).until_it_ends(|_, _| 503);
    let mut urls: Vec<&str> = ended.asked.iter().map(|(_, url)| &**url).collect();
    let asked = urls.len();
    urls.sort_unstable();
    urls.dedup();
    // The first two were tried again before it was taken for out.
    assert!(urls.len() + 2 >= asked && asked > 12, "{ended:?}");
    assert!((600..661).contains(&ended.seconds), "{ended:?}");
}

#[test]
fn where_all_hosts_give_server_errors_together_none_is_given_up() {
    // A gateway between us and all of them may be broken.
    let hosts = [(SILENT, 9), ("b.example", 9)];
    let ended = Crawl::of(&hosts).until_it_ends(|_, _| 502);
    assert_eq!((ended.left, ended.refused.len()), (18, 0));
    assert!((240..320).contains(&ended.seconds), "{ended:?}");
}

#[test]
fn a_host_that_answers_one_request_in_ten_is_read_until_it_ends() {
    let turn = std::cell::Cell::new(0);
    let ended = Crawl::of(&[(SILENT, 30)]).until_it_ends(|_, _| {
        turn.set(turn.get() + 1);
        if turn.get() % 10 == 0 { 200 } else { 503 }
    });
    // Its pages have more tries than here, by what `state` knows of it.
    assert_eq!((ended.read + ended.failed, ended.refused.len()), (30, 0));
}

#[test]
fn a_robots_txt_that_cannot_be_had_is_no_outage_of_the_pages() {
    let mut crawl = Crawl::of(&[(SILENT, 3)]);
    let host = HostKey::from_record(SILENT);
    crawl.frontier.hosts[0].politeness.asking_robots = true;
    let unwell = HostAdvice {
        status: 503,
        ..HostAdvice::default()
    };
    crawl.frontier.body_done(&host, crawl.now, &unwell);
    let mut in_trouble = crawl.frontier.hosts[0].politeness.in_trouble();
    assert!(in_trouble.next().is_none());
}
