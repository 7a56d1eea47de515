//! The thread that keeps a node's lease, and brings what others leave to it: parts, pages, URLs.
//!
//! It has a connection of its own, so that a group that waits does not keep it from beating. Time is
//! measured by this machine's own steady clock alone.

use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use focus::HarvestShare;
use ledger::{
    Fact, Fence, Lease, Ledger, LedgerError, Marks, Meter, NodeState, Part, Pulse, Silent, Tidings,
    Watch,
};

use crate::messages::{Mail, PartsMove, ToWriter};
use crate::node::lessons::Lessons;
use crate::node::note::{ENDS_MAX, NodeNote};
use crate::node::rows;
use crate::node::shares::Shares;
use crate::node::turns::Turns;

#[cfg(test)]
mod tests;

/// Between two looks at what others admitted.
const FOLLOW_EVERY: Duration = Duration::from_millis(250);

/// The fact that asks a node to hand over what it has; one that has joined again since is not meant.
pub fn drain_of(node: Fence) -> Fact {
    Fact {
        kind: "drain".into(),
        data: format!("node {} in epoch {}", node.node, node.epoch).into_bytes(),
    }
}

/// What the node's threads know of its standing in the crawl.
#[derive(Debug)]
pub(crate) struct Shared {
    began: Instant,
    inner: Mutex<Inner>,
    /// The ledger has answered, or the lease is lost.
    moved: Condvar,
}

#[derive(Debug)]
struct Inner {
    lease: Lease,
    /// How long a lease is; the first one is waited for as long.
    ttl: Duration,
    was_renewed: bool,
    /// Pages granted so far; none if the crawl has no such budget.
    granted: Option<u64>,
    /// What the dispatcher has asked for, what is under way for it, and whether nothing waits here.
    under_way: u64,
    /// Requests for pages that the ledger has, over all starts of this node.
    pages: u64,
    /// Granted pages that are to be given back.
    unused: u64,
    /// All that was admitted is finished.
    is_drained: bool,
    /// All pages of the budget were fetched.
    is_spent: bool,
    /// Nodes that take part.
    live: usize,
    /// The last kept text whose group is committed, and how many groups were.
    seen: u64,
    closings: u64,
    /// Parts of which nothing is under way here any more.
    given_back: Vec<Part>,
    /// What the ledger has for the writer.
    mail: Vec<Mail>,
    /// Why this node is out.
    lost: Option<String>,
    is_away: bool,
    /// It was asked to hand over what it has.
    is_sent_away: bool,
    together: Together,
    turns: Turns,
    /// This node's part of the connections to an address.
    shares: Shares,
}

/// What the rules need that end the crawl on all nodes.
#[derive(Debug, Clone, Default)]
struct Together {
    /// How much longer than this node the crawl has gone on.
    ahead: Duration,
    /// With a topic, what the stop rules ask of this node, and of each other one.
    harvest: Option<HarvestShare>,
    others: Vec<HarvestShare>,
    /// Why the crawl ends.
    ends: Option<String>,
    /// Epoch and counter of each node when this one looked first: what stood there then may be of an
    /// earlier run of the crawl.
    first: Option<BTreeMap<u16, (u64, u64)>>,
}

impl Together {
    /// Takes in what the other nodes say; `elapsed` is how long this one has been there.
    fn hear(&mut self, me: u16, elapsed: Duration, nodes: &[ledger::NodePulse]) {
        let others = || nodes.iter().filter(|node| node.fence.node != me);
        let standing = |node: &ledger::NodePulse| (node.fence.epoch, node.beat);
        let first = self.first.get_or_insert_with(|| {
            others()
                .map(|node| (node.fence.node, standing(node)))
                .collect()
        });
        self.others.clear();
        for node in others() {
            let note = NodeNote::read(&node.note);
            let is_live = node.state == NodeState::Live;
            let share = note.harvest.map(|share| match is_live {
                true => share,
                false => share.of_the_past(),
            });
            self.others.extend(share);
            if first.get(&node.fence.node) == Some(&standing(node)) {
                continue;
            }
            if let Some(why) = note.ends {
                self.ends.get_or_insert(why);
            }
            let theirs = Duration::try_from_secs_f64(note.elapsed_s).unwrap_or_default();
            if is_live {
                self.ahead = self.ahead.max(theirs.saturating_sub(elapsed));
            }
        }
    }
}

