//! A URL is visited again: what does the visit say of the one before?
//!
//! A page is compared with its own text at the visit before, as it was archived; both without the host's
//! template. The page as it is now goes through the same verdict as any page, where its own earlier
//! version is nobody's duplicate. It is recorded, and takes the place of the one before, where its text
//! has changed, where it is to be judged anew, or where it leads to URLs that are new. Else the record
//! says that the URL was visited and what was seen, and nothing else changes.
//!
//! A page that points for good to another one, where it pointed at the visit before, gives its place up.
//! Only 404 and 410 make a page gone, and only after as many of them as the configuration asks for. As many
//! answers it takes before a kept page leaves for one that is dropped: an empty one, a shell without its
//! scripts, a notice in the place of all pages. A time-out, a server error, a refusal, a wall or a page that
//! reads like an error page says nothing.

use again::Absence;
use again::absence::{Presence, Sign};
use archive::{AbsenceRecord, DueRecord, PageRecord, VisitRecord};
use fetcher::Fetched;
use frontier::{CanonicalUrl, FrontierUrl, Lease, ScopeRefusal};
use outcome::{Change, FailureKind, JunkKind, JunkReason, LinkFate, Outcome, Verdict};
use sieve::Rules;
use simhash::Fingerprint;
use xxhash_rust::xxh3::xxh3_64;

use crate::decided::ReadText;
use crate::finding::{Answer, Before, PageReading, Reading};
use crate::recorded;
use crate::site_move;
use crate::state::{State, StoreError};

/// Fingerprints that differ in no more bits are of nearly the same text, where the text itself is not
/// archived.
const TOUCHED_BITS_MAX: u32 = 3;

impl State {
    /// The record of a visit to a URL that was finished before; `before` is the page as it was then.
    pub(super) fn decide_visit(
        &mut self,
        lease: &Lease,
        due: &DueRecord,
        head: PageRecord,
        (reading, before): (Reading, Option<Before>),
        answer: Option<&Answer>,
        now_ms: u64,
    ) -> Result<(VisitRecord, Option<ReadText>), StoreError> {
        let mut visit = head_of(due, &head, answer);
        if due.was.is_indexed() && self.kept.get(due.of).is_none() {
            // Another page has taken its place since the round was planned.
            visit.was = Outcome::Judged(Verdict::Junk(JunkReason::NearDuplicate));
        }
        let rules = &self.policy.rules;
        let is_walled = matches!(&reading, Reading::Page(reading) if is_wall(reading, rules));
        // What the answer says of the page's absence, where it is not what its change says.
        let mut sign = is_walled.then_some(Sign::Nothing);
        let mut read = None;
        match reading {
            Reading::NotModified => {
                visit.change = Change::Unchanged;
                visit.parts = numbers_after(&due.parts, again::Part::stay);
            }
            Reading::Page(reading) if is_walled => {
                visit.detail = reading.page.wall.as_ref().map(ToString::to_string);
                visit.wall = reading.page.wall.as_ref().map(|wall| wall.kind.clone());
                visit.reason = Some(JunkReason::Blocked.name().to_owned());
            }
            // What is missing of it may be all that has changed, or all that has not.
            Reading::Page(reading) if reading.cut.is_some() && head.status() < 300 => {
                visit.detail = reading.cut.map(str::to_owned);
                visit.reason = Some(FailureKind::Truncated.name().into_owned());
            }
            Reading::Page(reading) if is_page(&head, &reading) => {
                let (page, text) = self.decide_page(lease, head, *reading, now_ms)?;
                compare(&mut visit, due, &page, before.as_ref(), &text.text);
                let leads_on = page.links.iter().any(|link| link.fate == LinkFate::New);
                let is_new = is_new_version(&mut visit, due, &page);
                if is_new && is_doubtful(&visit, &page.outcome) && !self.is_confirmed(due, now_ms) {
                    sign = Some(Sign::Missing);
                    leave_as_it_was(&mut visit, due, page);
                } else if is_new || leads_on {
                    visit.parts = numbers_after(&visit.parts, again::Part::settle);
                    visit.page = Some(Box::new(page));
                    read = Some(text);
                }
            }
            Reading::Page(reading) if reading.soft_404 && head.status() < 300 => {
                visit.reason = Some(JunkReason::SoftNotFound.name().to_owned());
                visit.detail = Some("a page that reads like an error page".to_owned());
            }
            Reading::Redirect(Ok(target)) => {
                let fetched = answer.and_then(|answer| answer.fetched.as_ref().ok());
                self.note_redirect(&mut visit, (lease, due), head, &target, fetched)?;
            }
            other => {
                let type_ = visit.fetch.as_ref();
                let type_ = type_.map_or_else(String::new, |fetch| fetch.content_type.clone());
                let page = self.decide_other(head, other, &type_);
                visit.reason = page.outcome.reason().map(|reason| reason.into_owned());
                visit.detail = page.detail.or_else(|| visit.reason.clone());
            }
        }
        self.note_presence(&mut visit, due, sign, now_ms);
        Ok((visit, read))
    }

