//! The configuration of a crawl: every choice and every limit in one place.
//!
//! [`CrawlConfig`] is what the user wrote, with defaults filled in. It is checked once, here, and
//! never changes while a crawl runs; stages get only their part of it. Reading a file and telling
//! where it is wrong is [`crate::config_file`]'s work.

use std::collections::BTreeMap;

use focus::StopConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Size, Span};

/// The whole configuration.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlConfig {
    /// Budgets of the whole crawl.
    pub crawl: CrawlSection,
    /// Who asks.
    pub agent: AgentSection,
    /// Where to begin.
    pub seeds: SeedsSection,
    /// Where to go.
    pub scope: ScopeSection,
    /// How gently.
    pub politeness: PolitenessSection,
    /// What to look for; leave out for a crawl without focus.
    pub topic: Option<TopicSection>,
    /// What counts as seen before.
    pub dedup: DedupSection,
    /// Which pages to keep.
    pub keep: KeepSection,
    /// What is stored of bodies.
    pub archive: ArchiveSection,
    /// How to reach the network.
    pub network: NetworkSection,
    /// How URLs are written before they are compared.
    pub url: UrlSection,
    /// Bounds on everything a hostile server can choose.
    pub limits: LimitsSection,
    /// Overrides by host.
    pub host: BTreeMap<String, HostSection>,
}

/// `[crawl]`: budgets of the whole crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlSection {
    /// Finished pages over all starts; 0 for no limit.
    pub max_pages: u64,
    /// Running time of one start; "0" for no limit.
    pub max_time: Span,
    /// Links from a seed.
    pub max_depth: u32,
    /// Connections over all hosts at once.
    pub concurrency: usize,
    /// Threads for parsing; 0 for one per core.
    pub threads: usize,
    /// Seed of every random choice, so that a crawl can be repeated.
    pub random_seed: u64,
}

impl Default for CrawlSection {
    fn default() -> Self {
        Self {
            max_pages: 0,
            max_time: Span::seconds(0),
            max_depth: 100,
            concurrency: 64,
            threads: 0,
            random_seed: 1,
        }
    }
}

/// `[agent]`: who asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSection {
    /// The product token of robots.txt and of the User-Agent header.
    pub name: String,
    /// A URL or mail address that tells whom to ask about this crawl. A crawl beyond loopback
    /// needs one.
    pub contact: String,
}

impl Default for AgentSection {
    fn default() -> Self {
        Self {
            name: "tamis".into(),
            contact: String::new(),
        }
    }
}

/// `[seeds]`: where to begin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SeedsSection {
    /// Seed lists, relative to the configuration file.
    pub files: Vec<String>,
    /// Seed URLs.
    pub urls: Vec<String>,
}

/// Which URLs belong to a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeModeName {
    /// The seed's host.
    #[default]
    Host,
    /// The seed's registrable domain.
    Domain,
    /// URLs that begin with the seed's URL up to its last slash.
    Prefix,
    /// Any URL.
    Any,
}

/// `[scope]`: where to go.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScopeSection {
    /// Which URLs belong to a seed.
    pub mode: ScopeModeName,
    /// Further hosts in scope.
    pub hosts: Vec<String>,
    /// Regular expressions on the canonical URL; where there are any, one must match.
    pub include: Vec<String>,
    /// Regular expressions on the canonical URL; none may match.
    pub exclude: Vec<String>,
    /// Follow links marked rel=nofollow.
    pub follow_nofollow: bool,
    /// Read the sitemaps that robots.txt names.
    pub sitemaps: Option<bool>,
}

/// `[politeness]`: how gently.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolitenessSection {
    /// Between requests to one host; robots.txt may ask for more.
    pub delay: Span,
    /// Requests to one host at once.
    pub connections_per_host: usize,
    /// Requests to one address at once, over all hosts there.
    pub connections_per_address: usize,
    /// Obey robots.txt.
    pub obey_robots: bool,
    /// Longest Crawl-delay that is obeyed; a longer one counts as this.
    pub max_crawl_delay: Span,
    /// Longest Retry-After that is waited for; a longer one counts as this.
    pub max_retry_after: Span,
    /// Tries of one URL before it counts as failed.
    pub attempts: u32,
    /// First wait before a try is repeated; doubled each time.
    pub retry_delay: Span,
    /// Requests per second over all hosts; 0 for no limit.
    pub requests_per_second: f64,
}

impl Default for PolitenessSection {
    fn default() -> Self {
        Self {
            delay: Span::seconds(1),
            connections_per_host: 1,
            connections_per_address: 8,
            obey_robots: true,
            max_crawl_delay: Span::seconds(300),
            max_retry_after: Span::seconds(3_600),
            attempts: 4,
            retry_delay: Span::seconds(2),
            requests_per_second: 0.0,
        }
    }
}

