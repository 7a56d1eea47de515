//! When to stop: what is left to find is little beside what was found.
//!
//! A crawl in best-first order finds most of what it will find early. Then it reads ever less likely
//! pages until its budget ends. Two rules end it before, whichever fires first:
//!
//! * *little left*: half as many pages again as were read would, at most, bring less than a share of
//!   what was found, and the last three tenths of the pages brought less than that share. "At most" is
//!   the upper bound of the estimate in `outlook.rs`, so a crawl of which little is known yet, or that
//!   found hardly anything, goes on. So does one that is led from page to page by few links, and one
//!   whose queue is shorter than that: it is soon done, or finds more. And so does one in which the
//!   plain rule, which no verdict of the crawl can mislead, would bring half of what was found: where
//!   the verdicts have lost the topic, an estimate from them says that nothing is left;
//! * *low harvest*: of the last pages hardly any was relevant and new. It ends crawls that found next
//!   to nothing.
//!
//! The look ahead is a share of the crawl: one that still finds something every hundred pages after
//! thousands is not stopped by a quiet hundred, and a small topic that was found within a hundred
//! pages ends soon after. One rule like the second, with its own numbers, ends single hosts.

use std::collections::VecDeque;

use recent::RecentMap;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::outlook::HarvestOutlook;

mod together;

pub use together::HarvestShare;

/// Hosts whose harvest is remembered. Of more, those of which no page was read for longest are forgotten.
const HOSTS_MAX: usize = 100_000;

/// The widest window of the low-harvest rule, in pages.
const WINDOW_MAX: u64 = 1 << 20;

/// Settings of the stop rules.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Low harvest: stop when a smaller share than this of the last pages was relevant and new, 0.0
    /// to 1.0. 0.0 turns all rules off.
    pub harvest_min: f32,
    /// That rule stops no crawl before this many pages.
    pub after: u64,
    /// That rule looks at this many last pages at least...
    pub window: u32,
    /// ... and at this share of all pages at least.
    pub window_share: f32,
    /// Little left: stop when the last pages brought less than this share of the pages found, and half
    /// as many pages again would at most bring less than it, in the crawl's order and in the plain rule's own.
    pub left_min: f32,
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
            left_min: 0.15,
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
    /// Little is left to find beside what was found.
    LittleLeft {
        /// What is left.
        outlook: HarvestOutlook,
        /// The share of those found below which the rule fires.
        left_min: f32,
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
            HarvestStop::LittleLeft { outlook, left_min } => write!(
                out,
                "little is left to find: {outlook}; half as many pages again as were read would bring \
                 {:.0} at most, under {:.0} % of those found",
                outlook.ahead.high.ceil(),
                100.0 * left_min
            ),
        }
    }
}

impl HarvestOutlook {
    /// Whether little is left beside what was found.
    fn little_left(self, config: &StopConfig) -> Option<HarvestStop> {
        let left_min = config.left_min;
        let little = left_min * self.found;
        let fires = self.waiting >= self.ahead_fetches
            && self.brought < little
            && self.ahead.high < little
            && self.plain_ahead < little;
        fires.then_some(HarvestStop::LittleLeft {
            outlook: self,
            left_min,
        })
    }
}

