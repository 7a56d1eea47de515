//! Canonical URLs: the name under which a page is known.
//!
//! Each step joins only spellings that the standards call the same:
//! 1. parse and serialise by the WHATWG URL Standard (case of scheme and host, IDNA, default
//!    ports, dot segments);
//! 2. drop the fragment, which is never sent (RFC 9110 §4.2.5);
//! 3. decode escapes of unreserved characters, once, and write the others in upper case
//!    (RFC 3986 §6.2.2).
//!
//! Everything else can tell two pages apart and is kept, unless a [`Canonicaliser`] is told
//! otherwise.

use std::fmt;
use std::sync::Arc;

use url::Url;
use xxhash_rust::xxh3::xxh3_128;

use crate::host::HostKey;

/// Longest URL that is crawled, in bytes; servers refuse longer ones.
pub const URL_BYTES_MAX: usize = 2_048;

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
    /// It has a user name or password in it.
    #[error("a URL with a user name in it is not crawled: {0:?}")]
    UserInfo(String),
    /// It has no host.
    #[error("no host: {0:?}")]
    Host(String),
    /// It is too long.
    #[error("longer than {URL_BYTES_MAX} bytes: {0} bytes")]
    Length(usize),
}

impl UrlError {
    /// The stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Parse(..) | Self::Host(_) => "bad_url",
            Self::Scheme(_) => "scheme",
            Self::UserInfo(_) => "userinfo",
            Self::Length(_) => "url_length",
        }
    }
}

/// How URLs are made canonical. The default keeps all that can tell two pages apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canonicaliser {
    /// Sort the parameters of queries.
    pub sort_query: bool,
    /// Names of parameters to drop; a `*` at the end stands for any rest.
    pub drop_params: Vec<String>,
}

impl CanonicalUrl {
    /// Reads an absolute URL.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let url = Url::parse(text).map_err(|error| UrlError::Parse(shorten(text), error))?;
        Self::from_url(&url)
    }

    /// The canonical form of a URL.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn from_url(url: &Url) -> Result<Self, UrlError> {
        Canonicaliser::default().canonical(url)
    }

    /// A URL that was canonical when it was stored.
    pub(crate) fn trusted(text: &str) -> Self {
        Self { text: text.into() }
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

    /// Path and query.
    pub fn path_and_query(&self) -> &str {
        let rest = self.text.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("/", |at| &rest[at..])
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

impl Canonicaliser {
    /// The canonical form of a URL that is to be crawled.
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn canonical(&self, url: &Url) -> Result<CanonicalUrl, UrlError> {
        let shown = || shorten(url.as_str());
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme(shown()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::UserInfo(shown()));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(UrlError::Host(shown()));
        }
        let text = self.normalise(url);
        if text.len() > URL_BYTES_MAX {
            return Err(UrlError::Length(text.len()));
        }
        Ok(CanonicalUrl { text: text.into() })
    }

    /// The normal form of any URL, whatever its scheme.
    pub fn normalise(&self, url: &Url) -> String {
        let mut url = url.clone();
        url.set_fragment(None);
        if let Some(query) = url.query().map(str::to_owned) {
            if self.sort_query || !self.drop_params.is_empty() {
                let query = self.query(&query);
                url.set_query(Some(query.as_str()).filter(|query| !query.is_empty()));
            }
        }
        fold_escapes(url.as_str())
    }

    fn query(&self, query: &str) -> String {
        let mut pieces: Vec<&str> = query
            .split('&')
            .filter(|piece| !self.is_dropped(piece.split('=').next().unwrap_or(piece)))
            .collect();
        if self.sort_query {
            pieces.retain(|piece| !piece.is_empty());
            pieces.sort_unstable();
        }
        pieces.join("&")
    }

    fn is_dropped(&self, name: &str) -> bool {
        self.drop_params
            .iter()
            .any(|dropped| match dropped.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == dropped,
            })
    }
}

/// Resolves a reference against a base by the WHATWG URL Standard. `None` when it does not parse.
pub fn resolve(base: &Url, reference: &str) -> Option<Url> {
    base.join(reference).ok()
}

/// Decodes escapes of unreserved characters, once; writes the others in upper case.
fn fold_escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(found) = text[at..].find('%') {
        let percent = at + found;
        out.push_str(&text[at..percent]);
        let digits = bytes.get(percent + 1..percent + 3);
        match digits.and_then(|digits| hex(digits[0]).zip(hex(digits[1]))) {
            Some((high, low)) => {
                let byte = high << 4 | low;
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    out.push(char::from(byte));
                } else {
                    out.push('%');
                    for digit in [high, low] {
                        out.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
                    }
                }
                at = percent + 3;
            }
            None => {
                out.push('%');
                at = percent + 1;
            }
        }
    }
    out.push_str(&text[at..]);
    out
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

fn shorten(text: &str) -> String {
    text.chars().take(200).collect()
}
