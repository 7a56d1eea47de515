//! One crawl on several nodes: real processes, a real ledger, one web.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Child;
use std::time::{Duration, Instant};

use testweb::TestWeb;

use crate::nodes_support::{Nodes, Plan, lot, signal, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{Bench, file, page, run, stderr, stdout, tamis};

const HOSTS: u64 = 12;
const PAGES: u64 = 10;
const DELAY_MS: u64 = 40;

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
fn a_directory_is_one_node_of_one_crawl() {
    let Some(nodes) = nodes_of(web(), "max_pages = 3") else {
        return;
    };
    nodes.end(&mut [("one", nodes.start("one"))]);
    let alone = file(
        nodes.bench.dir.path(),
        "alone.toml",
        "[crawl]\nconcurrency = 2\n",
    );
    let seed = ["--seed", "http://h0.test/"];
    let options = [alone.as_str(), seed[0], seed[1]];
    let output = nodes.bench.crawl("one", &options).output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("[cluster]"), "{}", stderr(&output));
    nodes
        .bench
        .crawl_to_end("single", &[seed[0], seed[1], "--max-pages", "2"]);
    let text = std::fs::read_to_string(&nodes.config).expect("a configuration");
    let text = text.replace("[cluster]\n", "[cluster]\nnode = \"two\"\n");
    let two = file(nodes.bench.dir.path(), "two.toml", &text);
    let output = nodes
        .bench
        .crawl("single", &[&two, seed[0], seed[1]])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("a crawl of one machine"),
        "{}",
        stderr(&output)
    );
    let other = text
        .replace("\"two\"", "\"three\"")
        .replace("[crawl]\n", "[crawl]\nmax_depth = 3\n");
    let other = file(nodes.bench.dir.path(), "other.toml", &other);
    let output = nodes
        .bench
        .crawl("third", &[&other, seed[0], seed[1]])
        .output()
        .expect("runs");
    let said = stderr(&output) + &stdout(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("crawl.max_depth"), "{said}");
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
fn what_journals_and_ledger_do_not_have_in_common_is_found() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["d1", "d2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    nodes.agree(&names);
    let schema = format!("tamis_{}", nodes.crawl_name());
    let sql = |text: &str| {
        cluster
            .primary
            .sql("postgres", &text.replace("SCHEMA", &schema))
    };
    let kinds = || {
        let (code, found) = nodes.compare(&names);
        assert_eq!(code, Some(1), "{found}");
        let found = found["differences"].as_array().cloned().unwrap_or_default();
        let kinds = found.iter().map(|found| found["kind"].to_string());
        kinds.collect::<BTreeSet<String>>()
    };
    let set = |kinds: &[&str]| -> BTreeSet<String> {
        kinds.iter().map(|kind| format!("\"{kind}\"")).collect()
    };
    // A URL that another node finishes as well.
    sql(
        "insert into SCHEMA.finished (part, key, gen, page, outcome) \
         select part, key, 9, (9::bigint << 40) + 1, outcome from SCHEMA.finished limit 1",
    );
    assert_eq!(kinds(), set(&["finished_twice"]));
    sql("delete from SCHEMA.finished where gen = 9");
    // An end that the ledger has lost: the journal has it, and the counter is one too high.
    sql(
        "create table SCHEMA.lost as select * from SCHEMA.finished limit 1; \
         delete from SCHEMA.finished f using SCHEMA.lost l where f.page = l.page",
    );
    assert_eq!(kinds(), set(&["missing_from_ledger", "total"]));
    // The same end, of a page that no journal has.
    sql("insert into SCHEMA.finished \
         select part, key, gen, page + 1000000, dup_of, outcome from SCHEMA.lost");
    let found = [
        "finished_twice",
        "missing_from_journal",
        "missing_from_ledger",
    ];
    assert_eq!(kinds(), set(&found));
    sql(
        "delete from SCHEMA.finished f using SCHEMA.lost l where f.page = l.page + 1000000; \
         insert into SCHEMA.finished select * from SCHEMA.lost",
    );
    nodes.agree(&names);
    // A text that the ledger keeps as another.
    sql("update SCHEMA.kept set fp = fp + 1 where pos = 1");
    assert_eq!(kinds(), set(&["differs"]));
    sql("update SCHEMA.kept set fp = fp - 1 where pos = 1");
    sql("update SCHEMA.node set admitted = admitted + 1 where id = 1");
    assert_eq!(kinds(), set(&["total"]));
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

/// The values of a command that prints one a line.
#[track_caller]
fn values(command: &mut std::process::Command) -> Vec<serde_json::Value> {
    let text = stdout(&run(command));
    let values = text.lines().map(serde_json::from_str);
    values.collect::<Result<_, _>>().expect("JSON")
}

/// A crawl of two nodes that both did something, and their directories.
fn two_nodes(names: [&str; 2]) -> Option<(Nodes, [String; 2])> {
    let nodes = nodes_of(web(), "")?;
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let busy = |name: &&str| !nodes.bench.pages(name).is_empty();
    assert!(names.iter().all(busy), "the work is shared");
    let dirs = names.map(|name| nodes.bench.crawl_dir(name).display().to_string());
    Some((nodes, dirs))
}

#[test]
fn two_directories_are_exported_searched_and_explained_as_one_crawl() {
    let names = ["r1", "r2"];
    let Some((nodes, [first, second])) = two_nodes(names) else {
        return;
    };
    let fates = nodes.fates(&names);
    let rows = values(&mut tamis(&["export", &first, "pages", "--with", &second]));
    let urls: BTreeSet<&str> = rows.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!(rows.len(), fates.len());
    assert_eq!(urls, fates.keys().map(String::as_str).collect());
    let csv = [
        "export", &first, "pages", "--with", &second, "--format", "csv",
    ];
    let csv = stdout(&run(&mut tamis(&csv)));
    let heads = csv.lines().filter(|line| line.starts_with("url,"));
    assert_eq!(heads.count(), 1, "{csv}");

    let search = ["search", &first, "front", "--limit", "100", "--json"];
    let alone = values(&mut tamis(&search)).len();
    let both = values(tamis(&search).args(["--with", &second]));
    assert_eq!(both.len() as u64, HOSTS);
    assert!(0 < alone && alone < both.len(), "{alone}");
    let scores: Vec<f64> = both
        .iter()
        .filter_map(|hit| hit["score"].as_f64())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let best = values(tamis(&search[..3]).args(["--json", "--limit", "3", "--with", &second]));
    assert_eq!(best, both[..3]);

    for name in names {
        let (url, fate) = nodes.bench.pages(name).pop_first().expect("it has pages");
        let story = values(&mut tamis(&[
            "explain", &first, &url, "--with", &second, "--json",
        ]));
        assert_eq!(story[0]["state"], fate.as_str(), "{url}");
    }
}

#[test]
fn directories_are_checked_together_if_they_are_of_one_crawl() {
    let Some((nodes, [first, second])) = two_nodes(["c1", "c2"]) else {
        return;
    };
    let said = stdout(&run(&mut tamis(&["check-dir", &first, &second])));
    assert!(said.contains("no URL was finished twice"), "{said}");
    let copy = nodes.bench.crawl_dir("copy").display().to_string();
    run(std::process::Command::new("cp").args(["-r", &first, &copy]));
    let name = format!("{copy}/node.json");
    let own = std::fs::read_to_string(&name).expect("a name");
    let check = || {
        let output = tamis(&["check-dir", &first, &copy]).output().expect("runs");
        (output.status.code(), stdout(&output) + &stderr(&output))
    };
    let refused = |why: &str| {
        let (code, said) = check();
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(why), "{said}");
    };
    refused("name each node once");
    let mut other: serde_json::Value = serde_json::from_str(&own).expect("JSON");
    other["number"] = 9.into();
    std::fs::write(&name, other.to_string()).expect("written");
    // Another node that did all of the same.
    let (code, said) = check();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("finished by more than one node"), "{said}");
    other["crawl"] = "00".into();
    std::fs::write(&name, other.to_string()).expect("written");
    refused("different crawls");
    std::fs::remove_file(&name).expect("removed");
    refused("a crawl of one machine");
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
