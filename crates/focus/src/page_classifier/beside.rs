//! What it says of a page that it is linked from a place of an example (`example_places.rs`).
//!
//! ```text
//!            ln(q / p)              where it is         p = (n0 + 1/2) / (N0 + 1)   of pages off topic
//!   it says  ln((1 - q) / (1 - p))  where it is not     q = (n1 + K * p) / (N1 + K) of pages on topic
//! ```
//!
//! `n` of `N` pages are linked from such a place, each page counted by its label. An example counts as on
//! topic, and as linked so where it stands beside another example. `q` is no less than `p`.

use serde::{Deserialize, Serialize};

/// Pages like those off topic that are added to the pages on topic.
const AVERAGE_PAGES: f32 = 2.0;
/// Neither share is taken to be higher.
const SHARE_MAX: f32 = 0.99;

/// What it says, in log-odds.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Beside {
    is: f32,
    is_not: f32,
}

/// Pages by weight: all of them, and those that are linked from a place of an example.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    all: f32,
    beside: f32,
}

impl Counts {
    /// Adds a page; `score` is 1.0 where it is linked from such a place, and 0.0 where not.
    pub(super) fn add(&mut self, score: f32, weight: f32) {
        self.all += weight;
        self.beside += weight * score;
    }
}

impl Beside {
    pub(super) fn of(on_topic: &Counts, off_topic: &Counts) -> Beside {
        let off = ((off_topic.beside + 0.5) / (off_topic.all + 1.0)).min(SHARE_MAX);
        let on = (on_topic.beside + AVERAGE_PAGES * off) / (on_topic.all + AVERAGE_PAGES);
        let on = on.min(SHARE_MAX).max(off);
        Beside {
            is: (on / off).ln(),
            is_not: ((1.0 - on) / (1.0 - off)).ln(),
        }
    }

    /// The log-odds that it gives a page with this score.
    pub(super) fn log_odds(self, score: f32) -> f32 {
        if score > 0.5 { self.is } else { self.is_not }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn counts(all: f32, beside: f32) -> Counts {
        Counts { all, beside }
    }

    #[test]
    fn it_says_much_where_only_pages_on_topic_are_linked_so_and_nothing_where_all_are() {
        let list = Beside::of(&counts(20.0, 15.0), &counts(100.0, 0.0));
        assert!(list.log_odds(1.0) > 4.0 && list.log_odds(0.0) < -1.0);
        let menu = Beside::of(&counts(20.0, 19.0), &counts(100.0, 99.0));
        assert!(menu.log_odds(1.0).abs() < 0.01);
        let none = Beside::of(&counts(0.0, 0.0), &counts(0.0, 0.0));
        assert_eq!([none.log_odds(1.0), none.log_odds(0.0)], [0.0; 2]);
    }

    proptest! {
        #[test]
        fn it_never_speaks_against_a_page_beside_an_example_nor_for_another(
            on in 0.0f32..1e4, off in 0.0f32..1e4, shares in prop::array::uniform2(0.0f32..=1.0),
        ) {
            let beside = Beside::of(&counts(on, shares[0] * on), &counts(off, shares[1] * off));
            prop_assert!(beside.log_odds(1.0) >= 0.0 && beside.log_odds(0.0) <= 0.0);
            prop_assert!(beside.log_odds(0.0).is_finite());
        }
    }
}
