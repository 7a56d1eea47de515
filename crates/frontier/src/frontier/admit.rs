//! Which URLs come in: what was seen, what has no budget left, what a trap would bring.

use outcome::{LinkFate, Trap};

use super::{Frontier, SEEN_IN_MEMORY_MAX, Waiting};
use crate::host::HostKey;
use crate::lease::{Admission, FrontierUrl};
use crate::politeness::Manners;
use crate::queue::HostQueue;

impl Frontier {
    /// Sets how many URLs a seed may bring in.
    pub fn set_seed_budget(&mut self, seed: u32, urls: u64) {
        self.seed_budgets.insert(seed, urls);
    }

    /// Offers a URL. It is in scope: that was asked before.
    pub fn admit(&mut self, url: FrontierUrl) -> Admission {
        let key = url.url.key();
        if self.has_seen(key) {
            return Admission::Seen;
        }
        if let Some(refusal) = self.refusal(&url) {
            return Admission::Refused(refusal);
        }
        self.observe_link(&url.url, url.via);
        self.admit_new(key, url);
        Admission::New
    }

    pub(crate) fn has_seen(&self, key: u128) -> bool {
        if self.seen.contains(&(key as u64)) {
            return true;
        }
        self.seen.len() >= SEEN_IN_MEMORY_MAX
            && (self.unwritten.contains_key(&key) || self.store.contains(key))
    }

    pub(super) fn note_seen(&mut self, key: u128) {
        if self.seen.len() < SEEN_IN_MEMORY_MAX {
            self.seen.insert(key as u64);
        }
    }

    fn refusal(&self, url: &FrontierUrl) -> Option<LinkFate> {
        let host = url.url.host();
        let budget = self.seed_budgets.get(&url.seed);
        let used = self.seeds.get(&url.seed).copied().unwrap_or(0);
        if budget.is_some_and(|&budget| used >= budget) {
            return Some(LinkFate::BudgetSeed);
        }
        match self.host_ids.get(&host) {
            Some(&id) => {
                if self.hosts[id].admitted >= self.hosts[id].admitted_max {
                    return Some(LinkFate::BudgetHost);
                }
            }
            None => {
                if self.hosts.len() >= self.config.hosts_max {
                    return Some(LinkFate::BudgetHosts);
                }
                let domain = host.registrable().unwrap_or(host.name());
                let hosts = self.domains.get(domain).copied().unwrap_or(0);
                if hosts >= self.config.hosts_per_domain {
                    return Some(LinkFate::Trap(Trap::HostPool));
                }
            }
        }
        // A seed is the user's word: no trap rule applies to it.
        if url.depth == 0 {
            return None;
        }
        self.traps.check(&host, &url.url).err().map(LinkFate::Trap)
    }

    pub(crate) fn admit_new(&mut self, key: u128, url: FrontierUrl) {
        self.note_seen(key);
        self.counts.admitted += 1;
        let host = url.url.host();
        self.count_admission(&host, url.seed);
        self.wait_first(key, url);
    }

    /// Puts a URL into the queue for its first attempt.
    pub(crate) fn wait_first(&mut self, key: u128, url: FrontierUrl) {
        let order = self.next_order();
        self.wait(
            key,
            Waiting {
                url,
                attempt: 1,
                order,
            },
            0,
        );
    }

    pub(crate) fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order - 1
    }

    pub(super) fn count_admission(&mut self, host: &HostKey, seed: u32) {
        let id = self.host_id(host);
        self.hosts[id].admitted += 1;
        *self.seeds.entry(seed).or_default() += 1;
    }

    pub(crate) fn host_id(&mut self, host: &HostKey) -> usize {
        if let Some(&id) = self.host_ids.get(host) {
            return id;
        }
        let own = self.config.hosts.get(host.as_str());
        let delay = own.and_then(|own| own.delay).unwrap_or(self.config.delay);
        let connections = own.and_then(|own| own.connections);
        let connections = connections.unwrap_or(self.config.connections_per_host);
        let all = Some(self.config.urls_per_host).filter(|&max| max > 0);
        let admitted_max = own.and_then(|own| own.pages).or(all).unwrap_or(u64::MAX);
        let mut manners = Manners::new(delay, connections);
        if let Some(at) = self.resumed_at {
            manners.rest(at);
        }
        let id = self.hosts.len();
        self.hosts
            .push(HostQueue::new(host.clone(), manners, admitted_max));
        self.host_ids.insert(host.clone(), id);
        let domain = host.registrable().unwrap_or(host.name()).to_owned();
        *self.domains.entry(domain).or_default() += 1;
        id
    }
}
