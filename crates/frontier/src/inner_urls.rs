//! URLs in the values of others: where a login form is to lead back to, what is to be shared.
//!
//! ```text
//! /login?next=%2Fa%2F7             a value that is a URL of the same site
//! /login/next/%2Fa%2F7             the same in a path
//! /frames.html?a/7.html            the whole query is the value
//! /login?next=%2Flogin%3Fnext%3D…  nested: the URL within itself
//! ```
//!
//! A value may be in base64 instead (RFC 4648), as Joomla's and Magento's links back are: `return=aHR0cDov…`.
//!
//! A URL *within itself* is never worth a request: whoever follows the link back to a link back comes to a
//! page that another URL has already. It is known by its form alone, unescaped as often as it was escaped.
//! RFC 3986 §3.4 lets a query hold `/` and `?` as they are, so a value need not be escaped at all.
//!
//! Whether the values of a parameter lead anywhere is learnt elsewhere; here they have a name
//! ([`InnerValue`]): the URL without the value, and whether that is itself a URL of the site.

use std::borrow::Cow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD;
use xxhash_rust::xxh3::xxh3_64;

use crate::host::HostKey;
use crate::url::CanonicalUrl;

/// A value is unescaped so often: each URL around another one escapes it once more.
const ROUNDS_MAX: usize = 4;
/// Digits of a URL in base64.
const BASE64_MIN: usize = 8;
/// Stands for the name of a value that has none.
const NAMELESS: &str = "";
/// Values of one URL that are looked at.
const VALUES_MAX: usize = 8;

/// A value in a URL: one of a parameter, or a segment of the path that holds a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerValue<'u> {
    /// The same for all values in this place: host, path and what else is in the query, except for
    /// other values that are URLs of the site.
    pub place: u64,
    /// The parameter's name, empty where it has none; of a path what stands before the value.
    pub name: &'u str,
    /// As it stands in the URL.
    pub value: &'u str,
    /// By its form it is a URL or a path of the site.
    pub is_of_site: bool,
    /// It is a segment of the path.
    pub is_in_path: bool,
}

/// The values in a URL, each in its place.
pub fn inner_values(url: &CanonicalUrl) -> Vec<InnerValue<'_>> {
    let host = url.host();
    let path = url.path();
    let parameters: Vec<_> = url
        .parameters()
        .take(VALUES_MAX)
        .map(
            |(name, value)| match value.is_empty() && name.contains('/') {
                // A query that is a value itself: `/frames.html?org/x/List.html`.
                true => (NAMELESS, name, is_of_site(name, &host)),
                false => (name, value, leads_back(value, &host)),
            },
        )
        .collect();
    let inner =
        segments(path).find(|(_, segment)| segment.contains('%') && is_of_site(segment, &host));
    let bare_path = inner.map_or(path, |(before, _)| before);
    let place = |of: &str, kind: &str| {
        let mut text = [host.as_str(), bare_path, "?", of, kind].concat();
        for (name, value, is_of_site) in &parameters {
            text.extend(["&", name]);
            if *name != of && !is_of_site {
                text.extend(["=", value]);
            }
        }
        xxh3_64(text.as_bytes())
    };
    let of_path = inner.map(|(before, segment)| InnerValue {
        place: place("/", ""),
        name: before,
        value: segment,
        is_of_site: true,
        is_in_path: true,
    });
    let of_query = parameters
        .iter()
        .map(|&(name, value, is_of_site)| InnerValue {
            // Behind one script `?/news/7` and `?/members/3` are places of their own.
            place: match name {
                NAMELESS => place(name, &format!("/{}", first_segment(value))),
                _ => place(name, ""),
            },
            name,
            value,
            is_of_site: is_of_site && name != NAMELESS,
            is_in_path: false,
        });
    of_path.into_iter().chain(of_query).collect()
}

fn first_segment(value: &str) -> &str {
    let value = value.strip_prefix('/').unwrap_or(value);
    value.split('/').next().unwrap_or(value)
}

