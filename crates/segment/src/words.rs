//! The words of one text: one buffer with the folded text, and a span of it for each word.
//!
//! A page has thousands of words; allocating a `String` for each would take longer than finding them.
//! The spans of bigrams overlap.

use crate::Script;

/// The words of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub(crate) folded: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) hashes: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) folded: u32,
    pub(crate) folded_end: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) script: Script,
    /// Whether a digit of ASCII stands in it.
    pub(crate) has_digit: bool,
}

/// One word of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Word<'w> {
    /// The word as it is compared; see [`fold`](crate::fold()).
    pub text: &'w str,
    /// `xxh3_64` of `text`.
    pub hash: u64,
    /// The word's first byte in the source text.
    pub start: u32,
    /// The byte after the word's last in the source text.
    pub end: u32,
    /// How the word was found.
    pub script: Script,
}

impl Words {
    /// The number of words.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether the text has no words.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The words in the order of the text.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Word<'_>> {
        (0..self.spans.len()).map(|at| self.word(at))
    }

    /// The word number `at`, counted from 0.
    pub fn get(&self, at: usize) -> Option<Word<'_>> {
        (at < self.spans.len()).then(|| self.word(at))
    }

    /// The words' hashes, in the order of the text.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The hashes of the words that are numbers or have a digit of ASCII in them, in the order of the text.
    pub fn hashes_with_digits(&self) -> impl Iterator<Item = u64> {
        let words = self.spans.iter().zip(&self.hashes);
        let with_digits = words.filter(|(span, _)| span.has_digit || span.script == Script::Number);
        with_digits.map(|(_, &hash)| hash)
    }

    fn word(&self, at: usize) -> Word<'_> {
        let span = self.spans[at];
        Word {
            text: &self.folded[span.folded as usize..span.folded_end as usize],
            hash: self.hashes[at],
            start: span.start,
            end: span.end,
            script: span.script,
        }
    }
}
