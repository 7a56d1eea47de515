//! What rounds found, in numbers.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use archive::{AgainRecord, Event, PageRecord, Record, RetryRecord, VisitRecord};
use outcome::{Change, JunkReason, OutcomeKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::{nothing_read, words};

/// Reasons why visits were not answered that are counted apart, and those told.
const REASONS_MAX: usize = 100;

const CAUSES_MAX: usize = 4;

/// How many pages a round found in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundCounts {
    /// The round.
    pub round: u32,
    /// When it was planned, milliseconds since the Unix epoch.
    pub began_ms: u64,
    /// Visits that it was to make.
    pub planned: u64,
    /// Visits made.
    pub visited: u64,
    /// Answers without a body, by a validator.
    pub not_modified: u64,
    /// Pages as they were.
    pub unchanged: u64,
    /// Pages with another date, counter or word.
    pub touched: u64,
    /// Pages with another text.
    pub changed: u64,
    /// Pages that point elsewhere.
    pub moved: u64,
    /// Pages that are gone.
    pub gone: u64,
    /// Pages that were gone and are there again.
    pub back: u64,
    /// Visits that say nothing: no answer, an error, or missing for the first time.
    pub unclear: u64,
    /// Pages that were first kept since the round began.
    pub new: u64,
    /// Pages that were first read since the round began, and not kept.
    pub dropped: u64,
    /// Where no page was due, when the first one was to be, milliseconds since the Unix epoch; else 0.
    pub next_ms: u64,
}

impl RoundCounts {
    /// In a line.
    pub fn line(&self) -> String {
        let Self {
            round,
            visited,
            not_modified,
            unchanged,
            touched,
            changed,
            moved,
            gone,
            back,
            unclear,
            new,
            dropped,
            next_ms,
            ..
        } = self;
        let new = match (new, dropped) {
            (new, 0) => words::plural(*new, "new page", "new pages"),
            (0, dropped) => words::plural(*dropped, "new page, not kept", "new pages, none kept"),
            (new, dropped) => {
                let all = words::plural(new + dropped, "new page", "new pages");
                format!("{all}, {new} of them kept")
            }
        };
        if self.was_early() {
            return format!(
                "round {round} ran and no page was due; the first is due at {}: each is left alone for a while after it \
                 was read (`min` and `every` under [again] in the configuration; min = \"0s\" comes back at once); {new}",
                words::instant_short(*next_ms)
            );
        }
        let visits = words::plural(*visited, "visit", "visits");
        format!(
            "round {round}: {visits} ({not_modified} without a body): {unchanged} unchanged, {touched} touched, \
             {changed} changed, {moved} moved, {gone} gone, {back} back, {unclear} unclear; {new}"
        )
    }

    /// Whether the round found no page that was due.
    pub fn was_early(&self) -> bool {
        self.planned == 0 && self.visited == 0 && self.next_ms > 0
    }
}

/// What rounds found, in numbers: a fold over the journal that can be read on.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Visits {
    rounds: Rounds,
    start: StartVisits,
}

