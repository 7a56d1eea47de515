//! `tamis export`: rows for other programs.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use report::{Format, What, export};

use crate::command::journal;
use crate::exit::{Exit, resource};
use crate::output::Output;

/// Write rows about pages, fetches, links, duplicates or hosts, also while the crawl runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis export crawls/db indexed > pages.jsonl\n  \
    tamis export crawls/db junk --format csv --out junk.csv\n  \
    tamis export crawls/db clusters | head")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// fetches, pages, indexed, junk, clusters, links, hosts or changes
    what: What,
    /// jsonl or csv
    #[arg(long, default_value = "jsonl")]
    format: Format,
    /// Write to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes the rows.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    // Opened once so that an unreadable archive is told before anything is written.
    drop(journal::records(&dir)?);
    let records = || journal::records(&dir).into_iter().flatten();
    let text = |at: &archive::BodyRef| journal::text(&dir, at);
    match &args.out {
        Some(path) => {
            let cannot = |error| resource(format!("cannot write {}: {error}", path.display()));
            let mut file = BufWriter::new(File::create(path).map_err(cannot)?);
            let rows = export(args.what, args.format, records, &text, &mut file)
                .and_then(|rows| file.flush().map(|()| rows))
                .map_err(cannot)?;
            output.say(format!("wrote {rows} rows to {}", path.display()));
        }
        None => {
            export(
                args.what,
                args.format,
                records,
                &text,
                &mut *output.stream(),
            )?;
        }
    }
    Ok(Exit::Done)
}
