//! One URL to bytes, with robots' leave and within limits.
//!
//! The crate makes one request at a time and reports what came back, exactly as it was received.
//! It follows no redirect (a redirect is a link: scope, robots and guard are asked again on the
//! next hop), retries nothing (the host's queue decides when), and decodes nothing while it reads
//! (the archive wants the bytes as they were sent). Everything a hostile server can choose has a
//! bound in [`FetchLimits`].
//!

// The seam between a crawl and the network, and the network behind it.
mod body;
mod client;
mod config;
mod error;
mod fetch;
mod follow;
mod http_fetcher;
mod limits;

// Where the fetcher may connect.
mod guard;
mod resolve;

// Reading an answer: content codings, headers that need care, files that are no text.
mod binary;
mod decoding;
mod retry_after;
mod sniff;

// The two files about crawling itself.
mod robots;
mod sitemap;

pub use binary::binary_type;
pub use config::HttpConfig;
pub use decoding::{Decoding, decode as decode_content};
pub use error::{FetchError, FetchSetupError, TimeoutPhase};
pub use fetch::{Fetch, FetchFuture, FetchRequest, Fetched, Purpose, Truncated};
pub use follow::{Followed, Hop, follow};
pub use guard::{AddressGuard, Refused};
pub use http_fetcher::{HttpFetcher, init};
pub use limits::FetchLimits;
pub use retry_after::{RETRY_AFTER_MAX, parse as parse_retry_after};
pub use robots::{Robots, RobotsAnswer, RobotsGroup, RobotsRule};
pub use sitemap::{Sitemap, SitemapError, SitemapKind, SitemapUrl};
pub use sniff::sniff_content_type;
