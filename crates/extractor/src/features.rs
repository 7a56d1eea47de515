//! What is known of each run, as numbers the judge weighs.
//!
//! Five kinds of evidence: the run itself, what it stands in, its neighbours, what the candidates
//! say, and what kind of page this is. All lengths are script-aware weights on a log scale, so one
//! judge serves every script.

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::candidates::agreement::{Grams, TextGrams};
use crate::candidates::container::{self, Container};
use crate::candidates::densest;
use crate::candidates::repeated::{self, Unit};
use crate::candidates::semantic::{self, Marks};
use crate::flat::{ElementIndex, Flat, Flattened, NONE, Traits};
use crate::hints::Hint;
use crate::quick::Map;
use crate::signs::{SIGN_COUNT, Sign, Signs};
use crate::structured::{Kinds, Structured};
use crate::sums::{Sum, Sums, is_prose, share};
use crate::tag::Tag;

/// Everything the candidates found on a page, with the texts of its runs.
pub(crate) struct Survey {
    pub sums: Sums,
    pub texts: Vec<String>,
    pub grams: TextGrams,
    pub signs: Vec<Signs>,
    pub marks: Marks,
    pub container: Container,
    pub densest: std::ops::Range<usize>,
    pub units: Vec<Unit>,
}

impl Survey {
    pub(crate) fn of(flat: &Flat<'_>) -> Survey {
        let sums = Sums::of(flat);
        let mut lower = String::new();
        let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
        let signs = texts
            .iter()
            .map(|text| Signs::of(text, &mut lower))
            .collect();
        Survey {
            marks: semantic::find(flat, &sums),
            container: container::find(flat, &sums),
            densest: densest::find(flat),
            units: repeated::find(flat),
            sums,
            grams: TextGrams::of(&texts),
            texts,
            signs,
        }
    }
}

/// The features of a page's runs, row by row.
pub(crate) struct Features {
    pub names: Vec<&'static str>,
    pub values: Vec<f32>,
    /// For each run, a hash of its path of tags and first classes.
    pub paths: Vec<u64>,
}

impl Features {
    pub(crate) fn row(&self, run: usize) -> &[f32] {
        let width = self.names.len();
        &self.values[run * width..(run + 1) * width]
    }
}

/// Collects one row; names are kept from the first only.
struct Row<'f> {
    features: &'f mut Features,
    first: bool,
}

impl Row<'_> {
    fn put(&mut self, name: &'static str, value: f32) {
        if self.first {
            self.features.names.push(name);
        }
        self.features.values.push(value);
    }

    fn flag(&mut self, name: &'static str, value: bool) {
        self.put(name, if value { 1.0 } else { 0.0 });
    }
}

fn log(weight: u32) -> f32 {
    (1.0 + weight as f32).ln()
}

/// Facts about the page that are the same for all its runs.
struct PageFacts {
    page: Sum,
    words: u32,
    cjk: f32,
    kinds: Kinds,
    og_article: bool,
    og_product: bool,
    url_segments: u32,
    url_digits: bool,
    url_words: u32,
    prices: f32,
    dates: f32,
    unit_share: f32,
    headings: u32,
    longest: u32,
}

/// Counts over runs that share something: a text, a path.
#[derive(Default, Clone, Copy)]
struct Same {
    count: u32,
    weight: u32,
    link_weight: u32,
    prose: u32,
    cut_short: u32,
}

