//! The wire names, pinned: a change here is a change of the archive's format.

use crate::*;

#[track_caller]
fn check(names: impl IntoIterator<Item = String>, pinned: &str) {
    let names: Vec<String> = names.into_iter().collect();
    assert_eq!(names.join(" "), pinned);
}

fn names<T: ToString>(known: &[T]) -> Vec<String> {
    known.iter().map(T::to_string).collect()
}

#[test]
fn wire_names_are_pinned() {
    check(
        names(JunkReason::KNOWN),
        "blocked error_page unsupported_type noindex soft_404 thin listing exact_duplicate \
         near_duplicate language off_topic",
    );
    check(
        Refusal::NAMES.map(String::from),
        "robots guard trap duplicate_foreseen barren left_out host_gone walled",
    );
    check(
        names(Trap::KNOWN),
        "trap_calendar trap_endless_numbers trap_same_content trap_long_path trap_deep_path \
         trap_repeated_segment trap_long_query trap_nested_url trap_host_pool",
    );
    check(
        names(FailureKind::KNOWN),
        "dns guard connect tls timeout reset too_large protocol bad_url proxy truncated encoding \
         unreadable bad_redirect redirect_loop too_many_redirects",
    );
    check(
        names(LinkFate::KNOWN),
        "new seen nofollow duplicate wall scope depth not_included excluded budget_seed budget_host \
         budget_hosts bad_url scheme userinfo url_length",
    );
    check(
        names(PageType::KNOWN),
        "article forum product collection listing documentation service front_page other wall",
    );
    check(
        names(WallKind::KNOWN),
        "bot human rate_limit consent login parked coming_soon",
    );
    check(
        names(DuplicateKind::KNOWN),
        "full_layout full_content partial_layout partial_content",
    );
    check(
        names(NeighbourDecision::KNOWN),
        "duplicate refuted unconfirmed replaced",
    );
    check(
        names(OutcomeKind::KNOWN),
        "judged redirected not_modified refused failed",
    );
    check(
        names(RobotsAnswer::KNOWN),
        "parsed allow_all disallow_all outage",
    );
    check(
        names(SitemapKind::KNOWN),
        "urlset index text rss atom json ",
    );
    check(names(Truncation::KNOWN), "bytes time disconnect");
    check(
        names(StopReason::KNOWN),
        "drained max_pages max_time interrupted reloaded harvest no_topic hosts_unreachable handed_over disk_full error",
    );
}

#[test]
fn wire_names_of_url_states_are_pinned() {
    check(
        names(UrlState::KNOWN),
        "pending indexed junk redirected not_modified refused failed sitemap left_out unknown",
    );
}

#[test]
fn names_are_read_back_and_foreign_ones_are_kept() {
    fn check<T>(known: &[T])
    where
        T: for<'n> From<&'n str> + ToString + PartialEq + std::fmt::Debug,
    {
        for value in known {
            assert_eq!(&T::from(value.to_string().as_str()), value);
        }
        assert_eq!(T::from("comet").to_string(), "comet");
        assert!(!known.contains(&T::from("comet")));
    }
    check(JunkReason::KNOWN);
    check(Trap::KNOWN);
    check(FailureKind::KNOWN);
    check(&[FailureKind::Http(503), FailureKind::Http(429)]);
    check(LinkFate::KNOWN);
    check(
        &Trap::KNOWN
            .iter()
            .cloned()
            .map(LinkFate::Trap)
            .collect::<Vec<_>>(),
    );
    check(PageType::KNOWN);
    check(DuplicateKind::KNOWN);
    check(NeighbourDecision::KNOWN);
    check(OutcomeKind::KNOWN);
    check(RobotsAnswer::KNOWN);
    check(SitemapKind::KNOWN);
    check(Truncation::KNOWN);
    check(StopReason::KNOWN);
    check(UrlState::KNOWN);
}

#[test]
fn a_failure_by_status_is_spelt_in_one_way() {
    assert_eq!(FailureKind::from("http_503"), FailureKind::Http(503));
    for other in ["http_", "http_5", "http_0503", "http_x"] {
        assert_eq!(FailureKind::from(other), FailureKind::Unknown(other.into()));
    }
}
