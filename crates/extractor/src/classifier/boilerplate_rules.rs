//! Rules for boilerplate: runs that are dropped whatever the forests say.
//!
//! Each rule is for something that people who marked content left out on nearly every page: the label
//! of a button, "Also read: ...", a photographer's credit. A rule is here because it raises the score
//! on sites that were not used to set its constants. Rules for copyright lines, dates, share bars,
//! bare links, comments and related articles did not, and were removed.

use std::collections::HashMap;

use crate::class_hints::Hint;
use crate::flat_dom::{FlatDom, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::share;
use crate::survey::Survey;
use crate::tag::Tag;

/// A part is dropped only if this many words of likely content remain without it,
const WORDS_LEFT_MIN: u32 = 50;
/// and this share of all likely content: a "review" that holds nearly all text is the content.
const SHARE_LEFT_MIN: f32 = 0.2;
/// The least probability of likely content, for the two bounds above.
const LIKELY: f32 = 0.4;

/// Sets the probability of boilerplate to 0.
pub(super) fn apply(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    probability: &mut [f32],
) {
    // The hidden tabs of a product's page hold its description.
    let drops_hidden = matches!(page_type, PageType::Article | PageType::Other);
    let is_article = *page_type == PageType::Article;
    if *page_type == PageType::Forum {
        drop_repeated_labels(flat, survey, probability);
    }
    for (index, probability) in probability.iter_mut().enumerate() {
        if is_boilerplate(flat, survey, index, is_article) {
            *probability = 0.0;
        }
    }
    if is_article {
        drop_title(flat, survey, probability);
    }
    if *page_type == PageType::Product {
        drop_part(flat, probability, &|run| in_reviews(flat, survey, run));
    }
    if drops_hidden {
        drop_part(flat, probability, &|run| in_hidden(flat, survey, run));
    }
}

/// Drops the title of an article where it is the first line of its content, after labels of up to three
/// words: the title is a field of its own. On 48 Chinese pages of unseen sites F1 rises from .976 to .982.
fn drop_title(flat: &FlatDom<'_>, survey: &Survey, probability: &mut [f32]) {
    const WORDS_MAX: u32 = 40;
    let title = flat.title.as_str();
    for (index, run) in flat.runs.iter().enumerate() {
        if probability[index] < LIKELY {
            continue;
        }
        let text = survey.texts[index].as_str();
        let is_title = run.counts.words <= WORDS_MAX
            && title
                .strip_prefix(text)
                .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        if is_title {
            probability[index] = 0.0;
        }
        if run.counts.words > 3 {
            return;
        }
    }
}

/// Drops the labels that every post of a thread repeats: "Reply", "Member". On pages of other types
/// repeated lines are as often content: sizes, prices, the days of a week.
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

/// Whether a run is boilerplate by its own words or tag.
fn is_boilerplate(flat: &FlatDom<'_>, survey: &Survey, index: usize, is_article: bool) -> bool {
    let run = &flat.runs[index];
    let markers = survey.markers[index];
    let weight = run.counts.weight;
    let linked = run.link_weight * 10 >= weight * 6;
    let tag = flat.elements[run.owner as usize].tag;
    let also_read = markers.has(Marker::Related) && linked && weight < 250;
    let related_heading =
        markers.has(Marker::Related) && tag.heading_level().is_some() && weight < 60;
    let credit = markers.has(Marker::Credit) && weight < 80;
    let advert = markers.has(Marker::Advert) && weight < 60;
    let button = matches!(tag, Tag::Button | Tag::Label);
    let more = markers.has(Marker::More) && linked && weight < 30;
    // The caption of a picture is not part of an article's text.
    let caption = is_article
        && flat
            .ancestors(run.owner)
            .any(|at| flat.elements[at as usize].tag == Tag::Figcaption);
    let maker = is_article && weight < 80 && names_maker(&survey.texts[index]);
    let count = markers.has(Marker::Count) && counts_up(&survey.texts[index]);
    also_read || related_heading || credit || advert || button || more || caption || maker || count
}

/// Whether a line names who made the text, whatever the share in it: "Written by", "Medically reviewed
/// by". Of 116 such lines on marked articles one is content.
fn names_maker(text: &str) -> bool {
    const SHARES: [&str; 11] = [
        "written",
        "reviewed",
        "checked",
        "verified",
        "edited",
        "translated",
        "illustrated",
        "photographed",
        "narrated",
        "compiled",
        "curated",
    ];
    let mut words = text.split_ascii_whitespace().take(4);
    let is_share = |word: &str| {
        let last = word.rsplit('-').next().unwrap_or(word);
        SHARES.iter().any(|share| last.eq_ignore_ascii_case(share))
    };
    let share = words.position(is_share);
    share.is_some()
        && words
            .next()
            .is_some_and(|word| word.eq_ignore_ascii_case("by"))
}

/// Whether a text is three or more numbers, each one more than the number before: the line numbers of a
/// code listing, or the pages of a pager.
fn counts_up(text: &str) -> bool {
    const COUNT_MIN: usize = 3;
    let mut numbers = text.split_whitespace().map(str::parse::<u32>);
    let Some(Ok(mut last)) = numbers.next() else {
        return false;
    };
    let mut count = 1;
    for number in numbers {
        if number != Ok(last.saturating_add(1)) {
            return false;
        }
        last = last.saturating_add(1);
        count += 1;
    }
    count >= COUNT_MIN
}

/// Whether a run stands in the reviews of a product: an element named so that does not hold most of
/// the page.
fn in_reviews(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let page = survey.sums.page();
    flat.ancestors(flat.runs[index].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.hints.has(Hint::Review)
            && element.tag != Tag::Body
            && share(element.counts.weight, page.weight, 0.0) < 0.8
    })
}

/// Whether a run stands in a hidden element. One that holds much of the page does not count: some
/// pages are hidden as a whole until a script has run.
fn in_hidden(flat: &FlatDom<'_>, survey: &Survey, index: usize) -> bool {
    let page = survey.sums.page();
    flat.ancestors(flat.runs[index].owner).any(|at| {
        let element = &flat.elements[at as usize];
        element.traits.has(Traits::HIDDEN) && share(element.counts.weight, page.weight, 0.0) < 0.3
    })
}

/// Drops a part of the page, if enough likely content is left without it.
fn drop_part(flat: &FlatDom<'_>, probability: &mut [f32], is_part: &dyn Fn(usize) -> bool) {
    let part: Vec<bool> = (0..probability.len()).map(is_part).collect();
    let (mut all, mut left) = (0, 0);
    for (index, &probability) in probability.iter().enumerate() {
        if probability >= LIKELY {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_names_a_maker_is_known_by_the_share() {
        for line in [
            "Written by Ann Lee",
            "Medically reviewed by B. Chan, MD",
            "Fact-checked by the desk",
            "EDITED BY C. DIAZ",
        ] {
            assert!(names_maker(line), "{line}");
        }
        for line in [
            "By 1990 the town had a bridge.",
            "The code reviewed last week by two people was fine.",
            "It was written in one night.",
            "written",
            "",
        ] {
            assert!(!names_maker(line), "{line}");
        }
    }

    #[test]
    fn line_numbers_count_up() {
        assert!(counts_up("1\n2\n3"));
        assert!(counts_up("98 99 100 101"));
        for text in [
            "",
            "1 2",
            "1 2 4",
            "1 2 3 more",
            "3 2 1",
            "4294967295 4294967295",
        ] {
            assert!(!counts_up(text), "{text}");
        }
    }
}
