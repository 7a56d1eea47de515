//! A ledger made anew from the directories of its nodes.

use testweb::{Response, TestWeb};

use crate::nodes::{all_pages, nodes_of, plan, web};
use crate::nodes_support::{Nodes, Plan, dump, signal, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::{page, run, says, stdout, tamis};

/// The usual web, with sitemaps that robots.txt names, redirects to other hosts, and a page that
/// fails.
fn varied() -> TestWeb {
    let mut web = web();
    for host in 0..6 {
        let of = |path: &str| format!("http://h{host}.test/{path}");
        let robots = format!("User-agent: *\nAllow: /\nSitemap: {}\n", of("sitemap.xml"));
        let sitemap = format!(
            "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
             <url><loc>{}</loc></url><url><loc>{}</loc></url><url><loc>{}</loc></url></urlset>",
            of("only-in-the-sitemap.html"),
            of("moved"),
            of("broken"),
        );
        let other = format!("http://h{}.test/arrived-{host}.html", host + 6);
        web = web
            .robots(&format!("h{host}.test"), &robots)
            .respond(&of("sitemap.xml"), Response::xml(sitemap))
            .page(
                &of("only-in-the-sitemap.html"),
                &page("Only", 5_000 + host, &[]),
            )
            .respond(&of("moved"), Response::redirect(301, &other))
            .respond(&of("broken"), Response::error(410))
            .page(&other, &page("Arrived", 6_000 + host, &[]));
    }
    web
}

/// Pages of that web, redirects and failures among them.
fn all_varied() -> u64 {
    all_pages() + 6 * 4
}

/// The ledger is lost.
fn lose(cluster: &Cluster, nodes: &Nodes) {
    let schema = format!("tamis_{}", nodes.crawl_name());
    let text = format!("set client_min_messages = error; drop schema {schema} cascade");
    cluster.primary.sql("postgres", &text);
}

/// `tamis cluster rebuild` from some nodes' directories.
fn rebuild(nodes: &Nodes, names: &[&str], more: &[&str]) -> std::process::Command {
    let mut command = tamis(&["cluster", "rebuild", "--store", &nodes.owner()]);
    command.args(more);
    command.args(names.iter().map(|name| nodes.bench.crawl_dir(name)));
    command
}

#[track_caller]
fn are_equal(before: &[(&str, String)], after: &[(&str, String)]) {
    for ((table, before), (_, after)) in before.iter().zip(after) {
        let (before, after): (Vec<&str>, Vec<&str>) =
            (before.lines().collect(), after.lines().collect());
        for (was, is) in before.iter().zip(&after) {
            assert_eq!(was, is, "in {table}");
        }
        assert_eq!(before.len(), after.len(), "rows of {table}");
    }
}

#[test]
fn a_ledger_made_anew_is_row_by_row_what_it_was_and_the_crawl_goes_on() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let topic = "max_pages = 1000\n[topic]\nkeywords = [\"river\", \"lantern\"]\noff_topic = \"keep\"\n\
        stop_harvest = 0\nexamples = [\"http://h3.test/p1.html\"]";
    let plan = Plan {
        // What the seed has spent is in the ledger too.
        seed: "http://h0.test/ pages=100000".into(),
        ..plan(topic, 40)
    };
    let nodes = Nodes::on(cluster, varied(), &plan);
    let names = ["r1", "r2", "r3"];
    let running = names.map(|name| (name, nodes.start(name)));
    wait_for_requests(&nodes, 70);
    for (_, child) in &running {
        signal(child, "-INT");
    }
    for (name, mut child) in running {
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(130), "{}", nodes.log(name));
    }
    let refused = rebuild(&nodes, &names, &[]).output().expect("runs");
    says(&refused, 2, &["holds this crawl already", "drop schema"]);

    let before = dump(cluster, &nodes);
    let rows = |table: &str| {
        let (_, rows) = (before.iter().find(|(name, _)| *name == table)).expect("a table");
        rows.lines().count()
    };
    assert!(rows("admitted") > rows("finished"), "some URLs wait");
    assert_eq!(rows("facts"), 1, "an example was told");
    assert!(rows("kept") > 10 && rows("node") == 3 && rows("seed_urls") == 1);
    lose(cluster, &nodes);
    let missing = rebuild(&nodes, &names[..2], &[]).output().expect("runs");
    says(&missing, 2, &["is not given", "--lost"]);
    run(&mut rebuild(&nodes, &names, &[]));
    are_equal(&before, &dump(cluster, &nodes));
    nodes.agree(&names);

    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    assert_eq!(nodes.fates(&names).len() as u64, all_varied());
    nodes.is_polite();
    nodes.agree(&names);
}

