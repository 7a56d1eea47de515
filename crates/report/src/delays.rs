//! The delay between two requests to a host, as the configuration in force and robots.txt have it.

use std::collections::HashMap;
use std::time::Duration;

use config::CrawlConfig;

/// Delays by host.
#[derive(Debug, Default)]
pub(crate) struct Delays {
    everywhere_s: f64,
    by_host_s: HashMap<String, f64>,
    asked_max_s: Option<f64>,
}

/// A host's delay and whose wish it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Delay {
    /// Seconds.
    pub seconds: f64,
    /// It is robots.txt's Crawl-delay, longer than our own.
    pub is_asked_for: bool,
}

impl Delays {
    /// The delays of a start's configuration.
    pub(crate) fn of_config(config: &CrawlConfig) -> Delays {
        let politeness = &config.politeness;
        Delays {
            everywhere_s: politeness.delay.0.as_secs_f64(),
            by_host_s: config.delays_by_host().map(in_seconds).collect(),
            asked_max_s: Some(politeness.max_crawl_delay.0.as_secs_f64()),
        }
    }

    /// The delay of a host whose robots.txt asks for so many seconds, if it does.
    pub(crate) fn of(&self, host: &str, asked_s: Option<f64>) -> Delay {
        let own = self
            .by_host_s
            .get(host)
            .copied()
            .unwrap_or(self.everywhere_s);
        let asked = asked_s
            .unwrap_or(0.0)
            .min(self.asked_max_s.unwrap_or(f64::MAX));
        Delay {
            seconds: own.max(asked),
            is_asked_for: asked > own,
        }
    }
}

fn in_seconds((host, delay): (String, Duration)) -> (String, f64) {
    (host, delay.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_wish_counts_and_a_host_may_have_its_own() {
        let recorded = CrawlConfig::recorded(&serde_json::json!({
            "politeness": {"delay": "500ms", "max_crawl_delay": "1min"},
            "host": {"slow.test": {"delay": "3s"}, "other.test": {"max_pages": 4}},
        }));
        let delays = Delays::of_config(&recorded.config);
        let of = |host: &str, asked| {
            let delay = delays.of(host, asked);
            (delay.seconds, delay.is_asked_for)
        };
        assert_eq!(of("a.test", None), (0.5, false));
        assert_eq!(of("a.test", Some(2.0)), (2.0, true));
        assert_eq!(of("a.test", Some(7200.0)), (60.0, true));
        assert_eq!(of("slow.test", Some(2.0)), (3.0, false));
        assert_eq!(of("other.test", None), (0.5, false));
        assert_eq!(Delays::default().of("a.test", None).seconds, 0.0);
    }
}
