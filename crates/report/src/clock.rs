//! When processes worked on the crawl, and why the last one stopped.
//!
//! In the journals of several nodes, read as one, processes work at the same time. A crawl of many
//! machines works while any of them does, so there the spans are put over each other, not added up.

use std::collections::BTreeMap;

use archive::{Event, Record};
use outcome::StopReason;
use serde::{Deserialize, Serialize};

/// The fold over starts and stops.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Clock {
    first_ms: Option<u64>,
    last_ms: u64,
    /// When the last record was written that is no news of other nodes: of these a start may take some in before
    /// it says that it began.
    #[serde(default)]
    worked_ms: u64,
    /// How often a process began.
    pub starts: u64,
    /// When the process began that has not said yet that it stopped.
    open_since_ms: Option<u64>,
    ran_ms: u64,
    /// The last stop's reason and detail; none while a process runs or after it was killed.
    pub stop: Option<(StopReason, Option<String>)>,
    nodes: Nodes,
}

/// Nodes that write nothing for so long are taken to be dead.
const SILENCE_MS: u64 = 60_000;

/// When the nodes of a crawl on many machines worked.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Nodes {
    /// Since when each node works; none that has said that it stopped.
    open: BTreeMap<u16, Option<u64>>,
    /// Since when any does.
    since_ms: u64,
    worked_ms: u64,
}

impl Nodes {
    fn is_working(&self) -> bool {
        self.open.values().any(Option::is_some)
    }

    /// A node begins. One that was killed never said that it stopped, and other records do not tell whose
    /// they are. But nodes that work write all the time: before a start that follows a silence none did.
    fn start(&mut self, node: u16, before_ms: u64, at_ms: u64) {
        if !self.is_working() {
            self.since_ms = at_ms;
        } else if at_ms.saturating_sub(before_ms) > SILENCE_MS {
            self.worked_ms += before_ms.saturating_sub(self.since_ms);
            self.since_ms = at_ms;
        }
        self.open.insert(node, Some(at_ms));
    }

    /// A stop does not name its node: it is the one that began when the stop says.
    fn stop(&mut self, began_ms: u64, at_ms: u64) {
        let working = self.open.iter_mut().filter(|(_, since)| since.is_some());
        let nearest = working.min_by_key(|(_, since)| since.unwrap_or_default().abs_diff(began_ms));
        if let Some((_, since)) = nearest {
            *since = None;
            if !self.is_working() {
                self.worked_ms += at_ms.saturating_sub(self.since_ms);
            }
        }
    }

    fn worked_ms(&self, last_ms: u64) -> u64 {
        let open = match self.is_working() {
            true => last_ms.saturating_sub(self.since_ms),
            false => 0,
        };
        self.worked_ms.saturating_add(open)
    }
}

impl Clock {
    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        self.first_ms.get_or_insert(record.at_ms);
        let before = self.worked_ms;
        self.last_ms = self.last_ms.max(record.at_ms);
        match &record.event {
            Event::Start(start) => {
                if let Some(node) = &start.node {
                    self.nodes.start(node.number, before, record.at_ms);
                }
                // A process that never said so was killed: it worked until its last record.
                if let Some(since) = self.open_since_ms.replace(record.at_ms) {
                    self.ran_ms += before.saturating_sub(since);
                }
                self.starts += u64::from(!start.goes_on);
                self.stop = None;
            }
            Event::Stop(stop) => {
                let began_ms = record.at_ms.saturating_sub(stop.ran_ms);
                self.nodes.stop(began_ms, record.at_ms);
                self.open_since_ms = None;
                self.ran_ms = self.ran_ms.saturating_add(stop.ran_ms);
                self.stop = Some((stop.reason.clone(), stop.detail.clone()));
            }
            Event::Seed(_)
            | Event::Robots(_)
            | Event::Sitemap(_)
            | Event::Attempt(_)
            | Event::Page(_)
            | Event::Retry(_)
            | Event::Again(_)
            | Event::Elsewhere(_)
            | Event::Visit(_) => {}
        }
        if !matches!(record.event, Event::Elsewhere(_)) {
            self.worked_ms = self.worked_ms.max(record.at_ms);
        }
    }

    /// Times of the first and the last record.
    pub(crate) fn span_ms(&self) -> Option<(u64, u64)> {
        self.first_ms.map(|first| (first, self.last_ms))
    }

    /// Seconds in which a process worked.
    pub fn duration_s(&self) -> f64 {
        if self.nodes.open.len() > 1 {
            return self.nodes.worked_ms(self.last_ms) as f64 / 1000.0;
        }
        let open = self
            .open_since_ms
            .map_or(0, |since| self.last_ms.saturating_sub(since));
        self.ran_ms.saturating_add(open) as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use archive::{NodeRecord, StartRecord, StopRecord};

    use super::*;

    fn start(node: u16) -> Event {
        Event::Start(StartRecord {
            node: Some(NodeRecord {
                crawl: "c".into(),
                number: node,
            }),
            ..StartRecord::default()
        })
    }

    fn stop(ran_ms: u64) -> Event {
        Event::Stop(StopRecord {
            reason: StopReason::Drained,
            ran_ms,
            ..StopRecord::default()
        })
    }

    fn seconds(events: Vec<(u64, Event)>) -> f64 {
        let mut clock = Clock::default();
        for (at_ms, event) in events {
            let seq = 0;
            clock.add(&Record { seq, at_ms, event });
        }
        clock.duration_s()
    }

    #[test]
    fn nodes_that_work_at_the_same_time_are_one_span() {
        let both = vec![
            (0, start(1)),
            (4_000, start(2)),
            (10_000, stop(10_000)),
            (12_000, stop(8_000)),
            (20_000, start(1)),
            (25_000, stop(5_000)),
        ];
        assert!((seconds(both) - 17.0).abs() < 1e-9);
    }

    #[test]
    fn a_node_that_was_killed_worked_as_long_as_there_are_records() {
        let killed = vec![(0, start(1)), (1_000, start(2)), (9_000, stop(8_000))];
        assert!((seconds(killed) - 9.0).abs() < 1e-9);
        let both_killed = vec![
            (0, start(1)),
            (1_000, start(2)),
            (500_000, start(2)),
            (501_000, start(1)),
            (503_000, stop(2_000)),
            (900_000, start(1)),
            (901_000, stop(1_000)),
        ];
        assert!((seconds(both_killed) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn a_node_that_was_killed_did_not_work_until_it_had_news_of_others() {
        let news = || Event::Elsewhere(archive::ElsewhereRecord::default());
        let killed = vec![
            (0, start(1)),
            (1_000, news()),
            (4_000, Event::Seed(archive::SeedRecord::default())),
            (24_000, news()),
            (24_001, start(1)),
            (26_001, stop(2_000)),
        ];
        assert!((seconds(killed) - 6.0).abs() < 1e-9);
    }

    #[test]
    fn runs_of_one_command_are_one_start() {
        let mut clock = Clock::default();
        for goes_on in [false, true, false] {
            let start = StartRecord {
                goes_on,
                ..StartRecord::default()
            };
            clock.add(&Record {
                seq: 0,
                at_ms: 0,
                event: Event::Start(start),
            });
        }
        assert_eq!(clock.starts, 2);
    }

    #[test]
    fn starts_of_one_machine_are_added_up() {
        let alone = vec![
            (0, Event::Start(StartRecord::default())),
            (2_000, stop(2_000)),
            (10_000, Event::Start(StartRecord::default())),
            (11_500, stop(1_500)),
        ];
        assert!((seconds(alone) - 3.5).abs() < 1e-9);
    }
}
