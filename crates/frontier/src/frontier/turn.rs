//! Whose turn it is, and what comes back: leases go out, bodies end, leases are settled.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use outcome::{LinkFate, Refusal};

use super::Frontier;
use crate::config::FrontierError;
use crate::host::HostKey;
use crate::lease::{Gate, Lease, Next, Permission, Refused, Settled};
use crate::origin::Origin;
use crate::politeness::{HostAdvice, HostPast, Limit, LookUp, WaitReason};
use crate::schedule::Turn;
use crate::store::{Change, QueueSlot};
use crate::url::CanonicalUrl;
use crate::url_table::Entry;

/// So many URLs of origins that are held are set aside in one turn, each of which may have to be read from
/// the store; then those who wait for the frontier go first.
const ASIDE_AT_ONCE: usize = 256;
const ASIDE_PAUSE: Duration = Duration::from_millis(1);

impl Frontier {
    /// Whose turn is it?
    ///
    /// # Errors
    /// When the URL whose turn it is cannot be read. It is still pending in the store.
    pub fn next(&mut self, now: Instant, gate: &mut dyn Gate) -> Result<Next, FrontierError> {
        let now = self.clock.moved_to(now);
        loop {
            let next = self.next_ready(now, gate, false)?;
            if !self.others_are_done(&next) {
                return Ok(next);
            }
            if !self.deferred_hosts.is_empty() {
                // Nothing is left that a deferred URL could wait for.
                self.release_deferred();
                let next = self.next_ready(now, gate, true)?;
                if !self.others_are_done(&next) {
                    return Ok(next);
                }
            }
            if !self.release_held_back() {
                return Ok(next);
            }
        }
    }

    /// The next URL of a host that is ready. With `ends_deferral` a URL that is deferred goes all
    /// the same.
    fn next_ready(
        &mut self,
        now: Instant,
        gate: &mut dyn Gate,
        ends_deferral: bool,
    ) -> Result<Next, FrontierError> {
        let read = self.counts.finished;
        let mut set_aside = 0;
        let wait = loop {
            let id = match self.schedule.take(&mut self.hosts.queues, now, read) {
                Turn::Host(id) => id,
                Turn::Nobody(until) => break until,
            };
            if self.wants_address(id) {
                self.hosts[id].politeness.look_up = LookUp::UnderWay;
                self.requests += 1;
                self.update(id);
                return Ok(Next::Address(self.hosts[id].host.clone()));
            }
            if let Some(address) = self.hosts[id].politeness.address
                && (self.hosts[id].has_errand(now) || !self.hosts[id].is_gone())
                && self.is_full(address)
            {
                self.schedule.wait_for(id, address);
                continue;
            }
            if let Some((errand, origin)) = self.hosts[id].take_errand(now) {
                self.send(id, origin, now);
                return Ok(Next::Errand(self.hosts[id].host.clone(), errand));
            }
            self.unspill(id)?;
            let Some(slot) = self.hosts[id].whose_turn() else {
                self.update(id);
                continue;
            };
            let Some(mut entry) = self.urls.take(slot.key)? else {
                return Err(self.lost(id, slot.key));
            };
            entry.held = slot.held();
            let origin = entry.url.url.origin();
            let held = self.hosts[id].politeness.held(origin);
            if held.is_some_and(|(at, _)| at > now) {
                self.urls.put_back(slot.key, entry);
                self.hosts[id].set_aside(&slot, origin);
                self.update(id);
                set_aside += 1;
                if set_aside == ASIDE_AT_ONCE {
                    break Some(now + ASIDE_PAUSE);
                }
                continue;
            }
            let permission = match self.permission(id, &entry, gate) {
                Permission::Defer if ends_deferral => Permission::Allowed,
                permission => permission,
            };
            if let Some(next) = self.go_by(permission, id, slot, entry, now) {
                return Ok(next);
            }
        };
        Ok(match wait {
            Some(at) => Next::WaitUntil(at),
            None if self.is_quiet() && self.counts.pending == 0 => Next::Drained,
            None => Next::InFlight,
        })
    }

