//! `tamis demo`: a small bundled web on loopback, crawled by the same code as any other.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use anyhow::Context;
use frontier::parse_seeds;
use outcome::StopReason;
use pipeline::config::{CrawlConfig, HostSection, OffTopic, TopicSection};
use pipeline::units::Span;
use pipeline::{CrawlDir, config_file};
use report::Look;

use crate::command::crawl::run_crawl;
use crate::command::report::of;
use crate::exit::{Exit, usage};
use crate::output::Output;
use crate::progress::{ProgressStyle, summary_line};

/// Serve a small bundled web on loopback, crawl it, and show what comes of it; needs no network
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis demo --dir /tmp/tamis-demo")]
pub struct Args {
    /// Where the demo crawl is kept; made anew
    #[arg(long, value_name = "DIR", default_value = "crawls/demo")]
    dir: PathBuf,
    /// How to show progress
    #[arg(long, value_enum, default_value_t = ProgressStyle::Auto)]
    progress: ProgressStyle,
}

/// Runs the demo.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    let dir = CrawlDir::new(&args.dir);
    begin_anew(&dir, output)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start the demo's web server")?;
    let web = testweb::demo::demo();
    let served = runtime
        .block_on(web.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
        .context("cannot serve the demo web on 127.0.0.1")?;
    if args.progress != ProgressStyle::None {
        output.say(format!(
            "serving {} small hosts on {}, and crawling them",
            web.hosts().len(),
            served.addr
        ));
    }
    let (seeds, problems) = parse_seeds("seeds/demo.txt", testweb::demo::SEED_LIST.as_bytes());
    anyhow::ensure!(problems.is_empty(), "the bundled seed list is damaged");
    let summary = run_crawl(
        &dir,
        config(&served.proxy()),
        seeds,
        None,
        args.progress,
        output,
    )?;
    runtime.block_on(served.shutdown());
    if args.progress != ProgressStyle::None {
        output.say(summary_line(&summary));
    }
    if summary.reason == StopReason::Interrupted {
        return Ok(Exit::Interrupted);
    }
    let report = of(&dir)?;
    if output.json {
        output.value(&report)?;
        return Ok(Exit::Done);
    }
    let look = Look {
        columns: output.width,
        colour: output.color,
        ..Look::default()
    };
    output.line(report::text::render(&report, look))?;
    let shown = ::config::for_shell(&args.dir);
    let tamis = started_as();
    output.line("Try next:")?;
    output.line(format!("  {tamis} search {shown} 全文检索"))?;
    let example = report
        .duplicates
        .samples
        .first()
        .map_or("http://mirror.example.test/", |sample| &sample.url);
    output.line(format!("  {tamis} explain {shown} '{example}'"))?;
    output.line(format!("  {tamis} report {shown} --out demo.html"))?;
    Ok(Exit::Done)
}

/// How this program was started, so that a command that is shown works as it stands: a build that is run in
/// place is seldom on the path.
fn started_as() -> String {
    match std::env::args_os().next() {
        Some(name) if !name.is_empty() => {
            let name = name.to_string_lossy().into_owned();
            match name.contains([' ', '\'']) {
                true => format!("'{}'", name.replace('\'', "'\\''")),
                false => name,
            }
        }
        _ => "tamis".to_owned(),
    }
}

/// What stands in the directory of a crawl; the demo removes nothing else.
const OURS: [&str; 8] = [
    "archive",
    "audit.jsonl",
    "control.sock",
    "crawl.toml",
    "index",
    "lock",
    "state",
    "tmp",
];

/// Removes an earlier demo; leaves anything else alone.
fn begin_anew(dir: &CrawlDir, output: &Output) -> anyhow::Result<()> {
    let root = dir.root();
    if dir.is_vacant().unwrap_or(false) {
        return Ok(());
    }
    let is_demo = config_file::kept(&dir.config()).is_ok_and(|kept| kept.agent.name == AGENT);
    if !is_demo {
        return Err(usage(format!(
            "{} holds something else than a demo: choose another --dir",
            root.display()
        )));
    }
    let foreign = std::fs::read_dir(root).map(|entries| {
        let names = entries.flatten().map(|entry| entry.file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .find(|name| !OURS.contains(&name.as_str()))
    });
    if let Ok(Some(name)) = foreign {
        return Err(usage(format!(
            "{} holds an earlier demo, and {name}, which the demo did not make: move that away, or choose another --dir",
            root.display()
        )));
    }
    output.say(format!(
        "removing the earlier demo in {} (its archive, state and index)",
        root.display()
    ));
    let lock = dir.lock().map_err(crate::command::crawl_error)?;
    std::fs::remove_dir_all(root).map_err(|error| {
        usage(format!(
            "cannot remove the earlier demo in {}: {error}",
            root.display()
        ))
    })?;
    drop(lock);
    Ok(())
}

/// Who the demo's crawler says it is; by this name its directory is known again.
const AGENT: &str = "tamis-demo";

fn config(proxy: &str) -> CrawlConfig {
    let mut config = CrawlConfig::default();
    config.agent.name = AGENT.into();
    config.politeness.delay = Span::parse("5ms").expect("a constant duration is read");
    // With one connection the order of fetches is the order of promises, and not of whose turn it is.
    config.crawl.concurrency = 1;
    // The mirror is read at leisure, so the texts are met first where they are from.
    let mirror = HostSection {
        delay: Span::parse("400ms").ok(),
        ..HostSection::default()
    };
    config.host.insert("mirror.example.test".into(), mirror);
    config.network.proxy = proxy.into();
    config.network.allow_private = true;
    config.topic = Some(TopicSection {
        keywords: testweb::demo::topic_keywords()
            .into_iter()
            .map(str::to_string)
            .collect(),
        off_topic: OffTopic::Drop,
        ..TopicSection::default()
    });
    config
}
