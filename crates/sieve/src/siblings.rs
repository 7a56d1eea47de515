//! Pages of one host are more alike than their contents are.
//!
//! They share a template, a vocabulary and often a form: two functions of a reference, two tags of
//! a blog, two translations that are half done. What a copy on another host has in common with its
//! original is the text, what two pages of one host have in common may be all the rest. So between
//! them a near-duplicate is one only from a larger overlap on. Read one by one, near-duplicates of
//! one host were copies above an overlap of 0.9 or so, and hardly ever below 0.85
//! (`docs/decisions-sample.md`).
//!
//! Two pages that are one by what they say of themselves, by their title or by the URL that they name
//! as canonical, may differ in length: the posts of a thread, and the same posts with a line about
//! their author above each. There it is enough that the shorter text has no more of its own than a
//! text may have that has the length of the other.

use simhash::{Decision, Neighbour, Reason};

use crate::rules::Rules;

/// The nearest kept page, doubted as a page of the same host. Equal texts stay duplicates.
/// `is_same_by_name` says whether both pages have one title, or one names the other as canonical.
pub fn between_siblings(neighbour: Neighbour, is_same_by_name: bool, rules: &Rules) -> Neighbour {
    let doubted = is_below(&neighbour, rules)
        && neighbour.decision == Decision::Duplicate
        && !(is_same_by_name && is_contained(&neighbour, rules));
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

/// Whether the texts overlap by less than what is asked of two pages of one host.
pub fn is_below(neighbour: &Neighbour, rules: &Rules) -> bool {
    !neighbour.exact && neighbour.overlap < rules.overlap_same_host
}

/// Whether the longer text holds as much of the shorter one as two texts of one length hold of each
/// other that overlap by as much as is asked.
fn is_contained(neighbour: &Neighbour, rules: &Rules) -> bool {
    let asked = rules.overlap_same_host;
    neighbour.containment >= Some(2.0 * asked / (1.0 + asked))
}

#[cfg(test)]
mod tests {
    use super::*;
    use simhash::Fingerprint;

    fn near(overlap: f32, exact: bool) -> Neighbour {
        contained(overlap, exact, None)
    }

    fn contained(overlap: f32, exact: bool, containment: Option<f32>) -> Neighbour {
        Neighbour {
            page: 1,
            fingerprint: Fingerprint(7),
            distance: 2,
            overlap,
            containment,
            table: 0,
            word_count: 100,
            exact,
            decision: Decision::Duplicate,
            reason: Reason::OverlapEnough,
        }
    }

    #[test]
    fn siblings_are_duplicates_from_a_larger_overlap_on() {
        let decision = |overlap, exact| {
            between_siblings(near(overlap, exact), true, &Rules::default()).decision
        };
        assert_eq!(decision(0.84, false), Decision::Refuted);
        assert_eq!(decision(0.85, false), Decision::Duplicate);
        assert_eq!(decision(0.5, true), Decision::Duplicate);
    }

    #[test]
    fn of_pages_of_one_name_the_shorter_may_stand_whole_in_the_longer() {
        let decision = |containment, same| {
            let near = contained(0.7, false, Some(containment));
            between_siblings(near, same, &Rules::default()).decision
        };
        assert_eq!(decision(0.92, true), Decision::Duplicate);
        assert_eq!(decision(0.91, true), Decision::Refuted);
        assert_eq!(decision(1.0, false), Decision::Refuted);
    }
}