    fn is_full(&self, address: IpAddr) -> bool {
        self.addresses
            .is_full(address, self.connections_to_an_address())
    }

    /// This node's share of the connections to one address.
    fn connections_to_an_address(&self) -> usize {
        let nodes = self.share.as_ref().map_or(1, super::Share::nodes);
        (self.config.connections_per_address / nodes).max(1)
    }

    /// Whether no address has more requests under way than is this node's share.
    pub fn is_within_share(&self) -> bool {
        self.addresses.are_within(self.connections_to_an_address())
    }

    /// Whether a host's address is to be known before it is first asked.
    fn wants_address(&self, id: usize) -> bool {
        let host = &self.hosts[id];
        self.config.looks_up
            && host.politeness.address.is_none()
            && host.politeness.look_up == LookUp::NotYet
            && !host.is_gone()
    }

    /// The answer to [`Next::Address`]; none where it could not be found, and the request will tell why.
    pub fn note_address(&mut self, host: &HostKey, address: Option<IpAddr>) {
        let id = self.host_id(host);
        let politeness = &mut self.hosts[id].politeness;
        politeness.look_up = LookUp::Done;
        politeness.address = politeness.address.or(address);
        self.requests = self.requests.saturating_sub(1);
        self.update(id);
    }

    /// What is said to a URL whose turn it is, in this order: by the budgets of its host
    /// and its seed and by the scope, by an
    /// origin that was given up, by the trap rules, by robots.txt, and by what was learnt of its like.
    fn permission(&mut self, id: usize, entry: &Entry, gate: &mut dyn Gate) -> Permission {
        let queue = &self.hosts[id];
        let (host, url) = (&queue.host, &entry.url.url);
        // It may have been admitted when another scope or budget was in force.
        let is_known = gate.is_known(&entry.url);
        let is_new = entry.url.depth > 0 && !is_known;
        let belongs = if is_new && queue.is_over_budget() {
            Err(LinkFate::BudgetHost)
        } else if is_new && self.is_seed_over_budget(entry.url.seed) {
            Err(LinkFate::BudgetSeed)
        } else {
            gate.belongs(&entry.url)
        };
        if let Err(fate) = belongs {
            return Permission::Refused(Refused::Refusal(Refusal::LeftOut(fate)));
        }
        if let Some(gone) = queue.politeness.gone(url.origin()) {
            return Permission::Refused(gone.clone());
        }
        // It may have been admitted before its like were found to lead nowhere.
        if is_new && let Err(trap) = self.traps.check(host, url) {
            return Permission::Refused(Refused::Refusal(Refusal::Trap(trap)));
        }
        match gate.check(host, url) {
            Permission::Allowed => {}
            refusal => return refusal,
        }
        let normalizer = self.parameters.normalizer();
        let worth = match is_known {
            true => Permission::Allowed,
            false => gate.worth(host, url, normalizer),
        };
        match (worth, self.reached) {
            (Permission::HoldBack(held), Some(reached)) if held <= reached => {
                match gate.worth_at_last(host, url, normalizer, reached) {
                    Permission::HoldBack(held) if held <= reached => Permission::Allowed,
                    permission => permission,
                }
            }
            (Permission::Allowed, Some(_)) => {
                // Something came in that is not held back: it is done before the rest of what is.
                self.reached = None;
                Permission::Allowed
            }
            (permission, _) => permission,
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
            Permission::HoldBack(held) => {
                self.hold_back(id, &slot, entry, held);
                None
            }
            Permission::Unknown => {
                let url = entry.url.url.clone();
                self.urls.put_back(slot.key, entry);
                let host = &mut self.hosts[id];
                if host.politeness.in_flight() > 0 {
                    // It is idle until its slots are free: robots.txt is asked for alone.
                    return None;
                }
                let addresses = &mut self.addresses;
                host.politeness.sent_robots(url.origin(), now, addresses);
                self.schedule.asks(now);
                let host = host.host.clone();
                self.requests += 1;
                self.asking_robots += 1;
                self.update(id);
                Some(Next::Robots(host, url))
            }
            Permission::Refused(refused) => {
                let lease = self.lease(id, &slot, entry);
                self.update(id);
                Some(Next::Refused(lease, refused))
            }
            Permission::Allowed => {
                self.schedule.asks(now);
                self.schedule.sent(slot.key, slot.priority, now);
                let origin = entry.url.url.origin();
                let lease = self.lease(id, &slot, entry);
                self.send(id, origin, now);
                Some(Next::Lease(lease))
            }
        }
    }

