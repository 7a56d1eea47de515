//! Does everything in a crawl's directory agree?
//!
//! The journal is read once from its beginning. From it follows what every view must hold:
//! admitted = pending + finished; no URL finished twice; every kept page in the tables and in the
//! search index, once; no fingerprint without its record; every duplicate of a page that was kept. Every
//! archived body and text of which it tells can be read.
//! What is saved of the crawl's memory is what the records before it give, from the first on. With
//! `rejudge`, each recorded verdict is made again from its recorded inputs, in order.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use archive::{AgainRecord, ElsewhereRecord, Event, PageRecord, Position, Replayed, VisitRecord};
use frontier::{CanonicalUrl, Frontier};
use index::PageIndex;
use outcome::{NeighbourDecision, Outcome, SitemapKind};
use serde::Serialize;
use sieve::{Keep, Rules};
use simhash::{IndexConfig, Memory, TableIndex};
use state::kept::Measured;
use state::{KeptPages, Lent, State, Stored, recorded};

use crate::config::{CrawlConfig, Recorded};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::memory;
use crate::progress::Progress;
use crate::saved_file::{self, Saved, Unusable};
use crate::setup;
use crate::views::{self, index_config};

mod bodies;
mod read_only;

use bodies::Bodies;
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
    report.damage.extend(bodies.damage());
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
    Ok(report)
}

/// What the journal says the views must hold.
#[derive(Default)]
struct Journal {
    admitted: HashSet<u128>,
    finished: HashMap<u128, bool>,
    /// To be visited again.
    due: HashSet<u128>,
    kept: HashMap<u64, String>,
    ever_kept: HashSet<u64>,
    seq: u64,
    /// The journal is that of one node among others.
    is_node: bool,
    /// Pages that other nodes keep.
    kept_elsewhere: HashSet<u64>,
}

fn key(url: &str) -> u128 {
    CanonicalUrl::parse(url).map_or(0, |url| url.key())
}

fn read_journal(
    dir: &CrawlDir,
    config: &Arc<CrawlConfig>,
    rejudge: bool,
    bodies: &mut Bodies,
    report: &mut CheckReport,
) -> Result<Journal, CrawlError> {
    let mut journal = Journal::default();
    let mut again = rejudge.then(|| Rejudge::new(config)).transpose()?;
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        let record = match replayed? {
            Replayed::Record { record, .. } => record,
            Replayed::Damage(damage) => {
                report.damage.push(damage.to_string().replace('\n', " "));
                continue;
            }
        };
        report.records += 1;
        bodies.look(&record);
        if record.seq <= journal.seq {
            report.problem(format!(
                "record {} follows record {}",
                record.seq, journal.seq
            ));
        }
        journal.seq = record.seq;
        match &record.event {
            Event::Seed(seed) => {
                if !seed.sitemap && seed.fate.is_none() {
                    admit(&seed.url, &mut journal, report);
                }
            }
            Event::Start(start) => {
                journal.is_node |= start.node.is_some();
                if let Some(again) = &mut again {
                    again.start(record.seq, &start.config, report)?;
                }
            }
            Event::Sitemap(sitemap) if sitemap.kind != SitemapKind::Index => {
                for url in &sitemap.urls {
                    admit(url, &mut journal, report);
                }
            }
            Event::Retry(retry) => {
                for (at, url) in retry.urls.iter().enumerate() {
                    if retry.origins.get(at).is_some_and(|origin| origin.left_out) {
                        admit(url, &mut journal, report);
                    }
                    if journal.finished.remove(&key(url)).is_some() {
                        report.finished -= 1;
                    }
                }
            }
            Event::Page(page) => {
                read_page(record.seq, page, &mut journal, report);
                if let Some(again) = &mut again {
                    again.page(record.seq, page, report)?;
                }
            }
            Event::Elsewhere(elsewhere) => {
                read_elsewhere(elsewhere, &mut journal);
                if let Some(again) = &mut again {
                    again.elsewhere(record.seq, elsewhere)?;
                }
            }
            Event::Again(round) => read_round(round, &mut journal, report),
            Event::Visit(visit) => {
                read_visit(record.seq, visit, &mut journal, report);
                if let Some(again) = &mut again {
                    again.visit(record.seq, visit, report)?;
                }
            }
            Event::Robots(_) | Event::Sitemap(_) | Event::Attempt(_) | Event::Stop(_) => {}
        }
    }
    report.kept = journal.kept.len() as u64;
    Ok(journal)
}

