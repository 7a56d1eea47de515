//! Visits to a small site, one answer after the other.

use archive::{AgainRecord, Event, Record};
use frontier::FrontierConfig;

use super::*;
use crate::testing::{NOW_MS, apply, found, lease, policy, read, state};

const SEED: &str = "http://a.example/";
const DAY_MS: u64 = 86_400_000;
const TEXT: &str = "A planner chooses between an index scan and a sequential scan by what it knows of the \
    table: how many rows it has, how they are spread, and which of them the query wants.";
const OTHER: &str = "Dead rows stay in their table until a vacuum takes them out, and as long as they stay \
    every scan has to read past them, whatever the query asks for.";

/// A crawl of one page, with its journal.
struct Crawl {
    state: State,
    journal: Vec<Record>,
    turn: u64,
}

impl Crawl {
    fn of(text: &str) -> Self {
        let mut crawl = Self {
            state: new_state(),
            journal: Vec::new(),
            turn: 0,
        };
        crawl.fetch(page(text), 200, None);
        crawl
    }

    /// Fetches the URL whose turn it is; gives the record.
    fn fetch(&mut self, reading: Reading, status: u16, before: Option<&str>) -> Record {
        let lease = lease(&self.state, self.turn);
        self.turn += 1;
        let mut finding = found(lease, reading, status);
        if let crate::Finding::Url(url) = &mut finding {
            url.before = before.map(|text| Before {
                text: text.to_owned(),
                shown: None,
            });
        }
        let now_ms = NOW_MS + self.turn * DAY_MS;
        let decided = self.state.decide(finding, now_ms).expect("in memory");
        let record = decided.record;
        apply(&mut self.state, &record);
        let settled = crate::Decided::settled(decided.lease.expect("a lease"), &record);
        let mut queue = self.state.queue().lock();
        queue.frontier.settle(settled).expect("in memory");
        drop(queue);
        self.journal.push(record.clone());
        record
    }

    /// Comes back to the page as the last records have it.
    fn visit(&mut self, reading: Reading, status: u16, before: &str) -> VisitRecord {
        let mut due = DueRecord {
            url: SEED.into(),
            round: 1,
            priority: 3.0,
            ..DueRecord::default()
        };
        for record in &self.journal {
            let (page, outcome) = match &record.event {
                Event::Page(page) => (Some(&**page), Some(page.outcome.clone())),
                Event::Visit(visit) => {
                    due.absence = visit.absence;
                    due.parts.clone_from(&visit.parts);
                    (visit.version(), visit.outcome())
                }
                _ => continue,
            };
            due.was = outcome.unwrap_or(due.was);
            if let Some(summary) = page.and_then(|page| page.page.as_ref()) {
                due.of = record.seq;
                due.digest.clone_from(&summary.digest);
                due.fingerprint.clone_from(&summary.fingerprint);
            }
        }
        let event = Event::Again(AgainRecord {
            round: 1,
            urls: vec![due],
            ..AgainRecord::default()
        });
        let record = self.state.record(event, NOW_MS);
        apply(&mut self.state, &record);
        self.journal.push(record);
        let Event::Visit(visit) = self.fetch(reading, status, Some(before)).event else {
            panic!("a URL that was read is visited");
        };
        *visit
    }

    /// What a state that begins anew has after the journal.
    #[track_caller]
    fn replays(&self) {
        let mut again = new_state();
        self.journal
            .iter()
            .for_each(|record| apply(&mut again, record));
        assert_eq!(again.kept.numbers(), self.state.kept.numbers());
        assert_eq!(again.counts(), self.state.counts());
        let counts = |state: &State| state.queue().lock().frontier.counts();
        assert_eq!(counts(&again).finished, counts(&self.state).finished);
        assert_eq!(counts(&again).pending, counts(&self.state).pending);
    }
}

fn new_state() -> State {
    let policy = crate::Policy {
        scope: frontier::ScopeConfig {
            hosts: Vec::new(),
            ..policy().scope
        },
        ..policy()
    };
    state(policy, FrontierConfig::default(), SEED)
}

