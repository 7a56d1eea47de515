//! Building the HTTP client, its proxy and its rate limiter.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::config::{HttpConfig, without_password};
use crate::connecting::NoteConnections;
use crate::cookies::CookieJar;
use crate::error::FetchSetupError;

/// The content codings that [`crate::decode_content`] can remove, in order of preference.
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";
/// How long idle connections are kept: less than the five seconds after which common servers close
/// theirs, so that a request is rarely sent on a connection that is being closed.
const POOL_IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept per host. The crawl has one request per host at a time.
const POOL_PER_HOST: usize = 2;

/// The settings that every client shares, and their cookies.
pub(crate) fn builder(
    config: &HttpConfig,
    cookies: Option<&Arc<CookieJar>>,
) -> Result<reqwest::ClientBuilder, FetchSetupError> {
    let mut headers = HeaderMap::new();
    let mut set = |name: HeaderName, shown: &'static str, value: &str| {
        let parsed = HeaderValue::from_str(value).map_err(|_| FetchSetupError::Header {
            name: shown,
            value: value.to_owned(),
        })?;
        headers.insert(name, parsed);
        Ok(())
    };
    set(
        header::USER_AGENT,
        "User-Agent",
        &config.user_agent_header(),
    )?;
    set(header::ACCEPT_ENCODING, "Accept-Encoding", ACCEPT_ENCODING)?;
    if let Some(from) = config.from_header() {
        set(header::FROM, "From", &from)?;
    }
    if let Some(languages) = &config.accept_language {
        set(header::ACCEPT_LANGUAGE, "Accept-Language", languages)?;
    }
    let header_list = u32::try_from(config.limits.header_bytes_max).unwrap_or(u32::MAX);
    let mut builder = reqwest::Client::builder()
        .default_headers(headers)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .connect_timeout(config.limits.connect_timeout)
        .connector_layer(NoteConnections)
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(if config.keeps_idle { POOL_PER_HOST } else { 0 })
        .http1_max_headers(config.limits.header_count_max)
        // A line that is no header is passed over, as browsers do: an old counter or proxy adds it to
        // every answer of a host.
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http2_max_header_list_size(header_list)
        .tcp_keepalive(Duration::from_secs(30));
    if let Some(cookies) = cookies {
        builder = builder.cookie_provider(Arc::clone(cookies));
    }
    for pem in &config.extra_roots_pem {
        let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(|error| {
            FetchSetupError::Client {
                message: error.to_string(),
            }
        })?;
        builder = builder.tls_certs_merge(certificates);
    }
    Ok(builder)
}

pub(crate) fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, FetchSetupError> {
    builder.build().map_err(|error| FetchSetupError::Client {
        message: format!("{error}: {}", root_cause(&error)),
    })
}

fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Checks that requests can be sent through this proxy.
///
/// # Errors
/// [`FetchSetupError::Proxy`] when its scheme is none of a proxy's.
pub fn check_proxy(url: &Url) -> Result<(), FetchSetupError> {
    proxy_of(url).map(drop)
}

/// The proxy for every request. It resolves all names in its own network, so `socks5` is taken for
/// `socks5h` and `socks4` for `socks4a`.
pub(crate) fn proxy_of(url: &Url) -> Result<reqwest::Proxy, FetchSetupError> {
    let wrong = |message: String| FetchSetupError::Proxy {
        url: without_password(url),
        message,
    };
    let scheme = match url.scheme() {
        "http" | "https" => url.scheme(),
        "socks5" | "socks5h" => "socks5h",
        "socks4" | "socks4a" => "socks4a",
        other => {
            return Err(wrong(format!(
                "{other} is not http, https, socks4 or socks5"
            )));
        }
    };
    let rest = url
        .as_str()
        .split_once(':')
        .map(|(_, rest)| rest)
        .unwrap_or_default();
    reqwest::Proxy::all(format!("{scheme}:{rest}")).map_err(|error| wrong(error.to_string()))
}

/// A rate limiter; the rate may be below one per second.
pub(crate) fn rate_of(per_second: f64) -> Result<DefaultDirectRateLimiter, FetchSetupError> {
    let wrong = || FetchSetupError::Rate {
        what: "requests per second",
        value: per_second.to_string(),
    };
    if !per_second.is_finite() || per_second <= 0.0 {
        return Err(wrong());
    }
    let period = Duration::try_from_secs_f64(1.0 / per_second).map_err(|_| wrong())?;
    let burst = NonZeroU32::new(per_second.ceil().min(1_000.0) as u32).ok_or_else(wrong)?;
    let quota = Quota::with_period(period.max(Duration::from_nanos(1)))
        .ok_or_else(wrong)?
        .allow_burst(burst);
    Ok(RateLimiter::direct(quota))
}
