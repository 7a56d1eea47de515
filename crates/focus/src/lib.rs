//! What a crawl is about: how relevant a page is, which link to follow next, when to stop.
//!
//! A crawl with a topic asks two questions all the time. *Was this page worth its fetch?* is asked once
//! the page has been read, and is answered by [`Topic`] with a probability. *Which link next?* is asked
//! for every link before anything of its target is known, and is answered by [`Focus::score`] from what
//! earlier links have led to.
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
//! [`Focus`] holds everything a pipeline needs, in the order in which it must be called. [`simulate`]
//! runs it over the pages of a finished crawl. [`UrlDedupRules`] stands beside it: it predicts
//! duplicates from their URLs, in a crawl without a topic too.
//!
//! Everything here is pure and deterministic: no clock, socket, file, thread or source of randomness.
//! The same records in the same order give the same model: it is a view of the archive. What was learnt
//! can be saved, so that not all records must be read again. `CONSTANTS.md` lists every number that was chosen on data.

mod focus;

// The topic: what the user gave, and a page as the topic sees it.
mod common_words;
mod inflections;
mod keyword_score;
mod keyword_word;
mod keywords;
mod one_character;
mod page_terms;
mod shelves;
mod topic;
mod topic_config;

// Relevance of a page.
mod calibration;
mod page_classifier;
mod page_form;
mod sgd;
mod sparse_vectors;
mod term_table;

// Score of a link.
mod answers;
mod example_places;
mod experts;
mod feature_cache;
mod fetched_pages;
mod link_features;
mod link_groups;
mod link_model;
mod link_words;
mod logistic_newton;
mod signals;

// When to stop, which URLs repeat others, other orders over the same pages.
mod outlook;
pub mod simulate;
mod stop;
mod url_dedup_rules;

// Used by several of the above.
mod hashing;
mod logistic;
mod saved;
mod url_parts;

pub use focus::{Focus, FocusConfig, PageFate, PageOutcome};
pub use link_features::{LinkContext, LinkFeatures};
pub use link_model::{LinkModelConfig, LinkScore, PageAhead, Promise};
pub use outlook::{Expected, HarvestOutlook};
pub use page_classifier::Relevance;
pub use page_terms::{KeywordPlaces, PageTerms, PageView};
pub use stop::{HarvestShare, HarvestStop, StopConfig};
pub use topic::{TermSource, Topic, TopicTerm, count_keywords, keyword_doubts};
pub use topic_config::{ExampleText, TopicConfig, TopicError};
pub use url_dedup_rules::language::is_of_language;
pub use url_dedup_rules::{PredictedDuplicate, UrlDedupConfig, UrlDedupRules};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
