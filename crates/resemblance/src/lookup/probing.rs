//! Probing: searches a sorted list for every value near the query.

use super::{LookupError, NearSearch, masks};

/// Values that are searched for at most: at five flips there are 8.3 million, at six 83 million.
const PROBES_MAX: u128 = 10_000_000;

/// A sorted list.
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

impl NearSearch for Probing {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let (mut near, mut probes) = (Vec::new(), 0);
        masks::each(self.distance, |mask| {
            probes += 1;
            if self.sorted.binary_search(&(query ^ mask)).is_ok() {
                near.push(query ^ mask);
            }
        });
        (near, probes)
    }
}
