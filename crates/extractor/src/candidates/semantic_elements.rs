//! What the page itself marks as its content: `<main>`, `<article>`, `itemprop=articleBody`.
//!
//! A page with one article in `<article>` has answered the question; a page with twenty has
//! wrapped its teasers. So the mark counts by the share of the prose it holds.

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::prefix_sums::PrefixSums;
use crate::tag::Tag;

/// The page's own marks; `NO_ELEMENT` where it has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SemanticElements {
    /// The `<main>` or `role=main` with the most text.
    pub main: ElementIndex,
    /// The `<article>` with the most prose.
    pub article: ElementIndex,
    /// How many `<article>`s there are.
    pub article_count: u32,
    /// The element marked as the article's body, by itemprop, with the most prose.
    pub body: ElementIndex,
    /// The smallest element called content or article that holds most of the page's prose.
    pub named: ElementIndex,
    /// The first `<h1>`.
    pub h1: ElementIndex,
}

/// Finds the marks.
pub(crate) fn find(flat: &FlatDom<'_>, sums: &PrefixSums) -> SemanticElements {
    let mut marks = SemanticElements {
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
            Tag::Main if value(index) > value(marks.main) => marks.main = index,
            Tag::Article => {
                marks.article_count += 1;
                if value(index) > value(marks.article) {
                    marks.article = index;
                }
            }
            Tag::H1 if marks.h1 == NO_ELEMENT && element.counts.chars > 0 => marks.h1 = index,
            _ => {}
        }
        if element.traits.has(Traits::CONTENT_ROLE) && value(index) > value(marks.body) {
            marks.body = index;
        }
        if (element.hints.has(Hint::Content) || element.hints.has(Hint::Article))
            && element.tag != Tag::Body
            && element.counts.weight < named_size
            && page_prose > 0
            && sums.under(flat, index).prose * 5 > page_prose * 3
        {
            named_size = element.counts.weight;
            marks.named = index;
        }
    }
    marks
}
