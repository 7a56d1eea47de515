//! I-Match: one hash over the characteristic words of a text, whatever their order.
//!
//! Common words are in every text, and rare ones are often misspelt, so only words of middling idf
//! count. Two texts are duplicates when their hashes are equal. This is fast and precise, but one
//! characteristic word more or less gives another hash.
//!
//! Source: Chowdhury, Frieder, Grossman, McCabe, *Collection statistics for fast duplicate document
//! detection*, TOIS 2002.

use std::collections::HashMap;

use simhash::hash::{GOLDEN, mix};

use crate::lexicon::Lexicon;
use crate::overlapping::set;

/// The least natural idf of a characteristic word: it is in less than one text of twelve.
const IDF_MIN: f64 = 2.5;
/// The largest: rarer words are not reliable.
const IDF_MAX: f64 = 7.0;
/// With fewer characteristic words the whole text is hashed: a few words in common are no match.
const WORDS_MIN: usize = 4;

/// The method with its lexicon.
#[derive(Clone, Debug)]
pub struct IMatch {
    lexicon: Lexicon,
}

impl IMatch {
    /// With the words of a sample of texts.
    pub fn new(lexicon: Lexicon) -> IMatch {
        IMatch { lexicon }
    }

    /// The hash of a text given by its words' hashes.
    pub(crate) fn hash(&self, words: &[u64]) -> u64 {
        let is_characteristic = |word: &u64| {
            self.lexicon.knows(*word) && (IDF_MIN..=IDF_MAX).contains(&self.lexicon.idf(*word))
        };
        let found = set(words.iter().copied().filter(is_characteristic).collect());
        let over = if found.len() < WORDS_MIN {
            words
        } else {
            &found
        };
        over.iter().fold(over.len() as u64, |hash, word| {
            mix(hash.wrapping_mul(GOLDEN) ^ word)
        })
    }
}

/// Kept hashes by the number of the first text that had them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hashes {
    first: HashMap<u64, usize>,
    count: usize,
}

impl Hashes {
    pub(crate) fn find(&self, hash: u64) -> Option<usize> {
        self.first.get(&hash).copied()
    }

    pub(crate) fn insert(&mut self, hash: u64) {
        self.first.entry(hash).or_insert(self.count);
        self.count += 1;
    }
}
