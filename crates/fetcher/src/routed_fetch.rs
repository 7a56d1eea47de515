//! Choosing a fetcher by host: most hosts over HTTP, some by a browser or through a proxy.
//!
//! [`RoutedFetch`] is itself a [`Fetch`], so a crawl does not know that there are several fetchers.
//! That settles who enforces what:
//!
//! | rule | enforced by |
//! |---|---|
//! | robots.txt, delays, scope, budgets | the caller, by URL, before it calls the router |
//! | scheme, no credentials, length of the URL, no literal private address | the router |
//! | the answer is for the URL asked; size of the body | the router, on the answer of a routed fetcher |
//! | addresses of names, time limits, size of headers, requests for parts of a page | each fetcher |
//!
//! The default fetcher's answers pass unchanged: with no rule the router behaves as the default alone.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use url::{Host, Url};

use crate::error::FetchError;
use crate::fetch::{
    AddressFuture, Fetch, FetchFuture, FetchRequest, Fetched, Purpose, ReadyFuture, Truncated,
};
use crate::guard::AddressGuard;
use crate::limits::FetchLimits;

/// Which hosts a rule is for.
///
/// Written as `example.org` for one host, and as `.example.org` for that host and all hosts below it.
///
/// ```
/// use fetcher::HostRule;
/// let rule: HostRule = ".Example.org".parse().unwrap();
/// assert_eq!(rule, HostRule::Suffix("example.org".to_owned()));
/// assert!("not a host".parse::<HostRule>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum HostRule {
    /// This host alone: a name or an address.
    Exact(String),
    /// The host of this name and all hosts below it.
    Suffix(String),
}

/// A text that is no host rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "read host rule {text:?}: neither a host such as \"a.example\" nor a suffix such as \".example\""
)]
pub struct NotAHostRule {
    text: String,
}

impl FromStr for HostRule {
    type Err = NotAHostRule;

    fn from_str(text: &str) -> Result<Self, NotAHostRule> {
        let wrong = || NotAHostRule {
            text: text.to_owned(),
        };
        let (name, is_suffix) = match text.strip_prefix('.') {
            Some(name) => (name, true),
            None => (text, false),
        };
        match (Host::parse(name).map_err(|_| wrong())?, is_suffix) {
            (Host::Domain(name), true) => Ok(Self::Suffix(without_root_dot(&name).to_owned())),
            (Host::Ipv4(_) | Host::Ipv6(_), true) => Err(wrong()),
            (host, false) => Ok(Self::Exact(without_root_dot(&host.to_string()).to_owned())),
        }
    }
}

impl fmt::Display for HostRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(host) => formatter.write_str(host),
            Self::Suffix(name) => write!(formatter, ".{name}"),
        }
    }
}

/// `a.example.` is the same host as `a.example`.
fn without_root_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// A fetcher for some hosts.
struct Route {
    fetcher: Arc<dyn Fetch>,
    /// Whether it fetches pages only, and robots.txt and sitemaps are left to the default.
    pages_only: bool,
}

/// A [`Fetch`] that asks one of several fetchers, chosen by the host of the URL.
///
/// The rule of a single host counts before the rules of suffixes, and of these the longest. Where no
/// rule matches, the default is asked.
///
/// ```
/// use std::sync::Arc;
/// use fetcher::{AddressGuard, FetchLimits, HttpConfig, HttpFetcher, RoutedFetch};
///
/// let direct = Arc::new(HttpFetcher::new(HttpConfig::default()).unwrap());
/// let proxy = url::Url::parse("socks5h://127.0.0.1:9050").ok();
/// let proxied = HttpFetcher::new(HttpConfig { proxy, ..HttpConfig::default() }).unwrap();
/// let fetcher = RoutedFetch::new(direct, AddressGuard::public_only(), FetchLimits::default())
///     .route(".onion".parse().unwrap(), Arc::new(proxied));
/// ```
pub struct RoutedFetch {
    default: Arc<dyn Fetch>,
    exact: HashMap<String, Route>,
    suffixes: HashMap<String, Route>,
    guard: AddressGuard,
    limits: FetchLimits,
}

