//! What a crawl is doing, for those who watch it.
//!
//! One [`Progress`] is shared by the crawl's threads and its watchers (the progress line, the
//! control socket). The writer updates it once per group of records, the dispatcher its view of
//! the hosts once a second; a watcher takes a copy.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::again::Staleness;
use outcome::{Outlook, StopReason};
use serde::{Deserialize, Serialize};
use state::Counts;

use crate::onlooker::Onlooker;
use crate::stop::StopHandle;

/// Over how long the shown rate is taken.
const RATE_WINDOW: Duration = Duration::from_secs(10);

/// A copy of the crawl's counters at one moment. Counters are over all starts of the crawl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// `starting`, `loading`, `replaying`, `running`, `paused`, `stopping` or `stopped`; `waiting` between
    /// two rounds of a crawl that comes back all the time.
    pub state: String,
    /// Records of the journal read so far, while it is replayed.
    pub replayed: u64,
    /// Records to be read then.
    pub to_replay: u64,
    /// Finished URLs, of any outcome.
    pub finished: u64,
    /// Finished URLs for which a fetch was made.
    pub pages: u64,
    /// Pages kept.
    pub indexed: u64,
    /// Pages dropped, by reason.
    pub junk: BTreeMap<String, u64>,
    /// URLs that could not be had.
    pub failed: u64,
    /// URLs we did not ask for.
    pub refused: u64,
    /// URLs that pointed elsewhere.
    pub redirected: u64,
    /// URLs unchanged since they were last read.
    pub not_modified: u64,
    /// URLs known and not finished.
    pub pending: u64,
    /// URLs ever admitted.
    pub admitted: u64,
    /// Fetches under way.
    pub in_flight: u64,
    /// Bytes received in this start; over all starts for a crawl that is stopped, as are
    /// `running_ms` and `rate`.
    pub bytes: u64,
    /// Pages finished in this start.
    pub pages_this_start: u64,
    /// Visits to URLs that were finished before, made in this start.
    pub visits_this_start: u64,
    /// URLs refused in this start for their address: private, loopback or link-local.
    #[serde(skip)]
    pub guarded_this_start: u64,
    /// URLs that learnt rules refused unread.
    #[serde(skip)]
    pub refused_unread: u64,
    /// Links that were not followed since they lead deeper than the crawl goes.
    #[serde(skip)]
    pub too_deep: u64,
    /// The text of a kept page is there no longer, and its copies wait to be judged anew.
    pub copies_wait: bool,
    /// The feeds and sitemaps of a round were planned, and its pages were not yet.
    pub pages_unplanned: bool,
    /// Milliseconds since this start.
    pub running_ms: u64,
    /// How stale the kept pages are believed to be; none for a crawl that runs, or has never come back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<Staleness>,
    /// With a topic, what is left to find, as of when the queue was scored last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outlook: Option<Outlook>,
    /// Pages per second over the last ten seconds or so.
    pub rate: f64,
    /// Finished pages at which the crawl stops; 0 for no limit.
    pub max_pages: u64,
    /// On many machines, pages that all nodes together have fetched of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_of_all: Option<u64>,
    /// Milliseconds of this start at which the crawl stops; 0 for no limit.
    pub max_time_ms: u64,
    /// How the copies of archive files stand, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uploads: Option<offsite::Told>,
    /// Hosts with most pending URLs.
    pub hosts: Vec<HostProgress>,
    /// Why it stopped, once it has.
    pub stop_reason: Option<StopReason>,
    /// The last URL recorded.
    pub last_url: String,
}

impl Snapshot {
    /// Pages dropped, over all reasons.
    pub fn dropped(&self) -> u64 {
        self.junk.values().sum()
    }

    /// Sets the state. Where no new request goes out, hosts wait for that and for nothing else.
    pub fn set_state(&mut self, state: &str) {
        self.state = state.into();
        if matches!(state, "paused" | "stopping" | "stopped") {
            for host in self.hosts.iter_mut().filter(|host| host.why != IN_FLIGHT) {
                host.next_in_s = 0.0;
                host.why = state.into();
            }
        }
    }
}

/// Why a host waits whose request is under way.
const IN_FLIGHT: &str = "in flight";

