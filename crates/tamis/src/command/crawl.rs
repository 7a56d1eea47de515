//! `tamis crawl`: begins a crawl or carries it on.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::Context;
use frontier::SeedUrl;
use outcome::{JunkReason, Refusal, StopReason};
use pipeline::again::Wanted;
use pipeline::config::{AgainMode, CrawlConfig};
use pipeline::control::Line;
use pipeline::units::Span;
use pipeline::{
    Crawl, CrawlDir, CrawlError, CrawlSummary, Progress, StopHandle, check_setup, config_file,
    settings,
};

use crate::command::config::private_seeds;
use crate::command::serve::{self, Access};
use crate::command::{cluster, crawl_error, in_full};
use crate::exit::{Exit, resource, usage};
use crate::output::Output;
use crate::progress::{self, ProgressStyle};

mod given;
mod rounds;

use given::{Given, Settings};
use rounds::Told;

/// How long a crawl that is to stop at once has to say so in its journal.
const AT_ONCE_MAX: Duration = Duration::from_secs(5);

/// Run a focused crawl, or carry one on: resuming is starting again
#[derive(Debug, Clone, clap::Args)]
#[command(
    allow_negative_numbers = true,
    after_help = "Examples:\n  \
    tamis crawl config/chinese-databases.toml --dir crawls/db\n  \
    tamis crawl --dir crawls/one --seed https://www.example.org/ --contact me@example.org --max-pages 100\n  \
    tamis crawl --dir crawls/db          # carries on\n  \
    tamis crawl --dir crawls/db --again  # comes back to what was read\n\n\
    Ctrl-C stops cleanly: what is under way is finished. A second Ctrl-C stops at once; either way \
    nothing that was recorded is lost."
)]
pub struct Args {
    /// Configuration file (TOML); flags win over it
    config: Option<PathBuf>,
    /// What other programs call it; told where it belongs.
    #[arg(long = "config", value_name = "FILE", hide = true)]
    config_flag: Option<PathBuf>,
    /// The crawl's directory, made when missing; without it, crawls/NAME for a configuration NAME.toml
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Seed list; may be repeated
    #[arg(long, value_name = "FILE")]
    seeds: Vec<PathBuf>,
    /// Seed URL; may be repeated
    #[arg(long = "seed", value_name = "URL")]
    seed_urls: Vec<String>,
    /// What the crawl is about: words, separated by commas
    #[arg(long, value_name = "WORDS")]
    topic: Option<String>,
    /// A URL or mail address that tells site owners whom to ask about this crawl
    #[arg(long, value_name = "CONTACT")]
    contact: Option<String>,
    /// Stop after so many fetched pages, over all starts
    #[arg(long, value_name = "N")]
    max_pages: Option<u64>,
    /// Stop after this time, such as 30m or 2h
    #[arg(long, value_name = "TIME", value_parser = Span::parse)]
    max_time: Option<Span>,
    /// Between requests to one host, such as 500ms or 1s
    #[arg(long, value_name = "TIME", value_parser = Span::parse)]
    delay: Option<Span>,
    /// Connections over all hosts at once
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Send all requests through this proxy (http, https or socks5 URL)
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
    /// Use this address for a host; may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDR")]
    resolve: Vec<String>,
    /// Allow private, loopback and link-local addresses
    #[arg(long)]
    allow_private: bool,
    /// Begin anew in a directory that holds a crawl: the old one is moved aside (needs --yes)
    #[arg(long)]
    fresh: bool,
    /// Confirm --fresh, or that the crawl of a directory goes on with another topic
    #[arg(long)]
    yes: bool,
    /// Come back to what was read: one round of visits, then `tamis changes` tells what is new, changed or
    /// gone
    #[arg(long)]
    again: bool,
    /// Serve the crawl to a browser while it runs, on this address
    #[arg(long, value_name = "ADDRESS", value_parser = serve::address)]
    serve: Option<std::net::SocketAddr>,
    /// Let that server ask for the token that this file holds
    #[arg(long, value_name = "FILE", requires = "serve")]
    serve_token_file: Option<PathBuf>,
    /// Another name that this server goes by, such as a proxy's; may be repeated
    #[arg(long = "serve-host", value_name = "NAME", requires = "serve")]
    serve_hosts: Vec<String>,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto, overrides_with = "progress")]
    progress: ProgressStyle,
}

