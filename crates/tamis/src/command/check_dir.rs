//! `tamis check-dir`: do archive, state and index agree?

use std::path::PathBuf;
use std::sync::Arc;

use pipeline::{CrawlDir, check, config_file};

use crate::command::{copies, crawl_error, together};
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check that archive, state and search index of a crawl agree
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis check-dir crawls/db\n  \
    tamis check-dir crawls/db --rejudge   # decides every record again\n  \
    tamis check-dir crawls/db --repair    # rebuilds state and index from the archive")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY; of a crawl
    /// on many machines several, one for each node
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Decide every record again from its recorded inputs, in journal order
    #[arg(long)]
    rejudge: bool,
    /// Rebuild state and search index from the archive first
    #[arg(long)]
    repair: bool,
}

/// Runs the check; exit 1 when something disagrees.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let (first, more) = args
        .dirs
        .split_first()
        .ok_or_else(|| usage("name a directory"))?;
    let dirs = together::open(first, more, output)?;
    let mut exit = Exit::Done;
    for dir in &dirs {
        if dirs.len() > 1 && !output.json {
            output.line(format!("{}:", dir.shown()))?;
        }
        if check_one(dir, args, output)? == Exit::Problem {
            exit = Exit::Problem;
        }
    }
    if dirs.len() > 1 && !check_all(&dirs, output)? {
        exit = Exit::Problem;
    }
    Ok(exit)
}

/// Whether each URL ended once over all directories, or once more for each time it was put back.
fn check_all(dirs: &[CrawlDir], output: &Output) -> anyhow::Result<bool> {
    let twice = together::finished_twice(dirs)?;
    if output.json {
        output.value(&serde_json::json!({ "finished_twice": twice }))?;
        return Ok(twice.is_empty());
    }
    for url in &twice {
        output.line(format!("problem: {url} was finished by more than one node"))?;
    }
    if twice.is_empty() {
        output.line("no URL was finished twice over all directories")?;
    }
    Ok(twice.is_empty())
}

/// A report, and of which directory.
#[derive(Debug, serde::Serialize)]
struct Named<'r> {
    dir: String,
    #[serde(flatten)]
    report: &'r check::CheckReport,
}

/// What came of a check, and what to do.
fn told(report: &check::CheckReport, is_repaired: bool) -> String {
    match (report.is_clean(), is_repaired) {
        (true, _) if !report.unchecked.is_empty() => "everything that was checked agrees".into(),
        (true, _) if report.lost.is_empty() => "everything agrees".into(),
        (true, _) => "everything else agrees".into(),
        // A repair refuses to begin without them.
        (false, _) if !report.absent.is_empty() => format!(
            "not everything agrees: put {} back into the archive; of a file that is lost for good an empty one in its \
             place says so, and --repair then rebuilds state and index from the rest",
            report.absent.join(", ")
        ),
        (false, true) => {
            "not everything agrees, though state and index were rebuilt from the archive".into()
        }
        (false, false) => {
            "not everything agrees: --repair rebuilds state and index from the archive".into()
        }
    }
}

fn check_one(dir: &CrawlDir, args: &Args, output: &Output) -> anyhow::Result<Exit> {
    if !args.repair {
        copies::make_views(dir, output)?;
    }
    let config = config_file::kept(&dir.config()).map_err(|problem| usage(problem.to_string()))?;
    let config = Arc::new(config);
    if args.repair {
        for note in check::repair(dir, &config).map_err(crawl_error)? {
            output.say(format!("note: {note}"));
        }
    }
    let report = check::check(dir, &config, args.rejudge).map_err(crawl_error)?;
    if output.json {
        output.value(&Named {
            dir: dir.shown(),
            report: &report,
        })?;
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
        for unchecked in &report.unchecked {
            output.line(format!("not checked: {unchecked}"))?;
        }
        output.line(told(&report, args.repair))?;
    }
    Ok(if report.is_clean() {
        Exit::Done
    } else {
        Exit::Problem
    })
}
