//! The XML kinds of sitemap, parsed by a pull parser in one pass without a tree.
//!
//! The parser keeps a stack of the open elements with local name and prefix. The fields of an entry are
//! its direct children with the entry's own prefix, so `<image:loc>` beside `<loc>` is not taken for a
//! page. The namespace is ignored, since it is wrong in half of all sitemaps.

use std::collections::HashSet;

use quick_xml::Reader;
use quick_xml::escape::{resolve_predefined_entity, unescape};
use quick_xml::events::{BytesStart, Event};
use url::Url;

use super::{
    LOC_BYTES_MAX, Sitemap, SitemapError, SitemapKind, SitemapUrl, URLS_MAX, clean_loc, short,
};

/// Deeper elements are ignored; a sitemap has five levels.
const DEPTH_MAX: usize = 64;

pub(super) fn read(text: &str, base: Option<&Url>) -> Result<Sitemap, SitemapError> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    let mut state = State::new(base);
    let stopped = loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => state.open(&tag)?,
            Ok(Event::Empty(tag)) => {
                state.open(&tag)?;
                state.close(&local_name(&tag));
            }
            Ok(Event::End(tag)) => {
                let name = tag.local_name().as_ref().to_ascii_lowercase();
                state.close(&name);
            }
            Ok(Event::Text(text)) => state.text(&text.xml10_content()),
            Ok(Event::CData(text)) => state.text(&text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => {
                if let Ok(Some(char)) = reference.resolve_char_ref() {
                    state.text(char.encode_utf8(&mut [0; 4]));
                } else if let Some(known) = resolve_predefined_entity(&reference) {
                    state.text(known);
                } else {
                    state.unknown_entity();
                }
            }
            Ok(Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_)) => {}
            Ok(Event::Eof) => {
                break (state.depth() > 0).then(|| "ends inside an element".to_owned());
            }
            Err(error) => break Some(format!("broken XML: {error}")),
        }
        if state.urls.len() >= URLS_MAX && state.more {
            break Some(format!("more than {URLS_MAX} URLs"));
        }
    };
    state.finish(stopped)
}

/// An open element.
struct Open {
    prefix: Option<String>,
    name: String,
}

/// Which of an entry's fields the text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    /// RSS 2.0: it is the URL only where there is no link.
    Guid,
    /// `feedburner:origLink`: the page whose link counts clicks.
    Original,
    Lastmod,
    Changefreq,
    Priority,
}

struct State<'b> {
    base: Option<&'b Url>,
    kind: Option<SitemapKind>,
    stack: Vec<Open>,
    /// Open elements beyond [`DEPTH_MAX`], which are only counted.
    too_deep: usize,
    /// The stack's length at the open entry; 0 when none is open.
    entry_depth: usize,
    entry: SitemapUrl,
    /// URLs of the open entry beside its first: it has one by the protocol, but some write several.
    more_locs: Vec<String>,
    /// The entry's pages in other languages, and those of the entries before it, each once.
    alternates: Vec<SitemapUrl>,
    /// Those of them that are of entries before the open one.
    alternates_before: usize,
    seen_alternates: HashSet<String>,
    guid: Option<String>,
    /// The page itself, where the entry's link leads to a counter of clicks (FeedBurner).
    original: Option<String>,
    field: Option<(Field, usize)>,
    buffer: String,
    spoiled: bool,
    urls: Vec<SitemapUrl>,
    more: bool,
}

impl<'b> State<'b> {
    fn new(base: Option<&'b Url>) -> Self {
        Self {
            base,
            kind: None,
            stack: Vec::new(),
            too_deep: 0,
            entry_depth: 0,
            entry: SitemapUrl::default(),
            more_locs: Vec::new(),
            alternates: Vec::new(),
            alternates_before: 0,
            seen_alternates: HashSet::new(),
            guid: None,
            original: None,
            field: None,
            buffer: String::new(),
            spoiled: false,
            urls: Vec::new(),
            more: false,
        }
    }

