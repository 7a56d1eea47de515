//! Crawls the demo web in memory and prints each page that is kept.
//!
//! `cargo run -p tamis --example crawl_demo_web`

use std::sync::Arc;

use tamis::{Crawl, CrawlConfig, Span};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir()?;
    let mut config = CrawlConfig::default();
    config.network.allow_private = true;
    config.politeness.delay = Span::parse("10ms")?;
    config.crawl.max_pages = 60;
    let mut crawl = Crawl::new(config)
        .dir(dir.path().join("crawl"))
        .fetch(Arc::new(testweb::demo::demo()))
        .on_page(|page| println!("{}\t{}", page.url, page.summary.title));
    for seed in testweb::demo::seeds() {
        crawl = crawl.seed(seed)?;
    }
    let finished = crawl.run()?;
    let totals = finished.report()?.totals;
    println!(
        "{}: {} of {} pages kept",
        finished.reason, totals.indexed, totals.finished
    );
    Ok(())
}
