//! When to stop: what is pending is worth little beside what was found.
//!
//! A crawl in best-first order finds most of what it will find early. Then it reads ever less likely
//! pages until its budget ends. Three rules end it before, whichever fires first:
//!
//! * *exhausted*: the scores of the pending URLs add up to little beside what was found, corrected by
//!   the crawl's pace of late;
//! * *declining*: the last three tenths of the pages brought far less than their share, and the pending
//!   URLs promise no more than half of what was found;
//! * *low harvest*: of the last pages hardly any was relevant and new.
//!
//! The first two count what was found as the classifier judges it *now*. Late in a crawl most pages
//! are off topic, and most verdicts that said otherwise when the page came were mistakes, which the
//! classifier has often seen through since. Their window is a share of all pages: a crawl that still
//! finds something every hundred pages after thousands is not stopped by a quiet hundred, and a small
//! topic that was found within eighty pages ends after a hundred.
//!
//! The queue tells a small topic from a lull. Pages about a topic come in clusters. Where the next
//! cluster is, many links wait that may lead to it, so a window without a find ends no crawl as long
//! as the pending scores add up to much.
//!
//! Both rules are careful where little is known. A few pages are added to what the window brought, and
//! with keywords alone verdicts are too rough to act on early or after a mere decline. And because the
//! classifier is trained anew now and then, a rule must hold without a break for eight in a hundred of
//! all pages. How long it has held is not in the journal. So in a crawl that had ended by its harvest
//! and is started again, a rule that holds from the start counts as having held all along, and ends the
//! crawl again; in any other crawl it counts from the start on.
//!
//! The third rule ends crawls that found next to nothing. One like it, with its own numbers, ends single
//! hosts.

use std::collections::VecDeque;

use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::page_classifier::HarvestEstimate;

/// Hosts whose harvest is remembered. Of more, those of which no page was read for longest are forgotten.
const HOSTS_MAX: usize = 100_000;

/// The widest window of the low-harvest rule, in pages.
const WINDOW_MAX: u64 = 1 << 20;

/// From this pace on a crawl goes well: what it finds leads to more that is not pending yet. Then
/// the exhaustion rule does not fire. Nor does the decline rule when the pace was as good by the
/// verdicts that were given when the pages came: a classifier that comes to doubt the topic itself
/// sees no relevant page anywhere.
const GOOD_PACE: f32 = 0.5;

/// Nor does the decline rule fire as long as the pending URLs promise this share of what was found: a
/// broad topic has lulls.
const MUCH_PENDING: f32 = 0.5;

/// How long the first two rules must hold without a break, as a share of all pages.
const HOLD_SHARE: f64 = 0.08;

/// Only the best pending URLs count, so many for each page read: in the long tail of a large queue
/// even tiny scores add up.
const PENDING_PER_PAGE: u64 = 5;

/// Pages added to what a window brought, and to what it was expected to bring. With ten relevant pages
/// or fewer, no window can then tell that a crawl goes worse.
const PACE_PRIOR: f32 = 3.0;

/// Settings of the stop rules.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Low harvest: stop when a smaller share than this of the last pages was relevant and new, 0.0
    /// to 1.0. 0.0 turns all rules off.
    pub harvest_min: f32,
    /// That rule stops no crawl before this many pages; nor does any other without examples.
    pub after: u64,
    /// That rule looks at this many last pages at least...
    pub window: u32,
    /// ... and at this share of all pages at least.
    pub window_share: f32,
    /// The window of the other two rules, as a share of all pages.
    pub recent_share: f32,
    /// Exhausted: stop when the pending URLs promise fewer relevant pages than this share of those
    /// found...
    pub remaining_min: f32,
    /// ... or than this share before `after` pages, when few pages say little of the pace...
    pub remaining_min_early: f32,
    /// ... or than this share without examples...
    pub remaining_min_keywords: f32,
    /// ... but not before this many pages.
    pub remaining_after: u64,
    /// Declining: stop when the last pages brought less than this share of the average...
    pub pace_min: f32,
    /// ... but not before this many pages.
    pub pace_after: u64,
    /// The same without examples; not before `after` pages.
    pub pace_min_keywords: f32,
    /// The rule of hosts looks at this many last pages of a host.
    pub host_window: u32,
    /// A host stops below this harvest over its window.
    pub host_harvest_min: f32,
}

