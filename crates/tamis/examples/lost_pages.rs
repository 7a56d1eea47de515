//! Counts the unique pages that a crawl loses to learnt rules, on webs made at random.
//!
//! ```text
//! cargo run --release -p tamis --example lost_pages -- [WEBS] [SITES] [RULE]
//! ```
//!
//! `WEBS` webs (100) of `SITES` sites (20) are crawled in memory, without a topic and without a
//! delay. `RULE` is what learnt rules may do: `auto`, `off`, `hold-back` or `refuse`. For each web it
//! prints the unique texts that can be reached, those of which no copy was fetched, the requests, and
//! what the report says may be lost; at the end the sums, and in how many webs the report's bound
//! covers the truth.

use std::sync::Arc;

use config::LearntRule;
use tamis::{Crawl, CrawlConfig, Span};
use testweb::random::random;

/// What came of one web.
#[derive(Default)]
struct Found {
    reachable: usize,
    lost: usize,
    requests: usize,
    refused: u64,
    at_most: u64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let webs: u64 = arguments.next().map_or(Ok(100), |webs| webs.parse())?;
    let sites: usize = arguments.next().map_or(Ok(20), |sites| sites.parse())?;
    let rule = arguments.next().unwrap_or_else(|| "auto".into());
    println!("web\treachable\tlost\trequests\trefused\tlost at most");
    let (mut sum, mut covered) = (Found::default(), 0);
    for seed in 0..webs {
        let found = crawl(seed, sites, &rule)?;
        let Found {
            reachable,
            lost,
            requests,
            refused,
            at_most,
        } = found;
        println!("{seed}\t{reachable}\t{lost}\t{requests}\t{refused}\t{at_most}");
        covered += u64::from(lost as u64 <= at_most);
        sum.reachable += reachable;
        sum.lost += lost;
        sum.requests += requests;
        sum.refused += refused;
    }
    println!(
        "{webs} webs: {} unique texts reachable, {} lost ({:.2} in 10,000), {} requests, {} URLs \
         refused by learnt rules; the bound covers the truth in {covered}",
        sum.reachable,
        sum.lost,
        sum.lost as f64 * 10_000.0 / sum.reachable as f64,
        sum.requests,
        sum.refused,
    );
    Ok(())
}

fn crawl(seed: u64, sites: usize, rule: &str) -> Result<Found, Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let random = random(seed, sites);
    let rule = match rule {
        "auto" => LearntRule::Auto,
        "off" => LearntRule::Off,
        "hold-back" => LearntRule::HoldBack,
        "refuse" => LearntRule::Refuse,
        other => return Err(format!("{other:?} is none of auto, off, hold-back, refuse").into()),
    };
    let mut config = CrawlConfig::default();
    config.dedup.idle_parameters = rule;
    config.dedup.predicted_duplicates = rule;
    config.agent.contact = "https://example.org/about".into();
    config.network.allow_private = true;
    config.politeness.delay = Span::parse("0ms")?;
    config.politeness.connections_per_host = 4;
    config.crawl.random_seed = seed;
    let mut crawl = Crawl::new(config)
        .dir(dir.path().join("crawl"))
        .fetch(Arc::new(random.web.clone()));
    for seed in &random.seeds {
        crawl = crawl.seed(seed)?;
    }
    let report = crawl.run()?.report()?;
    for text in random.lost() {
        eprintln!("lost: {text}");
    }
    Ok(Found {
        reachable: random.texts().len(),
        lost: random.lost().len(),
        requests: random.web.log().len(),
        refused: report.learnt.refused,
        at_most: report.learnt.lost_at_most,
    })
}
