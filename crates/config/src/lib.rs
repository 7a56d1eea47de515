//! Every choice and every limit of a crawl, read from one TOML file.
//!
//! Each section of the file is one module below `sections`, which declares its keys once: type,
//! default, allowed values, unit, doc line. All else follows from the declaration: reading a file
//! and telling where it is wrong, the list of settings, the JSON Schema, the reference in `docs/`.
//! The same module makes of the section what the stages want (`FetchLimits`, `Rules`, ...), and
//! takes the defaults that are theirs from them, so that no number stands twice.
//!
//! ```text
//! TOML ──► Node tree with places ─┐                              ┌─► stages' configurations
//!                                 ├─► keys ─► CrawlConfig, checked ─► settings, journal, crawl.toml
//! JSON of the journal ──► Node ───┘      └─► schema, reference
//! ```
//!
//! To add a key: one declaration in its section's file, and its use. A doc line, a default and a
//! rule are part of it; `docs/configuration.md` is printed anew by `tamis config reference`.
//!
//! In reading order: `sections` has the keys and `crawl_config` all sections; [`units`] are
//! durations and sizes as people write them, `setting` the types that a key can have, `choice`
//! those that are one of a few names, `rule` which values are allowed, `key` and `section` what a
//! declaration gives. `node` is a file before its keys are looked at, `reading` looks at
//! them, `document` is the file after that, [`mod@file`] finds it, `problem` shows a mistake. `journal` records a configuration and reads
//! it back, [`settings`] lists it and tells what changed, `schema` and `reference`
//! describe it.

mod choice;
mod crawl_config;
mod document;
pub mod file;
mod journal;
mod key;
mod memory_shares;
mod node;
mod problem;
mod reading;
mod reference;
mod rule;
mod schema;
mod section;
mod sections;
mod setting;
pub mod settings;
mod shell;
pub mod units;

pub use crawl_config::CrawlConfig;
pub use document::Document;
pub use journal::Recorded;
pub use key::KeyFacts;
pub use memory_shares::MemoryShares;
pub use problem::ConfigProblem;
pub use reference::reference;
pub use rule::CountsFor;
pub use schema::schema;
pub use section::{SectionFacts, Shape};
pub use sections::*;
pub use shell::for_shell;
pub use sieve::Keep as KeepPolicy;
pub use units::{Rate, Size, Span};
