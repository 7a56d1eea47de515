//! What the frontier has learnt from pages, beside its URLs: its caller saves it with its own
//! knowledge of the journal, and gives it back.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Frontier;
use crate::parameters::Parameters;
use crate::trap::Traps;

/// What the trap rules have seen, what parameters change, and how many URLs each seed may bring in.
#[derive(Debug, Default, Deserialize)]
pub struct Learnt {
    traps: Traps,
    parameters: Parameters,
    limits: BTreeMap<u32, u64>,
}

/// The same, lent by a frontier.
#[derive(Serialize)]
struct Lent<'f> {
    traps: &'f Traps,
    parameters: &'f Parameters,
    limits: BTreeMap<u32, u64>,
}

impl Frontier {
    /// What was learnt from pages, to be read again as [`Learnt`].
    pub fn learnt(&self) -> impl Serialize + '_ {
        Lent {
            traps: &self.traps,
            parameters: &self.parameters,
            limits: self.budgets.limits(),
        }
    }

    /// Goes on with what was learnt before. Handles of [`Frontier::url_normalizer`] hear of it.
    pub fn resume_learnt(&mut self, learnt: Learnt) {
        self.traps = learnt.traps;
        self.parameters.resume(learnt.parameters);
        self.budgets.set_limits(learnt.limits);
    }
}
