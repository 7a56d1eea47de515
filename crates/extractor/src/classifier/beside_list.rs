//! Links in a side bar beside a list or a table.
//!
//! A page of links is chosen by its links, and those of a side bar are sentences where the list has names of files or of
//! people, and the rows of a table are short as well. But a page does not say the most in its side bar: where as many lines
//! are chosen outside of it, those in it are other pages.

use html5ever::local_name;

use crate::dom::Attributes;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::page::PageType;
use crate::tag::Tag;

use super::boilerplate_rules::is_linked;
use super::listings::is_running_text;

/// Fewer lines are no list.
const LINES_MIN: usize = 5;

/// Drops the links of side bars.
pub(super) fn drop(flat: &FlatDom<'_>, page_type: &PageType, main: &mut [bool]) {
    let is_list = *page_type == PageType::Listing;
    if !is_list && !is_running_text(page_type) {
        return;
    }
    let is_beside = |run: usize| {
        let mut around = flat.ancestors(flat.runs[run].owner);
        around.any(|at| is_side_bar(flat, at, is_list) && !flat.is_frame(at))
    };
    let chosen = (0..main.len()).filter(|&run| main[run]);
    let (beside, listed): (Vec<usize>, Vec<usize>) = chosen.partition(|&run| is_beside(run));
    if listed.len() < LINES_MIN || listed.len() < beside.len() {
        return;
    }
    let linked = beside.iter().filter(|&&run| is_linked(&flat.runs[run]));
    // Its heading goes with them.
    if linked.count() * 2 > beside.len() {
        beside.into_iter().for_each(|run| main[run] = false);
    }
}

/// Whether an element is a side bar by the very name, or by its tag beside a list: amid a text that is a box of it. What stands
/// at the right may be anything.
fn is_side_bar(flat: &FlatDom<'_>, at: ElementIndex, is_list: bool) -> bool {
    let element = &flat.elements[at as usize];
    let names = [local_name!("class"), local_name!("id")];
    let mut names = names
        .iter()
        .filter_map(|name| element.element.attribute(name));
    let is_named = |name: &str| {
        let name = name.to_ascii_lowercase();
        name.contains("sidebar") || name.contains("side-bar")
    };
    is_list && element.tag == Tag::Aside || names.any(is_named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_bar_is_none_of_what_a_page_lists() {
        let list = |count: usize| "<li><a href=/f>A form to fill in</a>".repeat(count);
        let kept = |listed: usize, beside: &str, page_type: &PageType| {
            let page = format!("<div><ul>{}</ul></div>{beside}", list(listed));
            let html = scraper::Html::parse_document(&page);
            let flat = FlatDom::of(&html);
            let mut main = vec![true; flat.runs.len()];
            drop(&flat, page_type, &mut main);
            main.iter().filter(|&&kept| kept).count()
        };
        let links = list(3);
        let side = format!("<div class=sidebar><h3>Hot</h3><ul>{links}</ul></div>");
        assert_eq!(kept(9, &side, &PageType::Listing), 9);
        assert_eq!(
            kept(9, &format!("<aside>{links}</aside>"), &PageType::Listing),
            9
        );
        assert_eq!(kept(9, &side, &PageType::Documentation), 9);
        assert_eq!(kept(9, &side, &PageType::FrontPage), 13);
        assert_eq!(kept(3, &side, &PageType::Listing), 7);
        assert_eq!(
            kept(
                9,
                &format!("<div class=right>{links}</div>"),
                &PageType::Listing
            ),
            12
        );
        let aside = format!("<aside>{links}</aside>");
        assert_eq!(kept(9, &aside, &PageType::Documentation), 12);
        let told = "<aside><p>The office is closed today.</aside>";
        assert_eq!(kept(9, told, &PageType::Listing), 10);
    }
}
