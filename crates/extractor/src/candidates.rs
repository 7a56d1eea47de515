//! Several opinions on where the main content is, all from the same arrays.
//!
//! Each way of looking fails where another succeeds: scoring containers loses pages whose content
//! is in many blocks, trusting `<article>` loses pages that wrap every teaser in one, cutting
//! boilerplate loses pages with unusual names. So each gives its opinion, cheaply, and the judge
//! hears them all for each run.

pub(crate) mod container;
pub(crate) mod max_subsequence;
pub(crate) mod repeated_units;
pub(crate) mod semantic_elements;
