//! The faults of real servers, set for each host.
//!
//! Which URLs a fault strikes follows from a hash of the URL and the fault's rate. A URL recovers after
//! a number of requests. So two crawls of one web meet the same faults in whatever order they fetch.
//! Only `too_many` depends on the times of requests.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use crate::message::{Request, Response};

/// The faults of a host. By default it has none, and no latency.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    /// Time from the request to the first byte.
    pub latency: Duration,
    /// Up to this much more latency, by a hash of the URL.
    pub latency_spread: Duration,
    /// Answers 429 when there are too many requests in a window.
    pub too_many: Option<TooMany>,
    /// Answers 500.
    pub error_500: Option<Strike>,
    /// Answers 503, with `Retry-After` where given.
    pub error_503: Option<Strike>,
    /// Resets the connection in the middle of the body.
    pub reset: Option<Strike>,
    /// Announces the whole body, sends half of it and closes.
    pub truncate: Option<Strike>,
    /// Sends the body at this many bytes a second.
    pub drip: Option<Drip>,
    /// Answers with a chain of redirects that ends at the page.
    pub redirect_chain: Option<Chain>,
    /// Redirects from URL to URL without an end. The value is the share of URLs struck.
    pub redirect_loop: Option<f64>,
}

/// 429 after too many requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TooMany {
    /// Requests allowed in one window.
    pub max: u32,
    /// The window.
    pub window: Duration,
    /// Seconds in `Retry-After`.
    pub retry_after_s: u32,
}

/// A fault that strikes some URLs, for their first requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strike {
    /// Share of URLs struck, 0.0 to 1.0.
    pub rate: f64,
    /// After this many requests the URL has recovered; 0 means never.
    pub recover_after: u32,
    /// Seconds in `Retry-After`, for 503.
    pub retry_after_s: Option<u32>,
}

/// A slow body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drip {
    /// Share of URLs struck, 0.0 to 1.0.
    pub rate: f64,
    /// Bytes of body a second.
    pub bytes_per_s: u32,
}

/// Redirects before the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chain {
    /// Share of URLs struck, 0.0 to 1.0.
    pub rate: f64,
    /// Redirects before the page.
    pub hops: u32,
}

impl Strike {
    /// Strikes a share of the URLs, each until it was requested `recover_after` times.
    pub fn new(rate: f64, recover_after: u32) -> Strike {
        Strike {
            rate,
            recover_after,
            retry_after_s: None,
        }
    }

    /// Adds a `Retry-After` of so many seconds.
    pub fn retry_after(mut self, seconds: u32) -> Strike {
        self.retry_after_s = Some(seconds);
        self
    }
}

/// How a body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Whole.
    Whole,
    /// After this many bytes the connection is reset.
    Reset(usize),
    /// After this many bytes the connection is closed.
    Truncate(usize),
    /// Whole, at so many bytes a second.
    Drip(u32),
}

/// What a host remembers of earlier requests.
#[derive(Debug, Default)]
pub(crate) struct RequestMemory {
    /// Requests by fault and URL.
    attempts: HashMap<String, u32>,
    /// The times of the last requests.
    recent: VecDeque<Duration>,
}

/// URLs a host remembers: a bound for a crawl that never ends.
const REMEMBERED_MAX: usize = 1_000_000;

/// The query parameter that counts the hops of a redirect chain.
const HOP: &str = "hop";

impl Faults {
    /// The answer in place of the handler's, if a fault strikes.
    pub(crate) fn faulty_answer(
        &self,
        request: &Request,
        memory: &mut RequestMemory,
        now: Duration,
    ) -> Option<Response> {
        if request.path == "/robots.txt" {
            return None;
        }
        if let Some(limit) = self.too_many {
            while memory
                .recent
                .front()
                .is_some_and(|&t| t + limit.window <= now)
            {
                memory.recent.pop_front();
            }
            memory.recent.push_back(now);
            if memory.recent.len() > limit.max as usize {
                return Some(retry_later(429, Some(limit.retry_after_s)));
            }
        }
        let url = request.url();
        if let Some(strike) = self.error_500.filter(|s| memory.strikes("500", s, &url)) {
            return Some(retry_later(500, strike.retry_after_s));
        }
        if let Some(strike) = self.error_503.filter(|s| memory.strikes("503", s, &url)) {
            return Some(retry_later(503, strike.retry_after_s));
        }
        self.redirect(request, &url)
    }

    fn redirect(&self, request: &Request, url: &str) -> Option<Response> {
        if let Some(rate) = self.redirect_loop
            && (request.parameter("loop").is_some() || is_struck("loop", url, rate))
        {
            let turn: u64 = request
                .parameter("loop")
                .map_or(0, |n| n.parse().unwrap_or(0));
            let to = format!("{}?loop={}", request.path, turn.saturating_add(1));
            return Some(Response::redirect(302, &to));
        }
        let chain = self.redirect_chain?;
        if !is_struck(
            "chain",
            &format!("{}{}", request.host, request.path),
            chain.rate,
        ) {
            return None;
        }
        let done: u32 = request.parameter(HOP).map_or(0, |n| n.parse().unwrap_or(0));
        if done >= chain.hops {
            return None;
        }
        let rest = request.query.as_deref().unwrap_or_default();
        let mut query: Vec<&str> = rest.split('&').filter(|p| !p.is_empty()).collect();
        query.retain(|pair| !pair.starts_with("hop="));
        let next = format!("{HOP}={}", done + 1);
        query.push(&next);
        let to = format!("{}?{}", request.path, query.join("&"));
        Some(Response::redirect(301, &to))
    }

