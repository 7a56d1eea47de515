//! The archive and its views, opened and brought up to date.
//!
//! Every view keeps, with its data, the journal position it has applied: the frontier, the prints, the
//! search index, and what the state has in memory beside them (see [`crate::memory`]). On start the
//! journal is replayed from the least of these positions: each record is applied to the views that do
//! not have it yet, as it was when it was made. Verdicts and scores are not made anew, so a view that
//! was lost, damaged or of an older form is simply one that has applied nothing. There is no recovery
//! mode: resume is start.

use std::path::Path;
use std::time::{Duration, Instant};

use archive::{Archive, BodyRef, Damage, Event, Position, RawReplayed, Record, Replayed, Texts};
use frontier::Frontier;
use index::PageIndex;
use simhash::{IndexConfig, TableIndex};
use state::{Lent, State, Stored};
use tracing::info;

use crate::check;
use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::memory::MemoryFile;
use crate::progress::Progress;
use crate::publish;
use crate::saved_file;
use crate::setup;

/// Documents added to the search index between two commits while it is rebuilt.
const REBUILD_COMMIT: usize = 5_000;

/// Records after which the frontier's and the tables' progress is stored while they are rebuilt.
const REBUILD_STORE: usize = 2_000;

/// Of the journal that all views have taken in, so many bytes before its end are looked through for damage at a
/// start: some 15,000 pages, in a tenth of a second. The rest is left to `check-dir`.
const LOOKED_THROUGH_BYTES: u64 = 16 << 20;

