//! What the fetcher sends: identity, validators, cookies; and how it limits rate and bandwidth.

use std::io::Write;

use fetcher::{Fetch, FetchRequest, HttpConfig, HttpFetcher, Purpose};
use url::Url;

use crate::server::{Server, ok};
use crate::{fetch, fetch_with, local, runtime};

#[test]
fn it_says_who_it_is_and_how_to_reach_its_owner() {
    let server = Server::says(ok("x"));
    let config = HttpConfig {
        contact: Some("mailto:crawl@a.example".to_owned()),
        accept_language: Some("de, en;q=0.5".to_owned()),
        ..local()
    };
    fetch(config, &server.url("/")).unwrap();
    let head = &server.heads()[0];
    assert!(head.contains("accept-language: de, en;q=0.5\r\n"));
    assert!(head.contains("user-agent: tamis/0.1.0 (+mailto:crawl@a.example)\r\n"));
    assert!(head.contains("from: crawl@a.example\r\n"));
    assert!(head.contains("accept-encoding: gzip, deflate, br, zstd\r\n"));
    assert!(head.contains("accept: text/html,"));
    for absent in ["cookie:", "referer:", "authorization:"] {
        assert!(!head.contains(absent), "{head}");
    }
}

#[test]
fn a_contact_page_is_no_from_header() {
    let server = Server::says(ok("x"));
    let config = HttpConfig {
        contact: Some("https://a.example/@crawl".to_owned()),
        ..local()
    };
    fetch(config, &server.url("/")).unwrap();
    let head = &server.heads()[0];
    assert!(head.contains("(+https://a.example/@crawl)"));
    assert!(!head.contains("\r\nfrom:"));
}

#[test]
fn validators_and_purpose_are_sent() {
    let server = Server::says("HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n");
    let fetcher = HttpFetcher::new(local()).unwrap();
    let request = FetchRequest {
        if_none_match: Some("\"a\"".to_owned()),
        if_modified_since: Some("Sun, 06 Nov 1994 08:49:37 GMT".to_owned()),
        ..FetchRequest::new(Url::parse(&server.url("/")).unwrap(), Purpose::Robots)
    };
    let fetched = runtime().block_on(fetcher.fetch(request)).unwrap();
    assert_eq!(fetched.status, 304);
    let head = &server.heads()[0];
    assert!(head.contains("if-none-match: \"a\"\r\n"));
    assert!(head.contains("if-modified-since: sun, 06 nov 1994"));
    assert!(head.contains("accept: text/plain"));
}

fn sets_a_cookie() -> Server {
    Server::start(|_, stream| {
        let message = "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nContent-Length: 1\r\n\r\nx";
        let _ = stream.write_all(message.as_bytes());
    })
}

#[test]
fn cookies_are_not_kept_unless_asked_for() {
    let server = sets_a_cookie();
    let fetcher = HttpFetcher::new(local()).unwrap();
    for _ in 0..2 {
        fetch_with(&fetcher, &server.url("/")).unwrap();
    }
    assert!(!server.heads()[1].contains("cookie:"));
}

#[test]
fn cookies_go_back_to_the_host_that_set_them_alone() {
    let server = sets_a_cookie();
    let config = HttpConfig {
        cookies: true,
        resolve: vec![("other.example".to_owned(), 80, server.address)],
        ..local()
    };
    let fetcher = HttpFetcher::new(config).unwrap();
    for url in [
        server.url("/"),
        server.url("/"),
        "http://other.example/".to_owned(),
    ] {
        fetch_with(&fetcher, &url).unwrap();
    }
    let heads = server.heads();
    assert!(heads[1].contains("cookie: a=1\r\n"));
    assert!(!heads[2].contains("cookie:"));
}

#[test]
fn a_host_that_sets_one_more_cookie_on_each_page_is_sent_no_more_than_servers_take() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let server = Server::start(move |_, stream| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let value = "x".repeat(150);
        let message = format!(
            "HTTP/1.1 200 OK\r\nSet-Cookie: v{n}={value}\r\nSet-Cookie: session=1\r\nContent-Length: 1\r\n\r\nx"
        );
        let _ = stream.write_all(message.as_bytes());
    });
    let config = HttpConfig {
        cookies: true,
        ..local()
    };
    let fetcher = HttpFetcher::new(config).unwrap();
    for _ in 0..80 {
        fetch_with(&fetcher, &server.url("/")).unwrap();
    }
    let heads = server.heads();
    let cookies = heads.iter().flat_map(|head| head.lines());
    let longest = cookies
        .filter(|line| line.starts_with("cookie: "))
        .max_by_key(|line| line.len());
    let longest = longest.expect("cookies are sent");
    assert!(longest.len() < 8_000, "{} bytes", longest.len());
    let last = heads.last().expect("a request");
    assert!(last.contains("v78=") && last.contains("session=1") && !last.contains("v1="));
}

#[test]
fn a_connection_is_used_again() {
    let connections = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = std::sync::Arc::clone(&connections);
    let address = Server::raw(move |stream| {
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while crate::server::read_head(&mut reader).is_some() {
            let _ = stream.write_all(ok("x").as_bytes());
        }
    });
    let fetcher = HttpFetcher::new(local()).unwrap();
    for _ in 0..5 {
        fetch_with(&fetcher, &format!("http://{address}/")).unwrap();
        // A connection goes back to the pool a moment after its body has ended.
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(connections.load(std::sync::atomic::Ordering::SeqCst) < 5);
}

#[test]
fn the_order_and_repetition_of_headers_are_kept() {
    let server = Server::says(
        "HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nLink: <a>\r\nX-Robots-Tag: nofollow\r\n\
         Content-Length: 0\r\n\r\n",
    );
    let fetched = fetch(local(), &server.url("/")).unwrap();
    let tags: Vec<&str> = fetched.header_values("x-robots-tag").collect();
    assert_eq!(tags, ["noindex", "nofollow"]);
}

#[test]
fn a_bandwidth_cap_delays_and_cuts_nothing() {
    let server = Server::says(ok(&"x".repeat(3_000)));
    let config = HttpConfig {
        bandwidth: Some(2_000),
        ..local()
    };
    let fetched = fetch(config, &server.url("/")).unwrap();
    assert_eq!(fetched.body.len(), 3_000);
    assert_eq!(fetched.truncated, None);
    assert!(fetched.total >= std::time::Duration::from_millis(400));
}

#[test]
fn requests_wait_for_their_turn_before_they_begin() {
    let config = HttpConfig {
        requests_per_second: Some(4.0),
        ..local()
    };
    let fetcher = HttpFetcher::new(config).unwrap();
    let server = Server::says(ok("x"));
    let request = FetchRequest::page(url::Url::parse(&server.url("/")).unwrap());
    let began = std::time::Instant::now();
    for _ in 0..6 {
        runtime().block_on(fetcher.ready(&request));
    }
    // Four may go at once.
    assert!(began.elapsed() >= std::time::Duration::from_millis(400));
    let fetched = runtime().block_on(fetcher.fetch(request)).unwrap();
    assert_eq!(fetched.waited, std::time::Duration::ZERO);
}

#[test]
fn a_rate_that_is_no_rate_is_refused_at_the_start() {
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let config = HttpConfig {
            requests_per_second: Some(rate),
            ..local()
        };
        assert!(HttpFetcher::new(config).is_err(), "{rate}");
    }
    let config = HttpConfig {
        contact: Some("a\r\nX: y".to_owned()),
        ..local()
    };
    assert!(HttpFetcher::new(config).is_err());
}
