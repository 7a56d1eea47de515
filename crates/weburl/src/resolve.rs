//! Resolving a reference against a base URL by the WHATWG URL standard.
//!
//! Two things differ from a plain call of crate `url`. A reference that begins with more than two
//! slashes names a host (`///host/path`; "special authority ignore slashes state"), where crate `url`
//! 2.5.8 fails. And the query is encoded in the page's encoding, as browsers do, so that a server
//! that expects GBK gets the query that its own forms would send.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding};
use url::Url;

/// Resolves a reference against its base; `None` where the standard returns failure.
///
/// ```
/// # use url::Url;
/// let base = Url::parse("http://example.com/a/b").unwrap();
/// let join = |reference| weburl::resolve(&base, reference).map(String::from);
/// assert_eq!(join("../c?d#e").as_deref(), Some("http://example.com/c?d#e"));
/// assert_eq!(join("///other.example/x").as_deref(), Some("http://other.example/x"));
/// assert_eq!(join("http://["), None);
/// ```
pub fn resolve(base: &Url, reference: &str) -> Option<Url> {
    resolve_in(base, reference, encoding_rs::UTF_8)
}

/// As [`resolve`], for a page in that encoding.
pub fn resolve_in(base: &Url, reference: &str, encoding: &'static Encoding) -> Option<Url> {
    let reference = host_after_two_slashes(base, reference);
    let encoding = encoding.output_encoding();
    let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| encode_query(query, encoding);
    let mut options = Url::options().base_url(Some(base));
    if encoding != encoding_rs::UTF_8 {
        options = options.encoding_override(Some(encode));
    }
    options.parse(&reference).ok()
}

/// The reference with three or more leading slashes as two, if the base's scheme has hosts.
fn host_after_two_slashes<'r>(base: &Url, reference: &'r str) -> Cow<'r, str> {
    if !matches!(base.scheme(), "http" | "https" | "ws" | "wss" | "ftp") {
        return Cow::Borrowed(reference);
    }
    let mut slashes = 0;
    let mut rest = reference.trim_start_matches(|char| char <= ' ');
    // The standard ignores tabs and line breaks anywhere in a URL.
    while let Some(char) = rest.chars().next() {
        match char {
            '/' | '\\' => slashes += 1,
            '\t' | '\n' | '\r' => {}
            _ => break,
        }
        rest = &rest[1..];
    }
    if slashes > 2 {
        Cow::Owned(format!("//{rest}"))
    } else {
        Cow::Borrowed(reference)
    }
}

/// The bytes of a query. A character that the encoding lacks becomes `%26%23NNN%3B`, as in a form
/// that a browser sends.
fn encode_query<'q>(query: &'q str, encoding: &'static Encoding) -> Cow<'q, [u8]> {
    if query.is_ascii() {
        return Cow::Borrowed(query.as_bytes());
    }
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::with_capacity(query.len() + 16);
    let mut rest = query;
    loop {
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::OutputFull => bytes.reserve(rest.len() * 3 + 16),
            EncoderResult::Unmappable(char) => {
                bytes.extend_from_slice(format!("%26%23{}%3B", u32::from(char)).as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(base: &str, reference: &str, expected: Option<&str>) {
        let base = Url::parse(base).expect(base);
        assert_eq!(
            resolve(&base, reference).as_ref().map(Url::as_str),
            expected,
            "{reference:?}"
        );
    }

    #[test]
    fn two_or_more_slashes_begin_a_host() {
        for reference in [
            "//h/p",
            "///h/p",
            "////h/p",
            "/\\/h/p",
            "\\\\\\h\\p",
            " /\t/\n/h/p",
        ] {
            check("http://example.com/a", reference, Some("http://h/p"));
        }
        check("https://example.com/a", "///h:443/p", Some("https://h/p"));
        check("http://example.com/a", "///", None);
        check("http://example.com/a", "/p", Some("http://example.com/p"));
        check("http://example.com/a", "http:///h/p", Some("http://h/p"));
    }

    #[test]
    fn a_file_may_have_three_slashes() {
        check("file:///a/b", "///c", Some("file:///c"));
    }

    #[test]
    fn references_without_an_absolute_url_are_none() {
        check("http://example.com/", "http://[x", None);
        check("http://example.com/", "http://a b/", None);
    }

    #[test]
    fn the_query_is_in_the_page_s_encoding_and_the_path_in_utf_8() {
        let base = Url::parse("http://example.com/").unwrap();
        let join =
            |reference, encoding| resolve_in(&base, reference, encoding).unwrap().to_string();
        assert_eq!(
            join("目?q=目录", encoding_rs::GBK),
            "http://example.com/%E7%9B%AE?q=%C4%BF%C2%BC"
        );
        assert_eq!(
            join("?q=目&r", encoding_rs::WINDOWS_1252),
            "http://example.com/?q=%26%2330446%3B&r"
        );
        assert_eq!(
            join("?q=目", encoding_rs::UTF_16LE),
            "http://example.com/?q=%E7%9B%AE"
        );
    }

    proptest! {
        #[test]
        fn any_reference_joins_or_fails(reference in "\\PC{0,60}", slashes in "[/\\\\\t ]{0,6}") {
            let base = Url::parse("http://example.com/a/b?c").unwrap();
            let reference = slashes + &reference;
            resolve(&base, &reference);
            resolve_in(&base, &reference, encoding_rs::SHIFT_JIS);
        }

        #[test]
        fn what_joins_is_absolute_and_joins_to_itself(reference in "[a-z/?#.:&=%-]{0,30}") {
            let base = Url::parse("http://example.com/a/b?c").unwrap();
            if let Some(url) = resolve(&base, &reference) {
                prop_assert_eq!(resolve(&base, url.as_str()), Some(url));
            }
        }
    }
}