impl RoutedFetch {
    /// A router without rules. `guard` and `limits` are the crawl's; they apply to routed fetchers,
    /// since the default has its own.
    pub fn new(default: Arc<dyn Fetch>, guard: AddressGuard, limits: FetchLimits) -> Self {
        Self {
            default,
            exact: HashMap::new(),
            suffixes: HashMap::new(),
            guard,
            limits,
        }
    }

    /// Sends every request for the rule's hosts to `fetcher`. A later call with the same rule replaces
    /// the earlier one.
    #[must_use]
    pub fn route(self, rule: HostRule, fetcher: Arc<dyn Fetch>) -> Self {
        self.with(rule, fetcher, false)
    }

    /// Sends requests for pages of the rule's hosts to `fetcher`, and requests for robots.txt and
    /// sitemaps to the default: a browser would render those as pages.
    #[must_use]
    pub fn route_pages(self, rule: HostRule, fetcher: Arc<dyn Fetch>) -> Self {
        self.with(rule, fetcher, true)
    }

    fn with(mut self, rule: HostRule, fetcher: Arc<dyn Fetch>, pages_only: bool) -> Self {
        let route = Route {
            fetcher,
            pages_only,
        };
        match rule {
            HostRule::Exact(host) => self.exact.insert(host, route),
            HostRule::Suffix(name) => self.suffixes.insert(name, route),
        };
        self
    }

    /// The fetcher that a rule gives for a request; `None` for the default.
    fn routed(&self, request: &FetchRequest) -> Option<&Arc<dyn Fetch>> {
        let route = self.rule_for(&request.url)?;
        let is_page = request.purpose == Purpose::Page;
        (is_page || !route.pages_only).then_some(&route.fetcher)
    }

    fn rule_for(&self, url: &Url) -> Option<&Route> {
        let host = without_root_dot(url.host_str()?);
        if let Some(route) = self.exact.get(host) {
            return Some(route);
        }
        // Suffixes are names, so an address has none.
        if !matches!(url.host(), Some(Host::Domain(_))) {
            return None;
        }
        let mut rest = Some(host);
        while let Some(name) = rest {
            if let Some(route) = self.suffixes.get(name) {
                return Some(route);
            }
            rest = name.split_once('.').map(|(_, parent)| parent);
        }
        None
    }

    async fn run_routed(
        &self,
        fetcher: &Arc<dyn Fetch>,
        request: FetchRequest,
    ) -> Result<Fetched, FetchError> {
        request.check_url(&self.limits)?;
        self.guard.check_literal(&request.url)?;
        let (url, bytes_max) = (request.url.clone(), self.limits.bytes_max(request.purpose));
        let mut fetched = fetcher.fetch(request).await?;
        if without_fragment(&fetched.url) != without_fragment(&url) {
            return Err(FetchError::Protocol {
                message: format!("the fetcher answered for another URL: {}", fetched.url),
            });
        }
        let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
        if fetched.body.len() > bytes_max {
            fetched.body.truncate(bytes_max);
            fetched.truncated = Some(Truncated::Bytes);
        }
        Ok(fetched)
    }
}

fn without_fragment(url: &Url) -> &str {
    &url[..url::Position::AfterQuery]
}

impl Fetch for RoutedFetch {
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
        match self.routed(&request) {
            Some(fetcher) => Box::pin(self.run_routed(fetcher, request)),
            None => self.default.fetch(request),
        }
    }

    fn ready<'a>(&'a self, request: &'a FetchRequest) -> ReadyFuture<'a> {
        let fetcher = self.routed(request).unwrap_or(&self.default);
        fetcher.ready(request)
    }

    fn address<'a>(&'a self, host: &'a str) -> AddressFuture<'a> {
        self.default.address(host)
    }
}

impl fmt::Debug for RoutedFetch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RoutedFetch")
            .field("exact", &self.exact.keys())
            .field("suffixes", &self.suffixes.keys())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
