//! What has changed since a crawl came back: page by page, what is new, changed, moved, gone or back.
//!
//! A fold over the journal. A page is new when it was first read after the first round began; every other
//! change is what a visit says of the one before. Where both texts are archived, the lines that differ are
//! told, before and after.

use std::collections::HashMap;

use archive::{BodyRef, Event, Record, VisitRecord};
use outcome::Change;
use serde::Serialize;

use crate::words;

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

/// How many pages a round found in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RoundCounts {
    /// The round.
    pub round: u32,
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
            ..
        } = self;
        format!(
            "round {round}: {visited} visits ({not_modified} without a body): {unchanged} unchanged, {touched} touched, \
             {changed} changed, {moved} moved, {gone} gone, {back} back, {unclear} unclear; {new} new pages"
        )
    }
}

/// Reads the journal for what has changed.
#[derive(Debug)]
pub struct Changes {
    /// Milliseconds since the Unix epoch from which on changes are told; none for the last round.
    since_ms: Option<u64>,
    rounds: Vec<(u64, RoundCounts)>,
    /// Archived texts of the pages as they were read last, by their record.
    texts: HashMap<u64, BodyRef>,
    found: Vec<(u64, Found)>,
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
            rounds: Vec::new(),
            texts: HashMap::new(),
            found: Vec::new(),
        }
    }

    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        match &record.event {
            Event::Page(page) => {
                if let Some(text) = &page.text {
                    self.texts.insert(record.seq, text.clone());
                }
                if !page.outcome.is_indexed() {
                    return;
                }
                let Some((_, counts)) = self.rounds.last_mut() else {
                    return;
                };
                counts.new += 1;
                let row = ChangeRow {
                    url: page.url.clone(),
                    change: Change::New,
                    at: words::instant(record.at_ms),
                    before: None,
                    after: None,
                    similarity: None,
                    was_kept: false,
                    is_kept: true,
                    why: None,
                };
                let found = Found {
                    row,
                    before: None,
                    after: page.text.clone(),
                };
                self.found.push((record.at_ms, found));
            }
            Event::Again(again) => {
                let planned = again.urls.len() as u64;
                match self.rounds.last_mut() {
                    Some((_, counts)) if counts.round == again.round => counts.planned += planned,
                    Some(_) | None => {
                        let counts = RoundCounts {
                            round: again.round,
                            planned,
                            ..RoundCounts::default()
                        };
                        self.rounds.push((record.at_ms, counts));
                    }
                }
            }
            Event::Visit(visit) => self.visit(record, visit),
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Stop(_) => {}
        }
    }

    fn visit(&mut self, record: &Record, visit: &VisitRecord) {
        if let Some((_, counts)) = self.rounds.last_mut() {
            counts.count(visit);
        }
        let text = visit.version().and_then(|page| page.text.clone());
        if let Some(text) = &text {
            self.texts.insert(record.seq, text.clone());
        }
        match &visit.change {
            Change::Unchanged | Change::Unclear | Change::Unknown(_) => return,
            Change::New
            | Change::Touched
            | Change::Changed
            | Change::Moved
            | Change::Gone
            | Change::Back => {}
        }
        let was_kept = visit.was.is_indexed();
        let outcome = visit.outcome();
        let reason = outcome.as_ref().and_then(|outcome| outcome.reason());
        let dropped = reason.map(|reason| reason.into_owned());
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
            why: visit.detail.clone().or(dropped),
        };
        let found = Found {
            row,
            before: self.texts.get(&visit.of).cloned(),
            after: text,
        };
        self.found.push((record.at_ms, found));
    }

    /// What every round found, the first one first.
    pub fn rounds(&self) -> impl Iterator<Item = &RoundCounts> {
        self.rounds.iter().map(|(_, counts)| counts)
    }

    /// The changes in the order in which they were seen; `text` reads an archived text.
    pub fn rows<'c>(
        self,
        text: impl Fn(&BodyRef) -> Option<String> + 'c,
    ) -> impl Iterator<Item = ChangeRow> + 'c {
        let last = self.rounds.last().map_or(u64::MAX, |(at, _)| *at);
        let since = self.since_ms.unwrap_or(last);
        let found = self.found.into_iter().filter(move |(at, _)| *at >= since);
        found.map(move |(_, found)| {
            let read = |place: &Option<BodyRef>| place.as_ref().and_then(&text);
            let (before, after) = (read(&found.before), read(&found.after));
            let mut row = found.row;
            if let (Some(before), Some(after)) = (&before, &after) {
                (row.before, row.after) = differing(before, after);
            }
            row
        })
    }
}

impl RoundCounts {
    fn count(&mut self, visit: &VisitRecord) {
        self.visited += 1;
        let status = visit.fetch.as_ref().map_or(0, |fetch| fetch.status);
        self.not_modified += u64::from(status == 304);
        let count = match &visit.change {
            Change::New => &mut self.new,
            Change::Unchanged => &mut self.unchanged,
            Change::Touched => &mut self.touched,
            Change::Changed => &mut self.changed,
            Change::Moved => &mut self.moved,
            Change::Gone => &mut self.gone,
            Change::Back => &mut self.back,
            Change::Unclear | Change::Unknown(_) => &mut self.unclear,
        };
        *count += 1;
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
    use archive::{AgainRecord, PageRecord, PageSummary};
    use outcome::{Outcome, Verdict};

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
