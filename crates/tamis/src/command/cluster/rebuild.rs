//! `tamis cluster rebuild`: the ledger made anew from its nodes' directories.

use std::path::PathBuf;

use config::CrawlConfig;
use ledger::postgres::InitPlan;
use ledger::postgres::rebuild::Rebuild;
use ledger::{LedgerError, Settings};
use pipeline::rebuild::{self, Member, Rebuilt};
use pipeline::{CrawlDir, CrawlError, config_file};

use super::{CHECK_PATIENCE, Place, crawl_failed};
use crate::command::crawl_error;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// From what, and where to.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The nodes' directories: all of them, and none of a node that runs
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The store, as the owner's role; without it the one of the first directory's configuration
    #[arg(long)]
    store: Option<String>,
    /// The crawl's name in the store, instead of the configuration's
    #[arg(long)]
    crawl: Option<String>,
    /// A file with the store's password, instead of the configuration's
    #[arg(long)]
    password_file: Option<PathBuf>,
    /// Number of a node whose directory is lost too: what it kept is withdrawn, and what it finished
    /// waits again. Several with commas
    #[arg(long, value_name = "NODE", value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..=8_191))]
    lost: Vec<u16>,
}

pub(super) fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs: Vec<CrawlDir> = (args.dirs.iter())
        .map(|dir| CrawlDir::existing(dir).map_err(crawl_error))
        .collect::<Result<_, _>>()?;
    let Some(first) = dirs.first() else {
        return Err(usage("no directory is named"));
    };
    let config =
        config_file::kept(&first.config()).map_err(|problem| usage(problem.to_string()))?;
    let place = Place {
        config: None,
        store: args.store.clone(),
        crawl: args.crawl.clone(),
        password_file: args.password_file.clone(),
    };
    let settings = Settings {
        patience: CHECK_PATIENCE,
        ..place.settings(&config)?
    };
    let begin = |config: &CrawlConfig| {
        let pages_max = Some(config.crawl.max_pages).filter(|&pages| pages > 0);
        Rebuild::begin(&settings, InitPlan { pages_max })
    };
    let rebuilt = rebuild::rebuild(&dirs, &args.lost, begin);
    let rebuilt = rebuilt.map_err(|error| refused(error, &settings))?;
    if output.json {
        output.value(&rebuilt)?;
        return Ok(Exit::Done);
    }
    for line in lines(&rebuilt) {
        output.line(line)?;
    }
    Ok(Exit::Done)
}

/// Why nothing was written.
fn refused(error: CrawlError, settings: &Settings) -> anyhow::Error {
    match error {
        CrawlError::Ledger(error @ LedgerError::NotEmpty { .. }) => usage(format!(
            "{error}. If it is an older state of the crawl, from a backup, take it away first: `drop schema {} \
             cascade`, as tamis_owner",
            settings.crawl.schema()
        )),
        other => crawl_failed(other, settings),
    }
}

fn lines(rebuilt: &Rebuilt) -> Vec<String> {
    let of = |node: &Member| {
        let cut = match node.cut {
            0 => String::new(),
            1 => "; 1 record behind that contradicts another node, and is cut at the next start"
                .into(),
            more => {
                format!(
                    "; {more} records behind that contradict another node, and are cut at the next start"
                )
            }
        };
        format!(
            "node {} ({}): {} URLs admitted, {} finished, {} texts kept{cut}",
            node.node, node.dir, node.admitted, node.finished, node.kept
        )
    };
    let mut lines: Vec<String> = rebuilt.nodes.iter().map(of).collect();
    if !rebuilt.lost.is_empty() {
        let numbers: Vec<String> = rebuilt.lost.iter().map(u16::to_string).collect();
        lines.push(format!(
            "lost: node {}; {} of its texts that others had seen are withdrawn, {} URLs that had been dropped \
             for repeating them wait again, and so does what it had finished; URLs that it alone had found are \
             not known",
            numbers.join(", "),
            rebuilt.withdrawn,
            rebuilt.copies
        ));
    }
    lines.push(
        "the ledger is made anew; the journals do not tell times, how often a node had joined, and which nodes \
         were forgotten: start the nodes again as before"
            .to_owned(),
    );
    lines
}
