//! What came of the links of a page: how many were followed, and how the most promising did.

use std::collections::{BTreeMap, HashMap, HashSet};

use archive::{Event, LinkRecord, PageRecord, Record};
use outcome::{LinkFate, Outcome, UrlState};
use serde::{Deserialize, Serialize};

/// Links told one by one.
const BEST_MAX: usize = 8;

/// The links of a page, and what came of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Led {
    /// The page, by record number.
    pub page: u64,
    /// Its URL.
    pub from: String,
    /// Links on it that the crawl may follow.
    pub links: u64,
    /// Of these, links that brought a URL in.
    pub new: u64,
    /// Of these links, those whose pages were read.
    pub read: u64,
    /// Of these pages, those kept.
    pub indexed: u64,
    /// Of these pages, those relevant and no duplicate, in a crawl with a topic.
    pub relevant_and_new: u64,
    /// The links that promised most, at most 8.
    pub best: Vec<LedTo>,
}

/// A link, and what came of it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LedTo {
    /// Where it leads.
    pub url: String,
    /// Anchor text.
    pub anchor: String,
    /// What it promised when this page was read, 0.0 to 1.0.
    pub promise: f32,
    /// New or seen.
    pub fate: LinkFate,
    /// Where its URL is.
    pub state: UrlState,
    /// Why, where it is junk, refused or failed.
    pub reason: Option<String>,
    /// Relevance of its page.
    pub relevance: Option<f32>,
}

/// What came of a URL.
#[derive(Debug, Clone, Default)]
struct Came {
    outcome: Outcome,
    relevance: Option<f32>,
}

/// What came of the links of these pages, in their order; a page that is not in the journal is left
/// out. The records are read twice. A page is relevant from `threshold` on.
pub fn led<I: Iterator<Item = Record>>(
    records: impl Fn() -> I,
    pages: &[u64],
    threshold: f32,
) -> Vec<Led> {
    if pages.is_empty() {
        return Vec::new();
    }
    let mut found: BTreeMap<u64, Box<PageRecord>> = BTreeMap::new();
    for record in records() {
        if !pages.contains(&record.seq) {
            continue;
        }
        let page = match record.event {
            Event::Page(page) => Some(page),
            Event::Visit(visit) => visit.page,
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Stop(_) => None,
        };
        found.extend(page.map(|page| (record.seq, page)));
    }
    let mut came: HashMap<String, Option<Came>> = HashMap::new();
    for page in found.values() {
        came.extend(followed(page).map(|link| (link.url.clone(), None)));
    }
    if !came.is_empty() {
        for record in records() {
            match &record.event {
                Event::Page(page) => {
                    if let Some(known) = came.get_mut(&page.url) {
                        *known = Some(came_of(page));
                    }
                }
                Event::Visit(visit) => {
                    if let Some(known) = came.get_mut(&visit.url)
                        && let Some(page) = visit.as_page()
                    {
                        *known = Some(came_of(&page));
                    }
                }
                Event::Retry(retry) => {
                    for url in &retry.urls {
                        if let Some(known) = came.get_mut(url) {
                            *known = None;
                        }
                    }
                }
                Event::Start(_)
                | Event::Seed(_)
                | Event::Robots(_)
                | Event::Sitemap(_)
                | Event::Attempt(_)
                | Event::Again(_)
                | Event::Elsewhere(_)
                | Event::Stop(_) => {}
            }
        }
    }
    let told = pages.iter().filter_map(|page| {
        let record = found.get(page)?;
        Some(tell(*page, record, &came, threshold))
    });
    told.collect()
}

fn followed(page: &PageRecord) -> impl Iterator<Item = &LinkRecord> {
    let links = page.links.iter();
    links.filter(|link| link.fate.is_known() && link.url != page.url)
}

fn came_of(page: &PageRecord) -> Came {
    let summary = page.page.as_ref();
    Came {
        outcome: page.outcome.clone(),
        relevance: summary.and_then(|summary| summary.relevance),
    }
}

fn tell(seq: u64, page: &PageRecord, came: &HashMap<String, Option<Came>>, threshold: f32) -> Led {
    let mut led = Led {
        page: seq,
        from: page.url.clone(),
        ..Led::default()
    };
    let mut told = HashSet::new();
    for link in followed(page) {
        led.links += 1;
        led.new += u64::from(link.fate == LinkFate::New);
        // A URL that is linked twice was read once.
        if !told.insert(&link.url) {
            continue;
        }
        let came = came.get(&link.url).cloned().flatten();
        let outcome = came.as_ref().map(|came| &came.outcome);
        let relevance = came.as_ref().and_then(|came| came.relevance);
        led.read += u64::from(outcome.is_some_and(|came| matches!(came, Outcome::Judged(_))));
        led.indexed += u64::from(outcome.is_some_and(Outcome::is_indexed));
        let is_relevant = relevance.is_some_and(|relevance| relevance >= threshold);
        let is_duplicate = outcome.is_some_and(Outcome::is_duplicate);
        led.relevant_and_new += u64::from(is_relevant && !is_duplicate);
        led.best.push(LedTo {
            url: link.url.clone(),
            anchor: link.anchor.clone(),
            promise: link.promise,
            fate: link.fate.clone(),
            state: outcome.map_or(UrlState::Pending, UrlState::of),
            reason: outcome.and_then(|came| Some(came.reason()?.into_owned())),
            relevance,
        });
    }
    // Of equals the first on the page.
    led.best.sort_by(|a, b| b.promise.total_cmp(&a.promise));
    led.best.truncate(BEST_MAX);
    led
}
