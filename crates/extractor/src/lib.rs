//! Bytes to a page: charset, main content, metadata, links, directives.
//!
//! Pure and total: no clock, socket or file, and no input is an error. Broken markup makes a poor
//! [`Page`], never an `Err` and never a panic.

pub mod blocks;
mod bomb;
mod decode;
mod directives;
mod dom;
mod extract;
mod links;
pub mod page;

pub use bomb::DomLimits;
pub use decode::{Decoded, EncodingSource, decode};
pub use extract::extract;
pub use links::{PageLinks, page_links, resolve};
pub use page::{Block, Directives, Link, LinkKind, ListItem, Page, PageContext, PageType, Refresh};