    /// How the body of the handler's answer is sent.
    pub(crate) fn ending(
        &self,
        request: &Request,
        memory: &mut RequestMemory,
        body: usize,
    ) -> Ending {
        if request.path == "/robots.txt" {
            return Ending::Whole;
        }
        let url = request.url();
        if self
            .reset
            .is_some_and(|s| memory.strikes("reset", &s, &url))
        {
            return Ending::Reset(body / 3);
        }
        if self
            .truncate
            .is_some_and(|s| memory.strikes("truncate", &s, &url))
        {
            return Ending::Truncate(body / 2);
        }
        match self.drip {
            Some(drip) if is_struck("drip", &url, drip.rate) => {
                Ending::Drip(drip.bytes_per_s.max(1))
            }
            _ => Ending::Whole,
        }
    }

    /// The time to the first byte.
    pub(crate) fn wait(&self, request: &Request) -> Duration {
        self.latency
            + self
                .latency_spread
                .mul_f64(uniform("latency", &request.url()))
    }
}

impl RequestMemory {
    fn strikes(&mut self, fault: &str, strike: &Strike, url: &str) -> bool {
        if !is_struck(fault, url, strike.rate) {
            return false;
        }
        if self.attempts.len() >= REMEMBERED_MAX {
            return strike.recover_after == 0;
        }
        let attempts = self.attempts.entry(format!("{fault} {url}")).or_insert(0);
        *attempts += 1;
        strike.recover_after == 0 || *attempts <= strike.recover_after
    }
}

fn retry_later(status: u16, seconds: Option<u32>) -> Response {
    let response = Response::error(status);
    match seconds {
        Some(seconds) => response.with_header("retry-after", &seconds.to_string()),
        None => response,
    }
}

/// Whether a URL belongs to the share that a fault strikes.
fn is_struck(salt: &str, url: &str, rate: f64) -> bool {
    uniform(salt, url) < rate
}

/// A number from 0.0 to 1.0 that depends on the URL and a salt alone.
fn uniform(salt: &str, url: &str) -> f64 {
    // The high bits of FNV-1a are not uniform for short texts: mix once more.
    let mut hash = hash(salt.as_bytes()) ^ hash(url.as_bytes()).rotate_left(17);
    hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^= hash >> 29;
    (hash >> 11) as f64 / (1u64 << 53) as f64
}

/// FNV-1a, 64 bits: its definition is fixed, and it is good enough for random choices.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(target: &str) -> Request {
        let url = url::Url::parse(&format!("http://a.test{target}")).unwrap();
        Request::get(&url)
    }

    #[test]
    fn a_rate_strikes_about_that_share_of_urls() {
        let struck = (0..10_000)
            .filter(|n| is_struck("500", &format!("http://a.test/{n}"), 0.3))
            .count();
        assert!((2_700..3_300).contains(&struck), "{struck}");
    }

    #[test]
    fn a_struck_url_recovers_after_its_number_of_requests() {
        let faults = Faults {
            error_503: Some(Strike::new(1.0, 2).retry_after(1)),
            ..Faults::default()
        };
        let mut memory = RequestMemory::default();
        let mut ask = || faults.faulty_answer(&request("/x"), &mut memory, Duration::ZERO);
        let first = ask().expect("struck");
        assert_eq!(
            (first.status, first.header("retry-after")),
            (503, Some("1"))
        );
        assert!(ask().is_some());
        assert!(ask().is_none());
    }

    #[test]
    fn a_redirect_chain_ends_at_the_page_and_a_loop_never_does() {
        let chain = Faults {
            redirect_chain: Some(Chain { rate: 1.0, hops: 2 }),
            ..Faults::default()
        };
        let mut memory = RequestMemory::default();
        let mut go = |faults: &Faults, target: &str| {
            let answer = faults.faulty_answer(&request(target), &mut memory, Duration::ZERO);
            answer.map(|r| r.header("location").unwrap_or_default().to_owned())
        };
        assert_eq!(go(&chain, "/x?a=1").as_deref(), Some("/x?a=1&hop=1"));
        assert_eq!(go(&chain, "/x?a=1&hop=1").as_deref(), Some("/x?a=1&hop=2"));
        assert_eq!(go(&chain, "/x?a=1&hop=2"), None);
        let endless = Faults {
            redirect_loop: Some(1.0),
            ..Faults::default()
        };
        assert_eq!(go(&endless, "/x").as_deref(), Some("/x?loop=1"));
        assert_eq!(go(&endless, "/x?loop=41").as_deref(), Some("/x?loop=42"));
    }

    #[test]
    fn too_many_requests_in_a_window_are_answered_429_until_it_has_passed() {
        let faults = Faults {
            too_many: Some(TooMany {
                max: 2,
                window: Duration::from_secs(1),
                retry_after_s: 3,
            }),
            ..Faults::default()
        };
        let mut memory = RequestMemory::default();
        let mut at = |ms| {
            let answer =
                faults.faulty_answer(&request("/"), &mut memory, Duration::from_millis(ms));
            answer.map(|r| r.status)
        };
        assert_eq!((at(0), at(10), at(20)), (None, None, Some(429)));
        assert_eq!(at(1500), None);
    }
}
