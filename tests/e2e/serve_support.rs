//! A running server, and requests to it byte for byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use testweb::{Request, Response, TestWeb};

use crate::support::{Bench, page, tamis};

/// How long an answer may take: far more than it does.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// A process that serves; it ends with the test.
pub struct Serving {
    pub child: Child,
    pub address: SocketAddr,
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Serving {
    /// Starts `tamis serve` with these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        let mut command = tamis(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        Self::of(&mut command)
    }

    /// Starts a command that says where it serves.
    pub fn of(command: &mut Command) -> Self {
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut said = BufReader::new(child.stderr.take().expect("piped"));
        let mut all = String::new();
        let address = loop {
            let mut line = String::new();
            let read = said.read_line(&mut line).expect("it says something");
            assert!(read > 0, "it ended: {all}");
            all.push_str(&line);
            if let Some(rest) = line.split("http://").nth(1) {
                let address = rest.split('/').next().unwrap_or_default();
                break address.parse().expect("an address");
            }
        };
        // Somebody must listen to what it says, or it is told that nobody does.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, address }
    }

    /// Sends bytes and reads the answer to its end.
    pub fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(WAIT_MAX)).expect("set");
        // A server may hang up before it has heard all.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::read(&answer)
    }

    /// A request with these lines after its first.
    pub fn ask(&self, first: &str, lines: &[&str], body: &str) -> Answer {
        let mut request = format!("{first} HTTP/1.1\r\n");
        if !lines
            .iter()
            .any(|line| line.to_lowercase().starts_with("host:"))
        {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        for line in lines {
            request.push_str(line);
            request.push_str("\r\n");
        }
        request.push_str("Connection: close\r\n\r\n");
        request.push_str(body);
        self.raw(request.as_bytes())
    }

    /// An answer of the API that must be there.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        let answer = self.ask(&format!("GET {path}"), &[], "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        serde_json::from_slice(&answer.body).expect("JSON")
    }

    /// The same, for a page or a text.
    #[track_caller]
    pub fn text(&self, path: &str) -> String {
        let answer = self.ask(&format!("GET {path}"), &[], "");
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        answer.text()
    }

    /// Tells it something, as its own pages do.
    pub fn post(&self, path: &str, body: &str) -> Answer {
        let csrf = self.get("/api/v1/session")["csrf"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        let lines = [
            "Content-Type: application/json".to_owned(),
            format!("X-Tamis-Csrf: {csrf}"),
            format!("Origin: http://{}", self.address),
            format!("Content-Length: {}", body.len()),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.ask(&format!("POST {path}"), &lines, body)
    }

    /// Asks until the answer is what is wanted.
    #[track_caller]
    pub fn until(&self, path: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..600 {
            last = self.get(path);
            if wanted(&last) {
                return last;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        panic!("it does not come to that: {last}");
    }

    /// Waits until it has read its crawls.
    #[track_caller]
    pub fn ready(&self) {
        for _ in 0..600 {
            if self.ask("GET /readyz", &[], "").status == 200 {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        panic!("it does not become ready");
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return Self::default();
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Self {
            status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
            headers,
            body: bytes[end + 4..].to_vec(),
        };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(&answer.body);
        }
        answer
    }

    /// A field of its head.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }

    /// Its body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap_or("0");
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        let from = end + 2;
        if size == 0 || bytes.len() < from + size {
            break;
        }
        whole.extend(&bytes[from..from + size]);
        bytes = &bytes[(from + size + 2).min(bytes.len())..];
    }
    whole
}

/// Two hosts of thirty pages, of which every third is the same on both; an error; and a page that is thin.
fn web() -> TestWeb {
    let host = |own: u64| {
        move |request: &Request| {
            let number = request.path.trim_matches(|c: char| !c.is_ascii_digit());
            let number: u64 = number.parse().unwrap_or(0);
            match request.path.as_str() {
                "/robots.txt" => return Response::not_found(),
                "/broken" => return Response::error(501),
                "/thin" => return Response::html("<title>Thin</title><p>three words here</p>"),
                _ => {}
            }
            let seed = if number.is_multiple_of(3) {
                number
            } else {
                number + own
            };
            let mut links: Vec<String> = (1..=3)
                .map(|step| format!("/p{}.html", (number * 3 + step) % 30))
                .collect();
            links.extend(["/broken".to_owned(), "/thin".to_owned()]);
            Response::html(page(&format!("Page {seed}"), seed, &links))
        }
    };
    TestWeb::new()
        .host("one.test", host(1_000))
        .host("two.test", host(2_000))
}

/// A crawl of that web, to its end.
pub(crate) fn crawled(name: &str) -> Bench {
    let bench = Bench::serve(web());
    let seeds = [
        "--seed",
        "http://one.test/",
        "--seed",
        "http://two.test/",
        "--delay",
        "1ms",
    ];
    bench.crawl_to_end(name, &seeds);
    bench
}
