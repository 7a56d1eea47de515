//! Kept pages to the search index, in journal order, by a thread of its own.
//!
//! The index keeps the journal position of what it holds in its commit, so after a crash exactly
//! what is missing is added again from the archive.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use archive::{Event, PageSummary, Record};
use index::{Document, PageIndex};
use segment::Words;
use state::kept::KeptChange;

use crate::error::CrawlError;
use crate::messages::ToPublisher;

/// Documents between two commits at most. Tantivy takes ten thousand into its queue before it makes
/// its caller wait; a commit lets the queue drain, so no more than these wait when it is slow.
const COMMIT_DOCUMENTS_MAX: usize = 1_000;

/// Bytes of text between two commits at most, for the same reason: long documents would come to
/// a hundred megabytes before they are a thousand.
const COMMIT_BYTES_MAX: usize = 8 << 20;

/// Longest time a kept page stays unsearchable.
const COMMIT_INTERVAL: Duration = Duration::from_secs(10);

/// A kept page as it travels to the index.
#[derive(Debug)]
pub(crate) struct KeptDocument {
    /// Its record, for the fields.
    pub page: PageSummary,
    /// The record's number.
    pub seq: u64,
    /// Canonical URL.
    pub url: String,
    /// Host key.
    pub host: String,
    /// Main text.
    pub text: String,
    /// When it was fetched, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// The text's words.
    pub words: Words,
}

impl KeptDocument {
    /// As the index wants it.
    pub(crate) fn document(&self) -> Document<'_> {
        Document {
            seq: self.seq,
            url: &self.url,
            host: &self.host,
            title: &self.page.title,
            text: &self.text,
            lang: &self.page.lang,
            author: self.page.author.as_deref(),
            published: self.page.published.as_deref(),
            fetched_at_ms: self.at_ms,
            fingerprint: u64::from_str_radix(&self.page.fingerprint, 16).unwrap_or(0),
            relevance: self.page.relevance,
            page_type: self.page.page_type.clone(),
            words: Some(&self.words),
        }
    }
}

/// A change of the index.
#[derive(Debug)]
pub(crate) enum Publication {
    /// A page was kept.
    Add(Box<KeptDocument>),
    /// A page left for a better representative.
    Remove(String),
}

/// What a record changes in the index, in order; `kept` is what it changed among the kept pages,
/// and `read` gives the text and words of the page that it keeps.
pub(crate) fn changes(
    record: &Record,
    kept: KeptChange,
    read: impl FnOnce() -> (String, Words),
) -> Vec<Publication> {
    let removed = kept.removed.map(|url| Publication::Remove(url.into()));
    let added = match &record.event {
        Event::Page(page) if kept.added => Some(page),
        _ => None,
    };
    let added = added.map(|page| {
        let (text, words) = read();
        Publication::Add(Box::new(KeptDocument {
            page: page.page.clone().unwrap_or_default(),
            seq: record.seq,
            url: page.url.clone(),
            host: page.host.clone(),
            text,
            at_ms: record.at_ms,
            words,
        }))
    });
    removed.into_iter().chain(added).collect()
}

/// Works until the inbox closes; the last commit is made then.
///
/// # Errors
/// When the index cannot be written.
pub(crate) fn run(index: &mut PageIndex, inbox: &Receiver<ToPublisher>) -> Result<(), CrawlError> {
    let (mut waiting, mut waiting_bytes) = (0, 0);
    let mut reached = None;
    let mut due = Instant::now() + COMMIT_INTERVAL;
    loop {
        match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(ToPublisher::Change(change)) => {
                if let Publication::Add(kept) = &change {
                    waiting_bytes += kept.text.len();
                }
                apply(index, change)?;
                waiting += 1;
                reached = None;
                continue;
            }
            Ok(ToPublisher::Reached(position)) => reached = Some(position),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Only between groups is the position true of everything that was added.
        let is_full = waiting >= COMMIT_DOCUMENTS_MAX || waiting_bytes >= COMMIT_BYTES_MAX;
        let is_due = is_full || Instant::now() >= due;
        if let Some(position) = reached.filter(|_| is_due && waiting > 0) {
            index.commit(position)?;
            (waiting, waiting_bytes) = (0, 0);
        }
        if is_due {
            due = Instant::now() + COMMIT_INTERVAL;
        }
    }
    if let Some(position) = reached {
        index.commit(position)?;
    }
    Ok(())
}

/// Makes one change of the index.
pub(crate) fn apply(index: &mut PageIndex, change: Publication) -> Result<(), CrawlError> {
    match change {
        Publication::Add(kept) => index.add(&kept.document())?,
        Publication::Remove(url) => index.delete(&url),
    }
    Ok(())
}