/// Whether a value is the URL that it stands in once more, with another value in the same place, or holds it
/// again in turn. A URL of another site, or of another path, may well have a parameter of that name.
pub(crate) fn is_nested(
    host: &HostKey,
    path: &str,
    parameters: impl Iterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
) -> bool {
    let is_within = |(before, segment): (&str, &str)| {
        before.len() > 1
            && segment.contains('%')
            && is_of_site(segment, host)
            && unescaped(segment).any(|inner| path_of(&inner).starts_with(before))
    };
    segments(path).any(is_within)
        || parameters.take(VALUES_MAX).any(|(name, value)| {
            let (name, value) = (name.as_ref(), value.as_ref());
            (value.contains(['%', '?']) || from_base64(value).is_some())
                && is_of_site(value, host)
                && unescaped(value).any(|inner| has_parameter(&inner, path, name))
        })
}

/// The segments of a path, each with what stands before it.
fn segments(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let begins = path.match_indices('/').map(|(at, _)| at + 1);
    begins.map(|at| {
        let (before, rest) = path.split_at(at);
        (before, rest.split('/').next().unwrap_or(rest))
    })
}

/// A text, and what it is unescaped or decoded, as often as that makes a difference.
fn unescaped(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut next = Some(Cow::Borrowed(text));
    let rounds = std::iter::from_fn(move || {
        let this = next.take()?;
        next = unescape(&this)
            .or_else(|| from_base64(&this))
            .map(Cow::Owned);
        Some(this)
    });
    rounds.take(1 + ROUNDS_MAX)
}

/// The URL or path that a text is in base64, of either alphabet; none where it is none.
fn from_base64(text: &str) -> Option<String> {
    // Magento has `,` for the padding, which some leave out.
    let digits = text.trim_end_matches(['=', ',', '~']);
    let begins = ["aHR0c", "L"].iter().any(|begin| digits.starts_with(begin));
    if !begins || digits.len() < BASE64_MIN {
        return None;
    }
    let standard = digits.replace('-', "+").replace('_', "/");
    let bytes = STANDARD_NO_PAD.decode(standard).ok()?;
    let decoded = String::from_utf8(bytes).ok()?;
    let is_url = decoded.starts_with("http://") || decoded.starts_with("https://");
    let is_path = decoded.starts_with('/') && decoded.bytes().all(|byte| byte.is_ascii_graphic());
    (is_url || is_path).then_some(decoded)
}

/// A text with each `%XX` as the byte that it stands for; none without any.
pub(crate) fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    let hex = |byte: u8| (byte as char).to_digit(16);
    while let Some((&byte, after)) = rest.split_first() {
        match (byte, after) {
            (b'%', &[high, low, ..]) if hex(high).is_some() && hex(low).is_some() => {
                let digits = hex(high).zip(hex(low));
                bytes.extend(digits.map(|(high, low)| (high * 16 + low) as u8));
                rest = &after[2..];
            }
            _ => {
                bytes.push(byte);
                rest = after;
            }
        }
    }
    (bytes.len() < text.len()).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a text is a URL of this path, or holds one in turn, with a parameter of this name. What stands before its query has no blank:
/// words that somebody looked for may hold a question mark as well.
fn has_parameter(text: &str, path: &str, name: &str) -> bool {
    text.split_once('?').is_some_and(|(before, query)| {
        let again = || unescaped(query).any(|query| query.contains(path));
        let names = query
            .split(['?', '&'])
            .filter_map(|piece| piece.split_once('='));
        !before.contains(|c: char| c.is_whitespace() || c == '+')
            && (path_of(before) == path || again())
            && names.map(|(name, _)| name).any(|own| own == name)
    })
}

/// Whether a value is, unescaped, a path or a URL of a host's site.
fn is_of_site(value: &str, host: &HostKey) -> bool {
    unescaped(value).any(|text| match text.strip_prefix('/') {
        Some(path) => !path.starts_with('/') || is_host(authority_of(&text), host),
        None => text.contains("://") && is_host(authority_of(&text), host),
    })
}

