//! `tamis status`: what a crawl is doing, or did when it stopped.
//!
//! A running crawl is asked through its control socket. For one that is stopped the same counters
//! are folded over its journal, so both give the same numbers as the report; from where a crawl that comes
//! back has saved them.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use outcome::StopReason;
use pipeline::again::Planner;
use pipeline::control::{Request, ask};
use pipeline::progress::{HostProgress, Snapshot};
use pipeline::{CrawlDir, Progress, config_file};
use report::words::plural;

use crate::command::standing::Standing;
use crate::command::{crawl_error, journal};
use crate::exit::{Exit, resource};
use crate::output::Output;
use crate::progress::view;

/// Between two looks with `--watch`.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Hosts shown; JSON has up to 20.
const HOSTS_SHOWN: usize = 10;

/// Hosts of a crawl that is stopped.
const HOSTS_MAX: usize = 20;

/// Show what a crawl is doing, and why it is slow or stopped
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis status crawls/db\n  \
    tamis status crawls/db --watch\n  \
    tamis status crawls/db --json")]
pub struct Args {
    /// The crawl's directory
    dir: PathBuf,
    /// Show it again every second until the crawl stops
    #[arg(long)]
    watch: bool,
}

/// Shows the status.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let redraws = !output.json && std::io::stdout().is_terminal();
    let mut drawn = 0;
    loop {
        let shown = status(&dir)?;
        if output.json {
            output.value(&shown)?;
        } else {
            let lines = lines(&shown, &dir, output);
            if redraws && drawn > 0 {
                // Up to where it was drawn before, and clear from there.
                write!(output.stream(), "\x1b[{drawn}A\x1b[J")?;
            }
            drawn = lines.len();
            for line in lines {
                output.line(line)?;
            }
        }
        output.flush()?;
        if !args.watch || shown.state == "stopped" {
            return Ok(Exit::Done);
        }
        std::thread::park_timeout(WATCH_INTERVAL);
    }
}

/// The status of a crawl that runs, or of one that is stopped.
fn status(dir: &CrawlDir) -> anyhow::Result<Snapshot> {
    let asked = ask(dir, &Request::Status)
        .map_err(|error| resource(format!("cannot ask the running crawl: {error}")))?;
    if let Some(reply) = asked {
        return Ok(reply.snapshot);
    }
    recorded(dir)
}

/// The status as the journal has it.
fn recorded(dir: &CrawlDir) -> anyhow::Result<Snapshot> {
    let in_use = dir.is_in_use();
    let (mut read, mut standing) = (Planner::default(), Standing::default());
    read.read_on(dir, &mut standing).map_err(crawl_error)?;
    // The figures do not depend on it.
    let config = config_file::kept(&dir.config()).ok();
    let progress = Progress::default();
    progress.show_counts(&standing.counts, 0, (0, 0));
    let hosts = standing.waiting().into_iter().take(HOSTS_MAX);
    let hosts = hosts.map(|(host, pending)| HostProgress {
        host: host.to_owned(),
        pending,
        next_in_s: 0.0,
        why: "stopped".into(),
    });
    let ran_s = standing.clock.duration_s();
    let stop = standing.clock.stop.as_ref();
    Ok(Snapshot {
        state: if in_use { "in_use" } else { "stopped" }.into(),
        stop_reason: stop.map(|(reason, _)| reason.clone()),
        running_ms: (ran_s * 1_000.0) as u64,
        bytes: standing.bytes,
        stale: read.staleness(),
        rate: per_second(standing.counts.pages, ran_s),
        pages_this_start: standing.pages_this_start,
        outlook: standing.outlook,
        max_pages: config.as_ref().map_or(0, |config| config.crawl.max_pages),
        max_time_ms: config.map_or(0, |config| config.crawl.max_time.0.as_millis() as u64),
        hosts: hosts.collect(),
        ..progress.snapshot()
    })
}

fn per_second(pages: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        pages as f64 / seconds
    } else {
        0.0
    }
}

fn lines(shown: &Snapshot, dir: &CrawlDir, output: &Output) -> Vec<String> {
    let root = dir.root().display();
    let mut lines = view::block(shown, output.width, HOSTS_SHOWN);
    let reason = shown.stop_reason.as_ref();
    match (shown.state.as_str(), reason) {
        ("stopped", Some(StopReason::Drained)) if shown.pending > 0 => lines.push(format!(
            "{} in the queue, put back since the crawl ended.",
            plural(shown.pending, "URL waits", "URLs wait")
        )),
        ("stopped", Some(reason)) => lines.push(format!("{}.", reason.words())),
        ("stopped", None) => lines.push(
            "It was ended from outside (killed, the power failed, or the disk was full): every page recorded is safe."
                .into(),
        ),
        ("in_use", _) => lines.push(
            "Another tamis command works on this directory; these are the figures recorded so far."
                .into(),
        ),
        ("paused", _) => lines.push(format!("Go on with: tamis resume {root}")),
        _ => {}
    }
    if let Some(stale) = &shown.stale {
        lines.push(format!(
            "After {}, about {:.0} of {} are believed to have changed since they were read last; come back with: \
             tamis crawl --dir {root} --again",
            plural(u64::from(stale.rounds), "round", "rounds"),
            stale.expected_changed,
            plural(stale.kept, "kept page", "kept pages"),
        ));
    }
    if shown.state != "stopped" {
        return lines;
    }
    // The budget of many machines is the ledger's to share out.
    let used_up = shown.max_pages > 0 && shown.pages >= shown.max_pages && !pipeline::is_node(dir);
    if shown.pending > 0 && used_up {
        lines.push(format!(
            "Carry on with a larger budget: tamis crawl --dir {root} --max-pages {}",
            shown.max_pages.saturating_mul(2)
        ));
    } else if shown.pending > 0 && reason == Some(&StopReason::Harvest) {
        lines.push(format!(
            "To go on all the same, set stop_harvest = 0 under [topic] in {root}/crawl.toml, then: tamis crawl --dir {root}"
        ));
    } else if shown.pending > 0 {
        lines.push(format!("Carry on with: tamis crawl --dir {root}"));
    }
    if shown.failed > 0 {
        lines.push(format!(
            "Give what failed another chance with: tamis retry {root}"
        ));
    }
    lines
}
