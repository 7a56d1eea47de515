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
use report::{Tally, Tongue};
use state::Counts;

use crate::command::crawl_error;
use crate::command::report::Lang;
use crate::command::standing::Standing;
use crate::command::together::{self, AsOne};
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
    tamis status crawls/db --lang zh\n  \
    tamis status node-a --with node-b --with node-c\n  \
    tamis status s3://bucket/crawls/db\n  \
    tamis status crawls/db --json")]
pub struct Args {
    /// The crawl's directory, or where its archive was copied to: s3://BUCKET/PREFIX, file:///DIRECTORY
    dir: PathBuf,
    /// The directory of another node of the same crawl: the figures are those of both together. May be given
    /// several times; all journals are read for it
    #[arg(long, value_name = "DIR")]
    with: Vec<PathBuf>,
    /// Show it again every second until the crawl stops
    #[arg(long)]
    watch: bool,
    /// Language of the words; JSON has the same names in each
    #[arg(long, value_enum, default_value_t = Lang::En)]
    lang: Lang,
}

/// Shows the status.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dirs = together::open(&args.dir, &args.with, output)?;
    let dir = dirs[0].clone();
    let redraws = !output.json && std::io::stdout().is_terminal();
    let mut drawn = 0;
    loop {
        let shown = match dirs.as_slice() {
            [alone] => Snapshot {
                uploads: pipeline::upload::told(alone),
                ..status(alone)?
            },
            all => status_of_all(all)?,
        };
        let shown = match dirs.iter().any(CrawlDir::is_copy) {
            true => as_copied(shown),
            false => shown,
        };
        if output.json {
            output.value(&shown)?;
        } else {
            let lines = lines(&shown, &dir, args.lang.into(), output);
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
        if !args.watch || matches!(shown.state.as_str(), "stopped" | "copied") {
            return Ok(Exit::Done);
        }
        std::thread::park_timeout(WATCH_INTERVAL);
    }
}

/// What copies say of a crawl that has not ended in order: it may go on where they are from.
fn as_copied(shown: Snapshot) -> Snapshot {
    match (shown.state.as_str(), &shown.stop_reason) {
        ("stopped", None) => Snapshot {
            state: "copied".into(),
            ..shown
        },
        _ => shown,
    }
}

/// The status of a crawl that runs, or of one that is stopped.
fn status(dir: &CrawlDir) -> anyhow::Result<Snapshot> {
    let asked = ask(dir, &Request::Status)
        .map_err(|error| resource(format!("cannot ask the running crawl: {error}")))?;
    if let Some(reply) = asked {
        return Ok(reply.snapshot);
    }
    match pipeline::is_node(dir) {
        true => recorded(std::slice::from_ref(dir)),
        false => recorded_alone(dir),
    }
}

/// The status of a crawl on one machine, as its journal has it.
fn recorded_alone(dir: &CrawlDir) -> anyhow::Result<Snapshot> {
    let in_use = dir.is_in_use();
    let (mut read, mut standing) = (Planner::for_figures(), Standing::default());
    read.read_on(dir, &mut standing).map_err(crawl_error)?;
    // The figures do not depend on it.
    let config = config_file::kept(&dir.config()).ok();
    let progress = Progress::default();
    progress.show_counts(&standing.counts, 0, (0, 0));
    let hosts = standing.waiting().into_iter().take(HOSTS_MAX);
    let hosts = hosts
        .map(|(host, pending)| waiting(host, pending))
        .collect();
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
        hosts,
        ..progress.snapshot()
    })
}

/// A host at which URLs wait, of a crawl that is stopped.
fn waiting(host: &str, pending: u64) -> HostProgress {
    HostProgress {
        host: host.to_owned(),
        pending,
        next_in_s: 0.0,
        why: "stopped".into(),
    }
}

/// The status of several nodes together: what was recorded, summed up over all, and what those do that run.
fn status_of_all(dirs: &[CrawlDir]) -> anyhow::Result<Snapshot> {
    let mut shown = recorded(dirs)?;
    let mut running = Vec::new();
    for dir in dirs {
        let asked = ask(dir, &Request::Status)
            .map_err(|error| resource(format!("cannot ask the running crawl: {error}")))?;
        running.extend(asked.map(|reply| reply.snapshot));
    }
    let Some(first) = running.first() else {
        return Ok(shown);
    };
    shown.state.clone_from(&first.state);
    shown.stop_reason = None;
    shown.max_pages = first.max_pages;
    shown.pages_of_all = running.iter().filter_map(|node| node.pages_of_all).max();
    shown.rate = running.iter().map(|node| node.rate).sum();
    shown.in_flight = running.iter().map(|node| node.in_flight).sum();
    shown.pages_this_start = running.iter().map(|node| node.pages_this_start).sum();
    shown.hosts = running.iter().flat_map(|node| node.hosts.clone()).collect();
    shown
        .hosts
        .sort_by(|a, b| b.pending.cmp(&a.pending).then_with(|| a.host.cmp(&b.host)));
    shown.hosts.truncate(HOSTS_MAX);
    Ok(shown)
}

