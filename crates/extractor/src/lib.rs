//! Bytes to a page: charset, main content, metadata, links, directives.
//!
//! Pure and total: no clock, socket or file, and no input is an error. Broken markup makes a poor
//! [`Page`], never an `Err` and never a panic.

mod assemble;
mod attribution;
mod batch;
pub mod blocks;
mod bomb;
mod candidates;
mod dates;
mod decode;
mod directives;
mod dom;
mod extract;
mod features;
mod flat;
mod hints;
mod host;
mod judge;
mod layout;
mod links;
mod metadata;
pub mod page;
mod page_type;
mod quick;
mod signs;
mod structured;
mod sums;
mod tag;
mod tally;

pub use attribution::attribution;
pub use batch::{Answer, Request, answer, page_of_bytes};
pub use bomb::DomLimits;
pub use decode::{Decoded, EncodingSource, decode};
pub use extract::extract;
pub use host::{BlockKeys, HostTemplates};
pub use links::{PageLinks, page_links, resolve};
pub use page::{Block, Directives, Link, LinkKind, ListItem, Page, PageContext, PageType, Refresh};

/// What the trainer of the judge sees of a page.
#[doc(hidden)]
pub struct TrainingRows {
    /// Names of the features.
    pub names: Vec<&'static str>,
    /// The runs' texts.
    pub texts: Vec<String>,
    /// The runs' features, row after row.
    pub values: Vec<f32>,
}

/// Rows of features, for the trainer of the judge.
#[doc(hidden)]
pub fn training_rows(html: &str, url: &url::Url) -> TrainingRows {
    let dom = dom::parse(html, &bomb::DomLimits::default());
    let flat = flat::Flat::of(&dom.html);
    let survey = features::Survey::of(&flat);
    let structured = structured::Structured::read(&flat.json_ld);
    let features = features::compute(&flat, &survey, &structured, url);
    TrainingRows {
        names: features.names,
        values: features.values,
        texts: survey.texts,
    }
}
