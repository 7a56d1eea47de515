//! Bytes to a page: charset, main content, metadata, links, directives.
//!
//! Pure and total: no clock, socket or file, and no input is an error. Broken markup makes a poor
//! [`Page`], never an `Err` and never a panic.
//!
//! ```
//! use extractor::{BlockKeys, HostTemplates, PageContext, decode, extract};
//!
//! let body = b"<title>Flood takes bridge | Planet</title><nav><a href=/>Home</a></nav>\
//!     <h1>Flood takes bridge</h1><p>The river rose again on Thursday night, and took the old \
//!     stone bridge, which had stood for two hundred years.</p>";
//! let url = url::Url::parse("https://planet.example/2021/03/05/flood")?;
//! let decoded = decode(body, Some("text/html"), None);
//! let mut page = extract(&decoded.text, &PageContext::new(&url));
//! assert_eq!(page.title.as_deref(), Some("Flood takes bridge"));
//! assert_eq!(page.published.as_deref(), Some("2021-03-05"));
//! assert!(page.text.contains("The river rose") && !page.text.contains("Home"));
//!
//! // A crawler that sees many pages of a host can cut what they share.
//! let mut templates = HostTemplates::new();
//! let keys = BlockKeys::of(&page);
//! templates.trim("planet.example", &keys, &mut page);
//! templates.observe("planet.example", &keys);
//! # Ok::<(), url::ParseError>(())
//! ```
//!
//! A page goes through the modules in this order:
//!
//! 1. `decode`: bytes to text.
//! 2. `tokenizer` and `dom`: text to a tree, within the bounds of `parse_limits`.
//! 3. `flat_dom`: the tree as arrays of elements and of text runs.
//! 4. `candidates`: several methods that each find the main content, gathered in `survey`.
//! 5. `features`: what is known of each run, as numbers.
//! 6. `classifier`: which runs are content.
//! 7. `assemble` and `blocks`: the chosen runs as headings, paragraphs, lists, tables and code, written by
//!    `blocks_markdown` and `blocks_html`.
//!    `carried`: texts that a page has outside its visible text, where that is lacking.
//!    `closings`: its last lines that say what to do with the page.
//! 8. `metadata`, `links`, `directives`, `layout`, `page_type`, `walls`: everything else that a [`Page`]
//!    has.
//!
//! `markdown` takes a text in Markdown the same way, all of it as content.

mod assemble;
mod attribution;
pub mod blocks;
mod blocks_html;
mod blocks_markdown;
mod bounded;
mod candidates;
mod carried;
mod char_counts;
mod class_hints;
mod classifier;
mod closings;
mod dates;
mod decode;
mod directives;
mod dom;
mod extract;
mod features;
mod flat_dom;
mod formulas;
mod front_matter;
mod host_templates;
mod json;
mod jsonl;
mod layout;
mod line_markers;
mod line_numbers;
mod links;
mod markdown;
mod markdown_text;
mod metadata;
mod microdata;
mod own_text;
mod page;
mod page_type;
mod parse_limits;
mod plain_text;
mod prefix_sums;
mod shingles;
mod stated_url;
mod structured;
mod survey;
mod tag;
mod titles;
mod tokenizer;
#[doc(hidden)]
pub mod training;
mod verbatim;
mod walls;
mod whitespace;

pub use attribution::attribution;
pub use blocks::{Block, CellSpan, ListItem};
pub use dates::{is_month, is_weekday, month_number};
pub use decode::{Decoded, EncodingSource, decode, decode_rich};
pub use extract::{all_text, extract};
pub use host_templates::{BlockKeys, Cut, HostTemplates};
pub use jsonl::{extract_json_line, page_of_bytes};
pub use links::{PageLinks, page_links};
pub use markdown::extract_markdown;
pub use page::{
    AddedText, Directives, Link, LinkKind, Page, PageContext, PageType, Refresh, TextSource,
    WallDoubt,
};
pub use parse_limits::DomLimits;
pub use plain_text::{extract_text, title_of_marked_text, title_of_text};
pub use walls::is_said_by_walls;
