//! For how long a list has said by 304 that it is as it was.
//!
//! A page whose 304 lies is found out among the pages of its host ([`crate::validators`]). A front page, a list, a
//! feed or a sitemap whose 304 lies costs all pages that are new, and there may be no other one that tells: each
//! 304 is taken for a sign that it does not change. So after eight 304s in a row, or thirty days, it is asked for
//! once without a condition; each time that this shows the 304s to be true the next one is after twice as many,
//! up to 64 (or 240 days). An honest list costs one body in eight visits at first, and one in 64 later.

use serde::{Deserialize, Serialize};

use crate::clock::{DAY_MS, passed_ms};

/// Answers of 304 in a row after which a list is asked for without a condition.
const ANSWERS: u16 = 8;

/// Days without a body after which it is.
const DAYS: u64 = 30;

/// Both are doubled so often at most.
const DOUBLED_MAX: u8 = 3;

/// What a URL has answered since it came with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Quiet {
    /// When its body came last, seconds since the Unix epoch.
    whole_s: u32,
    /// Answers of 304 since.
    answers: u16,
    /// Times that those before were found true.
    found_true: u8,
}

impl Quiet {
    /// It came with a body.
    pub fn of_body(at_ms: u64) -> Self {
        Self {
            whole_s: u32::try_from(at_ms / 1_000).unwrap_or(u32::MAX),
            ..Self::default()
        }
    }

    /// It was answered by 304.
    pub fn not_modified(&mut self) {
        self.answers = self.answers.saturating_add(1);
    }

    /// It came with a body again, which was the one before by its validators: was that true? `None` where the
    /// validators are others, or where nobody can tell.
    pub fn see_body(&mut self, was_true: Option<bool>, at_ms: u64) {
        let found_true = match was_true {
            Some(true) if self.answers > 0 => self.found_true.saturating_add(1),
            Some(false) => 0,
            Some(true) | None => self.found_true,
        };
        *self = Self {
            found_true,
            ..Self::of_body(at_ms)
        };
    }

    /// Whether it is to be asked for without a condition.
    pub fn is_in_doubt(&self, now_ms: u64) -> bool {
        let doubled = self.found_true.min(DOUBLED_MAX);
        let whole_ms = u64::from(self.whole_s) * 1_000;
        let days = passed_ms(whole_ms, now_ms).unwrap_or(0) / DAY_MS;
        self.answers > 0 && (self.answers >= ANSWERS << doubled || days >= DAYS << doubled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rounds of so many, these days apart, in which a list that never changes comes with a body.
    fn bodies(rounds: u64, days: u64) -> Vec<u64> {
        let mut list = Quiet::of_body(0);
        let mut bodies = Vec::new();
        for round in 1..=rounds {
            let now_ms = round * days * DAY_MS;
            if list.is_in_doubt(now_ms) {
                bodies.push(round);
                list.see_body(Some(true), now_ms);
            } else {
                list.not_modified();
            }
        }
        bodies
    }

    #[test]
    fn a_list_that_tells_the_truth_is_asked_for_in_full_more_rarely_each_time() {
        assert_eq!(bodies(200, 1), [9, 26, 59, 124, 189]);
        assert_eq!(bodies(40, 10), [3, 9, 21]);
    }

    #[test]
    fn what_never_answered_by_304_is_not_in_doubt_and_a_lie_begins_anew() {
        let mut list = Quiet::of_body(0);
        assert!(!list.is_in_doubt(1_000 * DAY_MS));
        list.not_modified();
        list.see_body(Some(true), 0);
        assert_eq!(list.found_true, 1);
        list.not_modified();
        list.see_body(None, 0);
        assert_eq!((list.found_true, list.answers), (1, 0));
        list.see_body(Some(false), 0);
        assert_eq!(list, Quiet::of_body(0));
    }
}
