//! When to stop: what waits is worth little beside what was found.
//!
//! A crawl in best-first order finds most of what it will find early; then it reads ever less
//! likely pages until its budget ends. Three rules end it, whichever comes first:
//!
//! * *exhausted*: the promises of all that waits add up to little beside what was found, measured by
//!   how the crawl has fared of late;
//! * *fading*: the last three tenths of the pages brought far less than their share, and what waits
//!   promises no more than half of what was found;
//! * *barren*: of the last pages hardly any was relevant and new.
//!
//! The first two look at what was found as the topic's model sees it *now*: late in a crawl most
//! pages are off topic and most verdicts that say otherwise are mistakes, which the model has often
//! seen through by the time it matters. Their window is a share of all pages, so a crawl that still
//! finds something every hundred pages after thousands is not stopped by a quiet hundred, and a small
//! topic that is found within eighty pages ends after a hundred. The queue is what tells such a topic
//! from a lull: pages come in clusters, but where the next cluster is, links wait that may lead to it,
//! and there are many of them. So one window without a find ends no crawl as long as much waits.
//!
//! Both are careful where little is known: a few pages are added to what the window brought. And with
//! no examples, verdicts are too rough to act on early or after a mere decline. Since the model is
//! trained anew now and then, both must hold for a while, eight pages in a hundred, without a break.
//! How long they have held is not in the journal: where one holds as a crawl is carried on that had
//! ended by its harvest, it counts as having held all along, and ends the crawl again; else it begins
//! anew.
//!
//! The third ends crawls that found next to nothing. One like it, with its own numbers, ends single
//! hosts.

use std::collections::VecDeque;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

use crate::relevance::Appraisal;

/// Hosts whose harvest is remembered; more are never stopped.
const HOSTS_MAX: usize = 100_000;

/// Pages that a window has at most.
const WINDOW_MAX: u64 = 1 << 20;

/// No crawl ends by the first rule as long as the last pages brought this share of the average: what
/// it finds leads to more that does not wait yet. Nor by the second as long as they did by the verdicts
/// that were given when they came: a model that comes to doubt the topic itself sees none anywhere.
const GOING_WELL: f32 = 0.5;

/// Nor by the second as long as what waits promises this share of what was found: a broad topic has
/// lulls.
const MUCH: f32 = 0.5;

/// How long, as a share of all pages, the first two rules must hold without a break.
const HOLD: f64 = 0.08;

/// How many times the pages read the URLs are that count of what waits, best first: in the long tail
/// of a large queue even tiny promises add up.
const HORIZON: u64 = 5;

/// Pages added to what the last window brought, and to what it was to bring at the crawl's average: with
/// ten pages found or fewer, no window tells that a crawl goes worse.
const DOUBT: f32 = 3.0;

/// Settings of the stop rules.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Stop when a smaller share than this of the last pages was relevant and new. 0.0 turns all
    /// rules off.
    pub harvest_min: f32,
    /// That rule stops no crawl before this many pages; nor does any where examples are missing.
    pub after: u64,
    /// That rule looks at this many last pages at least.
    pub window: u32,
    /// And at this share of all its pages at least.
    pub window_share: f32,
    /// The last pages of the other two rules, as a share of all.
    pub recent_share: f32,
    /// Stop when what waits promises fewer pages than this share of those found, counted by how
    /// much the last pages brought beside the average...
    pub remaining_min: f32,
    /// ... or this before `after` pages, as few pages say little of the pace...
    pub remaining_min_early: f32,
    /// ... or this without examples...
    pub remaining_min_keywords: f32,
    /// ... but not before this many pages.
    pub remaining_after: u64,
    /// Stop when the last pages brought less than this share of the average...
    pub pace_min: f32,
    /// ... but not before this many pages.
    pub pace_after: u64,
    /// The same without examples; not before `after` pages.
    pub pace_min_keywords: f32,
    /// A host's rule looks at this many of its last pages.
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

impl Appraisal {
    /// What the last pages brought beside the crawl's average.
    fn pace(&self) -> f32 {
        let share = self.window as f64 / self.pages.max(1) as f64;
        pace(self.lately, self.found * share as f32)
    }
}

/// What the last pages brought beside what they were to bring.
fn pace(lately: f32, average: f32) -> f32 {
    (lately + DOUBT) / (average + DOUBT)
}

