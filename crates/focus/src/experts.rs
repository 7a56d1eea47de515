//! Several ways to tell what a link is worth, mixed by how well each has foretold so far.
//!
//! The learnt model is the best judge on most topics, and on some it is led astray: it learns from
//! verdicts, and where these are wrong it follows them. So it is one of four experts:
//!
//! * **learnt**: all signals (`signals.rs`), fitted to the outcomes;
//! * **plain**: how like keywords and examples the page with the link and the link's own words are.
//!   This is classic best-first, which nothing learnt from the crawl can mislead;
//! * **form**: how links of the same URL form, host and place on the page did, whatever their words;
//! * **breadth-first**: what was found early.
//!
//! Each gives a chance, `p_e`, that the page is relevant and new; the chance of the mixture is the sum
//! of `w_e * p_e`. Before an outcome is learnt from, each expert has foretold it (prequentially), and
//! its weight is multiplied by its likelihood to the power of [`RATE`]:
//!
//! ```text
//!   w_e <- w_e * likelihood_e ^ RATE        then normalised, and SHARE of all weight dealt out anew
//! ```
//!
//! What this guarantees (Vovk 1990; Herbster and Warmuth 1998): without the dealing out, for any topic
//! and any sequence of outcomes, the log loss of the mixture over the whole crawl is at most
//! `ln(1 / w_e) / RATE` above that of any expert `e`, `w_e` being its weight at the start. With it, a
//! crawl of `n` fetched links pays `n * SHARE / RATE` more at most, and an expert that turns out right late gets its say within
//! some dozens of links. That bounds how wrong the chances are, not how many pages are found; that is
//! measured (`docs/focus.md`).

use serde::{Deserialize, Serialize};

use crate::logistic::probability;
use crate::logistic_newton::{fit, weighted_sum};
use crate::signals::{Signal, Signals};

/// The number of experts.
pub(crate) const EXPERT_COUNT: usize = 4;
/// What they are called, in order.
pub(crate) const EXPERT_NAMES: [&str; EXPERT_COUNT] = ["learnt", "plain", "form", "breadth-first"];

/// The place of the plain expert.
pub(crate) const PLAIN: usize = 1;

/// Weights at the start.
const FIRST_WEIGHTS: [f32; EXPERT_COUNT] = [0.55, 0.25, 0.1, 0.1];
/// How fast weights follow the outcomes, 0.0 to 1.0. Links differ in much that no expert sees, so a
/// lead of a few outcomes says little.
const RATE: f32 = 0.1;
/// The share of all weight that is dealt out anew, as at the start, with each outcome.
const SHARE: f32 = 0.005;
/// No expert is surer than this that a link is good or bad.
const CHANCE_MIN: f32 = 0.01;

/// The plain expert: any link, and how like keywords and examples it is.
const PLAIN_PRIOR: [f32; 2] = [-2.5, 5.0];
/// The form expert: any link, and the signals of [`form_inputs`].
const FORM_PRIOR: [f32; 6] = [-1.0, 0.6, 0.3, 0.2, 0.3, 0.2];
/// The breadth-first expert: any link, and how late it was found.
const BREADTH_PRIOR: [f32; 2] = [-0.5, -1.0];

/// What each expert says of a link.
pub(crate) type Chances = [f32; EXPERT_COUNT];

/// The experts beside the learnt model, and the weights of all.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Experts {
    weights: [f32; EXPERT_COUNT],
    plain: [f32; 2],
    form: [f32; 6],
    breadth: [f32; 2],
}

impl Default for Experts {
    fn default() -> Experts {
        Experts {
            weights: FIRST_WEIGHTS,
            plain: PLAIN_PRIOR,
            form: FORM_PRIOR,
            breadth: BREADTH_PRIOR,
        }
    }
}

impl Experts {
    /// What each expert says of a link with these signals. `learnt` is what the learnt model says.
    pub(crate) fn chances(&self, signals: &Signals, learnt: f32) -> Chances {
        let chance = |sum: f32| probability(sum).clamp(CHANCE_MIN, 1.0 - CHANCE_MIN);
        [
            learnt.clamp(CHANCE_MIN, 1.0 - CHANCE_MIN),
            chance(weighted_sum(&plain_inputs(signals), &self.plain)),
            chance(weighted_sum(&form_inputs(signals), &self.form)),
            chance(weighted_sum(&breadth_inputs(signals), &self.breadth)),
        ]
    }

    /// The chance of the mixture.
    pub(crate) fn mixed(&self, chances: &Chances) -> f32 {
        let parts = chances.iter().zip(&self.weights);
        parts.map(|(chance, weight)| chance * weight).sum()
    }

