//! Parts that are hidden until a reader unfolds them: the rest behind "show more", answers, tabs.
//!
//! Hidden text amid an article is mostly none of it: a window that asks for a subscription, a copy for narrow
//! screens. But what a reader unfolds is written for him. Its control tells it, by the name of the part or by
//! its place:
//!
//! ```text
//!   <div role=tab aria-controls=a>    <div role=tabpanel id=a hidden>     by name, or by its role
//!   <a href=#b aria-expanded=false>   <dd id=b style=display:none>
//!   <a href=#c> <a href=#d>           <div id=c hidden> <div id=d hidden> two or more side by side
//!   <h3> a question </h3>             <div style=display:none>            two or more pairs that are alike
//! ```
//!
//! Controls in menus, headers and forms unfold other things, and dialogs are none of the text.
//!
//! Cost: the elements, and the siblings of hidden ones, are looked at once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Traits};
use crate::line_markers::Marker;
use crate::prefix_sums::share;
use crate::survey::Survey;
use crate::tag::Tag;

use super::data_tables::is_in_other_part;

/// The most weight of a line that unfolds what stands behind it,
const LINE_WEIGHT_MAX: u32 = 250;
/// and the most elements in it.
const LINE_ELEMENTS_MAX: u32 = 40;

/// The hidden parts of a page that a reader unfolds.
pub(super) struct Unfolded<'d> {
    /// Those that a control names.
    named: FxHashSet<&'d str>,
    /// Those that are known by their place.
    placed: FxHashSet<ElementIndex>,
}

impl<'d> Unfolded<'d> {
    pub(super) fn of(flat: &FlatDom<'d>, survey: &Survey) -> Self {
        let mut unfolded = Unfolded {
            named: FxHashSet::default(),
            placed: FxHashSet::default(),
        };
        let is_hidden =
            |element: &FlatElement<'_>| element.traits.has(Traits::HIDDEN) && holds_text(element);
        if flat.elements.iter().any(is_hidden) {
            unfolded.named = named(flat);
            unfolded.placed = placed(flat, survey);
        }
        unfolded
    }

    /// Whether a run stands in a hidden element that nobody unfolds. One that holds much of the page does not count:
    /// some pages are hidden as a whole until a script has run.
    pub(super) fn is_hidden(&self, flat: &FlatDom<'_>, survey: &Survey, run: usize) -> bool {
        let page = survey.sums.page();
        flat.ancestors(flat.runs[run].owner).any(|at| {
            let element = &flat.elements[at as usize];
            element.traits.has(Traits::HIDDEN)
                && share(element.counts.weight, page.weight, 0.0) < 0.3
                && (!self.has(element, at) || is_of_the_site(survey, element))
        })
    }

    fn has(&self, element: &FlatElement<'_>, at: ElementIndex) -> bool {
        let is_named = || {
            let id = element.element.attr("id");
            id.is_some_and(|id| self.named.contains(id))
        };
        self.placed.contains(&at) || !self.named.is_empty() && is_named()
    }
}

/// Whether a part asks the reader for something, or tells him of the site: to share, to log in, to buy.
fn is_of_the_site(survey: &Survey, element: &FlatElement<'_>) -> bool {
    const MARKS: [Marker; 3] = [Marker::Share, Marker::Wall, Marker::Advert];
    const RUNS_MAX: usize = 4;
    let runs = element.first_run as usize..element.end_run as usize;
    let is_marked = |run: usize| {
        let markers = survey.markers.get(run);
        markers.is_some_and(|markers| MARKS.iter().any(|&mark| markers.has(mark)))
    };
    runs.len() <= RUNS_MAX && runs.into_iter().any(is_marked)
}

fn holds_text(element: &FlatElement<'_>) -> bool {
    element.counts.chars > 0
}

/// The names of the parts that controls beside the text unfold.
fn named<'d>(flat: &FlatDom<'d>) -> FxHashSet<&'d str> {
    let controls = flat.elements.iter().enumerate();
    let controls = controls.filter_map(|(at, element)| {
        let name = named_by(element).filter(|_| !opens_a_window(element))?;
        (!is_in_other_part(flat, at as ElementIndex)).then_some(name)
    });
    controls.flat_map(str::split_ascii_whitespace).collect()
}

/// The name of the part that a control unfolds.
fn named_by<'d>(element: &FlatElement<'d>) -> Option<&'d str> {
    let attribute = |name| element.element.attr(name);
    let by_script = |name| attribute(name)?.strip_prefix('#');
    let says_so = || {
        attribute("aria-expanded").is_some()
            || attribute("data-toggle").is_some()
            || attribute("data-bs-toggle").is_some()
            || matches!(attribute("role"), Some("tab" | "button"))
    };
    attribute("aria-controls")
        .or_else(|| by_script("data-bs-target"))
        .or_else(|| by_script("data-target"))
        .or_else(|| by_script("href").filter(|_| says_so()))
}

