//! A server that handles each connection with a function of the test.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A listening server; it stops with the process.
pub struct Server {
    pub address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Reads each request and hands the connection to `answer`, until it closes.
    pub fn start(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let shared = Arc::clone(&heads);
        let address = Self::raw(move |stream| {
            let mut reader = BufReader::new(stream.try_clone().expect("clone"));
            let mut stream = stream;
            while let Some(head) = read_head(&mut reader) {
                shared.lock().expect("heads").push(head.clone());
                answer(&head, &mut stream);
            }
        });
        Self { address, heads }
    }

    /// Answers every request with these bytes and closes.
    pub fn says(message: impl Into<Vec<u8>>) -> Self {
        let message = message.into();
        Self::start(move |_, stream| {
            let _ = stream.write_all(&message);
            let _ = stream.shutdown(std::net::Shutdown::Both);
        })
    }

    /// Hands each connection over as it is.
    pub fn raw(serve: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
        let address = listener.local_addr().expect("address");
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let serve = Arc::clone(&serve);
                std::thread::spawn(move || serve(stream));
            }
        });
        address
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The request heads so far, in lower case.
    pub fn heads(&self) -> Vec<String> {
        let heads = self.heads.lock().expect("heads");
        heads.iter().map(|head| head.to_ascii_lowercase()).collect()
    }
}

/// A request's first line and headers; `None` when the client has gone.
pub fn read_head(reader: &mut impl BufRead) -> Option<String> {
    let mut head = String::new();
    loop {
        let start = head.len();
        if reader.read_line(&mut head).ok()? == 0 {
            return None;
        }
        if &head[start..] == "\r\n" {
            return Some(head);
        }
    }
}

/// A whole answer with a Content-Length.
pub fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
