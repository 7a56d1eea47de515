//! Whose turn it is, and what comes back: leases go out, bodies end, leases are settled.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use outcome::Refusal;

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::lease::{Gate, Lease, Next, Permission, Refused, Settled};
use crate::politeness::HostAdvice;
use crate::store::{Change, QueueSlot};
use crate::url_table::Entry;

impl Frontier {
    /// Whose turn is it?
    ///
    /// # Errors
    /// When the URL whose turn it is cannot be read. It is still pending in the store.
    pub fn next(&mut self, now: Instant, gate: &mut dyn Gate) -> Result<Next, FrontierError> {
        let now = self.clock.moved_to(now);
        let next = self.next_ready(now, gate, false)?;
        if matches!(next, Next::InFlight) && self.is_quiet() && !self.deferred_hosts.is_empty() {
            // Nothing is left that a deferred URL could wait for.
            self.release_deferred();
            return self.next_ready(now, gate, true);
        }
        Ok(next)
    }

    /// The next URL of a host that is ready. With `ends_deferral` a URL that is deferred goes all
    /// the same.
    fn next_ready(
        &mut self,
        now: Instant,
        gate: &mut dyn Gate,
        ends_deferral: bool,
    ) -> Result<Next, FrontierError> {
        while let Some(id) = self.schedule.take(&mut self.hosts.queues, now) {
            if let Some(address) = self.hosts[id].politeness.address
                && self.is_full(address)
            {
                self.schedule.wait_for(id, address);
                continue;
            }
            self.unspill(id)?;
            let Some(slot) = self.hosts[id].peek() else {
                self.update(id);
                continue;
            };
            let Some(mut entry) = self.urls.take(slot.key)? else {
                return Err(self.lost(id, slot.key));
            };
            entry.deferred = slot.is_deferred();
            let permission = match self.permission(id, &entry, gate) {
                Permission::Defer if ends_deferral => Permission::Allowed,
                permission => permission,
            };
            if let Some(next) = self.go_by(permission, id, slot, entry, now) {
                return Ok(next);
            }
        }
        Ok(match self.schedule.next_due() {
            Some(at) => Next::WaitUntil(at),
            None if self.is_quiet() && self.counts.pending == 0 => Next::Drained,
            None => Next::InFlight,
        })
    }

    fn is_full(&self, address: IpAddr) -> bool {
        let max = self.config.connections_per_address.max(1);
        self.addresses.is_full(address, max)
    }

    /// What the trap rules and the gate say to a URL whose turn it is.
    fn permission(&self, id: usize, entry: &Entry, gate: &mut dyn Gate) -> Permission {
        let host = &self.hosts[id].host;
        let url = &entry.url.url;
        // It may have been admitted before its like were found to lead nowhere.
        if entry.url.depth > 0
            && let Err(trap) = self.traps.check(host, url)
        {
            return Permission::Refused(Refused::Refusal(Refusal::Trap(trap)));
        }
        match gate.check(host, url) {
            Permission::Allowed => gate.worth(host, url, self.traps.url_normalizer()),
            refusal => refusal,
        }
    }

    /// Does what the permission says; none when another host's turn comes.
    fn go_by(
        &mut self,
        permission: Permission,
        id: usize,
        slot: QueueSlot,
        entry: Entry,
        now: Instant,
    ) -> Option<Next> {
        match permission {
            Permission::Defer => {
                self.defer(id, &slot, entry);
                None
            }
            Permission::Unknown => {
                let url = entry.url.url.clone();
                self.urls.put_back(slot.key, entry);
                let host = &mut self.hosts[id];
                if host.politeness.in_flight > 0 {
                    // It is idle until its slots are free: robots.txt is asked for alone.
                    return None;
                }
                host.politeness.sent_robots(&mut self.addresses);
                self.requests += 1;
                Some(Next::Robots(host.host.clone(), url))
            }
            Permission::Refused(refused) => {
                let lease = self.lease(id, slot.key, entry);
                self.update(id);
                Some(Next::Refused(lease, refused))
            }
            Permission::Allowed => {
                let lease = self.lease(id, slot.key, entry);
                self.hosts[id].politeness.sent(now, &mut self.addresses);
                self.requests += 1;
                self.schedule.served(id, &mut self.hosts[id], now);
                Some(Next::Lease(lease))
            }
        }
    }

    fn lease(&mut self, id: usize, key: u128, mut entry: Entry) -> Lease {
        entry.deferred = false;
        if self.hosts[id].pop().is_some() {
            self.slots_in_memory -= 1;
            self.counts.pending -= 1;
        }
        self.counts.in_flight += 1;
        let lease = Lease {
            url: entry.url.clone(),
            attempt: entry.attempt,
            order: entry.order,
        };
        self.leased.insert(key, entry);
        lease
    }

    pub(super) fn is_leased(&self, key: u128) -> bool {
        self.leased.contains_key(&key)
    }

    /// Whether nothing is under way.
    fn is_quiet(&self) -> bool {
        self.requests == 0 && self.leased.is_empty()
    }

    /// A host's body ended: its slot is free and its delay begins.
    pub fn body_done(&mut self, host: &HostKey, now: Instant, advice: &HostAdvice) {
        let now = self.clock.moved_to(now);
        let id = self.host_id(host);
        self.received(id, now, advice);
        self.hosts[id].politeness.rest(now);
        self.update(id);
    }

    /// robots.txt came: the host's slot is free, its pages may be asked for at once unless it is
    /// in trouble.
    pub fn robots_done(
        &mut self,
        host: &HostKey,
        now: Instant,
        crawl_delay: Option<Duration>,
        advice: &HostAdvice,
    ) {
        let now = self.clock.moved_to(now);
        let id = self.host_id(host);
        let crawl_delay = crawl_delay.map(|delay| delay.min(self.config.crawl_delay_max));
        self.hosts[id].politeness.asking_robots = false;
        self.hosts[id].politeness.set_crawl_delay(crawl_delay);
        self.received(id, now, advice);
        self.update(id);
    }

    fn received(&mut self, id: usize, now: Instant, advice: &HostAdvice) {
        self.requests = self.requests.saturating_sub(1);
        let longest = self.config.retry_after_max;
        let politeness = &mut self.hosts[id].politeness;
        let freed = politeness.received(now, advice, longest, &mut self.addresses);
        if let Some(address) = freed {
            self.schedule.has_room(address, &mut self.hosts.queues, now);
        }
    }

    /// A lease ends. Its record is synced.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn settle(&mut self, settled: Settled) -> Result<(), FrontierError> {
        let (Settled::Finished(lease) | Settled::RetryAt(lease, _)) = &settled;
        let key = lease.url.url.key();
        let entry = self.leased.remove(&key);
        self.counts.in_flight -= 1;
        self.release_deferred();
        match settled {
            Settled::Finished(lease) => {
                self.counts.finished += 1;
                let finished = Change::Finished {
                    seed: lease.url.seed,
                    host: lease.url.url.host(),
                };
                self.urls.write_later(key, finished);
            }
            Settled::RetryAt(lease, unix_ms) => {
                // With what links have said of it since.
                let url = entry.map_or(lease.url, |entry| entry.url);
                let entry = Entry::new(url, lease.attempt + 1, lease.order);
                self.enqueue(key, entry, unix_ms)?;
            }
        }
        Ok(())
    }
}
