//! Kept pages to the search index, in journal order, by a thread of its own.
//!
//! The index keeps the journal position of what it holds in its commit, so after a crash exactly
//! what is missing is added again from the archive.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use archive::{Event, Record};
use index::PageIndex;
use segment::Words;
use state::kept::KeptChange;

use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::messages::{Change, KeptPage, ToPublisher};

/// Documents between two commits at most. Tantivy takes ten thousand into its queue before it makes
/// its caller wait; a commit lets the queue drain, so no more than these wait when it is slow.
const COMMIT_DOCUMENTS_MAX: usize = 1_000;

/// Bytes of text between two commits at most, for the same reason: long documents would come to
/// a hundred megabytes before they are a thousand.
const COMMIT_BYTES_MAX: usize = 8 << 20;

/// Longest time a kept page stays unsearchable.
const COMMIT_INTERVAL: Duration = Duration::from_secs(10);

/// What a record changes in the index, in order; `kept` is what it changed among the kept pages,
/// and `read` gives the text and words of the page that it keeps.
pub(crate) fn changes(
    record: &Record,
    kept: KeptChange,
    read: impl FnOnce() -> (String, Words),
) -> Vec<Change> {
    let mut removed: Vec<Change> = Vec::new();
    let page = match &record.event {
        Event::Page(page) => Some(&**page),
        Event::Visit(visit) => {
            if visit.ends_version() && visit.was.is_indexed() {
                removed.push(Change::Withdrawn(visit.url.clone()));
            }
            visit.version()
        }
        Event::Start(_)
        | Event::Seed(_)
        | Event::Robots(_)
        | Event::Sitemap(_)
        | Event::Attempt(_)
        | Event::Retry(_)
        | Event::Again(_)
        | Event::Elsewhere(_)
        | Event::Stop(_) => None,
    };
    let left = kept.removed.into_iter();
    removed.extend(left.map(|url| Change::Withdrawn(url.into())));
    let added = page.filter(|_| kept.added);
    let added = added.map(|page| {
        let (text, words) = read();
        Change::Kept(Box::new(KeptPage {
            summary: page.page.clone().unwrap_or_default(),
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

/// Is told each change of the kept pages, after its record is safe on disk, in journal order.
pub type OnChange = Box<dyn FnMut(&Change) + Send>;

/// Works until the inbox closes; the last commit is made then. `tell` hears of each change.
///
/// # Errors
/// When the index cannot be written.
pub(crate) fn run(
    index: &mut PageIndex,
    inbox: &Receiver<ToPublisher>,
    mut tell: Option<OnChange>,
) -> Result<(), CrawlError> {
    let (mut waiting, mut waiting_bytes) = (0, 0);
    let mut reached = None;
    let mut due = Instant::now() + COMMIT_INTERVAL;
    loop {
        fail_point!("publish:before");
        match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(ToPublisher::Change(change)) => {
                if let Change::Kept(kept) = &change {
                    waiting_bytes += kept.text.len();
                }
                if let Some(tell) = &mut tell {
                    tell(&change);
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
pub(crate) fn apply(index: &mut PageIndex, change: Change) -> Result<(), CrawlError> {
    match change {
        Change::Kept(kept) => index.add(&kept.document())?,
        Change::Withdrawn(url) => index.delete(&url),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use archive::PageRecord;

    use super::*;

    fn changed(kept: KeptChange) -> Vec<String> {
        let page = PageRecord {
            url: "http://a.example/new".into(),
            ..PageRecord::default()
        };
        let record = Record {
            seq: 7,
            at_ms: 0,
            event: Event::Page(Box::new(page)),
        };
        let changes = changes(&record, kept, Default::default).into_iter();
        changes
            .map(|change| match change {
                Change::Kept(page) => format!("+{} {}", page.seq, page.url),
                Change::Withdrawn(url) => format!("-{url}"),
            })
            .collect()
    }

    #[test]
    fn a_page_that_takes_the_place_of_another_removes_it_first() {
        let kept = |removed: Option<&str>, added| KeptChange {
            removed: removed.into_iter().map(Into::into).collect(),
            added,
            problem: None,
        };
        assert!(changed(kept(None, false)).is_empty());
        assert_eq!(changed(kept(None, true)), ["+7 http://a.example/new"]);
        assert_eq!(
            changed(kept(Some("http://a.example/old"), true)),
            ["-http://a.example/old", "+7 http://a.example/new"]
        );
    }
}
