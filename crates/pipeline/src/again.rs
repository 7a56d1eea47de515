//! A round: which finished URLs are to be visited again, from the journal.
//!
//! The journal tells of every visit, so what is learnt from visits (change rates, which pages are alike,
//! what lists lead to, whether a host's validators and dates are honest) is made of it when a round is
//! planned. It is saved with the position that it follows from (`saved`), so that the next plan, in this
//! process or in another one, reads on from there. For each page that was read some 150 bytes are
//! held; what its visit is compared with, as much again or twice, is held for up to 50,000 pages, and where
//! there are more it is found for so many at a time by another reading of the journal. The choice is recorded, one
//! record for up to 200 URLs, and synced; from there on it is a crawl like any other, which can be killed
//! and carried on.
//!
//! A round has three parts, each planned when the one before has ended. First feeds and sitemaps, since
//! they tell of what is new and of what has changed. Then pages, by what a visit is worth. At last pages
//! that repeated a page which has changed since, or is gone: they are judged anew, and asked for without a
//! condition, since a 304 has no page to be judged. With pages, and once more at the end, when the pages of
//! the round have told what they link to, go URLs that have shown no page yet (`unread`): they are put back
//! into the queue, as first reads.
//!
//! `history` reads the journal, `known` is what it tells of one URL, `saved` is the file of what was read,
//! and `follow` takes records in while the crawl runs that writes them.

use archive::{
    AgainRecord, Archive, ArchiveConfig, DueRecord, Entry, Event, Position, Record, Replayed,
};
use serde::{Deserialize, Serialize};
use state::retry::{self, Candidate, records_for_round};

use crate::clock::unix_ms;
use crate::config::{AgainSection, CrawlConfig};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::saved_file;
use crate::units::Span;

mod follow;
mod history;
mod known;
mod saved;
#[cfg(test)]
mod tests;
mod unread;

use history::{Choice, DUES_MAX, History};
use known::hash_of;
use saved::VisitsFile;
use unread::Unread;

/// URLs in one record.
const URLS_PER_RECORD: usize = 200;

/// Pages of which a plan is remembered while the crawl runs, some 40 MB; with more of them the next plan
/// takes up what was saved. Tests need not have so many.
const REMEMBERED_MAX: usize = if cfg!(test) { 3_000 } else { 200_000 };

/// Bytes of journal between two records that are read over rather than left out.
const NEAR_MAX: u64 = 64 << 10;

const DAY_MS: f64 = 86_400_000.0;

/// What was planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Planned {
    /// The round's number.
    pub round: u32,
    /// URLs that it visits.
    pub urls: usize,
    /// URLs that could be visited again.
    pub known: usize,
    /// URLs that have shown no page yet and are asked for once more.
    pub retried: usize,
    /// Of those visited: judged anew, because what they repeated has changed or is gone.
    pub rejudged: usize,
    /// For so long at least a page is left alone after it was read.
    pub pause: Span,
    /// Visits of an earlier round that are still to be made; none is planned beside them.
    pub unfinished: usize,
    /// Where nothing is due, when the first page or source will be, milliseconds since the Unix epoch.
    pub next_ms: u64,
    /// URLs were put back into the queue since the crawl stopped.
    pub put_back: bool,
    /// Pages that were read last at a time that is still to come: the clock was ahead then, or is behind now.
    pub ahead: usize,
}

/// Which URLs a plan takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Feeds and sitemaps: a round begins.
    Sources,
    /// The most valuable pages, of the round that has begun with its sources.
    Round,
    /// Only those that are to be judged anew.
    Orphans,
    /// All these at once: a round whose sources tell for the next one.
    All,
}

/// How stale the kept pages are believed to be.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Staleness {
    /// Kept pages.
    pub kept: u64,
    /// Those of them that are expected to have changed since they were read last, by what visits have
    /// shown of their change rates, and of those of pages like them.
    pub expected_changed: f64,
    /// Rounds made.
    pub rounds: u32,
    /// Visits still to be made.
    pub due: u64,
}

/// Another fold over the journal that is made with the plans', so that it is read once for both. It is
/// saved with what plans have read, and taken up again with it.
pub trait Beside {
    /// Takes in the next record.
    fn add(&mut self, record: &Record);

    /// As bytes.
    fn save(&self) -> Vec<u8>;

