//! Other orders over the pages of a crawl, from its records, without a network.
//!
//! ```text
//! records, texts ─► CrawlGraph ─► Simulation { curve of each strategy, of the oracle }
//!                   pages, links,  focus::simulate
//!                   clusters
//! ```
//!
//! The pages of a crawl with their links are a small closed web. Crate `focus` walks through it in
//! the order of a strategy; here the web is read from a journal, and what a strategy found is
//! counted. It is a crate of its own because it needs both what a record means to the topic model
//! (crate `state`) and nothing of a running crawl; the report, a fold over records alone, knows no
//! model.
//!
//! Modules in reading order: [`graph`] (records to pages and links), [`curve`] (what an order found,
//! page by page), [`simulation`] (strategies side by side). [`cluster`] knows no records: it is one crawl on
//! many machines, as a flow of pages.

pub mod cluster;
pub mod curve;
pub mod graph;
pub mod simulation;

pub use curve::{Curve, Found, Measure};
pub use graph::{CrawlGraph, LostExample};
pub use simulation::Simulation;
