//! Fetches in the order in which they were made.
//!
//! Records stand in the order in which URLs were settled, which is nearly that of the fetches: a
//! slow answer comes later. So rows wait in a window of some thousand and leave it by the time of
//! their request. Robots.txt and sitemaps are no pages and have no rows.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use archive::{BodyRef, Event, FetchRecord, Record};
use outcome::{FailureKind, Outcome};
use serde_json::{Value, json};

use super::columns::columns;
use super::filter::Facets;
use super::values::iso;

/// Rows that wait for an earlier one.
const WINDOW: usize = 8192;

#[derive(Debug, Default)]
pub(super) struct Fetches {
    waiting: BinaryHeap<Reverse<Waiting>>,
    made: u64,
}

/// A fetch of a page.
#[derive(Debug)]
pub(super) struct FetchRow {
    /// Its number among the fetches, counted from 1.
    seq: u64,
    url: String,
    started_ms: u64,
    status: u16,
    bytes: u64,
    ms: u64,
    attempt: u32,
    error: Option<FailureKind>,
    redirect_to: Option<String>,
    /// The number of its record.
    record: u64,
    /// Where its response is archived.
    body: Option<BodyRef>,
}

impl FetchRow {
    /// What a filter may ask of it.
    pub(super) fn facets(&self) -> Facets<'_> {
        Facets {
            host: weburl::host_of(&self.url),
            at_ms: self.started_ms,
            ..Facets::default()
        }
    }

    fn of_body(&self, value: impl Fn(&BodyRef) -> Value) -> Value {
        self.body.as_ref().map_or(Value::Null, value)
    }
}

columns! {
    /// Fetches of pages, in the order in which they were made; robots.txt and sitemaps are no pages.
    "fetches": FETCHES, fetch(row: &FetchRow);
    /// The number of the fetch, counted from 1.
    seq: Int = json!(row.seq),
    /// The URL that was asked for.
    url: Text = json!(row.url),
    /// When it was asked for, UTC.
    at: Time = iso(row.started_ms),
    /// HTTP status of the answer; 0 where there was none.
    status: Int = json!(row.status),
    /// Bytes of the body received.
    bytes: Int = json!(row.bytes),
    /// From the request to the end of the body, milliseconds.
    ms: Int = json!(row.ms),
    /// Which attempt it was, counted from 1.
    attempt: Int = json!(row.attempt),
    /// What went wrong: `timeout`, `dns`, …, or `http_404` and the like for a status of 400 and above; null where the
    /// answer was used.
    error: Text = json!(row.error),
    /// Where the answer sends us.
    redirect_to: Text = json!(row.redirect_to),
    /// The number of its record.
    record: Int = json!(row.record),
    /// The host that was asked, with its port unless that is the scheme's own.
    host: Text = json!(weburl::host_of(&row.url)),
    /// The archive's file that holds the response; null where no body is archived.
    warc_file: Text = row.of_body(|at| json!(at.file_name())),
    /// Where its record begins in that file, bytes.
    warc_offset: Int = row.of_body(|at| json!(at.offset)),
    /// Bytes of that record, compressed.
    warc_length: Int = row.of_body(|at| json!(at.len)),
}

/// A row that waits, ordered by the time of the request, then by the record: a record tells of one
/// fetch.
#[derive(Debug)]
struct Waiting(FetchRow);

impl Waiting {
    fn order(&self) -> (u64, u64) {
        (self.0.started_ms, self.0.record)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Waiting) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        self.order().cmp(&other.order())
    }
}

impl Fetches {
    pub(super) fn add(&mut self, record: &Record) -> Vec<FetchRow> {
        match &record.event {
            Event::Attempt(attempt) => {
                self.wait(
                    record,
                    &attempt.url,
                    &attempt.fetch,
                    attempt.attempt,
                    true,
                    None,
                );
            }
            Event::Page(page) => {
                if let Some(fetch) = &page.fetch {
                    let last_of_many = matches!(page.outcome, Outcome::Failed(_));
                    let body = page.body.as_ref();
                    self.wait(record, &page.url, fetch, page.attempt, last_of_many, body);
                }
            }
            Event::Visit(visit) => {
                if let Some(fetch) = &visit.fetch {
                    let body = visit.page.as_ref().and_then(|page| page.body.as_ref());
                    self.wait(record, &visit.url, fetch, 1, false, body);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => {}
        }
        match self.waiting.len() > WINDOW {
            true => self.leave().into_iter().collect(),
            false => Vec::new(),
        }
    }

    pub(super) fn rest(&mut self) -> Vec<FetchRow> {
        std::iter::from_fn(|| self.leave()).collect()
    }

    fn wait(
        &mut self,
        record: &Record,
        url: &str,
        fetch: &FetchRecord,
        attempt: u32,
        bad: bool,
        body: Option<&BodyRef>,
    ) {
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
        // Counted as an error of its host.
        let refused = FailureKind::Http(fetch.status);
        let refused = Some(&refused).filter(|_| fetch.status >= 400);
        let error = fetch.error.as_ref().or(cut).or(refused);
        self.waiting.push(Reverse(Waiting(FetchRow {
            seq: 0,
            url: url.to_owned(),
            started_ms,
            status: fetch.status,
            bytes: fetch.bytes,
            ms: fetch.ms,
            attempt,
            error: error.cloned(),
            redirect_to: fetch.redirect_to.clone(),
            record: record.seq,
            body: body.cloned(),
        })));
    }

    fn leave(&mut self) -> Option<FetchRow> {
        let Reverse(Waiting(first)) = self.waiting.pop()?;
        self.made += 1;
        Some(FetchRow {
            seq: self.made,
            ..first
        })
    }
}
