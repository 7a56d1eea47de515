//! The expanded set: every value near a fingerprint is stored, so one search answers a query.
//!
//! It is the counterpart of probing: the fastest query and the most memory. At k = 3 each fingerprint
//! takes 43,745 rows, so it suits short lists that are queried very often.

use super::{LookupError, NearSearch, masks};

/// Rows that are stored at most: 16 bytes each.
const ROWS_MAX: u128 = 1 << 24;

/// Pairs of a value and the fingerprint that it is near, sorted.
pub struct Expanded {
    rows: Vec<(u64, u64)>,
}

impl Expanded {
    pub fn new(list: &[u64], distance: u8) -> Result<Expanded, LookupError> {
        let values = masks::count(u32::from(distance), true) * list.len() as u128;
        if values > ROWS_MAX {
            return Err(LookupError::Expanded {
                distance,
                fingerprints: list.len(),
                values,
                max: ROWS_MAX,
            });
        }
        let mut rows = Vec::with_capacity(values as usize);
        for &fingerprint in list {
            masks::each(distance, |mask| {
                rows.push((fingerprint ^ mask, fingerprint))
            });
        }
        rows.sort_unstable();
        Ok(Expanded { rows })
    }
}

impl NearSearch for Expanded {
    fn near(&self, query: u64) -> (Vec<u64>, u64) {
        let from = self.rows.partition_point(|&(value, _)| value < query);
        let rows = self.rows[from..].iter();
        let near = rows
            .take_while(|&&(value, _)| value == query)
            .map(|&(_, fingerprint)| fingerprint);
        (near.collect(), 1)
    }
}
