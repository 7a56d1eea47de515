//! The frontier: every URL ever admitted, and whose turn is next.

use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::host::HostKey;
use crate::queue::{HostQueue, Item, Ready};
use crate::store::{Store, Stored};
use crate::trap::Traps;
use crate::url::CanonicalUrl;

/// Longest wait after failures in a row.
const BACK_OFF_MAX: Duration = Duration::from_secs(60);
/// First wait after a failure; doubled with each further one in a row.
const BACK_OFF_FIRST: Duration = Duration::from_millis(250);
/// Added to what a server asks for: its clock and ours do not tick together.
const RETRY_AFTER_MARGIN: Duration = Duration::from_millis(50);

/// A URL that waits, or is being visited.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontierUrl {
    /// The URL.
    pub url: CanonicalUrl,
    /// Links from a seed.
    pub depth: u32,
    /// Number of the seed.
    pub seed: u32,
    /// Record number of the page that led here.
    pub via: Option<u64>,
    /// 0.0 to 1.0, larger first.
    pub priority: f32,
    /// The caller's own bytes, kept with the URL.
    pub context: Vec<u8>,
}

/// The right to finish a URL. Not `Clone`: a URL is finished once.
#[derive(Debug)]
#[must_use = "a lease that is never settled leaves its URL pending"]
pub struct Lease {
    url: FrontierUrl,
    attempt: u32,
    order: u64,
}

impl Lease {
    /// The URL.
    pub fn url(&self) -> &FrontierUrl {
        &self.url
    }

    /// Which try this is, 1 for the first.
    pub fn attempt(&self) -> u32 {
        self.attempt
    }

    /// The URL met its fate, and its record is synced.
    pub fn finished(self) -> Settled {
        Settled::Finished(self)
    }

    /// The URL is to be tried again, not before a time (milliseconds since the Unix epoch).
    pub fn retry_at(self, unix_ms: u64) -> Settled {
        Settled::RetryAt(self, unix_ms)
    }
}

/// How a lease ends.
#[derive(Debug)]
pub enum Settled {
    /// The URL is finished.
    Finished(Lease),
    /// It is to be tried again.
    RetryAt(Lease, u64),
}

/// What `next` answers.
#[derive(Debug)]
pub enum Next {
    /// Visit this URL now.
    Lease(Lease),
    /// Fetch this host's robots.txt now; the URL is one that waits for it.
    Robots(HostKey, CanonicalUrl),
    /// robots.txt disallows this URL: finish it without a visit. Costs the host no delay.
    Refused(Lease, String),
    /// Nothing before this time.
    WaitUntil(Instant),
    /// Nothing before something under way has ended.
    InFlight,
    /// Nothing is pending.
    Drained,
}

/// What robots.txt says to a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permission {
    /// Go on.
    Allowed,
    /// No; with the rule.
    Refused(String),
    /// robots.txt is not known yet.
    Unknown,
}

/// Asks robots.txt.
pub trait Gate {
    /// May this URL be fetched?
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission;
}

/// What became of an offered URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It is new and waits now.
    New,
    /// It was admitted before.
    Seen,
    /// It is refused.
    Refused(AdmissionRefusal),
}

/// Why a URL in scope is not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdmissionRefusal {
    /// The seed's page budget is used up.
    BudgetSeed,
    /// The host's page budget is used up.
    BudgetHost,
    /// Too many hosts under one registrable domain.
    HostPool,
    /// A trap, by its name.
    Trap(&'static str),
}

impl AdmissionRefusal {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::BudgetSeed => "budget_seed",
            Self::BudgetHost => "budget_host",
            Self::HostPool => "trap_host_pool",
            Self::Trap(name) => name,
        }
    }
}

/// What an answer told about its host.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostAdvice {
    /// `Retry-After` of a 429 or 503.
    pub retry_after: Option<Duration>,
    /// The connection failed in a way that may pass.
    pub failed: bool,
    /// HTTP status, 0 for none.
    pub status: u16,
    /// How long the fetch took.
    pub took: Duration,
    /// The address that answered; `None` behind a proxy.
    pub address: Option<IpAddr>,
}

/// One host's overrides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HostLimits {
    /// Between requests.
    pub delay: Option<Duration>,
    /// Requests at once.
    pub connections: Option<usize>,
    /// URLs admitted at most.
    pub pages: Option<u64>,
}

