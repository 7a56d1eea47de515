//! The trait [`Fetch`], its requests and its answers.
//!
//! A crawl knows only this trait, so that a web in memory can take the place of the network in tests,
//! under a paused clock.

use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use url::Url;

use crate::body_type;
use crate::decoding::{self, Decoding};
use crate::error::FetchError;
use crate::limits::FetchLimits;
use crate::retry_after;

/// One request: a URL, its purpose, and the validators of an earlier answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    /// The absolute http or https URL. Its fragment is not sent.
    pub url: Url,
    /// Why the URL is fetched; it determines the `Accept` header and the limit on the body.
    pub purpose: Purpose,
    /// The `ETag` of an earlier answer, sent as `If-None-Match`.
    pub if_none_match: Option<String>,
    /// The `Last-Modified` of an earlier answer, sent as `If-Modified-Since`.
    pub if_modified_since: Option<String>,
}

impl FetchRequest {
    /// A plain request without validators.
    pub fn new(url: Url, purpose: Purpose) -> Self {
        Self {
            url,
            purpose,
            if_none_match: None,
            if_modified_since: None,
        }
    }

    /// A plain request for a page.
    pub fn page(url: Url) -> Self {
        Self::new(url, Purpose::Page)
    }

    /// Refuses a URL that no fetcher may request.
    pub(crate) fn check_url(&self, limits: &FetchLimits) -> Result<(), FetchError> {
        let url = &self.url;
        let bad = |message: &str| {
            Err(FetchError::BadUrl {
                message: message.to_owned(),
            })
        };
        if !matches!(url.scheme(), "http" | "https") {
            return bad("only http and https are fetched");
        }
        if !url.has_host() {
            return bad("no host");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return bad("a URL with a user name or password is not fetched");
        }
        if url.as_str().len() > limits.url_bytes_max {
            return bad("longer than the limit");
        }
        Ok(())
    }
}

/// Why a URL is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A page to read and judge.
    Page,
    /// A host's robots.txt.
    Robots,
    /// A sitemap or feed.
    Sitemap,
}

/// The future that [`Fetch::fetch`] returns.
pub type FetchFuture<'a> = Pin<Box<dyn Future<Output = Result<Fetched, FetchError>> + Send + 'a>>;

/// Something that answers requests: the network, a web in memory, a browser.
///
/// What the implementor guarantees:
///
/// - The answer is for the URL of the request. A redirect is returned and not followed, also one that
///   a script or a `<meta>` of the page causes in a browser.
/// - It connects to no address that the crawl's [`AddressGuard`](crate::AddressGuard) refuses. The check
///   must be made where the connection is made, since a name can resolve differently the next time.
/// - It reads no more and waits no longer than [`FetchLimits`] allow.
/// - Every request that it makes besides (scripts, style sheets and data that a browser loads) passes the
///   same checks.
///
/// [`HttpFetcher`](crate::HttpFetcher) does all of this. What the caller does for all implementors alike:
/// robots.txt, the delay between requests to a host, and the scope. It decides by URL before it calls
/// [`Fetch::fetch`].
pub trait Fetch: Send + Sync {
    /// Makes one request and reads its answer within the limits. No redirect is followed.
    ///
    /// # Errors
    /// A [`FetchError`] when there is no answer at all. An answer of any status is `Ok`, and so
    /// is one whose body was cut after some of it had arrived: see [`Fetched::truncated`].
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a>;

    /// Waits until the fetcher's own limit on requests lets this one go. Whoever makes many requests waits
    /// for it before each [`Fetch::fetch`]; that time is not the host's.
    fn ready<'a>(&'a self, request: &'a FetchRequest) -> ReadyFuture<'a> {
        let _ = request;
        Box::pin(std::future::ready(()))
    }

    /// The address that a request to a host, named as in URLs, would go to first. None where nobody
    /// knows: behind a proxy, without a network, or when the look-up fails.
    fn address<'a>(&'a self, host: &'a str) -> AddressFuture<'a> {
        let _ = host;
        Box::pin(std::future::ready(None))
    }
}

/// The future that [`Fetch::ready`] returns.
pub type ReadyFuture<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// An address that is looked up.
pub type AddressFuture<'a> = Pin<Box<dyn Future<Output = Option<IpAddr>> + Send + 'a>>;

