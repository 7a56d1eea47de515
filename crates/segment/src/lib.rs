//! Text to words, Chinese included: the only definition of a word.
//!
//! The fingerprint, the topic model and the search index must agree on what a word is. Otherwise a page
//! that was dropped as a copy could not be found by the words of the page that it copies. So all of
//! them use the one segmenter of this crate.
//!
//! ```
//! use segment::{Script, Segmenter, language};
//!
//! let words = Segmenter::shared().words("Linux 內核 6.1");
//! let texts: Vec<&str> = words.iter().map(|word| word.text).collect();
//! assert_eq!(texts, ["linux", "内核", "6.1"]);
//! assert_eq!(words.get(1).map(|word| word.script), Some(Script::Han));
//! let found = language("我们中出了一个叛徒。", None);
//! assert_eq!(found.map(|language| language.to_string()).as_deref(), Some("zh"));
//! ```
//!
//! ```text
//! source text ──fold──► folded text ──runs by script──► words, each with its range in the source
//!              NFKC, lower case,       Han: jieba       and the xxh3_64 of the folded word
//!              traditional→simplified  kana, hangul,
//!                                      thai: bigrams
//!                                      rest: UAX 29
//! ```
//!
//! The functions are pure: they use no clock, file, socket or thread, and no input makes them fail.

// A text to its folded form, to runs of one script, to words.
mod accents;
mod digits;
mod fold;
mod script;
mod segmenter;
mod signs;
mod simplified;
mod simplified_table;
mod words;

// The language of a text.
mod language;

// The forms of a word.
mod english;
mod tongue;

pub use accents::{without_accents, without_article};
pub use english::{are_english_look_alikes, english_forms, english_inflections};
pub use fold::fold;
pub use language::{Language, NotALanguage, language};
pub use script::Script;
pub use segmenter::{SEGMENT_SCHEME, Segmenter};
pub use signs::Signs;
pub use simplified::{ChineseScript, chinese_script};
pub use tongue::{Tongue, rests_of};
pub use words::{Word, Words};

/// The README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
