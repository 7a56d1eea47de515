//! The crawl's counters: a fold over its records, for progress and budgets.
//!
//! (`report` has the full fold; this is the part that must be at hand at every moment.)

use std::collections::BTreeMap;

use archive::{Event, PageRecord, Record, RetryOrigin, VisitRecord};
use outcome::{JunkReason, LinkFate, Outcome, OutcomeKind, SitemapKind, Verdict};
use serde::{Deserialize, Serialize};

/// The counters, over all starts of the crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// URLs admitted, sitemaps apart.
    pub admitted: u64,
    /// URLs finished, of any outcome.
    pub finished: u64,
    /// URLs finished for which a fetch was made.
    pub pages: u64,
    /// Pages kept.
    pub indexed: u64,
    /// Pages dropped, by reason.
    pub junk: BTreeMap<JunkReason, u64>,
    /// URLs that could not be had.
    pub failed: u64,
    /// URLs we did not ask for.
    pub refused: u64,
    /// Those of them that learnt rules refused unread.
    #[serde(default)]
    pub refused_unread: u64,
    /// Links that were left out as too deep, by their seed and depth.
    #[serde(default)]
    deep: BTreeMap<u32, BTreeMap<u32, u64>>,
    /// How deep the crawl goes by its last start, and from seeds with a depth of their own.
    #[serde(default)]
    depth_max: u32,
    #[serde(default)]
    depths_of_seeds: BTreeMap<u32, u32>,
    /// URLs that pointed elsewhere.
    pub redirected: u64,
    /// URLs unchanged.
    pub not_modified: u64,
    /// Fetches that will be repeated.
    pub attempts: u64,
    /// Records of finished URLs for which a fetch was made, those put back since included.
    pub fetched: u64,
    /// Visits made to URLs that were finished before.
    pub visits: u64,
    /// Such visits that are to be made.
    pub visits_due: u64,
    /// The text of a kept page is there no longer, and its copies were not looked for since.
    #[serde(default)]
    pub copies_wait: bool,
    /// The feeds and sitemaps of a round were planned, and its pages were not yet, or not all.
    #[serde(default)]
    pub pages_unplanned: bool,
    /// The URL that was finished last.
    pub last_url: String,
}

impl Counts {
    /// Counts a record.
    pub fn apply(&mut self, record: &Record) {
        match &record.event {
            Event::Start(start) => {
                let depth = start.config.pointer("/crawl/max_depth");
                let depth = depth.and_then(serde_json::Value::as_u64);
                self.depth_max = depth.map_or(0, |depth| depth.try_into().unwrap_or(u32::MAX));
            }
            Event::Seed(seed) => {
                match seed.depth {
                    Some(depth) => self.depths_of_seeds.insert(seed.seed, depth),
                    None => self.depths_of_seeds.remove(&seed.seed),
                };
                self.admitted += u64::from(!seed.sitemap && seed.fate.is_none());
            }
            Event::Sitemap(sitemap) if sitemap.kind != SitemapKind::Index => {
                self.admitted += sitemap.urls.len() as u64;
            }
            Event::Attempt(_) => self.attempts += 1,
            Event::Page(page) => self.finish(page),
            Event::Retry(retry) => {
                let own = |origin: &&RetryOrigin| origin.node.is_none();
                for origin in retry.origins.iter().filter(own) {
                    self.take_back(origin);
                }
            }
            Event::Again(again) => {
                self.visits_due += again.urls.len() as u64;
                self.copies_wait &= !again.rejudges;
                self.pages_unplanned = again.sources || again.more;
            }
            Event::Visit(visit) => self.visit(visit),
            Event::Elsewhere(elsewhere) => {
                let places = elsewhere.kept.iter().filter_map(|page| page.replaces);
                for _ in places.filter(|page| crate::kept::is_own(*page)) {
                    self.give_place();
                }
            }
            Event::Robots(_) | Event::Sitemap(_) | Event::Stop(_) => {}
        }
    }

    /// Links that are not followed since they lead deeper than the crawl goes now: those that an earlier start
    /// left out, and a larger depth has brought in, are none of them.
    pub fn too_deep(&self) -> u64 {
        let seeds = self.deep.iter();
        let of_seeds = seeds.map(|(seed, links)| {
            let own = self.depths_of_seeds.get(seed).copied();
            let deeper = own.unwrap_or(self.depth_max).saturating_add(1);
            links.range(deeper..).map(|(_, links)| links).sum::<u64>()
        });
        of_seeds.sum()
    }

