//! The only crate that knows the order of the stages.
//!
//! ```text
//! SeedUrl -> FrontierUrl -> Lease -> Visit -> Finding -> Verdict -> Record -> (FrontierUrl again)
//! ```
//!
//! In reading order: [`Crawl`] is a whole crawl, `run` its threads and `messages` what they tell
//! each other: `dispatch` leases (with `robots_moves`), `visit` fetches, `read` reads (on the threads
//! of `cpu`), `write` decides, records and applies, `publish` makes searchable. What is decided, and
//! what a record does, is in crate `state`; `views` brings its stores up to the archive at start, `memory` saves what is in memory alone
//! (in a `saved_file`),
//! [`check`] asks whether all agree. [`control`] is how a running crawl is asked and told, an [`Onlooker`] is handed its records, [`retry`]
//! gives failed URLs another chance, `node` shares a crawl with other machines, [`again`] chooses what is visited again. The crate [`config`] has every choice and every limit,
//! [`setup`] each stage's part of it.

pub mod again;
mod budgets;
pub mod check;
mod clock;
pub mod control;
mod cpu;
mod crawl;
mod dir;
mod disk;
mod dispatch;
mod error;
mod failpoint;
mod handles;
mod held;
mod memory;
mod messages;
mod narrate;
mod node;
mod onlooker;
pub mod progress;
mod publish;
mod read;
pub mod retry;
mod robots_moves;
mod robots_visit;
mod run;
mod saved_file;
pub mod setup;
mod stop;
pub mod upload;
mod views;
mod visit;
mod watchdog;
mod write;

pub use ::config;
pub use config::{CrawlConfig, file as config_file, settings, units};
pub use crawl::{Crawl, CrawlSummary, check_setup, check_start};
pub use dir::CrawlDir;
pub use error::CrawlError;
pub use messages::{Change, KeptPage};
pub use node::journals::{Bounds, Journals, Placed};
pub use node::note::{Messages, NodeNote};
pub use node::{
    Cluster, Connect, NodeName, audit, drain_of, is_node, name_copy, node_name, rebuild,
    unname_copy,
};
pub use onlooker::{Onlooker, Written};
pub use progress::{Progress, Snapshot};
pub use publish::OnChange;
pub use stop::StopHandle;
