//! A link before it is fetched: what is known of it, small enough to wait in a queue of millions.

use serde::{Deserialize, Serialize};
use url::Url;

/// A link as found on a page.
#[derive(Debug, Clone, Copy)]
pub struct LinkContext<'a> {
    /// Number of the page it stands on: the one given to `on_page` before; `None` for a seed.
    pub parent: Option<u32>,
    /// Where it points to.
    pub url: &'a Url,
    /// Anchor text.
    pub anchor: &'a str,
    /// Text around it.
    pub context: &'a str,
    /// Tag path, as in `html>body>ul.menu>li>a`.
    pub tag_path: &'a str,
    /// Whether it stands in the main content.
    pub in_main: bool,
}

/// What is kept of a pending link: at most some 200 bytes, scored again when the model has changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkFeatures {
    pub(crate) parents: Vec<u32>,
    pub(crate) parent_count: u32,
    pub(crate) anchor: Vec<u32>,
}

impl LinkFeatures {
    /// The features as bytes, for the frontier and the journal.
    pub fn to_bytes(&self) -> Vec<u8> {
        Vec::new()
    }

    /// The features from bytes; `None` when the bytes are not of this version.
    pub fn from_bytes(_bytes: &[u8]) -> Option<LinkFeatures> {
        Some(LinkFeatures::default())
    }

    /// Takes in the same URL as linked from another page.
    pub fn merge(&mut self, other: &LinkFeatures) {
        self.parent_count = self.parent_count.saturating_add(other.parent_count);
    }
}
