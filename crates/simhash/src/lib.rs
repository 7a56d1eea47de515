//! Words to a fingerprint and a sketch, and the index that finds a page's nearest kept neighbour.
//!
//! The fingerprint proposes, the sketch decides. A fingerprint is 64 bits that change little when
//! a text changes little; tables over its blocks find every kept page within a few bits, and of the
//! thousands that are of one form the newest. Few bits apart is not the same text, so a sketch of the
//! pages' word pairs confirms or refutes each candidate, and the rule in [`rule`] says what follows, with
//! its evidence.
//!
//! ```text
//! Words ──print──► TextPrint ──nearest──► Neighbour { distance, overlap, decision, reason }
//!                  fingerprint  tables      sketch      rule
//!                  sketch       (candidates)
//! ```
//!
//! A library that only wants to know whether texts repeat each other needs no store:
//!
//! ```
//! use segment::Segmenter;
//! use simhash::{Decision, IndexConfig, TableIndex};
//!
//! # fn main() -> Result<(), simhash::IndexError> {
//! let mut index = TableIndex::in_memory(&IndexConfig::default())?;
//! let print = |text: &str| simhash::print(&Segmenter::shared().words(text));
//! index.insert(1, &print("The quick brown fox jumps over the lazy dog."))?;
//! let near = index.nearest(&print("the quick, brown fox jumps over the lazy dog"))?;
//! assert!(near.is_some_and(|near| near.page == 1 && near.decision == Decision::Duplicate));
//! assert_eq!(index.nearest(&print("Quite another text, about rivers and stones."))?, None);
//! # Ok(())
//! # }
//! ```
//!
//! Modules in reading order: [`hash`] (pinned, with vectors), `fingerprint`, `sketch`, `print`,
//! [`rule`], `linear_index` (the plain model that every index is tested against), [`layout`] (which
//! tables), `segments`, `links`, `chains` and `bands` (the tables), `rows`, `block` and `store` (the kept
//! pages in RAM, packed, and stored), `disk_tables` (tables in the store), `table_index`.

mod bands;
mod block;
mod chains;
mod disk_tables;
mod fingerprint;
pub mod hash;
pub mod layout;
mod linear_index;
mod links;
mod neighbour;
mod print;
mod rows;
pub mod rule;
mod segments;
mod series;
mod sketch;
mod store;
mod table_index;
mod tables;

pub use fingerprint::{Fingerprint, NotAFingerprint};
pub use layout::Layout;
pub use linear_index::LinearIndex;
pub use neighbour::{Decision, Neighbour, Reason};
pub use print::{FINGERPRINT_SCHEME, TextPrint, print, print_hashes};
pub use sketch::{Sketch, SketchSize};
pub use store::{Bytes, DiskPrintStore, MemoryPrintStore, PrintStore, StoreError, StoredRow};
pub use table_index::{IndexConfig, IndexError, Memory, Opened, TableIndex, Tables};