    /// A request goes out to a host's origin.
    fn send(&mut self, id: usize, origin: Origin, now: Instant) {
        let politeness = &mut self.hosts[id].politeness;
        politeness.sent(origin, now, &mut self.addresses);
        self.requests += 1;
        self.schedule.served(id, &mut self.hosts[id], now);
        self.note_host(id);
    }

    /// Has a request made to a host's origin as soon as its manners allow it: [`Next::Errand`] with this
    /// number then says so.
    pub fn ask_for(&mut self, host: &HostKey, origin: Origin, number: u64) {
        let id = self.host_id(host);
        self.hosts[id].errands.push_back((number, origin));
        self.update(id);
    }

    fn lease(&mut self, id: usize, slot: &QueueSlot, mut entry: Entry) -> Lease {
        entry.held = None;
        if self.hosts[id].take(slot) {
            self.hosts[id].origins.remove(entry.url.url.origin());
            self.slots_in_memory -= 1;
            self.counts.pending -= 1;
        }
        self.counts.in_flight += 1;
        let lease = Lease {
            url: entry.url.clone(),
            attempt: entry.attempt,
            order: entry.order,
        };
        self.leased.insert(slot.key, entry);
        lease
    }

    pub(super) fn is_leased(&self, key: u128) -> bool {
        self.leased.contains_key(&key)
    }

    /// Whether nothing is under way.
    pub(super) fn is_quiet(&self) -> bool {
        self.requests == 0 && self.asking_robots == 0 && self.leased.is_empty()
    }

    /// A host's body ended: its slot is free and its delay begins.
    pub fn body_done(&mut self, host: &HostKey, now: Instant, advice: &HostAdvice) {
        let now = self.clock.moved_to(now);
        let id = self.host_id(host);
        self.received(id, now, advice);
        self.hosts[id].politeness.rest(now);
        self.update(id);
    }

    /// What the robots.txt of a host's origin says is known: its pages may be asked for when the host's
    /// delay is over. With `wait` it could not be had, and is to be asked for again after that time; pages
    /// of other origins go on.
    ///
    /// Where it was not asked for, as on a replay, nothing happens.
    pub fn robots_known(
        &mut self,
        host: &HostKey,
        origin: Origin,
        crawl_delay: Option<Duration>,
        wait: Option<Duration>,
    ) {
        let Some(id) = self.hosts.find(host) else {
            return;
        };
        let (now, longest) = (self.clock.now(), self.config.crawl_delay_max);
        let politeness = &mut self.hosts[id].politeness;
        if !politeness.asking_robots {
            return;
        }
        self.asking_robots -= 1;
        politeness.robots_known(origin);
        match wait {
            Some(wait) => politeness.wait_for_robots(origin, now, wait),
            None => politeness.set_crawl_delay(origin, crawl_delay.map(|delay| delay.min(longest))),
        }
        self.update(id);
    }

    /// Goes on with a host where an earlier process ended.
    pub fn resume_host(&mut self, host: &HostKey, past: &HostPast) {
        let id = self.host_id(host);
        let mut past = past.clone();
        let longest = self.config.crawl_delay_max;
        for own in &mut past.origins {
            own.crawl_delay = own.crawl_delay.map(|delay| delay.min(longest));
        }
        let retry_after_max = self.config.retry_after_max;
        let politeness = &mut self.hosts[id].politeness;
        politeness.resume(&past, &self.clock, retry_after_max);
        self.update(id);
    }

