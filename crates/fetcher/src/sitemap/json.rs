//! JSON Feed 1.0 and 1.1 (<https://www.jsonfeed.org/version/1.1/>).

use serde::Deserialize;
use url::Url;

use super::{Sitemap, SitemapError, SitemapKind, SitemapUrl, URLS_MAX, clean_loc};

/// What the version of each JSON Feed begins with, behind `https` or `http`.
const VERSION: &str = "://jsonfeed.org/version/";

#[derive(Deserialize)]
struct Feed {
    version: String,
    #[serde(default)]
    items: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// The page; a link blog's own note may have none, and leads to another's page alone.
    url: Option<String>,
    external_url: Option<String>,
    date_modified: Option<String>,
    date_published: Option<String>,
}

pub(super) fn read(text: &str, base: Option<&Url>) -> Result<Sitemap, SitemapError> {
    // A file of another kind is not gone through.
    let is_named = text.contains("jsonfeed.org");
    let feed = is_named.then(|| serde_json::from_str::<Feed>(text).ok());
    let feed = feed.flatten().ok_or(SitemapError::NotSitemap)?;
    if !feed.version.contains(VERSION) {
        return Err(SitemapError::NotSitemap);
    }
    let entries = feed.items.into_iter().filter_map(|item| {
        let loc = item.url.or(item.external_url)?;
        let dated = item.date_modified.or(item.date_published);
        Some(SitemapUrl {
            loc: clean_loc(&loc, base)?,
            lastmod: dated.filter(|date| date.len() <= 100),
            ..SitemapUrl::default()
        })
    });
    let mut urls: Vec<SitemapUrl> = entries.take(URLS_MAX + 1).collect();
    let stopped = (urls.len() > URLS_MAX).then(|| format!("more than {URLS_MAX} URLs"));
    urls.truncate(URLS_MAX);
    Ok(Sitemap {
        kind: SitemapKind::Json,
        urls,
        stopped,
    })
}