/// One host's queue.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HostProgress {
    /// Host key.
    pub host: String,
    /// URLs that wait.
    pub pending: u64,
    /// Seconds until the next request may go out.
    pub next_in_s: f64,
    /// Why it waits: `delay`, `crawl-delay`, `retry-after`, `back-off`, `in flight`, `robots`, ...,
    /// or `paused`, `stopping`, `stopped`, when no new request goes out at all.
    pub why: String,
}

/// The shared counters.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    inner: Arc<Mutex<Snapshot>>,
    recent: Arc<Mutex<VecDeque<(Instant, u64)>>>,
    onlooker: Onlooker,
}

impl Progress {
    /// Counters of a crawl whose records are handed to an onlooker as well.
    pub fn with_onlooker(onlooker: &Onlooker) -> Self {
        Self {
            onlooker: onlooker.clone(),
            ..Self::default()
        }
    }

    /// Who is handed the records.
    pub(crate) fn onlooker(&self) -> &Onlooker {
        &self.onlooker
    }

    /// A copy of the counters.
    pub fn snapshot(&self) -> Snapshot {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Shows the crawl's counters, with what came in this start: bytes, pages, and visits to known ones.
    pub fn show_counts(
        &self,
        counts: &Counts,
        bytes: u64,
        (pages_this_start, visits_this_start): (u64, u64),
    ) {
        self.update(|shown| {
            shown.finished = counts.finished;
            shown.pages = counts.pages;
            shown.indexed = counts.indexed;
            let junk = counts.junk.iter();
            shown.junk = junk
                .map(|(reason, count)| (reason.name().to_owned(), *count))
                .collect();
            shown.failed = counts.failed;
            shown.refused = counts.refused;
            (shown.refused_unread, shown.too_deep) = (counts.refused_unread, counts.too_deep());
            shown.redirected = counts.redirected;
            shown.not_modified = counts.not_modified;
            shown.admitted = counts.admitted;
            shown.pending = counts.pending();
            shown.bytes = bytes;
            shown.pages_this_start = pages_this_start;
            shown.visits_this_start = visits_this_start;
            shown.copies_wait = counts.copies_wait;
            shown.pages_unplanned = counts.pages_unplanned;
            shown.last_url.clone_from(&counts.last_url);
        });
    }

    /// Takes the rate again from the pages of the last seconds: also when none came.
    pub fn measure(&self, now: Instant) {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        self.update(|shown| {
            recent.push_back((now, shown.pages_this_start));
            while recent.len() > 2 && now.duration_since(recent[0].0) > RATE_WINDOW {
                recent.pop_front();
            }
            let (from, first) = recent[0];
            let pages = shown.pages_this_start.saturating_sub(first);
            shown.rate = pages as f64 / now.duration_since(from).as_secs_f64().max(1.0);
        });
    }

    /// Changes the counters and sets the state of a crawl that runs. Whether it was paused or told
    /// to stop is asked when nobody else can change what is shown: a pause in between would be
    /// shown as running once more.
    pub(crate) fn show(
        &self,
        stop: &StopHandle,
        is_ending: bool,
        change: impl FnOnce(&mut Snapshot),
    ) {
        self.update(|shown| {
            change(shown);
            // A run that ends for its time is followed by the next one.
            let is_last = is_ending && !stop.is_time_up();
            shown.set_state(if is_last || stop.is_stopping() {
                "stopping"
            } else if stop.is_paused() {
                "paused"
            } else {
                "running"
            });
        });
    }

    /// Changes the counters.
    pub fn update(&self, change: impl FnOnce(&mut Snapshot)) {
        change(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_pauses_or_stops_while_the_crawl_is_shown_is_not_overwritten() {
        let (progress, stop) = (Progress::default(), StopHandle::default());
        let shown = |change: fn(&StopHandle)| {
            progress.show(&stop, false, |_| change(&stop));
            progress.snapshot().state
        };
        assert_eq!(shown(|_| {}), "running");
        assert_eq!(shown(|stop| stop.set_paused(true)), "paused");
        assert_eq!(shown(|stop| stop.set_paused(false)), "running");
        progress.show(&stop, true, |_| {});
        assert_eq!(progress.snapshot().state, "stopping");
        stop.set_until(Some(Instant::now()));
        progress.show(&stop, true, |_| {});
        assert_eq!(progress.snapshot().state, "running", "the next run follows");
        assert_eq!(shown(StopHandle::stop), "stopping");
    }
}