    fn depth(&self) -> usize {
        self.stack.len() + self.too_deep
    }

    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), SitemapError> {
        if self.stack.len() >= DEPTH_MAX {
            self.too_deep += 1;
            return Ok(());
        }
        let name = local_name(tag);
        let prefix = tag.name().prefix().map(|p| p.as_ref().to_owned());
        let kind = match self.kind {
            Some(kind) => kind,
            None => {
                let kind = kind_of_root(&name)?;
                self.kind = Some(kind);
                kind
            }
        };
        // An entry without an end tag ends where the next one begins.
        if self.entry_depth > 0 && is_entry(kind, &name) && self.field.is_none() {
            self.end_entry();
            self.stack.truncate(self.entry_depth.saturating_sub(1));
            self.entry_depth = 0;
        }
        self.stack.push(Open { prefix, name });
        if self.entry_depth == 0 {
            let opened = self.stack.last().is_some_and(|o| is_entry(kind, &o.name));
            if opened {
                self.entry_depth = self.stack.len();
                self.entry = SitemapUrl::default();
                self.more_locs.clear();
                self.guid = None;
                self.original = None;
            }
        } else if self.stack.len() == self.entry_depth + 1 {
            self.open_field(kind, tag);
        }
        Ok(())
    }

    /// Reads a direct child of the open entry: begins its field if it has one.
    fn open_field(&mut self, kind: SitemapKind, tag: &BytesStart<'_>) {
        let (Some(child), Some(parent)) = (self.stack.last(), self.stack.get(self.entry_depth - 1))
        else {
            return;
        };
        if kind == SitemapKind::Urlset && child.name == "link" {
            return self.alternate(tag);
        }
        let date_of_other = child.name == "date" && kind == SitemapKind::Rss;
        let is_original = child.name == "origlink" && child.prefix.is_some();
        if child.prefix != parent.prefix && !date_of_other && !is_original {
            return;
        }
        if kind == SitemapKind::Atom && child.name == "link" {
            self.atom_link(tag);
            return;
        }
        let field = match (kind, child.name.as_str()) {
            (SitemapKind::Urlset | SitemapKind::Index, "loc") => Field::Loc,
            (SitemapKind::Urlset | SitemapKind::Index, "lastmod") => Field::Lastmod,
            (SitemapKind::Urlset, "changefreq") => Field::Changefreq,
            (SitemapKind::Urlset, "priority") => Field::Priority,
            (SitemapKind::Rss | SitemapKind::Atom, "origlink") => Field::Original,
            (SitemapKind::Rss, "link") => Field::Loc,
            (SitemapKind::Rss, "guid") => {
                if attribute(tag, "ispermalink").is_some_and(|v| v.eq_ignore_ascii_case("false")) {
                    return;
                }
                Field::Guid
            }
            (SitemapKind::Rss, "pubdate" | "date") => Field::Lastmod,
            (SitemapKind::Atom, "updated" | "modified") => Field::Lastmod,
            (SitemapKind::Atom, "published" | "issued") if self.entry.lastmod.is_none() => {
                Field::Lastmod
            }
            _ => return,
        };
        self.field = Some((field, self.stack.len()));
        self.buffer.clear();
        self.spoiled = false;
    }

    /// Reads a link of Atom: its URL is an attribute, and the page itself has the relation `alternate`,
    /// which is also the default.
    fn atom_link(&mut self, tag: &BytesStart<'_>) {
        let is_page = attribute(tag, "rel").is_none_or(|rel| rel == "alternate");
        if is_page && self.entry.loc.is_empty() {
            let href = attribute(tag, "href").unwrap_or_default();
            self.entry.loc = clean_loc(&href, self.base).unwrap_or_default();
        }
    }

    /// Reads `<xhtml:link rel="alternate" hreflang="fr" href="…"/>`: the entry's page in another language. Many sites have one
    /// entry for all languages, and most name each page in the entries of all others; so these are counted apart, and the
    /// entries' own pages go first.
    fn alternate(&mut self, tag: &BytesStart<'_>) {
        let rel = attribute(tag, "rel").unwrap_or_default();
        let mut rel = rel.split_ascii_whitespace();
        let is_page = rel.any(|rel| rel.eq_ignore_ascii_case("alternate"))
            && attribute(tag, "hreflang").is_some();
        let href = attribute(tag, "href").filter(|_| is_page);
        if let Some(loc) = href.and_then(|href| clean_loc(&href, self.base))
            && self.alternates.len() < URLS_MAX
            && self.seen_alternates.insert(loc.clone())
        {
            self.alternates.push(SitemapUrl {
                loc,
                ..SitemapUrl::default()
            });
        }
    }

    fn text(&mut self, text: &str) {
        if self.field.is_some() && self.buffer.len() + text.len() <= 2 * LOC_BYTES_MAX {
            self.buffer.push_str(text);
        } else if self.field.is_some() {
            self.spoiled = true;
        }
    }

    /// Reads an entity that the file defines. It is never expanded, so the field's value is unknown.
    fn unknown_entity(&mut self) {
        self.spoiled = true;
    }

    fn close(&mut self, name: &str) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        // An end tag closes the innermost element of its name; if there is none it is ignored.
        let Some(at) = self.stack.iter().rposition(|open| open.name == name) else {
            return;
        };
        if let Some((field, depth)) = self.field
            && at < depth
        {
            self.end_field(field);
        }
        self.stack.truncate(at);
        if self.entry_depth > 0 && at < self.entry_depth {
            self.end_entry();
            self.entry_depth = 0;
        }
    }

    fn end_field(&mut self, field: Field) {
        self.field = None;
        let text = std::mem::take(&mut self.buffer);
        let value = text.trim();
        if value.is_empty() || self.spoiled {
            return;
        }
        match field {
            Field::Loc if self.entry.loc.is_empty() => {
                self.entry.loc = clean_loc(value, self.base).unwrap_or_default();
            }
            // The second link of a feed's item leads to its comments, or to its source.
            Field::Loc if self.kind == Some(SitemapKind::Rss) => {}
            Field::Loc => self.another_loc(value),
            Field::Guid => self.guid = Some(value.to_owned()),
            Field::Original => self.original = clean_loc(value, self.base),
            Field::Lastmod => self.entry.lastmod = short(value),
            Field::Changefreq => self.entry.changefreq = short(value),
            Field::Priority => {
                let number = value.parse::<f32>().ok().filter(|n| n.is_finite());
                self.entry.priority = number.map(|n| n.clamp(0.0, 1.0));
            }
        }
    }

    fn another_loc(&mut self, value: &str) {
        let known = self.urls.len() + self.more_locs.len();
        if let Some(loc) = clean_loc(value, self.base)
            && known < URLS_MAX
            && loc != self.entry.loc
        {
            self.more_locs.push(loc);
        }
    }

    fn end_entry(&mut self) {
        let mut entry = std::mem::take(&mut self.entry);
        if let Some(original) = self.original.take() {
            entry.loc = original;
        }
        if entry.loc.is_empty()
            && let Some(guid) = self.guid.take()
            && Url::parse(&guid).is_ok_and(|u| matches!(u.scheme(), "http" | "https"))
        {
            entry.loc = clean_loc(&guid, None).unwrap_or_default();
        }
        for alternate in &mut self.alternates[self.alternates_before..] {
            alternate.lastmod.clone_from(&entry.lastmod);
            alternate.changefreq.clone_from(&entry.changefreq);
            alternate.priority = entry.priority;
        }
        self.alternates_before = self.alternates.len();
        if entry.loc.is_empty() {
            return;
        }
        let more = std::mem::take(&mut self.more_locs);
        let others: Vec<SitemapUrl> = more
            .into_iter()
            .map(|loc| SitemapUrl {
                loc,
                ..entry.clone()
            })
            .collect();
        self.push(entry);
        others.into_iter().for_each(|other| self.push(other));
    }

    fn push(&mut self, entry: SitemapUrl) {
        if self.urls.len() < URLS_MAX {
            self.urls.push(entry);
        } else {
            self.more = true;
        }
    }

    fn finish(mut self, mut stopped: Option<String>) -> Result<Sitemap, SitemapError> {
        let Some(kind) = self.kind else {
            return Err(SitemapError::NotSitemap);
        };
        // The file may end inside an entry: the entry is kept if its URL is complete.
        if self.entry_depth > 0 {
            self.end_entry();
        }
        let own: HashSet<&str> = self.urls.iter().map(|own| own.loc.as_str()).collect();
        let mut alternates = std::mem::take(&mut self.alternates);
        alternates.retain(|other| !own.contains(other.loc.as_str()));
        let room = URLS_MAX.saturating_sub(self.urls.len());
        if alternates.len() > room {
            stopped.get_or_insert_with(|| format!("more than {URLS_MAX} URLs"));
        }
        self.urls.extend(alternates.into_iter().take(room));
        Ok(Sitemap {
            kind,
            urls: self.urls,
            stopped,
        })
    }
}

