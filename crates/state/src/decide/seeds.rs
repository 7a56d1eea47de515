//! What a user gives: seeds, and URLs that are to be tried again.

use archive::{Event, SeedRecord};
use frontier::{Admission, CanonicalUrl, FrontierError, UrlError};

use crate::context::encode;
use crate::decided::fate_of;
use crate::reach;
use crate::retry::{self, Candidate, RetryFilter};
use crate::state::State;

impl State {
    /// What becomes of a seed.
    ///
    /// # Errors
    /// When its URL is none, or the frontier's store cannot be read.
    pub fn decide_seed(&self, mut seed: SeedRecord) -> Result<Event, SeedError> {
        let url = reach::seed_url(&seed)?.url;
        let queue = self.queue.lock();
        let mut offers = queue.frontier.offers(None);
        offers.set_seed_budget(seed.seed, seed.pages);
        let offered = match seed.sitemap {
            true => offers.offer_sitemap(&url)?,
            false => offers.offer(&url, 0, seed.seed)?,
        };
        seed.fate = match offered {
            Admission::New => None,
            other @ (Admission::Seen | Admission::Refused(_)) => Some(fate_of(other)),
        };
        Ok(Event::Seed(seed))
    }

    /// Puts failed URLs back that a user asked for. A URL that waits already is left out, so that
    /// two who ask at once are told the truth.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn decide_retry(
        &self,
        candidates: Vec<Candidate>,
        filter: &RetryFilter,
    ) -> Result<Vec<Event>, FrontierError> {
        let finished = self.finished(candidates)?;
        Ok(retry::records_for_filter(finished, filter))
    }

    /// Brings in what budgets left out, as far as those in force have room for it: `refused` at their turn,
    /// and `links` that were never admitted.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn decide_left_out(
        &mut self,
        refused: Vec<Candidate>,
        links: Vec<Candidate>,
    ) -> Result<Vec<Event>, FrontierError> {
        let mut taken = self.finished(refused)?;
        let mut new = Vec::new();
        {
            let queue = self.queue.lock();
            let mut offers = queue.frontier.offers(None);
            for (text, origin) in links {
                let Ok(url) = CanonicalUrl::parse(&text) else {
                    continue;
                };
                let (depth, seed) = (origin.depth, origin.seed);
                if self.reach.check(&url, depth, seed).is_ok()
                    && offers.offer(&url, depth, seed)? == Admission::New
                {
                    new.push((url, (text, origin)));
                }
            }
        }
        for (url, (text, mut origin)) in new {
            if let Some(focus) = &mut self.focus {
                let (features, promise) = focus.promise_of_url(&url);
                (origin.context, origin.priority) = (Some(encode(&features)), promise);
            }
            taken.push((text, origin));
        }
        Ok(retry::records_for_budgets(taken))
    }

    /// Puts URLs back that were refused for a rule that was found wrong.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn decide_rule_wrong(
        &self,
        rule: &str,
        refused: Vec<Candidate>,
    ) -> Result<Vec<Event>, FrontierError> {
        Ok(retry::records_for_rule(self.finished(refused)?, rule))
    }

    /// Puts URLs back to which redirects have led back.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn decide_returns(&self) -> Result<Vec<Event>, FrontierError> {
        if self.returns.is_empty() {
            return Ok(Vec::new());
        }
        let returns = self.returns.iter();
        let returns = returns.map(|(url, origin)| (url.clone(), origin.clone()));
        Ok(retry::records_for_returns(
            self.finished(returns.collect())?,
        ))
    }

    /// The rules that were found wrong, with the URLs that were refused for each and, as `more`,
    /// whether there are others that only the journal knows.
    pub fn wrong_rules(&self) -> Vec<(String, crate::refused::Refused)> {
        let queue = self.queue.lock();
        let rules = queue.gate.wrong_rules();
        rules
            .map(|(rule, refused)| (rule.to_owned(), refused.clone()))
            .collect()
    }

    /// Those of the URLs that met their fate and were not put back since.
    fn finished(&self, candidates: Vec<Candidate>) -> Result<Vec<Candidate>, FrontierError> {
        let queue = self.queue.lock();
        let mut finished = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if let Ok(url) = CanonicalUrl::parse(&candidate.0)
                && queue.frontier.is_finished(&url)?
            {
                finished.push(candidate);
            }
        }
        Ok(finished)
    }
}

/// Why a seed cannot be recorded.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// Its URL is none.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The frontier's store failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
}
