//! The decision itself, in order of precedence.
//!
//! A wall comes before all else, since nothing that it has is the page's own. What the server or the
//! page says of itself comes next (no page, error, noindex), then what it is (an error text, thin), then whether it is new, then whether it is wanted. So a page that is
//! both a duplicate and off-topic counts as a duplicate: that is the finding that needs evidence.

use outcome::{JunkReason, Verdict};
use simhash::Decision;

use crate::evidence::{Content, Evidence};
use crate::rules::Rules;

/// Decides about a page.
pub fn judge(evidence: &Evidence, rules: &Rules) -> Verdict {
    match junk_reason(evidence, rules) {
        Some(reason) => Verdict::Junk(reason),
        None => Verdict::Index,
    }
}

fn junk_reason(evidence: &Evidence, rules: &Rules) -> Option<JunkReason> {
    if evidence.is_wall && !rules.keep_walls {
        return Some(JunkReason::Blocked);
    }
    if !(200..300).contains(&evidence.status) {
        return Some(JunkReason::ErrorPage);
    }
    if evidence.content == Content::Other {
        return Some(JunkReason::UnsupportedType);
    }
    if rules.obey_noindex && !evidence.may_index {
        return Some(JunkReason::NoIndex);
    }
    if evidence.soft_404 {
        return Some(JunkReason::SoftNotFound);
    }
    if evidence.words < rules.words_min {
        return Some(JunkReason::Thin);
    }
    if evidence.listing && !rules.keep_listings {
        return Some(JunkReason::Listing);
    }
    if let Some(reason) = duplicate(evidence) {
        return Some(reason);
    }
    if is_unwanted_language(evidence, rules) {
        return Some(JunkReason::Language);
    }
    if is_off_topic(evidence, rules) {
        return Some(JunkReason::OffTopic);
    }
    None
}

fn duplicate(evidence: &Evidence) -> Option<JunkReason> {
    let neighbour = evidence.neighbour.as_ref()?;
    if neighbour.decision != Decision::Duplicate {
        return None;
    }
    Some(if neighbour.exact {
        JunkReason::ExactDuplicate
    } else {
        JunkReason::NearDuplicate
    })
}

fn is_unwanted_language(evidence: &Evidence, rules: &Rules) -> bool {
    // A page whose language nobody can tell is given the benefit of the doubt.
    evidence.language.as_ref().is_some_and(|language| {
        let primary = language.split('-').next().unwrap_or(language);
        !rules.languages.is_empty()
            && !rules.languages.iter().any(|wanted| {
                wanted.eq_ignore_ascii_case(language) || wanted.eq_ignore_ascii_case(primary)
            })
    })
}

