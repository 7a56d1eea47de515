//! The answer of an index: the kept page nearest to a text, and what follows from it.

use std::cmp::Ordering;

use crate::Fingerprint;

/// What the rule says about a text and a kept page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The text is a near-duplicate of the kept page.
    Duplicate,
    /// The fingerprints are within `k`, but the sketches say that the texts differ.
    Refuted,
    /// The fingerprints are within `reach`, and the sketches do not confirm a duplicate.
    Unconfirmed,
}

/// Why the rule decided so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The same words in the same order.
    SameText,
    /// The texts share enough word pairs.
    OverlapEnough,
    /// The texts share too few word pairs.
    OverlapLow,
    /// One text holds (most of) the other and much else besides.
    PartialCopy,
    /// The words are alike and the numbers are not: two reports of one form.
    NumbersDiffer,
}

impl Reason {
    /// A stable name in snake case, for records and reports.
    pub fn name(self) -> &'static str {
        match self {
            Reason::SameText => "same_text",
            Reason::OverlapEnough => "overlap_enough",
            Reason::OverlapLow => "overlap_low",
            Reason::PartialCopy => "partial_copy",
            Reason::NumbersDiffer => "numbers_differ",
        }
    }
}

/// A kept page near a text, with the evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The kept page.
    pub page: u64,
    /// The kept page's fingerprint.
    pub fingerprint: Fingerprint,
    /// Hamming distance of the fingerprints, 0 to 64.
    pub distance: u8,
    /// Estimated share of word pairs in common (Jaccard), 0.0 to 1.0.
    pub overlap: f32,
    /// Estimated share of the smaller text's word pairs that the larger one has too; none when
    /// the overlap is too small for an estimate.
    pub containment: Option<f32>,
    /// The table that found it, 0 for the first; 255 for the short-text or linear lookup, or that by numbers.
    pub table: u8,
    /// Words of the kept page.
    pub word_count: u32,
    /// The same words in the same order.
    pub exact: bool,
    /// What follows.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
}

impl Neighbour {
    /// The order in which candidates are preferred, best first: duplicates before others; then
    /// equal text, larger overlap and smaller distance; then the page that was kept first. A total
    /// order, so that every index gives one answer.
    pub(crate) fn preference(&self, other: &Neighbour) -> Ordering {
        let duplicate = |n: &Neighbour| n.decision == Decision::Duplicate;
        duplicate(other)
            .cmp(&duplicate(self))
            .then(other.exact.cmp(&self.exact))
            .then(other.overlap.total_cmp(&self.overlap))
            .then(self.distance.cmp(&other.distance))
            .then(self.page.cmp(&other.page))
    }
}