    /// Becomes what was saved; false where the bytes are of no use: then this is as new, and the journal is
    /// read from its beginning.
    fn take_up(&mut self, saved: &[u8]) -> bool;
}

/// Nothing is made beside a plan.
impl Beside for () {
    fn add(&mut self, _: &Record) {}

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn take_up(&mut self, _: &[u8]) -> bool {
        true
    }
}

/// Plans rounds, and remembers what it has read of the journal: the parts of a round, the rounds of a
/// crawl that comes back all the time, and the next process read what is new.
#[derive(Debug, Default)]
pub struct Planner {
    history: History,
    read: Position,
    /// The last record that was shown to others.
    shown: u64,
    file: VisitsFile,
    /// It is read for figures alone.
    never_plans: bool,
    /// It was too large to be held while a crawl runs.
    has_let_go: bool,
}

/// Plans a part of a round: see [`Planner::plan`].
///
/// # Errors
/// When another process has the directory, or its archive cannot be read or written.
pub fn plan(dir: &CrawlDir, config: &CrawlConfig, wanted: Wanted) -> Result<Planned, CrawlError> {
    Planner::default().plan(dir, config, wanted, &mut ())
}

impl Planner {
    /// One for who asks for figures alone: it holds nothing of what visits are compared with.
    pub fn for_figures() -> Self {
        Self {
            never_plans: true,
            ..Self::default()
        }
    }

    /// Plans a part of a round of a crawl that is not running: chooses URLs and records them. They are
    /// visited when the crawl starts. What is read for it is shown as [`Planner::read_on`] does, and saved
    /// where that is due.
    ///
    /// # Errors
    /// When another process has the directory, or its archive cannot be read or written.
    pub fn plan(
        &mut self,
        dir: &CrawlDir,
        config: &CrawlConfig,
        wanted: Wanted,
        beside: &mut impl Beside,
    ) -> Result<Planned, CrawlError> {
        let _lock = dir.lock()?;
        saved_file::remove_ahead(&dir.visits(), archive::end(&dir.archive())?.0)?;
        self.read_on(dir, beside)?;
        self.file
            .save_if_due(dir, self.read, self.shown, &self.history, beside);
        self.choose(dir, config, wanted, beside)
    }

    /// How stale the kept pages are believed to be, by what was read; none for a crawl that has never come
    /// back.
    pub fn staleness(&self) -> Option<Staleness> {
        let history = &self.history;
        (history.round > 0).then(|| history.staleness(unix_ms()))
    }

    /// Lets go of what would take up room that a crawl needs while it runs: it is read again from what was
    /// saved.
    pub fn make_room(&mut self) {
        if self.is_too_large() {
            self.begin_anew();
            self.has_let_go = true;
        }
    }

    fn is_too_large(&self) -> bool {
        self.history.size() > REMEMBERED_MAX
    }

    /// Knows nothing but what was shown to others.
    fn begin_anew(&mut self) {
        *self = Self {
            shown: self.shown,
            never_plans: self.never_plans,
            ..Self::default()
        };
    }

    /// Saves what was taken in of a crawl that has ended, where that is due: a further process plans.
    ///
    /// # Errors
    /// When another process has the directory.
    pub fn save(&mut self, dir: &CrawlDir, beside: &impl Beside) -> Result<(), CrawlError> {
        let _lock = dir.lock()?;
        self.file
            .save_if_due(dir, self.read, self.shown, &self.history, beside);
        Ok(())
    }

