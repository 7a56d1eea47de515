//! When to stop: the harvest has stayed low for long enough.
//!
//! A crawl in best-first order finds most of what it will find early; then it reads ever less
//! likely pages until its budget ends. The rule "of the last `window` pages fewer than
//! `harvest_min` were relevant and new" ends it. The window must be wide enough that a lull is not
//! an end, so it grows with the crawl: a crawl that still finds something every hundred pages
//! after thousands is not stopped by a quiet hundred.
//!
//! A crawl of a small topic would run long that way, so it ends as well when it *fades*: the last
//! pages yielded under three tenths of what it has yielded on average, and their links had promised
//! under three fifths of what its links promise on average. Either alone is a poor witness: a wrong
//! verdict now and then keeps up the one, a hopeful link model the other. Late in a crawl most pages
//! are off topic and most verdicts that say otherwise are close ones, so a page counts here by how
//! far its relevance is above the threshold. Verdicts by keywords alone are too rough for all this:
//! without examples a crawl does not fade, and the first rule looks twice as far back.
//!
//! Neither rule ends a crawl early on: pages about a topic come in clusters, and from the examples'
//! own to the next it may be two hundred pages, over links of which the model knows nothing yet.
//!
//! The first rule with its own numbers ends single hosts.

use std::collections::VecDeque;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Hosts whose harvest is remembered; more are never stopped.
const HOSTS_MAX: usize = 100_000;

/// Pages that a window has at most.
const WINDOW_MAX: u64 = 1 << 20;

/// Settings of the stop rules.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Stop when a smaller share than this of the last pages was relevant and new. 0.0 turns the
    /// rules off.
    pub harvest_min: f32,
    /// No stop before this many pages.
    pub after: u64,
    /// The rule looks at this many last pages at least.
    pub window: u32,
    /// And at this share of all its pages at least.
    pub window_share: f32,
    /// Stop also when the last pages yielded less than this share of the crawl's average, sure
    /// verdicts counting more than close ones...
    pub fading_harvest: f32,
    /// ... and their links had promised less than this share of the average.
    pub fading_promise: f32,
    /// That rule looks at this many last pages at least.
    pub fading_window: u32,
    /// And at this share of all its pages at least.
    pub fading_window_share: f32,
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
            window: 120,
            window_share: 0.25,
            fading_harvest: 0.3,
            fading_promise: 0.6,
            fading_window: 75,
            fading_window_share: 0.15,
            host_window: 200,
            host_harvest_min: 0.005,
        }
    }
}

/// Why a crawl or a host stops.
#[derive(Debug, Clone, PartialEq)]
pub struct StopReason {
    /// The harvest over the window: relevant and new pages per page.
    pub harvest: f32,
    /// Whether each page counts by how sure its verdict is: not the harvest that reports show.
    pub by_sureness: bool,
    /// The window in pages.
    pub window: u32,
    /// The harvest below which the rule fires.
    pub harvest_min: f32,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "{} over the last {} pages is {:.2} %, under {:.2} %",
            if self.by_sureness {
                "harvest by sure verdicts"
            } else {
                "harvest"
            },
            self.window,
            100.0 * self.harvest,
            100.0 * self.harvest_min
        )
    }
}

/// The harvest of a crawl and of its hosts.
#[derive(Debug, Clone)]
pub struct Harvest {
    config: StopConfig,
    /// What was gained and promised up to each of the last pages, newest last; as many as the
    /// widest window so far, and one.
    sums: VecDeque<Sums>,
    total: Sums,
    hosts: HashMap<u64, HostHarvest>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    pages: u64,
    gained: f64,
    /// What was gained, each page by how sure its verdict was.
    sure: f64,
    promised: f64,
}

impl Sums {
    /// Harvest, sure harvest and promise for each page since an earlier one.
    fn since(&self, earlier: &Sums) -> [f32; 3] {
        let pages = (self.pages - earlier.pages).max(1) as f64;
        [
            (self.gained - earlier.gained).max(0.0) / pages,
            (self.sure - earlier.sure).max(0.0) / pages,
            (self.promised - earlier.promised).max(0.0) / pages,
        ]
        .map(|mean| mean as f32)
    }
}