/// The archive and what follows from it.
pub(crate) struct Opened {
    /// The truth.
    pub(crate) archive: Archive,
    /// What the crawl knows.
    pub(crate) state: State,
    /// Full-text search.
    pub(crate) index: PageIndex,
    /// Where the state's memory is saved.
    pub(crate) memory: MemoryFile,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

/// The tables' settings.
pub(crate) fn index_config(config: &CrawlConfig) -> IndexConfig {
    config.index_config()
}

/// Opens a crawl's archive and views, and brings the views up to the archive.
///
/// # Errors
/// When the archive cannot be read, or a view cannot be written.
pub(crate) fn open(
    dir: &CrawlDir,
    config: &CrawlConfig,
    progress: &Progress,
    is_node: bool,
) -> Result<Opened, CrawlError> {
    let began = Instant::now();
    progress.update(|shown| shown.state = "loading".into());
    let mut notes = Vec::new();
    let (archive, recovery) = Archive::open(&dir.archive(), config.archive_config())?;
    notes.extend(recovery.cut.iter().map(|cut| format!("archive: {cut}")));
    let is_fresh = archive.last_seq() == 0;
    let end = archive::end(&dir.archive())?.0;
    saved_file::remove_ahead(&dir.visits(), end)?;
    if is_node {
        // On many machines the ledger has the URLs that wait, and who has them: nothing of them is taken from an
        // earlier start.
        remove(&dir.frontier())?;
    }
    let ((frontier, links), mut frontier_view) =
        open_view(&dir.frontier(), "frontier", end, &mut notes, || {
            let config = setup::frontier_config(config);
            let (frontier, opened) = Frontier::open(&dir.frontier(), config, Instant::now())?;
            let with_memory = (frontier, opened.memory_position);
            Ok((with_memory, (opened.position, opened.rebuilt_because)))
        })?;
    let mut changed = None;
    let (prints, prints_view) =
        open_view(&dir.fingerprints(), "fingerprints", end, &mut notes, || {
            let asked = index_config(config);
            let (prints, opened) = TableIndex::open(&dir.fingerprints(), &asked)?;
            changed = opened.tables_changed(asked.tables);
            Ok((prints, (opened.position, opened.rebuilt_because)))
        })?;
    notes.extend(changed.map(|changed| format!("fingerprint tables: {changed}")));
    let (index, index_view) = open_view(&dir.index(), "search index", end, &mut notes, || {
        let (index, opened) =
            PageIndex::open_within(&dir.index(), config.memory_shares().index_heap)?;
        Ok((index, (opened.position, opened.rebuilt_because)))
    })?;
    if is_node {
        frontier_view.0 = end;
    }
    let mut reached = Reached {
        frontier: frontier_view.0,
        links: if is_node { end } else { links },
        prints: prints_view.0,
        index: index_view.0,
        views: 0,
    };
    let views = [
        ("frontier", frontier_view),
        ("fingerprints", prints_view),
        ("search index", index_view),
    ];
    note_rebuilt(views, is_fresh, &mut notes);
    let mut state = State::new(setup::policy(config)?, frontier, prints)
        .map_err(|error| CrawlError::Setup(error.to_string()))?;
    let (memory, views) = MemoryFile::open(dir, &mut state, end, &mut notes)?;
    reached.views = views;
    let mut opened = Opened {
        archive,
        state,
        index,
        memory,
        notes,
    };
    let ms = began.elapsed().as_millis() as u64;
    info!(ms, "stores opened");
    opened.replay(dir, &reached, progress)?;
    opened.state.go_live()?;
    Ok(opened)
}

/// Throws a view away: the next start builds it again.
///
/// # Errors
/// When the directory cannot be written.
pub(crate) fn remove(view: &Path) -> Result<(), CrawlError> {
    match std::fs::remove_dir_all(view) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(CrawlError::Directory {
                what: format!("remove {}", view.display()),
                source,
            })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// A view's journal position, and why it was rebuilt, if it was.
type View = (u64, Option<String>);

/// Opens a view; one that knows more than the archive follows from records that are gone, as when that was restored
/// from a backup: it is thrown away and opened empty.
fn open_view<T>(
    path: &Path,
    name: &str,
    end: u64,
    notes: &mut Vec<String>,
    mut open: impl FnMut() -> Result<(T, View), CrawlError>,
) -> Result<(T, View), CrawlError> {
    let (view, opened) = open()?;
    if opened.0 <= end {
        return Ok((view, opened));
    }
    drop(view);
    remove(path)?;
    notes.push(format!(
        "{name}: rebuilt from the archive, because it was ahead of it (was the archive restored from a backup?)"
    ));
    open()
}

/// Tells the user which views are built again, and why.
fn note_rebuilt(views: [(&str, View); 3], is_fresh: bool, notes: &mut Vec<String>) {
    let told = |notes: &[String], view: &str| notes.iter().any(|note| note.starts_with(view));
    for (view, (position, why)) in views {
        match why {
            Some(why) => notes.push(format!("{view}: rebuilt from the archive, because {why}")),
            None if position == 0 && !is_fresh && !told(notes, view) => {
                notes.push(format!("{view}: rebuilt from the archive"));
            }
            None => {}
        }
    }
}

impl Opened {
    fn replay(
        &mut self,
        dir: &CrawlDir,
        reached: &Reached,
        progress: &Progress,
    ) -> Result<(), CrawlError> {
        let from = reached.least();
        let mut told = Told::new(progress, self.archive.last_seq());
        let texts = dir.texts();
        let seen = check::seen_by_repair(dir)?;
        let is_news = |damage: &Damage| !seen.contains(&damage.to_string().replace('\n', " "));
        let before = damage_before(dir, Position(from))?;
        let mut damaged: Vec<Damage> = before.into_iter().filter(is_news).collect();
        let (mut unstored, mut unindexed, mut position) = (0, 0, from);
        for replayed in archive::replay(&dir.archive(), Position(from))? {
            let (record, next) = match replayed? {
                Replayed::Record { record, position } => (record, position.0),
                Replayed::Damage(damage) => {
                    damaged.extend(Some(damage).filter(is_news));
                    continue;
                }
            };
            position = next;
            fail_point!("replay:before");
            self.apply(&record, next, reached, &texts)?;
            told.record(record.seq);
            if next > reached.views {
                self.memory.journal_at(Position(next));
            }
            unstored += usize::from(next > reached.frontier || next > reached.prints);
            if unstored >= REBUILD_STORE {
                self.store(next, reached)?;
                unstored = 0;
            }
            unindexed += usize::from(next > reached.index);
            if unindexed >= REBUILD_COMMIT {
                self.index.commit(next)?;
                unindexed = 0;
            }
        }
        if unstored > 0 {
            self.store(position, reached)?;
        }
        if unindexed > 0 {
            self.index.commit(position)?;
        }
        told.end();
        self.note_damage(&damaged, dir);
        self.notes.extend(texts.take_unread().map(|unread| {
            format!(
                "archive: {unread}; these are lost, and what was made anew is made without them: search finds their pages \
                 by title alone, and a topic learns no words from them"
            )
        }));
        Ok(())
    }

    fn note_damage(&mut self, damaged: &[Damage], dir: &CrawlDir) {
        let told = damaged.iter().map(|damage| format!("archive: {damage}"));
        self.notes.extend(told);
        if !damaged.is_empty() {
            let count = damaged.len();
            self.notes.push(format!(
                "archive: what stood in {count} damaged {} is lost; `tamis check-dir {} --repair` makes state and \
                 index anew without it, and the next start fetches the pages once more whose records were there",
                if count == 1 { "place" } else { "places" },
                dir.typed()
            ));
        }
    }

    fn store(&mut self, position: u64, reached: &Reached) -> Result<(), CrawlError> {
        let (frontier, prints) = (position.max(reached.frontier), position.max(reached.prints));
        Ok(self.state.store(frontier, prints)?)
    }

    /// Gives a record to the views that do not have it.
    fn apply(
        &mut self,
        record: &Record,
        position: u64,
        reached: &Reached,
        texts: &Texts,
    ) -> Result<(), CrawlError> {
        let read = |at: &BodyRef| texts.text(at);
        let is_indexed = position <= reached.index;
        let kept = match &record.event {
            Event::Page(page) if page.outcome.is_indexed() && !is_indexed => page.text.as_ref(),
            Event::Visit(visit) if !is_indexed => {
                let version = visit.version().filter(|page| page.outcome.is_indexed());
                version.and_then(|page| page.text.as_ref())
            }
            _ => None,
        };
        // It is read for the search index in any case.
        let text = kept.and_then(read);
        let lent = Lent {
            text: text.as_deref(),
            ..Lent::default()
        };
        let stored = Stored {
            frontier: position <= reached.frontier,
            links: position <= reached.links,
            prints: position <= reached.prints,
            views: position <= reached.views,
        };
        let applied = self.state.apply(record, stored, lent, read);
        let applied = applied?;
        // What was learnt and would be indexed without a text that may be there goes no further than this.
        texts.all_there().map_err(CrawlError::Texts)?;
        self.notes.extend(applied.problem);
        self.notes.extend(applied.kept.problem.clone());
        if is_indexed {
            return Ok(());
        }
        let read = || {
            let text = text.unwrap_or_default();
            let words = segment::Segmenter::shared().words(&text);
            (text, words)
        };
        for change in publish::changes(record, applied.kept, read) {
            publish::apply(&mut self.index, change)?;
        }
        Ok(())
    }
}

/// How far each view had come when it was opened.
struct Reached {
    frontier: u64,
    /// What links say of URLs that wait.
    links: u64,
    prints: u64,
    index: u64,
    /// What the state has in memory.
    views: u64,
}

impl Reached {
    /// Where the journal is to be replayed from.
    fn least(&self) -> u64 {
        let all = [
            self.frontier,
            self.links,
            self.prints,
            self.index,
            self.views,
        ];
        all.into_iter().min().unwrap_or(0)
    }
}

/// Tells how far the replay is.
struct Told<'p> {
    progress: &'p Progress,
    began: Instant,
    logged: Instant,
    /// The last record's number, and the number before the first that is replayed.
    last: u64,
    before: Option<u64>,
    records: u64,
}

/// Records between two looks at the clock.
const TOLD_EVERY: u64 = 64;

/// Between two lines in the log.
const LOG_INTERVAL: Duration = Duration::from_secs(5);

impl<'p> Told<'p> {
    fn new(progress: &'p Progress, last: u64) -> Self {
        let now = Instant::now();
        Self {
            progress,
            began: now,
            logged: now,
            last,
            before: None,
            records: 0,
        }
    }

