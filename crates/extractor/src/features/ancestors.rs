//! Features of the elements around a run: their tags and roles, their class names, the text and
//! pictures they hold.

use super::PageInputs;
use super::table::{Row, log};
use crate::class_hints::Hint;
use crate::flat_dom::{ElementIndex, FlatDom, FlatElement, NO_ELEMENT, Traits};
use crate::prefix_sums::{PrefixSums, share};
use crate::tag::Tag;

/// The value of a distance to an element that is not there.
const FAR: f32 = 20.0;

/// What the run stands in: for each group of class names the number of levels up to the nearest
/// element named so; for each kind of element, 0 outside of one, else 1 and the share of the page's
/// text that the innermost one holds.
pub(super) fn put_ancestors(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let mut distance = [FAR; NAME_GROUPS.len()];
    // Hidden, for screen readers, and inside of each kind.
    let mut inside = [0.0f32; 2 + INSIDE.len()];
    let mut levels = 0;
    let mut seen = Kinds(0);
    for (level, at) in page.flat.ancestors(page.places[index]).enumerate() {
        levels = level;
        let mut new = page.kinds[at as usize].0 & !seen.0;
        if new == 0 {
            continue;
        }
        seen.0 |= new;
        // At this level the distance is that of an element which is not there: a further one counts.
        if level as f32 == FAR {
            seen.0 &= !(Kinds::NAMES & new);
        }
        let element = &page.flat.elements[at as usize];
        let held = 1.0 + share(element.counts.weight, page.facts.page.weight, 0.0);
        while new != 0 {
            let kind = new.trailing_zeros() as usize;
            new &= new - 1;
            match distance.get_mut(kind) {
                Some(distance) => *distance = level as f32,
                None => inside[kind - NAME_GROUPS.len()] = held,
            }
        }
    }
    row.put("levels", levels as f32);
    for (group, (_, name)) in NAME_GROUPS.iter().enumerate() {
        row.put(name, distance[group]);
    }
    let [hidden, screen_reader, inside @ ..] = &inside;
    row.put("hidden", *hidden);
    row.put("spoken", *screen_reader);
    for ((_, name), inside) in INSIDE.iter().zip(inside) {
        row.put(name, *inside);
    }
}

/// What an element is that runs stand in, one bit each: named as one of [`NAME_GROUPS`], hidden, for
/// screen readers, of the kinds of [`INSIDE`].
#[derive(Clone, Copy)]
pub(super) struct Kinds(u32);

impl Kinds {
    const NAMES: u32 = (1 << NAME_GROUPS.len()) - 1;
    const HIDDEN: u32 = 1 << NAME_GROUPS.len();
    const SCREEN_READER: u32 = Kinds::HIDDEN << 1;
    const INSIDE: usize = NAME_GROUPS.len() + 2;
    const LANDMARK_ROLE: u32 = 1 << (Kinds::INSIDE + LANDMARK_ROLE_SLOT);

    /// The kinds of each element of a page: runs have most elements around them in common.
    pub(super) fn of(flat: &FlatDom<'_>) -> Vec<Kinds> {
        let elements = flat.elements.iter();
        elements.map(Kinds::of_element).collect()
    }

    fn of_element(element: &FlatElement<'_>) -> Kinds {
        let mut kinds = KINDS_OF_TAG[element.tag as usize];
        // The class of the whole page says nothing about a part of it.
        let bits = match element.tag {
            Tag::Body | Tag::Html => 0,
            _ => element.hints.0,
        };
        for (group, hints) in HINTS_OF_GROUP.iter().enumerate() {
            kinds |= u32::from(bits & hints != 0) << group;
        }
        for (has_trait, kind) in [
            (Traits::HIDDEN, Kinds::HIDDEN),
            (Traits::SCREEN_READER, Kinds::SCREEN_READER),
            (Traits::LANDMARK_ROLE, Kinds::LANDMARK_ROLE),
        ] {
            kinds |= if element.traits.has(has_trait) {
                kind
            } else {
                0
            };
        }
        Kinds(kinds)
    }
}

