//! SpotSigs: chains of words that follow a stop word.
//!
//! Running text has many articles and auxiliaries, menus and advertisements have few. So words that
//! follow them belong to the content. A *spot* is a stop word with the next words that are not stop
//! words. Two texts are alike when they share enough spots, each as often as it occurs.
//!
//! Source: Theobald, Siddharth, Paepcke, *SpotSigs: robust and efficient near duplicate detection
//! in large web collections*, SIGIR 2008. Its stop words are English; for Chinese, particles
//! take their place here.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use segment::Words;
use simhash::hash::pair;

use crate::overlapping::set;
use crate::stop_words::is_stop_word;

/// Words of a chain after its stop word.
const CHAIN: usize = 2;

/// Stop words at which a spot begins.
const ANTECEDENTS: &str = "a an the is was are were be been do did does have has had said says there it \
    this that of in to and can will 的 了 在 是 和 有 这 不 一个 也 就 与 可以 对 中 为";

/// The method with its setting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpotSigs {
    /// The least Jaccard coefficient of duplicates.
    pub overlap: f64,
}

impl Default for SpotSigs {
    /// The overlap that its authors found best.
    fn default() -> SpotSigs {
        SpotSigs { overlap: 0.44 }
    }
}

impl SpotSigs {
    pub(crate) fn sign(&self, words: &Words) -> Vec<u64> {
        static BEGIN: LazyLock<HashSet<&str>> =
            LazyLock::new(|| ANTECEDENTS.split_whitespace().collect());
        // (hash, begins a spot, is a stop word)
        let words: Vec<(u64, bool, bool)> = words
            .iter()
            .map(|word| {
                (
                    word.hash,
                    BEGIN.contains(word.text),
                    is_stop_word(word.text),
                )
            })
            .collect();
        let mut counts: HashMap<u64, u64> = HashMap::new();
        let mut spots = Vec::new();
        for (at, &(hash, begins, _)) in words.iter().enumerate() {
            if !begins {
                continue;
            }
            let rest = words[at + 1..].iter().filter(|(_, _, stop)| !stop);
            let chain: Vec<u64> = rest.take(CHAIN).map(|&(hash, _, _)| hash).collect();
            if chain.len() == CHAIN {
                let spot = chain.into_iter().fold(hash, pair);
                let count = counts.entry(spot).or_default();
                spots.push(pair(spot, *count));
                *count += 1;
            }
        }
        set(spots)
    }
}
