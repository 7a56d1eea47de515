//! What the page's title repeats: its headings, and lines that are a part of it.
//!
//! Which of the headings *is* the title is found where all that is known of the page is compared
//! ([`metadata`](crate::metadata)). Here it is enough that `<title>` has it, beside the site's name and more.

use crate::flat_dom::{ElementIndex, FlatDom};
use crate::survey::Survey;

/// Whether `<title>` has a text in it. Every heading is sought in it, and it is as short as a field is.
pub(crate) fn has(flat: &FlatDom<'_>, text: &str) -> bool {
    !text.is_empty() && flat.title.contains(text)
}

/// The heading that a run stands in: its own element or the one around it.
pub(crate) fn heading_around(flat: &FlatDom<'_>, run: usize) -> Option<ElementIndex> {
    let mut around = flat.ancestors(flat.runs[run].owner).take(2);
    around.find(|&at| flat.elements[at as usize].tag.heading_level().is_some())
}

/// The heading that a run stands in, if `<title>` has it.
pub(crate) fn heading(flat: &FlatDom<'_>, survey: &Survey, run: usize) -> Option<ElementIndex> {
    let heading = heading_around(flat, run)?;
    has(flat, survey.texts.get(run)?).then_some(heading)
}
