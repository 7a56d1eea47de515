//! What the link model remembers of the pages that were fetched, by page number and by URL.

use std::collections::VecDeque;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hashing::NumberMap;

/// Pages that are remembered: 40 bytes each, and 20 to find them. Of more, those fetched first are
/// forgotten.
const PAGES_MAX: usize = 1 << 20;
/// Page numbers per page that are remembered: not every record of a journal is a page.
const NUMBERS_PER_PAGE: usize = 4;
/// Stands for a number that no page has.
const NO_PAGE: u32 = u32::MAX;

/// A fetched page.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
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
    /// A place that links to an example linked to it when it was read.
    pub(crate) beside_example: bool,
}

impl FetchedPage {
    /// Adds pages that link to it: the sum of their relevance, and their number.
    pub(crate) fn add_parents(&mut self, relevance: f32, count: f32) {
        self.parent_relevance += relevance;
        self.parent_count += count;
        self.link_weight = 1.0 / (2.0 + self.parent_count).ln();
    }
}

/// A page, and what it is found by.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Remembered {
    number: u32,
    url_id: u32,
    page: FetchedPage,
}

/// The fetched pages.
#[derive(Debug, Clone)]
pub(crate) struct FetchedPages {
    pages_max: usize,
    /// In the order of their fetches.
    pages: VecDeque<Remembered>,
    /// Pages forgotten so far. A page's place is counted from the first page ever.
    forgotten: u32,
    /// The number that `by_number` begins with.
    first_number: u32,
    /// Places by page number. A plain table, because each link score reads a dozen.
    by_number: VecDeque<u32>,
    by_url: NumberMap<u32, u32>,
}

impl Default for FetchedPages {
    fn default() -> Self {
        FetchedPages::with_max(PAGES_MAX)
    }
}

impl FetchedPages {
    fn with_max(pages_max: usize) -> FetchedPages {
        FetchedPages {
            pages_max,
            pages: VecDeque::new(),
            forgotten: 0,
            first_number: 0,
            by_number: VecDeque::new(),
            by_url: NumberMap::default(),
        }
    }

    /// Remembers a page, in the place of an earlier one of its number. Where there are too many, those
    /// fetched first are forgotten.
    pub(crate) fn insert(&mut self, number: u32, url_id: u32, page: FetchedPage) {
        // A number before the first is that of a page forgotten long ago.
        if number == u32::MAX || number < self.first_number {
            return;
        }
        let remembered = Remembered {
            number,
            url_id,
            page,
        };
        if let Some(known) = self.at(number) {
            let place = self.forgotten.wrapping_add(known as u32);
            let before = std::mem::replace(&mut self.pages[known], remembered);
            self.forget_url(before.url_id, place);
            self.by_url.insert(url_id, place);
            return;
        }
        self.make_room_for(number);
        let row = (number - self.first_number) as usize;
        if row >= self.by_number.len() {
            self.by_number.resize(row + 1, NO_PAGE);
        }
        let place = self.forgotten.wrapping_add(self.pages.len() as u32);
        self.by_number[row] = place;
        self.by_url.insert(url_id, place);
        self.pages.push_back(remembered);
    }