/// Runs the crawl.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    if let Some(config) = &args.config_flag {
        return Err(usage(format!(
            "there is no --config: name the configuration alone: tamis crawl {}",
            ::config::for_shell(config)
        )));
    }
    let dir = CrawlDir::new(directory(args)?);
    check_place(&dir)?;
    given::check_configured(args, &dir)?;
    // With JSON the event `end` is the last word of a crawl that went well.
    let talks = !matches!(args.progress, ProgressStyle::None | ProgressStyle::Json);
    let replaces = args.fresh && dir.holds_archive();
    if replaces && !args.yes {
        return Err(usage(format!(
            "{} holds a crawl: add --yes to move it aside and begin anew, or leave --fresh out to carry it on",
            dir.root().display()
        )));
    }
    progress::speak(args.progress);
    // Nothing is told of a start that cannot be; the lock itself is taken by the crawl.
    if dir.is_in_use() {
        return Err(crawl_error(CrawlError::InUse(dir.root().into())));
    }
    if args.again && !dir.holds_crawl() {
        return Err(nothing_to_come_back_to(args, &dir));
    }
    let given = Given::read(args, &dir)?;
    check_setup(&given.config, &given.seeds).map_err(crawl_error)?;
    match replaces {
        true => set_aside(&dir, output)?,
        false => given::check_same_crawl(args, &dir, &given)?,
    }
    let private = private_seeds(&given.config, &given.seeds);
    for note in given.notes.iter().chain(&private) {
        output.say(format!("note: {note}"));
    }
    if args.dir.is_none() && talks {
        output.say(format!("the crawl lives in {}", dir.root().display()));
    }
    tell_changes(&dir, &given, output);
    // It ends with the crawl.
    let line = Line::default();
    let server = served(args, &dir, &line, output)?;
    let mode = given.config.again.as_ref().map(|again| again.mode);
    let stop = StopHandle::default();
    let runner = Runner {
        dir: &dir,
        config: args.config.clone().unwrap_or_else(|| dir.config()),
        settings: Settings::begin(given, args, &dir, &stop),
        style: args.progress,
        talks,
        output,
        stop,
        line,
        has_server: server.is_some(),
    };
    // One for all runs: a Ctrl-C between two of them counts as well.
    let _signals = listen(
        runner.stop.clone(),
        output.quiet || args.progress == ProgressStyle::None,
    )?;
    match mode {
        Some(AgainMode::Continuous) => rounds::continuous(&runner),
        Some(AgainMode::Round) if dir.holds_crawl() => {
            rounds::round(&runner, Wanted::Sources, Told::default())
        }
        _ if args.again => rounds::round(&runner, Wanted::Sources, Told::default()),
        Some(AgainMode::Once | AgainMode::Round) => crawl_once(&runner, true),
        None => crawl_once(&runner, false),
    }
}

/// Crawls what is new, and then what a round was cut short of.
fn crawl_once(runner: &Runner<'_>, comes_back: bool) -> anyhow::Result<Exit> {
    let mut told = Told::default();
    let summary = match comes_back {
        true => told.run(runner)?,
        false => runner.run()?,
    };
    let Some(wanted) = rounds::rest(&summary) else {
        if comes_back {
            told.keep(runner);
        }
        return runner.end(&summary);
    };
    match finish(&summary, runner)? {
        Exit::Done => rounds::round(runner, wanted, told),
        ended => Ok(ended),
    }
}

