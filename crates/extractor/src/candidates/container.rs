//! The container with the best score, as in Readability.
//!
//! Every run of prose gives points to the blocks around it: all its points to the nearest, fewer to
//! those further out. The score of a block is reduced by the share of its text that is in links. The
//! best block is the one that holds the paragraphs of an article. The method is strong on articles in
//! any script and fails where the content is spread over many blocks.
//!
//! Source: Readability (Arc90, 2009).

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::prefix_sums::PrefixSums;
use crate::tag::Tag;

/// The best container.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Container {
    /// `NO_ELEMENT` where the page has no prose.
    pub element: ElementIndex,
    /// The share of the page's prose that stands in it.
    pub prose_share: f32,
}

/// How many blocks above a paragraph are given points.
const LEVELS: usize = 5;

/// Finds the container with the best score.
pub(crate) fn find(flat: &FlatDom<'_>, sums: &PrefixSums) -> Container {
    let mut scores: Vec<f32> = vec![0.0; flat.elements.len()];
    let mut scored: Vec<ElementIndex> = Vec::new();
    for run in &flat.runs {
        if run.counts.weight < 30 || run.link_weight * 2 > run.counts.weight {
            continue;
        }
        let points = 1.0
            + (run.counts.commas + run.counts.sentence_ends).min(12) as f32
            + (run.counts.weight as f32 / 100.0).min(4.0);
        // A `<p>` holds only its own text, so the points go to the blocks around it.
        let mut level = 0;
        for index in flat.ancestors(run.owner) {
            let element = &flat.elements[index as usize];
            if element.tag == Tag::P || !element.tag.is_block() {
                continue;
            }
            if scores[index as usize] == 0.0 {
                scores[index as usize] = name_score(flat, index);
                scored.push(index);
            }
            let divider = match level {
                0 => 1.0,
                1 => 2.0,
                deeper => 3.0 * deeper as f32,
            };
            scores[index as usize] += points / divider;
            level += 1;
            if level == LEVELS {
                break;
            }
        }
    }
    let mut best = (0.0, NO_ELEMENT);
    for &index in &scored {
        let element = &flat.elements[index as usize];
        let density = crate::prefix_sums::share(element.link_weight, element.counts.weight, 1.0);
        let score = scores[index as usize] * (1.0 - density);
        if score > best.0 {
            best = (score, index);
        }
    }
    let page = sums.page();
    let prose_share = if best.1 == NO_ELEMENT {
        0.0
    } else {
        crate::prefix_sums::share(sums.under(flat, best.1).prose, page.prose, 0.0)
    };
    Container {
        element: best.1,
        prose_share,
    }
}

/// The initial score of an element by its tag and class names. It is never 0, which stands for "not
/// yet scored".
fn name_score(flat: &FlatDom<'_>, index: ElementIndex) -> f32 {
    let element = &flat.elements[index as usize];
    let mut score = match element.tag {
        Tag::Div | Tag::Article | Tag::Main | Tag::Section => 5.0,
        Tag::Pre | Tag::Td | Tag::Blockquote => 3.0,
        Tag::Ul | Tag::Ol | Tag::Dl | Tag::Dd | Tag::Dt | Tag::Li | Tag::Form => -3.0,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 | Tag::Th => -5.0,
        _ => 0.0,
    };
    for good in [Hint::Article, Hint::Content, Hint::Post] {
        if element.hints.has(good) {
            score += 12.0;
            break;
        }
    }
    for bad in [
        Hint::Comment,
        Hint::Related,
        Hint::Side,
        Hint::Footer,
        Hint::Nav,
        Hint::Share,
        Hint::Advert,
        Hint::Consent,
        Hint::Component,
    ] {
        if element.hints.has(bad) {
            score -= 25.0;
            break;
        }
    }
    score + 0.01
}
