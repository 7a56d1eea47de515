//! Faults of hosts and of the machine: a crawl ends in order, names each, and goes on after it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use testweb::TestWeb;

use crate::support::{Bench, file, page, run, stderr, stdout, tamis};

/// The head of an answer that is a page, and what follows it.
fn answer(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nConnection: close\r\n{headers}\r\n");
    [head.as_bytes(), body].concat()
}

/// What the host of a request answers before it closes the connection.
fn misbehave(host: &str, path: &str) -> Vec<u8> {
    if path == "/robots.txt" {
        return b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
            .to_vec();
    }
    let seed = host.bytes().map(u64::from).sum();
    let text = page(host, seed, &[]);
    let html = text.as_bytes();
    let whole = format!(
        "Content-Type: text/html\r\nContent-Length: {}\r\n",
        html.len()
    );
    let coded = |coding: &str, body: &[u8]| {
        let headers = format!(
            "Content-Type: text/html\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n",
            body.len()
        );
        answer(&headers, body)
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(html).expect("memory");
    let gzip = gzip.finish().expect("memory");
    let mut flipped = gzip.clone();
    flipped[gzip.len() / 2] ^= 0x55;
    let noise: Vec<u8> = (0..html.len())
        .map(|at| (at * at / 3 + 0xb5) as u8)
        .collect();
    match host {
        "closed-before-headers.test" => Vec::new(),
        "closed-in-headers.test" => b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(),
        "closed-before-body.test" => answer(&whole, b""),
        "closed-in-body.test" => answer(&whole, &html[..html.len() / 2]),
        "not-http.test" => b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(),
        "length-too-short.test" => {
            answer("Content-Type: text/html\r\nContent-Length: 200\r\n", html)
        }
        "length-twice.test" => answer(
            "Content-Type: text/html\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
            html,
        ),
        "bad-chunk.test" => answer(
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            b"zz\r\n<p>\r\n",
        ),
        "page-as-image.test" => answer(&whole.replace("text/html", "image/png"), html),
        "image-as-page.test" => answer(
            "Content-Type: text/html\r\nContent-Length: 16\r\n",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ),
        "gzip-cut.test" => coded("gzip", &gzip[..gzip.len() / 2]),
        "gzip-flipped.test" => coded("gzip", &flipped),
        "gzip-is-none.test" => coded("gzip", html),
        "br-noise.test" => coded("br", &noise),
        "zstd-noise.test" => coded("zstd", &noise),
        "zstd-cut.test" => coded("zstd", b"\x28\xb5\x2f\xfd\x04\x58"),
        _ => answer(&whole, html),
    }
}

/// Serves `misbehave` as a proxy; gives its URL.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let proxy = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || one(&mut stream));
        }
    });
    proxy
}

fn one(stream: &mut TcpStream) -> Option<()> {
    let mut head = Vec::new();
    let mut piece = [0; 1_024];
    while !head.ends_with(b"\r\n\r\n") {
        let read = stream.read(&mut piece).ok().filter(|&read| read > 0)?;
        head.extend_from_slice(&piece[..read]);
    }
    let head = String::from_utf8(head).ok()?;
    let (host, path) = head
        .split(' ')
        .nth(1)?
        .strip_prefix("http://")?
        .split_once('/')?;
    stream.write_all(&misbehave(host, &format!("/{path}"))).ok()
}

