//! The resources that a page loads: images, scripts, style sheets, media.

use std::sync::LazyLock;

use html5ever::{LocalName, local_name};
use scraper::node::Element;

use crate::dom::Attributes;

/// The attribute with the URL of an image that a script loads later.
static DATA_SRC: LazyLock<LocalName> = LazyLock::new(|| LocalName::from("data-src"));

/// The references of one element to resources, as written.
pub(super) fn references(element: &Element) -> Vec<&str> {
    let attributes: &[LocalName] = match element.name.local {
        local_name!("img") => &[local_name!("src"), DATA_SRC.clone()],
        local_name!("script")
        | local_name!("embed")
        | local_name!("track")
        | local_name!("audio")
        | local_name!("source") => &[local_name!("src")],
        local_name!("video") => &[local_name!("src"), local_name!("poster")],
        local_name!("object") => &[local_name!("data")],
        local_name!("input") if is(element, &local_name!("type"), "image") => &[local_name!("src")],
        local_name!("image") => &[local_name!("href")],
        local_name!("body") | local_name!("table") | local_name!("td") | local_name!("th") => {
            &[local_name!("background")]
        }
        local_name!("link") if is_loaded(element) => &[local_name!("href")],
        _ => return Vec::new(),
    };
    let mut found: Vec<&str> = attributes
        .iter()
        .filter_map(|name| element.attribute(name))
        .filter(|reference| !reference.trim().is_empty())
        .collect();
    let is_picture = matches!(
        element.name.local,
        local_name!("img") | local_name!("source")
    );
    if let (true, Some(srcset)) = (is_picture, element.attribute(&local_name!("srcset"))) {
        found.extend(srcset_references(srcset));
    }
    found
}

fn is(element: &Element, name: &LocalName, value: &str) -> bool {
    element
        .attribute(name)
        .is_some_and(|actual| actual.trim().eq_ignore_ascii_case(value))
}

/// Whether a browser loads the target of a `<link>` together with the page.
fn is_loaded(element: &Element) -> bool {
    const LOADED: [&str; 7] = [
        "stylesheet",
        "icon",
        "apple-touch-icon",
        "preload",
        "modulepreload",
        "manifest",
        "mask-icon",
    ];
    element.attribute(&local_name!("rel")).is_some_and(|rel| {
        rel.split_ascii_whitespace().any(|token| {
            LOADED
                .iter()
                .any(|loaded| loaded.eq_ignore_ascii_case(token))
        })
    })
}

/// The URLs of a `srcset`: HTML standard, "parse a srcset attribute", without the descriptors.
fn srcset_references(srcset: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = srcset;
    loop {
        rest = rest.trim_start_matches(|char: char| char.is_ascii_whitespace() || char == ',');
        if rest.is_empty() {
            return found;
        }
        let end = rest
            .find(|char: char| char.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let url = &rest[..end];
        rest = &rest[end..];
        let trimmed = url.trim_end_matches(',');
        found.push(trimmed);
        if trimmed.len() == url.len() {
            rest = after_descriptors(rest);
        }
    }
}

/// The text after the comma that ends a candidate's descriptors; commas in parentheses do not count.
fn after_descriptors(text: &str) -> &str {
    let mut nested = false;
    for (at, char) in text.char_indices() {
        match char {
            '(' => nested = true,
            ')' => nested = false,
            ',' if !nested => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_srcset_is_split_at_its_candidates() {
        assert_eq!(srcset_references("a.png 1x, b.png 2x"), ["a.png", "b.png"]);
        assert_eq!(
            srcset_references("a,b.png, c.png,d.png 100w"),
            ["a,b.png", "c.png,d.png"]
        );
        assert_eq!(
            srcset_references(" , a.png (x, y) , b.png,"),
            ["a.png", "b.png"]
        );
        assert_eq!(srcset_references(""), Vec::<&str>::new());
    }
}
