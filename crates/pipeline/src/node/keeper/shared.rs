//! What a node's writer and dispatcher share with the thread that keeps its lease: how the node stands among the
//! others.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use focus::HarvestShare;
use ledger::{Fence, Lease, NodeState, Part, Tidings};

use crate::messages::Mail;
use crate::node::note::{ENDS_MAX, NodeNote};
use crate::node::shares::Shares;
use crate::node::turns::Turns;

/// What the node's threads know of its standing in the crawl.
#[derive(Debug)]
pub(crate) struct Shared {
    began: Instant,
    inner: Mutex<Inner>,
    /// The ledger has answered, or the lease is lost.
    moved: Condvar,
}

#[derive(Debug)]
pub(super) struct Inner {
    lease: Lease,
    /// How long a lease is; the first one is waited for as long.
    ttl: Duration,
    was_renewed: bool,
    /// Pages granted so far; none if the crawl has no such budget.
    granted: Option<u64>,
    /// What the dispatcher has asked for, what is under way for it, and whether nothing waits here.
    under_way: u64,
    /// Requests for pages that the ledger has, over all starts of this node.
    pub(super) pages: u64,
    /// Granted pages that are to be given back.
    unused: u64,
    /// All that was admitted is finished.
    is_drained: bool,
    /// All pages of the budget were fetched.
    is_spent: bool,
    /// The budget of all nodes, and the pages fetched of it.
    budget: Option<(u64, u64)>,
    /// Nodes that take part.
    live: usize,
    /// The last kept text whose group is committed, and how many groups were.
    pub(super) seen: u64,
    pub(super) closings: u64,
    /// Parts of which nothing is under way here any more.
    pub(super) given_back: Vec<Part>,
    /// What the ledger has for the writer.
    pub(super) mail: Vec<Mail>,
    /// Why this node is out.
    lost: Option<String>,
    is_away: bool,
    /// It was asked to hand over what it has.
    pub(super) is_sent_away: bool,
    pub(super) together: Together,
    pub(super) turns: Turns,
    /// This node's part of the connections to an address.
    pub(super) shares: Shares,
}

/// What the rules need that end the crawl on all nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Together {
    /// How much longer than this node the crawl has gone on.
    ahead: Duration,
    /// With a topic, what the stop rules ask of this node, and of each other one.
    pub(super) harvest: Option<HarvestShare>,
    others: Vec<HarvestShare>,
    /// Why the crawl ends.
    pub(super) ends: Option<String>,
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
                budget: None,
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

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Duration {
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

    pub(super) fn lose(&self, why: String) {
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
    pub(super) fn wishes(&self) -> (u32, u32) {
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
    pub(super) fn is_short(&self) -> bool {
        let inner = self.lock();
        let needed = inner.pages + inner.under_way + inner.turns.stock().1;
        let is_short = inner.granted.is_some_and(|granted| granted < needed);
        let is_short = is_short && inner.under_way > 0 && !inner.is_spent;
        is_short || inner.shares.is_moving() || inner.turns.is_news(inner.pages)
    }

    /// Takes in what a beat brought; `closings` is how many groups were committed before it.
    pub(super) fn take(
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

    /// The budget of all nodes, and the pages that all of them have fetched.
    pub(super) fn set_budget(&self, pages_max: Option<u64>, pages: u64) {
        let mut inner = self.lock();
        inner.is_spent = pages_max.is_some_and(|max| pages >= max);
        inner.budget = pages_max.map(|max| (max, pages));
    }

    /// The budget of all nodes, and how many pages they had fetched when this one looked last; none without one.
    pub(crate) fn budget(&self) -> Option<(u64, u64)> {
        self.lock().budget
    }
}