#[test]
fn every_fault_of_a_host_has_its_name_and_costs_that_host_alone() {
    // What becomes of the front page: a reason, or a verdict.
    let fates = [
        ("calm.test", "indexed"),
        ("closed-before-headers.test", "reset"),
        ("closed-in-headers.test", "reset"),
        ("closed-before-body.test", "reset"),
        ("closed-in-body.test", "indexed"),
        ("not-http.test", "protocol"),
        ("length-too-short.test", "thin"),
        ("length-twice.test", "protocol"),
        ("bad-chunk.test", "protocol"),
        ("page-as-image.test", "unsupported_type"),
        ("image-as-page.test", "unsupported_type"),
        ("gzip-cut.test", "indexed"),
        ("gzip-flipped.test", "encoding"),
        ("gzip-is-none.test", "indexed"),
        ("br-noise.test", "encoding"),
        ("zstd-noise.test", "encoding"),
        ("zstd-cut.test", "encoding"),
    ];
    let dir = tempfile::tempdir().expect("a directory");
    let crawl = dir.path().join("crawl");
    let config = file(
        dir.path(),
        "quick.toml",
        "[politeness]\nattempts = 2\nretry_delay = \"10ms\"\n",
    );
    let mut command = tamis(&[
        "crawl",
        &config,
        "--allow-private",
        "--progress",
        "none",
        "--delay",
        "0",
        "--proxy",
        &serve(),
    ]);
    command.arg("--dir").arg(&crawl);
    for (host, _) in fates {
        command.args(["--seed", &format!("http://{host}/")]);
    }
    run(&mut command);
    let rows = stdout(&run(tamis(&["export"]).arg(&crawl).arg("pages")));
    let rows: Vec<serde_json::Value> = rows
        .lines()
        .map(|row| serde_json::from_str(row).expect("JSON"))
        .collect();
    let mut wrong = Vec::new();
    for (host, fate) in fates {
        let row = rows
            .iter()
            .find(|row| row["url"] == format!("http://{host}/"))
            .expect(host);
        let found = row["reason"]
            .as_str()
            .or(row["verdict"].as_str())
            .unwrap_or_default();
        if found != fate {
            wrong.push(format!("{host}: {found}, not {fate}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(rows.len(), fates.len());
    run(tamis(&["check-dir", "--rejudge"]).arg(&crawl));
}

/// Pages that each link to two more.
fn tree(pages: u64) -> TestWeb {
    let mut web = TestWeb::new();
    for number in 0..pages {
        let links = [2 * number + 1, 2 * number + 2].map(|next| next.min(pages - 1));
        web = web.page(
            &format!("http://a.test/p{number}.html"),
            &page(
                &format!("Page {number}"),
                number,
                &links.map(|next| format!("/p{next}.html")),
            ),
        );
    }
    web
}

const SEED: [&str; 2] = ["--seed", "http://a.test/p0.html"];

/// The crawl's command after a shell has set a limit for it.
fn limited(limit: &str, crawl: &Command) -> Output {
    Command::new("sh")
        .args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")])
        .arg(crawl.get_program())
        .args(crawl.get_args())
        .stdin(Stdio::null())
        .output()
        .expect("a shell runs")
}

#[test]
fn a_terminated_crawl_stops_cleanly_and_nothing_is_fetched_twice() {
    let bench = Bench::serve(tree(60));
    let mut child = bench
        .crawl("term", &[SEED.as_slice(), &["--delay", "20ms"]].concat())
        .spawn()
        .expect("starts");
    while bench.web.log().len() < 10 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = child.id().to_string();
    run(Command::new("kill").args(["-TERM", &pid]));
    let status = child.wait().expect("ends");
    assert_eq!(status.code(), Some(130));
    bench.check("term");
    assert!(bench.pages("term").len() < 60);
    bench.crawl_to_end("term", &[SEED.as_slice(), &["--delay", "0"]].concat());
    let fetched = bench
        .web
        .log()
        .iter()
        .filter(|entry| entry.target.starts_with("/p"))
        .count();
    assert_eq!(fetched, 60, "each page once");
}

#[test]
fn with_few_file_handles_a_crawl_ends_or_says_what_it_lacks() {
    let mut seeds = String::new();
    let mut web = TestWeb::new();
    for number in 0..60 {
        let url = format!("http://h{number}.test/");
        web = web
            .page(&url, &page("Host", number, &[]))
            .latency(&format!("h{number}.test"), Duration::from_millis(200));
        seeds.push_str(&format!("{url}\n"));
    }
    let bench = Bench::serve(web);
    let seeds = file(bench.dir.path(), "seeds.txt", &seeds);
    let options = ["--seeds", seeds.as_str(), "--delay", "0"];
    for handles in [24, 96, 144] {
        let name = format!("handles-{handles}");
        let output = limited(
            &format!("ulimit -n {handles}"),
            &bench.crawl(&name, &options),
        );
        let code = output.status.code();
        // What a crawl needs beside its connections is told before anything is begun.
        let expected = if handles < 130 { Some(2) } else { Some(0) };
        assert_eq!(code, expected, "{handles}: {}", stderr(&output));
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        bench.crawl_to_end(&name, &options);
        assert_eq!(bench.pages(&name).len(), 60, "{handles}");
        bench.check(&name);
    }
}
