//! Tables of data on a product's page: height, weight, ports.
//!
//! A cell of such a table looks like any label, so the forest, which sees one run at a time, drops
//! it; but a reader of a product's page came for the table. A table of data that is not made of
//! links and stands in no part with a name of furniture is kept whole.

use crate::assemble::is_data;
use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::prefix_sums::share;
use crate::tag::Tag;

/// More of a table in links than this, and it is a menu or a comparison of other products.
const LINKS_MAX: f32 = 0.3;

/// Parts in which a table is not the product's.
const ELSEWHERE: [Hint; 9] = [
    Hint::Nav,
    Hint::Footer,
    Hint::Side,
    Hint::Related,
    Hint::Comment,
    Hint::Review,
    Hint::Consent,
    Hint::Advert,
    Hint::Form,
];

/// Keeps the runs of the page's tables of data, except those that a rule took out.
pub(super) fn keep(flat: &FlatDom<'_>, probability: &[f32], main: &mut [bool]) {
    let mut last = (NO_ELEMENT, false);
    for (index, run) in flat.runs.iter().enumerate() {
        let table = flat
            .ancestors(run.owner)
            .find(|&at| flat.elements[at as usize].tag == Tag::Table);
        let Some(table) = table else { continue };
        if last.0 != table {
            last = (table, is_products(flat, table));
        }
        main[index] |= last.1 && probability[index] > 0.0;
    }
}

fn is_products(flat: &FlatDom<'_>, table: ElementIndex) -> bool {
    let element = &flat.elements[table as usize];
    share(element.link_weight, element.counts.weight, 1.0) <= LINKS_MAX
        && is_data(flat, table)
        && !flat.ancestors(table).any(|at| {
            let around = &flat.elements[at as usize];
            matches!(
                around.tag,
                Tag::Nav | Tag::Footer | Tag::Aside | Tag::Form | Tag::Header
            ) || (around.tag != Tag::Body && ELSEWHERE.iter().any(|&hint| around.hints.has(hint)))
        })
}