/// The hints of each of [`NAME_GROUPS`], one bit each.
static HINTS_OF_GROUP: [u32; NAME_GROUPS.len()] = {
    let mut groups = [0; NAME_GROUPS.len()];
    let mut group = 0;
    while group < groups.len() {
        let mut hint = 0;
        while hint < NAME_GROUPS[group].0.len() {
            groups[group] |= 1 << NAME_GROUPS[group].0[hint] as u32;
            hint += 1;
        }
        group += 1;
    }
    groups
};

/// The kinds of an element by its tag alone.
static KINDS_OF_TAG: [u32; 256] = {
    let mut kinds = [0; 256];
    let mut slot = 0;
    while slot < INSIDE.len() {
        let mut tag = 0;
        while tag < INSIDE[slot].0.len() {
            kinds[INSIDE[slot].0[tag] as usize] |= 1 << (Kinds::INSIDE + slot);
            tag += 1;
        }
        slot += 1;
    }
    kinds
};

/// The place of the ARIA landmark roles in [`INSIDE`]; they belong to no tag.
const LANDMARK_ROLE_SLOT: usize = 0;

/// The kinds of element that a run can be inside of, and their feature.
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

/// Class names with like meanings, as one group: the feature tells how near the nearest of them is,
/// not which it is. Finer groups overfitted and did worse on unseen sites.
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
            Hint::Component,
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

/// What each of the enclosing elements holds, and where in it the run stands.
pub(super) fn put_enclosing(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    const NAMES: [[&str; 5]; ENCLOSING + 1] = [
        ["r1_weight", "r1_links", "r1_prose", "r1_mean", "r1_at"],
        ["r2_weight", "r2_links", "r2_prose", "r2_mean", "r2_at"],
        ["r3_weight", "r3_links", "r3_prose", "r3_mean", "r3_at"],
        ["r4_weight", "r4_links", "r4_prose", "r4_mean", "r4_at"],
        ["r5_weight", "r5_links", "r5_prose", "r5_mean", "r5_at"],
        ["rs_weight", "rs_links", "rs_prose", "rs_mean", "rs_at"],
    ];
    for (&at, names) in page.enclosing[index].iter().zip(NAMES) {
        if at == NO_ELEMENT {
            for name in names {
                row.put(name, -1.0);
            }
            continue;
        }
        let element = &page.flat.elements[at as usize];
        let sum = page.survey.sums.under(page.flat, at);
        let within = (index as f32 - element.first_run as f32) / sum.runs.max(1) as f32;
        row.put(names[0], log(sum.weight));
        row.put(names[1], sum.link_density());
        row.put(names[2], sum.prose_share());
        row.put(names[3], log(sum.weight / sum.runs.max(1)));
        row.put(names[4], within);
    }
}

/// How many enclosing elements of a run have features of their own.
pub(crate) const ENCLOSING: usize = 5;

/// The elements around a place that each hold more runs than the one before, innermost first; then
/// the page's section that the place is in.
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
        // The section is the largest element with less than three fifths of the page's text.
        if sums.under(flat, at).weight * 5 < page * 3 {
            enclosing[ENCLOSING] = at;
        }
    }
    enclosing
}

/// For each element, how many elements of a kind stand before it in document order.
pub(super) fn count_before(
    flat: &FlatDom<'_>,
    is_so: impl Fn(&FlatElement<'_>) -> bool,
) -> Vec<u32> {
    let mut count = 0;
    let mut before = Vec::with_capacity(flat.elements.len() + 1);
    before.push(0);
    for element in &flat.elements {
        count += u32::from(is_so(element));
        before.push(count);
    }
    before
}

/// The pictures and headings near the run: each teaser has one of both.
pub(super) fn put_pictures(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let images = |at: ElementIndex| {
        let end = page.flat.elements[at as usize].end;
        page.images_before[end as usize] - page.images_before[at as usize]
    };
    let headings = |at: ElementIndex| page.survey.sums.under(page.flat, at).headings;
    let log_of = |at: ElementIndex, count: &dyn Fn(ElementIndex) -> u32| match at {
        NO_ELEMENT => -1.0,
        at => log(count(at)),
    };
    let [first, second, ..] = page.enclosing[index];
    row.put("r1_images", log_of(first, &images));
    row.put("r2_images", log_of(second, &images));
    row.put("r1_headings", log_of(first, &headings));
    row.put("r2_headings", log_of(second, &headings));
    row.put(
        "unit_images",
        log_of(page.survey.units[index].element, &images),
    );
}
