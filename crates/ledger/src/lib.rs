//! What the nodes of one crawl agree on.
//!
//! A crawl on many machines has one *ledger*: small, ordered facts that all nodes share. Bodies,
//! journals and search indexes stay with the node that made them. The ledger is four logs.
//!
//! | log | what stands in it | order |
//! |---|---|---|
//! | `facts` | what was told to the whole crawl | by number |
//! | `admitted` | each URL, once | none needed |
//! | `finished` | each URL's end, once | none needed |
//! | `kept` | each kept text | total: a position for each |
//!
//! The fourth makes verdicts exact. A node asks its own copy of the fingerprint index, as a crawl
//! on one machine does, with every text in sight that stands before its own. Positions are handed
//! out under one lock that is held until the commit. A crawl takes that lock before it judges a group:
//!
//! ```text
//! begin ─► judge ─► append and sync the journal ─► open ─► close ─► apply
//! the lock, texts of others,                       URLs    finish URLs, append texts
//! which URLs are known                             that are new
//! ```
//!
//! A group may also do without `begin`: it is judged first, and its texts are appended under a
//! condition, *unless one that was appended since position p is near one of mine*. Then the answer is
//! what stands in the way, with the lock held, and the group is judged again.
//!
//! In reading order: [`keys`], [`messages`], [`ledger`](mod@ledger) (the trait), `bounds`,
//! [`memory`] (the plain model that every store is tested against), [`postgres`] (the store),
//! [`store_url`] and [`password`] (how it is reached), [`lease`] (who is alive, without clocks),
//! [`meter`] (what is said to it, counted), [`mod@bench`] (what a store costs).

pub mod bench;
mod bounds;
pub mod keys;
pub mod lease;
pub mod ledger;
pub mod memory;
pub mod messages;
pub mod meter;
pub mod password;
pub mod postgres;
pub mod store_url;

pub use bounds::{
    ANSWER_MAX, CONTEXT_MAX, GRANT_MAX, GROUP_MAX, KEPT_BEHIND_MAX, MANNERS_MAX, PART_COUNT,
    PUBLISHED_MAX, URL_MAX,
};
pub use keys::{Fence, Part, UrlKey, global_page, host_number, own_page};
pub use lease::{Lease, Watch};
pub use ledger::{Ledger, LedgerError, Refused};
pub use memory::MemoryLedger;
pub use messages::*;
pub use meter::{Figures, Meter, Metered};
pub use password::{Password, PasswordError};
pub use postgres::audit::{EndRow, Total};
pub use postgres::{PostgresLedger, Settings};
pub use store_url::{CrawlName, StoreUrl, StoreUrlError};
