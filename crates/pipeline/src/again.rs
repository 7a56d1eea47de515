//! A round: which finished URLs are to be visited again, from the journal.
//!
//! The journal tells of every visit, so what is learnt from visits (change rates, which pages are alike,
//! what lists lead to, whether a host's validators and dates are honest) is made of it when a round is
//! planned, and stored nowhere. That reads the whole journal: rounds are hours or days apart, and what is
//! chosen is the best of all. The choice is recorded, one record for up to 200 URLs, and synced; from
//! there on it is a crawl like any other, which can be killed and carried on.
//!
//! A round has three parts, each planned when the one before has ended. First feeds and sitemaps, since
//! they tell of what is new and of what has changed. Then pages, by what a visit is worth. At last pages
//! that repeated a page which has changed since, or is gone: they are judged anew, and asked for without a
//! condition, since a 304 has no page to be judged.
//!
//! `history` reads the journal, `known` is what it tells of one URL.

use archive::{
    AgainRecord, Archive, ArchiveConfig, DueRecord, Entry, Event, Position, Record, Replayed,
};
use serde::{Deserialize, Serialize};

use crate::clock::unix_ms;
use crate::config::{AgainSection, CrawlConfig};
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::units::Span;

mod history;
mod known;

use history::History;

/// URLs in one record.
const URLS_PER_RECORD: usize = 200;

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
    /// Of those visited: judged anew, because what they repeated has changed or is gone.
    pub rejudged: usize,
    /// For so long at least a page is left alone after it was read.
    pub pause: Span,
    /// Visits of an earlier round that are still to be made; none is planned beside them.
    pub unfinished: usize,
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

/// Reads a journal for how stale the kept pages are.
#[derive(Debug, Default)]
pub struct StalenessReader(History);

impl StalenessReader {
    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        self.0.add(record);
    }

    /// What is believed now; none for a crawl that has never come back.
    pub fn finish(&self) -> Option<Staleness> {
        let history = &self.0;
        (history.round > 0).then(|| history.staleness(unix_ms()))
    }
}

/// Plans a part of a round of a crawl that is not running: chooses URLs and records them. They are
/// visited when the crawl starts.
///
/// # Errors
/// When another process has the directory, or its archive cannot be read or written.
pub fn plan(dir: &CrawlDir, config: &CrawlConfig, wanted: Wanted) -> Result<Planned, CrawlError> {
    let _lock = dir.lock()?;
    let usual = AgainSection::default();
    let settings = config.again.as_ref().unwrap_or(&usual);
    let now_ms = unix_ms();
    let mut history = History::default();
    for replayed in archive::replay(&dir.archive(), Position::START)? {
        if let Replayed::Record { record, .. } = replayed? {
            history.add(&record);
        }
    }
    let mut planned = Planned {
        round: history.round_of(wanted),
        known: history.known(),
        pause: settings.min.max(settings.every),
        unfinished: history.waiting(),
        ..Planned::default()
    };
    if planned.unfinished > 0 {
        return Ok(planned);
    }
    let mut choice = history.choose(settings, wanted, planned.round, now_ms);
    history.add_validators(dir, &mut choice.due);
    planned.urls = choice.due.len();
    planned.rejudged = choice.due.iter().filter(|due| due.rejudge).count();
    // A record without URLs says that pages were looked for, and that none is due.
    let ends_part = wanted == Wanted::Round && history.sources_were_planned();
    if !choice.due.is_empty() || ends_part || choice.rejudges && history.copies_wait {
        let template = AgainRecord {
            round: planned.round,
            rejudges: choice.rejudges,
            sources: wanted == Wanted::Sources,
            ..AgainRecord::default()
        };
        record(dir, &template, choice.due, now_ms)?;
    }
    Ok(planned)
}

fn record(
    dir: &CrawlDir,
    template: &AgainRecord,
    due: Vec<DueRecord>,
    at_ms: u64,
) -> Result<(), CrawlError> {
    let (mut archive, _) = Archive::open(&dir.archive(), ArchiveConfig::default())?;
    let numbers = archive.last_seq() + 1..;
    // One record also where there is nothing to visit: pages, or copies of pages that have changed,
    // were looked for, and there are none.
    let chunks: Vec<Vec<DueRecord>> = match due.is_empty() {
        true => vec![Vec::new()],
        false => due.chunks(URLS_PER_RECORD).map(<[_]>::to_vec).collect(),
    };
    for (seq, urls) in numbers.zip(chunks) {
        let event = Event::Again(AgainRecord {
            urls,
            ..template.clone()
        });
        archive.append(&Entry::of(&Record { seq, at_ms, event }))?;
    }
    archive.sync()?;
    Ok(())
}
