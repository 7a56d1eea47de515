//! A topic over several nodes: the budget goes where the links promise most, and all learn from all examples.

use std::time::{Duration, Instant};

use archive::{Event, Position, Replayed};
use testweb::{Response, TestWeb};

use crate::nodes::nodes_of;
use crate::nodes_ending::web;
use crate::nodes_support::{Nodes, wait_for_requests};
use crate::postgres::Cluster;
use crate::support::page;

#[test]
fn the_budget_of_all_nodes_goes_where_the_links_promise_most() {
    let budget = 200;
    let more = format!("max_pages = {budget}\n[topic]\nkeywords = [\"railway\", \"trains\"]\n");
    let Some(nodes) = nodes_of(web(200, 250), &more) else {
        return;
    };
    let names = ["f1", "f2", "f3"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let fates = nodes.fates(&names);
    let found = fates.keys().filter(|url| url.contains("railway")).count();
    println!("{found} of {} pages are on the topic", fates.len());
    assert_eq!(fates.len(), budget, "the budget is exact");
    // In equal shares one host of one of three nodes would have had a third at most.
    assert!(found >= budget / 2, "{found}");
    nodes.agree(&names);
}

/// The examples that a node has learnt from others, as its journal has them.
fn learnt(nodes: &Nodes, name: &str) -> Vec<String> {
    let archive = nodes.bench.crawl_dir(name).join("archive");
    let records = archive::replay(&archive, Position::START).expect("a journal");
    let mut examples = Vec::new();
    for replayed in records {
        if let Replayed::Record { record, .. } = replayed.expect("it can be read")
            && let Event::Elsewhere(elsewhere) = record.event
        {
            examples.extend(elsewhere.examples.into_iter().map(|example| example.url));
        }
    }
    examples
}

#[test]
fn all_nodes_learn_once_from_an_example_that_one_of_them_has_read() {
    let example = "http://h0.test/railway-0.html";
    let more =
        format!("max_pages = 150\n[topic]\nkeywords = [\"railway\"]\nexamples = [\"{example}\"]\n");
    let Some(nodes) = nodes_of(web(200, 250), &more) else {
        return;
    };
    let names = ["l1", "l2", "l3"];
    let mut running = names.map(|name| (name, nodes.start(name)));
    wait_for_requests(&nodes, 60);
    // One of those that learn is killed, and started again.
    let killed = names
        .iter()
        .position(|name| nodes.bench.crawl_dir(name).exists() && !learnt(&nodes, name).is_empty());
    if let Some(at) = killed {
        running[at].1.kill().expect("kill -9");
        running[at].1.wait().expect("it ends");
        running[at].1 = nodes.start(names[at]);
    }
    nodes.end(&mut running);
    let mut learners = 0;
    for name in names {
        let examples = learnt(&nodes, name);
        let has_read = nodes
            .bench
            .pages(name)
            .iter()
            .any(|(url, _)| url == example);
        let expected = if has_read {
            vec![]
        } else {
            vec![example.to_owned()]
        };
        assert_eq!(examples, expected, "{name}");
        learners += usize::from(!has_read);
        nodes.bench.check(name);
    }
    assert_eq!(learners, 2);
    assert!(killed.is_some(), "a node that learns was killed");
    nodes.agree(&names);
}

#[test]
fn an_example_that_a_killed_node_did_not_tell_is_told_at_its_next_start_and_once() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let example = "http://h0.test/railway-0.html";
    let more =
        format!("max_pages = 150\n[topic]\nkeywords = [\"railway\"]\nexamples = [\"{example}\"]\n");
    let Some(nodes) = nodes_of(web(200, 250), &more) else {
        return;
    };
    let mut first = nodes.start("y1");
    wait_for_requests(&nodes, 40);
    first.kill().expect("kill -9");
    first.wait().expect("it ends");
    // As if it had been killed a moment after it had read the example.
    let schema = format!("tamis_{}", nodes.crawl_name());
    let sql = |text: &str| cluster.primary.sql("postgres", text).trim().to_owned();
    let count = format!("select count(*) from {schema}.facts where kind = 'example'");
    assert_eq!(sql(&count), "1");
    sql(&format!("delete from {schema}.facts"));

    let mut running = vec![("y1", nodes.start("y1")), ("y2", nodes.start("y2"))];
    let until = Instant::now() + Duration::from_secs(60);
    while sql(&count) == "0" && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(sql(&count), "1");
    running[0].1.kill().expect("kill -9");
    running[0].1.wait().expect("it ends");
    running[0].1 = nodes.start("y1");
    nodes.end(&mut running);
    assert_eq!(sql(&count), "1", "what was told is not told again");
    assert_eq!(learnt(&nodes, "y1"), [""; 0]);
    assert_eq!(learnt(&nodes, "y2"), [example]);
    nodes.agree(&["y1", "y2"]);
}