    /// Takes in an outcome, 0.0 to 1.0, of a link of which the experts said this.
    pub(crate) fn observe(&mut self, chances: &Chances, outcome: f32) {
        for (weight, &chance) in self.weights.iter_mut().zip(chances) {
            *weight *= (-RATE * log_loss(chance, outcome)).exp();
        }
        let sum: f32 = self.weights.iter().sum();
        for (weight, first) in self.weights.iter_mut().zip(FIRST_WEIGHTS) {
            *weight = (1.0 - SHARE) * *weight / sum + SHARE * first;
        }
    }

    /// Fits the experts beside the learnt model to outcomes.
    pub(crate) fn train<'r>(&mut self, rows: impl Iterator<Item = (&'r Signals, f32)> + Clone) {
        let plain: Vec<_> = rows.clone().map(|(s, o)| (plain_inputs(s), o)).collect();
        let form: Vec<_> = rows.clone().map(|(s, o)| (form_inputs(s), o)).collect();
        let breadth: Vec<_> = rows.map(|(s, o)| (breadth_inputs(s), o)).collect();
        self.plain = fit(&PLAIN_PRIOR, &self.plain, by_reference(&plain));
        self.form = fit(&FORM_PRIOR, &self.form, by_reference(&form));
        self.breadth = fit(&BREADTH_PRIOR, &self.breadth, by_reference(&breadth));
    }

    /// The weight of each expert, by name.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (&'static str, f32)> + '_ {
        EXPERT_NAMES.into_iter().zip(self.weights)
    }
}

/// How wrong a chance was.
fn log_loss(chance: f32, outcome: f32) -> f32 {
    -(outcome * chance.ln() + (1.0 - outcome) * (1.0 - chance).ln())
}

fn by_reference<const N: usize>(
    rows: &[([f32; N], f32)],
) -> impl Iterator<Item = (&[f32; N], f32)> + Clone {
    rows.iter().map(|(inputs, outcome)| (inputs, *outcome))
}

fn plain_inputs(signals: &Signals) -> [f32; 2] {
    let of = |signal: Signal| signals[signal as usize];
    [1.0, 0.5 * (of(Signal::ParentPlain) + of(Signal::LinkPlain))]
}

fn form_inputs(signals: &Signals) -> [f32; 6] {
    let of = |signal: Signal| signals[signal as usize];
    [
        1.0,
        of(Signal::UrlForm),
        of(Signal::SiblingsAtTagPath),
        of(Signal::TagPath),
        of(Signal::Host),
        of(Signal::InMain),
    ]
}

fn breadth_inputs(signals: &Signals) -> [f32; 2] {
    [1.0, signals[Signal::FoundLate as usize]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::SIGNAL_COUNT;
    use proptest::prelude::*;

    /// The outcome of the hundredth link that `right` alone foretells.
    fn weights_where(right: usize) -> [f32; EXPERT_COUNT] {
        let mut experts = Experts::default();
        for number in 0..300 {
            let outcome = f32::from(u8::from(number % 3 == 0));
            let mut chances = [0.33; EXPERT_COUNT];
            chances[right] = 0.1 + 0.8 * outcome;
            experts.observe(&chances, outcome);
        }
        experts.weights
    }

    #[test]
    fn the_expert_that_foretells_best_has_most_of_the_weight() {
        for right in 0..EXPERT_COUNT {
            let weights = weights_where(right);
            assert!(weights[right] > 0.8, "{right}: {weights:?}");
        }
    }

    #[test]
    fn the_plain_expert_prefers_what_is_like_the_examples() {
        let experts = Experts::default();
        let chance = |plain: f32| {
            let mut signals: Signals = [0.0; SIGNAL_COUNT];
            signals[Signal::ParentPlain as usize] = plain;
            experts.chances(&signals, 0.5)[1]
        };
        assert!(chance(1.0) > chance(0.5) && chance(0.5) > chance(0.0));
    }

    proptest! {
        #[test]
        fn the_mixture_loses_hardly_more_than_any_expert_whatever_comes(
            rows in prop::collection::vec((prop::array::uniform4(0.01f32..0.99), 0u8..2), 1..400),
        ) {
            let mut experts = Experts::default();
            let (mut mixture, mut alone) = (0.0, [0.0; EXPERT_COUNT]);
            for (chances, outcome) in &rows {
                let outcome = f32::from(*outcome);
                mixture += log_loss(experts.mixed(chances), outcome);
                for (sum, &chance) in alone.iter_mut().zip(chances) {
                    *sum += log_loss(chance, outcome);
                }
                experts.observe(chances, outcome);
            }
            let outcomes = rows.len() as f32;
            for (at, first) in FIRST_WEIGHTS.into_iter().enumerate() {
                let regret = mixture - alone[at];
                let bound = (1.0 / first).ln() / RATE - outcomes * (1.0 - SHARE).ln() / RATE;
                prop_assert!(regret <= bound + 0.01, "{regret} of {bound}");
            }
            prop_assert!((experts.weights.iter().sum::<f32>() - 1.0).abs() < 1e-3);
        }
    }
}