#[test]
fn what_a_killed_node_never_had_acknowledged_is_not_in_a_ledger_made_anew() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["u1", "u2"];
    let mut first = nodes.start(names[0]);
    let second = nodes.start(names[1]);
    wait_for_requests(&nodes, 50);
    first.kill().expect("kill -9");
    first.wait().expect("it ends");
    nodes.end(&mut [(names[1], second)]);
    let before = dump(cluster, &nodes);
    lose(cluster, &nodes);
    run(&mut rebuild(&nodes, &names, &[]));
    let after = dump(cluster, &nodes);
    let of = |dump: &[(&str, String)], table: &str| {
        let (_, rows) = (dump.iter().find(|(name, _)| *name == table)).expect("a table");
        rows.clone()
    };
    for table in ["kept", "finished", "admitted"] {
        assert_eq!(of(&before, table), of(&after, table), "{table}");
    }
    nodes.agree(&names);
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    assert_eq!(nodes.fates(&names).len() as u64, all_pages());
    nodes.texts(&names);
    nodes.agree(&names);
}

#[test]
fn with_the_ledger_a_node_is_lost_and_its_texts_are_read_again() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let Some(nodes) = nodes_of(web(), "") else {
        return;
    };
    let names = ["v1", "v2", "v3"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let all = nodes.texts(&names);
    assert!(!nodes.texts(&names[..1]).is_empty(), "it kept something");
    std::fs::remove_dir_all(nodes.bench.crawl_dir(names[0])).expect("it is lost");
    lose(cluster, &nodes);
    let left = &names[1..];
    let numbers = cluster_numbers(&nodes, left);
    let lost = (1..=3).find(|number| !numbers.contains(number));
    let lost = lost.expect("one of three").to_string();
    let said = stdout(&run(&mut rebuild(&nodes, left, &["--lost", &lost])));
    assert!(said.contains("are withdrawn"), "{said}");
    nodes.end(&mut [
        (left[0], nodes.start(left[0])),
        (left[1], nodes.start(left[1])),
    ]);
    // What the lost node alone had found is found again, since others lead to it here.
    let texts = nodes.texts(left);
    let missing: Vec<&String> = all.difference(&texts).collect();
    assert_eq!(missing, [""; 0], "{said}");
    nodes.agree(left);
}

#[test]
fn what_a_lost_node_told_of_an_example_is_told_to_those_that_come_later() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let example = "http://h0.test/";
    let more = format!(
        "[topic]\nkeywords = [\"river\"]\noff_topic = \"keep\"\nexamples = [\"{example}\"]\n"
    );
    let Some(nodes) = nodes_of(web(), &more) else {
        return;
    };
    let names = ["e1", "e2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let has_read = |name: &str| {
        nodes
            .bench
            .pages(name)
            .iter()
            .any(|(url, _)| url == example)
    };
    let at = names.iter().position(|name| has_read(name));
    let (lost, left) = match at {
        Some(0) => (names[0], names[1]),
        _ => (names[1], names[0]),
    };
    let number = cluster_numbers(&nodes, &[lost])[0].to_string();
    std::fs::remove_dir_all(nodes.bench.crawl_dir(lost)).expect("it is lost");
    let schema = format!("tamis_{}", nodes.crawl_name());
    let text = format!(
        "select kind, node, encode(data, 'hex') from {schema}.facts where kind = 'example'"
    );
    let facts = || {
        let rows = cluster.primary.sql("postgres", &text);
        let rows = rows.lines().filter_map(|row| row.rsplit('|').next());
        rows.map(|data| data.trim().to_owned()).collect::<Vec<_>>()
    };
    let before = facts();
    assert_eq!(before.len(), 1);
    lose(cluster, &nodes);
    run(&mut rebuild(&nodes, &[left], &["--lost", &number]));
    assert_eq!(facts(), before);
}

