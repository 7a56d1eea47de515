//! Which answers without a page count, by what other pages of the host answer.

use archive::AbsenceRecord;

use super::*;
use crate::units::Span;

const DAY_MS: u64 = 86_400_000;
const PAGE: &str = "http://a.example/p/1";
const OTHER: &str = "http://a.example/p/2";
const FRONT: &str = "http://a.example/";

/// A visit in a round of its own every third day; the history of a crawl of pages that were kept.
struct Rounds {
    history: History,
    seq: u64,
}

impl Rounds {
    fn of(pages: &[&str]) -> Self {
        let mut rounds = Self {
            history: History::with_dues(),
            seq: 0,
        };
        for url in pages {
            rounds.add(0, read(url));
        }
        rounds
    }

    fn add(&mut self, round: u32, event: Event) {
        self.seq += 1;
        let at_ms = DAY_MS * (1 + 3 * u64::from(round)) + self.seq;
        let (seq, history) = (self.seq, &mut self.history);
        history.add(&Record { seq, at_ms, event }, Position::START);
    }

    /// Plans the visit of a page and makes it: what it says of the page's absence is added to what counts.
    fn visit(&mut self, round: u32, url: &str, status: u16, change: Change, to: Option<&str>) {
        let due = self.due(url);
        let again = AgainRecord {
            round,
            urls: vec![due.clone()],
            ..AgainRecord::default()
        };
        self.add(round, Event::Again(again));
        let is_missing = matches!(change, Change::Unclear | Change::Moved) && status != 503;
        let at = to.map_or(0, hash_of);
        let mut absence = due.absence;
        if is_missing && absence.at != at {
            absence = AbsenceRecord::default();
        }
        if is_missing {
            (absence.answers, absence.at) = (absence.answers + 1, at);
            absence.last_ms = DAY_MS * (1 + 3 * u64::from(round));
        } else if change != Change::Unclear {
            absence = AbsenceRecord::default();
        }
        let target = to.map(|to| {
            let link = LinkRecord {
                url: to.into(),
                ..LinkRecord::default()
            };
            Box::new(PageRecord {
                links: vec![link],
                ..PageRecord::default()
            })
        });
        let visit = VisitRecord {
            url: url.into(),
            host: "a.example".into(),
            round,
            of: 1,
            was: INDEXED,
            change,
            absence,
            fetch: Some(FetchRecord {
                status,
                ..FetchRecord::default()
            }),
            page: target,
            ..VisitRecord::default()
        };
        self.add(round, Event::Visit(Box::new(visit)));
    }

    fn missing(&mut self, round: u32, url: &str) {
        self.visit(round, url, 404, Change::Unclear, None);
    }

    fn same(&mut self, round: u32, url: &str) {
        self.visit(round, url, 200, Change::Unchanged, None);
    }

    fn points(&mut self, round: u32, url: &str, to: &str) {
        self.visit(round, url, 302, Change::Moved, Some(to));
    }

    fn due(&self, url: &str) -> DueRecord {
        let judged = self.history.judge_absent(&AgainSection::default());
        DueRecord {
            url: url.into(),
            absence: judged.absence(hash_of(url)),
            ..DueRecord::default()
        }
    }

    fn counted(&self, url: &str) -> u32 {
        self.due(url).absence.answers
    }

    /// What a round asks for once more at its end.
    fn last(&self) -> Vec<String> {
        chosen(&self.history, &AgainSection::default(), Wanted::Orphans)
    }
}

fn ends(url: &str, status: u16, reason: JunkReason) -> Event {
    let mut page = page(url, Outcome::Judged(Verdict::Junk(reason)));
    page.fetch = Some(FetchRecord {
        status,
        ..FetchRecord::default()
    });
    if status != 200 {
        page.page = None;
    }
    Event::Page(Box::new(page))
}

#[test]
fn an_answer_counts_where_another_page_answered_as_itself_in_its_round() {
    let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
    rounds.missing(1, PAGE);
    assert_eq!(rounds.counted(PAGE), 0);
    rounds.same(1, OTHER);
    assert_eq!(rounds.counted(PAGE), 1);
    rounds.missing(2, PAGE);
    assert!(rounds.last().is_empty());
    rounds.same(2, OTHER);
    assert_eq!(rounds.last(), [PAGE]);
}

#[test]
fn what_all_pages_of_a_host_answer_but_the_front_page_says_nothing_of_any() {
    let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
    for round in 1..9 {
        rounds.missing(round, PAGE);
        rounds.missing(round, OTHER);
        rounds.same(round, FRONT);
        assert!(rounds.last().is_empty(), "{round}");
    }
    // When the host is well again, the last of them may count, but alone makes nothing gone.
    rounds.same(9, OTHER);
    rounds.missing(10, PAGE);
    assert!(rounds.last().is_empty());
}

#[test]
fn a_page_that_is_alone_on_its_host_goes_by_its_own_answers() {
    let mut rounds = Rounds::of(&[PAGE]);
    rounds.missing(1, PAGE);
    rounds.missing(2, PAGE);
    assert_eq!(rounds.last(), [PAGE]);
    let mut rounds = Rounds::of(&[FRONT, PAGE]);
    for round in 1..3 {
        rounds.missing(round, PAGE);
        rounds.same(round, FRONT);
    }
    assert_eq!(rounds.last(), [PAGE]);
}

