//! Counts by size, in steps that double: enough to draw a distribution and to read quantiles off.
//!
//! Step 0 holds zero, step n holds values of n bits, that is 2^(n-1) to 2^n - 1. A quantile is
//! read as the upper end of its step within what was seen, so it is off by a factor of two at
//! most; the mean and the largest value are exact.

use serde::{Deserialize, Serialize};

/// Counts of values by doubling steps.
#[derive(Debug, Clone)]
pub struct Histogram {
    steps: [u64; 65],
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
    /// Half of them are not above this; read off the steps.
    pub median: u64,
    /// Nineteen of twenty are not above this; read off the steps.
    pub p95: u64,
    /// The largest.
    pub max: u64,
    /// The steps that have values in or around them, in order.
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

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            steps: [0; 65],
            count: 0,
            sum: 0,
            max: 0,
        }
    }
}

impl Histogram {
    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        self.steps[step_of(value)] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// The value that a share of all values, 0.0 to 1.0, does not exceed.
    pub fn quantile(&self, share: f64) -> u64 {
        let rank = (share * self.count as f64).ceil() as u64;
        let mut below = 0;
        for (step, count) in self.steps.iter().enumerate() {
            below += count;
            if below >= rank.max(1) && *count > 0 {
                return bounds(step).1.min(self.max);
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
        let filled = |at: &usize| self.steps[*at] > 0;
        let first = (0..65).find(filled).unwrap_or(0);
        let last = (0..65).rfind(filled);
        let steps = last.map_or(0..0, |last| first..last + 1).map(|step| {
            let (from, to) = bounds(step);
            Step {
                from,
                to,
                count: self.steps[step],
            }
        });
        Distribution {
            count: self.count,
            total: u64::try_from(self.sum).unwrap_or(u64::MAX),
            mean: self.mean(),
            median: self.quantile(0.5),
            p95: self.quantile(0.95),
            max: self.max,
            steps: steps.collect(),
        }
    }
}

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
        assert_eq!((all.median, all.max), (127, u64::MAX));
        assert_eq!(Histogram::default().distribution().steps, []);
    }
}
