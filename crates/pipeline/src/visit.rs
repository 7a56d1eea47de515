//! Lease to visit: one URL, or one host's robots.txt, is asked for.
//!
//! The only async part of the crawl. A visit ends when its body ends: the host's slot is given
//! back at that moment, before anything is read, so slow parsing or a slow disk never slows a
//! host down. What came back goes to the CPU pool over a bounded channel; while that is full, the
//! visit waits and keeps its permit, so no more bodies than permits are ever in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fetcher::{Fetch, FetchError, FetchRequest, Fetched, Purpose, Robots, Truncated};
use frontier::{HostAdvice, HostKey, Lease};
use tokio::sync::mpsc;
use url::Url;

use crate::dispatch::ToDispatcher;

/// Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2).
const ROBOTS_REDIRECTS_MAX: usize = 5;

/// An answer and when it was asked for.
#[derive(Debug)]
pub struct Answer {
    /// What came back.
    pub fetched: Result<Fetched, FetchError>,
    /// When the request was made, milliseconds since the Unix epoch.
    pub started_ms: u64,
    /// From the request to the end of the body.
    pub took: Duration,
}

/// A visited URL.
#[derive(Debug)]
pub struct Visit {
    /// The right to finish the URL.
    pub lease: Lease,
    /// What it is: a page or a sitemap.
    pub purpose: Purpose,
    /// What came back.
    pub answer: Answer,
}

/// A host's robots.txt, asked for.
#[derive(Debug)]
pub struct RobotsVisit {
    /// The host.
    pub host: HostKey,
    /// What came back, after redirects.
    pub answer: Answer,
    /// The rules that follow from it.
    pub robots: Arc<Robots>,
    /// `parsed`, `allow_all` or `disallow_all`.
    pub rules: &'static str,
}

/// Work for the CPU pool.
#[derive(Debug)]
pub enum Job {
    /// Read a page or a sitemap.
    Visit(Box<Visit>),
    /// Note what robots.txt said.
    Robots(Box<RobotsVisit>),
    /// A URL that robots.txt disallows: nothing to read.
    Refused(Box<Lease>, String),
}

/// What visits share.
pub struct Visitor {
    fetch: Arc<dyn Fetch>,
    to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
    to_pool: mpsc::Sender<Job>,
    bytes_in_flight: Arc<AtomicU64>,
    proxied: bool,
}

impl Visitor {
    /// Visits through `fetch`; answers go to the dispatcher and the CPU pool.
    pub fn new(
        fetch: Arc<dyn Fetch>,
        to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
        to_pool: mpsc::Sender<Job>,
        bytes_in_flight: Arc<AtomicU64>,
        proxied: bool,
    ) -> Self {
        Self {
            fetch,
            to_dispatcher,
            to_pool,
            bytes_in_flight,
            proxied,
        }
    }

    /// Visits one URL.
    pub async fn visit(&self, lease: Lease, purpose: Purpose) {
        let url = lease.url().url.to_url();
        let host = lease.url().url.host();
        let answer = self.ask(url, purpose).await;
        self.body_ended(host, &answer);
        let visit = Visit {
            lease,
            purpose,
            answer,
        };
        self.hand_over(Job::Visit(Box::new(visit))).await;
    }

    /// Fetches a host's robots.txt, through up to five redirects.
    pub async fn visit_robots(&self, host: HostKey, origin: Url) {
        let mut url = origin;
        url.set_path("/robots.txt");
        url.set_query(None);
        let mut answer = self.ask(url, Purpose::Robots).await;
        for _ in 0..ROBOTS_REDIRECTS_MAX {
            let Some(target) = answer.fetched.as_ref().ok().and_then(Fetched::location) else {
                break;
            };
            // A large body holds room that the next one may wait for: it goes first.
            drop(answer);
            answer = self.ask(target, Purpose::Robots).await;
        }
        let (robots, rules) = robots_of(&answer);
        let robots = Arc::new(robots);
        // Nobody listens any more when the dispatcher has ended: the crawl is stopping.
        let _ = self.to_dispatcher.send(ToDispatcher::Robots {
            host: host.clone(),
            robots: Arc::clone(&robots),
            error: match &answer.fetched {
                Ok(_) => None,
                Err(error) => Some((error.name().to_string(), error.to_string())),
            },
            at: Instant::now(),
            advice: advice_of(&answer, self.proxied),
        });
        let visit = RobotsVisit {
            host,
            answer,
            robots,
            rules,
        };
        self.hand_over(Job::Robots(Box::new(visit))).await;
    }

