//! What is known of each run, as numbers the judge weighs.
//!
//! Six kinds of evidence: the run itself and its links, what it stands in, its neighbours, where
//! the page's headline is, what the candidates say, and what kind of page this is. All lengths are script-aware weights on a log scale, so one
//! judge serves every script.

mod ancestors;
mod headline;
mod link_targets;
mod page_wide;
mod sequence;

use std::cell::RefCell;
use std::sync::LazyLock;

use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::candidates::container::{self, Container};
use crate::candidates::max_subsequence;
use crate::candidates::repeated_units::{self, Unit};
use crate::candidates::semantic_elements::{self, SemanticElements};
use crate::flat_dom::{ElementIndex, FlatDom, NO_ELEMENT, Traits};
use crate::line_markers::{MARKER_COUNT, Markers};
use crate::prefix_sums::{PrefixSums, is_prose, share};
use crate::shingles::{RunShingles, ShingleSet};
use crate::structured::Structured;
use crate::tag::Tag;
use rustc_hash::FxHashMap;

use ancestors::{ENCLOSING, enclosing_elements, pictures, prefix_of, put_enclosing, surroundings};
use headline::Headline;
use link_targets::targets;
use page_wide::{PageFacts, inner_unit, opinions, page_facts, page_wide};
use sequence::{Since, neighbours, position};

/// Everything the candidates found on a page, with the texts of its runs.
pub(crate) struct Survey {
    pub sums: PrefixSums,
    pub texts: Vec<String>,
    pub shingles: RunShingles,
    pub markers: Vec<Markers>,
    pub semantic: SemanticElements,
    pub container: Container,
    pub max_subsequence: std::ops::Range<usize>,
    pub units: Vec<Unit>,
    pub inner_units: Vec<Unit>,
}

impl Survey {
    pub(crate) fn of(flat: &FlatDom<'_>) -> Survey {
        let sums = PrefixSums::of(flat);
        let mut lower = String::new();
        let texts: Vec<String> = flat.runs.iter().map(|run| flat.run_text(run)).collect();
        let markers = texts
            .iter()
            .map(|text| Markers::of(text, &mut lower))
            .collect();
        let (units, inner_units) = repeated_units::find(flat);
        Survey {
            semantic: semantic_elements::find(flat, &sums),
            container: container::find(flat, &sums),
            max_subsequence: max_subsequence::find(flat),
            units,
            inner_units,
            sums,
            shingles: RunShingles::of(&texts),
            texts,
            markers,
        }
    }
}

/// Rows of named numbers, one for each run.
pub(crate) struct Table {
    pub names: Vec<&'static str>,
    pub values: Vec<f32>,
}

/// Numbers of a run: a few more than there are.
const WIDTH: usize = 230;

/// Numbers that a thread keeps room for between pages: 4 MB, two or three thousand runs.
const KEPT_VALUES: usize = 1 << 20;

thread_local! {
    /// The room of tables that are done. Taken and freed for every page, these largest pieces of
    /// all would lie scattered over the heap, with what outlives the page between them.
    static ROOM: RefCell<Vec<Vec<f32>>> = const { RefCell::new(Vec::new()) };
}

impl Drop for Table {
    fn drop(&mut self) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        ROOM.with_borrow_mut(|room| {
            if room.len() < 2 && values.capacity() <= KEPT_VALUES {
                room.push(values);
            }
        });
    }
}

impl Table {
    /// An empty table with room for so many numbers.
    pub(crate) fn with_room(numbers: usize) -> Table {
        let kept = ROOM.with_borrow_mut(Vec::pop);
        let mut values = kept.unwrap_or_default();
        values.reserve_exact(numbers);
        Table {
            names: Vec::new(),
            values,
        }
    }

    pub(crate) fn row(&self, run: usize) -> &[f32] {
        let width = self.names.len();
        &self.values[run * width..(run + 1) * width]
    }
}

/// What is known of a page's runs.
pub(crate) struct Features {
    pub table: Table,
    /// For each run, a hash of its path of tags and first classes.
    pub paths: Vec<u64>,
    /// For each run, the elements around it that each hold more runs, and its section.
    pub enclosing: Vec<[ElementIndex; ENCLOSING + 1]>,
}

/// Collects one row; names are kept from the first only.
pub(crate) struct Row<'f> {
    pub table: &'f mut Table,
    pub first: bool,
}

impl Row<'_> {
    pub(crate) fn put(&mut self, name: &'static str, value: f32) {
        if self.first {
            self.table.names.push(name);
        }
        self.table.values.push(value);
    }

    fn flag(&mut self, name: &'static str, value: bool) {
        self.put(name, if value { 1.0 } else { 0.0 });
    }
}

fn log(weight: u32) -> f32 {
    /// Most lengths and counts are small, and a row has sixty logarithms.
    static SMALL: LazyLock<Vec<f32>> = LazyLock::new(|| (0..2048).map(log_of).collect());
    match SMALL.get(weight as usize) {
        Some(&log) => log,
        None => log_of(weight),
    }
}

