//! The frontier: every URL ever admitted, and whose turn is next.
//!
//! Memory is bounded: of the seen URLs 64 bits each are kept, and beyond a bound the disk is asked;
//! of the pending ones so many are kept whole, of more only their place in the queue, and of yet
//! more nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use outcome::Refusal;

use crate::clock::Clock;
use crate::config::{FrontierConfig, FrontierError, HostStatus, Opened};
use crate::host::HostKey;
use crate::lease::{
    Counts, FrontierUrl, Gate, Lease, Next, Permission, Refused, Settled, Spelling,
};
use crate::politeness::{Addresses, HostAdvice};
use crate::queue::{HostQueue, Item};
use crate::schedule::Schedule;
use crate::store::{self, RowBytes, Store, Stored};
use crate::trap::{Gave, Traps};
use crate::url::CanonicalUrl;

mod admit;
mod held;
mod offers;

pub use offers::Offers;

/// URLs whose having been seen is known without asking the disk: some 160 MB of memory.
const SEEN_IN_MEMORY_MAX: usize = 10_000_000;
/// Places in queues kept in memory for each URL that is kept whole.
const PLACES_PER_BODY: usize = 4;
/// Places fetched from disk at once.
const PLACES_RETURNED: usize = 1_000;

/// Every URL ever admitted, and whose turn is next.
#[derive(Debug)]
pub struct Frontier {
    pub(crate) config: FrontierConfig,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) hosts: Vec<HostQueue>,
    pub(crate) schedule: Schedule,
    pub(crate) counts: Counts,
    seen: hashbrown::HashSet<u64>,
    bodies: hashbrown::HashMap<u128, Waiting>,
    /// URLs under way, each with the caller's bytes: links to it still add to them.
    leased: hashbrown::HashMap<u128, Vec<u8>>,
    /// URLs that come in may be leased only after the next [`Frontier::apply`].
    holds_new: bool,
    /// Those that came in since the last one, with the time before which none is to be tried.
    new: hashbrown::HashMap<u128, u64>,
    host_ids: hashbrown::HashMap<HostKey, usize>,
    domains: hashbrown::HashMap<String, usize>,
    seeds: hashbrown::HashMap<u32, u64>,
    seed_budgets: hashbrown::HashMap<u32, u64>,
    addresses: Addresses,
    traps: Traps,
    /// When this process began, if another one may have asked hosts just before it.
    resumed_at: Option<Instant>,
    /// Hosts whose best URL has to wait until another one is finished.
    held: Vec<usize>,
    /// Requests under way, robots.txt included.
    requests: usize,
    /// Places of queues in memory.
    places: usize,
    order: u64,
    /// Rows to be written with the next position.
    unwritten: hashbrown::HashMap<u128, RowBytes>,
    /// A failed write of places; told with the next [`Frontier::apply`].
    failed: Option<FrontierError>,
}

/// A URL that waits, as far as its priority follows from it.
#[derive(Debug, Clone)]
pub struct WaitingUrl {
    /// Its key.
    pub key: u128,
    /// The caller's own bytes.
    pub context: Vec<u8>,
    /// Its priority; below zero while it is held back.
    pub priority: f32,
}

/// A pending URL with all it carries.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) url: FrontierUrl,
    pub(crate) attempt: u32,
    pub(crate) order: u64,
}

impl Waiting {
    fn item(&self, key: u128) -> Item {
        Item {
            priority: self.url.priority,
            depth: self.url.depth,
            order: self.order,
            key,
        }
    }
}

impl Frontier {
    /// Opens the frontier stored at `dir`, or begins an empty one. Whatever was in flight when it
    /// was last written is pending, and every host first waits its delay: nobody knows when it was
    /// last asked.
    ///
    /// # Errors
    /// When the store cannot be made. A damaged store is no error: see [`Opened::rebuilt_because`].
    pub fn open(
        dir: &Path,
        config: FrontierConfig,
        now: Instant,
    ) -> Result<(Frontier, Opened), FrontierError> {
        store::open(dir, |store| {
            let mut frontier = Frontier::empty(config.clone(), store, now);
            for row in frontier.store.iter() {
                let (key, stored) = row?;
                frontier.load(key, stored);
            }
            if frontier.counts.admitted > 0 {
                frontier.resume();
            }
            Ok(frontier)
        })
    }

