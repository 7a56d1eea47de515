//! Nodes that are killed, asleep, silent or without a disk, and a ledger that is away: each URL is finished once.

use std::process::Child;
use std::time::{Duration, Instant};

use crate::nodes::{DELAY_MS, HOSTS, PAGES, all_pages, nodes_of, plan, web};
use crate::nodes_support::{Nodes, lot, signal, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{run, stderr, stdout, tamis};

#[test]
fn what_a_killed_node_had_is_done_by_the_others_and_once() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let mut first = nodes.start("k1");
    let second = nodes.start("k2");
    wait_for_requests(&nodes, 40);
    first.kill().expect("kill -9");
    first.wait().expect("it ends");
    nodes.end(&mut [("k2", second)]);
    nodes.is_polite();
    // Started again it drops what was never acknowledged, and finds nothing left to do.
    nodes.end(&mut [("k1", nodes.start("k1"))]);
    let fates = nodes.fates(&["k1", "k2"]);
    assert_eq!(fates.len() as u64, all_pages());
    nodes.texts(&["k1", "k2"]);
    nodes.agree(&["k1", "k2"]);
}

#[test]
fn a_node_that_slept_past_its_lease_drops_what_it_held_and_joins_again() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let sleeper = nodes.start("s1");
    let other = nodes.start("s2");
    wait_for_requests(&nodes, 40);
    signal(&sleeper, "-STOP");
    std::thread::sleep(Duration::from_secs(8));
    signal(&sleeper, "-CONT");
    nodes.end(&mut [("s1", sleeper), ("s2", other)]);
    nodes.is_polite();
    let fates = nodes.fates(&["s1", "s2"]);
    assert_eq!(fates.len() as u64, all_pages());
    nodes.texts(&["s1", "s2"]);
    nodes.agree(&["s1", "s2"]);
}

#[test]
fn while_the_ledger_is_away_nothing_is_asked_for_and_then_the_crawl_goes_on() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let nodes = Nodes::on(&cluster, web(), &plan("", DELAY_MS));
    let names = ["a1", "a2"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    wait_for_requests(&nodes, 40);
    cluster.primary.stop();
    // The lease of 5 s, and what was under way.
    std::thread::sleep(Duration::from_secs(7));
    let before = nodes.bench.web.log().len();
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(
        nodes.bench.web.log().len(),
        before,
        "no request without a lease"
    );
    cluster.primary.run();
    let back = Instant::now();
    wait_for_requests(&nodes, before + 1);
    assert!(
        back.elapsed() < Duration::from_secs(10),
        "{:?}",
        back.elapsed()
    );
    nodes.end(&mut running);
    nodes.is_polite();
    let fates = nodes.fates(&names);
    assert_eq!(fates.len() as u64, all_pages());
    nodes.texts(&names);
    for name in names {
        assert!(
            nodes.log(name).contains("does not answer"),
            "{}",
            nodes.log(name)
        );
    }
    nodes.agree(&names);
}

#[test]
fn a_failover_in_the_midst_of_a_crawl_loses_nothing_that_was_acknowledged() {
    let Some(cluster) = Cluster::start(true) else {
        return;
    };
    let standby = cluster.standby.as_ref().expect("it was asked for");
    let nodes = Nodes::on(&cluster, web(), &plan("", DELAY_MS));
    // The nodes know both servers, and work with the one that takes writes.
    let text = std::fs::read_to_string(&nodes.config).expect("a configuration");
    let one = format!("127.0.0.1:{}", cluster.primary.port);
    let both = format!("{one},127.0.0.1:{}", standby.port);
    std::fs::write(&nodes.config, text.replace(&one, &both)).expect("written");
    let names = ["p1", "p2"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    wait_for_requests(&nodes, 60);
    cluster.primary.kill();
    standby.promote();
    nodes.end(&mut running);
    nodes.is_polite();
    assert_eq!(nodes.fates(&names).len() as u64, all_pages());
    nodes.texts(&names);
    // Each journal has all that the new primary acknowledged, and that has all that the old one did.
    nodes.agree(&names);
}

#[test]
fn what_a_lost_disk_held_is_read_again_by_the_others() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["g1", "g2"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    nodes.end(&mut running);
    let all = nodes.texts(&names);
    assert!(!nodes.texts(&["g1"]).is_empty(), "it kept something");
    std::fs::remove_dir_all(nodes.bench.crawl_dir("g1")).expect("it is lost");
    let owner = nodes.owner();
    let forget = [
        "cluster",
        "forget",
        &nodes.config,
        "--node",
        "g1",
        "--store",
        &owner,
    ];
    let said = stdout(&run(&mut tamis(&forget)));
    assert!(said.contains("is forgotten"), "{said}");
    let output = tamis(&forget).output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    nodes.end(&mut [("g2", nodes.start("g2"))]);
    assert_eq!(nodes.texts(&["g2"]), all);
    assert_eq!(nodes.fates(&["g2"]).len() as u64, all_pages());
    nodes.agree(&["g2"]);
}

#[test]
fn a_node_is_said_to_be_silent_before_it_is_dead() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let mut sleeper = nodes.start("quiet");
    wait_for_requests(&nodes, 20);
    let state = || {
        let output = run(&mut tamis(&["cluster", "status", &nodes.config, "--json"]));
        let shown: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        shown["nodes"][0].clone()
    };
    assert_eq!(state()["state"], "live");
    assert!(state()["silent_s"].is_null());
    signal(&sleeper, "-STOP");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(state()["state"], "silent");
    assert!(state()["silent_s"].as_u64() >= Some(2), "{}", state());
    let said = stdout(&run(&mut tamis(&["cluster", "status", &nodes.config])));
    assert!(said.contains("node quiet is silent for"), "{said}");
    sleeper.kill().expect("kill -9");
    sleeper.wait().expect("it ends");
}

