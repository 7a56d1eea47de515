//! `[politeness]`: how gently.

use std::time::Duration;

use frontier::FrontierConfig;

use super::dedup::LearntRule;
use crate::crawl_config::CrawlConfig;
use crate::rule::{any, at_least, between};
use crate::section::{Section, keys};
use crate::units::Span;

keys! {
    /// How gently.
    pub struct PolitenessSection {
        /// Between requests to one host; robots.txt may ask for more.
        delay: Span = Span(frontier().delay), any();

        /// Requests to one host at once.
        connections_per_host: usize = frontier().connections_per_host,
            at_least(1).unit("connections");

        /// Requests to one address at once, over all hosts there.
        connections_per_address: usize = frontier().connections_per_address,
            at_least(1).unit("connections");

        /// Obey robots.txt.
        obey_robots: bool = true, any();

        /// Longest Crawl-delay that is obeyed; a longer one counts as this.
        max_crawl_delay: Span = Span(frontier().crawl_delay_max), any();

        /// Longest Retry-After that is waited for; a longer one counts as this.
        max_retry_after: Span = Span(frontier().retry_after_max), any();

        /// Longest outage of a robots.txt (5xx, 429, no answer); after it the host counts as closed.
        max_robots_outage: Span = Span::seconds(24 * 3_600), any();

        /// A host that gives no answer for so long is given up, sooner when nothing else is left.
        dead_host_after: Span = Span(frontier().dead_host_after), any().zero("never");

        /// First rest of a host that answers with walls (30 % of its last answers, those that ask for a
        /// login left out); doubled each time, and after the third it is asked no more.
        wall_rest: Span = Span::seconds(600), any().zero("never");

        /// Tries of one URL before it counts as failed; four times as many, unless it is 1, of one that
        /// is answered with 429 while its host answers others.
        attempts: u32 = 4, at_least(1).unit("tries")
            .mend("choose at least 1: the first try counts");

        /// First wait before a try is repeated; doubled each time.
        retry_delay: Span = Span::seconds(2), any();

        /// Requests per second over all hosts.
        requests_per_second: f64 = 0.0, between(0.0, 1e6).zero("no limit");
    }
}

impl Section for PolitenessSection {}

/// The frontier's own defaults.
fn frontier() -> FrontierConfig {
    FrontierConfig::default()
}

impl CrawlConfig {
    /// How the frontier works.
    pub fn frontier_config(&self) -> FrontierConfig {
        let (politeness, limits) = (&self.politeness, &self.limits);
        let shares = self.memory_shares();
        FrontierConfig {
            delay: politeness.delay.0,
            connections_per_host: politeness.connections_per_host,
            connections_per_address: politeness.connections_per_address,
            looks_up: true,
            crawl_delay_max: politeness.max_crawl_delay.0,
            retry_after_max: politeness.max_retry_after.0,
            dead_host_after: politeness.dead_host_after.0,
            patience: self
                .topic
                .as_ref()
                .map_or(Duration::ZERO, |topic| topic.patience.0),
            hosts: self.limits_by_host().collect(),
            urls_per_host: limits.urls_per_host,
            hosts_max: limits.hosts,
            hosts_per_domain: limits.hosts_per_domain,
            pending_in_memory: shares.pending_in_memory,
            slots_in_memory: shares
                .pending_in_memory
                .saturating_mul(frontier::SLOTS_PER_URL),
            seen_in_memory: shares.seen_in_memory,
            ignores_parameters: self.dedup.idle_parameters != LearntRule::Off,
        }
    }
}
