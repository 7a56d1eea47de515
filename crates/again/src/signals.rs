//! What a site tells of its changes, and whether it is to be believed.
//!
//! A sitemap or feed that gives a page a later date than its last visit is a signal. Of a host's pages two
//! numbers are learnt: which share of the changes was told (`recall`), and how often it told of one that
//! was none (`false_rate`, for a page and a day). Then a page that was told of `k` times in `t` days is as
//! it was with the likelihood
//!
//! ```text
//! e^(-rate (1 - recall) t) * (false_rate / (false_rate + rate * recall))^k
//! ```
//!
//! for its rate. A host's word counts only as long as it foretells what visits find better than the time
//! alone does: the two forecasts are scored against each other at each visit, before it is counted. So a
//! sitemap in which everything is dated today, or nothing ever, costs nothing but its request.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::rates::{self, Rates, grid, survivals};

/// What is assumed before anything is known, as so many changes and page-days.
const TOLD_BEFORE: f64 = 4.0;
const UNTOLD_BEFORE: f64 = 2.0;
const FALSE_BEFORE: f64 = 0.2;
const DAYS_BEFORE: f64 = 10.0;

/// A host is believed from this lead of the forecast with its signals on, in natural logarithms of
/// likelihood: twenty to one.
const LEAD_TRUSTED: f64 = 3.0;

/// And when it has told of so many changes. Without this a host that never tells would be believed
/// where its pages change more rarely than was assumed: both forecasts of rarer changes are alike.
const TOLD_TRUSTED: f64 = 2.0;

/// A lead is no larger than this, so that a host that begins to lie is found out soon.
const LEAD_MAX: f64 = 12.0;

/// What is left of a host's counts after a visit.
const KEEP: f64 = 0.998;

/// Signals in one pause between visits that are counted with.
const TERMS_MAX: f64 = 8.0;

/// What the signals of a host have been worth.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Signals {
    told: f64,
    untold: f64,
    false_signals: f64,
    quiet_days: f64,
    lead: f64,
}

/// What happened to a page since its last visit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Since {
    /// Days.
    pub days: f64,
    /// How often it was told of; none for a page that is in no list of its host's.
    pub told: Option<u32>,
    /// Days from the last visit to the first of these signals.
    pub told_after: f64,
}

/// The probability of more than so many events where `expected` are expected (Poisson).
fn more_than(events: u32, expected: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for event in 1..=events {
        term *= expected / f64::from(event);
        sum += term;
    }
    (1.0 - (-expected).exp() * sum).max(0.0)
}

impl Signals {
    /// Of a host of which it is known which share of its changes it tells, and how often it is wrong, for a
    /// page and a day.
    pub fn known(recall: f64, false_rate: f64) -> Self {
        const MANY: f64 = 1e9;
        Self {
            told: MANY * recall,
            untold: MANY * (1.0 - recall),
            false_signals: MANY * false_rate,
            quiet_days: MANY,
            lead: LEAD_MAX,
        }
    }

    /// Whether the host's word counts.
    pub fn are_trusted(&self) -> bool {
        self.lead > LEAD_TRUSTED && self.told >= TOLD_TRUSTED
    }

    /// The share of changes that are told.
    pub fn recall(&self) -> f64 {
        let told = self.told + TOLD_BEFORE;
        (told / (told + self.untold + UNTOLD_BEFORE)).min(0.98)
    }

    /// Signals without a change, for a page and a day.
    pub fn false_rate(&self) -> f64 {
        (self.false_signals + FALSE_BEFORE) / (self.quiet_days + DAYS_BEFORE)
    }

    /// How likely the page is as it was.
    pub fn fresh(&self, rates: &Rates, since: Since) -> f64 {
        match since.told.filter(|_| self.are_trusted()) {
            Some(told) => self.fresh_as_told(rates, since.days, told),
            None => rates.fresh(since.days),
        }
    }

    /// What a visit is worth: see [`Rates::marginal`]. With signals the pause between visits is not fixed:
    /// a visit comes when the page is as little likely to be as it was as it is now. So the value is the
    /// time for which a copy is right in such a pause, less its length times that likelihood.
    pub fn marginal(&self, rates: &Rates, since: Since) -> f64 {
        let Some(told) = since.told.filter(|_| self.are_trusted()) else {
            return rates.marginal(since.days);
        };
        let shares = rates.shares().zip(grid());
        shares
            .map(|(share, rate)| share * self.marginal_of_rate(rate, since.days, told))
            .sum()
    }

