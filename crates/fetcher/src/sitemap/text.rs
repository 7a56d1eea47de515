//! Plain text sitemaps: one URL per line. Other lines are skipped.

use url::Url;

use super::{Sitemap, SitemapError, SitemapKind, SitemapUrl, URLS_MAX, clean_loc};

pub(super) fn read(text: &str, base: Option<&Url>) -> Result<Sitemap, SitemapError> {
    let mut sitemap = Sitemap {
        kind: SitemapKind::Text,
        urls: Vec::new(),
        stopped: None,
    };
    let mut any_line = false;
    for line in text.split(['\r', '\n']).map(str::trim) {
        any_line |= !line.is_empty();
        if !is_web_url(line) {
            continue;
        }
        if sitemap.urls.len() >= URLS_MAX {
            sitemap.stopped = Some(format!("more than {URLS_MAX} URLs"));
            break;
        }
        if let Some(loc) = clean_loc(line, base) {
            sitemap.urls.push(SitemapUrl {
                loc,
                ..SitemapUrl::default()
            });
        }
    }
    // An empty file is an empty list; a file without any URL among its lines is no sitemap.
    if any_line && sitemap.urls.is_empty() {
        return Err(SitemapError::NotSitemap);
    }
    Ok(sitemap)
}

/// Whether a line is an absolute web URL. A relative one cannot be distinguished from other text.
fn is_web_url(line: &str) -> bool {
    let scheme = |prefix: &str| {
        line.get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
    };
    (scheme("http://") || scheme("https://")) && !line.contains(char::is_whitespace)
}
