//! The field's other ways to find near-duplicates, so that ours can be compared with them.
//!
//! Nothing here is on a crawl's path: a crawl has one fingerprint, one index and one rule, and
//! they are in `simhash`. Here is what stands in the literature beside them, each in its plainest
//! form and each checked against the others: a user can see on their own data what they win.
//!
//! Modules in reading order: [`lookup`] (near fingerprints in a list), [`detector`] (whole methods:
//! [`imatch`], [`shingles`], [`spotsigs`]), [`features`] (what a fingerprint is made of, with
//! [`feature_hash`], [`han`], `stop_words` and [`lexicon`]), [`overlapping`] (sets that share most
//! of their elements), [`measures`] (how alike two texts are).

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
