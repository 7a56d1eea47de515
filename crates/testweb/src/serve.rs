//! The web on loopback: an HTTP/1.1 server with virtual hosts, and a forward proxy.
//!
//! It knows only what tests need: GET and HEAD, keep-alive, the Host field, and absolute-form targets
//! (`GET http://a.test/ ...`, as a client sends them to a proxy). Connections, the size of a request's
//! head and the time to send it are bounded.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::faults::Ending;
use crate::message::{Request, Response, reason};
use crate::web::{Plan, TestWeb};

/// Connections served at once; further ones wait to be accepted.
const CONNECTIONS_MAX: usize = 1024;

/// Bytes of a request's line and header fields.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Time for a request to arrive, and for a connection to stay idle.
const IDLE_MAX: Duration = Duration::from_secs(60);

/// A web that is being served. It stops at [`Served::shutdown`], or when this is dropped.
#[derive(Debug)]
pub struct Served {
    /// Where it listens.
    pub addr: SocketAddr,
    stop: watch::Sender<bool>,
    task: Option<JoinHandle<()>>,
}

impl Served {
    /// The address as a proxy URL: `http://127.0.0.1:PORT`.
    pub fn proxy(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Stops accepting connections, and ends those that are open.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        if let Some(task) = self.task.take() {
            // The task ends by itself; a panic in it has been reported on its thread.
            let _ = task.await;
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

impl TestWeb {
    /// Serves the web; `127.0.0.1:0` takes a free port. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When the address cannot be bound.
    pub async fn serve(&self, addr: SocketAddr) -> io::Result<Served> {
        let listener = TcpListener::bind(addr).await?;
        let addr = listener.local_addr()?;
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(accept(self.clone(), listener, stopped));
        Ok(Served {
            addr,
            stop,
            task: Some(task),
        })
    }
}

async fn accept(web: TestWeb, listener: TcpListener, mut stopped: watch::Receiver<bool>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = permits.clone().acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            _ = stopped.wait_for(|stop| *stop) => None,
            accepted = listener.accept() => Some(accepted),
        };
        let socket = match accepted {
            Some(Ok((socket, _))) => socket,
            // Out of file descriptors, or the peer has left already: go on after a short wait.
            Some(Err(_)) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
                continue;
            }
            None => return,
        };
        let web = web.clone();
        let mut stopped = stopped.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = stopped.wait_for(|stop| *stop) => {}
                // An error here means that the client has broken the connection.
                _ = converse(&web, socket) => {}
            }
            drop(permit);
        });
    }
}

/// Answers the requests of one connection, one after the other.
async fn converse(web: &TestWeb, mut socket: TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let head = match tokio::time::timeout(IDLE_MAX, read_head(&mut socket, &mut buffer)).await {
            Ok(Ok(Some(head))) => head,
            Ok(Ok(None)) | Err(_) => return Ok(()),
            Ok(Err(error)) => return Err(error),
        };
        let Some(request) = parse(&head) else {
            return send_whole(&mut socket, &Response::error(400), false, false).await;
        };
        let keep = keeps_alive(&request, &head) && request.header("content-length").is_none();
        if !answer(web, &mut socket, &request, keep).await? || !keep {
            return Ok(());
        }
    }
}

