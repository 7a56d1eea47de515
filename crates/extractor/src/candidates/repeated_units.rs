//! Repeated units: the posts of a thread, the items of a list, the cards of a grid.
//!
//! Siblings with the same tag and first class are units of one group. In a forum or a grid the units
//! together are the content, though each alone is short or mostly a link. In a menu they are
//! boilerplate. The length, prose and links of the units tell which.

use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT};
use rustc_hash::FxHashMap;

/// The repeated unit a run stands in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    /// The unit's element; `NO_ELEMENT` where nothing repeats around the run.
    pub element: ElementIndex,
    /// The number of units in its group.
    pub count: u32,
    /// The weight of the group's text.
    pub weight: u32,
    /// The weight of the group's text in links.
    pub link_weight: u32,
    /// Its number in the group, from 0.
    pub number: u32,
}

const NOTHING: Unit = Unit {
    element: NO_ELEMENT,
    count: 0,
    weight: 0,
    link_weight: 0,
    number: 0,
};

/// The least units of a group: fewer alike siblings are coincidence.
const COUNT_MIN: u32 = 3;

#[derive(Default, Clone, Copy)]
struct Group {
    count: u32,
    weight: u32,
    link_weight: u32,
}

/// Finds, for each run, the unit around it whose group has the most text, and the innermost unit
/// around it.
pub(crate) fn find(flat: &FlatDom<'_>) -> (Vec<Unit>, Vec<Unit>) {
    let mut groups: FxHashMap<u64, Group> = FxHashMap::default();
    let key =
        |element: &FlatElement<'_>| u64::from(element.parent) << 32 | u64::from(element.shape);
    let mut numbers: Vec<u32> = vec![0; flat.elements.len()];
    for (index, element) in flat.elements.iter().enumerate() {
        if element.counts.chars == 0 || !element.tag.is_block() {
            continue;
        }
        let group = groups.entry(key(element)).or_default();
        numbers[index] = group.count;
        group.count += 1;
        group.weight += element.counts.weight;
        group.link_weight += element.link_weight;
    }
    let unit_of = |index: ElementIndex| -> Option<Unit> {
        let element = &flat.elements[index as usize];
        let group = groups.get(&key(element))?;
        (group.count >= COUNT_MIN && element.tag.is_block()).then_some(Unit {
            element: index,
            count: group.count,
            weight: group.weight,
            link_weight: group.link_weight,
            number: numbers[index as usize],
        })
    };
    // Paragraphs in a row are no units: a unit holds more than one run, or is a list item or a table
    // row. Neighbouring runs with the same owner have the same units, so the last result is kept.
    let mut last: (ElementIndex, Unit, Unit) = (NO_ELEMENT, NOTHING, NOTHING);
    flat.runs
        .iter()
        .map(|run| {
            if last.0 == run.owner {
                return (last.1, last.2);
            }
            let mut best = NOTHING;
            let mut inner = NOTHING;
            for index in flat.ancestors(run.owner) {
                let element = &flat.elements[index as usize];
                let has_runs = element.end_run - element.first_run > 1;
                if !has_runs && !matches!(element.tag, crate::tag::Tag::Li | crate::tag::Tag::Tr) {
                    continue;
                }
                if let Some(unit) = unit_of(index) {
                    if inner.element == NO_ELEMENT {
                        inner = unit;
                    }
                    if unit.weight >= best.weight {
                        best = unit;
                    }
                }
            }
            last = (run.owner, best, inner);
            (best, inner)
        })
        .unzip()
}
