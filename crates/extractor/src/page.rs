//! What a page is once it has been read: plain data, no tree, no borrow, ready to cross threads.
//!
//! Everything later stages ask of a page is here, so that the DOM can be dropped where it was
//! made: the main content as blocks and as text, the fields around it, its links, and the few
//! numbers by which the sieve tells a page from a shell of one.

use serde::Serialize;
use url::Url;

use crate::blocks::{self, Block};
use crate::parse_limits::DomLimits;

/// One page, read.
///
/// A page is always there, however broken its markup: what could not be found is empty or `None`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page {
    /// The title, without the site's name.
    pub title: Option<String>,
    /// The main content as plain text: one line per block, empty for a page without any.
    pub text: String,
    /// The main content as blocks, in reading order; `text` is `blocks::plain` of it.
    pub blocks: Vec<Block>,
    /// What readers wrote under the content, as plain text; empty where there is none. A forum's
    /// posts are its content and stand in `text`.
    pub comments: String,
    /// Who wrote it, without "by"; several names are joined by ", ".
    pub author: Option<String>,
    /// When it was published: an ISO 8601 date, or date and time where the page says so.
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// The site's name for itself.
    pub site_name: Option<String>,
    /// The content's language, a primary language subtag ("zh", "en").
    pub lang: Option<String>,
    /// The page's own summary, from its meta data.
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
    /// What the page asks of robots.
    pub directives: Directives,
    /// The page's links in document order, bounded.
    pub links: Vec<Link>,
    /// Images, scripts, style sheets and media, absolute and bounded.
    pub resources: Vec<Url>,
    /// What kind of page this is.
    pub page_type: PageType,
    /// A simhash over the tag paths of the page: pages of one template differ in few bits.
    pub layout: u64,
    /// Characters of text a reader would see on the whole page, blanks squeezed.
    pub visible_text_chars: usize,
    /// The share of the visible characters that stand inside links, 0.0 to 1.0; 1.0 for no text.
    pub link_density: f32,
    /// Bounds that were met while reading, by name; the page is then a part of what was sent.
    pub limits_hit: Vec<&'static str>,
}

impl Page {
    /// A page of which nothing is known but its address.
    pub fn empty(url: &Url) -> Page {
        Page {
            title: None,
            text: String::new(),
            blocks: Vec::new(),
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
            layout: 0,
            visible_text_chars: 0,
            link_density: 1.0,
            limits_hit: Vec::new(),
        }
    }

    /// The main content as Markdown.
    pub fn markdown(&self) -> String {
        blocks::markdown(&self.blocks)
    }
}

/// What a reader of bytes knows about a page before it looks at the markup.
#[derive(Debug, Clone, Copy)]
pub struct PageContext<'a> {
    /// Where the page is from; relative links resolve against it. One without a host, or with one
    /// that ends in `.invalid`, says that this is not known: then the page's own word counts, its
    /// canonical link, `og:url` or `<base>`.
    pub url: &'a Url,
    /// The WHATWG name of the encoding the bytes were decoded with: query strings are encoded by it.
    pub encoding: &'static str,
    /// Response headers, names in lower case: `x-robots-tag`, `link`, `content-language` are read.
    pub headers: &'a [(String, Vec<u8>)],
    /// Our product token, for robots rules addressed to it.
    pub agent: &'a str,
    /// How much of the page's tree is built.
    pub limits: &'a DomLimits,
    /// Whether links carry the text around them and their path of tags: what only a crawl with a
    /// topic reads.
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
}

/// What the page asks of robots; both allowed where it is silent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Directives {
    /// The page may be indexed.
    pub index: bool,
    /// The page's links may be followed.
    pub follow: bool,
    /// After this time, as the page wrote it, the page asks to be forgotten.
    pub unavailable_after: Option<String>,
}

impl Default for Directives {
    fn default() -> Self {
        Directives {
            index: true,
            follow: true,
            unavailable_after: None,
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

/// A link to another page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// Where it leads, absolute.
    pub url: Url,
    /// Its words, or what stands for them: the alt text of an image, the title attribute.
    pub anchor: String,
    /// The `rel` attribute, lower case.
    pub rel: String,
    /// The page asks not to follow it (`rel=nofollow`, `ugc`, `sponsored`).
    pub nofollow: bool,
    /// The path of tags, ids and first classes down to it, "html>body>div#main>ul.list>li>a"; bounded.
    pub tag_path: String,
    /// The text around it, at most 200 characters.
    pub context: String,
    /// It stands in the main content.
    pub in_main: bool,
    /// What made it a link.
    pub kind: LinkKind,
}

/// What makes a link.
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
    /// `<link rel=alternate>`: another language, a feed, a print or mobile form.
    Alternate,
}

/// What kind of page this is. A guess: it shapes extraction, and a crawl may treat kinds apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageType {
    /// One text: news, a blog post, an encyclopaedia entry.
    Article,
    /// Posts by several people: a forum thread, questions and answers.
    Forum,
    /// One thing for sale.
    Product,
    /// Many things for sale.
    Collection,
    /// Many links with a line or two each: a tag page, an index, search results.
    Listing,
    /// A manual, an API reference.
    Documentation,
    /// A landing page that describes a service or an organisation in many short sections.
    Service,
    /// The entrance of a site.
    FrontPage,
    /// None of these, or too little to tell.
    Other,
}

impl PageType {
    /// The name used in records and output.
    pub fn as_str(self) -> &'static str {
        match self {
            PageType::Article => "article",
            PageType::Forum => "forum",
            PageType::Product => "product",
            PageType::Collection => "collection",
            PageType::Listing => "listing",
            PageType::Documentation => "documentation",
            PageType::Service => "service",
            PageType::FrontPage => "front_page",
            PageType::Other => "other",
        }
    }
}
