//! Why a crawl did what it did with a URL, from its records.
//!
//! ```text
//! records ─► report::Explainer ─► Story: what happened
//!    └─────► Why                  why its turn came when it did, and its verdict: the topic's model
//!    └─────► LeftOut              why it was never admitted: the rules of the crawl
//! ```
//!
//! What happened to a URL stands in the records, and crate `report` tells it. Why it happened is
//! known to what decided it, which is made again here from the records: the model of the topic, the
//! scope and the budgets. So this crate stands above `state`, and above `report`, whose words it
//! uses.
//!
//! Modules in reading order: [`why`] and [`left_out`].

pub mod left_out;
pub mod why;

use frontier::{FrontierError, ScopeError, UrlError};

pub use left_out::LeftOut;
pub use why::Why;

/// Why a URL cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The topic of the configuration is wrong.
    #[error("[topic] {0}")]
    Topic(#[from] focus::TopicError),
    /// The scope of the configuration is wrong.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// A seed in the journal is none by the rules of this configuration.
    #[error("seed {url}: {error}")]
    Seed {
        /// The seed.
        url: String,
        /// What is wrong.
        error: UrlError,
    },
    /// The model could not be brought to where it was.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
}
