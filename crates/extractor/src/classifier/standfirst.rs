//! Sentences between a title and the facts below it: the definition of an entry.
//!
//! They stand in an element of their own, with a group of facts behind them, so that they share nothing with the
//! text; and where the facts are kept nothing else is told in sentences between. What an article of news has there, a
//! summary of itself, is no text of the page to the people who marked such pages.

use std::ops::Range;

use crate::flat_dom::{FlatDom, FlatElement};
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::endings::is_named_otherwise;
use super::listings::NO_LEAD;

/// Keeps the sentences among some lines. Runs that a rule has dropped stay so.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    lines: Range<usize>,
    probability: &[f32],
    main: &mut [bool],
) {
    let is_page = |element: &&FlatElement<'_>| matches!(element.tag, Tag::Body | Tag::Html);
    for run in lines {
        let line = &flat.runs[run];
        let markers = survey.markers[run];
        let around = flat.ancestors(line.owner);
        let mut within = around
            .map(|at| &flat.elements[at as usize])
            .take_while(|element| !is_page(element));
        main[run] |= probability[run] > 0.0
            && is_prose(line)
            && line.counts.sentence_ends > 0
            && !NO_LEAD.iter().any(|&mark| markers.has(mark))
            && !within.any(is_named_otherwise);
    }
}

#[cfg(test)]
mod tests {
    use super::super::attributes;
    use super::super::kept_texts::kept_texts;
    use super::*;

    /// The texts that are kept where those about the harbour were chosen.
    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let is_chosen =
            |_: &FlatDom<'_>, survey: &Survey, run: usize| survey.texts[run].contains("harbour");
        let kept = kept_texts(page, is_chosen, |flat, survey, probability, main| {
            let below = attributes::below_title(flat, survey, Some("Viaduct"), main);
            attributes::keep_beside_text(flat, survey, &below, probability, main);
        });
        assert_eq!(kept, expected, "{page}");
    }

    const TEXT: &str = "The first one stood at the harbour, and was taken down by its owners after the flood of the river.";
    const TOLD: &str = "A viaduct is a long bridge of many arches or spans, which carries a road or a railway over a valley.";
    const FACTS: &str = "<dl><dt>Name<dd>Viaduct<dt>Place<dd>Leeds<dt>Made of<dd>stone</dl>";

    #[test]
    fn the_definition_above_the_facts_is_kept_with_them() {
        let page = |told: &str, facts: &str| {
            format!("<h1>Viaduct</h1><div>Favourites 3</div>{told}{facts}<p>{TEXT}")
        };
        let told = format!("<div class=summary><p>{TOLD}</div>");
        let all = [
            TOLD, "Name", "Viaduct", "Place", "Leeds", "Made of", "stone", TEXT,
        ];
        check(&page(&told, FACTS), &all);
        check(&page(&told, ""), &[TEXT]);
        for other in [
            format!("<div class=share>{TOLD}</div>"),
            format!("<p><a href=/x>{TOLD}</a></p>"),
            format!("<aside>{TOLD}</aside>"),
        ] {
            check(&page(&other, FACTS), &all[1..]);
        }
    }
}
