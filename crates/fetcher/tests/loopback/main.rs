//! The fetcher against servers on loopback: limits, broken servers, proxies and addresses, identity, TLS.

#![allow(
    clippy::disallowed_methods,
    reason = "tests wait for other processes, and servers of tests are slow"
)]

mod broken;
mod connections;
mod identity;
mod limits;
mod server;
mod tls;

use fetcher::{Fetch, FetchError, FetchRequest, Fetched, HttpConfig, HttpFetcher};
use url::Url;

/// Fetches one URL with a fetcher of its own.
fn fetch(config: HttpConfig, url: &str) -> Result<Fetched, FetchError> {
    let fetcher = HttpFetcher::new(config).expect("a fetcher");
    fetch_with(&fetcher, url)
}

fn fetch_with(fetcher: &HttpFetcher, url: &str) -> Result<Fetched, FetchError> {
    let request = FetchRequest::page(Url::parse(url).expect("a URL"));
    runtime().block_on(fetcher.fetch(request))
}

/// One runtime for all tests of this process.
fn runtime() -> &'static tokio::runtime::Runtime {
    static RUNTIME: std::sync::OnceLock<tokio::runtime::Runtime> = std::sync::OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().expect("a runtime"))
}

/// Loopback is private, so most tests allow it.
fn local() -> HttpConfig {
    HttpConfig {
        allow_private: true,
        ..HttpConfig::default()
    }
}

/// A port that is taken, so that no other test is given it, and refuses connections.
fn closed_port() -> (std::net::SocketAddr, tokio::net::TcpSocket) {
    let _inside = runtime().enter();
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket
        .bind(std::net::SocketAddr::from(([127, 0, 0, 1], 0)))
        .expect("bind");
    (socket.local_addr().expect("address"), socket)
}
