//! What has changed since a crawl came back: page by page, what is new, changed, moved, gone or back.
//!
//! A fold over the journal. A page is new when it was first read after the first round began, whether it
//! was kept or not; every other change is what a visit says of the one before. Of a page that still points where it did at the visit
//! before nothing is told: it is as it was. What a visit could not find out is told, with why. Where both texts are archived, the lines that differ are
//! told, before and after.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use again::GoneRule;
use again::absence::Sign;
use archive::{AgainRecord, BodyRef, Event, PageRecord, Record, RetryRecord, VisitRecord};
use config::CrawlConfig;
use outcome::{Change, JunkReason, OutcomeKind};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::look::Tongue;
use crate::{nothing_read, words};

/// Reasons why visits were not answered that are counted apart, and those told.
const REASONS_MAX: usize = 100;
const CAUSES_MAX: usize = 4;

/// A page that is not what it was.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangeRow {
    /// Its URL.
    pub url: String,
    /// What has changed.
    pub change: Change,
    /// When it was seen.
    pub at: String,
    /// The lines that are there no longer, or not as they were; null where no text is archived.
    pub before: Option<String>,
    /// The lines that are new, or as they are now.
    pub after: Option<String>,
    /// The share of words that both texts have, 0 to 1.
    pub similarity: Option<f32>,
    /// Whether the page was kept before.
    pub was_kept: bool,
    /// Whether it is kept now.
    pub is_kept: bool,
    /// Why, in words.
    pub why: Option<String>,
}

/// The name of a change in the reader's language.
pub fn kind_in(tongue: Tongue, change: &str) -> String {
    let chinese = match change {
        "new" => "新增",
        "unchanged" => "未变",
        "touched" => "微调",
        "changed" => "已变",
        "moved" => "已搬走",
        "gone" => "已消失",
        "back" => "又出现",
        "unclear" => "不明",
        other => other,
    };
    match tongue {
        Tongue::English => change,
        Tongue::Chinese => chinese,
    }
    .to_owned()
}

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
        format!(
            "round {round}: {visited} visits ({not_modified} without a body): {unchanged} unchanged, {touched} touched, \
             {changed} changed, {moved} moved, {gone} gone, {back} back, {unclear} unclear; {new}"
        )
    }

    /// Whether the round found no page that was due.
    pub fn was_early(&self) -> bool {
        self.planned == 0 && self.visited == 0 && self.next_ms > 0
    }
}

/// Reads the journal for what has changed.
#[derive(Debug)]
pub struct Changes {
    /// Milliseconds since the Unix epoch from which on changes are told; none for the last round.
    since_ms: Option<u64>,
    visits: Visits,
    /// Archived texts of the pages as they were read last, by their record.
    texts: HashMap<u64, BodyRef>,
    found: Vec<(u64, Found)>,
    /// Where the last one of each URL stands there, by hashes.
    places: HashMap<u64, usize>,
    /// When a page is gone, as the last start has it.
    gone: GoneRule,
}

/// What rounds found, in numbers: a fold over the journal that can be read on.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Visits {
    rounds: Rounds,
    start: StartVisits,
}

impl Visits {
    /// Reads the next record; for a visit, whether the page points where it did at the visit before; for a
    /// page, whether it was an error page before.
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
}

