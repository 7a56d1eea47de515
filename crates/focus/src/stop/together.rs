//! The stop rules over a crawl that is spread over nodes, each with its own model and queue.
//!
//! A node tells its figures; whoever has those of all nodes applies the rules to their sums. So one that
//! finds nothing neither ends a crawl in which others find, nor keeps one alive.

use serde::{Deserialize, Serialize};

use super::{HarvestMonitor, HarvestStop, StopConfig};
use crate::outlook::{Expected, HarvestOutlook};

/// What the stop rules ask of one node.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HarvestShare {
    /// Pages read.
    pub pages: u64,
    /// The last of them, as many as the low-harvest rule looks at over all nodes...
    pub last: u64,
    /// ... and those among them that were relevant and new.
    pub last_found: u64,
    /// Relevant and new pages found, as judged now.
    pub found: f32,
    /// Of them, among the last three tenths of the pages.
    pub brought: f32,
    /// URLs that wait.
    pub waiting: u64,
    /// Half as many fetches as pages were read.
    pub ahead_fetches: u64,
    /// Relevant pages that so many fetches would bring, in the mean...
    pub ahead: f32,
    /// ... and at least and at most.
    pub ahead_low: f32,
    /// See `ahead_low`.
    pub ahead_high: f32,
    /// What so many fetches would bring by the plain rule.
    pub plain_ahead: f32,
    /// What all that wait would bring, and what the next fetches would, as of `ahead`.
    pub left: [f32; 3],
    /// See `left`.
    pub soon: [f32; 3],
    /// Fetches of `soon`.
    pub soon_fetches: u64,
}

impl HarvestShare {
    /// What stays of a node that has left: its pages, while what waited there waits with others.
    #[must_use]
    pub fn of_the_past(self) -> HarvestShare {
        HarvestShare {
            waiting: 0,
            ahead: 0.0,
            ahead_low: 0.0,
            ahead_high: 0.0,
            plain_ahead: 0.0,
            left: [0.0; 3],
            soon: [0.0; 3],
            soon_fetches: 0,
            ..self
        }
    }

    /// The outlook of all together.
    fn outlook(shares: &[HarvestShare]) -> HarvestOutlook {
        let count =
            |of: fn(&HarvestShare) -> u64| shares.iter().map(of).fold(0, u64::saturating_add);
        let pages = |of: fn(&HarvestShare) -> f32| shares.iter().map(of).sum::<f32>();
        HarvestOutlook {
            found: pages(|share| share.found),
            brought: pages(|share| share.brought),
            waiting: count(|share| share.waiting),
            left: sum(shares, |share| share.left),
            soon_fetches: count(|share| share.soon_fetches),
            soon: sum(shares, |share| share.soon),
            ahead_fetches: count(|share| share.ahead_fetches),
            ahead: sum(shares, |share| {
                [share.ahead, share.ahead_low, share.ahead_high]
            }),
            plain_ahead: pages(|share| share.plain_ahead),
        }
    }
}

/// The sum of what each node expects. Nodes err apart from each other, so their distances from the
/// mean add up as squares.
fn sum(shares: &[HarvestShare], of: fn(&HarvestShare) -> [f32; 3]) -> Expected {
    let (mut mean, mut below, mut above) = (0.0_f32, 0.0_f32, 0.0_f32);
    for [one, low, high] in shares.iter().map(of) {
        mean += one;
        below += (one - low).powi(2);
        above += (high - one).powi(2);
    }
    Expected {
        mean,
        low: (mean - below.sqrt()).max(0.0),
        high: mean + above.sqrt(),
    }
}

impl HarvestMonitor {
    /// What this node tells the others, where all of them have read so many pages.
    pub(crate) fn share(&self, pages_of_all: u64) -> HarvestShare {
        let all = pages_of_all.max(self.pages);
        // Of each node the same part of its pages as of all.
        let window = (self.window_of(all) as u64).min(all) as f64;
        let last = (window / all.max(1) as f64 * self.pages as f64) as u64;
        let known = self.found_up_to.len() as u64 - 1;
        let last = last.min(known);
        let before = self.found_up_to.get((known - last) as usize);
        let share = HarvestShare {
            pages: self.pages,
            last,
            last_found: self.found - before.copied().unwrap_or(self.found).min(self.found),
            ..HarvestShare::default()
        };
        let Some(outlook) = self.outlook else {
            return share;
        };
        let of = |expected: Expected| [expected.mean, expected.low, expected.high];
        HarvestShare {
            found: outlook.found,
            brought: outlook.brought,
            waiting: outlook.waiting,
            ahead_fetches: outlook.ahead_fetches,
            ahead: outlook.ahead.mean,
            ahead_low: outlook.ahead.low,
            ahead_high: outlook.ahead.high,
            plain_ahead: outlook.plain_ahead,
            left: of(outlook.left),
            soon: of(outlook.soon),
            soon_fetches: outlook.soon_fetches,
            ..share
        }
    }

