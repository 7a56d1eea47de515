//! Tag paths: the place of a link in its page's template, as a short string.
//!
//! In `html>body>div#main>ul.list>li>a` each tag has its id or else its first class. Digits become `0`,
//! so that `post-17` and `post-18` are the same. The same menu has the same path on all pages of a
//! template, and a focused crawl learns which paths lead to relevant pages.

use html5ever::local_name;
use scraper::node::Element;

use crate::dom::Attributes;

/// The most elements of a path; a longer path keeps those nearest to the link.
const ELEMENTS_MAX: usize = 12;

/// The characters of a tag, id or class that are kept.
const NAME_CHARS_MAX: usize = 24;

/// The elements that are open at a point of a walk over the page.
///
/// The label of an element is computed once, when the first link inside it needs it.
#[derive(Debug, Default)]
pub(super) struct TagPath<'h> {
    /// Each with its label, which is empty until it is needed.
    open: Vec<(&'h Element, String)>,
}

impl<'h> TagPath<'h> {
    /// The walk enters an element.
    pub fn enter(&mut self, element: &'h Element) {
        self.open.push((element, String::new()));
    }

    /// The walk leaves the element it is in.
    pub fn leave(&mut self) {
        self.open.pop();
    }

    /// The path of the element that was entered last.
    pub fn path(&mut self) -> String {
        let from = self.open.len().saturating_sub(ELEMENTS_MAX);
        let mut path = String::with_capacity(128);
        if from > 0 {
            path.push('…');
        }
        for (element, label) in &mut self.open[from..] {
            if label.is_empty() {
                *label = label_of(element);
            }
            if !path.is_empty() {
                path.push('>');
            }
            path.push_str(label);
        }
        path
    }
}

/// A tag with its id, or else its first class.
fn label_of(element: &Element) -> String {
    let mut label = String::with_capacity(32);
    push_shortened(&mut label, element.name());
    let id = element
        .attribute(&local_name!("id"))
        .map(str::trim)
        .filter(|id| !id.is_empty());
    if let Some(id) = id {
        label.push('#');
        push_shortened(&mut label, id);
    } else if let Some(class) = first_class(element) {
        label.push('.');
        push_shortened(&mut label, class);
    }
    label
}

fn first_class(element: &Element) -> Option<&str> {
    element
        .attribute(&local_name!("class"))?
        .split_ascii_whitespace()
        .next()
}

/// Appends a name, bounded, with digits and separators replaced.
fn push_shortened(label: &mut String, name: &str) {
    let mut after_digit = false;
    for char in name.chars().take(NAME_CHARS_MAX) {
        let digit = char.is_ascii_digit();
        if digit {
            if !after_digit {
                label.push('0');
            }
        } else if char.is_alphanumeric() || matches!(char, '-' | '_' | ':') {
            label.push(char);
        } else {
            label.push('_');
        }
        after_digit = digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_limits::DomLimits;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        let dom = crate::dom::parse(html, &DomLimits::default());
        let link = dom.html.tree.nodes().find(|node| {
            let element = node.value().as_element();
            element.is_some_and(|element| element.name() == "a")
        });
        let link = link.expect("a link");
        let mut above: Vec<_> = link.ancestors().collect();
        above.reverse();
        let mut path = TagPath::default();
        for node in above.into_iter().chain([link]) {
            if let Some(element) = node.value().as_element() {
                path.enter(element);
            }
        }
        assert_eq!(path.path(), expected);
        path.enter(link.value().as_element().expect("an element"));
        path.leave();
        assert_eq!(path.path(), expected, "asked again");
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
