//! Duplicates side by side, with the passages that differ marked.

use maud::{Markup, html};

use super::link;
use crate::clusters::Sample;
use crate::difference::{Piece, difference, likeness, shortened};
use crate::words::{count, name};

/// Samples whose texts are shown.
const SHOWN_MAX: usize = 12;

/// Characters of common text kept on both sides of a difference.
const AROUND: usize = 60;

/// Pieces shown of one pair.
const PIECES_MAX: usize = 80;

/// All samples as HTML.
pub(super) fn samples(samples: &[Sample], texts: &dyn Fn(u64) -> Option<String>) -> Markup {
    html! {
        @for sample in samples.iter().take(SHOWN_MAX) { (one(sample, texts)) "\n" }
    }
}

fn one(sample: &Sample, texts: &dyn Fn(u64) -> Option<String>) -> Markup {
    let title = match sample.title.as_str() {
        "" => &sample.url,
        title => title,
    };
    let mut tags = vec![
        name(&sample.reason),
        format!("distance {} of 64", sample.distance),
        format!("overlap {:.2}", sample.overlap),
        name(sample.kind.name()),
    ];
    if let Some(nearest) = sample.measured_against() {
        tags.push(format!("measured against {nearest}, which was kept then"));
    }
    let pair = texts(sample.dup_of_page).zip(texts(sample.page));
    let pieces = pair.map(|(kept, dropped)| difference(&kept, &dropped));
    if let Some(pieces) = &pieces {
        let same = 100.0 * likeness(pieces);
        tags.push(format!("{same:.1} % of the characters in both"));
    }
    let pieces = pieces.map(|pieces| shortened(&pieces, AROUND));
    let text = |side| match &pieces {
        Some(pieces) => text(side, pieces),
        None => html! { p class="soft" { "The text is not in the archive." } },
    };
    html! {
        article class="sample" {
            h3 { bdi { (title) } }
            ul class="tags" { @for tag in &tags { li { (tag) } } }
            div class="pair" {
                div { p { b { "Kept" } " " (link(&sample.dup_of)) } (text(Side::Kept)) }
                div { p { b { "Dropped" } " " (link(&sample.url)) } (text(Side::Dropped)) }
            }
        }
    }
}

/// Which of two pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Kept,
    Dropped,
}

/// The text of one of the pages, with what the other has not marked.
fn text(side: Side, pieces: &[Piece]) -> Markup {
    let label = match side {
        Side::Kept => "text of the kept page",
        Side::Dropped => "text of the dropped page",
    };
    html! {
        div class="text" role="region" aria-label=(label) tabindex="0" {
            @for piece in pieces.iter().take(PIECES_MAX) {
                @match (piece, side) {
                    (Piece::Same(text), _) => { bdi { (text) } }
                    (Piece::Removed(text), Side::Kept) => { del { (text) } }
                    (Piece::Added(text), Side::Dropped) => { ins { (text) } }
                    (Piece::Removed(_), Side::Dropped) | (Piece::Added(_), Side::Kept) => {}
                    (Piece::Skipped(length), _) => {
                        span class="gap" { "… " (count(*length as u64)) " characters alike …" }
                    }
                }
            }
            @if pieces.len() > PIECES_MAX { span class="gap" { "… and more" } }
        }
    }
}
