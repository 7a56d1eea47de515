//! Finding to record to state: the one thread that writes.
//!
//! The writer takes what is queued as a group (never waiting for more, but for some moments while visits
//! are to be made, whose records are small). Each finding in turn is
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

mod together;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::time::Duration;

use archive::{Appended, Archive, Entry, Event, PageRecord, Position, Record, SeedRecord};
use frontier::{HostKey, Lease, SeedUrl, Settled};
use ledger::Fact;
use state::retry::{Candidate, RetryFilter};
use state::{Decided, Finding, Lent, SeedError, State, Stored};

use crate::clock::unix_ms;
use crate::config::CrawlConfig;
use crate::control::SeedsTaken;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::held::Held;
use crate::memory::MemoryFile;
use crate::messages::{Change, ToDispatcher, ToPublisher, ToWriter};
use crate::narrate::{Narrator, is_guarded, seed_elsewhere, useless_sitemap};
use crate::node::{Account, Node, lessons};
use crate::onlooker::Written;
use crate::progress::Progress;
use crate::run::FINDINGS_MAX;
use crate::stop::StartFigures;
use crate::{budgets, publish, retry, setup};
pub(crate) use together::new_share;

/// Findings of one group at most.
const GROUP_MAX: usize = 256;

/// While visits are to be made, a group of findings is gathered for so long, and for less where more come
/// meanwhile than the inbox has room for: who finds it full waits, and with it the network.
const VISITS_WAIT: Duration = Duration::from_millis(10);
const VISITS_WAIT_LEAST: Duration = Duration::from_micros(500);

/// Seeds in one group.
const GROUP_SEEDS_MAX: usize = 10_000;

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
    /// Finished URLs before this start for which a fetch was made. It may have run the crawl before.
    fetched_before: u64,
    /// Visits before this start.
    visits_before: u64,
    /// URLs refused for their address in this start.
    guarded: u64,
    /// Rules that were looked up in the journal.
    looked_up: HashSet<String>,
    narrator: Narrator,
    memory: MemoryFile,
    pages_max: u64,
    /// URLs that are new wait behind visits.
    for_visits_alone: bool,
    /// How long a group of visits is gathered now.
    gathers: Duration,
    /// On many machines, this node's place among them.
    node: Option<Node>,
    /// Who copies closed archive files.
    uploads: Option<offsite::Handle>,
}

/// What was appended and is not synced yet.
#[derive(Default)]
struct Group {
    settled: Vec<Settled>,
    /// Those of them that were visits.
    visits: usize,
    /// Answers to robots.txt.
    robots: usize,
    /// Bytes of body that leave memory with the group.
    bytes: u64,
    publications: Vec<(Change, Held)>,
    reopened: Vec<HostKey>,
    /// Who asked for URLs to be put back, and how many were.
    answers: Vec<(SyncSender<usize>, usize)>,
    /// Who gave seeds, and what became of them.
    seeds_taken: Vec<(SyncSender<SeedsTaken>, SeedsTaken)>,
    has_stop: bool,
    /// On many machines: it has the order; what goes to the ledger.
    is_open: bool,
    account: Account,
    /// What the others are told of example pages.
    lessons: Vec<Fact>,
}

