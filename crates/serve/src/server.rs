//! The server: bound, started, stopped.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{StatusCode, header};
use pipeline::{CrawlDir, Onlooker};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::app::{App, Failed, guarded};
use crate::crawls::{self, Crawls};
use crate::guard::{Guard, TOKEN_BYTES_MIN};
use crate::jobs::Jobs;
use crate::{api, listen, metrics, pages};

/// How long the end may take, once answers under way had their time.
const END_TIME_MAX: Duration = Duration::from_secs(1);

/// What is served, and to whom.
#[derive(Debug, Clone)]
pub struct Options {
    /// The crawls' directories. A crawl may begin there later.
    pub dirs: Vec<CrawlDir>,
    /// Where this process runs the crawl in the first of them: who is handed its records.
    pub onlooker: Option<Onlooker>,
    /// Where to listen; port 0 for any.
    pub listen: SocketAddr,
    /// The token that is asked for; needed on any address but loopback.
    pub token: Option<String>,
    /// Further names that the server goes by, for a proxy before it.
    pub hosts: Vec<String>,
}

/// Why a server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// It would be open to others.
    #[error("listening on {0} needs a token, since others can reach it")]
    NoToken(SocketAddr),
    /// The token can be guessed.
    #[error("the token has fewer than {TOKEN_BYTES_MIN} characters")]
    ShortToken,
    /// Two many crawls.
    #[error("{0} directories are too many; at most {max}", max = crawls::CRAWLS_MAX)]
    TooMany(usize),
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The system gives no thread, or no random bytes.
    #[error("cannot start the server: {0}")]
    System(#[source] io::Error),
}

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    crawls: Weak<Crawls>,
    stop: watch::Sender<bool>,
    ended: Arc<AtomicBool>,
    onlooker: Option<Onlooker>,
    follower: Option<JoinHandle<()>>,
    counter: Option<JoinHandle<()>>,
    accepting: Option<tokio::task::JoinHandle<()>>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Binds and begins to serve.
    ///
    /// # Errors
    /// [`ServeError`], before anything is served.
    pub fn start(options: Options) -> Result<Self, ServeError> {
        let address = options.listen;
        if options.token.is_none() && !address.ip().is_loopback() {
            return Err(ServeError::NoToken(address));
        }
        if options
            .token
            .as_ref()
            .is_some_and(|token| token.len() < TOKEN_BYTES_MIN)
        {
            return Err(ServeError::ShortToken);
        }
        if options.dirs.len() > crawls::CRAWLS_MAX {
            return Err(ServeError::TooMany(options.dirs.len()));
        }
        let cannot_listen = |source| ServeError::Listen { address, source };
        let socket = std::net::TcpListener::bind(address).map_err(cannot_listen)?;
        socket.set_nonblocking(true).map_err(cannot_listen)?;
        let address = socket.local_addr().map_err(cannot_listen)?;
        let guard = Guard::new(address, &options.hosts, options.token)
            .map_err(|error| ServeError::System(io::Error::other(error.to_string())))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("serve")
            .enable_all()
            .build()
            .map_err(ServeError::System)?;
        let crawls = Arc::new(Crawls::new(options.dirs, options.onlooker.clone()));
        let ended = Arc::new(AtomicBool::new(false));
        let served = Arc::downgrade(&crawls);
        let (followed, told_to_end) = (Arc::downgrade(&crawls), Arc::clone(&ended));
        let follower = std::thread::Builder::new()
            .name("serve-follow".into())
            .spawn(move || crawls::follow(&followed, &told_to_end))
            .map_err(ServeError::System)?;
        if let Some(onlooker) = &options.onlooker {
            onlooker.arrive(follower.thread().clone());
        }
        let (counted, told_to_end) = (Arc::downgrade(&crawls), Arc::clone(&ended));
        let counter = std::thread::Builder::new()
            .name("serve-count".into())
            .spawn(move || crawls::count(&counted, &told_to_end))
            .map_err(ServeError::System)?;
        let stop = watch::Sender::new(false);
        let app = App {
            crawls,
            guard: Arc::new(guard),
            jobs: Jobs::start().map_err(ServeError::System)?,
            watchers: Arc::default(),
            stop: stop.subscribe(),
            waker: follower.thread().clone(),
        };
        let entered = runtime.enter();
        let listener = tokio::net::TcpListener::from_std(socket).map_err(cannot_listen)?;
        drop(entered);
        let accepting = runtime.spawn(listen::accept(listener, router(&app), stop.subscribe()));
        Ok(Self {
            address,
            crawls: served,
            stop,
            ended,
            onlooker: options.onlooker,
            follower: Some(follower),
            counter: Some(counter),
            accepting: Some(accepting),
            runtime: Some(runtime),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends: no new connection, answers under way are finished within some seconds.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(onlooker) = &self.onlooker {
            onlooker.leave();
            // The crawl of this process has ended, and only that.
            if let Some(crawls) = self.crawls.upgrade() {
                crawls.tell_last();
            }
        }
        self.stop.send_replace(true);
        if let (Some(runtime), Some(accepting)) = (self.runtime.take(), self.accepting.take()) {
            // It has bounds of its own; a panic of it ends with the runtime.
            let _ = runtime.block_on(accepting);
            runtime.shutdown_timeout(END_TIME_MAX);
        }
        for reader in [self.follower.take(), self.counter.take()]
            .into_iter()
            .flatten()
        {
            reader.thread().unpark();
            // It only reads: if it panicked, nothing is lost.
            let _ = reader.join();
        }
    }
}

fn router(app: &App) -> Router {
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(measured))
        .merge(api::routes())
        .merge(pages::routes())
        .fallback(pages::unknown)
        .method_not_allowed_fallback(wrong_method);
    guarded(router, app)
}

async fn ready(State(app): State<App>) -> Response {
    match app.crawls.are_ready() {
        true => "ready\n".into_response(),
        false => (StatusCode::SERVICE_UNAVAILABLE, "reading the journal\n").into_response(),
    }
}

async fn measured(State(app): State<App>) -> Result<Response, Failed> {
    let (crawls, watchers) = (app.crawls.clone(), app.watchers.load(Ordering::SeqCst));
    let text = app
        .jobs
        .run(move || metrics::metrics(&crawls.all, watchers));
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    Ok(([(header::CONTENT_TYPE, kind)], text.await?).into_response())
}

async fn wrong_method() -> Failed {
    let why = "not by this method".to_owned();
    Failed(StatusCode::METHOD_NOT_ALLOWED, why)
}