    fn finish(&mut self, page: &PageRecord) {
        self.admitted += page.admitting_links().count() as u64 + u64::from(page.named_sitemap);
        self.finished += 1;
        *self.of(&page.outcome) += 1;
        let refusal = page.outcome.refusal();
        self.refused_unread +=
            u64::from(refusal.is_some_and(|refusal| !refusal.rules().is_empty()));
        let is_deep = |link: &&archive::LinkRecord| link.fate == LinkFate::Depth;
        let deep = page.links.iter().filter(is_deep).count() as u64;
        if deep > 0 {
            let of_seed = self.deep.entry(page.seed).or_default();
            *of_seed.entry(page.depth.saturating_add(1)).or_default() += deep;
        }
        if page.fetch.is_some() {
            self.pages += 1;
            self.fetched += 1;
        }
        if page.replaces.is_some_and(crate::kept::is_own) {
            self.give_place();
        }
        self.last_url.clone_from(&page.url);
    }

    /// A page whose place another one takes leaves the index as its near-duplicate.
    fn give_place(&mut self) {
        self.indexed = self.indexed.saturating_sub(1);
        *self.junk.entry(JunkReason::NearDuplicate).or_default() += 1;
    }

    /// The counter of an outcome.
    fn of(&mut self, outcome: &Outcome) -> &mut u64 {
        match outcome {
            Outcome::Judged(Verdict::Index) => &mut self.indexed,
            Outcome::Judged(Verdict::Junk(reason)) => self.junk.entry(reason.clone()).or_default(),
            Outcome::Redirected => &mut self.redirected,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::NotModified => &mut self.not_modified,
            Outcome::Failed(_) | Outcome::Unknown(_) => &mut self.failed,
        }
    }

    /// A finished URL was visited again: it may have another fate now, and lead to new ones.
    fn visit(&mut self, visit: &VisitRecord) {
        self.visits += 1;
        self.visits_due = self.visits_due.saturating_sub(1);
        self.copies_wait |= visit.leaves_work();
        if let Some(page) = &visit.page {
            self.admitted += page.admitting_links().count() as u64;
        }
        if let Some(outcome) = visit.outcome() {
            let was = self.of(&visit.was);
            *was = was.saturating_sub(1);
            *self.of(&outcome) += 1;
        }
        if visit.version().is_some_and(|page| page.replaces.is_some()) {
            self.give_place();
        }
        self.last_url.clone_from(&visit.url);
    }

    /// A URL is put back: it is finished no longer, and its next fate is counted anew.
    fn take_back(&mut self, origin: &RetryOrigin) {
        if origin.left_out {
            self.admitted += 1;
            return;
        }
        // A damaged journal may have lost the record that is taken back.
        self.finished = self.finished.saturating_sub(1);
        let count = match origin.outcome {
            OutcomeKind::Refused => &mut self.refused,
            OutcomeKind::Redirected => &mut self.redirected,
            OutcomeKind::Judged => {
                let reason = origin.junk.clone().unwrap_or(JunkReason::ErrorPage);
                self.junk.entry(reason).or_default()
            }
            OutcomeKind::NotModified => &mut self.not_modified,
            OutcomeKind::Failed | OutcomeKind::Unknown(_) => &mut self.failed,
        };
        *count = count.saturating_sub(1);
        let was_unread = u64::from(!origin.rules.is_empty());
        self.refused_unread = self.refused_unread.saturating_sub(was_unread);
        self.pages = self.pages.saturating_sub(u64::from(origin.fetched));
    }

    /// URLs admitted and not finished, and visits to be made.
    pub fn pending(&self) -> u64 {
        self.admitted.saturating_sub(self.finished) + self.visits_due
    }

    /// What counts against the page budget: pages, and visits to pages.
    pub fn requests(&self) -> u64 {
        self.pages + self.visits
    }

    /// Whether the page budget, 0 for none, is used up by pages that were new, with visits to be made:
    /// then URLs that are new wait behind the visits, however long those take.
    pub fn is_for_visits_alone(&self, pages_max: u64) -> bool {
        self.visits_due > 0 && pages_max > 0 && self.pages >= pages_max
    }

