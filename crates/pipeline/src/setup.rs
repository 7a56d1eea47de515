//! From the configuration to what each stage wants of it.

use std::io::Write;
use std::net::SocketAddr;

use archive::{ArchiveConfig, Bodies, SeedRecord};
use extractor::DomLimits;
use fetcher::{FetchLimits, HttpConfig};
use focus::{ExampleText, FocusConfig};
use frontier::{Canonicaliser, FrontierConfig, HostLimits, ScopeConfig, ScopeMode, SeedUrl};
use sieve::{Keep, Rules};
use state::{DuplicateLinks, Policy};
use url::{Host, Url};

use crate::config::{
    BodiesName, CrawlConfig, DuplicateLinks as DuplicateLinksName, KeepPolicy, OffTopic,
    ScopeModeName,
};
use crate::config_file::parse_resolve;
use crate::dir::{CrawlDir, sync_dir};
use crate::error::CrawlError;
use crate::units::Size;

/// Bytes of a file that are looked at to tell what it is.
const SNIFFED_BYTES: usize = 4096;

/// Byte order marks.
const MARKS: [&[u8]; 3] = [b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe"];

/// Examples of the topic are read before everything else: no link promises more than 1.0.
const EXAMPLE_PRIORITY: f32 = 2.0;

/// Refuses a crawl beyond loopback that does not say whom to ask; `seeds` are its seeds' URLs.
///
/// A proxy on loopback can be a web of one's own, which is what `allow_private` says, or lead
/// anywhere: with it alone the rule stands.
///
/// # Errors
/// [`CrawlError::Setup`] with what to do.
pub fn check_contact<'u>(
    config: &CrawlConfig,
    mut seeds: impl Iterator<Item = &'u str>,
) -> Result<(), CrawlError> {
    let is_loopback = |url: &str| match Url::parse(url).ok().as_ref().and_then(Url::host) {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    };
    let is_test = |url: &str| {
        let url = Url::parse(url).ok();
        let host = url.as_ref().and_then(Url::host_str);
        host.is_some_and(|host| host.ends_with(".test"))
    };
    let network = &config.network;
    let own_web = network.allow_private && is_loopback(&network.proxy);
    if !config.agent.contact.is_empty()
        || own_web
        || seeds.all(|seed| is_loopback(seed) || is_test(seed))
    {
        return Ok(());
    }
    Err(CrawlError::Setup(
        "crawl needs a contact: set agent.contact in the configuration, or --contact, to a URL or a \
         mail address that tells site owners whom to ask (a web of your own behind a proxy on \
         loopback needs none with --allow-private)"
            .into(),
    ))
}

/// Keeps the configuration in force in the crawl's directory, durably: a directory without it is no
/// crawl, however much its archive holds.
///
/// # Errors
/// [`CrawlError::Directory`] when it cannot be written.
pub fn write_config(dir: &CrawlDir, config: &CrawlConfig) -> Result<(), CrawlError> {
    let cannot = |source| CrawlError::Directory {
        what: format!("write {}", dir.config().display()),
        source,
    };
    // The file lies elsewhere than the one it was read from: relative paths would miss.
    let config = with_absolute_paths(config);
    let text = toml::to_string_pretty(&config)
        .map_err(|error| CrawlError::Setup(format!("cannot write the configuration: {error}")))?;
    let text = format!("# The configuration in force at the last start.\n\n{text}");
    let partial = dir.config().with_extension("toml.part");
    let write = || {
        let mut file = std::fs::File::create(&partial)?;
        file.write_all(text.as_bytes())?;
        // Without it a power cut may leave an empty file under the final name, which reads as a
        // configuration of defaults.
        file.sync_all()?;
        std::fs::rename(&partial, dir.config())?;
        sync_dir(dir.root())
    };
    write().map_err(cannot)
}

/// The configuration with the paths in it made absolute.
pub(crate) fn with_absolute_paths(config: &CrawlConfig) -> CrawlConfig {
    let mut config = config.clone();
    let absolute = |path: &mut String| {
        if let Ok(full) = std::path::absolute(&*path) {
            *path = full.display().to_string();
        }
    };
    config.seeds.files.iter_mut().for_each(absolute);
    if let Some(topic) = &mut config.topic {
        let examples = topic.examples.iter_mut().chain(&mut topic.counter_examples);
        examples
            .filter(|example| !example.contains("://"))
            .for_each(absolute);
    }
    config
}

