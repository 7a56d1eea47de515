//! `tamis pause`, `tamis resume`, `tamis stop`, `tamis reload` and `tamis retry`: words to a crawl.

use std::cmp::Reverse;
use std::path::PathBuf;

use ::report::words::{count, name, plural};
use outcome::Refusal;
use pipeline::control::{Reply, Request, ask};
use pipeline::retry::{RetryFilter, retry_stopped};
use pipeline::{CrawlDir, settings};
use serde_json::json;

use crate::command::{crawl_error, journal, report};
use crate::exit::{Exit, resource, usage};
use crate::output::Output;

/// Let a running crawl begin no new fetch until it is resumed
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis pause crawls/db")]
pub struct PauseArgs {
    /// The crawl's directory
    dir: PathBuf,
}

/// Let a paused crawl go on
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis resume crawls/db")]
pub struct ResumeArgs {
    /// The crawl's directory
    dir: PathBuf,
}

/// Stop a running crawl cleanly, as the first Ctrl-C does
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis stop crawls/db")]
pub struct StopArgs {
    /// The crawl's directory
    dir: PathBuf,
}

/// Let a running crawl read its configuration and seed lists anew
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis reload crawls/db\n\n\
    The files that the crawl was started with are read again, under the flags of that start. With a \
    mistake in them (exit code 2) the crawl goes on as it is; so it does where nothing has changed. \
    Otherwise what is under way is finished, and the crawl goes on at once with the new settings, as a \
    new start does.")]
pub struct ReloadArgs {
    /// The crawl's directory
    dir: PathBuf,
}

/// Put failed URLs back into the queue, of a running crawl or a stopped one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis retry crawls/db\n  \
    tamis retry crawls/db --status 5xx\n  \
    tamis retry crawls/db --status 404      # also pages that were missing\n  \
    tamis retry crawls/db --status timeout --host example.org")]
pub struct RetryArgs {
    /// The crawl's directory
    dir: PathBuf,
    /// Only what failed so: a code (503), a class (5xx), or a name that the report gives, such as
    /// dns or timeout
    #[arg(long, value_name = "STATUS")]
    status: Option<String>,
    /// Only this host and those below it
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
}

/// Pauses.
pub fn pause(args: &PauseArgs, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let next = format!("paused; go on with: tamis resume {}", dir.typed());
    tell(&dir, &Request::Pause, &next, output)
}

/// Resumes.
pub fn resume(args: &ResumeArgs, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    tell(&dir, &Request::Resume, "goes on", output)
}

/// Stops.
pub fn stop(args: &StopArgs, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    tell(
        &dir,
        &Request::Stop,
        "stopping: what is under way is finished",
        output,
    )
}

/// Has the settings read anew.
pub fn reload(args: &ReloadArgs, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let Some(reply) = asked(&dir, &Request::Reload)? else {
        return Ok(nobody(&dir, output));
    };
    if output.json {
        output.value(&json!({ "changes": reply.changes, "mistakes": reply.mistakes }))?;
    }
    if let Some(mistakes) = reply.mistakes {
        return Err(usage(format!("{mistakes}\nthe crawl goes on as it is")));
    }
    for change in &reply.changes {
        output.say(format!("changed: {change}"));
    }
    if let Some(note) = settings::note_on(&reply.changes, &args.dir.display().to_string()) {
        output.say(format!("note: {note}"));
    }
    output.say(match reply.changes.is_empty() {
        true => "nothing has changed: the crawl goes on as it is",
        false => "what is under way is finished, then the crawl goes on with the new settings",
    });
    Ok(Exit::Done)
}

