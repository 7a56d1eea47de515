//! Rows about clusters of duplicates, each with a guess at the source of its text.

use std::collections::{BTreeMap, HashMap};

use archive::{Event, Record};
use serde_json::{Value, json};

use super::amendments::Amendments;
use super::columns::{Row, columns};
use super::filter::{Facets, Filter};
use super::pages::{fetched_at, is_kept, is_measured, repeated};
use super::values::{decimal, moment};
use crate::original::{Candidate, Original, original};

/// A cluster.
pub(super) struct ClusterRow<'r> {
    representative: &'r str,
    members: Vec<&'r Value>,
    original: Original,
}

columns! {
    /// Kept pages that have duplicates, with these, in the order in which they were kept.
    "clusters": CLUSTERS, cluster(row: &ClusterRow<'_>);
    /// The page that is kept.
    representative: Text = json!(row.representative),
    /// Its duplicates: a list of `{url, distance, overlap, kind, first_seen, published, nearest}`; the first three figures
    /// are of the duplicate and `nearest`, which was kept then.
    members: List = json!(row.members),
    /// The page that is the likeliest source of the text.
    original: Text = json!(row.original.url),
    /// Why it is thought so.
    original_because: Text = json!(row.original.because),
    /// The host of the kept page.
    host: Text = json!(weburl::host_of(row.representative)),
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
    pub(super) fn add(&mut self, record: &Record, amendments: &Amendments) {
        let Event::Page(page) = &record.event else {
            return;
        };
        let Some(page) = amendments.page(record.seq, page) else {
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
        if is_kept(&page) {
            self.kept.insert(record.seq, candidate);
            return;
        }
        let Some(nearest) = repeated(&page) else {
            return;
        };
        let is_measured = is_measured(nearest);
        let row = json!({
            "url": page.url,
            "distance": is_measured.then_some(nearest.distance),
            "overlap": if is_measured { decimal(nearest.overlap) } else { Value::Null },
            "kind": nearest.kind,
            "first_seen": fetched_at(record.at_ms, &page),
            "published": candidate.published.as_deref().map_or(Value::Null, moment),
            "nearest": is_measured.then_some(&nearest.url),
        });
        *self
            .copies
            .entry(weburl::host_of(&page.url).to_owned())
            .or_default() += 1;
        self.by_page
            .entry(amendments.representative(nearest.page))
            .or_default()
            .push(Member {
                row,
                page: candidate,
            });
    }

    /// A row per cluster, in the order of their kept pages.
    pub(super) fn rows(&self, filter: &Filter) -> impl Iterator<Item = Row> {
        let wants = |url: &str| {
            filter.wants(&Facets {
                host: weburl::host_of(url),
                ..Facets::default()
            })
        };
        self.by_page.iter().filter_map(move |(page, members)| {
            wants(&self.kept.get(page)?.url).then_some(())?;
            Some(cluster(&ClusterRow {
                representative: &self.kept.get(page)?.url,
                members: members.iter().map(|member| &member.row).collect(),
                original: self.original(*page)?,
            }))
        })
    }

    /// The guess at the source of a cluster, by its kept page; none where nothing repeats it.
    pub(super) fn original(&self, page: u64) -> Option<Original> {
        let members = self.by_page.get(&page)?.iter().map(|member| &member.page);
        let known = |page: &Candidate| Candidate {
            links_in: self.links_in.get(&page.url).copied().unwrap_or(0),
            host_copies: self
                .copies
                .get(weburl::host_of(&page.url))
                .copied()
                .unwrap_or(0),
            ..page.clone()
        };
        let pages = std::iter::once(self.kept.get(&page)?).chain(members);
        original(&pages.map(known).collect::<Vec<_>>())
    }
}
