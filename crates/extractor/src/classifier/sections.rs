//! Sections: prose under a heading, where what stands before the heading is content.
//!
//! A heading joins what is above and below it. But the forest sees a run by its path of tags and classes, and
//! some programs give each section an element whose class tells its level. So the last section, if it
//! is one paragraph, shares nothing with the text, has nothing behind it, and is dropped:
//!
//! ```text
//!   <h1>The lock</h1>      <div class="level1"> text </div>     chosen
//!   <h2>In winter</h2>     <div class="level2"> a paragraph     by the heading among siblings
//! ```
//!
//! The law holds among the children of one element, from heading to heading, for paragraphs without the
//! marks of boilerplate, in elements that are not named as another part of the page. Under a heading that
//! leads away ("Related", "Leave a reply") nothing is joined, nor behind it until text is chosen again.
//!
//! The box about the author and the teaser of another article stand under headings, too, and no list of words
//! knows them all. But they are no sections. So a section is joined only where it is made as chosen text beside it
//! is, by its element and its class but for a number, or where such headings already stand between chosen parts.
//!
//! Cost: each heading's siblings are looked at once.

use std::ops::Range;

use html5ever::local_name;
use rustc_hash::FxHashSet;

use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::prefix_sums::is_prose;
use crate::survey::Survey;
use crate::tag::Tag;

use super::endings::is_named_otherwise;
use super::listings::{NO_LEAD, is_running_text};

/// Markers of paragraphs that are no text of the page.
const NO_TEXT: [Marker; 5] = [
    Marker::Comment,
    Marker::Wall,
    Marker::Copyright,
    Marker::Credit,
    Marker::Advert,
];

/// Keeps the prose of sections that a heading joins to chosen text. Runs that a rule has dropped stay so.
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
    let headings = (0..flat.elements.len() as ElementIndex).filter(|&at| is_heading(flat, at));
    let parents = headings.map(|at| flat.elements[at as usize].parent);
    let mut parents: Vec<ElementIndex> = parents.filter(|&at| at != NO_ELEMENT).collect();
    parents.sort_unstable();
    parents.dedup();
    let joiner = Joiner {
        flat,
        survey,
        probability,
    };
    for parent in parents {
        joiner.join(parent, main);
    }
}

/// Whether an element is the heading of a part of the text.
fn is_heading(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    let level = flat.elements[at as usize].tag.heading_level();
    level.is_some_and(|level| level > 1)
}

/// Whether an element has laws of its own ([`super::endings`], [`super::listings`]): a list of functions and code are
/// prose by their points and commas.
fn is_block(element: &FlatElement<'_>) -> bool {
    matches!(
        element.tag,
        Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::Pre
    )
}

/// The elements among siblings that were chosen before.
#[derive(Default)]
struct Known<'a> {
    /// What they are, with the class but for its numbers: "level1" and "level2" are alike.
    alike: FxHashSet<(Tag, Vec<&'a str>)>,
    /// What those are that a heading joins to chosen text.
    headed: FxHashSet<Tag>,
}

impl<'a> Known<'a> {
    fn add(&mut self, element: &FlatElement<'a>, is_headed: bool) {
        self.alike.extend(family(element));
        if is_headed {
            self.headed.insert(element.tag);
        }
    }

    /// Whether an element is made as one of them is. What is not the first of its section may be a box of its own, if
    /// it is no paragraph.
    fn has(&self, element: &FlatElement<'a>, is_first: bool) -> bool {
        let is_alike = || family(element).is_some_and(|family| self.alike.contains(&family));
        let is_headed = self.headed.contains(&element.tag);
        is_headed && (is_first || element.tag == Tag::P) || is_alike()
    }
}

/// An element that has a class, but for the numbers in it.
fn family<'a>(element: &FlatElement<'a>) -> Option<(Tag, Vec<&'a str>)> {
    let class = element.element.attribute(&local_name!("class"))?;
    let is_number = |char: char| char.is_ascii_digit() || char.is_ascii_whitespace();
    let parts = class.split(is_number).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    (!parts.is_empty()).then_some((element.tag, parts))
}

struct Joiner<'j, 'a> {
    flat: &'j FlatDom<'a>,
    survey: &'j Survey,
    probability: &'j [f32],
}

