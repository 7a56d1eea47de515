//! Lease to visit: one URL, or one host's robots.txt, is asked for.
//!
//! The only async part of the crawl. A visit ends when its body ends: the host's slot is given
//! back at that moment, before anything is read, so slow parsing or a slow disk never slows a
//! host down. What came back goes to the readers over a bounded channel; while that is full, the
//! visit waits and keeps its permit, so no more bodies than permits are ever in memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fetcher::{Fetch, FetchRequest, Fetched, Purpose};
use frontier::{CanonicalUrl, HostAdvice, HostKey, Lease, Origin, Refused, Sign};
use state::Answer;
use state::context::UrlContext;
use url::Url;

use crate::clock::{self, unix_ms};
use crate::cpu::ToPool;
use crate::failpoint::fail_point;
use crate::messages::{EndTold, RobotsOwner, ToDispatcher, ToReader, Visit};
use crate::robots_visit::RobotsAnswered;

/// Redirects of robots.txt that are followed (RFC 9309 §2.3.1.2).
const ROBOTS_REDIRECTS_MAX: usize = 5;

/// What visits share.
pub(crate) struct Visitor {
    fetch: Arc<dyn Fetch>,
    to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
    to_readers: ToPool,
    proxied: bool,
}

impl Visitor {
    /// Visits through `fetch`; answers go to the dispatcher and the readers.
    pub(crate) fn new(
        fetch: Arc<dyn Fetch>,
        to_dispatcher: std::sync::mpsc::Sender<ToDispatcher>,
        to_readers: ToPool,
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
        let _told = self.end_told();
        fail_point!("visit:before");
        let context = UrlContext::from_bytes(&lease.url().context);
        let spelt = context.ask.and_then(|ask| Url::parse(&ask).ok());
        let url = spelt.unwrap_or_else(|| lease.url().url.to_url());
        let (host, origin) = (lease.url().url.host(), lease.url().url.origin());
        let mut request = FetchRequest::new(url, purpose);
        if let Some(due) = context.due.filter(|due| !due.unconditional) {
            request.if_none_match = due.etag;
            request.if_modified_since = due.last_modified;
        }
        let answer = self.ask(request).await;
        let is_good = answer.fetched.as_ref().is_ok_and(|page| page.status == 200);
        let is_page = purpose == Purpose::Page;
        let advice = advice_of(&answer, origin, self.proxied);
        let is_good = is_good && is_page && advice.sign.is_none();
        let advice = HostAdvice {
            is_beside: !is_page,
            good: is_good.then(|| lease.url().url.clone()),
            ..advice
        };
        self.body_ended(host, advice, answer.body_bytes());
        let visit = Visit {
            lease,
            purpose,
            answer,
        };
        self.hand_over(ToReader::Visit(Box::new(visit))).await;
    }

    /// Asks for a page that was good before, to see whether its host is out. Its answer tells of the host
    /// alone: it is in no record.
    pub(crate) async fn doubt(&self, url: CanonicalUrl) {
        let _told = self.end_told();
        let request = FetchRequest::new(url.to_url(), Purpose::Page);
        let answer = self.ask(request).await;
        let advice = HostAdvice {
            is_doubt: true,
            ..advice_of(&answer, url.origin(), self.proxied)
        };
        self.body_ended(url.host(), advice, 0);
    }

    /// Looks a host's address up.
    pub(crate) async fn look_up(&self, host: HostKey) {
        let _told = self.end_told();
        let address = self.fetch.address(host.as_str()).await;
        // Nobody listens any more when the dispatcher has ended: the crawl is stopping.
        let _ = self
            .to_dispatcher
            .send(ToDispatcher::Address { host, address });
    }

    /// Fetches the robots.txt of a URL's scheme and authority.
    pub(crate) async fn visit_robots(&self, host: HostKey, url: &CanonicalUrl) {
        let mut asked = url.to_url();
        asked.set_path("/robots.txt");
        asked.set_query(None);
        let owner = RobotsOwner {
            host: host.clone(),
            origin: weburl::origin_of(url.as_str()).to_owned(),
            hops: 0,
        };
        self.visit_moved_robots(host, asked, vec![owner]).await;
    }