/// An answer: as it was received, or as a browser rendered it (see [`Fetched::via`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The URL that was asked for.
    pub url: Url,
    /// The status code.
    pub status: u16,
    /// `"HTTP/1.1"`, `"HTTP/2"` and so on.
    pub http_version: &'static str,
    /// The headers: names in lower case, in order of first appearance, repetitions together and
    /// in their order, values as bytes.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body as received, still content-encoded; transfer coding removed. Of a rendered answer the
    /// serialized DOM.
    pub body: Bytes,
    /// How the body came about.
    pub via: Via,
    /// The address that answered; the proxy's where there is one.
    pub remote: Option<SocketAddr>,
    /// Why the body is not whole; `None` for a whole one.
    pub truncated: Option<Truncated>,
    /// From the start of the request (connecting included) to the end of the headers.
    pub first_byte: Duration,
    /// From the start of the request to the end of the body.
    pub total: Duration,
    /// How long the fetcher itself kept the body waiting: for a limit on bandwidth, or for memory. It says
    /// nothing of the host.
    pub waited: Duration,
}

/// How the body of an answer came about.
///
/// An archive must not store a rendered body as what the server sent: in WARC it is a `conversion`
/// record, not a `response` (see [`Via::warc_type`]).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Via {
    /// The bytes as the server sent them.
    #[default]
    Wire,
    /// The DOM after the page's scripts have run, serialized as HTML in UTF-8.
    Rendered,
}

impl Via {
    /// The stable name: `wire`, `rendered`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Rendered => "rendered",
        }
    }

    /// The type of the WARC record for such a body (WARC 1.1 §6.3 and §6.8).
    pub fn warc_type(self) -> &'static str {
        match self {
            Self::Wire => "response",
            Self::Rendered => "conversion",
        }
    }
}

/// Why a body is not whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truncated {
    /// It was larger than [`FetchLimits::body_bytes_max`].
    Bytes,
    /// It took longer than a limit: total, idle or minimum rate.
    Time,
    /// The connection was lost before the announced end.
    Disconnect,
}

impl Truncated {
    /// The stable name: `bytes`, `time`, `disconnect`; the first two fit the WARC field.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
        }
    }
}

/// Headers that describe a body as it was sent, and not a rendered one.
const BODY_HEADERS: [&str; 8] = [
    "content-encoding",
    "content-length",
    "content-md5",
    "content-range",
    "content-type",
    "digest",
    "repr-digest",
    "transfer-encoding",
];

impl Fetched {
    /// A whole answer as a server sent it, in no time; the other fields can be set in what comes back.
    pub fn new(
        url: Url,
        status: u16,
        headers: Vec<(String, Vec<u8>)>,
        body: impl Into<Bytes>,
    ) -> Self {
        Self {
            url,
            status,
            http_version: "HTTP/1.1",
            headers,
            body: body.into(),
            via: Via::Wire,
            remote: None,
            truncated: None,
            first_byte: Duration::ZERO,
            total: Duration::ZERO,
            waited: Duration::ZERO,
        }
    }

    /// The same answer with a rendered DOM in place of its body.
    ///
    /// URL, status, address and times stay. Of the headers those stay that do not describe the body
    /// (such as `link`, `x-robots-tag`, `etag`); the content type becomes HTML in UTF-8.
    ///
    /// ```
    /// use fetcher::{FetchLimits, Fetched, Via};
    /// # let url = url::Url::parse("https://example.org/").unwrap();
    /// # let headers = vec![("content-encoding".to_owned(), b"gzip".to_vec())];
    /// let wire = Fetched::new(url, 200, headers, "");
    /// let rendered = wire.into_rendered("<!doctype html><p>made by a script".to_owned());
    /// assert_eq!(rendered.via.warc_type(), "conversion");
    /// assert_eq!(rendered.content_type().as_deref(), Some("text/html; charset=utf-8"));
    /// assert_eq!(rendered.decoded(&FetchLimits::default()).bytes, rendered.body);
    /// ```
    pub fn into_rendered(self, dom: String) -> Self {
        let mut headers = self.headers;
        headers.retain(|(name, _)| !BODY_HEADERS.contains(&name.as_str()));
        headers.push((
            "content-type".to_owned(),
            b"text/html; charset=utf-8".to_vec(),
        ));
        Self {
            headers,
            body: Bytes::from(dom),
            via: Via::Rendered,
            truncated: None,
            ..self
        }
    }

    /// The first value of a header, by its lower-case name, trimmed; `None` when it is absent or
    /// not UTF-8.
    pub fn header(&self, name: &str) -> Option<&str> {
        let (_, value) = self.headers.iter().find(|(n, _)| n == name)?;
        std::str::from_utf8(value).ok().map(str::trim)
    }

    /// Every value of a header that is UTF-8, in order.
    pub fn header_values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s str> {
        self.headers
            .iter()
            .filter(move |(n, _)| n == name)
            .filter_map(|(_, value)| std::str::from_utf8(value).ok())
            .map(str::trim)
    }

