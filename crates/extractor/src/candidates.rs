//! Several known methods to find the main content, each computed from the flat DOM.
//!
//! Each method fails on pages where another succeeds: scoring containers fails where the content is
//! in many blocks, and `<article>` elements mislead where every teaser is wrapped in one. So all of
//! them are computed, and their answers are features of each run, which the classifier weighs.

pub(crate) mod container;
pub(crate) mod max_subsequence;
pub(crate) mod repeated_units;
pub(crate) mod semantic_elements;
