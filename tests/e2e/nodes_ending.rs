//! When a crawl on several nodes ends: the rules hold over what all of them did.

use std::process::Child;
use std::time::{Duration, Instant};

use testweb::TestWeb;

use crate::nodes::nodes_of;
use crate::nodes_support::{Nodes, signal, wait_for_requests};
use crate::support::{page, run, stdout, tamis};

const POOR_HOSTS: u64 = 11;

/// One host about railways, page after page, and others of which no page is, all led to from its front.
pub fn web(railways: u64, notes: u64) -> TestWeb {
    let railway = |number: u64| format!("http://h0.test/railway-{number}.html");
    let note = |host: u64, number: u64| format!("http://h{host}.test/note-{number}.html");
    let mut web = TestWeb::new();
    let mut front: Vec<String> = (1..=POOR_HOSTS).map(|host| note(host, 0)).collect();
    front.push(railway(0));
    web = web.page("http://h0.test/", &page("All lines", 1, &front));
    for number in 0..railways {
        let steps = (1..4).filter(|step| number + step < railways);
        let links: Vec<String> = steps.map(|step| railway(number + step)).collect();
        let title = format!("Railway line {number}: the railway and its trains");
        web = web.page(&railway(number), &page(&title, 10 + number, &links));
    }
    for host in 1..=POOR_HOSTS {
        for number in 0..notes {
            let links = [2 * number + 1, 2 * number + 2];
            let links = links.into_iter().filter(|next| *next < notes);
            let links: Vec<String> = links.map(|next| note(host, next)).collect();
            let seed = 10_000 * host + number;
            let title = format!("Note {seed}");
            web = web.page(&note(host, number), &page(&title, seed, &links));
        }
    }
    web
}

fn stop_reason(nodes: &Nodes, name: &str) -> String {
    let status = run(tamis(&["status", "--json"]).arg(nodes.bench.crawl_dir(name)));
    let status: serde_json::Value = serde_json::from_str(&stdout(&status)).expect("JSON");
    status["stop_reason"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_time_of_a_crawl_is_that_of_all_its_nodes_and_outlives_the_first_of_them() {
    const MAX: Duration = Duration::from_secs(16);
    let Some(nodes) = nodes_of(web(10, 3_000), "max_time = \"16s\"") else {
        return;
    };
    let mut first = nodes.start("m1");
    wait_for_requests(&nodes, 5);
    std::thread::sleep(MAX / 2);
    let began = Instant::now();
    let second = nodes.start("m2");
    std::thread::sleep(MAX / 5);
    first.kill().expect("kill -9");
    first.wait().expect("it ends");
    nodes.end(&mut [("m2", second)]);
    let took = began.elapsed();
    assert!(took < MAX - Duration::from_secs(3), "{took:?}");
    assert_eq!(stop_reason(&nodes, "m2"), "max_time");
    // Another start of the crawl has its time anew.
    let before = nodes.bench.web.log().len();
    let mut again = nodes.start("m2");
    wait_for_requests(&nodes, before + 5);
    signal(&again, "-INT");
    assert_eq!(again.wait().expect("it ends").code(), Some(130));
    assert_eq!(stop_reason(&nodes, "m2"), "interrupted");
}

#[test]
fn the_harvest_of_all_nodes_together_ends_the_crawl_on_all_of_them() {
    let (railways, notes) = (120, 250);
    let topic = "[topic]\nkeywords = [\"railway\", \"trains\"]\n";
    let Some(nodes) = nodes_of(web(railways, notes), topic) else {
        return;
    };
    let names = ["t1", "t2", "t3"];
    let mut running: Vec<(&str, Child)> = names
        .iter()
        .map(|name| (*name, nodes.start(name)))
        .collect();
    // They end together, within some beats.
    let mut ended = vec![];
    let until = Instant::now() + Duration::from_secs(300);
    let mut waited: Vec<usize> = (0..running.len()).collect();
    while !waited.is_empty() && Instant::now() < until {
        waited.retain(|at| {
            let is_there = running[*at]
                .1
                .try_wait()
                .expect("the child is known")
                .is_none();
            if !is_there {
                ended.push(Instant::now());
            }
            is_there
        });
        std::thread::sleep(Duration::from_millis(20));
    }
    nodes.end(&mut running);
    let apart = ended[ended.len() - 1] - ended[0];
    println!("{apart:?} between the first and the last that ended");
    assert!(apart < Duration::from_secs(4), "{apart:?}");
    let fates = nodes.fates(&names);
    let found = fates.keys().filter(|url| url.contains("railway")).count() as u64;
    let all = railways + POOR_HOSTS * notes;
    println!(
        "{} of {all} pages, {found} of {railways} on the topic",
        fates.len()
    );
    // Two nodes find nothing: they do not end it before the third has found all, nor keep it alive.
    assert_eq!(found, railways);
    assert!((fates.len() as u64) < all * 3 / 4, "{}", fates.len());
    for name in names {
        assert_eq!(stop_reason(&nodes, name), "harvest", "{name}");
    }
    nodes.agree(&names);
}
