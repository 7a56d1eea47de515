//! Queries against the index: which pages, in which order, and why (the snippet).
//!
//! A word is looked for in the title, the text and the author's name, and a Chinese word also as
//! a row of characters; the best of these counts, so a page is not ranked up because the same
//! word was found in several ways. All words must be there; if no page has them all, pages with
//! some are shown. Words that stand side by side as in the query rank higher.
//!
//! Works on an index that another process is writing: it sees that writer's last commit.

use std::path::Path;

use segment::{Language, Script, Segmenter, Words};
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, DisjunctionMaxQuery, EmptyQuery, Occur,
    PhraseQuery, Query as EngineQuery, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption, Value};
use tantivy::{
    DocId, Index, IndexReader, ReloadPolicy, Score, SegmentReader, TantivyDocument, Term,
};

use crate::directory::SearchDirectory;
use crate::error::{IndexError, engine};
use crate::query::{Part, Query};
use crate::schema::{Fields, LISTS, tokenizers};
use crate::snippet::{Needle, Snippet, highlight, snippet};
use crate::unwanted::Unwanted;
use crate::{IndexError as Error, page_index};

/// How much more a word counts in the title.
const TITLE_BOOST: f32 = 2.5;

/// How much a Chinese word counts where its characters stand in a row but were cut otherwise.
const CHARACTERS_BOOST: f32 = 0.4;

/// How much words count that stand side by side as in the query, beside their own weight.
const ADJACENT_BOOST: f32 = 0.5;

/// How much a front page, a tag page or another list counts beside an article of the same score:
/// it shows the beginnings of many pages, so it has words of all their titles, and is what nobody
/// looked for. On the demo, where a tag's page is short and has its word thrice, 0.7 puts it before
/// the article about it for three of six queries that are tags; 0.4 for none.
const LIST_FACTOR: f32 = 0.4;

/// No search gives more hits.
const LIMIT_MAX: usize = 10_000;

/// No part of a query has more words; the rest is ignored.
const PART_WORDS_MAX: usize = 64;

/// Conditions beside the query; a query may hold its own (`host:`, `lang:`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Only this host and those below it.
    pub host: Option<String>,
    /// Only this language.
    pub lang: Option<String>,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// Title, with the places to highlight.
    pub title: Snippet,
    /// A piece of the text, with the places to highlight.
    pub snippet: Snippet,
    /// Larger is better; only comparable within one search.
    pub score: f32,
    /// Language code, empty when unknown.
    pub lang: String,
    /// Author.
    pub author: Option<String>,
    /// Published date, ISO 8601.
    pub published: Option<String>,
    /// When the page was fetched, milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// The page's record number.
    pub seq: u64,
    /// Relevance to the topic, 0.0 to 1.0.
    pub relevance: Option<f32>,
}

/// The answer to a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The best pages, best first.
    pub hits: Vec<Hit>,
    /// How many pages there are.
    pub total: u64,
    /// No page has all words; these have some.
    pub relaxed: bool,
}

/// The search index, open for reading.
pub struct Searcher {
    pub(crate) reader: IndexReader,
    pub(crate) fields: Fields,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").finish_non_exhaustive()
    }
}

/// Searches the index in `dir` once; see [`Searcher`] for many searches.
///
/// # Errors
/// When there is no index or it is damaged. Never because of the query.
pub fn search(
    dir: &Path,
    query: &str,
    limit: usize,
    filters: &Filters,
) -> Result<Vec<Hit>, IndexError> {
    Ok(Searcher::open(dir)?.find(query, limit, filters)?.hits)
}

impl Searcher {
    /// Opens the index in `dir` as of its last commit.
    ///
    /// # Errors
    /// When there is no index, or it is damaged or of another form.
    pub fn open(dir: &Path) -> Result<Searcher, IndexError> {
        const OPEN: &str = "open the search index";
        if !dir.join("meta.json").exists() {
            return Err(Error::Missing(dir.to_owned()));
        }
        let fields = Fields::new();
        let directory = SearchDirectory::open(dir).map_err(engine(OPEN))?;
        let mut index = Index::open(directory).map_err(engine(OPEN))?;
        if index.schema() != fields.schema {
            return Err(engine(OPEN)(
                "it is of another version: `tamis check-dir DIR --repair` builds it anew",
            ));
        }
        index.set_tokenizers(tokenizers());
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(engine(OPEN))?;
        Ok(Searcher { reader, fields })
    }

