//! Which URL next, and when.
//!
//! The frontier holds every URL ever admitted. URLs wait in queues by host; a host's turn comes
//! when its delay has passed, its connection is free, and robots.txt has been asked. What it holds
//! follows from the journal alone, so it is stored as a view: URLs and the journal position they
//! follow from, together.
//!
//! The life of a URL:
//!
//! ```text
//! offered ──admit──► pending ──next──► leased ──settle──► finished
//!    │                ▲  │               │
//!    │ refused        │  └─ deferred     │ to be tried again
//!    ▼                └──────────────────┘
//! ```
//!
//! A crawl in one host's words, without a network or a disk:
//!
//! ```
//! use frontier::*;
//! use std::time::{Duration, Instant};
//!
//! struct EverythingAllowed;
//! impl Gate for EverythingAllowed {
//!     fn check(&mut self, _: &HostKey, _: &CanonicalUrl) -> Permission {
//!         Permission::Allowed
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut now = Instant::now();
//! let mut frontier = Frontier::in_memory(FrontierConfig::default(), now);
//! frontier.admit(FrontierUrl::seed(CanonicalUrl::parse("https://a.example/")?, 0))?;
//! loop {
//!     match frontier.next(now, &mut EverythingAllowed)? {
//!         Next::Lease(lease) => {
//!             // Fetch it; when its body has ended, the host's delay begins.
//!             frontier.body_done(&lease.url().url.host(), now, &HostAdvice::default());
//!             // Admit its links, write its record, and then:
//!             frontier.settle(lease.finished())?;
//!             frontier.apply(1)?; // the journal position of the record
//!         }
//!         Next::Robots(host, url) => {
//!             frontier.body_done(&host, now, &HostAdvice::default());
//!             frontier.robots_known(&host, url.origin(), None, None);
//!         }
//!         Next::Errand(host, _) => frontier.body_done(&host, now, &HostAdvice::default()),
//!         Next::Address(host) => frontier.note_address(&host, None),
//!         Next::Refused(lease, _why) => frontier.settle(lease.finished())?,
//!         Next::WaitUntil(at) => now = at,
//!         Next::InFlight => now += Duration::from_millis(10), // or wait for what is under way
//!         Next::Drained => break,
//!     }
//! }
//! assert_eq!(frontier.counts().finished, 1);
//! # Ok(())
//! # }
//! ```
//!
//! In reading order: `url`, `host` and `origin` are names, `seeds` and `scope` what belongs to a crawl, `trap`
//! what never ends, `inner_urls` URLs within URLs, `path_ids` what looks like an id in a path, `parameters` what changes nothing and
//! `url_normalizer` URLs without that, `url_form` the form of a URL and the things that it names; `config`
//! has the bounds,
//! `lease` is what goes out and comes back, `store` what is kept between two processes; `politeness`
//! says when a host may be asked, `host_queue` what it is asked first, `hosts` and `schedule` whose
//! turn it is, `url_table` which URLs there are, and `frontier` is all of it.

mod clock;
mod config;
mod frontier;
mod host;
mod host_queue;
mod hosts;
mod inner_urls;
mod lease;
mod origin;
mod parameters;
mod path_ids;
mod pointer;
mod politeness;
mod schedule;
mod scope;
mod seeds;
mod store;
mod trap;
mod url;
mod url_form;
mod url_normalizer;
mod url_table;

pub use config::{
    FrontierConfig, FrontierError, HostStatus, Opened, SEEN_IN_MEMORY, SLOTS_PER_URL,
};
pub use frontier::{Frontier, Learnt, Offers, Share, Trouble, Troubled};
pub use host::{HostKey, typed_host};
pub use inner_urls::{InnerValue, inner_values};
pub use lease::{
    Admission, Counts, FrontierUrl, Gate, HeldBack, Lease, LinkTarget, NO_PAGE, Next, PendingUrl,
    Permission, Refused, Settled,
};
pub use origin::Origin;
pub use parameters::COUNTER_DIGITS_MAX;
pub use pointer::pointed;
pub use politeness::{
    ClockMove, GoodPages, HostAdvice, HostLimits, HostPast, Limit, OriginPast, Pace, Sign,
};
pub use scope::{PATTERN_BYTES_MAX, Scope, ScopeConfig, ScopeError, ScopeMode, ScopeRefusal};
pub use seeds::{SeedDuplicate, SeedList, SeedProblem, SeedUrl, parse_seed_list, parse_seeds};
pub use store::{
    Applied, Change, DiskStore, FrontierStore, MemoryStore, QueueSlot, Returned, Saved, SavedHost,
    SavedSeed, SavedTotals, SavedUrl, StoreError, StoredUrl, Waiting,
};
pub use trap::{Original, PageWorth, PageYield, UrlNumbers};
pub use url::{CanonicalUrl, Canonicaliser, UrlError, meanings_of_typed, parse_typed, parse_url};
pub use url_form::{UrlForm, query_pieces};
pub use url_normalizer::{ORDER, UrlNormalizer};
pub use weburl::URL_BYTES_MAX;

#[cfg(test)]
mod laws;
