//! The links of a page with their anchor text and context, its canonical URL, base and refresh, and
//! the resources that it loads.
//!
//! The tree is walked once in document order. The walk appends the page's text to one buffer, and each
//! link remembers the range of its anchor text in it. Anchor texts and contexts are cut out of the
//! buffer afterwards. So the cost does not multiply with the number of links.
//!
//! Links are the elements that a reader can follow (`a`, `area`, `frame`, `iframe`), refreshes,
//! relations to other forms of the page (canonical, alternate, next, prev), and what one plain statement of
//! a script leads to (`onclick`, `javascript:`, a menu that jumps), which has the relation `script`. Only http and https URLs
//! count. References are resolved by the WHATWG URL standard against the first `<base href>`.

mod anchor_text;
mod forwarding;
mod link_header;
mod refresh;
mod relations;
mod resources;
mod scripted;
mod tag_path;

use ego_tree::iter::Edge;
use ego_tree::{NodeId, NodeRef};
use encoding_rs::Encoding;
use html5ever::{LocalName, local_name};
use rustc_hash::FxHashMap;
use scraper::node::Element;
use scraper::{Html, Node};
use url::Url;
use weburl::resolve_in;
use xxhash_rust::xxh3::xxh3_64;

use crate::dom::Attributes;
use crate::page::{Directives, Link, LinkKind, PageContext, Refresh};
use anchor_text::TextStream;
use relations::{kind_of_relation, rel_tokens};
use tag_path::TagPath;

/// The most links of a page. Real pages stay below 2,000; sitemaps in HTML reach 10,000.
const LINKS_MAX: usize = 10_000;

/// The most resources of a page.
const RESOURCES_MAX: usize = 2_000;

/// The most bytes of a URL, before and after resolving. Without this bound a long `<base>` and many
/// short references would multiply to gigabytes. Browsers and servers stop at 8 KB or earlier.
const URL_BYTES_MAX: usize = 8 * 1024;

/// The most links of a page to which scripts lead.
const SCRIPTED_MAX: usize = 500;

/// The relation of a link to which a script leads.
const SCRIPT_REL: &str = "script";

/// A page's links and directives, without its content.
#[derive(Debug, Clone, PartialEq)]
pub struct PageLinks {
    /// The URL that relative references resolve against.
    pub base: Url,
    /// The URL the page calls its canonical one.
    pub canonical: Option<Url>,
    /// A refresh that leads elsewhere.
    pub refresh: Option<Refresh>,
    /// The page's robots directives.
    pub directives: Directives,
    /// Links in document order, those of headers last; none is marked as main content.
    pub links: Vec<Link>,
    /// Images, scripts, style sheets and media, each once.
    pub resources: Vec<Url>,
    /// The limits that were met, by name.
    pub limits_hit: Vec<&'static str>,
}

/// Reads a page's links and directives, without looking for its content.
///
/// ```
/// use extractor::{PageContext, page_links};
/// let url = url::Url::parse("https://example.org/a/").unwrap();
/// let page = page_links("<p>See <a href=b rel=nofollow>page b</a>.", &PageContext::new(&url));
/// assert_eq!(page.links[0].url.as_str(), "https://example.org/a/b");
/// assert_eq!((page.links[0].anchor.as_str(), page.links[0].nofollow), ("page b", true));
/// ```
pub fn page_links(html: &str, context: &PageContext<'_>) -> PageLinks {
    let dom = crate::dom::parse(html, context.limits);
    let found = links(&dom.html, context);
    let mut limits_hit = dom.limits_hit;
    limits_hit.extend(found.limits_hit);
    PageLinks {
        base: found.base,
        canonical: found.canonical,
        refresh: found.refresh,
        directives: crate::directives::directives(&dom.html, context),
        links: found.links,
        resources: found.resources,
        limits_hit,
    }
}