impl Writer {
    /// A writer for a state that is up to the archive.
    pub(crate) fn new(
        dir: &CrawlDir,
        config: &Arc<CrawlConfig>,
        (archive, state, memory): (Archive, State, MemoryFile),
        out: Outboxes,
        (progress, earlier): (Progress, StartFigures),
        (node, uploads): (Option<Node>, Option<offsite::Handle>),
    ) -> Self {
        let mut writer = Self {
            pages_max: match &node {
                Some(_) => 0,
                None => config.crawl.max_pages,
            },
            node,
            uploads,
            for_visits_alone: false,
            gathers: VISITS_WAIT,
            fetched_before: state.counts().fetched.saturating_sub(earlier.pages),
            visits_before: state.counts().visits.saturating_sub(earlier.visits),
            guarded: earlier.guarded,
            archive,
            state,
            out,
            progress,
            dir: dir.clone(),
            request: setup::request_fields(config),
            bytes: earlier.bytes,
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

    /// Records that a start begins, its new seeds, and with a budget that was raised what the smaller one
    /// left out.
    ///
    /// # Errors
    /// When the archive or a store cannot be written, or a seed is no URL.
    pub(crate) fn begin(
        &mut self,
        start: archive::StartRecord,
        seeds: Vec<SeedRecord>,
        is_raised: bool,
    ) -> Result<(), CrawlError> {
        let mut group = Group::default();
        if self.node.is_some() {
            self.state.queue().lock().frontier.set_share(new_share());
        }
        self.open_group(&[], &[], &mut group)?;
        let start = archive::StartRecord {
            node: self.node.as_ref().map(Node::record),
            ..start
        };
        self.commit_event(Event::Start(start), &mut group)?;
        for (count, seed) in seeds.iter().enumerate() {
            if self.node.is_some() && count.is_multiple_of(GROUP_SEEDS_MAX) {
                self.end_group(std::mem::take(&mut group))?;
                let more = &seeds[count..seeds.len().min(count + GROUP_SEEDS_MAX)];
                let unknown = self.state.unknown_seeds(more)?;
                let with_budget = more.iter().filter(|seed| seed.pages.is_some());
                let budgets: Vec<u32> = with_budget.map(|seed| seed.seed).collect();
                self.open_group(&unknown, &budgets, &mut group)?;
            }
            let event = self.decide_seed(seed.clone())?;
            self.commit_event(event, &mut group)?;
        }
        if is_raised {
            let (refused, links) = budgets::left_out(&self.dir, &self.state)?;
            for event in self.state.decide_left_out(refused, links)? {
                self.commit_event(event, &mut group)?;
            }
        }
        self.end_group(group)?;
        self.tell_what_is_untold()
    }

    /// Works until the inbox closes or a stop is recorded.
    ///
    /// # Errors
    /// When the archive or a store cannot be written. What was synced before is safe.
    pub(crate) fn run(&mut self, inbox: &Receiver<ToWriter>) -> Result<(), CrawlError> {
        while let Ok(first) = inbox.recv() {
            let mut group = Group::default();
            match self.node {
                Some(_) => self.take_together(first, inbox, &mut group)?,
                None => self.take_as_they_come(first, inbox, &mut group)?,
            }
            let is_last = group.has_stop;
            self.end_group(group)?;
            if is_last {
                self.hand_over_all();
                self.state.save_at_end()?;
                let position = self.archive.sync()?;
                self.memory.save_at_end(&self.state, position)?;
                break;
            }
        }
        Ok(())
    }

    fn take_as_they_come(
        &mut self,
        first: ToWriter,
        inbox: &Receiver<ToWriter>,
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        // The record of a visit is small: what costs is the sync. Nobody waits for it, as who adds seeds does.
        let is_finding = matches!(first, ToWriter::Finding(_, _));
        let waits = is_finding && self.state.counts().visits_due > 0;
        if waits {
            // Asleep, it is not woken for each message; nothing that comes is in a hurry.
            #[expect(
                clippy::disallowed_methods,
                reason = "the messages that come meanwhile are the point"
            )]
            std::thread::sleep(self.gathers);
        }
        let mut next = Some(first);
        let mut taken = 0;
        while let Some(message) = next {
            self.take(message, group)?;
            taken += 1;
            let goes_on = taken < GROUP_MAX && !group.has_stop;
            next = goes_on.then(|| inbox.try_recv().ok()).flatten();
        }
        if waits {
            self.gathers = gather_time(self.gathers, taken);
        }
        Ok(())
    }

    fn take(&mut self, message: ToWriter, group: &mut Group) -> Result<(), CrawlError> {
        match message {
            ToWriter::Finding(finding, held) => self.commit_finding(finding, held, group),
            ToWriter::Reopen {
                found,
                filter,
                answer,
            } => {
                let count = self.put_back(found, &filter, group)?;
                group.answers.push((answer, count));
                Ok(())
            }
            ToWriter::AddSeeds { seeds, answer } => {
                let taken = self.add_seeds(&seeds, group)?;
                group.seeds_taken.push((answer, taken));
                Ok(())
            }
            ToWriter::Mail => Ok(()),
            ToWriter::Stop(mut stop) => {
                group.has_stop = true;
                stop.outlook = self.state.outlook();
                self.commit_event(Event::Stop(stop), group)
            }
        }
    }

