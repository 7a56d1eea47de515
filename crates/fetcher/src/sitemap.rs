//! Sitemaps.
use url::Url;
/// A sitemap.
#[derive(Debug, Clone, PartialEq)]
pub struct Sitemap {
    /// Kind.
    pub kind: SitemapKind,
    /// URLs.
    pub urls: Vec<SitemapUrl>,
    /// Why it ended early.
    pub stopped: Option<String>,
}
/// Kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SitemapKind {
    /// Pages.
    Urlset,
    /// Sitemaps.
    Index,
    /// Lines.
    Text,
    /// RSS.
    Rss,
    /// Atom.
    Atom,
}
/// A URL.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SitemapUrl {
    /// Location.
    pub loc: String,
    /// Last modification.
    pub lastmod: Option<String>,
    /// Change frequency.
    pub changefreq: Option<String>,
    /// Priority.
    pub priority: Option<f32>,
}
/// Error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SitemapError {
    /// Not one.
    #[error("not a sitemap")]
    NotSitemap,
}
impl Sitemap {
    /// Parses.
    pub fn parse(_bytes: &[u8], _base: Option<&Url>) -> Result<Self, SitemapError> {
        Err(SitemapError::NotSitemap)
    }
}
