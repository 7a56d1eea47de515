//! What learnt rules have refused, what probes found of it, and how many pages that may have lost.
//!
//! A rule that was learnt from some pages refuses others unread, so each refusal is a guess. A sample
//! of what it would refuse is fetched all the same: these are the rule's *probes*. If of `probed`
//! pages `unique` were no copy of anything, the same share of the `refused` ones is lost, as far as
//! anybody can know:
//!
//! ```text
//! estimate = refused * unique / probed
//! bound    = refused * p,  with  P(at most `unique` of `probed` | p) = 5 %
//! ```
//!
//! `p` is the upper end of the one-sided 95 % interval of Clopper and Pearson; without a probe it is
//! 1. The bound of all rules together is the sum of theirs.
//!
//! Source: Clopper, Pearson, *The use of confidence or fiducial limits illustrated in the case of the
//! binomial*, Biometrika 26 (1934).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The chance that a bound is too low.
const RISK: f64 = 0.05;

/// Halvings of the interval in which the bound lies: 2^-40 is far below one page in a crawl.
const HALVINGS: u32 = 40;

/// What one rule refused, and what its probes found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RuleLoss {
    /// URLs refused and not put back since.
    pub refused: u64,
    /// URLs that it would have refused, and that were fetched and could be judged.
    pub probed: u64,
    /// Those of them that were no copies.
    pub unique: u64,
    /// Every page that it refuses was compared itself, under another value of an opaque parameter:
    /// the probes do not count pages but test whether the values are opaque.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compared: bool,
}

impl RuleLoss {
    /// How many unique pages are lost if the refused URLs are like the probed ones; none without a
    /// probe.
    pub fn estimate(&self) -> f64 {
        match self.probed {
            0 => 0.0,
            probed => self.refused as f64 * self.unique as f64 / probed as f64,
        }
    }

    /// As many unique pages may be lost at most, with a confidence of 95 %. None are where each page
    /// was compared, as long as no probe says otherwise.
    pub fn bound(&self) -> f64 {
        if self.compared && self.unique == 0 {
            return 0.0;
        }
        self.refused as f64 * share_bound(self.unique, self.probed)
    }

    /// The same if so many more URLs are refused.
    #[must_use]
    pub fn with_more(self, refused: u64) -> Self {
        Self {
            refused: self.refused + refused,
            ..self
        }
    }
}

/// The largest share of which `found` or fewer of `drawn` are found with a chance of 5 %.
pub fn share_bound(found: u64, drawn: u64) -> f64 {
    if drawn == 0 || found >= drawn {
        return 1.0;
    }
    if found == 0 {
        return 1.0 - RISK.powf(1.0 / drawn as f64);
    }
    let (mut low, mut high) = (found as f64 / drawn as f64, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if chance_of_at_most(found, drawn, middle) > RISK {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// The chance of `found` or fewer of `drawn`, each with the chance `share`.
fn chance_of_at_most(found: u64, drawn: u64, share: f64) -> f64 {
    let (yes, no) = (share.ln(), (1.0 - share).ln());
    let mut log_ways = 0.0;
    let mut chance = 0.0;
    for at in 0..=found {
        if at > 0 {
            log_ways += ((drawn - at + 1) as f64 / at as f64).ln();
        }
        chance += (log_ways + at as f64 * yes + (drawn - at) as f64 * no).exp();
    }
    chance
}

/// The name of a rule for pages that were compared themselves.
pub fn of_compared(rule: &str) -> String {
    format!("{rule} (pages compared)")
}

/// What learnt rules refused, by rule.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearntLosses {
    rules: BTreeMap<String, RuleLoss>,
}

impl LearntLosses {
    /// A URL was refused for these rules; with `compared`, its page was compared itself.
    pub fn refused(&mut self, rules: &[String], compared: bool) {
        for rule in rules {
            let loss = self.entry(rule);
            loss.refused += 1;
            loss.compared = compared;
        }
    }

    /// A URL that was refused for these rules waits again.
    pub fn put_back(&mut self, rules: &[String]) {
        for rule in rules {
            let loss = self.entry(rule);
            loss.refused = loss.refused.saturating_sub(1);
        }
    }

    /// A page was read that these rules would have refused.
    pub fn probed(&mut self, rules: &[String], compared: bool, is_unique: bool) {
        for rule in rules {
            let loss = self.entry(rule);
            loss.compared = compared;
            loss.probed += 1;
            loss.unique += u64::from(is_unique);
        }
    }

    /// What is known of a rule.
    pub fn of(&self, rule: &str) -> RuleLoss {
        self.rules.get(rule).copied().unwrap_or_default()
    }

    /// All rules that refused or were probed, by name.
    pub fn rules(&self) -> impl Iterator<Item = (&str, RuleLoss)> {
        let rules = self.rules.iter();
        rules.map(|(rule, loss)| (rule.as_str(), *loss))
    }

    fn entry(&mut self, rule: &str) -> &mut RuleLoss {
        self.rules.entry(rule.to_owned()).or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(found: u64, drawn: u64, expected: f64) {
        let bound = share_bound(found, drawn);
        assert!((bound - expected).abs() < 5e-4, "{bound} for {expected}");
    }

    #[test]
    fn the_bound_is_that_of_clopper_and_pearson() {
        // One-sided 95 % bounds, as tables have them.
        check(0, 10, 0.2589);
        check(1, 10, 0.3942);
        check(2, 20, 0.2826);
        check(5, 50, 0.1988);
        check(0, 0, 1.0);
        check(3, 3, 1.0);
    }

    proptest! {
        #[test]
        fn the_bound_is_above_the_estimate_and_falls_with_further_probes(
            refused in 0u64..10_000, probed in 1u64..2_000, part in 0.0f64..0.5,
        ) {
            let unique = (probed as f64 * part) as u64;
            let loss = RuleLoss { refused, probed, unique, compared: false };
            prop_assert!(loss.bound() >= loss.estimate());
            let more = RuleLoss { probed: probed + 1, ..loss };
            prop_assert!(more.bound() <= loss.bound() + 1e-6);
        }
    }

    #[test]
    fn what_is_put_back_is_no_longer_refused() {
        let rules = ["a mirror".to_owned(), "a print version".to_owned()];
        let mut losses = LearntLosses::default();
        losses.refused(&rules, false);
        losses.refused(&rules[..1], false);
        losses.probed(&rules[1..], false, true);
        losses.put_back(&rules);
        let of = |refused, probed, unique| RuleLoss {
            refused,
            probed,
            unique,
            compared: false,
        };
        assert_eq!(losses.of("a mirror"), of(1, 0, 0));
        assert_eq!(losses.of("a print version"), of(0, 1, 1));
        assert_eq!(losses.of("nothing"), RuleLoss::default());
    }
}
