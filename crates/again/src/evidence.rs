//! What the visits of a page showed of its change rate.
//!
//! A visit says that nothing changed in the time since the one before, or that something did, once or
//! more often; where a trusted date tells when, it says that too. Times without a change add up, so of
//! all quiet visits one sum is left. Visits with a change are grouped by the time that they looked back
//! on: six groups give the mean rate of 200 such visits to a tenth (a test holds it to that).

use serde::{Deserialize, Serialize};

use crate::rates::{RATES, Rates, grid, grid_logs, survivals};

/// Groups of visits with a change.
const GROUPS_MAX: usize = 6;

/// Times within this factor of each other are one group.
const GROUP_WIDTH: f64 = 1.3;

/// What a visit keeps of all evidence before it. Pages change their habits; at .98 a visit counts half
/// after 34 more.
const KEEP: f64 = 0.98;

/// What the visits of a page showed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Days that were seen to pass without a change.
    quiet_days: f64,
    /// Changes whose time is known.
    dated: f64,
    /// Visits that found a change somewhere in the days before them.
    changed: Vec<Changed>,
}

/// Visits that found a change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Changed {
    visits: f64,
    days: f64,
}

impl Evidence {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.quiet_days == 0.0 && self.dated == 0.0 && self.changed.is_empty()
    }

    /// A visit found the page as it was so many days before.
    pub fn unchanged(&mut self, days: f64) {
        self.fade();
        self.quiet_days += valid(days);
    }

    /// A visit found it changed, at any time in the days since the visit before.
    pub fn changed(&mut self, days: f64) {
        self.fade();
        let days = valid(days).max(1e-4);
        let near = |group: &&mut Changed| {
            let factor = group.days / days;
            (1.0 / GROUP_WIDTH..=GROUP_WIDTH).contains(&factor)
        };
        let one = Changed { visits: 1.0, days };
        if let Some(group) = self.changed.iter_mut().find(near) {
            *group = group.with(one);
            return;
        }
        // Most pages have one group, and there are as many of these as pages.
        self.changed.reserve_exact(1);
        self.changed.push(one);
        if self.changed.len() > GROUPS_MAX {
            self.join_nearest();
        }
    }

    /// A visit found it changed, and its last change is known to be so many days ago, of the `days`
    /// since the visit before. Of what was before that change nothing is known.
    pub fn changed_at(&mut self, days: f64, ago: f64) {
        let (days, ago) = (valid(days), valid(ago));
        if ago >= days {
            return self.changed(days);
        }
        self.fade();
        self.dated += 1.0;
        self.quiet_days += ago;
    }

    /// A visit found a change that the page's site told of so many days after the visit before.
    pub fn changed_as_told(&mut self, days: f64) {
        self.fade();
        self.dated += 1.0;
        self.quiet_days += valid(days);
    }

    /// A visit found a change of which the page's site, that tells of this share of its changes, did not
    /// tell: those that it tells of did not happen.
    pub fn changed_untold(&mut self, days: f64, recall: f64) {
        let recall = recall.clamp(0.0, 1.0);
        self.changed(days * (1.0 - recall));
        self.quiet_days += valid(days) * recall;
    }

    /// What is known of the rate, with what pages of its like do.
    pub fn rates(&self, prior: &Rates) -> Rates {
        if self.is_empty() {
            return prior.clone();
        }
        self.rates_by(&logs_of(prior))
    }

    /// The same of a prior that is given by [`logs_of`] it, where something is known.
    pub(crate) fn rates_by(&self, prior: &[f64; RATES]) -> Rates {
        let mut logs = *prior;
        for ((log, rate), rate_log) in logs.iter_mut().zip(grid()).zip(grid_logs()) {
            *log = *log + self.dated * rate_log - rate * self.quiet_days;
        }
        for group in &self.changed {
            for (log, fresh) in logs.iter_mut().zip(survivals(group.days)) {
                *log += group.visits * (1.0 - fresh).max(1e-300).ln();
            }
        }
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Rates::normal(logs.into_iter().map(|log| (log - most).exp()))
    }

    fn fade(&mut self) {
        self.quiet_days *= KEEP;
        self.dated *= KEEP;
        self.changed
            .iter_mut()
            .for_each(|group| group.visits *= KEEP);
    }

    /// Makes one group of the two whose times are nearest to each other.
    fn join_nearest(&mut self) {
        self.changed.sort_by(|a, b| a.days.total_cmp(&b.days));
        let factor = |at: &usize| self.changed[at + 1].days / self.changed[*at].days;
        let pairs = 0..self.changed.len().saturating_sub(1);
        let Some(at) = pairs.min_by(|a, b| factor(a).total_cmp(&factor(b))) else {
            return;
        };
        let second = self.changed.remove(at + 1);
        self.changed[at] = self.changed[at].with(second);
    }
}

