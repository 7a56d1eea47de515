//! The frontier: every URL ever admitted, and whose turn is next.
//!
//! Its parts: the URLs ([`crate::url_table`]), the hosts with their queues ([`crate::hosts`],
//! [`crate::host_queue`]), whose turn it is ([`crate::schedule`]), and what never ends
//! ([`crate::trap`]). Each file below this one is one thing that is asked of the frontier.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::clock::Clock;
use crate::config::{FrontierConfig, FrontierError, HostStatus, Opened};
use crate::host_queue::HostQueue;
use crate::hosts::Hosts;
use crate::lease::{Counts, HeldBack, LinkTarget};
use crate::parameters::Parameters;
use crate::politeness::Addresses;
use crate::schedule::Schedule;
use crate::store::{DiskStore, FrontierStore, MemoryStore, StoreError, StoredUrl};
use crate::trap::{PageWorth, Traps};
use crate::url::CanonicalUrl;
use crate::url_normalizer::UrlNormalizer;
use crate::url_table::{Entry, UrlTable};

mod admit;
mod deferred;
mod learnt;
mod most_waiting;
mod offers;
mod priorities;
mod queue_slots;
mod replay;
mod saving;
mod share;
mod silent;
mod troubled;
mod turn;

pub use learnt::Learnt;
pub use offers::Offers;
pub use share::Share;
pub use silent::{Trouble, Troubled};

/// Every URL ever admitted, and whose turn is next.
///
/// After an error it is of no more use: open it again and replay the journal.
#[derive(Debug)]
pub struct Frontier {
    config: FrontierConfig,
    pub(crate) clock: Clock,
    pub(crate) urls: UrlTable,
    pub(crate) hosts: Hosts,
    schedule: Schedule,
    addresses: Addresses,
    traps: Traps,
    parameters: Parameters,
    budgets: admit::SeedBudgets,
    counts: Counts,
    /// URLs under way: links to them still add to what they carry.
    leased: hashbrown::HashMap<u128, Entry>,
    /// URLs that come in may be leased only after the next [`Frontier::apply`].
    holds_new: bool,
    /// Those that came in since the last one, each with the time before which it is not to be tried.
    held_new: hashbrown::HashMap<u128, u64>,
    /// Hosts whose best URL is deferred: they wait until some URL is finished.
    deferred_hosts: Vec<usize>,
    /// Hosts whose best URL is held back: they wait until all hosts have come so far.
    held_back_hosts: BTreeSet<usize>,
    /// Nothing is left but what is held back for as long as this, or for longer.
    reached: Option<HeldBack>,
    /// Requests under way, robots.txt included.
    requests: usize,
    /// Hosts whose robots.txt is under way, or came and is not known yet.
    asking_robots: usize,
    /// Hosts that give no answer, no page, or no robots.txt.
    silent: silent::SilentHosts,
    most_waiting: most_waiting::MostWaiting,
    /// Slots of all queues in memory.
    slots_in_memory: usize,
    /// With more slots in memory than this, and than may be there, queues are spilled.
    spill_at: usize,
    /// The number of the next URL in the order of admissions.
    next_order: u64,
    /// What this node has of a crawl on many machines.
    share: Option<Share>,
}

impl Frontier {
    /// Opens the frontier stored in `dir`, or begins an empty one. Whatever was being visited when
    /// it was last stored is pending, and every host first waits its delay: nobody knows when it
    /// was last asked.
    ///
    /// # Errors
    /// When the store cannot be opened or read. A damaged store is no error: see
    /// [`Opened::rebuilt_because`].
    pub fn open(
        dir: &Path,
        config: FrontierConfig,
        now: Instant,
    ) -> Result<(Frontier, Opened), FrontierError> {
        Ok(DiskStore::open_with(dir, |store| {
            Frontier::load(Box::new(store), config.clone(), now)
        })?)
    }

    /// An empty frontier that is never stored: it is gone with the process.
    pub fn in_memory(config: FrontierConfig, now: Instant) -> Frontier {
        Frontier::empty(Box::new(MemoryStore::default()), config, now)
    }

