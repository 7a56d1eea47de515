//! What follows from the journal, read once from its beginning.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use archive::{
    AgainRecord, BodyRef, ElsewhereRecord, Event, PageRecord, Position, Replayed, VisitRecord,
};
use frontier::CanonicalUrl;
use outcome::{NeighbourDecision, SitemapKind};

use super::CheckReport;
use super::bodies::Bodies;
use super::rejudge::Rejudge;
use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;

/// What the journal says the views must hold.
#[derive(Default)]
pub(super) struct Journal {
    pub(super) admitted: HashSet<u128>,
    pub(super) finished: HashMap<u128, bool>,
    /// To be visited again.
    pub(super) due: HashSet<u128>,
    pub(super) kept: HashMap<u64, String>,
    pub(super) ever_kept: HashSet<u64>,
    /// Where the texts of pages are that were kept, as far as they are archived.
    pub(super) texts: HashMap<u64, BodyRef>,
    pub(super) seq: u64,
    /// The journal is that of one node among others.
    pub(super) is_node: bool,
    /// Pages that other nodes keep.
    pub(super) kept_elsewhere: HashSet<u64>,
}

pub(super) fn key(url: &str) -> u128 {
    CanonicalUrl::parse(url).map_or(0, |url| url.key())
}

pub(super) fn read_journal(
    dir: &CrawlDir,
    config: &Arc<CrawlConfig>,
    rejudge: bool,
    bodies: &mut Bodies,
    report: &mut CheckReport,
) -> Result<Journal, CrawlError> {
    let mut journal = Journal::default();
    let mut again = rejudge.then(|| Rejudge::new(config)).transpose()?;
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        let record = match replayed? {
            Replayed::Record { record, .. } => record,
            Replayed::Damage(damage) => {
                report.damage.push(damage.to_string().replace('\n', " "));
                continue;
            }
        };
        report.records += 1;
        bodies.look(&record);
        if record.seq <= journal.seq {
            report.problem(format!(
                "record {} follows record {}",
                record.seq, journal.seq
            ));
        }
        journal.seq = record.seq;
        match &record.event {
            Event::Seed(seed) => {
                if !seed.sitemap && seed.fate.is_none() {
                    admit(&seed.url, &mut journal, report);
                }
            }
            Event::Start(start) => {
                journal.is_node |= start.node.is_some();
                if let Some(again) = &mut again {
                    again.start(record.seq, &start.config, report)?;
                }
            }
            Event::Sitemap(sitemap) if sitemap.kind != SitemapKind::Index => {
                for url in &sitemap.urls {
                    admit(url, &mut journal, report);
                }
            }
            Event::Retry(retry) => {
                for (at, url) in retry.urls.iter().enumerate() {
                    if retry.origins.get(at).is_some_and(|origin| origin.left_out) {
                        admit(url, &mut journal, report);
                    }
                    if journal.finished.remove(&key(url)).is_some() {
                        report.finished -= 1;
                    }
                }
            }
            Event::Page(page) => {
                read_page(record.seq, page, &mut journal, report);
                if let Some(again) = &mut again {
                    again.page(record.seq, page, report)?;
                }
            }
            Event::Elsewhere(elsewhere) => {
                read_elsewhere(elsewhere, &mut journal);
                if let Some(again) = &mut again {
                    again.elsewhere(record.seq, elsewhere)?;
                }
            }
            Event::Again(round) => read_round(round, &mut journal, report),
            Event::Visit(visit) => {
                read_visit(record.seq, visit, &mut journal, report);
                if let Some(again) = &mut again {
                    again.visit(record.seq, visit, report)?;
                }
            }
            Event::Robots(_) | Event::Sitemap(_) | Event::Attempt(_) | Event::Stop(_) => {}
        }
    }
    report.kept = journal.kept.len() as u64;
    Ok(journal)
}

pub(super) fn admit(url: &str, journal: &mut Journal, report: &mut CheckReport) {
    report.admitted += u64::from(journal.admitted.insert(key(url)));
}

