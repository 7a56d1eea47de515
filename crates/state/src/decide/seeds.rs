//! What a user gives: seeds, and URLs that are to be tried again.

use archive::{Event, SeedRecord};
use frontier::{Admission, CanonicalUrl, UrlError};

use crate::reach;
use crate::retry::{self, Candidate, RetryFilter};
use crate::state::State;

impl State {
    /// What becomes of a seed.
    ///
    /// # Errors
    /// When its URL is none.
    pub fn decide_seed(&self, mut seed: SeedRecord) -> Result<Event, UrlError> {
        let url = reach::seed_url(&seed)?.url;
        let queue = self.queue.lock();
        let mut offers = queue.frontier.offers(None);
        if let Some(pages) = seed.pages {
            offers.set_seed_budget(seed.seed, pages);
        }
        seed.fate = match offers.offer(&url, 0, seed.seed) {
            Admission::New => None,
            other @ (Admission::Seen | Admission::Refused(_)) => Some(super::fate_of(other)),
        };
        Ok(Event::Seed(seed))
    }

    /// Puts failed URLs back that a user asked for. A URL that waits already is left out, so that
    /// two who ask at once are told the truth.
    pub fn decide_retry(&self, candidates: Vec<Candidate>, filter: &RetryFilter) -> Vec<Event> {
        retry::records_for_filter(self.finished(candidates), filter)
    }

    /// Puts URLs back that were refused for a rule that was found wrong.
    pub fn decide_rule_wrong(&self, rule: &str, refused: Vec<Candidate>) -> Vec<Event> {
        retry::records_for_rule(self.finished(refused), rule)
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

    fn finished(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        let queue = self.queue.lock();
        let is_finished = |url: &str| {
            let url = CanonicalUrl::parse(url);
            url.is_ok_and(|url| queue.frontier.is_finished(&url))
        };
        candidates.retain(|(url, _)| is_finished(url));
        candidates
    }
}
