//! How an address that is no URL is to be mended: by what was probably meant.

use crate::url::{CanonicalUrl, UrlError};

use super::FULL_WIDTH_ENDS;
use super::options::{KEYS, nearest};

/// Quotes and brackets in which URLs are copied.
const QUOTES: &str = "\"'`<>“”‘’「」『』《》〈〉";

/// How to mend an address that is no URL to crawl.
pub(super) fn mend_of(address: &str, error: &UrlError) -> String {
    if address.is_empty() {
        return "write the URL right after the colon".to_owned();
    }
    match error {
        UrlError::UserInfo(_) => "remove user name and password".to_owned(),
        UrlError::Length(_) => "a URL this long is not crawled".to_owned(),
        UrlError::Typed(_) => {
            let (scheme, rest) = address.split_once(':').unwrap_or(("https", address));
            let rest = rest.trim_start_matches(['/', '\\']);
            format!(
                "write the host: {scheme}://HOST/{rest}; or {scheme}://{rest} if that begins with it"
            )
        }
        UrlError::Name(..) => match without_needless_dots(address) {
            Some(meant) => format!("did you mean {meant}?"),
            None => "check how the host is spelt".to_owned(),
        },
        UrlError::Scheme(_) | UrlError::Parse(..) | UrlError::Host(_) => {
            let absolute = "write an absolute http or https URL";
            if let Some((scheme, "")) = address.split_once("://") {
                let scheme = nearest(scheme, &["http", "https"]).unwrap_or("https");
                return format!("the host is missing: write {scheme}://HOST/");
            }
            if let Some(unquoted) = usable(address.trim_matches(|c| QUOTES.contains(c))) {
                return format!("take the quotes away: write {unquoted}");
            }
            if let Some(meant) = meant(address).and_then(|meant| usable(&meant)) {
                return format!("did you mean {meant}? {absolute}");
            }
            if let Some(whole) = with_scheme(address).and_then(|whole| usable(&whole)) {
                return format!("write it with its scheme: {whole}");
            }
            match error {
                UrlError::Parse(_, error) => mend_of_part(*error).unwrap_or(absolute).to_owned(),
                _ => absolute.to_owned(),
            }
        }
    }
}

/// An address that may be crawled: no other one is worth a hint.
fn usable(address: &str) -> Option<String> {
    let is_usable = CanonicalUrl::parse_typed(address).is_ok();
    is_usable.then(|| address.to_owned())
}

/// An address whose host has a dot too many, without that.
fn without_needless_dots(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let (host, path) = rest.split_at(rest.find(['/', '?', '#', ':']).unwrap_or(rest.len()));
    let parts = host.split('.').filter(|part| !part.is_empty());
    let host = parts.collect::<Vec<_>>().join(".");
    usable(&format!("{scheme}://{host}{path}"))
}

/// An address that has no scheme, with one.
fn with_scheme(address: &str) -> Option<String> {
    if address.contains("://") {
        return None;
    }
    let rest = address.trim_start_matches('/');
    // A server of one's own seldom has a certificate.
    let is_own =
        rest.starts_with("localhost") || rest.starts_with(|c: char| c.is_ascii_digit() || c == '[');
    let scheme = if is_own { "http" } else { "https" };
    Some(format!("{scheme}://{rest}"))
}

/// How to mend the part of a URL that does not parse.
fn mend_of_part(error: url::ParseError) -> Option<&'static str> {
    match error {
        url::ParseError::InvalidPort => Some("a port is a number up to 65535"),
        url::ParseError::InvalidIpv4Address => {
            Some("an address is four numbers up to 255, such as 192.0.2.1")
        }
        url::ParseError::InvalidIpv6Address => {
            Some("an address of eight parts stands in brackets, such as [2001:db8::1]")
        }
        url::ParseError::IdnaError | url::ParseError::InvalidDomainCharacter => {
            Some("check how the host is spelt")
        }
        _ => None,
    }
}

/// A full-width sign that joins a URL with the next one or with an option, which the URL standard would
/// take for a part of the path: where it stands, what is wrong, and how to mend it.
pub(super) fn joined(address: &str) -> Option<(usize, String, String)> {
    let signs = address.char_indices();
    let mut signs = signs.filter(|(_, sign)| FULL_WIDTH_ENDS.contains(*sign));
    signs.find_map(|(at, sign)| {
        let (before, rest) = (&address[..at], &address[at + sign.len_utf8()..]);
        let lower = rest.to_ascii_lowercase();
        if lower.starts_with("http://") || lower.starts_with("https://") {
            let message = format!("the full-width sign {sign} joins two URLs");
            return Some((at, message, "write one URL a line".to_owned()));
        }
        let (key, value) = rest.split_once(['=', '＝'])?;
        let message = || format!("the full-width sign {sign} joins the URL and {key}");
        let mend = || format!("write a blank between them: {before} {key}={value}");
        KEYS.contains(&key).then(|| (at, message(), mend()))
    })
}

/// The URL that was meant where the signs behind the scheme are full-width, or one is missing.
fn meant(address: &str) -> Option<String> {
    let plain = address.replace('：', ":").replace('／', "/");
    let end = plain.find(|c: char| !c.is_ascii_alphabetic())?;
    let (scheme, rest) = plain.split_at(end);
    let scheme = nearest(scheme, &["http", "https"])?;
    let host = rest.trim_start_matches([':', '/', '\\']);
    let is_sign = rest.starts_with(':') || rest.starts_with("//");
    let written = format!("{scheme}://{host}");
    (is_sign && !host.is_empty() && written != address).then_some(written)
}
