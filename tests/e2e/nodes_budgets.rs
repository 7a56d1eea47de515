//! Budgets of seeds and hosts are those of all nodes together, also when one of them is killed.

use std::collections::{BTreeMap, BTreeSet};

use crate::nodes::{plan, web};
use crate::nodes_support::{Nodes, Plan, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{run, stdout, tamis};

/// Three nodes, of which one is killed after so many requests and started again when the others have
/// ended.
fn crawl_with_a_kill(nodes: &Nodes, names: [&str; 3], after: usize) {
    let mut running = names.map(|name| (name, nodes.start(name)));
    wait_for_requests(nodes, after);
    let (_, killed) = &mut running[0];
    killed.kill().expect("kill -9");
    killed.wait().expect("it ends");
    nodes.end(&mut running[1..]);
    nodes.end(&mut [(names[0], nodes.start(names[0]))]);
    nodes.is_polite();
    nodes.texts(&names);
    nodes.agree(&names);
}

/// The pages that were asked for.
fn asked(nodes: &Nodes) -> BTreeSet<String> {
    let urls = nodes.bench.web.log().into_iter().map(|entry| entry.url);
    urls.filter(|url| !url.ends_with("/robots.txt")).collect()
}

#[test]
fn a_seed_brings_in_exactly_what_it_may_though_a_node_is_killed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let plan = Plan {
        seed: "http://h0.test/ pages=71".into(),
        ..plan("", 60)
    };
    let nodes = Nodes::on(cluster, web(), &plan);
    let names = ["s1", "s2", "s3"];
    crawl_with_a_kill(&nodes, names, 40);
    assert_eq!(nodes.fates(&names).len(), 71);
    assert_eq!(asked(&nodes).len(), 71);
    let busy = names
        .iter()
        .filter(|name| !nodes.bench.pages(name).is_empty());
    assert!(busy.count() >= 2, "the work is shared");
}

#[test]
fn a_host_is_asked_for_exactly_its_pages_though_its_node_is_killed() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web(), &plan("[limits]\nurls_per_host = 5", 400));
    let names = ["h1", "h2", "h3"];
    crawl_with_a_kill(&nodes, names, 30);
    // Links from other nodes' hosts bring in more; those are left out when their turn comes.
    let mut read: BTreeMap<String, u64> = BTreeMap::new();
    for (url, fate) in nodes.fates(&names) {
        let host = url.split('/').nth(2).expect("a host").to_owned();
        *read.entry(host).or_default() += u64::from(fate != "refused");
    }
    assert_eq!(read.len(), 12);
    for (host, urls) in &read {
        assert_eq!(*urls, 5, "{host}");
    }
}

#[test]
fn a_budget_that_is_used_up_is_raised_as_on_one_machine() {
    // It stood in the ledger for good, and who raised it was told nothing.
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web(), &plan("max_pages = 30", 40));
    let names = ["r1", "r2"];
    let start = || nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let set = |pages: u64| {
        let text = std::fs::read_to_string(&nodes.config).expect("a configuration");
        let lines = text
            .lines()
            .map(|line| match line.starts_with("max_pages") {
                true => format!("max_pages = {pages}\n"),
                false => format!("{line}\n"),
            });
        std::fs::write(&nodes.config, lines.collect::<String>()).expect("written");
    };
    start();
    assert_eq!(asked(&nodes).len(), 30);
    // One node that has more raises it for all.
    set(50);
    nodes.end(&mut [("r1", nodes.start("r1"))]);
    assert_eq!(asked(&nodes).len(), 50);
    assert!(
        nodes.log("r1").contains("raised from 30 to 50"),
        "{}",
        nodes.log("r1")
    );
    set(40);
    start();
    assert_eq!(asked(&nodes).len(), 50);
    assert!(
        nodes.log("r2").contains("50 for all nodes together"),
        "{}",
        nodes.log("r2")
    );
    // The owner sets it, but to no less than what was granted.
    let owner = nodes.owner();
    let init = || {
        stdout(&run(&mut tamis(&[
            "cluster",
            "init",
            &nodes.config,
            "--store",
            &owner,
        ])))
    };
    let said = init();
    assert!(said.contains("fewer there cannot be"), "{said}");
    set(64);
    let said = init();
    assert!(said.contains("50 before, 64 now"), "{said}");
    start();
    assert_eq!(asked(&nodes).len(), 64);
    nodes.fates(&names);
    nodes.agree(&names);
}
