//! `[limits]`: bounds on everything a hostile server can choose.

use std::time::Duration;

use extractor::DomLimits;
use fetcher::FetchLimits;
use frontier::{FrontierConfig, URL_BYTES_MAX};

use crate::crawl_config::CrawlConfig;
use crate::key::Fault;
use crate::memory_shares::MEMORY_LEAST;
use crate::rule::{CountsFor, any, at_least, between};
use crate::section::{Section, keys};
use crate::units::{Size, Span};

/// Least size of what is received. Smaller ones are mostly numbers without their unit.
const LEAST: Size = Size(1_000);

/// Least time of a part of a fetch.
const INSTANT: Span = Span(Duration::from_millis(1));

/// Least value of `limits.dom_depth`.
const DOM_DEPTH_LEAST: usize = 32;

keys! {
    /// Bounds on everything a hostile server can choose.
    pub struct LimitsSection {
        /// Body as received.
        body: Size = Size(fetch().body_bytes_max), at_least(LEAST);

        /// Body of what is no page, by its type and its first bytes, as received: an image, a PDF, an
        /// archive.
        file_body: Size = Size(fetch().file_bytes_max), at_least(LEAST);

        /// Body after its content codings are undone.
        decoded_body: Size = Size(fetch().decoded_bytes_max), at_least(LEAST);

        /// Decoded bytes for each received byte.
        decoded_ratio: u32 = fetch().ratio_max, at_least(1);

        /// A robots.txt as received; 500 KiB of it are read.
        robots: Size = Size(fetch().robots_bytes_max), at_least(LEAST);

        /// A sitemap, as received and unpacked.
        sitemap: Size = Size(fetch().sitemap_bytes_max), at_least(LEAST);

        /// All headers of an answer.
        headers: Size = Size(fetch().header_bytes_max as u64), at_least(LEAST);

        /// Number of headers of an answer.
        header_count: usize = fetch().header_count_max, at_least(1).unit("headers");

        /// Connecting, name resolution and TLS included.
        connect_time: Span = Span(fetch().connect_timeout), at_least(INSTANT);

        /// From the request to the first byte of the answer.
        first_byte_time: Span = Span(fetch().first_byte_timeout), at_least(INSTANT);

        /// Between two pieces of a body.
        idle_time: Span = Span(fetch().idle_timeout), at_least(INSTANT);

        /// Least bytes per second of a body, asked after 20 s.
        body_rate: Size = Size(fetch().body_rate_min), any().zero("no limit");

        /// One whole fetch.
        total_time: Span = Span(fetch().total_timeout), at_least(INSTANT);

        /// Length of a URL.
        url_length: usize = URL_BYTES_MAX, at_least(1).unit("bytes");

        /// Redirects in a row.
        redirects: u32 = fetch().redirects_max, between(0, 127).unit("redirects");

        /// Links read from one page.
        links_per_page: usize = 10_000, any().unit("links").counts_for(CountsFor::NewPages);

        /// Elements of a page open at a time; deeper ones become siblings.
        dom_depth: usize = DomLimits::DEFAULT.depth_max, at_least(DOM_DEPTH_LEAST)
            .unit("elements")
            .mend("choose at least 32: sound pages are that deep")
            .counts_for(CountsFor::NewPages);

        /// Nodes of a page's tree; parsing stops there.
        dom_nodes: u64 = DomLimits::DEFAULT.nodes_max, at_least(1).unit("nodes")
            .counts_for(CountsFor::NewPages);

        /// Attributes of one tag; the rest of the tag is dropped.
        attributes: usize = DomLimits::DEFAULT.attributes_max, any().unit("attributes")
            .counts_for(CountsFor::NewPages);

        /// URLs read from one sitemap.
        sitemap_urls: usize = 50_000, any().unit("URLs");

        /// Sitemaps read for one host.
        sitemaps_per_host: usize = 100, any().unit("sitemaps");

        /// Distinct URLs admitted for one host.
        urls_per_host: u64 = frontier().urls_per_host, any().unit("URLs").zero("no limit");

        /// Hosts of the crawl.
        hosts: usize = frontier().hosts_max, at_least(1).unit("hosts");

        /// Hosts admitted under one registrable domain (spider pools).
        hosts_per_domain: usize = frontier().hosts_per_domain, at_least(1).unit("hosts");

        /// Memory of the whole process that a crawl aims at. What is left beside the parts that
        /// cannot shrink is shared out among the others, each at most its own bound.
        memory: Size = Size(0), any().zero("each part has its own bound alone");

        /// Bodies in memory at once. What was read of them and is not yet written has the same bound.
        bytes_in_flight: Size = Size(fetch().large_bodies_bytes_max), at_least(Size(1));

        /// Space on the crawl's disk that stays free, at most a twentieth of the disk: with less the crawl stops, ready to go on.
        disk_reserve: Size = Size(256_000_000), any().zero("no reserve");

        /// Pending URLs kept in memory; the rest waits on disk.
        pending_in_memory: usize = frontier().pending_in_memory, any().unit("URLs");
    }
}

impl Section for LimitsSection {
    fn contradictions(&self) -> Vec<Fault> {
        match self.memory.0 {
            0 | MEMORY_LEAST.. => Vec::new(),
            _ => vec![Fault::new(
                &["memory"],
                format!(
                    "limits.memory is {}, less than program, dictionary and index take together",
                    self.memory
                ),
                "choose at least 160 MB, or 0 for no common bound",
            )],
        }
    }
}

/// The fetcher's own defaults.
fn fetch() -> FetchLimits {
    FetchLimits::default()
}

/// The frontier's own defaults.
fn frontier() -> FrontierConfig {
    FrontierConfig::default()
}

impl CrawlConfig {
    /// Bounds of a fetch.
    pub fn fetch_limits(&self) -> FetchLimits {
        let limits = &self.limits;
        FetchLimits {
            body_bytes_max: limits.body.0,
            file_bytes_max: limits.file_body.0,
            decoded_bytes_max: limits.decoded_body.0,
            ratio_max: limits.decoded_ratio,
            robots_bytes_max: limits.robots.0,
            sitemap_bytes_max: limits.sitemap.0,
            body_rate_min: limits.body_rate.0,
            header_bytes_max: limits.headers.0 as usize,
            header_count_max: limits.header_count,
            connect_timeout: limits.connect_time.0,
            first_byte_timeout: limits.first_byte_time.0,
            idle_timeout: limits.idle_time.0,
            total_timeout: limits.total_time.0,
            url_bytes_max: limits.url_length,
            large_bodies_bytes_max: self.memory_shares().bytes_in_flight,
            redirects_max: limits.redirects,
            ..FetchLimits::default()
        }
    }

    /// Bounds of a page's tree.
    pub fn dom_limits(&self) -> DomLimits {
        let limits = &self.limits;
        let late = DomLimits::DEFAULT.attributes_max_late;
        DomLimits {
            attributes_max: limits.attributes,
            attributes_max_late: limits.attributes.min(late),
            depth_max: limits.dom_depth,
            nodes_max: limits.dom_nodes,
            ..DomLimits::DEFAULT
        }
    }
}