/// Computes the features of every run.
pub(crate) fn compute(
    flat: &Flat<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
) -> Features {
    let mut features = Features {
        names: Vec::new(),
        values: Vec::with_capacity(flat.runs.len() * 200),
        paths: Vec::new(),
    };
    let mut bodies = Grams::default();
    for body in structured.bodies.iter().take(100) {
        bodies.add(body);
    }
    let mut descriptions = Grams::default();
    for description in &structured.descriptions {
        descriptions.add(description);
    }
    for (name, content) in &flat.metas {
        if matches!(
            *name,
            "description" | "og:description" | "twitter:description"
        ) {
            descriptions.add(content);
        }
    }
    let mut title_grams = Grams::default();
    title_grams.add(&flat.title);
    let facts = page_facts(flat, survey, structured, url);
    let places: Vec<ElementIndex> = flat.runs.iter().map(|run| place(flat, run)).collect();
    let (texts, paths, path_keys) = sameness(flat, survey, &places);
    features.paths = path_keys;
    let echoes = survey.grams.echoes();
    let images = prefix_of(flat, |element| element.tag == Tag::Img);
    let mut since = Since::default();
    let first_prose = flat.runs.iter().position(is_prose);
    let last_prose = flat.runs.iter().rposition(is_prose);
    let h1_run = match survey.marks.h1 {
        NONE => None,
        h1 => Some(flat.elements[h1 as usize].first_run as usize),
    };
    let h1_text = h1_run.and_then(|run| survey.texts.get(run));
    let mut h1_grams = Grams::default();
    if let Some(text) = h1_text {
        h1_grams.add(text);
    }

    for index in 0..flat.runs.len() {
        let run = &flat.runs[index];
        let text = &survey.texts[index];
        let grams = survey.grams.at(index);
        let signs = survey.signs[index];
        let mut row = Row {
            first: index == 0,
            features: &mut features,
        };
        own(&mut row, flat, run, text, signs);
        row.put("same_text", log(texts[index].count));
        let path = paths[index];
        row.put("path_count", log(path.count));
        row.put("path_share", share(path.weight, facts.page.weight, 0.0));
        row.put("path_mean", log(path.weight / path.count.max(1)));
        row.put("path_links", share(path.link_weight, path.weight, 1.0));
        row.put("path_prose", share(path.prose, path.weight, 0.0));
        row.put("path_ellipsis", share(path.cut_short, path.count, 0.0));
        row.put("echo", echoes[index].0);
        row.put("echo_before", echoes[index].1);
        row.put(
            "title_share",
            if title_grams.is_empty() {
                0.0
            } else {
                title_grams.share(grams)
            },
        );
        row.put("h1_share", h1_grams.share(grams));
        row.put(
            "body_share",
            if bodies.is_empty() {
                -1.0
            } else {
                bodies.share(grams)
            },
        );
        row.put("description_share", descriptions.share(grams));
        neighbours(&mut row, flat, survey, index);
        since.put(&mut row, flat, survey, index);
        position(
            &mut row,
            flat,
            survey,
            &facts,
            index,
            first_prose,
            last_prose,
            h1_run,
        );
        surroundings(&mut row, flat, survey, &facts, places[index], index);
        pictures(&mut row, flat, survey, &images, places[index], index);
        opinions(&mut row, flat, survey, &facts, index);
        page_wide(&mut row, survey, &facts);
    }
    features
}

