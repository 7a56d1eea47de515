//! Words to a fingerprint and a sketch, and the index that finds a page's nearest kept neighbour.
//!
//! The fingerprint proposes, the sketch decides. A fingerprint is 64 bits that change little when
//! a text changes little; tables over its blocks find every kept page within a few bits. Few bits
//! apart is not the same text, so a sketch of the pages' word pairs confirms or refutes each
//! candidate, and the rule in [`rule`] says what follows, with its evidence.
//!
//! ```text
//! Words ──print──► TextPrint ──nearest──► Neighbour { distance, overlap, decision, reason }
//!                  fingerprint  tables      sketch      rule
//!                  sketch       (candidates)
//! ```
//!
//! Modules in reading order: [`hash`] (pinned, with vectors), [`fingerprint`], [`sketch`],
//! `print`, [`rule`], `memory` (the plain model that every index is tested against), [`layout`]
//! (which tables), `buckets`, `chains` and `bands` (the tables), `rows`, `block` and `store` (the
//! kept pages in RAM, packed, and on sled), `disk_tables` (the tables on sled), `table_index`.

mod bands;
mod block;
mod buckets;
mod chains;
mod disk_tables;
pub mod fingerprint;
pub mod hash;
pub mod layout;
mod memory;
mod neighbour;
mod print;
mod rows;
pub mod rule;
pub mod sketch;
mod store;
mod table_index;
mod tables;

pub use fingerprint::Fingerprint;
pub use layout::Layout;
pub use memory::MemoryIndex;
pub use neighbour::{Decision, Neighbour, Reason};
pub use print::{FINGERPRINT_SCHEME, TextPrint, print, print_hashes};
pub use sketch::{Sketch, SketchSize};
pub use table_index::{IndexConfig, IndexError, Memory, Opened, TableIndex, Tables};