impl Joiner<'_, '_> {
    /// Joins sections among the children of an element.
    fn join(&self, parent: ElementIndex, main: &mut [bool]) {
        // Whether what was met last is content; the headings that join a section to it, and whether the section
        // has begun.
        let (mut is_content, mut has_begun) = (false, false);
        let mut headings: Vec<usize> = Vec::new();
        let mut known = Known::default();
        for at in self.flat.children(parent) {
            let element = &self.flat.elements[at as usize];
            let runs = element.first_run as usize..(element.end_run as usize).min(main.len());
            if runs.is_empty() {
                continue;
            }
            if element.tag.heading_level().is_some() {
                is_content &= is_heading(self.flat, at) && self.may_join(at, runs.clone());
                if std::mem::take(&mut has_begun) || !is_content {
                    headings.clear();
                }
                headings.extend(is_content.then_some(runs.start));
                continue;
            }
            let is_first = !std::mem::replace(&mut has_begun, true);
            let is_headed = is_content && !headings.is_empty();
            if self.is_content(runs.clone(), main) == Some(true) {
                known.add(element, is_headed);
            }
            let may_join = is_headed && known.has(element, is_first);
            if may_join && self.choose(parent, runs.clone(), main) {
                headings.iter().for_each(|&run| main[run] = true);
            }
            is_content = self.is_content(runs, main).unwrap_or(is_content);
        }
    }

    /// Whether a heading may be one of the text before it.
    fn may_join(&self, at: ElementIndex, mut runs: Range<usize>) -> bool {
        let element = &self.flat.elements[at as usize];
        element.link_weight * 2 < element.counts.weight
            && !is_named_otherwise(element)
            && runs.all(|run| {
                let markers = self.survey.markers[run];
                self.probability[run] > 0.0 && !NO_LEAD.iter().any(|&marker| markers.has(marker))
            })
    }

    /// Chooses the prose of a section; whether there is any that was not chosen.
    fn choose(&self, parent: ElementIndex, runs: Range<usize>, main: &mut [bool]) -> bool {
        let mut found = false;
        for run in runs {
            if !main[run] && self.is_text(parent, run) {
                main[run] = true;
                found = true;
            }
        }
        found
    }

    fn is_text(&self, parent: ElementIndex, run: usize) -> bool {
        let line = &self.flat.runs[run];
        let markers = self.survey.markers[run];
        let mut around = self
            .flat
            .ancestors(line.owner)
            .take_while(|&up| up != parent);
        is_prose(line)
            && self.probability[run] > 0.0
            && !NO_TEXT.iter().any(|&marker| markers.has(marker))
            && !around.any(|up| {
                let element = &self.flat.elements[up as usize];
                is_named_otherwise(element) || is_block(element)
            })
    }

