//! A crawl as its journal tells it: a fold that follows the journal's tail.
//!
//! Nothing is read twice: the fold remembers the position it has reached and goes on from there, in
//! small steps, so that who reads the fold never waits long. A crawl in the same process hands its records
//! over, so of them nothing is read at all but what was not taken in time. A crawl that is begun anew in the same
//! directory, or a journal that was cut, is noticed, and the fold begins anew as well.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use std::time::{Duration, Instant};

use archive::{ArchiveError, Event, Position, Record, Replayed};
use pipeline::{CrawlDir, Onlooker};
use report::export::{BROKEN_ROWS_MAX, BrokenFigures, BrokenUrls, KnownLinks};
use report::{CrawlReport, Tally};

use crate::rows::Rows;

/// Records that are taken in under one lock.
const STEP_RECORDS: usize = 256;

/// Broken links are counted again at most so often.
const COUNT_AGE_MIN: Duration = Duration::from_millis(700);

/// And at most one part in so many of the time goes into counting them: it takes long for a large crawl.
const COUNT_SHARE: u32 = 200;

/// Looks for figures and URLs of one position.
const TRIES: usize = 5;

/// Everything known of a crawl by its journal up to a position.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// The figures.
    pub(crate) tally: Tally,
    /// URLs that are broken.
    broken: BrokenUrls,
    /// Which pages link where.
    links: KnownLinks,
    /// The pages.
    pub(crate) rows: Rows,
    /// How far the journal was read.
    pub(crate) position: Position,
    /// The number of the last record.
    pub(crate) last_seq: u64,
    /// Places of the journal that could not be read.
    pub(crate) damaged: u64,
    report: Option<MadeReport>,
}

/// A report, and up to where it tells.
#[derive(Debug, Clone)]
struct MadeReport {
    position: Position,
    report: Arc<CrawlReport>,
}

/// Links that lead nowhere, up to a record.
#[derive(Debug, Clone)]
pub(crate) struct CountedBroken {
    /// The last record that was looked at.
    pub(crate) record: u64,
    /// The links.
    pub(crate) figures: Arc<BrokenFigures>,
    /// Whether some of them are listed.
    has_rows: bool,
    position: Position,
    at: Instant,
    took: Duration,
}

/// A crawl's journal and what is known of it.
#[derive(Debug)]
pub(crate) struct Follower {
    dir: CrawlDir,
    name: String,
    /// Where a crawl in this process puts its records.
    onlooker: Option<Onlooker>,
    view: RwLock<View>,
    /// Which journal is read, held while it is read on.
    reading: Mutex<Reading>,
    ready: AtomicBool,
    came_back: AtomicBool,
    /// Held while broken links are counted.
    counting: Mutex<()>,
    counted: RwLock<Option<CountedBroken>>,
}

#[derive(Debug, Default)]
struct Reading {
    /// Device and number of the journal's first file.
    journal: Option<(u64, u64)>,
    /// It was there and is not.
    is_gone: bool,
    problem: Option<String>,
    looked: Option<Instant>,
}

impl Follower {
    /// Follows the journal of a crawl; nothing is read yet.
    pub(crate) fn new(dir: CrawlDir, onlooker: Option<Onlooker>) -> Self {
        Self {
            onlooker,
            name: dir.root().display().to_string(),
            dir,
            view: RwLock::default(),
            reading: Mutex::default(),
            ready: AtomicBool::new(false),
            came_back: AtomicBool::new(false),
            counting: Mutex::default(),
            counted: RwLock::default(),
        }
    }

    /// The crawl's directory.
    pub(crate) fn dir(&self) -> &CrawlDir {
        &self.dir
    }

