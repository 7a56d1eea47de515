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

use std::fmt;
use std::sync::Arc;

use outcome::LinkFate;
use url::Url;
use weburl::URL_BYTES_MAX;
use xxhash_rust::xxh3::xxh3_128;

use crate::host::HostKey;
use crate::origin::Origin;
use crate::path_ids::{self, PathId, path_ids};

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
    /// Somebody typed it without one, and the standard would take the first part of the path for it.
    #[error("no host between // and /: {0:?}")]
    Typed(String),
    /// It is too long.
    #[error("longer than {URL_BYTES_MAX} bytes: {0} bytes")]
    Length(usize),
}

impl UrlError {
    /// The fate of a link to such a URL.
    pub fn fate(&self) -> LinkFate {
        match self {
            Self::Parse(..) | Self::Host(_) | Self::Typed(_) => LinkFate::BadUrl,
            Self::Scheme(_) => LinkFate::Scheme,
            Self::UserInfo(_) => LinkFate::UserInfo,
            Self::Length(_) => LinkFate::UrlLength,
        }
    }
}

/// Parameters that tell the site where a visitor came from.
const TRACKING: &[&str] = &[
    "utm_*",
    "gclid",
    "gclsrc",
    "dclid",
    "gbraid",
    "wbraid",
    "fbclid",
    "msclkid",
    "twclid",
    "yclid",
    "igshid",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "mkt_tok",
    "oly_anon_id",
    "oly_enc_id",
    "vero_id",
    "spm",
    "_openstat",
];

/// Parameters that tell the site which visitor asks. Compared without case.
const SESSION: &[&str] = &[
    "phpsessid",
    "jsessionid",
    "aspsessionid*",
    "asp.net_sessionid",
    "sessionid",
    "session_id",
    "sid",
    "cfid",
    "cftoken",
    "zenid",
    "oscsid",
];

/// File names that servers answer for their folder.
const INDEX_PAGES: &[&str] = &[
    "index.html",
    "index.htm",
    "index.shtml",
    "index.xhtml",
    "index.php",
    "index.asp",
    "index.aspx",
    "index.jsp",
    "default.html",
    "default.htm",
    "default.asp",
    "default.aspx",
];

/// How URLs are made canonical. The default keeps all that can tell two pages apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Canonicaliser {
    /// Sort the parameters of queries by bytes and drop empty ones.
    pub sort_query: bool,
    /// Names of parameters to drop; a `*` at the end stands for any rest.
    pub drop_params: Vec<String>,
    /// Drop well-known tracking parameters, such as `utm_source`.
    pub drop_tracking: bool,
    /// Drop well-known session ids: in the query, as `;jsessionid=` or `;sid=` in the path, and ASP.NET's
    /// segment `(S(…))`.
    pub drop_sessions: bool,
    /// Drop `index.html` and its like from the end of the path.
    pub drop_index_pages: bool,
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

    /// Reads an absolute URL that somebody typed: see [`parse_typed`].
    ///
    /// # Errors
    /// When it cannot be crawled.
    pub fn parse_typed(text: &str) -> Result<Self, UrlError> {
        Self::from_url(&parse_typed(text)?)
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

    /// The normal form of any URL, whatever its scheme. One with user and password keeps them.
    pub fn normalise(&self, url: &Url) -> String {
        let mut url = url.clone();
        url.set_fragment(None);
        let folded = fold_escapes(url.as_str());
        if !self.changes_queries() && !self.drop_index_pages || url.cannot_be_a_base() {
            return folded;
        }
        // The options look at the folded form: `%69ndex.html` is an index page too.
        let Ok(mut url) = Url::parse(&folded) else {
            return folded;
        };
        if let Some(query) = url.query().map(str::to_owned) {
            let query = self.query(&query);
            url.set_query(query.as_deref());
        }
        let path = self.path(url.path());
        if path != url.path() {
            url.set_path(&path);
        }
        url.into()
    }

    fn changes_queries(&self) -> bool {
        self.sort_query || self.drop_tracking || self.drop_sessions || !self.drop_params.is_empty()
    }

    /// The query that is left; `None` when nothing is.
    fn query(&self, query: &str) -> Option<String> {
        let is_kept = |piece: &&str| !self.is_dropped(piece.split('=').next().unwrap_or(piece));
        let mut pieces: Vec<&str> = query.split('&').filter(is_kept).collect();
        if self.sort_query {
            pieces.retain(|piece| !piece.is_empty());
            pieces.sort_unstable();
        }
        let left = pieces.join("&");
        (!left.is_empty() || left == query && !self.sort_query).then_some(left)
    }

    fn is_dropped(&self, name: &str) -> bool {
        let lower = || name.to_ascii_lowercase();
        self.drop_params
            .iter()
            .any(|pattern| matches(pattern, name))
            || self.drop_tracking && TRACKING.iter().any(|pattern| matches(pattern, &lower()))
            || self.drop_sessions && names_session(name)
    }

    fn path(&self, path: &str) -> String {
        let is_dropped = |id: &PathId<'_>| self.drop_sessions && names_session(id.name);
        let mut path = path_ids::without(path, is_dropped);
        if self.drop_index_pages {
            let name_at = path.rfind('/').map_or(0, |at| at + 1);
            if INDEX_PAGES.contains(&path[name_at..].to_ascii_lowercase().as_str()) {
                path.truncate(name_at);
            }
        }
        path
    }
}

/// Whether a variable of this name tells which visitor asks.
pub(crate) fn names_session(name: &str) -> bool {
    let lower = name.trim_start_matches(';').to_ascii_lowercase();
    name == path_ids::COOKIELESS || SESSION.iter().any(|pattern| matches(pattern, &lower))
}