impl Visits {
    /// Reads the next record; for a visit, whether the page points where it did at the visit before; for a
    /// page, whether it was an error page before and is one still, or is back: it had been kept.
    pub fn add(&mut self, record: &Record) -> bool {
        match &record.event {
            Event::Start(_) => self.start = StartVisits::default(),
            Event::Visit(visit) => self.start.count(visit),
            Event::Page(_)
            | Event::Again(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Elsewhere(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Stop(_) => {}
        }
        self.rounds.add(record)
    }

    /// What every round found, the first one first.
    pub fn rounds(&self) -> &[RoundCounts] {
        self.rounds.counts()
    }

    /// What to say where the last start visited pages and not one of them was answered: why, and what
    /// to do about it, a line each; else nothing.
    pub fn unanswered(&self) -> Vec<String> {
        let StartVisits {
            made,
            answered,
            why,
        } = &self.start;
        if *made == 0 || *answered > 0 {
            return Vec::new();
        }
        let visits = words::plural(*made, "visit", "visits");
        let mut lines = vec![format!(
            "no page could be visited; of {visits} none was answered:"
        )];
        let mut why: Vec<_> = why.iter().collect();
        why.sort_by_key(|(name, (count, _))| (Reverse(*count), (*name).clone()));
        for (name, (count, detail)) in why.into_iter().take(CAUSES_MAX) {
            let urls = words::plural(*count, "URL", "URLs");
            let mend = nothing_read::mend_of(name);
            lines.push(format!("  {} ({urls}): {mend}", words::name(name)));
            lines.push(format!("    {detail}"));
        }
        lines
    }
}

/// Rounds, counted: a fold over the journal.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Rounds {
    rounds: Vec<RoundCounts>,
    /// Where pages point that are elsewhere, by URL, both as hashes.
    moved: HashMap<u64, u64>,
    /// Error pages that were put back to be asked for once more, by hashes: they are no new pages.
    #[serde(default)]
    put_back: HashSet<u64>,
    /// Kept pages that are gone, by hashes: what is there again of them is back.
    #[serde(default)]
    left: HashSet<u64>,
}

impl Rounds {
    /// Counts the next record; for a visit, whether the page points where it did at the visit before; for a
    /// page, whether it was an error page before.
    pub fn add(&mut self, record: &Record) -> bool {
        match &record.event {
            Event::Again(again) => self.again(record, again),
            Event::Retry(retry) => self.put_back.extend(error_pages(retry)),
            Event::Page(page) if self.is_as_it_was_or_back(page) => {
                let is_there = is_there(page);
                if let Some(round) = self.rounds.last_mut().filter(|_| is_there) {
                    round.back += 1;
                }
                return true;
            }
            Event::Page(page) => {
                let last = self.rounds.last_mut();
                match (last, page.outcome.is_indexed(), is_dropped(page)) {
                    (Some(round), true, _) => round.new += 1,
                    (Some(round), false, true) => round.dropped += 1,
                    (Some(_), false, false) | (None, ..) => {}
                }
            }
            Event::Visit(visit) => {
                let is_as_it_was = !self.points_elsewhere_now(visit);
                let url = xxh3_64(visit.url.as_bytes());
                if visit.is_gone() && visit.was.is_indexed() {
                    self.left.insert(url);
                } else if visit.version().is_some() {
                    self.left.remove(&url);
                }
                if let Some(round) = self.rounds.last_mut() {
                    round.count(visit, is_as_it_was);
                }
                return is_as_it_was;
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Elsewhere(_)
            | Event::Attempt(_)
            | Event::Stop(_) => {}
        }
        false
    }

    /// Whether a page is one that was put back as an error page, and is one still, or had been kept before.
    fn is_as_it_was_or_back(&mut self, page: &PageRecord) -> bool {
        let url = xxh3_64(page.url.as_bytes());
        self.put_back.remove(&url) && (!is_there(page) || self.left.remove(&url))
    }

    /// What every round found so far, the first one first.
    pub fn counts(&self) -> &[RoundCounts] {
        &self.rounds
    }

    fn again(&mut self, record: &Record, again: &AgainRecord) {
        // One that found no page due and no new one is told until the next begins.
        let is_empty = |last: &RoundCounts| last.was_early() && last.new + last.dropped == 0;
        if self.rounds.last().is_some_and(is_empty) {
            self.rounds.pop();
        }
        if self
            .rounds
            .last()
            .is_none_or(|last| last.round != again.round)
        {
            self.rounds.push(RoundCounts {
                round: again.round,
                began_ms: record.at_ms,
                ..RoundCounts::default()
            });
        }
        if let Some(round) = self.rounds.last_mut() {
            round.planned += again.urls.len() as u64;
            round.next_ms = again.next_ms;
        }
    }

    /// Notes where a page points; whether it points elsewhere than at the visit before, or may be there again.
    fn points_elsewhere_now(&mut self, visit: &VisitRecord) -> bool {
        let hash = |text: &str| xxh3_64(text.as_bytes());
        let url = hash(&visit.url);
        match &visit.change {
            Change::Moved => {
                let target = hash(visit.detail.as_deref().unwrap_or_default());
                self.moved.insert(url, target) != Some(target)
            }
            // What was gone is so as long as it is not there again.
            Change::Unclear => !visit.absence.gone,
            Change::Unknown(_) => true,
            Change::New
            | Change::Unchanged
            | Change::Touched
            | Change::Changed
            | Change::Gone
            | Change::Back => {
                self.moved.remove(&url);
                true
            }
        }
    }
}

/// The URLs of error pages that were put back, by hashes.
pub(crate) fn error_pages(retry: &RetryRecord) -> impl Iterator<Item = u64> + '_ {
    let ended = retry.urls.iter().zip(&retry.origins);
    let errors = ended.filter(|(_, origin)| origin.outcome == OutcomeKind::Judged);
    errors.map(|(url, _)| xxh3_64(url.as_bytes()))
}

/// Whether an answer shows a page, and none that is or reads like an error page.
pub(super) fn is_there(page: &PageRecord) -> bool {
    let is_error =
        |reason: &JunkReason| matches!(reason, JunkReason::ErrorPage | JunkReason::SoftNotFound);
    page.page.is_some() && !page.junk().is_some_and(is_error)
}

/// Whether a page was read and not kept.
pub(super) fn is_dropped(page: &PageRecord) -> bool {
    page.page.is_some() && page.outcome.junk().is_some()
}

/// The visits of the last start of the crawl.
#[derive(Debug, Default, Serialize, Deserialize)]
struct StartVisits {
    made: u64,
    answered: u64,
    /// Why there was no answer, by name, how often, and in words the first time.
    why: BTreeMap<String, (u64, String)>,
}

impl StartVisits {
    fn count(&mut self, visit: &VisitRecord) {
        self.made += 1;
        if visit.fetch.as_ref().is_some_and(|fetch| fetch.status > 0) {
            self.answered += 1;
            return;
        }
        let name = visit.reason.as_deref().unwrap_or("unknown");
        if self.why.len() < REASONS_MAX || self.why.contains_key(name) {
            let words = visit.detail.clone().unwrap_or_default();
            let first = || (0, format!("{}: {words}", visit.url));
            self.why.entry(name.to_owned()).or_insert_with(first).0 += 1;
        }
    }
}

impl RoundCounts {
    fn count(&mut self, visit: &VisitRecord, is_as_it_was: bool) {
        self.visited += 1;
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        self.not_modified += u64::from(status == 304);
        let count = match &visit.change {
            Change::New => &mut self.new,
            Change::Unchanged => &mut self.unchanged,
            Change::Touched => &mut self.touched,
            Change::Changed => &mut self.changed,
            Change::Moved | Change::Unclear if is_as_it_was => &mut self.unchanged,
            Change::Moved => &mut self.moved,
            Change::Gone => &mut self.gone,
            Change::Back => &mut self.back,
            Change::Unclear | Change::Unknown(_) => &mut self.unclear,
        };
        *count += 1;
    }
}