/// Tells which settings differ from the last start's.
fn tell_changes(dir: &CrawlDir, given: &Given, output: &Output) {
    if !dir.holds_crawl() {
        return;
    }
    let Ok(was) = config_file::kept(&dir.config()) else {
        return;
    };
    let changes = settings::changes(&was, &given.config);
    for change in &changes {
        output.say(format!("changed since the last start: {change}"));
    }
    if was.network.allow_private && !given.config.network.allow_private {
        output.say(
            "note: the last start allowed private and loopback addresses, and this one refuses them: to go \
             on asking them add --allow-private, or set network.allow_private = true",
        );
    }
    if let Some(note) = settings::note_on(&changes, &dir.root().display().to_string()) {
        output.say(format!("note: {note}"));
    }
}

/// The server beside the crawl, if one is asked for.
fn served(
    args: &Args,
    dir: &CrawlDir,
    line: &Line,
    output: &Output,
) -> anyhow::Result<Option<::serve::Server>> {
    let Some(listen) = args.serve else {
        return Ok(None);
    };
    let access = Access::by(
        "--serve-token-file",
        args.serve_token_file.clone(),
        args.serve_hosts.clone(),
    );
    let onlooker = Some(line.onlooker().clone());
    let server = serve::start((vec![dir.clone()], onlooker), listen, &access)?;
    output.say(format!("serving on http://{}/", server.address()));
    Ok(Some(server))
}

/// A crawl that is run once or more often by one command.
struct Runner<'c> {
    dir: &'c CrawlDir,
    /// Where its settings are to be changed: the file that was given, or the one in the directory.
    config: PathBuf,
    settings: Settings,
    style: ProgressStyle,
    talks: bool,
    output: &'c Output,
    stop: StopHandle,
    line: Line,
    /// A server shows the crawl, and ends with it.
    has_server: bool,
}

impl Runner<'_> {
    /// Runs the crawl to its end. Settings that are to count from now on are a new start.
    fn run(&self) -> anyhow::Result<CrawlSummary> {
        loop {
            self.adopt();
            let given = self.settings.now();
            let crawl = (given.config.clone(), given.seeds.clone());
            let end = (&self.stop, &self.line);
            let summary = run_until(self.dir, crawl, None, self.style, self.output, end)?;
            if self.is_stopping() || !self.stop.is_reloading() {
                return Ok(summary);
            }
            for note in &summary.notes {
                self.output.say(format!("note: {note}"));
            }
        }
    }

    /// Says how the last run ended, which nobody is to take for one that waits.
    fn end(&self, summary: &CrawlSummary) -> anyhow::Result<Exit> {
        self.line.close();
        finish(summary, self)
    }

    /// Lets settings count that were read anew, if any were.
    fn adopt(&self) {
        if self.stop.take_reload() {
            for change in self.settings.adopt() {
                self.tell(format!("goes on with other settings: {change}"));
            }
        }
    }

    fn is_stopping(&self) -> bool {
        self.stop.is_stopping()
    }

    /// Says what is said of a crawl that talks.
    fn tell(&self, words: String) {
        if self.talks {
            self.output.say(words);
        }
    }
}

/// Runs a crawl with progress and signals; `fetch` replaces the network.
pub fn run_crawl(
    dir: &CrawlDir,
    config: CrawlConfig,
    seeds: Vec<SeedUrl>,
    fetch: Option<Arc<dyn fetcher::Fetch>>,
    style: ProgressStyle,
    output: &Output,
) -> anyhow::Result<CrawlSummary> {
    let stop = StopHandle::default();
    let signals = listen(stop.clone(), output.quiet || style == ProgressStyle::None)?;
    let crawl = (config, seeds);
    let summary = run_until(dir, crawl, fetch, style, output, (&stop, &Line::default()));
    drop(signals);
    summary
}