/// The configuration for the journal: without what may hold a password.
pub fn public_config(config: &CrawlConfig) -> serde_json::Value {
    let mut public = config.clone();
    if let Ok(mut proxy) = Url::parse(&public.network.proxy)
        && (!proxy.username().is_empty() || proxy.password().is_some())
    {
        // Both fail only for URLs that cannot have a password.
        let _ = proxy.set_username("");
        let _ = proxy.set_password(None);
        public.network.proxy = proxy.into();
    }
    serde_json::to_value(public).unwrap_or_default()
}

/// The seeds that earlier starts do not know, numbered after those.
pub fn new_seeds(given: &[SeedUrl], known: &[SeedRecord]) -> Vec<SeedRecord> {
    let mut fresh: Vec<SeedRecord> = Vec::new();
    for seed in given {
        let url = seed.url.as_str();
        if known
            .iter()
            .chain(&fresh)
            .any(|known| known.url == url && known.sitemap == seed.sitemap)
        {
            continue;
        }
        fresh.push(SeedRecord {
            seed: (known.len() + fresh.len()) as u32,
            url: url.into(),
            sitemap: seed.sitemap,
            depth: seed.depth,
            pages: seed.pages,
            scope: seed.scope.map(|mode| mode.name().to_string()),
            priority: seed.priority,
            since: seed.since.clone(),
            example: None,
            source: seed.source.clone(),
            fate: None,
        });
    }
    fresh
}

/// The example pages of the topic that are URLs and not known yet, as seeds after `seeds`.
pub fn new_examples(config: &CrawlConfig, known: &[SeedRecord], seeds: &mut Vec<SeedRecord>) {
    let Some(topic) = &config.topic else { return };
    let canonicaliser = canonicaliser(config);
    for (urls, on_topic) in [(&topic.examples, true), (&topic.counter_examples, false)] {
        for url in urls.iter().filter_map(|url| Url::parse(url).ok()) {
            let Ok(url) = canonicaliser.canonical(&url) else {
                continue;
            };
            let is_known =
                |seed: &SeedRecord| seed.url == url.as_str() && seed.example == Some(on_topic);
            if known.iter().chain(seeds.iter()).any(is_known) {
                continue;
            }
            seeds.push(SeedRecord {
                seed: (known.len() + seeds.len()) as u32,
                url: url.as_str().into(),
                priority: EXAMPLE_PRIORITY,
                example: Some(on_topic),
                source: "example".into(),
                ..SeedRecord::default()
            });
        }
    }
}

/// Bounds of a fetch.
pub fn fetch_limits(config: &CrawlConfig) -> FetchLimits {
    let limits = &config.limits;
    FetchLimits {
        body_bytes_max: limits.body.0,
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
        large_bodies_bytes_max: limits.bytes_in_flight.0,
        ..FetchLimits::default()
    }
}

/// Bounds of a page's tree.
pub fn dom_limits(config: &CrawlConfig) -> DomLimits {
    let limits = &config.limits;
    DomLimits {
        attributes_max: limits.attributes,
        attributes_max_late: limits
            .attributes
            .min(DomLimits::DEFAULT.attributes_max_late),
        depth_max: limits.dom_depth,
        nodes_max: limits.dom_nodes,
        ..DomLimits::DEFAULT
    }
}

/// The network client's settings.
///
/// # Errors
/// [`CrawlError::Setup`] when an address or the proxy cannot be used.
pub fn http_config(config: &CrawlConfig) -> Result<HttpConfig, CrawlError> {
    let wrong = |what: &str| CrawlError::Setup(format!("{what} cannot be used"));
    let resolve = config.network.resolve.iter().map(|rule| {
        let (host, port, address) = parse_resolve(rule).ok_or_else(|| wrong(rule))?;
        Ok((host, port, SocketAddr::new(address, port)))
    });
    Ok(HttpConfig {
        user_agent: format!("{}/{}", config.agent.name, env!("CARGO_PKG_VERSION")),
        contact: Some(config.agent.contact.clone()).filter(|contact| !contact.is_empty()),
        limits: fetch_limits(config),
        proxy: match config.network.proxy.as_str() {
            "" => None,
            proxy => Some(Url::parse(proxy).map_err(|_| wrong("network.proxy"))?),
        },
        resolve: resolve.collect::<Result<_, CrawlError>>()?,
        allow_private: config.network.allow_private,
        cookies: config.network.cookies,
        bandwidth: match config.network.bandwidth.as_str() {
            "" => None,
            rate => Some(Size::parse_rate(rate).map_err(CrawlError::Setup)?.0),
        },
        requests_per_second: Some(config.politeness.requests_per_second).filter(|&rate| rate > 0.0),
        ..HttpConfig::default()
    })
}

