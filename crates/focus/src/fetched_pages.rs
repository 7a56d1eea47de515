//! What the link model remembers of the pages that were fetched, by page number and by URL.

use crate::hashing::NumberMap;

/// Pages that are remembered: 32 bytes each, and 20 to find them.
const PAGES_MAX: usize = 1 << 20;
/// Page numbers are below this. Not every record of a journal is a page, so they have gaps.
const NUMBERS_MAX: usize = 4 * PAGES_MAX;
/// Stands for a number that no page has.
const NO_PAGE: u32 = u32::MAX;

/// A fetched page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FetchedPage {
    pub(crate) relevance: f32,
    /// The keywords' score of the page, 0.0 to 1.0.
    pub(crate) keyword_score: f32,
    /// How like the user's own words it is: see `PageClassifier::plain_score`.
    pub(crate) plain: f32,
    /// Links on it that were fetched, and the sum of their rewards.
    pub(crate) fetched_links: f32,
    pub(crate) fetched_reward: f32,
    /// The sum of the relevance of the pages that link to it, and their number.
    pub(crate) parent_relevance: f32,
    pub(crate) parent_count: f32,
    /// How much a link to it says of the page with the link: little if many pages have one.
    pub(crate) link_weight: f32,
    /// Links on the way to it since the last page about the topic.
    pub(crate) distance: u8,
}

impl FetchedPage {
    /// Adds pages that link to it: the sum of their relevance, and their number.
    pub(crate) fn add_parents(&mut self, relevance: f32, count: f32) {
        self.parent_relevance += relevance;
        self.parent_count += count;
        self.link_weight = 1.0 / (2.0 + self.parent_count).ln();
    }
}

/// The fetched pages.
#[derive(Debug, Clone, Default)]
pub(crate) struct FetchedPages {
    pages: Vec<FetchedPage>,
    /// Places in `pages` by page number. A plain table, because each link score reads a dozen.
    by_number: Vec<u32>,
    by_url: NumberMap<u32, u32>,
}

impl FetchedPages {
    /// Remembers a page, in the place of an earlier one of its number; not when there are too many.
    pub(crate) fn insert(&mut self, number: u32, url_id: u32, page: FetchedPage) {
        let number = number as usize;
        if self.pages.len() >= PAGES_MAX || number >= NUMBERS_MAX {
            return;
        }
        if number >= self.by_number.len() {
            self.by_number.resize(number + 1, NO_PAGE);
        }
        let at = &mut self.by_number[number];
        match self.pages.get_mut(*at as usize) {
            Some(known) => *known = page,
            None => {
                *at = self.pages.len() as u32;
                self.pages.push(page);
            }
        }
        self.by_url.insert(url_id, *at);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&FetchedPage> {
        let at = *self.by_number.get(number as usize)?;
        self.pages.get(at as usize)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut FetchedPage> {
        let at = *self.by_number.get(number as usize)?;
        self.pages.get_mut(at as usize)
    }

    pub(crate) fn of_url(&self, url_id: u32) -> Option<&FetchedPage> {
        let at = self.by_url.get(&url_id)?;
        Some(&self.pages[*at as usize])
    }

    pub(crate) fn of_url_mut(&mut self, url_id: u32) -> Option<&mut FetchedPage> {
        let at = self.by_url.get(&url_id)?;
        Some(&mut self.pages[*at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_by_number_and_url_and_no_number_costs_more_than_the_bound() {
        let mut pages = FetchedPages::default();
        let page = |distance| FetchedPage {
            distance,
            ..FetchedPage::default()
        };
        for (number, distance) in [(7, 1), (3, 2), (7, 3), (u32::MAX, 4)] {
            pages.insert(number, 100 + distance, page(distance as u8));
        }
        let distance = |number| pages.get(number).map(|page| page.distance);
        assert_eq!(
            [7, 3, 5, u32::MAX].map(distance),
            [Some(3), Some(2), None, None]
        );
        assert_eq!(pages.of_url(103).map(|page| page.distance), Some(3));
        assert!(pages.of_url(104).is_none());
        assert!(pages.by_number.len() <= NUMBERS_MAX);
    }
}