fn kind_of_root(name: &str) -> Result<SitemapKind, SitemapError> {
    match name {
        "urlset" => Ok(SitemapKind::Urlset),
        "sitemapindex" => Ok(SitemapKind::Index),
        "rss" | "rdf" => Ok(SitemapKind::Rss),
        "feed" => Ok(SitemapKind::Atom),
        other => Err(SitemapError::Root {
            root: other.chars().take(80).collect(),
        }),
    }
}

fn is_entry(kind: SitemapKind, name: &str) -> bool {
    match kind {
        // The two are often mixed up: pages in an index, sitemaps in a urlset.
        SitemapKind::Urlset => name == "url" || name == "sitemap",
        SitemapKind::Index => name == "sitemap" || name == "url",
        SitemapKind::Rss => name == "item",
        SitemapKind::Atom => name == "entry",
        SitemapKind::Text | SitemapKind::Json => false,
    }
}

fn local_name(tag: &BytesStart<'_>) -> String {
    let name = tag.local_name();
    name.as_ref()
        .chars()
        .take(80)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// An attribute's value by its lower-case local name, entities resolved where they are known.
fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    tag.attributes()
        .with_checks(false)
        .take(64)
        .flatten()
        .find(|a| a.key.local_name().as_ref().eq_ignore_ascii_case(name))
        .map(|a| match unescape(&a.value) {
            Ok(value) => value.into_owned(),
            Err(_) => a.value.to_string(),
        })
}
