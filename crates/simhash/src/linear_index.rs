//! The plain model of an index: a list, read from end to end. Every index is tested against it.

use std::collections::BTreeMap;

use crate::series::Candidates;
use crate::{IndexConfig, Neighbour, TextPrint, rule};

/// An index that compares a text with every kept page.
#[derive(Clone, Debug, Default)]
pub struct LinearIndex {
    config: IndexConfig,
    pages: BTreeMap<u64, TextPrint>,
}

impl LinearIndex {
    /// An empty index.
    pub fn new(config: &IndexConfig) -> LinearIndex {
        LinearIndex {
            config: *config,
            pages: BTreeMap::new(),
        }
    }

    /// The best confirmed duplicate, or else the nearest candidate; none when no kept page is
    /// within reach.
    pub fn nearest(&self, print: &TextPrint) -> Option<Neighbour> {
        let least = rule::least_overlap(&self.config);
        let mut found = Candidates::default();
        let near = self.pages.iter();
        for (&page, kept) in near.filter(|(_, kept)| rule::is_candidate(&self.config, print, kept))
        {
            let neighbour = rule::judge(&self.config, print, page, kept, u8::MAX);
            found.add(neighbour, || rule::numbers_in_common(print, kept), least);
        }
        found.best()
    }

    /// Keeps `page`; a page that is there already gets the new print.
    pub fn insert(&mut self, page: u64, print: &TextPrint) {
        let mut print = *print;
        print.sketch = print.sketch.truncated(self.config.sketch);
        self.pages.insert(page, print);
    }

    /// Forgets `page`; false when it was not there.
    pub fn remove(&mut self, page: u64) -> bool {
        self.pages.remove(&page).is_some()
    }

    /// The print of a kept page.
    pub fn get(&self, page: u64) -> Option<TextPrint> {
        self.pages.get(&page).copied()
    }

    /// The number of kept pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether no page is kept.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}