fn is_off_topic(evidence: &Evidence, rules: &Rules) -> bool {
    match (evidence.relevance, rules.relevance_min) {
        (Some(relevance), Some(least)) => relevance < least,
        (Some(_) | None, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use simhash::{Fingerprint, Neighbour, Reason};

    fn page() -> Evidence {
        Evidence {
            status: 200,
            content: Content::Page,
            is_wall: false,
            words: 300,
            may_index: true,
            soft_404: false,
            listing: false,
            language: Some("zh".into()),
            relevance: Some(0.9),
            neighbour: None,
            same_layout: false,
        }
    }

    #[track_caller]
    fn check(evidence: &Evidence, rules: &Rules, name: &str) {
        match judge(evidence, rules) {
            Verdict::Index => assert_eq!(name, "index"),
            Verdict::Junk(reason) => assert_eq!(reason.name(), name),
        }
    }

    #[test]
    fn a_page_with_nothing_against_it_is_kept() {
        check(&page(), &Rules::default(), "index");
    }

    #[test]
    fn an_error_status_comes_before_everything() {
        check(
            &Evidence {
                status: 404,
                words: 0,
                may_index: false,
                ..page()
            },
            &Rules::default(),
            "error_page",
        );
    }

    #[test]
    fn a_wall_is_blocked_whatever_its_status_unless_walls_are_kept() {
        let wall = Evidence {
            status: 403,
            is_wall: true,
            may_index: false,
            ..page()
        };
        check(&wall, &Rules::default(), "blocked");
        let keeps = Rules {
            keep_walls: true,
            ..Rules::default()
        };
        check(&wall, &keeps, "error_page");
    }

    #[test]
    fn noindex_is_obeyed_unless_told_otherwise() {
        let evidence = Evidence {
            may_index: false,
            ..page()
        };
        check(&evidence, &Rules::default(), "noindex");
        check(
            &evidence,
            &Rules {
                obey_noindex: false,
                ..Rules::default()
            },
            "index",
        );
    }

    #[test]
    fn a_page_is_off_topic_below_the_threshold_only() {
        let rules = Rules {
            relevance_min: Some(0.5),
            ..Rules::default()
        };
        check(
            &Evidence {
                relevance: Some(0.49),
                ..page()
            },
            &rules,
            "off_topic",
        );
        check(
            &Evidence {
                relevance: Some(0.5),
                ..page()
            },
            &rules,
            "index",
        );
        check(
            &Evidence {
                relevance: None,
                ..page()
            },
            &rules,
            "index",
        );
    }

    #[test]
    fn a_language_matches_by_its_primary_subtag() {
        let rules = Rules {
            languages: vec!["zh".into()],
            ..Rules::default()
        };
        check(
            &Evidence {
                language: Some("zh-TW".into()),
                ..page()
            },
            &rules,
            "index",
        );
        check(
            &Evidence {
                language: Some("ja".into()),
                ..page()
            },
            &rules,
            "language",
        );
        check(
            &Evidence {
                language: None,
                ..page()
            },
            &rules,
            "index",
        );
    }

    #[test]
    fn a_thin_page_is_thin_before_it_is_anything_else() {
        check(&Evidence { words: 3, ..page() }, &Rules::default(), "thin");
    }

    /// A neighbour of this overlap and decision, with the very text or not.
    fn near(overlap: f32, exact: bool, decision: Decision) -> Neighbour {
        Neighbour {
            page: 1,
            fingerprint: Fingerprint(7),
            distance: 2,
            overlap,
            containment: None,
            table: 0,
            word_count: 300,
            exact,
            decision,
            reason: Reason::OverlapEnough,
        }
    }

    #[test]
    fn a_duplicate_is_exact_or_near_whole_or_in_part_in_the_same_layout_or_another() {
        let cases = [
            (1.0, true, true, "exact_duplicate", "full_layout"),
            (1.0, true, false, "exact_duplicate", "full_content"),
            (0.95, false, true, "near_duplicate", "full_layout"),
            (0.9, false, false, "near_duplicate", "full_content"),
            (0.89, false, true, "near_duplicate", "partial_layout"),
            (0.7, false, false, "near_duplicate", "partial_content"),
        ];
        for (overlap, exact, same_layout, name, kind) in cases {
            let evidence = Evidence {
                neighbour: Some(near(overlap, exact, Decision::Duplicate)),
                same_layout,
                ..page()
            };
            let Verdict::Junk(reason) = judge(&evidence, &Rules::default()) else {
                panic!("{evidence:?} was kept");
            };
            let neighbour = evidence.neighbour.as_ref().expect("given above");
            let found = crate::duplicate_kind(neighbour, same_layout);
            assert_eq!((reason.name(), found.name()), (name, kind));
        }
    }

    #[test]
    fn a_neighbour_that_is_refuted_or_not_confirmed_makes_no_duplicate() {
        for decision in [Decision::Refuted, Decision::Unconfirmed] {
            let evidence = Evidence {
                neighbour: Some(near(0.99, false, decision)),
                same_layout: true,
                ..page()
            };
            check(&evidence, &Rules::default(), "index");
        }
    }

    #[test]
    fn a_duplicate_is_one_before_its_language_and_topic_are_asked_and_after_it_is_thin() {
        let evidence = Evidence {
            neighbour: Some(near(1.0, true, Decision::Duplicate)),
            language: Some("ja".into()),
            relevance: Some(0.0),
            ..page()
        };
        let rules = Rules {
            languages: vec!["zh".into()],
            relevance_min: Some(0.5),
            ..Rules::default()
        };
        check(&evidence, &rules, "exact_duplicate");
        check(
            &Evidence {
                words: 3,
                ..evidence
            },
            &rules,
            "thin",
        );
    }
}