/// Whether a control opens a dialog or a menu above the page.
fn opens_a_window(element: &FlatElement<'_>) -> bool {
    let toggles = |name| element.element.attr(name);
    let toggled = toggles("data-bs-toggle").or_else(|| toggles("data-toggle"));
    let opens = toggled.is_some_and(|toggled| {
        ["modal", "offcanvas", "dropdown"]
            .iter()
            .any(|window| toggled.eq_ignore_ascii_case(window))
    });
    opens || toggles("aria-haspopup").is_some()
}

/// The hidden parts that are known by their place: panels of tabs, those side by side to which links lead, those behind
/// lines that are alike.
fn placed(flat: &FlatDom<'_>, survey: &Survey) -> FxHashSet<ElementIndex> {
    let hidden = (0..flat.elements.len() as ElementIndex).filter(|&at| {
        let element = &flat.elements[at as usize];
        element.traits.has(Traits::HIDDEN) && holds_text(element) && element.parent != NO_ELEMENT
    });
    let mut parents: Vec<ElementIndex> =
        hidden.map(|at| flat.elements[at as usize].parent).collect();
    parents.sort_unstable();
    parents.dedup();
    parents.retain(|&parent| !is_in_other_part(flat, parent));
    let linked = linked(flat);
    let mut placed = FxHashSet::default();
    let mut pairs = Pairs::default();
    for parent in parents {
        let hidden = flat.children(parent).filter(|&at| {
            let element = &flat.elements[at as usize];
            element.traits.has(Traits::HIDDEN) && holds_text(element)
        });
        let hidden: Vec<ElementIndex> = hidden.collect();
        let attribute = |at: ElementIndex, name| flat.elements[at as usize].element.attr(name);
        let is_panel = |&at: &ElementIndex| attribute(at, "role") == Some("tabpanel");
        let is_linked =
            |&at: &ElementIndex| attribute(at, "id").is_some_and(|id| linked.contains(id));
        placed.extend(hidden.iter().copied().filter(is_panel));
        let side_by_side = flat.children(parent).filter(is_linked).take(2).count() > 1;
        placed.extend(
            hidden
                .into_iter()
                .filter(|at| side_by_side && is_linked(at)),
        );
        pairs.add(flat, survey, parent);
    }
    placed.extend(pairs.alike());
    placed
}

/// The names of the parts of this page to which links lead.
fn linked<'d>(flat: &FlatDom<'d>) -> FxHashSet<&'d str> {
    let links = flat.elements.iter().filter(|link| link.tag == Tag::A);
    let links = links.filter_map(|link| link.element.attr("href")?.strip_prefix('#'));
    links.filter(|name| !name.is_empty()).collect()
}

/// Lines with a hidden part right behind each, by what both and the element around them are.
#[derive(Default)]
struct Pairs<'s>(FxHashMap<[u32; 4], Kind<'s>>);

#[derive(Default)]
struct Kind<'s> {
    parts: Vec<ElementIndex>,
    /// How they begin.
    texts: FxHashSet<&'s str>,
    weight: u32,
    prose: u32,
    sentence_ends: u32,
}

impl<'s> Pairs<'s> {
    /// Adds the pairs among the children of an element. They are alike where they stand in one element, or in elements
    /// of one kind in one element.
    fn add(&mut self, flat: &FlatDom<'_>, survey: &'s Survey, parent: ElementIndex) {
        let around = &flat.elements[parent as usize];
        let mut line: Option<ElementIndex> = None;
        for at in flat.children(parent) {
            let element = &flat.elements[at as usize];
            if !holds_text(element) {
                continue;
            }
            let line = line.replace(at);
            let line = line.filter(|_| element.traits.has(Traits::HIDDEN));
            let Some(line) = line.filter(|&line| is_line(flat, line)) else {
                continue;
            };
            let line = flat.elements[line as usize].shape;
            let sums = survey.sums.under(flat, at);
            for place in [[parent, 0], [around.parent, around.shape]] {
                let kind = self.0.entry([place[0], place[1], line, element.shape]);
                let kind = kind.or_default();
                kind.parts.push(at);
                kind.weight = kind.weight.saturating_add(sums.weight);
                kind.prose = kind.prose.saturating_add(sums.prose);
                kind.sentence_ends = kind.sentence_ends.saturating_add(sums.sentence_ends);
                let text = survey.texts.get(element.first_run as usize);
                kind.texts.extend(text.map(String::as_str));
            }
        }
    }

    /// The hidden parts of two or more pairs that are alike and have a sentence each, or prose for the larger part.
    fn alike(self) -> impl Iterator<Item = ElementIndex> + use<'s> {
        let kinds = self.0.into_values();
        let tells = |kind: &Kind<'_>| {
            kind.sentence_ends as usize >= kind.parts.len() || kind.prose >= kind.weight / 2
        };
        let kinds = kinds.filter(move |kind| kind.texts.len() > 1 && tells(kind));
        kinds.flat_map(|kind| kind.parts)
    }
}