impl Inner {
    /// Whether the lease has ended, or the first one did not come in its time.
    fn is_over(&self, now: Duration) -> bool {
        match self.was_renewed {
            true => !self.lease.may_go_on(now),
            false => now >= self.ttl,
        }
    }
}

impl Shared {
    /// `pages`: requests for pages that the ledger has of this node.
    pub(crate) fn new(ttl: Duration, pages: u64) -> Shared {
        Shared {
            began: Instant::now(),
            moved: Condvar::new(),
            inner: Mutex::new(Inner {
                lease: Lease::new(ttl),
                ttl,
                was_renewed: false,
                granted: Some(0),
                under_way: 0,
                pages,
                unused: 0,
                mail: Vec::new(),
                is_drained: false,
                is_spent: false,
                live: 1,
                seen: 0,
                closings: 0,
                given_back: Vec::new(),
                lost: None,
                is_away: false,
                is_sent_away: false,
                together: Together::default(),
                turns: Turns::default(),
                shares: Shares::default(),
            }),
        }
    }

    /// Goes on with what was known before this node joined again.
    pub(crate) fn go_on_from(&self, before: &Shared) {
        let elapsed = before.elapsed();
        let together = before.lock().together.clone();
        self.lock().together = Together {
            ahead: elapsed,
            ..together
        };
    }

    /// How long the crawl has gone on: since the first of the nodes began that are there.
    pub(crate) fn elapsed(&self) -> Duration {
        self.now().saturating_add(self.lock().together.ahead)
    }

    /// With a topic, the figures of the other nodes.
    pub(crate) fn harvests(&self) -> Vec<HarvestShare> {
        self.lock().together.others.clone()
    }

    /// With a topic, this node's own figures, and why the crawl ends, if it does.
    pub(crate) fn show_harvest(&self, share: HarvestShare, ends: Option<&str>) {
        let together = &mut self.lock().together;
        together.harvest = Some(share);
        if let Some(why) = ends {
            let words = why.chars().filter(char::is_ascii).take(ENDS_MAX);
            together.ends.get_or_insert_with(|| words.collect());
        }
    }

