//! Finding to record to state: the one thread that writes.
//!
//! The writer takes what is queued (never waiting for more) as a group. Each finding in turn is
//! decided about, its record appended, and the record applied to the state in memory, so that the
//! next one is decided with it known. Then the archive is synced, once for the group, and only then
//! does anything of it leave the writer: leases are settled, the stores move to the synced position,
//! new URLs may be leased, the search index and the dispatcher hear of it.
//!
//! ```text
//!   decide ─► append ─► apply     for each finding
//!   sync                          once
//!   settle ─► store ─► publish ─► tell
//! ```
//!
//! Now and then the state's memory is saved after that (see `memory`).
//!
//! So whatever is lost in a crash before the sync is lost as a whole, and what follows from a record
//! is journalled after it. Since the writer alone asks the kept pages' prints and adds to them, of
//! two copies in flight exactly one is kept.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use archive::{Archive, Entry, Event, Position, Record, SeedRecord};
use frontier::{HostKey, Settled};
use state::retry::{Candidate, RetryFilter};
use state::{Decided, Finding, Lent, SeedError, State, Stored};

use crate::clock::unix_ms;
use crate::config::CrawlConfig;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::memory::MemoryFile;
use crate::messages::{Change, ToDispatcher, ToPublisher, ToWriter};
use crate::narrate::Narrator;
use crate::progress::Progress;
use crate::publish;
use crate::retry;
use crate::setup;

/// Findings of one group at most.
const GROUP_MAX: usize = 256;

/// Rules found wrong in one start whose URLs are looked up in the journal, at most: each takes a
/// reading of it. Those that the state remembers cost nothing.
const JOURNAL_READS_MAX: usize = 100;

/// The writer's channels.
pub(crate) struct Outboxes {
    /// To the dispatcher.
    pub(crate) dispatcher: Sender<ToDispatcher>,
    /// To the publisher.
    pub(crate) publisher: SyncSender<ToPublisher>,
}

/// The writer: owner of the archive and of the state, but for the queue, which the dispatcher asks
/// as well.
pub(crate) struct Writer {
    archive: Archive,
    state: State,
    out: Outboxes,
    progress: Progress,
    dir: CrawlDir,
    /// The fields of our requests, for the archive.
    request: Vec<(String, String)>,
    /// Bytes received in this start.
    bytes: u64,
    /// Finished URLs before this start for which a fetch was made.
    fetched_before: u64,
    /// Visits before this start.
    visits_before: u64,
    /// Rules that were looked up in the journal.
    looked_up: HashSet<String>,
    narrator: Narrator,
    memory: MemoryFile,
    pages_max: u64,
    /// URLs that are new wait behind visits.
    for_visits_alone: bool,
}

/// What was appended and is not synced yet.
#[derive(Default)]
struct Group {
    settled: Vec<Settled>,
    /// Answers to robots.txt.
    robots: usize,
    /// Bytes of body that leave memory with the group.
    bytes: u64,
    publications: Vec<Change>,
    reopened: Vec<HostKey>,
    /// Who asked for URLs to be put back, and how many were.
    answers: Vec<(SyncSender<usize>, usize)>,
    has_stop: bool,
}

impl Writer {
    /// A writer for a state that is up to the archive.
    pub(crate) fn new(
        dir: &CrawlDir,
        config: &Arc<CrawlConfig>,
        (archive, state, memory): (Archive, State, MemoryFile),
        out: Outboxes,
        progress: Progress,
    ) -> Self {
        let mut writer = Self {
            pages_max: config.crawl.max_pages,
            for_visits_alone: false,
            fetched_before: state.counts().fetched,
            visits_before: state.counts().visits,
            archive,
            state,
            out,
            progress,
            dir: dir.clone(),
            request: setup::request_fields(config),
            bytes: 0,
            looked_up: HashSet::new(),
            narrator: Narrator::default(),
            memory,
        };
        writer.share_the_budget();
        writer
    }

    /// Lets URLs that are new wait while only visits may be made.
    fn share_the_budget(&mut self) {
        let alone = self.state.counts().is_for_visits_alone(self.pages_max);
        if alone != self.for_visits_alone {
            self.for_visits_alone = alone;
            self.state.queue().lock().set_for_visits_alone(alone);
        }
    }