fn page(text: &str) -> Reading {
    let html = format!("<html><body><article><h1>Rows</h1><p>{text}</p></article></body></html>");
    let url = SEED.parse().expect("a URL");
    Reading::Page(Box::new(read(&html, &url)))
}

fn missing() -> Reading {
    Reading::NoPage { payload: 0 }
}

fn busy() -> Reading {
    Reading::Failed {
        kind: FailureKind::Http(503),
        detail: "busy".into(),
        transient: false,
    }
}

#[test]
fn what_stood_on_the_page_before_is_no_change() {
    let mut visit = VisitRecord::default();
    let now = PageRecord {
        page: Some(archive::PageSummary {
            digest: "of both texts".into(),
            ..archive::PageSummary::default()
        }),
        ..PageRecord::default()
    };
    let after = format!("Rows\n{TEXT}\n{OTHER}");
    let mut change = |pages: Option<(&str, &str)>| {
        let before = Before {
            text: format!("Rows\n{TEXT}"),
            shown: pages.map(|(then, now)| again::Shown::of(then, now)),
        };
        compare(
            &mut visit,
            &DueRecord::default(),
            &now,
            Some(&before),
            &after,
        );
        visit.change.clone()
    };
    assert_eq!(change(None), Change::Changed);
    assert_eq!(change(Some((TEXT, &after))), Change::Changed);
    assert_eq!(change(Some((&after, &after))), Change::Touched);
}

#[test]
fn a_page_that_changed_takes_the_place_of_its_earlier_version() {
    let mut crawl = Crawl::of(TEXT);
    let before = crawl.state.kept.numbers();
    let visit = crawl.visit(page(OTHER), 200, TEXT);
    assert_eq!(visit.change, Change::Changed);
    let now = crawl.state.kept.numbers();
    assert_eq!((before.len(), now.len()), (1, 1));
    assert!(now[0] > before[0]);
    assert_eq!(
        (crawl.state.counts().indexed, crawl.state.counts().pending()),
        (1, 0)
    );
    crawl.replays();
}

#[test]
fn a_kept_page_does_not_go_by_one_empty_answer() {
    let mut crawl = Crawl::of(TEXT);
    let before = crawl.state.kept.numbers();
    let visit = crawl.visit(page("Moment, please."), 200, TEXT);
    assert_eq!(visit.change, Change::Unclear);
    assert_eq!(visit.reason.as_deref(), Some("thin"));
    assert_eq!(visit.absence.answers, 1);
    assert_eq!(crawl.state.kept.numbers(), before);
    let visit = crawl.visit(page(TEXT), 200, TEXT);
    assert_eq!(
        (visit.change, visit.absence.answers),
        (Change::Unchanged, 0)
    );
    crawl.visit(page("Moment, please."), 200, TEXT);
    let visit = crawl.visit(page("Moment, please."), 200, TEXT);
    assert!(visit.awaits && visit.change == Change::Unclear);
    let visit = crawl.visit(page("Moment, please."), 200, TEXT);
    assert_eq!(visit.change, Change::Changed);
    assert!(crawl.state.kept.numbers().is_empty());
    crawl.replays();
}

#[test]
fn a_page_that_came_in_part_says_nothing_and_says_so() {
    // It was told with its content type for a reason.
    let mut crawl = Crawl::of(TEXT);
    let Reading::Page(mut part) = page("A planner chooses") else {
        panic!("a page");
    };
    part.cut = Some("the body ended before its announced end");
    let visit = crawl.visit(Reading::Page(part), 200, TEXT);
    assert_eq!(visit.change, Change::Unclear);
    assert_eq!(visit.reason.as_deref(), Some("truncated"));
    let told = visit.detail.expect("a reason");
    assert_eq!(told, "the body ended before its announced end");
    crawl.replays();
}

#[test]
fn a_page_is_no_duplicate_of_its_own_earlier_version() {
    let mut crawl = Crawl::of(TEXT);
    let longer =
        format!("{TEXT} It asks for statistics first, which are made by a sample of all rows.");
    let visit = crawl.visit(page(&longer), 200, TEXT);
    let version = visit.version().expect("another version");
    assert!(version.outcome.is_indexed(), "{:?}", version.outcome);
    crawl.replays();
}