/// How the frontier works.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontierConfig {
    /// Between requests to one host.
    pub delay: Duration,
    /// Requests to one host at once.
    pub connections_per_host: usize,
    /// Requests to one address at once.
    pub connections_per_address: usize,
    /// Longest Crawl-delay that is obeyed.
    pub crawl_delay_max: Duration,
    /// Longest Retry-After that is waited for.
    pub retry_after_max: Duration,
    /// Overrides by host.
    pub hosts: HashMap<String, HostLimits>,
    /// URLs admitted for one host; 0 for no limit.
    pub urls_per_host: u64,
    /// Hosts admitted under one registrable domain.
    pub hosts_per_domain: usize,
    /// Pending URLs kept in memory with all they carry; of the rest only their place in the queue.
    pub pending_in_memory: usize,
}

impl Default for FrontierConfig {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            connections_per_host: 1,
            connections_per_address: 8,
            crawl_delay_max: Duration::from_secs(300),
            retry_after_max: Duration::from_secs(3_600),
            hosts: HashMap::new(),
            urls_per_host: 1_000_000,
            hosts_per_domain: 200,
            pending_in_memory: 200_000,
        }
    }
}

/// How many URLs are where. `admitted = pending + in_flight + finished`, always.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ever admitted.
    pub admitted: u64,
    /// Waiting.
    pub pending: u64,
    /// Leased.
    pub in_flight: u64,
    /// Finished.
    pub finished: u64,
}

/// One host, for watchers.
#[derive(Debug, Clone, PartialEq)]
pub struct HostStatus {
    /// The host.
    pub host: HostKey,
    /// URLs that wait.
    pub pending: u64,
    /// Until its next request.
    pub next_in: Duration,
    /// Why it waits.
    pub why: &'static str,
}

/// What was found when a frontier was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opened {
    /// The journal position that it has applied; 0 for an empty one.
    pub position: u64,
    /// Why the one on disk was set aside and an empty one begun; the caller replays the journal.
    pub rebuilt_because: Option<String>,
}

/// Why the frontier cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// Its store failed.
    #[error("cannot {what}: {cause}")]
    Store {
        /// What was tried.
        what: &'static str,
        /// What the store said.
        cause: String,
    },
}

/// A wall-clock time as a time of this process; `None` when it has passed.
fn instant_of(unix_ms: u64, now: Instant) -> Option<Instant> {
    let at = UNIX_EPOCH + Duration::from_millis(unix_ms);
    at.duration_since(SystemTime::now())
        .ok()
        .map(|wait| now + wait)
}

/// Every URL ever admitted, and whose turn is next.
#[derive(Debug)]
pub struct Frontier {
    config: FrontierConfig,
    store: Store,
    seen: hashbrown::HashSet<u64>,
    bodies: hashbrown::HashMap<u128, Waiting>,
    leased: hashbrown::HashSet<u128>,
    hosts: Vec<HostQueue>,
    host_ids: hashbrown::HashMap<HostKey, usize>,
    domains: hashbrown::HashMap<String, usize>,
    seeds: hashbrown::HashMap<u32, u64>,
    seed_budgets: hashbrown::HashMap<u32, u64>,
    addresses: hashbrown::HashMap<IpAddr, usize>,
    ready: Ready,
    traps: Traps,
    counts: Counts,
    order: u64,
    dirty: Vec<(u128, Stored)>,
}

/// A pending URL with all it carries. `stored` is false until it is on disk too.
#[derive(Debug)]
struct Waiting {
    url: FrontierUrl,
    attempt: u32,
    order: u64,
    stored: bool,
}

impl Frontier {
    /// Opens the frontier stored at `dir`, or begins an empty one.
    ///
    /// # Errors
    /// When the store cannot be made. A damaged store is no error: see [`Opened::rebuilt_because`].
    pub fn open(
        dir: &Path,
        config: FrontierConfig,
        now: Instant,
    ) -> Result<(Frontier, Opened), FrontierError> {
        let (store, opened) = Store::open(dir)?;
        let mut frontier = Frontier::empty(config, store);
        for row in frontier.store.iter() {
            let (key, stored) = row?;
            match stored {
                Stored::Finished { seed, host } => {
                    frontier.seen.insert(key as u64);
                    frontier.counts.admitted += 1;
                    frontier.counts.finished += 1;
                    frontier.count_admission(&HostKey::from_record(&host), seed);
                }
                Stored::Pending {
                    url,
                    attempt,
                    not_before_ms,
                    order,
                } => {
                    frontier.seen.insert(key as u64);
                    frontier.counts.admitted += 1;
                    frontier.count_admission(&url.url.host(), url.seed);
                    frontier.order = frontier.order.max(order + 1);
                    frontier.enqueue(key, url, attempt, order, true, not_before_ms, now);
                }
            }
        }
        // After a start every host first waits its delay: nobody knows when it was last asked.
        for id in 0..frontier.hosts.len() {
            let delay = frontier.delay_of(id);
            frontier.hosts[id].wait_until(now + delay, "delay");
            frontier.ready.update(id, &mut frontier.hosts[id], now);
        }
        Ok((frontier, opened))
    }

