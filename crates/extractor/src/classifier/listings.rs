//! Listings and formulas at the end of an article and amid it.
//!
//! A short listing has the features of a label: few words, no sentence, no neighbour that is prose
//! behind it. So the forests drop it where no long paragraph follows, and an article that ends with its
//! listing loses what it was written for. But a listing or a displayed formula that stands in the
//! innermost element around all chosen prose, right behind a chosen run, is content: boilerplate does
//! not come as code. The short lines that lead from the text to it ("The result:") belong to it, and so does the
//! name of a file that stands in one box with it. And however a box is named, a listing in it right behind a chosen
//! paragraph of the same box goes with that: the last line of an answer is code.
//!
//! Of 270 made-up pages that end so, 259 lost their ending without this rule, and none does with it. On
//! 1,378 marked pages word and shingle scores are the same to the third digit.

use crate::class_hints::OTHER_PARTS;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, Traits};
use crate::formulas;
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

/// Lines that may lead from the chosen text to a listing.
pub(super) const LEADING_MAX: usize = 3;
/// The most weight of such a line.
const LEADING_WEIGHT_MAX: u32 = 300;

/// The most weight of a listing. A longer one has features of its own, by which the forests judge it.
const LISTING_WEIGHT_MAX: u32 = 1_500;

/// Markers of lines that do not lead to a listing.
pub(super) const NO_LEAD: [Marker; 8] = [
    Marker::Share,
    Marker::Related,
    Marker::Comment,
    Marker::Wall,
    Marker::Copyright,
    Marker::Credit,
    Marker::Byline,
    Marker::Advert,
];

/// Whether a page of this type is one text from beginning to end, so that what stands behind its text belongs to it.
pub(crate) fn is_running_text(page_type: &PageType) -> bool {
    match page_type {
        PageType::Article | PageType::Documentation | PageType::Service | PageType::Other => true,
        PageType::Forum
        | PageType::Listing
        | PageType::Product
        | PageType::Collection
        | PageType::FrontPage
        | PageType::Wall
        | PageType::Unknown(_) => false,
    }
}

/// Keeps listings and displayed formulas right behind chosen runs.
pub(super) fn keep(flat: &FlatDom<'_>, survey: &Survey, page_type: &PageType, main: &mut [bool]) {
    let is_listing = |at: usize| {
        let element = &flat.elements[at];
        element.tag == Tag::Pre || element.traits.has(Traits::FORMULA)
    };
    let is_text = is_running_text(page_type) || *page_type == PageType::Forum;
    if !is_text || !(0..flat.elements.len()).any(is_listing) {
        return;
    }
    let Some(container) = container(flat, main) else {
        return;
    };
    let is_pre = |at: ElementIndex| flat.elements[at as usize].tag == Tag::Pre;
    let mut begin = None;
    for run in 0..main.len() {
        if main[run] {
            begin = Some(run + 1);
            continue;
        }
        let Some(from) = begin else { continue };
        match listing(flat, run) {
            // The line numbers beside a listing.
            Some(at) if is_pre(at) && survey.markers[run].has(Marker::Count) => {}
            Some(at) if is_part_of(flat, container, at) || is_beside(flat, from - 1, at) => {
                let is_text = |&at: &usize| {
                    let is_label = survey.markers[at].has(Marker::Count) || is_button(flat, at);
                    at == run || !is_label
                };
                let found = (from..=run).filter(is_text);
                found.for_each(|at| main[at] = true);
                begin = Some(run + 1);
            }
            Some(_) => begin = None,
            None if run - from < LEADING_MAX
                && (leads(flat, survey, container, run) || names_listing(flat, from, run)) => {}
            None => begin = None,
        }
    }
}

/// Whether a listing stands in the element of which a run is a paragraph: alone or in boxes of its own.
fn is_beside(flat: &FlatDom<'_>, run: usize, listing: ElementIndex) -> bool {
    let owner = flat.runs[run].owner;
    let is_paragraph = flat.elements[owner as usize].tag == Tag::P;
    let around = match is_paragraph {
        true => flat.elements[owner as usize].parent,
        false => owner,
    };
    flat.elements[listing as usize].counts.weight <= LISTING_WEIGHT_MAX
        && flat.contains(around, listing)
        && !flat
            .ancestors(listing)
            .take_while(|&up| up != around)
            .any(|up| is_other_part(&flat.elements[up as usize]))
}

