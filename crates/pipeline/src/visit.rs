//! Lease to visit: one URL, or one host's robots.txt, is asked for.
//!
//! The only async part of the crawl. A visit ends when its body ends: the host's slot is given
//! back at that moment, before anything is read, so slow parsing or a slow disk never slows a
//! host down. What came back goes to the readers over a bounded channel; while that is full, the
//! visit waits and keeps its permit, so no more bodies than permits are ever in memory.

use std::sync::Arc;
use std::time::Instant;

use fetcher::{Fetch, FetchRequest, Fetched, Purpose, Robots, Truncated};
use frontier::{HostAdvice, HostKey, Lease, Refused};
use outcome::RobotsAnswer;
use state::Answer;
use state::finding::RobotsFinding;
use tokio::sync::mpsc;
use url::Url;

use crate::clock::{self, unix_ms};
use crate::messages::{RobotsAnswered, ToDispatcher, ToReader, Visit};

/// Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2).
const ROBOTS_REDIRECTS_MAX: usize = 5;

/// What visits share.
pub(crate) struct Visitor {
    fetch: Arc<dyn Fetch>,
    to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
    to_readers: mpsc::Sender<ToReader>,
    proxied: bool,
}

impl Visitor {
    /// Visits through `fetch`; answers go to the dispatcher and the readers.
    pub(crate) fn new(
        fetch: Arc<dyn Fetch>,
        to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
        to_readers: mpsc::Sender<ToReader>,
        proxied: bool,
    ) -> Self {
        Self {
            fetch,
            to_dispatcher,
            to_readers,
            proxied,
        }
    }

    /// Visits one URL.
    pub(crate) async fn visit(&self, lease: Lease, purpose: Purpose) {
        let url = lease.url().url.to_url();
        let host = lease.url().url.host();
        let answer = self.ask(url, purpose).await;
        self.body_ended(host, &answer);
        let visit = Visit {
            lease,
            purpose,
            answer,
        };
        self.hand_over(ToReader::Visit(Box::new(visit))).await;
    }

    /// Fetches a host's robots.txt, through up to five redirects.
    pub(crate) async fn visit_robots(&self, host: HostKey, origin: Url) {
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
        let error = answer.fetched.as_ref().err();
        let _ = self
            .to_dispatcher
            .send(ToDispatcher::Robots(RobotsAnswered {
                host: host.clone(),
                robots: Arc::clone(&robots),
                error: error.map(|error| (error.name().into(), error.to_string())),
                at: Instant::now(),
                advice: advice_of(&answer, self.proxied),
            }));
        let visit = RobotsFinding {
            host,
            answer,
            robots,
            rules,
        };
        self.hand_over(ToReader::Robots(Box::new(visit))).await;
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
        let _ = self.to_dispatcher.send(ToDispatcher::BodyEnded {
            host,
            at: Instant::now(),
            advice: advice_of(answer, self.proxied),
            bytes: answer.body_bytes(),
        });
    }

    /// Finishes a URL that is not asked for.
    pub(crate) async fn refuse(&self, lease: Lease, refused: Refused) {
        self.hand_over(ToReader::Refused(Box::new(lease), refused))
            .await;
    }

    async fn hand_over(&self, job: ToReader) {
        // The readers end only after the last visit: an error here means that the crawl is being
        // torn down, and the URL stays pending.
        let _ = self.to_readers.send(job).await;
    }
}

/// What an answer tells about its host. Behind a proxy the address is the proxy's: it says
/// nothing about the host.
fn advice_of(answer: &Answer, proxied: bool) -> HostAdvice {
    match &answer.fetched {
        Ok(fetched) => HostAdvice {
            retry_after: match fetched.status {
                429 | 503 => fetched.retry_after(clock::now()),
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
fn robots_of(answer: &Answer) -> (Robots, RobotsAnswer) {
    match &answer.fetched {
        // A file that broke off may lack the line that closes the door.
        Ok(fetched)
            if matches!(
                fetched.truncated,
                Some(Truncated::Time | Truncated::Disconnect)
            ) =>
        {
            (Robots::disallow_all(), RobotsAnswer::DisallowAll)
        }
        Ok(fetched) if (200..300).contains(&fetched.status) => {
            let limits = fetcher::FetchLimits::default().decoding_for(Purpose::Robots);
            let decoding = fetched.decoded(&limits);
            let robots = match (fetched.truncated, &decoding.stopped) {
                (None, None) => Robots::parse(&decoding.bytes),
                _ => Robots::parse_beginning(&decoding.bytes),
            };
            (robots, RobotsAnswer::Parsed)
        }
        // More redirects than are followed: unavailable, as §2.3.1.2 has it.
        Ok(fetched) if (300..500).contains(&fetched.status) => {
            (Robots::allow_all(), RobotsAnswer::AllowAll)
        }
        Ok(_) | Err(_) => (Robots::disallow_all(), RobotsAnswer::DisallowAll),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

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
        let visitor = Visitor::new(fetch, to_dispatcher, to_pool, false);
        let origin = Url::parse("http://a.example/").expect("a URL");
        let host = HostKey::from_record("http://a.example");
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let visit = visitor.visit_robots(host, origin);
        runtime.expect("a runtime").block_on(visit);
        assert_eq!(hops.most.load(Ordering::Relaxed), 1);
    }
}
