//! From the configuration to what each stage wants of it.

use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use archive::SeedRecord;
use extractor::DomLimits;
use fetcher::{FetchLimits, HttpConfig};
use focus::{ExampleText, FocusConfig};
use frontier::{Canonicaliser, FrontierConfig, ScopeConfig, SeedUrl};
use sieve::Rules;
use state::{DuplicateLinks, Learnt, LearntPolicy, Policy};
use url::{Host, Url};

use crate::config::{DuplicateLinks as DuplicateLinksName, FileLinks, LearntRule};
use crate::dir::{CrawlDir, sync_dir};
use crate::error::CrawlError;
use crate::handles;
use config::CrawlConfig;

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

/// Refuses what does not go together with many machines; `is_node` says whether the directory is a
/// node's, `has_ledger` whether the crawl has a ledger.
///
/// # Errors
/// [`CrawlError::Setup`] with what to do.
pub fn check_cluster(
    config: &CrawlConfig,
    has_ledger: bool,
    is_node: bool,
) -> Result<(), CrawlError> {
    let names_store = (config.cluster.as_ref()).is_some_and(|cluster| !cluster.store.is_empty());
    let wrong = |words: &str| Err(CrawlError::Setup(words.into()));
    match (names_store, has_ledger) {
        (true, false) => wrong(
            "the configuration names a ledger, cluster.store, but none was given: its verdicts would \
             be made alone",
        ),
        (false, _) if is_node => wrong(
            "the directory is a node's of a crawl on many machines: its verdicts would be made alone; \
             keep [cluster] in the configuration, or choose a new --dir",
        ),
        (true, true) if config.again.is_some() => {
            wrong("rounds of visits are for a crawl on one machine: leave [again] or [cluster] out")
        }
        (_, _) => Ok(()),
    }
}

/// Keeps the configuration in force in the crawl's directory, durably: a directory without it is no
/// crawl, however much its archive holds.
///
/// # Errors
/// [`CrawlError::Directory`] when it cannot be written.
pub fn write_config(dir: &CrawlDir, config: &CrawlConfig) -> Result<(), CrawlError> {
    // The file lies elsewhere than the one it was read from: relative paths would miss.
    let text = config.with_absolute_paths().to_toml();
    let text = format!("# The configuration in force at the last start.\n\n{text}");
    write_whole(&dir.config(), &text)
}

/// Keeps the configuration of a start that has begun: all that follows from what is new in it is recorded.
///
/// # Errors
/// [`CrawlError::Directory`] when it cannot be written.
pub(crate) fn write_started(dir: &CrawlDir, config: &CrawlConfig) -> Result<(), CrawlError> {
    write_whole(&dir.started(), &public_config(config).to_string())
}

/// The configuration of the last start that has begun, without passwords, as far as it is known. The one in
/// force may have been changed since.
pub(crate) fn started(dir: &CrawlDir) -> Option<CrawlConfig> {
    let text = std::fs::read_to_string(dir.started()).ok();
    let of_start = text.and_then(|text| serde_json::from_str(&text).ok());
    match of_start {
        Some(recorded) => Some(CrawlConfig::recorded(&recorded).config),
        None => config::file::kept(&dir.config()).ok(),
    }
}

/// Writes a file whose name is never that of a part of it.
fn write_whole(path: &Path, text: &str) -> Result<(), CrawlError> {
    let cannot = |source| CrawlError::Directory {
        what: format!("write {}", path.display()),
        source,
    };
    let mut partial = path.as_os_str().to_owned();
    partial.push(".part");
    let write = || {
        let mut file = std::fs::File::create(&partial)?;
        file.write_all(text.as_bytes())?;
        // Without it a power cut may leave an empty file under the final name, which reads as a
        // configuration of defaults.
        file.sync_all()?;
        std::fs::rename(&partial, path)?;
        sync_dir(path.parent().unwrap_or(Path::new(".")))
    };
    write().map_err(cannot)
}