/// The status of nodes, as their journals have it.
fn recorded(dirs: &[CrawlDir]) -> anyhow::Result<Snapshot> {
    let in_use = dirs.iter().any(CrawlDir::is_in_use);
    let (mut counts, mut tally) = (Counts::default(), Tally::new());
    let (mut pages_this_start, mut outlook) = (0, None);
    for record in AsOne::of(dirs)?.records() {
        match &record.event {
            // Of several nodes the last start is one of many.
            archive::Event::Start(_) if dirs.len() == 1 => (pages_this_start, outlook) = (0, None),
            archive::Event::Stop(stop) => outlook = stop.outlook,
            archive::Event::Page(page) => pages_this_start += u64::from(page.fetch.is_some()),
            _ => {}
        }
        counts.apply(&record);
        tally.add(&record);
    }
    let report = tally.report("");
    // The figures do not depend on it.
    let config = config_file::kept(&dirs[0].config()).ok();
    let progress = Progress::default();
    progress.show_counts(&counts, 0, (0, 0));
    let counted = progress.snapshot();
    // Over several nodes a URL that one found and another finished counts once.
    let (admitted, pending) = match dirs.len() {
        1 => (counted.admitted, counted.pending),
        _ => (report.totals.admitted, report.totals.pending),
    };
    let mut hosts: Vec<_> = report
        .hosts
        .iter()
        .filter(|host| host.counts.pending > 0)
        .collect();
    hosts.sort_by(|a, b| {
        b.counts
            .pending
            .cmp(&a.counts.pending)
            .then(a.host.cmp(&b.host))
    });
    Ok(Snapshot {
        state: if in_use { "in_use" } else { "stopped" }.into(),
        stop_reason: report.stop_reason,
        running_ms: (report.duration_s * 1_000.0) as u64,
        bytes: report.fetches.bytes,
        rate: per_second(counts.pages, report.duration_s),
        pages_this_start,
        outlook,
        admitted,
        pending,
        // The budget of many machines is in their ledger.
        max_pages: 0,
        max_time_ms: config.map_or(0, |config| config.crawl.max_time.0.as_millis() as u64),
        hosts: hosts
            .iter()
            .take(HOSTS_MAX)
            .map(|host| waiting(&host.host, host.counts.pending))
            .collect(),
        ..counted
    })
}

fn per_second(pages: u64, seconds: f64) -> f64 {
    if seconds > 0.0 {
        pages as f64 / seconds
    } else {
        0.0
    }
}

fn lines(shown: &Snapshot, dir: &CrawlDir, tongue: Tongue, output: &Output) -> Vec<String> {
    let mut lines = view::block_in(tongue, shown, output.width, HOSTS_SHOWN);
    lines.extend(beside(shown, dir).iter().map(|line| tongue.say(line)));
    lines
}

/// What there is to say beside the figures.
fn beside(shown: &Snapshot, dir: &CrawlDir) -> Vec<String> {
    let root = dir.typed();
    let mut lines = Vec::new();
    let reason = shown.stop_reason.as_ref();
    match (shown.state.as_str(), reason) {
        ("stopped", Some(StopReason::Drained)) if shown.pending > 0 => lines.push(format!(
            "{} in the queue, where none was when the crawl ended.",
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
        ("copied", _) => lines.push(
            "These are the figures as far as it is copied: whether it goes on is known where it runs.".into(),
        ),
        ("paused", _) => lines.push(format!("Go on with: tamis resume {root}")),
        _ => {}
    }
    lines.extend(shown.uploads.as_ref().map(|told| told.words()));
    if let Some(stale) = &shown.stale {
        lines.push(format!(
            "After {}, about {:.0} of {} are believed to have changed since they were read last; come back with: \
             tamis crawl --dir {root} --again",
            plural(u64::from(stale.rounds), "round", "rounds"),
            stale.expected_changed,
            plural(stale.kept, "kept page", "kept pages"),
        ));
    }
    if shown.pages == 0 && shown.refused + shown.failed > 0 {
        lines.push(format!(
            "No page was read so far; the reasons and what to do: tamis report {root}"
        ));
    }
    // Copies are read, and no crawl goes on there.
    if shown.state != "stopped" || dir.is_copy() {
        return lines;
    }
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
