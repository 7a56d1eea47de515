//! What a frontier is given, and what it says of itself.

use std::collections::HashMap;
use std::time::Duration;

use crate::host::HostKey;
use crate::politeness::HostLimits;
use crate::store::StoreError;

/// Queue slots that cost about as much memory as a few URLs with all they carry: a sensible ratio
/// of [`FrontierConfig::slots_in_memory`] to [`FrontierConfig::pending_in_memory`].
pub const SLOTS_PER_URL: usize = 25;

/// URLs whose having been seen is known without asking the store: as many as a hash table of 75 MB holds.
pub const SEEN_IN_MEMORY: usize = (1 << 23) / 8 * 7;

/// How the frontier works.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontierConfig {
    /// Between requests to one host.
    pub delay: Duration,
    /// Requests to one host at once.
    pub connections_per_host: usize,
    /// Requests to one address at once.
    pub connections_per_address: usize,
    /// Whether a host's address is asked for before its first request ([`Next::Address`](crate::Next)), so
    /// that none goes uncounted.
    pub looks_up: bool,
    /// Longest Crawl-delay that is obeyed.
    pub crawl_delay_max: Duration,
    /// Longest Retry-After that is waited for.
    pub retry_after_max: Duration,
    /// A host that gives no answer for so long is given up; zero for never.
    pub dead_host_after: Duration,
    /// How long a URL that promises little waits for better pages under way, and for a host with much
    /// better ones that is about to be free; one that waits so goes for each such time. Zero: none waits.
    /// Priorities are expected relevant pages for a request.
    pub patience: Duration,
    /// Overrides by host.
    pub hosts: HashMap<String, HostLimits>,
    /// URLs admitted for one host; 0 for no limit.
    pub urls_per_host: u64,
    /// Hosts of a crawl at most, some 500 bytes each.
    pub hosts_max: usize,
    /// Hosts admitted under one registrable domain.
    pub hosts_per_domain: usize,
    /// Pending URLs kept in memory with all they carry. The others are read from the store when
    /// their turn comes.
    pub pending_in_memory: usize,
    /// Places of pending URLs in queues, kept in memory, some 60 bytes each. Where there are more,
    /// the worse halves of queues wait in the store.
    pub slots_in_memory: usize,
    /// URLs known to be seen without asking the store, some 16 bytes each.
    pub seen_in_memory: usize,
    /// Whether parameters are looked for that change nothing.
    pub ignores_parameters: bool,
}

impl FrontierConfig {
    /// How many URLs a host may bring in.
    pub(crate) fn admitted_max(&self, host: &crate::host::HostKey) -> u64 {
        let own = self.hosts.get(host.as_str());
        let for_all = Some(self.urls_per_host).filter(|&max| max > 0);
        own.and_then(|own| own.pages)
            .or(for_all)
            .unwrap_or(u64::MAX)
    }
}

impl Default for FrontierConfig {
    fn default() -> Self {
        Self {
            delay: Duration::from_secs(1),
            connections_per_host: 1,
            connections_per_address: 8,
            looks_up: false,
            crawl_delay_max: Duration::from_secs(300),
            retry_after_max: Duration::from_secs(3_600),
            dead_host_after: Duration::from_secs(600),
            patience: Duration::ZERO,
            hosts: HashMap::new(),
            urls_per_host: 1_000_000,
            hosts_max: 500_000,
            hosts_per_domain: 200,
            pending_in_memory: 200_000,
            slots_in_memory: 200_000 * SLOTS_PER_URL,
            seen_in_memory: SEEN_IN_MEMORY,
            ignores_parameters: true,
        }
    }
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
    /// The position up to which it also has what links said of URLs that waited already (see
    /// [`Frontier::reprioritise`](crate::Frontier::reprioritise)): that of the last time its memory was
    /// saved.
    pub memory_position: u64,
    /// Why the one on disk was set aside and an empty one begun; the caller replays the journal.
    pub rebuilt_because: Option<String>,
}

/// Why the frontier cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum FrontierError {
    /// Its store cannot be opened, read or written.
    #[error("cannot {0}")]
    Store(StoreError),
    /// A URL waits for its turn, and the store does not have it any more, or its place in the queue
    /// is gone. It is not counted as finished: whoever replays the journal finds it again.
    #[error(
        "cannot find the URL {key:032x}, which waits in the queue of {host}, in the frontier's store"
    )]
    LostUrl {
        /// The URL's host.
        host: HostKey,
        /// The URL's key.
        key: u128,
    },
    /// The store gave back fewer places of a queue than it was given.
    #[error("cannot find places of the queue of {host} in the frontier's store")]
    LostSlots {
        /// The queue's host.
        host: HostKey,
    },
}

impl From<StoreError> for FrontierError {
    // No `#[from]`: the message holds the cause's, so the cause is not told once more.
    fn from(error: StoreError) -> FrontierError {
        FrontierError::Store(error)
    }
}