    /// Why the crawl ends, on whichever node that was found.
    pub(crate) fn ends(&self) -> Option<String> {
        self.lock().together.ends.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Whether requests may begin.
    pub(crate) fn may_begin(&self) -> bool {
        let inner = self.lock();
        let has_share = inner.shares.divisor().is_some();
        has_share && inner.lost.is_none() && inner.lease.may_begin(self.now())
    }

    /// Whether requests that began may go on: if not, this node's sockets are to be closed.
    pub(crate) fn may_go_on(&self) -> bool {
        let inner = self.lock();
        inner.lost.is_none() && !inner.is_over(self.now())
    }

    /// Why this node is out of the crawl, if it is: it has to join again.
    pub(crate) fn lost(&self) -> Option<String> {
        let inner = self.lock();
        let ended = || "its lease has ended: the ledger did not answer for too long".to_owned();
        let is_over = inner.is_over(self.now());
        inner.lost.clone().or_else(|| is_over.then(ended))
    }

    fn lose(&self, why: String) {
        self.lock().lost.get_or_insert(why);
        self.moved.notify_all();
    }

    /// Waits until the ledger answers the keeper again, but no longer than this.
    pub(crate) fn wait_for_answer(&self, longest: Duration) {
        let inner = self.lock();
        let waited = self.moved.wait_timeout_while(inner, longest, |inner| {
            inner.is_away && inner.lost.is_none()
        });
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Pages that may be fetched over all starts of this node; none for any number.
    pub(crate) fn granted(&self) -> Option<u64> {
        self.lock().granted
    }

    pub(crate) fn is_drained(&self) -> bool {
        self.lock().is_drained
    }

    /// Whether this node was asked to hand over what it has.
    pub(crate) fn is_sent_away(&self) -> bool {
        self.lock().is_sent_away
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.lock().is_spent
    }

    /// Nodes that take part.
    pub(crate) fn live(&self) -> usize {
        self.lock().live
    }

    /// By how much the connections to an address are divided; none while this node may have none.
    pub(crate) fn divisor(&self) -> Option<u32> {
        self.lock().shares.divisor()
    }

    /// The requests under way are within the share by this divisor.
    pub(crate) fn note_fit(&self, divisor: u32) {
        self.lock().shares.note_fit(divisor);
    }

    /// The dispatcher says how many leases are out; with none and nothing to lease, it needs no grant, and
    /// few while others go first.
    pub(crate) fn show_work(&self, under_way: u64, is_idle: bool) {
        let mut inner = self.lock();
        inner.under_way = under_way;
        let needed = match (is_idle, inner.turns.gives_way()) {
            (true, _) => 0,
            (false, true) => under_way + inner.turns.kept(),
            (false, false) => return,
        };
        if let Some(granted) = inner.granted {
            let left = granted.saturating_sub(inner.pages + needed);
            inner.granted = Some(granted - left);
            inner.unused += left;
        }
    }

    /// With a topic, what the next page promises here, and whether others go first.
    pub(crate) fn show_turn(&self, next: Option<f32>, gives_way: bool) {
        self.lock().turns.show(next, gives_way);
    }

    /// What the best next page of the other nodes promises; none where they have no budget of pages in
    /// common, since a page that is not read here is then read nowhere else instead.
    pub(crate) fn elsewhere(&self) -> Option<f32> {
        let now = self.now();
        let inner = self.lock();
        inner.granted?;
        inner.turns.elsewhere(now, inner.ttl)
    }

    /// Requests for pages that the ledger has of this node.
    pub(crate) fn pages(&self) -> u64 {
        self.lock().pages
    }

    /// How many groups were committed.
    pub(crate) fn closings(&self) -> u64 {
        self.lock().closings
    }

    /// What came from the ledger since this was asked last.
    pub(crate) fn mail(&self) -> Vec<Mail> {
        std::mem::take(&mut self.lock().mail)
    }

    /// A group was committed.
    pub(crate) fn closed(&self, seen: u64, pages: u64) {
        let mut inner = self.lock();
        inner.seen = seen;
        inner.pages += pages;
        inner.closings += 1;
        // Its URLs are not in what was heard of the whole crawl before.
        inner.is_drained = false;
    }

    /// Parts of which nothing is under way any more.
    pub(crate) fn give_back(&self, parts: Vec<Part>) {
        self.lock().given_back.extend(parts);
    }

    pub(crate) fn note_away(&self, why: &str) {
        let was_away = std::mem::replace(&mut self.lock().is_away, true);
        if !was_away {
            tracing::warn!(
                "the ledger does not answer ({why}): no verdict is made until it does; nothing is lost"
            );
        }
    }

    pub(crate) fn note_answer(&self) {
        self.moved.notify_all();
        if std::mem::take(&mut self.lock().is_away) {
            tracing::info!("the ledger answers again");
        }
    }

    /// Pages to be asked for and to be given back.
    fn wishes(&self) -> (u32, u32) {
        let inner = self.lock();
        let Some(granted) = inner.granted else {
            return (0, 0);
        };
        if inner.unused > 0 {
            return (0, u32::try_from(inner.unused).unwrap_or(u32::MAX));
        }
        let (asked, left) = inner.turns.stock();
        match granted.saturating_sub(inner.pages + inner.under_way) < left {
            true => (asked, 0),
            false => (0, 0),
        }
    }

    /// Whether the next beat is due soon: for more pages, or since others wait for what it says.
    fn is_short(&self) -> bool {
        let inner = self.lock();
        let needed = inner.pages + inner.under_way + inner.turns.stock().1;
        let is_short = inner.granted.is_some_and(|granted| granted < needed);
        let is_short = is_short && inner.under_way > 0 && !inner.is_spent;
        is_short || inner.shares.is_moving() || inner.turns.is_news(inner.pages)
    }

    /// Takes in what a beat brought; `closings` is how many groups were committed before it.
    fn take(
        &self,
        (me, sent): (Fence, Duration),
        (closings, unused, divides_by): (u64, u32, u32),
        tidings: &Tidings,
    ) {
        let now = self.now();
        let mut inner = self.lock();
        inner.together.hear(me.node, now, &tidings.nodes);
        inner.turns.hear(me.node, now, &tidings.nodes);
        inner.lease.renewed(sent);
        inner.was_renewed = true;
        inner.unused = inner.unused.saturating_sub(unused.into());
        let unused = inner.unused;
        // What is to be given back is no longer granted here.
        let granted = tidings
            .granted
            .map(|granted| granted.saturating_sub(unused));
        inner.granted = granted;
        let live = |node: &&ledger::NodePulse| node.state == NodeState::Live;
        inner.live = tidings.nodes.iter().filter(live).count().max(1);
        let others = (tidings.nodes.iter())
            .filter(|node| live(node) && node.fence.node != me.node)
            .map(|node| NodeNote::read(&node.note).divides_by);
        let count = u32::try_from(inner.live).unwrap_or(u32::MAX);
        inner.shares.hear(divides_by, count, others);
        let sum = |of: fn(&ledger::NodePulse) -> u64| tidings.nodes.iter().map(of).sum::<u64>();
        let admitted = sum(|node| node.admitted);
        let is_drained = admitted == sum(|node| node.finished);
        inner.is_drained = is_drained && closings > 0 && closings == inner.closings;
    }

    fn set_spent(&self, is_spent: bool) {
        self.lock().is_spent = is_spent;
    }
}

/// The keeper, from outside.
pub(crate) struct Keeper {
    thread: JoinHandle<()>,
    end: Sender<End>,
}

/// How the keeper ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The lease runs out by itself, or goes on with the next join.
    Stops,
    /// All that the node has is given back.
    Leaves,
}

impl Keeper {
    /// Starts to beat.
    ///
    /// # Errors
    /// When there can be no further thread.
    pub(crate) fn start(
        (ledger, meter): (Box<dyn Ledger>, Meter),
        me: Fence,
        (ttl, admitted): (Duration, u64),
        shared: Arc<Shared>,
        to_writer: SyncSender<ToWriter>,
    ) -> std::io::Result<Keeper> {
        let (end, ends) = channel();
        let mut beats = Beats {
            ledger,
            meter,
            me,
            ttl,
            shared,
            to_writer,
            watch: Watch::new(ttl),
            silent: Vec::new(),
            admitted,
            facts: 0,
            told: HashSet::new(),
            has_news: false,
        };
        let thread = Builder::new()
            .name("lease".into())
            .spawn(move || beats.run(&ends))?;
        Ok(Keeper { thread, end })
    }

