//! The writer: one document per kept page, and the journal position that the index has reached.
//!
//! The position is part of the commit, so documents and position become durable together. After
//! `kill -9` the index is at its last commit, and the records after it are applied once more. That does
//! no harm, because a document replaces an earlier one of its URL.
//!
//! Cost: one indexing thread with a heap of 32 MB. A commit takes some 0.1 s whatever is in it, so the
//! caller commits every thousand pages or ten seconds.

use std::io;
use std::path::Path;

use kv::StoreError;
use outcome::PageType;
use segment::{SEGMENT_SCHEME, Segmenter, Word, Words, chinese_script};
use serde::{Deserialize, Serialize};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::Value;
use tantivy::{
    Index, IndexMeta, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term,
};

use crate::directory::{FailedWrite, PreadDirectory};
use crate::error::{IndexError, engine, opening};
use crate::forms::push_forms;
use crate::schema::{Fields, INDEX_SCHEME, host_terms, is_list, tokenizers};
use crate::tokenizer::{SEPARATOR, push_characters, push_words};

/// Memory of the indexing thread. When it is full, a segment is written.
pub const HEAP_BYTES: usize = 32 << 20;
/// The least that the engine takes.
pub const HEAP_BYTES_LEAST: usize = 15_000_000;

/// Segments that are merged into one. More of them make fewer merges, and a search looks into each that is left.
const MERGED_MIN: usize = 16;
/// Smaller segments count as one size: those of commits, which have some thousand documents. With a larger bound
/// what was merged of them would be merged again with the next.
const SMALL_DOCUMENTS: u32 = 2_000;

const READ: &str = "read the search index";

/// A page to index.
#[derive(Debug, Clone, Default)]
pub struct Document<'a> {
    /// The page's record number.
    pub seq: u64,
    /// Canonical URL: the document's identity.
    pub url: &'a str,
    /// Host key.
    pub host: &'a str,
    /// The title; may be empty.
    pub title: &'a str,
    /// The main text.
    pub text: &'a str,
    /// Language code; may be empty.
    pub lang: &'a str,
    /// The author, if known.
    pub author: Option<&'a str>,
    /// The date of publication, ISO 8601.
    pub published: Option<&'a str>,
    /// When the page was fetched, milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// Relevance to the topic, 0.0 to 1.0.
    pub relevance: Option<f32>,
    /// The page's type; front pages and lists are ranked lower.
    pub page_type: PageType,
    /// The words of `text`, if they are known; else it is cut into words here.
    pub words: Option<&'a Words>,
}

/// What opening found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    /// The journal position of the last commit, 0 for an empty index.
    pub position: u64,
    /// Why the index was set aside and begun anew, if it was.
    pub rebuilt_because: Option<String>,
}

/// What a commit holds beside the documents.
#[derive(Debug, Serialize, Deserialize)]
struct Payload {
    position: u64,
    scheme: u32,
    words: u32,
}

/// The search index, open for writing. One at a time: a second open fails.
pub struct PageIndex {
    index: Index,
    writer: IndexWriter,
    failed: FailedWrite,
    fields: Fields,
    joined: String,
}

impl std::fmt::Debug for PageIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PageIndex").finish_non_exhaustive()
    }
}

impl PageIndex {
    /// Opens the index in `dir`, making it if there is none.
    ///
    /// An index that is damaged, or was built with another version's fields or words, is set aside (see
    /// [`kv::or_anew`]). Then an empty index is begun: the caller sees position 0 and replays the journal. The
    /// checksum of every file is verified, which takes about a second per gigabyte.
    ///
    /// # Errors
    /// When the directory cannot be read or written, or another process writes this index.
    pub fn open(dir: &Path) -> Result<(PageIndex, Opened), IndexError> {
        PageIndex::open_within(dir, HEAP_BYTES)
    }

    /// Like [`PageIndex::open`], with so many bytes for the indexing thread; at least
    /// [`HEAP_BYTES_LEAST`].
    ///
    /// # Errors
    /// As [`PageIndex::open`].
    pub fn open_within(dir: &Path, heap_bytes: usize) -> Result<(PageIndex, Opened), IndexError> {
        let opened = kv::or_anew(dir, || {
            let position = inspect(dir)?;
            let index = PageIndex::open_checked(dir, heap_bytes);
            Ok((index.map_err(|error| opening(dir, &error))?, position))
        })?;
        let (index, position) = opened.loaded;
        let rebuilt_because = opened.rebuilt_because;
        Ok((
            index,
            Opened {
                position,
                rebuilt_because,
            },
        ))
    }