    /// Records that a start begins, and its new seeds.
    ///
    /// # Errors
    /// When the archive or a store cannot be written, or a seed is no URL.
    pub(crate) fn begin(
        &mut self,
        start: archive::StartRecord,
        seeds: Vec<SeedRecord>,
    ) -> Result<(), CrawlError> {
        let mut group = Group::default();
        self.commit_event(Event::Start(start), &mut group)?;
        for seed in seeds {
            let wrong = |error| match error {
                SeedError::Url(error) => CrawlError::Setup(format!("seed {}: {error}", seed.url)),
                SeedError::Frontier(error) => error.into(),
            };
            let event = self.state.decide_seed(seed.clone()).map_err(wrong)?;
            self.commit_event(event, &mut group)?;
        }
        self.end_group(group)
    }

    /// Works until the inbox closes or a stop is recorded.
    ///
    /// # Errors
    /// When the archive or a store cannot be written. What was synced before is safe.
    pub(crate) fn run(&mut self, inbox: &Receiver<ToWriter>) -> Result<(), CrawlError> {
        while let Ok(first) = inbox.recv() {
            let mut group = Group::default();
            let mut next = Some(first);
            let mut taken = 0;
            while let Some(message) = next {
                self.take(message, &mut group)?;
                taken += 1;
                let goes_on = taken < GROUP_MAX && !group.has_stop;
                next = goes_on.then(|| inbox.try_recv().ok()).flatten();
            }
            let is_last = group.has_stop;
            self.end_group(group)?;
            if is_last {
                self.state.save_at_end()?;
                let position = self.archive.sync()?;
                self.memory.save_at_end(&self.state, position)?;
                break;
            }
        }
        Ok(())
    }

    fn take(&mut self, message: ToWriter, group: &mut Group) -> Result<(), CrawlError> {
        match message {
            ToWriter::Finding(finding) => self.commit_finding(finding, group),
            ToWriter::Reopen {
                found,
                filter,
                answer,
            } => {
                let count = self.put_back(found, &filter, group)?;
                group.answers.push((answer, count));
                Ok(())
            }
            ToWriter::Stop(mut stop) => {
                group.has_stop = true;
                stop.outlook = self.state.outlook();
                self.commit_event(Event::Stop(stop), group)
            }
        }
    }

    /// Decides about a finding, appends its record, and applies it in memory.
    fn commit_finding(&mut self, finding: Finding, group: &mut Group) -> Result<(), CrawlError> {
        group.bytes += finding.body_bytes();
        group.robots += usize::from(matches!(finding, Finding::Robots(_)));
        let decided = self.state.decide(finding, unix_ms());
        let decided = decided?;
        self.append(&decided)?;
        self.narrator.tell(&decided.record);
        let lent = decided.lent();
        let applied = self
            .state
            .apply(&decided.record, Stored::default(), lent, |_| None)?;
        fail_point!("apply:after");
        if let Some(loss) = applied.example_lost {
            tracing::warn!("{loss}");
        }
        let Decided {
            record,
            lease,
            page,
            ..
        } = decided;
        let read = || page.map_or_else(Default::default, |page| (page.text, page.words));
        let changes = publish::changes(&record, applied.kept, read);
        group.publications.extend(changes);
        group
            .settled
            .extend(lease.map(|lease| Decided::settled(lease, &record)));
        Ok(())
    }

    fn append(&mut self, decided: &Decided) -> Result<(), CrawlError> {
        fail_point!("commit:before-append");
        let before = decided.revisit_of();
        let is_archived = decided.is_page() || before.is_some();
        let answer = decided.answer.as_ref().filter(|_| is_archived);
        let response = answer.and_then(|answer| {
            let fetched = answer.fetched.as_ref().ok()?;
            Some(archive::Response {
                url: fetched.url.as_str(),
                started_ms: answer.started_ms,
                request: &self.request,
                http_version: fetched.http_version,
                status: fetched.status,
                headers: &fetched.headers,
                body: &fetched.body,
                ip: fetched.remote.map(|remote| remote.ip()),
                truncated: fetched.truncated.map(fetcher::Truncated::name),
            })
        });
        match (before, &response) {
            (Some(before), Some(response)) => {
                self.archive
                    .append_revisit(&decided.record, response, before)?
            }
            (None, _) | (_, None) => self.archive.append(&Entry {
                record: &decided.record,
                response,
                text: decided.archived_text(),
            })?,
        };
        fail_point!("commit:after-append");
        Ok(())
    }