/// The run itself.
fn own(row: &mut Row<'_>, flat: &Flat<'_>, run: &crate::flat::Run, text: &str, signs: Signs) {
    let tally = run.tally;
    let owner = &flat.elements[run.owner as usize];
    row.put("weight", log(tally.weight));
    row.put("words", log(tally.words));
    row.put("links", share(run.link_weight, tally.weight, 0.0));
    row.put("stops", tally.stops as f32 / (1.0 + tally.words as f32));
    row.put("commas", tally.commas as f32 / (1.0 + tally.words as f32));
    row.put("stop_count", log(tally.stops));
    row.put("digits", share(tally.digits, tally.chars, 0.0));
    row.put("capitals", share(tally.capitals, tally.chars, 0.0));
    row.put("letters_per_word", share(tally.weight, tally.words, 0.0));
    row.put("breaks", f32::from(run.breaks));
    let last = text.chars().next_back().unwrap_or(' ');
    row.put(
        "ends",
        match last {
            '.' | '!' | '?' | '。' | '！' | '？' | '"' | '”' | '」' | '…' | ')' | '）' => {
                2.0
            }
            ':' | '：' | ',' | '，' | ';' => 1.0,
            _ => 0.0,
        },
    );
    row.flag("ellipsis", is_cut_short(text));
    row.flag("link_first", begins_with_link(flat, run));
    let first = text.chars().next().unwrap_or(' ');
    row.put(
        "begins",
        if first.is_lowercase() {
            1.0
        } else if first.is_alphabetic() {
            2.0
        } else if first.is_numeric() {
            3.0
        } else {
            0.0
        },
    );
    row.put("tag", own_tag(owner.tag));
    row.flag("is_pre", owner.tag == Tag::Pre);
    row.flag("is_p", owner.tag == Tag::P);
    row.put(
        "heading",
        owner
            .tag
            .heading_level()
            .map_or(0.0, |level| 7.0 - f32::from(level)),
    );
    for (bit, name) in SIGN_NAMES.iter().enumerate() {
        row.flag(name, signs.0 & (1 << bit) != 0);
    }
}

/// Whether a text breaks off, as teasers do.
fn is_cut_short(text: &str) -> bool {
    let text = text.trim_end_matches([')', ']', '»', '>', ' ']);
    text.ends_with('…') || text.ends_with("...") || text.ends_with("[…")
}

fn begins_with_link(flat: &Flat<'_>, run: &crate::flat::Run) -> bool {
    let pieces = &flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
    pieces
        .iter()
        .find(|piece| !piece.text.trim_start().is_empty())
        .is_some_and(|piece| {
            flat.ancestors(piece.element)
                .take_while(|&at| at >= run.owner)
                .any(|at| flat.elements[at as usize].traits.has(Traits::LINK))
        })
}

const SIGN_NAMES: [&str; SIGN_COUNT] = [
    "sign_share",
    "sign_related",
    "sign_comment",
    "sign_wall",
    "sign_copyright",
    "sign_credit",
    "sign_byline",
    "sign_date",
    "sign_more",
    "sign_price",
    "sign_count",
    "sign_advert",
];

/// Kinds of block, most textual first.
fn own_tag(tag: Tag) -> f32 {
    match tag {
        Tag::P => 0.0,
        Tag::Pre | Tag::Code => 1.0,
        Tag::Blockquote => 2.0,
        Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6 => 3.0,
        Tag::Li => 4.0,
        Tag::Dd | Tag::Dt | Tag::Dl => 5.0,
        Tag::Td | Tag::Th => 6.0,
        Tag::Figcaption | Tag::Caption | Tag::Figure => 7.0,
        Tag::Article | Tag::Main | Tag::Section => 8.0,
        Tag::Custom => 10.0,
        Tag::Label | Tag::Button | Tag::Fieldset | Tag::Form => 11.0,
        Tag::Nav | Tag::Footer | Tag::Aside | Tag::Header => 12.0,
        _ => 9.0,
    }
}

/// The smallest element around all of a run's text.
fn place(flat: &Flat<'_>, run: &crate::flat::Run) -> ElementIndex {
    let pieces = &flat.pieces[run.pieces.start as usize..run.pieces.end as usize];
    let mut text = pieces
        .iter()
        .filter(|piece| !piece.text.trim_start().is_empty());
    let Some(first) = text.next() else {
        return run.owner;
    };
    let last = text.next_back().unwrap_or(first);
    flat.ancestors(first.element)
        .find(|&index| flat.contains(index, last.element))
        .unwrap_or(run.owner)
}

