//! The links of a page, canonical, each URL once with all places where it stands.

use extractor::{LinkKind, Page};
use state::finding::{FoundLink, LinkPlace};
use xxhash_rust::xxh3::xxh3_64;

use super::Reader;

/// Longest anchor text kept, in characters.
const ANCHOR_CHARS_MAX: usize = 120;

impl Reader {
    /// The page's links, canonical, each URL once; so many feeds that it names are among them.
    pub(super) fn links(&self, page: &mut Page, mut feeds_left: usize) -> Vec<FoundLink> {
        let count = page.links.len().min(self.links_max);
        let mut seen = std::collections::HashMap::with_capacity(count);
        let mut links: Vec<FoundLink> = Vec::with_capacity(count);
        for link in std::mem::take(&mut page.links) {
            if links.len() >= self.links_max {
                page.limits_hit.push("links_per_page");
                break;
            }
            let is_left_out = match link.kind {
                LinkKind::Alternate => true,
                LinkKind::Feed => feeds_left == 0,
                LinkKind::A
                | LinkKind::Area
                | LinkKind::Frame
                | LinkKind::Iframe
                | LinkKind::Refresh
                | LinkKind::Canonical
                | LinkKind::Series
                | LinkKind::Language => false,
            };
            if is_left_out {
                continue;
            }
            feeds_left -= usize::from(link.kind == LinkKind::Feed);
            let canonical = self.canonicaliser.canonical(&link.url);
            let key = match &canonical {
                Ok(url) => url.key(),
                Err(_) => u128::from(xxh3_64(link.url.as_str().as_bytes())),
            };
            let place = LinkPlace {
                anchor: cut(link.anchor),
                context: link.context,
                tag_path: link.tag_path,
                in_main: link.in_main,
            };
            if let Some(&at) = seen.get(&key) {
                let known: &mut FoundLink = &mut links[at];
                known.again(&link.rel, link.nofollow, place);
                continue;
            }
            seen.insert(key, links.len());
            links.push(FoundLink {
                target: canonical
                    .map_err(|error| (link.url.as_str().chars().take(256).collect(), error.fate())),
                rel: link.rel,
                nofollow: link.nofollow,
                places: vec![place],
            });
        }
        links
    }
}

/// An anchor text, cut to what is kept of it.
pub(super) fn cut(mut anchor: String) -> String {
    if let Some((end, _)) = anchor.char_indices().nth(ANCHOR_CHARS_MAX) {
        anchor.truncate(end);
    }
    anchor
}
