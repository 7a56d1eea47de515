//! Features of place: the elements around a run, their names, their text and pictures.

use super::{PageFacts, Row, log};
use crate::class_hints::Hint;
use crate::features::Survey;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Traits};
use crate::prefix_sums::{PrefixSums, share};
use crate::tag::Tag;

/// What the run stands in.
pub(super) fn surroundings(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    facts: &PageFacts,
    place: ElementIndex,
) {
    let mut distance = [20.0f32; NAME_GROUPS.len()];
    let mut hidden = 0.0;
    let mut spoken = 0.0;
    let mut inside = [0.0f32; INSIDE.len()];
    let mut levels = 0;
    let page_weight = facts.page.weight;
    for (level, at) in flat.ancestors(place).enumerate() {
        let element = &flat.elements[at as usize];
        levels = level;
        let held_share = share(element.counts.weight, page_weight, 0.0);
        let mut bits = element.hints.0;
        // What the whole page is called says nothing about a part of it.
        if element.tag == Tag::Body || element.tag == Tag::Html {
            bits = 0;
        }
        for (group, (hints, _)) in NAME_GROUPS.iter().enumerate() {
            if distance[group] == 20.0 && hints.iter().any(|&hint| bits & (1 << hint as u32) != 0) {
                distance[group] = level as f32;
            }
        }
        if element.traits.has(Traits::HIDDEN) && hidden == 0.0 {
            hidden = 1.0 + held_share;
        }
        if element.traits.has(Traits::SCREEN_READER) && spoken == 0.0 {
            spoken = 1.0 + held_share;
        }
        for (slot, (tags, _)) in INSIDE.iter().enumerate() {
            if inside[slot] == 0.0 && tags.contains(&element.tag) {
                inside[slot] = 1.0 + held_share;
            }
        }
        if element.traits.has(Traits::LANDMARK_ROLE) && inside[FRAME_SLOT] == 0.0 {
            inside[FRAME_SLOT] = 1.0 + held_share;
        }
    }
    row.put("levels", levels as f32);
    for (group, (_, name)) in NAME_GROUPS.iter().enumerate() {
        row.put(name, distance[group]);
    }
    row.put("hidden", hidden);
    row.put("spoken", spoken);
    for (slot, (_, name)) in INSIDE.iter().enumerate() {
        row.put(name, inside[slot]);
    }
}

const FRAME_SLOT: usize = 0;

/// Elements that a run can be inside of, and the feature that says so.
const INSIDE: [(&[Tag], &str); 15] = [
    (&[], "in_frame_role"),
    (&[Tag::Nav], "in_nav"),
    (&[Tag::Footer], "in_footer"),
    (&[Tag::Header], "in_header"),
    (&[Tag::Aside], "in_aside"),
    (&[Tag::Form, Tag::Fieldset], "in_form"),
    (&[Tag::Article], "in_article"),
    (&[Tag::Main], "in_main"),
    (&[Tag::Section], "in_section"),
    (&[Tag::Table], "in_table"),
    (&[Tag::Ul, Tag::Ol], "in_list"),
    (&[Tag::Figure], "in_figure"),
    (&[Tag::Button, Tag::Label], "in_button"),
    (&[Tag::Blockquote], "in_quote"),
    (&[Tag::Noscript], "in_noscript"),
];

/// Names that hint alike, taken together: how near the nearest of them is counts, not which. Finer
/// groups were learnt by heart and did worse on unseen sites.
const NAME_GROUPS: [(&[Hint], &str); 7] = [
    (
        &[
            Hint::Nav,
            Hint::Footer,
            Hint::Header,
            Hint::Side,
            Hint::Share,
            Hint::Advert,
            Hint::Consent,
            Hint::Crumbs,
            Hint::Form,
        ],
        "named_frame",
    ),
    (&[Hint::Comment, Hint::Related, Hint::Review], "named_aside"),
    (&[Hint::Article, Hint::Content, Hint::Post], "named_content"),
    (
        &[Hint::Byline, Hint::User, Hint::Tags, Hint::Control],
        "named_label",
    ),
    (&[Hint::Media], "named_media"),
    (&[Hint::Title, Hint::Intro], "named_title"),
    (&[Hint::Card, Hint::Product], "named_item"),
];