/// For each run: the runs with its text, and the runs with its path of tags and names.
fn sameness(
    flat: &Flat<'_>,
    survey: &Survey,
    places: &[ElementIndex],
) -> (Vec<Same>, Vec<Same>, Vec<u64>) {
    let mut paths: Vec<u64> = Vec::with_capacity(flat.elements.len());
    for element in &flat.elements {
        let above = paths.get(element.parent as usize).copied().unwrap_or(0);
        paths.push((above ^ u64::from(element.shape)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    let mut by_text: Map<Same> = Map::default();
    let mut by_path: Map<Same> = Map::default();
    let text_keys: Vec<u64> = survey
        .texts
        .iter()
        .map(|text| xxh3_64(text.as_bytes()))
        .collect();
    for (index, run) in flat.runs.iter().enumerate() {
        let path = paths[places[index] as usize];
        for (map, key) in [(&mut by_text, text_keys[index]), (&mut by_path, path)] {
            let same = map.entry(key).or_default();
            same.count += 1;
            same.weight += run.tally.weight;
            same.link_weight += run.link_weight;
            same.prose += if is_prose(run) { run.tally.weight } else { 0 };
            same.cut_short += u32::from(is_cut_short(&survey.texts[index]));
        }
    }
    let texts = text_keys.iter().map(|key| by_text[key]).collect();
    let by_run = places
        .iter()
        .map(|&place| by_path[&paths[place as usize]])
        .collect();
    let path_keys = places.iter().map(|&place| paths[place as usize]).collect();
    (texts, by_run, path_keys)
}

/// The runs before and after.
fn neighbours(row: &mut Row<'_>, flat: &Flat<'_>, survey: &Survey, index: usize) {
    let near = |offset: isize| -> Option<usize> {
        index
            .checked_add_signed(offset)
            .filter(|&near| near < flat.runs.len())
    };
    for (offset, weight, links, sign, tag) in [
        (-2, "p2_weight", "p2_links", "p2_signs", "p2_tag"),
        (-1, "p1_weight", "p1_links", "p1_signs", "p1_tag"),
        (1, "n1_weight", "n1_links", "n1_signs", "n1_tag"),
        (2, "n2_weight", "n2_links", "n2_signs", "n2_tag"),
    ] {
        match near(offset) {
            Some(near) => {
                let run = &flat.runs[near];
                row.put(weight, log(run.tally.weight));
                row.put(links, share(run.link_weight, run.tally.weight, 0.0));
                row.flag(sign, survey.signs[near].0 != 0);
                row.put(tag, own_tag(flat.elements[run.owner as usize].tag));
            }
            None => {
                row.put(weight, -1.0);
                row.put(links, -1.0);
                row.put(sign, -1.0);
                row.put(tag, -1.0);
            }
        }
    }
    for (span, before_prose, before_links, after_prose, after_links) in [
        (4, "b4_prose", "b4_links", "a4_prose", "a4_links"),
        (12, "b12_prose", "b12_links", "a12_prose", "a12_links"),
    ] {
        let before = survey.sums.range(index.saturating_sub(span), index);
        let after = survey.sums.range(index + 1, index + 1 + span);
        row.put(before_prose, log(before.prose));
        row.put(before_links, before.link_density());
        row.put(after_prose, log(after.prose));
        row.put(after_links, after.link_density());
    }
}

/// How long ago certain lines were: after "Related articles" come related articles.
#[derive(Default)]
struct Since {
    last: [Option<usize>; 6],
    heading: Option<usize>,
    /// First-level headings so far, and headings that are links.
    tops: u32,
    linked: u32,
}

impl Since {
    fn put(&mut self, row: &mut Row<'_>, flat: &Flat<'_>, survey: &Survey, index: usize) {
        const WATCHED: [(Sign, &str); 6] = [
            (Sign::Related, "since_related"),
            (Sign::Comment, "since_comment"),
            (Sign::Share, "since_share"),
            (Sign::Credit, "since_credit"),
            (Sign::Wall, "since_wall"),
            (Sign::Copyright, "since_copyright"),
        ];
        let far = |last: Option<usize>| match last {
            Some(last) => log((index - last) as u32),
            None => 10.0,
        };
        for (slot, (_, name)) in WATCHED.iter().enumerate() {
            row.put(name, far(self.last[slot]));
        }
        row.put("since_heading", far(self.heading));
        let heading_signs = self.heading.map_or(Signs(0), |at| survey.signs[at]);
        row.flag("under_related", heading_signs.has(Sign::Related));
        row.flag("under_comment", heading_signs.has(Sign::Comment));
        row.flag(
            "under_furniture",
            heading_signs.has(Sign::Share)
                || heading_signs.has(Sign::Wall)
                || heading_signs.has(Sign::More),
        );
        let level = self.heading.and_then(|at| {
            flat.elements[flat.runs[at].owner as usize]
                .tag
                .heading_level()
        });
        row.put("under_level", level.map_or(0.0, f32::from));
        let linked = |at: usize| flat.runs[at].link_weight * 5 > flat.runs[at].tally.weight * 4;
        row.flag("under_linked", self.heading.is_some_and(linked));
        row.put("tops_before", log(self.tops));
        row.put("linked_before", log(self.linked));
        let run = &flat.runs[index];
        let signs = survey.signs[index];
        if run.tally.weight <= 80 {
            for (slot, (sign, _)) in WATCHED.iter().enumerate() {
                if signs.has(*sign) {
                    self.last[slot] = Some(index);
                }
            }
        }
        if flat.elements[run.owner as usize]
            .tag
            .heading_level()
            .is_some()
        {
            self.heading = Some(index);
        }
    }
}

/// Where on the page the run stands.
#[expect(
    clippy::too_many_arguments,
    reason = "landmarks of the page, found once"
)]
fn position(
    row: &mut Row<'_>,
    flat: &Flat<'_>,
    survey: &Survey,
    facts: &PageFacts,
    index: usize,
    first_prose: Option<usize>,
    last_prose: Option<usize>,
    h1: Option<usize>,
) {
    let before = survey.sums.range(0, index);
    let after = survey.sums.range(index + 1, usize::MAX);
    row.put("at", index as f32 / flat.runs.len() as f32);
    row.put("at_weight", share(before.weight, facts.page.weight, 0.0));
    row.put("prose_before", share(before.prose, facts.page.prose, 0.0));
    row.put("prose_after", share(after.prose, facts.page.prose, 0.0));
    let signed = |other: Option<usize>| match other {
        Some(other) => {
            let distance = index as f32 - other as f32;
            distance.signum() * (1.0 + distance.abs()).ln()
        }
        None => 20.0,
    };
    row.put("from_first_prose", signed(first_prose));
    row.put("from_last_prose", signed(last_prose));
    row.put("from_h1", signed(h1));
}

/// What the run stands in.
fn surroundings(
    row: &mut Row<'_>,
    flat: &Flat<'_>,
    survey: &Survey,
    facts: &PageFacts,
    place: ElementIndex,
    index: usize,
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
        let held_share = share(element.tally.weight, page_weight, 0.0);
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
        if element.traits.has(Traits::SPOKEN) && spoken == 0.0 {
            spoken = 1.0 + held_share;
        }
        for (slot, (tags, _)) in INSIDE.iter().enumerate() {
            if inside[slot] == 0.0 && tags.contains(&element.tag) {
                inside[slot] = 1.0 + held_share;
            }
        }
        if element.traits.has(Traits::FRAME) && inside[FRAME_SLOT] == 0.0 {
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
    rings(row, flat, survey, facts, place, index);
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

/// The elements around a run that each hold more runs than the last, and the page's section.
fn rings(
    row: &mut Row<'_>,
    flat: &Flat<'_>,
    survey: &Survey,
    facts: &PageFacts,
    place: ElementIndex,
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
    let mut rings: [Option<(Sum, f32)>; 6] = [None; 6];
    let mut found = 0;
    let mut runs = 1;
    for at in flat.ancestors(place) {
        let element = &flat.elements[at as usize];
        let count = element.end_run.saturating_sub(element.first_run);
        if count <= runs {
            continue;
        }
        runs = count;
        let sum = survey.sums.under(flat, at);
        let within = (index as f32 - element.first_run as f32) / count as f32;
        if found < 5 {
            rings[found] = Some((sum, within));
            found += 1;
        }
        // The section: the largest part of the page that is not most of it.
        if sum.weight * 5 < facts.page.weight * 3 {
            rings[5] = Some((sum, within));
        }
    }
    for (ring, names) in rings.iter().zip(NAMES) {
        match ring {
            Some((sum, within)) => {
                row.put(names[0], log(sum.weight));
                row.put(names[1], sum.link_density());
                row.put(names[2], sum.prose_share());
                row.put(names[3], log(sum.weight / sum.runs.max(1)));
                row.put(names[4], *within);
            }
            None => {
                for name in names {
                    row.put(name, -1.0);
                }
            }
        }
    }
}

/// How many elements of a kind stand before each element.
fn prefix_of(flat: &Flat<'_>, wanted: impl Fn(&Flattened<'_>) -> bool) -> Vec<u32> {
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
fn pictures(
    row: &mut Row<'_>,
    flat: &Flat<'_>,
    survey: &Survey,
    images: &[u32],
    place: ElementIndex,
    index: usize,
) {
    let count = |at: ElementIndex| {
        let element = &flat.elements[at as usize];
        images[element.end as usize] - images[at as usize]
    };
    let mut rings = [-1.0f32; 2];
    let mut heads = [-1.0f32; 2];
    let mut found = 0;
    let mut runs = 1;
    for at in flat.ancestors(place) {
        let element = &flat.elements[at as usize];
        let here = element.end_run.saturating_sub(element.first_run);
        if here <= runs {
            continue;
        }
        runs = here;
        rings[found] = log(count(at));
        heads[found] = log(survey.sums.under(flat, at).headings);
        found += 1;
        if found == 2 {
            break;
        }
    }
    row.put("r1_images", rings[0]);
    row.put("r2_images", rings[1]);
    row.put("r1_headings", heads[0]);
    row.put("r2_headings", heads[1]);
    row.put(
        "unit_images",
        match survey.units[index].element {
            NONE => -1.0,
            unit => log(count(unit)),
        },
    );
}

/// What the candidates say.
fn opinions(row: &mut Row<'_>, flat: &Flat<'_>, survey: &Survey, facts: &PageFacts, index: usize) {
    let run = &flat.runs[index];
    let within = |element: ElementIndex| -> f32 {
        if element == NONE {
            return -1.0;
        }
        let outer = &flat.elements[element as usize];
        if flat.contains(element, run.owner) {
            return 1.0;
        }
        if run.owner < element && index < outer.first_run as usize {
            0.0
        } else {
            0.5
        }
    };
    row.put("container", within(survey.container.element));
    row.put("container_prose", survey.container.prose_share);
    // How far the run is from the container: steps up from the container to what holds both.
    let steps = match survey.container.element {
        NONE => 20.0,
        container => flat
            .ancestors(container)
            .position(|at| flat.contains(at, run.owner))
            .map_or(20.0, |steps| steps as f32),
    };
    row.put("container_steps", steps);
    let levels_in = match survey.container.element {
        NONE => -1.0,
        container if flat.contains(container, run.owner) => {
            f32::from(flat.elements[run.owner as usize].depth)
                - f32::from(flat.elements[container as usize].depth)
        }
        _ => -1.0,
    };
    row.put("container_levels", levels_in);
    for (element, name, share_name) in [
        (survey.marks.main, "mark_main", "mark_main_share"),
        (survey.marks.article, "mark_article", "mark_article_share"),
        (survey.marks.body, "mark_body", "mark_body_share"),
        (survey.marks.named, "mark_named", "mark_named_share"),
    ] {
        row.put(name, within(element));
        row.put(
            share_name,
            match element {
                NONE => -1.0,
                element => share(
                    survey.sums.under(flat, element).prose,
                    facts.page.prose,
                    0.0,
                ),
            },
        );
    }
    row.put("article_count", log(survey.marks.article_count));
    let dense = &survey.densest;
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
    let unit = survey.units[index];
    row.put("unit_count", log(unit.count));
    row.put("unit_share", share(unit.weight, facts.page.weight, 0.0));
    row.put("unit_mean", log(unit.weight / unit.count.max(1)));
    row.put("unit_links", share(unit.link_weight, unit.weight, -1.0));
    row.put("unit_number", log(unit.number));
    let (unit_at, unit_prose) = match unit.element {
        NONE => (-1.0, -1.0),
        element => {
            let first = flat.elements[element as usize].first_run as usize;
            let sum = survey.sums.under(flat, element);
            ((index.saturating_sub(first)) as f32, sum.prose_share())
        }
    };
    row.put("unit_at", unit_at);
    row.put("unit_prose", unit_prose);
}

/// What kind of page this is.
fn page_wide(row: &mut Row<'_>, survey: &Survey, facts: &PageFacts) {
    row.put("page_weight", log(facts.page.weight));
    row.put("page_runs", log(facts.page.runs));
    row.put("page_links", facts.page.link_density());
    row.put("page_prose", facts.page.prose_share());
    row.put("page_mean", log(facts.page.weight / facts.page.runs.max(1)));
    row.put("page_words", log(facts.words));
    row.put("page_cjk", facts.cjk);
    row.put("page_headings", log(facts.headings));
    row.put("page_longest", log(facts.longest));
    row.put("page_prices", facts.prices);
    row.put("page_dates", facts.dates);
    row.put("page_units", facts.unit_share);
    row.flag("ld_article", facts.kinds.has(Kinds::ARTICLE));
    row.flag("ld_forum", facts.kinds.has(Kinds::FORUM));
    row.flag("ld_product", facts.kinds.has(Kinds::PRODUCT));
    row.flag("ld_collection", facts.kinds.has(Kinds::COLLECTION));
    row.flag("og_article", facts.og_article);
    row.flag("og_product", facts.og_product);
    row.put("url_segments", facts.url_segments as f32);
    row.flag("url_digits", facts.url_digits);
    row.put("url_words", facts.url_words as f32);
    row.flag("has_main", survey.marks.main != NONE);
}

fn page_facts(flat: &Flat<'_>, survey: &Survey, structured: &Structured, url: &Url) -> PageFacts {
    let page = survey.sums.page();
    let count = |sign: Sign| {
        let hits = survey.signs.iter().filter(|signs| signs.has(sign)).count();
        hits as f32 / flat.runs.len().max(1) as f32
    };
    let og = flat
        .metas
        .iter()
        .find(|(name, _)| *name == "og:type")
        .map_or("", |(_, content)| content);
    let segments: Vec<&str> = url
        .path()
        .split('/')
        .filter(|segment| !segment.is_empty())
        .collect();
    let last = segments.last().copied().unwrap_or("");
    let cjk: u32 = flat.runs.iter().map(|run| run.tally.cjk * 3).sum();
    PageFacts {
        page,
        words: page.words,
        cjk: share(cjk, page.weight, 0.0),
        kinds: structured.kinds,
        og_article: og.contains("article"),
        og_product: og.contains("product"),
        url_segments: segments.len() as u32,
        url_digits: last.bytes().filter(u8::is_ascii_digit).count() >= 4,
        url_words: last.split(['-', '_']).count() as u32,
        prices: count(Sign::Price),
        dates: count(Sign::Date),
        unit_share: survey
            .units
            .iter()
            .map(|unit| share(unit.weight, page.weight, 0.0))
            .fold(0.0, f32::max),
        headings: page.headings,
        longest: flat
            .runs
            .iter()
            .filter(|run| is_prose(run))
            .map(|run| run.tally.weight)
            .max()
            .unwrap_or(0),
    }
}