    /// Why the crawl of this node and the others should stop, if it should.
    pub(crate) fn stop_together(&self, others: &[HarvestShare]) -> Option<HarvestStop> {
        let pages = |shares: &[HarvestShare]| {
            let pages = shares.iter().map(|share| share.pages);
            pages.fold(0, u64::saturating_add)
        };
        let own = self.share(pages(others).saturating_add(self.pages));
        let mut all = others.to_vec();
        all.push(own);
        if self.config.harvest_min <= 0.0 {
            return None;
        }
        let outlook = HarvestShare::outlook(&all);
        // As long as this node's own queue was never scored, nothing is known of what is left.
        let little = self.outlook.and(outlook.little_left(&self.config));
        little.or_else(|| self.low_harvest_of(&all, pages(&all)))
    }

    fn low_harvest_of(&self, all: &[HarvestShare], pages: u64) -> Option<HarvestStop> {
        let StopConfig {
            after, harvest_min, ..
        } = self.config;
        let sum = |of: fn(&HarvestShare) -> u64| all.iter().map(of).fold(0, u64::saturating_add);
        let (last, found) = (sum(|share| share.last), sum(|share| share.last_found));
        let harvest = found as f32 / last.max(1) as f32;
        // A page of each node may be missing, where its share of the window is rounded.
        let is_whole = last + all.len() as u64 >= self.window_of(pages) as u64;
        let fires = is_whole && pages >= after && harvest < harvest_min;
        fires.then_some(HarvestStop::LowHarvest {
            harvest,
            window: u32::try_from(last).unwrap_or(u32::MAX),
            harvest_min,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Promise;
    use crate::page_classifier::HarvestEstimate;

    /// A node of so many pages, of which each `every`th is found (0: none).
    fn node(pages: u64, every: u64) -> HarvestMonitor {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..pages {
            harvest.observe("a.example", every > 0 && page % every == 0);
        }
        harvest
    }

    /// The same with an outlook: pages found, the share that came as promised of late, and the score of
    /// 300 URLs that wait.
    fn with_outlook(pages: u64, found: f32, kept: f32, score: f32) -> HarvestMonitor {
        let every = pages.checked_div(found as u64).unwrap_or(0);
        let mut harvest = node(pages, every);
        let estimate = HarvestEstimate {
            pages,
            found,
            promised: found / 3.0,
            brought: kept * found / 3.0,
        };
        let promise = Promise { score, plain: 0.0 };
        harvest.on_rescored(HarvestOutlook::of(&estimate, &[promise; 300]));
        harvest
    }

    #[test]
    fn a_node_that_finds_nothing_does_not_end_a_crawl_in_which_others_find() {
        let (poor, rich) = (node(400, 0), node(400, 5));
        assert!(poor.stop().is_some());
        assert_eq!(poor.stop_together(&[rich.share(800)]), None);
    }

    #[test]
    fn a_node_that_finds_nothing_does_not_keep_a_crawl_alive() {
        let poor = with_outlook(60, 0.0, 0.0, 0.001);
        let rich = with_outlook(400, 200.0, 0.05, 0.01);
        assert_eq!(poor.stop(), None);
        assert!(rich.stop().is_some());
        let stop = rich.stop_together(&[poor.share(460)]);
        assert!(
            matches!(stop, Some(HarvestStop::LittleLeft { .. })),
            "{stop:?}"
        );
        // Nor does it matter which of them says so.
        assert!(poor.stop_together(&[rich.share(460)]).is_some());
    }

    #[test]
    fn what_waits_with_another_node_keeps_the_crawl_alive() {
        let done = with_outlook(300, 100.0, 0.05, 0.01);
        let rich = with_outlook(200, 100.0, 1.0, 0.4);
        assert!(done.stop().is_some());
        assert_eq!(done.stop_together(&[rich.share(500)]), None);
        assert!(
            done.stop_together(&[rich.share(500).of_the_past()])
                .is_none()
        );
        let found_all = with_outlook(200, 100.0, 0.05, 0.01);
        assert!(done.stop_together(&[found_all.share(500)]).is_some());
    }

    #[test]
    fn nodes_that_find_nothing_end_together_after_as_many_pages_as_one() {
        for pages in [50, 100, 101] {
            let shares = [
                node(pages, 0).share(3 * pages),
                node(pages, 0).share(3 * pages),
            ];
            let stop = node(pages, 0).stop_together(&shares);
            assert_eq!(stop.is_some(), pages >= 100, "{pages}");
        }
    }

    #[test]
    fn the_rule_over_one_node_is_that_of_one_machine() {
        for pages in [1, 299, 300, 301, 1_000, 1_500] {
            for every in [0, 3, 60] {
                let harvest = node(pages, every);
                let (alone, together) = (harvest.stop(), harvest.stop_together(&[]));
                assert_eq!(together.is_some(), alone.is_some(), "{pages} {every}");
            }
        }
    }

    #[test]
    fn no_rule_fires_when_they_are_off() {
        let mut harvest = node(1_000, 0);
        harvest.config.harvest_min = 0.0;
        assert_eq!(harvest.stop_together(&[node(1_000, 0).share(2_000)]), None);
    }
}