/// Whether the value of a parameter is one, or a reference relative to a page.
fn leads_back(value: &str, host: &HostKey) -> bool {
    is_of_site(value, host) || unescaped(value).any(|text| is_relative(&text))
}

/// Whether a text is, by its form, a reference relative to where it stands (RFC 3986 §4.2): `viewtopic.php?t=12`,
/// `../index.html`. What has neither dots before it nor a query with a value may be any word.
fn is_relative(text: &str) -> bool {
    let is_path = |path: &str| {
        let is_of_path = |byte: u8| byte.is_ascii_alphanumeric() || b"._-~/%".contains(&byte);
        path.contains(['.', '/']) && path.bytes().all(is_of_path)
    };
    match text.split_once('?') {
        Some((path, query)) => is_path(path) && query.find('=').is_some_and(|at| at > 0),
        None => (text.starts_with("./") || text.starts_with("../")) && is_path(text),
    }
}

fn is_host(authority: &str, host: &HostKey) -> bool {
    let name = authority.rsplit('@').next().unwrap_or(authority);
    let name = name.split(':').next().unwrap_or(name);
    let www = |name: &'_ str| {
        name.strip_prefix("www.")
            .unwrap_or(name)
            .to_ascii_lowercase()
    };
    !name.is_empty() && www(name) == www(host.name())
}

/// The host of a URL, with what else stands before its path.
fn authority_of(text: &str) -> &str {
    let rest = text.split_once("//").map_or("", |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest)
}