    fn empty(config: FrontierConfig, store: Store) -> Frontier {
        Frontier {
            config,
            store,
            seen: hashbrown::HashSet::new(),
            bodies: hashbrown::HashMap::new(),
            leased: hashbrown::HashSet::new(),
            hosts: Vec::new(),
            host_ids: hashbrown::HashMap::new(),
            domains: hashbrown::HashMap::new(),
            seeds: hashbrown::HashMap::new(),
            seed_budgets: hashbrown::HashMap::new(),
            addresses: hashbrown::HashMap::new(),
            ready: Ready::default(),
            traps: Traps::default(),
            counts: Counts::default(),
            order: 0,
            dirty: Vec::new(),
        }
    }

    /// Sets how many URLs a seed may bring in.
    pub fn set_seed_budget(&mut self, seed: u32, urls: u64) {
        self.seed_budgets.insert(seed, urls);
    }

    /// Offers a URL. It is in scope: that was asked before.
    pub fn admit(&mut self, url: FrontierUrl) -> Admission {
        let key = url.url.key();
        if self.seen.contains(&(key as u64)) {
            return Admission::Seen;
        }
        if let Some(refusal) = self.refusal(&url) {
            return Admission::Refused(refusal);
        }
        self.admit_new(key, url);
        Admission::New
    }

    fn refusal(&mut self, url: &FrontierUrl) -> Option<AdmissionRefusal> {
        let host = url.url.host();
        if let Some(&limit) = self.seed_budgets.get(&url.seed)
            && self.seeds.get(&url.seed).copied().unwrap_or(0) >= limit
        {
            return Some(AdmissionRefusal::BudgetSeed);
        }
        let known = self.host_ids.get(&host).copied();
        let admitted = known.map_or(0, |id| self.hosts[id].admitted);
        let own = self
            .config
            .hosts
            .get(host.as_str())
            .and_then(|limits| limits.pages);
        let everyone = Some(self.config.urls_per_host).filter(|&limit| limit > 0);
        if own.or(everyone).is_some_and(|limit| admitted >= limit) {
            return Some(AdmissionRefusal::BudgetHost);
        }
        if known.is_none() {
            let domain = host.registrable().unwrap_or(host.name());
            if self
                .domains
                .get(domain)
                .is_some_and(|&hosts| hosts >= self.config.hosts_per_domain)
            {
                return Some(AdmissionRefusal::HostPool);
            }
        }
        // A seed is the user's word: no trap rule applies to it.
        if url.depth == 0 {
            return None;
        }
        self.traps
            .check(&host, &url.url)
            .err()
            .map(AdmissionRefusal::Trap)
    }

    fn admit_new(&mut self, key: u128, url: FrontierUrl) {
        self.seen.insert(key as u64);
        self.counts.admitted += 1;
        self.count_admission(&url.url.host(), url.seed);
        self.traps.admitted(&url.url.host(), &url.url);
        let order = self.order;
        self.order += 1;
        self.dirty.push((
            key,
            Stored::Pending {
                url: url.clone(),
                attempt: 1,
                not_before_ms: 0,
                order,
            },
        ));
        self.enqueue(key, url, 1, order, false, 0, Instant::now());
    }

    fn count_admission(&mut self, host: &HostKey, seed: u32) {
        let id = self.host_id(host);
        self.hosts[id].admitted += 1;
        *self.seeds.entry(seed).or_default() += 1;
    }

