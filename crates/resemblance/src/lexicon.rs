//! Document frequencies: in how many texts of a sample each word stands, so that rare words can weigh
//! more.
//!
//! They are counted in a sample of texts and do not change afterwards. If they changed while an index
//! grows, equal texts would have different fingerprints.

use std::collections::{HashMap, HashSet};

/// The words of a sample of texts, and how many of the texts have each.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    texts: u32,
    counts: HashMap<u64, u32>,
    /// The rank of each word by its number of texts, the most frequent first.
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

    /// The natural logarithm of the number of texts over the number of those with the word. An unknown
    /// word has the idf of the median word. With the largest idf of all, misspellings and numbers would
    /// dominate every text.
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

    /// The rank of a word, from 0 for the most frequent; for an unknown word, the number of words.
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