/// Reads up to the empty line; what follows stays in the buffer. `None` when the peer is gone.
async fn read_head(socket: &mut TcpStream, buffer: &mut Vec<u8>) -> io::Result<Option<String>> {
    loop {
        if let Some(end) = buffer.windows(4).position(|w| w == b"\r\n\r\n") {
            let head: Vec<u8> = buffer.drain(..end + 4).collect();
            return Ok(Some(String::from_utf8_lossy(&head).into_owned()));
        }
        if buffer.len() > HEAD_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if socket.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}

/// Answers one request; false when the connection is no longer usable.
async fn answer(
    web: &TestWeb,
    socket: &mut TcpStream,
    request: &Request,
    keep: bool,
) -> io::Result<bool> {
    let head_only = request.method == "HEAD";
    if request.method != "GET" && !head_only {
        send_whole(socket, &Response::error(405), false, keep).await?;
        return Ok(true);
    }
    let started = web.now();
    let Some(plan) = web.plan(request) else {
        web.note(request, started, None);
        send_whole(socket, &Response::error(502), head_only, keep).await?;
        return Ok(true);
    };
    tokio::time::sleep(plan.wait).await;
    let sent = send(socket, &plan, head_only, keep).await;
    web.note(request, started, Some(&plan));
    sent
}

async fn send(
    socket: &mut TcpStream,
    plan: &Plan,
    head_only: bool,
    keep: bool,
) -> io::Result<bool> {
    let body = &plan.response.body;
    match plan.ending {
        _ if head_only => send_whole(socket, &plan.response, true, keep).await?,
        Ending::Whole => send_whole(socket, &plan.response, false, keep).await?,
        Ending::Reset(at) | Ending::Truncate(at) => {
            let reset = matches!(plan.ending, Ending::Reset(_));
            socket.write_all(&head(&plan.response, false)).await?;
            socket.write_all(&body[..at]).await?;
            socket.flush().await?;
            if reset {
                // With a linger of zero the close is a reset.
                socket.set_zero_linger()?;
            }
            return Ok(false);
        }
        Ending::Drip(bytes_per_s) => {
            socket.write_all(&head(&plan.response, keep)).await?;
            let step = (bytes_per_s as usize / 10).max(1);
            for chunk in body.chunks(step) {
                socket.write_all(chunk).await?;
                socket.flush().await?;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    Ok(true)
}

async fn send_whole(
    socket: &mut TcpStream,
    response: &Response,
    head_only: bool,
    keep: bool,
) -> io::Result<()> {
    let mut bytes = head(response, keep);
    if !head_only {
        bytes.extend_from_slice(&response.body);
    }
    socket.write_all(&bytes).await?;
    socket.flush().await
}

fn head(response: &Response, keep: bool) -> Vec<u8> {
    let status = response.status;
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status)).into_bytes();
    for (name, value) in &response.headers {
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(b": ");
        head.extend(value.iter().filter(|byte| !matches!(byte, b'\r' | b'\n')));
        head.extend_from_slice(b"\r\n");
    }
    let connection = if keep { "keep-alive" } else { "close" };
    let length = response.body.len();
    let rest = format!("content-length: {length}\r\nconnection: {connection}\r\n\r\n");
    // RFC 9110 §8.6: a 304 announces no length of a body it does not have.
    let rest = match status {
        304 => format!("connection: {connection}\r\n\r\n"),
        _ => rest,
    };
    head.extend_from_slice(rest.as_bytes());
    head
}

fn parse(head: &str) -> Option<Request> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return None;
    }
    let fields = lines.filter_map(|line| line.split_once(':'));
    let headers: Vec<(String, String)> = fields
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let absolute = target.contains("://");
    let host = headers
        .iter()
        .find(|(name, _)| name == "host")
        .map(|(_, value)| value);
    let url = match (absolute, target.starts_with('/'), host) {
        (true, _, _) => url::Url::parse(target).ok()?,
        (false, true, Some(host)) => url::Url::parse(&format!("http://{host}{target}")).ok()?,
        // `CONNECT a.test:443` and the like: answered 405 by the caller.
        (false, false, _) if method != "GET" && method != "HEAD" => {
            return Some(Request {
                method: method.to_owned(),
                headers,
                ..Request::default()
            });
        }
        (false, _, _) => return None,
    };
    Some(Request {
        method: method.to_owned(),
        headers,
        ..Request::get(&url)
    })
}

fn keeps_alive(request: &Request, head: &str) -> bool {
    let wish = request
        .header("connection")
        .unwrap_or_default()
        .to_ascii_lowercase();
    if head
        .lines()
        .next()
        .is_some_and(|line| line.ends_with("HTTP/1.0"))
    {
        return wish.contains("keep-alive");
    }
    !wish.contains("close")
}