/// The logarithms of how likely each rate is.
pub(crate) fn logs_of(rates: &Rates) -> [f64; RATES] {
    let mut logs = [0.0; RATES];
    for (log, share) in logs.iter_mut().zip(rates.shares()) {
        *log = share.max(1e-12).ln();
    }
    logs
}

impl Changed {
    /// Both groups as one, at their mean time.
    fn with(self, other: Changed) -> Changed {
        let visits = self.visits + other.visits;
        let days = (self.visits * self.days + other.visits * other.days) / visits;
        Changed { visits, days }
    }
}

/// A time that can be counted with.
fn valid(days: f64) -> f64 {
    if days.is_finite() {
        days.clamp(0.0, 1e5)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_never_changes_is_taken_for_slower_with_each_visit() {
        let prior = Rates::of_the_web();
        let mut evidence = Evidence::default();
        let mut before = evidence.rates(&prior).mean();
        for _ in 0..20 {
            evidence.unchanged(10.0);
            let mean = evidence.rates(&prior).mean();
            assert!(mean < before, "{mean} {before}");
            before = mean;
        }
        assert!(before < 0.01, "{before}");
    }

    #[test]
    fn a_page_that_changes_every_two_days_is_learnt_from_visits_every_three() {
        let mut evidence = Evidence::default();
        // e^-1.5 of such visits find nothing: 2 in 9.
        for visit in 0..36 {
            if visit % 9 < 2 {
                evidence.unchanged(3.0);
            } else {
                evidence.changed(3.0);
            }
        }
        let mean = evidence.rates(&Rates::of_the_web()).mean();
        assert!((0.38..0.65).contains(&mean), "{mean}");
    }

    #[test]
    fn a_known_time_of_the_change_says_more_than_that_there_was_one() {
        let prior = Rates::of_the_web();
        let (mut dated, mut blind) = (Evidence::default(), Evidence::default());
        for _ in 0..10 {
            dated.changed_at(10.0, 9.0);
            blind.changed(10.0);
        }
        let (dated, blind) = (dated.rates(&prior).mean(), blind.rates(&prior).mean());
        assert!(dated < 0.2 && blind > 0.2, "{dated} {blind}");
    }

    #[test]
    fn groups_stay_few_and_near_the_whole_likelihood() {
        let mut evidence = Evidence::default();
        let mut logs = [0.0; RATES];
        for visit in 0..200 {
            let days = 0.1 * 1.05f64.powi(visit % 120);
            evidence.changed(days);
            for (log, fresh) in logs.iter_mut().zip(survivals(days)) {
                *log = *log * KEEP + (1.0 - fresh).max(1e-300).ln();
            }
        }
        assert!(evidence.changed.len() <= GROUPS_MAX);
        let prior = Rates::of_the_web();
        let whole = prior
            .shares()
            .zip(logs)
            .map(|(share, log)| share * log.exp());
        let (own, whole) = (evidence.rates(&prior).mean(), Rates::normal(whole).mean());
        assert!((own / whole - 1.0).abs() < 0.1, "{own} {whole}");
    }

    #[test]
    fn times_that_are_none_say_nothing() {
        let mut evidence = Evidence::default();
        for days in [f64::NAN, f64::INFINITY, -1.0] {
            evidence.unchanged(days);
            evidence.changed_at(days, days);
        }
        assert!(evidence.rates(&Rates::of_the_web()).mean().is_finite());
    }
}