fn admit(url: &str, journal: &mut Journal, report: &mut CheckReport) {
    report.admitted += u64::from(journal.admitted.insert(key(url)));
}

fn read_page(seq: u64, page: &PageRecord, journal: &mut Journal, report: &mut CheckReport) {
    let url = key(&page.url);
    report.finished += 1;
    let kept = page.outcome.is_indexed();
    if journal.finished.insert(url, kept).is_some() {
        report.problem(format!("{} was finished twice (record {seq})", page.url));
    }
    if !journal.is_node && !journal.admitted.contains(&url) {
        report.problem(format!(
            "{} was finished but never admitted (record {seq})",
            page.url
        ));
    }
    read_version(seq, page, journal, report);
}

/// What other nodes keep, and which pages of this one gave their place up to those.
fn read_elsewhere(elsewhere: &ElsewhereRecord, journal: &mut Journal) {
    let withdraw = |journal: &mut Journal, page: u64| {
        if let Some(url) = journal.kept.remove(&page) {
            journal.finished.insert(key(&url), false);
        }
        journal.kept_elsewhere.remove(&page);
    };
    for page in &elsewhere.kept {
        if let Some(old) = page.replaces {
            withdraw(journal, old);
        }
        journal.kept_elsewhere.insert(page.page);
        journal.ever_kept.insert(page.page);
    }
    for &page in &elsewhere.withdrawn {
        withdraw(journal, page);
    }
}

/// URLs that are to be visited again have been finished.
fn read_round(round: &AgainRecord, journal: &mut Journal, report: &mut CheckReport) {
    for due in &round.urls {
        let url = key(&due.url);
        if !due.source && !journal.finished.contains_key(&url) {
            report.problem(format!(
                "{} is to be visited again, but is not finished",
                due.url
            ));
            continue;
        }
        journal.due.insert(url);
    }
}

/// A URL that was visited again: what was kept of it may have given its place up.
fn read_visit(seq: u64, visit: &VisitRecord, journal: &mut Journal, report: &mut CheckReport) {
    let url = key(&visit.url);
    if !journal.due.remove(&url) {
        report.problem(format!(
            "{} was visited again but was not to be (record {seq})",
            visit.url
        ));
    }
    let was_kept = journal.finished.get(&url) == Some(&true);
    if was_kept != visit.was.is_indexed() {
        report.problem(format!(
            "{} was {}kept before record {seq}, which has it otherwise",
            visit.url,
            if was_kept { "" } else { "not " }
        ));
    }
    if visit.ends_version() {
        if was_kept && journal.kept.remove(&visit.of).is_none() {
            let of = visit.of;
            report.problem(format!(
                "{} is no version of record {of} (record {seq})",
                visit.url
            ));
        }
        let is_kept = visit.outcome().is_some_and(|outcome| outcome.is_indexed());
        journal.finished.insert(url, is_kept);
    }
    if let Some(page) = &visit.page {
        read_version(seq, page, journal, report);
    }
}

/// What a page that was read says of others.
fn read_version(seq: u64, page: &PageRecord, journal: &mut Journal, report: &mut CheckReport) {
    for link in page.admitting_links() {
        if journal.admitted.insert(key(&link.url)) {
            report.admitted += 1;
        } else {
            report.problem(format!("{} was admitted twice (record {seq})", link.url));
        }
    }
    if let Some(nearest) = page
        .nearest
        .as_ref()
        .filter(|near| near.decision == NeighbourDecision::Duplicate)
        && !journal.ever_kept.contains(&nearest.page)
    {
        report.problem(format!(
            "{} is called a duplicate of record {}, which is no kept page",
            page.url, nearest.page
        ));
    }
    let replaced = page.replaces;
    if let Some(old) = replaced
        && !journal.kept.contains_key(&old)
        && !journal.kept_elsewhere.remove(&old)
    {
        report.problem(format!(
            "{} takes the place of record {old}, which is no kept page",
            page.url
        ));
    }
    if let Some(old) = replaced.and_then(|old| journal.kept.remove(&old)) {
        journal.finished.insert(key(&old), false);
    }
    if page.outcome.is_indexed() && page.page.is_some() {
        journal.kept.insert(seq, page.url.clone());
        journal.ever_kept.insert(seq);
    }
}

