//! Calibration: from a raw score of a page to the log-odds that the page is on topic.
//!
//! The scores of pages on topic and of other pages are taken as two normal distributions of one
//! variance. Then the log-odds are linear in the score: they are 0 midway between the two means, and
//! the steeper the further the means lie apart. A score that cannot tell the two kinds of page apart
//! gives 0 everywhere.

use serde::{Deserialize, Serialize};

/// The largest log-odds, for or against, that one score can give.
pub(crate) const LOG_ODDS_MAX: f32 = 4.0;

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
