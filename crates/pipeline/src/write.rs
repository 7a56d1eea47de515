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

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::time::{Duration, Instant};

use archive::{Appended, Archive, Entry, Event, PageRecord, Position, Record, SeedRecord};
use frontier::{CanonicalUrl, Frontier, FrontierUrl, HostKey, Lease, SeedUrl, Settled, Share};
use ledger::{Fact, Part, SeedBudget, host_number};
use outcome::{LinkFate, Outcome, Refusal};
use state::retry::{Candidate, RetryFilter};
use state::{Decided, Finding, Lent, SeedError, State, Stored};

use crate::budgets;
use crate::clock::unix_ms;
use crate::config::CrawlConfig;
use crate::control::SeedsTaken;
use crate::dir::CrawlDir;
use crate::error::CrawlError;
use crate::failpoint::fail_point;
use crate::memory::MemoryFile;
use crate::messages::{Change, Mail, PartsMove, ToDispatcher, ToPublisher, ToWriter};
use crate::narrate::Narrator;
use crate::node::lessons::{self, Lessons, Untold};
use crate::node::{Account, Node};
use crate::onlooker::Written;
use crate::progress::Progress;
use crate::publish;
use crate::retry;
use crate::run::FINDINGS_MAX;
use crate::setup;
use crate::stop::StartFigures;

/// Findings of one group at most.
const GROUP_MAX: usize = 256;

/// The same on many machines, where others wait for the order meanwhile.
const SHARED_GROUP_MAX: usize = 64;

/// While visits are to be made, a group of findings is gathered for so long, and for less where more come
/// meanwhile than the inbox has room for: who finds it full waits, and with it the network.
const VISITS_WAIT: Duration = Duration::from_millis(10);
const VISITS_WAIT_LEAST: Duration = Duration::from_micros(500);

/// URLs of one group that the ledger is asked about; the last finding may bring more.
const GROUP_URLS_MAX: usize = 16_384;

