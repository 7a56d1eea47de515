//! Boxes of facts in a text and beside it: where a group of [`attributes`](super::attributes) is one of the page's.
//!
//! An `<aside>` is another part of the page, but one that stands among the paragraphs of the text and holds names with
//! their values is the box of an encyclopaedia.

use crate::class_hints::OTHER_PARTS;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::prefix_sums::is_prose;
use crate::tag::Tag;

use super::data_tables::is_in_other_part;

/// Levels from a group to the box around it, itself the first.
const LEVELS: usize = 2;

/// Whether a group is a box of facts, or is in one.
pub(super) fn is_boxed(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let mut around = flat.ancestors(at).take(LEVELS);
    around.any(|at| flat.elements[at as usize].tag == Tag::Aside)
}

/// Whether a group stands with kept text in the element around it or the next: directly where a form without a
/// field to fill in, or an aside, holds the group.
pub(super) fn is_beside_text(flat: &FlatDom<'_>, at: ElementIndex, main: &[bool]) -> bool {
    let holds = |around: ElementIndex| {
        let element = &flat.elements[around as usize];
        (element.first_run..element.end_run).any(|run| is_text(flat, run as usize, main))
    };
    match part_around(flat, at) {
        Some(part) => is_in_text(flat, part, main),
        None => {
            let mut around = flat.ancestors(at).skip(1).take(2);
            around.any(holds) && !is_in_other_part(flat, at)
        }
    }
}

/// Whether a group stands in another part of the page than its text.
pub(super) fn is_elsewhere(flat: &FlatDom<'_>, at: ElementIndex, main: &[bool]) -> bool {
    let is_box = |part: ElementIndex| {
        let element = &flat.elements[part as usize];
        element.tag == Tag::Aside && !element.hints.has_any(OTHER_PARTS)
    };
    let part = part_around(flat, at).filter(|&part| is_box(part));
    is_in_other_part(flat, at) && !part.is_some_and(|part| is_in_text(flat, part, main))
}

/// The other part of the page that a group is, or that is right around it.
fn part_around(flat: &FlatDom<'_>, at: ElementIndex) -> Option<ElementIndex> {
    flat.ancestors(at).take(LEVELS).find(|&part| {
        let element = &flat.elements[part as usize];
        let is_other = matches!(element.tag, Tag::Aside | Tag::Form);
        (is_other || element.hints.has_any(OTHER_PARTS)) && !flat.is_frame(part)
    })
}

/// Whether a part that asks for nothing stands among the paragraphs of the text.
fn is_in_text(flat: &FlatDom<'_>, part: ElementIndex, main: &[bool]) -> bool {
    let element = &flat.elements[part as usize];
    let around = element.parent;
    let own_text = || {
        let around_it = &flat.elements[around as usize];
        let mut runs = around_it.first_run as usize..around_it.end_run as usize;
        runs.any(|run| {
            let owner = &flat.elements[flat.runs[run].owner as usize];
            owner.parent == around && is_text(flat, run, main)
        })
    };
    around != NO_ELEMENT
        && !element.traits.has(Traits::ASKS)
        && own_text()
        && !is_in_other_part(flat, around)
}

fn is_text(flat: &FlatDom<'_>, run: usize, main: &[bool]) -> bool {
    main.get(run) == Some(&true) && is_prose(&flat.runs[run])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::Survey;

    /// Whether the facts of a page are kept, of which the paragraphs are.
    #[track_caller]
    fn check(box_: &str, is_kept: bool) {
        let text = "<p>The mill was built by the guild, it turned for two hundred years, and it stopped on a day \
            in autumn when the river fell below the wheel.</p>"
            .repeat(40);
        let page =
            format!("<title>The mill</title><main><h1>The mill</h1><div>{box_}{text}</div></main>");
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let mut main: Vec<bool> = flat.runs.iter().map(is_prose).collect();
        let probability = vec![0.1; main.len()];
        let title = Some("The mill");
        let below = super::super::attributes::below_title(&flat, &survey, title, &main);
        super::super::attributes::keep_beside_text(&flat, &survey, &below, &probability, &mut main);
        let values = survey.texts.iter().zip(&main);
        let values = values.filter(|(text, _)| text.as_str() == "Leeds" || text.as_str() == "1742");
        let kept: Vec<bool> = values.map(|(_, &kept)| kept).collect();
        assert_eq!(kept, [is_kept; 2], "{box_}");
    }

    #[test]
    fn a_box_of_facts_among_the_paragraphs_is_kept() {
        // The labels were kept without the values.
        let row = |name: &str, value: &str| {
            format!("<div class=data><h3>{name}</h3><div>{value}</div></div>")
        };
        let rows = [
            row("Town", "Leeds"),
            row("Built", "1742"),
            row("Wheels", "two"),
        ]
        .concat();
        check(
            &format!("<aside class=infobox><h2>The mill</h2>{rows}</aside>"),
            true,
        );
        check(
            &format!("<aside><h2>The mill</h2><section><h2>Facts</h2>{rows}</section></aside>"),
            true,
        );
        check(&format!("<aside class=sidebar>{rows}</aside>"), false);
        check(&format!("<div><aside>{rows}</aside></div>"), false);
        check(&format!("<nav><aside>{rows}</aside></nav>"), false);
    }
}
