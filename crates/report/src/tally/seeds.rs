//! What became of each seed, and of each example page.

use archive::{PageRecord, SeedRecord, VisitRecord};
use outcome::{Change, LinkFate, Outcome, UrlState, Verdict};

use super::Tally;
use crate::hosts::{SEEDS_MAX, SeedRow};
use crate::reasons::Reason;

impl Tally {
    pub(super) fn seed(&mut self, seed: &SeedRecord) {
        let at = self.seed_index(seed.seed);
        let row = &mut self.seeds[usize::from(at)];
        if row.url.is_empty() {
            row.url.clone_from(&seed.url);
            row.source.clone_from(&seed.source);
            row.sitemap = seed.sitemap;
            row.example = seed.example;
            if seed.example.is_some() {
                self.examples.insert(seed.url.clone(), at);
            }
            row.fate = match &seed.fate {
                None if seed.sitemap => "sitemap",
                None => UrlState::Pending.name(),
                Some(refused) => refused.name(),
            }
            .to_owned();
        }
        if !seed.sitemap && seed.fate.is_none() {
            let slot = self.admit(&seed.url, weburl::host_of(&seed.url), seed.seed);
            if let Some(links) = &mut self.followed {
                links.seed(slot);
            }
        }
    }

    /// The row of a seed; rows are in the order of seed numbers, the last one is shared.
    pub(super) fn seed_index(&mut self, seed: u32) -> u16 {
        let at = (seed as usize).min(SEEDS_MAX);
        while self.seeds.len() <= at {
            self.seeds.push(SeedRow {
                seed: self.seeds.len() as u32,
                ..SeedRow::default()
            });
        }
        at as u16
    }

    /// Notes when an example of the topic is no page; one that redirects is the page it leads to.
    pub(super) fn example(&mut self, page: &PageRecord) {
        let Some(&at) = self.examples.get(&page.url) else {
            return;
        };
        self.seeds[usize::from(at)].no_example = page.no_page();
        if let Some(target) = page.redirect_target() {
            self.examples.insert(target.to_owned(), at);
        }
    }

    /// Where the page of a seed is by a visit.
    pub(super) fn seed_visit(&mut self, visit: &VisitRecord) {
        if visit.change != Change::Unclear {
            let seeds = &mut self.seeds;
            self.gone_seeds
                .retain(|at| seeds[*at].url != visit.url || seeds[*at].gone_to.take().is_none());
        }
        let Some(page) = visit
            .page
            .as_ref()
            .filter(|_| visit.change == Change::Moved)
        else {
            return;
        };
        let at = page.seed as usize;
        let row = self.seeds.get_mut(at).filter(|row| row.url == visit.url);
        let (Some(row), Some(target)) = (row, page.links.first()) else {
            return;
        };
        if visit.opens {
            row.redirected_to = Some(target.url.clone());
        } else if target.fate == LinkFate::Scope {
            row.gone_to = Some(target.url.clone());
            self.gone_seeds.push(at);
        }
    }

    pub(super) fn seed_fate(&mut self, page: &PageRecord) {
        let Some(row) = self.seeds.get_mut(page.seed as usize) else {
            return;
        };
        if row.url != page.url {
            return;
        }
        row.fate = match &page.outcome {
            Outcome::Judged(Verdict::Junk(_)) | Outcome::Refused(_) | Outcome::Failed(_) => {
                Reason::of(&page.outcome).name
            }
            Outcome::Judged(Verdict::Index)
            | Outcome::Redirected
            | Outcome::NotModified
            | Outcome::Unknown(_) => UrlState::of(&page.outcome).to_string(),
        };
        row.redirected_to = page
            .fetch
            .as_ref()
            .and_then(|fetch| fetch.redirect_to.clone());
    }
}
