//! Figures for who looks at a crawl each second: without lists, so they cost the same for a large one.

use std::collections::BTreeMap;

use outcome::{JunkReason, StopReason};

use crate::fates::Counts;
use crate::harvest::Point;
use crate::tally::Tally;

/// The report's main figures, each as the report has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    /// How many URLs are where.
    pub totals: Counts,
    /// Why the last process stopped.
    pub stop_reason: Option<StopReason>,
    /// The same in words.
    pub stop_detail: Option<String>,
    /// Seconds in which a process worked.
    pub duration_s: f64,
    /// Bytes of all bodies received: the sum over the hosts.
    pub bytes: u64,
    /// Pages dropped as duplicates.
    pub duplicates: u64,
    /// Pages dropped, by reason.
    pub junk: BTreeMap<String, u64>,
    /// Pages read and kept as the crawl went on.
    pub curve: Vec<Point>,
}

impl Tally {
    /// The main figures so far.
    pub fn glance(&self) -> Glance {
        let junk = self.reasons.report().junk;
        let dropped = |reason: JunkReason| junk.get(reason.name()).copied().unwrap_or(0);
        let duplicates = dropped(JunkReason::NearDuplicate) + dropped(JunkReason::ExactDuplicate);
        let (stop_reason, stop_detail) = self.clock.stop.clone().unzip();
        Glance {
            totals: self.totals,
            stop_reason,
            stop_detail: stop_detail.flatten(),
            duration_s: self.clock.duration_s(),
            bytes: self.fetches.bytes,
            duplicates,
            junk,
            curve: self.harvest.harvest(None).curve,
        }
    }

    /// Hosts with URLs that wait, the fullest first, at most so many.
    pub fn pending_hosts(&self, max: usize) -> Vec<(String, u64)> {
        let rows = self.hosts.rows.iter();
        let mut hosts: Vec<(String, u64)> = rows
            .filter(|row| row.counts.pending > 0)
            .map(|row| (row.name.clone(), row.counts.pending))
            .collect();
        hosts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        hosts.truncate(max);
        hosts
    }
}
