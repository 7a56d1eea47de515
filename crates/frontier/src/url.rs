//! Canonical URLs: the name under which a page is known.
//!
//! Each step joins only spellings that the standards call the same:
//! 1. parse and serialise by the WHATWG URL Standard (case of scheme and host, IDNA, default
//!    ports, dot segments);
//! 2. drop the fragment, which is never sent (RFC 9110 §4.2.5);
//! 3. decode escapes of unreserved characters, once, and write the others in upper case
//!    (RFC 3986 §6.2.2).
//!
//! Everything else can tell two pages apart and is kept: order of parameters, an empty query,
//! doubled slashes, `www.`, `index.html`, session ids. A [`Canonicaliser`] can be told to drop
//! some of these; nothing of it is on by default, since each joins pages that differ on some site.
//!
//! A canonical URL's canonical form is itself, so where decoding forms an escape anew (`%%34%31`)
//! that is decoded, too. `%2541` stays as it is: `%25` is no unreserved character.

mod canonicaliser;
mod escapes;
mod typed;

use std::fmt;
use std::sync::Arc;

use outcome::LinkFate;
use url::Url;
use weburl::URL_BYTES_MAX;
use xxhash_rust::xxh3::xxh3_128;

use crate::host::HostKey;
use crate::origin::Origin;
use crate::path_ids::{self, path_ids};

pub use self::canonicaliser::Canonicaliser;
pub(crate) use self::canonicaliser::names_session;
pub use self::typed::{meanings_of_typed, parse_typed};

/// A canonical http or https URL.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CanonicalUrl {
    text: Arc<str>,
}

/// Why a URL cannot be crawled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// It does not parse.
    #[error("not an absolute URL: {0:?}: {1}")]
    Parse(String, url::ParseError),
    /// It is not http or https.
    #[error("neither http nor https: {0:?}")]
    Scheme(String),
    /// It has a user name or password in it; a password is not told.
    #[error("a URL with a user name in it is not crawled: {0:?}")]
    UserInfo(String),
    /// It has no host.
    #[error("no host: {0:?}")]
    Host(String),
    /// Somebody typed it without one, and the standard would take the first part of the path for it.
    #[error("no host between // and /: {0:?}")]
    Typed(String),
    /// Somebody typed a host that no name server can know, and why.
    #[error("no host has such a name, {1}: {0:?}")]
    Name(String, &'static str),
    /// It is too long.
    #[error("longer than {URL_BYTES_MAX} bytes: {0} bytes")]
    Length(usize),
}

impl UrlError {
    /// The fate of a link to such a URL.
    pub fn fate(&self) -> LinkFate {
        match self {
            Self::Parse(..) | Self::Host(_) | Self::Typed(_) | Self::Name(..) => LinkFate::BadUrl,
            Self::Scheme(_) => LinkFate::Scheme,
            Self::UserInfo(_) => LinkFate::UserInfo,
            Self::Length(_) => LinkFate::UrlLength,
        }
    }
}

