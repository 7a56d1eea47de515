//! Calibration: from a raw score of a page to the log-odds that the page is on topic.
//!
//! The scores of pages on topic and of other pages are taken as two normal distributions of one
//! variance. Then the log-odds are linear in the score: they are 0 midway between the two means, and
//! the steeper the further the means lie apart. A score that cannot tell the two kinds of page apart
//! gives 0 everywhere.
//!
//! And from the sum of all log-odds to the probability that is told.

use serde::{Deserialize, Serialize};

use crate::logistic::{log_odds, probability};

/// The largest log-odds, for or against, that one score can give.
pub(crate) const LOG_ODDS_MAX: f32 = 4.0;

/// The share of the log-odds in favour of a page that is told. The opinions are added up as if each were
/// news, and three of the five read the same words: what speaks for a page is counted more than once.
/// That none of them sees the topic is rarely wrong, so what speaks against a page is told in full.
const TOLD_IN_FAVOUR: f32 = 0.33;

/// The log-odds to tell, where the opinions add up to `sum`. Even odds stay even.
pub(crate) fn told_log_odds(sum: f32) -> f32 {
    if sum > 0.0 { TOLD_IN_FAVOUR * sum } else { sum }
}

/// The probability to tell, from that by the sum of the opinions, which is what the models learn from.
pub(crate) fn told(summed: f32) -> f32 {
    if summed > 0.5 {
        probability(told_log_odds(log_odds(summed)))
    } else {
        summed
    }
}

/// The probability by the sum of the opinions, from the one that was told.
pub(crate) fn summed(told: f32) -> f32 {
    if told > 0.5 {
        probability(log_odds(told) / TOLD_IN_FAVOUR)
    } else {
        told
    }
}

/// How one score is turned into log-odds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Calibration {
    /// The mean score of pages on topic.
    pub(crate) on_topic: f32,
    /// The mean score of other pages.
    pub(crate) off_topic: f32,
    pub(crate) variance: f32,
}

impl Calibration {
    /// The calibration from scores of both kinds of page. `variance_min` keeps it from being steep
    /// where few scores are known.
    pub(crate) fn of(on_topic: &Moments, off_topic: &Moments, variance_min: f32) -> Calibration {
        Calibration {
            on_topic: on_topic.mean(),
            off_topic: off_topic.mean(),
            variance: 0.5 * (on_topic.variance() + off_topic.variance()) + variance_min,
        }
    }

    /// The log-odds that a page with this score is on topic, without its prior odds.
    pub(crate) fn log_odds(&self, score: f32) -> f32 {
        let distance = (self.on_topic - self.off_topic).max(0.0);
        let middle = 0.5 * (self.on_topic + self.off_topic);
        (distance / self.variance * (score - middle)).clamp(-LOG_ODDS_MAX, LOG_ODDS_MAX)
    }
}

/// Weighted mean and variance of scores.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    weight: f32,
    sum: f32,
    squares: f32,
}

impl Moments {
    pub(crate) fn add(&mut self, score: f32, weight: f32) {
        self.weight += weight;
        self.sum += weight * score;
        self.squares += weight * score * score;
    }

    fn mean(&self) -> f32 {
        self.sum / self.weight.max(1e-3)
    }

    fn variance(&self) -> f32 {
        (self.squares / self.weight.max(1e-3) - self.mean() * self.mean()).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_told_can_be_taken_back_and_keeps_order_and_verdict(
            a in 0.000_2f32..0.999_8,
            b in 0.000_2f32..0.999_8,
        ) {
            prop_assert!((log_odds(summed(told(a))) - log_odds(a)).abs() < 0.01, "{a}");
            prop_assert!(a >= b || told(a) <= told(b));
            prop_assert_eq!(a >= 0.5, told(a) >= 0.5);
            prop_assert!((told(a) - 0.5).abs() <= (a - 0.5).abs() + 1e-6);
        }
    }
}
