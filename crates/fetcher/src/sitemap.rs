//! Parsing sitemaps: XML, index, plain text, RSS, Atom and JSON Feed, each plain or gzipped (sitemaps.org 0.9).
//!
//! Many sitemaps are invalid: bare `&`, no closing tags, a wrong namespace, an HTML page in their place, a
//! warning of the server's script before the XML.
//! The URLs before the first error are kept, and the error is reported; only a file that is no sitemap at
//! all is an `Err`. External entities are never read. Of internal entities only the predefined five and
//! character references are resolved, so that nothing can expand without end.
//!
//! The limits are those of the protocol: [`URLS_MAX`] URLs and [`DECODED_BYTES_MAX`] bytes, of which a gzipped
//! file gives no more than any other body may for each of its own.

mod json;
mod text;
mod xml;

use std::borrow::Cow;

use url::Url;

use crate::decoding;

/// The most URLs of one sitemap (sitemaps.org).
pub const URLS_MAX: usize = 50_000;
/// The most bytes of a sitemap once it is unzipped (sitemaps.org).
pub const DECODED_BYTES_MAX: u64 = 50 * 1024 * 1024;
/// The longest URL that is kept, in bytes. The protocol allows 2,048 characters; percent-encoding makes
/// them three times as long.
pub const LOC_BYTES_MAX: usize = 8_000;

/// What a script has to say before the XML is not longer, in bytes: ten warnings of PHP.
const WARNING_BYTES_MAX: usize = 4096;
/// What the root element of a sitemap or a feed begins with: behind it no declaration comes.
const ROOTS: [&[u8]; 5] = [b"<rss", b"<feed", b"<rdf:", b"<urlset", b"<sitemapindex"];

/// A sitemap, as far as it could be parsed.
///
/// ```
/// use fetcher::{Sitemap, SitemapKind};
/// let file = b"<urlset><url><loc>https://example.org/a</loc></url><url><loc>https://exam";
/// let sitemap = Sitemap::parse(file, None).unwrap();
/// assert_eq!((sitemap.kind, sitemap.urls.len()), (SitemapKind::Urlset, 1));
/// assert!(sitemap.stopped.is_some());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sitemap {
    /// What kind of file it is.
    pub kind: SitemapKind,
    /// Its entries in order: pages, or for an index further sitemaps.
    pub urls: Vec<SitemapUrl>,
    /// Why it ended early: a bound, broken XML, a cut stream. `None` when it is whole.
    pub stopped: Option<String>,
}

/// The kinds of sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SitemapKind {
    /// `<urlset>`: pages.
    Urlset,
    /// `<sitemapindex>`: further sitemaps.
    Index,
    /// One URL per line.
    Text,
    /// RSS 0.9x, 1.0 and 2.0.
    Rss,
    /// Atom 0.3 and 1.0.
    Atom,
    /// JSON Feed 1.0 and 1.1.
    Json,
}

impl SitemapKind {
    /// The stable name: `urlset`, `index`, `text`, `rss`, `atom`, `json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Urlset => "urlset",
            Self::Index => "index",
            Self::Text => "text",
            Self::Rss => "rss",
            Self::Atom => "atom",
            Self::Json => "json",
        }
    }
}

/// One entry of a sitemap.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SitemapUrl {
    /// The URL as written, trimmed; made absolute where it was relative and a base is known.
    pub loc: String,
    /// When it last changed, as written: W3C date-time, or RFC 822 in RSS.
    pub lastmod: Option<String>,
    /// How often it changes, as written.
    pub changefreq: Option<String>,
    /// Its priority among the site's pages, 0.0 to 1.0.
    pub priority: Option<f32>,
}

/// Why a file could not be read as a sitemap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SitemapError {
    /// XML whose root is something else, most often an HTML page.
    #[error("read the sitemap: its root element is <{root}>")]
    Root {
        /// The root's name.
        root: String,
    },
    /// Neither XML nor a list of URLs.
    #[error("read the sitemap: neither XML nor a list of URLs")]
    NotSitemap,
}

