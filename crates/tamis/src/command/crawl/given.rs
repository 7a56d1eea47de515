//! What a crawl is started with: the configuration in force, and its seeds.

use std::collections::{BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ::config::for_shell;
use ::report::words::plural;
use archive::Event;
use frontier::{SeedUrl, parse_seeds};
use pipeline::config::{CrawlConfig, TopicSection};
use pipeline::{CrawlDir, CrawlError, StopHandle, check_start, config_file, settings};

use super::Args;
use crate::command::{cluster, crawl_error, in_full, is_seed_list, is_web_url, journal};
use crate::exit::{several, usage};

/// What a crawl is started with.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// The configuration: the file's, then flags.
    pub config: CrawlConfig,
    /// The seeds of all lists, in the order given.
    pub seeds: Vec<SeedUrl>,
    /// What the user should know of them.
    pub notes: Vec<String>,
}

impl Given {
    /// Reads the configuration and the seed lists that the arguments name.
    pub(super) fn read(args: &Args, dir: &CrawlDir) -> anyhow::Result<Self> {
        let mut config = configuration(args, dir)?;
        if args.again && (config.cluster.as_ref()).is_some_and(|cluster| !cluster.store.is_empty())
        {
            return Err(usage(
                "rounds of visits are for a crawl on one machine: leave --again or [cluster] out",
            ));
        }
        cluster::complete(&mut config, args.config.as_deref(), dir.root());
        let mut notes = Vec::new();
        let seeds = seeds(args, &config, dir, &mut notes)?;
        Ok(Self {
            config,
            seeds,
            notes,
        })
    }

    /// How these differ from others, a line each.
    fn changes(&self, was: &Self) -> Vec<String> {
        let mut changes = settings::changes(&was.config, &self.config);
        let only_in = |these: &[SeedUrl], others: &[SeedUrl]| {
            let only = these.iter().filter(|seed| !others.contains(seed));
            only.count() as u64
        };
        let added = only_in(&self.seeds, &was.seeds);
        if added > 0 {
            let seeds = plural(added, "line is new", "lines are new");
            changes.push(format!("seeds: {seeds}"));
        }
        let gone = only_in(&was.seeds, &self.seeds);
        if gone > 0 {
            let seeds = plural(gone, "line is gone", "lines are gone");
            changes.push(format!(
                "seeds: {seeds}; what was a seed is not forgotten: scope.exclude keeps the crawl away from it"
            ));
        }
        changes
    }
}

/// What a running crawl was started with, and what it is to go on with.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    shared: Arc<Mutex<Both>>,
}

#[derive(Debug)]
struct Both {
    now: Arc<Given>,
    next: Option<Arc<Given>>,
}

impl Settings {
    /// Those of a start. Whoever asks the crawl by its handle to read them anew has the same files read
    /// once more, under the same flags.
    pub(super) fn begin(given: Given, args: &Args, dir: &CrawlDir, stop: &StopHandle) -> Self {
        let settings = Self {
            shared: Arc::new(Mutex::new(Both {
                now: Arc::new(given),
                next: None,
            })),
        };
        let (args, dir, shared) = (args.clone(), dir.clone(), settings.clone());
        stop.on_reload(move || shared.reread(&args, &dir).map_err(|error| in_full(&*error)));
        settings
    }