/// What becomes of pages that are not about the topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OffTopic {
    /// They are junk.
    #[default]
    Drop,
    /// They are kept; the topic only orders the queue.
    Keep,
}

/// `[topic]`: what to look for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TopicSection {
    /// Words and phrases; `word^2` weighs more, `-word` rules a page out.
    pub keywords: Vec<String>,
    /// Pages about the topic: URLs or files.
    pub examples: Vec<String>,
    /// Pages not about it: URLs or files.
    pub counter_examples: Vec<String>,
    /// Language codes; pages in other languages are junk. Empty for all.
    pub languages: Vec<String>,
    /// Least probability, 0.0 to 1.0, at which a page is about the topic.
    pub threshold: f32,
    /// What becomes of other pages.
    pub off_topic: OffTopic,
    /// Share of fetches spent on forms of URLs that are little known, to learn. As long as no link has
    /// led to a page on topic, doubtful links of all hosts take turns instead. 0 turns both off.
    pub exploration: f32,
    /// Stop when the harvest over the last `stop_window` pages is below this; 0 turns this and the
    /// rules by what is left to find off.
    pub stop_harvest: f32,
    /// Pages over which that harvest is taken; three quarters of all when that is more.
    pub stop_window: u64,
}

impl Default for TopicSection {
    fn default() -> Self {
        Self {
            keywords: Vec::new(),
            examples: Vec::new(),
            counter_examples: Vec::new(),
            languages: Vec::new(),
            threshold: 0.5,
            off_topic: OffTopic::Drop,
            exploration: 0.02,
            stop_harvest: StopConfig::default().harvest_min,
            stop_window: u64::from(StopConfig::default().window),
        }
    }
}

/// Which page of a duplicate cluster is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeepPolicy {
    /// The first seen.
    #[default]
    First,
    /// The longest.
    Longest,
    /// The one published first.
    Oldest,
    /// The one others name as canonical.
    Canonical,
}

/// What becomes of the links of duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DuplicateLinks {
    /// They are followed like any.
    Follow,
    /// They are followed, after all others: what only a duplicate links to is new, but unlikely
    /// to matter.
    #[default]
    FollowNew,
    /// They are not followed.
    Ignore,
}

/// `[dedup]`: what counts as seen before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DedupSection {
    /// This near (bits): a duplicate unless the sketch refutes it.
    pub k: u8,
    /// This near (bits): a duplicate only if the sketch confirms it.
    pub reach: u8,
    /// Overlap of two texts from which they are the same, 0.0 to 1.0.
    pub overlap: f32,
    /// Overlap of two texts of one host from which they are the same; 0.0 for no difference.
    pub overlap_same_host: f32,
    /// Tables of the index: 4, 10 or 16.
    pub tables: u8,
    /// Where the tables are looked up: `ram` or `disk`.
    pub memory: MemoryName,
    /// Which page of a cluster is kept.
    pub keep: KeepPolicy,
    /// What becomes of the links of duplicates.
    pub links_of_duplicates: DuplicateLinks,
    /// Cut text blocks that most pages of a host have, before pages are compared.
    pub host_templates: bool,
}

/// Where the tables are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryName {
    /// In memory; the disk has a copy.
    #[default]
    Ram,
    /// On disk, where memory is short.
    Disk,
}

impl Default for DedupSection {
    fn default() -> Self {
        let index = simhash::IndexConfig::default();
        Self {
            k: index.k,
            reach: index.reach,
            overlap: index.overlap,
            overlap_same_host: sieve::Rules::default().overlap_same_host,
            tables: 4,
            memory: MemoryName::Ram,
            keep: KeepPolicy::First,
            links_of_duplicates: DuplicateLinks::FollowNew,
            host_templates: true,
        }
    }
}

/// `[keep]`: which pages are worth keeping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KeepSection {
    /// Pages with fewer words of main content are thin.
    pub words_min: u32,
    /// Keep front pages, tag pages and other lists of links.
    pub listings: bool,
    /// Obey a page's wish not to be indexed (meta robots, X-Robots-Tag).
    pub obey_noindex: bool,
}

impl Default for KeepSection {
    fn default() -> Self {
        Self {
            words_min: 20,
            listings: true,
            obey_noindex: true,
        }
    }
}

/// Which bodies are archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodiesName {
    /// All that were read.
    #[default]
    All,
    /// Those of kept pages.
    Kept,
    /// None. The journal and the texts of kept pages are always written.
    None,
}

