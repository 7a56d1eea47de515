//! What has changed since a crawl came back: page by page, what is new, changed, moved, gone or back.
//!
//! A fold over the journal. A page is new when it was first read after the first round began, whether it
//! was kept or not; every other change is what a visit says of the one before. Of a page that still points where it did at the visit
//! before nothing is told: it is as it was. What a visit could not find out is told, with why. Where both texts are archived, the lines that differ are
//! told, before and after.

use std::collections::{BTreeMap, HashMap};

use again::GoneRule;
use archive::{BodyRef, Event, Record, VisitRecord};
use config::CrawlConfig;
use outcome::Change;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::words;

mod rounds;
#[cfg(test)]
mod tests;
mod why;

pub(crate) use rounds::error_pages;
pub use rounds::{RoundCounts, Rounds, Visits};
use rounds::{is_dropped, is_there};
pub use why::kind_in;
pub(crate) use why::why_dropped;
use why::{another_fate, why_unclear};

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
                if is_as_it_was && !is_there(page) {
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
