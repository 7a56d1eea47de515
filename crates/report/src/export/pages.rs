//! Rows about URLs that were finished: all of them, the kept and the dropped pages.

use std::collections::HashMap;

use archive::{BodyRef, NeighbourRecord, PageRecord, PageSummary};
use outcome::{JunkReason, NeighbourDecision};
use serde_json::{Value, json};

use super::columns::columns;
use super::filter::Facets;
use super::request::Reads;
use super::values::{decimal, iso, moment, text_or_null};

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
    /// Reads what is archived.
    pub(super) reads: &'r dyn Reads,
    /// The URL of the page that stands at the end for the one that it repeats.
    pub(super) dup_of: Option<&'r str>,
}

impl PageRow<'_> {
    /// A value of the page; null where nothing was read.
    fn of_page(&self, value: impl Fn(&PageSummary) -> Value) -> Value {
        self.record.page.as_ref().map_or(Value::Null, value)
    }

    pub(super) fn relevance(&self) -> Value {
        self.of_page(|page| page.relevance.map_or(Value::Null, decimal))
    }

    /// When it was asked for; of records that do not say so, when it was finished.
    pub(super) fn fetched_at(&self) -> Value {
        fetched_at(self.at_ms, self.record)
    }

    /// A value of its archived response; null where there is none.
    fn of_body(&self, value: impl Fn(&BodyRef) -> Value) -> Value {
        self.record.body.as_ref().map_or(Value::Null, value)
    }

    fn text(&self) -> Value {
        let text = self.record.text.as_ref().and_then(|at| self.reads.text(at));
        json!(text)
    }

    fn markdown(&self) -> Value {
        let body = self
            .record
            .body
            .as_ref()
            .filter(|_| self.reads.fills_markdown());
        json!(body.and_then(|at| self.reads.markdown(&self.record.url, at)))
    }

    /// What a filter may ask of it.
    pub(super) fn facets(&self) -> Facets<'_> {
        let page = self.record.page.as_ref();
        Facets {
            host: weburl::host_of(&self.record.url),
            page_type: page.map(|page| &page.page_type),
            lang: page.map_or("", |page| &page.lang),
            at_ms: asked_ms(self.at_ms, self.record),
            relevance: page.and_then(|page| page.relevance),
        }
    }

    /// Whether it was read and dropped.
    pub(super) fn is_junk(&self) -> bool {
        self.record.junk().is_some()
    }

    pub(super) fn is_kept(&self) -> bool {
        is_kept(self.record) && self.record.page.is_some()
    }
}

/// When a page was asked for, or else when its record was written.
pub(super) fn fetched_at(at_ms: u64, page: &PageRecord) -> Value {
    iso(asked_ms(at_ms, page))
}

fn asked_ms(at_ms: u64, page: &PageRecord) -> u64 {
    match page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms) {
        0 => at_ms,
        started => started,
    }
}

pub(super) fn is_kept(page: &PageRecord) -> bool {
    page.outcome.is_indexed()
}

/// The page that a duplicate repeats.
pub(crate) fn repeated(page: &PageRecord) -> Option<&NeighbourRecord> {
    page.nearest
        .as_ref()
        .filter(|_| page.outcome.is_duplicate())
}

/// Whether a page was measured against the one it repeats: one that was replaced was never
/// measured against the page that took its place.
pub(super) fn is_measured(nearest: &NeighbourRecord) -> bool {
    nearest.decision != NeighbourDecision::Replaced
}

/// What a page asks of robots.
fn asks(page: &PageSummary) -> Value {
    let asks = [("noindex", page.may_index), ("nofollow", page.may_follow)];
    let asks = asks.into_iter().filter(|(_, may)| !may);
    json!(asks.map(|(name, _)| name).collect::<Vec<_>>())
}