/// Whether an element is a shown line that does not lead to another page.
fn is_line(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    const SCRIPT: &str = "javascript:";
    let element = &flat.elements[at as usize];
    let leads_away = |link: &FlatElement<'_>| {
        let address = link.element.attr("href").unwrap_or("");
        let is_script = address
            .get(..SCRIPT.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(SCRIPT));
        link.tag == Tag::A && !address.is_empty() && !address.starts_with('#') && !is_script
    };
    !element.traits.has(Traits::HIDDEN)
        && element.counts.weight <= LINE_WEIGHT_MAX
        && element.end_run.saturating_sub(element.first_run) <= 2
        && element.end - at <= LINE_ELEMENTS_MAX
        && !flat.elements[at as usize..element.end as usize]
            .iter()
            .any(leads_away)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<p>The mill was built by the guild, it turned for two hundred years, and it stopped on a day in \
        autumn when the river fell below the wheel for the first time since the great drought.</p>";
    const HIDDEN: &str =
        "<p>Its stones lie in the yard of the school, where children climb on them.</p>";

    /// Whether the last line of a page, which is hidden, is text.
    fn is_kept(page: &str) -> bool {
        let page = format!("<main>{}{page}</main>", TEXT.repeat(6));
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let unfolded = Unfolded::of(&flat, &survey);
        !unfolded.is_hidden(&flat, &survey, flat.runs.len() - 1)
    }

    #[test]
    fn what_a_control_beside_the_text_unfolds_is_not_hidden_from_a_reader() {
        for (before, kept) in [
            ("<button aria-controls=more>Show more</button>", true),
            ("<div role=tab aria-controls=more>Its end</div>", true),
            ("<a data-bs-target='#more'>Show more</a>", true),
            ("<a href='#more' aria-expanded=false>Show more</a>", true),
            ("<a href='#more' data-toggle=collapse>Show more</a>", true),
            ("<a href='#more'>Show more</a>", false),
            (
                "<button data-bs-toggle=modal data-bs-target='#more'>Subscribe</button>",
                false,
            ),
            (
                "<button aria-haspopup=dialog aria-controls=more>Subscribe</button>",
                false,
            ),
            ("<button aria-controls=other>Show more</button>", false),
            ("<nav><button aria-controls=more>Menu</button></nav>", false),
            ("", false),
        ] {
            let page = format!("{before}<div id=more hidden>{HIDDEN}</div>");
            assert_eq!(is_kept(&page), kept, "{before}");
        }
    }

    #[test]
    fn a_frame_that_is_named_after_another_part_takes_no_control_away() {
        let page = format!(
            "<div class=has-sidebar><main>{}<button aria-controls=more>Show more</button><div id=more \
             hidden>{HIDDEN}</div></main></div>",
            TEXT.repeat(6)
        );
        let html = scraper::Html::parse_document(&page);
        let flat = FlatDom::of(&html);
        let survey = Survey::of(&flat);
        let unfolded = Unfolded::of(&flat, &survey);
        assert!(!unfolded.is_hidden(&flat, &survey, flat.runs.len() - 1));
    }

    #[test]
    fn what_stands_behind_lines_that_are_alike_is_not_hidden_from_a_reader() {
        let other =
            "<p>The wheel went to the museum, where it turns on Sundays, if there is water.</p>";
        let pair = |line: &str, text: &str| format!("{line}<div style='display:none'>{text}</div>");
        for (line, kept) in [
            ("<h3>Where are they?</h3>", true),
            ("<div role=button>Where are they?</div>", true),
            (
                "<p><a href='javascript:void(0)'>Where are they?</a></p>",
                true,
            ),
            ("<h3><a href=/stones>Where are they?</a></h3>", false),
            (&format!("<div>{}</div>", TEXT.repeat(3)), false),
            ("", false),
        ] {
            let (first, second) = (pair(line, other), pair(line, HIDDEN));
            assert_eq!(is_kept(&format!("{first}{second}")), kept, "{line}");
            let items = format!("<div class=q>{first}</div><div class=q>{second}</div>");
            assert_eq!(is_kept(&items), kept, "{line}");
            // One alone may be a window, and the same text twice is no answer.
            assert!(!is_kept(&second), "{line}");
            assert!(!is_kept(&second.repeat(2)), "{line}");
        }
        let menu = ["<b>Share</b>", "<b>Print</b>"].map(|text| pair("<h3>The mill</h3>", text));
        assert!(!is_kept(&menu.concat()));
    }

    #[test]
    fn panels_of_tabs_are_not_hidden_from_a_reader() {
        assert!(is_kept(&format!(
            "<div role=tabpanel hidden>{HIDDEN}</div>"
        )));
        let tabs = "<ul><li><a href='#a'>One</a><li><a href='#b'>Two</a></ul>";
        let panels = format!("<div id=a><p>A</div><div id=b hidden>{HIDDEN}</div>");
        assert!(is_kept(&format!("{tabs}{panels}")));
        assert!(!is_kept(&panels));
        assert!(!is_kept(&format!("<aside>{tabs}{panels}</aside>")));
    }
}