/// Why a crawl or a host stops.
#[derive(Debug, Clone, PartialEq)]
pub enum HarvestStop {
    /// Of the last pages too few were relevant and new.
    LowHarvest {
        /// Relevant and new pages per page.
        harvest: f32,
        /// The last pages.
        window: u32,
        /// The harvest below which the rule fires.
        harvest_min: f32,
    },
    /// The last pages brought far less than their share.
    Declining {
        /// The last pages.
        window: u64,
        /// What they brought.
        found_lately: f32,
        /// Beside the average, 0.0 to 1.0.
        pace: f32,
        /// The pace below which the rule fires.
        pace_min: f32,
    },
    /// What waits promises little.
    Exhausted {
        /// The relevant pages that what waits promises, by what the last pages brought.
        left: f32,
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
                found_lately,
                pace,
                pace_min,
            } => write!(
                out,
                "the last {window} pages brought {found_lately:.0} relevant ones, as judged now: {:.0} % \
                 of the crawl's average; under {:.0} % ends a crawl",
                100.0 * pace,
                100.0 * pace_min
            ),
            HarvestStop::Exhausted {
                left,
                found,
                remaining_min,
            } => write!(
                out,
                "little is left to find: what waits promises some {left:.0} relevant pages beside the \
                 {found:.0} found, as judged now; {:.0} % or less ends a crawl",
                100.0 * remaining_min
            ),
        }
    }
}

/// The harvest of a crawl and of its hosts.
#[derive(Debug, Clone)]
pub(crate) struct HarvestMonitor {
    config: StopConfig,
    /// What was gained up to each of the last pages, newest last; as many as the widest window so
    /// far, and one.
    sums: VecDeque<u64>,
    pages: u64,
    gained: u64,
    /// What the best of all that waits promises, when it was scored last.
    waiting: Option<f32>,
    /// From which page on one of the first two rules held without a break.
    little_since: Option<u64>,
    /// The crawl had ended by its harvest when it was started, and one of them has held ever since.
    ended: bool,
    hosts: HashMap<u64, HostHarvest>,
}

/// A host's harvest: a mean that forgets, since a queue for each of many hosts would be too much.
#[derive(Debug, Clone, Copy, Default)]
struct HostHarvest {
    pages: u64,
    mean: f32,
}

impl HarvestMonitor {
    /// No pages yet.
    pub(crate) fn new(config: &StopConfig) -> HarvestMonitor {
        HarvestMonitor {
            config: config.clone(),
            sums: VecDeque::from([0]),
            pages: 0,
            gained: 0,
            waiting: None,
            little_since: None,
            ended: false,
            hosts: HashMap::new(),
        }
    }

    /// Counts a page; `gain`: it is relevant and new.
    pub(crate) fn observe(&mut self, host: &str, gain: bool) {
        self.pages += 1;
        self.gained += u64::from(gain);
        self.sums.push_back(self.gained);
        let window = self.window();
        while self.sums.len() > window + 1 {
            self.sums.pop_front();
        }
        let key = xxh3_64(host.as_bytes());
        if self.hosts.len() < HOSTS_MAX || self.hosts.contains_key(&key) {
            let host = self.hosts.entry(key).or_default();
            host.pages += 1;
            let memory = (host.pages as f32).min(self.config.host_window.max(1) as f32);
            host.mean += (f32::from(u8::from(gain)) - host.mean) / memory;
        }
    }

    /// Takes note, from the journal, that the crawl had stopped: by its harvest, or not.
    pub(crate) fn on_stopped(&mut self, by_harvest: bool) {
        self.ended = by_harvest;
    }

    /// Takes note of the priorities of all that waits.
    pub(crate) fn on_rescored(&mut self, mut promises: Vec<f32>) {
        let horizon = usize::try_from(HORIZON * self.pages.max(1)).unwrap_or(usize::MAX);
        if horizon < promises.len() {
            promises.select_nth_unstable_by(horizon, |a, b| b.total_cmp(a));
            promises.truncate(horizon);
        }
        let promised = |promise: &f32| {
            if promise.is_finite() {
                f64::from(promise.clamp(0.0, 1.0))
            } else {
                0.0
            }
        };
        self.waiting = Some(promises.iter().map(promised).sum::<f64>() as f32);
    }

    /// The window of the plain rule: so many pages, or a share of all if that is more.
    fn window(&self) -> usize {
        let share = f64::from(self.config.window_share.clamp(0.0, 1.0));
        let share = (self.pages as f64 * share) as u64;
        let least = u64::from(self.config.window.max(1));
        share.max(least).min(WINDOW_MAX) as usize
    }

