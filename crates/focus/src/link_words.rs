//! Which words of links lead to rewards: an online linear model over hashed words.
//!
//! The words of anchors, URLs and contexts are hashed into buckets, the three fields apart. Each
//! outcome moves the weights of a link's words by what the link model had not expected.

use serde::{Deserialize, Serialize};

use crate::hashing::split_mix;
use crate::link_features::LinkFeatures;
use crate::saved::Table;

/// Bits of a bucket's number.
const BUCKET_BITS: u32 = 16;
/// The learning rate.
const LEARNING_RATE: f32 = 0.6;
/// A word's learning rate falls with the root of its outcomes, to a fifth at most.
const SLOWDOWN_MAX: f32 = 5.0;
/// The largest weight of a word.
const WEIGHT_MAX: f32 = 3.0;
/// The largest score of a link's words.
const SCORE_MAX: f32 = 4.0;

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Word {
    weight: f32,
    /// Outcomes of links with this word.
    count: f32,
}

/// The weights of the words of links.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct LinkWordModel {
    #[serde(with = "Table::<{ 1 << BUCKET_BITS }>")]
    words: Vec<Word>,
    outcomes: f32,
}

impl LinkWordModel {
    pub(crate) fn new() -> LinkWordModel {
        LinkWordModel {
            words: vec![Word::default(); 1 << BUCKET_BITS],
            outcomes: 0.0,
        }
    }

    /// Learns from an outcome. `error` is the reward less the expected one.
    pub(crate) fn learn(&mut self, link: &LinkFeatures, error: f32) {
        let buckets: Vec<usize> = buckets(link).collect();
        let step = LEARNING_RATE * error / (buckets.len().max(1) as f32).sqrt();
        self.outcomes += 1.0;
        for bucket in buckets {
            let word = &mut self.words[bucket];
            word.count += 1.0;
            let step = step / word.count.sqrt().min(SLOWDOWN_MAX);
            word.weight = (word.weight + step).clamp(-WEIGHT_MAX, WEIGHT_MAX);
        }
    }

    /// The score of a link's words. A word that stands on every link adds nothing.
    pub(crate) fn score(&self, link: &LinkFeatures) -> f32 {
        let outcomes = self.outcomes + 2.0;
        buckets(link)
            .map(|bucket| {
                let word = &self.words[bucket];
                word.weight * (1.0 - word.count / outcomes)
            })
            .sum::<f32>()
            .clamp(-SCORE_MAX, SCORE_MAX)
    }
}

fn buckets(link: &LinkFeatures) -> impl Iterator<Item = usize> + '_ {
    let fields: [&[u32]; 3] = [&link.anchor_words, &link.url_words, &link.context_words];
    fields.into_iter().enumerate().flat_map(|(field, words)| {
        let bucket = move |&word: &u32| {
            (split_mix(u64::from(word) << 2 | field as u64) >> (64 - BUCKET_BITS)) as usize
        };
        words.iter().map(bucket)
    })
}