/// Whether a run behind the text up to `from` is a line above a listing, its name or a button, in an element with the
/// listing and nothing else.
fn names_listing(flat: &FlatDom<'_>, from: usize, run: usize) -> bool {
    const LEVELS: usize = 3;
    let line = &flat.runs[run];
    let next = run + 1..(run + LEADING_MAX).min(flat.runs.len());
    let Some(listing) = next.into_iter().find_map(|next| listing(flat, next)) else {
        return false;
    };
    let end = flat.elements[listing as usize].end_run;
    let mut around = flat.ancestors(line.owner).take(LEVELS);
    line.counts.weight <= LEADING_WEIGHT_MAX
        && line.link_weight == 0
        && around.any(|at| {
            let element = &flat.elements[at as usize];
            element.first_run as usize >= from && element.end_run == end
        })
}

/// Whether a run is the button or the link that closes a box of the text ("View room"): the last line of the innermost
/// element around it that has others, and these are chosen for the larger part.
pub(super) fn closes_box(
    flat: &FlatDom<'_>,
    container: ElementIndex,
    run: usize,
    main: &[bool],
) -> bool {
    const WEIGHT_MAX: u32 = 60;
    let line = &flat.runs[run];
    let leads_on = line.link_weight * 2 > line.counts.weight || is_button(flat, run);
    if !leads_on || line.counts.weight > WEIGHT_MAX {
        return false;
    }
    let mut around = flat.ancestors(line.owner).take_while(|&up| up != container);
    let others = around.find_map(|up| {
        let element = &flat.elements[up as usize];
        let (first, end) = (element.first_run as usize, element.end_run as usize);
        (first < run || run + 1 < end).then_some((first..run, end))
    });
    others.is_some_and(|(others, end)| {
        let weight = |run: usize| flat.runs[run].counts.weight;
        let all: u32 = others.clone().map(weight).sum();
        let chosen: u32 = others.filter(|&run| main[run]).map(weight).sum();
        end == run + 1 && chosen > 0 && chosen >= all / 2
    })
}

fn is_button(flat: &FlatDom<'_>, run: usize) -> bool {
    let first = flat.runs[run].pieces.start as usize;
    let mut around = flat.ancestors(flat.pieces[first].element).take(4);
    around.any(|at| flat.elements[at as usize].tag == Tag::Button)
}

/// The innermost element around all chosen prose.
pub(super) fn container(flat: &FlatDom<'_>, main: &[bool]) -> Option<ElementIndex> {
    let prose = |run: &usize| main[*run] && is_prose(&flat.runs[*run]);
    let first = flat.runs[(0..main.len()).find(prose)?].owner;
    let last = flat.runs[(0..main.len()).rfind(prose)?].owner;
    let around = flat.ancestors(flat.elements[first as usize].parent);
    around.into_iter().find(|&at| flat.contains(at, last))
}

/// The listing or displayed formula that a run stands in.
fn listing(flat: &FlatDom<'_>, run: usize) -> Option<ElementIndex> {
    let first = flat.runs[run].pieces.start as usize;
    let place = flat.pieces[first].element;
    flat.ancestors(place).take(12).find(|&at| {
        let element = &flat.elements[at as usize];
        element.tag == Tag::Pre || formulas::is_displayed(flat, at)
    })
}

/// Whether an element stands in the container, and in no part of it that is named as something else.
fn is_part_of(flat: &FlatDom<'_>, container: ElementIndex, at: ElementIndex) -> bool {
    flat.contains(container, at)
        && flat.elements[at as usize].counts.weight <= LISTING_WEIGHT_MAX
        && !flat
            .ancestors(at)
            .take_while(|&up| up != container)
            .any(|up| is_other_part(&flat.elements[up as usize]))
}

/// Whether an element is another part of the page by its tag or name, or is not seen.
pub(super) fn is_other_part(element: &FlatElement<'_>) -> bool {
    element.traits.has(Traits::HIDDEN)
        || matches!(element.tag, Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form)
        || element.hints.has_any(OTHER_PARTS)
}

