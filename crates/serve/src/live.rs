//! What a crawl does at this moment: asked through its control socket, once for all watchers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use pipeline::control::{Request, ask};
use pipeline::progress::Snapshot;
use serde::Serialize;
use utoipa::ToSchema;

use crate::follow::{Follower, View};

/// Pages in the list of what was kept last.
const LATEST_MAX: usize = 8;

/// Hosts in the list of those that wait.
const WAITING_MAX: usize = 20;

/// Points of the curve that watchers draw.
const POINTS_MAX: usize = 120;

/// What a crawl does now, with its counters. Counters follow the journal, so they agree with the
/// report; they are over all starts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Status {
    /// `starting`, `loading`, `replaying`, `running`, `paused`, `stopping`, `stopped`, or `in_use` where
    /// another command works on the directory.
    pub state: String,
    /// Why the last process stopped; none while one runs, or when one was killed.
    pub stop_reason: Option<String>,
    /// The same in words.
    pub stop_detail: Option<String>,
    /// Why the journal cannot be read on, if it cannot.
    pub problem: Option<String>,
    /// The number of the last record of the journal that these counters hold.
    pub record: u64,
    /// URLs ever admitted; `pending + finished`.
    pub admitted: u64,
    /// URLs that wait.
    pub pending: u64,
    /// URLs finished, of any fate; the sum of the six that follow.
    pub finished: u64,
    /// Pages kept.
    pub kept: u64,
    /// Pages read and dropped.
    pub dropped: u64,
    /// URLs that could not be had.
    pub failed: u64,
    /// URLs not asked for.
    pub refused: u64,
    /// URLs that pointed elsewhere.
    pub redirected: u64,
    /// URLs unchanged since they were last read.
    pub not_modified: u64,
    /// Pages dropped as duplicates, exact ones included.
    pub duplicates: u64,
    /// Fetches under way.
    pub in_flight: u64,
    /// Pages a second over the last ten seconds; 0 for a crawl that does not run.
    pub pages_per_second: f64,
    /// Seconds in which a process worked on the crawl.
    pub duration_seconds: f64,
    /// Bytes of all bodies received: the sum over the hosts.
    pub received_bytes: u64,
    /// Hosts with most URLs that wait, and why they do.
    pub hosts: Vec<WaitingHost>,
    /// Pages kept last, the newest first.
    pub latest: Vec<Latest>,
    /// Pages read and pages kept as the crawl went on.
    pub curve: Vec<CurvePoint>,
    /// Pages dropped, by reason.
    pub dropped_by_reason: BTreeMap<String, u64>,
    /// Links that lead nowhere; null before they were counted, which takes a reading of its own.
    pub broken: Option<BrokenLinks>,
}

/// Links to URLs that failed, answered with an error, or redirect in a circle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct BrokenLinks {
    /// The number of the last record of the journal that was looked at: they are counted less often.
    pub record: u64,
    /// Links.
    pub links: u64,
    /// Pages that they stand on.
    pub pages: u64,
    /// URLs that they lead to.
    pub urls: u64,
}

/// A host that has URLs that wait.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct WaitingHost {
    /// The host.
    pub host: String,
    /// URLs that wait.
    pub pending: u64,
    /// Seconds until the next request may go out.
    pub next_in_seconds: f64,
    /// Why it waits: `delay`, `crawl-delay`, `retry-after`, `back-off`, `in flight`, `robots`, or the crawl's state.
    pub why: String,
}

/// A page that was kept.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct Latest {
    /// The number of its record.
    pub page: u64,
    /// Its title, or its URL where it has none.
    pub title: String,
    /// Its host.
    pub host: String,
    /// When it was asked for, milliseconds since the Unix epoch.
    pub at_ms: u64,
    /// Probability that it is about the topic; none without a topic.
    pub relevance: Option<f64>,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CurvePoint {
    /// Pages read and judged.
    pub pages: u64,
    /// Pages kept among them.
    pub kept: u64,
}

/// The last answer of a running crawl.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    at: Option<Instant>,
    snapshot: Option<Snapshot>,
    in_use: bool,
}

impl Asked {
    /// Asks the crawl, unless that was done within `age_max`.
    pub(crate) fn again(&self, follower: &Follower, age_max: Duration) -> Asked {
        if self.at.is_some_and(|at| at.elapsed() < age_max) {
            return self.clone();
        }
        let dir = follower.dir();
        let snapshot = match ask(dir, &Request::Status) {
            Ok(reply) => reply.map(|reply| reply.snapshot),
            Err(error) => {
                tracing::warn!("cannot ask the running crawl: {error}");
                None
            }
        };
        let in_use = snapshot.is_none() && dir.is_in_use();
        Asked {
            at: Some(Instant::now()),
            snapshot,
            in_use,
        }
    }