/// Examples that redirect after some seconds to pages on the next host. Every other one of those is led to
/// from the front page too, so that on all but the busiest machines it is read before anybody knows that it
/// is an example.
const MOVED: u64 = 8;

fn web_with_moved_examples() -> TestWeb {
    let mut web = web(60, 40);
    let front = (0..MOVED).step_by(2).map(lesson);
    let front = front.chain((0..12).map(|host| format!("http://h{host}.test/note-0.html")));
    let front: Vec<String> = front.chain(["/railway-0.html".to_owned()]).collect();
    web = web.page("http://h0.test/", &page("All lines", 1, &front));
    for number in 0..MOVED {
        let moved = Response::redirect(301, &lesson(number)).after(Duration::from_secs(8));
        let text = page(&format!("Railway lesson {number}"), 90_000 + number, &[]);
        web = web
            .respond(&moved_example(number), moved)
            .page(&lesson(number), &text);
    }
    web
}

fn moved_example(number: u64) -> String {
    format!("http://h{}.test/moved", number + 1)
}

fn lesson(number: u64) -> String {
    format!("http://h{}.test/lesson.html", number + 2)
}

#[test]
fn an_example_that_leads_to_another_nodes_page_teaches_all_of_them() {
    let Some(cluster) = Cluster::shared() else {
        return;
    };
    let examples: Vec<String> = (0..MOVED)
        .map(|number| format!("\"{}\"", moved_example(number)))
        .collect();
    let more = format!(
        "max_pages = 600\n[topic]\nkeywords = [\"railway\"]\nexamples = [{}]\n",
        examples.join(", ")
    );
    let Some(nodes) = nodes_of(web_with_moved_examples(), &more) else {
        return;
    };
    let names = ["z1", "z2"];
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    let reader = |url: &str| {
        let has_read = |name: &&str| nodes.bench.pages(name).iter().any(|(read, _)| read == url);
        let mut readers = names.into_iter().filter(has_read);
        readers.next().unwrap_or_else(|| panic!("{url} is read"))
    };
    let mut apart = 0;
    for number in 0..MOVED {
        let (from, to) = (reader(&moved_example(number)), reader(&lesson(number)));
        apart += u64::from(from != to);
        for name in names {
            let learns = learnt(&nodes, name);
            let times = learns.iter().filter(|url| **url == lesson(number)).count();
            let least = usize::from(name != to);
            assert!((least..=1).contains(&times), "{name}: {learns:?}");
        }
    }
    assert!(apart > 0, "no example leads from one node to the other");
    for name in names {
        nodes.bench.check(name);
    }
    nodes.agree(&names);
    // As if the nodes had been killed a moment before they told: all is told at the next start.
    let schema = format!("tamis_{}", nodes.crawl_name());
    let sql = |text: &str| cluster.primary.sql("postgres", text).trim().to_owned();
    let count = format!("select count(*) from {schema}.facts where kind = 'example'");
    assert_eq!(sql(&count), MOVED.to_string());
    sql(&format!("delete from {schema}.facts"));
    nodes.end(&mut names.map(|name| (name, nodes.start(name))));
    assert_eq!(sql(&count), MOVED.to_string());
}
