//! The command line's shape: global options and the list of commands.

use clap::{Parser, Subcommand, ValueEnum};

use crate::command;

/// Crawl a topic, keep each text once, and say why the rest was dropped.
#[derive(Debug, Parser)]
#[command(
    name = "tamis",
    version,
    about = "A focused web crawler that knows, page by page and before anything is indexed, \
             whether it has seen this content before.",
    after_help = "Examples:\n  tamis demo\n  tamis crawl config/chinese-databases.toml --dir crawls/db\n  tamis report crawls/db\n  tamis search crawls/db 索引"
)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
pub struct Global {
    /// Print data as JSON, one value per line
    #[arg(long, global = true, help_heading = "Global options")]
    pub json: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    pub quiet: bool,
    /// Say more; twice for everything
    #[arg(short, long, global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub verbose: u8,
    /// Form of log lines on stderr
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, help_heading = "Global options")]
    pub log_format: LogFormat,
    /// Colour: auto obeys the terminal and NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Global options")]
    pub color: Color,
}

/// Form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// When to colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands, in the order a user meets them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a focused crawl, or carry one on
    Crawl(command::crawl::Args),
    /// Crawl a small bundled web on loopback and show what comes of it
    Demo(command::demo::Args),
    /// Report what a crawl found, dropped and met
    Report(command::report::Args),
    /// Search the kept pages
    Search(command::search::Args),
    /// Tell one URL's whole story
    Explain(command::explain::Args),
    /// Write rows about pages, fetches, links, duplicates or hosts
    Export(command::export::Args),
    /// Check that archive, state and search index agree
    CheckDir(command::check_dir::Args),
    /// Check or show a configuration, or print its schema
    Config(command::config::Args),
    /// Check a topic: its terms, and what it says of pages
    Topic(command::topic::Args),
    /// Replay another order or another topic over a crawl's pages
    Replay(command::replay::Args),
    /// Check seed lists
    Seeds(command::seeds::Args),
    /// Normalise or resolve URLs
    Url(command::url::Args),
    /// Ask a robots.txt
    Robots(command::robots::Args),
    /// Read a sitemap
    Sitemap(command::sitemap::Args),
    /// List a page's links and what it says to robots
    Links(command::links::Args),
    /// Decode a page's bytes to text
    Text(command::text::Args),
    /// Read pages: main content, title, author, date, links
    Extract(command::extract::Args),
    /// Print the fingerprint of texts, or compare fingerprints
    Fingerprint(command::fingerprint::Args),
    /// Tell whether two pages are duplicates, why, and where they differ
    Compare(command::compare::Args),
    /// Tell which documents of a stream repeat an earlier one
    Dedup(command::dedup::Args),
    /// Fetch one URL politely
    Fetch(command::fetch::Args),
    /// Print shell completions or write man pages
    Completions(command::completions::Args),
}