impl Default for StopConfig {
    fn default() -> Self {
        StopConfig {
            harvest_min: 0.02,
            after: 300,
            window: 300,
            window_share: 0.75,
            recent_share: 0.3,
            remaining_min: 0.15,
            remaining_min_early: 0.1,
            remaining_min_keywords: 0.1,
            remaining_after: 60,
            pace_min: 0.38,
            pace_after: 350,
            pace_min_keywords: 0.25,
            host_window: 200,
            host_harvest_min: 0.005,
        }
    }
}

/// Why a crawl or a host stops, with the figures.
#[derive(Debug, Clone, PartialEq)]
pub enum HarvestStop {
    /// Of the last pages too few were relevant and new.
    LowHarvest {
        /// Relevant and new pages per page.
        harvest: f32,
        /// The last pages looked at.
        window: u32,
        /// The harvest below which the rule fires.
        harvest_min: f32,
    },
    /// The last pages brought far less than their share.
    Declining {
        /// The last pages looked at.
        window: u64,
        /// Relevant pages among them.
        found_in_window: f32,
        /// That beside the average, 0.0 to 1.0.
        pace: f32,
        /// The pace below which the rule fires.
        pace_min: f32,
    },
    /// The pending URLs promise little.
    Exhausted {
        /// Relevant pages that the pending URLs promise, at the crawl's pace of late.
        remaining: f32,
        /// Relevant pages found.
        found: f32,
        /// The share of those found below which the rule fires.
        remaining_min: f32,
    },
}

impl std::fmt::Display for HarvestStop {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HarvestStop::LowHarvest {
                harvest,
                window,
                harvest_min,
            } => write!(
                out,
                "harvest over the last {window} pages is {:.2} %, under {:.2} %",
                100.0 * harvest,
                100.0 * harvest_min
            ),
            HarvestStop::Declining {
                window,
                found_in_window,
                pace,
                pace_min,
            } => write!(
                out,
                "the last {window} pages brought {found_in_window:.0} relevant ones, as judged now: \
                 {:.0} % of the crawl's average; under {:.0} % ends a crawl",
                100.0 * pace,
                100.0 * pace_min
            ),
            HarvestStop::Exhausted {
                remaining,
                found,
                remaining_min,
            } => write!(
                out,
                "little is left to find: what waits promises some {remaining:.0} relevant pages beside \
                 the {found:.0} found, as judged now; {:.0} % or less ends a crawl",
                100.0 * remaining_min
            ),
        }
    }
}

/// The harvest of a crawl and of its hosts, and the rules over it.
///
/// What is not saved is not in the journal: a new process begins without it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HarvestMonitor {
    #[serde(skip)]
    config: StopConfig,
    /// Relevant and new pages up to each of the last pages, newest last; one more than the widest
    /// window so far.
    found_up_to: VecDeque<u64>,
    pages: u64,
    /// URLs that gave no page.
    dead: u64,
    /// Relevant and new pages, by the verdicts given when they came.
    found: u64,
    /// The sum of the best pending scores, when they were last made anew.
    #[serde(skip)]
    pending_sum: Option<f32>,
    /// Since which page one of the first two rules has held without a break.
    #[serde(skip)]
    held_since: Option<u64>,
    /// The crawl had ended by its harvest before this start, and a rule has held ever since.
    #[serde(skip)]
    had_ended: bool,
    hosts: RecentMap<u64, HostHarvest>,
}