columns! {
    /// URLs that were finished, in the order in which they were.
    "pages": PAGES, page(row: &PageRow<'_>);
    /// The URL, in its canonical form.
    url: Text = json!(row.record.url),
    /// What became of it: `judged`, `redirected`, `not_modified`, `refused` or `failed`.
    outcome: Text = json!(row.record.outcome.name()),
    /// HTTP status of the answer; 0 where there was none.
    status: Int = json!(row.record.fetch.as_ref().map_or(0, |fetch| fetch.status)),
    /// Of a judged page, `indexed` or `junk`; else null.
    verdict: Text = json!(row.record.outcome.verdict()),
    /// Why it was dropped, refused or could not be had; null for a kept page.
    reason: Text = json!(row.record.outcome.reason()),
    /// Links from a seed to it, by the way on which it was found first.
    depth: Int = json!(row.record.depth),
    /// The page that it was found on first; null for seeds, and URLs of sitemaps.
    via: Text = json!(row.record.via.and_then(|via| row.names.get(&via))),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance: Float = row.relevance(),
    /// The fingerprint of its text, 16 hex digits.
    fingerprint: Text = row.of_page(|page| text_or_null(&page.fingerprint)),
    /// The language of its text.
    lang: Text = row.of_page(|page| text_or_null(&page.lang)),
    /// The encoding it was read in.
    charset: Text = row.of_page(|page| text_or_null(&page.charset)),
    /// Its title.
    title: Text = row.of_page(|page| text_or_null(&page.title)),
    /// Words of its main text.
    words: Int = row.of_page(|page| json!(page.words)),
    /// Links found on it.
    links: Int = json!(row.record.links.len()),
    /// When it was asked for, UTC; null where it was not.
    fetched_at: Time = row.record.fetch.as_ref().map_or(Value::Null, |_| row.fetched_at()),
    /// The number of its record.
    page: Int = json!(row.seq),
    /// Its host, with its port unless that is the scheme's own.
    host: Text = json!(weburl::host_of(&row.record.url)),
    /// What kind of page it is: `article`, `forum`, `product`, `collection`, `listing`,
    /// `documentation`, `service`, `front_page`, `wall` or `other`.
    page_type: Text = row.of_page(|page| text_or_null(page.page_type.name())),
    /// The archive's file that holds the response; null where no body is archived.
    warc_file: Text = row.of_body(|at| json!(at.file_name())),
    /// Where its record begins in that file, bytes.
    warc_offset: Int = row.of_body(|at| json!(at.offset)),
    /// Bytes of that record, compressed.
    warc_length: Int = row.of_body(|at| json!(at.len)),
    /// What it asks of robots: `noindex`, `nofollow`, both or neither.
    robots: List = row.of_page(asks),
    /// The licence that it links to.
    licence: Text = row.of_page(|page| json!(page.licence)),
    /// What it says of the use of its text, in its own words: `noai`, `content-usage: train-ai=n`.
    usage: List = row.of_page(|page| json!(page.usage)),
}

columns! {
    /// Pages that are kept, with their texts, in the order in which they were judged.
    "indexed": INDEXED, indexed(row: &PageRow<'_>);
    /// The URL, in its canonical form.
    url: Text = json!(row.record.url),
    /// Its title; empty where it has none.
    title: Text = row.of_page(|page| json!(page.title)),
    /// Its main text; null where the archive does not hold it.
    text: Text = row.text(),
    /// The language of its text.
    lang: Text = row.of_page(|page| text_or_null(&page.lang)),
    /// Its author, as it says.
    author: Text = row.of_page(|page| json!(page.author)),
    /// When it was published, as it says; a date alone is its midnight, and a time without an offset is UTC.
    published: Time = row.of_page(|page| page.published.as_deref().map_or(Value::Null, moment)),
    /// The fingerprint of its text, 16 hex digits.
    fingerprint: Text = row.of_page(|page| text_or_null(&page.fingerprint)),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance: Float = row.relevance(),
    /// When it was asked for, UTC.
    fetched_at: Time = row.fetched_at(),
    /// The number of its record.
    page: Int = json!(row.seq),
    /// Its host, with its port unless that is the scheme's own.
    host: Text = json!(weburl::host_of(&row.record.url)),
    /// What kind of page it is: `article`, `forum`, `product`, `collection`, `listing`,
    /// `documentation`, `service`, `front_page`, `wall` or `other`.
    page_type: Text = row.of_page(|page| text_or_null(page.page_type.name())),
    /// The archive's file that holds the response; null where no body is archived.
    warc_file: Text = row.of_body(|at| json!(at.file_name())),
    /// Where its record begins in that file, bytes.
    warc_offset: Int = row.of_body(|at| json!(at.offset)),
    /// Bytes of that record, compressed.
    warc_length: Int = row.of_body(|at| json!(at.len)),
    /// Words of its main text.
    words: Int = row.of_page(|page| json!(page.words)),
    /// The licence that it links to.
    licence: Text = row.of_page(|page| json!(page.licence)),
    /// What it says of the use of its text, in its own words: `noai`, `content-usage: train-ai=n`.
    usage: List = row.of_page(|page| json!(page.usage)),
    /// The same as Markdown, with headings, lists, tables and code; null unless `--markdown` asks for it.
    markdown: Text = row.markdown(),
}

/// A dropped page.
pub(super) struct JunkRow<'r> {
    page: PageRow<'r>,
    reason: &'r JunkReason,
    /// The page that a duplicate was measured against.
    measured: Option<&'r NeighbourRecord>,
}

impl<'r> JunkRow<'r> {
    /// `None` for what is no dropped page.
    pub(super) fn of(page: PageRow<'r>) -> Option<JunkRow<'r>> {
        let reason = page.record.junk()?;
        Some(JunkRow {
            reason,
            measured: repeated(page.record).filter(|nearest| is_measured(nearest)),
            page,
        })
    }
}

columns! {
    /// Pages that were dropped, with the reason and the evidence, in the order in which they were
    /// judged.
    "junk": JUNK, junk(row: &JunkRow<'_>);
    /// The URL, in its canonical form.
    url: Text = json!(row.page.record.url),
    /// Why it was dropped.
    reason: Text = json!(row.reason),
    /// Of a duplicate, the page that is kept at the end.
    dup_of: Text = json!(row.page.dup_of),
    /// Bits in which its fingerprint and that of `nearest` differ; null where it made room for a better copy.
    distance: Int = json!(row.measured.map(|nearest| nearest.distance)),
    /// Estimated share of word pairs that it and `nearest` have in common, 0 to 1.
    overlap: Float = row.measured.map_or(Value::Null, |nearest| decimal(nearest.overlap)),
    /// Whole or in part, in the same layout or another: `full_layout`, `full_content`,
    /// `partial_layout` or `partial_content`.
    kind: Text = json!(row.measured.and_then(|nearest| nearest.kind.as_ref())),
    /// Probability that it is about the topic, 0 to 1; null without a topic.
    relevance: Float = row.page.relevance(),
    /// Words of its main text.
    words: Int = row.page.of_page(|page| json!(page.words)),
    /// When it was asked for, UTC.
    fetched_at: Time = row.page.fetched_at(),
    /// The number of its record.
    page: Int = json!(row.page.seq),
    /// Of a wall, its kind: `bot`, `human`, `rate_limit`, `consent`, `login`, `parked`, `coming_soon`.
    wall: Text = row.page.of_page(|page| json!(page.wall.as_ref().map(|wall| wall.kind.name()))),
    /// Its host, with its port unless that is the scheme's own.
    host: Text = json!(weburl::host_of(&row.page.record.url)),
    /// What kind of page it is: `article`, `forum`, `product`, `collection`, `listing`,
    /// `documentation`, `service`, `front_page`, `wall` or `other`.
    page_type: Text = row.page.of_page(|page| text_or_null(page.page_type.name())),
    /// The language of its text.
    lang: Text = row.page.of_page(|page| text_or_null(&page.lang)),
    /// Its title.
    title: Text = row.page.of_page(|page| text_or_null(&page.title)),
    /// The archive's file that holds the response; null where no body is archived.
    warc_file: Text = row.page.of_body(|at| json!(at.file_name())),
    /// Where its record begins in that file, bytes.
    warc_offset: Int = row.page.of_body(|at| json!(at.offset)),
    /// Bytes of that record, compressed.
    warc_length: Int = row.page.of_body(|at| json!(at.len)),
    /// The page that it was measured against, which was kept then; null where it made room for a better copy.
    nearest: Text = json!(row.measured.map(|nearest| &nearest.url)),
}