    /// Writes down where a page points that was read before.
    fn note_redirect(
        &self,
        visit: &mut VisitRecord,
        (lease, due): (&Lease, &DueRecord),
        head: PageRecord,
        target: &CanonicalUrl,
        answer: Option<&Fetched>,
    ) -> Result<(), StoreError> {
        let opens = self.has_site_moved(lease, due, head.status(), target);
        let head = match opens {
            // It leads on as a seed does.
            true => PageRecord { depth: 0, ..head },
            false => head,
        };
        let page = self.decide_redirect(lease, head, target, answer, opens)?;
        let is_move = page.outcome == Outcome::Redirected && page.returns.is_none();
        let fate = page.links.first().map(|link| &link.fate);
        visit.opens = opens && is_move && fate.is_some_and(LinkFate::is_known);
        visit.detail = Some(match fate {
            _ if visit.opens => format!("it redirects to {target}, where its site has moved"),
            Some(fate) if !fate.is_known() => {
                let fate = fate.name().replace('_', " ");
                format!("it redirects to {target}, which was left out: {fate}")
            }
            Some(_) | None => format!("it redirects to {target}"),
        });
        if is_move {
            visit.change = Change::Moved;
            visit.page = Some(Box::new(page));
            let is_where_it_was = due.moved_to == xxh3_64(target.as_str().as_bytes());
            let was_page = visit.was != Outcome::Redirected;
            visit.gives_way = is_where_it_was && was_page && visit.is_moved_for_good();
        }
        Ok(())
    }

    /// Whether a redirect of a page that was read before says that its site is elsewhere now, on a host that
    /// does not belong to the crawl yet.
    fn has_site_moved(
        &self,
        lease: &Lease,
        due: &DueRecord,
        status: u16,
        target: &CanonicalUrl,
    ) -> bool {
        let FrontierUrl {
            url, depth, seed, ..
        } = lease.url();
        matches!(status, 301 | 308)
            && site_move::is_move(url, target, due)
            && self.reach.speaks_for_its_site(url, *depth, *seed)
            && self.reach.check(target, 0, *seed) == Err(ScopeRefusal::Host)
    }

    /// Whether an answer without the page's text is one more of as many as make a page gone.
    fn is_confirmed(&self, due: &DueRecord, now_ms: u64) -> bool {
        absence_of(due).see(Sign::Missing, now_ms, self.policy.gone) == Presence::Gone
    }

