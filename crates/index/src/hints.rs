//! Hints about a query that finds nothing: a filter that no page meets, a word that no page has, a
//! quote that is not closed.

use std::collections::BTreeMap;

use tantivy::schema::Field;

use crate::error::{IndexError, engine};
use crate::query::{Part, Query};
use crate::query_plan::{term_query, word_query};
use crate::search::{Filters, Searcher};

/// Values of a field that are listed.
const VALUES_MAX: usize = 100_000;

/// What may be wrong with a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// Nothing is asked for.
    Empty,
    /// What is asked for has no word in it, only signs.
    Wordless,
    /// It is too long: behind this word not all is looked for.
    Cut(String),
    /// A quote is not closed: its phrase reaches to the end.
    OpenQuote,
    /// It is written as other programs have it, to find words like it or that begin so: its words are looked for.
    OtherSyntax(String),
    /// An operator joins nothing: it is looked for as a word.
    Operator(String),
    /// The index knows languages and not their regions: of `typed`, it looks for `primary`.
    Region {
        /// The language asked for.
        typed: String,
        /// What is looked for.
        primary: String,
    },
    /// No page is in this language.
    Language {
        /// The language asked for.
        wanted: String,
        /// The languages of the pages, the most frequent first.
        known: Vec<String>,
    },
    /// No page is on this host.
    Host {
        /// The host asked for.
        wanted: String,
        /// The hosts of the pages and their parent domains, the most frequent first.
        known: Vec<String>,
    },
    /// No page has this word.
    Word(String),
    /// A word that few pages have, and one like it that many have.
    Spelling {
        /// The word asked for.
        typed: String,
        /// What may have been meant.
        meant: String,
    },
}

impl Searcher {
    /// What may be wrong with a query, as far as its text tells.
    pub fn query_problems(query: &str, filters: &Filters) -> Vec<Hint> {
        let query = Searcher::query(query, filters);
        let mut hints = Vec::new();
        hints.extend(query.cut_behind.clone().map(Hint::Cut));
        if query.open_quote {
            hints.push(Hint::OpenQuote);
        }
        hints.extend(query.lone_operators.iter().cloned().map(Hint::Operator));
        let regions = query.regions.iter().cloned();
        hints.extend(regions.map(|(typed, primary)| Hint::Region { typed, primary }));
        let has_word = |part: &Part| !part.words().is_empty();
        let parts = || query.wanted.iter().flatten().chain(&query.unwanted);
        let of_others = parts().filter(|part| part.is_of_other_syntax());
        hints.extend(of_others.map(|part| Hint::OtherSyntax(part.text.clone())));
        let filters = [
            &query.hosts,
            &query.langs,
            &query.not_hosts,
            &query.not_langs,
        ];
        if filters.iter().all(|list| list.is_empty()) && parts().next().is_none() {
            hints.push(Hint::Empty);
        } else if parts().next().is_some() && !parts().any(has_word) {
            hints.push(Hint::Wordless);
        }
        hints
    }

    /// Why no page has all that a query asks for, as far as the index tells.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn explain_no_hits(&self, query: &str, filters: &Filters) -> Result<Vec<Hint>, IndexError> {
        self.guarded(|| self.hints_of(&Searcher::query(query, filters)))
    }

    fn hints_of(&self, query: &Query) -> Result<Vec<Hint>, IndexError> {
        let mut hints = Vec::new();
        for wanted in &query.langs {
            if self.count(&*term_query(self.fields.lang, wanted))? == 0 {
                let mut known = self.values(self.fields.lang)?;
                // `zh` stands for itself in its scripts.
                known.retain(|lang| !lang.contains('-'));
                hints.push(Hint::Language {
                    wanted: wanted.clone(),
                    known,
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
        for choice in &query.wanted {
            let mut missing = Vec::new();
            for part in choice {
                let words = missing.len();
                for word in part.words() {
                    if self.count(&*word_query(&word, &self.fields))? == 0 {
                        missing.push(Hint::Word(word.text));
                    }
                }
                // One part whose words are all there is enough.
                if missing.len() == words {
                    missing.clear();
                    break;
                }
            }
            for hint in missing {
                if !hints.contains(&hint) {
                    hints.push(hint);
                }
            }
        }
        Ok(hints)
    }

    /// The values of a field, the most frequent first.
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
