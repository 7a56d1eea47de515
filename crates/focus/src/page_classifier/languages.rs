//! Topics in more than one language.
//!
//! Where examples are in two languages, pages of both are wanted. But words are shared within a
//! language alone: the language with more examples, or whose pages came first, would give the model
//! nearly all its words, and pages of the other would look like none of the topic. So a page is
//! compared with the pages of its own language: the scores of keywords, likeness and learnt words of
//! each language that an example is in are moved towards where their means agree with the highest:
//! the whole way for the language with the most examples, half of it for one with half as many. What
//! languages share (names, numbers, terms, links between versions of a page) counts as it did.
//!
//! A topic whose examples are in one language is judged as if there were none, and so are pages in a
//! language that no example is in.

use serde::{Deserialize, Serialize};

use super::Scores;
use crate::hashing::NumberMap;
use crate::saved::pairs;

/// Scores that depend on a page's words: keywords, likeness, learnt words.
const WORD_SCORES: usize = 3;
/// Languages that are told apart.
const LANGUAGES_MAX: usize = 32;
/// With so many pages of a language known, half of the distance to the highest mean is made up for.
const HALF_PAGES: f32 = 10.0;

/// The mean scores of the pages of each language that an example is in.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Languages {
    /// By the language's number; 0 stands for none.
    #[serde(with = "pairs")]
    means: NumberMap<u32, Mean>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Mean {
    examples: f32,
    pages: f32,
    sums: [f32; WORD_SCORES],
    /// What is added to the scores of the language's pages.
    shift: [f32; WORD_SCORES],
}

impl Languages {
    /// Takes note of an example's language.
    pub(super) fn name(&mut self, language: u32) {
        if language != 0 && self.means.len() < LANGUAGES_MAX {
            self.means.entry(language).or_default().examples += 1.0;
        }
    }

    /// What is added to a page's scores.
    pub(super) fn shift(&self, language: u32) -> [f32; WORD_SCORES] {
        let mean = self.means.get(&language).filter(|_| self.means.len() > 1);
        mean.map_or([0.0; WORD_SCORES], |mean| mean.shift)
    }

    /// Sets the means from the languages and scores of the pages read.
    pub(super) fn set<'s>(&mut self, pages: impl Iterator<Item = (u32, &'s Scores)>) {
        if self.means.len() < 2 {
            return;
        }
        for mean in self.means.values_mut() {
            *mean = Mean {
                examples: mean.examples,
                ..Mean::default()
            };
        }
        for (language, scores) in pages {
            if let Some(mean) = self.means.get_mut(&language) {
                mean.pages += 1.0;
                for (sum, score) in mean.sums.iter_mut().zip(scores) {
                    *sum += score;
                }
            }
        }
        let examples = self.means.values().map(|mean| mean.examples);
        let most_examples = examples.fold(1.0, f32::max);
        let known = self.means.values().filter(|mean| mean.pages > 0.0);
        let highest = known.fold([f32::MIN; WORD_SCORES], |highest, mean| {
            std::array::from_fn(|at| highest[at].max(mean.sums[at] / mean.pages))
        });
        for mean in self.means.values_mut().filter(|mean| mean.pages > 0.0) {
            let trust = mean.pages / (mean.pages + HALF_PAGES) * mean.examples / most_examples;
            mean.shift =
                std::array::from_fn(|at| trust * (highest[at] - mean.sums[at] / mean.pages));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shifts(named: &[u32]) -> [[f32; 3]; 3] {
        let mut languages = Languages::default();
        named.iter().for_each(|&language| languages.name(language));
        let page = |number: u32| match number % 3 {
            0 => (1, [0.6, 0.4, 2.0, 0.0, 0.0, 0.0, 0.0]),
            1 => (2, [0.2, 0.1, -1.0, 0.0, 0.0, 0.0, 0.0]),
            _ => (3, [0.0, 0.0, -3.0, 0.0, 0.0, 0.0, 0.0]),
        };
        let pages: Vec<(u32, Scores)> = (0..300).map(page).collect();
        languages.set(pages.iter().map(|(language, scores)| (*language, scores)));
        [1, 2, 3].map(|language| languages.shift(language))
    }

    #[test]
    fn languages_with_an_example_are_compared_each_with_itself() {
        let [first, second, unnamed] = shifts(&[1, 2]);
        assert_eq!(first, [0.0; 3]);
        assert!((0.3..0.4).contains(&second[0]) && (2.6..3.0).contains(&second[2]));
        assert_eq!(unnamed, [0.0; 3]);
    }

    #[test]
    fn a_topic_in_one_language_is_judged_as_if_there_were_none() {
        assert_eq!(shifts(&[1]), [[0.0; 3]; 3]);
    }
}