    /// The same of a page whose rate is known, that was told of so often.
    pub fn marginal_of_rate(&self, rate: f64, days: f64, told: u32) -> f64 {
        let (recall, false_rate) = (self.recall(), self.false_rate());
        let signal_rate = false_rate + rate * recall;
        let untold_rate = rate * (1.0 - recall);
        let doubt = (signal_rate / false_rate).ln();
        let expected = untold_rate * days + f64::from(told) * doubt;
        let terms = expected / doubt;
        if terms > TERMS_MAX {
            // One signal says next to nothing.
            return rates::marginal_of_rate(rate, expected / rate);
        }
        let (mut right, mut pause) = (0.0, 0.0);
        let (all_rate, mut share) = (false_rate + rate, 1.0 / (false_rate + rate));
        for signals in 0..=terms as u32 {
            // Without a further signal the visit would come after these days.
            let until = (expected - f64::from(signals) * doubt) / untold_rate;
            pause += more_than(signals, signal_rate * until) / signal_rate;
            right += more_than(signals, all_rate * until) * share;
            share *= false_rate / all_rate;
        }
        (right - (-expected).exp() * pause).max(0.0)
    }

    /// Takes in what a visit found of a page that is in a list of its host's.
    pub fn see(&mut self, rates: &Rates, since: Since, changed: bool) {
        let Some(told) = since.told else { return };
        let likelihood = |fresh: f64| {
            let found = if changed { 1.0 - fresh } else { fresh };
            found.clamp(1e-3, 1.0)
        };
        let with = likelihood(self.fresh_as_told(rates, since.days, told));
        let without = likelihood(rates.fresh(since.days));
        self.lead = (self.lead + (with / without).ln()).clamp(-LEAD_MAX, LEAD_MAX);
        for count in [
            &mut self.told,
            &mut self.untold,
            &mut self.false_signals,
            &mut self.quiet_days,
        ] {
            *count *= KEEP;
        }
        match (changed, told) {
            (true, 0) => self.untold += 1.0,
            (true, _) => self.told += 1.0,
            (false, _) => {
                self.false_signals += f64::from(told);
                self.quiet_days += since.days;
            }
        }
    }

    /// What visits showed of a page's rate, where its host told or did not tell of it.
    pub fn note(&self, evidence: &mut Evidence, since: Since, changed: bool) {
        match since.told.filter(|_| self.are_trusted()) {
            _ if !changed => evidence.unchanged(since.days),
            None => evidence.changed(since.days),
            Some(0) => evidence.changed_untold(since.days, self.recall()),
            Some(_) => evidence.changed_as_told(since.told_after.min(since.days)),
        }
    }

    fn fresh_as_told(&self, rates: &Rates, days: f64, told: u32) -> f64 {
        let fresh = self.fresh_by_rate(days, told);
        rates
            .shares()
            .zip(fresh)
            .map(|(share, fresh)| share * fresh)
            .sum()
    }

    fn fresh_by_rate(&self, days: f64, told: u32) -> impl Iterator<Item = f64> {
        let (recall, false_rate) = (self.recall(), self.false_rate());
        let untold = survivals(days * (1.0 - recall));
        grid().zip(untold).map(move |(rate, fresh)| {
            let is_false = false_rate / (false_rate + rate * recall);
            fresh * is_false.powi(told.min(1_000) as i32)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn since(days: f64, told: u32) -> Since {
        Since {
            days,
            told: Some(told),
            told_after: days,
        }
    }

    /// A host whose pages change at every fifth visit, and which tells so or not.
    fn host(tells: impl Fn(bool, usize) -> u32) -> Signals {
        let rates = Rates::of_the_web();
        let mut signals = Signals::default();
        for visit in 0..200 {
            let changed = visit % 5 == 0;
            signals.see(&rates, since(10.0, tells(changed, visit)), changed);
        }
        signals
    }

    #[test]
    fn an_honest_host_is_believed_and_its_silence_too() {
        let honest = host(|changed, _| u32::from(changed));
        assert!(honest.are_trusted());
        let rates = Rates::of_the_web();
        let (told, silent) = (since(10.0, 1), since(10.0, 0));
        assert!(
            honest.fresh(&rates, told) < 0.35,
            "{}",
            honest.fresh(&rates, told)
        );
        assert!(honest.fresh(&rates, silent) > rates.fresh(10.0));
        assert!(honest.marginal(&rates, told) > 3.0 * honest.marginal(&rates, silent));
    }

    #[test]
    fn a_host_that_dates_everything_today_is_not_believed() {
        let liar = host(|_, _| 10);
        assert!(!liar.are_trusted());
        let rates = Rates::of_the_web();
        assert_eq!(liar.fresh(&rates, since(10.0, 10)), rates.fresh(10.0));
    }

    #[test]
    fn a_host_that_never_tells_is_not_believed() {
        assert!(!host(|_, _| 0).are_trusted());
    }

    #[test]
    fn a_host_that_tells_at_random_is_not_believed() {
        assert!(!host(|_, visit| u32::from(visit % 7 < 3)).are_trusted());
    }

    #[test]
    fn a_page_in_no_list_is_judged_by_the_time_alone() {
        let honest = host(|changed, _| u32::from(changed));
        let rates = Rates::of_the_web();
        let unlisted = Since {
            days: 10.0,
            told: None,
            told_after: 0.0,
        };
        assert_eq!(honest.fresh(&rates, unlisted), rates.fresh(10.0));
        assert_eq!(honest.marginal(&rates, unlisted), rates.marginal(10.0));
    }
}
