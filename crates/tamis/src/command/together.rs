//! Several directories of one crawl: those of its nodes, read as one; and places of their copies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use archive::{Event, Record};
use pipeline::{Bounds, CrawlDir, Journals, NodeName, Placed, node_name};
use xxhash_rust::xxh3::xxh3_128;

use crate::command::{copies, crawl_error, journal};
use crate::exit::usage;
use crate::output::Output;

/// Opens directories that must be those of different nodes of one crawl; one alone may be of any crawl.
///
/// # Errors
/// When one is no crawl, no node's, another crawl's, or given twice.
pub fn open(first: &Path, with: &[PathBuf], output: &Output) -> anyhow::Result<Vec<CrawlDir>> {
    let paths = std::iter::once(first).chain(with.iter().map(PathBuf::as_path));
    let mut dirs = Vec::new();
    for path in paths {
        match copies::is_place(path) {
            true => dirs.append(&mut copies::bring(path, output)?),
            false => dirs.push(journal::open(path)?),
        }
    }
    if dirs.len() == 1 {
        return Ok(dirs);
    }
    let names: Vec<NodeName> = dirs.iter().map(name_of).collect::<Result<_, _>>()?;
    for (at, name) in names.iter().enumerate() {
        let (one, first) = (dirs[at].shown(), dirs[0].shown());
        if name.crawl != names[0].crawl {
            return Err(usage(format!(
                "{one} and {first} are nodes of different crawls ({} and {}): name directories of one crawl",
                name.crawl, names[0].crawl
            )));
        }
        if let Some(before) = names[..at].iter().position(|other| other == name) {
            return Err(usage(format!(
                "{one} and {} are both node {}: name each node once",
                dirs[before].shown(),
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
            dir.shown()
        ))
    })
}

/// The journals of several directories as one, of one directory as it is; a second reading of several ends
/// where the first one did.
pub struct AsOne<'d> {
    dirs: &'d [CrawlDir],
    numbers: Vec<u16>,
    bounds: Bounds,
}

impl<'d> AsOne<'d> {
    /// Directories as [`open`] gives them.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn of(dirs: &'d [CrawlDir]) -> anyhow::Result<AsOne<'d>> {
        let mut numbers = Vec::new();
        for dir in dirs {
            // Opened once so that an unreadable archive is told before anything is written.
            drop(journal::records(dir)?);
            let name = node_name(dir).map_err(crawl_error)?;
            numbers.push(name.map_or(0, |name| name.number));
        }
        Ok(AsOne {
            dirs,
            numbers,
            bounds: Bounds::default(),
        })
    }

    /// Every record with where it is from.
    pub fn placed(&self) -> impl Iterator<Item = Placed> + use<> {
        let journals = self.dirs.iter().zip(&self.numbers).map(|(dir, number)| {
            let records = journal::records(dir).into_iter().flatten();
            (*number, records)
        });
        Journals::new(journals.collect::<Vec<_>>(), &self.bounds)
    }

    /// Every record, in the one order.
    pub fn records(&self) -> Box<dyn Iterator<Item = Record>> {
        match self.dirs {
            [alone] => Box::new(journal::records(alone).into_iter().flatten()),
            _ => Box::new(self.placed().map(|placed| placed.record)),
        }
    }

    /// The main texts of pages, by their numbers in the one order: see [`journal::texts`].
    ///
    /// # Errors
    /// When a journal cannot be read.
    pub fn texts(&self, pages: &BTreeSet<u64>) -> anyhow::Result<BTreeMap<u64, String>> {
        if let [alone] = self.dirs {
            return journal::texts(alone, pages);
        }
        // By directory, the pages by their numbers there.
        let mut places: Vec<BTreeMap<u64, u64>> = vec![BTreeMap::new(); self.dirs.len()];
        for placed in self.placed() {
            if pages.contains(&placed.record.seq) {
                places[placed.journal].insert(placed.seq, placed.record.seq);
            }
        }
        let mut texts = BTreeMap::new();
        for (dir, places) in self.dirs.iter().zip(&places) {
            let found = journal::texts(dir, &places.keys().copied().collect())?;
            texts.extend(found.into_iter().map(|(seq, text)| (places[&seq], text)));
        }
        Ok(texts)
    }

    /// How the crawl is called.
    pub fn name(&self) -> String {
        let first = self.dirs.first();
        let first = first.map_or_else(String::new, CrawlDir::shown);
        match self.dirs.len() {
            0 | 1 => first,
            2 => format!("{first} and one node more"),
            more => format!("{first} and {} nodes more", more - 1),
        }
    }
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
                let left_out =
                    |at: usize| retry.origins.get(at).is_some_and(|origin| origin.left_out);
                let back = retry.urls.iter().enumerate();
                for (_, url) in back.filter(|(at, _)| !left_out(*at)) {
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