/// A host's harvest, as an exponential moving average: a window for each of many hosts would take too
/// much memory.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct HostHarvest {
    pages: u64,
    mean: f32,
}

impl HarvestMonitor {
    /// No pages yet.
    pub(crate) fn new(config: &StopConfig) -> HarvestMonitor {
        HarvestMonitor {
            config: config.clone(),
            found_up_to: VecDeque::from([0]),
            pages: 0,
            dead: 0,
            found: 0,
            pending_sum: None,
            held_since: None,
            had_ended: false,
            hosts: RecentMap::with_max(HOSTS_MAX),
        }
    }

    /// Goes on with what another of these settings has seen; `false` where that contradicts itself.
    pub(crate) fn resume(&mut self, mut saved: HarvestMonitor) -> bool {
        let found = saved.found;
        if saved.found_up_to.is_empty() || saved.found_up_to.iter().any(|up_to| *up_to > found) {
            return false;
        }
        saved.config = self.config.clone();
        *self = saved;
        true
    }

    /// Counts a page. `is_found`: it is relevant and new.
    pub(crate) fn observe(&mut self, host: &str, is_found: bool) {
        self.pages += 1;
        self.found += u64::from(is_found);
        self.found_up_to.push_back(self.found);
        let window = self.window();
        while self.found_up_to.len() > window + 1 {
            self.found_up_to.pop_front();
        }
        let key = xxh3_64(host.as_bytes());
        let host = self.hosts.entry(key, |_, _| {});
        host.pages += 1;
        let memory = (host.pages as f32).min(self.config.host_window.max(1) as f32);
        host.mean += (f32::from(u8::from(is_found)) - host.mean) / memory;
    }

    /// Counts a URL that gave no page. The harvest is counted over pages that could be read; how long
    /// a rule has held is not, or a crawl of dead links alone would never end.
    pub(crate) fn observe_dead(&mut self) {
        self.dead += 1;
    }

    /// Takes note, from the journal, that the crawl had stopped: by its harvest, or not.
    pub(crate) fn on_stopped(&mut self, by_harvest: bool) {
        self.had_ended = by_harvest;
    }

    /// Takes note of the scores of all pending URLs.
    pub(crate) fn on_rescored(&mut self, mut scores: Vec<f32>) {
        let count_max = PENDING_PER_PAGE * self.pages.max(1);
        let count_max = usize::try_from(count_max).unwrap_or(usize::MAX);
        if count_max < scores.len() {
            scores.select_nth_unstable_by(count_max, |a, b| b.total_cmp(a));
            scores.truncate(count_max);
        }
        let chance = |score: &f32| {
            if score.is_finite() {
                f64::from(score.clamp(0.0, 1.0))
            } else {
                0.0
            }
        };
        self.pending_sum = Some(scores.iter().map(chance).sum::<f64>() as f32);
    }

    /// The window of the low-harvest rule, in pages.
    fn window(&self) -> usize {
        let share = f64::from(self.config.window_share.clamp(0.0, 1.0));
        let share = (self.pages as f64 * share) as u64;
        let min = u64::from(self.config.window.max(1));
        share.max(min).min(WINDOW_MAX) as usize
    }

    /// The window of the other two rules, as a share of all pages.
    pub(crate) fn recent_share(&self) -> f32 {
        self.config.recent_share.clamp(0.0, 1.0)
    }

    /// Why the crawl should stop, if it should. Without examples (`has_examples`), the keywords are
    /// all that the topic is known by.
    pub(crate) fn stop(
        &mut self,
        estimate: &HarvestEstimate,
        has_examples: bool,
    ) -> Option<HarvestStop> {
        if self.config.harvest_min <= 0.0 {
            return None;
        }
        let fired = self
            .exhausted(estimate, has_examples)
            .or_else(|| self.declining(estimate, has_examples));
        self.held_since = match fired {
            Some(_) if self.had_ended => Some(0),
            Some(_) => self.held_since.or(Some(self.pages + self.dead)),
            None => {
                self.had_ended = false;
                None
            }
        };
        let fetches = self.pages + self.dead;
        let held_long = |since: u64| (fetches - since) as f64 >= HOLD_SHARE * fetches as f64;
        fired
            .filter(|_| self.held_since.is_some_and(held_long))
            .or_else(|| self.low_harvest())
    }