impl Sitemap {
    /// Reads a sitemap, gzipped or not. `base` is its own URL, for relative entries.
    ///
    /// # Errors
    /// [`SitemapError`] when it is no sitemap at all. A broken one is `Ok` with
    /// [`Sitemap::stopped`] set.
    pub fn parse(bytes: &[u8], base: Option<&Url>) -> Result<Self, SitemapError> {
        let unzipped;
        let mut plain = bytes;
        let mut stopped = None;
        if decoding::is_gzip(bytes) {
            unzipped = decoding::gunzip(bytes, DECODED_BYTES_MAX);
            plain = &unzipped.bytes;
            stopped.clone_from(&unzipped.stopped);
        }
        let bytes_max = usize::try_from(DECODED_BYTES_MAX).unwrap_or(usize::MAX);
        if plain.len() > bytes_max {
            plain = &plain[..bytes_max];
            stopped = Some(format!("more than {DECODED_BYTES_MAX} bytes"));
        }
        let text = to_text(plain);
        let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        let text = &text[declaration(text.as_bytes()).unwrap_or(0)..];
        let mut sitemap = if text.starts_with('<') {
            xml::read(text, base)?
        } else if text.starts_with('{') {
            json::read(text, base)?
        } else {
            text::read(text, base)?
        };
        // If the file was cut, that is the cause of any error at its end.
        if let Some(why) = stopped {
            sitemap.was_cut(why);
        }
        Ok(sitemap)
    }

    /// Records that the file was truncated before it was parsed. The last line of a text file may be an
    /// incomplete URL, so it is dropped.
    pub fn was_cut(&mut self, why: String) {
        if self.kind == SitemapKind::Text {
            self.urls.pop();
        }
        self.stopped = Some(why);
    }
}

/// The text in the encoding that a byte-order mark or the XML declaration names, else UTF-8.
fn to_text(bytes: &[u8]) -> Cow<'_, str> {
    let encoding = encoding_rs::Encoding::for_bom(bytes)
        .map(|(encoding, _)| encoding)
        .or_else(|| declared(bytes))
        .unwrap_or(encoding_rs::UTF_8);
    encoding.decode(bytes).0
}

/// Where the XML declaration begins: at the beginning, or behind what a script has to say before it. What stands
/// inside JSON or behind the root element is shown by an entry, and none.
fn declaration(bytes: &[u8]) -> Option<usize> {
    let head = &bytes[..bytes.len().min(WARNING_BYTES_MAX)];
    let at = head.windows(6).position(|bytes| bytes == b"<?xml ")?;
    let before = &head[..at];
    let has = |root: &[u8]| before.windows(root.len()).any(|bytes| bytes == root);
    let is_shown = before.trim_ascii_start().starts_with(b"{") || ROOTS.into_iter().any(has);
    (!is_shown).then_some(at)
}

/// The encoding of `<?xml … encoding="…"?>`. UTF-16 without a mark cannot say so in ASCII.
fn declared(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let head = &bytes[declaration(bytes)?..];
    let head = &head[..head.len().min(256)];
    let end = head.windows(2).position(|w| w == b"?>")?;
    let head = &head[..end];
    let at = head.windows(8).position(|w| w == b"encoding")? + 8;
    let value = head[at..]
        .trim_ascii_start()
        .strip_prefix(b"=")?
        .trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let close = value.iter().position(|b| b == quote)?;
    encoding_rs::Encoding::for_label(&value[..close])
}

/// The URL of an entry: without whitespace around it and without tabs and line ends inside, made
/// absolute. `None` if it is empty, too long or no URL.
fn clean_loc(raw: &str, base: Option<&Url>) -> Option<String> {
    let loc: String = raw
        .trim()
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    if loc.is_empty() || loc.len() > LOC_BYTES_MAX {
        return None;
    }
    match Url::parse(&loc) {
        Ok(_) => Some(loc),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            weburl::resolve(base?, &loc).map(String::from)
        }
        Err(_) => None,
    }
}

/// A date or the like, which is short; `None` for anything longer.
fn short(value: &str) -> Option<String> {
    (value.len() <= 100).then(|| value.to_owned())
}

#[cfg(test)]
mod tests;
