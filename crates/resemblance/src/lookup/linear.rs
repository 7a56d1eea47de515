//! Linear search: compares the query with every fingerprint.

use super::NearSearch;

/// A list that is read from end to end.
pub struct Linear {
    list: Vec<u64>,
    distance: u32,
}

impl Linear {
    pub fn new(list: Vec<u64>, distance: u8) -> Linear {
        Linear {
            list,
            distance: u32::from(distance),
        }
    }
}

impl NearSearch for Linear {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let near = |other: &&u64| (**other ^ query).count_ones() <= self.distance;
        let near = self.list.iter().filter(near).copied().collect();
        (near, self.list.len() as u64)
    }
}