/// Puts failed URLs back; exit 0 also when there are none.
pub fn retry(args: &RetryArgs, output: &Output) -> anyhow::Result<Exit> {
    let dir = journal::open(&args.dir)?;
    let filter = RetryFilter::parse(args.status.as_deref(), args.host.as_deref());
    let filter = filter.map_err(usage)?;
    let (urls, runs) = match asked(&dir, &Request::Retry(filter.clone()))? {
        Some(reply) => (reply.urls, true),
        None => (
            retry_stopped(&dir, &filter).map_err(crawl_error)? as u64,
            false,
        ),
    };
    if output.json {
        output.value(&json!({ "urls": urls, "running": runs }))?;
    }
    let back = plural(urls, "URL is", "URLs are");
    output.say(match (urls, runs) {
        (0, _) => nothing(args, &filter, &dir)?,
        (_, true) => format!("{back} back in the queue of the running crawl"),
        (_, false) => format!(
            "{back} back in the queue; carry on with: tamis crawl --dir {}",
            dir.typed()
        ),
    });
    Ok(Exit::Done)
}

/// Why nothing was put back.
fn nothing(args: &RetryArgs, filter: &RetryFilter, dir: &CrawlDir) -> anyhow::Result<String> {
    let report = report::of(dir)?;
    let shown = dir.typed();
    let mut failed: Vec<(&String, &u64)> = report.reasons.failed.iter().collect();
    failed.sort_by_key(|(reason, n)| (Reverse(**n), (*reason).clone()));
    let named = |(reason, n): &(&String, &u64)| format!("{} {}", name(reason), count(**n));
    let failed: Vec<String> = failed.iter().map(named).collect();
    let mut said = match (
        args.status.is_some() || args.host.is_some(),
        failed.is_empty(),
    ) {
        (_, true) => "no failed URL to try again: nothing has failed".to_owned(),
        (true, false) => format!(
            "no failed URL to try again that fits; by name, these failed: {}",
            failed.join(", ")
        ),
        (false, false) => "no failed URL to try again: what failed waits already".to_owned(),
    };
    if let Some(wanted) = &filter.status {
        let is_wanted = |status: &str| match wanted.strip_suffix("xx") {
            Some(class) => status.starts_with(class),
            None => status == wanted,
        };
        let answers = report
            .statuses
            .iter()
            .filter(|(status, _)| is_wanted(status));
        let answers: u64 = answers.map(|(_, n)| n).sum();
        if answers > 0 {
            said += &format!(
                "; {} {wanted} and did not fail: what was read keeps its verdict, but for error pages whose status is \
                 named (--status 404); see: tamis export {shown} pages",
                plural(
                    answers,
                    "fetch was answered with",
                    "fetches were answered with"
                ),
            );
        }
    }
    let guarded = report
        .reasons
        .refused
        .get(Refusal::GUARD)
        .copied()
        .unwrap_or(0);
    if guarded > 0 && filter.status.is_none() {
        said += &format!(
            "; the address guard refused {}, which is no failure: tamis retry {shown} --status {} puts them back, \
             and --allow-private lets the crawl ask such addresses",
            plural(guarded, "URL", "URLs"),
            Refusal::GUARD,
        );
    }
    if let Some(wanted) = &filter.host
        && !report.hosts.iter().any(|row| filter.takes_host(&row.host))
    {
        said += &format!("; the crawl knows no host {wanted}");
    }
    Ok(said)
}

/// Tells a running crawl something; exit 1 when none runs.
fn tell(dir: &CrawlDir, request: &Request, done: &str, output: &Output) -> anyhow::Result<Exit> {
    let Some(reply) = asked(dir, request)? else {
        return Ok(nobody(dir, output));
    };
    if output.json {
        output.value(&reply.snapshot)?;
    }
    output.say(done);
    Ok(Exit::Done)
}

/// Says that no crawl runs in a directory.
fn nobody(dir: &CrawlDir, output: &Output) -> Exit {
    output.say(format!(
        "no crawl runs in {0}; start it with: tamis crawl --dir {0}",
        dir.typed()
    ));
    Exit::Problem
}

/// Asks the crawl that runs in a directory; none where none does.
pub(crate) fn asked(dir: &CrawlDir, request: &Request) -> anyhow::Result<Option<Reply>> {
    let reply = ask(dir, request)
        .map_err(|error| resource(format!("cannot talk to the running crawl: {error}")))?;
    match reply {
        Some(Reply {
            error: Some(why), ..
        }) => Err(resource(format!("the running crawl cannot do that: {why}"))),
        reply => Ok(reply),
    }
}