    fn exhausted(&self, estimate: &HarvestEstimate, has_examples: bool) -> Option<HarvestStop> {
        let config = &self.config;
        let found = estimate.found;
        let (remaining_min, after) = match has_examples {
            true if estimate.pages < config.after => {
                (config.remaining_min_early, config.remaining_after)
            }
            true => (config.remaining_min, config.remaining_after),
            false => (config.remaining_min_keywords, config.after),
        };
        let pace = estimate.pace();
        let remaining = self.pending_sum? * pace;
        let fires = pace < GOOD_PACE && remaining < remaining_min * (found + 1.0);
        (estimate.pages >= after && fires).then_some(HarvestStop::Exhausted {
            remaining,
            found,
            remaining_min,
        })
    }

    fn declining(&self, estimate: &HarvestEstimate, has_examples: bool) -> Option<HarvestStop> {
        let config = &self.config;
        let (pace_min, after) = if has_examples {
            (config.pace_min, config.pace_after)
        } else {
            (config.pace_min_keywords, config.after)
        };
        let pace = estimate.pace();
        let much_pending = self
            .pending_sum
            .is_some_and(|sum| sum * pace > MUCH_PENDING * (estimate.found + 1.0));
        let fires = !much_pending && pace < pace_min && self.pace_by_first_verdicts() < GOOD_PACE;
        (estimate.pages >= after && fires).then_some(HarvestStop::Declining {
            window: estimate.window,
            found_in_window: estimate.found_in_window,
            pace,
            pace_min,
        })
    }

    /// The pace by the verdicts that were given when the pages came.
    fn pace_by_first_verdicts(&self) -> f32 {
        let window = (self.pages as f64 * f64::from(self.recent_share())) as usize;
        let at = self.found_up_to.len().saturating_sub(window + 1);
        let found = self.found - self.found_up_to.get(at).copied().unwrap_or(0);
        pace(found as f32, self.found as f32 * self.recent_share())
    }

    fn low_harvest(&self) -> Option<HarvestStop> {
        let config = &self.config;
        let window = self.window();
        let at = self.found_up_to.len().checked_sub(window + 1)?;
        let harvest = (self.found - self.found_up_to[at]) as f32 / window as f32;
        let fires = self.pages >= config.after && harvest < config.harvest_min;
        fires.then_some(HarvestStop::LowHarvest {
            harvest,
            window: window as u32,
            harvest_min: config.harvest_min,
        })
    }

    /// Why a host should stop, if it should.
    pub(crate) fn stop_host(&self, host: &str) -> Option<HarvestStop> {
        let harvest = self.hosts.get(&xxh3_64(host.as_bytes()))?;
        let fires = harvest.pages >= u64::from(self.config.host_window)
            && harvest.mean < self.config.host_harvest_min;
        fires.then_some(HarvestStop::LowHarvest {
            harvest: harvest.mean,
            window: self.config.host_window,
            harvest_min: self.config.host_harvest_min,
        })
    }
}

impl HarvestEstimate {
    /// What the last pages brought beside the crawl's average.
    fn pace(&self) -> f32 {
        let share = self.window as f64 / self.pages.max(1) as f64;
        pace(self.found_in_window, self.found * share as f32)
    }
}

