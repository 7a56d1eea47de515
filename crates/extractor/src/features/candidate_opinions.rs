//! Features of what each candidate says of a run: whether it stands in the best container, in the
//! page's semantic elements, in the densest stretch, in a repeated unit.

use super::PageInputs;
use super::table::{Row, log};
use crate::candidates::repeated_units::Unit;
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT};
use crate::prefix_sums::share;

/// What the candidates say, but for the innermost unit.
pub(super) fn put_opinions(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    put_container(row, page, index);
    put_semantic_elements(row, page, index);
    let dense = &page.survey.max_subsequence;
    row.put(
        "densest",
        if dense.contains(&index) {
            1.0
        } else if index < dense.start {
            -log((dense.start - index) as u32)
        } else {
            -log((index + 1 - dense.end) as u32) - 10.0
        },
    );
    let unit = page.survey.units[index];
    row.put("unit_count", log(unit.count));
    row.put(
        "unit_share",
        share(unit.weight, page.facts.page.weight, 0.0),
    );
    row.put("unit_mean", log(unit.weight / unit.count.max(1)));
    row.put("unit_links", share(unit.link_weight, unit.weight, -1.0));
    row.put("unit_number", log(unit.number));
    let place = UnitPlace::of(page, unit, index);
    row.put("unit_at", place.map_or(-1.0, |place| place.at));
    row.put("unit_prose", place.map_or(-1.0, |place| place.prose_share));
}

/// Whether the run is in the best container, and how far from it.
fn put_container(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let flat = page.flat;
    let owner = flat.runs[index].owner;
    let container = page.survey.container;
    row.put("container", within(flat, container.element, index));
    row.put("container_prose", container.prose_share);
    // Steps up from the container to the element that holds both.
    let steps = match container.element {
        NO_ELEMENT => None,
        at => flat.ancestors(at).position(|at| flat.contains(at, owner)),
    };
    row.put("container_steps", steps.map_or(20.0, |steps| steps as f32));
    // Levels down from the container to the run.
    let levels = match container.element {
        NO_ELEMENT => -1.0,
        at if flat.contains(at, owner) => {
            f32::from(flat.elements[owner as usize].depth)
                - f32::from(flat.elements[at as usize].depth)
        }
        _ => -1.0,
    };
    row.put("container_levels", levels);
}

/// Whether the run is in the page's semantic elements, and how much of the prose they hold.
fn put_semantic_elements(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let semantic = &page.survey.semantic;
    for (element, name, share_name) in [
        (semantic.main, "mark_main", "mark_main_share"),
        (semantic.article, "mark_article", "mark_article_share"),
        (semantic.body, "mark_body", "mark_body_share"),
        (semantic.named, "mark_named", "mark_named_share"),
    ] {
        row.put(name, within(page.flat, element, index));
        let held = match element {
            NO_ELEMENT => -1.0,
            element => {
                let prose = page.survey.sums.under(page.flat, element).prose;
                share(prose, page.facts.page.prose, 0.0)
            }
        };
        row.put(share_name, held);
    }
    row.put("article_count", log(semantic.article_count));
}

/// Where a run stands to an element: 1 in it, 0 before it, 0.5 after it, -1 if there is none.
fn within(flat: &FlatDom<'_>, element: ElementIndex, index: usize) -> f32 {
    if element == NO_ELEMENT {
        return -1.0;
    }
    let owner = flat.runs[index].owner;
    if flat.contains(element, owner) {
        return 1.0;
    }
    let first_run = flat.elements[element as usize].first_run as usize;
    if owner < element && index < first_run {
        0.0
    } else {
        0.5
    }
}

/// The innermost unit that repeats around the run.
pub(super) fn put_inner_unit(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let unit = page.survey.inner_units[index];
    row.put("inner_count", log(unit.count));
    row.put("inner_mean", log(unit.weight / unit.count.max(1)));
    row.put("inner_links", share(unit.link_weight, unit.weight, -1.0));
    row.put("inner_number", log(unit.number));
    let place = UnitPlace::of(page, unit, index);
    row.put("inner_at", place.map_or(-1.0, |place| place.at));
    row.put("inner_prose", place.map_or(-1.0, |place| place.prose_share));
    row.put("inner_runs", place.map_or(-1.0, |place| log(place.runs)));
}

/// Where in its unit a run stands, and what the unit holds.
#[derive(Clone, Copy)]
struct UnitPlace {
    /// Runs of the unit before this one.
    at: f32,
    prose_share: f32,
    runs: u32,
}

impl UnitPlace {
    fn of(page: &PageInputs<'_>, unit: Unit, index: usize) -> Option<UnitPlace> {
        if unit.element == NO_ELEMENT {
            return None;
        }
        let first = page.flat.elements[unit.element as usize].first_run as usize;
        let sum = page.survey.sums.under(page.flat, unit.element);
        Some(UnitPlace {
            at: index.saturating_sub(first) as f32,
            prose_share: sum.prose_share(),
            runs: sum.runs,
        })
    }
}
