//! Whose turn is it? The dispatcher leases URLs and starts their visits.
//!
//! A plain thread with one inbox and the next host's time as its deadline. It leases only while a
//! connection is free, body bytes are below their bound, and not too many leases wait for their
//! record. robots.txt is asked before a lease: a refusal costs the host no delay.

mod room;
mod watch;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use fetcher::Purpose;
use frontier::{FrontierError, HostKey, Next, Trouble};
use outcome::StopReason;
use state::context::{Kind, kind_in};
use state::{DOUBT, SharedQueue};

use crate::clock::unix_ms;
use crate::config::CrawlConfig;
use crate::disk::DiskReserve;
use crate::messages::ToDispatcher;
use crate::node::keeper::Shared;
use crate::progress::Progress;
use crate::robots_moves::RobotsMoves;
use crate::stop::StopHandle;
use crate::visit::Visitor;
use crate::watchdog::Watchdog;
use room::Room;

/// Longest sleep: pauses and stops are noticed this soon.
const NAP_MAX: Duration = Duration::from_millis(200);

/// Between two looks at the hosts that do not answer.
const LOOK_INTERVAL: Duration = Duration::from_millis(200);

/// Between two looks at the hosts for watchers.
const SHOW_INTERVAL: Duration = Duration::from_millis(500);

/// Leases beyond the connections that may wait for their record.
const LEASES_AHEAD: usize = 16;

/// The same on many machines, where records wait for the ledger.
const LEASES_AHEAD_OF_LEDGER: usize = 256;

/// Leases of visits that may wait for their record beside those: the record is small, and each group of
/// them costs a sync.
pub(crate) const VISITS_AHEAD: usize = 240;

/// While visits are under way, what comes after a message is gathered for so long: a thread that is woken
/// for each answer costs as much as the answer.
const VISITS_WAIT: Duration = Duration::from_millis(1);

/// Why the dispatcher ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The reason; [`StopReason::Error`] when another thread failed.
    pub(crate) reason: StopReason,
    /// The reason in words, where there is more to say.
    pub(crate) detail: Option<String>,
    /// What failed.
    pub(crate) failed: Option<&'static str>,
    /// On many machines, why this node is out of the crawl and has to join again.
    pub(crate) lost: Option<String>,
}

impl Ended {
    /// The user has stopped it.
    pub(crate) fn interrupted() -> Self {
        Self::by(StopReason::Interrupted)
    }

    /// Nothing waits.
    fn drained() -> Self {
        Self::by(StopReason::Drained)
    }

    pub(crate) fn by(reason: StopReason) -> Self {
        Self {
            reason,
            detail: None,
            failed: None,
            lost: None,
        }
    }

    /// The crawl cannot go on.
    pub(crate) fn by_error(failed: &'static str) -> Self {
        Self {
            reason: StopReason::Error,
            detail: None,
            failed: Some(failed),
            lost: None,
        }
    }
}

/// The dispatcher's state.
pub(crate) struct Dispatcher {
    config: Arc<CrawlConfig>,
    queue: SharedQueue,
    runtime: tokio::runtime::Handle,
    visitor: Arc<Visitor>,
    stop: StopHandle,
    progress: Progress,
    moves: RobotsMoves,
    room: Room,
    harvest: Option<String>,
    /// Why the topic has nothing to judge pages by.
    no_topic: Option<String>,
    watchdog: Watchdog,
    disk: DiskReserve,
    /// When the hosts that do not answer were looked at last.
    looked_at: Option<Instant>,
    /// Nothing is left but hosts that give no answer, no page, or no robots.txt: which of them is asked again first.
    unreachable: Option<String>,
    /// On many machines, this node's standing among them.
    node: Option<Arc<Shared>>,
}

enum Leased {
    Until(Instant),
    Waiting,
    Drained,
}

