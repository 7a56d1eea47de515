//! Whose turn is it? The dispatcher leases URLs and starts their visits.
//!
//! A plain thread with one inbox and the next host's time as its deadline. It leases only while a
//! connection is free, body bytes are below their bound, and not too many leases wait for their
//! record. robots.txt is asked before a lease: a refusal costs the host no delay.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fetcher::{Purpose, Robots};
use frontier::{CanonicalUrl, Frontier, Gate, HostAdvice, HostKey, Next, Permission, Spelling};
use tokio::sync::mpsc;

use crate::config::{CrawlConfig, LimitsSection};
use crate::context::{Kind, UrlContext};
use crate::foresight::Foresight;
use crate::progress::{HostProgress, Progress};
use crate::stop::StopHandle;
use crate::visit::{Job, Visitor};

/// robots.txt is asked for again after this time (RFC 9309 §2.4).
const ROBOTS_AGE_MAX: Duration = Duration::from_secs(24 * 3_600);

/// robots.txt of so many hosts are kept in memory; the oldest go first.
const ROBOTS_HOSTS_MAX: usize = 20_000;

/// Tries of an unreachable robots.txt before its host counts as closed.
const ROBOTS_TRIES_MAX: u32 = 4;

/// Longest sleep: pauses and stops are noticed this soon.
const NAP_MAX: Duration = Duration::from_millis(200);

/// Between two looks at the hosts for watchers.
const SHOW_INTERVAL: Duration = Duration::from_millis(500);

/// Hosts shown to watchers.
const HOSTS_SHOWN: usize = 20;

/// What comes into the dispatcher's inbox.
#[derive(Debug)]
pub enum ToDispatcher {
    /// A body ended: the host's slot is free.
    BodyEnded {
        /// The host.
        host: HostKey,
        /// When.
        at: Instant,
        /// What it tells about the host.
        advice: HostAdvice,
    },
    /// robots.txt came.
    Robots {
        /// The host.
        host: HostKey,
        /// Its rules.
        robots: Arc<Robots>,
        /// Why there was no answer, if there was none: the error's name and words.
        error: Option<(String, String)>,
        /// When.
        at: Instant,
        /// What it tells about the host.
        advice: HostAdvice,
    },
    /// Records were synced and their leases given back.
    Committed {
        /// How many leases.
        leases: usize,
    },
    /// URLs of these hosts are to be tried again: what was known of their robots.txt is forgotten.
    Reopened {
        /// The hosts.
        hosts: Vec<HostKey>,
    },
    /// The writer ended on an error: nothing more can be recorded.
    WriterEnded,
}

/// Why the dispatcher ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is pending.
    Drained,
    /// The page budget is used up.
    MaxPages,
    /// The time budget is used up.
    MaxTime,
    /// A stop was asked for.
    Interrupted,
    /// The harvest stayed too low.
    Harvest,
    /// The writer failed.
    Failed,
}

impl Ended {
    /// The stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Drained => "drained",
            Self::MaxPages => "max_pages",
            Self::MaxTime => "max_time",
            Self::Interrupted => "interrupted",
            Self::Harvest => "harvest",
            Self::Failed => "error",
        }
    }
}

/// The dispatcher's state.
pub struct Dispatcher {
    pub(crate) config: Arc<CrawlConfig>,
    pub(crate) frontier: Arc<Mutex<Frontier>>,
    pub(crate) runtime: tokio::runtime::Handle,
    pub(crate) visitor: Arc<Visitor>,
    pub(crate) to_pool: mpsc::Sender<Job>,
    pub(crate) stop: StopHandle,
    pub(crate) progress: Progress,
    pub(crate) bytes_in_flight: Arc<AtomicU64>,
    pub(crate) harvest_stop: Arc<Mutex<Option<String>>>,
    pub(crate) robots: RobotsCache,
    pub(crate) leases: usize,
    pub(crate) visits: usize,
}