    fn empty(config: FrontierConfig, store: Store, now: Instant) -> Frontier {
        Frontier {
            config,
            store,
            clock: Clock::new(now),
            hosts: Vec::new(),
            schedule: Schedule::default(),
            counts: Counts::default(),
            seen: hashbrown::HashSet::new(),
            bodies: hashbrown::HashMap::new(),
            leased: hashbrown::HashMap::new(),
            holds_new: false,
            new: hashbrown::HashMap::new(),
            host_ids: hashbrown::HashMap::new(),
            domains: hashbrown::HashMap::new(),
            seeds: hashbrown::HashMap::new(),
            seed_budgets: hashbrown::HashMap::new(),
            addresses: Addresses::default(),
            traps: Traps::default(),
            resumed_at: None,
            held: Vec::new(),
            requests: 0,
            places: 0,
            order: 0,
            unwritten: hashbrown::HashMap::new(),
            failed: None,
        }
    }

    /// Another process worked on this crawl before: every host first waits its delay.
    pub(crate) fn resume(&mut self) {
        if self.resumed_at.is_some() {
            return;
        }
        let now = self.clock.now();
        self.resumed_at = Some(now);
        for id in 0..self.hosts.len() {
            self.hosts[id].manners.rest(now);
            self.update(id);
        }
    }

    fn load(&mut self, key: u128, stored: Stored) {
        self.note_seen(key);
        self.counts.admitted += 1;
        match stored {
            Stored::Finished { seed, host } => {
                self.counts.finished += 1;
                self.count_admission(&HostKey::from_record(&host), seed);
            }
            Stored::Pending {
                url,
                attempt,
                not_before_ms,
                order,
            } => {
                self.count_admission(&url.url.host(), url.seed);
                self.order = self.order.max(order + 1);
                let waiting = Waiting {
                    url,
                    attempt,
                    order,
                };
                self.counts.pending += 1;
                self.enqueue(key, &waiting, not_before_ms);
                if self.bodies.len() < self.config.pending_in_memory {
                    self.bodies.insert(key, waiting);
                }
            }
        }
    }

    /// A URL waits from now on, and is to be stored so.
    pub(crate) fn wait(&mut self, key: u128, waiting: Waiting, not_before_ms: u64) {
        let row = RowBytes::pending(&waiting.url, waiting.attempt, not_before_ms, waiting.order);
        self.unwritten.insert(key, row);
        self.counts.pending += 1;
        if self.holds_new {
            self.new.insert(key, not_before_ms);
        } else {
            self.enqueue(key, &waiting, not_before_ms);
        }
        self.bodies.insert(key, waiting);
    }

    /// From now on a URL that comes in, or back, may be leased only after the next
    /// [`Frontier::apply`]: what is fetched then follows from records that are synced.
    pub fn hold_new_until_applied(&mut self) {
        self.holds_new = true;
    }

    /// URLs that came in since the last [`Frontier::apply`] take their places in the queues.
    fn release_new(&mut self) {
        for (key, not_before_ms) in std::mem::take(&mut self.new) {
            if let Some(waiting) = self.bodies.remove(&key) {
                self.enqueue(key, &waiting, not_before_ms);
                self.bodies.insert(key, waiting);
            }
        }
    }

    fn enqueue(&mut self, key: u128, waiting: &Waiting, not_before_ms: u64) {
        let id = self.host_id(&waiting.url.url.host());
        let item = waiting.item(key);
        let longest = self.config.retry_after_max.max(Duration::from_secs(3_600));
        let not_before = self.clock.instant_of(not_before_ms, longest);
        if self.hosts[id].push(item, not_before) {
            self.places += 1;
        } else {
            self.spill(id, &[item]);
        }
        if self.places
            > self
                .config
                .pending_in_memory
                .max(1)
                .saturating_mul(PLACES_PER_BODY)
        {
            let items = self.hosts[id].spill();
            self.places -= items.len();
            self.spill(id, &items);
        }
        self.update(id);
    }

    fn spill(&mut self, id: usize, items: &[Item]) {
        match self.store.put_places(&self.hosts[id].host, items) {
            Ok(()) => self.hosts[id].note_spilled(items),
            Err(error) => self.failed = Some(error),
        }
    }