#[test]
fn a_node_of_another_ttl_goes_by_that_of_those_that_run() {
    // Each took the other for dead every few seconds, and they did each other's work anew.
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let nodes = Nodes::on(cluster, web(), &plan("", 900));
    let first = nodes.start("t1");
    wait_for_requests(&nodes, 3);
    let text = std::fs::read_to_string(&nodes.config).expect("a configuration");
    let slow = text.replace("ttl = \"5s\"", "ttl = \"60s\"");
    std::fs::write(&nodes.config, slow).expect("written");
    let second = nodes.start("t2");
    nodes.end(&mut [("t1", first), ("t2", second)]);
    assert!(
        nodes.log("t2").contains("goes by 5s"),
        "{}",
        nodes.log("t2")
    );
    let output = run(&mut tamis(&["cluster", "status", &nodes.config, "--json"]));
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(shown["ttl_s"], 5.0);
    // Each has joined once, and left.
    for node in shown["nodes"].as_array().expect("nodes") {
        assert_eq!(
            (&node["state"], &node["epoch"]),
            (&"left".into(), &2.into()),
            "{shown}"
        );
    }
    assert_eq!(nodes.fates(&["t1", "t2"]).len() as u64, all_pages());
}

/// A node that is there, asleep, or dead.
struct Member {
    name: String,
    child: Option<Child>,
}

/// One fault: a node is killed and comes back, sleeps for a while, or the ledger is away.
fn strike(nodes: &Nodes, cluster: &Cluster, members: &mut [Member], lots: &mut u64) -> String {
    let at = lot(lots) as usize % members.len();
    let kind = lot(lots) % 8;
    let member = &mut members[at];
    if kind == 7 {
        cluster.primary.stop();
        std::thread::sleep(Duration::from_millis(lot(lots) % 7_000));
        cluster.primary.run();
        return "the ledger was away".to_owned();
    }
    let Some(child) = &mut member.child else {
        member.child = Some(nodes.start(&member.name));
        return format!("{} came back", member.name);
    };
    if child.try_wait().expect("the child is known").is_some() {
        member.child = Some(nodes.start(&member.name));
        return format!("{} had ended, and came back", member.name);
    }
    match kind {
        0..=3 => {
            child.kill().expect("kill -9");
            child.wait().expect("it ends");
            member.child = None;
            format!("{} was killed", member.name)
        }
        4 | 5 => {
            signal(child, "-STOP");
            std::thread::sleep(Duration::from_millis(lot(lots) % 8_000));
            signal(child, "-CONT");
            format!("{} slept", member.name)
        }
        _ => {
            signal(child, "-INT");
            child.wait().expect("it ends");
            member.child = None;
            format!("{} left", member.name)
        }
    }
}

/// Faults in a random order; `TAMIS_FAULTS` asks for more of them, `TAMIS_SEED` for another order.
#[test]
fn whatever_happens_each_url_is_finished_once_and_each_text_kept_once() {
    let Some(cluster) = Cluster::start(false) else {
        return;
    };
    let asked = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let faults: u64 = asked("TAMIS_FAULTS").unwrap_or(10);
    let mut lots: u64 = asked("TAMIS_SEED").unwrap_or(0x5eed_0001);
    let nodes = Nodes::on(&cluster, web(), &plan("", 150 * faults));
    let names = ["f1", "f2", "f3"];
    let mut members: Vec<Member> = names
        .iter()
        .map(|name| Member {
            name: (*name).to_owned(),
            child: Some(nodes.start(name)),
        })
        .collect();
    let mut story = Vec::new();
    for _ in 0..faults {
        std::thread::sleep(Duration::from_millis(100 + lot(&mut lots) % 900));
        story.push(strike(&nodes, &cluster, &mut members, &mut lots));
    }
    let mut running: Vec<(&str, Child)> = Vec::new();
    for (name, member) in names.iter().zip(members) {
        let child = match member.child {
            Some(mut child) => match child.try_wait().expect("the child is known") {
                None => child,
                Some(_) => nodes.start(name),
            },
            None => nodes.start(name),
        };
        running.push((name, child));
    }
    nodes.end(&mut running);
    let story = story.join("; ");
    println!("{story}");
    nodes.is_polite();
    let fates = nodes.fates(&names);
    assert_eq!(fates.len() as u64, HOSTS * (PAGES + 1), "{story}");
    nodes.texts(&names);
    nodes.agree(&names);
}