    /// The share of all pages that counts as the last ones.
    pub(crate) fn lately(&self) -> f32 {
        self.config.recent_share.clamp(0.0, 1.0)
    }

    /// Why the crawl should stop, if it should. `has_examples`: the topic is known by more than its
    /// keywords.
    pub(crate) fn stop(
        &mut self,
        appraisal: &Appraisal,
        has_examples: bool,
    ) -> Option<HarvestStop> {
        if self.config.harvest_min <= 0.0 {
            return None;
        }
        let little = self
            .exhausted(appraisal, has_examples)
            .or_else(|| self.fading(appraisal, has_examples));
        self.little_since = match little {
            Some(_) if self.ended => Some(0),
            Some(_) => self.little_since.or(Some(self.pages)),
            None => {
                self.ended = false;
                None
            }
        };
        let held = |since: u64| (self.pages - since) as f64 >= HOLD * self.pages as f64;
        little
            .filter(|_| self.little_since.is_some_and(held))
            .or_else(|| self.barren())
    }

    fn exhausted(&self, appraisal: &Appraisal, has_examples: bool) -> Option<HarvestStop> {
        let config = &self.config;
        let found = appraisal.found;
        let (remaining_min, after) = match has_examples {
            true if appraisal.pages < config.after => {
                (config.remaining_min_early, config.remaining_after)
            }
            true => (config.remaining_min, config.remaining_after),
            false => (config.remaining_min_keywords, config.after),
        };
        let pace = appraisal.pace();
        let left = self.waiting? * pace;
        let little = pace < GOING_WELL && left < remaining_min * (found + 1.0);
        (appraisal.pages >= after && little).then_some(HarvestStop::Exhausted {
            left,
            found,
            remaining_min,
        })
    }

    fn fading(&self, appraisal: &Appraisal, has_examples: bool) -> Option<HarvestStop> {
        let config = &self.config;
        let (pace_min, after) = if has_examples {
            (config.pace_min, config.pace_after)
        } else {
            (config.pace_min_keywords, config.after)
        };
        let pace = appraisal.pace();
        let much_waits = self
            .waiting
            .is_some_and(|waiting| waiting * pace > MUCH * (appraisal.found + 1.0));
        let fades = !much_waits && pace < pace_min && self.pace_at_first_sight() < GOING_WELL;
        (appraisal.pages >= after && fades).then_some(HarvestStop::Declining {
            window: appraisal.window,
            found_lately: appraisal.lately,
            pace,
            pace_min,
        })
    }

    /// The pace by the verdicts that were given when the pages came.
    fn pace_at_first_sight(&self) -> f32 {
        let window = (self.pages as f64 * f64::from(self.lately())) as usize;
        let at = self.sums.len().saturating_sub(window + 1);
        let lately = self.gained - self.sums.get(at).copied().unwrap_or(0);
        pace(lately as f32, self.gained as f32 * self.lately())
    }

    fn barren(&self) -> Option<HarvestStop> {
        let config = &self.config;
        let window = self.window();
        let at = self.sums.len().checked_sub(window + 1)?;
        let harvest = (self.gained - self.sums[at]) as f32 / window as f32;
        let barren = self.pages >= config.after && harvest < config.harvest_min;
        barren.then_some(HarvestStop::LowHarvest {
            harvest,
            window: window as u32,
            harvest_min: config.harvest_min,
        })
    }

