//! What is remembered of fetched pages, found by page number and by URL.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;

use crate::learn::Mix;

/// Pages that are remembered; 32 bytes each, and 20 to find them.
const PAGES_MAX: usize = 1 << 20;

/// A fetched page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageRow {
    pub(crate) relevance: f32,
    /// Where the keywords stand on it, 0.0 to 1.0.
    pub(crate) evidence: f32,
    pub(crate) children: f32,
    pub(crate) children_reward: f32,
    /// Relevance of the pages with a link to it, summed, and their count.
    pub(crate) linked_sum: f32,
    pub(crate) linked_count: f32,
    /// How much it tells that a page links to it: little if many do.
    pub(crate) tells: f32,
    /// Links since the last relevant page.
    pub(crate) depth: u8,
}

impl PageRow {
    /// Notes pages with a link to it: their relevance, summed, and their count.
    pub(crate) fn add_linked(&mut self, sum: f32, count: f32) {
        self.linked_sum += sum;
        self.linked_count += count;
        self.tells = 1.0 / (2.0 + self.linked_count).ln();
    }
}

/// The fetched pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pages {
    rows: Vec<PageRow>,
    by_number: HashMap<u32, u32, BuildHasherDefault<Mix>>,
    by_url: HashMap<u32, u32, BuildHasherDefault<Mix>>,
}

impl Pages {
    /// Remembers a page, unless there are too many.
    pub(crate) fn insert(&mut self, number: u32, url: u32, row: PageRow) {
        if self.rows.len() >= PAGES_MAX {
            return;
        }
        let at = *self
            .by_number
            .entry(number)
            .or_insert(self.rows.len() as u32);
        self.by_url.insert(url, at);
        match self.rows.get_mut(at as usize) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&PageRow> {
        self.by_number
            .get(&number)
            .map(|&at| &self.rows[at as usize])
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut PageRow> {
        self.by_number
            .get(&number)
            .map(|&at| &mut self.rows[at as usize])
    }

    pub(crate) fn of_url(&self, url: u32) -> Option<&PageRow> {
        self.by_url.get(&url).map(|&at| &self.rows[at as usize])
    }

    pub(crate) fn of_url_mut(&mut self, url: u32) -> Option<&mut PageRow> {
        self.by_url.get(&url).map(|&at| &mut self.rows[at as usize])
    }
}
