//! The hosts of a crawl, by number: each has a queue, a politeness and a budget.

use std::ops::{Index, IndexMut};
use std::time::Instant;

use crate::config::FrontierConfig;
use crate::host::HostKey;
use crate::host_queue::HostQueue;
use crate::politeness::Politeness;

/// The hosts.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    pub(crate) queues: Vec<HostQueue>,
    ids: hashbrown::HashMap<HostKey, usize>,
    per_domain: hashbrown::HashMap<String, usize>,
    /// When this process began, if another one may have asked the hosts just before it.
    resumed_at: Option<Instant>,
}

impl Hosts {
    pub(crate) fn len(&self) -> usize {
        self.queues.len()
    }

    /// The number of a host that is known.
    pub(crate) fn find(&self, host: &HostKey) -> Option<usize> {
        self.ids.get(host).copied()
    }

    /// How many hosts are known under the registrable domain of this one.
    pub(crate) fn in_domain_of(&self, host: &HostKey) -> usize {
        self.per_domain.get(domain_of(host)).copied().unwrap_or(0)
    }

    /// The number of a host, which is known from now on.
    pub(crate) fn find_or_add(&mut self, host: &HostKey, config: &FrontierConfig) -> usize {
        if let Some(id) = self.find(host) {
            return id;
        }
        let own = config.hosts.get(host.as_str());
        let delay = own.and_then(|own| own.delay).unwrap_or(config.delay);
        let connections = own.and_then(|own| own.connections);
        let connections = connections.unwrap_or(config.connections_per_host);
        let admitted_max = config.admitted_max(host);
        let mut politeness = Politeness::new(delay, connections);
        if let Some(at) = self.resumed_at {
            politeness.rest(at);
        }
        let id = self.queues.len();
        self.queues
            .push(HostQueue::new(host.clone(), politeness, admitted_max));
        self.ids.insert(host.clone(), id);
        *self
            .per_domain
            .entry(domain_of(host).to_owned())
            .or_default() += 1;
        id
    }

    /// Another node may have asked hosts up to now: each that is not known yet first waits its delay
    /// from here on.
    pub(crate) fn come_at(&mut self, now: Instant) {
        self.resumed_at = Some(now);
    }

    /// Another process worked on this crawl before: each host, also those that are not known yet,
    /// first waits its delay. False when that was said before.
    pub(crate) fn resume(&mut self, now: Instant) -> bool {
        if self.resumed_at.is_some() {
            return false;
        }
        self.resumed_at = Some(now);
        for queue in &mut self.queues {
            queue.politeness.rest(now);
        }
        true
    }
}

impl Index<usize> for Hosts {
    type Output = HostQueue;

    fn index(&self, id: usize) -> &HostQueue {
        &self.queues[id]
    }
}

impl IndexMut<usize> for Hosts {
    fn index_mut(&mut self, id: usize) -> &mut HostQueue {
        &mut self.queues[id]
    }
}

/// The domain that a host's owner registered, or the host where there is none.
pub(crate) fn domain_of(host: &HostKey) -> &str {
    host.registrable().unwrap_or(host.name())
}
