//! One crawl on several nodes: real processes, a real ledger, one web.

use std::collections::BTreeMap;
use std::process::Child;
use std::time::{Duration, Instant};

use testweb::TestWeb;

use crate::nodes_support::{Nodes, Plan, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{Bench, file, page, run, stderr, stdout, tamis};

pub(crate) const HOSTS: u64 = 12;

pub(crate) const PAGES: u64 = 10;

pub(crate) const DELAY_MS: u64 = 40;

/// Hosts that lead to each other; half of the texts stand on all of them, as on mirrors that are
/// walked in step.
pub fn web() -> TestWeb {
    web_of(PAGES)
}

/// The same with so many pages on each host beside its front.
fn web_of(pages: u64) -> TestWeb {
    let mut web = TestWeb::new();
    for host in 0..HOSTS {
        let front = format!("http://h{host}.test/");
        let mut links: Vec<String> = (0..pages).map(|n| format!("/p{n}.html")).collect();
        links.push(format!("http://h{}.test/", (host + 1) % HOSTS));
        links.push(format!("http://h{}.test/", (host + 5) % HOSTS));
        web = web.page(
            &front,
            &page(&format!("Front {host}"), 900_000 + host, &links),
        );
        for n in 0..pages {
            let url = format!("http://h{host}.test/p{n}.html");
            let text = if n % 2 == 0 { n } else { 100 * (host + 1) + n };
            let other = format!("http://h{}.test/p{n}.html", (host * 7 + n) % HOSTS);
            web = web.page(&url, &page(&format!("Page {text}"), 7 + text, &[other]));
        }
    }
    web
}

/// Pages of that web.
pub fn all_pages() -> u64 {
    HOSTS * (PAGES + 1)
}

pub fn plan(more: &str, delay_ms: u64) -> Plan {
    Plan {
        hosts: (0..HOSTS).map(|host| format!("h{host}.test")).collect(),
        seed: "http://h0.test/".into(),
        more: more.into(),
        delay_ms,
        concurrency: 4,
    }
}

/// A crawl of a web by several nodes; none, with a message, where PostgreSQL is missing.
pub fn nodes_of(web: TestWeb, more: &str) -> Option<Nodes> {
    Some(Nodes::on(Cluster::shared()?, web, &plan(more, DELAY_MS)))
}

fn hosts() -> String {
    let hosts: Vec<String> = (0..HOSTS).map(|host| format!("\"h{host}.test\"")).collect();
    hosts.join(", ")
}

#[test]
fn three_nodes_do_what_one_machine_does() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["n1", "n2", "n3"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    nodes.end(&mut running);
    nodes.is_polite();
    let together = nodes.fates(&names);
    let texts = nodes.texts(&names);
    let asked = nodes.bench.web.log();
    let pages = asked
        .iter()
        .filter(|entry| !entry.url.ends_with("/robots.txt"));
    assert_eq!(pages.count(), together.len(), "each page is asked for once");
    let busy = names
        .iter()
        .filter(|name| !nodes.bench.pages(name).is_empty());
    assert!(busy.count() >= 2, "the work is shared");
    nodes.agree(&names);

    let alone = Bench::serve(web());
    let config = format!(
        "[crawl]\nconcurrency = 4\n[politeness]\ndelay = \"0\"\n[scope]\nhosts = [{}]\n",
        hosts()
    );
    let config = file(alone.dir.path(), "alone.toml", &config);
    alone.crawl_to_end("alone", &[&config, "--seed", "http://h0.test/"]);
    let one: BTreeMap<String, String> = alone.pages("alone").into_iter().collect();
    assert_eq!(
        together.keys().collect::<Vec<_>>(),
        one.keys().collect::<Vec<_>>()
    );
    let kept = |fates: &BTreeMap<String, String>| {
        let kept = fates.values().filter(|fate| *fate == "indexed");
        kept.count()
    };
    assert_eq!(kept(&together), kept(&one));
    assert_eq!(texts.len(), kept(&one));
}

#[test]
fn a_budget_of_pages_is_that_of_all_nodes_together() {
    let Some(nodes) = nodes_of(web(), "max_pages = 57") else {
        return;
    };
    let names = ["b1", "b2", "b3"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    nodes.end(&mut running);
    let asked = nodes.bench.web.log();
    let pages = asked
        .iter()
        .filter(|entry| !entry.url.ends_with("/robots.txt"));
    assert_eq!(pages.count(), 57);
    assert_eq!(nodes.fates(&names).len(), 57);
    nodes.agree(&names);
    // One that comes late has nothing to raise.
    nodes.end(&mut [("b4", nodes.start("b4"))]);
    let said = nodes.log("b4");
    assert!(said.contains("this node fetched nothing"), "{said}");
    assert!(!said.contains("--max-pages"), "{said}");
}

/// `TAMIS_BUDGET=1000` asks for a larger one.
#[test]
fn a_budget_is_kept_to_the_page_when_one_of_five_nodes_is_killed() {
    let told = std::env::var("TAMIS_BUDGET").ok();
    let budget: u64 = told.and_then(|text| text.parse().ok()).unwrap_or(100);
    let more = format!("max_pages = {budget}");
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web_of(budget / 10), &plan(&more, DELAY_MS));
    let names = ["b1", "b2", "b3", "b4", "b5"];
    let mut running: Vec<(&str, Child)> = names
        .iter()
        .map(|name| (*name, nodes.start(name)))
        .collect();
    wait_for_requests(&nodes, budget as usize / 2);
    let (name, mut killed) = running.remove(1);
    killed.kill().expect("kill -9");
    killed.wait().expect("it ends");
    nodes.end(&mut running);
    // Started again it drops what was never acknowledged, and finds the budget used up.
    nodes.end(&mut [(name, nodes.start(name))]);
    assert_eq!(nodes.fates(&names).len() as u64, budget);
    nodes.texts(&names);
    nodes.is_polite();
    nodes.agree(&names);
}

/// Two hosts with copies of each other's texts, the later one a little longer.
fn growing() -> TestWeb {
    let mut web = TestWeb::new();
    for host in 0..HOSTS {
        let mut links = vec![format!("http://h{}.test/", (host + 1) % HOSTS)];
        links.push("/text.html".to_owned());
        web = web.page(
            &format!("http://h{host}.test/"),
            &page(&format!("Front {host}"), 900_000 + host, &links),
        );
        // The same text everywhere, and on each host a little more of it.
        let text = page("One text", 7, &[]);
        let more: Vec<String> = (0..host * 9).map(|n| format!("word{n}")).collect();
        let text = text.replace(
            "</article>",
            &format!("<p>{}</p></article>", more.join(" ")),
        );
        web = web.page(&format!("http://h{host}.test/text.html"), &text);
    }
    web
}

#[test]
fn a_longer_copy_takes_the_place_of_another_nodes() {
    let Some(nodes) = nodes_of(growing(), "[dedup]\nkeep = \"longest\"") else {
        return;
    };
    let names = ["l1", "l2", "l3"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    nodes.end(&mut running);
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        for (url, fate) in nodes.bench.pages(name) {
            if fate == "indexed" && url.ends_with("text.html") {
                kept.push(url);
            }
        }
    }
    nodes.agree(&names);
    // A copy takes a place by being a tenth longer, so a chain of them may end below the longest;
    // but however it ends no two that are near each other stay.
    assert!((1..=4).contains(&kept.len()), "{kept:?}");
    // What gave its place up was never measured against what took it.
    let gave_way =
        |row: &serde_json::Value| row["reason"] == "near_duplicate" && row["distance"].is_null();
    let replaced = names.iter().filter(|name| {
        let rows = nodes.bench.rows(name, "junk");
        rows.iter().any(gave_way)
    });
    assert!(replaced.count() > 0, "no page gave its place up");
}

#[test]
fn a_budget_that_is_larger_than_the_web_ends_with_the_web() {
    let Some(nodes) = nodes_of(web(), "max_pages = 1000") else {
        return;
    };
    let names = ["w1", "w2"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    nodes.end(&mut running);
    assert_eq!(nodes.fates(&names).len() as u64, all_pages());
}

#[test]
fn a_node_that_is_asked_to_hands_over_and_the_others_go_on_at_once() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web(), &plan("", 150));
    let mut goes = nodes.start("d1");
    let stay = ["d2", "d3"].map(|name| (name, nodes.start(name)));
    let status = || {
        let output = run(&mut tamis(&["cluster", "status", &nodes.config, "--json"]));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    let parts_of = |name: &str| {
        let shown = status();
        let all = shown["nodes"].as_array().cloned().unwrap_or_default();
        let node = all.into_iter().find(|node| node["name"] == name);
        node.and_then(|node| node["parts"].as_u64()).unwrap_or(0)
    };
    let until = Instant::now() + Duration::from_secs(30);
    while ["d1", "d2", "d3"].iter().any(|name| parts_of(name) < 300) {
        assert!(
            Instant::now() < until,
            "the parts are not shared: {}",
            status()
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    let asked = |more: &[&str]| {
        let output = tamis(&["cluster", "drain", "--json"]).args(more).output();
        output.expect("runs")
    };
    let unknown = asked(&["nobody", &nodes.config]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("d1, "), "{}", stderr(&unknown));
    let before = Instant::now();
    let drained = asked(&["d1", &nodes.config]);
    let said: serde_json::Value = serde_json::from_slice(&drained.stdout).expect("JSON");
    assert_eq!(drained.status.code(), Some(0), "{}", stderr(&drained));
    assert_eq!((&said["state"], &said["live"]), (&"left".into(), &2.into()));
    assert!(said["parts"].as_u64() >= Some(300), "{said}");
    assert!(
        said["pending"].as_u64() > Some(0),
        "the crawl was over: {said}"
    );
    // A lease runs out after 6 s.
    while status()["parts_free"] != 0 {
        let took = before.elapsed();
        assert!(
            took < Duration::from_secs(5),
            "the parts are free after {took:?}"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(
        goes.wait().expect("it ends").code(),
        Some(0),
        "{}",
        nodes.log("d1")
    );
    let report = stdout(&run(tamis(&["report"]).arg(nodes.bench.crawl_dir("d1"))));
    assert!(report.contains("asked to hand over"), "{report}");
    let again = asked(&["d1", &nodes.config]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("has left"), "{}", stderr(&again));

    let mut stay = stay;
    nodes.end(&mut stay);
    // Whoever was asked once may come back.
    nodes.end(&mut [("d1", nodes.start("d1"))]);
    let names = ["d1", "d2", "d3"];
    assert_eq!(nodes.fates(&names).len() as u64, all_pages());
    nodes.is_polite();
    nodes.texts(&names);
    nodes.agree(&names);
}

#[test]
fn a_role_without_the_right_is_told_which_one_has_it() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let config = nodes.config.as_str();
    for rest in [&["init", config][..], &["forget", config, "--node", "x"]] {
        let output = tamis(&["cluster"]).args(rest).output().expect("runs");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("as tamis_node"), "{said}");
        assert!(said.contains("grant tamis_owner to tamis_node"), "{said}");
    }
}
