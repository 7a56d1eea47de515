//! Does everything in a crawl's directory agree?
//!
//! The journal is read once from its beginning. From it follows what every view must hold:
//! admitted = pending + finished; no URL finished twice; every kept page in the tables and in the
//! search index, once, with its archived text; no fingerprint without its record; every duplicate of a
//! page that was kept. Every archived body and text of which it tells can be read.
//! What is saved of the crawl's memory is what the records before it give, from the first on. With
//! `rejudge`, each recorded verdict is made again from its recorded inputs, in order.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use archive::{Position, Replayed};
use frontier::Frontier;
use index::PageIndex;
use serde::Serialize;
use simhash::{IndexConfig, Memory, TableIndex};
use state::{Lent, State, Stored};

use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::memory;
use crate::progress::Progress;
use crate::saved_file::{self, Saved, Unusable};
use crate::setup;
use crate::views::{self, index_config};

mod bodies;
mod journal;
mod read_only;
mod rejudge;

use bodies::Bodies;
use journal::{Journal, read_journal};
use read_only::Look;

/// Problems listed one by one; the rest is counted.
const PROBLEMS_MAX: usize = 100;

/// What a check found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CheckReport {
    /// Records read.
    pub records: u64,
    /// URLs admitted, sitemaps apart.
    pub admitted: u64,
    /// URLs finished.
    pub finished: u64,
    /// Pages kept.
    pub kept: u64,
    /// Verdicts made again.
    pub rejudged: u64,
    /// What disagrees.
    pub problems: Vec<String>,
    /// Problems beyond those listed.
    pub problems_more: u64,
    /// What is behind the journal, as after a stop at any moment: the next start brings it up.
    pub lagging: Vec<String>,
    /// Damaged places of the archive that no repair has seen.
    pub damage: Vec<String>,
    /// Damaged places that a repair has seen: their records are lost for good.
    pub lost: Vec<String>,
    /// Problems that may follow from records that are lost.
    #[serde(skip)]
    doubts: Vec<String>,
    #[serde(skip)]
    doubts_more: u64,
    /// Files of the archive with texts that are not there at all: while one is missing, no repair makes anything anew.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// What was not checked, and why: on a disk that cannot be written, views that are too large to be copied.
    pub unchecked: Vec<String>,
}

impl CheckReport {
    /// Whether everything agrees.
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.damage.is_empty()
    }

    /// Whether a view is behind the journal. A stop at any moment leaves it so.
    fn lags(&mut self, view: &str, position: u64, dir: &CrawlDir) -> Result<bool, CrawlError> {
        let is_behind = position < archive::end(&dir.archive())?.0;
        if is_behind {
            self.lagging.push(format!(
                "{view}: the last records are not in it yet; the next start brings it up"
            ));
        }
        Ok(is_behind)
    }

    /// Notes what is a problem, unless a repair has seen that records are lost.
    fn doubt(&mut self, text: String) {
        if self.doubts.len() < PROBLEMS_MAX {
            self.doubts.push(text);
        } else {
            self.doubts_more += 1;
        }
    }

    fn problem(&mut self, text: String) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(text);
        } else {
            self.problems_more += 1;
        }
    }
}

/// Checks a crawl that is not running. Of one on a disk that cannot be written the views are checked in
/// copies.
///
/// # Errors
/// When another process has the directory, or it cannot be read.
pub fn check(
    dir: &CrawlDir,
    config: &Arc<CrawlConfig>,
    rejudge: bool,
) -> Result<CheckReport, CrawlError> {
    let look = Look::at(dir)?;
    let mut report = CheckReport::default();
    let mut bodies = Bodies::check(dir)?;
    let journal = read_journal(dir, config, rejudge, &mut bodies, &mut report)?;
    let damaged_records = report.damage.clone();
    report.damage.extend(bodies.damage());
    report.absent = bodies.absent_files();
    // On many machines what waits, and who has it, is the ledger's to know.
    if !journal.is_node {
        if let Some(view) = look.view(&dir.frontier(), "the frontier", &mut report) {
            check_frontier(dir, &view.path, config, &journal, &mut report)?;
        }
        // What was learnt of texts that are lost cannot be learnt again.
        if bodies.are_whole() {
            check_memory(dir, config, &mut report)?;
        }
    }
    if let Some(view) = look.view(&dir.fingerprints(), "the fingerprint tables", &mut report) {
        check_tables(dir, &view.path, config, &journal, &mut report)?;
    }
    if let Some(view) = look.view(&dir.index(), "the search index", &mut report) {
        check_index(dir, &view.path, &journal, &mut report)?;
    }
    let seen = seen_by_repair(dir)?;
    let is_seen = |damage: &String| seen.contains(damage);
    (report.lost, report.damage) = report.damage.into_iter().partition(is_seen);
    let doubts = std::mem::take(&mut report.doubts);
    if !damaged_records.iter().any(|damage| seen.contains(damage)) {
        doubts.into_iter().for_each(|doubt| report.problem(doubt));
        report.problems_more += std::mem::take(&mut report.doubts_more);
    }
    Ok(report)
}