/// What the enclosing elements hold, and where in them it stands.
pub(super) fn put_enclosing(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    survey: &Survey,
    enclosing: &[ElementIndex; ENCLOSING + 1],
    index: usize,
) {
    const NAMES: [[&str; 5]; 6] = [
        ["r1_weight", "r1_links", "r1_prose", "r1_mean", "r1_at"],
        ["r2_weight", "r2_links", "r2_prose", "r2_mean", "r2_at"],
        ["r3_weight", "r3_links", "r3_prose", "r3_mean", "r3_at"],
        ["r4_weight", "r4_links", "r4_prose", "r4_mean", "r4_at"],
        ["r5_weight", "r5_links", "r5_prose", "r5_mean", "r5_at"],
        ["rs_weight", "rs_links", "rs_prose", "rs_mean", "rs_at"],
    ];
    for (&ring, names) in enclosing.iter().zip(NAMES) {
        if ring == NO_ELEMENT {
            for name in names {
                row.put(name, -1.0);
            }
            continue;
        }
        let element = &flat.elements[ring as usize];
        let sum = survey.sums.under(flat, ring);
        let within = (index as f32 - element.first_run as f32) / sum.runs.max(1) as f32;
        row.put(names[0], log(sum.weight));
        row.put(names[1], sum.link_density());
        row.put(names[2], sum.prose_share());
        row.put(names[3], log(sum.weight / sum.runs.max(1)));
        row.put(names[4], within);
    }
}

/// How many elements around a run are looked at one by one.
pub(crate) const ENCLOSING: usize = 5;

/// The elements around a place that each hold more runs than the last, and the page's section.
pub(super) fn enclosing_elements(
    flat: &FlatDom<'_>,
    sums: &PrefixSums,
    place: ElementIndex,
) -> [ElementIndex; ENCLOSING + 1] {
    let page = sums.page().weight;
    let mut enclosing = [NO_ELEMENT; ENCLOSING + 1];
    let mut found = 0;
    let mut runs = 1;
    for at in flat.ancestors(place) {
        let element = &flat.elements[at as usize];
        let count = element.end_run.saturating_sub(element.first_run);
        if count <= runs {
            continue;
        }
        runs = count;
        if found < ENCLOSING {
            enclosing[found] = at;
            found += 1;
        }
        // The section: the largest part of the page that is not most of it.
        if sums.under(flat, at).weight * 5 < page * 3 {
            enclosing[ENCLOSING] = at;
        }
    }
    enclosing
}

/// How many elements of a kind stand before each element.
pub(super) fn prefix_of(flat: &FlatDom<'_>, wanted: impl Fn(&FlatElement<'_>) -> bool) -> Vec<u32> {
    let mut count = 0;
    let mut prefix = Vec::with_capacity(flat.elements.len() + 1);
    prefix.push(0);
    for element in &flat.elements {
        count += u32::from(wanted(element));
        prefix.push(count);
    }
    prefix
}

/// Pictures around the run: teasers have one each.
pub(super) fn pictures(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    survey: &Survey,
    images: &[u32],
    enclosing: &[ElementIndex; ENCLOSING + 1],
    index: usize,
) {
    let count = |at: ElementIndex| {
        let element = &flat.elements[at as usize];
        images[element.end as usize] - images[at as usize]
    };
    let ring = |at: usize, of: &dyn Fn(ElementIndex) -> u32| match enclosing[at] {
        NO_ELEMENT => -1.0,
        element => log(of(element)),
    };
    let headings = |at: ElementIndex| survey.sums.under(flat, at).headings;
    row.put("r1_images", ring(0, &count));
    row.put("r2_images", ring(1, &count));
    row.put("r1_headings", ring(0, &headings));
    row.put("r2_headings", ring(1, &headings));
    row.put(
        "unit_images",
        match survey.units[index].element {
            NO_ELEMENT => -1.0,
            unit => log(count(unit)),
        },
    );
}
