//! `tamis mcp`: crawls for assistants, over standard input and output.

use std::io::{BufReader, IsTerminal};
use std::path::PathBuf;

use pipeline::CrawlDir;
use serve::ServeError;

use crate::command::journal;
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Let an assistant search and read crawls, by the Model Context Protocol over standard input and output
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    tamis mcp crawls/db crawls/news\n\n\
    An assistant starts it; docs/assistants.md says how it is told to. It only reads: search, page, explain, status.")]
pub struct Args {
    /// The crawls' directories
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
}

/// Speaks the protocol until standard input ends.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = args.dirs.iter().map(|dir| journal::open(dir));
    let dirs = dirs.collect::<anyhow::Result<Vec<CrawlDir>>>()?;
    if dirs.len() > serve::CRAWLS_MAX {
        return Err(usage(ServeError::TooMany(dirs.len()).to_string()));
    }
    if std::io::stdin().is_terminal() {
        output.say("this is for assistants, which speak JSON-RPC to it: see docs/assistants.md (Ctrl-D ends it)");
    }
    let input = BufReader::new(std::io::stdin());
    let version = env!("TAMIS_VERSION");
    match serve::assist(dirs, version, input, std::io::stdout()) {
        Ok(()) => Ok(Exit::Done),
        // Whoever asked has gone.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(resource(format!("cannot speak to the assistant: {error}"))),
    }
}