/// Whether a name is meant by a pattern that may end with `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Parses an absolute URL by the WHATWG URL Standard.
///
/// # Errors
/// When it is not an absolute URL.
pub fn parse_url(text: &str) -> Result<Url, url::ParseError> {
    Url::parse(text)
}

/// Parses an absolute URL that somebody typed. The standard takes `http:///x` for `http://x/`, as browsers do
/// with links; in what is typed a host was forgotten.
///
/// # Errors
/// When it is not an absolute URL, or lacks its host.
pub fn parse_typed(text: &str) -> Result<Url, UrlError> {
    let url = parse_url(text).map_err(|error| UrlError::Parse(shorten(text), error))?;
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    let is_web = matches!(url.scheme(), "http" | "https");
    match is_web && rest.replace('\\', "/").starts_with("///") {
        true => Err(UrlError::Typed(shorten(text))),
        false => Ok(url),
    }
}

/// What somebody who typed a URL may mean, the likeliest first and at least one: without a scheme it is of
/// https or of http.
pub fn meanings_of_typed(typed: &str) -> Vec<String> {
    let typed = typed.trim();
    let host = typed.split(['/', ':', '?']).next().unwrap_or_default();
    let is_host = host.contains('.') || host == "localhost";
    match typed.contains("://") || !is_host {
        true => vec![typed.to_owned()],
        false => ["https", "http"]
            .map(|scheme| format!("{scheme}://{typed}"))
            .to_vec(),
    }
}

/// Decodes escapes of unreserved characters and writes the others in upper case. Where decoding forms an
/// escape anew, that is decoded, too. One walk does it: an escape is looked for where it ends, behind each
/// byte that comes and behind each that was decoded.
fn fold_escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut has_new_dot = false;
    for byte in text.bytes() {
        out.push(byte);
        while let [.., b'%', high, low] = out[..]
            && let Some((high, low)) = hex(high).zip(hex(low))
        {
            let start = out.len() - 3;
            let byte = high << 4 | low;
            if !(byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)) {
                out[start..].make_ascii_uppercase();
                break;
            }
            out.truncate(start);
            out.push(byte);
            has_new_dot |= byte == b'.';
        }
    }
    let folded = String::from_utf8(out).expect("ASCII takes the place of ASCII");
    // The dots may make a dot segment.
    match has_new_dot {
        true => Url::parse(&folded).map_or(folded, String::from),
        false => folded,
    }
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

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
    fn a_host_that_was_forgotten_is_a_mistake_in_what_is_typed_and_none_in_a_link() {
        for typed in [
            "http:///x",
            " HTTPS:///a.example/x",
            "http:////x/y",
            r"http:\\\x",
        ] {
            let error = CanonicalUrl::parse_typed(typed).expect_err(typed);
            assert!(matches!(error, UrlError::Typed(_)), "{typed}: {error}");
            assert!(error.to_string().contains("no host between // and /"));
        }
        assert_eq!(
            CanonicalUrl::parse("http:///x/y").expect("a link").as_str(),
            "http://x/y"
        );
        for typed in ["http://a.example///x", "http://a.example/?u=http:///x"] {
            assert_eq!(CanonicalUrl::parse_typed(typed), CanonicalUrl::parse(typed));
        }
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

    #[test]
    fn options_drop_what_they_name_and_nothing_else() {
        let all = Canonicaliser {
            sort_query: true,
            drop_params: vec!["ref".into(), "x_*".into()],
            drop_tracking: true,
            drop_sessions: true,
            drop_index_pages: true,
        };
        let check = |input: &str, expected: &str| {
            assert_eq!(all.normalise(&Url::parse(input).expect(input)), expected);
        };
        check(
            "http://a.example/?b=2&ref=x&a=1&x_1=&refs=1",
            "http://a.example/?a=1&b=2&refs=1",
        );
        check(
            "http://a.example/?utm_source=x&PHPSESSID=1",
            "http://a.example/",
        );
        check("http://a.example/d/Index.html?q", "http://a.example/d/?q");
        check("http://a.example/d;jsessionid=1A?q", "http://a.example/d?q");
        check(
            "http://a.example/d;JSESSIONID=1A/b;v=1",
            "http://a.example/d/b;v=1",
        );
        check("http://a.example/(S(1a))/d", "http://a.example/d");
        check(
            "http://a.example/myindex.html",
            "http://a.example/myindex.html",
        );
    }

    fn any_options() -> impl Strategy<Value = Canonicaliser> {
        any::<[bool; 4]>().prop_map(
            |[sort_query, drop_tracking, drop_sessions, drop_index_pages]| Canonicaliser {
                sort_query,
                drop_tracking,
                drop_sessions,
                drop_index_pages,
                drop_params: vec!["a*".into()],
            },
        )
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

        #[test]
        fn options_keep_that_law_and_nothing_panics(
            text in "(http://)?\\PC{0,40}",
            base in "http://[a-z.]{1,8}/\\PC{0,10}",
            options in any_options(),
        ) {
            let base = Url::parse(&base).ok();
            if let Some(url) = base.as_ref().and_then(|base| weburl::resolve(base, &text))
                && let Ok(once) = options.canonical(&url) {
                    let twice = options.canonical(&once.to_url());
                    prop_assert_eq!(twice.as_ref(), Ok(&once));
                    let _ = (once.host().registrable(), once.key());
                }
            let _ = CanonicalUrl::parse(&text);
        }
    }
}