/// The same until it is stopped by a handle, or by who calls it on a line.
fn run_until(
    dir: &CrawlDir,
    (config, seeds): (CrawlConfig, Vec<SeedUrl>),
    fetch: Option<Arc<dyn fetcher::Fetch>>,
    style: ProgressStyle,
    output: &Output,
    (stop, line): (&StopHandle, &Line),
) -> anyhow::Result<CrawlSummary> {
    let progress = Progress::with_onlooker(line.onlooker());
    let cluster = cluster::reached(&config)?;
    let crawl = Crawl {
        dir: dir.clone(),
        config,
        seeds,
        fetch,
        stop: stop.clone(),
        progress: progress.clone(),
        on_change: None,
        cluster,
    };
    let shown = progress::start(style, &progress, output);
    let result = crawl.run_on(line);
    shown.finish();
    result.map_err(|error| match used_up(&error) {
        Some(used_up) => resource(format!(
            "{used_up} at {}; every page recorded so far is safe: free some space, then carry on \
             with: tamis crawl --dir {} ({})",
            dir.root().display(),
            dir.typed(),
            in_full(&error)
        )),
        None => crawl_error(error),
    })
}

/// What has no room left, where that ended a crawl.
fn used_up(error: &CrawlError) -> Option<&'static str> {
    match error.kind()? {
        ErrorKind::StorageFull => Some("the disk is full"),
        ErrorKind::QuotaExceeded => Some("the quota is used up"),
        _ => None,
    }
}

/// Pages of a crawl that may have ended with its seeds.
const SHORT_MAX: u64 = 100;

/// Pages without text, and files. A crawl of these alone is a short one.
fn without_text(snapshot: &pipeline::Snapshot) -> u64 {
    let reasons = [JunkReason::Thin, JunkReason::UnsupportedType];
    let counts = reasons.map(|reason| snapshot.junk.get(reason.name()).copied());
    counts.iter().flatten().sum()
}

/// Says how the crawl ended and what to try next; without talk, only what went wrong.
fn finish(summary: &CrawlSummary, runner: &Runner<'_>) -> anyhow::Result<Exit> {
    let Runner {
        dir, talks, output, ..
    } = *runner;
    for note in &summary.notes {
        output.say(format!("note: {note}"));
    }
    let snapshot = &summary.snapshot;
    let judged = snapshot.indexed + snapshot.junk.values().sum::<u64>();
    // Where pages were read the journal, which may be long, need not be.
    let causes = match judged {
        0 => report::nothing_read::causes(&super::report::of(dir)?, dir.root()),
        _ => Vec::new(),
    };
    let is_unreachable = summary.reason == StopReason::HostsUnreachable;
    if summary.reason == StopReason::DiskFull {
        return Err(resource(summary.detail.clone().unwrap_or_default()));
    }
    let is_idle = snapshot.pages_this_start + snapshot.visits_this_start == 0;
    let used_up = summary.reason == StopReason::MaxPages && is_idle;
    let is_lost = is_unreachable || summary.reason == StopReason::NoTopic;
    if talks || used_up || is_lost || !causes.is_empty() {
        output.say(progress::summary_line(summary));
    }
    for line in &causes {
        output.say(line);
    }
    if judged > 0 && without_text(snapshot) == judged {
        for line in report::nothing_read::empty_seeds(&super::report::of(dir)?) {
            output.say(line);
        }
    }
    if (1..=SHORT_MAX).contains(&judged)
        && summary.reason == StopReason::Drained
        && let Some(line) = report::nothing_read::no_link_led_on(&super::report::of(dir)?)
    {
        output.say(line);
    }
    let dir = dir.typed();
    if summary.reason == StopReason::Interrupted {
        if talks {
            let how = match runner.stop.is_at_once() {
                true => "stopped at once: what was recorded is safe",
                false => "stopped cleanly",
            };
            output.say(format!("{how}; carry on with: tamis crawl --dir {dir}"));
        }
        return Ok(Exit::Interrupted);
    }
    if is_unreachable {
        let waiting = report::words::plural(snapshot.pending, "URL waits", "URLs wait");
        let first = summary.detail.as_deref().unwrap_or_default();
        output.say(format!(
            "{waiting} on hosts that give no answer, no page, or no robots.txt: {first}; carry on later with: tamis crawl \
             --dir {dir}"
        ));
        if snapshot.pages_this_start == 0 {
            return Ok(Exit::Problem);
        }
    }
    if !causes.is_empty() {
        return Ok(Exit::Problem);
    }
    if summary.reason == StopReason::NoTopic {
        output.say(summary.detail.as_deref().unwrap_or_default());
        return Ok(Exit::Problem);
    }
    tell_idle(summary, runner, used_up);
    if talks {
        tell_next(summary, runner);
    }
    Ok(Exit::Done)
}