    fn unspill(&mut self, id: usize) {
        if self.hosts[id].wants_back() {
            let items = self
                .store
                .take_places(&self.hosts[id].host, PLACES_RETURNED);
            self.places += items.len();
            self.hosts[id].note_returned(&items, PLACES_RETURNED);
        }
    }

    /// Forgets the place of a URL in its host's queue; false when it has none.
    pub(crate) fn forget(&mut self, waiting: &Waiting, key: u128) -> bool {
        let id = self.host_id(&waiting.url.url.host());
        let item = waiting.item(key);
        let host = &mut self.hosts[id];
        let was_there = if host.remove(&item) || host.remove(&item.held_back()) {
            self.places -= 1;
            true
        } else {
            let was_there = host.has_spilled() && self.store.remove_place(&host.host, &item);
            if was_there {
                host.note_unspilled();
            }
            was_there
        };
        self.update(id);
        was_there
    }

    pub(crate) fn update(&mut self, id: usize) {
        self.schedule
            .update(id, &mut self.hosts[id], self.clock.now());
    }

    /// Whose turn is it?
    pub fn next(&mut self, now: Instant, gate: &mut dyn Gate) -> Next {
        let now = self.clock.moved_to(now);
        let next = self.next_of_ready(now, gate, false);
        if matches!(next, Next::InFlight) && self.is_quiet() && !self.held.is_empty() {
            // Nothing is left that a held URL could wait for.
            self.release_held();
            return self.next_of_ready(now, gate, true);
        }
        next
    }

    fn next_of_ready(&mut self, now: Instant, gate: &mut dyn Gate, force: bool) -> Next {
        while let Some(id) = self.schedule.take(&mut self.hosts, now) {
            let address = self.hosts[id].manners.address;
            let address_max = self.config.connections_per_address.max(1);
            if let Some(address) = address.filter(|_| self.addresses.is_full(address, address_max))
            {
                self.schedule.wait_for(id, address);
                continue;
            }
            self.unspill(id);
            let Some(item) = self.hosts[id].peek() else {
                self.update(id);
                continue;
            };
            let Some(waiting) = self.body(item.key) else {
                // The store lost it: nothing is left to visit.
                self.pop(id);
                self.counts.finished += 1;
                self.update(id);
                continue;
            };
            let host = self.hosts[id].host.clone();
            if waiting.url.depth > 0
                && let Err(trap) = self.traps.check(&host, &waiting.url.url)
            {
                // It was admitted before its like were found to lead nowhere.
                let lease = self.lease(id, &item, waiting);
                self.update(id);
                return Next::Refused(lease, Refused::Refusal(Refusal::Trap(trap)));
            }
            let permission = match gate.check(&host, &waiting.url.url) {
                Permission::Allowed => gate.worth(&host, &waiting.url.url, &Spelling(&self.traps)),
                other => other,
            };
            let permission = match permission {
                Permission::Later if force => Permission::Allowed,
                other => other,
            };
            match permission {
                Permission::Later => {
                    self.hold(id, &item, waiting);
                    continue;
                }
                Permission::Unknown => {
                    let url = waiting.url.url.clone();
                    self.bodies.insert(item.key, waiting);
                    if self.hosts[id].manners.in_flight > 0 {
                        // Idle until its slots are free: robots.txt is asked for alone.
                        continue;
                    }
                    self.hosts[id].manners.sent_robots(&mut self.addresses);
                    self.requests += 1;
                    return Next::Robots(host, url);
                }
                Permission::Refused(refused) => {
                    let lease = self.lease(id, &item, waiting);
                    self.update(id);
                    return Next::Refused(lease, refused);
                }
                Permission::Allowed => {
                    let lease = self.lease(id, &item, waiting);
                    self.hosts[id].manners.sent(now, &mut self.addresses);
                    self.requests += 1;
                    self.schedule.served(id, &mut self.hosts[id], now);
                    return Next::Lease(lease);
                }
            }
        }
        match self.schedule.next_due() {
            Some(at) => Next::WaitUntil(at),
            None if self.requests > 0 || !self.leased.is_empty() => Next::InFlight,
            None if self.counts.pending > 0 => Next::InFlight,
            None => Next::Drained,
        }
    }

    fn pop(&mut self, id: usize) {
        if self.hosts[id].pop().is_some() {
            self.places -= 1;
            self.counts.pending -= 1;
        }
    }

