//! How much may be under way at once: leases, connections, bytes, and the budgets of the crawl.

use frontier::Lease;
use state::context::is_visit;

use super::{LEASES_AHEAD, LEASES_AHEAD_OF_LEDGER, VISITS_AHEAD};
use crate::config::CrawlConfig;
use crate::handles;

/// What bounds the leases: what is under way, and what the budgets leave.
#[derive(Debug)]
pub(super) struct Room {
    connections: usize,
    pub(super) leases_max: usize,
    /// Leases of visits beyond these that may be out.
    pub(super) visits_ahead: usize,
    bytes_max: u64,
    /// None for no limit.
    pub(super) pages_max: Option<u64>,
    pub(super) leases: usize,
    /// Those of them that are of URLs that are visited again.
    pub(super) again: usize,
    pub(super) visits: usize,
    /// Answers to robots.txt that are asked for or not recorded yet: sitemaps may come with them.
    pub(super) robots: usize,
    /// Those of them that wait for their turn at the host where they have moved to.
    pub(super) robots_moved: usize,
    pub(super) bytes: u64,
    pub(super) pages: u64,
}

impl Room {
    pub(super) fn new(config: &CrawlConfig, (pages, pages_max): (u64, u64), is_node: bool) -> Self {
        let connections = handles::connections(config);
        // One connection keeps one lease at a time from request to record, so that such a crawl has
        // one order only; and a topic wants the best URL by all that was read so far.
        let has_order = connections == 1 || config.topic.is_some();
        Self {
            connections,
            leases_max: connections
                + match (has_order, is_node) {
                    (true, _) => 0,
                    (false, false) => LEASES_AHEAD,
                    (false, true) => LEASES_AHEAD_OF_LEDGER,
                },
            visits_ahead: match has_order {
                true => 0,
                false => VISITS_AHEAD,
            },
            bytes_max: config.memory_shares().bytes_in_flight,
            pages_max: (pages_max > 0).then_some(pages_max),
            leases: 0,
            again: 0,
            visits: 0,
            robots: 0,
            robots_moved: 0,
            bytes: 0,
            pages,
        }
    }

    /// Whether one more URL may be leased.
    pub(super) fn has_room(&self) -> bool {
        // A host may be asked once its robots.txt is recorded. Whether that is so when the connection is
        // free depends on the moment, so an order that is to be the same each time waits for it.
        let awaits_robots = self.connections == 1 && self.robots > self.robots_moved;
        !awaits_robots
            && self.visits < self.connections
            && self.leases < self.leases_max + self.again.min(self.visits_ahead)
            && self.has_pages()
            && self.bytes < self.bytes_max
    }

    /// Counts a lease.
    pub(super) fn lease(&mut self, lease: &Lease) {
        self.leases += 1;
        self.again += usize::from(is_visit(&lease.url().context));
    }

    /// Whether the budget of pages has one that nothing under way may take.
    pub(super) fn has_pages(&self) -> bool {
        let pages_left = self
            .pages_max
            .map_or(u64::MAX, |max| max.saturating_sub(self.pages));
        (self.leases as u64) < pages_left
    }

    pub(super) fn is_used_up(&self) -> bool {
        self.pages_max.is_some_and(|max| self.pages >= max)
    }

    /// Whether nothing is under way.
    pub(super) fn is_quiet(&self) -> bool {
        self.leases == 0 && self.visits == 0 && self.robots == 0
    }
}