    fn with<T>(&self, look: impl FnOnce(&mut Both) -> T) -> T {
        look(&mut self.shared.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Those in force.
    pub(super) fn now(&self) -> Arc<Given> {
        self.with(|both| Arc::clone(&both.now))
    }

    /// Lets those count that were read last. Gives how they differ from those before.
    pub(super) fn adopt(&self) -> Vec<String> {
        self.with(|both| match both.next.take() {
            Some(next) => {
                let changes = next.changes(&both.now);
                both.now = next;
                changes
            }
            None => Vec::new(),
        })
    }

    fn reread(&self, args: &Args, dir: &CrawlDir) -> anyhow::Result<Vec<String>> {
        let given = Given::read(args, dir)?;
        check_start(&given.config, &given.seeds)?;
        let changes = given.changes(&self.now());
        self.with(|both| both.next = Some(Arc::new(given)));
        Ok(changes)
    }
}

/// The configuration in force: the file's (or the directory's from an earlier start), then flags.
fn configuration(args: &Args, dir: &CrawlDir) -> anyhow::Result<CrawlConfig> {
    let mut config = match &args.config {
        Some(path) if is_url(path) => return Err(no_configuration(path)),
        Some(path) => config_file::read_all(path).map_err(|problems| {
            hint_of(path).unwrap_or_else(|| several("the configuration", &problems))
        })?,
        // Flags may mend what is not allowed any more.
        None if dir.config().is_file() => {
            config_file::kept(&dir.config()).map_err(|problem| usage(problem.to_string()))?
        }
        None => CrawlConfig::default(),
    };
    if let Some(topic) = &args.topic {
        config
            .topic
            .get_or_insert_with(TopicSection::default)
            .keywords = keywords_of(topic);
    }
    if let Some(contact) = &args.contact {
        config.agent.contact.clone_from(contact);
    }
    if let Some(pages) = args.max_pages {
        config.crawl.max_pages = pages;
    }
    if let Some(time) = args.max_time {
        config.crawl.max_time = time;
    }
    if let Some(delay) = args.delay {
        config.politeness.delay = delay;
    }
    if let Some(connections) = args.concurrency {
        config.crawl.concurrency = connections;
    }
    if let Some(proxy) = &args.proxy {
        config.network.proxy.clone_from(proxy);
    }
    for address in &args.resolve {
        // The directory's own configuration has them from the start before.
        if !config.network.resolve.contains(address) {
            config.network.resolve.push(address.clone());
        }
    }
    config.network.allow_private |= args.allow_private;
    config_file::check_flags(&config).map_err(usage)?;
    Ok(config)
}

/// The keywords of `--topic`, with the signs of a list that English and Chinese have.
fn keywords_of(topic: &str) -> Vec<String> {
    let words = topic.split([',', '，', '、', '；']).map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_string)
        .collect()
}

/// What a path names that is no configuration, as far as it can be told: a crawl, a folder, a list of URLs,
/// or a host.
pub(super) fn hint_of(path: &Path) -> Option<anyhow::Error> {
    let shown = path.display().to_string();
    if path.is_dir() {
        return Some(usage(hint_of_folder(path)));
    }
    let hint = match std::fs::read_to_string(path) {
        Ok(text) => is_seed_list(&text).then(|| {
            format!(
                "{shown} is a list of URLs, no configuration: give it as a seed list, with --dir DIR \
                 --seeds {shown}"
            )
        }),
        Err(error) => {
            let is_name = shown.contains('.') && !shown.contains('/') && !shown.ends_with(".toml");
            (error.kind() == ErrorKind::NotFound && is_name).then(|| {
                format!(
                    "there is no configuration {shown}; if it is a host, give it as a seed, with --dir DIR \
                     --seed http://{shown}/"
                )
            })
        }
    };
    hint.map(usage)
}

/// What to do with a folder that was given as a configuration.
fn hint_of_folder(path: &Path) -> String {
    let shown = path.display();
    if CrawlDir::new(path).holds_crawl() {
        return format!(
            "{shown} is a crawl's directory, no configuration; carry it on with: tamis crawl --dir {}",
            for_shell(path)
        );
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    names.sort();
    if let Some(crawl) = names.iter().find(|dir| CrawlDir::new(*dir).holds_crawl()) {
        return format!(
            "{shown} is a folder, no configuration, and holds crawls; carry one on with: tamis crawl --dir {}",
            for_shell(crawl)
        );
    }
    format!("{shown} is a folder, no configuration: name a file in it, such as {shown}/crawl.toml")
}

/// What is there can be read, and is carried on under its own configuration, or the one that is given.
///
/// # Errors
/// When it cannot, or none is there.
pub(super) fn check_configured(args: &Args, dir: &CrawlDir) -> anyhow::Result<()> {
    let is_given = args.config.is_some() || args.fresh;
    match dir.find_crawl() {
        Ok(_) => Ok(()),
        Err(CrawlError::NoConfiguration(_)) if is_given => Ok(()),
        Err(error) => Err(crawl_error(error)),
    }
}

/// So many seeds of the crawl that stands in a directory are named.
const SEEDS_NAMED: usize = 3;

/// So many keywords of its topic.
const KEYWORDS_NAMED: usize = 3;

/// Checks that a configuration goes with the crawl that its directory holds. One whose seeds are all unknown
/// to that crawl is another crawl's, which has come upon this directory by its name.
///
/// # Errors
/// When none of the seeds is one of the crawl's.
pub(super) fn check_same_crawl(args: &Args, dir: &CrawlDir, given: &Given) -> anyhow::Result<()> {
    if args.config.is_none() && args.topic.is_some() && dir.holds_crawl() {
        return check_same_topic(args, dir, &given.config);
    }
    // Without a configuration, seeds are further seeds of the crawl. A node has some of its crawl's alone.
    if args.config.is_none()
        || given.seeds.is_empty()
        || given.config.cluster.is_some()
        || !dir.holds_crawl()
    {
        return Ok(());
    }
    let wanted: HashSet<&str> = given.seeds.iter().map(|seed| seed.url.as_str()).collect();
    let mut first = Vec::new();
    // Seeds stand before all pages, so that a crawl of the same seeds is known by its first records.
    for record in journal::records(dir)? {
        let Event::Seed(seed) = record.event else {
            continue;
        };
        if wanted.contains(seed.url.as_str()) {
            return check_same_topic(args, dir, &given.config);
        }
        if first.len() < SEEDS_NAMED && !first.contains(&seed.url) {
            first.push(seed.url);
        }
    }
    if first.is_empty() {
        return Ok(());
    }
    let root = dir.typed();
    Err(usage(format!(
        "{root} holds another crawl, of {}, which has none of the seeds given now: give this crawl a directory \
         of its own, with --dir; to carry the other one on: tamis crawl --dir {root}; to add seeds to it: \
         tamis crawl --dir {root} --seeds FILE, or --seed URL, without a configuration",
        first.join(", ")
    )))
}

/// Checks that a configuration does not bring a topic that has nothing in common with that of the crawl.
///
/// # Errors
/// When both have keywords and share none.
fn check_same_topic(args: &Args, dir: &CrawlDir, config: &CrawlConfig) -> anyhow::Result<()> {
    let keywords = |config: &CrawlConfig| -> BTreeSet<String> {
        let words = config.topic.iter().flat_map(|topic| &topic.keywords);
        let wanted = words.filter(|word| !word.trim_start().starts_with(['-', '－']));
        let bare = wanted.map(|word| {
            word.rsplit_once(['^', '＾'])
                .map_or(&**word, |(bare, _)| bare)
        });
        let bare = bare.map(|word| word.trim().trim_matches('"').to_lowercase());
        bare.collect()
    };
    let Ok(was) = config_file::kept(&dir.config()) else {
        return Ok(());
    };
    let (was, now) = (keywords(&was), keywords(config));
    if args.yes || was.is_empty() || now.is_empty() || !was.is_disjoint(&now) {
        return Ok(());
    }
    let root = dir.typed();
    let named: Vec<&str> = was
        .iter()
        .take(KEYWORDS_NAMED)
        .map(String::as_str)
        .collect();
    Err(usage(format!(
        "{root} holds a crawl with another topic ({}), of which no keyword is left: give this crawl a directory of its \
         own, with --dir; to carry the other one on: tamis crawl --dir {root}; to go on in it with the new topic, \
         beside what was kept for the old one: add --yes",
        named.join(", ")
    )))
}

pub(super) fn is_url(path: &Path) -> bool {
    is_web_url(path)
}

pub(super) fn no_configuration(url: &Path) -> anyhow::Error {
    let url = url.display();
    usage(format!(
        "{url} is a URL, no configuration: give it as a seed, with --dir DIR --seed {url}"
    ))
}

/// Every seed, in the order given; a bad line anywhere stops the crawl before it begins.
fn seeds(
    args: &Args,
    config: &CrawlConfig,
    dir: &CrawlDir,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<SeedUrl>> {
    let mut seeds = Vec::new();
    let mut problems = Vec::new();
    let mut empty = Vec::new();
    let goes_on = (dir.holds_crawl() || dir.holds_journal()) && !args.fresh;
    // The seeds of the last start stand in the journal: their list may have gone since.
    let is_kept = |file: &Path| args.config.is_none() && goes_on && !file.exists();
    let files = config.seeds.files.iter().map(PathBuf::from);
    for file in files.chain(args.seeds.iter().cloned()) {
        let name = file.display().to_string();
        if is_kept(&file) && !args.seeds.contains(&file) {
            notes.push(format!(
                "seed list {name} is gone; the crawl keeps the seeds it had from it"
            ));
            continue;
        }
        let bytes = std::fs::read(&file).map_err(|error| {
            usage(format!(
                "cannot read seed list {name}: {error}; check the path"
            ))
        })?;
        let (found, wrong) = parse_seeds(&name, &bytes);
        if found.is_empty() && wrong.is_empty() {
            empty.push(format!("seed list {name} holds no seed"));
        }
        seeds.extend(found);
        problems.extend(wrong);
    }
    for (source, urls) in [("config", &config.seeds.urls), ("--seed", &args.seed_urls)] {
        for url in urls {
            let (found, wrong) = parse_seeds(source, url.as_bytes());
            seeds.extend(found);
            problems.extend(wrong);
        }
    }
    if !problems.is_empty() {
        return Err(several("the seeds", &problems));
    }
    if seeds.is_empty() && !goes_on {
        let root = dir.typed();
        let why = match args.fresh && dir.holds_crawl() {
            true => format!("the configuration in {root} has none for a new crawl"),
            false => format!("{root} holds no crawl yet"),
        };
        let empty: String = empty.iter().map(|empty| format!("{empty}; ")).collect();
        return Err(usage(format!(
            "{empty}no seeds, and {why}: give --seed URL, --seeds FILE, or [seeds] in the configuration"
        )));
    }
    notes.extend(empty);
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_split_at_the_signs_of_lists() {
        for topic in [
            "数据库、索引",
            "数据库，索引",
            "数据库；索引",
            " 数据库, 索引,",
        ] {
            assert_eq!(keywords_of(topic), ["数据库", "索引"], "{topic}");
        }
        assert_eq!(
            keywords_of("full-text search; ranking"),
            ["full-text search; ranking"]
        );
    }
}