    /// What is known.
    pub(crate) fn view(&self) -> RwLockReadGuard<'_, View> {
        self.view.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the journal was read to its end once; until then figures say too little.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::SeqCst)
    }

    /// Whether a round of visits was seen.
    pub(crate) fn has_come_back(&self) -> bool {
        self.came_back.load(Ordering::SeqCst)
    }

    /// Why the journal cannot be read, if it cannot.
    pub(crate) fn problem(&self) -> Option<String> {
        self.reading().problem.clone()
    }

    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads on to the journal's end; gives whether anything was new. What was looked at within
    /// `age_max` is not looked at again.
    pub(crate) fn catch_up(&self, age_max: Duration) -> bool {
        let mut reading = self.reading();
        if reading.looked.is_some_and(|at| at.elapsed() < age_max) {
            return false;
        }
        let journal = self.journal();
        let is_gone = journal.is_none() && reading.journal.is_some();
        let was_gone = std::mem::replace(&mut reading.is_gone, is_gone);
        if is_gone {
            // What is known stays: a directory that is away for a moment is no crawl without pages.
            reading.problem = Some(format!(
                "the journal was in {} and is not there any more: what is shown was read before",
                self.name
            ));
            reading.looked = Some(Instant::now());
            return false;
        }
        if was_gone || reading.journal != journal {
            // What a crawl hands over may be known before its file is seen for the first time.
            let is_known = reading.journal.is_none() && self.view().position != Position::START;
            if !is_known {
                self.forget();
            }
            reading.journal = journal;
        }
        let before = self.view().position;
        let read = match self.take_over().and_then(|()| self.read_on()) {
            Err(ArchiveError::Ahead { .. }) => {
                self.forget();
                self.read_on()
            }
            read => read,
        };
        reading.problem = read.err().map(|error| error.to_string());
        self.ready.store(true, Ordering::SeqCst);
        reading.looked = Some(Instant::now());
        self.view().position != before
    }

    /// Begins anew: the journal is another one, or was cut.
    fn forget(&self) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = View::default();
        self.came_back.store(false, Ordering::SeqCst);
    }

    /// Takes what a crawl in this process has handed over, and looks at no file but after a gap.
    pub(crate) fn keep_up(&self) {
        let mut reading = self.reading();
        if let Err(error) = self.take_over() {
            reading.problem = Some(error.to_string());
        }
    }

    /// The same; the lock is held.
    fn take_over(&self) -> Result<(), ArchiveError> {
        let Some(onlooker) = &self.onlooker else {
            return Ok(());
        };
        loop {
            let taken = onlooker.take(STEP_RECORDS);
            if taken.is_empty() {
                return Ok(());
            }
            let mut position = self.view().position;
            let mut step: Vec<(Position, Record)> = Vec::with_capacity(taken.len());
            for written in taken {
                if written.begin > position {
                    // Records in between were not taken in time, or not handed over at all.
                    self.take_in(&std::mem::take(&mut step), position, 0);
                    self.read_on()?;
                    position = self.view().position;
                }
                if written.begin == position {
                    position = written.end;
                    step.push((written.begin, written.record));
                }
            }
            self.take_in(&step, position, 0);
        }
    }

    /// Which file the journal begins with: another one is another journal.
    fn journal(&self) -> Option<(u64, u64)> {
        let first: PathBuf = self.dir.archive().join("00001.meta.warc.gz");
        let about = std::fs::metadata(first).ok()?;
        Some((about.dev(), about.ino()))
    }

    fn read_on(&self) -> Result<(), ArchiveError> {
        let mut place = self.view().position;
        let mut replay = archive::replay(&self.dir.archive(), place)?.with_bare_links();
        loop {
            let mut step: Vec<(Position, Record)> = Vec::new();
            let mut damaged = 0;
            while step.len() < STEP_RECORDS {
                match replay.next() {
                    Some(Ok(Replayed::Record { position, record })) => {
                        step.push((place, record));
                        place = position;
                    }
                    Some(Ok(Replayed::Damage(_))) => {
                        damaged += 1;
                        place = replay.position();
                    }
                    Some(Err(error)) => {
                        self.take_in(&step, place, damaged);
                        return Err(error);
                    }
                    None => {
                        self.take_in(&step, place, damaged);
                        return Ok(());
                    }
                }
            }
            self.take_in(&step, place, damaged);
        }
    }

    fn take_in(&self, records: &[(Position, Record)], end: Position, damaged: u64) {
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        for (place, record) in records {
            if matches!(record.event, Event::Again(_)) {
                self.came_back.store(true, Ordering::SeqCst);
            }
            view.tally.add(record);
            view.broken.add(record);
            view.links.add(record);
            view.rows.apply(*place, record);
            view.last_seq = record.seq;
        }
        view.position = end;
        view.damaged += damaged;
    }

    /// The report on all that is known, with the position up to which.
    pub(crate) fn report_now(&self) -> (Position, Arc<CrawlReport>) {
        let view = self.view();
        let position = view.position;
        if let Some(made) = view
            .report
            .as_ref()
            .filter(|made| made.position == position)
        {
            return (position, Arc::clone(&made.report));
        }
        let report = Arc::new(view.tally.report(&self.name));
        drop(view);
        let mut view = self.view.write().unwrap_or_else(PoisonError::into_inner);
        view.report = Some(MadeReport {
            position,
            report: Arc::clone(&report),
        });
        (position, report)
    }

    /// The report with its broken links, for which the journal is read from its beginning where any
    /// URL is broken and none has been listed since.
    pub(crate) fn report_whole(&self) -> CrawlReport {
        let _alone = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
        let (report, counted) = self.count();
        CrawlReport {
            broken: Some(BrokenFigures::clone(&counted.figures)),
            ..CrawlReport::clone(&report)
        }
    }

    /// Broken links as they were counted last.
    pub(crate) fn broken(&self) -> Option<CountedBroken> {
        let counted = self.counted.read();
        counted.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts broken links again, where there is something new and it does not take more than one part
    /// in so many of the time.
    pub(crate) fn count_broken(&self) {
        let position = self.view().position;
        let is_due = |counted: &CountedBroken| {
            let age_min = COUNT_AGE_MIN.max(counted.took * COUNT_SHARE);
            counted.position != position && counted.at.elapsed() >= age_min
        };
        if self.broken().is_none_or(|counted| is_due(&counted)) {
            let _alone = self.counting.lock().unwrap_or_else(PoisonError::into_inner);
            match self.counted_of_links() {
                Some(counted) => self.note(counted),
                None => drop(self.count()),
            }
        }
    }

    /// Broken links as the links tell that are known.
    fn counted_of_links(&self) -> Option<CountedBroken> {
        let view = self.view();
        let at = Instant::now();
        let figures = view.links.count(&view.broken)?;
        Some(CountedBroken {
            record: view.last_seq,
            figures: Arc::new(figures),
            has_rows: view.broken.urls() == 0,
            position: view.position,
            at: Instant::now(),
            took: at.elapsed(),
        })
    }

    fn note(&self, counted: CountedBroken) {
        *self.counted.write().unwrap_or_else(PoisonError::into_inner) = Some(counted);
    }

    /// Figures and broken links of one position; `counting` is held.
    fn count(&self) -> (Arc<CrawlReport>, CountedBroken) {
        let (report, urls, position, record) = self.report_with_urls();
        let is_this = |known: &CountedBroken| known.position == position && known.has_rows;
        if let Some(counted) = self.broken().filter(is_this) {
            return (report, counted);
        }
        let gone = || self.counted_of_links().filter(|_| self.journal().is_none());
        if let Some(counted) = gone() {
            return (report, counted);
        }
        let at = Instant::now();
        let records = || {
            let replay = archive::replay(&self.dir.archive(), Position::START).ok();
            let replayed = replay.into_iter().flatten().map_while(Result::ok);
            let records = replayed.filter_map(|replayed| match replayed {
                Replayed::Record { record, .. } => Some(record),
                Replayed::Damage(_) => None,
            });
            records.take_while(|next| next.seq <= record)
        };
        let figures = Arc::new(BrokenFigures::of(&urls, records, BROKEN_ROWS_MAX));
        let counted = CountedBroken {
            record,
            figures,
            has_rows: true,
            position,
            at: Instant::now(),
            took: at.elapsed(),
        };
        self.note(counted.clone());
        (report, counted)
    }

    /// Figures and broken URLs of one position, with that and its record.
    fn report_with_urls(&self) -> (Arc<CrawlReport>, BrokenUrls, Position, u64) {
        let mut tries = TRIES;
        loop {
            let (position, report) = self.report_now();
            let view = self.view();
            tries -= 1;
            // Between the two, the journal may have been read on.
            if view.position == position || tries == 0 {
                return (report, view.broken.clone(), view.position, view.last_seq);
            }
        }
    }

    /// The record that begins at a place, if it has this number.
    pub(crate) fn record(&self, place: Position, seq: u64) -> Option<Record> {
        let replay = archive::replay(&self.dir.archive(), place).ok()?;
        let mut records = replay.take(4).filter_map(|replayed| match replayed {
            Ok(Replayed::Record { record, .. }) => Some(record),
            Ok(Replayed::Damage(_)) | Err(_) => None,
        });
        records.find(|record| record.seq == seq)
    }
}

#[cfg(test)]
pub(crate) mod tests;