/// What [`links`] found in a tree.
pub(crate) struct FoundLinks {
    pub base: Url,
    pub canonical: Option<Url>,
    pub refresh: Option<Refresh>,
    pub links: Vec<Link>,
    /// The element of each link; `None` for one from a header.
    pub nodes: Vec<Option<NodeId>>,
    pub resources: Vec<Url>,
    /// `links`, `resources`, `url_bytes`.
    pub limits_hit: Vec<&'static str>,
}

/// The links of a parsed page.
pub(crate) fn links<'c>(html: &'c Html, context: &'c PageContext<'c>) -> FoundLinks {
    let mut collector = Collector::new(html, context);
    collector.refresh_header();
    collector.walk(html);
    collector.script_refresh();
    collector.link_headers();
    collector.finish()
}

struct Collector<'c> {
    context: &'c PageContext<'c>,
    encoding: &'static Encoding,
    base: Url,
    canonical: Option<Url>,
    /// Whether a refresh was found: only the first counts, even if it only reloads the page.
    has_refresh: bool,
    refresh: Option<Refresh>,
    links: Vec<Link>,
    nodes: Vec<Option<NodeId>>,
    /// The range of each link's anchor text in `text`.
    spans: Vec<(usize, usize)>,
    /// The links that are open at this point of the walk: index and element.
    open: Vec<(usize, NodeId)>,
    /// The elements that are open at this point of the walk.
    path: TagPath<'c>,
    text: TextStream,
    resources: Vec<Url>,
    /// The index in `resources` of the latest URL with each hash.
    seen_resources: FxHashMap<u64, u32>,
    limits_hit: Vec<&'static str>,
    /// Links to which scripts lead.
    scripted: usize,
    /// The menu that is open at this point of the walk, if its script leads to what is chosen.
    menu: Option<NodeId>,
    /// The scripts that stand on the page by themselves.
    scripts: Vec<(&'c str, NodeId)>,
    /// What the page runs when all of it is there.
    onload: Option<(&'c str, NodeId)>,
}

impl<'c> Collector<'c> {
    fn new(html: &Html, context: &'c PageContext<'c>) -> Collector<'c> {
        let encoding =
            Encoding::for_label(context.encoding.as_bytes()).unwrap_or(encoding_rs::UTF_8);
        let mut collector = Collector {
            context,
            encoding,
            base: context.url.clone(),
            canonical: None,
            has_refresh: false,
            refresh: None,
            links: Vec::new(),
            nodes: Vec::new(),
            spans: Vec::new(),
            open: Vec::new(),
            path: TagPath::default(),
            text: TextStream::default(),
            resources: Vec::new(),
            seen_resources: FxHashMap::default(),
            limits_hit: Vec::new(),
            scripted: 0,
            menu: None,
            scripts: Vec::new(),
            onload: None,
        };
        if let Some(base) = collector.first_base(html) {
            collector.base = base;
        }
        collector
    }

    /// The URL of the first `<base>` with a `href`, wherever it stands. If that does not resolve, the
    /// page has no base: later ones do not count.
    fn first_base(&mut self, html: &Html) -> Option<Url> {
        let is_base = |node: &Node| {
            node.as_element().is_some_and(|element| {
                element.name.local == local_name!("base")
                    && is_html(element)
                    && element.attribute(&local_name!("href")).is_some()
            })
        };
        // Most pages have none, and scanning the nodes in storage order is faster than a walk.
        if !html.tree.values().any(is_base) {
            return None;
        }
        let node = html.tree.root().descendants().find(|node| {
            is_base(node.value()) && !node.ancestors().any(|ancestor| is_inert(ancestor))
        })?;
        let href = node.value().as_element()?.attribute(&local_name!("href"))?;
        let base = self.join_url(href)?;
        // HTML standard, "set the frozen base URL": no base may be data or script.
        let is_usable = !matches!(base.scheme(), "data" | "javascript");
        is_usable.then_some(base)
    }

    fn walk(&mut self, html: &'c Html) {
        // The open `<template>`, if the walk is inside one: nothing in it is content.
        let mut inert: Option<NodeId> = None;
        for edge in html.tree.root().traverse() {
            match edge {
                Edge::Open(node) if inert.is_none() => {
                    if is_inert(node) {
                        inert = Some(node.id());
                    } else {
                        self.open(node);
                    }
                }
                Edge::Close(node) if inert == Some(node.id()) => inert = None,
                Edge::Close(node) if inert.is_none() => self.close(node),
                Edge::Open(_) | Edge::Close(_) => {}
            }
        }
    }

    fn open(&mut self, node: NodeRef<'c, Node>) {
        let element = match node.value() {
            // Without the places of links only the text inside of links is needed.
            Node::Text(_) if self.open.is_empty() && !self.context.link_places => return,
            Node::Text(text) => return self.text.push(text, is_not_shown(node)),
            Node::Element(element) => element,
            _ => return,
        };
        self.path.enter(element);
        if element.name.ns == html5ever::ns!(svg) {
            match element.name() {
                "a" => self.add_element(LinkKind::A, node, element, svg_href(element)),
                "image" => self.add_resources(element),
                _ => {}
            }
            return;
        }
        if !is_html(element) {
            return;
        }
        if anchor_text::is_block(&element.name.local) {
            self.text.break_block();
        }
        let mut add = |kind, reference| self.add_element(kind, node, element, reference);
        match element.name.local {
            local_name!("a") => add(LinkKind::A, element.attribute(&local_name!("href"))),
            local_name!("area") => add(LinkKind::Area, element.attribute(&local_name!("href"))),
            local_name!("frame") => add(LinkKind::Frame, element.attribute(&local_name!("src"))),
            local_name!("iframe") => add(LinkKind::Iframe, element.attribute(&local_name!("src"))),
            local_name!("link") => self.link_element(node, element),
            local_name!("meta") => self.meta(node, element),
            local_name!("script") => self.script(node, element),
            local_name!("body") => {
                let onload = element.attribute(&local_name!("onload"));
                self.onload = onload.map(|script| (script, node.id()));
            }
            local_name!("select") => {
                let leads = element.attribute(&local_name!("onchange"));
                self.menu = leads.map(|_| node.id());
            }
            local_name!("option") if self.menu.is_some() => {
                let value = element.attribute(&local_name!("value")).unwrap_or("");
                let is_place = value.starts_with(['/', '.'])
                    || value.starts_with("http://")
                    || value.starts_with("https://");
                if is_place {
                    self.add_scripted(node, element, value);
                }
            }
            local_name!("img") if !self.open.is_empty() => {
                self.text
                    .push(element.attribute(&local_name!("alt")).unwrap_or(""), false);
            }
            _ => {}
        }
        if let Some(place) = scripted::handled(element) {
            self.add_scripted(node, element, &place);
        }
        self.add_resources(element);
    }

    fn close(&mut self, node: NodeRef<'_, Node>) {
        let Node::Element(element) = node.value() else {
            return;
        };
        self.path.leave();
        self.menu.take_if(|menu| *menu == node.id());
        if let Some(&(index, id)) = self.open.last()
            && id == node.id()
        {
            self.open.pop();
            self.spans[index].1 = self.text.len();
        }
        if is_html(element) && anchor_text::is_block(&element.name.local) {
            self.text.break_block();
        }
    }

    fn add_element(
        &mut self,
        kind: LinkKind,
        node: NodeRef<'_, Node>,
        element: &Element,
        reference: Option<&str>,
    ) {
        let Some(url) = reference.and_then(|reference| self.join_page(reference)) else {
            return;
        };
        let rel = rel_tokens(element.attribute(&local_name!("rel")).unwrap_or(""));
        // The attributes that name a link without anchor text.
        let names: &[LocalName] = match kind {
            LinkKind::Area => &[
                local_name!("alt"),
                local_name!("title"),
                local_name!("aria-label"),
            ],
            LinkKind::Frame | LinkKind::Iframe => &[local_name!("title"), local_name!("name")],
            LinkKind::A
            | LinkKind::Refresh
            | LinkKind::Canonical
            | LinkKind::Series
            | LinkKind::Language
            | LinkKind::Alternate
            | LinkKind::Feed => &[local_name!("aria-label"), local_name!("title")],
        };
        let name = names.iter().find_map(|name| element.attribute(name));
        let anchor = anchor_text::squeezed(name.unwrap_or(""));
        let tag_path = self.tag_path(Some(node.id()));
        if let Some(index) = self.add(kind, url, rel, Some(node.id()), tag_path, anchor)
            && kind == LinkKind::A
        {
            self.open.push((index, node.id()));
        }
    }

    fn meta(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        let is_refresh = element
            .attribute(&local_name!("http-equiv"))
            .is_some_and(|name| name.eq_ignore_ascii_case("refresh"));
        if let (true, Some(content)) = (is_refresh, element.attribute(&local_name!("content"))) {
            self.refresh_to(content, Some(node));
        }
    }

    fn refresh_header(&mut self) {
        for value in header_values(self.context, "refresh") {
            self.refresh_to(&value, None);
        }
    }

    fn refresh_to(&mut self, value: &str, node: Option<NodeRef<'_, Node>>) {
        if self.has_refresh {
            return;
        }
        let Some((delay, reference)) = refresh::parse(value) else {
            return;
        };
        self.has_refresh = true;
        let Some(url) = reference.and_then(|reference| self.join_page(reference)) else {
            return;
        };
        self.refresh = Some(Refresh {
            delay,
            url: url.clone(),
        });
        let tag_path = self.tag_path(node.map(|node| node.id()));
        let id = node.map(|node| node.id());
        self.add(
            LinkKind::Refresh,
            url,
            String::new(),
            id,
            tag_path,
            String::new(),
        );
    }

    /// Reads the `Link` headers. Their references are relative to the page, not to its `<base>`.
    fn link_headers(&mut self) {
        for value in header_values(self.context, "link") {
            for link in link_header::parse(&value) {
                let rel = rel_tokens(&link.rel);
                let kind = kind_of_relation(&rel, link.has_language);
                let Some(kind) = kind.filter(|_| !link.of_other_page) else {
                    continue;
                };
                if let Some(url) = self.join_url(link.target).filter(is_web) {
                    self.add_relation(kind, url, rel, None, String::new());
                }
            }
        }
    }

    /// Adds a link and returns its index; `None` if the page has too many links.
    fn add(
        &mut self,
        kind: LinkKind,
        url: Url,
        rel: String,
        node: Option<NodeId>,
        tag_path: String,
        anchor: String,
    ) -> Option<usize> {
        if self.links.len() >= LINKS_MAX {
            self.hit("links");
            return None;
        }
        let nofollow = rel
            .split(' ')
            .any(|token| matches!(token, "nofollow" | "ugc" | "sponsored"));
        self.links.push(Link {
            url,
            anchor,
            rel,
            nofollow,
            tag_path,
            context: String::new(),
            in_main: false,
            kind,
        });
        self.nodes.push(node);
        let at = self.text.len();
        self.spans.push((at, at));
        Some(self.links.len() - 1)
    }

    fn add_resources(&mut self, element: &Element) {
        for reference in resources::references(element) {
            let Some(url) = self.join_page(reference) else {
                continue;
            };
            if self.resources.len() >= RESOURCES_MAX {
                self.hit("resources");
                return;
            }
            let hash = xxh3_64(url.as_str().as_bytes());
            let known = self.seen_resources.get(&hash);
            if known.is_none_or(|&at| self.resources[at as usize] != url) {
                let at = self.resources.len() as u32;
                self.seen_resources.insert(hash, at);
                self.resources.push(url);
            }
        }
    }

    /// Resolves a reference of the page against its base; http and https only.
    fn join_page(&mut self, reference: &str) -> Option<Url> {
        join(&self.base, reference, self.encoding)
            .unwrap_or_else(|| {
                self.hit("url_bytes");
                None
            })
            .filter(is_web)
    }

    /// Resolves a reference against the page's own URL.
    fn join_url(&mut self, reference: &str) -> Option<Url> {
        join(self.context.url, reference, self.encoding).unwrap_or_else(|| {
            self.hit("url_bytes");
            None
        })
    }

    fn hit(&mut self, limit: &'static str) {
        if !self.limits_hit.contains(&limit) {
            self.limits_hit.push(limit);
        }
    }

    /// The tag path of the current element; empty for a link from a header, or if nobody asks for tag
    /// paths.
    fn tag_path(&mut self, node: Option<NodeId>) -> String {
        node.filter(|_| self.context.link_places)
            .map(|_| self.path.path())
            .unwrap_or_default()
    }

    fn finish(mut self) -> FoundLinks {
        for (link, &(start, end)) in self.links.iter_mut().zip(&self.spans) {
            let words = self.text.words(start, end);
            if !words.is_empty() {
                link.anchor = words;
            }
            let stands_in_text = !matches!(
                link.kind,
                LinkKind::Canonical
                    | LinkKind::Refresh
                    | LinkKind::Series
                    | LinkKind::Language
                    | LinkKind::Alternate
            );
            if self.context.link_places && stands_in_text {
                link.context = self.text.around(start, end);
            }
        }
        FoundLinks {
            base: self.base,
            canonical: self.canonical,
            refresh: self.refresh,
            links: self.links,
            nodes: self.nodes,
            resources: self.resources,
            limits_hit: self.limits_hit,
        }
    }
}

