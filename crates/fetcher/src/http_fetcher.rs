//! Fetching over HTTP: one bounded request at a time that names the crawler.
//!
//! The client is reqwest with most features off: no redirects, no automatic decompression, no retries,
//! no proxy from the environment, no cookies unless configured. It provides HTTP/1.1 and HTTP/2 over
//! rustls and a connection pool; resolver and address guard are this crate's.
//!
//! Each entry of [`HttpConfig::resolve`] has a client of its own, since reqwest does not tell the
//! resolver the port. So `a.example:80` and `a.example:8080` can have different addresses.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use governor::DefaultDirectRateLimiter;
use http::header::{self, HeaderMap, HeaderValue};
use url::Url;

use crate::body::{Bandwidth, BodyMemory, BodyReader, Files};
use crate::body_type::{declared_type, is_attachment};
use crate::client::{build, builder, proxy_of, rate_of};
use crate::config::HttpConfig;
use crate::connecting::Connecting;
use crate::cookies::CookieJar;
use crate::error::{FetchError, FetchSetupError, Seen, TimeoutPhase};
use crate::fetch::{
    AddressFuture, Fetch, FetchFuture, FetchRequest, Fetched, Purpose, ReadyFuture, Via,
};
use crate::guard::AddressGuard;
use crate::limits::FetchLimits;
use crate::resolve::{Fixed, Resolver};

/// Installs ring as the TLS provider of the process. Later calls change nothing.
pub fn init() {
    // An error means that there is a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Fetches over the network. To share it, put it in an `Arc`.
pub struct HttpFetcher {
    client: reqwest::Client,
    overrides: Overrides,
    guard: AddressGuard,
    resolver: Arc<Resolver>,
    limits: FetchLimits,
    proxied: bool,
    bandwidth: Option<Bandwidth>,
    memory: BodyMemory,
    rate: Option<DefaultDirectRateLimiter>,
}

/// Hosts and ports whose addresses the user has given.
struct Overrides {
    addresses: HashMap<(String, u16), SocketAddr>,
    /// Clients whose resolvers know these hosts. A name has one address to a resolver: only hosts with several,
    /// by port, need more than one client.
    clients: Vec<(HashMap<String, IpAddr>, reqwest::Client)>,
}

impl Overrides {
    fn of(config: &HttpConfig, cookies: Option<&Arc<CookieJar>>) -> Result<Self, FetchSetupError> {
        let mut addresses = HashMap::new();
        let mut tables: Vec<HashMap<String, IpAddr>> = Vec::new();
        for (host, port, address) in &config.resolve {
            let host = host.to_ascii_lowercase();
            let ip = address.ip();
            // The first word on a host and port counts.
            if addresses.contains_key(&(host.clone(), *port)) {
                continue;
            }
            addresses.insert((host.clone(), *port), *address);
            let fits = |table: &&mut HashMap<String, IpAddr>| {
                table.get(&host).is_none_or(|&known| known == ip)
            };
            match tables.iter_mut().find(fits) {
                Some(table) => _ = table.insert(host, ip),
                None => tables.push(HashMap::from([(host, ip)])),
            }
        }
        let with_client = |table: HashMap<String, IpAddr>| {
            let resolver = Arc::new(Fixed(table.clone()));
            let client = build(builder(config, cookies)?.dns_resolver(resolver))?;
            Ok((table, client))
        };
        let clients = tables
            .into_iter()
            .map(with_client)
            .collect::<Result<_, _>>()?;
        Ok(Self { addresses, clients })
    }

    /// The address given for a host and port, and the client that goes there.
    fn get(&self, host: &str, port: u16) -> Option<(SocketAddr, &reqwest::Client)> {
        let address = *self.addresses.get(&(host.to_owned(), port))?;
        let knows =
            |(table, _): &&(HashMap<String, IpAddr>, _)| table.get(host) == Some(&address.ip());
        let (_, client) = self.clients.iter().find(knows)?;
        Some((address, client))
    }
}

impl std::fmt::Debug for HttpFetcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HttpFetcher")
            .field("limits", &self.limits)
            .field("proxied", &self.proxied)
            .finish_non_exhaustive()
    }
}

impl HttpFetcher {
    /// Builds the client. This takes some tens of milliseconds, since the system's certificates are
    /// read, so build one for a crawl and not one for each request.
    ///
    /// # Errors
    /// [`FetchSetupError`] for a proxy, header or rate that cannot be used, and when the system
    /// has no CA certificates.
    pub fn new(config: HttpConfig) -> Result<Self, FetchSetupError> {
        init();
        let guard = if config.allow_private {
            AddressGuard::allow_all()
        } else {
            AddressGuard::public_only()
        };
        let proxy = config.proxy.as_ref().map(proxy_of).transpose()?;
        let proxy_host = config
            .proxy
            .as_ref()
            .and_then(|p| p.host_str().map(str::to_owned));
        let resolver = Arc::new(Resolver::new(guard, proxy_host));
        let cookies = config.cookies.then(Arc::<CookieJar>::default);
        let base = builder(&config, cookies.as_ref())?;
        let client = match proxy {
            Some(proxy) => base.proxy(proxy),
            None => base,
        };
        let client = build(client.dns_resolver(Arc::clone(&resolver)))?;
        let overrides = Overrides::of(&config, cookies.as_ref())?;
        let rate = config.requests_per_second.map(rate_of).transpose()?;
        Ok(Self {
            client,
            overrides,
            guard,
            resolver,
            proxied: config.proxy.is_some(),
            bandwidth: config.bandwidth.and_then(Bandwidth::new),
            memory: BodyMemory::new(
                config.limits.large_bodies_bytes_max,
                config.limits.body_bytes_max,
            ),
            rate,
            limits: config.limits,
        })
    }

