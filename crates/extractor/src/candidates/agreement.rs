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
    let mut first: Map<(u32, bool)> = Map::default();
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

/// A hash for each word, in order, of the letters and digits in lower case; within one page only.
fn hashes(text: &str) -> Vec<u64> {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    let mut out = Vec::with_capacity(text.len() / 5);
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