    /// Appends a record without bodies and applies it in memory.
    fn commit_event(&mut self, event: Event, group: &mut Group) -> Result<(), CrawlError> {
        let record: Record = self.state.record(event, unix_ms());
        fail_point!("commit:before-append");
        self.archive.append(&Entry::of(&record))?;
        self.narrator.tell(&record);
        fail_point!("commit:after-append");
        let applied = self
            .state
            .apply(&record, Stored::default(), Lent::default(), |_| None)?;
        fail_point!("apply:after");
        group.reopened.extend(applied.reopened);
        Ok(())
    }

    /// Puts failed URLs back; gives how many.
    fn put_back(
        &mut self,
        found: Vec<Candidate>,
        filter: &RetryFilter,
        group: &mut Group,
    ) -> Result<usize, CrawlError> {
        let before = group.reopened.len();
        for event in self.state.decide_retry(found, filter)? {
            self.commit_event(event, group)?;
        }
        Ok(group.reopened.len() - before)
    }

    /// Syncs a group, and lets go of what it holds.
    fn end_group(&mut self, mut group: Group) -> Result<(), CrawlError> {
        let mut position = self.sync()?;
        let leases = group.settled.len();
        fail_point!("settle:before");
        {
            let mut queue = self.state.queue().lock();
            for settled in group.settled.drain(..) {
                queue.frontier.settle(settled)?;
            }
        }
        self.store(position)?;
        // Before the dispatcher hears that the leases have ended, and finds nothing left to do.
        if self.put_back_what_follows(&mut group)? {
            position = self.sync()?;
            self.store(position)?;
        }
        self.memory.save_if_due(&self.state, position)?;
        self.state.rescore_if_due()?;
        self.publish(group.publications, position)?;
        self.bytes += group.bytes;
        self.show();
        for (answer, count) in group.answers {
            // Who asked may have gone.
            let _ = answer.send(count);
        }
        self.share_the_budget();
        if let Some(why) = self.state.harvest_stop() {
            self.tell(ToDispatcher::HarvestEnds(why));
        }
        self.tell(ToDispatcher::Committed {
            leases,
            robots: group.robots,
            bytes: group.bytes,
            pages: self.state.counts().requests(),
        });
        Ok(())
    }

    fn sync(&mut self) -> Result<Position, CrawlError> {
        fail_point!("commit:before-sync");
        let position = self.archive.sync()?;
        fail_point!("commit:after-sync");
        Ok(position)
    }

    fn store(&mut self, position: Position) -> Result<(), CrawlError> {
        let stored = self.state.store(position.0, position.0);
        fail_point!("store:after");
        Ok(stored?)
    }

    /// Puts back what was refused for rules that were found wrong, and URLs to which redirects have led
    /// back; whether there was any. URLs that the state does not remember are looked up in the journal.
    fn put_back_what_follows(&mut self, group: &mut Group) -> Result<bool, CrawlError> {
        let mut any = false;
        for (rule, refused) in self.state.wrong_rules() {
            let mut urls = refused.urls;
            let may_look =
                self.looked_up.len() < JOURNAL_READS_MAX && !self.looked_up.contains(&rule);
            if refused.more && may_look {
                self.looked_up.insert(rule.clone());
                urls = retry::refused_for(&self.dir, &rule)?;
            }
            for event in self.state.decide_rule_wrong(&rule, urls)? {
                self.commit_event(event, group)?;
                any = true;
            }
        }
        for event in self.state.decide_returns()? {
            self.commit_event(event, group)?;
            any = true;
        }
        Ok(any)
    }

    fn publish(&mut self, publications: Vec<Change>, position: Position) -> Result<(), CrawlError> {
        let changes = publications.into_iter().map(ToPublisher::Change);
        for message in changes.chain([ToPublisher::Reached(position.0)]) {
            if self.out.publisher.send(message).is_err() {
                return Err(CrawlError::Panicked("search index"));
            }
            fail_point!("publish:between");
        }
        Ok(())
    }

    fn show(&self) {
        let counts = self.state.counts();
        let pages = counts.fetched - self.fetched_before;
        let this_start = (pages, counts.visits - self.visits_before);
        self.progress.show_counts(counts, self.bytes, this_start);
        let outlook = self.state.outlook();
        self.progress.update(|shown| shown.outlook = outlook);
    }

    fn tell(&self, message: ToDispatcher) {
        // Nobody listens any more when the dispatcher has ended.
        let _ = self.out.dispatcher.send(message);
    }
}
