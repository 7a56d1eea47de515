//! How relevant a page is: a probability and its reasons.

/// How relevant a page is to the topic.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Relevance {
    /// The probability that the page is about the topic, 0.0 to 1.0.
    pub probability: f32,
    /// What spoke for it (positive) and against it, strongest first.
    pub why: Vec<(String, f32)>,
}