    /// Reads on to the journal's end, from where it was read to before, or from what was saved of that. Each
    /// record that is read for the first time is shown to somebody else as well: the journal is read once
    /// for both.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub fn read_on(&mut self, dir: &CrawlDir, beside: &mut impl Beside) -> Result<(), CrawlError> {
        if self.read == Position::START {
            self.begin(dir, beside)?;
        }
        self.has_let_go = false;
        let from = self.read;
        self.read = read_on(dir, from, None, |record, place| {
            self.take(record, place, beside);
        })?;
        Ok(())
    }

    /// Takes up what was saved, or knows nothing.
    fn begin(&mut self, dir: &CrawlDir, beside: &mut impl Beside) -> Result<(), CrawlError> {
        self.history = match self.never_plans {
            true => History::default(),
            false => History::with_dues(),
        };
        let Some(saved) = self.file.open(dir, !self.never_plans)? else {
            return Ok(());
        };
        // Who was shown more already has no use for less.
        if self.shown > 0 || beside.take_up(&saved.beside) {
            self.shown = self.shown.max(saved.shown);
            (self.history, self.read) = (saved.history, saved.read);
        } else {
            // The one that takes its place is due by its own size.
            self.file = VisitsFile::default();
        }
        Ok(())
    }

    fn choose(
        &mut self,
        dir: &CrawlDir,
        config: &CrawlConfig,
        wanted: Wanted,
        beside: &mut impl Beside,
    ) -> Result<Planned, CrawlError> {
        let usual = AgainSection::default();
        let settings = config.again.as_ref().unwrap_or(&usual);
        let now_ms = unix_ms();
        let history = &mut self.history;
        let mut planned = Planned {
            round: history.round_of(wanted),
            known: history.known(),
            pause: settings.min.max(settings.every),
            unfinished: history.waiting(),
            put_back: history.put_back,
            ahead: history.ahead(now_ms),
            ..Planned::default()
        };
        if planned.unfinished > 0 {
            return Ok(planned);
        }
        let mut choice = history.choose(settings, wanted, planned.round, now_ms);
        let unread = std::mem::take(&mut choice.unread);
        planned.urls = choice.sources.len() + choice.pages.len();
        planned.rejudged = choice.pages.iter().filter(|page| page.rejudge).count();
        planned.retried = unread.len();
        if planned.urls + planned.retried == 0 {
            planned.next_ms = history.next_ms(settings);
        }
        // A record without URLs says that pages were looked for, and that none is due.
        let is_round = wanted == Wanted::Round;
        if planned.urls > 0 || is_round || choice.rejudges && history.copies_wait {
            let template = AgainRecord {
                round: planned.round,
                rejudges: choice.rejudges,
                sources: wanted == Wanted::Sources,
                more: is_round,
                next_ms: if is_round { planned.next_ms } else { 0 },
                ..AgainRecord::default()
            };
            let recorded = self.record(dir, &template, choice, now_ms, beside);
            if recorded.is_err() {
                // What was taken in may not be in the journal.
                self.begin_anew();
            }
            recorded?;
        }
        if planned.retried > 0 {
            let recorded = self.put_back(dir, &unread, now_ms, beside);
            if recorded.is_err() {
                self.begin_anew();
            }
            planned.retried = recorded?;
        }
        Ok(planned)
    }

    /// Records a plan, and takes it in as if it were read. What visits are compared with is read from the
    /// journal, for so many at a time.
    fn record(
        &mut self,
        dir: &CrawlDir,
        template: &AgainRecord,
        choice: Choice,
        at_ms: u64,
        beside: &mut impl Beside,
    ) -> Result<(), CrawlError> {
        let mut plan = PlanRecords::open(dir, template, at_ms)?;
        // Without what this plan has recorded.
        let until = self.read;
        let mut take = |planner: &mut Self, (record, position): (Record, Position)| {
            let place = std::mem::replace(&mut planner.read, position);
            planner.take(&record, place, beside);
        };
        plan.add(choice.sources, |recorded| take(self, recorded))?;
        for pages in choice.pages.chunks(DUES_MAX) {
            if !self.history.has_dues() {
                let mut of_these = History::of_these(pages.iter().map(|page| page.url).collect());
                read_on(dir, Position::START, Some(until), |record, place| {
                    of_these.add(record, place);
                })?;
                let due = of_these.due(pages, template.round, dir);
                plan.add(due, |recorded| take(self, recorded))?;
            } else {
                let due = self.history.due(pages, template.round, dir);
                plan.add(due, |recorded| take(self, recorded))?;
            }
        }
        plan.end(|recorded| take(self, recorded))
    }

    /// Puts URLs back that have shown no page; gives how many. What the queue must know of them is read
    /// from their records.
    fn put_back(
        &mut self,
        dir: &CrawlDir,
        unread: &[(u64, Unread)],
        at_ms: u64,
        beside: &mut impl Beside,
    ) -> Result<usize, CrawlError> {
        let candidates = read_ended(dir, unread)?;
        let count = candidates.len();
        let (mut archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
        let mut taken = Vec::new();
        for event in records_for_round(candidates) {
            let seq = archive.last_seq() + 1;
            let record = Record { seq, at_ms, event };
            let appended = archive.append(&Entry::of(&record))?;
            taken.push((record, appended.position));
        }
        archive.sync()?;
        for (record, position) in taken {
            let place = std::mem::replace(&mut self.read, position);
            self.take(&record, place, beside);
        }
        Ok(count)
    }

    /// Takes in a record, which is read from `place`.
    fn take(&mut self, record: &Record, place: Position, beside: &mut impl Beside) {
        self.history.add(record, place);
        if record.seq > self.shown {
            self.shown = record.seq;
            beside.add(record);
        }
    }
}

