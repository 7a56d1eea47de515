//! Connections under bounds: how many, how long a head may take, how long a reader may stall.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep};

/// Connections at once; further ones wait outside.
pub(crate) const CONNECTIONS_MAX: usize = 256;

/// How long the head of a request may take, and an idle connection may stay.
const HEAD_TIME_MAX: Duration = Duration::from_secs(5);

/// How long a reader may take nothing of an answer.
const STALL_MAX: Duration = Duration::from_secs(20);

/// Fields of a head.
const HEADERS_MAX: usize = 64;

/// Bytes of a head.
const HEAD_BYTES_MAX: usize = 16 << 10;

/// How long answers under way may take once the server stops.
const END_TIME_MAX: Duration = Duration::from_secs(3);

/// Accepts connections until it is told to stop, then lets answers under way end.
pub(crate) async fn accept(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) {
    let room = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let permit = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            permit = Arc::clone(&room).acquire_owned() => permit,
        };
        let Ok(permit) = permit else {
            return;
        };
        let accepted = tokio::select! {
            _ = stop.wait_for(|stop| *stop) => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((socket, peer)) = accepted else {
            // Out of descriptors, or the peer left already.
            sleep(Duration::from_millis(10)).await;
            continue;
        };
        let (router, stop) = (router.clone(), stop.clone());
        tokio::spawn(async move {
            converse(socket, peer, router, stop).await;
            drop(permit);
        });
    }
    drop(listener);
    let all = u32::try_from(CONNECTIONS_MAX).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(END_TIME_MAX, room.acquire_many(all)).await;
}

async fn converse(
    socket: TcpStream,
    peer: SocketAddr,
    router: Router,
    mut stop: watch::Receiver<bool>,
) {
    // Without it answers are only slower.
    let _ = socket.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(
            TokioIo::new(Unstalled::new(socket)),
            TowerToHyperService::new(router),
        );
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => Some(ended),
        _ = stop.wait_for(|stop| *stop) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("connection of {peer}: {error}");
    }
}

/// A socket whose reader must take something within [`STALL_MAX`].
struct Unstalled {
    socket: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Unstalled {
    fn new(socket: TcpStream) -> Self {
        Self {
            socket,
            stalled: None,
        }
    }

    /// What a write came to, with its time.
    fn timed<T>(
        &mut self,
        context: &mut Context<'_>,
        write: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.stalled = None;
            return write;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + STALL_MAX)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Unstalled {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for Unstalled {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.timed(context, write)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.socket).poll_flush(context);
        self.timed(context, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}
