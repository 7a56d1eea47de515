//! Where a link stands in its page, as a short string that is equal for equal places.
//!
//! `html>body>div#main>ul.list>li>a`: tags with their id, or else their first class. Digits
//! become `0`, so that `post-17` and `post-18` are one place. Pages of one template then agree on
//! the paths of their menus, and a crawler can learn which paths lead to content.

use ego_tree::NodeRef;
use scraper::Node;

/// Elements named; a longer path keeps those nearest to the link.
const ELEMENTS_MAX: usize = 12;

/// Characters of an id or class that are kept.
const NAME_CHARS_MAX: usize = 24;

/// The path of an element.
pub(super) fn tag_path(node: NodeRef<'_, Node>) -> String {
    let mut labels = Vec::with_capacity(ELEMENTS_MAX);
    let elements = std::iter::once(node).chain(node.ancestors());
    let mut elements = elements.filter_map(|node| node.value().as_element());
    for element in elements.by_ref().take(ELEMENTS_MAX) {
        let mut label = shortened(element.name());
        let id = element
            .attr("id")
            .map(str::trim)
            .filter(|id| !id.is_empty());
        if let Some(id) = id {
            label.push('#');
            label.push_str(&shortened(id));
        } else if let Some(class) = first_class(element) {
            label.push('.');
            label.push_str(&shortened(class));
        }
        labels.push(label);
    }
    if elements.next().is_some() {
        labels.push("…".to_owned());
    }
    labels.reverse();
    labels.join(">")
}

fn first_class(element: &scraper::node::Element) -> Option<&str> {
    element.attr("class")?.split_ascii_whitespace().next()
}

/// A name without what would make it unique or ambiguous.
fn shortened(name: &str) -> String {
    let mut short = String::with_capacity(name.len().min(NAME_CHARS_MAX));
    for char in name.chars().take(NAME_CHARS_MAX) {
        if char.is_ascii_digit() {
            if !short.ends_with('0') {
                short.push('0');
            }
        } else if char.is_alphanumeric() || matches!(char, '-' | '_' | ':') {
            short.push(char);
        } else {
            short.push('_');
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bomb::DomLimits;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let dom = crate::dom::parse(html, &DomLimits::default());
        let link = dom.html.tree.nodes().find(|node| {
            let element = node.value().as_element();
            element.is_some_and(|element| element.name() == "a")
        });
        assert_eq!(tag_path(link.expect("a link")), expected);
    }

    #[test]
    fn a_path_names_tags_ids_and_first_classes() {
        check(
            "<div id=main><ul class='list wide'><li><a href=x>y",
            "html>body>div#main>ul.list>li>a",
        );
    }

    #[test]
    fn numbers_and_odd_characters_do_not_make_places_differ() {
        check(
            "<p id='post-1234'><a class='a>b'>",
            "html>body>p#post-0>a.a_b",
        );
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        let path = "…>".to_owned() + &"div>".repeat(11) + "a";
        check(&("<div>".repeat(40) + "<a>"), &path);
    }
}
