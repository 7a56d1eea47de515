//! One function per kind of row; values in the order of `What::keys`.

use std::collections::{BTreeMap, HashMap};

use archive::{BodyRef, Event, LinkRecord, PageRecord, PageSummary, Record};
use outcome::NeighbourDecision;
use serde_json::{Value, json};

use super::Row;
use super::later::Later;
use crate::hosts::HostRow;
use crate::original::{Candidate, Original, original};
use crate::words;

/// A time for a row; null for none.
pub(super) fn iso(ms: u64) -> Value {
    match words::instant(ms) {
        text if ms == 0 || text.is_empty() => Value::Null,
        text => Value::String(text),
    }
}

/// A short decimal for an `f32`: 0.7 and not 0.699999988079071.
fn decimal(value: f32) -> Value {
    let rounded = (f64::from(value) * 10_000.0).round() / 10_000.0;
    serde_json::Number::from_f64(rounded).map_or(Value::Null, Value::Number)
}

fn text_or_null(text: &str) -> Value {
    match text {
        "" => Value::Null,
        text => Value::String(text.to_owned()),
    }
}

fn fetched_at(at_ms: u64, page: &PageRecord) -> Value {
    let started = page.fetch.as_ref().map_or(0, |fetch| fetch.started_ms);
    iso(if started == 0 { at_ms } else { started })
}

pub(super) fn page(seq: u64, at_ms: u64, page: &PageRecord, names: &HashMap<u64, String>) -> Row {
    let nothing = PageSummary::default();
    let summary = page.page.as_ref().unwrap_or(&nothing);
    vec![
        json!(page.url),
        json!(page.outcome.name()),
        json!(page.fetch.as_ref().map_or(0, |fetch| fetch.status)),
        json!(page.outcome.verdict()),
        json!(page.outcome.reason()),
        json!(page.depth),
        json!(page.via.and_then(|via| names.get(&via))),
        summary.relevance.map_or(Value::Null, decimal),
        text_or_null(&summary.fingerprint),
        text_or_null(&summary.lang),
        text_or_null(&summary.charset),
        text_or_null(&summary.title),
        json!(page.page.as_ref().map(|page| page.words)),
        json!(page.links.len()),
        page.fetch
            .as_ref()
            .map_or(Value::Null, |_| fetched_at(at_ms, page)),
        json!(seq),
    ]
}

pub(super) fn indexed(
    seq: u64,
    at_ms: u64,
    page: &PageRecord,
    text: &dyn Fn(&BodyRef) -> Option<String>,
) -> Option<Row> {
    if !page.outcome.is_indexed() {
        return None;
    }
    let summary = page.page.as_ref()?;
    Some(vec![
        json!(page.url),
        json!(summary.title),
        json!(page.text.as_ref().and_then(text)),
        text_or_null(&summary.lang),
        json!(summary.author),
        json!(summary.published),
        text_or_null(&summary.fingerprint),
        summary.relevance.map_or(Value::Null, decimal),
        fetched_at(at_ms, page),
        json!(seq),
    ])
}

pub(super) fn junk(seq: u64, at_ms: u64, page: &PageRecord) -> Option<Row> {
    let reason = page.junk()?;
    let nearest = page.nearest.as_ref().filter(|_| reason.is_duplicate());
    // A page that was replaced was never measured against the page that took its place.
    let measured = nearest.filter(|nearest| nearest.decision != NeighbourDecision::Replaced);
    let relevance = page.page.as_ref().and_then(|page| page.relevance);
    Some(vec![
        json!(page.url),
        json!(reason),
        json!(nearest.map(|nearest| &nearest.url)),
        json!(measured.map(|nearest| nearest.distance)),
        measured.map_or(Value::Null, |nearest| decimal(nearest.overlap)),
        json!(measured.and_then(|nearest| nearest.kind.as_ref())),
        relevance.map_or(Value::Null, decimal),
        json!(page.page.as_ref().map(|page| page.words)),
        fetched_at(at_ms, page),
        json!(seq),
    ])
}

