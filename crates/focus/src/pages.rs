//! What is remembered of fetched pages, found by page number and by URL.

use std::hash::BuildHasherDefault;

use hashbrown::HashMap;

use crate::learn::Mix;

/// Pages that are remembered; 32 bytes each, and 20 to find them.
const PAGES_MAX: usize = 1 << 20;
/// Numbers that pages can have: not every record of a journal is a page.
const NUMBERS_MAX: usize = 4 * PAGES_MAX;
/// The place of a number that is no page's.
const NOWHERE: u32 = u32::MAX;

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
    /// Places by number: each priority asks for a dozen.
    by_number: Vec<u32>,
    by_url: HashMap<u32, u32, BuildHasherDefault<Mix>>,
}

impl Pages {
    /// Remembers a page, unless there are too many.
    pub(crate) fn insert(&mut self, number: u32, url: u32, row: PageRow) {
        let number = number as usize;
        if self.rows.len() >= PAGES_MAX || number >= NUMBERS_MAX {
            return;
        }
        if number >= self.by_number.len() {
            self.by_number.resize(number + 1, NOWHERE);
        }
        let at = &mut self.by_number[number];
        match self.rows.get_mut(*at as usize) {
            Some(known) => *known = row,
            None => {
                *at = self.rows.len() as u32;
                self.rows.push(row);
            }
        }
        self.by_url.insert(url, *at);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&PageRow> {
        let at = *self.by_number.get(number as usize)?;
        self.rows.get(at as usize)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut PageRow> {
        let at = *self.by_number.get(number as usize)?;
        self.rows.get_mut(at as usize)
    }

    pub(crate) fn of_url(&self, url: u32) -> Option<&PageRow> {
        self.by_url.get(&url).map(|&at| &self.rows[at as usize])
    }

    pub(crate) fn of_url_mut(&mut self, url: u32) -> Option<&mut PageRow> {
        self.by_url.get(&url).map(|&at| &mut self.rows[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_number_and_url_and_no_number_costs_more_than_the_bound() {
        let mut pages = Pages::default();
        let row = |depth| PageRow {
            depth,
            ..PageRow::default()
        };
        for (number, depth) in [(7, 1), (3, 2), (7, 3), (u32::MAX, 4)] {
            pages.insert(number, 100 + depth, row(depth as u8));
        }
        let depth = |number| pages.get(number).map(|row| row.depth);
        assert_eq!(
            [7, 3, 5, u32::MAX].map(depth),
            [Some(3), Some(2), None, None]
        );
        assert_eq!(pages.of_url(103).map(|row| row.depth), Some(3));
        assert!(pages.of_url(104).is_none());
        assert!(pages.by_number.len() <= NUMBERS_MAX);
    }
}
