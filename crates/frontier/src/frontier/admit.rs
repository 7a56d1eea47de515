//! Which URLs come in: what was seen, what has no budget left, what a trap would bring.

use std::collections::BTreeMap;

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::lease::{Admission, FrontierUrl};
use crate::store::{SavedSeed, StoreError};
use crate::url_table::Entry;

/// How many URLs each seed brought in, how many of them met their fate, and how many it may bring in.
#[derive(Debug, Default)]
pub(super) struct SeedBudgets {
    used: hashbrown::HashMap<u32, u64>,
    finished: hashbrown::HashMap<u32, u64>,
    max: hashbrown::HashMap<u32, u64>,
}

impl SeedBudgets {
    /// How many URLs a seed brought in.
    pub(super) fn used(&self, seed: u32) -> u64 {
        self.used.get(&seed).copied().unwrap_or(0)
    }

    /// Sets how many URLs a seed brought in.
    pub(super) fn set_used(&mut self, seed: u32, urls: u64) {
        self.used.insert(seed, urls);
    }

    /// A URL that a seed brought in was admitted, but waits elsewhere.
    pub(super) fn note_elsewhere(&mut self, url: &FrontierUrl) {
        if url.is_page() {
            *self.used.entry(url.seed).or_default() += 1;
        }
    }

    /// A URL that a seed brought in met its fate; of none, if it is no page.
    pub(super) fn note_finished(&mut self, seed: Option<u32>) {
        if let Some(seed) = seed {
            *self.finished.entry(seed).or_default() += 1;
        }
    }

    /// It waits again.
    pub(super) fn note_reopened(&mut self, seed: Option<u32>) {
        if let Some(finished) = seed.and_then(|seed| self.finished.get_mut(&seed)) {
            *finished = finished.saturating_sub(1);
        }
    }

    /// How many URLs each seed brought in and how many of them met their fate, by its number.
    pub(super) fn saved(&self) -> Vec<SavedSeed> {
        let of = |(seed, admitted): (&u32, &u64)| SavedSeed {
            seed: *seed,
            admitted: *admitted,
            finished: self.finished.get(seed).copied().unwrap_or(0),
        };
        let mut saved: Vec<_> = self.used.iter().map(of).collect();
        saved.sort_unstable_by_key(|saved| saved.seed);
        saved
    }

    /// Takes in what was saved.
    pub(super) fn take_saved(&mut self, saved: &[SavedSeed]) {
        let of = |of: fn(&SavedSeed) -> u64| saved.iter().map(move |saved| (saved.seed, of(saved)));
        self.used = of(|saved| saved.admitted).collect();
        self.finished = of(|saved| saved.finished).collect();
    }

    /// How many each seed may bring in.
    pub(super) fn limits(&self) -> BTreeMap<u32, u64> {
        self.max.iter().map(|(seed, urls)| (*seed, *urls)).collect()
    }

    /// Takes in how many each seed may bring in.
    pub(super) fn set_limits(&mut self, limits: BTreeMap<u32, u64>) {
        self.max = limits.into_iter().collect();
    }

    /// How many it may bring in.
    pub(super) fn max(&self, seed: u32) -> Option<u64> {
        self.max.get(&seed).copied()
    }
}

impl Frontier {
    /// Sets how many URLs a seed may bring in; `None` for any number.
    pub fn set_seed_budget(&mut self, seed: u32, urls: Option<u64>) {
        match urls {
            Some(urls) => self.budgets.max.insert(seed, urls),
            None => self.budgets.max.remove(&seed),
        };
    }

    /// Whether the budget of a seed, lowered since, has been used up by the URLs that were asked for
    /// already.
    pub(super) fn is_seed_over_budget(&self, seed: u32) -> bool {
        self.budgets.max(seed).is_some_and(|max| {
            let is_its = |entry: &&Entry| entry.url.seed == seed && entry.url.is_page();
            let under_way = self.leased.values().filter(is_its).count() as u64;
            self.budgets.finished.get(&seed).unwrap_or(&0) + under_way >= max
        })
    }

    /// Offers a URL. It is in scope: that was asked before.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn admit(&mut self, url: FrontierUrl) -> Result<Admission, FrontierError> {
        let mut offers = self.offers(None);
        let admission = match url.is_page() {
            true => offers.offer(&url.url, url.depth, url.seed)?,
            false => offers.offer_sitemap(&url.url)?,
        };
        match admission {
            Admission::New => {
                self.observe_link(&url.url, url.via);
                self.admit_new(url.url.key(), url)?;
            }
            Admission::Seen => self.observe_seen_link(&url.url, url.via),
            Admission::Refused(_) => {}
        }
        Ok(admission)
    }

    pub(super) fn admit_new(&mut self, key: u128, url: FrontierUrl) -> Result<(), StoreError> {
        self.urls.note_seen(key);
        self.counts.admitted += 1;
        let host = url.url.host();
        self.count_admission(&host, url.paying_seed());
        self.enqueue_new(key, url)
    }

    /// Puts a URL into the queue for its first attempt.
    pub(super) fn enqueue_new(&mut self, key: u128, url: FrontierUrl) -> Result<(), StoreError> {
        let order = self.next_order;
        self.next_order += 1;
        self.enqueue(key, Entry::new(url, 1, order), 0)
    }

    /// Counts a URL for the budgets of its host and its seed; of none, if it is no page.
    pub(super) fn count_admission(&mut self, host: &HostKey, seed: Option<u32>) {
        let id = self.host_id(host);
        if let Some(seed) = seed {
            self.hosts[id].admitted += 1;
            *self.budgets.used.entry(seed).or_default() += 1;
        }
    }

    /// The number of a host, which is known from now on.
    pub(super) fn host_id(&mut self, host: &HostKey) -> usize {
        let known = self.hosts.len();
        let id = self.hosts.find_or_add(host, &self.config);
        if id == known {
            self.hosts[id].admitted = self.ended_before(host);
        }
        id
    }

    /// URLs of a host that met their end on other nodes before its part came.
    pub(super) fn ended_before(&self, host: &HostKey) -> u64 {
        self.share.as_ref().map_or(0, |share| share.ended(host))
    }
}