/// The seeds that earlier starts do not know, numbered after those, and those of which something
/// else is said now, by their numbers.
pub fn new_seeds(given: &[SeedUrl], known: &[SeedRecord]) -> Vec<SeedRecord> {
    let records = known.iter().filter(|known| known.example.is_none());
    // Of two records of one seed the first one counts.
    let mut by_url: HashMap<(&str, bool), &SeedRecord> = HashMap::new();
    for record in records {
        by_url
            .entry((&record.url, record.sitemap))
            .or_insert(record);
    }
    let (mut fresh, mut changed) = (Vec::new(), Vec::new());
    let mut told = HashSet::new();
    for seed in given {
        let url = (seed.url.as_str(), seed.sitemap);
        match by_url.get(&url) {
            _ if told.contains(&url) => {}
            None => {
                let number = known.len() + fresh.len();
                fresh.push(seed_record(seed, number as u32));
                told.insert(url);
            }
            Some(known) => {
                let now = seed_record(seed, known.seed);
                if is_changed(known, &now, seed) {
                    changed.push(now);
                    told.insert(url);
                }
            }
        }
    }
    changed.append(&mut fresh);
    changed
}

/// A seed as the journal has it, with its number.
pub(crate) fn seed_record(seed: &SeedUrl, number: u32) -> SeedRecord {
    SeedRecord {
        seed: number,
        url: seed.url.as_str().into(),
        sitemap: seed.sitemap,
        depth: seed.depth,
        pages: seed.pages,
        scope: seed.scope.map(|mode| mode.name().to_string()),
        priority: seed.priority,
        since: seed.since.clone(),
        example: None,
        source: seed.source.clone(),
        fate: None,
    }
}

/// Whether something else is said of a seed than before. Its bare URL on the command line says
/// nothing; in a list it says that there are no limits.
fn is_changed(was: &SeedRecord, now: &SeedRecord, given: &SeedUrl) -> bool {
    let says = |seed: &SeedRecord| {
        let priority = seed.priority.to_bits();
        let (scope, since) = (seed.scope.clone(), seed.since.clone());
        (seed.depth, seed.pages, scope, priority, since)
    };
    let is_bare = says(now) == says(&seed_record(&SeedUrl::new(given.url.clone()), now.seed));
    let is_listed = !now.source.is_empty() && !now.source.starts_with("--seed");
    says(was) != says(now) && (is_listed || !is_bare)
}

/// The example pages of the topic that are URLs and not known yet, as seeds after `seeds`.
pub fn new_examples(config: &CrawlConfig, known: &[SeedRecord], seeds: &mut Vec<SeedRecord>) {
    for (url, on_topic) in example_urls(config) {
        let is_known = |seed: &SeedRecord| seed.url == url && seed.example == Some(on_topic);
        if known.iter().chain(seeds.iter()).any(is_known) {
            continue;
        }
        seeds.push(SeedRecord {
            seed: (known.len() + seeds.len()) as u32,
            url,
            priority: EXAMPLE_PRIORITY,
            example: Some(on_topic),
            source: "example".into(),
            ..SeedRecord::default()
        });
    }
}

/// The example pages of the topic that are URLs, canonical, and its counter-examples.
fn example_urls(config: &CrawlConfig) -> Vec<(String, bool)> {
    let Some(topic) = &config.topic else {
        return Vec::new();
    };
    let canonicaliser = canonicaliser(config);
    let of = |urls: &[String], on_topic| -> Vec<(String, bool)> {
        let urls = urls.iter().filter_map(|url| Url::parse(url).ok());
        let urls = urls.filter_map(|url| canonicaliser.canonical(&url).ok());
        urls.map(|url| (url.as_str().into(), on_topic)).collect()
    };
    let mut urls = of(&topic.examples, true);
    urls.extend(of(&topic.counter_examples, false));
    urls
}

/// Bounds of a fetch.
pub fn fetch_limits(config: &CrawlConfig) -> FetchLimits {
    config.fetch_limits()
}

/// Bounds of a page's tree.
pub fn dom_limits(config: &CrawlConfig) -> DomLimits {
    config.dom_limits()
}

/// The network client's settings.
///
/// # Errors
/// [`CrawlError::Setup`] when an address or the proxy cannot be used.
pub fn http_config(config: &CrawlConfig) -> Result<HttpConfig, CrawlError> {
    Ok(HttpConfig {
        keeps_idle: handles::are_many(),
        ..config.http_config().map_err(CrawlError::Setup)?
    })
}

/// The fields of our requests, for the archive.
pub fn request_fields(config: &CrawlConfig) -> Vec<(String, String)> {
    config.request_fields()
}

/// How URLs are made canonical.
pub fn canonicaliser(config: &CrawlConfig) -> Canonicaliser {
    config.canonicaliser()
}

