//! The sections of what a page's title names: what goes into a dish and how it is made, a doctor's hours, where a job is.
//!
//! Their lines are short, and the one paragraph of the page stands in a box of its own. So neither the forests nor the
//! laws that look around chosen prose see more than the paragraph. But the title stands in one element with it, and what
//! stands there as well, under headings that are made alike and without a link, is told of what the title names:
//!
//! ```text
//!   <div>
//!     <h1> Stewed pork           the title
//!     <div> <p> a paragraph      chosen
//!     <h2> Ingredients           kept with what is under it,
//!     <table> ...
//!     <h2> Steps                 as this is another of its kind
//!     <div> <p> 1. Wash it.
//!   </div>
//! ```
//!
//! On an article or an offer such headings are as often those of its box of authors, of letters to subscribe to and of
//! whom to call, so that these have none of this. On a page of links a heading that is chosen lists what stands under it: the names of a school's
//! teachers under "Professors" are links, and so short that they are labels to the forests.
//!
//! Cost: each run is looked at once for each level of headings.

use std::ops::Range;

use html5ever::local_name;

use crate::class_hints::Hint;
use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::data_tables::is_in_other_part;
use super::endings::{LABELS, is_named_otherwise};
use super::listings::{NO_LEAD, is_other_part};

/// So many sections are made alike.
const ALIKE_MIN: usize = 2;

/// Keeps the sections beside a text that have the title in common with it. `title` is the last run of the heading that is
/// the title. Runs that a rule has dropped stay so.
pub(super) fn keep(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    title: Option<usize>,
    probability: &[f32],
    main: &mut [bool],
) {
    let is_of_one_thing = matches!(page_type, PageType::Other | PageType::Documentation);
    let Some(title) = title.filter(|_| is_of_one_thing) else {
        return;
    };
    let page = Page {
        flat,
        survey,
        probability,
    };
    let Some(thing) = page.thing(title, main) else {
        return;
    };
    let end = flat.elements[thing as usize].end_run as usize;
    let headings = (title + 1..end.min(main.len())).filter(|&run| page.is_heading(run, thing));
    let sections: Vec<(usize, Range<usize>)> = headings
        .map(|heading| (heading, page.section(heading, thing)))
        .filter(|(_, section)| !section.is_empty())
        .filter(|(_, section)| page.is_chosen(section, main) || page.is_plain(section))
        .collect();
    for (heading, section) in &sections {
        let made = page.made(*heading);
        let alike = sections.iter().filter(|(of, _)| page.made(*of) == made);
        if alike.count() >= ALIKE_MIN && page.is_plain(section) {
            main[*heading..section.end].fill(true);
        }
    }
}

/// Keeps what stands under the chosen headings of a list.
pub(super) fn keep_listed(
    flat: &FlatDom<'_>,
    survey: &Survey,
    page_type: &PageType,
    probability: &[f32],
    main: &mut [bool],
) {
    if *page_type != PageType::Listing {
        return;
    }
    let page = Page {
        flat,
        survey,
        probability,
    };
    let chosen = (0..main.len()).filter(|&run| main[run] && page.is_heading(run, 0));
    let chosen: Vec<usize> = chosen.collect();
    for heading in chosen {
        let section = page.section(heading, 0);
        let has_link = section.clone().any(|run| flat.runs[run].link_weight > 0);
        if has_link
            && section
                .clone()
                .all(|run| !main[run] && page.may_be_kept(run))
        {
            main[section].fill(true);
        }
    }
}

struct Page<'p, 'd> {
    flat: &'p FlatDom<'d>,
    survey: &'p Survey,
    probability: &'p [f32],
}

impl Page<'_, '_> {
    /// The innermost element around the title and the last chosen prose.
    fn thing(&self, title: usize, main: &[bool]) -> Option<ElementIndex> {
        let is_chosen = |&run: &usize| main[run] && is_prose(&self.flat.runs[run]);
        let last = (title..main.len()).rfind(is_chosen)?;
        let around = self.flat.ancestors(self.flat.runs[title].owner);
        let mut around = around.filter(|&at| self.runs_of(at).contains(&last));
        let thing = around.next()?;
        (self.flat.elements[thing as usize].tag != Tag::Body).then_some(thing)
    }

    fn runs_of(&self, at: ElementIndex) -> Range<usize> {
        let element = &self.flat.elements[at as usize];
        element.first_run as usize..(element.end_run as usize).min(self.flat.runs.len())
    }

    fn level(&self, run: usize) -> Option<u8> {
        let owner = &self.flat.elements[self.flat.runs[run].owner as usize];
        owner.tag.heading_level()
    }

    /// Whether a run is the heading of a part of the text, and no link.
    fn is_heading(&self, run: usize, within: ElementIndex) -> bool {
        self.level(run).is_some_and(|level| level > 1)
            && self.flat.runs[run].link_weight == 0
            && !self.is_marked(run)
            && !self.is_in_other_part(run, within)
    }

    /// The level of a heading and its class.
    fn made(&self, heading: usize) -> (Option<u8>, Option<&str>) {
        let owner = &self.flat.elements[self.flat.runs[heading].owner as usize];
        let class = owner.element.attribute(&local_name!("class"));
        (self.level(heading), class)
    }

    /// What stands under a heading: up to the next one of its level or above, within the element that holds more than it,
    /// and before other parts of the page.
    fn section(&self, heading: usize, within: ElementIndex) -> Range<usize> {
        let level = self.level(heading);
        let is_wider = |at: &ElementIndex| self.runs_of(*at).end > heading + 1;
        let mut around = self.flat.ancestors(self.flat.runs[heading].owner);
        let Some(part) = around.find(is_wider) else {
            return heading + 1..heading + 1;
        };
        let behind = heading + 1..self.runs_of(part).end;
        let ends = |&run: &usize| {
            self.level(run).is_some_and(|of| Some(of) <= level)
                || self.is_in_other_part(run, within)
        };
        let end = behind.clone().find(ends).unwrap_or(behind.end);
        heading + 1..end
    }