/// Hosts of which each has one page, and that leads to the next host's alone.
const CHAIN: u64 = 40;

fn chain() -> TestWeb {
    let mut web = TestWeb::new();
    for host in 0..CHAIN {
        let next = format!("http://chain{}.test/", host + 1);
        let links = match host + 1 < CHAIN {
            true => vec![next],
            false => Vec::new(),
        };
        let url = format!("http://chain{host}.test/");
        web = web.page(&url, &page(&format!("Link {host}"), 50_000 + host, &links));
    }
    web
}

/// The page that leads to a page of the chain, and no other does.
fn before(url: &str) -> Option<String> {
    let number = url.strip_prefix("http://chain")?.split('.').next()?;
    let number: u64 = number.parse().ok()?;
    Some(format!("http://chain{}.test/", number.checked_sub(1)?))
}

// A URL that the lost node alone had found, and that a survivor had finished, has an end in the survivor's
// journal and no beginning in any. Without one more URLs were finished than admitted, and no crawl on such a
// ledger ever came to its end.
#[test]
fn what_a_lost_node_alone_had_found_and_another_finished_does_not_keep_the_crawl_from_its_end() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let plan = Plan {
        hosts: (0..CHAIN).map(|host| format!("chain{host}.test")).collect(),
        seed: "http://chain0.test/".into(),
        more: String::new(),
        delay_ms: 20,
        concurrency: 2,
    };
    let nodes = Nodes::on(cluster, chain(), &plan);
    let names = ["x1", "x2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    assert_eq!(nodes.fates(&names).len() as u64, CHAIN);
    let of = |name: &str| -> Vec<String> {
        let pages = nodes.bench.pages(name).into_iter();
        pages.map(|(url, _)| url).collect()
    };
    let (left, lost) = (names[0], names[1]);
    let orphans = |left: &str, lost: &str| {
        let found_by = of(lost);
        let is_orphan = |url: &String| before(url).is_some_and(|from| found_by.contains(&from));
        of(left).into_iter().filter(is_orphan).collect::<Vec<_>>()
    };
    let alone = orphans(left, lost);
    assert!(!alone.is_empty(), "the chain was shared between the nodes");

    let number = cluster_numbers(&nodes, &[lost])[0].to_string();
    std::fs::remove_dir_all(nodes.bench.crawl_dir(lost)).expect("it is lost");
    lose(cluster, &nodes);
    run(&mut rebuild(&nodes, &[left], &["--lost", &number]));
    let schema = format!("tamis_{}", nodes.crawl_name());
    let sql = |text: &str| cluster.primary.sql("postgres", text).trim().to_owned();
    let homeless = format!(
        "select count(*) from {schema}.finished f where not exists \
         (select 1 from {schema}.admitted a where a.part = f.part and a.key = f.key)"
    );
    assert_eq!(sql(&homeless), "0", "{alone:?} are admitted");
    let counted = format!("select sum(admitted) >= sum(finished) from {schema}.node");
    assert_eq!(sql(&counted), "t");
    let rows = format!(
        "select sum(admitted) = (select count(*) from {schema}.admitted) \
         + (select count(*) from {schema}.reopened) from {schema}.node"
    );
    assert_eq!(sql(&rows), "t", "the counters are those of the rows");

    nodes.end(&mut [(left, nodes.start(left))]);
    assert_eq!(nodes.fates(&[left]).len() as u64, CHAIN);
    nodes.agree(&[left]);
}

/// The numbers of nodes, from their directories.
fn cluster_numbers(nodes: &Nodes, names: &[&str]) -> Vec<u64> {
    let number = |name: &&str| {
        let path = nodes.bench.crawl_dir(name).join("node.json");
        let text = std::fs::read_to_string(path).expect("a node");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["number"].as_u64().expect("a number")
    };
    names.iter().map(number).collect()
}