/// A view as it is; none where it is damaged, which is a problem. It stays where it is: the next check finds the
/// same, and the next start sets it aside.
fn as_it_is<T, E: Into<CrawlError>>(
    (view, it): (&str, &str),
    report: &mut CheckReport,
    open: impl FnOnce() -> Result<T, E>,
) -> Result<Option<T>, CrawlError> {
    let error = match kv::as_they_are(open).map_err(E::into) {
        Ok(view) => return Ok(Some(view)),
        Err(error) => error,
    };
    let Some(why) = error.damage() else {
        return Err(error);
    };
    report.problem(format!(
        "{view} damaged: {why}; the next start rebuilds {it}"
    ));
    Ok(None)
}

fn check_frontier(
    dir: &CrawlDir,
    view: &Path,
    config: &CrawlConfig,
    journal: &Journal,
    report: &mut CheckReport,
) -> Result<(), CrawlError> {
    let frontier_config = setup::frontier_config(config);
    let opened = as_it_is(("the frontier is", "it"), report, || {
        Frontier::open(view, frontier_config, Instant::now())
    })?;
    let Some((frontier, opened)) = opened else {
        return Ok(());
    };
    if report.lags("the frontier", opened.position, dir)? {
        return Ok(());
    }
    let counts = frontier.counts();
    if counts.admitted != counts.pending + counts.in_flight + counts.finished {
        report.problem(format!(
            "the frontier's sum does not close: {} admitted, {} pending, {} in flight, {} finished",
            counts.admitted, counts.pending, counts.in_flight, counts.finished
        ));
    }
    let finished = journal.finished.len().saturating_sub(journal.due.len()) as u64;
    if counts.finished < finished {
        report.problem(format!(
            "the journal has {finished} finished URLs, the frontier {}",
            counts.finished
        ));
    }
    Ok(())
}

fn check_tables(
    dir: &CrawlDir,
    view: &Path,
    config: &CrawlConfig,
    journal: &Journal,
    report: &mut CheckReport,
) -> Result<(), CrawlError> {
    let opened = as_it_is(("the fingerprint tables are", "them"), report, || {
        TableIndex::open(view, &index_config(config))
    })?;
    let Some((tables, opened)) = opened else {
        return Ok(());
    };
    if report.lags("the fingerprint tables", opened.position, dir)? {
        return Ok(());
    }
    for (seq, url) in &journal.kept {
        if tables.get(*seq)?.is_none() {
            report.problem(format!(
                "{url} (record {seq}) is kept but has no fingerprint in the tables"
            ));
        }
    }
    if tables.len() != journal.kept.len() + journal.kept_elsewhere.len() {
        report.problem(format!(
            "{} pages are kept, the tables hold {}",
            journal.kept.len(),
            tables.len()
        ));
    }
    Ok(())
}

fn check_index(
    dir: &CrawlDir,
    view: &Path,
    journal: &Journal,
    report: &mut CheckReport,
) -> Result<(), CrawlError> {
    let opened = as_it_is(("the search index is", "it"), report, || {
        PageIndex::open(view)
    })?;
    let Some((index, opened)) = opened else {
        return Ok(());
    };
    let mut wanted: HashSet<&str> = journal.kept.values().map(String::as_str).collect();
    let behind = report.lags("the search index", opened.position, dir)?;
    let texts = dir.texts();
    let mut other_texts = 0;
    let mut first_other = None;
    let mut look = |url: &str, page: u64, text: &str| {
        let archived = journal.texts.get(&page).and_then(|at| texts.text(at));
        if archived.is_some_and(|archived| archived != text) {
            other_texts += 1;
            first_other.get_or_insert_with(|| url.to_owned());
        }
        // Of a page that has left since, one that is behind knows nothing.
        let may_have_left = behind && journal.ever_kept.contains(&page);
        if !wanted.remove(url) && !may_have_left {
            report.problem(format!(
                "{url} stands in the search index but is not kept, or stands there twice"
            ));
        }
    };
    index.each(&mut look)?;
    if let Some(url) = first_other {
        report.problem(format!(
            "the search index has {other_texts} pages with other texts than the archive, {url} first; `tamis check-dir \
             --repair` builds it again"
        ));
    }
    if !behind {
        for url in wanted {
            report.problem(format!("{url} is kept but not in the search index"));
        }
    }
    Ok(())
}

