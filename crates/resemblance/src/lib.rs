//! The field's other ways to find near-duplicates, so that ours can be compared with them.
//!
//! Nothing here is on a crawl's path: a crawl has one fingerprint, one index and one rule, and
//! they are in `simhash`. Here is what stands in the literature beside them, each in its plainest
//! form and each checked against the others: a user can see on their own data what they win.
//!
//! Modules in reading order: [`lookup`] (near fingerprints in a list).

pub mod lookup;
