//! `tamis sitemap`: the URLs of a sitemap or feed.

use std::path::PathBuf;

use fetcher::{Sitemap, SitemapUrl};
use report::words::flat;
use serde_json::{Value, json};

use super::text::read;
use crate::command::typed_url;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Read a sitemap: XML, index, plain text, RSS or Atom, gzipped or not
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis sitemap parse sitemap.xml.gz")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Parse(ParseArgs),
}

/// List the sitemap's URLs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis sitemap parse sitemap.xml.gz\n  \
    curl -s https://example.org/feed | tamis sitemap parse --json --base https://example.org/feed -")]
struct ParseArgs {
    /// The sitemap's own URL, for entries that are relative
    #[arg(long, value_name = "URL")]
    base: Option<String>,
    /// The sitemap; - is standard input
    file: PathBuf,
}

/// Runs the sub-command.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Parse(args) => parse(args, output),
    }
}

fn parse(args: &ParseArgs, output: &Output) -> anyhow::Result<Exit> {
    let base = args
        .base
        .as_deref()
        .map(|text| typed_url(text).map_err(|error| usage(format!("--base \"{text}\": {error}"))));
    let base = base.transpose()?;
    let bytes = read(&args.file)?;
    match Sitemap::parse(&bytes, base.as_ref()) {
        Ok(sitemap) => {
            print(&sitemap, output)?;
            Ok(Exit::Done)
        }
        Err(error) => {
            if output.json {
                output.value(&json!({ "error": error.to_string() }))?;
            } else {
                output.error(&flat(&error.to_string()));
            }
            Ok(Exit::Problem)
        }
    }
}

fn print(sitemap: &Sitemap, output: &Output) -> anyhow::Result<()> {
    if output.json {
        let urls: Vec<Value> = sitemap.urls.iter().map(entry).collect();
        output.value(&json!({
            "type": sitemap.kind.name(),
            "urls": urls,
            "stopped": sitemap.stopped,
        }))?;
        return Ok(());
    }
    for url in &sitemap.urls {
        let loc = flat(&url.loc);
        match &url.lastmod {
            Some(lastmod) => output.line(format!("{loc}  {}", flat(lastmod)))?,
            None => output.line(loc)?,
        }
    }
    let kind = sitemap.kind.name();
    output.say(format!("{kind}: {} URLs", sitemap.urls.len()));
    if let Some(why) = &sitemap.stopped {
        output.say(format!("not read to its end: {why}"));
    }
    Ok(())
}

fn entry(url: &SitemapUrl) -> Value {
    json!({
        "loc": url.loc,
        "lastmod": url.lastmod,
        "changefreq": url.changefreq,
        "priority": url.priority,
    })
}
