//! Sitemaps and feeds: files that list URLs.

use fetcher::Sitemap;
use frontier::Lease;
use outcome::SitemapKind;
use state::finding::{Reading, SitemapReading};

use super::Reader;

impl Reader {
    /// Reads a feed; none for what is no feed, or names nothing.
    pub(super) fn read_feed(
        &self,
        bytes: &[u8],
        lease: &Lease,
        cut: Option<String>,
    ) -> Option<Reading> {
        let Reading::Sitemap(feed) = self.read_sitemap(bytes, lease, cut) else {
            return None;
        };
        let is_feed = matches!(
            feed.kind,
            SitemapKind::Rss | SitemapKind::Atom | SitemapKind::Json
        );
        (is_feed && !feed.urls.is_empty()).then_some(Reading::Sitemap(feed))
    }

    /// Reads a sitemap that another one named as a page; none for what is none by its root element.
    pub(super) fn read_listed(
        &self,
        bytes: &[u8],
        lease: &Lease,
        cut: Option<String>,
    ) -> Option<Reading> {
        let reading = self.read_sitemap(bytes, lease, cut);
        let is_sitemap = matches!(
            &reading,
            Reading::Sitemap(SitemapReading {
                kind: SitemapKind::Urlset | SitemapKind::Index,
                ..
            })
        );
        is_sitemap.then_some(reading)
    }

    /// Reads a sitemap; `cut` is why its bytes are not all there were.
    pub(super) fn read_sitemap(&self, bytes: &[u8], lease: &Lease, cut: Option<String>) -> Reading {
        match Sitemap::parse(bytes, Some(&lease.url().url.to_url())) {
            Ok(mut sitemap) => {
                if let Some(why) = cut {
                    sitemap.was_cut(why);
                }
                let kind = sitemap.kind.name().into();
                let mut problem = sitemap.stopped;
                let mut urls = Vec::new();
                for entry in sitemap.urls {
                    if urls.len() >= self.sitemap_urls_max {
                        problem.get_or_insert_with(|| {
                            format!(
                                "more than {} URLs: the rest is left out",
                                self.sitemap_urls_max
                            )
                        });
                        break;
                    }
                    let parsed = url::Url::parse(&entry.loc).ok();
                    if let Some(url) =
                        parsed.and_then(|url| self.canonicaliser.canonical(&url).ok())
                    {
                        urls.push((url, entry));
                    }
                }
                Reading::Sitemap(SitemapReading {
                    kind,
                    urls,
                    problem,
                })
            }
            Err(error) => Reading::Sitemap(SitemapReading {
                problem: Some(error.to_string()),
                ..SitemapReading::default()
            }),
        }
    }
}

/// Whether what was to be a sitemap is a list of URLs of some kind.
pub(super) fn is_list(reading: &Reading) -> bool {
    matches!(reading, Reading::Sitemap(list) if list.kind != SitemapKind::Unreadable)
}

/// Whether a content type is one that feeds come with.
pub(super) fn may_be_feed(content_type: &str) -> bool {
    content_type.ends_with("/xml")
        || content_type.ends_with("+xml")
        || matches!(content_type, fetcher::JSON_FEED | "application/json")
}
