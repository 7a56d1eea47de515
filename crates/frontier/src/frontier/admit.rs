//! Which URLs come in: what was seen, what has no budget left, what a trap would bring.

use std::collections::BTreeMap;

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::lease::{Admission, FrontierUrl};
use crate::store::StoreError;
use crate::url_table::Entry;

/// How many URLs each seed brought in, and may bring in.
#[derive(Debug, Default)]
pub(super) struct SeedBudgets {
    used: hashbrown::HashMap<u32, u64>,
    max: hashbrown::HashMap<u32, u64>,
}

impl SeedBudgets {
    /// How many URLs a seed brought in.
    pub(super) fn used(&self, seed: u32) -> u64 {
        self.used.get(&seed).copied().unwrap_or(0)
    }

    /// How many URLs each seed brought in, by its number.
    pub(super) fn saved(&self) -> Vec<(u32, u64)> {
        let mut used: Vec<_> = self
            .used
            .iter()
            .map(|(seed, urls)| (*seed, *urls))
            .collect();
        used.sort_unstable();
        used
    }

    /// Takes in what was saved.
    pub(super) fn take_saved(&mut self, used: Vec<(u32, u64)>) {
        self.used = used.into_iter().collect();
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
    /// Sets how many URLs a seed may bring in.
    pub fn set_seed_budget(&mut self, seed: u32, urls: u64) {
        self.budgets.max.insert(seed, urls);
    }

    /// Offers a URL. It is in scope: that was asked before.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn admit(&mut self, url: FrontierUrl) -> Result<Admission, FrontierError> {
        let admission = self.offers(None).offer(&url.url, url.depth, url.seed)?;
        if admission == Admission::New {
            self.observe_link(&url.url, url.via);
            self.admit_new(url.url.key(), url)?;
        }
        Ok(admission)
    }

    pub(super) fn admit_new(&mut self, key: u128, url: FrontierUrl) -> Result<(), StoreError> {
        self.urls.note_seen(key);
        self.counts.admitted += 1;
        let host = url.url.host();
        self.count_admission(&host, url.seed);
        self.enqueue_new(key, url)
    }

    /// Puts a URL into the queue for its first attempt.
    pub(super) fn enqueue_new(&mut self, key: u128, url: FrontierUrl) -> Result<(), StoreError> {
        let order = self.next_order;
        self.next_order += 1;
        self.enqueue(key, Entry::new(url, 1, order), 0)
    }

    pub(super) fn count_admission(&mut self, host: &HostKey, seed: u32) {
        let id = self.host_id(host);
        self.hosts[id].admitted += 1;
        *self.budgets.used.entry(seed).or_default() += 1;
    }

    /// The number of a host, which is known from now on.
    pub(super) fn host_id(&mut self, host: &HostKey) -> usize {
        self.hosts.find_or_add(host, &self.config)
    }
}
