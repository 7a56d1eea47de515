//! Which URL next, and when.
//!
//! The frontier holds every URL ever admitted. URLs wait in queues by host; a host's turn comes
//! when its delay has passed, its slot is free, and robots.txt has been asked. What it holds
//! follows from the journal alone, so it is stored as a view: rows and the journal position they
//! follow from, together.
//!
//! ```text
//! let (mut frontier, opened) = Frontier::open(dir, config, now)?;
//! // records after opened.position: replay_admitted, replay_finished, replay_attempt
//! loop {
//!     match frontier.next(now, &mut gate) {
//!         Next::Lease(lease) => visit it,          // body_done(host, ..) when its body ends
//!         Next::Robots(host, url) => fetch it,     // robots_done(host, ..)
//!         Next::Refused(lease, rule) => record it,
//!         Next::WaitUntil(at) => sleep,
//!         Next::InFlight => wait for something under way,
//!         Next::Drained => break,
//!     }
//!     // for each finding: admit(links); once its record is synced:
//!     // settle(lease.finished()) and apply(position)
//! }
//! ```
//!
//! In reading order: [`url`] and [`host`] are names, [`seeds`] and [`scope`] what belongs to a
//! crawl, `trap` what never ends; [`config`] has the bounds, [`lease`] is what goes out and comes
//! back, [`politeness`] when a host may be asked, `queue` what it is asked first, `schedule` whose
//! turn it is, [`frontier`] all of it, `replay` the same from the journal, `store` on disk.

mod clock;
pub mod config;
pub mod frontier;
pub mod host;
pub mod lease;
mod pointer;
pub mod politeness;
mod queue;
mod replay;
mod schedule;
pub mod scope;
pub mod seeds;
mod store;
mod trap;
pub mod url;

pub use config::{FrontierConfig, FrontierError, HostStatus, Opened};
pub use frontier::{Frontier, Offers, WaitingUrl};
pub use host::HostKey;
pub use lease::{
    Admission, Counts, FrontierUrl, Gate, Lease, Next, Permission, Refused, Settled, Spelling,
};
pub use pointer::pointed;
pub use politeness::{HostAdvice, HostLimits};
pub use scope::{Scope, ScopeConfig, ScopeError, ScopeMode, ScopeRefusal};
pub use seeds::{SeedDuplicate, SeedList, SeedProblem, SeedUrl, parse_seed_list, parse_seeds};
pub use trap::Gave;
pub use url::{CanonicalUrl, Canonicaliser, URL_BYTES_MAX, UrlError, parse_url, resolve};

#[cfg(test)]
mod laws;
