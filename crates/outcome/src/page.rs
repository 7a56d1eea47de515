//! What a page is, and how it resembles another.

use crate::names::names;

names! {
    /// What kind of page it is.
    pub enum PageType {
        /// One text: news, a blog post, an encyclopaedia entry.
        Article = "article",
        /// Posts by several people: a forum thread, questions and answers.
        Forum = "forum",
        /// One thing for sale.
        Product = "product",
        /// Many things for sale.
        Collection = "collection",
        /// Many links with a line or two each: a tag page, an index, search results.
        Listing = "listing",
        /// A manual, an API reference.
        Documentation = "documentation",
        /// A landing page that describes a service or an organisation in many short sections.
        Service = "service",
        /// The entrance of a site.
        FrontPage = "front_page",
        /// None of these, or too little to tell.
        Other = "other",
        /// No page of the site's own: it stands between the visitor and the page that was asked for;
        /// see [`crate::Wall`].
        Wall = "wall",
    }
}

impl PageType {
    /// Whether pages of this type are lists of links: they lead to pages rather than being ones.
    pub fn is_link_list(&self) -> bool {
        match self {
            Self::Listing | Self::FrontPage | Self::Collection => true,
            Self::Article
            | Self::Forum
            | Self::Product
            | Self::Documentation
            | Self::Service
            | Self::Other
            | Self::Wall
            | Self::Unknown(_) => false,
        }
    }
}

impl Default for PageType {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}

names! {
    /// How a duplicate resembles the page it repeats: whole or in part, in the same page layout or
    /// another.
    pub enum DuplicateKind {
        /// The whole text, in the same layout.
        FullLayout = "full_layout",
        /// The whole text, in another layout.
        FullContent = "full_content",
        /// Most of the text, in the same layout.
        PartialLayout = "partial_layout",
        /// Most of the text, in another layout.
        PartialContent = "partial_content",
    }
}

impl DuplicateKind {
    /// Whether the whole text is repeated.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::FullLayout | Self::FullContent => true,
            Self::PartialLayout | Self::PartialContent | Self::Unknown(_) => false,
        }
    }

    /// Whether the two pages have the same layout.
    pub fn has_same_layout(&self) -> bool {
        match self {
            Self::FullLayout | Self::PartialLayout => true,
            Self::FullContent | Self::PartialContent | Self::Unknown(_) => false,
        }
    }
}

names! {
    /// What was decided about a page and the kept page nearest to it.
    pub enum NeighbourDecision {
        /// It repeats that page.
        Duplicate = "duplicate",
        /// The fingerprints are near, but the sketches are not: it does not.
        Refuted = "refuted",
        /// They are not near enough to be called duplicates.
        Unconfirmed = "unconfirmed",
        /// This page was kept first, and gave its place to that one later. Made by exports; no
        /// record says it of itself.
        Replaced = "replaced",
    }
}

impl Default for DuplicateKind {
    fn default() -> Self {
        Self::Unknown("unknown".into())
    }
}

impl Default for NeighbourDecision {
    fn default() -> Self {
        Self::Unknown("".into())
    }
}