/// The fields of our requests, for the archive.
pub fn request_fields(config: &CrawlConfig) -> Vec<(String, String)> {
    let Ok(http) = http_config(config) else {
        return Vec::new();
    };
    let mut fields = vec![
        ("user-agent".to_string(), http.user_agent_header()),
        (
            "accept-encoding".to_string(),
            "gzip, deflate, br, zstd".to_string(),
        ),
    ];
    fields.extend(http.from_header().map(|from| ("from".to_string(), from)));
    fields
}

/// How URLs are made canonical.
pub fn canonicaliser(config: &CrawlConfig) -> Canonicaliser {
    Canonicaliser {
        sort_query: config.url.sort_query,
        drop_params: config.url.drop_params.clone(),
        drop_tracking: config.url.drop_tracking,
        drop_sessions: config.url.drop_sessions,
        drop_index_pages: config.url.drop_index_pages,
    }
}

/// The rules of the verdict.
pub fn rules(config: &CrawlConfig) -> Rules {
    let topic = config.topic.as_ref();
    Rules {
        words_min: config.keep.words_min,
        keep_listings: config.keep.listings,
        obey_noindex: config.keep.obey_noindex,
        languages: topic
            .map(|topic| topic.languages.clone())
            .unwrap_or_default(),
        overlap_same_host: config.dedup.overlap_same_host,
        relevance_min: topic
            .filter(|topic| topic.off_topic == OffTopic::Drop)
            .map(|topic| topic.threshold),
    }
}

/// What decisions follow from.
///
/// # Errors
/// [`CrawlError::Setup`] when an example file of the topic cannot be read.
pub(crate) fn policy(config: &CrawlConfig) -> Result<Policy, CrawlError> {
    Ok(Policy {
        rules: rules(config),
        keep: keep(config),
        links_of_duplicates: match config.dedup.links_of_duplicates {
            DuplicateLinksName::Follow => DuplicateLinks::Follow,
            DuplicateLinksName::FollowNew => DuplicateLinks::FollowNew,
            DuplicateLinksName::Ignore => DuplicateLinks::Ignore,
        },
        host_templates: config.dedup.host_templates,
        scope: scope_config(config),
        follow_nofollow: config.scope.follow_nofollow,
        sitemaps: config.scope.sitemaps != Some(false),
        sitemaps_per_host: config.limits.sitemaps_per_host,
        redirects_max: config.limits.redirects,
        attempts_max: config.politeness.attempts,
        retry_delay: config.politeness.retry_delay.0,
        retry_after_max: config.politeness.max_retry_after.0,
        agent: config.agent.name.clone(),
        focus: focus_config(config)?,
        random_seed: config.crawl.random_seed,
    })
}

/// Which page of a cluster of duplicates is kept.
pub(crate) fn keep(config: &CrawlConfig) -> Keep {
    match config.dedup.keep {
        KeepPolicy::First => Keep::First,
        KeepPolicy::Longest => Keep::Longest,
        KeepPolicy::Oldest => Keep::Oldest,
        KeepPolicy::Canonical => Keep::Canonical,
    }
}

/// What the archive holds, and in files of what size.
pub(crate) fn archive_config(config: &CrawlConfig) -> ArchiveConfig {
    ArchiveConfig {
        bodies: match config.archive.bodies {
            BodiesName::All => Bodies::All,
            BodiesName::Kept => Bodies::Kept,
            BodiesName::None => Bodies::None,
        },
        file_bytes_max: config.archive.file_size.0,
        ..ArchiveConfig::default()
    }
}

/// How the frontier works.
pub fn frontier_config(config: &CrawlConfig) -> FrontierConfig {
    let hosts = config.host.iter().map(|(host, own)| {
        let limits = HostLimits {
            delay: own.delay.map(|delay| delay.0),
            connections: own.connections,
            pages: own.max_pages,
        };
        (host.to_lowercase(), limits)
    });
    FrontierConfig {
        delay: config.politeness.delay.0,
        connections_per_host: config.politeness.connections_per_host,
        connections_per_address: config.politeness.connections_per_address,
        crawl_delay_max: config.politeness.max_crawl_delay.0,
        retry_after_max: config.politeness.max_retry_after.0,
        hosts: hosts.collect(),
        urls_per_host: config.limits.urls_per_host,
        hosts_max: config.limits.hosts,
        hosts_per_domain: config.limits.hosts_per_domain,
        pending_in_memory: config.limits.pending_in_memory,
    }
}