    /// A record was applied.
    fn record(&mut self, seq: u64) {
        self.records += 1;
        let before = *self.before.get_or_insert(seq.saturating_sub(1));
        if !self.records.is_multiple_of(TOLD_EVERY) {
            return;
        }
        let (replayed, to_replay) = (seq - before.min(seq), self.last.saturating_sub(before));
        self.progress.update(|shown| {
            shown.state = "replaying".into();
            (shown.replayed, shown.to_replay) = (replayed, to_replay);
        });
        if self.logged.elapsed() >= LOG_INTERVAL {
            self.logged = Instant::now();
            info!(records = replayed, of = to_replay, "replaying the journal");
        }
    }

    fn end(&self) {
        let ms = self.began.elapsed().as_millis() as u64;
        info!(records = self.records, ms, "journal replayed");
    }
}

/// The damage in the last part of the journal before a place, which the views have taken in: nobody else
/// reads it before the next check.
fn damage_before(dir: &CrawlDir, end: Position) -> Result<Vec<Damage>, CrawlError> {
    let from = end.offset().saturating_sub(LOOKED_THROUGH_BYTES);
    let mut journal = archive::replay_raw(&dir.archive(), Position::new(end.file(), from))?;
    let mut found = Vec::new();
    while journal.position() < end
        && let Some(next) = journal.next_raw()
    {
        // Where it begins within a record, the rest of that is none.
        if let RawReplayed::Damage(damage) = next?
            && (damage.offset > from || from == 0)
        {
            found.push(damage);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_that_begins_again_is_told_once_with_its_reason() {
        let views = |frontier: View| {
            [
                ("frontier", frontier),
                ("fingerprints", (3, None)),
                ("search index", (3, None)),
            ]
        };
        let notes = |view: View, is_fresh, mut notes: Vec<String>| {
            note_rebuilt(views(view), is_fresh, &mut notes);
            notes
        };
        assert!(notes((0, None), true, Vec::new()).is_empty());
        assert!(notes((3, None), false, Vec::new()).is_empty());
        let lost = notes((0, None), false, Vec::new());
        assert_eq!(lost, ["frontier: rebuilt from the archive"]);
        let damaged = notes((0, Some("it is damaged".into())), false, Vec::new());
        assert_eq!(
            damaged,
            ["frontier: rebuilt from the archive, because it is damaged"]
        );
        let thrown_away = vec!["frontier: rebuilt, because it was ahead".to_owned()];
        assert_eq!(notes((0, None), false, thrown_away.clone()), thrown_away);
    }

    #[test]
    fn a_view_that_knows_more_than_the_archive_is_thrown_away_and_opened_empty() {
        let dir = tempfile::tempdir().expect("a directory");
        let view = dir.path().join("view");
        std::fs::create_dir(&view).expect("made");
        let mut notes = Vec::new();
        let opens = || Ok(((), (if view.exists() { 9 } else { 0 }, None)));
        let ((), opened) = open_view(&view, "frontier", 5, &mut notes, opens).expect("opens");
        assert_eq!(opened.0, 0);
        assert_eq!(notes.len(), 1);
    }
}