/// Says why nothing was fetched, or that it was visits that were made.
fn tell_idle(summary: &CrawlSummary, runner: &Runner<'_>, used_up: bool) {
    let (dir, output) = (runner.dir.typed(), runner.output);
    let snapshot = &summary.snapshot;
    let is_node = pipeline::is_node(runner.dir);
    if used_up && is_node {
        output.say(
            "this node fetched nothing: the other nodes have used the crawl's budget of pages, or hold what is \
             left of it",
        );
    } else if used_up {
        output.say(format!(
            "nothing was fetched: crawl.max_pages (--max-pages) counts the pages of all starts; raise it above {}",
            snapshot.pages
        ));
    }
    let nothing_left = summary.reason == StopReason::Drained && snapshot.pages_this_start == 0;
    if snapshot.visits_this_start > 0 {
        let visits = report::words::plural(snapshot.visits_this_start, "page", "pages");
        output.say(format!(
            "{visits} of a round were visited; what was found: tamis changes {dir}"
        ));
    } else if nothing_left && is_node {
        output.say("this node fetched nothing: all URLs of the crawl are finished");
    } else if nothing_left && snapshot.finished == 0 {
        output.say(
            "nothing was fetched: no page belongs to the crawl by its seeds, their depth= and pages=, and its \
             scope; what a sitemap said: tamis explain DIR SITEMAP",
        );
    } else if nothing_left {
        output.say(format!(
            "nothing was fetched: all {} known URLs are finished, and a crawl fetches each once; to visit \
             them once more start with --again",
            snapshot.finished
        ));
    }
}

/// What to try next after a crawl that ended well.
fn tell_next(summary: &CrawlSummary, runner: &Runner<'_>) {
    let (dir, output) = (runner.dir.typed(), runner.output);
    let guarded = summary.snapshot.guarded_this_start;
    if guarded > 0 {
        let urls = report::words::plural(guarded, "URL was", "URLs were");
        output.say(format!(
            "{urls} refused: a private or loopback address; to ask such addresses: tamis retry {dir} --status \
             {}, then tamis crawl --dir {dir} --allow-private",
            Refusal::GUARD
        ));
    }
    if summary.reason == StopReason::Drained {
        tell_left_out(&summary.snapshot, runner);
    }
    let failed = summary.snapshot.failed;
    if failed > 0 {
        let urls = report::words::plural(failed, "URL", "URLs");
        output.say(format!(
            "{urls} failed (the report says why); for another chance: tamis retry {dir}"
        ));
    }
    let watched = match runner.has_server {
        true => format!(" | tamis serve {dir} (its pages ended with the crawl)"),
        false => String::new(),
    };
    output.say(format!(
        "next: tamis report {dir} | tamis search {dir} WORDS{watched}"
    ));
}

