//! Comparing with all, and asking for all: the two plain ways.

use super::{LookupError, Searched, masks};

/// Most values that probing asks for: at five flips, 8.3 million. Six would be 83 million.
const PROBES_MAX: u128 = 10_000_000;

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

impl Searched for Linear {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let near = |other: &&u64| (**other ^ query).count_ones() <= self.distance;
        let near = self.list.iter().filter(near).copied().collect();
        (near, self.list.len() as u64)
    }
}

/// A sorted list that is asked for every value near the query.
pub struct Probing {
    sorted: Vec<u64>,
    distance: u8,
}

impl Probing {
    pub fn new(mut list: Vec<u64>, distance: u8) -> Result<Probing, LookupError> {
        let values = masks::count(u32::from(distance), true);
        if values > PROBES_MAX {
            return Err(LookupError::Probes {
                distance,
                values,
                max: PROBES_MAX,
            });
        }
        list.sort_unstable();
        Ok(Probing {
            sorted: list,
            distance,
        })
    }
}

impl Searched for Probing {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let (mut near, mut asked) = (Vec::new(), 0);
        masks::each(self.distance, |mask| {
            asked += 1;
            if self.sorted.binary_search(&(query ^ mask)).is_ok() {
                near.push(query ^ mask);
            }
        });
        (near, asked)
    }
}
