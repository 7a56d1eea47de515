//! Other published methods to find near-duplicates, so that ours can be compared with them.
//!
//! A crawl does not use this crate: its fingerprint, index and rule are in `simhash`. Here are the
//! methods that the literature puts beside them, each in its simplest form and tested against the
//! others, so that users can compare them on their own data.
//!
//! Modules in reading order: [`lookup`] (the fingerprints of a list near one), [`detector`] (whole
//! methods: [`imatch`], [`shingles`], [`spotsigs`]), [`features`] (what a fingerprint is made of, with
//! [`feature_hash`], [`han`], `stop_words` and [`lexicon`]), [`overlapping`] (sets that share most of
//! their elements), [`measures`] (how alike two texts are).
//!
//! ```
//! use resemblance::measures::{Measures, Relation};
//!
//! let measures = Measures::of(&[1, 2, 3, 4, 5], &[1, 2, 3, 4, 5]);
//! assert_eq!((measures.jaccard, measures.relation()), (1.0, Relation::Same));
//! ```

pub mod detector;
pub mod feature_hash;
pub mod features;
pub mod han;
pub mod imatch;
pub mod lexicon;
pub mod lookup;
pub mod measures;
pub mod overlapping;
pub mod shingles;
pub mod spotsigs;
mod stop_words;

pub use stop_words::is_stop_word;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
