//! What is told of changes, from made-up records.

use archive::{AgainRecord, NeighbourRecord, PageRecord, PageSummary};
use outcome::{JunkReason, Outcome, Verdict};

use super::*;

fn place(offset: u64) -> BodyRef {
    BodyRef {
        offset,
        ..BodyRef::default()
    }
}

fn page(url: &str, text: u64) -> PageRecord {
    PageRecord {
        url: url.into(),
        outcome: Outcome::Judged(Verdict::Index),
        page: Some(PageSummary::default()),
        text: Some(place(text)),
        ..PageRecord::default()
    }
}

fn told(events: Vec<Event>) -> (Vec<RoundCounts>, Vec<String>, Vec<String>) {
    let mut changes = Changes::since(Some(0));
    for (at, event) in events.into_iter().enumerate() {
        let seq = at as u64 + 1;
        changes.add(&Record {
            seq,
            at_ms: seq,
            event,
        });
    }
    let rounds = changes.rounds().copied().collect();
    let unanswered = changes.unanswered();
    let rows = changes.rows(|_| None);
    let rows = rows.map(|row| row.change.name().to_string()).collect();
    (rounds, rows, unanswered)
}

fn round(round: u32) -> Event {
    Event::Again(AgainRecord {
        round,
        ..AgainRecord::default()
    })
}

fn visit(change: Change, detail: &str, reason: Option<&str>) -> Event {
    Event::Visit(Box::new(VisitRecord {
        url: "http://a.example/1".into(),
        change,
        detail: Some(detail.into()),
        reason: reason.map(str::to_owned),
        ..VisitRecord::default()
    }))
}

#[test]
fn one_visit_is_one() {
    let line = |visited| {
        let round = RoundCounts {
            round: 1,
            visited,
            ..RoundCounts::default()
        };
        round.line()
    };
    assert!(line(1).starts_with("round 1: 1 visit ("), "{}", line(1));
    assert!(line(2).starts_with("round 1: 2 visits ("), "{}", line(2));
}

#[test]
fn what_is_unclear_is_told_by_the_rule_of_absence() {
    let why = |status: u16, answers: u32, gone: bool, rule: GoneRule| {
        let visit = VisitRecord {
            detail: Some(format!("status {status}")),
            fetch: Some(archive::FetchRecord {
                status,
                ..archive::FetchRecord::default()
            }),
            absence: archive::AbsenceRecord {
                answers,
                last_ms: 1_700_000_000_000,
                gone,
                at: 0,
            },
            ..VisitRecord::default()
        };
        why_unclear(&visit, rule)
    };
    let usual = GoneRule::default();
    let once = why(404, 1, false, usual);
    assert!(
        once.starts_with("status 404: not yet gone") && once.contains("takes 2 such answers"),
        "{once}"
    );
    assert!(
        once.ends_with("this makes 1, and the next counts from 2023-11-15 22:13:20 UTC on"),
        "{once}"
    );
    let strict = GoneRule {
        answers: 5,
        apart_ms: 0,
    };
    assert!(why(410, 3, false, strict).contains("takes 5 such answers"));
    for status in [0, 200, 503] {
        let told = why(status, 0, false, usual);
        assert!(told.contains("says nothing of the page"), "{told}");
    }
}

#[test]
fn the_rule_of_absence_is_that_of_the_last_start() {
    let mut changes = Changes::since(Some(0));
    assert_eq!(changes.gone, GoneRule::default());
    let config = serde_json::json!({"again": {"gone_answers": 7, "gone_apart": "2h"}});
    changes.add(&Record {
        seq: 1,
        at_ms: 1,
        event: Event::Start(archive::StartRecord {
            config,
            ..archive::StartRecord::default()
        }),
    });
    assert_eq!(
        (changes.gone.answers, changes.gone.apart_ms),
        (7, 7_200_000)
    );
}

#[test]
fn a_page_that_points_where_it_did_is_told_once() {
    let to = |target: &str| visit(Change::Moved, target, None);
    let (rounds, rows, _) = told(vec![
        round(1),
        to("x"),
        round(2),
        to("x"),
        visit(Change::Unclear, "busy", Some("http_503")),
        to("x"),
        round(3),
        to("y"),
    ]);
    assert_eq!(rows, ["moved", "unclear", "moved"]);
    let counts: Vec<_> = rounds.iter().map(|r| (r.moved, r.unchanged)).collect();
    assert_eq!(counts, [(1, 0), (0, 2), (1, 0)]);
}

