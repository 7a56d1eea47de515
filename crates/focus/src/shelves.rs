//! What a page files itself under, by the URLs that it links to.
//!
//! Blogs and magazines keep their pages on shelves: categories, tags, topics. A page links to its
//! own, often without `rel=tag`, and outside of its main text: `/categories/GNU-Linux/` or
//! `/tag/replication`. Of what a page is about its author says this most plainly.
//!
//! A menu or a cloud of all shelves stands on every page of some sites, and says nothing of any. So
//! where a page links to more than [`SHELVES_MAX`] shelves, none counts. Of a short menu on all pages
//! the words become common, and count for little as all common words do.

use std::borrow::Cow;

use url::Url;

use crate::url_parts::{UrlParts, url_text};

/// Segments of a path whose following segments name a shelf.
const SHELVES: [&str; 12] = [
    "category",
    "categories",
    "cat",
    "tag",
    "tags",
    "topic",
    "topics",
    "label",
    "labels",
    "subject",
    "subjects",
    "section",
];
/// A page that links to more shelves of its site has a list of all, and not its own.
const SHELVES_MAX: usize = 12;

/// The names of the shelves that a page at `url` files itself under: of its own host, each once, in the
/// order of its links. None where there are more than [`SHELVES_MAX`].
pub(crate) fn shelves_of(url: &Url, links: &[&str]) -> Vec<String> {
    let own = url.as_str();
    let host = UrlParts::of(own).authority;
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    for link in links {
        let parts = UrlParts::of(link);
        if parts.authority != host || *link == own {
            continue;
        }
        let Some(name) = shelf(parts.path) else {
            continue;
        };
        if names.iter().all(|known| *known != name) {
            names.push(name);
        }
        if names.len() > SHELVES_MAX {
            return Vec::new();
        }
    }
    let text = |name: &Cow<'_, str>| {
        let mut text = url_text(&UrlParts {
            authority: "",
            path: name,
            query: "",
        });
        // The sign before the query, which is empty.
        text.pop();
        text
    };
    names.iter().map(text).collect()
}

/// The part of a path that names a shelf. The pages of a long shelf are one shelf.
fn shelf(path: &str) -> Option<Cow<'_, str>> {
    let mut rest = path;
    while let Some((segment, after)) = rest.split_once('/') {
        if SHELVES
            .iter()
            .any(|name| segment.eq_ignore_ascii_case(name))
        {
            let is_name = |part: &&str| {
                !part.is_empty()
                    && !part.eq_ignore_ascii_case("page")
                    && !part.bytes().all(|byte| byte.is_ascii_digit())
            };
            let parts: Vec<&str> = after.split('/').take_while(is_name).collect();
            return match parts[..] {
                [] => None,
                [only] => Some(only.into()),
                _ => Some(parts.join("/").into()),
            };
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(links: &[&str], expected: &[&str]) {
        let url = Url::parse("http://a.example/2011/05/debian-kvm/").unwrap();
        assert_eq!(shelves_of(&url, links), expected);
    }

    #[test]
    fn categories_and_tags_of_the_same_host_are_read_from_their_urls() {
        check(
            &[
                "http://a.example/categories/",
                "http://a.example/categories/GNU-Linux/",
                "http://a.example/categories/GNU-Linux/page/2/",
                "http://a.example/blog/tag/%E6%95%B0%E6%8D%AE%E5%BA%93",
                "http://a.example/category/os/debian_squeeze",
                "http://b.example/tags/elsewhere/",
                "http://a.example/2011/05/other/",
            ],
            &["GNU-Linux", "数据库", "os/debian squeeze"],
        );
    }

    #[test]
    fn a_list_of_all_shelves_says_nothing() {
        let links: Vec<String> = (0..13)
            .map(|number| format!("http://a.example/tags/t{number}x/"))
            .collect();
        let links: Vec<&str> = links.iter().map(String::as_str).collect();
        check(&links, &[]);
        assert_eq!(
            shelves_of(&Url::parse("http://a.example/").unwrap(), &links[..12]).len(),
            12
        );
    }
}
