//! The result of reading a page: plain data that owns its text and can be sent between threads.
//!
//! Later stages need nothing else of the page, so the DOM is dropped where it was made. The fields
//! are the main content as blocks and as text, the metadata, the links, and the numbers by which an
//! empty page is recognised.

pub use outcome::PageType;
use outcome::Wall;
use serde::Serialize;
use url::Url;

use crate::blocks::Block;
use crate::dom::Syntax;
use crate::own_text::Surroundings;
use crate::parse_limits::DomLimits;

/// One page, read.
///
/// Every input gives a page, however broken its markup: what could not be found is empty or `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// The title, without the site's name.
    pub title: Option<String>,
    /// The main content as plain text: one line per block, empty for a page without any.
    pub text: String,
    /// The main content as blocks, in reading order; `text` is `blocks::plain` of it.
    pub blocks: Vec<Block>,
    /// Where the main content is from: the visible page, or what it carries beside that.
    pub source: TextSource,
    /// Texts at the end of the main content that the visible page lacks.
    pub added: Vec<AddedText>,
    /// What says that the page is empty without its scripts; empty for one that is not.
    pub needs_scripts: Vec<String>,
    /// The comments of readers below the content, as plain text; empty without any. The posts of a
    /// forum are its content and stand in `text`.
    pub comments: String,
    /// The author's name, without "by"; several names are joined by ", ".
    pub author: Option<String>,
    /// When it was published: an ISO 8601 date, or date and time where the page says so.
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// The site's name for itself.
    pub site_name: Option<String>,
    /// The content's language, a primary language subtag ("zh", "en").
    pub lang: Option<String>,
    /// The page's own summary, from its metadata.
    pub description: Option<String>,
    /// The lead image's absolute URL.
    pub image: Option<String>,
    /// The licence's URL, where the page links one.
    pub licence: Option<String>,
    /// The URL the page calls its canonical one.
    pub canonical: Option<Url>,
    /// The URL that relative links resolve against: `<base href>`, or the page's own.
    pub base: Url,
    /// A `<meta http-equiv=refresh>` that leads elsewhere.
    pub refresh: Option<Refresh>,
    /// The page's robots directives.
    pub directives: Directives,
    /// The page's links in document order, bounded.
    pub links: Vec<Link>,
    /// Images, scripts, style sheets and media, absolute and bounded.
    pub resources: Vec<Url>,
    /// What kind of page this is.
    pub page_type: PageType,
    /// What stands in the page's place, for one of type [`PageType::Wall`].
    pub wall: Option<Wall>,
    /// What may still speak against that wall; `None` for one that a vendor's own mark or header tells.
    #[serde(skip)]
    pub doubt: Option<WallDoubt>,
    /// A simhash over the tag paths of the page: pages of one template differ in few bits.
    pub layout: u64,
    /// Visible characters on the whole page, whitespace left out.
    pub visible_text_chars: usize,
    /// The share of the visible characters that stand inside links, 0.0 to 1.0; 1.0 for no text.
    pub link_density: f32,
    /// The limits that were met while reading, by name. The page is incomplete if there are any.
    pub limits_hit: Vec<&'static str>,
    /// Keys of the texts amid and around the content that were not taken for content.
    #[serde(skip)]
    pub(crate) left_out: Vec<u32>,
    /// The TeX of the formulas that stand in its lines as `$TeX$`.
    #[serde(skip)]
    pub(crate) formulas: Vec<String>,
    /// What stands in its margins.
    #[serde(skip)]
    pub(crate) surroundings: Surroundings,
}

impl Page {
    /// An empty page with this URL.
    pub fn empty(url: &Url) -> Page {
        Page {
            title: None,
            text: String::new(),
            blocks: Vec::new(),
            source: TextSource::Page,
            added: Vec::new(),
            needs_scripts: Vec::new(),
            comments: String::new(),
            author: None,
            published: None,
            modified: None,
            site_name: None,
            lang: None,
            description: None,
            image: None,
            licence: None,
            canonical: None,
            base: url.clone(),
            refresh: None,
            directives: Directives::default(),
            links: Vec::new(),
            resources: Vec::new(),
            page_type: PageType::Other,
            wall: None,
            doubt: None,
            layout: 0,
            visible_text_chars: 0,
            link_density: 1.0,
            left_out: Vec::new(),
            formulas: Vec::new(),
            surroundings: Surroundings::default(),
            limits_hit: Vec::new(),
        }
    }

    /// It is no wall after all, as those say who know its host and the links to it.
    pub fn acquit(&mut self) {
        if let Some(doubt) = self.doubt.take() {
            self.wall = None;
            self.page_type = doubt.page_type;
        }
    }

    /// The main content as Markdown.
    pub fn markdown(&self) -> String {
        crate::blocks_markdown::markdown(&self.blocks, &self.formulas)
    }

    /// The main content as HTML: plain, escaped markup.
    pub fn html(&self) -> String {
        crate::blocks_html::html(&self.blocks)
    }
}

/// A wall that is told by its words: the page says them, and has little else to say. Whoever knows its host or the links
/// to it may know better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WallDoubt {
    /// Keys of the lines that say so: of each line all that [`crate::HostTemplates`] may know it by.
    pub(crate) lines: Vec<Vec<u32>>,
    /// What kind of page it is if it is no wall.
    pub(crate) page_type: PageType,
}