/// What is known and was not asked for, where nothing waits any more.
fn tell_left_out(snapshot: &pipeline::Snapshot, runner: &Runner<'_>) {
    let (dir, output) = (runner.dir.typed(), runner.output);
    if snapshot.too_deep > 0 {
        let links = report::words::plural(snapshot.too_deep, "link leads", "links lead");
        output.say(format!(
            "{links} deeper than crawl.max_depth and were left out; a later start with a larger one follows them"
        ));
    }
    if snapshot.refused_unread > 0 {
        let urls = report::words::plural(snapshot.refused_unread, "URL was", "URLs were");
        output.say(format!(
            "{urls} refused unread by rules that the crawl learnt (the report says which); to fetch them all the \
             same: tamis retry {dir} --status learnt"
        ));
    }
}

/// The crawl's directory: the flag's, or one named after the configuration file.
fn directory(args: &Args) -> anyhow::Result<PathBuf> {
    match (&args.dir, &args.config) {
        (Some(dir), _) => Ok(dir.clone()),
        (None, Some(config)) if given::is_url(config) => Err(given::no_configuration(config)),
        (None, Some(config)) => {
            let name = config
                .file_stem()
                .context("the configuration has no file name")?;
            Ok(Path::new("crawls").join(name))
        }
        (None, None) => Err(usage(
            "which crawl? To begin one name a configuration, tamis crawl FILE.toml, or where it shall live and \
             its seeds, tamis crawl --dir DIR --seed URL; to carry one on: tamis crawl --dir DIR",
        )),
    }
}

fn nothing_to_come_back_to(args: &Args, dir: &CrawlDir) -> anyhow::Error {
    let named = args.config.as_ref().filter(|_| args.dir.is_none());
    let hint = named.and_then(|path| given::hint_of(path));
    hint.unwrap_or_else(|| {
        usage(format!(
            "{} holds no crawl to come back to: start it without --again first",
            dir.root().display()
        ))
    })
}

/// A crawl does not live inside another one's directory, where that one's commands look after all files.
fn check_place(dir: &CrawlDir) -> anyhow::Result<()> {
    let root = std::path::absolute(dir.root()).unwrap_or_else(|_| dir.root().to_owned());
    let outer = root.ancestors().skip(1).map(CrawlDir::new);
    match outer.into_iter().find(CrawlDir::holds_crawl) {
        Some(outer) if !dir.holds_crawl() => Err(usage(format!(
            "{} lies inside the crawl in {}: choose a --dir beside it",
            dir.root().display(),
            outer.root().display()
        ))),
        _ => Ok(()),
    }
}

fn set_aside(dir: &CrawlDir, output: &Output) -> anyhow::Result<()> {
    let root = dir.root();
    let lock = dir.lock().map_err(crawl_error)?;
    let aside = (1..)
        .map(|n| PathBuf::from(format!("{}.old-{n}", root.display())))
        .find(|path| !path.exists())
        .context("no free name to move the old crawl to")?;
    std::fs::rename(root, &aside)
        .map_err(|error| resource(format!("cannot move {} aside: {error}", root.display())))?;
    drop(lock);
    output.say(format!("moved the old crawl to {}", aside.display()));
    Ok(())
}

/// First Ctrl-C (or SIGTERM, or SIGHUP) drains, the second leaves what is under way. A third one, or some
/// time after it, ends the process whatever it does: what was synced is safe.
fn listen(stop: StopHandle, quiet: bool) -> anyhow::Result<tokio::runtime::Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the signal listener")?;
    let count = AtomicU32::new(0);
    runtime.spawn(async move {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (
            signal(SignalKind::interrupt()),
            signal(SignalKind::terminate()),
            signal(SignalKind::hangup()),
        ) else {
            return;
        };
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            stop.stop();
            let words = match count.fetch_add(1, Ordering::SeqCst) {
                0 => "stopping: finishing what is under way (again to stop at once)",
                1 => {
                    stop.stop_at_once();
                    tokio::spawn(async {
                        tokio::time::sleep(AT_ONCE_MAX).await;
                        std::process::exit(130);
                    });
                    "stopping at once: what is under way is left for the next start"
                }
                _ => std::process::exit(130),
            };
            if !quiet {
                progress::say(words);
            }
        }
    });
    Ok(runtime)
}
