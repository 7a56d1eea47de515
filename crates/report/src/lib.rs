//! Records to a crawl report: a fold, then rendering.
//!
//! Everything a user asks about a crawl afterwards is answered from its journal alone: what was
//! found, what was dropped and why, what went wrong, what it cost. A [`Tally`] reads the records
//! in order, one by one, with memory that does not grow with the text; [`Tally::report`] makes a
//! [`CrawlReport`] of it, plain data that is the JSON form, and the one source of the numbers in
//! the text and HTML forms, so the three cannot disagree.
//!
//! Beside the report stand the other questions to a journal: [`export()`] gives rows, [`Story`]
//! tells what happened to one URL, [`Comparison`] sets two crawls side by side, [`KeptSince`] counts what an
//! index lacks.
//!
//! Modules in reading order: [`fates`] holds where each URL is, [`tally`] the fold with its parts
//! `reasons`, `clock`, `delays`, [`hosts`], [`errors`], [`clusters`], [`found`], [`rights`], [`harvest`] with
//! [`breadth`], and [`histogram`],
//! [`figures`] the report as data, [`why_slow`] its one conclusion, [`nothing_read`] what to say when no page could be read; then [`text`] and [`html`] with
//! [`look`], `lines`, [`table`], [`words`] and [`difference`] below them; then [`mod@export`]
//! with [`mod@original`], [`explain`], [`compare`], [`changes`] and [`audit`].

pub mod audit;
pub mod breadth;
pub mod changes;
mod chinese;
pub mod clock;
pub mod clusters;
pub mod compare;
pub mod dead_forms;
mod delays;
pub mod difference;
pub mod errors;
pub mod explain;
pub mod export;
pub mod fates;
pub mod figures;
pub mod found;
pub mod harvest;
pub mod histogram;
pub mod hosts;
pub mod html;
mod kept_since;
mod languages;
mod learnt;
mod lines;
pub mod look;
pub mod nothing_read;
pub mod original;
mod reasons;
pub mod rights;
mod story;
pub mod table;
pub mod tally;
pub mod text;
pub mod texts;
mod walls;
pub mod why_slow;
pub mod words;

#[cfg(test)]
mod as_visited;
#[cfg(test)]
#[path = "../tests/journal/mod.rs"]
mod journal;

pub use compare::Comparison;
pub use explain::{Explainer, Mention, Story};
pub use export::{Filter, Format, Request, What, export, export_folder, export_with, original_of};
pub use figures::CrawlReport;
pub use kept_since::KeptSince;
pub use look::{Look, Tongue};
pub use story::why_stopped;
pub use tally::{Glance, Tally};
pub use texts::{body_places, text_places};
