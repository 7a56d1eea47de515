//! All that a crawl knows.

use std::collections::BTreeMap;

use archive::{RetryOrigin, SeedRecord};
use focus::{HarvestShare, TopicError};
use frontier::{CanonicalUrl, Frontier, FrontierError, HostKey, HostPast, ScopeError};
use outcome::Outlook;
use simhash::{IndexError, TableIndex};

use crate::counts::Counts;
use crate::examples::Examples;
use crate::fetch_gate::FetchGate;
use crate::focus_view::FocusView;
use crate::host_pasts::HostPasts;
use crate::host_walls::HostWalls;
use crate::kept::KeptPages;
use crate::policy::Policy;
use crate::queue::SharedQueue;
use crate::reach::Reach;
use crate::robots_book::{RobotsBook, RobotsPolicy};
use crate::templates::Templates;

/// Why a state cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The scope's rules cannot be used.
    #[error(transparent)]
    Scope(#[from] ScopeError),
    /// The topic cannot be used.
    #[error("[topic] {0}")]
    Topic(#[from] TopicError),
}

/// Calls of [`State::store`] in which the prints have not changed, after which their position is stored
/// all the same: a start after a crash replays so many groups of records at most that changed nothing
/// there.
const PRINTS_BEHIND_MAX: u32 = 64;

/// All that a crawl knows: a fold over its records.
#[derive(Debug)]
pub struct State {
    pub(crate) policy: Policy,
    pub(crate) queue: SharedQueue,
    pub(crate) kept: KeptPages,
    pub(crate) templates: Templates,
    pub(crate) reach: Reach,
    pub(crate) examples: Examples,
    pub(crate) focus: Option<FocusView>,
    pub(crate) pasts: HostPasts,
    /// URLs to which a redirect has led back, or whose host limits, and that were not put back yet.
    pub(crate) returns: BTreeMap<String, RetryOrigin>,
    pub(crate) counts: Counts,
    pub(crate) seq: u64,
    /// Where the prints are, once they were stored: how often their position was not, and the last one.
    prints_behind: Option<(u32, u64)>,
    /// The journal was read, and records are new from here on.
    pub(crate) is_live: bool,
}

impl State {
    /// Knows nothing yet but what the two stores hold.
    ///
    /// # Errors
    /// When scope or topic cannot be used.
    pub fn new(policy: Policy, frontier: Frontier, prints: TableIndex) -> Result<Self, StateError> {
        let gate = FetchGate::new(policy.random_seed, policy.learnt);
        let reach = Reach::new(&policy.scope)?;
        let robots = RobotsBook::new(RobotsPolicy {
            obey: policy.obey_robots,
            retry_delay: policy.retry_delay,
            retry_after_max: policy.retry_after_max,
            outage_max: policy.robots_outage_max,
        });
        let walls = HostWalls::new(policy.wall_rest);
        let mut examples = Examples::default();
        for (url, on_topic) in &policy.examples {
            examples.add(url, *on_topic);
        }
        Ok(Self {
            queue: SharedQueue::new(frontier, gate, robots, walls, reach.scope()),
            kept: KeptPages::new(prints),
            templates: Templates::default(),
            reach,
            examples,
            focus: policy.focus.as_ref().map(FocusView::new).transpose()?,
            pasts: HostPasts::default(),
            returns: BTreeMap::new(),
            counts: Counts::default(),
            seq: 0,
            prints_behind: None,
            is_live: false,
            policy,
        })
    }

    /// The queue, which the dispatcher asks as well.
    pub fn queue(&self) -> &SharedQueue {
        &self.queue
    }

    /// The counters.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The seeds of all starts.
    pub fn seeds(&self) -> &[SeedRecord] {
        self.reach.seeds()
    }

    /// The number of the last record.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Stores frontier and prints with the journal position that they follow from. In a running
    /// crawl that position is synced, and URLs that came in since the last time may be leased from
    /// now on. Prints that have not changed may be left where they were stored: they follow from that
    /// position as well.
    ///
    /// # Errors
    /// When a store cannot be written.
    pub fn store(&mut self, frontier: u64, prints: u64) -> Result<(), StoreError> {
        self.queue.lock().frontier.apply(frontier)?;
        let table = self.kept.prints();
        self.prints_behind = Some(match self.prints_behind {
            Some((behind, _)) if behind < PRINTS_BEHIND_MAX && !table.has_changes() => {
                (behind + 1, prints)
            }
            Some(_) | None => {
                table.apply(prints)?;
                (0, prints)
            }
        });
        Ok(())
    }

    /// The last call of a process that ends in order, after [`State::store`]: the next start has less
    /// to do.
    ///
    /// # Errors
    /// When a store cannot be written.
    pub fn save_at_end(&mut self) -> Result<(), StoreError> {
        if let Some((1.., prints)) = self.prints_behind {
            self.kept.prints().apply(prints)?;
        }
        Ok(self.queue.lock().frontier.save_at_end()?)
    }

    /// From here on records are made, and no longer read from the journal: what waits is scored as
    /// the model has it now, new URLs may be leased only when they are stored, and hosts are owed what
    /// they were owed when the last process ended.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn go_live(&mut self) -> Result<(), StoreError> {
        self.is_live = true;
        {
            let frontier = &mut self.queue.lock().frontier;
            frontier.hold_new_until_applied();
            if self.seq > 0 {
                frontier.resume();
            }
        }
        self.resume_hosts();
        self.rescore()
    }

    /// Tells the frontier what the journal knows of its hosts.
    fn resume_hosts(&mut self) {
        let mut queue = self.queue.lock();
        let queue = &mut *queue;
        let mut pasts: BTreeMap<HostKey, HostPast> = BTreeMap::new();
        for host in self.pasts.troubled() {
            let key = HostKey::from_record(host);
            pasts.insert(key, self.pasts.of(host));
        }
        for (host, origin) in queue.robots.hosts() {
            let past = pasts.entry(host);
            let past = past.or_insert_with_key(|host| self.pasts.of(host.as_str()));
            past.origins.push(origin);
        }
        for host in queue.frontier.waiting_hosts() {
            let past = pasts.entry(host);
            past.or_insert_with_key(|host| self.pasts.of(host.as_str()));
        }
        for (host, past) in pasts {
            queue.frontier.resume_host(&host, &past);
        }
        for host in queue.walls.rested() {
            if let Some((since_ms, rest)) = queue.walls.rest_of(host) {
                let host = HostKey::from_record(host);
                queue.frontier.rest_host(&host, since_ms, rest);
            }
        }
        queue
            .frontier
            .set_answered_before(self.pasts.any_answered());
    }

    /// Scores all that waits by the focus model as it is now.
    pub(crate) fn rescore(&mut self) -> Result<(), StoreError> {
        match &mut self.focus {
            Some(focus) => Ok(focus.rescore(&self.queue)?),
            None => Ok(()),
        }
    }

    /// The same, if the model has changed enough since the last time.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn rescore_if_due(&mut self) -> Result<(), StoreError> {
        match &mut self.focus {
            Some(focus) => Ok(focus.rescore_if_due(&self.queue)?),
            None => Ok(()),
        }
    }

    /// With a topic, what is left to find, as of when the queue was scored last.
    pub fn outlook(&self) -> Option<Outlook> {
        self.focus.as_ref()?.outlook()
    }

    /// With a topic of example pages alone: why it has nothing to judge pages by, once none of them is left
    /// to be read.
    ///
    /// # Errors
    /// When the frontier's store cannot be read.
    pub fn topic_lost(&self) -> Result<Option<String>, FrontierError> {
        if self.focus.as_ref().is_none_or(FocusView::has_subject) {
            return Ok(None);
        }
        let frontier = &self.queue.lock().frontier;
        let mut urls: Vec<&str> = Vec::new();
        for (url, _) in self.examples.iter().filter(|(_, on_topic)| *on_topic) {
            let Ok(canonical) = CanonicalUrl::parse(url) else {
                continue;
            };
            if frontier.is_open(&canonical)? {
                return Ok(None);
            }
            urls.push(url);
        }
        urls.sort_unstable();
        Ok(Some(format!(
            "{}: name other example pages, or save these and name the files, or give keywords",
            urls.join(", ")
        )))
    }

    /// Whether the harvest says to stop, and why. It tells of pages that are new: visits that are to be
    /// made are made first.
    pub fn harvest_stop(&self) -> Option<String> {
        let focus = self.focus.as_ref().filter(|_| self.counts.visits_due == 0);
        focus?.stop()
    }

    /// On many machines, with a topic: the same of this node and the others, whose figures are given,
    /// and the figures of this one.
    pub fn harvest_together(
        &self,
        others: &[HarvestShare],
    ) -> Option<(HarvestShare, Option<String>)> {
        let focus = self.focus.as_ref()?;
        let pages = others.iter().map(|share| share.pages);
        // Rounded figures of all serve: only how much of its last pages a node counts follows from it.
        let pages = pages.fold(0, u64::saturating_add);
        let pages = pages.saturating_add(focus.harvest_share(0).pages);
        Some((focus.harvest_share(pages), focus.stop_together(others)))
    }
}

/// A store of the state cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The frontier's store failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The prints' store failed.
    #[error(transparent)]
    Prints(#[from] IndexError),
}
