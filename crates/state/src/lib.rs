//! What a crawl knows, what it decides by it, and the one way a record changes it.
//!
//! ```text
//! Finding ──decide(&state)──► Record ──append, sync──► archive
//!                                │
//!                                └──────apply──────► State
//! ```
//!
//! [`State::decide`] makes a record of a finding and changes nothing. [`State::apply`] takes a
//! record in, and is the only thing that changes the state: in a crawl, when it starts and reads its
//! journal again, when it is checked, and when it is explained. So for any sequence of findings, the
//! journal applied afresh gives the state that the crawl had (`laws.rs` holds that against simulated
//! crawls).
//!
//! There is no thread, no channel and no clock here: time is an argument. The frontier and the
//! prints of kept pages are stored by their own crates; [`Stored`] says which of them hold a record
//! already.
//!
//! In reading order: [`finding`] is what was found at a URL, [`policy`] what the user wants;
//! [`state`] is the whole; `decide` (which makes a `decided`) and `apply` are the two halves of every change. The parts:
//! [`queue`] (frontier, `robots_book` and [`fetch_gate`], with `files`, `idle_values`, `read_urls` and [`refused`]),
//! `host_pasts` (what hosts answered last), `host_runs` (which of them limit without saying so), `hand_over` (what hosts are owed that change nodes), [`kept`] pages and
//! their prints, [`templates`] of hosts, [`reach`] (scope, seeds, hosts), [`examples`] and
//! [`focus_view`], [`counts`]. [`retry`] gives URLs another chance; [`recorded`] goes from the
//! stages' types to the journal's and back, [`context`] is what a waiting URL carries, `promised` the part of it that its link said. [`snapshot`] (with
//! [`saved`]) writes what is in memory alone, so that a start need not read the whole journal.

mod apply;
mod bare_text;
pub mod context;
pub mod counts;
mod decide;
mod decided;
mod deeds;
pub mod examples;
pub mod fetch_gate;
mod files;
pub mod finding;
pub mod focus_view;
mod hand_over;
mod host_pasts;
mod host_runs;
mod host_walls;
mod idle_values;
pub mod kept;
pub mod policy;
mod promised;
pub mod queue;
pub mod reach;
mod read_urls;
pub mod recorded;
pub mod refused;
pub mod retry;
mod robots_book;
pub mod saved;
mod shared;
pub mod site_move;
pub mod snapshot;
pub mod state;
pub mod templates;

pub use apply::{Applied, Stored};
pub use counts::Counts;
pub use decide::{SeedError, is_feed};
pub use decided::{Decided, ReadText};
pub use examples::Examples;
pub use finding::{Answer, Finding, Reading, UrlFinding};
pub use focus_view::{FocusView, Lent};
pub use hand_over::Said;
pub use kept::KeptPages;
pub use policy::{DuplicateLinks, Learnt, LearntPolicy, Policy};
pub use queue::{DOUBT, Queue, SharedQueue};
pub use reach::Reach;
pub use state::{State, StateError, StoreError};

#[cfg(test)]
mod laws;
#[cfg(test)]
mod testing;