impl Dispatcher {
    /// Works until the crawl has ended, for whatever reason.
    pub fn run(&mut self, inbox: &Receiver<ToDispatcher>) -> Ended {
        let started = Instant::now();
        let mut shown = None;
        loop {
            while let Ok(message) = inbox.try_recv() {
                if self.take(message) {
                    return Ended::Failed;
                }
            }
            let ending = self.ending(started);
            if ending.is_some() && self.leases == 0 && self.visits == 0 {
                return ending.unwrap_or(Ended::Interrupted);
            }
            let mut deadline = Instant::now() + NAP_MAX;
            if ending.is_none() && !self.stop.is_paused() {
                match self.lease_all() {
                    Leased::Drained if self.leases == 0 && self.visits == 0 => {
                        return Ended::Drained;
                    }
                    Leased::Until(at) => deadline = deadline.min(at),
                    Leased::Drained | Leased::Waiting => {}
                }
            }
            if shown.is_none_or(|at: Instant| at.elapsed() > SHOW_INTERVAL) {
                self.show(started, ending);
                shown = Some(Instant::now());
            }
            match inbox.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(message) => {
                    if self.take(message) {
                        return Ended::Failed;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ended::Failed,
            }
        }
    }

    /// Whether, and why, no more is to be leased.
    fn ending(&self, started: Instant) -> Option<Ended> {
        let budget = &self.config.crawl;
        if self.stop.is_stopping() {
            return Some(Ended::Interrupted);
        }
        let max_time = budget.max_time.0;
        if !max_time.is_zero() && started.elapsed() >= max_time {
            return Some(Ended::MaxTime);
        }
        if budget.max_pages > 0 && self.progress.pages() >= budget.max_pages {
            return Some(Ended::MaxPages);
        }
        let harvest = self
            .harvest_stop
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        harvest.is_some().then_some(Ended::Harvest)
    }

    /// Leases as long as there is room. One connection keeps one lease at a time from request to
    /// record, so that such a crawl has one order only.
    fn lease_all(&mut self) -> Leased {
        let connections = self.config.crawl.concurrency;
        let leases_max = if connections == 1 || self.config.topic.is_some() {
            connections
        } else {
            connections + 16
        };
        loop {
            let pages = self.progress.pages();
            let budget = self.config.crawl.max_pages;
            let budget_left = if budget == 0 {
                u64::MAX
            } else {
                budget.saturating_sub(pages)
            };
            let has_room = self.visits < connections
                && self.leases < leases_max
                && (self.leases as u64) < budget_left
                && has_bytes_left(&self.bytes_in_flight, &self.config.limits);
            if !has_room {
                return Leased::Waiting;
            }
            let next = {
                let mut frontier = self.frontier.lock().unwrap_or_else(PoisonError::into_inner);
                frontier.next(Instant::now(), &mut self.robots)
            };
            match next {
                Next::Lease(lease) => {
                    let purpose = match UrlContext::from_bytes(&lease.url().context).kind {
                        Kind::Page => Purpose::Page,
                        Kind::Sitemap => Purpose::Sitemap,
                    };
                    self.leases += 1;
                    self.visits += 1;
                    let visitor = Arc::clone(&self.visitor);
                    self.runtime
                        .spawn(async move { visitor.visit(lease, purpose).await });
                }
                Next::Robots(host, url) => {
                    self.visits += 1;
                    let visitor = Arc::clone(&self.visitor);
                    let origin = url.to_url();
                    self.runtime
                        .spawn(async move { visitor.visit_robots(host, origin).await });
                }
                Next::Refused(lease, rule) => {
                    self.leases += 1;
                    let to_pool = self.to_pool.clone();
                    self.runtime.spawn(async move {
                        // As in a visit: an error means that the crawl is being torn down.
                        let _ = to_pool.send(Job::Refused(Box::new(lease), rule)).await;
                    });
                }
                Next::WaitUntil(at) => return Leased::Until(at),
                Next::InFlight => return Leased::Waiting,
                Next::Drained => return Leased::Drained,
            }
        }
    }

    /// Takes a message in; true when the crawl cannot go on.
    fn take(&mut self, message: ToDispatcher) -> bool {
        match message {
            ToDispatcher::BodyEnded { host, at, advice } => {
                self.visits -= 1;
                self.lock().body_done(&host, at, &advice);
            }
            ToDispatcher::Robots {
                host,
                robots,
                error,
                at,
                advice,
            } => {
                self.visits -= 1;
                let delay = self
                    .robots
                    .take(&host, robots, error, at, &advice)
                    .map(|delay| delay.min(self.config.politeness.max_crawl_delay.0));
                self.lock().robots_done(&host, at, delay, &advice);
            }
            ToDispatcher::Committed { leases } => self.leases -= leases,
            ToDispatcher::Reopened { hosts } => {
                for host in &hosts {
                    self.robots.known.remove(host);
                }
            }
            ToDispatcher::WriterEnded => return true,
        }
        false
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Frontier> {
        self.frontier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the hosts to watchers.
    fn show(&self, started: Instant, ending: Option<Ended>) {
        let hosts = self.lock().hosts(HOSTS_SHOWN, Instant::now());
        self.progress.measure(Instant::now());
        self.progress.show(&self.stop, ending.is_some(), |shown| {
            shown.in_flight = self.visits as u64;
            shown.running_ms = started.elapsed().as_millis() as u64;
            shown.max_pages = self.config.crawl.max_pages;
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

enum Leased {
    Until(Instant),
    Waiting,
    Drained,
}

/// A host's robots.txt.
#[derive(Debug)]
struct Known {
    robots: Arc<Robots>,
    at: Instant,
    error: Option<(String, String)>,
    /// What came instead of rules, in words.
    answered: String,
}

/// Whether the bodies that came and are not recorded yet leave room for a further fetch.
fn has_bytes_left(bytes_in_flight: &AtomicU64, limits: &LimitsSection) -> bool {
    bytes_in_flight.load(Ordering::Relaxed) < limits.bytes_in_flight.0
}

/// What robots.txt says, by host, and after it what the pages so far say.
#[derive(Debug)]
pub struct RobotsCache {
    agent: String,
    obey: bool,
    known: HashMap<HostKey, Known>,
    tries: HashMap<HostKey, u32>,
    /// Asked where robots.txt allows.
    foresight: Arc<Mutex<Foresight>>,
}

impl RobotsCache {
    /// An empty cache for our product token; with `obey` false everything is allowed.
    pub fn new(agent: &str, obey: bool, foresight: Arc<Mutex<Foresight>>) -> Self {
        Self {
            agent: agent.into(),
            obey,
            known: HashMap::new(),
            tries: HashMap::new(),
            foresight,
        }
    }

    /// Takes an answer in; gives the Crawl-delay it asks for. An unreachable robots.txt is tried
    /// again, since it closes the whole host.
    fn take(
        &mut self,
        host: &HostKey,
        robots: Arc<Robots>,
        error: Option<(String, String)>,
        at: Instant,
        advice: &HostAdvice,
    ) -> Option<Duration> {
        let unreachable = advice.status == 0 || advice.status >= 500 || advice.status == 429;
        if unreachable {
            let tries = self.tries.entry(host.clone()).or_default();
            *tries += 1;
            if *tries < ROBOTS_TRIES_MAX {
                return None;
            }
        }
        self.tries.remove(host);
        if self.known.len() >= ROBOTS_HOSTS_MAX {
            let mut ages: Vec<Instant> = self.known.values().map(|known| known.at).collect();
            let middle = ages.len() / 2;
            let (_, &mut median, _) = ages.select_nth_unstable(middle);
            self.known.retain(|_, known| known.at > median);
        }
        let delay = robots.crawl_delay(&self.agent);
        let answered = match advice.status {
            status @ 200..300 => format!("the answer ({status}) broke off"),
            status => format!("the server answered {status}"),
        };
        let known = Known {
            robots,
            at,
            error,
            answered,
        };
        self.known.insert(host.clone(), known);
        delay
    }
}

impl Gate for RobotsCache {
    fn check(&mut self, host: &HostKey, url: &CanonicalUrl) -> Permission {
        if !self.obey {
            return Permission::Allowed;
        }
        self.check_at(host, url, Instant::now())
    }

    fn worth(&mut self, host: &HostKey, url: &CanonicalUrl, spelling: &Spelling<'_>) -> Permission {
        self.foresight
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .check(host, url, spelling)
    }
}

impl RobotsCache {
    /// What robots.txt says of a URL at this time; unknown once it is too old.
    fn check_at(&self, host: &HostKey, url: &CanonicalUrl, now: Instant) -> Permission {
        let Some(known) = self.known.get(host) else {
            return Permission::Unknown;
        };
        if now.saturating_duration_since(known.at) > ROBOTS_AGE_MAX {
            return Permission::Unknown;
        }
        if let Some((name, words)) = &known.error {
            return Permission::Refused(unreachable(name, words));
        }
        let answer = known.robots.check(&self.agent, &url.to_url());
        match (answer.allowed, answer.rule) {
            (true, _) => Permission::Allowed,
            (false, Some(rule)) => Permission::Refused(format!(
                "{rule} (robots.txt line {})",
                answer.line.unwrap_or(0)
            )),
            (false, None) => Permission::Refused(format!("{NO_ROBOTS}: {}", known.answered)),
        }
    }
}

/// Begins the words why a URL was refused whose host has no usable robots.txt: it may have one
/// another day.
pub(crate) const NO_ROBOTS: &str = "robots.txt could not be had";

/// Marks a refusal that is none of robots.txt's: its host could not be reached at all.
pub(crate) const UNREACHABLE: char = '!';

fn unreachable(name: &str, words: &str) -> String {
    format!("{UNREACHABLE}{name}: {words}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Size;

    #[test]
    fn a_fetch_begins_while_a_byte_is_left_and_not_after() {
        let limits = LimitsSection {
            bytes_in_flight: Size(100),
            ..LimitsSection::default()
        };
        assert!(has_bytes_left(&AtomicU64::new(99), &limits));
        assert!(!has_bytes_left(&AtomicU64::new(100), &limits));
    }

    /// A cache that was told at `at` what robots.txt of `a.example` says.
    fn tell(cache: &mut RobotsCache, text: &str, status: u16, at: Instant) {
        let advice = HostAdvice {
            status,
            ..HostAdvice::default()
        };
        let robots = Arc::new(Robots::parse(text.as_bytes()));
        cache.take(&url().host(), robots, None, at, &advice);
    }

    fn url() -> CanonicalUrl {
        CanonicalUrl::parse("http://a.example/news").expect("a URL")
    }

    fn cache() -> RobotsCache {
        RobotsCache::new(
            "tamis",
            true,
            Arc::new(Mutex::new(Foresight::new(0, false))),
        )
    }

    #[test]
    fn a_robots_txt_holds_for_a_day_and_is_then_asked_for_again() {
        let mut cache = cache();
        let told = Instant::now();
        tell(&mut cache, "User-agent: *\nDisallow: /other\n", 200, told);
        let check = |cache: &RobotsCache, at| cache.check_at(&url().host(), &url(), at);
        assert_eq!(check(&cache, told + ROBOTS_AGE_MAX), Permission::Allowed);
        let later = told + ROBOTS_AGE_MAX + Duration::from_secs(1);
        assert_eq!(check(&cache, later), Permission::Unknown);
        // The host has changed its mind: what counts is the new file.
        tell(&mut cache, "User-agent: *\nDisallow: /news\n", 200, later);
        let refused = Permission::Refused("Disallow: /news (robots.txt line 2)".into());
        assert_eq!(check(&cache, later), refused);
    }

    #[test]
    fn an_unreachable_robots_txt_is_tried_four_times_before_it_closes_its_host() {
        let mut cache = cache();
        let now = Instant::now();
        for _ in 1..ROBOTS_TRIES_MAX {
            tell(&mut cache, "", 503, now);
            assert_eq!(
                cache.check_at(&url().host(), &url(), now),
                Permission::Unknown
            );
        }
        tell(&mut cache, "", 503, now);
        assert_ne!(
            cache.check_at(&url().host(), &url(), now),
            Permission::Unknown
        );
    }

    #[test]
    fn beyond_the_bound_of_hosts_the_older_half_is_forgotten() {
        let mut cache = cache();
        let began = Instant::now();
        let host = |n: usize| HostKey::from_record(&format!("http://h{n}.example"));
        let robots = Arc::new(Robots::parse(b""));
        for n in 0..=ROBOTS_HOSTS_MAX {
            let advice = HostAdvice {
                status: 200,
                ..HostAdvice::default()
            };
            let at = began + Duration::from_millis(n as u64);
            cache.take(&host(n), Arc::clone(&robots), None, at, &advice);
            assert!(cache.known.len() <= ROBOTS_HOSTS_MAX);
        }
        assert!(!cache.known.contains_key(&host(0)));
        assert!(cache.known.contains_key(&host(ROBOTS_HOSTS_MAX)));
    }
}
