//! Why URLs are junk, refused or failed: names, kept once, and their counts.

use std::collections::BTreeMap;

use outcome::{JunkReason, Outcome, Refusal};

use crate::fates::State;
use crate::figures::Reasons;

/// Names that are counted apart; what comes later is [`OTHERS`].
const NAMES_MAX: usize = 200;

const OTHERS: &str = "(others)";

/// The number of a reason.
pub(crate) type ReasonId = u8;

/// Why a URL is junk, refused or failed, as it is counted: by its name, with what the report asks
/// of it beside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) name: String,
    /// The page repeats a kept page.
    pub(crate) is_duplicate: bool,
    /// The page is not about the topic.
    pub(crate) is_off_topic: bool,
    /// The URL's host was given up.
    pub(crate) is_host_gone: bool,
    /// The URL was not fetched for what was learnt of other pages.
    pub(crate) is_learnt_refusal: bool,
}

impl Reason {
    /// The reason of a finished URL; one without a name is called `unnamed`.
    pub(crate) fn of(outcome: &Outcome) -> Reason {
        let name = match outcome {
            Outcome::Unknown(unknown) => {
                // What a newer writer calls by another name has failed, under that name.
                let reason = unknown
                    .reason
                    .as_deref()
                    .filter(|reason| !reason.is_empty());
                reason.unwrap_or(&unknown.outcome).to_owned()
            }
            known => known.reason().unwrap_or_default().into_owned(),
        };
        Reason {
            is_duplicate: outcome.is_duplicate(),
            is_off_topic: outcome.junk() == Some(&JunkReason::OffTopic),
            is_host_gone: matches!(outcome.refusal(), Some(Refusal::HostGone(_))),
            is_learnt_refusal: outcome.refusal().is_some_and(|refusal| refusal.is_learnt()),
            ..Reason::named(if name.is_empty() { "unnamed" } else { &name })
        }
    }

    /// The reason of a URL that waits.
    pub(crate) fn none() -> Reason {
        Reason::named("unnamed")
    }

    fn named(name: &str) -> Reason {
        Reason {
            name: name.to_owned(),
            is_duplicate: false,
            is_off_topic: false,
            is_host_gone: false,
            is_learnt_refusal: false,
        }
    }
}

/// Counts of reasons by state. See the module's text.
#[derive(Debug, Default)]
pub(crate) struct ReasonCounts {
    reasons: Vec<Reason>,
    junk: BTreeMap<ReasonId, u64>,
    refused: BTreeMap<ReasonId, u64>,
    failed: BTreeMap<ReasonId, u64>,
}

impl ReasonCounts {
    /// The number of a reason.
    pub(crate) fn id(&mut self, reason: Reason) -> ReasonId {
        let full = self.reasons.len() >= NAMES_MAX;
        let known = |reasons: &[Reason], reason: &Reason| reasons.iter().position(|r| r == reason);
        let reason = match known(&self.reasons, &reason) {
            None if full => Reason::named(OTHERS),
            Some(_) | None => reason,
        };
        let at = known(&self.reasons, &reason).unwrap_or_else(|| {
            self.reasons.push(reason);
            self.reasons.len() - 1
        });
        ReasonId::try_from(at).expect("there are at most NAMES_MAX + 1 reasons")
    }

    pub(crate) fn get(&self, reason: ReasonId) -> &Reason {
        &self.reasons[usize::from(reason)]
    }

    /// One more URL, or one less, with this state and reason.
    pub(crate) fn count(&mut self, state: State, reason: ReasonId, more: bool) {
        let counts = match state {
            State::Junk => &mut self.junk,
            State::Refused => &mut self.refused,
            State::Failed => &mut self.failed,
            State::Pending | State::Indexed | State::Redirected | State::NotModified => return,
        };
        step(counts.entry(reason).or_default(), more);
    }

    pub(crate) fn report(&self) -> Reasons {
        let named = |counts: &BTreeMap<ReasonId, u64>| {
            let some = counts.iter().filter(|(_, n)| **n > 0);
            let mut counts = BTreeMap::new();
            for (reason, n) in some {
                *counts.entry(self.get(*reason).name.clone()).or_default() += n;
            }
            counts
        };
        Reasons {
            junk: named(&self.junk),
            refused: named(&self.refused),
            failed: named(&self.failed),
        }
    }
}

/// Counts one up or one down.
pub(crate) fn step(count: &mut u64, more: bool) {
    match more {
        true => *count += 1,
        false => *count -= 1,
    }
}