    fn host_id(&mut self, host: &HostKey) -> usize {
        if let Some(&id) = self.host_ids.get(host) {
            return id;
        }
        let id = self.hosts.len();
        self.hosts.push(HostQueue::new(host.clone()));
        self.host_ids.insert(host.clone(), id);
        let domain = host.registrable().unwrap_or(host.name()).to_owned();
        *self.domains.entry(domain).or_default() += 1;
        id
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of a stored entry, named at each call"
    )]
    fn enqueue(
        &mut self,
        key: u128,
        url: FrontierUrl,
        attempt: u32,
        order: u64,
        stored: bool,
        not_before_ms: u64,
        now: Instant,
    ) {
        let id = self.host_id(&url.url.host());
        let item = Item {
            priority: url.priority,
            depth: url.depth,
            order,
            key,
        };
        self.hosts[id].push(item, instant_of(not_before_ms, now));
        self.counts.pending += 1;
        if !stored || self.bodies.len() < self.config.pending_in_memory {
            self.bodies.insert(
                key,
                Waiting {
                    url,
                    attempt,
                    order,
                    stored,
                },
            );
        }
        self.ready.update(id, &mut self.hosts[id], now);
    }

    /// Whose turn is it?
    pub fn next(&mut self, now: Instant, gate: &mut dyn Gate) -> Next {
        let mut blocked = false;
        while let Some(id) = self.ready.take(&mut self.hosts, now) {
            let connections = self.connections_of(id);
            if self.hosts[id].in_flight >= connections || self.address_is_full(id) {
                blocked = true;
                self.ready.park(id);
                continue;
            }
            let Some(item) = self.hosts[id].peek() else {
                continue;
            };
            let Some(waiting) = self.body(item.key) else {
                // The store lost it: nothing is left to visit.
                self.hosts[id].pop();
                self.counts.pending -= 1;
                self.counts.finished += 1;
                self.ready.update(id, &mut self.hosts[id], now);
                continue;
            };
            let host = self.hosts[id].host.clone();
            match gate.check(&host, &waiting.url.url) {
                Permission::Unknown => {
                    if self.hosts[id].in_flight > 0 {
                        blocked = true;
                        self.ready.park(id);
                        self.bodies.insert(item.key, waiting);
                        continue;
                    }
                    let url = waiting.url.url.clone();
                    self.bodies.insert(item.key, waiting);
                    self.hosts[id].in_flight += 1;
                    self.hosts[id].asking_robots = true;
                    if let Some(address) = self.hosts[id].address {
                        *self.addresses.entry(address).or_default() += 1;
                    }
                    self.ready.park(id);
                    return Next::Robots(host, url);
                }
                Permission::Refused(rule) => {
                    let lease = self.lease(id, item.key, waiting, now);
                    self.ready.update(id, &mut self.hosts[id], now);
                    return Next::Refused(lease, rule);
                }
                Permission::Allowed => {
                    let lease = self.lease(id, item.key, waiting, now);
                    self.hosts[id].in_flight += 1;
                    if let Some(address) = self.hosts[id].address {
                        *self.addresses.entry(address).or_default() += 1;
                    }
                    let delay = self.delay_of(id);
                    self.hosts[id].wait_until(now + delay, "delay");
                    self.ready.served(id, &mut self.hosts[id], now);
                    return Next::Lease(lease);
                }
            }
        }
        match self.ready.next_due() {
            Some(at) => Next::WaitUntil(at),
            None if blocked
                || !self.leased.is_empty()
                || self.hosts.iter().any(|host| host.in_flight > 0) =>
            {
                Next::InFlight
            }
            None if self.counts.pending > 0 => Next::InFlight,
            None => Next::Drained,
        }
    }

    fn lease(&mut self, id: usize, key: u128, waiting: Waiting, _now: Instant) -> Lease {
        self.hosts[id].pop();
        self.counts.pending -= 1;
        self.counts.in_flight += 1;
        self.leased.insert(key);
        Lease {
            url: waiting.url,
            attempt: waiting.attempt,
            order: waiting.order,
        }
    }

    /// A pending URL with all it carries, from memory or disk.
    fn body(&mut self, key: u128) -> Option<Waiting> {
        if let Some(waiting) = self.bodies.remove(&key) {
            return Some(waiting);
        }
        match self.store.get(key) {
            Some(Stored::Pending {
                url,
                attempt,
                order,
                ..
            }) => Some(Waiting {
                url,
                attempt,
                order,
                stored: true,
            }),
            Some(Stored::Finished { .. }) | None => None,
        }
    }

    /// A host's body ended: its slot is free and its delay begins.
    pub fn body_done(&mut self, host: &HostKey, now: Instant, advice: &HostAdvice) {
        let id = self.host_id(host);
        self.slot_freed(id, now, advice);
        let delay = self.delay_of(id);
        self.hosts[id].wait_until(now + delay, "delay");
        self.after_advice(id, now, advice);
        self.ready.update(id, &mut self.hosts[id], now);
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
        let id = self.host_id(host);
        self.hosts[id].asking_robots = false;
        self.hosts[id].crawl_delay =
            crawl_delay.map(|delay| delay.min(self.config.crawl_delay_max));
        self.slot_freed(id, now, advice);
        self.after_advice(id, now, advice);
        self.ready.update(id, &mut self.hosts[id], now);
    }

    fn slot_freed(&mut self, id: usize, now: Instant, advice: &HostAdvice) {
        let host = &mut self.hosts[id];
        host.in_flight = host.in_flight.saturating_sub(1);
        if let Some(address) = host.address
            && let Some(count) = self.addresses.get_mut(&address)
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.addresses.remove(&address);
            }
        }
        if advice.address.is_some() {
            self.hosts[id].address = advice.address;
        }
        // Others may have waited for this address.
        self.ready.unpark(&mut self.hosts, now);
    }

    fn after_advice(&mut self, id: usize, now: Instant, advice: &HostAdvice) {
        let host = &mut self.hosts[id];
        if advice.failed || advice.status == 429 || advice.status >= 500 {
            host.failures = host.failures.saturating_add(1);
            let doublings = (host.failures - 1).min(16);
            let back_off = BACK_OFF_FIRST
                .saturating_mul(1 << doublings)
                .min(BACK_OFF_MAX);
            host.wait_until(now + back_off, "back-off");
        } else {
            host.failures = 0;
        }
        if let Some(asked) = advice.retry_after {
            let asked = asked.min(self.config.retry_after_max) + RETRY_AFTER_MARGIN;
            host.wait_until(now + asked, "retry-after");
        }
    }

    /// A lease ends. Its record is synced.
    pub fn settle(&mut self, settled: Settled) {
        match settled {
            Settled::Finished(lease) => {
                let key = lease.url.url.key();
                self.leased.remove(&key);
                self.counts.in_flight -= 1;
                self.counts.finished += 1;
                let host = lease.url.url.host();
                self.dirty.push((
                    key,
                    Stored::Finished {
                        seed: lease.url.seed,
                        host: host.as_str().into(),
                    },
                ));
            }
            Settled::RetryAt(lease, unix_ms) => {
                let Lease {
                    url,
                    attempt,
                    order,
                } = lease;
                let key = url.url.key();
                self.leased.remove(&key);
                self.counts.in_flight -= 1;
                self.dirty.push((
                    key,
                    Stored::Pending {
                        url: url.clone(),
                        attempt: attempt + 1,
                        not_before_ms: unix_ms,
                        order,
                    },
                ));
                self.enqueue(key, url, attempt + 1, order, false, unix_ms, Instant::now());
            }
        }
    }

    /// Tells the trap rules how a URL turned out: `useful` when it was a page with something on it.
    pub fn observe(&mut self, url: &CanonicalUrl, useful: bool) {
        self.traps.observe(&url.host(), url, useful);
    }

    /// Replays an admission as recorded: no rule is asked again.
    pub fn replay_admitted(&mut self, url: FrontierUrl) {
        let key = url.url.key();
        if !self.seen.contains(&(key as u64)) {
            self.admit_new(key, url);
        }
    }

    /// Replays that a URL met its fate.
    pub fn replay_finished(&mut self, url: &CanonicalUrl) {
        let key = url.key();
        let Some(waiting) = self.body(key) else {
            return;
        };
        let seed = waiting.url.seed;
        let id = self.host_id(&url.host());
        if self.hosts[id].remove(&Item {
            priority: waiting.url.priority,
            depth: waiting.url.depth,
            order: waiting.order,
            key,
        }) {
            self.counts.pending -= 1;
            self.counts.finished += 1;
        }
        self.dirty.push((
            key,
            Stored::Finished {
                seed,
                host: url.host().as_str().into(),
            },
        ));
    }

    /// Replays a try that is to be repeated.
    pub fn replay_attempt(&mut self, url: &CanonicalUrl, attempt: u32, retry_at_ms: u64) {
        let key = url.key();
        let Some(mut waiting) = self.body(key) else {
            return;
        };
        waiting.attempt = attempt + 1;
        waiting.stored = false;
        self.dirty.push((
            key,
            Stored::Pending {
                url: waiting.url.clone(),
                attempt: waiting.attempt,
                not_before_ms: retry_at_ms,
                order: waiting.order,
            },
        ));
        self.bodies.insert(key, waiting);
    }

    /// Replays that a finished URL was put back into the queue.
    pub fn replay_reopened(&mut self, url: FrontierUrl) {
        let key = url.url.key();
        if !self.seen.contains(&(key as u64))
            || self.bodies.contains_key(&key)
            || self.leased.contains(&key)
        {
            return;
        }
        if matches!(self.store.get(key), Some(Stored::Pending { .. })) {
            return;
        }
        self.counts.finished = self.counts.finished.saturating_sub(1);
        let order = self.order;
        self.order += 1;
        self.dirty.push((
            key,
            Stored::Pending {
                url: url.clone(),
                attempt: 1,
                not_before_ms: 0,
                order,
            },
        ));
        self.enqueue(key, url, 1, order, false, 0, Instant::now());
    }

    /// Takes in that a pending URL was linked again: `merge` may change what it carries. Only
    /// URLs in memory are changed.
    pub fn merge(&mut self, url: &CanonicalUrl, merge: impl FnOnce(&mut FrontierUrl)) {
        let key = url.key();
        let Some(waiting) = self.bodies.get_mut(&key) else {
            return;
        };
        let before = Item {
            priority: waiting.url.priority,
            depth: waiting.url.depth,
            order: waiting.order,
            key,
        };
        merge(&mut waiting.url);
        let after = Item {
            priority: waiting.url.priority,
            ..before
        };
        let id = self.host_ids.get(&url.host()).copied();
        if let Some(id) = id.filter(|_| after.priority != before.priority) {
            self.hosts[id].reorder(&before, after);
            self.ready.update(id, &mut self.hosts[id], Instant::now());
        }
    }

    /// Scores every pending URL in memory again.
    pub fn rescore(&mut self, score: &mut dyn FnMut(&FrontierUrl) -> f32) {
        let now = Instant::now();
        for id in 0..self.hosts.len() {
            let bodies = &mut self.bodies;
            self.hosts[id].rescore(|item| {
                if let Some(waiting) = bodies.get_mut(&item.key) {
                    waiting.url.priority = score(&waiting.url);
                    item.priority = waiting.url.priority;
                }
            });
            self.ready.update(id, &mut self.hosts[id], now);
        }
    }

    /// Stores what was admitted and settled, with the journal position that it follows from.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn apply(&mut self, position: u64) -> Result<(), FrontierError> {
        self.store.write(&self.dirty, position)?;
        for (key, _) in self.dirty.drain(..) {
            let spilled = self.bodies.len() > self.config.pending_in_memory;
            match self.bodies.get_mut(&key) {
                Some(_) if spilled => {
                    self.bodies.remove(&key);
                }
                Some(waiting) => waiting.stored = true,
                None => {}
            }
        }
        Ok(())
    }

    /// How many URLs are where.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Hosts with most pending URLs.
    pub fn hosts(&self, limit: usize, now: Instant) -> Vec<HostStatus> {
        let mut hosts: Vec<&HostQueue> = self
            .hosts
            .iter()
            .filter(|host| host.len() > 0 || host.in_flight > 0)
            .collect();
        hosts.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.host.cmp(&b.host)));
        hosts
            .into_iter()
            .take(limit)
            .map(|host| HostStatus {
                host: host.host.clone(),
                pending: host.len() as u64,
                next_in: host
                    .next_at()
                    .map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
                why: host.why(now),
            })
            .collect()
    }

    fn delay_of(&self, id: usize) -> Duration {
        let host = &self.hosts[id];
        let own = self
            .config
            .hosts
            .get(host.host.as_str())
            .and_then(|limits| limits.delay);
        own.unwrap_or(self.config.delay)
            .max(host.crawl_delay.unwrap_or_default())
    }

    fn connections_of(&self, id: usize) -> usize {
        let host = &self.hosts[id];
        let own = self
            .config
            .hosts
            .get(host.host.as_str())
            .and_then(|limits| limits.connections);
        own.unwrap_or(self.config.connections_per_host).max(1)
    }

    fn address_is_full(&self, id: usize) -> bool {
        let address = self.hosts[id].address;
        address
            .and_then(|address| self.addresses.get(&address))
            .is_some_and(|&count| count >= self.config.connections_per_address)
    }
}
