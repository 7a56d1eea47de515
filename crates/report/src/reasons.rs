//! Why URLs are junk, refused or failed: names, kept once, and their counts.

use std::collections::BTreeMap;

use crate::fates::State;
use crate::figures::Reasons;

/// Names that are counted apart; what comes later is [`OTHERS`].
const NAMES_MAX: usize = 200;

const OTHERS: &str = "(others)";

/// The number of a reason's name.
pub(crate) type ReasonId = u8;

/// Counts of reasons by state. See the module's text.
#[derive(Debug, Default)]
pub(crate) struct ReasonCounts {
    names: Vec<String>,
    junk: BTreeMap<ReasonId, u64>,
    refused: BTreeMap<ReasonId, u64>,
    failed: BTreeMap<ReasonId, u64>,
}

impl ReasonCounts {
    /// The number of a reason; an empty one is called `unnamed`.
    pub(crate) fn id(&mut self, reason: &str) -> ReasonId {
        let reason = if reason.is_empty() { "unnamed" } else { reason };
        let full = self.names.len() >= NAMES_MAX;
        let known = |names: &[String], reason: &str| names.iter().position(|name| name == reason);
        let reason = match known(&self.names, reason) {
            None if full => OTHERS,
            Some(_) | None => reason,
        };
        let at = known(&self.names, reason).unwrap_or_else(|| {
            self.names.push(reason.to_owned());
            self.names.len() - 1
        });
        ReasonId::try_from(at).expect("there are at most NAMES_MAX + 1 names")
    }

    pub(crate) fn name(&self, reason: ReasonId) -> &str {
        &self.names[usize::from(reason)]
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
            some.map(|(reason, n)| (self.name(*reason).to_owned(), *n))
                .collect()
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
