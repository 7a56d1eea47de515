//! The words of one text: one buffer with the folded text, and a span of it for each word.
//!
//! A page has thousands of words; allocating a `String` for each would take longer than finding them.
//! The spans of bigrams overlap.

use crate::{Script, Signs};

/// The words of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub(crate) folded: String,
    pub(crate) spans: Vec<Span>,
    pub(crate) hashes: Vec<u64>,
    /// Whether a word begins with a capital letter.
    pub(crate) has_capitals: bool,
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
    /// Whether it is written in capital letters.
    pub(crate) in_capitals: bool,
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

    /// The signs at a word in letters that make a name with it; none at any other.
    pub fn signs(&self, at: usize) -> Signs {
        match self.spans.get(at) {
            Some(span) if span.script == Script::Other => Signs::between(
                &self.folded[..span.folded as usize],
                &self.folded[span.folded_end as usize..],
            ),
            _ => Signs::default(),
        }
    }

    /// Whether the word number `at` is written in capital letters, but for an s at the end: `US`, `U.S`, `PCs`.
    pub fn is_in_capitals(&self, at: usize) -> bool {
        self.spans.get(at).is_some_and(|span| span.in_capitals)
    }

    /// Whether any word begins with a capital letter. If none does, nothing is said by small ones.
    pub fn has_capitals(&self) -> bool {
        self.has_capitals
    }

    /// The folded text from the word number `at` on.
    pub fn text_from(&self, at: usize) -> &str {
        let start = self.spans.get(at).map(|span| span.folded as usize);
        start.map_or("", |start| &self.folded[start..])
    }

    /// The folded text behind the word number `at`.
    pub fn text_behind(&self, at: usize) -> &str {
        let end = self.spans.get(at).map(|span| span.folded_end as usize);
        end.map_or("", |end| &self.folded[end..])
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

    /// Whether most words are pairs of characters of a script without blanks and without a word list (Thai, Lao, Khmer, Burmese): some
    /// four of them say what a word of another script does.
    pub fn are_pairs_of_characters(&self) -> bool {
        let pairs = self.spans.iter().filter(|span| span.script == Script::Thai);
        pairs.count() * 2 > self.spans.len()
    }

    /// The words of `part`, which is some lines of `text`, in their order; these are the words of `text`. No word
    /// reaches over the end of a line, nor depends on another line.
    ///
    /// ```
    /// let segmenter = segment::Segmenter::shared();
    /// let words = segmenter.words("one\ntwo\nthree").of_lines("one\ntwo\nthree", "one\nthree");
    /// assert_eq!(words.hashes(), segmenter.words("one\nthree").hashes());
    /// ```
    pub fn of_lines(mut self, text: &str, part: &str) -> Words {
        let spans = std::mem::take(&mut self.spans);
        let hashes = std::mem::take(&mut self.hashes);
        let mut words = spans.into_iter().zip(hashes).peekable();
        let mut lines = part.split('\n').peekable();
        let (mut from, mut to) = (0, 0);
        for line in text.split('\n') {
            let end = from + line.len() as u32;
            let is_kept = lines.next_if_eq(&line).is_some();
            while let Some((span, hash)) = words.next_if(|(span, _)| span.start < end) {
                if is_kept {
                    self.spans.push(Span {
                        start: span.start - from + to,
                        end: span.end - from + to,
                        ..span
                    });
                    self.hashes.push(hash);
                }
            }
            to += if is_kept { line.len() as u32 + 1 } else { 0 };
            from = end + 1;
        }
        debug_assert!(lines.all(str::is_empty), "lines of the text alone");
        self
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::Segmenter;

    #[test]
    fn thai_and_its_kin_are_pairs_of_characters() {
        let are_pairs = |text| Segmenter::shared().words(text).are_pairs_of_characters();
        for text in ["ในเดือนมีนาคม 12 Linux", "ក្នុងខែមីនា", "ໃນເດືອນມີນາ", "မတ်လတွင်"]
        {
            assert!(are_pairs(text), "{text}");
        }
        for text in [
            "",
            "in March, ปี 12 is a year",
            "网页去重",
            "ひらがな",
            "개발자가",
        ] {
            assert!(!are_pairs(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_words_of_some_lines_are_those_of_the_text_that_they_make(
            lines in proptest::collection::vec(("[a1 .,'’é\u{301}数据库ひらがｱな개발ประ\u{200d}\r\t-]{0,12}", any::<bool>()), 0..12)
        ) {
            let texts = |kept: &dyn Fn(bool) -> bool| {
                let lines = lines.iter().filter(|(_, is_kept)| kept(*is_kept));
                lines.map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n")
            };
            let (all, part) = (texts(&|_| true), texts(&|is_kept| is_kept));
            let expected = Segmenter::shared().words(&part);
            let found = Segmenter::shared().words(&all).of_lines(&all, &part);
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
            let digits = |words: &super::Words| words.hashes_with_digits().collect::<Vec<_>>();
            prop_assert_eq!(digits(&found), digits(&expected));
        }
    }
}
