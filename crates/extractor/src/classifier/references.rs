//! The references under an article.
//!
//! A list of references is a list of links behind the last paragraph, so to the forests it looks like a
//! list of related pages, and they drop it but keep the heading above it. A list right behind a chosen
//! heading of references is kept. On marked pages 11 of 14 headings that say "References" are content
//! and so are their lists; of 5 that say "Source", "Sources" or "Footnotes" one is, so these words are
//! left out. Of 1,385 marked pages 5 change, each to a higher score; of 2,282 articles of four Chinese
//! blogs 245 had their heading of references alone, and 16 have it so with this rule.

use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom};
use crate::line_markers::Marker;
use crate::page::PageType;
use crate::survey::Survey;
use crate::tag::Tag;

/// Headings of references, in lower case and without a colon.
const HEADINGS: [&str; 15] = [
    "reference",
    "references",
    "bibliography",
    "works cited",
    "literature cited",
    "参考",
    "参考文献",
    "参考资料",
    "参考链接",
    "参考文章",
    "參考",
    "參考文獻",
    "參考資料",
    "參考連結",
    "参考サイト",
];

/// The most runs of a list of references.
const RUNS_MAX: usize = 100;
/// The most weight of one reference.
const WEIGHT_MAX: u32 = 500;

/// Keeps the list right behind a chosen heading of references.
pub(super) fn keep(flat: &FlatDom<'_>, survey: &Survey, page_type: &PageType, main: &mut [bool]) {
    let is_text = matches!(
        page_type,
        PageType::Article | PageType::Documentation | PageType::Other
    );
    if !is_text {
        return;
    }
    for run in 0..main.len() {
        if main[run] && is_heading(&survey.texts[run]) {
            let list = list_behind(flat, survey, run);
            main[list].fill(true);
        }
    }
}

fn is_heading(text: &str) -> bool {
    const BYTES_MAX: usize = 40;
    let text = text.trim_end_matches([':', '：', ' ']);
    text.len() <= BYTES_MAX && HEADINGS.contains(&text.to_lowercase().as_str())
}

/// The runs of the list that follows a heading as its next sibling.
fn list_behind(flat: &FlatDom<'_>, survey: &Survey, heading: usize) -> std::ops::Range<usize> {
    let nothing = heading + 1..heading + 1;
    let owner = flat.runs[heading].owner;
    let around = flat.elements[owner as usize].parent;
    let Some(next) = flat.runs.get(heading + 1) else {
        return nothing;
    };
    let child = flat
        .ancestors(next.owner)
        .find(|&at| flat.elements[at as usize].parent == around);
    let Some(list) = child.filter(|&at| is_list(flat, at)) else {
        return nothing;
    };
    let end = flat.elements[list as usize].end_run as usize;
    let is_reference = |run: usize| {
        let other = [Marker::Share, Marker::Related, Marker::Comment];
        flat.runs[run].counts.weight <= WEIGHT_MAX
            && !other.iter().any(|&marker| survey.markers[run].has(marker))
    };
    if end > heading + 1 + RUNS_MAX || !(heading + 1..end).all(is_reference) {
        return nothing;
    }
    heading + 1..end
}

/// Whether an element is a list, and not named as one of other pages.
fn is_list(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    const OTHER: [Hint; 6] = [
        Hint::Nav,
        Hint::Footer,
        Hint::Related,
        Hint::Share,
        Hint::Tags,
        Hint::Comment,
    ];
    let element = &flat.elements[at as usize];
    matches!(element.tag, Tag::Ul | Tag::Ol | Tag::Dl)
        && !OTHER.iter().any(|&hint| element.hints.has(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(page: &str, expected: &[bool]) {
        let html = scraper::Html::parse_document(page);
        let flat = FlatDom::of(&html);
        let mut main = vec![false; flat.runs.len()];
        main[0] = true;
        main[1] = true;
        keep(&flat, &Survey::of(&flat), &PageType::Article, &mut main);
        assert_eq!(main, expected, "{page}");
    }

    #[test]
    fn the_list_behind_a_heading_of_references_is_kept() {
        let list = "<ul><li><a href=/a>A page</a><li><a href=/b>Another</a></ul>";
        for heading in ["<h2>References</h2>", "<h3>参考资料：</h3>"] {
            let page = format!("<div><p>Text.</p>{heading}{list}<p>Next post</p></div>");
            check(&page, &[true, true, true, true, false]);
        }
    }

    #[test]
    fn other_lists_are_not_references() {
        let list = "<li><a href=/a>A page</a>";
        for behind in [
            format!("<h2>Sources</h2><ul>{list}</ul>"),
            format!("<h2>References</h2><ul class=related-posts>{list}</ul>"),
            format!("<h2>References</h2></div><div><ul>{list}</ul>"),
            "<h2>References</h2><ul><li>Related articles</ul>".to_owned(),
        ] {
            check(
                &format!("<div><p>Text.</p>{behind}</div>"),
                &[true, true, false],
            );
        }
    }
}
