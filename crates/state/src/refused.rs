//! The URLs that were refused for rules learnt from pairs, by rule: when a rule is found wrong, they
//! are put back.
//!
//! Some 300 bytes a URL, twice that in a crawl with a topic; beyond a bound only that there were
//! more is known, and who lifts such a rule finds them in the journal.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::retry::Candidate;
use crate::saved::{json, pairs};

/// URLs remembered at most.
const URLS_MAX: usize = 100_000;

/// URLs refused for one rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Refused {
    /// Those that are remembered, in the order of their records.
    #[serde(with = "json")]
    pub urls: Vec<Candidate>,
    /// There were more.
    pub more: bool,
}

/// Refused URLs by rule.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RefusedUrls {
    #[serde(with = "pairs")]
    rules: HashMap<String, Refused>,
    /// Those of all rules.
    #[serde(skip)]
    urls: usize,
}

impl RefusedUrls {
    /// Goes on with what was known before.
    pub(crate) fn resume(&mut self, mut saved: RefusedUrls) {
        saved.urls = saved.rules.values().map(|known| known.urls.len()).sum();
        *self = saved;
    }

    /// Whether URLs were refused for a rule that were not put back since.
    pub(crate) fn has(&self, rule: &str) -> bool {
        self.rules.contains_key(rule)
    }

    /// The URLs refused for a rule.
    pub(crate) fn of(&self, rule: &str) -> Option<&Refused> {
        self.rules.get(rule)
    }

    /// Notes that a URL was refused for a rule.
    pub(crate) fn note(&mut self, rule: &str, refused: impl FnOnce() -> Candidate) {
        if !self.rules.contains_key(rule) {
            self.rules.insert(rule.to_owned(), Refused::default());
        }
        let Some(known) = self.rules.get_mut(rule) else {
            return;
        };
        if self.urls < URLS_MAX {
            known.urls.push(refused());
            self.urls += 1;
        } else {
            known.more = true;
        }
    }

    /// Forgets URLs of a rule that were put back; the rule with them, if no more is known of.
    pub(crate) fn put_back(&mut self, rule: &str, urls: &[&str]) {
        let Some(known) = self.rules.get_mut(rule) else {
            return;
        };
        let gone: HashSet<&str> = urls.iter().copied().collect();
        let before = known.urls.len();
        known.urls.retain(|(url, _)| !gone.contains(url.as_str()));
        self.urls -= before - known.urls.len();
        if known.urls.is_empty() {
            self.rules.remove(rule);
        }
    }
}

#[cfg(test)]
mod tests {
    use archive::RetryOrigin;

    use super::*;

    fn url(number: usize) -> String {
        format!("http://a.example/{number}")
    }

    #[test]
    fn a_rule_is_known_until_the_last_of_its_urls_is_put_back() {
        let mut refused = RefusedUrls::default();
        for number in 0..3 {
            refused.note("a mirror", || (url(number), RetryOrigin::default()));
        }
        refused.put_back("a mirror", &[&url(0), &url(2)]);
        assert_eq!(
            refused.of("a mirror").map(|known| known.urls.len()),
            Some(1)
        );
        refused.put_back("a mirror", &[&url(1)]);
        assert_eq!(refused, RefusedUrls::default());
    }

    #[test]
    fn beyond_the_bound_only_that_there_are_more_is_known() {
        let mut refused = RefusedUrls::default();
        for number in 0..=URLS_MAX {
            refused.note("a mirror", || (url(number), RetryOrigin::default()));
        }
        let known = refused.of("a mirror").expect("known");
        assert_eq!((known.urls.len(), known.more), (URLS_MAX, true));
    }
}