pub(super) fn link(from: &str, link: &LinkRecord) -> Row {
    vec![
        json!(from),
        json!(link.url),
        json!(link.anchor),
        json!(link.rel),
        decimal(link.promise),
        json!(link.fate),
    ]
}

pub(super) fn host_row(host: &HostRow) -> Row {
    vec![
        json!(host.host),
        json!(host.counts.finished),
        json!(host.counts.indexed),
        json!(host.duplicates),
        json!(host.off_topic),
        json!(host.errors),
        json!(host.bytes),
        text_or_null(host.robots.name()),
        json!(host.delay_s),
        json!(host.avg_ms),
        json!(host.state),
        json!(host.counts.pending),
        json!(host.counts.admitted),
    ]
}

/// Duplicates by the page that they repeat, and what tells a source from its copies. Grows with
/// the number of pages.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    by_page: BTreeMap<u64, Vec<Member>>,
    kept: HashMap<u64, Candidate>,
    /// Links to a page from others of the crawl.
    links_in: HashMap<String, u32>,
    /// Duplicates by host.
    copies: HashMap<String, u32>,
}

#[derive(Debug)]
struct Member {
    row: Value,
    page: Candidate,
}

impl Clusters {
    pub(super) fn add(&mut self, record: &Record, later: &Later) {
        let Event::Page(page) = &record.event else {
            return;
        };
        let Some(page) = later.page(record.seq, page) else {
            return;
        };
        for link in page.links.iter().filter(|link| link.url != page.url) {
            *self.links_in.entry(link.url.clone()).or_default() += 1;
        }
        let summary = page.page.as_ref();
        let candidate = Candidate {
            url: page.url.clone(),
            canonical: summary.and_then(|page| page.canonical.clone()),
            source: summary.and_then(|page| page.source.clone()),
            published: summary.and_then(|page| page.published.clone()),
            ..Candidate::default()
        };
        if page.outcome.is_indexed() {
            self.kept.insert(record.seq, candidate);
            return;
        }
        let duplicate = page.outcome.is_duplicate();
        let Some(nearest) = page.nearest.as_ref().filter(|_| duplicate) else {
            return;
        };
        let measured = nearest.decision != NeighbourDecision::Replaced;
        let row = json!({
            "url": page.url,
            "distance": measured.then_some(nearest.distance),
            "overlap": if measured { decimal(nearest.overlap) } else { Value::Null },
            "kind": nearest.kind,
            "first_seen": fetched_at(record.at_ms, &page),
            "published": candidate.published,
        });
        *self.copies.entry(host(&page.url)).or_default() += 1;
        self.by_page
            .entry(later.representative(nearest.page))
            .or_default()
            .push(Member {
                row,
                page: candidate,
            });
    }

    /// A row per cluster, in the order of their kept pages.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> {
        self.by_page.iter().filter_map(|(page, members)| {
            let rows: Vec<&Value> = members.iter().map(|member| &member.row).collect();
            let original = self.original(*page)?;
            Some(vec![
                json!(self.kept.get(page)?.url),
                json!(rows),
                json!(original.url),
                json!(original.because),
            ])
        })
    }

    /// The guess at the source of a cluster, by its kept page; none where nothing repeats it.
    pub(super) fn original(&self, page: u64) -> Option<Original> {
        let members = self.by_page.get(&page)?.iter().map(|member| &member.page);
        let known = |page: &Candidate| Candidate {
            links_in: self.links_in.get(&page.url).copied().unwrap_or(0),
            host_copies: self.copies.get(&host(&page.url)).copied().unwrap_or(0),
            ..page.clone()
        };
        let pages = std::iter::once(self.kept.get(&page)?).chain(members);
        original(&pages.map(known).collect::<Vec<_>>())
    }
}

/// The host in a URL.
fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split('/').next().unwrap_or("").to_owned()
}
