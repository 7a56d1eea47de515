//! Features of the run by itself: its length, its punctuation, its markers, its block.

use super::PageInputs;
use super::table::{Row, log};
use crate::flat_dom::{FlatDom, Run, Traits};
use crate::line_markers::MARKER_COUNT;
use crate::prefix_sums::share;
use crate::tag::Tag;

/// The run itself.
pub(super) fn put_run(row: &mut Row<'_>, page: &PageInputs<'_>, index: usize) {
    let run = &page.flat.runs[index];
    let text = page.survey.texts[index].as_str();
    let owner = &page.flat.elements[run.owner as usize];
    put_counts(row, run);
    row.put("ends", end_kind(text));
    row.flag("ellipsis", is_cut_short(text));
    row.flag("link_first", begins_with_link(page.flat, run));
    row.put("begins", start_kind(text));
    row.put("tag", block_kind(owner.tag));
    row.flag("is_pre", owner.tag == Tag::Pre);
    row.flag("is_p", owner.tag == Tag::P);
    let level = owner.tag.heading_level();
    row.put("heading", level.map_or(0.0, |level| 7.0 - f32::from(level)));
    let markers = page.survey.markers[index];
    for (bit, name) in MARKER_FEATURES.iter().enumerate() {
        row.flag(name, markers.0 & (1 << bit) != 0);
    }
}

fn put_counts(row: &mut Row<'_>, run: &Run) {
    let counts = run.counts;
    let per_word = |count: u32| count as f32 / (1.0 + counts.words as f32);
    row.put("weight", log(counts.weight));
    row.put("words", log(counts.words));
    row.put("links", share(run.link_weight, counts.weight, 0.0));
    row.put("stops", per_word(counts.sentence_ends));
    row.put("commas", per_word(counts.commas));
    row.put("stop_count", log(counts.sentence_ends));
    row.put("digits", share(counts.digits, counts.chars, 0.0));
    row.put("capitals", share(counts.capitals, counts.chars, 0.0));
    row.put("letters_per_word", share(counts.weight, counts.words, 0.0));
    row.put("breaks", f32::from(run.breaks));
}

/// How the text ends: 2 as a sentence does, 1 with a colon or comma, 0 otherwise.
fn end_kind(text: &str) -> f32 {
    match text.chars().next_back().unwrap_or(' ') {
        '.' | '!' | '?' | '。' | '！' | '？' | '"' | '”' | '」' | '…' | ')' | '）' => 2.0,
        ':' | '：' | ',' | '，' | ';' => 1.0,
        _ => 0.0,
    }
}

/// How the text begins: 1 with a lower-case letter, 2 with another letter, 3 with a digit.
fn start_kind(text: &str) -> f32 {
    let first = text.chars().next().unwrap_or(' ');
    if first.is_lowercase() {
        1.0
    } else if first.is_alphabetic() {
        2.0
    } else if first.is_numeric() {
        3.0
    } else {
        0.0
    }
}

/// Whether a text ends in an ellipsis, as teasers do.
pub(super) fn is_cut_short(text: &str) -> bool {
    let text = text.trim_end_matches([')', ']', '»', '>', ' ']);
    text.ends_with('…') || text.ends_with("...") || text.ends_with("[…")
}

fn begins_with_link(flat: &FlatDom<'_>, run: &Run) -> bool {
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

/// The feature of each marker, in the order of [`crate::line_markers::Marker`].
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

/// The kind of block, most textual first.
pub(super) fn block_kind(tag: Tag) -> f32 {
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
