//! What is left to find: relevant pages that a crawl can expect of the URLs that wait, with bounds.
//!
//! The score of a link is the chance that it is worth a fetch. Chances drift: late in a crawl links of
//! a score bring less than they did. So the scores are corrected by what the last pages brought beside
//! what they had been promised, `rate = brought / promised`, and a fetch of the best `k` URLs that wait
//! brings about `rate` times the sum of their scores.
//!
//! ```text
//!   brought, promised ── of the last three tenths of the pages ──► rate ─┐
//!   scores of the URLs that wait, best first ────────────────────────────┴─► found by the next k fetches
//! ```
//!
//! Only the best count for what is near, so a long queue of links of little promise (mirrors, foreseen
//! duplicates, which wait behind all others) neither hides what is undone nor keeps a crawl alive.
//!
//! The bounds hold the truth nine times in ten. They are wide where few pages were found of late, and
//! where pages come in clusters; `docs/focus.md` says how often they held.

use crate::link_model::Promise;
use crate::page_classifier::HarvestEstimate;

/// The last pages, as a share of all, that say how far promises hold.
pub(crate) const RECENT_SHARE: f32 = 0.3;
/// Fetches of which the outlook tells what they would bring.
const SOON_FETCHES: usize = 100;
/// The rule to stop looks ahead by this share of the pages read...
const AHEAD_SHARE: f64 = 0.5;
/// ... and by so many fetches at least.
const AHEAD_FETCHES_MIN: usize = 50;
/// Pages that came as promised, added to those read of late.
const PRIOR_PAGES: f32 = 3.0;
/// How much more the counts of relevant pages vary than if each came by itself: they come in clusters.
const OVERDISPERSION: f32 = 1.5;
/// The standard deviation of the logarithm of what comes, beside that of counts: the next links differ
/// from the last ones. It is three times as large for all that waits, most of which promises less
/// than any link that was followed.
const DRIFT: f32 = 0.3;
const DRIFT_FAR: f32 = 0.9;
/// A normal variable lies within so many standard deviations nine times in ten.
const NINE_IN_TEN: f32 = 1.645;

/// A number of relevant pages that is expected, with bounds that hold it nine times in ten.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expected {
    /// The expected number.
    pub mean: f32,
    /// The lower bound.
    pub low: f32,
    /// The upper bound.
    pub high: f32,
}

/// What is left to find, when the queue was last scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HarvestOutlook {
    /// Relevant and new pages found, as judged now.
    pub found: f32,
    /// URLs that wait.
    pub waiting: u64,
    /// Relevant pages among all that wait.
    pub left: Expected,
    /// Fetches of `soon`: 100, or as many as wait.
    pub soon_fetches: u64,
    /// Relevant pages that so many fetches would bring.
    pub soon: Expected,
    /// Relevant and new pages among the last three tenths of those read.
    pub brought: f32,
    /// Fetches of `ahead`: half as many as pages were read, whether or not as many URLs wait.
    pub ahead_fetches: u64,
    /// Relevant pages that so many fetches would bring.
    pub ahead: Expected,
    /// What so many fetches would bring by the plain rule, in its own order: the sum of the chances that
    /// it gives them.
    pub plain_ahead: f32,
}

impl HarvestOutlook {
    /// The outlook of a crawl, from the scores of all URLs that wait.
    pub(crate) fn of(harvest: &HarvestEstimate, promises: &[Promise]) -> HarvestOutlook {
        let rate = (harvest.brought + PRIOR_PAGES) / (harvest.promised + PRIOR_PAGES);
        // What is no number, or below 0.0, promises nothing.
        let chance = |score: f32| (rate * score.clamp(0.0, 1.0)).clamp(0.0, 1.0);
        let scores = promises.iter().map(|promise| promise.score);
        let scores = scores.filter(|score| !score.is_nan());
        let mut chances: Vec<f32> = scores.map(chance).collect();
        chances.sort_unstable_by(|a, b| b.total_cmp(a));
        let bring = |fetches: usize, drift: f32| {
            let fetches = fetches.min(chances.len());
            // A sum of nothing is -0.0.
            let sum = chances[..fetches]
                .iter()
                .fold(0.0, |sum, chance| sum + f64::from(*chance));
            Expected::of(sum as f32, harvest.brought, fetches as f32, drift)
        };
        let half = (harvest.pages as f64 * AHEAD_SHARE) as usize;
        let ahead_fetches = half.max(AHEAD_FETCHES_MIN);
        let soon_fetches = SOON_FETCHES.min(chances.len());
        HarvestOutlook {
            found: harvest.found,
            brought: harvest.brought,
            waiting: chances.len() as u64,
            left: bring(chances.len(), DRIFT_FAR),
            soon_fetches: soon_fetches as u64,
            soon: bring(soon_fetches, DRIFT),
            ahead_fetches: ahead_fetches as u64,
            ahead: bring(ahead_fetches, DRIFT),
            plain_ahead: best_of_plain(promises, ahead_fetches),
        }
    }
}

