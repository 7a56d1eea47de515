//! Units that repeat: posts of a thread, items of a list, cards of a grid.
//!
//! Siblings of one shape (tag and first class) are units of one kind. In a forum or a grid the
//! units together are the content, though each alone is short or mostly a link; in a menu they
//! are furniture. What the units hold tells which: their length, their prose, their links.

use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT};
use rustc_hash::FxHashMap;

/// The repeated unit a run stands in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    /// The unit's element; `NO_ELEMENT` where nothing repeats around the run.
    pub element: ElementIndex,
    /// How many siblings have its shape, itself among them.
    pub count: u32,
    /// Their text together.
    pub weight: u32,
    /// Their text that is in links.
    pub link_weight: u32,
    /// Its number among them, 0 for the first.
    pub number: u32,
}

const NOTHING: Unit = Unit {
    element: NO_ELEMENT,
    count: 0,
    weight: 0,
    link_weight: 0,
    number: 0,
};

/// Fewer siblings of one shape are chance.
const COUNT_MIN: u32 = 3;

#[derive(Default, Clone, Copy)]
struct Group {
    count: u32,
    weight: u32,
    link_weight: u32,
}

/// The units around each run, of groups with at least three that hold text: of the group with the
/// most text, and of the innermost one.
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
    // Runs of one paragraph each are units of nothing: the unit must hold more than the run, or be
    // a list item or row.
    let mut memory: (ElementIndex, Unit, Unit) = (NO_ELEMENT, NOTHING, NOTHING);
    flat.runs
        .iter()
        .map(|run| {
            if memory.0 == run.owner {
                return (memory.1, memory.2);
            }
            let mut best = NOTHING;
            let mut inner = NOTHING;
            for index in flat.ancestors(run.owner) {
                let element = &flat.elements[index as usize];
                let many = element.end_run - element.first_run > 1;
                if !many && !matches!(element.tag, crate::tag::Tag::Li | crate::tag::Tag::Tr) {
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
            memory = (run.owner, best, inner);
            (best, inner)
        })
        .unzip()
}