pub(super) fn read_page(
    seq: u64,
    page: &PageRecord,
    journal: &mut Journal,
    report: &mut CheckReport,
) {
    let url = key(&page.url);
    report.finished += 1;
    let kept = page.outcome.is_indexed();
    if journal.finished.insert(url, kept).is_some() {
        report.doubt(format!("{} was finished twice (record {seq})", page.url));
    }
    if page.named_sitemap {
        admit(&page.url, journal, report);
    }
    if !journal.is_node && journal.admitted.insert(url) {
        report.admitted += 1;
        report.doubt(format!(
            "{} was finished but never admitted (record {seq})",
            page.url
        ));
    }
    read_version(seq, page, journal, report);
}

/// What other nodes keep, and which pages of this one gave their place up to those.
pub(super) fn read_elsewhere(elsewhere: &ElsewhereRecord, journal: &mut Journal) {
    let withdraw = |journal: &mut Journal, page: u64| {
        if let Some(url) = journal.kept.remove(&page) {
            journal.finished.insert(key(&url), false);
        }
        journal.kept_elsewhere.remove(&page);
    };
    for page in &elsewhere.kept {
        if let Some(old) = page.replaces {
            withdraw(journal, old);
        }
        journal.kept_elsewhere.insert(page.page);
        journal.ever_kept.insert(page.page);
    }
    for &page in &elsewhere.withdrawn {
        withdraw(journal, page);
    }
}

/// URLs that are to be visited again have been finished.
pub(super) fn read_round(round: &AgainRecord, journal: &mut Journal, report: &mut CheckReport) {
    for due in &round.urls {
        let url = key(&due.url);
        if !due.source && !journal.finished.contains_key(&url) {
            report.doubt(format!(
                "{} is to be visited again, but is not finished",
                due.url
            ));
            continue;
        }
        journal.due.insert(url);
    }
}

/// A URL that was visited again: what was kept of it may have given its place up.
pub(super) fn read_visit(
    seq: u64,
    visit: &VisitRecord,
    journal: &mut Journal,
    report: &mut CheckReport,
) {
    let url = key(&visit.url);
    if !journal.due.remove(&url) {
        report.doubt(format!(
            "{} was visited again but was not to be (record {seq})",
            visit.url
        ));
    }
    let was_kept = journal.finished.get(&url) == Some(&true);
    if was_kept != visit.was.is_indexed() {
        report.doubt(format!(
            "{} was {}kept before record {seq}, which has it otherwise",
            visit.url,
            if was_kept { "" } else { "not " }
        ));
    }
    if visit.ends_version() {
        if was_kept && journal.kept.remove(&visit.of).is_none() {
            let of = visit.of;
            report.doubt(format!(
                "{} is no version of record {of} (record {seq})",
                visit.url
            ));
        }
        let is_kept = visit.outcome().is_some_and(|outcome| outcome.is_indexed());
        journal.finished.insert(url, is_kept);
    }
    if let Some(page) = &visit.page {
        read_version(seq, page, journal, report);
    }
}

/// What a page that was read says of others.
pub(super) fn read_version(
    seq: u64,
    page: &PageRecord,
    journal: &mut Journal,
    report: &mut CheckReport,
) {
    for link in page.admitting_links() {
        if journal.admitted.insert(key(&link.url)) {
            report.admitted += 1;
        } else {
            report.doubt(format!("{} was admitted twice (record {seq})", link.url));
        }
    }
    if let Some(nearest) = page
        .nearest
        .as_ref()
        .filter(|near| near.decision == NeighbourDecision::Duplicate)
        && !journal.ever_kept.contains(&nearest.page)
    {
        report.doubt(format!(
            "{} is called a duplicate of record {}, which is no kept page",
            page.url, nearest.page
        ));
    }
    let replaced = page.replaces;
    if let Some(old) = replaced
        && !journal.kept.contains_key(&old)
        && !journal.kept_elsewhere.remove(&old)
    {
        report.doubt(format!(
            "{} takes the place of record {old}, which is no kept page",
            page.url
        ));
    }
    if let Some(old) = replaced.and_then(|old| journal.kept.remove(&old)) {
        journal.finished.insert(key(&old), false);
    }
    if page.outcome.is_indexed() && page.page.is_some() {
        journal.kept.insert(seq, page.url.clone());
        journal.ever_kept.insert(seq);
        let text = page.text.iter().cloned();
        journal.texts.extend(text.map(|at| (seq, at)));
    }
}
