//! No text is kept twice: many nodes over families of near copies, and every pair of kept texts
//! judged afterwards by the rule itself.
//!
//! The nodes are real processes on one ledger. They walk hosts that hold copies of the same texts,
//! each edited in up to a dozen words, a third of them short: in a random order, and all hosts page
//! by page in step. The last test takes the ledger's lock away and must find texts that are kept
//! twice: by it the others are known to be able to fail.
//!
//! Few pages usually; `TAMIS_EXACT_NODES=8 TAMIS_EXACT_PAGES=10000` asks for more, `TAMIS_SEED` for
//! other texts.

use std::collections::BTreeMap;
use std::time::Duration;

use archive::{Event, Position, Replayed};
use outcome::{JunkReason, Outcome, Verdict};
use sieve::{Rules, between_siblings};
use simhash::{Decision, IndexConfig, TextPrint, rule};
use testweb::TestWeb;

use crate::nodes_support::{Nodes, Plan, lot};
use crate::postgres::Cluster;

/// Hosts that each node has about.
const HOSTS_PER_NODE: u64 = 4;

/// How the hosts' pages are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walk {
    /// Each host its own way.
    Random,
    /// All hosts the same texts, page by page.
    Mirror,
}

fn asked(name: &str, usual: u64) -> u64 {
    let told = std::env::var(name).ok();
    told.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// A word of its own for each number, in letters: what has a digit in it counts as a number.
fn word(number: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut rest = lot(&mut state);
    let mut word = String::new();
    for _ in 0..4 {
        word.push(char::from(b"bdfgklmnprstvz"[(rest % 14) as usize]));
        word.push(char::from(b"aeiou"[(rest / 14 % 5) as usize]));
        rest /= 70;
    }
    word
}

/// A copy of a family's text: the first copy is the text itself, the others differ in some words.
fn text(family: u64, copy: u64, lots: &mut u64) -> String {
    let length = if family.is_multiple_of(3) { 70 } else { 300 };
    let mut words: Vec<String> = (0..length).map(|at| word(family * 1_000 + at)).collect();
    let edits = if length < 100 { copy.min(2) } else { copy * 2 };
    for _ in 0..edits {
        let at = lot(lots) % length;
        words[at as usize] = word(lot(lots));
    }
    let paragraphs = words.chunks(35).map(|words| words.join(" "));
    paragraphs.map(|text| format!("<p>{text}.</p>\n")).collect()
}

/// Hosts of copies, and a gate that leads to all of them once the nodes have had time to share them.
fn web(walk: Walk, hosts: u64, pages: u64) -> TestWeb {
    let mut lots = asked("TAMIS_SEED", 0x5eed_0002);
    let anchors = |urls: Vec<String>| -> String {
        let anchor = |url: String| format!("<li><a href=\"{url}\">{url}</a></li>\n");
        urls.into_iter().map(anchor).collect()
    };
    let html = |title: &str, text: &str, links: Vec<String>| {
        let links = anchors(links);
        format!(
            "<!DOCTYPE html><html><head><title>{title}</title></head><body><article>\
             <h1>{title}</h1>\n{text}</article><ul>{links}</ul></body></html>"
        )
    };
    let fronts = (0..hosts).map(|host| format!("http://m{host}.test/"));
    let gate = html("Gate", &text(999_999, 0, &mut lots), fronts.collect());
    let mut web = TestWeb::new().page("http://gate.test/", &gate);
    for host in 0..hosts {
        let front = text(1_000_000 + host, 0, &mut lots);
        let own = (0..pages).map(|page| format!("/p{page}.html"));
        let front = html(&format!("Front {host}"), &front, own.collect());
        web = web.page(&format!("http://m{host}.test/"), &front);
        for page in 0..pages {
            let family = match walk {
                Walk::Mirror => page,
                Walk::Random => lot(&mut lots) % (hosts * pages / 8).max(1),
            };
            let copy = lot(&mut lots) % 7;
            let text = text(family, copy, &mut lots);
            let page = format!("http://m{host}.test/p{page}.html");
            web = web.page(&page, &html(&format!("Text {family}"), &text, Vec::new()));
        }
    }
    web.latency("gate.test", Duration::from_secs(3))
}

/// A text that a node kept.
struct Kept {
    host: String,
    url: String,
    print: TextPrint,
}

/// What the nodes kept, and how far from kept texts those lay that were dropped for repeating them:
/// how many at each distance, and how many repeat another node's.
#[derive(Default)]
struct Outcomes {
    kept: Vec<Kept>,
    dropped: BTreeMap<u8, u64>,
    across: u64,
}

fn outcomes(nodes: &Nodes, names: &[String]) -> Outcomes {
    let mut all = Outcomes::default();
    for name in names {
        let journal = nodes.bench.crawl_dir(name).join("archive");
        for replayed in archive::replay(&journal, Position::START).expect("a journal") {
            let Replayed::Record { record, .. } = replayed.expect("it can be read") else {
                panic!("{name} is damaged");
            };
            let Event::Page(page) = record.event else {
                continue;
            };
            match (&page.outcome, &page.page) {
                (Outcome::Judged(Verdict::Index), Some(summary)) => all.kept.push(Kept {
                    print: state::recorded::print_of(summary).expect("a print"),
                    host: page.host.clone(),
                    url: page.url.clone(),
                }),
                (Outcome::Judged(Verdict::Junk(why)), _) if JunkReason::is_duplicate(why) => {
                    let near = page.nearest.expect("a duplicate has its neighbour");
                    *all.dropped.entry(near.distance).or_default() += 1;
                    all.across += u64::from(near.page >= 1 << 40);
                }
                (_, _) => {}
            }
        }
    }
    all
}

/// Pairs of kept texts that the rule calls duplicates.
fn kept_twice(kept: &[Kept]) -> Vec<(&str, &str)> {
    let (config, rules) = (IndexConfig::default(), Rules::default());
    let mut pairs = Vec::new();
    for (at, one) in kept.iter().enumerate() {
        for other in &kept[..at] {
            if !rule::is_candidate(&config, &one.print, &other.print) {
                continue;
            }
            let mut near = rule::judge(&config, &one.print, 0, &other.print, 0);
            if one.host == other.host {
                near = between_siblings(near, &rules);
            }
            if near.decision == Decision::Duplicate {
                pairs.push((one.url.as_str(), other.url.as_str()));
            }
        }
    }
    pairs
}

/// A crawl of such a web to its end; `has_lock`: the order is one node's at a time, as it is always.
fn crawl(walk: Walk, has_lock: bool) -> Option<Outcomes> {
    let cluster = Cluster::shared()?;
    let count = asked("TAMIS_EXACT_NODES", 4);
    let hosts = count * HOSTS_PER_NODE;
    let pages = asked("TAMIS_EXACT_PAGES", 320).div_ceil(hosts);
    let plan = Plan {
        hosts: (0..hosts)
            .map(|host| format!("m{host}.test"))
            .chain(["gate.test".into()])
            .collect(),
        seed: "http://gate.test/".into(),
        more: String::new(),
        delay_ms: 30,
        concurrency: 16,
    };
    let nodes = Nodes::on(cluster, web(walk, hosts, pages), &plan);
    if !has_lock {
        take_the_lock_away(cluster, &nodes);
    }
    let names: Vec<String> = (1..=count).map(|number| format!("x{number}")).collect();
    let mut running: Vec<_> = names
        .iter()
        .map(|name| (name.as_str(), nodes.start(name)))
        .collect();
    nodes.end(&mut running);
    let refs: Vec<&str> = names.iter().map(String::as_str).collect();
    let busy = refs.iter().filter(|name| nodes.bench.pages(name).len() > 5);
    assert!(busy.count() as u64 > count / 2, "the work is shared");
    assert_eq!(
        nodes.fates(&refs).len() as u64,
        1 + hosts * (pages + 1),
        "all is read"
    );
    if has_lock {
        nodes.agree(&refs);
    }
    Some(outcomes(&nodes, &names))
}

/// Lets groups begin without the order for themselves, as no ledger does.
fn take_the_lock_away(cluster: &Cluster, nodes: &Nodes) {
    let schema = format!("tamis_{}", nodes.crawl_name());
    let text = format!(
        "do $$ declare was text; is_now text; begin \
         select pg_get_functiondef(p.oid) into was from pg_proc p \
             where p.pronamespace = '{schema}'::regnamespace and p.proname = 'begin_group'; \
         is_now := replace(was, 'last_kept l for no key update', 'last_kept l'); \
         if is_now = was then raise exception 'no lock was found'; end if; \
         execute is_now; end $$"
    );
    cluster.primary.sql("postgres", &text);
}

#[track_caller]
fn check(walk: Walk) {
    let Some(found) = crawl(walk, true) else {
        return;
    };
    let dropped: u64 = found.dropped.values().sum();
    println!(
        "{walk:?}: {} texts kept, {dropped} dropped ({} for another node's), by distance {:?}",
        found.kept.len(),
        found.across,
        found.dropped
    );
    let pairs = kept_twice(&found.kept);
    assert_eq!(pairs, [], "of {} kept texts", found.kept.len());
    assert!(found.across > 10, "few copies are on two nodes");
    let far: u64 = found.dropped.range(6..).map(|(_, count)| count).sum();
    assert!(far > 0, "no copy is far from its text: {:?}", found.dropped);
}

#[test]
fn nodes_that_walk_at_random_keep_no_text_twice() {
    check(Walk::Random);
}

#[test]
fn nodes_that_walk_one_mirror_in_step_keep_no_text_twice() {
    check(Walk::Mirror);
}

#[test]
fn without_the_order_for_themselves_they_keep_some_twice() {
    let Some(found) = crawl(Walk::Mirror, false) else {
        return;
    };
    let pairs = kept_twice(&found.kept);
    println!(
        "no lock: {} texts kept, {} pairs of duplicates",
        found.kept.len(),
        pairs.len()
    );
    assert!(!pairs.is_empty(), "the tests above could not fail");
}