/// The rules of the verdict.
pub fn rules(config: &CrawlConfig) -> Rules {
    config.rules()
}

/// What decisions follow from.
///
/// # Errors
/// [`CrawlError::Setup`] when an example file of the topic cannot be read.
pub fn policy(config: &CrawlConfig) -> Result<Policy, CrawlError> {
    Ok(Policy {
        rules: rules(config),
        keep: config.dedup.keep,
        links_of_duplicates: match config.dedup.links_of_duplicates {
            DuplicateLinksName::Follow => DuplicateLinks::Follow,
            DuplicateLinksName::FollowNew => DuplicateLinks::FollowNew,
            DuplicateLinksName::Ignore => DuplicateLinks::Ignore,
        },
        learnt: learnt_policy(config),
        host_templates: config.dedup.host_templates,
        scope: scope_config(config),
        follow_nofollow: config.scope.follow_nofollow,
        sitemaps: config.scope.sitemaps != Some(false),
        sitemaps_per_host: config.limits.sitemaps_per_host,
        redirects_max: config.limits.redirects,
        attempts_max: config.politeness.attempts,
        retry_delay: config.politeness.retry_delay.0,
        retry_after_max: config.politeness.max_retry_after.0,
        wall_rest: config.politeness.wall_rest.0,
        cookies: config.network.cookies,
        obey_robots: config.politeness.obey_robots,
        robots_outage_max: config.politeness.max_robots_outage.0,
        agent: config.agent.name.clone(),
        gone: config.gone_rule(),
        comes_back: config.again.is_some(),
        focus: focus_config(config)?,
        examples: example_urls(config),
        random_seed: config.crawl.random_seed,
    })
}

/// What learnt rules decide about URLs that were not fetched.
fn learnt_policy(config: &CrawlConfig) -> LearntPolicy {
    let usual = LearntPolicy::usual(config.topic.is_some());
    let of = |rule: LearntRule, usual: Learnt| match rule {
        LearntRule::Auto => usual,
        LearntRule::Off => Learnt::Off,
        LearntRule::HoldBack => Learnt::HoldBack,
        LearntRule::Refuse => Learnt::Refuse,
    };
    LearntPolicy {
        parameters: of(config.dedup.idle_parameters, usual.parameters),
        duplicates: of(config.dedup.predicted_duplicates, usual.duplicates),
        low_yield: match &config.topic {
            None => usual.low_yield,
            // A crawl that never stops for want of harvest is for all that its budget reaches.
            Some(topic) if topic.low_yield == LearntRule::Auto && topic.stop_harvest == 0.0 => {
                Learnt::Last
            }
            Some(topic) => of(topic.low_yield, usual.low_yield),
        },
        files: match config.scope.files {
            FileLinks::Follow => Learnt::Off,
            FileLinks::Last => Learnt::HoldBack,
            FileLinks::Sample => Learnt::Sample,
        },
    }
}

/// How the frontier works.
pub fn frontier_config(config: &CrawlConfig) -> FrontierConfig {
    config.frontier_config()
}

/// Where to go.
pub fn scope_config(config: &CrawlConfig) -> ScopeConfig {
    config.scope_config()
}

/// The configuration for the journal: without what may hold a password.
pub fn public_config(config: &CrawlConfig) -> serde_json::Value {
    config.public()
}

/// The topic, if there is one; its example files are read here, example URLs come as pages.
///
/// # Errors
/// [`CrawlError::Setup`] when an example file cannot be read.
pub fn focus_config(config: &CrawlConfig) -> Result<Option<FocusConfig>, CrawlError> {
    let Some(topic) = &config.topic else {
        return Ok(None);
    };
    let mut focus = config.focus_config().unwrap_or_default();
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
    if !documents::is_page(None, &bytes) {
        return Ok(ExampleText {
            title: extractor::title_of_text(&decoded.text).unwrap_or_default(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_gets_what_it_had_before_there_was_a_common_bound() {
        let shares = CrawlConfig::default().memory_shares();
        assert_eq!(shares.index_heap, index::HEAP_BYTES);
        let mut config = CrawlConfig::default();
        config.limits.memory = config::Size(160_000_000);
        let heap = config.memory_shares().index_heap;
        assert_eq!(heap, index::HEAP_BYTES_LEAST);
    }
}
