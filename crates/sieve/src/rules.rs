//! What the user wants kept.

/// The rules of the decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    /// Pages with fewer words are thin. Words as counted by `segment`, so 20 Chinese words are
    /// some 35 characters. Pages below it are menus, redirect notices and error texts.
    pub words_min: u32,
    /// Keep walls, as if they were pages.
    pub keep_walls: bool,
    /// Keep lists of links.
    pub keep_listings: bool,
    /// Obey a page's wish not to be indexed.
    pub obey_noindex: bool,
    /// Languages wanted; empty for all.
    pub languages: Vec<String>,
    /// Overlap from which two pages of one host are near-duplicates, 0.0 to 1.0; see
    /// [`crate::siblings`].
    pub overlap_same_host: f32,
    /// Least relevance of a page that is kept; `None` keeps off-topic pages.
    pub relevance_min: Option<f32>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            words_min: 20,
            keep_walls: false,
            keep_listings: true,
            obey_noindex: true,
            languages: Vec::new(),
            overlap_same_host: 0.85,
            relevance_min: None,
        }
    }
}