    /// Decides about a finding, appends its record, and applies it in memory.
    fn commit_finding(
        &mut self,
        finding: Finding,
        held: Held,
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        group.bytes += finding.body_bytes();
        group.robots += usize::from(matches!(finding, Finding::Robots(_)));
        let decided = self.state.decide(finding, unix_ms());
        let decided = decided?;
        let begin = self.archive.position();
        let appended = self.append(&decided)?;
        self.narrator.tell(&decided.record);
        if let Some(node) = &self.node {
            node.count(&decided.record, &mut group.account);
        }
        self.guarded += u64::from(is_guarded(&decided.record));
        if let Some((url, problem)) = useless_sitemap(&decided.record, self.state.seeds()) {
            tracing::warn!(
                "the sitemap {url}, which was given as a seed, brought nothing in: {problem}"
            );
        }
        if let Some(told) = seed_elsewhere(&decided.record, self.state.seeds()) {
            tracing::warn!("{told}");
        }
        let lent = decided.lent();
        if self.node.is_some() {
            let text = |_: &PageRecord| lent.text.map(str::to_owned);
            let lessons = lessons::facts_of(&self.state, &decided.record, text);
            group.lessons.extend(lessons);
        }
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
        group.publications.extend(publish::held_by(changes, held));
        let is_visit = |lease: &Lease| state::context::is_visit(&lease.url().context);
        group.visits += usize::from(lease.as_ref().is_some_and(is_visit));
        group
            .settled
            .extend(lease.map(|lease| Decided::settled(lease, &record)));
        self.hand_over(begin, record, appended);
        Ok(())
    }

