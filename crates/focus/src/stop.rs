//! When to stop: the harvest has stayed low for long enough.
//!
//! A crawl in best-first order finds most of what it will find early; then it reads ever less
//! likely pages until its budget ends. The rule "of the last `window` pages fewer than
//! `harvest_min` were relevant and new" ends it. The window must be wide enough that a lull is not
//! an end, so it grows with the crawl: a crawl that still finds something every hundred pages
//! after thousands is not stopped by a quiet hundred.
//!
//! The same rule with its own numbers ends single hosts.

use std::collections::VecDeque;

use hashbrown::HashMap;
use xxhash_rust::xxh3::xxh3_64;

/// Hosts whose harvest is remembered; more are never stopped.
const HOSTS_MAX: usize = 100_000;

/// Settings of the stop rules.
#[derive(Debug, Clone)]
pub struct StopConfig {
    /// Stop when a smaller share than this of the last pages was relevant and new. 0.0 turns the
    /// rules off.
    pub harvest_min: f32,
    /// Stop also when the last pages yielded less than this share of what the crawl has yielded
    /// on average: what is left is then a trickle.
    pub trickle: f32,
    /// The crawl's rule looks at this many last pages at least.
    pub window: u32,
    /// And at this share of all its pages at least.
    pub window_share: f32,
    /// A host's rule looks at this many of its last pages.
    pub host_window: u32,
    /// A host stops below this harvest over its window.
    pub host_harvest_min: f32,
}

impl Default for StopConfig {
    fn default() -> Self {
        StopConfig {
            harvest_min: 0.02,
            trickle: 0.2,
            window: 120,
            window_share: 0.25,
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
    /// The window in pages.
    pub window: u32,
    /// The harvest below which the rule fires.
    pub harvest_min: f32,
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "harvest over the last {} pages is {:.2} %, under {:.2} %",
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
    /// Gains of the last pages, newest last; at most as long as the widest window so far.
    recent: VecDeque<f32>,
    recent_sum: f64,
    pages: u64,
    gained: f64,
    hosts: HashMap<u64, HostHarvest>,
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
            recent: VecDeque::new(),
            recent_sum: 0.0,
            pages: 0,
            gained: 0.0,
            hosts: HashMap::new(),
        }
    }

    /// Counts a page: `gain` is 1.0 for a page relevant and new, 0.0 for any other.
    pub fn observe(&mut self, host: &str, gain: f32) {
        let gain = if gain.is_finite() {
            gain.clamp(0.0, 1.0)
        } else {
            0.0
        };
        self.pages += 1;
        self.gained += f64::from(gain);
        self.recent.push_back(gain);
        self.recent_sum += f64::from(gain);
        while self.recent.len() > self.window() {
            self.recent_sum -= f64::from(self.recent.pop_front().unwrap_or_default());
        }
        let key = xxh3_64(host.as_bytes());
        if self.hosts.len() < HOSTS_MAX || self.hosts.contains_key(&key) {
            let host = self.hosts.entry(key).or_default();
            host.pages += 1;
            let memory = (host.pages as f32).min(self.config.host_window.max(1) as f32);
            host.mean += (gain - host.mean) / memory;
        }
    }

    fn window(&self) -> usize {
        let share =
            (self.pages as f64 * f64::from(self.config.window_share.clamp(0.0, 1.0))) as u64;
        share.max(u64::from(self.config.window.max(1))).min(1 << 20) as usize
    }

    /// Pages counted.
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// Pages relevant and new.
    pub fn gained(&self) -> f64 {
        self.gained
    }

    /// Why the crawl should stop, if it should.
    pub fn stop(&self) -> Option<StopReason> {
        let window = self.window();
        if self.recent.len() < window || self.config.harvest_min <= 0.0 {
            return None;
        }
        let harvest = (self.recent_sum / window as f64).max(0.0) as f32;
        let average = (self.gained / self.pages.max(1) as f64) as f32;
        let harvest_min = self.config.harvest_min.max(self.config.trickle * average);
        (harvest < harvest_min).then_some(StopReason {
            harvest,
            window: window as u32,
            harvest_min,
        })
    }

    /// Why a host should stop, if it should.
    pub fn stop_host(&self, host: &str) -> Option<StopReason> {
        let harvest = self.hosts.get(&xxh3_64(host.as_bytes()))?;
        let over = harvest.pages >= u64::from(self.config.host_window)
            && harvest.mean < self.config.host_harvest_min;
        over.then_some(StopReason {
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

    #[test]
    fn a_crawl_that_finds_nothing_stops_after_its_window() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for _ in 0..119 {
            harvest.observe("a.example", 0.0);
            assert_eq!(harvest.stop(), None);
        }
        harvest.observe("a.example", 0.0);
        assert_eq!(harvest.stop().unwrap().window, 120);
    }

    #[test]
    fn a_find_now_and_then_keeps_a_crawl_alive() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..3_000 {
            harvest.observe("a.example", f32::from(u8::from(page % 40 == 0)));
        }
        assert_eq!(harvest.stop(), None);
    }

    #[test]
    fn a_barren_host_stops_and_its_neighbour_does_not() {
        let mut harvest = Harvest::new(&StopConfig::default());
        for page in 0..400 {
            harvest.observe("barren.example", 0.0);
            harvest.observe("good.example", f32::from(u8::from(page % 3 == 0)));
        }
        assert!(harvest.stop_host("barren.example").is_some());
        assert_eq!(harvest.stop_host("good.example"), None);
        assert_eq!(harvest.stop_host("new.example"), None);
    }

    proptest! {
        #[test]
        fn the_harvest_is_a_share_whatever_comes(gains in prop::collection::vec(any::<f32>(), 0..600)) {
            let mut harvest = Harvest::new(&StopConfig { harvest_min: 2.0, ..StopConfig::default() });
            for gain in gains {
                harvest.observe("a.example", gain);
            }
            if let Some(reason) = harvest.stop() {
                prop_assert!((0.0..=1.0).contains(&reason.harvest));
            }
        }
    }
}