    fn open_checked(dir: &Path, heap_bytes: usize) -> tantivy::Result<PageIndex> {
        let fields = Fields::new();
        let directory = PreadDirectory::open(dir)?;
        let failed = directory.failed();
        let index = Index::builder()
            .schema(fields.schema.clone())
            .tokenizers(tokenizers())
            .open_or_create(directory)?;
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(heap_bytes.max(HEAP_BYTES_LEAST))
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options)?;
        writer.set_merge_policy(Box::new(merges()));
        Ok(PageIndex {
            index,
            writer,
            failed,
            fields,
            joined: String::new(),
        })
    }

    /// Adds a page; it replaces an earlier document of its URL. It is searchable and durable after the
    /// next commit.
    ///
    /// # Errors
    /// When the indexing thread has failed: the disk is full or broken.
    pub fn add(&mut self, document: &Document<'_>) -> Result<(), IndexError> {
        let segmenter = Segmenter::shared();
        let found;
        let words = match document.words {
            Some(words) => words,
            None => {
                found = segmenter.words(document.text);
                &found
            }
        };
        let title = segmenter.words(document.title);
        let fields = &self.fields;
        let mut entry = TantivyDocument::default();
        entry.add_text(fields.url, document.url);
        entry.add_text(fields.host_key, document.host);
        for host in host_terms(document.host) {
            entry.add_text(fields.host, host);
        }
        entry.add_text(fields.lang, document.lang);
        if let Some(script) = chinese_script(document.text).filter(|_| document.lang == "zh") {
            entry.add_text(fields.lang, script.tag());
        }
        entry.add_text(fields.title, document.title);
        entry.add_text(fields.text, document.text);
        let is_list = is_list(&document.page_type, document.url);
        self.joined.clear();
        push_words(document.title, &title, &mut self.joined);
        if !is_list {
            entry.add_text(fields.title_words, &self.joined);
            self.joined.clear();
        }
        push_words(document.text, words, &mut self.joined);
        entry.add_text(fields.text_words, &self.joined);
        if let Some(author) = document.author {
            self.joined.clear();
            push_words(author, &segmenter.words(author), &mut self.joined);
            entry.add_text(fields.author, author);
            entry.add_text(fields.author_words, &self.joined);
        }
        self.joined.clear();
        for (text, words) in [(document.title, &title), (document.text, words)] {
            // An empty place: no row reaches from the title into the text.
            self.joined.push(SEPARATOR);
            let push_word = |word: &Word<'_>, out: &mut String| push_forms(text, word, out);
            push_characters(words, &mut self.joined, push_word);
        }
        if self.joined.len() > 2 * SEPARATOR.len_utf8() {
            entry.add_text(fields.characters, &self.joined);
        }
        if let Some(published) = document.published {
            entry.add_text(fields.published, published);
        }
        entry.add_u64(fields.fetched_at, document.fetched_at_ms);
        entry.add_u64(fields.seq, document.seq);
        entry.add_u64(fields.fingerprint, document.fingerprint);
        if let Some(relevance) = document.relevance {
            entry.add_f64(fields.relevance, f64::from(relevance));
        }
        entry.add_u64(fields.lists, u64::from(is_list));
        self.delete(document.url);
        self.writer
            .add_document(entry)
            .map_err(writing(&self.failed, "add a page to the search index"))?;
        Ok(())
    }

    /// Removes a page, from the next commit on. Does nothing when it is not there.
    pub fn delete(&mut self, url: &str) {
        self.writer
            .delete_term(Term::from_field_text(self.fields.url, url));
    }

    /// Makes everything so far durable, together with the journal position it was made from.
    ///
    /// # Errors
    /// When the disk fails; the index is then at its last commit.
    pub fn commit(&mut self, position: u64) -> Result<(), IndexError> {
        const COMMIT: &str = "commit to the search index";
        let payload = serde_json::to_string(&Payload {
            position,
            scheme: INDEX_SCHEME,
            words: SEGMENT_SCHEME,
        })
        .map_err(engine(COMMIT))?;
        let mut commit = self
            .writer
            .prepare_commit()
            .map_err(writing(&self.failed, COMMIT))?;
        commit.set_payload(&payload);
        commit.commit().map_err(writing(&self.failed, COMMIT))?;
        Ok(())
    }

    /// The number of documents as of the last commit.
    ///
    /// # Errors
    /// When the list of segments cannot be read.
    pub fn doc_count(&self) -> Result<u64, IndexError> {
        let metas = self.index.load_metas().map_err(engine(READ))?;
        Ok(documents(&metas))
    }

    /// URL and record number of every document as of the last commit, in no order.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub fn urls(&self) -> Result<Vec<(String, u64)>, IndexError> {
        urls(&self.reader()?, &self.fields)
    }

    /// Gives URL, record number and text of every document as of the last commit, in no order.
    ///
    /// # Errors
    /// When a segment cannot be read.
    pub fn each(&self, look: &mut dyn FnMut(&str, u64, &str)) -> Result<(), IndexError> {
        each(&self.reader()?, &self.fields, look)
    }

    fn reader(&self) -> Result<IndexReader, IndexError> {
        let reader = self.index.reader_builder();
        let reader = reader.reload_policy(ReloadPolicy::Manual).try_into();
        reader.map_err(engine(READ))
    }

    /// Waits for merges to end, so that the directory no longer changes. Documents that were not
    /// committed are dropped.
    ///
    /// # Errors
    /// When a merge failed.
    pub fn close(self) -> Result<(), IndexError> {
        drop(self.index);
        self.writer
            .wait_merging_threads()
            .map_err(writing(&self.failed, "close the search index"))
    }
}