    fn is_in_other_part(&self, run: usize, within: ElementIndex) -> bool {
        let owner = self.flat.runs[run].owner;
        let mut inside = self.flat.ancestors(owner).take_while(|&at| at != within);
        is_in_other_part(self.flat, owner)
            || inside.any(|at| {
                let element = &self.flat.elements[at as usize];
                element.tag == Tag::Button
                    || is_named_otherwise(element) && !self.flat.is_frame(at) && !self.is_headed(at)
            })
    }

    /// Whether an element that is named as the line below a title is ("time", "info") has a heading, which no such line has.
    fn is_headed(&self, at: ElementIndex) -> bool {
        let element = &self.flat.elements[at as usize];
        let mut others = LABELS.iter().filter(|&&hint| hint != Hint::Byline);
        element.hints.has(Hint::Byline)
            && !is_other_part(element)
            && !others.any(|&hint| element.hints.has(hint))
            && self.runs_of(at).any(|run| self.level(run).is_some())
    }

    fn is_marked(&self, run: usize) -> bool {
        let markers = self.survey.markers[run];
        NO_LEAD.iter().any(|&mark| markers.has(mark)) || markers.has(Marker::More)
    }

    /// Whether no rule has dropped a run, and no mark tells that it is no text.
    fn may_be_kept(&self, run: usize) -> bool {
        self.probability[run] > 0.0 && !self.is_marked(run)
    }

    /// Whether a section leads nowhere.
    fn is_plain(&self, section: &Range<usize>) -> bool {
        let is_plain = |run: usize| self.flat.runs[run].link_weight == 0 && self.may_be_kept(run);
        section.clone().all(is_plain)
    }

    /// Whether the larger part of a section is chosen.
    fn is_chosen(&self, section: &Range<usize>, main: &[bool]) -> bool {
        let weight = |run: usize| self.flat.runs[run].counts.weight;
        let all: u32 = section.clone().map(weight).sum();
        let chosen: u32 = section.clone().filter(|&run| main[run]).map(weight).sum();
        chosen * 2 >= all
    }
}

#[cfg(test)]
mod tests {
    use super::super::kept_texts::kept_texts;
    use super::*;

    const PROSE: &str = "The pork is stewed for an hour, until it is soft and the sauce has boiled away, and it is eaten with rice.";

    fn kept(page: &str, page_type: &PageType) -> Vec<String> {
        let is_chosen = |_: &FlatDom<'_>, survey: &Survey, run: usize| {
            survey.texts[run] == PROSE || survey.texts[run].starts_with("Prof")
        };
        kept_texts(page, is_chosen, |flat, survey, probability, main| {
            let title = survey.texts.iter().position(|text| text == "Stewed pork");
            keep(flat, survey, page_type, title, probability, main);
            keep_listed(flat, survey, page_type, probability, main);
        })
    }

    #[test]
    fn sections_that_have_the_title_in_common_with_the_text_are_kept() {
        let page = |behind: &str| {
            format!(
                "<body><div><h1>Stewed pork</h1><div><p>{PROSE}</p></div><h2>Ingredients</h2><table><tr><td>Pork<td>500 g</table>\
                 {behind}</div><h2>Contact</h2><p>Call us</p><h2>Hours</h2><p>Never</p></body>"
            )
        };
        let steps =
            "<h2>Steps</h2><div class=step><p>1. Wash it</div><div class=step><p>2. Stew it</div>";
        let all = [
            PROSE,
            "Ingredients",
            "Pork",
            "500 g",
            "Steps",
            "1. Wash it",
            "2. Stew it",
        ];
        assert_eq!(kept(&page(steps), &PageType::Other), all);
        let named = steps.replace("<h2>Steps</h2>", "<div class=time><h2>Steps</h2>") + "</div>";
        assert_eq!(kept(&page(&named), &PageType::Other), all);
        let related = format!("{steps}<div class=related><h2>More dishes</h2><p>Fried pork</div>");
        assert_eq!(kept(&page(&related), &PageType::Other), all);
        assert_eq!(kept(&page(steps), &PageType::Article), [PROSE]);
        for behind in [
            // One alone may be a box of anything.
            "",
            "<h3>Steps</h3><p>1. Wash it",
            // What leads on.
            "<h2>Steps</h2><p><a href=/steps>1. Wash it</a>",
            "<h2>Related</h2><p>Fried pork",
        ] {
            let kept = kept(&page(behind), &PageType::Other);
            assert!(
                !kept.contains(&"Ingredients".to_owned()),
                "{behind}: {kept:?}"
            );
        }
    }

    #[test]
    fn a_chosen_heading_lists_what_stands_under_it() {
        let page = "<div><h3>Professors</h3><ul><li><a href=/1>Li Lei</a><li><a href=/2>Han Mei</a></ul>\
            <h3>Guests</h3><ul><li><a href=/3>Ann Lee</a></ul></div>";
        let names = ["Professors", "Li Lei", "Han Mei"];
        assert_eq!(kept(page, &PageType::Listing), names);
        assert_eq!(kept(page, &PageType::Other), ["Professors"]);
        // The day of the next one.
        let day = "<h3>Professors</h3><p>4 May</p><h3>Guests</h3>";
        assert_eq!(kept(day, &PageType::Listing), ["Professors"]);
        let side = page.replace("<div>", "<div class=sidebar>");
        assert_eq!(kept(&side, &PageType::Listing), ["Professors"]);
    }
}
