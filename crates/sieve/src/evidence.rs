//! What is known of a page when it is judged.

use simhash::Neighbour;

/// What kind of thing an answer's body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// A page whose text was read.
    Page,
    /// Something else.
    Other,
}

/// The measures of one page, and its nearest kept neighbour.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// HTTP status of the answer.
    pub status: u16,
    /// What the body is.
    pub content: Content,
    /// A wall stands in the page's place.
    pub is_wall: bool,
    /// Words of the main text, as `segment` counts them, with what its host repeats.
    pub words: u32,
    /// The page allows to be indexed (meta robots, X-Robots-Tag).
    pub may_index: bool,
    /// The page reads like an error page; see [`crate::soft_404`].
    pub soft_404: bool,
    /// The page is a list of links: a front page, a tag page, search results.
    pub listing: bool,
    /// Language code; `None` when unknown.
    pub language: Option<String>,
    /// Probability that the page is about the topic; `None` without a topic.
    pub relevance: Option<f32>,
    /// The nearest kept page, duplicate or not.
    pub neighbour: Option<Neighbour>,
    /// The layout is (nearly) the neighbour's.
    pub same_layout: bool,
}