/// What was saved of the state's memory is what the records up to there give, from the first on.
fn check_memory(
    dir: &CrawlDir,
    config: &CrawlConfig,
    report: &mut CheckReport,
) -> Result<(), CrawlError> {
    let saved = match Saved::open(&dir.memory(), memory::FORM) {
        Ok(saved) => saved,
        Err(Unusable::Missing) => return Ok(()),
        Err(Unusable::Because(why)) => {
            let lagging = &mut report.lagging;
            lagging.push(format!("memory: {why}; the next start builds it again"));
            return Ok(());
        }
    };
    let frontier = Frontier::in_memory(setup::frontier_config(config), Instant::now());
    let prints = TableIndex::in_memory(&in_ram(config))?;
    let state = State::new(setup::policy(config)?, frontier, prints);
    let mut state = state.map_err(|error| CrawlError::Setup(error.to_string()))?;
    let is_ahead = saved.position > archive::end(&dir.archive())?.0;
    if is_ahead || !saved.is_of(state.settings()) {
        // The next start builds it again.
        return Ok(());
    }
    // What the stores hold is checked elsewhere.
    let stored = Stored {
        frontier: true,
        links: true,
        prints: true,
        views: false,
    };
    let texts = dir.texts();
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        if position.0 > saved.position {
            break;
        }
        state.apply(&record, stored, Lent::default(), |at| texts.text(at))?;
    }
    texts.all_there()?;
    let given = memory::hash_of(&state);
    match (saved.hash(), given) {
        (Ok(saved), Ok(given)) if saved == given => {}
        (Ok(_), Ok(_)) => report.problem(
            "memory: what was saved is not what the journal gives; `tamis check-dir --repair` \
             builds it again"
                .to_owned(),
        ),
        (Err(error), _) => report.problem(format!("memory: cannot be read: {error}")),
        (_, Err(error)) => report.problem(format!("memory: cannot be made again: {error}")),
    }
    Ok(())
}

/// The tables of a crawl, in memory.
fn in_ram(config: &CrawlConfig) -> IndexConfig {
    IndexConfig {
        memory: Memory::Ram,
        ..index_config(config)
    }
}

/// Throws the views away, so that the next open rebuilds them from the archive.
///
/// # Errors
/// When another process has the directory, or it cannot be written; and, before anything is thrown away, when a file
/// with archived texts is not there or cannot be read.
pub fn repair(dir: &CrawlDir, config: &Arc<CrawlConfig>) -> Result<Vec<String>, CrawlError> {
    let _lock = dir.lock()?;
    let damage = damage_of(dir)?;
    for view in [dir.frontier(), dir.fingerprints(), dir.index()] {
        views::remove(&view)?;
    }
    saved_file::remove(&dir.memory())?;
    saved_file::remove(&dir.visits())?;
    note_damage(dir, &damage)?;
    Ok(views::open(dir, config, &Progress::default(), crate::node::is_node(dir))?.notes)
}

/// Damaged places that a repair has seen.
pub(crate) fn seen_by_repair(dir: &CrawlDir) -> Result<HashSet<String>, CrawlError> {
    match std::fs::read_to_string(dir.damage_seen()) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HashSet::new()),
        Err(source) => Err(CrawlError::Directory {
            what: format!("read {}", dir.damage_seen().display()),
            source,
        }),
    }
}

/// The damaged places of the archive, a line each.
///
/// # Errors
/// When it cannot be read, or a file with texts is not there at all.
fn damage_of(dir: &CrawlDir) -> Result<String, CrawlError> {
    let mut damage = String::new();
    let mut bodies = Bodies::check(dir)?;
    let mut note = |found: &str| {
        damage.push_str(found);
        damage.push('\n');
    };
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        match replayed? {
            Replayed::Damage(found) => note(&found.to_string().replace('\n', " ")),
            Replayed::Record { record, .. } => bodies.look(&record),
        }
    }
    bodies.damage().for_each(|found| note(&found));
    let texts = dir.texts();
    bodies.text_without_file().and_then(|at| texts.text(at));
    texts.all_there().map_err(CrawlError::Texts)?;
    Ok(damage)
}

/// Notes the damaged places of the archive: what stood there cannot be had again, and a later check
/// does not ask for it any more.
fn note_damage(dir: &CrawlDir, damage: &str) -> Result<(), CrawlError> {
    if damage.is_empty() {
        return Ok(());
    }
    std::fs::write(dir.damage_seen(), damage).map_err(|source| CrawlError::Directory {
        what: format!("write {}", dir.damage_seen().display()),
        source,
    })
}
