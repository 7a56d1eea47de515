//! The web itself: hosts, what they answer, and the log of requests.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::faults::{Ending, Faults, RequestMemory, hash};
use crate::message::{Request, Response};

/// A host's answer to a request. It is called on the thread of the request, and must not block for long.
pub type Handler = Arc<dyn Fn(&Request) -> Response + Send + Sync>;

/// Hosts and their pages. Cheap to clone; clones share the log.
#[derive(Clone, Default)]
pub struct TestWeb {
    hosts: Arc<BTreeMap<String, Host>>,
    shared: Arc<Shared>,
}

#[derive(Clone, Default)]
struct Host {
    handler: Option<Handler>,
    pages: BTreeMap<String, Response>,
    faults: Faults,
    address: Option<SocketAddr>,
    memory: Arc<Mutex<RequestMemory>>,
}

#[derive(Default)]
struct Shared {
    epoch: OnceLock<Instant>,
    log: Mutex<Vec<LogEntry>>,
}

/// One request, as the server saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct LogEntry {
    /// The host asked for.
    pub host: String,
    /// Path and query.
    pub target: String,
    /// The whole URL.
    pub url: String,
    /// When the request had arrived, counted from the web's first request.
    pub started: Duration,
    /// When the last byte was sent, or the connection broken, on the same clock.
    pub ended: Duration,
    /// Status sent; 0 for a host this web does not have.
    pub status: u16,
    /// `Retry-After` as sent, in seconds.
    pub retry_after_s: Option<f64>,
    /// The body was not sent whole: `reset` or `truncate`.
    pub broken: Option<&'static str>,
    /// The `User-Agent` of the request, empty in process.
    pub agent: String,
    /// The request had a validator of an earlier answer.
    pub conditional: bool,
}

/// Entries of the log: a bound for a crawl that never ends.
const LOG_MAX: usize = 1_000_000;

/// How a request will be answered.
pub(crate) struct Plan {
    pub wait: Duration,
    pub response: Response,
    pub ending: Ending,
    pub address: Option<SocketAddr>,
}

impl TestWeb {
    /// An empty web, where no host resolves.
    pub fn new() -> TestWeb {
        TestWeb::default()
    }

    /// Adds a host whose answers come from a function. The host's static pages take precedence.
    pub fn host<F>(mut self, host: &str, handler: F) -> TestWeb
    where
        F: Fn(&Request) -> Response + Send + Sync + 'static,
    {
        self.entry(host).handler = Some(Arc::new(handler));
        self
    }

    /// Adds one static answer, at the exact path and query of the URL; its host is added too.
    ///
    /// # Panics
    /// When `url` is not an absolute URL.
    pub fn respond(mut self, url: &str, response: Response) -> TestWeb {
        let url = url::Url::parse(url).expect("a test's URL is absolute");
        let request = Request::get(&url);
        let page = (request.target(), response);
        self.entry(&request.host).pages.insert(page.0, page.1);
        self
    }

    /// Adds one static HTML page. See [`TestWeb::respond`].
    pub fn page(self, url: &str, html: &str) -> TestWeb {
        self.respond(url, Response::html(html))
    }

    /// Gives a host its robots.txt. Without one it answers 404.
    pub fn robots(mut self, host: &str, text: &str) -> TestWeb {
        let robots = Response::text(text);
        self.entry(host).pages.insert("/robots.txt".into(), robots);
        self
    }

    /// Sets the faults of a host.
    pub fn faults(mut self, host: &str, faults: Faults) -> TestWeb {
        self.entry(host).faults = faults;
        self
    }

    /// Delays every answer of a host.
    pub fn latency(mut self, host: &str, latency: Duration) -> TestWeb {
        self.entry(host).faults.latency = latency;
        self
    }

    /// The peer address that fetches in process report for a host.
    pub fn address(mut self, host: &str, address: SocketAddr) -> TestWeb {
        self.entry(host).address = Some(address);
        self
    }

    /// The names of the hosts, in order.
    pub fn hosts(&self) -> Vec<String> {
        self.hosts.keys().cloned().collect()
    }

    /// The requests so far, in the order in which their answers ended.
    pub fn log(&self) -> Vec<LogEntry> {
        lock(&self.shared.log).clone()
    }

    /// Forgets the log. Attempts that faults have counted stay counted.
    pub fn clear_log(&self) {
        lock(&self.shared.log).clear();
    }

    /// The answer to a request, without faults, latency and log; `None` for a host this web does not
    /// have.
    pub fn answer(&self, request: &Request) -> Option<Response> {
        self.hosts
            .get(&request.host)
            .map(|host| host.answer(request))
    }