fn dropped(url: &str, reason: JunkReason, detail: Option<&str>) -> PageRecord {
    PageRecord {
        outcome: Outcome::Judged(Verdict::Junk(reason)),
        detail: detail.map(str::to_owned),
        nearest: Some(NeighbourRecord {
            url: "http://a.example/1".into(),
            ..NeighbourRecord::default()
        }),
        ..page(url, 9)
    }
}

#[test]
fn a_new_page_that_is_not_kept_is_told_with_why() {
    let mut changes = Changes::since(None);
    let copy = dropped("http://a.example/2", JunkReason::NearDuplicate, None);
    let far = dropped(
        "http://a.example/3",
        JunkReason::OffTopic,
        Some("relevance 0.10"),
    );
    let missing = PageRecord {
        page: None,
        ..dropped(
            "http://a.example/4",
            JunkReason::ErrorPage,
            Some("status 404"),
        )
    };
    let pages = [copy, far, missing].map(|page| Event::Page(Box::new(page)));
    for (at, event) in [round(1)].into_iter().chain(pages).enumerate() {
        let seq = at as u64 + 1;
        changes.add(&Record {
            seq,
            at_ms: seq,
            event,
        });
    }
    let counts = *changes.rounds().next().unwrap();
    assert_eq!((counts.new, counts.dropped), (0, 2));
    assert!(
        counts.line().ends_with("; 2 new pages, none kept"),
        "{}",
        counts.line()
    );
    let why: Vec<_> = changes.rows(|_| None).map(|row| row.why.unwrap()).collect();
    assert_eq!(
        why,
        [
            "near duplicate of http://a.example/1",
            "off topic (relevance 0.10)"
        ]
    );
}

#[test]
fn a_round_for_which_no_page_was_due_says_when_the_first_is() {
    let early = RoundCounts {
        round: 2,
        next_ms: 1_700_000_000_000,
        ..RoundCounts::default()
    };
    let line = early.line();
    assert!(
        line.contains("2023-11-14 22:13:20 UTC") && line.contains("[again]"),
        "{line}"
    );
    assert!(
        !RoundCounts {
            planned: 3,
            visited: 3,
            ..early
        }
        .was_early()
    );
}

#[test]
fn another_fate_is_told_from_what_to_what() {
    let of = |was: Option<JunkReason>, now: PageRecord| {
        let was = was.map_or(Verdict::Index, Verdict::Junk);
        another_fate(&VisitRecord {
            was: Outcome::Judged(was),
            page: Some(Box::new(now)),
            ..VisitRecord::default()
        })
    };
    let url = "http://a.example/2";
    let language = || dropped(url, JunkReason::Language, Some("language fr, wanted zh"));
    assert_eq!(of(None, page(url, 9)), None);
    let now = "language (language fr, wanted zh)";
    assert_eq!(of(None, language()).unwrap(), now);
    assert_eq!(
        of(Some(JunkReason::NearDuplicate), language()).unwrap(),
        format!("dropped before: near duplicate; now: {now}")
    );
    assert_eq!(
        of(Some(JunkReason::Language), language()).unwrap(),
        format!("dropped as before: {now}")
    );
    assert_eq!(
        of(Some(JunkReason::Thin), page(url, 9)).unwrap(),
        "dropped before: thin"
    );
}

#[test]
fn a_page_that_is_judged_anew_in_a_round_is_told_as_it_is_at_its_end() {
    let urls = [
        "http://a.example/2",
        "http://a.example/3",
        "http://a.example/4",
    ];
    let kept = Outcome::Judged(Verdict::Index);
    let copy = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
    let visited = |url: &str, change: Change, was: &Outcome, now: &Outcome| {
        let page = match now == &kept {
            true => page(url, 9),
            false => dropped(url, JunkReason::NearDuplicate, None),
        };
        Event::Visit(Box::new(VisitRecord {
            url: url.into(),
            change,
            was: was.clone(),
            page: Some(Box::new(page)),
            ..VisitRecord::default()
        }))
    };
    let mut changes = Changes::since(None);
    for (event, seq) in [
        round(1),
        // A copy for a moment; a copy for good; one that was a copy, and is judged as before.
        visited(urls[0], Change::Changed, &kept, &copy),
        visited(urls[0], Change::Unchanged, &copy, &kept),
        visited(urls[1], Change::Unchanged, &copy, &kept),
        visited(urls[2], Change::Unchanged, &copy, &copy),
    ]
    .into_iter()
    .zip(1..)
    {
        let at_ms = seq;
        changes.add(&Record { seq, at_ms, event });
    }
    let rows: Vec<ChangeRow> = changes.rows(|_| None).collect();
    let told = rows.iter().map(|row| {
        (
            row.url.as_str(),
            &row.change,
            row.was_kept,
            row.is_kept,
            row.why.as_deref(),
        )
    });
    let expected = [
        (urls[0], &Change::Changed, true, true, None),
        (
            urls[1],
            &Change::Unchanged,
            false,
            true,
            Some("dropped before: near duplicate"),
        ),
    ];
    assert!(told.eq(expected), "{rows:?}");
}