    /// Moves on to the writer's last commit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn reload(&self) -> Result<(), IndexError> {
        self.reader
            .reload()
            .map_err(engine("read the search index"))
    }

    /// The number of documents.
    pub fn doc_count(&self) -> u64 {
        self.reader.searcher().num_docs()
    }

    /// URL and record number of every document, in no order.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub fn urls(&self) -> Result<Vec<(String, u64)>, IndexError> {
        page_index::urls(&self.reader, &self.fields)
    }

    /// What was typed, with the filters beside it.
    pub(crate) fn query(text: &str, filters: &Filters) -> Query {
        let mut query = Query::parse(text);
        query
            .hosts
            .extend(filters.host.as_deref().map(str::to_lowercase));
        query
            .langs
            .extend(filters.lang.as_deref().map(str::to_lowercase));
        for lang in query.langs.iter_mut().chain(&mut query.not_langs) {
            // Pages have the primary code alone: `zh-CN` is `zh` there.
            if let Some(primary) = Language::parse(lang) {
                *lang = primary.as_str().to_owned();
            }
        }
        query
    }

    pub(crate) fn count(&self, query: &dyn EngineQuery) -> Result<u64, IndexError> {
        let found = self.reader.searcher().search(query, &Count);
        Ok(found.map_err(engine("search the index"))? as u64)
    }

    /// The best `limit` pages for a query.
    ///
    /// # Errors
    /// When the index cannot be read. Never because of the query.
    pub fn find(&self, query: &str, limit: usize, filters: &Filters) -> Result<Found, IndexError> {
        let limit = limit.min(LIMIT_MAX);
        let plan = Plan::new(&Self::query(query, filters), &self.fields);
        if plan.is_nothing() {
            return Ok(Found::default());
        }
        let mut found = self.run(&*plan.all_words(), &plan, limit)?;
        if found.total == 0 && plan.wanted.len() > 1 {
            found = self.run(&*plan.some_words(), &plan, limit)?;
            found.relaxed = true;
        }
        Ok(found)
    }

    fn run(&self, query: &dyn EngineQuery, plan: &Plan, limit: usize) -> Result<Found, IndexError> {
        const SEARCH: &str = "search the index";
        let searcher = self.reader.searcher();
        let top = TopDocs::with_limit(limit.max(1)).tweak_score(list_factor);
        let (places, total) = searcher
            .search(query, &(top, Count))
            .map_err(engine(SEARCH))?;
        let mut hits = Vec::new();
        for (score, place) in places.into_iter().take(limit) {
            let document = searcher.doc(place).map_err(engine(SEARCH))?;
            hits.push(self.hit(&document, score, plan));
        }
        Ok(Found {
            hits,
            total: total as u64,
            relaxed: false,
        })
    }

    fn hit(&self, document: &TantivyDocument, score: f32, plan: &Plan) -> Hit {
        let fields = &self.fields;
        let text = |field| document.get_first(field).and_then(|value| value.as_str());
        let number = |field| document.get_first(field).and_then(|value| value.as_u64());
        let owned = |field| text(field).unwrap_or_default().to_owned();
        Hit {
            url: owned(fields.url),
            host: owned(fields.host_key),
            title: highlight(text(fields.title).unwrap_or_default(), &plan.needles),
            snippet: snippet(text(fields.text).unwrap_or_default(), &plan.needles),
            score,
            lang: owned(fields.lang),
            author: text(fields.author).map(str::to_owned),
            published: text(fields.published).map(str::to_owned),
            fetched_at_ms: number(fields.fetched_at).unwrap_or(0),
            seq: number(fields.seq).unwrap_or(0),
            relevance: document
                .get_first(fields.relevance)
                .and_then(|value| value.as_f64())
                .map(|relevance| relevance as f32),
        }
    }
}

/// A page's score, lower for a list. An unreadable column ranks nothing.
fn list_factor(segment: &SegmentReader) -> impl Fn(DocId, Score) -> Score + use<> {
    let lists = segment.fast_fields().u64(LISTS).ok();
    move |document, score| {
        let lists = lists.as_ref().and_then(|lists| lists.first(document));
        match lists {
            Some(1) => score * LIST_FACTOR,
            Some(_) | None => score,
        }
    }
}

