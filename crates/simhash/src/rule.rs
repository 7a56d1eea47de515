//! When is a text a duplicate of a kept page?
//!
//! Within `k` bits it is, unless the sketches refute it; within `reach` bits only if they confirm
//! it. Both ask the same question: do the texts share enough of their word pairs?

use crate::{Decision, Fingerprint, IndexConfig, Neighbour, Reason, TextPrint};

/// Judges `print` against one kept page.
pub fn judge(
    config: &IndexConfig,
    print: &TextPrint,
    page: u64,
    kept: &TextPrint,
    table: u8,
) -> Neighbour {
    let distance = print.fingerprint.distance(kept.fingerprint) as u8;
    let exact = print.digest == kept.digest && print.word_count == kept.word_count;
    let overlap = if exact {
        1.0
    } else {
        print.sketch.overlap(&kept.sketch)
    };
    let (decision, reason) = decide(config, distance, overlap, exact);
    Neighbour {
        page,
        fingerprint: Fingerprint(kept.fingerprint.0),
        distance,
        overlap,
        containment: containment(overlap, print.word_count, kept.word_count),
        table,
        word_count: kept.word_count,
        exact,
        decision,
        reason,
    }
}

/// Whether the fingerprints are near enough to look at the sketches at all.
pub fn is_candidate(config: &IndexConfig, print: &TextPrint, kept: &TextPrint) -> bool {
    print.fingerprint.distance(kept.fingerprint) <= u32::from(config.reach.max(config.k))
}

fn decide(config: &IndexConfig, distance: u8, overlap: f32, exact: bool) -> (Decision, Reason) {
    let other = if distance <= config.k {
        Decision::Refuted
    } else {
        Decision::Unconfirmed
    };
    if exact {
        (Decision::Duplicate, Reason::SameText)
    } else if overlap >= config.overlap {
        (Decision::Duplicate, Reason::OverlapEnough)
    } else {
        (other, Reason::OverlapLow)
    }
}

/// The share of the smaller text that the larger one holds, from overlap and lengths.
fn containment(overlap: f32, a: u32, b: u32) -> Option<f32> {
    let (a, b) = (
        a.saturating_sub(1).max(1) as f32,
        b.saturating_sub(1).max(1) as f32,
    );
    let shared = overlap / (1.0 + overlap) * (a + b);
    (overlap >= 0.1).then(|| (shared / a.min(b)).min(1.0))
}