fn log_of(weight: u32) -> f32 {
    (1.0 + weight as f32).ln()
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
    flat: &FlatDom<'_>,
    survey: &Survey,
    structured: &Structured,
    url: &Url,
) -> Features {
    let mut table = Table::with_room(flat.runs.len() * WIDTH);
    let mut bodies = ShingleSet::default();
    for body in structured.bodies.iter().take(100) {
        bodies.add(body);
    }
    let mut descriptions = ShingleSet::default();
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
    let mut title_shingles = ShingleSet::default();
    title_shingles.add(&flat.title);
    let facts = page_facts(flat, survey, structured, url);
    let places: Vec<ElementIndex> = flat.runs.iter().map(|run| place(flat, run)).collect();
    let (texts, paths, path_keys) = sameness(flat, survey, &places);
    let duplicate_shares = survey.shingles.duplicate_shares();
    let images = prefix_of(flat, |element| element.tag == Tag::Img);
    let mut since = Since::default();
    let first_prose = flat.runs.iter().position(is_prose);
    let last_prose = flat.runs.iter().rposition(is_prose);
    let h1_run = match survey.semantic.h1 {
        NO_ELEMENT => None,
        h1 => Some(flat.elements[h1 as usize].first_run as usize),
    };
    let h1_text = h1_run.and_then(|run| survey.texts.get(run));
    let mut h1_shingles = ShingleSet::default();
    if let Some(text) = h1_text {
        h1_shingles.add(text);
    }

    let enclosing: Vec<_> = places
        .iter()
        .map(|&place| enclosing_elements(flat, &survey.sums, place))
        .collect();
    let mut headline = Headline::of(flat, survey);
    let mut wide = 0..0;
    for index in 0..flat.runs.len() {
        let run = &flat.runs[index];
        let text = &survey.texts[index];
        let shingles = survey.shingles.at(index);
        let markers = survey.markers[index];
        let mut row = Row {
            first: index == 0,
            table: &mut table,
        };
        own(&mut row, flat, run, text, markers);
        row.put("same_text", log(texts[index].count));
        let path = paths[index];
        row.put("path_count", log(path.count));
        row.put("path_share", share(path.weight, facts.page.weight, 0.0));
        row.put("path_mean", log(path.weight / path.count.max(1)));
        row.put("path_links", share(path.link_weight, path.weight, 1.0));
        row.put("path_prose", share(path.prose, path.weight, 0.0));
        row.put("path_ellipsis", share(path.cut_short, path.count, 0.0));
        row.put("echo", duplicate_shares[index].0);
        row.put("echo_before", duplicate_shares[index].1);
        row.put(
            "title_share",
            if title_shingles.is_empty() {
                0.0
            } else {
                title_shingles.share(shingles)
            },
        );
        row.put("h1_share", h1_shingles.share(shingles));
        row.put(
            "body_share",
            if bodies.is_empty() {
                -1.0
            } else {
                bodies.share(shingles)
            },
        );
        row.put("description_share", descriptions.share(shingles));
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
        surroundings(&mut row, flat, &facts, places[index]);
        put_enclosing(&mut row, flat, survey, &enclosing[index], index);
        pictures(&mut row, flat, survey, &images, &enclosing[index], index);
        opinions(&mut row, flat, survey, &facts, index);
        // The same for all runs: worked out for the first.
        let at = row.table.values.len();
        if row.first {
            page_wide(&mut row, survey, &facts);
            wide = at..row.table.values.len();
        } else {
            row.table.values.extend_from_within(wide.clone());
        }
        headline.put(&mut row, flat, survey, &facts, places[index], index);
        targets(&mut row, flat, index, url);
        inner_unit(&mut row, flat, survey, index);
    }
    Features {
        table,
        paths: path_keys,
        enclosing,
    }
}

/// The run itself.
fn own(
    row: &mut Row<'_>,
    flat: &FlatDom<'_>,
    run: &crate::flat_dom::Run,
    text: &str,
    markers: Markers,
) {
    let counts = run.counts;
    let owner = &flat.elements[run.owner as usize];
    row.put("weight", log(counts.weight));
    row.put("words", log(counts.words));
    row.put("links", share(run.link_weight, counts.weight, 0.0));
    row.put(
        "stops",
        counts.sentence_ends as f32 / (1.0 + counts.words as f32),
    );
    row.put("commas", counts.commas as f32 / (1.0 + counts.words as f32));
    row.put("stop_count", log(counts.sentence_ends));
    row.put("digits", share(counts.digits, counts.chars, 0.0));
    row.put("capitals", share(counts.capitals, counts.chars, 0.0));
    row.put("letters_per_word", share(counts.weight, counts.words, 0.0));
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
    for (bit, name) in MARKER_FEATURES.iter().enumerate() {
        row.flag(name, markers.0 & (1 << bit) != 0);
    }
}

/// Whether a text breaks off, as teasers do.
fn is_cut_short(text: &str) -> bool {
    let text = text.trim_end_matches([')', ']', '»', '>', ' ']);
    text.ends_with('…') || text.ends_with("...") || text.ends_with("[…")
}

fn begins_with_link(flat: &FlatDom<'_>, run: &crate::flat_dom::Run) -> bool {
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

const MARKER_FEATURES: [&str; MARKER_COUNT] = [
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
fn place(flat: &FlatDom<'_>, run: &crate::flat_dom::Run) -> ElementIndex {
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
    flat: &FlatDom<'_>,
    survey: &Survey,
    places: &[ElementIndex],
) -> (Vec<Same>, Vec<Same>, Vec<u64>) {
    let mut paths: Vec<u64> = Vec::with_capacity(flat.elements.len());
    for element in &flat.elements {
        let above = paths.get(element.parent as usize).copied().unwrap_or(0);
        paths.push((above ^ u64::from(element.shape)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }
    let mut by_text: FxHashMap<u64, Same> = FxHashMap::default();
    let mut by_path: FxHashMap<u64, Same> = FxHashMap::default();
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
            same.weight += run.counts.weight;
            same.link_weight += run.link_weight;
            same.prose += if is_prose(run) { run.counts.weight } else { 0 };
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
