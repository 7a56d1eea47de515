//! Words and their weights: logistic regression by stochastic gradient descent.
//!
//! Three models are trained in one walk over the rows: one of all rows, and one of each half of
//! them, which tells what is to be expected of a row that was not trained on. Each row moves the
//! first model and that of its half, so a page's terms are read once for both.

use crate::lexicon::{KeptTerm, Vectors};
use crate::relevance::{mix, probability};

const EPOCHS: u32 = 6;
/// The model of all rows; those of the halves follow.
const ALL: usize = 0;

/// A page to learn from, and what is wanted of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) at: usize,
    pub(crate) wanted: f32,
    pub(crate) weight: f32,
}

/// A term's weights of all rows, of one half, of the other, and of nothing: four are reckoned with
/// at once.
type Weights = [f32; 4];

/// What was learnt: weights by the terms' numbers.
#[derive(Debug)]
pub(crate) struct Models {
    seed: u64,
    weights: Vec<Weights>,
    biases: [f32; 3],
}

impl Models {
    /// Learns from the rows, in an order that depends on the seed alone.
    pub(crate) fn learn(
        rows: &mut [Row],
        vectors: &Vectors,
        term_count: usize,
        seed: u64,
    ) -> Models {
        let mut models = Models {
            seed,
            weights: vec![Weights::default(); term_count],
            biases: [0.0; 3],
        };
        for epoch in 0..EPOCHS {
            rows.sort_by_cached_key(|row| mix(seed ^ u64::from(epoch) << 40 ^ row.at as u64));
            let rate = 2.0 / (1.0 + epoch as f32);
            for row in &*rows {
                models.step(row, vectors.get(row.at), rate);
            }
        }
        models
    }

    fn step(&mut self, row: &Row, vector: &[KeptTerm], rate: f32) {
        let half = 1 + self.half(row.at);
        let said = self.products(vector);
        let towards = |said: f32| {
            let error = row.wanted - probability(said);
            rate * row.weight.min(3.0) * error
        };
        let (all, own) = (
            towards(self.biases[ALL] + said[ALL]),
            towards(self.biases[half] + said[half]),
        );
        self.biases[ALL] += 0.1 * all;
        self.biases[half] += 0.1 * own;
        let (mut steps, mut decay) = (Weights::default(), Weights::default());
        (steps[ALL], steps[half]) = (all, own);
        (decay[ALL], decay[half]) = (1e-3 * rate, 1e-3 * rate);
        for &(number, x) in vector {
            let weights = &mut self.weights[number as usize];
            for ((weight, step), decay) in weights.iter_mut().zip(steps).zip(decay) {
                *weight += step * x - decay * *weight;
            }
        }
    }

    /// What each model says of a page; four sums of each, so that no addition waits for the one
    /// before.
    fn products(&self, vector: &[KeptTerm]) -> Weights {
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

    fn half(&self, at: usize) -> usize {
        (mix(self.seed ^ 77 ^ at as u64) & 1) as usize
    }

    /// What the half says of a page that has not learnt from it.
    pub(crate) fn unseen(&self, at: usize, vector: &[KeptTerm]) -> f32 {
        let other = 2 - self.half(at);
        self.biases[other] + self.products(vector)[other]
    }

    pub(crate) fn bias(&self) -> f32 {
        self.biases[ALL]
    }

    /// The weights of the model of all rows, by the terms' numbers.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.weights.iter().map(|weights| weights[ALL])
    }
}
