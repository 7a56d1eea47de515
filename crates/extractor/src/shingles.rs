//! Shingles: hashes of five words in a row, by which texts are compared.
//!
//! In Chinese, Japanese and Korean each character counts as a word. Punctuation, case and markup make
//! no difference. The features compare each run with the title and with the article text that JSON-LD
//! may hold; the classifier finds text that a page repeats.

use crate::bounded::byte_prefix;
use crate::char_counts::is_cjk;
use rustc_hash::{FxHashMap, FxHashSet};

/// Words in one shingle.
const SHINGLE_WORDS: usize = 5;
/// The most bytes of a text that are read.
const BYTES_MAX: usize = 1 << 19;

/// The set of the shingles of some texts.
#[derive(Default)]
pub(crate) struct ShingleSet {
    set: FxHashSet<u64>,
}

impl ShingleSet {
    pub(crate) fn add(&mut self, text: &str) {
        let text = byte_prefix(text, BYTES_MAX);
        let mut words = Vec::with_capacity(text.len() / 5);
        hash_words(text, &mut words);
        for shingle in words.windows(SHINGLE_WORDS.min(words.len()).max(1)) {
            self.set.insert(combine(shingle));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// As [`ShingleSet::add`], for one of the page's own texts.
    pub(crate) fn add_text(&mut self, texts: &RunShingles, index: usize, text: &str) {
        if text.len() > BYTES_MAX {
            return self.add(text);
        }
        let text = texts.at(index);
        self.set.extend(text.shingles);
    }

    /// The share of a text's shingles that are among these.
    pub(crate) fn share(&self, text: TextShingles<'_>) -> f32 {
        if self.set.is_empty() || text.words < 2 {
            return 0.0;
        }
        let hits = text
            .shingles
            .iter()
            .filter(|shingle| self.set.contains(shingle))
            .count();
        hits as f32 / text.shingles.len() as f32
    }
}

/// The shingles of each run's text.
#[derive(Default)]
pub(crate) struct RunShingles {
    shingles: Vec<u64>,
    /// For each run, where its shingles end and how many words it has.
    ends: Vec<(u32, u32)>,
    /// Hashes of the words of all runs.
    words: Vec<u64>,
    word_ends: Vec<u32>,
}

/// The shingles of one run.
#[derive(Clone, Copy)]
pub(crate) struct TextShingles<'g> {
    shingles: &'g [u64],
    words: usize,
}

impl RunShingles {
    pub(crate) fn of(texts: &[String]) -> RunShingles {
        let mut out = RunShingles {
            shingles: Vec::with_capacity(texts.iter().map(String::len).sum::<usize>() / 6),
            ends: Vec::with_capacity(texts.len()),
            words: Vec::with_capacity(texts.iter().map(String::len).sum::<usize>() / 5),
            word_ends: Vec::with_capacity(texts.len()),
        };
        for text in texts {
            let start = out.words.len();
            hash_words(text, &mut out.words);
            out.word_ends.push(out.words.len() as u32);
            let words = &out.words[start..];
            for shingle in words.windows(SHINGLE_WORDS.min(words.len()).max(1)) {
                out.shingles.push(combine(shingle));
            }
            out.ends
                .push((out.shingles.len() as u32, words.len() as u32));
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

    pub(crate) fn at(&self, index: usize) -> TextShingles<'_> {
        let start = match index.checked_sub(1) {
            Some(before) => self.ends[before].0,
            None => 0,
        };
        let (end, words) = self.ends[index];
        TextShingles {
            shingles: &self.shingles[start as usize..end as usize],
            words: words as usize,
        }
    }

    /// For each run, the share of its shingles that other runs have, too, and the share that earlier
    /// runs have: pages hold the same text twice for wide and narrow screens.
    pub(crate) fn duplicate_shares(&self) -> Vec<(f32, f32)> {
        // `placed` has, for each shingle of each run that is long enough, its number among the
        // distinct shingles. `distinct` has, for each of these, the first run with it and whether
        // another run has it, too.
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::with_capacity_and_hasher(
            self.shingles.len().min(1 << 16),
            Default::default(),
        );
        let mut distinct: Vec<(u32, bool)> = Vec::new();
        let mut placed: Vec<u32> = Vec::with_capacity(self.shingles.len());
        let long = |index: usize| Some(self.at(index)).filter(|text| text.words >= SHINGLE_WORDS);
        for index in 0..self.ends.len() {
            for &shingle in long(index).map_or(&[][..], |text| text.shingles) {
                let number = *numbers.entry(shingle).or_insert_with(|| {
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
                let count = long(index).map_or(0, |text| text.shingles.len());
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

/// Appends a hash of each word's letters and digits in lower case, in order. The hashes are compared
/// within one page only.
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
        let mut shingles = ShingleSet::default();
        shingles.add("The quick, brown fox jumps over the lazy dog.");
        let texts = RunShingles::of(&[
            "the quick brown FOX jumps over".to_owned(),
            "something else that is not in there".to_owned(),
            "fox".to_owned(),
        ]);
        assert_eq!(shingles.share(texts.at(0)), 1.0);
        assert_eq!(shingles.share(texts.at(1)), 0.0);
        assert_eq!(
            shingles.share(texts.at(2)),
            0.0,
            "a word alone says nothing"
        );
    }

    #[test]
    fn repeated_text_has_a_share_in_other_and_in_earlier_runs() {
        let texts = ["a b c d e f", "x", "a b c d e", ""].map(str::to_owned);
        let duplicate_shares = RunShingles::of(&texts).duplicate_shares();
        assert_eq!(
            duplicate_shares,
            [(0.5, 0.0), (0.0, 0.0), (1.0, 1.0), (0.0, 0.0)]
        );
    }
}
