//! `<link>` and its relations: feeds, other languages, the next of a series, the canonical URL.

use ego_tree::NodeRef;
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;
use url::Url;

use super::{Collector, anchor_text};
use crate::dom::Attributes;
use crate::page::LinkKind;

/// The bytes of a `rel` attribute that are read.
const REL_BYTES_MAX: usize = 200;

impl<'c> Collector<'c> {
    /// Reads a `<link>`: the canonical URL and other forms of this page.
    pub(super) fn link_element(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        let Some(href) = element
            .attribute(&local_name!("href"))
            .filter(|href| !href.trim().is_empty())
        else {
            return;
        };
        let rel = rel_tokens(element.attribute(&local_name!("rel")).unwrap_or(""));
        let hreflang = element.attribute(&local_name!("hreflang"));
        let Some(mut kind) = kind_of_relation(&rel, hreflang.is_some()) else {
            return;
        };
        let type_ = element.attribute(&local_name!("type")).unwrap_or("");
        if matches!(kind, LinkKind::Alternate | LinkKind::Language) && is_feed_type(type_) {
            kind = LinkKind::Feed;
        }
        let Some(url) = self.join_page(href) else {
            return;
        };
        let title = anchor_text::squeezed(element.attribute(&local_name!("title")).unwrap_or(""));
        self.add_relation(kind, url, rel, Some(node), title);
    }

    pub(super) fn add_relation(
        &mut self,
        kind: LinkKind,
        url: Url,
        rel: String,
        node: Option<NodeRef<'_, Node>>,
        title: String,
    ) {
        if kind == LinkKind::Canonical {
            if self.canonical.is_some() {
                return;
            }
            self.canonical = Some(url.clone());
            if url == *self.context.url {
                return;
            }
        }
        let tag_path = self.tag_path(node.map(|node| node.id()));
        self.add(kind, url, rel, node.map(|node| node.id()), tag_path, title);
    }
}

/// The kind of link that these relations make, with a language beside them or without; `None` if they lead
/// to no page.
pub(super) fn kind_of_relation(rel: &str, has_language: bool) -> Option<LinkKind> {
    let has = |wanted: &str| rel.split(' ').any(|token| token == wanted);
    if has("canonical") {
        Some(LinkKind::Canonical)
    } else if has("stylesheet") {
        None
    } else if has("next") || has("prev") {
        Some(LinkKind::Series)
    } else if has("alternate") && has_language {
        Some(LinkKind::Language)
    } else if has("alternate") || has("amphtml") {
        Some(LinkKind::Alternate)
    } else {
        None
    }
}

/// Whether a content type is that of a feed.
fn is_feed_type(type_: &str) -> bool {
    let name = type_.split(';').next().unwrap_or("").trim();
    [
        "application/rss+xml",
        "application/atom+xml",
        "application/feed+json",
    ]
    .iter()
    .any(|feed| name.eq_ignore_ascii_case(feed))
}

/// The tokens of a `rel` attribute in lower case, separated by one blank.
pub(super) fn rel_tokens(rel: &str) -> String {
    if rel.is_empty() {
        return String::new();
    }
    let tokens: Vec<String> = crate::bounded::byte_prefix(rel, REL_BYTES_MAX)
        .split_ascii_whitespace()
        .map(str::to_ascii_lowercase)
        .collect();
    tokens.join(" ")
}
