//! The URL that a page states itself, for a page that was given none.
//!
//! The classifier uses the page's URL, and whether a link leads to another site depends on the
//! page's host. So a page from a file is read better with the URL that it states. On 454 pages
//! with known content, read without their URLs, this raises the F1 from .943 to .948, the same as
//! with their URLs.

use url::Url;
use weburl::URL_BYTES_MAX;

use crate::flat_dom::FlatDom;

/// Whether a URL is a placeholder for one that is not known: it has no host, or one in the reserved
/// domain `invalid` (RFC 6761 §6.4).
pub(crate) fn is_placeholder(url: &Url) -> bool {
    url.host_str()
        .is_none_or(|host| host.is_empty() || host.ends_with(".invalid"))
}

/// The URL of a page that was given none.
pub(crate) fn placeholder_url() -> Url {
    Url::parse("http://unknown.invalid/").expect("a constant URL")
}

/// The URL that a page states whose own is not known.
pub(crate) fn of_unknown(url: &Url, flat: &FlatDom<'_>) -> Option<Url> {
    is_placeholder(url).then(|| stated_url(flat)).flatten()
}

/// The URL that the page states: the canonical link, else `og:url`, else `<base>`. Only absolute
/// http and https URLs count.
pub(crate) fn stated_url(flat: &FlatDom<'_>) -> Option<Url> {
    let canonical = flat.head_links.iter().filter(|(rel, _)| {
        rel.split_ascii_whitespace()
            .any(|word| word.eq_ignore_ascii_case("canonical"))
    });
    let canonical = canonical.map(|(_, href)| *href).find_map(absolute_web_url);
    canonical
        .or_else(|| flat.meta(&["og:url"]).and_then(absolute_web_url))
        .or_else(|| flat.base.and_then(absolute_web_url))
}

fn absolute_web_url(reference: &str) -> Option<Url> {
    let reference = reference.trim();
    if reference.len() > URL_BYTES_MAX {
        return None;
    }
    let url = Url::parse(reference).ok()?;
    (matches!(url.scheme(), "http" | "https") && !is_placeholder(&url)).then_some(url)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{PageContext, extract};

    use super::*;

    fn page(head: &str) -> String {
        format!(
            "<head>{head}</head><body><nav><a href=/>Home</a> <a href=/up>Up</a></nav><h1>The flood</h1>\
             <p>The river rose again on Thursday night, and took <a href=bridge>the bridge</a>.</p>\
             <p>It had stood for two hundred years, as <a href=//b.example/>the town</a> says.</p></body>"
        )
    }

    fn stated_in(head: &str) -> Option<String> {
        let dom = crate::dom::parse(&page(head), &crate::DomLimits::DEFAULT);
        stated_url(&FlatDom::of(&dom.html)).map(String::from)
    }

    #[test]
    fn a_page_without_a_url_is_read_as_if_given_the_url_that_it_states() {
        let own = Url::parse("https://a.example/2021/flood-takes-bridge").unwrap();
        for head in [
            format!(
                "<link rel='x Canonical' href=' {own} '><meta property=og:url content=http://b.example/>"
            ),
            format!("<link rel=canonical href=flood><meta property=og:url content={own}>"),
            format!("<base target=x><base href={own}>"),
        ] {
            let html = page(&head);
            let with = extract(&html, &PageContext::new(&own));
            for unknown in [placeholder_url(), Url::parse("about:blank").unwrap()] {
                assert_eq!(extract(&html, &PageContext::new(&unknown)), with, "{head}");
            }
            let links: Vec<&str> = with.links.iter().map(|link| link.url.as_str()).collect();
            assert!(
                links.contains(&"https://a.example/2021/bridge"),
                "{links:?}"
            );
        }
    }

    #[test]
    fn a_given_url_is_not_overruled() {
        let html = page("<link rel=canonical href=https://a.example/flood>");
        let given = Url::parse("http://b.example/x/").unwrap();
        let read = extract(&html, &PageContext::new(&given));
        assert_eq!(read.base, given);
    }

    #[test]
    fn only_an_absolute_web_url_is_taken() {
        for href in [
            "/flood",
            "//a.example/",
            "file:///flood",
            "http://x.invalid/",
            "data:,x",
            "",
        ] {
            assert_eq!(
                stated_in(&format!("<link rel=canonical href='{href}'>")),
                None,
                "{href}"
            );
        }
        let long = format!("http://a.example/{}", "x".repeat(URL_BYTES_MAX));
        assert_eq!(
            stated_in(&format!("<link rel=canonical href={long}>")),
            None
        );
    }

    proptest! {
        #[test]
        fn no_stated_url_panics(href in "[a-z:/.?#@\\[\\]%0-9 ]{0,40}") {
            stated_in(&format!("<link rel=canonical href=\"{href}\"><base href=\"{href}\">"));
        }
    }
}
