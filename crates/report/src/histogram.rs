//! Counts by size: fine enough to read quantiles off, and gathered into steps that double to draw.
//!
//! A value below 64 has a cell of its own. Above, each doubling is cut into 32 cells, as HDR
//! histograms do, so a cell is 1/32 of its smallest value wide. A quantile is read as the upper end
//! of its cell within what was seen: never below the true one, and at most 3.2 % above it. The mean
//! and the largest value are exact.
//!
//! Only cells with values are kept, 16 bytes each: a host whose answers differ by a factor of ten
//! has some hundred, and none can have more than 1,920.

use serde::{Deserialize, Serialize};

/// Bits of a value that tell its cell, the leading one included.
const BITS: u32 = 6;

/// Cells of a doubling.
const CELLS: u64 = 1 << (BITS - 1);

/// Counts of values by cell.
#[derive(Debug, Clone, Default)]
pub struct Histogram {
    /// Number of the cell and count, by number.
    cells: Vec<(u16, u64)>,
    count: u64,
    sum: u128,
    max: u64,
}

/// A distribution as the report shows it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Distribution {
    /// How many values there are.
    pub count: u64,
    /// Their sum.
    pub total: u64,
    /// Their mean.
    pub mean: f64,
    /// Half of them are not above this; exact below 64, else at most 3.2 % too large.
    pub median: u64,
    /// Nineteen of twenty are not above this; as exact as the median.
    pub p95: u64,
    /// The largest.
    pub max: u64,
    /// Steps that double, from the first that has values to the last.
    pub steps: Vec<Step>,
}

/// Values from `from` to `to`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Step {
    /// Smallest value of the step.
    pub from: u64,
    /// Largest value of the step.
    pub to: u64,
    /// Values in it.
    pub count: u64,
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        let cell = cell_of(value);
        match self.cells.binary_search_by_key(&cell, |(cell, _)| *cell) {
            Ok(at) => self.cells[at].1 += 1,
            Err(at) => self.cells.insert(at, (cell, 1)),
        }
        self.count += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// The value that a share of all values, 0.0 to 1.0, does not exceed.
    pub fn quantile(&self, share: f64) -> u64 {
        let rank = (share * self.count as f64).ceil() as u64;
        let mut below = 0;
        for (cell, count) in &self.cells {
            below += count;
            if below >= rank {
                return end_of(*cell).min(self.max);
            }
        }
        self.max
    }

    /// The mean; 0.0 without values.
    pub fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => self.sum as f64 / count as f64,
        }
    }

    /// The figures for the report.
    pub fn distribution(&self) -> Distribution {
        Distribution {
            count: self.count,
            total: u64::try_from(self.sum).unwrap_or(u64::MAX),
            mean: self.mean(),
            median: self.quantile(0.5),
            p95: self.quantile(0.95),
            max: self.max,
            steps: self.steps(),
        }
    }

    /// The cells gathered into steps that double.
    fn steps(&self) -> Vec<Step> {
        let mut counts = [0; 65];
        for (cell, count) in &self.cells {
            counts[step_of(end_of(*cell))] += count;
        }
        let is_filled = |at: &usize| counts[*at] > 0;
        let first = (0..65).find(is_filled).unwrap_or(0);
        let last = (0..65).rfind(is_filled);
        let steps = last.map_or(0..0, |last| first..last + 1).map(|step| {
            let (from, to) = bounds(step);
            Step {
                from,
                to,
                count: counts[step],
            }
        });
        steps.collect()
    }
}

/// The cell of a value: the value itself while it is small, then its leading bits and how many follow.
fn cell_of(value: u64) -> u16 {
    let bits = u64::BITS - value.leading_zeros();
    let dropped = bits.saturating_sub(BITS);
    let cell = u64::from(dropped) * CELLS + (value >> dropped);
    u16::try_from(cell).expect("64 bits have fewer than 2,000 cells")
}

/// The largest value of a cell.
fn end_of(cell: u16) -> u64 {
    let cell = u64::from(cell);
    let dropped = (cell / CELLS).saturating_sub(1);
    let leading = cell - dropped * CELLS;
    (leading << dropped) | ((1 << dropped) - 1)
}

/// The step of a value: 0 for zero, else how many bits it has.
fn step_of(value: u64) -> usize {
    (u64::BITS - value.leading_zeros()) as usize
}

fn bounds(step: usize) -> (u64, u64) {
    match step {
        0 => (0, 0),
        64 => (1 << 63, u64::MAX),
        step => (1 << (step - 1), (1 << step) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_sum_to_the_count_and_quantiles_stay_within_what_was_seen() {
        let mut histogram = Histogram::default();
        for value in [0, 1, 2, 3, 100, 100, 100, 900, u64::MAX] {
            histogram.add(value);
        }
        let all = histogram.distribution();
        assert_eq!(all.count, all.steps.iter().map(|s| s.count).sum::<u64>());
        assert_eq!((all.median, all.max), (101, u64::MAX));
        assert_eq!(Histogram::default().distribution().steps, []);
        assert_eq!(Histogram::default().distribution().median, 0);
    }

    #[test]
    fn quantiles_are_near_the_true_ones() {
        // They were the ends of steps that double: 63 for answers of 34, above their mean.
        let mut histogram = Histogram::default();
        (0..29).for_each(|_| histogram.add(34));
        histogram.add(500);
        let all = histogram.distribution();
        assert_eq!((all.median, all.p95, all.max), (34, 34, 500));

        let mut histogram = Histogram::default();
        (1..=10_000_u64).for_each(|n| histogram.add(n * n));
        for share in [0.01, 0.5, 0.9, 0.95, 1.0] {
            let exact = (share * 10_000.0_f64).powi(2);
            let read = histogram.quantile(share) as f64;
            assert!((exact..=exact * 1.032).contains(&read), "{share}: {read}");
        }
    }

    #[test]
    fn every_value_lies_in_its_cell_and_its_step() {
        let mut value = 1_u64;
        let mut last = 0;
        while value < u64::MAX / 2 {
            for value in [value - 1, value, value + value / 3] {
                let cell = cell_of(value);
                let end = end_of(cell);
                assert!(value <= end && cell_of(end) == cell, "{value}");
                assert!(
                    end.checked_add(1)
                        .is_none_or(|next| cell_of(next) == cell + 1)
                );
                let (from, to) = bounds(step_of(end));
                assert!((from..=to).contains(&value), "{value}");
            }
            assert!(cell_of(value) >= last, "{value}");
            last = cell_of(value);
            value *= 2;
        }
        assert_eq!((cell_of(u64::MAX), end_of(1919)), (1919, u64::MAX));
    }
}