    /// The limits of this fetcher.
    pub fn limits(&self) -> &FetchLimits {
        &self.limits
    }

    async fn first_address(&self, host: &str) -> Option<IpAddr> {
        if self.proxied {
            return None;
        }
        // Either scheme may be meant where no port is named: both are one machine's.
        let url = Url::parse(&format!("http://{host}/")).ok()?;
        let ports = url.port().map_or(vec![80, 443], |port| vec![port]);
        let mut given = ports
            .iter()
            .filter_map(|&port| self.overrides.get(url.host_str()?, port));
        if let Some((address, _)) = given.next() {
            return Some(address.ip());
        }
        match url.host()? {
            url::Host::Ipv4(address) => Some(address.into()),
            url::Host::Ipv6(address) => Some(address.into()),
            url::Host::Domain(name) => self.resolver.first(name).await,
        }
    }

    async fn run(&self, request: FetchRequest) -> Result<Fetched, FetchError> {
        request.check_url(&self.limits)?;
        let (client, target, host_header) = self.route(&request.url);
        if host_header.is_none() {
            self.check_address(&request.url)?;
        }
        let mut headers = request_headers(&request);
        if let Some(Some(host)) = host_header {
            headers.insert(header::HOST, host);
        }
        let started = Instant::now();
        let response = self.send_anew(client, target, headers, started).await?;
        let first_byte = started.elapsed();
        let status = response.status().as_u16();
        let http_version = version_name(response.version());
        let remote = response.remote_addr();
        let files = self.files(request.purpose, response.url(), response.headers());
        let headers = self.response_headers(response.headers())?;
        let reader = BodyReader {
            limits: &self.limits,
            bytes_max: self.limits.bytes_max(request.purpose),
            files,
            started,
            bandwidth: self.bandwidth.as_ref(),
            memory: &self.memory,
            proxied: self.proxied,
        };
        let received = reader.read(response).await?;
        Ok(Fetched {
            url: request.url,
            status,
            http_version,
            headers,
            body: received.body,
            via: Via::Wire,
            remote,
            truncated: received.truncated,
            first_byte,
            total: started.elapsed(),
            waited: received.waited,
        })
    }

    /// Sends the request, and once more where the host has closed a connection kept from before without an answer:
    /// that tells nothing of the page (RFC 9110 §9.2.2).
    async fn send_anew(
        &self,
        client: &reqwest::Client,
        url: Url,
        headers: HeaderMap,
        started: Instant,
    ) -> Result<reqwest::Response, FetchError> {
        let connecting = Connecting::default();
        let sent = self.send(client, url.clone(), headers.clone(), started, &connecting);
        match sent.await {
            Err(FetchError::Reset { .. }) if !connecting.has_begun() => {
                self.send(client, url, headers, started, &Connecting::default())
                    .await
            }
            answer => answer,
        }
    }

    /// Sends the request and waits for the response's headers.
    async fn send(
        &self,
        client: &reqwest::Client,
        url: Url,
        headers: HeaderMap,
        started: Instant,
        connecting: &Connecting,
    ) -> Result<reqwest::Response, FetchError> {
        let limits = &self.limits;
        let bounds = (
            limits.connect_timeout,
            limits.first_byte_timeout,
            limits.total_timeout.saturating_sub(started.elapsed()),
        );
        let sent = client.get(url).headers(headers).send();
        match connecting.clone().wait(sent, bounds).await {
            Some(Ok(response)) => Ok(response),
            Some(Err(error)) => {
                let seen = Seen {
                    proxied: self.proxied,
                    phase: if error.is_connect() {
                        TimeoutPhase::Connect
                    } else {
                        TimeoutPhase::FirstByte
                    },
                    elapsed: started.elapsed(),
                    header_count_max: self.limits.header_count_max,
                };
                Err(FetchError::classify(&error, &seen))
            }
            None => Err(FetchError::Timeout {
                phase: TimeoutPhase::FirstByte,
                after: started.elapsed(),
            }),
        }
    }

    fn check_address(&self, url: &Url) -> Result<(), FetchError> {
        let checked = if self.proxied {
            self.guard.check_proxied(url)
        } else {
            self.guard.check_literal(url)
        };
        Ok(checked?)
    }