    /// Whether the page is gone, or back.
    fn note_presence(
        &self,
        visit: &mut VisitRecord,
        due: &DueRecord,
        sign: Option<Sign>,
        now_ms: u64,
    ) {
        let is_kept_off = visit.change == Change::Moved || visit.version().is_none();
        let by_change = match &visit.change {
            // A page that was gone is there again when it can be read.
            change if due.absence.gone && is_kept_off && *change != Change::Unclear => {
                Sign::Nothing
            }
            Change::Unclear => match visit.fetch.as_ref().map_or(0, |fetch| fetch.status) {
                404 | 410 => Sign::Missing,
                _ => Sign::Nothing,
            },
            Change::New
            | Change::Unchanged
            | Change::Touched
            | Change::Changed
            | Change::Moved
            | Change::Gone
            | Change::Back
            | Change::Unknown(_) => Sign::There,
        };
        let mut absence = absence_of(due);
        match absence.see(sign.unwrap_or(by_change), now_ms, self.policy.gone) {
            Presence::Gone => visit.change = Change::Gone,
            Presence::Back if visit.version().is_some() => visit.change = Change::Back,
            Presence::Same | Presence::Missing | Presence::Back => {}
        }
        visit.absence = AbsenceRecord {
            answers: absence.answers(),
            last_ms: absence.last_ms(),
            gone: absence.is_gone(),
        };
    }
}

/// What was noted of the page's absence.
fn absence_of(due: &DueRecord) -> Absence {
    let AbsenceRecord {
        answers,
        last_ms,
        gone,
    } = due.absence;
    Absence::resume(answers, last_ms, gone)
}

/// Whether the page as it is now is a version of its own, beside what its text says.
fn is_new_version(visit: &mut VisitRecord, due: &DueRecord, page: &PageRecord) -> bool {
    // A page may ask to be left out, or no longer, whatever its text.
    if is_left_out(&page.outcome) != is_left_out(&visit.was) {
        visit.change = Change::Changed;
    }
    let pointed_away = visit.was == Outcome::Redirected;
    if pointed_away {
        visit.change = Change::Back;
    }
    pointed_away || visit.change == Change::Changed || due.absence.gone || due.rejudge
}

/// Notes that a page was read by which a kept one would leave, and that it does not yet.
fn leave_as_it_was(visit: &mut VisitRecord, due: &DueRecord, now: PageRecord) {
    visit.change = Change::Unclear;
    // A later 304 is to speak of the page that is kept.
    visit.etag.clone_from(&due.etag);
    visit.last_modified.clone_from(&due.last_modified);
    visit.parts.clone_from(&due.parts);
    visit.reason = now.outcome.reason().map(|reason| reason.into_owned());
    visit.detail = now.detail.or_else(|| visit.reason.clone());
}

/// Whether a kept page would leave for what its server says today: an empty page, a shell without its
/// scripts, a notice that stands in the place of all pages. What a page asks for itself is no doubt.
fn is_doubtful(visit: &VisitRecord, now: &Outcome) -> bool {
    let is_dropped = matches!(now, Outcome::Judged(Verdict::Junk(reason)) if reason.kind() != JunkKind::Withheld);
    visit.was.is_indexed() && is_dropped
}

/// What the record of a visit has whatever was found.
pub(super) fn head_of(due: &DueRecord, head: &PageRecord, answer: Option<&Answer>) -> VisitRecord {
    let fetched = answer.and_then(|answer| answer.fetched.as_ref().ok());
    let (etag, last_modified) = answer.map(recorded::validators).unwrap_or_default();
    // An answer of 304 need not repeat them.
    let is_same = fetched.is_some_and(|fetched| fetched.status == 304);
    let kept = |sent: &Option<String>| sent.clone().filter(|_| is_same);
    VisitRecord {
        url: head.url.clone(),
        host: head.host.clone(),
        round: due.round,
        of: due.of,
        was: due.was.clone(),
        change: Change::Unclear,
        fetch: head.fetch.clone(),
        conditional: !due.unconditional && (due.etag.is_some() || due.last_modified.is_some()),
        etag: etag.or_else(|| kept(&due.etag)),
        last_modified: last_modified.or_else(|| kept(&due.last_modified)),
        ..VisitRecord::default()
    }
}

/// What is known of parts of a page after this was done to each.
fn numbers_after(parts: &[[u32; 6]], does: impl Fn(&mut again::Part)) -> Vec<[u32; 6]> {
    let after = |numbers: &[u32; 6]| {
        let mut part = again::Part::from_numbers(*numbers);
        does(&mut part);
        part.to_numbers()
    };
    parts.iter().map(after).collect()
}

