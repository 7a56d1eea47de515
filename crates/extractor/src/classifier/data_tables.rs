//! Data tables on the page of a product: height, weight, ports.
//!
//! By itself a cell of such a table looks like a label, so the forests drop it, but the table is what
//! readers of the page look for. A data table is kept as a whole if few of its cells are links and
//! no element around it is named as boilerplate.

use crate::assemble::is_data;
use crate::class_hints::OTHER_PARTS;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::prefix_sums::share;
use crate::tag::Tag;

/// The largest share of a table's text in links. With more it is a menu or a comparison with other
/// products.
pub(super) const LINKS_MAX: f32 = 0.3;

/// Keeps the runs of the page's data tables, except those that a rule has dropped.
pub(super) fn keep(flat: &FlatDom<'_>, probability: &[f32], main: &mut [bool]) {
    // The last table seen, and whether it is kept.
    let mut last = (NO_ELEMENT, false);
    for (index, run) in flat.runs.iter().enumerate() {
        let table = flat
            .ancestors(run.owner)
            .find(|&at| flat.elements[at as usize].tag == Tag::Table);
        let Some(table) = table else { continue };
        if last.0 != table {
            last = (table, is_about_product(flat, table));
        }
        main[index] |= last.1 && probability[index] > 0.0;
    }
}

fn is_about_product(flat: &FlatDom<'_>, table: ElementIndex) -> bool {
    let element = &flat.elements[table as usize];
    share(element.link_weight, element.counts.weight, 1.0) <= LINKS_MAX
        && is_data(flat, table)
        && !is_in_other_part(flat, table)
}

/// Whether an element or one around it is a part of the page that is not about the product.
pub(super) fn is_in_other_part(flat: &FlatDom<'_>, at: ElementIndex) -> bool {
    flat.ancestors(at).any(|at| {
        let around = &flat.elements[at as usize];
        let is_other = matches!(
            around.tag,
            Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form | Tag::Header
        );
        (is_other || around.hints.has_any(OTHER_PARTS)) && !flat.is_frame(at)
    })
}