/// `[archive]`: what is stored of bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArchiveSection {
    /// Which bodies are archived.
    pub bodies: BodiesName,
    /// A new file is begun beyond this size.
    pub file_size: Size,
}

impl Default for ArchiveSection {
    fn default() -> Self {
        Self {
            bodies: BodiesName::All,
            file_size: Size::megabytes(1_000),
        }
    }
}

/// `[network]`: how to reach the network.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSection {
    /// Proxy URL (http, https, socks5); empty for none.
    pub proxy: String,
    /// Addresses to use for hosts: `HOST:PORT:ADDR`.
    pub resolve: Vec<String>,
    /// Allow private, loopback and link-local addresses.
    pub allow_private: bool,
    /// Bytes per second over all hosts, "20 MB/s"; empty for no limit.
    pub bandwidth: String,
    /// Keep cookies within a crawl.
    pub cookies: bool,
}

/// `[url]`: how URLs are written before they are compared. Off by default: each of these can join
/// two different pages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UrlSection {
    /// Sort query parameters.
    pub sort_query: bool,
    /// Query parameters to drop; `utm_*` drops all that begin so.
    pub drop_params: Vec<String>,
    /// Drop well-known tracking parameters (`utm_*`, `fbclid`, ...).
    pub drop_tracking: bool,
    /// Drop well-known session ids.
    pub drop_sessions: bool,
    /// Take `/index.html` and the like for `/`.
    pub drop_index_pages: bool,
}

/// `[limits]`: bounds on everything a hostile server can choose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSection {
    /// Body as received.
    pub body: Size,
    /// Body after its content codings are undone.
    pub decoded_body: Size,
    /// Decoded bytes for each received byte.
    pub decoded_ratio: u32,
    /// A robots.txt as received; 500 KiB of it are read.
    pub robots: Size,
    /// A sitemap, as received and unpacked.
    pub sitemap: Size,
    /// All headers of an answer.
    pub headers: Size,
    /// Number of headers of an answer.
    pub header_count: usize,
    /// Connecting, name resolution and TLS included.
    pub connect_time: Span,
    /// From the request to the first byte of the answer.
    pub first_byte_time: Span,
    /// Between two pieces of a body.
    pub idle_time: Span,
    /// Least bytes per second of a body, asked after 20 s; 0 for no limit.
    pub body_rate: Size,
    /// One whole fetch.
    pub total_time: Span,
    /// Length of a URL in bytes.
    pub url_length: usize,
    /// Redirects in a row.
    pub redirects: u32,
    /// Links read from one page.
    pub links_per_page: usize,
    /// Elements of a page open at a time; deeper ones become siblings.
    pub dom_depth: usize,
    /// Nodes of a page's tree; parsing stops there.
    pub dom_nodes: u64,
    /// Attributes of one tag; the rest of the tag is dropped.
    pub attributes: usize,
    /// URLs read from one sitemap.
    pub sitemap_urls: usize,
    /// Sitemaps read for one host.
    pub sitemaps_per_host: usize,
    /// Distinct URLs admitted for one host; 0 for no limit.
    pub urls_per_host: u64,
    /// Hosts of the crawl.
    pub hosts: usize,
    /// Hosts admitted under one registrable domain (spider pools).
    pub hosts_per_domain: usize,
    /// Bodies in memory at once.
    pub bytes_in_flight: Size,
    /// Pending URLs kept in memory; the rest waits on disk.
    pub pending_in_memory: usize,
}

impl Default for LimitsSection {
    fn default() -> Self {
        Self {
            body: Size::megabytes(10),
            decoded_body: Size::megabytes(20),
            decoded_ratio: 200,
            robots: Size(600_000),
            sitemap: Size(52_428_800),
            headers: Size(64 * 1024),
            header_count: 200,
            connect_time: Span::seconds(10),
            first_byte_time: Span::seconds(30),
            idle_time: Span::seconds(20),
            body_rate: Size(500),
            total_time: Span::seconds(120),
            url_length: 2_048,
            redirects: 10,
            links_per_page: 10_000,
            dom_depth: 512,
            dom_nodes: 500_000,
            attributes: 1_024,
            sitemap_urls: 50_000,
            sitemaps_per_host: 100,
            urls_per_host: 1_000_000,
            hosts: 500_000,
            hosts_per_domain: 200,
            bytes_in_flight: Size::megabytes(64),
            pending_in_memory: 200_000,
        }
    }
}

/// `[host."example.org"]`: overrides for one host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostSection {
    /// Between requests to this host.
    pub delay: Option<Span>,
    /// Requests to this host at once.
    pub connections: Option<usize>,
    /// Finished pages of this host.
    pub max_pages: Option<u64>,
}