type Clause = (Occur, Box<dyn EngineQuery>);

/// A query in the engine's terms.
#[derive(Debug)]
struct Plan {
    /// One clause per wanted word or phrase.
    wanted: Vec<Box<dyn EngineQuery>>,
    /// Raises the score where it matches, and asks for nothing.
    bonus: Vec<Box<dyn EngineQuery>>,
    /// Conditions and exclusions.
    conditions: Vec<Clause>,
    /// What snippets highlight.
    needles: Vec<Needle>,
    /// Something was asked for, but it holds no word: `"!!!"`.
    wordless: bool,
}

impl Plan {
    fn new(query: &Query, fields: &Fields) -> Plan {
        let segmenter = Segmenter::shared();
        let mut plan = Plan {
            wanted: Vec::new(),
            bonus: Vec::new(),
            conditions: Vec::new(),
            needles: Vec::new(),
            wordless: false,
        };
        let mut loose = Vec::new();
        for part in &query.wanted {
            let words = part_words(segmenter, part);
            plan.needles.extend(words.iter().cloned().map(Needle::new));
            if part.phrase {
                plan.wanted.extend(phrase(&words, fields));
            } else {
                loose.extend(words);
            }
        }
        let mut once = std::collections::HashSet::new();
        for word in &loose {
            if once.insert(word.text.clone()) {
                plan.wanted.push(one_word(word, fields));
            }
        }
        if loose.len() > 1 {
            let side_by_side = terms(fields.text_words, &loose)
                .map(|terms| PhraseQuery::new_with_offset_and_slop(terms, 2));
            plan.bonus
                .extend(side_by_side.map(|phrase| boosted(Box::new(phrase), ADJACENT_BOOST)));
        }
        plan.wordless = plan.wanted.is_empty() && !query.wanted.is_empty();
        for part in &query.unwanted {
            let words = part_words(segmenter, part);
            if let Some(unwanted) = phrase(&words, fields) {
                let unwanted = Box::new(Unwanted(unwanted));
                plan.conditions.push((Occur::MustNot, unwanted));
            }
        }
        plan.filter(Occur::Must, fields.host, &query.hosts);
        plan.filter(Occur::Must, fields.lang, &query.langs);
        plan.filter(Occur::MustNot, fields.host, &query.not_hosts);
        plan.filter(Occur::MustNot, fields.lang, &query.not_langs);
        plan
    }

    /// Any of the values will do.
    fn filter(&mut self, occur: Occur, field: Field, values: &[String]) {
        if values.is_empty() {
            return;
        }
        let any = values
            .iter()
            .map(|value| term_query(field, value))
            .collect();
        let any = ConstScoreQuery::new(Box::new(BooleanQuery::union(any)), 0.0);
        self.conditions.push((occur, Box::new(any)));
    }

    fn is_nothing(&self) -> bool {
        self.wanted.is_empty() && (self.conditions.is_empty() || self.wordless)
    }

    fn all_words(&self) -> Box<dyn EngineQuery> {
        let wanted = self
            .wanted
            .iter()
            .map(|word| (Occur::Must, word.box_clone()));
        self.with_conditions(wanted.collect())
    }

    fn some_words(&self) -> Box<dyn EngineQuery> {
        let any = self.wanted.iter().map(|word| word.box_clone()).collect();
        self.with_conditions(vec![(Occur::Must, Box::new(BooleanQuery::union(any)))])
    }

    fn with_conditions(&self, mut clauses: Vec<Clause>) -> Box<dyn EngineQuery> {
        if clauses.is_empty() {
            let all = ConstScoreQuery::new(Box::new(AllQuery), 1.0);
            clauses.push((Occur::Must, Box::new(all)));
        }
        clauses.extend(
            self.bonus
                .iter()
                .map(|bonus| (Occur::Should, bonus.box_clone())),
        );
        clauses.extend(
            self.conditions
                .iter()
                .map(|(occur, condition)| (*occur, condition.box_clone())),
        );
        Box::new(BooleanQuery::new(clauses))
    }
}

/// A word of the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryWord {
    pub(crate) text: String,
    pub(crate) script: Script,
    /// It follows the word before without anything between.
    pub(crate) joined: bool,
}

