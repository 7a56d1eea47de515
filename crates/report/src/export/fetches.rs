//! Fetches in the order in which they were made.
//!
//! Records stand in the order in which URLs were settled, which is nearly that of the fetches: a
//! slow answer comes later. So rows wait in a window of some thousand and leave it by the time of
//! their request. Robots.txt and sitemaps are no pages and have no rows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use archive::{Event, FetchRecord, Record};
use outcome::{FailureKind, Outcome};
use serde_json::json;

use super::Row;
use super::rows::iso;

/// Rows that wait for an earlier one.
const WINDOW: usize = 8192;

#[derive(Debug, Default)]
pub(super) struct Fetches {
    waiting: BinaryHeap<Reverse<Waiting>>,
    made: u64,
}

/// Ordered by the time of the request, then by the record.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    started_ms: u64,
    record: u64,
    /// The rest of the row, as JSON: values are not ordered, text is.
    url: String,
    row: String,
}

impl Fetches {
    pub(super) fn add(&mut self, record: &Record) -> Vec<Row> {
        match &record.event {
            Event::Attempt(attempt) => {
                self.wait(record, &attempt.url, &attempt.fetch, attempt.attempt, true);
            }
            Event::Page(page) => {
                if let Some(fetch) = &page.fetch {
                    let last_of_many = matches!(page.outcome, Outcome::Failed(_));
                    self.wait(record, &page.url, fetch, page.attempt, last_of_many);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Retry(_)
            | Event::Stop(_) => {}
        }
        match self.waiting.len() > WINDOW {
            true => self.leave().into_iter().collect(),
            false => Vec::new(),
        }
    }

    pub(super) fn rest(&mut self) -> Vec<Row> {
        std::iter::from_fn(|| self.leave()).collect()
    }

    fn wait(&mut self, record: &Record, url: &str, fetch: &FetchRecord, attempt: u32, bad: bool) {
        let started_ms = match fetch.started_ms {
            0 => record.at_ms.saturating_sub(fetch.ms),
            started => started,
        };
        // A body that broke off and was asked for again is an error even without a name.
        let cut = fetch
            .truncated
            .as_ref()
            .filter(|_| bad)
            .map(|_| &FailureKind::Truncated);
        let error = fetch.error.as_ref().or(cut);
        let row = json!([
            0,
            url,
            iso(started_ms),
            fetch.status,
            fetch.bytes,
            fetch.ms,
            attempt,
            error,
            fetch.redirect_to,
            record.seq
        ]);
        self.waiting.push(Reverse(Waiting {
            started_ms,
            record: record.seq,
            url: url.to_owned(),
            row: row.to_string(),
        }));
    }

    fn leave(&mut self) -> Option<Row> {
        let Reverse(first) = self.waiting.pop()?;
        self.made += 1;
        let mut row: Row = serde_json::from_str(&first.row).expect("written as JSON above");
        row[0] = json!(self.made);
        Some(row)
    }
}
