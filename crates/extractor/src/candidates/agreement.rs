//! Which runs the page's own structured data holds too.
//!
//! Where JSON-LD carries the article's text, a run that is in it is content and a run that is not
//! is furniture. Texts are compared by hashes of five words (of five characters in scripts without
//! blanks), so punctuation and markup do not matter.

use crate::quick::{Map, Set};
use crate::tally::is_cjk;

/// Words in one hash.
const GRAM: usize = 5;
/// Bytes of structured text that are read.
const BYTES_MAX: usize = 1 << 19;

/// The grams of some texts.
#[derive(Default)]
pub(crate) struct Grams {
    set: Set,
    /// Words seen.
    pub words: usize,
}

impl Grams {
    pub(crate) fn add(&mut self, text: &str) {
        let mut end = text.len().min(BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let mut words = Vec::with_capacity(end / 5);
        hash_words(&text[..end], &mut words);
        self.words += words.len();
        for gram in words.windows(GRAM.min(words.len()).max(1)) {
            self.set.insert(combine(gram));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// As [`Grams::add`], for one of the page's own texts.
    pub(crate) fn add_text(&mut self, texts: &TextGrams, index: usize, text: &str) {
        if text.len() > BYTES_MAX {
            return self.add(text);
        }
        let text = texts.at(index);
        self.words += text.words;
        self.set.extend(text.grams);
    }

    /// The share of a text's grams that are among these.
    pub(crate) fn share(&self, text: TextGram<'_>) -> f32 {
        if self.set.is_empty() || text.words < 2 {
            return 0.0;
        }
        let hits = text
            .grams
            .iter()
            .filter(|gram| self.set.contains(gram))
            .count();
        hits as f32 / text.grams.len() as f32
    }
}

/// The grams of many texts, made once.
#[derive(Default)]
pub(crate) struct TextGrams {
    grams: Vec<u64>,
    /// For each text, where its grams end and how many words it has.
    ends: Vec<(u32, u32)>,
    /// Hashes of the words of all texts.
    words: Vec<u64>,
    word_ends: Vec<u32>,
}

/// One text of them.
#[derive(Clone, Copy)]
pub(crate) struct TextGram<'g> {
    grams: &'g [u64],
    words: usize,
}

impl TextGrams {
    pub(crate) fn of(texts: &[String]) -> TextGrams {
        let mut out = TextGrams {
            grams: Vec::with_capacity(texts.iter().map(String::len).sum::<usize>() / 6),
            ends: Vec::with_capacity(texts.len()),
            words: Vec::with_capacity(texts.iter().map(String::len).sum::<usize>() / 5),
            word_ends: Vec::with_capacity(texts.len()),
        };
        for text in texts {
            let start = out.words.len();
            hash_words(text, &mut out.words);
            out.word_ends.push(out.words.len() as u32);
            let words = &out.words[start..];
            for gram in words.windows(GRAM.min(words.len()).max(1)) {
                out.grams.push(combine(gram));
            }
            out.ends.push((out.grams.len() as u32, words.len() as u32));
        }
        out
    }

    /// The hashes of a text's words, in order.
    pub(crate) fn words(&self, index: usize) -> &[u64] {
        let start = match index.checked_sub(1) {
            Some(before) => self.word_ends[before],
            None => 0,
        };
        &self.words[start as usize..self.word_ends[index] as usize]
    }

    pub(crate) fn at(&self, index: usize) -> TextGram<'_> {
        let start = match index.checked_sub(1) {
            Some(before) => self.ends[before].0,
            None => 0,
        };
        let (end, words) = self.ends[index];
        TextGram {
            grams: &self.grams[start as usize..end as usize],
            words: words as usize,
        }
    }

    /// For each text, the share of its grams that other texts have too, and that earlier ones
    /// have: pages carry the same text twice for wide and narrow screens.
    pub(crate) fn echoes(&self) -> Vec<(f32, f32)> {
        // For each gram of a text that is long enough, its number among the distinct ones; for
        // each of these, the first text that has it and whether another has it too.
        let mut numbers: Map<u32> =
            Map::with_capacity_and_hasher(self.grams.len().min(1 << 16), Default::default());
        let mut distinct: Vec<(u32, bool)> = Vec::new();
        let mut placed: Vec<u32> = Vec::with_capacity(self.grams.len());
        let long = |index: usize| Some(self.at(index)).filter(|text| text.words >= GRAM);
        for index in 0..self.ends.len() {
            for &gram in long(index).map_or(&[][..], |text| text.grams) {
                let number = *numbers.entry(gram).or_insert_with(|| {
                    distinct.push((index as u32, false));
                    distinct.len() as u32 - 1
                });
                let entry = &mut distinct[number as usize];
                entry.1 |= entry.0 != index as u32;
                placed.push(number);
            }
        }
        let mut rest = placed.as_slice();
        (0..self.ends.len())
            .map(|index| {
                let count = long(index).map_or(0, |text| text.grams.len());
                let (own, after) = rest.split_at(count);
                rest = after;
                let mut shared = 0;
                let mut before = 0;
                for &number in own {
                    let (at, many) = distinct[number as usize];
                    shared += u32::from(many);
                    before += u32::from(at < index as u32);
                }
                let count = count.max(1) as f32;
                (shared as f32 / count, before as f32 / count)
            })
            .collect()
    }
}

fn combine(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash: u64, word| {
        hash.rotate_left(13) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// A hash for each word, in order, of the letters and digits in lower case; within one page only.
pub(crate) fn hash_words(text: &str, out: &mut Vec<u64>) {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    let mut word = SEED;
    let add = |word: u64, c: char| (word ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word = add(word, c.to_ascii_lowercase());
            continue;
        }
        let wide = !c.is_ascii();
        if wide && is_cjk(c) {
            if word != SEED {
                out.push(word);
                word = SEED;
            }
            out.push(add(SEED, c));
        } else if wide && c.is_alphanumeric() {
            word = c.to_lowercase().fold(word, add);
        } else if word != SEED {
            out.push(word);
            word = SEED;
        }
    }
    if word != SEED {
        out.push(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_and_case_do_not_matter() {
        let mut grams = Grams::default();
        grams.add("The quick, brown fox jumps over the lazy dog.");
        let texts = TextGrams::of(&[
            "the quick brown FOX jumps over".to_owned(),
            "something else that is not in there".to_owned(),
            "fox".to_owned(),
        ]);
        assert_eq!(grams.share(texts.at(0)), 1.0);
        assert_eq!(grams.share(texts.at(1)), 0.0);
        assert_eq!(grams.share(texts.at(2)), 0.0, "a word alone says nothing");
    }

    #[test]
    fn a_text_said_twice_echoes() {
        let texts = ["a b c d e f", "x", "a b c d e", ""].map(str::to_owned);
        let echoes = TextGrams::of(&texts).echoes();
        assert_eq!(echoes, [(0.5, 0.0), (0.0, 0.0), (1.0, 1.0), (0.0, 0.0)]);
    }
}
