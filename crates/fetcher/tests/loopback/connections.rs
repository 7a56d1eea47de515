//! Where connections go: proxies, configured addresses, and what the address guard refuses.

use std::io::{BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use fetcher::{FetchError, HttpConfig};
use url::Url;

use crate::server::{Server, ok};
use crate::{closed_port, fetch, local};

fn through(proxy: &str) -> HttpConfig {
    HttpConfig {
        proxy: Some(Url::parse(proxy).unwrap()),
        ..HttpConfig::default()
    }
}

fn refused(config: HttpConfig, url: &str) -> bool {
    matches!(fetch(config, url), Err(FetchError::Guard { .. }))
}

#[test]
fn loopback_is_refused_unless_allowed() {
    let server = Server::says(ok("secret"));
    let port = server.address.port();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
        "localhost",
    ] {
        let url = format!("http://{host}:{port}/");
        let error = fetch(HttpConfig::default(), &url).unwrap_err();
        assert_eq!(error.name(), "guard", "{url}: {error:?}");
        assert!(!error.is_transient());
    }
    assert!(server.heads().is_empty());
    assert!(fetch(local(), &server.url("/")).is_ok());
    assert!(fetch(local(), &format!("http://localhost:{port}/")).is_ok());
}

#[test]
fn a_proxy_is_asked_for_every_url_and_may_itself_be_local() {
    let proxy = Server::says(ok("by proxy"));
    let fetched = fetch(through(&proxy.url("")), "http://a.example/x?y").unwrap();
    assert_eq!(&fetched.body[..], b"by proxy");
    let head = &proxy.heads()[0];
    assert!(
        head.starts_with("get http://a.example/x?y http/1.1\r\n"),
        "{head}"
    );
    assert!(head.contains("host: a.example\r\n"));
}

#[test]
fn a_proxy_named_by_a_local_name_is_reached() {
    let proxy = Server::says(ok("by proxy"));
    let url = format!("http://localhost:{}", proxy.address.port());
    assert!(fetch(through(&url), "http://a.example/").is_ok());
}

#[test]
fn local_addresses_and_names_are_refused_before_a_proxy_is_asked() {
    let proxy = Server::says(ok("by proxy"));
    for url in [
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://localhost/",
        "http://a.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/",
        "http://router/",
        "http://localhost./",
    ] {
        assert!(refused(through(&proxy.url("")), url), "{url}");
    }
    assert!(proxy.heads().is_empty());
    let lifted = HttpConfig {
        allow_private: true,
        ..through(&proxy.url(""))
    };
    assert!(fetch(lifted, "http://127.0.0.1/").is_ok());
}

#[test]
fn a_proxy_that_cannot_be_reached_is_a_proxy_error() {
    let (address, _held) = closed_port();
    let proxy = format!("http://{address}");
    let error = fetch(through(&proxy), "http://a.example/").unwrap_err();
    assert_eq!(error.name(), "proxy", "{error:?}");
    let error = fetch(through(&proxy), "https://a.example/").unwrap_err();
    assert_eq!(error.name(), "proxy", "{error:?}");
}

#[test]
fn a_proxy_that_refuses_to_connect_is_a_proxy_error() {
    let proxy = Server::says("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    let error = fetch(through(&proxy.url("")), "https://a.example/").unwrap_err();
    assert_eq!(error.name(), "proxy", "{error:?}");
    assert!(proxy.heads()[0].starts_with("connect a.example:443 "));
}

/// A SOCKS5 server that takes every name to one address (RFC 1928, the part that is used).
fn socks(target: SocketAddr) -> SocketAddr {
    Server::raw(move |mut stream| {
        let mut two = [0; 2];
        if stream.read_exact(&mut two).is_err() {
            return;
        }
        let mut methods = vec![0; usize::from(two[1])];
        let _ = stream.read_exact(&mut methods);
        let _ = stream.write_all(&[5, 0]);
        let mut head = [0; 5];
        let _ = stream.read_exact(&mut head);
        // Type 3 is a name: the client must not have resolved it.
        assert_eq!(head[3], 3);
        let mut name = vec![0; usize::from(head[4]) + 2];
        let _ = stream.read_exact(&mut name);
        let _ = stream.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 0]);
        let mut onward = TcpStream::connect(target).unwrap();
        let mut back = onward.try_clone().unwrap();
        let mut there = stream.try_clone().unwrap();
        std::thread::spawn(move || std::io::copy(&mut back, &mut stream));
        let _ = std::io::copy(&mut BufReader::new(&mut there), &mut onward);
    })
}

#[test]
fn socks_proxies_resolve_the_name() {
    let server = Server::says(ok("by socks"));
    for scheme in ["socks5", "socks5h"] {
        let proxy = format!("{scheme}://{}", socks(server.address));
        let fetched = fetch(through(&proxy), "http://a.example/").unwrap();
        assert_eq!(&fetched.body[..], b"by socks", "{scheme}");
    }
    assert!(server.heads()[0].contains("host: a.example\r\n"));
}

#[test]
fn a_proxy_of_another_scheme_is_refused_at_the_start() {
    let config = through("ftp://user:secret@a.example/");
    assert!(!format!("{config:?}").contains("secret"), "{config:?}");
    let error = fetcher::HttpFetcher::new(config).unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_given_address_is_used_for_its_host_and_port_alone() {
    let (one, two) = (Server::says(ok("one")), Server::says(ok("two")));
    let config = || HttpConfig {
        resolve: vec![
            ("a.invalid".to_owned(), 80, one.address),
            ("a.invalid".to_owned(), 8080, two.address),
        ],
        ..HttpConfig::default()
    };
    let body = |url| fetch(config(), url).map(|f| f.body.to_vec());
    assert_eq!(body("http://a.invalid/").unwrap(), b"one");
    assert_eq!(body("http://A.invalid:80/").unwrap(), b"one");
    assert_eq!(body("http://a.invalid:8080/").unwrap(), b"two");
    assert_eq!(body("http://a.invalid:81/").unwrap_err().name(), "dns");
    assert_eq!(body("http://b.invalid/").unwrap_err().name(), "dns");
    assert!(one.heads()[0].contains("host: a.invalid\r\n"));
    assert!(two.heads()[0].contains("host: a.invalid:8080\r\n"));
}