#[test]
fn a_part_that_was_another_at_the_visit_before_too_only_touches_a_page() {
    let html = |quote: &str| format!("{TEXT}</p><p>{quote}</p><p>{OTHER}");
    let text = |html: &str| html.replace("</p><p>", "\n");
    let quotes = [
        "Whoever walks slowly sees more of the garden than a horse does.",
        "No letter was ever lost that a friend had written in anger.",
        "Between two rivers there is always a bridge that nobody uses.",
    ];
    let quotes = quotes.map(html);
    let mut crawl = Crawl::of(&quotes[0]);
    let first = crawl.visit(page(&quotes[1]), 200, &text(&quotes[0]));
    assert_eq!(first.change, Change::Changed);
    let second = crawl.visit(page(&quotes[2]), 200, &text(&quotes[1]));
    assert_eq!(
        (second.change, second.page.is_none()),
        (Change::Touched, true)
    );
    let stays = crawl.visit(page(&quotes[2]), 200, &text(&quotes[1]));
    assert_eq!(
        (stays.change, stays.page.is_some()),
        (Change::Changed, true)
    );
    crawl.replays();
}

#[test]
fn what_is_unchanged_or_touched_leaves_everything_as_it_was() {
    let mut crawl = Crawl::of(TEXT);
    let kept = crawl.state.kept.numbers();
    let same = crawl.visit(page(TEXT), 200, TEXT);
    let not_modified = crawl.visit(Reading::NotModified, 304, TEXT);
    let touched = crawl.visit(
        page(&TEXT.replace("spread", "scattered")),
        200,
        &format!("Rows\n{TEXT}"),
    );
    let changes = [same, not_modified, touched].map(|visit| (visit.change, visit.page.is_none()));
    assert_eq!(changes[0], (Change::Unchanged, true));
    assert_eq!(changes[1], (Change::Unchanged, true));
    assert_eq!(changes[2], (Change::Touched, true));
    assert_eq!(crawl.state.kept.numbers(), kept);
    crawl.replays();
}

#[test]
fn a_wall_in_the_place_of_a_page_says_nothing() {
    let mut crawl = Crawl::of(TEXT);
    let kept = crawl.state.kept.numbers();
    let html = "<title>Just a moment...</title><h1>Checking your browser before accessing a.example</h1>\
        <p>Please enable JavaScript and cookies to continue.<script src=/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1></script>";
    let url = SEED.parse().expect("a URL");
    let wall = || Reading::Page(Box::new(read(html, &url)));
    for _ in 0..3 {
        assert_eq!(crawl.visit(wall(), 404, TEXT).change, Change::Unclear);
    }
    let visit = crawl.visit(wall(), 200, TEXT);
    assert_eq!(visit.change, Change::Unclear);
    assert!(
        visit
            .detail
            .is_some_and(|detail| detail.contains("bot") || detail.contains("human"))
    );
    assert_eq!(crawl.state.kept.numbers(), kept);
    crawl.replays();
}

#[test]
fn after_two_answers_of_404_the_next_makes_a_page_gone_and_no_error_does() {
    let mut crawl = Crawl::of(TEXT);
    for _ in 0..3 {
        assert_eq!(crawl.visit(busy(), 503, TEXT).change, Change::Unclear);
    }
    assert_eq!(crawl.visit(missing(), 404, TEXT).change, Change::Unclear);
    assert!(crawl.visit(missing(), 410, TEXT).awaits);
    assert!(crawl.state.counts().copies_wait);
    assert_eq!(crawl.state.kept.numbers().len(), 1);
    assert_eq!(crawl.visit(busy(), 503, TEXT).absence.answers, 2);
    assert_eq!(crawl.visit(missing(), 404, TEXT).change, Change::Gone);
    assert!(crawl.state.kept.numbers().is_empty());
    assert_eq!(crawl.state.counts().indexed, 0);
    crawl.replays();
    // Without a page it is not there again.
    crawl.visit(Reading::NotModified, 304, TEXT);
    assert!(crawl.state.kept.numbers().is_empty());
    assert_eq!(crawl.visit(page(TEXT), 200, TEXT).change, Change::Back);
    assert_eq!(crawl.state.kept.numbers().len(), 1);
    crawl.replays();
}

