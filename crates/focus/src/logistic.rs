//! The logistic function and its inverse.

/// The probability that belongs to these log-odds; never exactly 0 or 1.
pub(crate) fn probability(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds.clamp(-15.0, 15.0)).exp())
}

/// The log-odds of a probability, which is first moved away from 0 and 1.
pub(crate) fn log_odds(probability: f32) -> f32 {
    let p = probability.clamp(1e-4, 1.0 - 1e-4);
    (p / (1.0 - p)).ln()
}
