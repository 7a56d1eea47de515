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
}