    fn append(&mut self, decided: &Decided) -> Result<Appended, CrawlError> {
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
        let appended = match (before, &response) {
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
        Ok(appended)
    }

    /// Hands a record that was applied to who watches, as it stands in the journal. A node's journal may be
    /// cut again after a sync, so nobody is handed its records.
    fn hand_over(&self, begin: Position, mut record: Record, appended: Appended) {
        let onlooker = self.progress.onlooker();
        if self.node.is_some() || !onlooker.is_there() {
            return;
        }
        if let Some(page) = record.event.page_mut() {
            page.body = page.body.take().or(appended.body);
            page.text = page.text.take().or(appended.text);
        }
        onlooker.hand_over(Written {
            begin,
            end: appended.position,
            record,
        });
    }

    /// Appends a record without bodies and applies it in memory.
    fn commit_event(&mut self, event: Event, group: &mut Group) -> Result<(), CrawlError> {
        let record: Record = self.state.record(event, unix_ms());
        fail_point!("commit:before-append");
        let begin = self.archive.position();
        let appended = self.archive.append(&Entry::of(&record))?;
        self.narrator.tell(&record);
        fail_point!("commit:after-append");
        let applied = self
            .state
            .apply(&record, Stored::default(), Lent::default(), |_| None)?;
        fail_point!("apply:after");
        group.reopened.extend(applied.reopened);
        if matches!(record.event, Event::Elsewhere(_)) {
            let changes = publish::changes(&record, applied.kept, Default::default);
            let held = Held::default();
            group.publications.extend(publish::held_by(changes, held));
        }
        self.hand_over(begin, record, appended);
        Ok(())
    }

    /// Records seeds that were given while the crawl runs, by the rule of a start's seeds.
    fn add_seeds(
        &mut self,
        given: &[SeedUrl],
        group: &mut Group,
    ) -> Result<SeedsTaken, CrawlError> {
        let news = setup::new_seeds(given, self.state.seeds());
        let mut taken = SeedsTaken {
            known: (given.len() - news.len()) as u64,
            ..SeedsTaken::default()
        };
        for seed in news {
            let event = self.decide_seed(seed)?;
            if let Event::Seed(seed) = &event {
                taken.count(seed.fate.as_ref());
            }
            self.commit_event(event, group)?;
        }
        Ok(taken)
    }

    fn decide_seed(&self, seed: SeedRecord) -> Result<Event, CrawlError> {
        let url = seed.url.clone();
        self.state.decide_seed(seed).map_err(|error| match error {
            SeedError::Url(error) => CrawlError::Setup(format!("seed {url}: {error}")),
            SeedError::Frontier(error) => error.into(),
        })
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
        let mut position = self.close_group(&mut group)?;
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
            position = self.close_group(&mut group)?;
            self.store(position)?;
        }
        if let Some(uploads) = &self.uploads {
            // All that was appended is synced and, on many machines, acknowledged: it is never cut.
            let (bodies, journal) = self.archive.open_files();
            uploads.note_closed(bodies, journal);
        }
        self.give_back_parts()?;
        self.memory.save_if_due(&self.state, position)?;
        self.state.rescore_if_due()?;
        self.publish(group.publications, position)?;
        self.bytes += group.bytes;
        self.show();
        for (answer, count) in group.answers {
            // Who asked may have gone.
            let _ = answer.send(count);
        }
        for (answer, taken) in group.seeds_taken {
            let _ = answer.send(taken);
        }
        self.share_the_budget();
        // On many machines another node may read an example yet.
        if self.node.is_none()
            && let Some(why) = self.state.topic_lost()?
        {
            self.tell(ToDispatcher::NoTopic(why));
        }
        if let Some(why) = self.harvest_stop() {
            self.tell(ToDispatcher::HarvestEnds(why));
        }
        self.tell(ToDispatcher::Committed {
            leases,
            visits: group.visits,
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
        if self.progress.onlooker().is_there() {
            self.progress.onlooker().are_synced();
        }
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
            let events = self.state.decide_rule_wrong(&rule, urls)?;
            any |= self.put_back_by(events, group)?;
        }
        let events = self.state.decide_returns()?;
        any |= self.put_back_by(events, group)?;
        Ok(any)
    }

    fn put_back_by(&mut self, events: Vec<Event>, group: &mut Group) -> Result<bool, CrawlError> {
        if !events.is_empty() && !group.is_open {
            self.open_group(&[], &[], group)?;
        }
        let any = !events.is_empty();
        for event in events {
            self.commit_event(event, group)?;
        }
        Ok(any)
    }

    fn publish(
        &mut self,
        publications: Vec<(Change, Held)>,
        position: Position,
    ) -> Result<(), CrawlError> {
        let changes = publications.into_iter();
        let changes = changes.map(|(change, held)| ToPublisher::Change(change, held));
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
        self.progress.update(|shown| {
            (shown.outlook, shown.guarded_this_start) = (outlook, self.guarded);
        });
    }

    fn tell(&self, message: ToDispatcher) {
        // Nobody listens any more when the dispatcher has ended.
        let _ = self.out.dispatcher.send(message);
    }
}

/// How long the next group of visits is gathered, by how many findings came in this time.
fn gather_time(now: Duration, findings: usize) -> Duration {
    match findings > FINDINGS_MAX {
        true => (now / 2).max(VISITS_WAIT_LEAST),
        false => (now * 2).min(VISITS_WAIT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_gathered_for_as_long_as_the_inbox_has_room_for_them() {
        let few = |now| gather_time(now, FINDINGS_MAX);
        let many = |now| gather_time(now, FINDINGS_MAX + 1);
        assert_eq!(few(VISITS_WAIT), VISITS_WAIT);
        assert_eq!(many(VISITS_WAIT), VISITS_WAIT / 2);
        assert_eq!(few(many(VISITS_WAIT)), VISITS_WAIT);
        let least = (0..20).fold(VISITS_WAIT, |now, _| many(now));
        assert_eq!(least, VISITS_WAIT_LEAST);
        let again = (0..20).fold(least, |now, _| few(now));
        assert_eq!(again, VISITS_WAIT);
    }
}
