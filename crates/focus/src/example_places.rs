//! Where the examples are listed: the places of pages whose links lead to them.
//!
//! A list that holds an example holds its like: the courses of a department, the members of a group, the
//! pages of a manual. A place is a tag path of one page. That a page is linked from the place of an
//! example comes from nothing that the crawl has judged, so it can put right a judge that is mistaken;
//! how much it says is learnt (`page_classifier/beside.rs`), since the places of an encyclopedia's
//! examples are whole articles.
//!
//! Source: Wang, Cohen, *Language-independent set expansion of named entities using the web*, ICDM 2007.

use serde::{Deserialize, Serialize};

use crate::hashing::NumberMap;
use crate::link_features::LinkFeatures;
use crate::link_groups::sibling_key;
use crate::saved::pairs;

/// The places that link to examples.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct ExamplePlaces {
    /// By place, the first example found there, by the number of its URL.
    #[serde(with = "pairs")]
    first: NumberMap<u64, u32>,
    /// The examples that were found at a place of another.
    #[serde(with = "pairs")]
    beside_another: NumberMap<u32, ()>,
}

impl ExamplePlaces {
    /// Takes in a link to an example.
    pub(crate) fn add(&mut self, link: &LinkFeatures) {
        for &parent in &link.parents {
            let place = self.first.entry(sibling_key(parent, link));
            let first = *place.or_insert(link.url_id);
            if first != link.url_id {
                self.beside_another.insert(first, ());
                self.beside_another.insert(link.url_id, ());
            }
        }
    }

    /// Whether a link stands at a place of an example.
    pub(crate) fn has(&self, link: &LinkFeatures) -> bool {
        let mut places = link.parents.iter().map(|&page| sibling_key(page, link));
        places.any(|place| self.first.contains_key(&place))
    }

    /// Whether an example, by the number of its URL, stands at a place of another.
    pub(crate) fn has_another(&self, example: u32) -> bool {
        self.beside_another.contains_key(&example)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(url_id: u32, parent: u32, tag_path: u32) -> LinkFeatures {
        LinkFeatures {
            url_id,
            parents: [parent].into_iter().collect(),
            groups: [1, 1, tag_path],
            ..LinkFeatures::default()
        }
    }

    #[test]
    fn beside_an_example_is_what_the_same_page_links_to_in_the_same_way() {
        let mut places = ExamplePlaces::default();
        places.add(&link(7, 1, 5));
        assert!(places.has(&link(8, 1, 5)));
        assert!(!places.has(&link(8, 1, 6)) && !places.has(&link(8, 2, 5)));
    }

    #[test]
    fn an_example_is_beside_another_and_not_beside_itself() {
        let mut places = ExamplePlaces::default();
        places.add(&link(7, 1, 5));
        places.add(&link(7, 1, 5));
        places.add(&link(8, 2, 5));
        assert!(!places.has_another(7) && !places.has_another(8));
        places.add(&link(8, 1, 5));
        assert!(places.has_another(7) && places.has_another(8) && !places.has_another(9));
    }
}