/// What a window brought beside what it was expected to bring.
fn pace(found: f32, expected: f32) -> f32 {
    (found + PACE_PRIOR) / (expected + PACE_PRIOR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOTHING: HarvestEstimate = HarvestEstimate {
        pages: 0,
        found: 0.0,
        window: 0,
        found_in_window: 0.0,
    };

    /// The estimate of a crawl of so many pages; three tenths of them are the window.
    fn crawl(pages: u64, found: f32, found_in_window: f32) -> HarvestEstimate {
        HarvestEstimate {
            pages,
            found,
            window: pages * 3 / 10,
            found_in_window,
        }
    }

    /// So many URLs are pending, each with this score.
    fn pending(count: usize, score: f32) -> HarvestMonitor {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        harvest.on_stopped(true);
        for page in 0..200 {
            harvest.observe("a.example", page < 100);
        }
        harvest.on_rescored(vec![score; count]);
        harvest
    }

    fn exhausted(reason: Option<HarvestStop>) -> bool {
        matches!(reason, Some(HarvestStop::Exhausted { .. }))
    }

    #[test]
    fn a_small_topic_ends_soon_after_it_was_found() {
        assert!(exhausted(
            pending(250, 0.03).stop(&crawl(110, 45.0, 0.0), true)
        ));
        // As long as finds come at the average pace it goes on.
        assert_eq!(pending(250, 0.01).stop(&crawl(110, 45.0, 8.0), true), None);
    }

    #[test]
    fn a_lull_ends_no_crawl_while_much_is_pending() {
        assert_eq!(pending(900, 0.06).stop(&crawl(110, 45.0, 0.0), true), None);
    }

    #[test]
    fn the_tail_of_a_long_queue_keeps_no_crawl_alive() {
        let mut harvest = pending(0, 0.0);
        let mut scores = vec![0.000_1; 100_000];
        scores.extend([0.05; 50]);
        harvest.on_rescored(scores);
        assert!(exhausted(harvest.stop(&crawl(200, 40.0, 1.0), true)));
    }

    #[test]
    fn a_crawl_that_found_hardly_anything_does_not_end_early() {
        let stop = |found| pending(250, 0.001).stop(&crawl(290, found, 0.0), true);
        assert_eq!(stop(9.0), None);
        assert!(exhausted(stop(15.0)));
    }

    #[test]
    fn without_examples_no_crawl_ends_early() {
        let stop = |pages| pending(250, 0.001).stop(&crawl(pages, 45.0, 0.0), false);
        assert_eq!(stop(299), None);
        assert!(exhausted(stop(300)));
    }

    #[test]
    fn a_declining_crawl_ends_although_its_links_promise_something() {
        let stop = |pages, recent, examples| {
            pending(3_000, 0.08).stop(&crawl(pages, 100.0, recent), examples)
        };
        let Some(HarvestStop::Declining { window, pace, .. }) = stop(400, 5.0, true) else {
            panic!("the crawl goes on");
        };
        assert_eq!(window, 120);
        assert!(pace < 0.38);
        assert_eq!(stop(400, 15.0, true), None);
        assert_eq!(stop(349, 5.0, true), None);
        // A decline must be a steeper one where keywords alone say what is relevant.
        assert_eq!(stop(400, 8.0, false), None);
        assert!(stop(400, 3.0, false).is_some());
    }

    #[test]
    fn a_broad_topic_outlasts_a_lull() {
        let stop = |score| pending(3_000, score).stop(&crawl(400, 100.0, 5.0), true);
        assert!(matches!(stop(0.08), Some(HarvestStop::Declining { .. })));
        assert_eq!(stop(0.3), None);
    }

    #[test]
    fn a_model_that_comes_to_doubt_everything_ends_no_crawl() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..1_000 {
            harvest.observe("a.example", page % 2 == 0);
        }
        assert_eq!(harvest.stop(&crawl(1_000, 200.0, 0.0), true), None);
    }

    #[test]
    fn a_rule_that_holds_for_a_moment_ends_no_crawl() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        let (declining, well) = (crawl(400, 100.0, 0.0), crawl(400, 100.0, 30.0));
        for page in 0..400 {
            harvest.observe("a.example", page < 200);
        }
        assert_eq!(harvest.stop(&well, true), None);
        for page in 0..95 {
            harvest.observe("a.example", false);
            let now = if [10, 30, 50].contains(&page) {
                &well
            } else {
                &declining
            };
            // Eight in a hundred after the last break.
            assert_eq!(harvest.stop(now, true).is_some(), page >= 91, "{page}");
        }
    }

    #[test]
    fn a_crawl_that_had_ended_ends_again_unless_it_finds_more() {
        let started_again = || {
            let mut harvest = HarvestMonitor::new(&StopConfig::default());
            (0..400).for_each(|page| harvest.observe("a.example", page < 200));
            harvest.on_stopped(true);
            harvest
        };
        let (declining, well) = (crawl(400, 100.0, 0.0), crawl(400, 100.0, 30.0));
        assert!(started_again().stop(&declining, true).is_some());
        let mut harvest = started_again();
        assert_eq!(harvest.stop(&well, true), None);
        assert_eq!(harvest.stop(&declining, true), None);
    }

    #[test]
    fn a_crawl_that_finds_nothing_ends_after_three_hundred_pages() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 1..=300 {
            harvest.observe("a.example", false);
            assert_eq!(
                harvest.stop(&NOTHING, true).is_some(),
                page == 300,
                "{page}"
            );
        }
    }

    #[test]
    fn a_find_now_and_then_keeps_a_crawl_alive() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..3_000 {
            harvest.observe("a.example", page % 40 == 0);
        }
        assert_eq!(harvest.stop(&NOTHING, true), None);
    }

    #[test]
    fn no_rule_fires_when_they_are_off() {
        let mut harvest = HarvestMonitor::new(&StopConfig {
            harvest_min: 0.0,
            ..StopConfig::default()
        });
        for _ in 0..1_000 {
            harvest.observe("a.example", false);
        }
        harvest.on_rescored(Vec::new());
        assert_eq!(harvest.stop(&crawl(1_000, 100.0, 0.0), true), None);
    }

    #[test]
    fn at_the_bound_hosts_not_read_for_longest_are_forgotten_and_new_ones_are_stopped() {
        let config = StopConfig::default();
        let mut harvest = HarvestMonitor::new(&config);
        harvest.hosts = RecentMap::with_max(4);
        let host = |number: u32| format!("h{number}.example");
        for number in 0..10 {
            for _ in 0..=config.host_window {
                harvest.observe(&host(number), false);
            }
            assert!(harvest.stop_host(&host(number)).is_some(), "{number}");
        }
        assert!(harvest.stop_host(&host(0)).is_none());
        assert!(harvest.hosts.len() <= 4);
    }

    #[test]
    fn a_host_of_low_harvest_stops_and_its_neighbour_does_not() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..400 {
            harvest.observe("poor.example", false);
            harvest.observe("good.example", page % 3 == 0);
        }
        assert!(harvest.stop_host("poor.example").is_some());
        assert_eq!(harvest.stop_host("good.example"), None);
        assert_eq!(harvest.stop_host("new.example"), None);
    }

    proptest! {
        #[test]
        fn what_ends_one_crawl_ends_one_with_less_pending_and_less_found(
            pages in 0u64..2_000,
            found in 0f32..500.0,
            late in 0f32..1.0,
            scores in prop::collection::vec(any::<f32>(), 0..300),
            fewer in 0usize..300,
        ) {
            let recent = late * found;
            let stop = |scores: &[f32], recent: f32| {
                let mut harvest = pending(0, 0.0);
                harvest.on_rescored(scores.to_vec());
                harvest.stop(&crawl(pages, found, recent), true).is_some()
            };
            if stop(&scores, recent) {
                prop_assert!(stop(&scores[fewer.min(scores.len())..], recent / 2.0));
            }
        }
    }
}
