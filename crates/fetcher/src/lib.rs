//! One URL to bytes, with robots' leave and within limits.
//!
//! The crate makes one request at a time and reports what came back, exactly as it was received.
//! It follows no redirect (a redirect is a link: scope, robots and guard are asked again on the
//! next hop), retries nothing (the host's queue decides when), and decodes nothing while it reads
//! (the archive wants the bytes as they were sent). Everything a hostile server can choose has a
//! bound in [`FetchLimits`].
//!
//! In reading order: [`fetch`] has the types that travel, [`config`] and [`http`] the client,
//! [`resolve`] and [`guard`] where it may connect, [`body`] how a body is read, [`decoding`] how
//! its content codings are undone, [`follow`](mod@follow) redirects for those who want them
//! followed, [`robots`] and [`sitemap`] the two files that are about crawling itself,
//! [`retry_after`] and [`sniff`] two headers that need care, and [`binary`] files that are no text.

pub mod binary;
pub mod body;
mod client;
pub mod config;
pub mod decoding;
pub mod error;
pub mod fetch;
pub mod follow;
pub mod guard;
pub mod http;
pub mod limits;
pub mod resolve;
pub mod retry_after;
pub mod robots;
pub mod sitemap;
pub mod sniff;

pub use binary::binary_type;
pub use config::HttpConfig;
pub use decoding::Decoding;
pub use error::{FetchError, FetchSetupError, TimeoutPhase};
pub use fetch::{Fetch, FetchFuture, FetchRequest, Fetched, Purpose, Truncated};
pub use follow::{Followed, Hop, follow};
pub use guard::AddressGuard;
pub use http::{HttpFetcher, init};
pub use limits::FetchLimits;
pub use robots::{Robots, RobotsAnswer, RobotsGroup, RobotsRule};
pub use sitemap::{Sitemap, SitemapError, SitemapKind, SitemapUrl};
pub use sniff::sniff_content_type;