/// Parts of which what stands in them is asked for by one message: so many at first and at most, twice as many
/// after each answer that was quick. In a large crawl a part has much to be looked through.
const PARTS_AT_FIRST: usize = 8;
const PARTS_AT_ONCE: usize = 64;
const QUICK_ANSWER: Duration = Duration::from_millis(250);

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
    publications: Vec<Change>,
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

    /// On many machines, tells the others of example pages in the journal of which they were not told.
    fn tell_what_is_untold(&mut self) -> Result<(), CrawlError> {
        let mut untold = Untold {
            read: self.state.examples_learnt(),
            led_to: self.state.examples_led_to(),
        };
        if let Some(node) = &mut self.node {
            node.strike_told(&mut untold)?;
            node.tell(untold.facts(&self.dir)?);
        }
        Ok(())
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
        let is_finding = matches!(first, ToWriter::Finding(_));
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

    /// Gathers messages for a while, since each group is a round trip or two, then takes them with
    /// the order of the whole crawl.
    fn take_together(
        &mut self,
        first: ToWriter,
        inbox: &Receiver<ToWriter>,
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        let until = Instant::now() + self.node.as_ref().map(Node::pace).unwrap_or_default();
        let (mut unknown, mut rest) = (Vec::new(), Vec::new());
        let mut budgets: BTreeSet<u32> = BTreeSet::new();
        let mut next = Some(first);
        while let Some(message) = next.take() {
            let is_last = matches!(message, ToWriter::Stop(_));
            if let ToWriter::Finding(finding) = &message {
                unknown.append(&mut self.state.unknown_urls(finding)?);
                budgets.extend(self.state.seed_with_budget(finding));
            }
            if !matches!(message, ToWriter::Mail) {
                rest.push(message);
            }
            if !is_last && rest.len() < SHARED_GROUP_MAX && unknown.len() < GROUP_URLS_MAX {
                let left = until.saturating_duration_since(Instant::now());
                next = inbox.recv_timeout(left).ok();
            }
        }
        // What comes from the ledger is taken in before the group is begun, on the same connection.
        let (mut put_back, mut lessons) = (Vec::new(), Lessons::default());
        for mail in self.mail() {
            put_back.append(&mut match mail {
                Mail::Parts(moved) => self.move_parts(&moved)?,
                Mail::Admitted(urls) => self.take_admitted(urls)?,
                Mail::Lessons(told) => {
                    lessons.append(told);
                    continue;
                }
            });
        }
        let (lessons, own) = self.new_lessons(lessons)?;
        if rest.is_empty() && put_back.is_empty() && lessons.is_empty() {
            return Ok(());
        }
        let budgets: Vec<u32> = budgets.into_iter().collect();
        self.open_group(&unknown, &budgets, group)?;
        if !put_back.is_empty() {
            let again = archive::RetryRecord {
                urls: put_back,
                filter: "what had become of them was lost with a node".into(),
                ..archive::RetryRecord::default()
            };
            self.commit_event(Event::Retry(again), group)?;
        }
        let learns = self.node.as_ref().filter(|_| !lessons.is_empty());
        if let Some(event) = learns.map(|node| node.learns(lessons)) {
            self.commit_event(event, group)?;
            group.lessons.extend(own);
        }
        for message in rest {
            self.take(message, group)?;
        }
        Ok(())
    }

    /// What of this the topic has not learnt here. A page to which an example led may have been read before
    /// anybody knew: then the journal has what is learnt from it, and the others are to be told as well.
    fn new_lessons(&self, told: Lessons) -> Result<(Lessons, Vec<Fact>), CrawlError> {
        let Lessons {
            mut pages,
            mut led_to,
        } = told;
        let mut once = HashSet::new();
        pages.retain(|page| self.state.is_new_example(page) && once.insert(page.url.clone()));
        led_to.retain(|target| self.state.is_new_target(target));
        let mut read = BTreeMap::new();
        for target in &led_to {
            if let Ok(url) = CanonicalUrl::parse(&target.url)
                && self.state.queue().lock().frontier.is_finished(&url)?
            {
                read.insert(target.url.clone(), target.on_topic);
            }
        }
        let read = lessons::read_again(&self.dir, &read)?;
        let own = read.iter().filter_map(lessons::fact_of).collect();
        pages.extend(read);
        Ok((Lessons { pages, led_to }, own))
    }

    fn mail(&self) -> Vec<Mail> {
        let node = self.node.as_ref();
        node.map_or_else(Vec::new, |node| node.shared().mail())
    }

    /// URLs of this node's parts that others admitted; gives those of them that were finished before.
    fn take_admitted(&mut self, urls: Vec<(FrontierUrl, bool)>) -> Result<Vec<String>, CrawlError> {
        let put_back = put_back_of(&urls);
        self.state.take_admitted(urls)?;
        Ok(put_back)
    }

    /// On many machines, takes the order for a group that may admit these URLs, and for these seeds
    /// that have a budget.
    fn open_group(
        &mut self,
        urls: &[CanonicalUrl],
        seeds: &[u32],
        group: &mut Group,
    ) -> Result<(), CrawlError> {
        let Some(node) = &mut self.node else {
            return Ok(());
        };
        fail_point!("group:before-begin");
        let begun = node.begin(urls, seeds)?;
        fail_point!("group:after-begin");
        {
            let frontier = &mut self.state.queue().lock().frontier;
            for (url, _) in urls.iter().zip(begun.known).filter(|(_, known)| *known) {
                frontier.note_known(url);
            }
            frontier.note_spent(begun.spent);
        }
        group.is_open = true;
        for mut event in begun.events {
            if let Event::Elsewhere(elsewhere) = &mut event {
                self.state.name_replaced(elsewhere);
            }
            self.commit_event(event, group)?;
        }
        Ok(())
    }

    /// Syncs what was appended and, on many machines, commits it: gives the journal's position then.
    fn close_group(&mut self, group: &mut Group) -> Result<Position, CrawlError> {
        if self.node.is_some() && !group.is_open {
            return Ok(self.archive.synced());
        }
        let before = self.archive.synced();
        let position = self.sync()?;
        let Some(node) = &mut self.node else {
            return Ok(position);
        };
        group.is_open = false;
        if position == before {
            node.abandon();
            return Ok(position);
        }
        fail_point!("group:before-close");
        let (offered, budgets) = {
            let frontier = &mut self.state.queue().lock().frontier;
            let offered = frontier.take_offered();
            let budgets = budgets_of(frontier, &offered.0);
            (offered, budgets)
        };
        let account = std::mem::take(&mut group.account);
        node.close(account, offered, &budgets, position)?;
        fail_point!("group:after-close");
        node.tell(std::mem::take(&mut group.lessons));
        Ok(position)
    }

    /// Parts come, with what waits in them, and go; gives those URLs that were finished before.
    fn move_parts(&mut self, moved: &PartsMove) -> Result<Vec<String>, CrawlError> {
        let mut put_back = Vec::new();
        let Some(node) = &mut self.node else {
            return Ok(put_back);
        };
        let (mut at_once, mut most) = (PARTS_AT_FIRST, PARTS_AT_ONCE);
        let mut left: &[Part] = &moved.take;
        while !left.is_empty() {
            let (parts, rest) = left.split_at(at_once.min(left.len()));
            let asked = Instant::now();
            let Some(coming) = node.standing(parts)? else {
                // Many URLs wait: what an answer has no room for is not asked for again and again.
                (at_once, most) = (1, 1);
                continue;
            };
            left = rest;
            at_once = match asked.elapsed() < QUICK_ANSWER {
                true => (2 * at_once).min(most),
                false => at_once.div_ceil(2),
            };
            for part in coming {
                for (root, _) in &part.roots {
                    self.state.note_taken(root);
                }
                put_back.append(&mut put_back_of(&part.waiting));
                let number = part.part.number();
                self.state.take_part(number, part.waiting, part.ended)?;
            }
        }
        let taken: Vec<u16> = moved.take.iter().map(|part| part.number()).collect();
        let release: Vec<u16> = moved.release.iter().map(|part| part.number()).collect();
        let mut queue = self.state.queue().lock();
        if !taken.is_empty() {
            queue.frontier.count_taken();
            queue.frontier.rest_hosts_of(&taken);
        }
        queue.frontier.release_parts(&release)?;
        Ok(put_back)
    }

    /// Gives back what parts that go have left behind, once nothing of them is under way.
    fn give_back_parts(&mut self) -> Result<(), CrawlError> {
        let Some(node) = &self.node else {
            return Ok(());
        };
        let frontier = &mut self.state.queue().lock().frontier;
        frontier.drop_released()?;
        let idle = frontier.idle_parts();
        if !idle.is_empty() {
            frontier.note_given_back(&idle);
            let parts = idle.into_iter().filter_map(Part::new);
            node.shared().give_back(parts.collect());
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
    fn commit_finding(&mut self, finding: Finding, group: &mut Group) -> Result<(), CrawlError> {
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
        group.publications.extend(changes);
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
        let page = match &mut record.event {
            Event::Page(page) => Some(page),
            Event::Visit(visit) => visit.page.as_mut(),
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
        if let Some(page) = page {
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
            group.publications.extend(changes);
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

    /// Whether the harvest says to stop, and why: on many machines, that of all nodes together.
    fn harvest_stop(&self) -> Option<String> {
        let Some(node) = &self.node else {
            return self.state.harvest_stop();
        };
        let shared = node.shared();
        let (share, why) = self.state.harvest_together(&shared.harvests())?;
        shared.show_harvest(share, why.as_deref());
        why
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
        self.progress.update(|shown| {
            (shown.outlook, shown.guarded_this_start) = (outlook, self.guarded);
        });
    }

    fn tell(&self, message: ToDispatcher) {
        // Nobody listens any more when the dispatcher has ended.
        let _ = self.out.dispatcher.send(message);
    }
}

/// Whether a URL was refused for its address.
fn is_guarded(record: &Record) -> bool {
    matches!(&record.event, Event::Page(page) if matches!(page.outcome, Outcome::Refused(Refusal::Guard(_))))
}

/// A sitemap among the seeds that gave no URL, and why.
fn useless_sitemap<'r>(record: &'r Record, seeds: &[SeedRecord]) -> Option<(&'r str, &'r str)> {
    let Event::Sitemap(sitemap) = &record.event else {
        return None;
    };
    let seed = seeds.get(sitemap.seed as usize)?;
    let is_given = seed.sitemap && seed.url == sitemap.url;
    let why = is_given.then(|| sitemap.why_nothing()).flatten()?;
    Some((&sitemap.url, why))
}

/// What is to be said of a seed whose page is on another host by now.
fn seed_elsewhere(record: &Record, seeds: &[SeedRecord]) -> Option<String> {
    let Event::Visit(visit) = &record.event else {
        return None;
    };
    let page = visit
        .page
        .as_ref()
        .filter(|_| visit.change == outcome::Change::Moved)?;
    let (url, target) = (&visit.url, page.links.first()?);
    if visit.opens {
        let target = &target.url;
        return Some(format!(
            "the site of {url} has moved to {target}: that belongs to the crawl from here on"
        ));
    }
    let is_seed = seeds
        .get(page.seed as usize)
        .is_some_and(|seed| seed.url == *url);
    let is_out = is_seed && target.fate == LinkFate::Scope;
    is_out.then(|| {
        let target = &target.url;
        format!("the seed {url} redirects to {target} by now, out of scope: if its site is there, add that as a seed")
    })
}

/// How long the next group of visits is gathered, by how many findings came in this time.
fn gather_time(now: Duration, findings: usize) -> Duration {
    match findings > FINDINGS_MAX {
        true => (now / 2).max(VISITS_WAIT_LEAST),
        false => (now * 2).min(VISITS_WAIT),
    }
}

/// A share of the crawl that has nothing yet.
pub(crate) fn new_share() -> Share {
    Share::new(|domain| Part::of_domain(domain).number(), host_number)
}

/// The budgets of the seeds that brought these URLs in.
fn budgets_of(frontier: &Frontier, urls: &[FrontierUrl]) -> Vec<SeedBudget> {
    let seeds: BTreeSet<u32> = urls.iter().map(|url| url.seed).collect();
    let budget = |seed: u32| {
        let urls_max = frontier.seed_budget(seed)?;
        Some(SeedBudget { seed, urls_max })
    };
    seeds.into_iter().filter_map(budget).collect()
}

/// Those of the URLs that were finished before.
fn put_back_of(urls: &[(FrontierUrl, bool)]) -> Vec<String> {
    let put_back = urls.iter().filter(|(_, put_back)| *put_back);
    put_back.map(|(url, _)| url.url.as_str().into()).collect()
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
