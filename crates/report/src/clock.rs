//! When processes worked on the crawl, and why the last one stopped.

use archive::{Event, Record};
use outcome::StopReason;
use serde::{Deserialize, Serialize};

/// The fold over starts and stops.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Clock {
    first_ms: Option<u64>,
    last_ms: u64,
    /// How often a process began.
    pub starts: u64,
    /// When the process began that has not said yet that it stopped.
    open_since_ms: Option<u64>,
    ran_ms: u64,
    /// The last stop's reason and detail; none while a process runs or after it was killed.
    pub stop: Option<(StopReason, Option<String>)>,
}

impl Clock {
    /// Reads the next record.
    pub fn add(&mut self, record: &Record) {
        self.first_ms.get_or_insert(record.at_ms);
        let before = self.last_ms;
        self.last_ms = self.last_ms.max(record.at_ms);
        match &record.event {
            Event::Start(_) => {
                // A process that never said so was killed: it worked until its last record.
                if let Some(since) = self.open_since_ms.replace(record.at_ms) {
                    self.ran_ms += before.saturating_sub(since);
                }
                self.starts += 1;
                self.stop = None;
            }
            Event::Stop(stop) => {
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
    }

    /// Times of the first and the last record.
    pub(crate) fn span_ms(&self) -> Option<(u64, u64)> {
        self.first_ms.map(|first| (first, self.last_ms))
    }

    /// Seconds in which a process worked.
    pub fn duration_s(&self) -> f64 {
        let open = self
            .open_since_ms
            .map_or(0, |since| self.last_ms.saturating_sub(since));
        self.ran_ms.saturating_add(open) as f64 / 1000.0
    }
}
