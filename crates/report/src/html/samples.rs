//! Duplicates side by side, with the passages that differ marked.

use std::fmt::Write as _;

use super::{escape, link};
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
pub(super) fn samples(samples: &[Sample], texts: &dyn Fn(u64) -> Option<String>) -> String {
    samples
        .iter()
        .take(SHOWN_MAX)
        .map(|sample| one(sample, texts))
        .collect()
}

fn one(sample: &Sample, texts: &dyn Fn(u64) -> Option<String>) -> String {
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
    let pair = texts(sample.dup_of_page).zip(texts(sample.page));
    let pieces = pair.map(|(kept, dropped)| difference(&kept, &dropped));
    if let Some(pieces) = &pieces {
        let same = 100.0 * likeness(pieces);
        tags.push(format!("{same:.1} % of the characters in both"));
    }
    let tags: String = tags
        .iter()
        .map(|tag| format!("<li>{}</li>", escape(tag)))
        .collect();
    let (kept, dropped) = match pieces {
        Some(pieces) => sides(&shortened(&pieces, AROUND)),
        None => {
            let none = "<p class=\"soft\">The text is not in the archive.</p>".to_owned();
            (none.clone(), none)
        }
    };
    format!(
        "<article class=\"sample\"><h3>{}</h3><ul class=\"tags\">{tags}</ul><div class=\"pair\">\
         <div><p><b>Kept</b> {}</p>{kept}</div><div><p><b>Dropped</b> {}</p>{dropped}</div></div></article>\n",
        escape(title),
        link(&sample.dup_of),
        link(&sample.url),
    )
}

/// The pieces as the two sides' HTML.
fn sides(pieces: &[Piece]) -> (String, String) {
    let box_of = |whose: &str| {
        format!(
            "<div class=\"text\" role=\"region\" aria-label=\"text of the {whose} page\" tabindex=\"0\">"
        )
    };
    let (mut kept, mut dropped) = (box_of("kept"), box_of("dropped"));
    for piece in pieces.iter().take(PIECES_MAX) {
        match piece {
            Piece::Same(text) => {
                kept.push_str(&escape(text));
                dropped.push_str(&escape(text));
            }
            Piece::Removed(text) => {
                let _ = write!(kept, "<del>{}</del>", escape(text));
            }
            Piece::Added(text) => {
                let _ = write!(dropped, "<ins>{}</ins>", escape(text));
            }
            Piece::Skipped(length) => {
                let gap = format!(
                    "<span class=\"gap\">… {} characters alike …</span>",
                    count(*length as u64)
                );
                kept.push_str(&gap);
                dropped.push_str(&gap);
            }
        }
    }
    if pieces.len() > PIECES_MAX {
        kept.push_str("<span class=\"gap\">… and more</span>");
        dropped.push_str("<span class=\"gap\">… and more</span>");
    }
    kept.push_str("</div>");
    dropped.push_str("</div>");
    (kept, dropped)
}