impl Rounds {
    /// Counts the next record; for a visit, whether the page points where it did at the visit before; for a
    /// page, whether it was an error page before.
    pub fn add(&mut self, record: &Record) -> bool {
        match &record.event {
            Event::Again(again) => self.again(record, again),
            Event::Retry(retry) => self.put_back.extend(error_pages(retry)),
            Event::Page(page) if self.put_back.remove(&xxh3_64(page.url.as_bytes())) => {
                let is_there = page.page.is_some() && page.junk() != Some(&JunkReason::ErrorPage);
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

/// Whether a page was read and not kept.
fn is_dropped(page: &PageRecord) -> bool {
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

#[derive(Debug)]
struct Found {
    row: ChangeRow,
    before: Option<BodyRef>,
    after: Option<BodyRef>,
}

impl Changes {
    /// Changes since a time; none for those of the last round.
    pub fn since(since_ms: Option<u64>) -> Self {
        Self {
            since_ms,
            visits: Visits::default(),
            texts: HashMap::new(),
            found: Vec::new(),
            places: HashMap::new(),
            gone: GoneRule::default(),
        }
    }

    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        let began_ms = |visits: &Visits| visits.rounds().last().map(|round| round.began_ms);
        let before = began_ms(&self.visits);
        let is_as_it_was = self.visits.add(record);
        // Where the last round alone is told, what earlier ones found is let go.
        if self.since_ms.is_none() && began_ms(&self.visits) != before {
            self.found.clear();
            self.places.clear();
        }
        match &record.event {
            Event::Page(page) => {
                if let Some(text) = &page.text {
                    self.texts.insert(record.seq, text.clone());
                }
                let is_kept = page.outcome.is_indexed();
                if self.visits.rounds().is_empty() || !(is_kept || is_dropped(page)) {
                    return;
                }
                // An error page that was asked for once more is back, or as it was.
                let is_error = page.junk() == Some(&JunkReason::ErrorPage);
                if is_as_it_was && is_error {
                    return;
                }
                let row = ChangeRow {
                    url: page.url.clone(),
                    change: match is_as_it_was {
                        true => Change::Back,
                        false => Change::New,
                    },
                    at: words::instant(record.at_ms),
                    before: None,
                    after: None,
                    similarity: None,
                    was_kept: false,
                    is_kept,
                    why: why_dropped(page),
                };
                let found = Found {
                    row,
                    before: None,
                    after: page.text.clone(),
                };
                self.note(record.at_ms, found);
            }
            Event::Visit(visit) => self.visit(record, visit, is_as_it_was),
            Event::Start(start) => {
                self.gone = CrawlConfig::recorded(&start.config).config.gone_rule();
            }
            Event::Seed(_)
            | Event::Again(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => {}
        }
    }

    fn visit(&mut self, record: &Record, visit: &VisitRecord, is_as_it_was: bool) {
        // Feeds and sitemaps are read for their links.
        if visit.source {
            return;
        }
        let text = visit.version().and_then(|page| page.text.clone());
        if let Some(text) = &text {
            self.texts.insert(record.seq, text.clone());
        }
        match &visit.change {
            Change::Unknown(_) => return,
            Change::Unchanged => return self.another_verdict(record, visit),
            Change::Moved | Change::Unclear if is_as_it_was => return,
            Change::New
            | Change::Unclear
            | Change::Touched
            | Change::Changed
            | Change::Moved
            | Change::Gone
            | Change::Back => {}
        }
        let was_kept = visit.was.is_indexed();
        let outcome = visit.outcome();
        let row = ChangeRow {
            url: visit.url.clone(),
            change: visit.change.clone(),
            at: words::instant(record.at_ms),
            before: None,
            after: None,
            similarity: visit.similarity,
            was_kept,
            is_kept: outcome
                .as_ref()
                .map_or(was_kept, |outcome| outcome.is_indexed()),
            why: match visit.change {
                Change::Unclear => Some(why_unclear(visit, self.gone)),
                _ => visit.detail.clone().or_else(|| another_fate(visit)),
            },
        };
        let found = Found {
            row,
            before: self.texts.get(&visit.of).cloned(),
            after: text,
        };
        self.note(record.at_ms, found);
    }

    /// A page was judged anew whose text is the same: it is told as it is now, with what was found before it
    /// in the same time, if anything was.
    fn another_verdict(&mut self, record: &Record, visit: &VisitRecord) {
        let Some(outcome) = visit.outcome() else {
            return;
        };
        let (was_kept, is_kept) = (visit.was.is_indexed(), outcome.is_indexed());
        if was_kept == is_kept {
            return;
        }
        let why = another_fate(visit);
        // What happened to it in between is no news.
        let before = self.places.get(&xxh3_64(visit.url.as_bytes()));
        if let Some((_, found)) = before.and_then(|at| self.found.get_mut(*at)) {
            found.row.is_kept = is_kept;
            found.row.why = why.filter(|_| found.row.was_kept != is_kept);
            return;
        }
        let row = ChangeRow {
            url: visit.url.clone(),
            change: Change::Unchanged,
            at: words::instant(record.at_ms),
            before: None,
            after: None,
            similarity: None,
            was_kept,
            is_kept,
            why,
        };
        let found = Found {
            row,
            before: None,
            after: None,
        };
        self.note(record.at_ms, found);
    }

    /// Holds a change, unless it was seen before the time that is asked for.
    fn note(&mut self, at_ms: u64, found: Found) {
        if self.since_ms.is_none_or(|since| at_ms >= since) {
            let url = xxh3_64(found.row.url.as_bytes());
            self.places.insert(url, self.found.len());
            self.found.push((at_ms, found));
        }
    }

    /// What to say where no visit of the last start was answered: see [`Visits::unanswered`].
    pub fn unanswered(&self) -> Vec<String> {
        self.visits.unanswered()
    }

    /// What every round found, the first one first.
    pub fn rounds(&self) -> impl Iterator<Item = &RoundCounts> {
        self.visits.rounds().iter()
    }

    /// The changes in the order in which they were seen; `text` reads an archived text.
    pub fn rows<'c>(
        self,
        text: impl Fn(&BodyRef) -> Option<String> + 'c,
    ) -> impl Iterator<Item = ChangeRow> + 'c {
        self.told().map(move |found| found.read(&text))
    }

    /// The changes of one kind, else all, as many as `limit` from the one at `offset` on; the last seen first.
    /// `text` is asked for the texts of these alone.
    pub fn part(
        self,
        kind: Option<&str>,
        offset: usize,
        limit: usize,
        text: impl Fn(&BodyRef) -> Option<String>,
    ) -> Part {
        let mut part = Part {
            rounds: self.visits.rounds().to_vec(),
            ..Part::default()
        };
        let mut fitting: Vec<Found> = Vec::new();
        for found in self.told() {
            let name = found.row.change.name();
            *part.counts.entry(name.to_string()).or_default() += 1;
            if kind.is_none_or(|kind| kind == name) {
                fitting.push(found);
            }
        }
        part.total = fitting.len() as u64;
        let shown = fitting.into_iter().rev().skip(offset).take(limit);
        part.rows = shown.map(|found| found.read(&text)).collect();
        part
    }

    /// Those of the time that was asked for.
    fn told(self) -> impl Iterator<Item = Found> {
        let last = self.visits.rounds().last();
        let last = last.map_or(u64::MAX, |round| round.began_ms);
        let since = self.since_ms.unwrap_or(last);
        let found = self.found.into_iter();
        found
            .filter(move |(at, _)| *at >= since)
            .map(|(_, found)| found)
    }
}

/// Some of the changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Part {
    /// What every round found, the first one first.
    pub rounds: Vec<RoundCounts>,
    /// How many changes there are of each kind.
    pub counts: BTreeMap<String, u64>,
    /// Changes of the kind that was asked for.
    pub total: u64,
    /// Some of them.
    pub rows: Vec<ChangeRow>,
}

impl Found {
    /// The row with the lines that differ.
    fn read(self, text: &impl Fn(&BodyRef) -> Option<String>) -> ChangeRow {
        let read = |place: &Option<BodyRef>| place.as_ref().and_then(text);
        let mut row = self.row;
        if let Some((before, after)) = read(&self.before).zip(read(&self.after)) {
            (row.before, row.after) = differing(&before, &after);
        }
        row
    }
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

/// Why a page is not kept: the reason, with its figures or the page that it repeats.
pub(crate) fn why_dropped(page: &PageRecord) -> Option<String> {
    let reason = words::name(page.outcome.junk()?.name());
    let of = page
        .nearest
        .as_ref()
        .filter(|_| page.outcome.is_duplicate());
    Some(match (of, &page.detail) {
        (Some(of), _) => format!("{reason} of {}", of.url),
        (None, Some(detail)) => format!("{reason} ({detail})"),
        (None, None) => reason,
    })
}

/// What a visit could not find out: the rule is that of [`again::absence`].
fn why_unclear(visit: &VisitRecord, rule: GoneRule) -> String {
    let told = visit.detail.as_deref().unwrap_or("no answer");
    let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
    let absence = &visit.absence;
    match (Sign::of_status(status), absence.gone) {
        (Sign::Missing, false) if absence.answers > 0 => format!(
            "{told}: not yet gone, which takes {} answers of 404 or 410 with time between them; this makes {}, and the \
             next counts from {} on",
            rule.answers,
            absence.answers,
            words::instant_short(absence.last_ms.saturating_add(rule.apart_ms))
        ),
        (Sign::Missing | Sign::Nothing | Sign::There, _) => {
            format!("{told}: this says nothing of the page, which is taken to be as it was")
        }
    }
}

/// What was to become of a page by its earlier version, and what by this one, where either was not kept.
fn another_fate(visit: &VisitRecord) -> Option<String> {
    let now = visit.version().and_then(why_dropped);
    let before = visit.was.junk().map(|reason| words::name(reason.name()));
    match (before, now, visit.version()) {
        (None, now, _) => now,
        (Some(before), None, Some(_)) => Some(format!("dropped before: {before}")),
        (Some(_), None, None) => None,
        (Some(before), Some(now), _) if now.starts_with(&before) => {
            Some(format!("dropped as before: {now}"))
        }
        (Some(before), Some(now), _) => Some(format!("dropped before: {before}; now: {now}")),
    }
}

/// The lines that differ: those before and those after.
fn differing(before: &str, after: &str) -> (Option<String>, Option<String>) {
    let compared = again::compare(before, after);
    let side = |of: fn(&again::Passage) -> &String| {
        let lines = compared.passages.iter().map(of);
        let lines: Vec<&str> = lines
            .map(String::as_str)
            .filter(|lines| !lines.is_empty())
            .collect();
        Some(lines.join("\n"))
    };
    (
        side(|passage| &passage.before),
        side(|passage| &passage.after),
    )
}

#[cfg(test)]
mod tests {
    use archive::{NeighbourRecord, PageSummary};
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
                },
                ..VisitRecord::default()
            };
            why_unclear(&visit, rule)
        };
        let usual = GoneRule::default();
        let once = why(404, 1, false, usual);
        assert!(
            once.starts_with("status 404: not yet gone") && once.contains("takes 2 answers"),
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
        assert!(why(410, 3, false, strict).contains("takes 5 answers of 404 or 410"));
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
}