#[test]
fn a_host_without_a_witness_for_longer_than_the_longest_pause_is_gone() {
    let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
    for round in 1..31 {
        rounds.missing(round, PAGE);
        rounds.missing(round, OTHER);
    }
    assert_eq!(rounds.counted(PAGE), 0);
    // `max` is 90 days.
    for round in 31..33 {
        rounds.missing(round, PAGE);
        rounds.missing(round, OTHER);
    }
    assert_eq!(rounds.last(), [PAGE, OTHER]);
}

#[test]
fn an_answer_that_says_nothing_leaves_what_counts_as_it_is() {
    let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
    rounds.missing(1, PAGE);
    rounds.same(1, OTHER);
    rounds.visit(2, PAGE, 503, Change::Unclear, None);
    rounds.same(2, OTHER);
    assert_eq!(rounds.counted(PAGE), 1);
    rounds.same(3, PAGE);
    assert_eq!(rounds.counted(PAGE), 0);
}

#[test]
fn a_redirect_inherits_what_became_of_its_target() {
    let login = "http://a.example/in";
    for (to, end, is_gone) in [
        (
            "http://a.example/new/1",
            Some(ends("http://a.example/new/1", 404, JunkReason::ErrorPage)),
            true,
        ),
        (
            "http://a.example/new/1",
            Some(ends("http://a.example/new/1", 403, JunkReason::ErrorPage)),
            false,
        ),
        (
            "http://a.example/e",
            Some(ends("http://a.example/e", 200, JunkReason::SoftNotFound)),
            true,
        ),
        (
            "http://a.example/new/1",
            Some(ends("http://a.example/new/1", 200, JunkReason::NoIndex)),
            true,
        ),
        // It has another name, and may be a login that asks to be left out.
        (login, Some(ends(login, 200, JunkReason::NoIndex)), false),
        (login, Some(ends(login, 200, JunkReason::Thin)), false),
        (FRONT, None, true),
        (OTHER, None, false),
        ("http://a.example/nowhere", None, false),
    ] {
        let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
        for round in 1..3 {
            // It is asked for again in each round.
            if let Some(end) = end.clone() {
                rounds.add(round, end);
            }
            rounds.points(round, PAGE, to);
            rounds.same(round, OTHER);
            rounds.same(round, FRONT);
        }
        assert_eq!(rounds.last() == [PAGE], is_gone, "{to}");
    }
}

#[test]
fn a_front_page_to_which_all_pages_point_counts_only_as_long_as_it_and_another_page_are_themselves()
{
    for (is_front_well, is_other_well) in [(true, false), (false, true), (false, false)] {
        let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
        for round in 1..9 {
            rounds.points(round, PAGE, FRONT);
            match is_other_well {
                true => rounds.same(round, OTHER),
                false => rounds.points(round, OTHER, FRONT),
            }
            if is_front_well {
                rounds.same(round, FRONT);
            }
        }
        assert!(rounds.last().is_empty());
    }
}

/// Where a page is to give its place up after redirects to there.
fn gives_way_to(rounds: &Rounds, url: &str) -> bool {
    let settings = AgainSection {
        min: Span::seconds(0),
        ..AgainSection::default()
    };
    let choice = rounds
        .history
        .choose(&settings, Wanted::Round, 9, 100 * DAY_MS);
    let due = rounds
        .history
        .due(&choice.pages, 9, &crate::dir::CrawlDir::new("none"));
    due.iter().any(|due| due.url == url && due.moved_to != 0)
}

#[test]
fn a_redirect_that_is_not_for_good_is_so_once_it_has_stayed() {
    let to = "http://a.example/new/1";
    let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER, to]);
    rounds.points(1, PAGE, to);
    assert!(!gives_way_to(&rounds, PAGE));
    rounds.points(2, PAGE, to);
    assert!(gives_way_to(&rounds, PAGE));
    // Its target is there, so it is not gone.
    assert!(rounds.last().is_empty());
    rounds.points(2, OTHER, to);
    assert!(!gives_way_to(&rounds, PAGE));
}

#[test]
fn a_login_is_no_place_to_which_pages_move() {
    for to in [
        "http://a.example/login",
        "http://a.example/x?next=/p/1",
        "http://sso.a.example/x",
    ] {
        let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER, to]);
        for round in 1..9 {
            rounds.points(round, PAGE, to);
            rounds.same(round, OTHER);
        }
        assert!(
            !gives_way_to(&rounds, PAGE) && rounds.last().is_empty(),
            "{to}"
        );
    }
}

#[test]
fn one_answer_of_a_target_is_not_enough_unless_it_says_that_it_is_for_good() {
    let to = "http://a.example/new/1";
    for (status, is_gone) in [(404, false), (410, true)] {
        let mut rounds = Rounds::of(&[FRONT, PAGE, OTHER]);
        rounds.add(1, ends(to, status, JunkReason::ErrorPage));
        for round in 1..3 {
            rounds.points(round, PAGE, to);
            rounds.same(round, OTHER);
        }
        assert_eq!(rounds.last() == [PAGE], is_gone, "{status}");
        // It is asked for again, since the page points there.
        let unread =
            rounds
                .history
                .choose(&AgainSection::default(), Wanted::Round, 3, 100 * DAY_MS);
        assert_eq!(unread.unread.len(), 1);
    }
}