fn check_frontier(
    dir: &CrawlDir,
    view: &Path,
    config: &CrawlConfig,
    journal: &Journal,
    report: &mut CheckReport,
) -> Result<(), CrawlError> {
    let frontier_config = setup::frontier_config(config);
    let (frontier, opened) = Frontier::open(view, frontier_config, Instant::now())?;
    if let Some(why) = opened.rebuilt_because {
        report.problem(format!(
            "the frontier is damaged: {why}; the next start rebuilds it"
        ));
        return Ok(());
    }
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
    let (tables, opened) = TableIndex::open(view, &index_config(config))?;
    if let Some(why) = opened.rebuilt_because {
        report.problem(format!(
            "the fingerprint tables are damaged: {why}; the next start rebuilds them"
        ));
        return Ok(());
    }
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
    let (index, opened) = PageIndex::open(view)?;
    if let Some(why) = opened.rebuilt_because {
        report.problem(format!(
            "the search index is damaged: {why}; the next start rebuilds it"
        ));
        return Ok(());
    }
    let mut wanted: HashSet<&str> = journal.kept.values().map(String::as_str).collect();
    let behind = report.lags("the search index", opened.position, dir)?;
    for (url, page) in index.urls()? {
        // Of a page that has left since, one that is behind knows nothing.
        let may_have_left = behind && journal.ever_kept.contains(&page);
        if !wanted.remove(url.as_str()) && !may_have_left {
            report.problem(format!(
                "{url} stands in the search index but is not kept, or stands there twice"
            ));
        }
    }
    if !behind {
        for url in wanted {
            report.problem(format!("{url} is kept but not in the search index"));
        }
    }
    Ok(())
}

/// Makes verdicts again from what was recorded, in the way in which they were made.
struct Rejudge {
    rules: Rules,
    keep: Keep,
    asked: IndexConfig,
    kept: KeptPages,
}

impl Rejudge {
    fn new(config: &CrawlConfig) -> Result<Self, CrawlError> {
        let asked = in_ram(config);
        Ok(Self {
            rules: setup::rules(config),
            keep: config.dedup.keep,
            kept: KeptPages::new(TableIndex::in_memory(&asked)?),
            asked,
        })
    }

    /// The rules in force from here on, as the start recorded them.
    fn start(
        &mut self,
        seq: u64,
        config: &serde_json::Value,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        let Recorded { config, unreadable } = CrawlConfig::recorded(config);
        if !unreadable.is_empty() {
            let what = unreadable.join("; ");
            report.problem(format!(
                "record {seq}: the configuration of this start cannot be read: {what}"
            ));
            return Ok(());
        }
        self.rules = setup::rules(&config);
        self.keep = config.dedup.keep;
        let asked = in_ram(&config);
        if self.asked != asked {
            // The kept pages stay, other neighbours are found among them.
            self.kept.change_tables(TableIndex::in_memory(&asked)?)?;
            self.asked = asked;
        }
        Ok(())
    }

    fn elsewhere(&mut self, seq: u64, elsewhere: &ElsewhereRecord) -> Result<(), CrawlError> {
        self.kept
            .apply_elsewhere(seq, elsewhere, Stored::default())?;
        Ok(())
    }

    fn page(
        &mut self,
        seq: u64,
        page: &PageRecord,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        self.judge(seq, page, None, report)?;
        self.kept.apply(seq, page, Stored::default())?;
        Ok(())
    }

