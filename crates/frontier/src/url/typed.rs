//! URLs that somebody typed: what is missing in them, and what they may mean.

use url::Url;

use super::{UrlError, parse_url, shorten};

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

/// Why no name server can know the host of a URL (RFC 1035 §2.3.4): a slip puts a dot too many.
pub(super) fn why_no_name(url: &Url) -> Option<&'static str> {
    let name = url.domain()?;
    let name = name.strip_suffix('.').unwrap_or(name);
    let mut parts = name.split('.');
    match () {
        () if parts.clone().any(str::is_empty) => Some("with a dot too many"),
        () if parts.any(|part| part.len() > 63) => Some("with more than 63 letters in one part"),
        () if name.len() > 253 => Some("with more than 253 letters"),
        () => None,
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

#[cfg(test)]
mod tests {
    use crate::url::{CanonicalUrl, UrlError};

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
    fn a_host_that_no_name_server_can_know_is_a_mistake_in_what_is_typed() {
        // They were taken for seeds, and each failed when the crawl asked for it.
        let long = format!("http://{}.example/", "a".repeat(64));
        let longer = format!("http://{}example/", "abcdefg.".repeat(40));
        for typed in [
            "http://.test/",
            "http://a..b/",
            "https://.a.example:8080/x",
            "http://a.example../",
            &long,
            &longer,
        ] {
            let error = CanonicalUrl::parse_typed(typed).expect_err(typed);
            assert!(matches!(error, UrlError::Name(..)), "{typed}: {error}");
            assert!(CanonicalUrl::parse(typed).is_ok(), "a link may lead there");
        }
        let most = format!("http://{}.例子.测试/", "a".repeat(63));
        for typed in [
            "http://a.example./",
            "http://[::1]/",
            "http://127.1/",
            &most,
        ] {
            assert!(CanonicalUrl::parse_typed(typed).is_ok(), "{typed}");
        }
    }
}
