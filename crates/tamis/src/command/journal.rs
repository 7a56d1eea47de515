//! Reading a crawl's journal, whether it runs or not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use archive::{ArchiveError, Position, Record, Replay, Replayed, Texts, Unread};
use pipeline::CrawlDir;
use report::{KeptSince, body_places, text_places};

use crate::command::{copies, crawl_error, in_full};
use crate::exit::{resource, usage};

/// A crawl that must exist.
///
/// # Errors
/// When there is none, or it is named by where its copies are.
pub fn open(dir: &Path) -> anyhow::Result<CrawlDir> {
    if copies::is_place(dir) {
        return Err(usage(format!(
            "{} is a place of copies: this needs the crawl's own directory; status, report, export, explain, search and \
             check-dir read copies",
            dir.display()
        )));
    }
    CrawlDir::existing(dir).map_err(crawl_error)
}

/// Why a reading of a journal ended before its end. Readers are plain iterators over records,
/// which folds can take; what ended one early is told when the command ends.
static ENDED_EARLY: Mutex<Option<ArchiveError>> = Mutex::new(None);

/// What could not be read of texts and bodies, which is told when the command ends as well.
static UNREAD: Mutex<Option<Unread>> = Mutex::new(None);

/// Every record that can be read, in order. Damaged places are left out; `check-dir` names them.
///
/// # Errors
/// When the journal cannot be read, or its first record is a newer version's. For what ends the
/// reading later, see [`read_to_its_end`].
pub fn records(dir: &CrawlDir) -> anyhow::Result<impl Iterator<Item = Record> + use<>> {
    let mut replay = archive::replay(&dir.archive(), Position::START)
        .map_err(cannot_read)?
        .peekable();
    if let Some(Err(error)) = replay.next_if(Result::is_err) {
        return Err(cannot_read(error));
    }
    let readable = replay.map_while(|replayed| match replayed {
        Ok(replayed) => Some(replayed),
        Err(error) => {
            *ENDED_EARLY.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            None
        }
    });
    Ok(readable.filter_map(|replayed| match replayed {
        Replayed::Record { record, .. } => Some(record),
        Replayed::Damage(_) => None,
    }))
}

/// How many pages are kept by what stands behind a place in the journal, as far as that can be read.
pub fn kept_since(dir: &CrawlDir, place: Position) -> u64 {
    let mut kept = KeptSince::default();
    let replay = archive::replay(&dir.archive(), place);
    for replayed in replay.into_iter().flat_map(Replay::with_bare_links) {
        match replayed {
            Ok(Replayed::Record { record, .. }) => kept.add(&record),
            Ok(Replayed::Damage(_)) => {}
            Err(_) => break,
        }
    }
    kept.count()
}

/// Checks that no reading ended early, and that each text and body was read that was asked for.
///
/// # Errors
/// What ended it, or could not be read: what was printed is not the whole.
pub fn read_to_its_end() -> anyhow::Result<()> {
    let ended = ENDED_EARLY
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    ended.map_or(Ok(()), |error| Err(cannot_read(error)))?;
    let unread = UNREAD.lock().unwrap_or_else(PoisonError::into_inner).take();
    unread.map_or(Ok(()), |unread| Err(without(&unread)))
}

fn without(unread: &Unread) -> anyhow::Error {
    match unread.is_withheld() {
        true => resource(format!(
            "{unread}; put the file back or mend what keeps it from being read, and give the command again"
        )),
        false => anyhow::anyhow!("{unread}; all that is damaged: tamis check-dir"),
    }
}

fn cannot_read(error: ArchiveError) -> anyhow::Error {
    let newer = matches!(error, ArchiveError::NewerJournal { .. });
    let words = in_full(&error);
    resource(match newer {
        true => {
            format!("{words}; use the Tamis that wrote it, or a newer one; nothing was changed")
        }
        false => format!("cannot read the archive: {words}"),
    })
}

/// A crawl's archived texts and bodies. What of them cannot be read is told when the command ends.
pub fn archived(dir: &CrawlDir) -> Archived {
    Archived(dir.texts())
}

/// See [`archived`].
#[derive(Debug)]
pub struct Archived(Texts);

impl Deref for Archived {
    type Target = Texts;

    fn deref(&self) -> &Texts {
        &self.0
    }
}

impl Drop for Archived {
    fn drop(&mut self) {
        if let Some(unread) = self.0.take_unread() {
            let mut before = UNREAD.lock().unwrap_or_else(PoisonError::into_inner);
            *before = Some(unread.after(before.take()));
        }
    }
}

/// The main texts of these pages, by record number: as archived, else extracted again from the
/// archived body. Without a topic the texts of dropped pages are not archived. A page that has
/// neither, or whose archive cannot be read there, has no entry.
///
/// # Errors
/// When the journal cannot be read.
pub fn texts(dir: &CrawlDir, pages: &BTreeSet<u64>) -> anyhow::Result<BTreeMap<u64, String>> {
    let wanted: Vec<Record> = records(dir)?
        .filter(|record| pages.contains(&record.seq))
        .take(pages.len())
        .collect();
    let archived = archived(dir);
    let mut texts: BTreeMap<u64, String> = text_places(wanted.iter().cloned(), pages)
        .iter()
        .filter_map(|(page, at)| Some((*page, archived.text(at)?)))
        .collect();
    for (page, (url, at)) in body_places(wanted, pages) {
        if !texts.contains_key(&page)
            && let Some(text) = documents::body_text(&archived, &url, &at)
        {
            texts.insert(page, text);
        }
    }
    Ok(texts)
}