/// The sum of the best so many chances that the plain rule gives.
fn best_of_plain(promises: &[Promise], fetches: usize) -> f32 {
    let chances = promises.iter().map(|promise| promise.plain);
    let mut chances: Vec<f32> = chances.filter(|chance| !chance.is_nan()).collect();
    if fetches < chances.len() {
        chances.select_nth_unstable_by(fetches, |a, b| b.total_cmp(a));
        chances.truncate(fetches);
    }
    chances.iter().map(|chance| chance.clamp(0.0, 1.0)).sum()
}

impl Expected {
    /// `mean` pages of so many fetches are expected, when the last pages had brought `brought`.
    fn of(mean: f32, brought: f32, fetches: f32, drift: f32) -> Expected {
        // Of the rate, of what comes at that rate, and of what changes: as logarithms, one is added to
        // each count, since none may come.
        let variance = OVERDISPERSION / (brought + PRIOR_PAGES)
            + OVERDISPERSION / (mean + 1.0)
            + drift * drift;
        let factor = (NINE_IN_TEN * variance.sqrt()).exp();
        Expected {
            mean,
            low: ((mean + 1.0) / factor - 1.0).max(0.0),
            high: ((mean + 1.0) * factor - 1.0).min(fetches),
        }
    }
}

impl std::fmt::Display for Expected {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{:.0} ({:.0} to {:.0})",
            self.mean,
            self.low.floor(),
            self.high.ceil()
        )
    }
}

impl std::fmt::Display for HarvestOutlook {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "about {} relevant pages are left among {} URLs that wait, beside {:.0} found; \
             the next {} fetches would bring about {}",
            self.left, self.waiting, self.found, self.soon_fetches, self.soon
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What links of these scores promise; the plain rule gives them half of that.
    fn promises(scores: &[f32]) -> Vec<Promise> {
        let promises = scores.iter().map(|&score| Promise {
            score,
            plain: 0.5 * score,
        });
        promises.collect()
    }

    fn harvest(pages: u64, found: f32, brought: f32, promised: f32) -> HarvestEstimate {
        HarvestEstimate {
            pages,
            found,
            brought,
            promised,
        }
    }

    #[test]
    fn promises_that_were_not_kept_of_late_count_for_less() {
        let scores = promises(&[0.2; 1_000]);
        let kept = HarvestOutlook::of(&harvest(400, 100.0, 24.0, 24.0), &scores);
        let broken = HarvestOutlook::of(&harvest(400, 100.0, 0.0, 24.0), &scores);
        assert!((kept.soon.mean - 20.0).abs() < 0.1 && (kept.ahead.mean - 40.0).abs() < 0.1);
        assert!((broken.soon.mean - 20.0 / 9.0).abs() < 0.1, "{broken:?}");
    }

    #[test]
    fn what_waits_behind_does_not_hide_what_is_undone() {
        let mut scores = vec![0.3; 60];
        let few = HarvestOutlook::of(&harvest(120, 40.0, 10.0, 10.0), &promises(&scores));
        scores.splice(0..0, [0.000_1; 50_000]);
        let many = HarvestOutlook::of(&harvest(120, 40.0, 10.0, 10.0), &promises(&scores));
        assert!((few.ahead.mean - many.ahead.mean).abs() < 0.01);
        assert_eq!(many.waiting, 50_060);
    }

    #[test]
    fn the_plain_rule_looks_ahead_in_its_own_order() {
        let mut waiting = vec![
            Promise {
                score: 0.9,
                plain: 0.0
            };
            300
        ];
        waiting.extend(
            [Promise {
                score: 0.0,
                plain: 0.5,
            }; 100],
        );
        waiting.push(Promise {
            score: f32::NAN,
            plain: f32::NAN,
        });
        let outlook = HarvestOutlook::of(&harvest(120, 40.0, 10.0, 10.0), &waiting);
        assert!((outlook.plain_ahead - 30.0).abs() < 0.01, "{outlook:?}");
    }

    #[test]
    fn it_is_told_in_words() {
        let outlook = HarvestOutlook::of(&harvest(400, 100.0, 9.0, 9.0), &promises(&[0.1; 300]));
        let words = outlook.to_string();
        assert!(words.starts_with("about 30 ("), "{words}");
        assert!(
            words.contains("among 300 URLs that wait, beside 100 found"),
            "{words}"
        );
        assert!(
            words.contains("the next 100 fetches would bring about 10 ("),
            "{words}"
        );
    }

    proptest! {
        #[test]
        fn bounds_hold_their_mean_and_less_that_waits_promises_no_more(
            pages in 0u64..5_000,
            brought in 0f32..300.0,
            promised in 0f32..300.0,
            scores in prop::collection::vec(any::<f32>(), 0..300),
            fewer in 0usize..300,
        ) {
            let harvest = harvest(pages, brought, brought, promised);
            let waiting = promises(&scores);
            let all = HarvestOutlook::of(&harvest, &waiting);
            let some = HarvestOutlook::of(&harvest, &waiting[fewer.min(scores.len())..]);
            prop_assert!(some.plain_ahead <= all.plain_ahead + 1e-3);
            for (more, less) in [(all.left, some.left), (all.soon, some.soon), (all.ahead, some.ahead)] {
                prop_assert!(more.low <= more.mean + 1e-3 && more.mean <= more.high + 1e-3, "{more:?}");
                prop_assert!(less.mean <= more.mean + 1e-3 && less.high <= more.high + 1e-3);
            }
        }
    }
}
