//! What this crawl is about: how relevant a page is, how promising a link is.
//!
//! A crawl with a topic asks two questions all the time. *Was this page worth it?* is asked once
//! the page has been read, and is answered by [`Topic`] with a probability. *Which link next?* is
//! asked for every link before anything of its target is known, and is answered by the link model
//! from what the links' pages have taught so far.
//!
//! ```text
//!            words, title, URL, links            anchor, context, tag path, URL
//!                     │                                      │
//!                 PageTerms ──judge──► Relevance         LinkFeatures ──score──► priority
//!                     │                    │                  ▲                     │
//!                     └──── on_page ◄──────┘                  └── rescore_due ◄─────┘
//!                     (topic and link model learn, in journal order)
//! ```
//!
//! [`Focus`] holds everything a pipeline needs, in the order in which it must be called.
//! [`UrlDedupRules`] stands beside it: duplicates can be foreseen in a crawl without a topic too.
//!
//! Pure and deterministic: no clock, socket, file, thread or random device. The same records in
//! the same order give the same model, so the model needs no snapshot: it is a view over the
//! archive.

mod background;
mod descent;
mod focus;
mod keywords;
mod lately;
mod learn;
mod lexicon;
mod newton;
mod pages;
mod promise;
mod relevance;
mod scale;
pub mod simulate;
mod stop;
mod terms;
mod topic;
mod url_dedup_rules;

pub use focus::{Focus, FocusConfig, PageFate, PageOutcome};
pub use learn::{LinkModelConfig, LinkScore};
pub use promise::{LinkContext, LinkFeatures};
pub use relevance::Relevance;
pub use stop::{HarvestStop, StopConfig};
pub use terms::{KeywordPlaces, PageTerms, PageView};
pub use topic::{
    ExampleText, TermSource, Topic, TopicConfig, TopicError, TopicTerm, count_keywords,
};
pub use url_dedup_rules::{PredictedDuplicate, UrlDedupConfig, UrlDedupRules};