    /// Why a host should stop, if it should.
    pub(crate) fn stop_host(&self, host: &str) -> Option<HarvestStop> {
        let harvest = self.hosts.get(&xxh3_64(host.as_bytes()))?;
        let over = harvest.pages >= u64::from(self.config.host_window)
            && harvest.mean < self.config.host_harvest_min;
        over.then_some(HarvestStop::LowHarvest {
            harvest: harvest.mean,
            window: self.config.host_window,
            harvest_min: self.config.host_harvest_min,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOTHING: Appraisal = Appraisal {
        pages: 0,
        found: 0.0,
        window: 0,
        lately: 0.0,
    };

    /// A crawl of so many pages, three tenths of them the last ones.
    fn crawl(pages: u64, found: f32, lately: f32) -> Appraisal {
        Appraisal {
            pages,
            found,
            window: pages * 3 / 10,
            lately,
        }
    }

    /// So much waits, with this promise each.
    fn waiting(count: usize, promise: f32) -> HarvestMonitor {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        harvest.on_stopped(true);
        for page in 0..200 {
            harvest.observe("a.example", page < 100);
        }
        harvest.on_rescored(vec![promise; count]);
        harvest
    }

    fn exhausted(reason: Option<HarvestStop>) -> bool {
        matches!(reason, Some(HarvestStop::Exhausted { .. }))
    }

    #[test]
    fn a_small_topic_ends_soon_after_it_was_found() {
        assert!(exhausted(
            waiting(250, 0.03).stop(&crawl(110, 45.0, 0.0), true)
        ));
        // As long as finds come at the average pace it goes on.
        assert_eq!(waiting(250, 0.01).stop(&crawl(110, 45.0, 8.0), true), None);
    }

    #[test]
    fn a_lull_ends_no_crawl_while_much_waits() {
        assert_eq!(waiting(900, 0.06).stop(&crawl(110, 45.0, 0.0), true), None);
    }

    #[test]
    fn the_tail_of_a_long_queue_keeps_no_crawl_alive() {
        let mut harvest = waiting(0, 0.0);
        let mut promises = vec![0.000_1; 100_000];
        promises.extend([0.05; 50]);
        harvest.on_rescored(promises);
        assert!(exhausted(harvest.stop(&crawl(200, 40.0, 1.0), true)));
    }

    #[test]
    fn a_crawl_that_found_hardly_anything_does_not_end_early() {
        let stop = |found| waiting(250, 0.001).stop(&crawl(290, found, 0.0), true);
        assert_eq!(stop(9.0), None);
        assert!(exhausted(stop(15.0)));
    }

    #[test]
    fn without_examples_no_crawl_ends_early() {
        let stop = |pages| waiting(250, 0.001).stop(&crawl(pages, 45.0, 0.0), false);
        assert_eq!(stop(299), None);
        assert!(exhausted(stop(300)));
    }

    #[test]
    fn a_crawl_that_fades_ends_although_its_links_promise_something() {
        let stop = |pages, lately, examples| {
            waiting(3_000, 0.08).stop(&crawl(pages, 100.0, lately), examples)
        };
        let Some(HarvestStop::Declining { window, pace, .. }) = stop(400, 5.0, true) else {
            panic!("it goes on");
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
        let stop = |promise| waiting(3_000, promise).stop(&crawl(400, 100.0, 5.0), true);
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
        let (fading, well) = (crawl(400, 100.0, 0.0), crawl(400, 100.0, 30.0));
        for page in 0..400 {
            harvest.observe("a.example", page < 200);
        }
        assert_eq!(harvest.stop(&well, true), None);
        for page in 0..95 {
            harvest.observe("a.example", false);
            let now = if [10, 30, 50].contains(&page) {
                &well
            } else {
                &fading
            };
            // Eight in a hundred after the last break.
            assert_eq!(harvest.stop(now, true).is_some(), page >= 91, "{page}");
        }
    }

    #[test]
    fn a_crawl_that_had_ended_ends_again_unless_it_has_come_upon_more() {
        let carried_on = || {
            let mut harvest = HarvestMonitor::new(&StopConfig::default());
            (0..400).for_each(|page| harvest.observe("a.example", page < 200));
            harvest.on_stopped(true);
            harvest
        };
        let (fading, well) = (crawl(400, 100.0, 0.0), crawl(400, 100.0, 30.0));
        assert!(carried_on().stop(&fading, true).is_some());
        let mut harvest = carried_on();
        assert_eq!(harvest.stop(&well, true), None);
        assert_eq!(harvest.stop(&fading, true), None);
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
    fn no_rule_acts_when_they_are_off() {
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
    fn a_barren_host_stops_and_its_neighbour_does_not() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..400 {
            harvest.observe("barren.example", false);
            harvest.observe("good.example", page % 3 == 0);
        }
        assert!(harvest.stop_host("barren.example").is_some());
        assert_eq!(harvest.stop_host("good.example"), None);
        assert_eq!(harvest.stop_host("new.example"), None);
    }

    proptest! {
        #[test]
        fn what_ends_one_crawl_ends_one_that_has_less_to_hope_for(
            pages in 0u64..2_000,
            found in 0f32..500.0,
            late in 0f32..1.0,
            promises in prop::collection::vec(any::<f32>(), 0..300),
            fewer in 0usize..300,
        ) {
            let lately = late * found;
            let stop = |promises: &[f32], lately: f32| {
                let mut harvest = waiting(0, 0.0);
                harvest.on_rescored(promises.to_vec());
                harvest.stop(&crawl(pages, found, lately), true).is_some()
            };
            if stop(&promises, lately) {
                prop_assert!(stop(&promises[fewer.min(promises.len())..], lately / 2.0));
            }
        }
    }
}
