//! TLS and HTTP/2: certificates are checked, and each way to lose a connection has its error.

use std::future::Future;
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use fetcher::{FetchError, Fetched, HttpConfig, Truncated};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::{fetch, runtime};

const AUTHORITY: &[u8] = include_bytes!("tls/authority.pem");
const GOOD: &[u8] = include_bytes!("tls/good.pem");
const EXPIRED: &[u8] = include_bytes!("tls/expired.pem");

/// A TLS server that hands each connection to `serve`.
fn server<F>(
    identity: &'static [u8],
    protocol: &'static [u8],
    serve: impl Fn(TlsStream<TcpStream>) -> F + Send + Sync + 'static,
) -> SocketAddr
where
    F: Future<Output = ()> + Send + 'static,
{
    fetcher::init();
    let certificate = CertificateDer::from_pem_slice(identity).unwrap();
    let key = PrivateKeyDer::from_pem_slice(identity).unwrap();
    let mut config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = vec![protocol.to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = runtime().block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
    let listener = listener.unwrap();
    let address = listener.local_addr().unwrap();
    let serve = Arc::new(serve);
    runtime().spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, serve) = (acceptor.clone(), Arc::clone(&serve));
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    serve(stream).await;
                }
            });
        }
    });
    address
}

/// Fetches from the server under this name, trusting our authority or not.
fn get(address: SocketAddr, host: &str, trusting: bool) -> Result<Fetched, FetchError> {
    let config = HttpConfig {
        resolve: vec![(host.to_owned(), 443, address)],
        extra_roots_pem: trusting.then(|| AUTHORITY.to_vec()).into_iter().collect(),
        ..HttpConfig::default()
    };
    fetch(config, &format!("https://{host}/"))
}

async fn hello(mut stream: TlsStream<TcpStream>) {
    let _ = stream.read(&mut [0; 4096]).await;
    let message = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    let _ = stream.write_all(message).await;
    let _ = stream.shutdown().await;
}

#[test]
fn a_trusted_certificate_is_accepted() {
    let address = server(GOOD, b"http/1.1", hello);
    let fetched = get(address, "a.example", true).unwrap();
    assert_eq!(&fetched.body[..], b"hello");
    assert_eq!(fetched.http_version, "HTTP/1.1");
    assert_eq!(fetched.remote, Some(address));
}

#[test]
fn a_certificate_that_does_not_hold_is_a_tls_error() {
    for (identity, host, trusting) in [
        (GOOD, "a.example", false),
        (GOOD, "b.example", true),
        (EXPIRED, "a.example", true),
    ] {
        let error = get(server(identity, b"http/1.1", hello), host, trusting).unwrap_err();
        assert_eq!(error.name(), "tls", "{host} {trusting}: {error:?}");
        assert!(!error.is_transient());
    }
}

#[test]
fn a_connection_that_ends_inside_the_handshake_is_tried_again() {
    for abort in [true, false] {
        let listener = runtime().block_on(tokio::net::TcpListener::bind("127.0.0.1:0"));
        let listener = listener.unwrap();
        let address = listener.local_addr().unwrap();
        runtime().spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let _ = stream.read(&mut [0; 4096]).await;
                // With a linger of zero the close is a reset.
                if abort {
                    stream.set_zero_linger().unwrap();
                }
            }
        });
        let error = get(address, "a.example", true).unwrap_err();
        assert_eq!(error.name(), "connect", "{error:?}");
        assert!(error.is_transient());
    }
}

#[test]
fn a_proxy_tunnels_and_the_certificate_is_still_the_hosts() {
    let address = server(GOOD, b"http/1.1", hello);
    let proxy = crate::server::Server::raw(move |stream| {
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        let head = crate::server::read_head(&mut reader).unwrap_or_default();
        assert!(head.starts_with("CONNECT "), "{head}");
        let mut client = stream;
        let _ = client.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        let mut onward = std::net::TcpStream::connect(address).unwrap();
        let mut back = onward.try_clone().unwrap();
        std::thread::spawn(move || std::io::copy(&mut back, &mut client));
        let _ = std::io::copy(&mut reader, &mut onward);
    });
    let get = |url: &str| {
        let config = HttpConfig {
            proxy: url::Url::parse(&format!("http://{proxy}")).ok(),
            extra_roots_pem: vec![AUTHORITY.to_vec()],
            ..HttpConfig::default()
        };
        fetch(config, url)
    };
    assert_eq!(&get("https://a.example/").unwrap().body[..], b"hello");
    assert_eq!(get("https://b.example/").unwrap_err().name(), "tls");
}

/// An HTTP/2 server that answers its first request by `answer`.
fn http2(
    answer: impl Fn(&mut h2::server::SendResponse<Bytes>) + Copy + Send + Sync + 'static,
    after: impl Fn(&mut h2::server::Connection<TlsStream<TcpStream>, Bytes>)
    + Copy
    + Send
    + Sync
    + 'static,
) -> SocketAddr {
    server(GOOD, b"h2", move |stream| async move {
        let Ok(mut connection) = h2::server::handshake(stream).await else {
            return;
        };
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            answer(&mut respond);
            after(&mut connection);
        }
    })
}

fn head() -> http::Response<()> {
    http::Response::builder()
        .header("content-type", "text/html")
        .body(())
        .expect("a response")
}

#[test]
fn http_2_is_spoken_where_it_is_offered() {
    let address = http2(
        |respond| {
            let mut body = respond.send_response(head(), false).unwrap();
            body.send_data(Bytes::from_static(b"hello"), true).unwrap();
        },
        |_| {},
    );
    let fetched = get(address, "a.example", true).unwrap();
    assert_eq!(fetched.http_version, "HTTP/2");
    assert_eq!(fetched.header("content-type"), Some("text/html"));
    assert_eq!(&fetched.body[..], b"hello");
    assert_eq!(fetched.truncated, None);
}

#[test]
fn a_refused_stream_and_a_goaway_are_resets() {
    let refused = http2(
        |respond| respond.send_reset(h2::Reason::REFUSED_STREAM),
        |_| {},
    );
    let gone = http2(
        |_| {},
        |connection| connection.abrupt_shutdown(h2::Reason::ENHANCE_YOUR_CALM),
    );
    for address in [refused, gone] {
        let error = get(address, "a.example", true).unwrap_err();
        assert_eq!(error.name(), "reset", "{error:?}");
        assert!(error.is_transient());
    }
}

#[test]
fn a_stream_that_is_reset_inside_its_body_keeps_what_had_come() {
    let address = server(GOOD, b"h2", |stream| async move {
        let mut connection = h2::server::handshake(stream).await.unwrap();
        while let Some(Ok((_, mut respond))) = connection.accept().await {
            let mut body = respond.send_response(head(), false).unwrap();
            body.send_data(Bytes::from_static(b"half"), false).unwrap();
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
                body.send_reset(h2::Reason::INTERNAL_ERROR);
            });
        }
    });
    let fetched = get(address, "a.example", true).unwrap();
    assert_eq!(&fetched.body[..], b"half");
    assert_eq!(fetched.truncated, Some(Truncated::Disconnect));
}

#[test]
fn headers_over_the_bound_are_refused_on_http_2() {
    let address = http2(
        |respond| {
            let mut head = http::Response::builder();
            for n in 0..300 {
                head = head.header(format!("x-{n}"), "y");
            }
            let head = head.body(()).expect("a response");
            let _ = respond.send_response(head, true);
        },
        |_| {},
    );
    let error = get(address, "a.example", true).unwrap_err();
    assert_eq!(error.name(), "too_large", "{error:?}");
}
