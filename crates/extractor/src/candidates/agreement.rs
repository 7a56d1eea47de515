//! Which runs the page's own structured data holds too.
//!
//! Where JSON-LD carries the article's text, a run that is in it is content and a run that is not
//! is furniture. Texts are compared by hashes of five words (of five characters in scripts without
//! blanks), so punctuation and markup do not matter.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::tally::is_cjk;

/// Words in one hash.
const GRAM: usize = 5;
/// Bytes of structured text that are read.
const BYTES_MAX: usize = 1 << 19;

/// The grams of some texts.
#[derive(Default)]
pub(crate) struct Grams {
    set: HashSet<u64>,
    /// Words seen.
    pub words: usize,
}

impl Grams {
    pub(crate) fn add(&mut self, text: &str) {
        let mut end = text.len().min(BYTES_MAX);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let words = hashes(&text[..end]);
        self.words += words.len();
        for gram in words.windows(GRAM.min(words.len()).max(1)) {
            self.set.insert(combine(gram));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The share of a text's grams that are among these.
    pub(crate) fn share(&self, text: &str) -> f32 {
        if self.set.is_empty() {
            return 0.0;
        }
        let words = hashes(text);
        if words.len() < 2 {
            return 0.0;
        }
        let grams = words.windows(GRAM.min(words.len()));
        let count = grams.len();
        let hits = grams
            .filter(|gram| self.set.contains(&combine(gram)))
            .count();
        hits as f32 / count as f32
    }
}

/// For each text, the share of its grams that other texts have too, and that earlier ones have:
/// pages carry the same text twice for wide and narrow screens.
pub(crate) fn echoes(texts: &[String]) -> Vec<(f32, f32)> {
    let mut first: HashMap<u64, (u32, bool)> = HashMap::new();
    let mut grams: Vec<Vec<u64>> = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        let words = hashes(text);
        let mut own = Vec::new();
        if words.len() >= GRAM {
            for gram in words.windows(GRAM) {
                let gram = combine(gram);
                own.push(gram);
                let entry = first.entry(gram).or_insert((index as u32, false));
                if entry.0 != index as u32 {
                    entry.1 = true;
                }
            }
        }
        grams.push(own);
    }
    grams
        .iter()
        .enumerate()
        .map(|(index, own)| {
            let mut shared = 0;
            let mut before = 0;
            for gram in own {
                let (at, many) = first[gram];
                shared += u32::from(many);
                before += u32::from(at < index as u32);
            }
            let count = own.len().max(1) as f32;
            (shared as f32 / count, before as f32 / count)
        })
        .collect()
}

fn combine(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash: u64, word| {
        hash.rotate_left(13) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// A hash for each word, in order, of the letters and digits in lower case.
fn hashes(text: &str) -> Vec<u64> {
    let mut out = Vec::new();
    let mut word = String::new();
    let end_word = |word: &mut String, out: &mut Vec<u64>| {
        if !word.is_empty() {
            out.push(xxh3_64(word.as_bytes()));
            word.clear();
        }
    };
    for c in text.chars() {
        if is_cjk(c) {
            end_word(&mut word, &mut out);
            let mut buffer = [0; 4];
            out.push(xxh3_64(c.encode_utf8(&mut buffer).as_bytes()));
        } else if c.is_alphanumeric() {
            if c.is_ascii() {
                word.push(c.to_ascii_lowercase());
            } else {
                word.extend(c.to_lowercase());
            }
        } else {
            end_word(&mut word, &mut out);
        }
    }
    end_word(&mut word, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_and_case_do_not_matter() {
        let mut grams = Grams::default();
        grams.add("The quick, brown fox jumps over the lazy dog.");
        assert_eq!(grams.share("the quick brown FOX jumps over"), 1.0);
        assert_eq!(grams.share("something else that is not in there"), 0.0);
    }
}