    /// Leaves a host alone for so long, from a time in milliseconds since the Unix epoch on: it answers
    /// with walls.
    pub fn rest_host(&mut self, host: &HostKey, from_ms: u64, rest: Duration) {
        self.hold(host, from_ms, rest, WaitReason::Walls);
    }

    /// The same where a host seems to limit how often it is asked.
    pub fn hold_host(&mut self, host: &HostKey, from_ms: u64, rest: Duration) {
        self.hold(host, from_ms, rest, WaitReason::BackOff);
    }

    fn hold(&mut self, host: &HostKey, from_ms: u64, rest: Duration, why: WaitReason) {
        let until_ms = from_ms.saturating_add(rest.as_millis() as u64);
        if let Some(at) = self.clock.instant_of(until_ms, rest) {
            let id = self.host_id(host);
            self.hosts[id].politeness.wait_until(at, why);
            self.update(id);
        }
    }

    /// What is known now of how a host limits by answers that do not say so.
    pub fn set_limit(&mut self, host: &HostKey, limit: Option<Limit>) {
        let id = self.host_id(host);
        self.hosts[id].politeness.limit = limit;
    }

    /// A host is asked more slowly, as after a 429: a page came that it had not given while it limited. The answer
    /// with the page began and ended then, in milliseconds since the Unix epoch.
    pub fn slow_host(&mut self, host: &HostKey, (began_ms, ended_ms): (u64, u64)) {
        let id = self.host_id(host);
        let politeness = &mut self.hosts[id].politeness;
        politeness.pace.note(429, false, began_ms, ended_ms);
    }

    /// A URL that is being visited, or is to be put back, goes before all others of its host as soon as it waits.
    pub fn ask_first(&mut self, url: &CanonicalUrl) {
        let key = url.key();
        let slot = self.leased.get(&key).map(|entry| entry.slot(key));
        let id = self.host_id(&url.host());
        self.hosts[id].goes_first = Some((key, slot));
    }

    /// The pages of a host that are known to have been good: by them it is found out whether it limits or is out.
    pub fn good_pages_of(&self, host: &HostKey) -> &[CanonicalUrl] {
        self.silent.good_pages(host)
    }

    /// Another node has had a good page from a host.
    pub fn note_good_page(&mut self, url: &CanonicalUrl) {
        self.silent.note_good(url);
    }

    /// Says whether a host has answered in an earlier process.
    pub fn set_answered_before(&mut self, any: bool) {
        self.silent.has_answered_before = any;
    }

    /// The hosts for which URLs wait.
    pub fn waiting_hosts(&self) -> Vec<HostKey> {
        let hosts = self.hosts.queues.iter();
        let waiting = hosts.filter(|host| host.len() > 0);
        waiting.map(|host| host.host.clone()).collect()
    }

    /// Whether URLs wait for a host.
    pub fn is_waiting(&self, host: &HostKey) -> bool {
        let id = self.hosts.find(host);
        id.is_some_and(|id| self.hosts[id].len() > 0)
    }

    fn received(&mut self, id: usize, now: Instant, advice: &HostAdvice) {
        self.requests = self.requests.saturating_sub(1);
        let longest = self.config.retry_after_max;
        let at = (now, self.clock.unix_ms_of(now));
        let politeness = &mut self.hosts[id].politeness;
        let freed = politeness.received(at, advice, longest, &mut self.addresses);
        if let Some(good) = &advice.good {
            self.silent.note_good(good);
        }
        if advice.status > 0 {
            self.silent.last_answer = Some(now);
        }
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
        self.schedule.came(key);
        self.counts.in_flight -= 1;
        self.release_deferred();
        match settled {
            Settled::Finished(lease) => {
                self.counts.finished += 1;
                self.budgets.note_finished(lease.url.paying_seed());
                let finished = Change::Finished {
                    seed: lease.url.paying_seed(),
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
