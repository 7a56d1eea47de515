//! The web as the crawler meets it: in process under a paused clock, and over loopback.

use std::net::SocketAddr;
use std::time::Duration;

use fetcher::{Fetch, FetchError, FetchRequest};
use testweb::faults::{Chain, Drip, Strike};
use testweb::{Faults, Response, Served, TestWeb};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use url::Url;

fn page(url: &str) -> FetchRequest {
    FetchRequest::page(Url::parse(url).expect(url))
}

async fn serve(web: &TestWeb) -> Served {
    let free: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    web.serve(free).await.expect("a free port on loopback")
}

/// Sends bytes as they are and reads until the server closes.
async fn raw(addr: SocketAddr, request: &str) -> String {
    let mut socket = TcpStream::connect(addr).await.expect("connects");
    socket.write_all(request.as_bytes()).await.expect("writes");
    let mut answer = Vec::new();
    // A reset ends the reading too.
    let _ = socket.read_to_end(&mut answer).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(start_paused = true)]
async fn a_slow_host_takes_its_time_on_the_paused_clock_and_the_log_shows_it() {
    let web = TestWeb::new()
        .page("http://slow.test/", "late")
        .latency("slow.test", Duration::from_secs(40));
    let fetched = web.fetch(page("http://slow.test/")).await.expect("answers");
    assert_eq!((fetched.status, &fetched.body[..]), (200, &b"late"[..]));
    assert_eq!(fetched.first_byte, Duration::from_secs(40));
    let log = web.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].ended - log[0].started, Duration::from_secs(40));
    assert_eq!(
        (log[0].url.as_str(), log[0].status),
        ("http://slow.test/", 200)
    );
}

#[tokio::test(start_paused = true)]
async fn an_unknown_host_does_not_resolve() {
    let error = TestWeb::new().fetch(page("http://no.test/")).await;
    assert!(matches!(error, Err(FetchError::Dns { host, .. }) if host == "no.test"));
}

#[tokio::test(start_paused = true)]
async fn a_cut_body_is_truncated_until_its_url_has_recovered() {
    let web = TestWeb::new().page("http://a.test/", "0123456789").faults(
        "a.test",
        Faults {
            truncate: Some(Strike::new(1.0, 1)),
            ..Faults::default()
        },
    );
    let first = web.fetch(page("http://a.test/")).await.expect("answers");
    assert_eq!(&first.body[..], b"01234");
    assert!(first.truncated.is_some());
    let second = web.fetch(page("http://a.test/")).await.expect("answers");
    assert_eq!((second.truncated, second.body.len()), (None, 10));
    assert_eq!(web.log()[0].broken, Some("truncate"));
}

#[tokio::test]
async fn the_server_finds_its_host_by_name_and_by_absolute_target() {
    let web = TestWeb::new()
        .page("http://a.test/x?y=1", "page a")
        .host("b.test", |request| {
            Response::text(format!("b {}", request.target()))
        });
    let served = serve(&web).await;
    let by_name = raw(
        served.addr,
        "GET /x?y=1 HTTP/1.1\r\nHost: A.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(by_name.starts_with("HTTP/1.1 200 OK\r\n"), "{by_name}");
    assert!(by_name.ends_with("\r\n\r\npage a"), "{by_name}");
    let proxied = raw(
        served.addr,
        "GET http://b.test/p HTTP/1.1\r\nHost: b.test\r\nUser-Agent: probe\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(proxied.ends_with("b /p"), "{proxied}");
    let unknown = raw(
        served.addr,
        "GET http://c.test/ HTTP/1.1\r\nHost: c.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(unknown.starts_with("HTTP/1.1 502 "), "{unknown}");
    let log = web.log();
    let seen: Vec<_> = log.iter().map(|e| (e.url.as_str(), e.status)).collect();
    assert_eq!(
        seen,
        [
            ("http://a.test/x?y=1", 200),
            ("http://b.test/p", 200),
            ("http://c.test/", 0)
        ]
    );
    assert_eq!(log[1].agent, "probe");
    served.shutdown().await;
}

#[tokio::test]
async fn one_connection_carries_several_requests_and_head_sends_no_body() {
    let web = TestWeb::new().page("http://a.test/", "hello");
    let served = serve(&web).await;
    let answer = raw(
        served.addr,
        "HEAD / HTTP/1.1\r\nHost: a.test\r\n\r\nGET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert_eq!(answer.matches("HTTP/1.1 200 OK").count(), 2, "{answer}");
    assert_eq!(answer.matches("content-length: 5").count(), 2, "{answer}");
    assert_eq!(answer.matches("hello").count(), 1, "{answer}");
    for bad in [
        "nonsense",
        "GET * HTTP/1.1\r\nHost: a.test",
        "GET / HTTP/1.1",
        "GET / HTTP/9",
    ] {
        let answer = raw(served.addr, &format!("{bad}\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{bad}: {answer}");
    }
    let put = raw(
        served.addr,
        "PUT / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(put.starts_with("HTTP/1.1 405 "), "{put}");
    let tunnel = "CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nConnection: close\r\n\r\n";
    let answer = raw(served.addr, tunnel).await;
    assert!(answer.starts_with("HTTP/1.1 405 "), "{answer}");
}

#[tokio::test]
async fn faults_show_on_the_wire() {
    let body = "x".repeat(3000);
    let mut web = TestWeb::new();
    for host in ["cut.test", "reset.test", "drip.test", "chain.test"] {
        web = web.page(&format!("http://{host}/"), &body);
    }
    let always = Some(Strike::new(1.0, 0));
    let web = web
        .faults(
            "cut.test",
            Faults {
                truncate: always,
                ..Faults::default()
            },
        )
        .faults(
            "reset.test",
            Faults {
                reset: always,
                ..Faults::default()
            },
        )
        .faults(
            "drip.test",
            Faults {
                drip: Some(Drip {
                    rate: 1.0,
                    bytes_per_s: 15_000,
                }),
                ..Faults::default()
            },
        )
        .faults(
            "chain.test",
            Faults {
                redirect_chain: Some(Chain { rate: 1.0, hops: 1 }),
                ..Faults::default()
            },
        );
    let served = serve(&web).await;
    let get = async |host: &str| {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        raw(served.addr, &request).await
    };
    let cut = get("cut.test").await;
    assert!(cut.contains("content-length: 3000") && cut.ends_with(&"x".repeat(1500)));
    assert!(!cut.ends_with(&"x".repeat(1501)));
    assert!(get("reset.test").await.matches('x').count() < 1500);
    assert!(get("drip.test").await.ends_with(&body));
    let chain = get("chain.test").await;
    assert!(
        chain.contains("HTTP/1.1 301") && chain.contains("location: /?hop=1"),
        "{chain}"
    );
}
