//! The URLs of a journal that may be tried again, and links that a budget left out.

use std::collections::{HashMap, HashSet};

use archive::{Event, PageRecord, Record, RetryOrigin};
use frontier::CanonicalUrl;
use outcome::{Outcome, OutcomeKind, Refusal};

use super::filter::RetryFilter;
use super::origin;

/// URLs put back at once; the rest when asked again. Some 300 bytes of memory each.
const URLS_MAX: usize = 500_000;

/// A URL that may be tried again, with where it came from and how it had ended.
pub type Candidate = (String, RetryOrigin);

/// Finds in the journal the URLs that ended in one of several ways and were not put back since.
pub struct Candidates<F> {
    way: F,
    ended: HashMap<String, (u64, usize, RetryOrigin)>,
}

impl<F: Fn(&PageRecord) -> Option<usize>> Candidates<F> {
    /// Looks for URLs whose record has a `way`.
    pub fn new(way: F) -> Self {
        Self {
            way,
            ended: HashMap::new(),
        }
    }

    /// Takes in the next record of the journal.
    pub fn add(&mut self, record: Record) {
        match record.event {
            Event::Page(page) => {
                if let Some(way) = (self.way)(&page)
                    && self.ended.len() < URLS_MAX
                {
                    let origin = origin(&page);
                    self.ended.insert(page.url, (record.seq, way, origin));
                }
            }
            Event::Retry(retry) => {
                for url in &retry.urls {
                    self.ended.remove(url);
                }
            }
            Event::Start(_)
            | Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Visit(_)
            | Event::Stop(_) => {}
        }
    }

    /// The URLs of each of `ways` ways, in the order of their records.
    pub fn finish(self, ways: usize) -> Vec<Vec<Candidate>> {
        let mut ended: Vec<_> = self.ended.into_iter().collect();
        ended.sort_unstable_by_key(|(_, (seq, ..))| *seq);
        let mut by_way = vec![Vec::new(); ways];
        for (url, (_, way, origin)) in ended {
            by_way[way].push((url, origin));
        }
        by_way
    }
}

/// The way of URLs that a filter takes.
pub fn way_of_filter(filter: &RetryFilter) -> impl Fn(&PageRecord) -> Option<usize> + '_ {
    |page| filter.takes(page).then_some(0)
}

/// The way of URLs that were refused for one of these rules: the rule's place among them.
pub fn way_of_rules(rules: &[String]) -> impl Fn(&PageRecord) -> Option<usize> + '_ {
    |page| {
        let refusal = page.outcome.refusal();
        let refused_for = refusal.map(Refusal::rules).unwrap_or_default();
        rules.iter().position(|rule| refused_for.contains(rule))
    }
}

/// The way of URLs that were refused at their turn because a budget left them out.
pub fn way_of_budgets(page: &PageRecord) -> Option<usize> {
    match page.outcome.refusal() {
        Some(Refusal::LeftOut(fate)) => fate.is_budget().then_some(0),
        Some(_) | None => None,
    }
}

/// Finds in the journal the URLs that a budget left out where they were found.
pub struct LeftOutLinks {
    pub(super) found: Vec<Candidate>,
    /// Each once for each seed, since the seeds' budgets differ.
    pub(super) urls: HashSet<(u128, u32)>,
    pub(super) urls_max: usize,
}

impl Default for LeftOutLinks {
    fn default() -> Self {
        Self {
            found: Vec::new(),
            urls: HashSet::new(),
            urls_max: URLS_MAX,
        }
    }
}

impl LeftOutLinks {
    /// Takes in the next record of the journal. `is_unknown` says of a URL that it did not come in since: others
    /// take no room.
    ///
    /// # Errors
    /// Those of `is_unknown`.
    pub fn add<E>(
        &mut self,
        record: &Record,
        is_unknown: impl Fn(&CanonicalUrl) -> Result<bool, E>,
    ) -> Result<(), E> {
        let links = record.event.page().into_iter().flat_map(|page| {
            let links = page.links.iter();
            let left_out = links.filter(|link| link.fate.is_budget());
            left_out.map(move |link| (page, link))
        });
        for (page, link) in links {
            if let Ok(url) = CanonicalUrl::parse(&link.url)
                && self.found.len() < self.urls_max
                && !self.urls.contains(&(url.key(), page.seed))
                && is_unknown(&url)?
            {
                self.urls.insert((url.key(), page.seed));
                self.found
                    .push((link.url.clone(), left_out_origin(record.seq, page)));
            }
        }
        Ok(())
    }

    /// The URLs, in the order in which they were found.
    pub fn finish(self) -> Vec<Candidate> {
        self.found
    }
}

/// What the queue must know of a URL that a page links to.
fn left_out_origin(seq: u64, page: &PageRecord) -> RetryOrigin {
    let is_redirect = page.outcome == Outcome::Redirected;
    RetryOrigin {
        outcome: OutcomeKind::Refused,
        depth: page.depth_of_links(),
        seed: page.seed,
        hops: if is_redirect { page.hops + 1 } else { 0 },
        via: if is_redirect { page.via } else { Some(seq) },
        priority: page.priority,
        left_out: true,
        ..RetryOrigin::default()
    }
}
