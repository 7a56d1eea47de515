//! A loopback server that answers by a vector's routes, and counts who asked for what.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use serde_json::Value;

/// One answer.
#[derive(Clone)]
struct Route {
    status: u64,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Each redirect leads on to a fresh path.
    chain: bool,
    /// In chunks; `cut` leaves out the last one.
    chunked: bool,
    cut: bool,
    close_delimited: bool,
    raw_length: bool,
}

/// The server; it stops with the process.
pub struct Server {
    /// `http://127.0.0.1:PORT`.
    pub origin: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Serves the vector's routes.
    pub fn start(routes: &Value) -> Self {
        let routes: HashMap<String, Route> = routes
            .as_object()
            .expect("routes")
            .iter()
            .map(|(path, route)| (path.clone(), route_of(route)))
            .collect();
        let routes = Arc::new(routes);
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let origin = format!("http://{}", listener.local_addr().expect("address"));
        let log = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (routes, log) = (Arc::clone(&routes), Arc::clone(&shared));
                std::thread::spawn(move || serve(stream, &routes, &log));
            }
        });
        Self { origin, log }
    }

    /// The paths asked for, in order.
    pub fn requests(&self) -> Vec<String> {
        self.log.lock().expect("log").clone()
    }
}

fn route_of(route: &Value) -> Route {
    let pair = |h: &Value| {
        let text = |i: usize| h[i].as_str().unwrap_or_default().to_owned();
        (text(0), text(1))
    };
    let body = route["body_b64"].as_str().unwrap_or_default();
    Route {
        status: route["status"].as_u64().unwrap_or(200),
        headers: route["headers"]
            .as_array()
            .map(|list| list.iter().map(pair).collect())
            .unwrap_or_default(),
        body: base64::engine::general_purpose::STANDARD
            .decode(body)
            .expect("base64"),
        chain: route["chain"] == true,
        chunked: !route["chunked"].is_null() && route["chunked"] != false,
        cut: route["chunked"].is_string(),
        close_delimited: route["close_delimited"] == true,
        raw_length: route["raw_length"] == true,
    }
}

fn serve(stream: TcpStream, routes: &HashMap<String, Route>, log: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(stream.try_clone().expect("clone"));
    let mut stream = stream;
    while let Some(path) = read_request(&mut reader) {
        let asked = {
            let mut log = log.lock().expect("log");
            log.push(path.clone());
            log.len()
        };
        let key = path.split('?').next().unwrap_or_default();
        let keep = match routes.get(key).or_else(|| routes.get("/*")) {
            Some(route) => answer(&mut stream, route, asked),
            None => stream
                .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                .is_ok(),
        };
        if !keep {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> Option<String> {
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return Some(path);
        }
    }
}

/// Writes one answer and says whether the connection stays open.
fn answer(stream: &mut TcpStream, route: &Route, asked: usize) -> bool {
    let mut head = format!("HTTP/1.1 {} Told\r\n", route.status);
    for (name, value) in &route.headers {
        if route.chain {
            head.push_str(&format!("{name}: /n{asked}\r\n"));
        } else {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    let bodiless = matches!(route.status, 204 | 304);
    let mut closes = route.close_delimited || route.raw_length || route.cut;
    if route.chunked {
        head.push_str("Transfer-Encoding: chunked\r\n");
    } else if route.close_delimited {
        head.push_str("Connection: close\r\n");
    } else if !route.raw_length && !bodiless {
        head.push_str(&format!("Content-Length: {}\r\n", route.body.len()));
    }
    head.push_str("\r\n");
    let mut message = head.into_bytes();
    if route.chunked {
        for chunk in route.body.chunks(32) {
            message.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
            message.extend_from_slice(chunk);
            message.extend_from_slice(b"\r\n");
        }
        if !route.cut {
            message.extend_from_slice(b"0\r\n\r\n");
        }
    } else if !bodiless {
        message.extend_from_slice(&route.body);
    }
    closes |= stream.write_all(&message).is_err();
    !closes
}