    /// Whether the larger part of some runs of prose is chosen; without prose, that links are none of the
    /// content. Pictures and labels say nothing.
    fn is_content(&self, runs: Range<usize>, main: &[bool]) -> Option<bool> {
        let all = self.survey.sums.range(runs.start, runs.end);
        if all.prose == 0 {
            let leads_on = all.link_weight * 2 > all.weight && !runs.into_iter().any(|at| main[at]);
            return leads_on.then_some(false);
        }
        let prose = runs.filter(|&run| main[run] && is_prose(&self.flat.runs[run]));
        let chosen: u32 = prose.map(|run| self.flat.runs[run].counts.weight).sum();
        Some(chosen * 2 >= all.prose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROSE: &str = "The river rose again on Thursday night, and took the old stone bridge with it, which \
        had stood there for two hundred years.";

    /// Which paragraphs are kept of a page whose first is chosen.
    #[track_caller]
    fn check(rest: &str, expected: &[bool]) {
        check_chosen(rest, &[], expected);
    }

    /// The same where others are chosen as well.
    #[track_caller]
    fn check_chosen(rest: &str, chosen: &[usize], expected: &[bool]) {
        let page =
            format!("<main><h1>The lock</h1><div class=level1><p>{PROSE}</div>{rest}</main>");
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let mut main: Vec<bool> = {
            let runs = 0..flat.runs.len();
            runs.map(|run| run == 1 || chosen.contains(&run)).collect()
        };
        let probability = vec![0.1; main.len()];
        keep(&flat, &survey, &PageType::Other, &probability, &mut main);
        assert_eq!(main[2..], *expected, "{page}");
    }

    fn section(heading: &str, class: &str) -> String {
        format!("<h2>{heading}</h2><div class='{class}'><p>{PROSE}</div>")
    }

    #[test]
    fn a_heading_joins_the_prose_below_it_to_the_text_above() {
        let own = section("In winter", "level2");
        check(&own, &[true; 2]);
        check(&own.repeat(2), &[true; 4]);
        check(&format!("{own}<div class=level2><p>{PROSE}"), &[true; 3]);
        check("<h2>In winter</h2><div><p>Shut</div>", &[false; 2]);
        check(
            &format!(
                "<h2>In winter</h2><figure>A picture</figure><div class=level2><p>{PROSE}</div>"
            ),
            &[true, false, true],
        );
        check(&format!("<h2>The bridge</h2>{own}"), &[true; 3]);
        check(
            &format!("<figure>A picture</figure>{own}"),
            &[false, true, true],
        );
        // Without a heading between, what the forest says of it stands.
        check(&format!("<div class=level2><p>{PROSE}</div>"), &[false]);
    }

    #[test]
    fn what_is_made_otherwise_than_the_text_above_is_no_section() {
        // They were added to the text.
        for heading in [
            "About the author",
            "Über den Autor",
            "关于作者",
            "Disclaimer",
            "The mill burns down",
        ] {
            check(&section(heading, "x"), &[false; 2]);
            check(
                &format!("<h2>{heading}</h2><div><p>{PROSE}</div>"),
                &[false; 2],
            );
            check(&section(heading, "x").repeat(2), &[false; 4]);
            let behind = format!(
                "{}{}",
                section("In winter", "level2"),
                section(heading, "x")
            );
            check(&behind, &[true, true, false, false]);
            let paragraph = format!("<h3>In winter</h3><p>{PROSE}</p>{}", section(heading, "x"));
            check_chosen(&paragraph, &[2, 3], &[true, true, false, false]);
        }
        // A box behind the last section has its heading within.
        let text = format!("<h2>In winter</h2><p>{PROSE}</p>");
        for text in [text, section("In winter", "level2")] {
            let box_ = format!("{text}<div class=x><h3>Who we are</h3><p>{PROSE}</div>");
            check_chosen(&box_, &[2, 3], &[true, true, false, false]);
        }
        // Where headings stand between parts of the text, a further part may have any class.
        let parts = ["intro", "body", "tail"].map(|class| section("In winter", class));
        check_chosen(&parts.concat(), &[2, 3], &[true; 6]);
        check(&parts.concat(), &[false; 6]);
    }

    #[test]
    fn the_last_of_many_sections_is_joined() {
        // Of more than two thousand siblings the rest was not looked at.
        let own = section("In winter", "level2");
        check(&own.repeat(1_500), &[true; 3_000]);
    }

    #[test]
    fn a_heading_that_leads_away_joins_nothing_nor_does_what_stands_behind_it() {
        for heading in [
            "Related articles",
            "Leave a reply",
            "<a href=/x>The bridge</a>",
        ] {
            check(&section(heading, "level2"), &[false; 2]);
            let behind = section("In winter", "level2");
            check(
                &format!("{}{behind}", section(heading, "level2")),
                &[false; 4],
            );
        }
        for class in ["author-box", "comments", "related", "footer", "newsletter"] {
            check(&section("In winter", class), &[false; 2]);
        }
        let links = "<ul><li><a href=/a>The bridge</a><li><a href=/b>The mill</a></ul>";
        let behind = section("In winter", "level2");
        check(&format!("{links}{behind}"), &[false; 4]);
        let items = format!("<h2>In winter</h2><dl><dt>The lock<dd>{PROSE}</dl>");
        check(&items, &[false; 3]);
        check(
            &format!("<h2>In winter</h2><pre>{PROSE}</pre>"),
            &[false; 2],
        );
        let notice = format!("<h2>In winter</h2><div><p>This site uses cookies. {PROSE}</div>");
        check(&notice, &[false; 2]);
    }
}
