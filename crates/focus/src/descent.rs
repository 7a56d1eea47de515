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

/// What was learnt: weights by the terms' numbers.
#[derive(Debug)]
pub(crate) struct Models {
    seed: u64,
    /// Of all rows, of one half, of the other.
    weights: Vec<[f32; 3]>,
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
            weights: vec![[0.0; 3]; term_count],
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
        let [all, own] = self.products(vector, half);
        let towards = |said: f32| {
            let error = row.wanted - probability(said);
            rate * row.weight.min(3.0) * error
        };
        let (all, own) = (
            towards(self.biases[ALL] + all),
            towards(self.biases[half] + own),
        );
        self.biases[ALL] += 0.1 * all;
        self.biases[half] += 0.1 * own;
        for &(number, x) in vector {
            let weights = &mut self.weights[number as usize];
            weights[ALL] += all * x - 1e-3 * rate * weights[ALL];
            weights[half] += own * x - 1e-3 * rate * weights[half];
        }
    }

    /// What the model of all rows and another say of a page; four sums each, so that no
    /// addition waits for the one before.
    fn products(&self, vector: &[KeptTerm], other: usize) -> [f32; 2] {
        let mut sums = [[0.0f32; 2]; 4];
        for terms in vector.chunks(4) {
            for (sum, &(number, x)) in sums.iter_mut().zip(terms) {
                let weights = &self.weights[number as usize];
                sum[0] += x * weights[ALL];
                sum[1] += x * weights[other];
            }
        }
        [0, 1].map(|model| sums.iter().map(|sum| sum[model]).sum())
    }

    fn half(&self, at: usize) -> usize {
        (mix(self.seed ^ 77 ^ at as u64) & 1) as usize
    }

    /// What the half says of a page that has not learnt from it.
    pub(crate) fn unseen(&self, at: usize, vector: &[KeptTerm]) -> f32 {
        let other = 2 - self.half(at);
        self.biases[other] + self.products(vector, other)[1]
    }

    pub(crate) fn bias(&self) -> f32 {
        self.biases[ALL]
    }

    /// The weights of the model of all rows, by the terms' numbers.
    pub(crate) fn weights(&self) -> impl Iterator<Item = f32> + '_ {
        self.weights.iter().map(|weights| weights[ALL])
    }
}
