//! The elements by which the page found its content: `<main>`, `<article>`, `itemprop=articleBody`.
//!
//! A single `<article>` is usually the content; twenty of them are teasers. So the share of the
//! page's prose in such an element is a feature, too.

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::prefix_sums::PrefixSums;
use crate::tag::Tag;

/// The semantic elements; `NO_ELEMENT` for each that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SemanticElements {
    /// The `<main>` or `role=main` with the most text.
    pub main: ElementIndex,
    /// The `<article>` with the most prose.
    pub article: ElementIndex,
    /// The number of `<article>` elements.
    pub article_count: u32,
    /// The element marked as content by its role or itemprop, with the most prose.
    pub body: ElementIndex,
    /// The smallest element with a class named after content or article that holds at least three
    /// fifths of the page's prose.
    pub named: ElementIndex,
    /// The first `<h1>`.
    pub h1: ElementIndex,
}

/// Finds the semantic elements.
pub(crate) fn find(flat: &FlatDom<'_>, sums: &PrefixSums) -> SemanticElements {
    let mut found = SemanticElements {
        main: NO_ELEMENT,
        article: NO_ELEMENT,
        article_count: 0,
        body: NO_ELEMENT,
        named: NO_ELEMENT,
        h1: NO_ELEMENT,
    };
    let page_prose = sums.page().prose;
    let value = |index: ElementIndex| match index {
        NO_ELEMENT => 0,
        index => sums.under(flat, index).prose * 4 + flat.elements[index as usize].counts.weight,
    };
    let mut named_size = u32::MAX;
    for (index, element) in flat.elements.iter().enumerate() {
        let index = index as ElementIndex;
        match element.tag {
            Tag::Main if value(index) > value(found.main) => found.main = index,
            Tag::Article => {
                found.article_count += 1;
                if value(index) > value(found.article) {
                    found.article = index;
                }
            }
            Tag::H1 if found.h1 == NO_ELEMENT && element.counts.chars > 0 => found.h1 = index,
            _ => {}
        }
        if element.traits.has(Traits::CONTENT_ROLE) && value(index) > value(found.body) {
            found.body = index;
        }
        if (element.hints.has(Hint::Content) || element.hints.has(Hint::Article))
            && element.tag != Tag::Body
            && element.counts.weight < named_size
            && page_prose > 0
            && sums.under(flat, index).prose * 5 > page_prose * 3
        {
            named_size = element.counts.weight;
            found.named = index;
        }
    }
    found
}
