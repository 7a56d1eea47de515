//! `tamis config`: check a configuration, show the one in force, print its schema and its
//! reference.

use std::path::PathBuf;

use config::settings::settings;
use config::{CrawlConfig, file};
use documents::file::read;
use fetcher::AddressGuard;
use frontier::{SeedUrl, parse_seeds};
use report::words::plural;
use serde_json::json;

use crate::command::is_seed_list;
use crate::exit::{Exit, usage};
use crate::output::Output;

/// Check a configuration, show the effective one, or describe all keys
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    tamis config check config/chinese-databases.toml\n  \
    tamis config show config/chinese-databases.toml\n  \
    tamis config schema > tamis.schema.json\n  \
    tamis config reference | less")]
pub struct Args {
    /// What to do
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check configuration files: every mistake with its line, column and mend
    #[command(after_help = "Example:\n  tamis config check config/*.toml")]
    Check {
        /// Configuration files; - is standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Show the effective configuration, each value with where it came from
    #[command(after_help = "Examples:\n  tamis config show config/news.toml\n  \
        tamis config show crawls/db/crawl.toml | grep politeness")]
    Show {
        /// Configuration file, - for standard input; none shows the defaults
        file: Option<PathBuf>,
    },
    /// Print the JSON Schema of a configuration
    #[command(after_help = "Example:\n  tamis config schema > tamis.schema.json")]
    Schema,
    /// Print all keys as Markdown: default, allowed values, meaning
    #[command(after_help = "Example:\n  tamis config reference | less")]
    Reference,
}

/// Runs the chosen action.
pub fn run(args: &Args, output: &Output) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Check { files } => check(files, output),
        Action::Show { file } => show(file.as_ref(), output),
        Action::Schema => {
            output.line(serde_json::to_string_pretty(&config::schema())?)?;
            Ok(Exit::Done)
        }
        Action::Reference => {
            output.line(config::reference().trim_end())?;
            Ok(Exit::Done)
        }
    }
}

fn check(files: &[PathBuf], output: &Output) -> anyhow::Result<Exit> {
    let mut clean = true;
    let mut unread = Vec::new();
    for path in files {
        let name = path.display();
        let bytes = match read(path) {
            Ok(bytes) if is_seed_list(&String::from_utf8_lossy(&bytes)) => {
                unread.push(format!(
                    "{name} is a list of URLs, no configuration: check it with: tamis seeds check {name}"
                ));
                continue;
            }
            Ok(bytes) => bytes,
            Err(error) => {
                unread.push(format!("cannot read {name}: {error}; check the path"));
                continue;
            }
        };
        let document = file::open_bytes(path, bytes).map_err(|problem| vec![problem]);
        let checked = document.and_then(|document| file::check(document, path));
        clean &= checked.is_ok();
        if let Ok(config) = &checked {
            let notes = notes_of(config);
            if output.json {
                let first = notes.first();
                output
                    .value(&json!({ "file": path, "ok": true, "note": first, "notes": &notes }))?;
            } else {
                output.line(format!("{name}: in order"))?;
                for note in &notes {
                    output.line(format!("{name}: note: {note}"))?;
                }
            }
        }
        for problem in checked.err().unwrap_or_default() {
            if output.json {
                output.value(&json!({
                    "file": problem.file, "ok": false, "line": problem.line,
                    "column": problem.column, "message": problem.message, "mend": problem.mend,
                }))?;
            } else {
                output.line(problem.to_string())?;
            }
        }
    }
    if !unread.is_empty() {
        return Err(usage(unread.join("\n")));
    }
    Ok(if clean { Exit::Done } else { Exit::Problem })
}

/// What is no mistake, but will stop most crawls, or is not what was meant.
fn notes_of(config: &CrawlConfig) -> Vec<String> {
    let mut notes = Vec::new();
    let contact = &config.agent.contact;
    if contact.is_empty() {
        notes.push(
            "agent.contact is not set; a crawl beyond loopback needs a URL or mail address there, or \
             --contact, which servers see in the user agent"
                .to_owned(),
        );
    } else if is_placeholder(contact) {
        notes.push(format!(
            "agent.contact is {contact}, a name set apart for examples: put a URL or mail address there that \
             site owners can reach you by"
        ));
    }
    let seeds = config.seeds.urls.iter();
    let mut lists: Vec<SeedUrl> = seeds
        .flat_map(|url| parse_seeds("config", url.as_bytes()).0)
        .collect();
    for list in &config.seeds.files {
        let bytes = std::fs::read(list).unwrap_or_default();
        lists.extend(parse_seeds(list, &bytes).0);
    }
    notes.extend(private_seeds(config, &lists));
    if let Some(topic) = &config.topic {
        let doubts = focus::keyword_doubts(&topic.keywords).into_iter();
        notes.extend(doubts.map(|(keyword, why)| format!("the keyword {keyword:?} {why}")));
    }
    notes
}

/// What to say where a crawl may not ask some of its seeds, as far as their hosts tell: names are not looked up.
pub(super) fn private_seeds(config: &CrawlConfig, seeds: &[SeedUrl]) -> Option<String> {
    if config.network.allow_private {
        return None;
    }
    let guard = AddressGuard::public_only();
    let mut private = seeds.iter().filter_map(|seed| {
        let refused = guard.check_proxied(&seed.url.to_url()).err()?;
        Some((seed.url.as_str(), refused.reason))
    });
    let (url, why) = private.next()?;
    let more = match private.count() {
        0 => String::new(),
        more => format!(" and {}", plural(more as u64, "more seed", "more seeds")),
    };
    Some(format!(
        "{url}{more}: on this machine or a private network ({why}); a crawl asks it only with \
         network.allow_private = true, or --allow-private"
    ))
}

/// Whether a contact names a host that is set apart for examples (RFC 2606), such as a template's.
fn is_placeholder(contact: &str) -> bool {
    let rest = contact.split_once("://").map_or(contact, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().to_lowercase();
    let mut labels = host.rsplit('.');
    match (labels.next(), labels.next()) {
        (Some("example" | "invalid"), _) => true,
        (Some("com" | "net" | "org"), Some("example")) => true,
        (Some(_) | None, _) => false,
    }
}

fn show(path: Option<&PathBuf>, output: &Output) -> anyhow::Result<Exit> {
    let wrong = |problem: config::ConfigProblem| usage(problem.to_string());
    let (config, document) = match path {
        Some(path) => {
            let name = path.display();
            let bytes = read(path)
                .map_err(|error| usage(format!("cannot read {name}: {error}; check the path")))?;
            let document = file::open_bytes(path, bytes).map_err(wrong)?;
            (
                file::checked(&document, path).map_err(wrong)?,
                Some(document),
            )
        }
        None => (CrawlConfig::default(), None),
    };
    let name = path.map_or(String::new(), |path| path.display().to_string());
    for (key, value) in settings(&config) {
        let line = document.as_ref().and_then(|file| file.line_of(&key));
        let source = if line.is_some() { &name } else { "default" };
        if output.json {
            output.value(&json!({ "key": key, "value": value, "source": source, "line": line }))?;
        } else {
            let setting = format!("{key} = {value}");
            let place = line.map_or(String::new(), |line| format!(":{line}"));
            output.line(format!("{setting:<44} # {source}{place}"))?;
        }
    }
    Ok(Exit::Done)
}
