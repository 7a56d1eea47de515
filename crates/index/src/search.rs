//! Searches: which pages, in which order, with a snippet that shows why.
//!
//! All words of the query must be on a page. If no page has them all, pages with some are found.
//!
//! A searcher works on an index that another process is writing: it sees that writer's last commit.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tantivy::collector::{Count, TopDocs};
use tantivy::query::Query as EngineQuery;
use tantivy::schema::Value;
use tantivy::{DocId, Index, IndexReader, ReloadPolicy, Score, SegmentReader, TantivyDocument};

use crate::damage::guarded;
use crate::directory::ReadOnlyDirectory;
use crate::error::{IndexError, engine};
use crate::page_index;
use crate::query::Query;
use crate::query_plan::QueryPlan;
use crate::schema::{Fields, LISTS, tokenizers};
use crate::snippet::{Snippet, highlight, snippet};

/// The score of a list (a front page, a tag page) is multiplied by this. A list has the words of the
/// titles of all pages it lists, often many times over, but it is seldom what was looked for.
///
/// How often a word stands on a page raises its score to 2.2 times at most (BM25 with k1 = 1.2). In a text
/// three times as long as the average a word that stands once counts 2.2 / (1 + 1.2 · (0.25 + 0.75 · 3)) =
/// 0.55. So at a quarter (0.55 / 2.2) no list outranks such an article by repeating its words.
const LIST_FACTOR: f32 = 0.25;

/// Hits of one search at most.
const LIMIT_MAX: usize = 10_000;

/// Where no page has all words, one that stands on more than one page in so many is left aside.
const COMMON_ONE_IN: usize = 2;

/// Conditions beside the query; a query may hold its own (`host:`, `lang:`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filters {
    /// Only this host and those below it.
    pub host: Option<String>,
    /// Only this language.
    pub lang: Option<String>,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hit {
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// The title, with its matches.
    pub title: Snippet,
    /// A piece of the text, with its matches.
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
    /// How many pages match.
    pub total: u64,
    /// No page has all words of the query; these have some of them.
    pub relaxed: bool,
}

/// The search index, open for reading.
pub struct Searcher {
    pub(crate) reader: IndexReader,
    pub(crate) fields: Fields,
    index: Index,
    dir: PathBuf,
    position: Mutex<Option<u64>>,
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
            return Err(IndexError::Missing(dir.to_owned()));
        }
        let fields = Fields::new();
        let directory = ReadOnlyDirectory::open(dir).map_err(engine(OPEN))?;
        let mut index = Index::open(directory).map_err(engine(OPEN))?;
        if index.schema() != fields.schema {
            return Err(IndexError::Engine {
                what: OPEN,
                why: "it is of another version: `tamis check-dir DIR --repair` builds it anew"
                    .into(),
                kind: None,
            });
        }
        index.set_tokenizers(tokenizers());
        // Before the documents: these are then at least as new, and no page is taken for searchable that is not.
        let position = page_index::position_of(&index);
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()
            .map_err(engine(OPEN))?;
        let dir = dir.to_owned();
        Ok(Searcher {
            reader,
            fields,
            index,
            dir,
            position: Mutex::new(position),
        })
    }

    /// Moves on to the writer's last commit.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn reload(&self) -> Result<(), IndexError> {
        let position = page_index::position_of(&self.index);
        self.reader
            .reload()
            .map_err(engine("read the search index"))?;
        *self.position.lock().unwrap_or_else(PoisonError::into_inner) = position;
        Ok(())
    }

    /// The journal position up to which the index holds what is kept, 0 before its first commit; `None` where it does
    /// not tell.
    pub fn position(&self) -> Option<u64> {
        *self.position.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.guarded(|| page_index::urls(&self.reader, &self.fields))
    }

    /// Does what reads files of the index, of which any may be damaged.
    pub(crate) fn guarded<T>(
        &self,
        work: impl FnOnce() -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        guarded((&self.dir, &self.index), "search the index", work)
    }

    /// The query as typed, with the filters beside it.
    pub(crate) fn query(text: &str, filters: &Filters) -> Query {
        let mut query = Query::parse(text);
        if let Some(host) = &filters.host {
            query.add_host(host);
        }
        if let Some(lang) = &filters.lang {
            query.add_language(lang);
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
        let plan = QueryPlan::new(&Self::query(query, filters), &self.fields);
        if plan.is_empty() {
            return Ok(Found::default());
        }
        self.guarded(|| self.find_by(&plan, limit))
    }

    fn find_by(&self, plan: &QueryPlan, limit: usize) -> Result<Found, IndexError> {
        let mut found = self.run(&*plan.all_words(), plan, limit)?;
        if found.total == 0 && plan.has_several_words() {
            let searcher = self.reader.searcher();
            let pages = searcher.num_docs() as usize;
            let is_common = |word: &dyn EngineQuery| {
                let with_it = word.count(&searcher).map_err(engine("search the index"))?;
                Ok(with_it > pages.div_ceil(COMMON_ONE_IN))
            };
            if let Some(some) = plan.some_words(is_common)? {
                found = self.run(&*some, plan, limit)?;
                found.relaxed = true;
            }
        }
        Ok(found)
    }

    fn run(
        &self,
        query: &dyn EngineQuery,
        plan: &QueryPlan,
        limit: usize,
    ) -> Result<Found, IndexError> {
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

    fn hit(&self, document: &TantivyDocument, score: f32, plan: &QueryPlan) -> Hit {
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

/// Lowers the score of lists; leaves all scores as they are when the column cannot be read.
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
