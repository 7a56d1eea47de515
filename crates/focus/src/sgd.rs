//! Logistic regression over words, by stochastic gradient descent, with two-fold cross-fitting.
//!
//! Three models are trained in one pass over the rows: one on all rows, and one on each half of
//! them. A row's score under the model of the other half is what the model gives to a page it was
//! not trained on. Each row updates the first model and that of its half, so its terms are read once
//! for both.

use crate::hashing::split_mix;
use crate::logistic::probability;
use crate::sparse_vectors::{NumberedTerm, UnitVectors};

/// Passes over the rows.
const EPOCHS: u32 = 6;
/// The learning rate of the first epoch; that of epoch n is a (1 + n)-th of it.
const LEARNING_RATE: f32 = 2.0;
/// The largest weight that a row can have in one step.
const ROW_WEIGHT_MAX: f32 = 3.0;
/// The bias learns slower than the weights, by this factor.
const BIAS_RATE: f32 = 0.1;
/// L2 regularisation: the share of a weight that is lost in a step, at a learning rate of 1.
const WEIGHT_DECAY: f32 = 1e-3;
/// The place of the model of all rows; those of the halves follow.
const ALL: usize = 0;

/// A page to learn from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    /// The page's place among the vectors.
    pub(crate) at: usize,
    /// 1.0 for a page on topic, 0.0 for another.
    pub(crate) label: f32,
    pub(crate) weight: f32,
}

/// A term's weight in the model of all rows, of one half, and of the other. The fourth is unused:
/// the processor works on four at once.
type Weights = [f32; 4];

/// The trained models.
#[derive(Debug)]
pub(crate) struct Models {
    seed: u64,
    /// By the terms' numbers.
    weights: Vec<Weights>,
    biases: [f32; 3],
}

impl Models {
    /// Trains on the rows, in an order that depends on the seed alone.
    pub(crate) fn train(
        rows: &mut [Row],
        vectors: &UnitVectors,
        term_count: usize,
        seed: u64,
    ) -> Models {
        let mut models = Models {
            seed,
            weights: vec![Weights::default(); term_count],
            biases: [0.0; 3],
        };
        for epoch in 0..EPOCHS {
            rows.sort_by_cached_key(|row| split_mix(seed ^ u64::from(epoch) << 40 ^ row.at as u64));
            let rate = LEARNING_RATE / (1.0 + epoch as f32);
            for row in &*rows {
                models.step(row, vectors.get(row.at), rate);
            }
        }
        models
    }

    fn step(&mut self, row: &Row, vector: &[NumberedTerm], rate: f32) {
        let half = 1 + self.half(row.at);
        let scores = self.scores(vector);
        let gradient = |score: f32| {
            let error = row.label - probability(score);
            rate * row.weight.min(ROW_WEIGHT_MAX) * error
        };
        let of_all = gradient(self.biases[ALL] + scores[ALL]);
        let of_half = gradient(self.biases[half] + scores[half]);
        self.biases[ALL] += BIAS_RATE * of_all;
        self.biases[half] += BIAS_RATE * of_half;
        let (mut steps, mut decay) = (Weights::default(), Weights::default());
        (steps[ALL], steps[half]) = (of_all, of_half);
        (decay[ALL], decay[half]) = (WEIGHT_DECAY * rate, WEIGHT_DECAY * rate);
        for &(number, x) in vector {
            let weights = &mut self.weights[number as usize];
            for ((weight, step), decay) in weights.iter_mut().zip(steps).zip(decay) {
                *weight += step * x - decay * *weight;
            }
        }
    }

    /// The score of a page under each model, without the biases. Each score is added up in four
    /// sums, so that no addition waits for the one before it.
    fn scores(&self, vector: &[NumberedTerm]) -> Weights {
        let mut sums = [Weights::default(); 4];
        for terms in vector.chunks(4) {
            for (sum, &(number, x)) in sums.iter_mut().zip(terms) {
                for (sum, weight) in sum.iter_mut().zip(self.weights[number as usize]) {
                    *sum += x * weight;
                }
            }
        }
        std::array::from_fn(|model| sums.iter().map(|sum| sum[model]).sum())
    }

    /// To which half a page belongs: 0 or 1.
    fn half(&self, at: usize) -> usize {
        (split_mix(self.seed ^ 77 ^ at as u64) & 1) as usize
    }

    /// The score of a page under the model of the half that it does not belong to.
    pub(crate) fn held_out_score(&self, at: usize, vector: &[NumberedTerm]) -> f32 {
        let other = 2 - self.half(at);
        self.biases[other] + self.scores(vector)[other]
    }

    /// The bias of the model of all rows.
    pub(crate) fn bias(&self) -> f32 {
        self.biases[ALL]
    }

    /// The weights of the model of all rows, by the terms' numbers.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.weights.iter().map(|weights| weights[ALL])
    }
}
