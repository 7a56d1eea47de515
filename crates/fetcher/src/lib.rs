//! Fetching one URL within limits; parsing robots.txt and sitemaps.
//!
//! [`HttpFetcher`] makes one request at a time and returns the answer exactly as it was received:
//!
//! - It follows no redirect. To a crawler a redirect is a link, and its target must pass scope, robots
//!   and address guard again. [`follow()`] is for callers who want redirects followed.
//! - It retries nothing: the caller decides when a host is asked again.
//! - It decodes nothing while it reads, so that an archive can store the bytes as they were sent.
//! - Everything that a hostile server can choose has a bound in [`FetchLimits`].
//!
//! The crawl asks for robots.txt, waits between requests and decides the scope; [`Robots`] parses the
//! file and answers whether a URL may be fetched.

// The seam between a crawl and the network, and the network behind it.
mod body;
mod client;
mod config;
mod connecting;
mod cookies;
mod data;
mod error;
mod fetch;
mod follow;
mod http_fetcher;
mod limits;
mod routed_fetch;

// Where the fetcher may connect.
mod guard;
mod resolve;

// Reading an answer: content codings, headers that need care, files that are no text.
mod binary;
mod body_type;
mod decoding;
mod encoded;
mod retry_after;
mod sniff;
mod text_form;
mod web_archive;
mod whole;

// The two files about crawling itself.
mod robots;
mod sitemap;

pub use binary::binary_type;
pub use body_type::{JSON_FEED, body_type};
pub use client::check_proxy;
pub use config::HttpConfig;
pub use decoding::{Decoding, decode as decode_content};
pub use encoded::without_encoded_files;
pub use error::{FetchError, FetchSetupError, TimeoutPhase};
pub use fetch::{
    AddressFuture, Fetch, FetchFuture, FetchRequest, Fetched, Purpose, ReadyFuture, Truncated, Via,
};
pub use follow::{Followed, Hop, follow};
pub use guard::{AddressGuard, Refused};
pub use http_fetcher::{HttpFetcher, init};
pub use limits::FetchLimits;
pub use retry_after::{RETRY_AFTER_MAX, parse as parse_retry_after};
pub use robots::{Robots, RobotsAnswer, RobotsGroup, RobotsRule, RobotsRuling};
pub use routed_fetch::{HostRule, NotAHostRule, RoutedFetch};
pub use sitemap::{Sitemap, SitemapError, SitemapKind, SitemapUrl};
pub use sniff::sniff_content_type;
pub use text_form::{TextForm, is_markdown_name};
pub use web_archive::{ArchivedPage, archived_page};

/// The README's example as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
