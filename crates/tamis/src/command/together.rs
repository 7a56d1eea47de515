//! Several directories of one crawl: those of its nodes, read as one.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use archive::{Event, Record};
use pipeline::{CrawlDir, NodeName, node_name};
use xxhash_rust::xxh3::xxh3_128;

use crate::command::{crawl_error, journal};
use crate::exit::usage;

/// Opens directories that must be those of different nodes of one crawl; one alone may be of any crawl.
///
/// # Errors
/// When one is no crawl, no node's, another crawl's, or given twice.
pub fn open(first: &Path, with: &[PathBuf]) -> anyhow::Result<Vec<CrawlDir>> {
    let paths = std::iter::once(first).chain(with.iter().map(PathBuf::as_path));
    let dirs: Vec<CrawlDir> = paths.map(journal::open).collect::<Result<_, _>>()?;
    if dirs.len() == 1 {
        return Ok(dirs);
    }
    let names: Vec<NodeName> = dirs.iter().map(name_of).collect::<Result<_, _>>()?;
    for (at, name) in names.iter().enumerate() {
        let (one, first) = (dirs[at].root().display(), dirs[0].root().display());
        if name.crawl != names[0].crawl {
            return Err(usage(format!(
                "{one} and {first} are nodes of different crawls ({} and {}): name directories of one crawl",
                name.crawl, names[0].crawl
            )));
        }
        if let Some(before) = names[..at].iter().position(|other| other == name) {
            return Err(usage(format!(
                "{one} and {} are both node {}: name each node once",
                dirs[before].root().display(),
                name.number
            )));
        }
    }
    Ok(dirs)
}

fn name_of(dir: &CrawlDir) -> anyhow::Result<NodeName> {
    let name = node_name(dir).map_err(crawl_error)?;
    name.ok_or_else(|| {
        usage(format!(
            "{} is a crawl of one machine: only directories of nodes of one crawl are read together",
            dir.root().display()
        ))
    })
}

/// Where each URL ended last, by the time of its record: one that was put back may have ended with two
/// nodes.
#[derive(Debug, Default)]
pub struct Ends {
    last: HashMap<u128, (u64, usize)>,
}

impl Ends {
    /// Reads the journals; of one alone there is nothing to know.
    ///
    /// # Errors
    /// When a journal cannot be read.
    pub fn of(dirs: &[CrawlDir]) -> anyhow::Result<Ends> {
        let mut ends = Ends::default();
        if dirs.len() < 2 {
            return Ok(ends);
        }
        for (at, dir) in dirs.iter().enumerate() {
            for record in journal::records(dir)? {
                ends.add(&record, at);
            }
        }
        Ok(ends)
    }

    fn add(&mut self, record: &Record, at: usize) {
        if let Event::Page(page) = &record.event {
            let last = self.last.entry(key(&page.url)).or_default();
            *last = (*last).max((record.at_ms, at));
        }
    }

    /// Whether a record of a directory tells of a page that ended later with another node.
    pub fn is_outdated(&self, record: &Record, at: usize) -> bool {
        let Event::Page(page) = &record.event else {
            return false;
        };
        (self.last.get(&key(&page.url))).is_some_and(|(_, last)| *last != at)
    }
}

/// URLs that ended more often, over all directories, than they were put back and once.
///
/// # Errors
/// When a journal cannot be read.
pub fn finished_twice(dirs: &[CrawlDir]) -> anyhow::Result<Vec<String>> {
    let mut counts: HashMap<u128, i64> = HashMap::new();
    let mut twice: HashMap<u128, String> = HashMap::new();
    for dir in dirs {
        for record in journal::records(dir)? {
            if let Event::Page(page) = &record.event {
                let count = counts.entry(key(&page.url)).or_default();
                *count += 1;
                if *count > 1 {
                    twice.insert(key(&page.url), page.url.clone());
                }
            } else if let Event::Retry(retry) = &record.event {
                for url in &retry.urls {
                    *counts.entry(key(url)).or_default() -= 1;
                }
            }
        }
    }
    twice.retain(|url, _| counts.get(url).is_some_and(|count| *count > 1));
    let mut urls: Vec<String> = twice.into_values().collect();
    urls.sort();
    Ok(urls)
}

fn key(url: &str) -> u128 {
    xxh3_128(url.as_bytes())
}