/// The path of a URL, or a path.
fn path_of(text: &str) -> &str {
    match text.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> CanonicalUrl {
        CanonicalUrl::parse(text).expect(text)
    }

    #[track_caller]
    fn check_nested(text: &str, expected: bool) {
        let url = url(text);
        let nested = is_nested(&url.host(), url.path(), url.parameters());
        assert_eq!(nested, expected, "{text}");
    }

    #[test]
    fn a_url_within_itself_is_nested_however_often_it_was_escaped() {
        for text in [
            "http://a.example/login?next=%2Flogin%3Fnext%3D%252Fa%252F7",
            "http://a.example/login?next=/login?next=/a",
            "http://a.example/login?lang=en&next=http%3A%2F%2Fa.example%2Flogin%3Flang%3Den%26next%3D%252F",
            "http://a.example/login?next=%2Fregister%3Ffrom%3D%252Flogin%253Fnext%253D%25252Fa",
            "http://a.example/login/next/%2Flogin%2Fnext%2F%252Fa",
            // /login?return=Lw==&lang=en, of which `Lw` is a path in turn
            "http://a.example/login?lang=en&return=L2xvZ2luP3JldHVybj1Mdz09Jmxhbmc9ZW4=",
            // http://a.example/login?return=aHR0cDovL2EuZXhhbXBsZS8
            "http://a.example/login?return=aHR0cDovL2EuZXhhbXBsZS9sb2dpbj9yZXR1cm49YUhSMGNEb3ZMMkV1WlhoaGJYQnNaUzg,",
            "http://a.example/login/next/http%3A%2F%2Fa.example%2Flogin%2Fnext%2F%252Fa",
        ] {
            check_nested(text, true);
        }
    }

    #[test]
    fn a_value_that_only_holds_another_url_or_a_question_is_not_nested() {
        for text in [
            "http://a.example/login?next=%2Fa%2F7",
            "http://a.example/login?next=%2Fsearch%3Fq%3Dx",
            "http://a.example/search?q=what+is+%3Fq%3D5",
            "http://a.example/search?q=what%20is%20%3Fq%3D5",
            "http://a.example/list?page=2&next=3",
            "http://a.example/login/next/%2Fa%2F7",
            "http://a.example/wiki/Talk%2Fwiki%2FPages",
            "http://a.example/%2Fa%2F7",
            "http://a.example/?x=%",
            "http://a.example/out?url=https%3A%2F%2Fb.example%2Fgo%3Furl%3Dc",
            "http://a.example/translate?u=https%3A%2F%2Fb.example%2Fa%3Fu%3D5",
            "http://a.example/viewer?id=%2Fdoc%3Fid%3D7",
            "http://a.example/proxy/https%3A%2F%2Fb.example%2Fproxy%2Fx",
            // /a/7
            "http://a.example/login?return=L2EvNw==",
            "http://a.example/search?q=Lexicographically",
        ] {
            check_nested(text, false);
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str, bool)]) {
        let url = url(text);
        let values = inner_values(&url);
        let told: Vec<_> = values
            .iter()
            .map(|value| (value.name, value.value, value.is_of_site))
            .collect();
        assert_eq!(told, expected, "{text}");
    }

    #[test]
    fn values_that_are_urls_of_the_site_are_known_by_their_form() {
        check(
            "http://www.a.example/in?next=%2Fa&back=http%3A%2F%2Fa.example%2Fb&id=7",
            &[
                ("next", "%2Fa", true),
                ("back", "http%3A%2F%2Fa.example%2Fb", true),
                ("id", "7", false),
            ],
        );
        check(
            "http://a.example/out?to=http%3A%2F%2Fb.example%2F&x=%2F%2Fb.example&y=",
            &[
                ("to", "http%3A%2F%2Fb.example%2F", false),
                ("x", "%2F%2Fb.example", false),
                ("y", "", false),
            ],
        );
        check(
            "http://a.example/in/next/%2Fa%2F7",
            &[("/in/next/", "%2Fa%2F7", true)],
        );
        check("http://a.example/AC%2FDC", &[]);
    }

    #[test]
    fn values_have_one_place_where_all_else_is_alike_but_for_other_urls() {
        let place = |text: &str| inner_values(&url(text))[0].place;
        let first = place("http://a.example/in?next=%2Fa&lang=en");
        assert_eq!(first, place("http://a.example/in?next=%2Fb&lang=en"));
        assert_ne!(first, place("http://a.example/in?next=%2Fb&lang=de"));
        assert_ne!(first, place("http://b.example/in?next=%2Fb&lang=en"));
        assert_ne!(first, place("http://a.example/out?next=%2Fb&lang=en"));
        let two = place("http://a.example/in?next=%2Fa&from=%2Fx");
        assert_eq!(two, place("http://a.example/in?next=%2Fb&from=%2Fy"));
        let in_path = place("http://a.example/in/next/%2Fa");
        assert_eq!(in_path, place("http://a.example/in/next/%2Fb"));
        let back = url("http://a.example/in?return=L2FydGljbGVzLzc=");
        assert!(inner_values(&back)[0].is_of_site);
        for (relative, leads_back) in [
            ("viewtopic.php%3Ff%3D3%26t%3D12", true),
            ("./index.php", true),
            ("..%2Fforum%2Fviewforum.php%3Ff%3D2", true),
            ("index.php", false),
            ("what+is+it%3Fa%3Db", false),
            ("who%3Fa%3Db", false),
            ("3.5", false),
        ] {
            let back = url(&format!("http://a.example/in?return={relative}"));
            assert_eq!(inner_values(&back)[0].is_of_site, leads_back, "{relative}");
        }
        // Files of a mirror.
        assert!(
            inner_values(&url("http://a.example/forum/viewtopic.php%3Ft%3D12.html")).is_empty()
        );
        let frames = url("http://a.example/frames.html?org/x/List.html");
        let value = &inner_values(&frames)[0];
        assert_eq!((value.name, value.value), ("", "org/x/List.html"));
        assert!(!value.is_of_site);
        assert_eq!(
            value.place,
            place("http://a.example/frames.html?org/x/Map.html")
        );
        assert_ne!(value.place, place("http://a.example/frames.html?print"));
        let news = place("http://a.example/index.php?/news/7");
        assert_eq!(news, place("http://a.example/index.php?/news/8"));
        assert_ne!(news, place("http://a.example/index.php?/members/7"));
    }
}
