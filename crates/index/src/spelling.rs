//! What a rare word of a query may have been meant as: a word of the index that is far more frequent and a
//! slip or two away.
//!
//! A slip is a letter too many, too few, another one, or two in the wrong order. Words of four or five letters
//! may have one and longer ones two; of three characters or more in Chinese one may be another. The first letter
//! or character is taken to be right, so that one range of the index's words is looked through and not all.

use segment::{Script, english_forms, fold};
use tantivy::Term;

use crate::error::{IndexError, engine};
use crate::hints::Hint;
use crate::query::{Part, QueryWord};
use crate::query_plan::{Ends, phrase_query, word_query};
use crate::search::{Filters, Searcher};

/// A word stands on so many times as many pages as the one that may have been meant to be it.
const TIMES_MIN: u64 = 50;
/// The least pages of a word that may have been meant.
const PAGES_MIN: u64 = 3;
/// Words of a segment of the index that are looked through.
const TERMS_MAX: usize = 300_000;

impl Searcher {
    /// The words of a query that may be misspelt, each with what may have been meant.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn misspelt(&self, query: &str, filters: &Filters) -> Result<Vec<Hint>, IndexError> {
        let query = Searcher::query(query, filters);
        let parts = query.wanted.iter().flatten().filter(|part| !part.phrase);
        self.guarded(|| {
            let mut hints = Vec::new();
            for word in parts.flat_map(words_to_spell) {
                if let Some(meant) = self.meant(&word)? {
                    hints.push(Hint::Spelling {
                        typed: word.text,
                        meant,
                    });
                }
            }
            Ok(hints)
        })
    }

    fn meant(&self, word: &QueryWord) -> Result<Option<String>, IndexError> {
        let pages = self.count(&*match word.script {
            Script::Han => phrase_query(&Part::phrase(&word.text), Ends::Whole, &self.fields)
                .unwrap_or_else(|| word_query(word, &self.fields)),
            _ => word_query(word, &self.fields),
        })?;
        let least = PAGES_MIN.max(pages.saturating_mul(TIMES_MIN));
        if least > self.doc_count() {
            return Ok(None);
        }
        let mut best: Option<(usize, std::cmp::Reverse<u64>, String)> = None;
        for text in self.words_like(word)? {
            let slips = strsim::osa_distance(&word.text, &text);
            let term = Term::from_field_text(self.fields.text_words, &text);
            let frequency = self.reader.searcher().doc_freq(&term);
            let frequency = frequency.map_err(engine("search the index"))?;
            if frequency >= least {
                let this = (slips, std::cmp::Reverse(frequency), text);
                if best.as_ref().is_none_or(|best| this < *best) {
                    best = Some(this);
                }
            }
        }
        Ok(best.map(|(_, _, text)| text))
    }

    /// The words of the index with the same first character and few slips.
    fn words_like(&self, word: &QueryWord) -> Result<Vec<String>, IndexError> {
        const READ: &str = "read the search index";
        let Some(first) = word.text.chars().next() else {
            return Ok(Vec::new());
        };
        let after = char::from_u32(first as u32 + 1).map(String::from);
        let first = String::from(first);
        let forms = english_forms(&word.text);
        let mut like = Vec::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(self.fields.text_words);
            let index = index.map_err(engine(READ))?;
            let mut range = index.terms().range().ge(first.as_bytes());
            if let Some(after) = &after {
                range = range.lt(after.as_bytes());
            }
            let mut terms = range.into_stream().map_err(engine(READ))?;
            for _ in 0..TERMS_MAX {
                let Some((term, _)) = terms.next() else {
                    break;
                };
                let Ok(term) = std::str::from_utf8(term) else {
                    continue;
                };
                if is_like(word, term) && !forms.iter().any(|form| form == term) {
                    like.push(term.to_owned());
                }
            }
        }
        like.sort_unstable();
        like.dedup();
        Ok(like)
    }
}

/// The words of a part that may be misspelt; a row of Chinese characters is one, as the dictionary cuts what it
/// does not know.
fn words_to_spell(part: &Part) -> Vec<QueryWord> {
    const ROW_CHARS: std::ops::RangeInclusive<usize> = 3..=8;
    const LETTERS_MIN: usize = 4;
    let words = part.words();
    let joined: String = words.iter().map(|word| word.text.as_str()).collect();
    let is_row = words.len() > 1
        && words.iter().all(|word| word.script == Script::Han)
        && joined == fold(&part.text);
    if is_row {
        let row = QueryWord {
            text: joined,
            script: Script::Han,
            is_stop: false,
        };
        let fits = ROW_CHARS.contains(&row.text.chars().count());
        return Vec::from_iter(fits.then_some(row));
    }
    let may_be = |word: &QueryWord| {
        word.script == Script::Other
            && !word.is_stop
            && word.text.chars().count() >= LETTERS_MIN
            && word.text.chars().all(char::is_alphabetic)
    };
    words.into_iter().filter(may_be).collect()
}

/// Whether a word is another one with few slips.
fn is_like(typed: &QueryWord, word: &str) -> bool {
    let length = typed.text.chars().count();
    // How many letters may be others, and how many too many or too few.
    let (slips_max, longer_max) = match typed.script {
        Script::Han => (1, 0),
        _ if length <= 5 => (1, 1),
        _ => (2, 2),
    };
    typed.text != word
        && length.abs_diff(word.chars().count()) <= longer_max
        && strsim::osa_distance(&typed.text, word) <= slips_max
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_index::{Document, PageIndex};

    #[test]
    fn a_rare_word_is_held_against_a_frequent_one_that_is_like_it() {
        let dir = tempfile::tempdir().unwrap();
        let mut pages = PageIndex::open(dir.path()).unwrap().0;
        for number in 0..80 {
            let text = match number {
                0 => "shakespear 用数剧库",
                _ => "Shakespeare wrote of the Mediterranean Sea. 数据库和数据表",
            };
            let url = format!("http://a.example/{number}");
            let document = Document {
                url: &url,
                text,
                ..Document::default()
            };
            pages.add(&document).unwrap();
        }
        pages.commit(80).unwrap();
        let searcher = Searcher::open(dir.path()).unwrap();
        let hints = |query: &str| -> Vec<String> {
            let hints = searcher.misspelt(query, &Filters::default()).unwrap();
            let told = hints.into_iter().map(|hint| match hint {
                Hint::Spelling { typed, meant } => format!("{typed}: {meant}"),
                other => panic!("{other:?}"),
            });
            told.collect()
        };
        assert_eq!(hints("shakespear"), ["shakespear: shakespeare"]);
        assert_eq!(hints("mediterranian sea"), ["mediterranian: mediterranean"]);
        assert_eq!(hints("数剧库"), ["数剧库: 数据库"]);
        for right in [
            "shakespeare",
            "\"shakespear\"",
            "seas",
            "数据库",
            "wrotes",
            "",
            "x",
        ] {
            assert_eq!(hints(right), [""; 0], "{right}");
        }
    }
}