    fn lease(&mut self, id: usize, item: &Item, waiting: Waiting) -> Lease {
        self.pop(id);
        self.counts.in_flight += 1;
        self.leased.insert(item.key, waiting.url.context.clone());
        let url = FrontierUrl {
            priority: item.own_priority(),
            ..waiting.url
        };
        Lease {
            url,
            attempt: waiting.attempt,
            order: waiting.order,
        }
    }

    /// Takes out a pending URL with all it carries, from memory or disk.
    pub(crate) fn body(&mut self, key: u128) -> Option<Waiting> {
        if let Some(waiting) = self.bodies.remove(&key) {
            return Some(waiting);
        }
        match self.stored(key) {
            Some(Stored::Pending {
                url,
                attempt,
                order,
                ..
            }) => Some(Waiting {
                url,
                attempt,
                order,
            }),
            Some(Stored::Finished { .. }) | None => None,
        }
    }

    pub(crate) fn stored(&self, key: u128) -> Option<Stored> {
        match self.unwritten.get(&key) {
            Some(row) => row.read(),
            None => self.store.get(key),
        }
    }

    pub(crate) fn is_leased(&self, key: u128) -> bool {
        self.leased.contains_key(&key)
    }

    pub(crate) fn write_later(&mut self, key: u128, row: RowBytes) {
        self.unwritten.insert(key, row);
    }

    /// A host's body ended: its slot is free and its delay begins.
    pub fn body_done(&mut self, host: &HostKey, now: Instant, advice: &HostAdvice) {
        let now = self.clock.moved_to(now);
        let id = self.host_id(host);
        self.received(id, now, advice);
        self.hosts[id].manners.rest(now);
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
        self.hosts[id].manners.asking_robots = false;
        self.hosts[id].manners.set_crawl_delay(crawl_delay);
        self.received(id, now, advice);
        self.update(id);
    }

    fn received(&mut self, id: usize, now: Instant, advice: &HostAdvice) {
        self.requests = self.requests.saturating_sub(1);
        let longest = self.config.retry_after_max;
        let manners = &mut self.hosts[id].manners;
        let freed = manners.received(now, advice, longest, &mut self.addresses);
        if let Some(address) = freed {
            self.schedule.has_room(address, &mut self.hosts, now);
        }
    }

    /// A lease ends. Its record is synced.
    pub fn settle(&mut self, settled: Settled) {
        let (Settled::Finished(lease) | Settled::RetryAt(lease, _)) = &settled;
        let key = lease.url.url.key();
        let context = self.leased.remove(&key);
        self.counts.in_flight -= 1;
        self.release_held();
        match settled {
            Settled::Finished(lease) => {
                self.counts.finished += 1;
                self.write_later(
                    key,
                    RowBytes::finished(lease.url.seed, &lease.url.url.host()),
                );
            }
            Settled::RetryAt(lease, unix_ms) => {
                let Lease {
                    url,
                    attempt,
                    order,
                } = lease;
                let context = context.unwrap_or_default();
                self.wait(
                    key,
                    Waiting {
                        url: FrontierUrl { context, ..url },
                        attempt: attempt + 1,
                        order,
                    },
                    unix_ms,
                );
            }
        }
    }

    /// Tells the trap rules how the page of record number `seq` turned out, and of which page it is
    /// a copy, before its links are admitted.
    pub fn observe(
        &mut self,
        url: &CanonicalUrl,
        seq: u64,
        gave: Gave,
        original: Option<&CanonicalUrl>,
    ) {
        if let Some(original) = original {
            self.traps.observe_copy(url, original);
        }
        self.traps.observe(&url.host(), url, seq, gave);
    }

    /// Tells the trap rules that the page of record number `via`, observed last, led to a new URL.
    /// [`Frontier::admit`] does so by itself; a replay does it for every record, since what the
    /// trap rules have learnt is not stored.
    pub fn observe_link(&mut self, url: &CanonicalUrl, via: Option<u64>) {
        self.traps.admitted(&url.host(), url, via);
    }

