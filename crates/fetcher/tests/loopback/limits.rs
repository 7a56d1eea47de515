//! Each limit: a server exceeds it, and the fetch ends there.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use fetcher::{
    Fetch, FetchError, FetchLimits, FetchRequest, HttpConfig, HttpFetcher, Purpose, TimeoutPhase,
    Truncated,
};

use crate::server::{Server, ok};
use crate::{fetch, local, runtime};

fn with(change: impl FnOnce(&mut FetchLimits)) -> HttpConfig {
    let mut limits = FetchLimits::default();
    change(&mut limits);
    HttpConfig { limits, ..local() }
}

/// Short enough to wait for in a test, long enough for a server on a busy machine to begin.
const BRIEF: Duration = Duration::from_millis(600);
/// For phases that the test is not about.
const AMPLE: Duration = Duration::from_secs(2);

/// Sends headers for a body that is announced as larger than what will come.
fn begin(stream: &mut TcpStream, announced: u64) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {announced}\r\n\r\n");
    let _ = stream.write_all(head.as_bytes());
}

fn timeout_phase(error: FetchError) -> TimeoutPhase {
    match error {
        FetchError::Timeout { phase, .. } => phase,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_over_the_limit_is_cut_and_marked_so() {
    let server = Server::start(|_, stream| {
        begin(stream, 10_000_000_000);
        while stream.write_all(&[b'x'; 64 * 1024]).is_ok() {}
    });
    let config = with(|limits| limits.body_bytes_max = 100_000);
    let fetched = fetch(config, &server.url("/")).unwrap();
    assert_eq!(fetched.body.len(), 100_000);
    assert_eq!(fetched.truncated, Some(Truncated::Bytes));
}

#[test]
fn of_what_is_no_page_only_the_first_bytes_are_read() {
    // A gallery's images, PDFs and archives were read to their ends, 34 MB for 21 pages.
    let server = Server::start(|request, stream| {
        let path = request.split(' ').nth(1).unwrap();
        let (content_type, head) = match path {
            "/pdf-as-page" => ("text/html; charset=utf-8", &b"%PDF-1.4\n"[..]),
            "/page" => ("text/html", &b"<!doctype html><p>"[..]),
            "/page-without-a-type" => ("*/*", &b"<!doctype html><p>"[..]),
            _ => ("image/jpeg", &b"\xff\xd8\xff\xe0\0\x10JFIF\0"[..]),
        };
        let length = if path == "/small.jpg" {
            9_000
        } else {
            2_000_000
        };
        let line = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"
        );
        let _ = stream.write_all(line.as_bytes());
        let _ = stream.write_all(head);
        let _ = stream.write_all(&vec![b'x'; length - head.len()]);
    });
    for (path, read) in [
        ("/large.jpg", 16_000),
        ("/pdf-as-page", 16_000),
        ("/small.jpg", 9_000),
        ("/page", 2_000_000),
        ("/page-without-a-type", 2_000_000),
    ] {
        let fetched = fetch(local(), &server.url(path)).unwrap();
        assert_eq!(fetched.body.len(), read, "{path}");
        let is_cut = read == 16_000;
        assert_eq!(
            fetched.truncated,
            is_cut.then_some(Truncated::Bytes),
            "{path}"
        );
    }
    let ample = with(|limits| limits.file_bytes_max = 3_000_000);
    let whole = fetch(ample, &server.url("/large.jpg")).unwrap();
    assert_eq!((whole.body.len(), whole.truncated), (2_000_000, None));
}

#[test]
fn a_body_of_exactly_the_bound_is_whole() {
    let server = Server::says(ok(&"x".repeat(1_000)));
    let config = with(|limits| limits.body_bytes_max = 1_000);
    let fetched = fetch(config, &server.url("/")).unwrap();
    assert_eq!(fetched.body.len(), 1_000);
    assert_eq!(fetched.truncated, None);
}

#[test]
fn large_bodies_wait_for_each_other_when_there_is_room_for_one() {
    let server = Server::start(|_, stream| {
        begin(stream, 1_000_000);
        let _ = stream.write_all(&[b'x'; 1_000_000]);
    });
    let with_room = |bytes| HttpFetcher::new(with(|l| l.large_bodies_bytes_max = bytes)).unwrap();
    let fetch = async |fetcher: &HttpFetcher| {
        let url = server.url("/").parse().unwrap();
        fetcher.fetch(FetchRequest::new(url, Purpose::Page)).await
    };
    runtime().block_on(async {
        let two = with_room(2_100_000);
        let first = fetch(&two).await.unwrap();
        let second = fetch(&two).await.unwrap();
        assert_eq!(first.body.len() + second.body.len(), 2_000_000);
        let one = with_room(1_500_000);
        let first = fetch(&one).await.unwrap();
        // The first answer is still held, so the second fetch waits.
        let waited = tokio::time::timeout(Duration::from_millis(500), fetch(&one)).await;
        assert!(waited.is_err());
        let held = tokio::spawn(async move {
            tokio::time::sleep(BRIEF).await;
            drop(first);
        });
        let second = fetch(&one).await.unwrap();
        assert_eq!(second.truncated, None);
        // The wait is none of the host's.
        assert!(second.waited > Duration::ZERO);
        assert!(second.total >= second.waited);
        held.await.unwrap();
    });
}

#[test]
fn large_bodies_that_come_slowly_leave_room_for_others() {
    // Each held a quarter of all memory for as long as it liked, and three of them were enough to keep
    // everybody else's large pages waiting.
    const LARGE: usize = 300_000;
    let chunk = |stream: &mut TcpStream, bytes: usize| {
        let head = format!("{bytes:x}\r\n");
        let chunk = [head.as_bytes(), &vec![b'x'; bytes], b"\r\n"].concat();
        stream.write_all(&chunk).is_ok()
    };
    let server = Server::start(move |head, stream| {
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        let _ = stream.write_all(chunked);
        chunk(stream, LARGE);
        if head.starts_with("GET /slow") {
            while chunk(stream, 100) {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        chunk(stream, LARGE);
        let _ = stream.write_all(b"0\r\n\r\n");
    });
    let config = with(|limits| {
        limits.large_bodies_bytes_max = 4_000_000;
        limits.body_bytes_max = 1_000_000;
        limits.body_rate_min = 0;
    });
    let fetcher = std::sync::Arc::new(HttpFetcher::new(config).unwrap());
    let fetch = |path: &str| {
        let fetcher = std::sync::Arc::clone(&fetcher);
        let request = FetchRequest::page(server.url(path).parse().unwrap());
        async move { fetcher.fetch(request).await }
    };
    runtime().block_on(async {
        let slow: Vec<_> = (0..6).map(|_| tokio::spawn(fetch("/slow"))).collect();
        tokio::time::sleep(BRIEF).await;
        let page = tokio::time::timeout(Duration::from_secs(10), fetch("/page")).await;
        let page = page.expect("it does not wait").unwrap();
        assert_eq!((page.body.len(), page.truncated), (2 * LARGE, None));
        slow.iter().for_each(|slow| assert!(!slow.is_finished()));
        slow.iter().for_each(tokio::task::JoinHandle::abort);
    });
}

#[test]
fn headers_that_do_not_come_are_a_timeout() {
    let server = Server::start(|_, _| std::thread::sleep(Duration::from_secs(5)));
    let config = with(|limits| {
        limits.connect_timeout = AMPLE;
        limits.first_byte_timeout = BRIEF;
    });
    let error = fetch(config, &server.url("/")).unwrap_err();
    assert_eq!(error.name(), "timeout");
    assert!(error.is_transient());
    assert_eq!(timeout_phase(error), TimeoutPhase::FirstByte);
}

#[test]
fn the_wait_for_the_first_byte_has_none_of_the_time_to_connect() {
    let server = Server::start(|_, _| std::thread::sleep(Duration::from_secs(20)));
    let config = with(|limits| {
        limits.connect_timeout = Duration::from_secs(15);
        limits.first_byte_timeout = BRIEF;
    });
    match fetch(config, &server.url("/")).unwrap_err() {
        FetchError::Timeout { phase, after } => {
            assert_eq!(phase, TimeoutPhase::FirstByte);
            assert!(after < Duration::from_secs(10), "{after:?}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_connection_that_is_not_accepted_is_a_timeout() {
    // A full backlog: the system neither accepts nor refuses. Unroutable addresses are no test,
    // since some networks answer for them.
    let (address, _held) = runtime().block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = socket.listen(1).unwrap();
        let address = listener.local_addr().unwrap();
        let mut held = Vec::new();
        for _ in 0..8 {
            let connect = tokio::net::TcpStream::connect(address);
            held.push(tokio::time::timeout(Duration::from_millis(100), connect).await);
        }
        (address, (listener, held))
    });
    let config = with(|limits| limits.connect_timeout = BRIEF);
    let error = fetch(config, &format!("http://{address}/")).unwrap_err();
    assert_eq!(timeout_phase(error), TimeoutPhase::Connect);
}

#[test]
fn a_silence_inside_the_body_keeps_what_had_come() {
    let server = Server::start(|_, stream| {
        begin(stream, 100);
        let _ = stream.write_all(b"half");
        std::thread::sleep(Duration::from_secs(5));
    });
    let config = with(|limits| limits.idle_timeout = BRIEF);
    let fetched = fetch(config, &server.url("/")).unwrap();
    assert_eq!(&fetched.body[..], b"half");
    assert_eq!(fetched.truncated, Some(Truncated::Time));
}

#[test]
fn a_silence_before_the_body_is_a_timeout() {
    let server = Server::start(|_, stream| {
        begin(stream, 100);
        std::thread::sleep(Duration::from_secs(5));
    });
    let config = with(|limits| limits.idle_timeout = BRIEF);
    let error = fetch(config, &server.url("/")).unwrap_err();
    assert_eq!(timeout_phase(error), TimeoutPhase::Body);
}

/// One byte at a time, often enough never to be silent.
fn drip() -> Server {
    Server::start(|_, stream| {
        begin(stream, 1_000_000);
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    })
}

#[test]
fn a_drip_meets_the_total_time() {
    let config = with(|limits| {
        limits.total_timeout = AMPLE;
        limits.body_rate_min = 0;
    });
    let fetched = fetch(config, &drip().url("/")).unwrap();
    assert_eq!(fetched.truncated, Some(Truncated::Time));
    assert!(!fetched.body.is_empty());
}

#[test]
fn a_drip_meets_the_least_rate_before_the_total_time() {
    let config = with(|limits| {
        limits.body_rate_min = 10_000;
        limits.body_rate_grace = BRIEF;
        limits.total_timeout = Duration::from_secs(3_600);
    });
    let fetched = fetch(config, &drip().url("/")).unwrap();
    assert_eq!(fetched.truncated, Some(Truncated::Time));
}

#[test]
fn a_drip_of_headers_meets_the_first_byte_time() {
    let server = Server::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-Long: ");
        while stream.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    let config = with(|limits| {
        limits.connect_timeout = AMPLE;
        limits.first_byte_timeout = BRIEF;
    });
    let error = fetch(config, &server.url("/")).unwrap_err();
    assert_eq!(timeout_phase(error), TimeoutPhase::FirstByte);
}

#[test]
fn too_many_headers_are_refused() {
    for count in [250, 50_000] {
        let mut message = String::from("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
        for n in 0..count {
            message.push_str(&format!("X-{n}: y\r\n"));
        }
        message.push_str("\r\n");
        let error = fetch(local(), &Server::says(message).url("/")).unwrap_err();
        assert_eq!(error.name(), "too_large", "{count}: {error:?}");
        assert!(!error.is_transient());
    }
}

#[test]
fn too_large_headers_are_refused() {
    for bytes in [100_000, 10_000_000] {
        let value = "v".repeat(bytes);
        let message = format!("HTTP/1.1 200 OK\r\nX-Large: {value}\r\nContent-Length: 0\r\n\r\n");
        let error = fetch(local(), &Server::says(message).url("/")).unwrap_err();
        assert_eq!(error.name(), "too_large", "{bytes}: {error:?}");
    }
}

#[test]
fn headers_that_are_passed_over_count_as_well() {
    for line in ["no header\r\n", "X-Folded: a\r\n b\r\n", "X : y\r\n"] {
        let lines = line.repeat(1_000_000 / line.len());
        let message = format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: 0\r\n\r\n");
        let error = fetch(local(), &Server::says(message).url("/")).unwrap_err();
        assert_eq!(error.name(), "too_large", "{line:?}: {error:?}");
    }
    let folds = "\r\n fold".repeat(20_000);
    let message = format!("HTTP/1.1 200 OK\r\nX: a{folds}\r\nContent-Length: 0\r\n\r\n");
    let error = fetch(local(), &Server::says(message).url("/")).unwrap_err();
    assert_eq!(error.name(), "too_large", "{error:?}");
}

#[test]
fn an_endless_row_of_interim_answers_meets_the_first_byte_time() {
    let server = Server::start(|_, stream| {
        while stream
            .write_all(b"HTTP/1.1 103 Early Hints\r\n\r\n")
            .is_ok()
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let config = with(|limits| {
        limits.connect_timeout = AMPLE;
        limits.first_byte_timeout = BRIEF;
    });
    let error = fetch(config, &server.url("/")).unwrap_err();
    assert_eq!(timeout_phase(error), TimeoutPhase::FirstByte);
}

#[test]
fn a_bomb_is_received_small_and_decoded_to_its_bound() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&vec![0; 32 * 1024 * 1024]).unwrap();
    let body = encoder.finish().unwrap();
    let mut message = format!(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    message.extend(&body);
    let server = Server::says(message);
    let fetched = fetch(local(), &server.url("/")).unwrap();
    assert_eq!(&fetched.body[..], body);
    let limits = FetchLimits::default();
    let decoding = fetched.decoded(&limits);
    assert!(decoding.bytes.len() <= body.len() * limits.ratio_max as usize);
    assert!(decoding.stopped.unwrap().starts_with("bomb"));
}

#[test]
fn a_long_url_is_not_requested() {
    let server = Server::says(ok("x"));
    let url = server.url(&format!("/{}", "x".repeat(10_000)));
    assert_eq!(fetch(local(), &url).unwrap_err().name(), "bad_url");
    assert!(server.heads().is_empty());
}
