//! A distribution of change rates, and what follows of it.
//!
//! Rates lie on a grid, two to an octave, from a change in eleven years to 16 a day. A distribution on
//! a grid can have two humps, as the pages of a site have (news, and all the rest), and needs no
//! family of curves. On this grid `e^(-rate * days)` is had by squaring: two exponentials give all.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// Rates on the grid.
pub const RATES: usize = 33;

/// Changes a day of the slowest rate.
const RATE_MIN: f64 = 1.0 / 4096.0;

/// How likely each rate of the grid is; sums to one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rates(Vec<f32>);

impl Rates {
    /// What is assumed of a page when nothing at all is known: a change in 45 days, give or take a
    /// factor of 16.
    pub fn of_the_web() -> Self {
        WEB.clone()
    }

    /// Weights of the rates, made to sum to one. Weights without a sum say nothing.
    pub fn normal(weights: impl Iterator<Item = f64>) -> Self {
        let mut given = [0.0; RATES];
        let mut count = 0;
        for (slot, weight) in given.iter_mut().zip(weights) {
            *slot = weight;
            count += 1;
        }
        let sum: f64 = given[..count].iter().sum();
        if count < RATES || !(sum > 0.0 && sum.is_finite()) {
            return Self(vec![1.0 / RATES as f32; RATES]);
        }
        Self(given.iter().map(|weight| (weight / sum) as f32).collect())
    }

    /// The likelihood of each rate.
    pub fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|share| f64::from(*share))
    }

    /// The expected number of changes a day.
    pub fn mean(&self) -> f64 {
        self.shares()
            .zip(grid())
            .map(|(share, rate)| share * rate)
            .sum()
    }

    /// How likely the page is as it was so many days ago.
    pub fn fresh(&self, days: f64) -> f64 {
        self.shares()
            .zip(survivals(days))
            .map(|(share, fresh)| share * fresh)
            .sum()
    }

    /// Days for which our copy is right that a visit adds, so many days after the one before: the limit
    /// of the gain of one more visit in a schedule with such pauses.
    pub fn marginal(&self, days: f64) -> f64 {
        let days = days.max(0.0);
        let survivals = survivals(days);
        let mut sum = 0.0;
        for ((share, rate), fresh) in self.shares().zip(grid()).zip(survivals) {
            let expected = rate * days;
            // The difference loses its digits where little was expected.
            let value = if expected < 1e-3 {
                0.5 * expected * expected
            } else {
                1.0 - fresh - expected * fresh
            };
            sum += share * value / rate;
        }
        sum
    }
}

static GRID: LazyLock<[f64; RATES]> =
    LazyLock::new(|| std::array::from_fn(|index| RATE_MIN * 2f64.powf(index as f64 / 2.0)));

static GRID_LOGS: LazyLock<[f64; RATES]> = LazyLock::new(|| GRID.map(f64::ln));

static WEB: LazyLock<Rates> = LazyLock::new(|| {
    let bell = |index: usize| {
        let octaves = index as f64 / 2.0 - 6.5;
        (-octaves * octaves / 32.0).exp()
    };
    Rates::normal((0..RATES).map(bell))
});

/// The rates of the grid, changes a day.
pub fn grid() -> impl Iterator<Item = f64> {
    GRID.iter().copied()
}

/// Their natural logarithms.
pub(crate) fn grid_logs() -> impl Iterator<Item = f64> {
    GRID_LOGS.iter().copied()
}

/// How likely no change is in so many days, for each rate of the grid.
pub fn survivals(days: f64) -> [f64; RATES] {
    let mut out = [1.0; RATES];
    let days = days.max(0.0);
    out[0] = (-RATE_MIN * days).exp();
    out[1] = (-RATE_MIN * std::f64::consts::SQRT_2 * days).exp();
    for index in 2..RATES {
        out[index] = out[index - 2] * out[index - 2];
    }
    out
}

/// [`Rates::marginal`] of a page whose rate is known.
pub fn marginal_of_rate(rate: f64, days: f64) -> f64 {
    let expected = rate * days;
    if expected < 1e-3 {
        return 0.5 * expected * days;
    }
    let fresh = (-expected).exp();
    (1.0 - fresh - expected * fresh) / rate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(index: usize) -> Rates {
        Rates::normal((0..RATES).map(|at| f64::from(u8::from(at == index))))
    }

    #[test]
    fn a_sure_rate_gives_the_value_of_that_rate() {
        for (index, rate) in grid().enumerate() {
            for days in [0.0, 1e-4, 0.01, 0.5, 3.0, 40.0, 900.0] {
                let (own, known) = (only(index).marginal(days), marginal_of_rate(rate, days));
                assert!(
                    (own - known).abs() <= 1e-5 * known.max(1e-9),
                    "{rate} {days}: {own} {known}"
                );
                let fresh = only(index).fresh(days);
                assert!((fresh - (-rate * days).exp()).abs() < 1e-6, "{rate} {days}");
            }
        }
    }

    #[test]
    fn a_visit_is_worth_more_the_longer_ago_the_last_one_was() {
        let rates = Rates::of_the_web();
        let mut before = 0.0;
        for step in 1..2_000 {
            let value = rates.marginal(f64::from(step) * 0.5);
            assert!(value > before, "{step}");
            before = value;
        }
    }

    #[test]
    fn weights_without_a_sum_say_nothing() {
        let flat = Rates::normal(std::iter::repeat_n(0.0, RATES));
        assert_eq!(flat, Rates::normal(std::iter::repeat_n(1.0, RATES)));
        assert_eq!(flat, Rates::normal(std::iter::repeat_n(f64::NAN, RATES)));
        assert!((Rates::of_the_web().shares().sum::<f64>() - 1.0).abs() < 1e-5);
    }
}
