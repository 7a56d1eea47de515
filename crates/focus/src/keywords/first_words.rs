//! Which words of a page a keyword may begin with: a look that most words do not pass.

use segment::{Script, Tongue, Word, Words, rests_of, without_accents};
use xxhash_rust::xxh3::xxh3_64;

use super::Keyword;
use crate::common_words::is_common;
use crate::inflections::INFLECTION_PREFIX_BYTES;
use crate::keyword_word::{KeywordWord, PIECE_LETTERS_MIN};

/// A small Bloom filter over the words that keywords may begin with, the prefixes of those words' families, the
/// first characters of those in Han, and the first letters of those that a text may write with a hyphen. Most words
/// of a page are in none of the sets, so no keyword need be compared with them.
#[derive(Debug, Clone, Copy)]
pub(super) struct FirstWordFilter {
    words: [u64; WORD_BITS / 64],
    prefixes: [u64; 4],
    characters: [u64; 4],
    letters: [u64; 4],
    /// How the stems begin that the words have in other languages than English.
    stems: [u64; 4],
}

/// Bits for words: a keyword has some ten to fifty forms.
const WORD_BITS: usize = 1 << 15;

impl Default for FirstWordFilter {
    fn default() -> Self {
        FirstWordFilter {
            words: [0; WORD_BITS / 64],
            prefixes: [0; 4],
            characters: [0; 4],
            letters: [0; 4],
            stems: [0; 4],
        }
    }
}

impl FirstWordFilter {
    pub(super) fn of(list: &[Keyword]) -> FirstWordFilter {
        let mut filter = FirstWordFilter::default();
        for keyword in list {
            let first = &keyword.words[0];
            let in_one = keyword.in_one.iter().flat_map(KeywordWord::forms);
            for &hash in first.forms().iter().chain(in_one) {
                filter.set_word(hash);
            }
            for hash in keyword.beginnings_in_one() {
                filter.set_word(hash);
            }
            if let (Script::Han, Some(character)) = (first.script, first.text.chars().next()) {
                set(&mut filter.characters, character_hash(character));
            }
            for text in first.spellings() {
                if let (true, Some(prefix)) = (first.inflects, prefix_hash(text)) {
                    set(&mut filter.prefixes, prefix);
                }
            }
            if first.inflects {
                for stem in Tongue::stems_in_all(&first.text) {
                    set(&mut filter.stems, stem_hash(&stem));
                }
            }
            if first.has_pieces() {
                set(&mut filter.letters, letter_hash(&first.text));
                let piece = first.text.get(..PIECE_LETTERS_MIN);
                if let Some(piece) = piece.filter(|piece| !is_common(piece)) {
                    filter.set_word(xxh3_64(piece.as_bytes()));
                }
            }
        }
        filter
    }

    fn set_word(&mut self, hash: u64) {
        self.words[(hash >> 55) as usize] |= 1 << (hash >> 49 & 63);
    }

    /// False when no keyword can begin with the word at a place of a page in some language.
    pub(super) fn may_match(
        &self,
        word: &Word<'_>,
        words: &Words,
        at: usize,
        page: Option<Tongue>,
    ) -> bool {
        if self.has_word(word.hash) {
            return true;
        }
        match word.script {
            Script::Han => {
                let mut characters = word.text.chars();
                characters.any(|character| is_set(&self.characters, character_hash(character)))
            }
            _ => {
                self.may_begin_with(word.text)
                    || self.may_match_plain(word)
                    || self.may_be_a_form(word, page)
                    || (is_set(&self.letters, letter_hash(word.text))
                        && has_hyphen_behind(words, at))
            }
        }
    }

    fn has_word(&self, hash: u64) -> bool {
        self.words[(hash >> 55) as usize] & 1 << (hash >> 49 & 63) != 0
    }

    fn may_begin_with(&self, word: &str) -> bool {
        prefix_hash(word).is_some_and(|prefix| is_set(&self.prefixes, prefix))
    }

    /// Whether a word may be a form of one in another language than English. Where neither the page nor its letters
    /// tell one, it is none.
    fn may_be_a_form(&self, word: &Word<'_>, page: Option<Tongue>) -> bool {
        if word.script != Script::Other || (page.is_none() && word.text.is_ascii()) {
            return false;
        }
        let begins = |rest: &str| is_set(&self.stems, stem_hash(rest));
        rests_of(word.text).any(begins)
            || without_accents(word.text).is_some_and(|plain| rests_of(&plain).any(begins))
    }

    fn may_match_plain(&self, word: &Word<'_>) -> bool {
        let plain = (word.script == Script::Other).then(|| without_accents(word.text));
        plain.flatten().is_some_and(|plain| {
            self.may_begin_with(&plain) || self.has_word(xxh3_64(plain.as_bytes()))
        })
    }
}

/// Whether something like a hyphen stands behind the word at a place.
fn has_hyphen_behind(words: &Words, at: usize) -> bool {
    // The first byte of the dashes of Unicode.
    matches!(words.text_behind(at).as_bytes(), [b'-' | 0xe2, ..])
}

/// A hash of the first four bytes of a word, which all of its family share.
fn prefix_hash(text: &str) -> Option<u64> {
    let first: &[u8; INFLECTION_PREFIX_BYTES] = text.as_bytes().first_chunk()?;
    Some(spread(u32::from_le_bytes(*first)))
}

/// A hash of the first two letters of a word, which its stem has as well.
fn stem_hash(text: &str) -> u64 {
    let mut letters = text.chars();
    let two = [letters.next(), letters.next()].map(|letter| letter.map_or(0, u32::from));
    spread(two[0].rotate_left(16) ^ two[1])
}

/// The first byte of a word, spread as [`set`] wants it.
fn letter_hash(text: &str) -> u64 {
    u64::from(text.as_bytes().first().copied().unwrap_or_default()) << 56
}

fn character_hash(character: char) -> u64 {
    spread(u32::from(character))
}

fn spread(number: u32) -> u64 {
    u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn set(bits: &mut [u64; 4], hash: u64) {
    bits[(hash >> 62) as usize] |= 1 << (hash >> 56 & 63);
}

fn is_set(bits: &[u64; 4], hash: u64) -> bool {
    bits[(hash >> 62) as usize] & 1 << (hash >> 56 & 63) != 0
}