    /// The Content-Type as declared. Of several the last counts, as WHATWG's Fetch has it.
    pub fn content_type(&self) -> Option<String> {
        self.header_values("content-type").last().map(str::to_owned)
    }

    /// Where a redirect leads: the Location of a 301, 302, 303, 307 or 308, resolved against the
    /// URL. `None` for other statuses, without a Location, or when it cannot be parsed.
    ///
    /// A Location without a fragment does not inherit the URL's, since fragments mean nothing to a crawler.
    pub fn location(&self) -> Option<Url> {
        if !matches!(self.status, 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let (_, value) = self.headers.iter().find(|(n, _)| n == "location")?;
        match std::str::from_utf8(value) {
            Ok(location) => weburl::resolve(&self.url, location.trim()),
            // Neither ASCII nor UTF-8: each byte is percent-encoded.
            Err(_) => weburl::resolve(&self.url, escape_high(value).trim()),
        }
    }

    /// Whether the body is a part of what is there: a 206 whose Content-Range does not cover all of it, or which has
    /// several parts (RFC 9110 §15.3.7). No part is ever asked for, and some servers and caches send one; a 206 that does
    /// not say which part it is has all of the body.
    pub fn is_part(&self) -> bool {
        let range = self.header("content-range");
        let has_parts = || {
            let content_type = self.content_type().unwrap_or_default();
            let start = content_type.get(..20).unwrap_or_default();
            start.eq_ignore_ascii_case("multipart/byteranges")
        };
        self.status == 206 && range.map_or_else(has_parts, |range| !covers_all(range))
    }

    /// The type by which the body is read; `bytes` is the body with its content codings undone. Beside what
    /// [`body_type`](crate::body_type()) says, a page is one that is sent as a file of any kind or as a text, and what
    /// is sent as a file of unknown kind is a text by its name, if they are not to be saved.
    pub fn body_type(&self, bytes: &[u8]) -> String {
        let disposition = self.header("content-disposition").unwrap_or_default();
        let is_attachment = body_type::is_attachment(disposition);
        let content_type = self.content_type();
        let declared =
            body_type::declared_type(content_type.as_deref(), self.url.path(), is_attachment);
        let found = body_type::body_type(declared.as_deref(), bytes);
        match body_type::is_page_in_disguise(&found, bytes) && !is_attachment {
            true => "text/html".to_owned(),
            false => found,
        }
    }

    /// How long after `now` the server asks not to be contacted (`Retry-After`); at most a week.
    pub fn retry_after(&self, now: SystemTime) -> Option<Duration> {
        retry_after::parse_at(self.header("retry-after")?, self.header("date"), now)
    }

    /// The body with its content codings removed, within the limits. This takes some milliseconds of
    /// CPU time per megabyte: do not call it on the threads of an async runtime.
    pub fn decoded(&self, limits: &FetchLimits) -> Decoding {
        decoding::decode(&self.body, self.header_values("content-encoding"), limits)
    }
}

/// Whether a range such as `bytes 0-99/100` is all there is (RFC 9110 §14.4).
fn covers_all(range: &str) -> bool {
    let numbers = || {
        let (unit, range) = range.split_once(' ')?;
        let (range, all) = range.trim().split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let number = |text: &str| text.parse::<u64>().ok();
        let is_bytes = unit.eq_ignore_ascii_case("bytes");
        is_bytes.then_some((number(first)?, number(last)?, number(all)?))
    };
    numbers().is_some_and(|(first, last, all)| first == 0 && last.checked_add(1) == Some(all))
}

/// The text with every byte beyond ASCII percent-encoded.
pub(crate) fn escape_high(bytes: &[u8]) -> String {
    let escape = |byte: &u8| match byte {
        0x80.. => format!("%{byte:02X}"),
        ascii => char::from(*ascii).to_string(),
    };
    bytes.iter().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, headers: &[(&str, &str)]) -> Fetched {
        let url = Url::parse("http://a.example/dir/page?x=1").unwrap();
        let headers = headers
            .iter()
            .map(|(n, v)| ((*n).to_owned(), v.as_bytes().to_vec()))
            .collect();
        Fetched::new(url, status, headers, "")
    }

