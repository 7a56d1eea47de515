//! Full-text search over the kept pages, with our words.
//!
//! The index is a view of the archive: it remembers the journal position it has reached, so it can be
//! thrown away and built again from the records. Words are those of `segment`, which
//! near-duplicate detection uses as well. Chinese is also found where the text was cut into other
//! words than the query (see `tokenizer`), and traditional characters find simplified ones and the
//! other way round.
//!
//! ```
//! use index::{Document, PageIndex};
//!
//! let dir = tempfile::tempdir()?;
//! let (mut pages, opened) = PageIndex::open(dir.path())?;
//! assert_eq!(opened.position, 0);
//! pages.add(&Document {
//!     seq: 1,
//!     url: "http://a.example/",
//!     host: "a.example",
//!     title: "分布式数据库",
//!     text: "数据库把一张表分成许多片。",
//!     lang: "zh",
//!     ..Document::default()
//! })?;
//! pages.commit(42)?;
//!
//! let hits = index::search(dir.path(), "數據庫 -英文", 10, &index::Filters::default())?;
//! assert_eq!(hits[0].url, "http://a.example/");
//! assert_eq!(hits[0].snippet.marked("[", "]"), "[数据库]把一张表分成许多片。");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// Writing.
mod damage;
mod directory;
mod forms;
mod page_index;
mod schema;
mod tokenizer;

// Searching.
mod exclusion;
mod hints;
mod phrase;
mod query;
mod query_plan;
mod search;
mod snippet;
mod spelling;
mod stop_words;

mod error;

pub use error::IndexError;
pub use hints::Hint;
pub use page_index::{Document, HEAP_BYTES, HEAP_BYTES_LEAST, Opened, PageIndex};
pub use search::{Filters, Found, Hit, Searcher, search};
pub use snippet::Snippet;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