/// A host's harvest: a mean that forgets, since a queue for each of many hosts would be too much.
#[derive(Debug, Clone, Copy, Default)]
struct HostHarvest {
    pages: u64,
    mean: f32,
}

impl Harvest {
    /// No pages yet.
    pub fn new(config: &StopConfig) -> Harvest {
        Harvest {
            config: config.clone(),
            sums: VecDeque::from([Sums::default()]),
            total: Sums::default(),
            hosts: HashMap::new(),
        }
    }

    /// Counts a page: `gain` is `None` unless it is relevant and new, else how far its relevance is
    /// above the threshold, 0.0 (just so) to 1.0 (surely); `promise` is what its link promised, 0.0 to
    /// 1.0.
    pub fn observe(&mut self, host: &str, gain: Option<f32>, promise: f32) {
        let share = |x: f32| {
            if x.is_finite() {
                x.clamp(0.0, 1.0)
            } else {
                0.0
            }
        };
        let sure = share(gain.unwrap_or(0.0));
        let gain = f32::from(u8::from(gain.is_some()));
        self.total.pages += 1;
        self.total.gained += f64::from(gain);
        self.total.sure += f64::from(sure);
        self.total.promised += f64::from(share(promise));
        self.sums.push_back(self.total);
        let config = &self.config;
        let widest = self
            .pages_in(config.window.saturating_mul(2), config.window_share)
            .max(self.pages_in(config.fading_window, config.fading_window_share));
        while self.sums.len() > widest + 1 {
            self.sums.pop_front();
        }
        let key = xxh3_64(host.as_bytes());
        if self.hosts.len() < HOSTS_MAX || self.hosts.contains_key(&key) {
            let host = self.hosts.entry(key).or_default();
            host.pages += 1;
            let memory = (host.pages as f32).min(self.config.host_window.max(1) as f32);
            host.mean += (gain - host.mean) / memory;
        }
    }

    /// A window: so many pages, or a share of all if that is more.
    fn pages_in(&self, pages: u32, share: f32) -> usize {
        let share = (self.total.pages as f64 * f64::from(share.clamp(0.0, 1.0))) as u64;
        share.max(u64::from(pages.max(1))).min(WINDOW_MAX) as usize
    }

    /// Harvest, sure harvest and promise over the last pages; `None` when there were not so many.
    fn over(&self, window: usize) -> Option<[f32; 3]> {
        let at = self.sums.len().checked_sub(window + 1)?;
        Some(self.total.since(&self.sums[at]))
    }

    /// Pages counted.
    pub fn pages(&self) -> u64 {
        self.total.pages
    }

    /// Pages relevant and new.
    pub fn gained(&self) -> f64 {
        self.total.gained
    }

    /// Why the crawl should stop, if it should. `has_examples`: the topic is known by more than its
    /// keywords.
    pub fn stop(&self, has_examples: bool) -> Option<StopReason> {
        let config = &self.config;
        if config.harvest_min <= 0.0 || self.total.pages < config.after {
            return None;
        }
        let reason = |window: usize, harvest, harvest_min| StopReason {
            harvest,
            by_sureness: false,
            window: window as u32,
            harvest_min,
        };
        let pages = if has_examples {
            config.window
        } else {
            config.window.saturating_mul(2)
        };
        let window = self.pages_in(pages, config.window_share);
        if let Some([harvest, ..]) = self.over(window)
            && harvest < config.harvest_min
        {
            return Some(reason(window, harvest, config.harvest_min));
        }
        if !has_examples {
            return None;
        }
        let window = self.pages_in(config.fading_window, config.fading_window_share);
        let [_, sure, promise] = self.over(window)?;
        let [_, sure_mean, promise_mean] = self.total.since(&Sums::default());
        let sure_min = config.fading_harvest * sure_mean;
        let fades = sure < sure_min && promise < config.fading_promise * promise_mean;
        fades.then(|| StopReason {
            by_sureness: true,
            ..reason(window, sure, sure_min)
        })
    }