impl CanonicalUrl {
    /// Reads an absolute URL.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let url = parse_url(text).map_err(|error| UrlError::Parse(shorten(text), error))?;
        Self::from_url(&url)
    }

    /// Reads an absolute URL that somebody typed: see [`parse_typed`]. Its host must be one that may be.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn parse_typed(text: &str) -> Result<Self, UrlError> {
        let url = parse_typed(text)?;
        match typed::why_no_name(&url) {
            Some(why) => Err(UrlError::Name(shorten(text), why)),
            None => Self::from_url(&url),
        }
    }

    /// The canonical form of a URL.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn from_url(url: &Url) -> Result<Self, UrlError> {
        Canonicaliser::default().canonical(url)
    }

    /// A URL that was canonical when it was stored; `None` when what was read back is none.
    pub(crate) fn trusted(text: &str) -> Option<Self> {
        Url::parse(text).is_ok().then(|| Self { text: text.into() })
    }

    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The URL, parsed.
    pub fn to_url(&self) -> Url {
        Url::parse(&self.text).expect("a canonical URL parses")
    }

    /// Host and port.
    pub fn host(&self) -> HostKey {
        HostKey::of(&self.text)
    }

    /// Which of its host's origins it is of.
    pub fn origin(&self) -> Origin {
        Origin::of(&self.text)
    }

    /// Path and query.
    pub fn path_and_query(&self) -> &str {
        let rest = weburl::without_scheme(&self.text);
        rest.find('/').map_or("/", |at| &rest[at..])
    }

    /// Name and value of each parameter of the query.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, &str)> {
        let query = self.text.split_once('?').map_or("", |(_, query)| query);
        let pieces = query.split('&').filter(|piece| !piece.is_empty());
        pieces.map(|piece| piece.split_once('=').unwrap_or((piece, "")))
    }

    /// The path.
    pub fn path(&self) -> &str {
        let path = self.path_and_query();
        path.split('?').next().unwrap_or(path)
    }

    /// Name and value of all that may be left out of the URL where it changes nothing: the parameters of
    /// the query, then what looks like an id in the path.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        let ids = path_ids(self.path()).into_iter();
        self.parameters().chain(ids.map(|id| (id.name, id.value)))
    }

    /// The path without what looks like an id.
    pub fn bare_path(&self) -> String {
        path_ids::without(self.path(), |_| true)
    }

    /// The URL without some of its variables.
    pub(crate) fn without(&self, is_left_out: impl Fn(&str) -> bool) -> String {
        let path = self.path_and_query();
        let origin = self.text.strip_suffix(path).unwrap_or(&self.text);
        let path = path_ids::without(self.path(), |id| is_left_out(id.name));
        let Some((_, query)) = self.text.split_once('?') else {
            return [origin, &path].concat();
        };
        let is_kept = |piece: &&str| !is_left_out(piece.split('=').next().unwrap_or(""));
        let kept: Vec<&str> = query.split('&').filter(is_kept).collect();
        match kept.is_empty() {
            true => [origin, &path].concat(),
            false => [origin, &path, "?", &kept.join("&")].concat(),
        }
    }

    /// The URL with the parameters of its query sorted by name; `None` where they are. Those of one name
    /// keep their order.
    pub(crate) fn in_order(&self) -> Option<String> {
        let (before, query) = self.text.split_once('?')?;
        let name = |piece: &&str| piece.split('=').next().unwrap_or("").to_owned();
        let pieces: Vec<&str> = query.split('&').collect();
        if pieces.is_sorted_by_key(name) {
            return None;
        }
        let mut sorted = pieces;
        sorted.sort_by_key(name);
        Some([before, "?", &sorted.join("&")].concat())
    }

    /// The one variable in which this URL differs from another of the same path, on whichever
    /// host; `None` when they differ in more, or in none.
    pub fn differs_in<'u>(&'u self, other: &'u CanonicalUrl) -> Option<&'u str> {
        if self.bare_path() != other.bare_path() {
            return None;
        }
        let lacks = |url: &'u CanonicalUrl, pair| url.variables().all(|own| own != pair);
        let here = self.variables().filter(|&pair| lacks(other, pair));
        let there = other.variables().filter(|&pair| lacks(self, pair));
        let mut names = here.chain(there).map(|(name, _)| name);
        let name = names.next()?;
        names.all(|other| other == name).then_some(name)
    }

    /// A hash that names the URL on disk: xxh3-128, a frozen function.
    pub fn key(&self) -> u128 {
        xxh3_128(self.text.as_bytes())
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Parses an absolute URL by the WHATWG URL Standard.
///
/// # Errors
/// When it is not an absolute URL.
pub fn parse_url(text: &str) -> Result<Url, url::ParseError> {
    Url::parse(text)
}

/// The beginning of a text, for messages.
fn shorten(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(input: &str, canonical: &str) {
        assert_eq!(CanonicalUrl::parse(input).expect(input).as_str(), canonical);
    }

    #[test]
    fn spellings_that_the_standards_call_the_same_are_one() {
        check("HTTP://A.Example:80/x#y", "http://a.example/x");
        check("https://a.example:443", "https://a.example/");
        check(
            "http://a.example/%7euser/%e4%41",
            "http://a.example/~user/%E4A",
        );
        check("http://a.example/a/./b/../c", "http://a.example/a/c");
        check("http://例子.中国/", "http://xn--fsqu00a.xn--fiqs8s/");
        check("http:\\\\a.example\\x", "http://a.example/x");
    }

    #[test]
    fn what_can_tell_pages_apart_is_kept() {
        for url in [
            "http://a.example/?",
            "http://a.example/?b=1&a=2&&c",
            "http://a.example/a//b/",
            "http://www.a.example/index.html",
            "http://a.example:8080/?sid=1&utm_source=x",
            "http://a.example/a+b%20c",
        ] {
            check(url, url);
        }
    }

    #[test]
    fn escapes_are_decoded_once() {
        check("http://a.example/%2541", "http://a.example/%2541");
        check("http://a.example/%%34%31", "http://a.example/A");
        check("http://a.example/x/%%32e%%32e/y", "http://a.example/y");
        check("http://a.example/%zz%", "http://a.example/%zz%");
    }

    #[test]
    fn escapes_within_escapes_are_decoded_in_one_walk() {
        // Each level took a pass over all of the URL: 2,000 for one link of four thousand bytes.
        let nested = |levels: usize| "%".repeat(levels) + &"3".repeat(levels - 1) + "41";
        check(
            &format!("http://a.example/{}", nested(2_000)),
            "http://a.example/A",
        );
        let dots = nested(1_000).replace("41", "2e");
        check(
            &format!("http://a.example/x/{dots}{dots}/y"),
            "http://a.example/y",
        );
    }

    #[test]
    fn what_is_not_crawled_says_why() {
        let name = |url: &str| CanonicalUrl::parse(url).expect_err(url).fate().to_string();
        assert_eq!(name("a.example"), "bad_url");
        assert_eq!(name("ftp://a.example/"), "scheme");
        assert_eq!(name("http://user:word@a.example/"), "userinfo");
        assert_eq!(
            name(&format!("http://a.example/{}", "x".repeat(URL_BYTES_MAX))),
            "url_length"
        );
    }

    proptest! {
        #[test]
        fn canonical_twice_is_canonical_once(rest in "([a-c0-9%/.?&=#;:@~ +-]|%[0-9a-f]{2}|\\PC){0,40}") {
            if let Ok(once) = CanonicalUrl::parse(&format!("http://a.example/{rest}")) {
                let twice = CanonicalUrl::parse(once.as_str()).expect("a canonical URL parses");
                prop_assert_eq!(&twice, &once);
                prop_assert_eq!(once.to_url().as_str().len(), once.as_str().len());
            }
        }
    }
}
