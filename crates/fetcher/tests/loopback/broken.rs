//! Servers that break off or violate HTTP: each has its own error, and the bytes received are kept.

use std::io::{Read, Write};
use std::net::Shutdown;

use fetcher::{Truncated, Via};

use crate::server::{Server, ok, read_head};
use crate::{closed_port, fetch, fetch_with, local};

#[track_caller]
fn check_error(message: &str, name: &str, transient: bool) {
    let server = Server::says(message);
    let error = fetch(local(), &server.url("/")).unwrap_err();
    assert_eq!(error.name(), name, "{message:?}: {error:?}");
    assert_eq!(error.is_transient(), transient);
}

#[test]
fn a_whole_answer_is_whole() {
    let server = Server::says(ok("<p>hello"));
    let fetched = fetch(local(), &server.url("/a?b#c")).unwrap();
    assert_eq!(fetched.status, 200);
    assert_eq!(fetched.http_version, "HTTP/1.1");
    assert_eq!(fetched.header("content-type"), Some("text/html"));
    assert_eq!(&fetched.body[..], b"<p>hello");
    assert_eq!(fetched.truncated, None);
    assert_eq!(fetched.remote, Some(server.address));
    assert_eq!(fetched.via, Via::Wire);
    assert!(fetched.first_byte <= fetched.total);
    assert!(server.heads()[0].starts_with("get /a?b http/1.1"));
}

#[test]
fn a_closed_port_is_a_connect_error() {
    let (address, _held) = closed_port();
    let error = fetch(local(), &format!("http://{address}/")).unwrap_err();
    assert_eq!(error.name(), "connect", "{error:?}");
    assert!(error.is_transient());
}

#[test]
fn a_name_without_an_address_is_a_dns_error() {
    let error = fetch(local(), "http://no-such-host.invalid/").unwrap_err();
    assert_eq!(error.name(), "dns", "{error:?}");
}

#[test]
fn a_connection_closed_before_the_headers_is_a_reset() {
    let address = Server::raw(drop);
    let error = fetch(local(), &format!("http://{address}/")).unwrap_err();
    assert_eq!(error.name(), "reset", "{error:?}");
    check_error("", "reset", true);
    check_error("HTTP/1.1 200 OK\r\nContent-", "reset", true);
}

#[test]
fn a_connection_reset_by_the_system_is_a_reset() {
    // Closing with unread bytes makes the system send RST instead of FIN.
    let address = Server::raw(|mut stream| {
        let mut first = [0; 1];
        let _ = stream.read(&mut first);
        drop(stream);
    });
    let error = fetch(local(), &format!("http://{address}/")).unwrap_err();
    assert_eq!(error.name(), "reset", "{error:?}");
}

#[test]
fn a_connection_closed_before_any_of_the_body_is_a_reset() {
    check_error(
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
        "reset",
        true,
    );
}

#[test]
fn a_body_shorter_than_announced_is_kept_as_cut_off() {
    for message in [
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf",
    ] {
        let fetched = fetch(local(), &Server::says(message).url("/")).unwrap();
        assert_eq!(&fetched.body[..], b"half", "{message:?}");
        assert_eq!(fetched.truncated, Some(Truncated::Disconnect));
    }
}

#[test]
fn a_body_longer_than_announced_ends_where_it_was_announced() {
    let server = Server::says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhalf and more");
    let fetched = fetch(local(), &server.url("/")).unwrap();
    assert_eq!(&fetched.body[..], b"half");
    assert_eq!(fetched.truncated, None);
}

#[test]
fn a_body_without_a_length_ends_with_the_connection() {
    let server = Server::says("HTTP/1.1 200 OK\r\n\r\nall of it");
    let fetched = fetch(local(), &server.url("/")).unwrap();
    assert_eq!(&fetched.body[..], b"all of it");
    assert_eq!(fetched.truncated, None);
}

#[test]
fn what_is_not_http_is_a_protocol_error() {
    check_error("SSH-2.0-OpenSSH_9.6\r\n", "protocol", false);
    check_error("HTTP/1.1 banana\r\n\r\n", "protocol", false);
    check_error(
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxy",
        "protocol",
        false,
    );
}

#[test]
fn a_line_that_is_no_header_costs_that_line_alone() {
    // Browsers forgive these. They were protocol errors, and with robots.txt the host was lost.
    for line in [
        "X-Note: first\r\n second",
        "P3P : CP=NOI",
        "X Powered By: PHP",
        "Notice",
        "X-N: a\u{1}b",
    ] {
        let message = ok("<p>hello").replacen("\r\n", &format!("\r\n{line}\r\n"), 1);
        let fetched = fetch(local(), &Server::says(message).url("/")).expect(line);
        assert_eq!(&fetched.body[..], b"<p>hello", "{line:?}");
        assert_eq!(
            fetched.header("content-type"),
            Some("text/html"),
            "{line:?}"
        );
    }
}

#[test]
fn plain_http_on_a_tls_port_is_a_tls_error() {
    let server = Server::raw(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read(&mut [0; 1024]);
    });
    let error = fetch(local(), &format!("https://{server}/")).unwrap_err();
    assert_eq!(error.name(), "tls", "{error:?}");
}

#[test]
fn other_schemes_and_credentials_are_not_fetched() {
    for url in ["ftp://a.example/", "file:///etc/passwd", "data:,x"] {
        assert_eq!(fetch(local(), url).unwrap_err().name(), "bad_url", "{url}");
    }
    let server = Server::says(ok("x"));
    let url = server.url("/").replace("http://", "http://user:secret@");
    assert_eq!(fetch(local(), &url).unwrap_err().name(), "bad_url");
    assert!(server.heads().is_empty());
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let server = Server::says("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n");
    let fetched = fetch(local(), &server.url("/a")).unwrap();
    assert_eq!(fetched.status, 302);
    assert_eq!(fetched.location().unwrap().as_str(), server.url("/b"));
    assert_eq!(server.heads().len(), 1);
}

#[test]
fn a_kept_connection_that_the_host_has_closed_costs_no_attempt() {
    // Each connection answers once and is closed at its second request, without a word before.
    let answered = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&answered);
    let address = Server::raw(move |stream| {
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        if read_head(&mut reader).is_some() {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let _ = stream.write_all(ok("whole").as_bytes());
            let _ = read_head(&mut reader);
        }
    });
    let fetcher = fetcher::HttpFetcher::new(fetcher::HttpConfig {
        keeps_idle: true,
        ..local()
    })
    .unwrap();
    for at in 0..5 {
        let fetched = fetch_with(&fetcher, &format!("http://{address}/{at}"));
        assert_eq!(&fetched.unwrap().body[..], b"whole", "{at}");
        // Until the connection is kept, as it is after the delay between two requests: else a new one is
        // begun beside it, and it is not known which of them was lost.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(answered.load(std::sync::atomic::Ordering::Relaxed), 5);
}