    /// The client for a URL and the URL to request from it. For an override also the Host header to
    /// send, which is `None` unless the override's port is another than the URL's.
    fn route(&self, url: &Url) -> (&reqwest::Client, Url, Option<Option<HeaderValue>>) {
        let mut target = url.clone();
        target.set_fragment(None);
        if self.proxied {
            return (&self.client, target, None);
        }
        let origin = url.host_str().zip(url.port_or_known_default());
        let given = origin.and_then(|(host, port)| self.overrides.get(host, port));
        let (Some((host, port)), Some((address, client))) = (origin, given) else {
            return (&self.client, target, None);
        };
        let mut host_header = None;
        if port != address.port() {
            // reqwest connects to the URL's port, so that is replaced. The Host header still has the one it had.
            let authority = match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            };
            host_header = HeaderValue::from_str(&authority).ok();
            // Setting the port of an http URL with a host cannot fail.
            let _ = target.set_port(Some(address.port()));
        }
        (client, target, Some(host_header))
    }

    /// Which bodies are not read on: of pages those that are none.
    fn files(&self, purpose: Purpose, url: &Url, headers: &HeaderMap) -> Option<Files> {
        // Of several the last counts, as in `Fetched::content_type`.
        let content_type = headers.get_all(header::CONTENT_TYPE).iter();
        let content_type = content_type
            .filter_map(|value| value.to_str().ok())
            .next_back();
        let disposition = headers.get(header::CONTENT_DISPOSITION);
        let disposition = disposition.and_then(|value| value.to_str().ok());
        let is_attachment = is_attachment(disposition.unwrap_or_default());
        (purpose == Purpose::Page).then(|| Files {
            content_type: declared_type(content_type, url.path(), is_attachment),
            is_coded: headers.contains_key(header::CONTENT_ENCODING),
            bytes_max: self.limits.file_bytes_max,
        })
    }

    fn response_headers(&self, headers: &HeaderMap) -> Result<Vec<(String, Vec<u8>)>, FetchError> {
        let too_large = |what, limit: usize| FetchError::TooLarge {
            what,
            limit: limit as u64,
        };
        if headers.len() > self.limits.header_count_max {
            return Err(too_large(
                "the number of headers",
                self.limits.header_count_max,
            ));
        }
        let bytes: usize = headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len() + 4)
            .sum();
        if bytes > self.limits.header_bytes_max {
            return Err(too_large(
                "the size of the headers",
                self.limits.header_bytes_max,
            ));
        }
        Ok(headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
            .collect())
    }
}

impl Fetch for HttpFetcher {
    fn fetch<'a>(&'a self, request: FetchRequest) -> FetchFuture<'a> {
        Box::pin(self.run(request))
    }

    fn ready<'a>(&'a self, _: &'a FetchRequest) -> ReadyFuture<'a> {
        Box::pin(async {
            if let Some(rate) = &self.rate {
                rate.until_ready().await;
            }
        })
    }

    fn address<'a>(&'a self, host: &'a str) -> AddressFuture<'a> {
        Box::pin(self.first_address(host))
    }
}

/// The headers that depend on the request.
fn request_headers(request: &FetchRequest) -> HeaderMap {
    let accept = match request.purpose {
        Purpose::Page => "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        Purpose::Robots => "text/plain,*/*;q=0.8",
        Purpose::Sitemap => "application/xml,text/xml,text/plain;q=0.9,*/*;q=0.8",
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    // A validator that is no valid header value is left out.
    let validators = [
        (header::IF_NONE_MATCH, &request.if_none_match),
        (header::IF_MODIFIED_SINCE, &request.if_modified_since),
    ];
    for (name, value) in validators {
        if let Some(value) = value.as_deref().and_then(|v| HeaderValue::from_str(v).ok()) {
            headers.insert(name, value);
        }
    }
    headers
}

fn version_name(version: http::Version) -> &'static str {
    match version {
        http::Version::HTTP_09 => "HTTP/0.9",
        http::Version::HTTP_10 => "HTTP/1.0",
        http::Version::HTTP_2 => "HTTP/2",
        http::Version::HTTP_3 => "HTTP/3",
        _ => "HTTP/1.1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_with_one_address_share_a_client() {
        init();
        let entry =
            |host: &str, port, address: &str| (host.to_owned(), port, address.parse().unwrap());
        let many = (0..1000).map(|at| entry(&format!("h{at}.example"), 80, "127.0.0.1:8080"));
        let several = [
            entry("h1.example", 443, "127.0.0.1:8443"),
            entry("h1.example", 81, "127.0.0.2:8080"),
            entry("H1.example", 81, "127.0.0.3:8080"),
        ];
        let config = HttpConfig {
            resolve: many.chain(several).collect(),
            ..HttpConfig::default()
        };
        let overrides = Overrides::of(&config, None).unwrap();
        assert_eq!(overrides.addresses.len(), 1002);
        assert_eq!(overrides.clients.len(), 2, "one for each address of h1");
        let address = |host, port| {
            overrides
                .get(host, port)
                .map(|(address, _)| address.to_string())
        };
        assert_eq!(address("h7.example", 80).as_deref(), Some("127.0.0.1:8080"));
        assert_eq!(address("h1.example", 81).as_deref(), Some("127.0.0.2:8080"));
        assert_eq!(address("h1.example", 82), None);
    }
}
