//! The configuration of a fetcher: identity, proxy and addresses, limits.

use std::net::SocketAddr;

use url::Url;

use crate::limits::FetchLimits;

/// The configuration of an [`HttpFetcher`](crate::HttpFetcher). Its `Debug` form leaves out the proxy's
/// password.
#[derive(Clone, PartialEq)]
pub struct HttpConfig {
    /// The product and version that stand first in the User-Agent header.
    pub user_agent: String,
    /// How to reach whoever runs the crawler: a URL or a mail address. It stands in the
    /// User-Agent as `(+contact)`, and a mail address also in the From header.
    pub contact: Option<String>,
    /// The bounds on each fetch.
    pub limits: FetchLimits,
    /// An http, https, socks4(a) or socks5(h) proxy for every request. The proxy resolves names.
    pub proxy: Option<Url>,
    /// Addresses to use for (host, port) instead of asking the name server. The user has chosen them, so
    /// the address guard does not apply. They are not used with a proxy.
    pub resolve: Vec<(String, u16, SocketAddr)>,
    /// Whether private, loopback and other special addresses may be reached.
    pub allow_private: bool,
    /// Whether connections are kept for some seconds for a further request of their host.
    pub keeps_idle: bool,
    /// Whether cookies are kept, in memory, and sent back to the hosts that set them.
    pub cookies: bool,
    /// The most body bytes per second, over all fetches together.
    pub bandwidth: Option<u64>,
    /// The most requests per second, over all hosts together.
    pub requests_per_second: Option<f64>,
    /// The Accept-Language header; none by default.
    pub accept_language: Option<String>,
    /// Certificate authorities to trust in addition to the system's, as PEM.
    pub extra_roots_pem: Vec<Vec<u8>>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            user_agent: concat!("tamis/", env!("CARGO_PKG_VERSION")).to_owned(),
            contact: None,
            limits: FetchLimits::default(),
            proxy: None,
            resolve: Vec::new(),
            allow_private: false,
            keeps_idle: true,
            cookies: false,
            bandwidth: None,
            requests_per_second: None,
            accept_language: None,
            extra_roots_pem: Vec::new(),
        }
    }
}

impl std::fmt::Debug for HttpConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("HttpConfig")
            .field("user_agent", &self.user_agent_header())
            .field("proxy", &self.proxy.as_ref().map(without_password))
            .field("resolve", &self.resolve)
            .field("allow_private", &self.allow_private)
            .field("cookies", &self.cookies)
            .field("bandwidth", &self.bandwidth)
            .field("requests_per_second", &self.requests_per_second)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// A URL as it may be shown and logged.
pub(crate) fn without_password(url: &Url) -> String {
    let mut shown = url.clone();
    if shown.password().is_some() {
        // Setting a password cannot fail if there is one already.
        let _ = shown.set_password(Some("***"));
    }
    shown.to_string()
}

impl HttpConfig {
    /// The default configuration with a contact: a URL or a mail address.
    pub fn with_contact(contact: &str) -> Self {
        Self {
            contact: Some(contact.to_owned()),
            ..Self::default()
        }
    }

    /// The whole User-Agent header: `tamis/0.1 (+https://example.org/crawler)`.
    pub fn user_agent_header(&self) -> String {
        match &self.contact {
            Some(contact) => format!("{} (+{contact})", self.user_agent),
            None => self.user_agent.clone(),
        }
    }

    /// The From header (RFC 9110 §10.1.2): the contact when it is a mail address.
    pub fn from_header(&self) -> Option<String> {
        let contact = self.contact.as_deref()?;
        let address = contact.strip_prefix("mailto:").unwrap_or(contact);
        let (local, domain) = address.split_once('@')?;
        let plain = !local.is_empty() && !domain.is_empty() && !address.contains(['/', ' ']);
        plain.then(|| address.to_owned())
    }
}
