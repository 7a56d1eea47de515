//! The only crate that knows the order of the stages.
//!
//! ```text
//! SeedUrl -> FrontierUrl -> Lease -> Visit -> Finding -> Verdict -> Record -> (FrontierUrl again)
//! ```
//!
//! In reading order: [`crawl`] starts and stops everything; [`dispatch`] leases, [`visit`]
//! fetches, [`read`] reads, [`mod@write`] judges and records, [`publish`] makes searchable. [`views`]
//! brings the stores up to the archive at start, [`check`] asks whether all agree. [`control`] is how
//! a running crawl is asked and told, [`retry`] gives failed URLs another chance. [`config`] has
//! every choice and every limit.

pub mod check;
pub mod config;
pub mod config_file;
mod config_names;
pub mod context;
pub mod control;
pub mod convert;
pub mod counts;
pub mod cpu;
pub mod crawl;
pub mod dir;
pub mod dispatch;
pub mod error;
pub mod examples;
pub mod focus_view;
pub mod foresight;
pub mod kept;
mod offer;
pub mod progress;
pub mod publish;
pub mod read;
mod read_urls;
pub mod retry;
pub mod settings;
pub mod setup;
mod sitemaps;
pub mod stop;
pub mod template_view;
pub mod units;
pub mod views;
pub mod visit;
pub mod write;

pub use config::CrawlConfig;
pub use crawl::{Crawl, CrawlSummary, reason_in_words};
pub use dir::CrawlDir;
pub use error::CrawlError;
pub use progress::{Progress, Snapshot};
pub use stop::StopHandle;
