//! The labels of tabs: the headings of the parts that they show.
//!
//! Templates put them together above all parts, as a menu is made, and many are buttons. But each names one part of the
//! text by its id, and without them parts stand without headings.
//!
//! ```text
//!   <div role=tab aria-controls=a> In winter      kept, where the text of its part is
//!   <div role=tabpanel id=a> ...
//! ```

use rustc_hash::FxHashMap;

use crate::flat_dom::{ElementIndex, FlatDom, FlatElement};
use crate::page::PageType;
use crate::prefix_sums::share;

use super::data_tables::is_in_other_part;
use super::listings::is_running_text;

/// The most weight of a label.
const WEIGHT_MAX: u32 = 250;
/// The least share of a part's text that is kept.
const KEPT_MIN: f32 = 0.5;

/// Keeps the labels of kept parts.
pub(super) fn keep(flat: &FlatDom<'_>, page_type: &PageType, main: &mut [bool]) {
    let tabs = || {
        flat.elements
            .iter()
            .enumerate()
            .filter(|(_, at)| is_tab(at))
    };
    if !is_running_text(page_type) || tabs().next().is_none() {
        return;
    }
    let mut parts: FxHashMap<&str, ElementIndex> = FxHashMap::default();
    for (at, element) in flat.elements.iter().enumerate() {
        if let Some(id) = element.element.attr("id") {
            parts.entry(id).or_insert(at as ElementIndex);
        }
    }
    for (at, tab) in tabs() {
        let part = named(tab).and_then(|id| parts.get(id));
        let is_kept = part.is_some_and(|&part| kept_share(flat, part, main) >= KEPT_MIN);
        let is_label = (1..=WEIGHT_MAX).contains(&tab.counts.weight);
        if is_label && is_kept && !is_in_other_part(flat, at as ElementIndex) {
            let runs = tab.first_run as usize..(tab.end_run as usize).min(main.len());
            main[runs].fill(true);
        }
    }
}

fn is_tab(element: &FlatElement<'_>) -> bool {
    element.element.attr("role") == Some("tab")
}

/// The id of the part that a tab shows.
fn named<'d>(tab: &FlatElement<'d>) -> Option<&'d str> {
    let link = || tab.element.attr("href")?.strip_prefix('#');
    tab.element.attr("aria-controls").or_else(link)
}

fn kept_share(flat: &FlatDom<'_>, part: ElementIndex, main: &[bool]) -> f32 {
    let element = &flat.elements[part as usize];
    let runs = element.first_run as usize..(element.end_run as usize).min(main.len());
    let kept = runs.filter(|&run| main[run]);
    let kept: u32 = kept.map(|run| flat.runs[run].counts.weight).sum();
    share(kept, element.counts.weight, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_label_of_a_kept_part_is_kept() {
        let kept = |tab: &str, part: &str| {
            let page = format!("<main>{tab}<p>It rose.</p>{part}</main>");
            let html = scraper::Html::parse_document(&page);
            let flat = FlatDom::of(&html);
            let mut main: Vec<bool> = (0..flat.runs.len()).map(|run| run > 0).collect();
            keep(&flat, &PageType::Article, &mut main);
            main[0]
        };
        let part = "<div role=tabpanel id=a>The river rose.</div>";
        assert!(kept("<div role=tab aria-controls=a>In winter</div>", part));
        assert!(kept(
            "<button role=tab aria-controls=a>In winter</button>",
            part
        ));
        assert!(kept("<ul><li role=tab href='#a'>In winter</li></ul>", part));
        assert!(!kept("<div role=tab aria-controls=b>In winter</div>", part));
        assert!(!kept("<div>In winter</div>", part));
        assert!(!kept(
            "<nav><div role=tab aria-controls=a>In winter</div></nav>",
            part
        ));
    }
}