    /// What is known of parameters that change nothing.
    pub fn spelling(&self) -> Spelling<'_> {
        Spelling(&self.traps)
    }

    /// A URL that waits in memory, with what it carries.
    pub fn waiting(&self, url: &CanonicalUrl) -> Option<&FrontierUrl> {
        Some(&self.bodies.get(&url.key())?.url)
    }

    /// The caller's bytes of a URL that waits in memory or is under way.
    pub fn context_of(&self, url: &CanonicalUrl) -> Option<&[u8]> {
        let key = url.key();
        let waiting = self.bodies.get(&key).map(|waiting| &waiting.url.context);
        waiting.or_else(|| self.leased.get(&key)).map(Vec::as_slice)
    }

    /// Changes the caller's bytes and the priority of a URL that waits in memory or is under way:
    /// for the latter they count if it is tried again.
    pub fn amend(&mut self, url: &CanonicalUrl, context: Vec<u8>, priority: f32) {
        let key = url.key();
        if let Some(leased) = self.leased.get_mut(&key) {
            *leased = context;
            return;
        }
        let Some(waiting) = self.bodies.get_mut(&key) else {
            return;
        };
        let before = waiting.item(key);
        let after = Item { priority, ..before };
        waiting.url.context = context;
        let is_new = self.new.contains_key(&key);
        let id = self.host_id(&url.host());
        // A place on disk, or among those to be tried again, stays as it is.
        if (self.hosts[id].reorder(&before, after) || is_new)
            && let Some(waiting) = self.bodies.get_mut(&key)
        {
            waiting.url.priority = priority;
            self.update(id);
        }
    }

    /// Whether a URL met its fate and was not put back since.
    pub fn is_finished(&self, url: &CanonicalUrl) -> bool {
        let key = url.key();
        !self.is_leased(key) && matches!(self.stored(key), Some(Stored::Finished { .. }))
    }

    /// The URLs that wait in memory, as they are now: to be scored again while the queue goes on.
    pub fn snapshot(&self) -> Vec<WaitingUrl> {
        let bodies = self.bodies.iter();
        bodies
            .map(|(&key, waiting)| WaitingUrl {
                key,
                context: waiting.url.context.clone(),
                priority: waiting.url.priority,
            })
            .collect()
    }

    /// Sets priorities by key, of those URLs that still wait in memory.
    pub fn set_priorities(&mut self, priorities: &hashbrown::HashMap<u128, f32>) {
        let bodies = &mut self.bodies;
        for key in self.new.keys() {
            if let (Some(waiting), Some(&priority)) = (bodies.get_mut(key), priorities.get(key)) {
                waiting.url.priority = priority;
            }
        }
        for id in 0..self.hosts.len() {
            let bodies = &mut self.bodies;
            self.hosts[id].rescore(|item| {
                if let Some(waiting) = bodies.get_mut(&item.key)
                    && let Some(&priority) = priorities.get(&item.key)
                {
                    waiting.url.priority = priority;
                    item.priority = priority;
                }
            });
            self.update(id);
        }
    }

    /// Stores what was admitted and settled, with the journal position that it follows from.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn apply(&mut self, position: u64) -> Result<(), FrontierError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.release_new();
        let bodies_max = self.config.pending_in_memory;
        let bodies = &mut self.bodies;
        let rows = self.unwritten.drain().inspect(|(key, _)| {
            if bodies.len() > bodies_max {
                bodies.remove(key);
            }
        });
        self.store.write(rows, position)
    }

    /// How many URLs are where.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Hosts with most pending URLs.
    pub fn hosts(&self, limit: usize, now: Instant) -> Vec<HostStatus> {
        let is_shown = |host: &&HostQueue| host.len() > 0 || host.manners.in_flight > 0;
        let mut hosts: Vec<&HostQueue> = self.hosts.iter().filter(is_shown).collect();
        let most_first = |a: &&HostQueue, b: &&HostQueue| {
            b.len().cmp(&a.len()).then_with(|| a.host.cmp(&b.host))
        };
        if hosts.len() > limit {
            hosts.select_nth_unstable_by(limit, most_first);
            hosts.truncate(limit);
        }
        hosts.sort_by(most_first);
        let status = |host: &HostQueue| HostStatus {
            host: host.host.clone(),
            pending: host.len() as u64,
            next_in: host
                .next_at()
                .map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
            why: host.why(now),
        };
        hosts.into_iter().map(status).collect()
    }
}

#[cfg(test)]
mod tests;
