//! Addresses below a text: where an office, a shop or an event is.
//!
//! Street, town and telephone have the features of a footer, so the forests drop them, but they are what a
//! visitor of such a page looks for. An `<address>` that stands with the chosen text, behind its beginning and
//! in no other part of the page, is kept with the heading above it, and with the lines between: the name of the place.
//! One that says who wrote the text is a by-line.

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, Traits};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::data_tables::is_in_other_part;
use super::listings::is_running_text;

/// The most weight of an address. A longer one is a part of the page.
const WEIGHT_MAX: u32 = 400;
/// Levels from an address to the element in which it stands with the text.
const LEVELS: usize = 4;
/// The most lines between an address and its heading.
const LINES_MAX: usize = 2;

/// Keeps addresses beside the text, except what a rule has dropped.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    probability: &[f32],
    main: &mut [bool],
) {
    if !is_running_text(page_type) {
        return;
    }
    let is_address = |&at: &ElementIndex| flat.elements[at as usize].tag == Tag::Address;
    let addresses = (0..flat.elements.len() as ElementIndex).filter(is_address);
    let addresses: Vec<ElementIndex> = addresses
        .filter(|&at| !is_in_other_part(flat, at))
        .collect();
    // Those of many are entries of a list, which stands beside the text.
    let is_alone = addresses.len() == 1;
    for at in addresses {
        let element = &flat.elements[at as usize];
        let runs = element.first_run as usize..(element.end_run as usize).min(main.len());
        let is_place = (1..=WEIGHT_MAX).contains(&element.counts.weight)
            && tells_place(survey, runs.clone())
            && !element.hints.has(Hint::Byline)
            && !element.hints.has(Hint::User)
            && follows_text(flat, main, at, is_alone);
        if !is_place {
            continue;
        }
        let from = heading_above(flat, survey, at).unwrap_or(runs.start);
        for run in from..runs.end {
            main[run] |= probability[run] > 0.0;
        }
    }
}

/// The heading above an address, with no more than a few lines that tell of the place between.
fn heading_above(flat: &FlatDom<'_>, survey: &Survey, at: ElementIndex) -> Option<usize> {
    let first = flat.elements[at as usize].first_run as usize;
    let is_heading = |run: &usize| {
        let owner = flat.runs[*run].owner;
        flat.elements[owner as usize].tag.heading_level().is_some()
    };
    let above = (first.saturating_sub(LINES_MAX + 1)..first).rev();
    let heading = above.into_iter().find(is_heading)?;
    let mut around = flat
        .ancestors(flat.elements[at as usize].parent)
        .take(LEVELS);
    let box_ = around.find(|&around| flat.contains(around, flat.runs[heading].owner))?;
    let is_short = flat.elements[box_ as usize].counts.weight <= WEIGHT_MAX;
    let is_near = heading + 1 == first;
    let lines = heading + 1..first;
    (is_near || is_short && !tells_otherwise(survey, lines)).then_some(heading)
}

/// Whether lines have a number, as a house or a telephone does, and nothing of who wrote the text and when.
fn tells_place(survey: &Survey, runs: std::ops::Range<usize>) -> bool {
    let has_number = |run: usize| survey.texts[run].contains(|c: char| c.is_ascii_digit());
    runs.clone().any(has_number) && !tells_otherwise(survey, runs)
}

fn tells_otherwise(survey: &Survey, mut runs: std::ops::Range<usize>) -> bool {
    const OTHERS: [Marker; 4] = [
        Marker::Byline,
        Marker::Date,
        Marker::Copyright,
        Marker::Share,
    ];
    runs.any(|run| OTHERS.iter().any(|&marker| survey.markers[run].has(marker)))
}

/// Whether chosen prose stands before an address, in one of the elements around it, in the page's main part or, if no
/// other address does, in what holds the title.
fn follows_text(flat: &FlatDom<'_>, main: &[bool], at: ElementIndex, is_alone: bool) -> bool {
    let end = flat.elements[at as usize].first_run as usize;
    let mut around = flat.ancestors(at).enumerate().skip(1);
    around.any(|(level, around)| {
        let element = &flat.elements[around as usize];
        let is_page = matches!(element.tag, Tag::Body | Tag::Html);
        let is_near = level <= LEVELS || is_alone && element.traits.has(Traits::HOLDS_TITLE);
        let is_main = matches!(element.tag, Tag::Main | Tag::Article);
        (is_near && !is_page || is_main)
            && (element.first_run as usize..end).any(|run| main[run] && is_prose(&flat.runs[run]))
    })
}

#[cfg(test)]
mod tests {
    use super::super::kept_texts::kept_texts;
    use super::*;

    /// The texts that are kept where the paragraphs were chosen.
    #[track_caller]
    fn check(page: &str, expected: &[&str]) {
        let is_chosen = |flat: &FlatDom<'_>, _: &Survey, run: usize| {
            flat.elements[flat.runs[run].owner as usize].tag == Tag::P
        };
        let kept = kept_texts(page, is_chosen, |flat, survey, probability, main| {
            keep(flat, survey, &PageType::Article, probability, main);
        });
        assert_eq!(kept, expected, "{page}");
    }

    const TEXT: &str = "The mill, which stood at the harbour, was taken down and built again by its owners. Since then it grinds rye and wheat, as it did before the flood.";

    #[test]
    fn an_address_below_the_text_is_kept_with_its_heading() {
        let section =
            "<section><h2>Find us</h2><address>12 Station Road<br>Leeds</address></section>";
        for page in [
            format!("<main><section><p>{TEXT}</section>{section}</main>"),
            format!("<div><div><p>{TEXT}</div>{section}</div>"),
        ] {
            check(&page, &[TEXT, "Find us", "12 Station Road\nLeeds"]);
        }
    }

    #[test]
    fn the_name_of_the_place_goes_with_its_address() {
        // Both were lost where the address stands deep in the text's element.
        let place = "<div><div><div><h2>Venue</h2><dl><dd>Mill Hall</dd><dd><address>12 Station Road</address></dd></dl>\
            </div></div></div>";
        check(
            &format!("<div><h1>Flour</h1><div><p>{TEXT}</div><div>{place}</div></div>"),
            &[TEXT, "Venue", "Mill Hall", "12 Station Road"],
        );
        // A list of places beside the text.
        check(
            &format!("<div><h1>Flour</h1><div><p>{TEXT}</div><div>{place}{place}</div></div>"),
            &[TEXT],
        );
        check(
            &format!(
                "<div><p>{TEXT}</p><h2>Venue</h2><div>By Ann Lee</div><address>12 Station Road</address></div>"
            ),
            &[TEXT, "12 Station Road"],
        );
    }

    #[test]
    fn an_address_elsewhere_and_a_by_line_are_left_out() {
        for page in [
            format!("<div><p>{TEXT}</div><footer><address>12 Station Road</address></footer>"),
            format!("<div><address>12 Station Road</address><p>{TEXT}</div>"),
            format!("<div><p>{TEXT}<address class=author>12 Station Road</address></div>"),
            format!("<div><p>{TEXT}<address>By Marta Keller, 3 May 2020</address></div>"),
            format!("<div><p>{TEXT}<address>Marta Keller</address></div>"),
        ] {
            check(&page, &[TEXT]);
        }
    }
}