/// The harvest of a crawl and of its hosts, and the rules over it.
///
/// What is not saved is not in the journal: it follows from the queue when it is scored again.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HarvestMonitor {
    #[serde(skip)]
    config: StopConfig,
    /// Relevant and new pages up to each of the last pages, newest last; one more than the widest
    /// window so far.
    found_up_to: VecDeque<u64>,
    pages: u64,
    /// Relevant and new pages, by the verdicts given when they came.
    found: u64,
    #[serde(skip)]
    outlook: Option<HarvestOutlook>,
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
            found: 0,
            outlook: None,
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

    /// Takes note of what is left to find.
    pub(crate) fn on_rescored(&mut self, outlook: HarvestOutlook) {
        self.outlook = Some(outlook);
    }

    /// What is left to find, as of when the queue was scored last.
    pub(crate) fn outlook(&self) -> Option<&HarvestOutlook> {
        self.outlook.as_ref()
    }

    /// The window of the low-harvest rule, in pages.
    fn window(&self) -> usize {
        self.window_of(self.pages)
    }

    /// The same of a crawl of so many pages.
    fn window_of(&self, pages: u64) -> usize {
        let share = f64::from(self.config.window_share.clamp(0.0, 1.0));
        let share = (pages as f64 * share) as u64;
        let min = u64::from(self.config.window.max(1));
        share.max(min).min(WINDOW_MAX) as usize
    }

    /// Why the crawl should stop, if it should.
    pub(crate) fn stop(&self) -> Option<HarvestStop> {
        if self.config.harvest_min <= 0.0 {
            return None;
        }
        self.little_left().or_else(|| self.low_harvest())
    }

    fn little_left(&self) -> Option<HarvestStop> {
        self.outlook?.little_left(&self.config)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link_model::Promise;
    use crate::page_classifier::HarvestEstimate;

    /// A crawl of so many pages that found so many, of late as many as promised and a share of them,
    /// where so many URLs wait, each with this score, by the plain rule as well.
    fn crawl(pages: u64, found: f32, kept: f32, waiting: usize, score: f32) -> HarvestMonitor {
        crawl_where(
            pages,
            found,
            kept,
            waiting,
            Promise {
                score,
                plain: score,
            },
        )
    }

    fn crawl_where(
        pages: u64,
        found: f32,
        kept: f32,
        waiting: usize,
        promise: Promise,
    ) -> HarvestMonitor {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        let estimate = HarvestEstimate {
            pages,
            found,
            promised: found / 3.0,
            brought: kept * found / 3.0,
        };
        harvest.on_rescored(HarvestOutlook::of(&estimate, &vec![promise; waiting]));
        harvest
    }

    fn little_left(harvest: &HarvestMonitor) -> bool {
        matches!(harvest.stop(), Some(HarvestStop::LittleLeft { .. }))
    }

    #[test]
    fn a_small_topic_ends_soon_after_it_was_found() {
        assert!(little_left(&crawl(160, 80.0, 0.05, 250, 0.01)));
        // As long as finds come as promised it goes on.
        assert!(!little_left(&crawl(160, 80.0, 1.0, 250, 0.1)));
    }

    #[test]
    fn a_crawl_goes_on_while_the_plain_rule_promises_much() {
        let promise = |plain| Promise { score: 0.01, plain };
        assert!(little_left(&crawl_where(
            400,
            200.0,
            0.05,
            900,
            promise(0.1)
        )));
        assert!(!little_left(&crawl_where(
            400,
            200.0,
            0.05,
            900,
            promise(0.7)
        )));
    }

    #[test]
    fn a_lull_ends_no_crawl_while_much_waits() {
        assert!(!little_left(&crawl(400, 60.0, 0.05, 3_000, 0.3)));
    }

    #[test]
    fn the_tail_of_a_long_queue_keeps_no_crawl_alive() {
        assert!(little_left(&crawl(400, 200.0, 0.05, 100_000, 0.01)));
    }

    #[test]
    fn a_crawl_that_found_hardly_anything_does_not_end_for_little_left() {
        for pages in [60, 290, 1_000] {
            assert!(!little_left(&crawl(pages, 9.0, 0.0, 250, 0.001)), "{pages}");
        }
    }

    #[test]
    fn a_crawl_that_is_led_from_page_to_page_goes_on() {
        // By one good link amid a thousand others, or by one that waits alone.
        assert!(!little_left(&crawl(400, 200.0, 1.0, 1_000, 0.005)));
        assert!(!little_left(&crawl(400, 200.0, 0.05, 1, 0.01)));
    }

    #[test]
    fn what_ends_a_crawl_is_told_with_its_figures() {
        let Some(stop) = crawl(400, 200.0, 0.05, 900, 0.01).stop() else {
            panic!("the crawl goes on");
        };
        let words = stop.to_string();
        assert!(
            words.starts_with("little is left to find: about "),
            "{words}"
        );
        assert!(
            words.ends_with("at most, under 15 % of those found"),
            "{words}"
        );
    }

    #[test]
    fn a_crawl_that_finds_nothing_ends_after_three_hundred_pages() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 1..=300 {
            harvest.observe("a.example", false);
            assert_eq!(harvest.stop().is_some(), page == 300, "{page}");
        }
    }

    #[test]
    fn a_find_now_and_then_keeps_a_crawl_alive() {
        let mut harvest = HarvestMonitor::new(&StopConfig::default());
        for page in 0..3_000 {
            harvest.observe("a.example", page % 40 == 0);
        }
        assert_eq!(harvest.stop(), None);
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
        let estimate = HarvestEstimate {
            pages: 1_000,
            found: 100.0,
            ..HarvestEstimate::default()
        };
        harvest.on_rescored(HarvestOutlook::of(&estimate, &[]));
        assert_eq!(harvest.stop(), None);
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
}