    async fn ask(&self, url: Url, purpose: Purpose) -> Answer {
        let started = Instant::now();
        let started_ms = unix_ms();
        let fetched = self.fetch.fetch(FetchRequest::new(url, purpose)).await;
        Answer {
            fetched,
            started_ms,
            took: started.elapsed(),
        }
    }

    fn body_ended(&self, host: HostKey, answer: &Answer) {
        let bytes = answer
            .fetched
            .as_ref()
            .map_or(0, |fetched| fetched.body.len() as u64);
        self.bytes_in_flight.fetch_add(bytes, Ordering::Relaxed);
        let _ = self.to_dispatcher.send(ToDispatcher::BodyEnded {
            host,
            at: Instant::now(),
            advice: advice_of(answer, self.proxied),
        });
    }

    async fn hand_over(&self, job: Job) {
        // The pool ends only after the last visit: an error here means that the crawl is being
        // torn down, and the URL stays pending.
        let _ = self.to_pool.send(job).await;
    }
}

/// What an answer tells about its host. Behind a proxy the address is the proxy's: it says
/// nothing about the host.
fn advice_of(answer: &Answer, proxied: bool) -> HostAdvice {
    match &answer.fetched {
        Ok(fetched) => HostAdvice {
            retry_after: match fetched.status {
                429 | 503 => fetched.retry_after(SystemTime::now()),
                _ => None,
            },
            failed: false,
            status: fetched.status,
            took: answer.took,
            address: fetched
                .remote
                .filter(|_| !proxied)
                .map(|remote| remote.ip()),
        },
        Err(error) => HostAdvice {
            retry_after: None,
            failed: error.is_transient(),
            status: 0,
            took: answer.took,
            address: None,
        },
    }
}

/// The rules that follow from an answer to robots.txt (RFC 9309 §2.3.1).
fn robots_of(answer: &Answer) -> (Robots, &'static str) {
    match &answer.fetched {
        // A file that broke off may lack the line that closes the door.
        Ok(fetched)
            if matches!(
                fetched.truncated,
                Some(Truncated::Time | Truncated::Disconnect)
            ) =>
        {
            (Robots::disallow_all(), "disallow_all")
        }
        Ok(fetched) if (200..300).contains(&fetched.status) => {
            let limits = fetcher::FetchLimits::default().decoding_for(Purpose::Robots);
            let decoding = fetched.decoded(&limits);
            let robots = match (fetched.truncated, &decoding.stopped) {
                (None, None) => Robots::parse(&decoding.bytes),
                _ => Robots::parse_beginning(&decoding.bytes),
            };
            (robots, "parsed")
        }
        // More redirects than are followed: unavailable, as §2.3.1.2 has it.
        Ok(fetched) if (300..500).contains(&fetched.status) => (Robots::allow_all(), "allow_all"),
        Ok(_) | Err(_) => (Robots::disallow_all(), "disallow_all"),
    }
}

/// Now, in milliseconds since the Unix epoch.
pub fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use fetcher::FetchFuture;

    use super::*;

    /// Redirects to the same place for ever, and counts the bodies that somebody holds.
    #[derive(Default)]
    struct Hops {
        held: Arc<AtomicUsize>,
        most: AtomicUsize,
    }

    struct Held(Arc<AtomicUsize>);

    impl AsRef<[u8]> for Held {
        fn as_ref(&self) -> &[u8] {
            b"moved"
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    impl Fetch for Hops {
        fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
            let held = self.held.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(held, Ordering::Relaxed);
            let fetched = Fetched {
                url: request.url,
                status: 301,
                http_version: "HTTP/1.1",
                headers: vec![("location".into(), b"/robots.txt".to_vec())],
                body: bytes::Bytes::from_owner(Held(Arc::clone(&self.held))),
                via: fetcher::Via::Wire,
                remote: None,
                truncated: None,
                first_byte: Duration::ZERO,
                total: Duration::ZERO,
            };
            Box::pin(async move { Ok(fetched) })
        }
    }

    #[test]
    fn a_redirect_of_robots_txt_is_let_go_before_the_next_is_asked_for() {
        // It was held while the next one waited for room: enough such hosts stopped the crawl.
        let hops = Arc::new(Hops::default());
        let (to_dispatcher, _dispatcher) = std::sync::mpsc::channel();
        let (to_pool, _pool) = mpsc::channel(1);
        let fetch = Arc::clone(&hops) as Arc<dyn Fetch>;
        let visitor = Visitor::new(fetch, to_dispatcher, to_pool, Arc::default(), false);
        let origin = Url::parse("http://a.example/").expect("a URL");
        let host = HostKey::from_record("http://a.example");
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let visit = visitor.visit_robots(host, origin);
        runtime.expect("a runtime").block_on(visit);
        assert_eq!(hops.most.load(Ordering::Relaxed), 1);
    }
}