/// Resolves a reference against a base. The outer `None` means that a bound was met, the inner one
/// that the reference does not resolve.
fn join(base: &Url, reference: &str, encoding: &'static Encoding) -> Option<Option<Url>> {
    // A data: URL is no link, so its length, which may be megabytes, is no loss.
    if reference.len() > URL_BYTES_MAX {
        return reference.trim_start().starts_with("data:").then_some(None);
    }
    match resolve_in(base, reference, encoding) {
        Some(url) if url.as_str().len() > URL_BYTES_MAX => None,
        url => Some(url),
    }
}

fn header_values(context: &PageContext<'_>, name: &str) -> Vec<String> {
    let headers = context.headers.iter();
    headers
        .filter(|(header, _)| header.eq_ignore_ascii_case(name))
        .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
        .collect()
}

fn svg_href(element: &Element) -> Option<&str> {
    element.attribute(&local_name!("href")).or_else(|| {
        let xlink = element.attrs.iter();
        xlink
            .filter(|(name, _)| name.ns == html5ever::ns!(xlink) && &*name.local == "href")
            .map(|(_, value)| &**value)
            .next()
    })
}

fn is_html(element: &Element) -> bool {
    element.name.ns == html5ever::ns!(html)
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Whether a node is a `<template>`, whose content is not part of the page. One that becomes a shadow
/// root is shown, and so is not inert.
fn is_inert(node: NodeRef<'_, Node>) -> bool {
    node.value().as_element().is_some_and(|element| {
        is_html(element)
            && element.name.local == local_name!("template")
            && element.attribute(&local_name!("shadowrootmode")).is_none()
    })
}

/// Whether a text is not shown as text: it belongs to a script, style sheet, title or the like.
fn is_not_shown(text: NodeRef<'_, Node>) -> bool {
    text.parent()
        .and_then(|parent| parent.value().as_element())
        .is_some_and(|element| {
            matches!(
                element.name.local,
                local_name!("script")
                    | local_name!("style")
                    | local_name!("title")
                    | local_name!("textarea")
                    | local_name!("iframe")
                    | local_name!("noframes")
            )
        })
}

#[cfg(test)]
mod tests;