impl Dispatcher {
    /// A dispatcher of a crawl that has made so many of the requests that it may make, 0 for no limit; on
    /// many machines the ledger grants them.
    pub(crate) fn new(
        config: &Arc<CrawlConfig>,
        queue: SharedQueue,
        runtime: tokio::runtime::Handle,
        visitor: Arc<Visitor>,
        watched: (StopHandle, Progress),
        disk: DiskReserve,
        (requests, node): ((u64, u64), Option<Arc<Shared>>),
    ) -> Self {
        let (stop, progress) = watched;
        Self {
            queue,
            runtime,
            visitor,
            stop,
            progress,
            moves: RobotsMoves::default(),
            looked_at: None,
            unreachable: None,
            room: Room::new(config, requests, node.is_some()),
            node,
            harvest: None,
            no_topic: None,
            watchdog: Watchdog::new(Instant::now()),
            disk,
            config: Arc::clone(config),
        }
    }

    /// Works until the crawl has ended, for whatever reason.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub(crate) fn run(&mut self, inbox: &Receiver<ToDispatcher>) -> Result<Ended, FrontierError> {
        let started = Instant::now();
        let mut shown = None;
        loop {
            while let Ok(message) = inbox.try_recv() {
                if let Some(failed) = self.take(message) {
                    return Ok(Ended::by_error(failed));
                }
            }
            if let Some(lost) = self.look_at_ledger() {
                return Ok(lost);
            }
            let ending = self.ending(started);
            let is_ending = ending.is_some();
            // What a node has under way belongs to its hosts, which go to others in order.
            let leaves_all = self.stop.is_at_once() && self.node.is_none();
            if let Some(ended) = ending.filter(|_| leaves_all || self.room.is_quiet()) {
                return Ok(ended);
            }
            let mut deadline = Instant::now() + NAP_MAX;
            let may_begin = self.node.as_ref().is_none_or(|node| node.may_begin());
            if !is_ending && !self.stop.is_paused() && may_begin {
                self.unreachable = self.gives_up();
                if self.unreachable.is_some() {
                    continue;
                }
                match self.lease_all()? {
                    Leased::Drained if self.room.is_quiet() && self.node.is_none() => {
                        return Ok(Ended::drained());
                    }
                    Leased::Until(at) => deadline = deadline.min(at),
                    Leased::Drained | Leased::Waiting => {}
                }
            }
            self.watch();
            if shown.is_none_or(|at: Instant| at.elapsed() > SHOW_INTERVAL) {
                self.show(is_ending);
                shown = Some(Instant::now());
            }
            match inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => {
                    if let Some(failed) = self.take(message) {
                        return Ok(Ended::by_error(failed));
                    }
                    self.gather_visits();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Ended::by_error("network")),
            }
        }
    }

    /// While visits are under way, lets more messages come.
    fn gather_visits(&self) {
        if self.room.again > 0 && self.room.visits_ahead > 0 {
            #[expect(
                clippy::disallowed_methods,
                reason = "the messages that come meanwhile are the point"
            )]
            std::thread::sleep(VISITS_WAIT);
        }
    }

    /// On many machines: takes in what the ledger grants and says what is under way. Gives the end of
    /// this run if nothing waits on any node, or this one is out of the crawl.
    fn look_at_ledger(&mut self) -> Option<Ended> {
        let node = self.node.as_ref()?;
        self.room.pages_max = node.granted();
        self.room.pages = node.pages();
        if self.harvest.is_none() {
            self.harvest = node.ends();
        }
        let is_idle = {
            let frontier = &mut self.queue.lock().frontier;
            if let Some(divisor) = node.divisor() {
                frontier.set_nodes(divisor as usize);
                if frontier.is_within_share() {
                    node.note_fit(divisor);
                }
            }
            if self.config.topic.is_some() {
                let now = Instant::now();
                frontier.set_elsewhere(node.elsewhere());
                let asks = node.may_begin() && self.room.has_pages() && !self.stop.is_paused();
                let next = frontier.promise(now).filter(|_| asks);
                node.show_turn(next, frontier.gives_way(now));
            }
            self.room.is_quiet() && frontier.counts().pending == 0
        };
        node.show_work(self.room.leases as u64, is_idle);
        if is_idle && node.is_drained() {
            return Some(Ended::drained());
        }
        let lost = node.lost()?;
        Some(Ended {
            reason: StopReason::Error,
            detail: None,
            failed: None,
            lost: Some(lost),
        })
    }

    /// Whether the budget of pages is used up: on many machines, by all of them together.
    fn is_used_up(&self) -> bool {
        match &self.node {
            Some(node) => node.is_spent(),
            None => self.room.is_used_up(),
        }
    }

    /// Whether, and why, no more is to be leased.
    fn ending(&mut self, started: Instant) -> Option<Ended> {
        let max_time = self.config.crawl.max_time.0;
        let elapsed = match &self.node {
            Some(node) => node.elapsed(),
            None => started.elapsed(),
        };
        let short_of_space = self.disk.shortage(Instant::now()).map(str::to_owned);
        let reason = if self.stop.is_stopping() {
            StopReason::Interrupted
        } else if self.stop.is_reloading() {
            StopReason::Reloaded
        } else if self.node.as_ref().is_some_and(|node| node.is_sent_away()) {
            StopReason::HandedOver
        } else if short_of_space.is_some() {
            StopReason::DiskFull
        } else if self.stop.is_time_up() || !max_time.is_zero() && elapsed >= max_time {
            StopReason::MaxTime
        } else if self.is_used_up() {
            StopReason::MaxPages
        } else if self.no_topic.is_some() {
            StopReason::NoTopic
        } else if self.harvest.is_some() {
            StopReason::Harvest
        } else if self.unreachable.is_some() {
            StopReason::HostsUnreachable
        } else {
            return None;
        };
        let detail = match reason {
            StopReason::NoTopic => self.no_topic.clone(),
            StopReason::Harvest => self.harvest.clone(),
            StopReason::DiskFull => short_of_space,
            StopReason::HostsUnreachable => self.unreachable.clone(),
            StopReason::Interrupted => self.stop.is_at_once().then(|| "at once".to_owned()),
            StopReason::Drained
            | StopReason::MaxPages
            | StopReason::MaxTime
            | StopReason::Reloaded
            | StopReason::HandedOver
            | StopReason::Error
            | StopReason::Unknown(_) => None,
        };
        Some(Ended {
            reason,
            detail,
            failed: None,
            lost: None,
        })
    }

    /// Leases as long as there is room.
    fn lease_all(&mut self) -> Result<Leased, FrontierError> {
        while self.room.has_room() {
            let next = self.queue.lock().next(Instant::now(), unix_ms())?;
            if !matches!(next, Next::WaitUntil(_) | Next::InFlight | Next::Drained) {
                self.watchdog.moved(Instant::now());
            }
            let visitor = Arc::clone(&self.visitor);
            match next {
                Next::Lease(lease) => {
                    let purpose = match kind_in(&lease.url().context) {
                        Kind::Page => Purpose::Page,
                        Kind::Sitemap => Purpose::Sitemap,
                    };
                    self.room.lease(&lease);
                    self.room.visits += 1;
                    self.runtime
                        .spawn(async move { visitor.visit(lease, purpose).await });
                }
                Next::Robots(host, url) => {
                    self.room.visits += 1;
                    self.room.robots += 1;
                    self.runtime
                        .spawn(async move { visitor.visit_robots(host, &url).await });
                }
                Next::Errand(host, DOUBT) => self.doubt(&host),
                Next::Errand(host, number) => self.follow_robots(host, number),
                Next::Address(host) => {
                    self.room.visits += 1;
                    self.runtime
                        .spawn(async move { visitor.look_up(host).await });
                }
                Next::Refused(lease, refused) => {
                    self.room.lease(&lease);
                    self.runtime
                        .spawn(async move { visitor.refuse(lease, refused).await });
                }
                Next::WaitUntil(at) => return Ok(Leased::Until(at)),
                Next::InFlight => return Ok(Leased::Waiting),
                Next::Drained => return Ok(Leased::Drained),
            }
        }
        Ok(Leased::Waiting)
    }

    /// Asks for a robots.txt where it is now.
    fn follow_robots(&mut self, host: HostKey, number: u64) {
        // Each number is given out once, and taken once.
        let Some((url, owners)) = self.moves.take(number) else {
            return;
        };
        self.room.visits += 1;
        self.room.robots_moved -= owners.len();
        let visitor = Arc::clone(&self.visitor);
        self.runtime
            .spawn(async move { visitor.visit_moved_robots(host, url, owners).await });
    }

    /// Asks for a page that was good before, of a host that may be out.
    fn doubt(&mut self, host: &HostKey) {
        // One for each errand.
        let Some(good) = self.queue.lock().frontier.take_doubted(host) else {
            return;
        };
        self.room.visits += 1;
        let visitor = Arc::clone(&self.visitor);
        self.runtime.spawn(async move { visitor.doubt(good).await });
    }

    /// Gives up hosts that give no page. When nothing has been left for too long but hosts that give no
    /// answer, only server errors, or no robots.txt, tells which is asked again first.
    fn gives_up(&mut self) -> Option<String> {
        let now = Instant::now();
        let is_due = self
            .looked_at
            .is_none_or(|at| now.duration_since(at) >= LOOK_INTERVAL);
        if !is_due {
            return None;
        }
        self.looked_at = Some(now);
        let mut queue = self.queue.lock();
        let would_end = queue.frontier.give_up_silent_hosts(now);
        if queue.doubt_outages(would_end, unix_ms()) || !would_end {
            return None;
        }
        let first = queue.frontier.first_in_trouble(now)?;
        let why = match first.trouble {
            Trouble::NoRobots => "its robots.txt cannot be had",
            Trouble::ServerErrors => "it answers with nothing but server errors",
            Trouble::RefusesAll => "it refuses even pages that it gave before",
            Trouble::NoAnswer => "it gives no answer",
        };
        let seconds = first.next_in.as_secs().max(1);
        Some(format!(
            "{} is asked again first, in {seconds} s: {why}",
            first.host
        ))
    }

    /// Takes a message in; gives what failed when the crawl cannot go on.
    fn take(&mut self, message: ToDispatcher) -> Option<&'static str> {
        self.watchdog.moved(Instant::now());
        match message {
            ToDispatcher::BodyEnded {
                host,
                at,
                advice,
                bytes,
            } => {
                self.room.visits -= 1;
                self.room.bytes += bytes;
                self.queue.lock().frontier.body_done(&host, at, &advice);
            }
            ToDispatcher::RobotsMoved {
                host,
                at,
                advice,
                target: (url, canonical),
                owners,
            } => {
                self.room.visits -= 1;
                self.room.robots_moved += owners.len();
                let frontier = &mut self.queue.lock().frontier;
                frontier.body_done(&host, at, &advice);
                if let Some(number) = self.moves.add(url, owners) {
                    frontier.ask_for(&canonical.host(), canonical.origin(), number);
                }
            }
            ToDispatcher::Committed {
                leases,
                visits,
                robots,
                bytes,
                pages,
            } => {
                self.room.leases -= leases;
                self.room.again -= visits;
                self.room.robots -= robots;
                self.room.bytes = self.room.bytes.saturating_sub(bytes);
                self.room.pages = pages;
            }
            ToDispatcher::Address { host, address } => {
                self.room.visits -= 1;
                self.queue.lock().frontier.note_address(&host, address);
            }
            ToDispatcher::NoTopic(why) => self.no_topic = Some(why),
            ToDispatcher::HarvestEnds(why) => self.harvest = Some(why),
            ToDispatcher::ThreadEnded(name) => return Some(name),
        }
        None
    }
}

#[cfg(test)]
mod tests;
