//! In how many texts does a word stand? What rare words weigh more by.
//!
//! Learnt from a sample of texts and fixed from then on: the weight of a word that drifts while
//! an index grows would change the fingerprints of equal texts.

use std::collections::{HashMap, HashSet};

/// The words of a sample of texts, and how many of the texts have each.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    texts: u32,
    counts: HashMap<u64, u32>,
    /// The words by number of texts and hash, commonest first: a word's place is its number.
    places: HashMap<u64, u32>,
    idf_usual: f64,
}

impl Lexicon {
    /// Learns from texts given as the hashes of their words.
    pub fn of<T: AsRef<[u64]>>(texts: impl IntoIterator<Item = T>) -> Lexicon {
        let mut lexicon = Lexicon::default();
        for text in texts {
            lexicon.texts += 1;
            for word in text.as_ref().iter().collect::<HashSet<_>>() {
                *lexicon.counts.entry(*word).or_default() += 1;
            }
        }
        let mut words: Vec<_> = lexicon.counts.iter().map(|(&word, &n)| (n, word)).collect();
        words.sort_unstable_by(|a, b| b.cmp(a));
        let places = words.iter().enumerate();
        lexicon.places = places.map(|(at, &(_, word))| (word, at as u32)).collect();
        let middle = words.get(words.len() / 2).map_or(0, |&(n, _)| n);
        lexicon.idf_usual = lexicon.idf_of(middle);
        lexicon
    }

    /// The natural logarithm of all texts over those with the word. A word that is not known
    /// weighs as much as the middle one: with the largest weight of all, misspellings and numbers
    /// would rule every text.
    pub fn idf(&self, word: u64) -> f64 {
        match self.counts.get(&word) {
            Some(&count) => self.idf_of(count),
            None => self.idf_usual,
        }
    }

    /// Whether the sample has the word.
    pub fn knows(&self, word: u64) -> bool {
        self.counts.contains_key(&word)
    }

    /// The number of a word, the commonest first; of an unknown one, the number of all words.
    pub fn place(&self, word: u64) -> u32 {
        let unknown = self.places.len() as u32;
        self.places.get(&word).copied().unwrap_or(unknown)
    }

    /// The number of different words.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether it knows no word.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn idf_of(&self, count: u32) -> f64 {
        (f64::from(self.texts + 1) / f64::from(count.max(1))).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_unknown_ones_as_the_middle() {
        let lexicon = Lexicon::of([vec![1, 1, 2], vec![1, 2, 3], vec![1, 4]]);
        assert!(lexicon.idf(1) < lexicon.idf(2) && lexicon.idf(2) < lexicon.idf(3));
        assert_eq!(lexicon.idf(99), lexicon.idf(4));
        assert_eq!(
            (lexicon.place(1), lexicon.place(99), lexicon.len()),
            (0, 4, 4)
        );
        assert!(lexicon.knows(4) && !lexicon.knows(99));
        assert_eq!(
            Lexicon::of([[0u64; 0]]).idf(1),
            Lexicon::of([[0u64; 0]]).idf(2)
        );
    }
}
