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
use crate::held::{self, Held};
use crate::messages::{Change, KeptPage, ToPublisher};

/// Documents between two commits at most. Tantivy takes ten thousand into its queue before it makes
/// its caller wait; a commit lets the queue drain, so no more than these wait when it is slow.
const COMMIT_DOCUMENTS_MAX: usize = 1_000;

/// Bytes of text between two commits at most, for the same reason: long documents would come to
/// a hundred megabytes before they are a thousand.
const COMMIT_BYTES_MAX: usize = 8 << 20;

/// Longest time a kept page stays unsearchable, and the longest part of a crawl of which a start reads the journal
/// again for the index. A commit takes a tenth of a second, so a hundredth of the time goes to it at most.
pub(crate) const COMMIT_INTERVAL: Duration = Duration::from_secs(10);

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

/// The changes that follow from a finding, the last of which holds what is left of its memory: of a kept page, text
/// and words.
pub(crate) fn held_by(changes: Vec<Change>, mut held: Held) -> Vec<(Change, Held)> {
    let last = changes.len();
    let changes = changes.into_iter().enumerate();
    changes
        .map(|(at, change)| {
            let held = match &change {
                Change::Kept(page) if at + 1 == last => {
                    held.keep(held::bytes_of_text(&page.text, &page.words) as u64);
                    std::mem::take(&mut held)
                }
                Change::Kept(_) | Change::Withdrawn(_) => Held::default(),
            };
            (change, held)
        })
        .collect()
}

/// Is told each change of the kept pages, after its record is safe on disk, in journal order.
pub type OnChange = Box<dyn FnMut(&Change) + Send>;

/// Works until the inbox closes; the last commit is made then. `tell` hears of each change, and a commit is made
/// `every` so often, or when much waits for one.
///
/// # Errors
/// When the index cannot be written.
pub(crate) fn run(
    index: &mut PageIndex,
    inbox: &Receiver<ToPublisher>,
    mut tell: Option<OnChange>,
    every: Duration,
) -> Result<(), CrawlError> {
    let mut taken = Uncommitted::default();
    let mut due = Instant::now() + every;
    loop {
        fail_point!("publish:before");
        match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
            // What it takes is given back once the index has its own copy, which a commit lets go of.
            Ok(ToPublisher::Change(change, _held)) => {
                taken.change(&change);
                if let Some(tell) = &mut tell {
                    tell(&change);
                }
                apply(index, change)?;
                continue;
            }
            Ok(ToPublisher::Reached(position)) => taken.reached = Some(position),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let is_due = taken.is_full() || Instant::now() >= due;
        if let Some(position) = taken.position().filter(|_| is_due) {
            index.commit(position)?;
            taken = Uncommitted::since(position);
        }
        if is_due {
            due = Instant::now() + every;
        }
    }
    if let Some(position) = taken.position() {
        index.commit(position)?;
    }
    Ok(())
}

/// What the index has taken in since its last commit.
#[derive(Debug, Default)]
struct Uncommitted {
    documents: usize,
    bytes: usize,
    /// The journal position of all that was taken in, between two groups: only there is it true of everything.
    reached: Option<u64>,
    /// The position of the last commit.
    committed: Option<u64>,
}

impl Uncommitted {
    fn since(position: u64) -> Uncommitted {
        Uncommitted {
            committed: Some(position),
            ..Uncommitted::default()
        }
    }

    fn change(&mut self, change: &Change) {
        self.documents += 1;
        if let Change::Kept(kept) = change {
            self.bytes += kept.text.len();
        }
        self.reached = None;
    }

    fn is_full(&self) -> bool {
        self.documents >= COMMIT_DOCUMENTS_MAX || self.bytes >= COMMIT_BYTES_MAX
    }

    /// The position to commit, if that is another than the last. A journal that grows though no page is kept
    /// moves it as well: else a start would read all of that again.
    fn position(&self) -> Option<u64> {
        self.reached
            .filter(|position| self.committed != Some(*position))
    }
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
    fn a_journal_that_grows_though_no_page_is_kept_moves_the_position() {
        // It stood still, and after a kill a start read the journal of all dead seeds again.
        let dir = tempfile::tempdir().expect("a directory");
        let (mut index, _) = PageIndex::open(dir.path()).expect("opens");
        let meta = dir.path().join("meta.json");
        let has_moved = || {
            let meta = std::fs::read_to_string(&meta).unwrap_or_default();
            meta.contains("position\\\":7,")
        };
        let (out, inbox) = std::sync::mpsc::channel();
        std::thread::scope(|threads| {
            let every = Duration::from_millis(1);
            let publisher = threads.spawn(move || run(&mut index, &inbox, None, every));
            out.send(ToPublisher::Reached(7)).expect("it listens");
            let late = Instant::now() + Duration::from_secs(20);
            while !has_moved() && Instant::now() < late {
                std::thread::park_timeout(every);
            }
            // The inbox is open: this is not the commit at the end.
            assert!(has_moved());
            drop(out);
            publisher.join().expect("no panic").expect("written");
        });
    }

    #[test]
    fn what_is_committed_is_committed_once_and_between_groups_alone() {
        let mut taken = Uncommitted::since(7);
        assert_eq!(taken.position(), None);
        taken.reached = Some(7);
        assert_eq!(taken.position(), None);
        taken.reached = Some(9);
        assert_eq!(taken.position(), Some(9));
        taken.change(&Change::Withdrawn("http://a.example/".into()));
        assert_eq!(taken.position(), None);
        taken.reached = Some(12);
        assert_eq!((taken.position(), taken.documents), (Some(12), 1));
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
