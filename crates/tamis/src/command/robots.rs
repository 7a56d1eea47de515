//! `tamis robots`: what a robots.txt lets a crawler do, and which line says so.

use std::path::{Path, PathBuf};

use fetcher::{Robots, RobotsAnswer, RobotsRuling};
use report::words::flat;
use serde_json::json;
use url::Url;

use super::text::read;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Read a robots.txt as RFC 9309 has it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis robots check --agent tamis robots.txt https://example.org/private/\n  \
    tamis robots show --agent tamis robots.txt")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(CheckArgs),
    Show(ShowArgs),
}

/// Say for each URL whether it may be fetched
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis robots check --agent tamis robots.txt https://example.org/private/\n  \
    tamis robots check --agent tamis --status 503 https://example.org/")]
struct CheckArgs {
    /// The crawler's product token, or its whole User-Agent
    #[arg(long, value_name = "AGENT", default_value = "tamis")]
    agent: String,
    /// The status that robots.txt was answered with; then no file is read
    #[arg(long, value_name = "STATUS", value_parser = clap::value_parser!(u16).range(100..=999))]
    status: Option<u16>,
    /// The robots.txt (- is standard input), unless --status is given; then URLs, absolute or as
    /// paths
    #[arg(required = true, value_name = "FILE|URL")]
    operands: Vec<String>,
}

/// Show what a crawler is told: its group, delay, rules and the sitemaps
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tamis robots show --agent tamis robots.txt")]
struct ShowArgs {
    /// The crawler's product token, or its whole User-Agent
    #[arg(long, value_name = "AGENT", default_value = "tamis")]
    agent: String,
    /// The robots.txt; - is standard input
    file: PathBuf,
}

/// Runs the chosen sub-command.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Check(args) => check(args, output),
        Command::Show(args) => show(args, output),
    }
}

const NO_URL: &str = "no URL to check: name the robots.txt, then URLs";

fn check(args: &CheckArgs, output: &Output) -> anyhow::Result<Exit> {
    let (robots, urls) = match (args.status, args.operands.split_first()) {
        // A 2xx without its body is an empty file. One that is named all the same is not read.
        (Some(status), first) => {
            let robots = RobotsRuling::of_status(status).rules();
            let is_file = |text: &String| text == "-" || Path::new(text).is_file();
            let urls = match first {
                Some((file, urls)) if is_file(file) => urls,
                _ => args.operands.as_slice(),
            };
            (robots, urls)
        }
        (None, Some((file, urls))) if !urls.is_empty() => {
            (Robots::parse(&read(file.as_ref())?), urls)
        }
        (None, _) => return Err(usage(NO_URL)),
    };
    let parsed = urls.iter().map(|text| {
        let url =
            parse(text).map_err(|error| usage(format!("cannot check \"{text}\": {error}")))?;
        Ok((text, url))
    });
    let parsed: Vec<(&String, Url)> = parsed.collect::<anyhow::Result<_>>()?;
    if parsed.is_empty() {
        return Err(usage(NO_URL));
    }
    let mut exit = Exit::Done;
    for (text, url) in parsed {
        let answer = robots.check(&args.agent, &url);
        if !answer.allowed {
            exit = Exit::Problem;
        }
        print_answer(text, &answer, output)?;
    }
    Ok(exit)
}

/// An absolute URL, or a path of some host.
fn parse(text: &str) -> Result<Url, url::ParseError> {
    match Url::parse(text) {
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            Url::parse("http://localhost/").and_then(|base| base.join(text))
        }
        parsed => parsed,
    }
}

fn print_answer(url: &str, answer: &RobotsAnswer, output: &Output) -> anyhow::Result<()> {
    if output.json {
        output.value(&json!({
            "url": url,
            "allowed": answer.allowed,
            "rule": answer.rule,
            "line": answer.line,
        }))?;
        return Ok(());
    }
    let word = if answer.allowed { "allowed" } else { "refused" };
    let why = match (&answer.rule, answer.line) {
        (Some(rule), Some(line)) => format!("  (line {line}: {})", flat(rule)),
        _ => String::new(),
    };
    output.line(format!("{word}  {}{why}", flat(url)))?;
    Ok(())
}

fn show(args: &ShowArgs, output: &Output) -> anyhow::Result<Exit> {
    let robots = Robots::parse(&read(&args.file)?);
    let group = robots.group(&args.agent);
    let delay = robots.crawl_delay(&args.agent).map(|d| d.as_secs_f64());
    let rules = group.as_ref().map_or(&[][..], |group| &group.rules);
    if output.json {
        let rules: Vec<_> = rules
            .iter()
            .map(|r| json!({ "allow": r.allow, "pattern": r.pattern, "line": r.line }))
            .collect();
        output.value(&json!({
            "group": group.as_ref().map(|group| &group.name),
            "crawl_delay": delay,
            "rules": rules,
            "sitemaps": robots.sitemaps(),
        }))?;
        return Ok(Exit::Done);
    }
    match &group {
        Some(group) => output.line(format!("group: {}", flat(&group.name)))?,
        None => output.line(format!(
            "no group for {}: everything is allowed",
            args.agent
        ))?,
    }
    if let Some(delay) = delay {
        output.line(format!("crawl delay: {delay} s"))?;
    }
    for rule in rules {
        let word = if rule.allow { "allow" } else { "disallow" };
        let pattern = flat(&rule.pattern);
        output.line(format!("{word:>8} {pattern}  (line {})", rule.line))?;
    }
    for sitemap in robots.sitemaps() {
        output.line(format!("sitemap: {}", flat(sitemap)))?;
    }
    Ok(Exit::Done)
}