    fn visit(
        &mut self,
        seq: u64,
        visit: &VisitRecord,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        if let Some(page) = visit.version() {
            self.judge(seq, page, Some(visit.of), report)?;
        }
        self.kept.apply_visit(seq, visit, Stored::default())?;
        Ok(())
    }

    /// Judges a page again; `own` is the record of the page as it was read before.
    fn judge(
        &mut self,
        seq: u64,
        page: &PageRecord,
        own: Option<u64>,
        report: &mut CheckReport,
    ) -> Result<(), CrawlError> {
        let Some(summary) = &page.page else {
            return Ok(());
        };
        let Some(print) = recorded::print_of(summary) else {
            report.problem(format!("record {seq}: its fingerprint cannot be read"));
            return Ok(());
        };
        let whole = recorded::whole_of(summary, &print);
        let measured = Measured {
            url: &page.url,
            host: &page.host,
            status: page.status(),
            page: summary,
            print: &print,
            whole: whole.as_ref(),
            own,
        };
        let again = self.kept.judge(&measured, &self.rules, self.keep)?;
        report.rejudged += 1;
        let neighbour = again.evidence.neighbour.map(|near| near.page);
        let outcome = Outcome::Judged(again.verdict);
        let replaces = again.takes_place.and(neighbour);
        if outcome != page.outcome || replaces != page.replaces {
            let words = |outcome: &Outcome, replaces: Option<u64>| {
                let verdict = outcome.verdict().unwrap_or("not judged");
                let place = replaces.map(|old| format!("in the place of record {old}"));
                let reason = outcome.reason().map(|reason| reason.into_owned());
                [Some(verdict.to_owned()), reason, place]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            report.problem(format!(
                "{} (record {seq}) was {}, and is {} when judged again",
                page.url,
                words(&page.outcome, page.replaces),
                words(&outcome, replaces),
            ));
        }
        let recorded = page.nearest.as_ref().map(|near| near.page);
        if neighbour != recorded {
            report.problem(format!(
                "{} (record {seq}): nearest was record {recorded:?}, and is {neighbour:?} when \
                 asked again",
                page.url
            ));
        }
        Ok(())
    }
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
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        let Replayed::Record { record, position } = replayed? else {
            continue;
        };
        if position.0 > saved.position {
            break;
        }
        let read = |at: &archive::BodyRef| archive::read_text(&dir.archive(), at).ok();
        state.apply(&record, stored, Lent::default(), read)?;
    }
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
/// When another process has the directory, or it cannot be written.
pub fn repair(dir: &CrawlDir, config: &Arc<CrawlConfig>) -> Result<Vec<String>, CrawlError> {
    let _lock = dir.lock()?;
    for view in [dir.frontier(), dir.fingerprints(), dir.index()] {
        match std::fs::remove_dir_all(&view) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(CrawlError::Directory {
                    what: format!("remove {}", view.display()),
                    source: error,
                });
            }
            Ok(()) | Err(_) => {}
        }
    }
    saved_file::remove(&dir.memory())?;
    saved_file::remove(&dir.visits())?;
    let notes = views::open(dir, config, &Progress::default(), crate::node::is_node(dir))?.notes;
    note_damage(dir)?;
    Ok(notes)
}

/// Damaged places that a repair has seen.
fn seen_by_repair(dir: &CrawlDir) -> Result<HashSet<String>, CrawlError> {
    match std::fs::read_to_string(dir.damage_seen()) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(HashSet::new()),
        Err(source) => Err(CrawlError::Directory {
            what: format!("read {}", dir.damage_seen().display()),
            source,
        }),
    }
}

/// Notes the damaged places of the archive: what stood there cannot be had again, and a later check
/// does not ask for it any more.
fn note_damage(dir: &CrawlDir) -> Result<(), CrawlError> {
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
    if damage.is_empty() {
        return Ok(());
    }
    std::fs::write(dir.damage_seen(), damage).map_err(|source| CrawlError::Directory {
        what: format!("write {}", dir.damage_seen().display()),
        source,
    })
}