pub(crate) fn part_words(segmenter: &Segmenter, part: &Part) -> Vec<QueryWord> {
    let words: Words = segmenter.words(&part.text);
    let mut end = None;
    let words = words.iter().take(PART_WORDS_MAX).map(|word| {
        let joined = end == Some(word.start);
        end = Some(word.end);
        QueryWord {
            text: word.text.to_owned(),
            script: word.script,
            joined,
        }
    });
    words.collect()
}

/// A word, wherever it stands.
pub(crate) fn one_word(word: &QueryWord, fields: &Fields) -> Box<dyn EngineQuery> {
    let mut ways = vec![
        boosted(term_query(fields.title_words, &word.text), TITLE_BOOST),
        term_query(fields.text_words, &word.text),
        term_query(fields.author_words, &word.text),
    ];
    if word.script == Script::Han {
        ways.push(boosted(row(&[word], fields), CHARACTERS_BOOST));
    }
    Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1))
}

/// Words side by side. Where Chinese is among them, the cuts may differ: then each stretch of
/// Chinese must be there as a row of characters, and each stretch of other words as a phrase.
fn phrase(words: &[QueryWord], fields: &Fields) -> Option<Box<dyn EngineQuery>> {
    match words {
        [] => return None,
        [word] => return Some(one_word(word, fields)),
        _ => {}
    }
    let mut ways = vec![
        boosted(words_in_a_row(fields.title_words, words), TITLE_BOOST),
        words_in_a_row(fields.text_words, words),
        words_in_a_row(fields.author_words, words),
    ];
    if words.iter().any(|word| word.script == Script::Han) {
        let stretches = words.chunk_by(|before, word| {
            let han = |word: &QueryWord| word.script == Script::Han;
            han(before) == han(word) && (!han(word) || word.joined)
        });
        let all = stretches.map(|stretch| match stretch[0].script {
            Script::Han => row(&stretch.iter().collect::<Vec<_>>(), fields),
            Script::Kana | Script::Hangul | Script::Thai | Script::Number | Script::Other => {
                let ways = [fields.title_words, fields.text_words]
                    .map(|field| words_in_a_row(field, stretch));
                Box::new(BooleanQuery::union(ways.into())) as Box<dyn EngineQuery>
            }
        });
        let all = BooleanQuery::intersection(all.collect());
        ways.push(boosted(Box::new(all), CHARACTERS_BOOST));
    }
    Some(Box::new(DisjunctionMaxQuery::with_tie_breaker(ways, 0.1)))
}

/// Chinese characters in a row.
fn row(words: &[&QueryWord], fields: &Fields) -> Box<dyn EngineQuery> {
    let mut buffer = [0; 4];
    let characters = words.iter().flat_map(|word| word.text.chars());
    let mut terms: Vec<Term> = characters
        .map(|character| {
            Term::from_field_text(fields.characters, character.encode_utf8(&mut buffer))
        })
        .collect();
    match terms.len() {
        0 => Box::new(EmptyQuery),
        1 => Box::new(TermQuery::new(
            terms.remove(0),
            IndexRecordOption::WithFreqs,
        )),
        _ => Box::new(PhraseQuery::new(terms)),
    }
}

fn words_in_a_row(field: Field, words: &[QueryWord]) -> Box<dyn EngineQuery> {
    match terms(field, words) {
        Some(terms) => Box::new(PhraseQuery::new_with_offset(terms)),
        None => term_query(field, words.first().map_or("", |word| &word.text)),
    }
}

fn terms(field: Field, words: &[QueryWord]) -> Option<Vec<(usize, Term)>> {
    let terms: Vec<(usize, Term)> = words
        .iter()
        .enumerate()
        .map(|(place, word)| (place, Term::from_field_text(field, &word.text)))
        .collect();
    (terms.len() > 1).then_some(terms)
}

pub(crate) fn term_query(field: Field, text: &str) -> Box<dyn EngineQuery> {
    Box::new(TermQuery::new(
        Term::from_field_text(field, text),
        IndexRecordOption::WithFreqs,
    ))
}

fn boosted(query: Box<dyn EngineQuery>, boost: f32) -> Box<dyn EngineQuery> {
    Box::new(BoostQuery::new(query, boost))
}