    /// Fetches what one or more hosts have as their robots.txt. A redirect is not followed here: the
    /// host that it leads to has manners of its own to be kept.
    pub(crate) async fn visit_moved_robots(
        &self,
        host: HostKey,
        url: Url,
        owners: Vec<RobotsOwner>,
    ) {
        let _told = self.end_told();
        let origin = canonical(&url).map(|url| url.origin()).unwrap_or_default();
        let answered_at = weburl::origin_of(url.as_str()).to_owned();
        let answer = self.ask(FetchRequest::new(url, Purpose::Robots)).await;
        let target = answer.fetched.as_ref().ok().and_then(Fetched::location);
        let target = target.and_then(|url| Some((canonical(&url)?, url)));
        let (moving, ending): (Vec<_>, Vec<_>) = owners
            .into_iter()
            .partition(|owner| target.is_some() && owner.hops < ROBOTS_REDIRECTS_MAX);
        let at = Instant::now();
        let advice = HostAdvice {
            is_beside: true,
            ..advice_of(&answer, origin, self.proxied)
        };
        let answered = RobotsAnswered::new(host.clone(), answered_at);
        // A large body holds room that the next one may wait for: it goes first.
        let answers: Vec<_> = ending.iter().map(|_| answer.clone()).collect();
        drop(answer);
        // Nobody listens any more when the dispatcher has ended: the crawl is stopping.
        let _ = self.to_dispatcher.send(match target {
            Some((to, url)) if !moving.is_empty() => ToDispatcher::RobotsMoved {
                host,
                at,
                advice,
                target: (url, to),
                owners: moving.into_iter().map(RobotsOwner::moved).collect(),
            },
            Some(_) | None => ToDispatcher::BodyEnded {
                host,
                at,
                advice,
                bytes: 0,
            },
        });
        for (owner, answer) in ending.into_iter().zip(answers) {
            let visit = answered.visit(owner, answer);
            self.hand_over(ToReader::Robots(Box::new(visit))).await;
        }
    }

    /// A task that panics is lost with its lease, and nobody waits for it: it is told.
    fn end_told(&self) -> EndTold {
        EndTold::on_panic("network", self.to_dispatcher.clone())
    }

    async fn ask(&self, request: FetchRequest) -> Answer {
        self.fetch.ready(&request).await;
        let started = Instant::now();
        let started_ms = unix_ms();
        let fetched = self.fetch.fetch(request).await;
        // A host is not slow because the crawl kept it waiting.
        let waited = fetched.as_ref().map_or(Duration::ZERO, |f| f.waited);
        Answer {
            took: started.elapsed().saturating_sub(waited),
            fetched,
            // What follows from when an answer ended follows from the journal as well.
            started_ms: started_ms.saturating_add(waited.as_millis() as u64),
        }
    }

    fn body_ended(&self, host: HostKey, advice: HostAdvice, bytes: u64) {
        let _ = self.to_dispatcher.send(ToDispatcher::BodyEnded {
            host,
            at: Instant::now(),
            advice,
            bytes,
        });
    }

    /// Finishes a URL that is not asked for.
    pub(crate) async fn refuse(&self, lease: Lease, refused: Refused) {
        self.hand_over(ToReader::Refused(Box::new(lease), refused))
            .await;
    }

    async fn hand_over(&self, job: ToReader) {
        self.to_readers.hand_over(job).await;
    }
}

/// A URL that can be crawled.
fn canonical(url: &Url) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(url.as_str()).ok()
}

/// What an answer tells about its host. Behind a proxy the address is the proxy's: it says
/// nothing about the host.
fn advice_of(answer: &Answer, origin: Origin, proxied: bool) -> HostAdvice {
    let asked = answer.fetched.as_ref().ok();
    let asked = asked.and_then(|fetched| fetched.retry_after(clock::now()));
    match &answer.fetched {
        Ok(fetched) => HostAdvice {
            origin,
            is_beside: false,
            is_doubt: false,
            good: None,
            retry_after: asked.filter(|_| archive::FetchRecord::may_ask_for_time(fetched.status)),
            hint: asked.filter(|asked| !asked.is_zero()),
            sign: sign_of(fetched, asked),
            failed: false,
            failure: None,
            status: fetched.status,
            took: answer.took,
            address: fetched
                .remote
                .filter(|_| !proxied)
                .map(|remote| remote.ip()),
        },
        Err(error) => HostAdvice {
            origin,
            is_beside: false,
            is_doubt: false,
            good: None,
            retry_after: None,
            hint: None,
            sign: None,
            failed: error.is_transient(),
            failure: Some((error.name().into(), error.to_string())),
            status: 0,
            took: answer.took,
            address: None,
        },
    }
}