fn redirect(to: &str) -> Reading {
    let target = frontier::Canonicaliser::default().canonical(&to.parse().expect("a URL"));
    Reading::Redirect(Ok(target.expect("canonical")))
}

#[test]
fn what_a_visit_is_led_to_waits_among_links_and_not_among_visits() {
    let mut crawl = Crawl::of(TEXT);
    let visit = crawl.visit(redirect("http://a.example/b"), 301, TEXT);
    assert_eq!(visit.change, Change::Moved);
    let link = &visit.page.as_ref().expect("where it leads").links[0];
    assert_eq!(link.fate, LinkFate::New);
    assert_eq!(link.promise, crawl.state.reach.priority_of_seed(0));
    assert!(!visit.opens);
    crawl.replays();
}

#[test]
fn what_a_visit_is_led_to_leads_out_of_the_scope_no_more_than_the_visit_itself() {
    // A login within the scope led to one elsewhere, which was taken for where a seed leads at its first read.
    let mut crawl = Crawl::of(TEXT);
    crawl.visit(redirect("http://a.example/login"), 302, TEXT);
    for to in ["http://a.example/login/2", "http://sso.test/"] {
        let record = crawl.fetch(redirect(to), 302, None);
        let Event::Page(page) = record.event else {
            panic!("it is read for the first time");
        };
        let waits = crate::retry::origin(&page);
        assert!(page.after_visit && waits.after_visit, "{to}");
        let is_here = to.starts_with("http://a.example/");
        let fate = if is_here {
            LinkFate::New
        } else {
            LinkFate::Scope
        };
        assert_eq!(page.links[0].fate, fate);
    }
    let target = CanonicalUrl::parse("http://sso.test/x").expect("a URL");
    assert!(crawl.state.reach.check(&target, 1, 0).is_err());
    crawl.replays();
}

#[test]
fn a_seed_whose_site_has_moved_takes_the_other_host_into_its_scope_and_a_login_is_none() {
    for (to, status, opens) in [
        ("http://www.a.example/", 308, true),
        ("http://www.a.example/", 302, false),
        ("http://login.a.example/", 301, false),
        ("http://b.test/", 301, false),
    ] {
        let mut crawl = Crawl::of(TEXT);
        let visit = crawl.visit(redirect(to), status, TEXT);
        assert_eq!(
            (visit.change.clone(), visit.opens),
            (Change::Moved, opens),
            "{to}"
        );
        let fate = &visit.page.as_ref().expect("where it leads").links[0].fate;
        assert_eq!(
            *fate,
            if opens {
                LinkFate::New
            } else {
                LinkFate::Scope
            },
            "{to}"
        );
        let target = CanonicalUrl::parse(&format!("{to}x")).expect("a URL");
        assert_eq!(
            crawl.state.reach.check(&target, 1, 0).is_ok(),
            opens,
            "{to}"
        );
        crawl.replays();
    }
}

fn no_such_page() -> Reading {
    let Reading::Page(mut reading) = page("The page you requested could not be found.") else {
        panic!("a page");
    };
    reading.soft_404 = true;
    Reading::Page(reading)
}

#[test]
fn a_page_that_reads_like_an_error_page_counts_like_404() {
    let mut crawl = Crawl::of(TEXT);
    let first = crawl.visit(no_such_page(), 200, TEXT);
    assert_eq!(
        (first.change.clone(), first.absence.answers, first.awaits),
        (Change::Unclear, 1, false)
    );
    assert!(crawl.visit(missing(), 404, TEXT).awaits);
    let visit = crawl.visit(no_such_page(), 200, TEXT);
    assert_eq!(visit.change, Change::Gone);
    assert!(crawl.state.kept.numbers().is_empty());
    crawl.replays();
}

