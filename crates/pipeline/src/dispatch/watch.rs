//! What the dispatcher tells of itself: progress, and a standstill with the hosts that wait.

use std::time::{Duration, Instant};

use super::Dispatcher;
use crate::progress::HostProgress;

/// Hosts shown to watchers.
const HOSTS_SHOWN: usize = 20;

/// Hosts named when the crawl stands still.
const HOSTS_TOLD: usize = 5;

impl Dispatcher {
    /// Tells when the crawl stands still.
    pub(super) fn watch(&mut self) {
        let now = Instant::now();
        if self.stop.is_paused() {
            self.watchdog.moved(now);
        }
        if let Some(still) = self.watchdog.due(now) {
            self.tell_standstill(still, now);
        }
    }

    fn tell_standstill(&self, still: Duration, now: Instant) {
        let (pending, hosts) = {
            let frontier = &self.queue.lock().frontier;
            (frontier.counts().pending, frontier.hosts(HOSTS_TOLD, now))
        };
        let hosts: Vec<String> = hosts
            .into_iter()
            .map(|host| {
                let (pending, next_in) = (host.pending, host.next_in.as_secs());
                format!("{}: {pending} URLs, {}, {next_in} s", host.host, host.why)
            })
            .collect();
        let room = &self.room;
        let words = format!(
            "nothing has moved for {} s though {pending} URLs wait: {} requests are out, {} URLs and \
             {} answers to robots.txt are being read or written, {} bytes are in memory; hosts: {}",
            still.as_secs(),
            room.visits,
            room.leases,
            room.robots,
            room.bytes,
            hosts.join("; "),
        );
        // Hosts that asked for a long wait are no fault.
        match room.is_quiet() {
            true => tracing::info!("{words}"),
            false => tracing::warn!("{words}"),
        }
    }

    /// Shows the hosts to watchers.
    pub(super) fn show(&self, is_ending: bool) {
        let hosts = self
            .queue
            .lock()
            .frontier
            .hosts(HOSTS_SHOWN, Instant::now());
        self.progress.measure(Instant::now());
        self.progress.show(&self.stop, is_ending, |shown| {
            shown.in_flight = self.room.visits as u64;
            shown.running_ms = self.stop.running().as_millis() as u64;
            let budget = self.node.as_ref().map(|shared| shared.budget());
            (shown.max_pages, shown.pages_of_all) = match budget {
                None => (self.config.crawl.max_pages, None),
                Some(budget) => budget.map_or((0, None), |(max, pages)| (max, Some(pages))),
            };
            shown.max_time_ms = self.config.crawl.max_time.0.as_millis() as u64;
            shown.hosts = hosts
                .into_iter()
                .map(|host| HostProgress {
                    host: host.host.to_string(),
                    pending: host.pending,
                    next_in_s: host.next_in.as_secs_f64(),
                    why: host.why.to_string(),
                })
                .collect();
        });
    }
}