/// Which segments are merged: [`MERGED_MIN`] of about one size, so that a document is written again as often as the
/// index has grown by so much.
fn merges() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(MERGED_MIN);
    policy.set_min_layer_size(SMALL_DOCUMENTS);
    policy
}

/// Names what was being done when the engine failed, with what kind of error its write met.
fn writing<'f>(
    failed: &'f FailedWrite,
    what: &'static str,
) -> impl FnOnce(TantivyError) -> IndexError + 'f {
    move |error| {
        let mut error = engine(what)(error);
        if let IndexError::Engine { kind, .. } = &mut error {
            *kind = kind.or_else(|| failed.take());
        }
        error
    }
}

pub(crate) fn urls(
    reader: &IndexReader,
    fields: &Fields,
) -> Result<Vec<(String, u64)>, IndexError> {
    let mut urls = Vec::with_capacity(reader.searcher().num_docs() as usize);
    let mut note = |url: &str, seq, _: &str| urls.push((url.to_owned(), seq));
    each(reader, fields, &mut note)?;
    Ok(urls)
}

fn each(
    reader: &IndexReader,
    fields: &Fields,
    look: &mut dyn FnMut(&str, u64, &str),
) -> Result<(), IndexError> {
    let searcher = reader.searcher();
    for segment in searcher.segment_readers() {
        let store = segment.get_store_reader(4).map_err(engine(READ))?;
        for document in store.iter::<TantivyDocument>(segment.alive_bitset()) {
            let document = document.map_err(engine(READ))?;
            let text = |field| document.get_first(field).and_then(|text| text.as_str());
            let seq = document.get_first(fields.seq).and_then(|seq| seq.as_u64());
            look(
                text(fields.url).unwrap_or_default(),
                seq.unwrap_or(0),
                text(fields.text).unwrap_or_default(),
            );
        }
    }
    Ok(())
}

/// Checks the index in `dir`, and gives its position: 0 where there is none. The engine may panic on a damaged one.
fn inspect(dir: &Path) -> Result<u64, StoreError> {
    let of_no_use = |why: &str| StoreError::damaged(dir.display().to_string(), why);
    let refused = |error: io::Error| opening(dir, &error.into());
    if !dir.join("meta.json").try_exists().map_err(refused)? {
        return match dir.read_dir().map_err(refused)?.next() {
            None => Ok(0),
            Some(_) => Err(of_no_use("the index has no meta.json")),
        };
    }
    let damaged = |error: TantivyError| opening(dir, &error);
    let index = Index::open_in_dir(dir).map_err(damaged)?;
    if index.schema() != Fields::new().schema {
        return Err(of_no_use("the index has the fields of another version"));
    }
    let broken = index.validate_checksum().map_err(damaged)?;
    if let Some(file) = broken.iter().min() {
        let why = format!("the index is damaged: checksum of {}", file.display());
        return Err(of_no_use(&why));
    }
    let metas = index.load_metas().map_err(damaged)?;
    let payload = match &metas.payload {
        None if documents(&metas) == 0 => return Ok(0),
        _ => payload_of(&metas),
    };
    let Some(payload) = payload else {
        return Err(of_no_use("the index does not say which records it holds"));
    };
    if (payload.scheme, payload.words) != (INDEX_SCHEME, SEGMENT_SCHEME) {
        return Err(of_no_use("the index was built by another version's words"));
    }
    Ok(payload.position)
}

fn payload_of(metas: &IndexMeta) -> Option<Payload> {
    serde_json::from_str(metas.payload.as_ref()?).ok()
}

/// The journal position of the last commit, 0 for an index in which nothing was committed; `None` where it cannot be
/// read.
pub(crate) fn position_of(index: &Index) -> Option<u64> {
    let metas = index.load_metas().ok()?;
    match &metas.payload {
        None if documents(&metas) == 0 => Some(0),
        _ => payload_of(&metas).map(|payload| payload.position),
    }
}

fn documents(metas: &IndexMeta) -> u64 {
    let segments = metas.segments.iter();
    segments.map(|segment| u64::from(segment.num_docs())).sum()
}
