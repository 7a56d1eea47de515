//! What a crawl is started with: the configuration in force, and its seeds.

use std::path::{Path, PathBuf};

use frontier::{SeedUrl, parse_seeds};
use pipeline::config::{CrawlConfig, TopicSection};
use pipeline::{CrawlDir, config_file};

use super::Args;
use crate::exit::{several, usage};
use crate::output::Output;

/// The configuration in force: the file's (or the directory's from an earlier start), then flags.
pub(super) fn configuration(args: &Args, dir: &CrawlDir) -> anyhow::Result<CrawlConfig> {
    let mut config = match &args.config {
        Some(path) if is_url(path) => return Err(no_configuration(path)),
        Some(path) => config_file::read_all(path)
            .map_err(|problems| several("the configuration", &problems))?,
        // Flags may mend what is not allowed any more.
        None if dir.config().is_file() => {
            config_file::kept(&dir.config()).map_err(|problem| usage(problem.to_string()))?
        }
        None => CrawlConfig::default(),
    };
    if let Some(topic) = &args.topic {
        let keywords = topic
            .split([',', '，', '、'])
            .map(str::trim)
            .filter(|word| !word.is_empty());
        config
            .topic
            .get_or_insert_with(TopicSection::default)
            .keywords = keywords.map(str::to_string).collect();
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
    config.network.resolve.extend(args.resolve.iter().cloned());
    config.network.allow_private |= args.allow_private;
    config_file::check_flags(&config).map_err(usage)?;
    Ok(config)
}

pub(super) fn is_url(path: &Path) -> bool {
    let text = path.to_string_lossy();
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

pub(super) fn no_configuration(url: &Path) -> anyhow::Error {
    let url = url.display();
    usage(format!(
        "{url} is a URL, no configuration: give it as a seed, with --dir DIR --seed {url}"
    ))
}

/// Every seed, in the order given; a bad line anywhere stops the crawl before it begins.
pub(super) fn seeds(
    args: &Args,
    config: &CrawlConfig,
    dir: &CrawlDir,
    output: &Output,
) -> anyhow::Result<Vec<SeedUrl>> {
    let mut seeds = Vec::new();
    let mut problems = Vec::new();
    // The seeds of the last start stand in the journal: their list may have gone since.
    let is_kept = |file: &Path| args.config.is_none() && dir.holds_crawl() && !file.exists();
    let files = config.seeds.files.iter().map(PathBuf::from);
    for file in files.chain(args.seeds.iter().cloned()) {
        let name = file.display().to_string();
        if is_kept(&file) && !args.seeds.contains(&file) {
            output.say(format!(
                "note: seed list {name} is gone; the crawl keeps the seeds it had from it"
            ));
            continue;
        }
        let bytes = std::fs::read(&file).map_err(|error| {
            usage(format!(
                "cannot read seed list {name}: {error}; check the path"
            ))
        })?;
        let (found, wrong) = parse_seeds(&name, &bytes);
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
    if seeds.is_empty() && !dir.holds_crawl() {
        return Err(usage(
            "no seeds: give --seed URL, --seeds FILE, or [seeds] in the configuration",
        ));
    }
    Ok(seeds)
}