#[test]
fn what_read_like_an_error_page_from_the_first_is_unchanged_as_long_as_it_does() {
    // Each round told it as unclear.
    let mut crawl = Crawl {
        state: new_state(),
        journal: Vec::new(),
        turn: 0,
    };
    crawl.fetch(no_such_page(), 200, None);
    for _ in 0..3 {
        let visit = crawl.visit(no_such_page(), 200, "");
        assert_eq!(
            (visit.change.clone(), visit.reason.clone(), visit.outcome()),
            (Change::Unchanged, None, None)
        );
        assert_eq!(visit.absence.answers, 0);
    }
    let visit = crawl.visit(page(TEXT), 200, "");
    assert_eq!(visit.change, Change::Changed);
    assert!(visit.outcome().is_some_and(|outcome| outcome.is_indexed()));
    crawl.replays();
}

#[test]
fn a_redirect_counts_by_where_it_leads_and_another_place_begins_anew() {
    let mut crawl = Crawl::of(TEXT);
    let (there, elsewhere) = ("http://a.example/b", "http://a.example/c");
    let mut answers = |reading, status| {
        let visit = crawl.visit(reading, status, TEXT);
        (visit.change, visit.absence.answers)
    };
    assert_eq!(answers(redirect(there), 302), (Change::Moved, 1));
    assert_eq!(answers(redirect(elsewhere), 302), (Change::Moved, 1));
    assert_eq!(answers(redirect(elsewhere), 301), (Change::Moved, 2));
    // What counts of redirects is nothing to 404.
    assert_eq!(answers(missing(), 404), (Change::Unclear, 1));
    assert_eq!(answers(redirect(there), 302), (Change::Moved, 1));
    assert_eq!(answers(redirect(there), 302), (Change::Moved, 2));
    // Whoever plans has let them count.
    assert_eq!(answers(redirect(there), 302), (Change::Gone, 2));
    assert_eq!(answers(redirect(there), 302), (Change::Moved, 2));
    assert!(crawl.state.kept.numbers().is_empty());
    assert_eq!(crawl.visit(page(TEXT), 200, TEXT).change, Change::Back);
    crawl.replays();
}

#[test]
fn a_redirect_for_now_gives_its_place_up_where_the_plan_says_that_it_has_stayed() {
    for (moved_to, gives_way) in [("http://a.example/b", true), ("http://a.example/c", false)] {
        let crawl = Crawl::of(TEXT);
        let due = DueRecord {
            was: Outcome::Judged(Verdict::Index),
            moved_to: xxh3_64(moved_to.as_bytes()),
            ..DueRecord::default()
        };
        let mut visit = VisitRecord {
            was: due.was.clone(),
            ..VisitRecord::default()
        };
        let lease = lease(&new_state(), 0);
        let head = PageRecord::default();
        let target = CanonicalUrl::parse("http://a.example/b").expect("a URL");
        crawl
            .state
            .note_redirect(&mut visit, (&lease, &due), head, &target, None)
            .expect("in memory");
        assert_eq!(visit.gives_way, gives_way);
        crawl.state.note_presence(&mut visit, &due, None, NOW_MS);
        assert_eq!(visit.absence.answers, u32::from(!gives_way));
    }
}

#[test]
fn a_paragraph_more_is_a_change_where_fingerprints_alone_are_known() {
    // The texts of pages that are dropped are not archived, and these prints were as near as can be.
    let change = |words: u32| {
        let due = DueRecord {
            fingerprint: "00000000000000ff".into(),
            words: 270,
            ..DueRecord::default()
        };
        let now = PageRecord {
            page: Some(archive::PageSummary {
                fingerprint: "00000000000000fe".into(),
                digest: "another".into(),
                words,
                ..archive::PageSummary::default()
            }),
            ..PageRecord::default()
        };
        let mut visit = VisitRecord::default();
        compare(&mut visit, &due, &now, None, "");
        visit.change
    };
    assert_eq!(change(271), Change::Touched);
    assert_eq!(change(370), Change::Changed);
}