    /// Decides how a request that begins now will be answered.
    pub(crate) fn plan(&self, request: &Request) -> Option<Plan> {
        let host = self.hosts.get(&request.host)?;
        let now = self.now();
        let mut memory = lock(&host.memory);
        let struck = host.faults.faulty_answer(request, &mut memory, now);
        let (response, ending) = match struck {
            Some(response) => (response, Ending::Whole),
            None => {
                let response = with_etag(host.answer(request), request);
                let ending = host
                    .faults
                    .ending(request, &mut memory, response.body.len());
                (response, ending)
            }
        };
        Some(Plan {
            wait: host.faults.wait(request) + response.wait,
            response,
            ending,
            address: host.address,
        })
    }

    /// Writes a finished request into the log.
    pub(crate) fn note(&self, request: &Request, started: Duration, plan: Option<&Plan>) {
        let response = plan.map(|plan| &plan.response);
        let entry = LogEntry {
            host: request.host.clone(),
            target: request.target(),
            url: request.url(),
            started,
            ended: self.now(),
            status: response.map_or(0, |r| r.status),
            retry_after_s: response
                .and_then(|r| r.header("retry-after"))
                .and_then(|value| value.parse().ok()),
            broken: match plan.map(|plan| plan.ending) {
                Some(Ending::Reset(_)) => Some("reset"),
                Some(Ending::Truncate(_)) => Some("truncate"),
                Some(Ending::Whole | Ending::Drip(_)) | None => None,
            },
            agent: request.header("user-agent").unwrap_or_default().to_owned(),
            conditional: ["if-none-match", "if-modified-since"]
                .iter()
                .any(|name| request.header(name).is_some()),
        };
        let mut log = lock(&self.shared.log);
        if log.len() < LOG_MAX {
            log.push(entry);
        }
    }

    /// Time since the web's first request, on tokio's clock.
    pub(crate) fn now(&self) -> Duration {
        self.shared.epoch.get_or_init(Instant::now).elapsed()
    }

    fn entry(&mut self, host: &str) -> &mut Host {
        let hosts = Arc::make_mut(&mut self.hosts);
        hosts.entry(host.to_ascii_lowercase()).or_default()
    }
}

impl Host {
    fn answer(&self, request: &Request) -> Response {
        if let Some(page) = self.pages.get(&request.target()) {
            return page.clone();
        }
        match &self.handler {
            Some(handler) => handler(request),
            None => Response::not_found(),
        }
    }
}

/// Gives a page its `ETag`, and answers 304 to a client that has it already; not where nothing is to be
/// stored.
fn with_etag(response: Response, request: &Request) -> Response {
    if response.status != 200 || response.header("cache-control") == Some("no-store") {
        return response;
    }
    let etag = match response.header("etag") {
        Some(etag) => etag.to_owned(),
        None => format!("\"{:016x}\"", hash(&response.body)),
    };
    let response = match response.header("etag") {
        Some(_) => response,
        None => response.with_header("etag", &etag),
    };
    if request.header("if-none-match") != Some(etag.as_str()) {
        return response;
    }
    Response {
        status: 304,
        headers: vec![("etag".into(), etag.into_bytes())],
        body: bytes::Bytes::new(),
        wait: response.wait,
    }
}

/// Locks a mutex, also when a holder has panicked: it guards plain data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(url: &str) -> Request {
        Request::get(&url::Url::parse(url).unwrap())
    }

    #[test]
    fn static_pages_come_before_the_handler_and_unknown_paths_are_not_found() {
        let web = TestWeb::new()
            .page("http://a.test/x?y=1", "static")
            .host("b.test", |request| Response::text(request.target()));
        let body = |url| web.answer(&get(url)).map(|r| (r.status, r.body));
        assert_eq!(body("http://a.test/x?y=1"), Some((200, "static".into())));
        assert_eq!(body("http://a.test/x").map(|r| r.0), Some(404));
        assert_eq!(body("http://b.test/p?q"), Some((200, "/p?q".into())));
        assert_eq!(body("http://c.test/"), None);
    }

    #[test]
    fn a_client_that_has_the_page_is_answered_304() {
        let web = TestWeb::new().page("http://a.test/", "hello");
        let mut request = get("http://a.test/");
        let etag = web
            .plan(&request)
            .unwrap()
            .response
            .header("etag")
            .map(str::to_owned);
        request
            .headers
            .push(("if-none-match".into(), etag.unwrap()));
        let again = web.plan(&request).unwrap().response;
        assert_eq!((again.status, again.body.len()), (304, 0));
    }
}