    #[test]
    fn a_rendered_answer_keeps_what_does_not_describe_the_body_of_the_wire() {
        let mut wire = answer(
            200,
            &[
                ("content-type", "text/html; charset=gbk"),
                ("content-encoding", "gzip"),
                ("content-length", "7"),
                ("x-robots-tag", "noindex"),
                ("etag", "\"a\""),
            ],
        );
        wire.truncated = Some(Truncated::Bytes);
        assert_eq!(
            (wire.via.name(), wire.via.warc_type()),
            ("wire", "response")
        );
        let url = wire.url.clone();
        let rendered = wire.into_rendered("<p>网页".to_owned());
        assert_eq!(rendered.via, Via::Rendered);
        assert_eq!(rendered.via.name(), "rendered");
        assert_eq!(rendered.via.warc_type(), "conversion");
        assert_eq!((rendered.url.clone(), rendered.status), (url, 200));
        assert_eq!(rendered.truncated, None);
        let names: Vec<&str> = rendered
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["x-robots-tag", "etag", "content-type"]);
        let decoding = rendered.decoded(&FetchLimits::default());
        assert_eq!(decoding.bytes, "<p>网页".as_bytes());
        assert_eq!(decoding.stopped, None);
    }

    #[test]
    fn a_location_is_resolved_against_the_url() {
        let to = |location| answer(302, &[("location", location)]).location();
        assert_eq!(
            to("b/c?d=1").unwrap().as_str(),
            "http://a.example/dir/b/c?d=1"
        );
        assert_eq!(to("//b.example").unwrap().as_str(), "http://b.example/");
        assert_eq!(to("/b c").unwrap().as_str(), "http://a.example/b%20c");
        assert_eq!(to("http://[").as_ref(), None);
        // It was no redirect, and its body was read as a page.
        assert_eq!(to("///b.example/x").unwrap().as_str(), "http://b.example/x");
    }

    #[test]
    fn a_location_beyond_ascii_is_escaped_byte_by_byte() {
        let mut fetched = answer(302, &[("location", "/ação")]);
        let utf8 = fetched.location().unwrap();
        assert_eq!(utf8.as_str(), "http://a.example/a%C3%A7%C3%A3o");
        fetched.headers[0].1 = b"/a\xe7\xe3o".to_vec();
        let latin1 = fetched.location().unwrap();
        assert_eq!(latin1.as_str(), "http://a.example/a%E7%E3o");
    }

    #[test]
    fn only_a_redirect_status_has_a_location() {
        assert!(answer(201, &[("location", "/x")]).location().is_none());
        assert!(answer(304, &[("location", "/x")]).location().is_none());
        assert!(answer(301, &[]).location().is_none());
    }

    #[test]
    fn of_several_content_types_the_last_counts() {
        let fetched = answer(
            200,
            &[
                ("content-type", "text/plain"),
                ("content-type", "text/html; charset=gbk"),
            ],
        );
        assert_eq!(
            fetched.content_type().as_deref(),
            Some("text/html; charset=gbk")
        );
    }

    #[test]
    fn an_answer_of_206_is_a_part_unless_its_range_is_all_there_is() {
        let is_part = |status, range| answer(status, &[("content-range", range)]).is_part();
        assert!(!is_part(206, "bytes 0-99/100"));
        assert!(!is_part(206, "Bytes  0-99/100"));
        assert!(!is_part(200, "bytes 0-9/100"));
        for range in [
            "bytes 0-49/100",
            "bytes 1-99/100",
            "bytes 0-99/*",
            "bytes */100",
            "bytes 0-18446744073709551615/0",
            "lines 0-99/100",
            "",
        ] {
            assert!(is_part(206, range), "{range}");
        }
        // Each page of a server that calls all its answers so was asked for four times.
        assert!(!answer(206, &[]).is_part());
        let parts = [("content-type", "Multipart/byteranges; boundary=x")];
        assert!(answer(206, &parts).is_part());
    }

    #[test]
    fn a_page_that_is_sent_as_a_file_of_any_kind_is_one_unless_it_is_to_be_saved() {
        let of =
            |fields: &[(&str, &str)], body: &str| answer(200, fields).body_type(body.as_bytes());
        let page = "<!-- x --><!DOCTYPE html>\n<HTML lang=en>";
        for declared in [
            "application/octet-stream",
            "application/x-httpd-php",
            "httpd/unix-directory",
            "text/htm",
        ] {
            let field = ("content-type", declared);
            assert_eq!(of(&[field], page), "text/html");
            let saved = [
                field,
                ("content-disposition", "Attachment; filename=a.html"),
            ];
            assert_eq!(of(&saved, page), declared);
            for file in ["<p>words", "words <html>", "<htmlx>", "\0\u{1}", ""] {
                assert_eq!(of(&[field], file), declared, "{file}");
            }
        }
        assert_eq!(of(&[("content-type", "text/css")], page), "text/css");
    }
}