#[test]
fn visits_of_which_none_was_answered_are_told_with_their_mend() {
    let refused = || {
        visit(
            Change::Unclear,
            "127.0.0.1 is a loopback address",
            Some("guard"),
        )
    };
    let (_, rows, lines) = told(vec![round(1), refused(), refused()]);
    assert_eq!(rows, ["unclear", "unclear"]);
    assert!(lines[1].contains("guard (2 URLs)") && lines[1].contains("--allow-private"));
    let start = Event::Start(archive::StartRecord::default());
    assert!(told(vec![round(1), refused(), start]).2.is_empty());
}

#[test]
fn changes_are_told_with_the_lines_that_differ_and_counted_by_round() {
    let mut changes = Changes::since(None);
    let visit = VisitRecord {
        url: "http://a.example/1".into(),
        of: 1,
        was: Outcome::Judged(Verdict::Index),
        change: Change::Changed,
        page: Some(Box::new(page("http://a.example/1", 4))),
        ..VisitRecord::default()
    };
    let round = AgainRecord {
        round: 1,
        ..AgainRecord::default()
    };
    let events = [
        Event::Page(Box::new(page("http://a.example/1", 1))),
        Event::Again(round),
        Event::Page(Box::new(page("http://a.example/2", 3))),
        Event::Visit(Box::new(visit)),
    ];
    for (at, event) in events.into_iter().enumerate() {
        let seq = at as u64 + 1;
        changes.add(&Record {
            seq,
            at_ms: seq,
            event,
        });
    }
    let counts = *changes.rounds().next().unwrap();
    assert_eq!((counts.new, counts.changed, counts.visited), (1, 1, 1));
    let text = |place: &BodyRef| {
        let texts = [
            (1, "same line\nold words here"),
            (4, "same line\nquite other words now"),
        ];
        let found = texts.iter().find(|(at, _)| *at == place.offset);
        found.map(|(_, text)| (*text).to_owned())
    };
    let rows: Vec<ChangeRow> = changes.rows(text).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(
        (&rows[0].change, rows[0].url.as_str()),
        (&Change::New, "http://a.example/2")
    );
    assert_eq!(rows[1].before.as_deref(), Some("old words here"));
    assert_eq!(rows[1].after.as_deref(), Some("quite other words now"));
}

#[test]
fn an_error_page_that_had_never_been_kept_is_new_when_it_is_there_and_not_back() {
    let (url, kept) = ("http://a.test/x", "http://a.test/kept");
    let changes_of = |reason: &str, was_kept: bool| {
        let mut journal = crate::journal::Journal::default();
        journal.start();
        journal.event(Event::Again(archive::AgainRecord {
            round: 1,
            ..archive::AgainRecord::default()
        }));
        let of = if was_kept { kept } else { url };
        if was_kept {
            journal.event(Event::Visit(Box::new(VisitRecord {
                url: of.into(),
                was: Outcome::Judged(Verdict::Index),
                change: Change::Gone,
                ..VisitRecord::default()
            })));
        }
        journal.event(Event::Retry(archive::RetryRecord {
            urls: vec![of.into()],
            origins: vec![archive::RetryOrigin {
                outcome: outcome::OutcomeKind::Judged,
                ..archive::RetryOrigin::default()
            }],
            ..archive::RetryRecord::default()
        }));
        journal.page(crate::journal::judged(of, "t", "en", 0.9, reason));
        let mut changes = Changes::since(Some(0));
        journal
            .records
            .iter()
            .for_each(|record| changes.add(record));
        let rows = changes
            .rows(|_| None)
            .filter(|row| row.change != Change::Gone);
        rows.map(|row| row.change).collect::<Vec<_>>()
    };
    assert_eq!(changes_of("", false), [Change::New]);
    assert_eq!(changes_of("", true), [Change::Back]);
    // What still reads like an error page was told as back.
    assert_eq!(changes_of("soft_404", false), []);
}