/// Where to go.
pub fn scope_config(config: &CrawlConfig) -> ScopeConfig {
    ScopeConfig {
        mode: match config.scope.mode {
            ScopeModeName::Host => ScopeMode::Host,
            ScopeModeName::Domain => ScopeMode::Domain,
            ScopeModeName::Prefix => ScopeMode::Prefix,
            ScopeModeName::Any => ScopeMode::Any,
        },
        hosts: config.scope.hosts.clone(),
        include: config.scope.include.clone(),
        exclude: config.scope.exclude.clone(),
        depth_max: config.crawl.max_depth,
    }
}

/// The topic, if there is one; its example files are read here, example URLs come as pages.
///
/// # Errors
/// [`CrawlError::Setup`] when an example file cannot be read.
pub fn focus_config(config: &CrawlConfig) -> Result<Option<FocusConfig>, CrawlError> {
    let Some(topic) = &config.topic else {
        return Ok(None);
    };
    let mut focus = FocusConfig::default();
    focus.topic.keywords.clone_from(&topic.keywords);
    focus.topic.languages.clone_from(&topic.languages);
    focus.topic.threshold = topic.threshold;
    focus.topic.seed = config.crawl.random_seed;
    focus.links.exploration = topic.exploration;
    focus.links.seed = config.crawl.random_seed;
    focus.stop.harvest_min = topic.stop_harvest;
    focus.stop.window = u32::try_from(topic.stop_window).unwrap_or(u32::MAX);
    focus.topic.examples = example_files(&topic.examples)?;
    focus.topic.counter_examples = example_files(&topic.counter_examples)?;
    Ok(Some(focus))
}

/// Example files of the topic that are no examples, with why. `focus` is of the same configuration.
pub fn doubtful_examples(config: &CrawlConfig, focus: &FocusConfig) -> Vec<(String, &'static str)> {
    let Some(topic) = &config.topic else {
        return Vec::new();
    };
    let named = topic.examples.iter().chain(&topic.counter_examples);
    let files = named.filter(|example| !example.contains("://"));
    let read = focus.topic.examples.iter();
    let read = read.chain(&focus.topic.counter_examples);
    let doubtful = files.zip(read).filter_map(|(file, example)| {
        let why = state::examples::doubt(&example.title, &example.text)?;
        Some((file.clone(), why))
    });
    doubtful.collect()
}

fn example_files(examples: &[String]) -> Result<Vec<ExampleText>, CrawlError> {
    examples
        .iter()
        .filter(|example| !example.contains("://"))
        .map(|path| read_example(path))
        .collect()
}

/// Whether a file's bytes are HTML by its content type, or without one by their beginning. Behind a
/// byte order mark browsers sniff plain text; but they ask servers, and a file has no header.
pub fn is_page(content_type: Option<&str>, bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    let sniffed = match MARKS.iter().any(|mark| head.starts_with(mark)) {
        true => {
            let text = extractor::decode(head, None, None).text;
            fetcher::sniff_content_type(content_type, text.as_bytes())
        }
        false => fetcher::sniff_content_type(content_type, head),
    };
    let essence = sniffed.split(';').next().unwrap_or_default().trim();
    matches!(
        essence.to_ascii_lowercase().as_str(),
        "text/html" | "application/xhtml+xml"
    )
}

/// What a plain text has for a title: the beginning of its first line.
pub fn title_of_text(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    first.chars().take(120).collect()
}

/// Reads an example page from a file: HTML by its look, else plain text.
fn read_example(path: &str) -> Result<ExampleText, CrawlError> {
    let bytes = std::fs::read(path).map_err(|error| {
        CrawlError::Setup(format!(
            "[topic] cannot read example {path}: {error}; check the path"
        ))
    })?;
    if let Some(found) = fetcher::binary_type(&bytes) {
        return Err(CrawlError::Setup(format!(
            "[topic] cannot read example {path}: it is no page and no text, but {found}"
        )));
    }
    let decoded = extractor::decode(&bytes, None, None);
    if !is_page(None, &bytes) {
        return Ok(ExampleText {
            title: title_of_text(&decoded.text),
            text: decoded.text,
            ..ExampleText::default()
        });
    }
    let nowhere = Url::parse("http://example.invalid/").expect("a constant URL parses");
    let page = extractor::extract(&decoded.text, &extractor::PageContext::new(&nowhere));
    Ok(ExampleText {
        title: page.title.unwrap_or_default(),
        text: page.text,
        ..ExampleText::default()
    })
}