    pub(crate) fn get(&self, number: u32) -> Option<&FetchedPage> {
        Some(&self.pages[self.at(number)?].page)
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut FetchedPage> {
        let at = self.at(number)?;
        Some(&mut self.pages[at].page)
    }

    pub(crate) fn of_url(&self, url_id: u32) -> Option<&FetchedPage> {
        let at = self.of_place(*self.by_url.get(&url_id)?)?;
        Some(&self.pages[at].page)
    }

    pub(crate) fn of_url_mut(&mut self, url_id: u32) -> Option<&mut FetchedPage> {
        let at = self.of_place(*self.by_url.get(&url_id)?)?;
        Some(&mut self.pages[at].page)
    }

    /// Where in `pages` a number is.
    fn at(&self, number: u32) -> Option<usize> {
        let row = number.checked_sub(self.first_number)?;
        self.of_place(*self.by_number.get(row as usize)?)
    }

    /// Where in `pages` a place is, unless its page was forgotten.
    fn of_place(&self, place: u32) -> Option<usize> {
        let at = place.wrapping_sub(self.forgotten) as usize;
        (place != NO_PAGE && at < self.pages.len()).then_some(at)
    }

    fn make_room_for(&mut self, number: u32) {
        let numbers_max = NUMBERS_PER_PAGE * self.pages_max;
        let is_full = |pages: &Self| pages.pages.len() >= pages.pages_max;
        while is_full(self) || (number - self.first_number) as usize >= numbers_max {
            let Some(first) = self.pages.pop_front() else {
                self.by_number.clear();
                self.first_number = number;
                return;
            };
            self.forget_url(first.url_id, self.forgotten);
            self.forgotten = self.forgotten.wrapping_add(1);
            while let Some(&place) = self.by_number.front()
                && self.of_place(place).is_none()
            {
                self.by_number.pop_front();
                self.first_number += 1;
            }
        }
    }

    fn forget_url(&mut self, url_id: u32, place: u32) {
        if self.by_url.get(&url_id) == Some(&place) {
            self.by_url.remove(&url_id);
        }
    }
}

impl Serialize for FetchedPages {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (self.first_number, &self.pages).serialize(to)
    }
}

impl<'de> Deserialize<'de> for FetchedPages {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (first_number, pages) = <(u32, Vec<Remembered>)>::deserialize(from)?;
        let mut all = FetchedPages {
            first_number,
            ..FetchedPages::default()
        };
        for known in pages {
            all.insert(known.number, known.url_id, known.page);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(distance: u8) -> FetchedPage {
        FetchedPage {
            distance,
            ..FetchedPage::default()
        }
    }

    fn distance(pages: &FetchedPages, number: u32) -> Option<u8> {
        pages.get(number).map(|page| page.distance)
    }

    #[test]
    fn pages_are_found_by_number_and_url_and_no_number_costs_more_than_the_bound() {
        let mut pages = FetchedPages::default();
        for (number, distance) in [(7, 1), (3, 2), (7, 3), (u32::MAX, 4)] {
            pages.insert(number, 100 + u32::from(distance), page(distance));
        }
        let distances = [7, 3, 5, u32::MAX].map(|number| distance(&pages, number));
        assert_eq!(distances, [Some(3), Some(2), None, None]);
        assert_eq!(pages.of_url(103).map(|page| page.distance), Some(3));
        assert!(pages.of_url(104).is_none());
        // All before it are too far away to be remembered with it.
        pages.insert(u32::MAX - 1, 9, page(5));
        assert_eq!(pages.by_number.len(), 1);
        assert_eq!(distance(&pages, u32::MAX - 1), Some(5));
        assert_eq!(distance(&pages, 7), None);
    }

    #[test]
    fn at_the_bound_the_pages_fetched_first_are_forgotten() {
        let mut pages = FetchedPages::with_max(3);
        for number in [2, 4, 6, 8, 10] {
            // Two pages have one URL, and the later one is found by it.
            pages.insert(number, number / 4, page(number as u8));
        }
        let known = [2, 4, 6, 8, 10].map(|number| distance(&pages, number).is_some());
        assert_eq!(known, [false, false, true, true, true]);
        let of_url = [0, 1, 2].map(|url| pages.of_url(url).map(|page| page.distance));
        assert_eq!(of_url, [None, Some(6), Some(10)]);
        assert_eq!((pages.by_number.len(), pages.by_url.len()), (5, 2));
        // Numbers without pages take room as well.
        pages.insert(20, 9, page(20));
        let known = [6, 8, 10, 20].map(|number| distance(&pages, number).is_some());
        assert_eq!(known, [false, false, true, true]);
    }

    #[test]
    fn what_was_saved_is_what_was_known() {
        let mut pages = FetchedPages::default();
        for number in 5..40 {
            pages.insert(number, number / 2, page(number as u8));
        }
        let saved = serde_json::to_string(&pages).unwrap();
        let again: FetchedPages = serde_json::from_str(&saved).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), saved);
        assert_eq!(again.of_url(7).map(|page| page.distance), Some(15));
    }
}
