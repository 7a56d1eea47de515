//! The server against those who should not be let in, byte for byte: one table, a row a case.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use testweb::{Response, TestWeb};

use crate::serve_support::{Answer, Serving};
use crate::support::{Bench, page};

const TOKEN: &str = "a-token-that-nobody-guesses";

/// Which server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum To {
    /// One on loopback, without a token.
    Open,
    /// One with a token.
    Closed,
}

/// A request and the statuses it may be answered with; 0 where the server hangs up.
/// `HERE` is the server's address, `CSRF` the secret of its start.
type Case = (
    &'static str,
    To,
    &'static str,
    &'static [&'static str],
    &'static str,
    &'static [u16],
);

const JSON: &str = "Content-Type: application/json";
const SECRET: &str = "X-Tamis-Csrf: CSRF";
const PAUSE: &str = "POST /api/v1/crawls/hostile/pause";
const STATUS: &str = "GET /api/v1/crawls/hostile/status";

/// 409: let in, and told that no crawl runs.
#[rustfmt::skip]
const CASES: &[Case] = &[
    // Names of this server.
    ("its address", To::Open, STATUS, &[], "", &[200]),
    ("localhost", To::Open, STATUS, &["Host: localhost:PORT"], "", &[200]),
    ("another loopback address", To::Open, STATUS, &["Host: 127.9.9.9:PORT"], "", &[200]),
    ("a rebound name", To::Open, STATUS, &["Host: evil.test:PORT"], "", &[403]),
    ("a name that begins like ours", To::Open, STATUS, &["Host: localhost.evil.test:PORT"], "", &[403]),
    ("a name that ends like ours", To::Open, STATUS, &["Host: evil-localhost:PORT"], "", &[403]),
    ("a number in a name", To::Open, STATUS, &["Host: 127.0.0.1.nip.test:PORT"], "", &[403]),
    ("a public number", To::Open, STATUS, &["Host: 192.0.2.7:PORT"], "", &[403]),
    ("another port", To::Open, STATUS, &["Host: 127.0.0.1:1"], "", &[403]),
    ("no port", To::Open, STATUS, &["Host: 127.0.0.1"], "", &[403]),
    ("an empty name", To::Open, STATUS, &["Host: "], "", &[403]),
    ("user and name", To::Open, STATUS, &["Host: 127.0.0.1:PORT@evil.test"], "", &[400, 403]),
    ("two names", To::Open, STATUS, &["Host: HERE", "Host: evil.test"], "", &[400]),
    ("a name in the URL", To::Open, "GET http://evil.test/api/v1/session", &["Host: HERE"], "", &[400]),
    ("a rebound name asks for health", To::Open, "GET /healthz", &["Host: evil.test"], "", &[403]),
    // What other sites make a browser send.
    ("a script of another site reads", To::Open, STATUS, &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: cors"], "", &[403]),
    ("a script of a sister site reads", To::Open, STATUS, &["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: cors"], "", &[403]),
    ("an image of another site", To::Open, STATUS, &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Dest: image"], "", &[403]),
    ("a frame", To::Open, "GET /c/hostile", &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe"], "", &[403]),
    ("an object", To::Open, "GET /c/hostile", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: object"], "", &[403]),
    ("a link on another site", To::Open, "GET /c/hostile", &["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"], "", &[200]),
    ("our own script", To::Open, STATUS, &["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], "", &[200]),
    ("a preflight", To::Open, "OPTIONS /api/v1/crawls/hostile/pause", &["Origin: http://evil.test", "Access-Control-Request-Method: POST"], "", &[405]),
    // What changes something.
    ("our own page", To::Open, PAUSE, &[JSON, SECRET, "Origin: http://HERE", "Content-Length: 2"], "{}", &[409]),
    ("no secret", To::Open, PAUSE, &[JSON, "Content-Length: 2"], "{}", &[403]),
    ("a wrong secret", To::Open, PAUSE, &[JSON, "X-Tamis-Csrf: guessed", "Content-Length: 2"], "{}", &[403]),
    ("an empty secret", To::Open, PAUSE, &[JSON, "X-Tamis-Csrf: ", "Content-Length: 2"], "{}", &[403]),
    ("another origin with the secret", To::Open, PAUSE, &[JSON, SECRET, "Origin: http://evil.test", "Content-Length: 2"], "{}", &[403]),
    ("no origin at all", To::Open, PAUSE, &[JSON, SECRET, "Origin: null", "Content-Length: 2"], "{}", &[403]),
    ("another port's origin", To::Open, PAUSE, &[JSON, SECRET, "Origin: http://127.0.0.1:1", "Content-Length: 2"], "{}", &[403]),
    ("a form", To::Open, PAUSE, &["Content-Type: application/x-www-form-urlencoded", SECRET, "Content-Length: 3"], "a=1", &[415]),
    ("a plain form", To::Open, PAUSE, &["Content-Type: text/plain", SECRET, "Content-Length: 2"], "{}", &[415]),
    ("a cross-site form", To::Open, PAUSE, &[JSON, SECRET, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors", "Content-Length: 2"], "{}", &[403]),
    ("no kind of body", To::Open, PAUSE, &[SECRET, "Content-Length: 2"], "{}", &[415]),
    ("a change by GET", To::Open, "GET /api/v1/crawls/hostile/pause", &[], "", &[405]),
    ("broken JSON", To::Open, "POST /api/v1/crawls/hostile/retry", &[JSON, SECRET, "Content-Length: 1"], "{", &[400]),
    ("seeds without the secret", To::Open, "POST /api/v1/crawls/hostile/seeds", &[JSON, "Content-Length: 12"], "{\"lines\":\"\"}", &[403]),
    ("a reload without the secret", To::Open, "POST /api/v1/crawls/hostile/reload", &[JSON, "Content-Length: 2"], "{}", &[403]),
    ("an unknown field", To::Open, "POST /api/v1/crawls/hostile/retry", &[JSON, SECRET, "Content-Length: 9"], "{\"rm\":\"/\"}", &[400]),
    ("a mark of no page", To::Open, "POST /api/v1/crawls/hostile/audit/marks", &[JSON, SECRET, "Content-Length: 28"], "{\"page\":99999,\"mark\":\"skip\"}", &[404]),
    ("a mark that is none", To::Open, "POST /api/v1/crawls/hostile/audit/marks", &[JSON, SECRET, "Content-Length: 23"], "{\"page\":1,\"mark\":\"evil\"}", &[400]),
    // Methods and paths.
    ("PUT", To::Open, "PUT /api/v1/crawls/hostile/status", &[], "", &[405]),
    ("DELETE", To::Open, "DELETE /c/hostile", &[], "", &[405]),
    ("TRACE", To::Open, "TRACE /", &[], "", &[405]),
    ("CONNECT", To::Open, "CONNECT evil.test:443", &["Host: HERE"], "", &[400, 403, 405]),
    ("a path upwards", To::Open, "GET /assets/../../../../etc/passwd", &[], "", &[404]),
    ("an encoded path upwards", To::Open, "GET /assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd", &[], "", &[404]),
    ("a crawl named by a path", To::Open, "GET /api/v1/crawls/..%2f..%2fetc/status", &[], "", &[404]),
    ("a crawl that is none", To::Open, "GET /api/v1/crawls/other/status", &[], "", &[404]),
    ("a page that is no number", To::Open, "GET /api/v1/crawls/hostile/pages/1%27--", &[], "", &[400]),
    ("a NUL in a path", To::Open, "GET /api/v1/crawls/hostile%00/status", &[], "", &[404]),
    ("an unknown question", To::Open, "GET /api/v1/crawls/hostile/pages?evil=1", &[], "", &[400]),
    ("an order that is none", To::Open, "GET /api/v1/crawls/hostile/pages?sort=__proto__", &[], "", &[400]),
    ("no URL to explain", To::Open, "GET /api/v1/crawls/hostile/explain?url=javascript:alert(1)", &[], "", &[400]),
    ("broken UTF-8 in a query", To::Open, "GET /api/v1/crawls/hostile/search?q=%ff%fe", &[], "", &[200]),
    // Tokens.
    ("no token", To::Closed, STATUS, &[], "", &[401]),
    ("no token for a page", To::Closed, "GET /c/hostile", &[], "", &[401]),
    ("no token for metrics", To::Closed, "GET /metrics", &[], "", &[401]),
    ("no token for assets", To::Closed, "GET /assets/script.js", &[], "", &[401]),
    ("a wrong bearer", To::Closed, STATUS, &["Authorization: Bearer a-token-that-nobody-guesseS"], "", &[401]),
    ("the token as Basic", To::Closed, STATUS, &["Authorization: Basic a-token-that-nobody-guesses"], "", &[401]),
    ("the bearer", To::Closed, STATUS, &["Authorization: Bearer a-token-that-nobody-guesses"], "", &[200]),
    ("the token as a cookie", To::Closed, STATUS, &["Cookie: tamis_session=a-token-that-nobody-guesses"], "", &[401]),
    ("the token in a POST's URL", To::Closed, "POST /api/v1/crawls/hostile/pause?token=a-token-that-nobody-guesses", &[JSON, "Content-Length: 2"], "{}", &[401]),
    ("the bearer needs no secret", To::Closed, PAUSE, &["Authorization: Bearer a-token-that-nobody-guesses", JSON, "Content-Length: 2"], "{}", &[409]),
    ("the bearer from another site", To::Closed, PAUSE, &["Authorization: Bearer a-token-that-nobody-guesses", JSON, "Origin: http://evil.test", "Content-Length: 2"], "{}", &[403]),
    ("health without a token", To::Closed, "GET /healthz", &[], "", &[200]),
];

/// A crawl of a web that means no good.
fn hostile() -> Bench {
    let long = "x".repeat(1 << 20);
    let title = |title: &str, seed| Response::html(page(title, seed, &[]));
    let mut broken = page("PLACE", 5, &[]).into_bytes();
    let at = broken
        .windows(5)
        .position(|five| five == b"PLACE")
        .expect("there");
    broken[at..at + 5].copy_from_slice(b"\xff\xfe\xc3\x28\x80");
    let links = ["/script", "/bidi", "/long", "/broken", "/quote"].map(str::to_owned);
    let web = TestWeb::new()
        .respond("http://hostile.test/robots.txt", Response::not_found())
        .page("http://hostile.test/", &page("Front", 1, &links))
        .respond(
            "http://hostile.test/script",
            title(
                "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;",
                2,
            ),
        )
        .respond(
            "http://hostile.test/bidi",
            title("safe\u{202e}gpj.exe\u{2066}", 3),
        )
        .respond("http://hostile.test/long", title(&long, 4))
        .respond(
            "http://hostile.test/broken",
            Response::new(200, "text/html; charset=utf-8", broken),
        )
        .respond(
            "http://hostile.test/quote",
            title("\" onmouseover=\"alert(1)\" x='", 6),
        );
    let bench = Bench::serve(web);
    bench.crawl_to_end(
        "hostile",
        &["--seed", "http://hostile.test/", "--delay", "1ms"],
    );
    bench
}

fn servers(bench: &Bench) -> (Serving, Serving) {
    let dir = bench.crawl_dir("hostile").display().to_string();
    let token = crate::support::file(bench.dir.path(), "token", &format!("{TOKEN}\n"));
    let (open, closed) = (
        Serving::start(&[&dir]),
        Serving::start(&[&dir, "--token-file", &token]),
    );
    open.ready();
    closed.ready();
    (open, closed)
}

#[test]
fn every_case_is_answered_as_it_should_be() {
    let bench = hostile();
    let (open, closed) = servers(&bench);
    let csrf = open.get("/api/v1/session")["csrf"]
        .as_str()
        .expect("a secret")
        .to_owned();
    assert!(CASES.len() >= 60, "{}", CASES.len());
    for (name, to, first, lines, body, wanted) in CASES {
        let server = if *to == To::Open { &open } else { &closed };
        let filled = |text: &str| {
            text.replace("HERE", &server.address.to_string())
                .replace("PORT", &server.address.port().to_string())
                .replace("CSRF", &csrf)
        };
        let lines: Vec<String> = lines
            .iter()
            .map(|line| match line.starts_with("Content-Length") {
                true => format!("Content-Length: {}", body.len()),
                false if line.starts_with("X-Tamis-Csrf") => line.replace("CSRF", &csrf),
                false => filled(line),
            })
            .collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let answer = server.ask(&filled(first), &lines, body);
        assert!(
            wanted.contains(&answer.status),
            "{name}: {} {}",
            answer.status,
            answer.text()
        );
        if answer.status != 400 || !answer.body.is_empty() {
            is_armoured(name, &answer);
        }
    }
}

/// The fields that every answer carries.
#[track_caller]
fn is_armoured(name: &str, answer: &Answer) {
    let policy = answer.header("content-security-policy").unwrap_or_default();
    for part in [
        "default-src 'none'",
        "script-src 'self';",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    ] {
        assert!(policy.contains(part), "{name}: {policy}");
    }
    for (field, value) in [
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(field), Some(value), "{name}: {field}");
    }
    assert_eq!(answer.header("access-control-allow-origin"), None, "{name}");
    assert_eq!(answer.header("server"), None, "{name}");
}

#[test]
fn a_token_in_the_url_becomes_a_cookie_that_other_sites_cannot_use() {
    let bench = hostile();
    let (_, closed) = servers(&bench);
    let admitted = closed.ask(&format!("GET /c/hostile?token={TOKEN}"), &[], "");
    assert_eq!(
        (admitted.status, admitted.header("location")),
        (303, Some("/c/hostile"))
    );
    let cookie = admitted.header("set-cookie").expect("a cookie").to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(TOKEN), "the token itself is not kept");
    let session = format!("Cookie: {}", cookie.split(';').next().expect("its pair"));
    let inside = closed.ask("GET /c/hostile", &[&session], "");
    assert_eq!(inside.status, 200);
    // The cookie alone changes nothing.
    let post = closed.ask(PAUSE, &[&session, JSON, "Content-Length: 2"], "{}");
    assert_eq!(post.status, 403);
    let elsewhere = closed.ask(&format!("GET //evil.test/?token={TOKEN}"), &[], "");
    assert_eq!(elsewhere.header("location"), Some("/evil.test/"));
}

#[test]
fn what_pages_call_themselves_is_text_and_nothing_else() {
    let bench = hostile();
    let (open, _) = servers(&bench);
    let pages = open.get("/api/v1/crawls/hostile/pages?limit=200");
    let titles: Vec<String> = pages["pages"]
        .as_array()
        .expect("pages")
        .iter()
        .map(|page| page["title"].as_str().expect("a title").to_owned())
        .collect();
    assert!(
        titles
            .iter()
            .any(|title| title.contains("<script>alert(1)</script>")),
        "{titles:?}"
    );
    assert!(
        titles.iter().all(|title| title.chars().count() <= 201),
        "{titles:?}"
    );
    let mut views = vec![
        "/c/hostile".to_owned(),
        "/c/hostile/pages".to_owned(),
        "/c/hostile/audit".to_owned(),
        "/c/hostile/report".to_owned(),
    ];
    views.push("/c/hostile/search?q=%3Cscript%3Ealert(1)%3C/script%3E%22%20lantern".to_owned());
    views.push("/c/hostile/pages?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E".to_owned());
    views.push("/c/hostile/explain?url=http://hostile.test/script".to_owned());
    for page in pages["pages"].as_array().expect("pages") {
        views.push(format!("/c/hostile/pages/{}", page["page"]));
    }
    for view in views {
        let html = open.text(&view);
        assert!(!html.contains("<script>alert"), "{view}");
        assert!(!html.contains("<img src=x"), "{view}");
        assert!(!html.contains("\" onmouseover=\""), "{view}");
        assert!(html.len() < 2_000_000, "{view}: {}", html.len());
        if !view.ends_with("/report") {
            assert!(!html.contains(['\u{202e}', '\u{2066}']), "{view}");
            assert!(
                !html.contains("<style>") && !html.contains(" style="),
                "{view}"
            );
        }
    }
}

#[test]
fn half_requests_and_large_ones_cost_a_bounded_time_and_room() {
    let bench = hostile();
    let (open, _) = servers(&bench);
    // Heads that never end: each is hung up on, and others are answered meanwhile.
    let mut half: Vec<TcpStream> = Vec::new();
    for _ in 0..40 {
        let mut stream = TcpStream::connect(open.address).expect("connected");
        stream
            .write_all(b"GET / HTTP/1.1\r\nHost: 127")
            .expect("sent");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("set");
        half.push(stream);
    }
    assert_eq!(open.ask("GET /healthz", &[], "").status, 200);
    for mut stream in half {
        let mut rest = Vec::new();
        let closed = stream.read_to_end(&mut rest);
        assert!(closed.is_ok(), "left open: {closed:?}");
        assert!(
            rest.is_empty() || rest.starts_with(b"HTTP/1.1 4"),
            "{}",
            String::from_utf8_lossy(&rest)
        );
    }
    // A body that never comes.
    let csrf = open.get("/api/v1/session")["csrf"]
        .as_str()
        .expect("a secret")
        .to_owned();
    let head = format!(
        "{PAUSE} HTTP/1.1\r\nHost: {}\r\n{JSON}\r\nX-Tamis-Csrf: {csrf}\r\nContent-Length: 10\r\n\r\n{{",
        open.address
    );
    let late = open.raw(head.as_bytes());
    assert!(matches!(late.status, 0 | 408), "{}", late.status);
    for (name, request, wanted) in too_large(&csrf) {
        let request = request.replace("HERE", &open.address.to_string());
        let answer = open.raw(request.as_bytes());
        assert!(wanted.contains(&answer.status), "{name}: {}", answer.status);
    }
    let well = open.ask("GET /healthz", &[], "");
    assert_eq!(well.status, 200, "it is as well as ever");
}

/// Requests beyond a bound, and what is none at all; 0 where the server hangs up.
#[rustfmt::skip]
fn too_large(csrf: &str) -> [(&'static str, String, &'static [u16]); 8] {
    let secret = format!("{JSON}\r\nX-Tamis-Csrf: {csrf}");
    let long = "x".repeat(100_000);
    let fields = "X-Many: 1\r\n".repeat(500);
    let chunks = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).repeat(8);
    [
        ("a long query", format!("GET /c/hostile/search?q={} HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n", &long[..14_000]), &[414]),
        ("a long head", format!("GET / HTTP/1.1\r\nHost: HERE\r\nX-Long: {long}\r\n\r\n"), &[0, 400, 431]),
        ("many fields", format!("GET / HTTP/1.1\r\nHost: HERE\r\n{fields}\r\n"), &[0, 400, 431]),
        ("a long body", format!("{PAUSE} HTTP/1.1\r\nHost: HERE\r\n{secret}\r\nContent-Length: 900000\r\n\r\n"), &[413]),
        ("a long body in chunks", format!("{PAUSE} HTTP/1.1\r\nHost: HERE\r\n{secret}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n{chunks}"), &[0, 413]),
        ("two lengths", format!("{PAUSE} HTTP/1.1\r\nHost: HERE\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{{}}"), &[0, 400]),
        ("noise", "\x16\x03\x01\x02 not HTTP at all\r\n\r\n".to_owned(), &[0, 400]),
        ("HTTP/0.9", "GET /\r\n\r\n".to_owned(), &[0, 400]),
    ]
}

#[test]
fn watchers_have_a_bound_and_give_their_place_back() {
    let bench = hostile();
    let (open, _) = servers(&bench);
    let watch = || {
        let mut stream = TcpStream::connect(open.address).expect("connected");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("set");
        let request = format!(
            "GET /api/v1/crawls/hostile/events HTTP/1.1\r\nHost: {}\r\n\r\n",
            open.address
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut head = [0; 12];
        stream.read_exact(&mut head).expect("an answer");
        (stream, String::from_utf8_lossy(&head[9..]).into_owned())
    };
    let watchers: Vec<_> = (0..128).map(|_| watch()).collect();
    assert!(watchers.iter().all(|(_, status)| status == "200"));
    assert_eq!(watch().1, "503");
    assert_eq!(
        open.ask("GET /c/hostile", &[], "").status,
        200,
        "pages are still to be had"
    );
    assert!(open.text("/metrics").contains("tamis_watchers 128"));
    drop(watchers);
    for _ in 0..600 {
        if open.text("/metrics").contains("tamis_watchers 0") {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    }
    panic!("places are not given back");
}