    /// Ends it; `leaves`: all that the node has is given back, so that others need not wait for the
    /// end of its lease.
    pub(crate) fn end(self, leaves: bool) {
        let how = if leaves { End::Leaves } else { End::Stops };
        // It has ended by itself when the lease was lost.
        let _ = self.end.send(how);
        // A keeper that panicked has lost its lease, and that was told.
        let _ = self.thread.join();
    }
}

struct Beats {
    ledger: Box<dyn Ledger>,
    /// What all of the node's threads said to the ledger.
    meter: Meter,
    me: Fence,
    ttl: Duration,
    shared: Arc<Shared>,
    to_writer: SyncSender<ToWriter>,
    watch: Watch,
    silent: Vec<Silent>,
    /// Admissions by others are followed from here on.
    admitted: u64,
    /// The last fact that was read.
    facts: u64,
    /// Parts that the writer was told to take.
    told: HashSet<Part>,
    /// The writer may not know yet of what came.
    has_news: bool,
}

impl Beats {
    fn run(&mut self, ends: &Receiver<End>) {
        let mut due = Instant::now();
        let mut soonest = due;
        loop {
            let now = Instant::now();
            // A node that runs short, or whose next page promises something else, says so between.
            if now >= due || (now >= soonest && self.shared.is_short()) {
                match self.beat() {
                    Ok(()) => due = Instant::now() + self.ttl / 5,
                    Err(LedgerError::Away(why)) => self.shared.note_away(&why),
                    Err(error) => {
                        self.shared.lose(error.to_string());
                        return;
                    }
                }
                if self.shared.lost().is_some() {
                    return;
                }
                soonest = Instant::now() + FOLLOW_EVERY;
            }
            // What cannot be had now is asked for again.
            let _ = self.follow();
            self.wake_the_writer();
            let now = Instant::now();
            let until = due.min(now + FOLLOW_EVERY).max(now + FOLLOW_EVERY / 5);
            match ends.recv_timeout(until - now) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(End::Leaves) => return self.leave(),
                Ok(End::Stops) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    /// Gives back all that the node has. What cannot be said now the others find out by its silence.
    fn leave(&mut self) {
        let seen = self.shared.lock().seen;
        let pulse = Pulse {
            seen,
            leaves: true,
            note: self.note(None),
            ..Pulse::of(self.me)
        };
        if let Err(error) = self.ledger.beat(&pulse) {
            tracing::info!("the others find out by its silence that this node has left: {error}");
        }
    }

    /// What this node says of itself.
    fn note(&self, divides_by: Option<u32>) -> Vec<u8> {
        let elapsed = self.shared.elapsed().as_secs_f64();
        let mut inner = self.shared.lock();
        let pages = inner.pages;
        let next = inner.turns.tell(pages);
        let note = NodeNote {
            elapsed_s: (elapsed * 10.0).round() / 10.0,
            harvest: inner.together.harvest,
            ends: inner.together.ends.clone(),
            divides_by,
            next: divides_by.and(next),
            ..NodeNote::of(&self.meter.figures(), self.meter.age())
        };
        note.to_bytes()
    }

    fn beat(&mut self) -> Result<(), LedgerError> {
        let (pages, unused) = self.shared.wishes();
        let (release, seen, closings) = {
            let inner = self.shared.lock();
            (inner.given_back.clone(), inner.seen, inner.closings)
        };
        let divides_by = self.shared.lock().shares.tell();
        let sent = self.shared.now();
        let tidings = self.ledger.beat(&Pulse {
            seen,
            wants_parts: !self.shared.is_sent_away(),
            release: release.clone(),
            pages,
            unused,
            silent: std::mem::take(&mut self.silent),
            note: self.note(Some(divides_by)),
            ..Pulse::of(self.me)
        })?;
        self.shared.note_answer();
        self.shared
            .take((self.me, sent), (closings, unused, divides_by), &tidings);
        self.silent = self
            .watch
            .look(self.shared.now(), self.me.node, &tidings.nodes);
        self.shared
            .lock()
            .given_back
            .retain(|part| !release.contains(part));
        for part in &release {
            self.told.remove(part);
        }
        let budget = self.ledger.overview()?;
        let pages: u64 = budget.nodes.iter().map(|node| node.pages).sum();
        self.shared
            .set_spent(budget.pages_max.is_some_and(|max| pages >= max));
        // Before parts are noted as told: if this fails, they come with the next sign of life.
        let is_asked_to_leave = budget.facts > self.facts && self.reads_facts()?;
        let take: Vec<Part> = (tidings.parts.iter().copied())
            .filter(|part| !self.told.contains(part))
            .collect();
        self.told.extend(&take);
        let mut release: Vec<Part> = tidings.wanted.clone();
        if is_asked_to_leave {
            tracing::info!("asked to hand over: others get this node's parts");
            release = self.told.iter().copied().collect();
        }
        if !take.is_empty() || !release.is_empty() {
            self.bring(Mail::Parts(PartsMove { take, release }));
        }
        Ok(())
    }

    /// Reads what was told to the whole crawl; whether this node is asked to leave, and was not before.
    fn reads_facts(&mut self) -> Result<bool, LedgerError> {
        let marks = Marks {
            facts: self.facts,
            kept: i64::MAX as u64,
            admitted: self.admitted,
        };
        let news = self.ledger.follow(&marks, &[])?;
        self.facts = news.marks.facts;
        let lessons = Lessons::among(&news.facts, self.me.node);
        if !lessons.is_empty() {
            self.bring(Mail::Lessons(lessons));
        }
        let is_asked = (news.facts.iter()).any(|told| told.fact == drain_of(self.me));
        if is_asked {
            let was_asked = std::mem::replace(&mut self.shared.lock().is_sent_away, true);
            return Ok(!was_asked);
        }
        Ok(false)
    }

    fn follow(&mut self) -> Result<(), LedgerError> {
        let marks = Marks {
            facts: i64::MAX as u64,
            kept: i64::MAX as u64,
            admitted: self.admitted,
        };
        let parts: Vec<Part> = self.told.iter().copied().collect();
        if parts.is_empty() {
            return Ok(());
        }
        let news = self.ledger.follow(&marks, &parts)?;
        self.admitted = news.marks.admitted;
        let urls = rows::all_waiting(news.admitted, self.me.node);
        if !urls.is_empty() {
            self.bring(Mail::Admitted(urls));
        }
        Ok(())
    }

    fn bring(&mut self, mail: Mail) {
        self.shared.lock().mail.push(mail);
        self.has_news = true;
    }

    /// Wakes a writer that waits; one that has no room for a message has work, and looks by itself.
    fn wake_the_writer(&mut self) {
        if std::mem::take(&mut self.has_news) {
            match self.to_writer.try_send(ToWriter::Mail) {
                Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
    }
}
