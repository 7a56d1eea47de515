//! Links that lead to a writer's page, by their addresses.

use super::author_words;

/// Whether a link leads to a member of the page's own site by a name with an `@`; on other sites such links are
/// accounts to follow.
pub(super) fn leads_to_handle(href: &str, host: &str) -> bool {
    let href = href.split(['?', '#']).next().unwrap_or("");
    let (_, rest) = href.split_once("//").unwrap_or(("", href));
    let (target, handle) = rest.split_once("/@").unwrap_or((rest, ""));
    let target = target.trim_start_matches("www.");
    !handle.is_empty() && !handle.contains('/') && (target.is_empty() || target == host)
}

/// Whether a link leads to a feed, or to a form for mail.
pub(super) fn leads_to_feed(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or("");
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let is_feed = last
        .split(['.', '-', '_'])
        .any(|word| matches!(word, "feed" | "rss" | "atom" | "xml"));
    is_feed || href.starts_with("mailto:")
}

/// Whether one of the folders of a path is named after authors. Licences are by somebody as well: `/by/3.0/`.
pub(super) fn has_author_folder(href: &str) -> bool {
    let mut folders = href.split('/').skip(1).peekable();
    while let Some(folder) = folders.next() {
        let is_named = author_words::is_folder(folder);
        let is_version = |next: &&str| next.starts_with(|c: char| c.is_ascii_digit());
        if is_named
            && folders
                .peek()
                .is_some_and(|next| folder != "by" || !is_version(next))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_authors_has_something_in_it() {
        for href in ["/author/jane", "https://a.example/en/people/", "../by/jane"] {
            assert!(has_author_folder(href), "{href}");
        }
        for href in [
            "/licenses/by/3.0/",
            "/author",
            "author/jane",
            "/authority/x",
            "/nearby/x",
            "",
        ] {
            assert!(!has_author_folder(href), "{href}");
        }
    }

    #[test]
    fn a_feed_of_an_author_is_no_author() {
        for href in [
            "/author/ann/feed/",
            "/by/ann.rss",
            "/people/rss-ann.xml",
            "mailto:ann@a.example",
        ] {
            assert!(leads_to_feed(href), "{href}");
        }
        assert!(!leads_to_feed("/author/ann-feeder"));
    }

    #[test]
    fn a_handle_is_a_member_of_its_own_site() {
        for href in ["/@ann", "https://www.a.example/@ann?source=x"] {
            assert!(leads_to_handle(href, "a.example"), "{href}");
        }
        for href in [
            "https://b.example/@ann",
            "/@ann/12",
            "/@",
            "mailto:a@a.example",
        ] {
            assert!(!leads_to_handle(href, "a.example"), "{href}");
        }
    }
}
