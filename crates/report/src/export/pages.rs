//! Rows about URLs that were finished: all of them, the kept and the dropped pages.

use std::collections::HashMap;

use archive::{BodyRef, NeighbourRecord, PageRecord, PageSummary};
use outcome::{JunkReason, NeighbourDecision};
use serde_json::{Value, json};

use super::columns::columns;
use super::values::{decimal, iso, text_or_null};

/// A finished URL as it stands at the end.
pub(super) struct PageRow<'r> {
    /// The number of its record.
    pub(super) seq: u64,
    /// When the record was written.
    pub(super) at_ms: u64,
    /// The record, with what later ones say of it.
    pub(super) record: &'r PageRecord,
    /// URLs of pages with new links, by the number of their record.
    pub(super) names: &'r HashMap<u64, String>,
    /// Reads an archived text.
    pub(super) text: &'r dyn Fn(&BodyRef) -> Option<String>,
}

impl PageRow<'_> {
    /// A value of the page; null where nothing was read.
    fn of_page(&self, value: impl Fn(&PageSummary) -> Value) -> Value {
        self.record.page.as_ref().map_or(Value::Null, value)
    }

    fn relevance(&self) -> Value {
        self.of_page(|page| page.relevance.map_or(Value::Null, decimal))
    }

    /// When it was asked for; of records that do not say so, when it was finished.
    fn fetched_at(&self) -> Value {
        fetched_at(self.at_ms, self.record)
    }

    pub(super) fn is_kept(&self) -> bool {
        is_kept(self.record) && self.record.page.is_some()
    }
}

/// When a page was asked for, or else when its record was written.
pub(super) fn fetched_at(at_ms: u64, page: &PageRecord) -> Value {
    let started = page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms);
    iso(if started == 0 { at_ms } else { started })
}

pub(super) fn is_kept(page: &PageRecord) -> bool {
    page.outcome.is_indexed()
}

/// The page that a duplicate repeats.
pub(super) fn repeated(page: &PageRecord) -> Option<&NeighbourRecord> {
    page.nearest
        .as_ref()
        .filter(|_| page.outcome.is_duplicate())
}

/// Whether a page was measured against the one it repeats: one that was replaced was never
/// measured against the page that took its place.
pub(super) fn is_measured(nearest: &NeighbourRecord) -> bool {
    nearest.decision != NeighbourDecision::Replaced
}

columns! {
    /// URLs that were finished, in the order in which they were.
    "pages": PAGES, page(row: &PageRow<'_>);
    /// The URL, in its canonical form.
    url = json!(row.record.url),
    /// What became of it: `judged`, `redirected`, `not_modified`, `refused` or `failed`.
    outcome = json!(row.record.outcome.name()),
    /// HTTP status of the answer; 0 where there was none.
    status = json!(row.record.fetch.as_ref().map_or(0, |fetch| fetch.status)),
    /// Of a judged page, `indexed` or `junk`; else null.
    verdict = json!(row.record.outcome.verdict()),
    /// Why it was dropped, refused or could not be had; null for a kept page.
    reason = json!(row.record.outcome.reason()),
    /// Links from a seed to it, by the way on which it was found first.
    depth = json!(row.record.depth),
    /// The page that it was found on first; null for seeds, and URLs of sitemaps.
    via = json!(row.record.via.and_then(|via| row.names.get(&via))),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance = row.relevance(),
    /// The fingerprint of its text, 16 hex digits.
    fingerprint = row.of_page(|page| text_or_null(&page.fingerprint)),
    /// The language of its text.
    lang = row.of_page(|page| text_or_null(&page.lang)),
    /// The encoding it was read in.
    charset = row.of_page(|page| text_or_null(&page.charset)),
    /// Its title.
    title = row.of_page(|page| text_or_null(&page.title)),
    /// Words of its main text.
    words = row.of_page(|page| json!(page.words)),
    /// Links found on it.
    links = json!(row.record.links.len()),
    /// When it was asked for, UTC; null where it was not.
    fetched_at = row.record.fetch.as_ref().map_or(Value::Null, |_| row.fetched_at()),
    /// The number of its record.
    page = json!(row.seq),
}

columns! {
    /// Pages that are kept, with their texts, in the order in which they were judged.
    "indexed": INDEXED, indexed(row: &PageRow<'_>);
    /// The URL, in its canonical form.
    url = json!(row.record.url),
    /// Its title; empty where it has none.
    title = row.of_page(|page| json!(page.title)),
    /// Its main text; null where the archive does not hold it.
    text = json!(row.record.text.as_ref().and_then(row.text)),
    /// The language of its text.
    lang = row.of_page(|page| text_or_null(&page.lang)),
    /// Its author, as it says.
    author = row.of_page(|page| json!(page.author)),
    /// When it was published, as it says, ISO 8601.
    published = row.of_page(|page| json!(page.published)),
    /// The fingerprint of its text, 16 hex digits.
    fingerprint = row.of_page(|page| text_or_null(&page.fingerprint)),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance = row.relevance(),
    /// When it was asked for, UTC.
    fetched_at = row.fetched_at(),
    /// The number of its record.
    page = json!(row.seq),
}

/// A dropped page.
pub(super) struct JunkRow<'r> {
    page: PageRow<'r>,
    reason: &'r JunkReason,
    /// The page that a duplicate repeats.
    nearest: Option<&'r NeighbourRecord>,
    /// The same where it was measured.
    measured: Option<&'r NeighbourRecord>,
}

impl<'r> JunkRow<'r> {
    /// `None` for what is no dropped page.
    pub(super) fn of(page: PageRow<'r>) -> Option<JunkRow<'r>> {
        let reason = page.record.junk()?;
        let nearest = repeated(page.record);
        Some(JunkRow {
            reason,
            nearest,
            measured: nearest.filter(|nearest| is_measured(nearest)),
            page,
        })
    }
}

columns! {
    /// Pages that were dropped, with the reason and the evidence, in the order in which they were
    /// judged.
    "junk": JUNK, junk(row: &JunkRow<'_>);
    /// The URL, in its canonical form.
    url = json!(row.page.record.url),
    /// Why it was dropped.
    reason = json!(row.reason),
    /// Of a duplicate, the kept page that it repeats.
    dup_of = json!(row.nearest.map(|nearest| &nearest.url)),
    /// Bits in which the two fingerprints differ; null where it made room for a better copy.
    distance = json!(row.measured.map(|nearest| nearest.distance)),
    /// Estimated share of word pairs that the two have in common, 0 to 1.
    overlap = row.measured.map_or(Value::Null, |nearest| decimal(nearest.overlap)),
    /// Whole or in part, in the same layout or another: `full_layout`, `full_content`,
    /// `partial_layout` or `partial_content`.
    kind = json!(row.measured.and_then(|nearest| nearest.kind.as_ref())),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance = row.page.relevance(),
    /// Words of its main text.
    words = row.page.of_page(|page| json!(page.words)),
    /// When it was asked for, UTC.
    fetched_at = row.page.fetched_at(),
    /// The number of its record.
    page = json!(row.page.seq),
    /// Of a wall, its kind: `bot`, `human`, `rate_limit`, `consent`, `login`, `parked`, `coming_soon`.
    wall = row.page.of_page(|page| json!(page.wall.as_ref().map(|wall| wall.kind.name()))),
}
