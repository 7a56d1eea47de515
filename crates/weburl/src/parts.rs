//! The parts of a URL's text, by its signs alone.
//!
//! They are for URLs that were parsed and written down again, such as canonical ones and those of records: no
//! parser is asked, and a text that is no URL has some part, too.

use std::borrow::Cow;

/// The longest URL that is crawled, in bytes; servers refuse longer ones.
pub const URL_BYTES_MAX: usize = 2_048;

/// The URL as it may be shown and logged: `***` stands for a password.
///
/// ```
/// assert_eq!(weburl::without_password("http://bob:pw@a.example/x"), "http://bob:***@a.example/x");
/// assert_eq!(weburl::without_password("http://a.example:80/@x"), "http://a.example:80/@x");
/// ```
pub fn without_password(url: &str) -> Cow<'_, str> {
    let before = url.len() - without_scheme(url).len();
    let user = host_of(url).rsplit_once('@').map(|(user, _)| user);
    let Some((name, password)) = user.and_then(|user| user.split_once(':')) else {
        return Cow::Borrowed(url);
    };
    let at = before + name.len() + 1;
    Cow::Owned(format!("{}***{}", &url[..at], &url[at + password.len()..]))
}

/// What stands behind the scheme: `a.example/x`. All of a text without one.
pub fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

/// Host and port: what stands between the scheme and the path.
///
/// ```
/// assert_eq!(weburl::host_of("http://a.example:8080/x"), "a.example:8080");
/// assert_eq!(weburl::host_of("http://a.example?y"), "a.example");
/// assert_eq!(weburl::host_of("nonsense"), "nonsense");
/// ```
pub fn host_of(url: &str) -> &str {
    let rest = without_scheme(url);
    &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())]
}

/// Scheme and authority: the part that a robots.txt is for.
///
/// ```
/// assert_eq!(weburl::origin_of("https://a.example:8080?x=/"), "https://a.example:8080");
/// assert_eq!(weburl::origin_of("http://a.example"), "http://a.example");
/// ```
pub fn origin_of(url: &str) -> &str {
    let before = url.len() - without_scheme(url).len();
    &url[..before + host_of(url).len()]
}
