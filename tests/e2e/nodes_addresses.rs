//! Connections to one address stay within the setting over all nodes, also while nodes join and go.

use std::time::Duration;

use testweb::TestWeb;

use crate::nodes_support::{Nodes, Plan, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{Bench, page};

const HOSTS: u64 = 40;
const PAGES: u64 = 6;
const SETTING: usize = 6;

fn name(host: u64, port: u16) -> String {
    format!("h{host}.test:{port}")
}

/// Hosts at one address, which answer after a quarter of a second.
fn web(port: u16) -> TestWeb {
    let mut web = TestWeb::new();
    for host in 0..HOSTS {
        let name = name(host, port);
        let mut links: Vec<String> = (0..PAGES).map(|n| format!("/p{n}.html")).collect();
        for step in [1, 2, 3, 5, 9] {
            let other = (host * 2 + step) % HOSTS;
            links.push(format!("http://h{other}.test:{port}/"));
        }
        web = web.latency(&name, Duration::from_millis(250)).page(
            &format!("http://{name}/"),
            &page(&format!("Front {host}"), 900_000 + host, &links),
        );
        for n in 0..PAGES {
            let text = 100 * (host + 1) + n;
            let url = format!("http://{name}/p{n}.html");
            web = web.page(&url, &page(&format!("Page {text}"), text, &[]));
        }
    }
    web
}

/// The most requests that the server had at once, by its own log.
fn most_at_once(nodes: &Nodes) -> usize {
    let mut moves: Vec<(Duration, i32)> = Vec::new();
    for entry in nodes.bench.web.log() {
        moves.push((entry.started, 1));
        // Whoever has the last byte may ask again before the server's clock is read.
        moves.push((entry.ended.saturating_sub(Duration::from_millis(20)), -1));
    }
    moves.sort();
    let (mut now, mut most) = (0, 0);
    for (_, step) in moves {
        now += step;
        most = most.max(now);
    }
    usize::try_from(most).expect("requests end after they begin")
}

#[test]
fn an_address_has_no_more_requests_at_once_than_it_may_while_nodes_join_and_one_is_killed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    // Without a proxy, behind which nobody knows the addresses.
    let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("it has one");
    drop(socket);
    let port = address.port();
    let plan = Plan {
        hosts: (0..HOSTS).map(|host| name(host, port)).collect(),
        seed: format!("http://h0.test:{port}/"),
        more: String::new(),
        delay_ms: 20,
        concurrency: 24,
    };
    let mut bench = Bench::serve_at(web(port), address);
    bench.proxy.clear();
    let nodes = Nodes::of(cluster, bench, &plan);
    let rules: Vec<String> = (0..HOSTS)
        .map(|host| format!("\"{}:127.0.0.1\"", name(host, port)))
        .collect();
    let text = std::fs::read_to_string(&nodes.config).expect("a configuration");
    let more = format!(
        "[network]\nresolve = [{}]\n[politeness]\nconnections_per_address = {SETTING}\n",
        rules.join(", ")
    );
    let text = text.replace("[politeness]\n", &more);
    std::fs::write(&nodes.config, text).expect("written");
    let names = ["a1", "a2", "a3"];
    let first = nodes.start(names[0]);
    wait_for_requests(&nodes, 40);
    let second = nodes.start(names[1]);
    wait_for_requests(&nodes, 120);
    let mut third = nodes.start(names[2]);
    wait_for_requests(&nodes, 220);
    third.kill().expect("kill -9");
    third.wait().expect("it ends");
    nodes.end(&mut [(names[0], first), (names[1], second)]);
    nodes.end(&mut [(names[2], nodes.start(names[2]))]);
    assert_eq!(nodes.fates(&names).len() as u64, HOSTS * (PAGES + 1));
    let most = most_at_once(&nodes);
    assert!(most <= SETTING, "{most} at once");
    assert!(
        most > SETTING / 2,
        "only {most} at once: the share is not used"
    );
    let worked = names
        .iter()
        .filter(|name| !nodes.bench.pages(name).is_empty());
    assert!(worked.count() >= 2, "the work is shared");
    nodes.is_polite();
    nodes.agree(&names);
}
