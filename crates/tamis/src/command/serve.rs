//! `tamis serve`: crawls in the browser.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pipeline::{CrawlDir, Onlooker};
use serve::{Options, ServeError, Server};

use crate::command::journal;
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Watch, search and judge crawls in a browser; also while they run
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis serve crawls/db\n  \
    tamis serve crawls/old crawls/new --listen 127.0.0.1:8080\n  \
    tamis serve crawls/db --listen 0.0.0.0:7700 --token-file token.txt\n\n\
    Anything but loopback needs a token. Open the URL with ?token=TOKEN once; programs send it as a bearer.")]
pub struct Args {
    /// The crawls' directories
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Where to listen
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700", value_parser = address)]
    listen: SocketAddr,
    /// What may be asked, and by which name
    #[command(flatten)]
    access: Access,
}

/// An address to listen on.
///
/// # Errors
/// With how one is written.
pub fn address(typed: &str) -> Result<SocketAddr, String> {
    // The one name whose address is the same on every machine.
    let numbered = match typed.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => typed.to_owned(),
    };
    numbered.parse().map_err(|_| {
        let port = typed.trim_start_matches(':');
        let port = if port.parse::<u16>().is_ok() {
            port
        } else {
            "7700"
        };
        format!("write a number and a port, such as 127.0.0.1:{port}")
    })
}

/// Who may ask a server.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Access {
    /// Ask for the token that this file holds
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Another name that the server goes by, such as a proxy's; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// How the command names the option of the token's file.
    #[arg(skip = "--token-file")]
    token_option: &'static str,
}

impl Access {
    /// Access by this token file, which the command takes by this option, under these further names.
    pub fn by(token_option: &'static str, token_file: Option<PathBuf>, hosts: Vec<String>) -> Self {
        Self {
            token_file,
            hosts,
            token_option,
        }
    }
}

/// Serves until it is told to end.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = args.dirs.iter().map(|dir| journal::open(dir));
    let dirs = dirs.collect::<anyhow::Result<Vec<CrawlDir>>>()?;
    let signals = Signals::listen()?;
    let server = start((dirs, None), args.listen, &args.access)?;
    output.say(format!(
        "serving on http://{}/ (Ctrl-C ends it)",
        server.address()
    ));
    output.flush()?;
    signals.wait();
    server.stop();
    Ok(Exit::Done)
}

/// Starts a server of these crawls; where this process runs the first of them, with who is handed its records.
///
/// # Errors
/// For wrong use, or when the address cannot be had.
pub fn start(
    (dirs, onlooker): (Vec<CrawlDir>, Option<Onlooker>),
    listen: SocketAddr,
    access: &Access,
) -> anyhow::Result<Server> {
    let options = Options {
        dirs,
        onlooker,
        listen,
        token: access.token_file.as_deref().map(token).transpose()?,
        hosts: access.hosts.clone(),
    };
    Server::start(options).map_err(|error| match &error {
        ServeError::NoToken(_) => usage(format!("{error}: give {} FILE", access.token_option)),
        ServeError::ShortToken | ServeError::TooMany(_) => usage(error.to_string()),
        ServeError::Listen { .. } => resource(format!(
            "{error}; choose another address, with port 0 for any free port"
        )),
        ServeError::System(_) => resource(error.to_string()),
    })
}

fn token(file: &Path) -> anyhow::Result<String> {
    let cannot = |why: String| {
        usage(format!(
            "cannot use the token file {}: {why}",
            file.display()
        ))
    };
    let token = std::fs::read_to_string(file).map_err(|error| cannot(error.to_string()))?;
    let token = token.trim();
    match token.len() >= serve::TOKEN_BYTES_MIN && token.chars().all(|c| c.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(cannot(format!(
            "a token has {} characters or more, and no space: make one with `openssl rand -hex 24`",
            serve::TOKEN_BYTES_MIN
        ))),
    }
}

/// The signals that end a server.
struct Signals {
    runtime: tokio::runtime::Runtime,
    ended: tokio::sync::oneshot::Receiver<()>,
}

impl Signals {
    /// From here on they end nothing by themselves.
    fn listen() -> anyhow::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .context("cannot start the signal listener")?;
        let (end, ended) = tokio::sync::oneshot::channel();
        let entered = runtime.enter();
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for signals")?;
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for signals")?;
        let mut hangup = signal(SignalKind::hangup()).context("cannot listen for signals")?;
        runtime.spawn(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            // Whoever waits is told, or has gone.
            let _ = end.send(());
        });
        drop(entered);
        Ok(Self { runtime, ended })
    }

    /// Waits for one of them.
    fn wait(self) {
        let Self { runtime, ended } = self;
        // It can only end by a signal.
        let _ = runtime.block_on(ended);
    }
}
