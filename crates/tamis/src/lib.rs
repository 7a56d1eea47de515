//! Tamis as a library: a focused crawl as a value.
//!
//! A [`Crawl`] is made of a configuration, told where to begin and what to do with each kept page,
//! and run. It is the crawl of the command line: polite, judged page by page, recorded in a
//! directory that `tamis report`, `tamis search` and the rest can read, and ready to be carried on
//! by running it again.
//!
//! ```no_run
//! use tamis::{Crawl, CrawlConfig};
//!
//! let mut config = CrawlConfig::default();
//! config.agent.contact = "https://example.org/about-our-crawler".into();
//! config.crawl.max_pages = 100;
//! let finished = Crawl::new(config)
//!     .dir("crawls/first")
//!     .seed("https://example.org/")?
//!     .on_page(|page| println!("{}\t{}", page.url, page.summary.title))
//!     .run()?;
//! println!("{} pages kept", finished.report()?.totals.indexed);
//! # Ok::<(), tamis::Error>(())
//! ```
//!
//! The stages are crates of their own, for those who want a part: `extractor` (bytes to a page),
//! `segment` (words), `simhash` (fingerprints and the table index), `frontier` (which URL next),
//! `fetcher` (one URL), `archive` (WARC and journal), `dedup` (a stream of documents).

mod crawl;

pub use config::{CrawlConfig, Size, Span};
pub use crawl::{Crawl, Error, Finished};
pub use fetcher::Fetch;
pub use outcome::{Outcome, StopReason, Verdict};
pub use pipeline::{Change, KeptPage, Snapshot, StopHandle};
pub use report::CrawlReport;
