//! Pages of one host are more alike than their contents are.
//!
//! They share a template, a vocabulary and often a form: two functions of a reference, two tags of
//! a blog, two translations that are half done. What a copy on another host has in common with its
//! original is the text, what two pages of one host have in common may be all the rest. So between
//! them a near-duplicate is one only from a larger overlap on. Read one by one, near-duplicates of
//! one host were copies above an overlap of 0.9 or so, and hardly ever below 0.85
//! (`docs/decisions-sample.md`).

use simhash::{Decision, Neighbour, Reason};

use crate::rules::Rules;

/// The nearest kept page, doubted as a page of the same host. Equal texts stay duplicates.
pub fn between_siblings(neighbour: Neighbour, rules: &Rules) -> Neighbour {
    let doubted = neighbour.decision == Decision::Duplicate
        && !neighbour.exact
        && neighbour.overlap < rules.overlap_same_host;
    if doubted {
        Neighbour {
            decision: Decision::Refuted,
            reason: Reason::OverlapLow,
            ..neighbour
        }
    } else {
        neighbour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simhash::Fingerprint;

    fn near(overlap: f32, exact: bool) -> Neighbour {
        Neighbour {
            page: 1,
            fingerprint: Fingerprint(7),
            distance: 2,
            overlap,
            containment: None,
            table: 0,
            word_count: 100,
            exact,
            decision: Decision::Duplicate,
            reason: Reason::OverlapEnough,
        }
    }

    #[test]
    fn siblings_are_duplicates_from_a_larger_overlap_on() {
        let decision =
            |overlap, exact| between_siblings(near(overlap, exact), &Rules::default()).decision;
        assert_eq!(decision(0.84, false), Decision::Refuted);
        assert_eq!(decision(0.85, false), Decision::Duplicate);
        assert_eq!(decision(0.5, true), Decision::Duplicate);
    }
}