/// What an answer is like that is without a page, as far as that is known before it is read; of a success that says
/// when to come back, if it is without a page.
fn sign_of(fetched: &Fetched, asked: Option<Duration>) -> Option<Sign> {
    match (fetched.location(), fetched.status) {
        (Some(target), _) => Some(Sign::elsewhere(canonical(&target)?.as_str())),
        (None, 200..=299) if asked.is_some_and(|asked| !asked.is_zero()) => Some(Sign::later()),
        (None, 200..=299) => fetched.body.is_empty().then(Sign::empty),
        (None, status) => Sign::error(status),
    }
}

#[cfg(test)]
mod tests {
    use fetcher::FetchFuture;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::mpsc;

    use super::*;

    /// How long a fetch waited for memory.
    const WAITED: Duration = Duration::from_secs(60);

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
            let headers = vec![("location".into(), b"/robots.txt".to_vec())];
            let body = bytes::Bytes::from_owner(Held(Arc::clone(&self.held)));
            let fetched = Fetched {
                waited: WAITED,
                ..Fetched::new(request.url, 301, headers, body)
            };
            Box::pin(async move { Ok(fetched) })
        }
    }

    /// Lets a request go after a while, and has no answer to it.
    struct LateAndLost;

    const LATE: Duration = Duration::from_millis(300);

    impl Fetch for LateAndLost {
        fn ready<'a>(&'a self, _: &'a FetchRequest) -> fetcher::ReadyFuture<'a> {
            Box::pin(tokio::time::sleep(LATE))
        }

        fn fetch<'a>(&'a self, _: FetchRequest) -> FetchFuture<'a> {
            let message = "connection reset".to_owned();
            Box::pin(std::future::ready(Err(fetcher::FetchError::Reset {
                message,
            })))
        }
    }

    #[test]
    fn what_a_request_waited_for_its_turn_is_not_its_hosts_time_though_it_has_no_answer() {
        // A host that gave no answer was left alone for as long as the crawl had kept its request.
        let (to_dispatcher, _dispatcher) = std::sync::mpsc::channel();
        let (to_pool, _pool) = mpsc::channel(1);
        let visitor = Visitor::new(
            Arc::new(LateAndLost),
            to_dispatcher,
            ToPool::new(to_pool),
            false,
        );
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build();
        let url = Url::parse("http://a.example/").expect("a URL");
        let began = unix_ms();
        let asked = visitor.ask(FetchRequest::page(url));
        let answer = runtime.expect("a runtime").block_on(asked);
        let advice = advice_of(&answer, Origin::default(), false);
        assert!(advice.failed && advice.took < LATE / 2, "{:?}", advice.took);
        assert!(answer.started_ms >= began + LATE.as_millis() as u64 - 1);
    }

    #[test]
    fn what_a_fetch_waited_for_memory_is_not_its_hosts_time() {
        // A host was slowed down since others had taken all memory.
        let (to_dispatcher, _dispatcher) = std::sync::mpsc::channel();
        let (to_pool, _pool) = mpsc::channel(1);
        let fetch = Arc::new(Hops::default());
        let visitor = Visitor::new(fetch, to_dispatcher, ToPool::new(to_pool), false);
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let url = Url::parse("http://a.example/").expect("a URL");
        let asked = visitor.ask(FetchRequest::page(url));
        let answer = runtime.expect("a runtime").block_on(asked);
        assert_eq!(
            advice_of(&answer, Origin::default(), false).took,
            Duration::ZERO
        );
    }

    #[test]
    fn a_redirect_of_robots_txt_is_let_go_before_the_next_is_asked_for() {
        // It was held while the next one waited for room: enough such hosts stopped the crawl.
        let hops = Arc::new(Hops::default());
        let (to_dispatcher, dispatcher) = std::sync::mpsc::channel();
        let (to_pool, _pool) = mpsc::channel(1);
        let fetch = Arc::clone(&hops) as Arc<dyn Fetch>;
        let visitor = Visitor::new(fetch, to_dispatcher, ToPool::new(to_pool), false);
        let url = CanonicalUrl::parse("http://a.example/x").expect("a URL");
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let visit = visitor.visit_robots(url.host(), &url);
        runtime.expect("a runtime").block_on(visit);
        let moved = dispatcher.try_recv().expect("it has moved");
        assert_eq!(hops.held.load(Ordering::Relaxed), 0);
        let ToDispatcher::RobotsMoved { target, owners, .. } = moved else {
            panic!("{moved:?}");
        };
        assert_eq!(target.0.as_str(), "http://a.example/robots.txt");
        let owner = RobotsOwner {
            host: url.host(),
            origin: "http://a.example".into(),
            hops: 1,
        };
        assert_eq!(owners, [owner]);
    }
}
