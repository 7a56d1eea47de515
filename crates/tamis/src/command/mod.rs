//! The commands. Each module has its `Args` and a `run`.

pub mod changes;
pub mod check_dir;
#[cfg(feature = "cluster")]
pub mod cluster;
#[cfg(not(feature = "cluster"))]
#[path = "no_cluster.rs"]
pub mod cluster;
pub mod compare;
pub mod completions;
pub mod config;
mod copies;
pub mod crawl;
pub mod dedup;
pub mod demo;
pub mod explain;
pub mod export;
pub mod extract;
mod feature_options;
pub mod fetch;
pub mod fingerprint;
mod journal;
pub mod links;
pub mod mcp;
pub mod replay;
pub mod report;
pub mod robots;
pub mod search;
pub mod seeds;
pub mod serve;
pub mod simulate;
pub mod sitemap;
mod standing;
pub mod status;
pub mod steer;
pub mod text;
mod together;
pub mod topic;
pub mod url;

use std::ffi::OsString;
use std::path::Path;

use frontier::UrlError;
use pipeline::{CrawlDir, CrawlError};

use crate::args::{Cli, Command};
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Runs the chosen command.
pub fn run(cli: &Cli, output: &Output) -> anyhow::Result<Exit> {
    let exit = choose(cli, output)?;
    journal::read_to_its_end()?;
    Ok(exit)
}

fn choose(cli: &Cli, output: &Output) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Crawl(args) => crawl::run(args, output),
        Command::Demo(args) => demo::run(args, output),
        Command::Changes(args) => changes::run(args, output),
        Command::Status(args) => status::run(args, output),
        Command::Pause(args) => steer::pause(args, output),
        Command::Reload(args) => steer::reload(args, output),
        Command::Resume(args) => steer::resume(args, output),
        Command::Stop(args) => steer::stop(args, output),
        Command::Retry(args) => steer::retry(args, output),
        Command::Report(args) => report::run(args, output),
        Command::Serve(args) => serve::run(args, output),
        Command::Mcp(args) => mcp::run(args, output),
        Command::Search(args) => search::run(args, output),
        Command::Explain(args) => explain::run(args, output),
        Command::Export(args) => export::run(args, output),
        Command::CheckDir(args) => check_dir::run(args, output),
        Command::Config(args) => config::run(args, output),
        Command::Seeds(args) => seeds::run(args, output),
        Command::Url(args) => url::run(args, output),
        Command::Robots(args) => robots::run(args, output),
        Command::Sitemap(args) => sitemap::run(args, output),
        Command::Links(args) => links::run(args, output),
        Command::Text(args) => text::run(args, output),
        Command::Extract(args) => extract::run(args, output),
        Command::Fingerprint(args) => fingerprint::run(args, output),
        Command::Compare(args) => compare::run(args, output),
        Command::Dedup(args) => dedup::run(args, output),
        Command::Fetch(args) => fetch::run(args, output),
        Command::Topic(args) => topic::run(args, output),
        Command::Replay(args) => replay::run(args, output),
        Command::Simulate(args) => simulate::run(args, output),
        #[cfg(feature = "cluster")]
        Command::Cluster(args) => cluster::run(args, output),
        Command::Completions(args) => completions::run(args, output),
    }
}

/// A crawl's error with the exit code it stands for.
pub fn crawl_error(error: CrawlError) -> anyhow::Error {
    let words = in_full(&error);
    match &error {
        CrawlError::NotACrawl(named) => {
            usage(words + &misplaced(named, std::env::args_os().skip(2)))
        }
        CrawlError::Setup(_) | CrawlError::Occupied(_) | CrawlError::NoConfiguration(_) => {
            usage(words)
        }
        CrawlError::InUse(_)
        | CrawlError::Directory { .. }
        | CrawlError::Archive(_)
        | CrawlError::Texts(_)
        | CrawlError::Newer(_)
        | CrawlError::Frontier(_)
        | CrawlError::Fingerprints(_)
        | CrawlError::Index(_)
        | CrawlError::Ledger(_)
        | CrawlError::Lost(_)
        | CrawlError::Panicked(_) => resource(words),
    }
}

/// What to say where another word of the command line is a crawl's directory, and `named` holds none.
fn misplaced(named: &Path, mut words: impl Iterator<Item = OsString>) -> String {
    let is_crawl = |word: &OsString| {
        let dir = Path::new(word);
        dir != named && CrawlDir::new(dir).holds_crawl()
    };
    words.find(is_crawl).map_or_else(String::new, |dir| {
        let dir = dir.display();
        format!("; {dir} does, and a crawl's directory comes before other words")
    })
}

/// The name among these that was probably meant.
fn meant<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let distance = |known: &str| strsim::osa_distance(name, known);
    let nearest = names.into_iter().min_by_key(|known| distance(known))?;
    (distance(nearest) <= 1 + name.len() / 5).then_some(nearest)
}

/// Whether what was given as a file is a URL of the web.
fn is_web_url(path: &Path) -> bool {
    let text = path.to_string_lossy();
    ["http://", "https://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// Whether a text is a list of seeds, by its first line that says something.
fn is_seed_list(text: &str) -> bool {
    let first = first_line(text).unwrap_or_default();
    let first = first.strip_prefix("sitemap:").unwrap_or(first);
    is_web_url(Path::new(first))
}

/// Whether a text is a configuration, by its first line that says something: the name of a section.
fn is_configuration(text: &str) -> bool {
    let section = first_line(text).and_then(|line| line.strip_prefix('['));
    section.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '['))
}

fn first_line(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#'))
}

/// An absolute URL that was typed.
fn typed_url(text: &str) -> Result<::url::Url, String> {
    frontier::parse_typed(text).map_err(|error| match error {
        UrlError::Parse(_, error) => {
            format!("{error}; write an absolute URL, such as https://example.org/page")
        }
        UrlError::Typed(_) => {
            "no host between // and /; write an absolute URL, such as https://example.org/page"
                .into()
        }
        other => other.to_string(),
    })
}

/// An error with its causes, each named once.
fn in_full(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !words.contains(&more) {
            words = format!("{words}: {more}");
        }
        cause = error.source();
    }
    words
}
