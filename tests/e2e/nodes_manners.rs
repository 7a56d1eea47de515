//! What a host is owed, whoever asks it: a node that leaves says so to those that take its hosts.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use testweb::{LogEntry, Response, TestWeb};

use crate::nodes::plan;
use crate::nodes_support::{Nodes, signal, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::page;

const HOSTS: u64 = 12;

/// For so long a host of an even number is busy, once.
const BUSY: Duration = Duration::from_secs(9);

/// So long is the delay that a host of an odd number asks for.
const CRAWL_DELAY: Duration = Duration::from_secs(3);

const PAGES: u64 = 4;

fn web() -> TestWeb {
    let mut web = TestWeb::new();
    for host in 0..HOSTS {
        let name = format!("h{host}.test");
        if host % 2 == 1 {
            web = web.robots(&name, "User-agent: *\nCrawl-delay: 3\n");
        }
        let was_busy = AtomicBool::new(host % 2 == 1);
        web = web.host(&name, move |request| {
            if request.path != "/" && !was_busy.swap(true, Ordering::SeqCst) {
                let seconds = BUSY.as_secs().to_string();
                return Response::error(429).with_header("Retry-After", &seconds);
            }
            let others = (0..HOSTS).map(|other| format!("http://h{other}.test/"));
            let pages = (0..PAGES).map(|number| format!("/p{number}.html"));
            let links: Vec<String> = others.chain(pages).collect();
            let number = request.path.bytes().map(u64::from).sum::<u64>();
            let title = format!("{host} {number}");
            Response::html(page(&title, 10_000 * host + number, &links))
        });
    }
    web
}

fn log_of(nodes: &Nodes, host: u64) -> Vec<LogEntry> {
    let name = format!("h{host}.test");
    let log = nodes.bench.web.log().into_iter();
    let mut log: Vec<LogEntry> = log.filter(|entry| entry.host == name).collect();
    log.sort_by_key(|entry| entry.started);
    log
}

#[test]
fn a_wait_and_a_delay_hold_when_the_node_that_was_told_of_them_leaves() {
    // Three of ten hosts were asked within their Retry-After, and every third delay was that of the configuration.
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web(), &plan("", 100));
    let mut leaves = nodes.start("l1");
    let stays = nodes.start("l2");
    wait_for_requests(&nodes, 30);
    let until = Instant::now() + Duration::from_secs(60);
    let busy = || {
        let even = (0..HOSTS).step_by(2);
        let busy = even.filter(|host| {
            let log = log_of(&nodes, *host);
            log.iter().any(|entry| entry.status == 429)
        });
        busy.count() as u64
    };
    while busy() < HOSTS / 2 {
        assert!(Instant::now() < until, "the crawl does not get on");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&leaves, "-TERM");
    leaves.wait().expect("it ends");
    nodes.end(&mut [("l2", stays)]);
    nodes.is_polite();
    let names = ["l1", "l2"];
    assert!(!nodes.bench.pages("l1").is_empty(), "{}", nodes.log("l1"));
    let urls: BTreeSet<String> = nodes.fates(&names).into_keys().collect();
    assert_eq!(urls.len() as u64, HOSTS * (PAGES + 1));
    for host in 0..HOSTS {
        let log = log_of(&nodes, host);
        for pair in log.windows(2) {
            let owed = match (pair[0].status, host % 2) {
                (429, _) => BUSY,
                (_, 1) => CRAWL_DELAY,
                (_, _) => Duration::ZERO,
            };
            let gap = pair[1].started.saturating_sub(pair[0].ended);
            assert!(gap + Duration::from_millis(10) >= owed, "h{host}: {gap:?}");
        }
    }
    nodes.agree(&names);
}
