//! Reading a tree of values into sections: what was found, where it stands, and what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::choice::suggestion;
use crate::crawl_config::CrawlConfig;
use crate::node::{Entry, Node, Written, quoted};
use crate::problem::Mistake;
use crate::section::Section;

/// What reading has found so far.
#[derive(Default)]
pub(crate) struct Reading {
    /// What cannot be read.
    pub(crate) unreadable: Vec<Mistake>,
    /// What is read, but not allowed.
    pub(crate) refused: Vec<Mistake>,
    /// Where each key's value stands, and its entries; a section's own place under its path.
    pub(crate) places: BTreeMap<String, Place>,
    /// Sections in which something was not read.
    pub(crate) incomplete: BTreeSet<String>,
}

/// Where a value stands, and its entries.
pub(crate) struct Place {
    pub(crate) whole: Range<usize>,
    pub(crate) entries: Vec<Range<usize>>,
}

impl Reading {
    /// The lines of what should be a table; `header` is how such a table begins.
    pub(crate) fn table<'n>(
        &mut self,
        entry: &'n Entry,
        path: &str,
        header: &str,
    ) -> Option<&'n [Entry]> {
        self.note(path, &entry.node);
        match &entry.node.value {
            Written::Table(entries) => Some(entries),
            Written::Broken => None,
            _ => {
                let message = format!("{path} is {}, not a section", entry.node);
                let mend = format!("write {header} on a line of its own, and its keys below");
                self.cannot(entry.node.place.start, message, mend);
                None
            }
        }
    }

    /// Notes what cannot be read.
    pub(crate) fn cannot(&mut self, at: usize, message: String, mend: String) {
        self.unreadable.push(Mistake::new(at, message, mend));
    }

    /// Notes a key that this version does not know.
    pub(crate) fn unknown(&mut self, entry: &Entry, mend: String) {
        let message = format!("unknown key \"{}\"", entry.key);
        self.unreadable.push(Mistake {
            is_unknown_key: true,
            ..Mistake::new(entry.key_place.start, message, mend)
        });
    }

    /// Notes what is read, but not allowed.
    pub(crate) fn refuse(&mut self, at: usize, message: String, mend: String) {
        self.refused.push(Mistake::new(at, message, mend));
    }

    /// Notes where a value stands.
    fn note(&mut self, path: &str, node: &Node) {
        let entries = match &node.value {
            Written::List(entries) => entries.iter().map(|node| node.place.clone()).collect(),
            _ => Vec::new(),
        };
        let whole = node.place.clone();
        self.places
            .insert(path.to_owned(), Place { whole, entries });
    }
}

/// Reads the keys of a section.
pub(crate) fn read_section<S: Section>(
    section: &mut S,
    entry: &Entry,
    path: &str,
    reading: &mut Reading,
) {
    let keys = S::keys();
    let Some(entries) = reading.table(entry, path, &header(path)) else {
        reading.incomplete.insert(path.to_owned());
        return;
    };
    for entry in entries {
        let Some(key) = keys.iter().find(|key| key.facts.name == entry.key) else {
            let names: Vec<&str> = keys.iter().map(|key| key.facts.name).collect();
            let mend = CrawlConfig::home_of(entry);
            reading.unknown(
                entry,
                mend.unwrap_or_else(|| suggestion(&entry.key, &names)),
            );
            reading.incomplete.insert(path.to_owned());
            continue;
        };
        if entry.node.value == Written::Broken {
            reading.incomplete.insert(path.to_owned());
            continue;
        }
        let path_of_key = format!("{path}.{}", entry.key);
        reading.note(&path_of_key, &entry.node);
        if let Err(wrong) = key.read(section, &entry.node, &path_of_key) {
            reading.unreadable.extend(wrong);
            reading.incomplete.insert(path.to_owned());
        }
    }
}

/// How the section of a path begins in a file: `[host."a.example"]` for `host.a.example`.
pub(crate) fn header(path: &str) -> String {
    match path.split_once('.') {
        Some((part, name)) => format!("[{part}.{}]", quoted(name)),
        None => format!("[{path}]"),
    }
}
