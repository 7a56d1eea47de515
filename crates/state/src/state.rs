//! All that a crawl knows.

use archive::SeedRecord;
use focus::TopicError;
use frontier::{Frontier, FrontierError, ScopeError};
use simhash::{IndexError, TableIndex};

use crate::counts::Counts;
use crate::examples::Examples;
use crate::fetch_gate::FetchGate;
use crate::focus_view::FocusView;
use crate::kept::KeptPages;
use crate::policy::Policy;
use crate::queue::SharedQueue;
use crate::reach::Reach;
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
    pub(crate) counts: Counts,
    pub(crate) seq: u64,
}

impl State {
    /// Knows nothing yet but what the two stores hold.
    ///
    /// # Errors
    /// When scope or topic cannot be used.
    pub fn new(policy: Policy, frontier: Frontier, prints: TableIndex) -> Result<Self, StateError> {
        let gate = FetchGate::new(policy.random_seed, policy.focus.is_some());
        Ok(Self {
            queue: SharedQueue::new(frontier, gate),
            kept: KeptPages::new(prints),
            templates: Templates::default(),
            reach: Reach::new(&policy.scope)?,
            examples: Examples::default(),
            focus: policy.focus.as_ref().map(FocusView::new).transpose()?,
            counts: Counts::default(),
            seq: 0,
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
    /// now on.
    ///
    /// # Errors
    /// When a store cannot be written.
    pub fn store(&mut self, frontier: u64, prints: u64) -> Result<(), StoreError> {
        self.queue.lock().frontier.apply(frontier)?;
        self.kept.prints().apply(prints)?;
        Ok(())
    }

    /// The last call of a process that ends in order, after [`State::store`]: the next start has less
    /// to do.
    ///
    /// # Errors
    /// When a store cannot be written.
    pub fn save_at_end(&mut self) -> Result<(), StoreError> {
        Ok(self.queue.lock().frontier.save_at_end()?)
    }

    /// From here on records are made, and no longer read from the journal: what waits is scored as
    /// the model has it now, and new URLs may be leased only when they are stored.
    ///
    /// # Errors
    /// When the frontier's store cannot be read or written.
    pub fn go_live(&mut self) -> Result<(), StoreError> {
        self.queue.lock().frontier.hold_new_until_applied();
        self.rescore()
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

    /// Whether the harvest says to stop, and why.
    pub fn harvest_stop(&mut self) -> Option<String> {
        self.focus.as_mut()?.stop()
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
