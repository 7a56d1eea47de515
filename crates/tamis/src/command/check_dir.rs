//! `tamis check-dir`: do archive, state and index agree?

use std::path::PathBuf;
use std::sync::Arc;

use pipeline::{CrawlDir, check, config_file};

use crate::command::crawl_error;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check that archive, state and search index of a crawl agree
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis check-dir crawls/db\n  \
    tamis check-dir crawls/db --rejudge   # decides every record again\n  \
    tamis check-dir crawls/db --repair    # rebuilds state and index from the archive")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// Decide every record again from its recorded inputs, in journal order
    #[arg(long)]
    rejudge: bool,
    /// Rebuild state and search index from the archive first
    #[arg(long)]
    repair: bool,
}

/// Runs the check; exit 1 when something disagrees.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = CrawlDir::existing(&args.dir).map_err(crawl_error)?;
    let config = config_file::kept(&dir.config()).map_err(|problem| usage(problem.to_string()))?;
    let config = Arc::new(config);
    if args.repair {
        for note in check::repair(&dir, &config).map_err(crawl_error)? {
            output.say(format!("note: {note}"));
        }
    }
    let report = check::check(&dir, &config, args.rejudge).map_err(crawl_error)?;
    if output.json {
        output.value(&report)?;
    } else {
        output.line(format!(
            "{} records: {} URLs admitted, {} finished, {} pages kept",
            report.records, report.admitted, report.finished, report.kept
        ))?;
        if args.rejudge {
            output.line(format!("{} verdicts made again", report.rejudged))?;
        }
        for problem in &report.problems {
            output.line(format!("problem: {problem}"))?;
        }
        if report.problems_more > 0 {
            output.line(format!("and {} problems more", report.problems_more))?;
        }
        for damage in &report.damage {
            output.line(format!("damage: {damage}"))?;
        }
        for lost in &report.lost {
            output.line(format!("lost for good: {lost}"))?;
        }
        for lagging in &report.lagging {
            output.line(format!("note: {lagging}"))?;
        }
        output.line(match (report.is_clean(), args.repair) {
            (true, _) if report.lost.is_empty() => "everything agrees",
            (true, _) => "everything else agrees",
            (false, true) => {
                "not everything agrees, though state and index were rebuilt from the archive"
            }
            (false, false) => {
                "not everything agrees: --repair rebuilds state and index from the archive"
            }
        })?;
    }
    Ok(if report.is_clean() {
        Exit::Done
    } else {
        Exit::Problem
    })
}