    /// Whether a crawl has answered.
    pub(crate) fn is_running(&self) -> bool {
        self.snapshot.is_some()
    }
}

/// The status as of one position of the journal, and by what the running crawl says.
pub(crate) fn status(follower: &Follower, asked: &Asked) -> Status {
    // Asked first: who reads the journal on holds that lock while it waits for the view.
    let problem = follower.problem();
    let broken = broken(follower);
    Status {
        broken,
        ..status_of(&follower.view(), problem, asked)
    }
}

fn status_of(view: &View, problem: Option<String>, asked: &Asked) -> Status {
    let glance = view.tally.glance();
    let totals = glance.totals;
    let latest = view
        .rows
        .iter()
        .rev()
        .filter(|row| row.fate.name() == "kept");
    let latest = latest.take(LATEST_MAX).map(|row| Latest {
        page: row.page,
        title: match row.title.is_empty() {
            true => row.url.to_string(),
            false => row.title.to_string(),
        },
        host: view.rows.names.get(row.host).to_owned(),
        at_ms: row.at_ms,
        relevance: row.relevance.map(two_places),
    });
    let running = asked.snapshot.as_ref();
    let state = match (running, asked.in_use) {
        (Some(snapshot), _) => snapshot.state.clone(),
        (None, true) => "in_use".to_owned(),
        (None, false) => "stopped".to_owned(),
    };
    let hosts = match running {
        Some(snapshot) => snapshot.hosts.iter().map(waiting).collect(),
        None => pending_hosts(view, &state),
    };
    let is_over = running.is_none();
    Status {
        stop_reason: glance
            .stop_reason
            .filter(|_| is_over)
            .map(|reason| reason.name().to_owned()),
        stop_detail: glance.stop_detail.filter(|_| is_over),
        state,
        problem,
        record: view.last_seq,
        admitted: totals.admitted,
        pending: totals.pending,
        finished: totals.finished,
        kept: totals.indexed,
        dropped: totals.junk,
        failed: totals.failed,
        refused: totals.refused,
        redirected: totals.redirected,
        not_modified: totals.not_modified,
        duplicates: glance.duplicates,
        in_flight: running.map_or(0, |snapshot| snapshot.in_flight),
        pages_per_second: running.map_or(0.0, |snapshot| (snapshot.rate * 10.0).round() / 10.0),
        duration_seconds: glance.duration_s,
        received_bytes: glance.bytes,
        hosts,
        latest: latest.collect(),
        curve: curve(&glance.curve),
        dropped_by_reason: glance.junk,
        broken: None,
    }
}

fn broken(follower: &Follower) -> Option<BrokenLinks> {
    follower.broken().map(|counted| BrokenLinks {
        record: counted.record,
        links: counted.figures.links,
        pages: counted.figures.pages,
        urls: counted.figures.urls,
    })
}

fn waiting(host: &pipeline::progress::HostProgress) -> WaitingHost {
    WaitingHost {
        host: host.host.clone(),
        pending: host.pending,
        next_in_seconds: (host.next_in_s.max(0.0) * 10.0).round() / 10.0,
        why: host.why.clone(),
    }
}

/// Hosts with URLs left, of a crawl that does not run.
fn pending_hosts(view: &View, state: &str) -> Vec<WaitingHost> {
    let hosts = view.tally.pending_hosts(WAITING_MAX).into_iter();
    let waiting = hosts.map(|(host, pending)| WaitingHost {
        host,
        pending,
        next_in_seconds: 0.0,
        why: state.to_owned(),
    });
    waiting.collect()
}

fn curve(points: &[report::harvest::Point]) -> Vec<CurvePoint> {
    let step = points.len().div_ceil(POINTS_MAX).max(1);
    let every = points.iter().step_by(step);
    let end = points
        .last()
        .filter(|_| !(points.len() - 1).is_multiple_of(step));
    every
        .chain(end)
        .map(|point| CurvePoint {
            pages: point.pages,
            kept: point.indexed,
        })
        .collect()
}

/// A share as it is shown.
pub(crate) fn two_places(value: f32) -> f64 {
    (f64::from(value) * 1_000.0).round() / 1_000.0
}