/// Whether a run is a short line that may lead to a listing: a heading or paragraph without links.
pub(super) fn leads(
    flat: &FlatDom<'_>,
    survey: &Survey,
    container: ElementIndex,
    run: usize,
) -> bool {
    let markers = survey.markers[run];
    let counts = flat.runs[run].counts;
    let owner = flat.runs[run].owner;
    let tag = flat.elements[owner as usize].tag;
    let is_line = tag == Tag::P || tag.heading_level().is_some_and(|level| level > 1);
    is_line
        && counts.weight <= LEADING_WEIGHT_MAX
        && flat.runs[run].link_weight * 2 < counts.weight
        && !NO_LEAD.iter().any(|&marker| markers.has(marker))
        && is_part_of(flat, container, owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(page: &str, chosen: &[bool]) -> Vec<bool> {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let mut main = chosen.to_vec();
        keep(&flat, &Survey::of(&flat), &PageType::Article, &mut main);
        main
    }

    const PROSE: &str = "<p>The river rose again on Thursday night, and took the old stone bridge, \
        which had stood for two hundred years.</p>";

    #[test]
    fn a_listing_behind_the_last_paragraph_is_kept_with_the_lines_that_lead_to_it() {
        let page = format!(
            "<article>{PROSE}<h2>Result</h2><p>It prints:</p><pre>ok 1</pre></article>\
             <footer><pre>(c) us</pre></footer>"
        );
        let main = kept(&page, &[true, false, false, false, false]);
        assert_eq!(main, [true, true, true, true, false]);
    }

    #[test]
    fn the_name_of_a_file_goes_with_its_listing() {
        // The listing was lost behind it.
        for name in ["<span>app.py</span>", "<div>app.py</div>"] {
            let page = format!(
                "<article>{PROSE}<div class=highlight>{name}<pre>x = 1</pre></div></article>"
            );
            assert_eq!(kept(&page, &[true, false, false]), [true; 3], "{name}");
        }
        let button = "<button>Copy</button>";
        let page = format!(
            "<article>{PROSE}<div class=highlight>{button}<pre>x = 1</pre></div></article>"
        );
        assert_eq!(kept(&page, &[true, false, false]), [true, false, true]);
    }

    #[test]
    fn a_listing_beside_a_chosen_paragraph_is_kept_in_whatever_box_both_stand() {
        let answer = format!("<div class=layout-right>{PROSE}<pre>x = 1</pre></div>");
        let page = format!("<main>{answer}{answer}</main>");
        assert_eq!(kept(&page, &[true, false, true, false]), [true; 4]);
        let page = format!("<main>{PROSE}<div class=sidebar><pre>x = 1</pre></div>{PROSE}</main>");
        assert_eq!(kept(&page, &[true, false, true]), [true, false, true]);
    }

    #[test]
    fn the_link_that_closes_a_box_of_the_text_is_known() {
        let check = |page: &str, run: usize, expected: bool| {
            let html = scraper::Html::parse_document(page);
            let flat = FlatDom::of(&html);
            let main: Vec<bool> = flat.runs.iter().map(is_prose).collect();
            let around = container(&flat, &main).unwrap();
            assert_eq!(closes_box(&flat, around, run, &main), expected, "{page}");
        };
        let link = "<a href=/room>View room</a>";
        let rest = format!("{PROSE}</main>");
        check(&format!("<main><div>{PROSE}{link}</div>{rest}"), 1, true);
        check(
            &format!("<main><div>{PROSE}<p>{link}</p></div>{rest}"),
            1,
            true,
        );
        check(
            &format!("<main><div>{PROSE}<button>More</button></div>{rest}"),
            1,
            true,
        );
        check(
            &format!("<main><div>{PROSE}<p>View room</div>{rest}"),
            1,
            false,
        );
        check(
            &format!("<main><div>{PROSE}{link}<p>From 12 pounds</div>{rest}"),
            1,
            false,
        );
        check(&format!("<main>{PROSE}<div>{link}</div>{rest}"), 1, false);
        check(
            &format!("<main>{PROSE}<ul><li>{link}<li>{link}</ul>{rest}"),
            2,
            false,
        );
    }

    #[test]
    fn a_displayed_formula_is_kept() {
        let page =
            format!("<div>{PROSE}<div><math display=block><mi>x</mi></math></div></div><p>After");
        assert_eq!(kept(&page, &[true, false, false]), [true, true, false]);
    }

    #[test]
    fn a_listing_of_another_part_is_not_kept() {
        for other in [
            "<div class=comments><pre>x = 1</pre></div>",
            "<p>Related articles</p><pre>x = 1</pre>",
            "<aside><pre>x = 1</pre></aside>",
            "<p><a href=/a>A link to somewhere</a></p><pre>x = 1</pre>",
        ] {
            let page = format!("<article>{PROSE}{other}</article>");
            let html = scraper::Html::parse_document(&page);
            let mut chosen = vec![false; FlatDom::of(&html).runs.len()];
            chosen[0] = true;
            assert_eq!(kept(&page, &chosen), chosen, "{other}");
        }
    }
}
