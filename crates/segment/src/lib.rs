//! Text to words, Chinese included: the only definition of a word.
//!
//! The fingerprint, the topic model and the search index must agree on what a word is, or a page
//! that was dropped as a copy could not be found under the words of the page it copies. So there
//! is one segmenter, and everybody asks it.
//!
//! ```text
//! source text ──fold──► folded text ──runs by script──► words, each with its place in the source
//!              NFKC, lower case,       Han: jieba       hash: xxh3_64 of the folded word
//!              traditional→simplified  kana, hangul,
//!                                      thai: bigrams
//!                                      rest: UAX 29
//! ```
//!
//! Pure: no clock, file, socket or thread; no input makes it fail.

mod fold;
mod language;
mod script;
mod segmenter;
mod simplified;
mod simplified_table;
mod words;

pub use fold::fold;
pub use language::{Language, language};
pub use script::Script;
pub use segmenter::{SEGMENT_SCHEME, Segmenter};
pub use words::{Word, Words};