/// Where a text on a page is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// The visible page.
    #[default]
    Page,
    /// `<noscript>`.
    Noscript,
    /// `<noframes>`, on a page of frames.
    Noframes,
    /// JSON-LD.
    JsonLd,
    /// Microdata in an attribute.
    Microdata,
    /// The state of Next.js.
    NextData,
    /// The state of Nuxt.
    NuxtData,
    /// The state of another framework, such as `__INITIAL_STATE__`.
    InitialState,
    /// `<template>`.
    Template,
    /// The description for Open Graph, or that in a `<meta>` element.
    OpenGraph,
}

impl TextSource {
    /// The name of a source beside the visible page; `None` for the page itself.
    pub fn beside_the_page(self) -> Option<&'static str> {
        match self {
            Self::Page => None,
            Self::Noscript => Some("noscript"),
            Self::Noframes => Some("noframes"),
            Self::JsonLd => Some("json_ld"),
            Self::Microdata => Some("microdata"),
            Self::NextData => Some("next_data"),
            Self::NuxtData => Some("nuxt_data"),
            Self::InitialState => Some("initial_state"),
            Self::Template => Some("template"),
            Self::OpenGraph => Some("open_graph"),
        }
    }
}

/// A text that was added to the main content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddedText {
    /// Where it is from.
    pub source: TextSource,
    /// Blocks that it has.
    pub blocks: usize,
    /// Characters that it has.
    pub chars: usize,
}

/// What is known about a page apart from its markup.
#[derive(Debug, Clone, Copy)]
pub struct PageContext<'a> {
    /// The page's URL; relative links resolve against it. A URL without a host, or with one that
    /// ends in `.invalid`, means that it is not known. The URL that the page states is taken then:
    /// its canonical link, `og:url` or `<base>`.
    pub url: &'a Url,
    /// The WHATWG name of the encoding that the bytes were decoded from. Query strings of links are
    /// encoded in it.
    pub encoding: &'static str,
    /// Response headers, names in lower case: `x-robots-tag`, `link`, `content-language` are read,
    /// `date`, after which no page was published, and `content-type`, which tells XML from HTML.
    pub headers: &'a [(String, Vec<u8>)],
    /// The crawler's product token, for robots directives addressed to it.
    pub agent: &'a str,
    /// The bounds on parsing.
    pub limits: &'a DomLimits,
    /// Whether to fill [`Link::context`] and [`Link::tag_path`]. Only a focused crawl reads them.
    pub link_places: bool,
}

impl<'a> PageContext<'a> {
    /// The context of a UTF-8 page without headers.
    pub fn new(url: &'a Url) -> PageContext<'a> {
        PageContext {
            url,
            encoding: "UTF-8",
            headers: &[],
            agent: "tamis",
            limits: &DomLimits::DEFAULT,
            link_places: true,
        }
    }

    /// How the page's markup is written: as XML where it was sent as XHTML, which browsers read so.
    pub(crate) fn syntax(&self) -> Syntax {
        let mut types = self.headers.iter().rev();
        let declared = types.find(|(name, _)| name == "content-type");
        let essence = declared.and_then(|(_, value)| value.split(|&byte| byte == b';').next());
        let is_xhtml = essence.is_some_and(|essence| {
            let essence = essence.trim_ascii();
            essence.eq_ignore_ascii_case(b"application/xhtml+xml")
        });
        match is_xhtml {
            true => Syntax::Xhtml,
            false => Syntax::Html,
        }
    }
}

/// The page's robots directives; both permissions are given where it has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Directives {
    /// The page may be indexed.
    pub index: bool,
    /// The page's links may be followed.
    pub follow: bool,
    /// The page asks not to be indexed after this time, as the page wrote it.
    pub unavailable_after: Option<String>,
    /// What it says of the use of its text, in its own words: `noai` and the like among the robots
    /// directives, and `Content-Usage`, `TDM-Reservation` and `TDM-Policy` headers or metas.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<String>,
}

impl Default for Directives {
    fn default() -> Self {
        Directives {
            index: true,
            follow: true,
            unavailable_after: None,
            usage: Vec::new(),
        }
    }
}

/// A refresh that leads to another URL.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refresh {
    /// Seconds before it happens.
    pub delay: f64,
    /// Where it leads, absolute.
    pub url: Url,
}

impl Refresh {
    /// Seconds within which a page without a text of its own still forwards at once: nobody reads on it.
    pub const AT_ONCE_SECONDS_MAX: f64 = 5.0;
}

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// Where it leads, absolute.
    pub url: Url,
    /// Its text; for a link without text the alt text of an image or the title attribute.
    pub anchor: String,
    /// The `rel` attribute, lower case.
    pub rel: String,
    /// The page asks crawlers not to follow it (`rel=nofollow`, `ugc`, `sponsored`).
    pub nofollow: bool,
    /// The path of tags, ids and first classes from the root down to it:
    /// "html>body>div#main>ul.list>li>a". At most the last twelve elements.
    pub tag_path: String,
    /// The text around it, at most 200 characters.
    pub context: String,
    /// It stands in the main content.
    pub in_main: bool,
    /// The element or header that it comes from.
    pub kind: LinkKind,
}

/// The element or header that a link comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkKind {
    /// `<a href>`.
    A,
    /// `<area href>`.
    Area,
    /// `<frame src>`.
    Frame,
    /// `<iframe src>`.
    Iframe,
    /// `<meta http-equiv=refresh>`.
    Refresh,
    /// `<link rel=canonical>`, or the header.
    Canonical,
    /// `<link rel=next>` or `prev`, or the header: another page of a series.
    Series,
    /// `<link rel=alternate hreflang>`, or the header: the page in another language.
    Language,
    /// `<link rel=alternate>`: a print or mobile form.
    Alternate,
    /// `<link rel=alternate>` to a feed: RSS, Atom or JSON Feed.
    Feed,
}