    /// How far [`Counts::requests`] may go with a budget of so many pages, 0 for no limit: visits have
    /// a budget of their own, which is those of their round.
    pub fn requests_max(&self, pages_max: u64) -> u64 {
        match (pages_max, self.visits_due) {
            (0, _) => 0,
            (max, 0) => max + self.visits,
            (max, due) => max.max(self.pages) + self.visits + due,
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::{FetchRecord, RetryRecord, SeedRecord, StartRecord};
    use outcome::FailureKind;

    use super::*;

    fn record(event: Event) -> Record {
        Record {
            seq: 1,
            at_ms: 0,
            event,
        }
    }

    #[test]
    fn a_sitemap_that_a_visited_one_names_is_no_url_that_waits_for_ever() {
        // It was counted as a URL, and its own record finishes none: a URL waited where there was none.
        let link = |rel: &str| archive::LinkRecord {
            url: format!("http://a.example/{rel}"),
            rel: rel.to_owned(),
            fate: outcome::LinkFate::New,
            ..archive::LinkRecord::default()
        };
        let page = PageRecord {
            links: vec![link(archive::SOURCE_REL), link("")],
            ..PageRecord::default()
        };
        let mut counts = Counts::default();
        counts.apply(&record(Event::Visit(Box::new(VisitRecord {
            source: true,
            page: Some(Box::new(page)),
            ..VisitRecord::default()
        }))));
        assert_eq!((counts.admitted, counts.pending()), (1, 1));
        counts.apply(&record(Event::Sitemap(archive::SitemapRecord::default())));
        counts.apply(&record(Event::Page(Box::default())));
        assert_eq!(counts.pending(), 0);
    }

    #[test]
    fn a_url_that_failed_and_is_put_back_is_pending_again_and_costs_no_budget() {
        let mut counts = Counts::default();
        counts.apply(&record(Event::Seed(archive::SeedRecord::default())));
        counts.apply(&record(Event::Page(Box::new(PageRecord {
            outcome: Outcome::Failed(FailureKind::Dns),
            fetch: Some(FetchRecord::default()),
            ..PageRecord::default()
        }))));
        assert_eq!((counts.pending(), counts.pages, counts.failed), (0, 1, 1));
        counts.apply(&record(Event::Retry(RetryRecord {
            urls: vec!["http://a.example/".into()],
            origins: vec![RetryOrigin {
                outcome: OutcomeKind::Failed,
                fetched: true,
                ..RetryOrigin::default()
            }],
            ..RetryRecord::default()
        })));
        assert_eq!((counts.pending(), counts.pages, counts.failed), (1, 0, 0));
    }

    #[test]
    fn what_rules_and_depth_leave_out_is_counted_until_it_is_put_back() {
        let mut counts = Counts::default();
        let refusal = outcome::Refusal::LowYield(outcome::LowYield::UrlForm {
            host: "a.example".into(),
        });
        let deep = archive::LinkRecord {
            fate: LinkFate::Depth,
            ..archive::LinkRecord::default()
        };
        let refused = PageRecord {
            outcome: Outcome::Refused(refusal.clone()),
            ..PageRecord::default()
        };
        let page = PageRecord {
            outcome: Outcome::Judged(Verdict::Index),
            links: vec![deep.clone(), archive::LinkRecord::default(), deep],
            ..PageRecord::default()
        };
        for page in [refused, page] {
            counts.apply(&record(Event::Page(Box::new(page))));
        }
        assert_eq!((counts.refused_unread, counts.too_deep()), (1, 2));
        counts.apply(&record(Event::Retry(RetryRecord {
            urls: vec!["http://a.example/".into()],
            origins: vec![RetryOrigin {
                outcome: OutcomeKind::Refused,
                rules: refusal.rules(),
                ..RetryOrigin::default()
            }],
            ..RetryRecord::default()
        })));
        assert_eq!((counts.refused_unread, counts.refused), (0, 0));
        // The figure stayed as it was for good.
        let start = |depth: u32| {
            let config = serde_json::json!({ "crawl": { "max_depth": depth } });
            record(Event::Start(StartRecord {
                config,
                ..StartRecord::default()
            }))
        };
        let seed = |depth| {
            record(Event::Seed(SeedRecord {
                depth,
                ..SeedRecord::default()
            }))
        };
        let steps = [
            (start(1), 0),
            (start(0), 2),
            (seed(Some(3)), 0),
            (seed(None), 2),
        ];
        for (step, too_deep) in steps {
            counts.apply(&step);
            assert_eq!(counts.too_deep(), too_deep);
        }
    }

    #[test]
    fn a_better_representative_leaves_the_sum_of_kept_pages_as_it_was() {
        let mut counts = Counts::default();
        let page = |replaces| PageRecord {
            outcome: Outcome::Judged(Verdict::Index),
            replaces,
            ..PageRecord::default()
        };
        for replaces in [None, Some(1)] {
            counts.apply(&record(Event::Page(Box::new(page(replaces)))));
        }
        assert_eq!((counts.indexed, counts.finished), (1, 2));
        assert_eq!(counts.junk.get(&JunkReason::NearDuplicate), Some(&1));
    }
}