    /// The frontier that a store holds.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn with_store(
        store: Box<dyn FrontierStore>,
        config: FrontierConfig,
        now: Instant,
    ) -> Result<(Frontier, Opened), FrontierError> {
        let opened = Opened {
            position: store.position(),
            memory_position: store.memory_position(),
            rebuilt_because: None,
        };
        Ok((Frontier::load(store, config, now)?, opened))
    }

    fn empty(store: Box<dyn FrontierStore>, config: FrontierConfig, now: Instant) -> Frontier {
        Frontier {
            clock: Clock::new(now),
            urls: UrlTable::new(store, config.pending_in_memory, config.seen_in_memory),
            schedule: Schedule::with_patience(config.patience),
            config,
            hosts: Hosts::default(),
            addresses: Addresses::default(),
            traps: Traps::default(),
            parameters: Parameters::default(),
            budgets: admit::SeedBudgets::default(),
            counts: Counts::default(),
            leased: hashbrown::HashMap::new(),
            holds_new: false,
            held_new: hashbrown::HashMap::new(),
            deferred_hosts: Vec::new(),
            held_back_hosts: BTreeSet::new(),
            reached: None,
            requests: 0,
            asking_robots: 0,
            silent: silent::SilentHosts::default(),
            most_waiting: most_waiting::MostWaiting::default(),
            slots_in_memory: 0,
            spill_at: 0,
            next_order: 0,
            share: None,
        }
    }

    pub(crate) fn load(
        store: Box<dyn FrontierStore>,
        config: FrontierConfig,
        now: Instant,
    ) -> Result<Frontier, StoreError> {
        let mut frontier = Frontier::empty(Box::new(MemoryStore::default()), config, now);
        frontier.load_from(store)?;
        Ok(frontier)
    }

    /// Another process worked on this crawl before: every host first waits its delay, since it may have
    /// been asked a moment ago. Hosts of a crawl that begins wait for nothing.
    pub fn resume(&mut self) {
        if self.hosts.resume(self.clock.now()) {
            for id in 0..self.hosts.len() {
                self.update(id);
            }
        }
    }

    /// Tells the trap rules, and those of parameters, what the page of record number `seq` was worth,
    /// and of which page it is a copy, before its links are admitted.
    pub fn observe(
        &mut self,
        url: &CanonicalUrl,
        seq: u64,
        worth: PageWorth,
        original: Option<&CanonicalUrl>,
    ) {
        if self.config.ignores_parameters {
            if let Some(original) = original {
                self.parameters.observe_copy(url, original);
            }
            self.parameters.observe(url, worth.page_yield, original);
        }
        self.traps.observe(&url.host(), url, seq, worth);
    }

    /// Tells what a page links to, whatever became of the links: which parameters let a reader
    /// choose.
    pub fn observe_links<'u>(
        &mut self,
        page: &CanonicalUrl,
        links: impl Iterator<Item = &'u CanonicalUrl>,
    ) {
        if self.config.ignores_parameters {
            self.parameters.observe_links(page, links);
        }
    }

    /// Tells the trap rules that the page of record number `via`, observed last, led to a new URL.
    /// [`Frontier::admit`] does so by itself; a replay does it for every record that
    /// [`Learnt`] does not hold, whether the store has the URL or not.
    pub fn observe_link(&mut self, url: &CanonicalUrl, via: Option<u64>) {
        self.traps.linked(&url.host(), url, via, true);
    }

    /// Whether links to URLs that were known matter of the page of record number `seq`, observed last: then
    /// [`Frontier::observe_seen_link`] is told of them, in order with those to new ones.
    pub fn asks_for_seen_links(&self, seq: u64) -> bool {
        self.traps.asks_for_links(seq)
    }

    /// The same for a link to a URL that was known.
    pub fn observe_seen_link(&mut self, url: &CanonicalUrl, via: Option<u64>) {
        self.traps.linked(&url.host(), url, via, false);
    }

    /// Whether it has a share of a crawl on many machines.
    pub fn has_share(&self) -> bool {
        self.share.is_some()
    }

    /// Whether parameters that change nothing are learnt and left out.
    pub fn ignores_parameters(&self) -> bool {
        self.config.ignores_parameters
    }

    /// What is known of parameters that change nothing. The handle stays up to date and can be
    /// asked without the frontier.
    pub fn url_normalizer(&self) -> UrlNormalizer {
        self.parameters.normalizer().clone()
    }

    /// The caller's bytes of a URL that waits in memory or is under way.
    pub fn context_of(&self, url: &CanonicalUrl) -> Option<&[u8]> {
        let key = url.key();
        let entry = self.urls.entry(key).or_else(|| self.leased.get(&key));
        entry.map(|entry| entry.url.context.as_slice())
    }

    /// Whether a URL waits here, or is under way.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_open(&self, url: &CanonicalUrl) -> Result<bool, FrontierError> {
        let key = url.key();
        let waits = matches!(self.urls.stored(key)?, Some(StoredUrl::Pending(_)));
        Ok(waits || self.is_leased(key))
    }

    /// Whether a URL met its fate and was not put back since. On many machines the caller has it from
    /// its own journal: one of this frontier's parts that does not wait was finished before it came.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_finished(&self, url: &CanonicalUrl) -> Result<bool, FrontierError> {
        let key = url.key();
        let stored = self.urls.stored(key)?;
        let was_before = || {
            let share = self.share.as_ref();
            share.is_some_and(|share| share.is_mine(&url.host()))
        };
        let is_finished = match stored {
            Some(StoredUrl::Finished) => true,
            Some(StoredUrl::Pending(_)) => false,
            None => was_before(),
        };
        Ok(!self.is_leased(key) && is_finished)
    }

    /// What is known of the URL that a link leads to, without asking the store.
    pub fn link_target(&self, url: &CanonicalUrl) -> LinkTarget {
        self.urls.link_target(url)
    }

    /// Stores what was admitted and settled, with the journal position that it follows from.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn apply(&mut self, position: u64) -> Result<(), FrontierError> {
        self.release_new()?;
        self.urls.apply(position)?;
        self.save_if_due()
    }

    /// How many URLs are where.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Hosts with most pending URLs; costs what it gives.
    pub fn hosts(&self, limit: usize, now: Instant) -> Vec<HostStatus> {
        let first = self.most_waiting.first(limit);
        let mut hosts: Vec<&HostQueue> = first.map(|id| &self.hosts[id]).collect();
        hosts.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.host.cmp(&b.host)));
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
