//! Why a query finds nothing: a filter that no page meets, a word that no page has, a slip of the
//! pen. A search that only says "nothing" leaves people to guess which.

use std::collections::BTreeMap;

use segment::Segmenter;
use tantivy::schema::Field;

use crate::error::{IndexError, engine};
use crate::query::Query;
use crate::search::{Filters, Searcher, one_word, part_words, term_query};

/// Values of a filter that are looked through.
const VALUES_MAX: usize = 100_000;

/// What may be wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Nothing is asked for.
    Empty,
    /// What is asked for holds no word, only signs.
    Wordless,
    /// A quote is never closed: its phrase goes to the end.
    OpenQuote,
    /// No page is in this language; these are the pages' languages, the most frequent first.
    Language {
        /// The language asked for.
        wanted: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// No page is on this host; these hosts there are, in no order.
    Host {
        /// The host asked for.
        wanted: String,
        /// Those there are, and what they belong to.
        known: Vec<String>,
    },
    /// No page has this word.
    Word(String),
}

impl Searcher {
    /// What may be wrong with a query, from its text alone.
    pub fn slips(query: &str, filters: &Filters) -> Vec<Hint> {
        let query = Searcher::query(query, filters);
        let mut hints = Vec::new();
        if query.open_quote {
            hints.push(Hint::OpenQuote);
        }
        let is_word = |part| !part_words(Segmenter::shared(), part).is_empty();
        let parts = || query.wanted.iter().chain(&query.unwanted);
        let filters = [
            &query.hosts,
            &query.langs,
            &query.not_hosts,
            &query.not_langs,
        ];
        if filters.iter().all(|list| list.is_empty()) && parts().next().is_none() {
            hints.push(Hint::Empty);
        } else if parts().next().is_some() && !parts().any(is_word) {
            hints.push(Hint::Wordless);
        }
        hints
    }

    /// Why a query finds nothing, as far as the index can tell.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn why_nothing(&self, query: &str, filters: &Filters) -> Result<Vec<Hint>, IndexError> {
        let query: Query = Searcher::query(query, filters);
        let mut hints = Vec::new();
        for wanted in &query.langs {
            if self.count(&*term_query(self.fields.lang, wanted))? == 0 {
                hints.push(Hint::Language {
                    wanted: wanted.clone(),
                    known: self.values(self.fields.lang)?,
                });
            }
        }
        for wanted in &query.hosts {
            if self.count(&*term_query(self.fields.host, wanted))? == 0 {
                hints.push(Hint::Host {
                    wanted: wanted.clone(),
                    known: self.values(self.fields.host)?,
                });
            }
        }
        for part in &query.wanted {
            for word in part_words(Segmenter::shared(), part) {
                let hint = Hint::Word(word.text.clone());
                if !hints.contains(&hint) && self.count(&*one_word(&word, &self.fields))? == 0 {
                    hints.push(hint);
                }
            }
        }
        Ok(hints)
    }

    /// The values of a field, those of most documents first.
    fn values(&self, field: Field) -> Result<Vec<String>, IndexError> {
        const READ: &str = "read the search index";
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for segment in self.reader.searcher().segment_readers() {
            let index = segment.inverted_index(field).map_err(engine(READ))?;
            let mut terms = index.terms().stream().map_err(engine(READ))?;
            while let Some((value, info)) = terms.next() {
                if counts.len() >= VALUES_MAX {
                    break;
                }
                let value = String::from_utf8_lossy(value).into_owned();
                *counts.entry(value).or_default() += u64::from(info.doc_freq);
            }
        }
        counts.remove("");
        let mut values: Vec<(String, u64)> = counts.into_iter().collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(values.into_iter().map(|(value, _)| value).collect())
    }
}
