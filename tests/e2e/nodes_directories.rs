//! The directories of nodes: each is one node of one crawl, and all of them are read and checked as one.

use std::collections::BTreeSet;

use crate::nodes::{HOSTS, nodes_of, web};
use crate::nodes_support::Nodes;
use crate::postgres::Cluster;
use crate::support::{file, run, stderr, stdout, tamis};

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