/// How URLs had ended that have shown no page, from their records, which stand in the order of the journal.
/// A record that is not there any more, after a repair, is left out.
fn read_ended(dir: &CrawlDir, unread: &[(u64, Unread)]) -> Result<Vec<Candidate>, CrawlError> {
    let mut found = Vec::with_capacity(unread.len());
    let mut journal: Option<(archive::Replay, Position)> = None;
    for (url, unread) in unread {
        let is_near = |at: Position| {
            at <= unread.place
                && at
                    .bytes_until(unread.place)
                    .is_some_and(|gap| gap <= NEAR_MAX)
        };
        let (mut replay, mut at) = match journal.take() {
            Some((replay, at)) if is_near(at) => (replay, at),
            _ => match archive::replay(&dir.archive(), unread.place) {
                Ok(replay) => (replay, unread.place),
                Err(archive::ArchiveError::Ahead { .. }) => continue,
                Err(error) => return Err(error.into()),
            },
        };
        for replayed in replay.by_ref() {
            let Replayed::Record { record, position } = replayed? else {
                continue;
            };
            at = position;
            if record.seq >= unread.record {
                if let Event::Page(page) = record.event
                    && hash_of(&page.url) == *url
                {
                    let origin = retry::origin(&page);
                    found.push((page.url, origin));
                }
                break;
            }
        }
        journal = Some((replay, at));
    }
    Ok(found)
}

/// Reads the journal from a position on, as far as another one, and shows each record with where it is read
/// from; gives the position behind what was read.
fn read_on(
    dir: &CrawlDir,
    from: Position,
    until: Option<Position>,
    mut take: impl FnMut(&Record, Position),
) -> Result<Position, CrawlError> {
    let mut read = from;
    for replayed in archive::replay(&dir.archive(), from)?.with_bare_links() {
        match replayed? {
            Replayed::Record { record, position } => {
                if until.is_some_and(|until| position > until) {
                    break;
                }
                take(&record, read);
                read = position;
            }
            Replayed::Damage(_) => {}
        }
    }
    Ok(read)
}

/// The records of one plan, each with up to 200 URLs. One record also where there is nothing to visit.
struct PlanRecords<'p> {
    archive: Archive,
    template: &'p AgainRecord,
    at_ms: u64,
    /// URLs that are not recorded yet: what holds of the whole plan stands in its last record, which is
    /// known when no more come. A plan that a crash broke off has none.
    held: Vec<DueRecord>,
}

impl<'p> PlanRecords<'p> {
    fn open(dir: &CrawlDir, template: &'p AgainRecord, at_ms: u64) -> Result<Self, CrawlError> {
        let (archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
        Ok(Self {
            archive,
            template,
            at_ms,
            held: Vec::new(),
        })
    }

    /// Adds URLs; shows each record that they filled, with the position behind it.
    fn add(
        &mut self,
        due: Vec<DueRecord>,
        mut show: impl FnMut((Record, Position)),
    ) -> Result<(), CrawlError> {
        for due in due {
            if self.held.len() == URLS_PER_RECORD {
                show(self.append(false)?);
            }
            self.held.push(due);
        }
        Ok(())
    }

    fn end(mut self, show: impl FnOnce((Record, Position))) -> Result<(), CrawlError> {
        let last = self.append(true)?;
        self.archive.sync()?;
        show(last);
        Ok(())
    }

    fn append(&mut self, is_last: bool) -> Result<(Record, Position), CrawlError> {
        let event = Event::Again(AgainRecord {
            urls: std::mem::take(&mut self.held),
            rejudges: self.template.rejudges && is_last,
            more: self.template.more && !is_last,
            ..self.template.clone()
        });
        let (seq, at_ms) = (self.archive.last_seq() + 1, self.at_ms);
        let record = Record { seq, at_ms, event };
        let appended = self.archive.append(&Entry::of(&record))?;
        Ok((record, appended.position))
    }
}
