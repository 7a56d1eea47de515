//! Lines and parts that are furniture wherever they stand.
//!
//! The forest weighs; these rules do not. Each names something that people who marked content left
//! out on nearly every page: a press button's words, "Also read: ...", a photographer's credit. A
//! rule stays as long as it pays on sites that no constant was set on; rules for copyright lines,
//! dates, share bars, bare links, comments and related parts did not, and are gone.

use std::collections::HashMap;

use crate::class_hints::Hint;
use crate::flat_dom::{FlatDom, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::share;
use crate::survey::Survey;
use crate::tag::Tag;

/// A part may be taken out only where this many words of sure content remain,
const WORDS_LEFT_MIN: u32 = 50;
/// and this share of them: a "review" that holds nearly all there is to read is the content.
const SHARE_LEFT_MIN: f32 = 0.2;
/// From here on a run counts as sure content for the two bounds above.
const SURE: f32 = 0.4;

/// Sets the probability of vetoed runs to 0.
pub(super) fn apply(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: PageType,
    probability: &mut [f32],
) {
    // A product's hidden tabs are its description.
    let no_hidden = matches!(page_type, PageType::Article | PageType::Other);
    let is_article = page_type == PageType::Article;
    if page_type == PageType::Forum {
        drop_repeated_labels(flat, survey, probability);
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if is_boilerplate(flat, survey, index, is_article) {
            *probability = 0.0;
        }
    }
    if page_type == PageType::Product {
        drop_part(flat, probability, &|run| in_reviews(flat, survey, run));
    }
    if no_hidden {
        drop_part(flat, probability, &|run| in_hidden(flat, survey, run));
    }
}

/// Takes out the few words that every post of a thread repeats: "Reply", "Member". On pages of
/// other types what repeats is as often content: sizes, prices, the days of a week.
fn drop_repeated_labels(flat: &FlatDom<'_>, survey: &Survey, probability: &mut [f32]) {
    const WORDS_MAX: u32 = 3;
    const COUNT_MIN: u32 = 3;
    let mut counts: HashMap<&str, u32> = HashMap::new();
    let short = |index: usize| flat.runs[index].counts.words <= WORDS_MAX;
    for (index, text) in survey.texts.iter().enumerate() {
        if short(index) {
            *counts.entry(text.as_str()).or_default() += 1;
        }
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if short(index) && counts[survey.texts[index].as_str()] >= COUNT_MIN {
            *probability = 0.0;
        }
    }
}

/// Whether a line says by its own words or tag that it is furniture.
fn is_boilerplate(flat: &FlatDom<'_>, survey: &Survey, index: usize, is_article: bool) -> bool {
    let run = &flat.runs[index];
    let markers = survey.markers[index];
    let weight = run.counts.weight;
    let linked = run.link_weight * 10 >= weight * 6;
    let tag = flat.elements[run.owner as usize].tag;
    let also_read = markers.has(Marker::Related) && linked && weight < 250;
    let head_of_related =
        markers.has(Marker::Related) && tag.heading_level().is_some() && weight < 60;
    let credit = markers.has(Marker::Credit) && weight < 80;
    let advert = markers.has(Marker::Advert) && weight < 60;
    let press = matches!(tag, Tag::Button | Tag::Label);
    let more = markers.has(Marker::More) && linked && weight < 30;
    // Words under a picture are not an article's text.
    let caption = is_article
        && flat
            .ancestors(run.owner)
            .any(|at| flat.elements[at as usize].tag == Tag::Figcaption);
    also_read || head_of_related || credit || advert || press || more || caption
}

/// Whether a run stands in a part called reviews: what buyers say of a product is not what it is.
fn in_reviews(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let page = survey.sums.page();
    flat.ancestors(flat.runs[index].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.hints.has(Hint::Review)
            && element.tag != Tag::Body
            && share(element.counts.weight, page.weight, 0.0) < 0.8
    })
}

/// Whether a run stands in a part that is not shown, unless that is where most of the text is:
/// pages also hide themselves whole until a script has run.
fn in_hidden(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let page = survey.sums.page();
    flat.ancestors(flat.runs[index].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.traits.has(Traits::HIDDEN) && share(element.counts.weight, page.weight, 0.0) < 0.3
    })
}

/// Takes out a part, if enough is left without it.
fn drop_part(flat: &FlatDom<'_>, probability: &mut [f32], is_part: &dyn Fn(usize) -> bool) {
    let part: Vec<bool> = (0..probability.len()).map(is_part).collect();
    let (mut all, mut left) = (0, 0);
    for (index, &probability) in probability.iter().enumerate() {
        if probability >= SURE {
            let words = flat.runs[index].counts.words;
            all += words;
            left += if part[index] { 0 } else { words };
        }
    }
    if left < WORDS_LEFT_MIN || share(left, all, 0.0) < SHARE_LEFT_MIN {
        return;
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if part[index] {
            *probability = 0.0;
        }
    }
}
