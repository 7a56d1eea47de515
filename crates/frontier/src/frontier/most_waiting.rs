//! The hosts for which most URLs wait, kept in order as they change: watchers ask for the first of them
//! twice a second, of hundreds of thousands.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::host_queue::HostQueue;

/// Hosts with URLs, or with a request under way, most URLs first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MostWaiting {
    order: BTreeSet<(Reverse<u32>, u32)>,
    /// The URLs of each host, as they stand in the order.
    noted: Vec<Option<u32>>,
}

impl MostWaiting {
    /// Takes in what has become of a host.
    pub(super) fn note(&mut self, id: usize, host: &HostQueue) {
        let is_there = host.len() > 0 || host.politeness.in_flight() > 0;
        let now = is_there.then(|| u32::try_from(host.len()).unwrap_or(u32::MAX));
        if self.noted.len() <= id {
            self.noted.resize(id + 1, None);
        }
        let before = std::mem::replace(&mut self.noted[id], now);
        if before == now {
            return;
        }
        if let Some(urls) = before {
            self.order.remove(&(Reverse(urls), id as u32));
        }
        if let Some(urls) = now {
            self.order.insert((Reverse(urls), id as u32));
        }
    }

    /// The first of them; of hosts with as many URLs those that became known first.
    pub(super) fn first(&self, limit: usize) -> impl Iterator<Item = usize> {
        self.order.iter().take(limit).map(|(_, id)| *id as usize)
    }
}