    /// Why a host should stop, if it should.
    pub fn stop_host(&self, host: &str) -> Option<StopReason> {
        let harvest = self.hosts.get(&xxh3_64(host.as_bytes()))?;
        let over = harvest.pages >= u64::from(self.config.host_window)
            && harvest.mean < self.config.host_harvest_min;
        over.then_some(StopReason {
            harvest: harvest.mean,
            by_sureness: false,
            window: self.config.host_window,
            harvest_min: self.config.host_harvest_min,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A page that is surely relevant and new, or none.
    fn found(relevant: bool) -> Option<f32> {
        relevant.then_some(1.0)
    }

    #[test]
    fn a_crawl_that_finds_nothing_more_stops_after_its_window() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..320 {
            harvest.observe("a.example", found(page < 200), 0.5);
            // Two of 120 are under 2 %.
            assert_eq!(harvest.stop(true).is_some(), page >= 317, "{page}");
        }
        assert_eq!(harvest.stop(true).unwrap().window, 120);
        assert_eq!(harvest.stop(false), None);
        for _ in 0..120 {
            harvest.observe("a.example", None, 0.5);
        }
        assert_eq!(harvest.stop(false).unwrap().window, 240);
    }

    #[test]
    fn a_first_lull_ends_no_crawl() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for _ in 0..299 {
            harvest.observe("a.example", None, 0.01);
            assert_eq!(harvest.stop(true), None);
        }
        harvest.observe("a.example", None, 0.01);
        assert!(harvest.stop(true).is_some());
    }

    #[test]
    fn a_find_now_and_then_keeps_a_crawl_alive() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..3_000 {
            harvest.observe("a.example", found(page % 40 == 0), 0.5);
        }
        assert_eq!(harvest.stop(true), None);
    }

    /// 225 good pages, then one in so many that is as sure as this, by links with this promise.
    fn fading(one_in: u32, sure: f32, promise: f32) -> Harvest {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..225 {
            harvest.observe("a.example", found(page % 2 == 0), 0.6);
        }
        for page in 0..75u32 {
            let gain = page.is_multiple_of(one_in).then_some(sure);
            harvest.observe("a.example", gain, promise);
        }
        harvest
    }

    #[test]
    fn a_crawl_that_fades_stops_once_its_links_promise_little_too() {
        let reason = fading(20, 1.0, 0.05).stop(true).unwrap();
        assert_eq!(reason.window, 75);
        assert!(reason.harvest < reason.harvest_min);
        assert_eq!(fading(20, 1.0, 0.5).stop(true), None);
        assert_eq!(fading(20, 1.0, 0.05).stop(false), None);
    }

    #[test]
    fn close_verdicts_do_not_keep_a_fading_crawl_alive() {
        assert!(fading(3, 0.1, 0.05).stop(true).is_some());
        assert_eq!(fading(3, 1.0, 0.05).stop(true), None);
    }

    #[test]
    fn a_barren_host_stops_and_its_neighbour_does_not() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..400 {
            harvest.observe("barren.example", None, 0.5);
            harvest.observe("good.example", found(page % 3 == 0), 0.5);
        }
        assert!(harvest.stop_host("barren.example").is_some());
        assert_eq!(harvest.stop_host("good.example"), None);
        assert_eq!(harvest.stop_host("new.example"), None);
    }

    proptest! {
        #[test]
        fn the_harvest_is_a_share_whatever_comes(pages in prop::collection::vec(any::<(Option<f32>, f32)>(), 0..600)) {
            let mut harvest = Harvest::new(&StopConfig { harvest_min: 2.0, ..StopConfig::default() });
            for (gain, promise) in pages {
                harvest.observe("a.example", gain, promise);
            }
            if let Some(reason) = harvest.stop(true) {
                prop_assert!((0.0..=1.0).contains(&reason.harvest));
            }
        }
    }
}
