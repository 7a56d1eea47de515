//! Figures of one crawl over the directories of its nodes: what one machine's report, status and summed
//! rows say, said of all nodes together.

use std::collections::BTreeSet;

use serde_json::Value;
use testweb::TestWeb;

use crate::nodes::{all_pages, nodes_of, web};
use crate::nodes_support::Nodes;
use crate::support::{Bench, file, page, run, says, stdout, tamis};

const BROKEN: &str = "http://h7.test/nowhere.html";

/// The usual web, with a link from one host to a page of another that is not there.
fn web_with_a_broken_link() -> TestWeb {
    let page = page("Odd", 77_777, &[BROKEN.to_owned()]);
    web().page("http://h2.test/p9.html", &page)
}

fn values(command: &mut std::process::Command) -> Vec<Value> {
    let text = stdout(&run(command));
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn value(command: &mut std::process::Command) -> Value {
    serde_json::from_str(&stdout(&run(command))).expect("JSON")
}

/// A command on the first directory, with the others.
fn on(nodes: &Nodes, names: &[&str], command: &[&str]) -> std::process::Command {
    let dirs: Vec<String> = names
        .iter()
        .map(|name| nodes.bench.crawl_dir(name).display().to_string())
        .collect();
    let mut all = tamis(&[command[0], &dirs[0]]);
    all.args(&command[1..]);
    for dir in &dirs[1..] {
        all.args(["--with", dir]);
    }
    all
}

/// What the same web is to one machine.
fn alone() -> (Bench, String) {
    let alone = Bench::serve(web_with_a_broken_link());
    let hosts: Vec<String> = (0..12).map(|host| format!("\"h{host}.test\"")).collect();
    let config = format!(
        "[crawl]\nconcurrency = 4\n[politeness]\ndelay = \"0\"\n[scope]\nhosts = [{}]\n",
        hosts.join(", ")
    );
    let config = file(alone.dir.path(), "alone.toml", &config);
    alone.crawl_to_end("alone", &[&config, "--seed", "http://h0.test/"]);
    let dir = alone.crawl_dir("alone").display().to_string();
    (alone, dir)
}

#[test]
fn figures_of_all_nodes_add_up_to_those_of_one_machine() {
    let Some(nodes) = nodes_of(web_with_a_broken_link(), "") else {
        return;
    };
    let names = ["t1", "t2", "t3"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let busy = names
        .iter()
        .filter(|name| !nodes.bench.pages(name).is_empty());
    assert!(busy.count() >= 2, "the work is shared");
    let (_alone, dir) = alone();
    let one = value(&mut tamis(&["report", &dir, "--format", "json"]));
    let all = value(&mut on(&nodes, &names, &["report", "--format", "json"]));
    // Each found some of it, finished some of it, and no sum of their own reports gives this.
    for figure in [
        "admitted", "pending", "indexed", "junk", "failed", "refused",
    ] {
        let path = format!("/totals/{figure}");
        assert_eq!(all.pointer(&path), one.pointer(&path), "{figure}");
    }
    assert_eq!(all["totals"]["admitted"], all_pages() + 1);
    for figure in ["/duplicates/count", "/fetches/pages", "/broken/links"] {
        assert!(one.pointer(figure).is_some(), "{figure} is there");
        assert_eq!(all.pointer(figure), one.pointer(figure), "{figure}");
    }
    assert_eq!(all["stop_reason"], "drained");
    let hosts = |report: &Value| -> Vec<(String, Value)> {
        let rows = report["hosts"].as_array().cloned().unwrap_or_default();
        let mut rows: Vec<_> = rows
            .into_iter()
            .map(|row| {
                (
                    row["host"].as_str().unwrap_or_default().to_owned(),
                    row["counts"]["finished"].clone(),
                )
            })
            .collect();
        rows.sort_by(|a, b| a.0.cmp(&b.0));
        rows
    };
    assert_eq!(hosts(&all), hosts(&one));

    let status = value(&mut on(&nodes, &names, &["status", "--json"]));
    assert_eq!(status["finished"], all_pages() + 1);
    assert_eq!(
        (&status["pending"], &status["admitted"]),
        (&0.into(), &(all_pages() + 1).into())
    );
    assert_eq!(status["state"], "stopped");
    let html = stdout(&run(&mut on(
        &nodes,
        &names,
        &["report", "--format", "html"],
    )));
    assert!(
        html.contains("and 2 nodes more"),
        "the report says whose it is"
    );
}

#[test]
fn rows_that_sum_up_are_summed_up_over_all_nodes() {
    let Some(nodes) = nodes_of(web_with_a_broken_link(), "") else {
        return;
    };
    let names = ["u1", "u2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let hosts = values(&mut on(&nodes, &names, &["export", "hosts"]));
    let once: BTreeSet<&str> = hosts
        .iter()
        .filter_map(|row| row["host"].as_str())
        .collect();
    assert_eq!((hosts.len(), once.len()), (12, 12));
    let pages: u64 = hosts.iter().filter_map(|row| row["pages"].as_u64()).sum();
    let pending: u64 = hosts.iter().filter_map(|row| row["pending"].as_u64()).sum();
    assert_eq!((pages, pending), (all_pages() + 1, 0));

    let broken = values(&mut on(&nodes, &names, &["export", "broken"]));
    assert_eq!(broken.len(), 1, "{broken:?}");
    assert_eq!(broken[0]["link"], BROKEN);
    assert_eq!(broken[0]["page"], "http://h2.test/p9.html");

    let clusters = values(&mut on(&nodes, &names, &["export", "clusters"]));
    let members: usize = clusters
        .iter()
        .filter_map(|row| row["members"].as_array().map(Vec::len))
        .sum();
    let report = value(&mut on(&nodes, &names, &["report", "--format", "json"]));
    assert_eq!(report["duplicates"]["count"], members, "{clusters:?}");
    assert_eq!(report["duplicates"]["clusters"], clusters.len());
    let csv = stdout(&run(&mut on(
        &nodes,
        &names,
        &["export", "hosts", "--format", "csv"],
    )));
    assert_eq!(csv.lines().count(), 13, "{csv}");
    let refused = on(&nodes, &names, &["export", "dataset", "--out", "x"]).output();
    says(
        &refused.expect("runs"),
        2,
        &["from each directory on its own"],
    );
}

#[test]
fn the_store_tells_what_each_node_asked_of_it() {
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["m1", "m2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let status = value(&mut tamis(&["cluster", "status", &nodes.config, "--json"]));
    let mut finished = 0;
    for node in status["nodes"].as_array().expect("nodes") {
        let messages = &node["note"]["messages"];
        let of = |kind: &str, figure: &str| messages[kind][figure].as_u64().unwrap_or_default();
        assert!(of("begin", "calls") >= of("held", "calls"), "{messages}");
        assert_eq!(of("close", "calls"), of("held", "calls"), "{messages}");
        assert!(
            of("beat", "calls") > 0 && of("join", "calls") == 1,
            "{messages}"
        );
        finished += of("held", "rows_out");
    }
    assert_eq!(finished, all_pages(), "each page ended in a group");
    let text = stdout(&run(&mut tamis(&["cluster", "status", &nodes.config])));
    assert!(text.contains("messages of"), "{text}");
}