/// Whether there is a page that can be compared: an answer of success that does not read like an error
/// page.
fn is_page(head: &PageRecord, reading: &PageReading) -> bool {
    (200..300).contains(&head.status()) && !reading.soft_404
}

/// Whether a wall stands in the page's place.
fn is_wall(reading: &PageReading, rules: &Rules) -> bool {
    reading.page.wall.is_some() && !rules.keep_walls
}

/// Whether a page is dropped because it asks for that.
fn is_left_out(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Judged(Verdict::Junk(JunkReason::NoIndex)))
}

/// Writes down how the page's text differs from what it was. Another title is a change as well, as long as
/// more than a number differs.
fn compare(
    visit: &mut VisitRecord,
    due: &DueRecord,
    page: &PageRecord,
    before: Option<&Before>,
    after: &str,
) {
    let Some(summary) = &page.page else { return };
    let whole = summary.whole.as_ref().map(|whole| whole.digest.as_str());
    let was_whole = due.whole.as_deref().unwrap_or(&due.digest);
    let is_version = summary.digest == due.digest
        || whole == Some(was_whole)
        || due.whole.as_deref() == Some(summary.digest.as_str());
    let is_as_touched = due.touched.as_ref() == Some(&summary.digest);
    let parts: Vec<again::Part> = due
        .parts
        .iter()
        .map(|numbers| again::Part::from_numbers(*numbers))
        .collect();
    let numbers = |parts: Vec<again::Part>| parts.into_iter().map(again::Part::to_numbers);
    (visit.change, visit.similarity) = match before {
        _ if is_version => {
            visit.parts = numbers(again::parts::after_version(&parts)).collect();
            (Change::Unchanged, Some(1.0))
        }
        // What stays in a part that was made anew is told after a while.
        _ if is_as_touched && parts.is_empty() => (Change::Unchanged, Some(1.0)),
        Some(Before { text, shown }) => {
            let known = again::Known {
                shown: shown.as_ref(),
                parts: &parts,
            };
            let compared = again::compare_knowing(text, after, known);
            visit.parts = numbers(compared.parts).collect();
            match compared.change {
                Change::Touched if is_as_touched => (Change::Unchanged, Some(1.0)),
                change => (change, Some(compared.similarity as f32)),
            }
        }
        None if is_as_touched => (Change::Unchanged, Some(1.0)),
        None => (by_prints(&due.fingerprint, &summary.fingerprint), None),
    };
    let (was, is) = (&due.title, &summary.title);
    let is_known = !was.is_empty() && !is.is_empty();
    if is_known && again::compare(was, is).change == Change::Changed {
        let had_same_text = visit.change != Change::Changed;
        visit.detail = had_same_text.then(|| format!("another title, before: {was}"));
        visit.change = Change::Changed;
    }
    visit.touched = (visit.change == Change::Touched).then(|| summary.digest.clone());
}

/// The same by fingerprints alone.
fn by_prints(before: &str, after: &str) -> Change {
    let read = |print: &str| u64::from_str_radix(print, 16).map(Fingerprint);
    match (read(before), read(after)) {
        (Ok(before), Ok(after)) if (before.0 ^ after.0).count_ones() <= TOUCHED_BITS_MAX => {
            Change::Touched
        }
        (Ok(_) | Err(_), Ok(_) | Err(_)) => Change::Changed,
    }
}

#[cfg(test)]
mod tests {
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
        let html =
            format!("<html><body><article><h1>Rows</h1><p>{text}</p></article></body></html>");
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
        let changes =
            [same, not_modified, touched].map(|visit| (visit.change, visit.page.is_none()));
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
    fn two_answers_of_404_make_a_page_gone_and_no_error_does() {
        let mut crawl = Crawl::of(TEXT);
        for _ in 0..3 {
            assert_eq!(crawl.visit(busy(), 503, TEXT).change, Change::Unclear);
        }
        assert_eq!(crawl.visit(missing(), 404, TEXT).change, Change::Unclear);
        assert_eq!(crawl.state.kept.numbers().len(), 1);
        assert_eq!(crawl.visit(missing(), 410, TEXT).change, Change::Gone);
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
}
